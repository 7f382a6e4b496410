"""Recognizes files that hold no data, such as pointers of Git LFS, saved web pages and archives."""

from __future__ import annotations

import codecs
import re
import shlex
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.plugins.files.packing import ZIP_MAGIC

LONGEST_HEAD: Final = 512
"""Number of bytes at the beginning of a file that show what it is."""
_TAR_MARK: Final = slice(257, 262)
"""Position of the word `ustar` in the first bytes of a tar archive."""
_SHOWN_MEMBERS: Final = 3
_PAGE = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+html|<html|<head>|<body|<Error>)", re.IGNORECASE
)
_LFS_HINT: Final = "download the data itself: git lfs pull"
_UNPACK_HINT: Final = "unpack the file, and pass the unpacked file"
_DOCUMENT_HINT: Final = "save the document as xlsx or CSV"
_KINDS: Final = (
    (b"version https://git-lfs.github.com/spec/", "a Git LFS pointer, not the data", _LFS_HINT),
    (
        b"/annex/objects/",
        "a git-annex pointer, not the data",
        "download the data itself: git annex get",
    ),
    (
        b"\xd0\xcf\x11\xe0",
        "an old Excel or Word file, or a file with a password",
        "save the file as xlsx or CSV, without a password",
    ),
    (b"%PDF", "a PDF", "export the texts as CSV or JSON, with columns for source and summary"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack the archive, and pass the file in it"),
    (b"Rar!\x1a\x07", "a rar archive", "unpack the archive, and pass the file in it"),
    (b"\x04\x22\x4d\x18", "an lz4 file", "unpack the file with lz4, and pass the unpacked file"),
    (
        b"\x1f\x9d",
        "a file of the program compress",
        "unpack the file with gzip, and pass the unpacked file",
    ),
    (b"{\\rtf", "an RTF document", _DOCUMENT_HINT),
)
"""First bytes of a file that cannot be imported, what the file is, and what to do."""


def refuse_foreign(path: Path, head: bytes) -> None:
    """Raise InvalidInput, with code `format-not-readable`, for a file that holds no readable data.

    `head`: the first bytes of the file, after unpacking; at most `LONGEST_HEAD`.
    """
    if found := _identify(path, head):
        what, hint = found
        raise InvalidInput(f"{path} is {what}", hint, code="format-not-readable")


def read_head(path: Path) -> bytes:
    """Return the first bytes of a file as they are stored; none for a folder, pipe or error."""
    if not path.is_file():  # reading a pipe would block
        return b""
    try:
        with path.open("rb") as file:
            return file.read(LONGEST_HEAD)
    except OSError:
        return b""  # the error is reported when the file is read


def _identify(path: Path, head: bytes) -> tuple[str, str] | None:
    if head.startswith(ZIP_MAGIC):
        if read_head(path).startswith(ZIP_MAGIC):
            return _describe_zip(path)
        return "an archive or workbook that was compressed again", _UNPACK_HINT
    if head[_TAR_MARK] == b"ustar":
        return "a tar archive", f"unpack the archive, and pass the file in it: tar -xf {path.name}"
    text = head.removeprefix(codecs.BOM_UTF8)
    for magic, what, hint in _KINDS:
        if text.startswith(magic):
            return what, hint
    if _PAGE.match(text):
        return (
            "a web page, for example the error page of a failed download",
            "download the data again, and check that the address leads to the file itself",
        )
    return None


def _describe_zip(path: Path) -> tuple[str, str]:
    try:
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if not name.endswith("/")]
    except (BadZipFile, OSError, ValueError, NotImplementedError):
        names = []
    if not names or {"[Content_Types].xml", "mimetype"} & {*names}:
        return "a document of an office program, or a damaged zip archive", _DOCUMENT_HINT
    more = f" and {len(names) - _SHOWN_MEMBERS:,} more" if len(names) > _SHOWN_MEMBERS else ""
    return (
        f"a zip archive with {', '.join(names[:_SHOWN_MEMBERS])}{more}",
        f"unpack the archive, and pass the file in it: unzip {shlex.quote(str(path))}",
    )
