"""What players play, as an activity: followed until this program is ended."""

import sys
import urllib.parse

from handoff.activity import Refusal, file_name, printable
from handoff.main_loop import LoopPublication
from handoff.media.mpris import (
    MAXIMUM_POSITION, PATH, PATIENCE, PLAYER, PROPERTIES, TYPE, DBusGMainLoop, GLib, address, dbus, is_player,
)


class Follower:
    """Publishes what the player that was started last plays, while it plays or pauses."""

    def __init__(self):
        self._bus = dbus.SessionBus()
        # The names of the players, by their connections.
        self._names = {}
        # The connection of the player that is offered, and its activity.
        self._owner = ""
        self._offered = None
        self._publication = LoopPublication(GLib, self._handle)
        self._bus.add_signal_receiver(
            self._changed, "PropertiesChanged", PROPERTIES, path=PATH, arg0=PLAYER, sender_keyword="sender"
        )
        self._bus.add_signal_receiver(self._owner_changed, "NameOwnerChanged", dbus.BUS_DAEMON_NAME)
        for name in self._bus.list_names():
            if is_player(name):
                self._add(str(name), str(self._bus.get_name_owner(name)))

    def run(self):
        """Follows until this program is ended, or handoffctl has ended; returns the exit status of handoffctl."""
        return self._publication.run()

    def _owner_changed(self, name, old, new):
        if not is_player(name):
            return
        self._names.pop(str(old), None)
        if old and old == self._owner:
            self._end()
        if new:
            self._add(str(name), str(new))

    def _add(self, name, owner):
        self._names[owner] = name
        self._ask(owner, lambda values: self._take(owner, values))

    def _changed(self, _, changed, invalidated, sender):
        names = {"PlaybackStatus", "Metadata"}
        if sender in self._names and names & {*map(str, changed), *map(str, invalidated)}:
            self._ask(sender, lambda values: self._take(sender, values))

    def _ask(self, owner, then, otherwise=lambda _: None):
        self._bus.call_async(owner, PATH, PROPERTIES, "GetAll", "s", [PLAYER], then, otherwise, timeout=PATIENCE)

    def _take(self, owner, values):
        status, activity = values.get("PlaybackStatus"), describe(values)
        if status == "Playing" and activity:
            if owner != self._owner:
                self._end()
            self._owner = owner
        if owner != self._owner or owner not in self._names:
            return
        if activity is None or status not in ("Playing", "Paused"):
            self._end()
        elif self._offered is None or without_position(activity) != without_position(self._offered):
            self._offered = activity
            self._publication.offer(activity)

    def _end(self):
        self._owner = ""
        if self._offered:
            self._offered = None
            self._publication.write(None)

    def _handle(self, event):
        if event == "willSave":
            if self._owner:
                self._ask(self._owner, self._save, lambda _: self._publication.write({}))
            else:
                self._publication.write({})
        elif event == "continued" and self._owner:
            # It plays there now.
            self._bus.call_async(
                self._owner, PATH, PLAYER, "Pause", "", [], lambda: None, lambda _: None, timeout=PATIENCE
            )

    def _save(self, values):
        activity = describe(values)
        if activity is None or self._offered is None:
            return self._publication.write({})
        self._offered = activity
        return self._publication.save(activity)


def describe(values):
    """The activity about what a player plays; None if no other computer could play it."""
    metadata = values.get("Metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    url = metadata.get("xesam:url")
    place = address(str(url)) if isinstance(url, str) else None
    if place is None:
        return None
    info = {"version": 1, "isPlaying": values.get("PlaybackStatus") == "Playing"}
    position = values.get("Position")
    if isinstance(position, int) and 0 <= position <= MAXIMUM_POSITION:
        info["position"] = int(position)
    title = metadata.get("xesam:title")
    title = printable(str(title)) if isinstance(title, str) else ""
    name = file_name(urllib.parse.unquote_to_bytes(str(url).split("?")[0]))
    return {"type": TYPE, "title": title.strip() or name, "userInfo": info, **place}


def without_position(activity):
    """What is the same wherever it plays."""
    return {**activity, "userInfo": {**activity["userInfo"], "position": None}}


def follow():
    """Follows the players until this program is ended, or handoffctl has ended."""
    if dbus is None:
        raise Refusal(69, "The packages python3-dbus and python3-gi are missing.")
    DBusGMainLoop(set_as_default=True)
    sys.exit(Follower().run())
