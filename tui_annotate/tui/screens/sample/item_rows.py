"""Pure functions that turn reports, documents and citations into titles and pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.domain.report_collections import RATED_KINDS, report_id
from tui_annotate.domain.samples import SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import citations
from tui_annotate.editor.glyphs import NOTED
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Citation, Draft
from tui_annotate.tui.screens.sample.feature import TextPage
from tui_annotate.tui.screens.sample.rows import Title

if TYPE_CHECKING:
    from tui_annotate.domain.report_collections import Sentence, TreeLeaf
    from tui_annotate.domain.samples import Sample
    from tui_annotate.tui.screens.sample.shown_sample import ShownSample


class ItemMessage(ScreenMessage):
    """Titles and page texts of reports, documents and citations."""

    DOCUMENT = "DOCUMENT {name}"
    REPORT = "REPORT {run}"
    SENTENCE = "SENTENCE {number} {run}"
    SENTENCE_OF = "SENTENCE {number}/{count} {run}"
    NO_CITATION = "this sentence cites no document"
    NO_TEXT = "the text is not available"
    NO_CITATION_PAGE = "This sentence cites no document."
    NO_CITATIONS_PAGE = "This report cites no document."
    NO_TEXT_PAGE = "The text of this document is not available: the report was imported without it."
    DOCUMENT_PAGE = "Document"
    DOCUMENTS_PAGE = "Documents"
    RATING_TITLE = "Rating"
    NOT_RATED = "not rated"
    RATING_PAGE = "# Rating\n{rating}"
    RATING_PAGE_WITH_COMMENT = "# Rating\n{rating}\n\n# Comment\n{comment}"
    CITED_BY = "# Cited by\n{runs}"


_NAME = 16  # maximum cells of a side's name before further text
_RATING = 20  # maximum cells of a rating in a title


@dataclass(frozen=True)
class ParentReport:
    """The report of a citation; `leaves` are its sentences with the annotator's citations."""

    id: str
    report: Sample | None
    sentences: tuple[Sentence, ...]
    leaves: tuple[TreeLeaf, ...]

    def leaf(self, key: SampleKey) -> int:
        """Return the index of the sentence that has a citation; -1 if it is not in the report."""
        return next((at for at, leaf in enumerate(self.leaves) if key in leaf.keys), -1)

    def citations(self, key: SampleKey) -> tuple[SampleKey, ...]:
        """Return the citations of the same sentence, in order; empty for an unknown key."""
        at = self.leaf(key)
        return self.leaves[at].keys if at >= 0 else ()

    def step(self, key: SampleKey, step: int) -> SampleKey | None:
        """Return the next or previous citation of the report; None beyond the ends."""
        keys = [one for leaf in self.leaves for one in leaf.keys]
        at = keys.index(key) + step if key in keys else -1
        return keys[at] if 0 <= at < len(keys) else None

    def turn(self, key: SampleKey, step: int) -> SampleKey | None:
        """Return the next or previous citation of the same sentence; the first follows the last."""
        keys = self.citations(key)
        return keys[(keys.index(key) + step) % len(keys)] if len(keys) > 1 else None


def title(
    draft: Draft, side: Side, usual: Title, *, parent: ParentReport | None = None, comment: str = ""
) -> Title:
    """Return the title of a pane for an item of a collection; other samples keep the usual one."""
    if side is Side.SUMMARY:
        notes = []
        if draft.rating:
            notes.append(cut(line_text(draft.rating), _RATING))
        if comment:
            notes.append(NOTED)
        return usual._replace(name=name(draft, usual.name, parent), notes=(*notes, *usual.notes))
    if draft.sample.kind is SampleKind.REPORT:
        right = usual.right if draft.sample.side(side) else ""
        return usual._replace(notes=(citations.describe_citing(draft), *usual.notes), right=right)
    if draft.sample.kind is SampleKind.CITATION:
        return _cited_title(draft, usual, parent)
    return usual


def name(draft: Draft, usual: str, parent: ParentReport | None = None) -> str:
    """Return the title of a report, document or citation; for other samples, return `usual`."""
    sample = draft.sample
    run = _run_name(sample)
    if sample.kind is SampleKind.DOCUMENT:
        (document,) = sample.documents
        return ItemMessage.DOCUMENT.text(name=document.title or _docid(sample)).strip()
    if sample.kind is SampleKind.REPORT:
        return ItemMessage.REPORT.text(run=run).strip()
    if sample.kind is SampleKind.CITATION:
        number = citations.sentence_index(sample) + 1
        count = len(parent.sentences) if parent else 0
        message = ItemMessage.SENTENCE_OF if count else ItemMessage.SENTENCE
        return message.text(number=number, count=count, run=run).strip()
    return usual


def _cited_title(draft: Draft, usual: Title, parent: ParentReport | None) -> Title:
    """Return the title of a cited document, numbered if the sentence cites several documents."""
    sample = draft.sample
    name = cut(line_text(draft.tree.source_title.upper()), _NAME)
    keys = parent.citations(sample.key) if parent else ()
    if len(keys) > 1:
        name = f"{name} {keys.index(sample.key) + 1}/{len(keys)}"
    docid = _docid(sample)
    documents = sample.side(Side.SOURCE)
    if not docid:
        return usual._replace(name=name, notes=(ItemMessage.NO_CITATION.text(),), right="")
    if not documents:
        name = f"{name} {docid}"
        return usual._replace(name=name, notes=(ItemMessage.NO_TEXT.text(),), right="")
    return usual._replace(name=f"{name} {documents[0].title or docid}")


def tabs(sample: Sample, parent: ParentReport) -> tuple[Citation, ...]:
    """Return the documents cited by a citation's sentence, if there are at least two."""
    keys = parent.citations(sample.key)
    text = sample.document(Side.SUMMARY).text.rstrip()
    if len(keys) < 2 or not text:
        return ()
    before = sample.id.removesuffix(_docid(sample))
    whole = Span(0, len(text))
    return tuple(Citation(0, whole, key.id.removeprefix(before), None) for key in keys)


def surrounding_texts(sample: Sample, parent: ParentReport) -> tuple[str, str]:
    """Return the report's text before and after a sentence; empty if the report is not known."""
    at = citations.sentence_index(sample)
    if parent.report is None or not 0 <= at < len(parent.sentences):
        return "", ""
    text = parent.report.document(Side.SUMMARY).text
    here = parent.sentences[at]
    return text[: here.start], text[here.end :]


def item_pages(open_sample: ShownSample) -> list[TextPage]:
    """Return texts for a dialog about a report, document or citation; empty for other samples."""
    sample = open_sample.sample
    assignment = open_sample.assignment
    if sample.kind not in RATED_KINDS:
        return []
    page = TextPage(ItemMessage.DOCUMENT_PAGE.text(), _document(sample))
    if sample.kind is SampleKind.REPORT:
        listing = citations.format_listing(sample, urls(sample))
        text = listing or ItemMessage.NO_CITATIONS_PAGE.text()
        page = TextPage(ItemMessage.DOCUMENTS_PAGE.text(), text)
    message = ItemMessage.RATING_PAGE
    if assignment.comment:
        message = ItemMessage.RATING_PAGE_WITH_COMMENT
    rating = assignment.rating or ItemMessage.NOT_RATED.text()
    text = message.text(rating=rating, comment=assignment.comment)
    return [page, TextPage(ItemMessage.RATING_TITLE.text(), text)]


def urls(sample: Sample) -> Mapping[str, str]:
    """Return the addresses of the cited documents by document id; empty if they are not known."""
    known = sample.meta.get("urls")
    if not isinstance(known, Mapping):
        return {}
    return {str(name): url for name, url in known.items() if isinstance(url, str)}


def _document(sample: Sample) -> str:
    """Return the text of a page about a document: id, title, address, and runs that cite it."""
    docid = _docid(sample)
    url = sample.meta.get("url")
    titles = [document.title for document in sample.side(Side.SOURCE)]
    if not docid:
        return ItemMessage.NO_CITATION_PAGE.text()
    lines = [f"# {docid}", *titles]
    if isinstance(url, str):
        lines.append(url)
    if not titles:
        lines.append(ItemMessage.NO_TEXT_PAGE.text())
    runs = sample.meta.get("runs")
    if isinstance(runs, list) and runs:
        lines += ["", ItemMessage.CITED_BY.text(runs=", ".join(map(str, runs)))]
    return "\n".join(filter(None, lines))


def _run_name(sample: Sample) -> str:
    """Return the name of the system run that made a report, for the collection tree."""
    topic = str(sample.meta.get("topic_id") or "")
    report = sample.id if sample.kind is SampleKind.REPORT else report_id(sample.group)
    start = f"r|{topic}|"
    name = report.removeprefix(start) if report.startswith(start) else ""
    return name or str(sample.meta.get("run_id") or "")


def _docid(sample: Sample) -> str:
    return str(sample.meta.get("docid") or "")
