"""Text that is not saved on the laptop, in an editor of the desktop whose person has asked for it."""

import json
import os
import subprocess
import sys

from devices import EDIT, ROOT, TIMEOUT, WRITTEN, IntegrationTest

sys.path.insert(0, str(ROOT / "Extensions"))
sys.path.insert(0, str(ROOT / "Extensions/Edit"))

from editing import unsaved  # noqa: E402

PLUGIN = ROOT / "Extensions/Vim"
MODE = ROOT / "Extensions/Emacs/handoff.el"
SAVED = "one\ntwo\nthree\n"
UNSAVED = "one\n'日本' \"$x\" | \\ %\nthree\nfour"


class UnsavedTests(IntegrationTest):
    """Begun in an editor, with changes that are not saved, and continued in another one."""

    def setUp(self):
        super().setUp()
        self.here, self.there = self.pair.write("notes.txt", SAVED)
        self.notes = self.desktop.home / "notes"
        self.addCleanup(lambda: self.notes.unlink(missing_ok=True))
        text = f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> {self.notes}\n"
        self.addCleanup(self.desktop.program("notify-send", text).unlink)

    def configure(self, text):
        """Writes edit.conf of the desktop."""
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/edit.conf").write_text(
            f"[edit]\npatience = 20\n{text}\n", encoding="utf-8"
        )

    def vim(self, computer, kind, path, settings=""):
        """Vim or Neovim with a document, once it is offered."""
        file = computer.home / (".vimrc" if kind == "vim" else "config/nvim/init.vim")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(
            f"set nocompatible noswapfile\nlet g:handoff_enabled = 1\n{settings}\nset runtimepath^={PLUGIN}\n", encoding="utf-8"
        )
        self.addCleanup(file.unlink, missing_ok=True)
        editor = self.terminal(computer, kind, path)
        computer.events.wait_document(path)
        return editor

    def run_command(self, editor, command):
        """Runs an Ex command, and waits until the editor has done it."""
        self.count = getattr(self, "count", 0) + 1
        editor.type(f"\x1b:{command}\r:echo 'do' . 'ne-{self.count}'\r")
        editor.wait(f"done-{self.count}")

    def begin(self, kind, settings="let g:handoff_unsaved = 1", change=UNSAVED):
        """An editor of the laptop with a document that was changed, and not saved."""
        editor = self.vim(self.laptop, kind, self.here, settings)
        new = self.laptop.home / "new.txt"
        new.write_text(change, encoding="utf-8")
        self.addCleanup(new.unlink)
        self.run_command(editor, f"%delete _ | call setline(1, readfile('{new}')) | call cursor(2, 2)")
        self.pair.fetch()
        return editor

    def take(self):
        """Continues on the desktop what the laptop offers."""
        self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")

    def shown(self, editor):
        """What a Vim of the desktop shows, and whether it is unsaved."""
        file = self.desktop.home / "shown.json"
        self.addCleanup(file.unlink, missing_ok=True)
        expression = "[getline(1, '$'), &modified, line('.'), strchars(strpart(getline('.'), 0, col('.') - 1)) + 1]"
        self.run_command(editor, f"call writefile([json_encode({expression})], '{file}')")
        return json.loads(file.read_text(encoding="utf-8"))

    def left(self):
        """Files with texts that nobody has removed."""
        return [name for computer in (self.laptop, self.desktop) for name in os.listdir(computer.runtime)
                if name.startswith(("handoff-text", "handoffctl-"))]

    def check_across(self, origin):
        """Unsaved text arrives as unsaved text, and no file changes."""
        self.configure("unsaved = yes")
        editor = self.vim(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.begin(origin)
        self.take()
        self.desktop.events.wait_document(self.there)
        self.assertEqual(self.shown(editor), [UNSAVED.split("\n"), 1, 2, 2])
        for path in (self.here, self.there):
            with open(path, "rb") as file:
                self.assertEqual(file.read().decode(), SAVED)
            self.assertEqual(os.stat(path).st_mtime, WRITTEN)
        self.assertIn("With the changes from laptop", self.notes.read_text(encoding="utf-8"))
        self.assertEqual(self.left(), [])
        self.run_command(editor, "undo")
        self.assertEqual(self.shown(editor)[0], SAVED.splitlines())

    def test_from_vim(self):
        self.check_across("vim")

    def test_from_neovim(self):
        self.check_across("nvim")

    def test_in_emacs(self):
        self.configure("unsaved = yes")
        settings = self.desktop.home / "settings.el"
        settings.write_text(
            f'(setq make-backup-files nil create-lockfiles nil)\n(load "{MODE}")\n(handoff-mode 1)\n(server-start)\n',
            encoding="utf-8",
        )
        first = self.desktop.write("first.txt")
        editor = self.terminal(self.desktop, "emacs", "-nw", "-Q", "-l", settings, first)
        self.desktop.events.wait_document(first)
        self.begin("vim")
        self.take()
        self.desktop.events.wait_document(self.there)
        file = self.desktop.home / "shown.txt"
        self.addCleanup(file.unlink, missing_ok=True)
        editor.type(f'\x1b:(write-region (format "%s %s" (buffer-modified-p) (buffer-string)) nil "{file}")\r')
        editor.wait("shown.txt")
        self.assertEqual(file.read_text(encoding="utf-8"), f"t {UNSAVED}\n")
        with open(self.there, "rb") as document:
            self.assertEqual(document.read().decode(), SAVED)
        self.assertEqual(self.left(), [])

    def check_without(self, reason):
        """Unsaved text stays where it is, and the person is told why."""
        editor = self.vim(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.take()
        self.desktop.events.wait_document(self.there)
        self.assertEqual(self.shown(editor)[:2], [SAVED.splitlines(), 0])
        self.assertIn(f"are not here{reason}", self.notes.read_text(encoding="utf-8"))

    def test_nothing_is_asked_for_unless_the_person_wants_it(self):
        self.configure("")
        self.begin("vim")
        self.check_without(".")

    def test_nothing_is_given_unless_the_person_wants_it(self):
        self.configure("unsaved = yes")
        self.begin("nvim", settings="")
        self.check_without(": the editor there gives none.")

    def test_text_that_is_too_long_stays_where_it_is(self):
        self.configure("unsaved = yes")
        editor = self.begin("vim")
        self.run_command(editor, "call setline(1, repeat('x', 17 * 1024 * 1024))")
        self.check_without(": it has more than 16 MiB.")

    def test_a_buffer_that_is_changed_here_stays_as_it_is(self):
        self.configure("unsaved = yes")
        editor = self.vim(self.desktop, "nvim", self.there)
        self.run_command(editor, "call setline(1, 'mine')")
        self.begin("vim")
        self.take()
        editor.wait("is not shown: this buffer is changed")
        editor.type("\r")
        self.assertEqual(self.shown(editor)[0], ["mine", "two", "three"])
        self.assertEqual(self.left(), [])

    def test_a_vim_that_is_started_shows_it(self):
        self.configure("editors =")
        words = self.desktop.home / "words"
        self.addCleanup(words.unlink, missing_ok=True)
        text = f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {words}\n"
        self.addCleanup(self.desktop.program("x-terminal-emulator", text).unlink)
        self.begin("nvim")
        activity = self.desktop.ctl("continue", "--print", "--take")
        subprocess.run(
            [self.desktop.home / EDIT, "--unsaved"], input=json.dumps(activity), text=True, check=True, timeout=TIMEOUT,
            env=self.desktop.environment(EDITOR="vim", DISPLAY=":7"),
        )
        arguments = [word.decode() for word in words.read_bytes().split(b"\0")[:-1]]
        self.assertEqual(arguments[:2], ["-e", "vim"])
        editor = self.terminal(self.desktop, *arguments[1:])
        self.assertEqual(self.shown(editor), [UNSAVED.split("\n"), 1, 2, 2])
        self.assertEqual(self.left(), [])

    def test_what_is_no_such_stream_is_refused(self):
        head = b'{"version": 1, "state": "text"}\n'
        self.assertEqual(unsaved.parse(head + "ä\n".encode()), "ä\n".encode())
        self.assertEqual(unsaved.parse(head), b"")
        for data, reason in (
            (head + b"\xff", "not UTF-8"), (b"", "something else"), (b"[" * 1000, "something else"),
            (b"x" * 5000, "something else"), (b'{"version": 2, "state": "text"}\n', "something else"),
            (b'{"version": 1, "state": "saved"}\n', "was saved"), (b'{"version": 1, "state": []}\n', "gives none"),
        ):
            with self.subTest(data=data[:40]), self.assertRaisesRegex(unsaved.Missing, reason):
                unsaved.parse(data)
