"""Format open-qa: rows of position studies (questions, key-value pairs) and models' answers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final, TextIO

from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Person, PersonKind, check_name
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.lab.position.metric import score_row
from tui_annotate.lab.position.prompts import format_pairs
from tui_annotate.lab.position.study_rows import (
    ANSWER,
    VERDICT,
    Row,
    StudyTask,
    expected_answers,
    gold_position,
    human_verdict,
    list_pairs,
    list_passages,
    parse_task,
    parse_text,
    prompt_size,
    question_id,
    question_text,
)
from tui_annotate.plugins.files.json_values import JsonValue
from tui_annotate.plugins.json_records import read_json_records, write_json_line
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import (
    NameRegister,
    choose_dataset_name,
    describe_value,
    parse_document,
    parse_identifier,
)
from tui_annotate.plugins.traits import OWN, FormatTraits, Loss, RecordTrait, carry_plainly

FORMAT: Final = "open-qa"
PEOPLE: Final = "human_verdicts"
"""Field of a row with each annotator's verdict; `human_verdict` is the majority's verdict."""
OWN_META: Final = frozenset({"task", "answers", "gold_position", "size", "passages", "metric"})
"""Keys that the reader adds to a sample's metadata; other keys are those of the row."""
LONG: Final = frozenset(
    {
        "question",
        "answers",
        "ctxs",
        "nq_annotated_gold",
        "model_documents",
        "model_prompt",
        "model_answer",
        "ordered_kv_records",
        "model_ordered_kv_records",
        PEOPLE,
        "human_verdict",
    }
)
"""Fields of a row that are not copied to a sample's metadata, such as texts."""

ABOUT: Final = FormatTraits(
    title="JSON lines: questions about passages, or key-value pairs, with a model's answers",
    carried=carry_plainly(
        RecordTrait.TEXTS,
        RecordTrait.EMPTY,
        RecordTrait.UNREAD,
        RecordTrait.OPINION,
        RecordTrait.KIND,
        RecordTrait.TITLE,
        annotator="name",
        meta=OWN,
        group=OWN,
        request=OWN,
        imported=OWN,
    ),
)


_OF_PASSAGES = ("id", "score", "hasanswer", "original_retrieval_index", "isgold")
_SHOWN_LISTS = ("ctxs", "model_documents")
_SHOWN_PAIRS = ("model_ordered_kv_records", "ordered_kv_records")
"""Names of columns that can contain a row's key-value pairs; the first non-empty column is used."""


@dataclass(frozen=True, slots=True)
class RowReader:
    """Converts the rows of a position study's file into samples; `names` holds their ids."""

    dataset: str
    language: str
    names: NameRegister

    def record(self, row: dict[str, Any], where: str) -> tuple[Record, list[str]]:
        """Return a row's sample and warnings about it; raise InvalidInput for an invalid row."""
        name = question_text(row)
        kind = parse_task(row)
        sources = (
            self._passage_documents(row) if kind is StudyTask.QA else (self._pair_document(row),)
        )
        documents = (*sources, *self._answer_documents(row))
        work, people = _parse_people(row)
        sample = Sample(
            self.dataset,
            self._unique_id(row, where),
            documents,
            kind=SampleKind.QUESTION,
            group=question_id(row),
            request=Request(question=name),
            meta=_build_meta(row, kind),
            imported={"format": FORMAT, "row": _row_without_texts(row)},
        )
        return Record(sample, assignments=work, people=people, where=where), _find_doubts(row)

    def _unique_id(self, row: Row, where: str) -> str:
        """Build a sample's id from the id of its question, the answer's position and the model."""
        place = gold_position(row)
        model = row.get("model")
        name = question_id(row) + ("" if place is None else f"@{place}")
        if isinstance(model, str) and model.strip():
            name += f":{model}"
        numbered = (name if time == 1 else f"{name}#{time}" for time in count(1))
        return next(
            each
            for each in numbered
            if self.names.remember(parse_identifier(each, what="id"), where) == where
        )

    def _passage_documents(self, row: Row) -> tuple[Document, ...]:
        return tuple(
            replace(
                parse_document(
                    each.get("text"),
                    side=Side.SOURCE,
                    column=f"text of passage {number}",
                    language=self.language,
                ),
                key=str(number),
                title=each["title"] if isinstance(each.get("title"), str) else "",
            )
            for number, each in enumerate(list_passages(row), 1)
        )

    def _pair_document(self, row: Row) -> Document:
        parse_text(row, "value")
        found = format_pairs(list_pairs(row))
        return parse_document(
            found, side=Side.SOURCE, column="pairs", language=self.language or "en"
        )

    def _answer_documents(self, row: Row) -> tuple[Document, ...]:
        """Create the summary document from the model's answer, or else from a right answer."""
        answer = row[ANSWER] if ANSWER in row else next(iter(expected_answers(row)), None)
        if answer is None:
            return ()
        if not isinstance(answer, str):
            raise InvalidInput(
                f"field {ANSWER!r} holds {describe_value(answer)}, not text",
                "put the value in quotes",
            )
        if not answer.strip():
            return ()
        return (parse_document(answer, side=Side.SUMMARY, column=ANSWER, language=self.language),)


def _build_meta(row: Row, kind: StudyTask) -> dict[str, Any]:
    found: dict[str, Any] = {
        "task": kind.value,
        "answers": list(expected_answers(row)),
        "gold_position": gold_position(row),
        "size": prompt_size(row),
    }
    if kind is StudyTask.QA:
        found["passages"] = [
            {name: each[name] for name in _OF_PASSAGES if name in each}
            for each in list_passages(row)
        ]
    stored = row.get(kind.metric)
    score = stored if isinstance(stored, int | float) else score_row(row)
    if score is not None:
        found["metric"] = float(score)
    others = {name: value for name, value in row.items() if name not in LONG}
    return others | found


def _row_without_texts(row: Row) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in {PEOPLE, "human_verdict"}}
    if parse_task(row) is StudyTask.KV:
        shown = next((name for name in _SHOWN_PAIRS if row.get(name)), None)
        return kept | ({shown: None} if shown else {})
    texts = [each["text"] for each in list_passages(row)]
    for name in _SHOWN_LISTS:
        if isinstance(row.get(name), list):
            there = zip(row[name], texts, strict=False)
            kept[name] = [_without_text(each, words) for each, words in there]
            kept[name] += row[name][len(texts) :]
    return kept


def _without_text(passage: Row, words: str) -> Row:
    if passage.get("text") != words:
        return passage
    return {name: None if name == "text" else value for name, value in passage.items()}


def _parse_people(row: Row) -> tuple[tuple[Assignment, ...], tuple[Person, ...]]:
    found = row.get(PEOPLE) or []
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise InvalidInput(
            f"field {PEOPLE!r} is not a list of objects",
            "write objects with the keys person and verdict",
        )
    work: list[Assignment] = []
    people: dict[str, Person] = {}
    for each in found:
        words = [each.get(name) or "" for name in ("person", "verdict", "comment")]
        if not all(isinstance(word, str) for word in words):
            raise InvalidInput(
                f"field {PEOPLE!r} holds a value that is not text",
                "write the fields person, verdict and comment as text",
            )
        name = check_name(words[0])
        if name in people:
            raise InvalidInput(f"field {PEOPLE!r} names a person twice")
        people[name] = Person(name, name, PersonKind.IMPORTED)
        work.append(Assignment(name, State.DONE, rating=words[1], comment=words[2]))
    return tuple(work), tuple(people.values())


def _find_doubts(row: Row) -> list[str]:
    if parse_task(row) is StudyTask.KV:
        return [] if gold_position(row) is not None else ["no key-value pair has the requested key"]
    marked = sum(each.get("isgold") is True for each in list_passages(row))
    return [f"{marked} passages are marked as gold: only the first is used"] if marked > 1 else []


class OpenQaWriter:
    """Writes one row for each sample; `report` counts the rows and the content left out."""

    def __init__(self) -> None:
        self.report = ExportReport()
        self._tally = LossCounter(ABOUT, self.report, own=FORMAT)
        self._names: dict[str, str] = {}

    def write(self, record: Record, target: TextIO) -> None:
        """Write the row of a question; count the loss of any other sample."""
        if record.sample.kind is not SampleKind.QUESTION:
            self.report.count_loss("samples that are not questions")
            self.report.count_loss(Loss.ITEM_ANNOTATIONS.value, len(record.annotations))
            return
        self._count_losses(record)
        row = row_of(record.sample)
        score = record.sample.meta.get("metric", score_row(row))
        if score is not None:
            row[parse_task(row).metric] = score
        row |= self._verdict_fields(record)
        write_json_line(target, row, self.report)

    def _verdict_fields(self, record: Record) -> dict[str, Any]:
        people = {person.id: person for person in record.people}
        verdicts = [
            work
            for work in record.assignments
            if work.rating or work.comment or work.state is State.DONE
        ]
        if not verdicts:
            return {}
        fields = [
            {"person": self._person_name(people.get(work.person)), "verdict": work.rating}
            | ({"comment": work.comment} if work.comment else {})
            for work in verdicts
        ]
        return {VERDICT: human_verdict(verdicts), PEOPLE: fields}

    def _person_name(self, person: Person | None) -> str:
        """Return a person's name, or the id if another person has the same name."""
        if person is None:
            return "?"
        if person.id not in self._names:
            taken = person.name in self._names.values()
            self._names[person.id] = person.id if taken else person.name
            self.report.count_loss(Loss.ANNOTATOR_IDS.value, self._names[person.id] != person.id)
        return self._names[person.id]

    def _count_losses(self, record: Record) -> None:
        report = self.report
        sample = record.sample
        self._tally.count(record)
        report.records += 1
        report.count_loss(Loss.ANNOTATIONS.value, len(record.annotations))
        if not _is_own(sample):
            report.count_loss(RecordTrait.META.value, len(sample.meta.keys() - OWN_META))
            report.count_loss(RecordTrait.GROUP.value, bool(sample.group))


def _is_own(sample: Sample) -> bool:
    return bool(sample.imported) and (sample.imported or {}).get("format") == FORMAT


def row_of(sample: Sample) -> dict[str, Any]:
    """Return the row that a sample was imported from; build a new row for other samples."""
    if not _is_own(sample):
        return _build_row(sample)
    try:
        return _restore_row(sample)
    except (AttributeError, InvalidInput, KeyError, TypeError, ValueError):  # edited since import
        return _build_row(sample)


def _restore_row(sample: Sample) -> dict[str, Any]:
    row: dict[str, Any] = dict((sample.imported or {})["row"])
    sources = sample.side(Side.SOURCE)
    if parse_task(row) is StudyTask.KV:
        (shown,) = (name for name in _SHOWN_PAIRS if name in row and row[name] is None)
        row[shown] = json.loads(
            sources[0].text, object_pairs_hook=lambda found: [[*pair] for pair in found]
        )
        return row
    list_passages(row)
    for name in _SHOWN_LISTS:
        if isinstance(row.get(name), list):
            texts = [each.text for each in sources]
            row[name] = [_with_text(each, at, texts) for at, each in enumerate(row[name])]
    return row


def _with_text(passage: Mapping[str, Any], at: int, texts: list[str]) -> dict[str, Any]:
    if "text" in passage and passage["text"] is None and at < len(texts):
        return {**passage, "text": texts[at]}
    return dict(passage)


def _build_row(sample: Sample) -> dict[str, Any]:
    request = sample.request
    meta = sample.meta
    answers = meta.get("answers")
    gold = meta.get("gold_position")
    summary = sample.side(Side.SUMMARY)
    row: dict[str, Any] = {
        "question": request.question or request.problem or request.title,
        "answers": answers if isinstance(answers, list) else [],
        "ctxs": [
            {"title": each.title, "text": each.text, "isgold": at == gold}
            for at, each in enumerate(sample.side(Side.SOURCE))
        ],
    }
    return row | ({ANSWER: summary[0].text} if summary else {})


class OpenQaFormat:
    """Importer and exporter of position studies: questions, answers and human verdicts."""

    name = FORMAT
    about = ABOUT

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Yield a record for each row, and a problem for each row that is refused."""
        with closing(NameRegister()) as names:
            rows = RowReader(
                choose_dataset_name(path, options.dataset, former=options.former_names),
                options.language,
                names,
            )

            def read(fields: dict[str, Any], value: JsonValue) -> tuple[Record, list[str]]:
                return rows.record(fields, value.where)

            yield from read_json_records(path, options, read, what="row")

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write a JSON line for each question; `options` has no effect."""
        del options
        writer = OpenQaWriter()
        for record in records:
            writer.write(record, target)
        return writer.report
