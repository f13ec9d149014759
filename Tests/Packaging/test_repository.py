#!/usr/bin/env python3
"""Tests of make-repository and check-repository, with this machine's apt: python3 Tests/Packaging/test_repository.py"""

import gzip
import lzma
import subprocess
import unittest

from repositories import RepositoryTests, key, served


class TrustedRepositories(RepositoryTests):
    def test_apt_downloads_every_package_of_every_architecture(self):
        said = self.assert_trusted(self.repository())
        for package in ("handoffd", "handoff-window"):
            for architecture in ("amd64", "arm64"):
                self.assertIn(f"{package}:{architecture}=1.0", said)

    def test_any_web_server_serves_it_and_apt_asks_by_hash(self):
        repository = self.repository()
        with served(repository) as (url, paths):
            self.assert_trusted(url, "--key", repository / "handoffd.asc")
        self.assertTrue(any("/binary-arm64/by-hash/SHA512/" in path for path in paths), paths)

    def test_the_source_with_the_key_is_all_that_a_user_needs(self):
        repository = self.repository(options=["--url", "https://packages.example.org/handoff"])
        (repository / "handoffd.asc").unlink()
        self.assertIn("URIs: https://packages.example.org/handoff\n", (repository / "handoffd.sources").read_text())
        self.assert_trusted(repository)

    def test_a_repository_has_several_versions(self):
        said = self.assert_trusted(self.repository(*self.packages(), *self.packages(version="2:1.1")))
        self.assertIn("handoffd:amd64=1.0, handoffd:amd64=2:1.1", said)

    def test_a_key_of_the_keyring_signs(self):
        keyring = self.empty_keyring()
        gpg = ["gpg", "--batch", "--quiet", "--homedir", keyring]
        subprocess.run([*gpg, "--import"], input=key(0), text=True, check=True)
        try:
            self.assert_trusted(self.repository(secret="", options=["--key", "handoffd, not a release"]))
        finally:
            subprocess.run(["gpgconf", "--homedir", keyring, "--kill", "all"], check=True)

    def test_checksums_are_signed_for_those_without_apt(self):
        repository = self.repository()
        subprocess.run(["sha256sum", "--quiet", "--check", "../SHA256SUMS"], cwd=repository / "pool", check=True)
        gpg = ["gpg", "--batch", "--quiet", "--homedir", self.empty_keyring()]
        subprocess.run([*gpg, "--import", repository / "handoffd.asc"], check=True)
        signed = [repository / "SHA256SUMS.asc", repository / "SHA256SUMS"]
        subprocess.run([*gpg, "--verify", *signed], check=True, capture_output=True)

    def test_only_signatures_differ_between_two_runs(self):
        packages = self.packages()
        first = contents(self.repository(*packages, name="first"))
        second = contents(self.repository(*reversed(packages), name="second"))
        signatures = {"InRelease", "Release.gpg", "SHA256SUMS.asc"}
        self.assertEqual(first.keys(), second.keys())
        differing = {path.name for path in first if first[path] != second[path]}
        self.assertLessEqual(differing, signatures)


class DistrustedRepositories(RepositoryTests):
    def test_another_key_is_not_trusted(self):
        other = self.repository(*self.packages(version="2.0"), name="other", secret=key(1))
        done = self.check(self.repository(), "--key", other / "handoffd.asc")
        self.assert_refused(done, "apt-get update failed", "NO_PUBKEY|Missing key")

    def test_a_changed_release_is_refused(self):
        repository = self.repository()
        release = repository / "dists/stable/InRelease"
        release.write_text(release.read_text().replace("Architectures: amd64 arm64", "Architectures: amd64 armhf"))
        self.assert_refused(self.check(repository), "apt-get update failed", "BADSIG|has been manipulated")

    def test_a_changed_list_of_packages_is_refused(self):
        repository = self.repository()
        change_index(repository / "dists/stable/main/binary-arm64")
        self.assert_refused(self.check(repository), "apt-get update failed", "binary-arm64")

    def test_one_changed_byte_of_a_package_is_refused(self):
        repository = self.repository()
        package = repository / "pool/handoff-window_1.0_arm64.deb"
        content = bytearray(package.read_bytes())
        content[-1] ^= 1
        package.write_bytes(content)
        self.assert_refused(self.check(repository), "apt-get download failed", "Hash Sum mismatch")

    def test_a_missing_package_is_noticed(self):
        repository = self.repository()
        (repository / "pool/handoffd_1.0_amd64.deb").unlink()
        self.assert_refused(self.check(repository), "apt-get download failed", "handoffd_1.0_amd64.deb")

    def test_a_key_from_the_address_itself_shows_nothing(self):
        self.assert_refused(self.check("http://127.0.0.1:1"), "name the key that is trusted by --key")


class RefusedInput(RepositoryTests):
    def test_an_architecture_without_one_of_the_packages(self):
        done = self.make(self.directory / "new", *self.packages()[:-1])
        self.assert_refused(done, "there is no handoff-window 1.0 for arm64")

    def test_two_files_with_the_same_package(self):
        again = self.package("handoffd", "amd64").rename(self.directory / "again.deb")
        subprocess.run(["rm", "-r", self.directory / "tree"], check=True)
        done = self.make(self.directory / "new", *self.packages(), again)
        self.assert_refused(done, "are both handoffd 1.0 for amd64")

    def test_a_file_that_is_no_package(self):
        file = self.directory / "notes.deb"
        file.write_text("no package")
        self.assert_refused(self.make(self.directory / "new", file), f"{file} is not a Debian package")

    def test_a_directory_with_something_in_it(self):
        repository = self.repository()
        done = self.make(repository, self.package("other", "amd64"))
        self.assert_refused(done, "is not empty; remove it")

    def test_no_key(self):
        done = self.make(self.directory / "new", *self.packages(), secret="")
        self.assert_refused(done, "the keyring has no secret key", "HANDOFF_SIGNING_KEY")

    def test_a_key_that_is_not_one_and_nothing_is_left_behind(self):
        packages = self.packages()
        before = sorted(self.directory.iterdir())
        done = self.make(self.directory / "new", *packages, secret="secret")
        self.assert_refused(done, "the key in HANDOFF_SIGNING_KEY cannot be read")
        self.assertEqual(sorted(set(self.directory.iterdir()) - {self.empty_keyring()}), before)

    def test_a_key_that_cannot_sign(self):
        done = self.make(self.directory / "new", *self.packages(), secret=expired_key(self.empty_keyring()))
        self.assert_refused(done, "cannot sign")
        self.assertFalse((self.directory / "new").exists())

    def test_two_keys(self):
        done = self.make(self.directory / "new", *self.packages(), secret=key(0) + key(1))
        self.assert_refused(done, "name one by --key")

    def test_a_date_that_is_no_number(self):
        done = self.make(self.directory / "new", *self.packages(), SOURCE_DATE_EPOCH="today")
        self.assert_refused(done, "SOURCE_DATE_EPOCH is 'today'")


def expired_key(keyring):
    """A key that was made for a day long ago; it stays in no keyring."""
    gpg = ["gpg", "--batch", "--quiet", "--homedir", keyring]
    long_ago = ["--faked-system-time", "20200101T000000", "--passphrase", ""]
    try:
        make = [*gpg, *long_ago, "--quick-generate-key", "old", "ed25519", "sign", "1d"]
        subprocess.run(make, check=True, capture_output=True)
        export = [*gpg, "--armor", "--export-secret-keys"]
        return subprocess.run(export, check=True, capture_output=True, text=True).stdout
    finally:
        subprocess.run(["gpgconf", "--homedir", keyring, "--kill", "all"], check=True)


def change_index(directory):
    """Changes one letter in each form and each copy of a list of packages."""
    for file in directory.rglob("*"):
        if not file.is_file():
            continue
        content = file.read_bytes()
        unpack, pack = packing(content)
        changed = unpack(content).replace(b"a package of the tests", b"A package of the tests")
        file.unlink()
        file.write_bytes(pack(changed))


def packing(content):
    if content.startswith(b"\x1f\x8b"):
        return gzip.decompress, gzip.compress
    if content.startswith(b"\xfd7zXZ"):
        return lzma.decompress, lzma.compress
    return bytes, bytes


def contents(directory):
    return {path.relative_to(directory): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


if __name__ == "__main__":
    unittest.main()
