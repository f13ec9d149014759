#!/usr/bin/env python3
"""Two computers, "laptop" and "desktop": an activity of one is continued on the other.

demo.py               on a simulated air; needs no Bluetooth
demo.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import contextlib
import pathlib
import sys
import tempfile

from world import Steps, device, run_story_on_radios, trust_each_other, type_hash

TYPE = "org.example.notes.editing"
USER_INFO = """{"note": 42, "cursor": 17.5, "unsaved": true, "author": null, "text": "Milk, eggs, bread",
 "thumbnail": {"$data": "iVBORw0KGgo="}, "changed": {"$date": "2026-11-21T09:30:00.25Z"},
 "source": {"$url": "https://example.org/notes/42"}, "tags": {"$set": ["home", "shopping"]},
 "selection": [3, 9], "view": {"zoom": {"$real": 2}}}"""


def story(radios):
    """Trusts, publishes, discovers, continues, and ends the activity."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-demo-") as directory:
        laptop_radio, desktop_radio = radios(pathlib.Path(directory))
        with device("laptop", directory, laptop_radio) as laptop, \
                device("desktop", directory, desktop_radio) as desktop:
            with steps.step("laptop and desktop trust each other by card"):
                trust_each_other(laptop, desktop)
            with desktop.watching() as nearby, contextlib.ExitStack() as publication:
                with steps.step(f"laptop publishes {TYPE}, and desktop discovers it"):
                    publication.enter_context(
                        laptop.publishing(
                            "--type", TYPE, "--title", "Shopping", "--user-info", USER_INFO,
                            "--webpage", "https://example.org/notes/42",
                        )
                    )
                    entries = nearby.wait_for_type(type_hash(TYPE))
                show("the nearby activity on desktop", entries)
                with steps.step("desktop continues the activity"):
                    activity = desktop.ctl("continue", "--print", entries[0]["id"])
                show("the activity as it was received", [activity])
                with steps.step("the activity ends on laptop, and its entry is removed on desktop"):
                    publication.close()
                    nearby.wait_empty()
    if activity["type"] != TYPE or activity["title"] != "Shopping" or activity["userInfo"]["note"] != 42:
        sys.exit(f"demo: the activity arrived changed: {activity}")
    print("demo: ok", flush=True)


def show(heading, documents):
    """Prints JSON objects in a readable form."""
    print(f"\n    {heading}:")
    for document in documents:
        for key, value in document.items():
            print(f"      {key}: {value}")
    print(flush=True)


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
