#!/usr/bin/env python3
"""A page of a web site opens the app that the site approves, and the browser once it does not any more.

sites_one_guest.py               on a simulated air; needs no Bluetooth
sites_one_guest.py hci0 hci1     over two Bluetooth adapters of this machine, bluetoothd and the kernel
"""

import contextlib
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import tempfile
import threading

from world import TIMEOUT, Steps, app_environment, check, device, run_story_on_radios, trust_each_other, type_hash

TYPE = "NSUserActivityTypeBrowsingWeb"
SITE = "notes.example"
PAGE = f"https://{SITE}/page?a=b"
APP = "org.example.Notes"


def story(radios):
    """Opens a page in the app, has the site withdraw, and opens the page in the browser."""
    steps = Steps()
    with tempfile.TemporaryDirectory(prefix="handoff-sites-") as name:
        directory = pathlib.Path(name)
        laptop_radio, desktop_radio = radios(directory)
        write_desktop(directory)
        with device("laptop", directory, laptop_radio) as laptop, site(directory) as server, app_environment(directory), \
                device("desktop", directory, desktop_radio) as desktop:
            trust_each_other(laptop, desktop)
            with steps.step("desktop asks the site, which approves the app"):
                check(answer(desktop), "approved")
            with desktop.watching() as nearby, laptop.publishing("--type", TYPE, "--webpage", PAGE):
                with steps.step("laptop publishes a page, and desktop discovers it"):
                    nearby.wait_for_type(type_hash(TYPE))
                with steps.step("desktop's app gets the page, once its address is known"):
                    check(desktop.ctl("continue"), {"outcome": "app", "application": APP})
                    desktop.wait_log("event=app.ended")
                    got = json.loads((directory / "activity").read_text(encoding="utf-8"))
                    check((got["type"], got["webpageURL"], got["userInfo"]), (TYPE, PAGE, {}))
                with steps.step("the site withdraws, and desktop's browser opens the page"):
                    server.apps = []
                    check(answer(desktop), "refused")
                    check(desktop.ctl("continue")["outcome"], "browser")
                    desktop.wait_log("event=app.ended")
                check((directory / "page").read_text(encoding="utf-8"), PAGE + "\n")
    print("sites: ok", flush=True)


def answer(machine):
    """What the site says of the app when it is asked now."""
    command = machine.command("apps", "--check", "--again")
    # The exit status tells whether every site has approved its app.
    asked = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT, check=False)
    return next(entry["state"] for entry in json.loads(asked.stdout) if entry.get("domain") == SITE)


@contextlib.contextmanager
def site(directory):
    """Runs the site's web server on the loopback interface; daemons started in the block reach and trust it."""
    make_certificate(directory)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(directory / "site.pem", directory / "site.key")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Approval) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.apps = [f"T1.{APP}"]
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        # The real curl connects here whatever the host, so that no name is looked up.
        curl = f'#!/bin/sh\nshift\nexec /usr/bin/curl -q --connect-to "::127.0.0.1:{server.server_port}" "$@"\n'
        write_program(directory / "bin/curl", curl)
        before = dict(os.environ)
        authority = str(directory / "site.pem")
        os.environ.update(
            SSL_CERT_FILE=authority, CURL_CA_BUNDLE=authority, no_proxy="*", XDG_CACHE_HOME=str(directory / "cache")
        )
        try:
            yield server
        finally:
            os.environ.clear()
            os.environ.update(before)
            server.shutdown()
            thread.join()


class Approval(http.server.BaseHTTPRequestHandler):
    """Answers with the apps that the site approves."""

    def do_GET(self):  # noqa: N802
        """The method's name is fixed by the base class."""
        content = json.dumps({"activitycontinuation": {"apps": self.server.apps}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Says nothing."""


def make_certificate(directory):
    """Makes a certificate for the site, which is its own authority."""
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "100",
        "-subj", f"/CN={SITE}", "-addext", f"subjectAltName=DNS:{SITE}",
        "-keyout", directory / "site.key", "-out", directory / "site.pem",
    ]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def write_desktop(directory):
    """Writes desktop's app, which claims the site and records the activity that it gets, and a browser."""
    path = directory / f"share/applications/{APP}.desktop"
    path.parent.mkdir(parents=True)
    path.write_text(
        "[Desktop Entry]\nType=Application\nName=Notes\nX-Handoff-TeamID=T1\n"
        f"X-Handoff-AssociatedDomains=activitycontinuation:{SITE};\nX-Handoff-Exec={directory}/bin/notes\n",
        encoding="utf-8",
    )
    write_program(directory / "bin/notes", f"#!/bin/sh\ncat > {directory}/activity\n")
    write_program(directory / "bin/xdg-open", f"#!/bin/sh\necho \"$1\" > {directory}/page\n")


def write_program(path, text):
    """Writes a program."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


if __name__ == "__main__":
    run_story_on_radios(story, __doc__)
