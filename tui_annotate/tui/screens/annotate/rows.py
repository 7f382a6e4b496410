"""A draft as the values that widgets show: pure functions, one a widget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.items import JUDGED
from tui_annotate.domain.nouns import many
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.samples import Kind, Match, Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft.answers import is_placed
from tui_annotate.tui.draft.contrasting import Contrast, Place, seen
from tui_annotate.tui.draft.counting import letter
from tui_annotate.tui.draft.makers import origin_words
from tui_annotate.tui.draft.offered import DECLINE
from tui_annotate.tui.draft.state import RATING, Draft
from tui_annotate.tui.draft.words import anchor_words, digit_range, labels_words, names
from tui_annotate.tui.keys import items, suggestions
from tui_annotate.tui.keys.line import LINE
from tui_annotate.tui.keys.map import KeyMap
from tui_annotate.tui.lines import cut, shown
from tui_annotate.tui.screens.annotate import offer_rows
from tui_annotate.tui.screens.annotate.signals import is_poor
from tui_annotate.tui.widgets.annotation_list import AnnotationRow
from tui_annotate.tui.widgets.document_pane import Mark
from tui_annotate.tui.widgets.label_bar import Option
from tui_annotate.tui.widgets.match_list import MatchRow

_LONGEST = 400  # characters of a text that a row is given; it shows fewer
_REASON = 28  # cells of the names that are to be chosen of
_NAME = 16  # cells of a side's name where a document's number follows it
_ASKED = {"reason": "own words", DECLINE: "own words", RATING: "not rated"}  # what 0 stands for
_HINT_KEYS = (("letters", "word"), ("Enter", "one word"), ("Backspace", "stop"))


def reading(person: Person | None, *, practice: bool) -> str:
    """Which reading of the sample it is, where it is no usual one."""
    if practice:
        return "practice"
    return "2nd reading" if person and person.kind is PersonKind.AGAIN else ""


def bar(draft: Draft) -> tuple[list[Option], str, bool]:
    """(options, title, asleep) of the label bar."""
    options: list[Option] = [
        (
            option.digit,
            option.text,
            option.opens,
            option.chosen,
            -1 if draft.pending and draft.pending.kind in _ASKED else draft.slot(option.path),
        )
        for option in draft.options()
    ]
    pending = draft.pending
    if pending is None and (split := draft.waiting):
        return options, f"{split.name}:", False
    if pending is None:
        return options, "", draft.asleep or not draft.claim
    if pending.kind == "child":
        options.append(("0", "itself", False, False, -1))
    elif pending.kind in _ASKED:
        options.append(("0", _ASKED[pending.kind], False, False, -1))
    return options, labels_words([pending.path]) if pending.path else "", False


def key_pairs(keys: KeyMap, draft: Draft) -> tuple[tuple[str, str], ...]:
    """The key line for where the draft is, and for what it asks."""
    if draft.hints:
        return _HINT_KEYS
    question = draft.pending.kind if draft.pending else ""
    if question == "evidence" and draft.focused_match is None:
        question = "evidence by hand"
    named = items.QUESTION_LINE if is_placed(draft.sample) else LINE
    if (one := draft.focused_suggestion) and draft.asleep:
        named = suggestions.CITING_LINE if draft.cites else suggestions.LINE
        named = named if one.labels else named[1:]
    elif draft.sample.kind in JUDGED:
        alone = not draft.sample.side(Side.SOURCE) and draft.sample.kind is Kind.DOCUMENT
        named = tuple(one for one in items.LINE if not (alone and one[0] in items.NEEDS_SOURCE))
    digits = digit_range(draft.options())
    return keys.line(draft.state, question=question, digits=digits, named=named)


def help_pair(keys: KeyMap, draft: Draft) -> tuple[str, str] | None:
    """The key that shows all keys; None where it does nothing, or is text."""
    return None if draft.hints else keys.help_key(draft.state)


class Title(NamedTuple):
    """What stands over a pane; see `PaneTitle.show`."""

    name: str
    notes: tuple[str, ...]
    right: str
    extra: str = ""


def title(draft: Draft, side: Side, *, signals: str, conflict: str = "") -> Title:
    """What stands over a pane.

    Args:
        signals: what ranks the matches, in words.
        conflict: what the focused match and the selection may not agree on, in words.
    """
    sentences = draft.sentences(side)
    right = f"sentence {draft.segment(side) + 1}/{len(sentences)}" if sentences else "no text"
    if side is Side.SUMMARY:
        told = (_count(draft), offer_rows.counted(draft), _split(draft))
        return Title(draft.tree.summary_title.upper(), told, right)
    documents = draft.sample.side(side)
    name = draft.tree.source_title.upper()
    if len(documents) > 1:
        at = draft.pointers[side].document
        name = cut(shown(name), _NAME)  # so that the number is never what is cut
        name = f"{name} {at + 1}/{len(documents)} {documents[at].title or documents[at].key}"
    if not sentences:
        return Title(name, (), right)
    if conflict or not is_poor(signals):
        return Title(name, (_focused_match(draft), conflict), right, signals)
    return Title(name, (_focused_match(draft), signals), right)


def hidden(draft: Draft, side: Side) -> str:
    """That the text of a side is not on screen."""
    titles = {Side.SOURCE: draft.tree.source_title, Side.SUMMARY: draft.tree.summary_title}
    return f"{cut(shown(titles[side]), _NAME)} hidden"


def _count(draft: Draft) -> str:
    number = len(draft.annotations)
    return many(number, "annotation") if number else ""


def _split(draft: Draft) -> str:
    """How many annotations wait for a label in the place of one that was split."""
    if not any(label.split for label in draft.tree.walk()):
        return ""  # at each key: most sets have none
    number = sum(bool(draft.tree.split(known.labels)) for known in draft.annotations)
    return f"{number} to relabel" if number else ""


def _focused_match(draft: Draft) -> str:
    match, found = draft.focused_match, draft.matches[Side.SOURCE]
    return f"match {match.rank}/{len(found)} · {match.score:.2f}" if match else "no match"


def contrasted(
    draft: Draft, place: Place, found: Contrast
) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """(words that are shared, places that may contradict) on a document."""
    now = seen(draft)
    if now and place == now.lit:
        return found.shared, found.evidence
    return (), found.claims if now and place == now.own else ()


def lit_side(draft: Draft) -> Side:
    """The side whose matches are listed: the one across from the keys."""
    return Side.SUMMARY if draft.side is Side.SOURCE else Side.SOURCE


def matched(draft: Draft) -> str:
    """What the listed matches are for."""
    anchor = draft.here(draft.side)
    return f"for {anchor_words(draft, anchor)}" if anchor else ""


def match_rows(draft: Draft) -> tuple[MatchRow, ...]:
    """The listed matches, best first."""
    side = lit_side(draft)
    return tuple(_match_row(draft, side, match) for match in draft.matches[side])


def _match_row(draft: Draft, side: Side, match: Match) -> MatchRow:
    several = len(draft.sample.side(side)) > 1
    place = f"{match.document + 1}:" if several else ""
    start = match.span.start
    text = draft.text(side, match.document)[start : min(match.span.end, start + _LONGEST)]
    return MatchRow(
        rank=match.rank,
        score=match.score,
        strength=match.strength,
        position=f"{place}s{match.segment + 1}",
        text=" ".join(text.split()),
        taken=side is Side.SOURCE and draft.taken(match),
        former=side is Side.SOURCE and draft.formerly(match),
    )


def listed(draft: Draft) -> tuple[object, ...]:
    """What the list of annotations depends on."""
    return (draft.tree.version, draft.annotations, draft.offered, draft.focused, draft.editing)


def annotation_rows(
    draft: Draft, kept: dict[str, AnnotationRow] | None = None
) -> tuple[AnnotationRow, ...]:
    """The listed annotations, in reading order, then the suggestions.

    Args:
        kept: rows of suggestions as they were made for the same texts and labels; grows.
    """
    own = (
        _annotation_row(draft, annotation, letter(at))
        for at, annotation in enumerate(draft.annotations)
    )
    return (*own, *offer_rows.listed(draft, {} if kept is None else kept))


def _annotation_row(draft: Draft, annotation: Annotation, name: str) -> AnnotationRow:
    lacks = draft.tree.lacks(annotation)
    return AnnotationRow(
        letter=name,
        labels=draft.label_names(annotation.labels),
        claim=offer_rows.texts(draft, annotation.claim or annotation.evidence),
        evidence=len(annotation.evidence),
        note=" ".join(annotation.note.split()),
        draft_reason=_reason(draft, annotation, lacks),
        focused=_in_hand(draft, annotation),
        colour_slot=_slot(draft, annotation),
        maker=origin_words(annotation.suggested),
    )


def _reason(draft: Draft, annotation: Annotation, lacks: Sequence[str]) -> str:
    """What is missing, in words; empty where nothing is."""
    for split in draft.tree.split(annotation.labels):
        if parts := draft.tree.parts(split):
            return cut(shown(f"{names(parts, last=' or ')}?"), _REASON)
    return f"wants {' and '.join(lacks)}" if lacks else ""


def _in_hand(draft: Draft, annotation: Annotation) -> bool:
    return annotation.id in (draft.focused, draft.editing.id if draft.editing else "")


def _slot(draft: Draft, known: Annotation | Suggestion) -> int:
    return draft.slot(known.labels[0]) if known.labels else 0


def marks(draft: Draft, side: Side) -> tuple[Mark, ...]:
    """Annotations and suggestions as marks on the document of a side that is on screen.

    Of suggestions the claims; evidence of the one in focus alone.
    """
    at = draft.pointers[side].document
    own = (
        Mark(
            span=anchor.span,
            letter=letter(place),
            slot=_slot(draft, annotation),
            focused=_in_hand(draft, annotation),
            draft=bool(draft.tree.lacks(annotation)),
        )
        for place, annotation in enumerate(draft.annotations)
        for anchor in annotation.anchors
        if (anchor.side, anchor.index) == (side, at)
    )
    return (*own, *offer_rows.marks(draft, side, at))
