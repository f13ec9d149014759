"""What a device knows: its keys, its circle, what the others have told it, and the pairings that it remembers.

Nothing here waits or sends. Times are in seconds since 1970.
"""

import dataclasses
import secrets

from .advertisement import AdvertisingKey, Content, DailyKey, day_of, directed_key, open_sealed, slot_of
from .circle import Circle
from .errors import ProtocolError
from .keys import Identity, device_id, key_identifier, key_number

# After this time without an exchange, one is due. It is at the start, since nothing is kept on disk.
EXCHANGE_LIFETIME = 86_400


@dataclasses.dataclass
class Other:
    """What a device keeps about another one."""

    # The directed key that this device has made for it: with it the other one seals to this one.
    directed_here: DailyKey
    advertising_key: AdvertisingKey | None = None
    # The directed key that it has told: with it this device seals to the other one.
    directed_there: DailyKey | None = None
    # The identifier of this device's advertising key that it has.
    known_key: bytes = b""
    # The digests that this device and the other one have told in the last exchange that was completed.
    digests: tuple[bytes, bytes] | None = None
    # When that was.
    exchanged_at: float = 0.0


@dataclasses.dataclass
class PairingRecord:
    """A pairing whose result is not known to be known on both sides."""

    id: bytes
    keys: bytes
    name: str
    settling_key: bytes
    # The advertising key that this device has told, or would tell, the other one.
    own_key: AdvertisingKey
    began: float
    status: str = "notPaired"
    # Whether the other side is known to have saved the same result, so that the pairing is forgotten.
    is_reconciled: bool = False

    @property
    def is_unconfirmed(self) -> bool:
        return self.status == "unconfirmed"


class State:
    """The state of one device."""

    def __init__(self, identity: Identity, name: str, now: float):
        self.identity, self.own_name = identity, name
        self.circle = Circle(identity.public_keys)
        # The highest number of an advertising key that this device has made.
        self.key_number = 0
        self.advertising_key = self.make_key(day_of(slot_of(now - 900)))
        self.others: dict[bytes, Other] = {}
        self.records: dict[bytes, PairingRecord] = {}

    @property
    def trusted(self) -> list[bytes]:
        """The identifiers of the other trusted devices."""
        return sorted(self.circle.trusted - {self.identity.id})

    def keys_of(self, device: bytes) -> bytes:
        return self.circle.keys[device]

    def other(self, device: bytes) -> Other:
        if device not in self.others:
            self.others[device] = Other(DailyKey(secrets.token_bytes(32), self.advertising_key.daily.day))
        return self.others[device]

    # Trust.

    def change(self, action, next_key: AdvertisingKey | None = None) -> None:
        """Does something to the circle. If it changes who is trusted, the advertising key is replaced with it."""
        before = self.circle.trusted
        action()
        after = self.circle.trusted
        for device in set(self.others) - after:
            del self.others[device]
        if after != before:
            self.replace_key(next_key or self.make_key(self.advertising_key.daily.day))

    def make_key(self, day: int) -> AdvertisingKey:
        self.key_number += 1
        identifier = key_identifier(self.identity.agreement, self.key_number, secrets.token_bytes(2))
        return AdvertisingKey(DailyKey(secrets.token_bytes(32), day), identifier)

    def replace_key(self, key: AdvertisingKey) -> None:
        self.advertising_key = key
        self.key_number = max(self.key_number, key_number(self.identity.agreement, key.id) or 0)

    def move_forward(self, now: float) -> None:
        """Moves all keys to the day of the slot before, and forgets those of the days before."""
        key = self.advertising_key
        self.advertising_key = AdvertisingKey(key.daily.kept(now), key.id)
        for other in self.others.values():
            other.directed_here = other.directed_here.kept(now)
            if other.directed_there:
                other.directed_there = other.directed_there.kept(now)
            if other.advertising_key:
                other.advertising_key = AdvertisingKey(other.advertising_key.daily.kept(now), other.advertising_key.id)
        day = day_of(slot_of(now))
        if self.advertising_key.daily.moved_to(day) is None:
            self._replace_unusable_keys(day, now)

    def _replace_unusable_keys(self, day: int, now: float) -> None:
        """Makes new keys where this device's do not reach a day because the clock was wrong; those of others are kept."""
        self.replace_key(self.make_key(day_of(slot_of(now - 900))))
        for other in self.others.values():
            if other.directed_here.moved_to(day) is None:
                other.directed_here = AdvertisingKey.generate(now).daily

    # The exchange of circles.

    def is_due(self, device: bytes, now: float) -> bool:
        """Whether there was no exchange with a device in this run, or for too long."""
        return not 0 <= now - self.other(device).exchanged_at < EXCHANGE_LIFETIME

    def lacks_key(self, device: bytes, now: float) -> bool:
        """Whether there is no key of a device that reaches the present day."""
        key = self.other(device).advertising_key
        return key is None or key.daily.moved_to(day_of(slot_of(now))) is None

    def has_update(self, device: bytes, now: float) -> bool:
        """Whether one of this device and another one may lack something of the other, or an exchange is due."""
        other = self.other(device)
        is_told = other.digests is not None and self.circle.digest in other.digests
        is_known = is_told and other.known_key == self.advertising_key.id
        return self.is_due(device, now) or not is_known or self.lacks_key(device, now)

    def circle_state(self, device: bytes, known_digest: bytes) -> dict:
        """The message CircleState for a device, whose digest is known."""
        other, digest = self.other(device), self.circle.digest
        day = self.advertising_key.daily.day
        directed = other.directed_here.moved_to(day) or other.directed_here
        return {
            "statements": [] if digest == known_digest else self.circle.sorted_statements,
            "digest": digest,
            "advertising_key": self.advertising_key.encode(),
            "directed_key": directed.key,
            "known_key": other.advertising_key.id if other.advertising_key else b"",
        }

    def take_in(self, device: bytes, message: dict) -> bool:
        """Takes in what a device has sent, which `messages` has read; whether it is trusted afterwards."""
        self.change(lambda: self.circle.join(message.get("statements", [])))
        if device not in self.trusted:
            return False
        other, told = self.other(device), AdvertisingKey.decode(message["advertising_key"])
        directed_there = DailyKey(message["directed_key"], told.daily.day)
        other.advertising_key = other.advertising_key.joined(told) if other.advertising_key else told
        other.directed_there = other.directed_there.joined(directed_there) if other.directed_there else directed_there
        other.known_key = message.get("known_key", b"")
        number = key_number(self.identity.agreement, other.known_key)
        if number is not None and number > self.key_number:
            # A later state of this device has made that key.
            self.key_number = number
            self.replace_key(self.make_key(self.advertising_key.daily.day))
        return True

    def complete(self, device: bytes, sent: bytes, theirs: bytes, now: float) -> None:
        """Remembers an exchange that was completed, by the last digests that were told and arrived.

        It proves that both devices trust each other, so the pairings of the two are reconciled.
        """
        other = self.other(device)
        other.digests, other.exchanged_at = (sent, theirs), now
        for record in self.records.values():
            if record.status == "paired" and device_id(record.keys) == device:
                record.is_reconciled = True

    # Advertisements.

    def open(self, sealed: bytes, now: float) -> tuple[bytes, int, Content, bool] | None:
        """The device that sealed an advertisement, the slot, what it says, and whether it is for this device alone."""
        slot = slot_of(now)
        for device in self.trusted:
            for candidate in (slot, slot - 1, slot + 1):
                for key, is_directed in self._keys_of(device, candidate):
                    plaintext = open_sealed(key, candidate, sealed)
                    if plaintext is not None:
                        return device, candidate, Content.decode(plaintext), is_directed
        return None

    def _keys_of(self, device: bytes, slot: int):
        """The keys under which a device may advertise in a slot."""
        other, day = self.other(device), day_of(slot)
        told = other.advertising_key and other.advertising_key.daily.moved_to(day)
        if told:
            yield told.key, False
        made = other.directed_here.moved_to(day)
        if made:
            yield made.key, True
        theirs = self.keys_of(device)[:32]
        yield directed_key(self.identity.agreement, theirs, self.identity.public_keys[:32], day), True

    def seal_directed(self, device: bytes, slot: int, plaintext: bytes, now: float) -> bytes:
        """An advertisement for a device alone."""
        told = None if self.is_due(device, now) else self.other(device).directed_there
        day = day_of(slot)
        daily = told and told.moved_to(day)
        if not daily:
            own, theirs = self.identity.public_keys[:32], self.keys_of(device)[:32]
            daily = DailyKey(directed_key(self.identity.agreement, own, theirs, day), day)
        return daily.seal(slot, plaintext) or b""

    def record_of(self, sealed: bytes, now: float) -> tuple[PairingRecord, Content] | None:
        """The pairing whose reconciliation key has sealed an advertisement."""
        slot = slot_of(now)
        for record in self.records.values():
            for candidate in (slot, slot - 1, slot + 1):
                plaintext = open_sealed(record.settling_key, candidate, sealed)
                if plaintext is not None:
                    return record, Content.decode(plaintext)
        return None

    # Pairings.

    def pair(self, record: PairingRecord, their_key: bytes) -> None:
        """Both users have confirmed: this device trusts the other one from now on."""
        record.status = "paired"
        device = device_id(record.keys)
        self.change(lambda: self.circle.add(self.identity, record.keys, record.name), next_key=record.own_key)
        other = self.other(device)
        other.advertising_key = AdvertisingKey.decode(their_key)
        # The other device has this device's key with the confirmation.
        other.known_key = record.own_key.id

    # Reconciliation.

    def verdict(self, caller: bytes, pairing: bytes, is_confirmed: bool, is_comparing: bool) -> str:
        """The answer to a device that asks how a pairing has ended: `settled`, `BUSY` or `NOT_PAIRED`."""
        if is_comparing:
            return "BUSY"
        record = self.record(caller, pairing)
        if is_confirmed and (caller in self.trusted or (record is not None and record.is_unconfirmed)):
            return "settled"
        return "NOT_PAIRED"

    def record(self, caller: bytes, pairing: bytes) -> PairingRecord | None:
        record = self.records.get(pairing)
        return record if record is not None and device_id(record.keys) == caller else None

    def reconcile_listener(
        self, caller: bytes, pairing: bytes, verdict: str, is_confirmed: bool, their_key: bytes | None,
    ) -> None:
        """Saves what was answered, once the caller has acknowledged it and so has saved it."""
        record = self.record(caller, pairing)
        if record is None or verdict == "BUSY" or (not is_confirmed and record.status == "paired"):
            return
        if verdict == "NOT_PAIRED":
            record.status = "notPaired"
        elif record.is_unconfirmed:
            if their_key is None:
                raise ProtocolError("a paired device that tells no key")
            self.pair(record, their_key)
        record.is_reconciled = True

    def reconcile_caller(self, record: PairingRecord, verdict: str, their_key: bytes | None) -> None:
        """Saves an answer before it is acknowledged. The pairing is forgotten once the listener has saved it too."""
        if record.is_unconfirmed and verdict == "settled" and their_key is not None:
            self.pair(record, their_key)
        elif record.is_unconfirmed and verdict == "NOT_PAIRED":
            record.status = "notPaired"
