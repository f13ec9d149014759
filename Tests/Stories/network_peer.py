#!/usr/bin/env python3
"""The peer of Tests/Peer and a real daemon, each in a network namespace of its own, on a simulated air.

network_peer.py STORY…      some of the stories, or all of them; needs the packages of the peer, and user namespaces for
                            who is not root. Lines that begin with "attack" have the results of attacks.
"""

import asyncio
import contextlib
import ipaddress
import os
import pathlib
import secrets
import sys
import tempfile

from network import Host, connect
from peer import EDITING, World as AirWorld, in_thread, publishing_file, send_all
from handoff_peer import stream
from handoff_peer.errors import ChannelEnded, ChannelLost
from handoff_peer.network import CALLER, LISTENER, NONCE, TAG, Connection, NetworkSecret, Opening
from world import TIMEOUT, Failure, Steps, check, device, run_story

PEER, DAEMON = "10.9.0.2", "10.9.0.1"
SIZE = 200_000


class World(AirWorld):
    """The air of a daemon and a peer, and the cable between them: the story itself is in the peer's namespace."""

    def __init__(self, directory, steps, host):
        super().__init__(directory, steps)
        self.host = host

    @contextlib.asynccontextmanager
    async def daemon(self, name):
        from peer import Daemon

        async with in_thread(device(name, self.logs, self.options(name), self.host.prefix, self.logs)) as machine:
            yield Daemon(machine)

    @contextlib.asynccontextmanager
    async def stream(self, content=b""):
        """A stream of a daemon's app that sends some bytes: the peer is the caller."""
        async with self.friends() as (laptop, peer), in_thread(publishing_file(laptop, content)) as publisher:
            take = await peer.client.fetch(await laptop.id(), "take")
            async with peer.client.stream(take) as opened:
                yield laptop, opened, publisher


async def listen():
    """A port of this side, and the connections to it."""
    connections = asyncio.Queue()
    server = await asyncio.start_server(lambda *ends: connections.put(ends), PEER, 0)
    return server.sockets[0].getsockname()[1], connections


def offer(port, *addresses, secret=bytes(32), has_aes=False):
    return stream.encode_offer(port, secret, [ipaddress.ip_address(address) for address in addresses], has_aes)


def has_aes_instructions():
    """Whether this processor has them, as the kernel tells."""
    words = set(pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    return {"aes", "pclmulqdq"} <= words or {"aes", "pmull"} <= words


async def finish(opened, publisher, sent):
    """Lets both sides finish a stream, and checks what arrived."""
    received, _ = await asyncio.gather(opened.read_all(), send_all(opened, b"thanks"))
    await opened.finish()
    check(received == sent, True)
    check((await asyncio.to_thread(publisher.communicate, timeout=TIMEOUT))[0], b"thanks")
    check(publisher.returncode, 0)


async def opens(world):
    """The peer, whose processor has no AES, opens the connection to which a stream moves"""
    sent, own = os.urandom(SIZE), secrets.token_bytes(32)
    async with world.stream(sent) as (laptop, opened, publisher):
        theirs = await opened.read_offer()
        check(DAEMON in map(str, theirs.addresses), True)
        # Nothing listens here, so that only the peer can open a connection.
        await opened.offer(offer(40_000, PEER, secret=own))
        async with world.step("the peer connects, and both sides move"):
            secret = opened.network_secret(own, theirs.secret)
            await opened.move(await Connection.open(DAEMON, theirs.port, secret, CALLER))
            await laptop.log("event=stream.moved")
        async with world.step("both apps get everything"):
            await finish(opened, publisher, sent)
        check(world.host.listening(), [])


async def accepts(world):
    """The daemon opens the connection to which a stream moves, encrypted with AES if its processor has that"""
    sent, own = os.urandom(SIZE), secrets.token_bytes(32)
    async with world.stream(sent) as (laptop, opened, publisher):
        theirs = await opened.read_offer()
        check(theirs.has_aes, has_aes_instructions())
        port, connections = await listen()
        async with world.step("the daemon connects, and both sides move"):
            await opened.offer(offer(port, PEER, secret=own, has_aes=True))
            secret = opened.network_secret(own, theirs.secret, theirs.has_aes)
            await opened.move(await Connection.accept(*await connections.get(), secret, LISTENER))
            await laptop.log("event=stream.moved")
        async with world.step("both apps get everything"):
            await finish(opened, publisher, sent)


async def answer_to(port, data, confirmation=b""):
    """What the daemon sends to a connection that begins so, until it closes it."""
    reader, writer = await asyncio.open_connection(DAEMON, port)
    writer.write(data)
    try:
        received = await reader.readexactly(NONCE + TAG) if confirmation else b""
        writer.write(confirmation)
        return received + await reader.read()
    except (OSError, asyncio.IncompleteReadError) as error:
        return getattr(error, "partial", b"")
    finally:
        writer.close()


async def strangers(world):
    """Strangers at the port of an offer get nothing, and nothing listens after it"""
    sent, own = os.urandom(SIZE), secrets.token_bytes(32)
    async with world.stream(sent) as (laptop, opened, publisher):
        theirs = await opened.read_offer()
        await opened.offer(offer(40_000, PEER, secret=own))
        secret = opened.network_secret(own, theirs.secret)
        other = NetworkSecret(own, theirs.secret, bytes(32))
        attempts = [
            b"GET / HTTP/1.1\r\n\r\n".ljust(48), bytes(48), secrets.token_bytes(48), Opening(other, CALLER).bytes,
            # That of the other side, as if it came from the daemon itself.
            Opening(secret, LISTENER).bytes,
        ]
        async with world.step("strangers connect during the offer"):
            answers = await asyncio.gather(*(answer_to(theirs.port, attempt) for attempt in attempts))
        async with world.step("the stream moves in spite of them"):
            await opened.move(await Connection.open(DAEMON, theirs.port, secret, CALLER))
            await laptop.log("event=stream.moved")
            await finish(opened, publisher, sent)
        open_ports = len(world.host.listening())
    print(f"attack strangers: {sum(map(bool, answers))} of {len(attempts)} strangers get a byte; "
          f"{open_ports} ports are open afterwards", flush=True)


async def replays(world):
    """What was recorded of a connection moves no stream"""
    own = secrets.token_bytes(32)
    recorded = []
    moved = 0
    async with world.stream(os.urandom(SIZE)) as (_, opened, _):
        theirs = await opened.read_offer()
        await opened.offer(offer(40_000, PEER, secret=own))
        opening = Opening(opened.network_secret(own, theirs.secret), CALLER)
        reader, writer = await asyncio.open_connection(DAEMON, theirs.port)
        writer.write(opening.bytes)
        _, confirmation = opening.finish(await reader.readexactly(NONCE + TAG))
        recorded = [opening.bytes, confirmation]
        async with world.step("a recorded opening and its confirmation are sent again during the same offer"):
            # The daemon answers with another random number, and the confirmation is wrong.
            moved += len(await answer_to(theirs.port, *recorded)) > NONCE + TAG
        writer.close()
    async with world.stream() as (_, opened, publisher):
        theirs = await opened.read_offer()
        await opened.offer(offer(40_000, PEER, secret=own))
        async with world.step("they are sent again to the port of another stream"):
            again = await answer_to(theirs.port, *recorded)
            moved += bool(again)
        await finish(opened, publisher, b"")
    print(f"attack replays: {moved} of 2 recorded connections are accepted", flush=True)


# HandoffWireTests has more of them.
HOSTILE = {
    "loopback": offer(40_000, "127.0.0.1"), "multicast": offer(40_000, "ff02::fb"), "port 22": offer(22, PEER),
    "3,000 addresses": (40_000).to_bytes(2, "big") + bytes(32) + (b"\4\12\11\0\2" + bytes(12)) * 3000,
}


async def hostile(world):
    """A member that lies about its addresses ends its stream, or makes the daemon connect to few hosts"""
    refused = 0
    async with world.friends() as (laptop, peer):
        for what, lie in HOSTILE.items():
            before = len(peer.events.all)
            async with in_thread(publishing_file(laptop, b"")), world.step(f"the peer offers {what}"):
                take = await peer.client.fetch(await laptop.id(), "take")
                async with peer.client.stream(take) as opened:
                    await opened.read_offer()
                    # The daemon may close the channel before it has all of it.
                    with contextlib.suppress(ChannelEnded, ChannelLost):
                        await opened.offer(lie)
                    await laptop.log("event=session.failed")
                    refused += 1
            # Otherwise the peer would ask for this activity again, in place of the next one.
            await peer.events.first("gone", before)
    attempts = await connections_to_far_hosts(world)
    print(f"attack hostile: {refused} of {len(HOSTILE)} offers end the stream; {attempts} calls to 7 hosts "
          f"of the internet", flush=True)


async def connections_to_far_hosts(world):
    """How many hosts of the internet the daemon calls whose addresses the peer has offered; this side is its router."""
    world.host.ip(f"route add default via {PEER}")
    far = [f"203.0.113.{number}" for number in range(1, 7)] + ["2001:db8:9::1"]
    router = Host.own()
    router.run("nft", "-f", "-", data="table inet count {\nchain input {\ntype filter hook prerouting priority 0;\n"
             "ip daddr 203.0.113.0/24 counter\nip6 daddr 2001:db8:9::/48 counter\n}\n}\n")
    async with world.stream() as (laptop, opened, publisher):
        await opened.read_offer()
        port, connections = await listen()
        await opened.offer(offer(port, *far, PEER))
        async with world.step("the daemon connects to the host of its own network, and to no other"):
            _, writer = await connections.get()
            writer.close()
        await finish(opened, publisher, b"")
    counted = router.run("nft", "list", "table", "inet", "count")
    return sum(int(words.split("packets ")[1].split()[0]) for words in counted.splitlines() if "packets" in words)


STORIES = {story.__name__: story for story in (opens, accepts, strangers, replays, hostile)}


def tell(story):
    """Runs one story; this process is in the peer's namespace already."""
    with tempfile.TemporaryDirectory(prefix="handoff-peer-") as directory, contextlib.ExitStack() as stack:
        os.environ.update(HOME=directory, XDG_CONFIG_HOME="", XDG_STATE_HOME="", XDG_RUNTIME_DIR=directory)
        here, there = Host.own(), Host(stack)
        connect(here, there)
        here.interface("net", f"{PEER}/24")
        there.interface("net", f"{DAEMON}/24")
        asyncio.run(story(World(pathlib.Path(directory), Steps(), there)))
        here.ip("link del net")
    print(f"{story.__name__}: ok", flush=True)


def main():
    names = sys.argv[1:]
    if not set(names) <= set(STORIES):
        sys.exit(__doc__)
    if "HANDOFF_OWN_NETWORK" not in os.environ:
        os.environ["HANDOFF_OWN_NETWORK"] = "1"
        mapping = ["--map-root-user"] if os.geteuid() else []
        os.execvp("unshare", ["unshare", *mapping, "--net", sys.executable, *sys.argv])
    for name in names or STORIES:
        run_story(lambda name=name: tell(STORIES[name]))


if __name__ == "__main__":
    main()
