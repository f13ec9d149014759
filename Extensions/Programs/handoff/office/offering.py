"""What LibreOffice shows, as an activity: followed until this program is ended."""

import concurrent.futures
import ctypes
import os
import queue
import signal
import sys
import threading
import time

from handoff.activity import Refusal, file_name
from handoff.addresses import file_path, file_url
from handoff.office import places
from handoff.office.connection import DIRECTORY, Pipe, UnoException, running
from handoff.office.document import file_of
from handoff.publishing import Publication

TYPE = "org.handoffd.document.office"
# How often LibreOffice is asked which document has the focus, while it runs, in seconds.
INTERVAL = 1.0
# How long it may take for the place in a document, in seconds; the origin waits for 2.5 s.
PATIENCE = 1.0
# How long until it listens after it was told to, in seconds.
PATIENCE_TO_LISTEN = 2.0
# How long it may take to start, and how often it is told meanwhile, in seconds.
PATIENCE_TO_START = 30.0
INTERVAL_OF_TRIALS = 0.2
# IN_CREATE and IN_MOVED_TO (inotify(7)).
APPEARED = 0x100 | 0x80


class Follower:
    """Publishes the document of LibreOffice whose window had the focus last, until it is closed.

    Two threads: one reads what handoffctl says, one asks LibreOffice, which may not answer for as long as it is busy.
    """

    def __init__(self):
        self._pipe = Pipe()
        # Held while the activity changes or is written.
        self._lock = threading.Lock()
        self._offered = None
        # Requests for the activity with the place of now, each answered by its result.
        self._requests = queue.SimpleQueue()
        # The document that is offered, and whether LibreOffice had the focus. Only the thread that asks uses them.
        self._model = None
        self._had_focus = False
        self._publication = Publication()

    def run(self):
        """Follows until `close`, or until handoffctl has ended; returns its exit status."""
        threading.Thread(target=self._follow_surely, daemon=True).start()
        while (events := self._publication.read()) is not None:
            for event in events:
                if event["event"] == "willSave":
                    self._save()
        return self._publication.wait()

    def close(self):
        """Ends the activity."""
        self._publication.close()

    # MARK: Asking LibreOffice

    def _follow_surely(self):
        try:
            self._follow()
        finally:
            # Without this thread, nothing is offered: the service is to be started anew.
            self.close()

    def _follow(self):
        appeared = Appearances()
        # The sockets that have appeared, and until when LibreOffice is told there; one that starts may forget it.
        known, waiting = {}, {}
        while True:
            found = running()
            new = {path for path, status in found.items() if known.get(path) != status}
            deadlines = dict.fromkeys(new, time.monotonic() + PATIENCE_TO_START)
            waiting = {path: end for path, end in {**waiting, **deadlines}.items()
                       if path in found and time.monotonic() < end}
            known = found
            if not waiting:
                appeared.wait()
                continue
            for path in list(waiting):
                if self._pipe.ask(path) and (office := self._pipe.connect(PATIENCE_TO_LISTEN)):
                    waiting = {}
                    self._watch_to_the_end(office)
                    break
            time.sleep(INTERVAL_OF_TRIALS)

    def _watch_to_the_end(self, office):
        while office:
            try:
                self._watch(office)
            except UnoException:
                self._end()
            # It has ended, or only the document that was asked about.
            office = self._pipe.connect(0)

    def _watch(self, office):
        self._had_focus = False
        while True:
            try:
                request = self._requests.get(timeout=INTERVAL)
            except queue.Empty:
                request = None
            self._look(office)
            if request:
                request.set_result(describe(self._model) if self._model else None)

    def _look(self, office):
        has_focus = office.has_focus()
        shown = office.shown() if has_focus else None
        is_new = shown is not None and (not self._had_focus or shown != self._model)
        activity = describe(shown) if is_new else None
        if activity:
            self._model = shown
            self._offer(activity, is_new=True)
        elif self._model is not None:
            self._follow_offered()
        self._had_focus = has_focus

    def _follow_offered(self):
        """Ends with the document, and goes along when it gets another name."""
        try:
            is_same = file_of(self._model.getURL()) == self._offered_path()
        except UnoException:
            return self._end()
        if is_same:
            return None
        activity = describe(self._model)
        return self._offer(activity, is_new=False) if activity else self._end()

    def _offered_path(self):
        with self._lock:
            return file_path(self._offered["documentURL"])

    # MARK: Telling handoffctl

    def _offer(self, activity, is_new):
        with self._lock:
            if is_new and self._offered:
                # It becomes the current one again, whatever was in between.
                self._publication.write(None)
            self._offered = activity
            self._publication.offer(activity)

    def _end(self):
        self._model = None
        with self._lock:
            if self._offered:
                self._offered = None
                self._publication.write(None)

    def _save(self):
        request = concurrent.futures.Future()
        with self._lock:
            activity = self._offered
        if activity:
            self._requests.put(request)
            try:
                activity = request.result(PATIENCE)
            except concurrent.futures.TimeoutError:
                # It is busy: where the person was when it answered last.
                pass
        with self._lock:
            if not activity or not self._offered:
                return self._publication.write({})
            self._offered = activity
            return self._publication.save(activity)


class Appearances:
    """Tells when a socket of LibreOffice may have appeared."""

    def __init__(self):
        library = ctypes.CDLL(None, use_errno=True)
        self._file = library.inotify_init1(os.O_CLOEXEC)
        if self._file < 0 or library.inotify_add_watch(self._file, os.fsencode(DIRECTORY), APPEARED) < 0:
            raise OSError(ctypes.get_errno(), f"{DIRECTORY} cannot be watched")

    def wait(self):
        """Waits until one may have appeared since the last time."""
        while b"OSL_PIPE_" not in os.read(self._file, 65536):
            pass


def describe(model):
    """The activity about a document; None if it is in no file, or of no kind that takes part."""
    path = file_of(model.getURL())
    if path is None or places.kind_of(model) is None:
        return None
    try:
        time = int(os.stat(path).st_mtime)
    except OSError:
        # A synchroniser may remove it, or a disk be taken out.
        return None
    info = {"version": 1, "modified": bool(model.isModified()), "modificationTime": time, **places.read(model)}
    return {"type": TYPE, "title": file_name(path), "documentURL": file_url(path), "userInfo": info}


def follow():
    """Follows LibreOffice until this program is ended, or handoffctl has ended."""
    if UnoException is OSError:
        raise Refusal(69, "The package python3-uno is missing.")
    follower = Follower()
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: follower.close())
    sys.exit(follower.run())
