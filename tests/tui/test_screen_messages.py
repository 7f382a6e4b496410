"""The catalogues of the screens' texts: fields, terms, edges, and the keys that sentences name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from string import Formatter

import pytest

from tests.helpers.screen_texts import catalogues, forms
from tests.project.test_terms import faults
from tui_annotate.editor.actions import ACTIONS
from tui_annotate.editor.key_map import key_label
from tui_annotate.editor.key_state import ANNOTATING, NOTE, OPTION, REVIEWING, VIEWING, KeyState
from tui_annotate.editor.messages import LineText, MessageCode
from tui_annotate.editor.review.messages import ReviewText
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.view.messages import ViewText

STATES = {
    MessageCode: ANNOTATING | OPTION | NOTE | VIEWING,
    LineText: ANNOTATING | OPTION | NOTE,
    ReviewText: ANNOTATING | OPTION | NOTE | REVIEWING,
    ViewText: VIEWING,
}
"""The states of the keys that the texts of a catalogue may name."""


NAMED_KEY = re.compile(
    r"(?<![\w{'-])(?<!\} )(Enter|Backspace|Space|Tab|Esc|[A-Za-z]|[>+*?])"
    r"(?= (?:[A-Za-z]+s|edit|delete|undo|redo|note|next|hide|off|queue|list|keys|merge|remove|save|"
    r"vectors|words|again|itself|then|one|all|back|and|to|first|stops|cancel|first|the)\b)"
)
"""A key before what it does, as in `u undo`."""

PRONOUN = re.compile(r"\b[aA] (?!deletes|next|focus|to)")
"""The article, which looks like the key `a`."""


@cache
def keys_of(states: KeyState) -> set[str]:
    """The keys of actions in states, as screens show them."""
    found = (action for action in ACTIONS if action.states & states)
    return {key_label(key) for action in found for key in action.keys}


def text_faults(catalogue: type[ScreenMessage], text: str) -> Iterator[str]:
    """What is wrong with a text of a catalogue."""
    for _, name, *_ in Formatter().parse(text):
        if name is not None and not re.fullmatch("[a-z][a-z_]*", name):
            yield f"a field without a plain name: {name!r}"
    if text != text.strip():
        yield "a blank at an edge"
    if text.startswith(("·", ",", ";", ":")):
        yield "a separator at the start"
    yield from faults(text)
    if catalogue in STATES:
        named = set(NAMED_KEY.findall(PRONOUN.sub("", text)))
        for key in sorted(named - keys_of(STATES[catalogue])):
            yield f"no action of these states has the key {key}"


def test_each_text_is_whole() -> None:
    """Named fields only, no blank at the edges, standard terms, and keys that exist."""
    found = [
        f"{code}: {fault}: {text!r}"
        for catalogue in catalogues()
        for code in catalogue
        for text in forms(code.value)
        for fault in text_faults(catalogue, text)
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("{} of {count}", "a field without a plain name: ''"),
        ("Saved ", "a blank at an edge"),
        ("· saved", "a separator at the start"),
        ("it stands here", "'stands'"),
        ("Saved · Z undo", "no action of these states has the key Z"),
    ],
)
def test_a_text_that_is_not_whole_is_found(text: str, fault: str) -> None:
    """Each fault has a text of its own."""
    (found,) = text_faults(MessageCode, text)
    assert fault in found


def test_fields_are_filled_in() -> None:
    """By their names; a field that is missing is an error of the program."""
    assert "3 of 7" in MessageCode.AT_HIT.text(number=3, count=7, what="tea")
    with pytest.raises(KeyError):
        MessageCode.AT_HIT.text(number=3)


def test_the_check_finds_keys() -> None:
    """A key that does something is found, and one that no action has is not among the keys."""
    assert NAMED_KEY.findall("Saved · u undo · Backspace drops it") == ["u", "Backspace"]
    assert "Z" not in keys_of(ANNOTATING | OPTION | NOTE | REVIEWING | VIEWING)
    assert len(catalogues()) > 10
