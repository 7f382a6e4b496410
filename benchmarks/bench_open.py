"""What a sample costs to open, and the next unfinished to find, out of 100,000 against out of 100.

Both workspaces hold the same texts a sample; eleven summaries share a source, as in real work. The
person has finished the first nine tenths, so that the queue has something to pass over. Then the
same once all of it is handed out to that person in a random order, and once it is drawn from a pool
of which somebody new has drawn sixty. Runs take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from tui_annotate import workspace
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.storage.corpus.store import NewSample

FEW, MANY = 100, 100_000
RUNS = 300
DRAWN = 60
_BATCH = 1000
_SUMMARIES = 11
_SENTENCE = "The bridge over the river opened in the spring of 1932 and cost 12 million pounds. "


def samples(count: int) -> Iterator[NewSample]:
    """Samples with a source of about 4 kB and a summary of 300 characters."""
    for number in range(count):
        source = f"Source {number // _SUMMARIES}. " + _SENTENCE * 50
        summary = f"Summary {number}. " + _SENTENCE * 4
        documents = (Document(Side.SOURCE, source), Document(Side.SUMMARY, summary))
        segments = tuple(
            tuple(Segment(at, min(at + 80, len(each.text))) for at in range(0, len(each.text), 80))
            for each in documents
        )
        yield NewSample(Sample("bench", f"sample-{number:06}", documents), segments)


def filled(folder: Path, count: int) -> tuple[workspace.Workspace, str]:
    """A workspace of so many samples, and a person who has finished nine tenths of them."""
    space = workspace.create(folder)
    source = samples(count)
    while batch := list(islice(source, _BATCH)):
        space.corpus.add(batch, segmenter="bench")
    person = space.people.local("bench")
    done = (Assignment(person.id, State.DONE, updated="2026-01-01"),)
    finished = (new.sample for new in samples(count * 9 // 10))
    while some := list(islice(finished, _BATCH)):
        space.log.import_records([Record(sample, (), done, (person,)) for sample in some])
    return space, person.id


def seconds(action: Callable[[], object]) -> float:
    """How long something takes."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def handed_out(space: workspace.Workspace) -> float:
    """All samples are given to the person, in an order of their own; the seconds that it takes."""
    wish = AssignmentOptions(order=AssignmentOrder.RANDOM)
    return seconds(lambda: space.team.assignments.give("bench", ["bench"], wish))


def pooled(space: workspace.Workspace) -> tuple[str, list[SampleKey]]:
    """All samples may be drawn by two people each; somebody new who drew some, and which."""
    space.team.assignments.undo(include_started=True)
    space.team.assignments.pool("bench", Pool(2, "by-source"))
    person = space.people.local("new").id
    drawn = []
    for _ in range(DRAWN):
        key = space.annotate.next_unfinished(person, None)
        if key is None:
            break
        space.annotate.skip(person, key, seconds=0)
        drawn.append(key)
    return person, drawn


def rows() -> Iterator[Row]:
    """The ratios of the medians."""
    with TemporaryDirectory() as folder:
        few, few_person = filled(Path(folder) / "few", FEW)
        many, many_person = filled(Path(folder) / "many", MANY)
        people = (few_person, many_person)
        everywhere = [
            [SampleKey("bench", f"sample-{number:06}") for number in range(count)]
            for count in (FEW, MANY)
        ]
        spaces = (few, many)
        yield from _compared(spaces, people, everywhere, where="")
        handed_out(few)
        yield Row(f"hand out {MANY:,} samples", handed_out(many), unit="s")
        yield from _compared(spaces, people, everywhere, where=", handed out")
        found = [pooled(space) for space in spaces]
        new = (found[0][0], found[1][0])
        yield from _compared(spaces, new, [drawn for _, drawn in found], where=", from a pool")
        few.close()
        many.close()


def _compared(
    spaces: tuple[workspace.Workspace, workspace.Workspace],
    people: tuple[str, str],
    keys: Sequence[Sequence[SampleKey]],
    *,
    where: str,
) -> Iterator[Row]:
    opened: tuple[list[float], list[float]] = ([], [])
    walked: tuple[list[float], list[float]] = ([], [])
    draw = random.Random(1)
    for _ in range(RUNS):
        for side, (space, person) in enumerate(zip(spaces, people, strict=True)):
            key, annotate = draw.choice(keys[side]), space.annotate
            opened[side].append(seconds(partial(annotate.open, person, key)))
            walked[side].append(
                seconds(partial(annotate.next_unfinished, person, key, order="by-source"))
            )
    for what, (less, more), bound in (
        ("open a sample", opened, 1.5),
        ("find the next unfinished", walked, 2.0),
    ):
        words = f"{what} out of {MANY:,} samples{where} against out of {FEW}"
        yield Row(words, median(more) / median(less), bound, "times")
        yield Row(f"{what} out of {MANY:,} samples{where}", 1000 * median(more), unit="ms")
