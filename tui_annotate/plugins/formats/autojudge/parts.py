"""Samples back to what they were made of: reports, documents, sentences; none of a stranger's."""

from __future__ import annotations

from typing import Any, Final

from tui_annotate.domain.items import sentences
from tui_annotate.domain.samples import Document, Kind, Sample, SampleKey, Side
from tui_annotate.plugins.formats.autojudge.names import report_id
from tui_annotate.plugins.formats.autojudge.reports import BREAK, Page, Run, RunReport, Sentence

_NEEDED: Final = {
    Kind.REPORT: ("topic_id", "run_id", "team_id"),
    Kind.DOCUMENT: ("topic_id", "docid"),
    Kind.CITATION: ("topic_id",),
}
"""What the meta of a sample of each kind says, as text."""


def is_item(sample: Sample) -> bool:
    """Whether a sample is of a kind that is judged, and says what it is of."""
    needed = _NEEDED.get(sample.kind)
    if needed is None or not all(isinstance(sample.meta.get(name), str) for name in needed):
        return False
    if sample.kind is Kind.DOCUMENT:
        return bool(sample.side(Side.SOURCE))
    if sample.kind is Kind.REPORT:
        return True
    place = sample.meta.get("sentence_idx")
    counted = isinstance(place, int) and not isinstance(place, bool)
    return counted and isinstance(sample.meta.get("docid", 0), str | None)


def report_key(sample: Sample) -> SampleKey:
    """The key of the report that a citation is of: its group names the run as samples do."""
    topic = sample.meta["topic_id"]
    run = sample.group.removeprefix(f"{topic}|").rpartition("|")[0]
    return SampleKey(sample.dataset, report_id(topic, run))


def report_of_sample(sample: Sample) -> RunReport:
    """The report that a sample was made of."""
    text = "".join(document.text for document in sample.side(Side.SUMMARY))
    found = sentences(sample)
    starts = [sentence.start for sentence in found]
    if text and (starts != sorted(starts) or starts[:1] != [0] or starts[-1] > len(text)):
        made: tuple[Sentence, ...] = (Sentence(text),)  # nobody says where one ends
    else:
        ends = [*(start - 1 for start in starts[1:]), len(text)][: len(starts)]
        made = tuple(
            Sentence(text[start : max(start, end)], each.citations)
            for start, end, each in zip(starts, ends, found, strict=True)
        )
    run = Run(sample.meta["run_id"], sample.meta["team_id"])
    urls = sample.meta.get("urls")
    urls = urls if isinstance(urls, dict) else {}
    pages = {
        document.key: page_of(document, urls.get(document.key))
        for document in sample.side(Side.SOURCE)
    }
    return RunReport(sample.meta["topic_id"], run, made, pages)


def page_of(document: Document, url: Any) -> Page:
    """The document that a source was made of."""
    title = f"{document.title}{BREAK}" if document.title else ""
    text = document.text.removeprefix(title)
    return Page(text, document.title or None, url if isinstance(url, str) else None)
