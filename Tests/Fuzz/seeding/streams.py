"""Seeds of streams: the steps of Tests/Fuzz/Program/Streams/StreamHarness.swift."""

from seeding.forms import chunk, plaintext


def piece(kind: int, content: bytes = b"", late: bool = False) -> bytes:
    """A well-formed piece; an offer of one byte is a whole one, a move of one byte is to that connection."""
    return bytes([1 | kind << 1 | (64 if late else 0)]) + chunk(content)


def event(number: int, content: bytes = b"") -> bytes:
    """What the device itself does in a stream: one of those below (StreamStep)."""
    return bytes([0x81 | number << 1]) + chunk(content)


DATA, END, ARRIVED, OFFER, MOVE, ALIVE, TAKEN = range(7)
WRITE, TAKE, OPEN, CONFIRM, DIAL, GIVE_UP = range(6)


def stream_steps(case: dict, device: str) -> bytes:
    """The steps of StreamHarness for a vector of a stream, of which one device is the one under test."""
    network = case.get("network")
    steps = b""
    for sent in case["pieces"]:
        plain = bytes.fromhex(sent["plaintext"])
        moves = network and plain[:1] == bytes([MOVE])
        if moves and sent["by"] == "caller":
            # The connection comes before the caller's move.
            steps += event(DIAL) if network["opener"] == device else event(OPEN) + event(CONFIRM, b"\0")
        steps += stream_step(sent["by"] == device, piece(MOVE, b"\0") if moves else plaintext(plain), plain)
    for sent in network["pieces"] if network else []:
        plain = bytes.fromhex(sent["plaintext"])
        steps += stream_step(sent["by"] == device, plaintext(plain), plain)
    # The offer of the device itself, and how the other side's bytes are cut.
    offer = next((bytes.fromhex(sent["plaintext"])[3:] for sent in case["pieces"]
                  if sent["by"] == device and sent["plaintext"].startswith("03")), b"")
    return bytes([0 if any(offer) else 1]) + steps


def stream_step(is_own: bool, step: bytes, plain: bytes) -> bytes:
    if is_own:
        return {bytes([DATA]): event(WRITE), bytes([TAKEN]): event(TAKE)}.get(plain[:1], b"")
    return step


def own_streams(device: str) -> dict[str, bytes]:
    """Streams that go through everything, with a peer that makes no mistake until the end."""
    offer, word = piece(OFFER, b"\5"), piece(DATA, b"word")
    radio = offer + word + event(TAKE) + event(WRITE) + piece(TAKEN) + piece(ALIVE)
    if device == "caller":
        arrivals = {"dialled": event(DIAL) + piece(MOVE, b"\0"),
                    "opened": event(OPEN) + event(CONFIRM, b"\0") + piece(MOVE, b"\0"),
                    "second": event(OPEN) + event(DIAL) + event(CONFIRM, b"\0") + piece(MOVE, b"\1")}
    else:
        arrivals = {"dialled": event(DIAL) + piece(MOVE, b"\0"),
                    "opened": event(OPEN) + event(CONFIRM, b"\0") + piece(MOVE, b"\0"),
                    "opened-late": event(OPEN) + piece(MOVE, b"\0") + word + event(CONFIRM, b"\0"),
                    "second": event(OPEN) + event(DIAL) + event(CONFIRM, b"\0") + event(GIVE_UP) + piece(MOVE, b"\1")}
    over_network = (piece(TAKEN) + event(TAKE) + piece(DATA, bytes(9000)) + 5 * word + piece(ALIVE) + piece(END)
                    + piece(ARRIVED) + piece(ALIVE))
    found = {
        "radio": b"\0" + radio + word + event(TAKE) + event(GIVE_UP) + piece(END) + piece(ARRIVED) + piece(ALIVE),
        "no-offer-of-this-device": b"\1" + radio + piece(END) + piece(ARRIVED),
        "no-offer-of-the-peer": b"\0" + piece(OFFER, b"\0") + word + event(TAKE) + piece(END) + piece(ARRIVED),
        "cut": b"\2" + radio + 3 * word + event(TAKE) + word + piece(END) + piece(ARRIVED),
        "window": b"\0" + offer + 4 * word + 4 * (event(TAKE) + word) + 4 * event(TAKE),
        "own-window": b"\0" + offer + 6 * event(WRITE) + 4 * piece(TAKEN) + event(WRITE) + piece(TAKEN),
        "move-after-arrived": b"\0" + radio + piece(END) + piece(ARRIVED) + arrivals["dialled"] + piece(ALIVE),
        "late-piece": b"\0" + radio + event(OPEN) + piece(MOVE, b"\0") + piece(ALIVE, late=True),
    }
    for name, arrival in arrivals.items():
        found[f"moved-{name}"] = (b"\0" + radio + word + event(WRITE) + event(WRITE) + piece(TAKEN) + arrival
                                  + over_network)
    return found
