#!/usr/bin/env python3
"""Prints when each change of a story was advertised, received and shown, and fails where one was not.

    changes.py --origin N --receiver N CAPTURE

A change lies between the marks "change NUMBER begins" and "change NUMBER is shown". It is advertised with the first
command after the beginning that gives the origin's controller other data, and received with the first report of these
data at the receiver. The times are in seconds since the beginning. No time is too long: the story waits for each.
"""

import argparse
import os
import re
import statistics
import sys
from dataclasses import dataclass

from trace import TraceError, advertisements, read_capture, read_marks

COLUMNS = ("advertised", "received", "shown")


@dataclass
class Change:
    """When a change was advertised, received and shown, in seconds since its beginning; None for never."""

    number: int
    advertised: float | None
    received: float | None
    shown: float

    @property
    def fault(self):
        """What is wrong, as a sentence; None if nothing is."""
        for name in ("advertised", "received"):
            if getattr(self, name) is None:
                return f"change {self.number} was shown, and is not {name} in the capture"
        return None


def phases(marks):
    """The changes, each as its number, beginning and end in microseconds since 1970."""
    begins, found = {}, []
    for time, text in marks:
        match = re.fullmatch(r"change (\d+) (begins|is shown)", text)
        if match and match[2] == "begins":
            begins[int(match[1])] = time
        elif match:
            found.append((int(match[1]), begins[int(match[1])], time))
    if not found:
        raise TraceError("no change is marked")
    return found


def measure(entries, origin, receiver, number, begin, end):
    """The times of one change, from the advertisements of a capture.

    An advertisement that follows a change may carry other data than the first one, as when the origin restarts it: so
    every report of something that the origin has begun to advertise since the beginning counts.
    """
    sent, advertised, received = set(), None, None
    for entry in entries:
        if not begin <= entry["time"] <= end:
            continue
        if entry["adapter"] == origin and entry["what"] == "data" and entry["data"]:
            sent.add(entry["data"])
            advertised = advertised or entry["time"]
        elif entry["adapter"] == receiver and entry["what"] == "observed" and received is None:
            received = entry["time"] if any(entry["data"].startswith(data) for data in sent) else None
    since = lambda time: None if time is None else (time - begin) / 1e6
    return Change(number, since(advertised), since(received), since(end))


def show(changes):
    """Prints a table in the form of the documentation, and the median and the longest of each column."""
    print("| Change | Advertised | Received | Shown |\n|---|---|---|---|")
    for change in changes:
        cells = (getattr(change, name) for name in COLUMNS)
        print(f"| {change.number} | " + " | ".join("never" if cell is None else f"{cell:.2f} s" for cell in cells) + " |")
    for title, value in (("median", statistics.median), ("longest", max)):
        columns = ([cell for change in changes if (cell := getattr(change, name)) is not None] for name in COLUMNS)
        print(f"| {title} | " + " | ".join(f"{value(column):.2f} s" if column else "" for column in columns) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("--origin", type=int, required=True)
    parser.add_argument("--receiver", type=int, required=True)
    options = parser.parse_args()
    try:
        with open(options.capture, "rb") as file:
            entries = advertisements(read_capture(file.read()))
        marks = read_marks(os.path.join(os.path.dirname(options.capture), "marks"))
        changes = [measure(entries, options.origin, options.receiver, *phase) for phase in phases(marks)]
    except (OSError, TraceError) as error:
        sys.exit(f"changes.py: {error}")
    show(changes)
    faults = [change.fault for change in changes if change.fault]
    sys.exit("\n".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
