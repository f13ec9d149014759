"""What a device answers to others (Docs/Protocol.md, "Messages" and "Preview and take"; Docs/Circle.md)."""

import asyncio
import time
from typing import TYPE_CHECKING

from . import messages
from .errors import ChannelEnded, ChannelLost, ProtocolError, Refused
from .framing import LONGEST_MESSAGE
from .keys import device_id
from .numbering import Number
from .radio import Channel
from .session import Session, Stream

if TYPE_CHECKING:
    from .device import Device

FIRST_MESSAGE, SESSION, REPORT = 2, 15, 10


class Server:
    """The listener's side."""

    def __init__(self, device: "Device"):
        self._device = device

    async def accept(self, channel: Channel) -> None:
        """Serves one channel."""
        try:
            await self._serve(channel)
        except (ProtocolError, ChannelEnded, ChannelLost, TimeoutError) as error:
            self._device.events.emit("sessionFailed", reason=str(error) or type(error).__name__)
        finally:
            await channel.close()

    def _candidates(self) -> list[bytes]:
        state = self._device.state
        return [state.keys_of(device) for device in state.trusted] + [record.keys for record in state.records.values()]

    async def _serve(self, channel: Channel) -> None:
        identity = self._device.state.identity
        async with asyncio.timeout(FIRST_MESSAGE):
            session, keys, data = await Session.accept(channel, identity, self._candidates())
        caller = device_id(keys)
        async with asyncio.timeout(SESSION) as limit:
            is_trusted = caller in self._device.state.trusted
            try:
                request = messages.read_request(data)
            except Refused as refused:
                await self._refuse(session, "NOT_UNDERSTOOD", str(refused), is_trusted)
                return
            if not is_trusted and request["kind"] != "settle":
                await self._refuse(session, "NOT_PAIRED", "The devices are not paired.", is_trusted)
                return
            stream = await getattr(self, f"_serve_{request['kind']}")(session, caller, request)
            if stream:
                limit.reschedule(None)
                await stream

    async def _refuse(
        self, session: Session, code: str, text: str, is_trusted: bool = True, current: dict | None = None
    ) -> dict:
        return await self._answer(session, "refusal", messages.refusal(code, text, current), is_trusted)

    async def _answer(self, session: Session, kind: str, content: dict, is_trusted: bool = True) -> dict:
        """Answers, and waits for the acknowledgement; what it says."""
        digest = self._device.state.circle.digest if is_trusted else b""
        await session.send(messages.answer(kind, content, digest), least=1024)
        return messages.read_acknowledgement(await session.receive())

    async def _serve_fetch(self, session: Session, caller: bytes, request: dict) -> None:
        purpose = request["purpose"]
        publication = self._device.publication_of(Number(request["slot"], request["number"]))
        if publication is None:
            current = self._device.current(time.time())
            await self._refuse(session, "NO_LONGER_CURRENT", "It is not current any more.", current=current)
            return
        activity = publication.activity.message()
        if purpose == "take" and publication.on_stream:
            activity["stream_name"] = publication.stream_name
        if purpose == "take":
            # From now on, because the caller may have the activity even if its acknowledgement is lost.
            publication.takes[request["take"]] = caller
        await self._answer(session, "activity", activity)
        self._device.events.emit("fetched", device=caller, purpose=purpose)
        if purpose == "take":
            await self._receive_report(session, caller)

    async def _receive_report(self, session: Session, caller: bytes) -> None:
        """Waits for the outcome in the same session; its absence is no error, because it may come later."""
        try:
            async with asyncio.timeout(REPORT):
                report = messages.read_report(await session.receive())
        except (TimeoutError, ChannelEnded, ChannelLost):
            return
        self._note(caller, report)
        await session.send(messages.acknowledgement())
        await session.wait_for_end(REPORT)

    def _note(self, caller: bytes, report: dict) -> None:
        publication = self._device.publication
        if publication and publication.takes.pop(report["take"], None) == caller:
            self._device.events.emit("reported", device=caller, outcome=report["outcome"])

    async def _serve_report(self, session: Session, caller: bytes, request: dict) -> None:
        self._note(caller, request)
        await self._answer(session, "noted", {})

    async def _serve_stream(self, session: Session, caller: bytes, request: dict):
        publication = self._device.publication
        if publication is None or request["streamName"] != publication.stream_name:
            await self._refuse(session, "NO_SUCH_ACTIVITY", "The activity has ended.")
        elif publication.on_stream is None:
            await self._refuse(session, "STREAMS_NOT_SUPPORTED", "Its app takes no continuation streams.")
        else:
            await self._answer(session, "stream", {})
            # The app has accepted it.
            await session.send(messages.answer("stream", {}), least=1024)
            self._device.events.emit("streamOpened", device=caller)
            return publication.on_stream(Stream(session, is_caller=False))

    async def _serve_circle(self, session: Session, caller: bytes, request: dict) -> None:
        state = self._device.state
        answered = state.circle_state(caller, request["circleDigest"])
        await session.send(messages.answer("circle", answered), least=1024)
        heard = await session.receive(LONGEST_MESSAGE)
        theirs = messages.read_circle_acknowledgement(heard)
        is_trusted = state.take_in(caller, theirs)
        self._device.trust_changed()
        if is_trusted:
            own = state.circle_state(caller, theirs["digest"])
            await session.send(messages.acknowledgement(own), least=1024)
            state.complete(caller, answered["digest"], theirs["digest"], time.time())
            self._device.events.emit("updated", device=caller, by="listener")
            await session.wait_for_end(SESSION)

    async def _serve_settle(self, session: Session, caller: bytes, request: dict) -> None:
        device, pairing, is_confirmed = self._device, request["pairing"], request["isConfirmed"]
        is_comparing = device.pairing is not None and device.pairing.is_comparing(pairing)
        verdict = device.state.verdict(caller, pairing, is_confirmed, is_comparing)
        is_trusted, record = caller in device.state.trusted, device.state.record(caller, pairing)
        if verdict == "settled":
            own_key = device.state.advertising_key if is_trusted else record.own_key
            heard = await self._answer(session, "settled", {"advertising_key": own_key.encode()}, is_trusted)
        else:
            heard = await self._refuse(session, verdict, "The pairing was not confirmed here.", is_trusted)
        if verdict == "BUSY":
            return
        device.state.reconcile_listener(caller, pairing, verdict, is_confirmed, heard.get("advertisingKey"))
        device.trust_changed()
        await session.send(messages.acknowledgement())
        if record is not None:
            device.events.emit("reconciled", pairing=pairing, status=record.status)
        await session.wait_for_end(SESSION)
