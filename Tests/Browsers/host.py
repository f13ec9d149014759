#!/usr/bin/env python3
"""A page goes from the browser of one device to that of another, through their hosts, without browsers.

host.py               on a simulated air; needs no Bluetooth
host.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Stories"))

from world import (  # noqa: E402
    PROGRAMS, Lines, Steps, app_environment, check, device, process, run_story_on_radios, trust_each_other,
)

TYPE = "NSUserActivityTypeBrowsingWeb"
PAGE = "https://example.org/page"
RELAY = pathlib.Path(__file__).resolve().parent / "relay.py"


def story(radios):
    """Publishes a page, fetches it with its state, and opens it."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-hosts-") as name:
        directory = pathlib.Path(name)
        laptop_radio, desktop_radio = radios(directory)
        install(directory)
        with device("laptop", directory, laptop_radio) as laptop, app_environment(directory), \
                device("desktop", directory, desktop_radio) as desktop:
            trust_each_other(laptop, desktop)
            with browser(laptop) as here, browser(desktop) as there, desktop.watching() as nearby:
                with steps.step("laptop's browser publishes a page, and desktop lists its own browser for it"):
                    here.send(type="page", url=PAGE, title="Page", focused=True)
                    nearby.wait(lambda all: any(e.get("applicationName") == "Firefox" for e in all), "the page")
                with steps.step("laptop's browser says where the user is, and desktop's opens the page there"):
                    state = {"anchor": "Here"}
                    here.answer("save", lambda m: {"type": "saved", "id": m["id"], "url": PAGE, "state": state})
                    opened = there.answer("open", lambda m: {"type": "opened", "id": m["id"], "opened": True})
                    result = desktop.ctl("continue")
                    check(result, {"outcome": "app", "application": "org.handoffd.Browser.Firefox"})
                    check((opened()["url"], opened()["state"]), (PAGE, state))
                with steps.step("laptop's browser is killed, and the page disappears"):
                    here.kill()
                    nearby.wait_empty()
    print("hosts: ok", flush=True)


def install(directory):
    """Writes what makes desktop's daemon find the browser, and Firefox the default one."""
    applications = directory / "share/applications"
    command = [PROGRAMS / "handoffctl", "browser", "install", "firefox", "--host", PROGRAMS / "handoff-browser-host"]
    environment = {**os.environ, "HOME": str(directory), "XDG_DATA_HOME": str(directory / "share")}
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    (applications / "firefox.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Firefox\nExec=true %u\nMimeType=x-scheme-handler/https;\n",
        encoding="utf-8",
    )


class Browser:
    """What stands for a browser with the extension."""

    def __init__(self, relay):
        self._relay, self._answers, self._got = relay, {}, {}
        self._lines = Lines(relay.stdout)

    def send(self, **message):
        self._relay.stdin.write(json.dumps(message) + "\n")
        self._relay.stdin.flush()

    def answer(self, name, answer):
        """Answers the next message of that type, when it comes; returns a function that returns it."""
        def wait():
            line = self._lines.wait(lambda line: f'"type":"{name}"' in line, f"a message {name}")
            self._got[name] = json.loads(line)
            self.send(**answer(self._got[name]))

        thread = threading.Thread(target=wait, daemon=True)
        thread.start()
        return lambda: (thread.join(), self._got[name])[1]

    def kill(self):
        self._relay.kill()
        self._relay.wait()


@contextlib.contextmanager
def browser(on):
    """A browser on a device's bus, whose host is ready."""
    environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": on.bus}
    command = [sys.executable, "-u", RELAY, PROGRAMS / "handoff-browser-host", "firefox"]
    with process(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as relay:
        made = Browser(relay)
        made.send(type="hello", protocol=1, browser="firefox")
        made._lines.wait(lambda line: '"available":true' in line, "the host")
        yield made


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
