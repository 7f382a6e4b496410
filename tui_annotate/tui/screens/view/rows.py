"""A file's sample as the values that widgets show: pure functions, one a widget."""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.nouns import many
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.viewing.words import about, people_words
from tui_annotate.tui.draft.words import labels_words
from tui_annotate.tui.lines import cut, shown, width, wrapped
from tui_annotate.tui.screens.annotate.rows import Title, title
from tui_annotate.tui.widgets.annotation_list import AnnotationRow
from tui_annotate.tui.widgets.document_pane import Mark
from tui_annotate.tui.widgets.label_bar import Option
from tui_annotate.tui.words import Words

_LONGEST: Final = 400
"""Characters of a text that a row is given; it shows fewer."""

_LABEL: Final = 16
"""Cells of a listed label, so that whose it is can be seen."""

_AROUND: Final = 8
"""Cells that an option of the bar takes beside its text."""

_SHORTEST: Final = 6
"""Cells of an option's text, at least."""

_MOST_LINES: Final = 12
"""Of one fact about an annotation; all of it stands in the pages."""


def bar(draft: Viewing, cells: int) -> tuple[list[Option], str, bool]:
    """(options, title, asleep) of the bar: whose annotations are shown.

    Names are cut so that two rows of `cells` hold all of them.
    """
    room = max(2 * cells // (len(draft.bar) + 2) - _AROUND, _SHORTEST)
    people = draft.options(room)
    options: list[Option] = [(one.digit, one.text, False, one.chosen, -1) for one in people]
    if people:
        options.append(("0", "everybody", False, not draft.chosen, -1))
    return options, "" if people else "nobody did anything here", False


def titles(draft: Viewing, side: Side, *, signals: str, conflict: str) -> Title:
    """What stands over a text."""
    told = title(draft, side, signals=signals, conflict=conflict)
    if side is Side.SOURCE:
        return told
    total, here = len(draft.everybody), len(draft.annotations)
    if draft.chosen and total:
        name = draft.names.get(draft.chosen, draft.chosen)
        return told._replace(notes=(f"{here} of {total}: {name}'s",))
    all_of_them = f"{many(total, 'annotation')} by {people_words(draft)}"
    return told._replace(notes=(all_of_them if total else "no annotations",))


def marks(draft: Viewing, side: Side) -> tuple[Mark, ...]:
    """Annotations as marks on the document of a side that is on screen."""
    at = draft.pointers[side].document
    return tuple(
        Mark(
            anchor.span,
            draft.letter(annotation.id),
            _slot(draft, annotation),
            focused=annotation.id == draft.focused,
        )
        for annotation in draft.annotations
        for anchor in annotation.anchors
        if (anchor.side, anchor.index) == (side, at)
    )


def _slot(draft: Viewing, annotation: Annotation) -> int:
    return draft.slot(annotation.labels[0]) if annotation.labels else 0


def annotation_rows(draft: Viewing) -> tuple[AnnotationRow, ...]:
    """The listed annotations, each with whose it is."""
    return tuple(_row(draft, annotation) for annotation in draft.annotations)


def _row(draft: Viewing, annotation: Annotation) -> AnnotationRow:
    texts = (
        draft.text(anchor.side, anchor.index)[anchor.span.start : anchor.span.end][:_LONGEST]
        for anchor in annotation.claim or annotation.evidence
    )
    return AnnotationRow(
        letter=draft.letter(annotation.id),
        labels=f"{cut(shown(labels_words(annotation.labels)), _LABEL)} · {draft.owner(annotation)}",
        claim=" … ".join(" ".join(text.split()) for text in texts),
        evidence=len(annotation.evidence),
        note="",
        draft_reason="",
        focused=annotation.id == draft.focused,
        colour_slot=_slot(draft, annotation),
    )


def about_lines(draft: Viewing, cells: int) -> list[list[Words]]:
    """All about the annotation in hand, in lines of some cells."""
    annotation = draft.focused_annotation
    if annotation is None:
        told = "a walks to an annotation, or move onto one"
        return [[(f"   {told if draft.annotations else 'nothing is marked'}", "quiet")]]
    facts = about(draft, annotation)
    column = max(width(name) for name, _ in facts) + 2
    lines: list[list[Words]] = []
    for name, what in facts:
        first, *rest = wrapped(shown(what), cells - column - 2)[:_MOST_LINES]
        role = "strong" if name.startswith("label") else "text"
        lines.append([(f" {name}".ljust(column + 1), "quiet"), (first, role)])
        lines += [[(" " * (column + 1) + piece, role)] for piece in rest]
    return lines
