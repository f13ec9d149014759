#!/usr/bin/python3
"""Imitates a daemon of another version, with many activities and devices of odd names, on the session bus.

Prints "ready" when it has its name. It knows nothing of rules, apps and pairing, as an older daemon, and tells more
than this version knows, as a newer one.
"""

import dbus
import dbus.service
from dbus.mainloop.glib import DBusGMainLoop
from gi.repository import GLib
from pages import COUNT, ODD_NAMES

ROOT = "/org/handoffd/Handoff1"
MANAGER, DEVICE, NEARBY = (f"org.handoffd.{name}1" for name in ("Manager", "Device", "NearbyActivity"))


def device_name(number):
    """The name of a device: first the odd ones."""
    return ODD_NAMES[number] if number < len(ODD_NAMES) else f"device {number}"


def objects():
    """What the daemon exports, with properties, interfaces and values that no version has."""
    result = {}
    for number in range(COUNT):
        identity = f"{number:016x}"
        result[f"{ROOT}/Device/{identity}"] = {DEVICE: dbus.Dictionary({
            "ID": identity, "Name": device_name(number), "IntroducedBy": "", "Trust": dbus.Double(0.5),
            "LastSeen": dbus.UInt64(2**64 - 1),
        }, signature="sv"), "org.handoffd.Later1": dbus.Dictionary({}, signature="sv")}
        result[f"{ROOT}/Nearby/{number + 1}"] = {NEARBY: dbus.Dictionary({
            "Device": dbus.ObjectPath(f"{ROOT}/Device/{identity}"), "DeviceName": device_name(number),
            "Type": "org.example.notes", "OpensWith": "later" if number % 2 else "app",
            "Application": "org.example.Notes", "ApplicationName": "Notes", "ApplicationIcon": "no-such-icon",
            "RSSI": dbus.Int16(-40 - number % 50),
        }, signature="sv")}
    return dbus.Dictionary(
        {dbus.ObjectPath(path): dbus.Dictionary(interfaces, signature="sa{sv}") for path, interfaces in result.items()},
        signature="oa{sa{sv}}",
    )


class Daemon(dbus.service.Object):
    """The root object, with what the oldest daemon has."""

    @dbus.service.method("org.freedesktop.DBus.Properties", in_signature="s", out_signature="a{sv}")
    def GetAll(self, interface):
        if interface != MANAGER:
            raise dbus.DBusException("no such interface", name="org.freedesktop.DBus.Error.UnknownInterface")
        return dbus.Dictionary({
            "Version": "99.0.0", "DeviceID": "f" * 16, "DeviceName": "laptop", "RadioState": "ready",
            "RadioMessage": "imitated", "ProtocolVersion": "ninety-nine",
        }, signature="sv")

    @dbus.service.method("org.freedesktop.DBus.ObjectManager", out_signature="a{oa{sa{sv}}}")
    def GetManagedObjects(self):
        return objects()

    @dbus.service.method(MANAGER, in_signature="a{sv}")
    def StartLooking(self, options):
        print("looked for", flush=True)


def main():
    DBusGMainLoop(set_as_default=True)
    bus = dbus.SessionBus()
    name = dbus.service.BusName("org.handoffd.Control1", bus, do_not_queue=True)
    Daemon(bus, ROOT)
    print("ready", name.get_name(), flush=True)
    GLib.MainLoop().run()


if __name__ == "__main__":
    main()
