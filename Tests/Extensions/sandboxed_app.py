"""The app that test_flatpak installs; runs inside a real Flatpak's sandbox.

    sandboxed publish         offers an activity until its input ends, and prints what it is told
    sandboxed probe OWNER     prints what each way to the name for control leads to; OWNER is its unique name
    sandboxed                 continues an activity, as the desktop file starts it
"""

import json
import os
import socket
import sys

import dbus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

APP, TYPE, ROOT = "org.example.Sandboxed", "org.example.sandboxed.editing", "/org/handoffd/Handoff1"
APPS, CONTROL, MANAGER = "org.handoffd.Handoff1", "org.handoffd.Control1", "org.handoffd.Manager1"
DELEGATE = "org.handoffd.ActivityDelegate1"


def tell(event, **details):
    """Prints an event for the test."""
    print(json.dumps({"event": event, **details}), flush=True)


def dictionary(**values):
    """A dictionary as the daemon expects it."""
    return dbus.Dictionary(values, signature="sv")


class Offer(dbus.service.Object):
    """An activity of this app, and its delegate."""

    def __init__(self, bus):
        super().__init__(bus, "/delegate")
        # Of everything that the bus lets through.
        bus.add_signal_receiver(
            lambda *_, sender, path, member: tell("signal", sender=sender, path=path, member=member),
            sender_keyword="sender", path_keyword="path", member_keyword="member",
        )
        properties = {
            "Delegate": dbus.ObjectPath("/delegate"), "NeedsSave": True, "SupportsContinuationStreams": True,
        }
        path = bus.call_blocking(
            APPS, ROOT, MANAGER, "CreateActivity", "sa{sv}a{sv}", (TYPE, dictionary(**properties), dictionary()),
        )
        self.activity = dbus.Interface(bus.get_object(APPS, path), "org.handoffd.Activity1")
        self.activity.BecomeCurrent(dictionary())
        tell("offered", path=path)

    @dbus.service.method(DELEGATE, in_signature="oa{sv}")
    def WillSave(self, _activity, _options):
        """Saves what was not saved yet."""
        state = dbus.Dictionary({"line": dbus.Int64(7)}, signature="sv")
        self.activity.Set("org.handoffd.Activity1", "UserInfo", state, dbus_interface=dbus.PROPERTIES_IFACE)

    @dbus.service.method(DELEGATE, in_signature="oosa{sv}")
    def WasContinued(self, _activity, _device, name, options):
        """Tells who goes on with it."""
        tell("continued", device=name, kind=options["Kind"])

    @dbus.service.method(DELEGATE, in_signature="ohosa{sv}")
    def DidReceiveStream(self, _activity, stream, _device, name, _options):
        """Sends a text over a stream."""
        with socket.socket(fileno=stream.take()) as connection:
            connection.sendall(b"through the proxy")
            connection.shutdown(socket.SHUT_WR)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, bytes(8))
        tell("streamed", device=name)


class Continuation(dbus.service.Object):
    """What continues activities of other devices."""

    @dbus.service.method("org.handoffd.Application1", in_signature="sa{sv}", out_signature="b")
    def WillContinue(self, _type, _options):
        """Shows nothing."""
        return False

    @dbus.service.method("org.handoffd.Application1", in_signature="a{sv}a{sv}", out_signature="b")
    def Continue(self, activity, options):
        """Tells the test what it got, by a pipe among the app's own files."""
        got = {"type": activity["Type"], "line": int(activity["UserInfo"]["line"]), "device": options["DeviceName"]}
        with open(os.path.join(os.environ["XDG_DATA_HOME"], "continued"), "w", encoding="utf-8") as pipe:
            json.dump({**got, "sandboxed": os.path.exists("/.flatpak-info")}, pipe)
        return True


def probe(bus, owner):
    """Prints the answer to each call for control, and the names that this app sees."""
    def outcome(name, interface, member, signature="", arguments=()):
        try:
            bus.call_blocking(name, ROOT, interface, member, signature, arguments)
            return "performed"
        except dbus.DBusException as error:
            return error.get_dbus_name()

    answers = {}
    for name in (CONTROL, owner):
        answers[name] = {
            "Leave": outcome(name, MANAGER, "Leave", "a{sv}", (dictionary(),)),
            "Card": outcome(name, MANAGER, "Card", "a{sv}", (dictionary(),)),
            "GetManagedObjects": outcome(name, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"),
            "Introspect": outcome(name, "org.freedesktop.DBus.Introspectable", "Introspect"),
        }
    try:
        started = bus.call_blocking(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName", "su",
            (CONTROL, dbus.UInt32(0)),
        )
    except dbus.DBusException as error:
        started = error.get_dbus_name()
    apps = outcome(APPS, "org.freedesktop.DBus.Peer", "Ping")
    tell("probed", answers=answers, apps=apps, started=started, names=[str(name) for name in bus.list_names()])


def main():
    """Does what the command line says."""
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    loop = GLib.MainLoop()
    if sys.argv[1:2] == ["probe"]:
        return probe(bus, sys.argv[2])
    if sys.argv[1:2] == ["publish"]:
        bus.offer = Offer(bus)
        GLib.io_add_watch(0, GLib.IO_HUP | GLib.IO_IN, lambda *_: loop.quit())
    else:
        bus.continuation = Continuation(bus, "/" + APP.replace(".", "/"), dbus.service.BusName(APP, bus))
    return loop.run()


if __name__ == "__main__":
    main()
