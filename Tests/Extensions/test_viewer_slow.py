"""handoff-viewer: viewers that take long to open a document, or that fail late, and what the origin is told of it."""

import os
import urllib.parse

from devices import TIMEOUT
from test_viewer import TYPE, ViewerTest, pdf
from waits import WaitTest


class SlowTests(WaitTest, ViewerTest):
    """A viewer of the desktop that opens its document, or fails, when the test says so."""

    def setUp(self):
        super().setUp()
        # What the viewer writes when it has begun, and reads before it goes on, and before it ends.
        self.begun, self.pipe, self.end = (self.desktop.home / f"viewer.{name}" for name in ("begun", "pipe", "end"))
        for path in (self.begun, self.pipe, self.end):
            os.mkfifo(path)
            self.addCleanup(path.unlink)
        self.here, _ = self.pair.write("plan.pdf", pdf(3))
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/viewer.conf").write_text(
            f"[viewer]\ncommand = slow {{file}}\npatience = {TIMEOUT}\n", encoding="utf-8"
        )

    def take(self, commands, outcome, status):
        """Continues a document with a viewer that waits for the test, and then executes commands."""
        script = f"#!/bin/sh\necho begun > {self.begun}\nread -r word < {self.pipe}\n{commands}\n"
        self.addCleanup(self.desktop.program("slow", script).unlink)
        url = "file://" + urllib.parse.quote(self.here)
        with self.pair.publishing(type=TYPE, documentURL=url, userInfo={"version": 1, "page": 2}):
            document = self.pair.fetch(TYPE)
            self.assertEqual(document["userInfo"]["page"], 2)
            with self.continuing() as continuing:
                self.begun.read_text(encoding="ascii")
                self.let_time_pass()
                self.assertIsNone(continuing.poll())
                self.pipe.write_text("go\n", encoding="ascii")
                self.assertEqual(self.told()[0], outcome)
                self.assertEqual(continuing.wait(), status)

    def test_the_origin_is_told_when_the_viewer_has_the_document_at_last(self):
        self.take(f"exec 3< \"$1\"\nread -r word < {self.end}", "continued", 0)
        self.end.write_text("go\n", encoding="ascii")

    def test_the_origin_is_told_of_a_viewer_that_fails_at_last(self):
        self.take("exit 3", "continuationFailed", 1)
