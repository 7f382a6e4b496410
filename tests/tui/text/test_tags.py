"""Marks that hang behind characters: drawn, measured, and never a part of the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.tui.text.clusters import cluster_start
from tui_annotate.tui.text.layout import TextLayout
from tui_annotate.tui.text.painter import GUTTER, Scene, paint

texts = st.text("ab c.\n海😀\u0301", min_size=1, max_size=80)


@given(texts, st.data(), st.integers(4, 40))
def test_a_tag_moves_cells_and_no_offset(text: str, data: st.DataObject, width: int) -> None:
    """Lines join to the text; the painted line is the text's line with its tags behind."""
    places = data.draw(st.sets(st.sampled_from(range(len(text))), max_size=4))
    ends = {at for at in places if text[at] != "\n" and text[at + 1 : at + 2] != "\u0301"}
    tags = dict.fromkeys(ends, " [d]")
    layout = TextLayout(text, {at: len(tag) for at, tag in tags.items()})
    layout.wrap(width)
    joined = "".join(text[slice(*layout.line(y))] for y in range(layout.lines))
    assert joined == text
    painted = [paint(layout, Scene(tags=tags), y=y) for y in range(layout.lines)]
    drawn = "".join(piece.text for pieces, _ in painted for piece in pieces)
    assert drawn.count("[d]") == len(tags)
    for y, (_, cells) in enumerate(painted):
        assert cells == GUTTER + layout.cells(*layout.content(y))
    for offset, tag in tags.items():
        last = layout.cells(offset, offset + 1)
        columns = range(layout.x_of(offset) + last - len(tag), layout.x_of(offset) + last)
        line = layout.line_of(offset)
        whole = max(layout.line(line)[0], cluster_start(text, offset))
        assert {layout.offset_at(x, line) for x in columns} == {whole}


def test_a_tag_is_not_parted_from_its_sentence() -> None:
    """What does not fit in the line goes on with the last word of the sentence."""
    layout = TextLayout("One two. Three", {7: 6})
    layout.wrap(10)
    assert [layout.line(y) for y in range(layout.lines)] == [(0, 4), (4, 9), (9, 14)]


def test_a_tag_wider_than_the_line_does_not_stop_the_wrapping() -> None:
    """Every line takes one character at least."""
    layout = TextLayout("ab", {0: 50, 1: 50})
    layout.wrap(10)
    assert layout.lines == 2
