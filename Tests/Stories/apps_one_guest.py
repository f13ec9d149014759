#!/usr/bin/env python3
"""The apps of Docs/Adopting.md: one on desktop continues an activity of the other on laptop; a web page opens.

apps_one_guest.py               on a simulated air; needs no Bluetooth
apps_one_guest.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import os
import pathlib
import re
import subprocess
import tempfile

from world import (
    Lines, Steps, app_environment, check, device, process, run_story_on_radios, trust_each_other, type_hash,
)

TYPE = "org.example.editor.editing"
PAGE = "https://example.org/page?a=b"
ADOPTING = pathlib.Path(__file__).parents[2] / "Docs/Adopting.md"


def story(radios):
    """Continues an activity in an app that is not running, and another in the browser."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-apps-") as name:
        directory = pathlib.Path(name)
        laptop_radio, desktop_radio = radios(directory)
        origin = write_origin(directory)
        received = write_desktop(directory)
        with device("laptop", directory, laptop_radio) as laptop, app_environment(directory):
            with device("desktop", directory, desktop_radio) as desktop:
                trust_each_other(laptop, desktop)
                with desktop.watching() as nearby:
                    with editing(laptop, origin) as editor:
                        in_the_app(steps, desktop, nearby, editor, received)
                    nearby.wait_empty()
                    in_the_browser(steps, laptop, desktop, nearby, directory)
    print("apps: ok", flush=True)


def in_the_app(steps, desktop, nearby, editor, received):
    """The app on desktop is started and notified, and receives what the app on laptop saves."""
    editor.stdin.write("Hello")
    editor.stdin.flush()
    with steps.step("laptop's app publishes an activity, and desktop lists the app for it"):
        nearby.wait(lambda entries: any(e.get("applicationName") == "Editor" for e in entries), "entry with the app")
    # The app reads a letter at a time.
    while desktop.ctl("continue", "--print", "--fresh")["userInfo"].get("text") != "Hello":
        pass
    with steps.step("desktop's app is started and continues the activity"):
        result = desktop.ctl("continue")
    check(result, {"outcome": "app", "application": "org.example.Editor"})
    check(received.read_text(encoding="utf-8"), "waiting for laptop\nDraft: Hello\n")
    with steps.step("laptop's app is notified of the continuation"):
        Lines(editor.stdout).wait(lambda line: line == "desktop goes on with it", "notification in laptop's app")


def in_the_browser(steps, laptop, desktop, nearby, directory):
    """Continues an activity with a web page whose type no app claims."""
    activity_type = "org.example.drawing"
    with laptop.publishing("--type", activity_type, "--webpage", PAGE):
        with steps.step("laptop publishes a web page with a type that no app claims"):
            nearby.wait_for_type(type_hash(activity_type))
        with steps.step("desktop's browser opens the page"):
            check(desktop.ctl("continue")["outcome"], "browser")
            desktop.wait_log("event=app.ended")
    check((directory / "page").read_text(encoding="utf-8"), PAGE + "\n")


def programs():
    """The programs of Docs/Adopting.md: the one that publishes, and the one that continues."""
    blocks = re.findall(r"```python\n(.*?)```", ADOPTING.read_text(encoding="utf-8"), re.DOTALL)
    publishes = next(block for block in blocks if "WillSave" in block)
    continues = next(block for block in blocks if "WillContinue" in block)
    return publishes, continues


def write_origin(directory):
    """Writes laptop's app."""
    path = directory / "origin.py"
    path.write_text(programs()[0], encoding="utf-8")
    return path


def write_desktop(directory):
    """Writes desktop's app, its desktop file, its service file and a browser; returns the file of the app's output."""
    received = directory / "received"
    files = {
        "editor.py": programs()[1],
        "share/applications/org.example.Editor.desktop": (
            "[Desktop Entry]\nType=Application\nName=Editor\nDBusActivatable=true\n"
            f"X-Handoff-ActivityTypes={TYPE};\n"
        ),
        "share/dbus-1/services/org.example.Editor.service": (
            "[D-BUS Service]\nName=org.example.Editor\n"
            f"Exec=/bin/sh -c '/usr/bin/python3 {directory}/editor.py > {received}'\n"
        ),
        "bin/xdg-open": f"#!/bin/sh\necho \"$1\" > {directory}/page\n",
    }
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (directory / "bin/xdg-open").chmod(0o755)
    return received


def editing(machine, program):
    """Runs laptop's app, which reads its standard input."""
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": machine.bus}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return process(["/usr/bin/python3", program], env=environment, **pipes)


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
