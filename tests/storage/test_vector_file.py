"""A file of prepared vectors: read whole, or refused with the reason."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Segment
from tui_annotate.storage.vectors import vector_file

FILE = Path(__file__).parents[2] / "sample_data" / "vectors.parquet"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A copy of the file that comes with the example data."""
    return Path(shutil.copy(FILE, tmp_path / "vectors.parquet"))


def test_the_file_of_the_example_data_is_sound(file: Path) -> None:
    """Every document has its vectors and tokens, segments that join, and axes that are one."""
    found = vector_file.read(file)
    made = found.vectors
    assert (made.embedder, made.instant, made.dimensions) == ("neural", False, 384)
    assert found.axes.shape == (made.dimensions, made.token_dimensions)
    assert np.abs(found.axes.T @ found.axes - np.eye(made.token_dimensions)).max() < 1e-4
    for name, document in found.documents.items():
        assert len(document.segments) == len(document.vectors) == len(document.tokens)
        assert found.fits(name, document.segments)
        assert not found.fits(name, [*document.segments, Segment(10**6, 10**6 + 1)])
        assert [row[:4] for row in document.rows(name)] == [
            (name, index, *segment) for index, segment in enumerate(document.segments)
        ]
    assert not found.fits("missing", ())


Change = Callable[[pa.Table], pa.Table]


def _with(name: str, values: Callable[[pa.ChunkedArray], Any]) -> Change:
    def change(rows: pa.Table) -> pa.Table:
        place = rows.schema.get_field_index(name)
        return rows.set_column(place, rows.schema.field(name), values(rows.column(name)))

    return change


def _about(**other: str) -> Change:
    changed = {name.encode(): value.encode() for name, value in other.items()}
    return lambda rows: rows.replace_schema_metadata({**rows.schema.metadata, **changed})


TORN: dict[str, Change] = {
    "its form": _about(format="other/1"),
    "has no vector": lambda rows: rows.drop_columns(["vector"]),
    "without axes": lambda rows: rows.replace_schema_metadata(
        {name: value for name, value in rows.schema.metadata.items() if name != b"axes"}
    ),
    "short axes": _about(axes="AAAA"),
    "no base64": _about(axes="!"),
    "other dimensions": _about(dimensions="385"),
    "other token dimensions": _about(token_dimensions="64"),
    "no number": _about(dimensions="many"),
    "out of order": lambda rows: rows.take(list(range(rows.num_rows))[::-1]),
    "cut tokens": _with("token_vectors", lambda old: pa.array([b""] * len(old), pa.binary())),
    "empty segments": _with("end", lambda old: pa.array([0] * len(old), pa.int32())),
    "nulls": _with("start", lambda old: pa.nulls(len(old), pa.int32())),
    "tokens outside": _with(
        "token_ends",
        lambda old: pa.array([[end + 999 for end in ends] for ends in old.to_pylist()], old.type),
    ),
    "not finite": _with(
        "vector", lambda old: pa.array([[float("nan")] * 384] * len(old), old.type)
    ),
}


@pytest.mark.parametrize("change", TORN.values(), ids=TORN)
def test_a_file_that_does_not_hold_together_is_refused(file: Path, change: Change) -> None:
    """With its name and the reason, whatever is wrong with it."""
    pq.write_table(change(pq.read_table(file)), file)
    with pytest.raises(InvalidInput, match=f"{file}"):
        vector_file.read(file)


@given(data=st.data())
@settings(max_examples=example_limit(60))
def test_bytes_that_changed_are_never_worse_than_refused(file: Path, data: st.DataObject) -> None:
    """A file that a disk or a network broke is read as it was, or told."""
    whole = FILE.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    length = data.draw(st.integers(0, 64))
    torn = whole[:at] + data.draw(st.binary(max_size=64)) + whole[at + length :]
    file.write_bytes(data.draw(st.sampled_from([torn, whole[:at]])))
    try:
        found = vector_file.read(file)
    except InvalidInput:
        return
    assert all(len(made.segments) == len(made.tokens) for made in found.documents.values())


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """As one that is damaged."""
    with pytest.raises(InvalidInput, match=r"none\.parquet"):
        vector_file.read(tmp_path / "none.parquet")
