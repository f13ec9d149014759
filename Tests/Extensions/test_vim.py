"""The plug-in for Vim and Neovim: what the desktop gets while the laptop's editor is used."""

import signal

from devices import ROOT, WRITTEN, IntegrationTest, deaf
from odd_names import ODD_NAMES

PLUGIN = ROOT / "Extensions/Vim"
ON = "let g:handoff_enabled = 1\n"


class VimTests(IntegrationTest):
    """Vim; the same tests run with Neovim."""

    program = ["vim"]
    # Where the editor reads its settings in a home directory.
    settings = ".vimrc"

    def editor(self, *arguments, settings=ON, directory=None, **variables):
        """The editor in a terminal of the laptop, with the plug-in as it is installed."""
        path = self.laptop.home / self.settings
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"set nocompatible\n{settings}\nset runtimepath^={PLUGIN}\n", encoding="utf-8")
        self.addCleanup(path.unlink)
        directory = directory or self.laptop.docs
        return self.terminal(self.laptop, *self.program, *arguments, directory=directory, **variables)

    def run_command(self, editor, command):
        """Runs an Ex command, and waits until the editor has done it."""
        self.count = getattr(self, "count", 0) + 1
        editor.type(f"\x1b:{command}\r:echo 'do' . 'ne-{self.count}'\r")
        editor.wait(f"done-{self.count}")

    def test_the_file_of_the_focused_window_is_offered_with_line_and_column_in_characters(self):
        path, _ = self.pair.write("notes.txt", "one\n\tdä日x\n")
        editor = self.editor(path)
        self.events.wait_document(path)
        activity = self.pair.fetch()
        self.assertEqual(activity["title"], "notes.txt")
        self.assertEqual(self.pair.place(), (b"notes.txt", 1, 1))
        info = activity["userInfo"]
        self.assertEqual(info["modificationTime"], WRITTEN)
        self.assertEqual((info["version"], info["modified"]), (1, False))
        self.run_command(editor, "call cursor(2, 1) | normal! fx")
        self.assertEqual(self.pair.place(), (b"notes.txt", 2, 5))
        self.run_command(editor, "call cursor(1, 1)")
        self.assertEqual(self.pair.place(), (b"notes.txt", 1, 1), "the second request is answered as well")

    def test_unsaved_text_is_not_sent_but_that_there_is_some(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path)
        self.events.wait_document(path)
        self.run_command(editor, "call setline(1, 'SECRET')")
        activity = self.pair.fetch()
        self.assertTrue(activity["userInfo"]["modified"])
        self.assertNotIn("SECRET", str(activity))

    def test_moving_the_cursor_sends_nothing(self):
        path, _ = self.pair.write("notes.txt", "x\n" * 100)
        editor = self.editor(path)
        self.events.wait_document(path)
        for _ in range(3):
            self.run_command(editor, "normal! 10j")
        self.run_command(editor, "write!")
        changed = self.events.wait("a change", lambda e: "UserInfo" in e["properties"])
        self.assertEqual(changed["properties"]["UserInfo"]["line"], 31, "the first change is that of the file")

    def test_every_odd_name_arrives_as_it_is(self):
        editor = self.editor(self.pair.write("first.txt")[0])
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path, _ = self.pair.write(name)
                literal = "".join(f"\\x{byte:02x}" for byte in path)
                self.run_command(editor, f'execute "buffer " . bufadd("{literal}")')
                self.events.wait_document(path)

    def test_nothing_is_offered_without_being_switched_on(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, settings="")
        self.run_command(editor, "normal! j")
        self.run_command(editor, "HandoffOn")
        added = self.events.wait_activity("added")
        self.assertEqual(added["properties"]["UserInfo"]["line"], 2, "the first activity is that after HandoffOn")
        self.run_command(editor, "HandoffOff")
        self.events.wait_activity("removed")

    def test_what_is_no_file_on_this_disk_ends_the_activity(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor("notes.txt")
        # No program fetches the remote file; its name alone counts.
        self.run_command(editor, "let g:loaded_netrwPlugin = 1 | silent! autocmd! Network")
        for command in ("enew", "help", "edit not-there.txt", "edit ftp://localhost/x", "edit .", "terminal"):
            with self.subTest(command=command):
                self.events.wait_document(path)
                if command == "terminal":
                    editor.type("\x1b:terminal\r")
                else:
                    self.run_command(editor, f"{command} | silent! only!")
                self.events.wait_activity("removed")
                if command != "terminal":
                    self.run_command(editor, "edit notes.txt")

    def test_a_look_at_the_help_keeps_the_activity_and_its_place(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path)
        activity = self.events.wait_activity("added")["object"]
        self.run_command(editor, "2 | help | quit | 3")
        self.assertEqual(self.pair.place(), (b"notes.txt", 3, 1))
        self.assertEqual(self.laptop.ctl("status")["currentActivity"], activity)

    def test_leaving_the_editor_ends_the_activity_and_so_does_its_death(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path)
        self.assertEqual(self.pair.place()[0], b"notes.txt")
        editor.type("\x1b:quit\r")
        self.assertEqual(editor.wait_for_exit(), 0)
        self.events.wait_activity("removed")
        self.pair.wait_nothing()
        other = self.terminal(self.laptop, *self.program, path)
        self.events.wait_document(path)
        other.process.send_signal(signal.SIGKILL)
        self.events.wait_activity("removed")

    def test_losing_the_focus_keeps_it_and_getting_it_back_makes_it_current_again(self):
        first, _ = self.pair.write("first.txt")
        second, _ = self.pair.write("second.txt")
        editor = self.editor(first)
        self.events.wait_document(first)
        editor.type("\x1b[O")
        self.assertEqual(self.pair.place()[0], b"first.txt")
        self.terminal(self.laptop, *self.program, second)
        self.events.wait_document(second)
        editor.type("\x1b[I")
        self.events.wait_activity("removed", "the end of the first editor's activity")
        self.events.wait_document(first)
        self.assertEqual(self.pair.place()[0], b"first.txt")

    def test_without_handoffctl_there_is_one_message_and_the_editor_goes_on(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, settings=ON + "let g:handoff_command = ['/nowhere/handoffctl']")
        editor.wait("is not installed")
        self.run_command(editor, "call setline(1, 'x') | write")
        self.run_command(editor, "edit other.txt | edit notes.txt")
        editor.type("\x1b:echo len(split(execute('messages'), 'not installed', 1)) . ' pieces'\r")
        editor.wait("2 pieces")

    def test_without_a_bus_the_reason_is_the_message(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere")
        editor.wait("HandoffOn tries again")
        editor.type("\x1b:HandoffStatus\r")
        editor.wait("handoff: off: ")

    def test_a_handoffctl_that_does_not_read_blocks_nothing(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, settings=f"{ON}let g:handoff_command = ['{deaf(self.laptop)}']")
        editor.wait("all is asked")
        self.run_command(editor, "call setline(1, 'x') | write")
        editor.type("\x1b:quit!\r")
        self.assertEqual(editor.wait_for_exit(), 0)

    def test_the_status_names_what_keeps_a_file_from_being_offered(self):
        outside = self.laptop.home / "outside.txt"
        outside.write_text("x\n", encoding="utf-8")
        editor = self.editor(outside)
        self.events.wait("the activity", lambda e: e["properties"].get("DocumentProblem"))
        # The event reaches the editor after the daemon has answered handoffctl's next question.
        self.run_command(editor, "while execute('HandoffStatus') !~# 'not offered:' | sleep 10m | endwhile")


class NeovimTests(VimTests):
    """Neovim."""

    program = ["nvim"]
    settings = "config/nvim/init.vim"
