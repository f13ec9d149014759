"""What another computer played, played here from there on."""

import os
import shlex
import shutil
import subprocess
import time

from handoff.activity import Refusal, document, file_name, read_activity
from handoff.addresses import file_url
from handoff.documents import Document
from handoff.media.addresses import MAXIMUM_ADDRESS, address, is_media_address
from handoff.media.contents import is_media
from handoff.media.mpris import PREFIX, TYPE, DBusGMainLoop, dbus
from handoff.media.players import Player, players
from handoff.media.told import microseconds
from handoff.program import become, expand, notify, settings
from handoff.starting import go_on_once, has_open
from handoff.text import printable

# How long a player may take to begin, in seconds, unless media.conf says otherwise.
PATIENCE_TO_BEGIN = 10.0
# How long one that is started may take to come to the bus, in seconds: of one that does not, nothing more is known.
PATIENCE_TO_APPEAR = 3.0
# How long mpv may take to say which options it knows, in seconds.
PATIENCE_TO_ASK = 5.0
# mpv follows nothing that a file names in it: neither lists nor parts of a film that are elsewhere (mpv(1)).
NO_REFERENCES = "--access-references=no"


class MediaFile(Document):
    """A file of this computer with sound or video."""

    def require_content(self, file):
        """Refuses what is neither sound nor video."""
        if not is_media(self.path, file):
            raise Refusal(65, f"{self.name} is neither sound nor video.")


class Media:
    """What is to be played, and from where."""

    def __init__(self, activity, info):
        self.path = document(info)
        # JSON can have halves of characters, which are in no address.
        page = printable(activity.get("webpageURL"), MAXIMUM_ADDRESS)
        is_page = page == activity.get("webpageURL") and "webpageURL" in (address(page) or {})
        self.uri = page if is_page else None
        if self.path is not None:
            MediaFile(activity, info).examine()
            self.uri = file_url(self.path)
        if self.uri is None:
            raise Refusal(65, "The activity has no file of this computer, and no web address.")
        self.position = microseconds(info.get("position")) or 0
        self.is_playing = info.get("isPlaying") is not False
        self.title = file_name(self.path) if self.path is not None else printable(activity.get("title")) or self.uri
        # A computer with an earlier version offers what it plays as media, also where that is a page.
        self.is_page = self.path is None and not is_media_address(self.uri, printable(info.get("mimeType")))

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
    player = next((player for player in running if player.can_take(media) and player.play(media, patience)), None)
    if player and player.shortcomings:
        notify(media.title, " ".join(["It goes on here.", *player.shortcomings]))
    return player is not None


def command(media, chosen):
    """What starts the player that the person has chosen, or mpv; nothing if there is none, or no display for it."""
    try:
        words = shlex.split(chosen.get("command", ""))
    except ValueError as error:
        raise Refusal(69, f"The command in media.conf cannot be used: {error}.") from None
    if words:
        return [expand(word, {"uri": media.uri.encode(), "position": media.seconds.encode()}) for word in words]
    if not shutil.which("mpv") or not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return []
    options = ["--force-window=yes", f"--start={media.seconds}", *([] if media.is_playing else ["--pause"])]
    if media.path is None:
        # What an address leads to may be in parts, such as a broadcast: mpv keeps those from this computer by itself.
        return ["mpv", *options, "--", media.uri.encode()]
    return ["mpv", *options, NO_REFERENCES, "--", media.path] if knows_references() else []


def knows_references():
    """Whether this mpv can be kept from following references: it reads its options in order, and this one fails else."""
    words = ["mpv", "--no-config", NO_REFERENCES, "--version"]
    try:
        result = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            timeout=PATIENCE_TO_ASK, check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return result.returncode == 0


def play():
    """Plays the media of an activity, in a player that runs or in one that is started."""
    media = Media(*read_activity(TYPE))
    if media.is_page:
        raise Refusal(69, "This is a page, and not sound or video: a browser opens it.", has_page=True)
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
    message = "No player that runs here plays it, and none can be started: see Docs/Media.md."
    raise Refusal(69, message, has_page=media.path is None)
