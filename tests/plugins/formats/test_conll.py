"""CoNLL: tokens with their places give the text, tags are of whole tokens, the rest is counted."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import conllu
import pytest
from hypothesis import HealthCheck, given, settings

from tests.helpers.effort import example_limit
from tests.plugins.formats.hostile import PEOPLE, several
from tests.plugins.formats.laws import base, examples, write
from tests.plugins.record_reader import write as written
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.records import DatasetDescription, OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Side
from tui_annotate.domain.spans import Span
from tui_annotate.plugins.protocols import ExportReport
from tui_annotate.plugins.traits import Loss, RecordTrait


def _sections(text: str) -> list[conllu.TokenList]:
    return [section for section in conllu.parse(text) if section]


def _told(value: str) -> Any:
    return json.loads(value) if value.startswith('"') else value


def _tags(section: conllu.TokenList) -> list[str]:
    return [token["tui:tag"] for token in section]


def _marked(*spans: tuple[int, int, str], summary: str = "") -> tuple[list[str], ExportReport]:
    """The tags of a summary whose claims are these, and the report."""
    record = base("ana")
    claims = [((Anchor(Side.SUMMARY, 0, Span(s, e)),), ((label,),)) for s, e, label in spans]
    owned = tuple(
        OwnedAnnotation("ana", Annotation(f"a{place}", claim, labels=labels))
        for place, (claim, labels) in enumerate(claims)
    )
    source = record.sample.documents[0]
    sample = record.sample
    if summary:
        sample = replace(sample, documents=(source, Document(Side.SUMMARY, summary)))
    text, report = written([replace(record, sample=sample, annotations=owned)], "conll")
    return _tags(_sections(text)[1]), report


def test_what_is_written(tmp_path: Path) -> None:
    """Columns are named, a section says whose text it is, evidence is tagged in the source."""
    (record,) = examples("ana")[RecordTrait.LINK]
    report = write([record], "conll", tmp_path / "a.conllup")
    text = (tmp_path / "a.conllup").read_text("utf-8")
    assert text.splitlines()[:7] == [
        "# global.columns = ID FORM TUI:START TUI:END TUI:TAG",
        "# dataset = d",
        "# sample_id = 1",
        "# side = source",
        "# text = It cost 12 million, or 13.",
        "1\tIt\t0\t2\tO",
        "2\tcost\t3\t7\tO",
    ]
    source, summary = _sections(text)
    assert _tags(source) == ["O", "O", "B-Evidence", "I-Evidence", "O", "O", "O", "O"]
    assert _tags(summary) == ["O", "O", "B-Wrong", "I-Wrong", "O", "O"]
    assert (report.records, report.annotations) == (1, 1)
    assert report.lost == {RecordTrait.LINK: 1, RecordTrait.ANNOTATOR: 1}


@given(found=several((PEOPLE[0],)))
@settings(max_examples=example_limit(40), deadline=None, suppress_health_check=list(HealthCheck))
def test_tokens_give_the_text_back(found: list[Record]) -> None:
    """A public reader finds each text, each token at its place, and a tag that may follow."""
    text, report = written(found, "conll")
    assert text == written(found, "conll")[0]
    sections = _sections(text)
    texts = {
        (record.sample.dataset, record.sample.id, one.side.value): one.text
        for record in found
        for one in record.sample.documents
    }
    assert report.records == len(found) - report.lost.get(RecordTrait.UNREAD, 0)
    for section in sections:
        about = {name: _told(value) for name, value in section.metadata.items()}
        exact = texts[about["dataset"], about["sample_id"], about["side"]]
        assert about["text"] == exact
        end, before = 0, "O"
        for token in section:
            start, stop = int(token["tui:start"]), int(token["tui:end"])
            assert exact[start:stop] == token["form"]
            assert all(_unseen(sign) for sign in exact[end:start])
            tag = token["tui:tag"]
            assert tag[:2] != "I-" or before[2:] == tag[2:]
            end, before = stop, tag
        assert all(_unseen(sign) for sign in exact[end:])


def _unseen(sign: str) -> bool:
    return sign.isspace() or sign == "\ufeff" or ord(sign) < 0x20 or 0x7F <= ord(sign) < 0xA0


def test_a_shared_token_has_the_tag_of_the_first_span() -> None:
    """The first, then the longest; a later span keeps its other tokens, or is counted as lost."""
    tags, report = _marked((3, 10, "A"), (3, 18, "B"), (8, 25, "C"))
    assert tags == ["O", "B-B", "I-B", "I-B", "B-C", "O"]
    assert (report.lost[Loss.SHARED_TOKENS], report.lost[Loss.COVERED_SPANS]) == (1, 1)
    assert report.lost[RecordTrait.OVERLAP] == 2
    tags, report = _marked((0, 10, "A"), (3, 25, "A"))
    assert tags == ["B-A", "I-A", "I-A", "B-A", "I-A", "O"]
    assert (report.lost[Loss.SHARED_TOKENS], Loss.COVERED_SPANS in report.lost) == (1, False)
    tags, report = _marked((3, 5, "A"), (5, 7, "B"))
    assert tags[:3] == ["O", "B-A", "O"]
    assert (report.lost[Loss.COVERED_SPANS], report.lost[Loss.CUT_TOKENS]) == (1, 1)


def test_spans_beside_one_another_each_begin() -> None:
    """Two spans of one label stay two."""
    tags, report = _marked((8, 10, "A"), (11, 18, "A"))
    assert tags == ["O", "O", "B-A", "B-A", "O", "O"]
    assert set(report.lost) <= {RecordTrait.ANNOTATOR}


def test_spans_without_a_token_are_counted() -> None:
    """White space alone has no tag."""
    tags, report = _marked((2, 3, "A"))
    assert set(tags) == {"O"}
    assert report.lost[Loss.TOKENLESS] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's $4.2bn, 40%!", ["It's", "$4.2bn", ",", "40%", "!"]),
        ("桥值1,200万。", ["桥", "值", "1,200", "万", "。"]),
        ("a_b #1 e\u0301", ["a", "_", "b", "#", "1", "e\u0301"]),
        ("👩\u200d🚀👍🏽\u2028\x1b[3", ["👩\u200d🚀", "👍🏽", "[", "3"]),
    ],
)
def test_tokens_are_the_words_of_the_app(text: str, words: list[str]) -> None:
    """Numbers keep their signs, Han comes one by one, what is drawn as one sign is one."""
    record = base("ana")
    documents = (record.sample.documents[0], Document(Side.SUMMARY, text))
    record = replace(record, sample=replace(record.sample, documents=documents), annotations=())
    found, _ = written([record], "conll")
    assert [token["form"] for token in _sections(found)[1]] == words


def test_a_dataset_is_described_once() -> None:
    """The first section of a dataset has its license, origin and citation as comments."""
    about = DatasetDescription("MIT", "https://example.org", "Ann.\n2026")
    text, report = written([replace(base("ana"), about=about)] * 2, "conll")
    first, *others = _sections(text)
    assert {name: _told(first.metadata[name]) for name in asdict(about)} == asdict(about)
    assert not any({*asdict(about)} & {*section.metadata} for section in others)
    assert RecordTrait.ABOUT not in report.lost


def test_labels_are_one_word() -> None:
    """White space in a label is written as a sign, and counted."""
    tags, report = _marked((8, 10, "not\tso good"))
    assert tags[2] == "B-not_so_good"
    assert report.lost[Loss.WHITE_SPACE] == 1


def test_what_nobody_read_is_left_out() -> None:
    """What was read with nothing found has no tag but O."""
    (unread,) = examples("ana")[RecordTrait.UNREAD]
    (empty,) = examples("ana")[RecordTrait.EMPTY]
    text, report = written([unread, empty], "conll")
    assert report.lost[RecordTrait.UNREAD] == 1
    assert {tag for section in _sections(text) for tag in _tags(section)} == {"O"}
    assert len(_sections(text)) == 2
