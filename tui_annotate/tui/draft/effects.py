"""Effects: what the screen has to do after a key, as plain values in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion


class Effect:
    """A request of the draft to the screen."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Move(Effect):
    """The cursor of a side moves by units; `extend` takes the selection's free end along."""

    side: Side
    unit: str
    step: int
    extend: bool = False


@dataclass(frozen=True, slots=True)
class SelectWord(Effect):
    """The word under the cursor becomes the selection."""

    side: Side


@dataclass(frozen=True, slots=True)
class GrowSelection(Effect):
    """The selection grows (+1) or shrinks (-1) by one step; without one it is the sentence."""

    side: Side
    step: int


@dataclass(frozen=True, slots=True)
class SwapEnds(Effect):
    """The other end of the selection becomes the free one."""

    side: Side


@dataclass(frozen=True, slots=True)
class Select(Effect):
    """The span becomes the selection; None drops the selection, the cursor stays."""

    side: Side
    span: Span | None


@dataclass(frozen=True, slots=True)
class GoTo(Effect):
    """The cursor goes to an offset of a document, without a selection, and the view follows."""

    side: Side
    document: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reveal(Effect):
    """The view scrolls to a span; the cursor stays."""

    side: Side
    document: int
    span: Span


@dataclass(frozen=True, slots=True)
class Focus(Effect):
    """A side gets the keys."""

    side: Side


@dataclass(frozen=True, slots=True)
class Blink(Effect):
    """The label bar blinks once: the key did nothing."""


@dataclass(frozen=True, slots=True)
class AskWords(Effect):
    """The words on screen are to get letters to choose them by."""

    side: Side


@dataclass(frozen=True, slots=True)
class Save(Effect):
    """Store an annotation, or a new version of it.

    Attributes:
        offer: the matches shown for its claim, without their ranking signals; None if unknown.
    """

    annotation: Annotation
    new: bool
    offer: AssistSnapshot | None = None


@dataclass(frozen=True, slots=True)
class Accept(Effect):
    """Store the annotation made of a suggestion; the annotation's id is not used."""

    suggestion: Suggestion
    annotation: Annotation
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Decline(Effect):
    """Refuse a suggestion, for a reason or none."""

    suggestion: Suggestion
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Remove(Effect):
    """Delete an annotation."""

    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Comment(Effect):
    """Store the sample comment."""

    text: str


@dataclass(frozen=True, slots=True)
class Rate(Effect):
    """Store the rating of the sample, a word of the scale; empty for none."""

    rating: str


@dataclass(frozen=True, slots=True)
class Finish(Effect):
    """Complete, skip or flag the sample (`verb`), and open the next unfinished one."""

    verb: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Undo(Effect):
    """Undo or redo the user's last action, in any sample."""

    redo: bool = False


@dataclass(frozen=True, slots=True)
class TakeCandidates(Effect):
    """In review: take candidates as they are, each by the ids that it is made of."""

    candidates: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MergeCandidates(Effect):
    """In review: merge candidates, under the labels of one of them."""

    candidates: tuple[tuple[str, ...], ...]
    labels: tuple[LabelPath, ...]


@dataclass(frozen=True, slots=True)
class RejectCandidates(Effect):
    """In review: refuse candidates, for a reason or in the reviewer's own words."""

    candidates: tuple[tuple[str, ...], ...]
    reason: RejectionReason
    note: str = ""


@dataclass(frozen=True, slots=True)
class CompleteReview(Effect):
    """In review: complete the sample, and open the next; `rest` is why open groups are left."""

    rest: RejectionReason = RejectionReason.NONE
    note: str = ""


@dataclass(frozen=True, slots=True)
class OpenNote(Effect):
    """Open the note line with a text in it."""

    text: str


@dataclass(frozen=True, slots=True)
class Open(Effect):
    """Open a page, dialog, document or sample.

    Attributes:
        what: `labels`, `former`, `find`, `lacking`, `help`, `palette`, `request`, `queue`, `go`,
            `layout`, `suggestions`, `contexts`, `signals`, `quit`, `print`, `password`, `sync`,
            `sign out`, `lesson`, `rivals`, `order` of the queue, in review `names` and `reopen`,
            or with a step of +1 or -1 `sample`, `document`, `tab`, `citation` (of a sample that is
            one), `incomplete`, `collection`; `cited` with the index of a citation of a report.
    """

    what: str
    step: int = 0


Effects = list[Effect]


def open_page(what: str, _draft: object, *, step: int = 0) -> Effects:
    """Open something, whatever the state of the draft; a handler for tables of keys."""
    return [Open(what, step)]


def go_to_first(anchors: Sequence[Anchor]) -> Effects:
    """Move the cursor to the first of some anchors; nothing for none."""
    return [GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in anchors[:1]]


def reveal_first(anchors: Sequence[Anchor]) -> Effects:
    """Scroll to the first of some anchors; nothing for none."""
    return [Reveal(anchor.side, anchor.index, anchor.span) for anchor in anchors[:1]]
