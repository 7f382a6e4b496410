"""The contracts of pyproject.toml hold, and imports stay light where start-up needs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("lancedb", "numpy", "pyarrow", "pysbd", "sqlalchemy", "sqlmodel", "textual", "wordllama")
BELOW_THE_SCREEN = ("domain", "methods", "plugins", "services", "storage")


def modules_loaded_by(statement: str) -> set[str]:
    """The names in sys.modules after a statement in a new interpreter."""
    script = f"{statement}\nimport json, sys\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def loaded_by(statement: str) -> set[str]:
    """The top-level packages that a statement loads in a new interpreter."""
    return {name.partition(".")[0] for name in modules_loaded_by(statement)}


def modules_of(*rooms: str) -> list[str]:
    """The dotted names of all modules in rooms of the package, migrations left out."""
    return [
        ".".join(path.relative_to(ROOT).with_suffix("").parts)
        for room in rooms
        for path in sorted((ROOT / "tui_annotate" / room).rglob("*.py"))
        if "migrations" not in path.parts and path.name != "__init__.py"
    ]


def test_every_import_contract_is_kept() -> None:
    """Import-linter finds no broken contract."""
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [str(command), "--no-logo", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_nothing_below_the_screen_loads_what_draws() -> None:
    """All modules below the screen together load neither Textual nor Rich nor Typer."""
    names = ", ".join([*modules_of(*BELOW_THE_SCREEN), "tui_annotate.workspace"])
    assert not loaded_by(f"import {names}") & {"textual", "rich", "typer"}


def test_importing_the_package_is_free() -> None:
    """The package root loads none of the heavy libraries."""
    assert not loaded_by("import tui_annotate") & set(HEAVY)


@pytest.mark.parametrize(
    ("room", "allowed"), [("domain", set()), ("methods", {"numpy"}), ("plugins", set())]
)
def test_computation_loads_no_library_on_import(room: str, allowed: set[str]) -> None:
    """Modules of these rooms import their heavy libraries when they are used, not before."""
    names = ", ".join(modules_of(room))
    assert not loaded_by(f"import {names}") & (set(HEAVY) - allowed)


def test_queries_load_no_definitions_of_tables() -> None:
    """SQLModel and Alembic are for making and migrating a store, not for opening one."""
    slow = {"tui_annotate.storage.migrate", "tui_annotate.storage.tables"}
    names = ", ".join(name for name in modules_of("storage") if name not in slow)
    assert not loaded_by(f"import {names}") & {"alembic", "sqlmodel"}


def test_the_command_line_loads_no_screen_and_no_store() -> None:
    """Parsing a command line loads none of the heavy libraries."""
    assert not loaded_by("import tui_annotate.cli.main") & set(HEAVY)


def test_parts_of_a_screen_load_no_screen() -> None:
    """They name the screen that owns them for its type alone."""
    screens = "tui_annotate.tui.screens"
    owners = {f"{screens}.sample.screen", f"{screens}.annotate.workspace_screen"}
    parts = ("sample.comparison", "sample.panes", "annotate.dialogs", "annotate.loader")
    names = ", ".join(f"{screens}.{part}" for part in (*parts, "annotate.saving"))
    assert not modules_loaded_by(f"import {names}") & owners


def test_the_first_frame_loads_no_store() -> None:
    """The app's own modules load Textual and nothing of the stores."""
    loaded = loaded_by("import tui_annotate.tui.app")
    assert "textual" in loaded
    assert not loaded & (set(HEAVY) - {"textual"})
