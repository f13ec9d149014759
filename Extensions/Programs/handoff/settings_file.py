"""Files of settings, read as handoffd reads its own (INIFile): lines `key = value` in sections, and comments."""

import re

from handoff.text import composed

NEWLINE = re.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
# White space of Unicode.
BLANKS = "\t\n\x0b\x0c\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200b))) + "\u2028\u2029\u202f\u205f\u3000"


def parse(text):
    """The sections of a file, each with its values by their keys; raises ValueError with the line and the reason."""
    sections, section = {}, None
    for number, line in enumerate(NEWLINE.split(text.removeprefix("\ufeff")), 1):
        line = line.strip(BLANKS)
        if not line or line[0] in "#;":
            continue
        if line[0] == "[":
            section = sections.setdefault(section_name(line, number), {})
            continue
        key, sign, value = (part.strip(BLANKS) for part in line.partition("="))
        if not sign or not key:
            raise ValueError(f"line {number}: a setting is written key = value.")
        if section is None:
            raise ValueError(f"line {number}: {key}: it stands before the first section.")
        if composed(key) in map(composed, section):
            raise ValueError(f"line {number}: {key}: it is set already.")
        section[key] = value
    return sections


def section_name(line, number):
    """The name of a section, of a line that begins with its bracket."""
    name = line[1:-1].strip(BLANKS)
    if not line.endswith("]") or not name:
        raise ValueError(f"line {number}: a section is written [name].")
    return name
