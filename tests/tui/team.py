"""A workspace with accounts, for tests of signing in."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.tui.screens.work import make
from tui_annotate import workspace
from tui_annotate.domain.people import Role
from tui_annotate.services.authenticate.managing import NewAccount
from tui_annotate.workspace import Workspace

ANA, LI = "ana@example.org", "li@example.org"
PASSWORD: Final = "seven grey herons"
OWN: Final = "eight white herons"


def add(space: Workspace, name: str, email: str, *, unix: str = "", invited: bool = False) -> str:
    """An account, and the id of its person; their password is `PASSWORD`, and their own."""
    role = None if not space.team.authenticate.required() else Role.ANNOTATOR
    given = "" if invited else PASSWORD
    account = space.team.accounts.add(NewAccount(name, email, role, unix=unix, password=given))
    if account.must_change:
        space.team.authenticate.change_password(account.person.id, PASSWORD, PASSWORD)
    return account.person.id


@cache
def _made() -> TemporaryDirectory[str]:
    """A workspace that is copied for each test; kept as long as the tests run."""
    folder = TemporaryDirectory()
    with workspace.open(make(Path(folder.name) / "work")) as space:
        add(space, "Ana", ANA)
        add(space, "李娜", LI)
    return folder


def make_team(folder: Path, *, idle: int = 30) -> Path:
    """Three samples; Ana, an admin, and 李娜, an annotator."""
    made = Path(shutil.copytree(Path(_made().name) / "work", folder))
    with (made / "tui-annotate.toml").open("a", encoding="utf-8") as file:
        file.write(f"idle_minutes = {idle}\n")
    return made
