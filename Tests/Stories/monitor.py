"""What happens at a daemon, line by line, as `handoffctl monitor` prints it."""

import contextlib
import os
import subprocess

from world import PROGRAMS, TIMEOUT, Failure, Lines, process


@contextlib.contextmanager
def monitoring(*buses):
    """The JSON lines of everything that happens from now on at the daemons of these buses, of each at one."""
    reading, writing = os.pipe()
    with contextlib.ExitStack() as stack:
        command = [PROGRAMS / "handoffctl", "monitor", "--json", "--bus"]
        monitors = [stack.enter_context(process([*command, bus], stdout=writing)) for bus in buses]
        os.close(writing)
        lines = Lines(os.fdopen(reading, encoding="utf-8"))
        for bus, monitor in zip(buses, monitors):
            _wait_until_printing(bus, monitor, lines)
        yield lines


def _wait_until_printing(bus, monitor, lines):
    """Waits until a monitor prints what happens.

    It prints nothing when it begins, so that an activity comes and goes, which nobody else sees: another one, if that
    was before it has begun.
    """
    command = ["gdbus", "call", "--address", bus, "--dest", "org.handoffd.Handoff1", "--object-path", "/org/handoffd/Handoff1"]
    command += ["--method", "org.handoffd.Manager1.CreateActivity", "org.example.probe", "{}", "{}"]
    while monitor.poll() is None:
        probe = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=TIMEOUT)
        removal = '"event":"removed"', f'"{probe.stdout.split(chr(39))[1]}"'
        with contextlib.suppress(Failure):
            lines.wait(lambda line: all(part in line for part in removal), "the end of an activity", timeout=1)
            return
    raise Failure(f"handoffctl monitor has ended with {monitor.returncode}")
