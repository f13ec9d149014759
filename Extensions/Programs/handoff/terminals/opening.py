"""A terminal in the directory of another computer, or in its tmux session."""

import os
import shlex
import sys

from handoff.activity import Refusal, document, file_name, read_activity
from handoff.program import become, expand, in_terminal, settings
from handoff.terminals.offering import TYPE
from handoff.terminals.reports import SESSION
from handoff.text import composed, is_text, printable


def open_terminal():
    """Opens a terminal in the directory of an activity, or in its tmux session if that can be reached."""
    activity, info = read_activity(TYPE)
    options = settings("terminal.conf", "terminal")
    attach_to(activity, info, options)
    path = document(info)
    if path is None:
        raise Refusal(65, "The activity has no directory of this computer.")
    try:
        os.chdir(path)
    except NotADirectoryError:
        raise Refusal(65, f"{file_name(path)} is not a directory.") from None
    except OSError as error:
        raise Refusal(66, f"{file_name(path)} cannot be opened: {error.strerror}.") from None
    try:
        words = shlex.split(options.get("command", ""))
    except ValueError as error:
        raise Refusal(69, f"The command in terminal.conf cannot be used: {error}.") from None
    # The shell keeps the name of the directory, also if a part of it is a link.
    if words:
        become([expand(word, {"directory": path}) for word in words], PWD=path)
    become(in_terminal([]), PWD=path)
    raise Refusal(69, "There is no terminal here, or no display: see terminal.conf in Docs/Terminals.md.")


def attach_to(activity, info, options):
    """Becomes a terminal with the tmux session of the other computer, if the person has said here how it is reached."""
    session = info.get("tmux")
    hosts = settings("terminal.conf", "ssh")
    name = activity.get("deviceName")
    known = {composed(device): host for device, host in hosts.items()}
    host = known.get(composed(name)) if is_text(name) else None
    if not host or not isinstance(session, str) or not SESSION.fullmatch(session):
        return
    # What comes from the activity is the name of the session alone.
    words = ["ssh", "-t", "--", host, f"exec tmux attach-session -t '={session}'"]
    try:
        terminal = shlex.split(options.get("run", ""))
    except ValueError as error:
        raise Refusal(69, f"run in terminal.conf cannot be used: {error}.") from None
    become([*terminal, *words] if terminal else in_terminal(words))
    print(f"handoff-terminal: no terminal for ssh to {printable(host)}", file=sys.stderr)
