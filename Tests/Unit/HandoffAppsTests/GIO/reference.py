"""Has GIO choose and start the apps for documents, and notes what it did: what handoffd is compared with."""

import os
import pathlib
import shutil
import signal

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402  (the version comes first)

# Longer, no program of a test needs to begin; one that never begins ends the test.
LIMIT_SECONDS = 30
# A program that notes how it was started: its directory, its desktop file, its name and its arguments.
RECORDER = """#!/bin/sh
printf '%s\\0' "$(pwd -P)" "$GIO_LAUNCHED_DESKTOP_FILE" "$0" "$@" > "$RECORD"
"""


class World:
    """The files of one case in a directory of its own, and the environment in which they count."""

    def __init__(self, directory, data_directories=()):
        self.root = pathlib.Path(directory)
        for name in ("bin", "config", "share/applications", "documents"):
            (self.root / name).mkdir(parents=True)
        self.environment = {
            "HOME": str(self.root),
            "PATH": str(self.root / "bin"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_CONFIG_DIRS": str(self.root / "etc"),
            "XDG_DATA_HOME": str(self.root / "share"),
            "XDG_DATA_DIRS": ":".join([str(self.root / "system"), *data_directories]),
            # A bus that is not there: GIO runs the command lines of apps on the bus also.
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent",
        }

    def write(self, path, text):
        """Writes a file; text becomes UTF-8."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    def install(self, *programs):
        """Makes programs that note how they were started."""
        for program in programs:
            self.write(f"bin/{program}", RECORDER).chmod(0o755)

    def answer(self, document):
        """What GIO does with a document: its type, its app, and how that was started, or why it was not."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            try:
                _answer(self, document, write)
            finally:
                os._exit(1)
        os.close(write)
        with os.fdopen(read, "rb") as answers:
            fields = answers.read().split(b"\0")
        os.waitpid(child, 0)
        if len(fields) < 3:
            raise AssertionError(f"GIO has not answered about {document}")
        kind, content_type, app, *rest = (os.fsdecode(field) for field in fields)
        answer = {"type": content_type, "app": app or None}
        if kind == "started":
            answer |= {"directory": rest[0], "file": rest[1], "argv": rest[2:-1]}
        return answer

    def close(self):
        """Removes the files."""
        shutil.rmtree(self.root)


def _answer(world, document, output):
    """Writes GIO's answer, in a process of its own: GIO reads the environment and the directories once in each."""
    signal.alarm(LIMIT_SECONDS)
    os.environ.clear()
    record = str(world.root / "record")
    os.environ.update(world.environment, RECORD=record)
    os.chdir(world.root)
    file = Gio.File.new_for_path(document)
    content_type = file.query_info("standard::content-type", Gio.FileQueryInfoFlags.NONE, None).get_content_type()
    app = Gio.AppInfo.get_default_for_type(content_type, False)
    kind, started = "none", b""
    if app:
        os.mkfifo(record)
        # Opened for both, so that it opens before a program writes into it; what a pipe holds is enough for one.
        pipe = os.open(record, os.O_RDWR)
        try:
            # It tells of some failures by False alone.
            kind = "started" if app.launch_uris([file.get_uri()], None) else "failed"
            while kind == "started" and not started.endswith(b"\0"):
                started += os.read(pipe, 65536)
        except GLib.Error:
            kind = "failed"
        os.unlink(record)
    head = [kind, content_type, app.get_id().removesuffix(".desktop") if app else ""]
    os.write(output, b"\0".join([*map(os.fsencode, head), started]))
