"""Shows a window of GTK, and runs a program below this process once it is shown.

SIGUSR1 closes the window, and the process goes on; SIGUSR2 runs the program once more.

Usage: show-gtk-window.py PROGRAM…
"""

import ctypes
import signal
import subprocess
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk  # noqa: E402

PR_SET_PDEATHSIG = 1


def end_with_parent():
    """Ends the program when this process does, however."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def start(*_):
    """Starts the program."""
    subprocess.Popen(sys.argv[1:], preexec_fn=end_with_parent)
    return True


def show(app):
    """Shows the window."""
    window = Gtk.ApplicationWindow(application=app, title="shown")
    window.connect("map", start)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, window.destroy)
    GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR2, start)
    window.present()


application = Gtk.Application()
application.connect("activate", show)
application.hold()
application.run()
