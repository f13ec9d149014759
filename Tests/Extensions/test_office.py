"""handoff-office: a real LibreOffice on both computers, each on a display with a window manager."""

import os
import signal

from devices import WRITTEN
from odd_names import ODD_NAMES
from office_test import TYPE, OfficeTest, sheets, slides, text

NAME = "日本 'ü' 100% #1"
KINDS = [
    (".odt", text(7), {"page": 5}), (".ods", sheets("One", "Zwei 'ü' & <x>"), {"sheet": "Zwei 'ü' & <x>", "cell": "AB7"}),
    (".odp", slides(4), {"slide": 3}),
]


class BothWaysTests(OfficeTest):
    """From LibreOffice on the laptop to that of the desktop, over the air."""

    def test_a_text_a_spreadsheet_and_a_presentation_continue_at_their_place(self):
        for computer in (self.laptop, self.desktop):
            self.configure(computer, "")
        laptop = self.prepare(self.laptop)
        self.prepare(self.desktop)
        self.start(self.laptop, laptop, self.laptop.write("first.odt", text(1)))
        # There, the first one starts LibreOffice, and the others open in it.
        for kind, data, place in KINDS:
            with self.subTest(kind=kind):
                here, there = self.pair.write(NAME + kind, data)
                self.open(self.laptop, here, **place)
                self.wait_shown(self.laptop, here, **place)
                info = self.pair.fetch(TYPE)["userInfo"]
                self.assertEqual({**info, **place, "version": 1, "modified": False, "modificationTime": WRITTEN}, info)
                self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
                self.wait_shown(self.desktop, there, **place)
                self.laptop.events.wait("the word that it is continued", lambda e: e["event"] == "continued")


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
        self.wait_fetched(page=1, modified=False, modificationTime=WRITTEN)
        self.type(self.laptop, laptop, "ctrl+End", "x")
        self.wait_fetched(page=7, modified=True, modificationTime=WRITTEN)
        # It hangs: what was known last is sent.
        self.end_all(self.laptop, signal.SIGSTOP)
        self.assertEqual(self.pair.fetch(TYPE)["userInfo"]["page"], 7)
        self.end_all(self.laptop, signal.SIGCONT)
        self.type(self.laptop, laptop, "ctrl+Home", "ctrl+s")
        self.assertGreater(self.wait_fetched(page=1, modified=False)["modificationTime"], WRITTEN)
        self.type(self.laptop, laptop, "ctrl+w")
        self.events.wait_activity("removed")

    def test_it_ends_with_libreoffice_and_is_offered_by_the_next(self):
        laptop = self.prepare(self.laptop)
        path = self.laptop.write("notes.ods", sheets("One"))
        for _ in range(2):
            self.start(self.laptop, laptop, path)
            self.wait_fetched(sheet="One", cell="A1")
            self.end_all(self.laptop)
            self.events.wait_activity("removed")
            os.unlink(os.path.dirname(path) + b"/.~lock.notes.ods#")

    def test_a_libreoffice_that_runs_before_the_service_is_followed(self):
        laptop = self.prepare(self.laptop, is_followed=False)
        path = self.laptop.write("notes.odt", text(1))
        self.start(self.laptop, laptop, path, is_offered=False)
        service = self.follow(self.laptop)
        self.wait_shown(self.laptop, path)
        service.terminate()
        self.events.wait_activity("removed")
        # Nothing of it is left in LibreOffice.
        self.assertEqual(service.wait(), 0)
        self.assertEqual(self.sockets(self.laptop), [])

    def test_every_odd_name_arrives_as_it_is(self):
        laptop = self.prepare(self.laptop)
        self.start(self.laptop, laptop, self.laptop.write("first.odt", text(1)))
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.laptop.write(name + b".odt", text(2))
                if not is_text(name):
                    self.assertIn("a name that is not UTF-8", self.open(self.laptop, path, 65))
                    continue
                self.open(self.laptop, path, page=2)
                self.wait_shown(self.laptop, path, page=2)


def is_text(name):
    """Whether the bytes are a text."""
    try:
        return bool(name.decode())
    except UnicodeDecodeError:
        return False
