"""Processes of this computer, as the kernel tells of them: their names, which are around one, and where it listens."""

import contextlib
import os

# The flag of a socket at which a process listens, in /proc/net/unix (__SO_ACCEPTCON).
LISTENS = 1 << 16


def processes():
    """The numbers of all processes, as texts."""
    return filter(str.isdigit, os.listdir("/proc"))


def name(number):
    """How a process calls itself, at most 15 characters; empty if there is none."""
    return status(number).get("Name", "")


def status(number):
    """What the kernel tells everybody of a process; nothing of one that has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{number}/status", encoding="utf-8", errors="replace") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    return {}


def is_own(number):
    """Whether a process is one of this user."""
    return status(number).get("Uid", "").split("\t")[0] == str(os.getuid())


def ancestors(number):
    """The processes around a process, the nearest first."""
    found = []
    while (number := status(number).get("PPid", "0")) != "0":
        found.append(number)
    return found


def terminal(number):
    """The terminal of a process, as the kernel numbers devices; 0 without one."""
    with contextlib.suppress(OSError), open(f"/proc/{number}/stat", "rb") as file:
        # The name, in parentheses, may have any characters.
        return int(file.read().rpartition(b")")[2].split()[4])
    return 0


def environment(number):
    """The environment that a process was started with; None if it keeps that for itself."""
    with contextlib.suppress(OSError), open(f"/proc/{number}/environ", "rb") as file:
        words = [os.fsdecode(word) for word in file.read().split(b"\0")]
        return dict(word.split("=", 1) for word in words if "=" in word)
    return None


def listening(is_wanted):
    """The paths of the sockets at which programs of this session listen whose name is wanted; the name of each."""
    addresses, found = listening_addresses(), {}
    for number in addresses and processes():
        called = name(number)
        if is_wanted(called) and is_own(number) and is_of_session(number):
            for path in filter(None, map(addresses.get, sockets(number))):
                # One that is not absolute is as the program has named it.
                with contextlib.suppress(OSError):
                    found[os.path.join(os.readlink(f"/proc/{number}/cwd"), path)] = called
    return found


def is_of_session(number):
    """Whether a process of this user is one of this session, which has a home and a runtime directory."""
    around = environment(number) or {}
    return all(around.get(variable) == os.environ.get(variable) for variable in ("HOME", "XDG_RUNTIME_DIR"))


def sockets(number):
    """The sockets that a process has open, by the names of their inodes."""
    with contextlib.suppress(OSError):
        for descriptor in os.listdir(f"/proc/{number}/fd"):
            with contextlib.suppress(OSError):
                target = os.readlink(f"/proc/{number}/fd/{descriptor}")
                if target.startswith("socket:["):
                    yield target[len("socket:["):-1]


def listening_addresses():
    """The paths of all Unix sockets at which somebody listens, by the names of their inodes (proc_pid_net(5))."""
    found = {}
    with contextlib.suppress(OSError), open("/proc/net/unix", "rb") as file:
        for line in file:
            parts = os.fsdecode(line.rstrip(b"\n")).split(None, 7)
            if len(parts) == 8 and not parts[7].startswith("@") and is_listening(parts[3]):
                found[parts[6]] = parts[7]
    return found


def is_listening(flags):
    """Whether the flags of a socket, a hexadecimal number, say that somebody listens."""
    try:
        return int(flags, 16) & LISTENS != 0
    except ValueError:
        # The line above all.
        return False
