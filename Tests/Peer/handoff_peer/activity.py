"""Activities (Docs/Protocol.md, "Messages", "Encoding" and "Web page addresses"; Handoff.proto)."""

import dataclasses
import re

from .errors import invalid
from .names import JOINERS, REMOVED, WHITE_SPACE
from .values import (
    LONGEST_KEY, canonical, checked_text, decode_date, decode_entries, encode_date, encode_entries, plain_of, value_of,
)

TYPE = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+\Z")
BROWSING = "NSUserActivityTypeBrowsingWeb"
TEAM = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")


@dataclasses.dataclass
class Activity:
    """What a user is doing in an app; `user_info` holds values as `values` describes them."""

    type: str
    title: str | None = None
    webpage_url: str | None = None
    user_info: dict[str, dict] = dataclasses.field(default_factory=dict)
    team_id: str | None = None
    expiration: str | None = None
    target_content_identifier: str | None = None
    persistent_identifier: str | None = None
    supports_continuation_streams: bool = False
    required_user_info_keys: list[str] = dataclasses.field(default_factory=list)
    stream_name: int = 0

    @classmethod
    def of(
        cls, activity_type: str, title: str | None = None, info: dict | None = None, streams: bool = False
    ) -> "Activity":
        """An activity with plain Python objects as userInfo."""
        values = {key: value_of(item) for key, item in (info or {}).items()}
        return cls(activity_type, title=title, user_info=values, supports_continuation_streams=streams)

    @property
    def info(self) -> dict:
        """userInfo as plain Python objects."""
        return {key: plain_of(value) for key, value in self.user_info.items()}

    def message(self) -> dict:
        """The message of Handoff.proto."""
        fields = dataclasses.asdict(self) | {"user_info": encode_entries(self.user_info)}
        fields["required_user_info_keys"] = sorted(set(self.required_user_info_keys), key=str.encode)
        if self.expiration is not None:
            fields["expiration"] = encode_date(self.expiration)
        return {name: value for name, value in fields.items() if value is not None}

    @classmethod
    def decode(cls, message: dict) -> "Activity":
        activity = cls(
            type=checked_type(message.get("type", "")),
            title=_optional(message, "title", longest=1024),
            webpage_url=message.get("webpage_url"),
            user_info=decode_entries(message.get("user_info", []), 1),
            team_id=message.get("team_id"),
            expiration=decode_date(message["expiration"]) if "expiration" in message else None,
            target_content_identifier=_optional(message, "target_content_identifier", 1024, least=1),
            persistent_identifier=_optional(message, "persistent_identifier", 1024, least=1),
            supports_continuation_streams=message.get("supports_continuation_streams", False),
            required_user_info_keys=_required_keys(message.get("required_user_info_keys", [])),
            stream_name=message.get("stream_name", 0),
        )
        if activity.webpage_url is not None and not is_web_page(activity.webpage_url):
            raise invalid("a web page address")
        if activity.team_id is not None and not TEAM.match(activity.team_id):
            raise invalid("a team identifier")
        return activity


def checked_type(activity_type: str) -> str:
    is_name = TYPE.match(activity_type) and 3 <= len(activity_type) <= 255
    if activity_type != BROWSING and not is_name:
        raise invalid("an activity type")
    return activity_type


def _optional(message: dict, name: str, longest: int, least: int = 0) -> str | None:
    return checked_text(message[name], longest, least) if name in message else None


def _required_keys(keys: list[str]) -> list[str]:
    unique = {canonical(checked_text(key, LONGEST_KEY)): key for key in reversed(keys)}
    if len(unique) > 1024:
        raise invalid("too many required keys")
    return sorted(unique.values(), key=str.encode)


def is_web_page(address: str) -> bool:
    """Whether the grammar of Docs/Protocol.md, "Web page addresses", derives the text."""
    if len(address.encode()) > 2048:
        return False
    parts = re.fullmatch(r"(?:https?)://([^/?#\\]*)((?:[/?#\\].*)?)", address, re.IGNORECASE | re.DOTALL)
    if parts is None:
        return False
    authority, rest = parts[1], parts[2]
    user, at, place = authority.rpartition("@")
    if at and not _is_name(user.replace(":", "")):
        return False
    host = re.fullmatch(r"(\[[0-9A-Fa-f:.]{2,}\]|[^\[\]:]+)(?::([0-9]*))?", place)
    if host is None or int(host[2] or 0) > 65_535:
        return False
    is_host = host[1].count(":") >= 2 if host[1].startswith("[") else _is_name(host[1])
    return bool(is_host) and all("!" <= char <= "~" or _is_other(char) or char in JOINERS for char in rest)


def _is_name(text: str) -> bool:
    plain = re.sub(r"%[0-9A-Fa-f]{2}", "", text)
    return all(char.isascii() and (char.isalnum() or char in "-._~!$&'()*+,;=") or _is_other(char) for char in plain)


def _is_other(char: str) -> bool:
    return ord(char) >= 0xA0 and char not in JOINERS and ord(char) not in WHITE_SPACE | REMOVED
