"""handoff-edit as handoffd's service starts it: as a service of its own, with the variables of the session alone."""

import contextlib
import json
import os
import pathlib
import subprocess

from devices import IntegrationTest, Lines, process

HERE = pathlib.Path(__file__).parent
TEXT = "one\n\tdä日x\n"


class ServiceTests(IntegrationTest):
    """The daemon of the desktop is a service without a display; what it starts, systemd starts."""

    desktop_is_service = True

    def systemd(self, **variables):
        """The person's systemd; its services get the variables of the session. Returns the units that it starts."""
        session = self.desktop.environment(**variables)
        made = self.enterContext(process(
            ["/usr/bin/python3", HERE / "user_systemd.py", self.desktop.device.bus], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True,
        ))
        made.stdin.write(json.dumps(session))
        made.stdin.close()
        lines = Lines(made.stdout)
        lines.wait(lambda line: line.startswith("ready"), "systemd on the bus")
        return lines

    @contextlib.contextmanager
    def taking(self):
        """Continues on the desktop what the laptop offers."""
        self.pair.fetch()
        with process([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                     stdout=subprocess.DEVNULL) as continuing:
            yield
            self.assertEqual(continuing.wait(), 0)

    def test_an_editor_that_runs_in_the_session_is_found_from_a_service(self):
        here, there = self.pair.write("notes.txt", TEXT)
        units = self.systemd()
        settings = self.desktop.home / "config/nvim/init.vim"
        settings.parent.mkdir(parents=True)
        settings.write_text("set noswapfile\n", encoding="utf-8")
        # It is asked whether it has the document; a second, the usual time, is little on a busy machine.
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/edit.conf").write_text("[edit]\npatience = 20\n", encoding="utf-8")
        editor = self.terminal(self.desktop, "nvim", self.desktop.write("first.txt"))
        editor.wait("first.txt")
        with self.pair.publishing(documentURL="file://" + os.fsdecode(here), userInfo={"line": 2, "column": 5}):
            with self.taking():
                units.wait(lambda line: line.startswith("app-handoffd-"), "a service")
                editor.wait("notes.txt")
        editor.type("\x1b:echo 'at ' . expand('%:p') . ' ' . line('.') . ',' . charcol('.')\r")
        editor.wait(f"at {there.decode()} 2,5")

    def test_an_editor_that_is_started_gets_the_display_and_the_choice_of_the_session(self):
        here, there = self.pair.write("notes.txt", TEXT)
        log = self.desktop.home / "terminal.log"
        os.mkfifo(log)
        self.addCleanup(log.unlink)
        names = "DISPLAY WAYLAND_DISPLAY XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS OF_THE_UNIT SYSTEMD_EXEC_PID"
        script = "".join(f'printf "%s\\0" "{name}=${name}"\n' for name in names.split())
        terminal = self.desktop.program(
            "x-terminal-emulator", f"#!/bin/sh\nexec > {log}\n{script}printf '%s\\0' \"$@\"\n"
        )
        self.addCleanup(terminal.unlink)
        self.systemd(DISPLAY=":7", WAYLAND_DISPLAY="wayland-7", EDITOR="vim -n")
        with self.pair.publishing(documentURL="file://" + os.fsdecode(here), userInfo={"line": 2, "column": 5}):
            with self.taking():
                words = log.read_bytes().split(b"\0")[:-1]
        self.assertEqual(words[:6], [
            b"DISPLAY=:7", b"WAYLAND_DISPLAY=wayland-7", b"XDG_RUNTIME_DIR=" + os.fsencode(self.desktop.runtime),
            b"DBUS_SESSION_BUS_ADDRESS=" + os.fsencode(self.desktop.device.bus), b"OF_THE_UNIT=", b"SYSTEMD_EXEC_PID=",
        ])
        self.assertEqual(words[6:9] + words[-2:], [b"-e", b"vim", b"-n", b"--", there])
