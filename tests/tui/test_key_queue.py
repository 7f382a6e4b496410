"""Keys that take turns: each is done as if it had been pressed when the one before it was done."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import inf
from pathlib import Path

import pytest
from textual import events
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tests.tui.screens.annotate_app import SUMMARY, Person, make_workspace, open_app
from tests.tui.screens.bursts import at_once, through, until
from tui_annotate.domain.annotations import PastAnnotation
from tui_annotate.domain.samples import SampleKey, Side
from tui_annotate.tui.dialogs.jump import JumpDialog
from tui_annotate.tui.dialogs.past_annotations import PastAnnotationDialog
from tui_annotate.tui.key_queue import MOST_WAITING, KeyOrPaste, SerialKeysApp, free
from tui_annotate.tui.line_input import LineInput


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace."""
    return make_workspace(tmp_path / "work")


def here(person: Person) -> str:
    """The id of the sample on screen."""
    assert person.screen.open_sample is not None
    return str(person.screen.open_sample.sample.id)


# lines that are ended


async def test_what_is_typed_behind_find_is_none_of_it(folder: Path) -> None:
    """Enter lights the hits, and n walks them; Escape closes, and the digit behind it labels."""
    async with open_app(folder) as person:
        await at_once(person, "slash h u r t enter n")
        assert person.draft.search.words == '"hurt"'
        assert person.draft.search.side is Side.SUMMARY
        assert person.draft.pointer.offset == SUMMARY.index("hurt")
        await at_once(person, "escape slash w a s escape down 3")
        assert [known.labels[0][-1] for known in person.annotations] == ["Benign"]


async def test_a_reason_in_own_words_ends_with_its_enter(folder: Path) -> None:
    """Down behind it moves on the next sample; the letters are whole."""
    async with open_app(folder) as person:
        await at_once(person, "exclamation_mark 0 o d d enter down")
        assert here(person) == "b"
        assert person.draft.segment(Side.SUMMARY) == 1


async def test_the_list_of_labels_takes_the_row_that_down_led_to(folder: Path) -> None:
    """Enter does not overtake it, and what is behind it is for the screen."""
    async with open_app(folder) as person:
        await at_once(person, "0 e n enter down 0 n down enter")
        assert [known.labels[0][-1] for known in person.annotations] == ["Benign", "Intrinsic"]


async def test_the_queue_opens_what_was_searched_for(folder: Path) -> None:
    """However soon the Enters come: the row is that of the list that was found."""
    async with open_app(folder) as person:
        await at_once(person, "q slash r a i n e d enter enter")
        assert here(person) == "b"
        await at_once(person, "q down enter")
        assert here(person) == "c"


async def test_what_is_typed_behind_an_id_is_not_written_into_it(folder: Path) -> None:
    """Where it leads nowhere, it is dropped, and the line stays as it was."""
    async with open_app(folder) as person:
        await at_once(person, "G n o enter s 1")
        dialog = person.app.screen
        assert isinstance(dialog, JumpDialog)
        assert dialog.query_one(LineInput).value == "no"
        await at_once(person, "backspace backspace b enter down")
        assert here(person) == "b"
        assert person.draft.segment(Side.SUMMARY) == 1


async def test_what_was_labelled_before_is_waited_for(folder: Path) -> None:
    """Enter takes what is found, however soon it comes; the letter behind it repeats the label."""
    async with open_app(folder, sample="b") as person:
        await at_once(person, "down 3 m n o b o d y enter less_than_sign")
        await at_once(person, "down down R enter r")
        assert here(person) == "a"
        assert [known.note for known in person.annotations] == ["nobody"]


FORMERS = tuple(PastAnnotation(SampleKey("films", name), name, name, (), "", 0.5) for name in "bc")


@pytest.mark.parametrize(
    ("keys", "before", "taken"),
    [(("down", "enter"), [], [FORMERS[1]]), (("q",), [None], [None])],
)
async def test_former_annotations_are_chosen_from_once_they_are_found(
    folder: Path, keys: tuple[str, ...], before: list[None], taken: list[PastAnnotation | None]
) -> None:
    """However long it takes; what closes does not wait for that."""
    found = threading.Event()
    given: list[PastAnnotation | None] = []

    def find() -> tuple[PastAnnotation, ...]:
        found.wait(60)
        return FORMERS

    async with open_app(folder) as person:
        person.app.push_screen(PastAnnotationDialog(find, slots={}), given.append)
        for key in keys:
            person.app.post_message(events.Key(key, "\r" if key == "enter" else None))
        await until(person, lambda: bool(given or len(person.app._waiting_keys) == 2))
        assert given == before
        found.set()
        await through(person)
        assert given == taken


async def test_a_paste_goes_where_the_keys_before_it_led(folder: Path) -> None:
    """Into the note that `m` opened, not before it and not behind its end."""
    async with open_app(folder) as person:
        await at_once(person, "1 m paste:pasted enter paste:lost down 2")
        assert [known.note for known in person.annotations] == ["pasted", ""]


async def test_a_note_on_what_is_being_saved_is_kept(folder: Path) -> None:
    """However soon the note line is opened and ended behind the digit."""
    async with open_app(folder) as person:
        await at_once(person, "m enter down 2 m x enter")
        assert [known.note for known in person.annotations] == ["x"]
        await at_once(person, "down 5 o n e enter down 3 m t w o enter")
        assert [known.note for known in person.annotations] == ["x", "one", "two"]


# leaving


async def test_the_wish_to_leave_waits_for_its_turn(folder: Path) -> None:
    """Behind an undo and a done, and what was pressed before it is done."""
    async with open_app(folder) as person:
        await person.press("1 down 3")
        for key in ("u", "U", "down", "2", "m", "a", "enter"):
            person.app.post_message(events.Key(key, "\r" if key == "enter" else None))
        person.app.post_message(events.Key("ctrl+q", None))
        while not person.screen.saver.closed:
            await person.pilot.pause(0.001)
        assert len(person.annotations) == 3
        assert person.annotations[-1].note == "a"


# the turns themselves


class _Held(Screen[None]):
    """It keeps keys waiting until it is told not to."""

    held = True

    def __init__(self) -> None:
        super().__init__()
        self.ended: list[str] = []  # lines

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """An Enter was done."""
        self.ended.append(message.value)

    def compose(self) -> ComposeResult:
        """Two lines."""
        yield Input(id="one")
        yield Input(id="two")

    def holds(self, event: KeyOrPaste) -> bool:
        """For as long as somebody says so."""
        del event
        return self.held


async def _type(app: SerialKeysApp, text: str) -> None:
    for character in text:
        app.post_message(events.Key(character, character))
    passed = asyncio.Event()
    app.call_later(passed.set)
    await passed.wait()


@asynccontextmanager
async def _holding(*, held: bool) -> AsyncIterator[tuple[SerialKeysApp, Pilot[None], _Held]]:
    app, screen = SerialKeysApp(), _Held()
    screen.held = held
    async with app.run_test() as pilot:
        await app.push_screen(screen)
        screen.query_one("#one").focus()
        await pilot.pause()
        yield app, pilot, screen


async def _idle(app: SerialKeysApp, pilot: Pilot[None]) -> None:
    for _ in range(20_000):
        if not (app._waiting_keys or app._barrier_target):
            return
        await pilot.pause(0.001)
    raise AssertionError("keys still wait")


async def test_text_of_any_length_is_typed_in_order() -> None:
    """Also where the terminal sends what is pasted as keys."""
    text = "0123456789" * (MOST_WAITING // 5)
    async with _holding(held=False) as (app, pilot, screen):
        await _type(app, text)
        await _idle(app, pilot)
        assert screen.query_one("#one", Input).value == text


async def test_of_the_keys_that_wait_for_a_screen_the_first_are_done() -> None:
    """A key that is held down meanwhile does not run on for long."""
    text = "0123456789" * (MOST_WAITING // 5)
    async with _holding(held=True) as (app, pilot, screen):
        await _type(app, text)
        screen.held = False
        free(screen)
        await pilot.pause()
        await _idle(app, pilot)
        assert screen.query_one("#one", Input).value == text[:MOST_WAITING]


async def test_keys_go_on_where_what_had_the_focus_is_taken_away() -> None:
    """The message behind a key goes with it; the next key does not wait for it."""
    async with _holding(held=False) as (app, pilot, screen):
        app._send_barrier()
        await screen.query_one("#one").remove()
        screen.query_one("#two").focus()
        await _type(app, "ab")
        await _idle(app, pilot)
        assert screen.query_one("#two", Input).value == "ab"


async def test_keys_go_on_where_a_screen_was_left() -> None:
    """The one under it is not waited for by those that the other kept."""
    async with _holding(held=False) as (app, pilot, screen):
        over = _Held()
        await app.push_screen(over)
        await _type(app, "ab")
        over.dismiss()
        await pilot.pause()
        await _idle(app, pilot)
        assert screen.query_one("#one", Input).value == "ab"


async def test_a_key_is_forgotten_on_its_way_to_a_widget() -> None:
    """Enter is as little done as what is behind it; text is typed, as ever."""
    async with _holding(held=False) as (app, pilot, screen):
        line = screen.query_one("#one", Input)
        for key, forgotten, ended in (("a", inf, []), ("enter", inf, []), ("enter", -inf, ["a"])):
            app.forget_keys(-inf)
            await app.on_event(events.Key(key, "\r" if key == "enter" else key))
            app.forget_keys(forgotten)
            await _idle(app, pilot)
            assert (line.value, screen.ended) == ("a", ended)


async def test_text_that_is_under_way_is_typed_though_keys_are_forgotten(folder: Path) -> None:
    """Up to the key that would end the line: no word is cut, and nothing else is done."""
    async with open_app(folder) as person:
        await person.press("m")
        for key in ("a", "b", "enter", "s", "1"):
            person.app._waiting_keys.append(events.Key(key, "\r" if key == "enter" else None))
        person.screen.forget_keys()
        await at_once(person, "c")
        assert person.screen.query_one("#note", Input).value == "abc"
        assert here(person) == "a"
