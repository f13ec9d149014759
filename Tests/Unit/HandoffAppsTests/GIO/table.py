#!/usr/bin/env python3
"""Prints as JSON what GIO does in each case, in directories below one that is empty: table.py DIRECTORY."""

import configparser
import itertools
import json
import os
import pathlib
import shlex
import sys

import cases
import reference

NUMBER = itertools.count()
DATA = pathlib.Path("/usr/share")


class Table:
    """The cases and GIO's answers."""

    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.rows = []
        # The machine's types without its apps.
        (self.directory / "types").mkdir()
        (self.directory / "types/mime").symlink_to(DATA / "mime")

    def add(self, name, files, document="a b.txt", content=b"hello\n", programs=("rec",), link=None, **variables):
        """Asks GIO about a document beside these files."""
        world = reference.World(self.directory / str(next(NUMBER)), [str(self.directory / "types")])
        world.install(*programs)
        for path, text in files.items():
            world.write(path, text)
        if link:
            place, target = link.split()
            (world.root / "share/applications" / place).symlink_to(world.root / target)
        world.environment |= {key: value.format(root=world.root) for key, value in variables.items()}
        file = world.write(f"documents/{document}", content)
        row = {"name": name, "root": str(world.root), "document": str(file), "environment": world.environment}
        self.rows.append(row | world.answer(str(file)))

    def add_app(self, name, text, **options):
        """Asks about a document of text in one app."""
        self.add(name, {"share/applications/a.desktop": text, cases.CACHED: cases.CACHE}, **options)


def generated(table):
    for line in cases.EXEC:
        for name in cases.NAMES if "%" in line else cases.NAMES[:1]:
            table.add_app(f"Exec={line} ({name})", f"{cases.HEAD}Exec={line}\n", document=name)
    for name, lines in cases.LINES.items():
        lines = lines if isinstance(lines, bytes) else lines.encode()
        table.add_app(f"file: {name}", cases.APP.encode() + lines)
    for name, text in cases.WHOLE.items():
        table.add_app(f"file: {name}", text)
    for terminal in cases.TERMINALS:
        table.add_app(f"terminal: {terminal}", cases.HEAD + "Exec=rec -x %f\nTerminal=true\nPath=/tmp\n",
                      programs=("rec", terminal))
    for count in range(2, len(cases.TERMINALS) + 1):
        table.add_app(f"terminals: the last {count}", cases.APP + "Terminal=1\n", programs=("rec", *cases.TERMINALS[-count:]))
    for terminal in ("xdg-terminal-exec", "x-terminal-emulator", "foot"):
        table.add_app(f"terminal: {terminal}", cases.APP + "Terminal=true\n", programs=("rec", terminal))
    for locale, variables in cases.LANGUAGES:
        named = f"Name[{locale}]=there\nIcon[{locale}]=icon\nExec[{locale}]=no\nExec=rec %c %i %f\n"
        table.add_app(f"language: {locale} in {variables}", cases.HEAD + named, **variables)
    for name, text in cases.LISTS.items():
        table.add(f"list: {name}", {**cases.TWO, cases.USER: text})
    for name, files, options in cases.PLACES:
        options = dict(options)
        document = {"document": options.pop("name")} if "name" in options else {}
        table.add(f"place: {name}", files, **document, **options)
    for name in cases.FILES:
        table.add(f"name: {name}", {}, document=name)
    for name, content in cases.CONTENTS:
        table.add(f"content: {name} {content[:24]!r}", {}, document=name, content=content)


def installed(table):
    """The desktop files of this machine, each with a document of the first types for which there is a name."""
    names = {}
    for line in (DATA / "mime/globs2").read_text().splitlines():
        weight, kind, pattern, *_ = [*line.split(":"), "", ""]
        if pattern.startswith("*.") and not set(pattern[1:]) & set("*?["):
            names.setdefault(kind, "document" + pattern[1:])
    for file in sorted((DATA / "applications").glob("*.desktop")):
        parser = configparser.RawConfigParser(strict=False, delimiters="=", comment_prefixes="#", interpolation=None)
        parser.optionxform = str
        parser.read(file)
        entry = dict(parser["Desktop Entry"]) if "Desktop Entry" in parser else {}
        kinds = [kind for kind in entry.get("MimeType", "").split(";") if kind in names]
        if not kinds or not entry.get("Exec"):
            continue
        # The programs become some that only note their arguments, wherever they are.
        program = shlex.split(entry["Exec"])[0]
        text = file.read_text().replace(f"Exec={program}", f"Exec={os.path.basename(program)}")
        for kind in kinds[:4]:
            table.add(f"installed: {file.name} {kind}",
                      {f"share/applications/{file.name}": text, cases.USER: cases.default(kind, file.stem)},
                      document=names[kind], programs=(os.path.basename(program), "xterm"))


def main(directory):
    table = Table(directory)
    generated(table)
    installed(table)
    json.dump(table.rows, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
