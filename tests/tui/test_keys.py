"""The key table and a user's changes to it."""

from __future__ import annotations

from typing import Any

import pytest

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.tui.draft.deeds import DEEDS
from tui_annotate.tui.draft.viewing.deeds import DEEDS as LOOKING
from tui_annotate.tui.keys import items, suggestions, sync
from tui_annotate.tui.keys.annotate import ACTIONS
from tui_annotate.tui.keys.line import QUESTIONS
from tui_annotate.tui.keys.map import default_keys, key_map, shown, shown_keys, typed
from tui_annotate.tui.keys.review import ALL_STATES as STATES
from tui_annotate.tui.keys.review import REVIEWING
from tui_annotate.tui.keys.view import ALL_ACTIONS, VIEWING

ALL_STATES = STATES + VIEWING


def test_every_action_has_one_id_and_words_that_fit_a_line() -> None:
    """Ids are unique, help fits 50 cells, states are known."""
    assert len({action.id for action in ALL_ACTIONS}) == len(ALL_ACTIONS)
    for action in ALL_ACTIONS:
        assert action.states
        assert set(action.states) <= set(ALL_STATES)
        assert all(0 < len(action.words(state)) <= 50 for state in action.states)


def test_every_action_has_a_deed_and_every_deed_an_action() -> None:
    """The table and the deeds name the same things; options and notes have their own ways."""
    own_way = {"option.choose", "option.list", "note.write", "comment.write"}
    tables = (*ACTIONS, *items.ACTIONS, *suggestions.ACTIONS, *sync.ACTIONS)
    bound = {action.id for action in tables if action.states != "N"}
    assert bound - own_way == set(DEEDS)


@pytest.mark.parametrize("state", list(ALL_STATES))
def test_one_key_has_one_meaning_in_a_state(state: str) -> None:
    """No two actions share a key in a state."""
    keys = [key for action in ALL_ACTIONS if state in action.states for key in action.keys]
    assert len(keys) == len(set(keys))


def test_a_key_of_annotating_keeps_its_meaning_in_review() -> None:
    """Whatever acts in both is one action; review's own keys mean nothing elsewhere."""
    elsewhere = {key for action in ACTIONS if action.states != "N" for key in action.keys}
    own = [action for action in ALL_ACTIONS if action.states == REVIEWING]
    assert own
    assert not elsewhere & {key for action in own for key in action.keys}


def test_a_key_of_annotating_keeps_its_meaning_over_a_file() -> None:
    """What acts on a file that is looked at looks; its own keys mean nothing elsewhere."""
    shared = {action.id for action in ACTIONS if action.states != "N"}
    bound = {action.id for action in ALL_ACTIONS if VIEWING in action.states}
    assert bound - {"option.choose"} == set(LOOKING)
    elsewhere = {key for one in ALL_ACTIONS if one.states != VIEWING for key in one.keys}
    own = [action for action in ALL_ACTIONS if action.states == VIEWING]
    assert {action.id for action in own} == bound - shared
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
        for state, cell in zip("RSVLNE", cells, strict=True):
            acts = default_keys().action(key, state)
            fixed_note = acts.startswith("note.") and state == "N"
            assert fixed_note or acts == (name if cell == state else ""), (key, state)


def test_a_change_replaces_the_keys_of_its_action_alone() -> None:
    """A user's keys stand instead of the default ones; all others stay."""
    keys = key_map({"sentence.next": ["K", "pagedown"], "page.next": []})
    assert keys.action("K", "R") == keys.action("pagedown", "R") == "sentence.next"
    assert keys.action("down", "R") == keys.action("j", "R") == ""
    assert keys.action("k", "R") == "sentence.previous"
    assert key_map({"undo": "Z"}).action("Z", "S") == "undo"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sentence.nxt": "K"}, "'sentence.nxt' is no action, is it 'sentence.next'?"),
        ({"option.choose": "a"}, "the keys of 'option.choose' can not be changed"),
        ({"undo": 3}, "'undo' is 3, not a key"),
        ({"undo": ["u", 3]}, "not a key or a list of keys"),
        ({"undo": "5"}, "'5' is a digit"),
        ({"undo": "not a key!!"}, "'not a key!!' is no key"),
        ({"undo": ""}, "'' is no key"),
        ({"undo": "ctrl+i"}, "can not tell 'ctrl+i' from 'tab'"),
        ({"undo": "hyper+u"}, "modifier"),
        ({"undo": "shift+u"}, "write 'shift+u' as the character"),
        ({"undo": "n"}, "'n' would do both 'match.next' and 'undo'"),
    ],
)
def test_a_wrong_map_is_refused_with_the_reason(changes: dict[str, Any], words: str) -> None:
    """Whatever is wrong is named with its value."""
    with pytest.raises(InvalidInput) as refused:
        key_map(changes)
    assert words in refused.value.message
    assert "default keys" in refused.value.hint


def test_a_map_is_refused_whole_and_all_reasons_are_told() -> None:
    """Two mistakes are two reasons in one message."""
    with pytest.raises(InvalidInput, match=r"'5' is a digit.*'nix' is no action"):
        key_map({"undo": "5", "nix": "K"})


@pytest.mark.parametrize("key", ["J", "M", "T", "O", "Y", "*", "ctrl+o"])
def test_a_users_own_key_goes_before_one_that_came_later(key: str) -> None:
    """A key map from before judging and sharing holds; what gives way is in the palette then."""
    later = default_keys().action(key, "R")
    keys = key_map({"sample.skip": key})
    assert keys.action(key, "R") == "sample.skip"
    assert later
    assert keys.get(later).keys == ()
    assert keys.action("M", "J") == "rivals.merge"


def test_one_key_may_do_two_things_in_two_states() -> None:
    """A clash is one within a state: `e` has no meaning while selecting."""
    assert key_map({"select.other-end": ["o"], "annotation.edit": "E"}).action("E", "R")


def test_help_and_line_say_what_acts_here() -> None:
    """Help lists the state's own words by group; the key line has short names."""
    groups = dict(default_keys().help("V"))
    assert ("Space", "take the selection, else the sentence, as evidence") in groups["Evidence"]
    assert ("Enter", "back to the summary") in groups["Sample"]
    assert "Note" in dict(default_keys().help("N"))


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_key_line_fits_what_is_asked(question: str) -> None:
    """Each question names its own keys, which act on it (or once it is cancelled), and the way out.

    No two questions have the same line.
    """
    keys = default_keys()
    line = keys.line("L", question=question, digits="1-2")
    acting = [name for name, _ in QUESTIONS[question] if "L" in keys.get(name).states]
    assert {name for name, _ in QUESTIONS[question]} - set(acting) <= {"pane.other"}
    assert ("Backspace", "cancel") in line or ("Backspace", "cancel, then") in line
    assert ("1-2", "choose") in line or "option.choose" not in acting
    others = [keys.line("L", question=other) for other in QUESTIONS if other != question]
    assert keys.line("L", question=question) not in others


def test_the_key_line_of_an_edit_begins_with_its_ways_out() -> None:
    """To save it and to leave it, on the narrowest screen too; each key stands there once."""
    line = default_keys().line("E")
    assert line[:2] == (("Enter", "save"), ("e", "leave"))
    assert len(set(line)) == len(line) == len({key for key, _ in line})
    assert "leave" not in dict(default_keys().line("R")).values()


def test_keys_are_shown_as_people_read_them() -> None:
    """Arrows are arrows, names have capitals, digits are a range."""
    assert [shown(key) for key in ("down", "ctrl+d", "f1", "space", "+", "N")] == [
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
    assert typed(name, character) == key
