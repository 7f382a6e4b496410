"""Agreement over 100,000 annotations: processor time with all intervals, and memory.

Samples without readers cost nothing: 1,000 samples with readers take as long among 50,000 others.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.corpus.store import CorpusStore, NewSample
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

SAMPLES, READERS, TEAM, BATCH = 10_000, 3, 20, 200
FEW, UNREAD = 1_000, 50_000
GROWTH = 1.3
"""Of processor time, for fifty times as many samples of which no more were read."""
SENTENCE = "The bridge cost 15 million pounds and was loved by all who saw it. "
SENTENCES = 5
SOURCE = "It cost 12 million. " * 150
LABELS = (("Unwanted", "Intrinsic"), ("Unwanted", "Extrinsic"), ("Benign",), ("Questionable",))
REPORT = """
import resource, sys, time
from pathlib import Path
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.services.agreement import AgreementService
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.labels.store import GuidanceStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.corpus.store import SegmentStore

database = SqliteDatabase.open(Path(sys.argv[1]))
stores = (CorpusStore(database), PeopleStore(database), GuidanceStore(database))
labels = parse_labels("[Unwanted: [Intrinsic, Extrinsic], Benign, Questionable]")
agree = AgreementService(*stores, SegmentStore(database), lambda _: labels, lambda filters: filters)
began = time.process_time()
found = agree.report()
assert found.together.samples == int(sys.argv[2])
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def rows() -> list[Row]:
    """Processor time, the most memory, and the cost of samples without readers."""
    with TemporaryDirectory() as name:
        store = Path(name) / "store.sqlite"
        count = _fill(store, SAMPLES)
        seconds, memory = _reported(store, SAMPLES)
    what = f"agreement over {count:,} annotations with all intervals"
    return [
        Row(f"{what}, processor time", seconds, 30, "s"),
        Row(f"{what}, memory", memory, 400, "MB"),
        _growth(),
    ]


def _growth() -> Row:
    with TemporaryDirectory() as name:
        store = Path(name) / "store.sqlite"
        _fill(store, FEW)
        alone = min(_reported(store, FEW)[0] for _ in range(3))
        _fill_unread(store)
        among = min(_reported(store, FEW)[0] for _ in range(3))
    what = f"agreement of {FEW:,} samples among {UNREAD:,} without readers"
    return Row(f"{what}, processor time against them alone", among / alone, GROWTH, "times")


def _reported(store: Path, samples: int) -> tuple[float, float]:
    """Seconds of processor time, and the most memory in MB."""
    command = [sys.executable, "-c", REPORT, str(store), str(samples)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def _fill_unread(store: Path) -> None:
    database = SqliteDatabase.open(store)
    corpus = CorpusStore(database)
    for start in range(0, UNREAD, BATCH):
        samples = (_sample(f"new {number}", number) for number in range(start, start + BATCH))
        corpus.add(list(map(_new, samples)), segmenter="made")
    database.close()


def _fill(store: Path, samples: int) -> int:
    database = SqliteDatabase.create(store)
    corpus, log = CorpusStore(database), AnnotationStore(database)
    count = 0
    batch: list[Record] = []
    for record in _records(samples):
        batch.append(record)
        count += len(record.annotations)
        if len(batch) == BATCH:
            corpus.add([_new(each.sample) for each in batch], segmenter="made")
            log.import_records(batch)
            batch = []
    database.close()
    return count


def _new(sample: Sample) -> NewSample:
    source, summary = (len(document.text) for document in sample.documents)
    ends = [*range(len(SENTENCE), summary, len(SENTENCE)), summary]
    cut = tuple(Segment(start, end) for start, end in zip([0, *ends], ends, strict=False))
    return NewSample(sample, ((Segment(0, source),), cut))


def _sample(name: str, number: int) -> Sample:
    source = Document(Side.SOURCE, f"{SOURCE}{number // 10}.")
    return Sample("made", name, (source, Document(Side.SUMMARY, f"{SENTENCE * SENTENCES}{name}.")))


def _records(samples: int) -> Iterator[Record]:
    """Summaries of five sentences, each read by three of twenty people, 2 to 5 marks each."""
    chance = random.Random(1)
    team = [Person(f"p{at:02}", f"person {at}") for at in range(TEAM)]
    for number in range(samples):
        readers = chance.sample(team, READERS)
        owned = tuple(
            OwnedAnnotation(person.id, _marked(f"{number}-{person.id}-{place}", chance))
            for person in readers
            for place in range(chance.choice((2, 3, 4, 5 if number % 3 else 4)))
        )
        done = tuple(Assignment(person.id, State.DONE) for person in readers)
        yield Record(_sample(str(number), number), owned, done, tuple(readers))


def _marked(name: str, chance: random.Random) -> Annotation:
    claim, evidence = (
        Anchor(side, 0, Span(start, start + chance.randrange(8, 50)))
        for side, start in (
            (Side.SUMMARY, chance.randrange(250)),
            (Side.SOURCE, chance.randrange(2000)),
        )
    )
    given = (evidence,) if chance.random() < 0.6 else ()
    return Annotation(name, (claim,), given, (chance.choice(LABELS),))
