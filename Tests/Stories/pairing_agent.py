#!/usr/bin/env python3
"""A PairingAgent1 in Python: pairs this device, and prints one line for each call that it receives.

Usage: pairing_agent.py BUS yes|no [NAME]. NAME is the device to choose if there are several; the agent does not answer
while it is not among them. The lines begin with `choice`, `digits`, `cancelled`, `paired` or `failed`; after one of the
last two, the agent ends with status 0 or 1.
"""

import sys

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

AGENT = "org.handoffd.PairingAgent1"
PATH = "/org/example/agent"


class Agent(dbus.service.Object):
    """Answers every confirmation with the same answer."""

    def __init__(self, bus, answer, wanted, loop):
        super().__init__(bus, PATH)
        self.answer, self.wanted, self.loop = answer, wanted, loop
        self.status = 1

    def report(self, *words):
        print(*words, flush=True)

    @dbus.service.method(AGENT, in_signature="aa{sv}a{sv}", out_signature="t", async_callbacks=("choose", "fail"))
    def RequestChoice(self, candidates, options, choose, fail):
        self.report("choice", *[str(candidate["DeviceName"]) for candidate in candidates])
        for candidate in candidates:
            if candidate["DeviceName"] == self.wanted:
                choose(candidate["Number"])

    @dbus.service.method(AGENT, in_signature="sssa{sv}", out_signature="b")
    def RequestConfirmation(self, digits, device_name, device_id, options):
        self.report("digits", digits, device_id, device_name)
        return self.answer

    @dbus.service.method(AGENT, in_signature="sa{sv}", out_signature="")
    def Cancel(self, message, options):
        self.report("cancelled", message)

    @dbus.service.method(AGENT, in_signature="osa{sv}", out_signature="")
    def Paired(self, device, device_name, options):
        self.report("paired", device, device_name)
        self.status = 0
        self.loop.quit()

    @dbus.service.method(AGENT, in_signature="ssa{sv}", out_signature="")
    def Failed(self, error, message, options):
        self.report("failed", error, message)
        self.loop.quit()


def main():
    """Pairs this device; returns the exit status."""
    address, answer = sys.argv[1], sys.argv[2] == "yes"
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    bus = dbus.bus.BusConnection(address)
    loop = GLib.MainLoop()
    agent = Agent(bus, answer, sys.argv[3] if len(sys.argv) > 3 else None, loop)
    root = bus.get_object("org.handoffd.Control1", "/org/handoffd/Handoff1", introspect=False)
    root.Pair(dbus.ObjectPath(PATH), dbus.Dictionary({}, signature="sv"), dbus_interface="org.handoffd.Pairing1")
    loop.run()
    return agent.status


sys.exit(main())
