"""Windows of VS Code that show unsaved text: each has a socket, at which the extension of that window listens.

A request is a line of JSON, and as many bytes of text as it says; the answer is a line of JSON. Whoever keeps the
connection open still wants the text to be shown.
"""

import concurrent.futures
import json
import os
import socket

from sockets import own_sockets, runtime_directory

MAXIMUM_WINDOWS = 16
MAXIMUM_ANSWER_BYTES = 4096


def last_used(patience):
    """The socket of the window that the person has used last, of those that can show unsaved text; None without one."""
    paths = own_sockets(runtime_directory(), "handoff-vscode/*")[:MAXIMUM_WINDOWS]
    with concurrent.futures.ThreadPoolExecutor(max_workers=MAXIMUM_WINDOWS) as pool:
        answers = pool.map(lambda path: ask(path, {}, b"", patience), paths)
    times = {path: answer.get("focusedAt") for path, answer in zip(paths, answers) if answer.get("state") == "ready"}
    usable = [path for path, time in times.items() if isinstance(time, (int, float))]
    return max(usable, key=times.get, default=None)


def show_text(path, place, patience):
    """Has a window show the document with the unsaved text, or tell the person why not; whether it does."""
    try:
        with open(place.text.path, "rb") as file:
            text = file.read()
    except OSError:
        return False
    request = {"document": os.fsdecode(place.path), "line": place.line, "column": place.column}
    return ask(path, request, text, patience).get("state") in ("shown", "refused")


def ask(path, request, text, patience):
    """What a window answers; empty if it does not."""
    head = json.dumps({"version": 1, "bytes": len(text), **request}).encode()
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(patience)
            connection.connect(path)
            connection.sendall(head + b"\n" + text)
            with connection.makefile("rb") as lines:
                answer = json.loads(lines.readline(MAXIMUM_ANSWER_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) and answer.get("version") == 1 else {}
