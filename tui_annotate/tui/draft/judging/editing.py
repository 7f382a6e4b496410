"""Editing in review, with the keys of annotators; and what the store answers."""

from __future__ import annotations

from tui_annotate.domain.annotations import ADJUDICATED, Annotation
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import moving
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Select
from tui_annotate.tui.draft.judging.state import Judging
from tui_annotate.tui.draft.relabelling import Relabelling
from tui_annotate.tui.draft.words import SAVED, WARNING
from tui_annotate.tui.keys.review import LEAVING


def edit_here(draft: Judging) -> Effects:
    """What was made in the place in hand, else the rival that is in hand, is loaded."""
    found = [one for one in draft.standing() if not draft.chosen or one in _made(draft)]
    if len(found) == 1:
        return edit(draft, found[0], ())
    if draft.group is None:
        draft.say("there is nothing here to edit · + adds a selection as your own")
        return [Blink()]
    rivals = draft.in_hand or (draft.rivals if len(draft.rivals) == 1 else ())
    if len(rivals) != 1:
        draft.say("which one? a digit chooses a rival, e edits it then")
        return [Blink()]
    (rival,) = rivals
    fresh = Annotation(
        draft.new_id(), rival.claim, rival.evidence, rival.labels, rival.note, ADJUDICATED
    )
    return edit(draft, fresh, rival.sources)


def _made(draft: Judging) -> tuple[Annotation, ...]:
    return draft.made_of(draft.chosen) if draft.chosen else ()


def add_own(draft: Judging) -> Effects:
    """The selection is loaded as an annotation of the reviewer's own."""
    if draft.side is Side.SOURCE or not draft.selection or not draft.claim:
        draft.say("select words of the summary first (f, v or .), + adds them then")
        return [Blink()]
    fresh = Annotation(draft.new_id(), draft.claim, origin=ADJUDICATED)
    return edit(draft, fresh, ())


def edit(draft: Judging, annotation: Annotation, sources: tuple[str, ...]) -> Effects:
    """An annotation is loaded as annotators edit theirs; Enter saves it."""
    draft.sources[annotation.id] = sources
    draft.originals[annotation.id] = annotation
    draft.editing, draft.asleep = annotation, False
    # A label that the set has not could be neither saved nor taken off.
    draft.labels = [path for path in annotation.labels if draft.tree.find(path)]
    draft.evidence, draft.note = list(annotation.evidence), annotation.note
    claims: Effects = [
        GoTo(anchor.side, anchor.index, anchor.span.start) for anchor in annotation.claim[:1]
    ]
    return [*moving.to_summary(draft), Select(Side.SUMMARY, None), *claims]


def given_back(draft: Judging, annotation: Annotation, message: str) -> Effects:
    """The store refused an edit: it is in hand again, as it was about to be saved."""
    annotation, _ = draft.saving.pop(annotation.id, (annotation, False))
    before = draft.originals.get(annotation.id, annotation)
    effects = edit(draft, before, draft.sources.get(annotation.id, ()))
    draft.labels, draft.evidence = list(annotation.labels), list(annotation.evidence)
    draft.note = annotation.note
    if annotation.claim != before.claim:
        effects += [Select(anchor.side, anchor.span) for anchor in annotation.claim[:1]]
    draft.say(message, WARNING)
    return effects


def relabel(draft: Judging, change: Relabelling) -> None:
    """Another label set is in force, and what people said is as the store has it now.

    What edits began from is called as it is now; they are of the rival that theirs went into.
    """
    for name, sources in draft.sources.items():
        rivals = (rival.sources for group in draft.groups for rival in group.rivals)
        found = (each for each in rivals if sources and set(sources) <= set(each))
        draft.sources[name] = next(found, sources)
    draft.originals = {
        name: change.of(one, [change.path(path) for path in one.labels])
        for name, one in draft.originals.items()
    }


def settled(draft: Judging, now: tuple[Annotation, ...], text: str) -> None:
    """The store has it: what stands, and words for it."""
    held = draft.spot
    draft.saving.clear()
    draft.settled = now
    draft.annotations = tuple(one for one in now if one.origin == ADJUDICATED)
    draft.focused = draft.just_saved = ""
    draft.asleep = False
    if held and held.group:
        wanted = held.group.sources
        draft.at = next(
            (at for at, one in enumerate(draft.spots) if one.group and one.group.sources == wanted),
            -1,
        )
    else:
        draft.at = min(draft.at, len(draft.spots) - 1)
    if draft.pending and draft.pending.kind == LEAVING and not draft.undecided():
        draft.pending = None
    draft.say(text, SAVED)
