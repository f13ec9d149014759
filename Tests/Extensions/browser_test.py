"""The extension of browsers in node, with the part of a browser's API that it uses."""

import json
import pathlib
import shutil
import subprocess
import tempfile

from devices import ROOT, Lines, process


class BrowserExtension:
    """What a test has that runs the extension."""

    def start_extension(self, environment):
        """Starts the extension; returns what is told to it, and what it prints."""
        self.browser = self.enterContext(process(
            ["node", ROOT / "Tests/Extensions/fake-browser.mjs", self._files() / "background.js"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
        ))
        self.lines = Lines(self.browser.stdout)

    def tell(self, **action):
        """What happens in the browser (fake-browser.mjs)."""
        self.browser.stdin.write(json.dumps(action) + "\n")
        self.browser.stdin.flush()

    def wait_line(self, what, **wanted):
        """The next line with these values."""
        return json.loads(self.lines.wait(lambda line: wanted.items() <= flat(json.loads(line)).items(), what))

    def _files(self):
        """The extension's files, as node reads modules."""
        directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for path in (ROOT / "Extensions/Browser").glob("*.js"):
            shutil.copy(path, directory)
        (directory / "package.json").write_text('{"type": "module"}', encoding="utf-8")
        return directory


def flat(value):
    """The values of an object that can be compared."""
    return {key: part if isinstance(part, (str, int, float, bool)) else json.dumps(part) for key, part in value.items()}
