"""How often the marks of the contrast are right, and how long they take.

Every sentence of a summary is held against the segments of its source that words rank first. A
mark is right where it touches a span of the summary that an annotator called wrong; what nobody
marked counts as a false alarm, though real annotations miss things. Shares have their counts.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.bench_assist import SAMPLES, SHARED
from benchmarks.report import Row
from tui_annotate.domain.spans import Span, merge
from tui_annotate.methods.contrast import find_contradictions
from tui_annotate.methods.matching import SegmentIndex, query
from tui_annotate.methods.quantities import find_quantities
from tui_annotate.methods.segmentation import segment
from tui_annotate.methods.unsupported_words import find_unsupported_words

HARMLESS = {"Benign", "Consistent"}
TOP = 3
SIZE = 1_000_000


@dataclass(frozen=True, slots=True)
class Pair:
    """A source with a summary, and what annotators called wrong in it."""

    source: str
    summary: str
    language: str
    wrong: tuple[Span, ...]

    def right(self, span: Span) -> bool:
        """Whether a span of the summary touches what is wrong."""
        return any(span.overlap(wrong) for wrong in self.wrong)


def rows() -> list[Row]:
    """The share of right marks of each kind, on real and on our own annotations; then time."""
    own = list(own_pairs())
    real = list(real_pairs())
    return [
        *marks("own pairs", own),
        *(marks("real claims", real) if real else []),
        *times(own),
    ]


def own_pairs() -> Iterator[Pair]:
    """All pairs of `sample_data`, those with nothing to mark among them."""
    gold = {row["sample_id"]: row["annotations"] for row in read(SAMPLES / "gold.json")}
    lines = (SAMPLES / "pairs.jsonl").read_text("utf-8").splitlines()
    for at, row in enumerate(map(json.loads, lines)):
        yield Pair(row["source"], row["summary"], row["language"], wrong(gold.get(at, [])))


def real_pairs() -> Iterator[Pair]:
    """The pairs of the real Mercury exports, where they are there."""
    for file in sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json")):
        for row in read(file):
            yield Pair(row["source"], row["summary"], "en", wrong(row["annotations"]))


def read(file: Path) -> list[dict[str, Any]]:
    """The records of a Mercury dump."""
    found: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return found


def wrong(annotations: Iterable[dict[str, Any]]) -> tuple[Span, ...]:
    """The claims whose label is there and not harmless."""
    return tuple(
        Span(each["summary_start"], each["summary_end"])
        for each in annotations
        if "summary_start" in each and each["label"] and not HARMLESS & set(each["label"])
    )


def marks(where: str, pairs: list[Pair]) -> Iterator[Row]:
    """The shares of right marks, each with how many marks there were."""
    found: Counter[tuple[str, bool]] = Counter()
    for pair in pairs:
        unsaid = find_unsupported_words(pair.summary, [pair.source])
        found.update(unsupported_kinds(pair, unsaid))
        found.update(conflict_kinds(pair, unsaid))
    for language in sorted({pair.language for pair in pairs}):
        own = [pair for pair in pairs if pair.language == language]
        signs = sum(len(pair.summary) for pair in own)
        touched = sum(len(span) for pair in own for span in merge(pair.wrong))
        yield Row(f"{where}, signs of summaries in {language} that are wrong", touched / signs)
    for kind in sorted({kind for kind, _ in found}):
        count = found[kind, True] + found[kind, False]
        yield Row(f"{where}, {kind}: touching what is wrong", found[kind, True] / count)
        yield Row(f"{where}, {kind}: how many", count)


def unsupported_kinds(pair: Pair, unsaid: list[Span]) -> Iterator[tuple[str, bool]]:
    """What `find_unsupported_words` marks, against all words and numbers of the summary."""
    days, numbers = find_quantities(pair.summary)
    counted = [*(day.span for day in days), *(number.span for number in numbers)]
    for span in counted:
        yield "numbers and dates, marked or not", pair.right(span)
        if any(span.overlap(mark) for mark in unsaid):
            yield "numbers and dates nowhere in the source", pair.right(span)
    for mark in unsaid:
        if not any(mark.overlap(span) for span in counted):
            yield "words nowhere in the source", pair.right(mark)


def conflict_kinds(pair: Pair, unsaid: list[Span]) -> Iterator[tuple[str, bool]]:
    """What the conflicts with the first matches of each sentence are, by three rules.

    The first is that of the screen in samples that are not long.
    """
    cut = segment(pair.source, pair.language)
    sentences = segment(pair.summary, pair.language)
    searched = SegmentIndex.of([pair.source], [cut])
    unheard = find_unsupported_words(pair.source, [pair.summary])
    for own in (sentence.span for sentence in sentences):
        asked = query(pair.summary, sentences, own)
        for match in searched.rank(asked, top=TOP) if asked else ():
            said, held = within(unsaid, own), within(unheard, match.span)
            texts = own.of(pair.summary), match.span.of(pair.source)
            for rule, found in (
                ("", find_contradictions(*texts, unsaid=said, unheard=held)),
                (", the summary's marks known", find_contradictions(*texts, unsaid=said)),
                (", nothing known", find_contradictions(*texts)),
            ):
                for each in found:
                    yield (
                        f"conflicts of {each.kind}s{rule}",
                        pair.right(each.claim.shift(own.start)),
                    )


def within(marks: list[Span], place: Span) -> list[Span]:
    """The parts of marks in a place, counted from its start."""
    return [part.shift(-place.start) for mark in marks if (part := mark.clip(place))]


def times(pairs: list[Pair]) -> Iterator[Row]:
    """Seconds for 1 MB on either side, and milliseconds for a match."""
    whole = "\n".join(pair.source for pair in pairs)
    large = (whole * (SIZE // len(whole) + 1))[:SIZE]
    small = pairs[0].summary
    for what, text, others in (
        ("a summary against 1 MB", small, large),
        ("1 MB against a summary", large, small),
    ):
        started = time.process_time()
        find_unsupported_words(text, [others])
        yield Row(f"what is unsupported, {what}", time.process_time() - started, 1, "s")
    started = time.process_time()
    for pair in pairs:
        find_contradictions(pair.summary[:300], pair.source[:300])
    yield Row(
        "conflicts of 300 with 300 signs",
        (time.process_time() - started) * 1000 / len(pairs),
        unit="ms",
    )
