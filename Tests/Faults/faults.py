"""Random faults of the daemons, of their bus and of the air, what ends them, and what several scenarios share."""

import contextlib
import errno
import json
import os
import select
import subprocess
import time

from orders import CHANGES, DESCRIPTOR, FAIL_ONCE, KILL_AFTER, KILL_BEFORE, TRAFFIC
from world import Failure, Lines, type_hash

# Each publication has a type of its own, so that what another device still lists of an earlier one is not taken for it.
TYPES = [f"org.example.edit{number}" for number in range(20)]


def check(condition, text):
    if not condition:
        raise Failure(text)


def wait_for_ends(children, others, seconds):
    """Waits for the ends of all children, or of one of the other processes, but not longer than so many seconds."""
    with contextlib.ExitStack() as stack:
        def descriptor(child):
            file = os.pidfd_open(child.pid)
            stack.callback(os.close, file)
            return file

        running, others = set(map(descriptor, children)), set(map(descriptor, others))
        end = time.monotonic() + seconds
        while running and (ended := select.select([*running, *others], [], [], max(0, end - time.monotonic()))[0]):
            if others.intersection(ended):
                return
            running.difference_update(ended)


def random_fault(world, random, *more):
    """A fault of one of the daemons at its n-th message from now on, of the bus or of the air.

    `more` names kinds of faults besides those of all scenarios. Returns what it is, the machine, and a function that arms
    it.
    """
    machine = random.choice(world.machines)
    count = random.randint(1, 80)
    kind = random.choice(["kill", "kill", "stop", "cut", "cut", "loss", "descriptors", "change", "nothing", *more])
    if kind == "nothing":
        return kind, machine, lambda: None
    if kind == "kill":
        return f"kill {machine.name} at message {count}", machine, (
            lambda: machine.orders.give(KILL_BEFORE, TRAFFIC, count, 0))
    if kind == "descriptors":
        count = 1 + count // 8
        return f"no descriptor for call {count} of {machine.name}", machine, (
            lambda: machine.orders.give(FAIL_ONCE, DESCRIPTOR, count, errno.EMFILE))
    if kind == "change":
        count, mode = 1 + count // 6, random.choice([FAIL_ONCE, KILL_BEFORE, KILL_AFTER])
        error = random.choice([errno.EIO, errno.ENOSPC])
        return f"mode {mode} of change {count} of {machine.name}", machine, (
            lambda: machine.orders.give(mode, CHANGES, count, error))
    action = {
        "stop": machine.interrupt, "cut": world.air.cut,
        "loss": lambda: world.air.set("loss 0.4"), "bus": machine.restart_bus,
    }[kind]
    return f"{kind} at message {count} of {machine.name}", machine, lambda: machine.pause_and(action, TRAFFIC, count)


def heal(world, before_start=lambda machine: None):
    """Ends all faults and starts what has ended; returns whether there was a fault."""
    hit = False
    for machine in world.machines:
        hit = machine.end_faults() or hit
    world.air.heal()
    for machine in world.machines:
        if machine.is_ending():
            before_start(machine)
            machine.ensure()
        machine.wait_for_bus()
    return hit


class Publisher:
    """An activity on a machine that is published again when the daemon there was restarted."""

    def __init__(self, machine, *arguments, types=tuple(TYPES)):
        self._machine = machine
        self.arguments = arguments
        self._types = iter(types)
        self._child = self._lines = self._daemon = None
        self._told = 0
        self.type = None

    def ensure(self):
        """Publishes the activity, with a new type, unless this run of the daemon has it already."""
        if self._child and self._child.poll() is None and self._daemon is self._machine.daemon:
            return
        self.end()
        self._daemon = self._machine.daemon
        self.type = next(self._types)
        command = self._machine.command("publish", "--json", "--type", self.type, *self.arguments)
        self._child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self._lines = Lines(self._child.stdout)
        self._lines.wait(lambda line: "activity" in line, "the activity of the laptop")

    def told(self):
        """How often the laptop was told that its activity is continued."""
        if self._lines:
            self._told += sum(json.loads(line)["event"] == "continued" for line in self._lines.waiting())
        return self._told

    def end(self):
        if self._child:
            self._child.kill()
            self._child.wait()
            self.told()


def fetch_another(world, publisher, what):
    """The laptop publishes another activity, and the desktop fetches it as soon as it lists it; returns the entry."""
    publisher.end()
    publisher.ensure()
    entry = world.entry(type_hash(publisher.type))
    result = world.desktop.run("continue", "--print", entry)
    check(result.returncode == 0, f"a fetch {what} ended with {result.returncode} ({result.stderr.strip()})")
    return entry
