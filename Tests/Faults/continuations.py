"""The scenarios of continuations: an app continues an activity, with a document or without, while something fails."""

import contextlib
import functools
import pathlib
import signal
import subprocess
import threading

from faults import TYPES, Publisher, check, heal, random_fault
from orders import KILL_AFTER, RENAME
from world import TIMEOUT, Lines, process, type_hash

HERE = pathlib.Path(__file__).parent
APP = (
    "[Desktop Entry]\nType=Application\nName=Editor\nDBusActivatable=true\n"
    f"X-Handoff-ActivityTypes={';'.join(TYPES)};\n"
)
# The calls that end a continuation.
ENDS = {"Continue", "DidFail"}


class App:
    """The app of a machine that continues the activities, and answers as it is told."""

    # What it prints besides its calls.
    ECHOES = {"ready", "yes", "no", "error", "sync", "bus"}

    def __init__(self, child):
        self._child = child
        self._lines = Lines(child.stdout)
        self._start = 0
        # More than one thread tells it something: the bus may be lost at any time.
        self._turn = threading.Lock()
        # It appears on the first one by itself.
        self._buses = 1
        self._lines.wait(lambda line: line == "ready", "the app")

    def appear(self):
        """Makes the app appear on the machine's next bus."""
        self._buses += 1
        self._write("bus")

    def begin(self, answer):
        """From now on, the app answers `yes`, `no` or `error`; its calls are counted anew."""
        self.answer(answer)
        self._start = len(self._lines.seen)

    def answer(self, answer):
        """From now on, the app answers `yes`, `no` or `error`, on the newest bus."""
        while self._buses > self._lines.seen.count("bus"):
            self._lines.wait(lambda line: line == "bus", "the app appears on the next bus")
        self._say(answer)

    def calls(self):
        """The names of the calls since `begin`, in their order."""
        # Something that the app prints only now shows that all calls before have been read.
        self._say("sync")
        return [line.split()[0] for line in self._lines.seen[self._start:] if line not in self.ECHOES]

    @property
    def accepted(self):
        """How many activities the app has accepted, as far as its lines were read."""
        return self._lines.seen.count("Continue yes")

    def _write(self, word):
        with self._turn:
            self._child.stdin.write(word + "\n")

    def _say(self, word):
        self._write(word)
        self._lines.wait(lambda line: line == word, f"the app repeats {word}")

    def wait_for_end(self, what):
        """Waits until the app was told of the end, if it was told of the beginning."""
        found = self.calls()
        if "WillContinue" in found and not ENDS.intersection(found):
            # A daemon that was killed tells the app with its next run, which has begun.
            self._lines.wait(
                lambda line: line.split()[0] in ENDS, f"{what}: the end of a continuation that the app was told of"
            )


@contextlib.contextmanager
def app_of(machine):
    """The app of a machine whose daemon was not started yet; the caller starts it."""
    applications = machine.directory / "share/applications"
    applications.mkdir(parents=True)
    (applications / "org.example.Editor.desktop").write_text(APP, encoding="utf-8")
    with process(
        ["/usr/bin/python3", HERE / "app.py", machine.bus], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as child:
        app = App(child)
        machine.on_bus = app.appear
        try:
            yield app
        finally:
            machine.on_bus = lambda: None


class Cut:
    """What has cut off the desktop from its programs, if something has, and what it had left to tell them."""

    def __init__(self, world):
        self._desktop = world.desktop
        self._desktop.take_cut()
        self._begin = self._desktop.log.count
        self._announcements = None

    def look(self, machine):
        """Reads the journal of a daemon that has ended, before the next one starts."""
        if machine is self._desktop:
            self._announcements = machine.announcements()

    @functools.cached_property
    def kind(self):
        """What has cut it off since: `kill`, `bus`, or None for nothing; to be asked after the fault."""
        return self._desktop.take_cut()

    def may_lack_end(self):
        """Whether the app may get neither Continue nor DidFail (Docs/dbus/Application1.md).

        The daemon was killed, or lost its bus, as it gave the app the activity: it had that, and a daemon that was killed
        had nothing more to tell.
        """
        has_activity = any("event=fetch.acknowledged" in line for line in self._desktop.log.since(self._begin))
        return has_activity and (self.kind == "bus" or self.kind == "kill" and self._announcements == 0)


def check_calls(found, result, what, cut):
    """Checks what the app was told of one continuation."""
    ends = [call for call in found if call != "WillContinue"]
    check(len(ends) <= 1, f"{what}: the app got {found}")
    check(found.count("WillContinue") <= 1, f"{what}: the app got {found}")
    # Only a daemon that was cut off may have told the app nothing but the end.
    check("WillContinue" in found or not ends or cut.kind and ends == ["DidFail"], f"{what}: the app got {found}")
    check(result != 0 or "Continue" in found, f"{what}: the app got {found}")


def check_origin(publisher, app, what):
    """Checks that the origin counts nothing as continued that the app has not accepted."""
    told = publisher.told()
    check(told <= app.accepted, f"{what}: the origin was told {told} times of {app.accepted} activities")


def continuation(world, random):
    """A continuation meets a fault: the app gets WillContinue, and then exactly one of Continue and DidFail."""
    with app_of(world.desktop) as app:
        world.start()
        publisher = Publisher(world.laptop)
        try:
            for _ in range(5):
                yield one_continuation(world, random, publisher, app)
        finally:
            publisher.end()


def one_continuation(world, random, publisher, app):
    publisher.ensure()
    world.entry(type_hash(publisher.type))
    answer = random.choice(["yes", "yes", "no", "error"])
    app.begin(answer)
    name, arm = fault_of_continuation(world, random)
    cut = Cut(world)
    arm()
    result = world.desktop.run("continue", "--type", publisher.type)
    hit = heal(world, cut.look)
    what = f"with {name}, and an app that answers {answer}, continue ended with {result.returncode}"
    if cut.may_lack_end():
        calls = again(world, publisher, app, what)
    else:
        app.wait_for_end(what)
        calls = app.calls()
    check_calls(calls, result.returncode, what, cut)
    check_origin(publisher, app, what)
    if not hit:
        check((result.returncode == 0) == (answer == "yes"), f"{what}: {result.stderr.strip()}")
    return hit


def fault_of_continuation(world, random):
    """A random fault, or one just when the daemon gives the activity to the app: its name, and a function that arms it."""
    if random.random() < 0.8:
        name, _, arm = random_fault(world, random, "bus", "bus")
        return name, arm
    # The daemon writes its journal before it tells the app that an activity comes, and before it gives it the activity.
    desktop, moment = world.desktop, (RENAME, 2)
    faults = {
        "kill": lambda: desktop.orders.give(KILL_AFTER, *moment, 0),
        "bus": lambda: desktop.pause_and(desktop.restart_bus, *moment),
    }
    kind = random.choice(sorted(faults))
    return f"{kind} as desktop gives the activity to the app", faults[kind]


def document(world, random):
    """A fault while a document is waited for: the app gets it whole or a failure, and the next continuation works."""
    with app_of(world.desktop) as app:
        world.start()
        for machine in world.machines:
            (machine.directory / "docs").mkdir()
            machine.json("folders", "add", "docs", machine.directory / "docs")
        publisher = Publisher(world.laptop)
        try:
            for number in range(4):
                yield one_document(world, random, publisher, app, f"report{number}.txt")
        finally:
            publisher.end()


def one_document(world, random, publisher, app, file):
    there, here = (machine.directory / "docs" / file for machine in world.machines)
    there.write_text(file, encoding="utf-8")
    publisher.end()
    publisher.arguments = "--document", there
    publisher.ensure()
    world.entry(type_hash(publisher.type))
    app.begin("yes")
    cut, begin = Cut(world), world.desktop.log.count
    command = world.desktop.command("continue", "--type", publisher.type)
    with process(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as caller:
        kind, fault = fault_while_waiting(world, random, caller)
        is_first = random.random() < 0.5
        check(world.desktop.log.wait("event=document.awaited", begin), "the daemon has ended while it waits for a document")
        steps = [fault, lambda: synchronise(there, here)]
        for step in steps if is_first else reversed(steps):
            step()
        heal(world, cut.look)
        errors = caller.communicate(timeout=TIMEOUT)[1].strip()
    order = "before" if is_first else "after"
    what = f"with {kind} {order} the document arrives, continue ended with {caller.returncode} ({errors})"
    # Before the document was here, the activity could not be given to the app.
    if not cut.may_lack_end() or is_first:
        app.wait_for_end(what)
    # The activity itself is here already: its device is not needed any more.
    check(caller.returncode == 0 or kind not in ("nothing", "cut", "laptop"), what)
    check(caller.returncode == 0 or errors, f"{what}, without a reason")
    check_calls(again(world, publisher, app, what), caller.returncode, what, cut)
    check_origin(publisher, app, what)
    return kind != "nothing"


def fault_while_waiting(world, random, caller):
    """A fault while the desktop waits for a document: its name, and a function that does it."""
    kinds = {
        "kill": world.desktop.kill, "stop": world.desktop.interrupt, "bus": world.desktop.lose_bus,
        "cut": world.air.cut, "laptop": world.laptop.kill, "caller": lambda: caller.send_signal(signal.SIGINT),
        "nothing": lambda: None,
    }
    return random.choice(sorted(kinds.items()))


def synchronise(source, destination):
    """Brings a document as synchronisers do: under another name first."""
    part = destination.with_name(".part")
    part.write_bytes(source.read_bytes())
    part.rename(destination)


def again(world, publisher, app, what):
    """After the fault, the same activity can be continued; returns the calls of the app before that."""
    publisher.ensure()
    world.entry(type_hash(publisher.type))
    app.answer("yes")
    result = world.desktop.run("continue", "--type", publisher.type)
    what = f"{what}; the next one ended with {result.returncode} ({result.stderr.strip()})"
    calls = app.calls()
    # The end of the one before may have come only now.
    check(calls[-2:] == ["WillContinue", "Continue"], f"{what}: the app got {calls}")
    check(result.returncode == 0, what)
    return calls[:-2]
