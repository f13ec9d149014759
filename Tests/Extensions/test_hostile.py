"""Files and activities that are made to keep the programs of Extensions busy: each program ends, with a status."""

import io
import json
import os
import struct
import subprocess
import sys

from devices import ROOT, TIMEOUT, ProgramTest
from media_files import MP3, box, tagged

sys.path.insert(0, str(ROOT / "Extensions/Programs"))

from handoff.media.contents import is_media  # noqa: E402
from handoff.office.document import is_document  # noqa: E402

SAMPLE = 64 * 1024
# The seconds of processor time of a program that is stuck; one that works needs a tenth of one.
LIMIT = 20

# Documents of a size, which is the number of their parts; none is one, and none says so before its end.
OFFICE = {
    "comments": lambda size: b"<!---->" * size + b"<x>",
    "comments and white space": lambda size: b"<!-- -->\n \t" * size + b"<x>",
    "comments without an end": lambda size: b"<!--" * size,
    "white space": lambda size: b" " * size,
    "a mark and white space": lambda size: b"\xef\xbb\xbf" + b"\r\n" * size + b"<office:doc",
    "declarations": lambda size: b"<?xml ?>" * size,
    "a declaration without an end": lambda size: b"<?xml " + b"<!-- -->" * size,
    "dashes": lambda size: b"<!--" + b"-" * size + b"><office:documenx",
    "names of parts": lambda size: b"PK\3\4" + b"[Content_Types].xm" * size,
}
MEDIA = {
    "zeros": bytes,
    "tags": lambda size: tagged(b"", 1) * size,
    "parts": lambda size: box(b"free") * size,
    "parts of a part": lambda size: box(b"ftyp") + box(b"moov", box(b"udta") * size),
    "a tag as long as can be": lambda size: b"ID3\4\0\0\x7f\x7f\x7f\x7f" + bytes(size),
    "a part as long as can be": lambda size: struct.pack(">I4sQ", 1, b"free", 2**64 - 1) + bytes(size),
    "half a head of a frame": lambda size: b"\xff" * size,
    "packets": lambda size: (b"G" + b"\xff" * 187) * size,
}


class Steps:
    """Counts the lines that Python executes while the block runs."""

    def __enter__(self):
        self.count = 0
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _trace(self, _, event, __):
        self.count += event == "line"
        return self._trace


class ReaderTests(ProgramTest):
    """The readers of files."""

    def steps(self, reader, data):
        """How many steps a reader makes with a file that is none of its kind."""
        with Steps() as steps:
            self.assertFalse(reader(data))
        return steps.count

    def assert_linear(self, reader, make):
        """Asserts that a reader makes at most so many more steps as a file has more parts."""
        for size in (20, 200, 2000):
            few, many = self.steps(reader, make(size)), self.steps(reader, make(2 * size))
            self.assertLessEqual(many, 2 * few + 100, size)

    def test_a_document_of_twice_the_size_takes_at_most_twice_the_steps(self):
        def reader(data):
            with open(self.home.write("a.fodt", data), "rb") as file:
                return is_document(file)
        for name, make in OFFICE.items():
            with self.subTest(name=name):
                self.assert_linear(reader, make)

    def test_a_film_of_twice_the_size_takes_at_most_twice_the_steps(self):
        for name, make in MEDIA.items():
            with self.subTest(name=name):
                self.assert_linear(lambda data: is_media(b"a.mp4", io.BytesIO(data)), make)


class HostileTests(ProgramTest):
    """The programs."""

    def refuse(self, program, kind, path):
        """Runs a program with a document that it has to refuse before it is stuck."""
        status, said = self.run_program(program, kind, path, limit=LIMIT)
        self.assertEqual(status, 65, said)

    def test_handoff_office_ends(self):
        for name, make in OFFICE.items():
            for size in (40, SAMPLE // 7, SAMPLE):
                with self.subTest(name=name, size=size):
                    self.refuse("handoff-office", "org.handoffd.document.office", self.home.write("a.fodt", make(size)))

    def test_handoff_media_ends(self):
        for name, make in MEDIA.items():
            for size in (40, SAMPLE):
                with self.subTest(name=name, size=size):
                    self.refuse("handoff-media", "org.handoffd.media", self.home.write("a.mp4", make(size)))

    def test_a_file_as_large_as_a_disk_is_not_read_to_its_end(self):
        programs = {"handoff-office": ("org.handoffd.document.office", "a.odt"), "handoff-edit": ("org.handoffd.document.text", "a.txt"),
                    "handoff-media": ("org.handoffd.media", "a.mp3"), "handoff-viewer": ("org.handoffd.document.pages", "a.pdf")}
        for program, (kind, name) in programs.items():
            with self.subTest(program=program):
                path = self.home.write(name, b"")
                # It has no blocks on the disk.
                os.truncate(path, 2**40)
                self.refuse(program, kind, path)
        path = self.home.write("b.mp3", tagged(MP3, 2**28 - 1)[:100])
        os.truncate(path, 2**40)
        self.refuse("handoff-media", "org.handoffd.media", path)

    def test_an_activity_that_is_large_or_deep_is_refused(self):
        address = {"NSUserActivityDocumentURLKey": {"$url": "file://localhost" + "/?#" * 100_000}}
        programs = {"handoff-office": "org.handoffd.document.office", "handoff-edit": "org.handoffd.document.text",
                    "handoff-media": "org.handoffd.media", "handoff-viewer": "org.handoffd.document.pages",
                    "handoff-terminal": "org.handoffd.directory", "handoff-copy": "org.handoffd.document.copy"}
        for program, kind in programs.items():
            for data in (b"[" * 1_000_000, b'{"a":' * 200_000, b"\xff" * 100, b"", b"7",
                         json.dumps({"type": kind, "userInfo": address, "deviceName": "\u202e" * 300_000}).encode()):
                with self.subTest(program=program, data=data[:20]):
                    result = subprocess.run(
                        ["prlimit", f"--cpu={LIMIT}", "--", self.home.home / "usr/libexec/handoffd" / program], input=data,
                        env=self.home.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT,
                        check=False,
                    )
                    self.assertIn(result.returncode, (65, 66), result.stdout)
