"""Where things are: the workspace that is meant, a person's own file, what is remembered."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import check_name

WORKSPACE_FILE: Final = "tui-annotate.toml"
PREFIX: Final = "TUI_ANNOTATE_"

_PROGRAM: Final = "tui-annotate"


def user_file(environment: Mapping[str, str] | None = None) -> Path:
    """The person's own `config.toml`, which need not exist; `TUI_ANNOTATE_CONFIG` names another."""
    given = os.environ if environment is None else environment
    if named := given.get(PREFIX + "CONFIG"):
        return Path(named)
    from platformdirs import user_config_dir

    return Path(user_config_dir(_PROGRAM, appauthor=False)) / "config.toml"


def state_folder() -> Path:
    """Where things are remembered from start to start; `TUI_ANNOTATE_STATE` names another one."""
    if named := os.environ.get(PREFIX + "STATE"):
        return Path(named)
    from platformdirs import user_state_dir

    return Path(user_state_dir(_PROGRAM, appauthor=False))


def person_name(given: str = "") -> str:
    """Who works here: the name given now, else the one remembered, else the login name.

    Raises:
        InvalidInput: it is no name.
    """
    if given:
        return check_name(given)
    try:
        return check_name((state_folder() / "name").read_text("utf-8"))
    except (OSError, UnicodeDecodeError, InvalidInput):
        return login_name()


def remember_name(name: str) -> None:
    """Remember who began to work here, where that can be written.

    Raises:
        InvalidInput: it is no name.
    """
    name, file = check_name(name), state_folder() / "name"
    with suppress(OSError):  # a home that can not be written costs the memory, not the work
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_text(name + "\n", "utf-8")


def login_name() -> str:
    """The name of this user of the machine; "me" for one without a name, as in a container.

    Raises:
        InvalidInput: it can not be a person's name.
    """
    import getpass

    try:
        login = getpass.getuser()
    except (KeyError, OSError):
        login = "me"
    return check_name(login)


def find_workspace(flag: Path | None = None) -> Path:
    """The workspace that is meant: the flag, `TUI_ANNOTATE_WORKSPACE`, or the nearest parent.

    Raises:
        NotFound: what is named is no workspace, or there is none above the current folder.
    """
    named = flag or os.environ.get(PREFIX + "WORKSPACE")
    if named:
        folder = Path(named)
        if not (folder / WORKSPACE_FILE).is_file():
            import shlex

            raise NotFound(
                f"{folder} is no workspace: it holds no {WORKSPACE_FILE}",
                f"make one: tui-annotate init {shlex.quote(str(folder))}",
            )
        return folder.resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / WORKSPACE_FILE).is_file():
            return folder
    raise NotFound(
        f"neither {here} nor a folder above it is a workspace",
        "make one with tui-annotate init, or name one with -w DIR",
    )
