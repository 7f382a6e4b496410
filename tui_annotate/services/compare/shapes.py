"""What was found as values of JSON and as rows of a table, for programs and for papers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tui_annotate.methods.agreement import Undefined
from tui_annotate.methods.bootstrap import DRAWS, LEVEL, SEED
from tui_annotate.methods.detection import Figure
from tui_annotate.services.compare import Comparison, Machine

COLUMNS: Final = (
    "machine", "maker", "measure", "value", "low", "high", "n", "missing", "better", "direction",
    "threshold", "threshold_from", "note",
)  # fmt: skip
BOOTSTRAP: Final = {"level": LEVEL, "draws": DRAWS, "seed": SEED}
"""How intervals are made: 95 in 100, from so many draws."""

_DIGITS: Final = 4


def as_json(found: Comparison) -> dict[str, Any]:
    """All of it; a measure without a value has null, and `undefined` says why."""
    asked = found.asked
    return {
        "dataset": asked.dataset,
        "against": asked.against,
        "unwanted": list(asked.unwanted),
        "pool": asked.pool.value,
        "unmarked_clean": asked.clean,
        "samples": found.samples,
        "judged": found.unsupported + found.supported,
        "unsupported": found.unsupported,
        "supported": found.supported,
        "bootstrap": BOOTSTRAP,
        "machines": [_machine(each) for each in found.machines],
        "left_out": [
            {"what": what, "reason": reason, "count": count}
            for what, reason, count in left_out(found)
        ],
    }


def left_out(found: Comparison) -> Iterator[tuple[str, str, int]]:
    """(what, why, how many) of all that did not count; a reading is a person's work on a sample."""
    for what, counts in {"samples": found.left, "readings": found.work}.items():
        for reason, count in counts.items():
            yield what, reason, count


def rows(found: Comparison) -> Iterator[tuple[str | float, ...]]:
    """A row of `COLUMNS` for each machine and measure; cells that have no value are empty."""
    for machine in found.machines:
        told = _machine(machine)
        for each in told["measures"]:
            cells = {"machine": told["name"]} | told | each | {"note": each["undefined"]}
            yield tuple("" if cells[name] is None else cells[name] for name in COLUMNS)


def _machine(machine: Machine) -> dict[str, Any]:
    how = machine.detected
    return {
        "name": machine.name,
        "maker": machine.maker,
        "run": machine.run,
        "n": machine.n,
        "missing": machine.missing,
        "not_numbers": machine.odd,
        "better": "low" if machine.low else "high",
        "direction": machine.direction.value,
        "threshold": machine.threshold,
        "threshold_from": machine.cut.value,
        "hits": how.hits,
        "misses": how.misses,
        "false_alarms": how.alarms,
        "passes": how.passes,
        "measures": [_figure(name, figure) for name, figure in how.figures.items()],
    }


def _figure(name: str, figure: Figure) -> dict[str, Any]:
    value, between = figure.value, figure.interval
    undefined = isinstance(value, Undefined)
    return {
        "measure": name,
        "value": None if isinstance(value, Undefined) else round(value, _DIGITS),
        "low": round(between.low, _DIGITS) if between and not undefined else None,
        "high": round(between.high, _DIGITS) if between and not undefined else None,
        "undefined": value.reason if isinstance(value, Undefined) else "",
    }
