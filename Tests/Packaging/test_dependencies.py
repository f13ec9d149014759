#!/usr/bin/env python3
"""Tests of Packaging/dependencies, with small packages that are resolved: python3 Tests/Packaging/test_dependencies.py"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from repositories import ROOT

MANIFEST = """// swift-tools-version: 6.0
import PackageDescription
let package = Package(name: "{name}", products: [{products}], dependencies: [{dependencies}], targets: [{targets}])
"""


def package(name, products=(), dependencies=(), targets=()):
    """A manifest; a target is its name and what it depends on."""
    return MANIFEST.format(
        name=name,
        products=", ".join(f'.library(name: "{product}", targets: ["{product}"])' for product in products),
        dependencies=", ".join(f'.package(url: "{url}", {version})' for url, version in dependencies),
        targets=", ".join(
            f'.target(name: "{target}", dependencies: [{", ".join(needed)}])' for target, needed in targets
        ),
    )


class Dependencies(unittest.TestCase):
    """The root needs a product of owner/one, which needs owner/two."""

    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.root = self.directory / "root"
        self.two = self.repository("two", package("two", ["Two"], [], [("Two", [])]), "Sources/Two/two.swift")
        needs_two = ['.product(name: "Two", package: "two")']
        manifest = package(
            "one", ["One", "Spare"], [(self.url("two"), 'from: "1.0.0"')], [("One", ['"Common"', *needs_two]), ("Common", []), ("Spare", [])]
        )  # fmt: skip
        files = [f"Sources/{name}/{name}.swift" for name in ("One", "Common", "Spare")]
        self.one = self.repository("one", manifest, *files)
        needs_one = ['.product(name: "One", package: "one")']
        manifest = package("root", [], [(self.url("one"), 'exact: "1.0.0"')], [("Root", needs_one)])
        self.write(self.root / "Package.swift", manifest)
        self.write(self.root / "Sources/Root/root.swift", "")
        (self.root / "Packaging").mkdir()
        shutil.copy(ROOT / "Packaging/dependencies", self.root / "Packaging")
        self.listed = self.root / "Packaging/dependencies.list"
        self.ends_well("write")

    def url(self, name):
        return f"file://{self.directory}/owner/{name}"

    @staticmethod
    def write(path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def repository(self, name, manifest, *files):
        directory = self.directory / "owner" / name
        self.write(directory / "Package.swift", manifest)
        for file in files:
            self.write(directory / file, "// nothing\n")
        self.git(directory, "init", "--quiet", "--initial-branch", "main")
        self.release(directory, "1.0.0")
        return directory

    def release(self, directory, version):
        """Makes a version of what is there; one that exists is moved."""
        self.git(directory, "add", "--all")
        self.git(directory, "commit", "--quiet", "--message", "a version")
        self.git(directory, "tag", "--force", version)

    @staticmethod
    def git(directory, *arguments):
        identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "tag.gpgSign=false"]
        command = ["git", *identity, "-c", "commit.gpgSign=false", "-C", directory, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def elsewhere(self):
        """From now on on a computer on which nothing was resolved."""
        shutil.rmtree(self.root / ".build")
        (self.root / "Package.resolved").unlink()
        shutil.rmtree(self.directory / "home")

    def run_dependencies(self, word):
        (self.directory / "home").mkdir(exist_ok=True)
        # SwiftPM remembers there what it has resolved.
        home = self.directory / "home"
        environment = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
        command = [self.root / "Packaging/dependencies", word]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)

    def ends_well(self, word):
        done = self.run_dependencies(word)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refusal(self):
        done = self.run_dependencies("check")
        self.assertEqual(done.returncode, 1, done.stdout)
        return done.stderr

    def test_the_list_has_what_is_compiled_and_nothing_of_where_it_came_from(self):
        places = [" ".join(line.split()[:3]) for line in self.listed.read_text().splitlines()]
        self.assertEqual(places, [
            "owner/one 1.0.0 Package.swift", "owner/one 1.0.0 Sources/Common", "owner/one 1.0.0 Sources/One",
            "owner/two 1.0.0 Package.swift", "owner/two 1.0.0 Sources/Two",
        ])  # fmt: skip
        self.assertNotIn(str(self.directory), self.listed.read_text())
        self.elsewhere()
        self.assertIn("5 objects", self.ends_well("check"))

    def test_a_version_that_was_moved_is_refused_with_the_directory(self):
        self.write(self.two / "Sources/Two/two.swift", "// something else\n")
        self.release(self.two, "1.0.0")
        self.elsewhere()
        refusal = self.refusal()
        self.assertEqual(refusal.count("owner/two 1.0.0 Sources/Two"), 2, refusal)
        self.assertNotIn("owner/two 1.0.0 Package.swift", refusal)
        self.assertIn("make pin-dependencies", refusal)

    def test_a_mirror_that_leaves_out_what_nobody_builds_is_the_same(self):
        shutil.rmtree(self.one / "Sources/Spare")
        self.write(self.one / "Sources/Spare/other.swift", "")
        self.release(self.one, "1.0.0")
        self.elsewhere()
        self.ends_well("check")

    def test_another_version_of_what_a_package_depends_on_is_refused(self):
        self.git(self.two, "commit", "--quiet", "--allow-empty", "--message", "the same")
        self.git(self.two, "tag", "1.0.1")
        self.elsewhere()
        self.assertIn("+ owner/two 1.0.1 Sources/Two", self.refusal())

    def test_what_was_changed_after_it_was_fetched_is_refused(self):
        file = self.root / ".build/checkouts/two/Sources/Two/more.swift"
        file.parent.chmod(0o755)
        self.write(file, "// more\n")
        self.assertIn("owner/two was changed after it was fetched, in Sources/Two", self.refusal())


if __name__ == "__main__":
    unittest.main()
