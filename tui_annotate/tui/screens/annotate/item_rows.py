"""A report, a document or a citation as titles, pages and frames show it: pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tui_annotate.domain.items import JUDGED, report_id
from tui_annotate.domain.samples import Kind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.tui.draft import citing
from tui_annotate.tui.draft.citations import Citation
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.lines import cut, shown
from tui_annotate.tui.palette import NOTED
from tui_annotate.tui.screens.annotate.rows import Title

if TYPE_CHECKING:
    from tui_annotate.domain.samples import Sample
    from tui_annotate.services.annotate import Desk
    from tui_annotate.tui.screens.annotate.neighbours import Neighbours

_NAME = 16  # cells of a side's name where more follows it
_RATING = 20  # cells of a rating in a title


def title(
    draft: Draft, side: Side, usual: Title, *, near: Neighbours | None = None, comment: str = ""
) -> Title:
    """What stands over a text.

    Args:
        usual: what stands over that of any sample.
        near: the report of a citation; None where it is not known.
    """
    if side is Side.SUMMARY:
        return _judged(draft, usual, near, said=bool(comment))
    if draft.sample.kind is Kind.REPORT:
        right = usual.right if draft.sample.side(side) else ""
        return usual._replace(notes=(citing.cited_here(draft), *usual.notes), right=right)
    if draft.sample.kind is Kind.CITATION:
        return _cited(draft, usual, near)
    return usual


def _judged(draft: Draft, usual: Title, near: Neighbours | None, *, said: bool) -> Title:
    """Which item it is, and what was said of it as a whole."""
    told = [cut(shown(draft.rating), _RATING)] if draft.rating else []
    told += [NOTED] if said else []
    return usual._replace(name=name(draft, usual.name, near), notes=(*told, *usual.notes))


def name(draft: Draft, usual: str, near: Neighbours | None = None) -> str:
    """Which item it is; `usual` for samples that are none."""
    sample = draft.sample
    run = _run(sample)
    if sample.kind is Kind.DOCUMENT:
        (document,) = sample.documents
        return f"DOCUMENT {document.title or _docid(sample)}".strip()
    if sample.kind is Kind.REPORT:
        return f"REPORT {run}".strip()
    if sample.kind is Kind.CITATION:
        number, total = citing.sentence(sample), len(near.sentences) if near else 0
        return f"SENTENCE {number + 1}{f'/{total}' if total else ''} {run}".strip()
    return usual


def _cited(draft: Draft, usual: Title, near: Neighbours | None) -> Title:
    """The cited document as one of the tabs that its sentence has."""
    sample = draft.sample
    name = cut(shown(draft.tree.source_title.upper()), _NAME)
    keys = near.citations(sample.key) if near else ()
    if len(keys) > 1:
        name = f"{name} {keys.index(sample.key) + 1}/{len(keys)}"
    docid, documents = _docid(sample), sample.side(Side.SOURCE)
    if not docid:
        return usual._replace(name=name, notes=("this sentence cites nothing",), right="")
    if not documents:
        name = f"{name} {docid}"
        return usual._replace(name=name, notes=("its text is not available",), right="")
    return usual._replace(name=f"{name} {documents[0].title or docid}")


def tabs(sample: Sample, near: Neighbours) -> tuple[Citation, ...]:
    """The documents that the sentence of a citation cites, where it cites several."""
    keys, text = near.citations(sample.key), sample.document(Side.SUMMARY).text.rstrip()
    if len(keys) < 2 or not text:
        return ()
    before, whole = sample.id.removesuffix(_docid(sample)), Span(0, len(text))
    return tuple(Citation(0, whole, key.id.removeprefix(before), None) for key in keys)


def around(sample: Sample, near: Neighbours) -> tuple[str, str]:
    """What stands in the report before a sentence and after it; empty where nobody knows."""
    at = citing.sentence(sample)
    if near.report is None or not 0 <= at < len(near.sentences):
        return "", ""
    text, here = near.report.document(Side.SUMMARY).text, near.sentences[at]
    return text[: here.start], text[here.end :]


def pages(desk: Desk) -> list[tuple[str, str]]:
    """(title, text) of what can be read about an item beside its request; none of other samples."""
    sample = desk.sample
    told: list[tuple[str, str]] = []
    if sample.kind not in JUDGED:
        return told
    if sample.kind is Kind.REPORT:
        told.append(("Documents", citing.listing(sample, urls(sample)) or "It cites nothing."))
    else:
        told.append(("Document", _document(sample)))
    said = [f"# Rating\n{desk.assignment.rating or 'not rated'}"]
    said += [f"# Comment\n{desk.assignment.comment}"] if desk.assignment.comment else []
    return [*told, ("Rating", "\n\n".join(said))]


def urls(sample: Sample) -> Mapping[str, str]:
    """The addresses of a report's documents, by id, as far as they are told."""
    told = sample.meta.get("urls")
    if not isinstance(told, Mapping):
        return {}
    return {str(name): url for name, url in told.items() if isinstance(url, str)}


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


def _run(sample: Sample) -> str:
    """The run as the tree has it: with its team, where two teams call one so."""
    topic = str(sample.meta.get("topic_id") or "")
    report = sample.id if sample.kind is Kind.REPORT else report_id(sample.group)
    start = f"r|{topic}|"
    told = report.removeprefix(start) if report.startswith(start) else ""
    return told or str(sample.meta.get("run_id") or "")


def _docid(sample: Sample) -> str:
    return str(sample.meta.get("docid") or "")
