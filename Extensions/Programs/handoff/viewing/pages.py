"""Viewers: what tells the page of a window, and which file it shows."""

import os

from handoff.viewing.contents import has_name

try:
    import gi
    gi.require_version("Atspi", "2.0")
    from gi.repository import Atspi, Gio, GLib
except (ImportError, ValueError):
    Atspi = None

TYPE = "org.handoffd.document.pages"
# How long a viewer may take to answer, and to begin, in milliseconds; the origin waits for 2.5 s.
PATIENCE = 1000
# How deep, and among how many objects, the pages of a window are looked for.
MAXIMUM_DEPTH = 25
MAXIMUM_OBJECTS = 2000
BUS = "org.freedesktop.DBus"


class Accessible:
    """A window with an object that has pages for AT-SPI."""

    def __init__(self, found):
        self.object = found
        self.process = found.get_process_id()

    def read(self, title):
        """The page, from 1, and the file, or None if that is not clear; raises GLib.Error."""
        return Atspi.Document.get_current_page_number(self.object), shown(self.process, title)


class OnBus:
    """A viewer that tells its page and its file on the session bus, under a name with the number of its process."""

    NAME = ""
    object = None

    def __init__(self, bus, process):
        self._bus = bus
        self.process = process
        # Whoever takes such a name tells something only of itself.
        if self._call(BUS, "/org/freedesktop/DBus", BUS, "GetConnectionUnixProcessID", "(s)", self.name) != process:
            raise GLib.Error("another process has the name")

    @property
    def name(self):
        """Its name on the bus."""
        return self.NAME.format(self.process)

    def read(self, title):
        """As of every viewer."""
        raise NotImplementedError

    def _call(self, name, path, interface, method, signature, *arguments):
        given = GLib.Variant(signature, arguments) if arguments else None
        return self._bus.call_sync(
            name, path, interface, method, given, None, Gio.DBusCallFlags.NO_AUTO_START, PATIENCE, None
        ).unpack()[0]


class Okular(OnBus):
    """Okular, whose first tab tells both; the title of the window begins with the name of the file that it shows."""

    NAME = "org.kde.okular-{}"

    def read(self, title):
        """As of every viewer."""
        path = os.fsencode(self._call(self.name, "/okular", "org.kde.okular", "currentDocument", ""))
        page = self._call(self.name, "/okular", "org.kde.okular", "currentPage", "")
        is_shown = title.startswith(os.path.basename(path).decode("utf-8", "replace"))
        return page, only_document(path) if is_shown else None


class Zathura(OnBus):
    """Zathura, which counts pages from 0."""

    NAME = "org.pwmt.zathura.PID-{}"

    def read(self, _):
        """As of every viewer."""
        path, page = (
            self._call(self.name, "/org/pwmt/zathura", f"{BUS}.Properties", "Get", "(ss)", "org.pwmt.zathura", name)
            for name in ("filename", "pagenumber")
        )
        return page + 1, only_document(os.fsencode(path))


def find_pages(window):
    """What tells the page of a window; None if nothing does."""
    process = window.get_process_id()
    bus = Gio.bus_get_sync(Gio.BusType.SESSION)
    for kind in (Okular, Zathura):
        try:
            return kind(bus, process)
        except GLib.Error:
            # It is another program.
            continue
    waiting, seen = [(window, 0)], 0
    while waiting and seen < MAXIMUM_OBJECTS:
        found, depth = waiting.pop(0)
        seen += 1
        if found is None or depth > MAXIMUM_DEPTH:
            continue
        if "Document" in found.get_interfaces():
            return Accessible(found)
        waiting += [(found.get_child_at_index(place), depth + 1) for place in range(min(found.get_child_count(), 100))]
    return None


def shown(process, name):
    """The document that a viewer has open, as bytes: AT-SPI tells none, but a viewer keeps its file open."""
    directory, paths = f"/proc/{process}/fd".encode(), set()
    try:
        for number in os.listdir(directory):
            path = os.readlink(directory + b"/" + number)
            paths |= {path} if only_document(path) else set()
    except OSError:
        # The process of another user, or one that has ended.
        return None
    if len(paths) > 1:
        # The title begins with the name, unless the document has another title.
        paths = {path for path in paths if name.startswith(os.path.basename(path).decode("utf-8", "replace"))}
    return paths.pop() if len(paths) == 1 else None


def only_document(path):
    """The path if it is that of a file with pages, else None."""
    is_document = path.startswith(b"/") and has_name(path) and os.path.isfile(path)
    return path if is_document else None
