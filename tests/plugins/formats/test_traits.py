"""Formats do what they say: what they carry comes back, and what they lose is counted."""

from __future__ import annotations

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


@pytest.mark.parametrize("trait", RecordTrait)
@pytest.mark.parametrize("name", FORMATS)
def test_a_trait_is_carried_or_counted(name: str, trait: RecordTrait, tmp_path: Path) -> None:
    """What a format says that it carries comes back as it was; all else stands in the report."""
    found = examples(_person(name))
    if trait not in found:
        pytest.fail(f"no example of {trait}")
    done = trip(found[trait], name, tmp_path / "d")
    if about(name).carried.get(trait) in (None, OWN):  # these are another form's
        assert trait.value in done.report.lost
        assert views(done.back, name) != views(found[trait], name)
    else:
        assert trait.value not in done.report.lost
        if not done.report.lost:
            assert views(done.back, name) == views(found[trait], name)
