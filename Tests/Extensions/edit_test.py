"""What the tests of handoff-edit share: most run it without the air, as handoffd starts it."""

import contextlib
import json
import shutil
import socket
import subprocess
import urllib.parse

from devices import EDIT, EMACS_MODE, ROOT, TIMEOUT, TYPE, WRITTEN, IntegrationTest, Lines, process

# The settings of a Vim that offers what it shows.
ON_AT_START = f"set nocompatible\nlet g:handoff_enabled = 1\nset runtimepath^={ROOT / 'Extensions/Vim'}\n"


def activity(path, line=1, column=1, **more):
    """An activity about a document of this computer, as handoffd passes it on."""
    info = {"version": 1, "line": line, "column": column, "modificationTime": WRITTEN, "modified": False, **more}
    info.setdefault("NSUserActivityDocumentURLKey", {"$url": "file://" + urllib.parse.quote(path)})
    return {"type": TYPE, "deviceName": "laptop", "device": "0123456789abcdef", "userInfo": info}


class EditTest(IntegrationTest):
    """A test of handoff-edit on the desktop. Its editors offer what they show, so that the test is told of it."""

    def setUp(self):
        super().setUp()
        self.events = self.desktop.events
        self.configure("")
        self.notes = self.desktop.home / "notes"
        self.install("notify-send", f"""#!/bin/sh
printf '%s\\n' "$*" >> {self.notes}
case $1$2 in *--action*) [ ! -p {self.notes}.answer ] || cat {self.notes}.answer;; esac
""")
        self.addCleanup(self._remove_notes)

    def _remove_notes(self):
        for path in self.desktop.home.glob("notes*"):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()

    def install(self, name, text):
        """A program of the desktop, until the test ends."""
        self.addCleanup(self.desktop.program(name, text).unlink)

    def before_python(self, text):
        """The variables by which Python executes this text before a program of the desktop."""
        directory = self.desktop.home / "notes.python"
        directory.mkdir()
        (directory / "sitecustomize.py").write_text(text, encoding="utf-8")
        return {"PYTHONPATH": str(directory)}

    def configure(self, text):
        """Writes edit.conf of the desktop."""
        # Most editors here do not hang, however busy the machine is.
        text = text if "patience" in text else f"patience = {TIMEOUT}\n{text}"
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/edit.conf").write_text(f"[edit]\n{text}\n", encoding="utf-8")

    def edit(self, document, *options, status=0, **variables):
        """Runs handoff-edit to its end; returns what it printed."""
        text = document if isinstance(document, str) else json.dumps(document)
        result = subprocess.run(
            [self.desktop.home / EDIT, *options], input=text, env=self.desktop.environment(**variables), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False,
        )
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    def listen(self, path):
        """A socket of the desktop at which nobody answers, until the test ends."""
        path = self.desktop.home / path
        path.parent.mkdir(mode=0o700, exist_ok=True)
        server = self.enterContext(socket.socket(socket.AF_UNIX))
        # The address of a socket is short.
        with contextlib.chdir(path.parent):
            server.bind(path.name)
        server.listen()
        self.addCleanup(path.unlink)

    def die(self, path):
        """The socket of a program of the desktop that has died: nobody listens at it."""
        path = self.desktop.home / path
        path.parent.mkdir(mode=0o700, exist_ok=True)
        with socket.socket(socket.AF_UNIX) as server, contextlib.chdir(path.parent):
            server.bind(path.name)
        self.addCleanup(path.unlink)

    @contextlib.contextmanager
    def editing(self, document, **variables):
        """handoff-edit while it runs; its `lines` are what it prints."""
        with process([self.desktop.home / EDIT], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                     env=self.desktop.environment(**variables)) as running:
            running.stdin.write(json.dumps(document))
            running.stdin.close()
            running.lines = Lines(running.stderr)
            yield running

    def shown(self, path, line, column):
        """Waits until an editor of the desktop shows the document, and checks the place."""
        info = self.events.wait_document(path)["UserInfo"]
        self.assertEqual((info["line"], info["column"]), (line, column))

    def neovim(self, *arguments, **variables):
        """A Neovim on the desktop, once it shows its first document."""
        return self.start("nvim", "config/nvim/init.vim", *arguments, **variables)

    def start(self, program, settings, *arguments, **variables):
        """Vim or Neovim on the desktop, once it shows its first document."""
        path = self.desktop.home / settings
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ON_AT_START, encoding="utf-8")
        editor = self.terminal(self.desktop, program, *(arguments or [self.first()]), **variables)
        self.events.wait("the first document", lambda e: e["properties"].get("DocumentURL"))
        return editor

    def emacs(self):
        """An Emacs on the desktop, once it shows its first document."""
        settings = self.desktop.home / "settings.el"
        settings.write_text(
            f'(setq make-backup-files nil)\n{EMACS_MODE}\n(handoff-mode 1)\n(server-start)\n', encoding="utf-8"
        )
        editor = self.terminal(self.desktop, "emacs", "-nw", "-Q", "-l", settings, self.first())
        self.events.wait("the first document", lambda e: e["properties"].get("DocumentURL"))
        return editor

    def first(self):
        """The document that an editor shows at first."""
        return self.desktop.write("first.txt")
