"""The tests that Docs/Rows.md has in bold: those that `make test` runs, one for each feature."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Docs/Rows.md"
# Rows that need an office program, a virtual machine or a package, or are about unit tests alone: each with what shows it.
OTHERS = {
    "D5": "SiteHostTests", "G1": "PairingAttackTests", "I3": "test_office.py", "J1": "check-package",
}


def bold_stories():
    """The stories, each as `Suite/function`."""
    return sorted({f"{suite}/{function}" for suite, function in _bold(r"(\w+Stories)\.(\w+)")})


def bold_plug_in_tests():
    """The tests in Tests/Extensions, each as `file.Class.function`."""
    return sorted({f"{file}.{rest}" for file, rest in _bold(r"(test_\w+)\.(\w+\.\w+)")})


def problems():
    """What is wrong with the page: rows without a test in bold, and tests in bold that do not exist."""
    found = []
    for row, cell in re.findall(r"^\| ([A-Z]\d+)\b.*? \|.*?\|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE):
        if "**`" not in cell and OTHERS.get(row, "**") not in cell:
            found.append(f"{row}: no test in bold, so `make test` does not show it")
    for test in bold_stories():
        suite, function = test.split("/")
        files = (ROOT / "Tests/EndToEnd").rglob(f"{suite}*.swift")
        if not any(f"func {function}(" in file.read_text(encoding="utf-8") for file in files):
            found.append(f"{suite}.{function}: no such story in Tests/EndToEnd")
    for test in bold_plug_in_tests():
        file, _, function = test.split(".")
        path = ROOT / f"Tests/Extensions/{file}.py"
        if not path.exists() or f"def {function}(" not in path.read_text(encoding="utf-8"):
            found.append(f"{test}: no such test in Tests/Extensions")
    return found


def _bold(pattern):
    return re.findall(rf"\*\*`{pattern}`\*\*", PAGE.read_text(encoding="utf-8"))
