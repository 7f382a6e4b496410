"""A plain folder that people share: one file a person, streams in it, brought together both ways.

Who writes a file takes in first what it has more than they: so nothing of another machine is lost.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Final, NamedTuple

from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidRecord,
    NotFound,
    TuiAnnotateError,
    Unavailable,
)
from tui_annotate.domain.merging import StreamCopy, merged
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Problem
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins.exchange import stream_lines
from tui_annotate.plugins.files.targets import output

_TRIES: Final = 5
_NAMED: Final = re.compile(r".*-[0-9a-f]{16}\.jsonl")
_Name = tuple[str, SampleKey]


class Pushed(NamedTuple):
    """What a file got.

    Attributes:
        streams, events: streams with something new, and events in them.
        waiting: samples on which another machine did something else: they are pulled first, so
            that the conflict is told.
        refused: samples whose work can not be written so that it could be read again, and why.
    """

    streams: int = 0
    events: int = 0
    waiting: tuple[SampleKey, ...] = ()
    refused: tuple[tuple[SampleKey, str], ...] = ()


class FolderTarget:
    """The files of a folder.

    Raises:
        NotFound: there is no such folder.
    """

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise NotFound(f"there is no folder {folder}", "make it, or is it mounted?")
        self.folder = folder

    def __str__(self) -> str:
        return str(self.folder)

    def files(self) -> list[Path]:
        """The files of everybody, by name.

        Raises:
            Unavailable: the folder can not be read.
        """
        try:
            return sorted(each for each in self.folder.iterdir() if _NAMED.fullmatch(each.name))
        except OSError as error:
            raise Unavailable(
                f"{self.folder} can not be read: {error.strerror}", "is it mounted?"
            ) from error

    def file(self, person: Person) -> Path:
        """Where the work of somebody lies, or would; found by their id, whatever their name is."""
        mark = hashlib.sha256(person.id.encode()).hexdigest()[:16]
        there = [each for each in self.files() if each.name.endswith(f"-{mark}.jsonl")]
        name = re.sub(r"[^a-z0-9]+", "-", person.name.lower()).strip("-")[:40] or "person"
        return there[0] if there else self.folder / f"{name}-{mark}.jsonl"

    def namesakes(self, person: Person) -> list[Path]:
        """The files of people who have the name of somebody and another id.

        Raises:
            Unavailable: as `files`.
        """
        return [each for each in self.files() if _is_namesake(each, person)]

    def pull(self, file: Path) -> tuple[Person, Iterator[StreamCopy | Problem]]:
        """Whose work a file holds, and what of it is sound.

        Raises:
            InvalidRecord: it is no such file, or of somebody else than its name says.
        """
        person, copies = stream_lines.read(file)
        mark = hashlib.sha256(person.id.encode()).hexdigest()[:16]
        if not file.name.endswith(f"-{mark}.jsonl"):
            raise InvalidRecord(
                f"it says that it is of {person.name}, and its name says otherwise",
                "who renamed it? leave the names as they are",
                where=str(file),
            )
        return person, copies

    def push(self, person: Person, copies: Iterable[StreamCopy]) -> Pushed:
        """Brings somebody's streams to their file, which appears whole or not at all.

        Raises:
            Conflict: another machine writes the same file again and again.
            InvalidRecord: what lies there is damaged; nothing is written over it.
            Unavailable: it can not be written.
        """
        own, refused = _writable(person, copies)
        for _ in range(_TRIES):
            file = self.file(person)
            before = _sum(file)
            there = self._there(file)
            names = sorted({*there, *own})
            joined = [_joined(there.get(name), own.get(name)) for name in names]
            whole = [copy for copy, _ in joined]
            waiting = tuple(copy.key for copy, forked in joined if forked)
            known = [len(there[name].events) if name in there else 0 for name in names]
            new = [len(each.events) - had for each, had in zip(whole, known, strict=True)]
            if before and not any(new):
                return Pushed(waiting=waiting, refused=refused)
            if _sum(file) == before:
                with output(file) as target:
                    stream_lines.write(person, whole, target)
                return Pushed(sum(map(bool, new)), sum(new), waiting, refused)
        raise Conflict(f"{file} is being written by another machine", "try again in a moment")

    def remove(self, person: Person) -> int:
        """Takes the file of somebody away; how many streams were in it."""
        file = self.file(person)
        if not file.exists():
            return 0
        count = len(self._there(file))
        try:
            file.unlink()
        except OSError as error:
            raise Unavailable(
                f"{file} can not be removed: {error.strerror}", "check its owner and mode"
            ) from error
        return count

    def _there(self, file: Path) -> dict[_Name, StreamCopy]:
        """By person and sample, the streams of a file; none where it is not there yet."""
        if not file.exists():
            return {}
        found: dict[_Name, StreamCopy] = {}
        for each in self.pull(file)[1]:
            if isinstance(each, Problem):
                raise InvalidRecord(
                    each.message, "put it right, or take it away: push writes it anew",
                    where=each.where,
                )  # fmt: skip
            found[each.person, each.key] = each
        return found


def _is_namesake(file: Path, person: Person) -> bool:
    """What can not be read is nobody's: whoever pulls it is told."""
    try:
        owner = stream_lines.read(file)[0]
    except TuiAnnotateError:
        return False
    return owner.id != person.id and owner.name == person.name


def _writable(
    person: Person, copies: Iterable[StreamCopy]
) -> tuple[dict[_Name, StreamCopy], tuple[tuple[SampleKey, str], ...]]:
    """The streams that can be written, by person and sample; and why the others can not."""
    own: dict[_Name, StreamCopy] = {}
    refused = []
    for copy in copies:
        try:
            stream_lines.write(person, [copy], StringIO())
        except InvalidInput as error:
            refused.append((copy.key, error.message.removeprefix(f"{copy.key}: ")))
        else:
            own[copy.person, copy.key] = copy
    return own, tuple(refused)


def _joined(there: StreamCopy | None, own: StreamCopy | None) -> tuple[StreamCopy, bool]:
    """A stream of the file with what one has more; and whether it stays as it is, being forked."""
    if there is None or own is None:
        found = there or own
        if found is None:
            raise ValueError("neither side has the stream")
        return found, False
    merge = merged(there.events, own.events)
    if merge.fork is not None or there.texts != own.texts:
        return there, True
    return replace(there, events=there.events + merge.events), False


def _sum(file: Path) -> str:
    """What tells whether a file was written meanwhile; empty where there is none."""
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise Unavailable(f"{file} can not be read: {error.strerror}", "is it mounted?") from error
