"""Checks that every imported sample must pass, in any format."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tui_annotate.domain.did_you_mean import find_nearest
from tui_annotate.domain.errors import (
    InvalidInput,
    InvalidRecord,
    InvalidSpan,
    NotFound,
    Unavailable,
)
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Document, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import guess_language

LONGEST_TEXT = 8_000_000
"""Maximum length of a document in code points; longer texts cannot be annotated."""
LONGEST_ID = 1000
COLUMNS_MISSING = "columns-missing"
"""Code of the error for a table without a column that an import needs."""
FORMAT_UNCERTAIN = "format-uncertain"
NAME_NOT_UTF8 = "name-not-utf8"
"""Code of the error for a file whose name is not UTF-8, and for an id that is not."""
COLUMNS_AMBIGUOUS = "columns-ambiguous"
"""Code of the error for a table of which several columns can be the source or the summary."""
_RIGHT_ONE = "choose one of the file's columns with "

_TEXT_HINTS: dict[type, str] = {
    list: "join the texts of the list to one text, or name a different column",
    dict: "name a column that holds one text per sample",
}
_PACKED_ENDINGS = frozenset({"gz", "zst", "bz2", "xz"})
_DATA_ENDINGS = frozenset(
    {
        "csv", "tsv", "tab", "json", "jsonl", "ndjson", "xlsx", "xlsm", "parquet", "arrow", "db",
        "sqlite", "sqlite3", "bundle", "txt", "ann", "conll", "xmi", "zip",
    }
)  # fmt: skip
"""Endings of file names that are no part of a dataset's name."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def choose_dataset_name(path: Path, wanted: str, *, former: bool = False) -> str:
    """Return the name of an imported dataset: the wanted name, else that of its file.

    The name of a file loses its known endings, such as `.csv.gz`; other dots stay. `former` cuts
    the name at its first dot, as earlier versions of the program did.

    Raises:
        InvalidInput: the name is not a valid dataset name.
    """
    name = path.name if path.name.strip(".") else path.resolve().name  # of "." and ".."
    name = name.lstrip(".")
    default = name.split(".", 1)[0] if former else remove_endings(name)
    if not wanted and not is_utf8(name):
        raise InvalidInput(
            f"the name of the file {path} is not UTF-8, so that it cannot name a dataset",
            "rename the file, or pass it alone with --dataset NAME",
            code=NAME_NOT_UTF8,
        )
    return parse_identifier(wanted or default, what="dataset")


def is_utf8(name: str) -> bool:
    """Return whether a name has no lone surrogates, which Python makes of wrong bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def first_named(files: Sequence[Path]) -> Path:
    """Return the first of several files whose name is UTF-8; the first file if none is."""
    return next((file for file in files if is_utf8(file.name)), files[0])


def remove_endings(name: str) -> str:
    """Return a file's name without the endings of its compression and of its kind of data."""
    stem, ending = _split_ending(name)
    if ending in _PACKED_ENDINGS:
        name = stem
        stem, ending = _split_ending(name)
    return stem if ending in _DATA_ENDINGS else name


def _split_ending(name: str) -> tuple[str, str]:
    stem, dot, ending = name.rpartition(".")
    return (stem, ending.casefold()) if stem and dot else (name, "")


def parse_identifier(value: Any, *, what: str) -> str:
    """Return a text or integer of an input file as an id; `what` is its name in messages.

    Raises:
        InvalidInput: the value is empty, too long, neither text nor integer, or has a control
            character.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InvalidInput(
            f"the {what} is {describe_value(value)}", "write the id as text or as an integer"
        )
    if not value.strip():
        raise InvalidInput(f"the {what} is empty", f"give the {what} a value")
    if len(value) > LONGEST_ID:
        raise InvalidInput(f"the {what} is longer than {LONGEST_ID} characters: {value[:40]!r}...")
    if found := _CONTROL.search(value):
        raise InvalidInput(
            f"the {what} {value!r} contains the control character {found.group()!r}",
            "remove this character",
        )
    return value


def get_field(fields: Mapping[str, Any], name: str, *, option: str) -> Any:
    """Return the value of a field of an input record; `option` sets the field's name.

    Raises:
        InvalidInput: the record has no such field; the message lists the record's fields.
    """
    if name not in fields:
        raise missing_column(name, fields, option=option)
    return fields[name]


def require_field(fields: Mapping[str, Any], name: str) -> None:
    """Raise `InvalidInput` if an input record has no field with this name, as `get_field` does."""
    if name not in fields:
        raise missing_column(name, fields, option="")


def missing_column(name: str, there: Iterable[str], *, option: str) -> InvalidInput:
    """Return the error for a missing input column, with a hint of the closest existing column."""
    columns = list(there)[:50]
    names = ", ".join(map(repr, columns))
    near = find_nearest(name, columns)
    right = f"if you mean {near!r}: {option} {shlex.quote(near)}" if near else ""
    return InvalidInput(
        f"no column {name!r}; the columns are: {names or 'none'}",
        (right or f"{_RIGHT_ONE}{option}") if option else f"add the field {name!r} to every record",
    )


def join_missing_columns(errors: Sequence[InvalidInput]) -> InvalidInput:
    """Return the first of several errors of `missing_column`, with the hints of all."""
    near = [error.hint for error in errors if not error.hint.startswith(_RIGHT_ONE)]
    others = [error.hint.removeprefix(_RIGHT_ONE) for error in errors if error.hint not in near]
    hints = [*near, _RIGHT_ONE + " and ".join(others)] if others else near
    return InvalidInput(errors[0].message, "; ".join(hints), code=COLUMNS_MISSING)


def parse_document(value: Any, *, side: Side, column: str, language: str) -> Document:
    """Return a document whose text is the value of an input field; an empty language is guessed.

    Raises:
        InvalidInput: the value is not text, is blank or too long, or has a lone surrogate.
    """
    if value is not None and not isinstance(value, str):
        raise InvalidInput(
            f"column {column!r} holds {describe_value(value)}, not text",
            _TEXT_HINTS.get(type(value), "store the value as text"),
        )
    if value is None or not value.strip():
        empty = f"column {column!r} is empty" + (" (null)" if value is None else "")
        raise InvalidInput(
            f"column {column!r} holds only white space" if value else empty,
            "a sample needs a source and a summary",
        )
    if len(value) > LONGEST_TEXT:
        raise InvalidInput(
            f"column {column!r} has {len(value):,} characters; the maximum is {LONGEST_TEXT:,}",
            "split the document",
        )
    try:
        return Document(side, value, language=language or guess_language(value))
    except InvalidInput as error:
        raise InvalidInput(f"column {column!r}: {error.message}", error.hint) from error


def imported_person(key: str, name: Any = None) -> Person:
    """Return an imported person; if `name` is empty or not text, the id `key` is the name."""
    return Person(key, name if isinstance(name, str) and name else key, PersonKind.IMPORTED)


def describe_value(value: Any) -> str:
    """Return the kind of a JSON value in words, with the value if it is short."""
    if value is None:
        return "an empty value (null)"
    if isinstance(value, bool):
        return f"a Boolean value ({str(value).lower()})"
    kinds = {
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
    }
    kind = kinds.get(type(value), "an object")
    if isinstance(value, str) and value:
        return f"{kind} ({shorten_quote(value)})"
    return f"{kind} ({value!r})" if isinstance(value, int | float) else kind


def check_span(text: str, start: Any, end: Any, *, quote: Any, what: str) -> Span:
    """Return a span of a text, after a comparison with the text that the file quotes for it.

    `quote` is None for a file without quotes; `what` is the span's name in messages.

    Raises:
        InvalidInput: the offsets are not integers, or the covered text is not the quote.
        InvalidSpan: the offsets are not a span, or the span is outside the text.
    """
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in (start, end)):
        raise InvalidInput(
            f"the offsets {start!r}:{end!r} of the {what} are not integers",
            "write offsets in code points",
        )
    try:
        span = Span(start, end)
        found = span.of(text)
    except InvalidSpan as error:
        raise InvalidSpan(f"{what}: {error.message}", error.hint) from error
    if quote is not None and found != quote:
        raise InvalidInput(
            f"the {what} {span} covers {shorten_quote(found)}, but the file quotes"
            f" {shorten_quote(str(quote))}",
            "check whether the offsets have a different unit or refer to a different text",
        )
    return span


def shorten_quote(text: str) -> str:
    """Quote a text for a message, with at most 40 characters."""
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def make_problem(where: str, error: InvalidInput | NotFound) -> Problem:
    """Return an error as a Problem at a location of the file."""
    if isinstance(error, InvalidRecord):
        message = error.message.removeprefix(f"{error.where}: ")
        return Problem(error.where, message, error.hint, code=error.code)
    return Problem(where, error.message, error.hint, code=error.code)


def open_temporary_database(tables: str) -> sqlite3.Connection:
    """Open a temporary SQLite database, deleted on close; `tables` is its SQL schema."""
    # SQLite keeps a database without a name in its cache, and spills it to a temporary file.
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.executescript(
        f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8000; {tables} BEGIN"
    )
    return database


@contextmanager
def check_temporary_space(purpose: str) -> Iterator[None]:
    """Raise Unavailable if a `with` block cannot write to a temporary database.

    `purpose`: verb phrase that follows "not enough temporary disk space to" in the message.
    """
    try:
        yield
    except sqlite3.Error as error:
        raise Unavailable(
            f"not enough temporary disk space to {purpose}: {error}",
            "free some space, or set TMPDIR to a different folder",
        ) from error


def _encode_path(text: str) -> bytes:
    """Return a text as bytes; it may contain a path whose name is not UTF-8."""
    return text.encode("utf-8", "surrogatepass")


class NameRegister:
    """A map from names to texts; a large map moves to disk, so that its memory use is limited."""

    def __init__(self) -> None:
        self._database = open_temporary_database(
            "CREATE TABLE seen (name BLOB PRIMARY KEY, word BLOB NOT NULL) WITHOUT ROWID;"
        )

    def remember(self, name: str, word: str) -> str:
        """Store a text under a name, unless one is stored already; return the stored text.

        Raises:
            Unavailable: the disk is full.
        """
        with check_temporary_space("remember ids"):
            row = (_encode_path(name), _encode_path(word))
            new = self._database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", row)
            return word if new.rowcount else str(self.recall(name))

    def recall(self, name: str) -> str | None:
        """Return the text that was stored for a name; None for an unknown name."""
        query = "SELECT word FROM seen WHERE name = ?"
        row = self._database.execute(query, (_encode_path(name),)).fetchone()
        return None if row is None else str(row[0].decode("utf-8", "surrogatepass"))

    def close(self) -> None:
        """Close the register, which deletes its file."""
        self._database.close()
