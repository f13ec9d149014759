"""handoff-terminal: a tmux session of the laptop goes on in a terminal of the desktop, over a real ssh and sshd."""

import getpass
import os
import socket
import subprocess

from devices import Lines, process
from terminal_test import TYPE, BashShellTest, TerminalTest

SSHD = "/usr/sbin/sshd"
HOST = "laptop.example"


class SshTests(TerminalTest):
    """The laptop is reached at the loopback address, as the user of the tests, by a key that is made for a test."""

    def key(self, name):
        """A new key without a password; its public part is beside it."""
        path = self.desktop.home / name
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", path], check=True)
        for made in (path, path.with_suffix(".pub")):
            self.addCleanup(made.unlink)
        return path

    def write(self, name, *lines):
        """A file of settings; its path."""
        path = self.desktop.home / name
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        self.addCleanup(path.unlink)
        return path

    def serve(self, host_key, user_key, variables):
        """Starts sshd, whose log is `self.log`; returns its port. Who logs in gets the variables."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        settings = self.write(
            "sshd_config", "ListenAddress 127.0.0.1", f"Port {port}", f"HostKey {host_key}", "PidFile none", "UsePAM no",
            # The files of the test are below a directory into which others may write.
            f"AuthorizedKeysFile {user_key}.pub", "StrictModes no", "AuthenticationMethods publickey",
            "PermitRootLogin prohibit-password",
            "SetEnv " + " ".join(f'{name}="{value}"' for name, value in variables.items()),
        )
        server = self.enterContext(process([SSHD, "-D", "-e", "-f", settings], stderr=subprocess.PIPE, text=True))
        self.log = Lines(server.stderr)
        self.log.wait(lambda line: "listening" in line, "sshd at its port")
        return port

    def reach(self):
        """Has ssh on the desktop reach the laptop under its name; the person's own settings have no part in it."""
        host_key, user_key = self.key("host_key"), self.key("user_key")
        # The tmux of the laptop has its sockets elsewhere than that of the person who runs the tests.
        variables = {name: self.environment[name] for name in ("TMUX_TMPDIR", "PATH", "LC_ALL")}
        port = self.serve(host_key, user_key, variables)
        public = host_key.with_suffix(".pub").read_text(encoding="ascii")
        known = self.write("known_hosts", f"[127.0.0.1]:{port} {public}")
        settings = self.write(
            "ssh_config", f"Host {HOST}", "HostName 127.0.0.1", f"Port {port}", f"User {getpass.getuser()}",
            f"IdentityFile {user_key}", "IdentitiesOnly yes", "IdentityAgent none", f"UserKnownHostsFile {known}",
            "GlobalKnownHostsFile none", "StrictHostKeyChecking yes", "BatchMode yes",
        )
        # ssh looks for its settings in the home directory of the user's account, and not in that of the computer.
        self.install(self.desktop, "ssh", f"#!/bin/sh\nexec /usr/bin/ssh -F {settings} \"$@\"\n")

    def begin(self):
        """Starts a tmux session on the laptop, in a directory of no synchronised folder; returns its terminal."""
        self.configure(self.laptop, "[terminal]\ntmux = yes\n")
        (self.laptop.home / ".bashrc").write_text(
            f"{BashShellTest.before}. {self.integration(self.laptop, 'bash')}\n", encoding="utf-8"
        )
        # The shells of tmux are login shells, for which Debian sets PATH anew.
        profile = self.laptop.home / ".bash_profile"
        profile.write_text(f"PATH={self.laptop.bin}:$PATH\n. ~/.bashrc\n", encoding="utf-8")
        self.addCleanup(profile.unlink)
        variables = {"SHELL": "/bin/bash", "TMUX_TMPDIR": str(self.laptop.home / "tmp")}
        self.environment = self.laptop.environment(**variables)
        words = ["tmux", "-f", "/dev/null", "new-session", "-s", "work"]
        terminal = self.terminal(self.laptop, *words, directory=self.laptop.home, **variables)
        self.addCleanup(subprocess.run, ["tmux", "kill-server"], env=self.environment, check=False)
        terminal.wait("ready> ")
        self.events.wait("a session without a document",
                         lambda e: e["properties"].get("Title") == "tmux: work"
                         and not e["properties"].get("DocumentURL"))
        return terminal

    def continued(self):
        """Continues on the desktop; returns the command for which a terminal is opened there."""
        words = self.desktop.home / "words"
        os.mkfifo(words)
        self.addCleanup(words.unlink)
        self.install(self.desktop, "x-terminal-emulator", f"#!/bin/sh\nprintf '%s\\0' \"$@\" > {words}\n")
        self.pair.fetch(TYPE)
        with process([self.desktop.bin / "handoffctl", "continue"], env=self.desktop.environment(),
                     stdout=subprocess.DEVNULL) as continuing:
            option, *command = words.read_bytes().split(b"\0")[:-1]
            self.assertEqual(continuing.wait(), 0)
        self.assertEqual(option, b"-e")
        return command

    def test_a_tmux_session_goes_on_in_a_terminal_of_the_desktop(self):
        first = self.begin()
        self.reach()
        self.configure(self.desktop, f"[ssh]\nlaptop = {HOST}\n")
        command = self.continued()
        self.assertEqual(command, [b"ssh", b"-t", b"--", HOST.encode(), b"exec tmux attach-session -t '=work'"])
        attached = self.terminal(self.desktop, *command)
        attached.wait("ready> ")
        attached.type("echo in-$TMUX_PANE-it, from-${SSH_CONNECTION:-here}\r")
        self.log.wait(lambda line: line.startswith("Accepted publickey"), "a login at the laptop")
        # The shell is that of the laptop, whose own terminal shows the same.
        for terminal in (attached, first):
            terminal.wait("in-%0-it, from-here")
        # The session outlives the terminal of the desktop.
        attached.close()
        first.type("echo still''-here\r")
        first.wait("still-here")
