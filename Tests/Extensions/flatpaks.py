"""A Flatpak that is made here, without a network: a runtime that is a shell, and an app in Python.

The interpreter and its libraries are those of this computer, which the app sees read-only below /run/host
(flatpak-metadata(5), `host-os`).
"""

import pathlib
import re
import shutil
import subprocess

APP, RUNTIME = "org.example.Sandboxed", "org.example.Platform"
PYTHON = pathlib.Path("/usr/bin/python3")
# Not in a sandbox of its own: what it would check there, an icon, is not in the app.
EXPORT = ["flatpak", "build-export", "--disable-sandbox"]


def make_repository(directory, program, desktop_entry):
    """A repository with the app, which runs a Python program, and its runtime; returns its path."""
    runtime, app, repository = directory / "runtime", directory / "app", directory / "repository"
    architecture = _output("flatpak", "--default-arch")
    _write(runtime / "metadata", f"[Runtime]\nname={RUNTIME}\n")
    (runtime / "files").mkdir()
    shell = runtime / "usr/bin/sh"
    shell.parent.mkdir(parents=True)
    shutil.copy("/bin/busybox", shell)
    _write(app / "metadata", f"""[Application]
name={APP}
runtime={RUNTIME}/{architecture}/1
command=sandboxed
[Context]
filesystems=host-os:ro;
[Session Bus Policy]
org.handoffd.Handoff1=talk
""")
    _write(app / "files/bin/sandboxed", _launcher()).chmod(0o755)
    _write(app / "files/bin/sandboxed.py", program)
    _write(app / f"export/share/applications/{APP}.desktop", desktop_entry)
    for arguments in (["--runtime", repository, runtime, "1"], [repository, app, "1"]):
        subprocess.run([*EXPORT, *arguments], check=True, stdout=subprocess.DEVNULL)
    return repository


def install(repository, computer):
    """Installs the app on a computer, for its user alone."""
    add = ["remote-add", "--no-gpg-verify", "here", repository]
    # Where there is no system bus, nobody could be asked about parental controls, and only root may install an app; on
    # this one, nobody has any.
    environment = computer.environment(DBUS_SYSTEM_BUS_ADDRESS=computer.device.bus)
    for arguments in (add, ["install", "--noninteractive", "here", RUNTIME, APP]):
        command = ["flatpak", "--user", *arguments]
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)


def _launcher():
    """A script that runs the interpreter of this computer with the libraries of this computer."""
    linked = _output("ldd", PYTHON)
    loader = pathlib.Path(re.search(r"^\s*(/\S+) \(0x", linked, re.M)[1]).resolve()
    libraries = pathlib.Path(re.search(r"libc\.so\.6 => (\S+)", linked)[1]).resolve().parent
    return f"""#!/usr/bin/sh
export LD_LIBRARY_PATH=/run/host{libraries} GI_TYPELIB_PATH=/run/host{libraries}/girepository-1.0
export PYTHONHOME=/run/host/usr
exec /run/host{loader} /run/host{PYTHON} /app/bin/sandboxed.py "$@"
"""


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def _output(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.strip()
