"""Mercury's dump, a JSON list of samples with annotations, and FaithBench's release of a dump.

An imported annotation that was not edited is exported unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, TextIO

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidInput, InvalidSpan
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Problem, Record
from tui_annotate.domain.samples import IMPORTED_COMMENTS, Sample, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.strict_json import parse_unique
from tui_annotate.plugins.files.json_values import (
    SURROGATE,
    JsonValue,
    check_text,
    read_json_values,
)
from tui_annotate.plugins.incomplete_work import list_people_with_less, mark_incomplete
from tui_annotate.plugins.json_records import (
    LABEL_JOINER,
    Doubt,
    check_object,
    count_ambiguous_labels,
    join_label,
    keep_list,
    keep_readable,
    make_row_id,
    number_repeated,
    parse_label,
    problems_at,
    read_objects,
    write_json_array,
)
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.offset_units import CountedAnnotation, convert_annotations
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import (
    NameRegister,
    choose_dataset_name,
    describe_value,
    get_field,
    imported_person,
    parse_document,
    parse_identifier,
    require_field,
)
from tui_annotate.plugins.traits import OWN, FormatTraits, Loss, RecordTrait, carry_plainly

FORMAT = "mercury"
_RELEASE = "faithbench"
_ORIGIN = "imported:"
META = "meta_"
MERCURY_TRAITS = (
    RecordTrait.OVERLAP, RecordTrait.LINK, RecordTrait.TREE, RecordTrait.NOTE,
    RecordTrait.ANNOTATOR, RecordTrait.TEXTS, RecordTrait.SEVERAL, RecordTrait.BARE,
    RecordTrait.UNCLAIMED, RecordTrait.UNREAD, RecordTrait.META,
)  # fmt: skip
_CARRIED = carry_plainly(*MERCURY_TRAITS, imported=OWN)


@dataclass(frozen=True, slots=True)
class _Dialect:
    """A variant of a JSON file format: the dump of Mercury, or the release of FaithBench."""

    format: str
    title: str
    person_key: str
    brackets: tuple[str, str]
    released: bool = False

    @property
    def about(self) -> FormatTraits:
        return FormatTraits(title=self.title, carried=_CARRIED)


_DUMP = _Dialect(FORMAT, "dump of the tool Mercury, a JSON list", "annotator", ("[", "]"))
_RELEASED = _Dialect(
    _RELEASE,
    "FaithBench's release, a JSON object",
    "annotator_id",
    ('{"samples": [', "]}"),
    released=True,
)


def _is_ancestor(path: LabelPath, other: LabelPath) -> bool:
    return len(path) < len(other) and other[: len(path)] == path


class MercuryFormat:
    """Importer and exporter of Mercury's dump, whose samples have one source and one summary.

    A label is a list of the parent's name and `Parent.Child`. A sample is imported without the
    annotations that are invalid, such as one whose span does not cover the quoted text.
    """

    name = "mercury"
    about = _DUMP.about
    _dialect = _DUMP

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)
        with closing(NameRegister()) as seen:

            def read_once(fields: dict[str, Any], value: JsonValue) -> Iterator[Record | Problem]:
                key = parse_identifier(fields.get("sample_id", value.number - 1), what="sample_id")
                if (before := seen.remember(key, value.where)) != value.where:
                    raise InvalidInput(f"duplicate sample_id {key}: already used at {before}")
                name = _find_stored_id(fields, dataset, options) or key
                language = options.language
                reader = MercurySampleReader(
                    fields, dataset=dataset, key=name, language=language, offsets=options.offsets
                )
                yield reader.record(value.where)
                yield from problems_at(value.where, reader.doubts)

            values = read_json_values(
                path,
                encoding=options.encoding,
                meter=options.meter,
                parts=frozenset({"annotations"}),
            )
            yield from read_objects(values, read_once, what="sample")

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        del options
        opening, end = self._dialect.brackets
        with closing(NameRegister()) as seen:
            writer = _DumpWriter(self._dialect, seen)
            rows = (row for record in records if (row := writer.row(record)) is not None)
            write_json_array(target, rows, report=writer.report, opening=opening, end=end)
        return writer.report


class FaithBenchFormat(MercuryFormat):
    """Importer and exporter of files in the form that FaithBench published, a variant of Mercury's.

    Metadata is one object, and the columns of a side without a span are null.
    """

    name = "faithbench"
    about = _RELEASED.about
    _dialect = _RELEASED


def _find_stored_id(fields: Mapping[str, Any], dataset: str, options: ImportOptions) -> str:
    """Return the id of the stored sample that an export replaced by a number; else ""."""
    meta = fields.get("metadata")
    name = fields.get(f"{META}id", meta.get("id") if isinstance(meta, dict) else None)
    if options.stored is None or not isinstance(name, str) or SURROGATE.search(name):
        return ""
    sample = options.stored(SampleKey(dataset, name))
    texts = [document.text for document in sample.documents] if sample else []
    return name if texts == [fields.get("source"), fields.get("summary")] else ""


_KNOWN = {"sample_id", "source", "summary", "annotations"}
_PARTS = ("span", "start", "end")
COMMENTS = "comments"
"""Field with the rows of Mercury's table `comments` on the sample's annotations."""
NO_OFFSET = -1
"""Start offset that Mercury stores for an annotation without a span in a text."""


class MercurySampleReader:
    """Reader of one sample.

    Attributes:
        doubts: warnings about the sample, and the errors of the annotations that it is without.
            The reader adds to those that it is given.
        refused: people with an annotation that is refused before the reader gets the fields.
    """

    def __init__(
        self,
        fields: Mapping[str, Any],
        *,
        dataset: str,
        key: str,
        language: str,
        offsets: str = "",
        doubts: Iterable[Doubt] = (),
        refused: Iterable[Person] = (),
    ) -> None:
        self._fields = fields
        self._offsets = offsets
        self._dataset = dataset
        self._key = key
        self._texts = {
            side: parse_document(
                get_field(fields, side.value, option=""),
                side=side,
                column=side.value,
                language=language,
            )
            for side in Side
        }
        self.doubts: list[Doubt] = [*doubts]
        self._refused = tuple(refused)

    def record(self, where: str) -> Record:
        """Convert the sample to a record; `doubts` gets what was skipped or is doubtful.

        Raises:
            InvalidInput: the texts, the annotations' list or the sample's id are invalid.
        """
        require_field(self._fields, "annotations")
        values = keep_list(self._fields, "annotations", self.doubts)
        rows = keep_readable(lambda row: check_object(row, what="annotation"), values, self.doubts)
        people: dict[str, Person] = {}
        owned = self._convert_offsets(
            keep_readable(
                lambda row: self._read_annotation(row, people), number_repeated(rows), self.doubts
            )
        )
        named = {one.person: people[one.person] for one in owned}
        sample = self._make_sample(owned)
        found = tuple(named.values())
        record = Record(sample, owned, people=found, where=where)
        given = [row.get(_get_dialect(row).person_key) for row in rows]
        refused = [people[key] for key in list_people_with_less(given, record) if key in people]
        return mark_incomplete(record, [*self._refused, *refused], self.doubts)

    def _make_sample(self, owned: tuple[OwnedAnnotation, ...]) -> Sample:
        others = {name: value for name, value in self._fields.items() if name not in _KNOWN}
        extra = {name: value for name, value in others.items() if not name.startswith(META)}
        meta = {name.removeprefix(META): others[name] for name in others if name not in extra}
        comments = self._read_comments()
        if comments is not None:
            del extra[COMMENTS]
        released = not meta and isinstance(extra.get("metadata"), dict)
        if released:
            meta = extra.pop("metadata")
        if comments is not None:
            meta = {**meta, IMPORTED_COMMENTS: comments}
        imported = {
            "format": _RELEASE if released else FORMAT,
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

    def _read_comments(self) -> list[dict[str, Any]] | None:
        """Return the rows of Mercury's comments on a sample; None if there is no such field."""
        rows = self._fields.get(COMMENTS)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            return None
        return [{"sample_id": self._fields.get("sample_id"), **row} for row in rows]

    def _convert_offsets(
        self, counted: list[tuple[str, CountedAnnotation]]
    ) -> tuple[OwnedAnnotation, ...]:
        plain = Sample(self._dataset, self._key, tuple(self._texts.values()))
        found, doubts = convert_annotations(
            [each for _, each in counted], plain, stated=self._offsets
        )
        self.doubts += doubts
        return tuple(
            OwnedAnnotation(person, _with_row_in_code_points(one, before.annotation))
            for (person, before), one in zip(counted, found, strict=True)
            if one is not None
        )

    def _read_annotation(
        self, numbered: tuple[int, dict[str, Any]], people: dict[str, Person]
    ) -> tuple[str, CountedAnnotation]:
        times, row = numbered
        name = f"annotation {row.get('annot_id')!r}"
        dialect = _get_dialect(row)
        person = row.get(dialect.person_key)
        if person is None or person == "":
            raise InvalidInput(f"{name} has no annotator", "add the annotator to every annotation")
        if not isinstance(person, str):
            raise InvalidInput(f"the annotator of {name} is {describe_value(person)}, not text")
        parse_identifier(person, what=f"annotator of {name}")
        people[person] = imported_person(person, row.get("annotator_name"))
        note = row.get("note")
        if note is not None and not isinstance(note, str):
            raise InvalidInput(f"the note of {name} is {describe_value(note)}, not text")
        claim, evidence = (
            self._read_anchor(row, side, name) for side in (Side.SUMMARY, Side.SOURCE)
        )
        if not claim and not evidence:
            raise InvalidInput(f"{name} has no span in the summary or the source")
        labels = self._read_labels(row.get("label"), name)
        annotation = Annotation(
            id=make_row_id((self._dataset, self._key), times, _normalize_row(row)),
            claim=claim,
            evidence=evidence,
            labels=labels,
            note=note or "",
            origin=_ORIGIN + dialect.format,
            imported=row,
        )
        quotes = [row.get(f"{anchor.side}_span") for anchor in annotation.anchors]
        return person, CountedAnnotation(annotation, quotes, name)

    def _read_anchor(self, row: Mapping[str, Any], side: Side, name: str) -> tuple[Anchor, ...]:
        start = row.get(f"{side}_start")
        end = row.get(f"{side}_end")
        quote = row.get(f"{side}_span")
        if _is_no_span(row, side):
            return ()
        if start is None and end is None and quote is None:
            return ()
        what = f"{side} span of {name}"
        if not isinstance(quote, str | None):
            raise InvalidInput(f"the quote of the {what} is {describe_value(quote)}, not text")
        if not (type(start) is int and type(end) is int):
            raise InvalidInput(f"the offsets {start!r}:{end!r} of the {what} are not integers")
        try:
            return (Anchor(side, 0, Span(start, end)),)
        except InvalidSpan as error:
            raise InvalidSpan(f"{what}: {error.message}", error.hint) from error

    def _read_labels(self, value: Any, name: str) -> tuple[LabelPath, ...]:
        labels = parse_label_names(value, name)
        if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
            raise InvalidInput(
                f"the label of {name} is {describe_value(labels)}, not a list of names"
            )
        paths = list(dict.fromkeys(parse_label(label) for label in labels))
        lowest = tuple(
            path for path in paths if not any(_is_ancestor(path, other) for other in paths)
        )
        if not lowest:
            self.doubts.append(f"{name} has no label")
        orphans = [path for path in paths if len(path) > 1 and path[:-1] not in paths]
        if orphans:
            self.doubts.append(
                f"{name} has the label {LABEL_JOINER.join(orphans[0])!r} without its parent label"
            )
        if len({path[0] for path in lowest}) > 1:
            self.doubts.append(f"{name} has labels under different top labels: {labels!r}")
        return lowest


def _get_dialect(row: Mapping[str, Any]) -> _Dialect:
    return _RELEASED if _RELEASED.person_key in row else _DUMP


def _is_no_span(row: Mapping[str, Any], side: Side) -> bool:
    return row.get(f"{side}_start") == NO_OFFSET and not row.get(f"{side}_span")


def parse_label_names(value: Any, annotation: str) -> Any:
    """Return the list of names that the label of an annotation stands for.

    Mercury's first versions stored one plain name, later ones a list, or a list as JSON text. A
    plain name such as `5` or `true`, which is text in a database, may be a number or Boolean value
    in its dump. No label is an empty list. Any other value is returned as it is.

    Raises:
        InvalidInput: the label begins as JSON does, but is not valid JSON.
    """
    if value is None or value in ("", "null"):
        return []
    if isinstance(value, str) and value[0] in '["{':
        value = parse_json_text(value, what=f"the label of {annotation}")
    if isinstance(value, bool | int | float):
        value = json.dumps(value)
    return [value] if isinstance(value, str) else value


def parse_json_text(raw: Any, *, what: str) -> Any:
    """Return the value of a JSON text; `what` names the text in errors, in the singular.

    Raises:
        InvalidInput: the value is not text, not valid JSON, or has a lone surrogate.
    """
    if not isinstance(raw, str) or SURROGATE.search(raw):
        raise InvalidInput(f"{what} is not text")
    try:
        value = parse_unique(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{what} is not valid JSON: {error}") from error
    try:
        check_text(value, raw)
    except InvalidInput as error:
        raise InvalidInput(f"{what}: {error.message}", error.hint) from error
    return value


def _normalize_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return an annotation's row in the form that its id depends on.

    Rows of a database and of its dump differ in the offsets -1, in a label that is text, and in
    values that are missing.
    """
    empty = tuple(f"{side}_{part}" for side in Side if _is_no_span(row, side) for part in _PARTS)
    normal = {name: value for name, value in row.items() if name not in empty}
    if "label" in row:
        normal["label"] = parse_label_names(row["label"], "the annotation")
    if "note" in row:
        normal["note"] = row["note"] or ""
    return normal


def _with_row_in_code_points(annotation: Annotation, before: Annotation) -> Annotation:
    """Return an annotation whose original row has its offsets, if they were converted."""
    if annotation.anchors == before.anchors:
        return annotation
    row = dict(annotation.imported or {})
    for side, _, span in annotation.anchors:
        row |= {f"{side}_start": span.start, f"{side}_end": span.end}
    return replace(annotation, imported=row)


_NULL_SPANS = {f"{side}_{part}": None for side in ("summary", "source") for part in _PARTS}
"""Fields that FaithBench's release sets to null if an annotation has no span in a text."""
_LONGEST_NUMBER = 18
_FIRST_MADE_ID = 1_000_000_001
"""First id that the export assigns to annotations without an id; workspace ids are smaller."""


class _DumpWriter:
    def __init__(self, dialect: _Dialect, seen: NameRegister) -> None:
        self._dialect = dialect
        self._seen = seen
        self.report = ExportReport()
        self._losses = LossCounter(dialect.about, self.report, own=dialect.format)
        self._position = -1
        self._last_made_id = _FIRST_MADE_ID - 1

    def row(self, record: Record) -> dict[str, Any] | None:
        sample = record.sample
        pair = self._losses.check_pair(record)
        if pair is None:
            return None
        source, summary = pair
        self._position += 1
        self.report.records += 1
        self._losses.count(record)
        imported = _read_original(sample.imported, self._dialect.format)
        number = self._sample_id(sample, imported)
        released = self._dialect.released
        columns = {META + name: value for name, value in sample.meta.items()}
        listed = sample.meta.get(IMPORTED_COMMENTS)
        if isinstance(listed, list) and META + IMPORTED_COMMENTS not in imported.get("keys", ()):
            del columns[META + IMPORTED_COMMENTS]
            columns[COMMENTS] = [_without_sample(row) for row in listed]
        fields: dict[str, Any] = {
            "sample_id": number,
            "source": source.text,
            "summary": summary.text,
            "annotations": self._annotation_rows(record, number),
            **({"metadata": dict(sample.meta)} if released else columns),
            **imported.get("extra", {}),
        }
        if str(number) != sample.id:
            meta, key = (fields["metadata"], "id") if released else (fields, f"{META}id")
            meta.setdefault(key, sample.id)
        order = imported.get("keys", ())
        return {key: fields[key] for key in order if key in fields} | fields

    def _sample_id(self, sample: Sample, imported: Mapping[str, Any]) -> Any:
        wanted = _sample_number(sample, imported.get("sample_id"))
        place = str(self._position)
        if wanted is not None and self._seen.remember(str(wanted), place) == place:
            return wanted
        self.report.count_loss(Loss.NUMBERED_IDS.value)
        free = self._position
        while self._seen.remember(str(free), place) != place:
            free += _FIRST_MADE_ID
        return free

    def _annotation_rows(self, record: Record, number: Any) -> list[dict[str, Any]]:
        numbered = _read_original(record.sample.imported, FORMAT, _RELEASE).get("annotations", ())
        known = {one[0]: (place, one[1]) for place, one in enumerate(numbered)}
        names = {person.id: person.name for person in record.people}
        rows: list[dict[str, Any]] = []
        dialect = self._dialect
        for owned in sorted(record.annotations, key=lambda one: _sort_key(one, known)):
            self.report.annotations += 1
            annotation = owned.annotation
            if annotation.imported is not None and annotation.origin == _ORIGIN + dialect.format:
                rows.append(dict(annotation.imported))
                continue
            # Ids of the store could be equal to ids that were imported with the dump.
            _, annot_id = known.get(annotation.id, (0, None if known else annotation.number))
            own = annotation.origin in (_ORIGIN + FORMAT, _ORIGIN + _RELEASE)
            original = annotation.imported or {} if own else {}
            name = {"annotator_name": names.get(owned.person, owned.person)}
            content = {
                "label": original.get("label", _label_names(annotation.labels)),
                "note": original.get("note", annotation.note),
            }
            base = {"annot_id": annot_id}
            if dialect.released:
                base |= {dialect.person_key: owned.person, **name, **content, **_NULL_SPANS}
            else:
                base["sample_id"] = number
                base |= {dialect.person_key: owned.person, **content, **name}
            rows += self._pair_rows(annotation, record.sample, base)
        return rows

    def _pair_rows(
        self, annotation: Annotation, sample: Sample, base: dict[str, Any]
    ) -> Iterator[dict[str, Any]]:
        # Readers of the exported names keep the lowest labels: labels above others are lost.
        labels = annotation.labels
        read = {parse_label(join_label(path)) for path in labels}
        hidden = sum(any(_is_ancestor(path, other) for other in read) for path in read)
        self.report.count_loss(Loss.COVERED_LABELS.value, hidden)
        self.report.count_loss(Loss.DOT.value, count_ambiguous_labels(labels))
        pairs = product(annotation.claim or (None,), annotation.evidence or (None,))
        for place, (claim, evidence) in enumerate(pairs):
            annot_id = base["annot_id"] if not place else None
            if not annot_id:
                annot_id = self._last_made_id = self._last_made_id + 1
            spans = _span_cells(claim, sample) | _span_cells(evidence, sample)
            yield {**base, "annot_id": annot_id} | spans


def _without_sample(comment: Any) -> Any:
    """Return a stored comment without the sample's number; other values as they are."""
    if not isinstance(comment, dict):
        return comment
    return {name: value for name, value in comment.items() if name != "sample_id"}


def _read_original(imported: Mapping[str, Any] | None, *forms: str) -> Mapping[str, Any]:
    return imported if imported and imported.get("format") in forms else {}


def _sample_number(sample: Sample, original: Any) -> Any:
    if original is not None and str(original) == sample.id:
        return original
    digits = sample.id.isascii() and sample.id.isdigit() and len(sample.id) <= _LONGEST_NUMBER
    return int(sample.id) if digits and str(int(sample.id)) == sample.id else None


def _sort_key(owned: OwnedAnnotation, known: Mapping[str, tuple[int, Any]]) -> tuple[Any, ...]:
    annotation = owned.annotation
    place = known.get(annotation.id, (len(known), None))[0]
    first = annotation.anchors[0]
    return (place, not annotation.claim, first.span.start, first.span.end, annotation.id)


def _label_names(paths: Iterable[LabelPath]) -> list[str]:
    names = (LABEL_JOINER.join(path[:depth]) for path in paths for depth in range(1, len(path) + 1))
    return list(dict.fromkeys(names))


def _span_cells(anchor: Anchor | None, sample: Sample) -> dict[str, Any]:
    if anchor is None:
        return {}
    side, index, span = anchor
    quote = span.of(sample.document(side, index).text)
    return {f"{side}_span": quote, f"{side}_start": span.start, f"{side}_end": span.end}
