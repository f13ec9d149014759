"""Frames of channels over GATT (Docs/Protocol.md, "Channels over GATT")."""

import dataclasses

from .errors import ProtocolError

SERVICE = "0fbb09c3-c5a8-4d40-8d7d-f7f0a9a4cb4e"
INFORMATION = "0fbb09c4-c5a8-4d40-8d7d-f7f0a9a4cb4e"
FRAME = "0fbb09c5-c5a8-4d40-8d7d-f7f0a9a4cb4e"
NOTIFY = "0fbb09c6-c5a8-4d40-8d7d-f7f0a9a4cb4e"
VERSION = 1
SHORTEST, LONGEST = 8, 508
OPENING, END, MORE = 1, 2, 4


@dataclasses.dataclass(frozen=True)
class GATTFrame:
    """A write to the frame characteristic, or the answer that is read from it."""

    channel: int
    number: int
    window: int
    data: bytes = b""
    is_opening: bool = False
    is_end: bool = False
    has_more: bool = False

    def encode(self) -> bytes:
        flags = self.is_opening * OPENING | self.is_end * END | self.has_more * MORE
        head = self.channel.to_bytes(4, "big") + bytes([self.number, flags]) + self.window.to_bytes(2, "big")
        return head + self.data

    @classmethod
    def decode(cls, value: bytes) -> "GATTFrame":
        if not SHORTEST <= len(value) <= LONGEST or value[5] & ~(OPENING | END | MORE):
            raise ProtocolError("a value that is no GATT frame")
        flags = value[5]
        return cls(
            channel=int.from_bytes(value[:4], "big"), number=value[4], window=int.from_bytes(value[6:8], "big"),
            data=value[8:], is_opening=bool(flags & OPENING), is_end=bool(flags & END), has_more=bool(flags & MORE),
        )
