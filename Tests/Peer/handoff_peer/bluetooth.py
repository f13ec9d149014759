"""A radio over Bluetooth LE: Bumble, a host in Python, on a controller that no other host uses
(Docs/Protocol.md, "Link layer")."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from bumble import hci, l2cap
from bumble.core import AdvertisingData, BaseBumbleError
from bumble.device import AdvertisingType, Advertisement, Connection
from bumble.device import Device as Host
from bumble.l2cap import LeCreditBasedChannelSpec
from bumble.transport import open_transport

from .errors import ChannelEnded, ChannelLost
from .radio import DIAL_TIMEOUT, FIRST_PORT, LAST_PORT, Report
from .tasks import Tasks

# The flags "LE General Discoverable" and "BR/EDR Not Supported".
FLAGS = bytes([2, AdvertisingData.FLAGS, 6])
MTU, CREDITS = 672, 32
# An emulated controller reports an advertisement once: when it is enabled, and when a scan begins. So both begin again
# all the time, in seconds.
AGAIN = 1.0


class EarlyChannel(l2cap.LeCreditBasedChannel):
    """Bumble's channel, corrected where that loses data or channels.

    Bumble drops data and credits that arrive together with the answer that opens a channel, until the task that has
    opened it runs again; and it forgets a channel that this side has opened only half when it closes, so that the other
    side cannot use its number again.
    """

    def __init__(self, *arguments: Any, **named: Any):
        super().__init__(*arguments, **named)
        self.early: list[bytes] = []
        self.sink = self.early.append

    def on_connection_response(self, response: Any) -> None:
        super().on_connection_response(response)
        if self.connected:
            channels = self.manager.le_coc_channels.setdefault(self.connection.handle, {})
            channels[self.destination_cid] = self

    def _change_state(self, new_state: Any) -> None:
        if new_state == self.State.DISCONNECTED:
            for channels in (self.manager.channels, self.manager.le_coc_channels):
                of_link = channels.get(self.connection.handle, {})
                for number in [number for number, channel in of_link.items() if channel is self]:
                    del of_link[number]
        super()._change_state(new_state)


l2cap.LeCreditBasedChannel = EarlyChannel


@contextlib.asynccontextmanager
async def bluetooth_host(transport: str) -> AsyncIterator[Host]:
    """A host on the controller that `transport` names, such as `hci-socket:1`, for one radio after another."""
    async with contextlib.AsyncExitStack() as stack:
        opened = await open_transport(transport)
        stack.push_async_callback(opened.close)
        host = Host.with_hci("peer", hci.Address.generate_static_address(), opened.source, opened.sink)
        await host.power_on()
        stack.push_async_callback(host.power_off)
        yield host


class BluetoothRadio:
    """A radio of a host that has no other one at that time."""

    def __init__(self, host: Host):
        self._host = host
        self._heard: list[Callable[[Report], None]] = []
        self._advertisement: bytes | None = None
        self._ports: dict[int, Any] = {}
        # Held by whoever sends commands that depend on each other.
        self._controller = asyncio.Lock()

    async def __aenter__(self) -> "BluetoothRadio":
        self._host.on(Host.EVENT_ADVERTISEMENT, self._pass_on)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._host.remove_listener(Host.EVENT_ADVERTISEMENT, self._pass_on)
        await self._disconnect()
        for port in list(self._ports):
            self.stop_listening(port)

    async def start(self, tasks: Tasks) -> None:
        self._tasks = tasks
        tasks.start(self._begin_again())

    async def _disconnect(self) -> None:
        """Ends all links, and advertising and scanning.

        An emulated controller that is only switched off would leave links open at the other side.
        """
        async with asyncio.timeout(DIAL_TIMEOUT):
            await self._controller.acquire()
        await self._hide()
        if self._host.is_scanning:
            await self._host.stop_scanning()
        for link in list(self._host.connections.values()):
            with contextlib.suppress(BaseBumbleError):
                await link.disconnect()

    async def _with_controller(self, action: Callable[[], Awaitable[Any]]) -> Any:
        """Does something with the controller that is not mixed with other commands, nor given up half-way."""
        async def act() -> Any:
            async with self._controller:
                return await action()

        return await asyncio.shield(asyncio.ensure_future(act()))

    # Hearing.

    def hear(self, heard: Callable[[Report], None]) -> None:
        self._heard.append(heard)

    def _pass_on(self, advertisement: Advertisement) -> None:
        kind = AdvertisingData.SERVICE_DATA_128_BIT_UUID
        for data in advertisement.data.get_all(kind, raw=True):
            report = Report(advertisement.address, str(uuid.UUID(bytes=bytes(data[15::-1]))), bytes(data[16:]))
            for heard in self._heard:
                heard(report)

    async def _begin_again(self) -> None:
        """Begins scanning and advertising again and again."""
        while True:
            await self._with_controller(self._scan_and_show)
            await asyncio.sleep(AGAIN)

    async def _scan_and_show(self) -> None:
        if self._host.is_scanning:
            await self._host.stop_scanning()
        await self._host.start_scanning(active=False, own_address_type=hci.OwnAddressType.PUBLIC)
        await self._show()

    # Advertising.

    async def advertise(self, service: str, data: bytes) -> None:
        structure = bytes([AdvertisingData.SERVICE_DATA_128_BIT_UUID]) + uuid.UUID(service).bytes[::-1] + data
        self._advertisement = FLAGS + bytes([len(structure)]) + structure
        await self._with_controller(self._show)

    async def stop_advertising(self) -> None:
        self._advertisement = None
        await self._with_controller(self._show)

    async def _hide(self) -> None:
        """Ends advertising."""
        try:
            await self._host.stop_advertising()
        except hci.HCI_Error:
            # A link that began at this moment has ended it; the event that tells Bumble so is on the way.
            self._host.legacy_advertising_set.enabled = False
            await self._host.stop_advertising()

    async def _show(self) -> None:
        await self._hide()
        if self._advertisement is not None:
            await self._host.start_advertising(
                AdvertisingType.UNDIRECTED_CONNECTABLE_SCANNABLE,
                own_address_type=hci.OwnAddressType.PUBLIC,
                advertising_data=self._advertisement,
                scan_response_data=b"",
                advertising_interval_min=152.5,
                advertising_interval_max=152.5,
            )

    # Channels.

    def listen(self, accept: Callable[["BluetoothChannel"], Awaitable[None]], port: int | None = None) -> int:
        free = [number for number in range(FIRST_PORT, LAST_PORT + 1) if number not in self._ports]
        port = port or free[0]

        def take(channel: EarlyChannel) -> None:
            self._tasks.start(accept(BluetoothChannel(channel)))

        spec = LeCreditBasedChannelSpec(psm=port, mtu=MTU, max_credits=CREDITS)
        self._ports[port] = self._host.create_l2cap_server(spec, take)
        return port

    def stop_listening(self, port: int) -> None:
        self._ports.pop(port).close()

    async def dial(self, address: hci.Address, port: int) -> "BluetoothChannel":
        async def open_channel() -> BluetoothChannel:
            link = self._host.find_connection_by_bd_addr(address) or await self._connect(address)
            spec = LeCreditBasedChannelSpec(psm=port, mtu=MTU, max_credits=CREDITS)
            async with asyncio.timeout(DIAL_TIMEOUT / 3):
                return BluetoothChannel(await link.create_l2cap_channel(spec))

        try:
            return await self._with_controller(open_channel)
        except (BaseBumbleError, TimeoutError) as error:
            raise ChannelLost(f"no channel to {address}: {error}") from None

    async def end_links(self) -> None:
        """Ends the links that this side has made. Otherwise they stay, for the next call; the other side may end them."""
        links = [link for link in self._host.connections.values() if link.role == hci.Role.CENTRAL]

        async def end() -> None:
            for link in links:
                with contextlib.suppress(BaseBumbleError):
                    await link.disconnect()

        if links:
            await self._with_controller(end)

    async def _connect(self, address: hci.Address) -> Connection:
        # An emulated controller that advertises would take its own connection for one of an advertisement.
        await self._hide()
        if self._host.is_scanning:
            await self._host.stop_scanning()
        return await self._host.connect(address, own_address_type=hci.OwnAddressType.PUBLIC, timeout=DIAL_TIMEOUT / 2)


class BluetoothChannel:
    """An L2CAP channel with LE credit-based flow control."""

    def __init__(self, channel: EarlyChannel):
        self._channel = channel
        self._received: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._closed = asyncio.Event()
        for data in channel.early:
            self._received.put_nowait(data)
        channel.sink = self._received.put_nowait
        channel.on(EarlyChannel.EVENT_CLOSE, self._note_end)
        if not self._is_open:
            self._note_end()

    def _note_end(self) -> None:
        self._closed.set()
        self._received.put_nowait(None)

    @property
    def _is_open(self) -> bool:
        return self._channel.state == EarlyChannel.State.CONNECTED

    def _end(self) -> Exception:
        """The end of the channel, or that of the link."""
        link = self._channel.connection
        if link.device.lookup_connection(link.handle) is link:
            return ChannelEnded("the other side has closed the channel")
        return ChannelLost("the link was lost")

    async def send(self, data: bytes) -> None:
        for start in range(0, len(data), self._channel.peer_mtu):
            if not self._is_open:
                raise self._end()
            self._channel.write(data[start : start + self._channel.peer_mtu])
            drained = asyncio.ensure_future(self._channel.drain())
            closed = asyncio.ensure_future(self._closed.wait())
            try:
                await asyncio.wait([drained, closed], return_when=asyncio.FIRST_COMPLETED)
            finally:
                drained.cancel()
                closed.cancel()

    async def receive(self) -> bytes:
        data = await self._received.get()
        if data is None:
            self._received.put_nowait(None)
            raise self._end()
        return data

    async def close(self) -> None:
        if self._is_open:
            with contextlib.suppress(BaseBumbleError):
                await self._channel.disconnect()
