#!/usr/bin/env python3
"""Checks the peer's modules against every file of vectors.

Usage: check_vectors.py DIRECTORY. Prints how many cases agree.
"""

import asyncio
import dataclasses
import fractions
import json
import pathlib
import sys

from handoff_peer import gatt
from handoff_peer.activity import Activity, is_web_page
from handoff_peer.advertisement import NO_TYPE, AdvertisingKey, Content, DailyKey, directed_key, open_sealed, port_bits
from handoff_peer.advertisement import seal, type_hash
from handoff_peer.card import CardError, read_card, write_card
from handoff_peer.circle import Circle
from handoff_peer.errors import ChannelEnded, ProtocolError, Refused
from handoff_peer.files import read_file_url
from handoff_peer.framing import FragmentReader, fragments, frame, pad, unpad
from handoff_peer.keys import Identity, device_id
from handoff_peer.messages import LONGEST_ANSWER, REFUSAL_CODES, acknowledgement, answer, circle_request, fetch_request
from handoff_peer.messages import read_acknowledgement, read_answer, read_report, read_request, report_message
from handoff_peer.messages import report_request, settle_request, stream_request
from handoff_peer.names import clean
from handoff_peer.network import CALLER, LISTENER, Acceptance, NetworkSecret, Opening
from handoff_peer.noise import AESCipher, Handshake
from handoff_peer.numbering import WITHDRAWN, Latest, Number, Numbers
from handoff_peer.pairing import LONGEST_FRAME, Closing, Exchange, Introduction, caller_handshake, listener_handshake
from handoff_peer.pairing import pairing_message, pairing_opening, read_opening
from handoff_peer.pairing_request import Conversation as PairingConversation
from handoff_peer.primitives import agreement_public, siphash
from handoff_peer.session import Frames, Session, prologue
from handoff_peer.state import PairingRecord, State
from handoff_peer.stream import DATA, OFFER, OFFER_LENGTH, TAKEN, Moves, Offer, PieceReader, Window
from handoff_peer.values import SCHEMA

SIDES = ("caller", "listener")


def unhex(case: dict, *names: str) -> list[bytes]:
    return [bytes.fromhex(case[name]) for name in names]


def check_advertisement(case: dict) -> None:
    hashed = type_hash(case["activityType"], case.get("team"))
    content = Content(case["port"], hashed, case["number"], case["hasWebpage"], case["hasDocument"])
    assert content.type_hash.hex() == case["typeHash"]
    check_sealed(case, content)


def check_withdrawal(case: dict) -> None:
    check_sealed(case, Content.withdrawal(case["port"], case["number"]))


def check_numbers(case: dict) -> None:
    """Hears what a device shows, and what somebody repeats of it; or shows something itself."""
    numbers = Numbers()
    subjects = {word: object() for word in "abcd"} | {None: WITHDRAWN}
    for shown in case.get("shown", []):
        number = numbers.show(subjects[shown.get("activity")], shown["at"] / 1000)
        assert (number and number.index) == shown.get("number"), shown
        assert number is None or number.slot == shown["at"] // 900_000
    latest = None
    for heard in case.get("heard", []):
        number, hashed = Number(heard["slot"], heard["number"]), bytes.fromhex(heard.get("typeHash", NO_TYPE.hex()))
        # Not as floating point: a silence may have the exact length that matters.
        at = fractions.Fraction(heard["at"], 1000)
        accepted = latest.then(number, hashed, at) if latest else Latest.first(number, hashed, at)
        assert (accepted is not None) == heard["isAccepted"], heard
        is_new = accepted is not None and hashed != NO_TYPE and accepted.is_new
        assert is_new == heard.get("isNewEntry", False), heard
        latest = accepted or latest


def check_sealed(case: dict, content: Content) -> None:
    key, sealed = unhex(case, "advertisingKey", "sealed")
    assert content.encode().hex() == case["plaintext"]
    assert seal(key, case["slot"], content.encode()) == sealed
    opened = open_sealed(key, case["slot"], sealed)
    assert opened is not None and Content.decode(opened) == content
    assert open_sealed(key, case["slot"] ^ 1, sealed) is None
    for ignored in case.get("ignored", []):
        assert open_sealed(key, case["slot"], bytes.fromhex(ignored)) is None
    if "sealedWithFlags" in case:
        opened = open_sealed(key, case["slot"], bytes.fromhex(case["sealedWithFlags"]))
        assert opened != content.encode() and Content.decode(opened) == content


def check_daily(case: dict) -> None:
    key, plaintext = unhex(case, "advertisingKey", "plaintext")
    daily = DailyKey(key, case["day"])
    later, sealed = daily.moved_to(case["laterDay"]), daily.seal(case["slot"], plaintext)
    assert (later and later.key.hex()) == case.get("laterAdvertisingKey")
    assert (sealed and sealed.hex()) == case.get("sealed")
    assert sealed is None or daily.open(case["slot"], sealed) == plaintext


def check_news(case: dict) -> None:
    own, other = unhex(case, "privateKey", "otherPrivateKey")
    sender, receiver = agreement_public(own), agreement_public(other)
    for private in (own, other):
        assert directed_key(private, sender, receiver, case["day"]).hex() == case["sendingKey"]
        assert directed_key(private, receiver, sender, case["day"]).hex() == case["receivingKey"]


def check_name(case: dict) -> None:
    assert clean(bytes.fromhex(case["stated"]).decode()).encode().hex() == case["shown"]


def check_card(case: dict) -> None:
    try:
        keys, name = read_card(case["text"])
        found = {"publicKeys": keys.hex(), "deviceID": device_id(keys).hex(), "name": name}
        assert write_card(keys, name) == case["text"].strip().lower()
    except CardError as error:
        found = {"error": error.args[0]}
    assert found | {"text": case["text"]} == case


def check_padding(case: dict) -> None:
    if "least" in case:
        assert len(pad(bytes(case["messageBytes"]), case["least"])) == case["paddedBytes"]
    try:
        length = case["messageBytes"].to_bytes(4, "big")
        is_valid = unpad(length + bytes(case["paddedBytes"] - 4)) == bytes(case["messageBytes"])
    except ProtocolError as error:
        assert error.kind == "invalidPadding"
        is_valid = False
    assert is_valid == case["isValid"]


def check_address(case: dict) -> None:
    assert is_web_page(case["address"]) == case["isValid"]


def check_file(case: dict) -> None:
    try:
        read = read_file_url(case["url"])
        parts = {"folder": read[0], "components": [part.hex() for part in read[1]]} if read else {}
        found = parts | {"isRefused": False}
    except Refused:
        found = {"isRefused": True}
    assert found | {"url": case["url"]} == case


def check_move(case: dict) -> None:
    moves = Moves(case["side"] == "caller", case["hasOffered"])
    for event in case["events"]:
        connection = bytes.fromhex(event.get("connection", ""))
        act = {
            "offer": lambda: moves.offer(is_empty=False), "emptyOffer": lambda: moves.offer(is_empty=True),
            "proof": lambda: moves.prove(connection), "move": lambda: moves.move(connection), "time": moves.give_up,
        }[event["happens"]]
        try:
            act()
            is_refused = False
        except ProtocolError as error:
            is_refused = error.kind == "outOfTurn"
        found = {"sendsOver": moves.sending, "receivesOver": moves.receiving}
        assert {name: over.hex() for name, over in found.items() if over} == {
            name: event[name] for name in found if name in event
        }
        assert is_refused == event["isRefused"]


def check_circle(case: dict) -> None:
    circle = Circle(bytes.fromhex(case["root"]))
    for place in map(bytes.fromhex, case.get("overruled", [])):
        circle.overruled.add((place[:8], place[8:]))
    for statements in (case["before"], case["received"]):
        circle.join([bytes.fromhex(statement) for statement in statements])
    assert [statement.hex() for statement in circle.sorted_statements] == case["after"]
    assert circle.digest.hex() == case["digest"]
    known = [{"id": d.hex(), "name": circle.name(d), "standing": circle.standing(d)} for d in circle.known]
    assert known == case["known"]


class Conversation:
    """Both sides of a session, each of which reads what the other one writes."""

    def __init__(self, pattern: str, prologue: bytes, statics: list[bytes], ephemerals: list[bytes]):
        publics = [key and agreement_public(key) for key in statics]
        self.handshakes = {
            side: Handshake(pattern, side == "caller", prologue, *keys, ephemeral)
            for side, keys, ephemeral in zip(SIDES, zip(statics, reversed(publics)), ephemerals)
        }
        self.transports: dict = {}

    def send(self, by: str, plaintext: bytes) -> bytes:
        other = SIDES[by == "caller"]
        if self.transports:
            body = self.transports[by].encrypt(plaintext)
            assert self.transports[other].decrypt(body) == plaintext
            return body
        body = self.handshakes[by].write(plaintext)
        assert self.handshakes[other].read(body) == plaintext
        if self.handshakes[by].is_finished:
            self.transports = {side: handshake.split() for side, handshake in self.handshakes.items()}
        return body


def session_of(case: dict) -> Conversation:
    greeting = bytes.fromhex(case["greeting"])
    assert frame(greeting[2:]) == greeting and len(greeting) == 18
    statics = unhex(case, "callerPrivateKey", "listenerPrivateKey")
    ephemerals = unhex(case, "callerEphemeralPrivateKey", "listenerEphemeralPrivateKey")
    signing = unhex(case, "callerSigningKey", "listenerSigningKey")
    hashed = prologue(greeting[2:], *(agreement_public(private) + key for private, key in zip(statics, signing)))
    # The vectors of streams do not repeat it.
    assert case.get("prologue", hashed.hex()) == hashed.hex()
    return Conversation("KK", hashed, statics, ephemerals)


def check_noise(case: dict) -> None:
    statics = unhex(case, "init_static", "resp_static")
    assert agreement_public(statics[1]).hex() == case["init_remote_static"]
    assert agreement_public(statics[0]).hex() == case["resp_remote_static"]
    prologue, first, second = unhex(case, "init_prologue", "init_ephemeral", "resp_ephemeral")
    conversation = Conversation("KK", prologue, statics, [first, second])
    for number, message in enumerate(case["messages"]):
        payload, ciphertext = unhex(message, "payload", "ciphertext")
        assert conversation.send(SIDES[number % 2], payload) == ciphertext
    if "handshake_hash" in case:
        assert conversation.transports["caller"].handshake_hash.hex() == case["handshake_hash"]


def check_session(case: dict, *least: int) -> None:
    """Checks a session, whose messages are padded to 64 bytes, the second to 1024, or to `least`."""
    conversation, sizes = session_of(case), least or (64, 1024, 64, 64, 64)
    for number, turn in enumerate(case["turns"]):
        message = bytes.fromhex(turn["message"])
        padded = pad(message, sizes[number])
        assert len(padded) == turn["paddedBytes"]
        # A request takes one fragment, whatever the size of the others.
        pieces = fragments(padded, case["fragmentBytes"] if number else len(padded) + 1)
        assert [piece.hex() for piece in pieces] == turn["fragments"]
        frames = [frame(conversation.send(turn["by"], piece)).hex() for piece in pieces]
        assert frames == turn["frames"]
        reader = FragmentReader()
        assert [reader.take(piece) for piece in pieces] == [None] * (len(pieces) - 1) + [message]
    assert conversation.transports["caller"].handshake_hash.hex() == case["handshakeHash"]


@dataclasses.dataclass(frozen=True)
class PartialIdentity:
    """An identity without the key for signatures: what a device needs that signs nothing."""

    public_keys: bytes
    agreement: bytes

    @property
    def id(self) -> bytes:
        return device_id(self.public_keys)


class ExchangeSide:
    """A device before and after an exchange of circles, as Docs/vectors/exchange.json describes it."""

    def __init__(self, public_keys: str, private_key: str, other: str, before: dict, new_key: str):
        self.other = device_id(bytes.fromhex(other))
        self.state = State(PartialIdentity(bytes.fromhex(public_keys), bytes.fromhex(private_key)), "", 0)
        self.state.circle.join([bytes.fromhex(statement) for statement in before["statements"]])
        self.state.advertising_key = AdvertisingKey.decode(bytes.fromhex(before["advertisingKey"]))
        self.state.key_number = before["keyNumber"]
        self.state.make_key = lambda _: AdvertisingKey.decode(bytes.fromhex(new_key))
        self._directed_key = before["directedKey"]
        about = self.state.other(self.other)
        about.directed_here = daily_key(before["directedKey"])
        about.known_key = bytes.fromhex(before.get("knownKey", ""))
        if "otherAdvertisingKey" in before:
            about.advertising_key = AdvertisingKey.decode(bytes.fromhex(before["otherAdvertisingKey"]))
        if "otherDirectedKey" in before:
            about.directed_there = daily_key(before["otherDirectedKey"])
        if "toldDigest" in before:
            about.digests = bytes.fromhex(before["toldDigest"]), b""
        self._told = before.get("toldDigest")

    def message(self, known_digest: bytes) -> dict:
        return self.state.circle_state(self.other, known_digest)

    def complete(self, sent: bytes, theirs: bytes) -> None:
        self.state.complete(self.other, sent, theirs, 0)
        if self.state.circle.digest in (sent, theirs):
            self._told = self.state.circle.digest.hex()

    def found(self) -> dict:
        """What it knows now."""
        found = {
            "statements": [statement.hex() for statement in self.state.circle.sorted_statements],
            "digest": self.state.circle.digest.hex(),
            "advertisingKey": self.state.advertising_key.encode().hex(),
            "keyNumber": self.state.key_number,
            "directedKey": self._directed_key, "trustsOther": self.other in self.state.trusted,
        }
        if other := self.state.others.get(self.other):
            found |= {
                "otherAdvertisingKey": other.advertising_key and other.advertising_key.encode().hex(),
                "otherDirectedKey": other.directed_there and other.directed_there.encode().hex(),
                "knownKey": other.known_key.hex(), "toldDigest": self._told,
            }
        return {name: part for name, part in found.items() if part not in (None, "")}


def daily_key(text: str) -> DailyKey:
    return DailyKey(bytes.fromhex(text)[:32], int(text[64:], 16))


def run_exchange(caller: ExchangeSide, listener: ExchangeSide, turns: list[bytes]) -> str:
    """Lets both sides do what the vectors say, and compares all but the listener's answer, which may be a lie."""
    asked, answered = caller.state.circle.digest, listener.state.circle.digest
    assert read_request(turns[0]) == {"kind": "circle", "circleDigest": asked}
    try:
        heard = read_answer(turns[1])["circle"]
    except ProtocolError:
        return "the caller closes: the answer is invalid"
    if not caller.state.take_in(caller.other, heard):
        return "the caller closes: it does not trust the listener any more"
    told = caller.message(heard["digest"])
    assert acknowledgement(told) == turns[2]
    if not listener.state.take_in(listener.other, told):
        return "the listener closes: it does not trust the caller any more"
    last = listener.message(told["digest"])
    assert acknowledgement(last) == turns[3]
    listener.complete(answered, told["digest"])
    caller.state.take_in(caller.other, last)
    caller.complete(told["digest"], last["digest"])
    return "completed"


def check_exchange(case: dict) -> None:
    check_session(case["session"], 64, 1024, 1024, 1024)
    (one, other), session = (case["callerPublicKeys"], case["listenerPublicKeys"]), case["session"]
    caller = ExchangeSide(one, session["callerPrivateKey"], other, case["callerBefore"], case["callerNewKey"])
    listener = ExchangeSide(other, session["listenerPrivateKey"], one, case["listenerBefore"], case["listenerNewKey"])
    assert (caller.found(), listener.found()) == (case["callerBefore"], case["listenerBefore"])
    turns = [bytes.fromhex(turn["message"]) for turn in case["session"]["turns"]]
    assert run_exchange(caller, listener, turns) == case["end"]
    assert (caller.found(), listener.found()) == (case["callerAfter"], case["listenerAfter"])


class ReconcilingSide:
    """A device before and after a reconciliation, as Docs/vectors/reconciliation.json describes it."""

    def __init__(self, case: dict, side: str, other: str):
        self.other_keys, self.before = bytes.fromhex(case[f"{other}PublicKeys"]), case[f"{side}Before"]
        self.other = device_id(self.other_keys)
        self.key = AdvertisingKey.decode(bytes.fromhex(case[f"{side}AdvertisingKey"]))
        identity = Identity.generate()
        # Nothing is signed here that the vectors show, so the keys of the side itself do not matter.
        self.state = State(identity, "", 0)
        if self.before["trustsOther"]:
            self.state.circle.add(identity, self.other_keys, "other")
        self.state.advertising_key = self.key
        self.record, status = None, self.before["status"]
        self.is_comparing = status == "comparing"
        if status != "none":
            pairing, status = bytes.fromhex(case["pairing"]), "notPaired" if self.is_comparing else status
            self.record = PairingRecord(pairing, self.other_keys, "other", b"", self.key, 0, status)
            self.state.records[pairing] = self.record

    def found(self) -> dict:
        return {
            "status": self.record.status if self.record and not self.is_comparing else self.before["status"],
            "isReconciled": self.record is not None and self.record.is_reconciled,
            "trustsOther": self.other in self.state.trusted,
        }


def check_reconciliation(case: dict) -> None:
    check_session(case["session"])
    caller, listener = ReconcilingSide(case, "caller", "listener"), ReconcilingSide(case, "listener", "caller")
    turns = [bytes.fromhex(turn["message"]) for turn in case["session"]["turns"]]
    pairing, is_confirmed = bytes.fromhex(case["pairing"]), caller.record.status != "notPaired"
    assert settle_request(pairing, is_confirmed) == turns[0]
    verdict = listener.state.verdict(listener.other, pairing, is_confirmed, listener.is_comparing)
    answer = read_answer(turns[1])
    if verdict == "settled":
        assert answer == {"kind": "settled", "advertisingKey": listener.key.encode()}
    else:
        assert answer["refusalCode"] == REFUSAL_CODES[verdict]
    caller.state.reconcile_caller(caller.record, verdict, answer.get("advertisingKey"))
    told = caller.state.advertising_key.encode() if verdict == "settled" else b""
    assert turns[2] == acknowledgement(key=told)
    heard = read_acknowledgement(turns[2]).get("advertisingKey")
    listener.state.reconcile_listener(listener.other, pairing, verdict, is_confirmed, heard)
    if len(turns) == 4:
        assert turns[3] == acknowledgement()
        caller.record.is_reconciled = True
    assert (caller.found(), listener.found()) == (case["callerAfter"], case["listenerAfter"])


class RecordedChannel:
    """A channel with what the other side sends in a vector, and what this side has to send."""

    def __init__(self, case: dict):
        self._reader = case["reader"]
        self.rest = [(part["by"], bytes.fromhex(part["bytes"])) for part in case["sent"]]

    async def receive(self) -> bytes:
        if not self.rest or self.rest[0][0] == self._reader:
            raise ChannelEnded
        return self.rest.pop(0)[1]

    async def send(self, data: bytes) -> None:
        assert self.rest and self.rest.pop(0) == (self._reader, data)

    async def close(self) -> None:
        pass


async def read_session(case: dict, channel: RecordedChannel) -> None:
    """Does what the reader of a vector does, until nothing more was sent."""
    side = case["reader"]
    other = SIDES[side == "caller"]
    private, ephemeral, own_signing, other_private, other_signing = unhex(
        case, f"{side}PrivateKey", f"{side}EphemeralPrivateKey", f"{side}SigningKey", f"{other}PrivateKey",
        f"{other}SigningKey",
    )
    identity = PartialIdentity(agreement_public(private) + own_signing, private)
    keys = agreement_public(other_private) + other_signing
    if side == "caller":
        session = await Session.call(channel, identity, keys, bytes.fromhex(case["request"]), ephemeral)
        read_answer(await session.receive(LONGEST_ANSWER))
    else:
        greeting = channel.rest[0][1][2:]
        session, _, request = await Session.accept(channel, identity, [keys], greeting, ephemeral)
        assert request.hex() == case["request"]
        # A message before the answer, or nothing more.
        if not channel.rest or channel.rest[0][0] == other:
            await session.wait_for_end()
            return
        await session.send(bytes.fromhex(case["answer"]), least=1024)
        read_acknowledgement(await session.receive())
        if channel.rest and read_request(request)["purpose"] == "take":
            read_report(await session.receive())
    await session.wait_for_end()


def check_refusal(case: dict) -> None:
    channel, found = RecordedChannel(case), None
    try:
        asyncio.run(read_session(case, channel))
    except ProtocolError as error:
        found = error.kind
    assert found == case.get("error"), found
    assert not channel.rest


def check_stream(case: dict) -> None:
    conversation = session_of(case)
    for sent in case["messages"] + case["pieces"]:
        assert frame(conversation.send(sent["by"], bytes.fromhex(sent["plaintext"]))).hex() == sent["frame"]
    readers = {side: PieceReader() for side in SIDES}
    windows = {side: Window() for side in SIDES}
    over_network = case.get("network")
    pieces = case["pieces"]
    if over_network:
        check_connection(case, conversation)
        read_pieces(readers, windows, pieces)
        for reader in readers.values():
            reader.move()
        pieces = over_network["pieces"]
    read_pieces(readers, windows, pieces[:-1])
    found = None
    try:
        read_pieces(readers, windows, pieces[-1:])
    except ProtocolError as error:
        found = error.kind
    assert found == case.get("error"), found


def read_pieces(readers: dict[str, PieceReader], windows: dict[str, Window], pieces: list[dict]) -> None:
    for sent in pieces:
        by = sent["by"]
        kind, _ = readers[by].take(bytes.fromhex(sent["plaintext"]))
        if kind == TAKEN:
            windows[next(side for side in SIDES if side != by)].remove()
        elif kind == DATA and not readers[by].is_on_network:
            windows[by].add()


def is_refused(act) -> bool:
    try:
        act()
    except ProtocolError:
        return True
    return False


def check_connection(case: dict, conversation: Conversation) -> None:
    """Makes the connection to which a stream moves, from both offers."""
    given = case["network"]
    handshake_hash = conversation.transports["caller"].handshake_hash
    assert handshake_hash.hex() == case["handshakeHash"]
    offers = {}
    for sent in reversed(case["pieces"]):
        plaintext = bytes.fromhex(sent["plaintext"])
        if plaintext[0] == OFFER:
            offers[sent["by"]] = Offer(plaintext[3 : 3 + OFFER_LENGTH])
    aes = offers["caller"].has_aes and offers["listener"].has_aes
    secret = NetworkSecret(offers["caller"].secret, offers["listener"].secret, handshake_hash, aes)
    role = CALLER if given["opener"] == "caller" else LISTENER
    nonces = unhex(given, "openerNonce", "answererNonce")
    opening = Opening(secret, role, nonces[0])
    assert opening.bytes.hex() == given["opening"]
    acceptance = Acceptance(secret, role, opening.bytes, nonces[1])
    assert acceptance.answer.hex() == given["answer"]
    opened, confirmation = opening.finish(acceptance.answer)
    assert confirmation.hex() == given["confirmation"]
    acceptance.finish(confirmation)
    assert opened.identifier.hex() == given["connection"]
    for refused in given["refusedOpenings"]:
        assert is_refused(lambda: Acceptance(secret, role, bytes.fromhex(refused), nonces[1]))
    assert is_refused(lambda: Opening(secret, role, nonces[0]).finish(bytes.fromhex(given["refusedAnswer"])))
    again = Acceptance(secret, role, opening.bytes, nonces[1])
    assert is_refused(lambda: again.finish(bytes.fromhex(given["refusedConfirmation"])))
    for sent in given["pieces"]:
        cipher = opened.forth if sent["by"] == given["opener"] else acceptance.keys.back
        assert frame(cipher.encrypt(bytes.fromhex(sent["plaintext"]))).hex() == sent["frame"]


def read_gatt(value: bytes) -> dict | None:
    try:
        read = gatt.GATTFrame.decode(value)
    except ProtocolError:
        return None
    assert read.encode() == value
    return {
        "bytes": value.hex(), "channel": read.channel, "number": read.number, "isOpening": read.is_opening,
        "isEnd": read.is_end, "hasMore": read.has_more, "window": read.window, "data": read.data.hex(),
    }


def check_gatt(case: dict) -> None:
    rules, last = gatt.ListenerRules(0x93), {}
    for exchange in case["exchanges"]:
        values = [bytes.fromhex(exchange[part]["bytes"]) for part in ("frame", "answer")]
        assert [read_gatt(value) for value in values] == [exchange["frame"], exchange["answer"]]
        frame, answer = map(gatt.GATTFrame.decode, values)
        is_last = exchange is case["exchanges"][-1]
        if "conclusion" in case:
            assert gatt.concluded(frame, answer) == (case["conclusion"] if is_last else None), exchange["what"]
            continue
        assert (answer.channel, answer.number) == (frame.channel, frame.number)
        assert rules.refuses(frame) == answer.is_opening, exchange["what"]
        rules.answered(answer)
        # A frame that was written again is answered as before.
        assert last.setdefault(values[0], values[1]) == values[1] or answer.is_opening, exchange["what"]
    assert [read_gatt(bytes.fromhex(value)) for value in case["invalid"]] == [None] * len(case["invalid"])


NAMES_IN_VECTORS = {
    "type": "type", "title": "title", "webpage_url": "webpageURL", "user_info": "userInfo", "team_id": "teamID",
    "expiration": "expiration", "target_content_identifier": "targetContentIdentifier",
    "persistent_identifier": "persistentIdentifier", "supports_continuation_streams": "supportsContinuationStreams",
    "required_user_info_keys": "requiredUserInfoKeys",
}
CIRCLE_IN_VECTORS = {
    "statements": "statements", "digest": "digest", "advertising_key": "advertisingKey", "directed_key": "directedKey",
    "known_key": "knownKey",
}


def in_vectors(activity: Activity) -> dict:
    parts = {name: getattr(activity, own) for own, name in NAMES_IN_VECTORS.items()}
    parts["streamName"] = str(activity.stream_name) if activity.stream_name else None
    return {name: part for name, part in parts.items() if part is not None}


def with_sorted_sets(part):
    """The same with the elements of each set, which the vectors list in any order, sorted."""
    if isinstance(part, dict):
        part = {name: with_sorted_sets(inner) for name, inner in part.items()}
        return {"set": sorted(part["set"], key=json.dumps)} if list(part) == ["set"] else part
    return [with_sorted_sets(inner) for inner in part] if isinstance(part, list) else part


READERS = {
    "Request": read_request, "Answer": read_answer, "TakeReport": read_report, "Acknowledgement": read_acknowledgement,
}


def contents_of(read: dict) -> dict:
    """What was read in a message, as the vectors say it."""
    contents = {name: part for name, part in read.items() if name not in ("kind", "stream", "noted")}
    if "streamName" in contents:
        contents["streamName"] = str(contents["streamName"])
    if "activity" in contents:
        contents["activity"] = in_vectors(contents["activity"])
    if "circle" in contents:
        circle = {name: contents["circle"].get(own) for own, name in CIRCLE_IN_VECTORS.items()}
        contents["circle"] = {name: part for name, part in circle.items() if part is not None}
        contents["circle"]["statements"] = len(contents["circle"].get("statements", []))
    return in_hexadecimal(contents)


def written(message: str, read: dict) -> bytes:
    """What a writer writes who says what was read."""
    if message == "TakeReport":
        return report_message(read["take"], read["outcome"])
    if message == "Acknowledgement":
        return acknowledgement(read.get("circle"), read.get("advertisingKey", b""))
    kind = read["kind"]
    if message == "Request":
        return {
            "fetch": lambda: fetch_request(read["slot"], read["number"], read["purpose"], read.get("take", b"")),
            "circle": lambda: circle_request(read["circleDigest"]),
            "stream": lambda: stream_request(read["streamName"]),
            "settle": lambda: settle_request(read["pairing"], read["isConfirmed"]),
            "report": lambda: report_request(read["take"], read["outcome"]),
        }[kind]()
    content = {
        "activity": lambda: read["activity"].message(),
        "refusal": lambda: {
            "code": read["refusalCode"], "message": read["refusalMessage"],
            **({"current": current_in_message(read["current"])} if "current" in read else {}),
        },
        "settled": lambda: {"advertising_key": read["advertisingKey"]},
    }.get(kind, lambda: read[kind])()
    return answer(kind, content, read.get("circleDigest", b""))


def current_in_message(current: dict) -> dict:
    names = {"typeHash": "type_hash", "hasWebpage": "has_webpage", "hasDocument": "has_document"}
    return {names.get(name, name): part for name, part in current.items()}


def in_hexadecimal(part):
    """The same with all bytes in hexadecimal."""
    if isinstance(part, dict):
        return {name: in_hexadecimal(inner) for name, inner in part.items()}
    return part.hex() if isinstance(part, bytes) else part


def check_message(case: dict) -> None:
    found = {name: case[name] for name in ("what", "message", "bytes")}
    try:
        read = READERS[case["message"]](bytes.fromhex(case["bytes"]))
        again = written(case["message"], read).hex()
        found |= contents_of(read) | ({} if again == case["bytes"] else {"written": again})
    except Refused as refused:
        found["error"] = refused.kind
    assert with_sorted_sets(found) == with_sorted_sets(case)


def check_pairing(case: dict) -> None:
    tokens = unhex(case, "callerToken", "listenerToken")
    assert (bytes([port_bits(case["port"])]) + tokens[0]).hex() == case["callerAdvertisement"]
    ephemerals = unhex(case, "callerEphemeralPrivateKey", "listenerEphemeralPrivateKey")
    conversation = Conversation("NN", b"handoffd v2 pairing", [b"", b""], ephemerals)
    sent = [conversation.send("caller", pairing_opening(*tokens)), conversation.send("listener", b"")]
    assert [frame(body).hex() for body in sent] == case["handshake"]
    exchanges = {side: exchange_of(case, conversation, side) for side in SIDES}
    check_exchanges(case, exchanges)
    for turn in case["messages"]:
        body = conversation.send(turn["by"], bytes.fromhex(turn["message"]))
        assert frame(body).hex() == turn["frame"]


def exchange_of(case: dict, conversation: Conversation, side: str) -> Exchange:
    identity = Identity(*unhex(case, f"{side}AgreementPrivateKey", f"{side}SigningPrivateKey"))
    assert identity.public_keys.hex() == case[f"{side}PublicKeys"]
    (nonce,) = unhex(case, f"{side}Nonce")
    return Exchange(conversation.handshakes[side], identity, case[f"{side}Name"], lambda: nonce)


def check_exchanges(case: dict, exchanges: dict[str, Exchange]) -> None:
    """Lets both sides do what the vectors say, and compares each message with the one there."""
    caller, listener = exchanges["caller"], exchanges["listener"]
    assert caller.handshake_hash.hex() == case["handshakeHash"]
    assert caller.pairing_id.hex() == case["pairing"] and caller.settling_key.hex() == case["settlingKey"]
    for refused in case["refused"]:
        message = bytes.fromhex(refused["message"])
        introduction = SCHEMA.decode("PairingMessage", message)["introduction"]
        try:
            Introduction.check(introduction, listener)
            raise AssertionError(refused["what"])
        except ProtocolError:
            pass
    script = [
        ("listener", "introduce"), ("caller", "introduce"), ("caller", "choose"), ("caller", "withdraw_choice"),
        ("listener", None), ("caller", "choose"), ("listener", "choose"), ("caller", None), ("listener", None),
        ("caller", None),
    ]
    outgoing: dict[str, list[bytes]] = {side: [] for side in SIDES}
    for (side, action), turn in zip(script, case["messages"]):
        assert turn["by"] == side
        if action:
            outgoing[side] += getattr(exchanges[side], action)()
        message = outgoing[side].pop(0)
        assert message.hex() == turn["message"]
        other = SIDES[side == "caller"]
        outgoing[other] += exchanges[other].receive(message)
    assert not any(outgoing.values())
    assert caller.transcript.hex() == case["transcript"]
    assert {exchange.digits for exchange in exchanges.values()} == {case["digits"]}
    commitment = SCHEMA.decode("PairingMessage", bytes.fromhex(case["messages"][7]["message"]))["commitment"]
    assert commitment.hex() == case["commitment"]
    rest = [
        ("confirmation", {"advertising_key": b"\xca" * 44}), ("confirmation", {"advertising_key": b"\x15" * 44}),
        ("done", {}), ("done", {}), ("refusal", {"reason": 3}), ("refusal", {"reason": 0}), ("withdrawal", {}),
    ]
    assert [pairing_message(*part).hex() for part in rest] == [turn["message"] for turn in case["messages"][10:]]


async def read_pairing(case: dict, channel: RecordedChannel) -> PairingConversation:
    """Does what the reader of a vector does, until nothing more was sent."""
    side = case["reader"]
    own, other = case[side], case[SIDES[side == "caller"]]
    token, other_token = bytes.fromhex(own["token"]), bytes.fromhex(other["token"])
    deeds, frames = [part.get("does") for part in case["sent"]], Frames(channel)
    # The deed of a part is known by how many parts follow, of which the last are not in `sent`.
    following = len(channel.rest) - len(deeds)
    (ephemeral,) = unhex(own, "ephemeralPrivateKey")
    handshake = (caller_handshake if side == "caller" else listener_handshake)(ephemeral)
    if side == "caller":
        await frames.write(handshake.write(pairing_opening(token, other_token)))
        handshake.read(await frames.read(LONGEST_FRAME))
    else:
        assert read_opening(handshake.read(await frames.read(LONGEST_FRAME)), token) == other_token
        await frames.write(handshake.write(b""))
    (nonce,) = unhex(own, "nonce")
    identity = Identity(*unhex(own, "agreementPrivateKey", "signingPrivateKey"))
    exchange = Exchange(handshake, identity, own["name"], lambda: nonce)
    conversation = PairingConversation(frames, exchange, handshake.split(), other_token)
    if side == "listener":
        await conversation.send(exchange.introduce())
    if channel.rest:
        await conversation.receive()
        if side == "caller":
            await conversation.send(exchange.introduce())
    while channel.rest:
        if channel.rest[0][0] == side:
            await conversation.send(act(exchange, deeds[following - len(channel.rest)], own))
        else:
            await conversation.receive()
    return conversation


def act(exchange: Exchange, deed: str, own: dict) -> list[bytes]:
    """What a side sends after its user has done something."""
    return {
        "choose": exchange.choose, "withdraw": exchange.withdraw_choice,
        "confirm": lambda: exchange.confirm(bytes.fromhex(own["advertisingKey"])),
        "refuse": lambda: exchange.refuse("CANCELLED"),
    }[deed]()


def check_pairing_refusal(case: dict) -> None:
    going = RecordedChannel(case | {"sent": case["sent"] + [case["instead"]] + case["then"]})
    conversation = asyncio.run(read_pairing(case, going))
    assert (conversation.exchange.closing is not Closing.NOT_YET) == case["ends"]
    channel, is_refused = RecordedChannel(case | {"sent": case["sent"] + [case["refused"]]}), False
    try:
        asyncio.run(read_pairing(case, channel))
    except ProtocolError:
        is_refused = True
    assert is_refused and not channel.rest and not going.rest


def check_cipher(case: dict) -> None:
    (key,) = unhex(case, "key")
    sending, receiving = AESCipher(key, case["firstNumber"]), AESCipher(key, case["firstNumber"])
    for plaintext, message in zip(case["plaintexts"], case["messages"], strict=True):
        assert sending.encrypt(bytes.fromhex(plaintext)).hex() == message
        assert receiving.decrypt(bytes.fromhex(message)).hex() == plaintext


CHECKS = {
    "addresses": check_address, "cipher": check_cipher, "files": check_file, "moves": check_move, "padding": check_padding,
    "advertisement": check_advertisement, "card": check_card, "circle": check_circle, "daily": check_daily,
    "exchange": check_exchange, "gatt": check_gatt, "messages": check_message, "names": check_name, "news": check_news,
    "noise-kk": check_noise, "numbers": check_numbers, "pairing": check_pairing,
    "pairing-refusals": check_pairing_refusal, "reconciliation": check_reconciliation, "refusals": check_refusal,
    "session": check_session, "stream": check_stream, "withdrawal": check_withdrawal,
}


def main() -> None:
    directory = pathlib.Path(sys.argv[1])
    assert {file.stem for file in directory.glob("*.json")} == set(CHECKS), "another set of files"
    # The designers' vector: key 00…0f, input 00…0e (appendix A of the paper).
    assert siphash(bytes(range(16)), bytes(range(15))).hex() == "e545be4961ca29a1"
    count = 0
    for name, check in CHECKS.items():
        for number, case in enumerate(json.loads((directory / f"{name}.json").read_text())["cases"]):
            try:
                check(case)
            except Exception as error:
                error.add_note(f"{name}.json, case {number}: {case.get('what', '')}")
                raise
            count += 1
    print(count)


if __name__ == "__main__":
    main()
