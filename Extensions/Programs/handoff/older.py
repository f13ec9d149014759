"""A document that is older here than what the person had on the other computer."""

import sys
import time

from handoff.activity import Refusal
from handoff.program import notify, program

# File systems keep times with a resolution of up to 2 s (FAT).
RESOLUTION = 2
# How often a document is looked at, in seconds.
INTERVAL = 0.2


def await_newer(place, chosen):
    """Returns when the document is as new as on the other computer, or the person wants it as it is.

    The result is whether it was older.
    """
    if chosen.opens_older or not is_older(place):
        return False
    text = (f"It was changed on {place.device} at {clock(place.time)}, and that has not arrived here yet. "
            "It opens when it has.")
    print(f"{program()}: {place.name} is older here. {text}", file=sys.stderr, flush=True)
    deadline = time.monotonic() + chosen.wait
    with Question(f"{place.name} is older here", text, "Open it as it is") as question:
        while not has_arrived(place) and not question.is_answered():
            if time.monotonic() >= deadline:
                place.examine()
                raise Refusal(75, f"{place.name} is still older here than on {place.device}; it was not opened.")
            time.sleep(INTERVAL)
    return True


class Question:
    """A notification with a button, or one without where there are no buttons."""

    def __init__(self, title, text, action):
        self._title = title
        self._text = text
        self._child = notify(title, text, action)
        if self._child is None:
            notify(title, text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._child and self._child.poll() is None:
            self._child.terminate()

    def is_answered(self):
        """Whether the person has pressed the button. A program that cannot ask fails: then this tells at least."""
        if self._child is None:
            return False
        is_answered = (self._child.stdout.read() or b"").strip() == b"open"
        if self._child.poll() not in (None, 0):
            self._child = None
            notify(self._title, self._text)
        return is_answered


def has_arrived(place):
    """Whether the document is as new as on the other computer; a synchroniser may remove it before it writes."""
    try:
        return not is_older(place)
    except Refusal as refusal:
        if refusal.status != 66:
            raise
        return False


def is_older(place):
    """Whether the document was changed on the other computer after what is here."""
    return place.time is not None and place.examine() + RESOLUTION < place.time


def clock(seconds):
    """A time for a person."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "a time in the future"
