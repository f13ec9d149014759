"""The cryptographic functions of the protocol, all of them with bytes in and bytes out."""

import hashlib
import hmac as hmac_module

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .errors import ProtocolError

MASK_64 = 2**64 - 1


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hmac_sha256(key: bytes, data: bytes) -> bytes:
    return hmac_module.digest(key, data, "sha256")


def equal(one: bytes, other: bytes) -> bool:
    """Whether both are the same, in a time that does not depend on where they differ."""
    return hmac_module.compare_digest(one, other)


def hkdf(secret: bytes, info: bytes, length: int = 32, salt: bytes | None = None) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)


def agreement_public(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def agree(private: bytes, public: bytes) -> bytes:
    """X25519, which refuses a result of zeros."""
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise ProtocolError("a Diffie-Hellman result of zeros", "weakKey") from None


def signing_public(private: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def is_signed(public: bytes, signature: bytes, message: bytes) -> bool:
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def siphash(key: bytes, data: bytes) -> bytes:
    """SipHash-2-4 with its output as 8 bytes, lowest first."""
    k0, k1 = (int.from_bytes(key[start : start + 8], "little") for start in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rotate(number: int, bits: int) -> int:
        return (number << bits | number >> (64 - bits)) & MASK_64

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & MASK_64
            v[2] = (v[2] + v[3]) & MASK_64
            v[1] = rotate(v[1], 13) ^ v[0]
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[1]) & MASK_64
            v[0] = (v[0] + v[3]) & MASK_64
            v[1] = rotate(v[1], 17) ^ v[2]
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return (v[0] ^ v[1] ^ v[2] ^ v[3]).to_bytes(8, "little")
