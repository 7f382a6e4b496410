"""doccano: JSON lines with one text each, entities and relations; source and summary are joined."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Problem, Record
from tui_annotate.domain.samples import Sample, Side, fingerprint
from tui_annotate.plugins.admission import (
    covered,
    dataset_name,
    described,
    document,
    field,
    identifier,
)
from tui_annotate.plugins.entities import EVIDENCE, Apart, Entity, Relation, Together, Whole
from tui_annotate.plugins.files.json_values import Value
from tui_annotate.plugins.imported import dotted, flat_label, label_path, made_id
from tui_annotate.plugins.joined import Joined, join, part
from tui_annotate.plugins.json_records import json_records
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.person_files import is_several, person_records
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
from tui_annotate.plugins.traits import About, Trait, plainly

FORMAT: Final = "doccano"
UNLABELLED: Final = "Unlabelled"
_NOBODY: Final = ("all", "unknown")
"""Names of files in an export that name nobody."""

_OURS = {"source_len", "sep_len", "sample_id", "dataset", "group", "sha256", "meta"}
_THEIRS = {"id", "text", "entities", "relations", "label"}


class DoccanoFormat:
    """Its form with relations; the plain form of `[start, end, label]` is read as well."""

    name = FORMAT
    about = About(
        title="doccano's JSON lines with relations",
        layered=True,
        carried=plainly(
            Trait.OVERLAP,
            Trait.BARE,
            Trait.UNCLAIMED,
            Trait.META,
            Trait.GROUP,
            Trait.DATASET,
            fragments="relations",
            link="relations",
            evidences="relations",
            tree="joined",
            texts="joined",
        ),
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a line; see `Importer.read`.

        Of a folder or zip with a file for each user, as doccano exports them, one a sample.
        """
        dataset = dataset_name(path, options.dataset)

        def read(
            fields: dict[str, Any], value: Value, person: str = FORMAT
        ) -> tuple[Record, list[str]]:
            line = _Line(fields, value.number, options, person=person)
            return line.record(dataset, value.where), line.doubts

        if is_several(path):
            return person_records(path, options, read, what="line")
        return json_records(path, options, read, what="line")

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """One line a sample that the layer has read; see `Exporter.write`."""
        del options
        report = Report()
        tally = Tally(self.about, report, own=FORMAT)
        for record in records:
            pair = tally.pair(record)
            if pair is None or not tally.read(record):
                continue
            try:
                joined = join(pair[0].text, pair[1].text)
            except InvalidInput:
                report.lose("samples whose texts hold the separator")
                report.lose("annotations of such samples", len(record.annotations))
                continue
            tally.count(record)
            report.records += 1
            report.annotations += len(record.annotations)
            line = _line(record, joined, report)
            target.write(json.dumps(line, ensure_ascii=False))
            target.write("\n")
        return report


def _line(record: Record, joined: Joined, report: Report) -> dict[str, Any]:
    sample = record.sample
    apart = Apart(joined, _name, whole=False)
    for owned in record.annotations:
        one = owned.annotation
        apart.add(one)
        report.lose("labels with a dot in a name", dotted(one.labels))
        report.lose(f"labels called {EVIDENCE} without a claim", _mistaken(one))
        report.lose(f"labels called {UNLABELLED}", (UNLABELLED,) in one.labels)
    entities = [
        {"id": place, "label": one.label, "start_offset": span.start, "end_offset": span.end}
        for place, one in enumerate(apart.entities)
        for span in one.spans
    ]
    relations = [
        {"id": place, "from_id": one.start, "to_id": one.end, "type": one.kind}
        for place, one in enumerate(apart.relations)
    ]
    return {
        "id": report.records,
        "text": joined.text,
        "entities": entities,
        "relations": relations,
        "sample_id": sample.id,
        "dataset": sample.dataset,
        "source_len": len(joined.source),
        "sep_len": len(joined.separator),
        "sha256": fingerprint(joined.text),
        **({"group": sample.group} if sample.group else {}),
        **({"meta": dict(sample.meta)} if sample.meta else {}),
    }


def _name(path: LabelPath | None) -> str:
    return UNLABELLED if path is None else flat_label(path)


def _mistaken(one: Annotation) -> int:
    return not one.claim and (EVIDENCE,) in one.labels


class _Line:
    """One line.

    Attributes:
        doubts: what was left out of it, once it is read.
    """

    def __init__(
        self, fields: Mapping[str, Any], number: int, options: ImportOptions, *, person: str
    ) -> None:
        self._fields = fields
        self._person = FORMAT if person in _NOBODY else person
        self._number = number
        self._options = options
        self.doubts: list[str] = []

    def record(self, dataset: str, where: str) -> Record:
        """The sample with its annotations.

        Raises:
            InvalidInput: something is missing, of the wrong kind, or does not fit the texts.
        """
        fields = self._fields
        text = field(fields, "text", option="")
        if not isinstance(text, str):
            raise InvalidInput(f"'text' is {described(text)}, not text")
        if (told := fields.get("sha256")) is not None and told != fingerprint(text):
            raise InvalidInput(
                "the text is not the one that was written: its SHA-256 differs",
                "a program that changes line ends shifts all offsets behind them",
            )
        lengths = {name: fields.get(name) for name in ("source_len", "sep_len")}
        joined = part(text, **lengths)
        sample = self._sample(joined, dataset)
        entities, relations = self._entities(text), self._relations()
        together = Together(joined, list(entities.values()), _placed(relations, list(entities)))
        owned = tuple(
            Owned(self._person, self._annotation(one, made_id(sample.key, place, self._row(one))))
            for place, one in enumerate(together.annotations())
        )
        left = together.left_out.items()
        self.doubts += [f"left out: {count:,} {what}" for what, count in left]
        somebody = Person(self._person, self._person, PersonKind.IMPORTED)
        people = (somebody,) if owned else ()
        return Record(sample, owned, people=people, where=where)

    def _row(self, one: Whole) -> list[str]:
        """What an annotation's id is made from."""
        return [one.label, one.note, *([] if self._person == FORMAT else [self._person])]

    def _sample(self, joined: Joined, dataset: str) -> Sample:
        fields, language = self._fields, self._options.language
        texts = {Side.SOURCE: joined.source, Side.SUMMARY: joined.summary}
        own = "sep_len" in fields
        meta = fields.get("meta", {}) if own else {}
        known = _THEIRS | (_OURS if own else set())
        column = self._options.id_column or ("sample_id" if own else "id")
        group = fields.get("group", "") if own else ""
        if not isinstance(group, str) or "\0" in group:
            raise InvalidInput(f"'group' is {described(group)}, no name")
        told = fields.get("dataset") if own and not self._options.dataset else None
        return Sample(
            identifier(told or self._options.dataset or dataset, what="dataset"),
            identifier(fields.get(column, self._number - 1), what=column),
            tuple(
                document(text, side=side, column=f"text ({side})", language=language)
                for side, text in texts.items()
            ),
            group=group,
            meta={name: value for name, value in fields.items() if name not in known}
            | (meta if isinstance(meta, dict) else {"meta": meta}),
        )

    def _entities(self, text: str) -> dict[Any, Entity]:
        """By their ids; those of the plain form by their places."""
        found: dict[Any, Entity] = {}
        for place, row in enumerate(_list(self._fields, "entities")):
            if not isinstance(row, dict):
                raise InvalidInput(f"an entity is {described(row)}, not an object")
            key = row.get("id", place)
            if not isinstance(key, int | str) or key in found:
                raise InvalidInput(f"an entity has the id {key!r}, as no other may")
            found[key] = _entity(
                text, (row.get("start_offset"), row.get("end_offset")), row.get("label")
            )
        for place, row in enumerate(_list(self._fields, "label")):
            if not isinstance(row, list) or len(row) != 3:
                raise InvalidInput(f"{row!r} is no start, end and label")
            found[f"label {place}"] = _entity(text, (row[0], row[1]), row[2])
        return found

    def _annotation(self, one: Whole, key: str) -> Annotation:
        unlabelled = "sep_len" in self._fields and one.label == UNLABELLED
        bare = not one.label or unlabelled or (not one.claim and one.label == EVIDENCE)
        return Annotation(
            key,
            one.claim,
            one.evidence,
            labels=() if bare else (label_path(one.label),),
            origin=f"imported:{FORMAT}",
        )

    def _relations(self) -> list[Mapping[str, Any]]:
        rows = _list(self._fields, "relations")
        if not all(isinstance(row, dict) for row in rows):
            raise InvalidInput("'relations' is no list of objects")
        return rows


def _list(fields: Mapping[str, Any], name: str) -> list[Any]:
    rows = fields.get(name) or []
    if not isinstance(rows, list):
        raise InvalidInput(f"{name!r} is {described(rows)}, not a list")
    return rows


def _entity(text: str, ends: tuple[Any, Any], label: Any) -> Entity:
    if not isinstance(label, str):
        raise InvalidInput(f"the label of an entity is {described(label)}, not text")
    return Entity(label, (covered(text, *ends, quote=None, what=f"entity {label!r}"),))


def _placed(rows: Iterable[Mapping[str, Any]], keys: list[Any]) -> Iterator[Relation]:
    places = {key: place for place, key in enumerate(keys)}
    for row in rows:
        ends = [row.get("from_id"), row.get("to_id")]
        found = [places.get(end) if isinstance(end, int | str) else None for end in ends]
        if found[0] is None or found[1] is None or found[0] == found[1]:
            raise InvalidInput(
                f"a relation leads from {ends[0]!r} to {ends[1]!r}, which are no two"
            )
        yield Relation(str(row.get("type")), found[0], found[1])
