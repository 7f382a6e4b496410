"""What a reviewer must still decide before the adjudication of a sample can be completed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from tui_annotate.domain.adjudication import OpenKind
from tui_annotate.domain.errors import Conflict, InvalidInput

LEAVABLE = (OpenKind.CHANGED, OpenKind.COMMENTS, OpenKind.QUESTIONS)
"""Kinds that a reviewer can leave as they are without a reason."""

_HINTS = {
    OpenKind.CONFLICTS: "decide each conflict, or give a reason to reject all undecided candidates",
    OpenKind.CHANGED: "decide again what changed, or keep the earlier decisions on purpose",
    OpenKind.RATING: "choose a rating, or give a reason why no rating is accepted",
    OpenKind.COMMENTS: "write the final comment, or leave it empty on purpose",
    OpenKind.QUESTIONS: "answer the questions, or leave them unanswered on purpose",
}


@dataclass(frozen=True, slots=True)
class OpenItem:
    """One kind of undecided work on a sample.

    Attributes:
        text: names what is open, with annotators as letters, such as `rating (A Bad, B Perfect)`.
        count: number of decisions that are needed.
    """

    kind: OpenKind
    text: str
    count: int = 1


def require_answered(items: Iterable[OpenItem], answered: Collection[OpenKind]) -> None:
    """Raise Conflict, which names all open items, unless each kind of them is answered."""
    left = [item for item in items if item.kind not in answered]
    if left:
        raise Conflict(
            f"open: {'; '.join(item.text for item in left)}",
            "; ".join(_HINTS[item.kind] for item in left),
            code=f"open-{left[0].kind}",
        )


def parse_leavable(names: Iterable[str]) -> frozenset[OpenKind]:
    """Return the kinds that a reviewer leaves as they are; InvalidInput for any other word."""
    known = {kind.value: kind for kind in LEAVABLE}
    for name in names:
        if name not in known:
            raise InvalidInput(
                f"{name!r} cannot be left undecided",
                f"name any of: {', '.join(known)}",
                code="must-be-decided",
            )
    return frozenset(known[name] for name in names)
