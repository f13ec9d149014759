#!/usr/bin/env python3
"""The service under a user's own systemd; runs in a guest of the rig whose first process is systemd.

laptop is the service of an account that the story makes, installed as `make install` does, on the user's own bus;
desktop is a daemon without systemd. Shown are activation by both names, the sandbox, apps in units of their own,
restart, reload, crash, stop, and what the Debian package's scripts do for an upgrade and a removal.
"""

import contextlib
import json
import os
import pathlib
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

from world import (
    PROGRAMS, TIMEOUT, Device, Failure, Lines, Steps, check, device, print_log, process, run_story, trust_each_other,
    type_hash,
)

ROOT = pathlib.Path(__file__).parents[2]
UNIT = "handoffd.service"
BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
NAMES = ("org.handoffd.Handoff1", "org.handoffd.Control1")
EDITING, READING, DRAWING = "org.example.editor.editing", "org.example.reading", "org.example.drawing"
# The rating of Docs/Decisions/0032-apps-are-services-of-their-own.md, and what other versions of systemd may add.
STATED_EXPOSURE, ROUNDING = 6.4, 0.1
# Of the [Service] section, as systemd shows them.
SANDBOX = {
    "NoNewPrivileges": "yes", "LockPersonality": "yes", "MemoryDenyWriteExecute": "yes", "RestrictNamespaces": "yes",
    "RestrictRealtime": "yes", "RestrictSUIDSGID": "yes", "SystemCallArchitectures": "native", "LimitCORE": "0",
    "MemoryMax": str(512 * 1024 * 1024), "TasksMax": "128", "UMask": "0077", "KeyringMode": "private", "RestrictAddressFamilies": "AF_BLUETOOTH AF_INET AF_INET6 AF_NETLINK AF_UNIX",
}
# An app that has read the whole activity, and goes on with it when somebody says so.
WAITER = """#!/bin/sh
cat > ~/drawing
echo > ~/begun
read -r word < ~/go
exec sleep infinity < /dev/null
"""
# Of /proc/PID/status: a filter of system calls, and no new privileges.
CONFINED, UNCONFINED = {"NoNewPrivs": "1", "Seccomp": "2"}, {"NoNewPrivs": "0", "Seccomp": "0"}
# A withdrawal advertisement is received within moments; an entry of a device that is gone without one stays for 30 s.
BEFORE_THE_TIMEOUT = 20.0


class User:
    """An account of the guest, with a systemd and a bus of its own."""

    def __init__(self, name):
        run("useradd", "--create-home", "--shell", "/bin/bash", name)
        account = pwd.getpwnam(name)
        self.name, self.id = name, account.pw_uid
        self.home, self.runtime = pathlib.Path(account.pw_dir), f"/run/user/{account.pw_uid}"
        self.bus = f"unix:path={self.runtime}/bus"
        # As if the user were logged in all the time: a session that a script of the package opens and closes again for
        # the user would otherwise end the user's systemd.
        run("loginctl", "enable-linger", name)
        run("systemctl", "start", f"user@{self.id}.service")

    def command(self, *arguments):
        """The words of a command line that runs a program as this user, in the user's session."""
        user = ["setpriv", f"--reuid={self.name}", f"--regid={self.name}", "--init-groups", "--reset-env"]
        variables = [f"XDG_RUNTIME_DIR={self.runtime}", f"DBUS_SESSION_BUS_ADDRESS={self.bus}"]
        return [*user, "env", *variables, *map(str, arguments)]

    def run(self, *arguments):
        """What a program of this user prints."""
        return run(*self.command(*arguments))

    def systemctl(self, *arguments):
        """What `systemctl --user` prints."""
        return self.run("systemctl", "--user", *arguments)

    def properties(self, unit, *names):
        """Properties of a unit, by name."""
        lines = self.systemctl("show", unit, "--property=" + ",".join(names)).splitlines()
        return dict(line.split("=", 1) for line in lines)

    def write(self, path, text, mode=0o644):
        """Writes a file below the user's home directory, which the user owns."""
        file = self.home / path
        missing = [parent for parent in file.parents if not parent.exists()]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(mode)
        for made in (file, *missing):
            shutil.chown(made, self.name, self.name)
        return file


class Service(Device):
    """A device whose daemon is the service of a user, with the journal as its log."""

    def __init__(self, name, user, directory, journal):
        super().__init__(name, directory, user.bus, [])
        self.user = user
        self.lines = Lines(journal, self._log)

    def command(self, *arguments):
        return self.user.command("handoffctl", *arguments, "--json")

    def call(self, *arguments):
        """The answer to a call on the user's bus."""
        return self.user.run("busctl", "--user", "call", *arguments)

    @property
    def process_id(self):
        """The process of the daemon; "0" while it does not run."""
        return self.user.properties(UNIT, "MainPID")["MainPID"]

    @property
    def activity(self):
        """Whether the unit is active."""
        return self.user.properties(UNIT, "ActiveState")["ActiveState"]


def run(*arguments):
    """What a program prints; fails if the program does."""
    words = list(map(str, arguments))
    result = subprocess.run(words, capture_output=True, text=True, timeout=2 * TIMEOUT, check=False)
    if result.returncode:
        raise Failure(f"{' '.join(words)} ended with {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def install():
    """Installs the programs, the unit and the files that start it, in the guest's copy of the file system."""
    for name in ("handoffd", "handoffctl"):
        let_everybody_read(PROGRAMS / name)
        run("install", PROGRAMS / name, "/usr/local/bin")
    run("make", "--no-print-directory", "-C", ROOT, "install-service", "PREFIX=/usr/local")


def let_everybody_read(program):
    """Opens the directories of the libraries that a program needs to everybody; a toolchain may be in root's home."""
    for library in re.findall(r"=> (/.+) \(0x", run("ldd", program)):
        for parent in pathlib.Path(library).resolve().parents:
            mode = parent.stat().st_mode
            if mode & 0o005 != 0o005:
                parent.chmod(mode | 0o005)


@contextlib.contextmanager
def service(name, user, directory):
    """A device whose daemon the user's systemd starts."""
    user.write(".config/handoff/handoffd.conf", settings(name))
    follow = ["journalctl", "--follow", "--lines=all", "--output=cat", f"_SYSTEMD_USER_UNIT={UNIT}"]
    with process(follow, stdout=subprocess.PIPE, text=True, errors="replace") as journal:
        made = Service(name, user, pathlib.Path(directory), journal.stdout)
        try:
            yield made
        except BaseException:
            status = user.command("systemctl", "--user", "status", "--no-pager", "--lines=0", UNIT, "app-handoffd-*")
            subprocess.run(status, timeout=TIMEOUT, check=False)
            print_log(made)
            raise
        finally:
            made.close()


def settings(name):
    """A file of settings."""
    return f"[handoffd]\nname = {name}\nadapter = hci0\nlogLevel = debug\n"


def activation(steps, laptop):
    """A call to either name starts the service, and both names are the daemon's."""
    for name in NAMES:
        with steps.step(f"no daemon runs, and a call to {name} starts the service"):
            check(laptop.activity, "inactive")
            laptop.call(name, "/org/handoffd/Handoff1", "org.freedesktop.DBus.Peer", "Ping")
            laptop.wait_log("on the bus")
            check(laptop.activity, "active")
            for owned in NAMES:
                owner = laptop.call(*BUS, "GetConnectionUnixProcessID", "s", owned)
                check(owner.split(), ["u", laptop.process_id])
        if name != NAMES[-1]:
            laptop.user.systemctl("stop", UNIT)


def sandbox(steps, laptop):
    """The directives of the unit are in force, for systemd and for the kernel."""
    with steps.step("the sandbox's directives are in force"):
        check(laptop.user.properties(UNIT, *SANDBOX), SANDBOX)
        check(status_of(laptop.process_id), CONFINED)
        limits = pathlib.Path("/proc", laptop.process_id, "limits").read_text(encoding="ascii")
        check(re.search(r"Max core file size +(\S+) +(\S+)", limits).groups(), ("0", "0"))
        # No other program of the same user can read its memory: such files of a process that is not dumpable are root's.
        check(pathlib.Path("/proc", laptop.process_id, "mem").stat().st_uid, 0)
    with steps.step(f"systemd rates the unit {STATED_EXPOSURE}"):
        rating = laptop.user.run("systemd-analyze", "--user", "--no-pager", "security", UNIT)
        exposure = re.search(r"Overall exposure level for \S+: (\d+\.\d)", rating)
        print(f"    {exposure.group()}", flush=True)
        if float(exposure.group(1)) > STATED_EXPOSURE + ROUNDING:
            raise Failure(f"systemd rates the unit {exposure.group(1)}:\n{rating}")


def nothing_was_refused(laptop):
    """Neither the daemon nor Swift's runtime has met a refusal of the sandbox."""
    complaints = re.compile("Failed to set thread priority|Operation not permitted|EPERM", re.IGNORECASE)
    check([line for line in laptop.log_path.read_text(encoding="utf-8").splitlines() if complaints.search(line)], [])


def status_of(process_id):
    """What the kernel says about the confinement of a process."""
    text = pathlib.Path("/proc", process_id, "status").read_text(encoding="ascii")
    return {name: re.search(rf"^{name}:\s+(\S+)$", text, re.MULTILINE).group(1) for name in CONFINED}


def app(steps, laptop, desktop):
    """Continues an activity of desktop in an app of laptop; returns the app's unit and its process."""
    editor = laptop.user.write("editor", "#!/bin/sh\ncat > ~/received\nexec sleep infinity\n", 0o755)
    laptop.user.write(
        ".local/share/applications/org.example.Editor.desktop",
        f"[Desktop Entry]\nType=Application\nName=Editor\nExec={editor}\nX-Handoff-Exec={editor}\n"
        f"X-Handoff-ActivityTypes={EDITING};\n",
    )
    with laptop.watching() as nearby, desktop.publishing("--type", EDITING, "--user-info", '{"line": 12}'):
        with steps.step("laptop discovers an activity that its app continues"):
            nearby.wait(lambda entries: [e.get("applicationName") for e in entries] == ["Editor"], "entry with the app")
        with steps.step("laptop continues it, and the app is a unit of its own"):
            check(laptop.ctl("continue"), {"outcome": "app", "application": "org.example.Editor"})
            unit = only_app(laptop.user, "org.example.Editor")
            found = laptop.user.properties(unit, "MainPID", "Slice", "ControlGroup")
            check(found["Slice"], "app.slice")
            check(pathlib.Path("/proc", found["MainPID"], "cgroup").read_text().strip(), f"0::{found['ControlGroup']}")
            check(status_of(found["MainPID"]), UNCONFINED)
            check('"line":12' in (laptop.user.home / "received").read_text(encoding="utf-8").replace(" ", ""), True)
    with steps.step("systemd-cgls shows the app beside the service, and not in it"):
        tree = run("systemd-cgls", "--no-pager", "--full", "--unit", f"user@{laptop.user.id}.service")
        print(tree, flush=True)
        groups = dict(branches(tree))
        check(found["MainPID"] in groups[unit], True)
        check(groups[UNIT], [laptop.process_id])
    return unit, found["MainPID"]


@contextlib.contextmanager
def waiting_app(steps, laptop, desktop):
    """Continues an activity in an app in a unit of its own, which says after the block that somebody goes on with it."""
    user = laptop.user
    begun, go = (user.home / name for name in ("begun", "go"))
    install_waiter(user, begun, go)
    with laptop.watching() as nearby, desktop.publishing("--type", DRAWING, "--user-info", '{"line": 34}'):
        nearby.wait(lambda entries: [e.get("applicationName") for e in entries] == ["Waiter"], "entry with the app")
        with steps.step("laptop continues an activity in an app that waits"):
            caller = subprocess.Popen(laptop.command("continue"), stdout=subprocess.PIPE, text=True)
            run("timeout", TIMEOUT, "head", "--lines=1", begun)
            check('"line":34' in (user.home / "drawing").read_text(encoding="utf-8").replace(" ", ""), True)
    yield
    with caller, steps.step("the caller waits until the app has said that somebody goes on, whatever else has happened"):
        check(caller.poll(), None)
        run("timeout", TIMEOUT, "sh", "-c", f"echo go > {go}")
        answer = json.loads(caller.communicate(timeout=TIMEOUT)[0])
        check(answer, {"outcome": "app", "application": "org.example.Waiter"})
        user.systemctl("stop", only_app(user, "org.example.Waiter"))


def install_waiter(user, *pipes):
    """Installs the app that waits, and makes its pipes."""
    waiter = user.write("waiter", WAITER, 0o755)
    for pipe in pipes:
        os.mkfifo(pipe)
        shutil.chown(pipe, user.name, user.name)
    user.write(
        ".local/share/applications/org.example.Waiter.desktop",
        f"[Desktop Entry]\nType=Application\nName=Waiter\nX-Handoff-Exec={waiter}\nX-Handoff-Waits=true\n"
        f"X-Handoff-ActivityTypes={DRAWING};\n",
    )


def only_app(user, name):
    """The unit of the only app with a name that the daemon has started."""
    listed = user.systemctl("list-units", "--plain", "--no-legend", f"app-handoffd-{name}@*").split("\n")
    units = [line.split()[0] for line in listed if line.strip()]
    if len(units) != 1:
        raise Failure(f"the units of apps are {units}")
    return units[0]


def branches(tree):
    """The units of a tree of systemd-cgls, each with the processes in it."""
    unit = None
    processes = []
    for line in tree.splitlines():
        word = line.lstrip(" │├└─")
        if match := re.match(r"(\d+) ", word):
            processes.append(match.group(1))
        else:
            if unit:
                yield unit, processes
            # Some versions of systemd add the number of the control group, as in " (#965)".
            unit, processes = word.split(" ")[0], []
    if unit:
        yield unit, processes


def restarts(steps, laptop, desktop, running_app):
    """Whatever ends the daemon, what is current comes back with it, and the app goes on."""
    user = laptop.user
    ways = {
        "systemctl --user restart": lambda: user.systemctl("restart", UNIT),
        "a crash": lambda: user.systemctl("kill", "--kill-whom=main", "--signal=KILL", UNIT),
        "an upgrade of the package": lambda: run("sh", ROOT / "debian/handoffd.postinst", "configure", "0.1.0"),
    }
    with desktop.watching() as nearby, laptop.publishing("--type", READING):
        with steps.step("laptop publishes an activity, and desktop discovers it"):
            entries = nearby.wait_for_only(type_hash(READING))
        for name, way in ways.items():
            with steps.step(f"{name}: the service runs again, and desktop fetches the same activity of it"):
                before = laptop.process_id
                laptop.lines.skip()
                way()
                laptop.wait_log("on the bus")
                check(laptop.process_id not in (before, "0"), True)
                entries = another_entry(nearby, entries[0]["id"])
                check(desktop.ctl("continue", "--print", entries[0]["id"])["type"], READING)
            check(app_state(user, running_app[0]), ("active", running_app[1]))
        reload(steps, laptop)
        with steps.step("systemctl --user stop: the activity leaves desktop's list at once"):
            nearby.wait_for_only(type_hash(READING))
            user.systemctl("stop", UNIT)
            nearby.wait_empty(BEFORE_THE_TIMEOUT)
        with steps.step("the service stays stopped while a program waits for it, and the app goes on"):
            check(laptop.activity, "inactive")
            check(app_state(user, running_app[0]), ("active", running_app[1]))


def another_entry(nearby, old):
    """The first list whose only entry has the type, and another id than before."""
    wanted = type_hash(READING)
    return nearby.wait(
        lambda entries: [entry["typeHash"] for entry in entries] == [wanted] and entries[0]["id"] != old,
        "an entry of the daemon that runs now", 90,
    )


def app_state(user, unit):
    """Whether an app runs, and its process."""
    return tuple(user.properties(unit, "MainPID", "ActiveState")[name] for name in ("ActiveState", "MainPID"))


def reload(steps, laptop):
    """`systemctl --user reload` reads changed settings, in the same process."""
    with steps.step("systemctl --user reload: a changed name is in force, in the same process"):
        before = laptop.process_id
        laptop.user.write(".config/handoff/handoffd.conf", settings("study"))
        laptop.user.systemctl("reload", UNIT)
        laptop.wait_log("settings.reloaded")
        check(laptop.ctl("status")["deviceName"], "study")
        check(laptop.process_id, before)


def removal(steps, laptop, desktop):
    """The package's script stops the service before its files are removed, also while it scans for somebody."""
    laptop.user.systemctl("start", UNIT)
    with laptop.watching() as nearby, desktop.publishing("--type", EDITING):
        nearby.wait_for_type(type_hash(EDITING))
        with steps.step("removing the package stops the service, which ends by itself"):
            run("sh", ROOT / "debian/handoffd.prerm", "remove")
            ended = {"ActiveState": "inactive", "Result": "success"}
            check(laptop.user.properties(UNIT, *ended), ended)


def story():
    """Runs all parts with two devices."""
    steps = Steps()
    check(pathlib.Path("/proc/1/comm").read_text(encoding="ascii").strip(), "systemd")
    with tempfile.TemporaryDirectory(prefix="handoff-story-") as directory:
        logs = os.environ.get("RIG_RESULTS", directory)
        with steps.step("the service is installed, and a user's systemd runs"):
            install()
            user = User("ann")
        with service("laptop", user, logs) as laptop, device("desktop", logs, ["--adapter", "hci1"]) as desktop:
            activation(steps, laptop)
            sandbox(steps, laptop)
            trust_each_other(laptop, desktop)
            with waiting_app(steps, laptop, desktop):
                # This app counts as one that goes on two seconds after its start.
                running_app = app(steps, laptop, desktop)
            restarts(steps, laptop, desktop, running_app)
            removal(steps, laptop, desktop)
            nothing_was_refused(laptop)
    print("story of systemd: ok", flush=True)


if __name__ == "__main__":
    if "HANDOFF_RIG" not in os.environ:
        sys.exit("this story runs in a guest: Tests/Rig/run-one-guest --systemd Tests/Stories/systemd_one_guest.py")
    run_story(story)
