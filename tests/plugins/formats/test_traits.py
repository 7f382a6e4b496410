"""Formats do what they say: what they carry comes back, and what they lose is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.plugins.formats.laws import BARE, OF_ITEMS, TABLES, about, base, examples, trip
from tests.plugins.formats.record_values import views
from tui_annotate.plugins import registry
from tui_annotate.plugins.traits import OWN, RecordTrait

FORMATS = [
    name
    for name in registry.plugin_names("exporters")
    if name in {*registry.plugin_names("importers")} - OF_ITEMS - BARE - TABLES
]


def _person(name: str) -> str:
    """Whose work loses nothing: the one that a format of one layer means; else anybody's."""
    return name if about(name).layered else "ana"


@pytest.mark.parametrize("name", FORMATS)
def test_plain_work_loses_nothing(name: str, tmp_path: Path) -> None:
    """One claim, one label, one person who is done: the report is empty, and it comes back."""
    record = base(_person(name))
    if (
        RecordTrait.STATE not in about(name).carried
        and RecordTrait.EMPTY not in about(name).carried
    ):
        record = replace(record, assignments=())
    done = trip([record], name, tmp_path / "d")
    assert (done.report.lost, done.problems) == ({}, [])
    assert views(done.back, name) == views([record], name)


def _trait_faults(name: str, trait: RecordTrait, folder: Path) -> Iterator[str]:
    """How work that has one trait comes back otherwise than the format says."""
    records = examples(_person(name))[trait]
    done = trip(records, name, folder / "d")
    before = views(records, name)
    after = views(done.back, name)
    if about(name).carried.get(trait) in (None, OWN):  # these are another form's
        if trait.value not in done.report.lost:
            yield f"{trait}: not carried, and not in the report"
        if after == before:
            yield f"{trait}: not carried, and comes back as it was"
    elif trait.value in done.report.lost:
        yield f"{trait}: carried, and in the report as lost"
    elif not done.report.lost and after != before:
        yield f"{trait}: carried, and comes back different:\n{before}\n{after}"


def test_each_trait_has_an_example() -> None:
    """So that no trait is left out of the next test."""
    assert examples("ana").keys() == set(RecordTrait)


@pytest.mark.parametrize("name", FORMATS)
def test_each_trait_is_carried_or_counted(name: str, tmp_path: Path) -> None:
    """What a format says that it carries comes back as it was; all else stands in the report."""
    faults: list[str] = []
    for trait in RecordTrait:
        folder = tmp_path / trait.name
        folder.mkdir()
        faults += _trait_faults(name, trait, folder)
    assert not faults, "\n" + "\n".join(faults)
