"""A central that is nobody's device: it makes links over the kernel's L2CAP sockets, without bluetoothd, and reads names.

Python's own Bluetooth sockets know no LE addresses, and are left out of some builds; so the addresses are given to libc.

    stranger.py unlinked A [B]    succeeds when the kernel has no link of the controller hciA, or none to hciB
"""

import ctypes
import fcntl
import os
import select
import socket
import struct
import sys
import time

from world import Failure

AF_BLUETOOTH, BTPROTO_L2CAP, BTPROTO_HCI = 31, 0, 1
# bluetooth.h, BDADDR_LE_PUBLIC; l2cap.h, L2CAP_CID_ATT; hci_sock.h, HCIGETDEVINFO and HCIGETCONNLIST.
LE_PUBLIC, ATT_CHANNEL = 1, 4
GET_DEVICE_INFORMATION, GET_CONNECTIONS = 0x800448D3, 0x800448D4
# Bluetooth Core, Vol 3, Part F, 3.4: an error, and reading by type.
ERROR, READ_BY_TYPE, READ_BY_TYPE_ANSWER, UNSUPPORTED = 0x01, 0x08, 0x09, 0x06
DEVICE_NAME = 0x2A00
# The seconds within which a connection is made; by advertisements every 1.28 s it takes two.
CONNECTION_LIMIT = 8
LIBC = ctypes.CDLL(None, use_errno=True)


def hci_socket():
    """A socket for questions to the kernel about its controllers."""
    return socket.socket(AF_BLUETOOTH, socket.SOCK_RAW, BTPROTO_HCI)


def address_of(controller):
    """The public address of a controller, six bytes as the kernel has them."""
    information = bytearray(struct.pack("<H", controller) + bytes(90))
    with hci_socket() as hci:
        fcntl.ioctl(hci, GET_DEVICE_INFORMATION, information)
    return bytes(information[10:16])


def links_of(controller):
    """The addresses of the devices to which a controller has a link, as the kernel says."""
    capacity = 16
    request = bytearray(struct.pack("<HH", controller, capacity) + bytes(capacity * 16))
    with hci_socket() as hci:
        fcntl.ioctl(hci, GET_CONNECTIONS, request)
    count = struct.unpack_from("<H", request, 2)[0]
    return {bytes(request[4 + 16 * index + 2:4 + 16 * index + 8]) for index in range(count)}


def l2cap_address(address, port=0, channel=0):
    """struct sockaddr_l2 of l2cap.h."""
    return struct.pack("<HH6sHBx", AF_BLUETOOTH, port, address, channel, LE_PUBLIC)


def call(function, descriptor, address):
    """Calls connect or bind of libc."""
    if function(descriptor, address, len(address)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


class Stranger:
    """A channel from one controller to another one: a fixed one for ATT, or one to a port."""

    def __init__(self, own, peer, port=0):
        channel = 0 if port else ATT_CHANNEL
        self.port = port
        self._socket = socket.socket(AF_BLUETOOTH, socket.SOCK_SEQPACKET, BTPROTO_L2CAP)
        self._socket.settimeout(60)
        try:
            # Libc's calls block, whatever Python's time limit is; without a limit of its own, a connection has 40 s.
            self._socket.setblocking(True)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", CONNECTION_LIMIT, 0))
            call(LIBC.bind, self._socket.fileno(), l2cap_address(address_of(own), 0, channel))
            call(LIBC.connect, self._socket.fileno(), l2cap_address(address_of(peer), port, channel))
        except OSError:
            self._socket.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._socket.close()

    def read_name(self):
        """The GAP device name of the other side (Bluetooth Core, Vol 3, Part C, 12.1)."""
        self._socket.send(struct.pack("<BHHH", READ_BY_TYPE, 1, 0xFFFF, DEVICE_NAME))
        while True:
            answer = self._receive(30)
            if not answer:
                raise Failure("the link ended before the name was read")
            if answer[0] == READ_BY_TYPE_ANSWER:
                return answer[4:2 + answer[1]].decode()
            if answer[0] == ERROR and answer[1] == READ_BY_TYPE:
                raise Failure(f"the name cannot be read: ATT error {answer[4]}")
            self._refuse(answer)

    def has_link(self, seconds):
        """Answers bluetoothd's questions for that time; returns whether the channel is still there."""
        deadline = time.monotonic() + seconds
        while select.select([self._socket], [], [], max(0.0, deadline - time.monotonic()))[0]:
            question = self._receive(0)
            if not question:
                return False
            self._refuse(question)
        return True

    def _refuse(self, question):
        """Answers that there are no services, if bluetoothd asks for them."""
        if question[0] % 2 == 0:
            self._socket.send(struct.pack("<BBHB", ERROR, question[0], 0, UNSUPPORTED))

    def wait_closed(self, timeout=60.0):
        """Waits until the other side has closed the channel; what it sends before is ignored."""
        deadline = time.monotonic() + timeout
        while self._receive(max(0.0, deadline - time.monotonic())):
            pass

    def _receive(self, timeout):
        """The next packet; nothing when the channel has ended."""
        if not select.select([self._socket], [], [], timeout)[0]:
            raise Failure(f"nothing from the other side within {timeout:.0f} s")
        try:
            return self._socket.recv(1024)
        except OSError:
            return b""


def is_linked(controller, other):
    """Whether one controller of this machine has a link to another one."""
    return address_of(other) in links_of(controller)


if __name__ == "__main__":
    controllers = [int(argument) for argument in sys.argv[2:]]
    if sys.argv[1:2] != ["unlinked"] or len(controllers) not in (1, 2):
        sys.exit(__doc__)
    sys.exit(is_linked(*controllers) if len(controllers) == 2 else bool(links_of(controllers[0])))
