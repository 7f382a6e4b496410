"""The lines around a text: few of them, however much there is, and none of them raw."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.tui.lines import shown, width, wrapped
from tui_annotate.tui.widgets.around import FRAME_LINES, Around

_WORDS = st.lists(st.text(st.sampled_from("ab,桥。"), min_size=1, max_size=12), max_size=120)


@given(_WORDS, st.integers(0, 70))
def test_what_follows_begins_as_the_whole_of_it_does(words: list[str], cells: int) -> None:
    """Only a part of a long text is looked at, and that cannot be seen."""
    text = " ".join(words)
    assert list(Around(after=(text,)).wrapped(cells).after) == (
        wrapped(shown(text), cells)[:FRAME_LINES] if text else []
    )


@given(_WORDS, st.integers(8, 70))
def test_what_comes_before_ends_as_it_does(words: list[str], cells: int) -> None:
    """The last lines, each within its cells, with no word missing at the end."""
    text = " ".join(words)
    lines = Around(before=(text,)).wrapped(cells).before
    assert len(lines) <= FRAME_LINES
    assert all(width(line) <= cells for line in lines)
    assert text.replace(" ", "").endswith("".join(lines).replace(" ", ""))
    assert len(lines) == FRAME_LINES or "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_what_is_around_is_harmless() -> None:
    """No control of it reaches a terminal."""
    hostile = "\x1b]52;c;aGk=\x07 ends"
    assert "\x1b" not in "".join(sum(Around((hostile,), (hostile,)).wrapped(40), ()))
