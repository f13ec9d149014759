#!/usr/bin/env python3
"""Measures an idle daemon and handoff-desktop beside it: resident memory, and how often their threads wake up.

resting.py [SECONDS]      each state is measured for SECONDS, 30 by default

HANDOFF_PROGRAMS is the directory of the programs to measure; the default is the debug build. A wake-up is a voluntary
context switch of any thread. A program that only sleeps is measured too, to show what the machine itself adds.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Stories"))

import budget
from world import PROGRAMS, device, process, run_story, trust_each_other, wake_ups, woken_since


def memory(pid):
    """The resident memory in MiB: in total, and the private part."""
    fields = dict(
        line.split(":", 1) for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines() if ":" in line
    )
    return tuple(int(fields[name].split()[0]) / 1024 for name in ("VmRSS", "RssAnon"))


def rest(state, daemon, sleeper, seconds, megabytes=None, most=None):
    """Measures a process and the sleeping one, and prints a line, with the budgets of the state if it has some."""
    before = wake_ups(daemon.pid), wake_ups(sleeper.pid)
    # A fixed time, since wake-ups per second are measured.
    time.sleep(seconds)
    woken, idle = woken_since(before[0], daemon.pid), woken_since(before[1], sleeper.pid)
    resident, own = memory(daemon.pid)
    verdicts = [budget.at_most(resident * 1.048576, megabytes, "MB resident")] if megabytes else []
    if most is not None:
        verdicts.append(budget.at_most(woken / seconds, most, "wake-ups/s"))
    print(
        f"{state:<42} {resident:6.1f} MiB {own:6.1f} MiB {woken / seconds:9.2f}/s {idle / seconds:6.2f}/s",
        *verdicts, sep="   ", flush=True,
    )


# How long a program needs at most after its start until it has read what is there, and its first timers have passed, in
# seconds.
SETTLING = 20


def story(seconds):
    """Measures a daemon without trusted devices, with one, and with an activity."""
    with tempfile.TemporaryDirectory(prefix="handoff-resting-") as directory, process(["sleep", "3600"]) as sleeper:
        air = pathlib.Path(directory) / "air"
        air.mkdir()
        radio = ["--radio", f"simulated:{air}"]
        print(f"{'':<42} {'resident':>10} {'private':>10} {'wake-ups':>11} {'sleep':>8}")
        with device("laptop", directory, radio) as laptop, device("desktop", directory, radio) as desktop:
            time.sleep(SETTLING)
            rest("no device is trusted", desktop.daemon, sleeper, seconds, megabytes=15, most=0)
            trust_each_other(laptop, desktop)
            rest("one device is trusted, nothing to continue", desktop.daemon, sleeper, seconds, megabytes=15)
            with process([PROGRAMS / "handoff-desktop", "--bus", desktop.bus]) as panel:
                # It takes its name once it has read the daemon.
                name = "org.handoffd.Desktop1"
                subprocess.run(["gdbus", "wait", "--address", desktop.bus, "--timeout", "30", name], check=True)
                time.sleep(SETTLING)
                rest("handoff-desktop, nothing to continue", panel, sleeper, seconds, megabytes=12, most=0)
            with laptop.publishing("--type", "org.example.notes.editing"):
                with desktop.watching() as nearby:
                    nearby.wait(lambda entries: entries, "the laptop's activity")
                rest("an activity is nearby", desktop.daemon, sleeper, seconds)
                rest("the activity's origin", laptop.daemon, sleeper, seconds)


if __name__ == "__main__":
    run_story(lambda: story(float(sys.argv[1]) if len(sys.argv) > 1 else 30.0))
