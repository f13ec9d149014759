"""Texts, names and addresses of other computers, by the tables that the tests of handoffd read as well (Tests/Tables)."""

import contextlib
import hashlib
import json
import os
import pathlib
import subprocess
import sys

from browser_test import BrowserExtension
from devices import ROOT, WRITTEN, IntegrationTest, ProgramTest

sys.path.insert(0, str(ROOT / "Extensions/Programs"))

from handoff import addresses, names, settings_file, sockets, text  # noqa: E402

TYPE = "org.handoffd.document.text"
KEY = "NSUserActivityDocumentURLKey"
FAMILY, FLAG, ACCENT = "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f1e9\U0001f1ea", "e\u0301"
# Characters of more than one code point or code unit.
CHARACTERS = ["\U0001f600", FAMILY, FLAG, ACCENT, "\U0001f44d\U0001f3fd", "\u2764\ufe0f", "\u0928\u093f", "\u1112\u1161\u11ab"]


def table(name):
    """The cases of a table."""
    return json.loads((ROOT / f"Tests/Tables/{name}.json").read_text(encoding="utf-8"))["cases"]


class TableTests(ProgramTest):
    """What Swift and Python read alike."""

    def test_addresses_of_files(self):
        for case in table("file-addresses"):
            with self.subTest(case=case):
                path = addresses.file_path(case["url"])
                self.assertEqual(path and path.hex(), case["path"])
                if path:
                    self.assertEqual(addresses.file_path(addresses.file_url(path)), path)

    def test_files_of_settings(self):
        for case in table("settings-files"):
            with self.subTest(case=case):
                if case["entries"] is None:
                    self.assertRaises(ValueError, settings_file.parse, case["text"])
                    continue
                found = settings_file.parse(case["text"])
                self.assertEqual(sorted([s, k, v] for s, e in found.items() for k, v in e.items()), case["entries"])

    def test_spellings_of_names(self):
        for number, case in enumerate(table("spellings")):
            with self.subTest(case=case["what"]):
                root = self.home.home / f"names{number}"
                for file in case["files"]:
                    (root / file).parent.mkdir(parents=True, exist_ok=True)
                    (root / file).touch()
                told = os.fsencode(root / case["told"])
                found = [path for path in names.spelled_here(told) if os.path.exists(path)]
                self.assertEqual(found, [os.fsencode(root / file) for file in case["found"]])


class TextTests(ProgramTest):
    """Texts that are cut, and what a bad part costs."""

    def test_a_text_is_cut_between_characters(self):
        for character in CHARACTERS:
            for before in range(190, 201):
                with self.subTest(character=character, before=before):
                    whole = "a" * before + character + "b"
                    expected = "a" * before + (character if before + len(character) <= 200 else "")
                    self.assertTrue(text.printable(whole + "c" * 20).startswith(expected))
                    if before + len(character) > 200:
                        self.assertEqual(text.printable(whole), expected)
        self.assertEqual(len(text.printable("e" + "\u0301" * 500)), 200)

    def test_half_of_a_character_costs_itself_alone(self):
        path = self.home.write("a.txt", b"x\n")
        self.home.program("mine", f"#!/bin/sh\nprintf '%s' \"$*\" > {self.home.home}/log\n")
        self.configure("command = mine {file}")
        activity = {"type": TYPE, "deviceName": "lap\ud83dtop", "title": "\udc00", "continuation": "\ud83d",
                    "userInfo": {"line": 1, "note": "\ud800", KEY: {"$url": addresses.file_url(path)}}}
        self.assertEqual(self.run_with(json.dumps(activity).encode())[0], 0)
        self.assertEqual((self.home.home / "log").read_bytes(), path)
        raw = json.dumps({**activity, "title": "A@"}).encode().replace(b"@", b"\xed\xa0\xbd")
        self.assertEqual(self.run_with(raw)[0], 0)

    def test_a_document_is_found_in_another_spelling_and_several_are_told(self):
        self.home.program("mine", f"#!/bin/sh\nprintf '%s' \"$*\" > {self.home.home}/log\n")
        self.configure("command = mine {file}")
        here = self.home.write("caf\u00e9.txt", b"x\n")
        told = self.activity(os.path.join(os.path.dirname(here), "cafe\u0301.txt".encode()))
        self.assertEqual(self.run_with(told)[0], 0)
        self.assertEqual((self.home.home / "log").read_bytes(), here)
        for name in ("caf\u00e9\u1e69.txt", "cafe\u0301s\u0323\u0307.txt"):
            self.home.write(name, b"x\n")
        told = self.activity(os.path.join(os.path.dirname(here), "cafe\u0301\u1e69.txt".encode()))
        status, said = self.run_with(told)
        self.assertEqual(status, 66)
        self.assertIn("rename one of them", said)

    def test_a_document_with_the_same_content_is_not_older(self):
        self.home.program("mine", f"#!/bin/sh\nprintf '%s' \"$*\" > {self.home.home}/log\n")
        self.configure("command = mine {file}\nwait = 0")
        path = self.home.write("a.txt", b"same\n")
        os.utime(path, (10**9, 10**9))
        content = {"documentSize": 5, "documentSHA256": hashlib.sha256(b"same\n").hexdigest()}
        for info, status in [
            (content, 0), ({}, 75), ({**content, "documentSize": 6}, 75), ({**content, "documentSHA256": "0" * 64}, 75),
            ({**content, "documentSHA256": "\ud800"}, 75), ({**content, "documentSize": "5"}, 75),
            ({**content, "documentSHA256": None}, 75),
        ]:
            with self.subTest(info=info):
                told = self.activity(path, modificationTime=10**9 + 3600, **info)
                self.assertEqual(self.run_with(told)[0], status)

    def test_sockets_of_one_moment_are_in_the_order_of_their_names(self):
        seen = set()
        program = (f"import sys; sys.path.insert(0, {str(ROOT / 'Extensions/Programs')!r}); "
                   f"from handoff import sockets; print(sockets.own_sockets(sys.argv[1], 's*'))")
        directory = self.home.home / "sockets"
        directory.mkdir(mode=0o700)
        with contextlib.ExitStack() as stack, contextlib.chdir(directory):
            for number in range(8):
                server = stack.enter_context(sockets.socket.socket(sockets.socket.AF_UNIX))
                server.bind(f"s{number}")
                os.utime(f"s{number}", (10**9, 10**9))
        for seed in range(5):
            words = [sys.executable, "-B", "-c", program, str(directory)]
            environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
            seen.add(subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout)
        self.assertEqual(len(seen), 1)

    def configure(self, lines):
        """Writes edit.conf, whose editors do not run."""
        (self.home.home / "config/handoff").mkdir(exist_ok=True)
        (self.home.home / "config/handoff/edit.conf").write_text(f"[edit]\neditors =\n{lines}\n", encoding="utf-8")

    @staticmethod
    def activity(path, **info):
        """An activity about a document, as handoffd passes it on."""
        info = {"version": 1, "line": 1, KEY: {"$url": addresses.file_url(path)}, **info}
        return json.dumps({"type": TYPE, "deviceName": "laptop", "userInfo": info}).encode()

    def run_with(self, data):
        """Runs handoff-edit; returns its status and what it printed."""
        result = subprocess.run(
            [self.home.home / "usr/libexec/handoffd/handoff-edit"], input=data, env=self.home.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
        )
        return result.returncode, result.stdout.decode("utf-8", "replace")


class AcrossTests(IntegrationTest):
    """From one computer to the other, whose synchroniser has changed names and times."""

    def test_a_document_of_another_spelling_and_time_opens_at_once_if_it_has_the_same_content(self):
        log = self.desktop.home / "opened"
        (self.desktop.home / "config/handoff").mkdir(exist_ok=True)
        settings = self.desktop.home / "config/handoff/edit.conf"
        settings.write_text("[edit]\neditors =\nwait = 0\ncommand = mine {file}\n", encoding="utf-8")
        self.addCleanup(settings.unlink)
        self.addCleanup(self.desktop.program("mine", f"#!/bin/sh\nprintf '%s' \"$*\" > {log}\n").unlink)
        here, there = self.laptop.write("cafe\u0301.txt", "same\n"), self.desktop.write("caf\u00e9.txt", "same\n")
        os.utime(here, (WRITTEN, WRITTEN))
        os.utime(there, (WRITTEN - 3600, WRITTEN - 3600))
        info = {"version": 1, "line": 1, "column": 1, "modificationTime": WRITTEN}
        with self.pair.publishing(documentURL=addresses.file_url(here), title="a\ud83d", userInfo=info):
            told = self.pair.fetch()
            self.assertEqual(self.pair.relative(told["userInfo"]), "caf\u00e9.txt".encode())
            self.assertEqual((told["title"], told["userInfo"]["documentSize"]), ("a\ufffd", 5))
            self.assertEqual(self.desktop.ctl("continue")["outcome"], "app")
        self.assertEqual(log.read_bytes(), there)


class BrowserTextTests(BrowserExtension, ProgramTest):
    """Texts of pages in the extension of browsers, which JavaScript keeps in UTF-16."""

    PROGRAM = """
import { placeToTell, shorten } from "./pages.js";
import { readPosition } from "./reading.js";
import vm from "node:vm";
const { texts, hasSegmenter } = JSON.parse(process.argv[1]);
if (!hasSegmenter) delete Intl.Segmenter;
const place = (text) => {
    const context = vm.createContext({
        location: { href: "https://a.example/" }, TextEncoder, Element: class {},
        document: {
            scrollingElement: { scrollHeight: 9, clientHeight: 0, scrollTop: 1 }, getSelection: () => null,
            querySelectorAll: () => [{ getBoundingClientRect: () => ({ top: 0 }), textContent: text }],
            querySelector: () => ({ content: text }),
        },
    });
    return placeToTell(vm.runInContext(`(${readPosition})("https://a.example/")`, context));
};
console.log(JSON.stringify(texts.map((text) => ({ title: shorten(text, 256), ...place(text) }))));
"""

    def cut(self, texts, has_segmenter=True):
        """What the extension makes of titles and paragraphs."""
        told = json.dumps({"texts": texts, "hasSegmenter": has_segmenter})
        result = subprocess.run(
            ["node", "--input-type=module", "--eval", self.PROGRAM, told], cwd=self._files(), capture_output=True,
            text=True, check=False,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_a_text_is_cut_between_characters(self):
        units = {character: len(character.encode("utf-16-le")) // 2 for character in CHARACTERS}
        cases = [(length, "a" * before, character) for character in CHARACTERS for length in (200, 256)
                 for before in range(length - 12, length + 1)]
        for (length, before, character), made in zip(cases, self.cut([b + c + "z" * 50 for _, b, c in cases])):
            with self.subTest(length=length, before=len(before), character=character):
                cut = made["title" if length == 256 else "anchor"]
                fits = len(before) + units[character] <= length
                self.assertEqual(cut.rstrip("z"), before + (character if fits else ""))

    def test_half_of_a_character_costs_itself_alone(self):
        for has_segmenter in (True, False):
            with self.subTest(has_segmenter=has_segmenter):
                for made in self.cut(["A \ud83d B", "\udc00A" + "\U0001f600" * 300], has_segmenter):
                    for part in made.values():
                        # Raises what cannot be a message.
                        str(part).encode()
                self.assertEqual(self.cut(["A \ud83d B"], has_segmenter)[0]["title"], "A \ufffd B")
