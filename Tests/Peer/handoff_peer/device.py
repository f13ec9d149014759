"""A device on a radio: it hears, advertises, asks, serves and pairs."""

import asyncio
import contextlib
import dataclasses
import secrets
import time
from collections.abc import Awaitable, Callable
from typing import Any

from .activity import Activity
from .advertisement import PAIRING_SERVICE, SERVICE, Content, slot_of, type_hash
from .advertiser import Advertiser
from .card import read_card, write_card
from .client import AnswerRefused, Client
from .errors import ChannelEnded, ChannelLost, ProtocolError
from .keys import Identity, device_id
from .messages import current_activity
from .numbering import SILENCE, Latest, Number
from .pairing_request import PairingRequest
from .radio import Channel, Radio, Report
from .server import Server
from .session import Stream
from .state import PairingRecord, State
from .tasks import Events, Tasks

# How often a device is called in a slot for each reason, and how many seconds after any call at the earliest.
CALLS = {"invitation": (3, 10), "update": (1, 0), "settling": (6, 3)}

DOCUMENT = "NSUserActivityDocumentURLKey"


@dataclasses.dataclass
class Publication:
    """The current activity of this device."""

    activity: Activity
    on_stream: Callable[[Stream], Awaitable[None]] | None
    stream_name: int = dataclasses.field(default_factory=lambda: secrets.randbits(63) + 1)
    takes: dict[bytes, bytes] = dataclasses.field(default_factory=dict)
    # What the numbers of its advertisements stand for: another one once it is about another document.
    subject: object = dataclasses.field(default_factory=object)
    # The last document that it was about.
    document: dict | None = dataclasses.field(init=False)

    def __post_init__(self):
        self.document = self.activity.user_info.get(DOCUMENT)

    @property
    def type_hash(self) -> bytes:
        return type_hash(self.activity.type, self.activity.team_id)

    def change(self, activity: Activity) -> None:
        """Replaces what the app has said. With another document, type or team it is another activity for others."""
        before = self.type_hash, self.document
        self.activity, self.document = activity, activity.user_info.get(DOCUMENT, self.document)
        if self.type_hash != before[0] or before[1] not in (None, self.document):
            self.subject = object()

    def content(self, port: int, number: int) -> Content:
        has_document = DOCUMENT in self.activity.user_info
        return Content(port, self.type_hash, number, self.activity.webpage_url is not None, has_document)


@dataclasses.dataclass
class Entry:
    """What a device was last heard to show, or has said that it shows, and where it was heard."""

    content: Content
    address: Any
    # None for the other device of a pairing, whose advertisements have no order.
    latest: Latest | None = None
    expiry: asyncio.TimerHandle | None = None

    @property
    def number(self) -> Number:
        """The number by which the activity is requested."""
        assert self.latest is not None
        return self.latest.began


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
        self.publication = Publication(activity, on_stream)
        self._advertiser.change()
        return self.publication

    def change(self, activity: Activity) -> None:
        """Changes the current activity."""
        assert self.publication is not None
        self.publication.change(activity)
        self._advertiser.change()

    def withdraw(self) -> None:
        self.publication = None
        self._advertiser.withdraw()

    def publication_of(self, number: Number) -> Publication | None:
        """The current activity if a number stands for it."""
        is_current = self.publication is not None and self._advertiser.subject_of(number) is self.publication.subject
        return self.publication if is_current else None

    def current(self, now: float) -> dict | None:
        """What this device shows, for a refusal; None for nothing."""
        content = self._advertiser.content(now)
        return None if content is None or content.is_withdrawal else current_activity(slot_of(now), content)

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

    @property
    def heard(self) -> set[bytes]:
        """The trusted devices that were heard lately."""
        return set(self._entries) & set(self.state.trusted)

    def _hear(self, report: Report) -> None:
        if report.service == PAIRING_SERVICE and self.pairing:
            self.pairing.hear(report)
        if report.service != SERVICE or len(report.data) != 10:
            return
        now = time.time()
        opened = self.state.open(report.data, now)
        if opened:
            device, slot, content, is_directed = opened
            self._take_advertisement(device, slot, content, report.address)
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
                self._take_entry(record.id, Entry(content, address))
                self._call(record.id, "settling", lambda record=record: self.client.settle(record))

    def _take_advertisement(self, device: bytes, slot: int, content: Content, address: Any) -> None:
        """Takes in what a trusted device was heard to show, unless it is a replay."""
        number, now, before = Number(slot, content.number), time.monotonic(), self._entries.get(device)
        if before and before.latest:
            latest = before.latest.then(number, content.type_hash, now)
        else:
            latest = Latest.first(number, content.type_hash, now)
        if latest:
            self._take_entry(device, Entry(content, address, latest))
        if before is None:
            # A device that is there again may have a turn soon.
            self._advertiser.change()

    def correct(self, device: bytes, asked: Entry, current: dict | None) -> None:
        """Replaces an entry by what its device has answered in a session that it shows instead; None for nothing.

        It counts more than any number that was heard: another member may have made that up.
        """
        entry, now = self._entries.get(device), time.monotonic()
        if entry is None or entry.latest is None or entry.number != asked.number:
            return
        port = entry.content.port
        if current is None:
            latest = entry.latest.ended(now)
            content = Content.withdrawal(port, latest.number.index)
        else:
            latest = Latest.first(Number(current["slot"], current["number"]), current["typeHash"], now)
            flags = current["hasWebpage"], current["hasDocument"]
            content = Content(port, latest.type_hash, latest.number.index, *flags)
        self._take_entry(device, Entry(content, entry.address, latest))

    def _take_entry(self, device: bytes, entry: Entry) -> None:
        before = self._entries.get(device)
        if before and before.expiry:
            before.expiry.cancel()
        entry.expiry = asyncio.get_running_loop().call_later(SILENCE, self._drop, device)
        self._entries[device] = entry
        if before is None or (before.content, before.address) != (entry.content, entry.address):
            heard, self._heard_again = self._heard_again, asyncio.Event()
            heard.set()
        if entry.latest is None:
            return
        if not entry.content.is_withdrawal:
            if entry.latest.is_new:
                self.events.emit("nearby", device=device, type_hash=entry.content.type_hash, number=entry.number)
        elif before is None or not before.content.is_withdrawal:
            self.events.emit("gone", device=device)

    def _drop(self, device: bytes) -> None:
        entry = self._entries.pop(device, None)
        if entry and entry.expiry:
            entry.expiry.cancel()
        if entry and entry.latest and not entry.content.is_withdrawal:
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
