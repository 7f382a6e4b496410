"""The main tests of the annotating screen run once more with a store in PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from tests.helpers.postgresql_server import PostgresqlServer
from tests.helpers.postgresql_workspaces import move_to_schema
from tests.tui.screens import annotate_app

ON_BOTH: Final = {
    "test_screen": "test_saved_is_told_after_the_commit_and_survives_a_restart",
    "test_saving": "",
    "test_labels": "",
    "test_queueing": "",
    "test_suggestions": "",
}
"""Modules whose tests run with both kinds of stores, and the one of each that does so in
`make test`; the others do in `make test-full`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of the listed modules with both kinds of stores."""
    module = Path(metafunc.module.__file__ or "").stem
    if module in ON_BOTH:
        marks = [] if metafunc.function.__name__ == ON_BOTH[module] else [pytest.mark.full]
        kinds = [pytest.param("sqlite"), pytest.param("postgresql", marks=marks)]
        metafunc.parametrize("store_kind", kinds, indirect=True)


@pytest.fixture
def on_postgresql(postgresql: PostgresqlServer, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Puts the stores of new workspaces into schemas of the server, which end with the test."""
    schemas: list[str] = []
    move = partial(move_to_schema, postgresql, schemas=schemas)
    monkeypatch.setattr(annotate_app, "choose_store", move)
    yield
    for each in schemas:
        postgresql.drop_store(each)


@pytest.fixture(autouse=True)
def store_kind(request: pytest.FixtureRequest) -> None:
    """Let `make_workspace` make a store of the kind that the test has as its parameter."""
    if getattr(request, "param", "sqlite") == "postgresql":
        request.getfixturevalue("on_postgresql")
