"""Every format that is written: nobody's id, name or address is anywhere in its bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from zipfile import ZipFile, is_zipfile

import pytest

from tests.plugins.formats.laws import about
from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.comments import REVIEWERS, PersonComment
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins import registry
from tui_annotate.plugins.protocols import ExportOptions
from tui_annotate.plugins.traits import RecordTrait
from tui_annotate.services.export.pseudonyms import Pseudonyms
from tui_annotate.services.export.writer import ExportRun

KEY = bytes(range(32))
MARK = "NeverSeen"
"""In every id, name and address of a person."""
PEOPLE = [
    Person(f"{MARK}-id-{number}", f"{MARK} Name {number}", kind)
    for number, kind in enumerate([PersonKind.LOCAL, PersonKind.IMPORTED, PersonKind.ACCOUNT])
]
MAIL = Person(f"{MARK}@example.org", f"{MARK} by mail", PersonKind.IMPORTED)
NUMBER = Person(f"labelstudio:{MARK}", MARK, PersonKind.IMPORTED)
AGAIN = Person(f"{PEOPLE[0].id}~2", f"{PEOPLE[0].name} (2nd reading)", PersonKind.AGAIN)
REVIEW = Person(SETTLED, SETTLED, PersonKind.SETTLED)
EVERYBODY = (*PEOPLE, MAIL, NUMBER, AGAIN, REVIEW)
TEXTS = (
    Document(Side.SOURCE, "It cost 12 million."),
    Document(Side.SUMMARY, "It cost 15 million."),
)
_ROWS: dict[str, dict[str, object]] = {
    "mercury": {"annotator": PEOPLE[0].id, "annotator_name": PEOPLE[0].name},
    "faithbench": {"annotator_id": PEOPLE[0].id, "annotator_name": PEOPLE[0].name},
    "ragtruth": {"meta": MARK, "label_type": "X"},
    "labelstudio": {"completed_by": {"email": MAIL.id}},
    "doccano": {"user": MARK},
    "brat": {"folder": MARK},
    "w3c": {"creator": {"name": MARK}},
}
"""Work as it was read, as each format would keep it."""
_META = {
    "model": "m",
    "annotators": [PEOPLE[1].name, PEOPLE[2].id],
    "completed_by": {"id": 3, "email": f"{MARK}@example.org", "first_name": MARK},
    "mercury_comments": [{"user_id": PEOPLE[0].id, "user_name": PEOPLE[0].name, "text": "hm"}],
    "deep": [{"createdBy": MARK, "score": 1}],
}


def _owned(person: Person, origin: str, place: int) -> OwnedAnnotation:
    form = origin.removeprefix("imported:")
    one = Annotation(
        f"{person.id}/{origin}/{place}",
        (Anchor(Side.SUMMARY, 0, Span(place, place + 3)),),
        (Anchor(Side.SOURCE, 0, Span(0, 2)),),
        labels=(("Unwanted", "Intrinsic"),),
        note="as written",
        origin=origin,
        imported=_ROWS.get(form),
    )
    if person is REVIEW:
        sources = (f"{PEOPLE[0].id}/human/0",)
        one = replace(one, settled=Adjudication(PEOPLE[2].id, ReviewAction.TAKEN, sources))
    return OwnedAnnotation(person.id, one)


def _record(form: str, key: str) -> Record:
    origin = f"imported:{form}"
    people = [each for each in EVERYBODY if each is not REVIEW]
    owned = [_owned(person, origin, place) for place, person in enumerate(people)]
    owned += [_owned(person, "human", place) for place, person in enumerate(people)]
    kept = {"format": form, "extra": {"who": MARK}, "annotations": [], "source_info": {"by": MARK}}
    return Record(
        Sample("d", key, TEXTS, meta=_META, imported=kept),
        (*owned, _owned(REVIEW, ADJUDICATED, 0)),
        tuple(Assignment(each.id, State.DONE, comment="fine") for each in EVERYBODY),
        EVERYBODY,
        where=f"{MARK}.jsonl:1",
    )


RECORDS = [_record(form, str(number)) for number, form in enumerate(_ROWS)]
_ITEM = {"topic_id": "1", "run_id": "run", "team_id": "team"} | _META
RECORDS.append(  # formats of collections hold items alone
    replace(RECORDS[0], sample=Sample("d", "r|1|run", TEXTS, kind=SampleKind.REPORT, meta=_ITEM))
)
_ASKED = {"answers": ["12 million"], "gold_position": 0} | _META
RECORDS.append(  # and that of position studies, questions that people gave a verdict on
    replace(
        RECORDS[0],
        sample=Sample(
            "d", "q", TEXTS, kind=SampleKind.QUESTION, meta=_ASKED, request=Request("", "q")
        ),
        assignments=tuple(Assignment(each.id, State.DONE, "Correct") for each in EVERYBODY),
    )
)
_OF_ONE = ("all", "majority", "adjudicated", PEOPLE[0].name, PEOPLE[1].id)


def _layers(name: str) -> tuple[str, ...]:
    """The layers that a format can write; the empty one where it writes all of them at once."""
    return _OF_ONE if about(name).layered else ("", *_OF_ONE)


NAMING = [
    name
    for name in registry.plugin_names("exporters")
    if "" in _layers(name) and RecordTrait.ANNOTATOR in about(name).carried
]
"""Formats that write all layers at once, and tell annotators apart."""


def _write(
    name: str, layer: str, place: Path, *, records: Sequence[Record] = RECORDS
) -> tuple[str, Pseudonyms]:
    """All that can be read of what was written, names of files with it."""
    place.parent.mkdir(exist_ok=True)
    names = Pseudonyms(KEY)
    ExportRun(name, ExportOptions(layer=layer), names=names).run(records, place)
    files = sorted(each for each in (place, *place.rglob("*")) if each.is_file())
    inside = [str(file.relative_to(place.parent)) for file in files]
    for file in files:
        inside += _inside(file)
    return "\n".join(inside), names


def _inside(file: Path) -> Iterator[str]:
    yield file.read_bytes().decode("utf-8", "replace")
    if is_zipfile(file):
        with ZipFile(file) as archive:
            yield from (archive.read(name).decode() for name in archive.namelist())
    if file.suffix == ".parquet":
        import pyarrow.parquet as pq

        table = pq.read_table(file)
        yield json.dumps(table.to_pylist(), default=str)
        yield str(table.schema.metadata)


def _faults(written: str, names: Pseudonyms) -> Iterator[str]:
    """Where somebody is named, and pseudonyms that are nobody's."""
    for found in re.finditer(f".{{0,40}}{MARK}.{{0,40}}", written, re.IGNORECASE):
        yield f"names somebody: {found.group()!r}"
    known = {names.id(person.id).removesuffix("~2") for person in EVERYBODY}
    known |= {names.id(word) for word in (MARK, f"{MARK}@example.org", "3")}
    pseudonyms = set(re.findall(r"person-[0-9a-z]{5}-[0-9a-z]{5}", written))
    for pseudonym in sorted(pseudonyms - known):
        yield f"has the pseudonym of nobody: {pseudonym}"


_NOTE, _COMMENT, _DECISION, _QUESTION = "WrittenNote", "WrittenComment", "WrittenWhy", "WrittenAsk"


def _with_text(text: str) -> list[Record]:
    """Return records of all kinds with one text of a user, of the kind that the text names."""
    asker = PEOPLE[0].id
    records = []
    for record in RECORDS:
        owned = [
            replace(each, annotation=_with_note(each.annotation, text))
            for each in record.annotations
        ]
        comment = text if text == _COMMENT else ""
        work = [replace(each, comment=comment) for each in record.assignments]
        question = PersonComment("q", record.sample.key, asker, REVIEWERS, "", text, "")
        records.append(
            replace(
                record,
                annotations=tuple(owned),
                assignments=tuple(work),
                questions=(question,) if text == _QUESTION else (),
            )
        )
    return records


def _with_note(one: Annotation, text: str) -> Annotation:
    settled = one.settled and replace(one.settled, note=text if text == _DECISION else "")
    return replace(one, note=text if text == _NOTE else "", settled=settled)


@pytest.mark.parametrize("text", [_NOTE, _COMMENT, _DECISION, _QUESTION])
@pytest.mark.parametrize("name", registry.plugin_names("exporters"))
def test_only_texts_that_a_format_writes_are_counted(name: str, text: str, tmp_path: Path) -> None:
    """Texts of users are counted as unchanged if and only if the written file has them."""
    for number, layer in enumerate(_layers(name)):
        place = tmp_path / str(number) / "out"
        written, names = _write(name, layer, place, records=_with_text(text))
        if text in written:
            assert names.report.texts, f"layer {layer!r}"
        elif layer != "majority":
            assert not names.report.texts, f"layer {layer!r}"


@pytest.mark.parametrize("name", registry.plugin_names("exporters"))
def test_no_format_names_anybody(name: str, tmp_path: Path) -> None:
    """Not in rows as they were read, not in columns, layers, files' names or reviews."""
    faults: list[str] = []
    for number, layer in enumerate(_layers(name)):
        written, names = _write(name, layer, tmp_path / str(number) / "out")
        faults += [f"layer {layer!r}: {fault}" for fault in _faults(written, names)]
    assert faults == []


@pytest.mark.parametrize("name", NAMING)
def test_everybody_is_the_same_in_every_format(name: str, tmp_path: Path) -> None:
    """Where a format tells annotators apart, each has the word that they have elsewhere."""
    written, _ = _write(name, "", tmp_path / "out")
    again = Pseudonyms(KEY)
    for person in EVERYBODY:
        assert again.id(person.id) in written or again.name(person.id) in written
    assert _write(name, "", tmp_path / "again")[0].count("person-") == written.count("person-")


def test_the_marks_are_there_without_it(tmp_path: Path) -> None:
    """The test can fail: with names as they are, every format that tells annotators names them."""
    for name in NAMING:
        place = tmp_path / name
        ExportRun(name).run(RECORDS, place)
        files = [each for each in (place, *place.rglob("*")) if each.is_file()]
        inside = "".join(text for file in files for text in _inside(file))
        assert MARK in inside, name
