"""A file's sample as the values that widgets show: pure functions, one a widget."""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.samples import Side
from tui_annotate.tui.draft.view.state import ViewDraft
from tui_annotate.tui.draft.view.words import describe_annotation, describe_people
from tui_annotate.tui.draft.words import describe_labels
from tui_annotate.tui.line_text import cut, line_text, text_width
from tui_annotate.tui.row_widgets import Words, wrap_words
from tui_annotate.tui.screens.sample.rows import Title, quote_anchors, slot_of, title
from tui_annotate.tui.screens.sample.signals import SignalsStatus
from tui_annotate.tui.widgets.annotation_list import ListedAnnotation
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.label_bar import Option

_LABEL: Final = 16
"""Cells of a listed label, so that the annotator is visible."""

_AROUND: Final = 8
"""Cells that an option of the bar takes in addition to its text."""

_SHORTEST: Final = 6
"""Cells of an option's text, at least."""

_MOST_LINES: Final = 12
"""Lines of one fact about an annotation; the pages show all of it."""


def bar(draft: ViewDraft, cells: int) -> tuple[list[Option], str, bool]:
    """(options, title, digits_off) of the bar: whose annotations are shown.

    Names are cut so that two rows of `cells` hold all of them.
    """
    available = max(2 * cells // (len(draft.bar) + 2) - _AROUND, _SHORTEST)
    people = draft.options(available)
    options: list[Option] = [(one.digit, one.text, False, one.chosen, -1) for one in people]
    if people:
        options.append(("0", "everybody", False, not draft.chosen, -1))
    return options, "" if people else "nobody did anything here", False


def titles(draft: ViewDraft, side: Side, *, signals: SignalsStatus, conflict: str) -> Title:
    """The title of a text."""
    usual = title(draft, side, signals=signals, conflict=conflict)
    if side is Side.SOURCE:
        return usual
    total, here = len(draft.all_annotations), len(draft.annotations)
    if draft.chosen and total:
        name = draft.names.get(draft.chosen, draft.chosen)
        return usual._replace(notes=(f"{here} of {total}: {name}'s",))
    all_of_them = f"{format_count(total, 'annotation')} by {describe_people(draft)}"
    return usual._replace(notes=(all_of_them if total else "no annotations",))


def marks(draft: ViewDraft, side: Side) -> tuple[AnnotationMark, ...]:
    """Annotations as marks on the document of a side that is on screen."""
    at = draft.pointers[side].document
    return tuple(
        AnnotationMark(
            anchor.span,
            draft.letter(annotation.id),
            slot_of(draft, annotation.labels),
            focused=annotation.id == draft.focused,
        )
        for annotation in draft.annotations
        for anchor in annotation.anchors
        if (anchor.side, anchor.index) == (side, at)
    )


def annotation_rows(draft: ViewDraft) -> tuple[ListedAnnotation, ...]:
    """The listed annotations, each with its annotator."""
    return tuple(_annotation_row(draft, annotation) for annotation in draft.annotations)


def _annotation_row(draft: ViewDraft, annotation: Annotation) -> ListedAnnotation:
    labels = cut(line_text(describe_labels(annotation.labels)), _LABEL)
    return ListedAnnotation(
        letter=draft.letter(annotation.id),
        labels=f"{labels} · {draft.owner(annotation)}",
        claim=quote_anchors(draft, annotation.claim or annotation.evidence),
        evidence=len(annotation.evidence),
        note="",
        draft_reason="",
        focused=annotation.id == draft.focused,
        colour_slot=slot_of(draft, annotation.labels),
    )


def about_lines(draft: ViewDraft, cells: int) -> list[list[Words]]:
    """All facts about the focused annotation, in lines of some cells."""
    annotation = draft.focused_annotation
    if annotation is None:
        hint = "a walks to an annotation, or move onto one"
        return [[(f"   {hint if draft.annotations else 'nothing is marked'}", "quiet")]]
    facts = describe_annotation(draft, annotation)
    column = max(text_width(name) for name, _ in facts) + 2
    lines: list[list[Words]] = []
    for name, what in facts:
        head: list[Words] = [(f" {name}".ljust(column + 1), "quiet")]
        role = "strong" if name.startswith("label") else "text"
        lines += wrap_words(head, (line_text(what), role), cells - 1)[:_MOST_LINES]
    return lines
