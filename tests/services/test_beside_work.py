"""Long reading beside people at work: nobody waits for it, and it shows one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from tests.helpers.stores import LABELS, annotate, claim, fill, new_database
from tests.plugins.formats.laws import BARE, OF_ITEMS
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.plugins.traits import get_traits
from tui_annotate.services.agreement import AgreementService
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.audit import AuditService
from tui_annotate.services.export import ExportService
from tui_annotate.services.progress import ProgressReader
from tui_annotate.storage import sqlite_database as of_database
from tui_annotate.storage.corpus.store import CorpusStore, SegmentStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.work_statistics import WorkStatisticsStore

_MANY = 210
_PAGE = 100
"""Samples that are read at a time."""


@cache
def _worked() -> bytes:
    """A store in which ana and ben have done some samples, as it lies on the disk."""
    with TemporaryDirectory() as folder:
        opened = new_database(Path(folder))
        annotating = annotate(opened)
        keys = fill(annotating.corpus, *map(str, range(_MANY)))
        for name in ("ana", "ben"):
            person = annotating.people.local(name).id
            for key in (keys[0], keys[-1]):
                annotating.add(person, key, claim(f"{name}-{key.id}"), seconds=1.0)
                annotating.finish(person, key, seconds=1.0)
        opened.close()
        return opened.path.read_bytes()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteDatabase]:
    """That store, open."""
    path = tmp_path / "store.sqlite"
    path.write_bytes(_worked())
    opened = SqliteDatabase.open(path)
    yield opened
    opened.close()


class _Team:
    """People who save over a connection of their own, and would give up rather than wait."""

    def __init__(self, database: SqliteDatabase) -> None:
        self._deeds: AnnotationService = annotate(database, labels="")
        self._ana = self._deeds.people.local("ana").id
        self.turns = 0

    def work(self) -> None:
        """Marks, labels anew, finishes, takes back; new samples and labels come as well."""
        self.turns += 1
        key, name = SampleKey("d", str(_PAGE + self.turns)), f"Turn{self.turns}"
        self._deeds.guidance.keep(GuidanceKind.LABELS, f"{LABELS}- Benign\n- {name}\n")
        saved = self._deeds.add(self._ana, key, claim(name), seconds=1.0)
        one = next(each for each in saved.annotations if each.id == name)
        anew = replace(one, labels=(("Benign",), (name,)))
        self._deeds.edit(self._ana, key, anew, seconds=1.0)
        self._deeds.finish(self._ana, key, seconds=1.0)
        self._deeds.undo(self._ana)
        last = SampleKey("d", str(_MANY - 1))
        self._deeds.comment(self._ana, last, name, seconds=1.0)
        fill(self._deeds.corpus, name)


@pytest.fixture
def team(store: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Team]:
    """People at work who wait for nobody."""
    monkeypatch.setattr(of_database, "LOCK_SECONDS", 0.0)
    opened = SqliteDatabase.open(store.path)
    yield _Team(opened)
    opened.close()


def _interrupted(store: SqliteDatabase, team: _Team, monkeypatch: pytest.MonkeyPatch) -> None:
    """People work whenever the store has begun to be read, and before it ends."""
    plain = store.reading

    @contextmanager
    def reading() -> Iterator[Any]:
        with plain() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM samples").all()
            team.work()
            yield connection
            team.work()

    monkeypatch.setattr(store, "reading", reading)


def _export(store: SqliteDatabase) -> ExportService:
    return ExportService(CorpusStore(store), PeopleStore(store), AnnotationStore(store))


def _agree(store: SqliteDatabase) -> AgreementService:
    stores = (
        CorpusStore(store),
        PeopleStore(store),
        GuidanceStore(store),
        SegmentStore(store),
        AnnotationStore(store),
    )
    return AgreementService(*stores, lambda _: parse_labels(LABELS), lambda filters: filters)


_READ: dict[str, Callable[[SqliteDatabase], object]] = {
    "agreement": lambda store: _agree(store).report(),
    "figures": lambda store: ProgressReader(WorkStatisticsStore(store), dict).figures(),
    "datasets": lambda store: CorpusStore(store).datasets(),
    "progress": lambda store: CorpusStore(store).progress(),
    "audit": lambda store: AuditService(AuditStore(store)).verify(),
    "copy": lambda store: store.copy_to(store.path.with_name("copy")),
    "labels": lambda store: AnnotationStore(store).labels_in_use(),
}


@pytest.mark.parametrize("what", _READ)
def test_nobody_waits_for_a_report(
    store: SqliteDatabase, team: _Team, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Whatever is read and however long, people save meanwhile, without waiting at all."""
    team.work()
    _interrupted(store, team, monkeypatch)
    _READ[what](store)
    monkeypatch.undo()
    assert team.turns >= (1 if what == "copy" else 3)
    assert CorpusStore(store).totals()[0] == _MANY + team.turns


def _written(export: ExportService, name: str, target: Path) -> dict[str, bytes]:
    about = get_traits(registry.load("exporters", name))
    layer = "all" if about and about.layered else ""
    export.run(name, target, options=ExportOptions(layer=layer, all_states=True))
    files = [target] if target.is_file() else [each for each in target.rglob("*") if each.is_file()]
    return {str(each.relative_to(target)): each.read_bytes() for each in files}


_WITHOUT_PAIRS = {*OF_ITEMS, *BARE, "preferences", "suggestions"}  # of ranks and answers


@pytest.mark.parametrize("name", sorted({*registry.plugin_names("exporters")} - _WITHOUT_PAIRS))
def test_nobody_waits_for_an_export(
    store: SqliteDatabase, team: _Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """People save while a format is half written, and the file shows the moment it began."""
    before = _written(_export(store), name, tmp_path / "before")
    plain = CorpusStore.records

    def records(corpus: CorpusStore, filters: RecordFilter) -> Iterator[Any]:
        for number, record in enumerate(plain(corpus, filters)):
            if number in (0, _PAGE + 2, _MANY - 1):
                team.work()
            yield record

    monkeypatch.setattr(CorpusStore, "records", records)
    during = _written(_export(store), name, tmp_path / "during")
    monkeypatch.undo()
    assert team.turns == 3
    assert during == before
    assert _written(_export(store), name, tmp_path / "after") != before
