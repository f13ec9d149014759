"""handoff-edit: what it opens, where, and what it refuses; most of it without the air, as handoffd starts it."""

import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import urllib.parse

from devices import EDIT, ROOT, TIMEOUT, TYPE, WRITTEN, IntegrationTest, Lines, process
from odd_names import ODD_NAMES

PLUGIN = ROOT / "Extensions/Vim/plugin/handoff.vim"
MODE = ROOT / "Extensions/Emacs/handoff.el"


def activity(path, line=1, column=1, **more):
    """An activity about a document of this computer, as handoffd passes it on."""
    info = {"version": 1, "line": line, "column": column, "modificationTime": WRITTEN, "modified": False, **more}
    info.setdefault("NSUserActivityDocumentURLKey", {"$url": "file://" + urllib.parse.quote(path)})
    return {"type": TYPE, "deviceName": "laptop", "device": "0123456789abcdef", "userInfo": info}


class EditTest(IntegrationTest):
    """A test of handoff-edit on the desktop. Its editors offer what they show, so that the test is told of it."""

    def setUp(self):
        super().setUp()
        self.events = self.desktop.events
        self.configure("")
        self.notes = self.desktop.home / "notes"
        self.install("notify-send", f"""#!/bin/sh
printf '%s\\n' "$*" >> {self.notes}
case $1$2 in *--action*) [ ! -p {self.notes}.answer ] || cat {self.notes}.answer;; esac
""")
        self.addCleanup(lambda: [path.unlink() for path in self.desktop.home.glob("notes*")])

    def install(self, name, text):
        """A program of the desktop, until the test ends."""
        self.addCleanup(self.desktop.program(name, text).unlink)

    def configure(self, text):
        """Writes edit.conf of the desktop."""
        # Most editors here do not hang, however busy the machine is.
        text = text if "patience" in text else f"patience = {TIMEOUT}\n{text}"
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        (self.desktop.home / "config/handoff/edit.conf").write_text(f"[edit]\n{text}\n", encoding="utf-8")

    def edit(self, document, *options, status=0, **variables):
        """Runs handoff-edit to its end; returns what it printed."""
        text = document if isinstance(document, str) else json.dumps(document)
        result = subprocess.run(
            [EDIT / "handoff-edit", *options], input=text, env=self.desktop.environment(**variables), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT, check=False,
        )
        self.assertEqual(result.returncode, status, result.stdout)
        return result.stdout

    @contextlib.contextmanager
    def editing(self, document, **variables):
        """handoff-edit while it runs; its `lines` are what it prints."""
        with process([EDIT / "handoff-edit"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                     env=self.desktop.environment(**variables)) as running:
            running.stdin.write(json.dumps(document))
            running.stdin.close()
            running.lines = Lines(running.stderr)
            yield running

    def shown(self, path, line, column):
        """Waits until an editor of the desktop shows the document, and checks the place."""
        info = self.events.wait_document(path)["UserInfo"]
        self.assertEqual((info["line"], info["column"]), (line, column))

    def neovim(self, *arguments, **variables):
        """A Neovim on the desktop, once it shows its first document."""
        return self.start("nvim", "config/nvim/init.vim", *arguments, **variables)

    def start(self, program, settings, *arguments, **variables):
        """Vim or Neovim on the desktop, once it shows its first document."""
        path = self.desktop.home / settings
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"set nocompatible\nlet g:handoff_enabled = 1\nsource {PLUGIN}\n", encoding="utf-8")
        editor = self.terminal(self.desktop, program, *(arguments or [self.first()]), **variables)
        self.events.wait("the first document", lambda e: e["properties"].get("DocumentURL"))
        return editor

    def emacs(self):
        """An Emacs on the desktop, once it shows its first document."""
        settings = self.desktop.home / "settings.el"
        settings.write_text(
            f'(setq make-backup-files nil)\n(load "{MODE}")\n(handoff-mode 1)\n(server-start)\n', encoding="utf-8"
        )
        editor = self.terminal(self.desktop, "emacs", "-nw", "-Q", "-l", settings, self.first())
        self.events.wait("the first document", lambda e: e["properties"].get("DocumentURL"))
        return editor

    def first(self):
        """The document that an editor shows at first."""
        return self.desktop.write("first.txt")


class RunningTests(EditTest):
    """Documents open in an editor that is running."""

    def test_every_odd_name_opens_in_neovim_at_its_place(self):
        self.neovim()
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.desktop.write(name, "one\n\tdä日x\n")
                os.utime(path, (WRITTEN, WRITTEN))
                self.edit(activity(path, 2, 5))
                self.shown(path, 2, 5)

    def test_a_place_after_the_end_is_the_end(self):
        self.neovim()
        path = self.desktop.write("notes.txt", "one\ntwo\n")
        self.edit(activity(path, 900, 900, modificationTime=None))
        self.shown(path, 2, 3)

    def test_unsaved_text_stays_in_its_window(self):
        first = self.first()
        editor = self.neovim(first, "-c", "set nohidden")
        editor.type("xiunsaved\x1b")
        path = self.desktop.write("notes.txt")
        self.edit(activity(path, 3, modificationTime=None))
        self.shown(path, 3, 1)
        editor.type("\x1b:close | echo 'now ' . (&modified ? 'modified' : 'lost')\r")
        editor.wait("now modified")

    def test_the_editor_that_has_it_open_comes_first(self):
        path = self.desktop.write("notes.txt")
        with_it = self.neovim(path)
        self.neovim(self.first())
        self.edit(activity(path, 3, 2, modificationTime=None))
        with_it.type("\x1b:echo 'at ' . line('.') . ',' . col('.')\r")
        with_it.wait("at 3,2")

    def test_of_editors_that_hang_nothing_is_expected(self):
        hanging = self.neovim()
        # The newest comes first.
        self.emacs()
        self.configure("patience = 5")
        hanging.process.send_signal(signal.SIGSTOP)
        self.addCleanup(hanging.process.send_signal, signal.SIGCONT)
        path = self.desktop.write("notes.txt")
        self.edit(activity(path, 2, modificationTime=None))
        self.shown(path, 2, 1)

    def test_a_swap_file_is_the_editors_own_question(self):
        path = self.desktop.write("crashed.txt")
        crashed = self.neovim(path)
        crashed.type("ixyz\x1b:preserve\r")
        crashed.wait("File preserved")
        crashed.process.send_signal(signal.SIGKILL)
        crashed.wait_for_exit()
        self.events.wait_idle()
        editor = self.neovim()
        self.edit(activity(path, 2, modificationTime=None))
        editor.wait("Found a swap file")

    def test_vs_code_gets_the_place_in_its_own_units_and_odd_names_as_addresses(self):
        log = self.desktop.home / "notes.code"
        self.install("code", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {log}\n")
        with socket.socket(socket.AF_UNIX) as server:
            address = self.desktop.runtime / "vscode-1-main.sock"
            server.bind(str(address))
            self.addCleanup(address.unlink)
            server.listen()
            for name in ODD_NAMES:
                with self.subTest(name=name):
                    path = self.desktop.write(name, "one\n\td😀x\n")
                    try:
                        text = path.decode()
                    except UnicodeDecodeError:
                        self.edit(activity(path, modificationTime=None), status=69)
                        continue
                    self.edit(activity(path, 2, 4, modificationTime=None))
                    words = ["--file-uri", "file://" + urllib.parse.quote(path)] if name == b":12:3" else [
                        "--goto", f"{text}:2:5"]
                    self.assertEqual(log.read_text().split("\0"), ["--reuse-window", *words, ""])


    def test_what_vs_code_opens_as_a_workspace_in_the_place_of_the_one_that_it_shows_is_left_to_others(self):
        self.install("code", "#!/bin/sh\n")
        with socket.socket(socket.AF_UNIX) as server:
            address = self.desktop.runtime / "vscode-1-main.sock"
            server.bind(str(address))
            self.addCleanup(address.unlink)
            server.listen()
            for name in ("project.code-workspace", "PROJECT.CODE-WORKSPACE"):
                path = self.desktop.write(name, "{}\n")
                self.edit(activity(path, modificationTime=None), status=69)
                self.edit(activity(path, modificationTime=None), status=69, EDITOR="code", DISPLAY=":0")

    def test_a_line_without_an_end_fills_no_memory(self):
        log = self.desktop.home / "notes.code"
        self.install("code", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {log}\n")
        path = self.desktop.write("long.txt", "x" * 100_000)
        os.truncate(path, 2**34)
        with socket.socket(socket.AF_UNIX) as server:
            address = self.desktop.runtime / "vscode-1-main.sock"
            server.bind(str(address))
            self.addCleanup(address.unlink)
            server.listen()
            self.edit(activity(path, 1, 50_001, modificationTime=None))
        self.assertIn(":1:50001", log.read_text())


class TrustTests(EditTest):
    """Which sockets are those of the person's own editors: a false one could give orders to the command that asks it."""

    # Makes directories, which FOREIGN names, look like another user's to Python: only root could give them away.
    OWNERS = """import os

FOREIGN = [(s.st_dev, s.st_ino) for s in map(os.stat, filter(None, os.environ["FOREIGN"].split(":")))]

def changed(function):
    def status(*arguments, **options):
        found = function(*arguments, **options)
        is_foreign = (found.st_dev, found.st_ino) in FOREIGN
        return os.stat_result([*found[:4], 65534, *found[5:]]) if is_foreign else found
    return status

os.stat, os.lstat, os.fstat = map(changed, (os.stat, os.lstat, os.fstat))
"""

    def setUp(self):
        super().setUp()
        self.configure("patience = 0.5")
        self.place = self.directory("trust")
        (self.place / "sitecustomize.py").write_text(self.OWNERS, encoding="utf-8")

    def directory(self, path, mode=0o700):
        """A directory of the desktop, until the test ends."""
        made = self.desktop.home / path
        made.mkdir()
        made.chmod(mode)
        self.addCleanup(shutil.rmtree, made)
        return made

    def asks(self, path, foreign="", **variables):
        """Whether handoff-edit connects to a socket at a path."""
        with socket.socket(socket.AF_UNIX) as server:
            # The address of a socket is short.
            with contextlib.chdir(path.parent):
                server.bind(path.name)
            server.listen()
            variables.update(PYTHONPATH=str(self.place), FOREIGN=str(foreign))
            self.edit(activity(self.first(), modificationTime=None), status=69, **variables)
            server.setblocking(False)
            try:
                server.accept()[0].close()
            except BlockingIOError:
                return False
            finally:
                path.unlink()
            return True

    def test_a_socket_in_a_directory_of_somebody_else_is_told_nothing(self):
        for directory, name in (("tmp/nvim-x", "0"), (f"tmp/emacs{os.getuid()}", "server"), ("run/emacs", "server")):
            with self.subTest(directory=directory):
                path = self.directory(directory)
                self.assertTrue(self.asks(path / name))
                self.assertFalse(self.asks(path / name, foreign=path))

    def test_a_link_in_a_directory_of_somebody_else_leads_to_no_editor(self):
        elsewhere = self.directory("elsewhere")
        outer = self.directory("tmp/nvim.x", mode=0o755)
        (outer / "link").symlink_to(elsewhere)
        self.assertFalse(self.asks(elsewhere / "nvim.1.0", foreign=outer))
        self.assertFalse(self.asks(elsewhere / "nvim.1.0"), "nor does one that could be anybody's")
        inner = self.directory("tmp/nvim.x/dir")
        self.assertTrue(self.asks(inner / "nvim.1.0"))
        self.assertFalse(self.asks(inner / "nvim.1.0", foreign=outer))

    def test_a_link_to_a_directory_with_a_socket_is_not_followed(self):
        elsewhere = self.directory("elsewhere")
        for name, socket_name in (("nvim-x", "0"), (f"emacs{os.getuid()}", "server")):
            link = self.desktop.home / "tmp" / name
            link.symlink_to(elsewhere)
            self.addCleanup(link.unlink)
            self.assertFalse(self.asks(elsewhere / socket_name))

    def test_a_directory_into_which_others_may_write_has_no_socket_to_trust(self):
        path = self.directory("tmp/nvim-x")
        for mode in (0o777, 0o720, 0o1777):
            with self.subTest(mode=oct(mode)):
                path.chmod(mode)
                self.assertFalse(self.asks(path / "0"))

    def test_every_directory_above_a_socket_is_examined(self):
        outer = self.directory("outer")
        for directory in (outer / "tmp", outer / "tmp/nvim-x"):
            directory.mkdir(mode=0o700)
        path = outer / "tmp/nvim-x/0"
        self.assertTrue(self.asks(path, TMPDIR=str(outer / "tmp")))
        self.assertFalse(self.asks(path, TMPDIR=str(outer / "tmp"), foreign=outer))
        outer.chmod(0o777)
        self.assertFalse(self.asks(path, TMPDIR=str(outer / "tmp")))
        outer.chmod(0o1777)
        self.assertTrue(self.asks(path, TMPDIR=str(outer / "tmp")), "as in /tmp, nobody can replace what is another's")

    def test_a_directory_for_temporary_files_that_is_a_link_is_the_one_it_leads_to_now(self):
        inner = self.directory("inner")
        (inner / "nvim-x").mkdir(mode=0o700)
        link = self.desktop.home / "link"
        link.symlink_to(inner)
        self.addCleanup(link.unlink)
        self.assertTrue(self.asks(inner / "nvim-x/0", TMPDIR=str(link)))
        self.assertFalse(self.asks(inner / "nvim-x/0", TMPDIR=str(link), foreign=inner))
        self.assertFalse(self.asks(inner / "nvim-x/0", TMPDIR="../../inner"), "and a relative one is none")


class RunningEmacsTests(EditTest):
    """Documents open in an Emacs that is running."""

    def test_every_odd_name_opens_in_emacs_at_its_place(self):
        self.emacs()
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.desktop.write(name, "one\n\tdä日x\n")
                os.utime(path, (WRITTEN, WRITTEN))
                self.edit(activity(path, 2, 5))
                self.shown(path, 2, 5)


class RunningVimTests(EditTest):
    """Documents open in a Vim that is running."""

    def test_every_odd_name_opens_in_a_vim_that_takes_commands(self):
        with VimServer(self.desktop, self.install) as server:
            self.start("/usr/bin/vim", ".vimrc", "-c", f"let c = ch_open('localhost:{server.port}')", self.first())
            for name in ODD_NAMES:
                with self.subTest(name=name):
                    path = self.desktop.write(name, "one\n\tdä日x\n")
                    os.utime(path, (WRITTEN, WRITTEN))
                    self.edit(activity(path, 2, 5))
                    self.shown(path, 2, 5)


class StartedTests(EditTest):
    """Documents open in an editor that is started."""

    def setUp(self):
        super().setUp()
        self.log = self.desktop.home / "notes.terminal"
        self.install("x-terminal-emulator", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {self.log}\n")

    def started(self):
        """The words that the terminal emulator got."""
        return self.log.read_bytes().split(b"\0")[:-1]

    def test_every_odd_name_opens_in_vim_in_a_terminal(self):
        settings = self.desktop.home / ".vimrc"
        settings.write_text(f"set nocompatible\nlet g:handoff_enabled = 1\nsource {PLUGIN}\n", encoding="utf-8")
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.desktop.write(name, "one\n\tdä日x\n")
                self.edit(activity(path, 2, 5, modificationTime=None), EDITOR="vim", DISPLAY=":0")
                self.assertEqual(self.started()[0], b"-e")
                editor = self.terminal(self.desktop, *self.started()[1:])
                self.shown(path, 2, 5)
                editor.close()

    def test_visual_precedes_editor_and_each_gets_the_place_as_it_wants_it(self):
        path = self.desktop.write("notes.txt")
        for name in ("nano", "kak", "micro", "unknown-editor"):
            self.install(name, "#!/bin/sh\n")
        file = path.decode()
        for editor, words in (
            ("nano", ["+2,3", file]), ("kak -n", ["-n", "+2:3", file]), ("micro", ["+2", file]),
            ("unknown-editor", [file]),
        ):
            with self.subTest(editor=editor):
                self.edit(activity(path, 2, 3, modificationTime=None), VISUAL=editor, EDITOR="ed", DISPLAY=":0")
                self.assertEqual(self.started(), [b"-e", editor.split()[0].encode(), *map(str.encode, words)])

    def test_the_command_of_edit_conf_gets_each_value_as_it_is(self):
        self.install("mine", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {self.log}\n")
        self.configure("command = mine --at={line}:{column} 'a b' {file}")
        for name in (b"{line}.txt", b"caf\xe9 $(id).txt"):
            path = self.desktop.write(name)
            self.edit(activity(path, 2, 3, modificationTime=None), EDITOR="ed", DISPLAY=":0")
            self.assertEqual(self.started(), [b"--at=2:3", b"a b", path])

    def test_without_an_editor_it_says_so_and_handoffd_may_open_it_elsewhere(self):
        path = self.desktop.write("notes.txt")
        self.assertIn("No editor runs here", self.edit(activity(path, modificationTime=None), status=69))
        self.assertIn("No editor runs here", self.edit(activity(path, modificationTime=None), status=69, EDITOR="vim"),
                      "without a display there is no terminal")
        self.assertFalse(self.notes.exists(), "what handoffd does then is told by handoffd")


class RefusedTests(EditTest):
    """What is not opened, and is said."""

    def test_what_is_no_text_is_refused(self):
        folder = self.desktop.docs
        os.mkfifo(folder / "pipe")
        for path in (self.desktop.write("elf", b"\x7fELF\x02\x01\x01\0\0"), b"/bin/true", os.fsencode(folder),
                     os.fsencode(folder / "pipe"), b"/dev/zero", b"/dev/tty"):
            with self.subTest(path=path):
                self.edit(activity(path, modificationTime=None), status=65)
        self.neovim()
        script = self.desktop.write("script.sh", "#!/bin/sh\ntouch /tmp/never\n")
        os.chmod(script, 0o755)
        self.edit(activity(script, 2, modificationTime=None))
        self.shown(script, 2, 1)

    def test_texts_of_every_encoding_are_texts(self):
        self.neovim()
        for text in (b"", b"caf\xe9\n", "日本\n".encode("utf-16"), "x\n".encode("utf-8-sig")):
            path = self.desktop.write(f"{len(text)}.txt", text)
            self.edit(activity(path, modificationTime=None))
            self.events.wait_document(path)

    def test_a_file_that_vanished_is_named(self):
        self.assertIn("gone.txt is not there any more", self.edit(activity(b"/nowhere/gone.txt"), status=66))
        self.assertIn("gone.txt", self.notes.read_text())

    def test_an_activity_that_makes_no_sense_opens_nothing(self):
        path = self.desktop.write("notes.txt")
        key = "NSUserActivityDocumentURLKey"
        whole = activity(path)
        for document in (
            "", "{", "[1]", "null", "\0", "[" * 100_000, {**whole, "type": "org.example.other"}, {**whole, "userInfo": []},
            *(activity(path, **{key: value}) for value in (
                None, "file:///etc/passwd", {"$url": "https://example.org/"}, {"$url": "file://host/etc/passwd"},
                {"$url": "file:relative"}, {"$url": "file:///a%00b"}, {"$url": 7}, {"$data": "eA=="},
                {"$url": "file://"},
            )),
        ):
            with self.subTest(document=str(document)[:200]):
                self.edit(document, status=65)
        self.neovim()
        for line, column in ((-1, 0), ("1|!id", [1]), (True, None), (2**63, 1e9), ({"$date": "x"}, "x")):
            with self.subTest(line=line):
                other = self.desktop.write(f"{str(line)[:3]}.txt".replace("/", ""))
                self.edit(activity(other, line, column, modificationTime="x"))
                self.shown(other, 1, 1)

    def test_a_document_that_is_older_here_opens_when_it_has_arrived(self):
        self.neovim()
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        with self.editing(activity(path, 2, modificationTime=WRITTEN + 100)) as running:
            running.lines.wait(lambda line: "notes.txt is older here" in line, "a word about it")
            os.utime(path, (WRITTEN + 100, WRITTEN + 100))
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)
        self.shown(path, 2, 1)

    def test_a_document_that_stays_older_is_not_opened_unless_the_person_says_so(self):
        self.neovim()
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        older = activity(path, 2, modificationTime=WRITTEN + 100)
        self.configure("wait = 0")
        self.assertIn("still older here than on laptop", self.edit(older, status=75))
        self.assertIn("Not opened", self.notes.read_text())
        self.edit(older, "--older")
        self.shown(path, 2, 1)
        other = self.desktop.write("other.txt")
        os.utime(other, (WRITTEN, WRITTEN))
        self.configure("older = open")
        self.edit(activity(other, 3, modificationTime=WRITTEN + 100))
        self.shown(other, 3, 1)

    def test_the_notification_about_an_older_document_opens_it(self):
        self.neovim()
        os.mkfifo(f"{self.notes}.answer")
        path = self.desktop.write("notes.txt")
        os.utime(path, (WRITTEN, WRITTEN))
        with self.editing(activity(path, 2, modificationTime=WRITTEN + 100)) as running:
            pathlib.Path(f"{self.notes}.answer").write_text("open\n", encoding="utf-8")
            self.assertEqual(running.wait(timeout=TIMEOUT), 0)
        self.shown(path, 2, 1)
        self.assertIn("notes.txt is older here", self.notes.read_text())

    def test_opening_a_device_could_do_something_and_none_is_opened(self):
        path = os.fsencode(self.desktop.docs / "pipe")
        os.mkfifo(path)
        with Watch(path) as watch:
            self.edit(activity(path, modificationTime=None), status=65)
            self.assertFalse(watch.was_opened())

    def test_a_name_of_a_device_that_is_no_text_is_shown_without_what_is_none(self):
        self.neovim()
        path = self.desktop.write("notes.txt")
        text = json.dumps({**activity(path, modified=True, modificationTime=None), "deviceName": "\ud800\u202ex"})
        self.edit(text)
        self.events.wait_document(path)
        self.assertIn("? x has changes in it that are not saved there", self.notes.read_text())

    def test_unsaved_text_on_the_other_computer_is_told(self):
        self.neovim()
        path = self.desktop.write("<b>.txt")
        self.edit(activity(path, modified=True, modificationTime=None))
        self.events.wait_document(path)
        self.assertIn("laptop has changes in it that are not saved there", self.notes.read_text())


class Watch:
    """Notices when a file is opened (inotify(7))."""

    OPEN = 0x20

    def __init__(self, path):
        self._libc = ctypes.CDLL(None, use_errno=True)
        self._path = path

    def __enter__(self):
        self._file = self._libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        self._libc.inotify_add_watch(self._file, self._path, self.OPEN)
        return self

    def __exit__(self, *_):
        os.close(self._file)

    def was_opened(self):
        """Whether it was, since the watch began."""
        try:
            return bool(os.read(self._file, 4096))
        except BlockingIOError:
            return False


class VimServer:
    """A program `vim` that sends expressions to a running Vim, which evaluates them: as with +clientserver, but over a
    channel, which every Vim has."""

    def __init__(self, computer, install):
        self._listener = socket.create_server(("localhost", 0))
        self.port = self._listener.getsockname()[1]
        self._address = str(computer.runtime / "relay")
        self._relay = socket.socket(socket.AF_UNIX)
        self._relay.bind(self._address)
        self._relay.listen()
        install("vim", f"""#!/usr/bin/python3
import socket, sys
if sys.argv[1:] == ["--serverlist"]:
    print("GVIM")
elif sys.argv[1:4] == ["--servername", "GVIM", "--remote-expr"]:
    with socket.socket(socket.AF_UNIX) as relay:
        relay.connect({self._address!r})
        relay.sendall(sys.argv[4].encode())
        relay.shutdown(socket.SHUT_WR)
        print(relay.makefile().read())
else:
    sys.exit(1)
""")

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()
        self._relay.close()
        os.unlink(self._address)

    def _serve(self):
        vim, _ = self._listener.accept()
        answers = vim.makefile()
        with vim, contextlib.suppress(OSError):
            while True:
                client, _ = self._relay.accept()
                with client:
                    expression = client.makefile().read()
                    vim.sendall(json.dumps(["expr", expression, -1]).encode() + b"\n")
                    value = json.JSONDecoder().raw_decode(answers.readline())[0][1]
                    client.sendall(str(value).encode())
