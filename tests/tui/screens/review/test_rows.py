"""What stands on the bar of review and on its page of keys, without a screen."""

from __future__ import annotations

import pytest

from tests.editor.review.draft_samples import BENIGN, at, one
from tests.tui.stage import run_stage
from tui_annotate.domain.line_text import text_width
from tui_annotate.domain.samples import Side
from tui_annotate.editor.action import NO_NEED
from tui_annotate.editor.key_map import default_keys, shown_keys
from tui_annotate.editor.key_state import REVIEWING
from tui_annotate.tui.screens.review.rows import bar, marks
from tui_annotate.tui.screens.review.rows import candidates as listing
from tui_annotate.tui.widgets.label_bar import LabelBar, Option

OVERHEAD = 7 + 2  # cells beside an option's text: its digit and spaces; the sign of what was taken


PEOPLE = "ABCDEFGHIKLM"
CLAIMS = (
    "was loved", "was love", "was lov", "was lo", "was l", "was", "wa", "w", "loved",
    "as loved", "s loved", "oved",
)  # fmt: skip


def options(count: int, *, rows: int = 2) -> list[Option]:
    """What stands on 80 columns of rivals of one place, no two of the same words."""
    said = zip(PEOPLE[:count], CLAIMS, strict=False)
    place = at(0, {letter: [one(letter, words)] for letter, words in said})
    return bar(place, 80, rows=rows)[0]


def candidates(count: int) -> list[str]:
    """Their texts."""
    return [text for _, text, *_ in options(count)]


@pytest.mark.parametrize("count", range(1, 10))
def test_nine_rivals_fit_into_two_rows_and_keep_their_people(count: int) -> None:
    """At 80 columns; a digit that acts is never hidden."""
    texts = candidates(count)
    assert len(texts) == count
    in_a_row = (count + 1) // 2
    assert all(in_a_row * (text_width(text) + OVERHEAD) < 80 for text in texts)
    assert {text.split(' "')[0][-1] for text in texts} == set(PEOPLE[:count])


async def test_of_any_number_of_rivals_the_label_can_be_read() -> None:
    """At 80 columns, where the window can spare a third row; none of them is left out."""
    widget = LabelBar()
    widget.most_rows = 3
    async with run_stage(widget) as (stage, pilot):
        for count in range(1, 13):
            shown = options(count, rows=3)
            assert [digit for digit, *_ in shown] == [*"123456789"[:count], *("0" * (count > 9))]
            assert all("Intri" in text for digit, text, *_ in shown if digit != "0"), count
            widget.show(shown)
            await pilot.pause()
            assert all(text in stage.text() for _, text, *_ in shown), count
            assert (widget.size.height > 2) == (count > 8), count


def test_each_rival_is_listed_and_marked_with_the_key_that_it_has() -> None:
    """On the other page that is 0; the list begins with the page that the digits mean."""
    said = zip(PEOPLE, CLAIMS, strict=True)
    place = at(0, {letter: [one(letter, words)] for letter, words in said})
    for page, keys in ((0, [*"123456789000"]), (1, [*"000000000123"])):
        place.page = page
        listed, focused = listing(place, 60)
        heads = [line[1][0].strip() for line in listed if line[0][0] == " "]
        assert heads == keys
        assert focused == (-1 if not page else 2 * 9)
        assert [mark.letter for mark in marks(place, Side.SUMMARY)] == keys


def test_rivals_of_other_words_are_told_by_them_and_others_by_their_labels() -> None:
    """A quote is there where it tells rivals apart, and only there."""
    assert all('"' in text for text in candidates(3))
    same = at(0, {"A": [one("a", "loved")], "B": [one("b", "loved", BENIGN)]})
    assert not any('"' in text for _, text, *_ in bar(same, 80)[0])


def test_the_page_of_keys_begins_with_those_of_each_day_and_has_all() -> None:
    """Each key that acts in review stands there once."""
    keys = default_keys()
    shown = keys.help(REVIEWING, ~NO_NEED)
    assert {"c", "1-9", "y", "x", "e", "M", "+", "Enter", "u"} <= {row[0] for row in shown[0].rows}
    found = [row for group in shown for row in group.rows]
    acting = [one for one in keys.actions if REVIEWING in one.states and one.keys]
    assert sorted(found) == sorted((shown_keys(one.keys), one.words(REVIEWING)) for one in acting)
    assert shown[-1].title == "Move"
