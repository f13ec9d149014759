#!/usr/bin/env python3
"""Tests of scanning.py with captures built in memory: python3 Tests/Rig/test_scanning.py"""

import contextlib
import io
import os
import struct
import sys
import tempfile
import unittest
from unittest import mock

import scanning
from scanning import ENABLE, EXTENDED_ENABLE, EXTENDED_PARAMETERS, INDEX_CLOSED, MARGIN, PARAMETERS, RESET
from scanning import Policy, measure, scans
from trace import COMMAND, EPOCH_DIFFERENCE, EVENT, MONITOR_DATALINK, Record, TraceError

SECOND = 1000000
FOURTH = Policy.of("1/4")
ON, OFF = b"\x01\x00", b"\x00\x00"
EXTENDED_ON, EXTENDED_OFF = ON + bytes(4), OFF + bytes(4)


class Controller:
    """Builds records of commands and their confirmations."""

    def __init__(self, opcode=ENABLE):
        self.records = []
        self._opcode = opcode

    def command(self, time, opcode, values, status=0, adapter=0):
        """A command, and its confirmation at the same time."""
        self.records.append(Record(time, adapter, COMMAND, struct.pack("<HB", opcode, len(values)) + values))
        self.event(time, struct.pack("<BBBHB", scanning.COMMAND_COMPLETE, 4, 1, opcode, status), adapter)

    def event(self, time, data, adapter=0):
        self.records.append(Record(time, adapter, EVENT, data))

    def scan(self, begin, end, **more):
        """A scan between two times in seconds."""
        on, off = (ON, OFF) if self._opcode == ENABLE else (EXTENDED_ON, EXTENDED_OFF)
        self.command(int(begin * SECOND), self._opcode, on, **more)
        self.command(int(end * SECOND), self._opcode, off, **more)

    def found(self):
        return [(scan.begin / SECOND, scan.end / SECOND) for scan in scans(self.records, 0)]


class ScansOfACapture(unittest.TestCase):
    def test_both_kinds_of_commands(self):
        for opcode in (ENABLE, EXTENDED_ENABLE):
            controller = Controller(opcode)
            controller.scan(1, 2)
            controller.scan(5, 6.5)
            self.assertEqual(controller.found(), [(1, 2), (5, 6.5)])

    def test_a_scan_begins_when_the_controller_confirms_it(self):
        controller = Controller()
        controller.records.append(Record(SECOND, 0, COMMAND, struct.pack("<HB", ENABLE, 2) + ON))
        confirmation = struct.pack("<BBBHB", scanning.COMMAND_COMPLETE, 4, 1, ENABLE, 0)
        controller.event(3 * SECOND, confirmation)
        controller.command(4 * SECOND, ENABLE, OFF)
        self.assertEqual(controller.found(), [(3, 4)])

    def test_a_refused_command_changes_nothing(self):
        controller = Controller()
        controller.command(0, ENABLE, ON, status=0x0C)
        controller.scan(1, 2)
        controller.command(3 * SECOND, ENABLE, ON)
        controller.command(4 * SECOND, ENABLE, OFF, status=0x0C)
        controller.command(5 * SECOND, ENABLE, OFF)
        self.assertEqual(controller.found(), [(1, 2), (3, 5)])

    def test_a_scan_that_is_enabled_again_goes_on(self):
        controller = Controller()
        controller.command(1 * SECOND, ENABLE, ON)
        controller.command(2 * SECOND, ENABLE, ON)
        controller.command(3 * SECOND, ENABLE, OFF)
        self.assertEqual(controller.found(), [(1, 3)])

    def test_a_scan_ends_with_its_own_time_the_adapter_or_the_capture(self):
        ends = {
            "reset": lambda c: c.command(2 * SECOND, RESET, b""),
            "timeout": lambda c: c.event(2 * SECOND, bytes([scanning.LE_META, 1, scanning.SCAN_TIMEOUT])),
            "closed": lambda c: c.records.append(Record(2 * SECOND, 0, INDEX_CLOSED, b"")),
            "capture": lambda c: c.event(2 * SECOND, b"\x05\x04\x00\x40\x00\x13"),
        }
        for name, end in ends.items():
            controller = Controller()
            controller.command(SECOND, ENABLE, ON)
            end(controller)
            self.assertEqual(controller.found(), [(1, 2)], name)

    def test_other_adapters_do_not_count(self):
        controller = Controller()
        controller.scan(1, 2, adapter=1)
        self.assertEqual(controller.found(), [])

    def test_the_receiver_is_on_for_the_window_of_each_interval(self):
        controller = Controller()
        controller.command(0, PARAMETERS, struct.pack("<BHHBB", 1, 96, 48, 0, 0))
        controller.scan(1, 2)
        controller.command(0, EXTENDED_PARAMETERS, struct.pack("<BBBBHH", 0, 0, 1, 1, 80, 20))
        controller.scan(3, 4)
        self.assertEqual([scan.duty for scan in scans(controller.records, 0)], [0.5, 0.25])


class Shares(unittest.TestCase):
    def phase(self, policy, windows, seconds=40):
        controller = Controller()
        for begin, end in windows:
            controller.scan(begin, end)
        return measure(scans(controller.records, 0), "rest", policy, 0, seconds * SECOND)

    def test_only_the_part_within_the_phase_counts(self):
        phase = self.phase(FOURTH, [(-5, 5), (10, 11), (35, 50)])
        self.assertEqual((phase.share, phase.windows, phase.seconds), (11 / 40, 2, 40))

    def test_a_window_in_each_period_is_no_fault(self):
        self.assertIsNone(self.phase(FOURTH, [(at, at + 1) for at in range(0, 40, 4)]).fault)

    def test_the_margin_for_bluetoothd_is_no_fault_and_more_is(self):
        period = 4 + MARGIN
        begins = [number * period for number in range(8)]
        for length, is_fault in ((1 + MARGIN - 0.01, False), (1 + MARGIN + 0.01, True)):
            phase = self.phase(FOURTH, [(begin, begin + length) for begin in begins], 8 * period)
            self.assertEqual(phase.fault is not None, is_fault, length)

    def test_too_little_is_a_fault(self):
        self.assertIn("only 2.5%", self.phase(FOURTH, [(0, 1)]).fault)
        self.assertIn("only 0.0%", self.phase(Policy.of("continuous"), []).fault)

    def test_nothing_is_allowed_where_the_policy_is_none(self):
        self.assertIsNone(self.phase(Policy.of("none"), []).fault)
        self.assertIn("more than 0.0%", self.phase(Policy.of("none"), [(1, 1.1)]).fault)

    def test_what_is_no_share(self):
        for text in ("", "1", "4/1", "0/4", "x/y", "1/4/5", "all"):
            with self.assertRaises(TraceError):
                Policy.of(text)

    def test_a_phase_that_ends_before_it_begins(self):
        with self.assertRaises(TraceError):
            measure([], "rest", FOURTH, 5, 5)


class CommandLine(unittest.TestCase):
    def run_with(self, windows, *phases):
        """The exit status, and what is printed to standard output and standard error."""
        controller = Controller()
        for begin, end in windows:
            controller.scan(begin, end)
        capture = b"btsnoop\0" + struct.pack(">II", 1, MONITOR_DATALINK)
        for record in controller.records:
            capture += struct.pack(
                ">IIIIq", len(record.data), len(record.data), record.opcode, 0, record.time + EPOCH_DIFFERENCE
            ) + record.data
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "hci.btsnoop")
            with open(path, "wb") as file:
                file.write(capture)
            with open(os.path.join(directory, "marks"), "w", encoding="utf-8") as file:
                file.write(f"0 at rest begins\n{40 * SECOND} at rest ends\n")
            output, errors = io.StringIO(), io.StringIO()
            with mock.patch.object(sys, "argv", ["scanning.py", path, *phases]), \
                    contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
                try:
                    status = scanning.main()
                except SystemExit as exit_:
                    status = exit_.code
            return status, output.getvalue(), errors.getvalue()

    def test_a_table_with_a_row_for_each_phase(self):
        status, output, errors = self.run_with([(at, at + 1) for at in range(1, 40, 4)], "at rest=1/4")
        self.assertEqual((status, errors), (0, ""))
        self.assertIn("| at rest | 1/4 | 40.0 | 10 | 25.0% | 33.3% | 25.0% |", output)

    def test_a_share_that_is_too_large_fails(self):
        status, _, errors = self.run_with([(1, 39)], "at rest=1/4")
        self.assertEqual(status, 1)
        self.assertIn("FAILED: at rest: 95.0% of the time", errors)

    def test_a_phase_without_marks_fails(self):
        status, _, _ = self.run_with([(1, 2)], "paused=none")
        self.assertIn("no mark 'paused begins'", status)


if __name__ == "__main__":
    unittest.main()
