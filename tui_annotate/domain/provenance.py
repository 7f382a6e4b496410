"""The machine suggestion from which an annotation was created, stored with the annotation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The suggestion behind an annotation.

    Attributes:
        suggestion: id of the suggestion.
        maker: name of the machine that made it.
        score: the machine's score of it; None if it gave none.
        changed: whether the annotator changed it.
    """

    suggestion: str
    maker: str
    score: float | None = None
    changed: bool = False


def provenance_to_json(provenance: Provenance) -> dict[str, Any]:
    """Convert to the JSON object that an annotation has in its field `suggested`."""
    return asdict(provenance)


def provenance_from_json(value: Any) -> Provenance:
    """Parse the suggestion behind an annotation from JSON; ValueError for another form."""
    if not isinstance(value, Mapping):
        raise ValueError("the field 'suggested' is not a JSON object")
    name = value.get("suggestion")
    maker = value.get("maker")
    changed = value.get("changed")
    if not (isinstance(name, str) and name and isinstance(maker, str) and maker):
        raise ValueError("the field 'suggested' needs the non-empty texts 'suggestion' and 'maker'")
    if not isinstance(changed, bool):
        raise ValueError("the field 'changed' of 'suggested' must be true or false")
    return Provenance(
        suggestion=name, maker=maker, score=parse_score(value.get("score")), changed=changed
    )


def parse_score(value: Any) -> float | None:
    """Return a score from JSON: a number in [0, 1] or None; ValueError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"the score {value!r} is not a number")
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise ValueError(f"the score {value!r} is not between 0 and 1")
    return float(value)
