"""Players that run: what they have open, and how each is told to play something from a place on."""

import sys
import time

from handoff.activity import printable
from handoff.media.mpris import PATH, PATIENCE, PLAYER, PROPERTIES, ROOT, GLib, address, dbus, is_player

# The tracks of players that have nothing open, whatever they say that they do (MPRIS, TrackList; mpv-mpris).
NO_TRACK = ("/org/mpris/MediaPlayer2/TrackList/NoTrack", "/noplaylist")
# How long it may take for an answer to what it is told, in seconds.
PATIENCE_TO_ANSWER = 5.0
# How often it is asked, in milliseconds, whether it has begun: not all tell every change.
INTERVAL = 200
# How long a player may take to follow, in seconds, before it is asked whether it has; and how near to a position that
# was set it has to be, in microseconds.
FOLLOWING = 0.05
NEAR = 2_000_000


def players(bus):
    """The names of the players on the bus."""
    return [str(name) for name in bus.list_names() if is_player(name)]


class Player:
    """A player that runs."""

    def __init__(self, bus, name):
        self._bus = bus
        self._name = name

    def value(self, interface, name):
        """A property; None if it has none, or does not answer."""
        try:
            names = [interface, name]
            return self._bus.call_blocking(self._name, PATH, PROPERTIES, "Get", "ss", names, timeout=PATIENCE)
        except dbus.DBusException:
            return None

    def can_take(self, media):
        """Whether it opens such an address, and nothing ends that the person hears, or has paused at a place."""
        schemes = self.value(ROOT, "SupportedUriSchemes") or []
        # mpv opens files, and does not say so.
        scheme = media.uri.split(":")[0]
        opens = scheme in schemes or scheme == "file" and len(schemes) > 0
        if not opens or self._metadata("mpris:trackid") in NO_TRACK:
            return opens
        status = self.value(PLAYER, "PlaybackStatus")
        return status == "Stopped" or status == "Paused" and self._has_opened(media)

    def play(self, media, patience):
        """Whether it plays the media, from the position on; it may take a time in seconds to begin."""
        try:
            if not self._open(media, patience):
                # It must not begin after another one has.
                self._call("Stop", "", [])
                return False
        except dbus.DBusException as error:
            self._report(error)
            return False
        try:
            self._begin(media)
        except dbus.DBusException as error:
            # It plays, if at another place.
            self._report(error)
        return True

    def _open(self, media, patience):
        """Has the media opened; once it has begun or failed, or the time in seconds is over, returns whether it plays."""
        loop = GLib.MainLoop()
        course = Course(media)

        def look(*signal):
            course.take(signal[1] if signal else self._state())
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
        if course.has_ended or not self._has_opened(media):
            return False
        # VLC may tell of one that fails at once only that it is open. Others may play without telling where they are.
        return self.has_begun(media) or self.value(PLAYER, "PlaybackStatus") != "Stopped"

    def has_begun(self, media):
        """Whether it has opened the media, and knows how long that is, or where it is in it."""
        return self._has_opened(media) and (
            is_positive(self._metadata("mpris:length")) or is_positive(self.value(PLAYER, "Position"))
        )

    def _begin(self, media):
        self._pause()
        if media.position:
            self._seek(media.position)
        if media.is_playing:
            self._call("Play", "", [])

    def _pause(self):
        """Pauses, so that nothing of the beginning is heard; returns when it tells that.

        Of an mpv that was idle, mpv-mpris 0.7.1 tells the state only after it has seen a pause.
        """
        self._call("Pause", "", [])
        deadline = time.monotonic() + PATIENCE
        while self.value(PLAYER, "PlaybackStatus") != "Paused" and time.monotonic() < deadline:
            rest()

    def _report(self, error):
        print(f"handoff-media: {self._name}: {printable(error.get_dbus_message())}", file=sys.stderr)

    def _seek(self, position):
        """Sets the position, again if the player was not ready for it."""
        deadline = time.monotonic() + PATIENCE_TO_ANSWER
        track = self._metadata("mpris:trackid")
        while track and time.monotonic() < deadline:
            self._call("SetPosition", "ox", [track, position])
            rest()
            reached = self.value(PLAYER, "Position")
            # Of one that tells no position, it is never known.
            if not isinstance(reached, int) or abs(reached - position) < NEAR:
                break

    def _call(self, method, signature, arguments, patience=PATIENCE_TO_ANSWER):
        self._bus.call_blocking(self._name, PATH, PLAYER, method, signature, arguments, timeout=patience)

    def _state(self):
        values = {name: self.value(PLAYER, name) for name in ("Metadata", "PlaybackStatus")}
        # One that is busy may not answer.
        return {name: value for name, value in values.items() if value is not None}

    def _metadata(self, name):
        values = self.value(PLAYER, "Metadata")
        return values.get(name) if isinstance(values, dict) else None

    def _has_opened(self, media):
        return is_about(self.value(PLAYER, "Metadata"), media)


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
        if "Metadata" in changes:
            is_open = is_about(changes["Metadata"], self._media)
            self.has_ended = self.has_ended or self._has_opened and not is_open
            self._has_opened = self._has_opened or is_open
        # VLC goes on telling what it had open; an mpv that was idle may say that it is stopped until it has paused once.
        status = changes.get("PlaybackStatus")
        self.has_ended = self.has_ended or self._has_played and status == "Stopped"
        self._has_played = self._has_played or self._has_opened and status == "Playing"


def is_about(metadata, media):
    """Whether a player's metadata are those of the media."""
    url = metadata.get("xesam:url") if isinstance(metadata, dict) else None
    return isinstance(url, str) and address(str(url)) == address(media.uri)


def is_positive(value):
    """Whether a property is a number of microseconds above zero."""
    return isinstance(value, int) and value > 0
