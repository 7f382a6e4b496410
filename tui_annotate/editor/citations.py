"""Citations in the sentences of a report, and citation marks in the text, such as `[doc1]`.

The screen shows the marks after the sentences; they are not part of the report's text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tui_annotate.domain import report_collections
from tui_annotate.domain.line_text import line_text, text_width
from tui_annotate.domain.samples import Document, Match, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor.effects import Effects, Open, Page
from tui_annotate.editor.messages import MessageCode, StatusMessage, join_parts
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Citation, Draft
from tui_annotate.editor.words import HINT, WARNING


class CitationText(ScreenMessage):
    """Texts about the citations of a report's sentence."""

    CITED_HERE = "cited here"
    NOT_CITED_HERE = "not cited here"
    CITES_NOTHING = "this sentence cites nothing"
    CITED_TEXT_MISSING = "the cited text is not available"
    NOT_AVAILABLE = "not available"
    BETTER = "better: {id}"


_LONGEST_ID: Final = 10  # characters of an id that a mark shows in full
_SHORTENED_ID: Final = 4  # characters of a longer id
_MOST_CELLS: Final = 36  # cells of all marks behind a sentence


def list_citations(sample: Sample) -> tuple[Citation, ...]:
    """Return the citations of a report in reading order; empty for other kinds of samples.

    A sentence whose span is not within the report's text has no citations here.
    """
    if sample.kind is not SampleKind.REPORT or not sample.side(Side.SUMMARY):
        return ()
    length = len(sample.document(Side.SUMMARY).text)
    indices = {document.key: at for at, document in enumerate(sample.side(Side.SOURCE))}
    return tuple(
        Citation(at, Span(sentence.start, sentence.end), name, indices.get(name))
        for at, sentence in enumerate(report_collections.report_sentences(sample))
        if 0 <= sentence.start < sentence.end <= length
        for name in map(str, sentence.citations)
    )


def shorten_id(name: str) -> str:
    """Return an id on one line; of an id with more than 10 characters, the first 4 and `…`."""
    name = line_text(name)
    return name if len(name) <= _LONGEST_ID else f"{name[:_SHORTENED_ID]}…"


def format_marks(found: Sequence[Citation]) -> dict[int, str]:
    """Map each sentence's last offset to the citation marks after it, such as `[doc1]`."""
    by_end: dict[int, list[str]] = {}
    for citation in found:
        by_end.setdefault(citation.span.end - 1, []).append(f"[{shorten_id(citation.id)}]")
    return {end: _join_marks(marks) for end, marks in by_end.items()}


def find_mark(found: Sequence[Citation], number: int) -> tuple[int, Span] | None:
    """Return where the mark of a citation, such as `[doc1]`, is shown after its sentence.

    The result has the last offset of the sentence, and the span of the mark in the text of all
    marks after the sentence. It is None for a `number` that is no index of a citation.
    """
    if not 0 <= number < len(found):
        return None
    end = found[number].span.end - 1
    marks = [f"[{shorten_id(one.id)}]" for one in found if one.span.end - 1 == end]
    at = sum(one.span.end - 1 == end for one in found[:number])
    if at >= _count_readable(marks):  # the citation is one of those counted by "+2"
        joined = _join_marks(marks)
        return end, Span(joined.rindex("+"), len(joined))
    start = sum(len(one) + 1 for one in marks[:at])
    return end, Span(start, start + len(marks[at]))


def citation_at_cell(found: Sequence[Citation], offset: int, cell: int) -> int | None:
    """Return the index of the citation whose mark, such as `[doc1]`, covers a terminal cell.

    Return None if there is none. `offset` is any offset in the sentence; `cell` counts from 0 at
    the first mark after it.
    """
    end = 0
    for at, citation in enumerate(found):
        if citation.span.start <= offset < citation.span.end:
            end += text_width(f" [{shorten_id(citation.id)}]")
            if cell < end:
                return at
    return None


def _join_marks(marks: Sequence[str]) -> str:
    count = _count_readable(marks)
    more = [f"+{len(marks) - count}"] if count < len(marks) else []
    return " ".join([*marks[:count], *more])


def _count_readable(marks: Sequence[str]) -> int:
    cells = -1
    for at, one in enumerate(marks):
        cells += 1 + text_width(one)
        if at and cells > _MOST_CELLS:
            return at
    return len(marks)


def citations_at_cursor(draft: Draft) -> list[int]:
    """Return the indices of the citations of the sentence at the summary's cursor, ascending."""
    offset = draft.pointers[Side.SUMMARY].offset
    return [
        at
        for at, citation in enumerate(draft.citations)
        if citation.span.start <= offset < citation.span.end
    ]


def step_citation(draft: Draft, step: int) -> int:
    """Return the index of the citation after or before the cursor; the first follows the last."""
    found = draft.citations
    now = citations_at_cursor(draft)
    if draft.citation in now:
        return (draft.citation + step) % len(found)
    if now:
        return now[0] if step > 0 else now[-1]
    offset = draft.pointers[Side.SUMMARY].offset
    later = [at for at, citation in enumerate(found) if citation.span.start >= offset]
    first = later[0] if later else 0
    return first if step > 0 else (first - 1) % len(found)


def walk(step: int, draft: Draft) -> Effects:
    """Go to the next or previous citation, and request the document that it cites."""
    draft.enable_digits()
    draft.citation = step_citation(draft, step)
    return [Open(Page.CITED_DOCUMENT, draft.citation)]


def choose_citation(draft: Draft, number: int) -> Effects:
    """Go to the citation with an index, and request the document that it cites."""
    draft.citation = number
    return [Open(Page.CITED_DOCUMENT, number)]


def focused_mark(draft: Draft) -> tuple[int, Span] | None:
    """Find the mark of the focused citation, such as `[doc1]`, in the text (see `find_mark`)."""
    if draft.citation not in citations_at_cursor(draft):
        return None
    return find_mark(draft.citations, draft.citation)


def describe_citation(draft: Draft, urls: Mapping[str, str]) -> StatusMessage:
    """Return a message with the title and web address of the document cited at the cursor."""
    citation = draft.citations[draft.citation]
    fields: dict[str, object] = {
        "number": draft.citation + 1,
        "count": len(draft.citations),
        "id": citation.id,
    }
    if citation.document is None:
        return StatusMessage(MessageCode.CITATION_WITHOUT_TEXT, fields, WARNING)
    document = draft.sample.document(Side.SOURCE, citation.document)
    about = [part for part in (document.title, urls.get(citation.id, "")) if part]
    if not about:
        return StatusMessage(MessageCode.CITATION, fields, HINT)
    return StatusMessage(MessageCode.CITATION_ABOUT, {**fields, "about": join_parts(*about)}, HINT)


def describe_citing(draft: Draft) -> str:
    """Describe whether the current sentence cites the document on screen; empty if unknown."""
    if not draft.citations:
        return ""
    document = draft.pointers[Side.SOURCE].document
    now = {draft.citations[at].document for at in citations_at_cursor(draft)}
    if now == {None}:
        return CitationText.CITED_TEXT_MISSING.text()
    if not now and not draft.sample.side(Side.SOURCE):
        return CitationText.CITES_NOTHING.text()
    found = CitationText.CITED_HERE if document in now else CitationText.NOT_CITED_HERE
    return found.text()


def format_listing(sample: Sample, urls: Mapping[str, str]) -> str:
    """List all documents that a report cites, each with title and web address; empty for none."""
    documents = {document.key: document for document in sample.side(Side.SOURCE)}
    parts = []
    missing = CitationText.NOT_AVAILABLE.text()
    for name in dict.fromkeys(citation.id for citation in list_citations(sample)):
        document = documents.get(name)
        lines = [document.title, urls.get(name, "")] if document else [missing]
        parts.append("\n".join([f"# {name}", *filter(None, lines)]))
    return "\n\n".join(parts)


def sentence_index(sample: Sample) -> int:
    """Return the index of a citation's sentence in its report; 0 if unknown."""
    index = sample.meta.get("sentence_idx")
    return index if isinstance(index, int) and index >= 0 else 0


def describe_better_document(
    documents: Sequence[Document], matches: Sequence[Match], here: str, *, lit: int = 0
) -> str:
    """Name another document with stronger evidence than the cited document; empty if there is none.

    Args:
        matches: matches in all documents of the report, best first.
        here: id of the cited document.
        lit: greatest strength of a match in the cited document, if it was searched separately.
    """
    own = (match.strength for match in matches if documents[match.document].key == here)
    if not matches or matches[0].strength <= max(lit, *own, 0):
        return ""
    return CitationText.BETTER.text(id=shorten_id(documents[matches[0].document].key))
