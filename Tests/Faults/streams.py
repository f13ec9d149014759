"""The scenario of streams: one meets a fault while it flows, or when exactly so many bytes have arrived."""

import contextlib
import signal
import subprocess
import threading

from faults import TYPES, check, heal
from world import TIMEOUT, process, type_hash

# Where something changes: a message of the air, a page, a piece of the protocol over the radio and the network, a pipe.
BORDERS = [672, 4096, 8192, 16384, 65469, 65536, 131072, 262144]


def stream(world, random):
    """A stream meets a fault: a reader gets everything and an end, or a beginning and an error."""
    world.start()
    for number, pipe in enumerate(TYPES[:6]):
        size = random.choice([1, 70_000, 300_000, 1_500_000])
        data = random.randbytes(size)
        name, fault = random.choice(sorted(stream_faults(world, random).items()))
        world.air.set("bandwidth 10000000", "delay 1")
        if number % 2:
            writing, threshold = Writing(data), random.randrange(size + 1)
        else:
            threshold = random_offset(random, size)
            writing = Writing(data[:threshold] if random.random() < 0.5 else data, threshold)
        yield from one_stream(world, pipe, writing, name, fault, threshold)


def stream_faults(world, random):
    """The faults by their names; each takes the reader and the writer."""
    return {
        "reader": lambda reader, writer: reader.kill(), "writer": lambda reader, writer: writer.kill(),
        "interrupt": lambda reader, writer: writer.send_signal(signal.SIGINT),
        "laptop": lambda *_: world.laptop.kill(), "desktop": lambda *_: world.desktop.kill(),
        "stop": lambda *_: random.choice(world.machines).interrupt(),
        "laptop's bus": lambda *_: world.laptop.restart_bus(), "desktop's bus": lambda *_: world.desktop.restart_bus(),
        "cut": lambda *_: world.air.cut(), "nothing": lambda *_: None,
    }


def random_offset(random, size):
    """A place in a stream where something may change, or beside one."""
    near = [border + step for border in BORDERS for step in (-1, 0, 1)]
    return random.choice([place for place in [0, 1, 2, *near, size - 1, size] if 0 <= place <= size])


class Writing:
    """What is written into a stream: all of it at once, or the rest only when the fault has happened."""

    def __init__(self, data, offset=None):
        self.data = data
        self._offset = len(data) if offset is None else offset
        self._fault = threading.Event()

    def run(self, child):
        with contextlib.suppress(BrokenPipeError), child.stdin as pipe:
            pipe.write(self.data[:self._offset])
            if self._offset < len(self.data):
                pipe.flush()
                self._fault.wait(TIMEOUT)
                pipe.write(self.data[self._offset:])

    def go_on(self):
        self._fault.set()


def pieces(pipe):
    """What a pipe brings: nothing yet, and then piece by piece."""
    yield b""
    while piece := pipe.read1(65536):
        yield piece


def one_stream(world, activity_type, writing, victim, fault, threshold):
    data, begin = writing.data, world.laptop.log.count
    with process(
        world.laptop.command("publish", "--type", activity_type, "--stream", "--send"), stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as writer:
        feeding = threading.Thread(target=writing.run, args=(writer,), daemon=True)
        feeding.start()
        world.entry(type_hash(activity_type))
        with process(
            world.desktop.command("stream", "--type", activity_type, "--receive"), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as reader:
            timers = [threading.Timer(TIMEOUT, child.kill) for child in (reader, writer)]
            for timer in timers:
                timer.start()
            received, hit = b"", False
            for piece in pieces(reader.stdout):
                received += piece
                if not hit and len(received) >= threshold:
                    # Before that, nobody has taken the stream, and the publisher rightly waits for somebody else.
                    world.laptop.log.wait("event=stream.opened", begin)
                    hit = True
                    fault(reader, writer)
                    writing.go_on()
            writing.go_on()
            ends = reader.wait(), writer.wait() if hit or reader.returncode == 0 else None
            what = f"with {victim} at {threshold} of {len(data)} bytes, {len(received)} bytes arrived, and {ends} are the ends"
            check(all(timer.is_alive() for timer in timers), f"{what}: an end that came too late")
            for timer in timers:
                timer.cancel()
    feeding.join(TIMEOUT)
    check(data.startswith(received), f"{what}: other bytes than were sent")
    check(reader.returncode != 0 or received == data, f"{what}: the reader took a part for all of it")
    check(writer.returncode != 0 or received == data, f"{what}: the writer was told that everything has arrived")
    if victim == "nothing" or not hit:
        check(ends == (0, 0), f"{what}, without a fault")
    heal(world)
    yield hit and victim != "nothing"
