"""A report of a shell, told to the program that publishes; it is this one if there is none."""

import contextlib
import fcntl
import os
import socket
import stat

from handoff.activity import Refusal
from handoff.terminals.offering import Publisher
from handoff.terminals.reports import record
from handoff.terminals.sitting import sitting


def tell(report):
    """Records a report if it is the newest, and wakes the program that publishes; becomes it if there is none.

    What a person does at another computer is no report.
    """
    around = sitting(str(report["shell"]), dict(os.environ))
    if around is None:
        return
    # The bus is that of now, too.
    os.environ.update({name: around[name] for name in ("DBUS_SESSION_BUS_ADDRESS",) if name in around})
    home = os.path.join(own_directory(os.environ["XDG_RUNTIME_DIR"]), "handoff-terminal")
    os.makedirs(home, mode=0o700, exist_ok=True)
    own_directory(home)
    newest = os.path.join(home, "newest")
    # An earlier version of this program, which reads other messages, has `socket`; it may run on after an upgrade.
    address = os.path.join(home, "publisher")
    # One at a time records, begins to publish or ends.
    with open(os.path.join(home, "lock"), "a", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        record(report, newest)
        if wake(address):
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as listener:
            remove(address)
            listener.bind(address)
            # The end of the first terminal is not the end of the others, and its directory can be removed or unmounted.
            os.setsid()
            os.chdir("/")
            Publisher(listener, lock, newest).publish()
            remove(address)


def own_directory(path):
    """The path, which has to be a directory of this user: who has another one could read what is told."""
    status = os.stat(path)
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise Refusal(69, f"{path} is not a directory of this user.")
    return path


def wake(address):
    """Whether there is a program that publishes, which reads the newest report from now on."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as sender:
        try:
            sender.sendto(b"", address)
        except BlockingIOError:
            # It was woken often enough, and has not looked yet: it may be busy, or stopped.
            pass
        except (ConnectionRefusedError, FileNotFoundError):
            return False
    return True


def remove(path):
    """Removes a file if it is there."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
