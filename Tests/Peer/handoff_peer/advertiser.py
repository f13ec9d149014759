"""What a device advertises at which time (Docs/Protocol.md, "Advertisement" and "Directed advertisements")."""

import asyncio
import dataclasses
import time
from typing import TYPE_CHECKING, Any

from .advertisement import PAIRING_SERVICE, SERVICE, Content, day_of, seal, slot_keys, slot_of
from .numbering import WITHDRAWN, Number, Numbers
from .primitives import MASK_64, siphash
from .turns import Interval, Turns

if TYPE_CHECKING:
    from .device import Device

WITHDRAWAL = 5.28
# How long an unconfirmed pairing is advertised, after it and in each slot.
SETTLING, SETTLING_IN_SLOT = 120, 10


class Advertiser:
    """Advertises one thing at a time: a request for pairing before everything, then what is unconfirmed, then turns."""

    def __init__(self, device: "Device"):
        self._device = device
        self._changed = asyncio.Event()
        self._withdrawn_at: float | None = None
        self._numbers = Numbers()
        self._shown: tuple[str, bytes] | None = None
        self._draws = 0
        self._turns = Turns(self._draw)

    def change(self) -> None:
        """Something may have changed that is advertised. What is shown has its number at once."""
        self.content(time.time())
        self._changed.set()

    def withdraw(self) -> None:
        self._withdrawn_at = time.time()
        self.change()

    def content(self, now: float) -> Content | None:
        """What this device shows to those that it trusts, in the slot of that time; None for nothing."""
        device, publication, subject = self._device, self._device.publication, None
        if publication:
            subject = publication.subject
        elif self._withdrawn_at is not None and now < self._withdrawn_at + WITHDRAWAL:
            subject = WITHDRAWN
        number = self._numbers.show(subject, now)
        if number is None:
            return None
        if publication is None:
            return Content.withdrawal(device.port, number.index)
        return publication.content(device.port, number.index)

    def subject_of(self, number: Number) -> Any:
        """What a number stands for; None for one that was not used lately."""
        return self._numbers.subject_of(number)

    async def run(self) -> None:
        while True:
            self._changed.clear()
            now = time.time()
            self._device.state.move_forward(now)
            shown, until = self._plan(now)
            if shown != self._shown:
                self._shown = shown
                await (self._device.radio.advertise(*shown) if shown else self._device.radio.stop_advertising())
            slot_ends = (slot_of(now) + 1) * 900
            try:
                async with asyncio.timeout(min(until, slot_ends) - time.time()):
                    await self._changed.wait()
            except TimeoutError:
                pass

    def _plan(self, now: float) -> tuple[tuple[str, bytes] | None, float]:
        """What to advertise, and until when."""
        device, slot, content = self._device, slot_of(now), self.content(now)
        if device.pairing:
            return (PAIRING_SERVICE, device.pairing.service_data), now + 3600
        # The other device of a pairing does not look at the number.
        withdrawal = Content.withdrawal(device.port, 0).encode()
        for record in device.state.records.values():
            if not record.is_unconfirmed:
                continue
            begins = slot * 900 + _slot_delay(record.settling_key, slot)
            ends = max(record.began + SETTLING, begins + SETTLING_IN_SLOT)
            if now < record.began + SETTLING or begins <= now < ends:
                return (SERVICE, seal(record.settling_key, slot, withdrawal)), ends
        if content is None or content.is_withdrawal or not device.state.trusted:
            self._turns.end()
        if content is None or not device.state.trusted:
            return None, now + 3600
        if content.is_withdrawal:
            return (SERVICE, self._for_all(content.encode(), slot)), self._withdrawn_at + WITHDRAWAL
        return self._turn_or_all(content, now)

    def _for_all(self, plaintext: bytes, slot: int) -> bytes:
        return self._device.state.advertising_key.daily.seal(slot, plaintext) or b""

    def _turn_or_all(self, content: Content, now: float) -> tuple[tuple[str, bytes], float]:
        device, state, slot = self._device, self._device.state, slot_of(now)
        lagging = [member for member in state.trusted if state.has_update(member, now)]
        # In each slot the same activity has another number.
        told = state.circle.digest, state.advertising_key.id
        shown = device.publication.subject, dataclasses.replace(content, number=0), told
        member, until = self._turns.advance(now, shown, slot, lagging, device.heard & set(lagging))
        plaintext = content.encode()
        sealed = state.seal_directed(member, slot, plaintext, now) if member else self._for_all(plaintext, slot)
        return (SERVICE, sealed), until

    def _draw(self, interval: Interval) -> float:
        """A time that says nothing to others: the next draw of the slot, spread over the interval."""
        slot = slot_of(time.time())
        daily = self._device.state.advertising_key.daily
        key = (daily.moved_to(day_of(slot)) or daily).key
        draw = siphash(slot_keys(key, slot)[0], b"\x04" + self._draws.to_bytes(6, "little"))
        self._draws += 1
        return interval[0] + (interval[1] - interval[0]) * int.from_bytes(draw, "little") / MASK_64


def _slot_delay(key: bytes, slot: int) -> float:
    """How long after the border a device that advertises under the key changes to the slot, in seconds."""
    draw = siphash(slot_keys(key, slot)[0], b"\x03" + bytes(6))
    return int.from_bytes(draw, "little") % 60_000 / 1000
