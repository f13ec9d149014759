#!/usr/bin/env python3
"""The app org.example.Editor, which continues activities: prints a line for each call that it receives.

Usage: app.py BUS. Each line of standard input is repeated on standard output: `yes`, `no` or `error` is how the app
answers Continue from then on, and after `bus` it has appeared on the next bus at that address.
"""

import contextlib
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
    """What the app was told last to answer, and the app on each bus."""

    last = "yes"

    def __init__(self):
        # To release the name of an app over a lost bus fails.
        self.apps = []


class App(dbus.service.Object):
    """Answers as it was told last."""

    answers = None

    @dbus.service.method(APPLICATION, in_signature="sa{sv}", out_signature="b")
    def WillContinue(self, activity_type, options):
        say("WillContinue")
        return True

    @dbus.service.method(APPLICATION, in_signature="a{sv}a{sv}", out_signature="b")
    def Continue(self, activity, options):
        say("Continue", self.answers.last)
        if self.answers.last == "error":
            raise dbus.DBusException("The editor has failed.", name="org.example.Error.Failed")
        return self.answers.last == "yes"

    @dbus.service.method(APPLICATION, in_signature="sssa{sv}")
    def DidFail(self, activity_type, error, message, options):
        say("DidFail", error)


def listen(address, answers, loop):
    """Takes the lines of standard input."""
    for line in sys.stdin:
        word = line.strip()
        if word == "bus":
            GLib.idle_add(appear, address, answers)
            continue
        if word in ("yes", "no", "error"):
            answers.last = word
        say(word)
    loop.quit()


def appear(address, answers):
    """Takes the app's name on the bus at this address."""
    # A bus that is lost meanwhile is followed by another one, which is told too.
    with contextlib.suppress(dbus.DBusException):
        bus = dbus.bus.BusConnection(address)
        bus.set_exit_on_disconnect(False)
        app = App(dbus.service.BusName("org.example.Editor", bus), "/org/example/Editor")
        app.answers = answers
        bus.call_on_disconnection(lambda _: app.remove_from_connection())
        answers.apps.append(app)
    say("bus")
    return False


def main():
    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    dbus.mainloop.glib.threads_init()
    answers = Answers()
    appear(sys.argv[1], answers)
    loop = GLib.MainLoop()
    threading.Thread(target=listen, args=(sys.argv[1], answers, loop), daemon=True).start()
    say("ready")
    loop.run()


main()
