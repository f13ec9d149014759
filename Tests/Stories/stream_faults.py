#!/usr/bin/env python3
"""Streams of handoffctl that end early, break, or whose output fails, at each offset at which something can change: a side
that ends with success has taken everything, or knows that the other one has.

stream_faults.py STORY…   some of the stories, or all of them; a name is that of a fault and of what carries the stream,
                          such as `cut-radio`; who is not root needs user namespaces
"""

import contextlib
import dataclasses
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import threading

from network import Pair, too_late
from world import PROGRAMS, TIMEOUT, Failure, check, process, run_story

SIZE = 400_000
# A piece of data over the radio, the window of four pieces, what a pipe usually holds: what is written and read at once.
PIECE, WINDOW, BUFFER = 8192, 4 * 8192, 65_536
OFFSETS = sorted({
    0, 1, SIZE // 2, SIZE - 1, SIZE, *(size + more for size in (PIECE, WINDOW, BUFFER) for more in (-1, 0, 1)),
})
# More than handoffctl makes a pipe hold.
PIPE = 256 * 1024
AIR = "bandwidth 4000000\ndelay 2\nsupervision 100\n"
PUBLISHER, READER = "publish", "stream"


@dataclasses.dataclass
class Case:
    """A transfer in one direction, and what is sent the other way: which ends first, since it is there from the beginning."""

    # Which command sends the transfer.
    writer: str
    size: int = SIZE
    answer: int = 0
    # What is done to the process that receives, before it becomes handoffctl.
    prepare: "callable" = None
    # The file that is its standard output, in place of a pipe.
    output: "pathlib.Path | None" = None


class Transfer:
    """Two commands with a stream between them."""

    def __init__(self, case, writer, reader):
        self.case, self.writer, self.reader = case, writer, reader
        self.data, self.received, self.answered = os.urandom(case.size), b"", b""
        self._left = self.data
        # The writer may have to pass the answer on before it can go on.
        self._answer = threading.Thread(target=self._read_answer, daemon=True)
        self._answer.start()

    def _read_answer(self):
        self.answered = self.writer.stdout.read()

    def pass_through(self, count):
        """Sends up to an offset, and waits until all of it has come out."""
        with contextlib.suppress(BrokenPipeError):
            self.writer.stdin.write(self.data[:count])
            self.writer.stdin.flush()
        if count:
            self.received = self.reader.stdout.read(count)
        check(self.received == self.data[:count], True)
        self._left = self.data[count:]

    def finish(self):
        """Sends the rest, and waits until both have ended; returns their statuses, writer first."""
        with contextlib.suppress(BrokenPipeError):
            self.writer.stdin.write(self._left)
            self.writer.stdin.flush()
        with contextlib.suppress(BrokenPipeError):
            self.writer.stdin.close()
        if self.reader.stdout and not self.reader.stdout.closed:
            self.received += self.reader.stdout.read()
        return self.judge()

    def judge(self):
        """Fails when one of the two says that all is well and it is not; returns their statuses."""
        statuses = [program.wait(timeout=TIMEOUT) for program in (self.writer, self.reader)]
        self._answer.join(timeout=TIMEOUT)
        received = self.case.output.read_bytes() if self.case.output else self.received
        is_whole = received == self.data
        if 0 in statuses and not is_whole and not (self.reader.stdout and self.reader.stdout.closed):
            raise Failure(f"{statuses}, though {len(received)} of {len(self.data)} bytes have come out")
        for program, status in zip((self.writer, self.reader), statuses):
            check((status, bool(program.stderr.read())), (status, status == 1))
        return statuses


@contextlib.contextmanager
def transfer(computers, case):
    """Starts the two commands, and waits until the stream between them is open, and has moved if it can."""
    kind = computers.new_kind()
    buses = {PUBLISHER: computers.laptop.bus, READER: computers.desktop.bus}
    options = {PUBLISHER: ["--stream"], READER: ["--wait"]}
    reader = {PUBLISHER: READER, READER: PUBLISHER}[case.writer]
    answer = computers.directory / "answer"
    answer.write_bytes(bytes(case.answer))
    for machine in (computers.laptop, computers.desktop):
        machine.lines.skip()

    def start(name, **streams):
        command = [PROGRAMS / "handoffctl", name, "--type", kind, *options[name], "--bus", buses[name]]
        return process(command, stderr=subprocess.PIPE, **streams)

    with contextlib.ExitStack() as stack:
        output = stack.enter_context(open(case.output, "wb")) if case.output else subprocess.PIPE
        source = stack.enter_context(open(answer, "rb"))
        starts = {
            reader: lambda: start(reader, stdin=source, stdout=output, preexec_fn=case.prepare),
            case.writer: lambda: start(case.writer, stdin=subprocess.PIPE, stdout=subprocess.PIPE),
        }
        # The one that waits comes first.
        started = {name: stack.enter_context(starts[name]()) for name in (READER, PUBLISHER)}
        for machine in (computers.laptop, computers.desktop):
            machine.wait_log("event=stream.opened")
            if computers.has_network:
                machine.wait_log("event=stream.moved")
        yield Transfer(case, started[case.writer], started[reader])


# MARK: Faults


def sizes(computers, writer, offset):
    """Nothing breaks, and the receiver's input is at its end from the beginning."""
    with transfer(computers, Case(writer, size=offset)) as running:
        running.pass_through(0)
        check(running.finish(), [0, 0])


def early(computers, writer, offset):
    """The other direction ends first, after so many bytes."""
    with transfer(computers, Case(writer, answer=offset)) as running:
        running.pass_through(1)
        check((running.finish(), len(running.answered)), ([0, 0], offset))


def killed_reader(computers, writer, offset):
    with transfer(computers, Case(writer)) as running:
        running.pass_through(offset)
        running.reader.kill()
        check(running.finish(), [1, -signal.SIGKILL])


def stalled_reader(computers, writer, offset):
    """The receiver's output takes no more, and everything is on its way when the receiver is killed."""
    with transfer(computers, Case(writer, answer=offset)) as running:
        running.writer.stdin.write(running.data)
        running.writer.stdin.close()
        running.reader.kill()
        running.received = running.reader.stdout.read()
        check(running.judge(), [1, -signal.SIGKILL])


def killed_writer(computers, writer, offset):
    with transfer(computers, Case(writer)) as running:
        running.pass_through(offset)
        running.writer.kill()
        check(running.finish(), [-signal.SIGKILL, 1])


def cut(computers, writer, offset):
    """The devices lose each other."""
    with transfer(computers, Case(writer)) as running:
        running.pass_through(offset)
        with computers.apart():
            statuses = running.finish()
        # What fits into a window may be on its way, or have arrived, before the two notice that they are apart.
        outcomes = [[1, 1]] if SIZE - offset > WINDOW else [[1, 1], [1, 0], [0, 0]]
        if statuses not in outcomes:
            raise Failure(f"{statuses} instead of one of {outcomes}")


def full(computers, writer, offset):
    """The receiver's file cannot have more than so many bytes."""

    def prepare():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (offset, offset))

    case = Case(writer, prepare=prepare, output=computers.directory / "output")
    with transfer(computers, case) as running:
        running.pass_through(0)
        check(running.finish(), [0, 0] if offset == SIZE else [1, 1])


def closed(computers, writer, offset):
    """What the receiver writes to ends after so many bytes."""
    with transfer(computers, Case(writer)) as running:
        running.pass_through(offset)
        running.reader.stdout.close()
        statuses = running.finish()
        # What fits into the pipe has been passed on, as far as the receiver can know.
        check(statuses if SIZE - offset > PIPE else statuses[0], [1, 1] if SIZE - offset > PIPE else statuses[1])


FAULTS = {
    fault.__name__.replace("_", "-"): fault
    for fault in (sizes, early, killed_reader, stalled_reader, killed_writer, cut, full, closed)
}


# MARK: Carriers


class Computers(Pair):
    """Two computers with a fast radio, and a network if they are given one."""

    def __init__(self, stack, directory, has_network):
        super().__init__(stack, directory)
        self.has_network = has_network
        self._set_air(AIR)
        if has_network:
            self.address(["10.9.0.1/24"], ["10.9.0.2/24"])

    def _set_air(self, text):
        new = self.directory / "air" / "air.new"
        new.write_text(text)
        new.rename(self.directory / "air" / "air")

    @contextlib.contextmanager
    def apart(self):
        """Neither can reach the other."""
        hosts = (self.here, self.there)
        self._set_air(AIR + "apart laptop desktop\n")
        for host in hosts if self.has_network else ():
            # A connection whose packets vanish without a word lasts for twelve seconds (vanishing in network.py).
            host.firewall("iifname net meta l4proto tcp", verdict="reject with tcp reset")
        yield
        for host in hosts if self.has_network else ():
            host.firewall()
        self._set_air(AIR)


def tell(name):
    fault, carrier = name.rsplit("-", 1)
    # Over the network, the commands do the same in both directions, and the daemons too.
    writers = (PUBLISHER,) if carrier == "network" else (PUBLISHER, READER)
    with tempfile.TemporaryDirectory(prefix="handoff-faults-") as directory, contextlib.ExitStack() as stack:
        computers = Computers(stack, pathlib.Path(directory), carrier == "network")
        for writer in writers:
            with computers.steps.step(f"{fault} over the {carrier}, {writer} sends"):
                for offset in OFFSETS:
                    signal.alarm(int(2 * TIMEOUT))
                    try:
                        FAULTS[fault](computers, writer, offset)
                    except Failure as failure:
                        raise Failure(f"{name}, {writer} sends, offset {offset}: {failure}") from failure


STORIES = [f"{fault}-{carrier}" for carrier in ("radio", "network") for fault in FAULTS]


def main(names):
    if os.geteuid():
        # In a namespace in which this user is root, all that the story needs is allowed.
        os.execvp("unshare", ["unshare", "--map-root-user", "--net", sys.executable, *sys.argv])
    if not all(name in STORIES for name in names):
        sys.exit(__doc__)
    # A read from a program that does not go on has no other limit.
    signal.signal(signal.SIGALRM, too_late)
    for name in names or STORIES:
        run_story(lambda name=name: tell(name))
        print(f"{name}: ok", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
