#!/usr/bin/env python3
"""A pipe between two devices: 1 MB through a continuation stream, and an answer back.

streams.py               on a simulated air; needs no Bluetooth
streams.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel; then l2test of BlueZ
                         sends as much over the same link, for comparison
"""

import os
import pathlib
import re
import subprocess
import tempfile
import threading
import time

import budget
from world import (
    PROGRAMS, TIMEOUT, Failure, Lines, Steps, device, process, run_story, run_story_on_radios, trust_each_other,
    type_hash,
)

TYPE = "org.example.pipe"
SIZE = 1_000_000
# The size of l2test's messages, in bytes.
FRAME = 1000
RIG = pathlib.Path(__file__).parents[1] / "Rig"


def story(radios):
    """Publishes an activity with a stream, continues it, and transfers data both ways; returns the speed in kB/s."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-streams-") as directory:
        laptop_radio, desktop_radio = radios(pathlib.Path(directory))
        with device("laptop", directory, laptop_radio) as laptop, \
                device("desktop", directory, desktop_radio) as desktop:
            trust_each_other(laptop, desktop)
            sent = os.urandom(SIZE)
            source = pathlib.Path(directory) / "sent"
            source.write_bytes(sent)
            with open(source, "rb") as file, publishing(laptop, file) as publisher, desktop.watching() as nearby:
                with steps.step("laptop offers 1 MB, and desktop discovers it"):
                    nearby.wait_for_type(type_hash(TYPE))
                begin = time.monotonic()
                with steps.step("desktop receives it, and answers"):
                    received, first = stream_content(desktop, b"thanks")
                end = time.monotonic()
                answer = publisher.communicate(timeout=TIMEOUT)[0]
    if received != sent:
        raise Failure(f"{len(received)} of {len(sent)} bytes were received, or other bytes")
    if answer != b"thanks" or publisher.returncode != 0:
        raise Failure(f"laptop received {answer!r} and ended with {publisher.returncode}")
    speed = SIZE / (end - first) / 1000
    print(
        f"streams: {SIZE / (end - begin) / 1000:.0f} kB/s from the continuation to its end, of which "
        f"{first - begin:.2f} s are before the first byte; {speed:.0f} kB/s from then on; ok",
        flush=True,
    )
    return speed


def plain_channel(receiver, sender):
    """How fast l2test sends as many bytes between the same two adapters over a plain L2CAP channel, in kB/s."""
    here, there = address(receiver), address(sender)
    options = ["-V", "le_public", "-P", "0x81", "-I", str(FRAME), "-O", str(FRAME)]
    listen = ["l2test", "-r", "-i", here, "-b", str(SIZE), *options]
    # One message more than is needed, since the time counts until the receiver has all bytes.
    send = ["l2test", "-s", "-i", there, "-b", str(FRAME), "-N", str(SIZE // FRAME + 1), *options, here]
    advertise = [RIG / "bluez-probe", "advertise", receiver, "6b0c2f1e-0000-4000-8000-6c3274657374", "00"]
    with process(advertise, stdout=subprocess.PIPE, text=True) as advertiser:
        Lines(advertiser.stdout).wait(lambda line: "advertising" in line, f"advertisement of {receiver}")
        with process(listen, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as listener:
            lines = Lines(listener.stderr)
            lines.wait(lambda line: "Waiting for connection" in line, "l2test that listens")
            with process(send, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
                measured = lines.wait(lambda line: "kB/s" in line, "result of l2test", 5 * TIMEOUT)
    return float(re.search(r"([0-9.]+) kB/s", measured).group(1))


def address(adapter):
    """The address of an adapter, read from bluetoothd."""
    command = ["busctl", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Address"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if answer.returncode:
        raise Failure(f"{adapter} has no address: {answer.stderr.strip()}")
    return answer.stdout.split('"')[1]


def publishing(machine, file):
    """Publishes an activity with a stream that sends the content of the file."""
    command = [PROGRAMS / "handoffctl", "publish", "--type", TYPE, "--stream", "--bus", machine.bus]
    return process(command, stdin=file, stdout=subprocess.PIPE)


def stream_content(machine, answer):
    """Sends `answer` into the stream; returns everything that the stream contains, and the time of its first byte."""
    command = [PROGRAMS / "handoffctl", "stream", "--type", TYPE, "--bus", machine.bus]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with process(command, **pipes) as child:
        limit = threading.Timer(5 * TIMEOUT, child.kill)
        limit.start()
        try:
            child.stdin.write(answer)
            child.stdin.close()
            received = child.stdout.read(1)
            first = time.monotonic()
            received += child.stdout.read()
            problem = child.stderr.read().decode().strip()
        finally:
            limit.cancel()
        if child.wait():
            raise Failure(f"{machine.name}: handoffctl stream: {problem}")
    return received, first


def compare(stream, bare):
    """Prints the speed of a bare channel, and that of the stream beside it."""
    verdict = budget.at_least(stream / bare, 0.85, "×")
    print(f"l2test: {bare:.0f} kB/s over the same link; the stream has {stream / bare:.2f} ×, {verdict}", flush=True)


def main():
    speeds = []
    adapters = run_story_on_radios(lambda radios: speeds.append(story(radios)), __doc__)
    if adapters:
        run_story(lambda: compare(speeds[0], plain_channel(*adapters)))


if __name__ == "__main__":
    main()
