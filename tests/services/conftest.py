"""An empty store, and a file to ingest; services are tested with both kinds of stores."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import pytest

from tests.helpers import stores
from tests.helpers.postgresql_server import PostgresqlServer
from tests.helpers.stores import new_database
from tests.services.ingest_stores import write_pairs
from tui_annotate.storage.database import Database
from tui_annotate.storage.postgresql_database import PostgresqlDatabase

ON_BOTH: Final = {
    "test_accounts": "test_deleting_a_person_deletes_no_work",
    "test_agreement_items": "test_ratings_of_two_people_by_hand",
    "test_annotate": "test_a_clearing_is_taken_back_as_one",
    "test_assignments": "test_what_is_shown_counts_what_people_do",
    "test_authentication": "test_a_session_goes_on_until_it_expires",
    "test_comments": "test_news_are_told_once",
    "test_practice": "test_an_admin_gives_one_more_attempt",
    "test_progress": "test_ends_are_projected",
    "test_ssh_keys": "test_the_file_follows_the_bound_keys",
    "test_suggestions": "test_the_report_counts_people_and_what_they_said",
}
"""Modules whose tests run once more with a store in PostgreSQL, and one test of each that does so
in `make test`; the others do in `make test-full`."""

SQLITE_ONLY: Final = {
    "test_a_dataset_for_practice_alone_never_ends": "writes rows with SQL of SQLite",
    "test_opening_writes_nothing": "reads the bytes of the file",
    "test_others_write_while_a_clearing_is_prepared": "opens the file once more",
    "test_rules_are_tried_without_being_made": "expects no gap in ids after a rollback",
    "test_strange_times_are_of_no_day": "removes a trigger of SQLite",
    "test_undo_and_redo_go_through_samples_and_restarts": "opens the file once more",
    "test_what_comes_in_before_the_lock_counts": "opens the file once more",
    "test_what_is_handed_out": "writes rows with SQL of SQLite",
    "test_who_was_handed_samples_with_work_of_a_file_has_not_begun": "writes with SQL of SQLite",
}
"""Tests of these modules that need a file, with the reason."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of the listed modules with both kinds of stores."""
    module = Path(metafunc.module.__file__ or "").stem
    test = metafunc.function.__name__
    if module in ON_BOTH and test not in SQLITE_ONLY:
        marks = [] if test == ON_BOTH[module] else [pytest.mark.full]
        kinds = [pytest.param("sqlite"), pytest.param("postgresql", marks=marks)]
        metafunc.parametrize("store_kind", kinds, indirect=True)


@pytest.fixture(autouse=True)
def store_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let `new_database` make a store of the kind that the test has as its parameter."""
    with ExitStack() as cleanup:
        if getattr(request, "param", "sqlite") == "postgresql":
            server: PostgresqlServer = request.getfixturevalue("postgresql")

            def new(_: Path) -> Database:
                schema = server.create_store()
                cleanup.callback(server.drop_store, schema)
                opened = PostgresqlDatabase.open(server.url, schema)
                cleanup.callback(opened.close)
                return opened

            for module in (stores, request.module, sys.modules[__name__]):
                if hasattr(module, "new_database"):
                    monkeypatch.setattr(module, "new_database", new)
        yield


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """An empty store."""
    opened = new_database(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    """A file of 20 pairs: 30 documents."""
    return write_pairs(tmp_path / "pairs.jsonl", samples=20)
