"""Workspaces of other users: found ones are refused, named ones reach no file outside."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.errors import has_code
from tui_annotate import workspace as workspaces
from tui_annotate.cli.data_files import _find_folder, choose_folder
from tui_annotate.cli.demo import DEFAULT_FOLDER, _open_demo, find_example_data
from tui_annotate.domain.errors import NotAllowed, TuiAnnotateError, Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.methods.segmentation import SEGMENTER
from tui_annotate.plugins.embedders.neural import NeuralEmbedder
from tui_annotate.plugins.protocols import EmbedderOptions, ImportOptions
from tui_annotate.settings import WORKSPACE_FILE, find_workspace, load, user_file
from tui_annotate.settings.workspaces import UNTRUSTED, describe_owner

OTHER = 54_321
GiveAway = Callable[[Path], int]


@pytest.fixture
def give_away(monkeypatch: pytest.MonkeyPatch) -> GiveAway:
    """Makes a file belong to another user, whose id is returned.

    Only root can give a file away; for anyone else, the program takes the user for another one.
    """

    def give(path: Path) -> int:
        if os.geteuid() == 0:
            os.chown(path, OTHER, -1, follow_symlinks=False)
            return OTHER
        owner = path.lstat().st_uid
        monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
        return owner

    return give


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace in whose folder the user is."""
    made = tmp_path / "work"
    workspaces.create(made).close()
    (made / "below").mkdir()
    monkeypatch.chdir(made / "below")
    return made


@pytest.mark.parametrize("name", ["", WORKSPACE_FILE, "store.sqlite"])
def test_a_found_workspace_of_another_user_is_refused(
    folder: Path, give_away: GiveAway, name: str
) -> None:
    """One foreign file is enough; the error names the folder, its owner, and how to open it."""
    assert find_workspace() == folder
    owner = give_away(folder / name)
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)) as refused:
        find_workspace()
    assert str(folder) in refused.value.message
    assert describe_owner(owner) in refused.value.message
    assert f"-w {folder}" in refused.value.hint
    assert "trusted_workspaces" in refused.value.hint


def test_an_earlier_folder_of_another_user_is_not_used(
    tmp_path: Path, give_away: GiveAway, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file has its own folder; a warning names the other one, and how to open it."""
    file = tmp_path / "pairs.jsonl"
    former = tmp_path / "pairs.annotations"
    workspaces.create(former).close()
    place = choose_folder(None, file)
    assert place.former == former
    give_away(former)
    found = _find_folder(place, file, format_name="", reading=ImportOptions())
    assert found == tmp_path / "pairs.jsonl.annotations"
    warning = capsys.readouterr().err
    assert f"not used: the workspace {former} belongs to" in warning
    assert f"-w {former}" in warning


def test_a_link_of_another_user_is_no_workspace_of_ones_own(
    tmp_path: Path, folder: Path, give_away: GiveAway
) -> None:
    """Otherwise texts would be imported into a workspace that somebody else chose."""
    file = tmp_path / "pairs.jsonl"
    link = tmp_path / "pairs.jsonl.annotations"
    link.symlink_to(folder)
    give_away(link)
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        choose_folder(None, file)


@pytest.mark.parametrize("is_workspace", [True, False])
def test_a_folder_next_to_a_file_is_a_found_one(
    tmp_path: Path, give_away: GiveAway, is_workspace: bool
) -> None:
    """Also a folder that only waits for a workspace; with -w it is opened."""
    file, made = tmp_path / "pairs.jsonl", tmp_path / "pairs.jsonl.annotations"
    if is_workspace:
        workspaces.create(made).close()
    else:
        made.mkdir()
    assert choose_folder(None, file).folder == made
    give_away(made)
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        choose_folder(None, file)
    assert choose_folder(made, file).folder == made


def test_the_default_folder_of_the_demo_is_a_found_one(
    tmp_path: Path, give_away: GiveAway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody named it; another user may have put it there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "demo").mkdir()
    give_away(tmp_path / "demo")
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        _open_demo(DEFAULT_FOLDER, find_example_data())


def test_a_named_workspace_is_opened(
    folder: Path, give_away: GiveAway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By an option, by the environment, or by the user's settings; a relative folder is none."""
    give_away(folder / WORKSPACE_FILE)
    assert find_workspace(folder) == folder
    workspaces.open(folder).close()
    monkeypatch.setenv("TUI_ANNOTATE_WORKSPACE", str(folder))
    assert find_workspace() == folder
    monkeypatch.delenv("TUI_ANNOTATE_WORKSPACE")
    user_file().write_text(f"trusted_workspaces = ['{folder.parent / 'other'}']")
    with pytest.raises(NotAllowed):
        find_workspace()
    for trusted in (folder, folder.parent):
        user_file().write_text(f"trusted_workspaces = ['{trusted}']")
        assert find_workspace() == folder
    user_file().write_text("trusted_workspaces = ['.']")
    with pytest.raises(TuiAnnotateError, match="trusted_workspaces"):
        find_workspace()


def test_root_trusts_itself_and_the_user_who_called_sudo(
    folder: Path, give_away: GiveAway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else, even if a variable holds no number."""
    owner = give_away(folder)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for caller in (str(owner + 1), "", "root", "-1", "²"):
        monkeypatch.setenv("SUDO_UID", caller)
        with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
            find_workspace()
    monkeypatch.setenv("SUDO_UID", str(owner))
    assert find_workspace() == folder
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)  # not root: the variable says nothing
    with pytest.raises(NotAllowed, check=has_code(UNTRUSTED)):
        find_workspace()


PATHS = [
    ("[people]\nstore = {}", "people_store"),
    ("pseudonyms_key = {}", "pseudonyms_key"),
    ("embedder = {}", "embedder"),
]


@pytest.mark.parametrize(("line", "name"), PATHS)
def test_settings_of_another_user_name_no_path_outside(
    folder: Path,
    tmp_path: Path,
    give_away: GiveAway,
    monkeypatch: pytest.MonkeyPatch,
    line: str,
    name: str,
) -> None:
    """Neither directly nor through a link; the user's own settings may, and those they trust."""
    monkeypatch.delenv("TUI_ANNOTATE_EMBEDDER")
    file, prefix = folder / WORKSPACE_FILE, "neural:" if name == "embedder" else ""
    (tmp_path / "mine").mkdir()
    (folder / "link").symlink_to(tmp_path / "mine")
    (folder / "inside").mkdir()
    outside = [tmp_path / "mine", folder / "link", folder / ".." / "mine"]
    for path in outside:
        file.write_text(line.format(repr(f"{prefix}{path}")))
        load(folder)
    give_away(file)
    for path in outside:
        file.write_text(line.format(repr(f"{prefix}{path}")))
        with pytest.raises(NotAllowed, match=name, check=has_code(UNTRUSTED)):
            load(folder)
        load(folder, environment={f"TUI_ANNOTATE_{name.upper()}": "none"})
    file.write_text(line.format(repr(f"{prefix}{folder / 'inside'}")))
    load(folder)
    file.write_text(line.format(repr(f"{prefix}{tmp_path / 'mine'}")))
    user_file().write_text(f"trusted_workspaces = ['{folder}']")
    load(folder)


def test_a_store_of_another_user_names_no_model_outside(
    folder: Path, tmp_path: Path, give_away: GiveAway, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model is a file that the program opens; the user may name one, or trust the workspace."""

    def refuse_to_load(_self: NeuralEmbedder, options: EmbedderOptions) -> None:
        raise Unavailable(f"loaded {options.model}", "")

    monkeypatch.setattr(NeuralEmbedder, "__init__", refuse_to_load)
    with workspaces.open(folder) as space:
        texts = (Document(Side.SOURCE, "One sentence."), Document(Side.SUMMARY, "Another one."))
        space.ingest_service.run([Record(Sample("d", "1", texts))], embedder="none")

    def try_stored(model: Path, expected: str) -> None:
        used = VectorSet(
            embedder=f"neural:{model}",
            label="model",
            version="1",
            segmenter=SEGMENTER,
            table="t",
            dimensions=4,
            instant=True,
        )
        with workspaces.open(folder) as space:
            space.corpus.keep_vector_set(used)
            space.corpus.use_vector_set("t")
            for load_stored in (
                space.ingest_service.sets.rebuild,
                lambda: space.ingest_service._vectors("auto")._load_named(used.embedder),
                space.machines.embedder,
                lambda: space.assist.embedder(used),
            ):
                with pytest.raises(TuiAnnotateError) as refused:
                    load_stored()
                assert (refused.value.code or refused.value.message) == expected
                assert str(model) in refused.value.message

    mine = tmp_path / "mine"
    mine.mkdir()
    (folder / "inside").mkdir()
    (folder / "link").symlink_to(mine)
    try_stored(mine, f"loaded {mine}")
    give_away(folder / "store.sqlite")
    for outside in (mine, folder / "link"):
        try_stored(outside, UNTRUSTED)
    try_stored(folder / "inside", f"loaded {folder / 'inside'}")
    with workspaces.open(folder) as space, pytest.raises(Unavailable, match="loaded"):
        space.ingest_service.sets.rebuild(f"neural:{mine}")
    user_file().write_text(f"trusted_workspaces = ['{folder}']")
    try_stored(mine, f"loaded {mine}")


def test_a_default_path_of_another_user_is_no_link_outside(
    folder: Path, tmp_path: Path, give_away: GiveAway
) -> None:
    """A key of pseudonyms would be read or made outside the workspace."""
    key = folder / "pseudonyms.key"
    key.symlink_to(tmp_path / "mine")
    load(folder)
    give_away(folder / WORKSPACE_FILE)
    with pytest.raises(NotAllowed, match=r"its link pseudonyms\.key", check=has_code(UNTRUSTED)):
        load(folder)
    load(folder, environment={"TUI_ANNOTATE_PSEUDONYMS_KEY": "inside.key"})
    key.unlink()
    load(folder)


def test_a_workspace_gives_no_trust(folder: Path) -> None:
    """The lists belong to a person; an unpacked archive is owned by the one who unpacked it."""
    for name in ("trusted_endpoints", "trusted_endpoints_with_key", "trusted_workspaces"):
        (folder / WORKSPACE_FILE).write_text(f"{name} = ['http://localhost:1']")
        with pytest.raises(TuiAnnotateError, match=name):
            load(folder)


def test_a_persons_trust_adds_up(tmp_path: Path) -> None:
    """From the settings file, the environment and the arguments; a bad address is told."""
    own = tmp_path / "config.toml"
    own.write_text("trusted_endpoints = ['http://a']\ntrusted_endpoints_with_key = ['http://b']")
    environment = {
        "TUI_ANNOTATE_CONFIG": str(own),
        "TUI_ANNOTATE_TRUSTED_ENDPOINTS": "http://c, http://d:1/v1",
        "TUI_ANNOTATE_JUDGE_URL": "http://e/v1",
    }
    trust = load(
        flags={"trusted_endpoints": ["http://f"], "base_url": "http://g/v1"},
        environment=environment,
    ).endpoints
    assert trust.texts == {"http://a", "http://c", "http://d:1", "http://f"}
    assert (trust.keys, trust.named) == ({"http://b"}, {"http://e", "http://g"})
    own.write_text("trusted_endpoints = ['localhost:1']")
    with pytest.raises(TuiAnnotateError, match="localhost:1") as wrong:
        load(environment={"TUI_ANNOTATE_CONFIG": str(own)})
    assert str(own) in wrong.value.message


def test_without_a_home_no_file_of_the_current_folder_gives_trust(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A default path that starts with an unknown home is relative, and could be planted."""
    planted = Path("~/.config/tui-annotate/config.toml")
    monkeypatch.setattr("platformdirs.user_config_dir", lambda *_, **__: str(planted.parent))
    planted.parent.mkdir(parents=True)
    planted.write_text("trusted_endpoints = ['http://evil']")
    assert folder in planted.absolute().parents
    assert load(environment={}).endpoints.texts == set()
