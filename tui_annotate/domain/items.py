"""Items of a collection: reports, documents and citations that people rate and mark passages in.

What of them is annotated and complete, how they are counted by topic and run, and where a passage
of a report is cut. An item is a sample of one of the kinds in `JUDGED`.

Source: the annotation model of autojudge-annotate 0.3.7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.positions import VERDICTS
from tui_annotate.domain.samples import Kind, Sample, SampleKey
from tui_annotate.domain.spans import Span

JUDGED: Final = (Kind.REPORT, Kind.DOCUMENT, Kind.CITATION)
"""The kinds that are rated and marked one by one, and not compared as pairs."""

PASSAGE: Final[LabelPath] = ("Passage",)
"""The label of marks that have none in their format."""

PASSAGE_LABELS: Final = "titles: [Source, Report]\nlabels:\n  - Passage\n"
"""The label set of a dataset whose marks say nothing but where they are."""

SCALE: Final = ("Perfect", "Mostly Good", "So-so", "Bad")
"""Ratings of an item where the workspace names no others, the best first."""

NOT_RATED: Final = "Not rated"
"""How an empty rating is called before people and in files."""


def scale(kind: Kind, chosen: Sequence[str] = ()) -> tuple[str, ...]:
    """The words that a sample is rated with by hand; empty where it is not.

    Args:
        chosen: the words of the workspace, for samples of every kind; empty where it names none.
    """
    if chosen:
        return tuple(chosen)
    if kind is Kind.QUESTION:
        return VERDICTS
    return SCALE if kind in JUDGED else ()


def rated_apart(ratings: Collection[str]) -> bool:
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


def sentences(sample: Sample) -> tuple[Sentence, ...]:
    """The sentences that a report came in, in order; none where its record tells of none."""
    return _sentences(sample.meta)


def _sentences(meta: Mapping[str, Any]) -> tuple[Sentence, ...]:
    try:
        return tuple(
            Sentence(int(each["start"]), int(each["end"]), tuple(each.get("citations", ())))
            for each in meta.get("sentences") or ()
        )
    except (AttributeError, KeyError, TypeError, ValueError):  # a stranger's field of that name
        return ()


def sentence_of(span: Span, within: Sequence[Sentence]) -> int | None:
    """The index of the first sentence that a span shares a code point with; None for none."""
    met = (min(span.end, each.end) > max(span.start, each.start) for each in within)
    return next((at for at, shared in enumerate(met) if shared), None)


def cut(span: Span, within: Sequence[Sentence], text: str) -> tuple[Span, ...]:
    """A passage as one span for each sentence that it meets, without white space at the edges.

    What lies between sentences belongs to none. Without sentences the passage stays one.

    Returns:
        In order; empty for white space alone.
    """
    bounds = within or (Sentence(0, len(text)),)
    parts = ((max(span.start, each.start), min(span.end, each.end)) for each in bounds)
    found = (Span(start, end).trim(text) for start, end in parts if start < end)
    return tuple(part for part in found if part is not None)


# what is annotated, and how it is counted --------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Item:
    """An item as one person sees it in a list.

    Attributes:
        run: of the report; empty for a document, which belongs to all runs that cite it.
        runs: of a document, those that cite it.
        group: of a citation, its sentence; citations of one sentence share it.
        sentence: of a citation, the sentence's index in its report.
        sentences: of a report, how many it has that are not blank.
        docid: of a document or a citation; empty for a sentence that cites nothing.
        start: how its text begins.
        annotated: this person marked, rated or commented it.
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
class Leaf:
    """A document, or a sentence with its citations, at the end of a branch.

    Attributes:
        name: the document's id, or `s` and the sentence's index.
        start: how the text begins.
        keys: the document's sample; or those of the citations, in order.
        ticks: for each, whether it is annotated.
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
class Branch:
    """A topic, or a run of one, with how much of it is done.

    Attributes:
        title: of a topic what was asked; of a run its team.
        done, total: reports, documents, or sentences.
        key: where the branch is itself an item, as a run is among reports.
    """

    name: str
    title: str
    done: int
    total: int
    key: SampleKey | None = None


def annotated(marks: int, rating: str, comment: str) -> bool:
    """Whether somebody said anything of an item: marked it, rated it, or commented it."""
    return bool(marks or rating or comment)


def leaves(kind: Kind, items: Iterable[Item], run: str = "") -> tuple[Leaf, ...]:
    """What stands under a run; under a topic where no run is named.

    Args:
        items: of one topic, in the order in which they came.

    Returns:
        Documents by id; sentences in the order of their report.
    """
    if kind is Kind.DOCUMENT:
        mine = [item for item in items if not run or run in item.runs]
        ordered = sorted(mine, key=lambda item: item.docid)
        return tuple(
            Leaf(item.docid, item.start, (item.key,), (item.annotated,)) for item in ordered
        )
    by_sentence: dict[str, list[Item]] = {}
    for item in items:
        if run in ("", item.run):
            by_sentence.setdefault(item.group, []).append(item)
    ordered_groups = sorted(by_sentence.values(), key=lambda group: group[0].sentence)
    return tuple(map(_sentence, ordered_groups))


def _sentence(group: Sequence[Item]) -> Leaf:
    return Leaf(
        f"s{group[0].sentence}",
        group[0].start,
        tuple(item.key for item in group),
        tuple(item.annotated for item in group),
    )


def branches(kind: Kind, items: Sequence[Item], reports: Sequence[Item]) -> tuple[Branch, ...]:
    """The runs of a topic that have any of these items, in the order of their reports.

    Args:
        items: of one topic, of the kind that is asked for.
        reports: of the topic; they name the runs and their teams.
    """
    if kind is Kind.REPORT:
        return tuple(
            Branch(item.run, item.team, int(item.annotated), 1, item.key) for item in items
        )
    found = []
    for report in reports:
        under = leaves(kind, items, report.run)
        if under:
            done = sum(leaf.done for leaf in under)
            found.append(Branch(report.run, report.team, done, len(under)))
    return tuple(found)


def sentence_branches(reports: Iterable[Item], complete: Iterable[str]) -> tuple[Branch, ...]:
    """The runs of a topic, counted by sentences; as `branches`, without their citations.

    Args:
        reports: of the topic.
        complete: groups of the sentences that are complete.
    """
    done = Counter(map(report_id, complete))
    return tuple(
        Branch(report.run, report.team, done[report.key.id], report.sentences)
        for report in reports
        if report.sentences
    )


def counted(kind: Kind, items: Iterable[Item]) -> dict[str, tuple[int, int]]:
    """By topic, how much is done and how much there is: reports, documents or sentences."""
    by_topic: dict[str, list[Item]] = {}
    for item in items:
        by_topic.setdefault(item.topic, []).append(item)
    found = {}
    for topic, mine in by_topic.items():
        if kind is Kind.CITATION:
            ticks = [leaf.done for leaf in leaves(kind, mine)]
        else:
            ticks = [item.annotated for item in mine]
        found[topic] = (sum(ticks), len(ticks))
    return found


# ids ---------------------------------------------------------------------------------------------


def prefix(kind: Kind, *parts: str) -> str:
    """How ids of a kind begin: under a topic, and of a report or citation under a run as well."""
    return "|".join((_LETTERS[kind], *parts, ""))


_LETTERS: Final[Mapping[Kind, str]] = {Kind.REPORT: "r", Kind.DOCUMENT: "d", Kind.CITATION: "c"}


def item(
    key: SampleKey, *, group: str, start: str, meta: Mapping[str, Any], done: bool = False
) -> Item:
    """A sample as an item, by what its record tells."""
    topic, runs = str(meta.get("topic_id", "")), meta.get("runs")
    of_report = key.id.startswith(prefix(Kind.REPORT))
    report = key.id if of_report else report_id(group)
    index = group.rpartition("|")[2]
    return Item(
        key,
        topic,
        report.removeprefix(prefix(Kind.REPORT, topic)),
        str(meta.get("team_id") or ""),
        tuple(map(str, runs)) if isinstance(runs, list) else (),
        group,
        int(index) if index.isdecimal() else 0,
        sum(each.start < each.end for each in _sentences(meta)) if of_report else 0,
        str(meta.get("docid") or ""),
        start,
        done,
    )


def report_id(group: str) -> str:
    """The id of the report that a sentence stands in, by the group of its citations."""
    report, _, _ = group.rpartition("|")
    return f"r|{report}" if report else ""
