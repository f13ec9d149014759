"""The numbers of what a device shows (Docs/Protocol.md, "Numbers"; Docs/Decisions/0046-advertisements-are-numbered.md).

Times are in seconds, at the origin since 1970, at a receiver since any moment.
"""

import collections
import dataclasses
from typing import Any, NamedTuple

from .advertisement import LAST_NUMBER, NO_TYPE, slot_of

# The number of what was shown at the end of the slot before, and is shown on.
CONTINUING = 0
# The clock moves the numbers of a slot forward by one in this time.
STEP = 2
# How far above the clock the first number of a run is.
FIRST_LEAD = 21
# How many numbers an origin remembers.
REMEMBERED = 512
# After this time without a word of a device its entry ends, and a receiver accepts any number of it.
SILENCE = 30
# What is shown when there is nothing to continue any more.
WITHDRAWN = object()


class Number(NamedTuple):
    """The place of an advertisement in the order of all that a device shows."""

    slot: int
    # The number within the slot.
    index: int

    def continues(self, earlier: "Number") -> bool:
        """Whether it says that what was shown at the end of the slot of an earlier one is shown on."""
        return self.index == CONTINUING and self.slot == earlier.slot + 1


class Numbers:
    """The numbers of one run of an origin, which shows one thing at a time."""

    def __init__(self):
        self._uses: collections.deque[tuple[Number, Any]] = collections.deque(maxlen=REMEMBERED)
        self._shown: tuple[Number, Any] | None = None

    def subject_of(self, number: Number) -> Any:
        """What a number stands for; None for one that was not used lately."""
        return next((subject for used, subject in reversed(self._uses) if used == number), None)

    def show(self, subject: Any, now: float) -> Number | None:
        """The number of what is shown from now on, or still; None for nothing, and when the slot has no number left.

        It is called at least once in each slot in which something is shown.
        """
        number, before = self._shown or (None, None)
        if subject is None:
            self._shown = None
        elif subject is not before:
            self._take(subject, now)
        elif number.slot != slot_of(now):
            self._take(subject, now, is_continuing=slot_of(now) == number.slot + 1)
        return self._shown[0] if self._shown else None

    def _take(self, subject: Any, now: float, is_continuing: bool = False) -> None:
        slot = slot_of(now)
        clock = max(0, int(now - slot * 900)) // STEP
        used = [number.index for number, _ in self._uses if number.slot == slot]
        if used:
            index = max(max(used) + 1, clock)
        elif is_continuing:
            index = CONTINUING
        else:
            index = max(1, clock + (0 if self._uses else FIRST_LEAD))
        self._shown = None
        if index <= LAST_NUMBER:
            self._shown = Number(slot, index), subject
            self._uses.append(self._shown)


@dataclasses.dataclass(frozen=True)
class Latest:
    """The latest advertisement that a receiver has accepted of one device."""

    number: Number
    # That of a withdrawal when the device shows nothing.
    type_hash: bytes
    heard: float
    # The number with which the device began to show the activity, as far as was heard: that of requests.
    began: Number
    # Whether it began another entry than the one before.
    is_new: bool

    @classmethod
    def first(cls, number: Number, type_hash: bytes, now: float) -> "Latest":
        return cls(number, type_hash, now, number, True)

    def then(self, number: Number, type_hash: bytes, now: float) -> "Latest | None":
        """What is the latest after that was heard; None for a replay, which changes nothing."""
        if now - self.heard >= SILENCE:
            return Latest.first(number, type_hash, now)
        is_same_type, is_same_number = type_hash == self.type_hash, number == self.number
        if number < self.number or (is_same_number and not is_same_type):
            return None
        if is_same_type and (is_same_number or number.continues(self.number)):
            return Latest(number, type_hash, now, self.began, False)
        return Latest.first(number, type_hash, now)

    def ended(self, now: float) -> "Latest":
        """The same after the device has answered that it shows nothing any more."""
        return dataclasses.replace(self, type_hash=NO_TYPE, heard=now)
