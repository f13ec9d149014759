"""Reports of shells: which is the newest, whatever order they are heard in, and that none is lost."""

import os
import pathlib
import signal
import socket

from devices import PROGRAMS, TIMEOUT, process
from order_test import BESIDE, OrderTest
from terminal_test import BashShellTest, FishShellTest, ZshShellTest

# With so many shells at once that go to so many directories, 21 of 100 of Bash and 5 of Zsh told moments in the wrong
# order when the process that they had forked read the clock. The more shells there are at once, the fewer are affected.
AT_ONCE = 4
PLACES = 5


class BashOrderTests(OrderTest, BashShellTest):
    """Bash; the same tests run with the other shells."""

    def hold(self, name):
        """Holds reports of directories of a name before they are heard; returns what waits for one and releases it."""
        held, lines = self.pipe("held")
        gate = self.scratch / "gate"
        os.mkfifo(gate)
        writer = os.open(gate, os.O_RDWR)
        self.addCleanup(os.close, writer)
        self.report_by(f'case "$*" in */{name}) echo $$ 1<>{held}; read -r word <{gate};; esac\nexec "$program" "$@"')

        def release():
            number = int(lines.wait(str.isdigit, "a report that is held"))
            os.write(writer, b"go\n")
            self.wait_for_end(number)
        return release

    def test_a_report_that_is_heard_late_does_not_replace_a_newer_one_of_another_shell(self):
        release = self.hold("late")
        for name in ("late", "third", "fourth"):
            self.directory(name)
        shell, other = self.shell(), self.shell(directory=self.directory("second"))
        self.events.wait_document(self.directory("second"))
        self.run_command(shell, "cd ../late")
        self.run_command(other, "cd ../third")
        self.events.wait_document(self.directory("third"))
        release()
        self.run_command(other, "cd ../fourth")
        self.assert_next_document(self.directory("fourth"))

    def test_a_report_that_is_heard_late_does_not_replace_a_newer_one_of_its_shell(self):
        release = self.hold("late")
        for name in ("late", "third", "fourth"):
            self.directory(name)
        shell = self.shell()
        self.events.wait_document(self.directory("first"))
        self.run_command(shell, "cd ../late")
        self.run_command(shell, "cd ../third")
        self.events.wait_document(self.directory("third"))
        release()
        self.run_command(shell, "cd ../fourth")
        self.assert_next_document(self.directory("fourth"))

    def test_who_goes_to_another_terminal_while_a_command_runs_acted_there_last(self):
        told = self.tell_ends()
        first, second = self.directory("first"), self.directory("second")
        for name in ("slow", "fourth"):
            self.directory(name)
        shell, other = self.shell(), self.shell(directory=second)
        self.events.wait_document(second)
        shell.type("\x1b[I")
        self.events.wait_document(first)
        before = self.number(shell)
        gate = self.scratch / "gate"
        os.mkfifo(gate)
        shell.type(f"echo be''gun; cat {gate}; cd ../slow\r")
        shell.wait("begun")
        # Shells see hundredths of a second; a person takes longer from one terminal to another.
        self.run_command(other, "sleep 0.03")
        other.type("\x1b[I")
        self.events.wait_document(second)
        gate.write_text("", encoding="ascii")
        shell.wait("ready> ")
        # On a machine so busy that the command has taken two seconds, nothing is reported.
        if self.number(shell) > before:
            told.wait(lambda line: line.endswith("/slow"), "a report of the slow command")
        self.run_command(other, "cd ../fourth")
        self.assert_next_document(self.directory("fourth"))

    def test_the_wall_clock_is_set_back_by_an_hour_and_the_shell_goes_on(self):
        for name in ("second", "third"):
            self.directory(name)
        shell = self.shell(LD_PRELOAD=str(PROGRAMS / "libShiftedClock.so"))
        self.events.wait_document(self.directory("first"))
        self.run_command(shell, "export SHIFTED_CLOCK_SECONDS=-3600")
        self.run_command(shell, "cd ../second")
        self.events.wait_document(self.directory("second"))
        # The clock of another shell is an hour ahead of this one's.
        self.shell(directory=self.directory("third"))
        self.events.wait_document(self.directory("third"))
        shell.type("\x1b[I")
        self.events.wait_document(self.directory("second"))

    def test_a_shell_that_takes_the_place_of_another_one_in_its_process_is_heard(self):
        for name in ("second", "third"):
            self.directory(name)
        shell = self.shell()
        self.run_command(shell, "cd ../second")
        shell.type("\x1b[I" * 4)
        self.assertGreaterEqual(self.number(shell), 4)
        shell.type(f"exec {self.program[0]}\r")
        shell.wait("ready> ")
        self.run_command(shell, "cd ../third")
        self.events.wait_document(self.directory("third"))
        self.assertLess(self.number(shell), 4)

    def test_a_publisher_that_is_stopped_offers_the_newest_of_a_burst_when_it_goes_on(self):
        told = self.tell_ends()
        names = [f"place-{number}" for number in range(PLACES)]
        for name in names:
            self.directory(name)
        shell = self.shell()
        self.events.wait_document(self.directory("first"))
        with self.stopped(self.publisher()):
            self.fill_queue()
            for name in names:
                self.run_command(shell, f"cd ../{name}")
                told.wait(lambda line: line.endswith(f"/{name}"), "the end of a report")
        self.assert_next_document(self.directory(names[-1]))

    def fill_queue(self):
        """Wakes the publisher until the queue of its socket has no room, which may be for 10 messages or for 512."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
            with self.assertRaises(BlockingIOError):
                while True:
                    sender.sendto(b"", str(self.laptop.runtime / "handoff-terminal/publisher"))

    def test_what_is_reported_while_handoffctl_ends_is_offered_by_another_one(self):
        told = self.tell_ends()
        self.directory("second")
        shell = self.shell()
        self.events.wait_document(self.directory("first"))
        publisher = self.publisher()
        with self.stopped(publisher):
            self.run_command(shell, "cd ../second")
            told.wait(lambda line: line.endswith("/second"), "a report")
            for child in pathlib.Path(f"/proc/{publisher}/task/{publisher}/children").read_text("ascii").split():
                os.kill(int(child), signal.SIGKILL)
                self.wait_for_end(int(child))
        self.events.wait_document(self.directory("second"))

    def test_a_hundred_shells_beside_busy_programs_order_their_reports_and_lose_none(self):
        path, told = self.pipe("told")
        self.report_by(f'echo "$*" 1<>{path}')
        names = ["first", *(f"place-{number}" for number in range(PLACES))]
        for name in names:
            self.directory(name)
        # The focus is reported also where a command has taken two seconds.
        commands = "".join(f"cd ../{name}\r" for name in names[1:]) + "\x1b[Iecho numb''er-$_handoff_number.\r"
        self.prepare()
        with self.busy():
            for _ in range(100 // AT_ONCE):
                shells = [self.terminal(self.laptop, *BESIDE, *self.program, directory=self.directory("first"))
                          for _ in range(AT_ONCE)]
                for shell in shells:
                    shell.type(commands)
                counts = {str(shell.process.pid): self.shown_number(shell) for shell in shells}
                lines = [told.wait(bool, "a report").split() for _ in range(sum(counts.values()))]
                for shell, count in counts.items():
                    self.assert_order([line[3:] for line in lines if line[1] == shell], count, names)

    def assert_order(self, reports, count, names):
        """Asserts that the numbers of a shell's reports are those to a count, in the order of what it did."""
        reports = sorted((int(number), int(moment), os.path.basename(path)) for number, moment, path in reports)
        numbers, moments, visited = map(list, zip(*reports))
        self.assertEqual(numbers, list(range(1, count + 1)))
        self.assertEqual(moments, sorted(moments), reports)
        self.assertEqual(visited, sorted(visited, key=names.index), reports)
        self.assertEqual(visited[-1], names[-1], reports)


class ZshOrderTests(ZshShellTest, BashOrderTests):
    """Zsh."""


class FishOrderTests(FishShellTest, BashOrderTests):
    """Fish."""


class ManyShellsTests(OrderTest):
    """Shells of all kinds, and a real daemon."""

    def test_of_many_shells_that_start_at_once_the_one_in_which_the_person_acted_last_is_offered(self):
        # Reports of shells that are BESIDE come after all else.
        told = self.tell_ends(by="nice -n 9")
        for name in ("last", "end", *(f"place-{number}" for number in range(8))):
            self.directory(name)
        with self.busy():
            [last] = self.start(BashShellTest, 1)
            others = [shell for kind in (BashShellTest, ZshShellTest, FishShellTest)
                      for shell in self.start(kind, 8, BESIDE)]
            for number, shell in enumerate(others):
                shell.type(f"cd ../place-{number % 8}\r\x1b[Iecho numb''er-$_handoff_number.\r")
            count = sum(map(self.shown_number, others))
            # Reports of the others are still on their way, and come after these.
            last.type("cd ../last\r\x1b[I")
            self.events.wait_document(self.directory("last"))
            count += self.number(last)
            # One process stays, and publishes.
            for _ in range(count - 1):
                told.wait(bool, "the end of a report")
        last.type("cd ../end\r\x1b[I")
        # It was reported twice, and may be offered anew.
        self.assert_next_document(self.directory("end"), but=self.directory("last"))

    def start(self, kind, count, prefix=()):
        """Starts shells of a kind."""
        tests = kind()
        tests.laptop, tests.integration = self.laptop, self.integration
        tests.prepare()
        self.addCleanup(tests.doCleanups)
        return [self.terminal(self.laptop, *prefix, *kind.program, directory=self.directory("first"))
                for _ in range(count)]


class ReportTests(OrderTest):
    """Reports that the test makes in place of shells."""

    def shell(self):
        """A process that stands for a shell; its number."""
        return self.enterContext(process(["sleep", "600"])).pid

    def tell(self, *words):
        """Starts a report; what it is about is the last word."""
        words = [self.reporter, "tell", *words[:-1], os.fsdecode(self.directory(words[-1]))]
        return self.enterContext(process(words, env=self.laptop.environment(XDG_RUNTIME_DIR=str(self.scratch))))

    @staticmethod
    def uptime():
        """How long the computer has run, in hundredths of a second."""
        return int(pathlib.Path("/proc/uptime").read_text("ascii").split()[0].replace(".", ""))

    def test_the_newest_of_many_reports_counts_though_nobody_reads_and_they_are_heard_in_any_order(self):
        shells = [self.shell() for _ in range(5)]
        (self.scratch / "handoff-terminal").mkdir(mode=0o700)
        # Two at each moment. Of the same moment, each time the same one counts.
        reports = [(shell, f"id-{shell}", number, 1000 + 10 * number + index // 2)
                   for index, shell in enumerate(shells) for number in range(1, 6)]
        newest = max(reports, key=lambda report: (report[3], report[0]))
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as publisher:
            publisher.bind(str(self.scratch / "handoff-terminal/publisher"))
            made = [self.tell(*report, "newest" if report == newest else "older") for report in reversed(reports)]
            self.assertEqual([report.wait(TIMEOUT) for report in made], [0] * len(reports))
        # Whoever publishes next has no newer one.
        self.tell(*reports[0], "older")
        self.assert_next_document(self.directory("newest"))

    def test_a_shell_with_the_integration_of_an_earlier_version_is_heard(self):
        earlier, shell = self.shell(), self.shell()
        self.tell("prompt", earlier, "1700000000.25", "first")
        self.assert_next_document(self.directory("first"))
        self.tell(shell, "an id", 1, self.uptime(), "second")
        self.assert_next_document(self.directory("second"))
        # Some locales write numbers with a comma; and the clock has been set back.
        for number in range(3):
            self.tell("focus", earlier, f"{1600000000 - number},5", f"place-{number}")
            self.assert_next_document(self.directory(f"place-{number}"))

    def test_a_report_of_an_earlier_start_of_the_computer_does_not_count(self):
        self.tell(self.shell(), "an id", 1, self.uptime() + 1_000_000, "earlier")
        self.assert_next_document(self.directory("earlier"))
        self.tell(self.shell(), "an id", 1, self.uptime(), "now")
        self.assert_next_document(self.directory("now"))
