#!/usr/bin/env python3
"""Measures KDE Connect beside handoffd: a page, a file of 100 MB, memory and wake-ups at rest.

kdeconnect.py [SECONDS]      the daemons rest for SECONDS, 30 by default

Two computers have kdeconnectd, and two have handoffd, of HANDOFF_PROGRAMS or else of the debug build. Each computer is
in a network namespace of its own, which a virtual cable joins to that of its peer, and has a bus of its own. Who is not
root needs user namespaces. KDE Connect also has a display, since it opens no page without one. Without KDE Connect, the
exit status is 2.
"""

import contextlib
import filecmp
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("Tests/Stories", "Tests/Window", "Tests/Benchmarks")]

from network import Host, Pair, bare_copy, connect, stream_copy  # noqa: E402
from resting import memory  # noqa: E402
from screen import display  # noqa: E402
from world import (  # noqa: E402
    TIMEOUT, Lines, app_environment, check, print_ends, private_bus, process, run_story, type_hash, wake_ups,
    woken_since,
)

# Where D-Bus finds what to start for KDE Connect's name: the program's directory differs between distributions.
SERVICE = pathlib.Path("/usr/share/dbus-1/services/org.kde.kdeconnect.service")
BUS_NAME = "org.kde.kdeconnect"
# Signals of KDE Connect 22.12, and of 25.04, where 3 is the state of a paired device. Both load plug-ins before they
# send it (core/device.cpp).
PAIRED = r"\.trustedChanged \(true|\.pairStateChanged \(3"
ADDRESSES = ("10.9.0.1/24", "10.9.0.2/24")
PAGE_TYPE, COPY_TYPE = "org.example.reading", "org.handoffd.document.copy"
# How often a page is opened, after one that does not count, and how often a file is sent.
PAGES, FILES = 10, 3
SIZE = 100_000_000
# The simulated radio costs only processor time, except that advertisements keep their interval (Docs/Simulation.md).
AIR = "delay 0\nbandwidth 1000000000\nmtu 65535\n"
NOTE = """
handoffd's page comes over a simulated radio without delay, and is fetched by a command on the computer that goes on
with it; its connection waits for the next advertisement, of which one comes every 0.15 s, and the command begins
just after one. KDE Connect's page comes over TCP through a virtual cable, in a connection that is always open, and is
sent by a command on the other computer. A real radio would add its own time to handoffd's: the figures compare the
programs, and not the radios. Files and streams of both go over TCP through a cable of the same kind; those of handoffd
begin on the simulated radio, and move to the cable. A stream is timed from its first byte, and is not written to a
disk. Of memory, wake-ups and times, less is better; of MB/s, more."""


class Computer:
    """A computer with KDE Connect: its daemon, and the signals that the daemon has sent."""

    def __init__(self, name, home, bus, shown):
        self.name, self.home, self.bus = name, home, bus
        self.environment = {
            **os.environ, "HOME": str(home), "DBUS_SESSION_BUS_ADDRESS": bus,
            "DISPLAY": shown, "QT_QPA_PLATFORM": "xcb",
            "XDG_CONFIG_HOME": str(home / "config"), "XDG_DATA_HOME": str(home / "data"),
            "XDG_CACHE_HOME": str(home / "cache"), "XDG_RUNTIME_DIR": str(home / "run"), "XDG_DATA_DIRS": "/usr/share",
        }
        self.downloads, self.log_path = home / "Downloads", home / "log"
        for directory in (home / "config/kdeconnect", self.downloads):
            directory.mkdir(parents=True)
        # Qt refuses a runtime directory that others can read.
        (home / "run").mkdir(mode=0o700)
        (home / "config/kdeconnect/config").write_text(f"[General]\nname={name}\n", encoding="utf-8")
        self.daemon = self.signals = self.id = None

    def start(self, stack, host):
        """Starts the daemon in a namespace, and waits until it owns its name on the bus."""
        log = stack.enter_context(open(self.log_path, "w", encoding="utf-8"))
        command = [*host.prefix, daemon_program()]
        self.daemon = stack.enter_context(process(command, stdout=log, stderr=log, env=self.environment))
        subprocess.run(["gdbus", "wait", "--address", self.bus, "--timeout", "30", BUS_NAME], check=True)
        monitor = ["gdbus", "monitor", "--address", self.bus, "--dest", BUS_NAME]
        self.signals = Lines(stack.enter_context(process(monitor, stdout=subprocess.PIPE, text=True)).stdout)
        self.wait(f"The name {BUS_NAME} is owned")
        self.id = self.run("--my-id")

    def command(self, *arguments):
        """The words of a command line of KDE Connect."""
        return ["kdeconnect-cli", *map(str, arguments)]

    def run(self, *arguments):
        """What a command of KDE Connect prints."""
        done = subprocess.run(
            self.command(*arguments), env=self.environment, check=True, timeout=TIMEOUT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        return done.stdout.strip()

    def call(self, peer, method):
        """Calls a method of the daemon's object for a peer, which has no arguments."""
        path, method = f"/modules/kdeconnect/devices/{peer.id}", f"{BUS_NAME}.device.{method}"
        words = ["gdbus", "call", "--address", self.bus, "--dest", BUS_NAME, "--object-path", path, "--method", method]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, timeout=TIMEOUT)

    def wait(self, pattern):
        """Waits for a signal whose line matches a regular expression."""
        self.signals.wait(lambda line: re.search(pattern, line), f"\"{pattern}\" on the bus of {self.name}")


def daemon_program():
    """The path of KDE Connect's daemon; None without KDE Connect."""
    if not SERVICE.exists() or not shutil.which("kdeconnect-cli"):
        return None
    return re.search(r"^Exec=(\S+)", SERVICE.read_text(encoding="utf-8"), re.MULTILINE)[1]


@contextlib.contextmanager
def kde_computers(directory, shown):
    """Two computers with KDE Connect, which are paired."""
    computers = []
    with contextlib.ExitStack() as stack:
        hosts = (Host(stack), Host(stack))
        connect(*hosts)
        for host, address in zip(hosts, ADDRESSES):
            host.interface("net", address)
            # A daemon looks for others by a broadcast to 255.255.255.255, which needs a route.
            host.ip("route add default dev net")
        try:
            for name, host in zip(("laptop", "desktop"), hosts):
                bus = stack.enter_context(private_bus(directory))
                computers.append(Computer(name, directory / f"kde-{name}", bus, shown))
                computers[-1].start(stack, host)
            pair(*computers)
            yield computers
        except BaseException:
            for computer in computers:
                print_ends(f"KDE Connect of {computer.name}", computer.log_path)
            raise


def pair(laptop, desktop):
    """Pairs two computers with KDE Connect, as their users do."""
    laptop.wait(rf"deviceAdded \('{desktop.id}'")
    laptop.run("--pair", "-d", desktop.id)
    desktop.wait(r"\.pairingRequestsChanged")
    desktop.call(laptop, "acceptPairing")
    for computer in (laptop, desktop):
        computer.wait(PAIRED)


@contextlib.contextmanager
def browser(directory):
    """A program xdg-open in `bin` that passes addresses to this one; yields these lines."""
    fifo, program = directory / "opened", directory / "bin/xdg-open"
    os.mkfifo(fifo)
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho \"$1\" > {fifo}\n", encoding="utf-8")
    program.chmod(0o755)
    reading = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    # While one program has it open for writing, the lines do not end.
    with open(fifo, "w", encoding="utf-8"):
        os.set_blocking(reading, True)
        yield Lines(os.fdopen(reading, encoding="utf-8"))


def opened(command, page, pages, environment=None):
    """Runs a command; returns the seconds until the browser of the other computer is run with a page."""
    begin = time.monotonic()
    with process(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        pages.wait(lambda line: line == page, f"{page} in the browser")
        took = time.monotonic() - begin
        check(running.wait(timeout=TIMEOUT), 0)
    return took


def page_times(kde, handoff, pages):
    """The milliseconds until a page opens, with both programs in turn, and handoffd's without its connections."""
    times = [], [], []
    laptop, desktop = kde
    with handoff.desktop.watching() as nearby:
        for number in range(PAGES + 1):
            page = f"https://example.org/kde/{number}"
            command = laptop.command("-d", desktop.id, "--share", page)
            times[0].append(opened(command, page, pages, laptop.environment) * 1000)
            page = f"https://example.org/handoff/{number}"
            with handoff.laptop.publishing("--type", PAGE_TYPE, "--webpage", page):
                entry = nearby.wait_for_only(type_hash(PAGE_TYPE))[0]
                handoff.desktop.lines.skip()
                times[1].append(opened(handoff.desktop.command("continue", entry["id"]), page, pages) * 1000)
                times[2].append(times[1][-1] - connecting_time(handoff.desktop))
            nearby.wait_empty()
    return [one[1:] for one in times]


def connecting_time(machine):
    """The milliseconds that handoffd took for its last connection, until the peer's greeting: from the log's times."""
    lines = [machine.wait_log(f"event=fetch.{event} ") for event in ("began", "greeted")]
    began, greeted = (float(re.search(r"uptime=([0-9.]+)", line)[1]) for line in lines)
    return (greeted - began) * 1000


def command_times(kde, handoff):
    """The milliseconds of a command that only asks its daemon for something, with both programs in turn."""
    times = [], []
    for _ in range(PAGES):
        begin = time.monotonic()
        kde[0].run("--my-id")
        middle = time.monotonic()
        handoff.desktop.ctl("status")
        times[0].append((middle - begin) * 1000)
        times[1].append((time.monotonic() - middle) * 1000)
    return times


def file_speeds(kde, handoff, path):
    """The MB/s of a file from the command to its end, with both programs in turn."""
    speeds, downloads = ([], []), path.parent / "downloads"
    downloads.mkdir()
    with process(handoff.laptop.command("publish", "--copy", path), stdout=subprocess.DEVNULL), \
            handoff.desktop.watching() as nearby:
        nearby.wait_for_type(type_hash(COPY_TYPE))
        for _ in range(FILES):
            speeds[0].append(kde_file_speed(*kde, path))
            handoff.desktop.lines.skip()
            begin = time.monotonic()
            handoff.desktop.ctl("copy", "--into", downloads)
            speeds[1].append(SIZE / 1e6 / (time.monotonic() - begin))
            handoff.desktop.wait_log("event=stream.moved")
            take_away(downloads / path.name, path)
    return speeds


def kde_file_speed(laptop, desktop, path):
    """The MB/s of a file with KDE Connect, from the command until the receiving daemon tells that it is complete."""
    begin = time.monotonic()
    laptop.run("-d", desktop.id, "--share", path)
    desktop.wait(rf"\.shareReceived \('file://.*{path.name}'")
    took = time.monotonic() - begin
    take_away(desktop.downloads / path.name, path)
    return SIZE / 1e6 / took


def take_away(copy, original):
    """Checks that a copy is complete, and removes it."""
    check(filecmp.cmp(copy, original, shallow=False), True)
    copy.unlink()


def rest(daemons, seconds):
    """The wake-ups per second of each process, in the same seconds."""
    before = [wake_ups(daemon.pid) for daemon in daemons]
    # A fixed time, since wake-ups per second are measured.
    time.sleep(seconds)
    return [[woken_since(counts, daemon.pid) / seconds] for counts, daemon in zip(before, daemons)]


def memory_rows(state, daemons):
    """The rows for the resident memory of both daemons, and for its private part."""
    found = [memory(daemon.pid) for daemon in daemons]
    return [
        (f"{kind} memory, {state}", "MiB", [[amounts[index]] for amounts in found])
        for index, kind in enumerate(("resident", "private"))
    ]


def measure(kde, handoff, pages, directory, seconds):
    """Yields the rows of the table: what was measured, its unit, and the figures of KDE Connect and handoffd."""
    daemons = kde[1].daemon, handoff.desktop.daemon
    woken = rest(daemons, seconds)
    yield from memory_rows("paired, at rest", daemons)
    yield f"wake-ups in {seconds:g} s at rest", "/s", woken
    theirs, ours, unconnected = page_times(kde, handoff, pages)
    yield f"a page, from the command until it opens, {PAGES} times", "ms", [theirs, ours]
    yield "the same without handoffd's connection", "ms", [theirs, unconnected]
    yield "a command that only asks the daemon", "ms", command_times(kde, handoff)
    path = directory / "sample.bin"
    path.write_bytes(os.urandom(SIZE))
    files = file_speeds(kde, handoff, path)
    yield f"a file of 100 MB, from the command, {FILES} times", "MB/s", files
    streams = [stream_copy(handoff, SIZE) for _ in range(FILES)]
    yield "100 MB: the same file; a stream of handoffd", "MB/s", [files[0], streams]
    yield from memory_rows("after the files", daemons)


def cell(figures, unit):
    """The median of figures; with the extremes if there are several."""
    digits = 0 if statistics.median(figures) >= 100 else 1
    text = f"{statistics.median(figures):.{digits}f} {unit}"
    return text if len(figures) == 1 else f"{text} ({min(figures):.{digits}f} to {max(figures):.{digits}f})"


def print_row(what, unit, figures):
    """Prints a row of the table."""
    ratio = statistics.median(figures[1]) / statistics.median(figures[0])
    print(f"{what:<52}", *(f"{cell(one, unit):<26}" for one in figures), f"{ratio:.2f} ×", flush=True)


def story(seconds):
    """Prints the table."""
    with tempfile.TemporaryDirectory(prefix="handoff-kdeconnect-") as name, contextlib.ExitStack() as stack:
        directory = pathlib.Path(name)
        shown = stack.enter_context(display())
        stack.enter_context(app_environment(directory))
        # A bus whose services find a display would start a notification server for KDE Connect.
        os.environ.pop("DISPLAY", None)
        pages = stack.enter_context(browser(directory))
        kde = stack.enter_context(kde_computers(directory, shown))
        handoff = Pair(stack, directory)
        (directory / "air/air").write_text(AIR, encoding="utf-8")
        handoff.address(*([address] for address in ADDRESSES))
        version = kde[0].run("--version")
        print(f"{'(ratio: handoffd to KDE Connect)':<52} {version:<26} {'handoffd':<26} ratio", flush=True)
        for row in measure(kde, handoff, pages, directory, seconds):
            print_row(*row)
        print(f"bare TCP through such a cable: {bare_copy(handoff, SIZE):.0f} MB/s", NOTE, sep="\n", flush=True)


def main(arguments):
    """Runs the benchmark, as root of a namespace."""
    if not daemon_program():
        print("KDE Connect is not installed: install the package kdeconnect (Debian, Ubuntu)", file=sys.stderr)
        sys.exit(2)
    if os.geteuid():
        # In a namespace in which this user is root, all that the benchmark needs is allowed.
        os.execvp("unshare", ["unshare", "--map-root-user", "--net", sys.executable, *sys.argv])
    run_story(lambda: story(float(arguments[0]) if arguments else 30.0))


if __name__ == "__main__":
    main(sys.argv[1:])
