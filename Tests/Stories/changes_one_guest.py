#!/usr/bin/env python3
"""A person goes back and forth between two activities, and a desktop at which nobody looks follows; runs in a guest.

The desktop scans as it does in the background. Each change is marked in the capture, so that Tests/Rig/changes.py can
tell when it was advertised, received and shown. What a person named is not offered any more once something else is
current: a `continue` that names nothing goes on with what is.
"""

import contextlib
import json
import os
import sys
import tempfile

from monitor import monitoring
from world import Steps, check, device, rig, run_story, trust_each_other, type_hash

FIRST, SECOND = "org.example.notes.editing", "org.example.mail.composing"
# How often the person goes to the other activity and back, and publishes one and ends it in one slot.
TIMES, WITHDRAWALS = 10, 10


class Changes:
    """Marks each change of the origin, and when the list of the desktop has followed."""

    def __init__(self, lines):
        self._lines = lines
        self._number = 0
        self._shown = None  # the object of the entry

    @contextlib.contextmanager
    def change(self, text):
        """A change that the block makes, until the list has followed."""
        self._number += 1
        print(f"    change {self._number}: {text}", flush=True)
        rig(f"rig_mark 'change {self._number} begins'")
        yield
        rig(f"rig_mark 'change {self._number} is shown'")

    def shows(self, activity_type):
        """Waits until the list has an entry of the type."""
        wanted = ('"event":"added"', "NearbyActivity1", type_hash(activity_type))
        line = self._lines.wait(lambda line: all(part in line for part in wanted), f"an entry of {activity_type}")
        self._shown = json.loads(line)["object"]

    def shows_nothing(self):
        """Waits until the entry that was shown last is gone."""
        wanted = ('"event":"removed"', f'"{self._shown}"')
        self._lines.wait(lambda line: all(part in line for part in wanted), "the end of the entry")


def back_and_forth(changes, laptop, desktop):
    """The first activity stays; the second one comes and goes, and after each change it is continued."""
    with contextlib.ExitStack() as first:
        with changes.change("the first activity"):
            first.enter_context(laptop.publishing("--type", FIRST))
            changes.shows(FIRST)
        for _ in range(TIMES):
            with contextlib.ExitStack() as second:
                with changes.change("to the second"):
                    second.enter_context(laptop.publishing("--type", SECOND))
                    changes.shows(SECOND)
                check(desktop.ctl("continue", "--print")["type"], SECOND)
                with changes.change("back to the first"):
                    second.close()
                    changes.shows(FIRST)
            check(desktop.ctl("continue", "--print")["type"], FIRST)
        with changes.change("the first ends"):
            first.close()
            changes.shows_nothing()


def withdrawals(changes, laptop):
    """One activity is published and ends, again and again in one slot."""
    for _ in range(WITHDRAWALS):
        with contextlib.ExitStack() as publication:
            with changes.change("an activity"):
                publication.enter_context(laptop.publishing("--type", FIRST))
                changes.shows(FIRST)
            with changes.change("its end"):
                publication.close()
                changes.shows_nothing()


def story():
    """Goes back and forth, with a desktop that only scans in the background."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        with device("laptop", logs, ["--adapter", "hci0"]) as laptop, \
                device("desktop", logs, ["--adapter", "hci1"]) as desktop:
            trust_each_other(laptop, desktop)
            with monitoring(desktop.bus) as lines:
                changes = Changes(lines)
                with steps.step("back and forth, ten times"):
                    back_and_forth(changes, laptop, desktop)
                with steps.step("ten withdrawals"):
                    withdrawals(changes, laptop)
    print("story of going back and forth: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest Tests/Stories/changes_one_guest.py")
    run_story(story)
