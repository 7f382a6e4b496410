"""What every format promises: what is carried comes back, what does not come back is counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.domain.settlements import How, Settled
from tui_annotate.domain.spans import Span
from tui_annotate.domain.traces import OUTSIDE, Trace
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
from tui_annotate.plugins.targets import folder, output
from tui_annotate.plugins.traits import About, Place, Trait

Lost = frozenset[Trait]


@dataclass(frozen=True)
class Trip:
    """What came of writing and reading.

    Attributes:
        place: what was written.
    """

    place: Path
    report: Report
    back: list[Record]
    problems: list[Problem]


def about(name: str) -> About:
    """What a format says of itself."""
    found: About = registry.load("exporters", name).about  # type: ignore[attr-defined]
    return found


def write(records: Iterable[Record], name: str, place: Path) -> Report:
    """Writes records to a new file or folder."""
    exporter: Any = registry.load("exporters", name)
    opened: Any = output(place) if about(name).place is Place.STREAM else folder(place)
    with opened as target:
        report: Report = exporter.write(records, target, ExportOptions())
    return report


def read(place: Path, name: str, **options: Any) -> tuple[list[Record], list[Problem]]:
    """The records and problems of a file or folder."""
    found = list(registry.load("importers", name).read(place, ImportOptions(**options)))
    records = [item for item in found if isinstance(item, Record)]
    return records, [item for item in found if isinstance(item, Problem)]


def trip(records: Sequence[Record], name: str, place: Path) -> Trip:
    """Records written and read again."""
    report = write(records, name, place)
    return Trip(place, report, *read(place, name, dataset="d", language="en"))


def views(records: Iterable[Record], name: str, lost: Lost = frozenset()) -> dict[str, Any]:
    """What records say, by sample, without the traits that are lost; comparable."""
    return {record.sample.id: view(record, name, lost) for record in records}


def view(record: Record, name: str, lost: Lost = frozenset()) -> dict[str, Any]:
    """What a record says, without the traits that are lost."""
    sample = record.sample
    read_by = {work.person for work in record.assignments if work.state is State.DONE}
    names = {person.id: person.name for person in record.people}
    said: dict[str, Any] = {
        "texts": [document.text for document in sample.documents],
        "annotations": Counter(
            json.dumps(row) for owned in record.annotations for row in _rows(owned, name, lost)
        ),
    }
    parts: dict[Trait, Any] = {
        Trait.META: dict(sample.meta),
        Trait.GROUP: sample.group,
        Trait.REQUEST: sample.request,
        Trait.KIND: sample.kind,
        Trait.TITLE: [(each.key, each.title) for each in sample.documents],
        Trait.ANNOTATOR: sorted(
            {(one.person, names.get(one.person)) for one in record.annotations}
        ),
        Trait.EMPTY: len(read_by - {one.person for one in record.annotations}),
        Trait.STATE: sorted(
            (work.person, work.state) for work in record.assignments if work.state is not State.NEW
        ),
        Trait.OPINION: sorted(
            (work.person, work.rating, work.comment)
            for work in record.assignments
            if work.rating or work.comment
        ),
    }
    return said | {trait.value: part for trait, part in parts.items() if trait not in lost}


def _rows(owned: Owned, name: str, lost: Lost) -> Iterable[list[Any]]:
    one = owned.annotation
    if Trait.UNCLAIMED in lost and not one.claim:
        return
    claims = [(anchor,) for anchor in one.claim] if Trait.FRAGMENTS in lost else [one.claim]
    labels: list[tuple[LabelPath, ...]] = [one.labels]
    if Trait.SEVERAL in lost and one.labels:
        labels = [(path,) for path in one.labels]
    origin = "human" if one.origin == f"imported:{name}" else one.origin
    parts: dict[Trait, Any] = {
        Trait.LINK: one.evidence,
        Trait.NOTE: one.note,
        Trait.ANNOTATOR: owned.person,
        Trait.TIME: (one.created, one.updated),
        Trait.ORIGIN: origin,
        Trait.VERSION: (one.version, one.label_set, one.guidelines),
        Trait.TRACE: repr(one.trace),
        Trait.SETTLED: repr(one.settled),
    }
    kept = [part for trait, part in parts.items() if trait not in lost]
    for claim in claims:
        for paths in labels:
            yield [_spans(claim or ()), sorted(paths), *map(_plain, kept)]


def _spans(anchors: Iterable[Any]) -> list[Any]:
    return [[anchor.side.value, anchor.span.start, anchor.span.end] for anchor in anchors]


def _plain(part: Any) -> Any:
    if isinstance(part, tuple) and part and isinstance(part[0], Anchor):
        return _spans(part)
    return part


SOURCE, SUMMARY = "It cost 12 million, or 13.", "It cost 15 million pounds."
_DOCUMENTS = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, SUMMARY))


def _claim(*spans: tuple[int, int]) -> tuple[Anchor, ...]:
    return tuple(Anchor(Side.SUMMARY, 0, Span(*span)) for span in spans)


def _evidence(*spans: tuple[int, int]) -> tuple[Anchor, ...]:
    return tuple(Anchor(Side.SOURCE, 0, Span(*span)) for span in spans)


def base(person: str) -> Record:
    """Work that every format carries: one claim, one label, by somebody who is done."""
    annotation = Annotation("a1", _claim((8, 18)), labels=(("Wrong",),))
    somebody = Person(person, person, PersonKind.IMPORTED)
    sample = Sample("d", "1", _DOCUMENTS)
    done = (Assignment(person, State.DONE),)
    return Record(sample, (Owned(person, annotation),), done, (somebody,))


def examples(person: str) -> dict[Trait, list[Record]]:
    """By trait, work that has it, and as little else as can be."""
    plain = base(person)
    (owned,) = plain.annotations

    def changed(**changes: Any) -> list[Record]:
        one = replace(owned, annotation=replace(owned.annotation, **changes))
        return [replace(plain, annotations=(one,))]

    def told(**changes: Any) -> list[Record]:
        return [replace(plain, sample=replace(plain.sample, **changes))]

    def worked(**changes: Any) -> list[Record]:
        return [replace(plain, assignments=(replace(plain.assignments[0], **changes),))]

    second = replace(owned.annotation, id="a2", claim=_claim((11, 25)))
    stranger = Person("li", "Li", PersonKind.IMPORTED)
    titled = (replace(_DOCUMENTS[0], key="k", title="t"), _DOCUMENTS[1])
    return {
        Trait.OVERLAP: [replace(plain, annotations=(owned, Owned(person, second)))],
        Trait.FRAGMENTS: changed(claim=_claim((0, 2), (8, 18))),
        Trait.LINK: changed(evidence=_evidence((8, 18))),
        Trait.EVIDENCES: changed(evidence=_evidence((8, 18), (23, 25))),
        Trait.TREE: changed(labels=(("Unwanted", "Intrinsic"),)),
        Trait.NOTE: changed(note="12,\nnot 15"),
        Trait.ANNOTATOR: [
            replace(
                plain,
                annotations=(replace(owned, person="li"),),
                assignments=(Assignment("li", State.DONE),),
                people=(stranger,),
            )
        ],
        Trait.TIME: changed(
            created="2026-01-02T09:00:00.000000+00:00", updated="2026-01-02T09:30:00.000000+00:00"
        ),
        Trait.EMPTY: [replace(plain, annotations=())],
        Trait.ORIGIN: changed(origin="machine:toy"),
        Trait.TEXTS: [plain],
        Trait.SEVERAL: changed(labels=(("Vague",), ("Wrong",))),
        Trait.BARE: changed(labels=()),
        Trait.UNCLAIMED: changed(claim=(), evidence=_evidence((8, 18))),
        Trait.UNREAD: [replace(plain, annotations=(), assignments=(), people=())],
        Trait.STATE: worked(state=State.FLAGGED),
        Trait.OPINION: worked(rating="good", comment="why?"),
        Trait.VERSION: changed(version=3, label_set="ab" * 32, guidelines="cd" * 32),
        Trait.TRACE: changed(evidence=_evidence((8, 18)), trace=Trace(places=(OUTSIDE,))),
        Trait.SETTLED: changed(origin="adjudicated", settled=Settled("li", How.TAKEN, ("x",))),
        Trait.META: told(meta={"n": 1.5, "model": "toy"}),
        Trait.GROUP: told(group="g"),
        Trait.REQUEST: told(request=Request(question="how much?")),
        Trait.KIND: told(kind=Kind.QUESTION),
        Trait.TITLE: told(documents=titled),
        Trait.DATASET: [plain, replace(plain, sample=replace(plain.sample, dataset="e", id="2"))],
    }
