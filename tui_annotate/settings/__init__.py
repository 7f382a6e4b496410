"""Typed settings from files, environment variables and flags; later sources take precedence.

The workspace's settings file is `tui-annotate.toml`. Keys and theme are settings of a person in
their own `config.toml`. Each field can also be set by `TUI_ANNOTATE_<FIELD>`. An unknown key or a
value of the wrong type is an error that names the file, the key and the value.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, TypedDict

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.endpoint_trust import EndpointTrust, parse_origin
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.queue_orders import check_order
from tui_annotate.domain.workspace_files import WORKSPACE_FILE as WORKSPACE_FILE
from tui_annotate.settings.paths import NO_WORKSPACE as NO_WORKSPACE
from tui_annotate.settings.paths import PREFIX as PREFIX
from tui_annotate.settings.paths import find_user_file as find_user_file
from tui_annotate.settings.paths import login_name as login_name
from tui_annotate.settings.paths import person_name as person_name
from tui_annotate.settings.paths import remember_name as remember_name
from tui_annotate.settings.paths import reply_cache_file as reply_cache_file
from tui_annotate.settings.paths import state_folder as state_folder
from tui_annotate.settings.paths import user_file as user_file
from tui_annotate.settings.paths import workspace_state_file as workspace_state_file
from tui_annotate.settings.workspaces import check_paths, expand
from tui_annotate.settings.workspaces import describe_path_setting as describe_path_setting
from tui_annotate.settings.workspaces import find_outside_paths as find_outside_paths
from tui_annotate.settings.workspaces import find_workspace as find_workspace
from tui_annotate.settings.workspaces import foreign_owner as foreign_owner
from tui_annotate.settings.workspaces import require_own_workspace as require_own_workspace

_TRUST_FIELDS: Final = frozenset(
    {"trusted_endpoints", "trusted_endpoints_with_key", "trusted_workspaces"}
)
"""Settings of a person whose sources add up: no source can withdraw the trust of another one."""
_USER_FIELDS: Final = frozenset({"keys", "theme", *_TRUST_FIELDS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Settings of the program; each field is also the name of a key in a settings file."""

    embedder: str = "auto"
    """Default embedder of a new workspace: `auto`, `none`, or a name, such as `remote:MODEL`."""

    base_url: str = ""
    """URL of a remote embedder's endpoint, used if the workspace has not stored a URL."""

    dimensions: int = 0
    """Number of dimensions of a remote embedder's new vectors; 0: the model's default."""

    judge_model: str = ""
    """Default chat model of the LLM judges, for commands that name no model."""

    judge_url: str = ""
    """URL of the default chat model's endpoint; empty: judge commands must name an endpoint."""

    order: str = "by-source"
    """Order of an annotator's samples: `by-source`, `ingested`, `random:SEED` or `worst:SCORE`."""

    language: str = ""
    """Language of imported documents; empty: detected from the fraction of Chinese characters."""

    workers: int = 0
    """Number of processes that segment documents during an import; 0: one for each CPU core."""

    ratings: tuple[str, ...] = ()
    """Rating scale for samples of every kind, best first; empty: the default scale of each kind."""

    theme: str = ""

    store_url: str = ""
    """URL of the PostgreSQL database with the store; empty: the store is a SQLite file."""

    store_schema: str = ""
    """Schema of the workspace in the PostgreSQL database; needed if `store_url` is set."""

    people_store: str = ""
    """Path of a shared store of accounts, relative to the workspace; empty: none is shared."""

    expire_minutes: int = 10080
    """Lifetime of a session in minutes after the sign-in (default: 7 days)."""

    idle_minutes: int = 30
    """Minutes without a key press until the screen asks for the password again; 0: never."""

    argon2_time: int = 2
    """Argon2 time cost for hashing passwords: number of passes; never below the default."""

    argon2_memory: int = 19456
    """Argon2 memory cost for hashing passwords, in KiB; never below the default."""

    argon2_parallelism: int = 1
    """Argon2 parallelism for hashing passwords: number of lanes; never below the default."""

    pseudonyms_key: str = ""
    """Path of the pseudonym key, relative to the workspace; empty: `pseudonyms.key`."""

    reviewers_settle_own: bool = False
    """Whether reviewers may adjudicate samples that they annotated themselves."""

    trusted_endpoints: tuple[str, ...] = ()
    """URLs of endpoints that may receive texts if a workspace names them."""

    trusted_endpoints_with_key: tuple[str, ...] = ()
    """URLs of endpoints that may receive texts and the API key."""

    trusted_workspaces: tuple[str, ...] = ()
    """Folders whose workspaces are opened and trusted although another user owns them."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    """Key bindings of the screen: a key or a list of keys for each action id."""

    endpoints: EndpointTrust = field(default_factory=EndpointTrust, compare=False, repr=False)
    """The trusted endpoints, and those that the environment or the arguments name; no setting."""


SETTING_NAMES: Final = tuple(each.name for each in fields(Settings) if each.name != "endpoints")
"""Names of all settings."""

_URLS: Final = ("base_url", "judge_url")


class SettingsFlags(TypedDict, total=False):
    """Keyword arguments that override settings; None overrides nothing. See `Settings`.

    Only the settings file of a workspace names its store.
    """

    embedder: str | None
    base_url: str | None
    dimensions: int | None
    judge_model: str | None
    judge_url: str | None
    order: str | None
    language: str | None
    workers: int | None
    ratings: Sequence[str] | None
    theme: str | None
    people_store: str | None
    expire_minutes: int | None
    idle_minutes: int | None
    argon2_time: int | None
    argon2_memory: int | None
    argon2_parallelism: int | None
    pseudonyms_key: str | None
    reviewers_settle_own: bool | None
    trusted_endpoints: Sequence[str] | None
    trusted_endpoints_with_key: Sequence[str] | None
    trusted_workspaces: Sequence[str] | None
    keys: Mapping[str, Any] | None


WORKSPACE_TEMPLATE: Final = """\
# Settings of this workspace. Flags and environment variables TUI_ANNOTATE_<KEY> override them.

# embedder = "auto"     # for the first import: auto, static, neural[:FOLDER], remote:MODEL, none
# base_url = ""         # endpoint of remote:MODEL, for example "https://api.openai.com/v1"
# dimensions = 0        # vector dimensions of remote:MODEL; 0: the model's default
# judge_model = ""      # chat model of the LLM judges: tui-annotate lab judge --help
# judge_url = ""        # endpoint of judge_model, for example "http://localhost:11434/v1"
# order = "by-source"   # order of the queue: by-source, ingested, random, random:SEED, worst:SCORE
# language = ""         # language of documents: en, zh; empty: detect
# workers = 0           # processes that segment during an import; 0: one for each CPU core
# ratings = []          # rating scale of samples, best first; empty: see docs/admins.md
# pseudonyms_key = ""   # file of the key for export --pseudonymize, for example on another disk
# reviewers_settle_own = false  # whether reviewers may adjudicate samples that they annotated

# [store]
# url = ""               # PostgreSQL database with the store; empty: the file store.sqlite. To move
#                        # a store with its data: tui-annotate store move URL
# schema = ""            # schema of this workspace in the database

# [people]
# store = ""             # store of accounts shared by several workspaces: "../people.sqlite"
# expire_minutes = 10080 # minutes until a session expires
# idle_minutes = 30      # minutes without a key until the screen asks for the password; 0: never
# argon2_time = 2        # cost of password hashing; these three cannot be lowered
# argon2_memory = 19456
# argon2_parallelism = 1
"""

_BOUNDS: Final = {
    "expire_minutes": (1, 5_256_000),
    "argon2_time": (2, 64),
    "argon2_memory": (19456, 4_194_304),
    "argon2_parallelism": (1, 64),
}
"""Smallest and largest valid values of numeric settings, by setting."""

_PEOPLE: Final = {
    "store": "people_store",
    "idle_minutes": "idle_minutes",
    **{name: name for name in _BOUNDS},
}
"""Maps each key in the table `[people]` of a settings file to the name of the setting."""

_TABLES: Final = {"people": _PEOPLE, "store": {"url": "store_url", "schema": "store_schema"}}
"""Maps the tables of a settings file to the settings in them."""

_FILE_ONLY: Final = frozenset({"store_url", "store_schema"})
"""Settings that only the workspace's file has, so that no other workspace uses its store."""


def load(
    workspace: Path | None = None,
    *,
    flags: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Load settings from the person's file, the workspace's file, the environment and flags.

    Args:
        workspace: the workspace's folder; None to load no workspace settings.
        flags: values from the command line or a script; values of None are ignored.
        environment: environment variables (default: those of the process).

    Raises:
        InvalidInput: a setting is invalid; the message names its source, its key and its value.
        NotAllowed: the workspace's file belongs to another user, and names a path elsewhere.
        Unavailable: a file cannot be read.
    """
    given = os.environ if environment is None else environment
    known = frozenset(SETTING_NAMES)
    # An unknown name is an error, whatever its value is.
    chosen = {
        name: value
        for name, value in (flags or {}).items()
        if value is not None or name not in known
    }
    settings = Settings()
    if (own := find_user_file(given)) is not None:
        settings = _merge(settings, _read_table(own), where=str(own), allowed=_USER_FIELDS)
    if workspace is not None:
        file = workspace / WORKSPACE_FILE
        values = _flatten_tables(_read_table(file), where=str(file))
        settings = _merge(settings, values, where=str(file), allowed=known - _USER_FIELDS)
        replaced = {
            name for name in SETTING_NAMES if PREFIX + name.upper() in given
        } | chosen.keys()
        check_paths(values, workspace, replaced=replaced)
    for name in SETTING_NAMES:
        value = given.get(PREFIX + name.upper())
        if value is not None and name != "keys":
            if name in _FILE_ONLY:
                raise _file_only_error(PREFIX + name.upper())
            parsed = _parse_text(name, value)
            settings = _merge(settings, {name: parsed}, where="the environment", allowed={name})
    if wrong := sorted(_FILE_ONLY & chosen.keys()):
        raise _file_only_error(wrong[0])
    settings = _merge(settings, chosen, where="the arguments", allowed=known)
    return replace(settings, endpoints=_build_trust(settings, given, chosen))


def _file_only_error(name: str) -> InvalidInput:
    return InvalidInput(
        f"{name} cannot be set outside the settings file of a workspace",
        f"write the store's URL and schema below a line [store] of {WORKSPACE_FILE}",
    )


def _build_trust(
    settings: Settings, environment: Mapping[str, str], arguments: Mapping[str, Any]
) -> EndpointTrust:
    """Return the endpoints that the user trusts or names; a workspace's file adds none."""
    trust = EndpointTrust()
    for url in settings.trusted_endpoints:
        trust.add(url, with_key=False)
    for url in settings.trusted_endpoints_with_key:
        trust.add(url, with_key=True)
    urls = [environment.get(PREFIX + name.upper(), "") for name in _URLS]
    return trust.naming(*urls, *(arguments.get(name, "") for name in _URLS))


def _read_table(file: Path) -> dict[str, Any]:
    try:
        text = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise Unavailable(
            f"cannot read {file}: {error.strerror}", "check the permissions of the file"
        ) from error
    if not text:
        return {}
    import tomllib  # imported only if a file exists: saves 9 ms of start time

    try:
        return tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{file} is not valid TOML: {error}", "fix the file") from error


def _flatten_tables(values: Mapping[str, Any], *, where: str) -> dict[str, Any]:
    flat = dict(values)
    if wrong := sorted(_FILE_ONLY & flat.keys()):
        raise InvalidInput(
            f"{where}: {wrong[0]} is outside the table [store]",
            "write url and schema below a line [store]",
        )
    for table, settings in _TABLES.items():
        below = flat.pop(table, {})
        if not isinstance(below, dict):
            raise InvalidInput(
                f"{where}: the value of {table} is {below!r}, not a table of settings",
                f"write these settings below a line [{table}]",
            )
        for name, value in below.items():
            if name not in settings:
                known = ", ".join(sorted(settings))
                raise InvalidInput(
                    f"{where}: unknown key '{table}.{name}'", f"known keys below [{table}]: {known}"
                )
            flat[settings[name]] = value
    return flat


def _merge(
    settings: Settings, values: Mapping[str, Any], *, where: str, allowed: AbstractSet[str]
) -> Settings:
    for name, value in values.items():
        if name not in allowed:
            hint = f"{suggest_word(name, allowed)}known keys: {', '.join(sorted(allowed))}"
            raise InvalidInput(f"{where}: unknown key {name!r}", hint)
        checked = _check_value(name, value, where)
        if name in _TRUST_FIELDS:
            _check_trusted(name, checked, where)
            checked = (*getattr(settings, name), *checked)
        settings = replace(settings, **{name: checked})
    return settings


def _check_trusted(name: str, values: Sequence[str], where: str) -> None:
    for each in values:
        if name != "trusted_workspaces":
            try:
                parse_origin(each)
            except InvalidInput as error:
                raise InvalidInput(f"{where}: {name}: {error.message}", error.hint) from error
        # A relative folder would be a different one in each current folder.
        elif not expand(each).is_absolute():
            raise InvalidInput(
                f"{where}: {name} contains {each!r}", "write the full path of the folder"
            )


def _check_value(name: str, value: Any, where: str) -> Any:
    wanted = type(getattr(Settings(), name))
    if wanted is tuple and isinstance(value, list | tuple):
        if all(isinstance(word, str) and word for word in value):
            return tuple(value)
    elif wanted is bool and isinstance(value, bool):
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
                raise InvalidInput(
                    f"{where}: {name} is {value}",
                    f"set {name} to a value from {least} to {most}",
                )
        return value
    kinds = {
        str: "text",
        int: "a whole number that is 0 or greater",
        bool: "true or false",
        tuple: "a list of texts",
        dict: "a table",
    }
    raise InvalidInput(f"{where}: {name} is {value!r}", f"set {name} to {kinds[wanted]}")


def _parse_text(name: str, value: str) -> Any:
    wanted = type(getattr(Settings(), name))
    if wanted is int and value.isascii() and value.isdigit():
        return int(value)
    if wanted is bool and value in ("true", "false"):
        return value == "true"
    if wanted is tuple:
        return [word.strip() for word in value.split(",") if word.strip()]
    return value
