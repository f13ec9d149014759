"""A device on a radio: it hears, advertises, asks, serves and pairs."""

import asyncio
import contextlib
import dataclasses
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

from . import advertisement
from .activity import Activity
from .advertisement import PAIRING_SERVICE, SERVICE, Content, slot_of
from .advertiser import Advertiser
from .card import read_card, write_card
from .client import AnswerRefused, Client
from .errors import ChannelEnded, ChannelLost, ProtocolError
from .keys import Identity, device_id
from .pairing_request import PairingRequest
from .radio import Channel, Radio, Report
from .server import Server
from .session import Stream
from .state import PairingRecord, State
from .tasks import Events, Tasks

# How long an origin that is not heard any more keeps its entry.
SILENCE = 30
# How often a device is called in a slot for each reason, and how many seconds after any call at the earliest.
CALLS = {"invitation": (3, 10), "update": (1, 0), "settling": (6, 3)}

DOCUMENT = "NSUserActivityDocumentURLKey"


@dataclasses.dataclass
class Publication:
    """The current activity of this device."""

    activity: Activity
    tag: int
    on_stream: Callable[[Stream], Awaitable[None]] | None
    stream_name: int = dataclasses.field(default_factory=lambda: secrets.randbits(63) + 1)
    takes: dict[bytes, bytes] = dataclasses.field(default_factory=dict)

    @property
    def type_hash(self) -> bytes:
        return advertisement.type_hash(self.activity.type)

    def content(self, port: int) -> Content:
        has_document = DOCUMENT in self.activity.user_info
        return Content(port, self.type_hash, self.tag, self.activity.webpage_url is not None, has_document)


@dataclasses.dataclass
class Entry:
    """What a device was last heard to advertise, and where."""

    content: Content
    address: Any
    expiry: asyncio.TimerHandle | None = None


class Device:
    """A device of the peer, which runs while its `with` block does.

    Its events are `nearby`, `gone`, `updated`, `fetched`, `reported`, `streamOpened`, `reconciled`, `trust`,
    `callFailed` and `sessionFailed`.
    """

    def __init__(self, radio: Radio, name: str, identity: Identity | None = None, state: State | None = None):
        self.radio = radio
        self.state = state or State(identity or Identity.generate(), name, time.time())
        self.events = Events()
        self.publication: Publication | None = None
        self.pairing: PairingRequest | None = None
        self.port = 0
        self._tag = secrets.randbelow(128)
        self._entries: dict[bytes, Entry] = {}
        self._heard_again = asyncio.Event()
        # When each device was called, by reason and slot.
        self._calls: dict[tuple[bytes, str, int], list[float]] = {}
        self._trusted: list[bytes] = []
        self.client = Client(self)
        self._server, self._advertiser = Server(self), Advertiser(self)

    async def __aenter__(self) -> "Device":
        self._stack = contextlib.AsyncExitStack()
        await self._stack.enter_async_context(self.radio)
        self.tasks = await self._stack.enter_async_context(Tasks())
        await self.radio.start(self.tasks)
        self.port = self.radio.listen(self._server.accept)
        self.radio.hear(self._hear)
        self.tasks.start(self._advertiser.run())
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self._stack.__aexit__(*error)

    # Trust.

    @property
    def id(self) -> bytes:
        return self.state.identity.id

    @property
    def card(self) -> str:
        return write_card(self.state.identity.public_keys, self.state.own_name)

    def trust_card(self, card: str) -> bytes:
        """Trusts the device of a card; its identifier."""
        keys, name = read_card(card)
        self.state.change(lambda: self.state.circle.add(self.state.identity, keys, name))
        self.trust_changed()
        return device_id(keys)

    def remove(self, device: bytes) -> None:
        self.state.change(lambda: self.state.circle.remove(self.state.identity, device))
        self.trust_changed()

    def keep(self, device: bytes) -> None:
        self.state.change(lambda: self.state.circle.keep(self.state.identity, device))
        self.trust_changed()

    def rename(self, device: bytes, name: str) -> None:
        self.state.circle.rename(self.state.identity, device, name)
        self.trust_changed()

    def replace_key(self) -> None:
        """Makes a new advertising key, as after a copy of this device was met."""
        self.state.replace_key(self.state.make_key(self.state.advertising_key.daily.day))
        self.trust_changed()

    def names(self) -> dict[str, str]:
        """The standing of each known device by its name."""
        circle = self.state.circle
        return {circle.shown_name(device): circle.standing(device).split(" by ")[0] for device in circle.known}

    def trust_changed(self) -> None:
        """The circle or a key may have changed."""
        for device in set(self._trusted) - set(self.state.trusted):
            self._drop(device)
        self._trusted = self.state.trusted
        self.events.emit("trust", names=self.names(), digest=self.state.circle.digest)
        self._advertiser.change()

    # Activities.

    def publish(self, activity: Activity, on_stream: Callable[[Stream], Awaitable[None]] | None = None) -> Publication:
        self._tag = (self._tag + 1) % 128
        self.publication = Publication(activity, self._tag, on_stream)
        self._advertiser.change()
        return self.publication

    def withdraw(self) -> None:
        self.publication = None
        self._advertiser.withdraw()

    # Pairing.

    def pair(self, calls: bool | None = None, chooses_alone: bool = True) -> PairingRequest:
        """A request for pairing, whose token makes this device the caller, the listener, or either.

        It chooses the only device that it finds, unless its user is to choose in any case.
        """
        return PairingRequest(self, calls, chooses_alone)

    def pairing_changed(self, request: PairingRequest | None) -> None:
        self.pairing = request
        self._advertiser.change()

    # Hearing and calling.

    def _hear(self, report: Report) -> None:
        if report.service == PAIRING_SERVICE and self.pairing:
            self.pairing.hear(report)
        if report.service != SERVICE or len(report.data) != 10:
            return
        now = time.time()
        opened = self.state.open(report.data, now)
        if opened:
            device, content, is_directed = opened
            self._take_entry(device, content, report.address)
            if is_directed or self.state.has_update(device, now):
                reason = "invitation" if is_directed else "update"
                self._call(device, reason, lambda: self.client.update(device))
            self._settle_where(content, report.address, lambda r: r.status == "paired" and device_id(r.keys) == device)
            return
        found = self.state.record_of(report.data, now)
        if found:
            record, content = found
            self._settle_where(content, report.address, lambda other: other is record)

    def _settle_where(self, content: Content, address: Any, wanted: Callable[[PairingRecord], bool]) -> None:
        """Asks how pairings have ended whose other device was heard."""
        for record in self.state.records.values():
            if wanted(record) and not record.is_reconciled:
                self._take_entry(record.id, content, address)
                self._call(record.id, "settling", lambda record=record: self.client.settle(record))

    def _take_entry(self, device: bytes, content: Content, address: Any) -> None:
        before = self._entries.get(device)
        if before and before.expiry:
            before.expiry.cancel()
        expiry = asyncio.get_running_loop().call_later(SILENCE, self._drop, device)
        self._entries[device] = Entry(content, address, expiry)
        if before is None or (before.content, before.address) != (content, address):
            heard, self._heard_again = self._heard_again, asyncio.Event()
            heard.set()
        if before is None or before.content != content:
            if content.is_withdrawal:
                self.events.emit("gone", device=device)
            else:
                self.events.emit("nearby", device=device, type_hash=content.type_hash, tag=content.tag)

    def _drop(self, device: bytes) -> None:
        entry = self._entries.pop(device, None)
        if entry and entry.expiry:
            entry.expiry.cancel()
        if entry and not entry.content.is_withdrawal:
            self.events.emit("gone", device=device)

    def _call(self, device: bytes, reason: str, call: Callable[[], Awaitable[None]]) -> None:
        """Calls a device that was heard, as often as the protocol allows in a slot for that reason."""
        now = time.time()
        most, pause = CALLS[reason]
        calls = self._calls.setdefault((device, reason, slot_of(now)), [])
        last = max((times[-1] for (other, *_), times in self._calls.items() if other == device and times), default=0)
        if len(calls) >= most or now < last + pause:
            return
        calls.append(now)
        self.tasks.start(self._tell_failure(device, call))

    def update_soon(self, device: bytes) -> None:
        """Exchanges the circle with a device whose digest is a new one."""
        self.tasks.start(self._tell_failure(device, lambda: self.client.update(device)))

    async def _tell_failure(self, device: bytes, call: Callable[[], Awaitable[None]]) -> None:
        try:
            await call()
        except (ProtocolError, ChannelEnded, ChannelLost, TimeoutError, AnswerRefused) as error:
            self.events.emit("callFailed", device=device, reason=str(error) or type(error).__name__)

    async def entry(self, device: bytes, wanted: Callable[[Content], bool] = lambda c: not c.is_withdrawal) -> Entry:
        """What a device advertises, once it is heard and wanted."""
        while True:
            again = self._heard_again
            entry = self._entries.get(device)
            if entry and wanted(entry.content):
                return entry
            await again.wait()

    async def dial(self, device: bytes) -> Channel:
        """Opens a channel to a device, at the address at which it is heard last."""
        while True:
            again = self._heard_again
            entry = await self.entry(device, lambda _: True)
            dialling = asyncio.ensure_future(self.radio.dial(entry.address, entry.content.port))
            moved = asyncio.ensure_future(again.wait())
            try:
                await asyncio.wait([dialling, moved], return_when=asyncio.FIRST_COMPLETED)
                latest = self._entries.get(device)
                if dialling.done() or latest is None or latest.address == entry.address:
                    return await dialling
            finally:
                moved.cancel()
                if not dialling.done():
                    dialling.cancel()
