#!/usr/bin/env python3
"""A pipe between two devices: a megabyte through a continuation stream, and an answer back.

streams.py               on a simulated air; needs no Bluetooth
streams.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from world import PATIENCE, PROGRAMS, Failure, Steps, device, process, tell, trust_each_other, type_hash

TYPE = "org.example.pipe"
SIZE = 1_000_000


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
                    received = taking(desktop, b"thanks")
                took = time.monotonic() - begin
                answer = publisher.communicate(timeout=PATIENCE)[0]
    if received != sent:
        raise Failure(f"{len(received)} of {len(sent)} bytes arrived, or others")
    if answer != b"thanks" or publisher.returncode != 0:
        raise Failure(f"the laptop read {answer!r} and ended with {publisher.returncode}")
    print(f"streams: {SIZE / took / 1000:.0f} kB/s, from the tap to the last byte; ok", flush=True)


def publishing(machine, file):
    """Offers an activity with a stream, whose end is that file."""
    command = [PROGRAMS / "handoffctl", "publish", "--type", TYPE, "--stream", "--bus", machine.bus]
    return process(command, stdin=file, stdout=subprocess.PIPE)


def taking(machine, answer):
    """Everything that the stream brings, when `answer` is sent into it."""
    command = [str(PROGRAMS / "handoffctl"), "stream", "--type", TYPE, "--bus", machine.bus]
    result = subprocess.run(command, input=answer, capture_output=True, timeout=5 * PATIENCE, check=False)
    if result.returncode:
        raise Failure(f"{machine.name}: handoffctl stream: {result.stderr.decode().strip()}")
    return result.stdout


def simulated(directory):
    """The radios of both devices on one simulated air."""
    (directory / "air").mkdir()
    return 2 * (["--radio", f"simulated:{directory / 'air'}"],)


if __name__ == "__main__":
    adapters = sys.argv[1:]
    if len(adapters) not in (0, 2):
        sys.exit(__doc__)
    tell(lambda: story((lambda _: [["--adapter", name] for name in adapters]) if adapters else simulated))
