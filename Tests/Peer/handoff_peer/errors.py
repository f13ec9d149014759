"""What can go wrong between two devices."""


class ProtocolError(Exception):
    """The other side broke a rule of the protocol, so the session or the pairing ends.

    In a session `kind` is the word of Docs/Protocol.md, "What ends a session".
    """

    def __init__(self, reason: str, kind: str = ""):
        super().__init__(f"{kind}: {reason}" if kind else reason)
        self.kind = kind


class ChannelEnded(Exception):
    """The other side has closed the channel."""


class ChannelLost(Exception):
    """The channel has failed, or could not be opened."""


class Refused(ProtocolError):
    """A message that must be refused; `kind` is the one of Docs/vectors/messages.json."""

    def __init__(self, kind: str, reason: str):
        super().__init__(reason, kind)


def invalid(reason: str) -> Refused:
    """A message with a value that breaks a rule."""
    return Refused("invalidContent", reason)
