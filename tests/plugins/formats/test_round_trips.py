"""Round trips of hostile work through every format that is read and written, up to the report."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample

from tests.helpers.effort import example_limit
from tests.plugins.formats.hostile import CROWD, PEOPLE, crowded, several
from tests.plugins.formats.laws import BARE, OF_ITEMS, TABLES, about, hold, trip, write
from tests.plugins.formats.record_values import LEFT_OUT
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins import registry
from tui_annotate.plugins.joined_texts import SEPARATOR

FORMATS = [
    name
    for name in registry.plugin_names("exporters")
    if name in {*registry.plugin_names("importers")} - OF_ITEMS - BARE - TABLES
]
AS_THEY_WERE = {"native", "mercury", "faithbench", "ragtruth", "w3c"}
"""Formats that give the same bytes for what was read of them; ids or words change in the others."""
HOSTILE = settings(
    max_examples=example_limit(40), deadline=None, suppress_health_check=list(HealthCheck)
)


def _people(name: str) -> tuple[Person, ...]:
    """Whose work a format can hold: of one layer, that of the one that it means."""
    return (Person(name, name, PersonKind.IMPORTED),) if about(name).layered else tuple(PEOPLE)


def _bytes(place: Path) -> dict[str, bytes]:
    files = sorted(place.rglob("*")) if place.is_dir() else [place]
    return {str(file.relative_to(place)): file.read_bytes() for file in files if file.is_file()}


@pytest.mark.parametrize("name", FORMATS)
@HOSTILE
@given(data=st.data())
def test_what_is_read_is_what_was_written_up_to_the_report(name: str, data: st.DataObject) -> None:
    """Whatever texts, labels, notes, people and states hold: it comes back, or it was counted.

    A second trip tells of nothing new, and the same records give the same bytes.
    """
    found = data.draw(several(_people(name)))
    with TemporaryDirectory() as folder:
        for place in "abc":
            (Path(folder) / place).mkdir()
        first = trip(found, name, Path(folder) / "a" / "d")
        write(found, name, Path(folder) / "b" / "d")
        assert _bytes(first.place) == _bytes(Path(folder) / "b" / "d")
        hold(found, first, name)
        second = trip(first.back, name, Path(folder) / "c" / "d")
        assert set(second.report.lost) - LEFT_OUT <= set(first.report.lost)
        hold(first.back, second, name)
        if name in AS_THEY_WERE:
            assert _bytes(second.place) == _bytes(first.place)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**32))
def test_two_hundred_spans_of_a_sample_come_back(name: str, seed: int) -> None:
    """Also where they overlap, and where two are the same."""
    record = crowded(seed, _people(name))
    with TemporaryDirectory() as folder:
        done = trip([record], name, Path(folder) / "d")
    assert done.report.records == 1
    alone = done.report.lost.get("annotations that contain only line breaks", 0)
    assert done.report.annotations == CROWD - alone > CROWD * 0.9
    hold([record], done, name)


def _any(test: Callable[[str], bool]) -> Callable[[list[Record]], bool]:
    """Whether a text or a note of some record is such a one."""

    def met(found: list[Record]) -> bool:
        texts = [document.text for record in found for document in record.sample.documents]
        notes = [owned.annotation.note for record in found for owned in record.annotations]
        return any(map(test, texts)) and any(map(test, notes))

    return met


def _label(test: Callable[[str], bool]) -> Callable[[list[Record]], bool]:
    def met(found: list[Record]) -> bool:
        return any(
            test(name)
            for record in found
            for owned in record.annotations
            for path in owned.annotation.labels
            for name in path
        )

    return met


def _twins(found: list[Record]) -> bool:
    """Whether two annotations mark the same."""
    return any(
        len({owned.annotation.anchors for owned in record.annotations}) < len(record.annotations)
        for record in found
    )


def _above(found: list[Record]) -> bool:
    """Whether an annotation has a label and the one above it."""
    return any(
        path[:-1] in owned.annotation.labels
        for record in found
        for owned in record.annotations
        for path in owned.annotation.labels
    )


def _at_the_ends(found: list[Record]) -> bool:
    """Whether a claim covers its whole text."""
    return any(
        anchor.span.start == 0 and anchor.span.end == len(record.sample.document(Side.SUMMARY).text)
        for record in found
        for owned in record.annotations
        for anchor in owned.annotation.claim
    )


TRAITS: dict[str, Callable[[list[Record]], bool]] = {
    "astral characters": _any(lambda text: any(sign > "\uffff" for sign in text)),
    "combining marks": _any(lambda text: "e\u0301" in text),
    "joined emoji": _any(lambda text: "👩\u200d🚀" in text),
    "line ends of two": _any(lambda text: "\r\n" in text),
    "a return alone": _any(lambda text: "\r" in text.replace("\r\n", "")),
    "line separators": _any(lambda text: "\u2028" in text),
    "tabs": _any(lambda text: "\t" in text),
    "the separator": _any(lambda text: SEPARATOR in text),
    "escape sequences": _any(lambda text: "\x1b[31m" in text),
    "formulas": _any(lambda text: text.startswith("=")),
    "empty notes": lambda found: any(
        not owned.annotation.note for record in found for owned in record.annotations
    ),
    "dots": _label(lambda name: "." in name),
    "slashes": _label(lambda name: "/" in name),
    "Han characters": _label(lambda name: "幻" in name),
    "tabs in labels": _label(lambda name: "\t" in name),
    "labels above labels": _above,
    "the same spans twice": _twins,
    "spans of a whole text": _at_the_ends,
}


def test_the_corpus_is_as_hostile_as_it_says() -> None:
    """Each kind of hostile work is found among what is generated."""
    missing = set(TRAITS)

    def met(found: list[Record]) -> bool:
        missing.difference_update([trait for trait in missing if TRAITS[trait](found)])
        return not missing

    tried = settings(HOSTILE, max_examples=500, phases=[Phase.generate])
    with suppress(NoSuchExample):
        find(several(), met, settings=tried, random=Random(0))
    assert missing == set()
