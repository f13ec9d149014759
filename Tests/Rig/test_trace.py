#!/usr/bin/env python3
"""Tests of trace.py with captures built in memory: python3 Tests/Rig/test_trace.py"""

import io
import json
import os
import struct
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader

# Loaded by path, since Python's standard library has a module named trace.
LOADER = SourceFileLoader("rig_trace", os.path.join(os.path.dirname(os.path.abspath(__file__)), "trace.py"))
SPEC = spec_from_loader(LOADER.name, LOADER)
subject = module_from_spec(SPEC)
sys.modules[LOADER.name] = subject
LOADER.exec_module(subject)

UNIX_2026 = 1767225600 * 1000000
PEER = bytes.fromhex("060504030201")  # 01:02:03:04:05:06 in the byte order of HCI


class Capture:
    """Builds a capture in the format of btmon -w, with one record per millisecond."""

    def __init__(self):
        self.time = UNIX_2026
        self.data = b"btsnoop\0" + struct.pack(">II", 1, subject.MONITOR_DATALINK)

    def add(self, opcode, data, adapter=0):
        flags = adapter << 16 | opcode
        time = self.time + subject.EPOCH_DIFFERENCE
        self.data += struct.pack(">IIIIq", len(data), len(data), flags, 0, time) + data
        self.time += 1000

    def connect(self, handle=0x40, adapter=0):
        values = struct.pack("<BHBB6sHHHB", 0, handle, 0, 0, PEER, 24, 0, 42, 0)
        self.add(subject.EVENT, bytes([0x3E, len(values) + 1, 0x01]) + values, adapter)

    def disconnect(self, handle=0x40):
        self.add(subject.EVENT, struct.pack("<BBBHB", 0x05, 4, 0, handle, 0x13))

    def acl(self, direction, fragment, first=True, handle=0x40, adapter=0):
        word = handle | (0 if first else 1) << 12
        opcode = subject.ACL_TX if direction == "tx" else subject.ACL_RX
        self.add(opcode, struct.pack("<HH", word, len(fragment)) + fragment, adapter)

    def frame(self, direction, cid, body, **more):
        self.acl(direction, struct.pack("<HH", len(body), cid) + body, **more)

    def signal(self, direction, code, identifier, values):
        self.frame(direction, 5, struct.pack("<BBH", code, identifier, len(values)) + values)

    def open_channel(self, psm=0x80, source=0x41, destination=0x52, direction="tx"):
        other = "rx" if direction == "tx" else "tx"
        self.signal(direction, 0x14, 7, struct.pack("<HHHHH", psm, source, 672, 247, 10))
        self.signal(other, 0x15, 7, struct.pack("<HHHHH", destination, 672, 247, 10, 0))

    def records(self):
        return subject.read_capture(self.data)


class Reading(unittest.TestCase):
    def test_times_and_indices_survive(self):
        capture = Capture()
        capture.add(subject.COMMAND, b"\x03\x0c\x00", adapter=3)
        self.assertEqual(capture.records(), [subject.Record(UNIX_2026, 3, subject.COMMAND, b"\x03\x0c\x00")])

    def test_a_record_cut_short_ends_the_capture(self):
        capture = Capture()
        capture.add(subject.COMMAND, b"\x03\x0c\x00")
        capture.add(subject.COMMAND, b"\x03\x0c\x00")
        for cut in (1, 3, 20):
            self.assertEqual(len(subject.read_capture(capture.data[:-cut])), 1)

    def test_other_files_are_refused(self):
        for data in (b"", b"not a capture, whatever", b"btsnoop\0" + struct.pack(">II", 1, 1002)):
            with self.assertRaises(subject.TraceError):
                subject.read_capture(data)


class Counting(unittest.TestCase):
    def test_kinds_directions_and_payload(self):
        capture = Capture()
        capture.connect()
        capture.frame("tx", 4, b"\x02\x05\x02")  # before the channel: not counted
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 5) + b"hello")
        capture.frame("rx", 4, b"\x03\x05\x02")
        capture.frame("rx", 6, b"\x0b\x01")
        capture.frame("rx", 0x41, struct.pack("<H", 3) + b"yes")
        capture.signal("tx", 0x16, 8, struct.pack("<HH", 0x41, 1))
        capture.frame("rx", 4, b"\x03\x05\x02")  # after the last packet of the channel: not counted
        result = subject.count(capture.records(), 0)
        packets = result["packets"]
        self.assertEqual(packets["tx"]["signalling"], {"count": 2, "bytes": 18 + 12})
        self.assertEqual(packets["rx"]["signalling"], {"count": 1, "bytes": 18})
        self.assertEqual(packets["tx"]["channel"], {"count": 1, "bytes": 11})
        self.assertEqual(packets["rx"]["channel"], {"count": 1, "bytes": 9})
        self.assertEqual(packets["tx"]["att"]["count"], 0)
        self.assertEqual(packets["rx"]["att"], {"count": 1, "bytes": 7})
        self.assertEqual(packets["rx"]["smp"], {"count": 1, "bytes": 6})
        self.assertEqual(packets["tx"]["total"], {"count": 3, "bytes": 41})
        self.assertEqual(result["payload"], {"tx": 5, "rx": 3})
        self.assertEqual(result["sdus"], {"tx": 1, "rx": 1})
        self.assertEqual(result["microseconds"], 6000)

    def test_an_sdu_of_several_frames_and_a_frame_of_several_packets(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        frame = struct.pack("<HHH", 2 + 100, 0x52, 150) + bytes(100)
        capture.acl("tx", frame[:27])
        capture.acl("tx", frame[27:54], first=False)
        capture.acl("tx", frame[54:], first=False)
        capture.frame("tx", 0x52, bytes(50))
        capture.frame("tx", 0x52, struct.pack("<H", 1) + b"x")
        result = subject.count(capture.records(), 0)
        self.assertEqual(result["packets"]["tx"]["channel"], {"count": 5, "bytes": 106 + 54 + 7})
        self.assertEqual(result["payload"]["tx"], 151)
        self.assertEqual(result["sdus"]["tx"], 2)

    def test_data_may_follow_the_request_to_close(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 200) + bytes(100))
        capture.signal("tx", 0x06, 9, struct.pack("<HH", 0x52, 0x41))
        capture.frame("tx", 0x52, bytes(100))
        capture.signal("rx", 0x07, 9, struct.pack("<HH", 0x52, 0x41))
        result = subject.count(capture.records(), 0)
        self.assertEqual((result["sdus"]["tx"], result["payload"]["tx"]), (1, 200))

    def test_an_sdu_left_unfinished_by_a_closed_channel_does_not_count_on(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 200) + bytes(100))
        capture.signal("rx", 0x06, 9, struct.pack("<HH", 0x41, 0x52))
        capture.signal("tx", 0x07, 9, struct.pack("<HH", 0x41, 0x52))
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        result = subject.count(capture.records(), 0)
        self.assertEqual((result["sdus"]["tx"], result["payload"]["tx"]), (2, 102))

    def test_a_channel_opened_by_the_peer(self):
        capture = Capture()
        capture.connect()
        capture.open_channel(direction="rx", source=0x60, destination=0x61)
        capture.frame("rx", 0x61, struct.pack("<H", 2) + b"hi")
        capture.frame("tx", 0x60, struct.pack("<H", 4) + b"back")
        self.assertEqual(subject.count(capture.records(), 0)["payload"], {"tx": 4, "rx": 2})

    def test_att_over_credit_based_channels_is_att(self):
        capture = Capture()
        capture.connect()
        request = struct.pack("<HHHHHH", 0x27, 64, 64, 10, 0x41, 0x42)
        capture.signal("tx", 0x17, 1, request)
        capture.signal("rx", 0x18, 1, struct.pack("<HHHHHH", 64, 64, 10, 0, 0x51, 0x52))
        capture.open_channel(source=0x43, destination=0x53)
        capture.frame("tx", 0x51, struct.pack("<H", 3) + b"\x02\x05\x02")
        capture.frame("rx", 0x42, struct.pack("<H", 3) + b"\x03\x05\x02")
        capture.frame("tx", 0x53, struct.pack("<H", 4) + b"ours")
        result = subject.count(capture.records(), 0)
        self.assertEqual(result["packets"]["tx"]["att"]["count"], 1)
        self.assertEqual(result["packets"]["rx"]["att"]["count"], 1)
        self.assertEqual(result["payload"], {"tx": 4, "rx": 0})
        self.assertEqual(result["begin"], UNIX_2026 + 3000)

    def test_another_adapter_is_not_counted(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        capture.frame("rx", 0x52, struct.pack("<H", 2) + b"hi", adapter=1)
        self.assertEqual(subject.count(capture.records(), 0)["packets"]["rx"]["channel"]["count"], 0)
        with self.assertRaisesRegex(subject.TraceError, "adapter 1"):
            subject.count(capture.records(), 1)

    def test_a_handle_used_again_starts_afresh(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 500) + b"never completed")
        capture.disconnect()
        capture.connect()
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        result = subject.count(capture.records(), 0)
        self.assertEqual(result["sdus"]["tx"], 2)
        self.assertEqual(result["payload"]["tx"], 15 + 2)

    def test_classic_connections_are_left_out(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        complete = struct.pack("<BBBH6sBB", 0x03, 11, 0, 0x99, PEER, 1, 0)
        capture.add(subject.EVENT, complete)
        capture.frame("tx", 0x40, b"of no interest", handle=0x99)
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        self.assertEqual(subject.count(capture.records(), 0)["packets"]["tx"]["total"]["count"], 2)

    def test_limits(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        begin = capture.time
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        end = capture.time - 1
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        result = subject.count(capture.records(), 0, begin, end)
        self.assertEqual(result["packets"]["tx"]["total"]["count"], 1)
        self.assertEqual(result["payload"]["tx"], 2)

    def test_rubbish_does_no_harm(self):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        for length in range(12):
            capture.acl("rx", bytes(length))
            capture.acl("rx", bytes(length), first=False)
            capture.add(subject.ACL_RX, bytes(length))
            capture.add(subject.EVENT, b"\x3e" + bytes(length))
            capture.frame("rx", 5, bytes([0x14] * length))
            capture.frame("rx", 0x41, bytes(length))
        subject.count(capture.records(), 0)
        subject.advertisements(capture.records())


class Advertisements(unittest.TestCase):
    def test_extended_commands(self):
        capture = Capture()
        parameters = struct.pack("<BH3s3sBB", 1, 0x13, b"\x00\x08\x00", b"\x00\x08\x00", 7, 1) + bytes(14)
        for opcode, data in (
            (0x2036, parameters),
            (0x2035, b"\x01" + PEER),
            (0x2037, b"\x01\x03\x01\x03\x02\x01\x06"),
            (0x2039, b"\x01\x01\x01\x00\x00\x00"),
            (0x2039, b"\x00\x01\x01\x00\x00\x00"),
        ):
            capture.add(subject.COMMAND, struct.pack("<HB", opcode, len(data)) + data)
        found = subject.advertisements(capture.records())
        self.assertEqual([entry["what"] for entry in found], ["random address", "data", "started", "stopped"])
        started = found[2]
        self.assertEqual((started["address_type"], started["address"]), ("random", "01:02:03:04:05:06"))
        self.assertEqual(started["data"], "020106")
        self.assertEqual(started["interval_ms"], [1280, 1280])

    def test_legacy_commands_and_the_public_address(self):
        capture = Capture()
        capture.add(subject.EVENT, b"\x0e\x0a\x01\x09\x10\x00" + PEER)
        for opcode, data in (
            (0x2006, struct.pack("<HHBBB6sBB", 160, 240, 0, 0, 0, bytes(6), 7, 0)),
            (0x2008, b"\x03\x02\x01\x06" + bytes(28)),
            (0x200A, b"\x01"),
        ):
            capture.add(subject.COMMAND, struct.pack("<HB", opcode, len(data)) + data)
        started = subject.advertisements(capture.records(), adapter=0)[-1]
        self.assertEqual((started["address_type"], started["address"]), ("public", "01:02:03:04:05:06"))
        self.assertEqual((started["data"], started["interval_ms"]), ("020106", [100, 150]))

    def test_reports(self):
        capture = Capture()
        one = struct.pack("<BB6sB", 0, 1, PEER, 3) + b"\x02\x01\x06" + b"\xce"
        capture.add(subject.EVENT, bytes([0x3E, 2 + 2 * len(one), 0x02, 2]) + one + one, adapter=1)
        extended = struct.pack("<HB6sBBBbbHB6sB", 0x13, 0, PEER, 1, 0, 0xFF, 127, -60, 0, 0, bytes(6), 2) + b"\x01\x09"
        capture.add(subject.EVENT, bytes([0x3E, 2 + len(extended), 0x0D, 1]) + extended, adapter=1)
        found = subject.advertisements(capture.records())
        self.assertEqual([(entry["data"], entry["rssi"]) for entry in found], [("020106", -50)] * 2 + [("0109", -60)])
        self.assertEqual([entry["address_type"] for entry in found], ["random", "random", "public"])
        self.assertEqual(subject.advertisements(capture.records(), adapter=0), [])


class CommandLine(unittest.TestCase):
    def run_main(self, *words, marks=""):
        capture = Capture()
        capture.connect()
        capture.open_channel()
        capture.frame("tx", 0x52, struct.pack("<H", 2) + b"hi")
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "hci.btsnoop")
            with open(path, "wb") as file:
                file.write(capture.data)
            with open(os.path.join(directory, "marks"), "w", encoding="utf-8") as file:
                file.write(marks)
            out, err = io.StringIO(), io.StringIO()
            with redirect_stdout(out), redirect_stderr(err):
                status = subject.main([*words, path])
        return status, out.getvalue(), err.getvalue()

    def test_json_and_table(self):
        status, out, _ = self.run_main("--json")
        self.assertEqual((status, json.loads(out)["payload"]), (0, {"tx": 2, "rx": 0}))
        status, out, _ = self.run_main()
        self.assertEqual(status, 0)
        self.assertIn("signalling", out)

    def test_marks(self):
        marks = f"{UNIX_2026 + 2500} first\n{UNIX_2026 + 9000} last one\n"
        status, out, _ = self.run_main("--json", "--from", "first", "--to", "last one", marks=marks)
        self.assertEqual((status, json.loads(out)["packets"]["rx"]["total"]["count"]), (0, 0))
        status, _, err = self.run_main("--from", "unknown", marks=marks)
        self.assertEqual(status, 1)
        self.assertIn("'first', 'last one'", err)


if __name__ == "__main__":
    unittest.main()
