"""Any dataset as runs and topics for a page, and the lines that the page returns."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.formats.laws import read, write
from tui_annotate.domain.records import Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKind, Side

SOURCE, SUMMARY = "The mill 👩 was built in 1874.", "The mill 👩 was built in 1871."
OTHER = "Anna Berg owned it."


def _pair(name: str = "a|1", summary: str = SUMMARY, **other: Any) -> Record:
    documents = (
        Document(Side.SOURCE, SOURCE),
        Document(Side.SOURCE, OTHER),
        Document(Side.SUMMARY, summary),
    )
    return Record(Sample("news", name, documents, **other))


def _written(folder: Path) -> tuple[list[Any], list[Any]]:
    topics = (folder / "topics.jsonl").read_text("utf-8").splitlines()
    runs = (folder / "runs" / "reports.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in topics], [json.loads(line) for line in runs]


def test_a_pair_is_a_topic_with_one_report(tmp_path: Path) -> None:
    """The whole summary is one sentence, which cites each source; no text is changed."""
    request = Request("", "What?", "I ask.", "Who owned the mill?")
    report = write([_pair(request=request)], "autojudge-page", tmp_path / "out")
    topics, runs = _written(tmp_path / "out")
    assert topics == [
        {
            "request_id": "a|1",
            "title": "Who owned the mill?",
            "problem_statement": "What?",
            "background": "I ask.",
        }
    ]
    ids = ["tui-source-1", "tui-source-2"]
    texts = zip(ids, (SOURCE, OTHER), strict=True)
    assert runs == [
        {
            "metadata": {"team_id": "tui-annotate", "run_id": "summary", "topic_id": "a|1"},
            "responses": [{"text": SUMMARY, "citations": ids}],
            "documents": {
                key: {"id": key, "text": text, "title": None, "url": None} for key, text in texts
            },
        }
    ]
    assert report.records == 1


def test_what_the_page_cannot_show_is_counted(tmp_path: Path) -> None:
    """A closing tag would end the page; of two samples with one key, one would be lost."""
    broken = _pair("b", f"{SUMMARY} </SCRIPT >")
    twin = _pair()
    twin = Record(Sample("other", twin.sample.id, twin.sample.documents))
    bare = Record(Sample("news", "c", (Document(Side.SOURCE, SOURCE),), kind=SampleKind.QUESTION))
    report = write([_pair(), broken, twin, bare], "autojudge-page", tmp_path / "out")
    topics, runs = _written(tmp_path / "out")
    assert (len(topics), len(runs), report.records) == (1, 1, 1)
    kinds = [kind for kind in report.lost if kind.startswith("samples ")]
    assert len(kinds) == 3


def test_a_report_leaves_as_its_own_run(tmp_path: Path) -> None:
    """It is read again with its citations; documents and citations need no line of their own."""
    topics = tmp_path / "in" / "topics.jsonl"
    topics.parent.mkdir()
    topics.write_text('{"request_id": "101", "title": "Tide pools"}')
    page = {"id": "d1", "text": "Crabs.", "title": "Pools", "url": None}
    run = {
        "metadata": {"team_id": "heron", "run_id": "base", "topic_id": "101"},
        "responses": [{"text": "Crabs hide.", "citations": ["d1"]}, {"text": "So."}],
        "documents": {"d1": page},
    }
    (tmp_path / "in" / "run.jsonl").write_text(json.dumps(run))
    records, _ = read(tmp_path / "in", "autojudge", dataset="rag")
    report = write(records, "autojudge-page", tmp_path / "out")
    assert _written(tmp_path / "out")[1] == [run]
    assert _written(tmp_path / "out")[0] == [{"request_id": "101", "title": "Tide pools"}]
    assert report.records == 1


def _line(view: str, *, spans: Any = (), report_spans: Any = (), **other: Any) -> dict[str, Any]:
    """A line as the page writes it: offsets in UTF-16 units."""
    pages = {
        f"tui-source-{number}": {"id": f"tui-source-{number}", "text": text, "title": None,
                                 "url": None}
        for number, text in enumerate((SOURCE, OTHER), 1)
    }  # fmt: skip
    sentence = {"text": SUMMARY, "citations": list(pages)}
    own = {"team_id": "tui-annotate", "run_id": "summary", "topic_id": "a|1"}
    report = {**own, "sentences": [sentence], "documents": pages}
    line = {
        "dataset": "news", "request_id": "a|1", "topic_id": "a|1", "username": "ana",
        "rating": "Bad", "comment": "", "spans": list(spans), **other,
    }  # fmt: skip
    if view == "report":
        return {**line, **own, "report": report}
    if view == "document":
        return {**line, "docid": "tui-source-2", "document": pages["tui-source-2"]}
    cited = {"report": report, "sentence_idx": 0, "sentence": sentence, "docid": "tui-source-1",
             "document": pages["tui-source-1"]}  # fmt: skip
    return {**line, "report_spans": list(report_spans), "citation": cited}


def _span(text: str, words: str) -> dict[str, Any]:
    start = len(text[: text.index(words)].encode("utf-16-le")) // 2
    return {"start": start, "end": start + len(words), "text": words}


def test_lines_of_a_pair_come_back_to_its_sample(tmp_path: Path) -> None:
    """Three views of one sample are one record, with each span at its place in the texts."""
    lines = [
        _line("report", spans=[_span(SUMMARY, "1871") | {"sentence_idx": 0}], comment="year"),
        _line(
            "citation",
            spans=[_span(SOURCE, "1874"), {"start": 0, "end": 3, "text": "cat"}],
            report_spans=[_span(SUMMARY, "1871")],
            rating="So-so",
        ),
        _line("document", spans=[_span(OTHER, "Berg")], username="bea", comment="who?"),
    ]
    path = tmp_path / "news-annotations.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    (record,), problems = read(path, "autojudge")
    assert record.sample.key == ("news", "a|1")
    assert record.sample.documents == _pair().sample.documents
    texts = {(one.side, at): one.text for at, one in enumerate(record.sample.side(Side.SOURCE))}
    texts[Side.SUMMARY, 0] = SUMMARY
    found = [
        (owned.person, anchor.span.of(texts[anchor.side, anchor.index]))
        for owned in record.annotations
        for anchor in owned.annotation.anchors
    ]
    assert sorted(found) == [("ana", "1871"), ("ana", "1874"), ("bea", "Berg")]
    works = {work.person: (work.rating, work.comment) for work in record.assignments}
    assert works == {"ana": ("Bad", "year"), "bea": ("Bad", "who?")}
    assert [problem.refuses_part for problem in problems].count(True) == 1
    assert any("'So-so'" in problem.message for problem in problems)


def _with_texts(line: dict[str, Any], *, summary: str = SUMMARY, sources: bool = True) -> Any:
    """A line of a page that was generated from other texts, or without documents."""
    report = line["report"]
    sentence = {**report["sentences"][0], "text": summary}
    pages = report["documents"] if sources else {}
    return {**line, "report": {**report, "sentences": [sentence], "documents": pages}}


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_line_about_other_texts_is_refused_alone(tmp_path: Path, position: int) -> None:
    """The texts of most lines count; a judgement of an earlier summary is not work on this one."""
    span = _span(SUMMARY, "1871") | {"sentence_idx": 0}
    lines = [_line("report", spans=[span], username=name) for name in ("ana", "bea")]
    old = _line("report", username="di", rating="Good")
    lines.insert(position, _with_texts(old, summary="Old text of it."))
    path = tmp_path / "news-annotations.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    (record,), problems = read(path, "autojudge")
    assert record.sample.documents == _pair().sample.documents
    assert {work.person for work in record.assignments} == {"ana", "bea"}
    assert [(problem.refused, problem.where) for problem in problems] == [
        (True, f"{path}:{position + 1}")
    ]


def test_a_page_without_documents_is_about_the_stored_sample(tmp_path: Path) -> None:
    """Its lines have the summary alone, which decides."""
    stored = _pair().sample
    lines = [
        _with_texts(_line("report", username="ana"), sources=False),
        _with_texts(_line("report", username="di"), summary="Old text of it.", sources=False),
    ]
    path = tmp_path / "news-annotations.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    (record,), problems = read(path, "autojudge", stored={stored.key: stored}.get)
    assert record.sample == stored
    assert [work.person for work in record.assignments] == ["ana"]
    assert [problem.refused for problem in problems] == [True]


def test_a_document_alone_needs_the_stored_sample(tmp_path: Path) -> None:
    """Its line does not contain the summary."""
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps(_line("document", spans=[_span(OTHER, "Berg")])))
    assert [problem.refused for problem in read(path, "autojudge")[1]] == [True]
    sample = _pair().sample
    (record,), problems = read(path, "autojudge", stored={sample.key: sample}.get)
    assert problems == []
    assert record.sample == sample
    (owned,) = record.annotations
    assert owned.annotation.evidence[0].index == 1
