#!/usr/bin/env python3
"""Measures the time from the user's request to the payload between two machines, with many continuations.

Runs in both guests of the rig, like two_guests.py. Guest B scans continuously, continues the same activity many times
and prints the times. Whole runs of `handoffctl continue` are measured, and of `handoffctl status`, which needs no
radio; the difference is the time of the continuation. Then follows a time line: how long each step takes, from the
times in the log of the daemon that continues. bluetoothd should run with `-E`, so that the advertising interval
is the one that handoffd requests; without it, the kernel's 1.28 s apply. Before each continuation, the desktop receives
an advertisement of the laptop: until then, bluetoothd is still ending the last link, which takes 2 s (DISCONNECT_TIMER
in its src/device.c).
"""

import datetime
import os
import re
import statistics
import sys
import time

import budget
from two_guests import exchange_cards
from world import TIMEOUT, Failure, device, rig, run_story, type_hash

TYPE = "org.example.notes.editing"
TIMES = int(os.environ.get("HANDOFF_TAPS", "20"))
# The steps of a continuation: the event in the daemon's log that ends each, and what it is.
STEPS = {
    "fetch.began": "handoffctl starts, and its call reaches the daemon",
    "dial.began": "the daemon waits for its turn to dial",
    "dial.undisturbed": "bluetoothd ends discovery",
    "dial.ended": "the kernel finds the origin, connects, and opens the channel",
    "fetch.greeted": "the origin's greeting comes",
    "fetch.answered": "the request goes, and the answer comes",
    "fetch.acknowledged": "the acknowledgement is passed to the kernel",
}
LAST_STEP = "the payload reaches handoffctl, which prints it and ends"


def laptop(machine):
    """Publishes 1 KB until the other machine has finished."""
    exchange_cards(machine, "desktop")
    rig("rig_await looking 120")
    with machine.publishing("--type", TYPE, "--user-info", f'{{"text": "{"x" * 1000}"}}'):
        rig("rig_await finished 900", timeout=900)


def desktop(machine):
    """Continues the activity TIMES times, and prints the times."""
    exchange_cards(machine, "laptop")
    took, status, lines = [], [], []
    with machine.watching() as nearby:
        rig("rig_signal looking")
        for _ in range(TIMES):
            entry = nearby.wait_for_type(type_hash(TYPE), 120)[0]
            wait_for_next_advertisement(machine)
            status.append(timed(machine, "status"))
            machine.lines.skip()
            read, begin = len(machine.lines.seen), time.monotonic()
            took.append(timed(machine, "continue", "--print", entry["id"]))
            machine.wait_log("event=fetch.acknowledged")
            lines.append(time_line(machine.lines.seen[read:], begin, begin + took[-1]))
            print(f"  {took[-1] * 1000:.0f} ms, status {status[-1] * 1000:.0f} ms", flush=True)
    rig("rig_signal finished")
    print_times(took, status)
    print_time_line(lines)


def print_times(took, status):
    """Prints how long the runs of both commands took, and the continuation alone: one less the other."""
    alone = [one - other for one, other in zip(took, status)]
    for name, times in (("continue", took), ("status", status), ("continue less status", alone)):
        times.sort()
        median, most = statistics.median(times), times[int(0.95 * (TIMES - 1))]
        print(
            f"handoffctl {name}, {TIMES} times: median {median:.2f} s, 95 % within {most:.2f} s, "
            f"longest {times[-1]:.2f} s",
            flush=True,
        )
    # The list of the last name.
    print(f"median: {budget.at_most(median, 0.45, 's')}; 95 %: {budget.at_most(most, 0.9, 's')}", flush=True)


def time_line(lines, begin, end):
    """How long each step of a continuation took in seconds, by its name, from the lines that the daemon has logged.

    A step that did not occur has no time, which then is part of the next one.
    """
    times, last = {}, begin
    found = [re.search(r" event=(\S+) .*uptime=([0-9.]+)$", line) for line in lines]
    for event, uptime in [(match[1], float(match[2])) for match in found if match] + [(None, end)]:
        step = STEPS.get(event) if event else LAST_STEP
        if step and step not in times and begin <= uptime <= end:
            times[step], last = uptime - last, uptime
    return times


def print_time_line(lines):
    """Prints the median and the longest time of each step of many continuations."""
    print(f"{'median':>8} {'longest':>8}   step", flush=True)
    for step in [*STEPS.values(), LAST_STEP]:
        times = [line[step] for line in lines if step in line]
        if times:
            print(f"{statistics.median(times) * 1000:5.0f} ms {max(times) * 1000:5.0f} ms   {step}", flush=True)


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
