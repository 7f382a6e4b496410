"""Records to the samples of a dump or a release; counts what they have no place for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Sample
from tui_annotate.plugins.admission import Seen
from tui_annotate.plugins.formats.mercury.names import (
    FORMAT,
    JOINER,
    META,
    ORIGIN,
    RELEASE,
    Dialect,
    is_above,
)
from tui_annotate.plugins.imported import dotted, flat_label, label_path
from tui_annotate.plugins.losses import Tally
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
        self._tally = Tally(dialect.about, self.report, own=dialect.format)
        self._position = -1
        self._made = _FIRST_MADE_ID - 1

    def row(self, record: Record) -> dict[str, Any] | None:
        """The sample as Mercury has it; None where it has no such thing."""
        sample = record.sample
        pair = self._tally.pair(record)
        if pair is None:
            return None
        self._position += 1
        self.report.records += 1
        self._tally.count(record)
        imported = _kept(sample.imported, self._dialect.format)
        number = self._sample_id(sample, imported)
        fields: dict[str, Any] = {
            "sample_id": number,
            "source": pair[0].text,
            "summary": pair[1].text,
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
            told = _told(annotation)
            name = {"annotator_name": names.get(owned.person, owned.person)}
            base = {
                "annot_id": annot_id,
                **({} if dialect.released else {"sample_id": number}),
                dialect.person: owned.person,
                **(name if dialect.released else {}),
                "label": told.get("label", _label(annotation.labels)),
                "note": told.get("note", annotation.note),
                **name,
                **(_NOTHING if dialect.released else {}),
            }
            rows += self._rows(annotation, record.sample, base)
        return rows

    def _rows(
        self, annotation: Annotation, sample: Sample, base: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        self._count(annotation.labels)
        pairs = product(annotation.claim or (None,), annotation.evidence or (None,))
        for place, (claim, evidence) in enumerate(pairs):
            annot_id = (not place and base["annot_id"]) or self._next()
            yield {**base, "annot_id": annot_id} | _span(claim, sample) | _span(evidence, sample)

    def _next(self) -> int:
        self._made += 1
        return self._made

    def _count(self, labels: Sequence[LabelPath]) -> None:
        """Counts labels that a reader of the list of names takes for something else."""
        read = {label_path(flat_label(path)) for path in labels}
        hidden = sum(any(is_above(path, other) for other in read) for path in read)
        self.report.lose("labels above another of their annotation", hidden)
        self.report.lose("labels with a dot in a name", dotted(labels))


def _kept(imported: Mapping[str, Any] | None, *forms: str) -> Mapping[str, Any]:
    """What a reader kept of a dump or release; empty for what came from elsewhere."""
    return imported if imported and imported.get("format") in forms else {}


def _told(annotation: Annotation) -> Mapping[str, Any]:
    """The row that an annotation was in either form: a label without its parent stays so."""
    own = annotation.origin in (ORIGIN + FORMAT, ORIGIN + RELEASE)
    return annotation.imported or {} if own else {}


def _number(sample: Sample, kept: Any) -> Any:
    """The number that a sample's id is, or what it was when it came; None for a name."""
    if kept is not None and str(kept) == sample.id:
        return kept
    digits = sample.id.isascii() and sample.id.isdigit() and len(sample.id) <= _LONGEST_NUMBER
    return int(sample.id) if digits and str(int(sample.id)) == sample.id else None


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
