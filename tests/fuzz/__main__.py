"""Feeds readers with broken files for some time, and tells how many: `python -m tests.fuzz`.

With atheris the inputs are led by what they reach in the code; without it they are random.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

MEMORY = 1536
"""MB that a reader may take, with Python, Arrow and the fuzzer."""
LONGEST_INPUT = 400
"""Bytes of choices: more make more changes than a file bears."""

_TRIED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def main(arguments: Sequence[str]) -> int:
    """Exit code: 0, or 1 where a reader broke its promise."""
    asked = _parsed(arguments)
    if asked.repeat:
        return _repeat(asked.names[0], asked.repeat)
    if asked.one:
        return _one(asked)
    from tests.fuzz.readers import READERS

    if unknown := set(asked.names) - set(READERS):
        _say(f"no reader {min(unknown)!r}; there are: {', '.join(READERS)}")
        return 2
    if importlib.util.find_spec("atheris") is None:
        _say("atheris does not run here: the inputs are random")
    total = broken = 0
    for name in asked.names or READERS:
        tried, code = _run(name, asked)
        total += tried
        broken += code != 0
        _say(f"{name:14} {tried:9,} inputs{'' if code == 0 else '   BROKEN, see above'}")
    _say(f"{'all':14} {total:9,} inputs")
    return int(broken > 0)


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="READER", help="default: all of them")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each reader")
    parser.add_argument("--inputs", type=int, default=0, help="at most, for each; 0: no bound")
    parser.add_argument("--seed", type=int, default=0)
    default = Path(tempfile.gettempdir(), "tui-annotate-fuzz")
    parser.add_argument("--corpus", type=Path, default=default, help=f"default: {default}")
    parser.add_argument("--repeat", type=Path, help="an input that broke the reader named")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def _run(name: str, asked: argparse.Namespace) -> tuple[int, int]:
    """Feeds one reader, in a process of its own: how many inputs it saw, and its exit code."""
    options = [f"--{key}={getattr(asked, key)}" for key in ("minutes", "inputs", "seed", "corpus")]
    command = [sys.executable, "-m", "tests.fuzz", name, "--one", *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    found = _TRIED.search(done.stderr)
    if done.returncode or not found:
        sys.stderr.write(f"{done.stdout}{done.stderr}")
    return int(found[1]) if found else 0, done.returncode if found else 1


def _one(asked: argparse.Namespace) -> int:
    (name,) = asked.names
    corpus = asked.corpus / name
    corpus.mkdir(parents=True, exist_ok=True)
    if Path("/dev/shm").is_dir():  # files of a disk would take most of the time
        tempfile.tempdir = "/dev/shm"
    if importlib.util.find_spec("atheris") is None:
        return _random(name, asked, corpus)
    atheris: Any = importlib.import_module("atheris")

    with atheris.instrument_imports(include=["tui_annotate"]):
        from tests.fuzz.readers import survives

        survives(name, b"")  # what it imports late is led as well
    options = [
        f"-max_total_time={max(1, round(asked.minutes * 60))}", f"-rss_limit_mb={MEMORY}",
        f"-seed={asked.seed}", f"-max_len={LONGEST_INPUT}", "-print_final_stats=1", "-timeout=60",
        f"-artifact_prefix={corpus}/broken-", f"-runs={asked.inputs or -1}",
    ]  # fmt: skip
    atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: survives(name, data))
    atheris.Fuzz()
    return 0


def _random(name: str, asked: argparse.Namespace, corpus: Path) -> int:
    from tests.fuzz.readers import survives

    resource.setrlimit(resource.RLIMIT_AS, (8 * MEMORY * 2**20,) * 2)
    chance = random.Random(asked.seed or None)
    end = time.monotonic() + asked.minutes * 60
    tried = 0
    while time.monotonic() < end and tried != (asked.inputs or -1):
        tried += 1
        data = chance.randbytes(chance.choice([8, 16, 32, 64, LONGEST_INPUT]))
        try:
            survives(name, data)
        except BaseException:
            place = corpus / f"broken-{tried}"
            place.write_bytes(data)
            _say(f"again: python -m tests.fuzz {name} --repeat {place}")
            raise
    sys.stderr.write(f"stat::number_of_executed_units: {tried}\n")
    return 0


def _repeat(name: str, place: Path) -> int:
    from tests.fuzz.readers import made, shown, survives

    data = place.read_bytes()
    _say(shown(made(name, data)[0]))
    survives(name, data)
    _say("it survived")
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
