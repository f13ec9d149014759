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
CONFIGURATION = pathlib.Path("/etc/bluetooth/main.conf")


def registrations():
    """The number of advertisements that were registered at bluetoothd."""
    log = pathlib.Path(os.environ["RIG_RESULTS"], "bluetoothd.log").read_text(encoding="utf-8", errors="replace")
    return log.count("RegisterAdvertisement")


def next_slot():
    """Sets the clock forward, and waits until an advertisement is registered."""
    log = pathlib.Path(os.environ["RIG_RESULTS"], "bluetoothd.log")
    before = registrations()
    subprocess.run(["date", f"--set=@{time.time() + SLOT}"], check=True, stdout=subprocess.DEVNULL)
    rig(f"rig_until 60 bash -c '(($(grep -c RegisterAdvertisement \"{log}\") > {before}))'")


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
                with steps.step(f"privacy {privacy}: in slot {number + 1}, laptop registers a new advertisement"):
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
