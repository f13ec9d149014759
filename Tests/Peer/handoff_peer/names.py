"""Names of devices, and text of other devices (Docs/Protocol.md, "Names")."""

import unicodedata


def _code_points(text: str) -> frozenset[int]:
    """The code points of a list of ranges such as `0-8 AD`."""
    ranges = [word.partition("-") for word in text.split()]
    return frozenset(point for first, _, last in ranges for point in range(int(first, 16), int(last or first, 16) + 1))


WHITE_SPACE = _code_points("9-D 20 85 A0 1680 2000-200A 2028 2029 202F 205F 2800 3000")
JOINERS = "\u200c\u200d"
REMOVED = _code_points(
    "0-8 E-1F 7F-84 86-9F AD 34F 600-605 61C 6DD 70F 890 891 8E2 115F 1160 17B4 17B5 180E 200B 200E 200F 202A-202E"
    " 2060-206F 3164 FEFF FFA0 FFF0-FFFB 110BD 110CD 13430-1343F 1BCA0-1BCA3 1D173-1D17A E0000-E0FFF E000-F8FF"
    " F0000-10FFFF FDD0-FDEF"
) | {plane << 16 | last for plane in range(17) for last in (0xFFFE, 0xFFFF)}
LONGEST = 64
MOST_MARKS = 8


def clean(name: str) -> str:
    """A name as it is shown; empty when nothing is left of it."""
    kept, before, marks = "", "", 0
    for char in name:
        if ord(char) in WHITE_SPACE:
            before = " " if kept else ""
        elif char in JOINERS:
            if before != " " and kept and kept[-1] >= "\u0590":
                before = char
        elif ord(char) not in REMOVED:
            is_mark = unicodedata.category(char)[0] == "M"
            marks = marks + 1 if is_mark and before != " " else int(is_mark)
            if is_mark and (not kept or marks > MOST_MARKS):
                marks = min(marks, MOST_MARKS)
                continue
            if before in JOINERS and char < "\u0590":
                before = ""
            if len((kept + before + char).encode()) > LONGEST:
                break
            kept, before = kept + before + char, ""
    return kept
