"""Formats of questions with a right answer and generated answers (project Dreamcatcher).

A generated answer is the summary of its sample, the right answer is the source. Answers to one
question are a group. A row without a right answer or a normal generation is refused. An export
writes the imported fields unchanged; scores of newer runs take precedence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.label_changes import FormerNames
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.scores import Score
from tui_annotate.lab.score.ranking import (
    AS_RIGHT,
    AS_WRONG,
    CATEGORY,
    RANK,
    REWARD,
    AnswerLabel,
    categorise,
    choose_preference,
    choose_unsure_answer,
)
from tui_annotate.lab.score.sample_reader import (
    ANSWER,
    NORMAL,
    OTHERS,
    UNCERTAINTY,
    is_answer,
    uncertain_answers,
)
from tui_annotate.methods.verdicts import find_verdict
from tui_annotate.plugins.files.json_values import JsonValue, read_json_values
from tui_annotate.plugins.json_records import problems_at, read_objects, write_json_line
from tui_annotate.plugins.losses import LossCounter
from tui_annotate.plugins.protocols import ExportOptions, ExportReport, ImportOptions
from tui_annotate.plugins.record_validation import (
    NameRegister,
    choose_dataset_name,
    describe_value,
    get_field,
    parse_document,
    parse_identifier,
)
from tui_annotate.plugins.traits import OWN, FormatTraits, RecordTrait, carry_plainly

FORMAT: Final = "generations"
ROW_FIELDS: Final = ("question", "answer", "type", "generation")
RANKING_FIELDS: Final = ("category", "rank")
GENERATION_FIELDS: Final = ("text", "type")

TRAITS: Final = FormatTraits(
    title="JSON lines: a question, its right answer and generated answers",
    trains=True,
    carried=carry_plainly(
        RecordTrait.TEXTS,
        RecordTrait.META,
        RecordTrait.UNREAD,
        group="each line's samples are a group",
        request="question",
        kind="question",
        title="answer",
        imported=OWN,
    ),
)
PREFERENCE_TRAITS: Final = FormatTraits(
    title="JSON lines: a question and its preferred answers, for training",
    trains=True,
    carried=carry_plainly(RecordTrait.UNREAD, texts="of summaries"),
)


def imported_fields(sample: Sample) -> Mapping[str, Any]:
    """Return the fields that an import of the format `generations` stored with a sample, if any."""
    found = sample.imported or {}
    return found if found.get("format") == FORMAT else {}


_RESERVED = frozenset({"question", "answer", "generation", "rank"})
"""Columns that are not copied to a sample's metadata."""
_SEPARATOR = "; "
QUESTION_COLUMNS: Final = ("question", "query")
"""Metadata columns that hold the question, in samples of formats without a request."""


class _PlacedGeneration(NamedTuple):
    place: int
    fields: dict[str, Any]


def parse_records(
    row: dict[str, Any], options: ImportOptions, *, dataset: str, number: int, where: str
) -> tuple[list[Record], list[str]]:
    """Parse a line of a file: return one record for each answer, and warnings about it.

    `number`: number of the line, from 0. Answers that express uncertainty give no record.
    """
    generations = list(_parse_generations(get_field(row, "generation", option="")))
    normal = [
        each for each in generations if _has_type(each, NORMAL) and each.fields["text"].strip()
    ]
    if not normal:
        raise InvalidInput(
            f"none of {len(generations)} generated answers has the type {NORMAL!r} and a text",
            "add a generated answer with a text to the list, or remove the row",
        )
    question = get_field(row, "question", option="")
    if question != "":  # an empty question is exported unchanged
        question = _parse_text(question, "question")
    answer = _parse_answer(
        row, [question, *(each.fields["text"] for each in normal)], options.language
    )
    name = _row_id(row, options, number)
    blank = [each.place for each in generations if each not in normal and _has_type(each, NORMAL)]
    others = [[each.place, each.fields] for each in generations if each not in normal]
    records = []
    for each in normal:
        key = f"{name}.{each.place}"
        sample = _build_sample(row, each, dataset=dataset, key=key, answer=answer)
        if each is normal[0]:
            sample = replace(sample, imported=_first_imported(sample, row, others))
        records.append(
            Record(replace(sample, group=name, request=Request(question=question)), where=where)
        )
    doubts = [] if question.strip() else ["the question is empty"]
    return records, doubts + [f"answer {place} has no text and is skipped" for place in blank]


def _first_imported(
    sample: Sample, row: Mapping[str, Any], others: Sequence[Any]
) -> dict[str, Any]:
    kept = dict(sample.imported or {})
    if "rank" in row:
        kept["row"] = kept["row"] | {"rank": row["rank"]}
    return kept | {OTHERS: others}


def _parse_generations(value: Any) -> Iterator[_PlacedGeneration]:
    if not isinstance(value, list):
        raise InvalidInput(f"'generation' is {describe_value(value)}, not a list")
    for place, fields in enumerate(value):
        if not isinstance(fields, dict):
            raise InvalidInput(f"answer {place} is {describe_value(fields)}, not a JSON object")
        text = fields.get("text")
        kind = fields.get("type", NORMAL)
        if not isinstance(text, str):
            raise InvalidInput(f"the text of answer {place} is {describe_value(text)}, not text")
        if kind not in (NORMAL, UNCERTAINTY):
            raise InvalidInput(
                f"the type of answer {place} is {kind!r}", f"use {NORMAL} or {UNCERTAINTY}"
            )
        yield _PlacedGeneration(place, fields)


def _has_type(each: _PlacedGeneration, kind: str) -> bool:
    return bool(each.fields.get("type", NORMAL) == kind)


def _row_id(row: Mapping[str, Any], options: ImportOptions, number: int) -> str:
    if not options.id_column:
        return str(number)
    value = get_field(row, options.id_column, option="--id-column")
    return parse_identifier(value, what=options.id_column)


def _parse_answer(row: Mapping[str, Any], others: Sequence[str], language: str) -> Document:
    from tui_annotate.methods.segmentation import guess_language

    text = _parse_text(get_field(row, "answer", option=""), "answer")
    spoken = language or guess_language(" ".join((text, *others)))
    answer = parse_document(text, side=Side.SOURCE, column="answer", language=spoken)
    return replace(answer, key=ANSWER)


def _parse_text(value: Any, column: str) -> str:
    if isinstance(value, list) and value:
        return _SEPARATOR.join(_parse_text(each, column) for each in value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise InvalidInput(
            f"column {column!r} is {describe_value(value)}", "write text in this column"
        )
    if not value.strip():
        raise InvalidInput(f"column {column!r} is empty", "write text in this column")
    return value


def _build_sample(
    row: Mapping[str, Any], each: _PlacedGeneration, *, dataset: str, key: str, answer: Document
) -> Sample:
    fields = {name: each.fields[name] for name in each.fields if name not in GENERATION_FIELDS}
    about = {name: value for name, value in row.items() if name not in _RESERVED}
    text = parse_document(
        each.fields["text"], side=Side.SUMMARY, column="text", language=answer.language
    )
    return Sample(
        dataset,
        key,
        (answer, text),
        kind=SampleKind.QUESTION,
        meta=about | fields,
        imported={
            "format": FORMAT,
            "place": each.place,
            "row_keys": list(row),
            "keys": list(each.fields),
            # What meta lacks: fields that row and answer share by name, and converted values.
            "row": {name: value for name, value in about.items() if name in fields}
            | {
                name: row[name] for name in ("question", "answer") if not isinstance(row[name], str)
            },
        },
    )


Opinions = Mapping[SampleKey, tuple[Score, ...]]


@dataclass(frozen=True, slots=True)
class AnswerRanking:
    """Ranked answers to one question, with the category of the question.

    `places`: indices of one to three answers in the row's list, best first.
    """

    category: str
    places: tuple[int, ...]


def rank_answers(
    group: Sequence[Record],
    opinions: Opinions,
    *,
    places: Sequence[int],
    former: FormerNames = (),
) -> AnswerRanking | None:
    """Choose three answers to a question: a right, an uncertain and a wrong one.

    Human labels take precedence over machine labels. The result is None without any label.
    """
    found = [
        {each.name: each for each in opinions.get(record.sample.key, ()) if not each.extra}
        for record in group
    ]
    labels = [
        _answer_label(record, scores, former) for record, scores in zip(group, found, strict=True)
    ]
    if not any(labels) and not any(CATEGORY in scores for scores in found):
        return None
    known = [label or AnswerLabel.UNDECIDED for label in labels]
    best, worst = choose_preference(
        known,
        as_right=[_raw_score(scores, AS_RIGHT, 1.0) for scores in found],
        as_wrong=[_raw_score(scores, AS_WRONG, -1.0) for scores in found],
    )
    between = choose_unsure_answer(_extra_rewards(group[0], opinions))
    chosen = (best, None if between is None else len(group) + between, worst)
    return AnswerRanking(
        categorise(known).value, tuple(places[at] for at in chosen if at is not None)
    )


def _answer_label(
    record: Record, scores: Mapping[str, Score], former: FormerNames
) -> AnswerLabel | None:
    is_supported = find_verdict(record, former)
    if is_supported is not None:
        return AnswerLabel.RIGHT if is_supported else AnswerLabel.WRONG
    return AnswerLabel(scores[RANK].text) if RANK in scores else None


def _raw_score(scores: Mapping[str, Score], name: str, sign: float) -> float:
    """Return the value by which answers with the same label are sorted.

    Without the score `name`, it is `sign` times the distance of the answer's scores from the
    threshold.
    """
    if name in scores:
        return scores[name].raw or 0.0
    return sign * (scores[RANK].raw or 0.0) if RANK in scores else 0.0


def _extra_rewards(first: Record, opinions: Opinions) -> list[float | None]:
    by_run = {
        score.extra: score.raw if score.raw is not None else score.value
        for score in opinions.get(first.sample.key, ())
        if score.name == REWARD and score.extra
    }
    stored = [each.get(REWARD) for each in uncertain_answers(first.sample)]
    in_file = [float(each) if isinstance(each, int | float) else None for each in stored]
    return [by_run.get(number, reward) for number, reward in enumerate(in_file, 1)]


_RANKERS = frozenset({RANK, CATEGORY, AS_RIGHT, AS_WRONG})


@dataclass(frozen=True, slots=True)
class GenerationRow:
    """The line that an export writes for a question, and its best, uncertain and wrong answer.

    `texts`: the answer of each sample of the question; `source`: the text that the answers are
    about; empty if the source is the right answer.
    """

    fields: dict[str, Any]
    chosen: Sequence[Mapping[str, Any]]
    texts: Sequence[str]
    source: str = ""


def build_rows(
    records: Iterable[Record], options: ExportOptions, *, tally: LossCounter, report: ExportReport
) -> Iterator[GenerationRow]:
    """Yield a row per question of records sorted by group; `tally` counts what it cannot store."""
    opinions_of = options.opinions or (lambda _: {})
    for _, some in groupby(
        filter(tally.check_pair, records), key=lambda record: _group_key(record.sample)
    ):
        group = list(some)
        for record in group:
            _count_losses(record, tally, report)
        opinions = opinions_of([record.sample.key for record in group])
        yield _build_row(group, opinions, options.former_names(group[0].sample.dataset))


def _group_key(sample: Sample) -> tuple[str, ...]:
    return (sample.dataset, sample.group) if sample.group else (*sample.key, "")


def _build_row(group: Sequence[Record], opinions: Opinions, former: FormerNames) -> GenerationRow:
    first = group[0].sample
    own = imported_fields(first)
    placed = _place_answers(group, opinions)
    row: dict[str, Any] = {
        **_row_meta(first),
        "question": _question_of(first),
        "answer": first.document(Side.SOURCE).text,
        **own.get("row", {}),
        "generation": [fields for _, fields in placed],
    }
    by_place = dict(placed)
    order = [place for place, _ in _placed_records(group)]
    order += [
        place for place, fields in own.get(OTHERS, ()) if fields.get("type", NORMAL) == UNCERTAINTY
    ]
    found = rank_answers(group, opinions, places=order, former=former)
    if found is not None:
        row["category"] = found.category
        row["rank"] = [by_place[place] for place in found.places]
    names = list(own.get("row_keys", ())) or [name for name in ROW_FIELDS if name in row]
    chosen = row.get("rank")
    return GenerationRow(
        _order_fields(row, names),
        chosen if isinstance(chosen, list) else [],
        texts=[record.sample.document(Side.SUMMARY).text for record in group],
        source="" if is_answer(first) else first.document(Side.SOURCE).text,
    )


def _question_of(sample: Sample) -> str:
    """Return the question of a sample's request, else that in a metadata column; empty for none."""
    columns = (sample.meta.get(name) for name in QUESTION_COLUMNS)
    texts = (text for text in columns if isinstance(text, str))
    return sample.request.question or next(texts, "")


def _placed_records(group: Sequence[Record]) -> Iterator[tuple[int, Record]]:
    """Yield each answer with its index among the question's answers, by default that in `group`."""
    for number, record in enumerate(group):
        yield imported_fields(record.sample).get("place", number), record


def _place_answers(group: Sequence[Record], opinions: Opinions) -> list[tuple[int, dict[str, Any]]]:
    first = group[0].sample
    found = {
        place: _answer_fields(record.sample, opinions.get(record.sample.key, ()))
        for place, record in _placed_records(group)
    }
    number = 0
    for place, fields in imported_fields(first).get(OTHERS, ()):
        scores = []
        if fields.get("type") == UNCERTAINTY:
            number += 1
            scores = [each for each in opinions.get(first.key, ()) if each.extra == number]
        found[place] = dict(fields) | _score_fields(scores)
    return sorted(found.items())


def _answer_fields(sample: Sample, scores: Sequence[Score]) -> dict[str, Any]:
    keys = imported_fields(sample).get("keys") or GENERATION_FIELDS
    fields = {name: sample.meta[name] for name in keys if name in sample.meta}
    fields["text"] = sample.document(Side.SUMMARY).text
    if "type" in keys:
        fields["type"] = NORMAL
    return _order_fields(fields, keys) | _score_fields([each for each in scores if not each.extra])


def _score_fields(scores: Iterable[Score]) -> dict[str, Any]:
    """Return the normalised scores of an answer by name; rewards are not normalised."""
    found: dict[str, Any] = {}
    for score in scores:
        if score.name in _RANKERS:
            continue
        pair = (score.raw, score.value) if score.name == REWARD else (score.value, score.raw)
        if known := [number for number in pair if number is not None]:
            found[score.name] = known[0]
    return found


def _row_meta(sample: Sample) -> dict[str, Any]:
    own = imported_fields(sample)
    names = own.get("row_keys")
    if names is None:
        return {name: value for name, value in sample.meta.items() if name not in ROW_FIELDS}
    return {name: sample.meta[name] for name in names if name in sample.meta}


def _order_fields(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields} | dict(fields)


def _count_losses(record: Record, tally: LossCounter, report: ExportReport) -> None:
    sample = record.sample
    lose = report.count_loss
    tally.count_lost_annotations(record)
    lose(RecordTrait.KIND.value, sample.kind is not SampleKind.QUESTION)
    lose(RecordTrait.REQUEST.value, replace(sample.request, question="") != Request())
    source = sample.document(Side.SOURCE)
    summary = sample.document(Side.SUMMARY)
    plain = source.key in {"", ANSWER} and not (source.title or summary.key or summary.title)
    lose(RecordTrait.TITLE.value, not plain)
    if not imported_fields(sample):
        taken = {*ROW_FIELDS, *RANKING_FIELDS}.intersection(sample.meta)
        if sample.meta.get("question") == _question_of(sample):
            taken.discard("question")
        lose("columns with a name that the format reserves", len(taken))


class GenerationsFormat:
    """Importer and exporter of one line per question, with generated answers and scores."""

    name = FORMAT
    about = TRAITS

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Yield one record for each generated answer of type `normal`, in order."""
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)
        with closing(NameRegister()) as seen:

            def read_row(row: dict[str, Any], value: JsonValue) -> Iterator[Record | Problem]:
                where = value.where
                number = value.number - 1
                found, doubts = parse_records(
                    row, options, dataset=dataset, number=number, where=where
                )
                group = found[0].sample.group
                if (before := seen.remember(group, where)) != where:
                    raise InvalidInput(f"id {group} is repeated: first use at {before}")
                yield from found
                yield from problems_at(where, doubts)

            values = read_json_values(path, encoding=options.encoding, meter=options.meter)
            yield from read_objects(values, read_row, what="row")

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write a JSON line for each question with all answers, which are counted as records."""
        report = ExportReport()
        tally = LossCounter(self.about, report, own=FORMAT)
        for row in build_rows(records, options, tally=tally, report=report):
            write_json_line(target, row.fields, report)
            report.records += len(row.texts)
        return report


class PreferencesFormat:
    """Exporter of training data: a question with two or three answers, best first."""

    name = "preferences"
    about = PREFERENCE_TRAITS

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write a JSON line for each question that has at least two ranked answers.

        Summaries of a source without a question have the source as their query.
        """
        report = ExportReport()
        tally = LossCounter(self.about, report)
        for row in build_rows(records, options, tally=tally, report=report):
            if len(row.chosen) < 2:
                report.count_loss("questions with fewer than two ranked answers")
                continue
            # A right answer is not written; the source of summaries is.
            right_answers = 0 if row.source else len(row.texts)
            report.count_loss(RecordTrait.TEXTS.value, right_answers)
            query = [{"role": "human", "text": row.fields["question"] or row.source}]
            texts = [each["text"] for each in row.chosen]
            task = row.fields.get("category", "")
            line = {"query": query, "preference": texts, "task": task}
            if row.source:
                line["source"] = row.source
            others = sum(text not in texts for text in row.texts)
            report.count_loss("answers that are neither the best, an unsure nor the worst", others)
            write_json_line(target, line, report)
            report.records += len(row.texts)
        return report
