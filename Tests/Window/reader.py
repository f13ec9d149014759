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
# What has nothing in it but its own text and icon, which its name tells.
LEAVES = ("push button", "page tab", "check box", "label", "image", "text", "scroll bar", "separator")


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


def walk(accessible, lost):
    """The nodes of a tree in the order of the screen; counts in `lost` what goes away meanwhile, and leaves it out."""
    try:
        node = Node(accessible)
        yield node
        for index in range(0 if node.role in LEAVES else accessible.get_child_count()):
            child = accessible.get_child_at_index(index)
            if child is not None:
                yield from walk(child, lost)
    except GLib.Error as error:
        lost.append(error)


def nodes(lost):
    """Everything in the windows of Handoff; counts in `lost` what goes away meanwhile."""
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        application = desktop.get_child_at_index(index)
        try:
            if application is None or "andoff" not in application.get_name():
                continue
        except GLib.Error:
            # It has ended.
            continue
        # What is remembered may be old, since GTK does not tell of every change; the mask of the desktop does not reach
        # an application that names no parent.
        application.set_cache_mask(Atspi.Cache.NONE)
        application.clear_cache()
        yield from walk(application, lost)


def documents():
    """What is known of everything that is on the screen for a person; what goes away meanwhile is left out."""
    for node in nodes([]):
        if node.role not in ("filler", "panel", "image"):
            with contextlib.suppress(GLib.Error):
                yield node.document


def found(wanted):
    """The first node that fits, with what is known of it; None when there is none, or it goes away meanwhile."""
    for node in nodes([]):
        with contextlib.suppress(GLib.Error):
            if node.fits(wanted):
                return node, node.document
    return None


def is_gone(wanted):
    """Whether no node fits; false when a part of the tree could not be looked at."""
    lost = []
    try:
        return not any(node.fits(wanted) for node in nodes(lost)) and not lost
    except GLib.Error:
        return False


def used(request):
    """Does what is wanted with the node that fits; returns what was known of it, None if there is none, or it goes."""
    if not (seen := found(request.get("wanted", {}))):
        return None
    node, document = seen
    try:
        # A node that has gone has not been used; what the use itself removes is not asked for anything after it.
        if request["do"] == "press" and not node.accessible.do_action(0):
            return None
        if request["do"] == "write" and not node.accessible.set_text_contents(request["text"]):
            return None
    except GLib.Error:
        return None
    return document


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
        return list(documents())
    if request["do"] == "gone":
        return bool(wait(lambda: is_gone(wanted), timeout))
    return wait(lambda: used(request), timeout)


def main():
    Atspi.init()
    # Milliseconds for an answer, and for the first one of a program: a busy machine takes longer than the default, 0.8 s.
    Atspi.set_timeout(30_000, 60_000)
    Atspi.get_desktop(0).set_cache_mask(Atspi.Cache.NONE)
    print(json.dumps("ready"), flush=True)
    for line in sys.stdin:
        print(json.dumps(act(json.loads(line))), flush=True)


main()
