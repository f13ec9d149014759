#!/usr/bin/env python3
"""Tests of release-notes: python3 Tests/Packaging/test_release_notes.py"""

import pathlib
import re
import subprocess
import tempfile
import unittest

from repositories import PACKAGING, ROOT

CHANGELOG = """\
# Changelog

## 0.3.0 - not yet released

## 0.2.1 - 2027-01-02

### Added

- A list whose item is longer than a line
  of the file ([Docs/Window.md](Docs/Window.md#pages)), and a page of [the web](https://example.org).
- Another
    - with an item of its own,
      of two lines

A paragraph
of two lines:

```
code   stays
  as it is
```

## 0.2 - 2026-12-01

Older.
"""


class ReleaseNotes(unittest.TestCase):
    def setUp(self):
        self.changelog = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory())) / "CHANGELOG.md"
        self.changelog.write_text(CHANGELOG)

    def notes(self, version, *options):
        command = [PACKAGING / "release-notes", "--changelog", self.changelog, *options, version]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_a_version_has_its_own_section_and_each_paragraph_is_one_line(self):
        self.assertEqual(
            self.notes("0.2.1").stdout,
            "### Added\n\n"
            "- A list whose item is longer than a line of the file ([Docs/Window.md](Docs/Window.md#pages)), and a page"
            " of [the web](https://example.org).\n- Another\n    - with an item of its own, of two lines\n\n"
            "A paragraph of two lines:\n\n```\ncode   stays\n  as it is\n```\n",
        )

    def test_relative_links_lead_to_the_files_of_the_version(self):
        notes = self.notes("0.2.1", "--links", "https://example.com/blob/v0.2.1/").stdout
        self.assertIn("(https://example.com/blob/v0.2.1/Docs/Window.md#pages)", notes)
        self.assertIn("[the web](https://example.org)", notes)

    def test_a_version_is_not_the_beginning_of_another_one(self):
        self.assertEqual(self.notes("0.2").stdout, "Older.\n")

    def test_a_version_without_a_section_is_refused(self):
        done = self.notes("0.4.0")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn('says nothing below "## 0.4.0', done.stderr)

    def test_a_version_with_an_empty_section_is_refused(self):
        self.assertNotEqual(self.notes("0.3.0").returncode, 0)

    def test_the_changelog_of_this_version_loses_no_word(self):
        text = (ROOT / "CHANGELOG.md").read_text()
        version = re.search(r"^## (\S+)", text, re.MULTILINE)[1]
        command = [PACKAGING / "release-notes", version]
        notes = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        section = re.split(r"^## .*\n", text, flags=re.MULTILINE)[1]
        self.assertEqual(notes.split(), section.split())


if __name__ == "__main__":
    unittest.main()
