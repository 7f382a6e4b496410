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


def glances(connection: Connection, keys: Sequence[SampleKey], *, first: str = "") -> Glances:
    """What may be shown of some samples.

    Args:
        first: the name of the score whose column comes first, if there is one.
    """
    speaking = shown(connection)
    names = _names(speaking, first)
    columns = {
        (each.number, name): (names.index(name), name in each.run.low)
        for (_, name), each in speaking.items()
        if name in names
    }
    ranks = {
        (each.number, name) for (_, name), each in speaking.items() if each.run.kind is RunKind.RANK
    }
    runs = sorted({number for number, _ in ranks | columns.keys()})
    wanted = {"keys": to_json(keys), "runs": to_json(runs)}
    values: dict[int, list[float | None]] = {}
    labels: dict[int, str] = {}
    for at, run, name, value, words in connection.execute(_READ, wanted) if runs else ():
        said = (run, name)
        if value is not None and (column := columns.get(said)):
            good = 1.0 - value if column[1] else value
            mine = values.setdefault(at, [None] * len(names))
            mine[column[0]] = min(max(good, 0.0), 1.0)
        if said in ranks and words in LABELS:
            labels[at] = words
    blank: Sequence[float | None] = [None] * len(names)
    return Glances(
        names,
        bool(ranks),
        {
            keys[at]: Glance(tuple(values.get(at, blank)), labels.get(at, ""))
            for at in values.keys() | labels.keys()
        },
    )


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
