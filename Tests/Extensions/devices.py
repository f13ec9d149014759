"""Two computers on a simulated air, with a synchronised folder and an empty home each, and programs in terminals.

`run` starts them once, for all tests. Everything waits for events; time limits only end a wait that has failed.
"""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/Stories"))

from monitor import monitoring  # noqa: E402
from screens import Terminal  # noqa: E402
from world import PROGRAMS, TIMEOUT, Failure, Lines, device, process, trust_each_other, type_hash  # noqa: E402

TYPE = "org.handoffd.document.text"
# Below the home directory of a computer.
EDIT = "usr/libexec/handoffd/handoff-edit"
# The minor mode for Emacs, as the person loads it.
EMACS_MODE = f"(add-to-list 'load-path \"{ROOT / 'Extensions/Emacs'}\")\n(require 'handoff)"
# When documents were written, in seconds since 1970.
WRITTEN = 1_700_000_000
# What handoffctl says of an activity that has ended, and of a device that did not answer.
GONE = ("NoLongerCurrent", "NoSuchActivity", "There is no activity", "there is no object")
BUSY = ("PeerUnreachable", "it was too busy")
# What the environment of a test must not inherit: settings of the person who runs it, and of an editor around it.
SETTINGS = ["VISUAL", "EDITOR", "ALTERNATE_EDITOR", "NVIM", "NVIM_LISTEN_ADDRESS", "VIMINIT", "VIM", "VIMRUNTIME",
            "EMACS_SERVER_FILE", "EMACS_SOCKET_NAME", "DISPLAY", "WAYLAND_DISPLAY", "XDG_CONFIG_DIRS", "TERMINAL",
            "SSH_CONNECTION", "TMUX", "TMUX_PANE", "TMUX_TMPDIR", "PROMPT_COMMAND", "ZDOTDIR", "PS1", "SHELL"]


# How systemd executes a service: with few variables, of which one is its own process (systemd.exec(5)).
SERVICE = ["sh", "-c", "unset DISPLAY; export OF_THE_UNIT=1 SYSTEMD_EXEC_PID=$$; exec \"$@\"", "sh"]


class Home:
    """The home directory of a person, with the programs of Extensions installed in it and a folder `docs`; no daemon."""

    def __init__(self, name, directory):
        self.home = directory / name
        self.docs = self.home / "docs"
        self.runtime = self.home / "run"
        self.bin = self.home / "bin"
        for path in (self.docs, self.bin, self.home / "tmp", self.home / "share", self.home / "config"):
            path.mkdir(parents=True)
        self.runtime.mkdir(mode=0o700)
        subprocess.run(["make", "-s", "-C", ROOT, "install-extensions", f"PREFIX={self.home / 'usr'}"], check=True)

    def environment(self, **more):
        """The variables of a program of this person."""
        values = {key: value for key, value in os.environ.items() if key not in SETTINGS}
        values.update(
            HOME=str(self.home), XDG_RUNTIME_DIR=str(self.runtime), TMPDIR=str(self.home / "tmp"),
            TERM="xterm-256color", LC_ALL="C.UTF-8", XDG_CONFIG_HOME=str(self.home / "config"),
            XDG_DATA_HOME=str(self.home / "share"), XDG_STATE_HOME=str(self.home / "state"), XDG_DATA_DIRS=str(self.home / "usr/share"),
            PATH=f"{self.bin}:/usr/local/bin:/usr/bin:/bin",
        )
        values.update(more)
        return values

    def write(self, name, text="one\ntwo\nthree\n"):
        """A file of the folder; `name` may be bytes."""
        path = os.fsencode(self.docs) + b"/" + os.fsencode(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def program(self, name, text):
        """A program that is found first, also by the daemon's programs and by editors."""
        path = self.bin / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return path

    def empty(self):
        """Removes the documents and the settings."""
        for directory in (self.docs, self.home / "config"):
            shutil.rmtree(directory)
            directory.mkdir()


class Computer(Home):
    """One computer of the user: a home directory, a daemon, a synchronised folder `docs`, and a display of none."""

    def __init__(self, name, directory, radio, stack, is_service=False):
        super().__init__(name, directory)
        (self.bin / "handoffctl").symlink_to(PROGRAMS / "handoffctl")
        with self._as_environment():
            prefix = SERVICE if is_service else []
            self.device = stack.enter_context(device(name, directory, radio, prefix))
        self.ctl = self.device.ctl
        self.ctl("folders", "add", "docs", self.docs)
        self.events = Events(stack.enter_context(monitoring(self.device.bus)))

    def environment(self, **more):
        """As of every home, with the bus of the daemon."""
        bus = {"DBUS_SESSION_BUS_ADDRESS": self.device.bus} if hasattr(self, "device") else {}
        return super().environment(**{**bus, **more})

    @contextlib.contextmanager
    def _as_environment(self):
        before = dict(os.environ)
        # The terminal emulator of the tests needs no display, but handoff-edit expects one for it.
        values = self.environment(DISPLAY=":nowhere")
        values.pop("DBUS_SESSION_BUS_ADDRESS", None)
        os.environ.clear()
        os.environ.update(values)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


class Events:
    """The changes that `handoffctl monitor` prints."""

    def __init__(self, lines):
        self._lines = lines
        # The activities of this device that exist, as far as the events have been read.
        self._activities = set()

    def wait(self, what, wanted):
        """The first event not yet read for which `wanted` is true."""
        return json.loads(self._lines.wait(lambda line: wanted(self._read(line)), what))

    def waiting(self):
        """Reads the events that have happened, and returns their number."""
        return len([self._read(line) for line in self._lines.waiting()])

    def wait_idle(self):
        """Waits until this device has no activity."""
        self.waiting()
        if self._activities:
            self.wait("the end of all activities", lambda _: not self._activities)

    def _read(self, line):
        event = json.loads(line)
        if event["event"] in ("added", "removed") and event["interface"] == "org.handoffd.Activity1":
            (self._activities.add if event["event"] == "added" else self._activities.discard)(event["object"])
        return event

    def wait_activity(self, event, what="an activity"):
        """The next activity of this device that is `added` or `removed`."""
        return self.wait(what, lambda e: e["event"] == event and e["interface"] == "org.handoffd.Activity1")

    def wait_document(self, path):
        """The next activity that is about this file, which is offered from then on; its properties."""
        def is_about(event):
            url = event["properties"].get("DocumentURL", "")
            return urllib.parse.unquote_to_bytes(url) == b"file://" + os.fsencode(path)
        return self.wait(f"an activity about {path!r}", is_about)["properties"]


class Pair:
    """The laptop, on which things begin, and the desktop, on which they are continued, with the same documents."""

    def __init__(self, directory, stack, desktop_is_service=False):
        (directory / "air").mkdir()
        radio = ["--radio", f"simulated:{directory / 'air'}"]
        self.laptop = Computer("laptop", directory, radio, stack)
        self.desktop = Computer("desktop", directory, radio, stack, desktop_is_service)
        trust_each_other(self.laptop.device, self.desktop.device)
        self.nearby = stack.enter_context(self.desktop.device.watching())

    @contextlib.contextmanager
    def reversed(self):
        """The same computers, as if things began on the desktop, and the laptop continued them."""
        with self.laptop.device.watching() as nearby:
            pair = object.__new__(Pair)
            pair.laptop, pair.desktop, pair.nearby = self.desktop, self.laptop, nearby
            yield pair

    def write(self, name, text="one\ntwo\nthree\n"):
        """The same document on both computers; returns its path on the laptop and on the desktop."""
        paths = self.laptop.write(name, text), self.desktop.write(name, text)
        for path in paths:
            os.utime(path, (WRITTEN, WRITTEN))
        return paths

    def wait_offered(self, kind=TYPE):
        """Waits until the desktop lists an activity of a type."""
        self.nearby.refresh()
        self.nearby.wait_for_type(type_hash(kind))

    def wait_nothing(self):
        """Waits until the desktop lists nothing."""
        self.nearby.refresh()
        self.nearby.wait_empty()

    def fetch(self, kind=TYPE):
        """The activity as the desktop gets it now, after the editor has saved it.

        An advertisement changes at most five times in ten seconds, so that the list may show an activity that has
        ended, or not yet one that has begun: then this waits for the next list.
        """
        deadline = time.monotonic() + TIMEOUT
        while True:
            self.nearby.refresh()
            self.wait_offered(kind)
            tried = self.nearby.entries
            try:
                return self.desktop.ctl("continue", "--print", "--fresh", tried[0]["id"])
            except Failure as failure:
                # On a busy machine, a device may not answer in time.
                if any(text in str(failure) for text in BUSY) and time.monotonic() < deadline:
                    continue
                if not any(text in str(failure) for text in GONE):
                    raise
                self.nearby.wait(lambda entries: entries != tried, "another list")

    def place(self):
        """The path relative to the synchronised folder, line and column that the desktop gets now."""
        info = self.fetch()["userInfo"]
        return self.relative(info), info["line"], info["column"]

    def relative(self, info):
        """The path of an activity's document below the synchronised folder of the desktop, as bytes."""
        path = urllib.parse.unquote_to_bytes(info["NSUserActivityDocumentURLKey"]["$url"][len("file://"):])
        folder = os.fsencode(self.desktop.docs) + b"/"
        if not path.startswith(folder):
            raise Failure(f"{path!r} is not below {folder!r}")
        return path[len(folder):]

    @contextlib.contextmanager
    def publishing(self, **parts):
        """An activity of the laptop that is written by the test itself; its parts as `--follow` reads them."""
        command = [PROGRAMS / "handoffctl", "publish", "--follow", "--json", "--bus", self.laptop.device.bus]
        with process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as publisher:
            publisher.events = Lines(publisher.stdout)
            publisher.stdin.write(json.dumps({"type": TYPE, **parts}) + "\n")
            publisher.stdin.flush()
            publisher.events.wait(lambda line: '"offered"' in line, "an activity of the laptop")
            yield publisher
            publisher.stdin.close()
            publisher.wait(timeout=TIMEOUT)


class ProgramTest(unittest.TestCase):
    """A test of programs of Extensions by themselves: it needs no daemon, and nothing that is built."""

    longMessage = True

    @classmethod
    def setUpClass(cls):
        directory = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="hp-", dir="/tmp"))
        cls.home = Home("home", pathlib.Path(directory).resolve())

    def setUp(self):
        self.addCleanup(self.home.empty)
        self.notes = self.home.home / "notes"
        self.notes.write_text("", encoding="utf-8")
        self.home.program("notify-send", f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> {self.notes}\n")

    def run_program(self, name, kind, path=None, info=(), limit=None, **parts):
        """Runs a program with an activity, about a document if there is a path; returns its status and what it printed.

        With a limit, it may take so many seconds of processor time.
        """
        info = {"version": 1, **dict(info)}
        if path is not None:
            info["NSUserActivityDocumentURLKey"] = {"$url": "file://" + urllib.parse.quote(path)}
        variables = parts.pop("variables", {})
        within = ["prlimit", f"--cpu={limit}", "--"] if limit else []
        result = subprocess.run(
            [*within, self.home.home / "usr/libexec/handoffd" / name], check=False, timeout=TIMEOUT, text=True,
            input=json.dumps({"type": kind, "deviceName": "laptop", "userInfo": info, **parts}),
            env=self.home.environment(DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere", **variables),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )
        return result.returncode, result.stdout


class IntegrationTest(unittest.TestCase):
    """A test with the two computers; it ends with nothing offered."""

    pair = None
    # Whether the daemon of the desktop is a service of the person's systemd.
    desktop_is_service = False
    longMessage = True

    def setUp(self):
        self.laptop, self.desktop = self.pair.laptop, self.pair.desktop
        self.events = self.laptop.events
        self.addCleanup(self._empty)
        self.addCleanup(self.events.wait_idle)
        self.addCleanup(self.desktop.events.wait_idle)

    def _empty(self):
        for computer in (self.laptop, self.desktop):
            computer.empty()

    def terminal(self, computer, *arguments, directory=None, **variables):
        """A program in a terminal of a computer, until the test ends."""
        made = Terminal(arguments, computer.environment(**variables), directory or computer.home)
        self.addCleanup(made.close)
        return made


def deaf(computer):
    """A handoffctl that reads nothing, and asks for more than a pipe or a socket holds; its last event is a message."""
    return computer.program(
        "deaf",
        "#!/bin/sh\nyes '{\"event\": \"willSave\"}' | head -n 2000\n"
        "echo '{\"event\": \"invalidLine\", \"message\": \"all is asked\"}'\nexec sleep 600\n",
    )
