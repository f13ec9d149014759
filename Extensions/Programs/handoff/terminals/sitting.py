"""Where the person is who acts in a terminal: what keeps terminals can have been started anywhere, and long ago.

The environment of a shell in tmux, GNU screen or Zellij is that of the computer at which the server was started. So the
terminal is looked for that shows the shell now, and the environment is that of the program in it.
"""

import contextlib
import os
import subprocess

from handoff.processes import ancestors, environment, is_own, name, processes, terminal

# How long tmux may take to answer, in seconds.
PATIENCE = 2
# How deep what keeps terminals can be in what keeps terminals.
MAXIMUM_DEPTH = 8
# How programs over the network call themselves, by which a terminal is elsewhere (the kernel keeps 15 characters).
REMOTE = ("sshd", "sshd-session", "dropbear", "mosh-server")
# Says in an environment that the terminal is that of another computer (ssh(1)).
OVER_SSH = "SSH_CONNECTION"


def sitting(shell, around):
    """The environment of the terminal in which a shell is shown now; None if that is at another computer.

    It is found from the environment around the shell.
    """
    for _ in range(MAXIMUM_DEPTH):
        found = client(shell, around)
        if found is None:
            break
        shell, around = found
    return None if around.get(OVER_SSH) else around


def client(shell, around):
    """The process and the environment of what shows a shell of tmux, screen or Zellij; None if the shell is in none."""
    others = ancestors(shell)
    address, _, server = around.get("TMUX", "").rpartition(",")[0].rpartition(",")
    if address and server in others:
        return tmux_client(address, around)
    for kind, variable in (("screen", "STY"), ("zellij", "ZELLIJ")):
        if around.get(variable) and kind in map(name, others):
            # Whose session each shows, they do not tell: what counts is in which the person typed last.
            shown = [number for number in processes() if name(number) == kind and terminal(number) and is_own(number)]
            last = max(shown, key=lambda number: used(terminal(number)), default=None)
            return last and (last, environment_of(last))
    return None


def tmux_client(address, around):
    """The client of tmux in which the person typed last, of those that show the pane, else of those of its session.

    Without one, nobody looks: the last one has left in tmux how it was. None if tmux does not answer.
    """
    pane = around.get("TMUX_PANE", "")
    here = ask_tmux(address, "display-message", "-p", "-t", pane, "#{window_id} #{session_name}")
    if not here:
        return None
    window, _, session = here.partition(" ")
    lines = ask_tmux(address, "list-clients", "-F", "#{client_activity} #{client_pid} #{window_id} #{session_name}")
    clients = [line.split(" ", 3) for line in lines.splitlines() if line.count(" ") >= 3]
    for place, value in ((2, window), (3, session)):
        shown = [words for words in clients if words[place] == value]
        if shown:
            number = max(shown, key=lambda words: int(words[0]))[1]
            return number, environment_of(number)
    variable = ask_tmux(address, "show-environment", "-t", session, OVER_SSH).partition("=")[2]
    rest = {key: value for key, value in around.items() if key not in ("TMUX", "STY", "ZELLIJ")}
    return "", {**rest, OVER_SSH: variable}


def ask_tmux(address, *words):
    """What a server of tmux answers; empty if it does not."""
    try:
        result = subprocess.run(
            ["tmux", "-S", address, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False,
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return result.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def environment_of(number):
    """The environment of a process; of one that keeps it for itself, as much as those around it tell."""
    for other in [number, *ancestors(number)]:
        found = environment(other)
        if found is not None:
            return found
        if name(other) in REMOTE:
            return {OVER_SSH: name(other)}
    return {}


def used(device):
    """When something was typed in a terminal last, in seconds since 1970; 0 if it is not here."""
    for directory in ("/dev/pts", "/dev"):
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    about = entry.stat(follow_symlinks=False)
                    if about.st_rdev == device:
                        return about.st_atime
    return 0
