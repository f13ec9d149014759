"""The scenarios of continuations: an app continues an activity, with a document or without, while something fails."""

import contextlib
import pathlib
import signal
import subprocess

from faults import TYPES, Publisher, check, heal, poll, random_fault
from world import TIMEOUT, Lines, process, type_hash

HERE = pathlib.Path(__file__).parent
APP = (
    "[Desktop Entry]\nType=Application\nName=Editor\nDBusActivatable=true\n"
    f"X-Handoff-ActivityTypes={';'.join(TYPES)};\n"
)


class App:
    """The app of a machine that continues the activities, and answers as it is told."""

    def __init__(self, child):
        self._child = child
        self._lines = Lines(child.stdout)
        self._start = 0
        self._lines.wait(lambda line: line == "ready", "the app")

    def answer(self, answer):
        """From now on, the app answers `yes`, `no` or `error`; its calls are counted anew."""
        self._say(answer)
        self._start = len(self._lines.seen)

    def calls(self):
        """The names of the calls since then, in their order."""
        # Something that the app prints only now shows that all calls before have been read.
        self._say("sync")
        return [line.split()[0] for line in self._lines.seen[self._start:] if line != "sync"]

    def _say(self, word):
        self._child.stdin.write(word + "\n")
        self._lines.wait(lambda line: line == word, f"the app repeats {word}")

    def wait_for_end(self, what):
        """Waits until the app was told of the end, if it was told of the beginning."""

        def is_complete():
            found = self.calls()
            return "WillContinue" not in found or found.count("Continue") + found.count("DidFail") > 0

        # A daemon that was killed tells the app with its next run, which has begun.
        poll(is_complete, f"{what}: the end of a continuation that the app was told of")

    def check_calls(self, result, what, was_restarted):
        """Checks what the app was told."""
        found = self.calls()
        ends = [call for call in found if call != "WillContinue"]
        check(len(ends) <= 1, f"{what}: the app got {found}")
        check(found.count("WillContinue") <= 1, f"{what}: the app got {found}")
        check("WillContinue" in found or not ends or was_restarted, f"{what}: the app got {found}")
        check(result != 0 or "Continue" in found, f"{what}: the app got {found}")


@contextlib.contextmanager
def app_of(machine):
    """The app of a machine whose daemon was not started yet; the caller starts it."""
    applications = machine.directory / "share/applications"
    applications.mkdir(parents=True)
    (applications / "org.example.Editor.desktop").write_text(APP, encoding="utf-8")
    with process(
        ["/usr/bin/python3", HERE / "app.py", machine.bus], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as child:
        yield App(child)


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
    app.answer(answer)
    name, _, arm = random_fault(world, random, "bus", "bus")
    arm()
    result = world.desktop.run("continue", "--type", publisher.type)
    hit, ended = heal(world)
    what = f"with {name}, and an app that answers {answer}, continue ended with {result.returncode}"
    app.wait_for_end(what)
    app.check_calls(result.returncode, what, "desktop" in ended)
    if not hit:
        check((result.returncode == 0) == (answer == "yes"), f"{what}: {result.stderr.strip()}")
    return hit


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
    app.answer("yes")
    begin = world.desktop.log.count
    command = world.desktop.command("continue", "--type", publisher.type)
    with process(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as caller:
        kind, fault = fault_while_waiting(world, random, caller)
        is_first = random.random() < 0.5
        check(world.desktop.log.wait("event=document.awaited", begin), "the daemon has ended while it waits for a document")
        steps = [fault, lambda: synchronise(there, here)]
        for step in steps if is_first else reversed(steps):
            step()
        _, ended = heal(world)
        errors = caller.communicate(timeout=TIMEOUT)[1].strip()
    order = "before" if is_first else "after"
    what = f"with {kind} {order} the document arrives, continue ended with {caller.returncode} ({errors})"
    check_document(app, kind, is_first, caller.returncode, errors, what, "desktop" in ended)
    again(world, publisher, app, what)
    return kind != "nothing"


def fault_while_waiting(world, random, caller):
    """A fault while the desktop waits for a document: its name, and a function that does it."""
    kinds = {
        "kill": world.desktop.kill, "stop": world.desktop.interrupt, "bus": world.desktop.restart_bus,
        "cut": world.air.cut, "laptop": world.laptop.kill, "caller": lambda: caller.send_signal(signal.SIGINT),
        "nothing": lambda: None,
    }
    return random.choice(sorted(kinds.items()))


def check_document(app, kind, is_first, status, errors, what, was_restarted):
    """Checks how a continuation has ended that waited for its document while there was a fault."""
    # Killed, or without its bus, at the very moment in which it gives the activity to the app, the daemon leaves the app
    # without either (Docs/dbus/Application1.md).
    if is_first or kind not in ("kill", "bus"):
        app.wait_for_end(what)
    app.check_calls(status, what, was_restarted)
    # The activity itself is here already: its device is not needed any more.
    check(status == 0 or kind not in ("nothing", "cut", "laptop"), what)
    check(status == 0 or errors, f"{what}, without a reason")


def synchronise(source, destination):
    """Brings a document as synchronisers do: under another name first."""
    part = destination.with_name(".part")
    part.write_bytes(source.read_bytes())
    part.rename(destination)


def again(world, publisher, app, what):
    """After the fault, the same document can be continued."""
    publisher.ensure()
    world.entry(type_hash(publisher.type))
    app.answer("yes")
    result = world.desktop.run("continue", "--type", publisher.type)
    what = f"{what}; the next one ended with {result.returncode} ({result.stderr.strip()})"
    # The end of the one before may have come only now.
    check(app.calls()[-2:] == ["WillContinue", "Continue"], f"{what}: the app got {app.calls()}")
    check(result.returncode == 0, what)
