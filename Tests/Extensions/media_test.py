"""What the tests of handoff-media share: players, real ones and one that does what a test says."""

import json
import os
import pathlib
import select
import signal
import subprocess
import wave

from devices import TIMEOUT, IntegrationTest, Lines, process

TYPE = "org.handoffd.media"
PROGRAM = "usr/libexec/handoffd/handoff-media"
MPV = ["/usr/bin/mpv", "--no-config", "--script=/etc/mpv/scripts/mpris.so", "--vo=null", "--ao=null", "--no-terminal"]
VLC = ["-I", "dummy", "--aout=adummy", "--vout=vdummy", "--no-one-instance", "--quiet"]
# A player of which a test decides what it answers.
FAKE = """#!/usr/bin/python3
import json, sys
import dbus, dbus.lowlevel, dbus.service, dbus.mainloop.glib
from gi.repository import GLib

def typed(value):
    # {"dbus": TYPE, "value": VALUE} is a value of that type.
    return getattr(dbus, value["dbus"])(value["value"]) if set(value) == {"dbus", "value"} else value

class Player(dbus.service.Object):
    @dbus.service.method("org.freedesktop.DBus.Properties", "s", "a{sv}", async_callbacks=("reply", "fail"))
    def GetAll(self, interface, reply, fail):
        if values.get("hangs") and self.asked:
            return
        self.asked = True
        status = {"PlaybackStatus": "Playing", "Metadata": dbus.Dictionary(values["metadata"], signature="sv")}
        more = {key: dbus.Int64(value) if type(value) is int else value
                for key, value in values.get("more", {}).items()}
        reply(dbus.Dictionary({**status, **more}, signature="sv"))

    @dbus.service.method("org.freedesktop.DBus.Properties", "ss", "v")
    def Get(self, interface, name):
        return values["free"][name]

    @dbus.service.method("org.mpris.MediaPlayer2.Player", "s")
    def OpenUri(self, uri):
        if values.get("opens"):
            metadata = {"xesam:url": uri, **values.get("opened", {})}
            values["free"]["Metadata"] = dbus.Dictionary(metadata, signature="sv")
            values["free"]["PlaybackStatus"] = "Playing"

    @dbus.service.method("org.mpris.MediaPlayer2.Player")
    def Stop(self):
        print("stopped", flush=True)

    @dbus.service.method("org.mpris.MediaPlayer2.Player")
    def Pause(self):
        print("paused", flush=True)

class Complete(Player):
    @dbus.service.method("org.mpris.MediaPlayer2.Player")
    def Play(self):
        print("playing", flush=True)

    @dbus.service.method("org.mpris.MediaPlayer2.Player", "x")
    def Seek(self, offset):
        print(f"sought {offset}", flush=True)
        self.move(values["free"].get("Position", 0) + offset)

    @dbus.service.method("org.mpris.MediaPlayer2.Player", "ox")
    def SetPosition(self, track, position):
        print(f"set {track} {position}", flush=True)
        self.move(position)

    def move(self, position):
        if "Position" in values["free"] and not values.get("stays"):
            values["free"]["Position"] = dbus.Int64(position)

values = json.loads(sys.argv[1], object_hook=typed)
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
player = (Complete if values.get("is_complete") else Player)(bus, "/org/mpris/MediaPlayer2")
player.asked = False
service = values.get("service") and dbus.service.BusName(values["service"], bus)
name = dbus.service.BusName("org.mpris.MediaPlayer2." + values.get("name", "fake"), bus)
for arguments in values.get("signals", []):
    signal = dbus.lowlevel.SignalMessage(player._object_path, "org.freedesktop.DBus.Properties", "PropertiesChanged")
    signal.append("org.mpris.MediaPlayer2.Player", *arguments)
    bus.send_message(signal)
print("ready", flush=True)
GLib.MainLoop().run()
"""


class MediaTest(IntegrationTest):
    """A test of players."""

    def setUp(self):
        super().setUp()
        self.configure("")

    def configure(self, text):
        """Writes media.conf of the desktop."""
        # Players begin, however busy the machine is.
        text = text if "patience" in text else f"patience = {TIMEOUT}\n{text}"
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/media.conf").write_text(f"[media]\n{text}\n", encoding="utf-8")

    def fake(self, computer=None, **values):
        """A player that says what the test wants, and what it prints; the one before ends."""
        computer = computer or self.laptop
        if hasattr(self, "last"):
            self.last.terminate()
            self.last.wait()
        program = computer.program("fake-player", FAKE)
        self.addCleanup(program.unlink, missing_ok=True)
        self.last = self.enterContext(process(
            [program, json.dumps(values)], stdout=subprocess.PIPE, text=True, env=computer.environment(),
        ))
        self.last.lines = Lines(self.last.stdout)
        self.last.lines.wait(lambda line: line == "ready", "a player on the bus")
        return self.last

    def sound(self, name, computer=None):
        """A minute of silence in the synchronised folder; its path as bytes."""
        path = os.fsencode((computer or self.laptop).docs) + b"/" + os.fsencode(name)
        with open(path, "wb") as file, wave.open(file, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(1)
            sound.setframerate(8000)
            sound.writeframes(b"\x80" * 8000 * 60)
        return path

    def following(self, computer=None):
        """handoff-media, as the person has switched it on."""
        computer = computer or self.laptop
        return self.enterContext(process([computer.home / PROGRAM, "follow"], env=computer.environment()))

    def mpv(self, computer, *arguments):
        """A player, once it is on the bus."""
        return self.player(computer, "mpv", [*MPV, *map(os.fsdecode, arguments)])

    def vlc(self, computer, *arguments):
        """A VLC, once it is on the bus."""
        program = "/usr/bin/vlc"
        if os.geteuid() == 0:
            # VLC does not run as root, as tests in containers do: this one asks for another number.
            program = computer.bin / "vlc-of-root"
            # One that runs cannot be written anew.
            if not program.exists():
                computer.program(program.name, "")
                program.write_bytes(pathlib.Path("/usr/bin/vlc").read_bytes().replace(b"\0geteuid\0", b"\0getppid\0"))
                self.addCleanup(program.unlink, missing_ok=True)
        return self.player(computer, "vlc", [program, *VLC, *map(os.fsdecode, arguments)])

    def player(self, computer, name, words):
        """A player, once it is on the bus."""
        player = self.enterContext(process(words, env=computer.environment(), stderr=subprocess.DEVNULL))
        subprocess.run(
            ["gdbus", "wait", "--session", "--timeout", str(int(TIMEOUT)), f"org.mpris.MediaPlayer2.{name}"],
            env=computer.environment(), check=True,
        )
        return player

    def ctl(self, computer, *words, player="mpv"):
        """What playerctl says of a player."""
        result = subprocess.run(["playerctl", f"--player={player}", *words], env=computer.environment(), text=True,
                                capture_output=True, check=False, timeout=TIMEOUT)
        return result.stdout.strip()

    def seek(self, computer, player, seconds):
        """Seeks in what plays, and waits until the player says that it is there: where it began in the middle, it may tell
        the beginning, and not when it has come there."""
        follow = ["playerctl", f"--player={player}", "--follow", "metadata", "--format", "{{position}}"]
        with process(follow, stdout=subprocess.PIPE, text=True, env=computer.environment()) as follower:
            told = Lines(follower.stdout)
            told.wait(str.isdigit, f"a position of {player}")
            self.ctl(computer, "position", str(seconds), player=player)
            told.wait(
                lambda line: line.isdigit() and int(line) >= seconds * 1_000_000, f"the position {seconds} s of {player}"
            )

    def fetched(self):
        """The state that the desktop gets now."""
        return self.pair.fetch(TYPE)

    def wait_change(self, is_playing):
        """Waits until the laptop's activity says whether it plays."""
        return self.events.wait(
            "a change", lambda e: e["properties"].get("UserInfo", {}).get("isPlaying") is is_playing
        )


def end(number):
    """Ends a process that is no child of this one, and waits until it has ended."""
    descriptor = os.pidfd_open(number)
    os.kill(number, signal.SIGTERM)
    select.select([descriptor], [], [])
    os.close(descriptor)
