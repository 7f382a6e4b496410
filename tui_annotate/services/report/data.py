"""Records as the values of JSON that the page holds: each text once, each person named once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Sample, Side


@dataclass(frozen=True, slots=True)
class Subject:
    """What the page is about.

    Attributes:
        title: a name of a workspace or file; not its place.
        arrived: of a file, the times before and after it was read: what a time between them
            dates, the file itself did not date. Empty for a workspace.
    """

    title: str = ""
    arrived: tuple[str, str] = ("", "")

    @property
    def is_file(self) -> bool:
        """Whether it is a file, of whose making nothing more is known than it says."""
        return bool(self.arrived[0])

    def time(self, told: str) -> str:
        """A time that was told; empty where it was made up on the way."""
        first, last = self.arrived
        return "" if first and first <= told <= last else told


@dataclass(slots=True)
class Values:
    """Makes the values of one page.

    Attributes:
        names: of a person who is named by nothing but an id.
    """

    subject: Subject
    names: Callable[[str], str]
    _texts: dict[bytes, int] = field(default_factory=dict)
    _named: set[str] = field(default_factory=set)

    def new_texts(self, sample: Sample) -> Iterator[str]:
        """The texts that no sample before had, in the order of the numbers that they get."""
        for document in sample.documents:
            key = bytes.fromhex(document.sha256)
            if key not in self._texts:
                self._texts[key] = len(self._texts)
                yield document.text

    def sample(self, record: Record) -> dict[str, Any]:
        """One sample with all that people did on it; its texts by number."""
        sample = record.sample
        places = _places(sample)
        request = {name: getattr(sample.request, name) for name in _REQUEST}
        return {
            "dataset": sample.dataset,
            "id": sample.id,
            "kind": sample.kind.value,
            "group": sample.group,
            "request": {name: text for name, text in request.items() if text},
            "meta": dict(sample.meta),
            "documents": [self._document(each) for each in sample.documents],
            "annotations": [self._annotation(each, places) for each in record.annotations],
            "work": [self._work(each) for each in record.assignments],
            "people": [list(each) for each in self._new_people(record)],
        }

    def _document(self, document: Document) -> dict[str, Any]:
        return {
            "side": document.side.value,
            "key": document.key,
            "title": document.title,
            "language": document.language,
            "text": self._texts[bytes.fromhex(document.sha256)],
        }

    def _annotation(self, owned: Owned, places: Mapping[Side, list[int]]) -> dict[str, Any]:
        one = owned.annotation
        value: dict[str, Any] = {
            "person": owned.person,
            "labels": [list(path) for path in one.labels],
            "claim": [_anchor(each, places) for each in one.claim],
            "evidence": [_anchor(each, places) for each in one.evidence],
            "note": one.note,
            "origin": one.origin,
            "created": self.subject.time(one.created),
            "updated": self.subject.time(one.updated),
        }
        if one.settled is not None:
            value["settled"] = {
                "by": one.settled.by,
                "how": one.settled.how.value,
                "sources": len(one.settled.sources),
                "reason": one.settled.reason.value,
                "note": one.settled.note,
            }
        return value

    def _work(self, work: Assignment) -> dict[str, Any]:
        return {
            "person": work.person,
            "state": work.state.value,
            "rating": work.rating,
            "comment": work.comment,
            "seconds": work.seconds,
            "updated": self.subject.time(work.updated),
        }

    def _new_people(self, record: Record) -> Iterator[tuple[str, str]]:
        told = {person.id: person.name for person in record.people}
        for reviewer in _reviewers(record):
            told.setdefault(reviewer, self.names(reviewer))
        for person, name in told.items():
            if person not in self._named:
                self._named.add(person)
                yield person, name


_REQUEST = ("title", "problem", "background", "question")


def _reviewers(record: Record) -> Iterator[str]:
    for owned in record.annotations:
        if owned.annotation.settled is not None:
            yield owned.annotation.settled.by


def _places(sample: Sample) -> dict[Side, list[int]]:
    """Where the documents of each side stand among all of the sample."""
    places: dict[Side, list[int]] = {side: [] for side in Side}
    for place, document in enumerate(sample.documents):
        places[document.side].append(place)
    return places


def _anchor(anchor: Anchor, places: Mapping[Side, list[int]]) -> list[int]:
    return [places[anchor.side][anchor.index], anchor.span.start, anchor.span.end]


def of_labels(trees: Mapping[str, LabelTree | None]) -> dict[str, Any]:
    """The label sets of datasets: what the sides are called in each, and all labels, once each."""
    known: dict[tuple[str, ...], dict[str, Any]] = {}
    for tree in trees.values():
        for label in tree.walk() if tree else ():
            told = {"path": list(label.path), "color": label.color}
            known.setdefault(label.path, told | {"description": label.description})
    return {
        "datasets": {dataset: _titles(tree) for dataset, tree in trees.items()},
        "labels": list(known.values()),
    }


def _titles(tree: LabelTree | None) -> dict[str, str]:
    if tree is None:
        return {"source": "Source", "summary": "Summary"}
    return {"source": tree.source_title, "summary": tree.summary_title}
