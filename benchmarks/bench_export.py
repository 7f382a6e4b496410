"""Export of 200,000 annotations: how many a second, and in how much memory against 20,000."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Owned, Record
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore, NewSample
from tui_annotate.storage.database import Database

MANY, FEW = 200_000, 20_000
A_SAMPLE = 10
BATCH = 200
EXPORT = """
import gc, resource, sys, time
from pathlib import Path
from tui_annotate.domain.records import RecordFilter
from tui_annotate.services.export import Export
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.people import PeopleStore

store, exporter, dataset, target = sys.argv[1:]
database = Database.open(Path(store))
export = Export(CorpusStore(database), PeopleStore(database), AnnotationStore(database))
gc.freeze()  # as the command does
began = time.perf_counter()
report = export.run(exporter, Path(target), filters=RecordFilter(dataset=dataset))
seconds = time.perf_counter() - began
print(report.annotations, seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def rows() -> list[Row]:
    """A rate for each format, and the worst growth of memory."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        store = folder / "store.sqlite"
        _fill(store)
        measured = []
        growth = 0.0
        for exporter in ("native", "mercury", "csv"):
            _, small = _export(store, exporter, dataset="few")
            rate, large = _export(store, exporter, dataset="many")
            growth = max(growth, large / small)
            what = f"export of 200,000 annotations, {exporter}"
            measured.append(Row(what, rate, 20_000, "a second", "at least"))
    bound = "memory of such an export against one of 20,000"
    return [*measured, Row(bound, growth, 1.2, "times")]


def _export(store: Path, exporter: str, *, dataset: str) -> tuple[float, float]:
    """(annotations a second, most memory) of an export in a process of its own."""
    target = store.with_name("exported")
    command = [sys.executable, "-c", EXPORT, str(store), exporter, dataset, str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    annotations, seconds, memory = map(float, done.stdout.split())
    return annotations / seconds, memory


def _fill(store: Path) -> None:
    database = Database.create(store)
    corpus, log = CorpusStore(database), AnnotationStore(database)
    for dataset, count in (("few", FEW), ("many", MANY)):
        batch: list[Record] = []
        for record in _records(dataset, count // A_SAMPLE):
            batch.append(record)
            if len(batch) == BATCH:
                corpus.add([_new(each.sample) for each in batch], segmenter="none")
                log.import_records(batch)
                batch = []
    database.close()


def _new(sample: Sample) -> NewSample:
    whole = tuple((Segment(0, len(document.text)),) for document in sample.documents)
    return NewSample(sample, whole)


def _records(dataset: str, samples: int) -> Iterator[Record]:
    """Samples of 3 kB, five for each source, with two people's annotations."""
    people = (Person("aa", "ana", PersonKind.IMPORTED), Person("bb", "bo", PersonKind.IMPORTED))
    for number in range(samples):
        source = Document(Side.SOURCE, f"Source {dataset} {number // 5}. " + "It cost 12. " * 220)
        summary = Document(Side.SUMMARY, f"Summary {number}. " + "It cost 15 and was loved. " * 20)
        sample = Sample(dataset, str(number), (source, summary), meta={"model": "a"})
        owned = tuple(_owned(dataset, number, place) for place in range(A_SAMPLE))
        yield Record(sample, owned, people=people)


def _owned(dataset: str, number: int, place: int) -> Owned:
    claim = Anchor(Side.SUMMARY, 0, Span(20 + place, 45 + place))
    evidence = Anchor(Side.SOURCE, 0, Span(30 + place, 60 + place))
    annotation = Annotation(
        f"{dataset}-{number}-{place}",
        (claim,),
        (evidence,),
        labels=(("Unwanted", "Intrinsic"),),
        note="the source says 12, not 15",
        origin="imported:made",
    )
    return Owned("aa" if place % 2 else "bb", annotation)
