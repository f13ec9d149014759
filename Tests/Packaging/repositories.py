"""Small packages, keys that expire after a day, and repositories of them, for the tests of Packaging."""

import contextlib
import functools
import http.server
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "Packaging"
# In 2023, before any of the keys was made: signatures have their own time.
EPOCH = "1700000000"


@functools.cache
def key(number):
    """A secret key in armour, the same for each test that asks for this number; making one takes half a second."""
    del number
    return subprocess.run([PACKAGING / "temporary-key"], capture_output=True, text=True, check=True).stdout


class RepositoryTests(unittest.TestCase):
    """Each test has an empty directory."""

    def setUp(self):
        self.directory = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))

    def package(self, name, architecture, version="1.0", content="data"):
        """A package with one file."""
        tree = self.directory / "tree" / f"{name}-{version}-{architecture}"
        (tree / "DEBIAN").mkdir(parents=True)
        (tree / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n"
            "Maintainer: Nobody <nobody@example.org>\nDescription: a package of the tests\n"
        )
        (tree / "file").write_text(content)
        file = self.directory / f"{name}-{version}-{architecture}.deb"
        subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, file], stdout=subprocess.DEVNULL, check=True)
        return file

    def packages(self, **options):
        """A daemon and a window, each for two architectures."""
        return [
            self.package(name, architecture, **options)
            for name in ("handoffd", "handoff-window")
            for architecture in ("amd64", "arm64")
        ]

    def repository(self, *packages, name="repository", secret=None, options=()):
        """The directory of a new repository that is signed by the first key, if no other is given."""
        directory = self.directory / name
        done = self.make(directory, *(packages or self.packages()), secret=secret, options=options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return directory

    def make(self, directory, *packages, secret=None, options=(), **variables):
        environment = {
            **os.environ, "SOURCE_DATE_EPOCH": EPOCH, "GNUPGHOME": str(self.empty_keyring()),
            "HANDOFF_SIGNING_KEY": key(0) if secret is None else secret, **variables,
        }  # fmt: skip
        command = [PACKAGING / "make-repository", *options, directory, *packages]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def empty_keyring(self):
        """The keyring of a user without keys: a test never sees that of the person who runs it."""
        home = self.directory / "keyring"
        home.mkdir(mode=0o700, exist_ok=True)
        return home

    def check(self, repository, *options):
        """What apt says of a repository."""
        command = [PACKAGING / "check-repository", *options, str(repository)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_trusted(self, repository, *options):
        done = self.check(repository, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def assert_refused(self, done, *patterns):
        """A command has failed, and its message has what is expected; releases of apt use other words."""
        self.assertNotEqual(done.returncode, 0, done.stdout)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)


@contextlib.contextmanager
def served(directory):
    """The address of a web server of the directory on this machine, and the paths that were asked of it."""
    paths = []

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(directory))

        def do_GET(self):
            paths.append(self.path)
            super().do_GET()

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", paths
        finally:
            server.shutdown()
            thread.join()
