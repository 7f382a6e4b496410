"""Items of a collection: reports, documents and citations that people rate and mark passages in.

What of them is annotated and complete, how they are counted by topic and run, and where a passage
of a report is cut. An item is a sample of one of the kinds in `RATED_KINDS`.

Source: the annotation model of autojudge-annotate 0.3.7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.errors import InvalidSpan
from tui_annotate.domain.position_studies import VERDICTS
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind
from tui_annotate.domain.spans import Span

RATED_KINDS: Final = (SampleKind.REPORT, SampleKind.DOCUMENT, SampleKind.CITATION)
"""The kinds that are rated and marked one by one, and not compared as pairs."""

PASSAGE: Final[LabelPath] = ("Passage",)
"""The label of marks that have none in their format."""

PASSAGE_LABELS: Final = "titles: [Source, Report]\nlabels:\n  - Passage\n"
"""The label set of a dataset whose marks say nothing but where they are."""

SCALE: Final = ("Perfect", "Mostly Good", "So-so", "Bad")
"""Ratings of an item where the workspace names no others, the best first."""

NOT_RATED: Final = "Not rated"
"""How an empty rating is called before people and in files."""


def rating_scale(kind: SampleKind, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """The words that a sample is rated with by hand; empty where it is not.

    Args:
        chosen: the words of the workspace, for samples of every kind; empty where it names none.
    """
    if chosen:
        return tuple(chosen)
    if kind is SampleKind.QUESTION:
        return VERDICTS
    return SCALE if kind in RATED_KINDS else ()


def has_rating_conflict(ratings: Collection[str]) -> bool:
    """Whether people who finished a sample rated it otherwise; who rated nothing is otherwise."""
    return any(ratings) and len(set(ratings)) > 1


# sentences of a report ---------------------------------------------------------------------------


class Sentence(NamedTuple):
    """A sentence of a report: code points [start, end) of its text, and the ids that it cites.

    It is blank, and counted nowhere, where `start` is `end`.
    """

    start: int
    end: int
    citations: tuple[str, ...] = ()


def report_sentences(sample: Sample) -> tuple[Sentence, ...]:
    """The sentences that a report came in, in order; none where its record tells of none."""
    return _parse_sentences(sample.meta)


def _parse_sentences(meta: Mapping[str, Any]) -> tuple[Sentence, ...]:
    try:
        return tuple(
            Sentence(int(each["start"]), int(each["end"]), tuple(each.get("citations", ())))
            for each in meta.get("sentences") or ()
        )
    except (AttributeError, KeyError, TypeError, ValueError):  # a stranger's field of that name
        return ()


def find_sentence(span: Span, within: Sequence[Sentence]) -> int | None:
    """The index of the first sentence that a span shares a code point with; None for none."""
    met = (min(span.end, each.end) > max(span.start, each.start) for each in within)
    return next((at for at, shared in enumerate(met) if shared), None)


def split_at_sentences(span: Span, within: Sequence[Sentence], text: str) -> tuple[Span, ...]:
    """Split a span at sentences, trimmed, in order; without sentences it stays whole.

    Text between sentences is dropped; white space alone gives an empty list.
    """
    bounds = within or (Sentence(0, len(text)),)
    parts = ((max(span.start, each.start), min(span.end, each.end)) for each in bounds)
    found = (Span(start, end).trim(text) for start, end in parts if start < end)
    return tuple(part for part in found if part is not None)


# what is annotated, and how it is counted --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """A report, document or citation in a person's list.

    Attributes:
        run: empty for a document, of which `runs` are those that cite it.
        group: shared by the citations of one sentence.
        sentences: of a report, how many are not blank.
        annotated: also where it is only rated or commented.
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
    """A document, or a sentence with its citations.

    Attributes:
        name: the document's id, or `s` and the sentence's index.
        ticks: parallel to `keys`, whether annotated.
    """

    name: str
    start: str
    keys: tuple[SampleKey, ...]
    ticks: tuple[bool, ...]

    @property
    def done(self) -> bool:
        """Whether all of it is annotated: a sentence is complete with its last citation."""
        return all(self.ticks)


@dataclass(frozen=True, slots=True)
class TreeBranch:
    """A topic, or a run of one, with its progress; `key` where it is itself an item."""

    name: str
    title: str
    done: int
    total: int
    key: SampleKey | None = None


def is_annotated(marks: int, rating: str, comment: str) -> bool:
    """Whether somebody said anything of an item: marked it, rated it, or commented it."""
    return bool(marks or rating or comment)


def list_leaves(kind: SampleKind, items: Iterable[Item], run: str = "") -> tuple[TreeLeaf, ...]:
    """Return the documents of a topic or run by id, or its sentences in report order."""
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
    """Return the runs of a topic that have any of these items, in the order of their reports."""
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
    """Return the runs of a topic counted by sentences, as `list_branches`, without citations.

    `complete`: groups of complete sentences.
    """
    done = Counter(map(report_id, complete))
    return tuple(
        TreeBranch(report.run, report.team, done[report.key.id], report.sentences)
        for report in reports
        if report.sentences
    )


def count_done_by_topic(kind: SampleKind, items: Iterable[Item]) -> dict[str, tuple[int, int]]:
    """By topic, how much is done and how much there is: reports, documents or sentences."""
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
    """How ids of a kind begin: under a topic, and of a report or citation under a run as well."""
    return "|".join((_LETTERS[kind], *parts, ""))


_LETTERS: Final[Mapping[SampleKind, str]] = {
    SampleKind.REPORT: "r",
    SampleKind.DOCUMENT: "d",
    SampleKind.CITATION: "c",
}


def make_item(
    key: SampleKey, *, group: str, start: str, meta: Mapping[str, Any], done: bool = False
) -> Item:
    """A sample as an item, by what its record tells."""
    topic, runs = str(meta.get("topic_id", "")), meta.get("runs")
    of_report = key.id.startswith(id_prefix(SampleKind.REPORT))
    report = key.id if of_report else report_id(group)
    index = group.rpartition("|")[2]
    return Item(
        key,
        topic,
        report.removeprefix(id_prefix(SampleKind.REPORT, topic)),
        str(meta.get("team_id") or ""),
        tuple(map(str, runs)) if isinstance(runs, list) else (),
        group,
        int(index) if index.isdecimal() else 0,
        sum(each.start < each.end for each in _parse_sentences(meta)) if of_report else 0,
        str(meta.get("docid") or ""),
        start,
        done,
    )


def report_id(group: str) -> str:
    """The id of the report that a sentence stands in, by the group of its citations."""
    report, _, _ = group.rpartition("|")
    return f"r|{report}" if report else ""


def split_claim_at_sentences(annotation: Annotation, sample: Sample) -> Annotation:
    """Split the claim of a normalised annotation at the sentences of a report.

    Raises:
        InvalidSpan: the claim lies between sentences.
    """
    within = report_sentences(sample) if sample.kind is SampleKind.REPORT else ()
    if not within or not annotation.claim:
        return annotation
    found = {
        Anchor(side, index, part)
        for side, index, span in annotation.claim
        for part in split_at_sentences(span, within, sample.document(side, index).text)
    }
    if not found:
        raise InvalidSpan(f"{annotation.claim[0].span} is in no sentence", "select some words")
    return replace(annotation, claim=tuple(sorted(found)))
