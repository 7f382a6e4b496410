"""Pure functions that turn a sample of a viewed file into the values of the widgets."""

from __future__ import annotations

from typing import Final

from tui_annotate.domain.annotations import Annotation
from tui_annotate.domain.line_text import cut, line_text, text_width
from tui_annotate.domain.samples import Side
from tui_annotate.editor.screen_message import Plural, ScreenMessage
from tui_annotate.editor.view.state import ViewDraft
from tui_annotate.editor.view.words import describe_annotation, describe_people
from tui_annotate.editor.words import describe_labels
from tui_annotate.tui.row_widgets import Words, wrap_words
from tui_annotate.tui.screens.sample.rows import Title, quote_anchors, slot_of, title
from tui_annotate.tui.screens.sample.signals import SignalsStatus
from tui_annotate.tui.widgets.annotation_list import ListedAnnotation
from tui_annotate.tui.widgets.document_pane import AnnotationMark
from tui_annotate.tui.widgets.label_bar import Option


class ViewMessage(ScreenMessage):
    """Texts of the read-only viewer, except the texts of the status line (see `ViewText`)."""

    EVERYONE = "everyone"
    NO_WORK = "No annotators here"
    ANNOTATIONS_OF_ONE = "{shown} of {total} annotations, made by {name}"
    ANNOTATIONS_OF_ALL = Plural(
        "{count:,} annotation by {people}", "{count:,} annotations by {people}"
    )
    NO_ANNOTATIONS = "no annotations"
    NO_ANNOTATION_SHOWN = "No annotations"
    HOW_TO_FOCUS = "Press a, or move the cursor, to focus an annotation"
    ANNOTATIONS_TITLE = "ANNOTATIONS"
    ABOUT_TITLE = "ABOUT"


_LABEL: Final = 16
"""Maximum width of a label in the list in cells, so that the annotator's name is visible."""

_AROUND: Final = 8
"""Width in cells of the digit, glyph and spaces around the text of an option on the label bar."""

_SHORTEST: Final = 6
"""Minimum width in cells for the text of an option on the label bar, on narrow screens too."""

_MOST_LINES: Final = 12
"""Maximum lines of one property of an annotation, such as its note; key `g` shows all lines."""


def bar(draft: ViewDraft, cells: int) -> tuple[list[Option], str, bool]:
    """Return the label bar's option of each annotator; names are cut to fit two rows of `cells`."""
    available = max(2 * cells // (len(draft.bar) + 2) - _AROUND, _SHORTEST)
    people = draft.options(available)
    options: list[Option] = [(one.digit, one.text, False, one.chosen, -1) for one in people]
    if people:
        options.append(("0", ViewMessage.EVERYONE.text(), False, not draft.chosen, -1))
    return options, "" if people else ViewMessage.NO_WORK.text(), False


def titles(draft: ViewDraft, side: Side, *, signals: SignalsStatus, conflict: str) -> Title:
    """Return the title of the summary or source; the summary's has the number of annotations."""
    usual = title(draft, side, signals=signals, conflict=conflict)
    if side is Side.SOURCE:
        return usual
    total = len(draft.all_annotations)
    here = len(draft.annotations)
    if draft.chosen and total:
        name = draft.names.get(draft.chosen, draft.chosen)
        note = ViewMessage.ANNOTATIONS_OF_ONE.text(shown=here, total=total, name=name)
        return usual._replace(notes=(note,))
    message = ViewMessage.ANNOTATIONS_OF_ALL if total else ViewMessage.NO_ANNOTATIONS
    note = message.text(count=total, people=describe_people(draft))
    return usual._replace(notes=(note,))


def marks(draft: ViewDraft, side: Side) -> tuple[AnnotationMark, ...]:
    """Return the highlights of the shown annotations in the document that a pane shows."""
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
    """Return the list rows of the shown annotations, in the draft's order."""
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
    """Return the lines about the focused annotation; without one, a line on how to focus one."""
    annotation = draft.focused_annotation
    if annotation is None:
        message = ViewMessage.NO_ANNOTATION_SHOWN
        if draft.annotations:
            message = ViewMessage.HOW_TO_FOCUS
        return [[(f"   {message.text()}", "quiet")]]
    facts = describe_annotation(draft, annotation)
    column = max(text_width(name) for name, _ in facts) + 2
    lines: list[list[Words]] = []
    for name, what in facts:
        head: list[Words] = [(f" {name}".ljust(column + 1), "quiet")]
        role = "strong" if name.startswith("label") else "text"
        lines += wrap_words(head, (line_text(what), role), cells - 1)[:_MOST_LINES]
    return lines
