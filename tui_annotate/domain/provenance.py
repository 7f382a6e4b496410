"""Which machine's suggestion an annotation was made from, kept with it for good."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The suggestion of an annotation; `score` in [0, 1] or None, `changed` if edited."""

    suggestion: str
    maker: str
    score: float | None = None
    changed: bool = False


def provenance_to_json(provenance: Provenance) -> dict[str, Any]:
    """As JSON values, in fixed order."""
    return asdict(provenance)


def provenance_from_json(value: Any) -> Provenance:
    """The inverse of `provenance_to_json`.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(value, Mapping):
        raise ValueError("'suggested' does not tell where it comes from")
    name, maker, changed = (value.get(key) for key in ("suggestion", "maker", "changed"))
    if not (isinstance(name, str) and name and isinstance(maker, str) and maker):
        raise ValueError("'suggested' lacks suggestion or maker")
    if not isinstance(changed, bool):
        raise ValueError("'suggested' does not tell whether it was changed")
    return Provenance(
        suggestion=name, maker=maker, score=parse_score(value.get("score")), changed=changed
    )


def parse_score(value: Any) -> float | None:
    """A score of a maker as JSON tells it: a number in [0, 1], or None.

    Raises:
        ValueError: it is something else.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the score {value!r} is no number")
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise ValueError(f"the score {value!r} is not between 0 and 1")
    return float(value)
