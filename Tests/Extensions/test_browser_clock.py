"""The extension of browsers when the wall clock is set back: in node, with the part of a browser's API that it uses."""

import json
import pathlib
import shutil
import subprocess
import tempfile

from devices import PROGRAMS, ROOT, IntegrationTest, Lines, process


class BrowserClockTests(IntegrationTest):
    """The page that the person sees is reported, whatever the clock shows."""

    def extension(self):
        """The extension's files, as node reads modules."""
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path in (ROOT / "Extensions/Browser").glob("*.js"):
            shutil.copy(path, directory)
        (directory / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        return directory / "background.js"

    def test_pages_are_reported_after_the_clock_was_set_back_by_an_hour(self):
        browser = self.enterContext(process(
            ["node", ROOT / "Tests/Extensions/fake-browser.mjs", self.extension()], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=self.laptop.environment(LD_PRELOAD=PROGRAMS / "libShiftedClock.so"),
        ))
        lines = Lines(browser.stdout)
        for clock in (0, -3600, -7200):
            url = f"https://example.org/{-clock}"
            browser.stdin.write(json.dumps({"clock": clock}) + "\n" + json.dumps({"url": url}) + "\n")
            browser.stdin.flush()
            lines.wait(lambda line: json.loads(line).get("url") == url, f"a report of {url}")
