"""Sessions over a channel, and the streams that they become (Docs/Protocol.md, "Session" and "Streams")."""

import asyncio
import secrets
from collections.abc import Callable, Iterable

from . import network, stream
from .errors import ChannelEnded, ChannelLost, ProtocolError
from .framing import LONGEST_FIRST_FRAME, FragmentReader, fragments, frame, pad
from .keys import Identity
from .messages import LONGEST_OTHER
from .noise import Handshake, Transport
from .radio import Channel

PROLOGUE = b"handoffd v2 session"
GREETING = 16
LONGEST_FRAME = 65_535
# An ephemeral key and a tag.
SHORTEST_FIRST_MESSAGE = 48


def prologue(greeting: bytes, caller: bytes, listener: bytes) -> bytes:
    """What both sides hash first: the handshake itself covers only the agreement keys of their public keys."""
    return PROLOGUE + greeting + caller + listener


class Frames:
    """The frames of a channel."""

    def __init__(self, channel: Channel):
        self.channel, self._buffer = channel, b""

    async def write(self, body: bytes) -> None:
        await self.channel.send(frame(body))

    async def read(self, longest: int = LONGEST_FRAME) -> bytes:
        await self._fill(2)
        length = int.from_bytes(self._buffer[:2], "big")
        if not 1 <= length <= longest:
            raise ProtocolError(f"a frame of {length} bytes", "longFrame" if length else "emptyFrame")
        await self._fill(2 + length)
        body, self._buffer = self._buffer[2 : 2 + length], self._buffer[2 + length :]
        return body

    async def wait_for_end(self, seconds: float) -> None:
        """Waits until the other side closes the channel or ends the link, and closes it then, or after some seconds."""
        try:
            async with asyncio.timeout(seconds):
                if self._buffer or await self.channel.receive():
                    raise ProtocolError("something came after the last message", "outOfTurn")
        except (ChannelEnded, ChannelLost, TimeoutError):
            pass
        finally:
            await self.channel.close()

    async def _fill(self, count: int) -> None:
        while len(self._buffer) < count:
            self._buffer += await self.channel.receive()


class Session:
    """The messages of one session, of which the first one has been sent or received."""

    def __init__(self, frames: Frames, handshake: Handshake):
        self.frames, self._handshake = frames, handshake
        self._transport: Transport | None = None

    @classmethod
    async def call(
        cls, channel: Channel, identity: Identity, keys: bytes, request: bytes, ephemeral: bytes | None = None
    ) -> "Session":
        """Sends a request to the device with these public keys, once it has sent its greeting."""
        frames = Frames(channel)
        greeting = await frames.read(GREETING)
        if len(greeting) != GREETING:
            raise ProtocolError(f"a greeting of {len(greeting)} bytes", "invalidGreeting")
        hashed = prologue(greeting, identity.public_keys, keys)
        handshake = Handshake("KK", True, hashed, identity.agreement, keys[:32], ephemeral)
        session = cls(frames, handshake)
        await session.send(request)
        return session

    @classmethod
    async def accept(
        cls, channel: Channel, identity: Identity, candidates: Iterable[bytes], greeting: bytes = b"",
        ephemeral: bytes | None = None,
    ) -> tuple["Session", bytes, bytes]:
        """Greets a caller; its session, its public keys, and its request.

        Throws `ProtocolError` when it is none of the candidates.
        """
        frames, greeting = Frames(channel), greeting or secrets.token_bytes(GREETING)
        await frames.write(greeting)
        first = await frames.read(LONGEST_FIRST_FRAME)
        if len(first) < SHORTEST_FIRST_MESSAGE:
            raise ProtocolError(f"a first message of {len(first)} bytes", "undecryptable")
        for keys in candidates:
            hashed = prologue(greeting, keys, identity.public_keys)
            handshake = Handshake("KK", False, hashed, identity.agreement, keys[:32], ephemeral)
            try:
                fragment = handshake.read(first)
            except ProtocolError as error:
                if error.kind == "weakKey":
                    raise
                continue
            request = FragmentReader(LONGEST_OTHER).take(fragment)
            if request is None:
                raise ProtocolError("a request of more than one fragment", "invalidFragment")
            return cls(frames, handshake), keys, request
        raise ProtocolError("a first message that opens for no device", "unknownCaller")

    async def send(self, message: bytes, least: int = 64) -> None:
        """Sends a message that is padded to `least` bytes at least."""
        for fragment in fragments(pad(message, least)):
            await self.send_plaintext(fragment)

    async def receive(self, longest: int = LONGEST_OTHER) -> bytes:
        """The next message of at most `longest` bytes."""
        reader = FragmentReader(longest)
        while (message := reader.take(await self.receive_plaintext())) is None:
            pass
        return message

    async def send_plaintext(self, plaintext: bytes) -> None:
        transport = self._transport
        await self.frames.write(transport.encrypt(plaintext) if transport else self._handshake.write(plaintext))
        self._split()

    async def receive_plaintext(self) -> bytes:
        body = await self.frames.read()
        plaintext = self._transport.decrypt(body) if self._transport else self._handshake.read(body)
        self._split()
        return plaintext

    def _split(self) -> None:
        if self._transport is None and self._handshake.is_finished:
            self._transport = self._handshake.split()

    @property
    def handshake_hash(self) -> bytes:
        return self._transport.handshake_hash

    async def wait_for_end(self, seconds: float = 2) -> None:
        await self.frames.wait_for_end(seconds)

    async def close(self) -> None:
        await self.frames.channel.close()


class Stream:
    """A continuation stream: what the session carries after its acknowledgement.

    It offers nothing unless it is told to, and then stays on the radio.
    """

    def __init__(self, session: Session, is_caller: bool):
        self._session, self._is_caller = session, is_caller
        self._reader = stream.PieceReader()
        self._has_offered = False
        # The connection to which this side, and the other one, have moved.
        self._sending: network.Connection | None = None
        self._receiving: network.Connection | None = None
        self._sent, self._received = stream.Window(), stream.Window()
        # What was read before it was asked for, and whether it came over the radio.
        self._read_ahead: list[tuple[int, bytes, bool]] = []
        # One task may write while another one reads: each of them sends and receives.
        self._is_sending, self._is_receiving = asyncio.Lock(), asyncio.Lock()

    async def offer(self, data: bytes = stream.NO_OFFER) -> None:
        """Offers this side's addresses; the first piece, which offers nothing otherwise."""
        self._has_offered = True
        await self._send(stream.OFFER, data)

    async def read_offer(self) -> stream.Offer:
        """What the other side offers: its first piece."""
        kind, data, _ = await self._receive_piece()
        if kind != stream.OFFER:
            raise ProtocolError("no offer", "outOfTurn")
        return stream.Offer(data)

    def network_secret(self, own: bytes, theirs: bytes, aes: bool = False) -> "network.NetworkSecret":
        """What follows from the secrets of both offers, and from whether both have AES."""
        secrets_of_sides = (own, theirs) if self._is_caller else (theirs, own)
        return network.NetworkSecret(*secrets_of_sides, self._session.handshake_hash, aes)

    async def move(self, connection: "network.Connection") -> None:
        """As caller, after both offers: moves to a connection, and waits until the other side has moved as well."""
        moves = stream.Moves(self._is_caller, has_offered=True)
        moves.offer(is_empty=False)
        moves.prove(connection.identifier)
        await self._send(stream.MOVE, connection.identifier)
        self._sending = connection
        while True:
            piece = await self._receive_piece()
            if piece[0] == stream.MOVE:
                break
            self._read_ahead.append(piece)
        moves.move(piece[1])
        self._reader.move()
        self._receiving = connection
        await self._session.close()

    async def write(self, data: bytes) -> None:
        for start in range(0, len(data), stream.MOST_DATA):
            if not self._sending:
                while not self._sent.has_room:
                    await self._read_on(lambda: not self._sent.has_room)
                self._sent.add()
            await self._send(stream.DATA, data[start : start + stream.MOST_DATA])

    async def end(self) -> None:
        """States that this side has no more data."""
        await self._send(stream.END)

    async def read(self) -> bytes:
        """The next data; nothing at the end."""
        kind, data = await self._receive()
        if kind == stream.ARRIVED:
            raise ProtocolError("arrived before the end")
        return data

    async def read_all(self) -> bytes:
        parts = []
        while data := await self.read():
            parts.append(data)
        return b"".join(parts)

    async def finish(self) -> None:
        """After both ends: makes sure that both sides have everything, and closes the channel."""
        if not self._is_caller:
            await self._send(stream.ARRIVED)
        kind, _ = await self._receive()
        if kind != stream.ARRIVED:
            raise ProtocolError("another piece in the place of the arrival")
        if self._is_caller:
            await self._send(stream.ARRIVED)
            await (self._receiving or self._session).wait_for_end()
        else:
            await self.close()

    async def close(self) -> None:
        await self._session.close()
        if self._receiving:
            await self._receiving.close()

    async def _send(self, kind: int, data: bytes = b"") -> None:
        if not self._has_offered:
            await self.offer()
        piece = stream.encode_piece(kind, data)
        async with self._is_sending:
            await (self._sending.send(piece) if self._sending else self._session.send_plaintext(piece))

    async def _receive(self) -> tuple[int, bytes]:
        """The next piece that belongs to the app."""
        while True:
            while not self._read_ahead:
                await self._read_on(lambda: not self._read_ahead)
            kind, data, is_radio = self._read_ahead.pop(0)
            if kind == stream.MOVE:
                raise ProtocolError("a move without a connection", "outOfTurn")
            if kind == stream.DATA and is_radio:
                self._received.remove()
                await self._send(stream.TAKEN)
            if kind not in (stream.OFFER, stream.ALIVE, stream.TAKEN):
                return kind, data

    async def _read_on(self, is_needed: Callable[[], bool]) -> None:
        """Receives a piece if it is still needed when no other task receives one."""
        async with self._is_receiving:
            if is_needed():
                self._read_ahead.append(await self._receive_piece())

    async def _receive_piece(self) -> tuple[int, bytes, bool]:
        """The next piece, and whether it came over the radio."""
        receiving = self._receiving
        kind, data = self._reader.take(await (receiving.receive() if receiving else self._session.receive_plaintext()))
        if kind == stream.TAKEN:
            self._sent.remove()
        elif kind == stream.DATA and not receiving:
            self._received.add()
        return kind, data, not receiving
