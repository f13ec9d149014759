"""Files whose names are spelled in another way here, and are the same for people and synchronisers."""

import os

from handoff.text import composed

# How many directories of one name are looked into.
MAXIMUM_SPELLINGS = 8


def spelled_here(path):
    """The files of this computer that a path means: itself, or else those in other spellings of its names.

    Names are one if they have the same characters, however these are composed; and in letters of the other case where
    the file system takes them for the same. handoffd does the same with documents in folders (NameSpelling).
    """
    if path.isascii() or os.path.lexists(path):
        return [path]
    return search(b"/", [name for name in path.split(b"/") if name])


def search(directory, names):
    """The files below a directory: first by the next name as it was told, then by its other spellings."""
    if not names:
        return [directory]
    told = os.path.join(directory, names[0])
    found = search(told, names[1:]) if os.path.lexists(told) else []
    if found:
        return found
    others = other_spellings(directory, names[0])[:MAXIMUM_SPELLINGS]
    return [path for other in others for path in search(os.path.join(directory, other), names[1:])]


def other_spellings(directory, name):
    """The names in a directory that are the same as another one, in the order of their bytes."""
    text = as_text(name)
    # A name in ASCII has one spelling; a file system that folds case finds its others.
    if text is None or name.isascii():
        return []
    try:
        present = {entry: as_text(entry) for entry in os.listdir(directory)}
    except OSError:
        return []
    present = {entry: found for entry, found in present.items() if found is not None}
    same = [entry for entry, found in present.items() if composed(found) == composed(text)]
    if not same:
        same = [entry for entry, found in present.items()
                if composed(found).lower() == composed(text).lower() and folds_case(directory, found)]
    return sorted(entry for entry in same if entry != name)


def folds_case(directory, name):
    """Whether the file system finds a file by letters of the other case."""
    other = name.upper() if name.upper() != name else name.lower()
    try:
        one, two = (os.lstat(os.path.join(directory, spelling.encode())) for spelling in (name, other))
    except OSError:
        return False
    return other != name and os.path.samestat(one, two)


def as_text(name):
    """A name as text; None if it is none."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return None
