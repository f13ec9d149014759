"""Programs in pseudo-terminals, and what they show."""

import fcntl
import os
import re
import struct
import subprocess
import termios
import threading
import time

from world import TIMEOUT, Failure

# The escape sequences of terminals: CSI, OSC and the others.
ESCAPES = re.compile(
    rb"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[PX^_].*?\x1b\\|\x1b[ -/]*[0-~]", re.S
)


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, arguments, environment, directory):
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 200, 0, 0))
        self.process = subprocess.Popen(
            [os.fsencode(argument) for argument in map(_plain, arguments)], stdin=slave, stdout=slave, stderr=slave,
            env=environment, cwd=directory, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._changed = threading.Condition()
        self._output = b""
        self._read_until = 0
        self._is_open = True
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self):
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:
                data = b""
            with self._changed:
                self._output += data
                self._is_open = bool(data)
                self._changed.notify_all()
            if not data:
                return

    def type(self, text):
        """Types text; `\\r` is the Enter key, `\\x1b` Escape."""
        os.write(self._master, text if isinstance(text, bytes) else text.encode())

    def wait(self, text):
        """Waits until the program shows a text, not counting what was waited for before."""
        wanted, deadline = text.encode(), time.monotonic() + TIMEOUT
        with self._changed:
            while True:
                shown = ESCAPES.sub(b"", self._output)
                found = shown.find(wanted, self._read_until)
                if found >= 0:
                    self._read_until = found + len(wanted)
                    return
                if not self._is_open or not self._changed.wait(max(0.0, deadline - time.monotonic())):
                    raise Failure(f"{text!r} is not shown; the last of the screen: {shown[-600:]!r}")

    @property
    def raw(self):
        """Everything that was shown, as bytes."""
        with self._changed:
            return self._output

    @property
    def shown(self):
        """Everything that was shown, without escape sequences."""
        with self._changed:
            return ESCAPES.sub(b"", self._output).decode(errors="replace")

    def wait_for_exit(self):
        """The exit status, once everything that was shown has been read."""
        status = self.process.wait(timeout=TIMEOUT)
        self._reader.join(timeout=TIMEOUT)
        return status

    def close(self):
        """Ends the program, however it stands; a second time does nothing."""
        if self._master is None:
            return
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self._reader.join(timeout=TIMEOUT)
        os.close(self._master)
        self._master = None


def _plain(argument):
    return argument if isinstance(argument, bytes) else str(argument)
