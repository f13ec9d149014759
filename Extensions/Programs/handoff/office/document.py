"""Which files are documents of an office program, and which is meant by an activity."""

import os
import re

from handoff.activity import Refusal
from handoff.addresses import file_path, file_url
from handoff.documents import SAMPLE, Document

# By their names: documents, templates, and those of Microsoft's programs. Text with commas opens with questions.
NAMES = re.compile(
    rb"\.(f?od[tpsg]|ot[tpsg]|doc[xm]?|dot[xm]?|rtf|xls[xmb]?|xlt[xm]?|pp[ts][xm]?|pot[xm]?)", re.I
)
# How documents begin, by what they have inside: OpenDocument says its kind first, Office Open XML lists its parts, the
# older ones of Microsoft are compound files. Nothing else of this name is a document: LibreOffice would look into it,
# and open a web page with all that it loads, or install an extension.
OPEN_DOCUMENT = re.compile(rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.opendocument\.", re.S)
PARTS = b"[Content_Types].xml"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# What may come before XML; the elements of OpenDocument in one file without a package.
MARK = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"
ELEMENTS = tuple(b"<office:document" + end for end in (b" ", b"\t", b"\r", b"\n", b">"))


class OfficeDocument(Document):
    """A document of this computer for LibreOffice, and where in it the person was."""

    def __init__(self, activity, info):
        super().__init__(activity, info)
        self.info = info

    @property
    def url(self):
        """The file as LibreOffice is told it, whose names of files are UTF-8."""
        return file_url(self.path)

    def require_content(self, file):
        """Refuses what is no document of an office program, whatever its name says."""
        is_named = NAMES.fullmatch(os.path.splitext(self.path)[1])
        if not is_named or not is_document(file):
            raise Refusal(65, f"{self.name} is no document of an office program.")
        try:
            self.path.decode()
        except UnicodeDecodeError:
            raise Refusal(65, f"{self.name} has a name that is not UTF-8, which LibreOffice cannot open.") from None


def is_document(file):
    """Whether an open file has what documents of office programs have."""
    head = file.read(SAMPLE)
    if head.startswith(b"PK\x03\x04"):
        if OPEN_DOCUMENT.match(head):
            return True
        # The list of a package's parts is at its end.
        file.seek(max(0, os.fstat(file.fileno()).st_size - SAMPLE))
        return PARTS in head or PARTS in file.read(SAMPLE)
    return head.startswith((COMPOUND, b"{\\rtf")) or head.startswith(ELEMENTS, first_element(head))


def first_element(head):
    """Where the first element of XML begins, after a declaration and comments; the end if these do not end."""
    place = after_space(head, len(MARK) if head.startswith(MARK) else 0)
    place = after(head, b"<?xml", b">", place)
    while head.startswith(b"<!--", place):
        place = after(head, b"<!--", b"-->", place)
    return place


def after(data, begin, end, place):
    """The place after a part, and after white space, if such a part begins at a place; the end if it has no end."""
    if not data.startswith(begin, place):
        return place
    found = data.find(end, place + len(begin))
    return after_space(data, found + len(end)) if found >= 0 else len(data)


def after_space(data, place):
    """The place of what is no white space, from a place on."""
    while data[place:place + 1] and data[place] in SPACE:
        place += 1
    return place


def file_of(url):
    """The path of a document that LibreOffice has open, as bytes; None if it is no file that takes part."""
    path = file_path(url) or b""
    return path if NAMES.fullmatch(os.path.splitext(path)[1]) else None
