"""What an activity says: a document of this computer, and a place in it."""

import contextlib

from handoff.activity import MAXIMUM_BYTES, Refusal
from handoff.documents import SAMPLE, Document, natural
from handoff.text import is_text


class Place(Document):
    """A document of this computer, and where in it the person was."""

    def __init__(self, activity, info):
        super().__init__(activity, info)
        self.line = natural(info.get("line"))
        self.column = natural(info.get("column"))

        # Which of the editor's texts it is; None if it gives none.
        buffer = info.get("buffer")
        self.buffer = buffer if isinstance(buffer, int) and not isinstance(buffer, bool) else None
        # What is not saved on the other computer, once it was asked for; None without it.
        self.text = None
        continuation = activity.get("continuation")
        self.continuation = continuation if is_text(continuation) and "\0" not in continuation else None

    def drop_text(self):
        """Has the document shown as it is here: its unsaved text is removed, if there is some."""
        if self.text:
            self.text.remove()
        self.text = None

    @property
    def values(self):
        """What stands for the names in the person's command."""
        return {"file": self.path, "line": b"%d" % self.line, "column": b"%d" % self.column}

    def require_content(self, file):
        """Refuses what is no text."""
        sample = file.read(SAMPLE)
        # UTF-16 has bytes of 0 as well, and begins with its mark.
        if b"\0" in sample and not sample.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Refusal(65, f"{self.name} is not a text; an editor is not the program for it.")

    def text_of_line(self):
        """The line of the place in the file, for editors that count columns in another way; empty if there is none."""
        number = 1
        # A synchroniser may remove or replace the document at any time.
        with contextlib.suppress(OSError, Refusal), self.open() as file:
            while file.tell() < 64 * MAXIMUM_BYTES and (line := file.readline(MAXIMUM_BYTES)):
                if number == self.line:
                    return line.decode("utf-8", "replace").rstrip("\r\n")
                number += line.endswith(b"\n")
        return ""
