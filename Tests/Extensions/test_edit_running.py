"""handoff-edit: what opens in an editor that is running."""

import contextlib
import json
import os
import signal
import socket
import threading
import urllib.parse

from devices import WRITTEN
from edit_test import EditTest, activity
from odd_names import ODD_NAMES


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

    def test_sockets_of_editors_that_have_died_hide_none_that_runs(self):
        for start, name in ((self.neovim, "nvim.{}.0"), (self.emacs, "emacs/dead{}")):
            with self.subTest(name=name):
                editor = start()
                for number in range(20):
                    self.die("run/" + name.format(number))
                path = self.desktop.write("notes.txt")
                self.edit(activity(path, 2, 1, modificationTime=None))
                self.shown(path, 2, 1)
                editor.close()
                self.events.wait_idle()

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


    def test_a_document_that_vanishes_or_becomes_a_pipe_meanwhile_stops_nothing(self):
        log = self.desktop.home / "notes.code"
        self.install("code", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {log}\n")
        self.listen("tmp/nvim-x/0")
        self.listen("run/vscode-1-main.sock")
        path = self.desktop.write("notes.txt")
        path = self.desktop.write("notes.txt")
        # Neovim is asked before VS Code is told.
        change = self.desktop.home / "notes.change"
        self.install("nvim", f"#!/bin/sh\n. {change}\nexit 1\n")
        for command in ("rm -f", "mkfifo"):
            with self.subTest(command=command):
                self.desktop.write("notes.txt")
                change.write_text(f"rm -f {path.decode()}; {command} {path.decode()}\n", encoding="utf-8")
                self.edit(activity(path, 2, 3, modificationTime=None))
                self.assertEqual(log.read_text().split("\0")[2], f"{path.decode()}:2:1")
                log.unlink()
                (self.desktop.docs / "notes.txt").unlink(missing_ok=True)


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
