"""What there is for review: whose work on a sample counts, and which samples have enough of it.

Work counts of who is done with the sample. An import that does not tell how far people were counts
as done where they marked something. Second readings and practice do not count.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, text

from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import SETTLED, PersonKind, reader
from tui_annotate.domain.samples import SampleKey
from tui_annotate.storage.statements import worked_on

ENOUGH: Final = 2
"""People whose work makes a sample one for review, also where more are to annotate it."""

_COUNTS: Final = f"""
    FROM assignments a JOIN people p ON p.id = a.person
    WHERE a.person <> '{SETTLED}' AND p.kind <> '{PersonKind.AGAIN}'
    AND (a.state = '{State.DONE}'
      OR (a.state = '{State.NEW}' AND (a.annotations > 0 OR a.rating <> '')))
    AND NOT EXISTS (SELECT 1 FROM allotments t
      WHERE t.person = a.person AND t.sample_id = a.sample_id AND t.practice)
"""  # noqa: S608  constants alone
_FINISHED: Final = text(f"SELECT a.person {_COUNTS} AND a.sample_id = :sample_id ORDER BY a.person")
_ALL_FINISHED: Final = text(f"SELECT a.sample_id, a.person, a.head {_COUNTS}")
_TOUCHED: Final = text(
    f"SELECT sample_id, person FROM assignments a WHERE {worked_on('a')}"  # noqa: S608  constants
)
_ALLOTTED: Final = text("SELECT sample_id, person FROM allotments WHERE NOT practice")
_SETTLED: Final = text("SELECT sample_id, state FROM assignments WHERE person = :settled")
_SAMPLES: Final = text(
    'SELECT s.id, d.name, s.external, s."group", s.summary'
    " FROM samples s JOIN datasets d ON d.id = s.dataset_id ORDER BY s.id"
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sample that review settles, or settled.

    Attributes:
        finished: whose work counts, sorted; with the heads of their streams, which tell whether
            anything of it changed.
        pending: who is still to annotate it.
        workers: everybody who did anything on it, at whichever reading.
        state: how far review is.
    """

    key: SampleKey
    group: str
    summary: str
    finished: tuple[tuple[str, str], ...]
    pending: frozenset[str]
    workers: frozenset[str]
    state: State


def finished(connection: Connection, sample_id: int) -> list[str]:
    """The people whose work on a sample counts, sorted."""
    return list(connection.execute(_FINISHED, {"sample_id": sample_id}).scalars())


def candidates(connection: Connection) -> Iterator[Candidate]:
    """The samples with enough work for review, and those that it began or settled, as they came."""
    counted: dict[int, list[tuple[str, str]]] = defaultdict(list)
    for sample_id, person, head in connection.execute(_ALL_FINISHED):
        counted[sample_id].append((person, head))
    allotted = _by_sample(connection.execute(_ALLOTTED))
    workers = _by_sample(connection.execute(_TOUCHED))
    states = {row[0]: State(row[1]) for row in connection.execute(_SETTLED, {"settled": SETTLED})}
    for sample_id, dataset, external, group, summary in connection.execute(_SAMPLES):
        done = counted.get(sample_id, [])
        pending = allotted.get(sample_id, set()) - {person for person, _ in done}
        complete = sample_id in allotted and not pending
        state = states.get(sample_id, State.NEW)
        if state is not State.NEW or len(done) >= ENOUGH or (done and complete):
            yield Candidate(
                SampleKey(dataset, external),
                group,
                summary,
                tuple(sorted(done)),
                frozenset(pending),
                frozenset(map(reader, workers.get(sample_id, ()))),
                state,
            )


def _by_sample(rows: Iterable[Any]) -> dict[int, set[str]]:
    found: dict[int, set[str]] = defaultdict(set)
    for sample_id, person in rows:
        found[sample_id].add(person)
    return found
