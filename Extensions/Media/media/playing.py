"""What another computer played, played here from there on."""

import mimetypes
import os
import re
import shlex
import shutil
import stat
import time
import urllib.parse

from continuing import Refusal, become, document, expand, file_name, printable, read_activity, settings
from media.mpris import MAXIMUM_ADDRESS, MAXIMUM_POSITION, PREFIX, TYPE, DBusGMainLoop, address, dbus
from media.players import Player, players
from starting import go_on_once, has_open

# How long a player may take to begin, in seconds, unless media.conf says otherwise.
PATIENCE_TO_BEGIN = 10.0
# How long one that is started may take to come to the bus, in seconds: of one that does not, nothing more is known.
PATIENCE_TO_APPEAR = 3.0
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


class Started:
    """A player that is about to be started."""

    def __init__(self, media, bus):
        self._media = media
        self._bus = bus
        self._others = players(bus) if bus else []
        self._start = time.monotonic()

    def plays(self):
        """Whether it plays, as far as can be known: it has the file open, or tells on the bus that it has begun."""
        if self._media.path is not None and has_open(self._media.path):
            return True
        names = [name for name in players(self._bus) if name not in self._others] if self._bus else []
        if not names:
            return time.monotonic() - self._start > PATIENCE_TO_APPEAR
        return any(Player(self._bus, name).has_begun(self._media) for name in names)


def session_bus():
    """The bus with the players; None without one."""
    if dbus is None:
        return None
    DBusGMainLoop(set_as_default=True)
    try:
        return dbus.SessionBus()
    except dbus.DBusException:
        return None


def play_in_running(media, chosen, bus, patience):
    """Plays in a player that runs; returns whether one does."""
    order = chosen.get("players", "").split()
    # Of several of one kind, a name has an ending, such as mpv.instance7.
    names = sorted(players(bus), key=lambda name: next(
        (place for place, kind in enumerate(order) if (name + ".").startswith(f"{PREFIX}{kind}.")), len(order)
    ))
    running = (Player(bus, name) for name in names)
    return any(player.can_take(media) and player.play(media, patience) for player in running)


def command(media, chosen):
    """What starts the player that the person has chosen, or mpv; nothing if there is none, or no display for it."""
    try:
        words = shlex.split(chosen.get("command", ""))
    except ValueError as error:
        raise Refusal(69, f"The command in media.conf cannot be used: {error}.") from None
    if words:
        return [expand(word, {"uri": media.uri.encode(), "position": media.seconds.encode()}) for word in words]
    if shutil.which("mpv") and (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        pause = [] if media.is_playing else ["--pause"]
        place = media.path if media.path is not None else media.uri.encode()
        return ["mpv", "--force-window=yes", f"--start={media.seconds}", *pause, "--", place]
    return []


def play():
    """Plays the media of an activity, in a player that runs or in one that is started."""
    media = Media(*read_activity(TYPE))
    chosen = settings("media.conf", "media")
    try:
        patience = float(chosen.get("patience", PATIENCE_TO_BEGIN))
    except ValueError:
        raise Refusal(69, "patience in media.conf is no number.") from None
    bus = session_bus()
    if bus and play_in_running(media, chosen, bus, patience):
        return
    words = command(media, chosen)
    if words:
        go_on_once(Started(media, bus).plays, patience)
        become(words)
    raise Refusal(69, "No player that runs here plays it, and none can be started: see Docs/Media.md.")
