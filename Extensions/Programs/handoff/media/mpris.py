"""The interfaces of media players on the session bus, and what of them both sides of handoff-media share."""

import re
import urllib.parse

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
# Stands for other players, and would be counted twice.
PROXY = PREFIX + "playerctld"
# How long a player may take to answer, in seconds; the origin waits for 2.5 s.
PATIENCE = 1.0
# The longest address that is offered, as of a web page in a browser.
MAXIMUM_ADDRESS = 2048
# What a position may be, in microseconds: a century.
MAXIMUM_POSITION = 100 * 366 * 24 * 3600 * 10**6


def is_player(name):
    """Whether a name on the bus is that of a player."""
    return name.startswith(PREFIX) and name != PROXY


def address(url):
    """The file or the web address of a player, as a part of an activity; None if it is neither."""
    file = re.fullmatch(r"file://(?:localhost)?(/.*)", url, re.S)
    if file:
        path = urllib.parse.unquote_to_bytes(file[1])
        return None if b"\0" in path else {"documentURL": "file://" + urllib.parse.quote(path)}
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return None
    is_page = parts.scheme in ("http", "https") and parts.hostname and parts.username is None and parts.password is None
    return {"webpageURL": url} if is_page and len(url.encode("utf-8", "replace")) <= MAXIMUM_ADDRESS else None
