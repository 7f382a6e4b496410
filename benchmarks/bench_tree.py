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
from typing import Final

import tui_annotate
from benchmarks.collected import Size, written
from benchmarks.report import Row
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.report_collections import RATED_KINDS, SCALE
from tui_annotate.domain.samples import SampleKey, SampleKind
from tui_annotate.services.ingest import IngestFiles
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
    space.ingest_service.run(
        IngestFiles([runs], format="autojudge", options=options), embedder="none"
    )
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


Ask = Callable[[Filled, SampleKey], object]

AT_A_CITATION: Final[dict[str, tuple[Ask, float]]] = {
    "open a citation": (lambda at, key: at.space.annotate.open(at.person, key), 1.5),
    "what stands around it": (lambda at, key: at.space.annotate.around(at.person, key), 1.5),
    "the next sentence": (lambda at, key: at.space.annotate.step(at.person, key, 1), 1.5),
    "the next that is not annotated": (
        lambda at, key: at.space.annotate.next_incomplete(at.person, SampleKind.CITATION, key),
        2.0,
    ),
}
"""What is done there, in turn, and how many times as long it may take among many."""


def rows() -> Iterator[Row]:
    """Ratios of the medians, and what the larger one takes."""
    with TemporaryDirectory() as folder:
        few = filled(Path(folder) / "few", FEW)
        many = filled(Path(folder) / "many", MANY)
        yield from _at_citations(few, many)
        yield from _trees(few, many)
        few.space.close()
        many.space.close()


def _at_citations(few: Filled, many: Filled) -> Iterator[Row]:
    took: dict[str, tuple[list[float], list[float]]] = {what: ([], []) for what in AT_A_CITATION}
    for turn in range(RUNS):
        for side, at in enumerate((few, many)):
            for what, (ask, _) in AT_A_CITATION.items():
                took[what][side].append(_seconds(partial(ask, at, at.citations[turn])))
    for what, (less, more) in took.items():
        said = f"{what}, out of {MANY.citation_samples:,} citations"
        ratio = median(more) / median(less)
        bound = AT_A_CITATION[what][1]
        yield Row(f"{said} against {FEW.citation_samples:,}", ratio, bound, "times")
        yield Row(said, 1000 * median(more), unit="ms")


def _trees(few: Filled, many: Filled) -> Iterator[Row]:
    for kind in RATED_KINDS:
        took = [
            median(
                _seconds(partial(at.space.annotate.items.topics, at.person, _NAME, kind))
                for _ in range(9)
            )
            for at in (few, many)
        ]
        said = f"all topics with counts, {kind}s, out of {MANY.citation_samples:,} citations"
        yield Row(said, 1000 * took[1], unit="ms")
        yield Row(
            f"{said}: a topic, against one of one", took[1] / took[0] / MANY.topics, 2.0, "times"
        )


def _seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began
