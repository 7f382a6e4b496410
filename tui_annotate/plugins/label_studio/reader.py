"""Converts Label Studio tasks to samples with annotations.

A region that does not cover its quote is skipped; the other regions of its task are kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.incomplete_work import mark_incomplete
from tui_annotate.plugins.joined_texts import describe_left_out
from tui_annotate.plugins.json_records import (
    Doubt,
    check_object,
    enum_field,
    keep_list,
    keep_readable,
    make_row_id,
    object_field,
    read_description,
    text_field,
)
from tui_annotate.plugins.label_studio.results import (
    FORMAT,
    MACHINE,
    OF_DATA,
    OF_TASK,
    UNIT,
    Region,
    RegionGroup,
    Result,
    SplitTask,
    list_unread_fields,
    region_labels,
    split_task,
)
from tui_annotate.plugins.offset_units import CODE_POINTS, fit_offsets
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import get_field as field_of
from tui_annotate.plugins.record_validation import imported_person, parse_document, parse_identifier
from tui_annotate.plugins.span_columns import number_as_text

_USER_NUMBER: Final = re.compile(r"0*(\d{1,18})(?:\.0+)?", re.ASCII)
"""Number of a user, as a table may show it."""


def read_task(
    fields: Mapping[str, Any],
    options: ImportOptions,
    *,
    dataset: str,
    where: str,
    number: int,
    incomplete: frozenset[int] = frozenset(),
    documents: tuple[Document, ...] = (),
) -> tuple[Record, list[Doubt]]:
    """Return the sample of a Label Studio task with the work on it, and doubts about it.

    Args:
        number: 1-based position of the task in its file.
        incomplete: 0-based positions of submissions of which a part was refused before.
        documents: the sample's documents, if they are not the two texts of the task alone.

    Raises:
        InvalidInput: the task is invalid as a whole.
    """
    found = split_task(fields, options, unit=CODE_POINTS)
    found = replace(found, incomplete=found.incomplete | incomplete)
    doubts = list(found.doubts)
    if found.was != found.unit:
        doubts.append(f"the task's offsets are counted in {found.was}")
    return TaskReader(found, number, doubts, documents).record(dataset, where), doubts


@dataclass(slots=True)
class _Contribution:
    person: Person
    fields: Mapping[str, Any]
    result: Result
    machine: str = ""


@dataclass(slots=True)
class TaskReader:
    """Reader of one Label Studio task; `number` is its 1-based position.

    `doubts` are the warnings about the task, and the errors of what it is without; the reader adds
    to them.
    """

    task: SplitTask
    number: int
    doubts: list[Doubt]
    documents: tuple[Document, ...] = ()
    _refused: list[Person] = field(default_factory=list)

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of the task as they were read."""
        return self.task.fields

    @property
    def options(self) -> ImportOptions:
        return self.task.options

    def record(self, dataset: str, where: str) -> Record:
        """Convert the task to a record; `doubts` gets what was skipped or is doubtful.

        Raises:
            InvalidInput: the texts, the id or the fields of this program's own export are invalid.
        """
        data = check_object(
            field_of(self.fields, "data", option=""), what="field 'data' of the task"
        )
        sample = self._make_sample(data, dataset)
        sides = {self.options.source_column: Side.SOURCE, self.options.summary_column: Side.SUMMARY}
        parts = [*self._read_submissions(sides), *self._read_predictions(sides)]
        spans = self._convert_spans(sample, parts, data)
        # Grouping removes the refused regions: look for them before.
        self._refused += [
            part.person for part in parts if not part.machine and _is_incomplete(part, spans)
        ]
        owned = []
        for part in parts:
            for place, group in enumerate(part.result.groups(spans)):
                key = make_row_id(sample.key, place, [part.person.id, group.heads[0].item])
                annotation = _make_annotation(group, key, spans, part=part)
                owned.append(OwnedAnnotation(part.person.id, annotation))
        for part in parts:
            self.doubts += [*part.result.doubts, *describe_left_out(part.result.left_out)]
        self.doubts += [f"skipped: {what}" for what in list_unread_fields(self.fields)]
        people = {part.person.id: part.person for part in parts}
        about = read_description(data if UNIT in data else {})
        work = self._list_assignments(parts)
        record = Record(sample, tuple(owned), work, tuple(people.values()), where, about)
        return mark_incomplete(record, self._refused, self.doubts)

    def _list_assignments(self, parts: list[_Contribution]) -> tuple[Assignment, ...]:
        found: dict[str, Assignment] = {}
        for part in parts:
            before = found.get(part.person.id) or Assignment(part.person.id)
            result = part.result
            named = (
                ("rating", before.rating, result.rating),
                ("comment", before.comment, result.comment),
            )
            self.doubts += [
                f"skipped: {name} {old!r} of an earlier submission of {part.person.name!r}"
                for name, old, new in named
                if old and new and old != new
            ]
            work = Assignment(
                part.person.id,
                _read_state(part.fields),
                rating=result.rating or before.rating,
                comment=result.comment or before.comment,
                seconds=_read_seconds(part.fields.get("lead_time")) + before.seconds,
                updated=_read_time(part.fields.get("updated_at")),
            )
            if not part.machine and work != Assignment(part.person.id):
                found[part.person.id] = work
        return tuple(found.values())

    def _make_sample(self, data: Mapping[str, Any], dataset: str) -> Sample:
        options = self.options
        columns = {Side.SOURCE: options.source_column, Side.SUMMARY: options.summary_column}
        documents = self.documents or tuple(
            parse_document(
                field_of(data, column, option=f"--{side}-column"),
                side=side,
                column=column,
                language=options.language,
            )
            for side, column in columns.items()
        )
        own = UNIT in data
        column = options.id_column or ("sample_id" if "sample_id" in data else "")
        named = data.get(column) if column else self.fields.get("id", self.number - 1)
        key = parse_identifier(named, what=column or "id")
        named_dataset = data.get("dataset") if own else None
        meta = data.get("meta", {}) if own else {}
        kind = data.get("kind", SampleKind.PAIR) if own else SampleKind.PAIR
        request = object_field(data, "request") if own and "request" in data else {}
        known = set(columns.values())
        if column:
            known.add(column)
        if own:
            known.update(OF_DATA)
        if self.documents:
            known.add(options.second_source_column)
        rest = {name: data[name] for name in data if name not in known}
        return Sample(
            parse_identifier(options.dataset or named_dataset or dataset, what="dataset"),
            key,
            documents,
            kind=enum_field(SampleKind, kind, what="kind of sample"),
            group=_read_group(data, options.group_column, own=own),
            request=Request(
                **{name: text_field(request, name) for name in Request.__dataclass_fields__}
            ),
            meta=self._add_task_fields(rest | (meta if isinstance(meta, dict) else {"meta": meta})),
        )

    def _add_task_fields(self, meta: dict[str, Any]) -> dict[str, Any]:
        found = {name: self.fields.get(name) for name in OF_TASK}
        own = {name: value for name, value in found.items() if value not in (None, "", {}, [])}
        both = [name for name in own if name in meta and meta[name] != own[name]]
        self.doubts += [
            f"skipped the task's field {name!r}: its value in the task's 'data' differs"
            for name in both
        ]
        return own | meta

    def _read_submissions(self, sides: Mapping[str, Side]) -> list[_Contribution]:
        def read(numbered: tuple[int, Any]) -> _Contribution:
            place, value = numbered
            fields = check_object(value, what="submission")
            person = read_person(fields.get("completed_by"))
            try:
                _read_state(fields)  # an unknown state is refused here, with its submission alone
                result = _read_result(fields, sides)
            except InvalidInput:
                self._refused.append(person)
                raise
            if place in self.task.incomplete:
                self._refused.append(person)
            return _Contribution(person, fields, result)

        submissions = self._list_parts("annotations")
        replaced = _find_replaced(submissions)
        if replaced:
            count = format_count(len(replaced), "cancelled submission")
            self.doubts.append(f"skipped: {count} of people with another submission")
        numbered = [each for each in enumerate(submissions) if each[0] not in replaced]
        return keep_readable(read, numbered, self.doubts)

    def _read_predictions(self, sides: Mapping[str, Side]) -> list[_Contribution]:
        def read(value: Any) -> _Contribution:
            fields = check_object(value, what="prediction")
            version = fields.get("model_version") or "unknown"
            name = parse_identifier(version, what="model_version")
            origin = f"{MACHINE}{name}"
            result = _read_result(fields, sides)
            return _Contribution(imported_person(origin, name), fields, result, origin)

        return keep_readable(read, self._list_parts("predictions"), self.doubts)

    def _list_parts(self, name: str) -> list[Any]:
        return keep_list(self.fields, name, self.doubts) if self.fields.get(name) else []

    def _convert_spans(
        self, sample: Sample, parts: list[_Contribution], data: Mapping[str, Any]
    ) -> dict[int, Span]:
        unit = CODE_POINTS if data.get(UNIT) == CODE_POINTS else self.task.unit
        found: dict[int, Span] = {}
        every = [(part, region) for part in parts for region in part.result.regions.values()]
        for side in Side:
            regions = [region for _, region in every if region.side is side]
            # The regions of several people may have the same ids.
            quoted = [
                region.quoted._replace(what=f"{region.quoted.what} of {part.person.name!r}")
                for part, region in every
                if region.side is side
            ]
            text = sample.document(side).text
            stated = self.options.offsets
            read = fit_offsets(text, quoted, unit=unit, stated="" if unit else stated)
            self.doubts += read.doubts
            if quoted and read.unit != CODE_POINTS:
                self.doubts.append(f"the offsets of the {side} are counted in {read.unit}")
            placed = zip(regions, read.spans, strict=True)
            found |= {id(region): span for region, span in placed if span is not None}
        return found


def _make_annotation(
    group: RegionGroup, key: str, spans: Mapping[int, Span], *, part: _Contribution
) -> Annotation:
    def anchors(regions: list[Region]) -> tuple[Anchor, ...]:
        return tuple(Anchor(each.side, 0, spans[id(each)]) for each in regions)

    first = group.heads[0]
    claimed = first.side is Side.SUMMARY
    raw = first.item.get("meta")
    meta: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    notes = [note for region in group.heads for note in region.notes]
    return Annotation(
        key,
        anchors(group.heads) if claimed else (),
        anchors(group.evidence if claimed else group.heads),
        labels=region_labels(first),
        note="\n".join(notes),
        origin=part.machine or text_field(meta, "origin") or f"imported:{FORMAT}",
        created=_read_time(meta.get("created") or part.fields.get("created_at")),
        updated=_read_time(meta.get("updated")),
    )


def _find_replaced(submissions: Sequence[Any]) -> set[int]:
    """Return the positions of cancelled submissions of people who also have another submission.

    The cancelled work is not the person's result: it would change the state or add annotations.
    """
    cancelled: dict[int, str] = {}
    people: set[str] = set()
    for place, fields in enumerate(submissions):
        if not isinstance(fields, dict):
            continue
        try:
            person = read_person(fields.get("completed_by")).id
        except InvalidInput:
            continue  # the submission is refused when it is read
        if fields.get("was_cancelled") is True:
            cancelled[place] = person
        else:
            people.add(person)
    return {place for place, person in cancelled.items() if person in people}


def _is_incomplete(part: _Contribution, spans: Mapping[int, Span]) -> bool:
    """Return whether an item or a region of a submission is refused."""
    refused = any(isinstance(doubt, InvalidInput) for doubt in part.result.doubts)
    return refused or any(id(region) not in spans for region in part.result.regions.values())


def _read_result(fields: Mapping[str, Any], sides: Mapping[str, Side]) -> Result:
    result = Result(fields.get("result", []), sides)
    unread = {"score": "scores of predictions", "ground_truth": "ground-truth flags"}
    for name, what in unread.items():
        if fields.get(name):
            result.left_out[what] += 1
    return result


def read_person(user: Any) -> Person:
    """Return the annotator of a submission, who is the same person in all exports.

    `user` is a user's object, e-mail address or number; tables hold the number as text. Without a
    user, all submissions are work of one person.
    """
    if isinstance(user, dict):
        own = user.get("id")
        email = user.get("email")
        first = user.get("first_name")
        words = (word for word in (first, user.get("last_name")) if isinstance(word, str))
        name = " ".join(words).strip()
        key = own if isinstance(own, str) and own else email
        if isinstance(key, str) and key:
            shown = first if key == own and isinstance(first, str) else name or key
            return Person(parse_identifier(key, what="annotator"), shown, PersonKind.IMPORTED)
        user = own
    if found := _USER_NUMBER.fullmatch(str(number_as_text(user)).strip()):
        return imported_person(f"{FORMAT}:{found[1]}", found[1])
    if isinstance(user, str) and user.strip():
        return imported_person(parse_identifier(user.strip(), what="annotator"))
    return imported_person(FORMAT)


def _read_state(fields: Mapping[str, Any]) -> State:
    if fields.get("was_cancelled") is True:
        return State.SKIPPED
    return enum_field(State, fields.get("state", State.DONE), what="state")


def _read_group(data: Mapping[str, Any], column: str, *, own: bool) -> str:
    """Return the group in the column that the user names, else in the field `group` of our own."""
    if column:
        value = field_of(data, column, option="--group-column")
        return "" if value in ("", None) else parse_identifier(value, what="group")
    name = "group"
    group = text_field(data, name) if own else ""
    if "\0" in group:
        raise InvalidInput(f"{name!r} {group[:40]!r} contains U+0000", "remove the character")
    return group


def _read_time(value: Any) -> str:
    try:
        given = datetime.fromisoformat(value)
        zoned = given if given.tzinfo else given.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).isoformat(timespec="microseconds")
    except (TypeError, ValueError, OverflowError):
        return ""


def _read_seconds(value: Any) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 <= value < 1e9 else 0.0
