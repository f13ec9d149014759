"""What players play, as an activity: followed until this program is ended."""

import contextlib
import sys
import urllib.parse

from handoff.activity import Refusal, file_name
from handoff.main_loop import LoopPublication
from handoff.media.addresses import address, is_media_address
from handoff.media.mpris import (
    PATH, PATIENCE, PLAYER, PREFIX, PROPERTIES, ROOT, TYPE, DBusGMainLoop, GLib, dbus, is_browser, is_player,
)
from handoff.media.told import Told, texts

# What a player has open that is a page goes on in a browser.
BROWSING = "NSUserActivityTypeBrowsingWeb"


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
            # It may have ended since.
            with contextlib.suppress(dbus.DBusException):
                self._owner_changed(name, "", self._bus.get_name_owner(name) if name.startswith(PREFIX) else "")

    def run(self):
        """Follows until this program is ended, or handoffctl has ended; returns the exit status of handoffctl."""
        return self._publication.run()

    def _owner_changed(self, name, old, new):
        if not name.startswith(PREFIX):
            return
        if self._names.get(str(old)) == name:
            del self._names[str(old)]
            if old == self._owner:
                self._end()
        if new:
            self._add(str(name), str(new))

    def _add(self, name, owner):
        """Follows a player, once it is known that it is one of this computer, and no browser."""
        if not is_player(self._bus, name):
            return

        def follow(entry=None):
            if not is_browser(entry) and self._bus.name_has_owner(owner):
                self._names[owner] = name
                self._ask(owner, lambda told: self._take(owner, told))

        self._call(owner, PROPERTIES, "Get", [ROOT, "DesktopEntry"], follow, follow)

    def _changed(self, _, changed=None, invalidated=None, *__, sender):
        # What changes in a dictionary, and the names in a list, if they are that.
        names = {*texts(list(changed) if isinstance(changed, dict) else []), *texts(invalidated)}
        if sender in self._names and names & {"PlaybackStatus", "Metadata"}:
            self._ask(sender, lambda told: self._take(sender, told))

    def _ask(self, owner, then, otherwise=lambda: None):
        self._call(owner, PROPERTIES, "GetAll", [PLAYER], lambda values=None: then(Told(values)), otherwise)

    def _call(self, owner, interface, method, arguments, then, otherwise):
        """Calls a player, which may answer anything: what it answers first is passed on."""
        self._bus.call_async(
            owner, PATH, interface, method, "s" * len(arguments), arguments,
            lambda *values: then(*values[:1]), lambda _: otherwise(), timeout=PATIENCE,
        )

    def _take(self, owner, told):
        activity = describe(told)
        if told.status == "Playing" and activity:
            if owner != self._owner:
                self._end()
            self._owner = owner
        if owner != self._owner or owner not in self._names:
            return
        if activity is None or told.status not in ("Playing", "Paused"):
            self._end()
        elif self._offered is None or without_position(activity) != without_position(self._offered):
            self._offer(activity)

    def _offer(self, activity):
        if self._offered and self._offered["type"] != activity["type"]:
            self._publication.write(None)
        self._offered = activity
        if activity["type"] == TYPE:
            self._publication.offer(activity)
        else:
            # Of a page there is no place that could be asked for.
            self._publication.write(activity)

    def _end(self):
        self._owner = ""
        if self._offered:
            self._offered = None
            self._publication.write(None)

    def _handle(self, event):
        if event == "willSave":
            if self._owner:
                self._ask(self._owner, self._save, lambda: self._publication.write({}))
            else:
                self._publication.write({})
        elif event == "continued" and self._offered and self._offered["type"] == TYPE:
            # It plays there now. Of a page, nobody knows that.
            self._call(self._owner, PLAYER, "Pause", [], lambda *_: None, lambda: None)

    def _save(self, told):
        activity = describe(told)
        if activity is None or self._offered is None or activity["type"] != TYPE:
            return self._publication.write({})
        self._offered = activity
        return self._publication.save(activity)


def describe(told):
    """The activity about what a player plays, or about its page; None if no other computer could open it."""
    place = address(told.url)
    if place is None:
        return None
    title = told.title or file_name(urllib.parse.unquote_to_bytes(told.url.split("?")[0]))
    if "webpageURL" in place and not is_media_address(told.url, told.kind):
        return {"type": BROWSING, "title": title, **place}
    info = {"version": 1, "isPlaying": told.status == "Playing"}
    if told.position is not None:
        info["position"] = told.position
    # Where the address does not say it.
    if "webpageURL" in place and not is_media_address(told.url):
        info["mimeType"] = told.kind.partition(";")[0].strip().lower()
    return {"type": TYPE, "title": title, "userInfo": info, **place}


def without_position(activity):
    """What is the same wherever it plays."""
    return {**activity, "userInfo": {**activity.get("userInfo", {}), "position": None}}


def follow():
    """Follows the players until this program is ended, or handoffctl has ended."""
    if dbus is None:
        raise Refusal(69, "The packages python3-dbus and python3-gi are missing.")
    DBusGMainLoop(set_as_default=True)
    sys.exit(Follower().run())
