"""One sample of a dump to a record; refuses it whole where a span does not cover its quote."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Sample, Side
from tui_annotate.plugins.admission import covered, described, document, field, identifier
from tui_annotate.plugins.formats.mercury.names import FORMAT, JOINER, META, ORIGIN, RELEASE
from tui_annotate.plugins.imported import distinct, label_path, made_id

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
        owned = tuple(self._owned(row, people) for row in distinct(rows))
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

    def _owned(self, numbered: tuple[int, dict[str, Any]], people: dict[str, Person]) -> Owned:
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
        annotation = Annotation(
            id=made_id((self._dataset, self._key), times, row),
            claim=self._anchors(row, Side.SUMMARY, name),
            evidence=self._anchors(row, Side.SOURCE, name),
            labels=self._labels(row.get("label"), name),
            note=note or "",
            origin=ORIGIN + (RELEASE if released else FORMAT),
            imported=row,
        )
        return Owned(person, annotation)

    def _anchors(self, row: Mapping[str, Any], side: Side, name: str) -> tuple[Anchor, ...]:
        start, end = row.get(f"{side}_start"), row.get(f"{side}_end")
        quote = row.get(f"{side}_span")
        if start is None and end is None and quote is None:
            return ()
        what = f"{side} span of {name}"
        span = covered(self._texts[side].text, start, end, quote=quote, what=what)
        return (Anchor(side, 0, span),)

    def _labels(self, value: Any, name: str) -> tuple[LabelPath, ...]:
        labels = [] if value is None else value
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InvalidInput(f"the label of {name} is {described(value)}, not a list of names")
        paths = list(dict.fromkeys(label_path(label) for label in labels))
        kept = tuple(path for path in paths if not any(_above(path, other) for other in paths))
        if not kept:
            self.doubts.append(f"{name} has no label")
        orphans = [path for path in paths if len(path) > 1 and path[:-1] not in paths]
        if orphans:
            self.doubts.append(f"{name} has {JOINER.join(orphans[0])!r} without its parent")
        if len({path[0] for path in kept}) > 1:
            self.doubts.append(f"{name} mixes top labels: {labels!r}")
        return kept


def _above(path: LabelPath, other: LabelPath) -> bool:
    return len(path) < len(other) and other[: len(path)] == path
