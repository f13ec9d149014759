"""Windows of VS Code that show unsaved text: each has a socket, at which the extension of that window listens.

A request is a line of JSON, and as many bytes of text as it says; the answer is a line of JSON. Whoever keeps the
connection open still wants the text to be shown.
"""

import concurrent.futures
import contextlib
import json
import os
import re

from handoff.sockets import connect, own_sockets, runtime_directory

MAXIMUM_WINDOWS = 16
MAXIMUM_ANSWER_BYTES = 4096


def last_used(patience):
    """The socket of the window that the person has used last, of those that can show unsaved text; None without one."""
    connections = listening(patience)
    with concurrent.futures.ThreadPoolExecutor(max_workers=MAXIMUM_WINDOWS) as pool:
        answers = pool.map(lambda connection: ask(connection, {}, b""), connections.values())
        ready = {path: answer.get("focusedAt") for path, answer in zip(connections, answers)
                 if answer.get("state") == "ready"}
    usable = [path for path, time in ready.items() if isinstance(time, (int, float))]
    return max(usable, key=ready.get, default=None)


def listening(patience):
    """Connections to the newest windows that listen, by the paths of their sockets."""
    connections = {}
    for path in own_sockets(runtime_directory(), "handoff-vscode/*"):
        if len(connections) == MAXIMUM_WINDOWS:
            break
        try:
            connections[path] = connect(path, patience)
        except ConnectionRefusedError:
            remove_dead(path)
        except OSError:
            continue
    return connections


def remove_dead(path):
    """Removes the socket of a window that has died, at which nobody listens.

    Its name begins with the number of its process: one that runs may be about to listen.
    """
    number = re.match(r"([0-9]{1,9})-", os.path.basename(path))
    if not number:
        return
    try:
        os.kill(int(number[1]), 0)
    except ProcessLookupError:
        with contextlib.suppress(OSError):
            os.unlink(path)
    except (OSError, OverflowError):
        return


def show_text(path, place, patience):
    """Has a window show the document with the unsaved text.

    Returns `shown`; `refused` if it shows the document, and tells the person why not the text; else None.
    """
    try:
        with open(place.text.path, "rb") as file:
            text = file.read()
    except OSError:
        return None
    request = {"document": os.fsdecode(place.path), "line": place.line, "column": place.column}
    try:
        connection = connect(path, patience)
    except OSError:
        return None
    state = ask(connection, request, text).get("state")
    return state if state in ("shown", "refused") else None


def ask(connection, request, text):
    """What a window answers, after which the connection is closed; empty if it does not."""
    head = json.dumps({"version": 1, "bytes": len(text), **request}).encode()
    try:
        with connection:
            connection.sendall(head + b"\n" + text)
            with connection.makefile("rb") as lines:
                answer = json.loads(lines.readline(MAXIMUM_ANSWER_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) and answer.get("version") == 1 else {}
