#!/usr/bin/env python3
"""The app org.example.Editor, which continues activities: prints a line for each call that it receives.

Usage: app.py BUS. After the loss of the bus it appears on the next one at that address. Each line of standard input is `yes`, `no` or `error`: how it answers Continue from then on; it is
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


def say(*words):
    """Prints a line as one piece: two threads print."""
    sys.stdout.write(" ".join(words) + "\n")
    sys.stdout.flush()


class Answers:
    """What the app was told last to answer."""

    last = "yes"

    def __init__(self):
        # A name that is released over a lost bus fails.
        self.names = []


class App(dbus.service.Object):
    """Answers as it was told last."""

    answers = None

    @dbus.service.method(APPLICATION, in_signature="sa{sv}", out_signature="b")
    def WillContinue(self, activity_type, options):
        say("WillContinue")
        return True

    @dbus.service.method(APPLICATION, in_signature="a{sv}a{sv}", out_signature="b")
    def Continue(self, activity, options):
        say("Continue")
        if self.answers.last == "error":
            raise dbus.DBusException("The editor has failed.", name="org.example.Error.Failed")
        return self.answers.last == "yes"

    @dbus.service.method(APPLICATION, in_signature="sssa{sv}")
    def DidFail(self, activity_type, error, message, options):
        say("DidFail", error)


def listen(answers, loop):
    """Takes the answers from standard input."""
    for line in sys.stdin:
        answers.last = line.strip()
        say(answers.last)
    loop.quit()


def appear(address, answers):
    """Takes the app's name, as soon as there is a bus."""
    try:
        bus = dbus.bus.BusConnection(address)
        name = dbus.service.BusName("org.example.Editor", bus)
    except dbus.DBusException:
        GLib.timeout_add(20, appear, address, answers)
        return False
    bus.set_exit_on_disconnect(False)
    answers.names.append(name)
    app = App(name, "/org/example/Editor")
    app.answers = answers

    def lost(_):
        app.remove_from_connection()
        appear(address, answers)

    bus.call_on_disconnection(lost)
    return False


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    dbus.mainloop.glib.threads_init()
    answers = Answers()
    appear(sys.argv[1], answers)
    loop = GLib.MainLoop()
    threading.Thread(target=listen, args=(answers, loop), daemon=True).start()
    say("ready")
    loop.run()


main()
