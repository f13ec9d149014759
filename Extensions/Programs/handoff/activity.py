"""An activity of another computer, as handoffd hands it to a program, and why none is gone on with."""

import json
import os
import sys

from handoff.addresses import file_path
from handoff.names import spelled_here
from handoff.text import printable

MAXIMUM_BYTES = 1024 * 1024
DOCUMENT_KEY = "NSUserActivityDocumentURLKey"
# The descriptor that was standard input, while it is kept.
INPUT = []


class Refusal(Exception):
    """Nothing is opened: an exit status, and a sentence for the person.

    The status tells handoffd what may still be opened (Docs/Adopting.md): after 65 and 66, which are for good, and after
    75, which is for now, nothing; after 69, which says that no program is here, what it has itself. So 69 comes only
    after the document was examined.
    """

    def __init__(self, status, message, has_page=False):
        super().__init__(message)
        self.status = status
        # Whether handoffd opens a web page in the place of this program, whenever it ends with 69.
        self.has_page = has_page


def read_activity(kind):
    """The activity that handoffd writes to standard input, which has to be of a type; and its userInfo."""
    data = sys.stdin.buffer.read(MAXIMUM_BYTES)
    keep_input()
    try:
        # What is no character costs itself alone.
        activity = json.loads(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise Refusal(65, "Standard input is not an activity as JSON.") from None
    if not isinstance(activity, dict) or activity.get("type") != kind:
        raise Refusal(65, f"This is no activity of the type {kind}.")
    info = activity.get("userInfo")
    return activity, info if isinstance(info, dict) else {}


def keep_input():
    """Keeps standard input open until `go_on`, or until this program ends or becomes another one.

    With X-Handoff-Waits, its end tells handoffd that somebody goes on with the activity. Other programs get none of it:
    the copy is closed when a program is executed.
    """
    INPUT.append(os.dup(0))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)


def go_on():
    """Tells handoffd that this program goes on with the activity, before it ends."""
    while INPUT:
        os.close(INPUT.pop())


def document(info):
    """The path of the document, as bytes; None without one.

    Raises Refusal if it is spelled in another way here, and there are several that it could be.
    """
    url = info.get(DOCUMENT_KEY)
    path = file_path(url.get("$url") if isinstance(url, dict) else None)
    if path is None:
        return None
    # Two slashes at the beginning mean something else to some programs.
    path = b"/" + path.lstrip(b"/")
    found = spelled_here(path) or [path]
    if len(found) > 1:
        names = " and ".join(map(file_name, found))
        raise Refusal(66, f"{names} have one name in different spellings here: rename one of them.")
    return found[0]


def file_name(path):
    """The name of a file, to show."""
    return printable(os.path.basename(path).decode("utf-8", "replace"))
