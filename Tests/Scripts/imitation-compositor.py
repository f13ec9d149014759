#!/usr/bin/env python3
"""Stands for a compositor of Wayland that behaves as none should.

imitation-compositor.py DIRECTORY KIND

It serves a display of the name wayland-1 in DIRECTORY, to which nothing can be shown, and prints "ready". KIND is one of

silent      a socket of sway that answers nothing.
closing     one that ends each connection.
noise       one that sends bytes that are no messages.
huge        one that sends a message without an end; it prints "taken" once a client has taken a quarter of a GiB of it.
"""

import os
import pathlib
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


def main(directory, kind):
    serve(listen(directory / "wayland-1"), hang)
    kinds = {"silent": hang, "closing": socket.socket.close, "noise": send_noise, "huge": send_huge}
    serve(listen(directory / f"sway-ipc.0.{os.getpid()}.sock"), kinds[kind])
    print("ready", flush=True)
    signal.pause()


main(pathlib.Path(sys.argv[1]), *sys.argv[2:])
