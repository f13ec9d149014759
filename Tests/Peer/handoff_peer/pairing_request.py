"""A user's request to pair: the advertisement, the channels, the choice, the result (Docs/Protocol.md, "Pairing")."""

import asyncio
import contextlib
import dataclasses
import secrets
import time
from typing import TYPE_CHECKING, Any

from .advertisement import port_bits, port_of
from .errors import ChannelEnded, ChannelLost, ProtocolError, Refused
from .names import clean
from .pairing import LONGEST_FRAME, REASONS, TOKEN, Closing, Exchange, caller_handshake, listener_handshake
from .pairing import pairing_opening, read_opening
from .radio import Channel, Report
from .session import Frames
from .state import PairingRecord
from .tasks import Events

if TYPE_CHECKING:
    from .device import Device

MORE_CANDIDATES = 1.5
LET_OTHER_CALL, CALL_AGAIN, STEP, LAST_MESSAGE = 4, 3, 10, 2


@dataclasses.dataclass
class Contact:
    """A device that was heard to pair."""

    address: Any
    port: int


class Conversation:
    """One channel of the request, after its handshake."""

    def __init__(self, frames: Frames, exchange: Exchange, transport: Any, token: bytes):
        self.frames, self.exchange, self._transport, self.token = frames, exchange, transport, token
        self._sending = asyncio.Lock()

    async def send(self, messages: list[bytes]) -> None:
        async with self._sending:
            for message in messages:
                await self.frames.write(self._transport.encrypt(message))

    async def receive(self) -> None:
        """Receives one message, and sends what follows from it."""
        body = await self.frames.read(LONGEST_FRAME)
        await self.send(self.exchange.receive(self._transport.decrypt(body)))

    async def end(self) -> None:
        """Lets the other side close the channel if this one has sent the last message."""
        if self.exchange.closing is Closing.THERE:
            with contextlib.suppress(ProtocolError, ChannelLost):
                await self.frames.wait_for_end(LAST_MESSAGE)
        await self.frames.channel.close()


@dataclasses.dataclass(frozen=True)
class Result:
    """How a request has ended: `paired`, `unconfirmed`, or the reason why not, as Pairing.proto names it."""

    outcome: str
    device: bytes | None = None


class PairingRequest:
    """One request, which advertises and answers while its `with` block runs.

    Its events are `candidate`, `chosen` and `choiceTakenBack` by the other device, `digits`, `otherConfirmed`,
    `refused`, and `channelEnded`.
    """

    def __init__(self, device: "Device", calls: bool | None, chooses_alone: bool):
        first = {None: secrets.token_bytes(1), True: b"\xff", False: b"\x00"}[calls]
        self.token = first + secrets.token_bytes(TOKEN - 1)
        self._device = device
        self._contacts: dict[bytes, Contact] = {}
        self._dialling: set[bytes] = set()
        self._conversations: dict[bytes, Conversation] = {}
        self._chosen: bytes | None = None
        self._is_users_choice, self._chooses_alone = False, chooses_alone
        self._result: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self.events = Events()

    async def __aenter__(self) -> "PairingRequest":
        self._port = self._device.radio.listen(self._accept)
        self._device.pairing_changed(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._device.radio.stop_listening(self._port)
        self._device.pairing_changed(None)
        self._finish(Result("CANCELLED"))

    @property
    def service_data(self) -> bytes:
        return bytes([port_bits(self._port)]) + self.token

    def is_comparing(self, pairing_id: bytes) -> bool:
        return any(
            c.exchange.pairing_id == pairing_id and c.exchange.digits and not c.exchange.is_confirmed_here
            for c in self._conversations.values()
        )

    # What the user does.

    async def digits(self) -> str:
        """The six digits, once they are shown."""
        return (await self.events.first("digits")).digits

    async def choose(self, name: str) -> None:
        """Chooses among several devices, once one of this name has introduced itself."""
        candidate = await self.events.first("candidate", wanted=lambda event: event.candidate == name)
        self._is_users_choice = True
        if self._chosen not in (None, candidate.token):
            await self._take_back()
        if self._chosen is None:
            await self._choose(candidate.token)

    async def confirm(self) -> None:
        conversation = self._conversation
        record = self._device.state.records[conversation.exchange.pairing_id]
        record.status = "unconfirmed"
        messages = conversation.exchange.confirm(record.own_key.encode())
        # With both confirmations the devices are paired, whether or not the other one learns it now.
        self._judge(conversation)
        with contextlib.suppress(ChannelEnded, ChannelLost):
            await conversation.send(messages)

    async def refuse(self, reason: str) -> None:
        conversation = self._conversation
        await conversation.send(conversation.exchange.refuse(reason))
        self._judge(conversation)

    async def stop(self) -> None:
        """Stops after having confirmed."""
        await self._conversation.send(self._conversation.exchange.stop())

    async def lose_channel(self) -> None:
        """Closes the channel in the middle of the pairing."""
        await self._conversation.frames.channel.close()

    async def result(self) -> Result:
        return await asyncio.shield(self._result)

    @property
    def _conversation(self) -> Conversation:
        assert self._chosen is not None
        return self._conversations[self._chosen]

    def _finish(self, result: Result) -> None:
        if not self._result.done():
            self._result.set_result(result)

    # Channels.

    def hear(self, report: Report) -> None:
        """Another device, or this one, was heard to pair."""
        token = report.data[1:]
        if len(report.data) != 1 + TOKEN or token == self.token:
            return
        is_new = token not in self._contacts
        self._contacts[token] = Contact(report.address, port_of(report.data[0]))
        if is_new:
            self._device.tasks.start(self._call_when_due(token))

    async def _call_when_due(self, token: bytes) -> None:
        """Calls at once if this device has the larger token, else when the other one has not called for some time."""
        if self.token < token:
            await asyncio.sleep(LET_OTHER_CALL)
        while not self._result.done() and not self._is_users_choice:
            if token not in self._conversations:
                await self._call(token)
            if token in self._conversations:
                return
            await asyncio.sleep(CALL_AGAIN)

    async def _call(self, token: bytes) -> None:
        contact = self._contacts[token]
        try:
            channel = await self._device.radio.dial(contact.address, contact.port)
        except ChannelLost:
            return
        if token in self._conversations and (self.token < token or token == self._chosen):
            await channel.close()
            return
        frames, handshake = Frames(channel), caller_handshake()
        async with self._closing(channel):
            await frames.write(handshake.write(pairing_opening(self.token, token)))
            async with asyncio.timeout(STEP):
                handshake.read(await frames.read(LONGEST_FRAME))
                conversation = self._begin(frames, handshake, token)
                await conversation.receive()
            await conversation.send(conversation.exchange.introduce())
            await self._converse(conversation)

    async def _accept(self, channel: Channel) -> None:
        frames, handshake = Frames(channel), listener_handshake()
        async with self._closing(channel):
            async with asyncio.timeout(STEP):
                token = read_opening(handshake.read(await frames.read(LONGEST_FRAME)), self.token)
            if self._result.done() or (token in self._conversations and (token < self.token or token == self._chosen)):
                return
            await frames.write(handshake.write(b""))
            conversation = self._begin(frames, handshake, token)
            await conversation.send(conversation.exchange.introduce())
            async with asyncio.timeout(STEP):
                await conversation.receive()
            await self._converse(conversation)

    def _begin(self, frames: Frames, handshake: Any, token: bytes) -> Conversation:
        transport = handshake.split()
        state = self._device.state
        name = state.circle.shown_name(state.identity.id) if state.circle.name(state.identity.id) else state.own_name
        exchange = Exchange(handshake, state.identity, name)
        if token in self._conversations:
            self._device.tasks.start(self._conversations[token].frames.channel.close())
        self._conversations[token] = Conversation(frames, exchange, transport, token)
        return self._conversations[token]

    @contextlib.asynccontextmanager
    async def _closing(self, channel: Channel):
        """Ends with the channel, whatever happens on it."""
        try:
            yield
        except (ProtocolError, Refused, ChannelEnded, ChannelLost, TimeoutError) as error:
            self.events.emit("channelEnded", reason=str(error) or type(error).__name__)
        finally:
            await channel.close()
            for token, conversation in list(self._conversations.items()):
                if conversation.frames.channel is channel:
                    del self._conversations[token]
                    self._lose(conversation)

    async def _converse(self, conversation: Conversation) -> None:
        """Receives until the end of the channel."""
        exchange = conversation.exchange
        assert exchange.peer is not None
        await self._take_candidate(conversation)
        while exchange.closing is Closing.NOT_YET:
            was_chosen = exchange.is_chosen_there
            await conversation.receive()
            if was_chosen != exchange.is_chosen_there:
                self.events.emit("choiceTakenBack" if was_chosen else "chosen", token=conversation.token)
            if exchange.digits and exchange.pairing_id not in self._device.state.records:
                self._show_digits(conversation)
            if exchange.key_there is not None and not exchange.is_paired:
                self.events.emit("otherConfirmed")
            self._judge(conversation)
        await conversation.end()

    # The choice.

    async def _take_candidate(self, conversation: Conversation) -> None:
        peer = conversation.exchange.peer
        self.events.emit("candidate", candidate=clean(peer.name) or peer.id.hex(), token=conversation.token)
        if self._is_users_choice and self._chosen is not None:
            await conversation.send(conversation.exchange.refuse("NOT_CHOSEN"))
            return
        if self._chosen is not None and not self._conversation.exchange.is_chosen_there:
            await self._take_back()
        elif self._chosen is None and self._chooses_alone:
            self._device.tasks.start(self._choose_alone())

    async def _choose_alone(self) -> None:
        """Chooses the only candidate."""
        await asyncio.sleep(MORE_CANDIDATES)
        introduced = [token for token, c in self._conversations.items() if c.exchange.peer is not None]
        if len(introduced) == 1 and self._chosen is None and not self._is_users_choice:
            # A channel that is lost now is opened again, and leads here again.
            with contextlib.suppress(ChannelEnded, ChannelLost):
                await self._choose(introduced[0])

    async def _choose(self, token: bytes) -> None:
        self._chosen = token
        await self._conversation.send(self._conversation.exchange.choose())
        if self._is_users_choice:
            for other, conversation in list(self._conversations.items()):
                if other != token and conversation.exchange.peer is not None:
                    with contextlib.suppress(ChannelEnded, ChannelLost):
                        await conversation.send(conversation.exchange.refuse("NOT_CHOSEN"))

    async def _take_back(self) -> None:
        conversation, self._chosen = self._conversation, None
        with contextlib.suppress(ChannelEnded, ChannelLost):
            await conversation.send(conversation.exchange.withdraw_choice())

    # The result.

    def _show_digits(self, conversation: Conversation) -> None:
        exchange, state = conversation.exchange, self._device.state
        peer = exchange.peer
        key = state.make_key(state.advertising_key.daily.day)
        state.records[exchange.pairing_id] = PairingRecord(
            exchange.pairing_id, peer.keys, clean(peer.name) or peer.id.hex(), exchange.settling_key, key, time.time()
        )
        self.events.emit("digits", digits=exchange.digits, device=peer.id)

    def _judge(self, conversation: Conversation) -> None:
        """Draws the conclusion from the last message."""
        exchange, state = conversation.exchange, self._device.state
        record = state.records.get(exchange.pairing_id)
        if record and exchange.is_paired:
            if record.status != "paired":
                state.pair(record, exchange.key_there)
                self._device.trust_changed()
                self._finish(Result("paired", exchange.peer.id))
            record.is_reconciled |= exchange.is_settled
            return
        refusal = exchange.refusal if exchange.own_refusal is None else exchange.own_refusal
        if refusal is not None:
            if record:
                record.status, record.is_reconciled = "notPaired", True
            reason = next((name for name, number in REASONS.items() if number == refusal), "FAILED")
            self.events.emit("refused", reason=reason)
            if reason != "NOT_CHOSEN":
                self._finish(Result(reason))

    def _lose(self, conversation: Conversation) -> None:
        """The channel has ended. If only this side has confirmed, its user does not know the result."""
        record = self._device.state.records.get(conversation.exchange.pairing_id)
        if self._chosen == conversation.token:
            self._chosen = None
        if record and record.is_unconfirmed and not record.is_reconciled:
            self._finish(Result("unconfirmed"))
            self._device.trust_changed()

