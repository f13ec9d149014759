#!/usr/bin/env python3
"""A stranger connects to a device and opens nothing of ours; runs in a guest of the rig with three controllers.

The kernel says which links there are. The stranger reads the computer's name as long as its link lasts; the link is
dropped, and a trusted device that dials meanwhile is served then. A channel over which nothing comes is closed. A
stranger whose services bluetoothd has read, and that opens one such channel after another, loses its link, too.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from stranger import CONNECTION_LIMIT, Stranger, is_linked
from world import PROGRAMS, Failure, Steps, check, device, rig, run_story, trust_each_other, type_hash

TYPE = "org.example.notes.editing"
# The controllers of the laptop, of the desktop that it trusts, and of the stranger.
LAPTOP, DESKTOP, STRANGER = 0, 1, 2
NAME, NEUTRAL = "anna-thinkpad", "Computer"
# How often the stranger begins to connect.
CONNECTIONS = 5
# How long the link of a device that has proved who it is stays after its channel, in seconds.
TRUSTED_LINK = 20
# After how many seconds the link of a stranger that opens one silent channel after another counts as kept for good.
STUBBORN_LINK = 50


def set_alias(name):
    """Gives the laptop's controller a name, as `bluetoothctl system-alias` does."""
    subprocess.run(
        ["busctl", "--system", "set-property", "org.bluez", f"/org/bluez/hci{LAPTOP}", "org.bluez.Adapter1", "Alias",
         "s", name],
        check=True,
    )


def wait_for_end_of_link(other="", of=LAPTOP):
    """Waits until the kernel has no link between the laptop and another controller, or to none; it tells of that on no
    bus. Or the same of another controller than the laptop's."""
    program = pathlib.Path(__file__).with_name("stranger.py")
    rig(f"rig_until 60 python3 '{program}' unlinked {of} {other}")


def connect(port=0):
    """A link of the stranger, once the laptop has no other: btvirt gives two links of a controller one handle.

    btvirt reports an advertisement only when it begins, or when a scan begins, and not always if both do so at once: as
    when the laptop advertises anew after the end of a link, and the stranger connects then. It has to begin again.
    """
    for _ in range(CONNECTIONS):
        wait_for_end_of_link()
        wait_for_end_of_link(of=STRANGER)
        begin = time.monotonic()
        try:
            return Stranger(STRANGER, LAPTOP, port)
        except OSError as error:
            # The other side refuses at once; the kernel has the same error for a connection that takes too long.
            if time.monotonic() - begin < CONNECTION_LIMIT / 2:
                raise
            print(f"the stranger has not connected, and begins again: {error}", flush=True)
    raise Failure(f"the stranger has not connected in {CONNECTIONS} attempts")


def wait_for_advisory(laptop, is_given):
    """Waits until `handoffctl status` gives the advisory about the name, or gives it no more: the signal of a change
    does not name it."""
    status = f"'{PROGRAMS / 'handoffctl'}' status --json --bus '{laptop.bus}'"
    rig(f"rig_until 60 bash -c \"{'' if is_given else '!'} {status} | grep -q device-name\"")


def fetch(desktop, entry):
    """Lets the trusted device fetch the activity."""
    check(desktop.ctl("continue", "--print", entry["id"])["type"], TYPE)


def idle_link(steps, laptop, desktop, entry):
    """A link over which no channel is opened: its name is read, a trusted device is served, and the link is dropped."""
    with steps.step("a stranger connects, opens no channel, and reads the name of the computer"):
        set_alias(NAME)
        wait_for_advisory(laptop, True)
        with connect() as stranger:
            if not is_linked(LAPTOP, STRANGER):
                raise Failure("the kernel has no link to the stranger")
            check(stranger.read_name(), NAME)
            with steps.step("a trusted device is served meanwhile"):
                fetch(desktop, entry)
            with steps.step("the link to the stranger is dropped"):
                laptop.wait_log("dropped an idle link")
                wait_for_end_of_link(STRANGER)
                stranger.wait_closed()


def neutral_name(steps, laptop):
    """After the cure that the advisory names, the same connection reads a name that many computers have."""
    with steps.step("after the cure that the advisory names, a stranger reads a neutral name"):
        set_alias(NEUTRAL)
        wait_for_advisory(laptop, False)
        with connect() as stranger:
            check(stranger.read_name(), NEUTRAL)
            wait_for_end_of_link(STRANGER)


def idle_channel(steps, laptop, desktop, entry):
    """A channel over which nothing comes is closed, and its link dropped before a caller's would be
    (Docs/ThreatModel.md, 29)."""
    with steps.step("a stranger opens a channel and sends nothing, and the channel is closed"):
        with silent_channel() as stranger:
            if not is_linked(LAPTOP, STRANGER):
                raise Failure("the kernel has no link to the stranger")
            stranger.wait_closed()
            closed = time.monotonic()
            with steps.step("its link is dropped before that of a trusted device would be"):
                laptop.wait_log("has not proved who it is")
                wait_for_end_of_link(STRANGER)
                seconds = time.monotonic() - closed
                print(f"the link of a silent stranger ended {seconds:.1f} s after its channel", flush=True)
                if seconds >= TRUSTED_LINK:
                    raise Failure("the link was kept as long as that of a trusted device")
            with steps.step("a trusted device is served afterwards"):
                fetch(desktop, entry)
    return stranger.port


def repeated_channels(steps, laptop, desktop, entry, port):
    """A stranger whose services bluetoothd has read, and that opens silent channels for as long as it can: its link is
    dropped nevertheless (Docs/ThreatModel.md, 29)."""
    with steps.step("a stranger answers bluetoothd, and opens one silent channel after another"):
        with connect() as link:
            began = time.monotonic()
            # The first look at the link is after 5 s: by then there is a channel, and the services were read.
            is_up, channels = link.has_link(4), 0
            while is_up:
                with Stranger(STRANGER, LAPTOP, port) as channel:
                    channels += 1
                    channel.wait_closed()
                    is_up = link.has_link(0.1)
                if time.monotonic() - began > STUBBORN_LINK:
                    raise Failure(f"the link is still there after {channels} channels")
            print(f"the link of a stranger with {channels} channels ended after "
                  f"{time.monotonic() - began:.1f} s", flush=True)
            if channels < 2:
                raise Failure("the link ended with the first channel")
        wait_for_end_of_link()
        with steps.step("a trusted device is served afterwards"):
            fetch(desktop, entry)


def story():
    """Runs a stranger between two devices that trust each other."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        with device("laptop", logs, ["--adapter", f"hci{LAPTOP}"]) as laptop, \
                device("desktop", logs, ["--adapter", f"hci{DESKTOP}"]) as desktop:
            trust_each_other(laptop, desktop)
            with desktop.watching() as nearby, laptop.publishing("--type", TYPE):
                with steps.step("laptop publishes an activity, and desktop discovers it"):
                    entry = nearby.wait_for_type(type_hash(TYPE), 120)[0]
                fetch(desktop, entry)
                idle_link(steps, laptop, desktop, entry)
                neutral_name(steps, laptop)
                port = idle_channel(steps, laptop, desktop, entry)
                repeated_channels(steps, laptop, desktop, entry, port)
    print("story of strangers: ok", flush=True)


def silent_channel():
    """A channel to the port on which the laptop listens, which is the only one among those to advertise."""
    for port in range(0x80, 0x9F):
        try:
            return connect(port)
        except OSError:
            continue
    raise Failure("the laptop listens on no port")


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest --adapters 3 Tests/Stories/strangers_one_guest.py")
    run_story(story)
