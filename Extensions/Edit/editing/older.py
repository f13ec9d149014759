"""A document that is older here than what the person had on the other computer."""

import sys
import time

from continuing import Refusal, notify

# File systems keep times with a resolution of up to 2 s (FAT).
RESOLUTION = 2


def await_newer(place, chosen):
    """Returns when the document is as new as on the other computer, or the person wants it as it is.

    handoffd would open the document elsewhere, without a word, if this program failed at once.
    """
    if chosen.opens_older or not is_older(place):
        return
    text = (f"It was changed on {place.device} at {clock(place.time)}, and that has not arrived here yet. "
            "It opens when it has.")
    print(f"handoff-edit: {place.name} is older here. {text}", file=sys.stderr, flush=True)
    question = notify(f"{place.name} is older here", text, "Open it as it is")
    if question is None or question.poll() not in (None, 0):
        notify(f"{place.name} is older here", text)
    deadline = time.monotonic() + chosen.wait
    try:
        while is_older(place):
            if question and (question.stdout.read() or b"").strip() == b"open":
                return
            if time.monotonic() >= deadline:
                raise Refusal(75, f"{place.name} is still older here than on {place.device}; it was not opened.")
            time.sleep(0.2)
    finally:
        if question and question.poll() is None:
            question.terminate()


def is_older(place):
    """Whether the document was changed on the other computer after what is here."""
    return place.time is not None and place.examine() + RESOLUTION < place.time


def clock(seconds):
    """A time for a person."""
    try:
        return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
    except (OverflowError, ValueError, OSError):
        return "a time in the future"
