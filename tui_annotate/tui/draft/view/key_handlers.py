"""Key handlers of the read-only viewer; no key changes stored data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft import cursor_actions, highlights
from tui_annotate.tui.draft.effects import Blink, Effects, GoTo, Reveal, Select, open_page
from tui_annotate.tui.draft.messages import NO_MESSAGE, MessageCode, StatusMessage
from tui_annotate.tui.draft.navigation import neighbour_index
from tui_annotate.tui.draft.view.messages import ViewText
from tui_annotate.tui.draft.view.state import ViewDraft


def press(draft: ViewDraft, action: str, *, digit: str = "") -> Effects:
    draft.message = NO_MESSAGE
    if action == "option.choose":
        return _choose_by_digit(draft, digit)
    handler = KEY_HANDLERS.get(action)
    return handler(draft) if handler else [Blink()]


def refuse(draft: ViewDraft, what: str) -> Effects:
    return draft.refuse_key(ViewText.NOT_IN_A_FILE, action=what)


def follow(draft: ViewDraft) -> Effects:
    """Focus the annotation under the cursor, and scroll the other text to its claim or evidence.

    An annotation that was focused by a key keeps the focus until the cursor moves.
    """
    if draft.focused or (found := draft.annotation_at_cursor()) is None:
        draft.before = draft.focused or draft.before
        return []
    draft.focused = draft.before = found.id
    across = [anchor for anchor in found.anchors if anchor.side is not draft.side]
    return [Reveal(anchor.side, anchor.index, anchor.span) for anchor in across[:1]]


# annotations


def walk(step: int, draft: ViewDraft) -> Effects:
    """Go to the next or previous annotation; the first follows the last."""
    if not draft.annotations:
        return draft.refuse_key(_describe_nothing(draft))
    return show(draft, neighbour_index(draft, draft.annotations, step))


def show(draft: ViewDraft, at: int) -> Effects:
    if not 0 <= at < len(draft.annotations):
        return [Blink()]
    annotation = draft.annotations[at]
    draft.focused, draft.hits = annotation.id, ()
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


def _choose_by_digit(draft: ViewDraft, digit: str) -> Effects:
    people = draft.bar
    at = int(digit or "0") - 1
    if not 0 <= at < len(people):
        return draft.refuse_key(MessageCode.KEY_WITHOUT_EFFECT, key=digit)
    return _choose(draft, "" if people[at] == draft.chosen else people[at])


def _show_everyone(draft: ViewDraft) -> Effects:
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


def _walk_lacking(step: int, draft: ViewDraft) -> Effects:
    if draft.missing_words:
        return highlights.walk_missing_words(step, draft)
    return draft.refuse_key(ViewText.NO_WORDS_MARKED)


# back


def leave_innermost(draft: ViewDraft) -> Effects:
    """End the search, else drop the selection, go to the summary, or show all annotators."""
    if draft.hits:
        draft.hits = ()
    elif draft.selection:
        return [Select(draft.side, None)]
    elif draft.side is Side.SOURCE:
        return cursor_actions.go_to_summary(draft)
    elif draft.chosen:
        return _show_everyone(draft)
    return []


KEY_HANDLERS: Final[Mapping[str, Callable[[ViewDraft], Effects]]] = {
    **cursor_actions.KEY_HANDLERS,
    "match.next": partial(highlights.walk_matches, 1),
    "match.previous": partial(highlights.walk_matches, -1),
    "option.list": _show_everyone,
    "back": leave_innermost,
    "annotation.next": partial(walk, 1),
    "annotation.previous": partial(walk, -1),
    "person.next": partial(person, 1),
    "person.previous": partial(person, -1),
    "sample.next": partial(open_page, "sample", step=1),
    "sample.previous": partial(open_page, "sample", step=-1),
    "sample.go": partial(open_page, "go"),
    "text.find": partial(open_page, "find"),
    "text.lacking": partial(open_page, "lacking"),
    "item.next": partial(_walk_lacking, 1),
    "item.previous": partial(_walk_lacking, -1),
    "request.show": partial(open_page, "request"),
    "layout.next": partial(open_page, "layout"),
    "help.show": partial(open_page, "help"),
    "palette.show": partial(open_page, "palette"),
    "app.back": partial(open_page, "queue"),
    "app.quit": partial(open_page, "quit"),
}
