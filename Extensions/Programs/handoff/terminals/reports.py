"""What shells tell of where the person acts, and which report is the newest."""

import contextlib
import json
import os
import re
import subprocess
import urllib.parse

from handoff.program import is_yes, settings

# The names of tmux sessions that may be sent, and that a shell at the other end of ssh reads as names.
SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
# How long tmux and handoffd may take to answer, in seconds.
PATIENCE = 2


def make_report(shell, identifier, number, moment, directory):
    """What a shell tells: where the person acted, and what orders this among the reports of all shells."""
    return {
        "shell": int(shell), "id": identifier, "number": int(number), "moment": int(moment),
        "directory": urllib.parse.quote(os.fsencode(directory)), "tmux": tmux_session(),
    }


def uptime():
    """How long the computer has run, in hundredths of a second, as shells can read it without another process."""
    with open("/proc/uptime", encoding="ascii") as file:
        return int(file.read().split()[0].replace(".", ""))


def is_newer(report, other):
    """Whether the person acted later in the terminal of a report than in that of another one, whichever is heard first.

    A shell counts its own reports. Those of different shells are ordered by their moments, and within a hundredth of a
    second by their processes: what is heard last can be the older one of two reports of a shell.
    """
    if (report["shell"], report["id"]) == (other["shell"], other["id"]):
        return report["number"] > other["number"]
    return (report["moment"], report["shell"]) >= (other["moment"], other["shell"])


def record(report, path):
    """Makes a report the newest one, if it is: a file has room for it, also while the program that reads is stopped."""
    newest = recorded(path)
    # A moment that is still to come is of another start of the computer.
    if not newest or newest["moment"] > uptime() or is_newer(report, newest):
        with open(path + ".new", "w", encoding="ascii") as file:
            json.dump(report, file)
        os.replace(path + ".new", path)


def recorded(path):
    """The newest report; None without one."""
    with contextlib.suppress(FileNotFoundError), open(path, encoding="ascii") as file:
        return json.load(file)


def tmux_session():
    """The name of the tmux session of this terminal; empty without one, or if the person has not switched it on."""
    if not os.environ.get("TMUX") or not is_yes(settings("terminal.conf", "terminal").get("tmux", "no")):
        return ""
    words = ["tmux", "display-message", "-p", "-t", os.environ.get("TMUX_PANE", ""), "#{session_name}"]
    try:
        name = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False).stdout.strip()
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return name if SESSION.fullmatch(name) else ""
