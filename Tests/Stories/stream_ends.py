#!/usr/bin/python3
"""The two ends of a copy that network.py measures: over a bare TCP connection, or as apps with the descriptor of a stream.

stream_ends.py send ADDRESS PORT   sends its input to a port
stream_ends.py receive PORT        reads the first connection to a port
stream_ends.py write BUS TYPE      publishes an activity, and sends its input in the first stream that is opened
stream_ends.py read BUS TYPE       takes the activity of that type nearby, and reads its stream

What reads prints "ready" once it waits for bytes, and at the end how many came, and in how many seconds from the first ones on.
"""

import hashlib
import os
import socket
import sys
import time

APPS, CONTROL, ROOT = "org.handoffd.Handoff1", "org.handoffd.Control1", "/org/handoffd/Handoff1"
MANAGER, NEARBY = "org.handoffd.Manager1", "org.handoffd.NearbyActivity1"
PIECE = 65536
# Seconds, as Docs/dbus/Manager1.md has it.
OPENING = 40


def send(connection):
    """Sends the input of this process."""
    while data := os.read(0, PIECE):
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)
    # Until the other end has read everything, and ends as well.
    connection.recv(1)


def receive(connection):
    """Reads a connection to its end."""
    print("ready", flush=True)
    buffer = bytearray(PIECE)
    count = connection.recv_into(buffer)
    begin = time.monotonic()
    while received := connection.recv_into(buffer):
        count += received
    print(count, time.monotonic() - begin, flush=True)
    connection.shutdown(socket.SHUT_WR)


def write(address, kind):
    """Publishes an activity, and sends the input in its stream."""
    import dbus.service
    from gi.repository import GLib

    bus, loop, connections = connect(address), GLib.MainLoop(), []

    class Delegate(dbus.service.Object):
        """Has nothing to save, and gets the stream."""

        @dbus.service.method("org.handoffd.ActivityDelegate1", in_signature="oa{sv}")
        def WillSave(self, _activity, _options):
            """Changes nothing."""

        @dbus.service.method("org.handoffd.ActivityDelegate1", in_signature="ohosa{sv}")
        def DidReceiveStream(self, _activity, stream, _device, _name, _options):
            """Leaves the bus to itself: what follows blocks."""
            connections.append(socket.socket(fileno=stream.take()))
            GLib.idle_add(loop.quit)

    path = dbus.ObjectPath("/delegate")
    delegate = Delegate(bus, path)
    manager = dbus.Interface(bus.get_object(APPS, ROOT), MANAGER)
    properties = {"Delegate": path, "SupportsContinuationStreams": True}
    activity = bus.get_object(APPS, manager.CreateActivity(kind, properties, {}))
    activity.BecomeCurrent({}, dbus_interface="org.handoffd.Activity1")
    print("ready", flush=True)
    loop.run()
    delegate.remove_from_connection()
    send(connections[0])


def read(address, kind):
    """Takes the activity that network.py has seen, and reads its stream."""
    import dbus

    bus = connect(address)
    objects = bus.call_blocking(CONTROL, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", "", ())
    wanted = hashlib.sha256(kind.encode()).hexdigest()[:8]
    path = next(path for path, has in objects.items() if NEARBY in has and has[NEARBY]["TypeHash"] == wanted)
    options = dbus.Dictionary({"Take": True}, signature="sv")
    activity = bus.call_blocking(CONTROL, path, NEARBY, "Fetch", "a{sv}", (options,))
    manager = dbus.Interface(bus.get_object(CONTROL, ROOT), MANAGER)
    stream = manager.OpenStream(activity["Continuation"], {}, timeout=OPENING)
    receive(socket.socket(fileno=stream.take()))


def connect(address):
    """A connection to a bus."""
    import dbus.bus
    import dbus.mainloop.glib

    dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
    return dbus.bus.BusConnection(address)


def accept(port):
    """The first connection to a port."""
    with socket.create_server(("", port)) as listener:
        print("listening", flush=True)
        return listener.accept()[0]


def main(arguments):
    match arguments:
        case ["send", address, port]:
            send(socket.create_connection((address, int(port))))
        case ["receive", port]:
            receive(accept(int(port)))
        case ["write", address, kind]:
            write(address, kind)
        case ["read", address, kind]:
            read(address, kind)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
