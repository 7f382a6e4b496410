"""Key handlers of the read-only viewer; no key changes stored data."""

from __future__ import annotations

from tui_annotate.domain.samples import Side
from tui_annotate.editor import cursor_actions, highlights
from tui_annotate.editor.effects import Blink, Effects, GoTo, Reveal, Select
from tui_annotate.editor.messages import MessageCode, StatusMessage
from tui_annotate.editor.navigation import neighbour_index
from tui_annotate.editor.search_hits import NO_SEARCH
from tui_annotate.editor.view.messages import ViewText
from tui_annotate.editor.view.state import ViewDraft


def refuse(draft: ViewDraft, what: str) -> Effects:
    """Refuse an action, described by `what`, that a read-only file does not have."""
    return draft.refuse_key(ViewText.NOT_IN_A_FILE, action=what)


def follow(draft: ViewDraft) -> Effects:
    """Focus the annotation under the cursor, and scroll the other text to its claim or evidence.

    An annotation that was focused by a key keeps the focus until the cursor moves.
    """
    if draft.focused or (found := draft.annotation_at_cursor()) is None:
        draft.before = draft.focused or draft.before
        return []
    draft.focus_annotation(found.id)
    draft.before = found.id
    across = [anchor for anchor in found.anchors if anchor.side is not draft.side]
    return [Reveal(anchor.side, anchor.index, anchor.span) for anchor in across[:1]]


# annotations


def walk(step: int, draft: ViewDraft) -> Effects:
    """Go to the next or previous annotation; the first follows the last."""
    if not draft.annotations:
        return draft.refuse_key(_describe_nothing(draft))
    return show(draft, neighbour_index(draft, draft.annotations, step))


def show(draft: ViewDraft, at: int) -> Effects:
    """Focus the shown annotation with an index, and go or scroll to its first spans."""
    if not 0 <= at < len(draft.annotations):
        return [Blink()]
    annotation = draft.annotations[at]
    draft.focus_annotation(annotation.id)
    draft.search = NO_SEARCH
    effects: Effects = []
    for anchor in (*annotation.claim[:1], *annotation.evidence[:1]):
        there = (anchor.side, anchor.index)
        with_cursor = anchor.side is draft.side or not annotation.claim
        effects.append(
            GoTo(*there, anchor.span.start) if with_cursor else Reveal(*there, anchor.span)
        )
    return effects


def _describe_nothing(draft: ViewDraft) -> StatusMessage:
    if not draft.chosen:
        return StatusMessage(ViewText.NO_ANNOTATION_IN_SAMPLE)
    name = draft.names.get(draft.chosen, draft.chosen)
    return StatusMessage(ViewText.NO_ANNOTATION_OF_PERSON, {"name": name})


# people


def choose_by_digit(draft: ViewDraft, digit: str) -> Effects:
    """Show one person's annotations; again, or with the digit 0, those of all people."""
    if digit == "0":
        return show_everyone(draft)
    people = draft.bar
    at = int(digit) - 1
    if at >= len(people):
        return draft.refuse_key(MessageCode.KEY_WITHOUT_EFFECT, key=digit)
    return _choose(draft, "" if people[at] == draft.chosen else people[at])


def show_everyone(draft: ViewDraft) -> Effects:
    """Show the annotations of all people."""
    return _choose(draft, "")


def person(step: int, draft: ViewDraft) -> Effects:
    """Show only the next or previous person's annotations; after the last person, all people's."""
    people = ("", *draft.people)
    if len(people) == 1:
        return draft.refuse_key(ViewText.NO_PEOPLE)
    at = people.index(draft.chosen) if draft.chosen in people else 0
    return _choose(draft, people[(at + step) % len(people)])


def _choose(draft: ViewDraft, chosen: str) -> Effects:
    draft.show(chosen)
    if chosen and not draft.annotations:
        draft.say(_describe_nothing(draft))
    return []


# words not found on the other side


def walk_missing_words(step: int, draft: ViewDraft) -> Effects:
    """Go to the next or previous word that the other text lacks, if such words are marked."""
    if draft.missing_words:
        return highlights.walk_missing_words(step, draft)
    return draft.refuse_key(ViewText.NO_WORDS_MARKED)


# back


def leave_innermost(draft: ViewDraft) -> Effects:
    """End the search, else deselect, go to the summary, or show all annotators."""
    if draft.search.hits:
        draft.search = NO_SEARCH
    elif draft.selection:
        return [Select(draft.side, None)]
    elif draft.side is Side.SOURCE:
        return cursor_actions.go_to_summary(draft)
    elif draft.chosen:
        return show_everyone(draft)
    return []
