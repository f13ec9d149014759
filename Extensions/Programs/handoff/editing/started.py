"""Editors that are started: which the person has chosen, and how each is told the document and its place."""

import os
import shlex
import shutil

from handoff.editing.running import Code, Vim
from handoff.program import expand, in_terminal


def commands(place, chosen):
    """The commands that open the document in an editor that the person has chosen, the first choice first.

    Without a terminal for it, or without its program, a choice is left out.
    """
    found = [with_terminal([expand(word, place.values) for word in chosen.command], chosen.in_terminal)]
    for variable in ("VISUAL", "EDITOR"):
        try:
            words = [os.fsencode(word) for word in shlex.split(os.environ.get(variable, ""))]
        except ValueError:
            continue
        document = arguments(os.path.basename(words[0]).decode("utf-8", "replace"), place) if words else []
        if document and shutil.which(words[0]):
            found.append(in_terminal(words + document))
    found = [words for words in found if words and shutil.which(words[0])]
    # Those that show unsaved text, if there is some, and any of them does.
    return [words for words in found if shows_text(words, place)] or found


def shows_text(words, place):
    """Whether the command shows the unsaved text."""
    if place.text is None:
        return False
    name = Vim.literal(place.text.path).encode()
    return any(name in os.fsencode(word) for word in words)


def with_terminal(words, is_needed):
    """A command, in a terminal if it needs one."""
    return in_terminal(words) if words and is_needed else words


def arguments(program, place):
    """How a program is told the document and its place; empty if it would not open it as a text.

    The path begins with a slash, so that it is never an option.
    """
    line, column, path = b"%d" % place.line, b"%d" % place.column, place.path
    if program in ("vim", "nvim", "gvim", "vim.basic", "vim.nox", "vim.gtk3", "vim.motif"):
        shown = text_for_vim(place.text) if place.text else []
        index = b"byteidxcomp(getline(%s), %d)" % (line, place.column - 1)
        cursor = b"+call cursor(%s, %s < 0 ? col([%s, '$']) : %s + 1)" % (line, index, line, index)
        return [*shown, cursor, b"--", path]
    if program in ("emacs", "emacs-nox", "emacs-gtk", "emacsclient", "kak"):
        return [b"+%s:%s" % (line, column), path]
    if program in ("nano", "pico"):
        return [b"+%s,%s" % (line, column), path]
    if program in ("vi", "view", "vim.tiny", "micro", "mg", "jed", "joe", "ne", "mcedit", "less"):
        return [b"+%s" % line, path]
    if program in Code.PROGRAMS:
        return [b"--wait", *map(os.fsencode, Code.arguments(place))] if Code.opens(path) else []
    return [path]


def text_for_vim(text):
    """The words by which Vim shows a text.

    It reads it before it opens the document: the person may give up at a question about that, such as about a swap file.
    """
    variable = "g:handoff_text"
    read = Vim.read_text(text.path, variable)
    put = [f"let t = {variable}", f"unlet {variable}", *Vim.PUT_TEXT]
    return [b"--cmd", os.fsencode(" | ".join(read)), os.fsencode("+" + " | ".join(put))]
