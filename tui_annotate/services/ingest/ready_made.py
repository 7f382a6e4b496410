"""Vectors out of a file, where they are those of the texts: for machines without the embedder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.services.ingest.filling import strangers, tidy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.storage.corpus.store import CorpusStore
    from tui_annotate.storage.vectors.prepared import Made
    from tui_annotate.storage.vectors.store import VectorStore

_MOST = 20_000
"""Documents that are looked at."""


def take(
    corpus: CorpusStore, store: VectorStore, file: Path, *, kept: VectorSet | None
) -> tuple[VectorSet, int] | None:
    """Gives documents the vectors that a file has of them.

    Args:
        kept: the set in use; only the file's own embedder and version go with it. Without one, the
            file's becomes the set in use, if it has vectors of all documents that there are.

    Returns:
        The set in use then, and how many documents got vectors; None where the file is of another
        embedder than the set in use, or there are no documents.

    Raises:
        InvalidInput: the file is damaged, of another segmenter, or lacks a text.
    """
    from tui_annotate.storage.vectors import prepared
    from tui_annotate.storage.vectors.store import is_of

    found = prepared.read(file)
    made = found.vectors
    if made.segmenter != SEGMENTER:
        raise InvalidInput(f"{file} is of segments by {made.segmenter}, not {SEGMENTER}")
    if kept and not is_of(
        kept.table, embedder=made.embedder, version=made.version, segmenter=SEGMENTER
    ):
        return None
    target = kept or made
    waiting = corpus.unembedded(target.table, _MOST)
    if kept is None and not waiting:
        return None
    fitting = [name for name, _, segments in waiting if found.fits(name, segments)]
    if kept is None and (len(fitting) < len(waiting) or len(waiting) == _MOST):
        raise InvalidInput(f"{file} lacks some of the texts", "they are those of another version")
    if kept is None:
        corpus.keep_vector_set(made)
    if fitting:
        documents = {name: found.documents[name] for name in fitting}
        _write(corpus, store, target.table, documents=documents, axes=found.axes)
    if kept is None and not corpus.decide_vectors(made.table):
        raise InvalidInput("another ingest chose other vectors for this workspace meanwhile")
    return target, len(fitting)


def _write(
    corpus: CorpusStore,
    store: VectorStore,
    table: str,
    *,
    documents: dict[str, Made],
    axes: NDArray[np.float32],
) -> None:
    corpus.set_loose(table, loose=True)
    with store.writing():
        store.add(table, (row for name, made in documents.items() for row in made.rows(name)))
        if axes.shape[1]:
            tokens = ((name, made.tokens) for name, made in documents.items())
            store.add_tokens(table, tokens, axes=axes)
    unknown = strangers((name, made.segments, made.known) for name, made in documents.items())
    corpus.mark_embedded(table, [*documents], unknown=unknown)
    tidy(corpus, store, table)
