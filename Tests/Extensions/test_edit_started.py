"""handoff-edit: what opens in an editor that is started."""

import os
import signal

from devices import TIMEOUT, WRITTEN
from edit_test import ON_AT_START, EditTest, activity
from odd_names import ODD_NAMES


class StartedTests(EditTest):
    """Documents open in an editor that is started."""

    def setUp(self):
        super().setUp()
        self.log = self.desktop.home / "notes.terminal"
        self.install("x-terminal-emulator", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {self.log}\n")

    def started(self):
        """The words that the terminal emulator got."""
        return self.log.read_bytes().split(b"\0")[:-1]

    def test_every_odd_name_opens_in_vim_in_a_terminal(self):
        settings = self.desktop.home / ".vimrc"
        settings.write_text(ON_AT_START, encoding="utf-8")
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.desktop.write(name, "one\n\tdä日x\n")
                self.edit(activity(path, 2, 5, modificationTime=None), EDITOR="vim", DISPLAY=":0")
                self.assertEqual(self.started()[0], b"-e")
                editor = self.terminal(self.desktop, *self.started()[1:])
                self.shown(path, 2, 5)
                editor.close()

    def test_visual_precedes_editor_and_each_gets_the_place_as_it_wants_it(self):
        path = self.desktop.write("notes.txt")
        for name in ("nano", "kak", "micro", "unknown-editor"):
            self.install(name, "#!/bin/sh\n")
        file = path.decode()
        for editor, words in (
            ("nano", ["+2,3", file]), ("kak -n", ["-n", "+2:3", file]), ("micro", ["+2", file]),
            ("unknown-editor", [file]),
        ):
            with self.subTest(editor=editor):
                self.edit(activity(path, 2, 3, modificationTime=None), VISUAL=editor, EDITOR="ed", DISPLAY=":0")
                self.assertEqual(self.started(), [b"-e", editor.split()[0].encode(), *map(str.encode, words)])

    def test_the_command_of_edit_conf_gets_each_value_as_it_is(self):
        self.install("mine", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {self.log}\n")
        self.configure("command = mine --at={line}:{column} 'a b' {file}")
        for name in (b"{line}.txt", b"caf\xe9 $(id).txt"):
            path = self.desktop.write(name)
            self.edit(activity(path, 2, 3, modificationTime=None), EDITOR="ed", DISPLAY=":0")
            self.assertEqual(self.started(), [b"--at=2:3", b"a b", path])

    def test_without_an_editor_it_says_so_and_handoffd_may_open_it_elsewhere(self):
        path = self.desktop.write("notes.txt")
        # However busy the machine is, no time passes for it.
        python = self.before_python("import time\ntime.monotonic = lambda: 0.0\n")
        text = self.edit(activity(path, modificationTime=None), status=69, **python)
        self.assertIn("No editor runs here", text)
        text = self.edit(activity(path, modificationTime=None), status=69, EDITOR="vim", **python)
        self.assertIn("No editor runs here", text, "without a display there is no terminal")
        text = self.edit(activity(path, modificationTime=None), status=69, EDITOR="none", DISPLAY=":0", **python)
        self.assertIn("none that was chosen can be started", text)
        self.assertFalse(self.notes.exists(), "what handoffd does then is told by handoffd")

    def test_without_an_editor_nothing_waits_for_a_document_that_is_older_here(self):
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        self.edit(activity(path, modificationTime=WRITTEN + 100), status=69)

    def test_when_handoffd_waits_no_longer_it_tells_the_person_that_there_is_no_editor(self):
        hanging = self.neovim()
        hanging.process.send_signal(signal.SIGSTOP)
        self.addCleanup(hanging.process.send_signal, signal.SIGCONT)
        self.configure("patience = 2")
        self.edit(activity(self.desktop.write("notes.txt"), modificationTime=None), status=69)
        self.assertIn("Not opened", self.notes.read_text())

    def test_an_editor_that_ends_while_a_document_is_waited_for_is_not_asked(self):
        editor = self.neovim()
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        with self.editing(activity(path, modificationTime=WRITTEN + 100), EDITOR="vim", DISPLAY=":0") as running:
            running.lines.wait(lambda line: "notes.txt is older here" in line, "a word about it")
            editor.type("\x1b:qa\r")
            editor.wait_for_exit()
            os.utime(path, (WRITTEN + 100, WRITTEN + 100))
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)
        self.assertIn(path, self.started())
