"""handoff-terminal: what opens in a terminal of the desktop, and a real xterm on a display."""

import json
import os
import signal
import subprocess
import urllib.parse

from devices import TIMEOUT, process
from odd_names import ODD_NAMES
from terminal_test import TYPE, BashShellTest, TerminalTest


class OpenTests(TerminalTest):
    """A terminal opens on the desktop."""

    def setUp(self):
        super().setUp()
        self.log = self.desktop.home / "terminal.log"
        self.addCleanup(lambda: self.log.unlink(missing_ok=True))
        self.notes = self.desktop.home / "notes"
        self.install(self.desktop, "x-terminal-emulator",
                     f"#!/bin/sh\nprintf '%s\\0' \"$(pwd; echo .)\" \"$PWD\" \"$@\" > {self.log}.new\n"
                     f"mv {self.log}.new {self.log}\n")
        self.install(self.desktop, "notify-send", "#!/bin/sh\n")

    def open(self, info, status=0, name="laptop", kind=TYPE, **variables):
        """Runs handoff-terminal to its end; returns what it printed."""
        result = subprocess.run(
            [self.desktop.home / "usr/libexec/handoffd/handoff-terminal"],
            input=json.dumps({"type": kind, "deviceName": name, "userInfo": info}), text=True,
            env=self.desktop.environment(**{"DISPLAY": ":0", **variables}), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False, cwd="/",
        )
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    @staticmethod
    def about(path, **more):
        """The userInfo about a directory."""
        return {"version": 1, "NSUserActivityDocumentURLKey": {"$url": "file://" + urllib.parse.quote(path)}, **more}

    def opened(self):
        """What the terminal got: its directory, and its words."""
        directory, name, *words = self.log.read_bytes().split(b"\0")[:-1]
        self.assertEqual(directory, name + b"\n.")
        return name, words

    def test_every_odd_name_is_the_directory_of_the_terminal(self):
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.directory(name, self.desktop)
                self.open(self.about(path))
                self.assertEqual(self.opened(), (path, []))

    def test_the_command_of_terminal_conf_gets_the_directory_as_it_is(self):
        self.install(self.desktop, "mine", f"#!/bin/sh\nexec {self.desktop.bin}/x-terminal-emulator \"$@\"\n")
        self.configure(self.desktop, "[terminal]\ncommand = mine --at={directory} 'a b'\n")
        for name in (b"{directory}", b"caf\xe9 $(id)"):
            path = self.directory(name, self.desktop)
            self.open(self.about(path), DISPLAY="")
            self.assertEqual(self.opened(), (path, [b"--at=" + path, b"a b"]))

    def test_what_is_no_directory_is_refused(self):
        file = self.desktop.write("file.txt")
        self.assertIn("file.txt is not a directory", self.open(self.about(file), 65))
        self.assertIn("bash is not a directory", self.open(self.about(b"/bin/bash"), 65))
        self.assertIn("cannot be opened", self.open(self.about(b"/nowhere"), 66))
        self.open({}, 65)
        self.open(self.about(b"/tmp"), 65, kind="org.example.other")
        self.open(self.about(self.directory("x", self.desktop)), 69, DISPLAY="")
        self.assertFalse(self.log.exists())

    def test_a_session_is_reached_only_where_the_person_has_said_how(self):
        path = self.directory("x", self.desktop)
        self.open(self.about(path, tmux="work"))
        self.assertEqual(self.opened(), (path, []))
        self.configure(self.desktop, "[ssh]\nLaptop = other\nlaptop = -oProxyCommand=me@laptop.example\n")
        self.open({"tmux": "work"})
        self.assertEqual(self.opened()[1], [
            b"-e", b"ssh", b"-t", b"--", b"-oProxyCommand=me@laptop.example", b"exec tmux attach-session -t '=work'",
        ])
        for session in ("work; id", "$(id)", "a\nb", "", 7, ["work"], "=x", "x" * 65):
            with self.subTest(session=session):
                self.open(self.about(path, tmux=session))
                self.assertEqual(self.opened(), (path, []))


class AcrossTests(TerminalTest):
    """From a terminal of the laptop to one of the desktop, over the air."""

    def test_a_real_terminal_opens_in_the_counterpart(self):
        here, there = self.directory("日本 'ü' $x"), self.directory("日本 'ü' $x", self.desktop)
        (self.desktop.home / ".bashrc").write_text(
            f". {self.integration(self.desktop, 'bash')}\n", encoding="utf-8"
        )
        read, write = os.pipe()
        self.enterContext(process(["Xvfb", "-displayfd", str(write), "-nolisten", "tcp", "-noreset"],
                                  pass_fds=[write], stderr=subprocess.DEVNULL))
        os.close(write)
        with open(read, encoding="ascii") as display:
            number = int(display.readline())
        pids = self.desktop.home / "xterm.pid"
        self.install(self.desktop, "x-terminal-emulator",
                     f"#!/bin/sh\necho $$ > {pids}\nexec env DISPLAY=:{number} SHELL=/bin/bash xterm \"$@\"\n")
        (self.laptop.home / ".bashrc").write_text(
            f"{BashShellTest.before}. {self.integration(self.laptop, 'bash')}\n", encoding="utf-8"
        )
        self.terminal(self.laptop, "bash", directory=here)
        self.events.wait_document(here)
        self.pair.fetch(TYPE)
        self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
        self.desktop.events.wait_document(there)
        self.events.wait("the word that it is continued", lambda e: e["event"] == "continued")
        os.kill(int(pids.read_text(encoding="ascii")), signal.SIGTERM)
