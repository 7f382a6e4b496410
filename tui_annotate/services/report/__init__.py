"""HTML report: one offline page with all samples, annotations and statistics of a workspace.

The same data gives the same bytes: the page does not contain the time of its creation.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from tui_annotate.domain.errors import InvalidLabels, NotFound
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.domain.work_statistics import WorkStatistics
from tui_annotate.plugins.files.targets import open_output
from tui_annotate.services.report.data import (
    PageValues,
    ReportSubject,
    agreement_data,
    label_data,
    work_data,
)

if TYPE_CHECKING:
    from tui_annotate.storage.corpus.store import CorpusStore

__all__ = ["HEAVY", "PageReport", "PseudonymSource", "ReportSubject", "ReportWriter"]

HEAVY: Final = 30_000_000
"""Size in bytes above which a browser needs seconds to open a report's HTML page."""


class PseudonymSource(Protocol):
    """Source of pseudonyms, for a report without real names."""

    def name(self, person_id: str) -> str:
        """Return the pseudonym of a user."""
        ...

    def record(self, record: Record) -> Record:
        """Return a record with pseudonyms; names inside texts that annotators wrote remain."""
        ...


@dataclass(slots=True)
class PageReport:
    """Numbers of samples and annotations on a written page, and the page's size in bytes.

    Attributes:
        not_finite: number of NaN and infinities in metadata, which are null on the page.
    """

    samples: int = 0
    annotations: int = 0
    bytes: int = 0
    not_finite: int = 0

    @property
    def is_large(self) -> bool:
        """Whether the page is so large that a browser needs seconds to open it."""
        return self.bytes > HEAVY


@dataclass(frozen=True, slots=True)
class ReportWriter:
    """Writes the HTML report, with all data that the current user may see.

    Attributes:
        agreement: returns the agreement statistics of filtered records; its second argument gives
        pseudonyms (None for real names).
    """

    corpus: CorpusStore
    check: Callable[[RecordFilter], RecordFilter]
    names: Callable[[str], str]
    labels: Callable[[str], LabelTree]
    figures: Callable[[], WorkStatistics]
    agreement: Callable[[RecordFilter, Callable[[str], str] | None], dict[str, Any]]

    def run(
        self,
        target: Path | None,
        filters: RecordFilter | None = None,
        *,
        subject: ReportSubject | None = None,
        hiding: PseudonymSource | None = None,
    ) -> PageReport:
        """Write the HTML report to a file; a failure leaves no partial file.

        Raises:
            InvalidInput: a filter matches no name; the target is a folder.
            Unavailable: the target cannot be written, or the data cannot be read.
        """
        wanted = self.check(filters or RecordFilter())
        about, made = subject or ReportSubject(), PageReport()
        with open_output(target) as file:
            for text in self._page_parts(wanted, about, made, hiding=hiding):
                file.write(text)
                made.bytes += len(text.encode())
        return made

    def _page_parts(
        self,
        wanted: RecordFilter,
        about: ReportSubject,
        made: PageReport,
        *,
        hiding: PseudonymSource | None,
    ) -> Iterator[str]:
        descriptions = _describe_filters(wanted, hidden=hiding is not None)
        records = self.corpus.records(wanted)
        values = PageValues(about, self.names)
        opening, closing = page_frame()
        yield opening
        yield data_element("head", self._head_data(wanted, about.title, descriptions), once=True)
        for record in records if hiding is None else map(hiding.record, records):
            for text in values.new_texts(record.sample):
                yield data_element("text", text)
            yield data_element("sample", values.sample(record), made)
            made.samples += 1
            made.annotations += len(record.annotations)
        yield data_element("figures", self._statistics_data(wanted, about, hiding), once=True)
        yield closing

    def _head_data(
        self, wanted: RecordFilter, title: str, descriptions: list[str]
    ) -> dict[str, Any]:
        there = [each.name for each in self.corpus.datasets()]
        named = [name for name in there if wanted.dataset in ("", name)]
        trees = {name: self._label_tree(name) for name in named}
        return {"title": title, "filters": descriptions, **label_data(trees)}

    def _label_tree(self, dataset: str) -> LabelTree | None:
        with suppress(NotFound, InvalidLabels):
            return self.labels(dataset)
        return None

    def _statistics_data(
        self, wanted: RecordFilter, about: ReportSubject, hiding: PseudonymSource | None
    ) -> dict[str, Any]:
        name = hiding.name if hiding else None
        work = work_data(self.figures(), wanted, about, name=name)
        agreement = agreement_data(lambda filters: self.agreement(filters, name), wanted)
        return {"narrowed": bool(_describe_filters(wanted)), **work, "agreement": agreement}


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
# Characters that end a script or begin a tag, and characters that an editor shows as others.
_UNSAFE: Final = re.compile(
    "[<>&\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\uffff]"
)


@cache
def page_frame() -> tuple[str, str]:
    """Return the constant HTML before and after the data in a report's page.

    The page's content security policy allows its own script and style by their hashes, and nothing
    else.
    """
    folder = files("tui_annotate.services.report") / "assets"
    parts = {part.name: part.read_text("utf-8") for part in folder.iterdir()}
    script = "".join(parts[name] for name in sorted(parts) if name.endswith(".js"))
    style = parts["page.css"]
    policy = _POLICY.format(script=_csp_hash(script), style=_csp_hash(style))
    opening, _, closing = parts["page.html"].partition(_DATA_SLOT)
    opening = opening.replace("{policy}", policy).replace("{style}", style)
    return opening, closing.replace("{script}", script)


def data_element(
    name: str, value: Any, made: PageReport | None = None, *, once: bool = False
) -> str:
    """Return an HTML script element that contains a JSON value; its id or class is `data-NAME`.

    NaN and infinities in the value become null, and are counted in `made`.
    """
    kind = "id" if once else "class"
    text, count = encode_strict(value, separators=(",", ":"))
    if made is not None:
        made.not_finite += count
    escaped = _UNSAFE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return f'<script type="application/json" {kind}="data-{name}">{escaped}</script>\n'


def _csp_hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
