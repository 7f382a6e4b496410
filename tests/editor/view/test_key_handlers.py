"""What keys do to whoever looks at a file: everything is seen, and nothing is ever to be stored."""

from __future__ import annotations

import pytest

from tests.editor.draft_samples import code
from tests.editor.view.draft_samples import focus
from tests.helpers import annotated_file as viewed
from tui_annotate.domain.samples import Side
from tui_annotate.editor.effects import (
    AskWords,
    Blink,
    Focus,
    GoTo,
    GrowSelection,
    Move,
    Open,
    Page,
    Reveal,
    Select,
    SelectWord,
    SwapEnds,
)
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.key_state import VIEWING
from tui_annotate.editor.search_hits import SearchHits
from tui_annotate.editor.state import SideCursor
from tui_annotate.editor.view import key_handlers
from tui_annotate.editor.view.messages import ViewText
from tui_annotate.editor.view.press import press
from tui_annotate.editor.view.state import ViewDraft
from tui_annotate.editor.view.words import draft_line


@pytest.mark.parametrize("action", default_keys().actions, ids=lambda action: action.id)
def test_no_key_asks_for_anything_to_be_stored(draft: ViewDraft, action: object) -> None:
    """Whatever acts, and whatever comes before it, moves, shows or opens: no more."""
    looking = (
        Move, SelectWord, GrowSelection, SwapEnds, Select, GoTo, Reveal, Focus, Blink, AskWords,
        Open,
    )  # fmt: skip
    name = str(getattr(action, "id", ""))
    for before in ("", "annotation.next", "pane.other", "option.choose"):
        press(draft, before, digit="2")
        effects = press(draft, name, digit="1")
        assert all(isinstance(effect, looking) for effect in effects)
        opened = {effect.page for effect in effects if isinstance(effect, Open)}
        assert not opened & {
            Page.LABELS, Page.PAST_ANNOTATIONS, Page.OTHER_READING, Page.TALK, Page.PASSWORD,
            Page.SIGN_OUT,
        }  # fmt: skip
        if VIEWING not in getattr(action, "states", ""):
            assert effects == [Blink()]


def test_annotations_are_walked_in_reading_order(draft: ViewDraft) -> None:
    """Round and round, from the cursor on; claim and evidence come into sight."""
    order = []
    for _ in range(5):
        effects = press(draft, "annotation.next")
        order.append(draft.letter(draft.focused))
    assert order == ["A", "B", "C", "D", "A"]
    at = viewed.SOURCE.index("It cost 12")
    assert [type(effect) for effect in effects] == [GoTo, Reveal]
    assert isinstance(effects[1], Reveal)
    assert effects[1].span.start == at
    draft.enable_digits()
    draft.pointers[Side.SUMMARY] = SideCursor(0, len(viewed.SUMMARY) - 1)
    press(draft, "annotation.previous")
    assert draft.letter(draft.focused) == "D"


def test_the_annotation_under_the_cursor_comes_into_hand(draft: ViewDraft) -> None:
    """The shortest where several lie; the one that was in hand stays; none where none lies."""
    focus(draft, "15 million")
    assert draft.letter(draft.focused) == "B"
    focus(draft, "The bridge")
    assert draft.letter(draft.focused) == "A"
    focus(draft, "15 million")
    assert draft.letter(draft.focused) == "A"
    focus(draft, "A mayor")
    assert draft.focused == ""
    press(draft, "pane.other")
    draft.pointers[Side.SOURCE] = SideCursor(0, viewed.SOURCE.index("12 million"))
    (reveal,) = key_handlers.follow(draft)
    assert isinstance(reveal, Reveal)
    assert (reveal.side, draft.shown_evidence) != (Side.SOURCE, ())


def test_one_persons_annotations_alone(draft: ViewDraft) -> None:
    """By digit and by walking people of the sample; letters stay, everybody comes back."""
    assert [option.text for option in draft.options()] == ["settled 1", "ana 2", "ben 1", "li –"]
    press(draft, "option.choose", digit="2")
    assert [draft.letter(one.id) for one in draft.annotations] == ["B", "D"]
    assert {draft.owner(one) for one in draft.annotations} == {"ana"}
    assert draft_line(draft)[0].startswith("Showing 2 of 4 ")
    assert "ana" in draft_line(draft)[0]
    press(draft, "option.choose", digit="2")
    assert len(draft.annotations) == 4
    walked = []
    for _ in range(6):
        press(draft, "person.next")
        walked.append(draft.chosen)
    assert walked == ["p1", "p2", "p3", "adjudicated", "", "p1"]
    draft.show("p3")
    assert press(draft, "annotation.next") == [Blink()]
    assert code(draft) is ViewText.NO_ANNOTATION_OF_PERSON
    assert draft.message.fields["name"] == "li"
    press(draft, "option.list")
    assert draft.chosen == ""
    assert press(draft, "option.choose", digit="9") == [Blink()]


def test_what_is_shown_of_somebody_else_is_no_longer_in_hand(draft: ViewDraft) -> None:
    """An annotation that goes out of sight goes out of hand."""
    focus(draft, "15 million")
    draft.show("p2")
    assert draft.focused == ""
    draft.show("p1")
    focus(draft, "15 million")
    draft.show("p1")
    assert draft.letter(draft.focused) == "B"


def test_back_leaves_the_least(draft: ViewDraft) -> None:
    """Search, selection, the other side, then the one person; nothing is left at the end."""
    draft.show("p1")
    draft.side = Side.SOURCE
    draft.search = SearchHits(hits=(draft.all_annotations[0].annotation.claim[0].span,))
    assert press(draft, "back") == []
    assert draft.search.hits == ()
    assert press(draft, "back") == [Select(Side.SOURCE, None), Focus(Side.SUMMARY)]
    press(draft, "back")
    assert draft.chosen == ""
    assert press(draft, "back") == []
