"""What a device advertises at which time (Docs/Protocol.md, "Advertisement" and "Directed advertisements")."""

import asyncio
import time
from typing import TYPE_CHECKING

from .advertisement import PAIRING_SERVICE, SERVICE, Content, day_of, seal, slot_keys, slot_of
from .primitives import MASK_64, siphash

if TYPE_CHECKING:
    from .device import Device

WITHDRAWAL = 5.28
TURN = (5.28, 7.92)
FIRST_PAUSE, LONGEST_PAUSE = (6.0, 12.0), (150.0, 300.0)
# How long an unconfirmed pairing is advertised, after it and in each slot.
SETTLING, SETTLING_IN_SLOT = 120, 10


class Advertiser:
    """Advertises one thing at a time: a request for pairing before everything, then what is unconfirmed, then turns."""

    def __init__(self, device: "Device"):
        self._device = device
        self._changed = asyncio.Event()
        self._withdrawn_at: float | None = None
        self._shown: tuple[str, bytes] | None = None
        self._draws = 0
        self._pause = FIRST_PAUSE
        # The devices whose turn is in this round, the first one's turn being now if it has begun.
        self._round: list[bytes] = []
        self._next_turn: float | None = None
        self._turn_ends: float | None = None

    def change(self) -> None:
        """Something that is advertised has changed."""
        self._pause, self._round, self._next_turn, self._turn_ends = FIRST_PAUSE, [], None, None
        self._changed.set()

    def withdraw(self) -> None:
        self._withdrawn_at = time.time()
        self.change()

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
        device, slot = self._device, slot_of(now)
        if device.pairing:
            return (PAIRING_SERVICE, device.pairing.service_data), now + 3600
        withdrawal = Content.withdrawal(device.port).encode()
        for record in device.state.records.values():
            if not record.is_unconfirmed:
                continue
            begins = slot * 900 + _slot_delay(record.settling_key, slot)
            ends = max(record.began + SETTLING, begins + SETTLING_IN_SLOT)
            if now < record.began + SETTLING or begins <= now < ends:
                return (SERVICE, seal(record.settling_key, slot, withdrawal)), ends
        if not device.state.trusted:
            return None, now + 3600
        if device.publication:
            plaintext = device.publication.content(device.port).encode()
            return self._turn_or_all(plaintext, now)
        if self._withdrawn_at is not None and now < self._withdrawn_at + WITHDRAWAL:
            return (SERVICE, self._for_all(withdrawal, slot)), self._withdrawn_at + WITHDRAWAL
        return None, now + 3600

    def _for_all(self, plaintext: bytes, slot: int) -> bytes:
        return self._device.state.advertising_key.daily.seal(slot, plaintext) or b""

    def _turn_or_all(self, plaintext: bytes, now: float) -> tuple[tuple[str, bytes], float]:
        state, slot = self._device.state, slot_of(now)
        lagging = [device for device in state.trusted if state.has_update(device, now)]
        self._round = [device for device in self._round if device in lagging]
        if not lagging:
            return (SERVICE, self._for_all(plaintext, slot)), now + 3600
        if self._turn_ends is not None and (now >= self._turn_ends or not self._round):
            self._round, self._turn_ends = self._round[1:], None
            self._next_turn = now + self._draw(self._pause)
        if self._next_turn is None:
            is_urgent = any(state.other(device).known_key != state.advertising_key.id for device in lagging)
            self._next_turn = now if is_urgent else now + self._draw(FIRST_PAUSE)
        if self._turn_ends is None and now >= self._next_turn:
            if not self._round:
                self._round = lagging
                self._pause = tuple(min(2 * a, b) for a, b in zip(self._pause, LONGEST_PAUSE))
            self._turn_ends = now + self._draw(TURN)
        if self._turn_ends is None:
            return (SERVICE, self._for_all(plaintext, slot)), self._next_turn
        return (SERVICE, state.seal_directed(self._round[0], slot, plaintext, now)), self._turn_ends

    def _draw(self, interval: tuple[float, float]) -> float:
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
