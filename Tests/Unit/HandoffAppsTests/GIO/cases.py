"""The cases in which handoffd is compared with GIO: desktop files, lists and documents with every oddity."""

import re

HEAD = "[Desktop Entry]\nType=Application\nName=My App\nIcon=an icon\nMimeType=text/plain;\n"
APP = HEAD + "Exec=rec %f\n"
CACHE = "[MIME Cache]\ntext/plain=a.desktop;b.desktop;\n"
USER = "config/mimeapps.list"
TERMINALS = ("gnome-terminal", "mate-terminal", "xfce4-terminal", "kgx", "tilix", "konsole", "nxterm", "color-xterm",
             "rxvt", "dtterm", "xterm")

EXEC = r"""rec %f
rec %F
rec %u
rec %U
rec
rec --file=%f
rec --file=%F --more
rec --uri=%u -- end
rec %fend
rec a%fb%%c
rec -t %c %u
rec --caption=%c %f
rec %i %f
rec --%i %f
rec %i%c %f
rec %k %f
rec --desktop=%k %U
rec -qwindowtitle %c %u
rec -caption %c %i %m %U
rec %d
rec %D
rec %n
rec %N
rec %v %f
rec %m
rec %z x
rec %f %f
rec %f %u
rec %U %F
rec %u %d
rec %%
rec 100%%
rec %% %f %%f
rec %
rec %f %
rec "%%" %f
rec "a b" %f
"rec" %f
"re"c %f
rec "" %f
rec '' %f
rec 'a b' "c d"e %f
rec a\\ b %f
rec a\\\\b %f
rec "a\\\\b \\"c\\" \\$d \\`e\\`" %f
rec "a\\qb" %f
rec "$HOME" $HOME `x` %f
rec ~/x %f
rec 'a"b' "c'd" %f
rec sh -c "view %f"
rec sh -c "view %f; done" x
rec -c 'view %f'
rec -c 'view "$0"' %f
rec -c 'view "$@"' -- %F
rec "%f"
rec '%f'
rec "%F" x
rec "%u"
rec "--file=%f"
rec '--file=%f'
rec "%c" %f
rec -t "the %c" %f
rec a#b %f
rec #c %f
rec %f #c
rec # c
rec %f\n#x\ny
rec %f\tx
rec\tx %f
rec a\sb %f
rec a\nb %f
rec a\qb %f
rec %f ; x & y | z > w
rec {} [a] *.txt ?x !y %f
rec ü %f
rec "ü %c" %f
rec   %f   x
rec %f\\
rec "a
rec 'a
rec %f "
%c rec
%f
re%%c %f
gone %f
"gone" %f
rec-gone --x %f
""".splitlines()
EXEC += ["  rec %f", "rec %f ", "rec\\", "rec a\\"]
NAMES = ("a b.txt", "it's.txt", "a#b %20&ü.txt")

LINES = {
    "a key twice": "StartupNotify=true\nStartupNotify=false\n", "keywords twice": "Keywords=a;\nKeywords=b;\n",
    "Exec twice": "Exec=rec 2 %f\n", "a line that is nothing": "nonsense\n", "a key with an underscore": "a_b=1\n",
    "a key with spaces": "a b=1\n", "a key with an open locale": "Name[de=1\n", "a key with text after the locale": "N[de]x=1\n",
    "a key in Greek": "Όνομα=1\n", "a key with spaces after it": "Comment   = x\n", "a key with an empty locale": "Name[]=x\n",
    "a key with a whole locale": "Name[sr@latin]=x\n", "no key": "=x\n", "no value": "Comment=\n", "a comment": "# x=y\n",
    "a comment after spaces": "   # x\n", "lines of spaces": "   \n\t\n", "the group again": "[Desktop Entry]\nExec=rec 5 %f\n",
    "the group again later": "[x]\nExec=no\n[Desktop Entry]\nExec=rec 6 %f\n", "an action": "[Desktop Action x]\nExec=no\n",
    "an open group": "[Desktop\n", "an empty group": "[]\n", "text after a group": "[a] b\n", "spaces after a group": "[a]  \n",
    "a bracket in a group": "[a[b]\n", "Type with a space": "Type=Application \n", "Type Link": "Type=Link\n",
    "Type in small letters": "Type=application\n", "NoDisplay": "NoDisplay=true\n", "OnlyShowIn": "OnlyShowIn=KDE;\n",
    "NotShowIn": "NotShowIn=GNOME;\n", "TryExec that is gone": "TryExec=gone\n", "TryExec that is there": "TryExec=rec\n",
    "an empty TryExec": "TryExec=\n", "TryExec with arguments": "TryExec=rec x\n", "TryExec by a path": "TryExec=/bin/sh\n",
    "TryExec by a path that is gone": "TryExec=/gone/x\n", "TryExec that is a directory": "TryExec=/bin\n", "Path": "Path=/tmp\n",
    "an empty Path": "Path=\n", "a Path that is gone": "Path=/gone\n", "a relative Path": "Path=documents\n",
    "a Path of home": "Path=~\n", "a Path with an escape": "Path=/t\\smp\n", "Path twice": "Path=/gone\nPath=/\n",
    "Terminal without any": "Terminal=true\n", "Terminal yes": "Terminal=yes\n", "Terminal false": "Terminal=false\n",
    "Terminal 0": "Terminal=0\n", "StartupWMClass": "StartupWMClass=x\nStartupNotify=true\n", "Version": "Version=1.5\n",
    "keys of KDE": "X-KDE-Protocols=http\nX-DBUS-ServiceName=x\nServiceTypes=a\n", "Encoding": "Encoding=UTF-8\n",
    "another encoding": "Encoding=Legacy-Mixed\n", "an encoding in small letters": "Encoding=utf-8\n",
    "Name twice": "Name=B\nExec=rec %c %f\n", "a name with escapes": "Name=a\\sb\\tc\\\\d\nExec=rec %c %f\n",
    "a name with quotes": "Name=a'b\"c\nExec=rec %c %f\n", "a name with a field code": "Name=%f\nExec=rec %c %f\n",
    "an icon with a field code": "Icon=%c\nExec=rec %i %f\n", "no icon": "Icon=\nExec=rec %i %f\n",
    "an icon by a path": "Icon=/a\\sb.png\nExec=rec %i %f\n", "Actions": "Actions=new;\n", "Hidden false": "Hidden=false\n",
    "Implements": "Implements=org.x.Y;\n", "DBusActivatable without a name": "DBusActivatable=true\n",
    "GIO's key": "X-GIO-NoFuse=true\n", "a Latin-1 comment": b"Comment=caf\xe9\n", "a Latin-1 name": b"Name=caf\xe9\nExec=rec %c %f\n",
    "a Latin-1 Exec": b"Exec=rec caf\xe9 %f\n", "no line end": "Path=/tmp", "spaces before": "  Exec  =  rec 7 %f\n",
    "a tab before": "\tExec\t=\trec 8 %f\n", "a NUL": "Comment=a\0b\n", "Exec with a locale": "Exec[C]=rec 9 %f\n",
    "a control character": "Comment=a\x01b\n", "SingleMainWindow": "SingleMainWindow=true\nPrefersNonDefaultGPU=true\n",
}

WHOLE = {
    "CR LF": APP.replace("\n", "\r\n"), "a BOM": "\ufeff" + APP, "a key before the group": "A=b\n" + APP,
    "another group first": "[Other]\na=b\n" + APP, "comments first": "#!/usr/bin/env xdg-open\n\n# x\n" + APP, "empty": "",
    "only the group": "[Desktop Entry]\n", "no type": "[Desktop Entry]\nName=x\nExec=rec %f\n", "CR alone": APP.replace("\n", "\r"),
    "no name": "[Desktop Entry]\nType=Application\nExec=rec %c %f\n", "indented": APP.replace("\n", "\n  "),
    "spaces around =": APP.replace("=", " = "), "KDE's group": APP.replace("Desktop Entry", "KDE Desktop Entry"),
    "many": APP + "".join(f"X-{number}=y\n" for number in range(5000)),
}

LISTS = {
    "a default": "[Default Applications]\ntext/plain=b.desktop\n",
    "a default with a semicolon": "[Default Applications]\ntext/plain=b.desktop;\n",
    "a default that is gone": "[Default Applications]\ntext/plain=gone.desktop;b.desktop;\n",
    "all defaults gone": "[Default Applications]\ntext/plain=gone.desktop;gone2.desktop;\n",
    "an id without its end": "[Default Applications]\ntext/plain=b\n",
    "nonsense before": "nonsense\n[Default Applications]\ntext/plain=b.desktop\n",
    "nonsense after": "[Default Applications]\ntext/plain=b.desktop\nnonsense\n",
    "nonsense between": "[Default Applications]\nnonsense\ntext/plain=b.desktop\n",
    "spaces around": "[Default Applications]\n text/plain = b.desktop\n", "spaces after": "[Default Applications]\ntext/plain=b.desktop \n",
    "spaces in a list": "[Default Applications]\ntext/plain=b.desktop ; c.desktop;\n",
    "a type twice": "[Default Applications]\ntext/plain=c.desktop\ntext/plain=b.desktop\n",
    "a group twice": "[Default Applications]\ntext/plain=c.desktop\n[Added Associations]\n[Default Applications]\ntext/plain=b.desktop\n",
    "an empty element": "[Default Applications]\ntext/plain=;b.desktop;;c.desktop\n",
    "a type in capitals": "[Default Applications]\nTEXT/PLAIN=b.desktop\n", "an empty list": "[Default Applications]\ntext/plain=\n",
    "a wildcard": "[Default Applications]\ntext/*=b.desktop\n", "octet-stream": "[Default Applications]\napplication/octet-stream=b.desktop\n",
    "CR LF": "[Default Applications]\r\ntext/plain=b.desktop\r\n", "a BOM": "\ufeff[Default Applications]\ntext/plain=b.desktop\n",
    "an escape": "[Default Applications]\ntext/plain=b\\.desktop;c.desktop\n",
    "an escaped semicolon": "[Default Applications]\ntext/plain=b.desktop\\;c.desktop;c.desktop\n",
    "commas": "[Default Applications]\ntext/plain=b.desktop,c.desktop\n",
    "Latin-1 elsewhere": b"[Default Applications]\ntext/x=\xe9\ntext/plain=b.desktop\n",
    "Latin-1 in the list": b"[Default Applications]\ntext/plain=b.desktop;\xe9.desktop\n",
    "an absolute id": "[Default Applications]\ntext/plain=/tmp/x.desktop;b.desktop\n", "a locale": "[Default Applications]\ntext/plain[de]=b.desktop\n",
    "a group in small letters": "[default applications]\ntext/plain=b.desktop\n",
    "a comment": "[Default Applications]\n# text/plain=c.desktop\ntext/plain=b.desktop\n",
    "a key without a group": "text/plain=b.desktop\n", "an addition": "[Added Associations]\ntext/plain=c.desktop;\n",
    "an addition that is gone": "[Added Associations]\ntext/plain=gone.desktop;c.desktop;\n",
    "a removal": "[Removed Associations]\ntext/plain=a.desktop;\n", "all removed": "[Removed Associations]\ntext/plain=a.desktop;b.desktop\n",
    "added and removed": "[Added Associations]\ntext/plain=b.desktop;\n[Removed Associations]\ntext/plain=b.desktop;a.desktop;\n",
    "a default that is removed": "[Default Applications]\ntext/plain=b.desktop\n[Removed Associations]\ntext/plain=b.desktop\n",
    "a default and an addition": "[Added Associations]\ntext/plain=c.desktop\n[Default Applications]\ntext/plain=b.desktop\n",
    "its own cache": "[MIME Cache]\ntext/plain=b.desktop\n",
}


def app(name, more=""):
    return f"[Desktop Entry]\nType=Application\nName={name}\nExec=rec {name} %f\n{more}"


APPS = {f"share/applications/{name}.desktop": app(name) for name in "abc"}


def default(kind, *ids):
    return f"[Default Applications]\n{kind}={';'.join(f'{name}.desktop' for name in ids)}\n"


def removal(kind, name):
    return f"[Removed Associations]\n{kind}={name}.desktop\n"


def addition(kind, name):
    return f"[Added Associations]\n{kind}={name}.desktop\n"


def cache(**kinds):
    return "[MIME Cache]\n" + "".join(f"{kind.replace('__', '/')}={ids}\n" for kind, ids in kinds.items())


CACHED = "share/applications/mimeinfo.cache"
SYSTEM = "system/applications/"
TWO = {**APPS, CACHED: CACHE}
# A name, files, and what else differs from the usual: the document's name, its content, variables.
PLACES = [
    ("no cache, so no app", {"share/applications/a.desktop": APP}, {}),
    ("the cache alone", TWO, {}),
    ("the cache has an app that is gone", {**APPS, CACHED: cache(text__plain="gone.desktop;c.desktop;")}, {}),
    ("the cache is not in the order of names", {**APPS, CACHED: cache(text__plain="c.desktop;a.desktop;")}, {}),
    ("a default by an alias", {**TWO, USER: default("application/x-pdf", "b")}, {"name": "x.pdf"}),
    ("an alias in the cache", {**APPS, CACHED: "[MIME Cache]\napplication/x-pdf=a.desktop;\n"}, {"name": "x.pdf"}),
    ("an alias that is removed", {**APPS, CACHED: "[MIME Cache]\napplication/pdf=a.desktop;b.desktop;\n",
                                  USER: removal("application/x-pdf", "a")}, {"name": "x.pdf"}),
    ("an alias that is added", {**APPS, USER: addition("image/x-pdf", "c"), CACHED: CACHE}, {"name": "x.pdf"}),
    ("a desktop's default", {**TWO, "config/kde-mimeapps.list": default("text/plain", "c"), USER: default("text/plain", "b")},
     {"XDG_CURRENT_DESKTOP": "X:KDE"}),
    ("two desktops' defaults", {**TWO, "config/kde-mimeapps.list": default("text/plain", "c"),
                                "config/x-mimeapps.list": default("text/plain", "b")}, {"XDG_CURRENT_DESKTOP": "X:KDE"}),
    ("another desktop's default", {**TWO, "config/kde-mimeapps.list": default("text/plain", "c")},
     {"XDG_CURRENT_DESKTOP": "GNOME"}),
    ("a desktop neither adds nor removes", {**TWO, "config/kde-mimeapps.list": addition("text/plain", "c")
                                            + removal("text/plain", "a")}, {"XDG_CURRENT_DESKTOP": "KDE"}),
    ("a desktop's default of the system", {**TWO, "etc/kde-mimeapps.list": default("text/plain", "c"),
                                           USER: default("text/plain", "b")}, {"XDG_CURRENT_DESKTOP": "KDE"}),
    ("a default of the system", {**TWO, "etc/mimeapps.list": default("text/plain", "b")}, {}),
    ("two systems", {**TWO, "etc/mimeapps.list": default("text/plain", "b"), "etc2/mimeapps.list": default("text/plain", "c")},
     {"XDG_CONFIG_DIRS": "{root}/etc2:{root}/etc"}),
    ("a default in the data", {**TWO, "share/applications/mimeapps.list": default("text/plain", "b")}, {}),
    ("a default in the system's data", {**TWO, SYSTEM + "mimeapps.list": default("text/plain", "b")}, {}),
    ("defaults.list", {**TWO, "share/applications/defaults.list": default("text/plain", "b")}, {}),
    ("defaults.list of the system", {**TWO, SYSTEM + "defaults.list": default("text/plain", "b")}, {}),
    ("defaults.list in the configuration", {**TWO, "config/defaults.list": default("text/plain", "b")}, {}),
    ("defaults.list neither adds nor removes", {**TWO, "share/applications/defaults.list": addition("text/plain", "c")}, {}),
    ("mimeapps.list before defaults.list", {**TWO, "share/applications/defaults.list": default("text/plain", "b"),
                                            "share/applications/mimeapps.list": default("text/plain", "c")}, {}),
    ("a cache in the configuration", {**APPS, "config/mimeinfo.cache": CACHE}, {}),
    ("the user removes what the system adds", {**TWO, "etc/mimeapps.list": addition("text/plain", "b"),
                                               USER: removal("text/plain", "b")}, {}),
    ("the system removes what the user adds", {**TWO, "etc/mimeapps.list": removal("text/plain", "c"),
                                               USER: addition("text/plain", "c")}, {}),
    ("a removal for a subtype counts for the type", {**TWO, USER: removal("text/markdown", "a")}, {"name": "x.md"}),
    ("a removal for the type, not the subtype", {**APPS, CACHED: cache(text__plain="a.desktop;", text__markdown="a.desktop;"),
                                                 USER: removal("text/plain", "a")}, {"name": "x.md"}),
    ("an override by a file without a type", {"share/applications/a.desktop": "[Desktop Entry]\nNoDisplay=true\n",
                                              SYSTEM + "a.desktop": app("system"), USER: default("text/plain", "a")}, {}),
    ("an override hides the system's cache", {"share/applications/a.desktop": "[Desktop Entry]\nNoDisplay=true\n",
                                              SYSTEM + "a.desktop": app("system"), SYSTEM + "b.desktop": app("b"),
                                              SYSTEM + "mimeinfo.cache": CACHE}, {}),
    ("an override whose program is gone", {"share/applications/a.desktop": APP.replace("rec", "gone"),
                                           SYSTEM + "a.desktop": app("system"), USER: default("text/plain", "a")}, {}),
    ("an override", {**TWO, SYSTEM + "a.desktop": app("system"), SYSTEM + "mimeinfo.cache": CACHE}, {}),
    ("deleted by the user", {"share/applications/a.desktop": app("a", "Hidden=true\n"), SYSTEM + "a.desktop": app("system"),
                             SYSTEM + "mimeinfo.cache": CACHE}, {}),
    ("deleted, and still the default", {**APPS, "share/applications/a.desktop": app("a", "Hidden=true\n"),
                                        USER: default("text/plain", "a", "b")}, {}),
    ("in a folder", {"share/applications/x/a.desktop": app("a"), USER: default("text/plain", "x-a")}, {}),
    ("in a folder, by a slash", {"share/applications/x/a.desktop": app("a"), USER: default("text/plain", "x/a")}, {}),
    ("in a folder with a dot", {"share/applications/.x/a.desktop": app("a"), USER: default("text/plain", ".x-a")}, {}),
    ("a file with a dot", {"share/applications/.a.desktop": app("a"), USER: default("text/plain", ".a")}, {}),
    ("far below", {"share/applications/1/2/3/4/5/a.desktop": app("a"), USER: default("text/plain", "1-2-3-4-5-a")}, {}),
    ("a folder named like a file", {"share/applications/x.desktop/a.desktop": app("a"), CACHED: CACHE, **APPS,
                                    USER: default("text/plain", "x.desktop-a", "x")}, {}),
    ("a linked folder", {"elsewhere/a.desktop": app("a"), USER: default("text/plain", "stow-a")}, {"link": "stow elsewhere"}),
    ("a link to a linked folder", {"elsewhere/x/a.desktop": app("a"), USER: default("text/plain", "stow-x-a")},
     {"link": "stow elsewhere"}),
    ("a linked file", {"elsewhere/a.desktop": app("a"), USER: default("text/plain", "b")}, {"link": "b.desktop elsewhere/a.desktop"}),
    ("a broken link", {**TWO, USER: default("text/plain", "x", "b")}, {"link": "x.desktop nowhere"}),
    ("a link to itself", {**TWO, USER: default("text/plain", "b")}, {"link": "x share/applications"}),
    ("a supertype", TWO, {"name": "x.md"}),
    ("the type before its supertype", {**APPS, CACHED: cache(text__plain="a.desktop;", text__markdown="c.desktop;")}, {"name": "x.md"}),
    ("an app of the type before a default of the supertype",
     {**APPS, CACHED: cache(text__plain="a.desktop;", text__markdown="c.desktop;"), USER: default("text/plain", "b")}, {"name": "x.md"}),
    ("two supertypes", {**APPS, CACHED: cache(application__javascript="a.desktop;", text__plain="b.desktop;")}, {"name": "x.json"}),
    ("XML", {**APPS, CACHED: cache(application__xml="c.desktop;", text__plain="b.desktop;")}, {"name": "x.svg"}),
    ("every text is plain", TWO, {"name": "x.rst"}),
    ("octet-stream is no supertype", {**APPS, CACHED: "[MIME Cache]\napplication/octet-stream=c.desktop\n"}, {"name": "x.pdf"}),
    ("octet-stream itself", {**APPS, CACHED: "[MIME Cache]\napplication/octet-stream=c.desktop\n"},
     {"name": "x", "content": b"\0\1\2"}),
    ("an empty file", {**APPS, CACHED: cache(**{"application__x-zerosize": "c.desktop;"}, text__plain="a.desktop")},
     {"name": "x", "content": b""}),
    ("a relative directory of the user", {**TWO, USER: default("text/plain", "b")}, {"XDG_CONFIG_HOME": ""}),
    ("the usual directories", {**TWO, ".config/mimeapps.list": default("text/plain", "b"),
                               ".local/share/applications/b.desktop": app("own")}, {"XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""}),
    ("an app on the bus", {"share/applications/org.x.A.desktop": app("a", "DBusActivatable=true\n"),
                           USER: default("text/plain", "org.x.A")}, {}),
    ("an app on the bus whose program is gone", {"share/applications/org.x.A.desktop": app("a", "DBusActivatable=true\nExec=gone\n"),
                                                 **TWO, USER: default("text/plain", "org.x.A")}, {}),
    ("a program that is a directory", {**TWO, "share/applications/a.desktop": APP.replace("rec", "folder"), "bin/folder/x": ""}, {}),
    ("a program that cannot be executed", {**TWO, "share/applications/a.desktop": APP.replace("rec", "text"), "bin/text": ""}, {}),
    ("a program by its path that is gone", {**TWO, "share/applications/a.desktop": APP.replace("rec", "/opt/gone/V.AppImage")}, {}),
]

LANGUAGES = [
    ("{}", {}), ("de", {"LANG": "de_AT.UTF-8"}), ("de_AT", {"LANG": "de_AT.UTF-8"}), ("de_AT.UTF-8", {"LANG": "de_AT.UTF-8"}),
    ("de.UTF-8", {"LANG": "de_AT.UTF-8"}), ("fr", {"LANG": "de_AT.UTF-8"}), ("sr@latin", {"LANG": "sr_RS.UTF-8@latin"}),
    ("sr_RS@latin", {"LANG": "sr_RS.UTF-8@latin"}), ("sr", {"LANG": "sr_RS@latin"}), ("fr", {"LANGUAGE": "de:fr", "LANG": "en_US"}),
    ("de", {"LC_ALL": "de_DE", "LANG": "fr"}), ("de", {"LC_MESSAGES": "de_DE", "LANG": "fr"}), ("C", {"LANG": "de"}),
    ("C", {}), ("en", {"LANG": "C.UTF-8"}), ("fr", {"LC_MESSAGES": "de_DE", "LANG": "fr"}), ("de", {"LANGUAGE": "", "LANG": "de_DE"}),
]

FILES = """main.C main.c README readme.md notes .bashrc a.tar.gz a.TXT a.Txt Makefile makefile a.ts a.ogg a.doc x.zzz a.json a.md
core a.~ a.txt~ a.bak a.xml a.svg a.SVG.gz a.py Dockerfile a.tex a.PDF a.foo.pdf a.h a.H a.pl a.mod a.m a.Z a.z callgrind.out.1
cachegrind.out.x a.wmv a.1 a.9 a.0 cmakelists.txt CMakeLists.txt CMAKELISTS.TXT a.sql a.log A.BMP noext. a.html a.webm a.mp4 a.dat
a.bin a.iso a.anim1 x.anim4j a.part a.tar.GZ a.TAR.gz gradlew a.vcf a.p a.pot a.po liba.so.1 a.so.1.2 a.csv a.ppt a.sgl a.AppImage
ü.txt ü a.dot a.qml a.rar a.deb a.c++ a.cpp a.CPP a.hh a.jar a.epub a.odt a.ods a.docx a.xlsx a.pptx a.rtf a.ps a.eps a.djvu a.cbz
a.mkv a.avi a.mpg a.mp3 a.flac a.wav a.opus a.png a.jpg a.JPEG a.gif a.webp a.tiff a.heic a.psd a.xcf a.ttf a.otf a.zip a.7z a.xz a.bz2
a.rs a.go a.java a.js a.mjs a.css a.scss a.rb a.lua a.pas a.f90 a.hs a.ml a.sh a.bash a.desktop a.service a.ini a.conf a.toml a.yaml
a.yml a.ipynb a.geojson a.gpx a.kml a.ics a.eml a.mbox a.torrent a.m3u a.pls a.srt a.sub a.ass a.diff a.patch a.bib a.rst a.org
a.adoc a.textile a.lyx a.tar a.tgz a.iso.gz AUTHORS COPYING INSTALL ChangeLog SConstruct meson.build pom.xml 001.vdr a.c.orig a.aaa.bbb
a.nfo a.txt.gpg a.asc a.sig a.key a.pem a.crt a.p12 a.kdbx a.db a.sqlite a.blend a.stl a.obj a.gltf a.dwg a.dxf a.fig a.vsd a.xps a.oxps
""".split()

CONTENTS = [
    ("scan", b"%PDF-1.4\n"), ("a.ts", b"G" + bytes(187) + b"G"), ("a.ts", b"<?xml version='1.0'?><!DOCTYPE TS>"), ("empty", b""),
    ("empty.txt", b""), ("a.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), ("bin", bytes(range(256))), ("png.txt", b"\x89PNG\r\n\x1a\n"),
    ("png", b"\x89PNG\r\n\x1a\n"), ("h", b"<!DOCTYPE html><html>"), ("h2", b"  <html>"), ("x", b"<?xml version='1.0'?><a/>"),
    ("svg", b"<svg xmlns='x'>"), ("sh", b"#!/bin/sh\n"), ("py", b"#!/usr/bin/env python3\n"), ("u8", "größe\n".encode()),
    ("desk", b"[Desktop Entry]\nType=Application\n"), ("l1", b"gr\xf6\xdfe\n"), ("u16", b"\xff\xfeh\0i\0"), ("u16b", b"\xfe\xff\0h"),
    ("bom8", b"\xef\xbb\xbfhi"), ("tab", b"a\tb\x0cc\x08\n"), ("esc", b"a\x1b[0m"), ("del", b"a\x7fb"), ("zip", b"PK\x03\x04" + bytes(26)),
    ("odt", b"PK\x03\x04" + bytes(22) + b"\x08\0\0\0mimetypeapplication/vnd.oasis.opendocument.text"), ("gz", b"\x1f\x8b\x08"),
    ("elf", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\0"), ("so", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x03\0"),
    ("mbox", b"From a@b\n"), ("jpg", b"\xff\xd8\xff\xe0"), ("gif", b"GIF89a"), ("rtf", b"{\\rtf1"),
    ("ogg", b"OggS" + bytes(24) + b"\x01vorbis"), ("webp", b"RIFF\0\0\0\0WEBPVP8 "), ("c", b"/* hello */\n#include <x>\n"),
    ("diff", b"diff --git a b\n"), ("tex", b"\\documentclass{x}"), ("json", b'{"a":1}'), ("ps", b"%!PS"), ("vcard", b"BEGIN:VCARD\n"),
    ("ical", b"BEGIN:VCALENDAR"), ("a.dat", b"%PDF-1"), ("long", b"a" * 5000 + b"\0"), ("long2", b"a" * 4000 + b"\0"),
    ("long3", b"a" * 1000 + b"\0"), ("sqlite", b"SQLite format 3\0"), ("tar", bytes(257) + b"ustar\0"), ("main.C", b"class x;"),
    ("core", b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x04\0"), ("a.xml", b"<svg"), ("m3u", b"#EXTM3U\n"),
    ("a.ogg", b"OggS" + bytes(24) + b"\x80theora"), ("a.pot", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), ("perl", b"#!/usr/bin/perl\n"),
    ("man", b'.\\"x'), ("eml", b"Received: from"), ("utf16txt", b"\xff\xfe"), ("nul", b"\0"), ("mp3", b"ID3\x03"),
    ("mp3b", b"\xff\xfb\x90\x00"), ("html c", b"<!-- x --><html>"), ("h3", b"\n\n<HTML>"), ("fig", b"#FIG 3.2"), ("a.mod", b"\x80\x02"),
    ("a.m", b"#import <x>"), ("a.p", b"program x;"), ("djvu", b"AT&TFORM\0\0\0\0DJVM"), ("a.sub", b"\0\0\1\xba"), ("a.sub", b"{1}{2}x"),
    ("xz", b"\xfd7zXZ\0"), ("7z", b"7z\xbc\xaf'\x1c"), ("deb", b"!<arch>\ndebian-binary"), ("mkv", b"\x1aE\xdf\xa3" + b"matroska"),
    ("mp4", b"\0\0\0\x18ftypmp42"), ("tiff", b"II*\0"), ("bmp", b"BMxxxx\0\0"), ("flac", b"fLaC"), ("wav", b"RIFF\0\0\0\0WAVE"),
    ("ttf", b"\0\1\0\0\0\x10FFTM"), ("torrent", b"d8:announce"), ("pgp", b"-----BEGIN PGP MESSAGE-----"), ("pcx", b"\x0a\x05\x01\x08"),
    ("word", b"\x31\xbe\0\0"), ("epub", b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip"), ("a.key", b"PK\x03\x04" + bytes(26)),
    ("a.key", b"-----BEGIN"), ("a.asc", b"-----BEGIN PGP SIGNATURE-----"), ("lyx", b"#LyX 2"), ("rpm", b"\xed\xab\xee\xdb"),
]


def slug(text):
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[:40]
