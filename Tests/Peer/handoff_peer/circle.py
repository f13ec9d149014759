"""Statements, and what a device concludes from them (Docs/Circle.md)."""

import dataclasses

from .keys import Identity, device_id, refused_keys
from .names import clean
from .primitives import is_signed, sha256, sign

ADD, REMOVE, NAME = 1, 2, 3
LABEL = b"handoffd v2 statement"
SIGNATURE = 64
MOST_KNOWN, MOST_BROUGHT = 128, 48
MOST_OF_AUTHOR = {ADD: 32, REMOVE: 32, NAME: 8}


# What identifies a statement that replaces another: its kind, author and subject, and of an addition the added keys, since
# two devices may have one identifier.
Place = tuple[int, bytes, bytes, bytes]


class LimitReached(Exception):
    """A person asked for more statements than a device makes."""


@dataclasses.dataclass(frozen=True)
class Content:
    """The content of a statement: what it says, and its bytes."""

    kind: int
    author: bytes
    subject: bytes
    bytes: bytes
    keys: bytes = b""
    name: str = ""
    version: int = 0

    @property
    def place(self) -> Place:
        return self.kind, self.author, self.subject, self.keys

    def outranks(self, other: "Content") -> bool:
        """Whether this one of two statements in one place stays."""
        if self.kind == NAME:
            return (self.version, self.bytes) > (other.version, other.bytes)
        return self.kind == ADD and self.bytes < other.bytes

    @classmethod
    def decode(cls, data: bytes) -> "Content | None":
        kind, author, rest = data[:1], data[1:9], data[9:]
        if kind == b"\x02" and len(rest) == 8:
            return cls(REMOVE, author, rest, data)
        start = {b"\x01": 64, b"\x03": 12}.get(kind)
        if start is None or len(rest) <= start or not 1 <= rest[start] <= 64 or len(rest) != start + 1 + rest[start]:
            return None
        try:
            name = rest[start + 1 :].decode()
        except UnicodeDecodeError:
            return None
        if kind == b"\x03":
            return cls(NAME, author, rest[:8], data, name=name, version=int.from_bytes(rest[8:12], "big"))
        keys = rest[:64]
        return None if refused_keys(keys) else cls(ADD, author, device_id(keys), data, keys=keys, name=name)


def add_content(author: bytes, keys: bytes, name: str) -> bytes:
    return b"\x01" + author + keys + bytes([len(name.encode())]) + name.encode()


def remove_content(author: bytes, subject: bytes) -> bytes:
    return b"\x02" + author + subject


def name_content(author: bytes, subject: bytes, version: int, name: str) -> bytes:
    return b"\x03" + author + subject + version.to_bytes(4, "big") + bytes([len(name.encode())]) + name.encode()


class Circle:
    """The statements that a device has, and what it concludes from them."""

    def __init__(self, root: bytes):
        self.root, self.root_id = root, device_id(root)
        self.statements: dict[Place, tuple[Content, bytes]] = {}
        # By identifier; somebody may have searched for two devices with one identifier.
        self.all_keys: dict[bytes, set[bytes]] = {self.root_id: {root}}
        # The removals, by author and subject, that the person at this device has overruled.
        self.overruled: set[tuple[bytes, bytes]] = set()

    # Joining.

    def join(self, statements: list[bytes]) -> None:
        """Takes in what can be taken in, in any order that makes the authors known first."""
        while any([self.take(statement) for statement in statements]):
            pass

    def take(self, statement: bytes) -> bool:
        """Takes one statement in; whether anything has changed."""
        content = Content.decode(statement[:-SIGNATURE])
        if content is None or content.author not in self.all_keys:
            return False
        if content.kind != ADD and content.subject not in self.all_keys:
            return False
        present = self.statements.get(content.place)
        if present is not None and not content.outranks(present[0]):
            return False
        if present is None and not self._has_room(content):
            return False
        signed, signature = LABEL + content.bytes, statement[-SIGNATURE:]
        if not any(is_signed(keys[32:], signature, signed) for keys in self.all_keys[content.author]):
            return False
        self.statements[content.place] = content, statement
        if content.kind == ADD and content.subject != self.root_id:
            self.all_keys.setdefault(content.subject, set()).add(content.keys)
        return True

    def _has_room(self, content: Content) -> bool:
        kind, author, subject, _ = content.place
        made = sum(place[:2] == (kind, author) for place in self.statements)
        if made >= MOST_OF_AUTHOR[kind]:
            return False
        if kind != ADD or subject in self.all_keys:
            return True
        if len(self.all_keys) > MOST_KNOWN:
            return False
        introducers = self._introducers()
        while author != self.root_id:
            if self._brought(introducers).get(author, 0) >= MOST_BROUGHT:
                return False
            author = introducers[author]
        return True

    def _introducers(self) -> dict[bytes, bytes]:
        """For each known device the one that counts as its introducer: that on the shortest way from the root."""
        introducers: dict[bytes, bytes] = {}
        layer = [self.root_id]
        while layer:
            found: dict[bytes, bytes] = {}
            for author in sorted(layer):
                for kind, by, subject, _ in self.statements:
                    if kind == ADD and by == author and subject not in introducers and subject != self.root_id:
                        found.setdefault(subject, author)
            introducers |= found
            layer = list(found)
        return introducers

    @staticmethod
    def _brought(introducers: dict[bytes, bytes]) -> dict[bytes, int]:
        """How many devices each device has brought, directly or through those that it brought."""
        counts: dict[bytes, int] = {}
        for device in introducers:
            by = introducers.get(device)
            while by is not None:
                counts[by] = counts.get(by, 0) + 1
                by = introducers.get(by)
        return counts

    # What the person at this device says.

    def add(self, identity: Identity, keys: bytes, name: str) -> None:
        """Says that this device trusts the device with these keys."""
        self._say(identity, add_content(identity.id, keys, name))

    def remove(self, identity: Identity, subject: bytes) -> None:
        self.overruled.discard((identity.id, subject))
        self._say(identity, remove_content(identity.id, subject))

    def keep(self, identity: Identity, subject: bytes) -> None:
        """Answers a question, or overrules the removals of a device that are known now."""
        self.overruled |= {(by, about) for kind, by, about, _ in self.statements if (kind, about) == (REMOVE, subject)}
        if (ADD, identity.id, subject, self.keys[subject]) not in self.statements:
            self.add(identity, self.keys[subject], self.name(subject) or subject.hex())

    def rename(self, identity: Identity, subject: bytes, name: str) -> None:
        versions = [version for version, _, _ in self._names(subject)]
        if max(versions, default=0) == 2**32 - 1:
            raise LimitReached(f"the name of {subject.hex()} has the highest version")
        version = max(versions, default=-1 if subject == identity.id else 0) + 1
        self._say(identity, name_content(identity.id, subject, version, name))

    def _say(self, identity: Identity, content: bytes) -> None:
        read = Content.decode(content)
        is_new = read is not None and read.place not in self.statements
        if not self.take(content + sign(identity.signing, LABEL + content)) and is_new:
            raise LimitReached(content.hex())

    # What follows.

    @property
    def sorted_statements(self) -> list[bytes]:
        """All statements, in the order of their contents."""
        return [statement for _, statement in sorted(self.statements.values(), key=lambda pair: pair[0].bytes)]

    @property
    def digest(self) -> bytes:
        return sha256(b"".join(sorted(content.bytes for content, _ in self.statements.values())))

    @property
    def keys(self) -> dict[bytes, bytes]:
        """The public keys of each known device; of several the lowest."""
        return {device: min(keys) for device, keys in self.all_keys.items()}

    @property
    def known(self) -> list[bytes]:
        """The identifiers of all known devices but this one."""
        return sorted(set(self.all_keys) - {self.root_id})

    @property
    def trusted(self) -> set[bytes]:
        """The identifiers of the trusted devices, this one among them."""
        contested = {subject for subject in self.all_keys if self._removers(subject) or self._is_ambiguous(subject)}
        trusted, layer = {self.root_id}, {self.root_id}
        while layer:
            layer = {s for kind, by, s, _ in self.statements if kind == ADD and by in layer} - contested - trusted
            trusted |= layer
        return trusted

    def _by(self, kind: int, subject: bytes) -> set[bytes]:
        return {by for what, by, about, _ in self.statements if (what, about) == (kind, subject)}

    def _is_ambiguous(self, subject: bytes) -> bool:
        """Whether several devices have this identifier: then none of them is trusted."""
        return len(self.all_keys[subject]) > 1

    def _removers(self, subject: bytes) -> set[bytes]:
        """The known devices that have removed it and were not overruled; none for this device."""
        if subject == self.root_id:
            return set()
        return {by for by in self._by(REMOVE, subject) if (by, subject) not in self.overruled}

    def standing(self, subject: bytes) -> str:
        """Whether it is trusted, and if not, why, as Docs/vectors/circle.json says it."""
        trusted, removers = self.trusted, self._removers(subject)
        if subject in trusted:
            return "trusted"
        if self._is_ambiguous(subject):
            return f"removed by {_list(self._by(ADD, subject))}"
        if removers & trusted:
            return f"removed by {_list(removers & trusted)}"
        if removers:
            return f"disputed by {_list(removers)}"
        return f"orphaned, brought by {_list(self._by(ADD, subject))}"

    def name(self, subject: bytes) -> str:
        """The name of a device as it was stated."""
        names, authors = self._names(subject), self._by(ADD, subject)
        if names:
            return max(names)[2]
        if not authors:
            return ""
        place = ADD, min(authors & self.trusted or authors), subject, self.keys[subject]
        return self.statements[place][0].name if place in self.statements else subject.hex()

    def _names(self, subject: bytes) -> list[tuple[int, bytes, str]]:
        """The names of a device that count, each with its version and its author."""
        authors = self.trusted | {subject}
        return [
            (content.version, content.author, content.name)
            for content, _ in self.statements.values()
            if content.kind == NAME and content.subject == subject and content.author in authors
        ]

    def shown_name(self, subject: bytes) -> str:
        return clean(self.name(subject)) or subject.hex()


def _list(devices: set[bytes]) -> str:
    return " ".join(device.hex() for device in sorted(devices))
