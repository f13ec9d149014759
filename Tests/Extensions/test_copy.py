"""`handoffctl publish --copy` and `handoffctl copy`: a file that is in no shared folder, over the air."""

import base64
import contextlib
import json
import os
import signal
import subprocess
import time

from devices import PROGRAMS, TIMEOUT, WRITTEN, IntegrationTest, Lines, process
from odd_names import ODD_NAMES

TYPE = "org.handoffd.document.copy"


class CopyTest(IntegrationTest):
    """A test in which the laptop offers a file and the desktop takes it."""

    def setUp(self):
        super().setUp()
        self.here, self.there = self.laptop.home / "private", self.desktop.home / "taken"
        for directory in (self.here, self.there):
            directory.mkdir()
            self.addCleanup(subprocess.run, ["rm", "-rf", directory], check=True)

    def file(self, name, content=b"some text\n"):
        """A file of the laptop that is in no shared folder."""
        path = os.fsencode(self.here) + b"/" + os.fsencode(name)
        with open(path, "wb") as file:
            file.write(content)
        os.utime(path, (WRITTEN, WRITTEN))
        return path

    @contextlib.contextmanager
    def offering(self, path):
        """`handoffctl publish --copy`, once the desktop can get it; its `events` are what it prints."""
        options = ["--copy", os.fsdecode(path), "--json", "--bus", self.laptop.device.bus]
        words = [PROGRAMS / "handoffctl", "publish", *options]
        with process(words, stdout=subprocess.PIPE, text=True) as publisher:
            publisher.events = Lines(publisher.stdout)
            publisher.events.wait(lambda line: '"offered"' in line, "an activity of the laptop")
            self.pair.fetch(TYPE)
            yield publisher
            publisher.send_signal(signal.SIGINT)
            publisher.wait(timeout=TIMEOUT)
        self.pair.wait_nothing()

    def told(self, publisher, event):
        """The next event of a kind that the laptop prints."""
        return json.loads(publisher.events.wait(lambda line: f'"{event}"' in line, event))

    def copying(self, *options):
        """`handoffctl copy` on the desktop, which runs."""
        options = options or ["--into", self.there]
        words = [PROGRAMS / "handoffctl", "copy", *options, "--bus", self.desktop.device.bus]
        return process(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                       env=self.desktop.environment())

    def copy(self, *options, status=0):
        """Runs `handoffctl copy` to its end; returns what it printed."""
        with self.copying(*options) as running:
            output = running.stdout.read()
            self.assertEqual(running.wait(timeout=TIMEOUT), status, output)
        return output

    def taken(self):
        """The names in the directory of the copies."""
        return sorted(os.listdir(os.fsencode(self.there)))


class WholeTests(CopyTest):
    """Copies that arrive."""

    def test_a_copy_has_the_name_the_content_the_time_and_a_note_of_its_origin_and_cannot_be_executed(self):
        path = self.file("a 'b'.sh", os.urandom(300_000))
        os.chmod(path, 0o755)
        with self.offering(path) as publisher:
            shown = self.copy()
            self.assertIn(f"copied a 'b'.sh (300.0 kB) from laptop to {self.there}/a 'b'.sh", shown)
            self.assertEqual(self.told(publisher, "copied")["deviceName"], "desktop")
        copy = self.there / "a 'b'.sh"
        self.assertEqual(copy.read_bytes(), open(path, "rb").read())
        status = copy.stat()
        self.assertEqual((status.st_mtime, status.st_mode & 0o111), (WRITTEN, 0))
        self.assertEqual(os.getxattr(copy, "user.xdg.origin.url"), b"handoff://laptop/a%20'b'.sh")
        self.assertEqual(self.taken(), [b"a 'b'.sh"])

    def test_a_terminal_shows_how_far_it_is_until_it_has_arrived(self):
        path = self.file("film.mkv", os.urandom(1_000_000))
        master, slave = os.openpty()
        self.addCleanup(os.close, master)
        words = [PROGRAMS / "handoffctl", "copy", "--into", self.there, "--bus", self.desktop.device.bus]
        with self.offering(path):
            with process(words, stdout=subprocess.PIPE, stderr=slave, text=True, env=self.desktop.environment()) as copy:
                os.close(slave)
                self.assertIn("copied film.mkv (1.0 MB)", copy.stdout.read())
                self.assertEqual(copy.wait(timeout=TIMEOUT), 0)
        shown = os.read(master, 65536)
        self.assertRegex(shown, rb"^\rreceived \S+ k?M?B.*/s\x1b\[K")
        self.assertTrue(shown.endswith(b"\r\x1b[K"), shown)

    def test_a_file_that_is_here_stays_as_it_is(self):
        path = self.file("report.tar.gz")
        (self.there / "report.tar.gz").write_text("mine", encoding="utf-8")
        (self.there / "report.tar (2).gz").symlink_to("nowhere")
        with self.offering(path):
            self.assertIn("report.tar (3).gz", self.copy())
            # The file as it is now, again and again.
            self.file("report.tar.gz", b"newer")
            answer = json.loads(self.copy("--into", self.there, "--json"))
        self.assertEqual((answer["name"], answer["size"]), ("report.tar (4).gz", 5))
        self.assertEqual((self.there / "report.tar.gz").read_text(encoding="utf-8"), "mine")
        self.assertTrue((self.there / "report.tar (2).gz").is_symlink())
        self.assertEqual((self.there / "report.tar (4).gz").read_bytes(), b"newer")
        self.assertEqual(len(self.taken()), 4)

    def test_continuing_puts_it_into_the_directory_for_downloads_and_says_so(self):
        downloads = self.desktop.home / "Heruntergeladenes \"1\""
        self.addCleanup(subprocess.run, ["rm", "-rf", downloads], check=True)
        (self.desktop.home / "config/user-dirs.dirs").write_text(
            '# xdg-user-dirs\nXDG_DESKTOP_DIR="$HOME/x"\nXDG_DOWNLOAD_DIR="$HOME/Heruntergeladenes \\"1\\""\n',
            encoding="utf-8",
        )
        notes = self.desktop.home / "copy.notes"
        os.mkfifo(notes)
        self.addCleanup(notes.unlink)
        self.addCleanup(self.desktop.program("notify-send", f"#!/bin/sh\nprintf '%s\\n' \"$*\" > {notes}\n").unlink)
        with self.offering(self.file("<b>.txt")) as publisher:
            self.assertEqual(self.desktop.ctl("continue")["application"], "org.handoffd.Copy")
            self.assertIn(f"Copied from laptop &lt;b&gt;.txt is in {downloads}", notes.read_text(encoding="utf-8"))
            self.told(publisher, "copied")
            (self.desktop.home / "config/handoff").mkdir()
            (self.desktop.home / "config/handoff/copy.conf").write_text(
                f"[copy]\ndirectory = {self.there}\n", encoding="utf-8"
            )
            self.desktop.ctl("continue")
            self.assertIn(str(self.there), notes.read_text(encoding="utf-8"))
        self.assertEqual((downloads / "<b>.txt").read_bytes(), b"some text\n")
        self.assertEqual(self.taken(), [b"<b>.txt"])


class NameTests(CopyTest):
    """Names that another computer tells."""

    @contextlib.contextmanager
    def sending(self, data):
        """A laptop that sends what the test has written, in the place of a file."""
        path = self.here / "stream"
        path.write_bytes(data)
        words = [PROGRAMS / "handoffctl", "publish", "--type", TYPE, "--stream", "--bus", self.laptop.device.bus]
        with open(path, "rb") as file, process(words, stdin=file, stdout=subprocess.PIPE,
                                               stderr=subprocess.DEVNULL) as publisher:
            self.events.wait_activity("added")
            self.pair.fetch(TYPE)
            yield publisher
        self.events.wait_activity("removed")

    @staticmethod
    def line(name, size, **more):
        """The first line of a stream."""
        values = {"version": 1, "name": base64.b64encode(name).decode(), "size": size, "modificationTime": WRITTEN}
        return json.dumps({**values, **more}).encode() + b"\n"

    def test_odd_names_arrive_as_they_are(self):
        for name in (ODD_NAMES[2], ODD_NAMES[5], b"a" * 250 + b".pdf"):
            with self.subTest(name=name), self.sending(self.line(name, 2) + b"ab"):
                self.copy()
                cut = name if len(name) < 250 else b"a" * 236 + b".pdf"
                self.assertIn(cut, self.taken())
        self.assertEqual(len(self.taken()), 3)

    def test_a_name_loses_what_deceives_a_shell_or_the_eye(self):
        names = {
            b".profile": b"_profile", b"-rf": b"_rf", b"--checkpoint-action=exec=sh x.sh": b"_-checkpoint-action=exec=sh x.sh",
            b"a\nb.txt": b"a_b.txt", b"\x1b]0;x\x07a.txt": b"_]0;x_a.txt",
            "report\u202efdp.desktop".encode(): b"report_fdp.desktop",
        }
        for name, shown in names.items():
            with self.subTest(name=name), self.sending(self.line(name, 2) + b"ab"):
                self.assertIn(shown.decode(), self.copy())
                self.assertIn(shown, self.taken())
        self.assertEqual(len(self.taken()), len(names))

    def test_what_is_no_file_with_a_name_leaves_nothing(self):
        for data in (
            self.line(b"../x", 1) + b"a", self.line(b"x", 2**70), b"no line", b"x" * 5000, b"",
            self.line(b"x", 2) + b"a", self.line(b"x", 2) + b"abc", self.line(b"x", 2**62) + b"a",
        ):
            with self.subTest(data=data[:60]), self.sending(data):
                self.copy(status=1)
                self.assertEqual(self.taken(), [])


class RefusedTests(CopyTest):
    """Copies that do not arrive leave nothing behind."""

    def test_a_file_that_vanished_or_became_something_else_is_no_copy(self):
        path = self.file("gone.txt")
        with self.offering(path) as publisher:
            os.unlink(path)
            self.assertIn("not there any more", self.copy(status=1))
            self.assertIn("gone.txt cannot be sent", self.told(publisher, "copyFailed")["message"])
            os.symlink("/etc/passwd", path)
            self.assertIn("not there any more", self.copy(status=1))
            os.unlink(path)
            os.mkfifo(path)
            self.copy(status=1)
        self.assertEqual(self.taken(), [])

    def test_what_cannot_be_offered_is_said(self):
        for path in (self.here / "nothing", self.here):
            result = subprocess.run(
                [PROGRAMS / "handoffctl", "publish", "--copy", path, "--bus", self.laptop.device.bus],
                capture_output=True, text=True, check=False, timeout=TIMEOUT,
            )
            self.assertEqual(result.returncode, 4, result.stderr)

    def test_it_is_bounded_and_needs_a_place(self):
        with self.offering(self.file("big.bin", bytes(2_000_000))) as publisher:
            self.assertIn("big.bin has 2.0 MB, more than the 1.0 MB of --limit",
                          self.copy("--into", self.there, "--limit", "1", status=1))
            self.told(publisher, "copyFailed")
            # Refused before the laptop is told anything.
            self.copy("--into", self.there / "nowhere", status=4)
            self.copy("--into", self.desktop.home / "bin/handoffctl", status=4)
        self.assertEqual(self.taken(), [])

    @contextlib.contextmanager
    def half_copied(self):
        """A large copy that has begun, and whose receiver does not go on."""
        path = self.file("large.bin", b"")
        os.truncate(path, 3_000_000)
        with self.offering(path) as publisher, self.copying() as receiver:
            deadline = time.monotonic() + TIMEOUT
            while not self.taken():
                self.assertLess(time.monotonic(), deadline, "nothing arrives")
            receiver.send_signal(signal.SIGSTOP)
            yield path, publisher, receiver

    def test_a_file_that_changes_meanwhile_is_no_copy(self):
        with self.half_copied() as (path, publisher, receiver):
            with open(path, "ab") as file:
                file.write(b"more")
            receiver.send_signal(signal.SIGCONT)
            self.assertIn("incomplete, and was removed", receiver.stdout.read())
            self.assertEqual(receiver.wait(timeout=TIMEOUT), 1)
            self.assertIn("was changed meanwhile", self.told(publisher, "copyFailed")["message"])
            self.assertEqual(self.taken(), [])

    def test_ctrl_c_leaves_nothing(self):
        with self.half_copied() as (_, publisher, receiver):
            receiver.send_signal(signal.SIGINT)
            receiver.send_signal(signal.SIGCONT)
            self.assertEqual(receiver.wait(timeout=TIMEOUT), 130)
            self.told(publisher, "copyFailed")
            self.assertEqual(self.taken(), [])

    def test_the_end_of_the_other_command_leaves_nothing(self):
        with self.half_copied() as (_, publisher, receiver):
            publisher.kill()
            receiver.send_signal(signal.SIGCONT)
            self.assertEqual(receiver.wait(timeout=TIMEOUT), 1)
            self.assertEqual(self.taken(), [])
