#!/usr/bin/env python3
"""Reads a capture written by "btmon -w", and prints what was sent over the air.

    trace.py [--adapter N] [--from MARK] [--to MARK] [--json] CAPTURE
        Counts LE ACL packets and bytes on one adapter, split into L2CAP signalling, credit-based channels, ATT and SMP,
        and the payload of the SDUs on the channels in each direction. Without marks: from the first request for a
        credit-based channel to the last packet of such a channel or credit for it.

    trace.py --advertisements [--adapter N] [--from MARK] [--to MARK] [--json] CAPTURE
        Lists what was advertised (HCI commands) and observed (advertising reports).

Marks are the texts of lines in the file "marks" in the directory of the capture, as rig_mark writes them; the first
line that equals MARK counts. "tx" is from the adapter to the air. Only Python's standard library is used.
"""

import argparse
import json
import os
import struct
import sys
from dataclasses import dataclass, field

MONITOR_DATALINK = 2001
# Microseconds from the epoch of btsnoop (year 0) to that of Unix.
EPOCH_DIFFERENCE = 0x00E03AB44A676000 - 946684800 * 1000000

COMMAND, EVENT, ACL_TX, ACL_RX = 2, 3, 4, 5

CID_ATT, CID_LE_SIGNALLING, CID_SMP, FIRST_DYNAMIC_CID = 4, 5, 6, 0x40
PSM_EATT = 0x27  # bluetoothd's own: ATT over credit-based channels

DISCONNECTION_RESPONSE = 0x07
LE_CONNECTION_REQUEST, LE_CONNECTION_RESPONSE, CREDITS = 0x14, 0x15, 0x16
ENHANCED_REQUEST, ENHANCED_RESPONSE = 0x17, 0x18

KINDS = ("channel", "signalling", "att", "smp", "other")


class TraceError(Exception):
    """The capture cannot be used, for the reason in the text."""


@dataclass
class Record:
    """One packet between a host and its controller, or an event of the controller itself."""

    time: int  # microseconds since 1970
    adapter: int
    opcode: int
    data: bytes


def read_capture(data):
    """The records of a capture. If it ends within a record, as after a crash, it is read up to that record."""
    if len(data) < 16 or data[:8] != b"btsnoop\0":
        raise TraceError("not a btsnoop capture")
    version, datalink = struct.unpack_from(">II", data, 8)
    if version != 1 or datalink != MONITOR_DATALINK:
        raise TraceError(f"version {version}, datalink {datalink}: only the format of btmon -w (1, 2001) is supported")
    records, offset = [], 16
    while offset + 24 <= len(data):
        _, included, flags, _, time = struct.unpack_from(">IIIIq", data, offset)
        offset += 24
        if offset + included > len(data):
            break
        records.append(
            Record(time - EPOCH_DIFFERENCE, flags >> 16, flags & 0xFFFF, data[offset : offset + included])
        )
        offset += included
    return records


def read_marks(path):
    """The marks, [(time, text)], of the file that rig_mark writes."""
    marks = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            time, _, text = line.rstrip("\n").partition(" ")
            marks.append((int(time), text))
    return marks


def time_of_mark(marks, text):
    for time, name in marks:
        if name == text:
            return time
    known = ", ".join(repr(name) for _, name in marks) or "none"
    raise TraceError(f"no mark {text!r}; the marks are: {known}")


# --- counting ------------------------------------------------------------------------------------------------------


@dataclass
class Packet:
    """One ACL packet, classified by the L2CAP frame to which it belongs."""

    time: int
    direction: str
    kind: str
    size: int  # of the ACL payload: L2CAP header and fragment, without the four bytes of HCI header
    payload: int = 0  # bytes of SDUs that the frame completed by this packet carries
    sdus: int = 0
    anchor: bool = False  # belongs to a credit-based channel
    request: bool = False  # requests such a channel


@dataclass
class Frame:
    """An incomplete L2CAP frame in one direction of one connection."""

    needed: int = 0
    data: bytearray = field(default_factory=bytearray)
    packets: list = field(default_factory=list)


class Dissector:
    """Classifies the packets on all connections of one adapter; it must be given every record."""

    def __init__(self, adapter):
        self.adapter = adapter
        self.packets = []
        self.frames = {}  # (handle, direction) -> Frame
        self.channels = {}  # (handle, direction, destination CID) -> PSM
        self.requests = {}  # (handle, direction of the request, identifier) -> (PSM, [source CIDs])
        self.sdu_left = {}  # (handle, direction, CID) -> missing bytes of the SDU
        self.classic = set()  # handles of BR/EDR connections
        self.connections = 0

    def feed(self, record):
        if record.adapter != self.adapter:
            return
        if record.opcode == EVENT:
            self.on_event(record.data)
        elif record.opcode in (ACL_TX, ACL_RX) and len(record.data) >= 4:
            self.on_acl(record, "tx" if record.opcode == ACL_TX else "rx")

    def on_event(self, data):
        # Handles are reused after the end of a connection, so its state is discarded then.
        if len(data) >= 6 and data[0] == 0x05 and data[2] == 0:
            self.forget(struct.unpack_from("<H", data, 3)[0] & 0xFFF)
        elif len(data) >= 6 and data[0] == 0x03 and data[2] == 0:
            handle = struct.unpack_from("<H", data, 3)[0] & 0xFFF
            self.forget(handle)
            self.classic.add(handle)
        elif len(data) >= 6 and data[0] == 0x3E and data[2] in (0x01, 0x0A, 0x29) and data[3] == 0:
            self.forget(struct.unpack_from("<H", data, 4)[0] & 0xFFF)
            self.connections += 1

    def forget(self, handle):
        self.classic.discard(handle)
        for table in (self.frames, self.channels, self.requests, self.sdu_left):
            for key in [key for key in table if key[0] == handle]:
                del table[key]

    def on_acl(self, record, direction):
        word, _ = struct.unpack_from("<HH", record.data)
        handle, continuation, fragment = word & 0xFFF, (word >> 12) & 3 == 1, record.data[4:]
        if handle in self.classic:
            return
        packet = Packet(record.time, direction, "other", len(fragment))
        self.packets.append(packet)
        if continuation:
            frame = self.frames.get((handle, direction))
            if frame is None:
                return  # it began before the capture
        else:
            if len(fragment) < 4:
                return
            frame = self.frames[handle, direction] = Frame(needed=4 + struct.unpack_from("<H", fragment)[0])
        frame.data += fragment
        frame.packets.append(packet)
        kind = self.kind(handle, direction, struct.unpack_from("<H", frame.data, 2)[0])
        packet.kind = kind
        packet.anchor = kind == "channel"
        if len(frame.data) >= frame.needed:
            self.on_frame(handle, direction, frame)
            self.frames.pop((handle, direction), None)

    def kind(self, handle, direction, cid):
        if cid == CID_LE_SIGNALLING:
            return "signalling"
        if cid == CID_ATT:
            return "att"
        if cid == CID_SMP:
            return "smp"
        if cid >= FIRST_DYNAMIC_CID:
            return "att" if self.channels.get((handle, direction, cid)) == PSM_EATT else "channel"
        return "other"

    def on_frame(self, handle, direction, frame):
        cid, body, last = struct.unpack_from("<H", frame.data, 2)[0], bytes(frame.data[4:]), frame.packets[-1]
        if cid == CID_LE_SIGNALLING:
            self.on_signalling(handle, direction, body, last)
        elif last.kind == "channel":
            self.on_channel_data((handle, direction, cid), body, last)

    def on_channel_data(self, key, body, packet):
        left = self.sdu_left.get(key, 0)
        if left <= 0:
            if len(body) < 2:
                return
            left, body = struct.unpack_from("<H", body)[0], body[2:]
            packet.sdus = 1
        packet.payload = len(body)
        self.sdu_left[key] = left - len(body)

    def on_signalling(self, handle, direction, body, packet):
        if len(body) < 4:
            return
        code, identifier = body[0], body[1]
        values = body[4:]
        other = "rx" if direction == "tx" else "tx"
        if code == LE_CONNECTION_REQUEST and len(values) >= 10:
            psm, source = struct.unpack_from("<HH", values)
            self.requests[handle, direction, identifier] = (psm, [source])
            packet.anchor = packet.request = psm != PSM_EATT
        elif code == ENHANCED_REQUEST and len(values) >= 10:
            psm, sources = struct.unpack_from("<H", values)[0], words(values[8:])
            self.requests[handle, direction, identifier] = (psm, sources)
            packet.anchor = packet.request = psm != PSM_EATT
        elif code in (LE_CONNECTION_RESPONSE, ENHANCED_RESPONSE) and len(values) >= 8:
            self.on_response(handle, direction, other, (code, identifier, values), packet)
        elif code == CREDITS and len(values) >= 4:
            # The CID is the sender's own end, so frames from the other side are addressed to it.
            psm = self.channels.get((handle, other, struct.unpack_from("<H", values)[0]))
            packet.anchor = psm != PSM_EATT
        elif code == DISCONNECTION_RESPONSE and len(values) >= 4:
            # Not yet at the request, since data that was queued before it may follow it.
            destination, source = struct.unpack_from("<HH", values)
            for key in ((handle, other, destination), (handle, direction, source)):
                self.sdu_left.pop(key, None)

    def on_response(self, handle, direction, other, response, packet):
        code, identifier, values = response
        psm, sources = self.requests.pop((handle, other, identifier), (None, []))
        destinations = words(values[:2] if code == LE_CONNECTION_RESPONSE else values[8:])
        packet.anchor = psm != PSM_EATT
        for source, destination in zip(sources, destinations):
            # Each side addresses frames to the other's end.
            self.channels[handle, other, destination] = psm
            self.channels[handle, direction, source] = psm
            self.sdu_left.pop((handle, other, destination), None)
            self.sdu_left.pop((handle, direction, source), None)


def words(data):
    return list(struct.unpack_from(f"<{len(data) // 2}H", data))


def count(records, adapter, begin=None, end=None):
    """The counts for one adapter. Without limits: from the first to the last packet of credit-based channels."""
    dissector = Dissector(adapter)
    for record in records:
        dissector.feed(record)
    packets = dissector.packets
    if begin is None:
        begin = min((packet.time for packet in packets if packet.request), default=None)
        if begin is None and end is None:
            raise TraceError(f"no credit-based channel was requested on adapter {adapter}: give --from and --to")
    if end is None:
        end = max((packet.time for packet in packets if packet.anchor), default=None)
    chosen = [
        packet
        for packet in packets
        if (begin is None or packet.time >= begin) and (end is None or packet.time <= end)
    ]
    result = {
        "adapter": adapter,
        "begin": begin,
        "end": end,
        "microseconds": end - begin if begin is not None and end is not None else None,
        "packets": {},
        "sdus": {},
        "payload": {},
    }
    for direction in ("tx", "rx"):
        mine = [packet for packet in chosen if packet.direction == direction]
        result["packets"][direction] = {
            kind: {
                "count": sum(packet.kind == kind for packet in mine),
                "bytes": sum(packet.size for packet in mine if packet.kind == kind),
            }
            for kind in KINDS
        }
        result["packets"][direction]["total"] = {
            "count": len(mine),
            "bytes": sum(packet.size for packet in mine),
        }
        result["sdus"][direction] = sum(packet.sdus for packet in mine)
        result["payload"][direction] = sum(packet.payload for packet in mine)
    return result


def print_count(result):
    length = result["microseconds"]
    print(f"adapter {result['adapter']}" + (f", {length / 1e6:.6f} s" if length is not None else ""))
    print(f"{'':12}{'tx packets':>12}{'tx bytes':>12}{'rx packets':>12}{'rx bytes':>12}")
    for kind in (*KINDS, "total"):
        row = [result["packets"][direction][kind][what] for direction in ("tx", "rx") for what in ("count", "bytes")]
        print(f"{kind:12}" + "".join(f"{value:12}" for value in row))
    print(f"{'SDUs':12}{result['sdus']['tx']:12}{result['payload']['tx']:12}"
          f"{result['sdus']['rx']:12}{result['payload']['rx']:12}   (payload bytes on credit-based channels)")


# --- advertisements ------------------------------------------------------------------------------------------------


@dataclass
class AdvertisingSet:
    """The parameters of one advertising set; the only set of legacy commands has the handle None."""

    own_address_type: int = 0
    random_address: str = ""
    data: bytes = b""
    interval: tuple = (0, 0)


def address(data):
    return ":".join(f"{byte:02X}" for byte in reversed(data))


class AdvertisementList:
    """Converts commands and reports to a list of dictionaries."""

    def __init__(self):
        self.found = []
        self.public = {}  # adapter -> address
        self.random = {}  # adapter -> address of legacy commands and of scanning
        self.sets = {}  # (adapter, handle) -> AdvertisingSet

    def feed(self, record):
        data = record.data
        if record.opcode == COMMAND and len(data) >= 3:
            self.on_command(record, struct.unpack_from("<H", data)[0], data[3:])
        elif record.opcode == EVENT and len(data) >= 4:
            if data[0] == 0x3E and data[2] == 0x02:
                self.on_reports(record, data[3], data[4:], extended=False)
            elif data[0] == 0x3E and data[2] == 0x0D:
                self.on_reports(record, data[3], data[4:], extended=True)
            elif data[0] == 0x0E and data[3:5] == b"\x09\x10" and len(data) >= 12 and data[5] == 0:
                self.public[record.adapter] = address(data[6:12])

    def on_command(self, record, opcode, data):
        adapter = record.adapter
        if opcode == 0x2005:
            self.random[adapter] = address(data[:6])
            self.add(record, "random address", "random", self.random[adapter], None)
        elif opcode == 0x2006:
            advertised = self.set(adapter, None)
            advertised.interval = struct.unpack_from("<HH", data)
            advertised.own_address_type = data[5]
        elif opcode == 0x2008:
            self.on_data(record, None, data[1 : 1 + data[0]])
        elif opcode == 0x200A:
            self.on_enable(record, None, bool(data[0]))
        elif opcode == 0x2035:
            self.set(adapter, data[0]).random_address = address(data[1:7])
            self.add(record, "random address", "random", address(data[1:7]), None, handle=data[0])
        elif opcode == 0x2036:
            advertised = self.set(adapter, data[0])
            advertised.interval = tuple(int.from_bytes(data[at : at + 3], "little") for at in (3, 6))
            advertised.own_address_type = data[10]
        elif opcode == 0x2037:
            # Operation 3 is complete data. The operations for fragments do not occur below 252 bytes.
            self.on_data(record, data[0], data[4 : 4 + data[3]])
        elif opcode == 0x2039:
            handles = [data[2 + 4 * number] for number in range(data[1])]
            for handle in handles or [handle for owner, handle in self.sets if owner == adapter]:
                self.on_enable(record, handle, bool(data[0]))
        elif opcode == 0x203C:
            self.sets.pop((adapter, data[0]), None)
            self.add(record, "removed", None, None, None, handle=data[0])

    def set(self, adapter, handle):
        return self.sets.setdefault((adapter, handle), AdvertisingSet())

    def on_data(self, record, handle, data):
        self.set(record.adapter, handle).data = bytes(data)
        self.add(record, "data", *self.own_address(record.adapter, handle), bytes(data), handle=handle)

    def on_enable(self, record, handle, enabled):
        advertised = self.set(record.adapter, handle)
        self.add(
            record,
            "started" if enabled else "stopped",
            *self.own_address(record.adapter, handle),
            advertised.data if enabled else None,
            handle=handle,
            interval_ms=[value * 0.625 for value in advertised.interval] if enabled else None,
        )

    def own_address(self, adapter, handle):
        advertised = self.set(adapter, handle)
        if advertised.own_address_type in (0, 2):
            return "public", self.public.get(adapter, "")
        return "random", advertised.random_address or self.random.get(adapter, "")

    def on_reports(self, record, number, data, extended):
        for _ in range(number):
            head = 24 if extended else 9
            if len(data) < head:
                return
            if extended:
                event_type, address_type, peer = struct.unpack_from("<HB6s", data)
                length, rssi = data[23], struct.unpack_from("b", data, 13)[0]
                after = head + length
            else:
                event_type, address_type, peer, length = struct.unpack_from("<BB6sB", data)
                after = head + length + 1
                rssi = struct.unpack_from("b", data, head + length)[0] if len(data) >= after else 127
            self.add(
                record,
                "observed",
                {0: "public", 1: "random"}.get(address_type & 1),
                address(peer),
                data[head : head + length],
                event_type=event_type,
                rssi=rssi,
            )
            data = data[after:]

    def add(self, record, what, address_type, sender, data, **more):
        entry = {
            "time": record.time,
            "adapter": record.adapter,
            "what": what,
            "address_type": address_type,
            "address": sender,
            "data": None if data is None else bytes(data).hex(),
        }
        entry.update({key: value for key, value in more.items() if value is not None})
        self.found.append(entry)


def advertisements(records, adapter=None, begin=None, end=None):
    """The advertisements that were sent and received on one adapter, or on all."""
    listing = AdvertisementList()
    for record in records:
        try:
            listing.feed(record)
        except (IndexError, struct.error):
            continue  # a truncated command or event has no information
    return [
        entry
        for entry in listing.found
        if (adapter is None or entry["adapter"] == adapter)
        and (begin is None or entry["time"] >= begin)
        and (end is None or entry["time"] <= end)
    ]


def print_advertisements(entries):
    first = entries[0]["time"] if entries else 0
    for entry in entries:
        interval = entry.get("interval_ms")
        columns = (
            f"{(entry['time'] - first) / 1e6:11.6f}",
            f"hci{entry['adapter']}",
            f"{entry['what']:14}",
            f"{entry['address_type'] or '-':6}",
            entry["address"] or "-",
            entry["data"] if entry["data"] is not None else "",
            f"every {interval[0]:g}-{interval[1]:g} ms" if interval else "",
        )
        print(" ".join(columns).rstrip())


# --- command line --------------------------------------------------------------------------------------------------


def arguments(words_given):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("capture")
    parser.add_argument("--adapter", type=int, help="index of the controller (default: 0; all for --advertisements)")
    parser.add_argument("--from", dest="begin", metavar="MARK", help="count from this mark")
    parser.add_argument("--to", dest="end", metavar="MARK", help="count up to this mark")
    parser.add_argument("--marks", metavar="FILE", help='default: the file "marks" beside the capture')
    parser.add_argument("--advertisements", action="store_true", help="list advertisements instead of counting")
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser.parse_args(words_given)


def main(words_given=None):
    options = arguments(words_given)
    try:
        with open(options.capture, "rb") as file:
            records = read_capture(file.read())
        begin = end = None
        if options.begin or options.end:
            marks = read_marks(options.marks or os.path.join(os.path.dirname(options.capture), "marks"))
            begin = time_of_mark(marks, options.begin) if options.begin else None
            end = time_of_mark(marks, options.end) if options.end else None
        if options.advertisements:
            result = advertisements(records, options.adapter, begin, end)
            show = print_advertisements
        else:
            result = count(records, options.adapter or 0, begin, end)
            show = print_count
    except (OSError, ValueError, TraceError) as error:
        print(f"trace.py: {options.capture}: {error}", file=sys.stderr)
        return 1
    if options.json:
        json.dump(result, sys.stdout, indent=1)
        print()
    else:
        show(result)
    return 0


if __name__ == "__main__":
    sys.exit(main())
