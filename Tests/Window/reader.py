#!/usr/bin/python3
"""Reads and drives the windows of one session bus as a screen reader does, over AT-SPI.

Each line of standard input is a request in JSON, and each line of standard output its answer; `screen.py` writes the
requests. A wait ends with the first look that finds what is wanted: after each event, and four times a second, since GTK
does not tell of everything.
"""

import contextlib
import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

ISOLATES = dict.fromkeys(map(ord, "\u2068\u2069"))
EVENTS = ("object:children-changed", "object:state-changed", "object:property-change", "object:text-changed",
          "window:activate", "window:create", "window:destroy")


class Node:
    """Something on the screen; each of its properties is asked for when it is needed."""

    def __init__(self, accessible):
        self.accessible = accessible
        self.role = accessible.get_role_name()

    @property
    def name(self):
        return (self.accessible.get_name() or "").translate(ISOLATES)

    @property
    def states(self):
        return [state.value_nick for state in self.accessible.get_state_set().get_states()]

    def fits(self, wanted):
        if wanted.get("role") not in (None, self.role):
            return False
        if "name" in wanted and wanted["name"] != self.name or wanted.get("contains", "") not in self.name:
            return False
        states = self.states if "states" in wanted or "without" in wanted else []
        return (all(state in states for state in wanted.get("states", []))
                and not any(state in states for state in wanted.get("without", [])))

    @property
    def document(self):
        description = (self.accessible.get_description() or "").translate(ISOLATES)
        return {"role": self.role, "name": self.name, "description": description, "states": self.states}


def walk(accessible):
    """The nodes of a tree in the order of the screen; what goes away meanwhile is left out."""
    try:
        yield Node(accessible)
        for index in range(accessible.get_child_count()):
            child = accessible.get_child_at_index(index)
            if child is not None:
                yield from walk(child)
    except GLib.Error:
        return


def nodes():
    """Everything in the windows of Handoff."""
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        application = desktop.get_child_at_index(index)
        try:
            if application is not None and "andoff" in application.get_name():
                # What is remembered may be old, since GTK does not tell of every change; the mask of the desktop does
                # not reach an application that names no parent.
                application.set_cache_mask(Atspi.Cache.NONE)
                application.clear_cache()
                yield from walk(application)
        except GLib.Error:
            continue


def found(wanted):
    """The first node that fits; None when there is none, or it goes away while it is looked at."""
    try:
        return next((node for node in nodes() if node.fits(wanted)), None)
    except GLib.Error:
        return None


def wait(condition, timeout):
    """The first true value of the condition; None when it does not come in time."""
    loop = GLib.MainLoop()
    deadline = time.monotonic() + timeout
    result, pending = [], []

    def look():
        pending.clear()
        value = condition()
        if value:
            result.append(value)
        if value or time.monotonic() > deadline:
            loop.quit()
        return GLib.SOURCE_CONTINUE

    def look_soon(*_):
        # Once for all events that have come.
        if not pending:
            pending.append(True)
            GLib.idle_add(lambda: look() and False, priority=GLib.PRIORITY_LOW)

    listener = Atspi.EventListener.new(look_soon)
    for event in EVENTS:
        with contextlib.suppress(GLib.Error):
            listener.register(event)
    timer = GLib.timeout_add(250, look)
    look_soon()
    loop.run()
    GLib.source_remove(timer)
    for event in EVENTS:
        # A window that has just closed does not answer.
        with contextlib.suppress(GLib.Error):
            listener.deregister(event)
    return result[0] if result else None


def act(request):
    """Carries a request out."""
    wanted, timeout = request.get("wanted", {}), request.get("timeout", 60)
    if request["do"] == "tree":
        return [node.document for node in nodes() if node.role not in ("filler", "panel", "image")]
    if request["do"] == "gone":
        return bool(wait(lambda: found(wanted) is None, timeout))
    node = wait(lambda: found(wanted), timeout)
    if node is None:
        return None
    if request["do"] == "press":
        node.accessible.do_action(0)
    elif request["do"] == "write":
        node.accessible.set_text_contents(request["text"])
    return node.document


def main():
    Atspi.init()
    # Milliseconds for an answer, and for the first one of a program: a busy machine takes longer than the default, 0.8 s.
    Atspi.set_timeout(30_000, 60_000)
    Atspi.get_desktop(0).set_cache_mask(Atspi.Cache.NONE)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(act(json.loads(line))), flush=True)


main()
