"""Two machines, and the air between them."""

import contextlib
import json
import pathlib
import subprocess
import threading

from machine import Machine
from monitor import monitoring
from world import TIMEOUT, Failure, process


class Air:
    """The simulated air between the machines of one directory."""

    def __init__(self, directory):
        self._directory = directory / "air"
        self._directory.mkdir()

    def set(self, *lines):
        """Replaces all settings."""
        draft = self._directory / "air.new"
        draft.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        draft.rename(self._directory / "air")

    def cut(self):
        self.set("apart laptop desktop")

    def heal(self):
        self.set()


class World:
    """Two machines, and the air between them."""

    def __init__(self, directory, shim):
        self.directory = pathlib.Path(directory)
        self._stack = contextlib.ExitStack()
        self.air = Air(self.directory)
        self.laptop = Machine("laptop", self.directory, self._stack, shim)
        self.desktop = Machine("desktop", self.directory, self._stack, shim)

    @property
    def machines(self):
        return [self.laptop, self.desktop]

    def start(self, trusted=True):
        for machine in self.machines:
            machine.start()
        if trusted:
            self.laptop.trust(self.desktop)
            self.desktop.trust(self.laptop)
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()

    def check(self):
        """Ends the daemons, which must end in an orderly way, and looks for crashes."""
        for machine in self.machines:
            if machine.is_running:
                machine.stop()
            elif machine.daemon:
                machine.reap()
            machine.check_log()

    def changes(self):
        """What happens at both daemons, as lines, from now on."""
        return monitoring(*(machine.bus for machine in self.machines))

    def entry(self, activity_hash):
        """Waits until the desktop lists an activity of that type; returns its id."""
        command = self.desktop.command("nearby", "--watch", "--json")
        with process(command, stdout=subprocess.PIPE, text=True) as watcher:
            timer = threading.Timer(TIMEOUT, watcher.kill)
            timer.start()
            try:
                for line in watcher.stdout:
                    for entry in json.loads(line):
                        if entry["typeHash"] == activity_hash:
                            return entry["id"]
            finally:
                timer.cancel()
        raise Failure("the activity of laptop does not appear on desktop")
