"""Whose turn it is to have an advertisement for itself (Docs/Protocol.md, "Directed advertisements").

Times are in seconds since 1970.
"""

import dataclasses
from collections.abc import Callable, Hashable

Interval = tuple[float, float]

TURN: Interval = (5.28, 7.92)
# How long what is new is for all members before the first turn.
SETTLING: Interval = (4.0, 6.0)
# The pauses before the turns of members that may be there, and of those that are away.
PAUSE: Interval = (6.0, 12.0)
LONG_PAUSE: Interval = (150.0, 300.0)
# How many turns a member lets pass before it counts as away.
UNANSWERED = 2
# How long what is new is for all members before the turn of one that is away, and by how much that is delayed at most.
QUIET, LONGEST_DELAY = 60, 600
# When to look again when there is nothing to wait for.
NEVER = 3600


@dataclasses.dataclass
class Attention:
    """The turns that a member has had."""

    unanswered: int = 0
    # The number of the last one among those of all members.
    last: int = 0


class Turns:
    """The turns of the members that do not have all that this device could tell them."""

    def __init__(self, draw: Callable[[Interval], float]):
        self._draw = draw
        self._history: dict[bytes, Attention] = {}
        self._heard: set[bytes] = set()
        self._count = 0
        # What is advertised, without the slot, and the slot.
        self._shown: tuple[Hashable, int] | None = None
        # The member whose turn it is, and until when.
        self._turn: tuple[bytes, float] | None = None
        # When the next turn of either kind of members begins, and beyond what nothing new delays that of those away.
        self._present = self._away = self._limit = 0.0

    def end(self) -> None:
        """Nothing is advertised that has turns."""
        self._shown = self._turn = None

    def advance(
        self, now: float, shown: Hashable, slot: int, lagging: list[bytes], heard: set[bytes]
    ) -> tuple[bytes | None, float]:
        """The member whose turn it is, None for all, and until when; of the lagging members some are heard."""
        self._history = {member: self._history.get(member, Attention()) for member in lagging}
        for member in heard - self._heard:
            if member in self._history:
                self._history[member].unanswered = 0
        self._heard = heard
        if not lagging:
            self.end()
            return None, now + NEVER
        if self._shown != (shown, slot):
            self._begin(now, shown, slot)
        if self._turn:
            if self._turn[0] in lagging and now < self._turn[1]:
                return self._turn
            self._end_turn(now)
        member, begins = self._next()
        if now < begins:
            return None, begins
        self._count += 1
        self._history[member].last = self._count
        self._turn = member, now + self._draw(TURN)
        return self._turn

    def _begin(self, now: float, shown: Hashable, slot: int) -> None:
        """Something is new, or only the slot."""
        before, self._shown, self._turn = self._shown, (shown, slot), None
        if before and before[0] == shown:
            self._present = now + self._draw((SETTLING[0], PAUSE[1]))
            self._away = now + self._draw((SETTLING[0], LONG_PAUSE[1]))
            self._limit = now + LONGEST_DELAY
            return
        self._present = now + self._draw(SETTLING)
        if before is None:
            self._away, self._limit = 0.0, now + LONGEST_DELAY
        self._away = max(self._present, min(self._limit, max(self._away, now + QUIET)))

    def _end_turn(self, now: float) -> None:
        member, ends = self._turn
        self._turn = None
        was_away = self._is_away(member)
        if now >= ends and member in self._history:
            self._history[member].unanswered += 1
        self._present = now + self._draw(PAUSE)
        if was_away:
            self._away, self._limit = now + self._draw(LONG_PAUSE), now + LONGEST_DELAY
        else:
            self._away = max(self._away, self._present)

    def _is_away(self, member: bytes) -> bool:
        return member in self._history and self._history[member].unanswered >= UNANSWERED

    def _next(self) -> tuple[bytes, float]:
        """The member of the next turn: of each kind the one whose last turn is the longest ago."""
        first = {}
        for member in sorted(self._history, key=lambda member: self._history[member].last):
            first.setdefault(self._is_away(member), member)
        times = {False: self._present, True: self._away}
        is_away = min(first, key=lambda kind: (times[kind], kind))
        return first[is_away], times[is_away]
