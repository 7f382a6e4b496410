"""Effects: requests of key handlers to a screen, such as to move the cursor.

Key handlers change the state of a sample, and return effects as plain values in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion


class Effect:
    """A request of a key handler to the screen, for example to move the cursor."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Move(Effect):
    """Request to move the cursor in the summary or the source by units such as words."""

    side: Side
    unit: str
    step: int
    extend: bool = False


@dataclass(frozen=True, slots=True)
class SelectWord(Effect):
    """Request to select the word at the cursor."""

    side: Side


@dataclass(frozen=True, slots=True)
class GrowSelection(Effect):
    """Request to grow (+1) or shrink (-1) the selection by a sentence."""

    side: Side
    step: int


@dataclass(frozen=True, slots=True)
class SwapEnds(Effect):
    """Request to move the cursor to the other end of the selection."""

    side: Side


@dataclass(frozen=True, slots=True)
class Select(Effect):
    """Request to select a span of a text; None deselects and keeps the cursor."""

    side: Side
    span: Span | None


@dataclass(frozen=True, slots=True)
class GoTo(Effect):
    """Request to deselect and to move the cursor to an offset of a document."""

    side: Side
    document: int
    offset: int


@dataclass(frozen=True, slots=True)
class Reveal(Effect):
    """Request to scroll to a span of a text without moving the cursor."""

    side: Side
    document: int
    span: Span


@dataclass(frozen=True, slots=True)
class Focus(Effect):
    """Request to move the focus to the summary or the source."""

    side: Side


@dataclass(frozen=True, slots=True)
class Blink(Effect):
    """Request to signal that a key has no effect here."""


@dataclass(frozen=True, slots=True)
class AskWords(Effect):
    """Request to the screen for its visible words, which the user then selects by letters."""

    side: Side


@dataclass(frozen=True, slots=True)
class Save(Effect):
    """Request to store an annotation; `offer` is the record of the matches shown for its claim."""

    annotation: Annotation
    new: bool
    offer: AssistSnapshot | None = None


@dataclass(frozen=True, slots=True)
class Accept(Effect):
    """Request to store the annotation of an accepted suggestion; `changed` if it was edited."""

    suggestion: Suggestion
    annotation: Annotation
    changed: bool = False


@dataclass(frozen=True, slots=True)
class Decline(Effect):
    """Request to store the rejection of a suggestion; the reason is empty if none was given."""

    suggestion: Suggestion
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Remove(Effect):
    """Request to delete a stored annotation."""

    annotation: Annotation


@dataclass(frozen=True, slots=True)
class Comment(Effect):
    """Request to store the comment on the sample; an empty text removes it."""

    text: str


@dataclass(frozen=True, slots=True)
class Rate(Effect):
    """Request to store the user's rating of the sample; an empty rating removes the rating."""

    rating: str


@dataclass(frozen=True, slots=True)
class Finish(Effect):
    """Request to complete, skip or flag the sample (`verb`) and open the next unfinished sample."""

    verb: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Undo(Effect):
    """Request to undo the user's last action in any sample, or to redo the last undone one."""

    redo: bool = False


@dataclass(frozen=True, slots=True)
class TakeCandidates(Effect):
    """Request of a reviewer to accept candidate annotations unchanged, given by their ids."""

    candidates: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class MergeCandidates(Effect):
    """Request of a reviewer to merge candidate annotations under the labels of one of them."""

    candidates: tuple[tuple[str, ...], ...]
    labels: tuple[LabelPath, ...]


@dataclass(frozen=True, slots=True)
class RejectCandidates(Effect):
    """Request of a reviewer to reject candidates for a listed reason or a typed reason."""

    candidates: tuple[tuple[str, ...], ...]
    reason: RejectionReason
    note: str = ""


@dataclass(frozen=True, slots=True)
class ReopenWork(Effect):
    """Request to reopen one annotator's work on the sample, or (no letter) that of everyone."""

    letter: str
    reason: str


@dataclass(frozen=True, slots=True)
class CompleteReview(Effect):
    """Request to complete the sample.

    Attributes:
        rest, note: why undecided candidates are not accepted.
        unrated: why no rating is accepted although ratings differ.
        leave: other kinds of undecided work that stay as they are (values of `OpenKind`).
    """

    rest: RejectionReason = RejectionReason.NONE
    note: str = ""
    unrated: str = ""
    leave: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenNote(Effect):
    """Request to open the note line with a text; `Draft.writing` is what the note is about."""

    text: str


class Page(Enum):
    """What `Open` opens: a dialog, a screen, another document or sample, or a choice of the app."""

    LABELS = auto()
    PAST_ANNOTATIONS = auto()
    FIND = auto()
    MISSING_WORDS = auto()
    """Marks of the words that the source lacks, shown or hidden."""
    HELP = auto()
    PALETTE = auto()
    REQUEST = auto()
    """The request and the guidelines; in a file, all details of the sample."""
    JUMP = auto()
    """A dialog for the id of the sample to show."""
    LAYOUT = auto()
    SIGNALS = auto()
    """The next choice of signals by which matches are found."""
    SUGGESTIONS = auto()
    """All suggestions, hidden with step 0, shown with step 1."""
    SAMPLE = auto()
    """The next or previous sample, by the step."""
    DOCUMENT = auto()
    """The next or previous document of the source, by the step."""
    TAB = auto()
    """The next or previous document that a citation's sentence cites, by the step."""
    CITATION = auto()
    """The next or previous citation, by the step, while the sample is one."""
    CITED_DOCUMENT = auto()
    """The document of the report's citation with the index `step`."""
    INCOMPLETE = auto()
    """The next unfinished report, document or citation."""
    COLLECTION = auto()
    QUEUE = auto()
    QUEUE_ORDER = auto()
    SIBLINGS = auto()
    """Samples with the same source."""
    OTHER_READING = auto()
    """The first or the second annotation of the samples, whichever is not shown."""
    TALK = auto()
    """Questions about the sample and their answers."""
    ANNOTATION_TALK = auto()
    LESSON = auto()
    """How the sample was adjudicated."""
    STATISTICS = auto()
    PEOPLE_NAMES = auto()
    """The names of annotators in review, shown or hidden."""
    PRINT_WORK = auto()
    PASSWORD = auto()
    SYNC = auto()
    SIGN_OUT = auto()
    QUIT = auto()
    DOCUMENT_ORDER = auto()
    """The next order of the documents: by judge, by retriever."""
    GOLD_PASSAGE = auto()
    """The passage that contains the correct answer."""
    POSITIONS = auto()
    """A chart of correct answers by position."""


@dataclass(frozen=True, slots=True)
class Open(Effect):
    """Request to open a page; `step` is +1 or -1 for the pages that have a direction, else 0."""

    page: Page
    step: int = 0


Effects = list[Effect]


def open_page(page: Page, _draft: object, *, step: int = 0) -> Effects:
    """Return the effect that opens a dialog or screen; the second argument is unused."""
    return [Open(page, step)]


def go_to_first(anchors: Sequence[Anchor]) -> Effects:
    """Return a request to move the cursor to the first of some spans; empty without spans."""
    return [GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in anchors[:1]]


def reveal_first(anchors: Sequence[Anchor]) -> Effects:
    """Return a request to scroll to the first of some spans; empty without spans."""
    return [Reveal(anchor.side, anchor.index, anchor.span) for anchor in anchors[:1]]
