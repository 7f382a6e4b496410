"""Samples of a topic: its reports, each followed by its citations; then the documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Kind, Request, Sample, SampleKey, Side
from tui_annotate.plugins.admission import document, identifier, problem
from tui_annotate.plugins.formats.autojudge.names import (
    Topic,
    citation_id,
    document_id,
    report_id,
    sentence_id,
)
from tui_annotate.plugins.formats.autojudge.near import Near
from tui_annotate.plugins.formats.autojudge.reports import Page, Run, RunReport
from tui_annotate.plugins.formats.autojudge.shelf import Placed
from tui_annotate.plugins.protocols import ImportOptions

GAP: Final = " "
"""Between the sentences of a report."""


@dataclass(slots=True)
class _Shown:
    """A document of a topic: where it came first, its text there, and the runs that have it."""

    where: str
    sha256: str
    runs: list[str] = field(default_factory=list)


class TopicSamples:
    """The samples of one topic.

    Args:
        shared: ids of runs that several teams have.
        options: for the language, and for what is stored already.
    """

    def __init__(
        self, dataset: str, topic: Topic, *, shared: frozenset[str], options: ImportOptions
    ) -> None:
        self._dataset = dataset
        self._topic = topic
        self._shared = shared
        self._language = options.language
        self._stored = options.stored or (lambda _: None)
        self._request = Request(topic.title, topic.problem, topic.background)
        self._runs: dict[Run, str] = {}
        self._shown: dict[str, _Shown] = {}
        self._sources: Near[tuple[str, Page], Document] = Near()

    def run(self, report: RunReport) -> str:
        """What a report's run is called: with its team where it is not the only one.

        What is stored already keeps its name, whoever comes later.
        """
        found = self._runs.get(report.run)
        if found is None:
            found = self._runs[report.run] = self._named(report.run)
        return found

    def _named(self, run: Run) -> str:
        whole = f"{run.team}/{run.run}"
        if (plain := self._there(run.run)) is not None:
            return run.run if plain.meta.get("team_id") == run.team else whole
        return whole if run.run in self._shared or self._there(whole) else run.run

    def _there(self, run: str) -> Sample | None:
        return self._stored(SampleKey(self._dataset, report_id(self._topic.id, run)))

    def of_report(self, placed: Placed) -> Iterator[Record | Problem]:
        """A report and its citations, then doubts about them; or why it is refused."""
        where, report = placed
        try:
            sources = {key: self._source(key, page) for key, page in report.documents.items()}
            whole = self._report(report, sources)
        except InvalidInput as error:
            yield problem(where, error)
            return
        yield Record(whole, where=where)
        yield from self._citations(placed, sources)
        yield from self.meet(where, report.documents, self.run(report))

    def of_documents(self, where: str, pages: Mapping[str, Page]) -> Iterator[Record | Problem]:
        """The documents that came first at a place: each of the topic once, after all were met."""
        for key, page in pages.items():
            shown = self._shown.get(key)
            if shown is None or shown.where != where:
                continue
            meta = {
                "topic_id": self._topic.id,
                "docid": key,
                "url": page.url,
                "runs": shown.runs,
            }
            try:
                name = document_id(self._topic.id, key)
                source = self._source(key, page)
                sample = self._sample(name, (source,), kind=Kind.DOCUMENT, meta=meta)
                yield Record(sample, where=where)
            except InvalidInput as error:
                yield problem(where, error)

    def _report(self, report: RunReport, sources: Mapping[str, Document]) -> Sample:
        text = GAP.join(sentence.text for sentence in report.sentences)
        documents = (*sources.values(), *([self._text(text, "report")] if text.strip() else []))
        if not documents:
            raise InvalidInput("the report has neither sentences nor documents")
        urls = {key: page.url for key, page in report.documents.items() if page.url is not None}
        meta = self._about(report) | {"sentences": _extents(report), "urls": urls}
        key = report_id(report.topic, self.run(report))
        return self._sample(key, documents, kind=Kind.REPORT, meta=meta)

    def _citations(
        self, placed: Placed, sources: Mapping[str, Document]
    ) -> Iterator[Record | Problem]:
        where, report = placed
        about, run = self._about(report), self.run(report)
        for place, sentence in enumerate(report.sentences):
            if not sentence.text.strip():
                message = f"sentence {place} is blank: its citations can not be judged"
                yield Problem(where, message, refused=False)
                continue
            text = self._text(sentence.text, f"sentence {place}")
            group = sentence_id(report.topic, run, place)
            for key in dict.fromkeys(sentence.citations or (None,)):
                page, source = report.documents.get(key or ""), sources.get(key or "")
                meta = {"sentence_idx": place, "docid": key, "url": page.url if page else None}
                try:
                    sample = self._sample(
                        citation_id(group, key),
                        (source, text) if source else (text,),
                        kind=Kind.CITATION,
                        meta=about | meta,
                    )
                except InvalidInput as error:
                    yield problem(where, error)
                    continue
                yield Record(replace(sample, group=group), where=where)

    def _sample(
        self, key: str, documents: tuple[Document, ...], *, kind: Kind, meta: Mapping[str, Any]
    ) -> Sample:
        checked = identifier(key, what="id")
        return Sample(
            self._dataset, checked, documents, kind=kind, request=self._request, meta=meta
        )

    def _about(self, report: RunReport) -> dict[str, Any]:
        run, team = report.run
        return {"topic_id": report.topic, "team_id": team, "run_id": run}

    def meet(self, where: str, pages: Mapping[str, Page], *run: str) -> Iterator[Problem]:
        """Takes documents, of a run's report or of none; tells which are others than before."""
        for key, page in pages.items():
            try:
                sha256 = self._source(key, page).sha256
            except InvalidInput as error:
                yield problem(where, error)
                continue
            shown = self._shown.setdefault(key, _Shown(where, sha256))
            shown.runs += run
            if shown.sha256 != sha256:
                message = f"document {key!r} has another text than at {shown.where}, which is kept"
                yield Problem(where, message, refused=False)

    def _source(self, key: str, page: Page) -> Document:
        found = self._sources.get((key, page))
        if found is None:
            plain = document(
                page.whole, side=Side.SOURCE, column=f"document {key}", language=self._language
            )
            made = replace(plain, key=key, title=page.title or "")
            found = self._sources.keep((key, page), made, size=len(made.text))
        return found

    def _text(self, text: str, name: str) -> Document:
        return document(text, side=Side.SUMMARY, column=name, language=self._language)


def _extents(report: RunReport) -> list[dict[str, Any]]:
    """Where each sentence stands in the report's text, in code points, and what it cites.

    A blank one ends where it starts.
    """
    found, start = [], 0
    for sentence in report.sentences:
        end = start + len(sentence.text)
        seen = end if sentence.text.strip() else start
        found.append({"start": start, "end": seen, "citations": list(sentence.citations)})
        start = end + len(GAP)
    return found
