"""Text that is not saved on the other computer, which its editor gives to a person who has asked for it."""

import contextlib
import json
import os
import subprocess
import tempfile
import time

from handoff.sockets import runtime_directory

# How much a stream carries, in bytes: handoffctl sends no more.
MAXIMUM_BYTES = 16 * 1024 * 1024
# A stream begins with a line of JSON.
MAXIMUM_HEAD_BYTES = 1024
# What the editor on the other computer says where it gives no text.
REASONS = {
    "off": "the editor there gives none",
    "saved": "it was saved or closed there meanwhile",
    "other": "the editor there has another document by now",
    "encoding": "the editor there does not work with UTF-8",
    "large": "it has more than 16 MiB",
}


class Missing(Exception):
    """There is no unsaved text; says why."""


def ask_for_text(place):
    """The unsaved text of a place, as bytes in UTF-8 with a line feed after each line."""
    if place.continuation is None:
        raise Missing(REASONS["off"])
    words = ["handoffctl", "stream", "--receive", f"--continuation={place.continuation}",
             f"--device-name={place.device}"]
    try:
        with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as running:
            data = running.stdout.read(MAXIMUM_BYTES + 1)
            if len(data) > MAXIMUM_BYTES:
                running.kill()
                raise Missing(REASONS["large"])
    except OSError as error:
        raise Missing(f"handoffctl cannot be started: {error.strerror}") from None
    if running.returncode:
        raise Missing("the connection was lost, or the editor there did not answer")
    return parse(data, place.buffer)


def parse(data, buffer):
    """The text of a stream, which has to be that of the buffer of the activity; a number, or None without one."""
    head, _, text = data.partition(b"\n")
    try:
        parts = json.loads(head) if len(head) <= MAXIMUM_HEAD_BYTES else None
    except (ValueError, RecursionError):
        parts = None
    if not isinstance(parts, dict) or parts.get("version") != 1:
        raise Missing("the editor there sends something else")
    state = parts.get("state")
    if state != "text":
        raise Missing(REASONS.get(state if isinstance(state, str) else "", "the editor there gives none"))
    # The editor may have turned to another document since this device got the activity.
    if buffer is None or isinstance(parts.get("buffer"), bool) or parts.get("buffer") != buffer:
        raise Missing(REASONS["other"])
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        raise Missing("it is not UTF-8") from None
    return text


class TextFile:
    """A file with a text, of this user alone and in memory where possible; the editor that reads it removes it."""

    PREFIX = "handoff-text-"
    # How old, in seconds, a file is that no editor will read any more.
    FORGOTTEN = 3600

    def __init__(self, text):
        directory = runtime_directory() or tempfile.gettempdir()
        self.remove_forgotten(directory)
        descriptor, self.name = tempfile.mkstemp(prefix=self.PREFIX, dir=directory)
        with open(descriptor, "wb") as file:
            file.write(text)

    @property
    def path(self):
        """Its path, as bytes."""
        return os.fsencode(self.name)

    def remove(self):
        """Removes it if no editor has."""
        with contextlib.suppress(OSError):
            os.unlink(self.name)

    @classmethod
    def remove_forgotten(cls, directory):
        """Removes files whose editor has never begun, such as in a terminal that failed."""
        with contextlib.suppress(OSError), os.scandir(directory) as entries:
            for entry in entries:
                with contextlib.suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    if (entry.name.startswith(cls.PREFIX) and status.st_uid == os.getuid()
                            and time.time() - status.st_mtime > cls.FORGOTTEN):
                        os.unlink(entry.path)
