"""The pieces of a continuation stream (Docs/Protocol.md, "Streams")."""

from .errors import ProtocolError

DATA, END, ARRIVED = range(3)
MOST_DATA = 8192
UNIT = 64


def encode_piece(kind: int, data: bytes = b"") -> bytes:
    content = bytes([kind]) + len(data).to_bytes(2, "big") + data
    return content + bytes(-len(content) % UNIT)


class PieceReader:
    """What one side receives: any number of data pieces, one end, and one arrived."""

    def __init__(self):
        self.has_ended = self.has_arrived = False

    def take(self, piece: bytes) -> tuple[int, bytes]:
        """The kind and the data of the next piece."""
        if len(piece) < 3:
            raise ProtocolError("a piece of a stream is too short", "malformed")
        kind, count = piece[0], int.from_bytes(piece[1:3], "big")
        if len(piece) != 3 + count + -(3 + count) % UNIT or any(piece[3 + count :]):
            raise ProtocolError("a piece of a stream is padded wrongly", "invalidPadding")
        if kind > ARRIVED or not (1 <= count <= MOST_DATA if kind == DATA else count == 0):
            raise ProtocolError(f"a piece of kind {kind} with {count} bytes", "malformed")
        is_open = not self.has_ended
        is_in_order = {DATA: is_open, END: is_open, ARRIVED: self.has_ended and not self.has_arrived}
        if not is_in_order[kind]:
            raise ProtocolError(f"a piece of kind {kind} is out of order", "outOfTurn")
        self.has_ended |= kind == END
        self.has_arrived |= kind == ARRIVED
        return kind, piece[3 : 3 + count]
