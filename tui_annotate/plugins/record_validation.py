"""What a record of any format must fulfil to come in; a refusal says what and what to do."""

from __future__ import annotations

import re
import shlex
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tui_annotate.domain.did_you_mean import find_nearest
from tui_annotate.domain.errors import InvalidInput, InvalidRecord, InvalidSpan, Unavailable
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import Document, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.segmentation import guess_language

LONGEST_TEXT = 8_000_000
"""Code points of a document: more is no text that anybody annotates."""
LONGEST_ID = 1000
RIGHT_ONE = "name the right one with "
"""Begins the hint about a column that is not there; an option follows."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def choose_dataset_name(path: Path, wanted: str) -> str:
    """The dataset of a file's samples: the wanted name, else the file's up to its first dot.

    Raises:
        InvalidInput: neither is a name.
    """
    name = path.name if path.name.strip(".") else path.resolve().name  # of "." and ".."
    return parse_identifier(wanted or name.lstrip(".").split(".", 1)[0], what="dataset")


def parse_identifier(value: Any, *, what: str) -> str:
    """A name or number out of a file as the text of an id.

    Raises:
        InvalidInput: it is empty, too long, neither text nor integer, or holds a control character.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        raise InvalidInput(f"the {what} is {describe_value(value)}", "ids are text or integers")
    if not value.strip():
        raise InvalidInput(f"the {what} is empty", "give it a name")
    if len(value) > LONGEST_ID:
        raise InvalidInput(f"the {what} is longer than {LONGEST_ID} characters: {value[:40]!r}...")
    if found := _CONTROL.search(value):
        raise InvalidInput(f"the {what} {value!r} holds {found.group()!r}", "take it out")
    return value


def get_field(fields: Mapping[str, Any], name: str, *, option: str) -> Any:
    """One field of a record.

    Raises:
        InvalidInput: the record has none of that name; the message lists those it has.
    """
    if name not in fields:
        raise missing_column(name, fields, option=option)
    return fields[name]


def missing_column(name: str, there: Iterable[str], *, option: str) -> InvalidInput:
    """The error of a column that is not there."""
    columns = list(there)[:50]
    names = ", ".join(map(repr, columns))
    near = find_nearest(name, columns)
    right = f"if {near!r} is it: {option} {shlex.quote(near)}" if near else ""
    return InvalidInput(
        f"no column {name!r}; there are: {names or 'none'}",
        (right or f"{RIGHT_ONE}{option}") if option else "every record needs it",
    )


def parse_document(value: Any, *, side: Side, column: str, language: str) -> Document:
    """A document from a field.

    Raises:
        InvalidInput: it is no text, empty, blank, too long, or holds a lone surrogate.
    """
    if not isinstance(value, str):
        raise InvalidInput(f"column {column!r} holds {describe_value(value)}, not text", "quote it")
    if not value.strip():
        kind = "holds only white space" if value else "is empty"
        raise InvalidInput(f"column {column!r} {kind}", "a sample needs both its texts")
    if len(value) > LONGEST_TEXT:
        raise InvalidInput(
            f"column {column!r} holds {len(value):,} characters, more than {LONGEST_TEXT:,}",
            "split the document",
        )
    try:
        return Document(side, value, language=language or guess_language(value))
    except InvalidInput as error:
        raise InvalidInput(f"column {column!r}: {error.message}", error.hint) from error


def imported_person(key: str, name: Any = None) -> Person:
    """A person of a file; the name is the key unless the file has a text for it."""
    return Person(key, name if isinstance(name, str) and name else key, PersonKind.IMPORTED)


def describe_value(value: Any) -> str:
    """What kind of JSON value something is, with the value where it is short."""
    if value is None:
        return "nothing (null)"
    kinds = {
        bool: "a truth value",
        int: "a number",
        float: "a number",
        str: "text",
        list: "a list",
    }
    kind = kinds.get(type(value), "an object")
    return f"{kind} ({value!r})" if isinstance(value, int | float) else kind


def check_span(text: str, start: Any, end: Any, *, quote: Any, what: str) -> Span:
    """The span that a record gives, once the text under it is what the record quotes.

    `quote` None is a record that quotes nothing.

    Raises:
        InvalidInput: the offsets are no integers, or cover something else.
        InvalidSpan: they are no span, or outside the text.
    """
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in (start, end)):
        raise InvalidInput(f"{what} {start!r}:{end!r} is no pair of integers", "count code points")
    try:
        span = Span(start, end)
        found = span.of(text)
    except InvalidSpan as error:
        raise InvalidSpan(f"{what}: {error.message}", error.hint) from error
    if quote is not None and found != quote:
        raise InvalidInput(
            f"{what} {span} covers {_short(found)}, the file says {_short(str(quote))}",
            "the offsets were counted in another unit or in another text",
        )
    return span


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")


def make_problem(where: str, error: InvalidInput) -> Problem:
    """A refusal as a value."""
    if isinstance(error, InvalidRecord):
        return Problem(error.where, error.message.removeprefix(f"{error.where}: "), error.hint)
    return Problem(where, error.message, error.hint)


def open_temporary_database(tables: str) -> sqlite3.Connection:
    """Open a database that is deleted when it is closed; `tables` is the script that creates it."""
    # Without a name SQLite keeps it in its cache, and spills to a file that goes with it.
    database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
    database.executescript(
        f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-8000; {tables} BEGIN"
    )
    return database


@contextmanager
def check_temporary_space(purpose: str) -> Iterator[None]:
    """Raise Unavailable where a temporary database can not be written."""
    try:
        yield
    except sqlite3.Error as error:
        raise Unavailable(
            f"no temporary space to {purpose}: {error}",
            "free some, or name another folder with TMPDIR",
        ) from error


class NameRegister:
    """Remembers names with a word about each, on disk once they are many: memory stays constant."""

    def __init__(self) -> None:
        self._database = open_temporary_database(
            "CREATE TABLE seen (name TEXT PRIMARY KEY, word TEXT NOT NULL) WITHOUT ROWID;"
        )

    def remember(self, name: str, word: str) -> str:
        """Store `word` for a new name; return the word that is stored for the name.

        Raises:
            Unavailable: there is no space left for it.
        """
        with check_temporary_space("remember ids"):
            new = self._database.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", (name, word))
            return word if new.rowcount else str(self.recall(name))

    def recall(self, name: str) -> str | None:
        """The word that is stored for a name; None where there is none."""
        row = self._database.execute("SELECT word FROM seen WHERE name = ?", (name,)).fetchone()
        return None if row is None else str(row[0])

    def close(self) -> None:
        """Frees its file."""
        self._database.close()
