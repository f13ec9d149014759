"""handoff-edit: what opens in an editor that is started."""

from edit_test import PLUGIN, EditTest, activity
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
        settings.write_text(f"set nocompatible\nlet g:handoff_enabled = 1\nsource {PLUGIN}\n", encoding="utf-8")
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
        self.assertIn("No editor runs here", self.edit(activity(path, modificationTime=None), status=69))
        self.assertIn("No editor runs here", self.edit(activity(path, modificationTime=None), status=69, EDITOR="vim"),
                      "without a display there is no terminal")
        self.assertFalse(self.notes.exists(), "what handoffd does then is told by handoffd")
