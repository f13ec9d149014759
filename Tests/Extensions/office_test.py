"""Documents of an office program, written without one; and LibreOffice on the two computers."""

import contextlib
import hashlib
import http.server
import io
import json
import os
import pathlib
import signal
import subprocess
import threading
import time
import urllib.parse
import zipfile
from xml.sax.saxutils import escape

from devices import TIMEOUT, WRITTEN, process
from displays import DisplayTest

TYPE = "org.handoffd.document.office"
PROGRAM = "usr/libexec/handoffd/handoff-office"
# Nothing of LibreOffice itself is in the way, and it would run every macro.
SETTINGS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="FirstRun" oor:op="fuse"><value>false</value></prop>
</item>
<item oor:path="/org.openoffice.Office.Common/Misc"><prop oor:name="ShowTipOfTheDay" oor:op="fuse">
<value>false</value></prop></item>
<item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse">
<value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Recovery/RecoveryInfo"><prop oor:name="Enabled" oor:op="fuse">
<value>false</value></prop></item>
</oor:items>
"""
# Each start is a session of its own, so that all of it can be ended; without a display it stays without.
SOFFICE = """#!/bin/sh
[ -z "$DISPLAY" ] || export {variables}
exec setsid --wait sh -c 'echo $$ "$*" >> {log}; exec /usr/bin/soffice "$@"' sh "$@"
"""

NAMES = " ".join(f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{path}:1.0"' for name, path in {
    "office": "office", "text": "text", "table": "table", "style": "style", "draw": "drawing", "script": "script",
    "fo": "xsl-fo-compatible", "presentation": "presentation", "svg": "svg-compatible",
}.items()) + ' xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ooo="http://openoffice.org/2004/office"'
NAMES += ' xmlns:dom="http://www.w3.org/2001/xml-events" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2"'
BREAK = ('<style:style style:name="B" style:family="paragraph">'
         '<style:paragraph-properties fo:break-before="page"/></style:style>')


def odf(kind, body, styles="", scripts="", files=()):
    """A document of OpenDocument."""
    content = (f'<?xml version="1.0" encoding="UTF-8"?><office:document-content {NAMES} office:version="1.2">'
               f"<office:scripts>{scripts}</office:scripts><office:automatic-styles>{styles}</office:automatic-styles>"
               f"<office:body>{body}</office:body></office:document-content>")
    parts = {"content.xml": content, **dict(files)}
    entries = "".join(
        f'<manifest:file-entry manifest:full-path="{name}" manifest:media-type="text/xml"/>' for name in parts
    )
    mime = f"application/vnd.oasis.opendocument.{kind}"
    parts["META-INF/manifest.xml"] = (
        '<?xml version="1.0" encoding="UTF-8"?>'
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{mime}"/>{entries}</manifest:manifest>'
    )
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("mimetype", mime)
        for name, text in parts.items():
            file.writestr(name, text)
    return data.getvalue()


def text(pages, inside="", **more):
    """A text of some pages."""
    paragraphs = "".join(f'<text:p text:style-name="B">page {number}</text:p>' for number in range(2, pages + 1))
    return odf("text", f"<office:text>{inside}<text:p>page 1</text:p>{paragraphs}</office:text>", BREAK, **more)


def sheets(*names, inside=""):
    """A spreadsheet with sheets of these names."""
    tables = "".join(f'<table:table table:name="{escape(name)}"><table:table-row><table:table-cell {inside}/>'
                     "</table:table-row></table:table>" for name in names)
    return odf("spreadsheet", f"<office:spreadsheet>{tables}</office:spreadsheet>")


def slides(count):
    """A presentation."""
    pages = "".join(f'<draw:page draw:name="s{number}"/>' for number in range(count))
    return odf("presentation", f"<office:presentation>{pages}</office:presentation>")


def with_macro(trace):
    """A text with a macro that makes a file when the text is opened."""
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    names = 'xmlns:library="http://openoffice.org/2000/library" xmlns:xlink="http://www.w3.org/1999/xlink"'
    module = (f'{head}<script:module xmlns:script="http://openoffice.org/2000/script" script:name="M" '
              f'script:language="StarBasic">Sub Leave\nOpen "{trace}" For Output As #1\nClose #1\nEnd Sub\n'
              "</script:module>")
    library = (f'{head}<library:library {names} library:name="Standard" library:readonly="false" '
               'library:passwordprotected="false"><library:element library:name="M"/></library:library>')
    libraries = (f'{head}<library:libraries {names}><library:library library:name="Standard" library:link="false"/>'
                 "</library:libraries>")
    scripts = ('<office:event-listeners><script:event-listener script:language="ooo:script" '
               'script:event-name="dom:load" xlink:type="simple" '
               'xlink:href="vnd.sun.star.script:Standard.M.Leave?language=Basic&amp;location=document"/>'
               "</office:event-listeners>")
    files = {"Basic/Standard/M.xml": module, "Basic/Standard/script-lb.xml": library,
             "Basic/script-lc.xml": libraries}
    return text(2, scripts=scripts, files=files)


def with_link(address):
    """A spreadsheet with a cell that is taken from another one, at an address."""
    formula = f"of:='{address}linked.ods'#$One.A1"
    return sheets("One", inside=f'table:formula="{formula}" office:value-type="float" office:value="1"')


class OfficeTest(DisplayTest):
    """A test of LibreOffice."""

    def prepare(self, computer, is_followed=True):
        """A display for LibreOffice on a computer, its settings, and handoff-office as it is switched on."""
        variables = self.display(computer)
        settings = computer.home / "config/libreoffice/4/user/registrymodifications.xcu"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(SETTINGS, encoding="utf-8")
        values = " ".join(f"{key}={value}" for key, value in variables.items())
        script = SOFFICE.format(variables=values, log=computer.home / "soffice.log")
        self.addCleanup(computer.program("soffice", script).unlink)
        self.addCleanup(self.end_all, computer)
        if is_followed:
            self.follow(computer)
        return variables

    def follow(self, computer):
        """handoff-office, as the person has switched it on."""
        return self.enterContext(process([computer.home / PROGRAM, "follow"], env=computer.environment()))

    @staticmethod
    def end_all(computer, number=signal.SIGKILL):
        """Sends a signal to what was started as soffice on a computer."""
        log = computer.home / "soffice.log"
        log.touch()
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        for line in lines:
            with contextlib.suppress(ProcessLookupError, ValueError):
                os.killpg(int(line.split()[0]), number)
        if number == signal.SIGKILL:
            # What is killed leaves its sockets.
            for path in OfficeTest.sockets(computer):
                path.unlink(missing_ok=True)
            log.unlink(missing_ok=True)

    @staticmethod
    def sockets(computer):
        """The sockets of LibreOffice of a computer, for commands and for handoff-office."""
        profile = f"file://{computer.home / 'config/libreoffice/4'}"
        name = "".join(f"{byte:x}" for byte in hashlib.md5(profile.encode("utf-16-le")).digest())
        token = os.readlink(computer.runtime / "handoff-office")
        names = (f"SingleOfficeIPC_{name}", f"handoff-{token}")
        return [pathlib.Path(f"/tmp/OSL_PIPE_{os.getuid()}_{end}") for end in names]

    def start(self, computer, variables, path, is_offered=True):
        """LibreOffice as the person starts it with a document, once it shows that."""
        office = self.enterContext(process(
            [computer.bin / "soffice", "--nologo", os.fsdecode(path)], env=computer.environment(**variables),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        ))
        if is_offered:
            self.wait_shown(computer, path)
            return office
        self.focus(computer, variables, os.path.basename(os.fsdecode(path)))
        self.assertIsNone(office.poll())
        return office

    def open(self, computer, path, status=0, options=(), variables=None, **info):
        """Runs handoff-office until it has opened a document, or has become LibreOffice; returns what it printed."""
        info.setdefault("NSUserActivityDocumentURLKey", {"$url": "file://" + urllib.parse.quote(path)})
        info = {"version": 1, "modificationTime": WRITTEN, "modified": False, **info}
        result = subprocess.run(
            [computer.home / PROGRAM, *options],
            input=json.dumps({"type": TYPE, "deviceName": "laptop", "userInfo": info}), text=True,
            env=computer.environment(**{"DISPLAY": ":nowhere", **(variables or {})}), stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False,
        )
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    def configure(self, computer, text):
        """Writes office.conf of a computer. A second is little for LibreOffice on a busy machine."""
        text = text if "patience" in text else f"patience = {TIMEOUT}\n{text}"
        (computer.home / "config/handoff").mkdir(exist_ok=True)
        (computer.home / "config/handoff/office.conf").write_text(f"[office]\n{text}\n", encoding="utf-8")

    @staticmethod
    def wait_shown(computer, path, **place):
        """Waits until LibreOffice of a computer shows a document at a place."""
        def is_shown(event):
            info = event["properties"].get("UserInfo", {})
            url = info.get("NSUserActivityDocumentURLKey", {}).get("$url", "")
            return (urllib.parse.unquote_to_bytes(url) == b"file://" + path
                    and all(info.get(key) == value for key, value in place.items()))
        return computer.events.wait(f"{path!r} at {place}", is_shown)

    @staticmethod
    def type(computer, variables, *keys):
        """Presses keys in the window that has the focus."""
        subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], env=computer.environment(**variables), check=True)

    @staticmethod
    def focus(computer, variables, name):
        """Waits for a window whose title has a name, and until it has the focus."""
        words = ["xdotool", "search", "--sync", "--onlyvisible", "--name", name, "windowactivate", "--sync"]
        # It fails when another window vanishes meanwhile.
        quiet = {"stdout": subprocess.DEVNULL, "check": False, "timeout": TIMEOUT}
        end = time.monotonic() + TIMEOUT
        while subprocess.run(words, env=computer.environment(**variables), **quiet).returncode:
            assert time.monotonic() < end, f"no window {name} gets the focus"

    def notifications(self, computer):
        """The file with what notifications of a computer say."""
        notes = computer.home / "notes"
        self.addCleanup(notes.unlink, missing_ok=True)
        self.addCleanup(computer.program("notify-send", f"#!/bin/sh\nprintf '%s\\n' \"$*\" >> {notes}\n").unlink)
        return notes

    @contextlib.contextmanager
    def without_protection(self):
        """handoff-office of the desktop opens documents with their macros and links meanwhile, and asks nothing."""
        module = self.desktop.home / "usr/libexec/handoffd/handoff/office/connection.py"
        before = module.read_text(encoding="utf-8")
        # MacroExecMode.ALWAYS_EXECUTE_NO_WARN, UpdateDocMode.FULL_UPDATE.
        after = before.replace("NEVER_EXECUTE = 0", "NEVER_EXECUTE = 4").replace("NO_UPDATE = 0", "NO_UPDATE = 3")
        module.write_text(after, encoding="utf-8")
        try:
            yield
        finally:
            module.write_text(before, encoding="utf-8")

    @contextlib.contextmanager
    def web_server(self):
        """A web server that has nothing, and remembers what it was asked for."""
        class Handler(http.server.BaseHTTPRequestHandler):
            """Remembers each request."""

            def parse_request(self):
                """Every method is a request."""
                self.server.asked.append(self.raw_requestline)
                return False

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            server.asked = []
            server.address = f"http://127.0.0.1:{server.server_port}/"
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield server
            server.shutdown()

    def wait_fetched(self, pair, path, **state):
        """Fetches what is offered until it says this, as soon as LibreOffice has done what it was told."""
        deadline = time.monotonic() + TIMEOUT
        name = os.path.basename(path)
        while True:
            info = pair.fetch(TYPE)["userInfo"]
            if {**info, **state} == info and pair.relative(info) == name:
                return info
            self.assertLess(time.monotonic(), deadline, info)
