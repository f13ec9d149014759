#!/usr/bin/env python3
"""Prints the share of time in which a controller scans, for each phase of a story, and fails where it is too much.

    scanning.py [--adapter N] CAPTURE PHASE=SHARE…

A phase lies between the marks "PHASE begins" and "PHASE ends". SHARE is what HandoffCore/Nearby/ScanPolicy.swift
allows: "continuous", "none", or "WINDOW/PERIOD" in seconds, such as 1/4.

The controller scans from the command that enables scanning to the one that disables it, each when the controller has
confirmed it, whichever program of the host has asked for it. What bluetoothd, the bus and the daemon's own work add is
allowed for: each window may be longer by MARGIN seconds, and each period by as much. Nothing is added to "none". What
scans less than half of its share is a failure, too: it would show nothing about the policy.
"""

import argparse
import os
import struct
import sys
from dataclasses import dataclass

from trace import COMMAND, EVENT, TraceError, read_capture, read_marks, time_of_mark

# Seconds that starting and stopping a discovery may take at most, together: calls over the bus to bluetoothd, commands
# to the controller, on an emulated processor.
MARGIN = 0.5

RESET, EXTENDED_PARAMETERS, EXTENDED_ENABLE, PARAMETERS, ENABLE = 0x0C03, 0x2041, 0x2042, 0x200B, 0x200C
COMMAND_COMPLETE, LE_META, SCAN_TIMEOUT = 0x0E, 0x3E, 0x11
# Records of the kernel, not of the controller: the adapter was removed or closed.
INDEX_REMOVED, INDEX_CLOSED = 1, 9


@dataclass
class Scan:
    """A time during which the controller scans, in microseconds since 1970."""

    begin: int
    end: int
    duty: float  # the part of this time in which its receiver is on


class Scans:
    """Converts commands of one adapter, and the controller's confirmations, to scans."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.found = []
        self._begin = None
        self._duty = 1.0
        self._asked = {}  # opcode -> the parameters of the command that is not confirmed yet

    def feed(self, record):
        """Takes the next record of the capture."""
        if record.adapter != self.adapter:
            return
        data = record.data
        if record.opcode == COMMAND and len(data) >= 3:
            self._asked[struct.unpack_from("<H", data)[0]] = data[3:]
        elif record.opcode == EVENT and len(data) >= 6 and data[0] == COMMAND_COMPLETE and data[5] == 0:
            self._confirmed(record.time, struct.unpack_from("<H", data, 3)[0])
        elif record.opcode == EVENT and data[:1] == bytes([LE_META]) and data[2:3] == bytes([SCAN_TIMEOUT]):
            self._end(record.time)
        elif record.opcode in (INDEX_REMOVED, INDEX_CLOSED):
            self._end(record.time)

    def finish(self, time):
        """Ends the scan that the capture does not see the end of."""
        self._end(time)
        return self.found

    def _confirmed(self, time, opcode):
        values = self._asked.pop(opcode, b"")
        if opcode in (ENABLE, EXTENDED_ENABLE) and values:
            if not values[0]:
                self._end(time)
            elif self._begin is None:
                self._begin = time
        elif opcode == PARAMETERS and len(values) >= 5:
            self._set_duty(*struct.unpack_from("<HH", values, 1))
        elif opcode == EXTENDED_PARAMETERS and len(values) >= 8:
            self._set_duty(*struct.unpack_from("<HH", values, 4))  # of the first of its physical layers
        elif opcode == RESET:
            self._end(time)

    def _set_duty(self, interval, window):
        self._duty = window / interval if interval else 1.0

    def _end(self, time):
        if self._begin is not None:
            self.found.append(Scan(self._begin, time, self._duty))
            self._begin = None


def scans(records, adapter):
    """All scans of one adapter."""
    reader = Scans(adapter)
    for record in records:
        reader.feed(record)
    return reader.finish(records[-1].time if records else 0)


@dataclass
class Policy:
    """What a phase may scan: windows of a length, each in a period; a period of zero has no pauses."""

    text: str
    window: float
    period: float

    @staticmethod
    def of(text):
        """Reads "continuous", "none" or "WINDOW/PERIOD"."""
        if text == "continuous":
            return Policy(text, 1, 1)
        if text == "none":
            return Policy(text, 0, 1)
        window, slash, period = text.partition("/")
        try:
            policy = Policy(text, float(window), float(period))
        except ValueError:
            policy = None
        if not slash or policy is None or not 0 < policy.window < policy.period:
            raise TraceError(f"{text!r} is no share: it is continuous, none, or WINDOW/PERIOD such as 1/4")
        return policy

    @property
    def share(self):
        return self.window / self.period

    @property
    def most(self):
        """The largest share that is accepted."""
        if self.text in ("continuous", "none"):
            return self.share
        return (self.window + MARGIN) / (self.period + MARGIN)

    @property
    def least(self):
        """The smallest share that is accepted."""
        return self.share / 2


@dataclass
class Phase:
    """How much was scanned in one phase."""

    name: str
    policy: Policy
    seconds: float
    windows: int  # scans that begin in the phase
    share: float
    listening: float  # the share of time in which the receiver is on

    @property
    def fault(self):
        """What is wrong, as a sentence; None if nothing is."""
        if self.share > self.policy.most:
            return f"{self.name}: {self.share:.1%} of the time is spent scanning, more than {self.policy.most:.1%}"
        if self.share < self.policy.least:
            return f"{self.name}: only {self.share:.1%} of the time is spent scanning, not {self.policy.least:.1%}"
        return None


def measure(found, name, policy, begin, end):
    """How much of the time from `begin` to `end` the scans take."""
    if end <= begin:
        raise TraceError(f"the phase {name!r} ends before it begins")
    parts = [(max(0, min(scan.end, end) - max(scan.begin, begin)), scan.duty) for scan in found]
    return Phase(
        name,
        policy,
        (end - begin) / 1e6,
        sum(begin <= scan.begin < end for scan in found),
        sum(time for time, _ in parts) / (end - begin),
        sum(time * duty for time, duty in parts) / (end - begin),
    )


def show(phases):
    """Prints a table in the form of the documentation."""
    print("| Phase | Policy | Seconds | Scans | Share of time | At most | Receiver on |")
    print("|---|---|---|---|---|---|---|")
    for phase in phases:
        print(
            f"| {phase.name} | {phase.policy.text} | {phase.seconds:.1f} | {phase.windows} | {phase.share:.1%} "
            f"| {phase.policy.most:.1%} | {phase.listening:.1%} |"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("phases", nargs="+", metavar="PHASE=SHARE")
    parser.add_argument("--adapter", type=int, default=0)
    options = parser.parse_args()
    try:
        with open(options.capture, "rb") as file:
            records = read_capture(file.read())
        marks = read_marks(os.path.join(os.path.dirname(options.capture), "marks"))
        found = scans(records, options.adapter)
        phases = []
        for argument in options.phases:
            name, _, share = argument.rpartition("=")
            limits = [time_of_mark(marks, f"{name} {edge}") for edge in ("begins", "ends")]
            phases.append(measure(found, name, Policy.of(share), *limits))
    except (OSError, ValueError, TraceError) as error:
        sys.exit(f"scanning.py: {options.capture}: {error}")
    show(phases)
    faults = [phase.fault for phase in phases if phase.fault]
    for fault in faults:
        print(f"FAILED: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
