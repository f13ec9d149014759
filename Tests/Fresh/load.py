"""What makes a computer slow while a run goes on; each yields the words before the command, which may be none."""

import contextlib
import os
import pathlib
import subprocess

# Of 100 ms, as the kernel counts by default; half of one processor.
PERIOD, QUOTA = 100_000, 50_000


@contextlib.contextmanager
def two_busy_loops():
    """Two programs that compute all the time."""
    loops = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(2)]
    try:
        yield []
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


@contextlib.contextmanager
def half_of_a_processor():
    """A control group whose processes get half of one processor together."""
    group = _group()
    group.mkdir()
    try:
        if (group / "cpu.max").exists():
            (group / "cpu.max").write_text(f"{QUOTA} {PERIOD}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD))
            (group / "cpu.cfs_quota_us").write_text(str(QUOTA))
        yield ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)]
    finally:
        # All that was started has ended with its process namespace.
        group.rmdir()


def _group():
    """The path of a new control group with the controller of processors, of version 2 or 1."""
    top = pathlib.Path("/sys/fs/cgroup")
    if (top / "cgroup.controllers").exists():
        (top / "cgroup.subtree_control").write_text("+cpu")
        return top / f"handoff-fresh-{os.getpid()}"
    return top / "cpu" / f"handoff-fresh-{os.getpid()}"
