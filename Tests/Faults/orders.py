"""What the shim in a daemon is ordered to do, the daemon's log, and actions while the shim has stopped the daemon."""

import contextlib
import mmap
import os
import signal
import struct
import threading

from world import TIMEOUT, Failure

# The modes of the shim, and the kinds of calls (shim.c).
FAIL_ONCE, FAIL_FROM, KILL_BEFORE, KILL_AFTER, PAUSE, TELL_CLOSED = 1, 2, 3, 4, 5, 6
OPEN_TO_READ, OPEN_TO_WRITE, WRITE, MODE, SYNC, RENAME, DESCRIPTOR, TRAFFIC = 1, 2, 4, 8, 16, 32, 64, 128
CHANGES = OPEN_TO_WRITE | WRITE | MODE | SYNC | RENAME


class Orders:
    """The shim's orders for one daemon, in a file that both map."""

    SIZE = 32

    def __init__(self, path):
        self.path = path
        self._kills = False
        path.write_bytes(bytes(self.SIZE))
        with open(path, "r+b") as file:
            self._map = mmap.mmap(file.fileno(), self.SIZE)

    def give(self, mode, kinds, countdown, error):
        """From now on, the `countdown`th call of these kinds gets the fault."""
        self._kills = mode in (KILL_BEFORE, KILL_AFTER)
        self._map[4:24] = struct.pack("5i", kinds, countdown, error, 0, 0)
        self._map[0:4] = struct.pack("i", mode)

    def set_clock(self, seconds):
        """From now on, the daemon's wall clock is ahead by so many seconds."""
        self._map[24:32] = struct.pack("q", seconds)

    def disarm(self):
        """From now on, no call gets a fault."""
        self._map[0:4] = bytes(4)

    def take_back(self):
        """Ends all faults; returns how many calls had one, and whether one of them has killed the daemon."""
        self.disarm()
        hits, has_killed = self.hits, self._kills and self.hits > 0
        self._map[20:24], self._kills = bytes(4), False
        return hits, has_killed

    @property
    def hits(self):
        """How many calls had a fault since the orders were given."""
        return struct.unpack("i", self._map[20:24])[0]


class Log:
    """The lines of all runs of a daemon, for which a caller can wait."""

    def __init__(self, path):
        self.path = path
        self._file = open(path, "a", encoding="utf-8")
        self._changed = threading.Condition()
        self._lines = []
        self._is_running = False

    def read(self, stream):
        """Collects the lines of a run until its end, on a thread of its own."""
        self._is_running = True
        thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        thread.start()
        return thread

    def _read(self, stream):
        for line in stream:
            with self._changed:
                self._lines.append(line.rstrip("\n"))
                self._file.write(line)
                self._changed.notify_all()
        with self._changed:
            self._is_running = False
            self._changed.notify_all()

    @property
    def count(self):
        with self._changed:
            return len(self._lines)

    def since(self, start):
        with self._changed:
            return self._lines[start:]

    def wait(self, text, start, timeout=TIMEOUT, is_over=lambda: False):
        """Waits until a line from `start` on contains `text`; returns false if the run ends before, or it `is_over`."""
        def found():
            return any(text in line for line in self._lines[start:])

        with self._changed:
            if not self._changed.wait_for(lambda: found() or not self._is_running or is_over(), timeout):
                raise Failure(f"\"{text}\" is not in {self.path.name} within {timeout:.0f} s")
            return found()

    def wake(self):
        """Makes those who wait look again whether it is over."""
        with self._changed:
            self._changed.notify_all()

    def last(self, count=40):
        with self._changed:
            return self._lines[-count:]


class Pause:
    """Waits until the shim has stopped a daemon, then acts and lets it go on."""

    def __init__(self, orders, log, daemon, action):
        self._orders, self._log, self._daemon, self._action = orders, log, daemon, action
        self._start = log.count
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        if self._log.wait("faults: stopped", self._start, None, lambda: self._is_over.is_set() and not self._orders.hits):
            if self._has_stopped():
                self._action()
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._daemon.pid, signal.SIGCONT)

    def _has_stopped(self):
        """Waits until the daemon has stopped, which it says just before; returns false if it has ended."""
        try:
            change = os.waitid(os.P_PID, self._daemon.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            return False
        return change.si_code == os.CLD_STOPPED

    def end(self):
        """Forgets the action unless it has begun; in the latter case waits for its end."""
        self._is_over.set()
        self._log.wake()
        self._thread.join()
