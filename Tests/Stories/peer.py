#!/usr/bin/env python3
"""The peer of Tests/Peer, a second implementation of the protocol in Python, and real daemons.

peer.py STORY…      on a simulated air; needs no Bluetooth. Without a story it lists them.
peer.py --rig       over three adapters in a guest of the rig: daemons with bluetoothd on hci0 and hci2, the peer with
                    Bumble on hci1, which bluetoothd has given up; needs the python of Bumble's environment
"""

import asyncio
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "Peer"))

from handoff_peer.activity import Activity
from handoff_peer.advertisement import SERVICE, type_hash
from handoff_peer.air import Station
from handoff_peer.client import AnswerRefused
from handoff_peer.device import Device
from handoff_peer.errors import ChannelEnded
from handoff_peer.messages import LONGEST_ANSWER, fetch_request
from handoff_peer.session import Session
from monitor import monitoring
from terminal import Terminal
from world import PROGRAMS, TIMEOUT, Failure, Steps, check, device, process, rig, run_story
from world import trust_each_other

EDITING, DRAWING = "org.example.notes.editing", "org.example.drawing"
EVERY_KIND = {
    "array": [1, "two", [3]], "data": {"$data": "AAEC/w=="}, "dictionary": {"inner": {"deeper": True}}, "null": None,
    "integer": -9007199254740993, "large": 18446744073709551615, "real": 0.1, "no": False, "string": "Grüße ✓",
}
EVERY_KIND_HERE = EVERY_KIND | {"data": b"\x00\x01\x02\xff"}
STREAMED = 200_000
# The number of a peer's events that are printed when a story fails.
LAST_EVENTS = 20


@contextlib.asynccontextmanager
async def in_thread(block):
    """A block that waits in a thread of its own, so that the peer goes on."""
    value = await asyncio.to_thread(block.__enter__)
    try:
        yield value
    except BaseException:
        await asyncio.to_thread(block.__exit__, *sys.exc_info())
        raise
    await asyncio.to_thread(block.__exit__, None, None, None)


class Daemon:
    """A real daemon, and what its user does."""

    def __init__(self, machine):
        self.machine, self.name = machine, machine.name

    async def ctl(self, *arguments):
        return await asyncio.to_thread(self.machine.ctl, *arguments)

    async def refusal(self, *arguments):
        """The message with which handoffctl refuses to do something."""
        try:
            await self.ctl(*arguments)
        except Failure as failure:
            return str(failure)
        raise Failure(f"{self.name}: handoffctl {' '.join(arguments)} was not refused")

    async def log(self, text):
        return await asyncio.to_thread(self.machine.wait_log, text)

    async def id(self):
        return bytes.fromhex((await self.ctl("status"))["deviceID"])

    async def states(self):
        """The state of each device that it lists, by name."""
        return {entry["name"]: entry["state"] for entry in await self.ctl("devices")}

    def publishing(self, activity_type, *options):
        return in_thread(self.machine.publishing("--type", activity_type, *options))

    def watching(self):
        return in_thread(self.machine.watching())

    @contextlib.asynccontextmanager
    async def monitoring(self):
        """The changes that `handoffctl monitor` prints."""
        async with in_thread(monitoring(self.machine.bus)) as lines:
            yield Monitor(lines, self)

    @contextlib.asynccontextmanager
    async def pairing(self):
        """`handoffctl pair` at a terminal."""
        command = [PROGRAMS / "handoffctl", "--bus", self.machine.bus, "pair"]
        async with in_thread(Terminal(command, self.name)) as terminal:
            yield PairingUser(terminal)

    async def trust(self, peer):
        """Makes it and the peer trust each other by their cards."""
        peer.trust_card((await self.ctl("devices", "card"))["card"])
        await self.ctl("devices", "trust", peer.card)


class Monitor:
    """What changes at a daemon."""

    def __init__(self, lines, daemon):
        self._lines, self._daemon = lines, daemon
        self.events = []

    async def line(self, wanted, timeout=TIMEOUT):
        """The properties of the next change that is wanted."""
        def take(text):
            change = json.loads(text)
            self.events.append(change["event"])
            return wanted(change)

        text = await asyncio.to_thread(self._lines.wait, take, f"a change at {self._daemon.name}", timeout)
        return json.loads(text).get("properties", {})

    async def event(self, name):
        return await self.line(lambda change: change["event"] == name)

    async def until_states(self, states):
        """Waits until the daemon lists these devices."""
        while await self._daemon.states() != states:
            await self.line(lambda _: True)


class PairingUser:
    """A user at a terminal with `handoffctl pair`."""

    def __init__(self, terminal):
        self._terminal = terminal

    async def sees(self, pattern):
        return await asyncio.to_thread(self._terminal.wait, re.compile(pattern))

    async def digits(self):
        shown = (await self.sees(r"(?m)^ +([0-9]{3} [0-9]{3})\s*$")).group(1)
        await self.sees(r"Type\s+yes\s+or\s+no:")
        return re.sub(r"\s", "", shown)

    def types(self, line):
        self._terminal.type(line)

    def interrupt(self):
        self._terminal.interrupt()

    async def status(self):
        return await asyncio.to_thread(self._terminal.status)


class World:
    """A place for daemons and peers that hear each other."""

    def __init__(self, directory, steps):
        self._steps, self.logs = steps, directory
        self.air = directory / "air"
        self.air.mkdir()

    @contextlib.asynccontextmanager
    async def step(self, text):
        """A step of the story, which fails if it takes too long."""
        with self._steps.step(text):
            try:
                async with asyncio.timeout(TIMEOUT):
                    yield
            except TimeoutError:
                raise Failure(f"{text}: not within {TIMEOUT:.0f} s") from None

    def options(self, _name):
        """The options of a daemon for its radio."""
        return ["--radio", f"simulated:{self.air}"]

    def radio(self, name):
        """The radio of a peer."""
        return Station(str(self.air), name)

    @contextlib.asynccontextmanager
    async def daemon(self, name):
        async with in_thread(device(name, self.logs, self.options(name))) as machine:
            yield Daemon(machine)

    @contextlib.asynccontextmanager
    async def peer(self, name="snake", state=None):
        """A peer; if the story fails, its last events are printed."""
        async with Device(self.radio(name), name, state=state) as made:
            try:
                yield made
            except BaseException:
                for event in made.events.all[-LAST_EVENTS:]:
                    print(f"  {name}: {event.name} {event.parts}", flush=True)
                raise

    async def links_end(self):
        """Waits until no two devices have a link."""

    def set_air(self, text):
        (self.air / "air.new").write_text(text)
        (self.air / "air.new").rename(self.air / "air")

    @contextlib.asynccontextmanager
    async def friends(self):
        """A daemon and a peer that trust each other."""
        async with self.daemon("laptop") as laptop, self.peer() as peer:
            await laptop.trust(peer)
            yield laptop, peer


class RigWorld(World):
    """A guest of the rig: bluetoothd has the adapters of the daemons, and the peer one of its own."""

    ADAPTERS = {"laptop": "hci0", "desktop": "hci2"}

    def __init__(self, directory, steps, host):
        super().__init__(directory, steps)
        self.logs, self._host, self._radio = pathlib.Path(os.environ["RIG_RESULTS"]), host, None

    def options(self, name):
        return ["--adapter", self.ADAPTERS[name]]

    def radio(self, _name):
        from handoff_peer.bluetooth import BluetoothRadio

        self._radio = BluetoothRadio(self._host)
        return self._radio

    async def links_end(self):
        if self._radio:
            await self._radio.end_links()
        # The peer's controller is not the kernel's, but the one at the other end of each of the peer's links is.
        await asyncio.to_thread(rig, "rig_wait_for_end_of_links 30")


async def pair(world, laptop, peer, calls):
    """Pairs both, the peer being the one that calls or the one that is called."""
    name = peer.state.own_name
    async with laptop.pairing() as user, peer.pair(calls) as request:
        async with world.step(f"both users see the same digits, and the peer {'calls' if calls else 'is called'}"):
            check(await user.digits(), await request.digits())
        async with world.step("both users confirm, and both devices are paired"):
            user.types("yes")
            await user.sees(f"Waiting for the answer on {name}")
            await request.confirm()
            check((await request.result()).outcome, "paired")
            await user.sees(f"Paired with {name}")
            check(await user.status(), 0)
    check((await laptop.states())[name], "trusted")
    check(peer.names(), {"laptop": "trusted"})


async def fetch(world, laptop, peer):
    """The peer fetches what the daemon publishes."""
    laptop_id = await laptop.id()
    async with laptop.monitoring() as monitor:
        info = json.dumps(EVERY_KIND)
        async with laptop.publishing(EDITING, "--title", "Kinds", "--user-info", info):
            async with world.step("the peer hears the activity and looks at it, which no app is told"):
                preview = await peer.client.fetch(laptop_id, "preview")
                check((preview.activity.type, preview.activity.title), (EDITING, "Kinds"))
                check(preview.activity.info, EVERY_KIND_HERE)
                await laptop.log("event=activity.previewed")
            async with world.step("the peer takes the activity, and its app is told that it is continued"):
                await peer.client.fetch(laptop_id, "take", "continued app")
                check((await monitor.event("continued"))["DeviceName"], peer.state.own_name)
                check(monitor.events.count("fetched"), 1)
            async with world.step("the peer takes it again and fails, which its app is told too"):
                await peer.client.fetch(laptop_id, "take", "failed appFailed")
                failure = await monitor.event("continuationFailed")
                check(failure["Error"], "org.handoffd.Error.AppFailed")
            async with world.step("the outcome of a third take comes in a later session"):
                take = await peer.client.fetch(laptop_id, "take", outcome=None)
                before = len(monitor.events)
                await peer.client.report(take, "continued browser")
                await monitor.event("continued")
                # A repetition is answered, and has no effect.
                await peer.client.report(take, "continued browser")
                check(monitor.events[before:].count("continued"), 1)
            async with world.step("what has another number is not current, and the refusal says what is"):
                shown = (await peer.entry(laptop_id)).number
                refused = await refusal_of(peer.client.fetch(laptop_id, number=shown._replace(index=shown.index ^ 1)))
                check((refused.code, refused.current["typeHash"]), ("NO_LONGER_CURRENT", type_hash(EDITING)))
                check((await peer.client.fetch(laptop_id)).activity.title, "Kinds")
        async with world.step("the peer hears that the activity has ended"):
            await peer.events.first("gone", wanted=lambda event: event.device == laptop_id)


async def refusal_of(request):
    """How a request is refused."""
    try:
        await request
    except AnswerRefused as refused:
        return refused
    raise Failure("the request was granted")


async def serve(world, laptop, peer):
    """The daemon continues what the peer publishes."""
    async with laptop.watching() as nearby:
        async with world.step("the peer publishes an activity, and the daemon discovers it"):
            peer.publish(Activity.of(EDITING, "Draft", EVERY_KIND_HERE))
            entry = (await asyncio.to_thread(nearby.wait_for_only, type_hash(EDITING).hex()))[0]
            check(entry["deviceName"], peer.state.own_name)
        async with world.step("the daemon looks at it"):
            activity = await laptop.ctl("continue", "--print", entry["id"])
            check((activity["type"], activity["title"], activity["userInfo"]), (EDITING, "Draft", EVERY_KIND))
            check((await peer.events.first("fetched")).purpose, "preview")
        async with world.step("the daemon takes it, and reports that it is continued"):
            await laptop.ctl("continue", "--print", "--take", entry["id"])
            report = await peer.events.first("reported")
            check((report.device, report.outcome), (await laptop.id(), "continued app"))
        async with world.step("another activity takes its place, then the peer withdraws it"):
            peer.publish(Activity.of(DRAWING, "Sketch", {"text": "x" * 20_000}))
            entry = (await asyncio.to_thread(nearby.wait_for_only, type_hash(DRAWING).hex()))[0]
            activity = await laptop.ctl("continue", "--print", entry["id"])
            check(len(activity["userInfo"]["text"]), 20_000)
            peer.withdraw()
            await asyncio.to_thread(nearby.wait_empty)


async def go_back_and_forth(world, laptop, peer):
    """The daemon continues activities of the peer that take turns, and one that it cannot hear yet."""
    kinds = {EDITING: "Draft", DRAWING: "Sketch"}
    async with laptop.watching() as nearby:
        async with world.step("the peer goes back and forth between two activities, and the daemon continues each"):
            for kind in list(kinds) * 3:
                peer.publish(Activity.of(kind, kinds[kind]))
                entry = (await asyncio.to_thread(nearby.wait_for_only, type_hash(kind).hex()))[0]
                check((await laptop.ctl("continue", "--print", entry["id"]))["title"], kinds[kind])
        async with world.step("the daemon asks for what is not current any more, and the refusal says what is"):
            with unchanging(peer.radio):
                peer.publish(Activity.of(EDITING, "Draft"))
                error = await laptop.refusal("continue", "--print", entry["id"])
                check("org.handoffd.Error.NoLongerCurrent" in error, True)
                entry = (await asyncio.to_thread(nearby.wait_for_only, type_hash(EDITING).hex()))[0]
                # The peer still advertises what was before, which is a replay now.
                check((await laptop.ctl("continue", "--print", entry["id"]))["title"], "Draft")
            peer.withdraw()
            await asyncio.to_thread(nearby.wait_empty)


@contextlib.contextmanager
def unchanging(radio):
    """A radio that advertises what it did before, whatever it is told, while the block runs."""
    async def advertise(*_):
        pass

    radio.advertise = advertise
    try:
        yield
    finally:
        del radio.advertise


async def stream(world, laptop, peer, size=STREAMED):
    """Bytes in both directions, with each side as the caller."""
    laptop_id, sent = await laptop.id(), os.urandom(size)
    async with world.step(f"the daemon's app sends {size} bytes, and gets the peer's answer"):
        async with in_thread(publishing_file(laptop, sent)) as publisher:
            take = await peer.client.fetch(laptop_id, "take")
            async with peer.client.stream(take) as opened:
                received, _ = await asyncio.gather(opened.read_all(), send_all(opened, b"thanks"))
                await opened.finish()
            check(received, sent)
            check((await asyncio.to_thread(publisher.communicate, timeout=TIMEOUT))[0], b"thanks")
            check(publisher.returncode, 0)
    async with world.step(f"the peer's app sends {size} bytes, and gets the daemon's answer"):
        answers = asyncio.get_running_loop().create_future()

        async def answer(opened):
            received, _ = await asyncio.gather(opened.read_all(), send_all(opened, sent))
            await opened.finish()
            answers.set_result(received)

        async with laptop.watching() as nearby:
            peer.publish(Activity.of(DRAWING, streams=True), on_stream=answer)
            await asyncio.to_thread(nearby.wait_for_type, type_hash(DRAWING).hex())
            command = [str(PROGRAMS / "handoffctl"), "stream", "--type", DRAWING, "--bus", laptop.machine.bus]
            result = await asyncio.to_thread(
                subprocess.run, command, input=b"question", capture_output=True, timeout=5 * TIMEOUT, check=False
            )
        check((result.returncode, result.stderr), (0, b""))
        check(result.stdout == sent, True)
        check(await answers, b"question")
        peer.withdraw()


async def send_all(opened, data):
    await opened.write(data)
    await opened.end()


@contextlib.contextmanager
def publishing_file(laptop, content):
    """An activity of the daemon with a stream that sends some bytes."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        command = [PROGRAMS / "handoffctl", "publish", "--type", EDITING, "--stream", "--bus", laptop.machine.bus]
        with process(command, stdin=file, stdout=subprocess.PIPE) as publisher:
            yield publisher


# The stories on the simulated air.


async def pairs_as_caller(world):
    """The peer calls a daemon, both users see the same digits, and each fetches from the other"""
    async with world.daemon("laptop") as laptop, world.peer() as peer:
        await pair(world, laptop, peer, calls=True)
        await fetch(world, laptop, peer)


async def pairs_as_listener(world):
    """A daemon calls the peer, both users see the same digits, and the daemon continues an activity of the peer"""
    async with world.daemon("laptop") as laptop, world.peer() as peer:
        await pair(world, laptop, peer, calls=False)
        await serve(world, laptop, peer)


async def refuses(world):
    """A user who sees other digits, on either side, ends the pairing on both"""
    async with world.daemon("laptop") as laptop, world.peer() as peer:
        async with world.step("the user of the peer refuses"):
            async with laptop.pairing() as user, peer.pair(calls=True) as request:
                await user.digits()
                await request.digits()
                user.types("yes")
                await request.refuse("DIGITS_DIFFER")
                await user.sees("The user of snake said that the digits differ")
                check(await user.status(), 1)
        async with world.step("the user of the daemon refuses"):
            async with laptop.pairing() as user, peer.pair(calls=False) as request:
                await request.digits()
                await user.digits()
                user.types("no")
                check((await request.result()).outcome, "DIGITS_DIFFER")
                check(await user.status(), 1)
        check((await laptop.states(), peer.names()), ({}, {}))


async def withdraws(world):
    """A user who stops after having confirmed ends the pairing, on either side, if the other user has not confirmed"""
    async with world.daemon("laptop") as laptop, world.peer() as peer:
        async with world.step("the user of the peer confirms, and stops"):
            async with laptop.pairing() as user, peer.pair(calls=True) as request:
                await user.digits()
                await request.digits()
                await request.confirm()
                await request.stop()
                check((await request.result()).outcome, "CANCELLED")
                await user.sees("The pairing was stopped on snake")
                check(await user.status(), 1)
        async with world.step("the user of the daemon confirms, and stops"):
            async with laptop.pairing() as user, peer.pair(calls=False) as request:
                await request.digits()
                await user.digits()
                user.types("yes")
                await user.sees("Waiting for the answer on snake")
                user.interrupt()
                check((await request.result()).outcome, "CANCELLED")
                check(await user.status(), 130)
        check((await laptop.states(), peer.names()), ({}, {}))


async def chooses(world):
    """Of several devices the user chooses, and the choice that a device has made alone is taken back before"""
    async with world.daemon("laptop") as laptop, world.peer("snake") as snake, world.peer("mole") as mole:
        async with laptop.pairing() as user, snake.pair(calls=True, chooses_alone=False) as one:
            async with world.step("the laptop chooses the only device, and takes that back when another one appears"):
                await one.events.first("chosen")
                async with mole.pair(calls=True) as other:
                    await one.events.first("choiceTakenBack")
                    line = (await user.sees(r"(?m)^.*\bmole\b.*$")).group(0)
                    user.types(re.search(r"[0-9]+", line).group(0))
                    await other.choose("laptop")
                    check(await user.digits(), await other.digits())
                    check((await one.events.first("refused")).reason, "NOT_CHOSEN")
                    user.types("yes")
                    await other.confirm()
                    check((await other.result()).outcome, "paired")
                    check(await user.status(), 0)
        check((await laptop.states(), snake.names(), mole.names()), ({"mole": "trusted"}, {}, {"laptop": "trusted"}))


async def reconciles(world):
    """When the channel is lost before both users know the result, both devices find out, with one result"""
    async with world.daemon("laptop") as laptop, world.peer() as peer:
        async with laptop.monitoring() as monitor:
            async with laptop.pairing() as user, peer.pair(calls=True) as request:
                await user.digits()
                await request.digits()
                async with world.step("the user of the peer confirms, and its channel is lost"):
                    await request.confirm()
                    await request.lose_channel()
                    check((await request.result()).outcome, "unconfirmed")
                    user.interrupt()
                    check(await user.status(), 130)
            async with world.step("the peer asks for the result, and learns that the laptop's user has stopped"):
                check((await peer.events.first("reconciled")).status, "notPaired")
            check((await laptop.states(), peer.names()), ({}, {}))
            start = len(peer.events.all)
            async with laptop.pairing() as user, peer.pair(calls=False) as request:
                await request.digits()
                await user.digits()
                async with world.step("both users confirm, but the laptop never receives the peer's confirmation"):
                    user.types("yes")
                    await request.events.first("otherConfirmed")
                    world.set_air("apart laptop snake\n")
                    await request.confirm()
                    check((await request.result()).outcome, "paired")
            async with world.step("the laptop asks for the result, and learns that it is paired"):
                world.set_air("")
                check((await peer.events.first("reconciled", start)).status, "paired")
                await monitor.until_states({"snake": "trusted"})


async def fetches(world):
    """The peer looks at an activity of a daemon, takes it, and reports what became of it"""
    async with world.friends() as (laptop, peer):
        await fetch(world, laptop, peer)


async def serves(world):
    """A daemon looks at and takes activities of the peer, which learns what became of them, and goes back and forth"""
    async with world.friends() as (laptop, peer):
        await serve(world, laptop, peer)
        await go_back_and_forth(world, laptop, peer)


async def streams(world):
    """Streams between the peer and a daemon carry bytes in both directions, whoever calls"""
    async with world.friends() as (laptop, peer):
        world.set_air("bandwidth 10000000\ndelay 1\nmtu 16384\n")
        await stream(world, laptop, peer)
        async with world.step("a stream that fails is not mistaken for one that ended"):
            async with in_thread(publishing_file(laptop, b"x" * 1_000_000)) as publisher:
                take = await peer.client.fetch(await laptop.id(), "take")
                async with peer.client.stream(take) as opened:
                    await opened.read()
                    await opened.close()
                await asyncio.to_thread(publisher.communicate, timeout=TIMEOUT)
                check(publisher.returncode, 1)


@contextlib.asynccontextmanager
async def desktop_of(world, laptop):
    """A desktop that the laptop trusts, and that knows no other device."""
    async with world.daemon("desktop") as desktop:
        await asyncio.to_thread(trust_each_other, laptop.machine, desktop.machine)
        yield desktop


@contextlib.asynccontextmanager
async def circle_of_three(world):
    """A laptop that trusts a desktop and the peer, which do not know each other."""
    async with world.friends() as (laptop, peer), desktop_of(world, laptop) as desktop:
        yield laptop, desktop, peer


async def until_names(peer, names):
    """Waits until the peer knows exactly these devices, in these standings."""
    if peer.names() != names:
        await peer.events.first("trust", wanted=lambda event: event.names == names)


async def joins(world):
    """A device that one member has added is known to all, and each continues activities of the others"""
    async with circle_of_three(world) as (laptop, desktop, peer), desktop.monitoring() as at_desktop:
        async with world.step("the laptop advertises, and everybody learns of everybody and of new names"):
            peer.rename(await laptop.id(), "Travel")
            await laptop.ctl("devices", "rename", peer.id.hex(), "Python")
            async with laptop.publishing(EDITING), desktop.watching():
                await until_names(peer, {"Travel": "trusted", "desktop": "trusted"})
                check(peer.state.circle.name(peer.id), "Python")
                await at_desktop.until_states({"Travel": "trusted", "Python": "trusted"})
        check((await laptop.ctl("status"))["deviceName"], "Travel")
        await continue_each_other(world, desktop, peer)


async def continue_each_other(world, desktop, peer):
    """Two devices that a third one has introduced continue activities of each other."""
    async with world.step("the desktop, to which nobody gave the peer's card, continues its activity"):
        async with desktop.watching() as nearby:
            peer.publish(Activity.of(DRAWING, "Sketch"))
            entries = await asyncio.to_thread(nearby.wait_for_type, type_hash(DRAWING).hex())
            entry = next(entry for entry in entries if entry["typeHash"] == type_hash(DRAWING).hex())
            check((await desktop.ctl("continue", "--print", entry["id"]))["title"], "Sketch")
            peer.withdraw()
        await world.links_end()
    async with world.step("the peer fetches from the desktop, which it has never met before"):
        async with desktop.publishing(EDITING, "--title", "Draft"):
            fetched = await peer.client.fetch(await desktop.id())
            check(fetched.activity.title, "Draft")
        await world.links_end()


async def removes(world):
    """A removal by the peer takes effect at a daemon, and one by a daemon takes effect at the peer"""
    async with circle_of_three(world) as (laptop, desktop, peer):
        async with world.step("the laptop introduces the peer and the desktop"):
            async with laptop.publishing(EDITING):
                await until_names(peer, {"laptop": "trusted", "desktop": "trusted"})
        await remove(world, laptop, desktop, peer)
        await be_removed(world, laptop, await desktop.id(), peer)


async def remove(world, laptop, desktop, peer):
    """The peer removes the desktop, which the laptop concludes too."""
    laptop_id = await laptop.id()
    async with laptop.monitoring() as at_laptop, desktop.watching() as at_desktop:
        async with world.step("the peer removes the desktop, and the laptop hears the news"):
            peer.remove(await desktop.id())
            async with laptop.watching():
                peer.publish(Activity.of(EDITING))
                await at_laptop.until_states({peer.state.own_name: "trusted"})
            peer.withdraw()
            await world.links_end()
        async with world.step("the laptop refuses the card of the desktop, whose removal is final"):
            error = await laptop.refusal("devices", "trust", (await desktop.ctl("devices", "card"))["card"])
            check("org.handoffd.Error.DeviceRemoved" in error, True)
        async with world.step("the desktop cannot open what the peer hears of the laptop"):
            await asyncio.to_thread(at_desktop.wait_empty)
            async with laptop.publishing(DRAWING):
                await peer.entry(laptop_id, lambda content: content.type_hash == type_hash(DRAWING))
                check((await peer.client.fetch(laptop_id)).activity.type, DRAWING)
                check(at_desktop.entries, [])
            await world.links_end()


async def be_removed(world, laptop, desktop_id, peer):
    """The laptop removes the peer, which had removed the desktop, and keeps the desktop."""
    laptop_id = await laptop.id()
    async with laptop.publishing(EDITING):
        async with world.step("the laptop removes the peer, and keeps what the peer had removed"):
            await peer.entry(laptop_id, lambda content: content.type_hash == type_hash(EDITING))
            await laptop.ctl("devices", "remove", "--yes", peer.id.hex())
            check(await laptop.states(), {"desktop": "disputed"})
            await laptop.ctl("devices", "keep", desktop_id.hex())
            check(await laptop.states(), {"desktop": "trusted"})
        async with world.step("the peer cannot open the laptop's advertisements, and its calls are not answered"):
            check(await is_answered(peer, laptop_id), False)


async def is_answered(peer, device_id):
    """Whether a device whose advertisements the peer cannot open answers it, or closes the channel without a word."""
    entry, reports = await peer.entry(device_id), asyncio.Queue()

    def hear(report):
        if report.service == SERVICE and not peer.state.open(report.data, time.time()):
            reports.put_nowait(report)

    peer.radio.hear(hear)
    channel = None
    while channel is None:
        # The address of a report is a new one soon, and nobody answers at the one before.
        with contextlib.suppress(TimeoutError):
            report = await reports.get()
            async with asyncio.timeout(1):
                channel = await peer.radio.dial(report.address, entry.content.port)
    request = fetch_request(entry.number.slot, entry.number.index, "preview")
    session = await Session.call(channel, peer.state.identity, peer.state.keys_of(device_id), request)
    try:
        await session.receive(LONGEST_ANSWER)
    except ChannelEnded:
        return False
    finally:
        await session.close()
    return True


async def hears_news(world):
    """A device that was away while a key was replaced gets the new one by an advertisement for it alone"""
    async with world.daemon("laptop") as laptop:
        async with world.peer() as peer:
            await laptop.trust(peer)
            async with world.step("the peer and the laptop tell each other their keys"):
                async with laptop.publishing(EDITING):
                    await peer.events.first("updated")
        async with world.step("while the peer is away, a device joins at the laptop and is removed"):
            mole = Device(world.radio("mole"), "mole")
            await laptop.ctl("devices", "trust", mole.card)
            await laptop.ctl("devices", "remove", "--yes", mole.id.hex())
        async with world.peer(state=peer.state) as peer:
            async with world.step("the peer hears the laptop's news, and then its activity"):
                async with laptop.publishing(DRAWING, "--title", "Sketch"):
                    await until_names(peer, {"laptop": "trusted", "mole": "removed"})
                    check((await peer.client.fetch(await laptop.id())).activity.title, "Sketch")
            async with world.step("while the laptop is away, the peer makes a new key"):
                await asyncio.to_thread(laptop.machine.crash)
                peer.replace_key()
                before = len(peer.events.all)
                await asyncio.to_thread(laptop.machine.start)
            async with world.step("the laptop hears the peer's news, and then its activity"):
                peer.publish(Activity.of(EDITING, "Draft"))
                async with laptop.watching() as nearby:
                    # The laptop calls, which has heard the peer, unless the peer has heard its greeting first.
                    await peer.events.first("updated", before)
                    entry = (await asyncio.to_thread(nearby.wait_for_only, type_hash(EDITING).hex()))[0]
                    check((await laptop.ctl("continue", "--print", entry["id"]))["title"], "Draft")


async def over_bluetooth(world):
    """The same over Bluetooth, one after the other

    An emulated controller confuses two links that others have made to it. So only two devices meet at a time: the links
    of the meeting before have ended, and whoever else would call is away.
    """
    async with world.daemon("laptop") as laptop:
        async with world.peer() as peer:
            await pair(world, laptop, peer, calls=True)
            await fetch(world, laptop, peer)
            await serve(world, laptop, peer)
            await stream(world, laptop, peer, 20_000)
        async with desktop_of(world, laptop) as desktop:
            desktop_id = await desktop.id()
            # It scans before the laptop advertises, since an emulated controller reports an advertisement once.
            async with desktop.monitoring() as at_desktop, desktop.watching():
                async with world.step("while the peer is away, the desktop learns of it from the laptop"):
                    async with laptop.publishing(EDITING):
                        await at_desktop.until_states({"laptop": "trusted", "snake": "trusted"})
                    await world.links_end()
            async with world.peer(state=peer.state) as peer:
                async with world.step("the peer learns of the desktop from the laptop"):
                    async with laptop.publishing(EDITING):
                        await until_names(peer, {"laptop": "trusted", "desktop": "trusted"})
                    await world.links_end()
                await continue_each_other(world, desktop, peer)
                await remove(world, laptop, desktop, peer)
        async with world.peer(state=peer.state) as peer:
            await be_removed(world, laptop, desktop_id, peer)
        async with world.peer("adder") as adder:
            await pair(world, laptop, adder, calls=False)


STORIES = {
    story.__name__: story
    for story in (
        pairs_as_caller, pairs_as_listener, refuses, withdraws, chooses, reconciles, fetches, serves, streams, joins,
        removes, hears_news,
    )
}


def run_on_air(story):
    """Runs one story on an air of its own."""
    with tempfile.TemporaryDirectory(prefix="handoff-peer-") as directory:
        os.environ.update(HOME=directory, XDG_CONFIG_HOME="", XDG_STATE_HOME="", XDG_RUNTIME_DIR=directory)
        asyncio.run(story(World(pathlib.Path(directory), Steps())))
    print(f"{story.__name__}: ok", flush=True)


async def in_rig(directory):
    """The story over Bluetooth, with the adapter that bluetoothd has given up."""
    from handoff_peer.bluetooth import bluetooth_host

    async with bluetooth_host("hci-socket:1") as host:
        await over_bluetooth(RigWorld(directory, Steps(), host))


def run_in_rig():
    """Runs the story over Bluetooth in a guest."""
    rig("rig_power 1 off")
    with tempfile.TemporaryDirectory(prefix="handoff-peer-") as directory:
        asyncio.run(in_rig(pathlib.Path(directory)))
    print("story of the peer over Bluetooth: ok", flush=True)


def main():
    """Runs the stories of the command line."""
    if sys.argv[1:] == ["--rig"]:
        run_story(run_in_rig)
        return
    if len(sys.argv) < 2 or not set(sys.argv[1:]) <= set(STORIES):
        sys.exit("\n".join(f"{name:18} {story.__doc__}" for name, story in STORIES.items()))
    for name in sys.argv[1:]:
        run_story(lambda name=name: run_on_air(STORIES[name]))


if __name__ == "__main__":
    main()
