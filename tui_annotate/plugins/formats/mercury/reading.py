"""One sample of a dump to a record; refuses it whole where a span does not cover its quote."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.admission import described, document, field, identifier
from tui_annotate.plugins.formats.mercury.names import (
    FORMAT,
    JOINER,
    META,
    ORIGIN,
    RELEASE,
    is_above,
)
from tui_annotate.plugins.imported import distinct, label_path, made_id
from tui_annotate.plugins.recounting import Said, recounted

_KNOWN = {"sample_id", "source", "summary", "annotations"}


class SampleReader:
    """One sample of a dump."""

    def __init__(self, fields: Mapping[str, Any], *, dataset: str, key: str, language: str) -> None:
        self._fields = fields
        self._dataset = dataset
        self._key = key
        self._texts = {
            side: document(
                field(fields, side.value, option=""),
                side=side,
                column=side.value,
                language=language,
            )
            for side in Side
        }
        self.doubts: list[str] = []

    def record(self, where: str) -> Record:
        """The sample with its annotations and the people who made them.

        Raises:
            InvalidInput: something is missing, of the wrong kind, or does not fit the texts.
        """
        rows = field(self._fields, "annotations", option="")
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise InvalidInput("'annotations' is no list of objects")
        people: dict[str, Person] = {}
        owned = self._recounted([self._said(row, people) for row in distinct(rows)])
        return Record(self._sample(owned), owned, people=tuple(people.values()), where=where)

    def _sample(self, owned: tuple[Owned, ...]) -> Sample:
        meta = {
            name.removeprefix(META): value
            for name, value in self._fields.items()
            if name.startswith(META)
        }
        extra = {
            name: value
            for name, value in self._fields.items()
            if name not in _KNOWN and not name.startswith(META)
        }
        released = not meta and isinstance(extra.get("metadata"), dict)
        if released:
            meta = extra.pop("metadata")
        imported = {
            "format": RELEASE if released else FORMAT,
            "sample_id": self._fields.get("sample_id"),
            "keys": list(self._fields),
            "extra": extra,
            "annotations": [
                [one.annotation.id, (one.annotation.imported or {}).get("annot_id")]
                for one in owned
            ],
        }
        return Sample(
            self._dataset,
            self._key,
            (self._texts[Side.SOURCE], self._texts[Side.SUMMARY]),
            meta=meta,
            imported=imported,
        )

    def _recounted(self, said: list[tuple[str, Said]]) -> tuple[Owned, ...]:
        """Annotations with their spans in code points; rows that counted otherwise say so too."""
        plain = Sample(self._dataset, self._key, tuple(self._texts.values()))
        found, doubts = recounted([each for _, each in said], plain)
        self.doubts += doubts
        return tuple(
            Owned(person, replace(one, imported=_placed(one)) if doubts else one)
            for (person, _), one in zip(said, found, strict=True)
        )

    def _said(
        self, numbered: tuple[int, dict[str, Any]], people: dict[str, Person]
    ) -> tuple[str, Said]:
        times, row = numbered
        name = f"annotation {row.get('annot_id')!r}"
        released = "annotator_id" in row
        person = row.get("annotator_id" if released else "annotator")
        if not isinstance(person, str) or not person:
            raise InvalidInput(f"{name} names no annotator", "every annotation needs one")
        identifier(person, what=f"annotator of {name}")
        shown = row.get("annotator_name")
        people[person] = Person(
            person, shown if isinstance(shown, str) and shown else person, PersonKind.IMPORTED
        )
        note = row.get("note")
        if note is not None and not isinstance(note, str):
            raise InvalidInput(f"the note of {name} is {described(note)}, not text")
        claim, evidence = (self._anchor(row, side, name) for side in (Side.SUMMARY, Side.SOURCE))
        annotation = Annotation(
            id=made_id((self._dataset, self._key), times, row),
            claim=claim,
            evidence=evidence,
            labels=self._labels(row.get("label"), name),
            note=note or "",
            origin=ORIGIN + (RELEASE if released else FORMAT),
            imported=row,
        )
        quotes = [row.get(f"{anchor.side}_span") for anchor in annotation.anchors]
        return person, Said(annotation, quotes, name)

    def _anchor(self, row: Mapping[str, Any], side: Side, name: str) -> tuple[Anchor, ...]:
        """The span of a side as it was counted; none where the row marks nothing there."""
        start, end = row.get(f"{side}_start"), row.get(f"{side}_end")
        quote = row.get(f"{side}_span")
        if start is None and end is None and quote is None:
            return ()
        what = f"{side} span of {name}"
        if not isinstance(quote, str | None):
            raise InvalidInput(f"{what} quotes {described(quote)}, not text")
        if not (type(start) is int and type(end) is int):
            raise InvalidInput(f"{what} {start!r}:{end!r} is no pair of integers")
        try:
            return (Anchor(side, 0, Span(start, end)),)
        except InvalidSpan as error:
            raise InvalidSpan(f"{what}: {error.message}", error.hint) from error

    def _labels(self, value: Any, name: str) -> tuple[LabelPath, ...]:
        labels = [] if value is None else value
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InvalidInput(f"the label of {name} is {described(value)}, not a list of names")
        paths = list(dict.fromkeys(label_path(label) for label in labels))
        kept = tuple(path for path in paths if not any(is_above(path, other) for other in paths))
        if not kept:
            self.doubts.append(f"{name} has no label")
        orphans = [path for path in paths if len(path) > 1 and path[:-1] not in paths]
        if orphans:
            self.doubts.append(f"{name} has {JOINER.join(orphans[0])!r} without its parent")
        if len({path[0] for path in kept}) > 1:
            self.doubts.append(f"{name} mixes top labels: {labels!r}")
        return kept


def _placed(annotation: Annotation) -> dict[str, Any]:
    """The row that it was, with its offsets in code points."""
    row = dict(annotation.imported or {})
    for side, _, span in annotation.anchors:
        row |= {f"{side}_start": span.start, f"{side}_end": span.end}
    return row
