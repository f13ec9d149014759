"""What the programs share that another computer's activity starts: the person's settings, messages, how they end."""

import html
import os
import re
import shutil
import subprocess
import sys
import time
import traceback

from handoff import STARTED
from handoff.activity import INPUT, Refusal
from handoff.settings_file import parse
from handoff.text import printable

# How soon after its start, in seconds, a program has to end for handoffd to open the document elsewhere. The daemon
# waits 2 s (AppDelivery.programLimit), of which the interpreter needs a part.
FALLBACK = 1.5
# How long the notification server may take to say what it can, in seconds.
PATIENCE_TO_ASK = 1.0


def settings(name, section):
    """A section of a file in ~/.config/handoff; empty without one."""
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    path = os.path.join(home, "handoff", name)
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return parse(file.read()).get(section, {})
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError) as error:
        raise Refusal(69, f"{path} cannot be used: {error}") from None


def is_yes(text):
    """Whether a setting is switched on."""
    return text.lower() in ("yes", "true", "on", "1")


def expand(word, values):
    """A word of the person's command, as bytes, with `{name}` replaced; each value is put in once, and as it is."""
    return re.sub(rb"\{([a-z]*)\}", lambda match: values.get(match[1].decode(), match[0]), os.fsencode(word))


def in_terminal(words):
    """The command in a terminal emulator, without words the person's shell; None without one, or without a display."""
    if not os.environ.get("DISPLAY") and not os.environ.get("WAYLAND_DISPLAY"):
        return None
    if shutil.which("x-terminal-emulator"):
        return ["x-terminal-emulator", *(["-e", *words] if words else [])]
    return ["xdg-terminal-exec", *words] if shutil.which("xdg-terminal-exec") else None


def become(words, **options):
    """Replaces this program: what it starts would end with it, where handoffd runs it as a service."""
    if not words:
        return
    try:
        os.execvpe(words[0], words, {**os.environ, **options})
    except OSError as error:
        print(f"{program()}: {printable(os.fsdecode(words[0]))} cannot be started: {error.strerror}", file=sys.stderr)


def program():
    """The name of this program."""
    return os.path.basename(sys.argv[0])


def notify(title, text, action=None, patience=1.0):
    """Shows a notification; with an action, returns the process that prints `open` when the person has chosen it.

    Names in both are written by others. In the text, most servers read markup; in the title, some do against the rules
    (Desktop Notifications Specification, "Markup"), and others show each character: so it begins none.
    """
    words = ["notify-send", "--app-name=Handoff", *([f"--action=open={action}"] if action else []), "--",
             title.replace("<", "\u2039"), as_body(text)]
    try:
        child = subprocess.Popen(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        if action:
            os.set_blocking(child.stdout.fileno(), False)
            return child
        child.wait(timeout=patience)
    except (OSError, subprocess.SubprocessError):
        pass
    return None


def as_body(text):
    """A text as the body of a notification: with characters of markup escaped, unless the server reads no markup."""
    escaped = html.escape(text, quote=False)
    return text if escaped != text and reads_markup() is False else escaped


def reads_markup():
    """Whether the notification server reads markup (its capability `body-markup`); None if it cannot be asked."""
    service, path = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
    method = ["--method", f"{service}.GetCapabilities"]
    for words in (
        ["gdbus", "call", "--session", "--dest", service, "--object-path", path, *method],
        ["busctl", "--user", "call", service, path, service, "GetCapabilities"],
    ):
        try:
            result = subprocess.run(
                words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                timeout=PATIENCE_TO_ASK, check=False,
            )
        except (OSError, ValueError, subprocess.SubprocessError):
            continue
        if result.returncode == 0:
            # gdbus writes ' around each, busctl writes ".
            return re.search("""['"]body-markup['"]""", result.stdout) is not None
    return None


def run(body):
    """Runs a program's body, and says why it refused."""
    try:
        body()
    except Refusal as refusal:
        refuse(refusal)
    except Exception as error:
        if not INPUT:
            raise
        # Whatever it is, the document of the activity is not known to be one that may be opened.
        traceback.print_exc()
        refuse(Refusal(65, f"This cannot be opened: {printable(str(error)) or type(error).__name__}."))


def refuse(refusal):
    """Says why nothing is opened, and ends this program."""
    print(f"{program()}: {refusal}", file=sys.stderr)
    # handoffd opens the document in its default app when there is no program for it, and says what fails then; but not
    # of a program that has run for a while, in whose place it opens nothing.
    if refusal.status != 69 or time.monotonic() - STARTED > FALLBACK and not refusal.has_page:
        notify("Not opened", str(refusal))
    sys.exit(refusal.status)
