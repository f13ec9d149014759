#!/usr/bin/env python3
"""The air between guests: one emulated Bluetooth LE controller for each guest, all in range of each other.

Run by run-two-guests with the python of Bumble's virtual environment:

    air.py SOCKET [SOCKET …]

Each guest's serial line is a connection to one of the Unix sockets, with HCI in the H4 format. "air: ready" on standard
output means that all sockets accept connections. Bumble implements the link layer; this program corrects it where it
differs from a controller.
"""

import asyncio
import logging
import signal
import sys

from bumble import core, hci
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport.common import StreamPacketSource

# A connection to a peer that stops answering ends after this time. Linux requests 420 ms by default.
SUPERVISION_TIMEOUT_SECONDS = 0.42

ENHANCED_COMPLETE_ENABLED = 1 << 9  # in the mask of LE events


class Air(LocalLink):
    """Bumble's link, in which data has the sender address with which the connection was made.

    Bumble always uses the sender's random address. A receiver whose peer connected with its public address would find
    no connection for the data.
    """

    def send_acl_data(self, sender_controller, destination_address, transport, data):
        if transport != core.PhysicalTransport.LE:
            super().send_acl_data(sender_controller, destination_address, transport, data)
            return
        connection = sender_controller.le_connections.get(destination_address)
        receiver = self.find_le_controller(destination_address)
        if connection is None or receiver is None:
            return
        asyncio.get_running_loop().call_soon(
            receiver.on_link_acl_data, connection.self_address, transport, data
        )


class Radio(Controller):
    """A controller with buffers of 251 bytes, which filters duplicate reports if the host requests it."""

    le_acl_data_packet_length = 251
    total_num_le_acl_data_packets = 8

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.reported = set()

    def on_hci_le_set_extended_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_extended_scan_enable_command(command)

    def on_hci_le_set_scan_enable_command(self, command):
        self.reported.clear()
        return super().on_hci_le_set_scan_enable_command(command)

    def on_advertising_pdu(self, pdu):
        key = (bytes(pdu.advertiser_address), bytes(pdu.data))
        if not (self.le_scan_enable and self.filter_duplicates and key in self.reported):
            if self.le_scan_enable:
                self.reported.add(key)
            super().on_advertising_pdu(pdu)
            return
        # The report is a duplicate, but a pending connection to this advertiser must still be made.
        self.le_scan_enable = False
        try:
            super().on_advertising_pdu(pdu)
        finally:
            self.le_scan_enable = True

    def send_hci_packet(self, packet):
        """Sends the enhanced event of a new connection, instead of the plain one, if the host has enabled it.

        Bumble sends the plain event. If the controller supports extended advertising, Linux waits for the enhanced
        event, takes the attempt for failed after 4 s, and can never end the connection.
        """
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event) and self.le_event_mask & ENHANCED_COMPLETE_ENABLED:
            packet = hci.HCI_LE_Enhanced_Connection_Complete_Event(
                status=packet.status,
                connection_handle=packet.connection_handle,
                role=packet.role,
                peer_address_type=packet.peer_address_type,
                peer_address=packet.peer_address,
                local_resolvable_private_address=hci.Address.ANY,
                peer_resolvable_private_address=hci.Address.ANY,
                connection_interval=packet.connection_interval,
                peripheral_latency=packet.peripheral_latency,
                supervision_timeout=packet.supervision_timeout,
                central_clock_accuracy=packet.central_clock_accuracy,
            )
        super().send_hci_packet(packet)

    def on_hci_le_create_connection_cancel_command(self, command):
        """Cancels the connection attempt. In Bumble, the attempt would stay pending and block every later one."""
        pending, self.pending_le_connection = self.pending_le_connection, None
        if pending is None:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet,
            hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0,
                role=hci.Role.CENTRAL,
                peer_address_type=pending.peer_address.address_type,
                peer_address=pending.peer_address,
                connection_interval=0,
                peripheral_latency=0,
                supervision_timeout=0,
                central_clock_accuracy=0,
            ),
        )
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def power_off(self):
        """Stops the radio of a guest that has ended, and closes its connections at the peers."""
        for advertiser in [self.le_legacy_advertiser, *self.advertising_sets.values()]:
            advertiser.stop()
        self.le_scan_enable = False
        self.pending_le_connection = None
        for connection in list(self.le_connections.values()):
            peer = self.link.find_le_controller(connection.peer_address)
            peer_connection = peer and peer.le_connections.get(connection.self_address)
            if peer_connection:
                peer.on_le_disconnected(peer_connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.le_connections.clear()


class Line(asyncio.Protocol):
    """One guest's serial line."""

    def __init__(self, radio):
        self.radio = radio
        self.source = StreamPacketSource()
        self.transport = None

    def connection_made(self, transport):
        logging.info("%s: connected", self.radio.name)
        self.transport = transport
        self.source.set_packet_sink(self.radio)
        self.radio.set_packet_sink(self)

    def on_packet(self, packet):
        self.transport.write(packet)

    def data_received(self, data):
        self.source.data_received(data)

    def connection_lost(self, exc):
        logging.info("%s: disconnected", self.radio.name)
        self.radio.set_packet_sink(None)
        asyncio.get_running_loop().call_later(SUPERVISION_TIMEOUT_SECONDS, self.radio.power_off)


async def main(sockets):
    logging.basicConfig(level=logging.INFO, format="%(relativeCreated)8d ms %(name)s: %(message)s")
    loop = asyncio.get_running_loop()
    air = Air()
    servers = []
    for number, socket in enumerate(sockets):
        radio = Radio(
            f"radio {number}",
            link=air,
            public_address=hci.Address(f"02:00:00:00:0{number}:01", hci.Address.PUBLIC_DEVICE_ADDRESS),
        )
        radio.random_address = hci.Address(f"C2:00:00:00:0{number}:02", hci.Address.RANDOM_DEVICE_ADDRESS)
        servers.append(await loop.create_unix_server(lambda radio=radio: Line(radio), socket))
    print("air: ready", flush=True)
    stop = loop.create_future()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, lambda: stop.done() or stop.set_result(None))
    await stop


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1:]))
