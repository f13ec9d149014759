"""What a player tells of itself: each value is read here, whatever type it has on the bus, and is checked once.

Players give numbers as texts, texts as lists, and names of tracks that are no object paths, on which libdbus aborts.
"""

import math
import re

from handoff.activity import printable

# What a position or a length may be, in microseconds: a century.
MAXIMUM_POSITION = 100 * 366 * 24 * 3600 * 10**6
# The tracks of players that have nothing open, whatever they say that they do (MPRIS, TrackList; mpv-mpris).
NO_TRACK = ("/org/mpris/MediaPlayer2/TrackList/NoTrack", "/noplaylist")
# D-Bus Specification, "Valid Object Paths".
OBJECT_PATH = re.compile(r"/|(/[A-Za-z0-9_]+)+")
STATES = {state.lower(): state for state in ("Playing", "Paused", "Stopped")}
# The names that metadata have for the kind of the media, without what is before a colon.
KINDS = ("mimetype", "contenttype")


class Told:
    """The properties that a player has told, of which there may be none, or none that can be used."""

    def __init__(self, properties):
        self._properties = properties if isinstance(properties, dict) else {}

    @property
    def status(self):
        """`Playing`, `Paused` or `Stopped`; empty if it tells something else."""
        return STATES.get(text(self._properties.get("PlaybackStatus")).strip().lower(), "")

    @property
    def position(self):
        """Where it is, in microseconds from the beginning; None if it tells nothing that can be."""
        return microseconds(self._properties.get("Position"))

    @property
    def can_seek(self):
        """Whether a position may be set; only a clear no is one."""
        return self._properties.get("CanSeek") not in (False, 0)

    @property
    def length(self):
        """How long it is, in microseconds; None if it is not told, as of a broadcast."""
        return microseconds(self._metadata.get("mpris:length")) or None

    @property
    def track(self):
        """The name of what is open, an object path; None if it is none, or that of nothing."""
        track = text(self._metadata.get("mpris:trackid"))
        return track if OBJECT_PATH.fullmatch(track) and track not in NO_TRACK else None

    @property
    def has_nothing_open(self):
        """Whether it says so by the name of the track."""
        return text(self._metadata.get("mpris:trackid")) in NO_TRACK

    @property
    def url(self):
        """The address of what is open; empty without one."""
        return text(self._metadata.get("xesam:url"))

    @property
    def title(self):
        """The title, to show; empty without one."""
        return printable(text(self._metadata.get("xesam:title"))).strip()

    @property
    def kind(self):
        """The MIME type of what is open; empty if it is not told."""
        named = (text(value) for key, value in self._metadata.items() if is_kind(key))
        return next(filter(None, named), "")

    @property
    def _metadata(self):
        metadata = self._properties.get("Metadata")
        return metadata if isinstance(metadata, dict) else {}


def text(value):
    """A text; the first one of a list, and that of an array of bytes. Empty if there is none."""
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", "replace")
    if isinstance(value, (list, tuple)):
        if value and all(type(item).__name__ == "Byte" for item in value):
            return text(bytes(value))
        return next(filter(None, map(text, value)), "")
    # A title may be a number, as of a year.
    return str(int(value)) if isinstance(value, int) and not is_truth(value) else ""


def texts(value):
    """All texts of a list; of a text, that one."""
    return [text(item) for item in value] if isinstance(value, (list, tuple)) else list(filter(None, [text(value)]))


def microseconds(value):
    """A number of microseconds of at most a century; None if it is none."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,20}(\.[0-9]{0,20})?", value.strip(), re.A):
        value = float(value)
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) else None
    if not isinstance(value, int) or is_truth(value):
        return None
    return int(value) if 0 <= value <= MAXIMUM_POSITION else None


def is_truth(value):
    """Whether it is a truth value: those of D-Bus are numbers in Python."""
    return isinstance(value, bool) or type(value).__name__ == "Boolean"


def is_kind(key):
    """Whether a name in metadata is that of the kind of the media."""
    return isinstance(key, str) and key.rpartition(":")[2].lower().replace("-", "") in KINDS
