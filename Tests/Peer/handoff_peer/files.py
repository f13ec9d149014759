"""URLs of files in synchronised folders (Docs/Protocol.md, "Files")."""

import re

from .errors import invalid

FOLDER_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}\Z")
LONGEST_PATH = 4095


def read_file_url(url: str) -> tuple[str, list[bytes]] | None:
    """The identifier of the folder, and the components of the path in it; None for a URL of another scheme."""
    scheme, _, rest = url.partition(":")
    if scheme.lower() == "file":
        raise invalid("a URL of a file of the other device")
    if scheme.lower() != "handoff-folder":
        return None
    folder, slash, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    if not slash or not FOLDER_ID.match(folder):
        raise invalid("a folder's identifier")
    components = [_decoded(component) for component in path.split("/")] if path else []
    if sum(len(component) + 1 for component in components) > LONGEST_PATH:
        raise invalid("a path that is too long")
    return folder, components


def _decoded(component: str) -> bytes:
    """A component of a path without its percent-encoding."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", component):
        raise invalid("percent-encoding")
    decoded = re.sub(rb"%([0-9A-Fa-f]{2})", lambda code: bytes.fromhex(code[1].decode()), component.encode())
    if decoded in (b"", b".", b"..") or b"\0" in decoded or b"/" in decoded:
        raise invalid("a component of a path")
    return decoded
