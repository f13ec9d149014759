"""From one editor to another, over the air: begun on the laptop, continued on the desktop, and the other way round."""

import json
import os
import subprocess

from devices import EMACS_MODE, ROOT, TIMEOUT, WRITTEN, IntegrationTest, process

PLUGIN = ROOT / "Extensions/Vim"
EXTENSION = [ROOT / "Tests/Extensions/fake-vscode.js", ROOT / "Extensions/VSCode/extension.js"]
NAME = "日本 'ü' $x.txt".encode()
TEXT = "one\n\tdä日x\n"


class AcrossTests(IntegrationTest):
    """Each editor as the one in which something begins, and each but VS Code itself as the one that continues it."""

    def configure(self, text):
        """Writes edit.conf of the desktop. Two seconds are little for an editor on a busy machine."""
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/edit.conf").write_text(
            f"[edit]\npatience = 20\n{text}\n", encoding="utf-8"
        )

    def begin(self, computer, kind, path, line=1, column=1):
        """An editor in which the document was opened at a place, once it is offered."""
        if kind == "emacs":
            settings = computer.home / "settings.el"
            settings.write_text(f'{EMACS_MODE}\n(handoff-mode 1)\n(server-start)\n', encoding="utf-8")
            place = [f"+{line}", path, "--eval", f"(forward-char {column - 1})"]
            arguments = ["emacs", "-nw", "-Q", "-l", settings, *place]
        elif kind == "vscode":
            return self.begin_vscode(computer, path, line, column)
        else:
            name = ".vimrc" if kind == "vim" else "config/nvim/init.vim"
            (computer.home / name).parent.mkdir(parents=True, exist_ok=True)
            (computer.home / name).write_text(
                f"set nocompatible\nlet g:handoff_enabled = 1\nset runtimepath^={PLUGIN}\n", encoding="utf-8"
            )
            arguments = [kind, f"+call cursor({line}, byteidxcomp(getline({line}), {column - 1}) + 1)", path]
        editor = self.terminal(computer, *arguments)
        computer.events.wait_document(path)
        return editor

    def begin_vscode(self, computer, path, line, column):
        """VS Code's extension in node. Its columns here are characters of the basic plane."""
        editor = self.enterContext(process(
            ["node", *EXTENSION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=computer.environment(),
        ))
        place = {"file": path.decode(), "line": line - 1, "character": column - 1}
        editor.stdin.write(json.dumps({"set": {"enabled": True}, "open": place}) + "\n")
        editor.stdin.flush()
        computer.events.wait_document(path)
        return editor

    def take(self):
        """Continues on the desktop what the laptop offers, in whatever takes it."""
        self.pair.fetch()
        self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")

    def continuing(self):
        """`handoffctl continue` on the desktop, which runs."""
        return process([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def check_across(self, origin, destination):
        """Begins in one editor, continues in another, and checks that the other one shows the same place."""
        here, there = self.pair.write(NAME, TEXT)
        self.configure("")
        first = self.desktop.write("first.txt")
        self.begin(self.desktop, destination, first)
        self.begin(self.laptop, origin, here, 2, 5)
        self.take()
        info = self.desktop.events.wait_document(there)["UserInfo"]
        self.assertEqual((info["line"], info["column"]), (2, 5))
        self.laptop.events.wait("the word that it is continued", lambda e: e["event"] == "continued")

    def test_begun_in_vim_it_continues_in_emacs(self):
        self.check_across("vim", "emacs")

    def test_begun_in_emacs_it_continues_in_neovim(self):
        self.check_across("emacs", "nvim")

    def test_begun_in_vs_code_it_continues_in_neovim(self):
        self.check_across("vscode", "nvim")

    def test_begun_in_neovim_it_continues_in_vim_in_a_terminal(self):
        here, there = self.pair.write(NAME, TEXT)
        log = self.desktop.home / "terminal.log"
        os.mkfifo(log)
        self.addCleanup(log.unlink)
        terminal = self.desktop.program("x-terminal-emulator", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {log}\n")
        self.addCleanup(terminal.unlink)
        self.configure("command = vim +{line} -- {file}\nterminal = yes")
        self.begin(self.laptop, "nvim", here, 2, 5)
        self.pair.fetch()
        with process([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                     stdout=subprocess.DEVNULL) as continuing:
            words = log.read_bytes().split(b"\0")[:-1]
            self.assertEqual(continuing.wait(), 0)
        self.assertEqual(words, [b"-e", b"vim", b"+2", b"--", there])

    def write_older(self):
        """A document on both computers that has changed on the laptop since; returns its path on each."""
        here, there = self.pair.write(NAME, TEXT[:3])
        self.laptop.write(NAME, TEXT)
        os.utime(here, (WRITTEN + 100, WRITTEN + 100))
        return here, there

    def test_a_document_that_is_older_on_the_other_computer_waits_there_and_opens_nowhere_else(self):
        here, there = self.write_older()
        self.configure("")
        self.begin(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.begin(self.laptop, "vim", here, 2, 5)
        self.pair.fetch()
        with self.continuing() as running:
            self.desktop.device.wait_log("is older here")
            self.desktop.write(NAME, TEXT)
            os.utime(there, (WRITTEN + 100, WRITTEN + 100))
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)
        self.desktop.events.wait_document(there)
        self.laptop.events.wait("the word that it is continued", lambda e: e["event"] == "continued")

    def test_a_document_that_stays_older_is_continued_nowhere_and_the_laptop_is_told_so(self):
        here, _ = self.write_older()
        self.configure("wait = 3")
        self.begin(self.desktop, "nvim", self.desktop.write("first.txt"))
        self.begin(self.laptop, "vim", here, 2, 5)
        self.pair.fetch()
        with self.continuing() as running:
            shown = running.stdout.read()
            self.assertEqual(running.wait(timeout=TIMEOUT), 1, shown)
        self.assertIn("cannot open it now", shown)
        told = self.laptop.events.wait("an outcome", lambda e: e["event"].startswith("continu"))
        self.assertEqual(told["event"], "continuationFailed")

    def test_without_any_editor_the_laptop_is_told_that_it_failed(self):
        here, _ = self.pair.write("notes.unknown", TEXT)
        editor = self.begin(self.laptop, "vim", here)
        self.pair.fetch()
        result = subprocess.run(
            [self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(), capture_output=True,
            text=True, check=False,
        )
        self.assertEqual(result.returncode, 1)
        self.laptop.events.wait("the failure", lambda e: e["event"] == "continuationFailed")
        editor.close()
