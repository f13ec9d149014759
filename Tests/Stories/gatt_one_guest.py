#!/usr/bin/env python3
"""Two daemons with GATT channels, as on hosts without LE credit-based channels; runs in a guest of the rig.

One daemon supports only GATT, the other one both transports. Each fetches from the other, small and large activities.
"""

import contextlib
import json
import os
import sys
import tempfile

from world import Failure, Steps, device, rig, run_story, trust_each_other, type_hash

TYPE = "org.example.notes.editing"
# In bytes: two GATT frames, and twenty.
SMALL, LARGE = 1_000, 10_000


def fetch(steps, origin, caller, length):
    """Publishes an activity on one device, and continues it on the other."""
    text = "".join(chr(97 + index * 7 % 26) for index in range(length))
    with contextlib.ExitStack() as stack:
        nearby = stack.enter_context(caller.watching())
        with steps.step(f"{origin.name} publishes an activity, and {caller.name} discovers it"):
            stack.enter_context(origin.publishing("--type", TYPE, "--user-info", json.dumps({"text": text})))
            entry = nearby.wait_for_type(type_hash(TYPE))[0]
        with steps.step(f"{caller.name} continues {length} bytes over GATT"):
            activity = caller.ctl("continue", "--print", entry["id"])
            if activity["userInfo"] != {"text": text}:
                raise Failure("the activity arrived changed")
    # bluetoothd 5.66 crashes if a link ends while it waits for the answer to a read of our service. Both daemons use one
    # bluetoothd here, and each has its turn just when the other one drops its link (Docs/BlueZ.md).
    with steps.step(f"{caller.name} drops the link"):
        rig("rig_wait_for_end_of_links 30")


def story():
    """Runs all fetches between two devices."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        with device("laptop", logs, ["--adapter", "hci0", "--transport", "gatt"]) as laptop, \
                device("desktop", logs, ["--adapter", "hci1", "--transport", "both"]) as desktop:
            with steps.step("laptop and desktop trust each other by card"):
                trust_each_other(laptop, desktop)
            fetch(steps, laptop, desktop, SMALL)
            fetch(steps, desktop, laptop, SMALL)
            fetch(steps, laptop, desktop, LARGE)
    print("story of GATT: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest Tests/Stories/gatt_one_guest.py")
    run_story(story)
