"""Detects the format of an input file by its content, else by its name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput, InvalidRecord, NotFound
from tui_annotate.plugins.column_texts import has_questions, has_several_words, is_request
from tui_annotate.plugins.files.foreign import read_head, refuse_foreign
from tui_annotate.plugins.files.inputs import is_pattern, list_matches
from tui_annotate.plugins.files.json_values import EMPTY, JsonValue, read_json_values
from tui_annotate.plugins.files.packing import (
    PACKED,
    begins_with,
    plain_suffixes,
    remove_packed_ending,
)
from tui_annotate.plugins.files.streams import read_chunks
from tui_annotate.plugins.files.workbooks import is_workbook
from tui_annotate.plugins.pair_columns import (
    SAMPLED_ROWS,
    find_columns,
    has_pair_header,
    has_used_columns,
)
from tui_annotate.plugins.person_files import is_several, read_person_files
from tui_annotate.plugins.protocols import COLUMN_OPTIONS, ImportOptions, PairColumns
from tui_annotate.plugins.record_validation import COLUMNS_AMBIGUOUS, FORMAT_UNCERTAIN
from tui_annotate.plugins.registry import plugin_names as names_of

_KEYS = {
    "mercury": {"sample_id", "source", "summary", "annotations"},
    "ragtruth": {"source_id", "response", "labels"},
    "labelstudio": {"data", "annotations"},
    "w3c": {"@context", "tui:documents"},
    "doccano": {"text", "entities", "relations"},
    "generations": {"question", "answer", "generation"},
    "autojudge": {"request_id", "username", "rating", "spans"},
    "open-qa": {"question", "ctxs"},
}
"""Maps the name of a file format to the fields that every record of the format has."""
_TABULAR = {"mercury", "ragtruth", "doccano", "generations", "open-qa", "rag", "labelstudio"}
"""Formats whose records may also be read as rows of a table, if the user names both texts."""
_ROWS = {"ragtruth", "generations", "rag"}
"""Formats whose records are rows of a table as soon as the user names any column of it."""
_RAG = (
    ("contexts", {"question"}),
    ("retrieved_contexts", {"user_input"}),
)
"""Required fields of a record in the format `rag`: this program's names, and the names of RAGAS."""
_FILES = {"ragtruth": ("source_info.jsonl", "response.jsonl")}
"""Maps the name of a file format to the files that its folder contains, compressed or not."""
_COMPANIONS = {"topics.jsonl", "documents.jsonl"}
"""Names of files that a folder of input files may contain, but that have no records."""
_DATASETS_FILES = {"dataset_dict.json", "state.json"}
"""A folder that the library `datasets` saved contains at least one file with such a name."""
_MAGIC = {b"SQLite format 3\0": "mercury-db", b"PAR1": "pairs"}
"""Maps the first bytes of a binary file to the name of the file's format."""
_NATIVE = "tui-annotate/"
"""Start of the field `format` in records of the program's own format, in all versions."""
_NATIVE_HEAD = re.compile(rf'"format"\s*:\s*"{_NATIVE}')
_MERCURY = re.compile(r'"samples"\s*:\s*\[|"annotations"\s*:\s*\[')
_RESEMBLING: dict[str, tuple[set[str], ...]] = {
    "doccano": (
        {"text", "entities"},
        {"text", "label"},
        {"text", "labels"},
        {"data", "label"},
        {"data", "labels"},
    ),
    "autojudge": ({"topic_id", "username"}, {"topic_id", "spans"}),
}
"""Maps a format to fields of records that may be of this format, but also of another one.

If the format of a file is unclear, the error names this format.
"""
_INSPECTED_VALUES = 100
"""Maximum number of JSON values of a file to inspect when the file's format is unknown."""
_SHOWN_NAMES = 20
_TABLES = {".csv", ".tsv"}
_JSON = {".json", ".jsonl", ".ndjson"}
DATA_SUFFIXES = {*_TABLES, *_JSON, ".xlsx", ".xlsm", ".parquet"}
"""Suffixes of data files; an import of a folder reads only files with these suffixes."""


@dataclass(slots=True)
class _Inspection:
    """Result of inspecting a JSON file's first records; `pairs`: they are source-summary pairs."""

    form: str = ""
    first: Mapping[str, Any] = field(default_factory=dict)
    pairs: bool = False


def detect(path: Path, reading: ImportOptions | None = None) -> str:
    """Return the name of the importer for a file or folder, by its first records, else by its name.

    Raises:
        NotFound, Unavailable: the file cannot be opened.
        InvalidInput: the format is unclear.
    """
    reading = reading or ImportOptions()
    if is_pattern(path):
        return "folder"
    if path.is_dir():
        return _detect_folder(path, reading)
    if is_workbook(path):
        return "pairs"
    if is_several(path) and _are_all(path, "doccano"):
        return "doccano"
    if form := _detect_by_bytes(path):
        return form
    if is_several(path) and (hint := _hint_for_several(path)):
        raise InvalidInput(f"the format of {path} is unclear", hint, code=FORMAT_UNCERTAIN)
    refuse_foreign(path, read_head(path))
    head = _read_head(path, reading.encoding)
    named = set(plain_suffixes(path)[-1:])
    if not head.strip() and not named & {*_TABLES, *_JSON} and _is_blank(path, reading.encoding):
        hint = "check the file; for standard input, check the command that writes to the pipe"
        raise InvalidInput(f"{path} contains no data", hint, code=EMPTY)
    look = _Inspection()
    if head.lstrip()[:1] in {"[", "{"} or _JSON & named:
        look = _inspect_records(path, reading)
        form = look.form
        if not form and not look.first:
            form = _detect_by_head(head, named)
        if form:
            return form
    if look.pairs or (not look.first and (_TABLES & named or has_pair_header(path, reading))):
        return "pairs"
    raise _uncertain_error(path, first=look.first, reading=reading)


def _inspect_records(path: Path, reading: ImportOptions) -> _Inspection:
    columns = {reading.source_column or "source", reading.summary_column or "summary"}
    look = _Inspection()
    listed = False  # whether a record has a list of annotations, as records of a format have
    spare = ""
    rows: list[Mapping[str, Any]] = []
    for fields in _read_records(path, reading.encoding):
        form = _detect_by_record(fields, columns)
        if _has_named_columns(form, fields, reading):
            form = ""  # the columns that the user names win
            look.pairs = True
        if form == "ragtruth" and not _has_sources(path, fields):
            spare = form
            form = ""
        if form:
            return _Inspection(form)
        look.first = look.first or fields
        if len(rows) < SAMPLED_ROWS:
            rows.append(fields)
        listed = listed or isinstance(fields.get("annotations"), list)
    try:
        choice = find_columns(str(path), rows, reading)
    except InvalidInput as error:
        look.pairs = look.pairs or (not listed and has_used_columns(rows, reading))
        if error.code == COLUMNS_AMBIGUOUS and not listed and not look.pairs:
            raise
    else:
        chosen = reading.source_column or reading.summary_column or choice.is_collection
        look.pairs = look.pairs or bool(chosen) or not listed
    if spare and not look.pairs:
        look.form = spare  # its importer names the missing file
    return look


def _has_named_columns(form: str, fields: Mapping[str, Any], reading: ImportOptions) -> bool:
    """Return whether the user names columns that the record's format would not read."""
    texts = {reading.source_column, reading.summary_column} - {""}
    if form in _TABULAR and len(texts) > 1 and texts <= fields.keys():
        return True
    unread = reading.named_columns.keys() - COLUMN_OPTIONS.get(form, frozenset())
    return form in _ROWS and bool(unread)


def _has_sources(path: Path, fields: Mapping[str, Any]) -> bool:
    """Return whether the sources of a file of RAGTruth's responses are in it, or next to it."""
    return "source_info" in fields or any(
        (path.parent / f"{name}{ending}").is_file()
        for name in _FILES["ragtruth"][:1]
        for ending in ("", *PACKED)
    )


def _detect_by_head(head: str, named: set[str]) -> str:
    if _NATIVE_HEAD.search(head):
        return "native"
    if _JSON & named:
        return "mercury" if _MERCURY.search(head) else "pairs"
    return ""


def _uncertain_error(
    path: Path, *, first: Mapping[str, Any], reading: ImportOptions
) -> InvalidInput:
    """Return the error for a file of unknown format; `first`: its first record, or empty."""
    names = list(first)
    message = f"the format of {path} is unclear"
    if names:
        wanted = (reading.source_column or "source", reading.summary_column or "summary")
        message += f": the first record has the fields {', '.join(map(repr, names[:_SHOWN_NAMES]))}"
        if lacking := [repr(name) for name in wanted if name not in names]:
            message += f", but not {' and '.join(lacking)}"
    return InvalidInput(message, _hint_for_uncertain(path, first, reading), code=FORMAT_UNCERTAIN)


def _hint_for_uncertain(path: Path, first: Mapping[str, Any], reading: ImportOptions) -> str:
    if path.suffix == ".ann" or (path.suffix == ".txt" and path.with_suffix(".ann").is_file()):
        return f"the file looks like a file of brat: pass its folder, {path.absolute().parent}"
    if form := _resembling_format(first):
        return f"the file looks like a file of {form}; to read it as one: --from {form}"
    if columns := _guess_text_columns(first, reading):
        return f"name the columns that contain the texts, for example: {columns.options}"
    hint = f"name the format with --from, one of: {', '.join(names_of('importers'))}"
    if sum(isinstance(value, str) for value in first.values()) > 1:
        # Nothing shows which of these texts are the source and the summary.
        named = PairColumns(reading.source_column or "COLUMN", reading.summary_column or "COLUMN")
        return f"{hint}; or name the columns that contain the texts: {named.options}"
    if first:
        return f"write the texts as two columns of a table, or {hint}"
    return hint


def _resembling_format(fields: Mapping[str, Any]) -> str:
    lists = {name for name, value in fields.items() if isinstance(value, list)}
    for form, alternatives in _RESEMBLING.items():
        for names in alternatives:
            if fields.keys() >= names and (form != "doccano" or names & lists):
                return form
    return ""


def _guess_text_columns(fields: Mapping[str, Any], reading: ImportOptions) -> PairColumns | None:
    """Return the two longest texts of a record as source and summary; None if it lacks them.

    Questions and prompts are neither.
    """
    texts = {
        name: value
        for name, value in fields.items()
        if isinstance(value, str)
        and has_several_words(value)
        and not is_request(name)
        and not has_questions(name, [fields])
    }
    named = (reading.source_column, reading.summary_column)
    others = sorted(texts.keys() - {*named}, key=lambda name: -len(texts[name]))
    found = []
    for name in named:
        if name in fields:
            found.append(name)
        elif others:
            found.append(others.pop(0))
        else:
            return None
    return PairColumns(*found) if all(found) and found[0] != found[1] else None


def _detect_folder(path: Path, reading: ImportOptions) -> str:
    there = {remove_packed_ending(each.name) for each in path.iterdir()}
    for name, files in _FILES.items():
        if there.issuperset(files):
            return name
    if any(path.glob("*.ann")) or any(path.glob("*/*.ann")):
        return "brat"
    if there & _DATASETS_FILES:
        return "pairs"
    for file in (*path.iterdir(), *path.glob("data/*.parquet")):
        if form := _detect_by_bytes(file):
            return form
    for form in ("doccano", "autojudge"):
        if _are_all(path, form):
            return form
    if _are_tables(path, reading):
        return "folder"
    hint = "pass the path of a file in this folder, or name the format with --from"
    raise InvalidInput(
        f"the format of the folder {path} is unclear",
        _hint_for_several(path) or hint,
        code=FORMAT_UNCERTAIN,
    )


def _hint_for_several(path: Path) -> str:
    """Return the hint for a folder or zip file whose files resemble one format; "" if none."""
    for form in _RESEMBLING:
        if _are_all(path, form, detect_one=_resembling_format):
            return f"the files look like files of {form}; to read them as such: --from {form}"
    return ""


def _are_tables(path: Path, reading: ImportOptions) -> bool:
    forms = set()
    for file in list_matches(path):
        if {*plain_suffixes(file)[-1:]} & DATA_SUFFIXES:
            with suppress(NotFound, InvalidInput):  # reported when the file is read
                forms.add(detect(file, reading))
    return forms == {"pairs"}


def _detect_first(fields: Mapping[str, Any]) -> str:
    return _detect_by_record(fields, set())


def _are_all(
    path: Path, form: str, *, detect_one: Callable[[Mapping[str, Any]], str] = _detect_first
) -> bool:
    """Return whether `detect_one` names the format for the first record of each file."""
    try:
        with read_person_files(path) as files:
            paths = (file.path for file in files if file.path.name not in _COMPANIONS)
            first = [next(_read_records(path, "utf-8"), {}) for path in paths]
            return {detect_one(fields) for fields in first} == {form}
    except (NotFound, InvalidInput):
        return False


def _read_records(path: Path, encoding: str) -> Iterator[Mapping[str, Any]]:
    for value in islice(read_json_values(path, encoding=encoding), _INSPECTED_VALUES):
        if isinstance(value, JsonValue) and isinstance(value.value, dict):
            yield value.value


def _detect_by_bytes(path: Path) -> str:
    return next((name for magic, name in _MAGIC.items() if begins_with(path, magic)), "")


def _detect_by_record(fields: Mapping[str, Any], columns: set[str]) -> str:
    if str(fields.get("format")).startswith(_NATIVE):
        return "native"
    if "@context" in fields and fields.get("type") == "AnnotationCollection":
        return "w3c"
    for name, keys in _KEYS.items():
        if fields.keys() >= keys:
            return name
    if isinstance(fields.get("ordered_kv_records"), list):
        return "open-qa"
    if fields.keys() >= {"annotation_id", "annotator", "id"}:
        return "labelstudio"  # its export JSON-MIN
    if isinstance(fields.get("metadata"), dict) and (
        isinstance(fields.get("responses"), list) or "answer" in fields
    ):
        return "autojudge"
    if any(isinstance(fields.get(name), list) and fields.keys() >= keys for name, keys in _RAG):
        return "" if fields.keys() >= columns else "rag"
    alone = isinstance(fields.get("data"), dict) and not fields.keys() & columns
    return "labelstudio" if alone else ""


def _is_blank(path: Path, encoding: str) -> bool:
    with closing(read_chunks(path, encoding=encoding)) as stream, suppress(InvalidRecord):
        return not any(chunk.strip() for chunk in stream)
    return False


def _read_head(path: Path, encoding: str) -> str:
    with closing(read_chunks(path, encoding=encoding)) as stream, suppress(InvalidRecord):
        return next(stream, "")
    return ""
