"""Names of files that a shell, an editor or a URL reads in another way than as a name, as bytes."""

ODD_NAMES = [
    b"a b'c\"d.txt", b"-c quit", b"+12", b"100%#frag?query.txt", b"new\nline.txt", b"caf\xe9 latin-1.txt",
    "日本 ü.txt".encode(), b"$HOME `id` $(id).txt", b"~root", b"[ab]*{c,d}.txt", b"a|b;c&d<e>.txt",
    b"back\\slash.txt", b":12:3", b"  ", b"=x=.txt", b"!x!.txt", b"tab\there.txt", b"{file}",
]
