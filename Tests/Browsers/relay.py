#!/usr/bin/env python3
"""Stands for a browser: starts handoff-browser-host, and exchanges its messages as lines.

    relay.py HOST BROWSER        BROWSER: firefox or chromium

Each line of standard input is a message to the host; `bytes HEX` writes bytes as they are, `repeat COUNT MESSAGE` a
message many times, and `close` closes the pipe. Each message of the host is printed as a line; its end as `exited
STATUS`.
"""

import struct
import subprocess
import sys
import threading

ARGUMENTS = {
    "firefox": ["/manifest.json", "handoff@handoffd.org"],
    "chromium": ["chrome-extension://cokaofdipkecenhncfifcnkimkeeohom/"],
}


def main(program, browser):
    host = subprocess.Popen([program, *ARGUMENTS[browser]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    print(f"started {host.pid}", flush=True)
    writer = threading.Thread(target=write, args=(host,), daemon=True)
    writer.start()
    while len(length := host.stdout.read(4)) == 4:
        print(host.stdout.read(struct.unpack("=I", length)[0]).decode(), flush=True)
    print(f"exited {host.wait()}", flush=True)


def write(host):
    for line in sys.stdin:
        word, _, rest = line.rstrip("\n").partition(" ")
        try:
            if word == "bytes":
                host.stdin.write(bytes.fromhex(rest))
            elif word == "repeat":
                count, _, message = rest.partition(" ")
                host.stdin.write(int(count) * frame(message))
            elif word == "close":
                return host.stdin.close()
            else:
                host.stdin.write(frame(line.rstrip("\n")))
            host.stdin.flush()
        except BrokenPipeError:
            return


def frame(message):
    content = message.encode()
    return struct.pack("=I", len(content)) + content


if __name__ == "__main__":
    main(*sys.argv[1:])
