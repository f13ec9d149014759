#!/usr/bin/env python3
"""Tests of unpack-kernel, with packages of a few bytes: run this file. It needs what Tests/Rig/setup installs."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROGRAM = pathlib.Path(__file__).resolve().parent / "unpack-kernel"
RELEASE = "9.12.3-amd64"


class UnpackKernel(unittest.TestCase):
    """Unpacks into a cache of its own."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="handoff-unpack-kernel-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)
        self.cache = self.directory / "a cache"
        self.made = self.cache / f"kernel-{RELEASE}"

    def package(self, name, files):
        """A package with these files."""
        tree = self.directory / name
        control = f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody\nDescription: a test\n"
        for path, text in {"DEBIAN/control": control, **files}.items():
            file = tree / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        command = ["dpkg-deb", "--root-owner-group", "--build", tree, self.directory]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        return self.directory / f"{name}_1_all.deb"

    def image(self, content="a kernel", release=RELEASE):
        return self.package(f"linux-image-{len(content)}", {f"boot/vmlinuz-{release}": content})

    def modules(self, directory="usr/lib"):
        """A package with a module that the initramfs contains."""
        modules = f"{directory}/modules/{RELEASE}"
        return self.package("linux-modules", {f"{modules}/kernel/overlay.ko": "a module", f"{modules}/modules.order": ""})

    def unpack(self, *packages):
        """The exit status, what was printed, and what was printed to standard error."""
        environment = {**os.environ, "HANDOFF_RIG_CACHE": str(self.cache)}
        run = subprocess.run(
            [PROGRAM, *packages], env=environment, capture_output=True, text=True, check=False, timeout=120
        )
        return run.returncode, run.stdout, run.stderr

    def refused(self, *packages):
        """The message of a call that fails as the rig does, and leaves no kernel."""
        status, output, message = self.unpack(*packages)
        self.assertEqual((status, output), (2, ""), message)
        self.assertEqual(list(self.cache.glob("kernel-*")), [])
        return message

    def test_a_kernel_is_unpacked_into_the_cache_with_its_modules_and_an_initramfs(self):
        for directory in "lib", "usr/lib":
            with self.subTest(directory):
                status, output, message = self.unpack(self.image(directory), self.modules(directory))
                self.assertEqual((status, output), (0, f"{self.made}\n"), message)
                self.assertEqual((self.made / "release").read_text(encoding="utf-8"), f"{RELEASE}\n")
                self.assertEqual((self.made / "vmlinuz").read_text(encoding="utf-8"), directory)
                self.assertTrue((self.made / f"tree/lib/modules/{RELEASE}/kernel/overlay.ko").exists())
                listed = subprocess.run(
                    ["cpio", "--list", "--quiet"], input=(self.made / "initramfs").read_bytes(),
                    capture_output=True, check=True, timeout=60,
                )
                self.assertIn(b"init\n", listed.stdout)
                self.assertRegex(listed.stdout, rb"modules/[0-9]+-overlay\.ko")

    def test_a_directory_stands_for_its_packages(self):
        self.image()
        self.modules()
        status, output, message = self.unpack(self.directory)
        self.assertEqual((status, output), (0, f"{self.made}\n"), message)

    def test_packages_are_unpacked_again_only_if_they_have_changed(self):
        image, modules = self.image(), self.modules()
        self.unpack(image, modules)
        mark = self.made / "mark"
        mark.touch()
        self.assertEqual(self.unpack(image, modules)[:2], (0, f"{self.made}\n"))
        self.assertTrue(mark.exists())
        self.assertEqual(self.unpack(self.image("another kernel"), modules)[:2], (0, f"{self.made}\n"))
        self.assertFalse(mark.exists())

    def test_packages_without_one_kernel_and_its_modules_are_refused(self):
        image, modules = self.image(), self.modules()
        self.assertIn(f"the kernel {RELEASE} without its modules", self.refused(image))
        self.assertIn("with one file boot/vmlinuz-*", self.refused(modules))
        other = self.image("another", release="9.13.0-amd64")
        self.assertIn("with one file boot/vmlinuz-*", self.refused(image, other, modules))

    def test_what_is_no_package_is_refused(self):
        text = self.directory / "notes.deb"
        text.write_text("no package", encoding="utf-8")
        self.assertIn(f"cannot unpack {text}", self.refused(text))
        self.assertIn("there is no package", self.refused(self.directory / "none.deb"))
        empty = self.directory / "empty"
        empty.mkdir()
        self.assertIn("there is no package", self.refused(empty))


if __name__ == "__main__":
    unittest.main()
