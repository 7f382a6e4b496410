"""Suggestions of machines as the values that widgets show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft.makers import maker_words
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.palette import SUGGESTED
from tui_annotate.tui.widgets.annotation_list import AnnotationRow
from tui_annotate.tui.widgets.document_pane import Mark

LONGEST: Final = 400
"""Characters of a text that a row is given; it shows fewer."""


def counted(draft: Draft) -> str:
    """How many suggestions are open, and that they are hidden; empty for none."""
    if draft.hiding:
        return f"{len(draft.suggestions)} hidden" if draft.suggestions else ""
    return many(number, "suggestion") if (number := len(draft.offered)) else ""


def listed(draft: Draft, kept: dict[str, AnnotationRow]) -> Iterator[AnnotationRow]:
    """Those that are shown, in reading order.

    Args:
        kept: rows by ids, as they were made for the same texts and labels; grows.
    """
    for one in draft.offered:
        if one.id not in kept:  # 200 of them would take half a frame at each key
            kept[one.id] = _row(draft, one)
        row = kept[one.id]
        yield replace(row, focused=True) if one.id == draft.focused else row


def _row(draft: Draft, one: Suggestion) -> AnnotationRow:
    return AnnotationRow(
        letter=SUGGESTED,
        labels=draft.label_names(one.labels),
        claim=texts(draft, one.claim or one.evidence),
        evidence=len(one.evidence),
        note=" ".join(one.note[:LONGEST].split()),
        draft_reason="",
        focused=False,
        colour_slot=0,
        maker=maker_words(one),
    )


def texts(draft: Draft, anchors: Sequence[Anchor]) -> str:
    """What is marked, joined, on one line."""
    found = (
        draft.text(anchor.side, anchor.index)[anchor.span.start : anchor.span.end][:LONGEST]
        for anchor in anchors
    )
    return " … ".join(" ".join(text.split()) for text in found)


def marks(draft: Draft, side: Side, at: int) -> Iterator[Mark]:
    """Claims on a document of the summary; on one of the source, evidence of the one in focus."""
    here = draft.focused_suggestion
    shown = draft.offered if side is Side.SUMMARY else (here,) if here else ()
    for one in shown:
        focused = one.id == draft.focused
        for anchor in one.claim if side is Side.SUMMARY else one.evidence:
            if anchor.index == at:
                yield Mark(anchor.span, SUGGESTED, focused=focused, suggested=True)
