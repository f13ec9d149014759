"""The LibreOffice of this session: whether it runs, and how it is asked, by UNO over a socket of its own.

Nothing of this runs inside LibreOffice, and nothing there ever waits for this program: it is only asked, and calls
nobody back. What a question needs is done when the question is answered.
"""

import os
import re
import secrets
import socket
import subprocess
import time

from office.document import file_of
from sockets import own_sockets, runtime_directory

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

    def ask(self, program):
        """Has the LibreOffice that runs listen; a process that ends when it has been told, or None without one.

        If none runs any more, it starts none: without a display, and with the plug-in that needs one, none can start.
        """
        hidden = ("DISPLAY", "WAYLAND_DISPLAY")
        environment = {key: value for key, value in os.environ.items() if key not in hidden}
        try:
            return subprocess.Popen(
                [program, self.option], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, cwd="/", env={**environment, "SAL_USE_VCLPLUGIN": "gen"},
            )
        except OSError:
            return None

    @staticmethod
    def was_told(child):
        """Waits until the process that asks has ended; returns whether one runs. If none does, it complains."""
        return child is not None and not child.communicate()[1].strip() and child.returncode == 0

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


def is_answered(path):
    """Whether anybody listens at a socket: it may be left over from a LibreOffice that was killed."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(INTERVAL)
        try:
            connection.connect(path)
        except BlockingIOError:
            # It has no time, but is there.
            return True
        except OSError as error:
            return isinstance(error, TimeoutError)
    return True
