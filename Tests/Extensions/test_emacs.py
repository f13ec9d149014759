"""The minor mode for Emacs: what the desktop gets while the laptop's Emacs is used."""

import signal
import subprocess

from devices import EMACS_MODE, TIMEOUT, WRITTEN, IntegrationTest, deaf
from odd_names import ODD_NAMES



def string(path):
    """An expression for a file name, of any bytes."""
    return '(decode-coding-string "' + "".join(f"\\{byte:03o}" for byte in path) + '" \'utf-8-unix)'


class EmacsTests(IntegrationTest):
    """Emacs in a terminal, which the test tells what to do through its server."""

    def editor(self, path, setting="(handoff-mode 1)", **variables):
        """Emacs in a terminal of the laptop, with the minor mode."""
        settings = self.laptop.home / "settings.el"
        settings.write_text(
            f'(setq make-backup-files nil ring-bell-function (quote ignore))\n{EMACS_MODE}\n{setting}\n'
            '(require \'server)\n(server-start)\n(setq inhibit-startup-screen t)\n', encoding="utf-8",
        )
        made = self.terminal(self.laptop, "emacs", "-nw", "-Q", "-l", settings, path, **variables)
        made.wait("notes.txt")
        return made

    def eval(self, expression):
        """What Emacs evaluates an expression to, as text."""
        return subprocess.run(
            ["emacsclient", "--eval", expression], env=self.laptop.environment(), capture_output=True, text=True,
            timeout=TIMEOUT, check=True,
        ).stdout.strip()

    def in_window(self, expression):
        """Evaluates an expression in the window that the person sees."""
        return self.eval(f"(with-selected-window (frame-selected-window) {expression} t)")

    def test_the_file_of_the_selected_window_is_offered_with_line_and_column_in_characters(self):
        path, _ = self.pair.write("notes.txt", "one\n\tdä日x\n")
        self.editor(path)
        self.events.wait_document(path)
        activity = self.pair.fetch()
        self.assertEqual(activity["title"], "notes.txt")
        self.assertEqual(self.pair.place(), (b"notes.txt", 1, 1))
        info = activity["userInfo"]
        self.assertEqual((info["version"], info["modified"], info["modificationTime"]), (1, False, WRITTEN))
        self.in_window('(search-forward "日")')
        self.assertEqual(self.pair.place(), (b"notes.txt", 2, 5))
        self.in_window("(narrow-to-region (point-min) (point)) (forward-char -1)")
        self.assertEqual(self.pair.place(), (b"notes.txt", 2, 4), "and in a narrowed buffer")

    def test_unsaved_text_is_not_sent_but_that_there_is_some(self):
        path, _ = self.pair.write("notes.txt")
        self.editor(path)
        self.events.wait_document(path)
        self.in_window('(insert "SECRET")')
        activity = self.pair.fetch()
        self.assertTrue(activity["userInfo"]["modified"])
        self.assertNotIn("SECRET", str(activity))

    def test_moving_the_cursor_sends_nothing_and_saving_does(self):
        path, _ = self.pair.write("notes.txt", "x\n" * 100)
        editor = self.editor(path)
        self.events.wait_document(path)
        for _ in range(3):
            editor.type(10 * "\x0e")
        # Ctrl-X Ctrl-S
        editor.type("y\x18\x13")
        changed = self.events.wait("a change", lambda e: "UserInfo" in e["properties"])
        self.assertEqual(changed["properties"]["UserInfo"]["line"], 31, "the first change is that of the file")

    def test_every_odd_name_arrives_as_it_is(self):
        self.editor(self.pair.write("notes.txt")[0])
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path, _ = self.pair.write(name)
                self.in_window(f"(switch-to-buffer (find-file-noselect {string(path)}))")
                self.events.wait_document(path)

    def test_nothing_is_offered_without_being_switched_on(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, setting="")
        editor.type("\x0e\x1bxhandoff-mode\r")
        added = self.events.wait_activity("added")
        self.assertEqual(added["properties"]["UserInfo"]["line"], 2, "the first activity is that after handoff-mode")
        editor.type("\x1bxhandoff-mode\r")
        self.events.wait_activity("removed")

    def test_what_is_no_file_on_this_disk_ends_the_activity(self):
        path, _ = self.pair.write("notes.txt")
        self.editor(path)
        remote = '(setq buffer-file-name "/ssh:nowhere:/notes.txt")'
        for command in (
            '(switch-to-buffer "*scratch*")', '(find-file "not-there.txt")',
            f'(progn (switch-to-buffer "x") {remote})', "(dired default-directory)",
        ):
            with self.subTest(command=command):
                self.events.wait_document(path)
                self.in_window(command)
                self.events.wait_activity("removed")
                self.in_window(f"(find-file {string(path)})")
        self.events.wait_document(path)

    def test_the_minibuffer_and_a_look_at_the_help_keep_the_activity_and_its_place(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path)
        activity = self.events.wait_activity("added")["object"]
        # Meta-X.
        editor.type("\x0e\x1bxhelp-me")
        editor.wait("help-me")
        self.assertEqual(self.pair.place(), (b"notes.txt", 2, 1))
        editor.type("\x07")
        self.assertEqual(self.laptop.ctl("status")["currentActivity"], activity)

    def test_leaving_emacs_ends_the_activity_and_so_does_its_death(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path)
        self.events.wait_document(path)
        # Ctrl-X Ctrl-C
        editor.type("\x18\x03")
        self.assertEqual(editor.wait_for_exit(), 0)
        self.events.wait_activity("removed")
        other = self.editor(path)
        self.events.wait_document(path)
        other.process.send_signal(signal.SIGKILL)
        self.events.wait_activity("removed")

    def test_getting_the_focus_back_makes_it_current_again(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path)
        self.events.wait_document(path)
        with self.pair.publishing(title="Another"):
            self.assertEqual(self.pair.fetch()["title"], "Another")
            editor.type("\x1b[O\x1b[I")
            self.events.wait_activity("removed", "the end of the first activity")
            self.events.wait_document(path)
            self.assertEqual(self.pair.place()[0], b"notes.txt")

    def test_without_handoffctl_there_is_one_message_and_emacs_goes_on(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, setting='(setq handoff-command (quote ("/nowhere/handoffctl"))) (handoff-mode 1)')
        editor.wait("M-x handoff-mode tries again")
        self.assertEqual(self.eval("handoff-mode"), "nil")
        count = '(with-current-buffer "*Messages*" (count-matches "handoff: " (point-min) (point-max)))'
        self.assertEqual(self.eval(count), "1")
        # Emacs looks for a name without a directory itself.
        self.eval('(progn (setq handoff-command (list "no-such-handoffctl")) (handoff-mode 1) (handoff--update))')
        self.assertEqual(self.eval("handoff-mode"), "nil")
        left = """(list (delq nil (mapcar (lambda (buffer) (string-match-p "handoff errors" (buffer-name buffer)))
                                          (buffer-list)))
                        (delq nil (mapcar (lambda (process) (string-match-p "handoff" (process-name process)))
                                          (process-list))))"""
        self.assertEqual(self.eval(left), "(nil nil)", "nothing is left of a start that failed")

    def test_without_a_bus_the_reason_is_the_message(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor(path, DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere")
        editor.wait("M-x handoff-mode tries again")
        self.assertIn("handoff: off: ", self.eval("(handoff-status)"))

    def test_a_handoffctl_that_does_not_read_blocks_nothing(self):
        path, _ = self.pair.write("notes.txt")
        setting = f'(setq handoff-command (quote ("{deaf(self.laptop)}"))) (handoff-mode 1)'
        editor = self.editor(path, setting=setting)
        editor.wait("does not read what Emacs writes")
        editor.type("x\x18\x13")
        editor.wait("Wrote ")
        editor.type("\x18\x03")
        self.assertEqual(editor.wait_for_exit(), 0)
