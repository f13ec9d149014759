"""One channel of a pairing: what its two sides send, and what follows from it (Docs/Protocol.md, "Pairing")."""

import dataclasses
import enum
import secrets
from collections.abc import Callable

from .errors import ProtocolError
from .keys import Identity, device_id, refused_keys
from .noise import Handshake
from .primitives import agree, equal, hkdf, hmac_sha256, is_signed, sha256, sign
from .values import SCHEMA

PROLOGUE = b"handoffd v2 pairing"
PROOF = b"handoffd v2 pairing proof"
LONGEST_MESSAGE = 512
LONGEST_FRAME = 560
TOKEN = 9
REASONS = SCHEMA.enumerations["Reason"] | {
    "FAILED": 0, "NOT_CHOSEN": 1, "CANCELLED": 2, "DIGITS_DIFFER": 3, "TOO_SLOW": 4, "TOO_MANY_TRIES": 5,
}


def pairing_opening(caller_token: bytes, listener_token: bytes) -> bytes:
    """The payload of the first message, which is not encrypted."""
    return SCHEMA.encode("PairingOpening", {"caller_token": caller_token, "listener_token": listener_token})


def read_opening(payload: bytes, own_token: bytes) -> bytes:
    """The caller's token, from the payload of the first message to the device with `own_token`."""
    opening = SCHEMA.decode("PairingOpening", payload)
    token = opening.get("caller_token", b"")
    if opening.get("listener_token") != own_token or token == own_token or len(token) != TOKEN:
        raise ProtocolError("an opening with other tokens")
    return token


def pairing_message(kind: str, content) -> bytes:
    return SCHEMA.encode("PairingMessage", {kind: content})


def _statement(handshake_hash: bytes, is_caller: bool, keys: bytes) -> bytes:
    return handshake_hash + (b"\x01" if is_caller else b"\x02") + keys


def _proof_mac(secret: bytes, handshake_hash: bytes, statement: bytes) -> bytes:
    return hmac_sha256(hkdf(secret, PROOF, salt=handshake_hash), statement)


@dataclasses.dataclass(frozen=True)
class Introduction:
    """The proven identity of the other side."""

    keys: bytes
    name: str

    @property
    def id(self) -> bytes:
        return device_id(self.keys)

    @classmethod
    def check(cls, message: dict, exchange: "Exchange") -> "Introduction":
        """The introduction that `exchange` receives, if its proof is valid there."""
        keys, name = message.get("public_keys", b""), message.get("name", "")
        if refused_keys(keys) or len(name.encode()) > 256:
            raise ProtocolError("an introduction with public keys or a name that are refused")
        statement = _statement(exchange.handshake_hash, not exchange.is_caller, keys)
        secret = agree(exchange.ephemeral, keys[:32])
        if not is_signed(keys[32:], message.get("signature", b""), PROOF + statement):
            raise ProtocolError("the signature of an introduction is not valid")
        if not equal(message.get("mac", b""), _proof_mac(secret, exchange.handshake_hash, statement)):
            raise ProtocolError("the MAC of an introduction is not valid")
        return cls(keys, name)


class Closing(enum.Enum):
    """Who closes the channel."""

    NOT_YET = enum.auto()
    # This side, at once: it has the last message.
    HERE = enum.auto()
    # The other side: this one has sent the last message.
    THERE = enum.auto()


class Exchange:
    """One side of a channel after its handshake. Each method returns the messages that it causes, in order."""

    def __init__(
        self, handshake: Handshake, identity: Identity, name: str,
        make_nonce: Callable[[], bytes] = lambda: secrets.token_bytes(16),
    ):
        self.is_caller, self.ephemeral = handshake.is_initiator, handshake.ephemeral
        self._remote_ephemeral, self._make_nonce = handshake.remote_ephemeral, make_nonce
        self.handshake_hash = handshake.hash
        self.pairing_id = handshake.hash[:8]
        self.settling_key = hkdf(handshake.chaining_key, b"handoffd v2 pairing settling", salt=handshake.hash)
        self._identity, self._name = identity, name
        self._own_introduction = self._their_introduction = b""
        self.peer: Introduction | None = None
        self.is_chosen_here = self.is_chosen_there = False
        self._is_taking_back = False
        self._nonce: bytes | None = None
        self._commitment = b""
        self.digits: str | None = None
        self.is_confirmed_here = False
        self.key_there: bytes | None = None
        self.refusal: int | None = None
        # The reason for which this side has refused.
        self.own_refusal: int | None = None
        self.is_settled = False
        self.closing = Closing.NOT_YET

    @property
    def is_paired(self) -> bool:
        """Whether both users have confirmed."""
        return self.is_confirmed_here and self.key_there is not None

    @property
    def transcript(self) -> bytes:
        introductions = [self._own_introduction, self._their_introduction]
        caller, listener = (sha256(i) for i in (introductions if self.is_caller else reversed(introductions)))
        return sha256(b"handoffd v2 pairing transcript" + self.handshake_hash + caller + listener)

    # What this side does.

    def introduce(self) -> list[bytes]:
        keys = self._identity.public_keys
        statement = _statement(self.handshake_hash, self.is_caller, keys)
        secret = agree(self._identity.agreement, self._remote_ephemeral)
        self._own_introduction = pairing_message("introduction", {
            "name": self._name, "public_keys": keys, "signature": sign(self._identity.signing, PROOF + statement),
            "mac": _proof_mac(secret, self.handshake_hash, statement),
        })
        return [self._own_introduction]

    def choose(self) -> list[bytes]:
        self.is_chosen_here = True
        return [pairing_message("choice", {})] + self._commit()

    def withdraw_choice(self) -> list[bytes]:
        """Takes the choice back, which is possible until the numbers are exchanged."""
        self.is_chosen_here = self.is_chosen_there = False
        self._is_taking_back = True
        self._forget_commitment()
        return [pairing_message("withdrawal", {})]

    def confirm(self, advertising_key: bytes) -> list[bytes]:
        """The user confirms that the digits agree."""
        self.is_confirmed_here = True
        messages = [pairing_message("confirmation", {"advertising_key": advertising_key})]
        return messages + self._conclude()

    def refuse(self, reason: str) -> list[bytes]:
        """Ends the pairing before this side has confirmed."""
        if self.is_confirmed_here:
            raise ProtocolError("a device that has confirmed does not refuse")
        self.own_refusal = REASONS[reason]
        if self.digits is None:
            self.closing = Closing.THERE
        return [pairing_message("refusal", {"reason": REASONS[reason]})]

    def stop(self) -> list[bytes]:
        """The user wants to stop after having confirmed."""
        return [pairing_message("withdrawal", {})]

    # What the other side does.

    def receive(self, data: bytes) -> list[bytes]:
        message = SCHEMA.decode("PairingMessage", data)
        if len(data) > LONGEST_MESSAGE or len(message) != 1:
            raise ProtocolError("no message of a pairing")
        ((kind, content),) = message.items()
        if self.peer is None and kind not in ("introduction", "refusal"):
            raise ProtocolError(f"{kind} before the introduction")
        if self._is_taking_back and kind not in ("refusal", "withdrawal", "done"):
            return []
        if kind == "introduction":
            if self.peer is not None:
                raise ProtocolError("a second introduction")
            self.peer, self._their_introduction = Introduction.check(content, self), data
            return []
        return getattr(self, f"_receive_{kind}")(content)

    def _receive_choice(self, _: dict) -> list[bytes]:
        # After the numbers the choice still stands.
        self._expect(not self.is_chosen_there, "choice")
        self.is_chosen_there = True
        return self._commit()

    def _receive_commitment(self, commitment: bytes) -> list[bytes]:
        is_due = self.is_chosen_here and self.is_chosen_there and self._nonce is None
        self._expect(not self.is_caller and is_due and len(commitment) == 32, "commitment")
        self._commitment, self._nonce = commitment, self._make_nonce()
        return [pairing_message("share", self._nonce)]

    def _receive_share(self, share: bytes) -> list[bytes]:
        is_due = self.is_caller and self._nonce is not None and self.digits is None
        self._expect(is_due and len(share) == 16, "share")
        self._show_digits(self._nonce, share)
        return [pairing_message("reveal", self._nonce)]

    def _receive_reveal(self, nonce: bytes) -> list[bytes]:
        is_due = not self.is_caller and self._nonce is not None and self.digits is None
        self._expect(is_due and len(nonce) == 16, "reveal")
        if not equal(self._commitment_to(nonce), self._commitment):
            raise ProtocolError("a number is not the one that was committed to")
        self._show_digits(nonce, self._nonce)
        return []

    def _receive_confirmation(self, content: dict) -> list[bytes]:
        key = content.get("advertising_key", b"")
        self._expect(self.digits is not None and self.key_there is None and len(key) == 44, "confirmation")
        self.key_there = key
        return self._conclude()

    def _receive_refusal(self, content: dict) -> list[bytes]:
        self._expect(self.key_there is None, "refusal")
        self.refusal = content.get("reason", 0)
        if self.digits is None:
            self.closing = Closing.HERE
            return []
        self.closing = Closing.THERE
        return [pairing_message("done", {})]

    def _receive_withdrawal(self, _: dict) -> list[bytes]:
        if self.key_there is not None:
            return [] if self.is_confirmed_here else self.refuse("CANCELLED")
        is_shared = not self.is_caller and self._nonce is not None
        has_chosen = self.is_chosen_there or self._is_taking_back
        self._expect(has_chosen and self.digits is None and not is_shared, "withdrawal")
        self.is_chosen_there = False
        self._forget_commitment()
        return [pairing_message("done", {})] + ([pairing_message("choice", {})] if self.is_chosen_here else [])

    def _receive_done(self, _: dict) -> list[bytes]:
        if self._is_taking_back:
            self._is_taking_back = False
            return []
        self._expect(self.is_paired or self.own_refusal is not None, "done")
        self.is_settled = True
        if self.is_paired and not self.is_caller:
            self.closing = Closing.THERE
            return [pairing_message("done", {})]
        self.closing = Closing.HERE
        return []

    def _expect(self, condition: bool, kind: str) -> None:
        if not condition:
            raise ProtocolError(f"{kind} is out of order, or has a wrong length")

    def _commit(self) -> list[bytes]:
        """The caller's commitment, once both have chosen."""
        if not (self.is_caller and self.is_chosen_here and self.is_chosen_there and self._nonce is None):
            return []
        self._nonce = self._make_nonce()
        return [pairing_message("commitment", self._commitment_to(self._nonce))]

    def _forget_commitment(self) -> None:
        self._nonce, self._commitment = None, b""

    def _commitment_to(self, nonce: bytes) -> bytes:
        return sha256(b"handoffd v2 pairing commitment" + self.transcript + nonce)

    def _show_digits(self, callers: bytes | None, listeners: bytes | None) -> None:
        assert callers is not None and listeners is not None
        digest = sha256(b"handoffd v2 pairing digits" + self.transcript + callers + listeners)
        self.digits = f"{int.from_bytes(digest[:8], 'big') % 10**6:06}"

    def _conclude(self) -> list[bytes]:
        """The caller's `done`, once it has both confirmations."""
        return [pairing_message("done", {})] if self.is_paired and self.is_caller else []


def caller_handshake(ephemeral: bytes | None = None) -> Handshake:
    return Handshake("NN", True, PROLOGUE, ephemeral=ephemeral)


def listener_handshake(ephemeral: bytes | None = None) -> Handshake:
    return Handshake("NN", False, PROLOGUE, ephemeral=ephemeral)

