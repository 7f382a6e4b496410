"""Format of JSON lines with question, contexts, answer and reference answer, as in RAGAS.

A line with an invalid value is refused, and a line without contexts and without an answer too,
unless the caller needs no text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TextIO

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.scores import GROUND_TRUTH
from tui_annotate.lab.judge.rows import (
    RAG_FORMAT,
    empty_contexts,
    insert_contexts,
)
from tui_annotate.plugins.files.json_values import JsonValue
from tui_annotate.plugins.json_records import read_json_records, write_json_line
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
from tui_annotate.plugins.traits import OWN, FormatTraits, Loss, RecordTrait, carry_plainly

FORMAT: Final = RAG_FORMAT
_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "question": ("question", "user_input"),
        "contexts": ("contexts", "retrieved_contexts"),
        "answer": ("answer", "response"),
        GROUND_TRUTH: (GROUND_TRUTH, "reference"),
    }
)
"""Column names by meaning: the format's own name first, then the name in RAGAS."""
_PAGE: Final = 64
_RESERVED: Final = frozenset({"id", *(name for names in _COLUMNS.values() for name in names)})


class RagFormat:
    """Importer and exporter of questions: the texts are sources, the answer is the summary."""

    name = FORMAT
    about = FormatTraits(
        title="JSON lines: a question, its contexts and its answer",
        carried=carry_plainly(
            RecordTrait.TEXTS,
            RecordTrait.META,
            RecordTrait.UNREAD,
            request="question",
            kind="source-summary pair if the line has an answer, else question",
            title="numbers",
            imported=OWN,
        ),
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """Yield a record for each line, and a problem for each line that is refused."""
        dataset = choose_dataset_name(path, options.dataset, former=options.former_names)

        def one(row: dict[str, Any], value: JsonValue) -> tuple[Record, list[str]]:
            sample, doubts = _parse_sample(row, dataset, options, number=value.number - 1)
            return Record(sample, where=value.where), doubts

        return read_json_records(path, options, one, what="line")

    def write(
        self, records: Iterable[Record], target: TextIO, options: ExportOptions
    ) -> ExportReport:
        """Write one JSON line for each sample; lines imported from this format are unchanged."""
        report = ExportReport()
        tally = LossCounter(self.about, report, own=FORMAT)
        with closing(NameRegister()) as seen:
            for record, made in _add_truths(records, options):
                _count_losses(record, tally, report)
                key = _unique_id(record.sample, seen, report)
                row = _build_row(record.sample, key=key, number=report.records, made=made)
                write_json_line(target, row, report)
                report.records += 1
        return report


# ---------------------------------------------------------------- reading
def _parse_sample(
    row: Mapping[str, Any], dataset: str, options: ImportOptions, *, number: int
) -> tuple[Sample, list[str]]:
    """Parse a sample from line `number` (from 0) of a file; also return warnings about it."""
    needed = {"question"} if options.textless else {"question", "contexts"}
    named = {what: _column_of(row, what, needed=what in needed) for what in _COLUMNS} | {
        "id": options.id_column or "id"
    }
    if options.id_column:
        get_field(row, options.id_column, option="--id-column")
    key = row.get(named["id"])
    question = _parse_text(row, named["question"])
    contexts, blank = _parse_contexts(
        row.get(named["contexts"]), named["contexts"], options.language
    )
    answer = _parse_text(row, named["answer"])
    truth = _parse_text(row, named[GROUND_TRUTH])
    answers: tuple[Document, ...] = ()
    if answer and answer.strip():
        answers = (
            parse_document(
                answer, side=Side.SUMMARY, column=named["answer"], language=options.language
            ),
        )
    if not contexts and not answers and not options.textless:
        hint = "add a context or an answer, so that there is a text to read"
        raise InvalidInput("the line has neither a context nor an answer", hint)
    used = {*named.values(), *(name for name in _RESERVED if row.get(name) is None)}
    sample = Sample(
        dataset,
        str(number) if key is None else parse_identifier(key, what="id"),
        (*contexts, *answers),
        kind=SampleKind.PAIR if answers else SampleKind.QUESTION,
        request=Request(question=question or ""),
        meta={name: value for name, value in row.items() if name not in used}
        | ({GROUND_TRUTH: truth} if truth and truth.strip() else {}),
        imported={
            "format": FORMAT,
            "keys": list(row),
            "named": named,
            "id": key,
            "blank": blank,
            "as_read": {
                name: row[name]
                for name in (named[what] for what in _COLUMNS)
                if name in row and not (isinstance(row[name], list) or (row[name] or "").strip())
            },
        },
    )
    return sample, _find_doubts(question, contexts, blank)


def _column_of(row: Mapping[str, Any], what: str, *, needed: bool) -> str:
    there = [name for name in _COLUMNS[what] if row.get(name) is not None]
    if len(there) > 1:
        raise InvalidInput(
            f"columns {there[0]!r} and {there[1]!r} both have a value",
            "keep only one of the two columns",
        )
    if needed and not row.keys() & {*_COLUMNS[what]}:
        columns = " or ".join(map(repr, _COLUMNS[what]))
        raise InvalidInput(
            f"no column {columns}; the columns are: {', '.join(map(repr, [*row][:50]))}"
        )
    return next((name for name in (*there, *_COLUMNS[what]) if name in row), _COLUMNS[what][0])


def _parse_text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(
            f"column {name!r} holds {describe_value(value)}, not text", "put the value in quotes"
        )
    return value


def _parse_contexts(
    value: Any, column: str, language: str
) -> tuple[tuple[Document, ...], list[list[Any]]]:
    if value is not None and not isinstance(value, list):
        raise InvalidInput(f"column {column!r} holds {describe_value(value)}, not a list of texts")
    documents = []
    blank = []
    for place, text in enumerate(value or ()):
        if text is None or (isinstance(text, str) and not text.strip()):
            blank.append([place, text])
            continue
        what = f"{column}[{place}]"
        one = parse_document(text, side=Side.SOURCE, column=what, language=language)
        documents.append(replace(one, key=str(place + 1)))
    return tuple(documents), blank


def _find_doubts(
    question: str | None, contexts: Sequence[Document], blank: Sequence[Sequence[Any]]
) -> list[str]:
    doubts = [] if question and question.strip() else ["the question is empty"]
    if blank:
        # As in the messages and results of `judge`, and unlike the keys of the sample's documents.
        indices = ", ".join(str(place) for place, _ in blank[:20])
        doubts.append(f"skipped the empty contexts at these indices, from 0: {indices}")
    if not contexts:
        doubts.append("the line has no context: nothing can support the answer")
    return doubts


# ---------------------------------------------------------------- writing
def _imported_fields(sample: Sample) -> Mapping[str, Any]:
    imported = sample.imported or {}
    return imported if imported.get("format") == FORMAT else {}


def _unique_id(sample: Sample, seen: NameRegister, report: ExportReport) -> str:
    """Return a sample's id; prefix the dataset if another dataset has a sample with this id."""
    key = sample.id
    place = json.dumps(sample.key)
    if seen.remember(key, place) != place:
        report.count_loss(Loss.RENAMED_IDS.value)
        key = f"{sample.dataset}/{sample.id}"
        while seen.remember(key, place) != place:
            key += "+"
    return key


def _add_truths(
    records: Iterable[Record], options: ExportOptions
) -> Iterator[tuple[Record, str | None]]:
    waiting = iter(records)
    while some := list(islice(waiting, _PAGE)):
        lacking = [one.sample.key for one in some if not (_truth_of(one.sample) or "").strip()]
        opinions = options.opinions(lacking) if options.opinions and lacking else {}
        for record in some:
            scores = opinions.get(record.sample.key, ())
            texts = [each.text for each in scores if each.name == GROUND_TRUTH and not each.extra]
            yield record, next(filter(str.strip, reversed(texts)), None)


def _build_row(sample: Sample, *, key: str, number: int, made: str | None) -> dict[str, Any]:
    """Build the JSON line of a sample; write the id only if it differs from the line number."""
    imported = _imported_fields(sample)
    named = imported.get("named") or {name: name for name in ("id", *_COLUMNS)}
    own_id = imported.get("id") if imported else key
    answers = sample.side(Side.SUMMARY)
    read_as = str(number if own_id is None else own_id)
    row: dict[str, Any] = {
        named["id"]: own_id if read_as == key else key,
        named["question"]: sample.request.question,
        named["contexts"]: insert_contexts(
            [one.text for one in sample.side(Side.SOURCE)], empty_contexts(imported)
        ),
        named["answer"]: answers[0].text if answers else None,
        named[GROUND_TRUTH]: _truth_of(sample),
    }
    row = _other_columns(sample) | row | imported.get("as_read", {})
    order = list(imported["keys"]) if imported else ["id", *_COLUMNS, *_other_columns(sample)]
    if made is not None:
        row[named[GROUND_TRUTH]] = made
        order = list(dict.fromkeys([*order, named[GROUND_TRUTH]]))
    if named["id"] not in order and row[named["id"]] is not None:
        order.insert(0, named["id"])
    return {name: row.get(name) for name in order}


def _truth_of(sample: Sample) -> str | None:
    truth = sample.meta.get(GROUND_TRUTH)
    return truth if isinstance(truth, str) else None


def _other_columns(sample: Sample) -> dict[str, Any]:
    """Return a sample's columns that the format does not define, by name."""
    own = set(_imported_fields(sample).get("keys", ())) - {GROUND_TRUTH}
    return {
        name: value for name, value in sample.meta.items() if name in own or name not in _RESERVED
    }


def _count_losses(record: Record, tally: LossCounter, report: ExportReport) -> None:
    sample = record.sample
    lose = report.count_loss
    tally.count_lost_annotations(record)
    answers = sample.side(Side.SUMMARY)
    contexts = sample.side(Side.SOURCE)
    kind = SampleKind.PAIR if answers else SampleKind.QUESTION
    lose(RecordTrait.KIND.value, sample.kind is not kind)
    lose(RecordTrait.REQUEST.value, replace(sample.request, question="") != Request())
    if not _imported_fields(sample):
        numbers = [str(number) for number in range(1, len(contexts) + 1)]
        keys = [one.key for one in contexts]
        plain = keys in (numbers, [""]) and not any(one.key for one in answers)
        lose(RecordTrait.TITLE.value, not plain or any(one.title for one in sample.documents))
    taken = len(_RESERVED.intersection(sample.meta) - set(_other_columns(sample)))
    lose("columns with a name that the format reserves", taken - (_truth_of(sample) is not None))
