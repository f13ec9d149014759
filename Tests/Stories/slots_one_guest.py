#!/usr/bin/env python3
"""Three slots of a quarter of an hour, with and without private addresses; runs in a guest of the rig.

The guest's clock is set forward, as when a user corrects it. The daemon notices that and registers a new advertisement.
All advertisements are in the capture, between two marks for each setting; Tests/Rig/slots.py reads them.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

from world import Failure, Steps, device, rig, run_story, trust_each_other, type_hash

TYPE = "org.example.notes.editing"
SLOT = 900
SLOTS = 3
# Reads the advertisements of each slot from a capture.
READER = pathlib.Path(__file__).parents[1] / "Rig" / "slots.py"
CONFIGURATION = pathlib.Path("/etc/bluetooth/main.conf")


def next_slot():
    """Sets the clock forward, and waits until the capture has an advertisement that began in the new slot.

    A registration that bluetoothd logs is not enough: it may be one of before, and an advertisement that bluetoothd has
    not handed to the kernel yet would begin in the slot after this one.
    """
    now = time.time() + SLOT
    subprocess.run(["date", f"--set=@{now}"], check=True, stdout=subprocess.DEVNULL)
    capture = pathlib.Path(os.environ["RIG_RESULTS"], "hci.btsnoop")
    rig(f"rig_until 60 python3 '{READER}' --adapter 0 --has-slot {int(now) // SLOT} '{capture}'")


def three_slots(steps, privacy, logs):
    """Advertises in three slots with one setting of Privacy."""
    CONFIGURATION.write_text(f"[General]\nPrivacy = {privacy}\n[GATT]\nChannels = 1\n", encoding="utf-8")
    # Without arguments, bluetoothd reads its default configuration file.
    rig("rig_stop_bluetoothd; rig_start_bluetoothd", RIG_BLUETOOTHD_ARGUMENTS="")
    with device(f"laptop-{privacy}", logs, ["--adapter", "hci0"]) as laptop, \
            device(f"desktop-{privacy}", logs, ["--adapter", "hci1"]) as desktop:
        trust_each_other(laptop, desktop)
        with steps.step(f"privacy {privacy}: an advisory reports a fixed address"):
            names = [advisory["name"] for advisory in laptop.ctl("status")["advisories"]]
            if ("public-address" in names) != (privacy == "off"):
                raise Failure(f"the advisories are {names}")
        with desktop.watching() as nearby, laptop.publishing("--type", TYPE):
            with steps.step(f"privacy {privacy}: desktop discovers an activity of laptop"):
                nearby.wait_for_type(type_hash(TYPE), 120)
            rig(f"rig_mark privacy-{privacy}-begins")
            for number in range(SLOTS):
                with steps.step(f"privacy {privacy}: in slot {number + 1}, laptop advertises anew"):
                    next_slot()
            rig(f"rig_mark privacy-{privacy}-ends")


def story():
    """Runs both settings."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        for privacy in ("off", "device"):
            three_slots(steps, privacy, logs)
    print("story of slots: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest Tests/Stories/slots_one_guest.py")
    run_story(story)
