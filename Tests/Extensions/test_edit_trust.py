"""handoff-edit: which sockets are those of the person's own editors."""

import contextlib
import os
import shutil
import socket
import threading

from edit_test import EditTest, activity


class TrustTests(EditTest):
    """Which sockets are those of the person's own editors: a false one could give orders to the command that asks."""

    # Makes directories, which FOREIGN names, look like another user's to Python: only root could give them away.
    OWNERS = """import os

FOREIGN = [(s.st_dev, s.st_ino) for s in map(os.stat, filter(None, os.environ["FOREIGN"].split(":")))]

def changed(function):
    def status(*arguments, **options):
        found = function(*arguments, **options)
        is_foreign = (found.st_dev, found.st_ino) in FOREIGN
        return os.stat_result([*found[:4], os.getuid() + 1, *found[5:]]) if is_foreign else found
    return status

os.stat, os.lstat, os.fstat = map(changed, (os.stat, os.lstat, os.fstat))
"""

    def setUp(self):
        super().setUp()
        self.python = self.before_python(self.OWNERS)

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
            asked = threading.Event()
            thread = threading.Thread(target=self.hang_up, args=(server, asked))
            thread.start()
            variables.update(self.python, FOREIGN=str(foreign))
            try:
                self.edit(activity(self.first(), modificationTime=None), status=69, **variables)
            finally:
                server.shutdown(socket.SHUT_RDWR)
                thread.join()
                path.unlink()
        return asked.is_set()

    @staticmethod
    def hang_up(server, asked):
        """Ends each connection at once, until the socket is shut down."""
        with contextlib.suppress(OSError):
            while True:
                server.accept()[0].close()
                asked.set()

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
