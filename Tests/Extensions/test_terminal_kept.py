"""The shells' integrations in what keeps terminals: where it was started does not count, but where it is shown."""

import pathlib
import subprocess

from order_test import OrderTest
from terminal_test import BashShellTest

OVER_SSH = "192.0.2.7 50000 192.0.2.9 22"


class TmuxTests(OrderTest, BashShellTest):
    """A real tmux; the same tests run with GNU screen."""

    new = ["tmux", "-f", "/dev/null", "new-session", "-s", "work"]
    again = ["tmux", "attach-session", "-t", "work"]
    leave = ["tmux", "detach-client", "-s", "work"]
    end = ["tmux", "kill-server"]

    def setUp(self):
        super().setUp()
        for name in ("second", "third", "fourth"):
            self.directory(name)
        self.ends = self.tell_ends()
        self.prepare()
        # Login shells set PATH anew.
        profile = self.laptop.home / ".bash_profile"
        profile.write_text(f"PATH={self.laptop.bin}:$PATH\n. ~/.bashrc\n", encoding="utf-8")
        self.addCleanup(profile.unlink)
        self.sockets = self.laptop.home / "tmp/kept"
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        self.variables = {"SHELL": "/bin/bash", "TMUX_TMPDIR": str(self.sockets), "SCREENDIR": str(self.sockets)}

    def tell(self, words):
        """Tells what keeps the session something."""
        environment = self.laptop.environment(**self.variables)
        subprocess.run(words, env=environment, check=False, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def show(self, words, is_here):
        """A terminal with the session at this computer or another one, once the shell in it shows its prompt."""
        where = {} if is_here else {"SSH_CONNECTION": OVER_SSH}
        directory = self.directory("first")
        made = self.terminal(self.laptop, *words, directory=directory, **self.variables, **where)
        # It keeps the terminal open.
        self.addCleanup(self.tell, self.end)
        made.wait("ready> ")
        return made

    def close(self, terminal):
        """Leaves the session, which goes on."""
        self.tell(self.leave)
        terminal.wait_for_exit()

    def go(self, terminal, name):
        """Goes to another directory."""
        self.run_command(terminal, f"cd {self.laptop.docs}/{name}")

    def go_unheard(self, terminal):
        """Goes to two directories in a session that is shown elsewhere, and leaves it."""
        for name in ("second", "third"):
            self.go(terminal, name)
            self.wait_heard(name)
        self.close(terminal)

    def wait_heard(self, name):
        """Waits for the end of the report of a directory, which has told it, or is none."""
        self.ends.wait(lambda line: line.endswith(f"/{name}"), "the end of a report")

    def next_document(self):
        """The name of what is offered next."""
        found = self.events.wait("a document", lambda e: e["properties"].get("DocumentURL"))
        return pathlib.Path(found["properties"]["DocumentURL"]).name

    def test_a_session_that_was_begun_here_is_not_offered_from_elsewhere(self):
        here = self.show(self.new, True)
        self.assertEqual(self.next_document(), "first")
        self.close(here)
        self.go_unheard(self.show(self.again, False))
        self.go(self.show(self.again, True), "fourth")
        # tmux tells the focus when a terminal begins to show it.
        self.assertIn(self.next_document(), ("third", "fourth"))

    def test_a_session_that_was_begun_elsewhere_is_offered_from_here(self):
        self.go_unheard(self.show(self.new, False))
        self.go(self.show(self.again, True), "fourth")
        self.assertIn(self.next_document(), ("third", "fourth"))


class ScreenTests(TmuxTests):
    """GNU screen, which does not tell who shows its session."""

    new = ["screen", "-S", "work"]
    again = ["screen", "-r", "work"]
    leave = ["screen", "-S", "work", "-X", "detach"]
    end = ["screen", "-S", "work", "-X", "quit"]
