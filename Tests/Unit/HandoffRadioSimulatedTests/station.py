"""A station on the simulated air, written from Docs/Simulation.md, "How a program attaches".

Usage: station.py DIRECTORY NAME UUID hear | dial PORT | serve PORT

hear    prints the service data of the first report of UUID, in hexadecimal
dial    dials PORT at the sender of that report, sends "ping", prints what comes back until the end, and answers "thanks"
serve   advertises UUID with the data of PORT, accepts one channel, answers each message with itself reversed, and
        closes after the message "bye"

All three print "station: ready" first, once they have joined the air.
"""

import fcntl
import os
import random
import secrets
import select
import socket
import struct
import sys
import time

DELAY = 10_000_000  # of the default air, in nanoseconds
MTU = 672


def number(value: int) -> bytes:
    return struct.pack("<Q", value)


def packet(*fields: bytes) -> bytes:
    return b"".join(bytes([len(field)]) + field for field in fields)


def fields(data: bytes) -> list[bytes]:
    found = []
    while data:
        length = data[0]
        if len(data) < 1 + length:
            raise ValueError("a field is cut off")
        found.append(data[1 : 1 + length])
        data = data[1 + length :]
    return found


def wait_until(arrival: int) -> None:
    # Nothing arrives before its time: the simulated air gives every message a time of arrival, in monotonic nanoseconds.
    time.sleep(min(max(0, arrival - time.monotonic_ns()) / 1e9, 10))


class Station:
    def __init__(self, directory: str, name: str):
        self.name = name.encode()
        os.makedirs(f"{directory}/stations", mode=0o700, exist_ok=True)
        self.stations = os.open(f"{directory}/stations", os.O_DIRECTORY)
        self.ears = 0
        self.files: list[str] = []
        while True:
            self.id = secrets.token_hex(4)
            try:
                self.life = os.open(f"{self.id}.life", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, dir_fd=self.stations)
                fcntl.flock(self.life, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (FileExistsError, BlockingIOError):
                continue
            if os.fstat(self.life).st_nlink:
                break

    def path(self, file: str) -> str:
        return f"/proc/self/fd/{self.stations}/{file}"

    def bind(self, kind: socket.SocketKind, file: str) -> socket.socket:
        bound = socket.socket(socket.AF_UNIX, kind)
        bound.bind(self.path(file))
        self.files.append(file)
        return bound

    def leave(self) -> None:
        for file in self.files + [f"{self.id}.life"]:
            os.unlink(file, dir_fd=self.stations)

    def ear(self) -> socket.socket:
        self.ears += 1
        return self.bind(socket.SOCK_DGRAM, f"{self.id}.{self.name.decode()}.{self.ears}.ear")

    def reports(self, uuid: str):
        """Yields (id, address, service data) of every report of a service when it arrives."""
        ear = self.ear()
        while True:
            try:
                sender, _, address, _, arrival, service, data = fields(ear.recv(256))[:7]
            except ValueError:
                continue
            if service.decode() == uuid:
                wait_until(struct.unpack("<Q", arrival)[0])
                yield sender.decode(), address, data

    def report(self, address: bytes, uuid: str, data: bytes) -> None:
        out = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        out.setblocking(False)
        for file in os.listdir(self.stations):
            if file.endswith(".ear") and not file.startswith(self.id):
                arrival = number(time.monotonic_ns() + DELAY)
                body = (self.id.encode(), self.name, address, struct.pack("b", -59), arrival, uuid.encode(), data)
                try:
                    out.sendto(packet(*body), self.path(file))
                except (ConnectionRefusedError, BlockingIOError, FileNotFoundError):
                    pass

    def connect_message(self, address: bytes, port: int) -> bytes:
        return packet(self.id.encode(), self.name, address, number(MTU), number(port))

    def dial(self, uuid: str, port: int) -> socket.socket:
        own = bytes([0xC0 | secrets.randbelow(64)]) + secrets.token_bytes(5)
        for sender, address, _ in self.reports(uuid):
            channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            try:
                channel.connect(self.path(f"{sender}.{address.hex()}.door"))
            except OSError:
                continue
            # A connection takes the air's delay to reach the other side.
            wait_until(time.monotonic_ns() + DELAY)
            channel.send(self.connect_message(own, port))
            answer = channel.recv(256)
            if answer:
                opened = struct.unpack("<Q", fields(answer)[4])[0]
                if opened != port:
                    sys.exit("nobody listens there")
                return channel
        raise AssertionError("reports never end")

    def serve(self, uuid: str, port: int) -> socket.socket:
        address = bytes([0xC0 | secrets.randbelow(64)]) + secrets.token_bytes(5)
        door = self.bind(socket.SOCK_SEQPACKET, f"{self.id}.{address.hex()}.door")
        door.listen(16)
        while True:
            self.report(address, uuid, bytes([port]))
            if not select.select([door], [], [], 0.1525 + random.uniform(0, 0.01))[0]:
                continue
            channel, _ = door.accept()
            channel.settimeout(2)
            request = fields(channel.recv(256))
            dialled = struct.unpack("<Q", request[4])[0]
            # A connection takes the air's delay to reach the other side.
            wait_until(time.monotonic_ns() + DELAY)
            channel.send(self.connect_message(address, port if dialled == port else 0))
            if dialled == port:
                channel.settimeout(None)
                return channel


def send(channel: socket.socket, message: bytes) -> None:
    channel.send(number(time.monotonic_ns() + DELAY) + message)


def receive(channel: socket.socket) -> bytes:
    """The next message; nothing at the end."""
    data = channel.recv(8 + 65_535)
    if data:
        wait_until(struct.unpack("<Q", data[:8])[0])
    return data[8:]


def main() -> None:
    directory, name, uuid, role, *rest = sys.argv[1:]
    station = Station(directory, name)
    print("station: ready", flush=True)
    try:
        if role == "hear":
            print(next(station.reports(uuid))[2].hex(), flush=True)
        elif role == "dial":
            channel = station.dial(uuid, int(rest[0]))
            send(channel, b"ping")
            while message := receive(channel):
                print(message.decode(), flush=True)
                send(channel, b"thanks")
        elif role == "serve":
            channel = station.serve(uuid, int(rest[0]))
            while message := receive(channel):
                send(channel, message[::-1])
                if message == b"bye":
                    break
            channel.close()
    finally:
        station.leave()


main()
