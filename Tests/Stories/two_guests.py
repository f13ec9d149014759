#!/usr/bin/env python3
"""Two machines, each with its own kernel and bluetoothd: an activity of one is continued on the other.

Runs in both guests of the rig: guest A is the laptop that publishes, guest B the desktop that continues.
"""

import json
import os
import sys

from world import Failure, Steps, device, rig, run_story, type_hash

TYPE = "org.example.notes.editing"
USER_INFO = {"note": 42, "text": "from another machine", "tags": {"$set": ["home"]}}


def exchange_cards(machine, other):
    """Makes each device trust the other's card."""
    card = machine.ctl("devices", "card")["card"]
    rig(f"printf %s '{card}' | rig_share card-{machine.name}")
    machine.ctl("devices", "trust", rig(f"rig_fetch card-{other} 120", answer=True))


def laptop(steps, machine):
    """Publishes an activity until the other machine has continued it."""
    exchange_cards(machine, "desktop")
    rig("rig_await looking 120")
    with steps.step("laptop publishes an activity until desktop has continued it"):
        with machine.publishing("--type", TYPE, "--title", "Two machines", "--user-info", json.dumps(USER_INFO)):
            rig("rig_await continued 180")
    rig("rig_await gone 120")


def desktop(steps, machine):
    """Discovers the activity, continues it, and receives its end."""
    exchange_cards(machine, "laptop")
    with machine.watching() as nearby:
        rig("rig_signal looking")
        with steps.step("desktop discovers the activity"):
            entry = nearby.wait_for_type(type_hash(TYPE), 120)[0]
        with steps.step("desktop continues the activity"):
            rig("rig_mark fetch-begins")
            activity = machine.ctl("continue", "--print", entry["id"])
            rig("rig_mark fetch-ends")
        if (activity["type"], activity["title"], activity["userInfo"]) != (TYPE, "Two machines", USER_INFO):
            raise Failure(f"the activity arrived changed: {activity}")
        rig("rig_signal continued")
        with steps.step("the activity ends on laptop, and its entry is removed on desktop"):
            nearby.wait_empty(20)
        rig("rig_signal gone")


def story():
    """Runs this guest's part."""
    name, part = {"A": ("laptop", laptop), "B": ("desktop", desktop)}[os.environ["RIG_GUEST"]]
    with device(name, os.environ["RIG_RESULTS"], ["--adapter", "hci0"]) as machine:
        part(Steps(), machine)
    print(f"story of two guests, {name}: ok", flush=True)


if __name__ == "__main__":
    if not os.environ.get("RIG_GUEST"):
        sys.exit("this story runs in two guests: Tests/Rig/run-two-guests STORY STORY")
    run_story(story)
