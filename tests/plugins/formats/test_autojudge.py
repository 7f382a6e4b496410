"""autojudge read: three ways to cite, three kinds of samples, one clear line for what is wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.helpers.effort import example_limit
from tests.plugins.formats.test_real_files import SHARED
from tests.plugins.record_reader import read
from tests.plugins.strategies import altered
from tui_annotate.domain.errors import InvalidInput, NotFound, TuiAnnotateError
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Request, SampleKind, Side
from tui_annotate.plugins import registry
from tui_annotate.plugins.formats.autojudge import samples
from tui_annotate.plugins.formats.autojudge.reports import read_run_report
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.reader_guard import read_guarded

ROOT = Path(__file__).parents[3]
TOPICS = [
    {"request_id": "1101", "title": "Tide pools", "problem_statement": "What lives there?",
     "background": "I am a teacher.", "limit": 3},
    {"request_id": "1102", "title": "风筝"},
]  # fmt: skip
POOLS = {"id": "a", "title": "Pools", "text": "Sea stars eat mussels.\nAnemones sting.",
         "url": "http://example.org/a", "seen": 1}  # fmt: skip
UNDER = {"id": "b", "text": "Crabs hide under rocks."}


def report(
    *sentences: Any, run: str = "run1", team: str = "teamA", topic: str = "1101", **more: Any
) -> dict[str, Any]:
    """A report; a sentence is its text, or (text, what it cites)."""
    reported = [each if isinstance(each, tuple) else (each,) for each in sentences]
    responses = [dict(zip(("text", "citations"), each, strict=False)) for each in reported]
    about = {"team_id": team, "run_id": run, "topic_id": topic}
    return {"metadata": about, "responses": responses, **more}


def lines(path: Path, *rows: Any) -> Path:
    """A file of JSON lines; text goes in as it is."""
    text = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{line}\n" for line in text), "utf-8")
    return path


def taken_from(
    folder: Path, *rows: Any, topics: Sequence[Any] = TOPICS, **options: Any
) -> tuple[list[Record], list[Problem]]:
    """The records and problems of a file of runs."""
    of = lines(folder / "topics.jsonl", *topics)
    runs = lines(folder / "runs.jsonl", *rows)
    return read(runs, "autojudge", dataset="d", topics=of, **options)


def ids(records: Sequence[Record]) -> list[str]:
    """The samples' ids, in order."""
    return [record.sample.id for record in records]


def by_id(records: Sequence[Record]) -> dict[str, Record]:
    """The records by their samples' ids."""
    return {record.sample.id: record for record in records}


def _golden(name: str) -> Any:
    file = SHARED / "golden" / "autojudge" / name
    if not file.is_file():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with golden values")
    return json.loads(file.read_text("utf-8"))


def test_reports_are_normalised_as_the_original_does() -> None:
    """Each of the golden cases gives its topic, sentences and citations, or is refused."""
    for case in _golden("report_normalisation.json"):
        try:
            found, doubts = read_run_report(case["input"])
        except InvalidInput:
            assert not case["ok"], case["name"]
            continue
        sentences = [{"text": one.text, "citations": [*one.citations]} for one in found.sentences]
        assert case["ok"], case["name"]
        assert (found.topic, sentences) == (case["topic_id"], case["sentences"]), case["name"]
        # A citation that is left out is reported.
        assert all(isinstance(each, InvalidInput) for each in doubts), case["name"]


@pytest.mark.parametrize(
    ("cited", "references", "expected"),
    [
        (["x", "y", "x"], None, ["x", "y", "x"]),
        ({"a": 0.5, "b": 0.9, "c": 0.5}, None, ["b", "a", "c"]),
        ({"a": 1, "b": 10**400}, None, ["b", "a"]),
        ([1, 0, 5, -1], ["d0", "d1"], ["d1", "d0"]),
        ([1], None, []),
        (None, None, []),
        ([], None, []),
        ({}, None, []),
    ],
)
def test_a_sentence_cites_in_one_of_three_ways(
    cited: Any, references: Any, expected: list[str]
) -> None:
    """Ids as they are, of a map the surest first, numbers as the references name them."""
    found, _ = read_run_report(report(("a", cited), ("b", None), references=references))
    assert [*found.sentences[0].citations] == expected
    assert found.sentences[1].citations == ()


@pytest.mark.parametrize("references", [["a", "b"], [], None])
def test_a_citation_by_a_wrong_number_is_refused_by_itself(tmp_path: Path, references: Any) -> None:
    """The report stays; each number that is no position is named, and never means another one."""
    numbers = [0, -1, 2, 1, -2]
    value = report(("One.", numbers), ("Two.", [0]), documents={"b": POOLS}, references=references)
    records, problems = taken_from(tmp_path, value)
    right = [number for number in numbers if 0 <= number < len(references or ())]
    wrong = [number for number in numbers if number not in right] + [0] * (not references)
    (whole, *_) = records
    cited = whole.sample.meta["sentences"][0]["citations"]
    assert cited == [(references or [])[number] for number in right]
    assert [problem.code for problem in problems] == ["field-refused"] * len(wrong)
    assert not any(problem.refused for problem in problems)
    for number, problem in zip(wrong, problems, strict=True):
        assert problem.where == f"{tmp_path / 'runs.jsonl'}:1"
        assert f"citation {number} " in problem.message


@pytest.mark.parametrize(
    "unknown",
    [
        "x",
        7,
        [True],
        [True, 1],
        [1.5, 1, "x"],
        [["x"]],
        {"x": "1"},
        {"x": float("nan")},
        [""],
        ["b", "x\x1b[2J"],
        {"": 1},
    ],
)
def test_citations_of_an_unknown_form_are_refused_alone(tmp_path: Path, unknown: Any) -> None:
    """The report and the citations of its other sentences stay; the sentence is named."""
    others = {"b": 0.5} if unknown == {"": 1} else ["b"]
    value = report(("One.", others), ("Two.", unknown), ("Three.", others), documents={"b": POOLS})
    records, problems = taken_from(tmp_path, value | {"references": ["a", "b"]})
    (whole, *_) = records
    sentences = whole.sample.meta["sentences"]
    assert [one.get("citations", []) for one in sentences] == [["b"], [], ["b"]]
    assert [(each.code, each.refused) for each in problems] == [("field-refused", False)]
    assert "sentence 1" in problems[0].message


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"topic_id": "7", "narrative_id": 8}, "'topic_id' is '7', but 'narrative_id' is '8'"),
        ({"topic_id": 7}, "'topic_id' is a number (7), not text"),
        ({"request_id": "8"}, "neither 'topic_id' nor 'narrative_id'"),
        ({"topic_id": "7", "team_id": None}, "'team_id' is an empty value (null), not text"),
        ({"topic_id": "7", "run_id": ""}, "the run_id is empty"),
        ({"topic_id": "7\x1b[2J"}, "control character '\\x1b'"),
        ({"narrative_id": True}, "the narrative_id is a Boolean value"),
    ],
)
def test_what_a_report_says_of_itself_is_checked(about: dict[str, Any], message: str) -> None:
    """The refusal names the field and its value."""
    row = {"metadata": {"team_id": "t", "run_id": "r", **about}, "answer": []}
    with pytest.raises(InvalidInput) as refused:
        read_run_report(row)
    assert message in refused.value.message


def test_what_is_missing_is_called_so() -> None:
    """Nobody can quote what is not there; a number they can."""
    for team, reported in {
        None: ("'team_id' is missing in 'metadata'", "add the field"),
        7: ("'team_id' is a number (7), not text", "put the value in quotes"),
    }.items():
        row = report("a", team=team)  # type: ignore[arg-type]
        if team is None:
            del row["metadata"]["team_id"]
        with pytest.raises(InvalidInput) as refused:
            read_run_report(row)
        assert (refused.value.message, refused.value.hint) == reported
    with pytest.raises(InvalidInput, match="'metadata'"):
        read_run_report({"responses": []})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"responses": None}, "neither 'responses' nor 'answer'"),
        ({"responses": "text"}, "'responses' is text ('text'), not a list"),
        (
            {"responses": [{"text": None}]},
            "sentence 0 of 'responses': 'text' is an empty value",
        ),
        ({"responses": [{}]}, "sentence 0 of 'responses': 'text' is missing"),
        ({"responses": [7]}, "sentence 0 of 'responses' is a number (7), not a JSON object"),
        (
            {"responses": ["plain"]},
            "sentence 0 of 'responses' is text ('plain'), not a JSON object",
        ),
        (
            {"responses": [{"text": "a", "citations": [0]}], "references": [0]},
            "'references' is not a list of document ids",
        ),
        (
            {"responses": [{"text": "a", "citations": ["x"]}, {"text": "b", "citations": [0]}]},
            "citations are document ids in sentence 0, but numbers in sentence 1",
        ),
        ({"documents": []}, "'documents' is a list, not a JSON object"),
        ({"metadata": []}, "'metadata' is a list, not a JSON object"),
    ],
)
def test_what_a_report_holds_is_checked(change: dict[str, Any], message: str) -> None:
    """Each wrong kind is one clear message."""
    with pytest.raises(InvalidInput) as refused:
        read_run_report(report("a") | change)
    assert message in refused.value.message


def test_a_report_gives_samples_of_three_kinds(tmp_path: Path) -> None:
    """The report, each sentence with each document it cites, then each document once."""
    row = report(
        ("Anemones sting 🪸.", ["a", "gone"]),
        "Nothing is cited.",
        documents={"a": POOLS, "b": UNDER},
    )
    records, problems = taken_from(tmp_path, row)
    assert problems == []
    assert ids(records) == [
        "r|1101|run1",
        "c|1101|run1|0|a",
        "c|1101|run1|0|gone",
        "c|1101|run1|1",
        "d|1101|a",
        "d|1101|b",
    ]
    whole, cited, gone, bare, document, _ = (record.sample for record in records)
    assert {record.sample.request for record in records} == {
        Request("Tide pools", "What lives there?", "I am a teacher.")
    }
    assert whole.kind is SampleKind.REPORT
    assert whole.document(Side.SUMMARY).text == "Anemones sting 🪸. Nothing is cited."
    assert [(one.key, one.title, one.text) for one in whole.side(Side.SOURCE)] == [
        ("a", "Pools", "Pools\n\nSea stars eat mussels.\nAnemones sting."),
        ("b", "", "Crabs hide under rocks."),
    ]
    assert whole.meta == {
        "topic_id": "1101",
        "team_id": "teamA",
        "run_id": "run1",
        "sentences": [
            {"start": 0, "end": 17, "citations": ["a", "gone"]},
            {"start": 18, "end": 35, "citations": []},
        ],
        "urls": {"a": "http://example.org/a"},
    }
    assert cited.kind is SampleKind.CITATION
    assert cited.group == gone.group == "1101|run1|0"
    assert [one.text for one in cited.documents] == [
        "Pools\n\nSea stars eat mussels.\nAnemones sting.",
        "Anemones sting 🪸.",
    ]
    assert [one.side for one in gone.documents] == [Side.SUMMARY]
    assert (gone.meta["docid"], gone.meta["url"]) == ("gone", None)
    assert (bare.group, bare.meta["docid"]) == ("1101|run1|1", None)
    assert document.kind is SampleKind.DOCUMENT
    assert document.meta == {
        "topic_id": "1101",
        "docid": "a",
        "url": "http://example.org/a",
        "runs": ["run1"],
    }


def test_topics_are_in_their_order_then_runs_then_teams(tmp_path: Path) -> None:
    """However the lines of the runs stand."""
    rows = [
        report("x", run="z", topic="1102"),
        report("x", run="b", team="t2"),
        report("x", run="b", team="t1"),
        report("x", run="a", team="t9"),
    ]
    records, _ = taken_from(tmp_path, *rows)
    whole = [name for name in ids(records) if name.startswith("r|")]
    assert whole == ["r|1101|a", "r|1101|t1/b", "r|1101|t2/b", "r|1102|z"]


def test_two_teams_with_one_run_id_are_two_runs(tmp_path: Path) -> None:
    """On the topic where they meet each is named with its team; on others nothing changes."""
    rows = [
        report(("x", ["a"]), run="run1", team="teamA", documents={"a": POOLS}),
        report(("y", ["a"]), run="run1", team="teamB", documents={"a": POOLS}),
        report("z", run="run1", team="teamB", topic="1102"),
    ]
    records, problems = taken_from(tmp_path, *rows)
    assert problems == []
    assert ids(records) == [
        "r|1101|teamA/run1",
        "c|1101|teamA/run1|0|a",
        "r|1101|teamB/run1",
        "c|1101|teamB/run1|0|a",
        "d|1101|a",
        "r|1102|run1",
        "c|1102|run1|0",
    ]
    found = by_id(records)
    assert found["d|1101|a"].sample.meta["runs"] == ["teamA/run1", "teamB/run1"]
    assert found["c|1101|teamB/run1|0|a"].sample.group == "1101|teamB/run1|0"
    assert found["c|1101|teamB/run1|0|a"].sample.meta["run_id"] == "run1"


def test_runs_in_several_files_are_one_collection(tmp_path: Path) -> None:
    """Run ids meet over files, as the files are read together."""
    topics = lines(tmp_path / "topics.jsonl", *TOPICS)
    one = lines(tmp_path / "one.jsonl", report("x", team="teamA"))
    two = lines(tmp_path / "two.jsonl", report("x", team="teamB"))
    options = ImportOptions(dataset="d", topics=topics)
    found = [
        item for item in read_guarded("autojudge", options, one, two) if isinstance(item, Record)
    ]
    assert [name for name in ids(found) if name[0] == "r"] == [
        "r|1101|teamA/run1",
        "r|1101|teamB/run1",
    ]


def test_one_bad_line_costs_that_line(tmp_path: Path) -> None:
    """The others are taken; the problem names file and line."""
    records, problems = taken_from(tmp_path, report("a"), "{bad", report("b", run="run2"))
    assert [name for name in ids(records) if name[0] == "r"] == ["r|1101|run1", "r|1101|run2"]
    (problem,) = problems
    assert problem.where == f"{tmp_path / 'runs.jsonl'}:2"
    assert problem.refused


def test_a_folder_is_its_files_by_name(tmp_path: Path) -> None:
    """Sub-folders, hidden files, the topics and the documents among them are no runs."""
    runs = tmp_path / "runs"
    (runs / "inside").mkdir(parents=True)
    topics = lines(runs / "a-topics.jsonl", *TOPICS)
    documents = lines(runs / "b-documents.jsonl", POOLS)
    lines(runs / ".hidden", "no JSON")
    lines(runs / "inside" / "x.jsonl", "no JSON")
    lines(runs / "run.txt", report(("x", ["a"])))
    found, problems = read(runs, "autojudge", topics=topics, documents=documents)
    assert problems == []
    assert ids(found) == ["r|1101|run1", "c|1101|run1|0|a", "d|1101|a"]
    assert {record.sample.dataset for record in found} == {"runs"}


def test_documents_of_a_file_are_those_that_are_cited(tmp_path: Path) -> None:
    """What a report holds itself comes first; what nobody cites is nobody's."""
    named = {"docid": "b", "text": "Another text."}
    file = lines(tmp_path / "documents.jsonl", POOLS, named, {"id": "c", "text": "Unread."})
    row = report(("x", ["b", "a"]), documents={"b": UNDER})
    records, problems = taken_from(tmp_path, row, documents=file)
    assert problems == []
    whole = by_id(records)["r|1101|run1"].sample
    assert [(one.key, one.title) for one in whole.side(Side.SOURCE)] == [("b", ""), ("a", "Pools")]
    assert whole.document(Side.SOURCE).text == "Crabs hide under rocks."
    assert [name for name in ids(records) if name[0] == "d"] == ["d|1101|b", "d|1101|a"]


def test_of_two_texts_under_one_id_the_first_is_kept(tmp_path: Path) -> None:
    """Each report keeps its own; the topic's document is the first, and the doubt is told."""
    rows = [
        report(("x", ["a"]), run="run1", documents={"a": POOLS}),
        report(("x", ["a"]), run="run2", documents={"a": POOLS | {"text": "Other."}}),
    ]
    records, problems = taken_from(tmp_path, *rows)
    found = by_id(records)
    assert found["d|1101|a"].sample.document(Side.SOURCE).text.endswith("Anemones sting.")
    assert found["c|1101|run2|0|a"].sample.document(Side.SOURCE).text == "Pools\n\nOther."
    (problem,) = problems
    assert not problem.refused
    assert problem.where == f"{tmp_path / 'runs.jsonl'}:2"
    assert "'a'" in problem.message


def test_documents_of_a_topic_come_in_the_order_of_its_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each once, with all runs that have it, also where texts are too long to be kept at hand."""
    long = {key: {"text": f"{key} " * 300} for key in "abc"}
    rows = [
        report("x", run="run2", documents={"c": long["c"], "a": long["a"]}),
        report("x", run="run1", documents={"b": long["b"], "c": long["c"]}),
    ]
    plain = taken_from(tmp_path, *rows)
    monkeypatch.setattr(samples, "LARGEST_CACHE", 700)
    records, problems = taken_from(tmp_path, *rows)
    assert (records, problems) == plain
    found = {name[7:]: one.sample for name, one in by_id(records).items() if name[0] == "d"}
    runs = {name: sample.meta["runs"] for name, sample in found.items()}
    assert list(runs.items()) == [("b", ["run1"]), ("c", ["run1", "run2"]), ("a", ["run2"])]


def test_a_document_without_text_is_not_available(tmp_path: Path) -> None:
    """The report is taken, its citation has no source, and each doubt says why."""
    documents = {"a": POOLS | {"text": None}, "b": {"text": " "}, "c": {"text": "x", "url": 7}}
    row = report(("x", ["a", "b", "c"]), documents={**documents, "d": []})
    records, problems = taken_from(tmp_path, row)
    assert ids(records) == ["r|1101|run1", *(f"c|1101|run1|0|{key}" for key in "abc")]
    assert not any(record.sample.side(Side.SOURCE) for record in records)
    assert not any(problem.refused for problem in problems)
    assert len(problems) == 4
    for problem, key in zip(problems, "abcd", strict=True):
        assert f"'{key}'" in problem.message


def test_a_blank_sentence_keeps_its_place(tmp_path: Path) -> None:
    """It is told and can not be judged; those behind it are counted as before."""
    records, problems = taken_from(tmp_path, report("One.", " ", "Three."))
    assert ids(records) == ["r|1101|run1", "c|1101|run1|0", "c|1101|run1|2"]
    whole = records[0].sample
    assert whole.document(Side.SUMMARY).text == "One.   Three."
    extents = [(one["start"], one["end"]) for one in whole.meta["sentences"]]
    assert extents == [(0, 4), (5, 5), (7, 13)]
    (problem,) = problems
    assert not problem.refused
    assert "1" in problem.message


def test_an_empty_report_has_its_documents_or_is_refused(tmp_path: Path) -> None:
    """Something must be there to look at."""
    rows = [report(run="run1", documents={"a": POOLS}), report(run="run2")]
    records, problems = taken_from(tmp_path, *rows)
    assert ids(records) == ["r|1101|run1", "d|1101|a"]
    assert [one.side for one in records[0].sample.documents] == [Side.SOURCE]
    (problem,) = problems
    assert (problem.where, problem.refused) == (f"{tmp_path / 'runs.jsonl'}:2", True)


def test_a_run_has_one_report_on_a_topic(tmp_path: Path) -> None:
    """The same once more is nothing new; another one is refused."""
    records, problems = taken_from(tmp_path, report("a"), report("a"), report("b"))
    assert ids(records) == ["r|1101|run1", "c|1101|run1|0"]
    (problem,) = problems
    assert problem.where == f"{tmp_path / 'runs.jsonl'}:3"
    assert problem.refused
    assert "'1101'" in problem.message


def test_topics_that_are_asked_for_alone_are_read(tmp_path: Path) -> None:
    """Reports on the others are passed over; those on a topic nobody knows are told."""
    rows = [report("a"), report("b", topic="1102"), report("c", topic="9")]
    records, problems = taken_from(tmp_path, *rows, topic=("1102",))
    assert ids(records) == ["r|1102|run1", "c|1102|run1|0"]
    (problem,) = problems
    assert "'9'" in problem.message
    assert str(tmp_path / "topics.jsonl") in problem.message
    with pytest.raises(NotFound, match="'1103'"):
        taken_from(tmp_path, *rows, topic=("1103",))


@pytest.mark.parametrize(
    ("topic", "message"),
    [
        ([], "the topic is a list, not a JSON object"),
        ({"title": "x"}, "'request_id' is missing"),
        ({"title": "x", "request_id": None}, "'request_id' is an empty value (null), not text"),
        ({"request_id": 7, "title": "x"}, "'request_id' is a number (7), not text"),
        ({"request_id": "7"}, "'title' is missing"),
        ({"request_id": "7", "title": "x", "narrative_id": 8}, "'narrative_id' is 8"),
        ({"request_id": "7", "title": "x", "background": 1}, "'background' is a number (1)"),
        ({"request_id": "1101", "title": "x"}, "duplicate topic '1101'"),
    ],
)
def test_a_bad_topic_costs_that_topic(tmp_path: Path, topic: Any, message: str) -> None:
    """It is told with its line; blank lines are nothing."""
    topics = [TOPICS[0], "", topic, TOPICS[1]]
    records, problems = taken_from(tmp_path, report("a", topic="1102"), topics=topics)
    assert ids(records) == ["r|1102|run1", "c|1102|run1|0"]
    (problem,) = problems
    assert problem.where == f"{tmp_path / 'topics.jsonl'}:3"
    assert message in problem.message


def test_a_bad_document_of_a_file_costs_that_document(tmp_path: Path) -> None:
    """Those with two texts, without an id or without text are told with their lines."""
    file = lines(
        tmp_path / "documents.jsonl", POOLS, {"text": "x"}, {"id": "b"}, POOLS | {"text": "y"}, []
    )
    _, problems = taken_from(tmp_path, report(("x", ["a"])), documents=file)
    assert [problem.where.rpartition(":")[2] for problem in problems] == ["2", "3", "4", "5"]


def test_reports_without_topics_are_refused_at_once(tmp_path: Path) -> None:
    """Nothing is guessed: the hint names the option."""
    runs = lines(tmp_path / "runs.jsonl", report("a"))
    with pytest.raises(InvalidInput) as refused:
        read(runs, "autojudge")
    assert "--topics" in refused.value.hint


def test_what_is_no_report_needs_no_topics(tmp_path: Path) -> None:
    """Lines of nothing known are told one by one; they are no reason to ask for an option."""
    records, problems = read(lines(tmp_path / "x.jsonl", {"foo": 1}, "7"), "autojudge")
    assert records == []
    assert [problem.where.rpartition(":")[2] for problem in problems] == ["1", "2"]
    assert "(7)" in problems[1].message


def test_names_with_a_bar_never_make_one_id_of_two(tmp_path: Path) -> None:
    """The second sample of an id is refused; the first stays."""
    rows = [
        report(("x", ["b"]), run="a|0"),
        report(("y", ["0|b"]), run="a", team="teamB", documents={"0|b": UNDER}),
    ]
    records, problems = taken_from(tmp_path, *rows)
    assert len(set(ids(records))) == len(records)
    assert [problem.refused for problem in problems] == [True]


def test_hostile_files_cost_lines_not_the_run(tmp_path: Path) -> None:
    """Half characters, deep nesting and bytes of no text are told; the good line is taken."""
    deep = '{"metadata": ' + "[" * 5000 + "]" * 5000 + "}"
    half = json.dumps(report("a\ud83d", run="half"))
    runs = tmp_path / "runs.jsonl"
    good = json.dumps(report("Fine \x1b[2J.", run="good"))
    runs.write_bytes(f"{good}\n{deep}\n{half}\n7".encode() + b"\n\xff\n")
    topics = lines(tmp_path / "topics.jsonl", *TOPICS)
    records, problems = read(runs, "autojudge", topics=topics)
    assert ids(records) == ["r|1101|good", "c|1101|good|0"]
    assert [problem.where.rpartition(":")[2] for problem in problems] == ["2", "3", "4", "5"]


def test_a_line_of_sixteen_megabytes_is_read(tmp_path: Path) -> None:
    """A document is left out by its own length alone, beyond 8,000,000 characters."""
    documents = {f"d{n}": {"text": f"{n} " + "word " * 800_000} for n in range(4)}
    rows = [report(("x", ["d1"]), documents=documents)]
    rows.append(report("x", run="long", documents={"e": {"text": "a" * 8_000_001}}))
    records, problems = taken_from(tmp_path, *rows)
    assert (tmp_path / "runs.jsonl").stat().st_size > 16 * 10**6
    assert {"c|1101|run1|0|d1", "c|1101|long|0"} <= {*ids(records)}
    assert ids(records)[-4:] == [f"d|1101|d{number}" for number in range(4)]
    (problem,) = problems
    for value in ("'e'", "8,000,001", "8,000,000"):
        assert value in problem.message


@settings(max_examples=example_limit(60), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_whatever_a_report_holds_it_is_taken_or_told(data: st.DataObject) -> None:
    """Any value in any place: records with ids of their own, or problems; never a traceback."""
    sound = report(("One.", ["a"]), ("Two.", None), documents={"a": POOLS}, references=["a"])
    row = data.draw(altered(sound))
    with TemporaryDirectory() as folder:
        try:
            records, problems = taken_from(Path(folder), json.dumps(row))
        except TuiAnnotateError:
            return
    assert len(set(ids(records))) == len(records)
    assert records or problems


@settings(max_examples=example_limit(30), deadline=None)
@given(
    st.lists(
        st.tuples(st.text(max_size=12), st.lists(st.sampled_from("abc"), max_size=3)), max_size=5
    )
)
def test_a_report_holds_its_sentences_where_it_says(
    sentences: list[tuple[str, list[str]]],
) -> None:
    """Joined by one space: each extent covers its sentence, and citations count each id once."""
    sentences = [(text.encode("utf-8", "replace").decode(), cited) for text, cited in sentences]
    with TemporaryDirectory() as folder:
        documents = {"a": POOLS, "b": UNDER}
        records, _ = taken_from(Path(folder), report(*sentences, documents=documents))
    whole = records[0].sample
    text = "".join(one.text for one in whole.side(Side.SUMMARY))
    assert text == (joined if (joined := " ".join(text for text, _ in sentences)).strip() else "")
    for (words, cited), reported in zip(sentences, whole.meta["sentences"], strict=True):
        assert reported["citations"] == cited
        assert text[reported["start"] : reported["end"]] == (words if words.strip() else "")
    citations = [record.sample for record in records if record.sample.kind is SampleKind.CITATION]
    assert len(citations) == sum(
        max(len(set(cited)), 1) for words, cited in sentences if words.strip()
    )


def test_the_sample_collection_is_whole() -> None:
    """Three topics, four runs of three teams, every way to cite, and what can be missing."""
    folder = ROOT / "sample_data" / "autojudge"
    options = {"topics": folder / "topics.jsonl", "documents": folder / "documents.jsonl"}
    records, problems = read(folder / "runs", "autojudge", dataset="demo", **options)
    assert problems == []
    found = [record.sample for record in records]
    reports = [sample for sample in found if sample.kind is SampleKind.REPORT]
    runs = {(one.meta["team_id"], one.meta["run_id"]) for one in reports}
    assert len({one.meta["topic_id"] for one in reports}) == 3
    assert runs == {
        ("heron", "base"), ("osprey", "base"), ("osprey", "rerank"), ("plover", "hybrid")
    }  # fmt: skip
    cited = [sample for sample in found if sample.kind is SampleKind.CITATION]
    assert any(one.meta["docid"] is None for one in cited)
    assert any(one.meta["docid"] and not one.side(Side.SOURCE) for one in cited)
    assert {one.language for sample in found for one in sample.documents} == {"en", "zh"}
    assert any(max(one.document(Side.SUMMARY).text) > "\uffff" for one in reports)
    rows = [json.loads(row) for file in folder.glob("runs/*") for row in file.open("rb")]
    shapes = {
        type(next(iter(each))) if isinstance(each, list) else dict
        for row in rows
        for sentence in row.get("responses", row.get("answer"))
        if (each := sentence.get("citations"))
    }
    assert shapes == {str, int, dict}


def test_the_reader_says_so_where_it_is_looked_up() -> None:
    """It is one that reads files together, by its name."""
    assert registry.load("importers", "autojudge").name == "autojudge"
