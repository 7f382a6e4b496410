"""Sets of vectors: filled whole, side by side, exchanged only when complete; annotations stay."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.helpers.printed_numbers import printed_numbers
from tests.services.ingest_stores import Letters, Stores, Words, used, write_dump, write_pairs
from tui_annotate.domain.errors import Conflict, NotFound, Unavailable
from tui_annotate.domain.records import Problem, Record, RecordFilter
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import Embedder, ImportOptions, TokenEmbedder
from tui_annotate.services.ingest import (
    IngestFiles,
    TaskProgress,
    VectorOptions,
    embed_job,
    run,
    vectors,
)
from tui_annotate.storage.vectors.store import table_name
from tui_annotate.storage.vectors.vector_file import read


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Empty stores, in which `static` and `neural` can be had."""
    made = Stores(tmp_path)
    made.others["neural"] = Words()
    return made


def check_tokens(stores: Stores, embedder: TokenEmbedder) -> None:
    """Every document has the vectors and tokens that its embedder makes of its segments."""
    table = used(stores).table
    store = stores.vectors()
    assert np.array_equal(store.fetch_axes(table), embedder.axes)
    for record in stores.corpus.records(RecordFilter()):
        stored = stores.corpus.sample(record.sample.key)
        for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
            name = document.sha256
            texts = [document.text[start:end] for start, end in segments]
            vectors, tokens = embedder.embed_tokens(texts)
            bank = store.fetch_tokens(table, [name])[name]
            assert np.abs(store.fetch(table, [name])[name] - vectors).max() < 1e-3
            assert np.array_equal(bank.vectors, tokens.vectors)
            assert np.array_equal(bank.bounds, tokens.bounds)
            assert np.array_equal(bank.starts, tokens.starts)
            assert np.array_equal(bank.ends, tokens.ends)


# ingest ------------------------------------------------------------------------------------------


def test_the_first_ingest_remembers_its_embedder(stores: Stores, pairs: Path) -> None:
    """All that the next one needs to go on alike, though it says nothing."""
    asked = VectorOptions("neural", base_url="http://localhost:1", dimensions=8)
    stores.run(pairs, embedder=asked)
    assert used(stores) == VectorSet(
        embedder="neural",
        label="words",
        version="1",
        segmenter=SEGMENTER,
        table=table_name("neural", "1", SEGMENTER),
        dimensions=8,
        token_dimensions=4,
        instant=False,
        base_url="http://localhost:1",
        asked_dimensions=8,
    )
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    assert stores.run(more).embedded == 6
    assert stores.asked[-1] == ("neural", "http://localhost:1", 8)
    moved = stores.ingest.run([], embedder=VectorOptions("neural", base_url="http://localhost:2"))
    assert moved.embedder == "neural"


def test_where_nothing_came_in_no_model_is_loaded(stores: Stores, tmp_path: Path) -> None:
    """Whoever named a column wrongly is not kept waiting, and nothing is decided for later."""
    file = tmp_path / "a.csv"
    file.write_text("number,claim\n1,B.\n")
    assert stores.run(file).refused == 1
    assert stores.asked == []
    assert not stores.corpus.vectors_decided()


def test_all_texts_are_stored_before_an_embedder_is_loaded(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first import stores all texts, informs the user, then loads the slow embedder."""
    monkeypatch.setattr(vectors, "QUICK_ROWS", 1, raising=False)
    monkeypatch.setattr(run, "_BATCH_RECORDS", 1)
    monkeypatch.setattr(run, "_MAX_PENDING_CHARACTERS", 1)
    monkeypatch.setattr(registry, "best_embedder", lambda: "neural")
    found: list[object] = []

    def load(name: str, **_: object) -> Embedder:
        found.append(stores.corpus.totals()[0])
        return stores.others[name]

    told: list[str] = []

    def note(at: TaskProgress) -> None:
        told.extend([at.phase] * bool(at.note))
        assert not (told and at.phase == "storing")

    report = replace(stores.ingest, load=load).run(IngestFiles([pairs]), progress=note)
    assert found == [report.added]
    assert told == ["vectors"]
    assert report.embedder_note.endswith("lab vectors rebuild --embedder static")


def test_a_models_folder_is_the_same_from_anywhere(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Named from where it lies, it is found by the next ingest from elsewhere, and dropped."""
    folder = pairs.parent / "models" / "one"
    folder.mkdir(parents=True)
    stores.others[f"neural:{folder}"] = Words()
    monkeypatch.chdir(folder.parent)
    assert stores.run(pairs, embedder="neural:one").embedder == f"neural:{folder}"
    monkeypatch.chdir(folder.parents[1])
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    assert stores.run(more, embedder="neural:models/one").embedded == 6
    stores.ingest.sets.rebuild(embedder="none")
    assert stores.ingest.sets.drop("neural:models/one")[0] == 1


def test_a_setting_counts_in_a_new_workspace_alone(stores: Stores, pairs: Path) -> None:
    """Where an embedder is in use already, it stays, and nobody is refused for a setting."""
    assert stores.run(pairs, embedder=VectorOptions(first="neural")).embedder == "neural"
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    report = stores.run(more, embedder=VectorOptions(first="static"))
    assert (report.embedder, report.embedded) == ("neural", 6)


def test_an_endpoint_may_move(stores: Stores, pairs: Path) -> None:
    """Another address for the same vectors is remembered from then on."""
    stores.run(pairs, embedder=VectorOptions("neural", base_url="http://old"))
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    stores.run(more, embedder=VectorOptions(base_url="http://new"))
    assert used(stores).base_url == "http://new"


def test_tokens_are_stored_with_the_vectors(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of each segment, whatever pieces they were made in."""
    monkeypatch.setattr(embed_job, "SLOW_TEXTS", 7)
    embedder = Words()
    stores.others["neural"] = embedder
    stores.run(pairs, embedder="neural")
    assert max(embedder.calls) == 7
    check_tokens(stores, Words())
    assert stores.contents()["waiting"] == []


def test_a_slow_embedder_gets_hundreds_of_segments_at_once(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Progress moves after each of the calls, and vectors are still stored in large groups."""
    embedder = Words()
    stores.others["neural"] = embedder
    stored: list[int] = []
    write = embed_job.EmbedJob._store_vectors

    def note(job: embed_job.EmbedJob, group: Sequence[embed_job.Waiting], *made: Any) -> None:
        stored.append(len(group))
        write(job, group, *made)

    monkeypatch.setattr(embed_job.EmbedJob, "_store_vectors", note)
    sentences = " ".join(f"Number {number} came." for number in range(600))
    (tmp_path / "long.jsonl").write_text(
        json.dumps({"source": sentences, "summary": "It came."}), "utf-8"
    )
    seen: list[TaskProgress] = []
    stores.run(tmp_path / "long.jsonl", embedder="neural", progress=seen.append)
    assert embedder.calls == [256, 256, 89]
    assert stored == [2]
    shares = [each.share for each in seen if each.phase == "vectors" and each.share]
    assert len(set(shares)) == 3


def test_progress_tells_the_share_of_segments(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It grows to one, so that the time left can be told."""
    monkeypatch.setattr(embed_job, "SLOW_ROWS", 10)
    report: list[TaskProgress] = []
    stores.run(pairs, embedder="neural", progress=report.append)
    shares = [progress.share or 0.0 for progress in report if progress.phase == "vectors"]
    assert shares == sorted(shares)
    assert len(set(shares)) > 5
    assert shares[-1] == 1.0
    assert report[-1].records == 30
    counts = [progress.records for progress in report if progress.phase == "vectors"]
    assert counts == sorted(counts)
    assert len(set(counts)) > 5
    assert 30 in [count for count, share in zip(counts, shares, strict=True) if share == 1.0]


def test_progress_never_tells_all_of_the_segments_and_none_of_the_documents(
    stores: Stores, pairs: Path
) -> None:
    """Also where all are made at once: what is made counts, before it is written."""
    report: list[TaskProgress] = []
    stores.run(pairs, embedder="neural", progress=report.append)
    whole = [each for each in report if each.phase == "vectors" and each.share == 1.0]
    assert {each.records for each in whole} == {30}


class Anglophone(Letters):
    """Knows nothing of texts with Chinese signs."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `Letters`, and zeros for the others."""
        rows = super().embed(texts)
        rows[[not text.isascii() for text in texts]] = 0
        return rows


def test_documents_that_the_model_does_not_know_are_counted(stores: Stores) -> None:
    """As the assist counts them: under nine in ten of their signs have vectors."""
    stores.embedder = Anglophone()
    texts = {
        "a": "A short one. Another one.",
        "b": "他们在三月去了北京。",
        "c": "Yes. 北京很好。很好。",
    }
    records = [
        Record(Sample("d", name, (Document(Side.SOURCE, text, key="source"),)))
        for name, text in texts.items()
    ]
    why = "the model static does not know their words"
    note = f"matches are lexical (words only) in 2 texts: {why}"
    assert stores.ingest.run(records).notes == [note]
    (found,) = stores.ingest.sets.infos()
    assert (found.documents, found.lexical_only, found.waiting) == (3, 2, 0)
    assert stores.corpus.embedded(used(stores).table) == (3, 2)
    assert stores.ingest.sets.rebuild().notes == [note]


class Overtaken(Words):
    """While it makes its first vectors, another ingest is quicker."""

    def __init__(self, other: Stores, pairs: Path) -> None:
        super().__init__()
        self.other = other
        self.pairs = pairs

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """As `Words`, after the other one."""
        self.other.run(self.pairs, embedder="static")
        return super().embed_tokens(texts)


def test_of_two_first_ingests_the_later_is_told(stores: Stores, pairs: Path) -> None:
    """What the other one chose stays in use, is gone on with, and nothing is left beside it."""
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    stores.others["neural"] = Overtaken(Stores(stores.folder), more)
    report = stores.run(pairs, embedder=VectorOptions("neural", dimensions=8))
    (note,) = report.notes
    assert "'static'" in note
    assert note.endswith(
        f"tui-annotate lab vectors rebuild -w {stores.folder} --embedder neural --dimensions 8"
    )
    assert (report.embedder, used(stores).embedder) == ("static", "static")
    assert [each.embedder for each in stores.corpus.vector_sets()] == ["static"]
    assert stores.contents()["waiting"] == []


def test_a_rebuild_that_gave_nothing_leaves_nothing(stores: Stores, pairs: Path) -> None:
    """No empty set is listed of it."""
    stores.run(pairs)
    stores.others["neural"] = Breaking(0)
    with pytest.raises(Unavailable):
        stores.ingest.sets.rebuild(embedder="neural")
    assert [each.embedder for each in stores.corpus.vector_sets()] == ["static"]


def test_auto_takes_the_best_that_can_be_had(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is there and then fails is told, and the next is taken."""
    monkeypatch.setattr(registry, "best_embedder", lambda: "neural")
    del stores.others["neural"]
    report = stores.run(pairs)
    assert (report.embedder, report.embedded) == ("static", 30)
    assert stores.asked == [("neural", "", 0), ("static", "", 0)]
    (note,) = report.notes
    assert "neural is not installed (install it)" in note  # as the embedder says it
    folder = pairs.parent / "other"
    folder.mkdir()
    other = Stores(folder)
    other.others["neural"] = Words()
    assert other.run(pairs).embedder == "neural"


def test_whoever_chose_nothing_hears_of_the_better_choice(stores: Stores, pairs: Path) -> None:
    """Where static vectors were taken unasked; not where they were named, nor when nothing came."""
    line = stores.run(pairs).embedder_note
    assert line.endswith("tui-annotate lab vectors rebuild --embedder neural")
    assert stores.run(pairs).embedder_note == ""
    for number, asked in enumerate(
        [VectorOptions("neural"), VectorOptions("static"), VectorOptions(first="static")]
    ):
        folder = pairs.parent / str(number)
        folder.mkdir()
        other = Stores(folder)
        other.others["neural"] = Words()
        assert other.run(pairs, embedder=asked).embedder_note == ""


class Breaking(Words):
    """Breaks after so many calls, as a network or a stranger's model may."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.left = calls

    def embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        """As `Words`, for a while."""
        self.left -= 1
        if self.left < 0:
            raise Unavailable("it is gone", "wait")
        return super().embed_tokens(texts)


def test_what_was_made_before_it_broke_is_kept(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report says what is missing; the next ingest makes the rest, and no more."""
    monkeypatch.setattr(embed_job, "SLOW_ROWS", 20)
    monkeypatch.setattr(embed_job, "_FIRST_DOCUMENTS", 4)
    stores.others["neural"] = Breaking(2)
    report = stores.run(pairs, embedder="neural")
    assert 0 < report.embedded < 30
    (note,) = report.notes
    assert "it is gone" in note  # as the embedder says it
    stores.others["neural"] = Words()
    assert stores.run(pairs).embedded == 30 - report.embedded
    check_tokens(stores, Words())


def test_the_first_vectors_are_stored_early(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each batch is planned for twice the time, so that a killed run keeps about half."""
    clock = count()  # a second passes in each batch
    monkeypatch.setattr(embed_job, "monotonic", lambda: float(next(clock)))
    sizes: list[int] = []
    write = embed_job.EmbedJob._write

    def written(job: embed_job.EmbedJob, group: Sequence[embed_job.Waiting]) -> None:
        sizes.append(len(group))
        write(job, group)

    monkeypatch.setattr(embed_job.EmbedJob, "_write", written)
    assert stores.run(pairs, embedder="neural").embedded == sum(sizes) == 30
    assert sizes[0] == 4
    assert max(sizes[:2]) <= 8
    assert len(sizes) <= 5


def test_a_table_that_a_killed_run_left_is_put_in_order(stores: Stores, pairs: Path) -> None:
    """By the next ingest, for which no embedder is needed."""
    stores.run(pairs, embedder="neural")
    table = used(stores).table
    stores.corpus.set_loose(table, loose=True)
    stores.corpus.remove_dataset("pairs")
    del stores.others["neural"]
    assert stores.ingest.run([]).notes == []
    assert not stores.corpus.is_loose(table)
    assert stores.vectors().size(table) == (0, 0)


class Late(Letters):
    """Learns with the first vectors how long they are, as from an endpoint."""

    dimensions = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """As `Letters`."""
        self.dimensions = 8
        return super().embed(texts)


def test_dimensions_that_are_told_late_are_remembered(stores: Stores, pairs: Path) -> None:
    """Once all vectors are made, and they stay known where the next ingest makes none."""
    stores.embedder = Late()
    stores.run(pairs)
    assert used(stores).dimensions == 8
    stores.embedder = Late()
    stores.ingest.sets.rebuild(embedder="static")
    assert used(stores).dimensions == 8


def test_documents_that_are_gone_lose_their_vectors(stores: Stores, pairs: Path) -> None:
    """At the next ingest that adds some; those that others share stay."""
    stores.run(pairs, embedder="neural")
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    stores.corpus.remove_dataset("pairs")
    stores.run(more)
    assert stores.vectors().size(used(stores).table)[0] == 6
    check_tokens(stores, Words())


# rebuild -----------------------------------------------------------------------------------------


def test_embedders_live_side_by_side(stores: Stores, tmp_path: Path) -> None:
    """One is made beside the other; the way back is free; work of people is untouched."""
    stores.run(write_dump(tmp_path / "dump.json", samples=9))
    before = stores.contents()
    static = used(stores)
    report = stores.ingest.sets.rebuild(embedder="neural")
    assert (report.embedder, report.embedded, report.notes) == ("neural", 18, [])
    assert [each.embedder for each in stores.corpus.vector_sets()] == ["static", "neural"]
    check_tokens(stores, Words())
    assert stores.embedder is not None
    made = len(stores.embedder.embedded)
    back = stores.ingest.sets.rebuild(embedder="static")
    assert (back.embedder, back.embedded) == ("static", 0)
    assert len(back.notes) == 1
    assert (used(stores), len(stores.embedder.embedded)) == (static, made)
    assert stores.contents() == before


def test_what_is_there_is_taken_up_without_its_embedder(stores: Stores, pairs: Path) -> None:
    """As on a machine that has the vectors of a model, and no model."""
    stores.run(pairs, embedder="neural")
    neural = used(stores)
    stores.ingest.sets.rebuild(embedder="static")
    del stores.others["neural"]
    asked = len(stores.asked)
    report = stores.ingest.sets.rebuild(embedder="neural")
    assert (report.embedder, report.embedded, len(report.notes)) == ("neural", 0, 1)
    assert (used(stores), len(stores.asked)) == (neural, asked)
    stores.ingest.sets.rebuild(embedder="static")
    with pytest.raises(Unavailable):
        stores.ingest.sets.rebuild(embedder=VectorOptions("neural", dimensions=4))
    stores.vectors().drop(neural.table)
    with pytest.raises(Unavailable):
        stores.ingest.sets.rebuild(embedder="neural")


def test_vectors_made_before_are_completed_when_they_are_taken_up(
    stores: Stores, pairs: Path
) -> None:
    """Documents that came meanwhile get theirs, and only they."""
    stores.run(pairs, embedder="neural")
    stores.ingest.sets.rebuild(embedder="static")
    stores.run(write_pairs(pairs.with_name("more.jsonl"), samples=4))
    report = stores.ingest.sets.rebuild(embedder="neural")
    assert (report.embedder, report.embedded) == ("neural", 6)
    check_tokens(stores, Words())


def test_none_keeps_what_there_is_and_says_so(stores: Stores, pairs: Path) -> None:
    """Words alone at once, and the vectors back at once."""
    stores.run(pairs, embedder="neural")
    table = used(stores).table
    report = stores.ingest.sets.rebuild(embedder="none")
    assert (report.embedder, report.embedded) == ("none", 0)
    assert f"lab vectors rebuild -w {stores.folder} --embedder neural" in report.notes[0]
    assert stores.corpus.vector_set() is None
    assert stores.ingest.sets.rebuild(embedder="none").notes == []
    assert stores.ingest.sets.rebuild().embedder == "none"
    stores.ingest.sets.rebuild(embedder="neural")
    assert used(stores).table == table


def test_without_a_name_all_are_made_anew(stores: Stores, pairs: Path) -> None:
    """Beside those in use, which go once the new ones are complete; however often."""
    stores.run(pairs)
    tables = {used(stores).table}
    for _ in range(3):
        assert stores.ingest.sets.rebuild().embedded == 30
        (only,) = stores.corpus.vector_sets()
        assert (only, stores.vectors().tables()) == (used(stores), (only.table,))
        tables.add(only.table)
        assert stores.run(pairs).notes == []
    assert len(tables) == 2


@pytest.mark.parametrize("named", ["auto", "neural"])
def test_another_version_is_built_beside_and_takes_its_place(
    stores: Stores, pairs: Path, named: str
) -> None:
    """Named or not; nobody wants the older one."""
    stores.run(pairs, embedder="neural")
    newer = Words()
    newer.version = "2"
    stores.others["neural"] = newer
    assert stores.ingest.sets.rebuild(embedder=named).embedded == 30
    assert [each.version for each in stores.corpus.vector_sets()] == ["2"]
    assert len(stores.vectors().tables()) == 1


@pytest.mark.parametrize("named", ["auto", "neural"])
def test_a_rebuild_that_breaks_leaves_the_old_vectors_in_use(
    stores: Stores, pairs: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    """It says why, and the next one goes on where it was."""
    monkeypatch.setattr(embed_job, "SLOW_ROWS", 20)
    monkeypatch.setattr(embed_job, "_FIRST_DOCUMENTS", 4)
    stores.run(pairs, embedder="neural" if named == "auto" else "static")
    before = used(stores), stores.contents()
    stores.others["neural"] = Breaking(2)
    with pytest.raises(Unavailable):
        stores.ingest.sets.rebuild(embedder=named)
    assert (used(stores), stores.contents()) == before
    stores.others["neural"] = Words()
    report = stores.ingest.sets.rebuild(embedder=named)
    assert 0 < report.embedded < 30
    assert used(stores) != before[0]
    check_tokens(stores, Words())


@pytest.mark.parametrize("gone", ["all", "a document"])
def test_vectors_that_are_torn_are_not_taken_for_there(
    stores: Stores, pairs: Path, gone: str
) -> None:
    """What is gone from the disk, whole or in part, is made again when it is asked for."""
    stores.run(pairs, embedder="neural")
    stores.ingest.sets.rebuild(embedder="static")
    store = stores.vectors()
    (neural,) = [each for each in stores.corpus.vector_sets() if each.embedder == "neural"]
    if gone == "all":
        store.drop(neural.table)
    else:
        record = next(iter(stores.corpus.records(RecordFilter())))
        store.discard(neural.table, [record.sample.documents[0].sha256])
    assert stores.ingest.sets.rebuild(embedder="neural").embedded == 30
    check_tokens(stores, Words())


def test_an_embedder_that_can_not_be_had_changes_nothing(stores: Stores, pairs: Path) -> None:
    """A rebuild with it is refused before anything is begun."""
    stores.run(pairs)
    del stores.others["neural"]
    before = stores.corpus.vector_sets()
    with pytest.raises(Unavailable):
        stores.ingest.sets.rebuild(embedder="neural")
    assert stores.corpus.vector_sets() == before


def test_leftovers_of_a_dropped_set_are_swept_and_never_counted(
    stores: Stores, pairs: Path
) -> None:
    """Tables of no set go; a set that takes an old name begins with nothing."""
    stores.run(pairs)
    table = used(stores).table
    waiting = stores.corpus.unembedded("left", 1)[0][0]
    stores.vectors().add("left", [(waiting, 0, 0, 1, np.ones(8, np.float32))])
    stores.corpus.mark_embedded(f"{table}-2", [waiting])
    assert stores.ingest.sets.rebuild().embedded == 30
    assert stores.vectors().tables() == (f"{table}-2",)


# list and drop -----------------------------------------------------------------------------------


def test_the_list_tells_how_each_set_stands(stores: Stores, pairs: Path) -> None:
    """In use or not, how many documents it has and lacks, and what it takes."""
    assert stores.ingest.sets.infos() == ()
    stores.run(pairs, embedder="neural")
    stores.ingest.sets.rebuild(embedder="static")
    stores.run(write_pairs(pairs.with_name("more.jsonl"), samples=4))
    neural, static = stores.ingest.sets.infos()
    assert (neural.vectors.label, neural.in_use) == ("words", False)
    assert (neural.documents, neural.waiting) == (30, 6)
    assert (static.in_use, static.documents, static.waiting) == (True, 36, 0)
    assert neural.bytes > static.bytes > 1000


def test_vectors_that_are_not_in_use_can_be_dropped(stores: Stores, pairs: Path) -> None:
    """By the name of their embedder; those in use and those that are not there are told."""
    stores.run(pairs, embedder="neural")
    with pytest.raises(Conflict, match="'neural'") as caught:
        stores.ingest.sets.drop("neural")
    assert caught.value.hint.endswith(
        f" tui-annotate lab vectors rebuild -w {stores.folder} --embedder none"
    )
    with pytest.raises(NotFound, match="'static'"):
        stores.ingest.sets.drop("static")
    stores.ingest.sets.rebuild(embedder="static")
    (size,) = [each.bytes for each in stores.ingest.sets.infos() if not each.in_use]
    assert stores.ingest.sets.drop("neural") == (1, size)
    assert [each.embedder for each in stores.corpus.vector_sets()] == ["static"]
    assert not list(stores.folder.glob("vectors/*.tokens.lance"))
    assert stores.ingest.sets.rebuild(embedder="neural").embedded == 30


def test_a_set_of_an_older_store_learns_its_version(stores: Stores, pairs: Path) -> None:
    """Its table's name tells that it is of the embedder that was loaded; all else follows."""
    stores.run(pairs)
    whole = used(stores)
    older = VectorSet(
        embedder="static", label="", version="", segmenter="", table=whole.table, dimensions=0
    )
    stores.corpus.keep_vector_set(older)
    assert stores.run(write_pairs(pairs.with_name("more.jsonl"), samples=4)).notes == []
    assert used(stores) == whole


def test_letters_are_no_embedder_with_tokens() -> None:
    """The stand-ins promise what they are taken for."""
    assert isinstance(Words(), TokenEmbedder)
    assert not isinstance(Letters(), TokenEmbedder)


# prepared vectors --------------------------------------------------------------------------------

SAMPLE_DATA = Path(__file__).parents[2] / "sample_data"
PREPARED = SAMPLE_DATA / "vectors.parquet"


def example(*, only: int | None = None) -> list[Record | Problem]:
    """The example data, or its first records."""
    return [*IngestFiles([SAMPLE_DATA / "pairs.jsonl"], options=ImportOptions(id_column="id"))][
        :only
    ]


def test_prepared_vectors_are_taken_where_they_fit(stores: Stores) -> None:
    """No embedder is loaded; those of the texts that are there, with their tokens, in use."""
    report = stores.ingest.run(example(), embedder=VectorOptions(prepared=PREPARED))
    assert (report.embedder, report.embedded, report.notes) == ("neural", report.documents, [])
    assert stores.asked == []
    made = read(PREPARED)
    assert used(stores) == made.vectors
    names = [name for name in made.documents if name in stores.contents()["vectors"]]
    assert len(names) == report.documents
    tokens = stores.vectors().fetch_tokens(made.vectors.table, names)
    assert all(
        np.array_equal(tokens[name].vectors, made.documents[name].tokens.vectors) for name in names
    )
    assert np.array_equal(stores.vectors().fetch_axes(made.vectors.table), made.axes)
    again = stores.ingest.run(example(), embedder=VectorOptions(prepared=PREPARED))
    assert (again.embedded, again.notes, stores.asked) == (0, [], [])


def test_later_documents_wait_for_the_embedder(stores: Stores, pairs: Path) -> None:
    """One line says so, and an ingest on a machine that has it goes on."""
    stores.ingest.run(example(), embedder=VectorOptions(prepared=PREPARED))
    del stores.others["neural"]
    report = stores.run(pairs, embedder=VectorOptions(prepared=PREPARED))
    assert (report.embedder, report.embedded) == ("neural", 0)
    (note,) = report.notes
    assert printed_numbers(note) == [["30"]]
    assert "neural is not installed" in note  # as the embedder says it
    stores.others["neural"] = embedder = Words(384, 128)
    embedder.version = read(PREPARED).vectors.version
    assert stores.run(pairs).embedded == 30
    assert stores.contents()["waiting"] == []


def test_a_set_in_use_is_filled_from_the_file_first(stores: Stores) -> None:
    """What was ingested in part gets the rest from there too."""
    stores.ingest.run(example(only=9), embedder=VectorOptions(prepared=PREPARED))
    report = stores.ingest.run(example(), embedder=VectorOptions(prepared=PREPARED))
    assert (report.embedded, stores.asked) == (report.documents, [])


@pytest.mark.parametrize("reason", ["damaged", "segmenter", "texts"])
def test_prepared_vectors_that_do_not_fit_are_left_aside(
    stores: Stores, tmp_path: Path, pairs: Path, monkeypatch: pytest.MonkeyPatch, reason: str
) -> None:
    """One line says why, and the embedders of this machine do it."""
    file = tmp_path / "vectors.parquet"
    file.write_bytes(PREPARED.read_bytes()[: 10_000 if reason == "damaged" else None])
    if reason == "segmenter":
        monkeypatch.setattr(vectors, "SEGMENTER", "other")
    records = [*IngestFiles([pairs])] if reason == "texts" else example()
    report = stores.ingest.run(records, embedder=VectorOptions(prepared=file))
    assert (report.embedder, report.embedded) == ("static", report.documents)
    (note,) = report.notes
    assert f" {file} " in note


@pytest.mark.parametrize(
    "asked", [VectorOptions("static"), VectorOptions("none"), VectorOptions(first="static")]
)
def test_prepared_vectors_go_behind_what_is_asked_for(stores: Stores, asked: VectorOptions) -> None:
    """Whoever names an embedder gets it; and a workspace that has one keeps it."""
    wanted = replace(asked, prepared=PREPARED)
    expected = "static" if "static" in {asked.name, asked.first} else "none"
    assert stores.ingest.run(example(), embedder=wanted).embedder == expected
    again = stores.ingest.run(example(), embedder=VectorOptions(prepared=PREPARED))
    assert (again.embedder, again.notes) == (expected, [])


def test_nothing_at_all_takes_no_prepared_vectors(stores: Stores) -> None:
    """They are of texts; where none came in, nothing is decided by them."""
    stores.ingest.run([], embedder=VectorOptions(prepared=PREPARED))
    assert (stores.corpus.vector_sets(), stores.corpus.vectors_decided()) == ((), False)
