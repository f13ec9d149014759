"""Text that is not saved on the laptop, in an editor of the desktop whose person has asked for it."""

import json
import os
import subprocess
import sys

from devices import EDIT, ROOT, TIMEOUT, WRITTEN
from unsaved_test import SAVED, UNSAVED, UnsavedTest

sys.path.insert(0, str(ROOT / "Extensions/Programs"))

from handoff.editing import unsaved  # noqa: E402


class UnsavedTests(UnsavedTest):
    """Begun in Vim or Neovim, and continued in an editor that shows unsaved text."""

    def test_from_vim(self):
        self.check_across("vim")

    def test_from_neovim(self):
        self.check_across("nvim")

    def test_in_emacs(self):
        self.check_in_emacs(UNSAVED)

    def test_in_emacs_a_text_that_looks_like_another_format_stays_as_it_is(self):
        self.check_in_emacs("Content-Type: text/enriched\n\n<bold>one</bold>")

    def check_in_emacs(self, text):
        """Unsaved text arrives in Emacs as it was, and no file changes."""
        self.configure("unsaved = yes")
        self.emacs(self.desktop, self.desktop.write("first.txt"))
        self.begin("vim", change=text)
        self.take()
        self.desktop.events.wait_document(self.there)
        file = self.desktop.home / "shown.txt"
        self.addCleanup(file.unlink, missing_ok=True)
        self.eval(self.desktop, f'(write-region (format "%s %s" (buffer-modified-p) (buffer-string)) nil "{file}")')
        self.assertEqual(file.read_text(encoding="utf-8"), f"t {text}\n")
        self.check_files()

    def test_nothing_is_asked_for_unless_the_person_wants_it(self):
        self.configure("")
        self.begin("vim")
        self.check_without(".")

    def test_nothing_is_given_unless_the_person_wants_it(self):
        self.configure("unsaved = yes")
        self.begin("nvim", is_on=False)
        self.check_without(": the editor there gives none.")

    def test_the_text_of_an_encrypted_file_stays_where_it_is(self):
        self.configure("unsaved = yes")
        editor = self.begin("vim")
        self.run_command(editor, "let &key = 'secret'")
        self.check_without(": the editor there gives none.")

    def test_the_text_of_a_file_that_a_plug_in_may_encrypt_stays_where_it_is(self):
        self.configure("unsaved = yes")
        self.here, self.there = self.pair.write("notes.txt.gpg", SAVED)
        self.begin("nvim")
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

    def started_vim(self):
        """The words by which handoff-edit starts Vim with the text of the laptop, in a terminal that is not shown."""
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
        return arguments[1:]

    def test_a_vim_that_is_started_shows_it(self):
        editor = self.terminal(self.desktop, *self.started_vim())
        self.assertEqual(self.shown(editor), [UNSAVED.split("\n"), 1, 2, 2])
        self.assertEqual(self.left(), [])

    def test_a_vim_that_is_started_and_given_up_leaves_no_text(self):
        other = self.terminal(self.desktop, "vim", "-u", "NONE", self.there)
        other.wait("three")
        words = self.started_vim()
        self.assertEqual(len(self.left()), 1)
        editor = self.terminal(self.desktop, *words)
        editor.wait("(A)bort")
        editor.type("a")
        editor.wait_for_exit()
        self.assertEqual(self.left(), [])

    def test_a_text_that_no_editor_has_read_goes_with_the_next_one(self):
        forgotten, new = (self.desktop.runtime / f"handoff-text-{name}" for name in ("forgotten", "new"))
        for path in (forgotten, new):
            path.write_text(UNSAVED, encoding="utf-8")
            self.addCleanup(path.unlink, missing_ok=True)
        os.utime(forgotten, (WRITTEN, WRITTEN))
        self.terminal(self.desktop, *self.started_vim()).wait("four")
        self.assertEqual([self.desktop.runtime / name for name in self.left()], [new])
        new.unlink()

    def test_what_is_no_such_stream_is_refused(self):
        head = b'{"version": 1, "state": "text", "buffer": 1}\n'
        self.assertEqual(unsaved.parse(head + "ä\n".encode(), 1), "ä\n".encode())
        self.assertEqual(unsaved.parse(head, 1), b"")
        for data, reason in (
            (head + b"\xff", "not UTF-8"), (b"", "something else"), (b"[" * 1000, "something else"),
            (b"x" * 5000, "something else"), (b'{"version": 2, "state": "text"}\n', "something else"),
            (b'{"version": 1, "state": "saved"}\n', "was saved"), (b'{"version": 1, "state": []}\n', "gives none"),
            (b'{"version": 1, "state": "text"}\n', "another document"),
            (b'{"version": 1, "state": "text", "buffer": 2}\n', "another document"),
            (b'{"version": 1, "state": "text", "buffer": true}\n', "another document"),
        ):
            with self.subTest(data=data[:40]), self.assertRaisesRegex(unsaved.Missing, reason):
                unsaved.parse(data, 1)


class EmacsTests(UnsavedTest):
    """Begun in Emacs."""

    def stream(self, path):
        """Tells Emacs of a stream of which handoffctl does not know."""
        event = f'((event . "streamOpened") (stream . 1) (path . "{path}"))'
        self.assertEqual(self.eval(self.laptop, f"(let (handoff--process) (handoff--event '{event}) t)"), "t")

    def send(self, path):
        """Has Emacs write for a stream into a file; the state that it writes, and the text."""
        self.stream(path)
        head, _, text = path.read_bytes().partition(b"\n")
        parts = json.loads(head)
        self.assertEqual(parts.pop("version"), 1)
        self.assertEqual("buffer" in parts, parts["state"] == "text")
        return parts["state"], text.decode()

    def test_from_emacs(self):
        self.check_across("emacs")

    def test_nothing_is_given_unless_the_person_wants_it(self):
        self.configure("unsaved = yes")
        self.begin("emacs", is_on=False)
        self.check_without(": the editor there gives none.")

    def test_text_that_is_too_long_stays_where_it_is(self):
        self.configure("unsaved = yes")
        self.begin("emacs")
        # In lines: Emacs takes many seconds to show one that is so long.
        self.eval(self.laptop, """(let ((line (concat (make-string 1023 ?x) "\\n")))
            (insert (apply #'concat (make-list (* 17 1024) line))) t)""")
        self.check_without(": it has more than 16 MiB.")

    def test_what_is_no_text_of_the_file_in_utf8_stays_where_it_is(self):
        self.begin("emacs")
        path = self.laptop.home / "content"
        self.addCleanup(path.unlink, missing_ok=True)
        compressed = self.laptop.docs / "notes.txt.gz"
        compressed.touch()
        for change, state in (
            ("(goto-char (point-max))", "text"), ("(insert (string #x3fff80))", "encoding"),
            ("(progn (delete-char -1) (insert (string #xd800)))", "encoding"),
            ("(progn (delete-char -1) (set-buffer-multibyte nil))", "encoding"), ("(set-buffer-multibyte t)", "text"),
            ("(setq buffer-file-format '(text/enriched))", "off"), ("(setq buffer-file-format nil)", "text"),
            (f'(set-visited-file-name "{compressed}" t)', "other"), ("(handoff--save)", "off"),
            ("(setq-default handoff-unsaved nil)", "off"),
            ("(progn (setq-default handoff-unsaved t) (set-buffer-modified-p nil))", "saved"),
            ("(progn (set-buffer-modified-p nil) (kill-buffer) t)", "saved"),
        ):
            with self.subTest(change=change):
                self.eval(self.laptop, f"(progn {change} t)")
                self.assertEqual(self.send(path), (state, UNSAVED if state == "text" else ""))

    def test_a_buffer_whose_file_is_written_in_a_way_of_its_own_gives_no_text(self):
        self.begin("emacs")
        path = self.laptop.home / "content"
        self.addCleanup(path.unlink, missing_ok=True)
        for change, state in (
            ("(add-hook 'write-contents-functions #'ignore nil t)", "off"),
            ("(remove-hook 'write-contents-functions #'ignore t)", "text"),
            ("(add-hook 'write-file-functions #'ignore nil t)", "off"),
            ("(remove-hook 'write-file-functions #'ignore t)", "text"),
            # Of all buffers, such as one that removes spaces at the ends of lines.
            ("(add-hook 'write-file-functions #'ignore)", "text"), ("(setq-local write-file-functions '(t))", "text"),
            ("(setq-local local-write-file-hooks '(ignore))", "off"), ("(setq-local local-write-file-hooks nil)", "text"),
            ("(add-hook 'before-save-hook #'ignore nil t)", "text"),
            ("(add-hook 'before-save-hook #'org-encrypt-entries nil t)", "off"),
            ("(remove-hook 'before-save-hook #'org-encrypt-entries t)", "text"),
            ("(add-hook 'before-save-hook #'org-encrypt-entries)", "off"),
        ):
            with self.subTest(change=change):
                self.eval(self.laptop, f"(progn {change} t)")
                self.assertEqual(self.send(path), (state, UNSAVED if state == "text" else ""))

    def test_emacs_writes_the_whole_text_and_nothing_else_and_asks_nothing(self):
        self.begin("emacs")
        path = self.laptop.home / "content/content.gz"
        path.parent.mkdir()
        self.addCleanup(path.parent.rmdir)
        self.addCleanup(path.unlink, missing_ok=True)
        self.eval(self.laptop, """(progn
            (narrow-to-region (point) (1+ (point))) (setq make-backup-files t)
            (setq-local create-lockfiles t write-region-annotate-functions '(ignore (lambda (&rest _) (error "hook"))))
            (set-buffer-file-coding-system 'iso-latin-1-dos) (set-buffer-modified-p t) (message "before"))""")
        self.assertEqual(self.send(path), ("text", UNSAVED))
        self.assertEqual(list(path.parent.iterdir()), [path])
        state = "(list (current-message) (buffer-modified-p) (buffer-narrowed-p) buffer-file-coding-system)"
        self.assertEqual(self.eval(self.laptop, state), '("before" t t iso-latin-1-dos)')
        self.stream("/nowhere/content")
        self.assertEqual(self.eval(self.laptop, "(list (current-message) handoff-mode)"), '("before" t)')


class CodeTests(UnsavedTest):
    """Begun in VS Code's extension, in node."""

    def test_from_vs_code(self):
        self.check_across("vscode")

    def test_nothing_is_given_unless_the_person_wants_it(self):
        self.configure("unsaved = yes")
        self.begin("vscode", is_on=False)
        self.check_without(": the editor there gives none.")

    def test_the_text_of_a_file_that_may_be_encrypted_stays_where_it_is(self):
        self.configure("unsaved = yes")
        self.here, self.there = self.pair.write("notes.txt.GPG", SAVED)
        self.begin("vscode")
        self.check_without(": the editor there gives none.")

    def test_what_is_no_unsaved_text_in_utf8_stays_where_it_is(self):
        events, answers, content = (self.laptop.home / name for name in ("events", "answers", "content"))
        for path in (events, answers):
            os.mkfifo(path)
            self.addCleanup(path.unlink)
        self.addCleanup(content.unlink, missing_ok=True)
        command = self.laptop.program("streaming", f"#!/bin/sh\ncat {events} &\nexec cat > {answers}\n")
        editor = self.node(self.laptop)
        self.tell(editor, set={"enabled": True, "unsaved": True, "command": str(command)},
                  open={"file": os.fsdecode(self.here)})
        with open(events, "w", encoding="utf-8") as told, open(answers, encoding="utf-8") as lines:
            self.assertTrue(json.loads(lines.readline())["supportsContinuationStreams"])
            # As another device does before it opens a stream.
            told.write('{"event": "willSave"}\n')
            told.flush()
            number = [json.loads(lines.readline())["userInfo"]["buffer"] for _ in range(2)][0]

            def stream(number, path):
                told.write(json.dumps({"event": "streamOpened", "stream": number, "path": str(path)}) + "\n")
                told.flush()

            for turn, (action, state, text) in enumerate((
                ({}, "saved", ""), ({"change": "\ufeffone\r\n日😀"}, "text", "one\n日😀"), ({"change": ""}, "text", ""),
                ({"change": "x" * 17 * 1024 * 1024}, "large", ""), ({"change": "x\ud83d"}, "encoding", ""),
                ({"change": "x", "set": {"unsaved": False}}, "off", ""), ({"set": {"unsaved": True}}, "text", "x"),
                ({"open": None}, "saved", ""),
            )):
                with self.subTest(action=str(action)[:60]):
                    self.tell(editor, **action)
                    content.write_bytes(b"")
                    # One that cannot be written gets no answer.
                    stream(100, f"{content}.not")
                    stream(turn, content)
                    # The document that was closed is offered for a moment.
                    answer = next(line for line in lines if line != "null\n")
                    self.assertEqual(answer, f'{{"stream":{turn}}}\n')
                    head, _, given = content.read_bytes().partition(b"\n")
                    whose = {"buffer": number} if state == "text" else {}
                    self.assertEqual(json.loads(head), {"version": 1, "state": state, **whose})
                    self.assertEqual(given.decode(), text)
        self.assertFalse(os.path.exists(f"{content}.not"))
