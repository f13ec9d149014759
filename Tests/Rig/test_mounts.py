#!/usr/bin/env python3
"""Tests of what a guest sees of the host's mounts: run this file. Mounts need root, or sudo."""

import os
import pathlib
import subprocess
import tempfile
import unittest

LIBRARY = pathlib.Path(__file__).resolve().parent / "host-library"


class ExtraMounts(unittest.TestCase):
    """The mounts of the host that have to be mounted for a guest as well."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="handoff-mounts-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        for name in "source/inner", "target", "plain":
            (self.directory / name).mkdir(parents=True)

    def mounts(self, mount, *paths):
        """What is listed for these paths, in a mount namespace in which a command has mounted something."""
        script = f'set -eu; cd "$1"; {mount}; source "$2"; shift 2; rig_extra_mounts "$@"'
        command = ["unshare", "--mount", "--propagation", "private", "bash", "-c", script, "bash", self.directory, LIBRARY]
        command = [*([] if os.geteuid() == 0 else ["sudo"]), *command, *(self.directory / path for path in paths)]
        listed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
        below = [pathlib.Path(line) for line in listed.splitlines()]
        return [str(path.relative_to(self.directory)) for path in below if path.is_relative_to(self.directory)]

    def test_a_directory_that_is_mounted_from_the_same_file_system_is_seen(self):
        self.assertEqual(self.mounts("mount --bind source target", "target/inner", "target"), ["target"])

    def test_a_mount_in_a_mount_comes_after_it(self):
        both = "mount --bind source target; mount -t tmpfs tmpfs target/inner"
        self.assertEqual(self.mounts(both, "target/inner"), ["target", "target/inner"])

    def test_a_directory_without_a_mount_of_its_own_and_one_that_does_not_exist_need_none(self):
        self.assertEqual(self.mounts("mount --bind source target", "plain", "none"), [])


if __name__ == "__main__":
    unittest.main()
