"""How many keys the work takes: what is done most, then real annotations, by an expert's keys.

Keys are planned by `planning`, pressed in the real app, and count only where it then shows the very
annotation: its claim, its labels, as many pieces of evidence. Reading and notes are left out, of
the real annotations also the key that finishes a sample. Real Mercury exports are looked for under
`data/faithbench` of the folder `TUI_ANNOTATE_SHARED`.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory

import tui_annotate
from benchmarks.expert import SIZE, Counts, Hand, Wanted, at_work
from benchmarks.report import Row
from tests.tui.screens import annotate_app, review_app
from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions

ROOT = Path(__file__).parents[1]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
LABELS = {
    "Unwanted.Instrinsic": ("Unwanted", "Intrinsic"),
    "Unwanted.Extrinsic": ("Unwanted", "Extrinsic"),
}
"""What the batches call them, and what our label set does."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What one person found in one sample, in reading order."""

    name: str
    source: str
    summary: str
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """An annotation that is made often, on the invented sample of the screen's tests.

    Attributes:
        claim, evidence: words of the summary, words of the source; empty for no evidence.
        rank: of the match that is taken, in place of words; 0 for none.
    """

    what: str
    claim: str
    label: str
    evidence: str = ""
    rank: int = 0


TASKS = (
    Task("a sentence without support", "Nobody was hurt on the set.", "Extrinsic"),
    Task("a contradiction, its evidence is match 1", "15 million pounds", "Intrinsic", rank=1),
    Task("the same, its evidence is match 3", "thanked the town", "Intrinsic", rank=3),
    Task("three words, exact evidence", "loved by families", "Intrinsic", "Critics hated it"),
)


def rows() -> list[Row]:
    """Keys of what is done most, and the marks of real annotations, by two kinds of evidence."""
    files = sorted((SHARED / "data" / "faithbench").glob("batch_*_annotation.json"))
    readings = [reading for file in files for reading in _readings(file)]
    with TemporaryDirectory() as folder:
        usual = asyncio.run(_usual(Path(folder)))
    if not readings:
        return usual
    return [
        *usual,
        *_rows(readings, "evidence by sentences", exact=False, most=(6, 9)),
        *_rows(readings, "evidence exactly", exact=True, most=(8, 12)),
    ]


def _rows(
    readings: Sequence[Reading], what: str, *, exact: bool, most: tuple[int, int]
) -> Iterator[Row]:
    with TemporaryDirectory() as folder:
        counts = asyncio.run(_replayed(Path(folder) / "work", readings, exact=exact))
    name = f"keys for an annotation, {what}"
    yield Row(f"{name}: median of {len(counts.keys)}", median(counts.keys), most[0])
    yield Row(f"{name}: 90 %", quantiles(counts.keys, n=10)[-1], most[1])
    for why, count in sorted(counts.missed.items()):
        yield Row(f"{name}: not made again, {why}", count)


# what is done most


async def _usual(folder: Path) -> list[Row]:
    found = [
        await _done(annotate_app.make_workspace(folder / str(at)), task)
        for at, task in enumerate(TASKS)
    ]
    async with annotate_app.open_app(
        annotate_app.make_workspace(folder / "clean"), size=SIZE, sample="b"
    ) as person:
        await person.press("enter")
        assert person.draft.sample.id != "b"
        found.append(Row("keys: a sample of two sentences read, nothing found", person.count))
    async with annotate_app.open_app(
        annotate_app.make_workspace(folder / "label"), size=SIZE
    ) as person:
        await person.press("full_stop 1")
        person.count = 0
        await person.press("u 2")
        labels = [known.labels for known in person.annotations]
        assert labels == [(("Unwanted", "Extrinsic"),)], labels
        found.append(Row("keys: another label for what was just saved", person.count))
    place = review_app.make(folder / "review")
    async with review_app.open_review(place, size=SIZE) as reviewer:
        await reviewer.press("1 y")
        assert review_app.settled(place)
        found.append(Row("keys: a conflict settled by one of its rivals", reviewer.count))
    return found


async def _done(folder: Path, task: Task) -> Row:
    """The keys of a task on a fresh sample, from its first sentence."""
    async with annotate_app.open_app(folder, size=SIZE) as person:
        claim = _place(annotate_app.SUMMARY, task.claim)
        label = (*(("Unwanted",) if task.label in ("Intrinsic", "Extrinsic") else ()), task.label)
        hand = Hand(person, exact=True, rank=task.rank)
        evidence = (_place(annotate_app.SOURCE, task.evidence),) if task.evidence else ()
        counts = Counts()
        await hand.annotate(Wanted(claim, evidence, (label,)), counts)
        assert not counts.missed, (task, counts.missed)
        taken = [anchor.span for known in person.annotations for anchor in known.evidence]
        assert len(taken) == bool(task.rank or task.evidence), (task, taken)
        return Row(f"keys: {task.what}", counts.keys[0])


def _place(text: str, words: str) -> Span:
    at = text.index(words)
    return Span(at, at + len(words))


# what people did


def _readings(file: Path) -> Iterator[Reading]:
    for item in registry.load("importers", "mercury").read(file, ImportOptions()):
        if not isinstance(item, Record):
            continue
        source, summary = (item.sample.side(side)[0].text for side in Side)
        people: dict[str, list[Wanted]] = {}
        for owned in item.annotations:
            made = owned.annotation
            if made.claim:
                claim = made.claim[0].span.trim(summary) or made.claim[0].span
                evidence = [anchor.span.trim(source) for anchor in made.evidence]
                found = tuple(sorted(span for span in evidence if span))
                wanted = Wanted(claim, found, _labels(made.labels))
                people.setdefault(owned.person, []).append(wanted)
        for person, own in people.items():
            name = f"{file.stem}-{item.sample.id}-{person}"
            ordered = tuple(sorted(own, key=lambda each: (each.claim, each.evidence)))
            yield Reading(name, source, summary, ordered)


def _labels(paths: Iterable[LabelPath]) -> tuple[LabelPath, ...]:
    """Each once, by our names; a parent only where none of its children stands beside it."""
    named = dict.fromkeys(LABELS.get(".".join(path), path) for path in paths)
    parents = {path[:1] for path in named if len(path) > 1}
    return tuple(path for path in named if path not in parents)


# doing it again


async def _replayed(folder: Path, readings: Sequence[Reading], *, exact: bool) -> Counts:
    counts = Counts()
    _furnish(folder, readings)
    async with at_work(folder, readings[0].name) as person:
        for at, reading in enumerate(readings):
            if at:
                await person.press("greater_than_sign")
            assert person.draft.sample.id == reading.name, person.draft.sample.id
            for wanted in reading.wanted:
                await Hand(person, exact=exact).annotate(wanted, counts)
    return counts


def _furnish(folder: Path, readings: Iterable[Reading]) -> None:
    pairs = folder.with_suffix(".jsonl")
    lines = ({"id": each.name, "source": each.source, "summary": each.summary} for each in readings)
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    with tui_annotate.create(folder) as space:
        space.ingest(pairs, options=ImportOptions(id_column="id"), embedder="static")
