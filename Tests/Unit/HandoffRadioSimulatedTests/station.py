"""A station on the simulated air: that of the peer in Tests/Peer, which was written from Docs/Simulation.md.

Usage: station.py DIRECTORY NAME UUID hear | dial PORT | serve PORT

hear    prints the service data of the first report of UUID, in hexadecimal
dial    dials PORT at the sender of that report, sends "ping", prints what comes back until the end, answering "thanks"
serve   advertises UUID with the data of PORT, accepts one channel, answers each message with itself reversed, and
        closes after the message "bye"

All three print "station: ready" first, once they have joined the air.
"""

import asyncio
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "Peer"))

from handoff_peer.air import Station
from handoff_peer.errors import ChannelEnded, ChannelLost
from handoff_peer.tasks import Tasks


async def first_report(station, uuid):
    """The first report of a service."""
    heard = asyncio.get_running_loop().create_future()
    station.hear(lambda report: report.service == uuid and not heard.done() and heard.set_result(report))
    return await heard


async def dial(station, uuid, port):
    """Talks to the sender of the first report."""
    try:
        channel = await station.dial((await first_report(station, uuid)).address, port)
    except ChannelLost:
        sys.exit("nobody listens there")
    await channel.send(b"ping")
    try:
        while True:
            print((await channel.receive()).decode(), flush=True)
            await channel.send(b"thanks")
    except ChannelEnded:
        pass


async def serve(station, uuid, port):
    """Answers the first caller."""
    ended = asyncio.Event()

    async def accept(channel):
        message = b""
        while message != b"bye":
            message = await channel.receive()
            await channel.send(message[::-1])
        await channel.close()
        ended.set()

    station.listen(accept, port)
    await station.advertise(uuid, bytes([port]))
    await ended.wait()


async def main():
    """Does what the command line says."""
    directory, name, uuid, role, *rest = sys.argv[1:]
    async with Station(directory, name) as station, Tasks() as tasks:
        await station.start(tasks)
        print("station: ready", flush=True)
        if role == "hear":
            print((await first_report(station, uuid)).data.hex(), flush=True)
        else:
            await {"dial": dial, "serve": serve}[role](station, uuid, int(rest[0]))


asyncio.run(main())
