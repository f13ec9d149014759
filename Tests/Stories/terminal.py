"""A program at a pseudo-terminal, whose screen a story reads and at which it types."""

import os
import pty
import signal
import threading
import time

from world import TIMEOUT, Failure


class Terminal:
    """A program at a terminal; it is killed at the end of the `with` block."""

    def __init__(self, arguments, name):
        self._arguments = [str(argument) for argument in arguments]
        self._name = name
        self._screen = ""
        self._is_over = False
        self._changed = threading.Condition()
        self._child = None
        self._status = None

    def __enter__(self):
        self._child, self._keyboard = pty.fork()
        if self._child == 0:
            os.execv(self._arguments[0], self._arguments)
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_):
        if self._status is None:
            os.kill(self._child, signal.SIGKILL)
            os.waitpid(self._child, 0)
        # It would read from whatever file gets the number of the terminal next.
        self._reader.join()
        os.close(self._keyboard)

    def _read(self):
        while True:
            try:
                data = os.read(self._keyboard, 4096)
            except OSError:
                data = b""
            with self._changed:
                self._screen += data.decode(errors="replace").replace("\r", "")
                self._is_over = self._is_over or not data
                self._changed.notify_all()
            if not data:
                return

    def wait(self, pattern, timeout=TIMEOUT):
        """The first match of `pattern` on the screen."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not (match := pattern.search(self._screen)):
                left = deadline - time.monotonic()
                if self._is_over or left <= 0:
                    raise Failure(f"{self._name} does not show {pattern.pattern!r}; its screen:\n{self._screen}")
                self._changed.wait(left)
        return match

    def type(self, line):
        """Types a line."""
        os.write(self._keyboard, (line + "\n").encode())

    def interrupt(self):
        """Presses Ctrl-C."""
        os.write(self._keyboard, b"\x03")

    def status(self):
        """The exit status of the program, once it has ended."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._child, 0)[1])
        return self._status
