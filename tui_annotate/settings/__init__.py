"""Every choice that is made outside the store, typed: defaults < files < environment < flags.

The workspace's file is `tui-annotate.toml`; keys and theme are a person's and stand in their own
`config.toml`. Each field can also be set as `TUI_ANNOTATE_<FIELD>`. Nothing is guessed: an unknown
key or a value of the wrong kind is refused with file, key and value.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.queue_orders import check_order
from tui_annotate.settings.paths import PREFIX as PREFIX
from tui_annotate.settings.paths import WORKSPACE_FILE as WORKSPACE_FILE
from tui_annotate.settings.paths import find_workspace as find_workspace
from tui_annotate.settings.paths import login_name as login_name
from tui_annotate.settings.paths import person_name as person_name
from tui_annotate.settings.paths import remember_name as remember_name
from tui_annotate.settings.paths import state_folder as state_folder
from tui_annotate.settings.paths import user_file as user_file

_USER_FIELDS: Final = frozenset({"keys", "theme"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings. A file holds them as keys of the same names at its top level."""

    embedder: str = "auto"
    """Makes the vectors of a new workspace: `auto`, `none`, or the name of an embedder.

    A colon and a model may follow the name: `neural:FOLDER`, `remote:MODEL`.
    """

    base_url: str = ""
    """The address of a remote embedder's endpoint, in a workspace that does not remember one."""

    dimensions: int = 0
    """Of a remote embedder's vectors, likewise; 0: as many as the model makes."""

    judge_model: str = ""
    """The chat model that judges, where no command names another."""

    judge_url: str = ""
    """The address of its endpoint; empty: nobody is asked before a command names one."""

    order: str = "by-source"
    """The order of the queue: `by-source`, `ingested`, `random`, `random:SEED`, or by a score."""

    language: str = ""
    """The language of ingested documents; empty: each by its share of Chinese characters."""

    workers: int = 0
    """Processes that segment at ingest; 0: one for each core."""

    ratings: tuple[str, ...] = ()
    """The words that samples of every kind are rated with, the best first.

    Empty: those of `domain.report_collections.rating_scale`; pairs are not rated then.
    """

    theme: str = ""
    """The theme of the screen; empty: the default one. In a person's own file."""

    people_store: str = ""
    """A store whose accounts several workspaces share, from the workspace; empty: its own."""

    expire_minutes: int = 10080
    """How long a session lives, from the sign-in; 7 days."""

    idle_minutes: int = 30
    """After how long without a key the screen asks for the password again; 0: never."""

    argon2_time: int = 2
    """Passes over the memory when a password is hashed. This and the next two may only rise."""

    argon2_memory: int = 19456
    """KiB of memory for hashing a password."""

    argon2_parallelism: int = 1
    """Lanes of hashing a password."""

    pseudonyms_key: str = ""
    """The file of the key of pseudonyms, from the workspace; empty: `pseudonyms.key` in it."""

    reviewers_settle_own: bool = False
    """Whether reviewers may settle samples that they annotated themselves."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    """Keys of the screen: the id of an action to a key or a list of them. In a person's file."""


WORKSPACE_TEMPLATE: Final = """\
# Settings of this workspace. A flag or TUI_ANNOTATE_<KEY> in the environment goes before them.

# embedder = "auto"     # at the first ingest: auto, static, neural[:FOLDER], remote:MODEL, none
# base_url = ""         # of remote:MODEL, for example "https://api.openai.com/v1"
# dimensions = 0        # of remote:MODEL; 0: as many as it makes
# judge_model = ""      # chat model that judges: tui-annotate judge --help
# judge_url = ""        # its endpoint, for example "http://localhost:11434/v1"
# order = "by-source"   # of the queue: by-source, ingested, random, random:SEED, worst:SCORE
# language = ""         # of documents: en, zh; empty: by the text itself
# workers = 0           # processes of ingest; 0: one for each core
# ratings = []          # words that samples are rated with, best first; empty: docs/admins.md
# pseudonyms_key = ""   # file of the key that export --pseudonymise makes; as on another disk
# reviewers_settle_own = false  # whether reviewers may settle what they annotated

# [people]
# store = ""             # of accounts that several workspaces share, as "../people.sqlite"
# expire_minutes = 10080 # how long somebody stays signed in
# idle_minutes = 30      # without a key, until the screen asks for the password; 0: never
# argon2_time = 2        # of hashing passwords: these three may only rise
# argon2_memory = 19456
# argon2_parallelism = 1
"""

_BOUNDS: Final = {
    "expire_minutes": (1, 5_256_000),
    "argon2_time": (2, 64),
    "argon2_memory": (19456, 4_194_304),
    "argon2_parallelism": (1, 64),
}
"""The least and the most of some numbers."""

_PEOPLE: Final = {
    "store": "people_store", "idle_minutes": "idle_minutes", **{name: name for name in _BOUNDS},
}  # fmt: skip
"""Keys of the table `people` of a file, by the fields that they are."""


def load(
    workspace: Path | None = None,
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """The settings in force.

    Args:
        workspace: its folder; None where none is needed.
        flags: values given on a command line; None among them are left out.
        environment: default: the process's.

    Raises:
        InvalidInput: names the file or variable, the key and the value that is wrong.
        Unavailable: a file can not be read.
    """
    given = os.environ if environment is None else environment
    known = frozenset(each.name for each in fields(Settings))
    settings = _merge(
        Settings(), _read_table(user_file(given)), where=str(user_file(given)), allowed=_USER_FIELDS
    )
    if workspace is not None:
        file = workspace / WORKSPACE_FILE
        values = _flatten_people(_read_table(file), where=str(file))
        settings = _merge(settings, values, where=str(file), allowed=known - _USER_FIELDS)
    for each in fields(Settings):
        value = given.get(PREFIX + each.name.upper())
        if value is not None and each.name != "keys":
            parsed = _parse_text(each.name, value)
            settings = _merge(
                settings, {each.name: parsed}, where="the environment", allowed={each.name}
            )
    chosen = {name: value for name, value in (flags or {}).items() if value is not None}
    return _merge(settings, chosen, where="the command line", allowed=known)


def _read_table(file: Path) -> dict[str, Any]:
    try:
        text = file.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Unavailable(
            f"{file} can not be read: {error.strerror}", "check its permissions"
        ) from error
    if not text:
        return {}
    import tomllib  # 9 ms that a person without such a file need not wait

    try:
        return tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} is no TOML: {error}", "mend the file") from error


def _flatten_people(values: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    """The values of a file with those of its table `people` as fields of their own names."""
    flat = dict(values)
    people = flat.pop("people", {})
    if not isinstance(people, dict):
        raise InvalidInput(f"{where}: people is {people!r}", "people is a table: [people]")
    for name, value in people.items():
        if name not in _PEOPLE:
            known = ", ".join(sorted(_PEOPLE))
            raise InvalidInput(f"{where}: unknown key 'people.{name}'", f"known: {known}")
        flat[_PEOPLE[name]] = value
    return flat


def _merge(
    settings: Settings, values: Mapping[str, Any], *, where: str, allowed: AbstractSet[str]
) -> Settings:
    for name, value in values.items():
        if name not in allowed:
            raise InvalidInput(
                f"{where}: unknown key {name!r}", "known: " + ", ".join(sorted(allowed))
            )
        settings = replace(settings, **{name: _check_value(name, value, where)})
    return settings


def _check_value(name: str, value: Any, where: str) -> Any:
    wanted = type(getattr(Settings(), name))
    if wanted is tuple and isinstance(value, list | tuple):
        if all(isinstance(word, str) and word for word in value):
            return tuple(value)
    elif type(value) is wanted is bool:
        return value
    elif (
        isinstance(value, wanted)
        and not isinstance(value, bool)
        and not (isinstance(value, int) and value < 0)
    ):
        if name == "order":
            try:
                check_order(value)
            except InvalidInput as error:
                raise InvalidInput(f"{where}: {error.message}", error.hint) from error
        if name in _BOUNDS:
            least, most = _BOUNDS[name]
            if not least <= value <= most:
                raise InvalidInput(f"{where}: {name} is {value}", f"{name} is {least} to {most}")
        return value
    kinds = {
        str: "text",
        int: "a number from 0",
        bool: "true or false",
        tuple: "a list of texts",
        dict: "a table",
    }
    raise InvalidInput(f"{where}: {name} is {value!r}", f"{name} is {kinds[wanted]}")


def _parse_text(name: str, value: str) -> Any:
    """A value of the environment: numbers in digits, lists with commas, true or false."""
    wanted = type(getattr(Settings(), name))
    if wanted is int and value.isascii() and value.isdigit():
        return int(value)
    if wanted is bool and value in ("true", "false"):
        return value == "true"
    if wanted is tuple:
        return [word.strip() for word in value.split(",") if word.strip()]
    return value
