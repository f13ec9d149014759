"""A second implementation of advertisements, names, cards, circles, sessions, streams, pairings and GATT frames, from
Docs/Protocol.md and Docs/Circle.md.

Usage: check_vectors.py DIRECTORY. Checks the vectors in it and prints how many cases agree.
"""

import base64
import hashlib
import json
import pathlib
import sys
import unicodedata

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from noise.connection import Keypair, NoiseConnection

MASK = 2**64 - 1
MASK_255 = 2**255 - 1


def siphash(key: bytes, data: bytes) -> bytes:
    """SipHash-2-4 of any input."""
    k0, k1 = (int.from_bytes(key[i : i + 8], "little") for i in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rotate(x: int, n: int) -> int:
        return (x << n | x >> (64 - n)) & MASK

    def rounds(count: int) -> None:
        for _ in range(count):
            v[0] = (v[0] + v[1]) & MASK
            v[2] = (v[2] + v[3]) & MASK
            v[1] = rotate(v[1], 13) ^ v[0]
            v[3] = rotate(v[3], 16) ^ v[2]
            v[0] = rotate(v[0], 32)
            v[2] = (v[2] + v[1]) & MASK
            v[0] = (v[0] + v[3]) & MASK
            v[1] = rotate(v[1], 17) ^ v[2]
            v[3] = rotate(v[3], 21) ^ v[0]
            v[2] = rotate(v[2], 32)

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) & 0xFF])
    for start in range(0, len(padded), 8):
        word = int.from_bytes(padded[start : start + 8], "little")
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xFF
    rounds(4)
    return (v[0] ^ v[1] ^ v[2] ^ v[3]).to_bytes(8, "little")


def seal(key: bytes, slot: int, plaintext: bytes) -> bytes:
    info = b"handoffd v2 advertisement" + slot.to_bytes(8, "big")
    keys = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=info).derive(key)
    tag = siphash(keys[:16], b"\x02" + plaintext)[:4]
    pad = siphash(keys[16:], b"\x01" + tag)[:6]
    return tag + bytes(a ^ b for a, b in zip(plaintext, pad))


def check_advertisement(case: dict) -> None:
    type_hash = hashlib.sha256(case["activityType"].encode()).digest()[:4]
    plaintext = bytes([case["hasWebpage"] << 7 | (case["port"] - 0x80)]) + type_hash + bytes([case["activityTag"]])
    assert type_hash.hex() == case["typeHash"]
    assert plaintext.hex() == case["plaintext"]
    assert seal(bytes.fromhex(case["advertisingKey"]), case["slot"], plaintext).hex() == case["sealed"]


PRIME = 2**255 - 19
# The points of order 8: u of X25519, and y of Ed25519.
ORDER_EIGHT = {
    "agreement": (
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    ),
    "signing": (
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    ),
}


def refused_keys(keys: bytes) -> str | None:
    """Why the public keys of a device are refused; None when they are not."""
    for kind, number in (
        ("agreement", int.from_bytes(keys[:32], "little")),
        ("signing", int.from_bytes(keys[32:], "little") & MASK_255),
    ):
        if number >= PRIME:
            return "invalidKey"
        if number in (0, 1, PRIME - 1) or number.to_bytes(32, "little").hex() in ORDER_EIGHT[kind]:
            return "weakKey"
    return None


def device_id(keys: bytes) -> bytes:
    return hashlib.sha256(b"handoffd v2 device" + keys).digest()[:8]


def check_withdrawal(case: dict) -> None:
    plaintext = bytes([case["port"] - 0x80]) + bytes(5)
    assert plaintext.hex() == case["plaintext"]
    assert seal(bytes.fromhex(case["advertisingKey"]), case["slot"], plaintext).hex() == case["sealed"]


def code_points(text: str) -> set[int]:
    """The code points of a list of ranges such as `0-8 AD`."""
    ranges = [word.partition("-") for word in text.split()]
    return {point for first, _, last in ranges for point in range(int(first, 16), int(last or first, 16) + 1)}


WHITE_SPACE = code_points("9-D 20 85 A0 1680 2000-200A 2028 2029 202F 205F 2800 3000")
REMOVED = code_points(
    "0-8 E-1F 7F-84 86-9F AD 34F 600-605 61C 6DD 70F 890 891 8E2 115F 1160 17B4 17B5 180E 200B 200E 200F 202A-202E"
    " 2060-206F 3164 FEFF FFA0 FFF0-FFFB 110BD 110CD 13430-1343F 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF E000-F8FF"
    " F0000-10FFFF FDD0-FDEF"
) | {plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)}


def clean(name: str) -> str:
    kept, before, marks = "", "", 0
    for char in name:
        if ord(char) in WHITE_SPACE:
            before = " " if kept else ""
        elif char in "\u200c\u200d":
            if before != " " and kept and kept[-1] >= "\u0590":
                before = char
        elif ord(char) not in REMOVED:
            is_mark = unicodedata.category(char)[0] == "M"
            marks = marks + 1 if is_mark and before != " " else int(is_mark)
            if is_mark and (not kept or marks > 8):
                marks = min(marks, 8)
                continue
            if before not in ("", " ") and char < "\u0590":
                before = ""
            if len((kept + before + char).encode()) > 64:
                break
            kept, before = kept + before + char, ""
    return kept


def check_name(case: dict) -> None:
    assert clean(bytes.fromhex(case["stated"]).decode()).encode().hex() == case["shown"]


def read_card(text: str) -> dict:
    scheme, colon, body = text.strip().lower().partition(":")
    if not colon or not scheme.startswith("handoff") or not scheme[7:].isdigit():
        return {"error": "notACard"}
    if int(scheme[7:]) != 2:
        return {"error": "newerCard" if int(scheme[7:]) > 2 else "olderCard"}
    data = base64.b32decode(body.upper() + "=" * (-len(body) % 8))
    # The decoder ignores left-over bits, which have to be zero.
    is_exact = base64.b32encode(data).decode().lower().rstrip("=") == body
    if not is_exact or hashlib.sha256(data[:-4]).digest()[:4] != data[-4:] or data[0] != 2:
        return {"error": "damagedCard"}
    if error := refused_keys(data[1:65]):
        return {"error": error}
    return {
        "publicKeys": data[1:65].hex(),
        "deviceID": device_id(data[1:65]).hex(),
        "name": data[65:-4].decode(),
    }


def check_card(case: dict) -> None:
    assert read_card(case["text"]) | {"text": case["text"]} == case


def side(case: dict, role: str, other: str) -> NoiseConnection:
    peer = NoiseConnection.from_name(b"Noise_KK_25519_ChaChaPoly_SHA256")
    peer.set_as_initiator() if role == "caller" else peer.set_as_responder()
    greeting = bytes.fromhex(case["greeting"])
    assert greeting[:2] == b"\x00\x10" and len(greeting) == 18
    prologue = b"handoffd v2 session" + greeting[2:]
    assert prologue.hex() == case["prologue"]
    peer.set_prologue(prologue)
    peer.set_keypair_from_private_bytes(Keypair.STATIC, bytes.fromhex(case[role + "PrivateKey"]))
    peer.set_keypair_from_private_bytes(Keypair.EPHEMERAL, bytes.fromhex(case[role + "EphemeralPrivateKey"]))
    remote = X25519PrivateKey.from_private_bytes(bytes.fromhex(case[other + "PrivateKey"])).public_key()
    assert remote.public_bytes_raw().hex() == case[other + "PublicKey"]
    peer.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, remote.public_bytes_raw())
    peer.start_handshake()
    return peer


def padded(message: bytes, minimum: int) -> bytes:
    """A message as it is cut into fragments: its length, itself, and zeros up to one of a few sizes."""
    content = len(message).to_bytes(4, "big") + message
    size = min(size for size in (64, 1024, 2048, 4096, 16384, 65600, 262144, 1048576, 2097152) if size >= max(len(content), minimum))
    return content + bytes(size - len(content))


def check_session(case: dict, minimums: tuple[int, ...] = (64, 1024, 64, 64, 64)) -> None:
    peers = {"caller": side(case, "caller", "listener"), "listener": side(case, "listener", "caller")}
    size = case["fragmentBytes"] - 1
    for turn, minimum in zip(case["turns"], minimums):
        message = padded(bytes.fromhex(turn["message"]), minimum)
        assert len(message) == turn["paddedBytes"]
        # A request takes one fragment, whatever the size of the others.
        step = size if turn is not case["turns"][0] else len(message)
        pieces = [message[i : i + step] for i in range(0, len(message), step)]
        fragments = [bytes([i < len(pieces) - 1]) + piece for i, piece in enumerate(pieces)]
        assert [fragment.hex() for fragment in fragments] == turn["fragments"]
        writer = peers[turn["by"]]
        reader = peers["listener" if turn["by"] == "caller" else "caller"]
        for fragment, frame in zip(fragments, turn["frames"], strict=True):
            if writer.handshake_finished:
                body = writer.encrypt(fragment)
                assert reader.decrypt(body) == fragment
            else:
                body = bytes(writer.write_message(fragment))
                assert reader.read_message(body) == fragment
            assert (len(body).to_bytes(2, "big") + body).hex() == frame
    assert peers["caller"].get_handshake_hash().hex() == case["handshakeHash"]


def accepts(pieces: list[tuple[str, bytes]]) -> bool:
    """Whether the receivers accept all pieces of a stream."""
    stage = {"caller": 0, "listener": 0}
    for by, piece in pieces:
        kind, count = (piece[0], int.from_bytes(piece[1:3], "big")) if len(piece) > 2 else (None, 0)
        if len(piece) != -(-(3 + count) // 64) * 64 or any(piece[3 + count :]):
            return False
        if kind == 0 and 1 <= count <= 8192 and stage[by] == 0:
            continue
        if kind not in (1, 2) or count or stage[by] != kind - 1:
            return False
        stage[by] = kind
    return True


def check_stream(case: dict) -> None:
    keys = {r: X25519PrivateKey.from_private_bytes(bytes.fromhex(case[r + "PrivateKey"])) for r in ("caller", "listener")}
    public = {role + "PublicKey": key.public_key().public_bytes_raw().hex() for role, key in keys.items()}
    prologue = (b"handoffd v2 session" + bytes.fromhex(case["greeting"])[2:]).hex()
    whole = case | public | {"prologue": prologue}
    peers = {"caller": side(whole, "caller", "listener"), "listener": side(whole, "listener", "caller")}
    for sent in case["messages"] + case["pieces"]:
        plaintext = bytes.fromhex(sent["plaintext"])
        writer, reader = peers[sent["by"]], peers["listener" if sent["by"] == "caller" else "caller"]
        if writer.handshake_finished:
            body = writer.encrypt(plaintext)
            assert reader.decrypt(body) == plaintext
        else:
            body = bytes(writer.write_message(plaintext))
            assert reader.read_message(body) == plaintext
        assert (len(body).to_bytes(2, "big") + body).hex() == sent["frame"]
    pieces = [(sent["by"], bytes.fromhex(sent["plaintext"])) for sent in case["pieces"]]
    assert accepts(pieces[:-1]) and accepts(pieces) != case["fails"]


def gatt_frame(value: bytes) -> dict | None:
    if not 8 <= len(value) <= 508 or value[5] & ~7:
        return None
    return {
        "bytes": value.hex(), "channel": int.from_bytes(value[:4], "big"), "number": value[4],
        "isOpening": bool(value[5] & 1), "isEnd": bool(value[5] & 2), "hasMore": bool(value[5] & 4),
        "window": int.from_bytes(value[6:8], "big"), "data": value[8:].hex(),
    }


def check_gatt(case: dict) -> None:
    for exchange in case["exchanges"]:
        for frame in (exchange["frame"], exchange["answer"]):
            assert gatt_frame(bytes.fromhex(frame["bytes"])) == frame
        assert exchange["frame"]["bytes"][:10] == exchange["answer"]["bytes"][:10]
    assert [gatt_frame(bytes.fromhex(value)) for value in case["invalid"]] == [None] * len(case["invalid"])


def field(number: int, content: bytes) -> bytes:
    """A field of bytes in Protocol Buffers, shorter than 16384."""
    length = len(content)
    return bytes([number << 3 | 2]) + (bytes([length]) if length < 128 else bytes([length & 127 | 128, length >> 7])) + content


PROOF = b"handoffd v2 pairing proof"


def pairing_statement(handshake_hash: bytes, role: str, keys: bytes) -> bytes:
    return handshake_hash + bytes([1 if role == "caller" else 2]) + keys


def pairing_mac(secret: bytes, handshake_hash: bytes, statement: bytes) -> bytes:
    mac = hmac.HMAC(derive(handshake_hash, secret, PROOF, 32), hashes.SHA256())
    mac.update(statement)
    return mac.finalize()


def introduction(case: dict, role: str, other: str) -> bytes:
    handshake_hash = bytes.fromhex(case["handshakeHash"])
    agreement = X25519PrivateKey.from_private_bytes(bytes.fromhex(case[role + "AgreementPrivateKey"]))
    signing = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(case[role + "SigningPrivateKey"]))
    keys = agreement.public_key().public_bytes_raw() + signing.public_key().public_bytes_raw()
    assert keys.hex() == case[role + "PublicKeys"]
    ephemeral = X25519PrivateKey.from_private_bytes(bytes.fromhex(case[other + "EphemeralPrivateKey"])).public_key()
    statement = pairing_statement(handshake_hash, role, keys)
    signature = signing.sign(PROOF + statement)
    mac = pairing_mac(agreement.exchange(ephemeral), handshake_hash, statement)
    return field(1, field(1, case[role + "Name"].encode()) + field(2, keys) + field(3, signature) + field(4, mac))


def fields_of_bytes(message: bytes) -> dict:
    """The fields of bytes, shorter than 16384, of a message in Protocol Buffers."""
    result = {}
    while message:
        number, length, message = message[0] >> 3, message[1], message[2:]
        if length > 127:
            length, message = length & 127 | message[0] << 7, message[1:]
        result[number], message = message[:length], message[length:]
    return result


def is_proved(case: dict, message: bytes) -> bool:
    """Whether the listener accepts an introduction of the caller."""
    parts = fields_of_bytes(fields_of_bytes(message)[1])
    handshake_hash, keys = bytes.fromhex(case["handshakeHash"]), parts[2]
    assert refused_keys(keys) is None
    ephemeral = X25519PrivateKey.from_private_bytes(bytes.fromhex(case["listenerEphemeralPrivateKey"]))
    statement = pairing_statement(handshake_hash, "caller", keys)
    secret = ephemeral.exchange(X25519PublicKey.from_public_bytes(keys[:32]))
    try:
        Ed25519PublicKey.from_public_bytes(keys[32:]).verify(parts.get(3, b""), PROOF + statement)
    except InvalidSignature:
        return False
    return parts.get(4) == pairing_mac(secret, handshake_hash, statement)


def fields(message: bytes):
    """The fields of a Protocol Buffers message: their numbers and values."""

    def varint() -> int:
        nonlocal message
        value = shift = 0
        while True:
            byte, message = message[0], message[1:]
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value

    while message:
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        elif key & 7 == 2:
            length = varint()
            if length > len(message):
                raise IndexError("a length beyond the end")
            yield key >> 3, message[:length]
            message = message[length:]
        else:
            raise ValueError("no message has fields of another kind here")


class Refused(Exception):
    """A message that must be refused; the argument is the kind of its fault."""


def sized(content: bytes, count: int) -> str:
    if len(content) != count:
        raise Refused("invalidContent")
    return content.hex()


def read_report(message: bytes) -> dict:
    parts = dict(fields(message))
    contents = {"take": sized(parts.get(1, b""), 8)}
    if 2 in parts:
        kinds = {1: "app", 2: "browser", 3: "document"}
        return contents | {"outcome": "continued " + kinds.get(dict(fields(parts[2])).get(1), "app")}
    if 3 in parts:
        reasons = {1: "notContinuable", 2: "appFailed", 3: "cancelled", 4: "documentMissing"}
        return contents | {"outcome": "failed " + reasons.get(dict(fields(parts[3])).get(1), "failed")}
    raise Refused("unknownKind")


def read_fetch(message: bytes) -> dict:
    parts = dict(fields(message))
    contents = {"typeHash": sized(parts.get(1, b""), 4), "activityTag": int(sized(parts.get(2, b""), 1), 16)}
    if 3 in parts:
        return contents | {"purpose": "freshPreview" if dict(fields(parts[3])).get(1) else "preview"}
    if 4 in parts:
        return contents | {"purpose": "take", "take": sized(dict(fields(parts[4])).get(1, b""), 8)}
    raise Refused("unknownKind")


def read_message(case: dict) -> dict | None:
    """What a fetch or the report of a take says; nil for other messages."""
    message = bytes.fromhex(case["bytes"])
    try:
        if case["message"] == "TakeReport":
            return read_report(message)
        if case["message"] != "Request":
            return None
        parts = dict(fields(message))
        return read_fetch(parts[1]) if 1 in parts else read_report(parts[5]) if 5 in parts else None
    except Refused as refused:
        return {"error": refused.args[0]}
    except IndexError:
        return {"error": "malformed"}


def check_message(case: dict) -> bool:
    contents = read_message(case)
    if contents is None:
        return False
    assert contents | {name: case[name] for name in ("what", "message", "bytes")} == case
    return True


def pairing_handshake(case: dict, role: str) -> NoiseConnection:
    peer = NoiseConnection.from_name(b"Noise_NN_25519_ChaChaPoly_SHA256")
    peer.set_as_initiator() if role == "caller" else peer.set_as_responder()
    peer.set_prologue(b"handoffd v2 pairing")
    peer.set_keypair_from_private_bytes(Keypair.EPHEMERAL, bytes.fromhex(case[role + "EphemeralPrivateKey"]))
    peer.start_handshake()
    return peer


def derive(salt: bytes | None, secret: bytes, info: bytes, length: int) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(secret)


def check_pairing(case: dict) -> None:
    tokens = [bytes.fromhex(case[role + "Token"]) for role in ("caller", "listener")]
    assert (bytes([case["port"] - 0x80]) + tokens[0]).hex() == case["callerAdvertisement"]
    peers = {role: pairing_handshake(case, role) for role in ("caller", "listener")}
    introductions = [introduction(case, *roles) for roles in (("caller", "listener"), ("listener", "caller"))]
    assert is_proved(case, introductions[0])
    assert not any(is_proved(case, bytes.fromhex(refused["message"])) for refused in case["refused"])
    first = bytes(peers["caller"].write_message(field(1, tokens[0]) + field(2, tokens[1])))
    peers["listener"].read_message(first)
    second = bytes(peers["listener"].write_message(b""))
    assert peers["caller"].read_message(second) == b""
    assert [(len(m).to_bytes(2, "big") + m).hex() for m in (first, second)] == case["handshake"]
    handshake_hash = peers["caller"].get_handshake_hash()
    assert handshake_hash.hex() == case["handshakeHash"] and case["pairing"] == case["handshakeHash"][:16]

    keys = [X25519PrivateKey.from_private_bytes(bytes.fromhex(case[r + "EphemeralPrivateKey"])) for r in peers]
    chaining = derive(b"Noise_NN_25519_ChaChaPoly_SHA256", keys[0].exchange(keys[1].public_key()), b"", 64)[:32]
    assert derive(handshake_hash, chaining, b"handoffd v2 pairing settling", 32).hex() == case["settlingKey"]

    parts = [hashlib.sha256(part).digest() for part in introductions]
    transcript = hashlib.sha256(b"handoffd v2 pairing transcript" + handshake_hash + parts[0] + parts[1]).digest()
    assert transcript.hex() == case["transcript"]
    nonces = [bytes.fromhex(case[role + "Nonce"]) for role in ("caller", "listener")]
    commitment = hashlib.sha256(b"handoffd v2 pairing commitment" + transcript + nonces[0]).digest()
    assert commitment.hex() == case["commitment"]
    digest = hashlib.sha256(b"handoffd v2 pairing digits" + transcript + nonces[0] + nonces[1]).digest()
    assert f"{int.from_bytes(digest[:8], 'big') % 10**6:06}" == case["digits"]

    choice, withdrawal, done = (field(number, b"") for number in (2, 8, 9))
    expected = [introductions[1], introductions[0], choice, withdrawal, done, choice, choice, field(3, commitment),
                field(4, nonces[1]), field(5, nonces[0])]
    assert [turn["message"] for turn in case["messages"][:10]] == [message.hex() for message in expected]
    for turn in case["messages"]:
        body = peers[turn["by"]].encrypt(bytes.fromhex(turn["message"]))
        assert (len(body).to_bytes(2, "big") + body).hex() == turn["frame"]


def check_news(case: dict) -> None:
    own = X25519PrivateKey.from_private_bytes(bytes.fromhex(case["privateKey"]))
    other = X25519PrivateKey.from_private_bytes(bytes.fromhex(case["otherPrivateKey"]))
    secret = own.exchange(other.public_key())
    names = [key.public_key().public_bytes_raw() for key in (own, other)]
    day = case["day"].to_bytes(4, "big")
    for name, (sender, receiver) in [("SendingKey", names), ("ReceivingKey", names[::-1])]:
        static = derive(None, secret, b"handoffd v2 news" + sender + receiver + day, 32)
        shared = derive(None, bytes.fromhex(case["secret"]), b"handoffd v2 directed" + sender + receiver, 32)
        assert static.hex() == case[name[0].lower() + name[1:]]
        assert shared.hex() == case["secret" + name]


def check_daily(case: dict) -> None:
    key = bytes.fromhex(case["advertisingKey"])
    for _ in range(case["day"], case["laterDay"]):
        key = derive(None, key, b"handoffd v2 next day", 32)
    assert key.hex() == case["laterAdvertisingKey"]
    assert case["slot"] // 96 == case["laterDay"]
    assert seal(key, case["slot"], bytes.fromhex(case["plaintext"])).hex() == case["sealed"]


class Circle:
    """What a device knows and concludes (Docs/Circle.md), without the limits, which no vector reaches."""

    def __init__(self, root: bytes):
        self.root, self.root_id = root, device_id(root)
        self.places: dict[tuple[int, bytes, bytes], bytes] = {}
        self.known: dict[bytes, bytes] = {self.root_id: root}

    def join(self, statements: list[bytes]) -> None:
        while any([self.take(statement) for statement in statements]):
            pass

    def take(self, statement: bytes) -> bool:
        """Takes a statement in; whether anything has changed."""
        content, signature = statement[:-64], statement[-64:]
        place = self.place(content)
        if place is None or place[1] not in self.known or (place[0] != 1 and place[2] not in self.known):
            return False
        present = self.places.get(place)
        if present is not None and not self.outranks(content, present[:-64]):
            return False
        try:
            key = Ed25519PublicKey.from_public_bytes(self.known[place[1]][32:])
            key.verify(signature, b"handoffd v2 statement" + content)
        except InvalidSignature:
            return False
        self.places[place] = statement
        if place[0] == 1:
            self.known[place[2]] = content[9:73]
        return True

    @staticmethod
    def place(content: bytes) -> tuple[int, bytes, bytes] | None:
        kind, author, rest = content[:1], content[1:9], content[9:]
        if kind == b"\x01" and len(rest) > 65 and len(rest) == 65 + rest[64] and not refused_keys(rest[:64]):
            return 1, author, device_id(rest[:64])
        if kind == b"\x02" and len(rest) == 8:
            return 2, author, rest
        if kind == b"\x03" and len(rest) > 13 and len(rest) == 13 + rest[12]:
            return 3, author, rest[:8]
        return None

    @staticmethod
    def outranks(content: bytes, present: bytes) -> bool:
        if content[0] == 3:
            return (content[17:21], content) > (present[17:21], present)
        return content < present

    def conclude(self) -> list[dict]:
        adders: dict[bytes, set[bytes]] = {}
        removers: dict[bytes, set[bytes]] = {}
        for kind, author, subject in self.places:
            if subject != self.root_id and kind in (1, 2):
                {1: adders, 2: removers}[kind].setdefault(subject, set()).add(author)
        trusted, grown = {self.root_id}, True
        while grown:
            new = {s for s, authors in adders.items() if authors & trusted and s not in removers} - trusted
            trusted, grown = trusted | new, bool(new)
        known = []
        for subject in sorted(set(self.known) - {self.root_id}):
            by = removers.get(subject, set())
            if subject in trusted:
                standing = "trusted"
            elif by & trusted:
                standing = "removed by " + " ".join(sorted(author.hex() for author in by & trusted))
            elif by:
                standing = "disputed by " + " ".join(sorted(author.hex() for author in by))
            else:
                standing = "orphaned, brought by " + " ".join(sorted(author.hex() for author in adders[subject]))
            known.append({"id": subject.hex(), "name": self.name(subject, adders, trusted), "standing": standing})
        return known

    def name(self, subject: bytes, adders: dict[bytes, set[bytes]], trusted: set[bytes]) -> str:
        names = [
            (content[17:21], author, content[22:-64])
            for (kind, author, named), content in self.places.items()
            if kind == 3 and named == subject and (author in trusted or author == subject)
        ]
        if names:
            return max(names)[2].decode()
        author = min(adders[subject] & trusted or adders[subject])
        return self.places[1, author, subject][74:-64].decode()


def check_circle(case: dict) -> None:
    circle = Circle(bytes.fromhex(case["root"]))
    circle.join([bytes.fromhex(statement) for statement in case["before"]])
    circle.join([bytes.fromhex(statement) for statement in case["received"]])
    statements = sorted(circle.places.values(), key=lambda statement: statement[:-64])
    assert [statement.hex() for statement in statements] == case["after"]
    contents = b"".join(statement[:-64] for statement in statements)
    assert hashlib.sha256(contents).digest()[:8].hex() == case["digest"]
    assert circle.conclude() == case["known"]


def circle_state(message: bytes) -> dict | None:
    """What a CircleState says; nothing when it is invalid."""
    parts: dict[int, list[bytes]] = {}
    for number, value in fields(message):
        parts.setdefault(number, []).append(value)
    values = {number: parts.get(number, [b""])[-1] for number in (2, 3, 4, 5)}
    if [len(values[number]) for number in (2, 3, 4)] != [8, 44, 32] or len(values[5]) not in (0, 8):
        return None
    return {"statements": parts.get(1), "digest": values[2], "key": values[3], "directed": values[4], "known": values[5]}


class ExchangeSide:
    """A device in an exchange of circles (Docs/Circle.md, "Joining and exchanging" and "Keys")."""

    def __init__(self, public_keys: str, other: str, state: dict, new_key: str):
        self.circle = Circle(bytes.fromhex(public_keys))
        self.circle.join([bytes.fromhex(statement) for statement in state["statements"]])
        self.other = device_id(bytes.fromhex(other))
        self.new_key = new_key
        self.state = dict(state)

    def statements(self) -> list[bytes]:
        return sorted(self.circle.places.values(), key=lambda statement: statement[:-64])

    def digest(self) -> bytes:
        return hashlib.sha256(b"".join(statement[:-64] for statement in self.statements())).digest()[:8]

    def trusted(self) -> set[str]:
        return {device["id"] for device in self.circle.conclude() if device["standing"] == "trusted"}

    def trusts_other(self) -> bool:
        return self.other.hex() in self.trusted()

    def message(self, known_digest: bytes) -> bytes:
        content = b""
        if known_digest != self.digest():
            content = b"".join(field(1, statement) for statement in self.statements())
        key = self.state.get("otherAdvertisingKey")
        content += field(2, self.digest()) + field(3, bytes.fromhex(self.state["advertisingKey"]))
        content += field(4, bytes.fromhex(self.state["directedKey"])[:32])
        return content + (field(5, bytes.fromhex(key)[36:]) if key else b"")

    def receive(self, heard: dict) -> None:
        before = self.trusted()
        self.circle.join(heard["statements"] or [])
        if before != self.trusted():
            self.renew_key()
        self.state |= {
            "otherAdvertisingKey": heard["key"].hex(),
            "otherDirectedKey": (heard["directed"] + heard["key"][32:36]).hex(),
        }
        self.state.pop("knownKey", None)
        if heard["known"]:
            self.state["knownKey"] = heard["known"].hex()
            if heard["known"].hex() not in self.state["keyHistory"]:
                self.renew_key()

    def renew_key(self) -> None:
        self.state["advertisingKey"] = self.new_key
        self.state["keyHistory"] = self.state["keyHistory"] + [self.new_key[72:]]

    def complete(self, sent: bytes, theirs: bytes) -> None:
        if self.digest() in (sent, theirs):
            self.state["toldDigest"] = self.digest().hex()

    def after(self) -> dict:
        state = self.state | {
            "statements": [statement.hex() for statement in self.statements()],
            "digest": self.digest().hex(),
            "trustsOther": self.trusts_other(),
        }
        if not state["trustsOther"]:
            for name in ("otherAdvertisingKey", "otherDirectedKey", "knownKey", "toldDigest"):
                state.pop(name, None)
        return state


def run_exchange(caller: ExchangeSide, listener: ExchangeSide, messages: list[bytes]) -> str:
    """Takes in what was sent, and checks all of it but the listener's answer, which may be a lie."""
    asked = caller.digest()
    assert messages[0] == field(2, field(1, asked))
    answer = dict(fields(messages[1]))[4]
    heard = circle_state(answer)
    if heard is None:
        return "the caller closes: the answer is invalid"
    caller.receive(heard)
    if not caller.trusts_other():
        return "the caller closes: it does not trust the listener any more"
    told = caller.message(heard["digest"])
    assert messages[2] == field(1, told)
    listener_sent = listener.digest()
    listener.receive(circle_state(told))
    if not listener.trusts_other():
        return "the listener closes: it does not trust the caller any more"
    last = listener.message(caller.digest())
    assert messages[3] == field(1, last)
    listener.complete(listener_sent, caller.digest())
    sent = caller.digest()
    caller.receive(circle_state(last))
    caller.complete(sent, listener.digest())
    return "completed"


def check_exchange(case: dict) -> None:
    check_session(case["session"], (64, 1024, 1024, 1024))
    keys = case["callerPublicKeys"], case["listenerPublicKeys"]
    assert keys[0][:64] == case["session"]["callerPublicKey"] and keys[1][:64] == case["session"]["listenerPublicKey"]
    caller = ExchangeSide(*keys, case["callerBefore"], case["callerNewKey"])
    listener = ExchangeSide(*keys[::-1], case["listenerBefore"], case["listenerNewKey"])
    assert (caller.after(), listener.after()) == (case["callerBefore"], case["listenerBefore"])
    messages = [bytes.fromhex(turn["message"]) for turn in case["session"]["turns"]]
    assert run_exchange(caller, listener, messages) == case["end"]
    assert (caller.after(), listener.after()) == (case["callerAfter"], case["listenerAfter"])


def check_reconciliation(case: dict) -> None:
    check_session(case["session"])
    caller, listener = case["callerBefore"], case["listenerBefore"]
    messages = [bytes.fromhex(turn["message"]) for turn in case["session"]["turns"]]
    confirmed = caller["status"] != "notPaired"
    key = b"\x10\x01" + field(3, bytes.fromhex(case["callerAdvertisingKey"])) if confirmed else b""
    assert messages[0] == field(4, field(1, bytes.fromhex(case["pairing"])) + key)
    done = {"isReconciled": True}
    if listener["status"] == "comparing":
        code, after = 3, (caller, listener)
    elif confirmed and (listener["trustsOther"] or listener["status"] == "unconfirmed"):
        paired = done | {"status": "paired", "trustsOther": True}
        code, after = None, (paired, listener if listener["status"] == "none" else paired)
    else:
        not_paired = done | {"status": "notPaired", "trustsOther": False}
        code, after = 8, (not_paired if confirmed else caller, not_paired)
    if code is None:
        assert messages[1] == field(6, field(1, bytes.fromhex(case["listenerAdvertisingKey"])))
    else:
        assert dict(fields(dict(fields(messages[1]))[2]))[1] == code
    assert messages[2] == b""
    assert after == (case["callerAfter"], case["listenerAfter"])


# The designers' vector: key 00…0f, input 00…0e (appendix A of the paper).
assert siphash(bytes(range(16)), bytes(range(15))).hex() == "e545be4961ca29a1"

checks = {
    "advertisement": check_advertisement,
    "card": check_card,
    "circle": check_circle,
    "daily": check_daily,
    "exchange": check_exchange,
    "messages": check_message,
    "gatt": check_gatt,
    "names": check_name,
    "news": check_news,
    "pairing": check_pairing,
    "reconciliation": check_reconciliation,
    "session": check_session,
    "stream": check_stream,
    "withdrawal": check_withdrawal,
}
if __name__ == "__main__":
    count = 0
    for name, check in checks.items():
        for case in json.loads((pathlib.Path(sys.argv[1]) / f"{name}.json").read_text())["cases"]:
            count += check(case) is not False
    print(count)
