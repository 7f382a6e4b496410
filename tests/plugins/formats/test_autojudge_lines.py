"""autojudge written: the format's keys in its order, trimmed spans, and back in without loss."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.test_autojudge import (
    POOLS,
    TOPICS,
    UNDER,
    by_id,
    ids,
    lines,
    report,
    taken_from,
)
from tests.plugins.formats.test_real_files import SHARED
from tests.plugins.record_reader import read, write
from tests.plugins.strategies import altered
from tui_annotate import workspace as workspaces
from tui_annotate.domain.adjudication import Adjudication, ReviewAction
from tui_annotate.domain.annotations import REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace
from tui_annotate.domain.errors import TuiAnnotateError
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Record
from tui_annotate.domain.report_collections import PASSAGE
from tui_annotate.domain.samples import Request, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.formats.autojudge.reports import TRAITS
from tui_annotate.plugins.protocols import ExportOptions, ImportOptions
from tui_annotate.plugins.traits import Loss, RecordTrait

ROWS = [
    report("Sea stars eat mussels.", "Crabs hide.", ("😀 Anemones sting.", ["a", "gone"]),
           documents={"a": POOLS, "b": UNDER}),
    report(("Crabs 🦀 hide.", {"b": 0.5}), run="run1", team="teamB", documents={"b": UNDER}),
    report("风筝飞了。", run="run2", topic="1102"),
]  # fmt: skip
ALICE = Person("alice", "alice", PersonKind.IMPORTED)


def mark(
    side: Side, start: int, end: int, *, person: str = "alice", **more: Any
) -> OwnedAnnotation:
    """A span that somebody marked."""
    anchors = (Anchor(side, 0, Span(start, end)),)
    claim, evidence = (anchors, ()) if side is Side.SUMMARY else ((), anchors)
    name = f"{person} {side} {start} {end}"
    more = {"labels": (PASSAGE,), "origin": "imported:autojudge"} | more
    return OwnedAnnotation(person, Annotation(name, claim, evidence, **more))


def said(
    record: Record,
    *owned: OwnedAnnotation,
    rating: str = "",
    comment: str = "",
    who: Person = ALICE,
) -> Record:
    """The record with what somebody said of it."""
    work = Assignment(who.id, State.DONE, rating, comment)
    return replace(record, annotations=owned, assignments=(work,), people=(who,))


def collection(folder: Path) -> dict[str, Record]:
    """The samples of a small collection, by id."""
    return by_id(taken_from(folder, *ROWS)[0])


def rows(text: str) -> list[dict[str, Any]]:
    """The lines of a file."""
    return [json.loads(line) for line in text.split("\n") if line]


def test_each_kind_has_its_keys_in_the_formats_order(tmp_path: Path) -> None:
    """Report, document, citation with and without document: to the byte."""
    found = collection(tmp_path)
    work = [
        said(found["r|1101|teamA/run1"], mark(Side.SUMMARY, 4, 22), rating="Mostly Good"),
        said(found["c|1101|teamA/run1|2|gone"], mark(Side.SUMMARY, 2, 10), comment=" x\n"),
        said(found["d|1101|a"], mark(Side.SOURCE, 7, 16)),
        said(found["c|1102|run2|0"], rating="Perfect"),
    ]
    reports = {each.sample.key: each.sample for each in found.values()}
    text, reported = write(work, "autojudge", sample=reports.get)
    pages = {
        "a": {"id": "a", "text": POOLS["text"], "title": "Pools", "url": POOLS["url"]},
        "b": {"id": "b", "text": UNDER["text"], "title": None, "url": None},
    }
    whole = {
        "team_id": "teamA", "run_id": "run1", "topic_id": "1101",
        "sentences": [
            {"text": "Sea stars eat mussels."}, {"text": "Crabs hide."},
            {"text": "😀 Anemones sting.", "citations": ["a", "gone"]},
        ],
        "documents": pages,
    }  # fmt: skip
    kite = {
        "team_id": "teamA", "run_id": "run2", "topic_id": "1102",
        "sentences": [{"text": "风筝飞了。"}], "documents": {},
    }  # fmt: skip
    expected: list[dict[str, Any]] = [
        {"dataset": "d", "request_id": "1101", "run_id": "run1", "team_id": "teamA",
         "topic_id": "1101", "username": "alice", "rating": "Mostly Good", "comment": "",
         "spans": [{"start": 4, "end": 22, "text": "stars eat mussels.", "sentence_idx": 0}],
         "report": whole},
        {"dataset": "d", "request_id": "1101", "topic_id": "1101", "username": "alice",
         "rating": "Not rated", "comment": "x", "spans": [],
         "report_spans": [{"start": 2, "end": 10, "text": "Anemones"}],
         "citation": {
             "report": whole, "sentence_idx": 2,
             "sentence": {"text": "😀 Anemones sting.", "citations": ["a", "gone"]},
             "docid": "gone", "document": None}},
        {"dataset": "d", "request_id": "1101", "docid": "a", "topic_id": "1101",
         "username": "alice", "rating": "Not rated", "comment": "",
         "spans": [{"start": 7, "end": 16, "text": "Sea stars"}],
         "document": pages["a"]},
        {"dataset": "d", "request_id": "1102", "topic_id": "1102", "username": "alice",
         "rating": "Perfect", "comment": "", "spans": [], "report_spans": [],
         "citation": {
             "report": kite, "sentence_idx": 0,
             "sentence": {"text": "风筝飞了。", "citations": []},
             "docid": None, "document": None}},
    ]  # fmt: skip
    assert text == "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in expected)
    assert (reported.records, reported.annotations) == (4, 3)


def test_offsets_are_code_points_or_utf16_units(tmp_path: Path) -> None:
    """After an emoji the two differ; what they cover does not."""
    found = collection(tmp_path)
    sample = found["r|1101|teamA/run1"]
    work = [said(sample, mark(Side.SUMMARY, 35, 52))]
    expected = {"codepoint": (35, 52), "utf16": (35, 53)}
    for offsets, extent in expected.items():
        text, _ = write(work, "autojudge", offsets=offsets)
        (row,) = rows(text)
        (span,) = row["spans"]
        assert (span["start"], span["end"]) == extent
        assert (span["text"], span["sentence_idx"]) == ("😀 Anemones sting.", 2)


@pytest.mark.parametrize(
    ("selected", "expected"),
    [
        ((4, 27), [(4, 22, "stars eat mussels.", 0), (23, 27, "Crab", 1)]),
        ((22, 23), []),
        (
            (10, 52),
            [
                (10, 22, "eat mussels.", 0),
                (23, 34, "Crabs hide.", 1),
                (35, 52, "😀 Anemones sting.", 2),
            ],
        ),
        ((3, 9), [(4, 9, "stars", 0)]),
    ],
)
def test_passages_of_a_report_are_cut_and_trimmed(
    tmp_path: Path, selected: tuple[int, int], expected: list[tuple[int, int, str, int]]
) -> None:
    """Also those that another program did not cut: no line has a span that covers other text."""
    sample = collection(tmp_path)["r|1101|teamA/run1"]
    text, _ = write([said(sample, mark(Side.SUMMARY, *selected), rating="Bad")], "autojudge")
    (row,) = rows(text)
    assert [tuple(span.values()) for span in row["spans"]] == expected


def test_what_nobody_said_anything_of_is_left_out(tmp_path: Path) -> None:
    """Looked at is not judged; with `unrated` it is written as `Not rated`."""
    found = collection(tmp_path)
    opened = replace(
        found["d|1101|b"], assignments=(Assignment("alice", State.DRAFT),), people=(ALICE,)
    )
    work = [*found.values(), opened, said(found["d|1101|a"])]
    text, reported = write(work, "autojudge")
    assert text == ""
    assert reported.lost[RecordTrait.EMPTY] == 1
    text, reported = write(work, "autojudge", include_unrated=True)
    assert [(row["docid"], row["rating"]) for row in rows(text)] == [
        ("b", "Not rated"),
        ("a", "Not rated"),
    ]
    assert RecordTrait.EMPTY not in reported.lost


def test_each_person_has_a_line_of_their_own(tmp_path: Path) -> None:
    """By name; a second one of that name by id; what review refused is nobody's."""
    sample = collection(tmp_path)["d|1101|a"]
    people = (Person("1", "Ana"), Person("2", "Ana"), Person("3", "Li"), Person("autojudge", "x"))
    work = replace(
        sample,
        annotations=(
            mark(Side.SOURCE, 0, 5, person="1"),
            mark(Side.SOURCE, 7, 16, person="1"),
            mark(Side.SOURCE, 0, 5, person="2"),
            mark(Side.SOURCE, 0, 5, person="3", origin=REJECTED),
        ),
        assignments=(Assignment("autojudge", State.DONE, "Bad"),),
        people=people,
    )
    text, reported = write([work], "autojudge")
    assert [(row["username"], len(row["spans"])) for row in rows(text)] == [
        ("Ana", 2),
        ("2", 1),
        ("", 0),
    ]
    assert reported.lost[Loss.ANNOTATOR_IDS] == 1


def test_a_report_is_found_among_those_that_came_before(tmp_path: Path) -> None:
    """Without a look-up, as in `convert`; a citation without its report is counted, not written."""
    found = collection(tmp_path)
    citation = said(found["c|1101|teamB/run1|0|b"], rating="Bad")
    text, _ = write([found["r|1101|teamB/run1"], citation], "autojudge")
    assert [row["citation"]["report"]["team_id"] for row in rows(text)] == ["teamB"]
    text, reported = write([citation], "autojudge")
    assert text == ""
    assert reported.lost[Loss.NO_REPORT] == 1


def test_other_samples_are_counted(tmp_path: Path) -> None:
    """Pairs, and items that do not say what they are of, have no line."""
    sample = collection(tmp_path)["d|1101|a"].sample
    strange = [
        replace(sample, kind=SampleKind.PAIR),
        replace(sample, kind=SampleKind.QUESTION),
        replace(sample, meta={}),
        replace(sample, kind=SampleKind.CITATION, meta={"topic_id": "1", "sentence_idx": "0"}),
        replace(sample, kind=SampleKind.CITATION, meta={"topic_id": "1", "sentence_idx": 0}),
    ]
    bare = collection(tmp_path)["c|1101|teamA/run1|0"].sample
    alone = replace(bare, kind=SampleKind.DOCUMENT, meta={"topic_id": "1", "docid": "a"})
    work = [said(Record(one), mark(Side.SOURCE, 0, 5)) for one in strange]
    text, reported = write([*work, said(Record(alone), mark(Side.SUMMARY, 0, 3))], "autojudge")
    assert text == ""
    assert reported.lost == {
        Loss.OTHER_KINDS: 6,
        Loss.ITEM_ANNOTATIONS: 6,
    }


def test_what_has_no_place_is_counted(tmp_path: Path) -> None:
    """Labels, spans marked twice or in a report's documents, passages over several sentences."""
    sample = collection(tmp_path)["r|1101|teamA/run1"]
    work = said(
        sample,
        mark(Side.SUMMARY, 0, 3, labels=(("Wrong",),)),
        mark(Side.SUMMARY, 0, 3, note="why"),
        mark(Side.SUMMARY, 4, 27),
        mark(Side.SOURCE, 0, 5),
    )
    _, reported = write([work], "autojudge")
    assert reported.annotations == 3
    assert reported.lost == {
        RecordTrait.NOTE: 1,
        Loss.LABELS: 1,
        Loss.DOCUMENT_SPANS: 1,
        Loss.DOUBLE_SPANS: 1,
        Loss.SPANS_OVER_SENTENCES: 1,
    }


def test_spans_are_counted_for_each_person(tmp_path: Path) -> None:
    """Each person has a line, so two people who mark the same words lose nothing."""
    sample = collection(tmp_path)["r|1101|teamA/run1"]
    work = replace(
        sample,
        annotations=tuple(mark(Side.SUMMARY, 4, 9, person=name) for name in "ab"),
        assignments=tuple(Assignment(name, State.DONE) for name in "ab"),
    )
    text, reported = write([work], "autojudge")
    assert [len(row["spans"]) for row in rows(text)] == [1, 1]
    assert reported.lost == {}


@pytest.mark.parametrize("selected", [[(0, 34), (0, 22)], [(0, 22), (0, 34)]])
def test_a_span_that_equals_a_part_of_another_is_counted(
    tmp_path: Path, selected: list[tuple[int, int]]
) -> None:
    """A span over two sentences becomes two, and one of them is marked twice."""
    sample = collection(tmp_path)["r|1101|teamA/run1"]
    work = said(sample, *(mark(Side.SUMMARY, *one) for one in selected))
    text, reported = write([work], "autojudge")
    (row,) = rows(text)
    assert [(span["start"], span["end"]) for span in row["spans"]] == [(0, 22), (23, 34)]
    assert reported.lost == {Loss.DOUBLE_SPANS: 1, Loss.SPANS_OVER_SENTENCES: 1}


def test_rejected_annotations_are_counted(tmp_path: Path) -> None:
    """No line has them, whether someone else has one or not; their spans are marked by no one."""
    sample = collection(tmp_path)["d|1101|a"]
    rejected = mark(Side.SOURCE, 0, 5, person=SETTLED, origin=REJECTED)
    alone = replace(sample, annotations=(rejected,))
    text, reported = write([alone], "autojudge")
    assert (text, reported.lost) == ("", {Loss.ANNOTATIONS: 1})
    both = said(sample, rejected, mark(Side.SOURCE, 0, 5))
    text, reported = write([both], "autojudge")
    assert [len(row["spans"]) for row in rows(text)] == [1]
    assert reported.lost == {Loss.ANNOTATIONS: 1}


@pytest.mark.parametrize("starts", [[23, 0], [4, 23], [0, 99], []])
def test_numbers_of_sentences_are_those_of_the_exported_report(
    tmp_path: Path, starts: list[int]
) -> None:
    """If the stored sentences are not in order, the report has one sentence, number 0."""
    record = collection(tmp_path)["r|1101|teamA/run1"]
    sentences = [{"start": start, "end": start + 9} for start in starts]
    sample = replace(record.sample, meta={**record.sample.meta, "sentences": sentences})
    work = said(replace(record, sample=sample), mark(Side.SUMMARY, 4, 27))
    text, reported = write([work], "autojudge")
    (row,) = rows(text)
    assert len(row["report"]["sentences"]) == 1
    assert [tuple(span.values()) for span in row["spans"]] == [
        (4, 27, "stars eat mussels. Crab", 0)
    ]
    assert reported.lost == {}


# back in ------------------------------------------------------------------------------------


def back(folder: Path, text: str, **options: Any) -> tuple[list[Record], list[str]]:
    """The records that lines give, and what is wrong with them."""
    file = folder / "lines.jsonl"
    file.write_text(text, "utf-8")
    records, problems = read(file, "autojudge", **options)
    return records, [
        f"{problem.where.rpartition(':')[2]}: {problem.message}" for problem in problems
    ]


def judged(records: Iterable[Record]) -> dict[str, Record]:
    """Those that somebody said something of, without where they stood."""
    return {
        one.sample.id: replace(one, where="")
        for one in records
        if one.annotations or one.assignments
    }


_TRIMMED = st.builds(
    lambda start, length: (start, start + length), st.integers(0, 60), st.integers(1, 30)
)


@st.composite
def works(draw: st.DrawFn, found: Sequence[Record]) -> list[Record]:
    """Work of some people on some items, as it comes back from lines."""
    people = [
        ALICE,
        Person("李", "李", PersonKind.IMPORTED),
        Person("autojudge", "autojudge", PersonKind.IMPORTED),
    ]
    made = []
    for record in found:
        owned: list[OwnedAnnotation] = []
        assignments = []
        for who in draw(st.lists(st.sampled_from(people), unique=True, max_size=2)):
            spans = []
            for side in Side:
                whole = record.sample.side(side)
                if not whole or (record.sample.kind is SampleKind.REPORT and side is Side.SOURCE):
                    continue
                for start, end in draw(st.lists(_TRIMMED, max_size=3)):
                    spans += _spans(record, side, start, end, who.id)
            rating = draw(st.sampled_from(["", "Perfect", "So-so", "ganz gut"]))
            comment = draw(st.sampled_from(["", "why?", "两行\n字"]))
            if spans or rating or comment:
                owned += dict.fromkeys(spans)
                assignments.append(Assignment(who.id, State.DONE, rating, comment))
        named = {each.person for each in assignments}
        made.append(
            replace(
                record,
                annotations=tuple(owned),
                assignments=tuple(assignments),
                people=tuple(who for who in people if who.id in named),
            )
        )
    return made


def _spans(record: Record, side: Side, start: int, end: int, person: str) -> list[OwnedAnnotation]:
    """The span inside the text, trimmed, and of a report inside one sentence."""
    text = record.sample.document(side).text
    if record.sample.kind is SampleKind.REPORT:
        within = record.sample.meta["sentences"]
        one = within[start % len(within)]
        start, end = max(start, one["start"]), min(end, one["end"])
    end = min(end, len(text))
    span = Span(start, end).trim(text) if start < end else None
    return [mark(side, span.start, span.end, person=person)] if span else []


def _said(records: Iterable[Record]) -> dict[str, Any]:
    """What comparisons look at: not ids of annotations, nor the order of people."""
    return {
        name: (
            sorted(
                (owned.person, owned.annotation.anchors, owned.annotation.labels)
                for owned in one.annotations
            ),
            sorted((w.person, w.state.value, w.rating, w.comment) for w in one.assignments),
            sorted(person.id for person in one.people),
        )
        for name, one in judged(records).items()
    }


@settings(max_examples=example_limit(40), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data(), offsets=st.sampled_from(["codepoint", "utf16"]))
def test_what_was_said_comes_back(data: st.DataObject, offsets: str) -> None:
    """Ratings, comments and spans of everybody, however they are counted; and once more."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        made = data.draw(works(list(collection(folder).values())))
        text, _ = write(made, "autojudge", offsets=offsets)
        assume(text)
        (folder / "all").mkdir()
        (folder / "runs.jsonl").rename(folder / "all" / "runs.jsonl")
        (folder / "all" / "lines.jsonl").write_text(text, "utf-8")
        of = {"topics": folder / "topics.jsonl", "dataset": "d", "offsets": offsets}
        records, problems = read(folder / "all", "autojudge", **of)
        assert problems == []
        assert _said(records) == _said(made)
        again, _ = write(records, "autojudge", offsets=offsets)
        assert sorted(rows(again), key=json.dumps) == sorted(rows(text), key=json.dumps)


def test_a_line_brings_all_of_its_report(tmp_path: Path) -> None:
    """So that others can go on with it; with the runs beside it, nothing comes twice."""
    found = collection(tmp_path)
    made = [found["r|1101|teamB/run1"], said(found["c|1101|teamB/run1|0|b"], rating="Bad")]
    text, _ = write(made, "autojudge")
    records, _ = back(tmp_path, text)
    assert ids(records) == ["r|1101|run1", "c|1101|run1|0|b", "d|1101|b"]
    assert {one.sample.dataset for one in records} == {"d"}
    topics = lines(tmp_path / "topics.jsonl", *TOPICS)
    runs = lines(tmp_path / "runs.jsonl", *ROWS)
    folder = tmp_path / "all"
    folder.mkdir()
    runs.rename(folder / "runs.jsonl")
    (tmp_path / "lines.jsonl").rename(folder / "lines.jsonl")
    records, problems = read(folder, "autojudge", topics=topics, dataset="d")
    assert problems == []
    assert ids(records) == list(found)
    assert list(judged(records)) == ["c|1101|teamB/run1|0|b"]


def test_offsets_of_the_original_are_told_by_what_they_quote(tmp_path: Path) -> None:
    """UTF-16 units with a trimmed quote: the span shrinks to it."""
    found = collection(tmp_path)
    text, _ = write([said(found["r|1101|teamA/run1"], rating="Bad")], "autojudge")
    (row,) = rows(text)
    row["spans"] = [
        {"start": 37, "end": 47, "text": "Anemones", "sentence_idx": 2},
        {"start": 3, "end": 9, "text": "stars", "sentence_idx": 0},
    ]
    records, problems = back(tmp_path, json.dumps(row))
    assert problems == []
    (one,) = judged(records).values()
    text = one.sample.document(Side.SUMMARY).text
    assert [owned.annotation.claim[0].span.of(text) for owned in one.annotations] == [
        "Anemones",
        "stars",
    ]


def test_spans_that_fit_in_both_ways_must_be_told(tmp_path: Path) -> None:
    """Where the quotes do not say, nothing is guessed: the hint names the option."""
    row = report("😀 aaaa", documents={})
    found = by_id(taken_from(tmp_path, row)[0])
    text, _ = write([said(found["r|1101|run1"], rating="Bad")], "autojudge")
    (line,) = rows(text)
    line["spans"] = [{"start": 3, "end": 5, "text": "aa", "sentence_idx": 0}]
    _, problems = back(tmp_path, json.dumps(line))
    (problem,) = problems
    assert problem.startswith("1: ")
    assert "UTF-16" in problem
    for offsets, start in {"codepoint": 3, "utf16": 2}.items():
        records, problems = back(tmp_path, json.dumps(line), offsets=offsets)
        assert problems == []
        (one,) = judged(records).values()
        assert one.annotations[0].annotation.claim[0].span == Span(start, start + 2)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"dataset": None}, ["'dataset'", "(null)"]),
        ({"username": "\x1b[31m"}, ["username", "'\\x1b[31m'", "'\\x1b'"]),
        ({"topic_id": "7"}, ["'topic_id'", "'7'", "'1101'"]),
        ({"citation": []}, ["'citation'"]),
        ({"citation": {"report": None}}, ["'report'", "(null)"]),
    ],
)
def test_a_bad_line_costs_that_line(
    tmp_path: Path, change: dict[str, Any], named: list[str]
) -> None:
    """The others are taken, and the problem names the field and its value."""
    found = collection(tmp_path)
    made = [found["r|1101|teamB/run1"], said(found["c|1101|teamB/run1|0|b"], rating="Bad")]
    (good,) = rows(write(made, "autojudge")[0])
    bad = good | {"username": "ben"} | change
    if "citation" in change and isinstance(change["citation"], dict):
        bad["citation"] = good["citation"] | change["citation"]
    text = f"{json.dumps(bad)}\n{json.dumps(good)}\n"
    records, problems = back(tmp_path, text)
    assert [work.person for one in records for work in one.assignments] == ["alice"]
    (problem,) = problems
    assert problem.startswith("1: ")
    assert [value for value in named if value not in problem] == []


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"rating": 5}, ["'rating'", "(5)"]),
        ({"comment": []}, ["'comment'", "a list"]),
        ({"spans": None}, ["'spans'", "(null)"]),
        ({"spans": "x"}, ["'spans'", "('x')"]),
        ({"report_spans": {}}, ["'report_spans'", "an object"]),
        ({"worked": {"state": "asleep"}}, ["state", "'asleep'"]),
    ],
)
def test_an_unusable_field_costs_that_field(
    tmp_path: Path, change: dict[str, Any], named: list[str]
) -> None:
    """The person's other parts are taken; the sample counts as in progress."""
    found = collection(tmp_path)
    mark_of_page = mark(Side.SOURCE, 0, 3)
    work = said(found["c|1101|teamB/run1|0|b"], mark_of_page, rating="Bad", comment="so")
    (good,) = rows(write([found["r|1101|teamB/run1"], work], "autojudge")[0])
    records, _ = read(_line_file(tmp_path, good | change), "autojudge")
    _, (problem,) = read(_line_file(tmp_path, good | change), "autojudge")
    (one,) = judged(records).values()
    (kept,) = one.assignments
    assert kept.state is State.DRAFT
    assert kept.rating == ("" if "rating" in change else "Bad")
    assert kept.comment == ("" if "comment" in change else "so")
    assert len(one.annotations) == ("spans" not in change)
    assert problem.refuses_part
    assert problem.where.endswith("lines.jsonl:1")
    assert [value for value in named if value not in problem.message] == []


def _line_file(folder: Path, line: dict[str, Any]) -> Path:
    file = folder / "lines.jsonl"
    file.write_text(f"{json.dumps(line)}\n", "utf-8")
    return file


@pytest.mark.parametrize("lost", ["rating", "comment", "spans", "topic_id", "report", "dataset"])
def test_a_line_that_lacks_a_key_costs_itself(tmp_path: Path, lost: str) -> None:
    """It is no report for that, and needs no topics: the message names the key."""
    found = collection(tmp_path)
    (good,) = rows(write([said(found["r|1101|teamB/run1"], rating="Bad")], "autojudge")[0])
    bad = {name: value for name, value in good.items() if name != lost} | {"username": "ben"}
    records, problems = back(tmp_path, f"{json.dumps(good)}\n{json.dumps(bad)}\n")
    assert [work.person for one in records for work in one.assignments] == ["alice"]
    (problem,) = problems
    assert problem.startswith("2: ")
    assert repr(lost) in problem


@pytest.mark.parametrize(
    ("span", "named"),
    [
        ({"start": 1, "end": 0}, ["span 1 of 'spans'", "1:0"]),
        ({"start": "1", "end": 2}, ["span 1 of 'spans'", "'start'"]),
        ({"start": 1}, ["span 1 of 'spans'", "'end'"]),
        ({"start": 0, "end": 2, "text": 7}, ["span 1 of 'spans'", "'text'"]),
        ([], ["span 1 of 'spans'"]),
        ({"start": 0, "end": 3, "text": "Tea"}, ["span 0:3 of the report", "'Tea'"]),
        ({"start": 0, "end": 999}, ["span 0:999 of the report"]),
        ({"start": 35, "end": 36, "text": "\ufffd"}, ["span 35:36 of the report"]),
    ],
)
def test_a_bad_span_costs_that_span(tmp_path: Path, span: Any, named: list[str]) -> None:
    """Rating, comment and the other spans of the line stay, in either unit."""
    found = collection(tmp_path)
    work = said(found["r|1101|teamA/run1"], mark(Side.SUMMARY, 37, 45), rating="Bad", comment="x")
    for offsets in ("codepoint", "utf16"):
        (line,) = rows(write([work], "autojudge", offsets=offsets)[0])
        line["spans"].append(span)
        records, problems = back(tmp_path, json.dumps(line))
        (one,) = judged(records).values()
        assert [(each.rating, each.comment) for each in one.assignments] == [("Bad", "x")]
        assert [owned.annotation.claim[0].span for owned in one.annotations] == [Span(37, 45)]
        (problem,) = problems
        assert problem.startswith("1: ")
        assert [value for value in named if value not in problem] == []


def test_spans_of_what_is_not_there_cost_themselves(tmp_path: Path) -> None:
    """A document whose text did not come has no place for them; the rating stays."""
    found = collection(tmp_path)
    made = [said(found["c|1101|teamA/run1|2|gone"], rating="Bad")]
    (line,) = rows(write([found["r|1101|teamA/run1"], *made], "autojudge")[0])
    line["spans"] = [{"start": 0, "end": 2, "text": "No"}]
    records, problems = back(tmp_path, json.dumps(line))
    (one,) = judged(records).values()
    assert [each.rating for each in one.assignments] == ["Bad"]
    assert [problem[:3] for problem in problems] == ["1: "]


def test_where_something_was_said_is_told_of_each_person(tmp_path: Path) -> None:
    """By its line, though the report that it is of stands in another one."""
    found = collection(tmp_path)
    (line,) = rows(write([said(found["d|1101|a"], rating="Bad")], "autojudge")[0])
    file = tmp_path / "lines.jsonl"
    ((one,), _) = back(tmp_path, f"\n{json.dumps(line)}")
    assert one.where == f"{file}:2"
    both = (line, line | {"username": "ben"})
    ((one,), _) = back(tmp_path, "\n".join(map(json.dumps, both)))
    assert one.where == f"{file}:1 (alice), {file}:2 (ben)"


def test_a_report_without_sentences_goes_out(tmp_path: Path) -> None:
    """With its documents, and what was said of it; and comes back."""
    found = by_id(taken_from(tmp_path, report(documents={"a": POOLS}))[0])
    text, _ = write([said(found["r|1101|run1"], rating="Bad")], "autojudge")
    (line,) = rows(text)
    assert (line["report"]["sentences"], [*line["report"]["documents"]]) == ([], ["a"])
    records, problems = back(tmp_path, text)
    assert problems == []
    assert [one.assignments[0].rating for one in judged(records).values()] == ["Bad"]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"sentence_idx": True}, ["'sentence_idx'"]),
        ({"sentence_idx": 1}, ["'sentence_idx'", "1"]),
        ({"docid": "a"}, ["sentence 0", "'a'"]),
        ({"docid": None}, ["sentence 0", "None"]),
    ],
)
def test_a_citation_must_be_one_of_its_report(
    tmp_path: Path, change: dict[str, Any], named: list[str]
) -> None:
    """Its sentence is there, and cites what is judged."""
    found = collection(tmp_path)
    made = [found["r|1101|teamB/run1"], said(found["c|1101|teamB/run1|0|b"], rating="Bad")]
    (row,) = rows(write(made, "autojudge")[0])
    row["citation"] |= change
    records, problems = back(tmp_path, json.dumps(row))
    assert judged(records) == {}
    assert problems[0].startswith("1: ")
    assert [value for value in named if value not in problems[0]] == []


def test_a_person_says_one_thing_of_an_item(tmp_path: Path) -> None:
    """The same line again is nothing new; another one is refused."""
    found = collection(tmp_path)
    row = rows(write([said(found["d|1101|a"], rating="Bad")], "autojudge")[0])[0]
    other = row | {"rating": "Perfect"}
    records, problems = back(tmp_path, "\n".join(map(json.dumps, (row, row, other))))
    assert [work.rating for one in records for work in one.assignments] == ["Bad"]
    (problem,) = problems
    assert problem.startswith("3: ")
    assert "'alice'" in problem


def test_a_row_of_a_table_reads_as_the_line_in_it(tmp_path: Path) -> None:
    """Keys that a download from a server adds are passed over; nobody's name is nobody."""
    found = collection(tmp_path)
    row = rows(write([said(found["d|1101|a"], rating="Bad")], "autojudge")[0])[0]
    more = {"annotation_key": "d|1101|a", "created_at": "x", "updated_at": "y", "username": None}
    records, problems = back(tmp_path, json.dumps(row | more))
    assert problems == []
    assert [work.person for one in records for work in one.assignments] == ["autojudge"]


@settings(max_examples=example_limit(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_a_line_holds_it_is_taken_or_told(data: st.DataObject) -> None:
    """Any value in any place: records that can be kept, or problems; never a traceback."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        found = collection(folder)
        made = [
            found["r|1101|teamA/run1"],
            said(found["c|1101|teamA/run1|2|a"], mark(Side.SOURCE, 7, 16), comment="x"),
        ]
        (sound,) = rows(write(made, "autojudge")[0])
        line = data.draw(altered(sound))
        try:
            records, problems = back(folder, json.dumps(line))
        except TuiAnnotateError:
            return
        assert records or problems
        assert len(set(ids(records))) == len(records)


# what it says of itself ---------------------------------------------------------------------


def _examples(found: dict[str, Record]) -> dict[RecordTrait, Record]:
    """By trait, work that has it, and as little else as can be."""
    plain = said(found["c|1101|teamA/run1|2|a"], mark(Side.SUMMARY, 2, 10), rating="Bad")
    (owned,) = plain.annotations
    claim, evidence = owned.annotation.claim, mark(Side.SOURCE, 7, 16).annotation.evidence
    more = mark(Side.SOURCE, 0, 5).annotation.evidence

    def changed(**changes: Any) -> Record:
        one = replace(owned, annotation=replace(owned.annotation, **changes))
        return replace(plain, annotations=(one,))

    def told(**changes: Any) -> Record:
        return replace(plain, sample=replace(plain.sample, **changes))

    def worked(**changes: Any) -> Record:
        return replace(plain, assignments=(replace(plain.assignments[0], **changes),))

    original = {"format": "elsewhere"}
    meta = {**plain.sample.meta, "model": "toy"}
    return {
        RecordTrait.OVERLAP: replace(plain, annotations=(owned, mark(Side.SUMMARY, 5, 12))),
        RecordTrait.FRAGMENTS: changed(
            claim=(*claim, *mark(Side.SUMMARY, 11, 17).annotation.claim)
        ),
        RecordTrait.LINK: changed(evidence=evidence),
        RecordTrait.EVIDENCES: changed(claim=(), evidence=(*more, *evidence)),
        RecordTrait.TREE: changed(labels=(("Unwanted", "Intrinsic"),)),
        RecordTrait.NOTE: changed(note="why"),
        RecordTrait.ANNOTATOR: plain,
        RecordTrait.TIME: changed(created="2026-01-02T09:00:00.000000+00:00"),
        RecordTrait.EMPTY: said(found["d|1101|a"]),
        RecordTrait.ORIGIN: changed(origin="machine:toy"),
        RecordTrait.TEXTS: plain,
        RecordTrait.SEVERAL: changed(labels=(PASSAGE, ("Wrong",))),
        RecordTrait.BARE: changed(labels=()),
        RecordTrait.UNCLAIMED: changed(claim=(), evidence=evidence),
        RecordTrait.UNREAD: found["d|1101|a"],
        RecordTrait.STATE: worked(state=State.FLAGGED),
        RecordTrait.OPINION: worked(rating="ganz gut", comment="weil"),
        RecordTrait.VERSION: changed(version=3, label_set="ab" * 32),
        RecordTrait.TRACE: changed(
            claim=(), evidence=evidence, trace=AssistTrace(places=(OUTSIDE,))
        ),
        RecordTrait.SETTLED: changed(
            origin="adjudicated", settled=Adjudication("li", ReviewAction.TAKEN, ("x",))
        ),
        RecordTrait.SUGGESTED: changed(suggested=Provenance(suggestion="s", maker="toy")),
        RecordTrait.META: told(meta=meta),
        RecordTrait.GROUP: replace(
            said(found["d|1101|a"], rating="Bad"),
            sample=replace(found["d|1101|a"].sample, group="g"),
        ),
        RecordTrait.REQUEST: told(request=Request(question="how?")),
        RecordTrait.KIND: said(found["r|1101|teamA/run1"], rating="Bad"),
        RecordTrait.TITLE: plain,
        RecordTrait.DATASET: plain,
        RecordTrait.ABOUT: replace(plain, about=DatasetDescription(license="MIT")),
        RecordTrait.IMPORTED: told(imported=original),
    }


CARRIED_BY_ITEMS = {RecordTrait.EMPTY, RecordTrait.META, RecordTrait.GROUP, RecordTrait.REQUEST}
"""Traits of which a part alone is carried: by an option, or where it is a collection's own."""


@pytest.mark.parametrize("trait", RecordTrait)
def test_a_trait_is_carried_or_counted(trait: RecordTrait, tmp_path: Path) -> None:
    """What the format says that it carries comes back as it was; all else stands in the report."""
    found = collection(tmp_path)
    example = _examples(found)[trait]
    reports = {each.sample.key: each.sample for each in found.values()}
    text, reported = write([example], "autojudge", sample=reports.get)
    if trait not in TRAITS.carried or trait in CARRIED_BY_ITEMS:
        assert reported.lost.get(trait.value) == 1
        return
    assert reported.lost == {}
    records, problems = back(tmp_path, text)
    assert problems == []
    (one,) = judged(records).values()
    assert list(_said([one]).values()) == list(_said([example]).values())
    assert (one.sample.kind, one.sample.documents) == (
        example.sample.kind,
        example.sample.documents,
    )


@pytest.mark.parametrize(
    ("work", "lost"),
    [
        ((), RecordTrait.UNREAD),
        ((Assignment("ana", State.SKIPPED),), RecordTrait.UNREAD),
        ((Assignment("ana", State.DONE),), RecordTrait.EMPTY),
    ],
)
def test_a_sample_without_a_line_loses_nothing_else(
    work: tuple[Assignment, ...], lost: RecordTrait, tmp_path: Path
) -> None:
    """Other data of a sample that no person judged is not counted: no line has it."""
    record = collection(tmp_path)["d|1101|a"]
    sample = replace(record.sample, group="g", request=Request(question="how?"))
    text, reported = write([replace(record, sample=sample, assignments=work)], "autojudge")
    assert (text, reported.lost) == ("", {lost: 1})


# as the original does it --------------------------------------------------------------------


def _judged_in(space: workspaces.Workspace, a: str, b: str) -> None:
    """What somebody did in the original, done here.

    Args:
        a, b: two documents.
    """
    alice, do = space.people.local("alice").id, space.annotate
    marks = {
        "r|1101|run3": [(Side.SUMMARY, 0, 9)],
        f"c|1101|run2|0|{a}": [(Side.SOURCE, 7, 22), (Side.SUMMARY, 0, 5)],
    }
    ratings = {
        "r|1101|run3": "Mostly Good",
        f"c|1101|run2|0|{a}": "So-so",
        "c|1101|run2|0|doc-missing": "Bad",
        "c|1102|run1|0": "Perfect",
    }
    for name, spans in marks.items():
        for span in spans:
            new = mark(*span, labels=(PASSAGE,), origin="human").annotation
            do.add(alice, SampleKey("ds 1", name), new, seconds=1.0)
    for name, word in ratings.items():
        do.rate(alice, SampleKey("ds 1", name), word, seconds=1.0)
    do.comment(alice, SampleKey("ds 1", f"d|1101|{a}"), "note", seconds=1.0)
    do.comment(alice, SampleKey("ds 1", f"c|1101|run2|0|{b}"), "x", seconds=1.0)
    do.read(alice, SampleKey("ds 1", "r|1101|run2"), seconds=1.0)  # looked at, and left


def test_the_golden_export_comes_from_the_same_actions(tmp_path: Path) -> None:
    """Done in a workspace: the same lines to the byte, but that spans are trimmed."""
    file = SHARED / "golden" / "autojudge" / "export_from_page.json"
    if not file.is_file():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with golden values")
    expected = json.loads(file.read_text("utf-8"))["export_lines"]
    expected[0]["spans"][0] |= {"end": 8}  # "Anemones" is where it says
    pages = expected[2]["citation"]["report"]["documents"]
    cited = list(expected[2]["citation"]["sentence"]["citations"])
    (a, *_, b) = cited
    runs = lines(
        tmp_path / "runs.jsonl",
        report("Duplicate run id from another team.", run="run1", team="teamZ"),
        report(("Anemones sting.", [a, b]), run="run3", team="teamC"),
        report(("Crabs live there.", cited), run="run2", team="teamB", documents=pages),
        report("Kites fly.", run="run1", team="teamA", topic="1102"),
    )
    options = ImportOptions(dataset="ds 1", topics=lines(tmp_path / "topics.jsonl", *TOPICS))
    target = tmp_path / "ds 1-annotations.jsonl"
    with workspaces.create(tmp_path / "w") as space:
        space.ingest(runs, format="autojudge", options=options, embedder="none")
        _judged_in(space, a, b)
        space.export(target, format="autojudge", options=ExportOptions(offsets="utf16"))
    written = [json.dumps(json.loads(line)) for line in target.open("rb")]
    assert sorted(written) == sorted(map(json.dumps, expected))
