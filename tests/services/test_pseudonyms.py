"""Pseudonyms: nobody is named, the same person is the same everywhere, and what stays is told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.people import SETTLED, Person, PersonKind, second_reader
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.export import pseudonyms
from tui_annotate.services.export.pseudonyms import NOBODY, Pseudonyms
from tui_annotate.services.export.writer import select_layer

KEY, OTHER = bytes(range(32)), bytes(32)
ANA = Person("a1", "Ana", PersonKind.ACCOUNT)
BEN = Person("b1", "Ben", PersonKind.LOCAL)
AGAIN = Person("a1~2", "Ana (2nd reading)", PersonKind.AGAIN)
REVIEW = Person(SETTLED, SETTLED, PersonKind.SETTLED)
SAMPLE = Sample("d", "1", (Document(Side.SOURCE, "One."), Document(Side.SUMMARY, "One six.")))


def _owned(person: Person, key: str, **more: object) -> OwnedAnnotation:
    claim = (Anchor(Side.SUMMARY, 0, Span(4, 7)),)
    return OwnedAnnotation(person.id, replace(Annotation(key, claim), **more))  # type: ignore[arg-type]


RECORD = Record(
    SAMPLE,
    (
        _owned(ANA, "1", note="seen with Ben"),
        _owned(AGAIN, "2", imported={"annotator": "a1"}, origin="imported:mercury"),
        _owned(
            REVIEW,
            "3",
            origin=ADJUDICATED,
            settled=Adjudication("b1", ReviewAction.TAKEN, ("1", "2")),
        ),
    ),
    (Assignment("a1", State.DONE), Assignment("b1", State.SKIPPED, comment="?")),
    (ANA, AGAIN, BEN, REVIEW),
)


def _hidden(record: Record, names: Pseudonyms) -> Record:
    return names.record(record)


def test_nobody_is_named_and_work_stays_whose_it_is() -> None:
    """Ids and names go, second readings, review and who reviewed stay what they are."""
    names = Pseudonyms(KEY)
    hidden = _hidden(RECORD, names)
    ana, ben = names.id("a1"), names.id("b1")
    assert len({ana, ben, "a1", "b1"}) == 4
    assert [one.person for one in hidden.annotations] == [ana, f"{ana}~2", SETTLED]
    again = second_reader(Person(ana, ana)).name
    assert again.startswith(f"{ana} ")
    assert {person.id: (person.name, person.kind) for person in hidden.people} == {
        ana: (ana, PersonKind.IMPORTED),
        f"{ana}~2": (again, PersonKind.AGAIN),
        ben: (ben, PersonKind.IMPORTED),
        SETTLED: (SETTLED, PersonKind.SETTLED),
    }
    assert {work.person: work.state for work in hidden.assignments} == {
        ana: State.DONE,
        ben: State.SKIPPED,
    }
    first, second, third = (one.annotation for one in hidden.annotations)
    assert third.settled == Adjudication(
        ben, ReviewAction.TAKEN, tuple(sorted([first.id, second.id]))
    )
    assert second.imported is None
    assert (names.name("a1"), names.name("a1~2")) == (ana, again)


def test_the_order_tells_nothing_of_who_is_who() -> None:
    """As people are sorted by their ids before, they are sorted by their words afterwards."""
    people = tuple(Person(f"p{at}", f"P {at}") for at in range(9))
    work = tuple(Assignment(person.id, State.DONE) for person in people)
    hidden = _hidden(Record(SAMPLE, (), work, people), Pseudonyms(KEY))
    for found in ([one.id for one in hidden.people], [one.person for one in hidden.assignments]):
        assert found == sorted(found)
    sources = tuple(map(str, range(9)))
    settled = _owned(
        REVIEW, "x", origin=ADJUDICATED, settled=Adjudication("b1", ReviewAction.TAKEN, sources)
    )
    (owned,) = _hidden(Record(SAMPLE, (settled,)), Pseudonyms(KEY)).annotations
    assert owned.annotation.settled
    assert owned.annotation.settled.sources == tuple(sorted(owned.annotation.settled.sources))


def test_what_stays_and_goes_is_told() -> None:
    """Texts that people wrote, originals, people and columns are counted."""
    names = Pseudonyms(KEY)
    meta = {"model": "m", "annotator": "Ana", "rows": [{"userId": "b1", "text": "hm"}]}
    record = replace(RECORD, sample=replace(SAMPLE, meta=meta, imported={"format": "x"}))
    hidden = _hidden(record, names)
    report = names.report
    assert (report.texts, report.originals, report.people) == (2, 2, {"a1", "b1"})
    assert (dict(report.columns), dict(report.changed)) == (
        {"model": 1},
        {"annotator": 1, "rows": 1},
    )
    assert hidden.sample.meta == {
        "model": "m",
        "annotator": names.id("a1"),
        "rows": [{"userId": names.id("b1"), "text": "hm"}],
    }
    assert hidden.sample.imported is None


def test_a_dataset_that_is_called_as_somebody_is_told() -> None:
    """Names of datasets and groups are kept, so that somebody has to look."""
    names = Pseudonyms(KEY)
    sample = replace(SAMPLE, dataset="Ana", group="b1")
    hidden = _hidden(replace(RECORD, sample=sample), names)
    assert hidden.sample.key == ("Ana", "1")
    assert names.report.called == {"Ana", "b1"}
    _hidden(RECORD, other := Pseudonyms(KEY))
    assert other.report.called == set()


@pytest.mark.parametrize(
    ("column", "value", "person"),
    [
        ("annotator_id", "a1", "a1"),
        ("Worker-ID", 7, "7"),
        ("annotatorEmail", "ana@example.org", "a1"),
        ("email", "ana@example.org", "a1"),
        ("completed_by", {"email": "ana@example.org", "first_name": "Ana"}, "a1"),
        ("reviewer", "Ben", "b1"),
        ("reviewer", "Li", "Li"),
        ("worker_id", 7, "7"),
    ],
)
def test_known_columns_name_the_same_people(column: str, value: object, person: str) -> None:
    """By id, name or address, however the column is spelt; a stranger gets a word as well."""
    names = Pseudonyms(KEY, (), {"ana@example.org": "a1"})
    record = replace(RECORD, sample=replace(SAMPLE, meta={column: value}))
    assert _hidden(record, names).sample.meta == {column: names.id(person)}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("annotator", None),
        ("annotator", ""),
        ("annotator", True),
        ("annotator", "a long text\nof two lines"),
        ("email", "Dear all, see below."),
        ("completed_by", {"note": "x"}),
        ("score", "a1"),
    ],
)
def test_what_is_no_name_stays(column: str, value: object) -> None:
    """Nothing, truth values, longer texts, and columns that are not known are not touched."""
    names = Pseudonyms(KEY)
    record = replace(RECORD, sample=replace(SAMPLE, meta={column: value}))
    assert _hidden(record, names).sample.meta == {column: value}
    assert dict(names.report.columns) == {column: 1}


def test_lists_of_people_are_known() -> None:
    """Each name of a list is changed."""
    names = Pseudonyms(KEY)
    record = replace(RECORD, sample=replace(SAMPLE, meta={"annotators": ["a1", "Ben"]}))
    assert _hidden(record, names).sample.meta == {"annotators": [names.id("a1"), names.id("b1")]}


def test_two_of_one_name_are_not_mixed_up() -> None:
    """A name that two people have means neither of them, whoever comes first."""
    names = Pseudonyms(KEY, [ANA])
    twin = Person("c1", "Ana")
    record = replace(
        RECORD, sample=replace(SAMPLE, meta={"annotator": "Ana"}), people=(*RECORD.people, twin)
    )
    assert _hidden(record, names).sample.meta == {"annotator": names.id("Ana")}


def test_the_key_decides() -> None:
    """The same key gives the same words and ids at any time; another key gives others."""
    assert _hidden(RECORD, Pseudonyms(KEY)) == _hidden(RECORD, Pseudonyms(KEY))
    one, other = Pseudonyms(KEY), Pseudonyms(OTHER)
    assert one.id("a1") != other.id("a1")
    assert one.annotation_id("1") != other.annotation_id("1")


def test_a_hundred_thousand_people_are_told_apart() -> None:
    """Words are short, of letters and digits, and each its own."""
    names = Pseudonyms(KEY)
    words = {names.id(str(number)) for number in range(100_000)}
    assert len(words) == 100_000
    assert {len(word) for word in words} == {18}
    assert all(word.replace("-", "").isalnum() and word.isascii() for word in words)


def test_two_people_are_never_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were two words the same, the export would be refused."""
    monkeypatch.setattr(pseudonyms, "_ALPHABET", "x" * 32)
    names = Pseudonyms(KEY)
    assert names.id("a1") == names.id("a1")
    with pytest.raises(Conflict):
        names.id("b1")


@pytest.mark.parametrize("person", sorted({*NOBODY, "machine:m"}))
def test_who_is_nobody_keeps_the_name(person: str) -> None:
    """Review, machines and the work of formats without annotators are no people."""
    names = Pseudonyms(KEY)
    assert names.id(person) == person
    assert names.name(person) == person.removeprefix("machine:")
    assert not names.report.people


@pytest.mark.parametrize("layer", ["all", "majority", "adjudicated", "Ana"])
def test_layers_are_the_same_work(layer: str) -> None:
    """A layer is chosen by true names, and holds the same spans behind pseudonyms."""
    (plain,) = select_layer([RECORD], layer)
    hidden = _hidden(plain, Pseudonyms(KEY))
    spans = [[one.annotation.anchors for one in each.annotations] for each in (plain, hidden)]
    assert spans[0] == spans[1]


def test_words_that_no_encoding_takes_are_taken() -> None:
    """A half of a character in an id is no reason to fail."""
    assert Pseudonyms(KEY).id("\ud800").startswith("person-")
