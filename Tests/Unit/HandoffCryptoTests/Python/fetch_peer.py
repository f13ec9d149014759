"""A device in another language: hears an advertisement on the simulated air, and fetches the activity.

Usage: fetch_peer.py AIR CARD. Prints the card of a new device, fetches what the origin of CARD advertises, and prints it as
one line of JSON. What it says to the origin is written from Docs/Protocol.md alone; how a station of the
simulated air behaves, from what the radio does (Docs/Simulation.md says what that stands for).
"""

import base64
import fcntl
import hashlib
import json
import os
import pathlib
import secrets
import socket
import struct
import sys
import time

from check_vectors import fields, padded, read_card, siphash
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from noise.connection import Keypair, NoiseConnection

SERVICE = "a0f6373c-c0be-4098-84f0-85fe6ea66c55"


# The protocol.


def make_card(public_keys: bytes, name: str) -> str:
    content = b"\x02" + public_keys + name.encode()
    content += hashlib.sha256(content).digest()[:4]
    return "handoff2:" + base64.b32encode(content).decode().lower().rstrip("=")


def unseal(own: X25519PrivateKey, origin: bytes, sealed: bytes) -> bytes | None:
    """What an advertisement that is directed to this device says, if it is of the previous, the present or the next slot.

    The origin has told no key yet, so it uses the one that follows from the two agreement keys.
    """
    if len(sealed) != 10:
        return None
    now = int(time.time()) // 900
    secret = own.exchange(X25519PublicKey.from_public_bytes(origin))
    names = origin + own.public_key().public_bytes_raw()
    for slot in (now, now - 1, now + 1):
        info = b"handoffd v2 news" + names + (slot // 96).to_bytes(4, "big")
        key = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=info).derive(secret)
        info = b"handoffd v2 advertisement" + slot.to_bytes(8, "big")
        keys = HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=info).derive(key)
        pad = siphash(keys[16:], b"\x01" + sealed[:4])
        plaintext = bytes(a ^ b for a, b in zip(sealed[4:], pad))
        if siphash(keys[:16], b"\x02" + plaintext)[:4] == sealed[:4]:
            return plaintext
    return None


class Session:
    """The caller's side of a session over a channel."""

    def __init__(self, channel, private_key: bytes, peer: bytes):
        self.channel, self.buffer = channel, b""
        greeting = self.frame()
        assert len(greeting) == 16, "a greeting has 16 bytes"
        self.noise = NoiseConnection.from_name(b"Noise_KK_25519_ChaChaPoly_SHA256")
        self.noise.set_as_initiator()
        self.noise.set_prologue(b"handoffd v2 session" + greeting)
        self.noise.set_keypair_from_private_bytes(Keypair.STATIC, private_key)
        self.noise.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, peer)
        self.noise.start_handshake()

    def send(self, message: bytes) -> None:
        fragment = b"\x00" + padded(message, 64)
        finished = self.noise.handshake_finished
        body = self.noise.encrypt(fragment) if finished else bytes(self.noise.write_message(fragment))
        self.channel.send(len(body).to_bytes(2, "big") + body)

    def receive(self) -> bytes:
        message = b""
        while True:
            body = self.frame()
            finished = self.noise.handshake_finished
            fragment = self.noise.decrypt(body) if finished else bytes(self.noise.read_message(body))
            message += fragment[1:]
            if fragment[0] == 0:
                length = int.from_bytes(message[:4], "big")
                assert len(message) in (64, 1024, 2048, 4096, 16384, 65600), "a message has one of these sizes"
                assert not any(message[4 + length :]), "padding is zeros"
                return message[4 : 4 + length]

    def frame(self) -> bytes:
        while len(self.buffer) < 2 or len(self.buffer) < 2 + int.from_bytes(self.buffer[:2], "big"):
            self.buffer += self.channel.receive()
        length = int.from_bytes(self.buffer[:2], "big")
        body, self.buffer = self.buffer[2 : 2 + length], self.buffer[2 + length :]
        return body


def fetch(channel, private_key: bytes, peer: bytes, type_hash: bytes, tag: bytes) -> dict:
    session = Session(channel, private_key, peer)
    take = secrets.token_bytes(8)
    # Request { fetch { type_hash, activity_tag, take { id } } }
    fields_of_fetch = bytes([0x0A, 4]) + type_hash + bytes([0x12, 1]) + tag + bytes([0x22, 10, 0x0A, 8]) + take
    session.send(bytes([0x0A, len(fields_of_fetch)]) + fields_of_fetch)
    answer = dict(fields(session.receive()))
    session.send(b"")
    activity = dict(fields(answer[1]))
    # TakeReport { take, continued { kind = APP } }, which the origin acknowledges
    session.send(bytes([0x0A, 8]) + take + bytes([0x12, 2, 0x08, 1]))
    assert session.receive() == b""
    assert hashlib.sha256(activity[1]).digest()[:4] == type_hash
    return {"type": activity[1].decode(), "title": activity.get(2, b"").decode()}


# The simulated air.


def packed(*parts: bytes) -> bytes:
    return b"".join(bytes([len(part)]) + part for part in parts)


def unpacked(packet: bytes) -> list[bytes]:
    parts = []
    while packet:
        parts.append(packet[1 : 1 + packet[0]])
        packet = packet[1 + packet[0] :]
    return parts


class Channel:
    """A channel to a port of a station."""

    def __init__(self, air: "Air", sender: bytes, address: bytes, port: int):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(10)
        self.socket.connect(air.path(f"{sender.decode()}.{address.hex()}.door"))
        numbers = struct.pack("<Q", 672), struct.pack("<Q", port)
        self.socket.send(packed(air.station.encode(), air.name.encode(), secrets.token_bytes(6), *numbers))
        answer = unpacked(self.socket.recv(256))
        assert struct.unpack("<Q", answer[4])[0] == port, "nobody listens there"

    def send(self, message: bytes) -> None:
        self.socket.send(struct.pack("<Q", time.monotonic_ns()) + message)

    def receive(self) -> bytes:
        packet = self.socket.recv(65_543)
        if not packet:
            raise EOFError("the origin has closed the channel")
        return packet[8:]

    def wait_for_end(self) -> None:
        while self.socket.recv(65_543):
            pass


class Air:
    """A station that listens."""

    def __init__(self, directory: str):
        # Short enough for a socket's address, however long the directory's is.
        self.directory = os.open(pathlib.Path(directory) / "stations", os.O_RDONLY | os.O_DIRECTORY)
        self.station, self.name = secrets.token_hex(4), "snake"
        self.life = os.open(self.path(f"{self.station}.life"), os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
        fcntl.flock(self.life, fcntl.LOCK_EX)
        self.ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.ear.settimeout(30)
        self.ear.bind(self.path(f"{self.station}.{self.name}.1.ear"))

    def path(self, file: str) -> str:
        return f"/proc/self/fd/{self.directory}/{file}"

    def reports(self):
        while True:
            sender, _, address, _, _, service, data = unpacked(self.ear.recv(256))
            if service.decode() == SERVICE:
                yield sender, address, data


def main() -> None:
    private_key = X25519PrivateKey.generate()
    signing_key = Ed25519PrivateKey.generate().public_key()
    public_keys = private_key.public_key().public_bytes_raw() + signing_key.public_bytes_raw()
    print(make_card(public_keys, "snake"), flush=True)
    origin = read_card(sys.argv[2])
    peer = bytes.fromhex(origin["publicKeys"])[:32]
    air = Air(sys.argv[1])
    for sender, address, data in air.reports():
        plaintext = unseal(private_key, peer, data)
        if plaintext is None or plaintext[1:5] == bytes(4):
            continue
        channel = Channel(air, sender, address, 0x80 | plaintext[0] & 0x7F)
        activity = fetch(channel, private_key.private_bytes_raw(), peer, plaintext[1:5], plaintext[5:])
        print(json.dumps(activity), flush=True)
        return


main()
