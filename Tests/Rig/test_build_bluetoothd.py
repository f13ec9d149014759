#!/usr/bin/env python3
"""Tests of build-bluetoothd, with trees whose configure and make are a few lines: run this file."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "build-bluetoothd"
# Counts the builds in a file beside the cache, and makes a program that tells its version.
CONFIGURE = """#!/bin/sh
echo built >> "$HANDOFF_RIG_CACHE/../builds"
printf 'all:\\nsrc/builtin.h lib/libbluetooth-internal.la:\\n\\t@true\\n' > Makefile
printf 'src/bluetoothd:\\n\\tcp program src/bluetoothd\\n' >> Makefile
"""


class BuildBluetoothd(unittest.TestCase):
    """Builds in a cache of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="handoff-build-bluetoothd-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.cache = self.directory / "a cache"

    def tree(self, version, says=None, configure=CONFIGURE):
        """A tree that states a version, and whose program tells the same one or another one."""
        tree = self.directory / f"bluez {version}"
        for name, text in {
            "configure.ac": f"AC_PREREQ(2.60)\nAC_INIT(bluez, {version})\n",
            "configure": configure,
            "program": f"#!/bin/sh\necho {says or version}\n",
            "src/main.conf": "[General]\n",
            "profiles/input/input.conf": "",
            "profiles/network/network.conf": "",
        }.items():
            file = tree / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            file.chmod(0o755)
        return tree

    def build(self, *arguments):
        """The exit status, what was printed, and what was printed to standard error."""
        environment = {**os.environ, "HANDOFF_RIG_CACHE": str(self.cache)}
        run = subprocess.run(
            [PROGRAM, *map(str, arguments)], env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        return run.returncode, run.stdout, run.stderr

    def refused(self, *arguments):
        """The message of a call that fails as the rig does."""
        status, output, message = self.build(*arguments)
        self.assertEqual((status, output), (2, ""), message)
        return message

    def builds(self):
        """The number of builds so far."""
        return len((self.directory / "builds").read_text(encoding="utf-8").splitlines())

    def test_a_release_is_built_into_the_cache_with_its_configuration(self):
        tree = self.tree("9.12")
        before = sorted(tree.rglob("*"))
        status, output, message = self.build(tree)
        self.assertEqual((status, output), (0, f"{self.cache}/bluetoothd-9.12/bluetoothd\n"), message)
        kept = {path.name for path in (self.cache / "bluetoothd-9.12").rglob("*.conf")}
        self.assertEqual(kept, {"main.conf", "input.conf", "network.conf"})
        self.assertEqual(sorted(tree.rglob("*")), before)

    def test_a_release_is_built_again_only_if_its_tree_has_changed(self):
        tree = self.tree("9.12")
        for _ in range(2):
            self.build("--version", "9.12", tree)
        self.assertEqual(self.builds(), 1)
        program = self.cache / "bluetoothd-9.12/bluetoothd"
        later = program.stat().st_mtime + 5
        os.utime(tree / "src/main.conf", (later, later))
        self.build(tree)
        self.assertEqual(self.builds(), 2)

    def test_what_was_built_before_is_found_without_its_tree(self):
        self.build(self.tree("9.12"))
        status, output, _ = self.build("--version", "9.12")
        self.assertEqual((status, output), (0, f"{self.cache}/bluetoothd-9.12/bluetoothd\n"))

    def test_without_a_tree_the_message_says_where_releases_are(self):
        for arguments in [], ["--version", "9.12"], ["--version", "9.12", ""]:
            message = self.refused(*arguments)
            self.assertIn("www.kernel.org/pub/linux/bluetooth", message)
            self.assertIn("git clone", message)

    def test_a_tree_of_another_version_is_refused(self):
        message = self.refused("--version", "9.13", self.tree("9.12"))
        self.assertIn("has the sources of 9.12, but 9.13 is wanted", message)

    def test_what_is_no_tree_or_no_version_is_refused(self):
        self.assertIn("there is no directory", self.refused(self.directory / "none"))
        self.assertIn("is not a tree of BlueZ", self.refused(self.directory))
        self.assertIn("'newest' is not a version", self.refused("--version", "newest"))

    def test_a_failed_build_shows_the_end_of_its_messages_and_leaves_nothing_that_would_be_used(self):
        message = self.refused(self.tree("9.12", configure="#!/bin/sh\necho no dbus here\nexit 1\n"))
        self.assertIn("no dbus here", message)
        self.assertIn(f"{self.cache}/bluetoothd-9.12.log", message)
        self.assertIn("no bluetoothd 9.12 was built before", self.refused("--version", "9.12"))

    def test_a_program_that_tells_another_version_is_refused(self):
        self.assertIn("says that it is 9.11, not 9.12", self.refused(self.tree("9.12", says="9.11")))


if __name__ == "__main__":
    unittest.main()
