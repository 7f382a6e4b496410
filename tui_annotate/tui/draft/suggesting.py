"""What keys mean to suggestions: walk them, accept, change, refuse; and what the store answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.labels import Need
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft import choosing, finishing, notes
from tui_annotate.tui.draft.answering import accept, made_of
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Open, Select
from tui_annotate.tui.draft.offered import DECLINE
from tui_annotate.tui.draft.quoting import QUOTE_CELLS, cut, quoted
from tui_annotate.tui.draft.state import Draft, Pending
from tui_annotate.tui.draft.walking import show
from tui_annotate.tui.draft.words import ERROR, SAVED, WARNING, anchor_words, labels_words


def take(draft: Draft) -> Effects:
    """`y`: the suggestion in focus becomes an annotation as it is, where hands are free."""
    one = draft.focused_suggestion
    problem = _in_the_way(draft) or (_refusal(draft, one) if one else _none_here(draft))
    if one is None or problem:
        draft.say(problem, WARNING if one else "hint")
        return [Blink()]
    return accept(draft, one, made_of(draft, one))


def change(draft: Draft, one: Suggestion) -> Effects:
    """`e`: the suggestion is loaded as annotations are; Enter saves what became of it."""
    annotation = made_of(draft, one)
    draft.changing, draft.editing = one, annotation
    draft.asleep, draft.just_saved = False, ""
    # A label that the set has not could be neither saved nor taken off.
    draft.labels = [path for path in one.labels if draft.tree.find(path)]
    draft.evidence, draft.note = list(annotation.evidence), annotation.note
    return [Select(Side.SUMMARY, None)]


def refuse(draft: Draft) -> Effects:
    """`x`: asks why the suggestion in focus is refused."""
    if problem := _in_the_way(draft):
        draft.say(problem)
        return [Blink()]
    draft.pending = Pending(DECLINE)
    return []


def hide(draft: Draft) -> Effects:
    """Hides all suggestions, or shows them again; the screen remembers it."""
    if draft.changing:
        draft.say("Enter saves this one first, e leaves it")
        return [Blink()]
    if draft.focused_suggestion:
        draft.wake()
    draft.hiding = not draft.hiding
    hidden = "suggestions are hidden, in every sample: Y shows them"
    draft.say(hidden if draft.hiding else "suggestions are shown")
    if not draft.hiding and (told := opening(draft)):
        draft.say(told)
    return [Open("suggestions", 0 if draft.hiding else 1)]


def opening(draft: Draft) -> str:
    """How many suggestions wait for an answer, in words; empty for none that are shown."""
    number = len(draft.offered)
    if not number:
        return ""
    told = f"{many(number, 'suggestion')} to look at"
    return f"{told}: {draft.to_offers} walks them, y accepts · Y hides"


def _none_here(draft: Draft) -> str:
    """Why there is none to accept."""
    if draft.offered:
        return f"{draft.to_offers} walks to a suggestion"
    if draft.hiding and draft.suggestions:
        return "suggestions are hidden: Y shows them"
    return "no suggestion waits on this sample"


def _in_the_way(draft: Draft) -> str:
    """Why a suggestion can not be answered just now; empty where it can."""
    if draft.editing:
        return "Enter saves this one first, e leaves it"
    if draft.side is Side.SOURCE:
        return "Tab goes back to the suggestion"
    if draft.selection:
        return "something is selected: Backspace drops it"
    return finishing.in_hand(draft)


def _refusal(draft: Draft, one: Suggestion) -> str:
    """Why a suggestion can not be saved as it is; empty where it can."""
    if not one.labels:
        return "no label is proposed: e, then a digit"
    for path in one.labels:
        found = draft.tree.find(path)
        if found is None:
            return f"no label here is called {quoted(labels_words([path]))}: e, then a digit"
        of = one.claim or one.evidence
        if problem := choosing.closed(draft, found) or choosing.beside(draft, found, of):
            return problem
        if found.evidence is Need.NONE and one.evidence:
            return f"{found.name} takes no evidence: e, then Backspace gives it back"
    return ""


# what the store answers


def accepted(
    draft: Draft, one: Suggestion, made: Annotation | None, *, annotations: Sequence[Annotation]
) -> Effects:
    """The store has what was made of a suggestion: its own place, and a note line if one is due."""
    draft.answering.pop(one.id, None)
    draft.annotations = tuple(annotations)
    if made is None or draft.focused != one.id:
        return []
    draft.focused = draft.just_saved = made.id
    return notes.write(draft) if finishing.wants_note(draft, made) and not draft.writing else []


def declined(draft: Draft, one: Suggestion) -> None:
    """The store has the refusal."""
    draft.answering.pop(one.id, None)
    more = f" · {draft.to_offers} next" if draft.offered else ""
    what = cut(draft.label_names(one.labels), QUOTE_CELLS)
    if not one.labels and one.claim:
        what = anchor_words(draft, one.claim[0])
    draft.say(f"refused {what} of {cut(one.maker, QUOTE_CELLS)} · u undo{more}", SAVED)


def failed(draft: Draft, one: Suggestion, message: str) -> Effects:
    """The store has the answer not: the suggestion is open again, with what was changed of it."""
    made = draft.answering.pop(one.id, None)
    draft.say(f"not saved: {message}", ERROR)
    if draft.open or draft.selection or draft.writing:
        if made and made != made_of(draft, one):
            draft.unsaved.append((replace(made, id=draft.new_id()), True))
        return []
    effects = [] if draft.hiding else show(draft, one)
    if made is None or made == made_of(draft, one):
        return effects
    effects += change(draft, one)
    draft.labels, draft.evidence, draft.note = [*made.labels], [*made.evidence], made.note
    for anchor in made.claim[:1] if made.claim != one.claim else ():
        effects += [
            GoTo(anchor.side, anchor.index, anchor.span.start),
            Select(anchor.side, anchor.span),
        ]
    return effects


def open_again(draft: Draft, before: Sequence[Suggestion]) -> Suggestion | None:
    """The suggestion that an undo opened again, where it is one alone and is shown.

    Args:
        before: what was open.
    """
    known = {one.id for one in before}
    fresh = [one for one in draft.offered if one.id not in known]
    return fresh[0] if len(fresh) == 1 else None
