"""Cards (Docs/Protocol.md, "Card")."""

import base64
import binascii
import re

from .keys import refused_keys
from .primitives import sha256

SCHEME = re.compile(r"handoff([1-9][0-9]{0,2}):")


class CardError(Exception):
    """A line that is no usable card; the argument is the kind of Docs/vectors/card.json."""


def write_card(public_keys: bytes, name: str) -> str:
    content = b"\x02" + public_keys + name.encode()
    return "handoff2:" + _base32(content + sha256(content)[:4])


def read_card(line: str) -> tuple[bytes, str]:
    """The public keys and the name on a card."""
    text = line.strip().lower()
    scheme = SCHEME.match(text)
    if scheme is None or len(line.encode()) > 1024:
        raise CardError("notACard")
    _check_version(int(scheme[1]))
    body = text[scheme.end() :]
    try:
        data = base64.b32decode(body.upper() + "=" * (-len(body) % 8))
    except (binascii.Error, ValueError):
        raise CardError("damagedCard") from None
    # The decoder ignores left-over bits, which have to be zero.
    if _base32(data) != body or len(data) < 5 or sha256(data[:-4])[:4] != data[-4:]:
        raise CardError("damagedCard")
    _check_version(data[0])
    keys, name = data[1:65], data[65:-4]
    if not 1 <= len(name) <= 64:
        raise CardError("damagedCard")
    if error := refused_keys(keys):
        raise CardError(error)
    try:
        return keys, name.decode()
    except UnicodeDecodeError:
        raise CardError("damagedCard") from None


def _check_version(number: int) -> None:
    if number != 2:
        raise CardError("newerCard" if number > 2 else "olderCard")


def _base32(data: bytes) -> str:
    return base64.b32encode(data).decode().lower().rstrip("=")
