"""What machines propose of a sample, beside what somebody marked; which of both keys are at."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft.sheet import Sheet

DECLINE: Final = "decline"
"""What is asked while the bar holds why a suggestion is refused."""

DECLINING: Final = ("supported", "wrong extent", "wrong label", "unimportant")
"""Why a suggestion is refused, in the order of the digits; 0 asks for own words."""


@dataclass
class Offered(Sheet):
    """One sample with its annotations and the suggestions for it.

    Attributes:
        focused: id of the annotation or suggestion in focus; empty for none.
        suggestions: what machines propose and nobody answered yet, in reading order.
        hiding: they are not shown, and no key is at them.
        answering: by the id of a suggestion whose answer is on its way to the store, the annotation
            that is made of it; None for a refusal.
        regarded: ids of suggestions that were in focus.
        changing: the suggestion that is being made an annotation of, with changes.
    """

    focused: str = ""
    suggestions: tuple[Suggestion, ...] = ()
    hiding: bool = False
    answering: dict[str, Annotation | None] = field(default_factory=dict)
    regarded: set[str] = field(default_factory=set)
    changing: Suggestion | None = None

    @property
    def offered(self) -> Sequence[Suggestion]:
        """The suggestions that are open and shown, in reading order."""
        if self.hiding:
            return ()
        if not self.answering:
            return self.suggestions
        return [one for one in self.suggestions if one.id not in self.answering]

    @property
    def focused_annotation(self) -> Annotation | None:
        """The annotation in focus."""
        return next((known for known in self.annotations if known.id == self.focused), None)

    @property
    def focused_suggestion(self) -> Suggestion | None:
        """The suggestion in focus."""
        if not self.focused:
            return None
        return next((one for one in self.offered if one.id == self.focused), None)

    @property
    def in_focus(self) -> Annotation | Suggestion | None:
        """What keys are at: an annotation, or a suggestion."""
        return self.focused_annotation or self.focused_suggestion
