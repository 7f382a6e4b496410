"""A million events: figures of work, the head of the log, and all of it verified; with memory."""

from __future__ import annotations

import subprocess
import sys
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.report import Row
from tui_annotate.domain import event_builders
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.history import Event
from tui_annotate.domain.samples import Document, Sample, SampleKey, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.storage.corpus.store import CorpusStore, NewSample
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.write_plans import WritePlan, plan_event
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

TEAM, SAMPLES, MARKS, BATCH = 10, 5_000, 19, 500
EVENTS = TEAM * SAMPLES * (MARKS + 1)
SUMMARY = "The bridge cost 15 million pounds and was loved. "
BEGAN = datetime(2026, 6, 1, tzinfo=UTC)
VERSIONS = {"labels": "f" * 64, "guidelines": "e" * 64}
MEASURED = r"""
import re, sys, time
from pathlib import Path
from tui_annotate.services.audit import Audit
from tui_annotate.services.progress import Measure
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.work_statistics import WorkStatisticsStore

database = SqliteDatabase.open(Path(sys.argv[1]))
audit, began = Audit(AuditStore(database)), time.process_time()
if sys.argv[2] == "figures":
    assert Measure(WorkStatisticsStore(database), dict).figures().weeks
elif sys.argv[2] == "head":
    assert audit.head().events == int(sys.argv[3])
else:
    assert audit.verify().sound
most = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]
print(time.process_time() - began, int(most) / 1024)
"""


def rows() -> list[Row]:
    """Processor time of each, and the most memory of the two that read much."""
    with TemporaryDirectory() as name:
        store = Path(name) / "store.sqlite"
        _fill(store)
        found = {what: _measured(store, what) for what in ("figures", "head", "verify")}
    what = f"{EVENTS:,} events"
    return [
        Row(f"{what}: figures of work, processor time", found["figures"][0], 5, "s"),
        Row(f"{what}: figures of work, memory", found["figures"][1], 100, "MB"),
        Row(f"{what}: audit head, processor time", found["head"][0], 10, "s"),
        Row(f"{what}: audit verify, processor time", found["verify"][0], 180, "s"),
        Row(f"{what}: audit verify, memory", found["verify"][1], 100, "MB"),
    ]


def _measured(store: Path, what: str) -> tuple[float, float]:
    command = [sys.executable, "-c", MEASURED, str(store), what, str(EVENTS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, memory = map(float, done.stdout.split())
    return seconds, memory


def _fill(store: Path) -> None:
    database = SqliteDatabase.create(store)
    corpus, log = CorpusStore(database), AnnotationStore(database)
    keys = []
    for start in range(0, SAMPLES, BATCH):
        made = [_sample(number) for number in range(start, start + BATCH)]
        corpus.add(made, segmenter="made")
        keys += [each.sample.key for each in made]
    team = [PeopleStore(database).local(f"person {at}").id for at in range(TEAM)]
    number = 0
    for person in team:
        for start in range(0, SAMPLES, BATCH):
            with log.writing() as writing:
                plans: list[WritePlan] = []
                for key in keys[start : start + BATCH]:
                    plans += _worked(writing.stream(person, key), number)
                    number += MARKS + 1
                writing.write(plans)
    database.close()


def _sample(number: int) -> NewSample:
    documents = (
        Document(Side.SOURCE, f"The bridge cost 12 million. {number // 10}"),
        Document(Side.SUMMARY, f"{SUMMARY}{number}"),
    )
    cut = tuple((Segment(0, len(document.text)),) for document in documents)
    return NewSample(Sample("made", str(number), documents), cut)


def _worked(stream: EventStream, number: int) -> Iterator[WritePlan]:
    """A person's events on a sample: nineteen annotations, and done."""
    for place in range(MARKS + 1):
        if place < MARKS:
            action = event_builders.add(stream.state, _marked(stream.key, number + place))
        else:
            action = event_builders.assign(stream.state, "done", {"state": State.DONE.value})
        at = (BEGAN + timedelta(seconds=15 * (number + place))).isoformat(timespec="microseconds")
        event = Event(
            str(uuid.uuid4()), 0, stream.person, *stream.key, action, at, 9.5, VERSIONS, "0.1.0"
        )
        plan, stream = plan_event(stream, event)
        yield plan


def _marked(key: SampleKey, number: int) -> Annotation:
    claim = Anchor(Side.SUMMARY, 0, Span(number % 19, 20 + number % 20))
    evidence = Anchor(Side.SOURCE, 0, Span(0, 20))
    note = f"{key.id}: it says another number than its source does"
    return Annotation(
        f"m{number}", (claim,), (evidence,), (("Unwanted", "Intrinsic"),), note, number=number + 1
    )
