"""handoff-viewer: real viewers of PDF on a display with a window manager and AT-SPI, on both computers."""

import contextlib
import json
import os
import signal
import subprocess
import urllib.parse

from devices import TIMEOUT, process
from displays import DisplayTest
from odd_names import ODD_NAMES

TYPE = "org.handoffd.document.pages"
PROGRAM = "usr/libexec/handoffd/handoff-viewer"


def pdf(pages):
    """A document of empty pages."""
    kids = " ".join(f"{number} 0 R" for number in range(3, 3 + pages))
    objects = ["<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {pages}>>"]
    objects += ["<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]>>"] * pages
    data, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj{text}endobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    return data + (f"xref\n0 {count}\n0000000000 65535 f \n{table}trailer<</Size {count}/Root 1 0 R>>\n"
                   f"startxref\n{len(data)}\n%%EOF\n").encode()


class ViewerTest(DisplayTest):
    """A test of viewers."""

    def display(self, computer):
        """The variables of programs on a display of a computer, with a window manager and accessibility."""
        variables = super().display(computer)
        variables.update(GTK_MODULES="gail:atk-bridge", QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1")
        environment = computer.environment(**variables)
        self.enterContext(process(["/usr/libexec/at-spi-bus-launcher", "--launch-immediately"], env=environment,
                                  stderr=subprocess.DEVNULL))
        subprocess.run(["gdbus", "wait", "--session", "--timeout", str(int(TIMEOUT)), "org.a11y.Bus"],
                       env=environment, check=True)
        return variables

    def following(self, computer, variables):
        """handoff-viewer, as the person has switched it on."""
        self.enterContext(process([computer.home / PROGRAM, "follow"], env=computer.environment(**variables),
                                  stderr=subprocess.DEVNULL))

    def view(self, computer, variables, *words):
        """A viewer, which is ended with the test."""
        return self.enterContext(process(words, env=computer.environment(**variables), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL))

    def run_program(self, path, status=0, variables=None, **info):
        """Runs handoff-viewer on the desktop to its end; returns what it printed."""
        info["NSUserActivityDocumentURLKey"] = {"$url": "file://" + urllib.parse.quote(path)}
        result = subprocess.run(
            [self.desktop.home / PROGRAM], input=json.dumps({"type": TYPE, "userInfo": info}), text=True,
            env=self.desktop.environment(**(variables or {})), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            timeout=TIMEOUT, check=False,
        )
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout


class BothWaysTests(ViewerTest):
    """From a viewer of the laptop to one of the desktop, over the air."""

    def test_evince_atril_okular_and_zathura_offer_their_page_and_it_opens_there(self):
        here, there = self.pair.write("日本 'ü' 100% #1.pdf", pdf(5))
        laptop, desktop = self.display(self.laptop), self.display(self.desktop)
        self.following(self.laptop, laptop)
        self.following(self.desktop, desktop)
        started = self.desktop.home / "viewer.pid"
        options = {"evince": ["--page-index=3"], "atril": ["--page-index=4"], "zathura": ["--page=2"],
                   "okular": ["--page", "5"]}
        for program, words in options.items():
            with self.subTest(program=program):
                page = int(words[-1][-1])
                viewer = self.view(self.laptop, laptop, program, *words, os.fsdecode(here))
                self.events.wait_document(here)
                self.assertEqual(self.pair.fetch(TYPE)["userInfo"]["page"], page)
                script = (f"#!/bin/sh\necho $$ > {started}\n"
                          f"export {' '.join(f'{key}={value}' for key, value in desktop.items())}\n"
                          f"exec /usr/bin/{program} \"$@\"\n")
                wrapper = self.desktop.program(program, script)
                self.choose(program, words)
                self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
                self.desktop.events.wait(f"page {page}", lambda e: shows(e, there, page))
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(started.read_text(encoding="ascii")), signal.SIGTERM)
                self.desktop.events.wait_activity("removed")
                wrapper.unlink()
                viewer.terminate()
                self.events.wait_activity("removed")


    def choose(self, program, words):
        """Writes viewer.conf of the desktop: the viewer with its options, as if it were the only one installed."""
        number = words[-1][-1]
        command = " ".join([program, *(word.replace(number, "{page}") for word in words), "{file}"])
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        settings = self.desktop.home / "config/handoff/viewer.conf"
        settings.write_text(f"[viewer]\ncommand = {command}\n", encoding="utf-8")


class OpenTests(ViewerTest):
    """What is opened, and what is not."""

    def test_the_command_gets_every_odd_name_and_the_page(self):
        log = self.desktop.home / "viewed"
        self.addCleanup(log.unlink)
        self.addCleanup(self.desktop.program("mine", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {log}\n").unlink)
        (self.desktop.home / "config/handoff").mkdir()
        (self.desktop.home / "config/handoff/viewer.conf").write_text(
            "[viewer]\ncommand = mine {page} {file}\n", encoding="utf-8"
        )
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.desktop.write(name + b".PDF", pdf(1))
                self.run_program(path, page=7)
                self.assertEqual(log.read_bytes(), b"7\0" + path + b"\0")
        for page in (0, -1, "7", True, 2**40, None):
            self.run_program(path, page=page)
            self.assertEqual(log.read_bytes(), b"1\0" + path + b"\0")

    def test_what_has_no_pages_is_refused(self):
        for name in ("a.sh", "a.pdf.desktop", "program", "page.html"):
            self.assertIn("is no document with pages", self.run_program(self.desktop.write(name), 65))
        os.mkfifo(self.desktop.docs / "pipe.pdf")
        self.run_program(os.fsencode(self.desktop.docs / "pipe.pdf"), 65)
        self.run_program(b"/nowhere/a.pdf", 66)
        self.run_program(self.desktop.write("a.pdf", pdf(1)), 69, {"DISPLAY": ""})


def shows(event, path, page):
    """Whether an event tells that a document is shown at a page."""
    info = event["properties"].get("UserInfo", {})
    url = info.get("NSUserActivityDocumentURLKey", {}).get("$url", "")
    return urllib.parse.unquote_to_bytes(url) == b"file://" + path and info.get("page") == page
