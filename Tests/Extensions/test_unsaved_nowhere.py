"""Unsaved text that no editor of the desktop shows in the end: the document opens as saved, and the person is told."""

import json
import os
import subprocess

from devices import EDIT, TIMEOUT
from edit_test import EditTest
from unsaved_test import SAVED, UNSAVED, UnsavedTest

FAILED = "are not here: the editor here failed to show it."


class ShownNowhereTests(UnsavedTest):
    """Begun in Vim, and continued where a Neovim answers that it could open the document, and then does not."""

    listen = EditTest.listen

    def setUp(self):
        super().setUp()
        self.words = self.desktop.home / "words"
        self.addCleanup(self.words.unlink, missing_ok=True)
        self.configure("unsaved = yes")

    def install(self, name, text):
        """A program of the desktop, until the test ends."""
        self.addCleanup(self.desktop.program(name, f"#!/bin/sh\n{text}\n").unlink)

    def break_neovim(self):
        """A Neovim that fails when it shall open a document."""
        self.install("nvim", 'case "$*" in *timer_start*) exit 1;; *) echo idle;; esac')
        self.listen("run/nvim.1.0")

    def edit(self, status=0, **variables):
        """Continues what the laptop offers by handoff-edit, as handoffd starts it."""
        taken = self.desktop.ctl("continue", "--print", "--take")
        result = subprocess.run(
            [self.desktop.home / EDIT], input=json.dumps(taken), text=True, timeout=TIMEOUT, check=False,
            stderr=subprocess.PIPE, env=self.desktop.environment(**variables),
        )
        self.assertEqual(result.returncode, status, result.stderr)

    def told(self):
        """What the person was told."""
        return self.notes.read_text(encoding="utf-8")

    def check_told(self):
        """The person is told once what became of the text, and nothing is left of it."""
        self.assertIn(FAILED, self.told())
        self.assertNotIn("With the changes", self.told())
        self.check_files()

    def test_another_editor_that_runs_opens_it_as_it_was_saved(self):
        self.break_neovim()
        self.install("code", f"printf '%s\\n' \"$*\" >> {self.words}")
        self.listen("run/vscode-1-main.sock")
        self.begin("vim")
        self.take()
        path = os.fsdecode(self.there)
        self.assertEqual(self.words.read_text(encoding="utf-8"), f"--reuse-window --goto {path}:2:2\n")
        self.check_told()

    def test_another_editor_that_is_started_opens_it_as_it_was_saved(self):
        self.break_neovim()
        self.install("x-terminal-emulator", f"printf '%s\\n' \"$*\" > {self.words}")
        self.install("nano", "exit 1")
        self.begin("vim")
        self.edit(EDITOR="nano", DISPLAY=":7")
        self.assertEqual(self.words.read_text(encoding="utf-8"), f"-e nano +2,2 {os.fsdecode(self.there)}\n")
        self.check_told()

    def test_an_editor_that_is_started_shows_the_text_if_it_can(self):
        self.break_neovim()
        self.install("x-terminal-emulator", f"printf '%s\\0' \"$@\" > {self.words}")
        self.begin("vim")
        self.edit(VISUAL="nano", EDITOR="vim", DISPLAY=":7")
        arguments = self.words.read_bytes().decode().split("\0")[:-1]
        self.assertEqual(arguments[:2], ["-e", "vim"])
        self.assertEqual(self.shown(self.terminal(self.desktop, *arguments[1:])), [UNSAVED.split("\n"), 1, 2, 2])
        self.assertIn("With the changes from laptop", self.told())
        self.check_files()

    def test_without_another_editor_handoff_edit_fails_and_the_person_is_told_of_the_text(self):
        self.break_neovim()
        self.begin("vim")
        self.edit(status=69)
        self.check_told()


class RefusedByEditorTests(UnsavedTest):
    """Begun in Vim, and continued in an editor that opens the document and cannot show the text."""

    def setUp(self):
        super().setUp()
        self.configure("unsaved = yes")

    def test_emacs_shows_all_of_the_text_or_nothing_of_it(self):
        hook = "(with-silent-modifications (put-text-property 5 7 'read-only t))"
        editor = self.emacs(
            self.desktop, self.desktop.write("first.txt"), f"(add-hook 'find-file-hook (lambda () {hook}))"
        )
        self.begin("vim")
        self.take()
        editor.wait("is not shown: Text is read-only")
        state = self.eval(self.desktop, "(list (buffer-modified-p) (buffer-name) (= (buffer-size) %d))" % len(SAVED))
        self.assertEqual(state, '(nil "notes.txt" t)')
        self.check_files()

    def test_a_document_that_emacs_does_not_open_leaves_no_text(self):
        editor = self.emacs(
            self.desktop, self.desktop.write("first.txt"),
            "(add-hook 'find-file-hook (lambda () (when (string-match-p \"notes\" buffer-file-name) (error \"No notes\"))))",
        )
        self.begin("vim")
        self.take()
        editor.wait("No notes")
        self.check_files()

    def test_a_document_that_neovim_does_not_show_leaves_no_text(self):
        editor = self.vim(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.run_command(editor, "autocmd BufEnter */notes.txt buffer 1 | echomsg 'no notes'")
        self.begin("vim")
        self.take()
        editor.wait("no notes")
        self.assertEqual(self.shown(editor)[:2], [SAVED.splitlines(), 0])
        self.check_files()
