"""The directory of the newest report, as an activity."""

import contextlib
import fcntl
import json
import os
import select
import subprocess
import urllib.parse

from handoff.activity import file_name
from handoff.publishing import Publication
from handoff.terminals.reports import PATIENCE, recorded

TYPE = "org.handoffd.directory"


class Publisher:
    """Publishes the directory of the newest report, until its shell ends."""

    def __init__(self, listener, lock, newest):
        self._listener, self._lock, self._newest = listener, lock, newest
        self._report = None
        # The shell of that report, and a descriptor that tells when it has ended.
        self._shell, self._end = 0, -1

    def publish(self):
        """Follows what is reported. The lock is held at the beginning and at the end: who reports then begins anew."""
        while self._has_news():
            fcntl.flock(self._lock, fcntl.LOCK_UN)
            self._begin()
            self._follow()
            self._finish()
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def _has_news(self):
        return recorded(self._newest) not in (None, self._report)

    def _begin(self):
        self._publication = Publication(messages=subprocess.DEVNULL)
        # What was published, what its object is, and why it is not offered.
        self._offered, self._object, self._obstacle = None, "", ""

    def _follow(self):
        """Publishes until the shell or handoffctl has ended."""
        self._take_newest()
        while self._shell:
            ready = select.select([self._listener, self._publication.output, self._end], [], [])[0]
            # First what handoffctl says: if it has ended, another one publishes what is newest.
            if self._publication.output in ready:
                if not self._read():
                    return
            elif self._listener in ready:
                self._take_newest()
            else:
                return

    def _finish(self):
        """Ends the activity, by the end of handoffctl."""
        self._turn_to(0, -1)
        self._publication.close()
        self._publication.wait(PATIENCE)

    def _take_newest(self):
        with contextlib.suppress(BlockingIOError):
            while True:
                self._listener.recv(1)
        if not self._has_news():
            return
        self._report = recorded(self._newest)
        if self._report["shell"] != self._shell:
            try:
                end = os.pidfd_open(self._report["shell"])
            except OSError:
                # It has ended already.
                return
            self._turn_to(self._report["shell"], end)
        if self._offered and self._object and not self._obstacle and self._is_elsewhere():
            self._write(None)
        activity = self._activity(self._report)
        if activity != self._offered:
            self._write(activity)

    def _turn_to(self, shell, end):
        """Turns to another shell, or to none; the activity of the former one ends."""
        if self._shell:
            os.close(self._end)
        self._shell, self._end = shell, end
        if self._offered:
            self._write(None)

    @staticmethod
    def _activity(report):
        path = urllib.parse.unquote_to_bytes(report["directory"])
        activity = {"type": TYPE, "title": file_name(path.rstrip(b"/")) or "/", "userInfo": {"version": 1}}
        activity["documentURL"] = "file://" + report["directory"]
        if report["tmux"]:
            activity["userInfo"]["tmux"] = report["tmux"]
        return activity

    def _is_elsewhere(self):
        """Whether another program's activity is the current one: the person was there in between."""
        try:
            result = subprocess.run(
                ["handoffctl", "status", "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False,
            )
            current = json.loads(result.stdout).get("currentActivity", "")
        except (OSError, ValueError, subprocess.SubprocessError):
            return False
        return current not in ("", self._object)

    def _leave_document_out(self):
        """Publishes a session whose directory no other computer has: it can be reached by ssh all the same."""
        offered = self._offered or {}
        if self._obstacle and "documentURL" in offered and "tmux" in offered["userInfo"]:
            self._obstacle = ""
            rest = {key: value for key, value in offered.items() if key != "documentURL"}
            # The title is the name of that directory.
            self._write({**rest, "title": f"tmux: {offered['userInfo']['tmux']}"})

    def _write(self, activity):
        self._offered = activity
        if activity is None:
            self._object = ""
        self._publication.write(activity)

    def _read(self):
        """Reads events; false at their end."""
        events = self._publication.read()
        for event in events or []:
            if event["event"] == "offered":
                self._object, self._obstacle = event["activity"], event.get("documentProblem", "")
            elif event["event"] in ("documentLost", "withheld"):
                self._obstacle = event.get("documentProblem") or event.get("message", "-")
            elif event["event"] in ("documentFound", "permitted"):
                self._obstacle = ""
            elif event["event"] == "daemonStopped":
                self._object = ""
            # A session can be reached by ssh wherever its directory is.
            self._leave_document_out()
        return events is not None
