"""Builds the samples of a topic: its reports, each followed by its citations, and its documents."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Request, Sample, SampleKey, SampleKind, Side
from tui_annotate.plugins.formats.autojudge.reports import (
    ReportDocument,
    ReportRun,
    RunReport,
    Topic,
    citation_id,
    document_id,
    run_report_id,
    sentence_id,
)
from tui_annotate.plugins.formats.autojudge.spill_cache import StoredReport
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.plugins.record_validation import make_problem, parse_document, parse_identifier

LARGEST_CACHE: Final = 4_000_000
"""Maximum number of code points of all texts that are cached during an import."""
SENTENCE_GAP: Final = " "


@dataclass(slots=True)
class _SeenDocument:
    where: str
    sha256: str
    runs: list[str] = field(default_factory=list)


class TopicSamples:
    """Builder of a topic's samples; ids contain the team if the run id is `shared` by teams."""

    def __init__(
        self, dataset: str, topic: Topic, *, shared: frozenset[str], options: ImportOptions
    ) -> None:
        self._dataset = dataset
        self._topic = topic
        self._shared = shared
        self._language = options.language
        self._stored = options.stored or (lambda _: None)
        self._request = Request(topic.title, topic.problem, topic.background)
        self._runs: dict[ReportRun, str] = {}
        self._seen: dict[str, _SeenDocument] = {}
        self._sources: RecentCache[tuple[str, ReportDocument], Document] = RecentCache()

    def run(self, report: RunReport) -> str:
        """Return a system name for a report; it includes the team if two systems share the name."""
        if report.run not in self._runs:
            self._runs[report.run] = self._name_run(report.run)
        return self._runs[report.run]

    def _name_run(self, run: ReportRun) -> str:
        whole = f"{run.team}/{run.run}"
        if (plain := self._stored_report(run.run)) is not None:
            return run.run if plain.meta.get("team_id") == run.team else whole
        return whole if run.run in self._shared or self._stored_report(whole) else run.run

    def _stored_report(self, run: str) -> Sample | None:
        return self._stored(SampleKey(self._dataset, run_report_id(self._topic.id, run)))

    def of_report(self, placed: StoredReport) -> Iterator[Record | Problem]:
        """Yield the samples of a report and its citations, then warnings about its documents."""
        where, report = placed
        try:
            sources = {key: self._make_source(key, page) for key, page in report.documents.items()}
            whole = self._make_report(report, sources)
        except InvalidInput as error:
            yield make_problem(where, error)
            return
        yield Record(whole, where=where)
        yield from self._make_citations(placed, sources)
        yield from self.see_documents(where, report.documents, self.run(report))

    def of_documents(
        self, where: str, pages: Mapping[str, ReportDocument]
    ) -> Iterator[Record | Problem]:
        """Yield a sample for each document that first appeared at the line `where` (`file:line`).

        Call this method after all documents were registered, as a sample names all runs that cite
        it.
        """
        for key, page in pages.items():
            shown = self._seen.get(key)
            if shown is None or shown.where != where:
                continue
            meta = {"topic_id": self._topic.id, "docid": key, "url": page.url, "runs": shown.runs}
            try:
                name = document_id(self._topic.id, key)
                source = self._make_source(key, page)
                sample = self._make_sample(name, (source,), kind=SampleKind.DOCUMENT, meta=meta)
                yield Record(sample, where=where)
            except InvalidInput as error:
                yield make_problem(where, error)

    def _make_report(self, report: RunReport, sources: Mapping[str, Document]) -> Sample:
        text = SENTENCE_GAP.join(sentence.text for sentence in report.sentences)
        summary = (self._make_text(text, "report"),) if text.strip() else ()
        documents = (*sources.values(), *summary)
        if not documents:
            raise InvalidInput("the report has neither sentences nor documents")
        urls = {key: page.url for key, page in report.documents.items() if page.url is not None}
        meta = self._run_meta(report) | {"sentences": _sentence_extents(report), "urls": urls}
        key = run_report_id(report.topic, self.run(report))
        return self._make_sample(key, documents, kind=SampleKind.REPORT, meta=meta)

    def _make_citations(
        self, placed: StoredReport, sources: Mapping[str, Document]
    ) -> Iterator[Record | Problem]:
        where, report = placed
        about = self._run_meta(report)
        run = self.run(report)
        for place, sentence in enumerate(report.sentences):
            if not sentence.text.strip():
                message = f"sentence {place} of the report is blank: its citations cannot be judged"
                yield Problem(where, message, refused=False)
                continue
            text = self._make_text(sentence.text, f"sentence {place}")
            group = sentence_id(report.topic, run, place)
            for key in dict.fromkeys(sentence.citations or (None,)):
                page = report.documents.get(key or "")
                source = sources.get(key or "")
                meta = {"sentence_idx": place, "docid": key, "url": page.url if page else None}
                try:
                    sample = self._make_sample(
                        citation_id(group, key),
                        (source, text) if source else (text,),
                        kind=SampleKind.CITATION,
                        meta=about | meta,
                    )
                except InvalidInput as error:
                    yield make_problem(where, error)
                    continue
                yield Record(replace(sample, group=group), where=where)

    def _make_sample(
        self,
        key: str,
        documents: tuple[Document, ...],
        *,
        kind: SampleKind,
        meta: Mapping[str, Any],
    ) -> Sample:
        checked = parse_identifier(key, what="id")
        return Sample(
            self._dataset, checked, documents, kind=kind, request=self._request, meta=meta
        )

    def _run_meta(self, report: RunReport) -> dict[str, Any]:
        run, team = report.run
        return {"topic_id": report.topic, "team_id": team, "run_id": run}

    def see_documents(
        self, where: str, pages: Mapping[str, ReportDocument], *run: str
    ) -> Iterator[Problem]:
        """Register documents; yield a warning for each document whose text changed."""
        for key, page in pages.items():
            try:
                sha256 = self._make_source(key, page).sha256
            except InvalidInput as error:
                yield make_problem(where, error)
                continue
            shown = self._seen.setdefault(key, _SeenDocument(where, sha256))
            shown.runs += run
            if shown.sha256 != sha256:
                message = f"document {key!r} has two texts: the first, at {shown.where}, is used"
                yield Problem(where, message, refused=False)

    def _make_source(self, key: str, page: ReportDocument) -> Document:
        found = self._sources.get((key, page))
        if found is None:
            plain = parse_document(
                page.whole, side=Side.SOURCE, column=f"document {key}", language=self._language
            )
            made = replace(plain, key=key, title=page.title or "")
            found = self._sources.put((key, page), made, size=len(made.text))
        return found

    def _make_text(self, text: str, name: str) -> Document:
        return parse_document(text, side=Side.SUMMARY, column=name, language=self._language)


def _sentence_extents(report: RunReport) -> list[dict[str, Any]]:
    """Return the offsets, in code points, and the citations of each sentence of a report."""
    found = []
    start = 0
    for sentence in report.sentences:
        end = start + len(sentence.text)
        seen = end if sentence.text.strip() else start
        found.append({"start": start, "end": seen, "citations": list(sentence.citations)})
        start = end + len(SENTENCE_GAP)
    return found


_Key = TypeVar("_Key", bound=Hashable)
_Value = TypeVar("_Value")


class RecentCache(dict[_Key, _Value]):
    """Cache of values that is emptied when its texts exceed `LARGEST_CACHE` code points."""

    size = 0

    def put(self, key: _Key, value: _Value, *, size: int) -> _Value:
        """Keep a value of a size in bytes, and return it; a full cache is emptied first."""
        self.size += size
        if self.size > LARGEST_CACHE:
            self.clear()
            self.size = size
        self[key] = value
        return value
