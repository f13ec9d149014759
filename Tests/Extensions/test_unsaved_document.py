"""Text that is not saved belongs to the document that was continued, whatever the editor shows when it is asked."""

import json
import os
import subprocess

from devices import EDIT, TIMEOUT
from unsaved_test import SAVED, UNSAVED, UnsavedTest

OTHER = ": the editor there has another document by now."


class OtherDocumentTests(UnsavedTest):
    """The laptop's editor turns to another document after the desktop has the activity, and before it asks for text."""

    def setUp(self):
        super().setUp()
        self.configure("")
        self.second = self.laptop.write("second.txt")

    def continue_after(self, change):
        """Continues the activity on the desktop, where the unsaved text is asked for after a change on the laptop."""
        shown = self.vim(self.desktop, "nvim", self.desktop.write("first.txt"))
        taken = self.desktop.ctl("continue", "--print", "--take")
        change()
        subprocess.run(
            [self.desktop.home / EDIT, "--unsaved"], input=json.dumps(taken), text=True, check=True, timeout=TIMEOUT,
            env=self.desktop.environment(),
        )
        self.desktop.events.wait_document(self.there)
        return shown

    def turn(self, kind, editor):
        """The editor shows the other document, and has unsaved text of that, too."""
        path = os.fsdecode(self.second)
        if kind == "emacs":
            self.eval(self.laptop, f'(progn (find-file "{path}") (insert "secret") t)')
        elif kind == "vscode":
            self.tell(editor, open={"file": path, "keeps": True})
            self.tell(editor, change="secret")
        else:
            self.run_command(editor, f"set hidden | edit {path} | call setline(1, 'secret')")
        self.laptop.events.wait_document(self.second)

    def check_turned(self, kind):
        """The text that arrives is that of the document that was continued."""
        editor = self.begin(kind)
        shown = self.continue_after(lambda: self.turn(kind, editor))
        self.assertEqual(self.shown(shown)[:2], [UNSAVED.split("\n"), 1])

    def check_refused(self, shown):
        """No text was shown, and the person is told why."""
        self.assertEqual(self.shown(shown)[:2], [SAVED.splitlines(), 0])
        self.assertIn(f"are not here{OTHER}", self.notes.read_text(encoding="utf-8"))

    def test_vim_gives_the_text_of_the_document_that_was_continued(self):
        self.check_turned("vim")

    def test_neovim_gives_the_text_of_the_document_that_was_continued(self):
        self.check_turned("nvim")

    def test_emacs_gives_the_text_of_the_document_that_was_continued(self):
        self.check_turned("emacs")

    def test_vs_code_gives_the_text_of_the_document_that_was_continued(self):
        self.check_turned("vscode")

    def test_vim_gives_no_text_of_a_buffer_that_has_another_name_by_now(self):
        editor = self.begin("vim")
        self.check_refused(self.continue_after(lambda: self.run_command(editor, "file renamed.txt")))

    def test_neovim_gives_no_text_of_a_buffer_that_has_another_name_by_now(self):
        editor = self.begin("nvim")
        self.check_refused(self.continue_after(lambda: self.run_command(editor, "file renamed.txt")))

    def test_emacs_gives_no_text_of_a_buffer_that_has_another_name_by_now(self):
        self.begin("emacs")
        self.check_refused(self.continue_after(
            lambda: self.eval(self.laptop, '(progn (set-visited-file-name "renamed.txt" t) t)')
        ))

    def check_taken_twice(self, kind):
        """A text of the document that another device has asked for since does not show in the one of this device."""
        editor = self.begin(kind)

        def change():
            self.turn(kind, editor)
            self.pair.fetch()

        self.check_refused(self.continue_after(change))

    def test_the_text_of_another_document_of_vim_is_refused_where_it_arrives(self):
        self.check_taken_twice("vim")

    def test_the_text_of_another_document_of_emacs_is_refused_where_it_arrives(self):
        self.check_taken_twice("emacs")

    def test_the_text_of_another_document_of_vs_code_is_refused_where_it_arrives(self):
        self.check_taken_twice("vscode")
