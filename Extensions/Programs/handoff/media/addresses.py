"""What a player's address leads to: a file, sound or video in the web, or a page."""

import os
import urllib.parse

from handoff.addresses import file_path, file_url
from handoff.media.contents import NAMES

# The longest address that is offered, as of a web page in a browser.
MAXIMUM_ADDRESS = 2048
# The longest path of Linux, with the byte that ends it (PATH_MAX).
MAXIMUM_PATH = 4096
# In the web, lists say where the parts of a broadcast are: those of a file are refused (contents.py).
LISTS = frozenset((".m3u8", ".mpd", ".m3u", ".pls", ".asx", ".xspf", ".ism"))
WEB_NAMES = frozenset(os.fsdecode(name) for name in NAMES) | LISTS
# Types of media that do not say so by their first word (IANA, and what servers of broadcasts say).
KINDS = frozenset((
    "application/ogg", "application/x-ogg", "application/mp4", "application/mxf", "application/x-matroska",
    "application/vnd.apple.mpegurl", "application/x-mpegurl", "application/mpegurl", "application/dash+xml",
    "application/vnd.ms-sstr+xml", "application/vnd.rn-realmedia", "application/x-flac", "application/flac",
    "application/xspf+xml", "application/x-shockwave-flash-video",
))
# Types that say nothing.
UNKNOWN_KINDS = ("", "application/octet-stream", "binary/octet-stream", "application/x-unknown")


def address(url):
    """The file or the web address of a player, as a part of an activity; None if it is neither."""
    # Some players do not escape what may be in the name of a file.
    path = file_path(url.replace("?", "%3F").replace("#", "%23"))
    if path is not None:
        path = b"/" + path.lstrip(b"/")
        return {"documentURL": file_url(path)} if len(path) < MAXIMUM_PATH else None
    try:
        parts = urllib.parse.urlsplit(url)
    except ValueError:
        return None
    is_web = parts.scheme in ("http", "https") and parts.hostname and parts.username is None and parts.password is None
    return {"webpageURL": url} if is_web and len(url.encode("utf-8", "replace")) <= MAXIMUM_ADDRESS else None


def is_media_address(url, kind=""):
    """Whether a web address is that of sound or video, and not of a page that has some.

    That is what its MIME type says; where there is none, the ending of its path.
    """
    kind = kind.partition(";")[0].strip().lower()
    if kind not in UNKNOWN_KINDS:
        return kind.startswith(("audio/", "video/")) or kind in KINDS
    try:
        name = urllib.parse.urlsplit(url).path.rpartition("/")[2]
    except ValueError:
        return False
    return os.path.splitext(urllib.parse.unquote(name.partition(";")[0]))[1].lower() in WEB_NAMES
