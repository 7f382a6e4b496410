"""Reads what lists show of machines' words; as fast as a page of the queue, which waits for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.glances import LABELS, MOST, Glance, Glances
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.scores.runs import StoredRun, shown

_READ: Final = text("""
    SELECT k.key, c.run, c.name, c.value, c.text
    FROM json_each(:keys) k
    JOIN datasets d ON d.name = k.value ->> 0
    JOIN samples s ON s.dataset_id = d.id AND s.external = k.value ->> 1
    JOIN scores c ON c.sample_id = s.id AND c.run IN (SELECT value FROM json_each(:runs))
    WHERE c.extra = 0
""")
_NOTHING: Final = (None, False, False)  # another run says that now


def glances(connection: Connection, keys: Sequence[SampleKey], *, first: str = "") -> Glances:
    """What may be shown of some samples.

    Args:
        first: the name of the score whose column comes first, if there is one.
    """
    speaking = shown(connection)
    names = _names(speaking, first)
    plan = {
        (each.number, name): (
            names.index(name) if name in names else None,
            name in each.run.low,
            each.run.kind is RunKind.RANK,
        )
        for (_, name), each in speaking.items()
        if name in names or each.run.kind is RunKind.RANK
    }
    if not plan:
        return Glances()
    wanted = {"keys": to_json(keys), "runs": to_json(sorted({number for number, _ in plan}))}
    values: list[list[float | None]] = [[None] * len(names) for _ in keys]
    labels = [""] * len(keys)
    said: set[int] = set()
    for at, run, name, value, words in connection.execute(_READ, wanted):
        column, low, ranked = plan.get((run, name), _NOTHING)
        if column is not None and value is not None:
            values[at][column] = min(max(1.0 - value if low else value, 0.0), 1.0)
            said.add(at)
        if ranked and words in LABELS:
            labels[at] = words
            said.add(at)
    found = {keys[at]: Glance(tuple(values[at]), labels[at]) for at in said}
    return Glances(names, any(ranked for _, _, ranked in plan.values()), found)


def _names(speaking: dict[tuple[int, str], StoredRun], first: str) -> tuple[str, ...]:
    """The columns: what is asked for, then what is said of most, the newest first; labels not."""
    said: Counter[str] = Counter()
    newest: dict[str, int] = {}
    for (_, name), each in speaking.items():
        if name in each.valued and (each.run.kind is not RunKind.RANK or name == first):
            said[name] += each.valued[name]
            newest[name] = max(newest.get(name, 0), each.number)
    line = sorted(said, key=lambda name: (name != first, -said[name], -newest[name], name))
    return tuple(line[:MOST])


def orderable(connection: Connection) -> tuple[str, ...]:
    """The names of the scores by which the queue can be ordered, sorted."""
    return tuple(
        sorted({name for (_, name), each in shown(connection).items() if name in each.valued})
    )
