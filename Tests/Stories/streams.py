#!/usr/bin/env python3
"""A pipe between two devices: a megabyte through a continuation stream, and an answer back.

streams.py               on a simulated air; needs no Bluetooth
streams.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel; then l2test, of BlueZ,
                         sends as much over the same link, to compare
"""

import os
import pathlib
import re
import subprocess
import tempfile
import time

from world import TIMEOUT, PROGRAMS, Failure, Lines, Steps, device, process, run_story, run_story_on_radios, trust_each_other, type_hash

TYPE = "org.example.pipe"
SIZE = 1_000_000
# What l2test sends at once, in bytes.
FRAME = 1000
RIG = pathlib.Path(__file__).parents[1] / "Rig"


def story(radios):
    """Publish with a stream, continue, and talk."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-streams-") as directory:
        laptop_radio, desktop_radio = radios(pathlib.Path(directory))
        with device("laptop", directory, laptop_radio) as laptop, device("desktop", directory, desktop_radio) as desktop:
            trust_each_other(laptop, desktop)
            sent = os.urandom(SIZE)
            source = pathlib.Path(directory) / "sent"
            source.write_bytes(sent)
            with open(source, "rb") as file, publishing(laptop, file) as publisher, desktop.watching() as nearby:
                with steps.step("laptop offers a megabyte, desktop sees it"):
                    nearby.wait_for_type(type_hash(TYPE))
                begin = time.monotonic()
                with steps.step("desktop takes it, and says thanks"):
                    received = stream_content(desktop, b"thanks")
                took = time.monotonic() - begin
                answer = publisher.communicate(timeout=TIMEOUT)[0]
    if received != sent:
        raise Failure(f"{len(received)} of {len(sent)} bytes arrived, or others")
    if answer != b"thanks" or publisher.returncode != 0:
        raise Failure(f"the laptop read {answer!r} and ended with {publisher.returncode}")
    print(f"streams: {SIZE / took / 1000:.0f} kB/s, from the tap to the last byte; ok", flush=True)


def plain_channel(receiver, sender):
    """How fast l2test, of BlueZ, sends as many bytes between the same two adapters, over a bare L2CAP channel."""
    here, there = address(receiver), address(sender)
    options = ["-V", "le_public", "-P", "0x81", "-I", str(FRAME), "-O", str(FRAME)]
    listen = ["l2test", "-r", "-i", here, "-b", str(SIZE), *options]
    # One more than is needed: what counts is when the receiver has all of it.
    send = ["l2test", "-s", "-i", there, "-b", str(FRAME), "-N", str(SIZE // FRAME + 1), *options, here]
    advertise = [RIG / "bluez-probe", "advertise", receiver, "6b0c2f1e-0000-4000-8000-6c3274657374", "00"]
    with process(advertise, stdout=subprocess.PIPE, text=True) as advertiser:
        Lines(advertiser.stdout).wait(lambda line: "advertising" in line, f"{receiver} to advertise")
        with process(listen, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as listener:
            lines = Lines(listener.stderr)
            lines.wait(lambda line: "Waiting for connection" in line, "l2test to listen")
            with process(send, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
                measured = lines.wait(lambda line: "kB/s" in line, "l2test to receive", 5 * TIMEOUT)
    print(f"l2test: {re.search(r'([0-9.]+) kB/s', measured).group(1)} kB/s over the same link", flush=True)


def address(adapter):
    """The address of an adapter, as bluetoothd says it."""
    question = ["busctl", "get-property", "org.bluez", f"/org/bluez/{adapter}", "org.bluez.Adapter1", "Address"]
    answer = subprocess.run(question, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if answer.returncode:
        raise Failure(f"{adapter} has no address: {answer.stderr.strip()}")
    return answer.stdout.split('"')[1]


def publishing(machine, file):
    """Offers an activity with a stream, whose end is that file."""
    command = [PROGRAMS / "handoffctl", "publish", "--type", TYPE, "--stream", "--bus", machine.bus]
    return process(command, stdin=file, stdout=subprocess.PIPE)


def stream_content(machine, answer):
    """Everything that the stream brings, when `answer` is sent into it."""
    command = [str(PROGRAMS / "handoffctl"), "stream", "--type", TYPE, "--bus", machine.bus]
    result = subprocess.run(command, input=answer, capture_output=True, timeout=5 * TIMEOUT, check=False)
    if result.returncode:
        raise Failure(f"{machine.name}: handoffctl stream: {result.stderr.decode().strip()}")
    return result.stdout


if __name__ == "__main__":
    adapters = run_story_on_radios(story, __doc__)
    if adapters:
        run_story(lambda: plain_channel(*adapters))
