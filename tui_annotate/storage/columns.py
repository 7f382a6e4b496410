"""The tables by their names alone, for queries; what they are stands in `storage.tables`.

Importing SQLModel costs as much as the rest of a start together (130 of 400 ms), and no query needs
it. A test holds the two files together.
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import TableClause, column, table


def _table(name: str, columns: str) -> TableClause:
    return table(name, *map(column, columns.split()))


PEOPLE: Final = _table("people", "id name kind created")
TEXTS: Final = _table("texts", "kind hash text created")
DATASETS: Final = _table("datasets", "id name labels guidelines created")
DOCUMENTS: Final = _table("documents", "id sha256 language segmenter segments boundaries text")
SAMPLES: Final = _table(
    "samples",
    "id dataset_id external kind group digest source summary request meta imported",
)
SAMPLE_DOCUMENTS: Final = _table("sample_documents", "sample_id ordinal document_id side key title")
ANNOTATIONS: Final = _table("annotations", "id person sample_id number origin note updated payload")
TOMBSTONES: Final = _table("tombstones", "id dataset")
ASSIGNMENTS: Final = _table(
    "assignments",
    "person sample_id state finished rating comment seconds updated annotations seq head",
)
EVENTS: Final = _table(
    "events",
    "arrival id person dataset sample seq verb before after undoes batch at seconds versions app"
    " prev hash",
)
ORDERS: Final = _table("orders", "id name filled until")
RANKS: Final = _table("ranks", "order_id bucket value sample_id")
TALLIES: Final = _table("tallies", "order_id person bucket count")
EMBEDDED: Final = _table("embedded", "vectors sha256 unknown")
VECTOR_SETS: Final = _table(
    "vector_sets",
    "vectors embedder label version segmenter dimensions token_dimensions instant base_url"
    " asked_dimensions loose created",
)
SETTINGS: Final = _table("settings", "name value")
PLACES: Final = _table("places", "person sample_id value updated")
PREFERENCES: Final = _table("preferences", "person name value")
ACCOUNTS: Final = _table(
    "accounts", "person email role hash active must_change epoch unix created changed"
)
SESSIONS: Final = _table(
    "sessions", "id token person means client epoch created seen expires ended"
)
ATTEMPTS: Final = _table("attempts", "scope failures last until")
INVITES: Final = _table("invites", "code person expires used")
SSH_KEYS: Final = _table("ssh_keys", "fingerprint person line created")
HANDOUTS: Final = _table("handouts", "id at by kind dataset request undone")
ALLOTMENTS: Final = _table("allotments", "person sample_id rank handout practice")
POOL: Final = _table("pool", "sample_id dataset_id value room")
POOL_COUNTS: Final = _table("pool_counts", "dataset_id person count")
DATASET_SETTINGS: Final = _table("dataset_settings", "dataset_id name value")
EDITIONS: Final = _table("editions", "id kind dataset hash at by")
LABEL_CHANGES: Final = _table(
    "label_changes", "id dataset kind request before after batch arrival undone at by"
)
REMARKS: Final = _table("remarks", "id dataset sample author reader answers text at")
PRESENCES: Final = _table("presences", "person holder since seen")
RUNS: Final = _table(
    "runs", "number id dataset_id kind maker parameters embedder low names at by finished"
)
SCORES: Final = _table("scores", "sample_id run name extra raw value text parts of")
REPLIES: Final = _table("replies", "key reply about at")
SUGGESTIONS: Final = _table("suggestions", "id sample_id run maker payload")
ANSWERS: Final = _table("answers", "person sample_id suggestion answer payload")
