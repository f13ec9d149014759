"""An activity of this computer, which `handoffctl publish --follow` offers for as long as a program tells what it is."""

import contextlib
import json
import os
import subprocess


class Publication:
    """What is offered, told line by line, and what becomes of it, as events (Docs/handoffctl.md, "publish")."""

    def __init__(self, messages=None):
        self._rest = b""
        # In no directory that could be removed or unmounted.
        self._child = subprocess.Popen(
            ["handoffctl", "publish", "--follow", "--json"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages, cwd="/", bufsize=0,
        )

    @property
    def output(self):
        """What is readable when there is something for `read`."""
        return self._child.stdout

    def read(self):
        """The events that have come, of which there may be none yet; None when handoffctl has ended."""
        data = os.read(self._child.stdout.fileno(), 65536)
        *lines, self._rest = (self._rest + data).split(b"\n")
        return [json.loads(line) for line in lines] if data else None

    def write(self, activity):
        """Offers an activity from now on; with None, nothing; with {}, what was offered before, as it was."""
        # A closed pipe says that handoffctl has ended, which is read next; a closed file, that it is told to.
        with contextlib.suppress(BrokenPipeError, ValueError):
            self._child.stdin.write(json.dumps(activity).encode() + b"\n")

    def offer(self, activity):
        """Offers an activity, of which another device asks for the newest state before it goes on."""
        self.write({**activity, "needsSave": True})

    def save(self, activity):
        """Answers such a question; the next device asks again."""
        self.write({**activity, "needsSave": False})
        self.offer(activity)

    def close(self):
        """Ends the activity, and handoffctl soon after that."""
        self._child.stdin.close()

    def wait(self, patience=None):
        """The exit status of handoffctl, whose activity has ended; after so many seconds it is killed."""
        try:
            return self._child.wait(patience)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self._child.wait()
