"""Reads results of test runs and fails if a test was skipped for a reason that is not allowed.

The first argument is the list of reasons, the others are files of results that pytest wrote. The
list holds one reason a line, as the test gives it (`*` stands for anything); `#` begins a comment.
A reason for tests of real data counts only where that data is not there.
"""

from __future__ import annotations

import os
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree as ET

REAL_DATA = "real data:"


def allowed_reasons(path: Path) -> list[str]:
    """The patterns of the list that hold for this run."""
    lines = [line.partition("#")[0].strip() for line in path.read_text("utf-8").splitlines()]
    there = bool(os.environ.get("TUI_ANNOTATE_SHARED"))
    return [line for line in lines if line and not (there and line.startswith(REAL_DATA))]


def skipped(path: Path) -> list[tuple[str, str]]:
    """(test, reason) of every skipped test."""
    tree = ET.parse(path)  # noqa: S314  written by our own pytest a moment ago
    return [
        (f"{case.get('classname')}.{case.get('name')}", skip.get("message", ""))
        for case in tree.iter("testcase")
        for skip in case.iter("skipped")
    ]


def main() -> int:
    """0 where every skip is allowed, else 1."""
    reasons, *results = (Path(argument) for argument in sys.argv[1:])
    if missing := [str(path) for path in results if not path.exists()]:
        sys.stderr.write(f"no results, as pytest did not end: {', '.join(missing)}\n")
        return 1
    allowed = allowed_reasons(reasons)
    wrong = [
        (test, reason)
        for path in results
        for test, reason in skipped(path)
        if not any(fnmatchcase(reason, pattern) for pattern in allowed)
    ]
    for test, reason in wrong:
        sys.stderr.write(f"skipped, and not on the list: {test}: {reason}\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
