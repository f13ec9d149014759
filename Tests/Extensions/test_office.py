"""handoff-office: a real LibreOffice on both computers, each on a display with a window manager."""

import os
import signal

from devices import TIMEOUT, WRITTEN
from odd_names import ODD_NAMES
from office_test import TYPE, OfficeTest, odf, sheets, slides, text, with_link, with_macro

NAME = "日本 'ü' 100% #1"
KINDS = [
    (".odt", text(7), {"page": 5}),
    (".ods", sheets("One", "Zwei 'ü' & <x>"), {"sheet": "Zwei 'ü' & <x>", "cell": "AB7"}),
    (".odp", slides(4), {"slide": 3}),
]


class BothWaysTests(OfficeTest):
    """From LibreOffice on the laptop to that of the desktop, over the air."""

    def test_a_text_a_spreadsheet_and_a_presentation_continue_at_their_place_and_back(self):
        for computer in (self.laptop, self.desktop):
            self.configure(computer, "")
        laptop, desktop = self.prepare(self.laptop), self.prepare(self.desktop)
        back = self.enterContext(self.pair.reversed())
        self.start(self.laptop, laptop, self.laptop.write("first.odt", text(1)))
        # There, the first one starts LibreOffice, and the others open in it.
        for kind, data, place in KINDS:
            with self.subTest(kind=kind):
                here, there = self.pair.write(NAME + kind, data)
                self.open(self.laptop, here, **place)
                self.wait_shown(self.laptop, here)
                info = self.wait_fetched(self.pair, here, **place)
                self.assertEqual({**info, "version": 1, "modified": False, "modificationTime": WRITTEN}, info)
                self.take(self.pair, there, place)
        self.type(self.desktop, desktop, "Home")
        self.wait_fetched(back, there, slide=1)
        self.take(back, here, {"slide": 1})

    def take(self, pair, path, place):
        """Continues what is offered, and waits until LibreOffice shows it at its place, and the origin was told."""
        self.assertEqual(pair.desktop.ctl("continue")["outcome"], "app")
        self.wait_fetched(self.enterContext(pair.reversed()), path, **place)
        pair.laptop.events.wait("the word that it is continued", lambda e: e["event"] == "continued")


class OfferTests(OfficeTest):
    """What is offered of LibreOffice."""

    def setUp(self):
        super().setUp()
        self.configure(self.laptop, "")

    def test_the_place_and_what_is_not_saved_are_those_of_the_moment_of_the_fetch(self):
        laptop = self.prepare(self.laptop)
        path = self.laptop.write("notes.odt", text(7))
        os.utime(path, (WRITTEN, WRITTEN))
        self.start(self.laptop, laptop, path)
        self.wait_fetched(self.pair, path, page=1, modified=False, modificationTime=WRITTEN)
        self.type(self.laptop, laptop, "ctrl+End", "x")
        self.wait_fetched(self.pair, path, page=7, modified=True, modificationTime=WRITTEN)
        # It hangs: what was known last is sent.
        self.end_all(self.laptop, signal.SIGSTOP)
        self.assertEqual(self.pair.fetch(TYPE)["userInfo"]["page"], 7)
        self.end_all(self.laptop, signal.SIGCONT)
        self.type(self.laptop, laptop, "ctrl+Home", "ctrl+s")
        self.assertGreater(self.wait_fetched(self.pair, path, page=1, modified=False)["modificationTime"], WRITTEN)
        # A new document has no file: what was offered before stays, and ends with its window.
        self.type(self.laptop, laptop, "ctrl+n")
        self.focus(self.laptop, laptop, "Untitled")
        self.wait_fetched(self.pair, path, page=1)
        self.type(self.laptop, laptop, "ctrl+w")
        self.focus(self.laptop, laptop, "notes.odt")
        self.type(self.laptop, laptop, "ctrl+w")
        self.events.wait_activity("removed")

    def test_it_ends_with_libreoffice_and_is_offered_by_the_next(self):
        laptop = self.prepare(self.laptop)
        path = self.laptop.write("notes.ods", sheets("One"))
        for is_killed in (True, False):
            office = self.start(self.laptop, laptop, path)
            self.wait_fetched(self.pair, path, sheet="One", cell="A1")
            if is_killed:
                self.end_all(self.laptop)
                os.unlink(os.path.dirname(path) + b"/.~lock.notes.ods#")
            else:
                self.type(self.laptop, laptop, "ctrl+q")
            self.assertIsNotNone(office.wait(TIMEOUT))
            self.events.wait_activity("removed")

    def test_a_libreoffice_that_runs_before_the_service_is_followed(self):
        laptop = self.prepare(self.laptop, is_followed=False)
        path = self.laptop.write("notes.odt", text(1))
        self.start(self.laptop, laptop, path, is_offered=False)
        service = self.follow(self.laptop)
        self.wait_shown(self.laptop, path)
        service.terminate()
        self.events.wait_activity("removed")
        self.assertEqual(service.wait(), 0)
        # LibreOffice goes on, and can be asked again.
        self.follow(self.laptop)
        self.wait_shown(self.laptop, path)

    def test_every_odd_name_arrives_as_it_is(self):
        laptop = self.prepare(self.laptop)
        self.start(self.laptop, laptop, self.laptop.write("first.odt", text(1)))
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.laptop.write(name + b".odt", text(2))
                if not is_text(name):
                    self.assertIn("a name that is not UTF-8", self.open(self.laptop, path, 65))
                    continue
                self.open(self.laptop, path)
                self.wait_shown(self.laptop, path)


class OpenTests(OfficeTest):
    """How documents open on the desktop."""

    def setUp(self):
        super().setUp()
        self.configure(self.desktop, "")
        self.variables = self.prepare(self.desktop)
        self.back = self.enterContext(self.pair.reversed())

    def running(self):
        """Starts LibreOffice."""
        self.start(self.desktop, self.variables, self.desktop.write("first.odt", text(1)))

    def test_no_macro_runs_and_no_link_is_followed(self):
        trace = self.desktop.docs / "trace"
        with self.web_server() as server:
            macro = self.desktop.write("macro.odt", with_macro(trace))
            link = self.desktop.write("link.ods", with_link(server.address))
            self.running()
            for path in (macro, link):
                self.open(self.desktop, path)
                self.wait_shown(self.desktop, path)
            self.assertFalse(trace.exists())
            self.assertEqual(server.asked, [])
            # Opened otherwise, they leave their traces.
            for path, copy in ((macro, "macro2.odt"), (link, "link2.ods")):
                os.link(path, self.desktop.docs / copy)
            with self.without_protection():
                for name in ("macro2.odt", "link2.ods"):
                    path = os.fsencode(self.desktop.docs / name)
                    self.open(self.desktop, path)
                    self.wait_shown(self.desktop, path)
            self.assertTrue(trace.exists())
            self.assertNotEqual(server.asked, [])

    def test_places_that_are_not_there_open_the_document(self):
        self.running()
        odd = [0, -1, True, "7", 2**40, None, [], {"$url": "x"}]
        path = self.desktop.write("notes.odt", text(3))
        for page in (3, *odd):
            self.open(self.desktop, path, page=page)
        self.wait_shown(self.desktop, path)
        self.wait_fetched(self.back, path, page=3)
        path = self.desktop.write("notes.ods", sheets("One", "Two"))
        self.open(self.desktop, path, sheet="Two", cell="B2")
        for sheet in (*odd, "Three", "x" * 1000):
            self.open(self.desktop, path, sheet=sheet, cell="ZZZ9999999")
        for cell in (*odd, "=1+1", "A0", "Two.A1", "'file:///etc/passwd'#x.A1"):
            self.open(self.desktop, path, sheet=cell, cell=cell)
        self.wait_shown(self.desktop, path)
        self.wait_fetched(self.back, path, sheet="Two", cell="B2")
        path = self.desktop.write("notes.odp", slides(2))
        for slide in (2, *odd):
            self.open(self.desktop, path, slide=slide)
        self.wait_shown(self.desktop, path)
        self.wait_fetched(self.back, path, slide=2)

    def test_what_is_open_already_is_shown_with_what_its_file_has_now_unless_it_is_changed_here(self):
        self.running()
        path = self.desktop.write("notes.odt", text(2))
        os.utime(path, (WRITTEN, WRITTEN))
        self.open(self.desktop, path, page=2)
        self.wait_shown(self.desktop, path)
        self.replace(path, text(4))
        self.open(self.desktop, path, page=4)
        self.wait_fetched(self.back, path, page=4)
        self.type(self.desktop, self.variables, "x")
        self.wait_fetched(self.back, path, modified=True)
        self.replace(path, text(9))
        notes = self.notifications(self.desktop)
        self.open(self.desktop, path, page=9, modified=True)
        self.wait_fetched(self.back, path, page=4, modified=True)
        said = notes.read_text(encoding="utf-8")
        self.assertIn("open here with changes that are not saved", said)
        self.assertIn("laptop has changes in it that are not saved", said)

    @staticmethod
    def replace(path, data):
        """Writes a document anew, as a synchroniser does."""
        with open(path + b".new", "wb") as file:
            file.write(data)
        os.replace(path + b".new", path)

    def test_a_document_that_is_older_here_waits_and_one_that_vanishes_is_told(self):
        self.running()
        notes = self.notifications(self.desktop)
        path = self.desktop.write("notes.odt", text(2))
        self.configure(self.desktop, "wait = 3")
        self.assertIn("is older here", self.open(self.desktop, path, 75, modificationTime=2**31))
        self.assertIn("is older here", notes.read_text(encoding="utf-8"))
        self.open(self.desktop, path, options=["--older"], modificationTime=2**31)
        self.wait_shown(self.desktop, path)
        self.open(self.desktop, os.fsencode(self.desktop.docs / "gone.odt"), 66)

    def test_a_libreoffice_that_hangs_or_that_there_is_none_of_is_told(self):
        self.running()
        path = self.desktop.write("notes.odt", text(2))
        self.notifications(self.desktop)
        self.assertIn("no display", self.open(self.desktop, path, 69, variables={"DISPLAY": ""}))
        self.configure(self.desktop, "program = no-such-office")
        self.assertIn("not installed", self.open(self.desktop, path, 69))
        self.configure(self.desktop, "patience = soon")
        self.assertIn("office.conf cannot be used", self.open(self.desktop, path, 69))
        self.configure(self.desktop, "patience = 1")
        self.end_all(self.desktop, signal.SIGSTOP)
        self.assertIn("does not answer", self.open(self.desktop, path, 69))
        self.end_all(self.desktop, signal.SIGCONT)


class RefusedTests(OfficeTest):
    """What is not opened."""

    def test_what_only_claims_to_be_a_document_is_refused(self):
        self.notifications(self.desktop)
        archive = odf("x", "").replace(b"mimetype", b"MIMETYPE")
        page, script = b"<html><body onload='x()'></body></html>", b"#!/bin/sh\nid\n"
        wrong = {"a.odt": page, "b.doc": page, "c.ods": script, "d.odp": b"\x7fELF", "e.docx": archive, "f.fodt": page,
                 "g.odt": b"", "h.sh": text(1), "i.odt.desktop": text(1), "j": text(1), "k.oxt": text(1),
                 "l.odb": text(1)}
        for name, data in wrong.items():
            with self.subTest(name=name):
                path = self.desktop.write(name, data)
                self.assertIn("is no document of an office program", self.open(self.desktop, path, 65))
        os.mkfifo(self.desktop.docs / "pipe.odt")
        self.open(self.desktop, os.fsencode(self.desktop.docs / "pipe.odt"), 65)
        self.open(self.desktop, os.fsencode(self.desktop.docs), 65)
        for url in ("https://example.org/a.odt", "vnd.sun.star.script:x", "macro:///x", 7, None):
            self.open(self.desktop, b"", 65, NSUserActivityDocumentURLKey={"$url": url})


def is_text(name):
    """Whether the bytes are a text."""
    try:
        return bool(name.decode())
    except UnicodeDecodeError:
        return False
