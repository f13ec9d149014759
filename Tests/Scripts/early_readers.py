#!/usr/bin/env python3
"""Fails if a shell script pipes into a command that stops before it has read everything.

    Tests/Scripts/early_readers.py [FILE ...]     all scripts of the repository without an argument

What writes into such a pipe may be ended by SIGPIPE; with `pipefail`, the pipe has failed then, depending on which of
its programs was faster. `text=$(program)` and `[[ … ]]` or `<<<"$text"` read everything first, and so do `sed -n 1p` in
the place of `head -n 1`, and `grep … >/dev/null` in the place of `grep -q`. `< <(program)` ignores how the program ends.

Scripts of sh and makefiles without the word `pipefail` are not read. Files that bash sources may be used by a script
that has it, so files without the word are read too.
"""

import pathlib
import re
import subprocess
import sys

from shell_tokens import OPENERS, RESERVED, token_lists

LOOPS = {"while", "until", "for", "select"}
# What begins a compound command, and what ends it.
COMPOUND = {"{": "}", "(": ")", "if": "fi", "case": "esac", **dict.fromkeys(LOOPS, "done")}
KEYWORDS = RESERVED | set(COMPOUND) | {"fi", "done", "esac", "}"}
# Programs that run the rest of their words.
WRAPPERS = {"command", "builtin", "exec", "env", "sudo", "as_root", "nice", "time", "timeout", "stdbuf", "!"}
READS_NOTHING = {":", "true", "false", "echo", "printf", "exit", "return"}
READS_ALL = {"cat", "sort", "tail", "wc", "tr", "uniq", "cut", "tee", "xargs", "cpio", "tar"}
GREP_STOPS = ("--quiet", "--silent", "--max-count", "--files-with-matches", "--files-without-match")
# An address of sed's commands, in which a regular expression may have any delimiter.
SED_ADDRESS = r"(?:\d+(?:~\d+)?|\$|[+~]\d+|/(?:\\.|[^/\\])*/[IM]*|\\([^\n])(?:\\.|(?!\{group}).)*\{group}[IM]*)"
SED_ADDRESSES = re.compile(
    rf"\s*(?:{SED_ADDRESS.replace('{group}', '1')}(?:\s*,\s*{SED_ADDRESS.replace('{group}', '2')})?)?\s*!?\s*", re.DOTALL
)
SED_REPLACEMENT = re.compile(r"[sy]([^\n])(?:\\.|(?!\1).)*\1(?:\\.|(?!\1).)*\1", re.DOTALL)


def main(arguments):
    files = [pathlib.Path(each) for each in arguments] or repository_files()
    found = [f"{file}:{line}: {command}" for file in files for line, command in early_readers(file)]
    print(*found, sep="\n", end="\n" if found else "")
    if found:
        print("early_readers: a pipe into a command that may stop before the end, in the lines above", file=sys.stderr)
    return 1 if found else 0


def repository_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], stdout=subprocess.PIPE, check=True, text=True
    ).stdout.split("\0")
    return [path for path in map(pathlib.Path, filter(None, listed)) if path.is_file() and not path.is_symlink()]


def early_readers(file):
    """The line and the text of each command of a file that may stop before it has read its pipe."""
    found = set()
    for text, line in shell_parts(file):
        for tokens in token_lists(text, line):
            for reader in readers(tokens):
                if stops_early(reader):
                    words = [token for token in reader if token.text != "\n"]
                    found.add((words[0].line, " ".join(word.text for word in words)[:80]))
    return sorted(found)


# MARK: The shell text of files

def shell_parts(file):
    """The parts of a file that shells run, each with the number of its first line."""
    data = file.read_bytes()
    first = data.split(b"\n", 1)[0].decode(errors="replace")
    is_makefile = file.name in ("Makefile", "makefile", "GNUmakefile") or file.suffix == ".mk" or re.match(r"#!.*\bmake\b", first)
    is_workflow = file.suffix in (".yml", ".yaml") and "workflows" in file.parts
    shell = re.match(r"#!.*\b(bash|zsh|ksh|dash|sh)\b|# shellcheck shell=(\w+)", first)
    is_script = shell or file.name.removesuffix(".in").endswith((".sh", ".bash", ".zsh"))
    if not (is_makefile or is_workflow or is_script):
        return []
    text = data.decode()
    may_lack = is_makefile or shell and (shell[1] or shell[2]) in ("sh", "dash")
    if may_lack and "pipefail" not in text:
        return []
    if is_makefile:
        return make_lines(text)
    return workflow_commands(text) if is_workflow else [(text, 1)]


def make_lines(text):
    """The lines of a makefile, with the lines that continue them, as its shell gets them."""
    for match in re.finditer(r"(?:[^\\\n]|\\[\s\S])*", text):
        if match[0].strip():
            line = text.count("\n", 0, match.start()) + 1
            yield re.sub(r"^\t[@+-]*", "", match[0]).replace("$$", "$"), line


def workflow_commands(text):
    """The values of `run:` in a workflow."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        begin = re.match(r"(\s*(?:- +)?)run:\s*(.*)", line)
        if not begin:
            continue
        if not re.fullmatch(r"[|>][-+0-9]*\s*(#.*)?", begin[2]):
            yield begin[2].strip("\"'"), number + 1
            continue
        block = []
        for each in lines[number + 1:]:
            if each.strip() and len(each) - len(each.lstrip()) <= len(begin[1]):
                break
            block.append(each)
        yield "\n".join(block), number + 2


# MARK: Commands

def readers(tokens):
    """The tokens of each command that reads a pipe."""
    for index, token in enumerate(tokens):
        if token.is_operator and token.text in ("|", "|&"):
            yield first_command(tokens[index + 1:])
        yield from map(first_command, token.pipes)


def first_command(tokens):
    """The tokens of the first command, which may be a compound one."""
    ends = []
    for index, token in enumerate(tokens):
        is_first = begins_command(tokens, index)
        if ends and token.text == ends[-1] and (token.is_operator or is_first):
            ends.pop()
        elif token.text in COMPOUND and is_first:
            ends.append(COMPOUND[token.text])
        elif not ends and token.is_operator and token.text in OPENERS and any(each.text != "\n" for each in tokens[:index]):
            return tokens[:index]
    return tokens


def begins_command(tokens, index):
    """Whether a word is the first one of a command, or a keyword where a command could begin."""
    before = tokens[index - 1] if index else None
    return before is None or before.text in (OPENERS if before.is_operator else RESERVED)


def simple_commands(tokens):
    """The words of each simple command, without redirections; a keyword is a command by itself."""
    words, skips = [], False
    for index, token in enumerate(tokens):
        is_keyword = token.text in KEYWORDS and not token.is_operator and begins_command(tokens, index)
        if (is_keyword or token.is_operator and token.text in OPENERS) and words:
            yield words
            words = []
        if is_keyword:
            yield [token.text]
        elif token.is_operator:
            skips = token.text not in OPENERS
        elif skips:
            skips = False
        else:
            words.append(token.text)
    if words:
        yield words


def stops_early(tokens):
    """Whether a command may end before it has read everything."""
    commands = list(simple_commands(tokens))
    if commands and commands[0][0] in ("while", "until"):
        return loop_stops_early(commands)
    plain = [name_first(words) for words in commands if words[0] not in KEYWORDS]
    if not plain:
        return False
    # What is behind a command that stops may read the rest: `{ head -n 1; cat >/dev/null; }`.
    return any(map(stops, plain)) and not (plain[-1][0] in READS_ALL or plain[-1][0] in STOPS and not stops(plain[-1]))


def loop_stops_early(commands):
    """Whether a loop that reads lines may end before the last one."""
    condition = commands[:commands.index(["do"])] if ["do"] in commands else commands
    if not any(name_first(words)[0] in ("read", "mapfile", "readarray") for words in condition):
        return False
    depth = 0
    for words in commands:
        depth += (words[0] in LOOPS) - (words[0] == "done")
        leaves = words[0] == "break" and int((words[1:] or ["1"])[0]) >= depth
        if leaves or words[0] in ("return", "exit"):
            return True
    return False


def name_first(words):
    """The words of a command from its name on, without assignments and programs that run the rest of their words."""
    words = list(words)
    while len(words) > 1 and (re.match(r"\w+=", words[0]) or words[0] in WRAPPERS):
        is_timeout = words.pop(0) == "timeout"
        while len(words) > 1 and words[0].startswith("-"):
            words.pop(0)
        if is_timeout and len(words) > 1:
            words.pop(0)
    return [words[0].rsplit("/", 1)[-1], *words[1:]]


# MARK: Programs

def stops(words):
    """Whether a simple command may end before it has read everything."""
    return words[0] in READS_NOTHING or words[0] in STOPS and STOPS[words[0]](words[1:])


def head_stops(words):
    # A negative number means all but the last ones.
    return not re.search(r"(^| )(-[nc] ?|--(lines|bytes)[= ])-\d", " ".join(words))


def grep_stops(words):
    is_value = False
    for word in words:
        if word == "--" and not is_value:
            return False
        if word.startswith("--") and not is_value:
            name = word.split("=")[0]
            if len(name) > 4 and any(option.startswith(name) for option in GREP_STOPS):
                return True
        # The rest of the word is the value of one of the letters of the first group, or else the next word is.
        elif not is_value and re.match(r"-[^efmABCdD]*[qmlL]", word):
            return True
        is_value = not is_value and re.fullmatch(r"-[^-efmABCdD]*[efABCdD]", word) is not None
    return False


def sed_stops(words):
    return any(map(sed_script_stops, scripts_of(words, "-e", "--expression")))


def sed_script_stops(script):
    at = 0
    while at < len(script):
        at = SED_ADDRESSES.match(script, at).end()
        if script[at:at + 1] in ("q", "Q"):
            return True
        replacement = SED_REPLACEMENT.match(script, at)
        # A text, a file or a label follows some commands, up to the end of the line.
        rest = re.compile(r"[aicrRwW](?:\\\n|[^\n])*|[:btT][^;\n]*|[\s\S]?").match(script, at)
        at = (replacement or rest).end()
    return False


def awk_stops(words):
    program = re.sub(r"END\s*\{[\s\S]*", "", " ".join(scripts_of(words, "", "")))
    return re.search(r"\bexit\b", re.sub(r'"(\\.|[^"\\])*"', "", program)) is not None


def scripts_of(words, short, long):
    """The scripts among the words of sed or awk: those of options, or the first word that is no option."""
    given = [after for option, after in zip(words, words[1:]) if short and re.fullmatch(rf"-[A-Za-z]*{short[1:]}|{long}", option)]
    given += [word.split("=", 1)[1] for word in words if long and word.startswith(f"{long}=")]
    is_value = False
    for word in [] if given else words:
        if not word.startswith("-") and not is_value:
            return [word]
        is_value = word in ("-F", "-v", "-f", "-l")
    return given


def read_stops(words):
    # Up to a zero byte, which texts do not have.
    return not re.search(r"(^| )-[A-Za-z]*d ( |$)", " ".join(words))


def mapfile_stops(words):
    return any(re.match(r"-[A-Za-z]*n", word) for word in words)


STOPS = {
    "head": head_stops, "sed": sed_stops, "read": read_stops, "mapfile": mapfile_stops, "readarray": mapfile_stops,
    "dd": lambda words: any(word.startswith("count=") for word in words),
    **dict.fromkeys(("grep", "egrep", "fgrep", "zgrep"), grep_stops),
    **dict.fromkeys(("awk", "gawk", "mawk"), awk_stops),
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
