"""What another computer played, played here from there on."""

import mimetypes
import os
import re
import shlex
import shutil
import stat
import sys
import time
import urllib.parse

from continuing import Refusal, become, document, expand, file_name, printable, read_activity, settings
from media.mpris import (
    MAXIMUM_ADDRESS, MAXIMUM_POSITION, PATH, PATIENCE, PLAYER, PREFIX, PROPERTIES, ROOT, TYPE, DBusGMainLoop, GLib,
    address, dbus, is_player,
)

# The tracks of players that have nothing open, whatever they say that they do (MPRIS, TrackList; mpv-mpris).
NO_TRACK = ("/org/mpris/MediaPlayer2/TrackList/NoTrack", "/noplaylist")
# How long until it has begun to open what it was told to, in seconds, unless media.conf says otherwise: after 2 s,
# handoffd tells the origin that it plays here. How long until it can seek in that.
PATIENCE_TO_BEGIN = 1.2
PATIENCE_TO_OPEN = 5.0
# How long a player has to be at a position that was set, in milliseconds, and how near, in microseconds.
SEEKING = 50
NEAR = 2_000_000
# What Python does not know by itself, but from a file of the system that not all have.
KINDS = {
    ".flac": "audio/flac", ".m4a": "audio/mp4", ".m4b": "audio/mp4", ".m4v": "video/mp4", ".mka": "audio/x-matroska",
    ".mkv": "video/x-matroska", ".oga": "audio/ogg", ".ogg": "audio/ogg", ".ogv": "video/ogg", ".opus": "audio/ogg",
    ".wma": "audio/x-ms-wma", ".wmv": "video/x-ms-wmv",
}
# Lists of addresses, and what plays its own scripts.
LISTS = r"mpegurl|scpls|url|x-ms-(?!wm[av]$)"


class Media:
    """What is to be played, and from where."""

    def __init__(self, activity, info):
        self.path = document(info)
        # JSON can have halves of characters, which are in no address.
        page = printable(activity.get("webpageURL"), MAXIMUM_ADDRESS)
        is_page = page == activity.get("webpageURL") and "webpageURL" in (address(page) or {})
        self.uri = page if is_page else None
        if self.path is not None:
            self._examine()
            self.uri = "file://" + urllib.parse.quote(self.path)
        if self.uri is None:
            raise Refusal(65, "The activity has no file of this computer, and no web address.")
        position = info.get("position")
        is_number = isinstance(position, int) and not isinstance(position, bool) and 0 < position <= MAXIMUM_POSITION
        self.position = position if is_number else 0
        self.is_playing = info.get("isPlaying") is not False

    def _examine(self):
        name = file_name(self.path)
        try:
            status = os.stat(self.path)
        except FileNotFoundError:
            raise Refusal(66, f"{name} is not there any more.") from None
        except OSError as error:
            raise Refusal(66, f"{name} cannot be read: {error.strerror}.") from None
        whole = os.path.basename(os.fsdecode(self.path))
        # By its name, as a player would be chosen for it: lists of addresses and scripts of players are none.
        kind = KINDS.get(os.path.splitext(whole)[1].lower()) or mimetypes.guess_type(whole)[0] or ""
        if not stat.S_ISREG(status.st_mode) or not re.match(rf"(audio|video)/(?!.*({LISTS}))", kind):
            raise Refusal(65, f"{name} is neither sound nor video.")

    @property
    def seconds(self):
        """The position for people and command lines."""
        return f"{self.position / 10**6:.3f}"


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
        """Whether it took the media, in the time in seconds; the position is set once it is known to be there."""
        try:
            self._call("OpenUri", "s", [media.uri], patience)
            if not self._wait(lambda: self._has_opened(media), patience):
                # It must not begin after another one has.
                self._call("Stop", "", [], patience)
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

    def _begin(self, media):
        # Without the length, no position can be set.
        self._wait(lambda: self._is_ready(media), PATIENCE_TO_OPEN)
        # Nothing of the beginning is heard; and of one that did nothing, mpv-mpris tells a state only after this.
        self._call("Pause", "", [])
        if media.position:
            self._seek(media.position)
        if media.is_playing:
            self._call("Play", "", [])

    def _wait(self, condition, seconds):
        """Waits for a change after which the condition holds; returns whether it does."""
        loop = GLib.MainLoop()
        receiver = self._bus.add_signal_receiver(
            lambda *_: loop.quit() if condition() else None, "PropertiesChanged", PROPERTIES, self._name, PATH
        )
        if not condition():
            GLib.timeout_add(int(seconds * 1000), loop.quit)
            loop.run()
        receiver.remove()
        return condition()

    def _report(self, error):
        print(f"handoff-media: {self._name}: {printable(error.get_dbus_message())}", file=sys.stderr)

    def _seek(self, position):
        """Sets the position, again if the player was not ready for it."""
        loop = GLib.MainLoop()
        deadline = time.monotonic() + PATIENCE_TO_OPEN
        track = self._metadata("mpris:trackid")
        while track and time.monotonic() < deadline:
            self._call("SetPosition", "ox", [track, position])
            GLib.timeout_add(SEEKING, loop.quit)
            loop.run()
            reached = self.value(PLAYER, "Position")
            # Of one that tells no position, it is never known.
            if not isinstance(reached, int) or abs(reached - position) < NEAR:
                break

    def _call(self, method, signature, arguments, patience=PATIENCE_TO_OPEN):
        self._bus.call_blocking(self._name, PATH, PLAYER, method, signature, arguments, timeout=patience)

    def _metadata(self, name):
        values = self.value(PLAYER, "Metadata")
        return values.get(name) if isinstance(values, dict) else None

    def _has_opened(self, media):
        url = self._metadata("xesam:url")
        return isinstance(url, str) and address(str(url)) == address(media.uri)

    def _is_ready(self, media):
        length = self._metadata("mpris:length")
        return self._has_opened(media) and (not media.position or isinstance(length, int) and length > 0)


def play_in_running(media, chosen):
    """Plays in a player that runs; returns whether one took it."""
    if dbus is None:
        return False
    DBusGMainLoop(set_as_default=True)
    try:
        bus = dbus.SessionBus()
        names = [str(name) for name in bus.list_names() if is_player(name)]
    except dbus.DBusException:
        return False
    order = chosen.get("players", "").split()
    # Of several of one kind, a name has an ending, such as mpv.instance7.
    names.sort(key=lambda name: next(
        (place for place, kind in enumerate(order) if (name + ".").startswith(f"{PREFIX}{kind}.")), len(order)
    ))
    try:
        patience = float(chosen.get("patience", PATIENCE_TO_BEGIN))
    except ValueError:
        raise Refusal(69, "patience in media.conf is no number.") from None
    players = (Player(bus, name) for name in names)
    return any(player.can_take(media) and player.play(media, patience) for player in players)


def play_in_started(media, chosen):
    """Becomes the player that the person has chosen, or mpv; returns if there is none, or no display for it."""
    try:
        words = shlex.split(chosen.get("command", ""))
    except ValueError as error:
        raise Refusal(69, f"The command in media.conf cannot be used: {error}.") from None
    place = media.path if media.path is not None else media.uri.encode()
    if words:
        become([expand(word, {"uri": media.uri.encode(), "position": media.seconds.encode()}) for word in words])
    elif shutil.which("mpv") and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        pause = [] if media.is_playing else ["--pause"]
        become(["mpv", "--force-window=yes", f"--start={media.seconds}", *pause, "--", place])


def play():
    """Plays the media of an activity."""
    media = Media(*read_activity(TYPE))
    chosen = settings("media.conf", "media")
    if not play_in_running(media, chosen):
        play_in_started(media, chosen)
        raise Refusal(69, "No player runs here that plays nothing, and none can be started: see Docs/Media.md.")
