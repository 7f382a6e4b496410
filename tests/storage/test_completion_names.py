"""Names for a shell: a store's owner alone has them, and reading them changes nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.services.ingest_stores import Stores, write_pairs
from tui_annotate.storage import completion_names as module
from tui_annotate.storage.completion_names import list_names
from tui_annotate.storage.people.store import PeopleStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Path]:
    """A store with three samples in two datasets, and a person."""
    stores = Stores(tmp_path)
    for name, samples in (("news", 2), ("old_", 1)):
        stores.run(write_pairs(tmp_path / f"{name}.jsonl", samples=samples), embedder="none")
    PeopleStore(stores.database).local("ana")
    yield stores.database.path
    stores.database.close()


def test_names_that_begin_so_are_given(store: Path) -> None:
    """Datasets, people and ids by how they begin; keys once their dataset is written out."""
    assert list_names(store, "datasets", "") == ["news", "old_"]
    assert list_names(store, "datasets", "ne") == ["news"]
    assert list_names(store, "people", "a") == ["ana"]
    assert list_names(store, "samples", "2") == ["2"]
    assert list_names(store, "keys", "news/") == ["news/1", "news/2"]
    assert list_names(store, "keys", "ne") == []


def test_others_have_none(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who shares the files of a workspace hears on the screen of what is theirs."""
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert list_names(store, "datasets", "") == []


def test_what_is_no_store_has_none(tmp_path: Path) -> None:
    """A file that is not there is not made; another file is left as it is."""
    assert list_names(tmp_path / "absent.sqlite", "datasets", "") == []
    assert not (tmp_path / "absent.sqlite").exists()
    other = tmp_path / "other.sqlite"
    other.write_text("no store")
    assert list_names(other, "people", "") == []
    assert other.read_text() == "no store"


def test_a_list_is_bounded(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More than anybody would read are cut."""
    monkeypatch.setattr(module, "MOST", 1)
    assert list_names(store, "samples", "") == ["1"]
