"""Which files are documents with pages, by their names and by how they begin.

A viewer goes by both; so the two have to agree. No scripts, and nothing that is a program.
"""

import os

from handoff.activity import Refusal
from handoff.documents import Document

# Where in a file the sign of PDF and of PostScript has to be, in bytes: printers' commands may come before it.
HEAD = 1024
ARCHIVE = b"PK\x03\x04"
# Archives, which have pictures or parts of a document in them: zip, rar, 7z, and tar at another place.
ARCHIVES = (ARCHIVE, b"Rar!\x1a\x07", b"7z\xbc\xaf\x27\x1c")
TAR = slice(257, 262), b"ustar"
# An archive whose first part says that it is a book.
BOOK = slice(30, 58), b"mimetypeapplication/epub+zip"


def is_pdf(head):
    """Whether this is the beginning of a document of PDF."""
    return b"%PDF-" in head


def is_postscript(head):
    """Whether this is the beginning of PostScript, or of PostScript with a picture of it."""
    return head.startswith((b"%!", b"\x04%!", b"\xc5\xd0\xd3\xc6")) or b"%!PS" in head


def is_book(head):
    """Whether this is the beginning of a book in EPUB."""
    return head.startswith(ARCHIVE) and head[BOOK[0]] == BOOK[1]


def is_archive(head):
    """Whether this is the beginning of an archive, such as of the pictures of a comic."""
    return head.startswith(ARCHIVES) or head[TAR[0]] == TAR[1]


def begins(*signs):
    """What tells whether this is the beginning of a document that has one of these signs first."""
    return lambda head: head.startswith(signs)


# What each kind of document begins with, by the ends of its names.
KINDS = {
    b".pdf": is_pdf, b".ps": is_postscript, b".eps": is_postscript, b".epub": is_book,
    b".djv": begins(b"AT&TFORM"), b".djvu": begins(b"AT&TFORM"), b".dvi": begins(b"\xf7\x02"),
    b".tif": begins(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"), b".tiff": begins(b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"),
    b".xps": begins(ARCHIVE), b".oxps": begins(ARCHIVE),
    b".cbz": is_archive, b".cbr": is_archive, b".cb7": is_archive, b".cbt": is_archive,
}


def has_name(path):
    """Whether a file has the name of a document with pages."""
    return kind(path) is not None


def kind(path):
    """What tells whether a file of that name begins as it should; None of a name that is none of a document."""
    return KINDS.get(os.path.splitext(path)[1].lower())


class PagesDocument(Document):
    """A document of this computer for a viewer."""

    def require_content(self, file):
        """Refuses what is no document with pages, by its name or by what it has inside."""
        begins_so = kind(self.path)
        if begins_so is None or not begins_so(file.read(HEAD)):
            raise Refusal(65, f"{self.name} is no document with pages.")
