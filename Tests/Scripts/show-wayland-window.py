"""Shows a window of Wayland, and runs a program below this process once it is shown.

Usage: show-wayland-window.py PROGRAM…
"""

import ctypes
import signal
import subprocess
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gtk  # noqa: E402

PR_SET_PDEATHSIG = 1


def end_with_parent():
    """Ends the program when this process does, however."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def show(app):
    """Shows the window."""
    window = Gtk.ApplicationWindow(application=app, title="shown")
    window.connect("map", lambda _: subprocess.Popen(sys.argv[1:], preexec_fn=end_with_parent))
    window.present()


application = Gtk.Application()
application.connect("activate", show)
application.run()
