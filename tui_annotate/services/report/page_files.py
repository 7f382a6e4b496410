"""Names the files of an HTML report with several pages; finds pages of earlier reports."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Conflict
from tui_annotate.plugins.files.packing import PACKED

_MARK: Final = '<meta name="generator" content="tui-annotate report, page {number}">'
_MARK_WITHIN: Final = 4_096


def can_split(target: Path | None) -> bool:
    """Return whether an HTML report may have several files: only if the target is a plain file."""
    if target is None or target.suffix in PACKED:
        return False
    return target.is_file() or not target.exists()


def list_page_files(target: Path | None, pages: int) -> list[Path | None]:
    """Return the files of an HTML report: the target, `NAME-2.html`, `NAME-3.html` and so on."""
    further = range(2, pages + 1)
    return [target, *(_page_file(target, number) for number in further if target)]


def _page_file(target: Path, number: int) -> Path:
    return target.with_name(f"{target.stem}-{number}{target.suffix}")


def check_page_files(paths: Sequence[Path | None]) -> None:
    """Raise Conflict if a page of an HTML report would overwrite a file that is no report page."""
    for number, path in enumerate(paths[1:], 2):
        if path and path.exists() and not _is_page(path, number):
            raise Conflict(
                f"{path} exists and is not page {number} of a report",
                "choose a different file name with -o, or move the file",
            )


def remove_old_pages(target: Path | None, pages: int) -> None:
    """Delete the pages after the first `pages` that an earlier, longer report wrote."""
    if target is None or not can_split(target):
        return
    for number in count(pages + 1):
        path = _page_file(target, number)
        if not _is_page(path, number):
            return
        path.unlink()


def _is_page(path: Path, number: int) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _MARK.format(number=number).encode() in file.read(_MARK_WITHIN)
