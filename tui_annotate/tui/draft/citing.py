"""What the sentences of a report cite: marks that hang behind them, and the way through them.

A mark is no part of the text: no offset counts it, no selection takes it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain import items
from tui_annotate.domain.samples import Document, Match, Sample, Side
from tui_annotate.domain.samples import Kind as SampleKind
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.effects import Effects, Open
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import HINT, WARNING
from tui_annotate.tui.lines import shown, width

_LONGEST: Final = 10  # characters of an id that a mark shows whole
_KEPT: Final = 4  # of a longer one
_MARKS: Final = 36  # cells of all marks behind a sentence


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence cites a document.

    Attributes:
        sentence: the sentence's index in the report.
        span: its extent.
        id: the document's.
        document: its index on the source side; None where the report came without it.
    """

    sentence: int
    span: Span
    id: str
    document: int | None


def citations(sample: Sample) -> tuple[Citation, ...]:
    """Those of a report in reading order; none for any other sample."""
    if sample.kind is not SampleKind.REPORT or not sample.side(Side.SUMMARY):
        return ()
    length = len(sample.document(Side.SUMMARY).text)
    places = {document.key: at for at, document in enumerate(sample.side(Side.SOURCE))}
    return tuple(
        Citation(at, Span(sentence.start, sentence.end), name, places.get(name))
        for at, sentence in enumerate(items.sentences(sample))
        if 0 <= sentence.start < sentence.end <= length
        for name in map(str, sentence.citations)
    )


def short(name: str) -> str:
    """An id as a mark shows it."""
    name = shown(name)
    return name if len(name) <= _LONGEST else f"{name[:_KEPT]}…"


def tags(found: Sequence[Citation]) -> dict[int, str]:
    """By the last code point of a sentence: its citations in brackets, as many as are readable."""
    by_end: dict[int, list[str]] = {}
    for citation in found:
        by_end.setdefault(citation.span.end - 1, []).append(f"[{short(citation.id)}]")
    return {end: _joined(marks) for end, marks in by_end.items()}


def _joined(marks: Sequence[str]) -> str:
    told = ""
    for at, mark in enumerate(marks):
        if told and width(f"{told} {mark}") > _MARKS:
            return f"{told} +{len(marks) - at}"
        told = f"{told} {mark}".strip()
    return told


def here(draft: Draft) -> list[int]:
    """Which citations the sentence under the cursor has, by number from 0."""
    offset = draft.pointers[Side.SUMMARY].offset
    return [
        at
        for at, citation in enumerate(draft.citations)
        if citation.span.start <= offset < citation.span.end
    ]


def following(draft: Draft, step: int) -> int:
    """The number of the next or previous citation, from 0, round and round; from the cursor."""
    found, now = draft.citations, here(draft)
    if draft.citation in now:
        return (draft.citation + step) % len(found)
    if now:
        return now[0] if step > 0 else now[-1]
    offset = draft.pointers[Side.SUMMARY].offset
    later = [at for at, citation in enumerate(found) if citation.span.start >= offset]
    first = later[0] if later else 0
    return first if step > 0 else (first - 1) % len(found)


def walk(step: int, draft: Draft) -> Effects:
    """The next or previous citation: its sentence and its document come into sight."""
    draft.wake()
    draft.citation = following(draft, step)
    return [Open("cited", draft.citation)]


def clicked(draft: Draft, offset: int, cell: int) -> Effects:
    """A mark behind the sentence that ends at `offset` was clicked, at a cell of all its marks."""
    end = 0
    for at, citation in enumerate(draft.citations):
        if citation.span.start <= offset < citation.span.end:
            end += width(f" [{short(citation.id)}]")
            if cell < end:
                draft.citation = at
                return [Open("cited", at)]
    return []


def told(draft: Draft, urls: Mapping[str, str]) -> tuple[str, Kind]:
    """(words, kind) of the citation in focus, for the draft line."""
    citation = draft.citations[draft.citation]
    number = f"citation {draft.citation + 1}/{len(draft.citations)}"
    if citation.document is None:
        return f"{number} [{citation.id}] · its text is not available · c C walk", WARNING
    document = draft.sample.document(Side.SOURCE, citation.document)
    parts = [f"{number} [{citation.id}]", "Tab reads it", document.title, urls.get(citation.id, "")]
    return " · ".join(filter(None, parts)), HINT


def cited_here(draft: Draft) -> str:
    """Whether the sentence in hand cites the document on screen, in words; empty if neither."""
    if not draft.citations:
        return ""
    document = draft.pointers[Side.SOURCE].document
    now = {draft.citations[at].document for at in here(draft)}
    return "cited here" if document in now else "not cited here"


def listing(sample: Sample, urls: Mapping[str, str]) -> str:
    """All cited documents with title and address, for a page of the overlay; empty for none."""
    documents = {document.key: document for document in sample.side(Side.SOURCE)}
    told = []
    for name in dict.fromkeys(citation.id for citation in citations(sample)):
        document = documents.get(name)
        lines = [document.title, urls.get(name, "")] if document else ["not available"]
        told.append("\n".join([f"# {name}", *filter(None, lines)]))
    return "\n\n".join(told)


def sentence(sample: Sample) -> int:
    """The index of a citation's sentence in its report; 0 where its record does not tell."""
    index = sample.meta.get("sentence_idx")
    return index if isinstance(index, int) and index >= 0 else 0


def better(
    documents: Sequence[Document], matches: Sequence[Match], here: str, *, lit: int = 0
) -> str:
    """Which other document holds stronger evidence than the one that is cited, in words.

    Args:
        documents: of the report.
        matches: what is related in all of them, the best first.
        here: the cited one's id.
        lit: the strength of what is lit in it, where it was searched alone.

    Returns:
        Empty where none is stronger; steps of strength count, not small leads of a score.
    """
    if not matches:
        return ""
    own = (match.strength for match in matches if documents[match.document].key == here)
    best = matches[0]
    if best.strength <= max(lit, *own, 0):
        return ""
    return f"better: {short(documents[best.document].key)} {best.score:.2f}"
