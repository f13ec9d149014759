"""Seeds of connections over a local network: the steps of Tests/Fuzz/Program/Streams/HarnessNetwork.swift."""

from seeding.forms import SIDES, cases, chunk


def step(kind: int, content: bytes = b"", device: str = "caller", stream: int = 0) -> bytes:
    """A step of HarnessNetwork."""
    return bytes([kind | (8 if device == "listener" else 0) | stream << 4]) + chunk(content)


# Steps of HarnessNetwork.
OPENS, OPENS_AS_LIAR, ACCEPTS, RECEIVES, IS_LIED_TO = range(5)


def connections() -> dict[str, bytes]:
    """Connections over a local network: honest ones, and what somebody in between may do."""
    honest = {
        opener: step(OPENS, device=opener) + step(ACCEPTS, b"\0", acceptor)
        for opener, acceptor in (SIDES, reversed(SIDES))
    }
    finished = step(RECEIVES, b"\0\1") + step(RECEIVES, b"\1\2")
    first = honest["caller"]
    found = {f"opened-by-the-{opener}": steps + finished for opener, steps in honest.items()}
    found |= {
        "another-stream": step(OPENS, stream=1) + step(ACCEPTS, b"\0", "listener", 1) + finished,
        "an-opening-for-another-stream": step(OPENS) + step(ACCEPTS, b"\0", "listener", 1),
        "an-opening-sent-back": step(OPENS) + step(ACCEPTS, b"\0", "caller"),
        "a-changed-opening": step(OPENS) + step(ACCEPTS, b"\0" + bytes(20) + b"\1", "listener"),
        "a-longer-opening": step(OPENS) + step(ACCEPTS, b"\0" + bytes(49), "listener"),
        "an-opening-twice": first + step(ACCEPTS, b"\0", "listener") + step(RECEIVES, b"\0\2")
                            + step(RECEIVES, b"\2\3") + step(RECEIVES, b"\1\3"),
        "an-answer-to-another": first + step(OPENS) + step(RECEIVES, b"\2\1"),
        "a-changed-answer": first + step(RECEIVES, b"\0\1" + bytes(31) + b"\1"),
        "an-answer-as-confirmation": first + step(RECEIVES, b"\1\1"),
        "a-changed-confirmation": first + step(RECEIVES, b"\0\1") + step(RECEIVES, b"\1\2\1"),
        "zeros": step(ACCEPTS, b"\x80" + bytes(48)) + step(OPENS)
                 + step(RECEIVES, b"\0\x80" + bytes(32)),
        "too-short": step(ACCEPTS, b"\x80" + bytes(15)) + step(OPENS)
                     + step(RECEIVES, b"\0\x80" + bytes(15)),
        "lies": step(OPENS_AS_LIAR, b"abc") + step(ACCEPTS, b"\0", "listener")
                + step(IS_LIED_TO, b"\1") + step(OPENS) + step(IS_LIED_TO, b"\2"),
        "lies-with-contents": first + step(IS_LIED_TO, b"\0x") + step(IS_LIED_TO, b"\1x"),
        "one-number-twice": 2 * step(OPENS_AS_LIAR, b"abc") + step(ACCEPTS, b"\0", "listener")
                            + step(RECEIVES, b"\0\2") + step(RECEIVES, b"\1\2") + step(RECEIVES, b"\2\3"),
    }
    for case in cases("stream"):
        if network := case.get("network"):
            parts = [bytes.fromhex(network[name]) for name in ("opening", "answer", "confirmation")]
            found[f"vector-{case['what']}"] = (step(ACCEPTS, b"\x80" + parts[0], "listener") + first
                                               + step(RECEIVES, b"\0\x80" + parts[1])
                                               + step(RECEIVES, b"\1\x80" + parts[2]))
    return found
