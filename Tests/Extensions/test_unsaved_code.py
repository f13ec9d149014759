"""Unsaved text that is shown in VS Code: its extension in node, and a program in place of `code`."""

import contextlib
import json
import os
import shutil
import socket
import subprocess

from devices import PROGRAMS, TIMEOUT
from edit_test import EditTest
from unsaved_test import SAVED, UNSAVED, UnsavedTest


class ShownInCodeTests(UnsavedTest):
    """Begun in Vim, and continued in VS Code."""

    listen = EditTest.listen

    def setUp(self):
        super().setUp()
        self.log = self.desktop.home / "notes.code"
        self.addCleanup(self.log.unlink, missing_ok=True)
        code = self.desktop.program("code", f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> {self.log}\n")
        self.addCleanup(code.unlink)
        self.listen("run/vscode-1-main.sock")
        self.configure("unsaved = yes")
        # The tests end their windows as a crash does, which leaves sockets.
        self.addCleanup(shutil.rmtree, self.desktop.runtime / "handoff-vscode", ignore_errors=True)

    def path(self, document):
        """The path of a document as VS Code has it."""
        return os.fsdecode(document)

    def window(self, **settings):
        """VS Code on the desktop with another document, once that is offered."""
        return self.vscode(self.desktop, self.desktop.write("first.txt"), **settings)

    def sockets(self):
        """The sockets at which windows of the desktop listen."""
        directory = self.desktop.runtime / "handoff-vscode"
        return sorted(directory.iterdir()) if directory.exists() else []

    # MARK: Across

    def test_in_vs_code(self):
        editor = self.window()
        self.begin("vim")
        self.take()
        editor.lines.wait(lambda line: "revealed" in json.loads(line), "the document")
        self.assertEqual(self.looked(editor), (self.path(self.there), UNSAVED + "\n", True, 1, 1))
        self.assertIn("With the changes from laptop", self.notes.read_text(encoding="utf-8"))
        self.desktop.events.wait_document(self.there)
        self.laptop.events.wait("the word that it is continued", lambda e: e["event"] == "continued")
        self.assertEqual(self.log.read_text(encoding="utf-8"), f"--reuse-window {self.path(self.there)}\n")
        self.check_files()

    def test_a_document_that_is_changed_here_stays_as_it_is(self):
        editor = self.vscode(self.desktop, self.there)
        self.tell(editor, change="mine\n")
        self.begin("vim")
        self.take()
        editor.lines.wait(lambda line: "is not shown: this document is changed." in line, "the reason")
        self.assertEqual(self.looked(editor)[:3], (self.path(self.there), "mine\n", True))
        self.assertIn("laptop has changes in it that are not saved there, and are not here.", self.notes.read_text())
        self.check_files()

    def test_a_document_that_cannot_be_changed_stays_as_it_is(self):
        editor = self.window()
        self.tell(editor, refuse=True)
        self.begin("vim")
        self.take()
        editor.lines.wait(lambda line: "is not shown: VS Code does not change" in line, "the reason")
        self.assertEqual(self.looked(editor), (self.path(self.there), SAVED, False, 1, 1))

    def check_opened_as_saved(self):
        """VS Code opens the document, and has no part in unsaved text."""
        self.begin("vim")
        self.take()
        self.assertIn("are not here: no editor here can show it.", self.notes.read_text(encoding="utf-8"))
        self.assertEqual(self.log.read_text(encoding="utf-8"), f"--reuse-window --goto {self.path(self.there)}:2:2\n")
        self.check_files()

    def test_where_vs_code_saves_by_itself_it_shows_none(self):
        editor = self.window(autoSave="afterDelay")
        self.check_opened_as_saved()
        self.assertEqual(self.looked(editor)[1], "one\ntwo\nthree\n")

    def test_without_the_extension_it_shows_none(self):
        self.check_opened_as_saved()

    # MARK: The sockets

    def leave_socket(self, path):
        """A socket at which nobody listens any more, and which is newer than all others."""
        with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
        self.addCleanup(path.unlink, missing_ok=True)
        os.utime(path, (2**32, 2**32))

    def ended_process(self):
        """The number of a process that has ended."""
        with subprocess.Popen(["true"]) as child:
            return child.pid

    def check_shown(self, editor):
        """VS Code shows the unsaved text."""
        self.begin("vim")
        self.take()
        editor.lines.wait(lambda line: "revealed" in json.loads(line), "the document")
        self.assertEqual(self.looked(editor)[:3], (self.path(self.there), UNSAVED + "\n", True))

    def test_sockets_of_windows_that_died_hide_none_that_listens_and_are_removed(self):
        editor = self.window()
        [living] = self.sockets()
        number = self.ended_process()
        for index in range(20):
            self.leave_socket(living.parent / f"{number}-{index}")
        # A window may be about to listen, and what has another name may belong to another program.
        kept = [living.parent / f"{os.getpid()}-0", living.parent / "other"]
        for path in kept:
            self.leave_socket(path)
        self.check_shown(editor)
        self.assertEqual(self.sockets(), sorted([living, *kept]))

    def test_a_socket_of_a_vs_code_that_died_hides_none_that_runs(self):
        editor = self.window()
        self.leave_socket(self.desktop.runtime / "vscode-2-main.sock")
        self.check_shown(editor)

    def ask(self, text=b"", **request):
        """What the one window answers to a request about the document, or None."""
        [path] = self.sockets()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(TIMEOUT)
            connection.connect(str(path))
            parts = {"version": 1, "bytes": len(text), "document": self.path(self.there), "line": 1, "column": 1}
            connection.sendall(json.dumps({**parts, **request}).encode() + b"\n" + text)
            try:
                answer = connection.makefile("rb").readline()
            except ConnectionError:
                answer = b""
        return json.loads(answer)["state"] if answer else None

    def test_what_is_no_request_changes_nothing(self):
        editor = self.window()
        for text, request in (
            (b"x", {"version": 2}), (b"x", {"version": None}), (b"x", {"bytes": -1}), (b"x", {"bytes": 2**30}),
            (b"x", {"bytes": "1"}), (b"xy", {"bytes": 1}), (b"\xff", {}), (b"x", {"document": "notes.txt"}),
            (b"x", {"document": ["/"]}), (b"x", {"document": self.path(self.there) + ".not"}), (b"x", {"line": 1.5}),
            (b"x", {"column": None}), (b"x", {"more": "x" * 70_000}),
        ):
            with self.subTest(text=text, request=str(request)[:60]):
                self.assertIsNone(self.ask(text, **request))
        self.assertEqual(self.looked(editor)[1:3], (SAVED, False))
        self.assertEqual(self.ask("日😀\nb".encode(), line=9, column=9), "shown")
        self.assertEqual(self.looked(editor), (self.path(self.there), "日😀\nb", True, 1, 1))
        self.assertEqual(self.ask(b"c"), "refused", "a text that was just shown is a change as well")

    def test_a_text_that_nobody_waits_for_any_more_is_not_shown(self):
        editor = self.window()
        self.tell(editor, hold=True)
        [path] = self.sockets()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(str(path))
            request = {"version": 1, "bytes": 1, "document": self.path(self.there), "line": 1, "column": 1}
            connection.sendall(json.dumps(request).encode() + b"\nx")
            editor.lines.wait(lambda line: "held" in json.loads(line), "the document that is loaded")
        # The end of the connection gets to node before the answer to this does.
        self.tell(editor, run="handoff.status")
        self.tell(editor, hold=False)
        self.tell(editor, run="handoff.status")
        self.assertEqual(self.looked(editor)[0], str(self.desktop.docs / "first.txt"))

    def test_a_window_listens_only_while_it_is_switched_on_and_only_where_nobody_else_is(self):
        editor = self.node(self.desktop)
        self.tell(editor, set={"enabled": False})
        self.assertEqual(self.sockets(), [])
        self.tell(editor, set={"enabled": True})
        [path] = self.sockets()
        self.assertEqual(path.parent.stat().st_mode & 0o777, 0o700)
        self.tell(editor, set={"enabled": False})
        self.assertEqual(self.sockets(), [])
        path.parent.chmod(0o755)
        self.addCleanup(path.parent.chmod, 0o700)
        self.tell(editor, set={"enabled": True})
        self.assertEqual(self.sockets(), [])
        remote = self.node(self.desktop, REMOTE_NAME="ssh-remote")
        path.parent.chmod(0o700)
        self.tell(remote, set={"enabled": True})
        self.assertEqual(self.sockets(), [], "a window on another computer has the files of that one")
        remote.stdin.close()
        self.assertEqual(remote.wait(timeout=TIMEOUT), 0)

    def test_of_two_windows_the_one_that_was_used_last_shows_it(self):
        first, second = self.window(), self.window()
        self.tell(first, focus=True)
        self.begin("vim")
        self.take()
        first.lines.wait(lambda line: "revealed" in json.loads(line), "the document")
        self.assertEqual(self.looked(first)[1], UNSAVED + "\n")
        self.assertEqual(self.looked(second)[1], SAVED)

    def test_a_clock_that_is_set_back_does_not_change_which_window_was_used_last(self):
        first = self.node(self.desktop, LD_PRELOAD=PROGRAMS / "libShiftedClock.so", SHIFTED_CLOCK_SECONDS="-3600")
        self.tell(first, set={"enabled": True}, open={"file": os.fsdecode(self.desktop.write("first.txt"))})
        second = self.window()
        self.tell(second, focus=True)
        self.tell(first, focus=True)
        self.begin("vim")
        self.take()
        first.lines.wait(lambda line: "revealed" in json.loads(line), "the document")
        self.assertEqual(self.looked(first)[1], UNSAVED + "\n")
        self.assertEqual(self.looked(second)[1], SAVED)
