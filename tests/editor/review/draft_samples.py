"""Samples in review, and the keys that act on them."""

from __future__ import annotations

from dataclasses import replace

from tests.editor.draft_samples import INTRINSIC, SOURCE, SUMMARY, draft
from tui_annotate.domain.adjudication import Adjudication, RejectionReason, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, REJECTED, Anchor, Annotation, LabelPath
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.effects import (
    Effects,
)
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.review import key_handlers
from tui_annotate.editor.review.press import press
from tui_annotate.editor.review.state import ReviewDraft
from tui_annotate.methods.adjudication import group_candidates

BENIGN: LabelPath = ("Benign",)
Said = dict[str, list[Annotation]]


def one(
    name: str, words: str, label: LabelPath = INTRINSIC, *, note: str = "", evidence: str = ""
) -> Annotation:
    """An annotation of words of the summary."""
    at = SUMMARY.index(words)
    claim = (Anchor(Side.SUMMARY, 0, Span(at, at + len(words))),)
    start = SOURCE.index(evidence) if evidence else 0
    found = (Anchor(Side.SOURCE, 0, Span(start, start + len(evidence))),) if evidence else ()
    return Annotation(name, claim, found, (label,), note)


TWO: Said = {
    "A": [one("a1", "was loved", note="no"), one("a2", "15 million", evidence="The budget")],
    "B": [one("b1", "loved"), one("b2", "15 million")],
}
"""Nearly, then agreed."""


def judging(said: Said, *settled: Annotation, blocked_reason: str = "") -> ReviewDraft:
    """A sample in review."""
    made = draft()
    made_of = {name: getattr(made, name) for name in ("sample", "segments", "tree", "new_id")}
    return ReviewDraft(
        **made_of,
        groups=group_candidates(made.sample, said),
        settled=settled,
        annotations=tuple(known for known in settled if known.origin == ADJUDICATED),
        people=tuple(said),
        blocked_reason=blocked_reason,
    )


def keys(on: ReviewDraft, pressed: str) -> Effects:
    """Keys as the key table has them; what the last of them asks for."""
    effects: Effects = []
    for key in pressed.split():
        found = (default_keys().action(key, state) for state in on.key_states)
        action = next(filter(None, found), "")
        digit = key if action.startswith("option.") else ""
        effects = press(on, action, digit=digit) if action else []
    return effects


def at(number: int, said: Said, *settled: Annotation) -> ReviewDraft:
    """A sample in review with one of its places in hand."""
    on = judging(said, *settled)
    key_handlers.show_position(on, number)
    return on


def kept(source: str, *more: str, how: ReviewAction = ReviewAction.TAKEN) -> Annotation:
    """What was made of rivals."""
    names = tuple(sorted((source, *more)))
    return replace(
        one(f"of {source}", "loved"), origin=ADJUDICATED, settled=Adjudication("r", how, names)
    )


def refused(
    source: str, reason: RejectionReason = RejectionReason.SLIP, note: str = ""
) -> Annotation:
    """The refusal of a rival."""
    why = Adjudication("r", ReviewAction.REJECTED, (source,), reason, note)
    return replace(one(f"no {source}", "loved"), origin=REJECTED, settled=why)
