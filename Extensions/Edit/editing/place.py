"""What an activity says: a document of this computer, and a place in it."""

import contextlib
import os
import stat

from continuing import MAXIMUM_BYTES, Refusal, document, file_name, printable

# How much of a document is examined.
SAMPLE = 64 * 1024


class Place:
    """A document of this computer, and where in it the person was."""

    def __init__(self, activity, info):
        self.path = document(info)
        if self.path is None:
            raise Refusal(65, "The activity has no document of this computer.")
        self.line = self._number(info.get("line"))
        self.column = self._number(info.get("column"))
        self.is_modified = info.get("modified") is True
        time_of = info.get("modificationTime")
        self.time = time_of if isinstance(time_of, (int, float)) and not isinstance(time_of, bool) else None
        self.device = printable(activity.get("deviceName")) or "the other computer"

    @staticmethod
    def _number(value):
        is_place = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31
        return value if is_place else 1

    @property
    def name(self):
        """The name of the file, to show."""
        return file_name(self.path)

    @property
    def values(self):
        """What stands for the names in the person's command."""
        return {"file": self.path, "line": b"%d" % self.line, "column": b"%d" % self.column}

    def examine(self):
        """Refuses what is not a regular file with text; returns the time of its last change."""
        try:
            with self._open() as file:
                time, sample = os.fstat(file.fileno()).st_mtime, file.read(SAMPLE)
        except FileNotFoundError:
            raise Refusal(66, f"{self.name} is not there any more.") from None
        except OSError as error:
            raise Refusal(66, f"{self.name} cannot be read: {error.strerror}.") from None
        # UTF-16 has bytes of 0 as well, and begins with its mark.
        if b"\0" in sample and not sample.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise Refusal(65, f"{self.name} is not a text; an editor is not the program for it.")
        return time

    def text_of_line(self):
        """The line of the place, for editors that count columns in another way; empty if there is none."""
        number = 1
        # A synchroniser may remove or replace the document at any time.
        with contextlib.suppress(OSError, Refusal), self._open() as file:
            while file.tell() < 64 * MAXIMUM_BYTES and (line := file.readline(MAXIMUM_BYTES)):
                if number == self.line:
                    return line.decode("utf-8", "replace").rstrip("\r\n")
                number += line.endswith(b"\n")
        return ""

    def _open(self):
        """The file, open for reading; refuses what is no regular file."""
        # Opening a device may do something, and opening a pipe tells its other end.
        self._require_file(os.stat(self.path))
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            # It may be another one since.
            self._require_file(os.fstat(descriptor))
        except BaseException:
            os.close(descriptor)
            raise
        return open(descriptor, "rb")

    def _require_file(self, status):
        if not stat.S_ISREG(status.st_mode):
            raise Refusal(65, f"{self.name} is no file, and so not a text.")
