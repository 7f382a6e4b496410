"""Every key in every state: what the draft asks the screen to do."""

from __future__ import annotations

import pytest

from tests.editor.draft_samples import (
    INTRINSIC,
    SOURCE,
    anchor,
    code,
    draft,
    drop,
    key,
    keys,
    light,
    said,
    select,
    store,
)
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import cursor_actions, highlights
from tui_annotate.editor.actions import ACTIONS, action_of
from tui_annotate.editor.effects import (
    Accept,
    AskWords,
    Blink,
    Comment,
    Decline,
    Effects,
    Finish,
    Focus,
    GoTo,
    GrowSelection,
    Move,
    Open,
    OpenNote,
    Page,
    Rate,
    Remove,
    Reveal,
    Save,
    Select,
    SelectWord,
    SwapEnds,
    Undo,
)
from tui_annotate.editor.key_state import KeyState
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.press import press
from tui_annotate.editor.state import WHY, Draft, PendingQuestion, SideCursor

SUMMARY_SIDE, SOURCE_SIDE = Side.SUMMARY, Side.SOURCE


LETTERS = dict(zip("RSVLNE", KeyState, strict=False))
"""States by the letters of these tests."""


def in_state(state: str) -> Draft:
    """A draft in a state of the table, reached by keys."""
    made = draft()
    if state in "SL":
        select(made, "15 million")
    if state == "V":
        keys(made, "tab")
    if state == "L":
        keys(made, "8")
    if state == "N":
        keys(made, "m")
    if state == "E":
        store(made, keys(made, "1"))
        keys(made, "e")
    assert made.state is LETTERS[state]
    return made


def moved(side: Side, unit: str, step: int, extend: bool) -> Effects:
    """One movement."""
    return [Move(side, unit, step, extend)]


UNITS = [
    ("down", "sentence", 1),
    ("j", "sentence", 1),
    ("up", "sentence", -1),
    ("k", "sentence", -1),
    ("right", "char", 1),
    ("l", "char", 1),
    ("left", "char", -1),
    ("h", "char", -1),
    ("w", "word", 1),
    ("b", "word", -1),
    ("}", "paragraph", 1),
    ("{", "paragraph", -1),
    ("pagedown", "page", 1),
    ("pageup", "page", -1),
    ("ctrl+d", "half-page", 1),
    ("ctrl+u", "half-page", -1),
    ("home", "start", -1),
    ("end", "end", 1),
]


@pytest.mark.parametrize(("name", "unit", "step"), UNITS)
def test_arrows_move_and_a_selection_takes_its_free_end_along(
    name: str, unit: str, step: int
) -> None:
    """R, V and E move the cursor of their side; S moves the free end; L and N do nothing."""
    assert key(in_state("R"), name) == moved(SUMMARY_SIDE, unit, step, extend=False)
    assert key(in_state("V"), name) == moved(SOURCE_SIDE, unit, step, extend=False)
    assert key(in_state("E"), name) == moved(SUMMARY_SIDE, unit, step, extend=False)
    assert key(in_state("S"), name) == moved(SUMMARY_SIDE, unit, step, extend=True)
    on_source = in_state("V")
    select(on_source, "12 million", SOURCE_SIDE)
    assert key(on_source, name) == moved(SOURCE_SIDE, unit, step, extend=True)
    assert key(in_state("L"), name) == [Blink()]
    assert key(in_state("N"), name) in ([], [Blink()])


def test_shifted_arrows_select() -> None:
    """With shift, an arrow begins or moves the selection, in characters or sentences."""
    assert key(in_state("R"), "shift+right") == moved(SUMMARY_SIDE, "char", 1, extend=True)
    assert key(in_state("V"), "shift+up") == moved(SOURCE_SIDE, "sentence", -1, extend=True)


CELLS: list[tuple[str, str, Effects]] = [
    ("f", "R", [AskWords(SUMMARY_SIDE)]),
    ("f", "S", [AskWords(SUMMARY_SIDE)]),
    ("f", "V", [AskWords(SOURCE_SIDE)]),
    ("f", "E", [AskWords(SUMMARY_SIDE)]),
    ("v", "R", [SelectWord(SUMMARY_SIDE)]),
    ("v", "S", [Select(SUMMARY_SIDE, None)]),
    ("v", "V", [SelectWord(SOURCE_SIDE)]),
    ("o", "S", [SwapEnds(SUMMARY_SIDE)]),
    ("o", "V", []),
    (".", "R", [GrowSelection(SUMMARY_SIDE, 1)]),
    (".", "S", [GrowSelection(SUMMARY_SIDE, 1)]),
    (".", "V", [GrowSelection(SOURCE_SIDE, 1)]),
    (",", "R", [GrowSelection(SUMMARY_SIDE, -1)]),
    (",", "S", [GrowSelection(SUMMARY_SIDE, -1)]),
    (",", "V", [GrowSelection(SOURCE_SIDE, -1)]),
    ("n", "R", [Reveal(SOURCE_SIDE, 0, Span(0, 18))]),
    ("n", "S", [Reveal(SOURCE_SIDE, 0, Span(0, 18))]),
    ("n", "L", [Reveal(SOURCE_SIDE, 0, Span(0, 18))]),
    ("n", "V", [GoTo(SOURCE_SIDE, 0, 0)]),
    ("N", "R", [Reveal(SOURCE_SIDE, 0, Span(0, 18))]),
    ("tab", "R", [GoTo(SOURCE_SIDE, 0, 18), Focus(SOURCE_SIDE)]),
    ("tab", "S", [GoTo(SOURCE_SIDE, 0, 18), Focus(SOURCE_SIDE)]),
    ("tab", "V", [Select(SOURCE_SIDE, None), Focus(SUMMARY_SIDE)]),
    ("space", "R", []),
    ("space", "S", []),
    ("space", "V", [Select(SOURCE_SIDE, None), Focus(SUMMARY_SIDE)]),
    ("enter", "V", [Select(SOURCE_SIDE, None), Focus(SUMMARY_SIDE)]),
    ("backspace", "R", []),
    ("backspace", "S", [Select(SUMMARY_SIDE, None)]),
    ("escape", "S", [Select(SUMMARY_SIDE, None)]),
    ("backspace", "V", [Select(SOURCE_SIDE, None), Focus(SUMMARY_SIDE)]),
    ("backspace", "L", []),
    ("m", "R", [OpenNote("")]),
    ("m", "S", [OpenNote("")]),
    ("m", "V", [OpenNote("")]),
    ("e", "S", [Blink()]),
    ("x", "S", [Blink()]),
    ("e", "V", [Blink()]),
    ("a", "R", []),
    ("u", "R", [Undo()]),
    ("u", "S", [Undo()]),
    ("u", "V", [Undo()]),
    ("U", "R", [Undo(redo=True)]),
    ("u", "L", []),
    ("U", "L", []),
    ("<", "R", [Open(Page.SAMPLE, -1)]),
    (">", "S", [Open(Page.SAMPLE, 1)]),
    (">", "V", [Open(Page.SAMPLE, 1)]),
    ("/", "R", [Open(Page.FIND)]),
    ("/", "V", [Open(Page.FIND)]),
    ("g", "S", [Open(Page.REQUEST)]),
    ("z", "V", [Open(Page.LAYOUT)]),
    ("q", "R", [Open(Page.QUEUE)]),
    ("q", "S", [Open(Page.QUEUE)]),
    ("q", "V", [Open(Page.QUEUE)]),
    ("G", "R", [Open(Page.JUMP)]),
    ("?", "E", [Open(Page.HELP)]),
    (":", "S", [Open(Page.PALETTE)]),
    ("0", "R", [Open(Page.LABELS)]),
    ("0", "V", [Open(Page.LABELS)]),
    ("ctrl+q", "L", [Open(Page.QUIT)]),
]
CELLS += [(name, "L", [Blink()]) for name in [*"fvo.,meaxrs!<>/gzq?:dDG", "tab", "9"]]


@pytest.mark.parametrize(("name", "state", "wanted"), CELLS)
def test_a_cell_of_the_table(name: str, state: str, wanted: Effects) -> None:
    """The key does in the state what the table says."""
    assert key(in_state(state), name) == wanted


@pytest.mark.parametrize("name", [*"fvo.,nmeaxurs!<>/gzq?:190", "space", "down"])
def test_in_a_note_the_keys_belong_to_the_note(name: str) -> None:
    """N: nothing of the table acts, and the note stays open."""
    made = in_state("N")
    assert key(made, name) in ([], [Blink()])
    assert made.state is KeyState.NOTE


@pytest.mark.parametrize("action", [action.id for action in ACTIONS if action.do])
def test_no_action_reaches_under_a_question_or_a_note(action: str) -> None:
    """Nor one of the palette or the mouse: a note goes on, a question blinks at all but answers."""
    made = in_state("N")
    assert press(made, action) == []
    assert made.state is KeyState.NOTE
    if not action_of(action).while_pending:
        made = in_state("L")
        assert press(made, action) == [Blink()]
        assert made.state is KeyState.OPTION


def test_space_takes_the_focused_match_and_gives_it_back() -> None:
    """Nothing is evidence before Space; a second Space gives it back."""
    made = in_state("S")
    assert made.evidence == []
    keys(made, "space")
    budget = anchor(made, "The budget was 12 million.", SOURCE_SIDE)
    assert made.evidence == [budget]
    assert made.matches[SOURCE_SIDE][0].rank == 1
    assert made.taken(made.matches[SOURCE_SIDE][0])
    keys(made, "n space")
    assert made.evidence == [budget, anchor(made, "Critics hated it.", SOURCE_SIDE)]
    keys(made, "n space")
    assert [one.span.start for one in made.evidence] == [0]


def test_space_in_the_source_takes_the_sentence_or_the_exact_selection() -> None:
    """V: the selection goes before the sentence, and the summary has the keys again."""
    made = in_state("V")
    cursor_actions.set_pointer(made, SOURCE_SIDE, SideCursor(0, SOURCE.index("rained")))
    keys(made, "space")
    assert made.state is KeyState.READING
    assert made.evidence == [anchor(made, "It rained.", SOURCE_SIDE)]
    keys(made, "tab")
    select(made, "12 million", SOURCE_SIDE)
    keys(made, "space")
    assert made.evidence[-1] == anchor(made, "12 million", SOURCE_SIDE)


def test_evidence_stays_while_the_claim_changes_and_goes_back_by_backspace() -> None:
    """Another claim keeps what was taken; Backspace gives back the last."""
    made = draft()
    keys(made, "space n space")
    select(made, "loved")
    assert len(made.evidence) == 2
    keys(made, "backspace")
    cursor_actions.set_pointer(made, SUMMARY_SIDE, SideCursor(0, 40))
    assert len(made.evidence) == 2
    keys(made, "backspace")
    assert [one.span.start for one in made.evidence] == [18]
    keys(made, "backspace backspace")
    assert made.evidence == []


def test_a_click_on_a_match_takes_it() -> None:
    """The mouse focuses and takes in one; an unknown rank blinks."""
    made = draft()
    assert highlights.take_match(made, 2) == []
    assert made.focused_ranks[SOURCE_SIDE] == 2
    assert len(made.evidence) == 1
    assert highlights.take_match(made, 9) == [Blink()]


def test_without_a_match_space_says_how_to_find_evidence() -> None:
    """Nothing lit: nothing taken, and the way is told."""
    made = draft()
    light(made)
    assert keys(made, "space") == [Blink()]
    assert code(made) is MessageCode.NO_MATCH_TO_TAKE
    assert keys(made, "n") == []
    assert code(made) is MessageCode.NO_MATCH_LIT


def test_walking_matches_goes_round() -> None:
    """N after the last is the first; N before the first is the last."""
    made = draft()
    ranks = []
    for name in "nnNN":
        key(made, name)
        ranks.append(made.focused_ranks[SOURCE_SIDE])
    assert ranks == [2, 1, 2, 1]


def test_in_the_source_n_walks_what_is_lit_in_the_summary_if_only_that_is_lit() -> None:
    """V without source matches: the summary's lit sentences come into sight, the cursor stays."""
    made = in_state("V")
    light(made)
    light(made, (1, 0.8), (2, 0.7), side=SUMMARY_SIDE)
    assert keys(made, "n") == [Reveal(SUMMARY_SIDE, 0, Span(47, 59))]


def test_lighting_brings_the_best_into_sight_and_none_where_none_is_found() -> None:
    """A new answer focuses its first match; an empty one focuses nothing."""
    made = draft()
    assert light(made, (3, 0.5)) == [Reveal(SOURCE_SIDE, 0, Span(56, 64))]
    assert light(made) == []
    assert made.focused_ranks[SOURCE_SIDE] == 0


def test_search_hits_are_walked_instead_of_matches_until_backspace() -> None:
    """While searching, n and N walk hits; Backspace ends the search and gives nothing back."""
    made = draft()
    keys(made, "space")
    cursor_actions.set_pointer(made, SUMMARY_SIDE, SideCursor(0, 10))
    hits = [Span(4, 8), Span(22, 24), Span(40, 42)]
    assert highlights.show_hits(made, "it", hits) == [GoTo(SUMMARY_SIDE, 0, 22)]
    assert code(made) is MessageCode.AT_HIT
    assert dict(made.message.fields) == {"number": 2, "count": 3, "what": "it"}
    assert keys(made, "n") == [GoTo(SUMMARY_SIDE, 0, 40)]
    assert keys(made, "n") == [GoTo(SUMMARY_SIDE, 0, 4)]
    assert keys(made, "N") == [GoTo(SUMMARY_SIDE, 0, 40)]
    keys(made, "backspace")
    assert made.search.hits == ()
    assert len(made.evidence) == 1
    assert highlights.show_hits(made, "zebra", []) == []
    assert code(made) is MessageCode.NO_HIT
    assert made.message.fields["what"] == "zebra"


def test_tab_says_so_where_there_is_no_source() -> None:
    """A sample without a source has no other side."""
    made = draft(sources=())
    assert keys(made, "tab") == [Blink()]
    assert made.state is KeyState.READING
    assert code(made) is MessageCode.NO_SOURCE


def test_documents_are_walked_where_there_are_several() -> None:
    """D and D ask for the next document; with one alone they say so."""
    assert keys(draft(sources=(SOURCE, "More.")), "d") == [Open(Page.DOCUMENT, 1)]
    assert keys(draft(sources=(SOURCE, "More.")), "D") == [Open(Page.DOCUMENT, -1)]
    one = draft()
    assert keys(one, "d") == [Blink()]
    assert code(one) is MessageCode.ONE_DOCUMENT_ONLY


def test_annotations_are_walked_from_the_cursor_and_round() -> None:
    """The next one from the cursor on; A the previous one; evidence comes along."""
    made = draft()
    keys(made, "space")
    first = store(made, keys(made, "1"))
    select(made, "Nobody died")
    second = store(made, keys(made, "3"))
    cursor_actions.set_pointer(made, SUMMARY_SIDE, SideCursor(0, 30))
    made.enable_digits()
    assert keys(made, "a") == [GoTo(SUMMARY_SIDE, 0, 47)]
    assert made.focused == second.id
    assert keys(made, "a") == [
        GoTo(SUMMARY_SIDE, 0, 0),
        Reveal(SOURCE_SIDE, 0, Span(18, 44)),
    ]
    assert made.focused == first.id
    assert said(made).startswith("A Intrinsic")
    assert keys(made, "A") == [GoTo(SUMMARY_SIDE, 0, 47)]
    cursor_actions.set_pointer(made, SUMMARY_SIDE, SideCursor(0, 0))
    light(made, (3, 0.5))
    keys(made, "tab A")
    assert keys(made, "A") == [GoTo(SUMMARY_SIDE, 0, 47)]


def test_a_focused_annotation_shows_its_own_evidence_not_the_best_match() -> None:
    """Evidence goes before matches when an annotation is looked at."""
    made = draft()
    keys(made, "n space")
    first = store(made, keys(made, "1"))
    cursor_actions.set_pointer(made, SUMMARY_SIDE, SideCursor(0, 0))
    keys(made, "a")
    assert made.current_anchor(SUMMARY_SIDE) == first.claim[0]
    assert light(made, (1, 0.9)) == [Reveal(SOURCE_SIDE, 0, Span(0, 17))]


def test_delete_and_edit_need_an_annotation_in_focus() -> None:
    """X and e without one say how to get one; with one they act."""
    made = draft()
    assert keys(made, "x") == [Blink()]
    assert code(made) is MessageCode.NO_ANNOTATION_TO_DELETE
    assert keys(made, "e") == [Blink()]
    assert code(made) is MessageCode.NO_ANNOTATION_TO_EDIT
    saved = store(made, keys(made, "1"))
    removal = keys(made, "x")
    assert removal == [Remove(saved)]
    drop(made, removal)
    assert made.annotations == ()
    assert made.focused == ""
    assert said(made) == "deleted"


def test_leaving_waits_for_an_edit_to_end() -> None:
    """q, <, >, s and ! during an edit say what to do first."""
    for name in "q<>s!G":
        made = in_state("E")
        assert keys(made, name) == [Blink()]
        assert code(made) is MessageCode.FINISH_EDIT_BEFORE_LEAVING


def test_the_mouse_gives_its_side_the_keys_and_wakes_the_digits() -> None:
    """A click in the source is V; one at the same place changes nothing."""
    made = draft()
    store(made, keys(made, "1"))
    cursor_actions.set_pointer(made, SOURCE_SIDE, SideCursor(0, 20), by_hand=True)
    assert made.state is KeyState.SOURCE
    assert not made.digits_off
    made.focus_annotation("")
    cursor_actions.set_pointer(made, SOURCE_SIDE, SideCursor(0, 20), by_hand=True)
    assert made.digits_off


def test_another_document_ends_the_search_in_it() -> None:
    """Hits belong to one text."""
    made = draft(sources=(SOURCE, "More rain."))
    keys(made, "tab")
    highlights.show_hits(made, "rain", [Span(47, 51)])
    cursor_actions.set_pointer(made, SOURCE_SIDE, SideCursor(1, 0))
    assert made.search.hits == ()


def test_reasons_and_parents_are_both_options() -> None:
    """L is entered by a parent and by a flag; the bar then shows other options."""
    made = draft()
    keys(made, "!")
    assert made.pending == PendingQuestion("reason")
    assert [option.text for option in made.options()] == [each.text() for each in WHY["reason"]]
    keys(made, "backspace 8")
    assert made.pending == PendingQuestion("child", ("Unwanted",))
    assert [option.path for option in made.options()] == [INTRINSIC, ("Unwanted", "Extrinsic")]


CHANGES = (Accept, Comment, Decline, Finish, OpenNote, Rate, Remove, Save, Undo)
"""Effects that change stored work, or open a line for a text that would."""


@pytest.mark.parametrize("state", "RSV")
@pytest.mark.parametrize("focused", [False, True])
def test_what_changes_work_is_known(state: str, *, focused: bool) -> None:
    """An action that changes work, or begins to, is marked, so a read-only workspace refuses it."""
    for action in ACTIONS:
        made = in_state(state)
        if focused:
            made = draft()
            select(made, "15 million")
            store(made, key(made, "1"))
            keys(made, "a tab" if state == "V" else "a")
            if state == "S":
                select(made, "loved")
        effects = press(made, action.id, digit="1") if LETTERS[state] in action.states else []
        begun = made.evidence or made.pending or made.writing or made.editing or made.save_failed
        if begun or any(isinstance(effect, CHANGES) for effect in effects):
            assert LETTERS[state] in action.changes, action.id
