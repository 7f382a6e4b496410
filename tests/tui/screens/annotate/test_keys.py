"""Keys that come faster than the screen: which are done, in what order, and which never are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from math import inf
from pathlib import Path
from typing import Any

import pytest
from textual import events

from tests.tui.screens.annotate_app import SOURCE, SUMMARY, Person, make_workspace, open_app
from tests.tui.screens.bursts import at_once
from tui_annotate.domain.errors import Conflict, TuiAnnotateError, Unavailable
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.editor.messages import MessageCode
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.tui import frame_guard
from tui_annotate.tui.line_input import LineInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make_workspace(tmp_path / "work")


def here(person: Person) -> str:
    """The id of the sample on screen."""
    assert person.screen.open_sample is not None
    return str(person.screen.open_sample.sample.id)


def labels(person: Person) -> list[str]:
    """The labels on screen."""
    return [known.labels[0][-1] for known in person.annotations]


# on the same sample


async def test_undo_pressed_thrice_at_once_stops_at_an_unseen_sample(folder: Path) -> None:
    """It undoes actions in the sample on screen, and the first action in another sample."""
    async with open_app(folder) as person:
        await person.press("1 down 2 greater_than_sign 3")
        await at_once(person, "u backspace u u")
        assert here(person) == "a"
        assert labels(person) == ["Intrinsic"]
        assert person.said().code is MessageCode.TOO_SOON
        await person.press("u")
        assert labels(person) == []
        await at_once(person, "U U U")
        assert here(person) == "b"
        assert labels(person) == ["Benign"]


async def test_a_digit_behind_an_undo_labels_what_it_gives_back(folder: Path) -> None:
    """u, then 2, however quick."""
    async with open_app(folder) as person:
        await person.words("was", "loved")
        await person.press("space 1")
        await at_once(person, "u 2")
        assert labels(person) == ["Extrinsic"]
        assert len(person.annotations[0].evidence) == 1


# on another sample


async def test_movement_behind_an_enter_is_done_on_the_next_sample(folder: Path) -> None:
    """Down alters nothing, whatever it was meant for."""
    async with open_app(folder) as person:
        await at_once(person, "enter down")
        assert here(person) == "b"
        assert person.draft.segment(Side.SUMMARY) == 1


async def test_nothing_is_changed_on_a_sample_by_keys_from_before_it(tmp_path: Path) -> None:
    """No Enter finishes it, no digit labels it; and what follows such a key is dropped with it."""
    pressed = ("enter", "enter enter enter", "1", "down 2", "x", "s", "v 1", "r")
    names = [f"s{number}" for number in range(len(pressed) + 1)]
    texts = (Document(Side.SOURCE, SOURCE), Document(Side.SUMMARY, "It rained. Nobody came."))
    folder = make_workspace(
        tmp_path / "work", samples=[Sample("films", name, texts) for name in names]
    )
    async with open_app(folder, sample=names[0], glance=inf) as person:
        for finished, keys in enumerate(pressed, 1):
            await person.press("1 down")
            await at_once(person, f"enter {keys} down")
            assert here(person) == names[finished], keys
            assert person.annotations == (), keys
            sample = person.screen.open_sample
            assert sample is not None
            assert (sample.finished, sample.assignment.state) == (finished, "new"), keys
            if not keys.startswith("down"):
                assert person.draft.segment(Side.SUMMARY) == 0, keys


async def test_a_digit_behind_the_last_enter_labels_nothing(folder: Path) -> None:
    """It was meant for a sample that never came."""
    async with open_app(folder) as person:
        await person.press("enter enter")
        await at_once(person, "enter 1")
        assert person.annotations == ()
        assert person.said().code is MessageCode.ALL_FINISHED


@contextmanager
def refused_once(
    monkeypatch: pytest.MonkeyPatch, action: str, error: type[TuiAnnotateError]
) -> Iterator[Iterator[int]]:
    """The store refuses an action the first time; yields the number of calls so far."""
    real, times = getattr(AnnotationService, action), count()

    def refuse(*given: Any, **named: Any) -> Any:
        if not next(times):
            raise error("it is not to be")
        return real(*given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(AnnotationService, action, refuse)
        yield times


@pytest.mark.parametrize(
    ("action", "error", "before", "keys", "left"),
    [
        ("add", Conflict, "3 down", "1 enter backspace enter", ["Benign"]),
        ("edit", Conflict, "1 e 2", "enter enter down 3 enter", ["Intrinsic"]),
        ("remove", Unavailable, "1", "x enter 2 down", ["Intrinsic"]),
    ],
)
async def test_keys_behind_a_refused_action_are_dropped(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    action: str,
    error: type[TuiAnnotateError],
    before: str,
    keys: str,
    left: list[str],
) -> None:
    """They neither save nor drop what comes back into hand, nor take away the words that tell."""
    async with open_app(folder) as person:
        await person.press(before)
        with refused_once(monkeypatch, action, error) as times:
            await at_once(person, keys)
            assert "it is not to be" in person.line()
            assert (here(person), labels(person)) == ("a", left)
            assert next(times) == 1  # nothing tried again by itself


async def test_keys_behind_several_refused_actions_are_dropped(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One after the other, with what comes back into hand dropped in between."""
    async with open_app(folder) as person:
        for action, keys in (
            ("finish", "enter 1 down"),
            ("add", "1 enter 2"),
            ("add", "1 exclamation_mark 0 o d d enter 2"),
            ("add", "5 o d d enter s"),
            ("add", "1 down ctrl+q"),
            ("finish", "enter ctrl+q"),
        ):
            await person.press("home")
            with refused_once(monkeypatch, action, Unavailable) as times:
                await at_once(person, keys)
                assert "it is not to be" in person.line(), keys
                assert (here(person), labels(person)) == ("a", []), keys
                assert next(times) == 1, keys  # nothing tried again by itself
            assert person.draft.save_failed is (action == "add"), keys
            assert person.said()
            await person.press("backspace")
            assert (person.draft.save_failed, person.draft.selection) == (False, None), keys


# what is opened


async def test_a_note_gets_all_that_is_typed_at_once_and_no_more(folder: Path) -> None:
    """No letter is lost, none is a command; behind the key that ends it, all are commands."""
    async with open_app(folder) as person:
        await at_once(person, "v m s o enter 2")
        assert labels(person) == ["Extrinsic"]
        assert person.annotations[0].note == "so"
        await at_once(person, "down backspace m s o x escape 3")
        assert labels(person) == ["Extrinsic", "Benign"]
        assert [*person.draft.kept_notes.values()] == ["sox"]
        await at_once(person, "m s o x enter")
        assert [known.note for known in person.annotations] == ["so", "sox"]


def _typed(person: Person) -> list[str]:
    """What stands in the line of a dialog."""
    return [line.value for line in person.app.screen.query(LineInput) if line.has_focus]


async def test_a_dialog_gets_all_that_is_typed_at_once(folder: Path) -> None:
    """Find and the list of labels."""
    async with open_app(folder) as person:
        await at_once(person, "slash T h e")
        assert _typed(person) == ["The"]
        await person.press("enter backspace")
        await at_once(person, "0 b e n")
        assert _typed(person) == ["ben"]


async def test_keys_wait_for_what_the_store_has_to_open(folder: Path) -> None:
    """None behind it is a command meanwhile, and no other sample comes under it."""
    async with open_app(folder) as person:
        person.screen.do("talk.write")
        await at_once(person, "s o 1")
        (line,) = person.app.screen.query(LineInput)
        assert line.value == "so1"
        assert (here(person), labels(person)) == ("a", [])
        await person.press("escape")
        await at_once(person, "L s 1")
        assert person.said().code is MessageCode.NO_LESSON_YET
        assert (here(person), labels(person)) == ("a", [])
        await person.press("s")
        assert here(person) == "b"


async def test_walking_waits_for_the_words_that_it_walks(folder: Path) -> None:
    """I and c at once lead to the first word that the source has nowhere, and a digit is for it."""
    async with open_app(folder) as person:
        person.screen.comparison._marks.clear()
        await at_once(person, "i c")
        assert person.draft.missing_words
        assert person.draft.pointer.offset == person.draft.missing_words[0].start


# what was read


async def test_a_key_right_after_the_first_frame_ends_no_sample(folder: Path) -> None:
    """However often; another key says that somebody is there."""
    async with open_app(folder, glance=inf) as person:
        for key, opened in (("enter", "b"), ("s", "c")):
            for _ in range(3):
                await person.press(key)
                assert person.said().code is MessageCode.TOO_SOON
            await person.press(f"down {key}")
            assert here(person) == opened


@pytest.mark.parametrize("key", ["enter", "s"])
async def test_a_key_that_is_held_down_ends_one_sample(folder: Path, key: str) -> None:
    """Its repeats are one press, however long; the next press ends the next sample."""
    async with open_app(folder) as person:
        await person.press(key)
        assert here(person) == "b"
        person.screen.glance = 1
        since = person.screen.listening_since
        assert since is not None

        async def pressed_after(*seconds: float) -> None:
            for second in seconds:
                event = events.Key(key, "\r" if key == "enter" else key)
                event.time = since + second
                person.app.post_message(event)
            await person.settled()

        await pressed_after(0.5, *(0.7 + number / 8 for number in range(24)))
        assert here(person) == "b"
        await pressed_after(4)
        assert here(person) == "c"


async def test_sentences_that_were_never_on_screen_are_told_once(tmp_path: Path) -> None:
    """Then a second Enter completes; after scrolling past it, no message is needed.

    Pages that were passed in one burst were never painted: the Enter behind them names them.
    """
    long = " ".join(f"Sentence number {number} says a thing." for number in range(99))
    texts = (Document(Side.SOURCE, SUMMARY), Document(Side.SUMMARY, long))
    samples = [Sample("films", name, texts) for name in "abc"]
    async with open_app(make_workspace(tmp_path / "work", samples=samples)) as person:
        await at_once(person, "pagedown pagedown pagedown pagedown end enter")
        assert here(person) == "a"
        assert person.said().kind == "warning"
        assert str(person.draft.unvisited()[0] + 1) in person.line()
        assert {50, 98} <= set(person.draft.unvisited())
        await person.press("enter")
        assert here(person) == "b"
        await person.press("enter")
        assert here(person) == "b"
        assert person.said().kind == "warning"
        assert "Enter" in person.line()
        assert str(person.draft.unvisited()[0] + 1) in person.line()
        assert 0 not in person.draft.unvisited()
        assert 98 in person.draft.unvisited()
        await person.press("enter")
        assert here(person) == "c"
        while person.draft.unvisited():
            seen = len(person.draft.visited)
            await person.press("pagedown")
            assert len(person.draft.visited) > seen
        await person.press("end enter")
        assert person.said().code is MessageCode.ALL_FINISHED


# what the terminal has not shown yet


async def test_no_storing_action_is_done_before_the_frame_is_reported(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither by a key, nor by the palette or a click; movement works, and does not release it."""
    monkeypatch.setattr(frame_guard, "SETTLING_TIME", inf)
    async with open_app(folder) as person:
        await person.press("down")
        for key in ("2", "x", "enter", "s", "exclamation_mark", "r", "m", "M", "e", "u", "0"):
            await person.press(f"down {key}")
            assert person.said().code is MessageCode.TOO_SOON
            assert person.draft.writing is None
            assert person.draft.pending is None
        person.screen.do("sample.skip")
        person.screen.option_clicked("1")
        await person.settled()
        assert (here(person), labels(person)) == ("a", [])
        assert person.draft.segment(Side.SUMMARY) > 0
        await person.press("v greater_than_sign")
        assert here(person) == "b"


async def test_keys_that_may_be_text_are_recorded_by_the_guard(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Arrows move only, and cannot belong to a note whose key was refused."""
    async with open_app(folder) as person:
        times: list[float] = []
        monkeypatch.setattr(person.screen.guard, "note_key", times.append)
        await person.press("down pagedown up")
        assert times == []
        await person.press("j k j")
        assert len(times) == 3


async def test_a_key_without_effect_is_named(folder: Path) -> None:
    """Nothing changes; the next key that acts removes the message."""
    async with open_app(folder) as person:
        for key, code, name in (
            ("W", MessageCode.KEY_WITHOUT_EFFECT, "W"),
            ("f9", MessageCode.KEY_WITHOUT_EFFECT, "9"),
            ("9", MessageCode.NO_LABEL_OF_DIGIT, "9"),
            ("中", MessageCode.INPUT_METHOD_ON, ""),
        ):
            await person.press(key)
            assert person.said().code is code, key
            assert name in person.said().text
            assert person.annotations == ()
            await person.press("down")
            assert person.said().code is not code, key
        person.app.post_message(events.Key("ideographic_full_stop", "。"))  # the twin of a key
        await person.settled()
        assert person.draft.selection is not None
