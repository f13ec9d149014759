#!/usr/bin/env python3
"""The air between guests: one emulated Bluetooth LE controller for each, all within reach of one another.

Run by run-two-guests with the python of Bumble's virtual environment:

    air.py SOCKET [SOCKET …]

Each guest's serial line is a connection to one of the Unix sockets, speaking HCI in the H4 format. "air: ready" on
standard output says that all of them listen. Bumble does the link layer; what stands here is what it does otherwise
than a radio would.
"""

import asyncio
import logging
import signal
import sys

from bumble import core, hci
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport.common import StreamPacketSource

# A peer that stops answering is given up after this time; Linux asks for 420 ms by default.
SUPERVISION_TIMEOUT_SECONDS = 0.42

ENHANCED_COMPLETE_WANTED = 1 << 9  # in the mask of LE events


class Air(LocalLink):
    """Bumble's link, with data labelled by the address that the connection was made with.

    Bumble takes the sender's random address always; a receiver whose peer connected with its public address would
    find no connection to which the data belongs.
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
    """A controller like those sold: buffers of 251 bytes, and reports of duplicates suppressed when asked for."""

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
        # Not to be reported again, yet a connection that waits for this advertiser must still be made.
        self.le_scan_enable = False
        try:
            super().on_advertising_pdu(pdu)
        finally:
            self.le_scan_enable = True

    def send_hci_packet(self, packet):
        """A host that wants the enhanced event of a new connection gets it, and only it.

        Bumble sends the plain one. Linux, told that the controller knows extended advertising, waits for the enhanced
        one, takes the attempt for failed after 4 s, and can never end the connection.
        """
        if isinstance(packet, hci.HCI_LE_Connection_Complete_Event) and self.le_event_mask & ENHANCED_COMPLETE_WANTED:
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
        """Really cancels: Bumble's attempt would live on and block every later one."""
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

    def vanish(self):
        """The guest is gone: silence, and after the supervision timeout its peers notice."""
        for advertiser in [self.le_legacy_advertiser, *self.advertising_sets.values()]:
            advertiser.stop()
        self.le_scan_enable = False
        self.pending_le_connection = None
        for connection in list(self.le_connections.values()):
            peer = self.link.find_le_controller(connection.peer_address)
            theirs = peer and peer.le_connections.get(connection.self_address)
            if theirs:
                peer.on_le_disconnected(theirs, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)
        self.le_connections.clear()


class Line(asyncio.Protocol):
    """One guest's serial line."""

    def __init__(self, radio):
        self.radio = radio
        self.source = StreamPacketSource()
        self.transport = None

    def connection_made(self, transport):
        logging.info("%s: line up", self.radio.name)
        self.transport = transport
        self.source.set_packet_sink(self.radio)
        self.radio.set_packet_sink(self)

    def on_packet(self, packet):
        self.transport.write(packet)

    def data_received(self, data):
        self.source.data_received(data)

    def connection_lost(self, exc):
        logging.info("%s: line down", self.radio.name)
        self.radio.set_packet_sink(None)
        asyncio.get_running_loop().call_later(SUPERVISION_TIMEOUT_SECONDS, self.radio.vanish)


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
