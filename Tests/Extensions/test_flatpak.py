"""An app in the sandbox of a real Flatpak: what it may do through xdg-dbus-proxy, and what nobody in there may."""

import contextlib
import json
import os
import pathlib
import subprocess
import tempfile

from devices import TIMEOUT, IntegrationTest, Lines, process, type_hash
from flatpaks import APP, install, make_repository

TYPE = "org.example.sandboxed.editing"
CONTROL = "org.handoffd.Control1"
REFUSED = "org.handoffd.Error.CallerSandboxed"
PROGRAM = pathlib.Path(__file__).parent / "sandboxed_app.py"
ENTRY = f"""[Desktop Entry]
Type=Application
Name=Sandboxed
Exec=sandboxed
Implements=org.handoffd.Application1
X-Handoff-ActivityTypes={TYPE};
"""


class FlatpakTests(IntegrationTest):
    """The app is installed on both computers, and may talk to the name for apps."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with tempfile.TemporaryDirectory(prefix="flatpak-") as directory:
            repository = make_repository(pathlib.Path(directory), PROGRAM.read_text(encoding="utf-8"), ENTRY)
            for computer in (cls.pair.laptop, cls.pair.desktop):
                install(repository, computer)

    def flatpak(self, *arguments, options=(), **streams):
        """The app in its sandbox on the laptop."""
        command = ["flatpak", "run", "--die-with-parent", "--no-a11y-bus", *options, APP, *arguments]
        return process(command, env=self.laptop.environment(), stdout=subprocess.PIPE, text=True, **streams)

    @contextlib.contextmanager
    def offering(self):
        """The app that offers its activity; what it tells is in `events`."""
        with self.flatpak("publish", stdin=subprocess.PIPE) as app:
            app.events = Lines(app.stdout)
            app.events.wait(lambda line: '"offered"' in line, "an activity of the app")
            self.pair.wait_offered(TYPE)
            yield app
            app.stdin.close()
            self.assertEqual(app.wait(timeout=TIMEOUT), 0)
        self.pair.wait_nothing()

    def probe(self, *options):
        """What the app's calls to the name for control, and to the connection that owns it, lead to."""
        call = ["gdbus", "call", "--address", self.laptop.device.bus, "--dest", "org.freedesktop.DBus", "--object-path"]
        call += ["/", "--method", "org.freedesktop.DBus.GetNameOwner", CONTROL]
        owner = subprocess.run(call, check=True, capture_output=True, text=True).stdout.split("'")[1]
        with self.flatpak("probe", owner, options=options) as app:
            told = json.loads(app.communicate(timeout=TIMEOUT)[0])
        self.assertEqual(told["apps"], "performed")
        self.assertEqual(list(told["answers"]), [CONTROL, owner])
        return told

    def test_an_app_publishes_saves_and_is_told_who_goes_on(self):
        with self.offering() as app:
            self.assertEqual(self.pair.fetch(TYPE)["userInfo"], {"line": 7})
            stream = self.desktop.device.command("stream", "--type", TYPE)
            stream.remove("--json")
            told = subprocess.run(stream, capture_output=True, timeout=TIMEOUT, check=True)
            self.assertEqual(told.stdout, b"through the proxy")
            streamed = json.loads(app.events.wait(lambda line: '"streamed"' in line, "a stream"))
            self.assertEqual(streamed["device"], "desktop")
            # Of the signals of the daemon, only those about its own activity have reached it.
            signals = [json.loads(line) for line in app.events.seen if '"signal"' in line]
            paths = {signal["path"] for signal in signals if signal["path"].startswith("/org/handoffd")}
            self.assertEqual(len(paths), 1, signals)

    def test_an_app_in_its_sandbox_continues_what_is_nearby(self):
        data = self.desktop.home / f".var/app/{APP}/data"
        data.mkdir(parents=True)
        os.mkfifo(data / "continued")
        with self.pair.publishing(type=TYPE, userInfo={"line": 3}):
            self.pair.fetch(TYPE)
            with process([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                         stdout=subprocess.DEVNULL) as continuing:
                got = json.loads((data / "continued").read_text(encoding="utf-8"))
                self.assertEqual(continuing.wait(timeout=TIMEOUT), 0)
        self.assertEqual(got, {"type": TYPE, "line": 3, "device": "laptop", "sandboxed": True})

    def test_for_an_app_with_the_permission_for_apps_there_is_no_name_for_control(self):
        told = self.probe()
        self.assertIn("org.handoffd.Handoff1", told["names"])
        self.assertNotIn(CONTROL, told["names"])
        for answers in told["answers"].values():
            self.assertNotIn("performed", answers.values())
        self.assertIsInstance(told["started"], str)
        self.assertNotIn(REFUSED, str(told["answers"]), "the daemon was asked, which the proxy does not allow")

    def test_no_permission_gets_an_app_what_is_for_control(self):
        before = self.laptop.device.ctl("devices", "list")
        for option in (f"--talk-name={CONTROL}", "--socket=session-bus"):
            with self.subTest(option):
                told = self.probe(option)
                self.assertIn(CONTROL, told["names"])
                for answers in told["answers"].values():
                    self.assertEqual(set(answers.values()), {REFUSED})
        self.assertEqual(self.laptop.device.ctl("devices", "list"), before)
