#!/usr/bin/env python3
"""Measures an idle daemon and handoff-desktop beside it: memory, and how often their threads wake up.

Most states have the simulated radio. The last one has a bluetoothd without a kernel (Tests/Support/fake-bluetoothd), which
answers at once: each window of scanning is a conversation with it, whose wake-ups are counted.

resting.py [SECONDS]      each state is measured for SECONDS, 30 by default

HANDOFF_PROGRAMS is the directory of the programs to measure; the default is the debug build. A wake-up is a voluntary
context switch of any thread. A program that only sleeps is measured too, to show what the machine itself adds. Private
memory is what the session would not need without the program; the proportional set size (PSS) adds to it the share of the
pages of files that others use too. Of a daemon, which protects its memory, only root can read the PSS.
"""

import contextlib
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Stories"))

import budget
from world import Lines, PROGRAMS, device, private_bus, process, run_story, trust_each_other, wake_ups, woken_since


def memory(pid):
    """The private memory and the proportional set size in MiB; None for the latter where it may not be read."""
    private = field(pid, "status", "RssAnon")
    with contextlib.suppress(PermissionError):
        return private, field(pid, "smaps_rollup", "Pss")
    return private, None


def field(pid, file, name):
    """A size that the kernel tells of a process, in MiB (proc(5))."""
    text = pathlib.Path(f"/proc/{pid}/{file}").read_text(encoding="ascii")
    return next(int(line.split()[1]) / 1024 for line in text.splitlines() if line.startswith(f"{name}:"))


def rest(state, daemon, sleeper, seconds, mebibytes=None, most=None):
    """Measures a process and the sleeping one, and prints a line, with the budgets of the state if it has some."""
    before = wake_ups(daemon.pid), wake_ups(sleeper.pid)
    # A fixed time, since wake-ups per second are measured.
    time.sleep(seconds)
    woken, idle = woken_since(before[0], daemon.pid), woken_since(before[1], sleeper.pid)
    private, proportional = memory(daemon.pid)
    verdicts = [budget.at_most(private, mebibytes, "MiB private")] if mebibytes else []
    if most is not None:
        verdicts.append(budget.at_most(woken / seconds, most, "wake-ups/s"))
    print(
        f"{state:<42} {private:6.1f} MiB "
        f"{'for root' if proportional is None else f'{proportional:6.1f} MiB'} {woken / seconds:9.2f}/s {idle / seconds:6.2f}/s",
        *verdicts, sep="   ", flush=True,
    )


# By ScanPolicy, the seconds from one window of scanning to the next when the circle was heard in the last two minutes, and
# when nobody was heard for ten minutes.
PERIOD, LONGEST_PERIOD = 4, 90


@contextlib.contextmanager
def fake_bluetoothd():
    """A bus with a bluetoothd that has one adapter, on which nobody is heard; yields its address."""
    with private_bus() as bus, process([PROGRAMS / "fake-bluetoothd", bus], stdout=subprocess.PIPE, text=True) as fake:
        Lines(fake.stdout).wait(lambda line: line == "ready", "a fake bluetoothd")
        yield bus


def windows(directory, seconds):
    """Measures a daemon that has just heard its circle, and from that what one takes that heard nobody for long."""
    with contextlib.ExitStack() as stack:
        bus = stack.enter_context(fake_bluetoothd())
        laptop = stack.enter_context(device("other", directory, ["--radio", f"simulated:{directory}/air"]))
        environment = ["env", f"DBUS_SYSTEM_BUS_ADDRESS={bus}"]
        desktop = stack.enter_context(device("scanner", directory, ["--radio", "bluez"], environment))
        trust_each_other(laptop, desktop)
        time.sleep(SETTLING)
        count = max(1, round(seconds / PERIOD))
        before = wake_ups(desktop.daemon.pid)
        # The time of whole periods, since wake-ups per window are measured.
        time.sleep(count * PERIOD)
        each = woken_since(before, desktop.daemon.pid) / count
        verdict = budget.at_most(each / LONGEST_PERIOD, 0.2, "wake-ups/s when nobody was heard for ten minutes")
        print(f"{'bluetoothd, one window of scanning':<42} {each:34.1f}        ", verdict, sep="   ", flush=True)


# How long a program needs at most after its start until it has read what is there, and its first timers have passed, in
# seconds.
SETTLING = 20
# How long after a device was heard last the daemon is at rest, in seconds: by ScanPolicy it scans less after two minutes.
QUIET = 140


def story(seconds):
    """Measures a daemon without trusted devices, with one, and with an activity."""
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="handoff-resting-"))
        sleeper = stack.enter_context(process(["sleep", "3600"]))
        # An empty system bus, as one without logind: where there is none, daemons look for it now and then.
        system = ["env", f"DBUS_SYSTEM_BUS_ADDRESS={stack.enter_context(private_bus())}"]
        air = pathlib.Path(directory) / "air"
        air.mkdir()
        radio = ["--radio", f"simulated:{air}"]
        print(f"{'':<42} {'private':>10} {'PSS':>10} {'wake-ups':>11} {'sleep':>8}")
        with device("laptop", directory, radio, system) as laptop, device("desktop", directory, radio, system) as desktop:
            time.sleep(SETTLING)
            rest("no device is trusted", desktop.daemon, sleeper, seconds, mebibytes=2.5, most=0)
            trust_each_other(laptop, desktop)
            time.sleep(QUIET)
            rest("one device is trusted, nothing to continue", desktop.daemon, sleeper, seconds, mebibytes=2.5)
            with process([PROGRAMS / "handoff-desktop", "--bus", desktop.bus]) as panel:
                # It takes its name once it has read the daemon.
                name = "org.handoffd.Desktop1"
                subprocess.run(["gdbus", "wait", "--address", desktop.bus, "--timeout", "30", name], check=True)
                time.sleep(SETTLING)
                rest("handoff-desktop, nothing to continue", panel, sleeper, seconds, mebibytes=1.5, most=0)
            with laptop.publishing("--type", "org.example.notes.editing"):
                with desktop.watching() as nearby:
                    nearby.wait(lambda entries: entries, "the laptop's activity")
                rest("an activity is nearby", desktop.daemon, sleeper, seconds)
                rest("the activity's origin", laptop.daemon, sleeper, seconds)
        windows(directory, seconds)


if __name__ == "__main__":
    run_story(lambda: story(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0))
