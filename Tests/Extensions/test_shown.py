"""Names that are markup, or steer, where they are shown: each program shows them letter by letter."""

import json
import os
import re
import subprocess

from devices import ROOT, Lines, ProgramTest, process
from test_vscode import EXTENSION, FAKE

# What VS Code makes a link of in a message (vs/base/common/linkedText.ts, 1.93).
LINK = re.compile(r"""\[([^\]]+)\]\(((?:https?://|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)""", re.I)
# Names of files and of devices; a file's has no slash.
NAMES = [
    "[Details](command:workbench.action.terminal.new)", "[a](command:x 'title')", "[[a]](command:x)", "[a]\n(command:x)",
    "[a]\u202e(command:x)", "[a]](command:x)", "![a](file:x)", "<b>x", "<a href=x>y", "&lt;b&gt;", "<img src=x>",
    "%s%n%p", "$(id)", "`id`", "\\[command]", "\x1b]0;x\x07", "\x9b31m", "a\rb", "a\nb", "\u2066a\u202eb",
]
UNSEEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class CodeTests(ProgramTest):
    """The extension for VS Code."""

    def setUp(self):
        super().setUp()
        # One for each wait: a pipe that is opened again at once may still have the writer of before.
        self.pipes = [self.home.home / "tmp" / name for name in ("first", "second")]
        for pipe in self.pipes:
            os.mkfifo(pipe)
            self.addCleanup(pipe.unlink)

    def test_no_name_is_a_link_in_a_message(self):
        self.assertTrue(LINK.search(NAMES[0]))
        for name in NAMES:
            with self.subTest(name=name):
                for message in list(self.messages(name)):
                    self.assertIsNone(LINK.search(message), message)
                    self.assertIsNone(UNSEEN.search(message), message)

    def messages(self, name):
        """The messages of VS Code about a file, a device, an obstacle and a reason of that name."""
        path = self.home.write(name)
        # It goes on when the test says so.
        self.home.program("handoffctl", f"""#!/bin/sh
            read -r line
            printf '%s\\n' {quoted(json.dumps({"event": "offered", "activity": "/a"}))}
            printf '%s\\n' {quoted(json.dumps({"event": "continued", "deviceName": name}))}
            read -r word < {self.pipes[0]}
            printf '%s\\n' {quoted(json.dumps({"event": "withheld", "message": name}))}
            read -r word < {self.pipes[1]}
            printf '%s\\n' {quoted(name)} >&2
            exit 1
        """)
        with process(["node", FAKE, EXTENSION], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                     env=self.home.environment()) as editor:
            lines = Lines(editor.stdout)

            def tell(**action):
                editor.stdin.write(json.dumps(action) + "\n")
                editor.stdin.flush()

            def status():
                tell(run="handoff.status")
                return json.loads(lines.wait(lambda line: "information" in line, "a message"))["information"]

            tell(watch=True, set={"enabled": True}, open={"file": path.decode()})
            lines.wait(lambda line: "continued" in line, "a device that continues it")
            yield status()
            self.pipes[0].write_text("go\n", encoding="ascii")
            lines.wait(lambda line: "withheld" in line, "an obstacle")
            yield status()
            self.pipes[1].write_text("go\n", encoding="ascii")
            yield json.loads(lines.wait(lambda line: "warning" in line, "a warning"))["warning"]
            yield status()


class NotificationTests(ProgramTest):
    """Notifications of the programs: a title, and a text that is markup."""

    def test_no_name_is_markup_in_the_title_or_in_the_text(self):
        for name in NAMES:
            with self.subTest(name=name):
                title, text = self.notification(name)
                self.assertNotIn("<", title)
                self.assertNotIn("<", text)
                self.assertIsNone(re.search(r"&(?!lt;|gt;|amp;)", text), text)
                self.assertIsNone(UNSEEN.search(title + text))

    def notification(self, name):
        """The title and the text of a notification about a document and a device of that name."""
        self.home.program("notify-send", f"#!/bin/sh\nshift 2\nprintf '%s\\0' \"$@\" > {self.notes}\n")
        self.home.program("editor", "#!/bin/sh\n")
        (self.home.home / "config/handoff").mkdir(exist_ok=True)
        settings = self.home.home / "config/handoff/edit.conf"
        settings.write_text("[edit]\neditors =\ncommand = editor {file}\n", encoding="utf-8")
        path = self.home.write(name)
        status, said = self.run_program("handoff-edit", "org.handoffd.document.text", path, {"modified": True}, deviceName=name)
        self.assertEqual(status, 0, said)
        title, text, _ = self.notes.read_bytes().decode().split("\0")
        return title, text

    def test_what_a_program_prints_has_nothing_that_steers_a_terminal(self):
        for name in NAMES:
            with self.subTest(name=name):
                status, said = self.run_program("handoff-viewer", "org.handoffd.document.pages", self.home.write(name))
                self.assertEqual(status, 65)
                self.assertIsNone(UNSEEN.search(said.removesuffix("\n")), said)


class VimTests(ProgramTest):
    """The plug-in for Vim."""

    def test_a_message_has_nothing_that_steers_a_terminal(self):
        script = self.home.home / "tmp/script.vim"
        result = self.home.home / "tmp/result"
        lines = ["set encoding=utf-8", f"set runtimepath^={ROOT / 'Extensions/Vim'}", "let names = json_decode(readfile(" +
                 f"'{self.home.home / 'tmp/names'}')[0])",
                 f"call writefile([json_encode(map(names, 'handoff#message#Plain(v:val)'))], '{result}')", "qall!"]
        script.write_text("\n".join(lines), encoding="utf-8")
        (self.home.home / "tmp/names").write_text(json.dumps(NAMES, ensure_ascii=True) + "\n", encoding="utf-8")
        subprocess.run(["vim", "-u", "NONE", "-N", "-es", "-S", script], env=self.home.environment(), check=True)
        shown = json.loads(result.read_text(encoding="utf-8"))
        self.assertEqual(shown, [UNSEEN.sub(" ", name) for name in NAMES])


class EmacsTests(ProgramTest):
    """The plug-in for Emacs."""

    def test_a_message_has_nothing_that_steers_a_terminal(self):
        expression = "(let ((names (json-read-file (getenv \"NAMES\")))) (princ (json-encode (seq-map #'handoff--plain names))))"
        names = self.home.home / "tmp/names"
        names.write_text(json.dumps(NAMES), encoding="utf-8")
        result = subprocess.run(
            ["emacs", "-Q", "--batch", "-L", ROOT / "Extensions/Emacs", "-l", "handoff", "--eval", expression], check=True,
            stdout=subprocess.PIPE, env=self.home.environment(NAMES=str(names)),
        )
        self.assertEqual(json.loads(result.stdout), [UNSEEN.sub(" ", name) for name in NAMES])


def quoted(text):
    """A word of sh."""
    return "'" + text.replace("'", "'\\''") + "'"
