"""The shells' integrations: real shells in terminals, a real tmux."""

import os
import pathlib
import signal
import subprocess

from odd_names import ODD_NAMES
from terminal_test import TYPE, BashShellTest, FishShellTest, TerminalTest, ZshShellTest


class BashTests(BashShellTest):
    """Bash; the same tests run with the other shells."""

    def test_the_directory_is_offered_and_each_that_the_person_goes_to(self):
        self.directory("second")
        shell = self.shell()
        properties = self.events.wait_document(self.directory("first"))
        self.assertEqual((properties["Type"], properties["Title"]), (TYPE, "first"))
        self.run_command(shell, "cd ../second")
        self.events.wait_document(self.directory("second"))
        self.run_command(shell, "cd ..")
        self.events.wait_document(self.laptop.docs)

    def test_every_odd_name_arrives_as_it_is(self):
        shell = self.shell()
        for name in ODD_NAMES:
            with self.subTest(name=name):
                path = self.directory(name)
                self.run_command(shell, b"cd " + self.literal(path))
                self.events.wait_document(path)

    def test_nothing_is_offered_without_being_switched_on_nor_over_ssh(self):
        shell = self.shell(is_on=False)
        self.run_command(shell, "cd ..")
        remote = self.shell(SSH_CONNECTION="192.0.2.1 5 192.0.2.2 22", directory=self.directory("remote"))
        self.run_command(remote, "cd ..")
        self.assertNotIn(b"\x1b[?1004h", shell.raw + remote.raw)
        self.shell(directory=self.directory("second"))
        first = self.events.wait("a document", lambda e: e["properties"].get("DocumentURL"))["properties"]
        self.assertTrue(first["DocumentURL"].endswith("/second"), first)

    def test_a_terminal_that_shows_what_it_does_not_know_gets_no_sequences(self):
        for directory, variables in (("first", {"TERM": "dumb"}), ("second", {"INSIDE_EMACS": "28.2,comint"})):
            with self.subTest(variables=variables):
                shell = self.shell(directory=self.directory(directory), **variables)
                self.events.wait_document(self.directory(directory))
                self.run_command(shell, "cd ..")
                self.events.wait_document(self.laptop.docs)
                self.assertNotIn(b"[?1004", shell.raw)
                shell.type("exit\r")
                self.events.wait_activity("removed")

    def test_who_waits_for_a_long_command_may_be_elsewhere(self):
        for name in ("slow", "quick"):
            self.directory(name)
        shell = self.shell()
        self.events.wait_document(self.directory("first"))
        self.run_command(shell, "sleep 3; cd ../slow")
        self.run_command(shell, "cd ../quick")
        changed = self.events.wait("a document", lambda e: e["properties"].get("DocumentURL"))["properties"]
        self.assertTrue(changed["DocumentURL"].endswith("/quick"), changed)

    def test_the_terminal_that_gets_the_focus_is_the_one_that_is_offered(self):
        first, second = self.directory("first"), self.directory("second")
        shell = self.shell()
        self.events.wait_document(first)
        other = self.shell(directory=second)
        self.events.wait_document(second)
        shell.type("\x1b[O\x1b[I")
        self.events.wait_document(first)
        with self.pair.publishing(title="Another"):
            self.pair.fetch()
            shell.type("\x1b[I")
            self.events.wait_document(first)
        other.type("\x1b[I")
        self.events.wait_document(second)

    def test_the_end_of_the_shell_is_the_end_of_its_activity_and_so_is_its_death(self):
        first, second = self.directory("first"), self.directory("second")
        shell = self.shell()
        self.events.wait_document(first)
        shell.type("exit\r")
        shell.wait_for_exit()
        self.assertTrue(shell.raw.rfind(b"\x1b[?1004l") > shell.raw.rfind(b"\x1b[?1004h"), shell.raw[-200:])
        self.events.wait_activity("removed")
        other = self.shell(directory=second)
        self.events.wait_document(second)
        other.process.send_signal(signal.SIGKILL)
        self.events.wait_activity("removed")

    def test_programs_in_the_terminal_get_no_reports_of_the_focus_and_a_child_keeps_nothing_alive(self):
        shell = self.shell()
        self.events.wait_document(self.directory("first"))
        shell.type("echo in''side; cat\r")
        shell.wait("inside")
        shell.type("hello\r")
        shell.wait("hello")
        shell.wait("hello")
        self.assertTrue(shell.raw.rfind(b"\x1b[?1004l") > shell.raw.rfind(b"\x1b[?1004h"), shell.raw[-200:])
        shell.type("\x04")
        shell.wait("ready> ")
        # A child that stays has what the shell had open.
        pipe = self.laptop.home / "pipe"
        os.mkfifo(pipe)
        self.addCleanup(pipe.unlink)
        shell.type(f"cat {pipe} &\r")
        shell.wait("ready> ")
        with open(pipe, "w", encoding="ascii"):
            shell.type("exit\rexit\r")
            self.events.wait_activity("removed")

    def test_the_directory_can_be_removed_and_its_file_system_unmounted(self):
        first = self.directory("first")
        shell = self.shell()
        self.events.wait_document(first)
        self.assertEqual(set(self.reporting().values()), {"/"})
        os.rmdir(first)
        self.events.wait("the loss of the directory", lambda e: e["properties"].get("DocumentProblem"))
        self.run_command(shell, "cd ..")
        self.events.wait_document(self.laptop.docs)

    def test_the_status_of_a_command_is_what_the_next_one_sees(self):
        shell = self.shell()
        shell.type("false\r")
        shell.wait("ready> ")
        shell.type(f"echo status-{self.status}\r")
        shell.wait("status-1")

    def test_without_a_bus_the_shell_says_nothing_and_goes_on(self):
        shell = self.shell(DBUS_SESSION_BUS_ADDRESS="unix:path=/nowhere")
        for name in ("second", "third"):
            self.directory(name)
            self.run_command(shell, f"cd ../{name}")
        self.assertNotIn("handoff", shell.shown)


class OtherUserTests(TerminalTest):
    """What a shell tells, only its user gets."""

    def test_nothing_is_told_in_a_directory_of_another_user(self):
        path = self.laptop.home / "others"
        path.mkdir()
        self.addCleanup(path.rmdir)
        if os.geteuid() == 0:
            os.chown(path, 65534, 65534)
        else:
            path = pathlib.Path("/")
        result = subprocess.run(
            [self.reporter, "tell", str(os.getpid()), "an id", "1", "1", "/tmp"],
            env=self.laptop.environment(XDG_RUNTIME_DIR=str(path)), capture_output=True, text=True, check=False,
        )
        self.assertEqual(result.returncode, 69, result.stderr)
        self.assertIn("is not a directory of this user", result.stderr)


class BashSettingsTests(TerminalTest):
    """What the person's own settings of Bash keep."""

    def test_commands_of_the_prompt_are_kept_however_they_end(self):
        for command in ("echo mine;", "echo mine", "declare -a PROMPT_COMMAND=('echo mi' 'echo ne')"):
            with self.subTest(command=command):
                path = self.laptop.home / ".bashrc"
                before = command if command.startswith("declare") else f"PROMPT_COMMAND='{command}'"
                integration = self.integration(self.laptop, "bash")
                path.write_text(f"{before}\n{BashShellTest.before}. {integration}\n. {integration}\n", encoding="utf-8")
                self.addCleanup(path.unlink, missing_ok=True)
                directory = self.directory("first")
                shell = self.terminal(self.laptop, "bash", directory=directory)
                shell.wait("mi")
                shell.wait("ne")
                self.events.wait_document(directory)
                shell.type("exit\r")
                self.events.wait_activity("removed")


class ZshTests(ZshShellTest, BashTests):
    """Zsh."""


class FishTests(FishShellTest, BashTests):
    """Fish."""
