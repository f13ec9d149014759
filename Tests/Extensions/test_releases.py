"""The plug-ins with editors and shells of the releases of Debian that this computer is not (Tests/Scripts/unpack-release)."""

import subprocess

from devices import ROOT
from edit_test import EditTest, activity
from test_edit_running import RunningTests
from test_edit_sockets import SocketTests
from test_emacs import EmacsTests
from test_terminal import BashTests, FishTests
from test_terminal_kept import TmuxTests
from test_vim import NeovimTests

SCRIPT = ROOT / "Tests/Scripts/unpack-release"
RELEASES = subprocess.run([SCRIPT, "--list"], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
# Of each kind, what depends on the version.
TESTS = {
    FishTests: (
        "test_the_directory_is_offered_and_each_that_the_person_goes_to",
        "test_the_terminal_that_gets_the_focus_is_the_one_that_is_offered",
        "test_programs_in_the_terminal_get_no_reports_of_the_focus_and_a_child_keeps_nothing_alive",
        "test_the_end_of_the_shell_is_the_end_of_its_activity_and_so_is_its_death",
        "test_a_terminal_that_shows_what_it_does_not_know_gets_no_sequences",
        "test_the_status_of_a_command_is_what_the_next_one_sees",
    ),
    BashTests: (
        "test_the_directory_is_offered_and_each_that_the_person_goes_to",
        "test_the_terminal_that_gets_the_focus_is_the_one_that_is_offered",
    ),
    TmuxTests: (
        "test_a_session_that_was_begun_here_is_not_offered_from_elsewhere",
        "test_a_session_that_was_begun_elsewhere_is_offered_from_here",
    ),
    NeovimTests: (
        "test_the_file_of_the_focused_window_is_offered_with_line_and_column_in_characters",
        "test_losing_the_focus_keeps_it_and_getting_it_back_makes_it_current_again",
    ),
    EmacsTests: (
        "test_the_file_of_the_selected_window_is_offered_with_line_and_column_in_characters",
        "test_getting_the_focus_back_makes_it_current_again",
    ),
    RunningTests: (
        "test_a_place_after_the_end_is_the_end", "test_unsaved_text_stays_in_its_window",
        "test_the_editor_that_has_it_open_comes_first",
    ),
    SocketTests: (
        "test_neovim_is_found_by_whatever_name_it_listens_at",
        "test_emacs_is_found_by_the_name_and_the_directory_of_its_server",
    ),
}


class OfRelease:
    """A test with programs of a release, which both computers have in the place of their own."""

    release = ""

    def setUp(self):
        super().setUp()
        commands = ROOT / ".cache/releases" / self.release / "commands"
        if self.release in RELEASES:
            self.assertTrue(commands.is_dir(), f"no programs of {self.release}: {SCRIPT} {self.release} unpacks them")
        for command in commands.iterdir() if self.release in RELEASES else []:
            for computer in (self.laptop, self.desktop):
                link = computer.bin / command.name
                link.symlink_to(command)
                self.addCleanup(link.unlink)


class AppNameTests(OfRelease, EditTest):
    """Neovim of Debian 13 or newer, which can have another name, as distributions of it give it."""

    release = next((release for release in RELEASES if release != "bookworm"), "")

    def test_a_neovim_with_another_name_is_found(self):
        self.start("nvim", "config/lazyvim/init.vim", NVIM_APPNAME="lazyvim")
        self.assertEqual([path.name.split(".")[0] for path in self.desktop.runtime.glob("*.*.0")], ["lazyvim"])
        path = self.desktop.write("notes.txt")
        self.edit(activity(path, 3, 2, modificationTime=None))
        self.shown(path, 3, 2)


def of_release(release, kind, names):
    """The tests of a kind that have these names, with the programs of a release."""
    others = {name: None for name in dir(kind) if name.startswith("test") and name not in names}
    parts = {**others, "__doc__": kind.__doc__, "__module__": __name__, "release": release}
    return type(f"{release.capitalize()}{kind.__name__}", (OfRelease, kind), parts)


globals().update({
    made.__name__: made for made in [of_release(release, *chosen) for release in RELEASES for chosen in TESTS.items()]
})
