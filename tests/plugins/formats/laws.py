"""What every format promises: what is carried comes back, what does not come back is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.plugins.formats.record_values import IN_THEM, LEFT_OUT, views
from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.files.targets import open_folder, open_output
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.traits import FormatTarget, FormatTraits, RecordTrait
from tui_annotate.services.export.writer import write_counted

OF_ITEMS = frozenset({"autojudge", "open-qa"})
"""Formats that hold items or questions, and no pairs: their own tests have these laws."""
BARE = frozenset({"generations", "rag"})
"""Formats that hold samples, and nobody's work: so have these."""
TABLES = frozenset({"csv", "json", "jsonl", "xlsx"})
"""Names under which tables of pairs are read, and tables of annotations are written."""


@dataclass(frozen=True)
class Trip:
    """What came of writing and reading.

    Attributes:
        place: what was written.
    """

    place: Path
    report: ExportReport
    back: list[Record]
    problems: list[Problem]


def about(name: str) -> FormatTraits:
    """What a format says of itself."""
    found: FormatTraits = registry.load("exporters", name).about  # type: ignore[attr-defined]
    return found


def write(records: Iterable[Record], name: str, place: Path) -> ExportReport:
    """Writes records to a new file or folder."""
    exporter: Any = registry.load("exporters", name)
    opened: Any = (
        open_output(place) if about(name).place is FormatTarget.STREAM else open_folder(place)
    )
    with opened as target:
        return write_counted(exporter, records, target, options=ExportOptions())


def read(place: Path, name: str, **options: Any) -> tuple[list[Record], list[Problem]]:
    """The records and problems of a file or folder."""
    found = list(registry.load("importers", name).read(place, ImportOptions(**options)))
    records = [item for item in found if isinstance(item, Record)]
    return records, [item for item in found if isinstance(item, Problem)]


def trip(records: Sequence[Record], name: str, place: Path) -> Trip:
    """Records written and read again."""
    report = write(records, name, place)
    return Trip(place, report, *read(place, name, language="en"))


def hold(found: Sequence[Record], done: Trip, name: str) -> None:
    """The law of a trip: what the report does not tell is as it was, and it tells of nothing else.

    Samples that are left out are counted, the others keep their order. Where one kind of loss alone
    is told, there is one.
    """
    report = done.report
    reported = set(report.lost) - {IN_THEM}
    assert [problem for problem in done.problems if problem.refused and report.records] == []
    assert len(done.back) == report.records
    assert report.records == len(found) - sum(report.lost.get(word, 0) for word in LEFT_OUT)
    named = (
        set() if RecordTrait.DATASET in about(name).carried else {RecordTrait.DATASET}
    )  # by the file
    after = views(done.back, name, reported | named)
    places = _places(views(found, name, reported | named), after)
    kept = [found[place] for place in places]
    if not reported & LEFT_OUT:
        assert after == views(kept, name, reported | named)
    assert len(kept) == len(after)
    if named - reported:
        assert len({record.sample.dataset for record in kept}) <= 1
    if len(reported) == 1:
        assert views(done.back, name, named - reported) != views(found, name, named - reported)


def _places(before: Sequence[Any], after: Iterable[Any]) -> list[int]:
    """Where each of some stands among all, in order; ends at the first that is not there."""
    found: list[int] = []
    for one in after:
        start = found[-1] + 1 if found else 0
        place = next((at for at in range(start, len(before)) if before[at] == one), None)
        if place is None:
            break
        found.append(place)
    return found


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
    return Record(sample, (OwnedAnnotation(person, annotation),), done, (somebody,))


def _imported(plain: Record, person: str) -> list[Record]:
    """Work that was read, with a field that has no place here: of a form that is no other's."""
    original = {"format": "elsewhere", "confidence": 0.9}
    one = replace(plain.annotations[0].annotation, imported=original)
    sample = replace(plain.sample, imported=original)
    return [replace(plain, sample=sample, annotations=(OwnedAnnotation(person, one),))]


def examples(person: str) -> dict[RecordTrait, list[Record]]:
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
        RecordTrait.OVERLAP: [replace(plain, annotations=(owned, OwnedAnnotation(person, second)))],
        RecordTrait.FRAGMENTS: changed(claim=_claim((0, 2), (8, 18))),
        RecordTrait.LINK: changed(evidence=_evidence((8, 18))),
        RecordTrait.EVIDENCES: changed(evidence=_evidence((8, 18), (23, 25))),
        RecordTrait.TREE: changed(labels=(("Unwanted", "Intrinsic"),)),
        RecordTrait.NOTE: changed(note="12,\nnot 15"),
        RecordTrait.ANNOTATOR: [
            replace(
                plain,
                annotations=(replace(owned, person="li"),),
                assignments=(Assignment("li", State.DONE),),
                people=(stranger,),
            )
        ],
        RecordTrait.TIME: changed(
            created="2026-01-02T09:00:00.000000+00:00", updated="2026-01-02T09:30:00.000000+00:00"
        ),
        RecordTrait.EMPTY: [replace(plain, annotations=())],
        RecordTrait.ORIGIN: changed(origin="machine:toy"),
        RecordTrait.TEXTS: [plain],
        RecordTrait.SEVERAL: changed(labels=(("Vague",), ("Wrong",))),
        RecordTrait.BARE: changed(labels=()),
        RecordTrait.UNCLAIMED: changed(claim=(), evidence=_evidence((8, 18))),
        RecordTrait.UNREAD: [replace(plain, annotations=(), assignments=(), people=())],
        RecordTrait.STATE: worked(state=State.FLAGGED),
        RecordTrait.OPINION: worked(rating="good", comment="why?"),
        RecordTrait.VERSION: changed(version=3, label_set="ab" * 32, guidelines="cd" * 32),
        RecordTrait.TRACE: changed(
            evidence=_evidence((8, 18)), trace=AssistTrace(places=(OUTSIDE,))
        ),
        RecordTrait.SETTLED: changed(
            origin="adjudicated", settled=Adjudication("li", ReviewAction.TAKEN, ("x",))
        ),
        RecordTrait.SUGGESTED: changed(suggested=Provenance(suggestion="s", maker="toy")),
        RecordTrait.META: told(meta={"n": 1.5, "model": "toy"}),
        RecordTrait.GROUP: told(group="g"),
        RecordTrait.REQUEST: told(request=Request(question="how much?")),
        RecordTrait.KIND: told(kind=SampleKind.QUESTION),
        RecordTrait.TITLE: told(documents=titled),
        RecordTrait.IMPORTED: _imported(plain, person),
        RecordTrait.ABOUT: [replace(plain, about=DatasetDescription(license="MIT"))],
        RecordTrait.DATASET: [
            plain,
            replace(plain, sample=replace(plain.sample, dataset="e", id="2")),
        ],
    }
