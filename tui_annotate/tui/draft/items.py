"""What keys mean on reports, documents and citations, where that is not as elsewhere."""

from __future__ import annotations

from tui_annotate.domain.samples import Kind
from tui_annotate.tui.draft import citing, finishing, moving, walking
from tui_annotate.tui.draft.effects import Blink, Effects, Open
from tui_annotate.tui.draft.state import Draft
from tui_annotate.tui.draft.words import WARNING


def document(step: int, draft: Draft) -> Effects:
    """The next document of the source side; of a citation, the next that its sentence cites."""
    if draft.sample.kind is Kind.CITATION and draft.tabs > 1:
        return _away("tab", step, draft)
    return moving.document(step, draft)


def walk(step: int, draft: Draft) -> Effects:
    """The next open item, which on a report or a citation is a citation, unless others are."""
    if draft.nowhere or draft.lacking():
        return walking.item(step, draft)
    if draft.sample.kind is Kind.CITATION and draft.tabs:
        return _away("citation", step, draft)
    if draft.citations and not draft.editing:
        return citing.walk(step, draft)
    return walking.item(step, draft)


def _away(what: str, step: int, draft: Draft) -> Effects:
    """To another sample, unless something must not be left behind."""
    if problem := finishing.kept_back(draft):
        draft.say(problem, WARNING)
        return [Blink()]
    return [Open(what, step)]


def reorder(draft: Draft) -> Effects:
    """Documents in the judge's order, or as retrieved; nothing where no judge has sorted them."""
    if not draft.contexts.judged:
        draft.say("no judge has sorted the documents of this sample")
        return [Blink()]
    return [Open("contexts")]
