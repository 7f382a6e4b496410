"""The core works without the research tools: not imported, disabled, or broken."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import pytest

from tests.cli.conftest import Command
from tests.tui.screens import review_app
from tests.tui.screens.annotate_app import make_workspace, open_app
from tui_annotate.cli.plugin_commands import PluginGroup
from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins import registry

ROOT = Path(__file__).parents[2]
LAB = "tui_annotate.lab"
ALL_OF_LAB = f"{LAB}.*"


def lab_modules_after(statement: str, folder: Path, disabled: str = "") -> list[str]:
    """The modules of `lab` that a new interpreter has imported after a statement."""
    script = f"{statement}\nimport json, sys\nprint()\nprint(json.dumps(list(sys.modules)))"
    environment = {**os.environ, registry.DISABLED: disabled, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in json.loads(done.stdout.splitlines()[-1]) if name.startswith(LAB)]


@pytest.mark.parametrize(
    "arguments", [["status"], ["export", "--to", "native"], ["agreement"], ["--version"]]
)
def test_core_commands_import_no_lab(arguments: list[str], filled: Command, tmp_path: Path) -> None:
    """Neither the parsing of a core command nor its work."""
    assert filled("status").code == 0
    statement = f"from tui_annotate.cli.main import run; run({arguments!r})"
    if arguments == ["--version"]:
        statement = f"from contextlib import suppress\nwith suppress(SystemExit): {statement}"
    statement = statement.replace(": from tui", ":\n    from tui")
    assert lab_modules_after(statement, tmp_path) == []


def test_the_app_imports_no_lab(tmp_path: Path) -> None:
    """All modules of the screen and of the workspace; what is preloaded too, if disabled."""
    modules = "tui_annotate.tui.app, tui_annotate.tui.screens.annotate.screen"
    statement = f"import tui_annotate, tui_annotate.workspace, {modules}"
    assert lab_modules_after(statement, tmp_path) == []
    preload = (
        "import importlib; from tui_annotate.tui.screens.annotate.workspace_screen import PRELOADED"
        "; [importlib.import_module(f'tui_annotate.tui.{name}') for name in PRELOADED]"
    )
    load = "tui_annotate.tui.screens.annotate.screen.AnnotateScreen(print).load_features()"
    assert lab_modules_after(f"{statement}\n{load}\n{preload}", tmp_path, ALL_OF_LAB) == []
    assert f"{LAB}.judge.feature" in lab_modules_after(f"{statement}\n{load}", tmp_path)


def test_a_lab_command_is_imported_when_called(tmp_path: Path) -> None:
    """The opposite, so that the tests above test something."""
    statement = (
        "from tui_annotate.cli.commands import program;"
        " program().commands['lab'].commands['scores']"
    )
    assert f"{LAB}.score.rank_command" in lab_modules_after(statement, tmp_path)


def test_all_else_works_with_lab_disabled(filled: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its commands, formats and scorers are not there; core commands are unchanged."""
    monkeypatch.setenv(registry.DISABLED, ALL_OF_LAB)
    helped = filled("lab", "--help")
    assert helped.code == 0
    listed = {line.split()[0] for line in helped.out.splitlines() if line.startswith("  ")}
    assert not listed & {"scores", "judge", "pipeline", "position", "assist"}
    assert {"match", "vectors", "models"} <= listed
    assert filled("lab", "scores").code == 2
    for arguments in ("status", "export --to native", "datasets formats", "doctor"):
        assert filled(*arguments.split()).code == 0
    assert registry.plugin_names("scorers") == registry.plugin_names("judges") == ()
    assert not {"rag", "open-qa", "generations"} & {*registry.plugin_names("importers")}


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A registry whose `pipeline`, `rag` and feature `contexts` cannot be imported."""
    table = {kind: dict(names) for kind, names in registry._BUILT_IN.items()}
    table["commands"]["pipeline"] = f"{LAB}.score.missing:register"
    table["importers"]["rag"] = f"{LAB}.judge.missing:RagFormat"
    table["features"]["contexts"] = f"{LAB}.judge.missing:ContextOrder"
    monkeypatch.setattr(registry, "_BUILT_IN", MappingProxyType(table))


@pytest.mark.usefixtures("broken")
def test_a_broken_command_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    """It is left out of the list; called by name it is Unavailable."""
    group = PluginGroup(name="lab", commands={})
    with caplog.at_level(logging.WARNING):
        listed = group.list_commands(None)
    assert "scores" in listed
    assert "pipeline" not in listed
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    with pytest.raises(Unavailable):
        group.commands["pipeline"]


@pytest.mark.usefixtures("broken")
def test_a_broken_command_ends_in_an_error(
    filled: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own call fails without a traceback; all others work."""
    from tui_annotate.cli import commands

    commands.program.cache_clear()
    monkeypatch.setattr(commands, "program", commands.program.__wrapped__)
    assert filled("lab", "pipeline").code == Unavailable.exit_code
    for arguments in ("--help", "status", "lab --help", "lab vectors list"):
        assert filled(*arguments.split()).code == 0


@pytest.mark.usefixtures("broken")
def test_a_broken_format_is_one_warning(caplog: pytest.LogCaptureFixture) -> None:
    """All other formats are loaded."""
    with caplog.at_level(logging.WARNING):
        names = [name for name, _ in registry.load_all("importers")]
    assert names == [name for name in registry.plugin_names("importers") if name != "rag"]
    assert len(caplog.records) == 1


ACTIONS = {"document.order", "gold.show", "positions.show"}
"""Actions of the key table that features of `lab` handle."""


async def test_features_have_their_places(tmp_path: Path) -> None:
    """Their order is that of notes in titles and of pages; they handle their actions."""
    async with open_app(make_workspace(tmp_path / "space")) as person:
        assert [type(each).__name__ for each in person.screen.features] == [
            "Suggestions",
            "SecondReadings",
            "ContextOrder",
            "Collection",
            "PositionStudy",
            "TeamDialogs",
            "ReviewerThread",
            "ImportedComments",
        ]
        assert set(person.screen.feature_keys) == ACTIONS


async def test_people_annotate_with_lab_disabled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Keys of its features do nothing; a sample is finished."""
    monkeypatch.setenv(registry.DISABLED, ALL_OF_LAB)
    async with open_app(make_workspace(tmp_path / "space")) as person:
        assert len(person.screen.features) == 6
        for action in ACTIONS:
            person.screen.do(action)
            await person.settled()
        assert person.screen.open_sample is not None
        first = person.screen.open_sample.sample.key
        await person.press("enter")
        assert person.screen.open_sample.sample.key != first


@pytest.mark.usefixtures("broken")
async def test_a_broken_feature_is_one_warning(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are loaded, and people annotate."""
    with caplog.at_level(logging.WARNING):
        async with open_app(make_workspace(tmp_path / "space")) as person:
            names = [type(each).__name__ for each in person.screen.features]
            assert "ContextOrder" not in names
            assert "PositionStudy" in names
            person.screen.load_features()
    assert [record.levelname for record in caplog.records] == ["WARNING"]


@pytest.mark.parametrize(("disabled", "count"), [("", 7), (ALL_OF_LAB, 5)])
async def test_review_has_its_features(
    disabled: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While something is edited, keys of features of `lab` act there too."""
    monkeypatch.setenv(registry.DISABLED, disabled)
    async with review_app.open_review(review_app.make(tmp_path / "space")) as person:
        assert len(person.screen.features) == count
        await person.press("1 y e")
        assert person.draft.editing
        before = person.draft.message
        await person.press("=")
        assert (person.draft.message != before) is (not disabled)
