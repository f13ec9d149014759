#!/usr/bin/env python3
"""The app org.example.Editor, which continues activities: prints a line for each call that it receives.

Usage: app.py BUS. Each line of standard input is `yes`, `no` or `error`: how it answers Continue from then on; it is
repeated on standard output.
"""

import sys
import threading

import dbus
import dbus.bus
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

APPLICATION = "org.handoffd.Application1"


class App(dbus.service.Object):
    """Answers as it was told last."""

    answer = "yes"

    @dbus.service.method(APPLICATION, in_signature="sa{sv}", out_signature="b")
    def WillContinue(self, activity_type, options):
        print("WillContinue", flush=True)
        return True

    @dbus.service.method(APPLICATION, in_signature="a{sv}a{sv}", out_signature="b")
    def Continue(self, activity, options):
        print("Continue", flush=True)
        if self.answer == "error":
            raise dbus.DBusException("The editor has failed.", name="org.example.Error.Failed")
        return self.answer == "yes"

    @dbus.service.method(APPLICATION, in_signature="sssa{sv}")
    def DidFail(self, activity_type, error, message, options):
        print("DidFail", error, flush=True)


def listen(app, loop):
    """Takes the answers from standard input."""
    for line in sys.stdin:
        app.answer = line.strip()
        print(app.answer, flush=True)
    loop.quit()


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    dbus.mainloop.glib.threads_init()
    bus = dbus.bus.BusConnection(sys.argv[1])
    app = App(dbus.service.BusName("org.example.Editor", bus), "/org/example/Editor")
    loop = GLib.MainLoop()
    threading.Thread(target=listen, args=(app, loop), daemon=True).start()
    print("ready", flush=True)
    loop.run()


main()
