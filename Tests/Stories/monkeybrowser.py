#!/usr/bin/env python3
"""The sample app: four tabs continue in the same tab on the other device, a page of 1 MB follows in a stream, and a
daemon is restarted while its browser runs.

monkeybrowser.py               on a simulated air; needs no Bluetooth
monkeybrowser.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

from world import PROGRAMS, Failure, Lines, Steps, device, process, run_story_on_radios, trust_each_other, type_hash

ID = "org.handoffd.MonkeyBrowser"
SAMPLE = pathlib.Path(__file__).parents[2] / "Examples/MonkeyBrowser"
SIZE = 1_000_000


class Browser:
    """A MonkeyBrowser that is controlled by the story."""

    def __init__(self, child, name):
        self._commands = child.stdin
        self._name = name
        self.lines = Lines(child.stdout)

    def send(self, *commands):
        """Sends commands one after the other; returns what was printed meanwhile."""
        shown = len(self.lines.seen)
        for command in commands:
            self._commands.write(command + "\n")
            self._commands.flush()
            verb = command.split()[0]
            self.lines.wait(lambda line: line.startswith((f"done {verb}", f"cannot {verb}")), f"end of {command}")
        return self.lines.seen[shown:]

    def wait_for(self, text):
        """The next line that contains `text`."""
        return self.lines.wait(lambda line: text in line, f"\"{text}\" in the browser of {self._name}")


@contextlib.contextmanager
def browser(machine):
    """Runs a browser on a machine's bus."""
    environment = dict(os.environ, DBUS_SESSION_BUS_ADDRESS=machine.bus)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    with process([PROGRAMS / "monkeybrowser"], **pipes) as child:
        running = Browser(child, machine.name)
        running.wait_for("ready")
        yield running


def tab_type(tab):
    """The hash of a tab's activity type."""
    return type_hash(f"{ID}.tab{tab}")


def four_tabs(steps, desktop, nearby, there, here):
    """Continues each of the tabs on the other device."""
    for tab in (1, 2, 3, 4):
        with steps.step(f"tab {tab} continues in tab {tab}, with its notes"):
            page = f"https://example.org/{tab}"
            there.send(f"tab {tab}", f"open {page}", f"note to {tab}")
            nearby.wait_for_type(tab_type(tab))
            outcome = desktop.ctl("continue")
            if outcome["application"] != ID:
                raise Failure(f"another app continued the activity: {outcome}")
            here.wait_for(f"continued from laptop: tab {tab}: {page} [\"to {tab}\"]")
            there.wait_for(f"tab {tab}: continued on desktop")


def page_in_a_stream(steps, there, here):
    """Fetches a page that is too large for userInfo."""
    there.send(f"fill {SIZE}")
    begin = time.monotonic()
    with steps.step("a page of 1 MB follows in a stream"):
        shown = [line for line in here.send("fetch") if f"page of {SIZE} bytes" in line]
        if not shown:
            raise Failure(f"no page was received: {here.lines.seen[-3:]}")
        there.wait_for(f"sent {SIZE} bytes to desktop, sum {shown[0].split()[-1]}")
    print(f"monkeybrowser: {SIZE / (time.monotonic() - begin) / 1000:.0f} kB/s for the page", flush=True)


def new_daemon(steps, laptop, desktop, nearby, there, here):
    """Restarts the daemon of a running browser."""
    with steps.step("laptop's daemon stops, and the tab's entry is removed on desktop"):
        laptop.daemon.terminate()
        laptop.daemon.wait()
        nearby.wait_empty()
    with steps.step("the daemon is started again, and the tab continues with the note that was added meanwhile"):
        there.send("note in between")
        laptop.start()
        nearby.wait_for_type(tab_type(4))
        desktop.ctl("continue")
        here.wait_for("in between")


def story(radios):
    """Runs all parts with two devices and two browsers."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-monkeybrowser-") as directory:
        share = pathlib.Path(directory) / "share"
        (share / "applications").mkdir(parents=True)
        shutil.copy(SAMPLE / f"{ID}.desktop", share / "applications")
        os.environ["XDG_DATA_HOME"] = str(share)
        laptop_radio, desktop_radio = radios(pathlib.Path(directory))
        with device("laptop", directory, laptop_radio) as laptop, \
                device("desktop", directory, desktop_radio) as desktop:
            trust_each_other(laptop, desktop)
            with browser(laptop) as there, browser(desktop) as here, desktop.watching() as nearby:
                four_tabs(steps, desktop, nearby, there, here)
                page_in_a_stream(steps, there, here)
                new_daemon(steps, laptop, desktop, nearby, there, here)
    print("monkeybrowser: ok", flush=True)


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
