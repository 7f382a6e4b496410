"""The page that asks for a few things."""

from __future__ import annotations

import math
import re

import pytest
from rich.cells import cell_len
from textual import events

from tests.tui.stage import HOSTILE, run_stage
from tui_annotate.domain.errors import InvalidInput, NotAllowed, Throttled
from tui_annotate.domain.people import Person
from tui_annotate.tui import frame_guard
from tui_annotate.tui.key_queue import SerialKeysApp
from tui_annotate.tui.screens import sign_in_forms
from tui_annotate.tui.screens.form_screen import FormScreen
from tui_annotate.tui.screens.sign_in_forms import (
    BACK,
    CODE,
    GO,
    LEAVE,
    FormContent,
    SignInMessage,
    Values,
)
from tui_annotate.tui.widgets.form_rows import FormChoice, FormMessage

SIGN_IN = sign_in_forms.sign_in_form("work", can_stay_signed_in=True)
_ANA = Person("ab12", "ana")
FORMS = {
    "sign-in": SIGN_IN,
    "code": sign_in_forms.invite_code_form(can_stay_signed_in=True),
    "first": sign_in_forms.first_password_form("李娜", old=True),
    "password": sign_in_forms.password_form("李娜"),
    "same person": sign_in_forms.same_person_form([_ANA]),
    "namesakes": sign_in_forms.same_person_form([_ANA] * 2),
    "place": sign_in_forms.place("10:31", working=False),
    "place again": sign_in_forms.place("10:31", working=True),
    "locked": sign_in_forms.build_password_again_form(
        SignInMessage.SCREEN_LOCKED, ["李娜 · no key pressed for 30 minutes"], known=False
    ),
}


assert SIGN_IN.tick
STAY = SIGN_IN.tick[1].text()
OLD_PASSWORD, NEW_PASSWORD = (field.name.text() for field in FORMS["password"].fields[:2])


class Asked:
    """Keeps what a page asked for."""

    def __init__(self, form: FormContent = SIGN_IN) -> None:
        self.now = 100.0
        self.sent: list[tuple[str, dict[str, str]]] = []
        self.page = FormScreen(form, self.take, clock=lambda: self.now)

    def take(self, page: FormScreen, choice: str, values: Values) -> None:
        """What the page sends."""
        assert page is self.page
        self.sent.append((choice, dict(values)))


def typed(text: str) -> list[str]:
    """Keys of a text."""
    names = {" ": "space", "@": "at", ".": "full_stop"}
    return [names.get(character, character) for character in text]


async def test_enter_goes_to_what_is_empty_and_then_on() -> None:
    """An address, Enter, a password, Enter; the password is dots."""
    asked = Asked()
    async with run_stage(screen=asked.page) as (stage, pilot):
        await pilot.press(*typed("li@example.org"), "enter", *typed("李 secret"))
        assert asked.sent == []
        assert "li@example.org" in stage.text()
        assert "••••••••" in stage.text()
        assert "secret" not in stage.text()
        await pilot.press("enter")
        await pilot.pause()
        values = {"email": "li@example.org", "password": "李 secret", "stay": ""}
        assert asked.sent == [(GO, values)]
        assert stage.screen.query_one("#said", FormMessage)._words[0]
        await pilot.press("enter")
        assert len(asked.sent) == 1


async def test_keys_that_come_at_once_stay_in_their_order() -> None:
    """On a slow line all of it may arrive together; the password is never typed into the open."""
    asked, app = Asked(), SerialKeysApp()
    async with app.run_test() as pilot:
        await app.push_screen(asked.page)
        for name in [*"ana", "tab", *"secret", "tab", "space", "enter"]:
            character = name if len(name) == 1 else " " if name == "space" else None
            app.post_message(events.Key(name, character))
        while not asked.sent:
            await pilot.pause(0.001)
        assert asked.sent == [(GO, {"email": "ana", "password": "secret", "stay": "yes"})]


async def test_a_form_over_a_sample_takes_no_key_of_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """It opens by itself: until it was seen, q does not quit and Enter takes nothing over."""
    monkeypatch.setattr(frame_guard, "UNREPORTED_TIME", math.inf)
    asked, app = Asked(FORMS["place again"]), SerialKeysApp()
    async with app.run_test() as pilot:
        await app.push_screen(asked.page)
        for name in ("a", "q", "enter"):
            app.post_message(events.Key(name, name if len(name) == 1 else None))
        await pilot.pause()
        said = asked.page.query_one("#said", FormMessage)
        assert said._words[0] == sign_in_forms.SignInMessage.JUST_OPENED.text()
        assert (asked.sent, app._exit) == ([], False)
        monkeypatch.setattr(frame_guard, "UNREPORTED_TIME", 0.0)
        asked.page._open_after_frame()
        app.post_message(events.Key("enter", None))
        while not asked.sent:
            await pilot.pause(0.001)
        assert [choice for choice, _ in asked.sent] == [GO]


async def test_a_form_over_a_sample_takes_no_click_meant_for_the_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A click where a choice appears takes over no session before the form was seen."""
    monkeypatch.setattr(frame_guard, "UNREPORTED_TIME", math.inf)
    asked = Asked(FORMS["place again"])
    async with run_stage(screen=asked.page) as (_, pilot):
        await pilot.click(FormChoice)
        await pilot.pause()
        said = asked.page.query_one("#said", FormMessage)
        assert said._words[0] == sign_in_forms.SignInMessage.JUST_OPENED.text()
        assert asked.sent == []
        asked.page._opens_at = -math.inf
        await pilot.click(FormChoice)
        await pilot.pause()
        assert [choice for choice, _ in asked.sent] == [GO]


async def test_arrows_and_tab_walk_around_all_rows() -> None:
    """Down and Tab forth, Up and Shift+Tab back, Space ticks, Enter chooses."""
    asked = Asked()
    async with run_stage(screen=asked.page) as (stage, pilot):
        await pilot.press("down", "tab", "space")
        assert f"▌ [x] {STAY}" in stage.text()
        await pilot.press("space", "up", "shift+tab", "up", "up")
        assert f"▌ {SIGN_IN.choices[0][1].text()}" in stage.text()
        await pilot.press("enter")
        assert asked.sent == []
        assert f"▌ {SIGN_IN.fields[0].name.text()}" in stage.text()
        await pilot.press("up", "enter")
        assert [choice for choice, _ in asked.sent] == [CODE]


async def test_the_mouse_may_choose_and_tick() -> None:
    """A click on a row is what a key would be there."""
    asked = Asked()
    async with run_stage(screen=asked.page) as (stage, pilot):
        for words in (f"[ ] {STAY}", dict(SIGN_IN.choices)[CODE].text()):
            lines = stage.lines()
            row = next(y for y, line in enumerate(lines) if words in line)
            await pilot.click(offset=(lines[row].index(words), row))
        assert asked.sent == [(CODE, {"email": "", "password": "", "stay": "yes"})]


async def test_what_is_wrong_stands_under_the_fields_and_what_is_open_stays() -> None:
    """The secret is typed anew; a new password that is none costs the old one nothing."""
    asked = Asked(sign_in_forms.password_form("Ana"))
    async with run_stage(screen=asked.page) as (stage, pilot):
        await pilot.press(*"old", "enter", *"new", "enter", *"new", "enter")
        asked.page.refuse(InvalidInput("the password is too short", "take 8 characters"))
        await pilot.pause()
        assert "✗ the password is too short · take 8 characters" in stage.text()
        assert re.search(rf"{OLD_PASSWORD} +•••", stage.text())
        assert f"▌ {NEW_PASSWORD}" in stage.text()
        await pilot.press(*"new", "enter", *"new", "enter")
        asked.page.refuse(NotAllowed("that is not your password"))
        await pilot.pause()
        assert "•" not in stage.text()
        assert f"▌ {OLD_PASSWORD}" in stage.text()
        assert len(asked.sent) == 2


async def test_too_many_tries_count_down_and_keep_what_was_typed() -> None:
    """Enter does nothing until it may; then the same words are sent."""
    asked = Asked()
    async with run_stage(screen=asked.page) as (stage, pilot):
        await pilot.press(*"ana", "enter", *"secret", "enter")
        asked.page.refuse(Throttled("too many", seconds=5))
        asked.now += 1.5
        asked.page.count_down()
        await pilot.press("enter")
        assert "✗" in stage.text()
        assert " 4 s" in stage.text()
        assert "secret" not in stage.text()
        assert "••••••" in stage.text()
        assert len(asked.sent) == 1
        asked.now += 3.5
        asked.page.count_down()
        await pilot.pause()
        assert "✗" not in stage.text()
        assert stage.screen.query_one("#said", FormMessage)._words[0]
        await pilot.press("enter")
        await pilot.pause()
        assert asked.sent[0] == asked.sent[1]


async def test_a_paste_goes_into_the_field_without_its_line_end() -> None:
    """A password out of a manager often brings one."""
    asked = Asked()
    async with run_stage(screen=asked.page) as (_, pilot):
        await pilot.press(*"ana", "tab")
        pilot.app.post_message(events.Paste("grey herons\r\n"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert [values["password"] for _, values in asked.sent] == ["grey herons"]


async def test_escape_goes_back_where_there_is_a_way() -> None:
    """And nowhere else."""
    for form, sent in ((sign_in_forms.password_form("Ana"), [BACK]), (SIGN_IN, [])):
        asked = Asked(form)
        async with run_stage(screen=asked.page) as (_, pilot):
            await pilot.press("escape", "backspace")
            await pilot.pause()
            assert [choice for choice, _ in asked.sent] == sent


async def test_without_fields_enter_is_the_first_choice() -> None:
    """The key q leaves; with fields it is a letter."""
    asked = Asked(sign_in_forms.place("10:31", working=False))
    async with run_stage(screen=asked.page) as (stage, pilot):
        assert "10:31" in stage.text()
        await pilot.press("enter")
        asked.page.refuse(NotAllowed("no"))
        await pilot.press("down", "enter")
        await pilot.pause()
        assert [choice for choice, _ in asked.sent] == [GO, LEAVE]
        await pilot.press("q")
        await pilot.pause()
    assert not stage.is_running


@pytest.mark.parametrize("name", FORMS)
async def test_every_form_fits_the_screen(name: str) -> None:
    """Title, all choices and the keys are in sight."""
    form = FORMS[name]
    async with run_stage(screen=Asked(form).page) as (stage, pilot):
        for size in ((80, 24), (140, 40), (50, 18)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert all(cell_len(line) == size[0] for line in stage.lines()), size
            choices = (name.text() for _, name in form.choices)
            for words in (form.title.text(), *choices, "Enter continue"):
                assert words in stage.text(), size


@pytest.mark.parametrize("theme", ["dark", "mono"])
async def test_foreign_words_are_harmless(theme: str) -> None:
    """Names, folders and errors are shown as text, whatever they hold."""
    form = sign_in_forms.sign_in_form(HOSTILE, email=HOSTILE, can_stay_signed_in=False)
    asked = Asked(form)
    async with run_stage(screen=asked.page, theme=theme, native=theme == "mono") as (stage, pilot):
        asked.page.refuse(NotAllowed(HOSTILE, HOSTILE))
        pilot.app.post_message(events.Paste(HOSTILE))
        await pilot.press(*"中文")
        await pilot.pause()
        assert "␛]52" in stage.text()


async def test_keys_from_before_a_page_are_no_part_of_a_password() -> None:
    """A page that comes by itself forgets what was meant for the sample under it."""
    asked, app = Asked(sign_in_forms.password_form("Ana")), SerialKeysApp()
    async with app.run_test() as pilot:
        early = events.Key("1", "1")
        await app.push_screen(asked.page)
        await pilot.pause()
        app.forget_keys(asked.page.listening_since or 0)
        app.post_message(early)
        await pilot.press("2", "enter", "3", "enter", "4", "enter")
        assert [list(values.values()) for _, values in asked.sent] == [["2", "3", "4"]]
