"""The state of one sample on an annotator's screen, with all work that is not saved yet.

`key_handlers` changes this state (the draft) by keys; `words` describes the draft in text.
"""

from __future__ import annotations

import uuid
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.labels import Label, LabelTree, number_labels
from tui_annotate.domain.report_collections import RATED_KINDS
from tui_annotate.domain.samples import Match, Sample, SampleKind, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor.effects import Blink, Effects
from tui_annotate.editor.hints import WordHints
from tui_annotate.editor.key_state import (
    DIGITS,
    EDITING,
    NOTE,
    OPTION,
    READING,
    SELECTING,
    SOURCE,
    KeyState,
)
from tui_annotate.editor.messages import (
    NO_MESSAGE,
    AnyMessage,
    Kind,
    StatusMessage,
    make_message,
)
from tui_annotate.editor.pending_saves import PendingSaves
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.search_hits import NO_SEARCH, SearchHits


class StateText(ScreenMessage):
    """Reasons that digit keys choose, and labels of annotations.

    A reason is stored in English, and shown in the language of the screen.
    """

    UNSURE = "unsure"
    NO_PAIR = "not a pair"
    BROKEN = "broken text"
    HARMFUL = "harmful"
    SUPPORTED = "supported"
    WRONG_EXTENT = "wrong extent"
    WRONG_LABEL = "wrong label"
    UNIMPORTANT = "unimportant"
    NO_LABEL = "no label"
    SPLIT = "{label} (split)"
    RETIRED = "{label} (retired)"


REASONS: Final = (
    StateText.UNSURE, StateText.NO_PAIR, StateText.BROKEN, StateText.HARMFUL,
)  # fmt: skip
"""Reasons to flag a sample, in the order of the digit keys; key 0 is for another reason."""

DECLINE = "decline"
"""Kind of `PendingQuestion`: why a suggestion is rejected."""

RATING = "rating"
"""Kind of `PendingQuestion`: how the sample is rated."""

DECLINING: Final = (
    StateText.SUPPORTED, StateText.WRONG_EXTENT, StateText.WRONG_LABEL, StateText.UNIMPORTANT,
)  # fmt: skip
"""Reasons to reject a suggestion, in the order of the digit keys; key 0 is for another reason."""


def segment_at(segments: Sequence[Segment], offset: int) -> int:
    """Return the index of the text segment at an offset; the last segment for the text's end."""
    return max(0, bisect_right(segments, offset, key=lambda segment: segment.start) - 1)


def letter(index: int) -> str:
    """Return A, B, ... Z, AA, AB, ... for 0, 1, ..., like the column names of a spreadsheet."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(65 + rest) + name
    return name


@dataclass(frozen=True, slots=True)
class SideCursor:
    """The cursor in the summary or source: document index, offset and selection in code points."""

    document: int = 0
    offset: int = 0
    selection: Span | None = None


@dataclass
class ViewedMatches:
    """Matches in the source that the annotator looked at; `claim` is None until they are found."""

    claim: Anchor | None = None
    _segments: set[tuple[int, int]] = field(default_factory=set)

    def begin(self, claim: Anchor | None) -> None:
        """Start a new record of viewed matches if the claim has changed."""
        if claim != self.claim:
            self.claim = claim
            self._segments.clear()

    def at(self, match: Match | None) -> None:
        """Record that the annotator looks at a match; no effect for None."""
        if match is not None:
            self._segments.add((match.document, match.segment))

    def offer(self, claim: Sequence[Anchor], matches: Sequence[Match]) -> AssistSnapshot | None:
        """Return the matches shown for a claim, and the ranks of those the annotator looked at."""
        if self.claim is None or self.claim not in claim:
            return None
        looked = [match for match in matches if (match.document, match.segment) in self._segments]
        return AssistSnapshot(
            matches=tuple(matches), looked=frozenset(match.rank for match in looked)
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """A document that a report's sentence cites: index of the source, or None if it is missing."""

    sentence: int
    span: Span
    id: str
    document: int | None


@dataclass(frozen=True, slots=True)
class LabelOption:
    """A digit with a label, a reason or a rating; with `opens`, it shows the label's children."""

    digit: str
    text: str
    path: LabelPath
    opens: bool = False
    chosen: bool = False


def reason_options(texts: Sequence[str], *, chosen: str = "") -> tuple[LabelOption, ...]:
    """Number texts, such as reasons or ratings, so that the digit keys can choose one of them."""
    return tuple(
        LabelOption(str(number), text, (text,), chosen=bool(text) and text == chosen)
        for number, text in enumerate(texts, 1)
    )


@dataclass(frozen=True, slots=True)
class PendingQuestion:
    """A question to the user, such as the reason for a flag, which the next key press answers."""

    kind: str
    path: LabelPath = ()


WHY: Final[Mapping[str, tuple[StateText, ...]]] = {"reason": REASONS, DECLINE: DECLINING}
"""Possible reasons for a flag and for a rejected suggestion, by the kind of `PendingQuestion`."""

# Kinds of `Note`.
SAMPLE = "sample"  # comment on the sample
DRAFT = "draft"  # note on the unsaved annotation
ANNOTATION = "annotation"  # note on a saved annotation
REASON = "reason"  # why the sample is flagged


@dataclass(frozen=True, slots=True)
class Note:
    """What the text in the note line is about; `id` is only for annotations and suggestions."""

    kind: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class ItemFocus:
    """Which annotation or suggestion is in focus, and what the digit keys do meanwhile.

    Digits are off after a save, an answer to a suggestion, and a visit of an annotation, until the
    cursor moves, text is selected, or the item is edited: they would save the next claim unseen.

    Attributes:
        id: annotation or suggestion in focus; empty if there is none.
        digits_off: digits do nothing until the cursor moves or text is selected.
        just_saved: the item in focus was saved last; only with an `id`.
    """

    id: str = ""
    digits_off: bool = False
    just_saved: bool = False


NO_FOCUS: Final = ItemFocus()


@dataclass
class Draft:
    """One sample on one annotator's screen, with all unsaved work.

    Attributes:
        segments: segments of each document, parallel to `sample.documents`.
        annotations: the annotator's own annotations, in reading order.
        focus: the annotation or suggestion in focus, and whether digits are off.
        suggestions: unanswered suggestions, in reading order.
        answering: answers not yet confirmed by the store, by suggestion id: the annotation that was
            made from the suggestion; None for a rejection.
        changing: suggestion that is being edited into an annotation.
        evidence: evidence of the unsaved annotation, in the order in which it was taken.
        matches: matches on each side, best first.
        focused_ranks: rank of the match in focus on each side; 0 for none.
        stored: saved text of the note that is being written.
        editing: annotation that is being edited; `labels` are its labels so far.
        search: where the words of the last search are; no hits without a search.
        saves: annotations that the store has not confirmed.
        save_failed: whether the store refused the current draft; the user must save or drop it.
        kept_notes: unsaved note texts that Esc kept, by note.
        missing_words: marked words of the summary that the sources do not contain.
        former_evidence: the annotator's evidence in other samples, by source document index.
        scale: words of the rating scale, in the order of the digit keys; empty for no rating.
        comment: stored comment on the sample; in review, else the one that the annotators share.
        asks_rating: whether Enter asks once for the missing rating of a reopened sample.
        guidelines_unread: whether the status line names the key that shows the guidelines.
        citation: index of the citation in focus; -1 for none.
        tabs: number of documents that a citation's sentence cites; 0 while unknown.
        visited: indices of summary sentences that were on screen at a key press, entirely or under
            the cursor.
    """

    sample: Sample
    segments: Sequence[Sequence[Segment]]
    tree: LabelTree
    annotations: tuple[Annotation, ...] = ()
    last_label: LabelPath = ()
    new_id: Callable[[], str] = lambda: str(uuid.uuid4())
    side: Side = Side.SUMMARY
    pointers: dict[Side, SideCursor] = field(
        default_factory=lambda: {Side.SUMMARY: SideCursor(), Side.SOURCE: SideCursor()}
    )
    focus: ItemFocus = NO_FOCUS
    suggestions: tuple[Suggestion, ...] = ()
    suggestions_hidden: bool = False
    answering: dict[str, Annotation | None] = field(default_factory=dict)
    seen_suggestions: set[str] = field(default_factory=set)
    changing: Suggestion | None = None
    evidence: list[Anchor] = field(default_factory=list)
    note: str = ""
    matches: dict[Side, tuple[Match, ...]] = field(
        default_factory=lambda: {Side.SUMMARY: (), Side.SOURCE: ()}
    )
    viewed_matches: ViewedMatches = field(default_factory=ViewedMatches)
    focused_ranks: dict[Side, int] = field(
        default_factory=lambda: {Side.SUMMARY: 0, Side.SOURCE: 0}
    )
    pending: PendingQuestion | None = None
    writing: Note | None = None
    stored: str = ""
    editing: Annotation | None = None
    labels: list[LabelPath] = field(default_factory=list)
    hints: WordHints | None = None
    search: SearchHits = NO_SEARCH
    saves: PendingSaves = field(default_factory=PendingSaves)
    save_failed: bool = False
    kept_notes: dict[Note, str] = field(default_factory=dict)
    missing_words: tuple[Span, ...] = ()
    former_evidence: Mapping[int, tuple[Span, ...]] = field(default_factory=dict)
    scale: tuple[str, ...] = ()
    rating: str = ""
    comment: str = ""
    asks_rating: bool = False
    guidelines_unread: bool = False
    citations: tuple[Citation, ...] = ()
    citation: int = -1
    tabs: int = 0
    visited: set[int] = field(default_factory=set)
    warned: bool = False
    selection_warned: Span | None = None
    message: StatusMessage = NO_MESSAGE

    @property
    def shown_work(self) -> tuple[object, ...]:
        """What of the stored work is on screen, to find out whether another process changed it."""
        return self.tree.version, self.annotations, self.rating

    @property
    def offered(self) -> Sequence[Suggestion]:
        """Suggestions that can be answered now, in reading order; empty while they are hidden."""
        if self.suggestions_hidden:
            return ()
        if not self.answering:
            return self.suggestions
        return [one for one in self.suggestions if one.id not in self.answering]

    @property
    def focused(self) -> str:
        """Id of the annotation or suggestion in focus; empty for none."""
        return self.focus.id

    @property
    def digits_off(self) -> bool:
        """Whether digits do nothing until the cursor moves (see `ItemFocus`)."""
        return self.focus.digits_off

    @property
    def just_saved(self) -> str:
        """Id of the annotation in focus if it was saved last; else empty."""
        return self.focus.id if self.focus.just_saved else ""

    @property
    def focused_annotation(self) -> Annotation | None:
        """The stored annotation in focus; None for none, or for a suggestion."""
        return next((known for known in self.annotations if known.id == self.focused), None)

    @property
    def focused_suggestion(self) -> Suggestion | None:
        """The unanswered suggestion in focus; None for none, or for an annotation."""
        if not self.focused:
            return None
        return next((one for one in self.offered if one.id == self.focused), None)

    @property
    def in_focus(self) -> Annotation | Suggestion | None:
        """The annotation or suggestion in focus; None for none."""
        return self.focused_annotation or self.focused_suggestion

    @property
    def pointer(self) -> SideCursor:
        """The cursor on the side that has the focus."""
        return self.pointers[self.side]

    @property
    def selection(self) -> Span | None:
        """The selection on the side that has the focus; None for none."""
        return self.pointer.selection

    def text(self, side: Side, index: int | None = None) -> str:
        """Return the text of a side's document, by default the one on screen; empty if missing."""
        documents = self.sample.side(side)
        index = self.pointers[side].document if index is None else index
        return documents[index].text if index < len(documents) else ""

    def sentences(self, side: Side, index: int | None = None) -> Sequence[Segment]:
        """Return the segments of a side's document, by default the one on screen."""
        index = self.pointers[side].document if index is None else index
        indices = [at for at, doc in enumerate(self.sample.documents) if doc.side is side]
        return self.segments[indices[index]] if index < len(indices) else ()

    def segment(self, side: Side) -> int:
        """Return the index of the sentence under the summary's or source's cursor, or 0."""
        return segment_at(self.sentences(side), self.pointers[side].offset)

    def sentence(self, side: Side) -> Span | None:
        """Return the sentence under the cursor of the summary or source, trimmed; None if blank."""
        segments = self.sentences(side)
        return segments[self.segment(side)].span.trim(self.text(side)) if segments else None

    # labels

    def label_name(self, path: LabelPath) -> str:
        """Return the last name of a label path; add the state of a retired or split label."""
        label = self.tree.find(path)
        name = path[-1] if path else ""
        if label is None or label.offered:
            return name
        closed = StateText.SPLIT if label.split else StateText.RETIRED
        return closed.text(label=name)

    def label_names(self, paths: Sequence[LabelPath]) -> str:
        """Return the names of labels, separated by commas; a text such as `no label` for none."""
        return ", ".join(map(self.label_name, filter(None, paths))) or StateText.NO_LABEL.text()

    def letter(self, annotation_id: str) -> str:
        """Return the letter of an annotation on screen: A for the first in reading order."""
        at = next((at for at, known in enumerate(self.annotations) if known.id == annotation_id), 0)
        return letter(at)

    def lacking(self) -> tuple[tuple[Annotation, tuple[str, ...]], ...]:
        """Return (annotation, names of the missing parts) for each incomplete annotation."""
        pairs = ((known, self.tree.lacks(known)) for known in self.annotations)
        return tuple((known, lacks) for known, lacks in pairs if lacks)

    # the current position

    @property
    def asks_reason(self) -> bool:
        """Whether the reason of a flag, or of a rejected suggestion, is asked for."""
        return self.pending is not None and self.pending.kind in WHY

    def begins_reason(self, action: str) -> bool:
        """Whether a letter is the start of a typed reason, and not its key's action, if any."""
        del action  # no action acts in these questions
        return self.asks_reason

    @property
    def cites(self) -> bool:
        """Whether the sample has citations, which key `c` visits; else `c` visits suggestions."""
        return bool(self.citations or self.tabs)

    @property
    def suggestion_key(self) -> str:
        """The key that goes to the next suggestion, because `c` may visit citations."""
        return "a" if self.cites else "c"

    @property
    def state(self) -> KeyState:
        """What the user does, such as writing a note, which decides what keys do."""
        if self.pending:
            return OPTION
        if self.writing:
            return NOTE
        if self.side is Side.SOURCE:
            return SOURCE
        if self.editing:
            return EDITING
        return SELECTING if self.selection else READING

    @property
    def key_states(self) -> KeyState:
        """The states whose keys act now: the first one with an action for a key."""
        return self.state

    # the unsaved annotation

    def current_anchor(self, side: Side) -> Anchor | None:
        """Return the span to find matches for: the selection, else the sentence at the cursor.

        Without a selection, if the cursor is inside the annotation in focus, return the claim or
        evidence under the cursor. The span has no white space at its ends.
        """
        pointer = self.pointers[side]
        if pointer.selection is None:
            known = self.editing or self.in_focus
            anchors = (*known.claim, *known.evidence) if known else ()
            for anchor in anchors:
                inside = anchor.span.start <= pointer.offset <= anchor.span.end
                if anchor.side is side and anchor.index == pointer.document and inside:
                    return anchor
        return self._anchor_at_pointer(side)

    def _anchor_at_pointer(self, side: Side) -> Anchor | None:
        span = self.pointers[side].selection or self.sentence(side)
        trimmed = span.trim(self.text(side)) if span else None
        return Anchor(side, self.pointers[side].document, trimmed) if trimmed else None

    @property
    def claim(self) -> tuple[Anchor, ...]:
        """The claim that the next save stores; empty if the summary has no words at the cursor."""
        if self.editing and self.pointers[Side.SUMMARY].selection is None:
            return self.editing.claim
        anchor = self._anchor_at_pointer(Side.SUMMARY)
        return (anchor,) if anchor else ()

    @property
    def passage(self) -> Anchor | None:
        """The selection in the source that becomes evidence when a digit key saves the annotation.

        None without such a selection, and for samples other than reports, documents and citations,
        where Space takes the selection as evidence.
        """
        if self.side is not Side.SOURCE or self.selection is None:
            return None
        if self.sample.kind not in RATED_KINDS:
            return None
        return self.current_anchor(Side.SOURCE)

    @property
    def is_passage_alone(self) -> bool:
        """Whether the next save stores the selected source passage without a claim."""
        chosen = self.pointers[Side.SUMMARY].selection or self.evidence or self.editing
        return self.sample.kind is SampleKind.CITATION and not chosen and self.passage is not None

    def anchors_to_save(self) -> tuple[tuple[Anchor, ...], tuple[Anchor, ...]]:
        """Return (claim, sorted evidence) of the annotation that would be saved now."""
        claim = () if self.is_passage_alone else self.claim
        evidence = set(self.evidence)
        if passage := self.passage:
            evidence.add(passage)
        return claim, tuple(sorted(evidence))

    @property
    def focused_match(self) -> Match | None:
        """The match in focus in the source; None for none."""
        rank = self.focused_ranks[Side.SOURCE]
        return next((match for match in self.matches[Side.SOURCE] if match.rank == rank), None)

    def anchor_of(self, match: Match) -> Anchor | None:
        """Return the evidence anchor of a source match: its segment without outer white space."""
        span = match.span.trim(self.text(Side.SOURCE, match.document))
        return Anchor(Side.SOURCE, match.document, span) if span else None

    def taken(self, match: Match) -> bool:
        """Return whether a source match is evidence of the unsaved annotation."""
        return self.anchor_of(match) in self.evidence

    def is_former_evidence(self, match: Match) -> bool:
        """Return whether a match overlaps the user's evidence in samples with the same source."""
        spans = self.former_evidence.get(match.document, ())
        return any(span.overlap(match.span) for span in spans)

    @property
    def open(self) -> bool:
        """Whether the sample on screen has unsaved evidence, an unsaved note or an open edit."""
        return bool(self.evidence or self.note or self.editing)

    # the options of the label bar

    def options(self) -> tuple[LabelOption, ...]:
        """Return what the digit keys choose from; nothing while the screen asks for evidence."""
        if self.pending is None:
            return tuple(self._option(digit, label) for digit, label in self._digit_labels())
        if reasons := WHY.get(self.pending.kind):
            return reason_options([each.text() for each in reasons])
        if self.pending.kind == RATING:
            return reason_options(self.scale[: len(DIGITS) - 1], chosen=self.rating)
        label = self.tree.find(self.pending.path)
        if self.pending.kind == "child" and label:
            return tuple(
                self._option(digit, child) for digit, child in number_labels(label.children)
            )
        return ()

    def _digit_labels(self) -> Sequence[tuple[str, Label]]:
        if split := self.split_label:
            return number_labels(self.tree.parts(split))
        bar = self.tree.bar()
        if self.editing is None:
            return bar
        # A retired or split label of the edited annotation gets a free digit, which removes it.
        free = (digit for digit in DIGITS[:9] if digit not in dict(bar))
        found = map(self.tree.find, self.editing.labels)
        closed = (label for label in found if label and not label.offered)
        return sorted([*bar, *zip(free, closed, strict=False)], key=lambda pair: pair[0])

    def _option(self, digit: str, label: Label) -> LabelOption:
        chosen = bool(self.editing) and label.path in self.labels
        opens = bool(label.choices) and self.split_label is None
        return LabelOption(digit, self.label_name(label.path), label.path, opens, chosen)

    @property
    def split_label(self) -> Label | None:
        """The split label of the annotation in focus, which a digit replaces; None for none.

        None while an edit or a question is open, or the annotation is being saved.
        """
        annotation = self.focused_annotation
        if annotation is None or self.editing or self.pending or annotation.id in self.saves.sent:
            return None
        split = self.tree.split(annotation.labels)
        return next((label for label in split if self.tree.parts(label)), None)

    def unvisited(self) -> tuple[int, ...]:
        """Return the indices of non-blank summary sentences that were never on screen."""
        text = self.text(Side.SUMMARY, 0)
        return tuple(
            at
            for at, segment in enumerate(self.sentences(Side.SUMMARY, 0))
            if at not in self.visited and segment.span.trim(text)
        )

    # the focus, and the edit of an annotation

    def focus_annotation(self, annotation_id: str, *, just_saved: bool = False) -> None:
        """Focus an annotation or suggestion, and disable the digit keys."""
        self.focus = ItemFocus(annotation_id, digits_off=True, just_saved=just_saved)

    def enable_digits(self) -> None:
        """Enable the digit keys again, and remove the focus from annotations and suggestions."""
        self.focus = NO_FOCUS

    def drop_focus(self) -> None:
        """Remove the focus from annotations and suggestions; digits stay on or off."""
        self.focus = ItemFocus(digits_off=self.digits_off)

    def begin_edit(
        self,
        annotation: Annotation,
        labels: Sequence[LabelPath],
        *,
        changing: Suggestion | None = None,
    ) -> None:
        """Load an annotation, or the suggestion `changing`; digits switch its labels on or off."""
        self.editing = annotation
        self.changing = changing
        self.labels = list(labels)
        self.evidence = list(annotation.evidence)
        self.note = annotation.note
        self.focus = ItemFocus(self.focused)

    def edited_annotation(self) -> Annotation | None:
        """Return what the open edit would save; None without an edit or an anchor."""
        edited = self.editing
        if edited is None or not (self.claim or self.evidence):
            return None
        return replace(
            edited,
            claim=self.claim or edited.claim,
            evidence=tuple(sorted(set(self.evidence))),
            labels=tuple(self.labels),
            note=self.note,
        )

    def end_edit(self) -> None:
        """Drop the changes of an edit; the edited annotation gets the focus."""
        if self.editing:
            self.focus_annotation(self.editing.id)
        self._clear_draft()

    def begin_save(self, item_id: str, *, just_saved: bool) -> None:
        """Empty the draft, which is on its way to the store, and focus what it becomes."""
        self.save_failed = False
        self._clear_draft()
        self.focus_annotation(item_id, just_saved=just_saved)

    def _clear_draft(self) -> None:
        self.editing = None
        self.changing = None
        self.labels.clear()
        self.evidence.clear()
        self.note = ""

    # messages

    def say(self, message: AnyMessage, kind: Kind = "hint", **fields: object) -> None:
        """Show a message in the status line; `fields` fill in the text of a message's code."""
        self.message = make_message(message, kind, **fields)

    def refuse_key(self, message: AnyMessage, kind: Kind = "hint", **fields: object) -> Effects:
        """Show why a key has no effect; like `say`, but return the effects of a key handler."""
        self.say(message, kind, **fields)
        return [Blink()]
