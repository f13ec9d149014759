"""Root directories as a new computer has them, with a user, Swift, and a clone of this repository."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

# What a person has who installed Swift as swift.org says, and who can clone a repository.
PACKAGES = ["sudo", "git", "make", "ca-certificates", "binutils", "libc6-dev", "gcc", "g++", "libcurl4", "libedit2",
            "libncurses6", "libsqlite3-0", "libxml2", "tzdata", "zlib1g-dev"]
SUITES = {"bookworm": "debian", "trixie": "debian", "noble": "ubuntu"}
USER = "person"
# How package archives are reached from this computer.
SHARED_FILES = ["/etc/apt/apt.conf.d", "/etc/pip.conf", "/etc/resolv.conf", "/etc/hosts",
                "/etc/ssl/certs/ca-certificates.crt"]
SHARED_VARIABLES = re.compile(r"^(PIP_\w+|\w+_PROXY|\w+_proxy|SSL_CERT_\w+|CURL_CA_BUNDLE|REQUESTS_CA_BUNDLE)$")


def make_system(root, suite):
    """Makes the root directory of a computer on which a person has Swift, and nothing of this project."""
    print(f"fresh: making a root directory of {suite}", flush=True)
    _run("debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", suite, root, _sources(SUITES[suite]))
    for path in SHARED_FILES:
        _copy(path, root)
    (root / "etc/gitconfig").write_text(_git_configuration(), encoding="utf-8")
    _run("chroot", root, "useradd", "--create-home", "--shell", "/bin/bash", USER)
    (root / "etc/sudoers.d/person").write_text(f"{USER} ALL=(ALL) NOPASSWD: ALL\n", encoding="utf-8")


def make_root(root, system, repository):
    """Makes a copy of the root directory `system` in which the person has cloned the repository."""
    _run("cp", "--archive", system, root)
    _run("git", "clone", "--quiet", "--no-hardlinks", repository, root / "home" / USER / "handoffd")
    _run("chroot", root, "chown", "--recursive", f"{USER}:{USER}", f"/home/{USER}")


def enter(root, script):
    """The words of a command that runs a script in the root directory as its user, with namespaces of its own.

    What it starts ends with it.
    """
    mounts = "\n".join(
        f'mkdir -p "$0{path}" && mount --rbind {shlex.quote(str(path))} "$0{path}" && mount -o remount,bind,ro "$0{path}"'
        for path in [_toolchain(), *_local_packages()]
    )
    variables = {name: value for name, value in os.environ.items() if SHARED_VARIABLES.match(name)}
    variables.update(PATH=f"{_toolchain()}/usr/bin:/usr/local/bin:/usr/bin:/bin", HOME=f"/home/{USER}", USER=USER,
                     LANG="C.UTF-8", TERM="dumb")
    words = " ".join(shlex.quote(f"{name}={value}") for name, value in variables.items())
    inside = f"""
        mount --make-rprivate /
        {mounts}
        mount -t proc proc "$0/proc"
        mount --rbind /sys "$0/sys"
        mount --rbind /dev "$0/dev"
        mount -t tmpfs -o mode=1777 tmpfs "$0/dev/shm"
        mount -t tmpfs -o mode=755 tmpfs "$0/run"
        exec chroot "$0" setpriv --reuid={USER} --regid={USER} --init-groups \\
            env -i {words} bash -c {shlex.quote('cd && ' + script)}"""
    return ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--uts", "--ipc", "sh", "-euc", inside, str(root)]


def _sources(distribution):
    """The address of the distribution's packages, as apt has it on this computer, else the distribution's own."""
    lines = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"],
        capture_output=True, text=True, check=True,
    ).stdout.split()
    known = [line for line in lines if line.rstrip("/").endswith(distribution)]
    return known[0] if known else {"debian": "http://deb.debian.org/debian", "ubuntu": "http://archive.ubuntu.com/ubuntu"}[
        distribution
    ]


def _toolchain():
    """The directory of the toolchain, in which `usr/bin/swift` is."""
    found = shutil.which("swift")
    if found is None:
        sys.exit("fresh: Swift was not found in PATH")
    return pathlib.Path(found).resolve().parents[2]


def _git(*words):
    return subprocess.run(["git", "config", *words], capture_output=True, text=True, check=False).stdout.splitlines()


def _local_packages():
    """The directories in which git finds copies of packages, where its configuration replaces addresses by paths."""
    keys = [line.split(" ")[0] for line in _git("--get-regexp", r"^url\..*\.insteadof$")]
    paths = {key.removeprefix("url.").removesuffix(".insteadof") for key in keys}
    return sorted(pathlib.Path(path) for path in paths if path.startswith("/"))


def _git_configuration():
    """The configuration that replaces addresses, and that trusts copies of another user."""
    lines = ["[safe]", "\tdirectory = *"]
    for line in _git("--get-regexp", r"^url\..*\.insteadof$"):
        key, _, address = line.partition(" ")
        base = key.removeprefix("url.").removesuffix(".insteadof")
        lines += [f'[url "{base}"]', f"\tinsteadOf = {address}"]
    return "\n".join(lines) + "\n"


def _copy(path, root):
    """Copies a file or a directory of this computer to the same place in the root directory, as far as there is one."""
    there = root / path.removeprefix("/")
    there.parent.mkdir(parents=True, exist_ok=True)
    if os.path.isdir(path):
        shutil.copytree(path, there, dirs_exist_ok=True)
    elif os.path.exists(path):
        shutil.copyfile(path, there)


def _run(*words):
    result = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            check=False)
    if result.returncode:
        sys.exit(f"fresh: {' '.join(map(str, words))} ended with {result.returncode}:\n{result.stdout}")
