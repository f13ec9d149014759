"""Tasks that live as long as a block, and events to wait for."""

import asyncio
import dataclasses
from collections.abc import Callable, Coroutine
from typing import Any


class Tasks(asyncio.TaskGroup):
    """A group of tasks that are cancelled when its block ends; the block ends when one of them fails."""

    def __init__(self):
        super().__init__()
        self._running: set[asyncio.Task] = set()

    def start(self, work: Coroutine) -> asyncio.Task:
        task = self.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def __aexit__(self, *error: Any) -> bool | None:
        for task in self._running:
            task.cancel()
        try:
            return await super().__aexit__(*error)
        except BaseExceptionGroup as group:
            if len(group.exceptions) == 1:
                raise group.exceptions[0] from None
            raise


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that has happened at the peer."""

    name: str
    parts: dict[str, Any]

    def __getattr__(self, name: str) -> Any:
        try:
            return self.parts[name]
        except KeyError:
            raise AttributeError(name) from None


class Events:
    """Everything that has happened, and a way to wait for what will."""

    def __init__(self):
        self.all: list[Event] = []
        self._next = asyncio.Event()

    def emit(self, name: str, /, **parts: Any) -> None:
        self.all.append(Event(name, parts))
        before, self._next = self._next, asyncio.Event()
        before.set()

    async def first(self, name: str, start: int = 0, wanted: Callable[[Event], bool] = lambda _: True) -> Event:
        """The first event with this name, from number `start` on, that is wanted."""
        seen = start
        while True:
            arrival = self._next
            for event in self.all[seen:]:
                if event.name == name and wanted(event):
                    return event
            seen = len(self.all)
            await arrival.wait()
