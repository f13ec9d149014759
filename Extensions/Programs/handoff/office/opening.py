"""A document of another computer, opened in LibreOffice at its place."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time

from handoff.activity import Refusal, printable
from handoff.office import places
from handoff.office.connection import Pipe, UnoException, running
from handoff.program import become, notify

# How long LibreOffice may take to start, in seconds.
PATIENCE_TO_START = 120.0
# How long one is waited for at least, in seconds, after others have not answered.
MINIMUM_PATIENCE = 0.1
MISSING = "LibreOffice is not installed here, or python3-uno is not, or there is no display: see Docs/Office.md."


def require_office(chosen):
    """Refuses where there is no LibreOffice, or no way to ask it."""
    has_display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not shutil.which(chosen.program) or UnoException is OSError or not has_display:
        raise Refusal(69, MISSING)


def open_document(activity, document, chosen):
    """Opens the document in the LibreOffice that runs, or becomes one that does."""
    pipe = Pipe()
    office = running_office(pipe, chosen)
    if office:
        return show(office, document)
    # LibreOffice takes the place of this program: as a service, what it starts would end with it.
    words = [sys.executable, "-B", sys.argv[0], "--started"]
    subprocess.run(words, input=json.dumps(activity).encode(), check=False)
    become([chosen.program, "--nologo", pipe.option])
    raise Refusal(69, MISSING)


def open_in_started(document):
    """Opens the document in the LibreOffice that is started when this process has ended, by one of its own."""
    # LibreOffice does not know of it, and would not wait for its end.
    if os.fork():
        os._exit(0)
    os.setsid()
    office = Pipe().connect(PATIENCE_TO_START)
    if office is None:
        raise Refusal(75, f"LibreOffice does not start, and {document.name} was not opened.")
    show(office, document)


def running_office(pipe, chosen):
    """The LibreOffice that runs and answers; None if none runs."""
    deadline = time.monotonic() + chosen.patience
    for path in running():
        is_told = pipe.ask(path, max(MINIMUM_PATIENCE, deadline - time.monotonic()))
        if is_told is False:
            continue
        office = within(deadline - time.monotonic(), lambda: pipe.connect(chosen.patience)) if is_told else None
        if office is None:
            raise Refusal(69, "LibreOffice does not answer.")
        return office
    return None


def show(office, document):
    """Opens the document and goes to the place."""
    try:
        was_shown = office.is_shown(document.path)
        model = office.open(document.url)
        if was_shown:
            model = renewed(office, model, document)
    except UnoException as error:
        raise Refusal(65, f"LibreOffice cannot open {document.name}: {printable(error.Message)}") from None
    # The person may have been asked something, and not want it.
    if model is not None:
        places.go(model, document.info)
        if document.is_modified:
            notify(document.name, f"{document.device} has changes in it that are not saved there, and are not here.")


def renewed(office, model, document):
    """A document that was open already, with what a synchroniser has changed in its file since."""
    if not is_newer_than_shown(document):
        return model
    if not model.isModified():
        return office.reload(model)
    notify(document.name, "It is open here with changes that are not saved, and its file has changed since.")
    return model


def is_newer_than_shown(document):
    """Whether the file has changed since LibreOffice opened it: then it made its mark beside it (`.~lock.NAME#`)."""
    directory, name = os.path.split(document.path)
    try:
        return document.examine() > os.stat(os.path.join(directory, b".~lock." + name + b"#")).st_mtime
    except OSError:
        return True


def within(seconds, function):
    """What a function returns; None if it takes longer."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    return results[0] if results else None
