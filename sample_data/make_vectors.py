"""Makes vectors.parquet: neural vectors of the example data, for machines without torch.

Ingest takes them where texts, segmenter and embedder are those that they were made from.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.methods.segmentation import SEGMENTER, segment
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ImportOptions, TokenEmbedder

FILES = {"pairs.jsonl": "pairs", "gold.json": "mercury"}
TARGET = "vectors.parquet"


def documents(folder: Path) -> list[Document]:
    """The distinct texts of the example data, in their order."""
    found: dict[str, Document] = {}
    for name, form in FILES.items():
        for record in registry.load("importers", form).read(folder / name, ImportOptions()):
            if isinstance(record, Record):
                found |= {each.sha256: each for each in record.sample.documents}
    return list(found.values())


def segments(texts: Sequence[Document]) -> Iterator[tuple[str, int, int, int, str]]:
    """Hash of the document, index, start, end and text of each segment."""
    for document in texts:
        for index, own in enumerate(segment(document.text, document.language)):
            text = document.text[own.start : own.end]
            yield document.sha256, index, own.start, own.end, text


def table(folder: Path, embedder: TokenEmbedder) -> pa.Table:
    """One row a segment, and in the metadata of the schema what made them."""
    rows = list(segments(documents(folder)))
    vectors, bank = embedder.embed_tokens([text for *_, text in rows])
    size = embedder.dimensions
    columns = {
        "sha256": pa.array([row[0] for row in rows], pa.string()),
        "segment": pa.array([row[1] for row in rows], pa.int32()),
        "start": pa.array([row[2] for row in rows], pa.int32()),
        "end": pa.array([row[3] for row in rows], pa.int32()),
        "vector": pa.FixedSizeListArray.from_arrays(vectors.astype(np.float16).ravel(), size),
        **_tokens(bank),
    }
    about = {
        "format": "tui-annotate-vectors/1",
        "embedder": embedder.name,
        "label": embedder.label,
        "version": embedder.version,
        "segmenter": SEGMENTER,
        "dimensions": str(embedder.dimensions),
        "token_dimensions": str(embedder.token_dimensions),
        "axes": base64.b64encode(embedder.axes.astype("<f4").tobytes()).decode(),
    }
    return pa.table(columns).replace_schema_metadata(about)


def _tokens(bank: TokenBank) -> dict[str, pa.Array]:
    """The tokens of each segment: their numbers one after another, and where each stands."""
    bounds = pa.array(bank.bounds, pa.int32())
    parts = [
        bank.vectors[a:b].tobytes() for a, b in zip(bank.bounds, bank.bounds[1:], strict=False)
    ]
    return {
        "token_vectors": pa.array(parts, pa.binary()),
        "token_starts": pa.ListArray.from_arrays(bounds, pa.array(bank.starts, pa.int32())),
        "token_ends": pa.ListArray.from_arrays(bounds, pa.array(bank.ends, pa.int32())),
    }


def main(folder: Path) -> None:
    """Makes the file anew, with the neural embedder and its default weights."""
    embedder = registry.load("embedders", "neural")
    assert isinstance(embedder, TokenEmbedder)
    made = table(folder, embedder)
    pq.write_table(made, folder / TARGET, compression="zstd", compression_level=19)
    size = (folder / TARGET).stat().st_size
    print(f"{folder / TARGET}: {made.num_rows:,} segments, {size:,} bytes, {embedder.version}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
