"""Noise KK and NN with X25519, ChaCha20-Poly1305 and SHA-256 (The Noise Protocol Framework, revision 34); AES-GCM."""

import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305

from .errors import ProtocolError
from .primitives import agree, agreement_public, hmac_sha256, sha256

MESSAGES = {"KK": (("e", "es", "ss"), ("e", "ee", "se")), "NN": (("e",), ("e", "ee"))}


class Cipher:
    """A key and the nonce of the next message in one direction."""

    def __init__(self, key: bytes, nonce: int = 0):
        self._cipher, self._nonce = ChaCha20Poly1305(key), nonce

    def _next_nonce(self) -> bytes:
        if self._nonce == 2**64 - 1:
            raise ProtocolError("the nonces of a direction are used up")
        self._nonce += 1
        return bytes(4) + (self._nonce - 1).to_bytes(8, "little")

    def encrypt(self, plaintext: bytes, associated: bytes = b"") -> bytes:
        nonce = self._next_nonce()
        return self._cipher.encrypt(nonce, plaintext, associated)

    def decrypt(self, ciphertext: bytes, associated: bytes = b"") -> bytes:
        nonce = self._next_nonce()
        try:
            return self._cipher.decrypt(nonce, ciphertext, associated)
        except (InvalidTag, ValueError):
            raise ProtocolError("a message cannot be decrypted", "undecryptable") from None


class AESCipher(Cipher):
    """The same with AES-256 in Galois/Counter Mode, whose key changes after each million (2^20) messages."""

    MESSAGES_PER_KEY = 2**20

    def __init__(self, key: bytes, nonce: int = 0):
        super().__init__(key, nonce)
        self._cipher = AESGCM(key)

    def _next_nonce(self) -> bytes:
        number = int.from_bytes(super()._next_nonce()[4:], "little")
        if number and number % self.MESSAGES_PER_KEY == 0:
            self._cipher = AESGCM(self._cipher.encrypt(bytes(4) + b"\xff" * 8, bytes(32), b"")[:32])
        return bytes(4) + number.to_bytes(8, "big")


class Transport:
    """What is left after a handshake: a cipher in each direction, the hash, and the last chaining key."""

    def __init__(self, sending: Cipher, receiving: Cipher, handshake_hash: bytes, chaining_key: bytes):
        self.encrypt, self.decrypt = sending.encrypt, receiving.decrypt
        self.handshake_hash, self.chaining_key = handshake_hash, chaining_key


class Handshake:
    """One side of a handshake."""

    def __init__(
        self, pattern: str, is_initiator: bool, prologue: bytes, static: bytes = b"", remote_static: bytes = b"",
        ephemeral: bytes | None = None,
    ):
        self.is_initiator = is_initiator
        self.static, self.remote_static = static, remote_static
        self.ephemeral, self.remote_ephemeral = ephemeral or secrets.token_bytes(32), b""
        # The name has exactly as many bytes as a hash.
        self.hash = self.chaining_key = f"Noise_{pattern}_25519_ChaChaPoly_SHA256".encode()
        self._messages = list(MESSAGES[pattern])
        self._is_mine = is_initiator
        self._cipher: Cipher | None = None
        self._mix_hash(prologue)
        if pattern == "KK":
            own = agreement_public(static)
            for key in (own, remote_static) if is_initiator else (remote_static, own):
                self._mix_hash(key)

    @property
    def is_finished(self) -> bool:
        return not self._messages

    def write(self, payload: bytes) -> bytes:
        """The next message of this side."""
        message = b""
        for token in self._tokens(True):
            if token == "e":
                public = agreement_public(self.ephemeral)
                message += public
                self._mix_hash(public)
            else:
                self._mix_key(self._agreement(token))
        body = self._cipher.encrypt(payload, self.hash) if self._cipher else payload
        self._mix_hash(body)
        return message + body

    def read(self, message: bytes) -> bytes:
        """The payload of the next message of the other side."""
        for token in self._tokens(False):
            if token == "e":
                self.remote_ephemeral, message = message[:32], message[32:]
                if len(self.remote_ephemeral) != 32:
                    raise ProtocolError("a message of a handshake is too short", "undecryptable")
                self._mix_hash(self.remote_ephemeral)
            else:
                self._mix_key(self._agreement(token))
        payload = self._cipher.decrypt(message, self.hash) if self._cipher else message
        self._mix_hash(message)
        return payload

    def split(self) -> Transport:
        first, second = (Cipher(key) for key in self._expand(b"", 2))
        ciphers = (first, second) if self.is_initiator else (second, first)
        return Transport(*ciphers, self.hash, self.chaining_key)

    def _tokens(self, is_mine: bool) -> tuple[str, ...]:
        if not self._messages or self._is_mine != is_mine:
            raise ProtocolError("a message of a handshake is out of order")
        self._is_mine = not is_mine
        return self._messages.pop(0)

    def _agreement(self, token: str) -> bytes:
        """The result of `ee`, `es`, `se` or `ss`, whose first letter is the initiator's key."""
        mine, theirs = token if self.is_initiator else reversed(token)
        private = self.ephemeral if mine == "e" else self.static
        return agree(private, self.remote_ephemeral if theirs == "e" else self.remote_static)

    def _mix_hash(self, data: bytes) -> None:
        self.hash = sha256(self.hash + data)

    def _mix_key(self, secret: bytes) -> None:
        self.chaining_key, key = self._expand(secret, 2)
        self._cipher = Cipher(key)

    def _expand(self, secret: bytes, count: int) -> list[bytes]:
        """HKDF as Noise defines it, with the chaining key as salt."""
        key, outputs = hmac_sha256(self.chaining_key, secret), []
        for number in range(1, count + 1):
            outputs.append(hmac_sha256(key, (outputs[-1] if outputs else b"") + bytes([number])))
        return outputs
