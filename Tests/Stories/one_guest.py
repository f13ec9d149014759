#!/usr/bin/env python3
"""Two daemons over two adapters of one machine, its kernel and its bluetoothd; runs in a guest of the rig.

An activity is published, discovered and continued; the list follows each change, at once when an activity ends, and
after a time-out when its device crashes; bluetoothd and the adapters are stopped and started, and both daemons recover.
The fetch of 1 KB is marked in the capture, so that its packets can be counted.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile

from monitor import monitoring
from world import TIMEOUT, Failure, Steps, check, device, rig, run_story, trust_each_other, type_hash

FIRST, SECOND = "org.example.notes.editing", "org.example.mail.composing"
EVERY_KIND = {
    "array": [1, "two", [3]], "data": {"$data": "AAEC/w=="}, "date": {"$date": "2026-11-21T09:30:00.000000001Z"},
    "dictionary": {"inner": {"deeper": True}}, "null": None, "integer": -9007199254740993,
    "large": 18446744073709551615,
    "real": 0.1, "whole": {"$real": 2.0}, "no": False, "set": {"$set": ["a"]}, "string": "Grüße ✓",
    "url": {"$url": "https://example.org/?q=1"},
}
# A withdrawal advertisement is received within moments. The entry of a device that sends nothing any more stays for
# 30 s, so an entry that is removed earlier was removed by the withdrawal.
BEFORE_THE_TIMEOUT = 20.0


def publish_see_continue(steps, laptop, desktop, nearby):
    """Publishes, discovers and continues an activity with every kind of value."""
    with contextlib.ExitStack() as publication:
        with steps.step("laptop publishes an activity, and desktop discovers it"):
            publication.enter_context(
                laptop.publishing("--type", FIRST, "--title", "Kinds", "--user-info", json.dumps(EVERY_KIND))
            )
            entry = nearby.wait_for_type(type_hash(FIRST))[0]
        with steps.step("desktop continues it, and all nine kinds of value arrive unchanged"):
            activity = desktop.ctl("continue", "--print", entry["id"])
            if (activity["type"], activity["title"], activity["userInfo"]) != (FIRST, "Kinds", EVERY_KIND):
                raise Failure(f"the activity arrived changed: {activity}")
        with steps.step("another activity becomes current, and the list follows"):
            with laptop.publishing("--type", SECOND):
                nearby.wait_for_only(type_hash(SECOND))
        with steps.step("the second activity ends, and the first is current again"):
            nearby.wait_for_only(type_hash(FIRST))
        with steps.step("the first activity ends too, and its entry is removed at once"):
            publication.close()
            nearby.wait_empty(BEFORE_THE_TIMEOUT)


def fetch_one_kilobyte(steps, laptop, desktop, nearby):
    """Fetches 1 KB between two marks of the capture."""
    payload = json.dumps({"text": "x" * 1000})
    with steps.step("desktop fetches 1 KB, whose packets are counted"):
        with laptop.publishing("--type", FIRST, "--user-info", payload):
            entry = nearby.wait_for_type(type_hash(FIRST))[0]
            rig("rig_mark fetch-begins")
            desktop.ctl("continue", "--print", entry["id"])
            rig("rig_mark fetch-ends")
        nearby.wait_empty(BEFORE_THE_TIMEOUT)


def crash(steps, laptop, nearby):
    """Kills the origin, which sends no withdrawal."""
    with steps.step("the origin is killed, and its entry times out"):
        with laptop.publishing("--type", FIRST):
            nearby.wait_for_type(type_hash(FIRST))
            laptop.crash()
        nearby.wait_empty(120)
    laptop.start()


def works_again(what, steps, laptop, nearby, activity_type):
    """Checks that an activity is discovered, and its end too."""
    with steps.step(f"{what}: an activity is discovered again"):
        with laptop.publishing("--type", activity_type):
            nearby.wait_for_type(type_hash(activity_type), 120)
        nearby.wait_empty(120)


def wait_state(machine, wanted):
    """Waits until a daemon reports a state of its radio, which it logs a moment before."""
    with monitoring(machine.bus) as changes:
        while (state := machine.ctl("status")["radioState"]) != wanted:
            changes.wait(lambda _: True, f"a change at {machine.name}, which reports {state}")


def recover(steps, laptop, desktop, nearby):
    """Stops and starts bluetoothd, and each adapter."""
    with steps.step("bluetoothd stops, and both daemons report it"):
        rig("rig_stop_bluetoothd")
        for machine in (laptop, desktop):
            machine.wait_log("serviceAbsent")
            wait_state(machine, "NoBluetoothService")
    rig("rig_start_bluetoothd")
    works_again("bluetoothd is back", steps, laptop, nearby, "org.example.after.restart")
    for number, machine in enumerate((laptop, desktop)):
        with steps.step(f"the adapter of {machine.name} is switched off, and its daemon reports it"):
            # A bluetoothd that starts has its adapters off for a moment.
            machine.lines.skip()
            rig(f"rig_power {number} off")
            machine.wait_log("poweredOff")
            wait_state(machine, "BluetoothOff")
        rig(f"rig_power {number} on")
        works_again(f"{machine.name} is switched on", steps, laptop, nearby, f"org.example.after.power{number}")


def diagnose(steps, laptop):
    """Everything that doctor tries of the radio works; bluetoothd's program tells its version."""
    with steps.step("doctor finds the radio in order"):
        result = subprocess.run(laptop.command("doctor"), capture_output=True, text=True, timeout=TIMEOUT, check=False)
        findings = {finding["check"]: finding for finding in json.loads(result.stdout)}
        tried = ("adapter", "advertisement", "scan", "channels")
        check({name: findings.get(name, {}).get("grade") for name in tried}, dict.fromkeys(tried, "good"))
        if "at least" in findings["adapter"]["message"]:
            raise Failure(f"bluetoothd does not tell its version: {findings['adapter']['message']}")


def story():
    """Runs all parts with two devices."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        with device("laptop", logs, ["--adapter", "hci0"]) as laptop, \
                device("desktop", logs, ["--adapter", "hci1"]) as desktop:
            with steps.step("laptop and desktop trust each other by card"):
                trust_each_other(laptop, desktop)
            diagnose(steps, laptop)
            with desktop.watching() as nearby:
                publish_see_continue(steps, laptop, desktop, nearby)
                fetch_one_kilobyte(steps, laptop, desktop, nearby)
                crash(steps, laptop, nearby)
                recover(steps, laptop, desktop, nearby)
    print("story of one guest: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest Tests/Stories/one_guest.py")
    run_story(story)
