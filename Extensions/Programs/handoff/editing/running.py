"""Editors that are running: which there are, and how each is told to open a document."""

import concurrent.futures
import os
import re
import shutil
import subprocess

from handoff.addresses import file_url
from handoff.editing.windows import last_used, show_text
from handoff.processes import listening
from handoff.sockets import listened, newest_first, own_socket, own_sockets, runtime_directory, temporary_directory

# How long an editor that has answered that it could take the document may take for it, in seconds: longer if it asks
# the person something.
PATIENCE_TO_OPEN = 5.0
# What VS Code takes for a number.
NUMBER = re.compile(r"[-+]?([0-9.a-fxobe_]*|Infinity)", re.I)
# How many editors of a kind are asked.
MAXIMUM_EDITORS = 8


def answer(words, patience, errors=subprocess.DEVNULL):
    """What an editor's command prints, or None if it failed, or did not answer in time."""
    environment = {key: value for key, value in os.environ.items() if key not in (
        # With an empty one, emacsclient would start a daemon; the others name an editor that is not meant.
        "ALTERNATE_EDITOR", "EMACS_SOCKET_NAME", "EMACS_SERVER_FILE", "NVIM", "NVIM_LISTEN_ADDRESS",
    )}
    try:
        result = subprocess.run(
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, timeout=patience,
            env=environment, cwd="/", check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.decode("utf-8", "replace").strip() if result.returncode == 0 else None


def sockets_of(program, paths):
    """The sockets of the newest editors that listen: those at these paths, and those of programs whose name begins so."""
    # Some distributions wrap a program, and call it `.emacs-wrapped`.
    elsewhere = filter(own_socket, listening(lambda name: name.lstrip(".").startswith(program)))
    return listened(newest_first([*paths, *elsewhere]), MAXIMUM_EDITORS)


class Vim:
    """Vim with +clientserver: in a window, or in a terminal of an X display."""

    # Whether it can show text that is not saved.
    takes_text = True

    def __init__(self, server, program="vim"):
        self.server = server
        self.program = program

    @classmethod
    def running(cls, patience):
        """Every Vim that takes commands."""
        for program in filter(shutil.which, ("vim", "gvim")):
            names = answer([program, "--serverlist"], patience)
            if names is not None:
                return [cls(name, program) for name in names.splitlines() if name]
        return []

    def evaluate(self, expression, patience):
        """The value of an expression in the editor."""
        return answer([self.program, "--servername", self.server, "--remote-expr", expression], patience)

    @staticmethod
    def literal(path):
        """The path as an expression in which no character has a meaning."""
        return '"' + "".join(f"\\x{byte:02x}" for byte in path) + '"'

    # Commands that put the text that was read, in `t`, in the place of what the window shows, unsaved.
    PUT_TEXT = [
        # What the person has changed here stays.
        "if type(t) == type([]) && !&modified && &modifiable && !&readonly && &encoding ==# 'utf-8'",
        "let n = line('$')", "call setline(1, empty(t) ? [''] : t)",
        "if n > max([1, len(t)])", "silent execute (max([1, len(t)]) + 1) . ',$delete _'", "endif",
        "else", "echomsg 'handoff: the unsaved text of the other computer is not shown: this buffer is changed'", "endif",
    ]

    @classmethod
    def read_text(cls, path, variable="t"):
        """Commands that read the text of a file into a variable, and remove the file.

        They come before those that open the document: the person may answer a question of the editor by not opening it.
        """
        file = cls.literal(path)
        return [f"let {variable} = filereadable({file}) ? readfile({file}) : 0", f"call delete({file})"]

    def probe(self, place, patience):
        """`open` if the document is open there, `idle` if it could be, None if the editor is busy."""
        loaded = f"len(filter(getbufinfo({{'bufloaded': 1}}), {{_, b -> b.name ==# {self.literal(place.path)}}}))"
        found = self.evaluate(f"getcmdwintype() !=# '' ? 'busy' : {loaded} ? 'open' : 'idle'", patience)
        return found if found in ("open", "idle") else None

    def open(self, place):
        """Shows the document in a moment, outside of this command, so that the editor can ask the person something."""
        commands = [
            "stopinsert", *(self.read_text(place.text.path) if place.text else []),
            f"let b = bufadd({self.literal(place.path)})", "let isLoaded = bufloaded(b)",
            "call setbufvar(b, '&buflisted', 1)",
            "let windows = filter(win_findbuf(b), {_, w -> win_id2tabwin(w)[0] > 0})",
            "if !empty(windows)", "call win_gotoid(windows[0])",
            # Nothing that the person sees is replaced by less than all of it.
            "elseif &modified && !&hidden || &buftype !=# '' || exists('+winfixbuf') && &winfixbuf",
            "execute 'sbuffer' b", "else", "execute 'buffer' b", "endif",
            "if isLoaded", "execute 'checktime' b", "endif",
            "if bufnr('%') == b", *(self.PUT_TEXT if place.text else []), f"let l = min([{place.line}, line('$')])",
            f"let i = byteidxcomp(getline(l), {place.column - 1})",
            "call cursor(l, i < 0 ? col([l, '$']) : i + 1)", "normal! zvzz", "endif", "redraw",
        ]
        lines = ", ".join('"' + command.replace("\\", "\\\\").replace('"', '\\"') + '"' for command in commands)
        expression = f"timer_start(0, {{-> execute([{lines}], '')}}) > 0 ? 'ok' : ''"
        return self.evaluate(expression, PATIENCE_TO_OPEN) == "ok"


class Neovim(Vim):
    """Neovim, which always listens to a socket of its own."""

    @classmethod
    def running(cls, patience):
        """Every Neovim of this user, the newest first."""
        if not shutil.which("nvim"):
            return []
        # From 0.8 on in the runtime directory; before, in a directory for temporary files. From 0.9 on, its name begins
        # as NVIM_APPNAME says, or `--listen`, which can also name a place anywhere.
        paths = filter(cls.is_named, own_sockets(runtime_directory(), "*.*.*"))
        others = own_sockets(temporary_directory(), "nvim*/0", "nvim.*/*/nvim.*")
        return [cls(path) for path in sockets_of("nvim", [*paths, *others])]

    @staticmethod
    def is_named(path):
        """Whether a socket is named as Neovim names its own: for what it is, its process, and a number."""
        return all(part.isdigit() for part in path.rsplit(".", 2)[1:])

    def evaluate(self, expression, patience):
        # It prints the value to standard error, as `print()` of it does without a terminal.
        words = ["nvim", "--server", self.server, "--remote-expr", expression]
        return answer(words, patience, errors=subprocess.STDOUT)


class Emacs:
    """Emacs with `server-start`; a daemon only if it has a frame."""

    takes_text = True
    # The frames that the person sees: the first terminal of a daemon shows nothing.
    FRAMES = """(seq-filter (lambda (frame) (not (equal (terminal-name (frame-terminal frame)) "initial_terminal")))
      (cons (selected-frame) (frame-list)))"""

    def __init__(self, server):
        self.server = server

    @classmethod
    def running(cls, patience):
        """Every server of this user."""
        if not shutil.which("emacsclient"):
            return []
        # Where `server-socket-dir` and `server-name` say that it is by themselves; they can name a place anywhere.
        paths = own_sockets(runtime_directory(), "emacs/*")
        paths += own_sockets(temporary_directory(), f"emacs{os.getuid()}/*")
        return [cls(path) for path in sockets_of("emacs", paths)]

    def evaluate(self, expression, patience):
        """The value of an expression in the editor."""
        words = ["emacsclient", "--socket-name", self.server, "--alternate-editor", "false", "--eval", expression]
        return answer(words, patience)

    @staticmethod
    def literal(path):
        """The path as an expression in which no character has a meaning."""
        octal = "".join(f"\\{byte:03o}" for byte in path)
        return (f'(let ((file (decode-coding-string "{octal}" '
                "(or file-name-coding-system default-file-name-coding-system 'utf-8-unix)))) "
                "(if (file-remote-p file) (file-name-quote file) file))")

    def probe(self, place, patience):
        """`open` if the document is open there, `idle` if it could be, None if there is no frame."""
        found = self.evaluate(
            f"(cond ((not {self.FRAMES}) 'none) ((find-buffer-visiting {self.literal(place.path)}) 'open) (t 'idle))",
            patience,
        )
        return found if found in ("open", "idle") else None

    def open(self, place):
        """Shows the document in a moment, outside of this command, so that the editor can ask the person something."""
        function = f"""(lambda (file line column text) (unwind-protect (progn
          (select-frame-set-input-focus (car {self.FRAMES}))
          (when (window-minibuffer-p) (select-window (or (minibuffer-selected-window) (next-window))))
          (let* ((buffer (find-file-noselect file)) (window (get-buffer-window buffer t)))
            (if window (select-window window) (pop-to-buffer buffer '((display-buffer-same-window
                                                                       display-buffer-use-some-window)))))
          (when text
            (condition-case error
                (if (or buffer-read-only (buffer-modified-p))
                    (error "this buffer is changed")
                  (save-restriction
                    (widen)
                    (atomic-change-group
                      (let ((coding-system-for-read 'utf-8-unix) format-alist after-insert-file-functions)
                        (insert-file-contents text nil nil nil t)))))
              (error (message "handoff: the unsaved text of the other computer is not shown: %s"
                              (error-message-string error)))))
          (push-mark nil t)
          (let ((place (save-restriction (widen) (goto-char (point-min)) (forward-line (1- line))
                                         (min (+ (point) (1- column)) (line-end-position)))))
            (unless (<= (point-min) place (point-max)) (widen))
            (goto-char place)))
          (when text (delete-file text))))"""
        text = self.literal(place.text.path) if place.text else "nil"
        values = f"{self.literal(place.path)} {place.line} {place.column} {text}"
        expression = f"(progn (run-at-time 0 nil {function} {values}) 'ok)"
        return self.evaluate(expression, PATIENCE_TO_OPEN) == "ok"


class Code:
    """VS Code, which opens what its command says in the window that is running."""

    # What VS Code and what is built from its source call their command, and mostly their process.
    PROGRAMS = (
        "code", "codium", "code-insiders", "codium-insiders", "code-oss", "vscodium", "cursor", "windsurf", "positron",
    )

    def __init__(self, program):
        self.program = program
        # The window that can show text that is not saved.
        self.window = None

    @property
    def takes_text(self):
        """Whether it can show text that is not saved: with its extension, where that is switched on."""
        return self.window is not None

    @classmethod
    def running(cls, patience):
        """The VS Code of this user, if it runs."""
        programs = list(filter(shutil.which, cls.PROGRAMS))
        sockets = own_sockets(runtime_directory(), "vscode-*main.sock") if programs else []
        # The command of another one that is installed would start that.
        names = listening(programs.__contains__) if sockets else {}
        return [cls(names.get(path, programs[0])) for path in listened(sockets, 1)]

    def probe(self, place, patience):
        """`idle` if it can have a document of this name."""
        if not Code.opens(place.path):
            return None
        self.window = last_used(patience) if place.is_modified else None
        return "idle"

    @staticmethod
    def opens(path):
        """Whether VS Code can have a document of this name, and opens it as one: a workspace replaces what it shows."""
        return is_utf8(path) and not path.lower().endswith(b".code-workspace")

    def open(self, place):
        """Opens it, at its place if the name does not look like one with a place."""
        if place.text:
            return self.open_with_text(place)
        return answer([self.program, "--reuse-window", *self.arguments(place)], 2 * PATIENCE_TO_OPEN) is not None

    def open_with_text(self, place):
        """Opens it with the unsaved text; its command then brings the window to the front, and leaves the place."""
        state = show_text(self.window, place, PATIENCE_TO_OPEN)
        if state is None:
            return False
        place.text.remove()
        if state == "refused":
            place.drop_text()
        answer([self.program, "--reuse-window", place.path], PATIENCE_TO_OPEN)
        return True

    @staticmethod
    def arguments(place):
        """The words that name the document, and its place."""
        path = place.path.decode("utf-8")
        # Of FILE:LINE:COLUMN, VS Code takes every part that is a number out of the name, wherever it is.
        if any(NUMBER.fullmatch(part.strip()) for part in path.split(":")[1:]):
            return ["--file-uri", file_url(place.path)]
        # VS Code counts UTF-16 code units.
        before = place.text_of_line()[:place.column - 1]
        column = len(before.encode("utf-16-le", "surrogatepass")) // 2 + 1
        return ["--goto", f"{path}:{place.line}:{column}"]


def is_utf8(path):
    """Whether the bytes are a text."""
    try:
        return bool(path.decode("utf-8"))
    except UnicodeDecodeError:
        return False


EDITORS = {"nvim": Neovim, "vim": Vim, "emacs": Emacs, "code": Code}


def usable(place, chosen):
    """The editors that are running and answer: those that have the document open first, then in the chosen order."""
    kinds = [EDITORS[name] for name in chosen.editors if name in EDITORS]
    with concurrent.futures.ThreadPoolExecutor(max_workers=16) as pool:
        running = pool.map(lambda kind: kind.running(chosen.patience), kinds)
        instances = [editor for found in running for editor in found[:MAXIMUM_EDITORS]]
        answers = list(pool.map(lambda editor: editor.probe(place, chosen.patience), instances))
    return [editor for wanted in ("open", "idle") for editor, found in zip(instances, answers) if found == wanted]
