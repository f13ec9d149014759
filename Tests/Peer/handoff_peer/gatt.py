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


class ListenerRules:
    """What a listener at one port refuses of what one device writes, given the windows that it has answered."""

    @dataclasses.dataclass
    class Channel:
        number: int = 0
        window: int = 0
        is_lost: bool = False

    def __init__(self, port: int):
        self._port = port
        self._channels: dict[int, ListenerRules.Channel] = {}

    def refuses(self, frame: GATTFrame) -> bool:
        channel = self._channels.get(frame.channel)
        if channel is None:
            is_opened = frame.is_opening and frame.number == 0 and frame.data == bytes([self._port])
            if is_opened:
                self._channels[frame.channel] = self.Channel()
            return not is_opened
        if channel.is_lost or frame.number == channel.number:
            return channel.is_lost
        is_next = frame.number == (channel.number + 1) % 256 and not frame.is_opening
        channel.is_lost = not is_next or len(frame.data) > channel.window
        channel.number = frame.number
        if frame.is_end and not channel.is_lost:
            del self._channels[frame.channel]
        return channel.is_lost

    def answered(self, answer: GATTFrame) -> None:
        if channel := self._channels.get(answer.channel):
            channel.window = answer.window


def concluded(frame: GATTFrame, answer: GATTFrame) -> str | None:
    """What a caller concludes from an answer that ends its channel, or is none to its frame, as the vectors name it."""
    if (answer.channel, answer.number) != (frame.channel, frame.number):
        return "anothersAnswer"
    if answer.is_opening:
        return "linkIsDropped" if frame.is_opening and answer.is_end else "noSuchChannel"
    return "tooMuchData" if len(answer.data) > frame.window else None
