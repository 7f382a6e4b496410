"""The choice of the columns with source and summary, by names, collections and texts."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.errors import has_code
from tests.helpers.terminal import ROOT
from tests.plugins.record_reader import file, read
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.formats.pairs import PairsFormat
from tui_annotate.plugins.pair_columns import find_columns, set_pair_columns
from tui_annotate.plugins.protocols import ColumnChoice, ImportOptions, PairColumns
from tui_annotate.plugins.record_validation import COLUMNS_AMBIGUOUS, COLUMNS_MISSING

LONG = (
    "The old stone bridge over the river cost 12 million pounds, and the mayor opened it in 1889."
)
SHORT = "The mayor opened the old bridge over the river in 1889."
OTHER = "A sentence about cats, dogs and birds that shares no content with its neighbours at all."


def find(row: dict[str, Any], **options: Any) -> ColumnChoice:
    """The choice for a table with one row."""
    return find_columns("a.csv", [row], ImportOptions(**options))


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("source", "summary"),
        ("document", "claim"),
        ("article", "highlights"),
        ("article", "summary"),
        ("context", "answer"),
        ("text", "summary"),
        ("doc", "summ"),
        ("premise", "hypothesis"),
        ("input", "output"),
        ("passage", "response"),
        ("source", "target"),
        ("原文", "摘要"),
    ],
)
def test_columns_are_chosen_by_their_names_in_any_case(source: str, summary: str) -> None:
    """Names decide before texts: also if the summary is longer, and next to other columns."""
    for change in (str, str.upper, str.title, lambda name: f" {name} "):
        pair = (change(source), change(summary))
        choice = find({"question": LONG, pair[1]: LONG, "title": SHORT, pair[0]: "A."})
        assert choice.is_certain
        assert choice.columns == PairColumns(*pair)


@pytest.mark.parametrize(
    ("title", "columns", "chosen"),
    [
        ("AggreFact", "dataset origin id doc summary model_name label cut", "doc summary id"),
        ("AggreFact", "dataset origin id doc summ cut error_type", "doc summ id"),
        ("FRANK", "hash model_name article summary reference", "article summary hash"),
        ("SummaC", "document claim label cut", "document claim"),
        ("TRUE", "grounding generated_text label", "grounding generated_text"),
        (
            "HaluEval",
            "document right_summary hallucinated_summary",
            "document hallucinated_summary",
        ),
        (
            "HaluEval",
            "knowledge question right_answer hallucinated_answer",
            "knowledge hallucinated_answer",
        ),
        (
            "HaluEval",
            "knowledge dialogue_history right_response hallucinated_response",
            "knowledge hallucinated_response",
        ),
        ("HaluEval", "ID user_query chatgpt_response hallucination", "user_query chatgpt_response"),
        ("RAGTruth", "query context output hallucination_labels", "context output"),
        (
            "UHGEval",
            "id headLine newsBeginning hallucinatedContinuation newsRemainder",
            "newsBeginning hallucinatedContinuation",
        ),
    ],
)
def test_a_known_collection_is_recognized_by_its_columns(
    title: str, columns: str, chosen: str
) -> None:
    """The choice names the collection, in any order of the columns."""
    row = dict.fromkeys(reversed(columns.split()), LONG)
    choice = find(row)
    assert choice.is_collection
    assert title in str(choice)
    second = "newsRemainder" if title == "UHGEval" else ""
    assert choice.columns == PairColumns(*chosen.split())._replace(second_source=second)


def test_cliff_is_distinguished_from_aggrefact_by_its_rows() -> None:
    """Both have the same columns; the value of `dataset` names the collection CLIFF."""
    row = {"dataset": "CLIFF", "id": "1", "doc": LONG, "summ": SHORT, "annotated_span": "x"}
    assert "CLIFF" in str(find(row))
    assert "AggreFact" in str(find(row | {"dataset": "Goyal21"}))


def test_texts_decide_where_names_do_not() -> None:
    """The longer text that contains the words of the shorter one is the source."""
    row = {"id": "7", "url": "https://a.example/b/c", "resumen": SHORT, "texto": LONG}
    choice = find(row)
    assert choice.is_certain
    assert choice.columns == PairColumns("texto", "resumen")


def test_a_title_is_not_mistaken_for_a_summary() -> None:
    """Between two texts of the source's words, the one with the length of a summary is chosen."""
    row = {"titolo": "The old bridge", "testo": f"{LONG} {OTHER}", "sunto": f"{SHORT} A bridge."}
    assert find(row).columns[:2] == ("testo", "sunto")


@pytest.mark.parametrize(
    "row",
    [
        {"article": LONG, "highlights": SHORT, "summary": SHORT},
        {"a": LONG, "b": OTHER},
        {"a": SHORT, "b": SHORT},
        {"question": f"{LONG} {OTHER}", "answer": SHORT},
    ],
)
def test_an_unclear_choice_is_not_made(row: dict[str, Any], tmp_path: Path) -> None:
    """An import without a callback is refused with options that name the likely columns."""
    choice = find(row)
    assert not choice.is_certain
    assert {*choice.columns} - {""} <= row.keys()
    path = file(tmp_path, "a.jsonl", json.dumps(row))
    with pytest.raises(InvalidInput, check=has_code("columns-ambiguous")) as caught:
        read(path)
    assert choice.columns.options in caught.value.hint
    chosen = read(path, choose_columns=lambda choice: choice.candidates[-1])
    assert len(chosen[0]) == 1


@pytest.mark.parametrize(
    ("row", "request_column", "side"),
    [
        ({"question": SHORT, "answer": LONG}, "question", "source"),
        ({"Model Input": "Name the builder of it", "answer": LONG}, "Model Input", "source"),
        ({"ask": "When was the bridge opened?", "answer": LONG}, "ask", "source"),
        ({"question": SHORT, "answer": LONG, "context": ""}, "question", "source"),
        ({"context": LONG, "question": SHORT}, "question", "summary"),
    ],
)
def test_questions_are_proposed_neither_as_source_nor_as_summary(
    row: dict[str, Any], request_column: str, side: str, tmp_path: Path
) -> None:
    """The error names the text that the file lacks, and no command with the column of questions."""
    with pytest.raises(InvalidInput, check=has_code("columns-ambiguous")) as caught:
        find(row)
    assert f"no {side} text" in caught.value.message
    assert repr(request_column) in caught.value.message
    assert f"--{side}-column {request_column}" not in caught.value.hint
    for name in ("a.csv", "a.jsonl"):
        path = file(tmp_path, name, json.dumps(row))
        if name == "a.csv":
            with path.open("w", encoding="utf-8", newline="") as target:
                csv.writer(target).writerows([row.keys(), row.values()])
        with pytest.raises(InvalidInput, check=has_code("columns-ambiguous")):
            read(path)
    named = find(row, **{f"{side}_column": request_column})
    assert getattr(named.columns, side) == request_column


def test_one_possible_pair_of_columns_is_not_called_ambiguous() -> None:
    """The question to the user names the pair, and does not speak of several ones."""
    one, several = (
        find(row)
        for row in ({"article": LONG, "b": OTHER}, {"article": LONG, "b": OTHER, "c": OTHER})
    )
    assert [one.is_certain, several.is_certain] == [False, False]
    assert "only possible" in one.question
    assert "ambiguous" in several.question
    assert "ambiguous" not in one.question


@pytest.mark.parametrize(
    ("names", "options", "columns"),
    [
        (("source", "summary"), {"source_column": "summary"}, None),
        (("source", "summary"), {"summary_column": "source"}, None),
        (("document", "claim"), {"source_column": "claim"}, None),
        (("document", "claim"), {"summary_column": "document"}, None),
        (("source", "summary"), {"source_column": "source"}, ("source", "summary")),
        (("summary", "highlights"), {"source_column": "summary"}, ("summary", "highlights")),
        (("source", "document"), {"summary_column": "source"}, ("document", "source")),
    ],
)
def test_a_column_of_one_text_is_not_guessed_for_the_other(
    names: tuple[str, str], options: dict[str, str], columns: tuple[str, str] | None
) -> None:
    """If no other column is certain, the user is asked, with two different columns."""
    choice = find(dict(zip(names, (LONG, SHORT), strict=True)), **options)
    assert choice.is_certain == (columns is not None)
    for pair in choice.candidates:
        assert pair.source != pair.summary
    if columns:
        assert choice.columns[:2] == columns


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.csv"])
@pytest.mark.parametrize("named", [{"source_column": "summary"}, {"summary_column": "source"}])
def test_no_file_is_read_with_one_column_for_both_texts(
    tmp_path: Path, name: str, named: dict[str, str]
) -> None:
    """The columns are ambiguous, or in a table without texts, the other one is missing."""
    for texts, is_missing in (((LONG, SHORT), False), (("A.", "B."), True)):
        row = dict(zip(("source", "summary"), texts, strict=True))
        lines = [",".join(row), ",".join(f'"{text}"' for text in texts)]
        content = json.dumps(row) if name.endswith("jsonl") else "\n".join(lines)
        path = file(tmp_path, name, content)
        if is_missing:
            records, (problem,) = read(path, "pairs", **named)
            assert (records, problem.refused, problem.code) == ([], True, COLUMNS_MISSING)
            assert "you named" in problem.message
        else:
            with pytest.raises(InvalidInput, check=has_code(COLUMNS_AMBIGUOUS)):
                read(path, "pairs", **named)


def test_a_text_of_label_studio_is_not_both_texts(tmp_path: Path) -> None:
    """The default column of the summary is no source, unless both options name it."""
    path = file(tmp_path, "a.json", json.dumps([{"data": {"source": LONG, "summary": SHORT}}]))
    with pytest.raises(InvalidInput, check=has_code(COLUMNS_AMBIGUOUS)):
        read(path, "labelstudio", source_column="summary")


def test_a_column_of_a_collection_is_not_both_texts() -> None:
    """A collection names the other column, which the user may have named for this text."""
    with pytest.raises(InvalidInput, check=has_code(COLUMNS_AMBIGUOUS)):
        set_pair_columns("summac", ImportOptions(source_column="claim"))


def test_an_option_leaves_only_the_other_column_to_choose() -> None:
    """A named column is kept, and names or texts decide on the other one."""
    row = {"article": LONG, "highlights": SHORT, "summary": SHORT, "corpo": LONG}
    assert find(row, summary_column="summary").columns[:2] == ("article", "summary")
    assert find(row, source_column="corpo", summary_column="").candidates[0].source == "corpo"


@pytest.mark.parametrize("row", [{"a": "1", "b": "2"}, {"summary": SHORT}, {"a": 1, "b": [LONG]}])
def test_a_table_without_texts_has_no_columns_to_choose(row: dict[str, Any]) -> None:
    """The error lists the columns that exist."""
    with pytest.raises(InvalidInput, check=has_code(COLUMNS_MISSING)) as caught:
        find(row)
    assert all(repr(name) in caught.value.message for name in row)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_finds_known_names(tmp_path: Path, delimiter: str) -> None:
    """Columns with known names select comma, semicolon or tab, as the standard names do."""
    header = delimiter.join(["model", "Document", "Claim"])
    records, problems = read(file(tmp_path, "a.csv", f"{header}\nm{delimiter}A.{delimiter}B.\n"))
    assert problems == []
    assert records[0].sample.document(Side.SUMMARY).text == "B."


def test_example_data_with_foreign_names_are_understood(tmp_path: Path) -> None:
    """The program's own pairs, in English and Chinese, are found without their column names."""
    rows = [json.loads(line) for line in (ROOT / "sample_data/pairs.jsonl").open(encoding="utf-8")]
    names = {"source": "fonte", "summary": "sintesi"}
    path = tmp_path / "a.csv"
    with path.open("w", encoding="utf-8", newline="") as target:
        writer = csv.DictWriter(target, [names.get(name, name) for name in rows[0]])
        writer.writeheader()
        writer.writerows({names.get(key, key): value for key, value in row.items()} for row in rows)
    records, _ = read(path)
    found = [record.sample.document(Side.SUMMARY).text for record in records]
    assert found == [row["summary"] for row in rows]


def test_uhgeval_has_two_sources(tmp_path: Path) -> None:
    """The beginning and the remainder of a text are documents of their own, word for word."""
    row = {"newsBeginning": " One.", "newsRemainder": "\n Two. ", "hallucinatedContinuation": "S."}
    lines = (json.dumps(each) for each in (row, row | {"newsRemainder": " "}))
    (first, last), problems = read(file(tmp_path, "a.jsonl", "\n".join(lines)))
    assert problems == []
    texts = [(each.key, each.text) for each in first.sample.side(Side.SOURCE)]
    assert texts == [("newsBeginning", " One."), ("newsRemainder", "\n Two. ")]
    assert [each.text for each in last.sample.side(Side.SOURCE)] == [" One."]
    assert (first.sample.meta, last.sample.meta) == ({}, {"newsRemainder": " "})
    own = {"source_column": "newsRemainder", "summary_column": "hallucinatedContinuation"}
    chosen, _ = read(tmp_path / "a.jsonl", **own)
    assert [each.text for each in chosen[0].sample.side(Side.SOURCE)] == ["\n Two. "]


def test_a_second_source_is_an_option(tmp_path: Path) -> None:
    """A missing column is reported with its option."""
    path = file(tmp_path, "a.csv", "source,more,summary\nA.,B.,C.\n")
    (record,), _ = read(path, second_source_column="more")
    assert [each.text for each in record.sample.documents] == ["A.", "B.", "C."]
    _, (problem,) = read(path, second_source_column="mre")
    assert "--second-source-column more" in problem.hint


def test_stored_columns_of_the_same_header_decide_before_others(tmp_path: Path) -> None:
    """Stored columns without a header, as earlier versions wrote them, are used by every table."""
    row = {"text": LONG, "story": LONG, "note": OTHER, "out": SHORT}
    path = file(tmp_path, "a.json", json.dumps([row]))
    first = ImportOptions(source_column="story", summary_column="out")
    (record,) = PairsFormat().read(path, first)
    assert isinstance(record, Record)
    assert record.columns[:2] == ("story", "out")
    other = ("note", "out", "", "", "")
    for stored, source in [([other, record.columns], "story"), ([other], "note")]:
        (record,), _ = read(path, used_columns={"a": stored})
        assert record.columns[0] == source


@pytest.mark.parametrize("name", ["a.csv", "a.json"])
@pytest.mark.parametrize("second", ["mre", "document", "claim"])
def test_a_second_source_is_a_third_column(tmp_path: Path, name: str, second: str) -> None:
    """A second source that is missing, or is the source or summary, is refused in every table."""
    row = {"document": "A.", "claim": "B.", "more": "C."}
    texts = {"a.json": json.dumps([row]), "a.csv": "document,claim,more\nA.,B.,C.\n"}
    path = file(tmp_path, name, texts[name])
    if second == "mre":
        records, (problem,) = read(path, second_source_column=second)
        assert (records, problem.code) == ([], COLUMNS_MISSING)
        assert "--second-source-column more" in problem.hint
    else:
        with pytest.raises(InvalidInput) as caught:
            read(path, second_source_column=second)
        assert repr(second) in caught.value.message


@pytest.mark.parametrize("name", ["id", "ID", "_id", "sample_id", "exampleId", "uid", "doc id"])
def test_a_column_of_ids_is_named_if_row_numbers_are_used(name: str, tmp_path: Path) -> None:
    """The warning is at the first row, and its hint names the column as a word of a command."""
    rows = [{name: f"k{number}", "source": "A.", "summary": "B."} for number in range(2)]
    path = file(tmp_path, "a.json", json.dumps(rows))
    records, (problem,) = read(path)
    assert [record.sample.id for record in records] == ["1", "2"]
    assert not problem.refused
    assert problem.where == f"{path}, record 1"
    assert f"--id-column {shlex.quote(name)};" in problem.hint
    records, problems = read(path, id_column=name)
    assert [record.sample.id for record in records] == ["k0", "k1"]
    assert problems == []


def test_a_column_that_repeats_its_values_has_no_ids_of_samples(tmp_path: Path) -> None:
    """Several samples have one document; a column with an empty cell names no sample either."""
    for values in (["d1", "d1"], ["d1", ""], ["d1", None]):
        rows = [{"doc_id": value, "source": "A.", "summary": "B."} for value in values]
        assert read(file(tmp_path, "a.json", json.dumps(rows)))[1] == []
