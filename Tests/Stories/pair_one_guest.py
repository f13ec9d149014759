#!/usr/bin/env python3
"""Two daemons over two adapters of one machine and its bluetoothd pair by six digits; runs in a guest of the rig.

Two users at two pseudo-terminals answer yes, and one device continues an activity of the other. Then one of them
answers no. Then an agent in Python takes the place of one user.
"""

import contextlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from terminal import Terminal
from world import PROGRAMS, Failure, Lines, Steps, device, process, run_story, type_hash

AGENT = pathlib.Path(__file__).with_name("pairing_agent.py")


@contextlib.contextmanager
def pairing(machine):
    """Runs `handoffctl pair` at a terminal."""
    with Terminal([PROGRAMS / "handoffctl", "--bus", machine.bus, "pair"], machine.name) as terminal:
        yield terminal


@contextlib.contextmanager
def agent(machine, answer):
    """Runs a PairingAgent1 in Python; yields its output."""
    with process([sys.executable, AGENT, machine.bus, answer], stdout=subprocess.PIPE, text=True) as program:
        yield Lines(program.stdout)


def digits(terminal):
    """The six digits on a terminal's screen, once they can be confirmed."""
    shown = terminal.wait(re.compile(r"(?m)^ +([0-9]{3} [0-9]{3})\s*$")).group(1)
    terminal.wait(re.compile(r"Type\s+yes\s+or\s+no:"))
    return re.sub(r"\s", "", shown)


def states(machine):
    """The state of each device that a machine knows, by name."""
    return {entry["name"]: entry["state"] for entry in machine.ctl("devices")}


def pair(steps, laptop, desktop):
    """Pairs the devices as two users do."""
    with pairing(laptop) as one, pairing(desktop) as other:
        with steps.step("both users run handoffctl pair, and see the same digits"):
            shown = digits(one), digits(other)
            if shown[0] != shown[1]:
                raise Failure(f"the digits differ: {shown}")
        with steps.step("both users answer yes, and both devices are paired"):
            one.type("yes")
            one.wait(re.compile("Waiting for the answer on desktop"))
            other.type("yes")
            one.wait(re.compile("Paired with desktop"))
            other.wait(re.compile("Paired with laptop"))
            if (one.status(), other.status()) != (0, 0):
                raise Failure("handoffctl pair did not end with 0")
    if (states(laptop), states(desktop)) != ({"desktop": "trusted"}, {"laptop": "trusted"}):
        raise Failure(f"the devices do not trust each other: {states(laptop)}, {states(desktop)}")


def hand_over(steps, laptop, desktop):
    """Continues an activity on the paired device."""
    with steps.step("desktop continues an activity of laptop"):
        with desktop.watching() as nearby, laptop.publishing("--type", "org.example.paired", "--title", "Draft"):
            entry = nearby.wait_for_type(type_hash("org.example.paired"))[0]
            if desktop.ctl("continue", "--print", entry["id"])["title"] != "Draft":
                raise Failure("another activity was received")


def unpair(laptop, desktop):
    """Makes each device a new one that trusts nobody: an identity that was removed cannot be trusted again."""
    for machine in (laptop, desktop):
        machine.ctl("devices", "leave", "--yes")


def decline(steps, laptop, desktop):
    """Declines a pairing on one device."""
    with pairing(laptop) as one, pairing(desktop) as other:
        with steps.step("one user answers no, and both devices report that nothing was paired"):
            digits(one), digits(other)
            other.type("yes")
            one.type("no")
            one.wait(re.compile("You said that the digits differ"))
            other.wait(re.compile("The user of laptop said that the digits differ"))
            if (one.status(), other.status()) != (1, 1):
                raise Failure("handoffctl pair did not end with 1")
    if states(laptop) or states(desktop):
        raise Failure(f"a device is trusted nevertheless: {states(laptop)}, {states(desktop)}")


def with_agent(steps, laptop, desktop):
    """Pairs with an agent in Python in the place of one user."""
    with steps.step("a PairingAgent1 in Python pairs with a user at a terminal"):
        with agent(laptop, "yes") as lines, pairing(desktop) as terminal:
            received = lines.wait(lambda line: line.startswith("digits"), "digits at the agent").split()[1]
            if received != digits(terminal):
                raise Failure("the agent received other digits")
            terminal.type("yes")
            lines.wait(lambda line: line.startswith("paired"), "result at the agent")
            terminal.wait(re.compile("Paired with laptop"))
    if (states(laptop), states(desktop)) != ({"desktop": "trusted"}, {"laptop": "trusted"}):
        raise Failure(f"the devices do not trust each other: {states(laptop)}, {states(desktop)}")


def story():
    """Runs all parts with two devices."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        with device("laptop", logs, ["--adapter", "hci0"]) as laptop, \
                device("desktop", logs, ["--adapter", "hci1"]) as desktop:
            pair(steps, laptop, desktop)
            hand_over(steps, laptop, desktop)
            unpair(laptop, desktop)
            decline(steps, laptop, desktop)
            with_agent(steps, laptop, desktop)
            hand_over(steps, laptop, desktop)
    print("story of a pairing: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest Tests/Stories/pair_one_guest.py")
    run_story(story)
