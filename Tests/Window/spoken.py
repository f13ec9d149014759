"""What a screen reader hears on a page of the window, examined as a whole."""

import collections
import itertools
import re

from world import Failure

# What a person can use; each needs a name that is not said twice.
CONTROLS = ("push button", "toggle button", "check box", "text", "page tab", "radio button", "menu item")
# What a person is told the name of on the way to what is in it.
PLACES = ("frame", "page tab list", "list", "list item", "alert", "dialog")
USED = ("push button", "check box")


def parts(text):
    """The words of a text, without the marks that keep the direction of names."""
    return text.translate(dict.fromkeys(map(ord, "\u2066\u2068\u2069"))).split()


def is_said_twice(name):
    """Whether a name is one text two times, as GTK makes it of a label and another label for the same thing."""
    words = parts(name)
    half = len(words) // 2
    return half > 0 and len(words) % 2 == 0 and words[:half] == words[half:]


def silent(nodes):
    """What is wrong with what a screen reader hears of the nodes of a window; nothing where all is well."""
    faults = [fault for node in nodes for fault in faults_of(node)]
    names = collections.Counter()
    for index, node in enumerate(nodes):
        if node["role"] == "list item":
            faults += [f"the row {node['name']!r} ({node['description']!r}) does not say {text!r}"
                       for text in shown_in(nodes[index + 1:]) if not is_said(text, node)]
        # Each page, and each question, of which libadwaita has every button twice.
        elif node["role"] in ("scroll pane", "dialog"):
            faults += [f"{count} things are the {role} {name!r}" for (role, name), count in names.items() if count > 1]
            names.clear()
            if node["role"] == "dialog":
                break
        elif node["role"] in USED:
            names[node["role"], node["name"]] += 1
    return faults


def shown_in(nodes):
    """The texts in a row that is before these nodes: not the title of the next list, nor what is said of it."""
    labels = [node["name"] for node in itertools.takewhile(lambda node: node["role"] == "label", nodes)]
    after = nodes[len(labels)] if len(nodes) > len(labels) else {}
    if after.get("role") == "list":
        while labels and labels[-1] in (after["name"], after["description"]):
            labels.pop()
    return labels


def faults_of(node):
    """What is wrong with one node."""
    role, name = node["role"], node["name"]
    if role in CONTROLS + PLACES and not name.strip():
        yield f"a {role} has no name: {node['description']!r}"
    # What GTK says of a thing without a name is the name of its class.
    if role in CONTROLS + PLACES and re.fullmatch("(Gtk|Adw)[A-Z][A-Za-z]+", name):
        yield f"a {role} is called {name!r}"
    if role in CONTROLS and is_said_twice(name):
        yield f"a {role} says its name twice: {name!r}"
    # The button of the menu has the focus inside it.
    if role in USED and name != "Menu" and "sensitive" in node["states"] and "focusable" not in node["states"]:
        yield f"the keyboard does not reach {name!r}"


def is_said(text, row):
    """Whether a row says a text that is in it."""
    return set(parts(text)) <= set(parts(row["name"] + " " + row["description"]))


def hear(one, *wanted):
    """Checks everything that is on the screen, which has to have rows and controls with the names that are wanted."""
    nodes = one.ask("tree")
    heard = {node["name"] for node in nodes if node["role"] in CONTROLS + PLACES}
    faults = silent(nodes) + [f"nothing is called {name!r}" for name in wanted if name not in heard]
    if faults:
        raise Failure("a screen reader misses something:\n  " + "\n  ".join(faults) + "\n" + one.text)
