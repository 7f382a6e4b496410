"""A report, a document or a citation as titles, pages and frames show it: pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.report_collections import RATED_KINDS, report_id
from tui_annotate.domain.samples import SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft import citations
from tui_annotate.tui.draft.state import Citation, Draft
from tui_annotate.tui.line_text import cut, line_text
from tui_annotate.tui.palette import NOTED
from tui_annotate.tui.screens.sample.feature import TextPage
from tui_annotate.tui.screens.sample.rows import Title

if TYPE_CHECKING:
    from tui_annotate.domain.report_collections import Sentence, TreeLeaf
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import OpenSample

CITES_NOTHING: Final = "this sentence cites nothing"
TEXT_MISSING: Final = "its text is not available"

_NAME = 16  # cells of a side's name where more follows it
_RATING = 20  # cells of a rating in a title


@dataclass(frozen=True)
class ParentReport:
    """The report that a citation is of, as far as one has its citations.

    Attributes:
        report: None where the workspace does not contain it.
        leaves: its sentences with their citations, in order.
    """

    id: str
    report: Sample | None
    sentences: tuple[Sentence, ...]
    leaves: tuple[TreeLeaf, ...]

    def leaf(self, key: SampleKey) -> int:
        """Which of the sentences a citation is of; -1 where it is not one's own."""
        return next((at for at, leaf in enumerate(self.leaves) if key in leaf.keys), -1)

    def citations(self, key: SampleKey) -> tuple[SampleKey, ...]:
        """Those of the sentence that a citation is of, in order."""
        at = self.leaf(key)
        return self.leaves[at].keys if at >= 0 else ()

    def step(self, key: SampleKey, step: int) -> SampleKey | None:
        """The next or previous citation of the report; None behind its ends."""
        keys = [one for leaf in self.leaves for one in leaf.keys]
        at = keys.index(key) + step if key in keys else -1
        return keys[at] if 0 <= at < len(keys) else None

    def turn(self, key: SampleKey, step: int) -> SampleKey | None:
        """The next or previous citation of the same sentence, round and round."""
        keys = self.citations(key)
        return keys[(keys.index(key) + step) % len(keys)] if len(keys) > 1 else None


def title(
    draft: Draft, side: Side, usual: Title, *, parent: ParentReport | None = None, comment: str = ""
) -> Title:
    """The title of a text.

    Args:
        usual: the title for any sample.
        parent: the report of a citation; None where it is not known.
    """
    if side is Side.SUMMARY:
        notes = [cut(line_text(draft.rating), _RATING)] if draft.rating else []
        notes += [NOTED] if comment else []
        return usual._replace(name=name(draft, usual.name, parent), notes=(*notes, *usual.notes))
    if draft.sample.kind is SampleKind.REPORT:
        right = usual.right if draft.sample.side(side) else ""
        return usual._replace(notes=(citations.describe_citing(draft), *usual.notes), right=right)
    if draft.sample.kind is SampleKind.CITATION:
        return _cited_title(draft, usual, parent)
    return usual


def name(draft: Draft, usual: str, parent: ParentReport | None = None) -> str:
    """Which item it is; `usual` for samples that are none."""
    sample = draft.sample
    run = _run_name(sample)
    if sample.kind is SampleKind.DOCUMENT:
        (document,) = sample.documents
        return f"DOCUMENT {document.title or _docid(sample)}".strip()
    if sample.kind is SampleKind.REPORT:
        return f"REPORT {run}".strip()
    if sample.kind is SampleKind.CITATION:
        number, total = citations.sentence_index(sample), len(parent.sentences) if parent else 0
        return f"SENTENCE {number + 1}{f'/{total}' if total else ''} {run}".strip()
    return usual


def _cited_title(draft: Draft, usual: Title, parent: ParentReport | None) -> Title:
    """The cited document as one of the tabs that its sentence has."""
    sample = draft.sample
    name = cut(line_text(draft.tree.source_title.upper()), _NAME)
    keys = parent.citations(sample.key) if parent else ()
    if len(keys) > 1:
        name = f"{name} {keys.index(sample.key) + 1}/{len(keys)}"
    docid, documents = _docid(sample), sample.side(Side.SOURCE)
    if not docid:
        return usual._replace(name=name, notes=(CITES_NOTHING,), right="")
    if not documents:
        name = f"{name} {docid}"
        return usual._replace(name=name, notes=(TEXT_MISSING,), right="")
    return usual._replace(name=f"{name} {documents[0].title or docid}")


def tabs(sample: Sample, parent: ParentReport) -> tuple[Citation, ...]:
    """The documents that the sentence of a citation cites, where it cites several."""
    keys, text = parent.citations(sample.key), sample.document(Side.SUMMARY).text.rstrip()
    if len(keys) < 2 or not text:
        return ()
    before, whole = sample.id.removesuffix(_docid(sample)), Span(0, len(text))
    return tuple(Citation(0, whole, key.id.removeprefix(before), None) for key in keys)


def surrounding_texts(sample: Sample, parent: ParentReport) -> tuple[str, str]:
    """The report before a sentence and after it; empty where the report is not known."""
    at = citations.sentence_index(sample)
    if parent.report is None or not 0 <= at < len(parent.sentences):
        return "", ""
    text, here = parent.report.document(Side.SUMMARY).text, parent.sentences[at]
    return text[: here.start], text[here.end :]


def item_pages(open_sample: OpenSample) -> list[TextPage]:
    """Return the pages of an item; none for other samples."""
    sample, assignment = open_sample.sample, open_sample.assignment
    if sample.kind not in RATED_KINDS:
        return []
    page = TextPage("Document", _document(sample))
    if sample.kind is SampleKind.REPORT:
        listing = citations.format_listing(sample, urls(sample))
        page = TextPage("Documents", listing or "It cites nothing.")
    comment = f"\n\n# Comment\n{assignment.comment}" if assignment.comment else ""
    return [page, TextPage("Rating", f"# Rating\n{assignment.rating or 'not rated'}{comment}")]


def urls(sample: Sample) -> Mapping[str, str]:
    """The addresses of a report's documents, by id, as far as they are known."""
    known = sample.meta.get("urls")
    if not isinstance(known, Mapping):
        return {}
    return {str(name): url for name, url in known.items() if isinstance(url, str)}


def _document(sample: Sample) -> str:
    docid, url = _docid(sample), sample.meta.get("url")
    titles = [document.title for document in sample.side(Side.SOURCE)]
    if not docid:
        return "This sentence cites nothing."
    lines = [f"# {docid}", *titles, *([url] if isinstance(url, str) else [])]
    if not titles:
        lines.append("not available: the report came without its text")
    runs = sample.meta.get("runs")
    if isinstance(runs, list) and runs:
        lines += ["", f"# Cited by\n{', '.join(map(str, runs))}"]
    return "\n".join(filter(None, lines))


def _run_name(sample: Sample) -> str:
    """The run as the tree has it: with its team, where two teams call one so."""
    topic = str(sample.meta.get("topic_id") or "")
    report = sample.id if sample.kind is SampleKind.REPORT else report_id(sample.group)
    start = f"r|{topic}|"
    name = report.removeprefix(start) if report.startswith(start) else ""
    return name or str(sample.meta.get("run_id") or "")


def _docid(sample: Sample) -> str:
    return str(sample.meta.get("docid") or "")
