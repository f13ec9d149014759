"""A device whose daemon gets faults: a private bus, and a handoffd with the shim."""

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess

from orders import PAUSE, TELL_CLOSED, Log, Orders, Pause
from world import PROGRAMS, TIMEOUT, Failure, process

# What no log may contain: the words of Swift's runtime for a crash.
CRASH = re.compile(r"Fatal error|Crashed|SIGILL|SIGTRAP|SIGSEGV|SIGABRT|Precondition failed|Assertion failed")
# The signals that only a defect sends.
# The steps of a clock that the daemon tells of, in seconds (ClockSteps.swift).
NOTICED_STEP = 60
CRASH_SIGNALS = {signal.SIGILL, signal.SIGTRAP, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE}


class Machine:
    """One computer: a bus, and a daemon that can be killed and started again."""

    def __init__(self, name, directory, stack, shim):
        self.name = name
        self.directory = directory / name
        self.directory.mkdir()
        self.state = self.directory / "state"
        self.state.mkdir(mode=0o700)
        self.orders = Orders(self.directory / "orders")
        self.log = Log(self.directory / "log")
        # The number of log lines when the bus was lost; None after the daemon is on the next one.
        self._bus_lost = None
        # Called with each new bus.
        self.on_bus = lambda: None
        # What has cut off the daemon from its programs since `take_cut`: `kill`, `bus` or None.
        self._cut = None
        self.daemon = None
        # By how many seconds its clock is ahead.
        self._ahead = 0
        self._reader = None
        self._run_start = 0
        self._pause = None
        self._must_end = False
        self._stack = stack
        self._radio = f"simulated:{directory / 'air'}"
        self.environment = {
            **os.environ, "LD_PRELOAD": str(shim), "HANDOFF_FAULTS": str(self.orders.path),
            "HANDOFF_FAULTS_DIRECTORY": str(self.state), "HOME": str(self.directory),
            "XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": str(self.directory), "STATE_DIRECTORY": "",
            "XDG_DATA_HOME": str(self.directory / "share"), "XDG_DATA_DIRS": "/nowhere",
            "DBUS_SESSION_BUS_ADDRESS": "", "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nowhere",
            "SWIFT_BACKTRACE": "enable=no",
        }
        self.bus_process = None
        self.bus = f"unix:path={self.directory / 'bus'}"
        self.start_bus()

    def start_bus(self):
        """Starts the bus, at the same address as before."""
        with contextlib.suppress(FileNotFoundError):
            (self.directory / "bus").unlink()
        configuration = self.directory / "bus.conf"
        configuration.write_text(BUS.format(path=self.directory / "bus"), encoding="utf-8")
        arguments = ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--nopidfile", "--print-address=1"]
        self.bus_process = self._stack.enter_context(
            process(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        )
        if not self.bus_process.stdout.readline():
            raise Failure("dbus-daemon did not start")
        self.on_bus()

    def kill_bus(self):
        self.bus_process.kill()
        self.bus_process.wait()

    def restart_bus(self):
        """Takes the bus from all programs, and starts another one at its address."""
        self._bus_lost = self.log.count
        self._cut = "bus"
        self.kill_bus()
        self.start_bus()

    def lose_bus(self):
        """Takes the bus from all programs, starts another one, and waits until the daemon has noticed the loss."""
        begin = self.log.count
        self.restart_bus()
        self.log.wait("event=bus.lost", begin)

    def wait_for_bus(self):
        """Waits until the daemon is on the bus again, if it was lost."""
        begin, self._bus_lost = self._bus_lost, None
        if begin is not None:
            self.log.wait("event=bus.ready", begin)

    @property
    def is_running(self):
        return self.daemon is not None and self.daemon.poll() is None

    def begin(self):
        """Starts the daemon."""
        if self.is_running:
            raise Failure(f"the daemon of {self.name} is running already")
        self._run_start = self.log.count
        self._must_end = False
        command = [
            PROGRAMS / "handoffd", "--foreground", "--log-level", "debug", "--name", self.name, "--bus", self.bus,
            "--state-dir", self.state, "--radio", self._radio,
        ]
        self.daemon = self._stack.enter_context(
            process(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, env=self.environment)
        )
        self._reader = self.log.read(self.daemon.stderr)

    def is_up(self):
        """Waits until the daemon serves its bus; returns false if it has ended before."""
        return self.log.wait("event=bus.ready", self._run_start)

    def start(self):
        """Starts the daemon and waits until it serves its bus."""
        self.begin()
        if not self.is_up():
            raise Failure(f"the daemon of {self.name} does not start, with status {self.daemon.returncode}")
        self.log.wait("event=radio.ready", self._run_start)

    def is_ending(self):
        """Whether the daemon has ended, or was told to; waits for its end in this case."""
        if self._must_end:
            self.reap()
        return not self.is_running

    def ensure(self):
        """Starts the daemon if it is not running; returns whether it was not."""
        if self.is_running:
            return False
        self.reap()
        self.start()
        return True

    def reap(self):
        """Waits for the end of the daemon, and returns its status."""
        status = self.daemon.wait(timeout=TIMEOUT)
        self._reader.join(timeout=TIMEOUT)
        if status == -signal.SIGKILL:
            self._cut = "kill"
        if -status in CRASH_SIGNALS:
            raise Failure(f"the daemon of {self.name} has crashed with {signal.Signals(-status).name}")
        return status

    def take_cut(self):
        """What has cut off the daemon from its programs since the last call: `kill`, `bus`, or None for nothing."""
        cut, self._cut = self._cut, None
        return cut

    def announcements(self):
        """How many apps the next run of the daemon will tell that their activity does not come; None before the first one."""
        try:
            journal = (self.state / "continuations").read_text(encoding="utf-8")
        except FileNotFoundError:
            return None
        # The first line is the file's own (handoffd's StateFile).
        return len(json.loads(journal.split("\n", 1)[1]))

    def kill(self):
        """Kills the daemon, as a power failure would."""
        self._must_end = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.daemon.pid, signal.SIGKILL)

    def pause_and(self, action, kinds, countdown):
        """Stops the daemon right before the `countdown`th call of these kinds, calls `action`, and lets it go on."""
        self.orders.give(PAUSE, kinds, countdown, 0)
        self._pause = Pause(self.orders, self.log, self.daemon, action)

    def end_faults(self):
        """Ends all faults; returns whether there was one."""
        pause, self._pause = self._pause, None
        self.orders.disarm()
        if pause:
            pause.end()
        hits, has_killed = self.orders.take_back()
        self._must_end = self._must_end or has_killed
        return bool(hits)

    def interrupt(self):
        """Sends the daemon SIGTERM."""
        self._must_end = True
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.daemon.pid, signal.SIGTERM)

    def stop(self):
        """Stops the daemon in an orderly way, which must work."""
        self.daemon.send_signal(signal.SIGTERM)
        status = self.reap()
        if status != 0:
            raise Failure(f"the daemon of {self.name} has ended with status {status} after SIGTERM")

    def command(self, *arguments):
        return [str(PROGRAMS / "handoffctl"), *map(str, arguments), "--bus", self.bus]

    def run(self, *arguments, timeout=TIMEOUT):
        """The status and the outputs of handoffctl."""
        try:
            return subprocess.run(
                self.command(*arguments), capture_output=True, text=True, timeout=timeout, check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise Failure(f"handoffctl {' '.join(map(str, arguments))} on {self.name}: no end within {timeout} s") from None

    def json(self, *arguments):
        """What handoffctl prints, which must succeed."""
        result = self.run("--json", *arguments)
        if result.returncode:
            raise Failure(f"handoffctl {' '.join(map(str, arguments))} on {self.name}: {result.stderr.strip()}")
        return json.loads(result.stdout)

    def trust(self, other):
        self.json("devices", "trust", other.json("devices", "card")["card"])

    def set_clock(self, seconds):
        """Sets the wall clock ahead of the right time, and waits until the daemon has noticed that, if it runs."""
        begin, is_noticed = self.log.count, self.is_running and abs(seconds - self._ahead) >= NOTICED_STEP
        self._ahead = seconds
        self.orders.set_clock(seconds)
        if is_noticed:
            # It looks at the clock with the next event.
            self.json("nearby")
            self.log.wait("event=clock.set", begin)

    def copy_state(self, name):
        """Copies the state directory, as a backup would; returns the copy."""
        copy = self.directory / f"copy-{name}"
        shutil.copytree(self.state, copy)
        return copy

    def restore(self, copy):
        """Kills the daemon, puts a copy in the place of its state, and starts it again."""
        self.kill()
        self.reap()
        shutil.rmtree(self.state)
        shutil.copytree(copy, self.state)
        self.start()

    def limit_descriptors(self, count):
        """Limits the daemon to so many descriptors; None for what this process may have."""
        own = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(self.daemon.pid, resource.RLIMIT_NOFILE, own if count is None else (count, own[1]))

    def descriptors(self):
        """How many descriptors the daemon has; the shim keeps it from hiding them."""
        return len(os.listdir(f"/proc/{self.daemon.pid}/fd"))

    def wait_for_descriptors(self, most):
        """Waits until the daemon has at most so many descriptors: what it has used last is closed soon."""
        self.orders.give(TELL_CLOSED, 0, 0, 0)
        begin = self.log.count
        while (count := self.descriptors()) > most:
            try:
                self.log.wait("faults: closed", begin, 20)
            except Failure:
                raise Failure(f"{self.name} still has {count} descriptors, and not {most}") from None
            begin = self.log.count
        self.orders.disarm()

    def memory(self):
        """The resident memory in KiB."""
        status = pathlib.Path(f"/proc/{self.daemon.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"VmRSS:\s*(\d+)", status).group(1))

    def check_log(self):
        """Fails if the daemon has crashed."""
        for line in self.log.since(0):
            if CRASH.search(line):
                raise Failure(f"the log of {self.name} has: {line}")


BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
