"""handoff-media: players that take long to begin, or that fail late, and what the origin is told of it."""

import os
import signal

from media_test import MPV, TYPE, MediaTest, end
from waits import SlowSite, WaitTest


class SlowTests(WaitTest, MediaTest):
    """A player of the desktop gets its film from a site that does not answer at once."""

    def setUp(self):
        super().setUp()
        with open(self.sound("film.wav"), "rb") as file:
            self.site = self.enterContext(SlowSite(file.read(), "audio/x-wav"))
        # On a display that is none, the mpv of the system would be started.
        self.addCleanup(self.desktop.program("mpv", "#!/bin/sh\nexit 2\n").unlink)
        self.browse("exit 3")
        self.following()
        self.origin = self.fake(metadata={"xesam:url": self.site.url("film.wav")})
        self.film = self.events.wait_activity("added")["object"]
        self.pair.fetch(TYPE)

    def command(self):
        """Has a player started that is really mpv, and ends with the test."""
        number = self.desktop.home / "player.pid"
        words = " ".join(f"'{word}'" for word in MPV)
        self.addCleanup(self.desktop.program("slow-mpv", f"#!/bin/sh\necho $$ > {number}\nexec {words} \"$@\"\n").unlink)
        self.addCleanup(number.unlink)
        self.configure("command = slow-mpv --start={position} {uri}")
        return lambda: int(number.read_text(encoding="ascii"))

    def browse(self, command):
        """Has the browser of the desktop, which gets what no player plays, do this."""
        self.addCleanup(self.desktop.program("xdg-open", f"#!/bin/sh\n{command}\n").unlink, missing_ok=True)

    def take(self, status, outcome, result=None):
        """Continues the film, which the site has or has not, after a while; returns with that of `handoffctl`."""
        with self.continuing() as continuing:
            self.site.wait_request()
            self.let_time_pass()
            self.assertIsNone(continuing.poll())
            self.site.answer(status)
            self.assertEqual(self.told(), (outcome, self.film))
            self.assertEqual(continuing.wait(), int(status != 200) if result is None else result)

    def wait_paused(self):
        """Waits until the player of the laptop is told to pause."""
        self.origin.lines.wait(lambda line: line == "paused", "a pause of the origin")

    def assert_plays_on(self):
        """Ends what is offered, so that all that the player of the laptop is told has arrived."""
        self.origin.send_signal(signal.SIGTERM)
        self.events.wait_activity("removed")
        self.origin.wait()
        self.assertNotIn("paused", self.origin.lines.waiting())

    def test_the_origin_pauses_when_an_mpv_that_runs_plays_at_last(self):
        self.mpv(self.desktop, "--idle", "--force-window=no")
        self.take(200, "continued")
        self.wait_paused()
        self.assertEqual(self.ctl(self.desktop, "status"), "Playing")

    def test_the_origin_pauses_when_a_vlc_that_runs_plays_at_last(self):
        self.vlc(self.desktop)
        self.take(200, "continued")
        self.wait_paused()
        self.assertEqual(self.ctl(self.desktop, "status", player="vlc"), "Playing")

    def test_the_origin_plays_on_where_an_mpv_that_runs_fails_at_last(self):
        self.mpv(self.desktop, "--idle", "--force-window=no")
        self.take(404, "continuationFailed")
        self.assert_plays_on()

    def test_the_origin_plays_on_where_a_vlc_that_runs_fails_at_last(self):
        self.vlc(self.desktop)
        self.take(404, "continuationFailed")
        self.assert_plays_on()

    def test_the_origin_pauses_when_the_started_player_plays_at_last(self):
        number = self.command()
        self.take(200, "continued")
        self.wait_paused()
        self.assertEqual(self.ctl(self.desktop, "status"), "Playing")
        end(number())

    def test_the_origin_plays_on_where_the_started_player_fails_at_last(self):
        self.command()
        self.take(404, "continuationFailed")
        self.assert_plays_on()

    def test_what_fails_at_last_in_a_player_gets_the_browser(self):
        log = self.desktop.home / "browser.log"
        self.addCleanup(log.unlink)
        self.browse(f'echo "$*" >> {log}')
        self.command()
        self.take(404, "continued", 0)
        self.assertEqual(log.read_text(encoding="utf-8"), self.site.url("film.wav") + "\n")

    def test_a_player_that_tells_nothing_counts_as_one_that_plays(self):
        pipe = self.desktop.home / "player.pipe"
        os.mkfifo(pipe)
        self.addCleanup(pipe.unlink)
        self.addCleanup(self.desktop.program("silent", f"#!/bin/sh\nread -r word < {pipe}\n").unlink)
        self.configure("command = silent {uri}")
        with self.continuing() as continuing:
            self.assertEqual(self.told(), ("continued", self.film))
            self.assertEqual(continuing.wait(), 0)
        self.wait_paused()
        pipe.write_text("go\n", encoding="ascii")
