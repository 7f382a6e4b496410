"""Ingest in several processes: the result of one, and nothing lost or left when it is killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.effort import by_effort
from tests.services.forked_ingest import Forked, wait_until_gone
from tests.services.ingest_stores import Stores, Words, write_dump, write_pairs
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import segment
from tui_annotate.services.ingest import sentences
from tui_annotate.services.ingest.sentences import SegmentationPool

ROOT = Path(__file__).parents[2]
ROUNDS = by_effort(push=4, full=10, torture=300)


def _process(
    folder: Path, *files: Path, workers: int = 2, embedder: str = "static"
) -> subprocess.Popen[str]:
    """An ingest in a process of its own, with processes of its own; a rebuild without files."""
    folder.mkdir(exist_ok=True)
    arguments = [str(folder), str(workers), embedder, *map(str, files)]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.services.ingest_stores", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _finished(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0, error
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def _soundness(stores: Stores) -> str:
    with stores.database.reading() as connection:
        return str(connection.exec_driver_sql("PRAGMA integrity_check").scalar())


def test_processes_give_what_one_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Segments, order and all else are the same with two processes as with none."""
    monkeypatch.setattr(sentences, "_POOL_CHARACTERS", 1000)
    path = write_pairs(tmp_path / "pairs.jsonl", samples=120)
    contents = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        folder.mkdir()
        stores = Stores(folder, workers=workers)
        stores.run(path, embedder="none")
        contents.append(stores.contents())
    assert contents[0] == contents[1]


def test_little_work_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Below what a start is worth, texts are segmented in place, and forgotten."""

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(sentences, "ProcessPoolExecutor", never)
    monkeypatch.setattr(sentences, "_POOL_CHARACTERS", 1500)
    with SegmentationPool(2) as segmenters:
        for _ in range(10):
            ticket = segmenters.submit([("One. Two. " * 100, "en")])
            assert segmenters.result(ticket) == [segment("One. Two. " * 100)]


def test_a_pool_that_breaks_is_done_without(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Where no process can be had, the texts are segmented in this one, and a warning says so."""

    class Broken:
        def __init__(self, *_: Any, **__: Any) -> None:
            self.calls = 0

        def submit(self, *_: Any) -> Any:
            self.calls += 1
            if self.calls > 1:
                raise BrokenProcessPool
            return self

        def result(self) -> Any:
            raise BrokenProcessPool

        def shutdown(self, **_: Any) -> None:
            pass

    monkeypatch.setattr(sentences, "ProcessPoolExecutor", Broken)
    monkeypatch.setattr(sentences, "_POOL_CHARACTERS", 1)
    with SegmentationPool(2) as segmenters:
        tickets = [segmenters.submit([("One. Two.", "en")]) for _ in range(2)]
        found = [segmenters.result(ticket) for ticket in tickets]
    assert found == [[segment("One. Two.")]] * 2
    (warning,) = caplog.records
    assert (warning.levelname, warning.module) == ("WARNING", "sentences")


def test_a_script_without_a_guard_runs_once(tmp_path: Path) -> None:
    """Processes do not run the script that started them, so any script may ingest."""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\n"
        "from tui_annotate.services.ingest import sentences as module\n"
        "from tui_annotate.services.ingest.sentences import SegmentationPool\n"
        "print('once')\n"
        "module._POOL_CHARACTERS = 1000\n"
        "texts = [('One. Two. ' * 10, 'en')] * 60\n"
        "with SegmentationPool(2) as sentences:\n"
        "    print(sum(map(len, sentences.result(sentences.submit(texts)))))\n"
        "    print(sys.modules['__main__'].__file__ == __file__, sentences._broken)\n"
    )
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines() == ["once", "1200", "True False"]
    assert done.stderr == ""


def test_a_process_that_sends_a_result_ends_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a part of a result, the main process would wait forever for the rest."""
    ended = threading.Event()
    lock = threading.Lock()

    def end(_code: int) -> None:
        ended.set()
        lock.release()

    def segment_all(_texts: object) -> list[Any]:
        return [ended.wait(10)]

    monkeypatch.setattr(sentences, "_may_not_end", lock)
    monkeypatch.setattr(sentences, "segment_all", segment_all)
    monkeypatch.setattr(os, "_exit", end)
    monkeypatch.setattr(os, "nice", lambda _: None)
    reader, lifeline = multiprocessing.Pipe(duplex=False)
    sentences._init_worker(reader, os.getppid())
    lifeline.close()
    assert not ended.wait(0.5)
    found: list[Any] = sentences._segment([])
    assert found == [True]


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_it_cleanly(tmp_path: Path) -> None:
    """Ctrl-C to the whole group ends every process at once; what was stored is sound."""
    path = write_pairs(tmp_path / "pairs.jsonl", samples=6000, sentences=20)
    folder = tmp_path / "stopped"
    process = _process(folder, path, embedder="none")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    stored = Stores(folder)
    while not stored.corpus.totals()[0]:
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=120)
    assert process.returncode not in {0, -9}
    assert error.splitlines()[-1] == "KeyboardInterrupt"
    wait_until_gone(process.pid)
    assert _soundness(stored) == "ok"
    assert 0 < stored.corpus.totals()[0] < 6000


@pytest.mark.parametrize(
    ("embedder", "samples", "sentences"), [("none", 24, 2500), ("neural", 200, 12)]
)
def test_memory_does_not_grow_with_the_file(
    tmp_path: Path, embedder: str, samples: int, sentences: int
) -> None:
    """Eight times the file takes hardly more memory: neither 10 MB, nor 250 writes of vectors."""
    memory = []
    for size in (samples, 8 * samples):
        path = write_pairs(tmp_path / f"{size}.jsonl", samples=size, sentences=sentences)
        process = _process(tmp_path / str(size), path, workers=1, embedder=embedder)
        memory.append(_finished(process)["memory"])
    assert memory[1] < 1.25 * memory[0]


def test_killed_at_any_moment_it_goes_on(tmp_path: Path) -> None:
    """However often it is killed -9, the next run ends with the store of a run left in peace.

    No process outlives it; the store is sound after each kill.
    """
    path = write_dump(tmp_path / "dump.json", samples=160)
    began = time.monotonic()
    Forked(tmp_path / "peace", path).finished()
    longest = time.monotonic() - began
    expected = Stores(tmp_path / "peace").contents()
    assert (expected["waiting"], expected["totals"][0]) == ([], 160)
    chance = random.Random()
    folders = 0
    folder = tmp_path / f"killed-{folders}"
    for _ in range(ROUNDS):
        if not Forked(folder, path).killed(after=chance.uniform(0, longest)):
            assert Stores(folder).contents() == expected
            folders += 1
            folder = tmp_path / f"killed-{folders}"
        elif (folder / "store.sqlite").exists():
            assert _soundness(Stores(folder)) == "ok"
    Forked(folder, path).finished()
    assert Stores(folder).contents() == expected


def test_vectors_are_never_torn(tmp_path: Path) -> None:
    """Ingest and rebuilds are killed -9 at any moment: what is in use is whole.

    A rebuild that did not come to its end leaves the set in use that was; what a set is said to
    have it has, to the last token; work of people is as it was; and the next try ends it.
    """
    path = write_dump(tmp_path / "dump.json", samples=60)
    folder = tmp_path / "store"
    chance = random.Random()
    process = Forked(folder, path, embedder="neural", workers=1)
    longest = 1.0
    before = None
    for _ in range(ROUNDS):
        began = time.monotonic()
        if not process.killed(after=chance.uniform(0, longest)):
            longest = time.monotonic() - began
        stores = Stores(folder)
        _check_vectors(stores, before)
        before = stores.corpus.vector_set()
        done = stores.corpus.totals()[0] == 60
        embedder = chance.choice(["auto", "neural", "static"]) if done else "neural"
        process = Forked(folder, *([] if done else [path]), embedder=embedder, workers=1)
    process.finished()
    Forked(folder, path, embedder="auto", workers=1).finished()
    Forked(folder, embedder="auto", workers=1).finished()
    stores = Stores(folder)
    _check_vectors(stores, None)
    assert stores.corpus.totals()[0] == 60
    assert all(len(annotations) == 1 for annotations in stores.contents()["annotations"])
    assert stores.contents()["waiting"] == []
    tables = {each.table for each in stores.corpus.vector_sets()}
    assert set(stores.vectors().tables()) == tables


def _check_vectors(stores: Stores, before: VectorSet | None) -> None:
    """The set in use is the one that was, or complete; what it is said to have, it has."""
    assert _soundness(stores) == "ok"
    used = stores.corpus.vector_set()
    if used is None:
        return
    waiting = {name for name, *_ in stores.corpus.unembedded(used.table, 1000)}
    assert not waiting or before is None or used.table == before.table
    texts = {}
    for record in stores.corpus.records(RecordFilter()):
        stored = stores.corpus.sample(record.sample.key)
        for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
            texts[document.sha256] = [document.text[start:end] for start, end in segments]
    said = sorted(texts.keys() - waiting)
    store = stores.vectors()
    found = store.fetch(used.table, said)
    banks = store.fetch_tokens(used.table, said) if used.token_dimensions else {}
    words = Words()
    for name in said:
        vectors, tokens = words.embed_tokens(texts[name])
        assert abs(found[name] - vectors).max() < 1e-3
        if used.token_dimensions:
            assert banks[name].vectors.tobytes() == tokens.vectors.tobytes()
            assert banks[name].bounds.tolist() == tokens.bounds.tolist()
