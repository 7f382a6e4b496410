"""The key table and a user's changes to it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.editor.draft_samples import draft
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.editor import key_lines
from tui_annotate.editor.action import NO_NEED, find_needs
from tui_annotate.editor.actions import ACTIONS, action_of
from tui_annotate.editor.key_lines import QUESTIONS
from tui_annotate.editor.key_map import default_keys, key_label, key_map, shown_keys, table_key
from tui_annotate.editor.key_state import (
    ANNOTATING,
    EDITING,
    NOTE,
    OPTION,
    READING,
    REVIEWING,
    SELECTING,
    SOURCE,
    VIEWING,
    KeyState,
)
from tui_annotate.editor.review.press import REVIEW_HANDLERS
from tui_annotate.editor.view.press import VIEW_HANDLERS

ALL = ~NO_NEED


def acting(states: KeyState) -> set[str]:
    """The ids of what acts in any of some states."""
    return {action.id for action in ACTIONS if states & action.states}


def test_every_action_has_one_id_and_words_that_fit_a_line() -> None:
    """Ids are unique, help fits 50 cells."""
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert action.states
        assert all(0 < len(action.words(state)) <= 50 for state in action.states)


FEATURES = {"document.order", "gold.show", "positions.show"}
"""What features handle that are plug-ins; `tests/lab/test_isolation.py` says that they do."""

OPTIONS = {"option.choose", "option.list"}
"""Digits have a way of their own: `press` knows which one it was."""


def test_annotating_handles_every_action() -> None:
    """Options are handled by `press`, which has the digit."""
    handled = {action.id for action in ACTIONS if action.do}
    assert handled == acting(ANNOTATING | OPTION) - OPTIONS - FEATURES


def test_review_handles_every_action_and_no_other() -> None:
    """What review has no way of its own for does what it does to annotators."""
    own = set(REVIEW_HANDLERS)
    shared = {action.id for action in ACTIONS if action.do}
    assert own <= acting(REVIEWING)
    assert acting(REVIEWING) - OPTIONS <= own | shared | FEATURES


def test_looking_handles_every_action_and_no_other() -> None:
    """Over a file nothing else acts."""
    own = set(VIEW_HANDLERS)
    shared = {action.id for action in ACTIONS if action.do}
    assert own <= acting(VIEWING)
    assert acting(VIEWING) - OPTIONS <= own | shared


def test_key_lines_name_actions_alone() -> None:
    """Each has a name of one or two words, usual or for that line."""
    lines = [value for name, value in vars(key_lines).items() if name.endswith("_LINE")]
    assert len(lines) == 5
    for line in (*lines, *key_lines.STATE_LINES.values(), *QUESTIONS.values()):
        assert all(action_of(name).id == name and short for name, short in line)


def test_flags_fit_one_another() -> None:
    """What is done unseen in a small window alters nothing; what waits for marks walks them."""
    assert {one.id for one in ACTIONS if one.small_window} == {"app.quit", "palette.show"}
    assert not any(one.early and one.small_window for one in ACTIONS)
    assert {one.id for one in ACTIONS if one.after_search} == {"item.next", "item.previous"}
    nothing = action_of("")
    assert not (nothing.early)
    assert not (nothing.in_small_window)
    assert not (nothing.after_save)


@pytest.mark.parametrize("state", list(KeyState))
def test_one_key_has_one_meaning_in_a_state(state: KeyState) -> None:
    """No two actions share a key in a state."""
    keys = [key for action in ACTIONS if state in action.states for key in action.keys]
    assert len(keys) == len(set(keys))


FIRST = [action for action in ACTIONS if not action.yields and action.states & ANNOTATING]
"""The actions of annotating that every key map knows."""


def test_a_key_of_annotating_keeps_its_meaning_in_review() -> None:
    """Whatever acts in both is one action; review's own keys mean nothing elsewhere."""
    elsewhere = {key for action in FIRST for key in action.keys}
    own = [action for action in ACTIONS if action.states == REVIEWING]
    assert own
    assert not elsewhere & {key for action in own for key in action.keys}


def test_a_key_of_annotating_keeps_its_meaning_over_a_file() -> None:
    """What acts on a file that is looked at looks; its own keys mean nothing elsewhere."""
    shared = {action.id for action in ACTIONS if action.states != NOTE and action in FIRST}
    elsewhere = {key for one in ACTIONS if one.states != VIEWING for key in one.keys}
    own = [action for action in ACTIONS if action.states == VIEWING]
    assert {action.id for action in own} == acting(VIEWING) - shared
    assert not elsewhere & {key for action in own for key in action.keys}


# The table of states and keys that the screen promises; a dash acts on nothing there.
TABLE = """
sentence.next       down j    R S V - - E
sentence.previous   up k      R S V - - E
char.previous       left h    R S V - - E
char.next           right l   R S V - - E
word.next           w         R S V - - E
word.previous       b         R S V - - E
word.hint           f         R S V - - E
select.here         v         R S V - - E
select.other-end    o         - S V - - E
select.grow         .         R S V - - E
select.shrink       ,         R S V - - E
match.next          n         R S V L - E
match.previous      N         R S V L - E
evidence.take       space     R S V L - E
pane.other          tab       R S V - - E
option.choose       1 9       R S V L - E
option.list         0         R S V L - E
sample.done         enter     R S V L - E
back                backspace escape R S V L - E
note.write          m         R S V - - E
annotation.edit     e         R - - - - E
annotation.delete   x         R - - - - E
annotation.next     a         R S V - - E
annotation.previous A         R S V - - E
document.next       d         R S V - - E
document.previous   D         R S V - - E
label.repeat        r         R S V - - E
label.former        R         R S V - - E
undo                u         R S V L - E
redo                U         R S V L - E
sample.skip         s         R S V - - E
sample.flag         !         R S V - - E
sample.next         >         R S V - - E
sample.previous     <         R S V - - E
text.find           /         R S V - - E
signals.next        t         R S V - - E
text.lacking        i         R S V - - E
item.next           c         R S V - - E
item.previous       C         R S V - - E
request.show        g         R S V - - E
layout.next         z         R S V - - E
app.back            q         R S V - - E
suggestion.accept   y         R - - - - -
suggestion.hide     Y         R S V - - E
help.show           ?         R S V - - E
palette.show        : ctrl+p  R S V - - E
"""


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_the_table_of_states_holds(row: str) -> None:
    """Each key acts in the states it is promised for, and in no other."""
    name, *rest = row.split()
    keys, cells = rest[:-6], rest[-6:]
    for key in keys:
        for state, cell in zip(list(KeyState)[:6], cells, strict=True):
            acts = default_keys().action(key, state)
            fixed_note = acts.startswith("note.") and state is NOTE
            assert fixed_note or acts == (name if cell != "-" else ""), (key, state)


def test_a_change_replaces_the_keys_of_its_action_alone() -> None:
    """A user's keys stand instead of the default ones; all others stay."""
    keys = key_map({"sentence.next": ["K", "pagedown"], "page.next": []})
    assert keys.action("K", READING) == keys.action("pagedown", READING) == "sentence.next"
    assert keys.action("down", READING) == keys.action("j", READING) == ""
    assert keys.action("k", READING) == "sentence.previous"
    assert key_map({"undo": "Z"}).action("Z", SELECTING) == "undo"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sentence.nxt": "K"}, ["'sentence.nxt'", "'sentence.next'"]),
        ({"option.choose": "a"}, ["'option.choose'"]),
        ({"undo": 3}, ["'undo'", "3"]),
        ({"undo": ["u", 3]}, ["'undo'", "['u', 3]"]),
        ({"undo": "5"}, ["'5'"]),
        ({"undo": "not a key!!"}, ["'not a key!!'"]),
        ({"undo": ""}, ["''"]),
        ({"undo": "ctrl+i"}, ["'ctrl+i'", "'tab'"]),
        ({"undo": "hyper+u"}, ["hyper"]),
        ({"undo": "shift+u"}, ["'shift+u'"]),
        ({"undo": "n"}, ["'n'", "'match.next'", "'undo'"]),
    ],
)
def test_a_wrong_map_is_refused_with_the_reason(changes: dict[str, Any], words: list[str]) -> None:
    """Whatever is wrong is named with its value."""
    with pytest.raises(InvalidInput) as refused:
        key_map(changes)
    assert all(word in refused.value.message for word in words)
    assert refused.value.hint


def test_a_map_is_refused_whole_and_all_reasons_are_told() -> None:
    """Two mistakes are two reasons in one message."""
    with pytest.raises(InvalidInput, match=r"'5'.*'nix'"):
        key_map({"undo": "5", "nix": "K"})


@pytest.mark.parametrize("key", ["J", "M", "T", "O", "Y", "*", "ctrl+o"])
def test_a_users_own_key_goes_before_one_that_came_later(key: str) -> None:
    """A key map from before judging and sharing holds; what gives way is in the palette then."""
    later = default_keys().action(key, READING)
    keys = key_map({"sample.skip": key})
    assert keys.action(key, READING) == "sample.skip"
    assert later
    assert keys.get(later).keys == ()
    assert keys.action("M", REVIEWING) == "rivals.merge"


def test_one_key_may_do_two_things_in_two_states() -> None:
    """A clash is one within a state: `e` has no meaning while selecting."""
    assert key_map({"select.other-end": ["o"], "annotation.edit": "E"}).action("E", READING)


def test_help_and_line_say_what_acts_here() -> None:
    """Help lists the state's own words by group; the key line has short names."""
    groups = dict(default_keys().help(SOURCE, ALL))
    evidence = default_keys().get("evidence.take")
    back = default_keys().get(default_keys().action("enter", SOURCE))
    for key, action in (("Space", evidence), ("Enter", back)):
        assert (key, action.words(SOURCE)) in groups[action.group]
        assert action.words(SOURCE) != action.words(READING)
    assert "Note" in dict(default_keys().help(NOTE, ALL))


def test_the_help_for_a_selection_ends_with_its_movements() -> None:
    """One title says once what all of them do; the actions on the selection come first."""
    titles = [group.title for group in default_keys().help(SELECTING, ALL)]
    end = action_of("sentence.next").group_in(SELECTING)
    assert titles[-2:] == [end, "Move"]
    moves = dict(dict(default_keys().help(SELECTING, ALL))[end])
    assert moves["↓ j"] == action_of("sentence.next").words(READING)
    assert len(moves) == 14
    assert titles[:2] == ["Evidence", "Label"]
    assert next(group.title for group in default_keys().help(READING, ALL)) == "Move"


OF_LABELS = ("child", "evidence", "evidence by hand", "reason")
"""What is asked after a label was chosen."""


@pytest.mark.parametrize("question", OF_LABELS)
def test_the_key_line_fits_what_is_asked(question: str) -> None:
    """Each question names its own keys, which act on it (or once it is cancelled), and the way out.

    No two questions have the same line.
    """
    keys = default_keys()
    line = keys.line(OPTION, question=question, digits="1-2")
    acting = [name for name, _ in QUESTIONS[question] if OPTION in keys.get(name).states]
    assert {name for name, _ in QUESTIONS[question]} - set(acting) <= {"pane.other"}
    assert ("Backspace", "cancel") in line or ("Backspace", "cancel, then") in line
    assert ("1-2", "choose") in line or "option.choose" not in acting
    others = [keys.line(OPTION, question=other) for other in OF_LABELS if other != question]
    assert keys.line(OPTION, question=question) not in others


def test_the_key_line_of_an_edit_begins_with_its_ways_out() -> None:
    """To save it and to leave it, on the narrowest screen too; each key stands there once."""
    line = default_keys().line(EDITING)
    assert line[:2] == (("Enter", "save"), ("e", "cancel"))
    assert len(set(line)) == len(line) == len({key for key, _ in line})
    assert "leave" not in dict(default_keys().line(READING)).values()


def test_keys_are_shown_as_people_read_them() -> None:
    """Arrows are arrows, names have capitals, digits are a range."""
    assert [key_label(key) for key in ("down", "ctrl+d", "f1", "space", "+", "N")] == [
        "↓", "ctrl+d", "F1", "Space", "+", "N",
    ]  # fmt: skip
    assert shown_keys(["1", "2", "3"]) == "1-3"
    assert shown_keys(["backspace", "escape"]) == "Backspace Esc"


@pytest.mark.parametrize(
    ("name", "character", "key"),
    [
        ("down", None, ("down", False)),
        ("full_stop", ".", (".", False)),
        ("N", "N", ("N", False)),
        ("space", " ", ("space", False)),
        ("ctrl+d", "\x04", ("ctrl+d", False)),
        ("ctrl+h", "\x08", ("backspace", False)),
        ("enter", "\r", ("enter", False)),
        ("x", "，", (",", False)),
        ("x", "。", (".", False)),
        ("x", "？", ("?", False)),
        ("x", "！", ("!", False)),
        ("x", "１", ("1", False)),
        ("x", "《", ("<", False)),
        ("x", "\u3000", ("space", False)),
        ("x", "中", ("", True)),
        ("x", "か", ("", True)),
        ("x", "é", ("é", False)),
    ],
)
def test_an_input_method_is_seen_and_its_punctuation_understood(
    name: str, character: str | None, key: tuple[str, bool]
) -> None:
    """Full-width punctuation is its ASCII twin; other wide characters say that a method is on."""
    assert table_key(name, character) == key


def test_the_help_names_what_can_apply_to_the_sample() -> None:
    """A pair of texts has no documents, items, questions or suggestions; moving works anyway."""
    keys = default_keys()
    plain = {keys for group in keys.help(READING, NO_NEED) for keys, _ in group.rows}
    full = {keys for group in keys.help(READING, ALL) for keys, _ in group.rows}
    assert {"T", "J", "=", "O", "ctrl+o"} <= full - plain
    assert not [
        words for _, rows in keys.help(READING, NO_NEED) for _, words in rows if "judge" in words
    ]


def test_a_sample_has_what_its_texts_have() -> None:
    """By its kind, its documents and its suggestions."""
    assert find_needs(draft()) == NO_NEED
