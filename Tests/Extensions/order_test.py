"""What the tests of the order of reports share."""

import contextlib
import os
import pathlib
import re
import select
import signal
import tempfile

from devices import TIMEOUT, Lines, process
from terminal_test import TerminalTest

# How many programs keep the processors busy; they and the shells beside them come after all others.
BUSY = 8
BESIDE = ["nice", "-n", "10"]


class OrderTest(TerminalTest):
    """A test of reports that are made under control of the test."""

    def setUp(self):
        super().setUp()
        # A script may still write its line while this is removed.
        directory = tempfile.TemporaryDirectory(dir=self.laptop.home, ignore_cleanup_errors=True)
        self.scratch = pathlib.Path(self.enterContext(directory))
        self.script = None

    def integration(self, computer, shell):
        """The file that a person sources; if there is a script, the shell reports by that."""
        installed = super().integration(computer, shell)
        if not self.script:
            return installed
        copy = self.scratch / installed.name
        copy.write_text(installed.read_text("utf-8").replace(str(self.reporter), str(self.script)), encoding="utf-8")
        return copy

    def report_by(self, text):
        """Has shells that are started from now on report by a script; the program that it stands for is $program."""
        self.script = self.scratch / "script"
        self.script.write_text(f"#!/bin/sh\nprogram={self.reporter}\n{text}\n", encoding="utf-8")
        self.script.chmod(0o755)

    def tell_ends(self, by=""):
        """Has shells that are started from now on report as always; returns a line for each report that has ended."""
        path, lines = self.pipe("told")
        self.report_by(f'{by} "$program" "$@"; echo "$*" 1<>{path}')
        return lines

    def pipe(self, name):
        """A named pipe into which programs write lines, with `1<>` so that they never wait for a reader; its lines."""
        path = self.scratch / name
        os.mkfifo(path)
        reader = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), encoding="utf-8")
        # As long as this is open, the pipe has no end.
        self.addCleanup(os.close, os.open(path, os.O_WRONLY))
        os.set_blocking(reader.fileno(), True)
        return path, Lines(reader)

    def assert_next_document(self, path, but=None):
        """Asserts that the next activity that is offered is about a file, but for those that are about another one."""
        def url(event):
            return event["properties"].get("DocumentURL", "")
        event = self.events.wait("a document", lambda e: url(e) and not (but and url(e).endswith(os.fsdecode(but))))
        self.assertTrue(url(event).endswith(os.fsdecode(path)), event)

    def publisher(self):
        """The process that publishes."""
        found = [process for process, directory in self.reporting().items() if directory == "/"]
        self.assertEqual(len(found), 1)
        return found[0]

    @contextlib.contextmanager
    def stopped(self, number):
        """Stops a process while the block runs."""
        os.kill(number, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(number, signal.SIGCONT)

    @contextlib.contextmanager
    def busy(self):
        """Keeps the processors busy while the block runs."""
        # What fish does when it is started for the first time: it reads all manual pages.
        (self.laptop.home / "share/fish/generated_completions").mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            for _ in range(BUSY):
                stack.enter_context(process([*BESIDE, "sh", "-c", "while :; do :; done"]))
            yield

    def number(self, shell):
        """How many reports a shell has made, which waits for a command."""
        shell.type("\x15echo numb''er-$_handoff_number.\r")
        return self.shown_number(shell)

    def shown_number(self, shell):
        """The same of a shell into which the command was typed."""
        shell.wait("number-")
        shell.wait(".")
        shell.wait("ready> ")
        return int(re.findall(r"number-(\d+)\.", shell.shown)[-1])

    def wait_for_end(self, number):
        """Waits until a process has ended."""
        end = os.pidfd_open(number)
        self.addCleanup(os.close, end)
        self.assertTrue(select.select([end], [], [], TIMEOUT)[0], f"{number} does not end")
