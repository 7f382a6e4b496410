"""Gathers what is told of handed-out work."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tui_annotate.domain.handouts import Escalation, HandoutKind, Pool, Practice
from tui_annotate.services.share.report import Given, Ruled, Shown, Stand
from tui_annotate.storage.shares import standing
from tui_annotate.storage.shares.store import Sharing


def shown(store: Sharing, names: Mapping[str, str], *, dataset: str = "") -> Shown:
    """All that is handed out, or what is of one dataset; people by `names`."""
    stands = [
        Stand(row.dataset, row.person, names.get(row.person, row.person), *row[2:])
        for row in standing.stands(store.connection, dataset)
    ]
    ruled = [
        Ruled(name, _words(rule, names), standing.waiting(store.connection, name, rule))
        for name, rule in standing.rules(store.connection, dataset)
    ]
    given = [
        Given(
            each.id,
            each.at,
            names.get(each.by, each.by),
            each.kind.value,
            each.dataset,
            _asked(each.request, names),
            each.undone,
        )
        for each in store.handouts()
        if dataset in ("", each.dataset)
    ]
    return Shown(tuple(stands), tuple(ruled), tuple(given))


def _asked(request: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """What was asked for; it is kept with ids, so that a pseudonym stands here too."""
    asked = {key: value for key, value in request.items() if key != "rows"}
    for key in asked.keys() & {"from", "gold"}:
        asked[key] = names.get(asked[key], asked[key])
    if "to" in asked:
        asked["to"] = [names.get(each, each) for each in asked["to"]]
    return asked


def _words(rule: Pool | Escalation | Practice, names: Mapping[str, str]) -> str:
    if isinstance(rule, Pool):
        return f"{HandoutKind.POOL}: {rule.overlap} people a sample, {rule.order}"
    if isinstance(rule, Escalation):
        return f"{HandoutKind.ESCALATE}: {rule.add} more where people {rule.when}"
    gold = names.get(rule.person, rule.person) if rule.person else rule.origin
    return f"{HandoutKind.PRACTICE}: answers of {gold}"
