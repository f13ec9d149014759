"""handoff-media: a real mpv with its MPRIS plug-in on both computers, and players that are not as they should be."""

import json
import os
import subprocess
import time
import urllib.parse

from devices import TIMEOUT
from media_test import MPV, PROGRAM, TYPE, VLC, MediaTest, end
from odd_names import ODD_NAMES


class OfferTests(MediaTest):
    """What is offered of players."""

    def test_what_mpv_plays_is_offered_with_its_position_of_that_moment(self):
        path = self.sound("日本 'ü' $x.wav")
        self.following()
        player = self.mpv(self.laptop, "--start=20", "--", path)
        properties = self.events.wait_document(path)
        self.assertEqual((properties["Type"], properties["Title"]), (TYPE, "日本 'ü' $x.wav"))
        info = self.fetched()["userInfo"]
        self.assertTrue(info["isPlaying"])
        self.assertGreater(info["position"], 19_000_000)
        self.assertLess(info["position"], 60_000_000)
        self.ctl(self.laptop, "pause")
        self.wait_change(False)
        self.ctl(self.laptop, "position", "40")
        info = self.fetched()["userInfo"]
        self.assertFalse(info["isPlaying"])
        self.assertAlmostEqual(info["position"] / 1_000_000, 40, delta=1)
        player.terminate()
        self.events.wait_activity("removed")

    def test_every_odd_name_arrives_as_it_is(self):
        self.following()
        self.mpv(self.laptop, "--idle")
        for name in ODD_NAMES:
            # mpv tells no names that are no text.
            if not is_text(name):
                continue
            with self.subTest(name=name):
                path = self.sound(name)
                self.ctl(self.laptop, "open", "file://" + urllib.parse.quote(path))
                # Of one that was idle, mpv-mpris 0.7.1 says that it plays only after a pause.
                self.ctl(self.laptop, "pause")
                self.ctl(self.laptop, "play")
                self.events.wait_document(path)

    def test_nothing_is_offered_before_it_plays_nor_without_an_address(self):
        path = self.sound("paused.wav")
        self.mpv(self.laptop, "--pause", "--", path)
        self.following()
        self.fake(metadata={"xesam:title": "no address"})
        self.fake(metadata={}, more={"Metadata": "no metadata"})
        for url in ("cdda://1", "file:relative", "javascript:1", "https://me:secret@example.org/x", "file:///a%00b"):
            self.fake(metadata={"xesam:url": url})
        self.fake(metadata={"xesam:url": "https://example.org/film.mp4", "xesam:title": "A\x1bfilm\n"})
        added = self.events.wait_activity("added")["properties"]
        self.assertEqual((added["WebpageURL"], added["Title"]), ("https://example.org/film.mp4", "A film"))

    def test_a_player_without_a_position_or_that_hangs_is_offered_without_or_with_the_last(self):
        path = self.sound("notes.wav")
        url = "file://" + urllib.parse.quote(path)
        self.following()
        for position in (None, -5, "x", 2**62):
            with self.subTest(position=position):
                more = {} if position is None else {"Position": position}
                self.fake(metadata={"xesam:url": url}, more=more)
                self.events.wait_document(path)
                self.assertNotIn("position", self.fetched()["userInfo"])
        self.fake(metadata={"xesam:url": url}, more={"Position": 7_000_000}, hangs=True)
        self.events.wait_document(path)
        self.assertEqual(self.fetched()["userInfo"]["position"], 7_000_000)


class PlayTests(MediaTest):
    """What is played of another computer."""

    def play(self, info, status=0, variables=None, **more):
        """Runs handoff-media to its end; returns what it printed."""
        activity = {"type": TYPE, "deviceName": "laptop", "userInfo": info, **more}
        result = subprocess.run(
            [self.desktop.home / PROGRAM], input=json.dumps(activity), text=True,
            env=self.desktop.environment(**(variables or {})), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=TIMEOUT, check=False, cwd="/",
        )
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    @staticmethod
    def about(path, **more):
        """The userInfo about a file."""
        return {"version": 1, "NSUserActivityDocumentURLKey": {"$url": "file://" + urllib.parse.quote(path)}, **more}

    def test_a_player_that_runs_plays_every_odd_name_from_there_on(self):
        self.mpv(self.desktop, "--idle", "--force-window=no")
        for name in ODD_NAMES:
            if not is_text(name):
                continue
            with self.subTest(name=name):
                path = self.sound(name + b".wav", self.desktop)
                self.play(self.about(path, position=30_000_000, isPlaying=False))
                url = self.ctl(self.desktop, "metadata", "xesam:url")
                self.assertEqual(urllib.parse.unquote_to_bytes(url), b"file://" + path)
                self.assertEqual(self.ctl(self.desktop, "status"), "Paused")
                self.assertEqual(round(float(self.ctl(self.desktop, "position"))), 30)
                # Of one that is paused when it is stopped, mpv-mpris 0.7.1 tells no state afterwards.
                self.ctl(self.desktop, "play")
                self.wait_status("Playing")
                self.ctl(self.desktop, "stop")
                self.wait_status("Stopped")

    def wait_status(self, status):
        """Waits until mpv on the desktop says that it is in a state."""
        deadline = time.monotonic() + TIMEOUT
        while self.ctl(self.desktop, "status") != status:
            self.assertLess(time.monotonic(), deadline, status)

    def wait_file(self, name):
        """Waits until mpv on the desktop, which has its name on the bus before, has opened a file."""
        deadline = time.monotonic() + TIMEOUT
        while not self.ctl(self.desktop, "metadata", "xesam:url").endswith(name):
            self.assertLess(time.monotonic(), deadline, name)

    def test_what_is_paused_here_keeps_its_place_unless_it_is_the_same(self):
        first, second = self.sound("first.wav", self.desktop), self.sound("second.wav", self.desktop)
        self.mpv(self.desktop, "--pause", "--start=20", "--", first)
        self.wait_file("first.wav")
        self.wait_status("Paused")
        self.play(self.about(second, position=5_000_000), 69)
        self.assertEqual(round(float(self.ctl(self.desktop, "position"))), 20)
        self.play(self.about(first, position=40_000_000, isPlaying=False))
        self.assertEqual(round(float(self.ctl(self.desktop, "position"))), 40)

    def test_a_player_that_does_not_begin_is_stopped_and_one_without_a_position_plays(self):
        path = self.sound("notes.wav", self.desktop)
        free = {"SupportedUriSchemes": ["file"], "PlaybackStatus": "Stopped"}
        for patience in ("0.1", "x"):
            self.configure(f"patience = {patience}")
            player = self.fake(self.desktop, metadata={}, free={**free, "Metadata": "none"})
            self.play(self.about(path), 69)
        self.fake(self.desktop, metadata={}, free={**free, "Metadata": "", "PlaybackStatus": "Playing"}, opens=True)
        self.play(self.about(path), 69)
        # mpv-mpris 0.7.1 says so of an mpv that is idle, if it was slow to begin.
        idle = {"mpris:trackid": "/noplaylist"}
        player = self.fake(self.desktop, metadata={}, free={**free, "Metadata": idle, "PlaybackStatus": "Playing"})
        self.configure("patience = 0.1")
        self.play(self.about(path), 69)
        player.lines.wait(lambda line: line == "stopped", "the end of what has not begun")
        self.configure("patience = 10")
        player = self.fake(self.desktop, metadata={}, free={**free, "Metadata": ""}, opens=True)
        # It has neither Play nor a length nor a position, but it has opened the file.
        self.assertIn("Play", self.play(self.about(path)))
        player.lines.wait(lambda line: line == "paused", "a pause before the first sound")

    def test_a_player_that_fails_at_once_is_no_player_that_plays(self):
        path = self.desktop.write("noise.wav", b"RIFF\x09\0\0\0WAVEno sound")
        self.mpv(self.desktop, "--idle", "--force-window=no")
        # It is not waited for: the patience of the tests is their time limit.
        self.play(self.about(path, position=1_000_000), 69)
        self.vlc(self.desktop)
        # VLC does not always tell that it has failed.
        self.configure("players = vlc\npatience = 10")
        self.play(self.about(path, position=1_000_000), 69)

    def test_what_plays_here_goes_on(self):
        first, second = self.sound("first.wav", self.desktop), self.sound("second.wav", self.desktop)
        self.mpv(self.desktop, "--", first)
        self.wait_file("first.wav")
        self.play(self.about(second), 69)
        self.assertTrue(self.ctl(self.desktop, "metadata", "xesam:url").endswith("first.wav"))

    def test_the_command_of_media_conf_gets_each_value_as_it_is(self):
        log = self.desktop.home / "player.log"
        self.addCleanup(log.unlink, missing_ok=True)
        self.addCleanup(self.desktop.program("mine", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {log}\n").unlink)
        self.configure("command = mine --from={position} {uri}")
        path = self.sound("{position} $(id).wav", self.desktop)
        self.play(self.about(path, position=1_500_000))
        self.assertEqual(log.read_bytes(), b"--from=1.500\0file://" + urllib.parse.quote(path).encode() + b"\0")
        page = "https://example.org/film.mp4?a=b&c"
        self.play({"version": 1}, webpageURL=page)
        self.assertEqual(log.read_text(encoding="utf-8"), f"--from=0.000\0{page}\0")

    def test_what_is_neither_sound_nor_video_is_refused(self):
        for name in ("notes.txt", "script.sh", "list.m3u", "list.pls", "list.wax", "program", "x.wav.desktop"):
            with self.subTest(name=name):
                self.play(self.about(self.desktop.write(name)), 65)
        os.mkfifo(self.desktop.docs / "pipe.wav")
        self.play(self.about(os.fsencode(self.desktop.docs / "pipe.wav")), 65)
        self.play(self.about(b"/nowhere/x.wav"), 66)
        secret = "https://a:b@example.org/"
        for page in ("file:///etc/passwd", "javascript:1", "mpv://x", secret, "https:///x", "https://x/\ud800", 7, None):
            with self.subTest(page=page):
                self.play({}, 65, webpageURL=page)
        self.play({"NSUserActivityDocumentURLKey": {"$url": "https://example.org/"}}, 65)


class AcrossTests(MediaTest):
    """From a player of the laptop to one of the desktop, over the air."""

    def test_it_goes_on_in_the_running_player_and_pauses_where_it_began(self):
        here, there = self.sound("film.wav"), self.sound("film.wav", self.desktop)
        self.following()
        self.mpv(self.desktop, "--idle", "--force-window=no")
        self.mpv(self.laptop, "--start=30", "--", here)
        self.events.wait_document(here)
        self.fetched()
        self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
        self.wait_change(False)
        self.assertEqual(self.ctl(self.laptop, "status"), "Paused")
        self.assertEqual(self.ctl(self.desktop, "status"), "Playing")
        self.assertTrue(self.ctl(self.desktop, "metadata", "xesam:url").endswith(os.fsdecode(there)))
        self.assertGreaterEqual(float(self.ctl(self.desktop, "position")), 29)

    def test_it_goes_on_from_and_in_vlc_as_well(self):
        here, there = self.sound("film ü.wav"), self.sound("film ü.wav", self.desktop)
        self.following()
        for origin, destination in (("vlc", "vlc"), ("vlc", "mpv"), ("mpv", "vlc")):
            with self.subTest(origin=origin, destination=destination):
                second = getattr(self, destination)(self.desktop, *(["--idle"] if destination == "mpv" else []))
                first = getattr(self, origin)(self.laptop, here)
                self.events.wait_document(here)
                self.seek(self.laptop, origin, 30)
                info = self.fetched()["userInfo"]
                self.assertGreaterEqual(info["position"], 29_000_000)
                self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
                self.wait_change(False)
                self.assertEqual(self.ctl(self.laptop, "status", player=origin), "Paused")
                self.assertEqual(self.ctl(self.desktop, "status", player=destination), "Playing")
                url = self.ctl(self.desktop, "metadata", "xesam:url", player=destination)
                self.assertEqual(urllib.parse.unquote_to_bytes(url), b"file://" + there)
                self.assertGreaterEqual(float(self.ctl(self.desktop, "position", player=destination)), 29)
                for player in (first, second):
                    player.terminate()
                    player.wait()
                self.events.wait_activity("removed")

    def test_it_goes_on_in_a_player_that_is_started(self):
        here, there = self.sound("film.wav"), self.sound("film.wav", self.desktop)
        self.following()
        self.following(self.desktop)
        words = " ".join(f"'{word}'" for word in MPV)
        number = self.desktop.home / "player.pid"
        script = f"#!/bin/sh\necho $$ > {number}\nexec {words} \"$@\"\n"
        self.addCleanup(self.desktop.program("mpv", script).unlink)
        self.addCleanup(lambda: number.exists() and end(int(number.read_text(encoding="ascii"))))
        self.mpv(self.laptop, "--start=30", "--", here)
        self.events.wait_document(here)
        self.fetched()
        self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
        self.desktop.events.wait_document(there)
        self.assertGreaterEqual(float(self.ctl(self.desktop, "position")), 29)
        self.wait_change(False)

    def test_where_it_fails_the_laptop_plays_on(self):
        here = self.sound("film.wav")
        self.desktop.write("film.wav", "")
        self.following()
        self.mpv(self.laptop, "--loop", "--", here)
        self.events.wait_document(here)
        self.fetched()
        os.unlink(self.desktop.docs / "film.wav")
        os.mkfifo(self.desktop.docs / "film.wav")
        result = subprocess.run([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                                capture_output=True, check=False)
        self.assertEqual(result.returncode, 1)
        self.events.wait("the failure", lambda e: e["event"] == "continuationFailed")
        self.assertEqual(self.ctl(self.laptop, "status"), "Playing")


def is_text(name):
    """Whether the bytes are a text."""
    try:
        return bool(name.decode())
    except UnicodeDecodeError:
        return False
