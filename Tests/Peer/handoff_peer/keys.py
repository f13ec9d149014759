"""The keys of a device (Docs/Protocol.md, "Keys")."""

import dataclasses
import secrets

from .primitives import agreement_public, hkdf, hmac_sha256, sha256, signing_public

PRIME = 2**255 - 19
MASK_255 = 2**255 - 1
# The points of order 8: u of X25519, and y of Ed25519.
ORDER_EIGHT = {
    "agreement": (
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ),
    "signing": (
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ),
}


def refused_keys(keys: bytes) -> str | None:
    """Why the public keys of a device are refused: `invalidKey` or `weakKey`; None when they are not."""
    if len(keys) != 64:
        return "invalidKey"
    for kind, number in (
        ("agreement", int.from_bytes(keys[:32], "little")),
        ("signing", int.from_bytes(keys[32:], "little") & MASK_255),
    ):
        if number >= PRIME:
            return "invalidKey"
        if number in (0, 1, PRIME - 1) or number.to_bytes(32, "little").hex() in ORDER_EIGHT[kind]:
            return "weakKey"
    return None


def device_id(keys: bytes) -> bytes:
    """The identifier of the device with these public keys, 8 bytes."""
    return sha256(b"handoffd v2 device" + keys)[:8]


@dataclasses.dataclass(frozen=True)
class Identity:
    """The private keys of a device."""

    agreement: bytes
    signing: bytes

    @classmethod
    def generate(cls) -> "Identity":
        return cls(secrets.token_bytes(32), secrets.token_bytes(32))

    @property
    def public_keys(self) -> bytes:
        return agreement_public(self.agreement) + signing_public(self.signing)

    @property
    def id(self) -> bytes:
        return device_id(self.public_keys)


def key_identifier(private: bytes, number: int, random: bytes) -> bytes:
    """The identifier of an advertising key of the device with this private agreement key, which alone can make it."""
    content = number.to_bytes(2, "big") + random
    return content + hmac_sha256(hkdf(private, b"handoffd v2 key identifier"), content)[:4]


def key_number(private: bytes, identifier: bytes) -> int | None:
    """The number of the key with this identifier; None when the device has not made it."""
    if not identifier or key_identifier(private, int.from_bytes(identifier[:2], "big"), identifier[2:4]) != identifier:
        return None
    return int.from_bytes(identifier[:2], "big")
