#!/usr/bin/env python3
"""Tests of check-tag, in a repository with a copy of what it reads: python3 Tests/Packaging/test_check_tag.py"""

import datetime
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from repositories import ROOT

READ = [
    "CHANGELOG.md", "Docs", "Extensions/Browser/manifest.json", "Extensions/Emacs", "Extensions/VSCode/package.json",
    "Packaging", "Sources/HandoffBus/Names", "Sources/HandoffCore/Advertising", "Tests/Scripts/version-agrees",
    "debian",
]  # fmt: skip


class CheckTag(unittest.TestCase):
    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in READ:
            source, target = ROOT / name, self.directory / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(source, target) if source.is_dir() else shutil.copy(source, target)
        self.changelog = self.directory / "CHANGELOG.md"
        self.version = re.search(r"^## (\S+)", self.changelog.read_text(), re.MULTILINE)[1]
        self.git("init", "--quiet", "--initial-branch", "main")
        self.release_day(datetime.date(2027, 1, 2))

    def release_day(self, day):
        """A commit of main with a day, or with none, beside the version in CHANGELOG.md."""
        heading = f"## {self.version} - {day or 'not yet released'}"
        self.changelog.write_text(re.sub(r"^## .*", heading, self.changelog.read_text(), count=1, flags=re.MULTILINE))
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "a commit")
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")

    def git(self, *arguments):
        identity = ["-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "-c", "tag.gpgSign=false"]
        subprocess.run(["git", *identity, "-c", "commit.gpgSign=false", "-C", self.directory, *arguments], check=True)

    def check(self, *tag):
        command = [self.directory / "Packaging/check-tag", *tag]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_refused(self, tag, words):
        done = self.check(tag)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(words, done.stderr)

    def test_an_annotated_tag_of_the_version_on_main(self):
        tag = f"v{self.version}"
        self.git("tag", "--annotate", tag, "--message", "a release")
        done = self.check(tag)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(f"{tag} can be released", done.stdout)

    def test_before_there_is_a_tag(self):
        self.release_day(None)
        self.assertEqual(self.check().returncode, 0)

    def test_a_tag_without_annotation(self):
        self.git("tag", f"v{self.version}")
        self.assert_refused(f"v{self.version}", "is not annotated")

    def test_a_tag_of_another_version(self):
        self.git("tag", "--annotate", "v99.0.0", "--message", "a release")
        self.assert_refused("v99.0.0", f"the tag v99.0.0 is not that of version {self.version}")

    def test_a_release_without_a_day(self):
        self.release_day(None)
        self.git("tag", "--annotate", f"v{self.version}", "--message", "a release")
        self.assert_refused(f"v{self.version}", "no date")

    def test_a_commit_that_main_does_not_contain(self):
        self.git("commit", "--quiet", "--allow-empty", "--message", "of a branch")
        self.git("tag", "--annotate", f"v{self.version}", "--message", "a release")
        self.assert_refused(f"v{self.version}", "main of origin does not contain")

    def test_the_tag_of_another_commit(self):
        self.git("tag", "--annotate", f"v{self.version}", "--message", "a release")
        self.release_day(datetime.date(2027, 1, 3))
        self.assert_refused(f"v{self.version}", "is not the tag of this commit")

    def test_a_tag_that_does_not_exist(self):
        self.assert_refused("v99.0.0", "there is no tag v99.0.0")


if __name__ == "__main__":
    unittest.main()
