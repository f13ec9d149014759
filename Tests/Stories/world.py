"""Daemons, their private buses and `handoffctl`, for the stories told in this directory.

Everything started here ends with its `with` block, by the process id that was started. Waiting is for events: a line of
a log, a change of the table of nearby activities. Time limits only end a wait that has failed.
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
# Of a log, when a story fails.
LAST_LINES = 60
PROGRAMS = pathlib.Path(os.environ.get("HANDOFF_PROGRAMS", pathlib.Path(__file__).parents[2] / ".build/debug"))


class Failure(Exception):
    """Something that the story promised did not happen."""


class Lines:
    """The lines that a process writes, as they come, each read once."""

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

    def wait(self, wanted, what, timeout=TIMEOUT):
        """The first line not yet read for which `wanted` is true."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                line = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                raise Failure(f"waited {timeout:.0f} s in vain for {what}; last seen: {self.seen[-3:]}") from None
            if line is None:
                raise Failure(f"the process ended before {what}; last seen: {self.seen[-3:]}")
            self.seen.append(line)
            if wanted(line):
                return line


@contextlib.contextmanager
def process(arguments, **options):
    """A process that is gone, and reaped, when the block ends."""
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
def private_bus():
    """A bus of its own; yields the address."""
    arguments = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--print-address=1"]
    # Without a limit on descriptors to raise, dbus-daemon complains and goes on; nobody needs to read that.
    with process(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        address = daemon.stdout.readline().strip()
        if not address:
            raise Failure("dbus-daemon did not start")
        yield address


class Device:
    """One computer of the user: a bus, and a daemon on it that can be stopped and started again."""

    def __init__(self, name, directory, bus, radio):
        self.name = name
        self.bus = bus
        self.log_path = directory / f"{name}.log"
        self.state = directory / f"{name}.state"
        self._radio = radio
        self._stack = contextlib.ExitStack()
        self._log = open(self.log_path, "a", encoding="utf-8")
        self.daemon = None
        self.lines = None

    def start(self):
        """Starts the daemon and waits until it is on its bus."""
        arguments = [PROGRAMS / "handoffd", "--foreground", "--log-level", "debug", "--name", self.name]
        arguments += ["--bus", self.bus, "--state-dir", self.state] + self._radio
        self.daemon = self._stack.enter_context(process(arguments, stderr=subprocess.PIPE, text=True))
        self.lines = Lines(self.daemon.stderr, self._log)
        self.wait_log("on the bus")
        return self

    def wait_log(self, text, timeout=TIMEOUT):
        """The next line of the daemon's log that contains `text`."""
        return self.lines.wait(lambda line: text in line, f"\"{text}\" in the log of {self.name}", timeout)

    def crash(self):
        """Ends the daemon as a power cut would."""
        self.daemon.send_signal(signal.SIGKILL)
        self.daemon.wait()

    def ctl(self, *arguments):
        """What `handoffctl --json` prints."""
        result = subprocess.run(
            [str(PROGRAMS / "handoffctl"), *map(str, arguments), "--json", "--bus", self.bus],
            capture_output=True, text=True, timeout=TIMEOUT, check=False,
        )
        if result.returncode:
            raise Failure(f"{self.name}: handoffctl {' '.join(map(str, arguments))}: {result.stderr.strip()}")
        return json.loads(result.stdout)

    @contextlib.contextmanager
    def publishing(self, *arguments):
        """An activity that is current while the block runs."""
        command = [PROGRAMS / "handoffctl", "publish", "--json", "--bus", self.bus, *arguments]
        with process(command, stdout=subprocess.PIPE, text=True) as publisher:
            Lines(publisher.stdout).wait(lambda line: "activity" in line, f"{self.name} to publish")
            yield publisher
            publisher.send_signal(signal.SIGINT)
            publisher.wait(timeout=TIMEOUT)

    @contextlib.contextmanager
    def watching(self):
        """What is nearby, as it changes; the scanner works at full duty meanwhile."""
        command = [PROGRAMS / "handoffctl", "nearby", "--watch", "--json", "--bus", self.bus]
        with process(command, stdout=subprocess.PIPE, text=True) as watcher:
            yield Table(Lines(watcher.stdout), self.name)

    def close(self):
        self._stack.close()
        self._log.close()


class Table:
    """The table of nearby activities, as `handoffctl nearby --watch` follows it."""

    def __init__(self, lines, name):
        self._lines = lines
        self._name = name
        self.entries = []

    def wait(self, wanted, what, timeout=TIMEOUT):
        """The first table for which `wanted` is true, the present one included."""
        if wanted(self.entries):
            return self.entries

        def take(line):
            self.entries = json.loads(line)
            return wanted(self.entries)

        self._lines.wait(take, f"{self._name} to see {what}", timeout)
        return self.entries

    def wait_for_type(self, activity_hash, timeout=TIMEOUT):
        """The first table with an activity of that hash."""
        return self.wait(lambda entries: any(e["typeHash"] == activity_hash for e in entries), activity_hash, timeout)

    def wait_empty(self, timeout=TIMEOUT):
        """The first table with nothing in it."""
        return self.wait(lambda entries: not entries, "nothing nearby", timeout)


@contextlib.contextmanager
def device(name, directory, radio):
    """A running device; what it has logged last is printed when the story fails, for the log goes with its directory."""
    with private_bus() as bus:
        made = Device(name, pathlib.Path(directory), bus, radio)
        try:
            yield made.start()
        except BaseException:
            made.close()
            lines = made.log_path.read_text(encoding="utf-8", errors="replace").splitlines()[-LAST_LINES:]
            print(*(f"  {name}: {line}" for line in lines), sep="\n", flush=True)
            raise
        finally:
            made.close()


class Steps:
    """Prints each step of a story and how long it took."""

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
    """The ten digits by which an activity type goes over the air: the first five bytes of its SHA-256."""
    import hashlib

    return hashlib.sha256(activity_type.encode()).hexdigest()[:10]


def trust_each_other(one, other):
    """Gives each device the other's card."""
    one.ctl("devices", "trust", other.ctl("devices", "card")["card"])
    other.ctl("devices", "trust", one.ctl("devices", "card")["card"])


def run_story(story):
    """Runs a story; ends the program with 0, or with 1 and the reason."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        story()
    except Failure as failure:
        print(f"FAILED: {failure}", file=sys.stderr, flush=True)
        sys.exit(1)


def simulated(directory):
    """The radios of two devices on one simulated air."""
    (directory / "air").mkdir()
    return 2 * (["--radio", f"simulated:{directory / 'air'}"],)


def run_story_on_radios(story, usage):
    """Tells a story on a simulated air, or over the two adapters that the command line names; returns these."""
    adapters = sys.argv[1:]
    if len(adapters) not in (0, 2):
        sys.exit(usage)
    run_story(lambda: story((lambda _: [["--adapter", name] for name in adapters]) if adapters else simulated))
    return adapters
