"""Mercury's SQLite database, a file or a folder of them, as if Mercury had dumped it; read only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.nouns import many
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.accounts.mercury import databases, read_mercury
from tui_annotate.plugins.accounts.rows import UserRow
from tui_annotate.plugins.admission import dataset_name, problem
from tui_annotate.plugins.files.json_limits import SURROGATE
from tui_annotate.plugins.formats.mercury.counting import Counting, Marks, parsed, shifted
from tui_annotate.plugins.formats.mercury.names import META
from tui_annotate.plugins.formats.mercury.reading import SampleReader
from tui_annotate.plugins.formats.mercury.tables import Row, Tables, Texts, connected, has_chunks
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.traits import About, Trait, plainly

USERS: Final = "users.sqlite"
"""The name of the file of people, which Mercury keeps beside its corpus."""
COMMENTS: Final = "mercury_comments"
"""The meta that holds what people said on annotations of a sample."""


class MercuryDatabaseFormat:
    """Samples of one or several databases; names of people come from a file of users beside them.

    A record is what the reader of a dump gives for the same sample, its annotations' ids included.
    """

    name = "mercury-db"
    about = About(
        title="Mercury's SQLite database",
        carried=plainly(
            Trait.OVERLAP, Trait.LINK, Trait.TREE, Trait.NOTE, Trait.ANNOTATOR, Trait.TEXTS,
            Trait.SEVERAL, Trait.BARE, Trait.UNCLAIMED, Trait.UNREAD, Trait.META,
        ),
    )  # fmt: skip

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a sample, by its number, then the doubts about it; see `Importer.read`.

        Samples of several files get the file's name before their number where all go into one
        dataset. A sample is refused as a whole where one of its spans is not inside its texts.
        """
        files = _files(path)
        names = _names(path)
        for file in files:
            dataset = dataset_name(file, options.dataset)
            prefix = f"{file.stem}/" if options.dataset and len(files) > 1 else ""
            try:
                with closing(connected(file)) as connection:
                    reading = _Reading(file, Tables(connection), names)
                    yield from reading.records(dataset, prefix, language=options.language)
            except InvalidInput as error:
                yield problem(str(file), error)
            except (sqlite3.Error, UnicodeError) as error:  # its words may be no UTF-8
                yield Problem(
                    str(file), f"can not be read: {_line(error)}", "is Mercury still writing?"
                )
            if options.meter:
                options.meter.done += file.stat().st_size


def _line(error: Exception) -> str:
    return " ".join(str(error).split())


def _files(path: Path) -> list[Path]:
    if path.is_dir():
        found = [file for file in sorted(path.iterdir()) if file.is_file() and has_chunks(file)]
        if not found:
            raise NotFound(f"no file in {path} is a database of Mercury", "name the right folder")
        return found
    if not path.exists():
        raise NotFound(f"there is no file {path}")
    if not has_chunks(path):
        raise InvalidInput(
            f"{path} is no database with a table 'chunks' of Mercury",
            "its users: tui-annotate migrate users; its dumps: the format mercury",
        )
    return [path]


def _names(path: Path) -> dict[str, str]:
    """People's names by id, those in UTF-8; empty where no file of users is there."""
    with suppress(NotFound, InvalidInput):
        files = databases([path if path.is_dir() else path.with_name(USERS)])
        users = (user for file in files for user in read_mercury(file))
        return {
            user.id: user.name
            for user in users
            if isinstance(user, UserRow) and not SURROGATE.search(user.name)
        }
    return {}


class _Rows:
    """Rows that come by sample, given out sample by sample."""

    def __init__(self, rows: Iterator[Row]) -> None:
        self._rows = rows
        self._next = next(rows, None)
        self.strays = 0

    def of(self, sample: int) -> Iterator[Row]:
        """Those of one sample; those before it belong to none."""
        while (row := self._next) is not None:
            number = row["sample_id"]
            if isinstance(number, int) and number > sample:
                return
            if isinstance(number, str | bytes | float):
                return  # behind all numbers: told at the end
            self._next = next(self._rows, None)
            if number == sample:
                yield row
            else:
                self.strays += 1

    def rest(self) -> int:
        """How many belong to no sample; reads to the end."""
        return self.strays + (self._next is not None) + sum(1 for _ in self._rows)


class _Reading:
    """One database."""

    def __init__(self, path: Path, tables: Tables, names: Mapping[str, str]) -> None:
        self._path = path
        self._tables = tables
        self._names = names
        self._shift = self._counts_in_chunks()

    def _counts_in_chunks(self) -> bool:
        counting = Counting()
        rows = _Rows(self._tables.annotations())
        for sample, texts in self._tables.samples():
            for row in rows.of(sample):
                with suppress(InvalidInput):  # told with its sample
                    counting.look(Marks(row), texts)
        return counting.in_chunks()

    def records(self, dataset: str, prefix: str, *, language: str) -> Iterator[Record | Problem]:
        """Its samples, then what belongs to none."""
        annotations = _Rows(self._tables.annotations())
        meta, comments = _Rows(self._tables.meta()), _Rows(self._tables.comments())
        for sample, texts in self._tables.samples():
            where = f"{self._path}, sample {sample}"
            rows = [list(each.of(sample)) for each in (annotations, meta, comments)]
            try:
                fields = self._fields(sample, texts, rows)
                reader = SampleReader(
                    fields, dataset=dataset, key=f"{prefix}{sample}", language=language
                )
                yield reader.record(where)
            except InvalidInput as error:
                yield problem(where, error)
                continue
            doubts = [*reader.doubts, *_astral(fields)]
            yield from (Problem(where, doubt, refused=False) for doubt in doubts)
        if strays := annotations.rest():
            yield Problem(str(self._path), f"{many(strays, 'annotation')} of samples without texts")
        for name, count in (("meta of samples", meta.rest()), ("comments", comments.rest())):
            if count:
                yield Problem(str(self._path), f"{count} {name} belong to nothing", refused=False)

    def _fields(self, sample: int, texts: Texts, rows: list[list[Row]]) -> dict[str, Any]:
        annotations, meta, comments = rows
        joined = {side: " ".join(chunk.text for chunk in texts[side]) for side in Side}
        return {
            "sample_id": sample,
            "source": joined[Side.SOURCE],
            "summary": joined[Side.SUMMARY],
            "annotations": [self._annotation(row, texts, joined) for row in annotations],
            **_meta(meta),
            **({META + COMMENTS: list(map(_plain, comments))} if comments else {}),
        }

    def _annotation(self, row: Row, texts: Texts, joined: Mapping[Side, str]) -> dict[str, Any]:
        row = _plain(row)
        marks = Marks(row)
        fields = {name: row.get(name) for name in ("annot_id", "sample_id", "annotator")}
        fields["label"] = _label(row)
        fields["note"] = row.get("note") or ""
        fields["annotator_name"] = self._names.get(str(row["annotator"]))
        spans = [(side, *span) for side, span in marks.spans.items()]
        for side, start, end in shifted(marks, texts) if self._shift else spans:
            if 0 <= start < end <= len(joined[side]):
                fields[f"{side}_span"] = joined[side][start:end]
            fields |= {f"{side}_start": start, f"{side}_end": end}
        return fields


def _plain(row: Row) -> Row:
    """A row of values that JSON has as well.

    Raises:
        InvalidInput: it holds bytes, or text that is no UTF-8.
    """
    for name, value in row.items():
        if isinstance(value, bytes) or (isinstance(value, str) and SURROGATE.search(value)):
            raise InvalidInput(f"{name} of {row.get('annot_id')!r} is no text in UTF-8")
    return row


def _label(row: Row) -> Any:
    raw = row["label"]
    if raw is None or raw == "":
        return []
    if isinstance(raw, str) and raw[:1] not in '["':
        return [raw]  # as the first versions had it
    value = parsed(raw, what=f"the label of annotation {row['annot_id']!r}")
    return [value] if isinstance(value, str) else value


def _meta(rows: list[Row]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for row in rows:
        value = parsed(row["json_meta"], what="the meta")
        if not isinstance(value, dict):
            raise InvalidInput("the meta is no object")
        found |= {META + name: each for name, each in value.items()}
    return found


def _astral(fields: Mapping[str, Any]) -> Iterator[str]:
    """A doubt where a browser's offsets may have run ahead of code points."""
    for side in Side:
        ends = [row[f"{side}_end"] for row in fields["annotations"] if f"{side}_end" in row]
        if ends and any(ord(sign) > 0xFFFF for sign in fields[side.value][: max(ends)]):
            yield f"the {side} has signs that a browser counts twice before the end of a span"
