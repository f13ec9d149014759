"""Whether a figure of a benchmark is within its budget, which Docs/Measurements.md lists. Nothing is asserted.

A debug build is not judged: the programs are those of a release build only where HANDOFF_PROGRAMS says so.
"""

import os


def at_most(amount, limit, unit=""):
    """What to print beside an amount that may be `limit` at most."""
    return _verdict(amount <= limit, "≤", limit, unit)


def at_least(amount, limit, unit=""):
    """What to print beside an amount that has to be `limit` at least."""
    return _verdict(amount >= limit, "≥", limit, unit)


def _verdict(is_kept, sign, limit, unit):
    verdict = f": {'kept' if is_kept else 'missed'}" if os.environ.get("HANDOFF_PROGRAMS") else " for a release build"
    return f"budget {sign} {limit:g}{' ' + unit if unit else ''}{verdict}"
