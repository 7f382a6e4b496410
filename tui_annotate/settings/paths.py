"""Paths of the current workspace, of a person's settings file, and of the state folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import check_name

PREFIX: Final = "TUI_ANNOTATE_"
NO_WORKSPACE: Final = "no-workspace"
"""Code of the error that neither the current folder nor a parent folder is a workspace."""

_PROGRAM: Final = "tui-annotate"
_NO_HOME: Final = Path(os.devnull) / _PROGRAM
"""Folder of a user without a home: reads find nothing, writes fail as on a read-only home."""


def user_file(environment: Mapping[str, str] | None = None) -> Path:
    """Return the path of the person's `config.toml`, or of the file `TUI_ANNOTATE_CONFIG` names."""
    given = os.environ if environment is None else environment
    if named := given.get(PREFIX + "CONFIG"):
        return Path(named)
    from platformdirs import user_config_dir

    return _home_folder(user_config_dir) / "config.toml"


def find_user_file(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the path of the person's `config.toml`; None if the person has no home folder."""
    file = user_file(environment)
    return None if file.is_relative_to(_NO_HOME) else file


def state_folder() -> Path:
    """Return the folder of files kept between runs: `TUI_ANNOTATE_STATE` or the default folder."""
    if named := os.environ.get(PREFIX + "STATE"):
        return Path(os.path.expanduser(named))  # noqa: PTH111  pathlib raises for an unknown user
    from platformdirs import user_state_dir

    return _home_folder(user_state_dir)


def _home_folder(locate: Callable[..., str]) -> Path:
    """Return the program's folder of one kind below the user's home.

    A user without `HOME` and without an entry in the system's list of users, as in some
    containers, has no home.
    """
    try:
        folder = Path(locate(_PROGRAM, appauthor=False))
    except RuntimeError:
        return _NO_HOME
    # Below the current folder, another user may have put a file.
    return folder if folder.is_absolute() else _NO_HOME


def reply_cache_file() -> Path | None:
    """Return the path of the user's cache of model replies; None for a user without a home."""
    file = state_folder() / "replies.jsonl"
    return None if file.is_relative_to(_NO_HOME) else file


def workspace_state_file(kind: str, workspace: Path) -> Path:
    """Return the path of a file in the state folder for one workspace; the file need not exist."""
    from hashlib import sha256

    name = sha256(str(workspace.resolve()).encode("utf-8", "surrogateescape")).hexdigest()
    return state_folder() / f"{kind}-{name[:16]}"


def person_name(workspace: Path, given: str = "") -> str:
    """Return the user's name: the given name, else the remembered name, else the login name.

    A name is remembered for one workspace.

    Raises:
        InvalidInput: the given name or the login name is not a valid name.
    """
    if given:
        return check_name(given)
    try:
        return check_name(workspace_state_file("name", workspace).read_text("utf-8"))
    except (OSError, UnicodeDecodeError, InvalidInput):
        return login_name()


def remember_name(workspace: Path, name: str) -> None:
    """Store the name under which a user works in a workspace; ignore write errors.

    Raises:
        InvalidInput: the name is invalid.
    """
    name = check_name(name)
    file = workspace_state_file("name", workspace)
    with suppress(OSError):  # a read-only home loses the name, not the work
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(name + "\n", "utf-8")


def login_name() -> str:
    """Return the login name; "me" if the user has none, for example in a container.

    Raises:
        InvalidInput: the login name is not a valid person's name.
    """
    import getpass

    try:
        login = getpass.getuser()
    except (KeyError, OSError):
        login = "me"
    return check_name(login)
