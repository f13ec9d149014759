"""What the person has chosen."""

import shlex

from handoff.activity import Refusal
from handoff.program import is_yes, settings

# How long a running editor may take to answer whether it could open the document, in seconds. handoffd opens the
# document elsewhere when this program fails within 2 s.
PATIENCE = 1.0
# How long this program waits for the newer state of a document, in seconds.
WAIT = 60


class Settings:
    """What edit.conf says; without it, the defaults."""

    def __init__(self):
        section = settings("edit.conf", "edit")
        try:
            self.editors = section.get("editors", "nvim vim emacs code").split()
            self.command = shlex.split(section.get("command", ""))
            self.in_terminal = is_yes(section.get("terminal", "no"))
            self.opens_older = section.get("older", "wait") == "open"
            self.asks_for_text = is_yes(section.get("unsaved", "no"))
            self.wait = float(section.get("wait", WAIT))
            self.patience = float(section.get("patience", PATIENCE))
        except ValueError as error:
            raise Refusal(69, f"edit.conf cannot be used: {error}") from None
