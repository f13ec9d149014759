#!/usr/bin/env python3
"""Fails if a regular expression of a shipped program may take longer than in proportion to the text that it reads.

    Tests/Scripts/linear_expressions.py [FILE ...]     all programs of Extensions without an argument

Other people write those texts: names, pages, the beginnings of documents. An expression that can go on in two ways at one
character tries both, and so may each repetition, for each place where it could end: a hundred bytes then keep a processor
busy for ever. So whether a repetition goes on has to follow from the next character alone:

- nothing that may follow a repetition begins with a character with which the repetition goes on;
- what is repeated is not empty, and its alternatives begin with different characters;
- what is looked for anywhere in a text (`search`, `sub`, `finditer`; in JavaScript, all but `^…`) does not begin with a
  character that a repetition inside it runs over, unless nothing has to follow that.

Lazy repetitions, references to groups and looks ahead are refused: what they need is written as code (`find`). So are
expressions that are put together when the program runs. A number of repetitions up to `SMALL` does not count as one.
"""

import ast
import pathlib
import re
import sys
from re import _constants as op
from re import _parser

# A repetition with a greatest number that is not greater, and with alternatives, only multiplies a time that is short.
SMALL = 32
# Characters that stand for all: those of Latin 1, and some of each other kind that a class may name.
ALPHABET = frozenset([*range(0x100), 0x131, 0x17F, 0x3B1, 0x410, 0x61C, 0x660, 0x2000, 0x2028, 0x202E, 0x2066, 0x212A,
                      0x3042, 0xD800, 0xDFFF, 0xE000, 0xFEFF, 0xFFFF, 0x1F600])
# The functions of Python's `re`, and whether each looks for its expression anywhere.
ANYWHERE = {"search": True, "sub": True, "subn": True, "findall": True, "finditer": True, "split": True,
            "compile": True, "match": False, "fullmatch": False}
# An expression of JavaScript, after what can come before one. What is divided comes after a name or a number.
JAVASCRIPT = re.compile(r"(?:[(=,:!&|?\[{};\n]|return)\s*/((?![*/])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)/([a-z]*)")


class Ambiguous(Exception):
    """An expression may not be linear; says why."""


def main(arguments):
    files = [pathlib.Path(each) for each in arguments] or shipped_files()
    found = [f"{file}:{line}: {reason}" for file in files for line, reason in problems(file)]
    print(*found, sep="\n", end="\n" if found else "")
    if found:
        print("linear_expressions: an expression that may take longer than its text is long, in the lines above",
              file=sys.stderr)
    return 1 if found else 0


def shipped_files():
    """What is installed of Extensions in Python and JavaScript."""
    files = [path for path in pathlib.Path("Extensions").rglob("*") if path.is_file() and not path.suffix == ".in"]
    return sorted(path for path in files if path.suffix in (".py", ".js") or is_python(path))


def is_python(path):
    """Whether a file is a program in Python."""
    with open(path, "rb") as file:
        return file.readline().startswith(b"#!/usr/bin/python3")


def problems(file):
    """The line of each expression in a file that may not be linear, and the reason."""
    text = file.read_text(encoding="utf-8")
    found = in_javascript(text) if file.suffix == ".js" else in_python(text)
    for line, pattern, flags, is_anywhere in found:
        if pattern is None:
            yield line, "is put together when the program runs"
            continue
        try:
            check(pattern, flags, is_anywhere)
        except (Ambiguous, re.error) as error:
            yield line, f"{pattern!r}: {error}"


# MARK: The expressions of a file

def in_python(text):
    """The line, the pattern, the flags of each expression, and whether it is looked for anywhere."""
    compiled = {}
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if not is_call_of(node, "re") or node.func.attr not in ANYWHERE:
            continue
        pattern = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        flags = 0
        for part in [*node.args[1:], *(word.value for word in node.keywords)]:
            flags |= sum(getattr(re, each.attr) for each in ast.walk(part) if is_flag(each))
        is_anywhere = ANYWHERE[node.func.attr]
        if node.func.attr == "compile":
            is_anywhere = any(used_anywhere(tree, name) for name in names_of(tree, node)) or not names_of(tree, node)
        compiled[node.lineno, node.col_offset] = (node.lineno, pattern, flags, is_anywhere)
    return [compiled[place] for place in sorted(compiled)]


def is_call_of(node, module):
    """Whether this is a call of a function of a module."""
    return (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
            and node.func.value.id == module)


def is_flag(node):
    """Whether this is a flag of `re`, such as `re.S`."""
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"


def names_of(tree, call):
    """The names to which a compiled expression is given."""
    return [target.id for node in ast.walk(tree) if isinstance(node, ast.Assign) and node.value is call
            for target in node.targets if isinstance(target, ast.Name)]


def used_anywhere(tree, name):
    """Whether an expression of this name is used otherwise than from a given place on."""
    uses = [node.func.attr for node in ast.walk(tree) if is_call_of(node, name)]
    return not uses or any(ANYWHERE.get(use, True) for use in uses)


def in_javascript(text):
    """As `in_python`."""
    for match in re.finditer(r"new RegExp|RegExp\(", text):
        yield text.count("\n", 0, match.start()) + 1, None, 0, True
    for match in JAVASCRIPT.finditer(text):
        flags = re.DOTALL * ("s" in match[2]) | re.IGNORECASE * ("i" in match[2])
        pattern = match[1].replace(r"\p{Surrogate}", r"[\ud800-\udfff]").replace(r"\/", "/")
        yield text.count("\n", 0, match.start(1)) + 1, pattern, flags, not pattern.startswith("^")


# MARK: An expression

def check(pattern, flags=0, is_anywhere=True):
    """Raises `Ambiguous` if an expression may not be linear."""
    parsed = _parser.parse(pattern, flags)
    checker = Checker(parsed.state.flags)
    first, _ = checker.sequence(list(parsed), frozenset(), False)
    if is_anywhere and any(first & run for run in checker.inner):
        raise Ambiguous("is looked for anew at each character that a repetition in it has run over")


class Checker:
    """Checks the parts of an expression; collects what repetitions that something has to follow run over."""

    def __init__(self, flags):
        self._flags = flags
        self.inner = []

    def sequence(self, parts, follow, is_repeated):
        """With which characters a sequence of parts begins, and whether it may be empty; `follow` are those after it."""
        may_be_empty = True
        first = frozenset()
        for index in range(len(parts) - 1, -1, -1):
            begin, is_optional = self.part(parts[index], follow, is_repeated, index + 1 < len(parts))
            follow = begin | follow if is_optional else begin
            first = begin | first if is_optional else begin
            may_be_empty = may_be_empty and is_optional
        return first, may_be_empty

    def part(self, part, follow, is_repeated, has_next):
        """As `sequence`, of one part."""
        kind, value = part
        if kind in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
            return self.characters(kind, value), False
        if kind is op.AT:
            return frozenset(), True
        if kind is op.SUBPATTERN:
            return self.sequence(list(value[3]), follow, is_repeated)
        if kind is op.BRANCH:
            return self.branch(value[1], follow, is_repeated)
        if kind is op.MAX_REPEAT:
            return self.repetition(value, follow, is_repeated, has_next)
        raise Ambiguous(f"has {str(kind).lower()}, which may try more than one way")

    def branch(self, alternatives, follow, is_repeated):
        """As `sequence`, of alternatives."""
        found = [self.sequence(list(each), follow, is_repeated) for each in alternatives]
        first = frozenset().union(*(begin for begin, _ in found))
        if is_repeated and len(first) < sum(len(begin) for begin, _ in found):
            raise Ambiguous("repeats alternatives that begin with the same character")
        return first, any(is_empty for _, is_empty in found)

    def repetition(self, value, follow, is_repeated, has_next):
        """As `sequence`, of something that is repeated."""
        least, most, parts = value
        is_choice = least != most and (most is op.MAXREPEAT or most > SMALL or is_repeated)
        is_long = most is op.MAXREPEAT or most > SMALL
        first, is_empty = self.sequence(list(parts), follow, is_repeated or is_long)
        if is_long:
            # Again, with what may come after each repetition but the last.
            self.sequence(list(parts), follow | first, True)
            if is_empty:
                raise Ambiguous("repeats what may be empty")
            if has_next:
                self.inner.append(self.all_characters(parts))
        if is_choice and first & follow:
            example = chr(min(first & follow))
            raise Ambiguous(f"a repetition may end or go on at {example!r}")
        return first, is_empty or least == 0

    def all_characters(self, parts):
        """The characters that may be anywhere in some parts."""
        found = frozenset()
        for kind, value in parts:
            if kind in (op.LITERAL, op.NOT_LITERAL, op.IN, op.ANY):
                found |= self.characters(kind, value)
            elif kind is op.SUBPATTERN:
                found |= self.all_characters(value[3])
            elif kind is op.BRANCH:
                found = found.union(*map(self.all_characters, value[1]))
            elif kind is op.MAX_REPEAT:
                found |= self.all_characters(value[2])
        return found

    def characters(self, kind, value):
        """The characters of `ALPHABET` that one part of an expression matches."""
        if kind is op.ANY:
            return ALPHABET if self._flags & re.DOTALL else ALPHABET - {ord("\n")}
        items = [(op.LITERAL, value)] if kind in (op.LITERAL, op.NOT_LITERAL) else list(value)
        is_negated = kind is op.NOT_LITERAL or items[0][0] is op.NEGATE
        # A rare character stands for itself, or else one that two classes name would be missing.
        alphabet = ALPHABET | {number for item, number in items if item is op.LITERAL}
        found = frozenset(number for number in alphabet if any(self._is_in(number, item) for item in items))
        return alphabet - found if is_negated else found

    def _is_in(self, number, item):
        kind, value = item
        numbers = {number}
        if self._flags & re.IGNORECASE:
            numbers |= {ord(each) for each in (chr(number).lower(), chr(number).upper()) if len(each) == 1}
        if kind is op.LITERAL:
            return value in numbers
        if kind is op.RANGE:
            return any(value[0] <= each <= value[1] for each in numbers)
        if kind is op.CATEGORY:
            sign = CATEGORIES[value]
            return re.match(sign, chr(number)) is not None
        return False


CATEGORIES = {
    op.CATEGORY_DIGIT: r"\d", op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_SPACE: r"\s", op.CATEGORY_NOT_SPACE: r"\S",
    op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W",
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
