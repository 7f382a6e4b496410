"""Finds the current workspace, and checks who owns it.

A folder that the user did not name may have been put there by another user, whose settings could
make the program send texts, or write to other files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import NotAllowed, NotFound
from tui_annotate.domain.workspace_files import PSEUDONYMS, STORE, WORKSPACE_FILE
from tui_annotate.settings.paths import NO_WORKSPACE, PREFIX, find_user_file

UNTRUSTED: Final = "workspace-untrusted"
"""Code of the error that a workspace belongs to another user."""

_PATH_SETTINGS: Final = {"people_store": "", "pseudonyms_key": PSEUDONYMS, "embedder": ""}
"""Settings that can name a path, with the path if the value is empty, which can be a link."""

_MAX_NAMED: Final = 3
"""Maximum number of workspaces that a hint names."""


def find_workspace(flag: Path | None = None) -> Path:
    """Return the named workspace's folder, or the closest workspace at or above the current folder.

    The flag or the environment variable `TUI_ANNOTATE_WORKSPACE` names the workspace.

    Raises:
        NotFound: the named folder is not a workspace, or the current folder is not in a workspace.
        NotAllowed: no workspace is named, and the closest one belongs to another user.
    """
    named = flag or os.environ.get(PREFIX + "WORKSPACE")
    if named:
        folder = Path(named)
        if not (folder / WORKSPACE_FILE).is_file():
            import shlex

            raise NotFound(
                f"{folder} is not a workspace: the folder has no {WORKSPACE_FILE}",
                f"create a workspace: tui-annotate init {shlex.quote(str(folder))}",
            )
        return folder.resolve()
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / WORKSPACE_FILE).is_file():
            require_own_workspace(folder)
            return folder
    raise NotFound(
        f"neither {here} nor a parent folder is a workspace",
        _suggest_workspace(here),
        code=NO_WORKSPACE,
    )


def _suggest_workspace(here: Path) -> str:
    """Return a hint that names the workspaces in a folder, if it has any."""
    import shlex

    try:
        found = sorted(each.parent.name for each in here.glob(f"*/{WORKSPACE_FILE}"))
    except OSError:
        found = []
    if not found:
        return "create a workspace with tui-annotate init, or name an existing one with -w DIR"
    options = [f"-w {shlex.quote(name)}" for name in found[:_MAX_NAMED]]
    more = f" (and {len(found) - len(options):,} more)" if len(found) > len(options) else ""
    return f"name a workspace of this folder: {', '.join(options)}{more}"


def require_own_workspace(folder: Path, *, by_option: bool = True) -> None:
    """Check who owns a workspace that the user did not name; a missing folder passes.

    Folder, settings and store must belong to the user or to root; for root, to root or to the user
    who called sudo. A workspace in the user's `trusted_workspaces` passes.

    Args:
        by_option: whether the command has the option -w, which opens the workspace.

    Raises:
        NotAllowed: something belongs to another user, who could make the program send texts.
    """
    for path in (folder, folder / WORKSPACE_FILE, folder / STORE):
        owner = foreign_owner(path)
        if owner is not None and not is_trusted_workspace(folder):
            import shlex

            belongs = f"belongs to {describe_owner(owner)}, not to you"
            option = f"name the workspace: -w {shlex.quote(str(folder))}, or " if by_option else ""
            raise NotAllowed(
                f"the workspace {folder} {belongs}"
                if path == folder
                else f"the workspace {folder} was not opened: its file {path.name} {belongs}",
                f"if you trust this user, {option}add the folder to trusted_workspaces in"
                f" {_name_user_file()}",
                code=UNTRUSTED,
            )


def foreign_owner(path: Path) -> int | None:
    """Return the owner of a path, or of the link at this path, who is not trusted; else None."""
    for follow in (False, True):
        try:
            owner = path.stat(follow_symlinks=follow).st_uid
        except OSError:  # missing, or in a folder that the user cannot read
            continue
        if owner not in _own_ids():
            return owner
    return None


def _own_ids() -> set[int]:
    own = {0, os.geteuid()}
    caller = os.environ.get("SUDO_UID", "")
    if os.geteuid() == 0 and caller.isascii() and caller.isdigit():
        own.add(int(caller))
    return own


def is_trusted_workspace(folder: Path) -> bool:
    """Return whether a folder is in the user's `trusted_workspaces`, or below such a folder."""
    from tui_annotate.settings import load

    trusted = [expand(each).resolve() for each in load().trusted_workspaces]
    return any(folder.resolve().is_relative_to(each) for each in trusted)


def expand(path: str) -> Path:
    """Return a path with the home folder for `~`; `~` of an unknown user stays as it is."""
    return Path(os.path.expanduser(path))  # noqa: PTH111  pathlib raises for an unknown user


def _name_user_file() -> str:
    return str(find_user_file() or "your settings file")


def describe_owner(uid: int) -> str:
    """Return a user in words, by login name, or by number for a user without an entry."""
    import pwd

    try:
        return f"user {pwd.getpwuid(uid).pw_name!r}"
    except KeyError:
        return f"the user with the id {uid}"


def check_paths(
    values: Mapping[str, Any], workspace: Path, *, replaced: AbstractSet[str] = frozenset()
) -> None:
    """Check that the settings of another user name no path outside their workspace.

    Names in `replaced` pass: the user who runs the program chose their values.

    Raises:
        NotAllowed: a setting names such a path, which could be a file of the user who runs the
            program.
    """
    file = workspace / WORKSPACE_FILE
    owner = foreign_owner(file)
    if owner is None:
        return
    for name, value in find_outside_paths(values, workspace):
        if name in replaced:
            continue
        if is_trusted_workspace(workspace):
            return
        what = describe_path_setting(name, str(values.get(name, "")))
        raise _outside_error(file, f"its {what}", owner=owner, value=value)


def check_stored_embedder(embedder: str, workspace: Path) -> None:
    """Check that a store of another user names no model outside their workspace.

    Args:
        embedder: the name in the store, such as `neural:FOLDER`; not one that the user chose.

    Raises:
        NotAllowed: the store belongs to another user, and names a folder elsewhere.
    """
    store = workspace / STORE
    outside = any(find_outside_paths({"embedder": embedder}, workspace, names=["embedder"]))
    owner = foreign_owner(store)
    if owner is None or not outside or is_trusted_workspace(workspace):
        return
    raise _outside_error(store, "the embedder of its vectors", owner=owner, value=embedder)


def describe_path_setting(name: str, value: str) -> str:
    """Return what names a path: a setting, or without a value the link at the default path."""
    default = _PATH_SETTINGS[name]
    return f"setting {name}" if value else f"link {default} (default of the setting {name})"


def _outside_error(file: Path, what: str, *, owner: int, value: str) -> NotAllowed:
    return NotAllowed(
        f"{file} belongs to {describe_owner(owner)}, and {what} names a path outside the"
        f" workspace: {value!r}",
        f"if you trust this user, add {file.parent} to trusted_workspaces in {_name_user_file()}",
        code=UNTRUSTED,
    )


def find_outside_paths(
    values: Mapping[str, Any], workspace: Path, *, names: Iterable[str] = _PATH_SETTINGS
) -> Iterator[tuple[str, str]]:
    """Yield name and value of each setting in `names` that names a path outside the workspace."""
    for name in names:
        value = str(values.get(name, "")) or _PATH_SETTINGS[name]
        named = _named_path(name, value, workspace)
        if named is not None and not named.resolve().is_relative_to(workspace.resolve()):
            yield name, value


def _named_path(name: str, value: str, workspace: Path) -> Path | None:
    """Return the path in the value of a setting; None if the value contains none."""
    if name != "embedder":
        return workspace / expand(value) if value else None
    _, _, model = value.partition(":")
    folder = expand(model)
    return folder.absolute() if model and folder.is_dir() else None
