"""Comparison of the selection with the focused match: shared words, possible contradictions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.samples import Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.messages import LineText
from tui_annotate.editor.state import Draft
from tui_annotate.editor.words import quote_text

LONGEST: Final = 2_000
"""Maximum number of characters to compare of a selection or match; more take too long."""

_QUOTE = 20  # cells

Place = tuple[Side, int]
"""Identifies a document of a sample: summary or source, and an index among its documents."""


@dataclass(frozen=True, slots=True)
class MatchPair:
    """The text at the cursor (anchor), and the focused match in the text on the other side."""

    anchor: Anchor
    match: Match

    @property
    def anchor_document(self) -> Place:
        """The document with the text at the cursor."""
        return self.anchor.side, self.anchor.index

    @property
    def match_document(self) -> Place:
        """The document with the match, on the other side."""
        return self.anchor.side.other, self.match.document

    def has_same_match(self, other: MatchPair | None) -> bool:
        """Return whether another pair has its match in the same segment of the same document."""
        where = (self.match_document, self.match.segment)
        return other is not None and where == (other.match_document, other.match.segment)


@dataclass(frozen=True, slots=True)
class TextContrast:
    """Shared words of a text and its match, and words in which they may contradict each other.

    `claims` are spans in the text at the cursor that may contradict the spans of `evidence`, in
    parallel; `shared` are spans in the match.
    """

    shared: tuple[Span, ...] = ()
    claims: tuple[Span, ...] = ()
    evidence: tuple[Span, ...] = ()
    description: str = ""


NOTHING: Final = TextContrast()

Marks = Callable[[Place], Sequence[Span] | None]
"""Function that returns the spans of words in the summary or source that the other text lacks.

The function returns None if these words are not computed yet.
"""


def match_pair(draft: Draft) -> MatchPair | None:
    """Return the focused match with the selection or the cursor's sentence; None if one lacks."""
    anchor = draft.current_anchor(draft.side)
    side = draft.side.other
    match = next(
        (one for one in draft.matches[side] if one.rank == draft.focused_ranks[side]), None
    )
    return MatchPair(anchor, match) if anchor and match else None


def compute_contrast(draft: Draft, what: MatchPair, marks: Marks) -> TextContrast:
    """Compare a selection with a match, to find shared words and possible contradictions.

    Selected words have the contradictions of their sentences that they touch, because the words
    around a number show what it counts. The comparison is slow enough to delay keys: call this
    function in a thread.

    Args:
        marks: words not found on the other side; if known for both documents, only these words
            can contradict each other.
    """
    from tui_annotate.methods.contrast import find_contradictions, find_shared_words

    own = _shorten(what.anchor.span)
    around = _sentences_around(draft, what.anchor_document, own)
    other = _shorten(what.match.span)
    text = draft.text(*what.anchor_document)
    sentences = around.of(text)
    match = other.of(draft.text(*what.match_document))
    found = find_contradictions(
        sentences,
        match,
        unsaid=_marks_within(marks(what.anchor_document), around),
        unheard=_marks_within(marks(what.match_document), other),
    )
    candidates = [each for each in found if each.claim.shift(around.start).overlap(own)]
    described = []
    if candidates:
        first = candidates[0]
        pair = (first.claim.of(sentences), first.evidence.of(match))
        described.append(" ≠ ".join(quote_text(words, cells=_QUOTE).strip('"') for words in pair))
    if len(candidates) > 1:
        described.append(LineText.MORE.text(count=len(candidates) - 1))
    return TextContrast(
        tuple(span.shift(other.start) for span in find_shared_words(own.of(text), match)),
        tuple(candidate.claim.shift(around.start) for candidate in candidates),
        tuple(candidate.evidence.shift(other.start) for candidate in candidates),
        ", ".join(described),
    )


def _sentences_around(draft: Draft, document: Place, span: Span) -> Span:
    """Return the span of the sentences that a span touches, or the span if they are too long."""
    touched = [each.span for each in draft.sentences(*document) if each.span.overlap(span)]
    if not touched:
        return span
    whole = Span(min(span.start, touched[0].start), max(span.end, touched[-1].end))
    return whole if len(whole) <= LONGEST else span


def _shorten(span: Span) -> Span:
    return Span(span.start, min(span.end, span.start + LONGEST))


def _marks_within(spans: Sequence[Span] | None, place: Span) -> list[Span] | None:
    """Clip ordered, disjoint spans to the span `place`, and return them relative to its start."""
    if spans is None:
        return None
    first = bisect_right(spans, place.start, key=lambda span: span.end)
    last = bisect_left(spans, place.end, key=lambda span: span.start)
    inside = (span.clip(place) for span in spans[first:last])
    return [span.shift(-place.start) for span in inside if span]
