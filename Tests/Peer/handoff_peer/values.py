"""The values of userInfo (Docs/Protocol.md, "Messages" and "Encoding"; Handoff.proto).

A value is a dictionary with one member that is named like its kind, as in Docs/vectors/messages.json: numbers are
decimal text, reals their 64 bits and data in hexadecimal, dates ISO 8601, dictionaries and lists hold values.
"""

import re
import struct
import unicodedata

from .errors import Refused, invalid
from .files import read_file_url
from .protobuf import Schema

SCHEMA = Schema("Circle.proto", "Handoff.proto", "Pairing.proto")
DEEPEST = 16
# The most bytes of a key of a dictionary, and of a required key.
LONGEST_KEY = 1024
FIRST_SECOND, LAST_SECOND = -377_705_116_800, 253_402_300_799
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def checked_text(text: str, longest: int | None = None, least: int = 0) -> str:
    length = len(text.encode())
    if "\0" in text or length < least or (longest is not None and length > longest):
        raise invalid(f"a text of {length} bytes, or with U+0000")
    return text


def canonical(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def value_of(plain) -> dict:
    """The value of a plain Python object."""
    if plain is None:
        return {"null": True}
    if isinstance(plain, bool):
        return {"boolean": plain}
    if isinstance(plain, int):
        return {"integer" if plain < 2**63 else "unsigned": str(plain)}
    if isinstance(plain, float):
        return {"real": struct.pack(">d", plain).hex()}
    if isinstance(plain, bytes):
        return {"data": plain.hex()}
    if isinstance(plain, str):
        return {"string": plain}
    if isinstance(plain, list):
        return {"array": [value_of(item) for item in plain]}
    return {"dictionary": {key: value_of(item) for key, item in plain.items()}}


def plain_of(value: dict):
    """The plain Python object of a value; of dates, URLs and sets, the value itself."""
    ((kind, content),) = value.items()
    conversions = {
        "null": lambda: None, "boolean": lambda: content, "string": lambda: content,
        "integer": lambda: int(content), "unsigned": lambda: int(content), "data": lambda: bytes.fromhex(content),
        "real": lambda: struct.unpack(">d", bytes.fromhex(content))[0],
        "array": lambda: [plain_of(item) for item in content],
        "dictionary": lambda: {key: plain_of(item) for key, item in content.items()},
    }
    return conversions.get(kind, lambda: value)()


# Encoding.


def encode_entries(entries: dict[str, dict]) -> list[dict]:
    """Entries sorted by the bytes of their keys."""
    return [{"key": key, "value": encode_value(entries[key])} for key in sorted(entries, key=str.encode)]


def encode_value(value: dict) -> dict:
    ((kind, content),) = value.items()
    if kind == "null":
        return {"null": {}}
    if kind in ("integer", "unsigned"):
        return {kind: int(content)}
    if kind == "real":
        # Through the number the payload of a NaN would be lost on some machines, through its bytes it is not.
        return {"real": struct.unpack("<d", bytes.fromhex(content)[::-1])[0]}
    if kind == "data":
        return {"data": bytes.fromhex(content)}
    if kind == "date":
        return {"date": encode_date(content)}
    if kind == "array":
        return {"array": {"values": [encode_value(item) for item in content]}}
    if kind == "set":
        return {"set": {"values": sorted((encode_value(item) for item in content), key=_bytes_of)}}
    if kind == "dictionary":
        return {"dictionary": {"entries": encode_entries(content)}}
    return {kind: content}


def _bytes_of(encoded: dict) -> bytes:
    return SCHEMA.encode("Value", encoded)


# Decoding.


def decode_entries(entries: list[dict], depth: int) -> dict[str, dict]:
    decoded: dict[str, dict] = {}
    for entry in entries:
        if "value" not in entry:
            raise invalid("an entry without a value")
        decoded[checked_text(entry.get("key", ""), LONGEST_KEY)] = decode_value(entry["value"], depth)
    if len({canonical(key) for key in decoded}) != len(entries):
        raise invalid("two equivalent keys")
    return decoded


def decode_value(value: dict, depth: int = 1) -> dict:
    if not value:
        raise Refused("unknownKind", "a value of an unknown kind")
    if depth > DEEPEST:
        raise invalid("values are nested too deep")
    ((kind, content),) = value.items()
    if kind == "array":
        return {"array": [decode_value(item, depth + 1) for item in content.get("values", [])]}
    if kind == "set":
        return {"set": _decode_set(content.get("values", []), depth)}
    if kind == "dictionary":
        return {"dictionary": decode_entries(content.get("entries", []), depth + 1)}
    if kind == "unsigned" and content < 2**63:
        raise invalid("an unsigned number that is an integer")
    simple = {
        "null": lambda: True, "boolean": lambda: content, "data": lambda: content.hex(),
        "integer": lambda: str(content), "unsigned": lambda: str(content),
        "real": lambda: struct.pack("<d", content)[::-1].hex(), "date": lambda: decode_date(content),
        "string": lambda: checked_text(content), "url": lambda: _decode_url(content),
    }
    return {kind: simple[kind]()}


def _decode_set(values: list[dict], depth: int) -> list[dict]:
    items = [decode_value(item, depth + 1) for item in values]
    encodings = [_bytes_of(encode_value(item)) for item in items]
    if len(set(encodings)) != len(encodings):
        raise invalid("a set that holds an element twice")
    return [item for _, item in sorted(zip(encodings, items), key=lambda pair: pair[0])]


def _decode_url(url: str) -> str:
    if not SCHEME.match(checked_text(url)):
        raise invalid("a URL without a scheme")
    read_file_url(url)
    return url


# Dates: proleptic Gregorian, years -9999 to 9999.


def encode_date(text: str) -> dict:
    parts = re.fullmatch(r"(-?\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z", text)
    if parts is None:
        raise ValueError(f"no date: {text}")
    year, month, day, hour, minute, second = (int(part) for part in parts.groups()[:6])
    seconds = _days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    return {"seconds": seconds, "nanoseconds": int((parts[7] or "").ljust(9, "0"))}


def decode_date(date: dict) -> str:
    seconds, nanoseconds = date.get("seconds", 0), date.get("nanoseconds", 0)
    if not FIRST_SECOND <= seconds <= LAST_SECOND or nanoseconds >= 10**9:
        raise invalid("a date out of range")
    days, rest = divmod(seconds, 86_400)
    year, month, day = _date(days)
    sign = "-" if year < 0 else ""
    fraction = f".{nanoseconds:09}".rstrip("0") if nanoseconds else ""
    return f"{sign}{abs(year):04}-{month:02}-{day:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}{fraction}Z"


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01. A year counts from March here, so that a leap day is its last one."""
    year -= month < 3
    of_year = (153 * ((month - 3) % 12) + 2) // 5 + day - 1
    return 365 * year + year // 4 - year // 100 + year // 400 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    year = (days + 719_468) * 400 // 146_097
    while _days(year, 3, 1) > days:
        year -= 1
    while _days(year + 1, 3, 1) <= days:
        year += 1
    of_year = days - _days(year, 3, 1)
    month = (5 * of_year + 2) // 153
    return year + (month >= 10), (month + 2) % 12 + 1, of_year - (153 * month + 2) // 5 + 1
