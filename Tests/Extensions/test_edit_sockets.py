"""handoff-edit: editors that run are found wherever they listen, and those of other sessions are not."""

import os
import pathlib
import subprocess
import tempfile

from devices import EMACS_MODE, Lines, process
from edit_test import EditTest, activity

# A program that calls itself something else, and listens at a socket in the runtime directory.
LISTENER = """
import os, socket, sys
with open("/proc/self/comm", "w") as file:
    file.write(sys.argv[1])
server = socket.socket(socket.AF_UNIX)
server.bind(os.environ["XDG_RUNTIME_DIR"] + "/" + sys.argv[2])
server.listen()
print("ready", flush=True)
sys.stdin.read()
"""


class SocketTests(EditTest):
    """Where editors listen is for them and for the person to say."""

    def assert_opens(self):
        """Asserts that a document opens in the editor that runs."""
        path = self.desktop.write("notes.txt")
        self.edit(activity(path, 3, 2, modificationTime=None))
        self.shown(path, 3, 2)

    def test_neovim_is_found_by_whatever_name_it_listens_at(self):
        outside = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="hs-", dir="/tmp")))
        odd = outside / "a [b]*c.sock"
        for address in (self.desktop.runtime / "lazyvim.4711.0", self.desktop.runtime / "server.pipe", odd, "./relative"):
            with self.subTest(address=address):
                editor = self.neovim("--listen", str(address), self.first())
                self.assert_opens()
                editor.type("\x1b:qa!\r")
                self.events.wait_activity("removed")

    def test_a_neovim_whose_directory_others_can_change_or_of_another_session_is_none(self):
        outside = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="hs-", dir="/tmp")))
        outside.chmod(0o777)
        self.neovim("--listen", str(outside / "socket"), self.first(), XDG_RUNTIME_DIR=str(self.desktop.runtime))
        path = self.desktop.write("notes.txt")
        # It listens at its own address as well, but for another session.
        other = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="hs-", dir="/tmp")))
        self.edit(activity(path, modificationTime=None), status=69, XDG_RUNTIME_DIR=str(other), TMPDIR=str(other))
        self.edit(activity(path, modificationTime=None), status=69, TMPDIR=str(other))

    def test_emacs_is_found_by_the_name_and_the_directory_of_its_server(self):
        directory = self.desktop.home / "servers"
        for name, place in (("work", ""), ("other", f'(setq server-socket-dir "{directory}")')):
            with self.subTest(name=name):
                settings = self.desktop.home / "settings.el"
                settings.write_text(
                    f'(setq make-backup-files nil server-name "{name}")\n{place}\n{EMACS_MODE}\n(handoff-mode 1)\n'
                    "(server-start)\n", encoding="utf-8",
                )
                editor = self.terminal(self.desktop, "emacs", "-nw", "-Q", "-l", settings, self.first())
                self.events.wait("the first document", lambda e: e["properties"].get("DocumentURL"))
                self.assert_opens()
                editor.close()
                self.events.wait_activity("removed")

    def test_what_is_built_from_the_source_of_vs_code_gets_its_own_command(self):
        log = self.desktop.home / "notes.code"
        for command in ("code", "codium", "cursor"):
            self.install(command, f"#!/bin/sh\nprintf '%s\\0' {command} \"$@\" > {log}\n")
        for command in ("codium", "cursor", "code", "electron"):
            with self.subTest(command=command):
                listener = self.enterContext(process(
                    ["python3", "-c", LISTENER, command, f"vscode-{command}-main.sock"], text=True,
                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self.desktop.environment(),
                ))
                Lines(listener.stdout).wait(lambda line: line == "ready", "a program that listens")
                self.edit(activity(self.desktop.write("notes.txt"), modificationTime=None))
                # Of one whose name says nothing, the first command that is here is meant.
                self.assertEqual(log.read_text().split("\0")[0], command if command != "electron" else "code")
                listener.stdin.close()
                listener.wait()
                os.unlink(self.desktop.runtime / f"vscode-{command}-main.sock")
