"""Which files have sound or video in them, by their names and by how they begin.

A player goes by both: what has the name of a list, or begins like one, it plays as a list of files and addresses. So a
file is played only if it has one of the names here, and begins like one of the containers, none of which lists anything.
"""

import os

from handoff.documents import SAMPLE

NAMES = frozenset(b"""
    .3g2 .3gp .aac .ac3 .aif .aifc .aiff .amr .ape .asf .au .avi .caf .dff .divx .dsf .dts .dv .f4a .f4v .flac .flv .m1v
    .m2t .m2ts .m2v .m4a .m4b .m4v .mid .midi .mk3d .mka .mkv .mov .mp2 .mp3 .mp4 .mpa .mpc .mpe .mpeg .mpg .mpga .mts .mxf
    .oga .ogg .ogm .ogv .opus .qt .ra .rm .rmvb .snd .spx .ts .tta .vob .wav .weba .webm .wma .wmv .wv
""".split())
# How containers begin: the place, and the bytes there. Of those whose sign is text, what follows it is not.
CONTAINERS = [
    (0, b"fLaC\x00\x00\x00\x22"), (0, b"fLaC\x80\x00\x00\x22"), (0, b"OggS\x00"), (0, b"\x1a\x45\xdf\xa3"),
    (8, b"WAVE"), (8, b"AVI "), (8, b"AIFF"), (8, b"AIFC"), (0, b".snd\x00"), (0, b"caff\x00\x01"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c"), (0, b"FLV\x01"),
    (0, b"\x00\x00\x01\xba"), (0, b"\x00\x00\x01\xb3"), (0, b"\x06\x0e\x2b\x34"), (0, b"\x1f\x07\x00"),
    (0, b"MThd\x00\x00\x00\x06"), (0, b".RMF\x00"), (0, b".ra\xfd"), (0, b"#!AMR\n"), (0, b"#!AMR-WB\n"),
    (0, b"MAC \x6e\x0f"), (0, b"MAC \x96\x0f"), (0, b"wvpk"), (0, b"MPCK"), (0, b"MP+\x07"), (0, b"TTA1\x01\x00"),
    (0, b"DSD \x1c\x00"), (0, b"FRM8\x00"), (0, b"\x0b\x77"), (0, b"\x7f\xfe\x80\x01"), (0, b"\xfe\x7f\x01\x80"),
]
# The forms of RIFF and of IFF, in which the sign of what is inside comes after a length.
FORMS = (b"RIFF", b"RF64", b"FORM")
# The lengths of packets of MPEG transport streams, and where their first one begins.
PACKETS = ((188, 0), (192, 4))
# How many packets are looked at, of the file's first ones.
MAXIMUM_PACKETS = 5
# What comes before sound in a file: tags of this kind, of which a program may have added one to another; and zeros.
TAG = b"ID3"
TAG_HEAD = 10
MAXIMUM_TAGS = 4
# The first parts of files of the ISO kind (MP4, QuickTime), which say what is in them in `moov`. A film that is in
# pieces, or elsewhere, says that there: `rmra` lists addresses, and `cmov` is `moov` in a form that cannot be read here.
PARTS = (b"ftyp", b"moov", b"mdat", b"free", b"skip", b"wide", b"pnot")
LISTS = (b"rmra", b"cmov")
# How many parts such a file has before `moov`, and inside it, at most.
MAXIMUM_PARTS = 256


def is_media(path, file):
    """Whether an open file of that path has the name of sound or video, and begins like it."""
    if os.path.splitext(path)[1].lower() not in NAMES:
        return False
    place = after_tags(file)
    file.seek(place)
    head = file.read(SAMPLE)
    if head[4:8] in PARTS:
        return is_film(file, place)
    return is_container(head) or is_transport_stream(head) or is_stream_of_frames(head.lstrip(b"\0"))


def after_tags(file):
    """Where a file begins, after its tags."""
    place = 0
    for _ in range(MAXIMUM_TAGS):
        file.seek(place)
        head = file.read(TAG_HEAD)
        if len(head) < TAG_HEAD or not head.startswith(TAG) or max(head[6:]) > 0x7F:
            break
        # ID3v2: four times seven bits.
        place += TAG_HEAD + sum(byte << 7 * number for number, byte in enumerate(reversed(head[6:])))
    return place


def is_container(head):
    """Whether a file with this beginning is in one of the containers."""
    return any(
        head[place:].startswith(sign) and (place == 0 or head.startswith(FORMS)) for place, sign in CONTAINERS
    )


def is_transport_stream(head):
    """Whether this is the beginning of an MPEG transport stream: each packet has a head, and it is no text."""
    for length, start in PACKETS:
        heads = [head[place:place + 4] for place in range(start, len(head) - 3, length)][:MAXIMUM_PACKETS]
        if len(heads) > 1 and all(map(is_packet, heads)):
            return b"\0" in head
    return False


def is_packet(head):
    """Whether four bytes are the head of a packet of a transport stream."""
    # Its sign; no error; scrambled in no reserved way; with a content, or what stands for it.
    return head[0] == 0x47 and not head[1] & 0x80 and head[3] & 0xC0 != 0x40 and head[3] & 0x30 != 0


def is_stream_of_frames(head):
    """Whether this is the beginning of MPEG audio (MP3) or AAC without a container: the head of a frame."""
    if len(head) < 4 or head[0] != 0xFF or head[1] & 0xE0 != 0xE0:
        return False
    is_aac = head[1] & 0xF6 == 0xF0
    has_layer, has_version = head[1] & 0x06 != 0, head[1] & 0x18 != 0x08
    return is_aac or has_layer and has_version and head[2] & 0xF0 != 0xF0 and head[2] & 0x0C != 0x0C


def is_film(file, place):
    """Whether a file of the ISO kind has a film in itself, and no list of others."""
    inside = None
    for kind, start, end in parts(file, place, None):
        if kind == b"moov":
            inside = [kind for kind, *_ in parts(file, start, end)]
            break
    return inside is not None and b"trak" in inside and not set(inside) & set(LISTS)


def parts(file, place, end):
    """The parts of a file between two places: the kind of each, and where its content begins and ends.

    They end where they do not fit, and after `MAXIMUM_PARTS`.
    """
    end = file.seek(0, 2) if end is None else end
    for _ in range(MAXIMUM_PARTS):
        file.seek(place)
        head = file.read(16)
        if len(head) < 8:
            return
        length, begin = int.from_bytes(head[:4], "big"), place + 8
        if length == 1:
            length, begin = int.from_bytes(head[8:], "big"), place + 16
        elif length == 0:
            length = end - place
        if place + length < begin or place + length > end:
            return
        yield head[4:8], begin, place + length
        place += length
