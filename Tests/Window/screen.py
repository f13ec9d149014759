"""A computer with a screen on which the window of Handoff is shown, driven as a screen reader and a keyboard do."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "Tests/Stories")]

from shown import act_on_window  # noqa: E402
from world import PROGRAMS, TIMEOUT, Device, Failure, Lines, print_ends, private_bus, process  # noqa: E402

# The interpreter of the distribution, which has its package of AT-SPI.
PYTHON = "/usr/bin/python3"


class Screen:
    """A display of its own, a session bus with a daemon, and what is needed to look at windows."""

    def __init__(self, name, directory, radio, bus, environment):
        self.name, self.directory = name, directory
        self.environment = {**environment, "DBUS_SESSION_BUS_ADDRESS": bus}
        self.device = Device(name, self.directory, bus, radio)
        self.log = open(self.directory / "window.log", "a", encoding="utf-8")
        self._reader = None
        self._answers = None

    def start(self):
        """Starts the daemon."""
        with starting_in(self.environment):
            self.device.start()

    @contextlib.contextmanager
    def reading(self):
        """Looks at windows in the block."""
        command = [PYTHON, ROOT / "Tests/Window/reader.py"]
        with process(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
                     env=self.environment) as reader:
            self._reader, self._answers = reader, Lines(reader.stdout)
            self._answers.wait(lambda line: "ready" in line, f"the reader of {self.name}")
            yield
            reader.stdin.close()

    @contextlib.contextmanager
    def window(self, **environment):
        """The window; it is ended when the block ends, if it still runs."""
        with process([PROGRAMS / "handoff"], stdout=self.log, stderr=self.log,
                     env={**self.environment, **environment}) as window:
            yield window

    def ask(self, what, wanted=None, **others):
        """The answer of the reader to a request."""
        request = {"do": what, "wanted": wanted or {}, "timeout": TIMEOUT, **others}
        self._reader.stdin.write(json.dumps(request) + "\n")
        self._reader.stdin.flush()
        return json.loads(self._answers.wait(lambda _: True, f"{what} {wanted} on {self.name}", TIMEOUT + 30))

    def see(self, **wanted):
        """Waits for a node of the window; returns it."""
        return self._checked(self.ask("find", wanted), wanted)

    def press(self, name, role="push button"):
        """Presses a button, as a screen reader does."""
        wanted = {"role": role, "name": name, "states": ["sensitive"]}
        return self._checked(self.ask("press", wanted), wanted)

    def write(self, name, text):
        """Writes into an entry."""
        wanted = {"role": "text", "name": name}
        return self._checked(self.ask("write", wanted, text=text), wanted)

    def see_none(self, **wanted):
        """Waits until the window has no such node."""
        if not self.ask("gone", wanted):
            raise Failure(f"{wanted} is still on the screen of {self.name}:\n{self.text}")

    def type(self, *keys, waits=True):
        """Presses keys on the keyboard: when the window has it, or at once, since questions do not tell whether they do."""
        if waits:
            self.see(role="frame", states=["active"])
        subprocess.run(["xdotool", "key", "--clearmodifiers", *keys], env=self.environment, check=True, timeout=TIMEOUT)

    def wait_shown(self, *then):
        """Waits until the display shows the window, and does with it what xdotool is told."""
        act_on_window(["^Handoff$", *then], self.environment, f"the window on {self.name}")

    def enlarge(self, dots):
        """Lets windows that are opened from now on have so many dots per inch; 96 are usual, None leaves it to them."""
        # GTK does not heed its own file of settings for this.
        resources = f"Xft.dpi: {dots}" if dots else ""
        words = ["xprop", "-root", "-format", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", resources]
        subprocess.run(words, env=self.environment, check=True, timeout=TIMEOUT)

    @property
    def width(self):
        """How wide the window is that is shown, without the frame around it, in pixels."""
        search = ["xdotool", "search", "--onlyvisible", "--name", "^Handoff$", "getwindowgeometry", "--shell"]
        lines = subprocess.check_output(search, env=self.environment, timeout=TIMEOUT, text=True).split()
        return int(dict(line.split("=") for line in lines)["WIDTH"])

    def picture(self, path):
        """Writes a picture of the display."""
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["import", "-window", "root", str(path)], env=self.environment, check=True, timeout=TIMEOUT)

    @property
    def text(self):
        """What is on the screen, for people."""
        tree = self.ask("tree")
        return "\n".join(f"    {n['role']}: {n['name']} ({n['description']}) {n['states']}" for n in tree if n["name"])

    def _checked(self, answer, wanted):
        if answer is None:
            raise Failure(f"{wanted} is not on the screen of {self.name}:\n{self.text}")
        return answer

    def close(self):
        self.device.close()
        self.log.close()


@contextlib.contextmanager
def starting_in(environment):
    """Processes that are started in the block get this environment."""
    before = dict(os.environ)
    os.environ.clear()
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def make_environment(directory, display_name):
    """The environment of a computer, whose directories are made."""
    for part in ("home", "run", "share/applications", "config"):
        (directory / part).mkdir(parents=True)
    (directory / "run").chmod(0o700)
    # The bus may start a notification server, whose windows would lie over the one that is looked at.
    (directory / "config/dunst").mkdir()
    (directory / "config/dunst/dunstrc").write_text("[global]\n[none]\n    summary = *\n    skip_display = true\n")
    return {
        "HOME": str(directory / "home"), "DISPLAY": display_name,
        "XDG_DATA_HOME": str(directory / "share"), "XDG_DATA_DIRS": "/usr/share",
        "XDG_CONFIG_HOME": str(directory / "config"), "XDG_RUNTIME_DIR": str(directory / "run"),
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "LANGUAGE": "en",
        "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GSETTINGS_BACKEND": "memory", "ADW_DISABLE_PORTAL": "1",
    }


@contextlib.contextmanager
def display(size="900x800"):
    """A display with a window manager; yields its name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-screen", "0", f"{size}x24", "-nolisten", "tcp", "-noreset"]
    with process(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
        os.close(writing)
        with os.fdopen(reading) as numbers:
            name = ":" + numbers.readline().strip()
        environment = {**os.environ, "DISPLAY": name}
        with process(["openbox"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            yield name


@contextlib.contextmanager
def screen(name, directory, radio, size="900x800"):
    """A running computer; if the story fails, the ends of its logs are printed."""
    with contextlib.ExitStack() as stack:
        display_name = stack.enter_context(display(size))
        environment = make_environment(directory / name, display_name)
        # The bus of AT-SPI is started by this one: its socket has to be this computer's own.
        with starting_in(environment):
            bus = stack.enter_context(private_bus())
        made = Screen(name, directory / name, radio, bus, environment)
        try:
            made.start()
            with made.reading():
                yield made
        except BaseException:
            made.log.flush()
            print_ends(name, made.device.log_path, made.log.name)
            raise
        finally:
            made.close()
