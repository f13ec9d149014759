#!/usr/bin/env python3
"""Tests of linear_expressions.py: which expressions it refuses, and which files' it finds."""

import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from linear_expressions import Ambiguous, check, in_javascript, in_python, problems  # noqa: E402

# Each is linear, also where it does not match.
LINEAR = [
    "abc", "[a-z]*", r"\s+", "a{1,9}b", "(?:ab|cd)+", r"\.(f?od[tpsg]|doc[xm]?)", "(a|b)?c", "x.*", r"\{([a-z]*)\}", r"\r\n?",
]
# Each takes longer than its text is long, for some text.
OTHERS = [
    "(a+)+b", "(?:ab|[a-z]c)*x", "(a*)*b", r"(<!--.*?-->\s*)*<x", r"\s*\s*x", "a*a", ".*x.*y", r"\s+$ ", "(a?)*b",
    r"(.)\1*", "(?=a+)b", r"\s*[-+]?\s*x", "(?:a[0-9]*)*[0-9]", "[a-z]*(?:bc)?", "a{1,99}a", "[^x]*\n",
]
# Each is linear from a place on, and not if it is looked for anywhere.
ANCHORED = [r"\s+x", "a*b", "<[^>]*>", "[a-z]+:", "[a-z]+[0-9]+", r"\w+$", "(?:a[0-9]*,)*b"]


class CheckTests(unittest.TestCase):
    """An expression."""

    def test_what_goes_on_by_the_next_character_alone_passes(self):
        for pattern in LINEAR:
            with self.subTest(pattern=pattern):
                check(pattern)
                check(pattern.encode())

    def test_what_may_go_on_in_two_ways_is_refused(self):
        for pattern in OTHERS:
            with self.subTest(pattern=pattern), self.assertRaises(Ambiguous):
                check(pattern, re.DOTALL, False)

    def test_what_is_looked_for_anywhere_begins_with_nothing_that_it_runs_over(self):
        for pattern in ANCHORED:
            with self.subTest(pattern=pattern):
                check(pattern, 0, False)
                with self.assertRaises(Ambiguous):
                    check(pattern)

    def test_flags_count(self):
        check("[a-z]*[A-Z]", 0, False)
        with self.assertRaises(Ambiguous):
            check("[a-z]*[A-Z]", re.IGNORECASE, False)
        check(".*\n", 0, False)
        with self.assertRaises(Ambiguous):
            check(".*\n", re.DOTALL, False)


class FileTests(unittest.TestCase):
    """The expressions of a file."""

    def test_those_of_python_are_found_with_their_flags_and_how_they_are_used(self):
        text = ('A = re.compile(r"a+b", re.I | re.S)\nA.match(x)\nB = re.compile("c")\nB.sub("", x)\n'
                'y = re.fullmatch(rb"d", x, re.S)\nre.sub(f"{x}e", "", y)\nz = re.escape(x)\n')
        self.assertEqual(in_python(text), [
            (1, "a+b", int(re.I | re.S), False), (3, "c", 0, True), (5, b"d", int(re.S), False), (6, None, 0, True),
        ])

    def test_those_of_javascript_are_found_and_divisions_are_not(self):
        text = ("const a = /a\\/[/]b/gi;\nx.replace(/\\p{Surrogate}/u, '');\nconst n = a / b / c; // a /b/ c\n"
                "/** a / b */\nif (/^c/.test(x)) return /d/s;\nnew RegExp(x);\n")
        self.assertEqual(sorted(in_javascript(text), key=lambda one: one[0]), [
            (1, "a/[/]b", int(re.I), True), (2, "[\\ud800-\\udfff]", 0, True), (5, "^c", 0, False),
            (5, "d", int(re.S), True), (6, None, 0, True),
        ])

    def test_a_file_is_told_by_its_line(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "a.py"
            path.write_text("import re\n\nre.match('(a*)*b', x)\nre.match(x, y)\n", encoding="utf-8")
            found = list(problems(path))
        self.assertEqual([line for line, _ in found], [3, 4])


if __name__ == "__main__":
    unittest.main()
