"""Reports, documents and citations that annotators rate, with progress by topic and system.

Annotators rate items and mark passages in them. An item is a sample of a kind in `RATED_KINDS`.
Marked passages of a report are split at its sentences.

Source: the annotation model of autojudge-annotate 0.3.7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind
from tui_annotate.domain.spans import Span

ID_SEPARATOR: Final = "|"
"""Separator of the parts of an item's id."""
RATED_KINDS: Final = (SampleKind.REPORT, SampleKind.DOCUMENT, SampleKind.CITATION)
"""Kinds of samples that annotators rate."""

PASSAGE: Final[LabelPath] = ("Passage",)
"""Label of imported marked passages whose file format has no labels."""

PASSAGE_LABELS: Final = "titles: [Source, Report]\nlabels:\n  - Passage\n"

SCALE: Final = ("Perfect", "Mostly Good", "So-so", "Bad")
"""Rating scale of reports, documents and citations, best first, if the workspace sets no scale."""

VERDICTS: Final = ("Correct", "Incorrect", "Unclear")
"""Rating scale of answers to questions, if the workspace sets no scale."""

NOT_RATED: Final = "Not rated"


def rating_scale(kind: SampleKind, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the rating scale for samples of one kind; empty if they are not rated."""
    if chosen:
        return tuple(chosen)
    if kind is SampleKind.QUESTION:
        return VERDICTS
    return SCALE if kind in RATED_KINDS else ()


def has_rating_conflict(ratings: Collection[str]) -> bool:
    """Return whether ratings differ; a missing rating differs from any rating."""
    return any(ratings) and len(set(ratings)) > 1


# sentences of a report ---------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A sentence of a report: code points [start, end), and the ids of cited documents.

    If `start` equals `end`, the sentence is blank and not counted.
    """

    start: int
    end: int
    citations: tuple[str, ...] = ()


def report_sentences(sample: Sample) -> tuple[Sentence, ...]:
    """Return the sentences of a report in order, as imported; empty if the report has none."""
    return _parse_sentences(sample.meta)


def _parse_sentences(meta: Mapping[str, Any]) -> tuple[Sentence, ...]:
    try:
        return tuple(
            Sentence(int(each["start"]), int(each["end"]), tuple(each.get("citations", ())))
            for each in meta.get("sentences") or ()
        )
    except (AttributeError, KeyError, TypeError, ValueError):  # a field of another format
        return ()


def find_sentence(span: Span, within: Sequence[Sentence]) -> int | None:
    """Return the index of the first sentence that overlaps a span; None if no sentence does."""
    met = (min(span.end, each.end) > max(span.start, each.start) for each in within)
    return next((at for at, shared in enumerate(met) if shared), None)


def split_at_sentences(span: Span, within: Sequence[Sentence], text: str) -> tuple[Span, ...]:
    """Split a span at the borders of sentences, without white space at the ends of the parts."""
    bounds = within or (Sentence(0, len(text)),)
    parts = ((max(span.start, each.start), min(span.end, each.end)) for each in bounds)
    found = (Span(start, end).trim(text) for start, end in parts if start < end)
    return tuple(part for part in found if part is not None)


# progress of items -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """A report, document or citation that an annotator marks, rates or comments.

    Attributes:
        run: the system that made a report or citation; empty for a document.
        runs: the systems whose reports cite a document.
        group: shared by the citations of one sentence.
        sentences: number of non-blank sentences of a report.
    """

    key: SampleKey
    topic: str
    run: str = ""
    team: str = ""
    runs: tuple[str, ...] = ()
    group: str = ""
    sentence: int = 0
    sentences: int = 0
    docid: str = ""
    start: str = ""
    annotated: bool = False


@dataclass(frozen=True, slots=True)
class TreeLeaf:
    """A document, or a sentence with its citations, in the tree of a report collection.

    `ticks` has for each of `keys` whether that sample is annotated.
    """

    name: str
    start: str
    keys: tuple[SampleKey, ...]
    ticks: tuple[bool, ...]

    @property
    def done(self) -> bool:
        return all(self.ticks)


@dataclass(frozen=True, slots=True)
class TreeBranch:
    """A topic or a system's run in the tree of a report collection, with its progress."""

    name: str
    title: str
    done: int
    total: int
    key: SampleKey | None = None


def list_leaves(kind: SampleKind, items: Iterable[Item], run: str = "") -> tuple[TreeLeaf, ...]:
    """Return a topic's documents, or its sentences with citations, for the tree of a collection."""
    if kind is SampleKind.DOCUMENT:
        mine = [item for item in items if not run or run in item.runs]
        ordered = sorted(mine, key=lambda item: item.docid)
        return tuple(
            TreeLeaf(item.docid, item.start, (item.key,), (item.annotated,)) for item in ordered
        )
    by_sentence: dict[str, list[Item]] = {}
    for item in items:
        if run in ("", item.run):
            by_sentence.setdefault(item.group, []).append(item)
    ordered_groups = sorted(by_sentence.values(), key=lambda group: group[0].sentence)
    return tuple(
        TreeLeaf(
            f"s{group[0].sentence}",
            group[0].start,
            tuple(item.key for item in group),
            tuple(item.annotated for item in group),
        )
        for group in ordered_groups
    )


def list_branches(
    kind: SampleKind, items: Sequence[Item], reports: Sequence[Item]
) -> tuple[TreeBranch, ...]:
    """Return a branch of the sample tree for each system that wrote a report on a topic."""
    if kind is SampleKind.REPORT:
        return tuple(
            TreeBranch(item.run, item.team, int(item.annotated), 1, item.key) for item in items
        )
    found = []
    for report in reports:
        under = list_leaves(kind, items, report.run)
        if under:
            done = sum(leaf.done for leaf in under)
            found.append(TreeBranch(report.run, report.team, done, len(under)))
    return tuple(found)


def list_sentence_branches(
    reports: Iterable[Item], complete: Iterable[str]
) -> tuple[TreeBranch, ...]:
    """Return for each report the numbers of completed and of all non-blank sentences."""
    done = Counter(map(report_id, complete))
    return tuple(
        TreeBranch(report.run, report.team, done[report.key.id], report.sentences)
        for report in reports
        if report.sentences
    )


def count_done_by_topic(kind: SampleKind, items: Iterable[Item]) -> dict[str, tuple[int, int]]:
    """Return (annotated, total) numbers of reports, documents or sentences by topic."""
    by_topic: dict[str, list[Item]] = {}
    for item in items:
        by_topic.setdefault(item.topic, []).append(item)
    found = {}
    for topic, mine in by_topic.items():
        if kind is SampleKind.CITATION:
            ticks = [leaf.done for leaf in list_leaves(kind, mine)]
        else:
            ticks = [item.annotated for item in mine]
        found[topic] = (sum(ticks), len(ticks))
    return found


# ids ---------------------------------------------------------------------------------------------


def id_prefix(kind: SampleKind, *parts: str) -> str:
    """Return the prefix of sample ids of a kind; `parts`: the topic and, optionally, the run."""
    return ID_SEPARATOR.join((_LETTERS[kind], *parts, ""))


_LETTERS: Final[Mapping[SampleKind, str]] = {
    SampleKind.REPORT: "r",
    SampleKind.DOCUMENT: "d",
    SampleKind.CITATION: "c",
}


def make_item(
    key: SampleKey, *, group: str, start: str, meta: Mapping[str, Any], done: bool = False
) -> Item:
    """Build an item from the stored values of its sample.

    Args:
        group: the sample's group; for a citation it ends in the number of its sentence.
        start: the first words of the sample's text.
        meta: the sample's metadata as imported; fields of a wrong type count as missing.
        done: whether the item is annotated.
    """
    topic = str(meta.get("topic_id", ""))
    runs = meta.get("runs")
    of_report = key.id.startswith(id_prefix(SampleKind.REPORT))
    report = key.id if of_report else report_id(group)
    index = group.rpartition(ID_SEPARATOR)[2]
    sentences = _parse_sentences(meta) if of_report else ()
    return Item(
        key=key,
        topic=topic,
        run=report.removeprefix(id_prefix(SampleKind.REPORT, topic)),
        team=str(meta.get("team_id") or ""),
        runs=tuple(map(str, runs)) if isinstance(runs, list) else (),
        group=group,
        sentence=int(index) if index.isdecimal() else 0,
        sentences=sum(each.start < each.end for each in sentences),
        docid=str(meta.get("docid") or ""),
        start=start,
        annotated=done,
    )


def report_id(group: str) -> str:
    """Return the id of the report to which a group of citations belongs."""
    report, _, _ = group.rpartition(ID_SEPARATOR)
    return f"r|{report}" if report else ""


def split_claim_at_sentences(annotation: Annotation, sample: Sample) -> Annotation:
    """Split an annotation's claim at a report's sentences; InvalidSpan if it is between them."""
    within = report_sentences(sample) if sample.kind is SampleKind.REPORT else ()
    if not within or not annotation.claim:
        return annotation
    found = {
        Anchor(side, index, part)
        for side, index, span in annotation.claim
        for part in split_at_sentences(span, within, sample.document(side, index).text)
    }
    if not found:
        raise InvalidSpan(f"the span {annotation.claim[0].span} is in no sentence", "select words")
    return replace(annotation, claim=tuple(sorted(found)))
