"""What holds for every test: nothing is read from or written to the home of whoever runs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.plugins.embedders.endpoint_server import KEY, FakeEndpoint, serving

# No test depends on how fast a machine is, those that hypothesis feeds as little as the others.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

KEPT = {"TUI_ANNOTATE_SHARED", "TUI_ANNOTATE_TORTURE"}


@pytest.fixture(autouse=True)
def at_home_nowhere(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Settings, remembered names and the login name of a person who exists in no system."""
    home = tmp_path_factory.mktemp("home")
    for name in [each for each in os.environ if each.startswith("TUI_ANNOTATE_")]:
        if name not in KEPT:
            monkeypatch.delenv(name)
    for name in ("COLUMNS", "LINES"):  # as set, they would be the size of pipes and terminals
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TUI_ANNOTATE_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("TUI_ANNOTATE_STATE", str(home))
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LOGNAME", "reader")
    Path(home, "config.toml").touch()
    # Where no embedder is named, the static one is taken: alike on all machines, and quick.
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "static")
    monkeypatch.setattr("tui_annotate.plugins.registry.best_embedder", lambda: "static")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEndpoint]:
    """An endpoint that wants no key, and `KEY` for it in the environment."""
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    with serving() as fake:
        yield fake
