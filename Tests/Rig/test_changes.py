#!/usr/bin/env python3
"""Tests of changes.py with lists built in memory: python3 Tests/Rig/test_changes.py"""

import unittest

from changes import measure, phases
from trace import TraceError

SECOND = 1000000


def sent(time, data, adapter=0):
    return {"time": int(time * SECOND), "adapter": adapter, "what": "data", "data": data}


def observed(time, data, adapter=1):
    return {"time": int(time * SECOND), "adapter": adapter, "what": "observed", "data": data}


class ChangesOfACapture(unittest.TestCase):
    def change(self, *entries):
        return measure(entries, 0, 1, 7, 1 * SECOND, 6 * SECOND)

    def test_a_change_has_the_times_since_its_beginning(self):
        found = self.change(sent(1.5, "ab"), observed(3.5, "ab"))
        self.assertEqual((found.advertised, found.received, found.shown, found.fault), (0.5, 2.5, 5, None))

    def test_what_was_advertised_before_the_beginning_does_not_count(self):
        found = self.change(sent(0.5, "aa"), observed(1.2, "aa"), sent(1.5, "ab"), observed(1.6, "aa"), observed(3, "ab"))
        self.assertEqual((found.advertised, found.received), (0.5, 2))

    def test_data_that_are_advertised_later_count_when_they_are_received(self):
        self.assertEqual(self.change(sent(1.5, "ab"), sent(2, "ac"), observed(2.5, "ac")).received, 1.5)

    def test_other_adapters_do_not_count(self):
        found = self.change(sent(1.5, "ab", adapter=1), observed(2, "ab", adapter=0))
        self.assertEqual((found.advertised, found.received), (None, None))

    def test_a_change_that_is_shown_and_was_not_received_is_a_fault(self):
        self.assertIn("change 7 was shown, and is not received", self.change(sent(1.5, "ab")).fault)
        self.assertIn("change 7 was shown, and is not advertised", self.change().fault)


class MarksOfAStory(unittest.TestCase):
    def test_each_change_is_between_two_marks(self):
        marks = [(1, "change 1 begins"), (2, "other"), (3, "change 1 is shown"), (4, "change 2 begins"), (9, "change 2 is shown")]
        self.assertEqual(phases(marks), [(1, 1, 3), (2, 4, 9)])

    def test_marks_without_a_change_are_an_error(self):
        with self.assertRaises(TraceError):
            phases([(1, "fetch-begins")])


if __name__ == "__main__":
    unittest.main()
