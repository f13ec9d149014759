"""Addresses of files: `file:` URLs as every program writes them (RFC 8089), read as handoffd reads them (FileURL)."""

import re
import string
import urllib.parse

# What ends a path.
SUFFIX = re.compile("[?#]")
DIGITS = frozenset(string.hexdigits)
SCHEME = "file:"


def file_path(url):
    """The path of a file of this computer, as bytes; None for everything else, and for a path that none can have."""
    scheme = url[:len(SCHEME)] if isinstance(url, str) else ""
    if not scheme.isascii() or scheme.lower() != SCHEME:
        return None
    path = SUFFIX.split(url[len(SCHEME):], maxsplit=1)[0]
    if path.startswith("//"):
        host, slash, path = path[2:].partition("/")
        path = slash + path
        if not host.isascii() or host.lower() not in ("", "localhost"):
            return None
    return decoded(path)


def decoded(path):
    """The bytes of a path of a URL; None if there are none that a path can have."""
    # After each percent sign, two digits.
    if any(len(part) < 2 or not DIGITS.issuperset(part[:2]) for part in path.split("%")[1:]):
        return None
    try:
        found = urllib.parse.unquote_to_bytes(path)
    except UnicodeEncodeError:
        # JSON can have halves of characters, which are in no path.
        return None
    return found if found.startswith(b"/") and b"\0" not in found else None


def file_url(path):
    """The address of a path, which is bytes."""
    return "file://" + urllib.parse.quote(path)
