"""One line as pieces, gutter first."""

from __future__ import annotations

import unicodedata
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from tests.tui.text.texts import segments_of, texts
from tui_annotate.domain.samples import STRENGTHS, Match
from tui_annotate.domain.spans import Span
from tui_annotate.domain.text_display import cluster_start
from tui_annotate.tui.text.cursor import TextCursor
from tui_annotate.tui.text.layers import AnnotationMark, DocumentLayers, SpanLayer
from tui_annotate.tui.text.layout import TextLayout
from tui_annotate.tui.text.painter import GUTTER, PaintedText, paint
from tui_annotate.tui.text.piece_styles import EVIDENCE, HINT, PLAIN, SELECTED, StyleFlag, style_key

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


def marked(*marks: AnnotationMark) -> SpanLayer[AnnotationMark]:
    """A layer of annotations."""
    return SpanLayer((each.span, each) for each in marks)


def row(scene: DocumentLayers, y: int = 0, *, text: str = TEXT) -> str:
    """A painted line as text."""
    pieces, _ = paint(layout_of(text), scene, y=y)
    return "".join(piece.text for piece in pieces)


def pieces_of(scene: DocumentLayers, y: int = 0) -> list[PaintedText]:
    """A painted line without its gutter."""
    return paint(layout_of(), scene, y=y)[0]


def found(scene: DocumentLayers, text: str, y: int = 0) -> int:
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
    scene = DocumentLayers(
        matches=lit(*(match(s.start, s.end) for s in data.draw(st.lists(spans, max_size=3)))),
        marks=marked(*(AnnotationMark(s, "\x1b") for s in data.draw(st.lists(spans, max_size=3)))),
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
    assert pieces_of(DocumentLayers()) == [PaintedText("    " + TEXT[:44], PLAIN)]


def test_strength_and_rank_stand_in_the_gutter() -> None:
    """The glyph on every line of the match, the digit where it begins, a bar if it is focused."""
    scene = DocumentLayers(matches=lit(match(23, 49, rank=2)), focused_match=2)
    assert row(scene).startswith("█2 ▌The")
    assert row(scene, 1).startswith("█  ▌裂缝")


def test_a_weak_match_has_another_glyph() -> None:
    """Strength is read without colours."""
    assert row(DocumentLayers(matches=lit(match(0, 22, score=STRENGTHS[0])))).startswith("▁1")


def test_the_best_of_two_matches_on_a_line_gives_the_digit() -> None:
    """The focused one if it begins there, else the first by rank; the bar is of the same match."""
    matches = lit(match(0, 22, rank=3, score=STRENGTHS[2]), match(23, 44, rank=1))
    assert row(DocumentLayers(matches=matches)).startswith("█1 ")
    assert row(DocumentLayers(matches=matches, focused_match=3)).startswith("▅3 ▌")


def test_the_bar_beside_a_digit_is_not_that_of_a_match_that_began_before() -> None:
    """A long match that ends on the line is stronger, but has its digit further up."""
    matches = lit(match(0, 46, rank=1), match(46, 60, rank=2, score=STRENGTHS[0]))
    assert row(DocumentLayers(matches=matches), 1).startswith("▁2")


def test_annotations_show_their_letter_or_that_there_are_more() -> None:
    """One: its letter. Several: a plus, as digits are ranks, or the letter of the focused one."""
    one, two = AnnotationMark(Span(4, 10), "A"), AnnotationMark(Span(6, 21), "B", 1)
    assert row(DocumentLayers(marks=marked(one))).startswith("  A ")
    assert row(DocumentLayers(marks=marked(one, two))).startswith("  + ")
    focused = AnnotationMark(Span(6, 21), "B", 1, focused=True)
    assert row(DocumentLayers(marks=marked(one, focused))).startswith("  B▌")


def test_marks_of_one_letter_on_a_line_keep_it() -> None:
    """One annotation in two places, or two rivals of one place: there is nothing more to tell."""
    places = (AnnotationMark(Span(0, 3), "A", 0), AnnotationMark(Span(4, 10), "A", 1))
    assert row(DocumentLayers(marks=marked(*places)))[2] == "A"
    assert (
        row(DocumentLayers(marks=marked(*places, AnnotationMark(Span(11, 14), "B", 2))))[2] == "+"
    )


def test_a_draft_has_a_small_letter() -> None:
    """What still lacks something is told from what is saved."""
    assert row(
        DocumentLayers(marks=marked(AnnotationMark(Span(4, 10), "A", draft=True)))
    ).startswith("  a ")


def test_overlapping_annotations_are_told_apart() -> None:
    """Where two lie, another underline; where one is focused, its colour and bold."""
    one, two = AnnotationMark(Span(4, 10), "A", 0), AnnotationMark(Span(4, 14), "B", 1)
    scene = DocumentLayers(marks=marked(one, two))
    assert found(scene, "bridge") == style_key(PLAIN, 1, StyleFlag.OVERLAP)
    assert found(scene, "was") == style_key(PLAIN, 1, StyleFlag.NONE)
    again = DocumentLayers(
        marks=marked(
            AnnotationMark(Span(4, 10), "A", 0, focused=True), AnnotationMark(Span(4, 10), "B", 1)
        )
    )
    assert found(again, "bridge") == style_key(PLAIN, 0, StyleFlag.OVERLAP | StyleFlag.FOCUSED)


def test_evidence_has_a_tick_and_its_own_ground() -> None:
    """What was taken is told from what is only lit."""
    scene = DocumentLayers(matches=lit(match(0, 22)), evidence=SpanLayer([(Span(0, 22), None)]))
    assert row(scene).startswith("✓1 ")
    assert found(scene, TEXT[:22]) & GROUND == EVIDENCE
    two = marked(AnnotationMark(Span(4, 10), "A"), AnnotationMark(Span(6, 21), "B", 1))
    assert row(DocumentLayers(marks=two, evidence=scene.evidence)).startswith("✓ + ")


def test_former_evidence_has_a_quiet_sign() -> None:
    """The text stays plain; this sample's annotations go before it."""
    former = SpanLayer([(Span(0, 22), None)])
    assert row(DocumentLayers(former=former)).startswith("  ° The")
    assert {piece.key for piece in pieces_of(DocumentLayers(former=former))} == {
        PLAIN,
        StyleFlag.STAND_IN,
    }
    both = DocumentLayers(former=former, matches=lit(match(0, 22)))
    assert row(both).startswith("█1° ")
    both.focused_match = 1
    assert row(both).startswith("█1°▌")
    assert row(
        DocumentLayers(former=former, marks=marked(AnnotationMark(Span(4, 10), "A")))
    ).startswith("  A ")


def test_words_shared_and_in_conflict_are_told_in_text_and_gutter() -> None:
    """Each has its own look, also where both are; a line with a conflict has its own sign."""
    scene = DocumentLayers(
        matches=lit(match(0, 22)),
        focused_match=1,
        shared=SpanLayer([(Span(4, 14), None)]),
        conflicts=SpanLayer([(Span(11, 14), None)]),
    )
    assert found(scene, "bridge") & StyleFlag.SHARED
    assert not found(scene, "bridge") & StyleFlag.CONFLICT
    assert found(scene, "was") & StyleFlag.SHARED
    assert found(scene, "was") & StyleFlag.CONFLICT
    assert not found(scene, "closed.") & (StyleFlag.SHARED | StyleFlag.CONFLICT)
    assert row(scene).startswith("█1 ≠")
    scene.conflicts = SpanLayer()
    assert row(scene).startswith("█1 ▌")


def test_words_that_the_other_text_lacks_have_a_sign() -> None:
    """Without colours a line is told by its gutter; what is lit or taken goes before it."""
    lacking = SpanLayer([(Span(4, 10), None)])
    scene = DocumentLayers(lacking=lacking)
    assert found(scene, "bridge") == style_key(PLAIN, None, StyleFlag.LACKING)
    assert row(scene).startswith("?   The")
    assert row(DocumentLayers(lacking=lacking, matches=lit(match(0, 22)))).startswith("█1")


def test_a_selection_goes_before_a_match() -> None:
    """The selected part of a match is drawn as selected."""
    scene = DocumentLayers(matches=lit(match(0, 22)), selection=Span(4, 10))
    assert found(scene, "bridge") & GROUND == SELECTED
    assert row(scene).startswith("█1 ▌")


def test_the_line_end_can_be_seen_under_the_cursor() -> None:
    """A cell behind the line shows the cursor, or a selection that goes on."""
    at_end = DocumentLayers(cursor=Span(44, 45))
    assert pieces_of(at_end)[-1] == PaintedText(" ", style_key(PLAIN, None, StyleFlag.CURSOR))
    assert pieces_of(DocumentLayers(selection=Span(40, 47)))[-1].text.endswith(". ")
    assert row(DocumentLayers(selection=Span(40, 44))).endswith("n.")


def test_hints_cover_the_first_cells_of_words() -> None:
    """Labels take as many cells as they cover, so that nothing moves."""
    hints = SpanLayer([(Span(4, 10), "ab"), (Span(11, 14), "c")])
    assert row(DocumentLayers(hints=hints))[4:] == "The abidge cas closed. It cost $4.2 million."
    wide = SpanLayer([(Span(45, 46), "a"), (Span(46, 47), "xy")])
    assert row(DocumentLayers(hints=wide), 1)[4:] == "a xy被发现。"
    assert found(DocumentLayers(hints=hints), "ab") == HINT


def test_a_label_without_room_is_cut() -> None:
    """It never covers the next label."""
    hints = SpanLayer([(Span(0, 1), "ab"), (Span(1, 2), "cd")])
    assert row(DocumentLayers(hints=hints), text="I.J")[4:] == "acd"


def test_a_hit_of_a_search_has_its_sign() -> None:
    """A line with a hit is found without colours."""
    assert row(DocumentLayers(hits=SpanLayer([(Span(4, 10), 1)]))).startswith("   /The")


def test_no_letter_and_no_digit_joins_a_word() -> None:
    """The cell before the text is blank or a sign, whatever lies on the line."""
    marks = marked(AnnotationMark(Span(4, 10), "A"))
    assert row(DocumentLayers(marks=marks, matches=lit(match(0, 22)))).startswith("█1A The")


def test_what_cannot_be_shown_is_dim() -> None:
    """A picture of a control is told from the same sign in the text."""
    pieces, _ = paint(layout_of("a\x1bb␛"), DocumentLayers(), y=0)
    assert [piece for piece in pieces if piece.key] == [PaintedText("␛", StyleFlag.STAND_IN)]


def test_a_suggestion_has_a_sign_of_its_own_and_no_line_under_it() -> None:
    """Beside an annotation on the line there are several; in focus its own sign comes back."""
    offer = AnnotationMark(Span(4, 10), "~", suggested=True)
    scene = DocumentLayers(marks=marked(offer))
    assert row(scene).startswith("  ~ The bridge")
    assert found(scene, "bridge") == StyleFlag.SUGGESTED
    own = AnnotationMark(Span(4, 10), "A", slot=2)
    both = DocumentLayers(marks=marked(offer, own))
    assert row(both).startswith("  + ")
    assert found(both, "bridge") == style_key(PLAIN, 2, StyleFlag.SUGGESTED)
    focused = DocumentLayers(marks=marked(replace(offer, focused=True), own))
    assert row(focused).startswith("  ~▌")
    assert found(focused, "bridge") == style_key(PLAIN, 2, StyleFlag.SUGGESTED | StyleFlag.FOCUSED)


tagged_texts = st.text("ab c.\n海😀\u0301", min_size=1, max_size=80)


@given(tagged_texts, st.data(), st.integers(4, 40))
def test_a_tag_moves_cells_and_no_offset(text: str, data: st.DataObject, width: int) -> None:
    """Lines join to the text; the painted line is the text's line with its tags behind."""
    places = data.draw(st.sets(st.sampled_from(range(len(text))), max_size=4))
    ends = {at for at in places if text[at] != "\n" and text[at + 1 : at + 2] != "\u0301"}
    tags = dict.fromkeys(ends, " [d]")
    layout = TextLayout(text, {at: len(tag) for at, tag in tags.items()})
    layout.wrap(width)
    joined = "".join(text[slice(*layout.line(y))] for y in range(layout.lines))
    assert joined == text
    painted = [paint(layout, DocumentLayers(tags=tags), y=y) for y in range(layout.lines)]
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
