"""Runs every `bench_*.py` beside this file, or those named, and prints one table.

`python -m benchmarks` runs all; `python -m benchmarks start memory` two. Exit code 1 where a bound
was missed. Each module offers `rows()`.
"""

from __future__ import annotations

import importlib
import sys
import time
from pathlib import Path

from benchmarks.report import Row, table


def available() -> list[str]:
    """The names of all benchmarks, sorted: `start` for bench_start.py."""
    folder = Path(__file__).parent
    return sorted(path.stem.removeprefix("bench_") for path in folder.glob("bench_*.py"))


def main(arguments: list[str]) -> int:
    """Runs and prints; 0 where every bound was kept, 1 where one was missed, 2 for a wrong name."""
    names = arguments or available()
    unknown = sorted(set(names) - set(available()))
    if unknown:
        sys.stderr.write(f"no benchmark {unknown[0]!r}; there are: {', '.join(available())}\n")
        return 2
    rows: list[Row] = []
    for name in names:
        sys.stderr.write(f"· {name} ... ")
        sys.stderr.flush()
        started = time.perf_counter()
        rows.extend(importlib.import_module(f"benchmarks.bench_{name}").rows())
        sys.stderr.write(f"{time.perf_counter() - started:.0f} s\n")
    print(table(rows))
    return 0 if all(row.kept for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
