#!/usr/bin/env python3
"""Runs stories one after another on the same radios, whatever failed before; runs in a guest of the rig, for example.

    one_after_another.py STORY… -- hci0 hci1

A guest with emulated processors takes half a minute until its bluetoothd is ready, which several stories pay once. Each
STORY is a path beside this file; what is after `--` is given to each. The exit status is 1 if one failed.
"""

import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent


def main():
    if "--" not in sys.argv or sys.argv[1] == "--":
        sys.exit(__doc__)
    middle = sys.argv.index("--")
    stories, radios = sys.argv[1:middle], sys.argv[middle + 1:]
    failed = []
    for story in stories:
        print(f"begin {story}", flush=True)
        began = time.monotonic()
        if subprocess.run([sys.executable, HERE / story, *radios], check=False).returncode:
            failed.append(story)
        print(f"  {story}: {'FAILED' if story in failed else 'ok'}, {time.monotonic() - began:.0f} s", flush=True)
    sys.exit(f"FAILED: {' '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
