"""Dialog after a practice sample: the annotator's work next to the expected work."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.line_text import line_text
from tui_annotate.domain.practice_feedback import PracticeFeedback
from tui_annotate.domain.samples import Sample
from tui_annotate.tui.dialogs.frame import Keys
from tui_annotate.tui.dialogs.message import ScrollDialog
from tui_annotate.tui.dialogs.texts import DialogText, KeyName
from tui_annotate.tui.row_widgets import Words, wrap_words

_FOUND = "✓"
_OTHER = "≈"
_MISSED = "✗"
_EXTRA = "+"
"""Glyphs of a practice sample's annotations: correct, correct except the label, missed, extra."""


class FeedbackDialog(ScrollDialog):
    """A dialog that shows which annotations of a practice sample were found, missed or extra."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "close", "close", show=False)]

    keys: Keys = (("↑↓", KeyName.SCROLL), ("Enter", KeyName.CONTINUE))

    def __init__(self, feedback: PracticeFeedback, sample: Sample) -> None:
        super().__init__(
            DialogText.EXPECTED.text(
                found=len(feedback.hits), missed=len(feedback.missed), extra=len(feedback.extra)
            )
        )
        self._feedback = feedback
        self._sample = sample

    def lines(self, cells: int) -> list[list[Words]]:
        """Return the ratings, then the found, missed and extra annotations."""
        lines = self._render_ratings()
        for own, right in self._feedback.hits:
            alike = set(own.labels) == set(right.labels)
            sign, role = (_FOUND, "good") if alike else (_OTHER, "accent")
            lines += self._render_annotation((sign, DialogText.YOURS), own, role, cells=cells)
            lines += self._render_annotation((" ", DialogText.RIGHT), right, "text", cells=cells)
        for each in self._feedback.missed:
            lines += self._render_annotation(
                (_MISSED, DialogText.MISSED), each, "warning", cells=cells
            )
        for each in self._feedback.extra:
            lines += self._render_annotation((_EXTRA, DialogText.EXTRA), each, "quiet", cells=cells)
        return lines or [[(DialogText.NOTHING_EXPECTED.text(), "good")]]

    def _render_ratings(self) -> list[list[Words]]:
        rated = self._feedback.rated
        rating = self._feedback.rating
        if not rating:
            return []
        own = DialogText.YOURS_RATED.text(rating=line_text(rated))
        if rated == rating:
            return [[(f"{_FOUND} {own}", "good")]]
        wrong = f"{_OTHER} {own}" if rated else f"{_MISSED} {DialogText.NOT_RATED.text()}"
        right = DialogText.RIGHT_RATED.text(rating=line_text(rating))
        return [[(wrong, "warning")], [(f"  {right}", "text")]]

    def _render_annotation(
        self, head: tuple[str, DialogText], annotation: Annotation, role: str, *, cells: int
    ) -> list[list[Words]]:
        parts = " … ".join(
            " ".join(anchor.span.of(self._sample.side(anchor.side)[anchor.index].text).split())
            for anchor in annotation.claim or annotation.evidence
        )
        names = ", ".join(path[-1] for path in annotation.labels if path)
        labels = names or DialogText.NO_LABEL.text()
        note = f" · {annotation.note}" if annotation.note else ""
        text = line_text(" ".join(f'"{parts}" {labels}{note}'.split()))
        sign, name = head
        return wrap_words([(f"{sign} {name.text()} ", role)], (text, role), cells - 1)
