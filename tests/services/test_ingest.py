"""Ingest: what comes in comes in once, whole, and nothing is overwritten or half-written."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.errors import has_code
from tests.plugins.strategies import DUMP, NATIVE, altered
from tests.services.ingest_stores import Letters, Stores, write_dump, write_pairs
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound, Unavailable
from tui_annotate.domain.records import Problem, Record, RecordFilter
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.methods.segmentation import segment
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.ingest import IngestFiles, IngestOutcome, TaskProgress
from tui_annotate.services.ingest.report import IngestReport
from tui_annotate.services.ingest.run import _BATCH_RECORDS


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Empty stores."""
    return Stores(tmp_path)


def table_of(stores: Stores) -> str:
    """The table of the vectors in use."""
    used = stores.corpus.vector_set()
    assert used is not None
    return used.table


def _lines(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def _pair(source: str, summary: str, **more: Any) -> dict[str, Any]:
    return {"source": source, "summary": summary, **more}


def _record(name: str, source: str = "A. B.", summary: str = "C.") -> Record:
    documents = (Document(Side.SOURCE, source), Document(Side.SUMMARY, summary))
    return Record(Sample("d", name, documents), where=f"list:{name}")


# what comes in ----------------------------------------------------------------------------------


def test_all_comes_in_with_segments_and_vectors(stores: Stores, tmp_path: Path) -> None:
    """Samples, each distinct document once, segments as the segmenter cuts, a vector each."""
    report = stores.run(write_pairs(tmp_path / "pairs.jsonl", samples=20))
    assert (report.outcome, report.added, report.refused) == (IngestOutcome.ALL, 20, 0)
    assert (report.documents, report.embedded, report.embedder) == (30, 30, "static")
    assert stores.corpus.totals() == (20, 30, report.segments)
    assert stores.embedder is not None
    assert len(stores.embedder.embedded) == report.segments
    for record in stores.corpus.records(RecordFilter()):
        stored = stores.corpus.sample(record.sample.key)
        for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
            assert segments == segment(document.text)
    table = table_of(stores)
    assert stores.vectors().size(table) == (30, report.segments)


def test_the_same_file_again_adds_nothing(stores: Stores, tmp_path: Path) -> None:
    """Everything is known; nothing is segmented or embedded, LanceDB is not even opened."""
    path = write_dump(tmp_path / "dump.json", samples=20)
    stores.run(path)
    before = stores.contents()
    assert stores.embedder is not None
    embedded = len(stores.embedder.embedded)
    opened = stores.opened
    report = stores.run(path)
    assert (report.outcome, report.added, report.known) == (IngestOutcome.ALL, 0, 20)
    assert (report.documents, report.embedded) == (0, 0)
    assert (report.annotations, report.annotations_known) == (0, 20)
    assert (len(stores.embedder.embedded), stores.opened) == (embedded, opened)
    assert stores.contents() == before


def test_other_texts_under_a_known_key_are_refused(stores: Stores, tmp_path: Path) -> None:
    """The record is told with its place and the way out; the good rows around it come in."""
    path = _lines(tmp_path / "a.jsonl", _pair("A.", "B."), _pair("C.", "D."))
    stores.run(path)
    _lines(path, _pair("A.", "other"), _pair("C.", "D."), _pair("E.", "F."))
    report = stores.run(path)
    assert (report.outcome, report.added, report.known) == (IngestOutcome.SOME, 1, 1)
    (problem,) = report.problems
    assert (problem.where, problem.refused) == (f"{path}:1", True)
    assert "a/1" in problem.message
    assert "--dataset" in problem.hint
    assert problem.hint.endswith(f"tui-annotate datasets replace a {path}")
    assert stores.corpus.sample(stores.corpus.find("a/1")).sample.documents[1].text == "B."


def test_an_interrupted_import_keeps_the_columns_of_its_samples(
    stores: Stores, tmp_path: Path
) -> None:
    """A later import without options reads the same texts as the interrupted import."""
    rows = [
        _pair("A.", "B.", text=f"Text {number}.", out=f"{number}.")
        for number in range(2 * _BATCH_RECORDS)
    ]
    path = _lines(tmp_path / "a.jsonl", *rows)

    def interrupt(progress: TaskProgress) -> None:
        if progress.phase == "storing":
            raise KeyboardInterrupt

    options = ImportOptions(source_column="text", summary_column="out")
    with pytest.raises(KeyboardInterrupt):
        stores.ingest.run(IngestFiles([path], options=options), progress=interrupt)
    assert stores.corpus.totals()[0] == _BATCH_RECORDS
    report = stores.run(path)
    assert (report.known, report.added, report.refused) == (_BATCH_RECORDS, _BATCH_RECORDS, 0)


def test_only_new_texts_change_the_columns_of_a_dataset(stores: Stores) -> None:
    """Known texts give columns only to a dataset that has none."""
    first, other = ("source", "summary", "", "", "", "h"), ("text", "out", "", "", "", "h")
    stores.ingest.run([_record("0")])
    for columns, expected in [(first, [first]), (other, [first])]:
        stores.ingest.run([replace(_record("0"), columns=columns)])
        assert stores.corpus.used_columns()["d"] == expected
    stores.ingest.replace([replace(_record("0"), columns=other)], dataset="d")
    assert stores.corpus.used_columns()["d"] == [first]
    stores.ingest.run([replace(_record("1"), columns=other)])
    assert stores.corpus.used_columns()["d"] == [other, first]


def test_the_same_key_twice_in_one_run(stores: Stores) -> None:
    """In one batch or batches apart: the same texts are known, others are refused."""
    many = [_record(str(number)) for number in range(_BATCH_RECORDS)]
    twins = [_record("0"), _record("1", summary="other")]
    for records in ([_record("0"), _record("1"), *twins], [*many, *twins]):
        report = stores.ingest.run(records, embedder="none")
        assert (report.known, report.refused) == (len(records) - report.added - 1, 1)
        (problem,) = report.problems
        assert (problem.where, "d/1" in problem.message) == ("list:1", True)


def test_a_document_in_flight_is_segmented_once(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source that many batches share is handed to the segmenter by the first alone."""
    handed: list[str] = []

    def counted(texts: list[tuple[str, str]]) -> list[Any]:
        handed.extend(text for text, _ in texts)
        return [segment(text) for text, _ in texts]

    monkeypatch.setattr("tui_annotate.services.ingest.sentences.segment_all", counted)
    records = [_record(str(n), summary=f"S {n}.") for n in range(3 * _BATCH_RECORDS)]
    stores.ingest.run(records, embedder="none")
    assert handed.count("A. B.") == 1


def test_a_transaction_holds_a_batch_at_most(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The write lock is never held for more than a small batch."""
    sizes: list[int] = []
    add = stores.corpus.add

    def counted(batch: Any, *, segmenter: str) -> None:
        sizes.append(len(batch))
        add(batch, segmenter=segmenter)

    monkeypatch.setattr(stores.corpus, "add", counted)
    stores.ingest.run([_record(str(n)) for n in range(5 * _BATCH_RECORDS)], embedder="none")
    assert sum(sizes) == 5 * _BATCH_RECORDS
    assert max(sizes) <= _BATCH_RECORDS


def test_annotations_that_were_removed_stay_removed(stores: Stores, tmp_path: Path) -> None:
    """An import does not bring back what somebody removed here, and says how many."""
    path = write_dump(tmp_path / "dump.json", samples=3)
    stores.run(path)
    record = next(iter(stores.corpus.records(RecordFilter(sample="0"))))
    owned = record.annotations[0]
    with stores.log.writing() as log:
        stream = log.stream(owned.person, record.sample.key)
        from tui_annotate.domain.history import Change, Event, PendingEvent

        change = Change(stream.state.annotations), Change({owned.annotation.id: None})
        action = PendingEvent("remove", *change)
        log.append(stream, Event("e", 0, owned.person, *record.sample.key, action, at=""))
    report = stores.run(path)
    assert (report.annotations_deleted_earlier, report.annotations_known) == (1, 2)


# strict, dry, outcomes --------------------------------------------------------------------------


MALFORMED = {
    "bad json.jsonl": b'{"source": "A.", "summary": "B."}\n{"source" "C."}\n',
    "bad array.json": b'[{"source": "A.", "summary": "B."}, {"source" 1}]',
    "empty cell.csv": b"source,summary\nA.,B.\nC.,\n",
    "encoding.csv": b"source,summary\nA.,B.\nC.,\xff\n",
    "short row.csv": b"source,summary\nA.,B.\nC.\n",
    "open quote.csv": b'source,summary\nA.,B.\n"C.,D.\n',
    "surrogate.jsonl": b'{"source": "A.", "summary": "B."}\n{"source": "\\ud83d", "summary": "B."}',
    "deep.jsonl": b'{"source": "A.", "summary": "B."}\n{"a": ' + b"[" * 9999 + b"]" * 9999 + b"}",
    "number.jsonl": b'{"source": "A.", "summary": "B."}\n{"source": 5, "summary": "B."}',
    "long.jsonl": b'{"source": "A.", "summary": "B."}\n{"source": "%b", "summary": "B."}'
    % (b"x" * 10_000_000),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_bad_record_costs_itself_alone(stores: Stores, tmp_path: Path, name: str) -> None:
    """The good row comes in, the bad one is one line with its place; strict stores nothing."""
    path = tmp_path / name
    path.write_bytes(MALFORMED[name])
    strict = stores.run(path, strict=True, embedder="none")
    assert (strict.outcome, strict.refused, strict.strict) == (IngestOutcome.NONE, 1, True)
    assert stores.corpus.totals() == (0, 0, 0)
    report = stores.run(path, embedder="none")
    assert (report.outcome, report.added, report.refused) == (IngestOutcome.SOME, 1, 1)
    assert str(report.problems[0]).startswith(str(path))
    assert "\n" not in str(report.problems[0])
    assert stores.corpus.totals()[0] == 1


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.csv", b""),
        ("header.csv", b"source,summary\n"),
        ("column.csv", b"number,summary\n1,B.\n"),
        ("none.json", b"[]"),
        ("packed.csv.gz", b"\x1f\x8b\x08\x00\x00"),
    ],
)
def test_a_file_with_nothing_in_it_brings_nothing(
    stores: Stores, tmp_path: Path, name: str, content: bytes
) -> None:
    """One line says why, and the outcome is `none`."""
    path = tmp_path / name
    path.write_bytes(content)
    report = stores.run(path)
    assert (report.outcome, len(report.problems)) == (IngestOutcome.NONE, 1)
    assert str(report.problems[0]).startswith(str(path))


def test_strict_looks_at_the_store_and_at_all_files(stores: Stores, tmp_path: Path) -> None:
    """A contradiction with what is stored, or between two files, keeps everything out."""
    stores.run(_lines(tmp_path / "a.jsonl", _pair("A.", "B.")), embedder="none")
    before = stores.contents()
    third = _lines(tmp_path / "third.jsonl", _pair("X.", "Y.", id="1"))
    other = _lines(tmp_path / "other.jsonl", _pair("A.", "B.", id="1"), _pair("C.", "D.", id="2"))
    for paths, dataset in (((other, third), "new"), ((third,), "a")):
        options = ImportOptions(dataset=dataset, id_column="id")
        files = IngestFiles(paths, options=options)
        report = stores.ingest.run(files, strict=True)
        assert (report.outcome, report.refused) == (IngestOutcome.NONE, 1)
        assert stores.contents() == before


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_refused_strict_import_counts_only_stored_samples(
    stores: Stores, *, dry_run: bool
) -> None:
    """If nothing is stored, no sample counts as added, and only samples of the store as known."""
    stored, new = _record("1"), _record("2")
    stores.ingest.run([stored], embedder="none")
    records = [stored, new, new, _record("1", source="X.")]
    report = stores.ingest.run(records, strict=True, dry_run=dry_run)
    assert (report.added, report.known, report.refused) == (0, 1, 1)
    assert (report.strict, report.outcome) == (True, IngestOutcome.NONE)


def test_a_refused_replacement_counts_only_stored_samples(stores: Stores, tmp_path: Path) -> None:
    """A replacement that changes nothing because of a refusal counts no added or changed sample."""
    options = ImportOptions(dataset="a", id_column="id")
    before = [_pair("A.", "B.", id="1"), _pair("C.", "D.", id="2")]
    first = _lines(tmp_path / "a.jsonl", *before)
    stores.ingest.run(IngestFiles((first,), options=options), embedder="none")
    after = [before[0], _pair("E.", "F.", id="2"), _pair("G.", "H.", id="3"), _pair("X.", "")]
    second = _lines(tmp_path / "b.jsonl", *after)
    report = stores.ingest.replace(IngestFiles((second,), options=options), dataset="a")
    assert (report.added, report.known, report.replaced, report.refused) == (0, 1, 0, 1)
    assert report.outcome is IngestOutcome.NONE


def test_strict_stores_what_is_sound(stores: Stores, tmp_path: Path) -> None:
    """Without a refusal, strict does what the plain way does; doubts are told once."""
    reported: list[Problem] = []
    dump = write_dump(tmp_path / "a.json", samples=2)
    dump.write_text(dump.read_text("utf-8").replace('"Benign"', ""), "utf-8")
    report = stores.run(dump, strict=True, problem=reported.append)
    assert (report.outcome, report.added, report.warnings, len(reported)) == (
        IngestOutcome.ALL,
        2,
        2,
        2,
    )


def test_strict_needs_what_can_be_read_twice(stores: Stores) -> None:
    """An iterator would be empty the second time."""
    with pytest.raises(InvalidInput, check=has_code("records-read-once")):
        stores.ingest.run(iter([_record("0")]), strict=True)


def test_a_dry_run_stores_nothing_and_counts_the_same(stores: Stores, tmp_path: Path) -> None:
    """Its figures are those of the run that follows."""
    path = _lines(tmp_path / "a.jsonl", _pair("A.", "B."), _pair("", "B."), _pair("C.", "D."))
    dry = stores.run(path, dry_run=True)
    assert stores.corpus.totals() == (0, 0, 0)
    assert not stores.corpus.vectors_decided()
    report = stores.run(path)
    assert dry.dry_run
    assert (dry.added, dry.known, dry.refused) == (report.added, report.known, report.refused)


def test_every_problem_is_told_and_few_are_kept(stores: Stores) -> None:
    """A report of a file with a million faults is no larger than one with a thousand."""
    reported: list[Problem] = []
    faults = [Problem(f"x:{number}", "bad") for number in range(1500)]
    report = stores.ingest.run(faults, problem=reported.append)
    assert (report.refused, len(report.problems), reported) == (1500, 1000, faults)


def test_the_outcome_tells_how_much_is_in() -> None:
    """All, some or nothing; what was known counts as in."""
    assert IngestReport(known=1).outcome is IngestOutcome.ALL
    assert IngestReport(known=1, refused=1).outcome is IngestOutcome.SOME
    assert IngestReport(refused=1).outcome is IngestOutcome.NONE
    assert IngestReport().outcome is IngestOutcome.NONE
    assert IngestReport(added=1, refused=1, strict=True).outcome is IngestOutcome.NONE


# files and progress -----------------------------------------------------------------------------


def test_files_are_opened_before_anything_is_stored(stores: Stores, tmp_path: Path) -> None:
    """A wrong name among several files stops all of them at the start."""
    good = _lines(tmp_path / "a.jsonl", _pair("A.", "B."))
    with pytest.raises(NotFound):
        stores.run(good, tmp_path / "none.jsonl")
    with pytest.raises(InvalidInput, match="'nope'"):
        stores.ingest.run(IngestFiles([good], "nope"))
    assert stores.corpus.totals() == (0, 0, 0)


def test_progress_goes_from_nothing_to_all(stores: Stores, tmp_path: Path) -> None:
    """The share of bytes read never falls and ends at one; records never fall either."""
    report: list[TaskProgress] = []
    stores.run(write_pairs(tmp_path / "a.jsonl", samples=300), progress=report.append)
    storing = [progress for progress in report if progress.phase == "storing"]
    shares = [progress.share or 0.0 for progress in storing]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert storing[-1].added == 300
    assert report[-1].phase == "vectors"


def test_a_refused_file_is_read_but_not_stored(stores: Stores, tmp_path: Path) -> None:
    """Without a sample to store, progress is that of reading."""
    report: list[TaskProgress] = []
    path = tmp_path / "a.csv"
    path.write_text("source,summary\nA.,\n", "utf-8")
    stores.run(path, progress=report.append)
    assert {each.phase for each in report} <= {"reading", "vectors"}
    assert report[0].phase == "reading"


def test_a_language_that_is_not_known_is_refused(stores: Stores, tmp_path: Path) -> None:
    """Before anything is read, with those that are; one that is known is each document's."""
    path = write_pairs(tmp_path / "pairs.jsonl", samples=2)
    for language in ("xx", "EN", "english"):
        with pytest.raises(InvalidInput, match=f"'{language}'") as caught:
            stores.ingest.run(IngestFiles([path], "", ImportOptions(language=language)))
        assert ", en, " in caught.value.hint
    assert stores.corpus.totals() == (0, 0, 0)
    stores.ingest.run(IngestFiles([path], "", ImportOptions(language="de")), embedder="none")
    documents = [
        each for record in stores.corpus.records(RecordFilter()) for each in record.sample.documents
    ]
    assert {document.language for document in documents} == {"de"}


def test_progress_knows_its_pace() -> None:
    """Rate and time left follow from what was read in what time."""
    progress = TaskProgress("storing", 100, share=0.25, seconds=10.0)
    assert (progress.rate, progress.left) == (10.0, 30.0)
    assert TaskProgress("storing", 5).left is None
    assert TaskProgress("storing", 5).rate == 0.0


# embedders --------------------------------------------------------------------------------------


def test_a_workspace_keeps_its_embedder(stores: Stores) -> None:
    """Another one is a Conflict before anything is stored, with the line that changes it."""
    stores.ingest.run([_record("0")], embedder="none")
    assert (stores.corpus.vector_set(), stores.corpus.vectors_decided()) == (None, True)
    with pytest.raises(Conflict, match=r"'none'.*'static'") as caught:
        stores.ingest.run([_record("1")], embedder="static")
    assert caught.value.hint.endswith(
        f" tui-annotate lab vectors rebuild -w {stores.folder} --embedder static"
    )
    assert stores.corpus.totals()[0] == 1
    assert stores.ingest.run([_record("1")]).embedder == "none"


def test_an_embedder_that_nobody_knows_is_never_proposed(stores: Stores) -> None:
    """Ingest and rebuild say which there are, also in a workspace that has one; nothing changes."""
    stores.ingest.run([_record("0")], embedder="none")
    asks: list[Callable[[], object]] = [
        lambda: stores.ingest.run([], embedder="nope:model"),
        lambda: stores.ingest.sets.rebuild(embedder="nope:model"),
    ]
    for ask in asks:
        with pytest.raises(InvalidInput, match="'nope'") as caught:
            ask()
        assert "auto, none, " in caught.value.hint
    assert stores.corpus.vector_sets() == ()


def test_without_an_embedder_words_do(stores: Stores) -> None:
    """Where static vectors can not be had, `auto` stores the texts and says what is missing."""
    stores.embedder = None
    report = stores.ingest.run([_record("0")])
    assert (report.added, report.embedder) == (1, "none")
    (note,) = report.notes
    assert "static is not installed (install it)" in note  # as the embedder says it
    assert stores.opened == 0


def test_an_embedder_that_is_asked_for_must_be_there(stores: Stores) -> None:
    """By name it is needed: the error comes before anything is stored."""
    stores.embedder = None
    with pytest.raises(Unavailable):
        stores.ingest.run([_record("0")], embedder="static")
    assert stores.corpus.totals() == (0, 0, 0)


def test_vectors_that_could_not_be_made_are_made_later(stores: Stores) -> None:
    """With the workspace's embedder missing, texts come in; the next ingest makes all vectors."""
    stores.ingest.run([_record("0")])
    embedder, stores.embedder = stores.embedder, None
    report = stores.ingest.run([_record("1", source="New.")])
    assert (report.added, report.embedder, len(report.notes)) == (1, "static", 1)
    stores.embedder = embedder
    assert stores.ingest.run([_record("1", source="New.")]).embedded == 1
    assert stores.contents()["waiting"] == []


def test_a_folder_of_vectors_that_can_not_be_written_is_told(stores: Stores) -> None:
    """The texts are in, the report says what is missing and what makes it good."""
    (stores.folder / "vectors").write_text("in the way")
    report = stores.ingest.run([_record("0")])
    assert (report.added, report.outcome) == (1, IngestOutcome.ALL)
    assert report.embedded == 0
    assert str(stores.folder / "vectors") in report.notes[0]


def test_another_version_waits_for_a_rebuild(stores: Stores) -> None:
    """Vectors of two versions never mix: new documents wait, and the report says for what."""
    stores.ingest.run([_record("0")])
    assert stores.embedder is not None
    stores.embedder.version = "2"
    report = stores.ingest.run([_record("1", source="New.")])
    assert "lab vectors rebuild" in report.notes[0]
    assert stores.ingest.sets.rebuild().embedded == 3
    assert stores.ingest.run([_record("1", source="New.")]).notes == []


def test_vectors_are_written_in_large_batches(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write to LanceDB waits for enough segments, and the rest goes at the end."""
    monkeypatch.setattr("tui_annotate.services.ingest.embed_job.QUICK_ROWS", 100)
    report = stores.run(write_pairs(tmp_path / "a.jsonl", samples=200))
    table = table_of(stores)
    assert report.embedded == report.documents
    assert stores.vectors().size(table) == (report.documents, report.segments)


# replace ----------------------------------------------------------------------------------------


def _dump(stores: Stores, tmp_path: Path, samples: int = 4) -> Path:
    path = write_dump(tmp_path / "d.json", samples=samples)
    stores.run(path)
    return path


def test_replace_exchanges_texts(stores: Stores) -> None:
    """New texts come, samples that the file has no more go, the rest stays as it is."""
    stores.ingest.run([_record("0"), _record("1"), _record("2")])
    after = [_record("0"), _record("1", summary="Other."), _record("3")]
    report = stores.ingest.replace(after, dataset="d")
    assert (report.known, report.replaced, report.added, report.deleted) == (1, 1, 1, 1)
    assert [key.id for key in stores.corpus.keys("d")] == ["0", "1", "3"]
    assert stores.corpus.sample(_record("1").sample.key).sample.documents[1].text == "Other."
    assert stores.contents()["waiting"] == []


def test_replace_never_drops_work_unasked(stores: Stores, tmp_path: Path) -> None:
    """Samples with work that would change or go are a Conflict with their number; nothing moves."""
    _dump(stores, tmp_path)
    before = stores.contents()
    for change in ([_record("0")], []):
        kept = [
            record for record in stores.corpus.records(RecordFilter()) if record.sample.id > "1"
        ]
        records = [replace(record, sample=replace(record.sample, dataset="d")) for record in kept]
        with pytest.raises(Conflict, match="2") as caught:
            stores.ingest.replace([*change, *records], dataset="d")
        assert "--delete-annotations" in caught.value.hint
        assert stores.contents() == before
    report = stores.ingest.replace([_record("0")], dataset="d", delete_annotations=True)
    assert (report.replaced, report.deleted) == (1, 3)
    assert stores.contents()["annotations"] == [()]


def test_replace_by_a_file_with_faults_changes_nothing(stores: Stores, tmp_path: Path) -> None:
    """A refused record would look like one that is gone; so nothing is touched."""
    stores.run(_lines(tmp_path / "a.jsonl", _pair("A.", "B."), _pair("C.", "D.")))
    before = stores.contents()
    path = _lines(tmp_path / "a.jsonl", _pair("A.", "Other."), _pair("", "D."))
    report = stores.ingest.replace(IngestFiles([path]), dataset="a")
    assert (report.outcome, report.refused) == (IngestOutcome.NONE, 1)
    assert stores.contents() == before


def test_replace_needs_the_right_dataset(stores: Stores) -> None:
    """An unknown dataset, records of another, records that can be read but once: told."""
    with pytest.raises(NotFound, match="'d'"):
        stores.ingest.replace([_record("0")], dataset="d")
    stores.ingest.run([_record("0")])
    stranger = replace(_record("0"), sample=replace(_record("0").sample, dataset="e"))
    with pytest.raises(InvalidInput, match="'d'"):
        stores.ingest.replace([stranger], dataset="d")
    with pytest.raises(InvalidInput, check=has_code("records-read-once")):
        stores.ingest.replace(iter([_record("0")]), dataset="d")


def test_texts_may_change_places_between_samples(stores: Stores) -> None:
    """A text that one sample gives up and another takes over is never lost on the way."""
    many = 2 * _BATCH_RECORDS
    before = [_record(str(n), source=f"Source {n}.") for n in range(many)]
    after = [_record(str(n), source=f"Source {many - 1 - n}.") for n in range(many)]
    stores.ingest.run(before, embedder="none")
    report = stores.ingest.replace(after, dataset="d")
    assert report.replaced == many
    assert stores.corpus.totals()[0] == many


@pytest.mark.parametrize("sound", [NATIVE, DUMP], ids=["native", "mercury"])
@given(data=st.data())
def test_whatever_a_reader_gives_can_be_stored(
    stores: Stores, tmp_path: Path, sound: dict[str, Any], data: st.DataObject
) -> None:
    """No value in any place of a record gets past its reader and then breaks the store."""
    record = data.draw(altered(sound))
    path = _lines(tmp_path / "a.jsonl", record)
    form = "native" if sound is NATIVE else "mercury"
    report = stores.ingest.run(IngestFiles([path], form), embedder="none")
    assert report.added + report.known + report.refused == 1


# the format's own promise through the store -----------------------------------------------------


def test_a_dump_goes_through_the_store_word_for_word(stores: Stores, tmp_path: Path) -> None:
    """What came in as a dump goes out equal as JSON values, in its own order."""
    path = write_dump(tmp_path / "dump.json", samples=23)
    stores.run(path)
    out = stores.exported("mercury", tmp_path / "out.json")
    assert json.loads(out) == json.loads(path.read_text("utf-8"))


def test_real_dumps_go_through_one_store_word_for_word(stores: Stores, tmp_path: Path) -> None:
    """All real dumps in one workspace, each out again as its own dataset, equal as JSON values."""
    here = Path(__file__).parents[2].parent / "shared"
    shared = Path(os.environ.get("TUI_ANNOTATE_SHARED", here))
    batches = sorted(shared.glob("data/faithbench/batch_*_annotation.json"))
    if not batches:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with dumps")
    assert stores.run(*batches, embedder="none").refused == 0
    for path in batches:
        out = stores.exported("mercury", tmp_path / "out.json", dataset=path.stem)
        assert json.loads(out) == json.loads(path.read_text("utf-8"))


def test_the_native_form_goes_through_the_store(stores: Stores, tmp_path: Path) -> None:
    """An export read into an empty workspace gives the same samples and annotations."""
    stores.run(write_dump(tmp_path / "dump.json", samples=5), embedder="none")
    out = tmp_path / "out.jsonl"
    stores.exported("native", out)
    (tmp_path / "second").mkdir()
    second = Stores(tmp_path / "second")
    second.run(out, embedder="none")
    assert second.contents() == stores.contents()


def test_letters_are_what_embedders_promise() -> None:
    """The embedder of these tests keeps the protocol."""
    from tui_annotate.plugins.protocols import Embedder

    assert isinstance(Letters(), Embedder)
