"""What the draft asks the screen to do, as plain values in the order of doing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui_annotate.domain.adjudication import Reason
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion


class Effect:
    """What the draft asks of the screen."""

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
    """The selection takes one step more (+1) or less (-1); without one, the sentence."""

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
    """The cursor goes to an offset of a document, without a selection, and comes into sight."""

    side: Side
    document: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reveal(Effect):
    """A span is brought into sight; the cursor stays."""

    side: Side
    document: int
    span: Span


@dataclass(frozen=True, slots=True)
class Focus(Effect):
    """A side takes the keys."""

    side: Side


@dataclass(frozen=True, slots=True)
class Blink(Effect):
    """The label bar blinks once: the key acted on nothing."""


@dataclass(frozen=True, slots=True)
class AskWords(Effect):
    """The words on screen are wanted, for letters to choose them by."""

    side: Side


@dataclass(frozen=True, slots=True)
class Save(Effect):
    """An annotation is to be stored: a new one, or a new version of one that is there.

    Attributes:
        offer: what was lit for its claim; None where that is not known. What ranked is not told.
    """

    annotation: Annotation
    new: bool
    offer: AssistSnapshot | None = None


@dataclass(frozen=True, slots=True)
class Accept(Effect):
    """A suggestion is to become an annotation.

    Attributes:
        annotation: what is made of it; its id counts for nothing.
        changed: it was loaded for changes; as it was proposed where False.
    """

    suggestion: Suggestion
    annotation: Annotation
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Decline(Effect):
    """A suggestion is to be refused, for a reason or none."""

    suggestion: Suggestion
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Remove(Effect):
    """An annotation is to be removed."""

    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Comment(Effect):
    """A comment on the sample as a whole is to be stored."""

    text: str


@dataclass(frozen=True, slots=True)
class Rate(Effect):
    """A word of the scale for the sample as a whole is to be stored; empty takes it back."""

    rating: str


@dataclass(frozen=True, slots=True)
class Finish(Effect):
    """The sample is done, skipped or flagged (`verb`), and the next unfinished one is wanted."""

    verb: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Undo(Effect):
    """This person's last action is taken back, or (`redo`) done again, in whatever sample."""

    redo: bool = False


@dataclass(frozen=True, slots=True)
class TakeCandidates(Effect):
    """In review: candidates, each by the ids that it is made of, are to be kept as they are."""

    candidates: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MergeCandidates(Effect):
    """In review: candidates are to become one, under the labels of one of them."""

    candidates: tuple[tuple[str, ...], ...]
    labels: tuple[LabelPath, ...]


@dataclass(frozen=True, slots=True)
class RejectCandidates(Effect):
    """In review: candidates are to be refused, for a reason, or in own words."""

    candidates: tuple[tuple[str, ...], ...]
    reason: Reason
    note: str = ""


@dataclass(frozen=True, slots=True)
class CompleteReview(Effect):
    """In review: the sample is settled, and the next is wanted; `rest` is why nothing else is."""

    rest: Reason = Reason.NONE
    note: str = ""


@dataclass(frozen=True, slots=True)
class OpenNote(Effect):
    """The note line opens with a text in it; the draft line says what it is on."""

    text: str


@dataclass(frozen=True, slots=True)
class Open(Effect):
    """Something of the screen's own.

    Attributes:
        what: `labels`, `former`, `find`, `lacking`, `help`, `palette`, `request`, `queue`, `go`,
            `layout`, `suggestions`, `contexts`, `signals`, `quit`, `print`, `password`, `sync`,
            `sign out`, `lesson`, `rivals`, `order` of the queue, in review `names` and `reopen`,
            or with a step of +1 or -1 `sample`, `document`, `tab`, `citation` (of a sample that is
            one), `incomplete`, `collection`; `cited` with the number of a citation of a report,
            from 0.
    """

    what: str
    step: int = 0


Effects = list[Effect]


def go_to_first(anchors: Sequence[Anchor]) -> Effects:
    """The cursor goes to the first of some anchors; nothing for none."""
    return [GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in anchors[:1]]


def reveal_first(anchors: Sequence[Anchor]) -> Effects:
    """The first of some anchors is brought into sight; nothing for none."""
    return [Reveal(anchor.side, anchor.index, anchor.span) for anchor in anchors[:1]]
