"""Records to the samples of a dump or a release; counts what they have no place for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Kind, Request, Sample, Side
from tui_annotate.plugins.admission import Seen
from tui_annotate.plugins.formats.mercury.names import (
    FORMAT,
    JOINER,
    META,
    ORIGIN,
    RELEASE,
    Dialect,
)
from tui_annotate.plugins.protocols import Report

_PARTS = ("span", "start", "end")
_NOTHING = {f"{side}_{part}": None for side in ("summary", "source") for part in _PARTS}
"""What an annotation says of a side that it does not mark, in a release."""
_LONGEST_NUMBER = 18
_FIRST_MADE_ID = 1_000_000_001
"""Rows that have no number of their own are numbered from here, above any number of a store."""


class DumpWriter:
    """Records to rows, counting what does not fit.

    Args:
        seen: told of the ids of samples that were given.
    """

    def __init__(self, dialect: Dialect, seen: Seen) -> None:
        self._dialect = dialect
        self._seen = seen
        self.report = Report()
        self._position = -1
        self._made = _FIRST_MADE_ID - 1
        self._dataset: str | None = None

    def row(self, record: Record) -> dict[str, Any] | None:
        """The sample as Mercury has it; None where it has no such thing."""
        sample = record.sample
        sources, summaries = sample.side(Side.SOURCE), sample.side(Side.SUMMARY)
        if len(sources) != 1 or len(summaries) != 1:
            self.report.lose("samples that are no pair")
            self.report.lose("annotations of such samples", len(record.annotations))
            return None
        self._position += 1
        self.report.records += 1
        self._count_sample(record)
        imported = _kept(sample.imported, self._dialect.format)
        number = self._sample_id(sample, imported)
        fields: dict[str, Any] = {
            "sample_id": number,
            "source": sources[0].text,
            "summary": summaries[0].text,
            "annotations": self._annotations(record, number),
            **self._meta(sample),
            **imported.get("extra", {}),
        }
        if not self._dialect.released and number != sample.id and str(number) != sample.id:
            fields.setdefault(f"{META}id", sample.id)
        elif self._dialect.released and str(number) != sample.id:
            fields["metadata"].setdefault("id", sample.id)
        order = imported.get("keys", ())
        return {key: fields[key] for key in order if key in fields} | fields

    def _meta(self, sample: Sample) -> dict[str, Any]:
        if self._dialect.released:
            return {"metadata": dict(sample.meta)}
        return {META + name: value for name, value in sample.meta.items()}

    def _sample_id(self, sample: Sample, imported: Mapping[str, Any]) -> Any:
        wanted, place = _number(sample, imported.get("sample_id")), str(self._position)
        if wanted is not None and self._seen.first(str(wanted), place) == place:
            return wanted
        self.report.lose("sample ids, numbered instead")
        free = self._position
        while self._seen.first(str(free), place) != place:
            free += _FIRST_MADE_ID
        return free

    def _count_sample(self, record: Record) -> None:
        sample, lose = record.sample, self.report.lose
        if self._dataset is None:
            self._dataset = sample.dataset
        lose("names of further datasets", sample.dataset != self._dataset)
        lose("groups", bool(sample.group))
        lose("requests", sample.request != Request())
        lose("kinds", sample.kind is not Kind.PAIR)
        lose("keys and titles of documents", sum(bool(d.key or d.title) for d in sample.documents))
        annotated = {owned.person for owned in record.annotations}
        for assignment in record.assignments:
            if assignment.state is State.DONE and assignment.person not in annotated:
                lose("samples done with nothing found")
            elif _says_something(assignment):
                lose("states, ratings, comments and times of samples")

    def _annotations(self, record: Record, number: Any) -> list[dict[str, Any]]:
        numbered = _kept(record.sample.imported, FORMAT, RELEASE).get("annotations", ())
        known = {one[0]: (place, one[1]) for place, one in enumerate(numbered)}
        names = {person.id: person.name for person in record.people}
        rows: list[dict[str, Any]] = []
        dialect = self._dialect
        for owned in sorted(record.annotations, key=lambda one: _order(one, known)):
            self.report.annotations += 1
            annotation = owned.annotation
            if annotation.imported is not None and annotation.origin == ORIGIN + dialect.format:
                rows.append(dict(annotation.imported))
                continue
            # Numbers of the store could meet those that came with the dump.
            _, annot_id = known.get(annotation.id, (0, None if known else annotation.number))
            name = {"annotator_name": names.get(owned.person, owned.person)}
            base = {
                "annot_id": annot_id,
                **({} if dialect.released else {"sample_id": number}),
                dialect.person: owned.person,
                **(name if dialect.released else {}),
                "label": _label(annotation.labels),
                "note": annotation.note,
                **name,
                **(_NOTHING if dialect.released else {}),
            }
            rows += self._rows(annotation, record.sample, base)
        return rows

    def _rows(
        self, annotation: Annotation, sample: Sample, base: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        self._count(annotation)
        pairs = list(product(annotation.claim or (None,), annotation.evidence or (None,)))
        self.report.lose("further spans, in rows of their own", len(pairs) - 1)
        for place, (claim, evidence) in enumerate(pairs):
            annot_id = (not place and base["annot_id"]) or self._next()
            yield {**base, "annot_id": annot_id} | _span(claim, sample) | _span(evidence, sample)

    def _next(self) -> int:
        self._made += 1
        return self._made

    def _count(self, annotation: Annotation) -> None:
        lose = self.report.lose
        lose("times and versions of annotations", bool(annotation.created or annotation.updated))
        lose("places of evidence in the assist", annotation.trace is not None)
        lose("how it was settled", annotation.settled is not None)
        lose(
            "origins of annotations",
            annotation.origin not in ("human", ORIGIN + self._dialect.format),
        )
        dotted = any(JOINER in name for path in annotation.labels for name in path)
        lose("labels with a dot in a name", dotted)


def _kept(imported: Mapping[str, Any] | None, *forms: str) -> Mapping[str, Any]:
    """What a reader kept of a dump or release; empty for what came from elsewhere."""
    return imported if imported and imported.get("format") in forms else {}


def _number(sample: Sample, kept: Any) -> Any:
    """The number that a sample's id is, or what it was when it came; None for a name."""
    if kept is not None and str(kept) == sample.id:
        return kept
    digits = sample.id.isascii() and sample.id.isdigit() and len(sample.id) <= _LONGEST_NUMBER
    return int(sample.id) if digits and str(int(sample.id)) == sample.id else None


def _says_something(assignment: Assignment) -> bool:
    return (
        assignment.state is not State.NEW
        or bool(assignment.rating or assignment.comment)
        or assignment.seconds > 0
    )


def _order(owned: Owned, known: Mapping[str, tuple[int, Any]]) -> tuple[Any, ...]:
    annotation = owned.annotation
    place = known.get(annotation.id, (len(known), None))[0]
    first = annotation.anchors[0]
    return (place, not annotation.claim, first.span.start, first.span.end, annotation.id)


def _label(paths: Iterable[LabelPath]) -> list[str]:
    """Each path with all that is above it, once each."""
    names = (JOINER.join(path[:depth]) for path in paths for depth in range(1, len(path) + 1))
    return list(dict.fromkeys(names))


def _span(anchor: Anchor | None, sample: Sample) -> dict[str, Any]:
    if anchor is None:
        return {}
    side, span = anchor.side, anchor.span
    text = sample.document(side, anchor.index).text
    return {
        f"{side}_span": span.of(text),
        f"{side}_start": span.start,
        f"{side}_end": span.end,
    }
