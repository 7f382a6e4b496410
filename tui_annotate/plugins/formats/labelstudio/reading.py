"""Tasks to records; a task is refused whole where a span does not cover its quote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Kind, Request, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.admission import described, document, identifier
from tui_annotate.plugins.admission import field as field_of
from tui_annotate.plugins.covered import CODE_POINTS, reading
from tui_annotate.plugins.formats.labelstudio.names import FORMAT, MACHINE, OF_DATA, OF_TASK, UNIT
from tui_annotate.plugins.formats.labelstudio.results import (
    Group,
    Region,
    Result,
    of_project,
    own_labels,
)
from tui_annotate.plugins.imported import made_id
from tui_annotate.plugins.protocols import ImportOptions


@dataclass(slots=True)
class _Part:
    """One submission or prediction.

    Attributes:
        machine: the origin of a prediction; empty for a submission.
    """

    person: Person
    fields: Mapping[str, Any]
    result: Result
    machine: str = ""


@dataclass(slots=True)
class TaskReader:
    """One task.

    Attributes:
        number: its 1-based place in the file.
        unit: how its spans count, where that is known.
        doubts: what was left out of it, once it is read.
    """

    fields: Mapping[str, Any]
    number: int
    options: ImportOptions
    unit: str = ""
    doubts: list[str] = field(default_factory=list)

    def record(self, dataset: str, where: str) -> Record:
        """The sample with the work of all who submitted, and with predictions.

        Args:
            dataset: where neither the options nor the task name one.

        Raises:
            InvalidInput: something is missing, of the wrong kind, or does not fit the texts.
        """
        data = field_of(self.fields, "data", option="")
        if not isinstance(data, dict):
            raise InvalidInput(f"the data of the task is {described(data)}, not an object")
        sample = self._sample(data, dataset)
        columns = (self.options.source_column, self.options.summary_column)
        sides = dict(zip(columns, (Side.SOURCE, Side.SUMMARY), strict=True))
        parts = [*self._submissions(sides), *self._predictions(sides)]
        spans = self._spans(sample, parts, data)
        owned = tuple(
            Owned(part.person.id, one)
            for part in parts
            for one in self._annotations(part, sample, spans)
        )
        for part in parts:
            left = part.result.left_out.items()
            self.doubts += [f"left out: {count:,} {what}" for what, count in left]
        self.doubts += [f"left out: {what}" for what in of_project(self.fields)]
        people = {part.person.id: part.person for part in parts}
        return Record(sample, owned, _assignments(parts), tuple(people.values()), where)

    def _sample(self, data: Mapping[str, Any], dataset: str) -> Sample:
        options = self.options
        columns = {
            Side.SOURCE: (options.source_column, "--source-column"),
            Side.SUMMARY: (options.summary_column, "--summary-column"),
        }
        documents = tuple(
            document(
                field_of(data, column, option=option),
                side=side,
                column=column,
                language=options.language,
            )
            for side, (column, option) in columns.items()
        )
        own = UNIT in data
        column = options.id_column or ("sample_id" if "sample_id" in data else "")
        named = data.get(column) if column else self.fields.get("id", self.number - 1)
        key = identifier(named, what=column or "id")
        told = data.get("dataset") if own and not options.dataset else None
        meta = data.get("meta", {}) if own else {}
        known = {name for name, _ in columns.values()} | ({column} if column else set())
        rest = {
            name: data[name] for name in data if name not in known | set(OF_DATA if own else ())
        }
        return Sample(
            identifier(told or options.dataset or dataset, what="dataset"),
            key,
            documents,
            kind=_kind(data) if own else Kind.PAIR,
            group=_word(data, options.group_column or ("group" if own else "")),
            request=_request(data) if own else Request(),
            meta=self._of_task(rest | (meta if isinstance(meta, dict) else {"meta": meta})),
        )

    def _of_task(self, meta: dict[str, Any]) -> dict[str, Any]:
        """The other fields with those of the task beside its data; the data's own go before."""
        found = {name: self.fields.get(name) for name in OF_TASK}
        told = {name: value for name, value in found.items() if value not in (None, "", {}, [])}
        both = [name for name in told if name in meta and meta[name] != told[name]]
        self.doubts += [f"left out: {name!r} of the task, as its data has one" for name in both]
        return told | meta

    def _submissions(self, sides: Mapping[str, Side]) -> Iterator[_Part]:
        for fields in _objects(self.fields, "annotations"):
            yield _Part(_person(fields.get("completed_by")), fields, _result(fields, sides))

    def _predictions(self, sides: Mapping[str, Side]) -> Iterator[_Part]:
        for fields in _objects(self.fields, "predictions"):
            version = fields.get("model_version") or "unknown"
            name = identifier(version, what="model_version")
            origin = f"{MACHINE}{name}"
            person = Person(origin, name, PersonKind.IMPORTED)
            yield _Part(person, fields, _result(fields, sides), origin)

    def _spans(
        self, sample: Sample, parts: list[_Part], data: Mapping[str, Any]
    ) -> dict[int, Span]:
        """The span of each region, by the region's identity; a text's are read together."""
        unit = CODE_POINTS if data.get(UNIT) == CODE_POINTS else self.unit
        found: dict[int, Span] = {}
        for side in Side:
            regions = [
                region
                for part in parts
                for region in part.result.regions.values()
                if region.side is side
            ]
            quoted = [region.quoted for region in regions]
            read = reading(sample.document(side).text, quoted, unit=unit)
            if quoted and read.unit != CODE_POINTS:
                self.doubts.append(f"the offsets of the {side} are {read.unit}")
            found |= {id(region): span for region, span in zip(regions, read.spans, strict=True)}
        return found

    def _annotations(
        self, part: _Part, sample: Sample, spans: Mapping[int, Span]
    ) -> Iterator[Annotation]:
        for place, group in enumerate(part.result.groups()):
            made = made_id(sample.key, place, [part.person.id, group.heads[0].item])
            yield _annotation(group, made, spans, part=part)


def _annotation(group: Group, key: str, spans: Mapping[int, Span], *, part: _Part) -> Annotation:
    def anchors(regions: list[Region]) -> tuple[Anchor, ...]:
        return tuple(Anchor(each.side, 0, spans[id(each)]) for each in regions)

    first = group.heads[0]
    claimed = first.side is Side.SUMMARY
    told = first.item.get("meta")
    meta: Mapping[str, Any] = told if isinstance(told, dict) else {}
    notes = [note for region in group.heads for note in region.notes]
    return Annotation(
        key,
        anchors(group.heads) if claimed else (),
        anchors(group.evidence if claimed else group.heads),
        labels=own_labels(first),
        note="\n".join(notes),
        origin=part.machine or _word(meta, "origin") or f"imported:{FORMAT}",
        created=_time(meta.get("created") or part.fields.get("created_at")),
        updated=_time(meta.get("updated")),
    )


def _assignments(parts: list[_Part]) -> tuple[Assignment, ...]:
    """One for each person who submitted; of several submissions the last says how it stands."""
    found: dict[str, Assignment] = {}
    for part in parts:
        before = found.get(part.person.id)
        work = Assignment(
            part.person.id,
            _state(part.fields),
            rating=part.result.rating,
            comment=part.result.comment,
            seconds=_seconds(part.fields.get("lead_time")) + (before.seconds if before else 0.0),
            updated=_time(part.fields.get("updated_at")),
        )
        if not part.machine and work != Assignment(part.person.id):
            found[part.person.id] = work
    return tuple(found.values())


def _result(fields: Mapping[str, Any], sides: Mapping[str, Side]) -> Result:
    result = Result(fields.get("result", []), sides)
    for name, what in _WITHOUT_PLACE.items():
        if fields.get(name):
            result.left_out[what] += 1
    return result


_WITHOUT_PLACE = {"score": "scores of predictions", "ground_truth": "marks of ground truth"}


def _objects(fields: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    found = fields.get(name) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InvalidInput(f"{name!r} is no list of objects")
    return found


def _person(told: Any) -> Person:
    """Whoever submitted: our own id, else an e-mail address, else the number of an account."""
    if isinstance(told, dict):
        own, email = told.get("id"), told.get("email")
        name = " ".join(
            word for key in ("first_name", "last_name") if isinstance(word := told.get(key), str)
        ).strip()
        key = own if isinstance(own, str) and own else email
        if isinstance(key, str) and key:
            first = told.get("first_name")
            shown = first if key == own and isinstance(first, str) else name or key
            return Person(identifier(key, what="annotator"), shown, PersonKind.IMPORTED)
        told = own
    if isinstance(told, int) and not isinstance(told, bool):
        return Person(f"{FORMAT}:{told}", str(told), PersonKind.IMPORTED)
    return Person(FORMAT, FORMAT, PersonKind.IMPORTED)


def _state(fields: Mapping[str, Any]) -> State:
    if fields.get("was_cancelled") is True:
        return State.SKIPPED
    told = fields.get("state", State.DONE)
    if told not in list(State):
        raise InvalidInput(f"{told!r} is no state", ", ".join(State))
    return State(told)


def _kind(data: Mapping[str, Any]) -> Kind:
    told = data.get("kind", Kind.PAIR)
    if told not in list(Kind):
        raise InvalidInput(f"{told!r} is no kind of sample", ", ".join(Kind))
    return Kind(told)


def _request(data: Mapping[str, Any]) -> Request:
    told = data.get("request", {})
    if not isinstance(told, dict):
        raise InvalidInput(f"'request' is {described(told)}, not an object")
    return Request(**{name: _word(told, name) for name in Request.__dataclass_fields__})


def _word(fields: Mapping[str, Any], name: str) -> str:
    word = fields.get(name, "") if name else ""
    if not isinstance(word, str):
        raise InvalidInput(f"{name!r} is {described(word)}, not text")
    if "\0" in word and name == "group":
        raise InvalidInput(f"{name!r} {word[:40]!r} holds NUL", "take it out")
    return word


def _time(told: Any) -> str:
    """A time as the store writes it; empty for what is none."""
    try:
        given = datetime.fromisoformat(told)
        zoned = given if given.tzinfo else given.replace(tzinfo=UTC)
        return zoned.astimezone(UTC).isoformat(timespec="microseconds")
    except (TypeError, ValueError, OverflowError):
        return ""


def _seconds(told: Any) -> float:
    number = isinstance(told, int | float) and not isinstance(told, bool)
    return float(told) if number and 0 <= told < 1e9 else 0.0
