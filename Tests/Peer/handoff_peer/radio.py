"""What a device needs of a radio. `air` and `bluetooth` are two."""

import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from .tasks import Tasks

# How long a caller waits for a device to answer a dial, in seconds.
DIAL_TIMEOUT = 15
FIRST_PORT, LAST_PORT = 0x80, 0x9E


@dataclasses.dataclass(frozen=True)
class Report:
    """An advertisement that was heard."""

    address: Any
    service: str
    data: bytes


class Channel(Protocol):
    """A stream of bytes to another device."""

    async def send(self, data: bytes) -> None:
        """Sends all bytes. Throws `ChannelEnded` or `ChannelLost` if the other side will not get them."""

    async def receive(self) -> bytes:
        """The next bytes, at least one. Throws `ChannelEnded` at the end, and `ChannelLost` when the link is lost."""

    async def close(self) -> None:
        """Closes the channel. What was not sent yet is lost."""


class Radio(Protocol):
    """One radio, which leaves nothing behind after its `with` block."""

    async def __aenter__(self) -> "Radio": ...

    async def __aexit__(self, *_: object) -> None: ...

    async def start(self, tasks: Tasks) -> None:
        """Begins to hear and to accept channels, with tasks that end before the block does."""

    def hear(self, heard: Callable[[Report], None]) -> None:
        """Calls `heard` for each report from now on."""

    def listen(self, accept: Callable[[Channel], Awaitable[None]], port: int | None = None) -> int:
        """Calls `accept` for each channel to a port, a new one if none is given; the port."""

    def stop_listening(self, port: int) -> None:
        """Accepts no channels to the port any more."""

    async def advertise(self, service: str, data: bytes) -> None:
        """Advertises the service data, from a new address where it can, in place of what was advertised before."""

    async def stop_advertising(self) -> None:
        """Advertises nothing any more."""

    async def dial(self, address: Any, port: int) -> Channel:
        """Opens a channel. Throws `ChannelLost` when there is nobody."""
