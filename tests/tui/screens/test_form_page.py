"""The page that asks for a few things."""

from __future__ import annotations

import pytest
from textual import events

from tests.tui.stage import HOSTILE, staged
from tui_annotate.domain.errors import InvalidInput, NotAllowed, Throttled
from tui_annotate.tui.screens import forms
from tui_annotate.tui.screens.form_page import FormPage
from tui_annotate.tui.screens.forms import BACK, CODE, GO, LEAVE, Form, Values

SIGN_IN = forms.sign_in("work", may_stay=True)
FORMS = {
    "sign-in": SIGN_IN,
    "code": forms.code(may_stay=True),
    "first": forms.first_password("李娜", old=True),
    "password": forms.password("李娜"),
    "place": forms.place("10:31", working=False),
    "place again": forms.place("10:31", working=True),
    "locked": forms.again("Locked", ["李娜 · no key for 30 minutes"], known=False),
}


class Asked:
    """Keeps what a page asked for."""

    def __init__(self, form: Form = SIGN_IN) -> None:
        self.now = 100.0
        self.sent: list[tuple[str, dict[str, str]]] = []
        self.page = FormPage(form, self.take, clock=lambda: self.now)

    def take(self, page: FormPage, choice: str, values: Values) -> None:
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
    async with staged(screen=asked.page) as (stage, pilot):
        await pilot.press(*typed("li@example.org"), "enter", *typed("李 secret"))
        assert asked.sent == []
        assert "li@example.org" in stage.text()
        assert "••••••••" in stage.text()
        assert "secret" not in stage.text()
        await pilot.press("enter")
        await pilot.pause()
        values = {"email": "li@example.org", "password": "李 secret", "stay": ""}
        assert asked.sent == [(GO, values)]
        assert "one moment" in stage.text()
        await pilot.press("enter")
        assert len(asked.sent) == 1


async def test_keys_that_come_at_once_stay_in_their_order() -> None:
    """On a slow line all of it may arrive together; the password is never typed into the open."""
    asked = Asked()
    async with staged(screen=asked.page) as (_, pilot):
        for name in [*"ana", "tab", *"secret", "tab", "space", "enter"]:
            character = name if len(name) == 1 else " " if name == "space" else None
            pilot.app.post_message(events.Key(name, character))
        await pilot.pause()
        assert asked.sent == [(GO, {"email": "ana", "password": "secret", "stay": "yes"})]


async def test_arrows_and_tab_walk_around_all_rows() -> None:
    """Down and Tab forth, Up and Shift+Tab back, Space ticks, Enter chooses."""
    asked = Asked()
    async with staged(screen=asked.page) as (stage, pilot):
        await pilot.press("down", "tab", "space")
        assert "▌ [x] stay signed in" in stage.text()
        await pilot.press("space", "up", "shift+tab", "up", "up")
        assert "▌ sign in" in stage.text()
        await pilot.press("enter")
        assert asked.sent == []
        assert "▌ e-mail" in stage.text()
        await pilot.press("up", "enter")
        assert [choice for choice, _ in asked.sent] == [CODE]


async def test_the_mouse_may_choose_and_tick() -> None:
    """A click on a row is what a key would be there."""
    asked = Asked()
    async with staged(screen=asked.page) as (stage, pilot):
        for words in ("[ ] stay", "I have a code"):
            lines = stage.lines()
            row = next(y for y, line in enumerate(lines) if words in line)
            await pilot.click(offset=(lines[row].index(words), row))
        assert asked.sent == [(CODE, {"email": "", "password": "", "stay": "yes"})]


async def test_what_is_wrong_stands_under_the_fields_and_what_is_open_stays() -> None:
    """The secret is typed anew; a new password that is none costs the old one nothing."""
    asked = Asked(forms.password("Ana"))
    async with staged(screen=asked.page) as (stage, pilot):
        await pilot.press(*"old", "enter", *"new", "enter", *"new", "enter")
        asked.page.refuse(InvalidInput("the password is too short", "take 8 characters"))
        await pilot.pause()
        assert "✗ the password is too short · take 8 characters" in stage.text()
        assert "password so far     •••" in stage.text()
        assert "▌ new password" in stage.text()
        await pilot.press(*"new", "enter", *"new", "enter")
        asked.page.refuse(NotAllowed("that is not your password"))
        await pilot.pause()
        assert "•" not in stage.text()
        assert "▌ password so far" in stage.text()
        assert len(asked.sent) == 2


async def test_too_many_tries_count_down_and_keep_what_was_typed() -> None:
    """Enter does nothing until it may; then the same words are sent."""
    asked = Asked()
    async with staged(screen=asked.page) as (stage, pilot):
        await pilot.press(*"ana", "enter", *"secret", "enter")
        asked.page.refuse(Throttled("too many", seconds=5))
        asked.now += 1.5
        asked.page.count_down()
        await pilot.press("enter")
        assert "too many tries: wait 4 s; what you typed stays" in stage.text()
        assert len(asked.sent) == 1
        asked.now += 3.5
        asked.page.count_down()
        await pilot.pause()
        assert "you may try again: Enter" in stage.text()
        await pilot.press("enter")
        await pilot.pause()
        assert asked.sent[0] == asked.sent[1]


async def test_a_paste_goes_into_the_field_without_its_line_end() -> None:
    """A password out of a manager often brings one."""
    asked = Asked()
    async with staged(screen=asked.page) as (_, pilot):
        await pilot.press(*"ana", "tab")
        pilot.app.post_message(events.Paste("grey herons\r\n"))
        await pilot.pause()
        await pilot.press("enter")
        await pilot.pause()
        assert [values["password"] for _, values in asked.sent] == ["grey herons"]


async def test_escape_goes_back_where_there_is_a_way() -> None:
    """And nowhere else."""
    for form, sent in ((forms.password("Ana"), [BACK]), (SIGN_IN, [])):
        asked = Asked(form)
        async with staged(screen=asked.page) as (_, pilot):
            await pilot.press("escape", "backspace")
            await pilot.pause()
            assert [choice for choice, _ in asked.sent] == sent


async def test_without_fields_enter_is_the_first_choice() -> None:
    """The key q leaves; with fields it is a letter."""
    asked = Asked(forms.place("10:31", working=False))
    async with staged(screen=asked.page) as (stage, pilot):
        assert "You are at work elsewhere since 10:31." in stage.text()
        await pilot.press("enter")
        asked.page.refuse(NotAllowed("no"))
        await pilot.press("down", "enter")
        await pilot.pause()
        assert [choice for choice, _ in asked.sent] == [GO, LEAVE]
        await pilot.press("q")
        await pilot.pause()
    assert not stage.is_running


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("size", [(80, 24), (140, 40), (50, 18)])
async def test_every_form_fits_the_screen(name: str, size: tuple[int, int]) -> None:
    """Title, all choices and the keys are in sight."""
    form = FORMS[name]
    async with staged(screen=Asked(form).page, size=size) as (stage, _):
        for words in (form.title, *(words for _, words in form.choices), "Enter go on"):
            assert words in stage.text()


@pytest.mark.parametrize("theme", ["dark", "mono"])
async def test_foreign_words_are_harmless(theme: str) -> None:
    """Names, folders and errors are shown as text, whatever they hold."""
    form = forms.sign_in(HOSTILE, email=HOSTILE, may_stay=False)
    asked = Asked(form._replace(title=HOSTILE))
    async with staged(screen=asked.page, theme=theme, native=theme == "mono") as (stage, pilot):
        asked.page.refuse(NotAllowed(HOSTILE, HOSTILE))
        pilot.app.post_message(events.Paste(HOSTILE))
        await pilot.press(*"中文")
        await pilot.pause()
        assert "␛]52" in stage.text()
