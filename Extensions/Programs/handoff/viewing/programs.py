"""Viewers: which programs come to the accessibility bus."""

from gi.repository import Gio, GLib

from handoff.viewing.pages import BUS, PATIENCE

BUS_PATH = "/org/freedesktop/DBus"


def watch_programs(began):
    """Calls `began` with the process of each program that comes to the accessibility bus; returns what keeps it doing so.

    A program of Qt learns after its start who wants to hear of its windows, and so may not tell that its first one has
    got the focus (qspiaccessiblebridge.cpp).
    """
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    try:
        bus = Gio.DBusConnection.new_for_address_sync(address(), flags, None, None)
    except GLib.Error:
        # Those that tell are followed all the same.
        return None

    def changed(*signal):
        name, before, after = signal[5].unpack()
        if name.startswith(":") and after and not before:
            process = process_of(bus, name)
            if process:
                began(process)

    bus.signal_subscribe(BUS, BUS, "NameOwnerChanged", BUS_PATH, None, Gio.DBusSignalFlags.NONE, changed)
    return bus


def address():
    """Of the accessibility bus."""
    session = Gio.bus_get_sync(Gio.BusType.SESSION)
    name = "org.a11y.Bus"
    return session.call_sync(
        name, "/org/a11y/bus", name, "GetAddress", None, None, Gio.DBusCallFlags.NONE, PATIENCE, None
    ).unpack()[0]


def process_of(bus, name):
    """The process that has a connection to a bus; None if it has gone."""
    try:
        return bus.call_sync(
            BUS, BUS_PATH, BUS, "GetConnectionUnixProcessID", GLib.Variant("(s)", (name,)), None,
            Gio.DBusCallFlags.NONE, PATIENCE, None,
        ).unpack()[0]
    except GLib.Error:
        return None
