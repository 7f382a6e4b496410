"""Parquet files of precomputed vectors; every value is validated, as a file may be damaged.

One row per segment: `sha256` of the document, `segment`, `start`, `end`, `vector`, and of its
tokens `token_vectors` (bytes one after another), `token_starts`, `token_ends`. The schema's
metadata describe the embedder, as in `VectorSet`, and contain the axes (base64 of little-endian
single precision).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Segment
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.storage.vectors import arrow
from tui_annotate.storage.vectors.arrow import Row
from tui_annotate.storage.vectors.store import table_name

FORMAT: Final = "tui-annotate-vectors/1"
_TEXTS: Final = ("embedder", "label", "version", "segmenter")
_NUMBERS: Final = ("dimensions", "token_dimensions")


@dataclass(frozen=True, slots=True)
class SegmentVectors:
    """Vectors of one document in a file; `vectors` is (segments, dimensions)."""

    segments: tuple[Segment, ...]
    vectors: NDArray[np.float16]
    tokens: TokenBank

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which segments have a vector, as a mask; a vector of zeros means none."""
        known: NDArray[np.bool_] = (self.vectors != 0).any(axis=1)
        return known

    def rows(self, name: str) -> list[Row]:
        """Return the rows of a vector table for the document with the hash `name`."""
        each = enumerate(zip(self.segments, self.vectors, strict=True))
        return [(name, index, *segment, vector) for index, (segment, vector) in each]


@dataclass(frozen=True, slots=True)
class VectorFileContent:
    """Vectors read from a file, by hash of the document.

    `axes`: matrix (dimensions, token dimensions) that maps vectors of tokens to the stored ones.
    """

    vectors: VectorSet
    axes: NDArray[np.float32]
    documents: dict[str, SegmentVectors]

    def fits(self, name: str, segments: Sequence[Segment]) -> bool:
        """Return whether the file has a document, by hash, with exactly the given segments."""
        made = self.documents.get(name)
        return made is not None and made.segments == tuple(segments)


def read(path: Path) -> VectorFileContent:
    """Read and validate a file of precomputed vectors; InvalidInput if that fails."""
    try:
        rows = pq.read_table(path)
        metadata = rows.schema.metadata or {}
        return _parse_rows(rows, {name.decode(): metadata[name].decode() for name in metadata})
    except (
        OSError,
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        pa.ArrowException,
    ) as error:
        first = (str(error).splitlines() or [""])[0][:200]
        raise InvalidInput(
            f"{path} has no usable vectors: {first}",
            "check that the file was made for this version of tui-annotate",
        ) from error


def write(path: Path, prepared: VectorFileContent) -> None:
    """Write a file of precomputed vectors, with equal bytes for equal vectors; or OSError."""
    names = sorted(prepared.documents)
    made = [prepared.documents[name] for name in names]
    rows = [
        (name, index, *segment)
        for name, each in zip(names, made, strict=True)
        for index, segment in enumerate(each.segments)
    ]
    matrix = np.concatenate([each.vectors for each in made]).astype(np.float16)
    bank = TokenBank.joined([each.tokens for each in made])
    ends = zip(bank.bounds, bank.bounds[1:], strict=False)
    bounds = pa.array(bank.bounds.astype(np.int32))
    columns = {
        "sha256": pa.array([row[0] for row in rows], pa.string()),
        **{
            name: pa.array([row[place] for row in rows], pa.int32())
            for place, name in enumerate(("segment", "start", "end"), start=1)
        },
        "vector": pa.FixedSizeListArray.from_arrays(
            pa.array(matrix.reshape(-1)), prepared.vectors.dimensions
        ),
        "token_vectors": pa.array([bank.vectors[a:b].tobytes() for a, b in ends], pa.binary()),
        "token_starts": pa.ListArray.from_arrays(bounds, pa.array(bank.starts, pa.int32())),
        "token_ends": pa.ListArray.from_arrays(bounds, pa.array(bank.ends, pa.int32())),
    }
    table = pa.table(columns).replace_schema_metadata(_build_metadata(prepared))
    pq.write_table(table, path, compression="zstd")


def _build_metadata(prepared: VectorFileContent) -> dict[str, str]:
    return {
        "format": FORMAT,
        **{name: str(getattr(prepared.vectors, name)) for name in (*_TEXTS, *_NUMBERS)},
        "instant": "yes" if prepared.vectors.instant else "no",
        "axes": arrow.pack_axes(prepared.axes).decode(),
    }


def _parse_rows(rows: Any, about: dict[str, str]) -> VectorFileContent:
    _require(
        about.get("format") == FORMAT, f"its format is {about.get('format')!r}, not {FORMAT!r}"
    )
    values: dict[str, Any] = {name: about[name] for name in _TEXTS}
    values |= {name: int(about[name]) for name in _NUMBERS}
    table = table_name(about["embedder"], about["version"], about["segmenter"])
    vectors = VectorSet(table=table, instant=about.get("instant") == "yes", **values)
    matrix = _read_matrix(rows, vectors)
    bank = _read_tokens(rows, vectors)
    starts, ends = (rows.column(name).to_pylist() for name in ("start", "end"))
    segments = list(map(Segment, starts, ends))
    counted = [
        index for _, first, last in arrow.iterate_documents(rows) for index in range(last - first)
    ]
    _require(rows.column("segment").to_pylist() == counted, "the segments are not in order")
    documents = {
        name: SegmentVectors(
            tuple(segments[first:last]), matrix[first:last], bank.part(first, last)
        )
        for name, first, last in arrow.iterate_documents(rows)
    }
    return VectorFileContent(vectors, _read_axes(about, vectors), documents)


def _require(sound: object, reason: str) -> None:
    if not sound:
        raise ValueError(reason)


def _read_matrix(rows: Any, vectors: VectorSet) -> NDArray[np.float16]:
    matrix = arrow.to_matrix(rows.column("vector"))
    _require(
        matrix.shape == (rows.num_rows, vectors.dimensions),
        f"the array of vectors has the wrong shape {matrix.shape}",
    )
    _require(np.isfinite(matrix).all(), "the vectors contain infinities or NaN")
    return matrix


def _read_tokens(rows: Any, vectors: VectorSet) -> TokenBank:
    counts = pc.list_value_length(rows.column("token_starts")).to_numpy()
    sizes = pc.binary_length(rows.column("token_vectors")).to_numpy()
    starts, ends = (
        pc.list_flatten(rows.column(name)).to_numpy().astype(np.int32)
        for name in ("token_starts", "token_ends")
    )
    lengths = (pc.subtract(rows.column("end"), rows.column("start"))).to_numpy()
    _require((sizes == counts * vectors.token_dimensions).all(), "the token vectors are truncated")
    _require(len(starts) == len(ends) and (starts >= 0).all(), "the tokens have no valid positions")
    _require(
        (ends <= np.repeat(lengths, counts)).all(),
        "the position of a token is after the end of its segment",
    )
    packed = b"".join(rows.column("token_vectors").to_pylist())
    tokens = np.frombuffer(packed, np.int8).reshape(-1, max(vectors.token_dimensions, 1))
    bounds = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    return TokenBank(tokens, bounds, starts, ends)


def _read_axes(about: dict[str, str], vectors: VectorSet) -> NDArray[np.float32]:
    if not vectors.token_dimensions:
        return np.zeros((vectors.dimensions, 0), np.float32)
    return arrow.unpack_axes(about["axes"], vectors.dimensions, vectors.token_dimensions)
