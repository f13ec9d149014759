#!/usr/bin/env python3
"""Tests of early_readers.py, with lines that it must refuse and lines that it must not: run this file."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import early_readers

# Each is a script, or the rest of one, in which one command stops before it has read its pipe.
BAD = [
    "apt-cache show linux | grep -q '^Package:' && echo found",
    "apt-cache show linux | LC_ALL=C grep --quiet Package",
    "apt-cache show linux | grep --max-count=1 Package",
    "apt-cache show linux | grep -Eom1 'Package: .*'",
    "apt-cache show linux | fgrep -il package",
    "apt-cache show linux |& sudo -n -- /usr/bin/grep -sq Package",
    "first=$(ls -t | head -n 1)",
    'first="$(ls -t | head -1)"',
    "first=`ls -t | head`",
    'echo "the newest of ${all:-$(ls -t | head -c 10)}"',
    "ls -t \\\n    | sort \\\n    | head -n 1",
    "ls -t |\n    # the newest\n    head -n 1",
    "mapfile -t names < <(ls -t | head -n 1)",
    "ls -t > >(head -n 1)",
    "ls -t | tee >(head -n 1 >first) | sort",
    "for each in 1 2; do ls -t; done | timeout 5 head -n 1",
    "ls -t | sed 1q",
    "ls -t | sed -n '/a/{p;q}'",
    "ls -t | sed -nE -e 's/a/b/p' -e '$!{5q}'",
    "ls -t | sed --expression='2,3d;/x/Q'",
    "ls -t | sed '\\,a;b,{p;q}'",
    "ls -t | sed 's/a/;/;/b/,$!q'",
    "ls -t | sed 'a\\\nq\\\nq\n3q'",
    "ls -t | awk '{ print $1; exit }'",
    "ls -t | awk -F : -v a=b 'NR == 2 { exit } END { print }'",
    "ls -t | read -r first",
    "ls -t | { read -r first; echo \"$first\"; }",
    "ls -t | (read -r first && printf '%s' \"$first\")",
    "ls -t | if read -r first; then echo \"$first\"; fi",
    "ls -t | while read -r name; do [[ -s $name ]] && break; done",
    "ls -t | while read -r name; do for part in $name; do break 2; done; done",
    "find_it() { ls -t | while IFS= read -r name; do [[ -s $name ]] && return; done; }",
    "ls -t | mapfile -n 1 names",
    "ls -t | dd bs=1 count=10",
    "ls -t | true",
    "case $(ls | head -n 1) in a | b) ;; esac",
    "case $1 in\n    a | b) ls | head -n 1 ;;\nesac",
    "x=$(case $1 in a | b) echo ;; (c) ls | head -n 1 ;; esac)",
    "cat <<END\n$(ls | head -n 1)\nEND",
    "cat <<'END'\nit's\nEND\nls | head -n 1",
    "((a | b)) || ls | head -n 1",
    "[[ $a =~ (b|c) && \"$d\" ]] && ls | head -n 1",
    "echo ${a#\"}\"} ${#a} # it's a comment\nls | head -n 1",
    "echo $'it\\'s' | grep -q it",
]

GOOD = [
    "text=$(apt-cache show linux) && [[ $text == *Package* ]]",
    "grep -q Package <<<\"$(apt-cache show linux)\"",
    "grep -q Package file || head -n 1 file | sort",
    "apt-cache show linux | grep Package >/dev/null",
    "apt-cache show linux | grep -e -q -- -q >/dev/null",
    "apt-cache show linux | grep -c -A1 -- --quiet",
    "apt-cache show linux | grep -oE 'q|head'",
    "ls -t | sed -n 1p",
    "ls -t | sed -n 's/q/Q/p;/q/d' | sed --quiet '/q$/p'",
    "ls -t | sed 's/;q;/;/; y/q/Q/; s,;q,\\,;q,g'",
    "ls -t | sed '\\,;q,d; /;q/d; b q; :q; w q'",
    "ls -t | sed 'a q; 3q'",
    "ls -t | awk 'NR == 1 { print \"exit\" } END { exit 1 }'",
    "ls -t | head -n -1 | head --lines=-2 | tail -n +2",
    "read -r first < <(ls -t)",
    "ls -t | while read -r name; do for part in $name; do break; done; done",
    "ls -t | { head -n 1; cat >/dev/null; }",
    "ls -t | { read -r first; sort; }",
    "ls -t | read -r -d '' all",
    "ls -t | mapfile -t names",
    "ls -t || head -n 1 file",
    "case $1 in -h | head) echo ;; tail | read | esac) echo ;; esac",
    "case $1 in\n    # one | head of a pattern\n    a | head) echo | cat ;;\n    *) echo ;;\nesac",
    "[[ $a =~ ^(tail| head|read)$ ]] && echo",
    "((a | head)) && echo $((a | head)) ${a:-b | head}",
    "for ((i = 0; i < 3 | head; i++)); do echo; done",
    "echo 'ls | head' \"ls | head\" $'ls | head' ls \\| head",
    "echo # ls | head",
    "cat <<'END'\nls | head $(ls | head)\nEND",
    "cat <<-END\n\tls | head\n\tEND\necho",
    "python3 - <<'END' | sort\nprint('a' | head)\nEND",
    "echo a >| head",
    "tail | heading | grep-q | readelf",
]


class EarlyReaders(unittest.TestCase):
    """Looks into files with one text each."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="handoff-early-readers-")
        self.addCleanup(directory.cleanup)
        self.directory = pathlib.Path(directory.name)

    def file(self, text, name="script"):
        file = self.directory / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    def found(self, text, name="script"):
        """The numbers of the lines that are refused in a file with this text."""
        return [line for line, _ in early_readers.early_readers(self.file(text, name))]

    def test_the_program_fails_for_what_it_refuses(self):
        def run(script):
            file = self.file(f"#!/bin/bash\n{script}\n")
            command = [sys.executable, early_readers.__file__, file]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            return result.returncode, result.stdout.replace(str(file), "FILE"), result.stderr != ""

        self.assertEqual(run("ls | head -n 1"), (1, "FILE:2: head -n 1\n", True))
        self.assertEqual(run("ls | sort"), (0, "", False))

    def test_commands_that_stop_early_are_refused(self):
        for script in BAD:
            with self.subTest(script):
                self.assertEqual(len(self.found(f"#!/bin/bash\nset -o pipefail\n{script}\n")), 1)

    def test_nothing_else_is_refused(self):
        for script in GOOD:
            with self.subTest(script):
                self.assertEqual(self.found(f"#!/bin/bash\nset -o pipefail\n{script}\n"), [])
        self.assertEqual(self.found("#!/bin/bash\nset -o pipefail\n" + "\n".join(GOOD) + "\n"), [])

    def test_the_line_of_the_command_is_told(self):
        self.assertEqual(self.found("#!/bin/bash\n\necho 'a\nb' \\\n    | grep -q a\nls | head\n"), [5, 6])

    def test_files_that_may_run_under_pipefail_are_read(self):
        pipe = "ls | head -n 1\n"
        for first in ("#!/bin/bash\n", "#!/usr/bin/env bash\n", "# shellcheck shell=bash\n", "#!/bin/sh\nset -o pipefail\n"):
            with self.subTest(first):
                self.assertTrue(self.found(first + pipe))
        self.assertTrue(self.found(pipe, "handoff.bash.in"))
        for first in ("#!/bin/sh\n", "#!/usr/bin/env python3\n", "# shellcheck shell=sh\n", ""):
            with self.subTest(first):
                self.assertFalse(self.found(first + pipe))

    def test_makefiles_are_read_as_their_shell_gets_them(self):
        flags = ".SHELLFLAGS := -euo pipefail -c\n"
        rules = "# it's | head\nall: ## What it's for\n\t@x=$$(ls \\\n\t    | head -n 1); echo \"$$x\"\n\t-@ls | head\nA := $(shell ls | head)\n"
        self.assertEqual(self.found(flags + rules, "Makefile"), [5, 6, 7])
        self.assertEqual(self.found("#!/usr/bin/make -f\n" + flags + rules, "rules"), [6, 7, 8])
        self.assertEqual(self.found(rules, "Makefile"), [])

    def test_the_commands_of_workflows_are_read(self):
        workflow = (
            "on: push # it's | head\njobs:\n  test:\n    steps:\n      - run: ls | head\n      - name: it's\n        run: |\n"
            "          ls |\n            head -n 1\n          echo ${{ github.sha }}\n      - uses: a\n        with:\n          run: >-\n            ls | sort\n"
        )
        self.assertEqual(self.found(workflow, ".github/workflows/test.yml"), [5, 9])
        self.assertEqual(self.found(workflow, "other.yml"), [])


if __name__ == "__main__":
    unittest.main()
