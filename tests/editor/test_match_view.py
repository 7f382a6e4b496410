"""What was looked at of the matches: by keys and clicks, never because it was lit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.editor.draft_samples import anchor, draft, key, keys, light, select, store
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.samples import Side
from tui_annotate.editor import highlights
from tui_annotate.editor.effects import Effects, Save
from tui_annotate.editor.state import Draft, ViewedMatches


def lit() -> Draft:
    """A draft whose two lit matches belong to the claim in hand."""
    made = draft()
    made.viewed_matches.begin(made.current_anchor(Side.SUMMARY))
    return made


def offered(effects: Effects) -> AssistSnapshot | None:
    """What the one save among the effects tells of."""
    (saved,) = [effect for effect in effects if isinstance(effect, Save)]
    return saved.offer


@pytest.mark.parametrize(
    ("pressed", "looked"),
    [
        ("3", set()),
        ("n 3", {1, 2}),
        ("N 3", {1, 2}),
        ("space 3", {1}),
        ("n space 3", {1, 2}),
        ("tab tab 3", {1}),
        ("down up 3", set()),
    ],
)
def test_keys_look(pressed: str, looked: set[int]) -> None:
    """Walking to a match or on from it, taking it, and going over to it."""
    on = lit()
    offer = offered(keys(on, pressed))
    assert offer == AssistSnapshot(matches=on.matches[Side.SOURCE], looked=frozenset(looked))


def test_clicks_look() -> None:
    """On a match of the source, in the text or in the list; not on one of the summary."""
    on = lit()
    highlights.show_match(on, 2)
    assert (offer := offered(key(on, "3")))
    assert offer.looked == {2}
    on = lit()
    highlights.take_match(on, 1)
    assert (offer := offered(key(on, "3")))
    assert offer.looked == {1}
    on = lit()
    keys(on, "tab")
    on.viewed_matches = replace(lit().viewed_matches)
    light(on, (1, 0.9), (2, 0.8), side=Side.SUMMARY)
    highlights.show_match(on, 2)
    assert (offer := offered(keys(on, "tab 3")))
    assert offer.looked == set()


def test_another_ranking_leaves_what_was_looked_at() -> None:
    """The same sentences are meant, whatever their ranks are then."""
    on = lit()
    keys(on, "space")
    light(on, (0, 0.9), (2, 0.8), (1, 0.7))
    on.viewed_matches.begin(on.current_anchor(Side.SUMMARY))
    offer = offered(key(on, "3"))
    assert offer is not None
    assert offer.looked == {3}


def test_another_claim_begins_anew() -> None:
    """And before the assist has answered for it, nothing can be told."""
    on = lit()
    keys(on, "n")
    select(on, "15 million")
    assert offered(key(on, "3")) is None
    on = lit()
    keys(on, "n")
    select(on, "15 million")
    on.viewed_matches.begin(on.current_anchor(Side.SUMMARY))
    offer = offered(key(on, "3"))
    assert offer is not None
    assert offer.looked == set()


def test_an_edit_tells_what_is_lit_for_its_claim() -> None:
    """As a new annotation does."""
    on = lit()
    store(on, key(on, "3"))
    keys(on, "e")
    on.viewed_matches.begin(on.current_anchor(Side.SUMMARY))
    offer = offered(keys(on, "n space enter"))
    assert offer is not None
    assert offer.looked == {1, 2}


def test_nothing_found_is_something_known() -> None:
    """An offer of nothing, not an unknown one."""
    on = lit()
    highlights.show_matches(on, Side.SOURCE, ())
    assert offered(key(on, "3")) == AssistSnapshot()
    assert ViewedMatches().offer([anchor(on, "The film", Side.SUMMARY)], ()) is None
