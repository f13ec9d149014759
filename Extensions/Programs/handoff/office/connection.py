"""The LibreOffice of this session: whether it runs, and how it is asked, by UNO over a socket of its own.

Nothing of this runs inside LibreOffice, and nothing there ever waits for this program: it is only asked, and calls
nobody back. What a question needs is done when the question is answered.
"""

import os
import re
import secrets
import socket
import struct
import time

from handoff.office.document import file_of
from handoff.sockets import own_sockets, runtime_directory

try:
    import uno
    from com.sun.star.beans import PropertyValue
    from com.sun.star.uno import Exception as UnoException
except ImportError:
    uno = None
    UnoException = OSError

# Where LibreOffice has its sockets, whatever TMPDIR is (sal/osl/unx/pipe.cxx).
DIRECTORY = "/tmp"
# What it has for commands such as `soffice FILE` (desktop/source/app/officeipcthread.cxx).
FOR_COMMANDS = f"OSL_PIPE_{os.getuid()}_SingleOfficeIPC_*"
# How often a socket is looked for that is about to appear, in seconds.
INTERVAL = 0.05
# More than the words that LibreOffice sends there have, in bytes.
MAXIMUM_WORD = 1000
# MacroExecMode.NEVER_EXECUTE and UpdateDocMode.NO_UPDATE (com.sun.star.document).
NEVER_EXECUTE = 0
NO_UPDATE = 0


class Office:
    """A LibreOffice that answers. Every call may raise UnoException, or take as long as LibreOffice is busy."""

    def __init__(self, pipe):
        context = uno.getComponentContext()
        resolver = context.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", context)
        self._context = resolver.resolve(f"uno:pipe,name={pipe.name};urp;StarOffice.ComponentContext")
        self._desktop = self._service("com.sun.star.frame.Desktop")
        self._toolkit = self._service("com.sun.star.awt.Toolkit")

    def _service(self, name):
        return self._context.ServiceManager.createInstanceWithContext(name, self._context)

    def has_focus(self):
        """Whether one of its windows has the focus."""
        return self._toolkit.getActiveTopWindow() is not None

    def shown(self):
        """The document in the window that had the focus last; None if that has none."""
        frame = self._desktop.getCurrentFrame()
        controller = frame and frame.getController()
        # The window in which a document is chosen has none.
        model = getattr(controller, "getModel", lambda: None)()
        return model if hasattr(model, "getURL") else None

    def is_shown(self, path):
        """Whether the document of a file is open in a window."""
        components = self._desktop.getComponents().createEnumeration()
        while components.hasMoreElements():
            component = components.nextElement()
            if hasattr(component, "getURL") and file_of(component.getURL()) == path and component.getCurrentController():
                return True
        return False

    def reload(self, model):
        """Loads a document anew, in its window, and returns what that shows then."""
        frame = model.getCurrentController().getFrame()
        dispatcher = self._service("com.sun.star.frame.DispatchHelper")
        dispatcher.executeDispatch(frame, ".uno:Reload", "", 0, properties({"SynchronMode": True}))
        return frame.getController().getModel()

    def open(self, url):
        """Opens a document, or brings it to the front; None if the person did not want it after a question.

        Its macros do not run, and what it takes from other files and addresses is not brought up to date.
        """
        return self._desktop.loadComponentFromURL(url, "_default", 0, properties({
            "MacroExecutionMode": uno.Any("short", NEVER_EXECUTE), "UpdateDocMode": uno.Any("short", NO_UPDATE),
            # It asks the person for a password, and what to do about a document that somebody else edits.
            "InteractionHandler": self._service("com.sun.star.task.InteractionHandler"), "OnMainThread": True,
            # What is a template is opened itself, and not as the beginning of a new document.
            "AsTemplate": False,
        }))


def properties(values):
    """Named values as LibreOffice has them."""
    found = []
    for name, value in values.items():
        found.append(PropertyValue())
        found[-1].Name, found[-1].Value = name, value
    return tuple(found)


class Pipe:
    """A socket at which LibreOffice listens once it was asked to, until it ends.

    There is one for a session, with a name that nobody else can have taken: LibreOffice is never told to listen no
    more (`--unaccept`), for which its main thread would wait until each connection has ended, with the lock held that
    the threads of these connections need to end (LibreOffice 7.4).
    """

    def __init__(self):
        self.name = f"handoff-{session_token()}"
        self._file = f"OSL_PIPE_{os.getuid()}_{self.name}"

    @property
    def option(self):
        """The option of soffice that has it listen."""
        return f"--accept=pipe,name={self.name};urp;"

    def ask(self, path, seconds=None):
        """Has the LibreOffice with a socket for commands listen, as `soffice` would with this option.

        Returns whether it was told, or None if it did not answer within some seconds. That is said here, and not by
        running `soffice`, which starts LibreOffice if that is about to end.
        """
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            try:
                connection.connect(path)
                if not is_of_this_home(connection) or read(connection) != b"InternalIPC::SendArguments":
                    return False
                option = self.option.replace(",", "\\,").encode()
                connection.sendall(b"InternalIPC::Arguments1file:///," + option + b"\0")
                return read(connection) == b"InternalIPC::ProcessingDone"
            except TimeoutError:
                return None
            except OSError:
                # It has ended; a socket may be left over from one that was killed.
                return False

    def connect(self, seconds):
        """The LibreOffice that listens, as soon as it does; None if it does not within some seconds."""
        deadline = time.monotonic() + seconds
        while True:
            for path in own_sockets(DIRECTORY, self._file):
                try:
                    # Whoever may connect can have LibreOffice do anything; a umask may allow more than the person.
                    os.chmod(path, 0o600)
                    return Office(self)
                except (UnoException, OSError):
                    # It is there before LibreOffice listens.
                    pass
            if time.monotonic() >= deadline:
                return None
            time.sleep(INTERVAL)


def session_token():
    """Random letters that are the same for all programs of a session; without its directory, others each time."""
    directory, token = runtime_directory(), secrets.token_hex(8)
    if not directory:
        return token
    path = os.path.join(directory, "handoff-office")
    try:
        # A name is a target that need not be there: whoever makes it first has said it, as a whole.
        os.symlink(token, path)
    except FileExistsError:
        kept = os.readlink(path)
        token = kept if re.fullmatch("[0-9a-f]{16}", kept) else token
    except OSError:
        pass
    return token


def running():
    """The sockets of LibreOffices of this user for commands, each with what changes when another one has its name."""
    found = {}
    for path in own_sockets(DIRECTORY, FOR_COMMANDS):
        try:
            status = os.lstat(path)
        except OSError:
            continue
        found[path] = (status.st_ino, status.st_ctime_ns)
    return found


def read(connection):
    """The next word of LibreOffice, each of which ends with a zero; empty if there is none."""
    data = b""
    while not data.endswith(b"\0") and len(data) < MAXIMUM_WORD:
        received = connection.recv(MAXIMUM_WORD)
        if not received:
            return b""
        data += received
    return data[:-1]


def is_of_this_home(connection):
    """Whether the LibreOffice at the other end has this home directory, and with it the settings of this person."""
    process = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]
    try:
        with open(f"/proc/{process}/environ", "rb") as file:
            values = dict(part.split(b"=", 1) for part in file.read().split(b"\0") if b"=" in part)
    except OSError:
        return False
    return all(values.get(name) == os.environb.get(name) for name in (b"HOME", b"XDG_CONFIG_HOME"))
