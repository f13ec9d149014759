#!/usr/bin/env python3
"""Checks whether any advertised value links two slots of a quarter of an hour.

    slots.py [--adapter N] [--from MARK] [--to MARK] [--fixed-address] CAPTURE
    slots.py [--adapter N] --has-slot N CAPTURE

It reads the commands of the host to its controller: the service data with the protocol's UUID and the address of the
advertising set, at each start. No address may occur in two slots, and no four consecutive bytes of the data. With
--fixed-address, the address must be one public address all the time: then it does link the slots, and an advisory
reports that to the user.

With --has-slot, it succeeds if the capture, which may still be growing, has an advertisement that began in that slot.

An advertisement that was sealed in the slot before may begin at the very beginning of a slot: bluetoothd was just told to
register it. It counts for the slot before.
"""

import argparse
import os
import sys

from trace import TraceError, advertisements, read_capture, read_marks, time_of_mark

SLOT_MICROSECONDS = 900 * 1000000
SERVICE_DATA_128 = 0x21
# The protocol's UUID, in the byte order of advertisements.
SERVICE = bytes.fromhex("a0f6373cc0be409884f085fe6ea66c55")[::-1]
WINDOW = 4
# How long after the beginning of a slot an advertisement of the slot before may begin.
LATE_MICROSECONDS = 2 * 1000000


def service_data(data):
    """The service data with the protocol's UUID in an advertisement; None if there is none."""
    offset = 0
    while offset + 1 < len(data) and data[offset]:
        field = data[offset + 1 : offset + 1 + data[offset]]
        if field[:1] == bytes([SERVICE_DATA_128]) and field[1:17] == SERVICE:
            return field[17:]
        offset += 1 + data[offset]
    return None


def advertisements_by_slot(entries, begins):
    """{slot: {(address type, address, sealed bytes)}}; `begins` is when each slot begins in the capture."""
    slots = {}
    for entry in entries:
        if entry["what"] != "started" or not entry["data"]:
            continue
        sealed = service_data(bytes.fromhex(entry["data"]))
        if sealed is None:
            continue
        slot = entry["time"] // SLOT_MICROSECONDS
        is_early = entry["time"] - begins[slot] < LATE_MICROSECONDS
        if is_early and any(sealed == known for _, _, known in slots.get(slot - 1, ())):
            slot -= 1
        slots.setdefault(slot, set()).add((entry["address_type"], entry["address"], sealed))
    return slots


def beginnings(records):
    """{slot: time of its first record}; the clock may be set forward into the middle of a slot."""
    begins = {}
    for record in records:
        begins.setdefault(record.time // SLOT_MICROSECONDS, record.time)
    return begins


def links(slots, has_fixed_address):
    """The links between slots, one sentence each."""
    found, seen = [], {}
    for slot, shown in sorted(slots.items()):
        marks = {("bytes", sealed[i : i + WINDOW]) for _, _, sealed in shown for i in range(len(sealed) - WINDOW + 1)}
        if not has_fixed_address:
            marks |= {("address", address) for _, address, _ in shown}
            found += [f"slot {slot} has the {kind} address {address}" for kind, address, _ in shown if kind != "random"]
        for mark in marks:
            if mark in seen:
                value = mark[1].hex() if mark[0] == "bytes" else mark[1]
                found.append(f"slots {seen[mark]} and {slot} have the same {mark[0]}: {value}")
            seen[mark] = slot
    if has_fixed_address and len({(kind, address) for shown in slots.values() for kind, address, _ in shown}) != 1:
        found.append("the address is not fixed, although --fixed-address was given")
    if len(slots) < 3:
        found.append(f"only {len(slots)} slots have advertisements, which is too few for a result")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("--adapter", type=int, default=0)
    parser.add_argument("--from", dest="begin", metavar="MARK")
    parser.add_argument("--to", dest="end", metavar="MARK")
    parser.add_argument("--fixed-address", action="store_true")
    parser.add_argument("--has-slot", type=int, metavar="N")
    options = parser.parse_args()
    try:
        with open(options.capture, "rb") as file:
            records = read_capture(file.read())
        if options.has_slot is not None:
            slots = advertisements_by_slot(advertisements(records, options.adapter), beginnings(records))
            return 0 if options.has_slot in slots else 1
        marks = read_marks(os.path.join(os.path.dirname(options.capture), "marks"))
        begin = time_of_mark(marks, options.begin) if options.begin else None
        end = time_of_mark(marks, options.end) if options.end else None
    except (OSError, ValueError, TraceError) as error:
        sys.exit(f"slots.py: {options.capture}: {error}")
    slots = advertisements_by_slot(advertisements(records, options.adapter, begin, end), beginnings(records))
    for slot, shown in sorted(slots.items()):
        for kind, address, sealed in sorted(shown):
            print(f"slot {slot}  {kind:6} {address}  {sealed.hex()}")
    found = links(slots, options.fixed_address)
    for line in found:
        print(f"LINKED: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
