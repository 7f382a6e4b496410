"""Samples to rows of generated answers with scores and ranks, or to rows of preferences alone.

What was read from a row goes out as it came; what a newer run says goes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Kind, Request, Sample, Side
from tui_annotate.domain.scores import Score
from tui_annotate.methods.ranking import AS_RIGHT, AS_WRONG, CATEGORY, RANK, REWARD
from tui_annotate.plugins.formats.generations.names import OF_GENERATIONS, OF_RANKED, OF_ROWS, kept
from tui_annotate.plugins.formats.generations.ranked import Opinions, ranked
from tui_annotate.plugins.generated import ANSWER, NORMAL, OTHERS, UNCERTAINTY
from tui_annotate.plugins.losses import Tally
from tui_annotate.plugins.protocols import ExportOptions, Report
from tui_annotate.plugins.traits import Trait

_RANKERS = frozenset({RANK, CATEGORY, AS_RIGHT, AS_WRONG})


@dataclass(frozen=True, slots=True)
class Row:
    """A question as it is written.

    Attributes:
        fields: the row.
        chosen: its best, unsure and wrong answer, as far as there are such; as they are written.
    """

    fields: dict[str, Any]
    chosen: Sequence[Mapping[str, Any]]


def rows(
    records: Iterable[Record], options: ExportOptions, *, tally: Tally, report: Report
) -> Iterator[Row]:
    """Rows of samples, a question each, counted as they are written.

    Args:
        records: samples of a group follow one another.
    """
    told = options.opinions or (lambda _: {})
    for _, some in groupby(_pairs(records, tally), key=lambda record: _group(record.sample)):
        group = list(some)
        for record in group:
            _count(record, tally, report)
        report.records += len(group)
        yield _row(group, told([record.sample.key for record in group]))


def _pairs(records: Iterable[Record], tally: Tally) -> Iterator[Record]:
    return (record for record in records if tally.pair(record))


def _group(sample: Sample) -> tuple[str, ...]:
    """Whose rows are one; of a sample without a group, its own."""
    return (sample.dataset, sample.group) if sample.group else (*sample.key, "")


def _row(group: Sequence[Record], opinions: Opinions) -> Row:
    first = group[0].sample
    own = kept(first)
    placed = _placed(group, opinions)
    row: dict[str, Any] = {
        **_about(first),
        "question": first.request.question,
        "answer": first.document(Side.SOURCE).text,
        **own.get("row", {}),
        "generation": [fields for _, fields in placed],
    }
    by_place = dict(placed)
    order = [place for place, _ in _samples(group)]
    order += [place for place, fields in _others(first) if fields["type"] == UNCERTAINTY]
    found = ranked(group, opinions, places=order)
    if found is not None:
        row["category"] = found.category
        row["rank"] = [by_place[place] for place in found.places]
    names = list(own.get("row_keys", ())) or [name for name in OF_ROWS if name in row]
    chosen = row.get("rank")
    return Row(_ordered(row, names), chosen if isinstance(chosen, list) else [])


def _samples(group: Sequence[Record]) -> Iterator[tuple[int, Record]]:
    """Each sample with its place in the row's list; of those from elsewhere, as they come."""
    for number, record in enumerate(group):
        yield kept(record.sample).get("place", number), record


def _others(first: Sample) -> Iterator[tuple[int, dict[str, Any]]]:
    """The answers that are no samples, with their places."""
    for place, fields in kept(first).get(OTHERS, ()):
        yield place, {"type": NORMAL} | fields


def _placed(group: Sequence[Record], opinions: Opinions) -> list[tuple[int, dict[str, Any]]]:
    """All answers of a question by place, with their scores."""
    first = group[0].sample
    found = {
        place: _generation(record.sample, opinions.get(record.sample.key, ()))
        for place, record in _samples(group)
    }
    number = 0
    for place, fields in kept(first).get(OTHERS, ()):
        number += fields.get("type") == UNCERTAINTY
        scores = [
            score
            for score in opinions.get(first.key, ())
            if score.extra == number and fields.get("type") == UNCERTAINTY
        ]
        found[place] = dict(fields) | _scores(scores)
    return sorted(found.items())


def _generation(sample: Sample, scores: Sequence[Score]) -> dict[str, Any]:
    keys = kept(sample).get("keys") or OF_GENERATIONS
    fields = {name: sample.meta[name] for name in keys if name in sample.meta}
    fields["text"] = sample.document(Side.SUMMARY).text
    if "type" in keys:
        fields["type"] = NORMAL
    return _ordered(fields, keys) | _scores([each for each in scores if not each.extra])


def _scores(scores: Iterable[Score]) -> dict[str, Any]:
    """By name, what the original writes: the value over the run; a reward as it was computed."""
    found: dict[str, Any] = {}
    for score in scores:
        if score.name in _RANKERS:
            continue
        number = score.value
        if score.name == REWARD or number is None:
            number = score.raw if score.raw is not None else score.value
        if number is not None:
            found[score.name] = number
    return found


def _about(sample: Sample) -> dict[str, Any]:
    """The columns of the row that a sample has among its own."""
    own = kept(sample)
    names = own.get("row_keys")
    if names is None:
        return {name: value for name, value in sample.meta.items() if name not in OF_ROWS}
    return {name: sample.meta[name] for name in names if name in sample.meta}


def _ordered(fields: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: fields[name] for name in names if name in fields} | dict(fields)


def _count(record: Record, tally: Tally, report: Report) -> None:
    """Counts what a row has no place for: spans and who found them, to begin with."""
    sample, lose = record.sample, report.lose
    lose("annotations", len(record.annotations))
    annotated = {owned.person for owned in record.annotations}
    others = tuple(work for work in record.assignments if work.person not in annotated)
    tally.count(replace(record, annotations=(), assignments=others))
    lose(Trait.KIND.value, sample.kind is not Kind.QUESTION)
    lose(Trait.REQUEST.value, replace(sample.request, question="") != Request())
    source, summary = sample.document(Side.SOURCE), sample.document(Side.SUMMARY)
    plain = source.key in {"", ANSWER} and not (source.title or summary.key or summary.title)
    lose(Trait.TITLE.value, not plain)
    if not kept(sample):
        taken = {*OF_ROWS, *OF_RANKED}.intersection(sample.meta)
        lose("columns that have a name of this format's own", len(taken))
