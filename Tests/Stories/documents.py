#!/usr/bin/env python3
"""A document follows its activity: the app on the other computer gets the same file once it has been synchronised.

documents.py               on a simulated air; needs no Bluetooth
documents.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import json
import pathlib
import subprocess
import tempfile

from world import (
    PROGRAMS, TIMEOUT, Failure, Steps, app_environment, check, device, process, run_story_on_radios, trust_each_other,
    type_hash,
)

TYPE = "org.example.writing"


def story(radios):
    """Continues an activity with a document, which is synchronised a moment later."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-documents-") as name:
        directory = pathlib.Path(name).resolve()
        laptop_radio, desktop_radio = radios(directory)
        source, destination = directory / "laptop docs", directory / "desktop/docs"
        source.mkdir()
        destination.mkdir(parents=True)
        received = write_reader(directory)
        with device("laptop", directory, laptop_radio) as laptop, app_environment(directory):
            with device("desktop", directory, desktop_radio) as desktop:
                trust_each_other(laptop, desktop)
                laptop.ctl("folders", "add", "docs", source)
                desktop.ctl("folders", "add", "docs", destination)
                report = source / "2026/report ü.txt"
                report.parent.mkdir()
                report.write_text("as it is", encoding="utf-8")
                with desktop.watching() as nearby, laptop.publishing("--type", TYPE, "--document", report):
                    with steps.step("laptop publishes a document, and desktop discovers it"):
                        nearby.wait_for_type(type_hash(TYPE))
                    with steps.step("desktop waits for the file, and its app gets it"):
                        continue_document(desktop, report, destination / "2026/report ü.txt")
                    check(document(received), (destination / "2026/report ü.txt").as_uri())
                    with steps.step("the file leaves its folder, and the entry is removed on desktop"):
                        report.rename(directory / "elsewhere.txt")
                        nearby.wait_empty()
    print("documents: ok", flush=True)


def continue_document(machine, source, destination):
    """Continues while the file does not exist, and synchronises it once the daemon waits for it."""
    command = [PROGRAMS / "handoffctl", "continue", "--bus", machine.bus]
    with process(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as continuing:
        machine.wait_log("event=document.awaited")
        destination.parent.mkdir()
        part = destination.with_name(".part")
        part.write_bytes(source.read_bytes())
        part.rename(destination)
        errors = continuing.communicate(timeout=TIMEOUT)[1]
    if continuing.returncode:
        raise Failure(f"handoffctl continue: {errors.strip()}")
    machine.wait_log("event=app.ended")


def document(received):
    """The URL of the document that the app received."""
    return json.loads(received.read_text(encoding="utf-8"))["userInfo"]["NSUserActivityDocumentURLKey"]["$url"]


def write_reader(directory):
    """Writes an app that saves what it receives; returns the file."""
    received, reader = directory / "received", directory / "reader"
    reader.write_text(f"#!/bin/sh\ncat > {received}\n", encoding="utf-8")
    reader.chmod(0o755)
    entry = directory / "share/applications/org.example.Reader.desktop"
    entry.parent.mkdir(parents=True)
    entry.write_text(
        f"[Desktop Entry]\nType=Application\nName=Reader\nX-Handoff-Exec={reader}\nX-Handoff-ActivityTypes={TYPE};\n",
        encoding="utf-8",
    )
    return received


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
