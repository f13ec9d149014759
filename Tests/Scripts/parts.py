#!/usr/bin/env python3
"""Runs the parts of a long test, several of them side by side, and reports how each ended.

    Tests/Scripts/parts.py RESULTS --at-once N [--only PATTERN] < PARTS

Tests/Scripts/run-bluez-tests lists the parts. Each is on standard input as strings that end with a zero byte: how it
runs, its name, the number of words of its command, and these words. How it runs:

    part     as soon as there is a place for it
    pair     the same, but it takes two places, since it runs two guests
    alone    while no other part runs, since it measures time
    reader   after the part before it in the list, whose results it reads; it takes no place
    aside    at once, beside any other, with what these leave of the processors; it takes no place

A place is that of a guest. The output of a part that runs alone is shown as it comes; of others, as a whole when the part
has ended. A part that is not chosen is shown and counted; those that read its results find those of an earlier run.

A part may print how many tests it has run, as "3 passed, 1 failed, 0 skipped" alone on a line, of which the last one
counts, and commands that run again what failed, each on a line after "again: ". Of a part that prints no such line, the
steps count that it prints with a check mark; one without steps is one test. Why tests failed it may print after "| ".
"""

import argparse
import contextlib
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

# The last steps of a part, and the lines that say why it failed. CI keeps only the end of most logs.
STEP = re.compile(r"^([AB]\|)? *(…|✓)|^begin |^met ")
REASON = re.compile(r"FAILED|LINKED|^broken|Error|rig: .*(no end|failed|stopped|did not)")
ISSUE = re.compile(r"^ *\| ")
COUNTS = re.compile(rb"^(?:\S+: )?(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$", re.MULTILINE)
STEP_PASSED = re.compile("^([AB]\\|)? *✓".encode(), re.MULTILINE)
AGAIN = re.compile(rb"^ *again: (.+)$", re.MULTILINE)
HEADING = f"{'passed':>6} {'failed':>7} {'skipped':>8} {'seconds':>8} {'CPU':>6}   part"


@dataclasses.dataclass
class Part:
    """A part, and how it ended."""

    kind: str
    name: str
    command: list
    number: int
    before: "Part | None" = None
    # What it cannot do without: it does not run, and has failed, when one of these parts failed.
    needs: list = dataclasses.field(default_factory=list)
    # Whether it runs tests, which count; others prepare something.
    is_test: bool = True
    is_chosen: bool = True
    began: float = 0
    status: "int | None" = None
    seconds: float = 0
    processor: float = 0
    # How many tests passed, failed and were skipped, and the commands that run again what failed.
    counts: tuple = (0, 0, 0)
    again: list = dataclasses.field(default_factory=list)
    # The command that runs it again, where it names none.
    repetition: str = ""

    @property
    def places(self):
        return {"reader": 0, "aside": 0, "pair": 2}.get(self.kind, 1)

    @property
    def is_over(self):
        return not self.is_chosen or self.status is not None

    @property
    def is_blocked(self):
        """Whether something that it needs has failed, so that it will not run."""
        return any(part.status or part.is_blocked for part in self.needs)

    def end(self, status, output):
        """Notes how it ended: its exit status, and what its output says of its tests."""
        self.status = status
        found = COUNTS.findall(output)
        steps = len(STEP_PASSED.findall(output)) or int(not status)
        passed, failed, skipped = (int(number or 0) for number in found[-1]) if found else (steps, 0, 0)
        self.counts = passed, max(failed, int(bool(status))), skipped
        named = [line.decode(errors="replace") for line in AGAIN.findall(output)]
        self.again = (named or [self.repetition] * bool(self.repetition)) if status else []

    @property
    def line(self):
        """Its line in the table: its tests, the time from its begin to its end, and that of processors, for all its processes."""
        if not self.is_chosen:
            return f"{'not run':>39}   {self.name}"
        counts = [str(count) for count in self.counts] if self.is_test or self.status else ["", "", ""]
        times = f"{self.seconds:8.0f} {self.processor:6.0f}"
        return "{:>6} {:>7} {:>8}".format(*counts) + f" {times}   {self.name}" + ("  FAILED" if self.status else "")


def read(stream):
    """The parts on a stream, as the text above describes it."""
    words = stream.read().decode().split("\0")[:-1]
    parts, readable, index = [], None, 0
    while index < len(words):
        kind, name, count = words[index], words[index + 1], int(words[index + 2])
        if kind not in ("part", "pair", "alone", "reader", "aside"):
            raise ValueError(f"no kind of part: {kind}")
        part = Part(kind, name, words[index + 3:index + 3 + count], len(parts) + 1)
        if kind == "reader":
            part.before = readable
        else:
            readable = part
        parts.append(part)
        index += 3 + count
    return parts


def startable(waiting, running, at_once):
    """The parts that can start beside those that run, in the order of the list; none overtakes one that has no place."""
    chosen = []
    for part in waiting:
        if part.before and not part.before.is_over or not all(other.is_over for other in part.needs):
            continue
        if not has_room(part, running + chosen, at_once):
            break
        chosen.append(part)
    return chosen


def has_room(part, beside, at_once):
    """Whether a part can run beside others."""
    if part.kind == "aside":
        return True
    others = [other for other in beside if other.kind != "aside"]
    if at_once == 1:
        return not others
    if part.kind == "reader":
        return True
    guests = [other for other in others if other.kind != "reader"]
    if not guests:
        return True
    if "alone" in [part.kind, *(other.kind for other in guests)]:
        return False
    return part.places + sum(other.places for other in guests) <= at_once


class Run:
    """Runs parts, `at_once` of them side by side."""

    def __init__(self, parts, at_once, results, show):
        self.parts, self._at_once, self._show = parts, at_once, show
        self._logs = pathlib.Path(results) / "parts"
        # The parts that run, by the ids of their processes.
        self._running = {}
        # The ids of processes that were told to end.
        self._ended = set()
        self.is_stopped = False

    def run(self):
        """Runs all parts that are chosen, or those that have begun before ``stop``; returns when all have ended."""
        self._logs.mkdir(parents=True, exist_ok=True)
        waiting = [part for part in self.parts if part.is_chosen]
        while self._running or waiting and not self.is_stopped:
            running = [part for _, part in self._running.values()]
            for part in startable(waiting, running, self._at_once) if not self.is_stopped else []:
                waiting.remove(part)
                self._start_or_refuse(part)
            if self._running:
                self._await_one()

    def stop(self):
        """Begins no more parts, and ends those that run; a handler of a signal may call it at any time."""
        self.is_stopped = True
        for process, _ in list(self._running.values()):
            self._end(process)

    def _end(self, process):
        """Ends a process, once: a second signal would interrupt what it does at its end."""
        if process.pid not in self._ended:
            self._ended.add(process.pid)
            # Popen.terminate would collect the status of a process that has ended, for which _await_one waits.
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGTERM)

    def log(self, part):
        return self._logs / f"{part.number}.log"

    def _start_or_refuse(self, part):
        if not part.is_blocked:
            return self._start(part)
        failed = ", ".join(other.name for other in part.needs if other.status)
        self.log(part).write_text(f"Error: it did not run, since this failed: {failed}\n")
        part.end(1, b"")

    def _start(self, part):
        is_beside = any(other.kind != "aside" for _, other in self._running.values())
        is_alone = not is_beside and (self._at_once == 1 or part.kind == "alone") and part.kind != "aside"
        self._show(f"== {part.name}" if is_alone else f"== begins: {part.name}")
        part.began = time.monotonic()
        with open(self.log(part), "wb") as log:
            shown = subprocess.PIPE if is_alone else log
            process = subprocess.Popen(part.command, stdin=subprocess.DEVNULL, stdout=shown, stderr=subprocess.STDOUT)
            self._running[process.pid] = (process, part)
            if self.is_stopped:
                # Stopped while the process began.
                self._end(process)
            if is_alone:
                for line in process.stdout:
                    log.write(line)
                    self._show(line.decode(errors="replace").removesuffix("\n"))
                process.stdout.close()

    def _await_one(self):
        pid, status, usage = os.wait4(-1, 0)
        if pid not in self._running:
            return
        process, part = self._running.pop(pid)
        process.returncode = os.waitstatus_to_exitcode(status)
        part.end(process.returncode, self.log(part).read_bytes())
        part.seconds = time.monotonic() - part.began
        part.processor = usage.ru_utime + usage.ru_stime
        if process.stdout is None:
            self._show(f"== {part.name}")
            self._show(self.log(part).read_text(errors="replace").removesuffix("\n"))
        self._show(f"== {part.line}")


def explanation(log):
    """Why a part failed, in a few lines: its last steps and the reason."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    issues = [line for line in lines if ISSUE.search(line)]
    others = [line for line in lines if not ISSUE.search(line)]
    steps, reasons = ([line for line in others if kind.search(line)] for kind in (STEP, REASON))
    chosen = steps[-2:] + reasons[-6:] + issues[-160:]
    return "\n".join(f"    {line[:600]}" for line in chosen)


def report(parts, run, results, show):
    """Shows why parts failed, the table, and how to run again what failed; returns the exit status."""
    failed = [part for part in parts if part.status]
    for part in failed:
        show(f"== FAILED: {part.name}\n{explanation(run.log(part))}")
    show(HEADING)
    for part in parts:
        show(part.line)
    show(f"captures and logs: {results}")
    for command in dict.fromkeys(command for part in failed for command in part.again):
        show(f"again: {command}")
    tests = [part for part in parts if part.is_test or part.status]
    passed, wrong, skipped = (sum(counts) for counts in zip((0, 0, 0), *(part.counts for part in tests)))
    show(f"{passed} passed, {wrong} failed, {skipped + sum(not part.is_chosen for part in parts)} skipped")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", help="the directory of the parts' results; their output goes to parts in it")
    parser.add_argument("--at-once", type=int, required=True, help="the number of guests that run side by side")
    parser.add_argument("--again", default="", metavar="COMMAND", help="runs a part again; {} stands for a pattern of its name")
    parser.add_argument("--only", default="", metavar="PATTERN", help="only parts whose name matches")
    chosen = parser.parse_args()
    if chosen.at_once < 1:
        parser.error("at least one guest runs")
    parts = read(sys.stdin.buffer)
    for part in parts:
        part.is_chosen = re.search(chosen.only, part.name) is not None
        part.repetition = chosen.again.replace("{}", f"^{re.escape(part.name)}$")
    if not any(part.is_chosen for part in parts):
        print(f"parts: no part has a name like {chosen.only}", file=sys.stderr)
        return 1
    return run_and_report(Run(parts, chosen.at_once, chosen.results, show), chosen.results)


def show(text):
    """Shows a line of the run."""
    print(text, flush=True)


def run_and_report(run, results):
    """Runs the parts of a run and reports how they ended; returns the exit status. A signal ends the parts that run."""
    received = []

    def stop(number, _):
        received.append(number)
        run.stop()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    run.run()
    return 128 + received[0] if received else report(run.parts, run, results, show)


if __name__ == "__main__":
    sys.exit(main())
