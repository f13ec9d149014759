#!/usr/bin/env python3
"""Tests of slots.py: python3 Tests/Rig/test_slots.py"""

import unittest

from slots import SERVICE, SLOT_MICROSECONDS, links, service_data, advertisements_by_slot

SEALED = [bytes(range(start, start + 10)) for start in (0, 100, 200)]


def by_slot(*entries):
    """{slot: {…}} with one advertisement in each."""
    return {slot: {entry} for slot, entry in enumerate(entries)}


class Slots(unittest.TestCase):
    def test_nothing_in_common(self):
        entries = [("random", str(number), sealed) for number, sealed in enumerate(SEALED)]
        self.assertEqual(links(by_slot(*entries), False), [])

    def test_an_address_that_stays(self):
        entries = [("random", "same", sealed) for sealed in SEALED]
        self.assertEqual(links(by_slot(*entries), False)[0], "slots 0 and 1 have the same address: same")
        self.assertEqual(links(by_slot(*entries), True), [])

    def test_a_public_address(self):
        entries = [("public", str(number), sealed) for number, sealed in enumerate(SEALED)]
        self.assertEqual(len(links(by_slot(*entries), False)), 3)
        self.assertEqual(len(links(by_slot(*entries), True)), 1)

    def test_four_bytes_that_stay(self):
        last = bytes(6) + SEALED[0][3:7]
        entries = [("random", str(number), sealed) for number, sealed in enumerate([*SEALED[:2], last])]
        self.assertEqual(links(by_slot(*entries), False), ["slots 0 and 2 have the same bytes: 03040506"])

    def test_too_little_to_show_anything(self):
        self.assertEqual(len(links(by_slot(("random", "0", SEALED[0])), False)), 1)

    def test_where_the_sealed_bytes_stand(self):
        data = b"\x02\x01\x06" + bytes([27, 0x21]) + SERVICE + SEALED[0]
        self.assertEqual(service_data(data), SEALED[0])
        self.assertIsNone(service_data(data[:3]))
        entry = {"what": "started", "data": data.hex(), "time": 5 * SLOT_MICROSECONDS, "address_type": "random",
                 "address": "a"}
        self.assertEqual(advertisements_by_slot([entry, {**entry, "what": "data"}], {5: entry["time"]}),
                         {5: {("random", "a", SEALED[0])}})

    def test_one_that_was_sealed_just_before_the_slot_began(self):
        def begun(seconds, sealed, address):
            data = bytes([27, 0x21]) + SERVICE + sealed
            return {"what": "started", "data": data.hex(), "time": 6 * SLOT_MICROSECONDS + int(seconds * 1000000),
                    "address_type": "random", "address": address}

        begins = {5: 5 * SLOT_MICROSECONDS, 6: 6 * SLOT_MICROSECONDS}
        before, after = begun(-1, SEALED[0], "a"), begun(3, SEALED[1], "c")
        five, six = {("random", "a", SEALED[0])}, {("random", "c", SEALED[1])}
        late = ("random", "b", SEALED[0])
        self.assertEqual(advertisements_by_slot([before, begun(0.1, SEALED[0], "b"), after], begins),
                         {5: five | {late}, 6: six})
        self.assertEqual(advertisements_by_slot([before, begun(2.5, SEALED[0], "b"), after], begins),
                         {5: five, 6: six | {late}})


if __name__ == "__main__":
    unittest.main()
