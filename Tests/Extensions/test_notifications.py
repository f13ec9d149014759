"""What the programs show in notifications: markup is written for servers that read it, and for no others."""

import subprocess

from devices import Lines, process
from edit_test import EditTest, activity

# A notification server with the capabilities that it is given.
SERVER = """
import sys
import dbus, dbus.service, dbus.mainloop.glib
from gi.repository import GLib

class Server(dbus.service.Object):
    @dbus.service.method("org.freedesktop.Notifications", "", "as")
    def GetCapabilities(self):
        return dbus.Array(sys.argv[1:], signature="s")

dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
server = Server(bus, "/org/freedesktop/Notifications")
name = dbus.service.BusName("org.freedesktop.Notifications", bus)
print("ready", flush=True)
GLib.MainLoop().run()
"""


class NotificationTests(EditTest):
    """A file whose name has what markup begins with is no text, which the person is told."""

    def note(self, *capabilities):
        """The notification through a server with these capabilities."""
        self.notes.write_text("", encoding="utf-8")
        path = self.desktop.write("R&D <v2> &amp; 'x'.txt", b"a\0b")
        with process(["/usr/bin/python3", "-c", SERVER, *capabilities], stdout=subprocess.PIPE, text=True,
                     env=self.desktop.environment()) as server:
            Lines(server.stdout).wait(lambda line: line == "ready", "a notification server")
            self.edit(activity(path, modificationTime=None), status=65)
            server.terminate()
            server.wait()
        return self.notes.read_text(encoding="utf-8")

    def test_names_are_shown_letter_by_letter_with_and_without_markup(self):
        self.assertIn("R&D <v2> &amp; 'x'.txt is not a text", self.note("body"))
        self.assertIn("R&D <v2> &amp; 'x'.txt is not a text", self.note("actions", "body-markup-of-its-own"))
        self.assertIn("R&amp;D &lt;v2&gt; &amp;amp; 'x'.txt is not a text", self.note("body", "body-markup"))

    def test_either_program_asks_the_server(self):
        for gone in ("gdbus", "busctl"):
            with self.subTest(gone=gone):
                program = self.desktop.program(gone, "#!/bin/sh\nexit 1\n")
                self.addCleanup(program.unlink, missing_ok=True)
                self.assertIn("R&D <v2>", self.note("body"))
                program.unlink()
