"""A workspace with accounts, for tests of signing in."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from textual import events
from textual.pilot import Pilot, WaitForScreenTimeout

from tests.tui.screens.annotate_app import LOOK, make_workspace
from tui_annotate import workspace
from tui_annotate.domain.people import Role
from tui_annotate.services.authentication.account_management import NewAccount
from tui_annotate.tui.app import AnnotateApp
from tui_annotate.workspace import Workspace

ANA, LI = "ana@example.org", "li@example.org"
PASSWORD: Final = "seven grey herons"
OWN: Final = "eight white herons"


def add(space: Workspace, name: str, email: str, *, unix: str = "", invited: bool = False) -> str:
    """An account, and the id of its person; their password is `PASSWORD`, and their own."""
    role = None if not space.team.authenticate.required() else Role.ANNOTATOR
    given = "" if invited else PASSWORD
    account = space.team.accounts.add(NewAccount(name, email, role, unix_user=unix, password=given))
    if account.must_change:
        space.team.authenticate.change_password(account.person.id, PASSWORD, PASSWORD)
    return account.person.id


@cache
def _made() -> TemporaryDirectory[str]:
    """A workspace that is copied for each test; kept as long as the tests run."""
    folder = TemporaryDirectory()
    with workspace.open(make_workspace(Path(folder.name) / "work")) as space:
        add(space, "Ana", ANA)
        add(space, "李娜", LI)
    return folder


def make_team(folder: Path, *, idle: int = 30) -> Path:
    """Three samples; Ana, an admin, and 李娜, an annotator."""
    made = Path(shutil.copytree(Path(_made().name) / "work", folder))
    with (made / "tui-annotate.toml").open("a", encoding="utf-8") as file:
        file.write(f"idle_minutes = {idle}\n")
    return made


@dataclass
class Visitor:
    """Somebody in front of the app, before or at work."""

    app: AnnotateApp
    pilot: Pilot[None]

    def shown(self) -> str:
        """The whole screen as plain text."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)

    async def until(self, words: str, *, gone: bool = False) -> None:
        """Waits until words are on the screen, or are there no more."""
        while (words in self.shown()) is gone or self.app.sample_screen.saver.waiting:
            with suppress(WaitForScreenTimeout):  # a page that closes meanwhile answers no more
                await self.pilot.pause(0.001)
        await self.pilot.pause()

    async def type(self, *lines: str) -> None:
        """Texts, each ended by Enter."""
        for text in lines:
            for character in text:
                self.app.post_message(events.Key(_KEYS.get(character, character), character))
            await self.pilot.press("enter")
        await self.pilot.pause()

    async def at_work(self) -> None:
        """Waits until a sample takes keys."""
        while not self.app.sample_screen.listening_since or self.app.sample_screen.saver.waiting:
            await self.pilot.pause(0.001)
        await self.pilot.pause()

    async def choose(self, words: str) -> None:
        """An action of the palette."""
        await self.pilot.press("colon")
        await self.until("Search for an action")
        for character in words:
            self.app.post_message(events.Key(_KEYS.get(character, character), character))
        await self.until(words)
        await self.pilot.press("down", "enter")
        await self.pilot.pause()


_KEYS: Final = {" ": "space", "@": "at", ".": "full_stop"}


@asynccontextmanager
async def visiting(
    folder: Path, *, size: tuple[int, int] = (80, 24), **given: Any
) -> AsyncIterator[Visitor]:
    """The app on a workspace, as it begins; left in peace at the end.

    Args:
        given: as `AnnotateApp` takes it.
    """
    app = AnnotateApp(
        lambda: workspace.open(folder), sample="a", order="ingested", look=LOOK, **given
    )
    async with app.run_test(size=size) as pilot:
        yield Visitor(app, pilot)
        app.sample_screen.quit()
