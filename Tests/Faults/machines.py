"""Machines, and the air between them."""

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
    """Two machines or more, and the air between them."""

    def __init__(self, directory, shim):
        self.directory = pathlib.Path(directory)
        self._stack = contextlib.ExitStack()
        self._shim = shim
        self.air = Air(self.directory)
        self.machines = []
        self.laptop, self.desktop = self.add("laptop"), self.add("desktop")

    def add(self, name):
        """Adds a machine, whose daemon does not run yet."""
        machine = Machine(name, self.directory, self._stack, self._shim)
        self.machines.append(machine)
        return machine

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

    def entry(self, activity_hash, machine=None, what="the activity of laptop"):
        """Waits until a machine, the desktop by default, lists an activity of that type; returns its id."""
        machine = machine or self.desktop
        command = machine.command("nearby", "--watch", "--json")
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
        raise Failure(f"{what} does not appear on {machine.name}")
