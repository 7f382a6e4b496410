"""brat: a folder for each annotator, fragments over line ends, and what stands beside them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.laws import base, examples, read, write
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError, Unavailable
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Request
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.joined_texts import SEPARATOR
from tui_annotate.plugins.traits import RecordTrait

SOURCE = "The bridge opened in 1932.\nIt cost 12 million pounds 🌉 and took six years."
SUMMARY = "The 1932 bridge cost 15 million pounds and was loved."
STANDOFF = """T1\tWrong 114 131\t15 million pounds
T2\tEvidence 21 26;27 34\t1932. It cost
T3\tVague 136 139;140 145\twas loved
R1\tevidence Arg1:T1 Arg2:T2
#1\tAnnotatorNotes T1\t12, not 15
A1\tOrigin T1 human
*\tEquiv T1 T3
"""


def _foreign(folder: Path, *, standoff: str = STANDOFF, text: str = "") -> Path:
    place = folder / "corpus" / "ana"
    place.mkdir(parents=True)
    (place / "b-001.txt").write_text(text or SOURCE + SEPARATOR + SUMMARY, "utf-8")
    (place / "b-001.ann").write_text(standoff, "utf-8")
    return folder / "corpus"


def _quotes(record: Record) -> list[list[str]]:
    return [
        [each.span.of(record.sample.document(each.side).text) for each in one.annotation.anchors]
        for one in record.annotations
    ]


def test_an_unreadable_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An annotator's folder is never passed over in silence."""
    corpus, plain = _foreign(tmp_path), Path.iterdir

    def refused(folder: Path) -> Iterator[Path]:
        if folder.name == "ana":
            raise PermissionError(13, "Permission denied")
        return plain(folder)

    monkeypatch.setattr(Path, "iterdir", refused)
    with pytest.raises(Unavailable):
        read(corpus, "brat")


def test_a_folder_becomes_samples(tmp_path: Path) -> None:
    """Fragments parted at a line end are one span again; others stay two; notes and relations."""
    corpus = _foreign(tmp_path)
    (record,), problems = read(corpus, "brat")
    assert record.sample.key == ("corpus", "b-001")
    assert _quotes(record) == [["15 million pounds", "1932.\nIt cost"], ["was", "loved"]]
    first, second = (one.annotation for one in record.annotations)
    assert (first.labels, first.note) == ((("Wrong",),), "12, not 15")
    assert len(second.claim) == 2
    assert [(person.id, person.name) for person in record.people] == [("ana", "ana")]
    assert not any(problem.refused for problem in problems)
    assert len(problems) == 2
    for kind in ("'*'", "'A'"):
        assert [problem.message for problem in problems if kind in problem.message]
    assert detect(corpus) == detect(corpus / "ana") == "brat"
    (alone,), _ = read(corpus / "ana", "brat")
    assert alone.people[0].id == "brat"


def test_entities_that_are_parts_of_each_other_are_one_annotation(tmp_path: Path) -> None:
    """A cycle of relations loses no entity."""
    parts = "R2\tpart Arg1:T1 Arg2:T3\nR3\tpart Arg1:T3 Arg2:T1\n"
    standoff = STANDOFF.replace("evidence Arg1:T1", "evidence Arg1:T3") + parts
    (record,), _ = read(_foreign(tmp_path, standoff=standoff), "brat")
    assert _quotes(record) == [["15 million pounds", "was", "loved", "1932.\nIt cost"]]


def test_notes_of_parts_are_kept_and_those_of_evidence_counted(tmp_path: Path) -> None:
    """The annotation of several entities has the notes of all its claim's entities."""
    more = "R2\tpart Arg1:T1 Arg2:T3\n#2\tAnnotatorNotes T3\twhy\n#3\tAnnotatorNotes T2\tsee\n"
    (record,), problems = read(_foreign(tmp_path, standoff=STANDOFF + more), "brat")
    (one,) = (owned.annotation for owned in record.annotations)
    assert (one.labels, one.note) == ((("Wrong",),), "12, not 15\nwhy")
    messages = " ".join(problem.message for problem in problems)
    assert "1 labels 'Vague' of parts" in messages
    assert "1 notes of evidence" in messages


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("T1\tWrong 114 131\t12 million pounds\n", ["entity T1", "114:131"]),
        ("T1\tWrong 1 900\tx\n", ["entity T1", "1:900"]),
        ("T1\tWrong a b\tx\n", ["'Wrong a b'"]),
        ("T1\tWrong 0 3\tThe\nT1\tWrong 0 3\tThe\n", ["T1 'Wrong 0 3'"]),
        ("T1\tWrong 0 3;4 10\tThe bridges\n", ["T1", "'The bridges'"]),
        (
            "T1\tWrong 70 80\t" + (SOURCE + SEPARATOR)[70:80].replace("\n", " "),
            ["'Wrong'", "70:80"],
        ),
        ("R1\tevidence\n", ["R1", "evidence"]),
        ("T1\tWrong 4 10;97 101\tbridge 1932\n", ["'Wrong'"]),
    ],
)
def test_what_does_not_fit_is_refused(tmp_path: Path, line: str, named: list[str]) -> None:
    """A wrong line alone is refused, with its place and what the line holds."""
    (record,), problems = read(_foreign(tmp_path, standoff=line), "brat")
    (problem,) = (each for each in problems if each.refuses_part)
    assert len(record.annotations) == line.count("T1\tWrong 0 3\tThe") / 2
    assert [value for value in named if value not in problem.message] == []
    assert problem.where.endswith("b-001")


def test_files_that_are_in_no_sample_are_named(tmp_path: Path) -> None:
    """A text without annotations of anyone, a folder too deep, and a file outside the list."""
    corpus = _foreign(tmp_path)
    text = corpus / "ana" / "b-001.txt"
    for name in ("ben/b-001.txt", "ben/b-002.txt", "ana/more/b-003.txt", "ana/more/b-003.ann"):
        (corpus / name).parent.mkdir(exist_ok=True)
        shutil.copy(text, corpus / name)
    (record,), problems = read(corpus, "brat")
    assert len(record.annotations) == 2
    messages = [problem.message for problem in problems if problem.where == str(corpus)]
    assert messages == [
        "skipped: 1 text without an .ann file: ben/b-002.txt",
        "skipped: 1 folder inside the folder of an annotator: ana/more",
    ]
    (corpus / "ana" / "b-004.ann").write_text("")
    row = {"file": "b-001", "sample_id": "b-001"}
    (corpus / "samples.jsonl").write_text(json.dumps(row) + "\n")
    _, problems = read(corpus, "brat")
    assert any(
        "1 file that samples.jsonl does not list: ana/b-004.ann" in each.message
        for each in problems
    )


def test_notes_on_a_missing_entity_are_counted(tmp_path: Path) -> None:
    """Such a note belongs to no annotation."""
    standoff = "T1\tWrong 114 131\t15 million pounds\n#1\tAnnotatorNotes T9\tnote\n"
    _, (problem,) = read(_foreign(tmp_path, standoff=standoff), "brat")
    assert "1 notes that belong to no entity" in problem.message


def test_what_is_no_folder_is_told(tmp_path: Path) -> None:
    """A file, and nothing at all; a text without the separator is one of neither side."""
    corpus = _foreign(tmp_path, text="one text alone", standoff="")
    with pytest.raises(InvalidInput, match="is a file"):
        read(corpus / "ana" / "b-001.ann", "brat")
    with pytest.raises(NotFound):
        read(tmp_path / "none", "brat")
    _, (problem,) = read(corpus, "brat")
    assert problem.refused
    (corpus / "ana" / "b-001.txt").unlink()
    _, (problem,) = read(corpus, "brat")
    assert problem.refused
    assert "b-001.txt" in str(problem)


def test_an_unread_sample_loses_nothing_else(tmp_path: Path) -> None:
    """A sample without work is in no folder, so that its other data is not counted."""
    record = base("ana")
    sample = replace(record.sample, request=Request(question="How much?"))
    unread = replace(record, sample=sample, annotations=(), assignments=(), people=())
    report = write([unread], "brat", tmp_path / "out")
    assert (report.records, report.lost) == (0, {RecordTrait.UNREAD: 1})


def test_what_is_written(tmp_path: Path) -> None:
    """Lines as brat has them: types of letters, an end that is not included, one space between."""
    (record,) = examples("ana")[RecordTrait.FRAGMENTS]
    write([record], "brat", tmp_path / "out")
    assert (tmp_path / "out" / "ana" / "000001.ann").read_text("utf-8") == (
        "T1\tWrong 45 47;53 63\tIt 15 million\n"
    )
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "ana", "annotation.conf", "labels.jsonl", "people.jsonl", "samples.jsonl",
    ]  # fmt: skip


def test_a_text_that_was_changed_is_refused(tmp_path: Path) -> None:
    """Only the annotator with the changed copy, by its hash or by the copies of others."""
    (stranger,) = examples("ana")[RecordTrait.ANNOTATOR]
    (record,) = [base("ana")]
    both = Record(
        record.sample,
        record.annotations + stranger.annotations,
        record.assignments + stranger.assignments,
        record.people + stranger.people,
    )
    write([both], "brat", tmp_path / "out")
    (back,), _ = read(tmp_path / "out", "brat")
    assert {owned.person for owned in back.annotations} == {"ana", "li"}
    text = tmp_path / "out" / "ana" / "000001.txt"
    text.write_bytes(text.read_bytes() + b"!")
    (back,), (problem,) = read(tmp_path / "out", "brat")
    assert problem.refuses_part
    assert {owned.person for owned in back.annotations} == {"li"}
    there = problem.message
    shutil.rmtree(tmp_path / "out" / "Li")
    _, (problem,) = read(tmp_path / "out", "brat")
    assert problem.refused
    assert problem.message != there


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "", 5, ".hidden"])
def test_side_tables_lead_nowhere_else(tmp_path: Path, name: object) -> None:
    """What they name as a file is one beside the standoff, or refused."""
    corpus = _foreign(tmp_path)
    (corpus / "samples.jsonl").write_text(json.dumps({"file": name, "sample_id": "1"}), "utf-8")
    _, (problem, unlisted) = read(corpus, "brat")
    assert not unlisted.refused
    assert problem.refused
    assert repr(name) in problem.message


_PIECES = st.sampled_from(["\t", "\n", "T1", "R1", "#1", " ", ";", "0", "114 131", "Arg1:T1", "x"])


@given(standoff=st.lists(_PIECES | st.text(max_size=3), max_size=20).map("".join))
@settings(max_examples=example_limit(200), deadline=None, suppress_health_check=list(HealthCheck))
def test_no_standoff_breaks_the_reader(standoff: str) -> None:
    """Any lines are read or refused, never an accident."""
    raw = standoff.encode("utf-8", "surrogatepass")
    with TemporaryDirectory() as folder:
        corpus = _foreign(Path(folder))
        (corpus / "ana" / "b-001.ann").write_bytes(STANDOFF.encode() + raw)
        try:
            _, problems = read(corpus, "brat")
        except TuiAnnotateError:
            return
        for problem in problems:
            assert "\n" not in str(problem)
            str(problem).encode()
