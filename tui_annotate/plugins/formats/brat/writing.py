"""Records to texts and standoff lines in a folder for each annotator."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any, TextIO

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Sample, fingerprint
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.entities import EVIDENCE, LINK, Apart, Entity
from tui_annotate.plugins.formats.brat.names import ABOUT, FORMAT, LABELS, PEOPLE, UNLABELLED
from tui_annotate.plugins.joined import Joined, join
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import Folder, Report

_OTHER = re.compile(r"[^A-Za-z0-9-]+")
_LONGEST_NAME = 40


class Writer:
    """Writes samples, each into the folders of those who worked on it.

    Args:
        samples: told of each sample that is written.
    """

    def __init__(self, target: Folder, samples: TextIO) -> None:
        self.report = Report()
        self._tally = Tally(ABOUT, self.report, own=FORMAT)
        self._target = target
        self._samples = samples
        self._people: dict[str, tuple[str, Person]] = {}
        self._types = _Names({EVIDENCE, UNLABELLED})
        self._folders = _Names(set())

    def write(self, record: Record) -> None:
        """Writes one sample; counts what is left out of it."""
        said = _said(record)
        pair = self._tally.pair(record)
        joined = self._joined(pair, record) if pair else None
        if joined is None:
            return
        self._tally.count(record)
        if not said:
            return
        self.report.records += 1
        stem = f"{self.report.records:06}"
        people = {person.id: person for person in record.people}
        for name, found in said.items():
            place = f"{self._folder(people.get(name, Person(name, name)))}/{stem}"
            with self._target.file(f"{place}.txt") as text:
                text.write(joined.text)
            with self._target.file(f"{place}.ann") as standoff:
                standoff.writelines(f"{line}\n" for line in self._lines(found, joined))
        _json_line(self._samples, _row(record.sample, joined, stem))

    def _joined(self, pair: tuple[Document, Document], record: Record) -> Joined | None:
        try:
            joined = join(pair[0].text, pair[1].text)
        except InvalidInput:
            joined = None
        if joined is None or joined.text.startswith("\ufeff"):
            self.report.lose(
                "samples whose texts hold the separator, or begin with a byte order mark"
            )
            self.report.lose("annotations of such samples", len(record.annotations))
            return None
        return joined

    def _folder(self, person: Person) -> str:
        if person.id not in self._people:
            folder = self._folders.name((person.id,), person.name)
            self._people[person.id] = (folder, person)
        return self._people[person.id][0]

    def _lines(self, found: Iterable[Annotation], joined: Joined) -> Iterator[str]:
        apart = Apart(joined, self._type, whole=True)
        for one in found:
            if self._fits(one, joined):
                apart.add(one)
                self.report.annotations += 1
        for number, entity in enumerate(apart.entities, 1):
            yield _entity(number, entity, joined.text)
        for number, relation in enumerate(apart.relations, 1):
            yield f"R{number}\t{relation.kind} Arg1:T{relation.start + 1} Arg2:T{relation.end + 1}"
        for number, entity in enumerate(apart.entities, 1):
            if entity.note:
                self.report.lose("line ends in notes", entity.note.count("\n"))
                note = entity.note.replace("\n", " ")
                yield f"#{number}\tAnnotatorNotes T{number}\t{note}"

    def _fits(self, one: Annotation, joined: Joined) -> bool:
        """Whether every span has something beside line ends, at which it is parted."""
        spans = [joined.span(anchor) for anchor in one.anchors]
        quotes = [span.of(joined.text) for span in spans]
        if not all(quote.strip("\n") for quote in quotes):
            self.report.lose("annotations of line ends alone")
            return False
        edges = sum(quote != quote.strip("\n") for quote in quotes)
        self.report.lose("line ends at the edges of spans", edges)
        heads = spans[: len(one.claim) or len(spans)]
        self.report.lose("claims parted by line ends alone", _touching(heads, joined.text))
        return True

    def _type(self, path: LabelPath | None) -> str:
        return UNLABELLED if path is None else self._types.name(path, "_".join(path))

    def end(self) -> None:
        """Writes what stands beside the folders."""
        with self._target.file(PEOPLE) as file:
            for folder, person in self._people.values():
                _json_line(file, {"folder": folder, "id": person.id, "name": person.name})
        types = self._types.given
        with self._target.file(LABELS) as file:
            for path, name in types.items():
                _json_line(file, {"type": name, "label": list(path)})
        with self._target.file("annotation.conf") as file:
            kinds = "\n".join([*types.values(), EVIDENCE, UNLABELLED])
            file.write(f"[entities]\n{kinds}\n[relations]\n")
            file.write(f"{LINK} Arg1:<ENTITY>, Arg2:<ENTITY>\n[events]\n[attributes]\n")


class _Names:
    """Names of letters and digits for what may be called anything, each its own."""

    def __init__(self, taken: set[str]) -> None:
        self.given: dict[tuple[str, ...], str] = {}
        self._taken = {name.lower() for name in taken}

    def name(self, key: tuple[str, ...], wish: str) -> str:
        """The name for a key; as near to the wish as it can be."""
        if key not in self.given:
            plain = _OTHER.sub("_", wish).strip("_-")[:_LONGEST_NAME] or "X"
            name, number = plain, 1
            while name.lower() in self._taken:
                number += 1
                name = f"{plain}-{number}"
            self._taken.add(name.lower())
            self.given[key] = name
        return self.given[key]


def _said(record: Record) -> dict[str, list[Annotation]]:
    """What each said who began with the sample, also those who said nothing."""
    said: dict[str, list[Annotation]] = {
        work.person: [] for work in record.assignments if work.state is not State.NEW
    }
    for owned in record.annotations:
        said.setdefault(owned.person, []).append(owned.annotation)
    return said


def fragments(span: Span, text: str) -> list[Span]:
    """A span parted at line feeds, which are in none of the parts."""
    found, start = [], span.start
    for piece in span.of(text).split("\n"):
        if piece:
            found.append(Span(start, start + len(piece)))
        start += len(piece) + 1
    return found


def _touching(spans: Iterable[Span], text: str) -> int:
    """How many spans a reader would join with the one before."""
    ordered = sorted(spans, key=lambda span: (span.start, span.end))
    return sum(
        one.end < other.start and not text[one.end : other.start].strip("\n")
        for one, other in pairwise(ordered)
    )


def _entity(number: int, entity: Entity, text: str) -> str:
    parts = [part for span in entity.spans for part in fragments(span, text)]
    places = ";".join(f"{part.start} {part.end}" for part in parts)
    return f"T{number}\t{entity.label} {places}\t{' '.join(part.of(text) for part in parts)}"


def _row(sample: Sample, joined: Joined, stem: str) -> dict[str, Any]:
    return {
        "file": stem,
        "sample_id": sample.id,
        "dataset": sample.dataset,
        "group": sample.group,
        "meta": dict(sample.meta),
        "source_len": len(joined.source),
        "sep_len": len(joined.separator),
        "sha256": fingerprint(joined.text),
    }


def _json_line(file: TextIO, row: Mapping[str, Any]) -> None:
    file.write(json.dumps(row, ensure_ascii=False))
    file.write("\n")
