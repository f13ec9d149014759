"""Protocol Buffers, version 3, as far as the protocol needs them, with the .proto files themselves as the definition.

A message is a dictionary of its fields by name. A field that is absent, or has its default and no presence, is not in
it (Docs/Protocol.md, "Encoding").
"""

import dataclasses
import pathlib
import re
import struct

from .errors import Refused

DIRECTORY = pathlib.Path(__file__).parents[3] / "Sources/HandoffWire/Protocol"
DEEPEST = 64
VARINT, FIXED_64, BYTES, GROUP, END_OF_GROUP, FIXED_32 = range(6)
WIRE_TYPES = {"bytes": BYTES, "string": BYTES, "double": FIXED_64, "bool": VARINT, "uint32": VARINT, "uint64": VARINT,
              "sint64": VARINT}
DEFAULTS = {"bytes": b"", "string": "", "double": 0.0, "bool": False, "uint32": 0, "uint64": 0, "sint64": 0}


@dataclasses.dataclass(frozen=True)
class Field:
    name: str
    number: int
    kind: str
    is_repeated: bool
    oneof: str | None
    has_presence: bool


class Schema:
    """The messages and enumerations of the files, by their names."""

    def __init__(self, *files: str):
        self.messages: dict[str, dict[int, Field]] = {}
        self.enumerations: dict[str, dict[str, int]] = {}
        for file in files:
            self._read((DIRECTORY / file).read_text())

    def _read(self, text: str) -> None:
        """Reads one file: blocks by their braces, and a field in each line that has a number."""
        open_blocks: list[tuple[str, str]] = []
        for line in re.sub(r"//.*", "", text).splitlines():
            if block := re.match(r"\s*(message|enum|oneof)\s+(\w+)\s*\{(\s*\})?", line):
                if block[1] == "message":
                    self.messages[block[2]] = {}
                elif block[1] == "enum":
                    self.enumerations[block[2]] = {}
                if not block[3]:
                    open_blocks.append((block[1], block[2]))
            elif re.match(r"\s*\}", line):
                open_blocks.pop()
            elif value := re.match(r"\s*(\w+)\s*=\s*(\d+);", line):
                self.enumerations[open_blocks[-1][1]][value[1]] = int(value[2])
            elif field := re.match(r"\s*(repeated\s+|optional\s+)?(\w+)\s+(\w+)\s*=\s*(\d+);", line):
                oneof = open_blocks[-1][1] if open_blocks[-1][0] == "oneof" else None
                owner = next(name for kind, name in reversed(open_blocks) if kind == "message")
                label, kind, name, number = (field[1] or "").strip(), field[2], field[3], int(field[4])
                is_present = bool(oneof) or label == "optional"
                self.messages[owner][number] = Field(name, number, kind, label == "repeated", oneof, is_present)

    def encode(self, name: str, message: dict) -> bytes:
        """The bytes of a message, its fields by ascending number."""
        encoded = b""
        for number, field in sorted(self.messages[name].items()):
            if field.name in message:
                value = message[field.name]
                for item in value if field.is_repeated else [value]:
                    if field.is_repeated or field.has_presence or item != DEFAULTS.get(field.kind, 0):
                        encoded += self._encode_field(field, number, item)
        return encoded

    def decode(self, name: str, data: bytes, depth: int = 1) -> dict:
        """The fields of a message."""
        message: dict = {}
        self._decode(name, data, message, depth)
        return message

    def _encode_field(self, field: Field, number: int, value) -> bytes:
        kind = field.kind
        if kind in self.messages:
            return _tagged(number, self.encode(kind, value))
        if kind in ("bytes", "string"):
            return _tagged(number, value.encode() if kind == "string" else value)
        if kind == "double":
            return _varint(number << 3 | FIXED_64) + struct.pack("<d", value)
        if kind == "sint64":
            value = value << 1 if value >= 0 else -value * 2 - 1
        return _varint(number << 3) + _varint(int(value))

    def _decode(self, name: str, data: bytes, message: dict, depth: int) -> None:
        if depth > DEEPEST:
            raise Refused("malformed", "messages are nested too deep")
        reader = _Reader(data)
        while not reader.is_at_end:
            number, wire_type = reader.key()
            field = self.messages[name].get(number)
            if field is None or wire_type != self._wire_type(field.kind):
                reader.skip(wire_type, number, depth)
                continue
            self._store(field, reader.value(wire_type), message, name, depth)

    def _wire_type(self, kind: str) -> int:
        return WIRE_TYPES.get(kind, BYTES if kind in self.messages else VARINT)

    def _store(self, field: Field, raw, message: dict, owner: str, depth: int) -> None:
        if field.oneof:
            for other in self.messages[owner].values():
                if other.oneof == field.oneof and other.name != field.name:
                    message.pop(other.name, None)
        if field.kind in self.messages:
            if field.is_repeated:
                message.setdefault(field.name, []).append(self.decode(field.kind, raw, depth + 1))
            else:
                self._decode(field.kind, raw, message.setdefault(field.name, {}), depth + 1)
        elif field.is_repeated:
            message.setdefault(field.name, []).append(self._scalar(field.kind, raw))
        else:
            message[field.name] = self._scalar(field.kind, raw)
            if not field.has_presence and message[field.name] == DEFAULTS.get(field.kind, 0):
                del message[field.name]

    @staticmethod
    def _scalar(kind: str, raw):
        if kind == "string":
            try:
                return raw.decode()
            except UnicodeDecodeError:
                raise Refused("malformed", "a text is not UTF-8") from None
        if kind == "double":
            return struct.unpack("<d", raw)[0]
        if kind == "bool":
            return raw != 0
        if kind == "sint64":
            return raw >> 1 ^ -(raw & 1)
        return raw if kind in ("bytes", "uint64") else raw & 0xFFFF_FFFF


class _Reader:
    def __init__(self, data: bytes):
        self._data, self._position = data, 0

    @property
    def is_at_end(self) -> bool:
        return self._position == len(self._data)

    def take(self, count: int) -> bytes:
        if count > len(self._data) - self._position:
            raise Refused("malformed", "a message ends inside a field")
        self._position += count
        return self._data[self._position - count : self._position]

    def varint(self, longest: int = 10) -> int:
        number = 0
        for shift in range(0, 7 * longest, 7):
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number & (2**64 - 1)
        raise Refused("malformed", f"a number of more than {longest} bytes")

    def key(self) -> tuple[int, int]:
        key = self.varint(longest=5)
        if key >> 32:
            raise Refused("malformed", "the key of a field of more than 32 bits")
        if key >> 3 == 0:
            raise Refused("malformed", "a field of number 0")
        if key & 7 > FIXED_32:
            raise Refused("malformed", "a field of an unknown wire type")
        return key >> 3, key & 7

    def value(self, wire_type: int):
        if wire_type == VARINT:
            return self.varint()
        return self.take(self.varint() if wire_type == BYTES else 8 if wire_type == FIXED_64 else 4)

    def skip(self, wire_type: int, number: int, depth: int) -> None:
        if wire_type == END_OF_GROUP:
            raise Refused("malformed", "the end of a group that did not begin")
        if wire_type != GROUP:
            self.value(wire_type)
            return
        if depth + 1 > DEEPEST:
            raise Refused("malformed", "groups are nested too deep")
        while True:
            inner, wire_type = self.key()
            if wire_type == END_OF_GROUP:
                if inner != number:
                    raise Refused("malformed", "the end of another group")
                return
            self.skip(wire_type, inner, depth + 1)


def _varint(number: int) -> bytes:
    encoded = b""
    while number > 0x7F:
        encoded += bytes([number & 0x7F | 0x80])
        number >>= 7
    return encoded + bytes([number])


def _tagged(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | BYTES) + _varint(len(content)) + content
