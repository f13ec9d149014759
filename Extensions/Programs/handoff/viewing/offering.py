"""What a viewer shows, as an activity: followed until this program is ended."""

import os
import sys

from handoff.activity import Refusal, file_name
from handoff.addresses import file_url
from handoff.main_loop import LoopPublication
from handoff.viewing.pages import PATIENCE, TYPE, Atspi, OnBus, find_pages

if Atspi:
    from gi.repository import GLib
    from handoff.viewing.programs import watch_programs

# How often, and how long after each other, in milliseconds, a window is looked at until it has its document.
TRIALS = 20
INTERVAL = 500


class Follower:
    """Publishes the document of the viewer whose window had the focus last, until that viewer ends."""

    def __init__(self):
        # The window with the focus; the one that is offered; what tells its page; and what is offered.
        self._active = None
        self._window = None
        self._pages = None
        self._offered = None
        # How often a window with the focus that has no document yet is looked at again.
        self._trials = TRIALS
        # Tells when the viewer has ended, however: its windows need not say so.
        self._end_of_viewer = None
        self._publication = LoopPublication(GLib, self._handle)
        self._listener = Atspi.EventListener.new(self._happened)
        for name in ("window:activate", "window:destroy", "document:page-changed", "document:load-complete",
                     "object:property-change:accessible-name"):
            self._listener.register(name)
        self._programs = watch_programs(lambda process: self._look_later(process, TRIALS))
        # Last: what gets the focus before it is noticed here, and what gets it later by an event.
        self._active = active_window()
        if self._active:
            self._take_surely(self._active)

    def run(self):
        """Follows until this program is ended, or handoffctl has ended; returns the exit status of handoffctl."""
        return self._publication.run()

    def _happened(self, event):
        if event.type == "window:activate":
            self._focus(event.source)
        elif event.type == "window:destroy":
            if event.source == self._active:
                self._active = None
            if event.source == self._window:
                self._end()
        elif self._window is not None and event.source in (self._window, self._pages.object):
            self._take_surely(self._window)
        elif self._active is not None and (event.source == self._active or event.type.startswith("document:")):
            # A window may get the focus before it has its document.
            self._take_surely(self._active)

    def _focus(self, window):
        self._active = window
        self._trials = TRIALS
        self._take_surely(window)

    def _look_later(self, process, trials):
        if trials > 0:
            GLib.timeout_add(INTERVAL, lambda: self._look(process, trials - 1))

    def _look(self, process, trials):
        """Looks whether a program that has just begun has the focus, which it may not tell by itself."""
        window = active_window(process)
        if window is None:
            self._look_later(process, trials)
        elif window != self._active:
            self._focus(window)

    def _take_surely(self, window):
        try:
            self._take(window)
        except GLib.Error:
            # A window may be gone at any time.
            pass

    def _take(self, window):
        pages = find_pages(window)
        activity = pages and describe(window, pages)
        if activity:
            is_new = window != self._window
            self._window, self._pages = window, pages
            if is_new:
                self._watch(pages.process)
            if is_new and self._offered:
                # It becomes the current one again, whatever was in between.
                self._publication.write(None)
            if is_new or activity != self._offered:
                self._publication.offer(activity)
            self._offered = activity
        elif window == self._window:
            self._end()
        elif isinstance(pages, OnBus) and window == self._active and self._trials > 0:
            # It opens its document after its window, and does not tell when it has.
            self._trials -= 1
            GLib.timeout_add(INTERVAL, lambda: self._take_surely(window))

    def _watch(self, process):
        self._forget_end()
        try:
            descriptor = os.pidfd_open(process)
        except OSError:
            # It has ended already, and with it what could be asked for.
            return
        self._end_of_viewer = (descriptor, GLib.io_add_watch(descriptor, GLib.IO_IN, lambda *_: self._end()))

    def _forget_end(self):
        if self._end_of_viewer:
            descriptor, source = self._end_of_viewer
            self._end_of_viewer = None
            GLib.source_remove(source)
            os.close(descriptor)

    def _end(self):
        self._forget_end()
        self._window = self._pages = None
        if self._offered:
            self._offered = None
            self._publication.write(None)

    def _handle(self, event):
        if event == "willSave":
            self._save()

    def _save(self):
        try:
            activity = describe(self._window, self._pages) if self._offered else None
        except GLib.Error:
            activity = None
        if activity is None:
            return self._publication.write({})
        self._offered = activity
        return self._publication.save(activity)


def active_window(process=None):
    """The window that has the focus, of any program or of one; None if no program tells."""
    desktop = Atspi.get_desktop(0)
    # It may lack a program that came in the moment in which another one went.
    desktop.clear_cache()
    for number in range(desktop.get_child_count()):
        try:
            app = desktop.get_child_at_index(number)
            if process is not None and app.get_process_id() != process:
                continue
            for place in range(app.get_child_count()):
                window = app.get_child_at_index(place)
                if window.get_state_set().contains(Atspi.StateType.ACTIVE):
                    return window
        except (GLib.Error, AttributeError):
            continue
    return None


def describe(window, pages):
    """The activity about a window; None if its document or its page is not known."""
    page, path = pages.read(window.get_name() or "")
    if path is None or page < 1:
        return None
    return {"type": TYPE, "title": file_name(path), "documentURL": file_url(path), "userInfo": {"version": 1, "page": page}}


def follow():
    """Follows the windows until this program is ended, or handoffctl has ended."""
    if Atspi is None:
        raise Refusal(69, "The packages python3-gi and gir1.2-atspi-2.0 are missing.")
    Atspi.init()
    Atspi.set_timeout(PATIENCE, PATIENCE)
    sys.exit(Follower().run())
