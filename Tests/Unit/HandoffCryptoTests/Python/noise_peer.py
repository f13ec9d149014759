"""The other side of a Noise_KK_25519_ChaChaPoly_SHA256 session, by the package noiseprotocol.

Reads one JSON object on standard input and writes one on standard output; bytes are hexadecimal. With a fixed
ephemeral key the peer can be asked twice, so that it needs no conversation:

    role        "initiator" or "responder"
    static, ephemeral, remote_static, prologue
    received    the handshake message and the transport messages received so far
    payload     what to put into the own handshake message
    transport   what to send after the handshake
"""

import json
import sys

from noise.connection import Keypair, NoiseConnection


def run(order: dict) -> dict:
    peer = NoiseConnection.from_name(b"Noise_KK_25519_ChaChaPoly_SHA256")
    is_initiator = order["role"] == "initiator"
    peer.set_as_initiator() if is_initiator else peer.set_as_responder()
    peer.set_prologue(bytes.fromhex(order["prologue"]))
    peer.set_keypair_from_private_bytes(Keypair.STATIC, bytes.fromhex(order["static"]))
    peer.set_keypair_from_private_bytes(Keypair.EPHEMERAL, bytes.fromhex(order["ephemeral"]))
    peer.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, bytes.fromhex(order["remote_static"]))
    peer.start_handshake()

    received = [bytes.fromhex(message) for message in order["received"]]
    result = {"payload": None, "transport_read": [], "transport": [], "hash": None}
    if is_initiator:
        result["message"] = peer.write_message(bytes.fromhex(order["payload"])).hex()
    if received:
        result["payload"] = bytes(peer.read_message(received[0])).hex()
    if not is_initiator:
        result["message"] = peer.write_message(bytes.fromhex(order["payload"])).hex()
    if peer.handshake_finished:
        result["hash"] = peer.get_handshake_hash().hex()
        result["transport_read"] = [bytes(peer.decrypt(message)).hex() for message in received[1:]]
        result["transport"] = [peer.encrypt(bytes.fromhex(plain)).hex() for plain in order["transport"]]
    return result


json.dump(run(json.load(sys.stdin)), sys.stdout)
