#!/usr/bin/env python3
"""Stands for a compositor of Wayland that tells which window has the focus, or behaves as none should.

imitation-compositor.py DIRECTORY KIND [COMMANDS]

It serves a display of the name wayland-1 in DIRECTORY, to which nothing can be shown, and prints "ready". KIND is one of

hyprland    Hyprland's two sockets. From the named pipe COMMANDS it reads lines: "focus PID", "none", "raw TEXT" for an
            event with that text, "drop" to end its connections.
silent      a socket of sway that answers nothing.
closing     one that ends each connection.
noise       one that sends bytes that are no messages.
huge        one that sends a message without an end; it prints "taken" once a client has taken a quarter of a GiB of it.
"""

import os
import pathlib
import select
import signal
import socket
import sys
import threading

PIECE = 1 << 20
TAKEN = 256 * PIECE


def listen(path):
    """A socket that listens at a path."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(path))
    listener.listen(64)
    return listener


def serve(listener, perform):
    """Performs something with each connection, in a thread of its own; what it returns is not closed."""
    def accept():
        while True:
            connection = listener.accept()[0]
            threading.Thread(target=handle, args=(connection,), daemon=True).start()

    def handle(connection):
        try:
            perform(connection)
        except OSError:
            connection.close()

    threading.Thread(target=accept, daemon=True).start()


class Hyprland:
    """The two sockets of Hyprland, as its wiki describes them ("IPC", "Using hyprctl")."""

    def __init__(self, directory):
        self.window = "{}"
        self.clients = []
        self.lock = threading.Lock()
        instance = directory / "hypr" / "0123456789abcdef_1_2"
        requests, events = listen(instance / ".socket.sock"), listen(instance / ".socket2.sock")
        events.setblocking(False)
        threading.Thread(target=self.accept, args=(requests, events), daemon=True).start()

    def accept(self, requests, events):
        """Accepts connections in one thread, as Hyprland does: who waits for events before it asks is told what follows."""
        while True:
            select.select([requests, events], [], [])
            self.subscribe_all(events)
            if select.select([requests], [], [], 0)[0]:
                connection = requests.accept()[0]
                # It may have connected to wait for events meanwhile.
                self.subscribe_all(events)
                threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def subscribe_all(self, events):
        """Sends events from now on to all who wait for them."""
        while True:
            try:
                connection = events.accept()[0]
            except BlockingIOError:
                return
            with self.lock:
                self.clients.append(connection)

    def answer(self, connection):
        request = connection.recv(100)
        assert request == b"j/activewindow", request
        connection.sendall(self.window.encode())
        connection.close()

    def send(self, event):
        with self.lock:
            for client in list(self.clients):
                try:
                    client.sendall(event.encode(errors="surrogateescape") + b"\n")
                except OSError:
                    self.clients.remove(client)

    def perform(self, command):
        verb, _, rest = command.partition(" ")
        if verb == "focus":
            self.window = f'{{\n    "address": "0x55",\n    "title": "\\"pid\\": 3, }}",\n    "pid": {rest}\n}}\n'
            self.send(f"activewindow>>title,{rest}")
            self.send("activewindowv2>>55")
        elif verb == "none":
            self.window = "{}"
            self.send("activewindow>>,")
            self.send("activewindowv2>>")
        elif verb == "raw":
            self.send(rest)
        elif verb == "drop":
            with self.lock:
                for client in self.clients:
                    client.shutdown(socket.SHUT_RDWR)
                self.clients.clear()


def send_noise(connection):
    while True:
        connection.sendall(os.urandom(PIECE))


def send_huge(connection):
    connection.sendall(b"i3-ipc" + (0xFFFFFFFF).to_bytes(4, sys.byteorder) + (2).to_bytes(4, sys.byteorder))
    piece, taken = b" " * PIECE, 0
    while True:
        connection.sendall(piece)
        taken += PIECE
        if taken == TAKEN:
            print("taken", flush=True)


def hang(connection):
    connection.recv(1)
    threading.Event().wait()


def main(directory, kind, commands=None):
    display = listen(directory / "wayland-1")
    serve(display, hang)
    compositor = None
    if kind == "hyprland":
        compositor = Hyprland(directory)
    else:
        kinds = {"silent": hang, "closing": socket.socket.close, "noise": send_noise, "huge": send_huge}
        serve(listen(directory / f"sway-ipc.0.{os.getpid()}.sock"), kinds[kind])
    print("ready", flush=True)
    while commands:
        with open(commands, encoding="utf-8", errors="surrogateescape") as lines:
            for line in lines:
                compositor.perform(line.rstrip("\n"))
    signal.pause()


main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
