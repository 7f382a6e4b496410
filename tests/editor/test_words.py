"""The draft line: the promise in words, in every state."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.editor.draft_samples import (
    SUMMARY,
    anchor,
    draft,
    key,
    keys,
    light,
    said,
    segments_of,
    select,
    store,
)
from tui_annotate.domain.samples import Document, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import cursor_actions
from tui_annotate.editor.effects import Save
from tui_annotate.editor.state import LabelOption, SideCursor, letter
from tui_annotate.editor.words import digit_range, draft_line, quote_text


def test_it_says_what_the_next_digit_would_save() -> None:
    """A whole sentence by its number, words in quotes, evidence by match or sentence."""
    made = draft()
    assert draft_line(made) == ("Press 1-8 to label sentence 1, no evidence", "draft")
    select(made, "15 million pounds")
    assert said(made) == 'Press 1-8 to label "15 million pounds", no evidence'
    keys(made, "space")
    assert said(made) == 'Press 1-8 to label "15 million pounds", evidence: match 1'
    keys(made, "n space")
    light(made, (0, 0.9))
    evidence = "evidence: sentence 2, match 1"
    assert said(made) == f'Press 1-8 to label "15 million pounds", {evidence}'
    keys(made, "tab")
    select(made, "rained", Side.SOURCE)
    assert said(made) == 'Space takes "rained" as evidence for "15 million pounds" · Tab back'
    keys(made, "space")
    assert said(made).endswith(f'{evidence}, "rained"')


def test_a_selection_that_is_a_sentence_is_named_as_one() -> None:
    """Exactly one sentence selected: its number."""
    made = draft()
    select(made, "Nobody died.")
    assert "sentence 3" in said(made)
    select(made, "Nobody died")
    assert '"Nobody died"' in said(made)


def test_an_edit_that_was_left_is_not_told_as_saved() -> None:
    """Also where the annotation was saved just before; in the source, Space is told, not Enter."""
    made = draft()
    store(made, keys(made, "1"))
    keys(made, "e 3")
    assert said(made).startswith("Editing A: Intrinsic, Benign")
    keys(made, "tab")
    assert said(made) == "Space takes this sentence as evidence for sentence 1 · Tab back"
    keys(made, "tab u")
    assert said(made) == "A Intrinsic · e edit · m note · x delete"


def test_each_state_has_its_words() -> None:
    """Options, edits, letters, the source, sleep."""
    made = draft()
    keys(made, "8")
    assert (
        said(made)
        == "Unwanted: choose a sublabel (1-2) · Enter chooses Unwanted · Backspace cancels"
    )
    keys(made, "backspace 4")
    assert said(made).startswith("Sourced needs evidence: Space takes match 1 and saves")
    keys(made, "backspace !")
    assert said(made).startswith("Why flag it? Press 1-4")
    keys(made, "backspace tab")
    assert said(made) == "Space takes this sentence as evidence for sentence 1 · Tab back"
    keys(made, "space tab")
    report = "Space removes this sentence from the evidence for sentence 1 · Tab back"
    assert said(made) == report
    keys(made, "space tab")
    keys(made, "tab")
    cursor_actions.show_hints(made, [(Span(0, 3),)])
    assert said(made).startswith("Type the highlighted letters of the selection's first word")
    keys(made, "escape")
    saved = store(made, keys(made, "1"))
    assert said(made) == "Saved: Intrinsic · u undo · m note · e edit"
    keys(made, "e")
    assert said(made).startswith("Editing A: Intrinsic · sentence 1, no evidence")
    keys(made, "1")
    assert "no label" in said(made)
    keys(made, "e")
    made.annotations = (replace(saved, note="so it is"),)
    key(made, "a")
    assert said(made) == 'A Intrinsic · "so it is" · e edit · m note · x delete'
    made.drop_focus()
    assert said(made) == (
        "To label sentence 1, first move the cursor or select words, then press 1-8"
    )


def test_without_words_or_matches_it_says_so() -> None:
    """An empty summary; a label that wants evidence where nothing is lit."""
    made = draft()
    light(made)
    keys(made, "4")
    assert "Space" not in said(made)
    for words in (said(made), draft_line(made, CELLS)[0]):
        assert all(part in words for part in ("needs evidence: ", "Tab", "Enter", "complete"))
    assert cell_len(draft_line(made, CELLS)[0]) <= CELLS
    keys(made, "backspace")
    made.segments = (*made.segments[:-1], ())
    assert said(made) == (
        "There are no words at the cursor · Enter completes the sample · s skips it"
    )
    keys(made, "tab")
    assert said(made) == "Space takes this sentence as evidence · Tab back"


CELLS = 77
"""What the draft line has at 80 columns."""

NAMES = st.text(st.sampled_from("abcdefgh 不支持"), min_size=1, max_size=60).map(str.strip)
WORDS = st.text(st.sampled_from("ab cdé世界。"), min_size=1, max_size=300).filter(str.strip)
STATES = {  # keys that lead to a state, and what its line says however little room there is
    "": (" to label ", "no evidence"),
    "space": (" to label ", "evidence: match 1"),
    "space n space": (" to label ", "evidence: match 1, match 2"),
    "2": (" needs evidence: ", "Space takes match 1", "Enter: ", "to complete"),
    "1": ("choose a sublabel (1", "· Enter"),
    "!": ("Why flag it?", "Press 1-4", "0 other reason", "Enter no reason"),
    "tab": ("Space takes", "as evidence for"),
    "m": ("Note for ",),
    "3": ("Saved: ", "u undo", "m note", "e edit"),
    "3 e space": ("Editing A: ", "evidence: match 1", "Enter save"),
}


@pytest.mark.parametrize("pressed", STATES)
@given(names=st.lists(NAMES.filter(bool), min_size=3, max_size=3, unique=True), claim=WORDS)
def test_at_80_columns_nothing_that_matters_is_cut(
    pressed: str, names: list[str], claim: str
) -> None:
    """Whatever labels and claims are like, the line fits, and says what a key would do."""
    parent, wanting, plain = (json.dumps(name) for name in names)
    made = draft(
        f"- {{name: {parent}, key: '1', children: [child]}}\n"
        f"- {{name: {wanting}, key: '2', evidence: required}}\n- {{name: {plain}, key: '3'}}\n"
    )
    documents = (made.sample.documents[0], Document(Side.SUMMARY, f"{SUMMARY} {claim}"))
    made.sample = replace(made.sample, documents=documents)
    made.segments = (made.segments[0], segments_of(documents[1].text))
    select(made, claim)
    for name in pressed.split():
        effects = key(made, name)
        if any(isinstance(effect, Save) for effect in effects):
            store(made, effects)
    words, _ = draft_line(made, CELLS)
    assert cell_len(words) <= CELLS
    for part in STATES[pressed]:
        assert part in words


def test_hints_on_chinese_words_are_explained_at_80_columns() -> None:
    """Words that touch share a code; both ends of a selection are asked for in a line that fits."""
    made = draft()
    cursor_actions.show_hints(made, [(Span(0, 1), Span(1, 2)), (Span(2, 3), Span(3, 4))])
    for words in ("first word", "last word"):
        line, _ = draft_line(made, CELLS)
        assert line.startswith(f"Type the letters of the {words}")
        assert "capital" in line
        assert cell_len(line) <= CELLS
        assert made.hints is not None
        cursor_actions.press_hint_key(made, next(iter(made.hints.words)))


def test_with_room_nothing_is_left_out() -> None:
    """The middle of quotes goes before words, words before the ends of names."""
    made = draft()
    keys(made, "4")
    full = "Sourced needs evidence: Space takes match 1 and saves"
    enter = "Enter saves without evidence: add it before you complete the sample"
    assert draft_line(made, 150)[0] == f"{full} · {enter} · Backspace cancels"
    short = "Space takes match 1 · Enter: add it later, to complete"
    assert draft_line(made, CELLS)[0].endswith(short)
    made = draft()
    select(made, SUMMARY)
    keys(made, "tab")
    assert said(made).count("…") == 1
    assert draft_line(made, 80)[0].endswith('died." · Tab back')
    assert draft_line(made, CELLS)[0].endswith('died."')


def test_a_claim_of_several_spans_says_how_many_more() -> None:
    """Imported annotations may have them."""
    made = draft()
    saved = store(made, keys(made, "1"))
    more = replace(saved, claim=(*saved.claim, anchor(made, "Nobody", Side.SUMMARY)))
    made.annotations = (more,)
    keys(made, "e")
    assert "sentence 1 and 1 more" in said(made)


def test_long_text_loses_its_middle_and_its_line_breaks() -> None:
    """Quotes are one line, never wider than asked, wide characters counted twice."""
    assert quote_text("one\n two") == '"one two"'
    assert quote_text("abcdefghij", cells=7) == '"abc…hij"'
    assert quote_text("一二三四五六七八九十", cells=9) == '"一二…九十"'
    assert len(quote_text("x" * 1_000_000)) == 37


def test_digits_are_named_as_a_range_where_they_are_one() -> None:
    """Those that save; where none saves, those that open."""
    save = [LabelOption(digit, "x", ("x",)) for digit in "134"]
    assert digit_range(tuple(save)) == "1,3,4"
    assert digit_range(tuple(save[1:])) == "3-4"
    assert digit_range((LabelOption("2", "x", ("x",), opens=True),)) == "2"
    assert digit_range(()) == "0"


def test_letters_go_on_after_z() -> None:
    """Annotations are named like the columns of a sheet."""
    assert [letter(at) for at in (0, 25, 26, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


def test_an_offset_at_the_end_belongs_to_the_last_sentence() -> None:
    """The cursor may stand behind the last character."""
    made = draft()
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor(0, len(made.text(Side.SUMMARY))))
    assert "sentence 3" in said(made)


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (SampleKind.PAIR, "sample"),
        (SampleKind.QUESTION, "sample"),
        (SampleKind.REPORT, "report"),
        (SampleKind.DOCUMENT, "document"),
        (SampleKind.CITATION, "citation"),
    ],
)
def test_an_item_is_called_what_it_is(kind: SampleKind, word: str) -> None:
    """Where it is rated and where it is commented; of a report nobody expects evidence."""
    made = draft()
    made.sample = replace(made.sample, kind=kind)
    assert ("no evidence" in said(made)) == (kind is not SampleKind.REPORT)
    made.scale = ("good", "poor")
    keys(made, "*")
    assert said(made).startswith(f"Rate the {word}: press 1-2")
    keys(made, "backspace M")
    assert said(made) == f"Comment on the {word}:"


def test_an_open_note_says_what_it_is_on() -> None:
    """The sample, the claim in hand, an annotation, one that is on its way, a flag."""
    made = draft()
    keys(made, "m")
    assert said(made) == "Comment on the sample:"
    made.writing = None
    select(made, "loved")
    keys(made, "m")
    assert said(made) == 'Note for "loved":'
    made.writing = None
    effects = keys(made, "1")
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor())
    keys(made, "m")
    assert said(made) == "Note:"
    made.writing = None
    store(made, effects)
    keys(made, "m")
    assert said(made) == "Note on A Intrinsic:"
    made.writing = None
    keys(made, "! 0")
    assert said(made) == "Flagged because:"
