"""Annotated samples in any number for benchmarks, and stores of them; the same each time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.corpus.store import CorpusStore, NewSample
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

A_SAMPLE = 10
"""Annotations of a sample, of two people."""
_A_SOURCE = 5
_BATCH = 500
_SOURCE = "The bridge was opened in the spring of 1932, and it cost 12 million pounds. " * 35
_SUMMARY = "The bridge cost 15 million pounds and was loved by all who saw it. " * 8
_PEOPLE = (Person("aa", "ana", PersonKind.IMPORTED), Person("bb", "ben", PersonKind.IMPORTED))
_DONE = tuple(Assignment(person.id, State.DONE) for person in _PEOPLE)
_LABELS = (("Unwanted", "Intrinsic"), ("Unwanted", "Extrinsic"), ("Benign",), ("Questionable",))


def filled(store: Path, samples: Mapping[str, int]) -> None:
    """Makes a store with so many annotated samples in each dataset."""
    database = SqliteDatabase.create(store)
    corpus, log = CorpusStore(database), AnnotationStore(database)
    for dataset, count in samples.items():
        made = records(dataset, count)
        while batch := list(islice(made, _BATCH)):
            corpus.add([_new(each.sample) for each in batch], segmenter="none")
            log.import_records(batch)
    database.close()


def _new(sample: Sample) -> NewSample:
    whole = tuple((Segment(0, len(document.text)),) for document in sample.documents)
    return NewSample(sample, whole)


def records(dataset: str, count: int) -> Iterator[Record]:
    """Samples of 3 kB, five for each source, with two people's annotations, both of them done."""
    for number in range(count):
        source = Document(Side.SOURCE, f"Source {dataset} {number // _A_SOURCE}. " + _SOURCE)
        summary = Document(Side.SUMMARY, f"Summary {number}. " + _SUMMARY)
        sample = Sample(dataset, str(number), (source, summary), meta={"model": "a"})
        owned = tuple(_owned(dataset, number, place) for place in range(A_SAMPLE))
        yield Record(sample, owned, _DONE, _PEOPLE)


def _owned(dataset: str, number: int, place: int) -> OwnedAnnotation:
    claim = Anchor(Side.SUMMARY, 0, Span(20 + place, 45 + place))
    evidence = Anchor(Side.SOURCE, 0, Span(30 + place, 60 + place))
    annotation = Annotation(
        f"{dataset}-{number}-{place}",
        (claim,),
        (evidence,),
        labels=(_LABELS[place % len(_LABELS)],),
        note="the source says 12, not 15",
        origin="imported:made",
    )
    return OwnedAnnotation(_PEOPLE[place % len(_PEOPLE)].id, annotation)
