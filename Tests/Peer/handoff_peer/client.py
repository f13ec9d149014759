"""What a device asks of others (Docs/Protocol.md, "Messages" and "Preview and take"; Docs/Circle.md)."""

import asyncio
import contextlib
import dataclasses
import secrets
import time
from typing import TYPE_CHECKING

from . import messages
from .activity import Activity
from .advertisement import type_hash
from .errors import ChannelLost, ProtocolError
from .framing import LONGEST_MESSAGE
from .numbering import Number
from .session import Session, Stream
from .state import PairingRecord

if TYPE_CHECKING:
    from .device import Device

UNTIL_JUDGED, CIRCLE = 15, 20
# How often a request is made again whose link was lost before the answer: the other side's Bluetooth service drops a link
# 2 s after it was asked to, even if it is in use again by then.
REPETITIONS = 2
# How much longer the app of a stream has to accept it.
ACCEPTANCE = 10


class AnswerRefused(Exception):
    """The listener has refused the request."""

    def __init__(self, answer: dict):
        code = answer["refusalCode"]
        super().__init__(f"{code}: {answer['refusalMessage']}")
        self.code = next((name for name, number in messages.REFUSAL_CODES.items() if number == code), "INTERNAL")
        # What the listener shows instead, as `messages.read_answer` describes it.
        self.current: dict | None = answer.get("current")


@dataclasses.dataclass
class Fetched:
    """An activity that was fetched, and the id of the take if it is one."""

    device: bytes
    activity: Activity
    take: bytes


class Client:
    """The caller's side."""

    def __init__(self, device: "Device"):
        self._device = device

    @contextlib.asynccontextmanager
    async def _asking(self, device: bytes, keys: bytes, request: bytes, is_circle: bool = False):
        """The session in which a request was answered, and the answer, which the block judges and acknowledges.

        The channel is closed afterwards: an answer that is not acknowledged has no effect at the listener.
        """
        channel, session, answer = await self._answered(device, keys, request, is_circle)
        try:
            yield session, answer
        finally:
            await channel.close()
        other = self._device.state.others.get(device)
        digest = answer.get("circleDigest")
        if other and digest and (other.digests is None or digest not in other.digests):
            self._device.update_soon(device)

    async def _answered(self, device: bytes, keys: bytes, request: bytes, is_circle: bool):
        """An open channel, the session on it, and the answer to the request."""
        for repetition in range(REPETITIONS + 1):
            channel = await self._device.dial(device)
            try:
                async with asyncio.timeout(UNTIL_JUDGED):
                    session = await Session.call(channel, self._device.state.identity, keys, request)
                    longest = LONGEST_MESSAGE if is_circle else messages.LONGEST_ANSWER
                    return channel, session, messages.read_answer(await session.receive(longest))
            except ChannelLost:
                await channel.close()
                if repetition == REPETITIONS:
                    raise
            except BaseException:
                await channel.close()
                raise
        raise AssertionError("a repetition returns or raises")

    @staticmethod
    async def _expect(session: Session, answer: dict, kind: str) -> None:
        """Makes sure that an answer is of a kind. A refusal is acknowledged like any answer."""
        if answer["kind"] == "refusal":
            await session.send(messages.acknowledgement())
            await session.wait_for_end()
            raise AnswerRefused(answer)
        if answer["kind"] != kind:
            raise ProtocolError(f"the answer {answer['kind']} to a request for {kind}")

    async def fetch(
        self, device: bytes, purpose: str = "preview", outcome: str | None = "continued app",
        number: Number | None = None,
    ) -> Fetched:
        """Fetches what a device shows, or asks for another number; after a take, reports the outcome unless it is None.

        It does so in the same session, and in one of its own when the link is lost before the other side has it.
        """
        entry = await self._device.entry(device)
        wanted = entry.number if number is None else number
        take = secrets.token_bytes(8) if purpose == "take" else b""
        request = messages.fetch_request(wanted.slot, wanted.index, purpose, take)
        is_reported = outcome is None
        async with self._asking(device, self._device.state.keys_of(device), request) as (session, answer):
            if answer.get("refusalCode") == messages.REFUSAL_CODES["NO_LONGER_CURRENT"]:
                self._device.correct(device, entry, answer.get("current"))
            await self._expect(session, answer, "activity")
            activity = answer["activity"]
            if type_hash(activity.type, activity.team_id) != entry.content.type_hash:
                raise ProtocolError("an activity of another type")
            await session.send(messages.acknowledgement())
            if purpose != "take":
                await session.wait_for_end()
            elif not is_reported:
                with contextlib.suppress(ChannelLost):
                    await session.send(messages.report_message(take, outcome))
                    messages.read_acknowledgement(await session.receive())
                    is_reported = True
        fetched = Fetched(device, activity, take)
        if purpose == "take" and not is_reported:
            await self.report(fetched, outcome)
        return fetched

    async def report(self, fetched: Fetched, outcome: str) -> None:
        """Reports the outcome of a take in a session of its own."""
        request = messages.report_request(fetched.take, outcome)
        keys = self._device.state.keys_of(fetched.device)
        async with self._asking(fetched.device, keys, request) as (session, answer):
            await self._expect(session, answer, "noted")
            await session.send(messages.acknowledgement())
            await session.wait_for_end()

    @contextlib.asynccontextmanager
    async def stream(self, fetched: Fetched):
        """A stream to the app whose activity was taken."""
        request = messages.stream_request(fetched.activity.stream_name)
        keys = self._device.state.keys_of(fetched.device)
        async with self._asking(fetched.device, keys, request) as (session, answer):
            await self._expect(session, answer, "stream")
            await session.send(messages.acknowledgement())
            async with asyncio.timeout(UNTIL_JUDGED + ACCEPTANCE):
                opened = messages.read_answer(await session.receive(messages.LONGEST_ANSWER))
            if opened["kind"] == "refusal":
                raise AnswerRefused(opened)
            await self._expect(session, opened, "stream")
            yield Stream(session, is_caller=True)

    async def update(self, device: bytes) -> None:
        """Exchanges the circle and the keys with a device."""
        state = self._device.state
        request = messages.circle_request(state.circle.digest)
        async with asyncio.timeout(CIRCLE):
            async with self._asking(device, state.keys_of(device), request, is_circle=True) as (session, answer):
                await self._expect(session, answer, "circle")
                theirs = answer["circle"]
                if not state.take_in(device, theirs):
                    self._device.trust_changed()
                    return
                own = state.circle_state(device, theirs["digest"])
                await session.send(messages.acknowledgement(own), least=1024)
                last = await session.receive(LONGEST_MESSAGE)
                theirs = messages.read_circle_acknowledgement(last)
                state.take_in(device, theirs)
                state.complete(device, own["digest"], theirs["digest"], time.time())
        self._device.trust_changed()
        self._device.events.emit("updated", device=device, by="caller")

    async def settle(self, record: PairingRecord) -> None:
        """Asks how a pairing has ended for the other device."""
        device = self._device
        request = messages.settle_request(record.id, record.status != "notPaired")
        async with self._asking(record.id, record.keys, request) as (session, answer):
            if answer.get("refusalCode") == messages.REFUSAL_CODES["NOT_PAIRED"]:
                verdict = "NOT_PAIRED"
            else:
                await self._expect(session, answer, "settled")
                verdict = "settled"
            device.state.reconcile_caller(record, verdict, answer.get("advertisingKey"))
            # Not before the listener has proved who it is: whoever steals its keys later can decrypt the request.
            key = device.state.advertising_key.encode() if verdict == "settled" else b""
            await session.send(messages.acknowledgement(key=key))
            messages.read_acknowledgement(await session.receive())
            record.is_reconciled = True
        device.trust_changed()
        device.events.emit("reconciled", pairing=record.id, status=record.status)
