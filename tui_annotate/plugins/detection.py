"""The form of a file by its content, else by its name; never a guess where neither is certain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput, InvalidRecord
from tui_annotate.plugins.json_values import Value, json_values
from tui_annotate.plugins.packing import plain_suffixes
from tui_annotate.plugins.registry import names
from tui_annotate.plugins.streams import chunks

_KEYS = {
    "mercury": {"sample_id", "source", "summary", "annotations"},
    "ragtruth": {"source_id", "response", "labels"},
    "labelstudio": {"data", "annotations"},
    "w3c": {"@context", "tui:documents"},
    "doccano": {"text", "entities", "relations"},
}
"""What the first record of a form has at least."""
_FILES = {"ragtruth": ("source_info.jsonl", "response.jsonl")}
"""What a folder of a form has at least, packed or not."""
_SAVED = {"dataset_dict.json", "state.json"}
"""One of these is in a folder that `datasets` saved."""
_MAGIC = {b"SQLite format 3\0": "mercury-db", b"PAR1": "pairs"}
"""How files begin that are no text."""
_NATIVE = re.compile(r'"format"\s*:\s*"tui-annotate/1"')
_MERCURY = re.compile(r'"samples"\s*:\s*\[|"annotations"\s*:\s*\[')
_TABLES = {".csv", ".tsv"}
_PAIRS_SUFFIXES = {*_TABLES, ".json", ".jsonl", ".ndjson"}


def detect(path: Path, *, encoding: str = "utf-8") -> str:
    """The importer for a file, by its first record, else by its name.

    Raises:
        NotFound, Unavailable: the file can not be opened.
        InvalidInput: its form is not certain.
    """
    if path.is_dir():
        return _of_folder(path)
    if form := _of_bytes(path):
        return form
    first = (
        next(islice(json_values(path, encoding=encoding), 1), None)
        if _braced(path, encoding)
        else None
    )
    if isinstance(first, Value) and isinstance(first.value, dict):
        return _of_record(first.value) or "pairs"
    head = _head(path, encoding)
    if _NATIVE.search(head):
        return "native"
    suffixes = plain_suffixes(path)
    if suffixes and suffixes[-1] in _PAIRS_SUFFIXES:
        mercury = suffixes[-1] not in _TABLES and _MERCURY.search(head)
        return "mercury" if mercury else "pairs"
    raise InvalidInput(
        f"the form of {path} is not certain",
        f"name it with --format, one of: {', '.join(names('importers'))}",
    )


def _of_folder(path: Path) -> str:
    there = {each.name.removesuffix(".gz").removesuffix(".zst") for each in path.iterdir()}
    for name, files in _FILES.items():
        if there.issuperset(files):
            return name
    if any(path.glob("*.ann")) or any(path.glob("*/*.ann")):
        return "brat"
    if there & _SAVED:
        return "pairs"
    for file in path.iterdir():
        if form := _of_bytes(file):
            return form
    raise InvalidInput(f"{path} is a folder of no certain form", "name the file in it, or --format")


def _of_bytes(path: Path) -> str:
    """The form of a file that is no text, by how it begins; empty for any other."""
    if not path.is_file():
        return ""
    try:
        with path.open("rb") as file:
            head = file.read(max(map(len, _MAGIC)))
    except OSError:
        return ""  # told by whoever reads the file
    return next((name for magic, name in _MAGIC.items() if head.startswith(magic)), "")


def _of_record(fields: Mapping[str, Any]) -> str:
    """The form that the first record of a file shows; empty for any other."""
    if fields.get("format") == "tui-annotate/1":
        return "native"
    return next((name for name, keys in _KEYS.items() if fields.keys() >= keys), "")


def _braced(path: Path, encoding: str) -> bool:
    return _head(path, encoding).lstrip()[:1] in {"[", "{"}


def _head(path: Path, encoding: str) -> str:
    """The first piece of text of a file; empty where none can be unpacked or decoded."""
    stream = chunks(path, encoding=encoding)
    try:
        return next(stream, "")
    except InvalidRecord:
        return ""
    finally:
        stream.close()
