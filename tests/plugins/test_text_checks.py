"""Columns whose names promise texts are looked at; lists of texts are several documents."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.helpers.errors import has_code
from tests.helpers.report_files import report_file
from tests.plugins.record_reader import file, read
from tests.plugins.test_workbooks import workbook
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.text_lists import parse_text_list

SOURCE = "The mill by the river was built in 1874 and sold to the town in 1931."
SUMMARY = "The mill was built in 1871."
OTHER = 'It\'s owner sold it in "1931".'


def table(folder: Path, kind: str, rows: list[dict[str, Any]]) -> Path:
    """A file of the kind `jsonl`, `json`, `csv`, `tsv` or `xlsx` with the rows."""
    if kind == "jsonl":
        return file(folder, "a.jsonl", "\n".join(map(json.dumps, rows)))
    if kind == "json":
        return file(folder, "a.json", json.dumps(rows))
    cells = [list(rows[0]), *([str(value) for value in row.values()] for row in rows)]
    if kind == "xlsx":
        return workbook(folder / "a.xlsx", one=cells)
    target = io.StringIO(newline="")
    csv.writer(target, delimiter="\t" if kind == "tsv" else ",").writerows(cells)
    return file(folder, f"a.{kind}", target.getvalue())


KINDS = ["jsonl", "json", "csv", "tsv", "xlsx"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "row",
    [
        {"text": SOURCE, "answer": "accept"},
        {"article": SOURCE, "output": "1"},
        {"article": SOURCE, "answer": "yes"},
        {"article": "https://example.org/1", "summary": SUMMARY},
        {"article": "www.example.org/a?b", "news": SOURCE, "summary": SUMMARY},
        {"source": "https://example.org/1", "news": SOURCE, "summary": SUMMARY},
        {"source": SOURCE, "text": SUMMARY, "answer": "reject"},
        {"question": "When was the mill built?", "answer": SUMMARY},
        {"prompt": "When was the mill built?", "completion": SUMMARY},
        {"input": "Who owned the mill?", "output": SUMMARY},
        {"model_input": "Tell me about the mill", "output_text": SUMMARY + " In 1874."},
        {"prompt": f"{SOURCE} {SUMMARY}", "completion": "It was in <mark>1874</mark><del>1</del>."},
        {"prompt": SOURCE, "answer": "The mill was built in [HAL]1871[/HAL]."},
    ],
)
def test_a_name_alone_does_not_make_a_text(tmp_path: Path, kind: str, row: dict[str, Any]) -> None:
    """Verdicts, numbers, links, questions and tagged texts are asked about in each kind of file."""
    rows = [row, {name: f"{value} " if " " in value else value for name, value in row.items()}]
    with pytest.raises(InvalidInput, check=has_code("columns-ambiguous")):
        read(table(tmp_path, kind, rows))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("row", "named"),
    [
        ({"text": SOURCE, "answer": "accept"}, ("text", "answer")),
        ({"q": "Who?", "answer": SUMMARY}, ("q", "answer")),
        ({"prompt": SOURCE, "completion": "A <mark>x</mark>."}, ("prompt", "completion")),
    ],
)
def test_named_columns_always_win(
    tmp_path: Path, kind: str, row: dict[str, str], named: tuple[str, str]
) -> None:
    """What the user names is read as it is."""
    path = table(tmp_path, kind, [row])
    records, problems = read(path, source_column=named[0], summary_column=named[1])
    assert problems == []
    assert [each.text for each in records[0].sample.documents] == [row[name] for name in named]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("row", "texts"),
    [
        ({"source": "bbc", "article": SOURCE, "summary": SUMMARY}, [SOURCE, SUMMARY]),
        ({"passage": SOURCE, "summary": SUMMARY, "answer": "yes"}, [SOURCE, SUMMARY]),
        ({"text": SOURCE, "model_summary": SUMMARY, "output": "1"}, [SOURCE, SUMMARY]),
        ({"passage": SOURCE, "tagged": f"{SUMMARY} [HAL]x[/HAL]", "llm_says": SUMMARY},
         [SOURCE, SUMMARY]),
        ({"question": "When was it built?", "context": SOURCE, "answer": SUMMARY},
         [SOURCE, SUMMARY]),
        ({"prompt": f"{SOURCE} " * 3 + "When was it?", "answer": SUMMARY},
         [f"{SOURCE} " * 3 + "When was it?", SUMMARY]),
        ({"source": "A", "summary": "B"}, ["A", "B"]),
        ({"document": "<p>The mill was sold.</p>", "summary": "<b>Sold</b> in 1931."},
         ["<p>The mill was sold.</p>", "<b>Sold</b> in 1931."]),
        ({"document": "磨坊建于1874年，后来出售。", "summary": "磨坊建于1871年"},
         ["磨坊建于1874年，后来出售。", "磨坊建于1871年"]),
    ],
)  # fmt: skip
def test_texts_are_still_found(
    tmp_path: Path, kind: str, row: dict[str, str], texts: list[str]
) -> None:
    """A column with texts is chosen before one with the better name and no texts."""
    records, _ = read(table(tmp_path, kind, [row]))
    assert [each.text for each in records[0].sample.documents] == texts


@pytest.mark.parametrize(
    ("cell", "texts"),
    [
        (json.dumps([SOURCE, OTHER]), [SOURCE, OTHER]),
        (repr([SOURCE, OTHER]), [SOURCE, OTHER]),
        (f"['{SOURCE}'\n \"It's owner\"]", [SOURCE, "It's owner"]),
        (f"['{SOURCE}' 'b']", [SOURCE, "b"]),
        (f"['{SOURCE}']", [SOURCE]),
        ("['a\\nb', \"c\\\\d\"]", ["a\nb", "c\\d"]),
        ("[1] The mill was built.", None),
        ("['a', 1]", None),
        ("['a' + 'b']", None),
        ("[b'a']", None),
        ("{'a': 1}", None),
        ("The mill", None),
        ("['a", None),
        ("['a'] and ['b']", None),
        ("", None),
    ],
)
def test_lists_are_parsed_as_programs_print_them(cell: str, texts: list[str] | None) -> None:
    """JSON, Python and NumPy; without commas, the texts are not joined."""
    assert parse_text_list(cell) == texts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "column", ["contexts", "retrieved_contexts", "documents", "source", "Knowledge"]
)
def test_a_list_of_texts_is_several_documents(tmp_path: Path, kind: str, column: str) -> None:
    """A list in JSON, and a cell with the text of a list, have the documents in their order."""
    row = {column: [SOURCE, OTHER], "response": SUMMARY, "note": "x"}
    records, problems = read(table(tmp_path, kind, [row]))
    assert problems == []
    sources = records[0].sample.side(Side.SOURCE)
    assert [each.text for each in sources] == [SOURCE, OTHER]
    assert len({each.key for each in sources}) == 2


def test_only_a_column_of_lists_is_read_as_lists(tmp_path: Path) -> None:
    """One text that looks like a list stays a text; a shortened list is refused with the reason."""
    rows = [{"source": f'["{SOURCE}"]', "summary": SUMMARY}, {"source": SOURCE, "summary": SUMMARY}]
    records, (problem,) = read(table(tmp_path, "csv", rows))
    assert [each.sample.documents[0].text for each in records] == [f'["{SOURCE}"]', SOURCE]
    assert (problem.code, problem.refused) == ("list-as-text", False)
    rows = [{"source": f"['{SOURCE}' ... 'z']", "summary": SUMMARY},
            {"source": f"['{SOURCE}' + 'z']", "summary": SUMMARY},
            {"source": f"['{SOURCE}', 'z']", "summary": SUMMARY}]  # fmt: skip
    records, problems = read(table(tmp_path, "csv", rows))
    assert [len(each.sample.documents) for each in records] == [3]
    assert [each.refused for each in problems] == [True, True]
    assert problems[0].code == "list-cut"


@pytest.mark.parametrize("kind", KINDS)
def test_a_plain_cell_does_not_change_the_lists_of_its_column(tmp_path: Path, kind: str) -> None:
    """Lists in most cells are several documents; the other cell is one."""
    cells = [str([SOURCE, OTHER]), str([OTHER, SOURCE]), SOURCE]
    records, problems = read(
        table(tmp_path, kind, [{"contexts": cell, "answer": SUMMARY} for cell in cells])
    )
    assert problems == []
    sources = [[each.text for each in one.sample.side(Side.SOURCE)] for one in records]
    assert sources == [[SOURCE, OTHER], [OTHER, SOURCE], [SOURCE]]


@pytest.mark.parametrize("value", [[{"start": 22, "end": 26}], [[22, 26]], [[22, 26, "X"]]])
def test_spans_that_are_not_read_are_named(tmp_path: Path, value: Any) -> None:
    """The warning has the column and the option; with the option, there is none."""
    row = {"document": SOURCE, "summary": SUMMARY, "labels": value}
    _, (problem,) = read(table(tmp_path, "jsonl", [row]))
    assert (problem.code, problem.refused) == ("spans-unread", False)
    assert "--span-column labels" in problem.hint


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "spans",
    [
        [{"start": 22, "end": 26, "text": SUMMARY[22:26], "labels": ["A"]}] * 9,
        [{"text": SUMMARY[22:26], "start_offset": 22, "end_offset": 26}] * 9,
        [[22, 26, "A"]] * 9,
    ],
)
@pytest.mark.parametrize("at", [0, 1, 60])
def test_a_cut_list_of_spans_is_named_with_its_row(
    tmp_path: Path, kind: str, spans: list[Any], at: int
) -> None:
    """Also if it is the only list, or a late row of a table; with the option, the span is refused.

    A table of Label Studio without its columns of times is read like other tables.
    """
    texts = {"annotation_id": 1, "annotator": "ana", "source": SOURCE, "summary": SUMMARY}
    whole = json.dumps(spans)
    cut = whole[:-5]
    rows = [texts | {"claim": cut if number == at else whole} for number in range(at + 1)]
    path = table(tmp_path, kind, rows)
    records, problems = read(path)
    assert len(records) == at + 1
    (unread,) = [each for each in problems if each.code == "spans-unread"]
    assert "'claim'" in unread.message
    (refused,) = [each for each in problems if each.refuses_part]
    assert "'claim'" in refused.message
    assert refused.where == records[at].where
    _, problems = read(path, span_column="claim")
    (again,) = [each for each in problems if each.refuses_part]
    assert (again.where, again.code) == (refused.where, refused.code)
    assert again.message.startswith(refused.message)


@pytest.mark.parametrize(
    "cell", ['[{"name": "start"', "[1] The mill", '["start", "end"', '[{"start": 1, "end": 2}]']
)
def test_other_cells_are_no_cut_lists_of_spans(tmp_path: Path, cell: str) -> None:
    """Only a list with offsets that has no end is one."""
    row = {"source": SOURCE, "summary": SUMMARY, "more": cell}
    _, problems = read(table(tmp_path, "csv", [row]))
    assert not any(each.refuses_part for each in problems)


REPORTS = [
    ("23/prodigy.jsonl", None),
    ("23/prodigy2.jsonl", None),
    ("23/argilla.json", None),
    ("23/annotated_instances.jsonl", None),
    ("23b/answer_label.jsonl", [("The mill by", "The mill was"), ("The mill by", "It burned")]),
    ("23b/doc_url.csv", [("The mill by", "The mill was"), ("The mill by", "It burned")]),
    ("23b/doc_url2.csv", None),
    ("23b/labels_source_id.jsonl", [("The mill by", "The mill was")]),
    ("23b/output_class.csv", [("The mill by", "The mill was"), ("The mill by", "It burned")]),
    ("23b/source_dict.jsonl", None),
    ("23b/responses_extra.jsonl", [("The mill by", "The mill was")]),
    ("23b/responses_obj.jsonl", [("The mill by", "The mill was")]),
    ("23b/text_entities.jsonl", [("The mill by", "The mill was")]),
    ("35/expertqa.jsonl", None),
    ("35/factcc.jsonl", [("The mill by", "The mill was")]),
    ("35/fava.jsonl", None),
    ("35/hallumix.jsonl", [("The mill by", "Second doc", "The mill was")]),
    ("35/halubench.jsonl", [("The mill by", "The mill was")]),
    ("35/lettuce.jsonl", [("The mill by", "The mill was")]),
    ("35/mturk_cnndm.jsonl", None),
    ("35/psiloqa.jsonl", [("The mill by", "The mill was")]),
    ("35/ragbench.jsonl", [("The mill by", "Other.", "The mill was")]),
    ("35/summeval.jsonl", [("The mill by", "The mill was")]),
    ("55/plain.jsonl", [("The mill by", "The mill was")]),
    ("55/ragas_json.csv", [("The mill by", "It's owner", "The mill was")]),
    ("55/ragas_np.csv", [("The mill by", "It's owner", "The mill was")]),
    ("55/ragas_plain.csv", [("The mill by", "The mill was")]),
    ("55/ragas_py.csv", [("The mill by", "It's owner", "The mill was")]),
    ("55/strlist.jsonl", [("The mill by", "It's owner", "The mill was")]),
    ("61/pr.jsonl", None),
    ("61/qa.jsonl", None),
    ("61/rev.jsonl", None),
]


@pytest.mark.parametrize(("name", "beginnings"), REPORTS)
def test_texts_of_public_reports(name: str, beginnings: list[tuple[str, ...]] | None) -> None:
    """The texts are the right ones, or the columns are asked for (None)."""
    path = report_file(name)
    if beginnings is None:
        with pytest.raises(InvalidInput):
            read(path)
        return
    records, problems = read(path)
    assert not any(each.refused for each in problems)
    texts = [[each.text for each in record.sample.documents] for record in records]
    assert [len(each) for each in texts] == [len(each) for each in beginnings]
    for found, wanted in zip(texts, beginnings, strict=True):
        assert all(text.startswith(begin) for text, begin in zip(found, wanted, strict=True))


@pytest.mark.parametrize(
    "answers",
    [["1874", "the town", "1931"], ["the mill", "unknown", "sold"], ["磨坊", "建于", "x"]],
)
def test_short_answers_from_the_source_are_texts(tmp_path: Path, answers: list[str]) -> None:
    """Answers that quote their source need no sentences, if a good share of them do."""
    context = SOURCE.lower() + "磨坊建于1874年。"
    rows = [{"context": context, "answer": answer} for answer in answers]
    records, problems = read(table(tmp_path, "jsonl", rows))
    assert problems == []
    assert [record.sample.document(Side.SUMMARY).text for record in records] == answers


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        (["yes", "no"], "only short values (fewer than 3 words), for example 'yes'"),
        (["built", SUMMARY, "accept", "Oslo"], "mostly short values (fewer than 3 words)"),
        (["5", "4"], "no texts, for example '5'"),
        (["in", "to"], "only short values"),
        (["接受", "拒绝"], "only short values (fewer than 3 words), for example '接受'"),
        (["无法判断", "不确定"], "only short values"),
    ],
)
def test_other_short_answers_are_asked_about(
    tmp_path: Path, answers: list[str], shown: str
) -> None:
    """The message says what the column has, and the hint does not propose it."""
    rows = [{"context": SOURCE, "answer": answer} for answer in answers]
    with pytest.raises(InvalidInput) as caught:
        read(table(tmp_path, "csv", rows))
    assert shown in caught.value.message
    assert "--source-column context --summary-column COLUMN" in caught.value.hint
    _, (problem,) = read(tmp_path / "a.csv", source_column="nosuch")
    assert "no column 'nosuch'" in problem.message


@pytest.mark.parametrize("kind", KINDS)
def test_first_rows_without_a_summary_do_not_decide(tmp_path: Path, kind: str) -> None:
    """Each row without a summary is refused on its own, however many there are first."""
    empty = [{"document": f"{SOURCE} {number}", "answer": ""} for number in range(60)]
    rows = [*empty, {"document": SOURCE, "answer": SUMMARY}]
    (record,), problems = read(table(tmp_path, kind, rows))
    assert record.sample.document(Side.SUMMARY).text == SUMMARY
    assert len(problems) == 60
