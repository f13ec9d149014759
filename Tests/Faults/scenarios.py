"""The scenarios of the fault campaign: each is a batch of rounds in a world of its own, with a fault in every round.

A scenario gets a world and a source of random numbers, from which all its choices come. It yields for each round
whether its fault has had an effect, and raises Failure when something that must hold does not.
"""

import errno
import pathlib
import signal
import subprocess
import time

from circles import clocks, copies, six
from continuations import continuation, document
from faults import Publisher, check, fetch_another, heal, random_fault, wait_for_ends
from orders import CHANGES, DESCRIPTOR, FAIL_FROM, FAIL_ONCE, KILL_AFTER, KILL_BEFORE, OPEN_TO_READ
from streams import stream

STORIES = pathlib.Path(__file__).parents[1] / "Stories"
# How long the users wait for the end of a pairing, which takes a few seconds.
PATIENCE = 15
# How long two devices near each other may take to agree after everything works again.
AGREEMENT = 120


# MARK: The state of one device

def snapshot(machine):
    """What the daemon says that it keeps."""
    folders = {entry["id"]: entry["path"] for entry in machine.json("folders")}
    status = machine.json("status")
    return {
        "id": status["deviceID"], "name": status["deviceName"], "folders": folders,
        "devices": sorted((entry["id"], entry["name"]) for entry in machine.json("devices")),
    }


def random_change(random, kept, machine):
    """A change of what is kept: the arguments of handoffctl, and the state after it."""
    after = {**kept, "folders": dict(kept["folders"])}
    kind = random.choice(["rename", "add", "add", "remove", "remove"])
    if kind == "rename":
        after["name"] = f"name-{random.randrange(10**6)}"
        return ["devices", "rename", kept["id"], after["name"]], after
    if kind == "remove" and kept["folders"]:
        name = random.choice(sorted(kept["folders"]))
        del after["folders"][name]
        return ["folders", "remove", name], after
    name = f"folder{random.randrange(10**6)}"
    path = machine.directory / "synchronised" / name
    path.mkdir(parents=True)
    after["folders"][name] = str(path)
    return ["folders", "add", name, path], after


def state(world, random):
    """A change of the state meets an error of the disk, or the end of the process: the old or the new state is kept."""
    machine = world.laptop
    machine.start()
    world.desktop.start()
    machine.trust(world.desktop)
    for _ in range(6):
        before = snapshot(machine)
        arguments, changed = random_change(random, before, machine)
        mode = random.choice([FAIL_ONCE, FAIL_FROM, KILL_BEFORE, KILL_AFTER])
        # A call that is interrupted for ever is repeated for ever, as it should be.
        interruption = [errno.EINTR] if mode == FAIL_ONCE else []
        error = random.choice([errno.EIO, errno.ENOSPC, errno.EROFS, errno.EDQUOT] + interruption)
        machine.orders.give(mode, CHANGES, random.randint(1, 8), error)
        result = machine.run(*arguments)
        hits, was_killed = machine.orders.take_back()
        if was_killed:
            machine.reap()
        what = f"{' '.join(map(str, arguments))} ended with {result.returncode} ({result.stderr.strip()})"
        check(was_killed or machine.is_running, f"the daemon has ended: {what}")
        machine.ensure()
        after = snapshot(machine)
        if was_killed:
            check(after in (before, changed), f"{what}; {before} became {after}, which is neither old nor new")
        else:
            wanted = before if result.returncode else changed
            check(after == wanted, f"{what}; {before} became {after} and not {wanted}")
            check(result.returncode == 0 or result.stderr.strip(), f"{what}, without a reason")
        if random.random() < 0.5:
            machine.stop()
            machine.start()
            check(snapshot(machine) == after, f"{after} became {snapshot(machine)} by a restart, after {what}")
        yield hits


def start(world, random):
    """A start meets errors: the daemon says why it ends, and the next start works as before."""
    machine = world.laptop
    identity = None
    for _ in range(6):
        mode = random.choice([FAIL_ONCE, FAIL_FROM, KILL_BEFORE, KILL_AFTER])
        kinds = random.choice([CHANGES, OPEN_TO_READ, CHANGES | OPEN_TO_READ, DESCRIPTOR])
        error = errno.EMFILE if kinds == DESCRIPTOR else random.choice([errno.EIO, errno.ENOSPC, errno.EACCES])
        machine.orders.give(mode, kinds, random.randint(1, 30 if kinds == DESCRIPTOR else 6), error)
        begin = machine.log.count
        machine.begin()
        came_up = machine.is_up()
        hits, killed = machine.orders.take_back()
        if came_up:
            machine.stop()
        else:
            status = machine.reap()
            check(hits, f"the daemon has ended without a fault, with status {status}")
            check(status == -signal.SIGKILL if killed else status > 0, f"the daemon has ended with status {status}")
            said = [line for line in machine.log.since(begin) if " critical " in line or line.startswith("Error:")]
            check(killed or said, "the daemon has ended without a reason")
        machine.start()
        status = machine.json("status")
        check(identity in (None, status["deviceID"]), f"{identity} became {status['deviceID']}")
        identity = status["deviceID"]
        machine.stop()
        yield hits


# MARK: Two devices

def pairing(world, random):
    """A pairing meets a fault: in the end, each of the devices trusts the other, or neither does."""
    world.start(trusted=False)
    name, _, arm = random_fault(world, random)
    agents = [
        subprocess.Popen(
            ["/usr/bin/python3", STORIES / "pairing_agent.py", each.bus, "yes"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
        )
        for each in world.machines
    ]
    try:
        arm()
        # An agent whose daemon dies waits for ever, and other users give up some time.
        wait_for_ends(agents, [machine.daemon for machine in world.machines], PATIENCE)
    finally:
        for agent in agents:
            agent.kill()
            agent.wait()
    hit = heal(world)
    # With something to continue, the devices meet.
    publishers = [Publisher(each) for each in world.machines]
    try:
        for publisher in publishers:
            publisher.ensure()
        wait_for_verdicts(world, name)
    finally:
        for publisher in publishers:
            publisher.end()
    yield hit


def wait_for_verdicts(world, name):
    """Waits until each of the devices trusts the other, or neither does."""
    end = time.monotonic() + AGREEMENT
    with world.changes() as changes:
        while True:
            changes.skip()
            verdicts = [[entry["state"] for entry in machine.json("devices")] for machine in world.machines]
            if verdicts in ([["trusted"], ["trusted"]], [[], []]):
                return
            changes.wait(lambda _: True, f"with {name}, devices that agree, and not {verdicts}", end - time.monotonic())


def limits(world, random):
    """Few descriptors, while the daemon runs: calls fail with a reason, and work again when there are more."""
    world.start()
    publisher = Publisher(world.laptop)
    try:
        entry = fetch_another(world, publisher, "before")
        for _ in range(2):
            machine = random.choice(world.machines)
            device = machine.json("status")["deviceID"]
            machine.limit_descriptors(machine.descriptors() + random.randint(-3, 2))
            fetched = world.desktop.run("continue", "--print", entry)
            renamed = machine.run("devices", "rename", device, f"n{random.randrange(10**6)}")
            for result in (fetched, renamed):
                check(result.returncode in (0, 1, 4), f"few descriptors: status {result.returncode}")
                check(result.returncode == 0 or result.stderr.strip(), "few descriptors: a failure without a reason")
            check(machine.is_running, f"few descriptors have ended the daemon of {machine.name}")
            machine.limit_descriptors(None)
            # What the desktop lists of the one before may have been heard long ago.
            entry = fetch_another(world, publisher, "with enough descriptors again")
            yield fetched.returncode or renamed.returncode
    finally:
        publisher.end()


def growth(world, random):
    """Cycles of everything, with losses on the air and of the bus: descriptors and memory do not grow."""
    world.start()
    first = None
    publisher = Publisher(world.laptop)
    for cycle in range(5):
        world.air.set(f"loss {random.choice([0, 0.1, 0.3])}", "bandwidth 10000000")
        publisher.arguments = "--title", "x" * random.randrange(100)
        fetch_another(world, publisher, "with losses on the air")
        publisher.end()
        for machine in world.machines:
            begin = machine.log.count
            machine.kill_bus()
            machine.start_bus()
            machine.log.wait("event=bus.ready", begin)
        if cycle == 1:
            first = [(machine.descriptors(), machine.memory()) for machine in world.machines]
        yield True
    for machine, (descriptors, memory) in zip(world.machines, first):
        machine.wait_for_descriptors(descriptors)
        check(machine.memory() <= memory + 8192,
              f"the memory of {machine.name} has grown from {memory} to {machine.memory()} KiB")


ALL = {each.__name__: each for each in (
    state, start, continuation, document, stream, pairing, clocks, copies, six, limits, growth,
)}
