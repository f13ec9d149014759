"""Shows a window of X11, of a type such as _NET_WM_WINDOW_TYPE_DESKTOP.

Usage: show-window.py TITLE TYPE [ADDRESS NAME]: the process owns NAME on the bus at ADDRESS.
"""

import ctypes
import sys

import dbus.bus

XA_ATOM = 4
PROP_MODE_REPLACE = 0

x11 = ctypes.CDLL("libX11.so.6")
x11.XOpenDisplay.restype = ctypes.c_void_p
x11.XDefaultRootWindow.restype = ctypes.c_ulong
x11.XCreateSimpleWindow.restype = ctypes.c_ulong
x11.XInternAtom.restype = ctypes.c_ulong

title, kind, *names = (word.encode() for word in sys.argv[1:])
if names:
    bus = dbus.bus.BusConnection(names[0].decode())
    bus.request_name(names[1].decode())
display = ctypes.c_void_p(x11.XOpenDisplay(None))
assert display, "There is no display."
root = ctypes.c_ulong(x11.XDefaultRootWindow(display))
window = ctypes.c_ulong(x11.XCreateSimpleWindow(display, root, 0, 0, 100, 100, 0, 0, 0))
x11.XStoreName(display, window, title)
types = ctypes.c_ulong(x11.XInternAtom(display, kind, 0))
name = ctypes.c_ulong(x11.XInternAtom(display, b"_NET_WM_WINDOW_TYPE", 0))
x11.XChangeProperty(
    display, window, name, ctypes.c_ulong(XA_ATOM), 32, PROP_MODE_REPLACE, ctypes.byref(types), 1
)
x11.XMapWindow(display, window)
event = ctypes.create_string_buffer(256)
while True:
    x11.XNextEvent(display, event)
