"""What keys do to whoever looks at a file: everything is seen, and nothing is ever to be stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests import viewed
from tui_annotate.domain.annotations import HUMAN
from tui_annotate.domain.records import Owned
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.domain.settlements import How, Reason, Settled
from tui_annotate.tui.draft.effects import (
    AskWords,
    Blink,
    Focus,
    GoTo,
    Grow,
    Move,
    Open,
    Reveal,
    Select,
    SelectWord,
    SwapEnds,
)
from tui_annotate.tui.draft.sheet import Pointer
from tui_annotate.tui.draft.viewing import deeds
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.viewing.words import about, line, pages
from tui_annotate.tui.keys.map import default_keys
from tui_annotate.tui.keys.view import VIEWING
from tui_annotate.tui.lines import width

NAMES = {"adjudicated": "settled", "p1": "ana", "p2": "ben", "p3": "li"}


@pytest.fixture
def draft(tmp_path: Path) -> Iterator[Viewing]:
    """The first sample of `viewed`; A is ben's, B and D are ana's, C is review's."""
    with viewed.browsed(tmp_path) as browse:
        looked = browse.open(SampleKey("d", "first"))
        yield Viewing(
            looked.sample,
            looked.segments,
            browse.labels,
            everybody=looked.annotations,
            assignments=looked.assignments,
            names=NAMES,
            crew=tuple(NAMES),
        )


def focus(draft: Viewing, words: str) -> None:
    """The cursor of the summary stands on some words."""
    draft.wake()
    draft.pointers[Side.SUMMARY] = Pointer(0, viewed.SUMMARY.index(words))
    deeds.follow(draft)


@pytest.mark.parametrize("action", default_keys().actions, ids=lambda action: action.id)
def test_no_key_asks_for_anything_to_be_stored(draft: Viewing, action: object) -> None:
    """Whatever acts, and whatever comes before it, moves, shows or opens: no more."""
    looking = (
        Move, SelectWord, Grow, SwapEnds, Select, GoTo, Reveal, Focus, Blink, AskWords, Open,
    )  # fmt: skip
    name = str(getattr(action, "id", ""))
    for before in ("", "annotation.next", "pane.other", "option.choose"):
        deeds.press(draft, before, digit="2")
        effects = deeds.press(draft, name, digit="1")
        assert all(isinstance(effect, looking) for effect in effects)
        opened = {effect.what for effect in effects if isinstance(effect, Open)}
        assert not opened & {"labels", "former", "reading", "talk", "password", "sign out"}
        if VIEWING not in getattr(action, "states", ""):
            assert effects == [Blink()]


def test_annotations_are_walked_in_reading_order(draft: Viewing) -> None:
    """Round and round, from the cursor on; claim and evidence come into sight."""
    order = []
    for _ in range(5):
        effects = deeds.press(draft, "annotation.next")
        order.append(draft.letter(draft.focused))
    assert order == ["A", "B", "C", "D", "A"]
    at = viewed.SOURCE.index("It cost 12")
    assert [type(effect) for effect in effects] == [GoTo, Reveal]
    assert isinstance(effects[1], Reveal)
    assert effects[1].span.start == at
    draft.wake()
    draft.pointers[Side.SUMMARY] = Pointer(0, len(viewed.SUMMARY) - 1)
    deeds.press(draft, "annotation.previous")
    assert draft.letter(draft.focused) == "D"


def test_the_annotation_under_the_cursor_comes_into_hand(draft: Viewing) -> None:
    """The shortest where several lie; the one that was in hand stays; none where none lies."""
    focus(draft, "15 million")
    assert draft.letter(draft.focused) == "B"
    focus(draft, "The bridge")
    assert draft.letter(draft.focused) == "A"
    focus(draft, "15 million")
    assert draft.letter(draft.focused) == "A"
    focus(draft, "A mayor")
    assert draft.focused == ""
    deeds.press(draft, "pane.other")
    draft.pointers[Side.SOURCE] = Pointer(0, viewed.SOURCE.index("12 million"))
    (reveal,) = deeds.follow(draft)
    assert isinstance(reveal, Reveal)
    assert (reveal.side, draft.shown_evidence) != (Side.SOURCE, ())


def test_one_persons_annotations_alone(draft: Viewing) -> None:
    """By digit and by walking people of the sample; letters stay, everybody comes back."""
    assert [option.text for option in draft.options()] == ["settled 1", "ana 2", "ben 1", "li –"]
    deeds.press(draft, "option.choose", digit="2")
    assert [draft.letter(one.id) for one in draft.annotations] == ["B", "D"]
    assert {draft.owner(one) for one in draft.annotations} == {"ana"}
    assert line(draft)[0].startswith("2 of 4 annotations: ana's")
    deeds.press(draft, "option.choose", digit="2")
    assert len(draft.annotations) == 4
    walked = []
    for _ in range(6):
        deeds.press(draft, "person.next")
        walked.append(draft.chosen)
    assert walked == ["p1", "p2", "p3", "adjudicated", "", "p1"]
    draft.show("p3")
    assert deeds.press(draft, "annotation.next") == [Blink()]
    assert line(draft)[0] == "nothing here is li's · 0 shows everybody's"
    deeds.press(draft, "option.list")
    assert draft.chosen == ""
    assert deeds.press(draft, "option.choose", digit="9") == [Blink()]


def test_what_is_shown_of_somebody_else_is_no_longer_in_hand(draft: Viewing) -> None:
    """An annotation that goes out of sight goes out of hand."""
    focus(draft, "15 million")
    draft.show("p2")
    assert draft.focused == ""
    draft.show("p1")
    focus(draft, "15 million")
    draft.show("p1")
    assert draft.letter(draft.focused) == "B"


def test_back_leaves_the_least(draft: Viewing) -> None:
    """Search, selection, the other side, then the one person; nothing is left at the end."""
    draft.show("p1")
    draft.side = Side.SOURCE
    draft.hits = (draft.everybody[0].annotation.claim[0].span,)
    assert deeds.press(draft, "back") == []
    assert list(draft.hits) == []
    assert deeds.press(draft, "back") == [Select(Side.SOURCE, None), Focus(Side.SUMMARY)]
    deeds.press(draft, "back")
    assert draft.chosen == ""
    assert deeds.press(draft, "back") == []


def test_the_line_tells_whose_it_is(draft: Viewing) -> None:
    """Label, person, note, evidence, what review did; before it, how many there are of whom."""
    draft.wake()
    assert line(draft)[0] == "4 annotations by 3 people · a walks them · p one person's"
    focus(draft, "15 million")
    assert line(draft)[0] == 'B Intrinsic · ana · "12, not 15" · 1 evidence · g all about it'
    draft.focused = "s1"
    assert line(draft)[0].startswith("C Intrinsic · settled · review: refused")
    for cells in range(20, 100, 7):
        assert width(line(draft, cells)[0]) <= max(cells, 30)
    deeds.refuse(draft, "delete the annotation")
    assert line(draft)[0].startswith("not here: delete the annotation · a file is looked at")


def test_all_about_an_annotation(draft: Viewing) -> None:
    """Whole label, person, note, words, times, and of settled work how, why and out of what."""
    known = {one.annotation.id: one.annotation for one in draft.everybody}
    facts = dict(about(draft, known["a1"]))
    assert facts == {
        "label": "Unwanted.Intrinsic",
        "by": "ana",
        "note": "12, not 15",
        "claim": '"15 million"',
        "evidence": '"12 million"',
        "origin": "made by hand",
        "made": "2026-01-02 03:04 UTC",
    }
    facts = dict(about(draft, known["s1"]))
    assert facts["settled"] == 'refused: annotator\'s slip, "no"'
    assert (facts["made of"], facts["settled by"], facts["evidence"]) == ("A", "li", "none")
    assert facts["claim"] == 'sentence 2, "It was loved."'
    assert facts["origin"] == "refused in review"


@pytest.mark.parametrize(
    ("origin", "words"),
    [
        (HUMAN, "made by hand"),
        ("adjudicated", "settled in review"),
        ("machine:nli", "a machine: nli"),
        ("imported:mercury", "imported from mercury"),
        ("odd", "odd"),
    ],
)
def test_where_it_comes_from_is_told(draft: Viewing, origin: str, words: str) -> None:
    """In words; what is unknown as it stands."""
    settled = Settled("x", How.MERGED, ("gone", "b1"), Reason.NONE)
    one = replace(draft.everybody[0].annotation, origin=origin, version=2, settled=settled)
    draft.everybody = (Owned("p9", one),)
    facts = dict(about(draft, one))
    assert facts["origin"] == words
    assert facts["version"] == "2"
    assert facts["made of"] == "A, 1 that the file does not hold"


def test_the_pages_tell_the_rest(draft: Viewing) -> None:
    """The annotation in hand, people with what they noted, request, fields as they came."""
    assert [title for title, _ in pages(draft)] == ["People", "Request", "Sample"]
    focus(draft, "15 million")
    found = dict(pages(draft))
    assert next(iter(found)) == "Annotation B"
    assert "ana: 2 annotations\n  id: p1\n  state: done\n  note: odd text" in found["People"]
    assert "li: 0 annotations" in found["People"]
    assert found["Request"] == "Why\n\n# Question\nWhat of it?"
    assert '"model": "m"' in found["Sample"]


def test_a_sample_that_was_read_without_a_find_is_told_apart(tmp_path: Path) -> None:
    """Read, nothing marked; and nobody did anything."""
    with viewed.browsed(tmp_path) as browse:
        for name, words in (("second", "read by li: nothing"), ("third", "nobody marked")):
            looked = browse.open(SampleKey("d", name))
            draft = Viewing(
                looked.sample,
                looked.segments,
                browse.labels,
                everybody=looked.annotations,
                assignments=looked.assignments,
                names=NAMES,
            )
            assert line(draft)[0].startswith(words)
            assert len(draft.bar) == (name == "second")
