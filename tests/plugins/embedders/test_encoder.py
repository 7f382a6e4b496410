"""Windows over long texts: every piece once, where it stands farthest from a cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.plugins.embedders.encoder import (
    LONG,
    NO_PIECES,
    WINDOW,
    PieceWindow,
    WordPieceCutter,
    split_windows,
)


def context(window: PieceWindow, piece: int, count: int) -> float:
    """How far a piece stands from the nearer cut of a window; the text's own ends are none."""
    if not window.first <= piece < window.last:
        return -1
    before = piece - window.first if window.first else float("inf")
    after = window.last - 1 - piece if window.last < count else float("inf")
    return min(before, after)


def test_short_texts_are_whole() -> None:
    """One window up to the limit, none for nothing."""
    assert split_windows(0) == []
    assert split_windows(LONG) == [PieceWindow(0, LONG, 0, LONG)]
    assert len(split_windows(LONG + 1)) == 2


@given(st.integers(1, 3000), st.integers(2, WINDOW), st.integers(0, 20))
def test_every_piece_is_owned_once(count: int, size: int, more: int) -> None:
    """Windows are of one size, follow one another, and what they own is the whole text."""
    found = split_windows(count, long=size + more, size=size)
    owned = [piece for window in found for piece in range(window.own, window.until)]
    assert owned == list(range(count))
    for window in found:
        assert window.first <= window.own < window.until <= window.last
        assert window.last - window.first == (count if len(found) == 1 else size)


@given(st.integers(LONG + 1, 1200), st.data())
def test_a_piece_belongs_where_it_has_most_context(count: int, data: st.DataObject) -> None:
    """No other window sees further around it."""
    found = split_windows(count)
    piece = data.draw(st.integers(0, count - 1))
    own = next(window for window in found if window.own <= piece < window.until)
    best = max(context(window, piece, count) for window in found)
    assert context(own, piece, count) >= best - 1


def cutter(prompt: str = "") -> WordPieceCutter:
    """Rules that count the space before a word to it, as some models' do, and know three words."""
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers comes with the vectors")
    known = {"[UNK]": 0, "▁the": 1, "▁cat": 2, "▁:": 3}
    rules = tokenizers.Tokenizer(tokenizers.models.WordLevel(known, unk_token="[UNK]"))
    rules.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    return WordPieceCutter(rules.to_str(), prompt=prompt, unknown=0)


def test_a_piece_stands_where_its_signs_do() -> None:
    """Without the space before it, and counted from behind the prompt."""
    for prompt in ("", "the : "):
        (found,) = cutter(prompt).cut(["the  cat : the"])
        words = ["the  cat : the"[start:end] for start, end in found.spans]
        assert [words[index] for index in found.known] == ["the", "cat", "the"]
        assert len(found.prompt) == len(prompt.split())


def test_a_text_is_known_by_its_signs() -> None:
    """One strange sign in ten is let pass, and its piece not told; more, and nothing is."""
    known, strange = "the cat the " * 4, "xyz"
    (found,) = cutter().cut([known + strange])
    assert len(found.ids) == 13
    assert found.known == tuple(range(12))
    assert cutter().cut([f"{known}{strange} {strange}", strange, "", " "]) == [NO_PIECES] * 4
