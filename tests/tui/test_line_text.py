"""Text for one line of cells."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.style import Style

from tests.tui.stage import HOSTILE
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.text_display import MARKS_PER_CELL
from tui_annotate.tui.line_text import (
    align_both_ends,
    clip,
    fit,
    runs_width,
    split_paragraphs,
    wrap_line,
)

_TEXTS = st.text(
    st.one_of(st.characters(), st.sampled_from("中。ab \u0301\u200d\ufe0f👍🏽🇨🇳\n\t\x1b")),
    max_size=80,
)


@given(_TEXTS, st.integers(0, 40))
def test_fitted_text_has_exactly_its_cells(text: str, cells: int) -> None:
    """Whatever the text, `fit` fills the cells and no more."""
    assert cell_len(fit(line_text(text), cells)) == cells


@given(_TEXTS)
def test_shown_text_holds_no_control(text: str) -> None:
    """Nothing of C0, C1 or the bidi controls is left."""
    assert all(ord(c) >= 0x20 and not 0x7F <= ord(c) < 0xA0 for c in line_text(text + HOSTILE))
    assert "\u202e" not in line_text(HOSTILE)


@given(_TEXTS, st.integers(2, 30))
def test_wrapped_pieces_fit_and_lose_only_blanks(text: str, cells: int) -> None:
    """Pieces are never too wide, and join to the line but for blanks."""
    for line in split_paragraphs(text):
        pieces = wrap_line(line, cells)
        assert all(cell_len(piece) <= cells for piece in pieces)
        assert "".join(pieces).replace(" ", "") == line.replace(" ", "")


@given(st.lists(_TEXTS, max_size=5), st.integers(0, 40))
def test_clipped_runs_fit(texts: list[str], cells: int) -> None:
    """Runs that are clipped, or stood at both ends, keep to their cells."""
    runs = [(line_text(text), Style.null()) for text in texts]
    assert runs_width(clip(runs, cells)) <= cells
    assert runs_width(align_both_ends(runs, [("ok", Style.null())], cells + 2)) == cells + 2


def test_what_is_cut_says_so() -> None:
    """An ellipsis stands where something is missing, after the last whole character."""
    assert cut("中文字符", 8) == "中文字符"
    assert cut("中文字符", 7) == "中文字…"
    assert cut("中文字符", 6) == "中文…"
    assert cut("abc", 1) == "…"
    assert cut("abc", 0) == ""


def test_clusters_of_uncertain_width_are_simple() -> None:
    """Selectors, skin tones, joined followers go; flags become letters; few marks are kept."""
    assert line_text("❤\ufe0f 👍🏽 👩\u200d👧 🇨🇳") == "❤ 👍 👩 CN"
    assert len(line_text("e" + "\u0301" * 10_000)) == 1 + MARKS_PER_CELL


def test_chinese_lines_do_not_begin_with_a_stop() -> None:
    """Closing punctuation stays with what it closes."""
    assert wrap_line("报告指出。裂缝", 8) == ["报告指", "出。裂缝"]


@given(st.lists(_TEXTS, max_size=5), st.integers(1, 40))
def test_clipped_runs_end_like_a_cut_text(texts: list[str], cells: int) -> None:
    """Text in several pieces is cut where the same text in one piece is cut."""
    cleaned = [line_text(text) for text in texts]
    clipped = clip([(text, Style.null()) for text in cleaned], cells)
    kept = "".join(text for text, _ in clipped)
    assert kept.replace(" ", "") == cut("".join(cleaned), cells).replace(" ", "")


def test_an_ellipsis_replaces_pieces_that_are_left_out() -> None:
    """A piece that ends exactly at the last cell makes room for the ellipsis of the next one."""
    plain, strong = Style.null(), Style(bold=True)
    runs = [("abc", plain), ("def", strong)]
    assert clip(runs, 6) == runs
    assert clip(runs, 4) == [("abc", plain), ("…", strong)]
    assert clip(runs, 3) == [("ab…", plain)]
    assert clip(runs, 0) == []
    assert align_both_ends(runs, [("ok", plain)], 5)[0] == ("ab…", plain)


def test_a_combining_mark_stays_with_its_character() -> None:
    """No wrapped line begins with a mark that is drawn on the character before."""
    assert wrap_line("漢か\u3099。字", 4) == ["漢", "か\u3099。", "字"]
    assert wrap_line("abc \u0301def", 4) == ["abc", " \u0301def"]


@given(_TEXTS, st.integers(2, 30))
def test_wrapped_pieces_begin_with_a_cell(text: str, cells: int) -> None:
    """A piece after the first is not empty, and does not begin with a combining mark."""
    for line in split_paragraphs(text):
        first, *others = wrap_line(line, cells)
        assert all(piece and cell_len(piece[0]) for piece in others)
        assert first or not others


def test_blanks_before_a_long_word_give_no_empty_line() -> None:
    """A word that fills the line is its first piece; a line of blanks alone stays a line."""
    assert wrap_line("  incomprehensible", 17) == ["incomprehensible"]
    assert wrap_line(" " * 30, 10) == [""]


def test_an_empty_line_stays_a_line() -> None:
    """A blank line between paragraphs is one piece."""
    assert wrap_line("", 10) == [""]
    assert split_paragraphs("a\r\n\r\n\tb") == ["a", "", "    b"]
