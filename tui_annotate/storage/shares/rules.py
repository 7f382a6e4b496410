"""The rules by which datasets are worked on: drawn from, escalated, practised on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.handouts import Escalation, HandoutKind, Pool, Practice
from tui_annotate.storage.shares import allotments, pools
from tui_annotate.storage.shares.allotments import Allotted
from tui_annotate.storage.shares.escalation import Disabled, escalate_all, nobody
from tui_annotate.storage.shares.store import Sharing

_Rule = Pool | Escalation | Practice


def set_pool(sharing: Sharing, dataset: str, pool: Pool) -> int:
    """People draw from a dataset from now on, under this rule alone; the handout's number.

    Raises:
        NotFound: there is no such dataset.
        Conflict: it is for practice.
    """
    request = {"overlap": pool.overlap, "order": pool.order}
    number = sharing.apply(HandoutKind.POOL, dataset, rows=(), request=request)
    made = replace(pool, handout=number)
    _keep(sharing, dataset, made)
    pools.fill(sharing.connection, sharing.dataset_row(dataset), made)
    return number


def set_escalation(sharing: Sharing, dataset: str, rule: Escalation) -> int:
    """People are added where others disagree, from now on; the handout's number.

    Raises:
        NotFound: there is no such dataset.
    """
    sharing.dataset_row(dataset)
    request = {"when": rule.when.value, "add": rule.add}
    number = sharing.handout(HandoutKind.ESCALATE, dataset, request)
    _keep(sharing, dataset, replace(rule, handout=number))
    return number


def set_practice(
    sharing: Sharing, dataset: str, rule: Practice, *, rows: Sequence[Allotted], to: Sequence[str]
) -> int:
    """A dataset is for practice from now on, and these people have it; the handout's number.

    Args:
        to: their ids, as they were asked for.

    Raises:
        NotFound: there is no such dataset.
        Conflict: it is handed out for real work.
    """
    request = {"to": list(to), "gold": rule.person or rule.origin}
    number = sharing.apply(HandoutKind.PRACTICE, dataset, rows=rows, request=request)
    _keep(sharing, dataset, replace(rule, handout=number))
    return number


def escalate_now(sharing: Sharing, dataset: str, *, disabled: Disabled = nobody) -> tuple[int, int]:
    """What the rule of a dataset asks for now: samples that go to more people, and that wait.

    Raises:
        NotFound: there is no such dataset, or it has no such rule.
    """
    if sharing.rule(sharing.dataset_row(dataset), HandoutKind.ESCALATE) is None:
        raise NotFound(
            f"dataset {dataset!r} has no rule of escalation",
            "make one: tui-annotate assign escalate --dataset NAME --when differ",
        )
    return escalate_all(sharing.connection, dataset, disabled=disabled)


def _keep(sharing: Sharing, dataset: str, rule: _Rule) -> None:
    kinds = {Pool: HandoutKind.POOL, Escalation: HandoutKind.ESCALATE}
    name = kinds.get(type(rule), HandoutKind.PRACTICE)
    row = sharing.dataset_row(dataset)
    allotments.keep_setting(sharing.connection, row, name, value=asdict(rule))
