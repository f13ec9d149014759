#!/usr/bin/env python3
"""How much desktop scans: while somebody looks, at rest, when nobody is heard, and paused; runs in a guest of the rig.

Each phase lies between two marks of the capture, which Tests/Rig/scanning.py reads. A phase at rest begins and ends
with a window, so that it has whole periods only. The phase in which nobody is heard begins two minutes after the last
advertisement that desktop has heard: no clock can be set forward for that. In one more phase, desktop would play sound
over the adapter: emulated controllers and this bluetoothd have no headphones.

With the argument `long`, which no test gives, one more phase begins ten minutes after the last advertisement.
"""

import datetime
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from world import (
    Failure, Lines, Steps, device, process, run_story, trust_each_other, type_hash, wake_ups, woken_since,
)

LOG = pathlib.Path(os.environ.get("RIG_RESULTS", "/nowhere"), "bluetoothd.log")
TYPE = "org.example.notes.editing"
# By the policy, windows begin every 4 s until nobody was heard for two minutes, and every 15 s from then on. An attempt
# to reach a device that has left makes one longer pause, too, but not so late.
LONG_PERIOD, LATE, TOO_LATE = 9.0, 100.0, 180.0
# The same for the windows that begin every 90 s after ten minutes.
LONGEST_PERIOD, VERY_LATE, MUCH_TOO_LATE = 50.0, 580.0, 750.0
# Windows of the phases at rest, and scans of the kernel while somebody looks: bluetoothd begins a new one every 10 s.
WINDOWS, FEW_WINDOWS, LOOKS = 6, 3, 2
# The seconds for which Handoff is paused.
PAUSE = 15


class Discovery:
    """What the kernel tells bluetoothd about scans of an adapter, from bluetoothd's log."""

    def __init__(self, lines, adapter):
        self._lines = lines
        self._begins = f"discovering_callback() {adapter} type 6 discovering 1"
        self._ends = f"discovering_callback() {adapter} type 6 discovering 0"

    def begins(self, timeout=3 * LONGEST_PERIOD):
        """Waits until the next scan begins; returns when it did, on the clock of time.monotonic()."""
        self._lines.wait(lambda line: self._begins in line, "the beginning of a scan", timeout)
        return time.monotonic()

    def ends(self, timeout=60):
        """Waits until the scan ends."""
        self._lines.wait(lambda line: self._ends in line, "the end of a scan", timeout)

    def skip(self):
        """Forgets what was logged before."""
        self._lines.skip()


def mark(text, moment=None):
    """Marks the capture at this moment, or at one of the system's clock."""
    seconds = time.time() if moment is None else moment
    with open(LOG.parent / "marks", "a", encoding="utf-8") as marks:
        marks.write(f"{int(seconds * 1e6)} {text}\n")


def windows(discovery, phase, count, daemon):
    """Marks a phase of whole periods, from the beginning of one window to that of another; prints the wake-ups."""
    discovery.skip()
    discovery.begins()
    begin, before = time.monotonic(), wake_ups(daemon.pid)
    mark(f"{phase} begins")
    for _ in range(count):
        discovery.begins()
    mark(f"{phase} ends")
    seconds = time.monotonic() - begin
    print(f"    {phase}: {woken_since(before, daemon.pid) / seconds:.2f} wake-ups/s in {seconds:.0f} s", flush=True)


def looking(steps, discovery, laptop, desktop):
    """Somebody looks: the list of nearby activities is shown."""
    with desktop.watching() as nearby, laptop.publishing("--type", TYPE):
        nearby.wait_for_type(type_hash(TYPE))
        with steps.step("somebody looks"):
            windows(discovery, "somebody looks", LOOKS, desktop.daemon)


def nobody_heard(steps, discovery, daemon, is_long):
    """The circle is not heard any more; the first long pause between windows ends after two minutes."""
    begin = time.monotonic()
    with steps.step("two minutes without the circle"):
        scans_less(discovery, begin, LONG_PERIOD, LATE, TOO_LATE)
    with steps.step("nobody was heard for more than two minutes"):
        windows(discovery, "not heard for two minutes", FEW_WINDOWS, daemon)
    if is_long:
        with steps.step("ten minutes without the circle"):
            scans_less(discovery, begin, LONGEST_PERIOD, VERY_LATE, MUCH_TOO_LATE)
        with steps.step("nobody was heard for more than ten minutes"):
            windows(discovery, "not heard for ten minutes", FEW_WINDOWS, daemon)


def scans_less(discovery, begin, period, late, too_late):
    """Waits for a pause of at least `period` between windows, `late` seconds after the beginning."""
    last = discovery.begins()
    while (now := discovery.begins()) - last < period or now - begin < late:
        last = now
        if now - begin > too_late:
            raise Failure(f"desktop scans no less than before, {too_late} s after the circle was heard last")


def paused(steps, discovery, desktop):
    """Handoff is paused, and the pause ends by itself."""
    discovery.skip()
    discovery.begins()
    discovery.ends()
    with steps.step("Handoff is paused"):
        state = desktop.ctl("pause", "for", f"{PAUSE}s")
        mark("paused begins")
        discovery.skip()
        discovery.begins()
        end = datetime.datetime.fromisoformat(state["pausedUntil"].replace("Z", "+00:00"))
        mark("paused ends", end.timestamp())


def story():
    """Runs all phases with two devices."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        follow = ["tail", "--lines=+1", "--follow", "--sleep-interval=0.05", LOG]
        with process(follow, stdout=subprocess.PIPE, text=True, errors="replace") as log, \
                device("desktop", logs, ["--adapter", "hci1"]) as desktop:
            discovery = Discovery(Lines(log.stdout), "hci1")
            with device("laptop", logs, ["--adapter", "hci0"]) as laptop:
                trust_each_other(laptop, desktop)
                looking(steps, discovery, laptop, desktop)
                with laptop.publishing("--type", TYPE), steps.step("at rest, with the circle heard"):
                    windows(discovery, "at rest", WINDOWS, desktop.daemon)
            nobody_heard(steps, discovery, desktop.daemon, is_long=sys.argv[1:] == ["long"])
            paused(steps, discovery, desktop)
    print("story of scanning: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest Tests/Stories/scanning_one_guest.py")
    run_story(story)
