"""Sockets that nobody else can have put where they are."""

import fnmatch
import glob
import itertools
import os
import pathlib
import socket
import stat

# The bits of a mode by which a group and everybody may write (also users of an access control list).
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def own_sockets(directory, *patterns):
    """The sockets of this user below a directory, the newest first; a pattern has a name for each part of the path.

    Whoever answers at a socket is told what this program opens, and may tell an editor's command what to do. So nobody
    else can have put it there, nor put another one in its place later: nobody else can change a directory on the way
    to it, and the way has no link.
    """
    if not directory or not os.path.isabs(directory):
        return []
    root = os.path.realpath(directory)
    # From the top: what is below a directory that others can change may be another one in a moment.
    if not all(map(is_unchangeable, [*reversed(pathlib.PurePath(root).parents), root])):
        return []
    paths = {path for pattern in patterns for path in matches(root, pattern.split("/"))}
    found = {path: status for path in paths if (status := own(path, os.getuid()))}
    sockets = [path for path, status in found.items() if stat.S_ISSOCK(status.st_mode)]
    return newest_first(sockets)


def own_socket(path):
    """Whether one socket is of this kind, wherever it is."""
    return bool(own_sockets(os.path.dirname(path), glob.escape(os.path.basename(path))))


def newest_first(paths):
    """These sockets, each once, the newest first; those of one moment in the order of their names."""
    found = {os.path.realpath(path): status for path in paths if (status := own(path, os.getuid()))}
    return sorted(found, key=lambda path: (-found[path].st_mtime_ns, path))


def is_unchangeable(path):
    """Whether it is a directory in which only this user and root can replace what they have."""
    status = own(path, os.getuid(), 0)
    if not status or not stat.S_ISDIR(status.st_mode):
        return False
    # As in /tmp: everybody can add something, and replace only what is their own.
    return not status.st_mode & OTHERS_MAY_WRITE or bool(status.st_mode & stat.S_ISVTX)


def matches(directory, names):
    """The paths below a directory whose parts have these names, and whose directories are this user's alone."""
    try:
        paths = [os.path.join(directory, name) for name in fnmatch.filter(os.listdir(directory), names[0])]
    except OSError:
        return []
    if not names[1:]:
        return paths
    return [found for path in paths if is_private(path) for found in matches(path, names[1:])]


def is_private(path):
    """Whether it is a directory of this user, and no link, into which nobody else writes."""
    status = own(path, os.getuid())
    return bool(status) and stat.S_ISDIR(status.st_mode) and not status.st_mode & OTHERS_MAY_WRITE


def own(path, *owners):
    """The status of what is there, not of what it leads to; None if it belongs to none of these users."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status if status.st_uid in owners else None


def connect(path, patience):
    """A connection to a socket, whose operations may take so many seconds each.

    With 0, none of them waits: who is too busy to take the connection does not get it.
    Raises OSError: ConnectionRefusedError, at once, where nobody listens any more.
    """
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.settimeout(patience)
        connection.connect(path)
    except BaseException:
        connection.close()
        raise
    return connection


def listened(paths, limit):
    """The first of these sockets at which somebody listens, so many at most.

    A program that has died leaves its socket, which may be newer than that of one that runs.
    """
    return list(itertools.islice(filter(is_listened, paths), limit))


def is_listened(path):
    """Whether somebody listens at a socket, and takes a connection at once."""
    try:
        connect(path, 0).close()
    except OSError:
        return False
    return True


def runtime_directory():
    """Where sockets of this user are; None without one."""
    return os.environ.get("XDG_RUNTIME_DIR")


def temporary_directory():
    """Where programs put what is in no runtime directory."""
    return os.environ.get("TMPDIR") or "/tmp"
