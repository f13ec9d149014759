"""Requests, answers, acknowledgements and reports (Docs/Protocol.md, "Messages"; Handoff.proto).

A message that was read is a dictionary: `kind` and what Docs/vectors/messages.json calls its parts.
"""

from .activity import Activity
from .advertisement import LAST_NUMBER, NO_TYPE, Content
from .errors import Refused, invalid
from .values import SCHEMA

REFUSAL_CODES = SCHEMA.enumerations["Code"]
OUTCOMES = {
    "continued": {1: "app", 2: "browser", 3: "document"},
    "failed": {1: "notContinuable", 2: "appFailed", 3: "cancelled", 4: "documentMissing",
               5: "browserFailed", 6: "viewerFailed"},
}
UNKNOWN_OUTCOMES = {"continued": "app", "failed": "failed"}
# The bytes of a digest of a circle, of an advertising key with its day and identifier, of a directed key, and of the
# identifier of a key.
DIGEST, ADVERTISING_KEY, DIRECTED_KEY, KEY_IDENTIFIER = 32, 44, 32, 8
MOST_STATEMENTS = 9288
# The most bytes of an activity, of an answer without a circle, and of everything else but circles.
LONGEST_ACTIVITY, LONGEST_ANSWER, LONGEST_OTHER = 65_536, 65_574, 1020


def _unknown(what: str) -> Refused:
    return Refused("unknownKind", what)


def _sized(message: dict, name: str, count: int) -> bytes:
    content = message.get(name, b"")
    if len(content) != count:
        raise invalid(f"{name} has {len(content)} bytes")
    return content


# Writing.


def fetch_request(slot: int, number: int, purpose: str, take: bytes = b"") -> bytes:
    """A fetch for `preview`, `freshPreview` or `take` of the activity for which a number of a slot stands."""
    fetch: dict = {"slot": slot, "number": number}
    if purpose == "take":
        fetch["take"] = {"id": take}
    else:
        fetch["preview"] = {"fresh": purpose == "freshPreview"}
    return SCHEMA.encode("Request", {"fetch": fetch})


def circle_request(digest: bytes) -> bytes:
    return SCHEMA.encode("Request", {"circle": {"digest": digest}})


def stream_request(name: int) -> bytes:
    return SCHEMA.encode("Request", {"stream": {"activity": name}})


def settle_request(pairing: bytes, is_confirmed: bool) -> bytes:
    """Asks how a pairing has ended that this side's user has confirmed, or not."""
    return SCHEMA.encode("Request", {"settle": {"pairing": pairing, "confirmed": is_confirmed}})


def report_request(take: bytes, outcome: str) -> bytes:
    return SCHEMA.encode("Request", {"report": _report(take, outcome)})


def report_message(take: bytes, outcome: str) -> bytes:
    return SCHEMA.encode("TakeReport", _report(take, outcome))


def _report(take: bytes, outcome: str) -> dict:
    name, _, detail = outcome.partition(" ")
    number = next((number for number, text in OUTCOMES[name].items() if text == detail), 0)
    return {"take": take, name: {"kind" if name == "continued" else "reason": number}}


def answer(kind: str, content: dict, digest: bytes = b"") -> bytes:
    """An answer of the kinds of Handoff.proto: `activity`, `refusal`, `stream`, `circle`, `settled` or `noted`."""
    return SCHEMA.encode("Answer", {kind: content, "circle_digest": digest})


def refusal(code: str, text: str, current: dict | None = None) -> dict:
    """A refusal, with what is current instead, as `current_activity` describes it."""
    return {"code": REFUSAL_CODES[code], "message": text} | ({} if current is None else {"current": current})


def current_activity(slot: int, content: Content) -> dict:
    """What is shown in a slot."""
    return {
        "type_hash": content.type_hash, "slot": slot, "number": content.number, "has_webpage": content.has_webpage,
        "has_document": content.has_document,
    }


def acknowledgement(circle: dict | None = None, key: bytes = b"") -> bytes:
    """An acknowledgement, after a circle with the sender's, after `settled` with the sender's advertising key."""
    message = {} if circle is None else {"circle": circle}
    return SCHEMA.encode("Acknowledgement", message | ({"settled": {"advertising_key": key}} if key else {}))


# Reading.


def read_request(data: bytes) -> dict:
    message = SCHEMA.decode("Request", data)
    if "fetch" in message:
        return {"kind": "fetch"} | _read_fetch(message["fetch"])
    if "circle" in message:
        return {"kind": "circle", "circleDigest": _sized(message["circle"], "digest", DIGEST)}
    if "stream" in message:
        return {"kind": "stream", "streamName": message["stream"].get("activity", 0)}
    if "settle" in message:
        return {"kind": "settle"} | _read_settle(message["settle"])
    if "report" in message:
        return {"kind": "report"} | _read_report(message["report"])
    raise _unknown("a request of an unknown kind")


def _read_fetch(message: dict) -> dict:
    fetch = {"slot": message.get("slot", 0), "number": message.get("number", 0)}
    if fetch["number"] > LAST_NUMBER:
        raise invalid(f"number is above {LAST_NUMBER}")
    if "preview" not in message and "take" not in message:
        raise _unknown("a fetch without a purpose")
    if "preview" in message:
        return fetch | {"purpose": "freshPreview" if message["preview"].get("fresh") else "preview"}
    return fetch | {"purpose": "take", "take": _sized(message["take"], "id", 8)}


def _read_settle(message: dict) -> dict:
    return {"pairing": _sized(message, "pairing", 8), "isConfirmed": bool(message.get("confirmed"))}


def _read_report(message: dict) -> dict:
    report = {"take": _sized(message, "take", 8)}
    for name, details in OUTCOMES.items():
        if name in message:
            number = next(iter(message[name].values()), 0)
            return report | {"outcome": f"{name} {details.get(number, UNKNOWN_OUTCOMES[name])}"}
    raise _unknown("a report without an outcome")


def read_report(data: bytes) -> dict:
    return _read_report(SCHEMA.decode("TakeReport", data))


def read_answer(data: bytes) -> dict:
    message = SCHEMA.decode("Answer", data)
    digest = message.get("circle_digest", b"")
    # An activity has a key and a length of three bytes before it, a digest a key and a length of one.
    if "circle" not in message and len(data) - (len(digest) + 2 if digest else 0) > LONGEST_ACTIVITY + 4:
        raise Refused("tooLarge", f"an answer of {len(data)} bytes")
    beside = {"circleDigest": digest} if len(digest) == DIGEST else {}
    if "activity" in message:
        return beside | {"kind": "activity", "activity": Activity.decode(message["activity"])}
    if "refusal" in message:
        return beside | {"kind": "refusal"} | _read_refusal(message["refusal"])
    if "settled" in message:
        return beside | {"kind": "settled", "advertisingKey": _read_settled(message["settled"])}
    if "circle" in message:
        return beside | {"kind": "circle", "circle": _read_circle(message["circle"])}
    for kind in ("stream", "noted"):
        if kind in message:
            return beside | {"kind": kind, kind: message[kind]}
    raise _unknown("an answer of an unknown kind")


def _read_settled(message: dict) -> bytes:
    return _sized(message, "advertising_key", ADVERTISING_KEY)


def _read_circle(message: dict) -> dict:
    """The same state of a circle, if its fields have their lengths."""
    if len(message.get("statements", [])) > MOST_STATEMENTS:
        raise Refused("tooLarge", "a circle of too many statements")
    for name, count in ("digest", DIGEST), ("advertising_key", ADVERTISING_KEY), ("directed_key", DIRECTED_KEY):
        _sized(message, name, count)
    if "known_key" in message:
        _sized(message, "known_key", KEY_IDENTIFIER)
    return message


def _read_refusal(message: dict) -> dict:
    refused = {"refusalCode": message.get("code", 0), "refusalMessage": message.get("message", "")}
    current = message.get("current", {})
    hashed, number = current.get("type_hash", b""), current.get("number", 0)
    # What says nothing useful is ignored: the refusal holds without it.
    if refused["refusalCode"] != REFUSAL_CODES["NO_LONGER_CURRENT"] or number > LAST_NUMBER:
        return refused
    if len(hashed) != len(NO_TYPE) or hashed == NO_TYPE:
        return refused
    shown = {"typeHash": hashed, "slot": current.get("slot", 0), "number": number}
    flags = {"hasWebpage": current.get("has_webpage", False), "hasDocument": current.get("has_document", False)}
    return refused | {"current": shown | flags}


def read_acknowledgement(data: bytes) -> dict:
    """The circle, and the advertising key, in it."""
    message = SCHEMA.decode("Acknowledgement", data)
    read = {"circle": _read_circle(message["circle"])} if "circle" in message else {}
    if "settled" in message:
        read["advertisingKey"] = _read_settled(message["settled"])
    return read


def read_circle_acknowledgement(data: bytes) -> dict:
    """The circle in an acknowledgement that has to have one."""
    read = read_acknowledgement(data)
    if "circle" not in read:
        raise invalid("an acknowledgement without a circle")
    return read["circle"]
