"""Editors that are started: which the person has chosen, and how each is told the document and its place."""

import os
import shlex
import shutil

from continuing import become, expand, in_terminal
from editing.running import Code


def open_in_started(place, chosen):
    """Becomes the editor that the person has chosen; returns if there is none that can be started."""
    if chosen.command:
        words = [expand(word, place.values) for word in chosen.command]
        become(in_terminal(words) if chosen.in_terminal else words)
    for variable in ("VISUAL", "EDITOR"):
        try:
            words = [os.fsencode(word) for word in shlex.split(os.environ.get(variable, ""))]
        except ValueError:
            continue
        if not words or not shutil.which(words[0]):
            continue
        document = arguments(os.path.basename(words[0]).decode("utf-8", "replace"), place)
        if document:
            become(in_terminal(words + document))


def arguments(program, place):
    """How a program is told the document and its place; empty if it would not open it as a text.

    The path begins with a slash, so that it is never an option.
    """
    line, column, path = b"%d" % place.line, b"%d" % place.column, place.path
    if program in ("vim", "nvim", "gvim", "vim.basic", "vim.nox", "vim.gtk3", "vim.motif"):
        index = b"byteidxcomp(getline(%s), %d)" % (line, place.column - 1)
        return [b"+call cursor(%s, %s < 0 ? col([%s, '$']) : %s + 1)" % (line, index, line, index), b"--", path]
    if program in ("emacs", "emacs-nox", "emacs-gtk", "emacsclient", "kak"):
        return [b"+%s:%s" % (line, column), path]
    if program in ("nano", "pico"):
        return [b"+%s,%s" % (line, column), path]
    if program in ("vi", "view", "vim.tiny", "micro", "mg", "jed", "joe", "ne", "mcedit", "less"):
        return [b"+%s" % line, path]
    if program in Code.PROGRAMS:
        return [b"--wait", *map(os.fsencode, Code.arguments(place))] if Code.opens(path) else []
    return [path]
