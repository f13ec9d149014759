"""A second implementation of advertisements and their keys, cards, sessions and pairings, from Docs/Protocol.md.

Usage: check_vectors.py DIRECTORY. Checks the vectors in it and prints how many cases agree.
"""

import base64
import hashlib
import json
import pathlib
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from noise.connection import Keypair, NoiseConnection

MASK = 2**64 - 1


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


def read_card(text: str) -> dict:
    scheme, colon, body = text.strip().lower().partition(":")
    if not colon or not scheme.startswith("handoff") or not scheme[7:].isdigit():
        return {"error": "notACard"}
    if int(scheme[7:]) > 1:
        return {"error": "newerCard"}
    data = base64.b32decode(body.upper() + "=" * (-len(body) % 8))
    if hashlib.sha256(data[:-4]).digest()[:4] != data[-4:] or data[0] != 1:
        return {"error": "damagedCard"}
    return {
        "publicKey": data[1:33].hex(),
        "deviceID": hashlib.sha256(data[1:33]).digest()[:8].hex(),
        "advertisingKey": data[33:65].hex(),
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


def check_session(case: dict) -> None:
    peers = {"caller": side(case, "caller", "listener"), "listener": side(case, "listener", "caller")}
    size = case["fragmentBytes"] - 1
    for turn in case["turns"]:
        message = bytes.fromhex(turn["message"])
        pieces = [message[i : i + size] for i in range(0, len(message), size)] or [b""]
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


def field(number: int, content: bytes) -> bytes:
    """A field of bytes in Protocol Buffers, shorter than 128."""
    return bytes([number << 3 | 2, len(content)]) + content


def introduction(case: dict, role: str) -> bytes:
    name, key = case[role + "Name"].encode(), bytes.fromhex(case[role + "PublicKey"])
    return field(1, field(1, name) + field(2, key))


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
    introductions = [introduction(case, role) for role in ("caller", "listener")]
    first = bytes(peers["caller"].write_message(field(1, tokens[0]) + field(2, tokens[1])))
    peers["listener"].read_message(first)
    second = bytes(peers["listener"].write_message(introductions[1]))
    assert peers["caller"].read_message(second) == introductions[1]
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

    expected = [introductions[0], field(2, b""), field(2, b""), field(3, commitment), field(4, nonces[1]),
                field(5, nonces[0])]
    assert [turn["message"] for turn in case["messages"][:6]] == [message.hex() for message in expected]
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


# The designers' vector: key 00…0f, input 00…0e (appendix A of the paper).
assert siphash(bytes(range(16)), bytes(range(15))).hex() == "e545be4961ca29a1"

checks = {
    "advertisement": check_advertisement,
    "card": check_card,
    "daily": check_daily,
    "news": check_news,
    "pairing": check_pairing,
    "session": check_session,
}
if __name__ == "__main__":
    count = 0
    for name, check in checks.items():
        for case in json.loads((pathlib.Path(sys.argv[1]) / f"{name}.json").read_text())["cases"]:
            check(case)
            count += 1
    print(count)
