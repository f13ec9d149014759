"""The connections of a stream over a local network (Docs/Protocol.md, "Over the local network")."""

import asyncio
import secrets

from .errors import ChannelEnded, ChannelLost, ProtocolError
from .framing import frame
from .noise import AESCipher, Cipher
from .primitives import equal, hkdf

NONCE, PROOF, TAG, IDENTIFIER = 16, 32, 16, 16
CALLER, LISTENER = 1, 2


class NetworkSecret:
    """What both sides share, from the secrets in their offers, and whether both of them have offered AES."""

    def __init__(self, caller: bytes, listener: bytes, handshake_hash: bytes, aes: bool = False):
        self.bytes = hkdf(caller + listener, b"handoffd v2 network secret", salt=handshake_hash)
        self.cipher, self.label = (AESCipher, b" AESGCM") if aes else (Cipher, b"")


def proof_of(secret: NetworkSecret, opener: int, nonce: bytes) -> bytes:
    return hkdf(secret.bytes, b"handoffd v2 network opening" + bytes([opener]) + nonce, PROOF)


class Keys:
    """The keys of one connection, and its identifier."""

    def __init__(self, secret: NetworkSecret, opener: int, nonce: bytes, answer: bytes):
        info = b"handoffd v2 network keys" + secret.label + bytes([opener]) + nonce + answer
        output = hkdf(secret.bytes, info, 64 + IDENTIFIER)
        self.forth, self.back = secret.cipher(output[:32]), secret.cipher(output[32:64])
        self.identifier = output[64:]


class Opening:
    """The end that opens a connection."""

    def __init__(self, secret: NetworkSecret, opener: int, nonce: bytes = b""):
        self._secret, self._opener, self._nonce = secret, opener, nonce or secrets.token_bytes(NONCE)
        self.bytes = self._nonce + proof_of(secret, opener, self._nonce)

    def finish(self, answer: bytes) -> tuple[Keys, bytes]:
        """The keys, and what confirms the connection."""
        keys = Keys(self._secret, self._opener, self._nonce, answer[:NONCE])
        if keys.back.decrypt(answer[NONCE:]):
            raise ProtocolError("an answer with contents", "malformed")
        return keys, keys.forth.encrypt(b"")


class Acceptance:
    """The end that accepts a connection."""

    def __init__(self, secret: NetworkSecret, opener: int, opening: bytes, nonce: bytes = b""):
        if not equal(opening[NONCE:], proof_of(secret, opener, opening[:NONCE])):
            raise ProtocolError("a stranger", "undecryptable")
        nonce = nonce or secrets.token_bytes(NONCE)
        self.keys = Keys(secret, opener, opening[:NONCE], nonce)
        self.answer = nonce + self.keys.back.encrypt(b"")

    def finish(self, confirmation: bytes) -> Keys:
        if self.keys.forth.decrypt(confirmation):
            raise ProtocolError("a confirmation with contents", "malformed")
        return self.keys


class Connection:
    """A connection over the network, of which both ends have proved themselves."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, keys: Keys, is_opener: bool):
        self._reader, self._writer, self.identifier = reader, writer, keys.identifier
        self._sending, self._receiving = (keys.forth, keys.back) if is_opener else (keys.back, keys.forth)

    @classmethod
    async def open(cls, address: str, port: int, secret: NetworkSecret, opener: int) -> "Connection":
        reader, writer = await asyncio.open_connection(address, port)
        opening = Opening(secret, opener)
        writer.write(opening.bytes)
        keys, confirmation = opening.finish(await reader.readexactly(NONCE + TAG))
        writer.write(confirmation)
        return cls(reader, writer, keys, True)

    @classmethod
    async def accept(
        cls, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, secret: NetworkSecret, opener: int
    ) -> "Connection":
        acceptance = Acceptance(secret, opener, await reader.readexactly(NONCE + PROOF))
        writer.write(acceptance.answer)
        return cls(reader, writer, acceptance.finish(await reader.readexactly(TAG)), False)

    async def send(self, plaintext: bytes) -> None:
        try:
            self._writer.write(frame(self._sending.encrypt(plaintext)))
            await self._writer.drain()
        except OSError as error:
            raise ChannelLost(str(error)) from None

    async def receive(self) -> bytes:
        try:
            length = int.from_bytes(await self._reader.readexactly(2), "big")
            return self._receiving.decrypt(await self._reader.readexactly(length))
        except asyncio.IncompleteReadError:
            raise ChannelEnded from None
        except OSError as error:
            raise ChannelLost(str(error)) from None

    async def wait_for_end(self, seconds: float = 2) -> None:
        try:
            async with asyncio.timeout(seconds):
                while True:
                    await self.receive()
        except (ChannelEnded, ChannelLost, TimeoutError):
            pass
        await self.close()

    async def close(self) -> None:
        self._writer.close()
