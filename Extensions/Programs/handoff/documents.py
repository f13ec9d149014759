"""A document of this computer that an activity is about, and in which state the other computer left it."""

import hashlib
import os
import re
import stat

from handoff.activity import Refusal, document, file_name
from handoff.text import printable

# How much of a document is read at once to examine it.
SAMPLE = 64 * 1024
# How `handoffctl publish` tells what the file has on the other computer.
DIGEST = re.compile(r"[0-9a-f]{64}")


class Document:
    """A regular file, and what the other computer said about it; each program says which content it takes."""

    def __init__(self, activity, info):
        self.path = document(info)
        if self.path is None:
            raise Refusal(65, "The activity has no document of this computer.")
        self.is_modified = info.get("modified") is True
        time_of = info.get("modificationTime")
        self.time = time_of if isinstance(time_of, (int, float)) and not isinstance(time_of, bool) else None
        size, digest = info.get("documentSize"), info.get("documentSHA256")
        is_told = isinstance(size, int) and isinstance(digest, str) and DIGEST.fullmatch(digest)
        # What the other computer told of its content; None if nothing.
        self._content = (size, digest) if is_told else None
        # The state of the file that was compared last, and the result.
        self._compared = None, False
        self.device = printable(activity.get("deviceName")) or "the other computer"

    @property
    def name(self):
        """The name of the file, to show."""
        return file_name(self.path)

    def require_content(self, file):
        """Refuses what the program does not take, by its name and by what the file has, which it may read and seek."""
        raise NotImplementedError

    def examine(self):
        """Refuses what is not a regular file with the right content; returns the time of its last change.

        A synchroniser may keep no times: what has the same content as on the other computer has the time that it told.
        """
        try:
            with self.open() as file:
                time = os.fstat(file.fileno()).st_mtime
                self.require_content(file)
        except FileNotFoundError:
            raise Refusal(66, f"{self.name} is not there any more.") from None
        except OSError as error:
            raise Refusal(66, f"{self.name} cannot be read: {error.strerror}.") from None
        is_earlier = self.time is not None and time < self.time
        return self.time if is_earlier and self._has_content_of_other() else time

    def _has_content_of_other(self):
        """Whether the file has the same content as on the other computer, as far as that has told it."""
        if self._content is None:
            return False
        size, digest = self._content
        try:
            with self.open() as file:
                status = os.fstat(file.fileno())
                state = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
                if self._compared[0] != state:
                    is_same = status.st_size == size and hashlib.file_digest(file, "sha256").hexdigest() == digest
                    self._compared = state, is_same
        except OSError:
            return False
        return self._compared[1]

    def open(self):
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
            raise Refusal(65, f"{self.name} is no file, and so no document.")


def natural(value, otherwise=1):
    """A number from 1 on of another computer, or something else if it is none."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and 0 < value < 2**31
    return value if is_number else otherwise
