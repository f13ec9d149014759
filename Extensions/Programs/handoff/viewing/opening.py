"""A document of another computer, opened in a viewer at its page."""

import os
import shlex
import shutil

from handoff.activity import Refusal, printable, read_activity
from handoff.documents import natural
from handoff.program import become, expand, settings
from handoff.starting import go_on_once, has_open
from handoff.viewing.contents import PagesDocument
from handoff.viewing.pages import TYPE

# How long a viewer that is started may take to open the document, in seconds, until it counts as one that has, unless
# viewer.conf says otherwise.
PATIENCE_TO_OPEN = 10.0
# The viewers that are started, and how each is told the page.
VIEWERS = {"evince": ["--page-index={page}"], "atril": ["--page-index={page}"], "okular": ["--page", "{page}"],
           "zathura": ["--page={page}"]}


def open_document():
    """Opens the document of an activity at its page."""
    activity, info = read_activity(TYPE)
    place = PagesDocument(activity, info)
    place.examine()
    values = {"file": place.path, "page": b"%d" % natural(info.get("page"))}
    chosen = settings("viewer.conf", "viewer")
    go_on_once(lambda: has_open(place.path), patience(chosen))
    for words in commands(chosen):
        become([expand(word, values) for word in words])
    raise Refusal(69, "There is no viewer here, or no display: see viewer.conf in Docs/Viewers.md.")


def patience(chosen):
    """How long a viewer that is started may take to open the document, in seconds."""
    try:
        return float(chosen.get("patience", PATIENCE_TO_OPEN))
    except ValueError:
        raise Refusal(69, "patience in viewer.conf is no number.") from None


def commands(chosen):
    """The commands that open a document, the person's first."""
    try:
        words = shlex.split(chosen.get("command", ""))
    except ValueError as error:
        raise Refusal(69, f"The command in viewer.conf cannot be used: {printable(str(error))}.") from None
    if words:
        yield words
    elif os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        for program, options in VIEWERS.items():
            if shutil.which(program):
                yield [program, *options, "{file}"]
