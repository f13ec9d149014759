"""Tells when a display shows a window, by the display's own events: `xdotool search --sync` looks twice a second."""

import contextlib
import ctypes
import select
import subprocess
import time

from world import TIMEOUT, Failure

# X.h: the events of a window's children, one of a child that is shown, and one that a window manager has put into another.
SUBSTRUCTURE_NOTIFY, MAP_NOTIFY, REPARENT_NOTIFY = 1 << 19, 19, 21


class AnyEvent(ctypes.Structure):
    """XMapEvent and XReparentEvent of Xlib.h, as far as they are alike, and room for the largest event."""

    _fields_ = [
        ("type", ctypes.c_int), ("serial", ctypes.c_ulong), ("is_sent", ctypes.c_int), ("display", ctypes.c_void_p),
        ("root", ctypes.c_ulong), ("window", ctypes.c_ulong), ("parent", ctypes.c_ulong), ("rest", ctypes.c_long * 17),
    ]


class Shown:
    """The windows that a display shows from now on."""

    def __init__(self, display):
        self._xlib = ctypes.CDLL("libX11.so.6")
        self._xlib.XOpenDisplay.restype = ctypes.c_void_p
        self._xlib.XDefaultRootWindow.restype = ctypes.c_ulong
        # A window may be gone when its name is asked for; Xlib would end this process then.
        self._ignore = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0)
        self._xlib.XSetErrorHandler(self._ignore)
        self._display = ctypes.c_void_p(self._xlib.XOpenDisplay(display.encode()))
        root = ctypes.c_ulong(self._xlib.XDefaultRootWindow(self._display))
        self._xlib.XSelectInput(self._display, root, ctypes.c_long(SUBSTRUCTURE_NOTIFY))
        self._xlib.XSync(self._display, 0)

    def wait(self, name, timeout):
        """Waits until a window with that name is shown; returns whether it is within the time in seconds."""
        frames = set()
        for event in self._events(timeout):
            is_wanted = event.window in frames or self._name(event.window) == name
            if event.type == REPARENT_NOTIFY and is_wanted:
                frames.add(event.parent)
            elif event.type == MAP_NOTIFY and is_wanted:
                return True
        return False

    def wait_change(self, timeout):
        """Waits until a window appears, vanishes or changes its place; returns whether one does within the time in seconds."""
        return next(self._events(timeout), None) is not None

    def close(self):
        """Leaves the display."""
        self._xlib.XCloseDisplay(self._display)

    def _events(self, timeout):
        """The events that have come and will come, until the time is over."""
        end = time.monotonic() + timeout
        event = AnyEvent()
        while (rest := end - time.monotonic()) > 0:
            if not self._xlib.XPending(self._display):
                select.select([self._xlib.XConnectionNumber(self._display)], [], [], rest)
                continue
            self._xlib.XNextEvent(self._display, ctypes.byref(event))
            yield event

    def _name(self, window):
        text = ctypes.c_char_p()
        self._xlib.XFetchName(self._display, ctypes.c_ulong(window), ctypes.byref(text))
        name = (text.value or b"").decode("latin-1")
        if text:
            self._xlib.XFree(text)
        return name


def act_on_window(words, environment, what):
    """Runs xdotool, which fails when another window vanishes while it looks for its own: then again, after such a change."""
    command = ["xdotool", "search", "--sync", "--onlyvisible", "--name", *words]
    end = time.monotonic() + TIMEOUT
    with contextlib.closing(Shown(environment["DISPLAY"])) as shown:
        while subprocess.run(command, env=environment, timeout=TIMEOUT, capture_output=True, check=False).returncode:
            if not shown.wait_change(end - time.monotonic()):
                raise Failure(f"{what} does not appear")
