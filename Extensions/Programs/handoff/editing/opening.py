"""A text of another computer, opened in the person's editor."""

from handoff.activity import Refusal, read_activity
from handoff.editing.place import Place
from handoff.editing.running import usable
from handoff.editing.settings import Settings
from handoff.editing.started import commands, shows_text
from handoff.editing.unsaved import Missing, TextFile, ask_for_text
from handoff.older import await_newer
from handoff.program import become, notify

TYPE = "org.handoffd.document.text"
NO_EDITOR = "No editor runs here, and none that was chosen can be started: see edit.conf in Docs/Editors.md."


def open_text(opens_older, asks_for_text):
    """Opens the document of the activity, or says why not; the person may want more than edit.conf says."""
    place = Place(*read_activity(TYPE))
    place.examine()
    chosen = Settings()
    chosen.opens_older = chosen.opens_older or opens_older
    chosen.asks_for_text = chosen.asks_for_text or asks_for_text
    # handoffd opens the document elsewhere only if this program fails at once.
    editors = require_editors(place, chosen)
    has_waited = await_newer(place, chosen)
    reason = fetch_text(place, chosen) if place.is_modified else ""
    try:
        if has_waited or place.text:
            place.examine()
            editors = usable(place, chosen)
        if place.text:
            reason = open_with_text(place, chosen, editors)
        if reason is not None:
            open_as_saved(place, chosen, editors, reason)
    except Refusal:
        place.drop_text()
        raise


def fetch_text(place, chosen):
    """Asks for the unsaved text, if the person wants it; returns why there is none, or nothing."""
    if not chosen.asks_for_text:
        return ""
    try:
        place.text = TextFile(ask_for_text(place))
    except Missing as missing:
        return str(missing)
    return ""


def open_with_text(place, chosen, editors):
    """Opens the document with its unsaved text in the first editor that does; this program may become it.

    Returns why it did not, or None.
    """
    suitable = [editor for editor in editors if editor.takes_text]
    if any(editor.open(place) for editor in suitable):
        tell(place)
        return None
    started = [words for words in commands(place, chosen) if shows_text(words, place)]
    for words in started:
        tell(place)
        become(words)
    place.drop_text()
    # Those that have just failed come last, if they are tried again.
    editors.sort(key=lambda editor: editor in suitable)
    return "the editor here failed to show it" if suitable or started else "no editor here can show it"


def open_as_saved(place, chosen, editors, reason):
    """Opens the document as it is here in the first editor that does; this program may become it."""
    is_open = any(editor.open(place) for editor in editors)
    tell(place, reason)
    if not is_open:
        for words in commands(place, chosen):
            become(words)
        raise Refusal(69, NO_EDITOR)


def tell(place, reason=""):
    """Tells the person what became of unsaved text on the other computer, if there is some."""
    if not place.is_modified:
        return
    if place.text:
        text = f"With the changes from {place.device} that are not saved there, and are not saved here."
    else:
        text = f"{place.device} has changes in it that are not saved there, and are not here{reason and ': '}{reason}."
    notify(place.name, text)


def require_editors(place, chosen):
    """The editors that are running; refuses if there is none, and none that could be started."""
    editors = usable(place, chosen)
    if not editors and not commands(place, chosen):
        raise Refusal(69, NO_EDITOR)
    return editors
