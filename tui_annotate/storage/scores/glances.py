"""Reads what lists show of machines' words; as fast as a page of the queue, which waits for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, text

from tui_annotate.domain.glances import LABELS, MOST, Glance, Glances
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind
from tui_annotate.storage.codec import to_json
from tui_annotate.storage.scores.runs import StoredRun, shown

_READ: Final = text("""
    SELECT d.name, s.external, c.run, c.name, c.value, c.text
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
    places = {name: at for at, name in enumerate(names)}
    low = {(each.number, name) for (_, name), each in speaking.items() if name in each.run.low}
    says = {(each.number, name) for (_, name), each in speaking.items()}
    ranked = {each.number for each in speaking.values() if each.run.kind is RunKind.RANK}
    found: dict[SampleKey, Glance] = {}
    blank = Glance((None,) * len(names))
    wanted = {"keys": to_json(keys), "runs": to_json(sorted({number for number, _ in says}))}
    for dataset, sample, run, name, value, words in connection.execute(_READ, wanted):
        if (run, name) not in says:
            continue
        key = SampleKey(dataset, sample)
        before = found.get(key, blank)
        values, label = before.values, before.label
        if name in places and value is not None:
            at = places[name]
            clamped = min(max(value, 0.0), 1.0)
            good = 1.0 - clamped if (run, name) in low else clamped
            values = (*values[:at], good, *values[at + 1 :])
        if run in ranked and words in LABELS:
            label = words
        found[key] = Glance(values, label)
    return Glances(names, found)


def _names(speaking: dict[tuple[int, str], StoredRun], first: str) -> tuple[str, ...]:
    """The columns: the score that is asked for, then those that were made last; labels not."""
    newest: dict[str, int] = {}
    for (_, name), each in speaking.items():
        if name in each.valued and (each.run.kind is not RunKind.RANK or name == first):
            newest[name] = max(newest.get(name, 0), each.number)
    line = sorted(newest, key=lambda name: (name != first, -newest[name], name))
    return tuple(line[:MOST])


def orderable(connection: Connection) -> tuple[str, ...]:
    """The names of the scores by which the queue can be ordered, sorted."""
    return tuple(
        sorted({name for (_, name), each in shown(connection).items() if name in each.valued})
    )
