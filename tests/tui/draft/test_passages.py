"""A passage that is selected beside a sentence that is judged: a digit takes it along."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.tui.draft.desk import SOURCE, anchor, draft, key, keys, said, select, store
from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.samples import Kind, Side
from tui_annotate.tui.draft import finishing, moving, notes
from tui_annotate.tui.draft.effects import Blink, Effects, Focus, Open, Save, Select
from tui_annotate.tui.draft.sheet import Pointer
from tui_annotate.tui.draft.state import Draft

LABELS = "- Passage\n- {name: Bare, evidence: none}\n- {name: Sourced, evidence: required}\n"
WORDS = "12 million"


def item(kind: Kind = Kind.CITATION) -> Draft:
    """A sentence to judge, with what it cites."""
    made = draft(LABELS)
    made.sample = replace(made.sample, kind=kind)
    return made


def passage(made: Draft, words: str = WORDS) -> None:
    """The words of the source are selected; the source has the keys."""
    if made.side is Side.SUMMARY:
        keys(made, "tab")
    select(made, words, Side.SOURCE)


def saved(effects: Effects) -> Annotation:
    """What the store is sent."""
    (save,) = [effect for effect in effects if isinstance(effect, Save)]
    return save.annotation


@pytest.mark.parametrize("kind", [Kind.CITATION, Kind.REPORT])
def test_a_digit_takes_the_selected_passage_as_evidence_of_the_claim(kind: Kind) -> None:
    """As Space would, and the line says so before; the keys are at the sentence then."""
    made = item(kind)
    select(made, "loved")
    passage(made)
    told = f'1-3 save: "loved" + evidence "{WORDS}" ✓ · Space takes it · Tab back'
    assert said(made) == told
    effects = keys(made, "1")
    assert saved(effects).claim == (anchor(made, "loved", Side.SUMMARY),)
    assert saved(effects).evidence == (anchor(made, WORDS, Side.SOURCE),)
    assert {Select(Side.SOURCE, None), Focus(Side.SUMMARY)} <= set(effects)
    assert made.side is Side.SUMMARY


def test_a_passage_is_evidence_once_beside_what_was_taken() -> None:
    """In the order of the text, however it was taken."""
    made = item()
    keys(made, "space")
    passage(made, "rained")
    found = saved(keys(made, "1"))
    assert [one.span.of(SOURCE) for one in found.evidence] == [
        "The budget was 12 million.",
        "rained",
    ]
    made = item()
    passage(made)
    keys(made, "space")
    passage(made)
    assert "Space gives it back" in said(made)
    assert saved(keys(made, "1")).evidence == (anchor(made, WORDS, Side.SOURCE),)


def test_a_passage_of_a_citation_stands_alone_where_no_claim_was_chosen() -> None:
    """No word of the sentence is marked that nobody selected."""
    made = item()
    passage(made)
    told = f'1-3 save: "{WORDS}" · Space takes it for sentence 1 · Tab back'
    assert said(made) == told
    found = saved(keys(made, "1"))
    assert found.claim == ()
    assert found.evidence == (anchor(made, WORDS, Side.SOURCE),)


def test_a_passage_beside_a_report_goes_with_the_sentence() -> None:
    """What is told of a report elsewhere are marks of its own text."""
    made = item(Kind.REPORT)
    passage(made)
    assert said(made).startswith("1-3 save: sentence 1 + evidence")
    found = saved(keys(made, "1"))
    assert found.claim == (anchor(made, "The film was loved.", Side.SUMMARY),)
    assert found.evidence == (anchor(made, WORDS, Side.SOURCE),)


@pytest.mark.parametrize("kind", [Kind.PAIR, Kind.QUESTION])
def test_elsewhere_a_digit_takes_no_selection_of_the_source(kind: Kind) -> None:
    """Space does, and the line says that."""
    made = item(kind)
    passage(made)
    assert said(made) == f'Space takes "{WORDS}" as evidence for sentence 1 · Tab back'
    found = saved(keys(made, "1"))
    assert found.evidence == ()
    assert found.claim


def test_labels_have_their_say_about_a_passage() -> None:
    """One that wants evidence has it; one that takes none refuses, and nothing is dropped."""
    made = item()
    passage(made)
    assert saved(keys(made, "3")).labels == (("Sourced",),)
    made = item()
    passage(made)
    assert key(made, "2") == [Blink()]
    assert "takes no evidence" in said(made)
    assert made.selection
    assert made.evidence == []


def test_two_passages_get_the_same_label_and_one_gets_it_once() -> None:
    """What stands alone is known by its evidence."""
    made = item()
    passage(made)
    store(made, keys(made, "1"))
    passage(made, "rained")
    store(made, keys(made, "1"))
    passage(made)
    assert key(made, "1") == [Blink()]
    assert said(made) == "A says Passage of this passage already: a then e edits it"


def test_an_undone_passage_is_selected_again_and_redone_from_there() -> None:
    """For another digit, as a claim is."""
    made = item()
    passage(made)
    found = store(made, keys(made, "1"))
    effects = finishing.replaced(made, (), "undone", gone=found)
    assert effects[-1] == Select(Side.SOURCE, found.evidence[0].span)
    passage(made)
    assert saved([*keys(made, "3")]).evidence == found.evidence
    made = item()
    passage(made)
    found = store(made, keys(made, "1"))
    finishing.replaced(made, (), "undone", gone=found)
    passage(made)
    effects = finishing.replaced(made, (found,), "done again")
    assert Select(Side.SOURCE, None) in effects
    assert made.side is Side.SUMMARY
    assert made.focused == found.id


def test_a_refused_passage_is_not_left_behind() -> None:
    """Neither Tab nor Enter nor > drops it; Backspace does."""
    made = item()
    passage(made)
    found = saved(keys(made, "1"))
    moving.pointed(made, Side.SOURCE, Pointer())
    finishing.refused(made, found, "disk full")
    passage(made)
    for name in ("tab", "enter", ">"):
        assert key(made, name) == [Blink()]
        assert "not saved yet" in said(made)
    keys(made, "backspace")
    moving.pointed(made, Side.SOURCE, Pointer())
    assert key(made, ">") == [Open("sample", 1)]


def test_in_an_edit_a_digit_takes_the_passage_too() -> None:
    """And toggles; what loses its last anchor is not saved."""
    made = item()
    passage(made)
    found = store(made, keys(made, "1"))
    keys(made, "e")
    passage(made, "rained")
    keys(made, "3")
    assert [one.span.of(SOURCE) for one in made.evidence] == [WORDS, "rained"]
    assert made.labels == [("Passage",), ("Sourced",)]
    assert made.side is Side.SUMMARY
    moving.pointed(made, Side.SOURCE, Pointer())
    keys(made, "backspace backspace")
    assert made.editing == found
    assert key(made, "enter") == [Blink()]
    assert "nothing is left of it" in said(made)


def test_a_note_says_that_it_is_on_the_passage() -> None:
    """And is saved with it."""
    made = item()
    passage(made)
    keys(made, "m")
    assert said(made) == "note for this passage:"
    notes.done(made, "odd")
    assert "+ note" in said(made)
    assert saved(keys(made, "1")).note == "odd"
