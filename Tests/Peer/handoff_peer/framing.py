"""Frames, padding and fragments: how a message becomes bytes of a channel, and back (Docs/Protocol.md)."""

from .errors import ProtocolError

SIZES = (64, 1024, 2048, 4096, 16_384, 65_600, 262_144, 1_048_576, 2_097_152)
LONGEST_FRAGMENT = 16_384
# The first frame of a caller: 48 bytes of the handshake, a flag, and a request in 1024 bytes.
LONGEST_FIRST_FRAME = 1073
# The longest message that can be padded at all; circles have no closer limit here.
LONGEST_MESSAGE = SIZES[-1] - 4


def frame(body: bytes) -> bytes:
    """A body of 1 to 65535 bytes with its length."""
    return len(body).to_bytes(2, "big") + body


def pad(message: bytes, least: int = 64) -> bytes:
    """The length of a message, the message, and zeros up to the smallest size that holds them."""
    content = len(message).to_bytes(4, "big") + message
    size = min(size for size in SIZES if size >= max(len(content), least))
    return content + bytes(size - len(content))


def unpad(padded: bytes) -> bytes:
    """The message in it."""
    length = int.from_bytes(padded[:4], "big")
    if len(padded) not in SIZES or length > len(padded) - 4 or any(padded[4 + length :]):
        raise ProtocolError(f"a message is padded wrongly to {len(padded)} bytes", "invalidPadding")
    return padded[4 : 4 + length]


def fragments(padded: bytes, longest: int = LONGEST_FRAGMENT) -> list[bytes]:
    """The pieces of a padded message, each with its flag in front."""
    pieces = [padded[start : start + longest - 1] for start in range(0, len(padded), longest - 1)]
    return [bytes([number < len(pieces) - 1]) + piece for number, piece in enumerate(pieces)]


class FragmentReader:
    """Collects the fragments of one message of at most `longest` bytes without its padding."""

    def __init__(self, longest: int = LONGEST_MESSAGE):
        self._padded, self._longest = b"", longest
        self._limit = min(size for size in SIZES if size >= longest + 4)

    def take(self, fragment: bytes) -> bytes | None:
        """The message, after its last fragment."""
        if not fragment or fragment[0] > 1 or fragment == b"\x01":
            raise ProtocolError("a fragment breaks a rule", "invalidFragment")
        self._padded += fragment[1:]
        if len(self._padded) > self._limit:
            raise ProtocolError(f"a message has more than {self._limit} bytes with its padding", "tooLarge")
        if fragment[0]:
            return None
        message = unpad(self._padded)
        if len(message) > self._longest:
            raise ProtocolError(f"a message has more than {self._longest} bytes", "tooLarge")
        return message
