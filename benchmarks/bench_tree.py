"""What a collection costs to open: its tree, an item of it, the next one; 180,000 citations or few.

Both hold the same reports to a topic. The person has rated some thousand citations, spread over the
collection, so that there is work to count. Runs take turns, so that a busy machine slows both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import tui_annotate
from benchmarks.collected import Size, written
from benchmarks.report import Row
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.items import SCALE
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.samples import Kind, SampleKey
from tui_annotate.services.ingest import Files
from tui_annotate.workspace import Workspace

FEW, MANY = Size(topics=1, documents=90), Size(documents=90)
RATED = 3000
RUNS = 100
_NAME = "collection"


@dataclass(frozen=True)
class Filled:
    """A collection in a workspace, with the work of one person.

    Attributes:
        citations: some keys, as chance has it.
    """

    space: Workspace
    person: str
    citations: list[SampleKey]


def filled(folder: Path, size: Size) -> Filled:
    """Stores a collection, and rates some of its citations."""
    runs, options = written(folder / "files", size)
    space = tui_annotate.create(folder / "space")
    space.ingesting.run(Files([runs], format="autojudge", options=options), embedder="none")
    person = space.people.local("bench")
    chance = random.Random(3)
    keys = [key for key in space.corpus.keys(_NAME) if key.id.startswith("c|")]
    chosen = set(chance.sample(keys, RATED))
    done = (Assignment(person.id, State.DONE, SCALE[0], updated="2026-01-01"),)
    records = space.corpus.records(RecordFilter(dataset=_NAME))
    rated = (
        Record(each.sample, (), done, (person,)) for each in records if each.sample.key in chosen
    )
    while some := list(islice(rated, RUNS)):
        space.log.import_records(some)
    return Filled(space, person.id, chance.sample(keys, RUNS))


def rows() -> Iterator[Row]:
    """Ratios of the medians, and what the larger one takes."""
    with TemporaryDirectory() as folder:
        few = filled(Path(folder) / "few", FEW)
        many = filled(Path(folder) / "many", MANY)
        for what, ask, bound in _asked():
            yield from _compared(what, ask, bound, few=few, many=many)
        few.space.close()
        many.space.close()


Ask = Callable[[Filled, SampleKey], object]


def _asked() -> Iterator[tuple[str, Ask, float | None]]:
    """What is done at a citation, and how many times as long it may take among many."""
    yield "open a citation", lambda at, key: at.space.annotate.open(at.person, key), 1.5
    yield "what stands around it", lambda at, key: at.space.annotate.around(at.person, key), 1.5
    yield "the next sentence", lambda at, key: at.space.annotate.step(at.person, key, 1), 1.5
    following = partial(_next, kind=Kind.CITATION)
    yield "the next that is not annotated", following, 2.0
    yield "the runs of a topic", _runs, 1.5
    for kind in (Kind.REPORT, Kind.DOCUMENT, Kind.CITATION):
        yield f"all topics with counts, {kind}s", partial(_topics, kind=kind), None


def _next(at: Filled, key: SampleKey, *, kind: Kind) -> object:
    return at.space.annotate.next_incomplete(at.person, kind, key)


def _runs(at: Filled, key: SampleKey) -> object:
    topic = key.id.split("|")[1]
    return at.space.annotate.runs(at.person, _NAME, Kind.CITATION, topic=topic)


def _topics(at: Filled, _: SampleKey, *, kind: Kind) -> object:
    return at.space.annotate.topics(at.person, _NAME, kind)


def _compared(
    what: str, ask: Ask, bound: float | None, *, few: Filled, many: Filled
) -> Iterator[Row]:
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(RUNS if bound else RUNS // 10):
        for side, at in enumerate((few, many)):
            began = time.perf_counter()
            ask(at, at.citations[turn])
            took[side].append(time.perf_counter() - began)
    less, more = map(median, took)
    said = f"{what}, out of {MANY.citation_samples:,} citations"
    if bound:
        yield Row(f"{said} against {FEW.citation_samples:,}", more / less, bound, "times")
    yield Row(said, 1000 * more, unit="ms")
