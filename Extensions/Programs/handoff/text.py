"""Texts of other computers and programs, which may be cut or composed in any way."""

import re
import unicodedata

# What would change the line, or the direction of the text around it.
HIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
JOINER = "\u200d"
# The canonical combining class of signs that join two consonants (Unicode, "Virama").
VIRAMA = 9


def printable(text, length=200):
    """A text of another computer, without control characters and of bounded length; empty if it is none."""
    if not isinstance(text, str):
        return ""
    text = HIDDEN.sub(" ", text[:2 * length])
    # JSON can have halves of characters, which cannot be shown.
    return shorten(text.encode("utf-8", "replace").decode(), length)


def is_text(value):
    """Whether a value is a text that can be told to a program: one without halves of characters."""
    return isinstance(value, str) and not any("\ud800" <= character <= "\udfff" for character in value)


def shorten(text, length):
    """The beginning of a text, of so many code points at most, cut between what a reader sees as characters."""
    if len(text) <= length:
        return text
    end = length
    while end > 0 and continues(text, end):
        end -= 1
    # A single character may be longer than that.
    return text[:end or length]


def continues(text, place):
    """Whether what is at a place belongs to the character before it (Unicode Standard Annex 29, the rules that matter)."""
    before, here = text[place - 1], text[place]
    if here == JOINER or unicodedata.category(here).startswith("M") or "\U0001f3fb" <= here <= "\U0001f3ff":
        return True
    # Tags, as in the flag of Scotland, and jamo of a syllable in Hangul.
    if "\U000e0020" <= here <= "\U000e007f" or "\u1160" <= here <= "\u11ff":
        return True
    if before == JOINER or unicodedata.combining(before) == VIRAMA and here.isalpha():
        return True
    return is_regional(here) and len(regional_before(text, place)) % 2 == 1


def is_regional(character):
    """Whether it is half of a flag."""
    return "\U0001f1e6" <= character <= "\U0001f1ff"


def regional_before(text, place):
    """The halves of flags that end at a place."""
    start = place
    while start > 0 and is_regional(text[start - 1]):
        start -= 1
    return text[start:place]


def composed(text):
    """A text in the form in which texts with the same characters are equal."""
    return unicodedata.normalize("NFC", text)
