"""Folders of texts and standoff to records: a sample once, with the work of all who have it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import Sample, Side, fingerprint
from tui_annotate.plugins.admission import LONGEST_TEXT, described, document, identifier
from tui_annotate.plugins.covered import CODE_POINTS
from tui_annotate.plugins.entities import EVIDENCE, Together, Whole
from tui_annotate.plugins.files.json_values import json_values
from tui_annotate.plugins.files.streams import chunks, lines
from tui_annotate.plugins.formats.brat.names import FORMAT, LABELS, PEOPLE, SAMPLES, UNLABELLED
from tui_annotate.plugins.formats.brat.standoff import Standoff
from tui_annotate.plugins.imported import made_id
from tui_annotate.plugins.joined import Joined, part
from tui_annotate.plugins.protocols import ImportOptions

_STANDOFF = ".ann"
_SAFE = re.compile(r"[\w-][\w. -]*")

Row = Mapping[str, Any]


def _stems(folder: Path) -> Iterator[str]:
    """The names of the files of standoff, one by one: there may be hundreds of thousands."""
    for entry in _entries(folder):
        if entry.name.endswith(_STANDOFF):
            yield entry.name.removesuffix(_STANDOFF)


def _folders(root: Path) -> list[Path]:
    return sorted(Path(entry.path) for entry in _entries(root) if entry.is_dir())


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except OSError as error:
        message = f"{folder} can not be read: {error.strerror}"
        raise Unavailable(message, "check its permissions") from error


@dataclass(slots=True)
class FolderReader:
    """A folder of brat's.

    Attributes:
        doubts: what was left out of the last sample.
    """

    root: Path
    options: ImportOptions
    dataset: str
    doubts: list[str] = field(default_factory=list)
    _folders: list[tuple[Path, Person]] = field(default_factory=list)
    _types: dict[str, LabelPath] = field(default_factory=dict)

    def open(self) -> None:
        """Finds the folders of annotators, and what their types mean.

        Raises:
            InvalidInput: the path is no folder, or what stands beside the folders is broken.
        Unavailable: a folder can not be read.
        """
        if not self.root.is_dir():
            raise InvalidInput(f"{self.root} is a file", "name the folder of texts and standoff")
        for row in self._rows(LABELS):
            path = row.get("label")
            names = isinstance(path, list) and all(isinstance(name, str) for name in path)
            if not path or not names:
                raise InvalidInput(f"{path!r} in {LABELS} is no label")
            self._types[str(row.get("type"))] = tuple(path)
        people = {str(row.get("folder")): row for row in self._rows(PEOPLE)}
        if any(_stems(self.root)):
            self._folders.append((self.root, Person(FORMAT, FORMAT, PersonKind.IMPORTED)))
        for folder in _folders(self.root):
            if any(_stems(folder)):
                row = people.get(folder.name, {"id": folder.name, "name": folder.name})
                key = identifier(row.get("id"), what="annotator")
                name = row.get("name")
                shown = name if isinstance(name, str) and name else key
                self._folders.append((folder, Person(key, shown, PersonKind.IMPORTED)))

    def samples(self) -> Iterator[tuple[str, Row | Problem]]:
        """What is known of each sample beside its files, with where that stands."""
        listed = self.root / SAMPLES
        if listed.is_file():
            for value in json_values(listed):
                if isinstance(value, Problem):
                    yield value.where, value
                elif isinstance(value.value, dict):
                    yield value.where, value.value
                else:
                    yield value.where, Problem(value.where, "the line is no object")
            return
        stems = {stem for folder, _ in self._folders for stem in _stems(folder)}
        for stem in sorted(stems):
            yield str(self.root / stem), {"file": stem, "sample_id": stem}

    def record(self, row: Row, where: str) -> Record:
        """The sample with the work of all who have it.

        Raises:
            InvalidInput: a file is missing, differs between the folders, or does not fit.
        """
        self.doubts = []
        stem = row.get("file")
        if not isinstance(stem, str) or not _SAFE.fullmatch(stem):
            raise InvalidInput(f"{stem!r} is no name of a file")
        there = [
            (folder / f"{stem}.ann", person)
            for folder, person in self._folders
            if (folder / f"{stem}.ann").is_file()
        ]
        if not there:
            raise InvalidInput(f"there is no {stem}.ann in any folder")
        texts = {self._text(file.with_suffix(".txt")) for file, _ in there}
        if len(texts) > 1:
            raise InvalidInput(f"{stem}.txt differs between the folders of annotators")
        text = texts.pop()
        if (told := row.get("sha256")) is not None and told != fingerprint(text):
            raise InvalidInput(f"{stem}.txt is not the text that was written", "restore it")
        joined = part(text, source_len=row.get("source_len"), sep_len=row.get("sep_len"))
        sample = self._sample(row, joined)
        owned = tuple(
            Owned(person.id, one)
            for file, person in there
            for one in self._annotations(file, person, joined=joined, sample=sample)
        )
        named = {one.person for one in owned}
        people = tuple(person for _, person in there if person.id in named)
        return Record(sample, owned, people=people, where=where)

    def _sample(self, row: Row, joined: Joined) -> Sample:
        group, meta = row.get("group") or "", row.get("meta") or {}
        if not isinstance(group, str) or "\0" in group or not isinstance(meta, dict):
            raise InvalidInput(f"group or meta of {row.get('file')!r} is {described(group)}")
        texts = {Side.SOURCE: joined.source, Side.SUMMARY: joined.summary}
        dataset = self.options.dataset or row.get("dataset") or self.dataset
        return Sample(
            identifier(dataset, what="dataset"),
            identifier(row.get("sample_id"), what="sample_id"),
            tuple(
                document(text, side=side, column=f"text ({side})", language=self.options.language)
                for side, text in texts.items()
            ),
            group=group,
            meta=meta,
        )

    def _annotations(
        self, file: Path, person: Person, *, joined: Joined, sample: Sample
    ) -> Iterator[Annotation]:
        said = list(self._lines(file))
        standoff = Standoff(joined.text, said)
        together = Together(joined, standoff.entities(), standoff.relations())
        for place, one in enumerate(together.annotations()):
            yield self._annotation(one, made_id(sample.key, place, [person.id, one.label]))
        left = {**standoff.left_out, **together.left_out}
        self.doubts += [f"left out: {count:,} {what}" for what, count in left.items()]
        if standoff.unit != CODE_POINTS:
            self.doubts.append(f"the offsets of {person.name} are {standoff.unit}")

    def _annotation(self, one: Whole, key: str) -> Annotation:
        bare = one.label == UNLABELLED or (not one.claim and one.label == EVIDENCE)
        path = self._types.get(one.label, (one.label,))
        return Annotation(
            key,
            one.claim,
            one.evidence,
            labels=() if bare else (path,),
            note=one.note,
            origin=f"imported:{FORMAT}",
        )

    def _lines(self, file: Path) -> Iterator[str]:
        encoding = self.options.encoding
        for line in lines(file, encoding=encoding, meter=self.options.meter):
            if line.bad:
                raise InvalidInput(
                    f"byte {line.bad} of {file.name}:{line.number} is not {encoding}"
                )
            yield line.text.removesuffix("\n")

    def _text(self, file: Path) -> str:
        pieces, length = [], 0
        for piece in chunks(file, encoding=self.options.encoding, meter=self.options.meter):
            pieces.append(piece)
            length += len(piece)
            if length > 2 * LONGEST_TEXT:
                raise InvalidInput(f"{file.name} is longer than two documents may be")
        text = "".join(pieces)
        fingerprint(text)
        return text

    def _rows(self, name: str) -> Iterator[Row]:
        if not (self.root / name).is_file():
            return
        for value in json_values(self.root / name):
            if isinstance(value, Problem) and value.message == "the file is empty":
                return
            if isinstance(value, Problem) or not isinstance(value.value, dict):
                raise InvalidInput(f"{value.where}: not a line of {name}")
            yield value.value
