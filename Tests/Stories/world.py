"""Daemons, their private buses and `handoffctl`, for the stories in this directory.

Every process ends with its `with` block, by its process id. The stories wait for events: a line of a log, a change of
the list of nearby activities. Time limits only end a wait that has failed.
"""

import contextlib
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time

TIMEOUT = float(os.environ.get("HANDOFF_TIMEOUT", "60"))
# The number of log lines that are printed when a story fails.
LAST_LINES = 60
PROGRAMS = pathlib.Path(os.environ.get("HANDOFF_PROGRAMS", pathlib.Path(__file__).parents[2] / ".build/debug"))


class Failure(Exception):
    """An expectation of the story was not met."""


class Lines:
    """The lines that a process prints, each of which is read once."""

    def __init__(self, stream, copy=None):
        self._queue = queue.Queue()
        self.seen = []
        thread = threading.Thread(target=self._read, args=(stream, copy), daemon=True)
        thread.start()

    def _read(self, stream, copy):
        for line in stream:
            if copy:
                copy.write(line)
                copy.flush()
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    def skip(self):
        """Marks the lines that were printed so far as read."""
        with contextlib.suppress(queue.Empty):
            while (line := self._queue.get_nowait()) is not None:
                self.seen.append(line)
            self._queue.put(None)

    def wait(self, wanted, what, timeout=TIMEOUT):
        """The first line not yet read for which `wanted` is true."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                line = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise Failure(f"{what}: not within {timeout:.0f} s; the last lines: {self.seen[-3:]}") from None
            if line is None:
                raise Failure(f"{what}: the process ended before; the last lines: {self.seen[-3:]}")
            self.seen.append(line)
            if wanted(line):
                return line

    def waiting(self):
        """The lines that have been printed and not yet read, which are read by this."""
        lines = []
        with contextlib.suppress(queue.Empty):
            while (line := self._queue.get_nowait()) is not None:
                lines.append(line)
            self._queue.put(None)
        self.seen += lines
        return lines


@contextlib.contextmanager
def process(arguments, **options):
    """A process that is ended and reaped when the block ends."""
    child = subprocess.Popen([str(argument) for argument in arguments], **options)
    try:
        yield child
    finally:
        if child.poll() is None:
            child.terminate()
            try:
                child.wait(timeout=10)
            except subprocess.TimeoutExpired:
                child.kill()
        child.wait()


@contextlib.contextmanager
def private_bus(directory=None):
    """A private bus; yields its address. With a directory, it is reached from every network namespace."""
    arguments = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
    if directory:
        arguments.append(f"--address=unix:dir={directory}")
    # dbus-daemon prints a harmless warning if it cannot raise its limit of open files.
    with process(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        address = daemon.stdout.readline().strip()
        if not address:
            raise Failure("dbus-daemon did not start")
        yield address


class Device:
    """One computer of the user: a bus with a daemon that can be stopped and started again."""

    def __init__(self, name, directory, bus, radio, prefix=()):
        self.name = name
        self.bus = bus
        self.log_path = directory / f"{name}.log"
        self.state = directory / f"{name}.state"
        self._radio = radio
        # The words before those of the daemon, of a program that executes it.
        self._prefix = list(prefix)
        self._stack = contextlib.ExitStack()
        self._log = open(self.log_path, "a", encoding="utf-8")
        self.daemon = None
        self.lines = None

    def start(self):
        """Starts the daemon and waits until it owns its name on the bus."""
        arguments = [*self._prefix, PROGRAMS / "handoffd", "--foreground", "--log-level", "debug", "--name", self.name]
        arguments += ["--bus", self.bus, "--state-dir", self.state] + self._radio
        # What it starts finds the bus there, as in a session.
        environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.bus}
        self.daemon = self._stack.enter_context(process(arguments, stderr=subprocess.PIPE, text=True, env=environment))
        self.lines = Lines(self.daemon.stderr, self._log)
        self.wait_log("on the bus")
        return self

    def wait_log(self, text, timeout=TIMEOUT):
        """The next line of the daemon's log that contains `text`."""
        return self.lines.wait(lambda line: text in line, f"\"{text}\" in the log of {self.name}", timeout)

    def crash(self):
        """Kills the daemon, as a power failure would."""
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()

    def command(self, *arguments):
        """The words of a command line of handoffctl that prints JSON."""
        return [str(PROGRAMS / "handoffctl"), *map(str, arguments), "--json", "--bus", self.bus]

    def ctl(self, *arguments):
        """The JSON that handoffctl prints."""
        result = subprocess.run(
            self.command(*arguments), capture_output=True, text=True, timeout=TIMEOUT, check=False
        )
        if result.returncode:
            raise Failure(f"{self.name}: handoffctl {' '.join(map(str, arguments))}: {result.stderr.strip()}")
        return json.loads(result.stdout)

    @contextlib.contextmanager
    def publishing(self, *arguments):
        """An activity that is current while the block runs."""
        with process(self.command("publish", *arguments), stdout=subprocess.PIPE, text=True) as publisher:
            Lines(publisher.stdout).wait(lambda line: "activity" in line, f"activity of {self.name}")
            yield publisher
            publisher.send_signal(signal.SIGINT)
            publisher.wait(timeout=TIMEOUT)

    @contextlib.contextmanager
    def watching(self):
        """The list of nearby activities; the daemon scans continuously while the block runs."""
        with process(self.command("nearby", "--watch"), stdout=subprocess.PIPE, text=True) as watcher:
            yield Table(Lines(watcher.stdout), self.name)

    def close(self):
        self._stack.close()
        self._log.close()


class Table:
    """The list of nearby activities, updated from `handoffctl nearby --watch`."""

    def __init__(self, lines, name):
        self._lines = lines
        self._name = name
        self.entries = []

    def wait(self, wanted, what, timeout=TIMEOUT):
        """The first list for which `wanted` is true, from the current one on."""
        if wanted(self.entries):
            return self.entries

        def take(line):
            self._take(line)
            return wanted(self.entries)

        self._lines.wait(take, f"{what} on {self._name}", timeout)
        return self.entries

    def refresh(self):
        """The newest list that has been printed."""
        for line in self._lines.waiting():
            self._take(line)
        return self.entries

    def _take(self, line):
        shown = json.loads(line)
        # An object tells that the daemon has stopped or runs again; a list follows.
        self.entries = shown if isinstance(shown, list) else self.entries

    def wait_for_type(self, activity_hash, timeout=TIMEOUT):
        """The first list that has an activity with this type hash."""
        return self.wait(
            lambda entries: any(e["typeHash"] == activity_hash for e in entries), f"an entry {activity_hash}", timeout
        )

    def wait_for_only(self, activity_hash, timeout=TIMEOUT):
        """The first list whose only activity has this type hash."""
        return self.wait(
            lambda entries: [e["typeHash"] for e in entries] == [activity_hash], f"only {activity_hash}", timeout
        )

    def wait_empty(self, timeout=TIMEOUT):
        """The first list that is empty."""
        return self.wait(lambda entries: not entries, "an empty list", timeout)


@contextlib.contextmanager
def device(name, directory, radio, prefix=(), bus_directory=None):
    """A running device; if the story fails, the end of its log is printed, since the log may be removed afterwards."""
    with private_bus(bus_directory) as bus:
        made = Device(name, pathlib.Path(directory), bus, radio, prefix)
        try:
            yield made.start()
        except BaseException:
            made.close()
            print_log(made)
            raise
        finally:
            made.close()


def print_log(failed):
    """Prints the end of the log of a device."""
    print_ends(failed.name, failed.log_path, count=LAST_LINES)


def print_ends(name, *paths, count=40):
    """Prints the last lines of log files, which may have bytes that are no text."""
    for path in paths:
        lines = pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()[-count:]
        print(*(f"  {name}: {line[:300]}" for line in lines), sep="\n", flush=True)


class Steps:
    """Prints each step of a story, and the time that it took."""

    def __init__(self):
        self._start = time.monotonic()
        self.times = {}

    @contextlib.contextmanager
    def step(self, text):
        begin = time.monotonic()
        print(f"  … {text}", flush=True)
        yield
        took = time.monotonic() - begin
        self.times[text] = took
        print(f"  ✓ {text}: {took * 1000:.0f} ms", flush=True)


def type_hash(activity_type):
    """The hash in an advertisement of a type without a team: eight hexadecimal digits, the first of its SHA-256."""
    import hashlib

    return hashlib.sha256(activity_type.encode()).hexdigest()[:8]


def trust_each_other(one, other):
    """Makes each device trust the other's card."""
    one.ctl("devices", "trust", other.ctl("devices", "card")["card"])
    other.ctl("devices", "trust", one.ctl("devices", "card")["card"])


def wake_ups(pid):
    """The number of voluntary context switches of each thread of a process so far."""
    return {
        status.parent.name: int(line.split()[1])
        for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status")
        for line in status.read_text().splitlines()
        if line.startswith("voluntary_ctxt_switches")
    }


def woken_since(before, pid):
    """The number of wake-ups since `before` of the threads that still run."""
    return sum(count - before.get(thread, 0) for thread, count in wake_ups(pid).items())


def run_story(story):
    """Runs a story. If it fails, prints the reason and ends the program with 1."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        story()
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr, flush=True)
        sys.exit(1)


def check(found, expected):
    """Fails unless both are equal."""
    if found != expected:
        raise Failure(f"{found!r} instead of {expected!r}")


@contextlib.contextmanager
def app_environment(directory):
    """Programs that are started in the block find their apps in `share` and their programs first in `bin`."""
    before = dict(os.environ)
    os.environ.update(
        XDG_DATA_HOME=str(directory / "share"), XDG_DATA_DIRS="/nowhere",
        PATH=f"{directory / 'bin'}:{before.get('PATH', '/usr/bin:/bin')}",
    )
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def rig(command, answer=False, timeout=180, **environment):
    """Runs functions of the rig's library for at most `timeout` seconds; returns their output if `answer` is set."""
    script = f'source "$RIG_DIRECTORY/guest-library"; {command}'
    result = subprocess.run(
        ["bash", "-c", script], check=True, timeout=timeout, text=True, env={**os.environ, **environment},
        stdout=subprocess.PIPE if answer else None,
    )
    return result.stdout.strip() if answer else None


def simulated(directory):
    """The radios of two devices on one simulated air."""
    (directory / "air").mkdir()
    return 2 * (["--radio", f"simulated:{directory / 'air'}"],)


def run_story_on_radios(story, usage):
    """Runs a story on a simulated air, or over the two adapters of the command line; returns these adapters."""
    adapters = sys.argv[1:]
    if len(adapters) not in (0, 2):
        sys.exit(usage)
    run_story(lambda: story((lambda _: [["--adapter", name] for name in adapters]) if adapters else simulated))
    return adapters
