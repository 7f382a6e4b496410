"""Reads a folder or zip of JSON files, one per annotator, and merges them by sample."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any, Final, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.domain.records import Problem, Record
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.files.packing import BOMB_FLOOR, BOMB_RATIO, ZIP_MAGIC, begins_with
from tui_annotate.plugins.json_records import Doubt, check_object, problems_at
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import NameRegister, make_problem, parse_identifier

_ENDINGS: Final = (".jsonl", ".json")
_PIECE: Final = 2**18
_ENCRYPTED: Final = 1
_BROKEN: Final = (
    BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, struct.error, zlib.error
)  # fmt: skip


class PersonFile(NamedTuple):
    """A JSON file with the work of one annotator, who is named by the file's name."""

    person: str
    path: Path
    shown: str


Read = Callable[[dict[str, Any], JsonValue, str], tuple[Record, Sequence[Doubt]]]
"""Function that converts a JSON object to an annotated sample, and also returns warnings."""


def is_several(path: Path) -> bool:
    """Return whether a path is a folder, or a file that begins like a zip."""
    return path.is_dir() or begins_with(path, ZIP_MAGIC)


@contextmanager
def read_person_files(path: Path) -> Iterator[list[PersonFile]]:
    """Yield the JSON files of a folder or zip, sorted by name; a zip is unpacked temporarily.

    Raises:
        NotFound: the folder or zip contains no JSON files.
        InvalidInput: the zip is broken, encrypted, or unpacks to far more bytes than text would.
        Unavailable: the zip cannot be unpacked, for example because the disk is full.
    """
    if path.is_dir():
        inside = sorted(file for file in path.iterdir() if file.is_file())
        names = [file for file in inside if _is_person_file(file.name)]
        yield _require_files(path, [PersonFile(file.stem, file, str(file)) for file in names])
        return
    with TemporaryDirectory(prefix="tui-annotate-") as folder:
        try:
            found_in_zip = _unpack(path, Path(folder))
        except _BROKEN as error:
            what = " ".join(str(error).split())
            raise InvalidInput(f"{path} is a broken zip: {what}", "copy it again") from error
        except OSError as error:
            raise Unavailable(
                f"{path} cannot be unpacked: {error.strerror}",
                "free some space, or set TMPDIR to a different folder",
            ) from error
        yield _require_files(path, found_in_zip)


def _require_files(path: Path, found: list[PersonFile]) -> list[PersonFile]:
    if not found:
        raise NotFound(f"{path} contains no {' or '.join(_ENDINGS)} file", "check the path")
    return found


def _is_person_file(name: str) -> bool:
    return name.endswith(_ENDINGS) and not name.startswith(".")


def _unpack(path: Path, folder: Path) -> list[PersonFile]:
    left = max(BOMB_FLOOR, BOMB_RATIO * path.stat().st_size)
    found = []
    with ZipFile(path) as archive:
        members = {one.filename: one for one in archive.infolist()}
        for number, (name, member) in enumerate(sorted(members.items())):
            inside = PurePosixPath(name)
            if not _is_person_file(inside.name) or inside.parts[0].startswith("__"):
                continue
            _check_member(path, member)
            file = folder / f"{number}.jsonl"
            with archive.open(member) as packed, file.open("wb") as plain:
                left -= _copy(packed, plain, most=left)
            if left <= 0:
                raise InvalidInput(
                    f"{path} is a zip bomb: it unpacks to far more bytes than text would",
                    code="zip-bomb",
                )
            found.append(PersonFile(inside.stem, file, f"{path}/{name}"))
    return found


def _check_member(path: Path, member: ZipInfo) -> None:
    if member.flag_bits & _ENCRYPTED:
        raise InvalidInput(
            f"{path} is encrypted", "unpack the zip and pass the folder", code="zip-encrypted"
        )
    if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise InvalidInput(
            f"{path} uses an unknown compression method",
            "unpack the zip and pass the folder",
            code="zip-method",
        )


def _copy(packed: IO[bytes], plain: IO[bytes], *, most: int) -> int:
    count = 0
    while count < most and (piece := packed.read(_PIECE)):
        count += plain.write(piece)
    return count


def read_person_records(
    path: Path,
    options: ImportOptions,
    read: Read,
    *,
    what: str,
    parts: AbstractSet[str] = frozenset(),
) -> Iterator[Record | Problem]:
    """Yield each sample once with the work of all annotators, in order of first occurrence.

    Rows are stored on disk temporarily, so that memory use stays constant. `parts`: names of the
    lists of annotations; see `read_json_values`.

    Raises:
        NotFound, InvalidInput: the files cannot be read; see `read_person_files`.
    """
    with read_person_files(path) as files, closing(NameRegister()) as seen:
        rows = _RowStore(files, seen, read, parts=parts)
        for at in range(len(files)):
            yield from rows.add_file(at, options, what=what)
        for number in range(rows.samples):
            yield from rows.merge(number)
        if options.meter and not path.is_dir():
            options.meter.done += path.stat().st_size


class _RowStore:
    def __init__(
        self,
        files: Sequence[PersonFile],
        seen: NameRegister,
        read: Read,
        *,
        parts: AbstractSet[str],
    ) -> None:
        self._parts = parts
        self._files = files
        self._seen = seen
        self._read = read
        self.samples = 0

    def add_file(self, at: int, options: ImportOptions, *, what: str) -> Iterator[Problem]:
        file = self._files[at]
        meter = None if file.shown != str(file.path) else options.meter
        values = read_json_values(
            file.path, encoding=options.encoding, meter=meter, parts=self._parts
        )
        for value in values:
            where = file.shown + value.where.removeprefix(str(file.path))
            if isinstance(value, Problem):
                yield replace(value, where=where)
                continue
            try:
                fields = check_object(value.value, what=what)
                parse_identifier(file.person, what="person")
                record, _ = self._read(fields, value, file.person)
                self._keep(at, json.dumps(record.sample.key), value=value, where=where)
                yield from problems_at(where, value.broken)
            except InvalidInput as error:
                yield make_problem(where, error)

    def _keep(self, at: int, key: str, *, value: JsonValue, where: str) -> None:
        word = json.dumps([where, value.number, value.value])
        if (before := self._seen.remember(f"{at} {key}", word)) != word:
            raise InvalidInput(f"duplicate sample {key}: already used at {json.loads(before)[0]}")
        # `#N` numbers the samples by first occurrence: merging needs no list of keys in memory.
        number = str(self.samples)
        if self._seen.remember(key, number) == number:
            self._seen.remember(f"#{number}", key)
            self.samples += 1

    def merge(self, number: int) -> Iterator[Record | Problem]:
        key = self._seen.recall(f"#{number}")
        first: Record | None = None
        problems: list[Problem] = []
        for at, file in enumerate(self._files):
            if (word := self._seen.recall(f"{at} {key}")) is None:
                continue
            where, row, fields = json.loads(word)
            record, doubts = self._read(fields, JsonValue(row, where, fields), file.person)
            problems += problems_at(where, doubts)
            if first is None:
                first = replace(record, where=where)
            elif first.sample.documents != record.sample.documents:
                problems.append(Problem(where, f"the sample's texts differ from {first.where}"))
            else:
                problems += _warn_of_differences(first, record, where)
                first = _merge(first, record)
        if first is not None:
            yield first
        yield from problems


def _warn_of_differences(first: Record, other: Record, where: str) -> Iterator[Problem]:
    one = first.sample.meta
    two = other.sample.meta
    if names := [name for name in two if name in one and one[name] != two[name]]:
        shown = ", ".join(map(repr, names))
        message = f"the values of {shown} are ignored; other values at {first.where} are kept"
        yield Problem(where, message, refused=False)


def _merge(first: Record, other: Record) -> Record:
    people = {person.id: person for person in (*first.people, *other.people)}
    return replace(
        first,
        sample=replace(first.sample, meta={**other.sample.meta, **first.sample.meta}),
        annotations=first.annotations + other.annotations,
        assignments=first.assignments + other.assignments,
        people=tuple(people.values()),
    )
