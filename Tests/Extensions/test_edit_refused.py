"""handoff-edit: what is not opened, and what waits."""

import ctypes
import json
import os
import pathlib
import sys
from unittest import mock

from devices import ROOT, TIMEOUT, WRITTEN
from edit_test import EditTest, activity

sys.path.insert(0, str(ROOT / "Extensions/Programs"))

from handoff import older  # noqa: E402
from handoff.activity import Refusal  # noqa: E402


class RefusedTests(EditTest):
    """What is not opened, and is said."""

    def test_what_is_no_text_is_refused(self):
        folder = self.desktop.docs
        os.mkfifo(folder / "pipe")
        for path in (self.desktop.write("elf", b"\x7fELF\x02\x01\x01\0\0"), b"/bin/true", os.fsencode(folder),
                     os.fsencode(folder / "pipe"), b"/dev/zero", b"/dev/tty"):
            with self.subTest(path=path):
                self.edit(activity(path, modificationTime=None), status=65)
        self.neovim()
        script = self.desktop.write("script.sh", "#!/bin/sh\ntouch /tmp/never\n")
        os.chmod(script, 0o755)
        self.edit(activity(script, 2, modificationTime=None))
        self.shown(script, 2, 1)

    def test_texts_of_every_encoding_are_texts(self):
        self.neovim()
        for text in (b"", b"caf\xe9\n", "日本\n".encode("utf-16"), "x\n".encode("utf-8-sig")):
            path = self.desktop.write(f"{len(text)}.txt", text)
            self.edit(activity(path, modificationTime=None))
            self.events.wait_document(path)

    def test_a_file_that_vanished_is_named(self):
        self.assertIn("gone.txt is not there any more", self.edit(activity(b"/nowhere/gone.txt"), status=66))
        self.assertIn("gone.txt", self.notes.read_text())

    def test_an_activity_that_makes_no_sense_opens_nothing(self):
        path = self.desktop.write("notes.txt")
        key = "NSUserActivityDocumentURLKey"
        whole = activity(path)
        for document in (
            "", "{", "[1]", "null", "\0", "[" * 100_000, {**whole, "type": "org.example.other"}, {**whole, "userInfo": []},
            *(activity(path, **{key: value}) for value in (
                None, "file:///etc/passwd", {"$url": "https://example.org/"}, {"$url": "file://host/etc/passwd"},
                {"$url": "file:relative"}, {"$url": "file:///a%00b"}, {"$url": 7}, {"$data": "eA=="},
                {"$url": "file://"}, {"$url": "file:///a\ud800"},
            )),
        ):
            with self.subTest(document=str(document)[:200]):
                self.edit(document, status=65)
        self.neovim()
        for line, column in ((-1, 0), ("1|!id", [1]), (True, None), (2**63, 1e9), ({"$date": "x"}, "x")):
            with self.subTest(line=line):
                other = self.desktop.write(f"{str(line)[:3]}.txt".replace("/", ""))
                self.edit(activity(other, line, column, modificationTime="x"))
                self.shown(other, 1, 1)

    def test_a_document_that_is_older_here_opens_when_it_has_arrived(self):
        self.neovim()
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        with self.editing(activity(path, 2, modificationTime=WRITTEN + 100)) as running:
            running.lines.wait(lambda line: "notes.txt is older here" in line, "a word about it")
            os.utime(path, (WRITTEN + 100, WRITTEN + 100))
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)
        self.shown(path, 2, 1)

    def test_a_document_that_stays_older_is_not_opened_unless_the_person_says_so(self):
        self.neovim()
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        older = activity(path, 2, modificationTime=WRITTEN + 100)
        self.configure("wait = 0")
        self.assertIn("still older here than on laptop", self.edit(older, status=75))
        self.assertIn("Not opened", self.notes.read_text())
        self.edit(older, "--older")
        self.shown(path, 2, 1)
        other = self.desktop.write("other.txt")
        os.utime(other, (WRITTEN, WRITTEN))
        self.configure("older = open")
        self.edit(activity(other, 3, modificationTime=WRITTEN + 100))
        self.shown(other, 3, 1)

    def test_the_notification_about_an_older_document_opens_it(self):
        self.neovim()
        os.mkfifo(f"{self.notes}.answer")
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        with self.editing(activity(path, 2, modificationTime=WRITTEN + 100)) as running:
            pathlib.Path(f"{self.notes}.answer").write_text("open\n", encoding="utf-8")
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)
        self.shown(path, 2, 1)
        self.assertIn("notes.txt is older here", self.notes.read_text())

    def test_where_notifications_have_no_buttons_it_is_told_without_one(self):
        self.neovim()
        asked, told = (pathlib.Path(f"{self.notes}.{name}") for name in ("asked", "told"))
        os.mkfifo(asked)
        os.mkfifo(told)
        self.desktop.program("notify-send", f"""#!/bin/sh
case "$*" in *--action*) read line < {asked}; exit 1;; esac
echo "$*" > {told}
""")
        self.configure("wait = 5")
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        with self.editing(activity(path, 2, modificationTime=WRITTEN + 100)) as running:
            asked.write_text("fail\n", encoding="utf-8")
            self.assertIn("notes.txt is older here", told.read_text(encoding="utf-8"))
            os.utime(path, (WRITTEN + 100, WRITTEN + 100))
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)

    def test_a_synchroniser_may_remove_a_document_before_it_writes_the_newer_one(self):
        gone = Refusal(66, "notes.txt is not there any more.")
        place = mock.Mock(time=100.0, device="laptop", **{"examine.side_effect": [1.0, 1.0, gone, gone, 100.0]})
        chosen = mock.Mock(opens_older=False, wait=TIMEOUT)
        with mock.patch.object(older, "notify", return_value=None), mock.patch.object(older, "INTERVAL", 0):
            self.assertTrue(older.await_newer(place, chosen))
            chosen.wait = 0
            place.examine.side_effect = [1.0, gone, gone]
            with self.assertRaises(Refusal) as refused:
                older.await_newer(place, chosen)
        self.assertEqual(refused.exception.status, 66, "what is missing in the end is not called older")

    def test_opening_a_device_could_do_something_and_none_is_opened(self):
        path = os.fsencode(self.desktop.docs / "pipe")
        os.mkfifo(path)
        with Watch(path) as watch:
            self.edit(activity(path, modificationTime=None), status=65)
            self.assertFalse(watch.was_opened())

    def test_a_name_of_a_device_that_is_no_text_is_shown_without_what_is_none(self):
        self.neovim()
        path = self.desktop.write("notes.txt")
        text = json.dumps({**activity(path, modified=True, modificationTime=None), "deviceName": "\ud800\u202ex"})
        self.edit(text)
        self.events.wait_document(path)
        self.assertIn("? x has changes in it that are not saved there", self.notes.read_text())

    def test_unsaved_text_on_the_other_computer_is_told(self):
        self.neovim()
        path = self.desktop.write("<b>.txt")
        self.edit(activity(path, modified=True, modificationTime=None))
        self.events.wait_document(path)
        self.assertIn("laptop has changes in it that are not saved there", self.notes.read_text())


class Watch:
    """Notices when a file is opened (inotify(7))."""

    OPEN = 0x20

    def __init__(self, path):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._path = path

    def __enter__(self):
        self._file = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._libc.inotify_add_watch(self._file, self._path, self.OPEN)
        return self

    def __exit__(self, *_):
        os.close(self._file)

    def was_opened(self):
        """Whether it was, since the watch began."""
        try:
            return bool(os.read(self._file, 4096))
        except BlockingIOError:
            return False
