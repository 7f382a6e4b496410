"""Annotations under a filter, without texts: the same that an export would hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.helpers.stores import annotate, claim, fill, new_database
from tui_annotate.domain.annotations import ADJUDICATED
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record, RecordFilter
from tui_annotate.domain.samples import SampleKey
from tui_annotate.services.annotate import AnnotationService


@pytest.fixture
def deeds(tmp_path: Path) -> Iterator[AnnotationService]:
    """Work of two people on two datasets; one sample is done, one annotation is imported."""
    database = new_database(tmp_path)
    made = annotate(database)
    keys = [*fill(made.corpus, "1", "2"), *fill(made.corpus, "1", dataset="e")]
    for name in ("ana", "bo"):
        who = made.people.local(name).id
        for number, key in enumerate(keys):
            label = "Fine" if number else "Odd"
            one = claim(f"{name}{number}", label=label, note="n")
            made.add(who, key, one, seconds=1)
        made.finish(who, keys[1], seconds=1)
    yield made
    database.close()


FILTERS = [
    RecordFilter(),
    RecordFilter(dataset="d"),
    RecordFilter(dataset="e", sample="1"),
    RecordFilter(sample="2"),
    RecordFilter(person="ana"),
    RecordFilter(label="Odd"),
    RecordFilter(state="done"),
    RecordFilter(origin="human", person="bo"),
    RecordFilter(origin="imported"),
    RecordFilter(since="2999-01-01"),
    RecordFilter(since="2020-01-01", state="draft", label="Fine"),
]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_what_stands_is_what_an_export_holds(
    deeds: AnnotationService, filters: RecordFilter
) -> None:
    """Whatever the filter."""
    people = {person.id: person for person in deeds.people.all()}
    found = list(deeds.store.standing(filters, people))
    wanted = [owned for record in deeds.corpus.records(filters) for owned in record.annotations]
    key = {owned.annotation.id: owned for owned in wanted}
    assert {owned.annotation.id: owned for owned in found} == key
    assert len(found) == len(wanted)


def test_somebody_stands_out(deeds: AnnotationService) -> None:
    """The filters above are no empty words: each of two people has their own."""
    people = {person.id: person for person in deeds.people.all()}
    mine = list(deeds.store.standing(RecordFilter(person="ana"), people))
    assert len(mine) == 3
    assert len(list(deeds.store.standing(RecordFilter(), people))) == 6
    assert replace(mine[0]) in list(deeds.store.standing(RecordFilter(), people))


def test_work_of_people_is_exported_without_adjudications(deeds: AnnotationService) -> None:
    """An adjudication has no annotations of another origin, and would be an empty row."""
    key = SampleKey("d", "1")
    made = replace(claim("decided"), origin=ADJUDICATED)
    adjudication = Record(
        deeds.corpus.sample(key).sample,
        (OwnedAnnotation(SETTLED, made),),
        people=(Person(SETTLED, SETTLED, PersonKind.SETTLED),),
    )
    deeds.store.import_records([adjudication])

    def workers(origin: str) -> set[str]:
        filters = RecordFilter(origin=origin, dataset=key.dataset, sample=key.id)
        (record,) = deeds.corpus.records(filters)
        return {each.person for each in record.assignments}

    people = {deeds.people.local(name).id for name in ("ana", "bo")}
    assert workers("") == {SETTLED, *people}
    assert workers("human") == people
    assert workers("adjudicated") == {SETTLED}
