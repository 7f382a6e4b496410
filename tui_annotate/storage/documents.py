"""Reads the texts of documents, and checks each text against the SHA-256 that identifies it."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.errors import Damaged
from tui_annotate.domain.samples import SampleKey, Segment, Side
from tui_annotate.storage.codec import unpack

RESTORE: Final = "find all damaged texts, and how to restore them, with: tui-annotate doctor"
_TEXTS: Final = text("SELECT sha256, text FROM documents")
_PLACED: Final = text(
    "SELECT s.id, d.name, s.external, s.digest, p.side, u.sha256 FROM samples s"
    " JOIN datasets d ON d.id = s.dataset_id"
    " LEFT JOIN sample_documents p ON p.sample_id = s.id"
    " LEFT JOIN documents u ON u.id = p.document_id ORDER BY s.id, p.ordinal"
)
_OF_SAMPLE: Final = text(
    "SELECT p.side, u.sha256, u.text FROM datasets d"
    " JOIN samples s ON s.dataset_id = d.id AND s.external = :sample"
    " JOIN sample_documents p ON p.sample_id = s.id JOIN documents u ON u.id = p.document_id"
    " WHERE d.name = :dataset ORDER BY p.ordinal"
)
_SAMPLES_OF: Final = text(
    "SELECT d.name, s.external FROM documents u"
    " JOIN sample_documents p ON p.document_id = u.id JOIN samples s ON s.id = p.sample_id"
    " JOIN datasets d ON d.id = s.dataset_id WHERE u.sha256 = :sha256 ORDER BY s.id LIMIT 2"
)


def find_text_damage(content: Any, sha256: str) -> str:
    """Return why a column's value is not the text with a hash; empty if it is."""
    if not isinstance(content, bytes):
        kind = "nothing" if content is None else type(content).__name__
        return f"the text of a document is damaged: stored as {kind}, not as bytes"
    if hashlib.sha256(content).hexdigest() != sha256:
        return "the text of a document is damaged: it does not match its hash"
    return ""


def find_document_damage(sha256: str, content: Any, boundaries: Any) -> str:
    """Return why columns are not a text with a hash and its segments; empty if they are."""
    if problem := find_text_damage(content, sha256):
        return problem
    try:
        unpack(boundaries, len(content.decode()))
    except Damaged as error:
        return error.message
    return ""


def read_text(connection: Connection, content: Any, sha256: str) -> str:
    """Return a document's text; Damaged, with the samples' names, if it is not the imported one."""
    if problem := find_text_damage(content, sha256):
        raise Damaged(f"{problem}: {name_document(connection, sha256)}", RESTORE)
    return str(content.decode())


def read_sample_texts(connection: Connection, key: SampleKey) -> dict[tuple[Side, int], str]:
    """Return the texts of a sample's documents by side and index, without damaged ones."""
    counts: Counter[Side] = Counter()
    found = {}
    of_sample = {"dataset": key.dataset, "sample": key.id}
    for name, sha256, content in connection.execute(_OF_SAMPLE, of_sample):
        side = Side(name)
        if not find_text_damage(content, sha256):
            found[side, counts[side]] = content.decode()
        counts[side] += 1
    return found


def read_segments(
    connection: Connection, boundaries: Any, sha256: str, *, length: int
) -> tuple[Segment, ...]:
    """Return the segments of a text of `length` code points; Damaged as `read_text`."""
    try:
        return unpack(boundaries, length)
    except Damaged as error:
        raise Damaged(f"{error.message}: {name_document(connection, sha256)}", RESTORE) from error


def hash_placements(placed: Iterable[tuple[str, str]]) -> str:
    """Return one hash for the documents of a sample in order, each as (side, hash of its text)."""
    parts = (f"{side}:{sha256}" for side, sha256 in placed)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def require_placements(key: SampleKey, placed: Iterable[tuple[str, str]], digest: str) -> None:
    """Raise Damaged if a sample does not have the documents that were imported with it."""
    if hash_placements(placed) != digest:
        says = "the sample's documents are not those that were imported with it"
        raise Damaged(f"sample {str(key)!r} is damaged: {says}", RESTORE)


def find_altered_texts(connection: Connection) -> Iterator[str]:
    """Yield a message for each text, and each sample, that is not as it was imported."""
    rows = connection.execute(_TEXTS, execution_options={"yield_per": 100})
    for sha256, content in rows:
        # A value of a wrong type is found with those of other tables.
        if isinstance(content, bytes) and (problem := find_text_damage(content, sha256)):
            yield f"{problem}: {name_document(connection, sha256)}"
    rows = connection.execute(_PLACED, execution_options={"yield_per": 100})
    for _, group in groupby(rows, key=itemgetter(0)):
        placed = list(group)
        _, dataset, external, digest, *_ = placed[0]
        hashes = [(row[4], row[5]) for row in placed if row[4] is not None]
        try:
            require_placements(SampleKey(dataset, external), hashes, digest)
        except Damaged as error:
            yield error.message


def name_document(connection: Connection, sha256: str) -> str:
    """Return the hash of a document, and the first sample that has it."""
    rows = connection.execute(_SAMPLES_OF, {"sha256": sha256})
    samples = [f"{dataset}/{sample}" for dataset, sample in rows]
    more = " and others" if len(samples) > 1 else ""
    where = f"sample {samples[0]!r}{more}" if samples else "no sample"
    return f"{where}, document {sha256}"
