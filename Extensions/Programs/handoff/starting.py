"""When a program that is started goes on with an activity: handoffd is told once it really has its document."""

import os
import select
import time

# How often it is looked at, in seconds.
INTERVAL = 0.2


def go_on_once(condition, patience):
    """Tells handoffd that the program that this one is about to become goes on, once the condition holds.

    A process of its own keeps standard input until then, or until the time in seconds is over. If the program ends before
    that, its status tells handoffd what became of it.
    """
    end = os.pidfd_open(os.getpid())
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        os.close(end)
        return
    try:
        # The program does not know of this process, and would not wait for its end.
        if os.fork() == 0:
            deadline = time.monotonic() + patience
            while not select.select([end], [], [], INTERVAL)[0] and time.monotonic() < deadline and not condition():
                pass
    finally:
        os._exit(0)


def has_open(path):
    """Whether a program of this session has a file open: handoffd starts each program in a session of its own."""
    own, real = os.getsid(0), os.path.realpath(path)
    return any(real in open_files(name) for name in os.listdir("/proc") if name.isdigit() and session(name) == own)


def session(process):
    """The session of a process; None if it has ended."""
    try:
        return os.getsid(int(process))
    except OSError:
        return None


def open_files(process):
    """What a process has open, as bytes; nothing of one that has ended."""
    directory = f"/proc/{process}/fd".encode()
    try:
        return {os.readlink(directory + b"/" + number) for number in os.listdir(directory)}
    except OSError:
        return set()
