"""HTML report: offline pages with samples, annotations and statistics of a workspace.

The same data gives the same bytes: a page does not contain the time of its creation.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TextIO

from tui_annotate.domain.errors import InvalidLabels, NotFound
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.domain.work_statistics import WorkStatistics
from tui_annotate.plugins.files.targets import explain_unwritten, open_output
from tui_annotate.services.report.contents import ReportContents, has_work
from tui_annotate.services.report.data import (
    PageValues,
    ReportSubject,
    agreement_data,
    label_data,
    work_data,
)
from tui_annotate.services.report.page_files import (
    can_split,
    check_page_files,
    list_page_files,
    remove_old_pages,
)

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore

__all__ = [
    "HEAVY",
    "PAGE_BYTES",
    "PseudonymSource",
    "ReportContents",
    "ReportResult",
    "ReportSubject",
    "ReportWriter",
]

PAGE_BYTES: Final = 25_000_000
"""Size in bytes above which an HTML report is split into several pages."""

HEAVY: Final = 30_000_000
"""Size in bytes above which a browser needs seconds to open a page of an HTML report."""


class PseudonymSource(Protocol):
    """Names people by pseudonyms, so that a report shows no user names."""

    def name(self, person_id: str) -> str:
        """Return the pseudonym of a person."""

    def record(self, record: Record) -> Record:
        """Return a sample and its annotations with pseudonyms in place of user names."""
        ...


@dataclass(frozen=True, slots=True)
class ReportResult:
    """Numbers of samples and annotations in an HTML report, and its files.

    `not_finite` counts NaN and infinities in metadata, which are null on the pages.
    """

    samples: int
    annotations: int
    files: tuple[Path | None, ...]
    sizes: tuple[int, ...]
    not_finite: int = 0

    @property
    def bytes(self) -> int:
        return sum(self.sizes)

    @property
    def is_large(self) -> bool:
        """Whether a browser needs seconds to open one of the pages."""
        return max(self.sizes) > HEAVY


@dataclass(frozen=True, slots=True)
class _Request:
    filters: RecordFilter
    subject: ReportSubject
    hiding: PseudonymSource | None
    everything: bool


@check_keywords
@dataclass(frozen=True, slots=True)
class ReportWriter:
    """Writes the HTML report, with all data that the current user may see."""

    corpus: CorpusStore
    check: Callable[[RecordFilter], RecordFilter]
    names: Callable[[str], str]
    labels: Callable[[str], LabelTree]
    figures: Callable[[], WorkStatistics]
    agreement: Callable[[RecordFilter, Callable[[str], str] | None], Mapping[str, Any]]

    @earlier_keywords(everything="all_samples")
    def run(
        self,
        target: Path | str | None,
        filters: RecordFilter | None = None,
        *,
        subject: ReportSubject | None = None,
        hiding: PseudonymSource | None = None,
        all_samples: bool = False,
        announce: Callable[[ReportContents], object] = lambda _: None,
    ) -> ReportResult:
        """Write the HTML report; a failure leaves no partial file.

        A report that is larger than `PAGE_BYTES` gets several pages next to the target. Standard
        output and compressed files get one page. `all_samples` includes samples without work;
        `announce` is called before the first page is written.

        Raises:
            InvalidInput: a filter matches no name; the target is a folder.
            Conflict: a page would overwrite a file that is not a page of a report.
            Unavailable: the target cannot be written, or the data cannot be read.
        """
        target = Path(target) if target is not None else None
        wanted = self.check(filters or RecordFilter())
        request = _Request(wanted, subject or ReportSubject(), hiding, all_samples)
        limit = PAGE_BYTES if can_split(target) else 0
        contents = ReportContents()
        for page, element, record in self._split_records(request, limit):
            contents.add(page, element.text, record)
            contents.not_finite += element.not_finite
        paths = list_page_files(target, len(contents.pages))
        check_page_files(paths)
        announce(contents)
        partial_report = "other pages may be written; create the report again in another folder"
        with explain_unwritten(partial_report if len(paths) > 1 else ""):
            sizes = self._write_pages(request, contents, paths, limit=limit)
        remove_old_pages(target, len(paths))
        return ReportResult(
            samples=contents.samples,
            annotations=contents.annotations,
            files=tuple(paths),
            sizes=tuple(sizes),
            not_finite=contents.not_finite,
        )

    def _split_records(
        self, request: _Request, limit: int
    ) -> Iterator[tuple[int, _Element, Record]]:
        """Yield each sample of a report with its data and the number of its HTML page.

        `limit`: maximum size of a page's data in bytes, unless one sample is larger; 0: one page.
        """
        page = 0
        size = 0
        values = PageValues(request.subject)
        for record in self._read_records(request):
            element = _record_elements(values, record)
            added = len(element.text.encode())
            if limit and size and size + added > limit:
                page += 1
                size = 0
                values = PageValues(request.subject)
                element = _record_elements(values, record)
                added = len(element.text.encode())
            size += added
            yield page, element, record

    def _read_records(self, request: _Request) -> Iterator[Record]:
        records = self.corpus.records(request.filters, worked=not request.everything)
        if request.hiding is not None:
            records = map(request.hiding.record, records)
        for record in records:
            if request.everything or has_work(record):
                yield record

    def _write_pages(
        self,
        request: _Request,
        contents: ReportContents,
        paths: Sequence[Path | None],
        *,
        limit: int,
    ) -> list[int]:
        """Write all pages of an HTML report, the first one last; return their sizes in bytes."""
        figures = self._statistics_data(request, contents)
        closing = data_element("figures", figures, once=True) + page_frame()[1]
        head = self._head_data(request, contents, paths)
        with ExitStack() as stack:
            pages = [_PageFile(stack.enter_context(open_output(path))) for path in paths]
            for number, page in enumerate(pages, 1):
                page.write(page_frame()[0].replace(_NUMBER_SLOT, str(number)))
                page.write(data_element("head", head | {"page": number}, once=True))
            for at, element, _ in self._split_records(request, limit):
                # The store may have changed since the contents were counted.
                pages[min(at, len(pages) - 1)].write(element.text)
            for page in pages:
                page.write(closing)
        return [page.size for page in pages]

    def _head_data(
        self, request: _Request, contents: ReportContents, paths: Sequence[Path | None]
    ) -> dict[str, Any]:
        wanted = request.filters
        there = self.corpus.datasets()
        named = [each.name for each in there if wanted.dataset in ("", each.name)]
        trees = {name: self._label_tree(name) for name in named}
        files = [path.name if path and len(paths) > 1 else "" for path in paths]
        return {
            "title": request.subject.title,
            "filters": _describe_filters(wanted, hidden=request.hiding is not None),
            **label_data(trees),
            **contents.head_data(self.names),
            "about": [
                [each.name, each.license, each.origin, each.citation]
                for each in there
                if each.name in trees and (each.license or each.origin or each.citation)
            ],
            "pages": [
                {"file": file, "samples": count}
                for file, count in zip(files, contents.pages, strict=True)
            ],
        }

    def _label_tree(self, dataset: str) -> LabelTree | None:
        with suppress(NotFound, InvalidLabels):
            return self.labels(dataset)
        return None

    def _statistics_data(self, request: _Request, contents: ReportContents) -> dict[str, Any]:
        wanted = request.filters
        name = request.hiding.name if request.hiding else None
        work = work_data(self.figures(), wanted, request.subject, name=name)
        agreement = agreement_data(lambda filters: self.agreement(filters, name), wanted)
        narrowed = {"narrowed": bool(_describe_filters(wanted))}
        return {**narrowed, **work, **contents.figures_data(), "agreement": agreement}


@dataclass(slots=True)
class _PageFile:
    file: TextIO
    size: int = 0

    def write(self, text: str) -> None:
        self.file.write(text)
        self.size += len(text.encode())


class _Element(NamedTuple):
    """HTML element with data in JSON; NaN and infinities in the data became null."""

    text: str
    not_finite: int = 0


def _record_elements(values: PageValues, record: Record) -> _Element:
    texts = [data_element("text", text) for text in values.new_texts(record.sample)]
    sample = _encode_element("sample", values.sample(record))
    return _Element("".join([*texts, sample.text]), sample.not_finite)


def _describe_filters(filters: RecordFilter, *, hidden: bool = False) -> list[str]:
    plain = replace(filters, practice="", gold="", person="" if hidden else filters.person)
    values = [(each.name, getattr(plain, each.name)) for each in fields(plain)]
    one = ["one annotator"] if hidden and filters.person else []
    return [*(f"{name} {value}" for name, value in values if value), *one]


_POLICY: Final = (
    "default-src 'none'; script-src '{script}'; style-src '{style}'; base-uri 'none';"
    " form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_DATA_SLOT: Final = "{data}"
_NUMBER_SLOT: Final = "{number}"
# Characters that end a script or begin a tag, and characters that an editor shows as others.
_UNSAFE: Final = re.compile(
    "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\uffff]"
)


@cache
def page_frame() -> tuple[str, str]:
    """Return the HTML before and after the data in a page of a report.

    The content security policy allows only the page's own script and style, by their hashes.
    """
    folder = files("tui_annotate.services.report") / "assets"
    parts = {part.name: part.read_text("utf-8") for part in folder.iterdir()}
    script = "".join(parts[name] for name in sorted(parts) if name.endswith(".js"))
    style = parts["page.css"]
    policy = _POLICY.format(script=_csp_hash(script), style=_csp_hash(style))
    opening, _, closing = parts["page.html"].partition(_DATA_SLOT)
    opening = opening.replace("{policy}", policy).replace("{style}", style)
    return opening, closing.replace("{script}", script)


def data_element(name: str, value: Any, *, once: bool = False) -> str:
    """Return an HTML element that contains a value as JSON; NaN and infinities become null."""
    return _encode_element(name, value, once=once).text


def _encode_element(name: str, value: Any, *, once: bool = False) -> _Element:
    kind = "id" if once else "class"
    text, not_finite = encode_strict(value, separators=(",", ":"))
    escaped = _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    html = f'<script type="application/json" {kind}="data-{name}">{escaped}</script>\n'
    return _Element(html, not_finite)


def _csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
