"""A station on the simulated air, written from Docs/Simulation.md, "How a program attaches"."""

import asyncio
import contextlib
import ctypes
import dataclasses
import errno
import fcntl
import math
import os
import pathlib
import random
import secrets
import socket
import struct
import time
from collections.abc import Awaitable, Callable

from .errors import ChannelEnded, ChannelLost
from .radio import DIAL_TIMEOUT, FIRST_PORT, LAST_PORT, Report
from .tasks import Tasks

INTERVAL = 0.1525
LONGEST_PACKET = 256
# Of inotify(7): IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_DELETE.
CHANGES = 0x8 | 0x80 | 0x40 | 0x200


def number(value: int) -> bytes:
    return struct.pack("<Q", value)


def packet(*fields: bytes) -> bytes:
    return b"".join(bytes([len(field)]) + field for field in fields)


def fields_of(data: bytes, count: int) -> list[bytes] | None:
    """The first fields of a packet; None when it has fewer, or is cut off."""
    fields: list[bytes] = []
    while len(fields) < count:
        if not data or len(data) < 1 + data[0]:
            return None
        fields.append(data[1 : 1 + data[0]])
        data = data[1 + data[0] :]
    return fields


class Settings:
    """What the file `air` says."""

    def __init__(self, text: str = ""):
        self.loss, self.delay, self.bandwidth, self.mtu = 0.0, 0.010, 125_000.0, 672
        self.supervision, self.floor, self.seed = 0.420, -94.0, None
        self.off: set[str] = set()
        self.groups: dict[str, int] = {}
        self.positions: dict[str, tuple[float, float]] = {}
        self.signals: dict[frozenset[str], float] = {}
        for line in text.splitlines():
            words = line.partition("#")[0].split()
            if words:
                self._read(words[0], words[1:])

    def _read(self, what: str, words: list[str]) -> None:
        if what in ("loss", "bandwidth", "floor"):
            (value,) = words
            setattr(self, what, float(value))
        elif what in ("delay", "supervision"):
            (value,) = words
            setattr(self, what, float(value) / 1000)
        elif what in ("mtu", "seed"):
            (value,) = words
            setattr(self, what, int(value))
        elif what == "off":
            self.off |= set(words)
        elif what == "apart":
            self.groups |= {name: group for group, names in enumerate(words) for name in names.split(",")}
        elif what == "position":
            name, x, y = words
            self.positions[name] = float(x), float(y)
        elif what == "rssi":
            one, other, signal = words
            self.signals[frozenset((one, other))] = float(signal)
        else:
            raise ValueError(f"no setting: {what}")

    def signal(self, one: str, other: str) -> float:
        if frozenset((one, other)) in self.signals:
            return self.signals[frozenset((one, other))]
        if one not in self.positions or other not in self.positions:
            return -59
        distance = math.dist(self.positions[one], self.positions[other])
        return max(-127, min(20, -59 - 20 * math.log10(max(distance, 0.1))))

    def reaches(self, one: str, other: str) -> bool:
        groups = {self.groups[name] for name in (one, other) if name in self.groups}
        return not self.off & {one, other} and len(groups) < 2 and self.signal(one, other) >= self.floor


class Files:
    """The files of a station in the directory of all stations."""

    def __init__(self, directory: str):
        stations = pathlib.Path(directory) / "stations"
        stations.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.directory = os.open(stations, os.O_RDONLY | os.O_DIRECTORY)
        self.names: list[str] = []
        self.id, self._life = self._join()
        self.remove_dead()

    def _join(self) -> tuple[str, int]:
        while True:
            name = secrets.token_hex(4)
            try:
                life = os.open(f"{name}.life", os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600, dir_fd=self.directory)
                fcntl.flock(life, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except (FileExistsError, BlockingIOError):
                continue
            if os.fstat(life).st_nlink:
                return name, life

    def path(self, file: str) -> str:
        """A path of the file that is short enough for a socket."""
        return f"/proc/self/fd/{self.directory}/{file}"

    def bind(self, kind: socket.SocketKind, file: str) -> socket.socket:
        bound = socket.socket(socket.AF_UNIX, kind)
        bound.setblocking(False)
        bound.bind(self.path(file))
        self.names.append(file)
        return bound

    def remove(self, file: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file, dir_fd=self.directory)

    def leave(self) -> None:
        for file in [*self.names, f"{self.id}.life"]:
            self.remove(file)
        os.close(self._life)
        os.close(self.directory)

    def ears(self) -> list[tuple[str, str]]:
        """The names and files of all ears but one's own."""
        files = [(file.split("."), file) for file in os.listdir(self.directory) if file.endswith(".ear")]
        return [(parts[1], file) for parts, file in files if len(parts) == 4 and parts[0] != self.id]

    def state(self, station: str) -> str:
        """Whether its file of life is `missing`, `locked` or `unlocked`."""
        try:
            life = os.open(f"{station}.life", os.O_RDONLY, dir_fd=self.directory)
        except FileNotFoundError:
            return "missing"
        try:
            fcntl.flock(life, fcntl.LOCK_SH | fcntl.LOCK_NB)
            return "unlocked"
        except BlockingIOError:
            return "locked"
        finally:
            os.close(life)

    def remove_dead(self) -> None:
        """Removes the files of the stations that were killed: the sockets first."""
        files = [file.split(".") for file in os.listdir(self.directory)]
        for station in {parts[0] for parts in files if parts[-1] == "life" and parts[0] != self.id}:
            if self.state(station) == "unlocked":
                for parts in files:
                    if parts[0] == station and parts[-1] in ("ear", "door"):
                        self.remove(".".join(parts))
                self.remove(f"{station}.life")


class Station:
    """A radio on the simulated air."""

    def __init__(self, directory: str, name: str):
        self._directory, self.name = directory, name
        self._heard: list[Callable[[Report], None]] = []
        self._reports: dict[bytes, list[asyncio.Future[str]]] = {}
        self._ports: dict[int, Callable[["AirChannel"], Awaitable[None]]] = {}
        self._advertising: asyncio.Task | None = None

    async def __aenter__(self) -> "Station":
        self.settings, self._changed = Settings(), asyncio.Event()
        self._stack = contextlib.AsyncExitStack()
        pathlib.Path(self._directory).mkdir(mode=0o700, parents=True, exist_ok=True)
        self._watch()
        self.random = random.Random(self.settings.seed)
        self.files = Files(self._directory)
        self._stack.callback(self.files.leave)
        self._out = self._stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
        self._out.setblocking(False)
        self._ear = self.files.bind(socket.SOCK_DGRAM, f"{self.files.id}.{self.name}.1.ear")
        self._stack.enter_context(self._ear)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.__aexit__(*error)

    async def start(self, tasks: Tasks) -> None:
        self._tasks = tasks
        tasks.start(self._receive_reports())

    # The file `air`.

    def _watch(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._watcher = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        if self._watcher < 0 or libc.inotify_add_watch(self._watcher, self._directory.encode(), CHANGES) < 0:
            raise OSError(ctypes.get_errno(), "inotify")
        self._stack.callback(os.close, self._watcher)
        asyncio.get_running_loop().add_reader(self._watcher, self._read_changes)
        self._stack.callback(asyncio.get_running_loop().remove_reader, self._watcher)
        self._read_settings()

    def _read_changes(self) -> None:
        os.read(self._watcher, 65_536)
        self._read_settings()

    def _read_settings(self) -> None:
        try:
            self.settings = Settings((pathlib.Path(self._directory) / "air").read_text())
        except FileNotFoundError:
            self.settings = Settings()
        except ValueError:
            return
        before, self._changed = self._changed, asyncio.Event()
        before.set()

    def reaches(self, name: str) -> bool:
        return self.settings.reaches(self.name, name)

    async def until(self, name: str, is_reached: bool) -> None:
        """Waits until a station is, or is not, within reach."""
        while self.reaches(name) != is_reached:
            await self._changed.wait()

    async def out_of_reach(self, name: str) -> None:
        """Waits until a station was out of reach for the supervision timeout."""
        while True:
            await self.until(name, False)
            try:
                async with asyncio.timeout(self.settings.supervision):
                    await self.until(name, True)
            except TimeoutError:
                return

    def arrival(self) -> bytes:
        return number(time.monotonic_ns() + int(self.settings.delay * 1e9))

    # Hearing.

    def hear(self, heard: Callable[[Report], None]) -> None:
        self._heard.append(heard)

    async def _receive_reports(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            fields = fields_of(await loop.sock_recv(self._ear, LONGEST_PACKET), 7)
            if fields is None or [len(field) for field in fields[2:6]] != [6, 1, 8, 36]:
                continue
            (arrival,) = struct.unpack("<Q", fields[4])
            loop.call_later(min(max(0, arrival - time.monotonic_ns()) / 1e9, 10), self._pass_on, fields)

    def _pass_on(self, fields: list[bytes]) -> None:
        sender, _, address, _, _, service, data = fields
        for waiting in self._reports.pop(address, []):
            if not waiting.done():
                waiting.set_result(sender.decode())
        for heard in self._heard:
            heard(Report(address, service.decode(), data))

    # Advertising.

    async def advertise(self, service: str, data: bytes) -> None:
        await self.stop_advertising()
        address = self.new_address()
        file = f"{self.files.id}.{address.hex()}.door"
        door = self.files.bind(socket.SOCK_SEQPACKET, file)
        door.listen(16)
        self._advertising = self._tasks.start(self._keep_advertising(door, file, address, service, data))

    async def stop_advertising(self) -> None:
        task, self._advertising = self._advertising, None
        if task:
            task.cancel()
            await asyncio.wait([task])

    async def _keep_advertising(
        self, door: socket.socket, file: str, address: bytes, service: str, data: bytes
    ) -> None:
        accepting = self._tasks.start(self._accept(door, address))
        try:
            while True:
                self._report(address, service, data)
                await asyncio.sleep(INTERVAL + self.random.uniform(0, 0.010))
        finally:
            accepting.cancel()
            self.files.remove(file)
            door.close()

    def _report(self, address: bytes, service: str, data: bytes) -> None:
        for name, file in self.files.ears():
            if not self.reaches(name) or self.random.random() < self.settings.loss:
                continue
            signal = struct.pack("b", round(self.settings.signal(self.name, name)))
            own = (self.files.id.encode(), self.name.encode())
            try:
                report = packet(*own, address, signal, self.arrival(), service.encode(), data)
                self._out.sendto(report, self.files.path(file))
            except (BlockingIOError, FileNotFoundError):
                pass
            except ConnectionRefusedError:
                self.files.remove_dead()

    def new_address(self) -> bytes:
        return bytes([0xC0 | self.random.randrange(64)]) + self.random.randbytes(5)

    # Channels.

    def listen(self, accept: Callable[["AirChannel"], Awaitable[None]], port: int | None = None) -> int:
        free = [number for number in range(FIRST_PORT, LAST_PORT + 1) if number not in self._ports]
        port = port or self.random.choice(free)
        self._ports[port] = accept
        return port

    def stop_listening(self, port: int) -> None:
        self._ports.pop(port, None)

    def connect_message(self, address: bytes, port: int) -> bytes:
        return packet(self.files.id.encode(), self.name.encode(), address, number(self.settings.mtu), number(port))

    async def _accept(self, door: socket.socket, address: bytes) -> None:
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(door)
            connection.setblocking(False)
            self._tasks.start(self._welcome(connection, address))

    async def _welcome(self, connection: socket.socket, address: bytes) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(2):
                message = _connect_fields(await loop.sock_recv(connection, LONGEST_PACKET))
        except (TimeoutError, OSError):
            message = None
        if message is None or not self.reaches(message.name):
            connection.close()
            return
        await asyncio.sleep(self.settings.delay)
        accept = self._ports.get(message.port)
        try:
            await loop.sock_sendall(connection, self.connect_message(address, message.port if accept else 0))
        except OSError:
            accept = None
        if accept is None:
            connection.close()
        else:
            await accept(AirChannel(self, connection, message))

    async def dial(self, address: bytes, port: int) -> "AirChannel":
        try:
            async with asyncio.timeout(DIAL_TIMEOUT):
                while True:
                    channel = await self._try_to_dial(address, port)
                    if channel:
                        return channel
        except TimeoutError:
            raise ChannelLost(f"nobody at {address.hex()} answers") from None

    async def _try_to_dial(self, address: bytes, port: int) -> "AirChannel | None":
        loop = asyncio.get_running_loop()
        report: asyncio.Future[str] = loop.create_future()
        self._reports.setdefault(address, []).append(report)
        sender = await report
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        connection.setblocking(False)
        try:
            await loop.sock_connect(connection, self.files.path(f"{sender}.{address.hex()}.door"))
            await asyncio.sleep(self.settings.delay)
            await loop.sock_sendall(connection, self.connect_message(self.new_address(), port))
            async with asyncio.timeout(10):
                answer = _connect_fields(await loop.sock_recv(connection, LONGEST_PACKET))
        except (OSError, TimeoutError):
            answer = None
        except BaseException:
            connection.close()
            raise
        if answer is None or answer.port != port:
            connection.close()
            if answer is not None:
                raise ChannelLost(f"nobody listens at port {port}")
            return None
        return AirChannel(self, connection, answer)


@dataclasses.dataclass(frozen=True)
class ConnectMessage:
    """What a side says of itself when a channel is opened."""

    station: str
    name: str
    mtu: int
    port: int


def _connect_fields(data: bytes) -> ConnectMessage | None:
    fields = fields_of(data, 5)
    if fields is None or [len(field) for field in fields[2:5]] != [6, 8, 8]:
        return None
    mtu, port = (struct.unpack("<Q", field)[0] for field in fields[3:5])
    if not 23 <= mtu <= 65_535:
        return None
    return ConnectMessage(fields[0].decode(errors="replace"), fields[1].decode(errors="replace"), mtu, port)


class AirChannel:
    """A channel on the simulated air."""

    def __init__(self, station: Station, connection: socket.socket, peer: ConnectMessage):
        self._station, self._socket, self._peer = station, connection, peer
        self._is_closed = False
        # What is being sent and received at the moment.
        self._work: set[asyncio.Future] = set()

    async def send(self, data: bytes) -> None:
        for start in range(0, len(data), self._peer.mtu):
            await self._guarded(self._send_message(data[start : start + self._peer.mtu]))

    async def _send_message(self, message: bytes) -> None:
        station = self._station
        await asyncio.sleep(len(message) / station.settings.bandwidth)
        while station.random.random() < station.settings.loss:
            await asyncio.sleep(station.random.uniform(0.030, 0.050))
        await station.until(self._peer.name, True)
        try:
            await asyncio.get_running_loop().sock_sendall(self._socket, station.arrival() + message)
        except OSError as error:
            raise ChannelEnded(str(error)) from None

    async def receive(self) -> bytes:
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await self._guarded(loop.sock_recv(self._socket, 8 + 65_535))
            except OSError as error:
                # The other side has closed without having read everything. What it sent can still be received.
                if error.errno == errno.ECONNRESET:
                    continue
                raise ChannelLost(str(error)) from None
            if not data:
                await self._judge_end()
            if len(data) > 8:
                (arrival,) = struct.unpack("<Q", data[:8])
                await asyncio.sleep(min(max(0, arrival - time.monotonic_ns()) / 1e9, 10))
                return data[8:]

    async def _judge_end(self) -> None:
        """Tells a closed channel from one whose station is dead or out of reach."""
        station = self._station
        if station.files.state(self._peer.station) == "unlocked" or not station.reaches(self._peer.name):
            await asyncio.sleep(station.settings.supervision)
            raise ChannelLost("the other station has disappeared")
        raise ChannelEnded("the other side has closed the channel")

    async def _guarded(self, action: Awaitable):
        """What `action` returns, unless the peer is out of reach for too long, or the channel is closed here."""
        if self._is_closed:
            raise ChannelLost("the channel was closed here")
        work = asyncio.ensure_future(action)
        guard = asyncio.ensure_future(self._station.out_of_reach(self._peer.name))
        self._work.add(work)
        try:
            await asyncio.wait([work, guard], return_when=asyncio.FIRST_COMPLETED)
            if work.cancelled():
                raise ChannelLost("the channel was closed here")
            if not work.done():
                raise ChannelLost("the other station is out of reach")
            return work.result()
        finally:
            guard.cancel()
            work.cancel()
            await asyncio.wait([work])
            self._work.discard(work)

    async def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            for work in self._work:
                work.cancel()
            if self._work:
                await asyncio.wait(self._work)
            self._socket.close()
