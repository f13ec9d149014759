"""The forms of the inputs of fuzz targets, as Tests/Fuzz/Program reads them, and the vectors."""

import json
import pathlib
import struct

ROOT = pathlib.Path(__file__).resolve().parents[3]

SIDES = ("caller", "listener")


def cases(name: str) -> list[dict]:
    return json.loads((ROOT / f"Docs/vectors/{name}.json").read_text())["cases"]


def chunk(content: bytes) -> bytes:
    return struct.pack(">H", len(content)) + content


def message(content: bytes, form: int = 1) -> bytes:
    """A message that the harness pads and cuts; `form` is one of those below."""
    return bytes([form]) + chunk(content)


# The padding to 64 and to 1024 bytes at least, and one more bit for short fragments (FuzzInput.plaintexts).
SMALL, LARGE, SHORT_FRAGMENTS = 1, 3, 4


def plaintext(content: bytes) -> bytes:
    """A plaintext that the harness encrypts as it is."""
    return b"\0" + chunk(content)
