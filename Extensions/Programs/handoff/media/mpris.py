"""The interfaces of media players on the session bus, and which names there are those of players of this computer."""

import contextlib
import os

from handoff.media.told import text

try:
    import dbus
    from dbus.mainloop.glib import DBusGMainLoop
    from gi.repository import GLib
except ImportError:
    dbus = DBusGMainLoop = GLib = None

TYPE = "org.handoffd.media"
PREFIX = "org.mpris.MediaPlayer2."
PATH = "/org/mpris/MediaPlayer2"
ROOT = "org.mpris.MediaPlayer2"
PLAYER = "org.mpris.MediaPlayer2.Player"
PROPERTIES = "org.freedesktop.DBus.Properties"
# How long a player may take to answer, in seconds; the origin waits for 2.5 s.
PATIENCE = 1.0
# Programs that stand for players: of another device, of a browser, or for one that would be counted twice. Their names
# on the bus begin so after the prefix, or so are they called themselves.
RELAYS = (
    "playerctld", "plasma-browser-integration", "kdeconnect", "kdeconnectd", "gsconnect", "valent", "mpris-proxy",
    "chromecast",
)
# The names of what brings players of other devices to this bus, which can have others for these.
SERVICES = ("org.kde.kdeconnect", "org.gnome.Shell.Extensions.GSConnect", "ca.andyholmes.Valent")
# What browsers play is a page, which their extension offers: not what is in a private window, and with its place.
BROWSERS = (
    "firefox", "librewolf", "chrome", "chromium", "google-chrome", "brave", "vivaldi", "opera", "msedge", "microsoft-edge",
    "epiphany", "falkon", "qutebrowser",
)


def is_player(bus, name):
    """Whether a name on the bus is that of a player of this computer, as far as its name and its owner tell."""
    kind = name.removeprefix(PREFIX)
    if kind == name or begins(kind, RELAYS) or begins(kind, BROWSERS):
        return False
    owner = process(bus, name)
    if owner is None:
        return True
    if owner in [process(bus, service) for service in SERVICES]:
        return False
    return not any(begins(word, RELAYS) for word in words(owner))


def begins(name, others):
    """Whether one of the others is the first part of a name, whatever its capitals."""
    name = name.lower()
    return any(name.startswith(other) and not name[len(other):][:1].isalnum() for other in others)


def process(bus, name):
    """The process that owns a name on the bus; None if nobody does, or it is not told."""
    try:
        address = dbus.BUS_DAEMON_NAME, dbus.BUS_DAEMON_PATH, dbus.BUS_DAEMON_IFACE
        return int(bus.call_blocking(*address, "GetConnectionUnixProcessID", "s", [name], timeout=PATIENCE))
    except (dbus.DBusException, TypeError, ValueError):
        return None


def words(number):
    """The names of a process: of its program, of the file that an interpreter executes, and of its extension."""
    found = []
    with contextlib.suppress(OSError):
        found.append(os.readlink(f"/proc/{number}/exe"))
    with contextlib.suppress(OSError), open(f"/proc/{number}/cmdline", "rb") as file:
        found += os.fsdecode(file.read(4096)).split("\0")[:2]
    extensions = [part for path in found for part in path.split("/") if "@" in part]
    return [os.path.basename(path) for path in found] + extensions


def is_browser(entry):
    """Whether a player is a browser, by the desktop file that it names (MPRIS, `DesktopEntry`)."""
    entry = text(entry).removesuffix(".desktop")
    if not entry or "/" in entry or "\0" in entry:
        return False
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for directory in [home, *shared.split(":")]:
        # The first one counts, as for every desktop file.
        with contextlib.suppress(OSError), open(f"{directory}/applications/{entry}.desktop", "rb") as file:
            return "WebBrowser" in categories(file.read(1024 * 1024).decode("utf-8", "replace"))
    return False


def categories(text):
    """The categories in the text of a desktop file."""
    values = [line.partition("=")[2] for line in text.splitlines() if line.partition("=")[0].strip() == "Categories"]
    return [word.strip() for value in values for word in value.split(";")]
