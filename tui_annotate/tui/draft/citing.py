"""Walking what a report cites, and telling of it in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui_annotate.domain.samples import Document, Match, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft.citations import citations, short
from tui_annotate.tui.draft.citations import mark as mark_of
from tui_annotate.tui.draft.effects import Effects, Open
from tui_annotate.tui.draft.state import Draft, Kind
from tui_annotate.tui.draft.words import HINT, WARNING


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


def chosen(draft: Draft, number: int) -> Effects:
    """A citation whose mark was clicked, by its number from 0."""
    draft.citation = number
    return [Open("cited", number)]


def mark(draft: Draft) -> tuple[int, Span] | None:
    """The mark of the citation in focus: where it hangs, its extent there.

    None without one, and once the cursor has left its sentence.
    """
    return mark_of(draft.citations, draft.citation) if draft.citation in here(draft) else None


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
    if now == {None}:
        return "cited text is not available"
    if not now and not draft.sample.side(Side.SOURCE):
        return "this sentence cites nothing"
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
    return f"better: {short(documents[best.document].key)}"
