"""What the programs of Extensions open by what a file has inside, and not only by its name; the programs by themselves."""

import os

from devices import ProgramTest
from media_files import LISTS, PLAYED, film
from office_test import text
from test_viewer import pdf

MEDIA, PAGES = "org.handoffd.media", "org.handoffd.document.pages"
OFFICE, TEXT = "org.handoffd.document.office", "org.handoffd.document.text"
# What begins like a document with pages, by its name.
DOCUMENTS = {
    "a.pdf": pdf(1), "b.PDF": b"\x1b%-12345X@PJL\n" + pdf(1), "a.ps": b"%!PS-Adobe-3.0\n", "a.eps": b"\xc5\xd0\xd3\xc6" + bytes(26),
    "a.djvu": b"AT&TFORM\0\0\0\x09DJVU", "a.dvi": b"\xf7\x02" + bytes(20), "a.tif": b"II*\0" + bytes(20),
    "a.tiff": b"MM\0*" + bytes(20), "a.xps": b"PK\3\4" + bytes(40), "a.cbz": b"PK\3\4" + bytes(40),
    "a.cbr": b"Rar!\x1a\7\0" + bytes(20), "b.cbr": b"PK\3\4" + bytes(40), "a.cb7": b"7z\xbc\xaf\x27\x1c" + bytes(20),
    "a.cbt": bytes(257) + b"ustar" + bytes(300), "a.epub": b"PK\3\4" + bytes(26) + b"mimetypeapplication/epub+zip",
}


class MediaTests(ProgramTest):
    """handoff-media."""

    def setUp(self):
        super().setUp()
        self.log = self.home.home / "played"
        self.log.write_text("", encoding="utf-8")
        self.home.program("mine", f"#!/bin/sh\nprintf '%s\\n' \"$@\" >> {self.log}\n")
        self.configure("command = mine {uri}")

    def configure(self, line):
        """Writes media.conf."""
        (self.home.home / "config/handoff").mkdir(exist_ok=True)
        (self.home.home / "config/handoff/media.conf").write_text(f"[media]\n{line}\n", encoding="utf-8")

    def test_what_has_sound_or_video_inside_is_played(self):
        for name, data in PLAYED.items():
            with self.subTest(name=name):
                path = self.home.write(name, data)
                self.assertEqual(self.run_program("handoff-media", MEDIA, path), (0, ""))
                self.assertTrue(self.log.read_text(encoding="utf-8").endswith(f"{name}\n"))

    def test_what_a_player_takes_for_a_list_is_refused_whatever_its_name_is(self):
        for kind, data in LISTS.items():
            for name in ("song.mp3", "film.mp4"):
                with self.subTest(kind=kind, name=name):
                    status, said = self.run_program("handoff-media", MEDIA, self.home.write(name, data))
                    self.assertEqual(status, 65)
                    self.assertIn(f"{name} is neither sound nor video.", said)
        self.assertEqual(self.log.read_text(encoding="utf-8"), "")
        self.assertIn("song.mp3 is neither sound nor video.", self.notes.read_text(encoding="utf-8"))

    def test_what_is_named_like_a_list_is_refused_whatever_it_has_inside(self):
        for name in ("a.m3u", "a.m3u8", "a.pls", "a.xspf", "a.wax", "a.ram", "a.cue", "a.txt", "a.lua", "a", "a.mp3.desktop"):
            with self.subTest(name=name):
                self.assertEqual(self.run_program("handoff-media", MEDIA, self.home.write(name, PLAYED["a.mp3"]))[0], 65)

    def mpv(self, body):
        """An mpv, and a display for it; returns the variables."""
        self.configure("patience = 0.1")
        self.home.program("mpv", f"#!/bin/sh\n{body}\n")
        self.addCleanup((self.home.bin / "mpv").unlink)
        return {"DISPLAY": ":nowhere"}

    def test_mpv_is_started_so_that_it_follows_nothing_that_a_file_names(self):
        variables = self.mpv(f"printf '%s\\n' \"$@\" >> {self.log}")
        path = self.home.write("film.mp4", film())
        self.assertEqual(self.run_program("handoff-media", MEDIA, path, variables=variables), (0, ""))
        words = self.log.read_text(encoding="utf-8").splitlines()
        self.assertEqual(words[-3:], ["--access-references=no", "--", os.fsdecode(path)])

    def test_an_mpv_that_would_follow_what_a_file_names_is_not_started(self):
        # As one that does not know an option.
        variables = self.mpv(f'case "$*" in *references*) exit 1;; esac; echo started >> {self.log}')
        path = self.home.write("film.mp4", film())
        status, said = self.run_program("handoff-media", MEDIA, path, variables=variables)
        self.assertEqual((status, self.log.read_text(encoding="utf-8")), (69, ""), said)
        self.run_program("handoff-media", MEDIA, webpageURL="https://example.org/film.mp4", variables=variables)
        self.assertEqual(self.log.read_text(encoding="utf-8"), "started\n")


class ViewerTests(ProgramTest):
    """handoff-viewer."""

    def setUp(self):
        super().setUp()
        self.log = self.home.home / "viewed"
        self.log.write_text("", encoding="utf-8")
        self.home.program("mine", f"#!/bin/sh\nprintf '%s\\n' \"$@\" >> {self.log}\n")
        (self.home.home / "config/handoff").mkdir(exist_ok=True)
        (self.home.home / "config/handoff/viewer.conf").write_text("[viewer]\ncommand = mine {file}\n", encoding="utf-8")

    def test_what_has_pages_inside_is_opened(self):
        for name, data in DOCUMENTS.items():
            with self.subTest(name=name):
                self.assertEqual(self.run_program("handoff-viewer", PAGES, self.home.write(name, data)), (0, ""))
                self.assertTrue(self.log.read_text(encoding="utf-8").endswith(f"{name}\n"))

    def test_what_only_has_the_name_of_such_a_document_is_refused(self):
        others = {**LISTS, "a picture": b"\x89PNG\r\n\x1a\n", "another": b"<svg/>"}
        for name, kind in [*((name, "m3u") for name in DOCUMENTS), *(("a.pdf", kind) for kind in others)]:
            with self.subTest(name=name, kind=kind):
                status, said = self.run_program("handoff-viewer", PAGES, self.home.write(name, others[kind]))
                self.assertEqual(status, 65)
                self.assertIn(f"{name} is no document with pages.", said)
        self.assertEqual(self.log.read_text(encoding="utf-8"), "")

    def test_the_name_and_what_is_inside_have_to_agree(self):
        for name in ("a.ps", "a.djvu", "a.tif", "a.epub", "a.svg", "a.html", "a"):
            with self.subTest(name=name):
                self.assertEqual(self.run_program("handoff-viewer", PAGES, self.home.write(name, pdf(1)))[0], 65)


class StatusTests(ProgramTest):
    """The exit status tells handoffd what may still be opened: after 65 and 66 nothing, after 69 something else."""

    PROGRAMS = {"handoff-office": (OFFICE, "a.odt", text(1)), "handoff-viewer": (PAGES, "a.pdf", pdf(1)),
                "handoff-media": (MEDIA, "a.mp4", film()), "handoff-edit": (TEXT, "a.txt", b"text\n")}

    def test_what_is_refused_for_good_is_65_or_66_and_told(self):
        for program, (kind, name, _) in self.PROGRAMS.items():
            with self.subTest(program=program):
                for path, wanted in ((self.home.write(name, b"\0no such thing"), 65), (b"/nowhere/" + name.encode(), 66)):
                    self.notes.write_text("", encoding="utf-8")
                    status, said = self.run_program(program, kind, path)
                    self.assertEqual(status, wanted, said)
                    self.assertIn(said.strip().removeprefix(f"{program}: "), self.notes.read_text(encoding="utf-8"))
                self.assertEqual(self.run_program(program, "org.example.other", path)[0], 65)
                self.assertEqual(self.run_program(program, kind)[0], 65)

    def test_that_there_is_no_program_here_is_69_and_left_to_handoffd_to_tell(self):
        for program, (kind, name, data) in self.PROGRAMS.items():
            with self.subTest(program=program):
                status, said = self.run_program(program, kind, self.home.write(name, data), variables={"PATH": str(self.home.bin)})
                self.assertEqual(status, 69, said)
        self.assertEqual(self.notes.read_text(encoding="utf-8"), "")

    def test_what_cannot_be_examined_is_refused_for_good(self):
        module = self.home.write("python/sitecustomize.py", "import os\nos.fstat = None\n")
        for program, (kind, name, data) in self.PROGRAMS.items():
            with self.subTest(program=program):
                path = self.home.write(name, data)
                variables = {"PYTHONPATH": os.fsdecode(os.path.dirname(module))}
                status, said = self.run_program(program, kind, path, variables=variables)
                self.assertEqual(status, 65, said)
                self.assertIn("cannot be opened", self.notes.read_text(encoding="utf-8"))

    def test_settings_that_cannot_be_used_leave_what_is_refused_refused(self):
        (self.home.home / "config/handoff").mkdir(exist_ok=True)
        for program, (kind, name, data) in self.PROGRAMS.items():
            with self.subTest(program=program):
                settings = self.home.home / f"config/handoff/{program.removeprefix('handoff-')}.conf"
                settings.write_text("no section\n", encoding="utf-8")
                self.assertEqual(self.run_program(program, kind, self.home.write(name, b"\0no such thing"))[0], 65)
                self.assertEqual(self.run_program(program, kind, self.home.write(name, data))[0], 69)

    def test_a_directory_that_is_none_or_is_not_there_is_refused_for_good(self):
        kind = "org.handoffd.directory"
        self.assertEqual(self.run_program("handoff-terminal", kind, self.home.write("a.txt"))[0], 65)
        self.assertEqual(self.run_program("handoff-terminal", kind, b"/nowhere")[0], 66)
        self.assertEqual(self.run_program("handoff-terminal", kind, os.fsencode(self.home.docs))[0], 69)
