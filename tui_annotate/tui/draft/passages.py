"""What a digit saves while a passage is selected beside a sentence that is judged.

The passage is taken as evidence first, as Space would take it; in all other samples it is not.
"""

from __future__ import annotations

from typing import NamedTuple

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.items import JUDGED
from tui_annotate.domain.samples import Kind, Side
from tui_annotate.tui.draft.state import Draft


class Hand(NamedTuple):
    """What the next save would hold: a claim, its evidence; one of them may be empty."""

    claim: tuple[Anchor, ...]
    evidence: tuple[Anchor, ...]


def passage(draft: Draft) -> Anchor | None:
    """The selection of the source that a digit takes along; None for none."""
    selecting = draft.side is Side.SOURCE and draft.selection is not None
    return draft.here(Side.SOURCE) if selecting and draft.sample.kind in JUDGED else None


def alone(draft: Draft) -> bool:
    """Whether the passage is saved without a claim: nobody chose one, nothing was taken for one.

    In citations only: what is told of a report elsewhere are marks of its own text.
    """
    chosen = draft.pointers[Side.SUMMARY].selection or draft.evidence or draft.editing
    return draft.sample.kind is Kind.CITATION and not chosen and passage(draft) is not None


def hand(draft: Draft) -> Hand:
    """What the next save would hold, the evidence in order."""
    found = passage(draft)
    evidence = {*draft.evidence, *([found] if found else [])}
    return Hand(() if alone(draft) else draft.claim, tuple(sorted(evidence)))
