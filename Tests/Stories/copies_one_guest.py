#!/usr/bin/env python3
"""A file of no synchronised folder is copied from laptop to desktop, by a command and by continuing.

copies_one_guest.py               on a simulated air; needs no Bluetooth
copies_one_guest.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

from world import (
    PROGRAMS, TIMEOUT, Failure, Lines, Steps, app_environment, check, device, process, run_story_on_radios,
    trust_each_other, type_hash,
)

TYPE = "org.handoffd.document.copy"
NAME = "report ä.pdf"
SIZE = 30_000
WRITTEN = 1_700_000_000
EXTENSIONS = pathlib.Path(__file__).resolve().parents[2] / "Extensions"


def story(radios):
    """Offers a file, and takes two copies of it."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-copies-") as name:
        directory = pathlib.Path(name)
        laptop_radio, desktop_radio = radios(directory)
        content = write_file(directory)
        downloads = write_desktop(directory)
        with device("laptop", directory, laptop_radio) as laptop, app_environment(directory), \
                device("desktop", directory, desktop_radio) as desktop:
            trust_each_other(laptop, desktop)
            with offering(laptop, directory / NAME) as offer, desktop.watching() as nearby:
                with steps.step("laptop offers a file, and desktop discovers it"):
                    nearby.wait_for_type(type_hash(TYPE))
                with steps.step("desktop takes a copy, and laptop learns of it"):
                    take(desktop, downloads)
                    offer.wait(lambda line: json.loads(line).get("deviceName") == "desktop", "desktop's copy")
                expect(downloads / NAME, content)
                with steps.step("desktop continues it, and gets another copy beside the first"):
                    check(desktop.ctl("continue")["outcome"], "app")
                    desktop.wait_log("event=app.ended")
                expect(downloads / "report ä (2).pdf", content)
    print("copies: ok", flush=True)


@contextlib.contextmanager
def offering(machine, path):
    """Offers a file while the block runs; yields the lines that tell of it."""
    with process(machine.command("publish", "--copy", path), stdout=subprocess.PIPE, text=True) as publisher:
        yield Lines(publisher.stdout)


def take(machine, downloads):
    """Copies what the other computer offers."""
    command = [str(PROGRAMS / "handoffctl"), "copy", "--into", str(downloads), "--bus", machine.bus]
    result = subprocess.run(command, capture_output=True, text=True, timeout=2 * TIMEOUT, check=False)
    if result.returncode:
        raise Failure(f"{machine.name}: handoffctl copy: {result.stderr.strip()}")


def expect(path, content):
    """Fails unless the copy is complete, has the time of the original, and cannot be executed."""
    if path.read_bytes() != content:
        raise Failure(f"{path.name} is not as it was on laptop")
    status = path.stat()
    check((int(status.st_mtime), status.st_mode & 0o111), (WRITTEN, 0))


def write_file(directory):
    """Writes the file that laptop offers; returns its content."""
    content = os.urandom(SIZE)
    path = directory / NAME
    path.write_bytes(content)
    path.chmod(0o755)
    os.utime(path, (WRITTEN, WRITTEN))
    return content


def write_desktop(directory):
    """Installs the program that takes copies; returns the directory to which they go."""
    downloads = directory / "downloads"
    (directory / "config/handoff").mkdir(parents=True)
    (directory / "config/handoff/copy.conf").write_text(f"[copy]\ndirectory = {downloads}\n", encoding="utf-8")
    applications = directory / "share/applications"
    for path in (downloads, applications):
        path.mkdir(parents=True)
    (applications / "org.handoffd.Copy.desktop").write_text(
        "[Desktop Entry]\nType=Application\nName=Copies\n"
        f"X-Handoff-Exec=env PATH={PROGRAMS}:/usr/bin:/bin PYTHONPATH={EXTENSIONS} "
        f"XDG_CONFIG_HOME={directory}/config {EXTENSIONS}/Programs/handoff-copy\n"
        f"X-Handoff-ActivityTypes={TYPE};\n",
        encoding="utf-8",
    )
    return downloads


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
