"""A computer with a screen: a display with a window manager, a bus with a daemon, and a home directory."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess

from drivers import Chromium, Firefox
from monitor import monitoring
from shown import act_on_window
from world import PROGRAMS, Device, Failure, print_ends, private_bus, process

ROOT = pathlib.Path(__file__).parents[2]
EXTENSION = ROOT / "Extensions/Browser"


@contextlib.contextmanager
def display():
    """A display with a window manager; yields its name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"]
    with process(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        os.close(writing)
        with os.fdopen(reading) as numbers:
            name = ":" + numbers.readline().strip()
        environment = {**os.environ, "DISPLAY": name}
        with process(["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            yield name


class Desk:
    """One computer of the user."""

    def __init__(self, name, directory, radio, bus, display_name):
        self.name, self.directory = name, directory / name
        self.home = self.directory / "home"
        for part in ("home/.config", "home/.local/share/applications", "bin", "run"):
            (self.directory / part).mkdir(parents=True)
        (self.directory / "run").chmod(0o700)
        path = os.environ.get("PATH", "/usr/bin:/bin")
        self.environment = {
            "HOME": str(self.home), "DISPLAY": display_name, "DBUS_SESSION_BUS_ADDRESS": bus,
            "PATH": f"{self.directory / 'bin'}:{path}", "XDG_DATA_DIRS": "/usr/share",
            "XDG_RUNTIME_DIR": str(self.directory / "run"), "LANG": "C.UTF-8", "LANGUAGE": "en",
            "MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_DISABLE_AUTO_SAFE_MODE": "1", "NO_AT_BRIDGE": "1",
        }
        self.device = Device(name, self.directory, bus, radio)
        self.log = open(self.directory / "browser.log", "a", encoding="utf-8")

    def start(self):
        """Starts the daemon."""
        before = dict(os.environ)
        os.environ.clear()
        os.environ.update(self.environment)
        try:
            self.device.start()
        finally:
            os.environ.clear()
            os.environ.update(before)

    def handoffctl(self, *arguments):
        """The JSON that handoffctl prints, with this computer's environment."""
        command = [PROGRAMS / "handoffctl", *arguments, "--json"]
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=self.environment, timeout=60)
        if result.returncode:
            raise Failure(f"{self.name}: handoffctl {' '.join(arguments)}: {result.stderr.strip()}")
        return json.loads(result.stdout)

    def prefer(self, desktop_file):
        """Makes a browser the default one."""
        (self.home / ".config/mimeapps.list").write_text(
            f"[Default Applications]\nx-scheme-handler/https={desktop_file}\nx-scheme-handler/http={desktop_file}\n",
            encoding="utf-8",
        )

    def chromium(self, may_read=False):
        """A Chromium with a profile of its own, which has the host's manifest as the user's own profile would."""
        profile = self.directory / "chromium"
        profile.mkdir()
        self.handoffctl("browser", "install", "chromium")
        own = self.home / ".config/chromium/NativeMessagingHosts"
        (profile / "NativeMessagingHosts").symlink_to(own, target_is_directory=True)
        return Chromium(self.environment, profile, self._extension(may_read), self.log)

    def firefox(self, port):
        """A Firefox with a profile of its own."""
        self.handoffctl("browser", "install", "firefox")
        return Firefox(self.environment, self.directory / "firefox", EXTENSION, self.log, port)

    def _extension(self, may_read):
        """The extension; with `may_read`, as if the person had allowed it to look into pages, which Chromium asks in a
        dialog of its own that no program can answer."""
        if not may_read:
            return EXTENSION
        copy = self.directory / "extension"
        shutil.copytree(EXTENSION, copy)
        manifest = json.loads((copy / "manifest.json").read_text(encoding="utf-8"))
        manifest["host_permissions"] = manifest.pop("optional_host_permissions")
        (copy / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
        return copy

    def monitoring(self):
        """What the daemon does, line by line, from now on."""
        return monitoring(self.device.bus)

    def focus(self, window_name):
        """Gives the focus to the newest window whose title matches."""
        act_on_window([window_name, "windowactivate", "--sync"], self.environment, f"{window_name} on {self.name}")


@contextlib.contextmanager
def desk(name, directory, radio):
    """A running computer; if the story fails, the ends of its logs are printed."""
    with private_bus() as bus, display() as display_name:
        made = Desk(name, directory, radio, bus, display_name)
        try:
            made.start()
            yield made
        except BaseException:
            made.log.flush()
            print_ends(name, made.device.log_path, made.log.name)
            raise
        finally:
            made.device.close()
            made.log.close()
