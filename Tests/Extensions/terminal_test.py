"""What the tests of terminals share."""

import os

from devices import IntegrationTest

TYPE = "org.handoffd.directory"


class TerminalTest(IntegrationTest):
    """A test of terminals."""

    def integration(self, computer, shell):
        """The file that a person sources."""
        return computer.home / f"usr/share/handoffd/terminal/handoff.{shell}"

    def directory(self, name, computer=None):
        """A directory of the synchronised folder; its path as bytes."""
        path = os.fsencode((computer or self.laptop).docs) + b"/" + os.fsencode(name)
        os.makedirs(path, exist_ok=True)
        return path

    def configure(self, computer, text):
        """Writes terminal.conf."""
        (computer.home / "config/handoff").mkdir(exist_ok=True)
        (computer.home / "config/handoff/terminal.conf").write_text(text, encoding="utf-8")

    def install(self, computer, name, text):
        """A program of a computer, until the test ends."""
        self.addCleanup(computer.program(name, text).unlink)
