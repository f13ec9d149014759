#!/usr/bin/env python3
"""Measures the time from the user's request to the payload between two machines, with many continuations.

Runs in both guests of the rig, like two_guests.py. Guest B scans continuously, continues the same activity many times
and prints the times. Whole runs of `handoffctl continue` are measured, and of `handoffctl status`, which needs no
radio; the difference is the time of the continuation. bluetoothd should run with `-E`, so that the advertising interval
is the one that handoffd requests; without it, the kernel's 1.28 s apply. Before each continuation, the desktop receives
an advertisement of the laptop: until then, bluetoothd is still ending the last link, which takes 2 s (DISCONNECT_TIMER
in its src/device.c).
"""

import datetime
import os
import statistics
import sys
import time

from two_guests import exchange_cards
from world import TIMEOUT, Failure, device, rig, run_story, type_hash

TYPE = "org.example.notes.editing"
TIMES = int(os.environ.get("HANDOFF_TAPS", "20"))


def laptop(machine):
    """Publishes 1 KB until the other machine has finished."""
    exchange_cards(machine, "desktop")
    rig("rig_await looking 120")
    with machine.publishing("--type", TYPE, "--user-info", f'{{"text": "{"x" * 1000}"}}'):
        rig("rig_await finished 900", timeout=900)


def desktop(machine):
    """Continues the activity TIMES times, and prints the times."""
    exchange_cards(machine, "laptop")
    took, status = [], []
    with machine.watching() as nearby:
        rig("rig_signal looking")
        for _ in range(TIMES):
            entry = nearby.wait_for_type(type_hash(TYPE), 120)[0]
            wait_for_next_advertisement(machine)
            status.append(timed(machine, "status"))
            took.append(timed(machine, "continue", "--print", entry["id"]))
            print(f"  {took[-1] * 1000:.0f} ms, status {status[-1] * 1000:.0f} ms", flush=True)
    rig("rig_signal finished")
    for name, times in (("continue", took), ("status", status)):
        times.sort()
        print(
            f"handoffctl {name}, {TIMES} times: median {statistics.median(times):.2f} s, "
            f"95 % within {times[int(0.95 * (TIMES - 1))]:.2f} s, longest {times[-1]:.2f} s",
            flush=True,
        )


def timed(machine, *arguments):
    """Runs handoffctl; returns the time in seconds."""
    begin = time.monotonic()
    machine.ctl(*arguments)
    return time.monotonic() - begin


def wait_for_next_advertisement(machine):
    """Waits until an advertisement of the other machine is received."""
    now, deadline = datetime.datetime.now(datetime.timezone.utc), time.monotonic() + TIMEOUT
    while not any(datetime.datetime.fromisoformat(entry["lastSeen"]) > now for entry in machine.ctl("nearby")):
        if time.monotonic() > deadline:
            raise Failure(f"{machine.name} receives no advertisement any more")


def story():
    """Runs this guest's part."""
    name, part = {"A": ("laptop", laptop), "B": ("desktop", desktop)}[os.environ["RIG_GUEST"]]
    with device(name, os.environ["RIG_RESULTS"], ["--adapter", "hci0"]) as machine:
        part(machine)


if __name__ == "__main__":
    if not os.environ.get("RIG_GUEST"):
        sys.exit("this story runs in two guests: Tests/Rig/run-two-guests STORY STORY")
    run_story(story)
