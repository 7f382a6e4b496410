"""Vectors: a cache that may be missing or torn, never doubled, never in the way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tui_annotate.domain.errors import Unavailable
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.storage.vectors import arrow, lance
from tui_annotate.storage.vectors import store as module
from tui_annotate.storage.vectors.lance import LanceFolder
from tui_annotate.storage.vectors.store import Row, VectorStore, is_table_of, table_name

ROOT = Path(__file__).parents[2]
TABLE = table_name("static", "weights:1", "halves")
SIZE = 16


def matrix(seed: int, rows: int) -> NDArray[np.float32]:
    """Unit vectors, the same for the same seed."""
    drawn = np.random.default_rng(seed).normal(size=(rows, SIZE)).astype(np.float32)
    normed: NDArray[np.float32] = drawn / np.linalg.norm(drawn, axis=1, keepdims=True)
    return normed


def rows(name: str, vectors: NDArray[np.float32]) -> list[Row]:
    """The rows of a document."""
    return [(name, place, place * 10, place * 10 + 10, row) for place, row in enumerate(vectors)]


@pytest.fixture
def store(tmp_path: Path) -> VectorStore:
    """An empty store."""
    return VectorStore(tmp_path / "vectors")


def test_vectors_come_back_by_document(store: VectorStore) -> None:
    """In the order of the segments, in half precision, whatever order they are asked for in."""
    kept = {name: matrix(seed, seed + 1) for seed, name in enumerate("abc")}
    assert store.add(TABLE, (row for name in "abc" for row in rows(name, kept[name]))) == 6
    store.optimize(TABLE)
    found = store.fetch(TABLE, ["c", "a", "c", "missing"])
    assert set(found) == {"c", "a"}
    for name, vectors in found.items():
        assert vectors.dtype == np.float32
        assert np.abs(vectors - kept[name]).max() < 1e-3
    assert store.size(TABLE) == (3, 6)
    assert store.tables() == (TABLE,)
    assert store.fetch(TABLE, []) == {}


def test_search_finds_the_nearest_among_some_documents(store: VectorStore) -> None:
    """LanceDB's ranking is that of the exact products, over the named documents alone."""
    kept = {name: matrix(seed, 40) for seed, name in enumerate("abc")}
    store.add(TABLE, (row for name in "abc" for row in rows(name, kept[name])))
    query = kept["a"][7]
    found = store.search(TABLE, ["a", "b"], query, top=10)
    exact = sorted(
        (-float(vector @ query), name, place)
        for name in "ab"
        for place, vector in enumerate(kept[name])
    )
    assert [(name, place) for name, place, _ in found] == [row[1:] for row in exact[:10]]
    assert [score for *_, score in found] == pytest.approx(
        [-row[0] for row in exact[:10]], abs=2e-3
    )


def test_a_vector_of_zeros_is_near_to_nothing(store: VectorStore) -> None:
    """Nothing is known of such a text: its product is 0, not NaN."""
    vectors = np.zeros((2, SIZE), np.float32)
    vectors[1, 0] = 1
    store.add(TABLE, rows("a", vectors))
    assert store.search(TABLE, ["a"], vectors[1], top=2) == [("a", 1, 1.0), ("a", 0, 0.0)]


def test_a_document_that_is_written_again_is_there_once(store: VectorStore) -> None:
    """As after a kill between the vectors and the note that they are there."""
    store.add(TABLE, [*rows("a", matrix(1, 3)), *rows("b", matrix(2, 3))])
    store.add(TABLE, rows("a", matrix(3, 5)))
    assert store.size(TABLE) == (2, 8)
    assert np.abs(store.fetch(TABLE, ["a"])["a"] - matrix(3, 5)).max() < 1e-3


def test_a_batch_never_parts_a_document(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However small the batches, every document is whole."""
    monkeypatch.setattr(module, "_BATCH", 2)
    monkeypatch.setattr(lance, "_FILTER", 2)
    names = [f"n{number}" for number in range(7)]
    written = [row for seed, name in enumerate(names) for row in rows(name, matrix(seed, 3))]
    assert store.add(TABLE, iter(written)) == 21
    assert {name: len(found) for name, found in store.fetch(TABLE, names).items()} == dict.fromkeys(
        names, 3
    )
    assert len(store.search(TABLE, names, matrix(0, 1)[0], top=100)) == 21


def test_another_process_sees_what_was_added(store: VectorStore) -> None:
    """A store that is open needs no opening again."""
    reader = VectorStore(store.folder)
    store.add(TABLE, rows("a", matrix(1, 2)))
    assert reader.size(TABLE) == (1, 2)
    store.add(TABLE, rows("b", matrix(1, 2)))
    assert reader.size(TABLE) == (2, 4)


def test_names_of_tables_tell_embedders_apart() -> None:
    """Another embedder, version or segmenter is another table, and names are safe as files."""
    names = {
        table_name(*parts)
        for parts in [
            ("a", "1", "s"),
            ("b", "1", "s"),
            ("a", "2", "s"),
            ("a", "1", "t"),
            ("A/../b", "1", "s"),
        ]
    }
    assert len(names) == 5
    assert all(name.replace("-", "").isalnum() for name in names)


def test_a_hash_with_a_quote_is_data(store: VectorStore) -> None:
    """Filters are escaped."""
    store.add(TABLE, rows("a' OR '1'='1", matrix(1, 2)))
    store.add(TABLE, rows("b", matrix(1, 2)))
    assert list(store.fetch(TABLE, ["a' OR '1'='1"])) == ["a' OR '1'='1"]


def test_a_dropped_table_is_gone(store: VectorStore) -> None:
    """Also one that was never there."""
    store.add(TABLE, rows("a", matrix(1, 2)))
    store.drop(TABLE)
    store.drop(TABLE)
    assert store.tables() == ()
    with pytest.raises(Unavailable):
        store.fetch(TABLE, ["a"])


def test_an_empty_table_can_be_put_in_order(store: VectorStore) -> None:
    """Nothing was written, and nothing breaks."""
    assert store.add(TABLE, []) == 0
    store.add(TABLE, rows("a", matrix(1, 1)))
    store.optimize(TABLE)
    store.optimize(TABLE)


# missing, torn, locked ---------------------------------------------------------------------------


def torn(folder: Path, pattern: str) -> None:
    """Overwrites the files of a table that match."""
    found = list(folder.glob(pattern))
    assert found
    for path in found:
        path.write_bytes(b"\xff" * 100)


@pytest.mark.parametrize("pattern", ["*.lance/data/*", "*.lance/_versions/*", "gone", "file"])
def test_a_missing_or_torn_folder_is_told_with_the_way_back(
    store: VectorStore, pattern: str
) -> None:
    """Reading says why, and after a drop all is written anew."""
    store.add(TABLE, rows("a", matrix(1, 2)))
    if pattern in {"gone", "file"}:
        shutil.rmtree(store.folder)
        if pattern == "file":
            store.folder.write_text("mine")
    else:
        torn(store.folder, pattern)
    opened = VectorStore(store.folder)
    with pytest.raises(Unavailable) as caught:
        opened.fetch(TABLE, ["a"])
    assert "lab vectors rebuild" in caught.value.hint
    with pytest.raises(Unavailable):
        opened.search(TABLE, ["a"], matrix(1, 1)[0], top=1)
    if pattern == "file":
        with pytest.raises(Unavailable):
            opened.add(TABLE, rows("a", matrix(1, 2)))
        return
    opened.drop(TABLE)
    opened.add(TABLE, rows("a", matrix(1, 2)))
    assert opened.size(TABLE) == (1, 2)


def test_without_lancedb_the_reason_is_told(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the line that installs it."""
    store.add(TABLE, rows("a", matrix(1, 2)))
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(Unavailable) as caught:
        VectorStore(store.folder).fetch(TABLE, ["a"])
    assert "pip install " in caught.value.hint


HOLDER = """
import sys
from pathlib import Path
from tui_annotate.storage.vectors.store import VectorStore
with VectorStore(Path(sys.argv[1])).writing():
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def holder(store: VectorStore) -> Iterator[subprocess.Popen[str]]:
    """A process that holds the writers' lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(store.folder)],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_writers_keep_apart(
    store: VectorStore, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second one hears of the first; once that is killed, the lock is free."""
    monkeypatch.setattr(lance, "_POLL_SECONDS", 0.001)
    with pytest.raises(Unavailable), store.writing(wait=0.01):
        pass
    holder.send_signal(signal.SIGKILL)
    with store.writing(wait=30), store.writing():
        pass


def test_what_killed_writers_left_is_cleared_away(store: VectorStore) -> None:
    """LanceDB leaves unfinished files for ever; the next writer takes them away."""
    store.add(TABLE, rows("a", matrix(1, 2)))
    left = store.folder / f"{TABLE}.lance" / "data" / ".tmp_left"
    left.write_bytes(b"x")
    with store.writing():
        assert not left.exists()
    assert store.size(TABLE) == (1, 2)


KILLED = """
import os, signal, sys
from pathlib import Path
from tests.storage.test_vectors import TABLE, matrix, rows
from tui_annotate.storage.vectors.store import VectorStore
def endless():
    yield from rows("a", matrix(1, 3))
    yield from rows("b", matrix(2, 3))
    os.kill(os.getpid(), signal.SIGKILL)
from tui_annotate.storage.vectors import store as vectors
vectors._BATCH = 1
VectorStore(Path(sys.argv[1])).add(TABLE, endless())
"""


def test_after_a_kill_the_same_documents_are_written_once(store: VectorStore) -> None:
    """A writer killed between two commits; the next one repeats its work."""
    script = [sys.executable, "-c", KILLED, str(store.folder)]
    done = subprocess.run(script, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert store.size(TABLE)[0] == 1
    store.add(TABLE, [*rows("a", matrix(1, 3)), *rows("b", matrix(2, 3))])
    assert store.size(TABLE) == (2, 6)


def test_nothing_is_written_on_the_screen(tmp_path: Path) -> None:
    """LanceDB's own warnings would stand in the middle of a text."""
    script = (
        "import sys; from pathlib import Path;"
        "from tests.storage.test_vectors import TABLE, matrix, rows;"
        "from tui_annotate.storage.vectors.store import VectorStore;"
        "store = VectorStore(Path(sys.argv[1])); store.add(TABLE, rows('a', matrix(1, 2)));"
        "store.optimize(TABLE); store.fetch(TABLE, ['a'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "LANCEDB_LOG"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "vectors")],
        cwd=ROOT, capture_output=True, text=True, check=True, env=environment,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("", "")


# tokens ------------------------------------------------------------------------------------------

AXES = np.linalg.qr(np.random.default_rng(0).normal(size=(SIZE, 4)))[0].astype(np.float32)


def tokens(seed: int, segments: int) -> TokenBank:
    """The tokens of a document's segments; some segments have none."""
    drawn = np.random.default_rng(seed)
    counts = drawn.integers(0, 5, segments)
    bounds = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    starts = drawn.integers(0, 40, bounds[-1]).astype(np.int32)
    vectors = drawn.integers(-127, 128, (bounds[-1], 4)).astype(np.int8)
    return TokenBank(vectors, bounds, starts, starts + 3)


def same(one: TokenBank, other: TokenBank) -> bool:
    """Whether two banks are equal to the last bit."""
    return all(
        getattr(one, name).dtype == getattr(other, name).dtype
        and np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("vectors", "bounds", "starts", "ends")
    )


@given(
    kept=st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), min_size=1),
    again=st.sets(st.sampled_from("abcdef")),
    ordered=st.booleans(),
)
@settings(max_examples=8)
def test_tokens_come_back_as_they_were(
    kept: dict[str, int], again: set[str], ordered: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Bit by bit and by document, however often written; the axes come with them."""
    store = VectorStore(tmp_path_factory.mktemp("vectors"))
    banks = {name: tokens(size, size) for name, size in kept.items()}
    for name, bank in banks.items():
        store.add(TABLE, rows(name, matrix(1, len(bank))))
    assert store.fetch_tokens(TABLE, list(kept)) == {}
    first = {name: tokens(99, 7) if name in again else bank for name, bank in banks.items()}
    assert store.add_tokens(TABLE, first.items(), axes=AXES) == sum(map(len, first.values()))
    store.add_tokens(TABLE, [(name, banks[name]) for name in again & set(kept)], axes=AXES)
    if ordered:
        store.optimize(TABLE)
    found = store.fetch_tokens(TABLE, [*kept, "missing"])
    assert found.keys() == kept.keys()
    assert all(same(found[name], banks[name]) for name in kept)
    assert np.array_equal(store.fetch_axes(TABLE), AXES)
    assert store.tables() == (TABLE,)
    store.discard(TABLE, ["a"])
    assert "a" not in {**store.fetch(TABLE, ["a"]), **store.fetch_tokens(TABLE, ["a"])}
    store.drop(TABLE)
    assert not list(store.folder.glob("*.lance"))


def test_rows_in_any_order_are_put_in_theirs() -> None:
    """A table may be compacted or read in pieces: documents and segments come in order."""
    table = arrow.to_table([*rows("b", matrix(1, 3)), *rows("a", matrix(2, 2))])
    assert arrow.order_rows(table) is table
    for mixed in ([4, 1, 0, 2, 3], [0, 1, 3, 4, 2], [2, 1, 0, 3, 4]):
        found = arrow.order_rows(table.take(mixed))
        names = zip(found["sha256"].to_pylist(), found["segment"].to_pylist(), strict=True)
        assert list(names) == [("a", 0), ("a", 1), ("b", 0), ("b", 1), ("b", 2)]


def test_a_table_made_anew_is_still_of_its_embedder() -> None:
    """A number behind the name; another version or segmenter is another name."""
    whose = {"embedder": "a", "version": "1", "segmenter": "s"}
    name = table_name("a", "1", "s")
    assert is_table_of(name, **whose)
    assert is_table_of(f"{name}-12", **whose)
    assert not is_table_of(f"{name}-x", **whose)
    assert not is_table_of(name, **{**whose, "version": "2"})


def test_few_pieces_are_not_worth_writing_all_anew(store: VectorStore) -> None:
    """A small addition leaves the files of a large table alone; many pieces become one."""
    store.add(TABLE, rows("a", matrix(1, 50)))
    store.optimize(TABLE)

    def files() -> set[str]:
        return {path.name for path in store.folder.glob("*.lance/data/*.lance")}

    first = files()
    store.add(TABLE, rows("b", matrix(2, 2)))
    store.optimize(TABLE)
    assert first < files()
    for number in range(lance._PIECES):
        store.add(TABLE, rows(str(number), matrix(number, 2)))
    store.optimize(TABLE)
    assert len(files()) <= 2
    assert store.size(TABLE) == (2 + lance._PIECES, 52 + 2 * lance._PIECES)


def test_a_clean_up_never_costs_a_reader_its_rows(
    store: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that go between look and read are looked for again."""
    store.add(TABLE, rows("a", matrix(1, 2)))
    open_table = LanceFolder.open
    calls = []

    def torn_once(self: LanceFolder, table: str) -> object:
        calls.append(table)
        if len(calls) == 1:
            raise OSError("the file is gone")
        return open_table(self, table)

    monkeypatch.setattr(LanceFolder, "open", torn_once)
    assert store.fetch(TABLE, ["a"]).keys() == {"a"}
    assert len(calls) == 2


def test_a_table_that_was_killed_while_it_was_made_is_none(tmp_path: Path) -> None:
    """It is not listed, and stands in nobody's way: the next writer makes it anew."""
    folder = LanceFolder(tmp_path)
    (folder.place(TABLE) / "data").mkdir(parents=True)
    (folder.place(TABLE) / "data" / "half.lance").touch()
    assert not folder.has_table(TABLE)
    assert VectorStore(tmp_path).tables() == ()
    with pytest.raises(Unavailable):
        folder.open(TABLE)
    with folder.writing(wait=0):
        assert not folder.place(TABLE).exists()
