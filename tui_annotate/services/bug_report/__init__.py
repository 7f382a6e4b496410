"""Collects what a bug report needs, without texts, names, addresses, paths and keys.

Only known facts are taken over: versions, numbers, states, and words of the program itself. What
cannot be recognised as such is omitted.
"""

from __future__ import annotations

import builtins
import platform
import re
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain import errors
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.version import VERSION
from tui_annotate.domain.workspace_files import KEPT_NAMES
from tui_annotate.services.bug_report.message_templates import REMOVED, MessageTemplates

FORMAT: Final = "tui-annotate-bug-report/1"
LOG_LINES: Final = 300

_LOG_BYTES: Final = 200_000
_PACKAGE: Final = "tui_annotate"
_DISTRIBUTION: Final = "tui-annotate"
_NAME: Final = re.compile(r"[A-Za-z0-9._-]+")
_TERMINAL_WORD: Final = re.compile(r"[a-z0-9.+-]{1,30}")


def read_templates(private: Iterable[str] | None = ()) -> MessageTemplates:
    """Read all texts in the program's source, to recognise the program's own messages."""
    sources = (file.read_text("utf-8") for file in sorted(_source_folder().rglob("*.py")))
    return MessageTemplates(sources, private=None if private is None else frozenset(private))


def _source_folder() -> Path:
    return Path(str(files(_PACKAGE)))


def describe_program() -> dict[str, Any]:
    """Return the versions of the program, its libraries, Python and the operating system."""
    release = re.match(r"\d+(\.\d+)*", platform.release())
    return {
        "version": VERSION,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "sqlite": sqlite3.sqlite_version,
        "system": sys.platform,
        "release": release[0] if release else "",
        "machine": platform.machine(),
        "c_library": " ".join(platform.libc_ver()).strip(),
        "libraries": dict(_library_versions()),
    }


def _library_versions() -> Iterator[tuple[str, str]]:
    try:
        required = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:
        required = []
    names = {found[0] for each in required if (found := _NAME.match(each))}
    for name in sorted(names):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def describe_terminal(environment: Mapping[str, str], size: tuple[int, int]) -> dict[str, Any]:
    """Return facts about a terminal of `size` (columns, rows).

    A variable with an unusual value is only reported as set, because it could name a path.
    """
    words = {name: environment.get(name, "") for name in ("TERM", "COLORTERM")}
    return {
        **{
            name.lower(): word if _TERMINAL_WORD.fullmatch(word) else bool(word)
            for name, word in words.items()
        },
        "encoding": sys.stdout.encoding,
        "columns": size[0],
        "rows": size[1],
        "is_terminal": sys.stdout.isatty(),
    }


def mask_findings(
    findings: Iterable[DiagnosticFinding], templates: MessageTemplates
) -> list[dict[str, str]]:
    """Remove everything private from the results of checks, for a bug report."""
    return [
        {"check": each.check, "state": each.state, "message": templates.mask(each.message)}
        for each in findings
    ]


def measure_folder(folder: Path) -> dict[str, dict[str, int]]:
    """Return the numbers of files and bytes of each known part of a workspace, and of the rest.

    Links are not counted.
    """
    found: dict[str, dict[str, int]] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            part = path.relative_to(folder).parts[0]
            one = found.setdefault(
                part if part in KEPT_NAMES else "other", {"files": 0, "bytes": 0}
            )
            one["files"] += 1
            one["bytes"] += path.stat().st_size
    return found


# the log of the app ------------------------------------------------------------------------------

_RECORD: Final = re.compile(
    r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}) (DEBUG|INFO|WARNING|ERROR|CRITICAL) ([\w.]+): (.*)"
)
_FRAME: Final = re.compile(r'  File "(.+)", line (\d+), in (<?[A-Za-z_]\w*>?)')
_TRACEBACK: Final = "Traceback (most recent call last):"
_LIBRARY_FILE: Final = re.compile(
    r".*/(?:site-packages|lib(?=/python3\.\d+/))/((python3\.\d+/)?.+)"
)
_LIBRARY_LOGGERS: Final = ("asyncio", "httpcore2", "httpx2", "lance", "lancedb", "textual")
_OWN_ERRORS: Final = frozenset(vars(errors))


def read_newest_log(folder: Path) -> list[str]:
    """Return the last lines of the newest log in a folder; empty if none can be read."""
    try:
        newest = max(folder.glob("*.log"), key=lambda file: file.stat().st_mtime, default=None)
        if newest is None:
            return []
        with newest.open("rb") as opened:
            opened.seek(max(newest.stat().st_size - _LOG_BYTES, 0))
            text = opened.read().decode("utf-8", "replace")
    except OSError:
        return []
    return text.splitlines()[-LOG_LINES:]


def clean_log(lines: Iterable[str], templates: MessageTemplates) -> list[str]:
    """Remove everything private from the lines of a log, for a bug report."""
    found: list[str] = []
    in_traceback = False
    for line in lines:
        cleaned, in_traceback = _clean_line(line, templates, in_traceback=in_traceback)
        if cleaned != REMOVED or found[-1:] != [REMOVED]:
            found.append(cleaned)
    return found


def _clean_line(line: str, templates: MessageTemplates, *, in_traceback: bool) -> tuple[str, bool]:
    """Return a log line without private data, and whether the next line can be in a traceback."""
    if record := _RECORD.fullmatch(line):
        at, level, logger, message = record.groups()
        return f"{at} {level} {_shorten_logger(logger)}: {templates.mask(message)}", False
    if line == _TRACEBACK:
        return line, True
    if in_traceback and (frame := _FRAME.fullmatch(line)) and (path := _shorten_path(frame[1])):
        return f'  File "{path}", line {frame[2]}, in {frame[3]}', True
    if in_traceback and line.startswith("  "):
        return REMOVED, True  # a line of source, or a file that is not a library's
    kind = line.partition(":")[0]
    if in_traceback and _is_error(kind):
        return kind, False
    return REMOVED, False


def _shorten_path(path: str) -> str:
    _, found, rest = path.rpartition(f"/{_PACKAGE}/")
    if found and (_source_folder() / rest).is_file():
        return f"{_PACKAGE}/{rest}"
    library = _LIBRARY_FILE.fullmatch(path)
    if library is None:
        return ""
    name = library[1].removeprefix(library[2] or "").partition("/")[0].removesuffix(".py")
    known = sys.stdlib_module_names if library[2] else _library_packages()
    return library[1] if name in known else ""


@cache
def _library_packages() -> frozenset[str]:
    return frozenset(name.lower().replace("-", "_") for name, _ in _library_versions())


def _shorten_logger(name: str) -> str:
    package, *parts = name.split(".")
    if package != _PACKAGE:
        return package if package in _LIBRARY_LOGGERS else REMOVED
    module = _source_folder().joinpath(*parts)
    known = module.is_dir() or module.with_name(f"{module.name}.py").is_file()
    return name if known else REMOVED


def _is_error(kind: str) -> bool:
    last = kind.rpartition(".")[2]
    known = isinstance(getattr(builtins, last, None), type) or last in _OWN_ERRORS
    return kind.replace(".", "").isidentifier() and (known or last.endswith("Error"))
