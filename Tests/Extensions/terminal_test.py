"""What the tests of terminals share."""

import contextlib
import os
import pathlib

from devices import IntegrationTest

TYPE = "org.handoffd.directory"


class TerminalTest(IntegrationTest):
    """A test of terminals."""

    def integration(self, computer, shell):
        """The file that a person sources."""
        return computer.home / f"usr/share/handoffd/terminal/handoff.{shell}"

    @property
    def reporter(self):
        """The program by which the shells of the laptop report, and which publishes for them."""
        return self.laptop.home / "usr/libexec/handoffd/handoff-terminal"

    def reporting(self):
        """The processes of that program, each with its working directory: / is that of the one that publishes."""
        program, found = os.fsencode(self.reporter), {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            # It may have ended.
            with contextlib.suppress(OSError):
                if program in (path / "cmdline").read_bytes().split(b"\0"):
                    found[int(path.name)] = os.readlink(path / "cwd")
        return found

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


class BashShellTest(TerminalTest):
    """A test of shells in terminals of the laptop: of Bash, and in classes derived from it of others."""

    name = "bash"
    settings = ".bashrc"
    program = ["bash"]
    before = "PS1='rea''dy> '\n"
    status = "$?"
    count = 0

    def prepare(self, is_on=True, more=""):
        """Writes the settings of shells that are started afterwards."""
        path = self.laptop.home / self.settings
        path.parent.mkdir(parents=True, exist_ok=True)
        line = f". {self.integration(self.laptop, self.name)}\n" if is_on else ""
        path.write_text(self.before + line + more, encoding="utf-8")
        self.addCleanup(path.unlink, missing_ok=True)

    def shell(self, is_on=True, more="", directory=None, **variables):
        """An interactive shell in a terminal of the laptop, once it shows its prompt."""
        self.prepare(is_on, more)
        made = self.terminal(self.laptop, *self.program, directory=directory or self.directory("first"), **variables)
        made.wait("ready> ")
        return made

    @staticmethod
    def literal(path):
        """A path of any bytes, as a word."""
        return b"$'" + b"".join(b"\\%03o" % byte for byte in path) + b"'"

    def run_command(self, shell, command):
        """Types a command, and waits for the prompt after it."""
        self.count += 1
        shell.type(b"\x15" + (command if isinstance(command, bytes) else command.encode())
                   + f"; echo do''ne-{self.count}\r".encode())
        shell.wait(f"done-{self.count}")
        shell.wait("ready> ")


class ZshShellTest(BashShellTest):
    """A test of Zsh."""

    name = "zsh"
    settings = ".zshrc"
    program = ["zsh"]


class FishShellTest(BashShellTest):
    """A test of Fish."""

    name = "fish"
    settings = "config/fish/config.fish"
    program = ["fish"]
    before = "set fish_greeting; function fish_prompt; echo -n 'rea''dy> '; end\n"
    status = "$status"

    @staticmethod
    def literal(path):
        """A path of any bytes, as a word."""
        return b"".join(b"\\X%02x" % byte for byte in path)
