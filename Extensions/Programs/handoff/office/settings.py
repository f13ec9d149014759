"""What the person has chosen."""

from handoff.activity import Refusal
from handoff.program import settings

# How long the LibreOffice that runs may take to answer, in seconds. handoffd opens the document elsewhere when this
# program fails within 2 s.
PATIENCE = 1.0
# How long this program waits for the newer state of a document, in seconds.
WAIT = 60


class Settings:
    """What office.conf says; without it, the defaults."""

    def __init__(self):
        section = settings("office.conf", "office")
        self.program = section.get("program", "soffice").strip() or "soffice"
        self.opens_older = section.get("older", "wait") == "open"
        try:
            self.wait = float(section.get("wait", WAIT))
            self.patience = float(section.get("patience", PATIENCE))
        except ValueError as error:
            raise Refusal(69, f"office.conf cannot be used: {error}") from None
