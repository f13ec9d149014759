"""Players that run: what they have open, and how each is told to play something from a place on."""

import sys
import time

from handoff.activity import printable
from handoff.media.addresses import address
from handoff.media.mpris import PATH, PATIENCE, PLAYER, PREFIX, PROPERTIES, ROOT, GLib, dbus, is_player
from handoff.media.told import Told, text, texts

# How long it may take for an answer to what it is told, in seconds.
PATIENCE_TO_ANSWER = 5.0
# How often it is asked, in milliseconds, whether it has begun: not all tell every change.
INTERVAL = 200
# How long a player may take to follow, in seconds, before it is asked whether it has; one that is told how far to go
# must not be told twice. And how near to a position that was set it has to be, in microseconds.
FOLLOWING = 0.05
GOING = 1.0
NEAR = 2_000_000


def players(bus):
    """The names of the players on the bus."""
    return [str(name) for name in bus.list_names() if is_player(bus, name)]


class Player:
    """A player that runs."""

    def __init__(self, bus, name):
        self._bus = bus
        self._name = name
        # What it could not do of what the person expects, as sentences.
        self.shortcomings = []

    def value(self, interface, name):
        """A property, of whatever type; None if it has none, or does not answer."""
        try:
            names = [interface, name]
            return self._bus.call_blocking(self._name, PATH, PROPERTIES, "Get", "ss", names, timeout=PATIENCE)
        except dbus.DBusException:
            return None

    def told(self, *names):
        """These properties, as far as it has them."""
        values = {name: self.value(PLAYER, name) for name in names}
        # One that is busy may not answer.
        return Told({name: value for name, value in values.items() if value is not None})

    def can_take(self, media):
        """Whether it opens such an address, and nothing ends that the person hears, or has paused at a place."""
        schemes = texts(self.value(ROOT, "SupportedUriSchemes"))
        # mpv opens files, and does not say so.
        scheme = media.uri.split(":")[0]
        opens = scheme in schemes or scheme == "file" and len(schemes) > 0
        if not opens:
            return False
        told = self.told("Metadata", "PlaybackStatus")
        return told.has_nothing_open or told.status == "Stopped" or told.status == "Paused" and is_about(told, media)

    def play(self, media, patience):
        """Whether it plays the media, from the position on; it may take a time in seconds to begin.

        What it then does not do as it should is in `shortcomings`.
        """
        try:
            if not self._open(media, patience):
                # It must not begin after another one has.
                self._call("Stop", "", [])
                return False
        except dbus.DBusException as error:
            self._report(error)
            return False
        self._begin(media)
        return True

    def _open(self, media, patience):
        """Has the media opened; once it has begun or failed, or the time in seconds is over, returns whether it plays."""
        loop = GLib.MainLoop()
        course = Course(media)

        def look(*signal):
            # Of a signal, the second value has the properties.
            course.take(signal[1] if len(signal) > 1 else self._state())
            if course.has_ended or self.has_begun(media):
                loop.quit()
            return True

        receiver = self._bus.add_signal_receiver(look, "PropertiesChanged", PROPERTIES, self._name, PATH, arg0=PLAYER)
        sources = GLib.timeout_add(INTERVAL, look), GLib.timeout_add(int(patience * 1000), lambda: loop.quit() or True)
        try:
            self._call("OpenUri", "s", [media.uri], patience)
            loop.run()
        finally:
            receiver.remove()
            for source in sources:
                GLib.source_remove(source)
        if course.has_ended or not is_about(self.told("Metadata"), media):
            return False
        # VLC may tell of one that fails at once only that it is open. Others may play without telling where they are.
        return self.has_begun(media) or self.told("PlaybackStatus").status != "Stopped"

    def has_begun(self, media):
        """Whether it has opened the media, and knows how long that is, or where it is in it."""
        told = self.told("Metadata")
        return is_about(told, media) and bool(told.length or self.told("Position").position)

    def _begin(self, media):
        """Has it go to the place, without a sound before that: what it does not do keeps it from nothing else."""
        self._attempt(self._pause)
        if media.position and not self._attempt(lambda: self._seek(media.position)):
            self.shortcomings.append(f"{self.kind} could not go to {clock(media.position)}, where it was.")
        if media.is_playing and not self._attempt(lambda: self._call("Play", "", [])):
            self.shortcomings.append(f"{self.kind} may be paused.")

    @property
    def kind(self):
        """How the player calls itself, to show."""
        return printable(text(self.value(ROOT, "Identity"))).strip() or self._name.removeprefix(PREFIX)

    def _attempt(self, step):
        """Whether it does something: false if it refuses, or the step says so."""
        try:
            return step() is not False
        except dbus.DBusException as error:
            self._report(error)
            return False

    def _pause(self):
        """Pauses, so that nothing of the beginning is heard; returns when it tells that.

        Of an mpv that was idle, mpv-mpris 0.7.1 tells the state only after it has seen a pause.
        """
        self._call("Pause", "", [])
        deadline = time.monotonic() + PATIENCE
        while self.told("PlaybackStatus").status != "Paused" and time.monotonic() < deadline:
            rest()

    def _report(self, error):
        print(f"handoff-media: {self._name}: {printable(error.get_dbus_message())}", file=sys.stderr)

    def _seek(self, position):
        """Sets the position, again if the player was not ready for it; returns whether it is there, if it tells that."""
        if not self.told("CanSeek").can_seek:
            return False
        deadline = time.monotonic() + PATIENCE_TO_ANSWER
        while time.monotonic() < deadline:
            track = self.told("Metadata").track
            if track:
                self._call("SetPosition", "ox", [track, position])
            else:
                # Without the name of a track, which no other name stands for, it can be told how far to go.
                self._call("Seek", "x", [position - (self.told("Position").position or 0)])
            if self._comes_to(position, FOLLOWING if track else GOING):
                return True
        return False

    def _comes_to(self, position, patience):
        """Whether it comes near to a position within a time in seconds; of one that tells none, it is never known."""
        deadline = time.monotonic() + patience
        while True:
            rest()
            reached = self.told("Position").position
            if reached is None or abs(reached - position) < NEAR:
                return True
            if time.monotonic() >= deadline:
                return False

    def _call(self, method, signature, arguments, patience=PATIENCE_TO_ANSWER):
        self._bus.call_blocking(self._name, PATH, PLAYER, method, signature, arguments, timeout=patience)

    def _state(self):
        values = {name: self.value(PLAYER, name) for name in ("Metadata", "PlaybackStatus")}
        return {name: value for name, value in values.items() if value is not None}


def rest():
    """Lets a player follow what it was told."""
    time.sleep(FOLLOWING)


class Course:
    """What a player tells of the media that it was told to open: also one that fails has it open for a moment."""

    def __init__(self, media):
        self._media = media
        self._has_opened = False
        self._has_played = False
        self.has_ended = False

    def take(self, changes):
        """Takes changes of the player's properties."""
        told = Told(changes)
        if isinstance(changes, dict) and "Metadata" in changes:
            is_open = is_about(told, self._media)
            self.has_ended = self.has_ended or self._has_opened and not is_open
            self._has_opened = self._has_opened or is_open
        # VLC goes on telling what it had open; an mpv that was idle may say that it is stopped until it has paused once.
        self.has_ended = self.has_ended or self._has_played and told.status == "Stopped"
        self._has_played = self._has_played or self._has_opened and told.status == "Playing"


def is_about(told, media):
    """Whether what a player tells is about the media."""
    return told.url != "" and address(told.url) == address(media.uri)


def clock(position):
    """A position for a person: hours if there are any, minutes and seconds."""
    minutes, seconds = divmod(position // 10**6, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
