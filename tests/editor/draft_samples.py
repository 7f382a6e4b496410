"""A small sample on a draft, and the few words that its tests speak in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.samples import Document, Match, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.editor import cursor_actions, highlights, save_results
from tui_annotate.editor.effects import Effects, Remove, Save
from tui_annotate.editor.hints import WordHints
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.press import press
from tui_annotate.editor.screen_message import ScreenMessage
from tui_annotate.editor.state import Draft, SideCursor
from tui_annotate.editor.words import draft_line

LABELS = """
- {name: Unwanted, children: [Intrinsic, Extrinsic]}
- Benign
- {name: Sourced, evidence: required}
- {name: Bare, evidence: none, note: none}
- {name: Told, note: required}
- {name: Alone, exclusive: true}
"""
INTRINSIC: LabelPath = ("Unwanted", "Intrinsic")
SUMMARY = "The film was loved. It cost 15 million pounds. Nobody died."
SOURCE = "Critics hated it. The budget was 12 million. It rained. The end."


def segments_of(text: str) -> tuple[Segment, ...]:
    """A segment a sentence, the blank behind the stop with it."""
    starts = [0, *(at + 2 for at in range(len(text) - 2) if text[at : at + 2] == ". ")]
    return tuple(
        Segment(start, end) for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
    )


def draft(
    labels: str = LABELS, *, sources: tuple[str, ...] = (SOURCE,), summary: str = SUMMARY
) -> Draft:
    """A draft with the cursor on the first sentence, and two source sentences lit."""
    documents = (
        *(Document(Side.SOURCE, text, key=str(at)) for at, text in enumerate(sources)),
        Document(Side.SUMMARY, summary),
    )
    ids: Iterator[int] = count(1)
    made = Draft(
        Sample("films", "one", documents),
        tuple(segments_of(document.text) for document in documents),
        parse_labels(labels),
        new_id=lambda: f"id-{next(ids)}",
    )
    cursor_actions.set_pointer(made, Side.SUMMARY, SideCursor())
    if sources:
        light(made, (1, 0.9), (0, 0.6))
    return made


def light(on: Draft, *found: tuple[int, float], side: Side = Side.SOURCE) -> Effects:
    """Lights sentences (number, score) of a side's first document, best first."""
    matches = [
        Match(0, at, on.sentences(side, 0)[at].span, score, rank)
        for rank, (at, score) in enumerate(found, 1)
    ]
    return highlights.show_matches(on, side, matches)


def key(on: Draft, name: str) -> Effects:
    """A key in whatever state the draft is; letters on words take it first."""
    if on.hints:
        return cursor_actions.press_hint_key(on, name)
    action = default_keys().action(name, on.state)
    return press(on, action, digit=name if action.startswith("option.") else "")


def keys(on: Draft, names: str) -> Effects:
    """Several keys; the effects of the last one."""
    effects: Effects = []
    for name in names.split():
        effects = key(on, name)
    return effects


def select(on: Draft, words: str, side: Side = Side.SUMMARY) -> None:
    """The words become the selection of a side."""
    start = on.text(side).index(words)
    span = Span(start, start + len(words))
    cursor_actions.set_pointer(on, side, SideCursor(0, span.end, span))
    on.enable_digits()


def store(on: Draft, effects: Effects) -> Annotation:
    """Answers the one save among the effects as the store would."""
    (saved,) = [effect for effect in effects if isinstance(effect, Save)]
    kept = tuple(known for known in on.annotations if known.id != saved.annotation.id)
    everything = sorted((*kept, saved.annotation), key=lambda known: known.claim)
    cursor_actions.set_pointer(on, Side.SUMMARY, SideCursor(0, on.pointers[Side.SUMMARY].offset))
    save_results.apply_saved(on, saved.annotation, everything)
    return saved.annotation


def drop(on: Draft, effects: Effects) -> None:
    """Answers a removal as the store would."""
    (removed,) = [effect for effect in effects if isinstance(effect, Remove)]
    left = tuple(known for known in on.annotations if known.id != removed.annotation.id)
    save_results.replace_annotations(on, left, "deleted")


def anchor(on: Draft, words: str, side: Side) -> Anchor:
    """Where the words stand on a side."""
    start = on.text(side).index(words)
    return Anchor(side, 0, Span(start, start + len(words)))


def said(on: Draft) -> str:
    """The words of the draft line."""
    return draft_line(on)[0]


def typed_codes(hints: WordHints) -> dict[Span, str]:
    """What to type for each word: its code, with a capital for the second word of a pair."""
    first = {pair[0]: code for code, pair in hints.words.items()}
    return first | {
        pair[1]: code[:-1] + code[-1].upper() for code, pair in hints.words.items() if pair[1:]
    }


def code(on: Draft) -> ScreenMessage:
    """The code of the message that the draft line shows."""
    return on.message.code


def seen(on: Draft) -> Draft:
    """Every sentence was on screen."""
    on.visited.update(range(3))
    return on


def the_save(effects: list[object]) -> Annotation:
    """The annotation that is to be saved."""
    return next(effect.annotation for effect in effects if isinstance(effect, Save))
