#!/usr/bin/env python3
"""Breaks the peer's rules one by one, and says which of them no vector notices.

    Tests/Peer/check_mutations.py                    all rules of mutations.py
    Tests/Peer/check_mutations.py --only PATTERN     those whose module or rule matches
    Tests/Peer/check_mutations.py --show             with the vector that notices each

A rule that no vector notices is one that a second implementation may get wrong, and agree with every vector. Each broken
peer runs in a process of its own until the first vector disagrees. It fails where the source of a rule is not there
exactly once, and where no vector notices a rule that mutations.py does not except, or notices one that it does.
"""

import argparse
import collections
import importlib.abc
import importlib.util
import json
import multiprocessing
import os
import pathlib
import re
import signal
import sys

# The processes that run the broken peers have these from the beginning: nothing in them is ever broken.
import asyncio  # noqa: F401
import fractions  # noqa: F401
from cryptography.hazmat.primitives.asymmetric import ed25519, x25519  # noqa: F401
from cryptography.hazmat.primitives.ciphers import aead  # noqa: F401
from cryptography.hazmat.primitives.kdf import hkdf  # noqa: F401

from mutations import MUTATIONS, UNNOTICED, Mutation

HERE = pathlib.Path(__file__).resolve().parent
VECTORS = HERE.parents[1] / "Docs/vectors"
# The vectors that usually notice a broken rule of a module, which are checked before the others.
FIRST = {
    "activity": "messages", "addresses": "addresses", "advertisement": "daily", "files": "files", "framing": "refusals",
    "messages": "messages", "noise": "noise-kk", "numbering": "numbers", "pairing": "pairing-refusals",
    "protobuf": "messages", "session": "refusals", "state": "exchange", "values": "messages",
}
# A broken peer may go on for ever; so that counts as noticed.
SECONDS = 120


class BrokenModule(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module of the peer another source."""

    def __init__(self, name: str, source: str):
        self._name, self._source = name, source

    def find_spec(self, name, path, target=None):
        return importlib.util.spec_from_loader(name, self) if name == self._name else None

    def exec_module(self, module) -> None:
        exec(compile(self._source, self._name, "exec"), module.__dict__)


def source_of(module: str) -> str:
    return (HERE / f"handoff_peer/{module}.py").read_text()


def misplaced(mutation: Mutation) -> str | None:
    """What is wrong with a mutation itself."""
    count = source_of(mutation.module).count(mutation.old)
    if count != 1:
        return f"{mutation}: the source has this {count} times and not once:\n{mutation.old}"
    return f"{mutation}: it changes nothing" if mutation.old == mutation.new else None


def noticed_by(mutation: Mutation) -> str | None:
    """The first vector that does not agree with the broken peer; None when all do."""
    signal.alarm(SECONDS)
    signal.signal(signal.SIGALRM, lambda *_: (_ for _ in ()).throw(TimeoutError("it did not end")))
    source = source_of(mutation.module).replace(mutation.old, mutation.new)
    # A module takes this for its own file when it looks for others beside it.
    finder = BrokenModule(f"handoff_peer.{mutation.module}", f"__file__ = {str(HERE / 'handoff_peer/x.py')!r}\n" + source)
    sys.meta_path.insert(0, finder)
    try:
        import check_vectors
    except Exception as error:
        return f"the import: {error!r}"
    first = FIRST.get(mutation.module, mutation.module)
    for name in sorted(check_vectors.CHECKS, key=lambda name: name != first):
        for number, case in enumerate(json.loads((VECTORS / f"{name}.json").read_text())["cases"]):
            try:
                check_vectors.CHECKS[name](case)
            except Exception:
                return f"{name}.json, case {number}: {case.get('what', '')}"
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN")
    parser.add_argument("--show", action="store_true")
    asked = parser.parse_args()
    chosen = [mutation for mutation in MUTATIONS if re.search(asked.only, str(mutation))]
    if problems := [*filter(None, map(misplaced, MUTATIONS)), *wrong_names()]:
        print(*problems, sep="\n", file=sys.stderr)
        return 1
    with multiprocessing.get_context("fork").Pool(os.cpu_count(), maxtasksperchild=1) as pool:
        noticing = dict(zip(chosen, pool.map(noticed_by, chosen, chunksize=1)))
    return report(noticing, asked.show)


def wrong_names() -> list[str]:
    names = {str(mutation) for mutation in MUTATIONS}
    twice = {name for name, count in collections.Counter(map(str, MUTATIONS)).items() if count > 1}
    return [f"{name}: two rules have this name" for name in sorted(twice)] + [
        f"{name}: it is excepted, and no rule" for name in UNNOTICED if name not in names
    ]


def report(noticing: dict[Mutation, str | None], is_detailed: bool) -> int:
    """Prints what was noticed; returns the exit status."""
    status = 0
    for mutation, vector in noticing.items():
        reason = UNNOTICED.get(str(mutation))
        if is_detailed and vector:
            print(f"{mutation}  <-  {vector}")
        if vector is None and reason:
            print(f"no vector notices, and none need: {mutation}: {reason}")
        elif vector is None:
            print(f"NO VECTOR NOTICES: {mutation}")
            status = 1
        elif reason:
            print(f"NOTICED, though it is excepted: {mutation}: {vector}")
            status = 1
    unnoticed = sum(vector is None for vector in noticing.values())
    wrong = sum((vector is None) != (str(mutation) in UNNOTICED) for mutation, vector in noticing.items())
    print(f"{len(noticing)} rules were broken, of which no vector notices {unnoticed}")
    print(f"check_mutations: {len(noticing) - wrong} passed, {wrong} failed")
    return status


if __name__ == "__main__":
    sys.exit(main())
