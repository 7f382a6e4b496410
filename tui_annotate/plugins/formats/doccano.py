"""doccano format: JSON lines with a text (source and summary joined), entities and relations."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import Sample, fingerprint
from tui_annotate.plugins.files.json_values import JsonValue
from tui_annotate.plugins.incomplete_work import mark_incomplete
from tui_annotate.plugins.joined_texts import (
    EVIDENCE,
    JOINED_TRAITS,
    RELATIONS_UNCONNECTED,
    UNLABELLED,
    AnnotationParts,
    Entity,
    EntityBuilder,
    JoinedTexts,
    Relation,
    describe_left_out,
    join_texts,
    link_entities,
    split_text,
)
from tui_annotate.plugins.json_records import (
    Doubt,
    count_ambiguous_labels,
    description_fields,
    join_label,
    keep_field,
    keep_readable,
    list_field,
    make_row_id,
    parse_label,
    read_description,
    read_json_records,
    text_field,
    write_json_line,
)
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.offset_units import CODE_POINTS, QuotedSpan, fit_offsets
from tui_annotate.plugins.person_files import is_several, read_person_records
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import (
    choose_dataset_name,
    describe_value,
    imported_person,
    parse_identifier,
    require_field,
)
from tui_annotate.plugins.traits import FormatTraits, Loss, carry_plainly

FORMAT: Final = "doccano"
_NO_PERSON: Final = ("all", "unknown")
"""File names in a doccano export that do not name an annotator."""

_OUR_FIELDS = {"source_len", "sep_len", "sample_id", "dataset", "group", "sha256", "meta", "about"}
_DOCCANO_FIELDS = {"id", "text", "entities", "relations", "label", "labels"}
_PARTS = frozenset({"entities", "relations", "label", "labels"})
_ENTITY_FIELDS = {"id", "label", "start_offset", "end_offset", "text"}
_RELATION_FIELDS = {"id", "from_id", "to_id", "type"}


class DoccanoFormat:
    """Importer and exporter of doccano's JSON lines with relations.

    The importer also reads doccano's lines whose labels are lists `[start, end, label]`.
    """

    name = FORMAT
    about = FormatTraits(
        title="doccano's JSON lines with relations",
        layered=True,
        trains=True,
        carried=carry_plainly(
            *JOINED_TRAITS,
            fragments="relations",
            link="relations",
            evidences="relations",
            tree="joined",
            about="yes",
            texts="joined",
        ),
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Read samples from a file of doccano: one from each line.

        A folder or zip file with one file per user, as doccano exports them, gives one record per
        sample.
        """
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)

        def read(
            fields: dict[str, Any], value: JsonValue, person: str = FORMAT
        ) -> tuple[Record, list[Doubt]]:
            line = _LineReader(fields, value.number, options, person=person)
            return line.record(dataset, value.where), line.doubts

        if is_several(path):
            return read_person_records(path, options, read, what="line", parts=_PARTS)
        return read_json_records(path, options, read, what="line", parts=_PARTS)

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        report = ExportReport()
        losses = LossCounter(self.about, report, own=FORMAT)
        for record in records:
            pair = losses.check_pair(record)
            if pair is None or not losses.check_read(record):
                continue
            source, summary = pair
            try:
                joined = join_texts(source.text, summary.text)
            except InvalidInput:
                losses.count_excluded(record, Loss.SEPARATOR)
                continue
            losses.count(record)
            report.records += 1
            report.annotations += len(record.annotations)
            write_json_line(target, _record_to_json(record, joined, report), report)
        return report


def _record_to_json(record: Record, joined: JoinedTexts, report: ExportReport) -> dict[str, Any]:
    sample = record.sample
    builder = EntityBuilder(joined, join_label, whole=False)
    for owned in record.annotations:
        one = owned.annotation
        builder.add(one)
        report.count_loss(Loss.DOT.value, count_ambiguous_labels(one.labels))
        report.count_loss(
            f"the label {EVIDENCE}, if the annotation has no claim",
            not one.claim and (EVIDENCE,) in one.labels,
        )
        report.count_loss(f"labels named {UNLABELLED}", (UNLABELLED,) in one.labels)
    entities = [
        {"id": place, "label": one.label, "start_offset": span.start, "end_offset": span.end}
        for place, one in enumerate(builder.entities)
        for span in one.spans
    ]
    relations = [
        {"id": place, "from_id": one.start, "to_id": one.end, "type": one.kind}
        for place, one in enumerate(builder.relations)
    ]
    line = {
        "id": report.records,
        "text": joined.text,
        "entities": entities,
        "relations": relations,
        "sample_id": sample.id,
        "dataset": sample.dataset,
        **joined.lengths,
    }
    if sample.group:
        line["group"] = sample.group
    if sample.meta:
        line["meta"] = dict(sample.meta)
    return line | description_fields(record)


class _LineReader:
    def __init__(
        self, fields: Mapping[str, Any], number: int, options: ImportOptions, *, person: str
    ) -> None:
        self._fields = fields
        self._person = FORMAT if person in _NO_PERSON else person
        self._number = number
        self._options = options
        self.doubts: list[Doubt] = []
        self._lists: dict[str, list[Any]] = {
            name: keep_field(partial(_read_list, fields, name), [], self.doubts)
            for name in sorted(_PARTS)
        }

    def record(self, dataset: str, where: str) -> Record:
        fields = self._fields
        # Older versions of doccano name the text `data`.
        column = "data" if "text" not in fields and isinstance(fields.get("data"), str) else "text"
        require_field(fields, column)
        text = text_field(fields, column)
        if fields.get("sha256") not in (None, fingerprint(text)):
            raise InvalidInput(
                "the text of the line was changed after the export: its SHA-256 differs",
                "restore the text: changed line endings shift all later offsets",
            )
        joined = split_text(
            text, source_len=fields.get("source_len"), sep_len=fields.get("sep_len")
        )
        sample = self._make_sample(joined, dataset, column)
        entities = self._read_entities(text)
        left_out = Counter[str]()
        relations = self._read_relations(list(entities), left_out)
        linked = link_entities(
            joined, list(entities.values()), relations, left_out=left_out, doubts=self.doubts
        )
        owned = tuple(
            OwnedAnnotation(self._person, self._make_annotation(parts, sample, place))
            for place, parts in enumerate(linked)
        )
        self.doubts += describe_left_out(left_out)
        people = (imported_person(self._person),) if owned else ()
        about = read_description(fields if "sep_len" in fields else {})
        record = Record(sample, owned, people=people, where=where, about=about)
        is_refused = any(isinstance(doubt, InvalidInput) for doubt in self.doubts)
        return mark_incomplete(record, [self._person] if is_refused else [], self.doubts)

    def _make_sample(self, joined: JoinedTexts, dataset: str, text_column: str) -> Sample:
        fields = self._fields
        language = self._options.language
        own = "sep_len" in fields
        meta = fields.get("meta", {}) if own else {}
        known = {text_column} | _DOCCANO_FIELDS | (_OUR_FIELDS if own else set())
        column = self._options.id_column or ("sample_id" if own else "id")
        group = fields.get("group", "") if own else ""
        if not isinstance(group, str) or "\0" in group:
            raise InvalidInput(
                f"'group' must be text without the character U+0000, not {describe_value(group)}"
            )
        named = self._options.dataset or (fields.get("dataset") if own else None)
        return Sample(
            parse_identifier(named or dataset, what="dataset"),
            parse_identifier(fields.get(column, self._number - 1), what=column),
            joined.documents(language),
            group=group,
            meta={name: value for name, value in fields.items() if name not in known}
            | (meta if isinstance(meta, dict) else {"meta": meta}),
        )

    def _read_entities(self, text: str) -> dict[Any, Entity]:
        rows: dict[Any, _EntityRow] = {}

        def add(row: _EntityRow) -> None:
            if not isinstance(row.key, int | str) or row.key in rows:
                raise InvalidInput(
                    f"entity id {row.key!r} is a duplicate, or neither text nor an integer"
                )
            if not isinstance(row.label, str):
                raise InvalidInput(
                    f"the label of an entity is {describe_value(row.label)}, not text"
                )
            rows[row.key] = row

        for name in ("entities", "label", "labels"):
            numbered = enumerate(self._lists[name])
            parsed = keep_readable(partial(_parse_entity, name), numbered, self.doubts)
            keep_readable(add, parsed, self.doubts)
        quoted = [
            QuotedSpan(row.start, row.end, row.quote, f"entity {row.label!r}")
            for row in rows.values()
        ]
        found = fit_offsets(text, quoted, stated=self._options.offsets)
        self.doubts += found.doubts
        if found.unit != CODE_POINTS:
            self.doubts.append(f"the offsets are counted in {found.unit}")
        self._count_unread(self._lists["entities"], _ENTITY_FIELDS, "entities")
        self._count_unread(self._lists["relations"], _RELATION_FIELDS, "relations")
        return {
            row.key: Entity(row.label, (span,))
            for row, span in zip(rows.values(), found.spans, strict=True)
            if span is not None
        }

    def _count_unread(self, rows: Sequence[Any], known: set[str], what: str) -> None:
        counts = Counter(
            name for row in rows if isinstance(row, dict) for name in row if name not in known
        )
        self.doubts += [
            f"skipped: field {name!r} of {count:,} {what}" for name, count in counts.items()
        ]

    def _make_annotation(self, one: AnnotationParts, sample: Sample, place: int) -> Annotation:
        unlabelled = "sep_len" in self._fields and one.label == UNLABELLED
        labels = () if unlabelled or not one.label else (parse_label(one.label),)
        row = [one.label, one.note]
        if self._person != FORMAT:
            row.append(self._person)
        return one.annotation(make_row_id(sample.key, place, row), labels, form=FORMAT)

    def _read_relations(self, keys: Sequence[Any], left_out: Counter[str]) -> Iterator[Relation]:
        """Yield the relations between two entities of the line; count the others.

        `keys` are the entities' ids in doccano, in the order of the line.
        """
        places = {key: place for place, key in enumerate(keys)}

        def place_of(end: Any) -> int | None:
            return places.get(end) if isinstance(end, int | str) else None

        for row in self._lists["relations"]:
            fields = row if isinstance(row, dict) else {}
            start = place_of(fields.get("from_id"))
            end = place_of(fields.get("to_id"))
            if start is None or end is None or start == end:
                left_out[RELATIONS_UNCONNECTED] += 1
            else:
                kind = fields.get("type")
                yield Relation("" if kind is None else str(kind), start, end)


class _EntityRow(NamedTuple):
    key: Any
    start: Any
    end: Any
    label: Any
    quote: str | None = None


def _parse_entity(field: str, numbered: tuple[int, Any]) -> _EntityRow:
    """Parse an entity: an object, or in older versions of doccano a list [start, end, label]."""
    place, value = numbered
    if isinstance(value, list) and len(value) == 3:
        return _EntityRow(f"{field} {place}", *value)
    if not isinstance(value, dict):
        raise InvalidInput(
            f"{value!r} in {field!r} is neither an object nor a list of the form"
            " [start, end, label]",
            "import labels of whole texts as a column of a table instead",
        )
    quote = value.get("text")
    if not isinstance(quote, str | None):
        raise InvalidInput(f"the text of an entity is {describe_value(quote)}, not text")
    start = value.get("start_offset")
    end = value.get("end_offset")
    return _EntityRow(value.get("id", f"{field} {place}"), start, end, value.get("label"), quote)


def _read_list(fields: Mapping[str, Any], name: str) -> list[Any]:
    return list_field(fields, name, []) if fields.get(name) else []
