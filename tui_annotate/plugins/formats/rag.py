"""Questions with retrieved contexts, an answer and a ground truth, a line each; RAGAS names too.

A line that lacks both contexts and an answer, or holds something of the wrong kind, is refused.
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
from tui_annotate.domain.samples import Document, Kind, Request, Sample, Side
from tui_annotate.plugins.admission import (
    Seen,
    dataset_name,
    described,
    document,
    field,
    identifier,
)
from tui_annotate.plugins.files.json_values import Value
from tui_annotate.plugins.json_records import json_records
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions, Report
from tui_annotate.plugins.traits import OWN, About, Trait, plainly

FORMAT: Final = "rag"
GROUND_TRUTH: Final = "ground_truth"
"""The meta that holds the reference answer, whatever the file calls it."""
_NAMES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "question": ("question", "user_input"),
        "contexts": ("contexts", "retrieved_contexts"),
        "answer": ("answer", "response"),
        GROUND_TRUTH: (GROUND_TRUTH, "reference"),
    }
)
"""What is read, and the columns that may hold it: ours, then those of RAGAS."""
_AT_ONCE: Final = 64
"""Samples of which is asked together what machines said."""
_TAKEN: Final = frozenset({"id", *(name for names in _NAMES.values() for name in names)})


class RagFormat:
    """Contexts are the sources of an answer; a line without an answer is a question to read for."""

    name = FORMAT
    about = About(
        title="a question, its contexts, an answer a line",
        carried=plainly(
            Trait.TEXTS,
            Trait.META,
            Trait.UNREAD,
            request="question",
            kind="by answer",
            title="numbers",
            imported=OWN,
        ),
    )

    def read(self, path: Path, options: ImportOptions) -> Iterator[Record | Problem]:
        """One record a line; see `Importer.read`.

        Args:
            options: for the dataset's name, the language, the encoding, the column of ids.
        """
        dataset = dataset_name(path, options.dataset)

        def one(row: dict[str, Any], value: Value) -> tuple[Record, list[str]]:
            sample, doubts = _sample(row, dataset, options, number=value.number - 1)
            return Record(sample, where=value.where), doubts

        return json_records(path, options, one, what="line")

    def write(self, records: Iterable[Record], target: TextIO, options: ExportOptions) -> Report:
        """A line a sample, as it was read where it was; see `Exporter.write`."""
        report = Report()
        tally = Tally(self.about, report, own=FORMAT)
        with closing(Seen()) as seen:
            for record, made in _with_truths(records, options):
                _count(record, tally, report)
                key = _key(record.sample, seen, report)
                row = _row(record.sample, key=key, number=report.records, made=made)
                target.write(json.dumps(row, ensure_ascii=False))
                target.write("\n")
                report.records += 1
        return report


# ---------------------------------------------------------------- reading
def _sample(
    row: Mapping[str, Any], dataset: str, options: ImportOptions, *, number: int
) -> tuple[Sample, list[str]]:
    """The sample of a line, and doubts about it.

    Args:
        number: of the line among all, from 0: the id of one that names none.
    """
    named = {what: _named(row, what) for what in _NAMES} | {"id": options.id_column or "id"}
    if options.id_column:
        field(row, options.id_column, option="--id-column")
    key = row.get(named["id"])
    question = _text(row, named["question"])
    contexts, blank = _contexts(row.get(named["contexts"]), named["contexts"], options.language)
    answer, truth = (_text(row, named[what]) for what in ("answer", GROUND_TRUTH))
    answers = _answers(answer, named["answer"], options.language)
    if not contexts and not answers:
        hint = "without any there is nothing to read"
        raise InvalidInput("there is neither a context nor an answer", hint)
    used = {*named.values(), *(name for name in _TAKEN if row.get(name) is None)}
    sample = Sample(
        dataset,
        str(number) if key is None else identifier(key, what="id"),
        (*contexts, *answers),
        kind=Kind.PAIR if answers else Kind.QUESTION,
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
                for name in (named[what] for what in _NAMES)
                if name in row and not (isinstance(row[name], list) or (row[name] or "").strip())
            },
        },
    )
    return sample, _doubts(question, contexts, blank)


def _named(row: Mapping[str, Any], what: str) -> str:
    """The column of a line that holds something; ours where none does."""
    there = [name for name in _NAMES[what] if row.get(name) is not None]
    if len(there) > 1:
        raise InvalidInput(f"both {there[0]!r} and {there[1]!r} are there", "keep one of them")
    if what in {"question", "contexts"} and not row.keys() & {*_NAMES[what]}:
        columns = " or ".join(map(repr, _NAMES[what]))
        raise InvalidInput(f"no column {columns}; there are: {', '.join(map(repr, [*row][:50]))}")
    return next((name for name in (*there, *_NAMES[what]) if name in row), _NAMES[what][0])


def _text(row: Mapping[str, Any], name: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"column {name!r} holds {described(value)}, not text", "quote it")
    return value


def _contexts(
    value: Any, column: str, language: str
) -> tuple[tuple[Document, ...], list[list[Any]]]:
    """The documents of contexts, called by their number from 1; `[place, text]` of blank ones."""
    if value is not None and not isinstance(value, list):
        raise InvalidInput(f"column {column!r} holds {described(value)}, not a list of texts")
    documents, blank = [], []
    for place, text in enumerate(value or ()):
        if isinstance(text, str) and not text.strip():
            blank.append([place, text])
            continue
        what = f"{column}[{place}]"
        one = document(text, side=Side.SOURCE, column=what, language=language)
        documents.append(replace(one, key=str(place + 1)))
    return tuple(documents), blank


def _answers(text: str | None, column: str, language: str) -> tuple[Document, ...]:
    """The document of an answer; none where it is blank."""
    if text is None or not text.strip():
        return ()
    return (document(text, side=Side.SUMMARY, column=column, language=language),)


def _doubts(
    question: str | None, contexts: Sequence[Document], blank: Sequence[Sequence[Any]]
) -> list[str]:
    doubts = [] if question and question.strip() else ["the question is empty"]
    if blank:
        numbers = ", ".join(str(place + 1) for place, _ in blank[:20])
        doubts.append(f"empty contexts are left out: number {numbers}")
    if not contexts:
        doubts.append("there is no context: nothing can support the answer")
    return doubts


# ---------------------------------------------------------------- writing
def _own(sample: Sample) -> Mapping[str, Any]:
    """What the reader kept of a line; empty for what came from elsewhere."""
    kept = sample.imported or {}
    return kept if kept.get("format") == FORMAT else {}


def _key(sample: Sample, seen: Seen, report: Report) -> str:
    """The sample's id, with its dataset's name where another dataset has the id as well."""
    key, place = sample.id, json.dumps(sample.key)
    if seen.first(key, place) != place:
        report.lose("sample ids, renamed")
        key = f"{sample.dataset}/{sample.id}"
        while seen.first(key, place) != place:
            key += "+"
    return key


def _with_truths(
    records: Iterable[Record], options: ExportOptions
) -> Iterator[tuple[Record, str | None]]:
    """Each record with the ground truth that a judge wrote last, where the sample holds none."""
    waiting = iter(records)
    while some := list(islice(waiting, _AT_ONCE)):
        lacking = [one.sample.key for one in some if not (_truth(one.sample) or "").strip()]
        told = options.opinions(lacking) if options.opinions and lacking else {}
        for record in some:
            said = told.get(record.sample.key, ())
            texts = [each.text for each in said if each.name == GROUND_TRUTH and not each.extra]
            yield record, next(filter(str.strip, reversed(texts)), None)


def _row(sample: Sample, *, key: str, number: int, made: str | None) -> dict[str, Any]:
    """The line of a sample; its id is told where the line's number would not be it.

    Args:
        made: the ground truth of one that holds none.
    """
    kept = _own(sample)
    named = kept.get("named") or {name: name for name in ("id", *_NAMES)}
    told = kept.get("id") if kept else key
    answers = sample.side(Side.SUMMARY)
    row: dict[str, Any] = {
        named["id"]: told if str(number if told is None else told) == key else key,
        named["question"]: sample.request.question,
        named["contexts"]: _with_blank(sample, kept.get("blank", ())),
        named["answer"]: answers[0].text if answers else None,
        named[GROUND_TRUTH]: _truth(sample),
    }
    row = _meta(sample) | row | kept.get("as_read", {})
    order = list(kept["keys"]) if kept else ["id", *_NAMES, *_meta(sample)]
    if made is not None:
        row[named[GROUND_TRUTH]] = made
        order = list(dict.fromkeys([*order, named[GROUND_TRUTH]]))
    if named["id"] not in order and row[named["id"]] is not None:
        order.insert(0, named["id"])
    return {name: row.get(name) for name in order}


def _with_blank(sample: Sample, blank: Sequence[Sequence[Any]]) -> list[str]:
    texts = [one.text for one in sample.side(Side.SOURCE)]
    for place, text in blank:
        texts.insert(place, text)
    return texts


def _truth(sample: Sample) -> str | None:
    truth = sample.meta.get(GROUND_TRUTH)
    return truth if isinstance(truth, str) else None


def _meta(sample: Sample) -> dict[str, Any]:
    """The other columns; those of a line that was read may be called as they are."""
    own = set(_own(sample).get("keys", ())) - {GROUND_TRUTH}
    return {name: value for name, value in sample.meta.items() if name in own or name not in _TAKEN}


def _count(record: Record, tally: Tally, report: Report) -> None:
    """Counts what the line of a sample has no place for: all that people did, to begin with."""
    sample, lose = record.sample, report.lose
    lose("annotations", len(record.annotations))
    annotated = {owned.person for owned in record.annotations}
    others = tuple(work for work in record.assignments if work.person not in annotated)
    tally.count(replace(record, annotations=(), assignments=others))
    answers, contexts = sample.side(Side.SUMMARY), sample.side(Side.SOURCE)
    kind = Kind.PAIR if answers else Kind.QUESTION
    lose(Trait.KIND.value, sample.kind is not kind)
    lose(Trait.REQUEST.value, replace(sample.request, question="") != Request())
    if not _own(sample):
        numbers = [str(number) for number in range(1, len(contexts) + 1)]
        keys = [one.key for one in contexts]
        plain = keys in (numbers, [""]) and not any(one.key for one in answers)
        lose(Trait.TITLE.value, not plain or any(one.title for one in sample.documents))
    taken = len(_TAKEN.intersection(sample.meta) - set(_meta(sample)))
    lose("columns that have a name of this format's own", taken - (_truth(sample) is not None))
