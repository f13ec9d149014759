"""handoff-media: what players tell, of whatever type it is, and which of them are players of this computer at all."""

import json
import math
import subprocess
import sys
import urllib.parse

from devices import ROOT, TIMEOUT, ProgramTest
from media_test import PROGRAM, TYPE, MediaTest

sys.path.insert(0, str(ROOT / "Extensions/Programs"))

from handoff.media.addresses import address, is_media_address  # noqa: E402
from handoff.media.told import Told  # noqa: E402

PAGE = "https://open.example/track/4uLU6h"
BROWSING = "NSUserActivityTypeBrowsingWeb"


class ToldTests(ProgramTest):
    """The reader of all that players tell, without a bus."""

    def test_a_position_is_a_number_of_microseconds_of_at_most_a_century(self):
        for value, expected in (
            (7, 7), (0, 0), (7.9, 7), ("7", 7), (" 7.5 ", 7), (-1, None), (2**62, None), (2**63, None), (-0.5, 0),
            (math.nan, None), (math.inf, None), (-math.inf, None), (1e300, None), ("", None), ("1e3", None), ("-1", None),
            ("٣", None), (True, None), (None, None), ([7], None), ({"a": 7}, None), (b"7", None), ("9" * 400, None),
        ):
            with self.subTest(value=value):
                self.assertEqual(Told({"Position": value}).position, expected)

    def test_a_track_has_the_name_of_an_object_or_none(self):
        for value, expected in (
            ("/org/a_b/1", "/org/a_b/1"), ("/", "/"), (["/a"], "/a"), ("spotify:track:1", None), ("", None), ("a/b", None),
            ("/a/", None), ("//a", None), ("/a-b", None), ("/ü", None), ("/a\n", None), ("/a\0b", None), (7, None),
            (None, None), ({}, None), (math.nan, None), ("/noplaylist", None),
            ("/org/mpris/MediaPlayer2/TrackList/NoTrack", None),
        ):
            with self.subTest(value=value):
                self.assertEqual(Told({"Metadata": {"mpris:trackid": value}}).track, expected)

    def test_a_text_may_be_in_a_list_or_in_bytes(self):
        for value, expected in (
            ("A film", "A film"), (["A film", "B"], "A film"), (["", "B"], "B"), ([], ""), (b"A film\0", "A film"), (1984, "1984"),
            (True, ""), (None, ""), ({"a": "b"}, ""), ([[["deep"]]], "deep"), (math.nan, ""), ("A\x1bfilm\n", "A film"),
        ):
            with self.subTest(value=value):
                self.assertEqual(Told({"Metadata": {"xesam:title": value}}).title, expected)

    def test_what_is_no_list_of_properties_tells_nothing(self):
        for properties in (None, 7, "a", [], {"Metadata": 7}, {"Metadata": None}, {"Metadata": ["xesam:url"]}):
            with self.subTest(properties=properties):
                told = Told(properties)
                self.assertEqual((told.url, told.title, told.kind, told.status), ("", "", "", ""))
                self.assertEqual((told.track, told.length, told.position, told.can_seek), (None, None, None, True))

    def test_an_address_is_media_where_its_type_or_the_end_of_its_path_says_so(self):
        for url, kind in (
            ("https://a.example/film.mp4", ""), ("https://a.example/A.MKV?b=c#d", ""), ("https://a.example/x.m3u8", ""),
            ("https://a.example/x.mp3;session=1", ""), ("https://a.example/film%2Emp4", ""), ("http://a.example/live", "audio/mpeg"),
            ("https://a.example/film.mp4", "application/octet-stream"), ("http://a.example/", "Video/MP4; codecs=x"),
            ("https://a.example/x", "application/vnd.apple.mpegurl"),
        ):
            with self.subTest(url=url, kind=kind):
                self.assertTrue(is_media_address(url, kind))
        for url, kind in (
            (PAGE, ""), ("https://a.mp4", ""), ("https://a.example/?v=film.mp4", ""), ("https://a.example/film.mp4/", ""),
            ("https://a.example/.mp4", ""), ("https://a.example/mp4", ""), ("https://a.example/#a.mp4", ""),
            ("https://a.example/film.mp4", "text/html"), ("https://a.example/film.html", ""), ("http://[", ""),
        ):
            with self.subTest(url=url, kind=kind):
                self.assertFalse(is_media_address(url, kind))

    def test_a_file_has_an_address_in_each_form_that_players_write(self):
        for url in ("file:///a%20b", "file://localhost/a%20b", "file:/a%20b", "FILE:///a b"):
            with self.subTest(url=url):
                self.assertEqual(address(url), {"documentURL": "file:///a%20b"})
        for url in ("file://elsewhere/a", "file:a", "", "smb://a/b", "https://", "https://u:p@a.example/x.mp4",
                    "file:///" + "a" * 4096, "https://a.example/" + "a" * 2048):
            with self.subTest(url=url):
                self.assertIsNone(address(url))

    def test_a_page_is_left_to_the_browser_at_once_and_without_a_word(self):
        for page, info in ((PAGE, {}), ("https://a.example/film.mp4", {"mimeType": "text/html"})):
            with self.subTest(page=page):
                status, printed = self.run_program("handoff-media", TYPE, info=info, webpageURL=page)
                self.assertEqual(status, 69, printed)
                self.assertEqual(self.notes.read_text(encoding="utf-8"), "")


class OfferedTests(MediaTest):
    """What is offered of players that tell odd things, and of what stands for players."""

    def added(self):
        """The next activity of the laptop; its properties."""
        return self.events.wait_activity("added")["properties"]

    def test_the_page_of_a_streaming_player_is_offered_as_a_page(self):
        self.following()
        self.fake(metadata={"xesam:url": PAGE, "xesam:title": "A song", "mpris:trackid": "spotify:track:1"})
        added = self.added()
        self.assertEqual((added["Type"], added["WebpageURL"], added["Title"]), (BROWSING, PAGE, "A song"))
        self.fake(metadata={"xesam:url": "https://a.example/live", "xesam:mimeType": "audio/mpeg"}, more={"Position": 5.5})
        self.events.wait("media", lambda e: e["properties"].get("Type") == TYPE)
        self.assertEqual(self.fetched()["userInfo"],
                         {"version": 1, "isPlaying": True, "position": 5, "mimeType": "audio/mpeg"})

    def test_what_stands_for_a_player_of_another_device_or_of_a_browser_is_none(self):
        (self.laptop.home / "share/applications").mkdir(exist_ok=True)
        entry = self.laptop.home / "share/applications/org.example.Web.desktop"
        entry.write_text("[Desktop Entry]\nType=Application\nCategories=Network;WebBrowser;\n", encoding="utf-8")
        self.addCleanup(entry.unlink)
        self.following()
        path = self.sound("film.wav")
        for name in (
            "playerctld", "plasma-browser-integration", "plasma-browser-integration-1234", "kdeconnect.mpris_000001",
            "GSConnect.PhoneSpotify", "Valent", "Valent_0af3", "Valent.Player1", "firefox.instance_1_7", "chromium.instance12",
        ):
            self.fake(metadata={"xesam:url": "file://" + urllib.parse.quote(path)}, name=name)
        self.fake(metadata={"xesam:url": PAGE}, name="phone", service="org.kde.kdeconnect")
        self.fake(metadata={"xesam:url": PAGE}, name="web", free={"DesktopEntry": "org.example.Web"})
        # The first thing that is offered is what a player of this computer plays, though its name begins as that of another.
        self.fake(metadata={"xesam:url": "https://a.example/own.mp4"}, name="valentine", free={"DesktopEntry": 7})
        self.assertEqual(self.added()["WebpageURL"], "https://a.example/own.mp4")

    def test_a_player_whose_answers_have_other_types_is_offered_as_far_as_they_can_be_read(self):
        self.following()
        url = "https://a.example/film.mp4"
        for metadata, more, expected in (
            ({"xesam:url": [url], "xesam:title": ["A", "B"], "mpris:trackid": 7}, {"Position": "12"}, ("A", 12)),
            ({"xesam:url": url, "xesam:title": 1984, "xesam:artist": "one"}, {"Position": math.nan}, ("1984", None)),
            ({"xesam:url": url, "xesam:title": {"dbus": "ObjectPath", "value": "/a"}}, {"Position": True}, ("/a", None)),
            ({"xesam:url": url}, {"Position": {"dbus": "UInt64", "value": 2**64 - 1}, "Rate": math.inf}, ("film.mp4", None)),
            ({"xesam:url": url, "xesam:title": ["", "7"]}, {"Position": "-3", "PlaybackStatus": "PLAYING"}, ("7", None)),
            ({"xesam:url": url}, {"Position": {"dbus": "Byte", "value": 9}, "PlaybackStatus": ["playing"]}, ("film.mp4", 9)),
        ):
            with self.subTest(metadata=metadata, more=more):
                self.fake(metadata=metadata, more=more, signals=[[7], ["a", "b"], [["a"], {"b": 1}], [{"a": 1}, 5, 6], []])
                self.assertEqual(self.added()["Title"], expected[0])
                self.assertEqual(self.fetched()["userInfo"].get("position"), expected[1])


class PlacedTests(MediaTest):
    """A player that runs goes on, whatever it tells; a place that it does not go to is told to the person."""

    def setUp(self):
        super().setUp()
        self.notes = self.desktop.home / "notes"
        self.notes.write_text("", encoding="utf-8")
        self.addCleanup(self.notes.unlink)
        script = f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> {self.notes}\n"
        self.addCleanup(self.desktop.program("notify-send", script).unlink)
        self.path = self.sound("film.wav", self.desktop)

    def play(self, **values):
        """Has a player on the desktop go on at 0:30; returns what it was told, up to Play, and what the person was."""
        free = {"SupportedUriSchemes": ["file"], "PlaybackStatus": "Stopped", "Metadata": "", "Identity": "A player",
                **values.pop("free", {})}
        player = self.fake(self.desktop, metadata={}, free=free, opens=True, is_complete=True, **values)
        info = {"version": 1, "position": 30_000_000, "isPlaying": True,
                "NSUserActivityDocumentURLKey": {"$url": "file://" + urllib.parse.quote(self.path)}}
        self.configure("patience = 0.3")
        self.notes.write_text("", encoding="utf-8")
        result = subprocess.run(
            [self.desktop.home / PROGRAM], input=json.dumps({"type": TYPE, "userInfo": info}), text=True, cwd="/",
            env=self.desktop.environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False,
        )
        self.assertEqual(result.returncode, 0, result.stdout)
        player.lines.wait(lambda line: line == "playing", "that it plays")
        return [line for line in player.lines.seen if line.startswith(("set", "sought"))], self.notes.read_text(encoding="utf-8")

    def test_the_place_is_set_by_the_name_of_the_track_else_by_how_far_it_is(self):
        length = {"mpris:length": 60_000_000}
        for track in ("/film/1", {"dbus": "ObjectPath", "value": "/film/1"}):
            with self.subTest(track=track):
                told, notes = self.play(opened={**length, "mpris:trackid": track}, free={"Position": 0})
                self.assertEqual((told[0], notes), ("set /film/1 30000000", ""))
        for track in ("spotify:track:1", 7, math.nan, ["a", "b"]):
            with self.subTest(track=track):
                told, notes = self.play(opened={**length, "mpris:trackid": track}, free={"Position": 1_000_000})
                self.assertEqual((told, notes), (["sought 29000000"], ""))
        told, notes = self.play(opened={"mpris:length": "60000000"})
        self.assertEqual((told, notes), (["sought 30000000"], ""))

    def test_a_place_that_is_not_reached_is_told_and_it_plays(self):
        sentence = "film.wav It goes on here. A player could not go to 0:30, where it was."
        _, notes = self.play(opened={"mpris:length": 5, "mpris:trackid": "/a"}, free={"Position": 0}, stays=True)
        self.assertIn(sentence, notes)
        told, notes = self.play(opened={"mpris:trackid": "/a"}, free={"Position": 0.0, "CanSeek": False})
        self.assertEqual(told, [])
        self.assertIn(sentence, notes)
