"""Advertisements and their keys (Docs/Protocol.md, "Advertisement", "Daily keys" and "Directed advertisements")."""

import dataclasses
import secrets

from .activity import BROWSING
from .primitives import agree, agreement_public, equal, hkdf, sha256, siphash

SERVICE = "a0f6373c-c0be-4098-84f0-85fe6ea66c55"
PAIRING_SERVICE = "78cbcd33-2750-4365-81f7-3b28a263c335"
NO_TYPE = bytes(4)
# The port of a listener that has none: channels to it use GATT.
GATT_PORT = 0xFF
# The greatest number within a slot.
LAST_NUMBER = 511


def slot_of(seconds: float) -> int:
    return int(seconds // 900) if seconds >= 0 else 0


def day_of(slot: int) -> int:
    return slot // 96


def type_hash(activity_type: str, team: str | None = None) -> bytes:
    """The hash of a type and of the team where there is one; web pages belong to no team."""
    has_team = team is not None and activity_type != BROWSING
    return sha256(activity_type.encode() + (b"\0" + team.encode() if has_team else b""))[:4]


def port_bits(port: int) -> int:
    """The five bits by which a port of 0x80 to 0x9E, or the one that stands for GATT, is advertised."""
    return port & 0x1F


def port_of(byte: int) -> int:
    """The port in the low five bits of a byte."""
    bits = byte & 0x1F
    return GATT_PORT if bits == port_bits(GATT_PORT) else 0x80 | bits


@dataclasses.dataclass(frozen=True)
class Content:
    """What a sealed advertisement says."""

    port: int
    type_hash: bytes
    # The number within the slot.
    number: int
    has_webpage: bool = False
    has_document: bool = False

    @classmethod
    def withdrawal(cls, port: int, number: int) -> "Content":
        return cls(port, NO_TYPE, number)

    @classmethod
    def decode(cls, plaintext: bytes) -> "Content":
        first, hashed, last = plaintext[0], plaintext[1:5], plaintext[5]
        # A withdrawal has neither a web page nor a document, whatever its flags say.
        is_activity = hashed != NO_TYPE
        has_webpage, has_document = is_activity and bool(first & 0x80), is_activity and bool(first & 0x40)
        return cls(port_of(first), hashed, (first & 0x20) << 3 | last, has_webpage, has_document)

    def encode(self) -> bytes:
        flags = self.has_webpage << 7 | self.has_document << 6
        first, last = flags | self.number >> 8 << 5 | port_bits(self.port), self.number & 0xFF
        return bytes([first]) + self.type_hash + bytes([last])

    @property
    def is_withdrawal(self) -> bool:
        return self.type_hash == NO_TYPE


def slot_keys(key: bytes, slot: int) -> tuple[bytes, bytes]:
    """The authentication key and the encryption key of a slot."""
    keys = hkdf(key, b"handoffd v2 advertisement" + slot.to_bytes(8, "big"))
    return keys[:16], keys[16:]


def _exclusive_or(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other))


def seal(key: bytes, slot: int, plaintext: bytes) -> bytes:
    """The 10 bytes of service data that stand for 6 bytes of plaintext in that slot."""
    authentication, encryption = slot_keys(key, slot)
    tag = siphash(authentication, b"\x02" + plaintext)[:4]
    return tag + _exclusive_or(plaintext, siphash(encryption, b"\x01" + tag))


def open_sealed(key: bytes, slot: int, sealed: bytes) -> bytes | None:
    """The plaintext, if the service data were sealed under that key in that slot."""
    if len(sealed) != 10:
        return None
    authentication, encryption = slot_keys(key, slot)
    plaintext = _exclusive_or(sealed[4:], siphash(encryption, b"\x01" + sealed[:4]))
    return plaintext if equal(siphash(authentication, b"\x02" + plaintext)[:4], sealed[:4]) else None


@dataclasses.dataclass(frozen=True)
class DailyKey:
    """An advertising key with the day for which it is."""

    key: bytes
    day: int

    def moved_to(self, day: int) -> "DailyKey | None":
        """The key of a later day; None for an earlier one, and for one that is more than 3650 days away."""
        if not 0 <= day - self.day <= 3650:
            return None
        key = self.key
        for _ in range(self.day, day):
            key = hkdf(key, b"handoffd v2 next day")
        return DailyKey(key, day)

    def joined(self, told: "DailyKey") -> "DailyKey":
        """Which of two keys to keep, of which the other one is told now: this one, if the other follows from it."""
        return self if self.moved_to(told.day) == told else told

    def kept(self, seconds: float) -> "DailyKey":
        """What a device keeps of it at that time: the key of the day of the slot before."""
        return self.moved_to(day_of(slot_of(seconds - 900))) or self

    def seal(self, slot: int, plaintext: bytes) -> bytes | None:
        moved = self.moved_to(day_of(slot))
        return moved and seal(moved.key, slot, plaintext)

    def open(self, slot: int, sealed: bytes) -> bytes | None:
        moved = self.moved_to(day_of(slot))
        return moved and open_sealed(moved.key, slot, sealed)

    def encode(self) -> bytes:
        return self.key + self.day.to_bytes(4, "big")


@dataclasses.dataclass(frozen=True)
class AdvertisingKey:
    """A daily key with the random identifier that it keeps while it moves forward; 44 bytes in messages."""

    daily: DailyKey
    id: bytes

    @classmethod
    def generate(cls, seconds: float) -> "AdvertisingKey":
        daily = DailyKey(secrets.token_bytes(32), day_of(slot_of(seconds - 900)))
        return cls(daily, secrets.token_bytes(8))

    @classmethod
    def decode(cls, data: bytes) -> "AdvertisingKey":
        return cls(DailyKey(data[:32], int.from_bytes(data[32:36], "big")), data[36:])

    def encode(self) -> bytes:
        return self.daily.encode() + self.id

    def joined(self, told: "AdvertisingKey") -> "AdvertisingKey":
        """Which of two keys to keep, of which the other one is told now: the earlier day of the same key, or what is told."""
        return AdvertisingKey(self.daily.joined(told.daily), told.id) if self.id == told.id else told


def directed_key(own_private: bytes, sender: bytes, receiver: bytes, day: int) -> bytes:
    """The key of a day under which `sender` advertises to `receiver` alone before a directed key was told.

    Both are agreement keys, one of them that of `own_private`.
    """
    other = receiver if agreement_public(own_private) == sender else sender
    info = b"handoffd v2 news" + sender + receiver + day.to_bytes(4, "big")
    return hkdf(agree(own_private, other), info)
