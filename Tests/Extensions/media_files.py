"""Files of sound and video, as short as they can be; and lists, which players take for what they have inside."""

import io
import struct
import wave

GUID = bytes.fromhex("3026b2758e66cf11a6d900aa0062ce6c")


def sound(seconds=0.1):
    """A file of silence."""
    data = io.BytesIO()
    with wave.open(data, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\0\0" * int(seconds * 8000))
    return data.getvalue()


def box(kind, *parts):
    """A part of a file of the ISO kind."""
    data = b"".join(parts)
    return struct.pack(">I4s", 8 + len(data), kind) + data


def film(*inside):
    """A film of MP4 without pictures; more may be inside its `moov`."""
    return box(b"ftyp", b"isom\0\0\0\0isom") + box(b"moov", box(b"mvhd", bytes(100)), box(b"trak"), *inside)


def tagged(data, length=300):
    """The same with a tag of ID3 before it."""
    size = bytes((length >> shift) & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\x04\0\0" + size + b"x" * length + data


MP3 = b"\xff\xfb\x90\x64" + bytes(413)
AAC = b"\xff\xf1\x50\x80\x01\x3f\xfc" + bytes(50)
STREAM = (b"\x47\x40\x00\x10\x00" + b"\xff" * 183) * 8

# What is played, by its name.
PLAYED = {
    "a.wav": sound(), "a.mp3": MP3, "b.mp3": tagged(MP3), "c.mp3": tagged(tagged(bytes(20) + MP3)), "a.aac": AAC,
    "b.aac": tagged(AAC), "a.flac": b"fLaC\0\0\0\x22" + bytes(34), "A.FLAC": tagged(b"fLaC\x80\0\0\x22" + bytes(34)),
    "a.ogg": b"OggS\0\2" + bytes(50), "a.opus": b"OggS\0\2" + bytes(50), "a.mkv": b"\x1a\x45\xdf\xa3" + bytes(50),
    "a.webm": b"\x1a\x45\xdf\xa3" + bytes(50), "a.mp4": film(), "a.m4a": film(), "a.m4b": film(box(b"udta")),
    "a.mov": box(b"wide") + box(b"mdat", bytes(99)) + box(b"moov", box(b"trak")),
    "b.mp4": box(b"ftyp", b"isom") + struct.pack(">I4sQ", 1, b"mdat", 40) + bytes(24) + box(b"moov", box(b"trak")),
    "a.wma": GUID + bytes(50), "a.wmv": GUID + bytes(50), "a.avi": b"RIFF\x40\0\0\0AVI LIST" + bytes(50),
    "a.aiff": b"FORM\0\0\0\x40AIFFCOMM" + bytes(50), "a.mpg": b"\0\0\1\xba" + bytes(50), "a.ts": STREAM,
    "a.m2ts": b"".join(b"\0\0\0\0" + STREAM[:188] for _ in range(8)), "a.flv": b"FLV\1\5\0\0\0\x09" + bytes(50),
    "a.wv": b"wvpk" + bytes(50), "a.mid": b"MThd\0\0\0\6" + bytes(50),
}

# What a player takes for a list of files and addresses, or for a script, whatever its name is.
LISTS = {
    "m3u": b"#EXTM3U\nhttp://127.0.0.1:9/leak\n", "m3u with a mark": b"\xef\xbb\xbf#EXTM3U\nhttp://127.0.0.1:9/leak\n",
    "plain": b"http://127.0.0.1:9/plain\n/etc/hostname\n", "pls": b"[playlist]\nFile1=http://127.0.0.1:9/pls\n",
    "edl": b"# mpv EDL v0\nav://lavfi:testsrc=duration=1\n", "concat": b"ffconcat version 1.0\nfile /etc/passwd\n",
    "hls": b"#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nhttp://127.0.0.1:9/hls\n",
    "asx": b"<asx version='3'><entry><ref href='http://127.0.0.1:9/asx'/></entry></asx>",
    "xspf": b"<?xml version='1.0'?><playlist><trackList><track><location>http://127.0.0.1:9/</location></track></trackList>",
    "cue": b'FILE "other.wav" WAVE\n  TRACK 01 AUDIO\n', "gvp": b"GVP_VERSION:1.1\nurl:http://127.0.0.1:9/gvp\n" + b"G" * 900,
    "sdp": b"v=0\no=- 0 0 IN IP4 127.0.0.1\n", "smil": b"<smil><body><video src='http://127.0.0.1:9/'/></body></smil>",
    "ram": b"rtsp://127.0.0.1:9/ram\n", "reference": b"[Reference]\nRef1=http://127.0.0.1:9/\n", "ini": b"[InternetShortcut]\n",
    "lua": b"os.execute('id')", "program": b"\x7fELF", "script": b"#!/bin/sh\nid\n", "nothing": b"", "page": b"<html>",
    "zeros": bytes(100_000), "list after a tag": tagged(b"#EXTM3U\nhttp://127.0.0.1:9/leak\n"),
    "list after zeros": bytes(9) + b"#EXTM3U\nhttp://127.0.0.1:9/leak\n", "film elsewhere": film(box(b"rmra", box(b"rmda"))),
    "packed film": box(b"ftyp", b"qt  ") + box(b"moov", box(b"cmov", bytes(30)), box(b"trak")),
    "film without pictures": box(b"ftyp", b"qt  ") + box(b"mdat", bytes(99)),
    "film with a part that is too short": box(b"ftyp", b"isom") + box(b"moov", b"\0\0\0\4trak", box(b"trak")),
    "film with a part that is too long": box(b"ftyp", b"isom") + b"\0\0\1\0moov" + box(b"trak"),
}
