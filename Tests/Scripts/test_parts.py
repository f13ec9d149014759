#!/usr/bin/env python3
"""Tests of parts.py and recorded_issues.py: python3 Tests/Scripts/test_parts.py"""

import io
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

from parts import HEADING, Run, explanation, read, report, startable
from recorded_issues import RecordedIssues

HERE = pathlib.Path(__file__).parent


def described(*parts):
    """The parts as strings that end with zero bytes; each is given as how it runs, its name and a line for a shell."""
    words = [word for kind, name, line in parts for word in (kind, name, "3", "sh", "-c", line)]
    return "".join(f"{word}\0" for word in words).encode()


def listed(*parts):
    return read(io.BytesIO(described(*parts)))


def of_kinds(kinds):
    """Parts with the names a, b, c … of these kinds."""
    return listed(*((kind, chr(ord("a") + index), "true") for index, kind in enumerate(kinds.split())))


class Order(unittest.TestCase):
    def names(self, parts, running, at_once):
        waiting = [part for part in parts if part not in running and part.status is None]
        return "".join(part.name for part in startable(waiting, running, at_once))

    def test_as_many_as_there_are_places(self):
        parts = of_kinds("part part part")
        self.assertEqual(self.names(parts, [], 1), "a")
        self.assertEqual(self.names(parts, [], 2), "ab")
        self.assertEqual(self.names(parts, parts[:1], 2), "b")
        self.assertEqual(self.names(parts, parts[:2], 2), "")

    def test_one_that_measures_time_runs_alone_and_is_not_overtaken(self):
        parts = of_kinds("part alone part")
        self.assertEqual(self.names(parts, [], 4), "a")
        parts[0].status = 0
        self.assertEqual(self.names(parts, [], 4), "b")
        self.assertEqual(self.names(parts, [parts[1]], 4), "")

    def test_two_guests_take_two_places(self):
        parts = of_kinds("part pair part")
        self.assertEqual(self.names(parts, [], 2), "a")
        self.assertEqual(self.names(parts, [], 3), "ab")
        parts[0].status = 0
        self.assertEqual(self.names(parts, [], 1), "b")

    def test_what_reads_results_waits_for_their_part_and_takes_no_place(self):
        parts = of_kinds("part reader reader part alone")
        self.assertEqual(self.names(parts, [], 1), "a")
        self.assertEqual(self.names(parts, [], 2), "ad")
        parts[0].status = 1
        self.assertEqual(self.names(parts, [], 1), "b")
        self.assertEqual(self.names(parts, [parts[3]], 2), "bc")

    def test_what_goes_on_aside_takes_no_place_and_keeps_nothing_waiting(self):
        parts = of_kinds("aside alone aside part")
        self.assertEqual(self.names(parts, [], 1), "abc")
        self.assertEqual(self.names(parts, parts[:1], 2), "bc")
        self.assertEqual(self.names(parts, [parts[0], parts[1]], 2), "c")

    def test_what_reads_results_of_a_part_that_is_left_out_waits_for_nothing(self):
        parts = of_kinds("part reader")
        parts[0].is_chosen = False
        self.assertEqual("".join(part.name for part in startable(parts[1:], [], 2)), "b")


class Running(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.shown = []

    def run_parts(self, at_once, *parts):
        """Runs parts and returns the exit status of their report."""
        run = Run(list(parts), at_once, self.directory, self.shown.append)
        run.run()
        return report(parts, run, self.directory, self.shown.append)

    def pipe(self, name):
        os.mkfifo(self.directory / name)
        return self.directory / name

    def test_parts_run_side_by_side_and_their_outputs_are_not_mixed(self):
        there, back = self.pipe("there"), self.pipe("back")
        one = f"echo one; echo > {there}; read line < {back}; echo one again"
        other = f"read line < {there}; echo other; echo > {back}; echo other again"
        status = self.run_parts(2, *listed(("part", "first", one), ("part", "second", other)))
        self.assertEqual(status, 0)
        self.assertIn("one\none again", self.shown)
        self.assertIn("other\nother again", self.shown)
        self.assertEqual(self.shown[-1], "2 passed, 0 failed, 0 skipped")

    def test_one_after_the_other_each_line_is_shown_as_it_comes(self):
        parts = listed(("part", "first", "echo one; echo two >&2"), ("reader", "second", f"cat {self.directory}/parts/1.log"))
        self.assertEqual(self.run_parts(1, *parts), 0)
        self.assertEqual(self.shown[:3], ["== first", "one", "two"])
        self.assertEqual(self.shown[4:7], ["== second", "one", "two"])

    def test_a_part_that_fails_is_explained_and_the_others_run(self):
        line = "echo '  … it begins'; echo noise; echo 'ValueError: no'; exit 3"
        status = self.run_parts(2, *listed(("part", "first", line), ("part", "second", "true")))
        self.assertEqual(status, 1)
        self.assertIn("== FAILED: first\n      … it begins\n    ValueError: no", self.shown)
        self.assertEqual(self.shown[-1], "1 passed, 1 failed, 0 skipped")

    def test_the_issues_that_a_part_lists_are_in_its_explanation(self):
        part, = listed(("part", "first", "echo '    | Expectation failed'; echo noise; echo '0 passed, 1 failed'; exit 1"))
        self.assertEqual(self.run_parts(1, part), 1)
        self.assertIn("== FAILED: first\n        | Expectation failed", self.shown)

    def test_an_issue_ends_where_the_next_line_of_a_test_begins_and_of_a_long_one_the_ends_are_kept(self):
        issues = RecordedIssues()
        long = [f"line {number}" for number in range(100)]
        for line in ["✔ Test \"A\" passed", "✘ Test \"B\" recorded an issue at B.swift:3", *long, "◇ Test \"C\" started.", "noise"]:
            issues.read(line + "\n")
        found = list(issues.lines())
        self.assertEqual(found[:2] + found[-1:], ["✘ Test \"B\" recorded an issue at B.swift:3", "line 0", "line 99"])
        self.assertIn("… 61 lines …", found)

    def test_what_a_part_says_of_its_tests_is_in_the_table_and_in_the_sum(self):
        line = "echo '1 passed, 0 failed'; echo '40 passed, 2 failed, 1 skipped'; echo '  again: repeat those'; exit 1"
        parts = listed(("part", "first", line), ("part", "second", "true"))
        self.assertEqual(self.run_parts(2, *parts), 1)
        self.assertRegex(self.table()["first"], r"^ +40 +2 +1 +\d+ +\d+   first  FAILED$")
        self.assertRegex(self.table()["second"], r"^ +1 +0 +0 +\d+ +\d+   second$")
        self.assertEqual(self.shown[-2:], ["again: repeat those", "41 passed, 2 failed, 1 skipped"])

    def test_the_steps_of_a_story_count_and_one_that_fails_is_run_again_as_a_whole(self):
        part, = listed(("part", "first", "echo '  ✓ one: 3 ms'; echo 'A|  ✓ two: 4 ms'; echo '  … three'; exit 1"))
        part.repetition = "run it again"
        self.assertEqual(self.run_parts(1, part), 1)
        self.assertEqual(self.shown[-2:], ["again: run it again", "2 passed, 1 failed, 0 skipped"])

    def test_a_part_that_ends_early_has_failed_whatever_it_has_counted(self):
        part, = listed(("part", "first", "echo '40 passed, 0 failed, 0 skipped'; exit 139"))
        self.assertEqual(self.run_parts(1, part), 1)
        self.assertEqual(self.shown[-1], "40 passed, 1 failed, 0 skipped")

    def test_a_part_does_not_run_without_what_it_needs_and_the_others_do(self):
        build, needy, needier, other = parts = listed(*(
            ("part", name, line) for name, line in zip(["build", "needy", "needier", "other"], ["false", *["touch $0"] * 3])
        ))
        build.is_test = False
        needy.needs, needier.needs = [build], [needy]
        for part in parts[1:]:
            part.command.append(str(self.directory / part.name))
        self.assertEqual(self.run_parts(1, *parts), 1)
        self.assertEqual([(self.directory / part.name).exists() for part in parts], [False, False, False, True])
        self.assertEqual(self.shown[-1], "1 passed, 3 failed, 0 skipped")
        self.assertIn("since this failed: build", "\n".join(self.shown))

    def table(self):
        """The lines of the table by the names of the parts."""
        lines = self.shown[self.shown.index(HEADING) + 1:]
        return {line.split("   ")[-1].split("  ")[0]: line for line in lines if "   " in line}

    def test_the_explanation_has_two_steps_and_six_reasons(self):
        log = self.directory / "log"
        log.write_text("".join(f"  ✓ step {number}\nError {number}\n" for number in range(9)))
        self.assertEqual(len(explanation(log).splitlines()), 8)
        self.assertEqual(explanation(self.directory / "none"), "")

    def test_the_time_of_processors_is_that_of_all_processes_of_a_part(self):
        busy = "import time\nwhile time.process_time() < 0.3: pass"
        part, = listed(("part", "first", f'{sys.executable} -c "{busy}"; true'))
        self.run_parts(1, part)
        self.assertGreaterEqual(part.processor, 0.3)

    def test_a_signal_ends_the_parts_that_run_and_awaits_their_end(self):
        ready = self.pipe("ready")
        line = f"trap 'echo cleaned > {self.directory}/end; exit 1' TERM; echo > {ready}; while :; do read x < {ready}; done"
        for at_once in ("1", "2"):
            with self.subTest(at_once):
                program = subprocess.Popen(
                    [sys.executable, HERE / "parts.py", self.directory, "--at-once", at_once],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                )
                program.stdin.write(described(("part", "first", line)))
                program.stdin.close()
                ready.read_text()
                program.send_signal(signal.SIGTERM)
                self.assertEqual(program.wait(), 128 + signal.SIGTERM)
                self.assertEqual((self.directory / "end").read_text(), "cleaned\n")
                (self.directory / "end").unlink()

    def test_a_part_that_has_ended_when_the_signal_comes_is_awaited(self):
        def show(line):
            if line == "== begins: second":
                os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
                run.stop()

        parts = listed(("part", "first", "true"), ("part", "second", "true"))
        run = Run(parts, 2, self.directory, show)
        run.run()
        self.assertEqual(parts[0].status, 0)

    def test_a_pattern_that_no_name_has_fails(self):
        command = [sys.executable, HERE / "parts.py", self.directory, "--at-once", "1", "--only", "^third"]
        program = subprocess.run(command, input=described(("part", "first", "true")), capture_output=True)
        self.assertEqual(program.returncode, 1)
        self.assertIn(b"no part has a name like ^third", program.stderr)

    def test_a_part_that_is_not_chosen_is_counted(self):
        command = [sys.executable, HERE / "parts.py", self.directory, "--at-once", "2", "--only", "^f"]
        parts = described(("part", "first", "true"), ("part", "second", "false"))
        program = subprocess.run(command, input=parts, capture_output=True, text=False)
        self.assertEqual(program.returncode, 0)
        self.assertIn(b"1 passed, 0 failed, 1 skipped", program.stdout)


if __name__ == "__main__":
    unittest.main()
