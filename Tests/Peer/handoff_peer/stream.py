"""The pieces of a continuation stream (Docs/Protocol.md, "Streams")."""

import ipaddress

from .errors import ProtocolError

DATA, END, ARRIVED, OFFER, MOVE, ALIVE, TAKEN = range(7)
MOST_DATA, MOST_DATA_ON_NETWORK = 8192, 65_469
UNIT = 64
# How many data pieces may be in transit over the radio.
WINDOW = 4
SECRET, PLACES, PLACE, LOWEST_PORT, IDENTIFIER = 32, 8, 17, 1024, 16
PLACES_END = 2 + SECRET + PLACES * PLACE
OFFER_LENGTH = PLACES_END + 1
NO_OFFER = bytes(OFFER_LENGTH)


def encode_piece(kind: int, data: bytes = b"") -> bytes:
    content = bytes([kind]) + len(data).to_bytes(2, "big") + data
    return content + bytes(-len(content) % UNIT)


def encode_offer(port: int, secret: bytes, addresses: list, has_aes: bool = False) -> bytes:
    """The data of an offer, whatever it offers."""
    places = b"".join(bytes([address.version]) + address.packed.ljust(PLACE - 1, b"\0") for address in addresses)
    return (port.to_bytes(2, "big") + secret + places).ljust(PLACES_END, b"\0") + bytes([has_aes])


class Offer:
    """An offer that was received; nothing is offered where there is no port."""

    def __init__(self, data: bytes):
        if len(data) != OFFER_LENGTH:
            raise ProtocolError(f"an offer of {len(data)} bytes", "malformed")
        if data[PLACES_END] > 1:
            raise ProtocolError("an offer that neither has nor lacks AES", "malformed")
        self.has_aes = data[PLACES_END] == 1
        self.port, self.secret = int.from_bytes(data[:2], "big"), data[2 : 2 + SECRET]
        places = [data[start : start + PLACE] for start in range(2 + SECRET, PLACES_END, PLACE)]
        used = [place for place in places if place[0]]
        if any(any(place) for place in places[len(used) :]):
            raise ProtocolError("an offer with a gap", "malformed")
        self.addresses = [self._address(place) for place in used]
        if any(data) and not self._is_allowed():
            raise ProtocolError("an offer of what may not be offered", "invalidContent")

    @staticmethod
    def _address(place: bytes):
        length = {4: 4, 6: 16}.get(place[0])
        if length is None or any(place[1 + length :]):
            raise ProtocolError("an offer with an address of no kind", "malformed")
        return ipaddress.ip_address(place[1 : 1 + length])

    def _is_allowed(self) -> bool:
        return (
            self.port >= LOWEST_PORT
            and 0 < len(self.addresses) == len(set(self.addresses))
            and all(map(is_unicast, self.addresses))
        )


def is_unicast(address) -> bool:
    """Whether an address can be that of one interface that other computers reach."""
    if address.version == 4:
        return address.packed[0] not in (0, 127) and address.packed[0] < 0xE0
    return any(address.packed[:8]) and address.packed[0] != 0xFF


class PieceReader:
    """What one side receives: an offer, any number of data pieces, one end, and one arrived; a move at any place."""

    def __init__(self):
        self.has_offered = self.has_ended = self.has_arrived = self.has_moved = False
        self.is_on_network = False

    def move(self) -> None:
        """The next piece comes over the network."""
        self.is_on_network = True

    def take(self, piece: bytes) -> tuple[int, bytes]:
        """The kind and the data of the next piece."""
        if len(piece) < 3:
            raise ProtocolError("a piece of a stream is too short", "malformed")
        kind, count = piece[0], int.from_bytes(piece[1:3], "big")
        if len(piece) != 3 + count + -(3 + count) % UNIT or any(piece[3 + count :]):
            raise ProtocolError("a piece of a stream is padded wrongly", "invalidPadding")
        data = piece[3 : 3 + count]
        most = MOST_DATA_ON_NETWORK if self.is_on_network else MOST_DATA
        is_valid = {DATA: 1 <= count <= most, OFFER: True, MOVE: count == IDENTIFIER}
        if kind > TAKEN or not is_valid.get(kind, count == 0):
            raise ProtocolError(f"a piece of kind {kind} with {count} bytes", "malformed")
        if kind == OFFER:
            Offer(data)
        if not self._is_in_order(kind):
            raise ProtocolError(f"a piece of kind {kind} is out of order", "outOfTurn")
        self.has_offered |= kind == OFFER
        self.has_moved |= kind == MOVE
        self.has_ended |= kind == END
        self.has_arrived |= kind == ARRIVED
        return kind, data

    def _is_in_order(self, kind: int) -> bool:
        if self.has_moved and not self.is_on_network:
            return False
        if not self.has_offered:
            return kind == OFFER
        is_open = not self.has_ended
        return {
            OFFER: False, MOVE: not self.is_on_network,
            DATA: is_open, END: is_open, ARRIVED: self.has_ended and not self.has_arrived,
            ALIVE: True, TAKEN: not self.has_arrived,
        }[kind]


class Window:
    """The data pieces of one direction that are in transit over the radio."""

    def __init__(self):
        self._waiting = 0

    @property
    def has_room(self) -> bool:
        return self._waiting < WINDOW

    def add(self) -> None:
        """Counts a data piece over the radio."""
        if not self.has_room:
            raise ProtocolError("more pieces of a stream than may be in transit", "outOfTurn")
        self._waiting += 1

    def remove(self) -> None:
        """Counts a piece that was taken."""
        if not self._waiting:
            raise ProtocolError("a piece was taken that was not sent", "outOfTurn")
        self._waiting -= 1


class Moves:
    """Over which connection of the local network one side of a stream sends and receives; None for the radio."""

    def __init__(self, is_caller: bool, has_offered: bool):
        self._is_caller, self._has_offered = is_caller, has_offered
        self._may_move = self._has_given_up = False
        self._proven: set[bytes] = set()
        # The connection to which the caller has moved, and which has not proved itself at the listener.
        self._awaited: bytes | None = None
        self.sending: bytes | None = None
        self.receiving: bytes | None = None

    def offer(self, is_empty: bool) -> None:
        """The other side's offer has arrived."""
        self._may_move = self._has_offered and not is_empty and not self._has_given_up

    def prove(self, connection: bytes) -> None:
        """Both ends of a connection have proved themselves."""
        if not self._may_move or self.sending:
            return
        self._proven.add(connection)
        if self._is_caller:
            self.sending = connection
        elif connection == self._awaited:
            self.sending = self.receiving = connection

    def move(self, connection: bytes) -> None:
        """The other side moves to a connection."""
        is_answer = self._is_caller and connection == self.sending and self.receiving is None
        is_first = not self._is_caller and self._may_move and not self.sending and not self._awaited
        if not is_answer and not is_first:
            raise ProtocolError("a move out of turn", "outOfTurn")
        if is_answer:
            self.receiving = connection
        elif connection in self._proven:
            self.sending = self.receiving = connection
        else:
            self._awaited = connection

    def give_up(self) -> None:
        """The time for connecting is over. The caller's move to a connection that is proven may be on its way."""
        self._has_given_up = True
        if not self._proven and not self._awaited:
            self._may_move = False
