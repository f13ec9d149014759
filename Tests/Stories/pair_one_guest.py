#!/usr/bin/env python3
"""Two daemons over two adapters of one machine and its bluetoothd pair by six digits: runs in a guest of the rig.

Two people at two pseudo-terminals say yes, and one device continues what the other does. Then one of them says no. Then an
agent in Python takes the place of one person.
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
    """A person at a terminal who has typed `handoffctl pair`."""
    with Terminal([PROGRAMS / "handoffctl", "--bus", machine.bus, "pair"], machine.name) as terminal:
        yield terminal


@contextlib.contextmanager
def agent(machine, answer):
    """A PairingAgent1 in Python."""
    with process([sys.executable, AGENT, machine.bus, answer], stdout=subprocess.PIPE, text=True) as program:
        yield Lines(program.stdout)


def digits(terminal):
    """The six digits on a screen."""
    return re.sub(r"\s", "", terminal.wait(re.compile(r"(?m)^ +([0-9]{3} [0-9]{3})\s*$")).group(1))


def states(machine):
    """The devices that a machine knows, and how they stand."""
    return {entry["name"]: entry["state"] for entry in machine.ctl("devices")}


def pair(steps, laptop, desktop):
    """The whole of it as two people do it."""
    with pairing(laptop) as one, pairing(desktop) as other:
        with steps.step("both run handoffctl pair, and see the same digits"):
            shown = digits(one), digits(other)
            if shown[0] != shown[1]:
                raise Failure(f"the digits differ: {shown}")
        with steps.step("both say yes, and both are told that they are paired"):
            one.type("yes")
            one.wait(re.compile("Waiting for the answer on desktop"))
            other.type("yes")
            one.wait(re.compile("Paired with desktop"))
            other.wait(re.compile("Paired with laptop"))
            if (one.status(), other.status()) != (0, 0):
                raise Failure("handoffctl pair did not end with 0")
    if (states(laptop), states(desktop)) != ({"desktop": "trusted"}, {"laptop": "trusted"}):
        raise Failure(f"they do not trust each other: {states(laptop)}, {states(desktop)}")


def hand_over(steps, laptop, desktop):
    """What pairing is for."""
    with steps.step("one continues what the other does"):
        with desktop.watching() as nearby, laptop.publishing("--type", "org.example.paired", "--title", "Draft"):
            entry = nearby.wait_for_type(type_hash("org.example.paired"))[0]
            if desktop.ctl("continue", "--print", entry["id"])["title"] != "Draft":
                raise Failure("another activity arrived")


def unpair(laptop, desktop):
    """Both forget each other."""
    for machine in (laptop, desktop):
        for entry in machine.ctl("devices"):
            machine.ctl("devices", "remove", entry["id"])


def decline(steps, laptop, desktop):
    """One of them says no."""
    with pairing(laptop) as one, pairing(desktop) as other:
        with steps.step("one says no, and both are told that nothing was paired"):
            digits(one), digits(other)
            other.type("yes")
            one.type("no")
            one.wait(re.compile("You said that the digits differ"))
            other.wait(re.compile("The user of laptop said that the digits differ"))
            if (one.status(), other.status()) != (1, 1):
                raise Failure("handoffctl pair did not end with 1")
    if states(laptop) or states(desktop):
        raise Failure(f"somebody is trusted all the same: {states(laptop)}, {states(desktop)}")


def with_agent(steps, laptop, desktop):
    """A program in another language in the place of one person."""
    with steps.step("a PairingAgent1 in Python pairs with a person at a terminal"):
        with agent(laptop, "yes") as lines, pairing(desktop) as person:
            heard = lines.wait(lambda line: line.startswith("digits"), "digits at the agent").split()[1]
            if heard != digits(person):
                raise Failure("the agent was told other digits")
            person.type("yes")
            lines.wait(lambda line: line.startswith("paired"), "the agent to be told")
            person.wait(re.compile("Paired with laptop"))
    if (states(laptop), states(desktop)) != ({"desktop": "trusted"}, {"laptop": "trusted"}):
        raise Failure(f"they do not trust each other: {states(laptop)}, {states(desktop)}")


def story():
    """All of it."""
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
