#!/usr/bin/env python3
"""Tests of how a guest is found to hang before it has written a file: run this file."""

import pathlib
import subprocess
import tempfile
import unittest

LIBRARY = pathlib.Path(__file__).resolve().parent / "host-library"


class Hangs(unittest.TestCase):
    """Guests that are processes which do nothing."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="handoff-hangs-")
        self.addCleanup(directory.cleanup)
        self.results = pathlib.Path(directory.name)

    def hangs(self, guest, seconds):
        """Whether a guest hangs, which a command starts in the background."""
        script = f'source "$1"; {guest} & status=0; rig_hangs "$2" $! "$3" || status=$?; kill $! 2>/dev/null; exit $status'
        command = ["bash", "-c", script, "bash", LIBRARY, self.results, str(seconds)]
        status = subprocess.run(command, check=False, timeout=60).returncode
        self.assertIn(status, (0, 1))
        return status == 0

    def test_one_that_writes_nothing_hangs(self):
        self.assertTrue(self.hangs("sleep 600", 0))

    def test_one_that_has_written_does_not(self):
        self.assertFalse(self.hangs(f"(echo 1 >'{self.results}/clock'; exec sleep 600)", 50))

    def test_one_that_has_ended_does_not(self):
        self.assertFalse(self.hangs("true", 50))


if __name__ == "__main__":
    unittest.main()
