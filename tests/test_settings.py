"""Settings: who goes before whom, and every mistake told with file, key and value."""

from __future__ import annotations

import re
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tui_annotate import settings
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.settings import (
    _USER_FIELDS,
    SETTING_NAMES,
    WORKSPACE_FILE,
    WORKSPACE_TEMPLATE,
    Settings,
    find_workspace,
    load,
    login_name,
    person_name,
    remember_name,
    user_file,
    workspace_state_file,
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace's folder."""
    (tmp_path / WORKSPACE_FILE).touch()
    return tmp_path


def test_without_anything_the_defaults_hold(folder: Path) -> None:
    """An empty file, and the one that init writes, change nothing."""
    assert load(folder, environment={}) == Settings() == load(environment={})
    (folder / WORKSPACE_FILE).write_text(WORKSPACE_TEMPLATE)
    assert load(folder, environment={}) == Settings()


def test_the_template_names_every_setting_of_a_workspace(folder: Path) -> None:
    """With the comments taken off, it holds each with its default."""
    lines = WORKSPACE_TEMPLATE.splitlines()[2:]
    assert tomllib.loads("\n".join(line.removeprefix("# ") for line in lines)) == {
        "embedder": "auto", "base_url": "", "dimensions": 0, "judge_model": "", "judge_url": "",
        "order": "by-source", "language": "", "workers": 0, "ratings": [],
        "pseudonyms_key": "",
        "reviewers_settle_own": False,
        "store": {"url": "", "schema": ""},
        "people": {
            "store": "", "expire_minutes": 10080, "idle_minutes": 30,
            "argon2_time": 2, "argon2_memory": 19456, "argon2_parallelism": 1,
        },
    }  # fmt: skip
    (folder / WORKSPACE_FILE).write_text("\n".join(line.removeprefix("# ") for line in lines))
    assert load(folder, environment={}) == Settings()
    report = {line.removeprefix("# ").split()[0] for line in lines if " = " in line}
    tables = {"store": "people_store", "url": "store_url", "schema": "store_schema"}
    assert set(SETTING_NAMES) - _USER_FIELDS == {tables.get(name, name) for name in report}


def test_flags_go_before_environment_before_file(folder: Path) -> None:
    """Each layer in turn."""
    (folder / WORKSPACE_FILE).write_text('order = "ingested"\nworkers = 3\nlanguage = "zh"')
    environment = {"TUI_ANNOTATE_ORDER": "random", "TUI_ANNOTATE_WORKERS": "2"}
    found = load(folder, flags={"order": "random:4", "embedder": None}, environment=environment)
    assert (found.order, found.workers, found.language, found.embedder) == (
        "random:4", 2, "zh", "auto",
    )  # fmt: skip


def test_lists_are_written_with_commas_in_the_environment(folder: Path) -> None:
    """And as lists in a file."""
    (folder / WORKSPACE_FILE).write_text('ratings = ["good", "poor"]')
    assert load(folder, environment={}).ratings == ("good", "poor")
    environment = {"TUI_ANNOTATE_RATINGS": "fine, so-so,"}
    assert load(folder, environment=environment).ratings == ("fine", "so-so")


def test_yes_and_no_are_written_as_toml_has_them(folder: Path) -> None:
    """In a file and in the environment; a number is neither."""
    name = "reviewers_settle_own"
    (folder / WORKSPACE_FILE).write_text(f"{name} = true\n")
    assert load(folder, environment={}).reviewers_settle_own
    given = {f"TUI_ANNOTATE_{name.upper()}": "false"}
    assert not load(folder, environment=given).reviewers_settle_own
    (folder / WORKSPACE_FILE).write_text(f"{name} = 1\n")
    with pytest.raises(InvalidInput, match="1"):
        load(folder, environment={})


def test_keys_and_theme_are_a_persons_own(folder: Path, tmp_path: Path) -> None:
    """They stand in the person's file, and the workspace's can not set them."""
    own = tmp_path / "config.toml"
    own.write_text('theme = "light"\n[keys]\nundo = ["z", "ctrl+z"]')
    environment = {"TUI_ANNOTATE_CONFIG": str(own)}
    found = load(folder, environment=environment)
    assert (found.theme, found.keys) == ("light", {"undo": ["z", "ctrl+z"]})
    assert load(folder, environment=environment | {"TUI_ANNOTATE_THEME": "dark"}).theme == "dark"
    (folder / WORKSPACE_FILE).write_text('theme = "light"')
    with pytest.raises(InvalidInput, match="'theme'"):
        load(folder, environment=environment)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("colour = 1", "unknown key 'colour'"),
        ("order = 1", "order is 1"),
        ('order = "odd"', "unknown order 'odd'"),
        ("workers = -1", "workers is -1"),
        ("workers = true", "workers is True"),
        ('workers = "2"', "workers is '2'"),
        ("ratings = [1]", r"ratings is \[1\]"),
        ('ratings = ["a", ""]', "ratings is"),
        ("people = 1", "the value of people is 1, not a table"),
        ("[people]\npeople_store = ''", "unknown key 'people.people_store'"),
        ("[people]\nstore = 1", "people_store is 1"),
        ("store = 'postgresql://db/x'", "the value of store is 'postgresql://db/x', not a table"),
        ("[store]\nuri = ''", "unknown key 'store.uri'"),
        ("[store]\nurl = 1", "store_url is 1"),
        ("store_url = 'postgresql://db/x'", r"store_url is outside the table \[store\]"),
        ("[people]\nargon2_time = 1", "argon2_time is 1"),
        ("argon2_memory = 19455", "argon2_memory is 19455"),
        ("[people]\nexpire_minutes = 0", "expire_minutes is 0"),
        ("order = ", "is not valid TOML"),
        ("\xff", "is not valid TOML"),
    ],
)
def test_a_mistake_in_a_file_is_told(folder: Path, text: str, told: str) -> None:
    """With the file's name and what to do."""
    (folder / WORKSPACE_FILE).write_text(text, "latin-1")
    with pytest.raises(InvalidInput) as caught:
        load(folder, environment={})
    assert re.search(told, f"{caught.value.message} {caught.value.hint}")
    assert str(folder / WORKSPACE_FILE) in caught.value.message
    assert caught.value.hint


def test_the_table_of_people_is_a_way_to_write_it(folder: Path) -> None:
    """Its keys are the settings of the same names, its `store` that of people."""
    (folder / WORKSPACE_FILE).write_text(
        "idle_minutes = 3\n[people]\nstore = '../p.sqlite'\nargon2_time = 3"
    )
    found = load(folder, environment={"TUI_ANNOTATE_EXPIRE_MINUTES": "5"})
    assert (found.people_store, found.argon2_time) == ("../p.sqlite", 3)
    assert (found.idle_minutes, found.expire_minutes) == (3, 5)


@pytest.mark.parametrize(
    ("flags", "environment", "told"),
    [
        ({"workers": "x"}, {}, "the arguments: workers is 'x'"),
        ({"speed": 1}, {}, "the arguments: unknown key 'speed'"),
        ({}, {"TUI_ANNOTATE_WORKERS": "-1"}, "the environment: workers is '-1'"),
        ({}, {"TUI_ANNOTATE_WORKERS": "many"}, "the environment: workers is 'many'"),
        ({}, {"TUI_ANNOTATE_STORE_URL": "x"}, "TUI_ANNOTATE_STORE_URL cannot be set outside"),
        ({"store_schema": "x"}, {}, "store_schema cannot be set outside"),
    ],
)
def test_a_mistake_elsewhere_is_told(
    flags: dict[str, Any], environment: dict[str, str], told: str
) -> None:
    """With the place it comes from."""
    with pytest.raises(InvalidInput, match=told):
        load(flags=flags, environment=environment)


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    """A folder in its place."""
    (tmp_path / WORKSPACE_FILE).mkdir()
    with pytest.raises(Unavailable):
        load(tmp_path, environment={})


def test_the_persons_file_is_where_the_system_keeps_such_files() -> None:
    """Unless the environment names another."""
    assert user_file({}).parts[-2:] == ("tui-annotate", "config.toml")
    assert user_file({"TUI_ANNOTATE_CONFIG": "/x/y.toml"}) == Path("/x/y.toml")


# who ---------------------------------------------------------------------------------------------


def test_a_name_is_given_remembered_or_that_of_the_login(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In this order; it is kept privately, and what is only given is not kept."""
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("LOGNAME", "login")
    assert person_name(tmp_path) == "login"
    remember_name(tmp_path, " ana ")
    assert person_name(tmp_path) == "ana"
    assert person_name(tmp_path, " bo ") == "bo"
    assert person_name(tmp_path) == "ana"
    assert login_name() == "login"
    assert stat.S_IMODE((tmp_path / "state").stat().st_mode) == 0o700


def test_a_wrong_name_is_refused_and_not_remembered(tmp_path: Path) -> None:
    """The one before stays."""
    remember_name(tmp_path, "ana")
    for refuses in (person_name, remember_name):
        with pytest.raises(InvalidInput):
            refuses(tmp_path, "a\x1bb")
    assert person_name(tmp_path) == "ana"


@pytest.mark.parametrize("content", [b"\xff\xff", b"", b"a\x1bb"])
def test_a_broken_memory_is_no_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes
) -> None:
    """The login name then."""
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(tmp_path))
    workspace_state_file("name", tmp_path).write_bytes(content)
    assert person_name(tmp_path) == "reader"


def test_a_home_that_can_not_be_written_costs_only_the_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing is said of it: the work goes on."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(tmp_path / "file"))
    remember_name(tmp_path, "ana")
    assert person_name(tmp_path) == "reader"


def test_without_a_login_name_one_is_oneself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A container's user may have no name at all."""

    def nobody() -> str:
        raise KeyError

    monkeypatch.setattr("getpass.getuser", nobody)
    assert person_name(tmp_path) == "me"


def test_the_memory_is_where_the_system_keeps_such_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the environment names another folder."""
    monkeypatch.delenv("TUI_ANNOTATE_STATE")
    assert settings.state_folder().name == "tui-annotate"


# where -------------------------------------------------------------------------------------------


def test_a_workspace_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By flag, by environment, or above the current folder; the first that is given counts."""
    inner = folder / "a" / "b"
    inner.mkdir(parents=True)
    other = folder / "other"
    other.mkdir()
    (other / WORKSPACE_FILE).touch()
    monkeypatch.chdir(inner)
    assert find_workspace() == folder
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(other))
    assert find_workspace() == other
    assert find_workspace(folder) == folder


def test_what_is_no_workspace_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the line that makes one."""
    monkeypatch.chdir(tmp_path)
    for flag in (None, tmp_path / "x"):
        with pytest.raises(NotFound) as caught:
            find_workspace(flag)
        assert "tui-annotate init" in caught.value.hint


@pytest.mark.parametrize("value", [1, None, ""])
def test_an_unknown_flag_is_told(value: object) -> None:
    """None means that a flag is not set, but only a flag that there is."""
    with pytest.raises(InvalidInput, match="bogus"):
        settings.load(flags={"bogus": value})
    assert settings.load(flags={"embedder": None}).embedder == settings.load().embedder
