"""What the tests of unsaved text share: an editor of each kind in which there is some, and what the desktop shows."""

import json
import os
import subprocess

from devices import EMACS_MODE, ROOT, TIMEOUT, WRITTEN, IntegrationTest, Lines, process

PLUGIN = ROOT / "Extensions/Vim"
EXTENSION = [ROOT / "Tests/Extensions/fake-vscode.js", ROOT / "Extensions/VSCode/extension.js"]
SAVED = "one\ntwo\nthree\n"
UNSAVED = "one\n'日本' \"$x\" | \\ %\nthree\nfour"


class UnsavedTest(IntegrationTest):
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

    # MARK: Editors

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

    def emacs(self, computer, path, settings=""):
        """Emacs with a document, once it is offered."""
        file = computer.home / "settings.el"
        file.write_text(
            f"(setq make-backup-files nil)\n{EMACS_MODE}\n{settings}\n(handoff-mode 1)\n(server-start)\n", encoding="utf-8"
        )
        editor = self.terminal(computer, "emacs", "-nw", "-Q", "-l", file, path)
        computer.events.wait_document(path)
        return editor

    def eval(self, computer, expression):
        """What Emacs evaluates an expression to in the window that the person sees, as text."""
        return subprocess.run(
            ["emacsclient", "--eval", f"(with-selected-window (frame-selected-window) {expression})"],
            env=computer.environment(), capture_output=True, text=True, timeout=TIMEOUT, check=True,
        ).stdout.strip()

    def vscode(self, computer, path, **settings):
        """VS Code's extension in node with a document, once it is offered."""
        editor = self.node(computer)
        self.tell(editor, set={"enabled": True, **settings}, open={"file": os.fsdecode(path)})
        computer.events.wait_document(path)
        return editor

    def node(self, computer, **variables):
        """VS Code's extension in node, until the test ends."""
        editor = self.enterContext(process(
            ["node", *EXTENSION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=computer.environment(**variables),
        ))
        editor.lines = Lines(editor.stdout)
        return editor

    def tell(self, editor, **action):
        """What the person does in VS Code."""
        editor.stdin.write(json.dumps(action) + "\n")
        editor.stdin.flush()
        editor.lines.wait(lambda line: "done" in json.loads(line), "the end of an action")

    def looked(self, editor):
        """What VS Code shows: the file, its text, whether that is unsaved, and the place of the cursor."""
        editor.stdin.write('{"look": true}\n')
        editor.stdin.flush()
        line = json.loads(editor.lines.wait(lambda line: "text" in json.loads(line), "what is shown"))
        editor.lines.wait(lambda line: "done" in json.loads(line), "the end of an action")
        return line["file"], line["text"], line["isDirty"], line["line"], line["character"]

    # MARK: From one to the other

    def begin(self, kind, is_on=True, change=UNSAVED):
        """An editor of the laptop with a document that was changed, and not saved; the cursor is in the second line."""
        new = self.laptop.home / "new.txt"
        new.write_text(change, encoding="utf-8")
        self.addCleanup(new.unlink)
        if kind == "emacs":
            editor = self.emacs(self.laptop, self.here, "(setq handoff-unsaved t)" if is_on else "")
            self.eval(self.laptop, f'(progn (insert-file-contents "{new}" nil nil nil t) (goto-line 2) (forward-char))')
        elif kind == "vscode":
            editor = self.vscode(self.laptop, self.here, unsaved=is_on)
            self.tell(editor, change=change, move={"line": 1, "character": 1})
        else:
            editor = self.vim(self.laptop, kind, self.here, "let g:handoff_unsaved = 1" if is_on else "")
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

    def check_files(self):
        """No document has changed, and nothing was left."""
        for path in (self.here, self.there):
            with open(path, "rb") as file:
                self.assertEqual(file.read().decode(), SAVED)
            self.assertEqual(os.stat(path).st_mtime, WRITTEN)
        self.assertEqual(self.left(), [])

    def check_across(self, origin):
        """Unsaved text arrives as unsaved text, and no file changes."""
        self.configure("unsaved = yes")
        editor = self.vim(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.begin(origin)
        self.take()
        self.desktop.events.wait_document(self.there)
        self.assertEqual(self.shown(editor), [UNSAVED.split("\n"), 1, 2, 2])
        self.check_files()
        self.assertIn("With the changes from laptop", self.notes.read_text(encoding="utf-8"))
        self.run_command(editor, "undo")
        self.assertEqual(self.shown(editor)[0], SAVED.splitlines())

    def check_without(self, reason):
        """Unsaved text stays where it is, and the person is told why."""
        editor = self.vim(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.take()
        self.desktop.events.wait_document(self.there)
        self.assertEqual(self.shown(editor)[:2], [SAVED.splitlines(), 0])
        self.assertIn(f"are not here{reason}", self.notes.read_text(encoding="utf-8"))
