"""Styles of pieces, in every theme and on every terminal."""

from __future__ import annotations

from itertools import combinations

import pytest
from rich.style import Style

from tui_annotate.tui.palette import MONO, NAMES, make_palette
from tui_annotate.tui.text.piece_styles import (
    EVIDENCE,
    HINT,
    PLAIN,
    SELECTED,
    PieceStyles,
    StyleFlag,
    style_key,
)

CASES = [(name, native) for name in NAMES for native in (False, True)]


@pytest.fixture(params=CASES, ids=str)
def looks(request: pytest.FixtureRequest) -> PieceStyles:
    """The looks of one theme, with its own colours or the terminal's."""
    name, native = request.param
    return PieceStyles(make_palette(name, native=native))


def test_plain_text_costs_nothing(looks: PieceStyles) -> None:
    """What nothing lies on has no style, so no bytes."""
    assert looks[style_key(PLAIN, None, StyleFlag.NONE)] is None


def test_the_cursor_is_seen_everywhere(looks: PieceStyles) -> None:
    """Whatever lies below, the cursor changes it."""
    for ground in range(HINT):
        for slot in (None, 0):
            below = style_key(ground, slot, StyleFlag.NONE)
            assert looks[below | StyleFlag.CURSOR] not in {looks[below], None}


def test_one_annotation_is_told_from_two(looks: PieceStyles) -> None:
    """One line under the text, or two; on every ground."""
    for ground in range(HINT):
        one, two = (
            looks[style_key(ground, 0, StyleFlag.NONE)],
            looks[style_key(ground, 0, StyleFlag.OVERLAP)],
        )
        assert one is not None
        assert two is not None
        if ground != EVIDENCE:
            assert one.underline
        assert two.underline2
        assert one != two or ground == EVIDENCE


def test_the_focused_is_bold(looks: PieceStyles) -> None:
    """Among annotations and matches, what keys act on is bold."""
    for ground in range(6):
        style = looks[style_key(ground, 1, StyleFlag.FOCUSED)]
        assert style is not None
        assert style.bold


def test_selection_evidence_and_cursor_differ_without_colours() -> None:
    """On a terminal with nothing but attributes no two of these look alike."""
    mono = PieceStyles(make_palette(MONO))
    selected = style_key(SELECTED, None, StyleFlag.NONE)
    keys = [
        PLAIN,
        style_key(PLAIN, 0, StyleFlag.NONE),
        style_key(EVIDENCE, None, StyleFlag.NONE),
        selected,
        selected | StyleFlag.CURSOR,
        style_key(PLAIN, None, StyleFlag.CURSOR),
        selected | StyleFlag.CONFLICT,
        style_key(PLAIN, None, StyleFlag.LACKING),
        style_key(PLAIN, None, StyleFlag.CONFLICT | StyleFlag.FOCUSED),
        style_key(PLAIN, None, StyleFlag.SUGGESTED),
    ]
    for one, other in combinations(keys, 2):
        assert mono[one] != mono[other]


def test_what_words_have_to_do_with_the_other_text_is_seen_on_every_ground(
    looks: PieceStyles,
) -> None:
    """Shared, in conflict, lacking: each changes the look of whatever lies below."""
    for ground in (*range(6), SELECTED):
        below = style_key(ground, None, StyleFlag.NONE)
        seen = [
            looks[below | trait]
            for trait in (StyleFlag.SHARED, StyleFlag.CONFLICT, StyleFlag.LACKING)
        ]
        assert len({str(style) for style in (*seen, looks[below])}) == 4


def test_what_a_machine_proposes_looks_unlike_what_somebody_marked(looks: PieceStyles) -> None:
    """Lit or not, in every theme, by an attribute beside the colour; also where both lie."""
    for ground in range(EVIDENCE):
        plain = style_key(ground, None, StyleFlag.NONE)
        proposed, own = plain | StyleFlag.SUGGESTED, style_key(ground, 0, StyleFlag.NONE)
        seen = [looks[key] or Style() for key in (plain, proposed, own, own | StyleFlag.SUGGESTED)]
        assert [bool(style.italic) for style in seen] == [False, True, False, True]
        assert [bool(style.underline) for style in seen] == [False, False, True, True]


def test_a_suggestion_in_focus_is_bold_and_not_dim(looks: PieceStyles) -> None:
    """Both at once are one thing to some terminals."""
    style = looks[style_key(PLAIN, None, StyleFlag.SUGGESTED | StyleFlag.FOCUSED)] or Style()
    assert style.bold
    assert not style.dim


def test_mono_holds_no_colour() -> None:
    """Attributes only."""
    mono = PieceStyles(make_palette(MONO))
    for ground in range(HINT + 1):
        for traits in (
            StyleFlag.NONE,
            StyleFlag.CURSOR,
            StyleFlag.SUGGESTED,
            StyleFlag.OVERLAP | StyleFlag.STAND_IN,
        ):
            style = mono[style_key(ground, 3, traits)] or Style()
            assert style.color is None
            assert style.bgcolor is None


def test_sixteen_colours_use_no_others() -> None:
    """A terminal of 16 colours is sent no colour beyond them."""
    looks = PieceStyles(make_palette("dark", native=True))
    for ground in range(HINT + 1):
        for slot in (None, *range(7)):
            style = looks[style_key(ground, slot, StyleFlag.NONE)] or Style()
            for color in (style.color, style.bgcolor):
                assert color is None or color.number is None or color.number < 16


def test_a_sign_in_the_gutter_is_not_underlined(looks: PieceStyles) -> None:
    """A letter in the gutter has its label's colour alone."""
    style = looks[style_key(PLAIN, 2, StyleFlag.SIGN)] or Style()
    assert not style.underline
    assert style.color == palette_color(looks)


def palette_color(looks: PieceStyles) -> object:
    """The colour of slot 2."""
    return looks.palette.label(2).color
