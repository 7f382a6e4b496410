"""What a report cites: marks behind its sentences, and the way from one to the next."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.editor.draft_samples import code
from tests.tui.screens.collection_workspace import Collection
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.line_text import text_width
from tui_annotate.domain.samples import Document, Match, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import citations, key_handlers
from tui_annotate.editor.effects import Blink, Open, Page
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.state import Draft, SideCursor

REPORT = Collection().report()


def draft_of(sample: Sample) -> Draft:
    """The sample with the cursor at its start, all of a text one segment."""
    cut = [(Segment(0, len(document.text)),) for document in sample.documents]
    return Draft(sample, cut, LabelTree((), ""), citations=citations.list_citations(sample))


def test_marks_hang_behind_the_last_character_of_a_sentence() -> None:
    """Each id in brackets, a long one shortened; a sentence that cites nothing has none."""
    text = REPORT.document(Side.SUMMARY).text
    tags = citations.format_marks(citations.list_citations(REPORT))
    assert [(text[: at + 1].split(". ")[-1], tag) for at, tag in tags.items()] == [
        ("Sea stars eat mussels.", "[doc-a]"),
        ("Crabs hide.", "[doc-a] [doc-b] [lost]"),
        ("😀 Anemones sting.", "[a-ve…]"),
    ]


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=40))
def test_marks_never_take_more_than_a_share_of_a_line(names: list[str]) -> None:
    """What does not fit is counted; what is cut is never the first."""
    report = Collection(texts={}, sentences=[("One.", tuple(names))]).report()
    (tag,) = citations.format_marks(citations.list_citations(report)).values()
    assert text_width(tag) <= 36 + len(" +40")
    assert tag.startswith("[")
    shown = tag.count("] [") + 1
    assert shown == len(names) or tag.endswith(f" +{len(names) - shown}")


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=40))
def test_the_mark_in_focus_lies_in_what_hangs_there(names: list[str]) -> None:
    """Its extent is that of its own brackets, or of the number that stands for it."""
    report = Collection(texts={}, sentences=[("One.", tuple(names))]).report()
    found = citations.list_citations(report)
    ((end, tag),) = citations.format_marks(found).items()
    for at, citation in enumerate(found):
        place = citations.find_mark(found, at)
        assert place
        assert place[0] == end
        words = tag[place[1].start : place[1].end]
        assert words in (f"[{citations.shorten_id(citation.id)}]", tag.rsplit(" ", 1)[-1])
    assert citations.find_mark(found, -1) is None
    assert citations.find_mark(found, len(found)) is None


@pytest.mark.parametrize(
    "told",
    [None, "x", [{"start": 0}], [{"start": 5, "end": 900, "citations": ["a"]}], [[]], [{"start": 4,
     "end": 2, "citations": ["a"]}]],
)  # fmt: skip
def test_a_strange_record_marks_nothing(told: object) -> None:
    """Sentences outside the text, or no sentences at all, are passed over."""
    assert citations.list_citations(replace(REPORT, meta={"sentences": told})) == ()


def test_the_walk_goes_through_all_citations_round_and_round() -> None:
    """From the cursor on; back from the first comes the last."""
    draft = draft_of(REPORT)
    assert citations.walk(1, draft) == [Open(Page.CITED_DOCUMENT, 0)]
    draft.pointers[Side.SUMMARY] = SideCursor(0, 25)  # in "Crabs hide."
    found = []
    for _ in range(4):
        citations.walk(1, draft)
        found.append(draft.citation)
        draft.pointers[Side.SUMMARY] = SideCursor(0, draft.citations[draft.citation].span.start)
    assert found == [1, 2, 3, 4]
    citations.walk(1, draft)
    assert draft.citation == 0
    draft.pointers[Side.SUMMARY] = SideCursor()
    citations.walk(-1, draft)
    assert draft.citation == 4


def test_a_document_that_is_not_there_is_told_as_such() -> None:
    """One that is there is told with title and address."""
    draft = draft_of(REPORT)
    draft.citation = 0
    there = citations.describe_citation(draft, {"doc-a": "https://example.org/a"})
    assert there.code is MessageCode.CITATION_ABOUT
    assert (there.fields["number"], there.fields["count"]) == (1, 5)
    assert all(part in there.text for part in ("1/5 [doc-a]", " · Pools · https://example.org/a"))
    draft.citation = 3
    missing = citations.describe_citation(draft, {})
    assert missing.code is MessageCode.CITATION_WITHOUT_TEXT
    assert (missing.fields["id"], missing.kind) == ("lost", "warning")


def test_a_sentence_whose_documents_have_no_texts_is_told_so() -> None:
    """Whatever other document is on screen; one that cites nothing is another matter."""
    draft = draft_of(REPORT)
    assert citations.describe_citing(draft) == citations.CitationText.CITED_HERE.text()
    bare = draft_of(Collection(texts={}).report())
    assert citations.describe_citing(bare) == citations.CitationText.CITED_TEXT_MISSING.text()
    bare.pointers[Side.SUMMARY] = SideCursor(0, bare.citations[-1].span.end + 2)
    found = [citations.describe_citing(bare)]
    draft.pointers[Side.SUMMARY] = SideCursor(0, bare.citations[-1].span.end + 2)
    found += [citations.describe_citing(draft)]
    assert found == [
        citations.CitationText.CITES_NOTHING.text(),
        citations.CitationText.NOT_CITED_HERE.text(),
    ]


def test_in_a_report_that_cites_nothing_the_walk_says_so() -> None:
    """Suggestions that are hidden are told first."""
    draft = draft_of(Collection(sentences=[("One.", ())]).report())
    assert key_handlers.walk_items(1, draft) == [Blink()]
    assert code(draft) is MessageCode.NO_CITATIONS
    anchors = (Anchor(Side.SUMMARY, 0, Span(0, 4)),)
    offer = Suggestion(id="s", maker="judge:m", run="run", claim=anchors)
    draft.suggestions, draft.suggestions_hidden = (offer,), True
    key_handlers.walk_items(1, draft)
    assert code(draft) is MessageCode.NOTHING_OPEN_BUT_HIDDEN


def test_all_documents_are_listed_once_with_what_is_known_of_them() -> None:
    """Title and address, or that there is no text."""
    report = citations.format_listing(REPORT, {"doc-a": "https://example.org/a"})
    assert report.split("\n\n")[0] == "# doc-a\nPools\nhttps://example.org/a"
    assert report.count("# doc-a") == 1
    (lost,) = [part for part in report.split("\n\n") if part.startswith("# lost\n")]
    assert "http" not in lost
    assert len(lost.splitlines()) == 2


def test_another_document_is_better_by_a_step_of_strength_alone() -> None:
    """A lead within one step is no news; nothing lit, nothing told; no figure beside the name."""
    documents = [Document(Side.SOURCE, name, name) for name in ("a", "b")]

    def lit(*scores: float) -> list[Match]:
        pairs = sorted(enumerate(scores), key=lambda pair: -pair[1])
        return [Match(at, 0, Span(0, 1), score, 1) for at, score in pairs]

    assert citations.describe_better_document(documents, lit(0.4, 0.9), "a") == "better: b"
    assert citations.describe_better_document(documents, lit(0.85, 0.9), "a") == ""
    assert citations.describe_better_document(documents, lit(0.4, 0.9), "a", lit=5) == ""
    assert citations.describe_better_document(documents, lit(0.4, 0.9), "b") == ""
    assert citations.describe_better_document(documents, lit(0.4, 0.9), "gone") == "better: b"
    assert citations.describe_better_document(documents, [], "a") == ""


def test_on_a_citation_the_keys_of_documents_and_items_lead_to_its_neighbours() -> None:
    """Once it is known what is around it; until then they say that nothing is there."""
    sample = next(one for one in Collection().samples() if one.id == "c|7|run1|1|doc-a")
    draft = draft_of(sample)
    assert not any(isinstance(effect, Open) for effect in key_handlers.walk_items(1, draft))
    draft.tabs = 3
    assert key_handlers.walk_items(-1, draft) == [Open(Page.CITATION, -1)]
    assert key_handlers.walk_documents(1, draft) == [Open(Page.TAB, 1)]
