"""What is said of a file's annotations: the draft line, and the pages about a sample."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.editor.draft_samples import code
from tests.editor.view.draft_samples import NAMES, focus
from tests.helpers import annotated_file as viewed
from tui_annotate.domain.adjudication import Adjudication, RejectionReason, ReviewAction
from tui_annotate.domain.annotations import HUMAN
from tui_annotate.domain.line_text import text_width
from tui_annotate.domain.records import OwnedAnnotation
from tui_annotate.domain.samples import SampleKey
from tui_annotate.editor.view import key_handlers
from tui_annotate.editor.view.messages import ViewText
from tui_annotate.editor.view.state import ViewDraft
from tui_annotate.editor.view.words import build_pages, describe_annotation, draft_line


def test_the_line_tells_whose_it_is(draft: ViewDraft) -> None:
    """Label, person, note, evidence, what review did; before it, how many there are of whom."""
    draft.enable_digits()
    assert draft_line(draft)[0] == "4 annotations by 3 people · a next annotation · p one annotator"
    focus(draft, "15 million")
    assert draft_line(draft)[0] == 'B Intrinsic · ana · "12, not 15" · 1 evidence · g all details'
    draft.focus_annotation("s1")
    assert draft_line(draft)[0].startswith("C Intrinsic · settled · review: rejected")
    for cells in range(20, 100, 7):
        assert text_width(draft_line(draft, cells)[0]) <= max(cells, 30)
    key_handlers.refuse(draft, "delete the annotation")
    assert code(draft) is ViewText.NOT_IN_A_FILE
    assert draft.message.fields["action"] == "delete the annotation"
    assert draft_line(draft)[0] == draft.message.text


def test_all_about_an_annotation(draft: ViewDraft) -> None:
    """Whole label, person, note, words, times, and of settled work how, why and out of what."""
    known = {one.annotation.id: one.annotation for one in draft.all_annotations}
    facts = dict(describe_annotation(draft, known["a1"]))
    assert facts == {
        "label": "Unwanted.Intrinsic",
        "by": "ana",
        "note": "12, not 15",
        "claim": '"15 million"',
        "evidence": '"12 million"',
        "origin": "made by hand",
        "made": "2026-01-02 03:04 UTC",
    }
    facts = dict(describe_annotation(draft, known["s1"]))
    assert facts["adjudicated"] == 'rejected: annotator\'s slip, "no"'
    assert (facts["based on"], facts["adjudicated by"], facts["evidence"]) == ("A", "li", "none")
    assert facts["claim"] == 'sentence 2, "It was loved."'
    assert facts["origin"] == "rejected in review"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (HUMAN, "made by hand"),
        ("adjudicated", "adjudicated in review"),
        ("machine:nli", "machine: nli"),
        ("imported:mercury", "imported from mercury"),
        ("odd", "odd"),
    ],
)
def test_where_it_comes_from_is_told(draft: ViewDraft, origin: str, words: str) -> None:
    """In words; what is unknown as it stands."""
    settled = Adjudication("x", ReviewAction.MERGED, ("gone", "b1"), RejectionReason.NONE)
    one = replace(draft.all_annotations[0].annotation, origin=origin, version=2, settled=settled)
    draft.all_annotations = (OwnedAnnotation("p9", one),)
    facts = dict(describe_annotation(draft, one))
    assert facts["origin"] == words
    assert facts["version"] == "2"
    assert facts["based on"] == "A, 1 annotation missing in this file"


def test_the_pages_tell_the_rest(draft: ViewDraft) -> None:
    """The annotation in hand, people with what they noted, request, fields as they came."""
    assert [title for title, _ in build_pages(draft)] == ["People", "Request", "Sample"]
    focus(draft, "15 million")
    found = dict(build_pages(draft))
    assert next(iter(found)) == "Annotation B"
    assert "ana: 2 annotations\n  id: p1\n  state: completed\n  note: odd text" in found["People"]
    assert "li: 0 annotations" in found["People"]
    assert found["Request"] == "Why\n\n# Question\nWhat of it?"
    assert '"model": "m"' in found["Sample"]


def test_a_sample_that_was_read_without_a_find_is_told_apart(tmp_path: Path) -> None:
    """Read, nothing marked; and nobody did anything."""
    with viewed.browsed(tmp_path) as browser:
        for name, words in (("second", "Completed without"), ("third", "No annotations")):
            looked = browser.open(SampleKey("d", name))
            draft = ViewDraft(
                looked.sample,
                looked.segments,
                browser.labels,
                all_annotations=looked.annotations,
                assignments=looked.assignments,
                names=NAMES,
            )
            assert draft_line(draft)[0].startswith(words)
            assert len(draft.bar) == (name == "second")
