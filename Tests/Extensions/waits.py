"""What the tests share of programs that take longer to begin than handoffd waits for those that do not tell."""

import contextlib
import http.server
import json
import os
import subprocess
import threading
import urllib.parse

from devices import TIMEOUT, Failure, process


class WaitTest:
    """What a test of the two computers has whose programs on the desktop take long."""

    @contextlib.contextmanager
    def continuing(self):
        """`handoffctl continue` on the desktop, which runs until the program there goes on or has failed."""
        with process([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as made:
            yield made

    def told(self):
        """The next report on the laptop of what became of one of its activities: the event and the object."""
        event = self.events.wait("a report", lambda e: e["event"].startswith("continu"))
        return event["event"], event["object"]

    def let_time_pass(self):
        """Returns when a program that does not tell counts as one that goes on, by having one continue something.

        Nothing else may have been reported to the laptop before that.
        """
        kind = "org.handoffd.directory"
        here, _ = (os.fsencode(computer.docs) + b"/elsewhere" for computer in (self.laptop, self.desktop))
        for computer in (self.laptop, self.desktop):
            (computer.docs / "elsewhere").mkdir()
        pipe = self.desktop.home / "terminal.pipe"
        os.mkfifo(pipe)
        self.addCleanup(pipe.unlink)
        self.addCleanup(self.desktop.program("open-terminal", f"#!/bin/sh\nread -r word < {pipe}\n").unlink)
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        settings = self.desktop.home / "config/handoff/terminal.conf"
        settings.write_text("[terminal]\ncommand = open-terminal\n", encoding="utf-8")
        with self.pair.publishing(type=kind, documentURL="file://" + urllib.parse.quote(here)) as publisher:
            offered = json.loads(publisher.events.seen[-1])["activity"]
            self.pair.wait_offered(kind)
            self.assertEqual(self.desktop.ctl("continue", self.pair.nearby.entries[0]["id"])["outcome"], "app")
            self.assertEqual(self.told(), ("continued", offered))
        pipe.write_text("go\n", encoding="ascii")


class SlowSite:
    """A web site of this machine with one file, which answers no request before the test says how."""

    def __init__(self, data, kind):
        self.status = 200
        self._requested, self._decided = threading.Event(), threading.Event()
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            """Answers a request as the test says."""

            def do_GET(self):
                """Tells the test, and waits."""
                found = site.next_status() == 200
                self.send_response(site.status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data) if found else 0))
                self.end_headers()
                with contextlib.suppress(OSError):
                    self.wfile.write(data if found else b"")

            def log_message(self, *_):
                """Prints nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, name):
        """The address of the file under a name."""
        return f"http://127.0.0.1:{self._server.server_port}/{name}"

    def next_status(self):
        """Tells that there is a request; waits for the status of its answer."""
        self._requested.set()
        self._decided.wait(TIMEOUT)
        return self.status

    def wait_request(self):
        """Waits for the first request."""
        if not self._requested.wait(TIMEOUT):
            raise Failure("nobody asks for the file")

    def answer(self, status):
        """Answers this request and all that follow with a status."""
        self.status = status
        self._decided.set()
