"""After a sample for practice: what one marked and rated beside what is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.practising import Feedback
from tui_annotate.domain.samples import Sample
from tui_annotate.tui.dialogs.message import Reader
from tui_annotate.tui.lines import shown, wrapped
from tui_annotate.tui.words import Words

_FOUND, _OTHER, _MISSED, _EXTRA = "✓", "≈", "✗", "+"
"""Before what is right, is right but for the label, was missed, is too much."""


class FeedbackDialog(Reader):
    """Found first, then missed, then extra; Enter goes on."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", "close", show=False)]

    def __init__(self, feedback: Feedback, sample: Sample) -> None:
        super().__init__(
            f"Practice: {len(feedback.hits)} found, {len(feedback.missed)} missed,"
            f" {len(feedback.extra)} that nobody expected"
        )
        self._feedback, self._sample = feedback, sample

    def lines(self, cells: int) -> list[list[Words]]:
        """The rating; what was found, with what is right under it; what was missed; extra."""
        lines = self._ratings()
        for mine, right in self._feedback.hits:
            alike = set(mine.labels) == set(right.labels)
            sign, role = (_FOUND, "good") if alike else (_OTHER, "accent")
            lines += self._told(f"{sign} yours ", mine, role, cells=cells)
            lines += self._told("  right ", right, "text", cells=cells)
        for each in self._feedback.missed:
            lines += self._told(f"{_MISSED} missed ", each, "warning", cells=cells)
        for each in self._feedback.extra:
            lines += self._told(f"{_EXTRA} extra ", each, "quiet", cells=cells)
        return lines or [[("There is nothing to mark here, and you marked nothing.", "good")]]

    def _ratings(self) -> list[list[Words]]:
        """One's rating over the right one, where that is known."""
        rated, rating = self._feedback.rated, self._feedback.rating
        if not rating:
            return []
        if rated == rating:
            return [[(f"{_FOUND} yours rated {shown(rated)}", "good")]]
        return [
            [
                (
                    f"{_OTHER} yours rated {shown(rated)}" if rated else f"{_MISSED} not rated",
                    "warning",
                )
            ],
            [(f"  right rated {shown(rating)}", "text")],
        ]

    def _told(
        self, head: str, annotation: Annotation, role: str, *, cells: int
    ) -> list[list[Words]]:
        """An annotation: its words, its labels, its note."""
        parts = " … ".join(
            " ".join(anchor.span.of(self._sample.side(anchor.side)[anchor.index].text).split())
            for anchor in annotation.claim or annotation.evidence
        )
        labels = ", ".join(path[-1] for path in annotation.labels if path) or "no label"
        note = f" · {annotation.note}" if annotation.note else ""
        text = shown(" ".join(f'"{parts}" {labels}{note}'.split()))
        room = max(cells - len(head) - 1, 1)
        found = wrapped(text, room)
        return [
            [(head if not at else " " * len(head), role), (piece, role)]
            for at, piece in enumerate(found)
        ]

    def keys(self) -> Sequence[tuple[str, str]]:
        """How to scroll, and on."""
        return [("↑↓", "scroll"), ("Enter", "go on")]
