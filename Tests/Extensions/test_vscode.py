"""The extension for VS Code, in node with the part of VS Code's API that it uses. VS Code itself does not take part."""

import contextlib
import json
import subprocess
import threading

from devices import ROOT, TIMEOUT, WRITTEN, IntegrationTest, Lines, deaf, process
from odd_names import ODD_NAMES

FAKE = ROOT / "Tests/Extensions/fake-vscode.js"
EXTENSION = ROOT / "Extensions/VSCode/extension.js"


class CodeTests(IntegrationTest):
    """The extension in node."""

    def editor(self, **variables):
        """node with the extension, until the test ends."""
        made = self.enterContext(process(
            ["node", FAKE, EXTENSION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env=self.laptop.environment(**variables),
        ))
        made.lines = Lines(made.stdout)
        return made

    def tell(self, editor, **action):
        """What the person does."""
        editor.stdin.write(json.dumps(action) + "\n")
        editor.stdin.flush()
        editor.lines.wait(lambda line: "done" in json.loads(line), "the end of an action")

    def close(self, editor):
        """The person closes VS Code; returns the exit status."""
        editor.stdin.close()
        return editor.wait(timeout=TIMEOUT)

    def test_the_file_of_the_focused_editor_is_offered_with_line_and_column_in_characters(self):
        path, _ = self.pair.write("notes.txt", "one\n\tdä😀x\n")
        editor = self.editor()
        self.tell(editor, set={"enabled": True}, open={"file": path.decode()})
        self.events.wait_document(path)
        activity = self.pair.fetch()
        self.assertEqual(activity["title"], "notes.txt")
        self.assertEqual(self.pair.place(), (b"notes.txt", 1, 1))
        info = activity["userInfo"]
        self.assertEqual((info["version"], info["modified"], info["modificationTime"]), (1, False, WRITTEN))
        self.tell(editor, move={"line": 1, "character": 5})
        self.assertEqual(self.pair.place(), (b"notes.txt", 2, 5))
        self.tell(editor, open={"file": path.decode(), "isDirty": True})
        self.assertTrue(self.pair.fetch()["userInfo"]["modified"])
        self.assertEqual(self.close(editor), 0)
        self.events.wait_activity("removed")

    def test_moving_the_cursor_sends_nothing_and_saving_does(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        self.tell(editor, set={"enabled": True}, open={"file": path.decode()})
        self.events.wait_document(path)
        self.tell(editor, move={"line": 1})
        self.tell(editor, move={"line": 2})
        self.laptop.write("notes.txt", "one\ntwo\nnew\n")
        self.tell(editor, save=True)
        changed = self.events.wait("a change", lambda e: "UserInfo" in e["properties"])
        self.assertEqual(changed["properties"]["UserInfo"]["line"], 3, "the first change is that of the file")

    def test_every_odd_name_that_node_can_have_arrives_as_it_is(self):
        editor = self.editor()
        self.tell(editor, set={"enabled": True})
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path, _ = self.pair.write(name)
                try:
                    text = path.decode()
                except UnicodeDecodeError:
                    # VS Code has no such names.
                    continue
                self.tell(editor, open={"file": text})
                self.events.wait_document(path)

    def test_what_is_no_file_on_this_disk_ends_the_activity(self):
        path, _ = self.pair.write("notes.txt")
        file = path.decode()
        editor = self.editor()
        self.tell(editor, set={"enabled": True})
        for other in (
            None, {"file": "Untitled-1", "scheme": "untitled"}, {"file": file, "scheme": "vscode-remote"},
            {"file": file + ".not"}, {"file": str(self.laptop.docs)},
        ):
            with self.subTest(other=other):
                self.tell(editor, open={"file": file})
                self.events.wait_document(path)
                self.tell(editor, open=other)
                self.events.wait_activity("removed")

    def test_nothing_is_offered_without_being_switched_on(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        self.tell(editor, open={"file": path.decode()})
        self.tell(editor, save=True, focus=True)
        self.tell(editor, move={"line": 1}, set={"enabled": True})
        added = self.events.wait_activity("added")
        self.assertEqual(added["properties"]["UserInfo"]["line"], 2, "the first activity is that after switching on")
        self.tell(editor, set={"enabled": False})
        self.events.wait_activity("removed")

    def test_getting_the_focus_back_makes_it_current_again(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        self.tell(editor, set={"enabled": True}, open={"file": path.decode()})
        self.events.wait_document(path)
        with self.pair.publishing(title="Another"):
            self.assertEqual(self.pair.fetch()["title"], "Another")
            self.tell(editor, focus=True)
            self.events.wait_activity("removed", "the end of the first activity")
            self.events.wait_document(path)
            self.assertEqual(self.pair.place()[0], b"notes.txt")

    @contextlib.contextmanager
    def fetching(self, editor):
        """The desktop fetches the activity, and the disk does not answer the editor, which is asked for the place.

        The desktop tries until it gets one: the test has to offer something in the end.
        """
        self.tell(editor, hold=True)
        thread = threading.Thread(target=self.pair.fetch, daemon=True)
        thread.start()
        editor.lines.wait(lambda line: "held" in json.loads(line), "the question for the place of the cursor")
        yield
        thread.join(TIMEOUT)
        self.assertFalse(thread.is_alive())

    def test_switched_off_while_it_is_asked_for_the_place_it_offers_again_when_switched_on(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        self.tell(editor, set={"enabled": True}, open={"file": path.decode()})
        self.events.wait_document(path)
        with self.fetching(editor):
            self.tell(editor, set={"enabled": False})
            self.events.wait_activity("removed")
            self.tell(editor, hold=False)
            self.tell(editor, set={"enabled": True})
            self.events.wait_document(path)

    def test_a_file_that_is_closed_while_it_is_asked_for_the_place_is_not_offered_again(self):
        path, _ = self.pair.write("notes.txt")
        other, _ = self.pair.write("other.txt")
        editor = self.editor()
        self.tell(editor, set={"enabled": True}, open={"file": path.decode()})
        self.events.wait_document(path)
        with self.fetching(editor):
            self.tell(editor, open=None)
            self.events.wait_activity("removed")
            self.tell(editor, hold=False)
            self.tell(editor, open={"file": other.decode()})
            self.assertIn("other.txt", self.events.wait_activity("added")["properties"]["DocumentURL"])

    def test_another_command_is_used_at_once(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        self.tell(editor, set={"enabled": True}, open={"file": path.decode()})
        self.events.wait_document(path)
        log = self.laptop.home / "started"
        program = self.laptop.program("mine", f"#!/bin/sh\ntouch {log}\nexec handoffctl \"$@\"\n")
        self.tell(editor, set={"command": str(program)})
        self.events.wait_document(path)
        self.assertTrue(log.exists())

    def test_a_change_of_settings_does_not_hide_why_a_file_is_not_offered(self):
        path = self.laptop.home / "outside.txt"
        path.write_text("one\n", encoding="utf-8")
        editor = self.editor()
        self.tell(editor, watch=True)
        self.tell(editor, set={"enabled": True}, open={"file": str(path)})
        editor.lines.wait(lambda line: "documentProblem" in json.loads(line).get("printed", ""), "the problem")
        self.tell(editor, set={"enabled": True})
        self.tell(editor, run="handoff.status")
        self.assertIn("outside.txt is not offered", "".join(editor.lines.seen))

    def test_without_handoffctl_there_is_one_message(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        action = {"set": {"enabled": True, "command": "/nowhere"}, "open": {"file": path.decode()}}
        editor.stdin.write(json.dumps(action))
        editor.stdin.write("\n")
        editor.stdin.flush()
        editor.lines.wait(lambda line: "warning" in json.loads(line), "a warning")
        self.tell(editor, save=True)
        self.tell(editor, run="handoff.status")
        self.assertIn("off: ", "".join(editor.lines.seen[-2:]))
        self.assertEqual(self.close(editor), 0)
        self.assertEqual(sum("warning" in line for line in editor.lines.seen), 1)

    def test_a_handoffctl_that_does_not_read_blocks_nothing(self):
        path, _ = self.pair.write("notes.txt")
        editor = self.editor()
        self.tell(editor, set={"enabled": True, "command": str(deaf(self.laptop))}, open={"file": path.decode()})
        self.tell(editor, run="handoff.status")
        self.assertEqual(self.close(editor), 0)
