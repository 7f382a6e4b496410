"""One line as pieces, gutter first."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.text.texts import segments_of, texts
from tui_annotate.domain.samples import STRENGTHS, Match
from tui_annotate.domain.spans import Span
from tui_annotate.tui.text.cursor import TextCursor
from tui_annotate.tui.text.layers import Mark, SpanLayer
from tui_annotate.tui.text.layout import TextLayout
from tui_annotate.tui.text.looks import EVIDENCE, HINT, PLAIN, SELECTED, Trait, look
from tui_annotate.tui.text.painter import Piece, Scene, paint

TEXT = "The bridge was closed. It cost $4.2 million.\n裂缝被发现。\n"
#       0   4      11  15     23                      45
GROUND = 15


def layout_of(text: str = TEXT, width: int = 60) -> TextLayout:
    """A wrapped text."""
    layout = TextLayout(text)
    layout.wrap(width)
    return layout


def match(start: int, end: int, *, rank: int = 1, score: float = 1.0) -> Match:
    """A match with a strength by its score."""
    return Match(0, 0, Span(start, end), score, rank)


def lit(*matches: Match) -> SpanLayer[Match]:
    """A layer of matches."""
    return SpanLayer((each.span, each) for each in matches)


def marked(*marks: Mark) -> SpanLayer[Mark]:
    """A layer of annotations."""
    return SpanLayer((each.span, each) for each in marks)


def row(scene: Scene, y: int = 0, *, text: str = TEXT) -> str:
    """A painted line as text."""
    pieces, _ = paint(layout_of(text), scene, y=y)
    return "".join(piece.text for piece in pieces)


def pieces_of(scene: Scene, y: int = 0) -> list[Piece]:
    """A painted line without its gutter."""
    return paint(layout_of(), scene, y=y)[0]


def found(scene: Scene, text: str, y: int = 0) -> int:
    """The key of the piece that is exactly this text."""
    return next(piece.key for piece in pieces_of(scene, y) if piece.text.strip() == text)


@given(texts, st.data())
def test_what_is_painted_is_harmless_and_as_wide_as_it_says(text: str, data: st.DataObject) -> None:
    """Any document under any marks: no control reaches the terminal, no span shifts a cell."""
    layout = layout_of(text, data.draw(st.integers(4, 50)))
    offsets = st.integers(0, max(0, len(text) - 1))
    spans = st.builds(lambda a, b: Span(min(a, b), max(a, b) + 1), offsets, offsets)
    cursor = TextCursor(text, segments_of(text))
    cursor.place(data.draw(offsets))
    scene = Scene(
        matches=lit(*(match(s.start, s.end) for s in data.draw(st.lists(spans, max_size=3)))),
        marks=marked(*(Mark(s, "\x1b") for s in data.draw(st.lists(spans, max_size=3)))),
        evidence=SpanLayer((s, None) for s in data.draw(st.lists(spans, max_size=2))),
        hits=SpanLayer((s, 1) for s in data.draw(st.lists(spans, max_size=2))),
        shared=SpanLayer((s, None) for s in data.draw(st.lists(spans, max_size=2))),
        conflicts=SpanLayer((s, None) for s in data.draw(st.lists(spans, max_size=2))),
        lacking=SpanLayer((s, None) for s in data.draw(st.lists(spans, max_size=2))),
        former=SpanLayer((s, None) for s in data.draw(st.lists(spans, max_size=2))),
        hints=SpanLayer((s, "ab") for s in data.draw(st.lists(spans, max_size=2))),
        selection=data.draw(st.none() | spans),
        cursor=cursor.character,
        active=True,
    )
    for y in range(layout.lines):
        pieces, cells = paint(layout, scene, y=y)
        sent = "".join(piece.text for piece in pieces)
        assert not [c for c in sent if unicodedata.category(c) in {"Cc", "Cf", "Cn", "Co", "Cs"}]
        assert cells <= layout.width + 1 + 4 + 1
        assert all(piece.text for piece in pieces)
        elsewhere = {len(text) + 1: " [1]"}  # so that no line is taken to be its text alone
        assert (pieces, cells) == paint(layout, replace(scene, tags=elsewhere), y=y)


def test_plain_text_is_one_piece() -> None:
    """A line with nothing on it costs one segment."""
    assert pieces_of(Scene()) == [Piece("    " + TEXT[:44], PLAIN)]


def test_strength_and_rank_stand_in_the_gutter() -> None:
    """The glyph on every line of the match, the digit where it begins, a bar if it is focused."""
    scene = Scene(matches=lit(match(23, 49, rank=2)), focused_match=2)
    assert row(scene).startswith("█2 ▌The")
    assert row(scene, 1).startswith("█  ▌裂缝")


def test_a_weak_match_has_another_glyph() -> None:
    """Strength is read without colours."""
    assert row(Scene(matches=lit(match(0, 22, score=STRENGTHS[0])))).startswith("▁1")


def test_the_best_of_two_matches_on_a_line_gives_the_digit() -> None:
    """The focused one if it begins there, else the first by rank."""
    matches = lit(match(0, 22, rank=3, score=STRENGTHS[2]), match(23, 44, rank=1))
    assert row(Scene(matches=matches)).startswith("█1 ")
    assert row(Scene(matches=matches, focused_match=3)).startswith("█3 ▌")


def test_annotations_show_their_letter_or_that_there_are_more() -> None:
    """One: its letter. Several: a plus, as digits are ranks, or the letter of the focused one."""
    one, two = Mark(Span(4, 10), "A"), Mark(Span(6, 21), "B", 1)
    assert row(Scene(marks=marked(one))).startswith("  A ")
    assert row(Scene(marks=marked(one, two))).startswith("  + ")
    focused = Mark(Span(6, 21), "B", 1, focused=True)
    assert row(Scene(marks=marked(one, focused))).startswith("  B▌")


def test_marks_of_one_letter_on_a_line_keep_it() -> None:
    """One annotation in two places, or two rivals of one place: there is nothing more to tell."""
    places = (Mark(Span(0, 3), "A", 0), Mark(Span(4, 10), "A", 1))
    assert row(Scene(marks=marked(*places)))[2] == "A"
    assert row(Scene(marks=marked(*places, Mark(Span(11, 14), "B", 2))))[2] == "+"


def test_a_draft_has_a_small_letter() -> None:
    """What still lacks something is told from what is saved."""
    assert row(Scene(marks=marked(Mark(Span(4, 10), "A", draft=True)))).startswith("  a ")


def test_overlapping_annotations_are_told_apart() -> None:
    """Where two lie, another underline; where one is focused, its colour and bold."""
    one, two = Mark(Span(4, 10), "A", 0), Mark(Span(4, 14), "B", 1)
    scene = Scene(marks=marked(one, two))
    assert found(scene, "bridge") == look(PLAIN, 1, Trait.OVERLAP)
    assert found(scene, "was") == look(PLAIN, 1, Trait.NONE)
    again = Scene(marks=marked(Mark(Span(4, 10), "A", 0, focused=True), Mark(Span(4, 10), "B", 1)))
    assert found(again, "bridge") == look(PLAIN, 0, Trait.OVERLAP | Trait.FOCUSED)


def test_evidence_has_a_tick_and_its_own_ground() -> None:
    """What was taken is told from what is only lit."""
    scene = Scene(matches=lit(match(0, 22)), evidence=SpanLayer([(Span(0, 22), None)]))
    assert row(scene).startswith("✓1 ")
    assert found(scene, TEXT[:22]) & GROUND == EVIDENCE
    two = marked(Mark(Span(4, 10), "A"), Mark(Span(6, 21), "B", 1))
    assert row(Scene(marks=two, evidence=scene.evidence)).startswith("✓ + ")


def test_former_evidence_has_a_quiet_sign() -> None:
    """The text stays plain; this sample's annotations go before it."""
    former = SpanLayer([(Span(0, 22), None)])
    assert row(Scene(former=former)).startswith("  ° The")
    assert {piece.key for piece in pieces_of(Scene(former=former))} == {PLAIN, Trait.STAND_IN}
    both = Scene(former=former, matches=lit(match(0, 22)))
    assert row(both).startswith("█1° ")
    both.focused_match = 1
    assert row(both).startswith("█1°▌")
    assert row(Scene(former=former, marks=marked(Mark(Span(4, 10), "A")))).startswith("  A ")


def test_words_shared_and_in_conflict_are_told_in_text_and_gutter() -> None:
    """Each has its own look, also where both are; a line with a conflict has its own sign."""
    scene = Scene(
        matches=lit(match(0, 22)),
        focused_match=1,
        shared=SpanLayer([(Span(4, 14), None)]),
        conflicts=SpanLayer([(Span(11, 14), None)]),
    )
    assert found(scene, "bridge") & Trait.SHARED
    assert not found(scene, "bridge") & Trait.CONFLICT
    assert found(scene, "was") & Trait.SHARED
    assert found(scene, "was") & Trait.CONFLICT
    assert not found(scene, "closed.") & (Trait.SHARED | Trait.CONFLICT)
    assert row(scene).startswith("█1 ≠")
    scene.conflicts = SpanLayer()
    assert row(scene).startswith("█1 ▌")


def test_words_that_the_other_text_lacks_have_a_sign() -> None:
    """Without colours a line is told by its gutter; what is lit or taken goes before it."""
    lacking = SpanLayer([(Span(4, 10), None)])
    scene = Scene(lacking=lacking)
    assert found(scene, "bridge") == look(PLAIN, None, Trait.LACKING)
    assert row(scene).startswith("?   The")
    assert row(Scene(lacking=lacking, matches=lit(match(0, 22)))).startswith("█1")


def test_a_selection_goes_before_a_match() -> None:
    """The selected part of a match is drawn as selected."""
    scene = Scene(matches=lit(match(0, 22)), selection=Span(4, 10))
    assert found(scene, "bridge") & GROUND == SELECTED
    assert row(scene).startswith("█1 ▌")


def test_the_line_end_can_be_seen_under_the_cursor() -> None:
    """A cell behind the line shows the cursor, or a selection that goes on."""
    at_end = Scene(cursor=Span(44, 45))
    assert pieces_of(at_end)[-1] == Piece(" ", look(PLAIN, None, Trait.CURSOR))
    assert pieces_of(Scene(selection=Span(40, 47)))[-1].text.endswith(". ")
    assert row(Scene(selection=Span(40, 44))).endswith("n.")


def test_hints_cover_the_first_cells_of_words() -> None:
    """Labels take as many cells as they cover, so that nothing moves."""
    hints = SpanLayer([(Span(4, 10), "ab"), (Span(11, 14), "c")])
    assert row(Scene(hints=hints))[4:] == "The abidge cas closed. It cost $4.2 million."
    wide = SpanLayer([(Span(45, 46), "a"), (Span(46, 47), "xy")])
    assert row(Scene(hints=wide), 1)[4:] == "a xy被发现。"
    assert found(Scene(hints=hints), "ab") == HINT


def test_a_label_without_room_is_cut() -> None:
    """It never covers the next label."""
    hints = SpanLayer([(Span(0, 1), "ab"), (Span(1, 2), "cd")])
    assert row(Scene(hints=hints), text="I.J")[4:] == "acd"


def test_a_hit_of_a_search_has_its_sign() -> None:
    """A line with a hit is found without colours."""
    assert row(Scene(hits=SpanLayer([(Span(4, 10), 1)]))).startswith("   /The")


def test_no_letter_and_no_digit_joins_a_word() -> None:
    """The cell before the text is blank or a sign, whatever lies on the line."""
    marks = marked(Mark(Span(4, 10), "A"))
    assert row(Scene(marks=marks, matches=lit(match(0, 22)))).startswith("█1A The")


def test_what_cannot_be_shown_is_dim() -> None:
    """A picture of a control is told from the same sign in the text."""
    pieces, _ = paint(layout_of("a\x1bb␛"), Scene(), y=0)
    assert [piece for piece in pieces if piece.key] == [Piece("␛", Trait.STAND_IN)]


def test_a_suggestion_has_a_sign_of_its_own_and_no_line_under_it() -> None:
    """Beside an annotation on the line there are several; in focus its own sign comes back."""
    offer = Mark(Span(4, 10), "~", suggested=True)
    scene = Scene(marks=marked(offer))
    assert row(scene).startswith("  ~ The bridge")
    assert found(scene, "bridge") == Trait.SUGGESTED
    own = Mark(Span(4, 10), "A", slot=2)
    both = Scene(marks=marked(offer, own))
    assert row(both).startswith("  + ")
    assert found(both, "bridge") == look(PLAIN, 2, Trait.SUGGESTED)
    focused = Scene(marks=marked(replace(offer, focused=True), own))
    assert row(focused).startswith("  ~▌")
    assert found(focused, "bridge") == look(PLAIN, 2, Trait.SUGGESTED | Trait.FOCUSED)
