"""The scenarios of circles: clocks that are wrong, copies of states that are put back, and partitions."""

import json
import time

from faults import Publisher, check, fetch_another, heal
from world import type_hash

DAY = 86_400
# How far a clock may be wrong, in seconds.
OFFSETS = [-400 * DAY, -DAY, -7200, -900, -120, 120, 900, 7200, DAY, 30 * DAY, 400 * DAY]
# How long devices near each other may take to agree.
AGREEMENT = 120


# MARK: Clocks

def clocks(world, random):
    """Clocks are set, while the daemons run or before they start: when they are right, the devices hear each other."""
    world.start()
    publisher = Publisher(world.laptop)
    try:
        fetch_another(world, publisher, "before")
        for _ in range(4):
            wrong = random.choice([[world.laptop], [world.desktop], world.machines])
            offset, restarts = random.choice(OFFSETS), random.random() < 0.5
            for machine in wrong:
                machine.set_clock(offset)
            if restarts:
                for machine in wrong:
                    machine.stop()
                    machine.start()
            for machine in wrong:
                machine.set_clock(0)
            names = " and ".join(machine.name for machine in wrong)
            fetch_another(world, publisher, f"after the clock of {names} was ahead by {offset} s, restarts: {restarts}")
            yield True
    finally:
        publisher.end()


# MARK: Copies

def copies(world, random):
    """Old copies of states are put back: devices that meet hear each other, and a removed one hears nothing more."""
    tablet = world.add("tablet")
    world.start()
    tablet.trust(world.desktop)
    world.desktop.trust(tablet)
    staying, publishers = [world.laptop, world.desktop], publishers_of(world)
    try:
        agree(world, publishers, "at first")
        kept = {machine: [machine.copy_state("first")] for machine in staying}
        is_removed = False
        for number in range(3):
            changed = random.choice(staying)
            removes = not is_removed and random.random() < 0.5
            if removes:
                changed.json("devices", "remove", "--yes", identifier(tablet))
                is_removed = True
            else:
                changed.json("devices", "rename", identifier(random.choice(staying)), f"name-{number}")
            besides = [] if is_removed else [tablet]
            # What only one device knows is lost when its old copy is put back; a name may be, a removal is not to be.
            if removes or random.random() < 0.5:
                agree(world, only(publishers, staying), f"after change {number}", besides)
            machine = random.choice(staying)
            kept[machine].append(machine.copy_state(f"{number}"))
            restored = random.choice(staying)
            copy = random.choice(kept[restored])
            restored.restore(copy)
            what = f"after {copy.name} of {restored.name} was put back"
            agree(world, only(publishers, staying), what, besides)
            hear_each_other(world, only(publishers, staying), what)
            hashes = {type_hash(publishers[machine].type) for machine in staying}
            listed = {entry["typeHash"] for entry in tablet.json("nearby")}
            check(not is_removed or not hashes & listed, f"{what}, the removed device reads what is advertised")
            yield True
    finally:
        for publisher in publishers.values():
            publisher.end()


def publishers_of(world):
    """A publisher on each machine, whose types tell the machines apart."""
    return {
        machine: Publisher(machine, types=[f"org.example.{machine.name}{number}" for number in range(40)])
        for machine in world.machines
    }


def only(publishers, machines):
    return {machine: publishers[machine] for machine in machines}


def hear_each_other(world, publishers, what):
    """Each machine offers something new, and waits until all others list it."""
    for publisher in publishers.values():
        publisher.end()
        publisher.ensure()
    for machine in publishers:
        for other, publisher in publishers.items():
            if other is not machine:
                world.entry(type_hash(publisher.type), machine, f"{what}, the activity of {other.name}")


# MARK: Partitions

def six(world, random):
    """Six devices are parted, changed, killed and restored meanwhile: when they meet again, they agree."""
    for name in ("tablet", "phone", "server", "player"):
        world.add(name)
    world.start()
    for one, other in zip(world.machines[1:], world.machines[2:]):
        one.trust(other)
        other.trust(one)
    publishers = publishers_of(world)
    try:
        agree(world, publishers, "at first")
        kept = {machine: machine.copy_state("first") for machine in world.machines}
        for number in range(2):
            groups = [[], [], []]
            for machine in world.machines:
                random.choice(groups).append(machine.name)
            world.air.set("apart " + " ".join(",".join(group) for group in groups if group))
            done = [change_in_partition(world, random, kept, f"{number}-{step}") for step in range(random.randint(1, 3))]
            heal(world)
            agree(world, publishers, f"parted as {groups}, after {', '.join(done)}")
            yield True
    finally:
        for publisher in publishers.values():
            publisher.end()


def change_in_partition(world, random, kept, name):
    """Changes something at one machine; returns what, in words."""
    machine, other = random.choice(world.machines), random.choice(world.machines)
    kind = random.choice(["rename", "rename", "kill", "restart", "restore", "clock"])
    if kind == "rename":
        machine.json("devices", "rename", identifier(other), f"name-{name}")
    elif kind == "kill":
        machine.kill()
        machine.reap()
        machine.start()
    elif kind == "restart":
        machine.stop()
        machine.start()
    elif kind == "restore":
        machine.restore(kept[machine])
    else:
        machine.set_clock(random.choice(OFFSETS))
        machine.set_clock(0)
    return f"{kind} on {machine.name}"


# MARK: Agreement

def identifier(machine):
    """The identifier of a machine's device."""
    if not hasattr(machine, "identifier"):
        machine.identifier = machine.json("status")["deviceID"]
    return machine.identifier


def agree(world, publishers, what, besides=()):
    """Waits until these machines, which offer something, trust under the same names each other, those besides, and no more."""
    for publisher in publishers.values():
        publisher.ensure()
    end, machines = time.monotonic() + AGREEMENT, list(publishers)
    trusted = {identifier(machine) for machine in [*machines, *besides]}
    with world.changes() as changes:
        while True:
            changes.skip()
            views = [view(machine) for machine in machines]
            if views[0].keys() == trusted and all(each == views[0] for each in views):
                return
            changes.wait(lambda _: True, f"{what}: devices that agree, and not {json.dumps(views)}", end - time.monotonic())


def view(machine):
    """Which devices a machine trusts, itself included, by identifier, and under which names."""
    status = machine.json("status")
    names = {device["id"]: device["name"] for device in machine.json("devices") if device["state"] == "trusted"}
    return {**names, status["deviceID"]: status["deviceName"]}
