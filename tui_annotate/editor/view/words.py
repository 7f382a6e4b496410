"""The texts of the read-only viewer: status line, and details of an annotation or sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, HUMAN, REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.line_text import cut, line_text
from tui_annotate.editor import words
from tui_annotate.editor.glyphs import STATE_NAMES
from tui_annotate.editor.messages import Kind
from tui_annotate.editor.review.questions import describe_reason
from tui_annotate.editor.view.messages import ViewText
from tui_annotate.editor.view.state import ViewDraft
from tui_annotate.editor.words import (
    DRAFT,
    HINT,
    describe_anchor,
    describe_labels,
    describe_request,
    fit_parts,
    quote_text,
)

_LENGTHS: Final = ((36, 9), (24, 9), (36, 3), (24, 3), (16, 3), (10, 2), (6, 1))
"""Steps in which the status line is shortened: (maximum quote width, minimum number of parts).

Widths are in terminal cells; the last part (a phrase) is dropped first.
"""

_TO_MINUTE: Final = len("2024-01-31T12:00")
_QUOTE: Final = 400  # cells of a quote from the texts
_LONGEST: Final = 20_000  # maximum characters of fields that are shown in full

_DECISIONS: Final = {
    ReviewAction.TAKEN: ViewText.DECISION_TAKEN,
    ReviewAction.MERGED: ViewText.DECISION_MERGED,
    ReviewAction.EDITED: ViewText.DECISION_EDITED,
    ReviewAction.OWN: ViewText.DECISION_OWN,
    ReviewAction.REJECTED: ViewText.DECISION_REJECTED,
}

_ORIGINS: Final = {
    HUMAN: ViewText.BY_HAND, ADJUDICATED: ViewText.ADJUDICATED, REJECTED: ViewText.REJECTED
}  # fmt: skip

Fact = tuple[str, str]
"""Name and value of one property of an annotation."""


def draft_line(draft: ViewDraft, cells: int = 1000) -> tuple[str, Kind]:
    """Return the viewer's status line and its kind, such as `hint`."""
    if draft.message:
        return draft.message.text, draft.message.kind
    if draft.hints:
        return words.draft_line(draft, cells)
    kind: Kind = DRAFT if draft.focused_annotation else HINT
    return fit_parts(partial(_focus_parts, draft), _LENGTHS, cells), kind


def _focus_parts(draft: ViewDraft, quote: int) -> Sequence[str]:
    annotation = draft.focused_annotation
    if draft.selection:
        selected = quote_text(draft.selection.of(draft.text(draft.side)), cells=quote)
        return [
            ViewText.SELECTED.text(selection=selected),
            ViewText.SIMILAR.text(),
            ViewText.DESELECT.text(),
        ]
    if annotation is None:
        return _overview(draft)
    count = len(annotation.evidence)
    labels = describe_labels(annotation.labels)
    return [
        ViewText.FOCUSED.text(
            letter=draft.letter(annotation.id), labels=cut(line_text(labels), quote)
        ),
        cut(line_text(draft.owner(annotation)), quote),
        quote_text(annotation.note, cells=2 * quote) if annotation.note else "",
        _describe_review(annotation),
        ViewText.EVIDENCE.text(count=count) if count else ViewText.NO_EVIDENCE.text(),
        ViewText.ALL_DETAILS.text(),
    ]


def _overview(draft: ViewDraft) -> Sequence[str]:
    shown = len(draft.annotations)
    total = len(draft.all_annotations)
    if draft.chosen and total:
        name = draft.names.get(draft.chosen, draft.chosen)
        theirs = ViewText.SHOWN_OF_PERSON.text(shown=shown, count=total, name=name)
        return [theirs, ViewText.NEXT_ANNOTATION.text(), ViewText.ALL_PEOPLE.text()]
    if not total:
        read = [one.person for one in draft.assignments if one.state is State.DONE]
        names = ", ".join(draft.names.get(person, person) for person in read)
        found = ViewText.READ_BY if names else ViewText.NO_ANNOTATIONS
        return [found.text(names=names), ViewText.NEXT_SAMPLE.text(), ViewText.LIST.text()]
    by = ViewText.ANNOTATIONS_BY.text(count=total, people=describe_people(draft))
    return [by, ViewText.NEXT_ANNOTATION.text(), ViewText.ONE_PERSON.text()]


def describe_people(draft: ViewDraft) -> str:
    """Return the name of the only annotator, else the number of annotators."""
    names = {draft.owner(owned.annotation) for owned in draft.all_annotations}
    return names.pop() if len(names) == 1 else ViewText.PEOPLE_COUNT.text(count=len(names))


def _describe_review(annotation: Annotation) -> str:
    if annotation.settled:
        return ViewText.REVIEW.text(decision=_DECISIONS[annotation.settled.how].text())
    return ViewText.REJECTED.text() if annotation.origin == REJECTED else ""


# all details of one annotation


def describe_annotation(draft: ViewDraft, annotation: Annotation) -> list[Fact]:
    """Return all details of an annotation, the most important first, without empty values."""
    names = [JOINER.join(path) for path in annotation.labels] or [ViewText.NONE.text()]
    facts = [
        (ViewText.FACT_LABELS.text(count=len(names)), ", ".join(names)),
        (ViewText.FACT_BY.text(), draft.owner(annotation)),
        (ViewText.FACT_NOTE.text(), annotation.note),
        *(
            (ViewText.FACT_CLAIM.text(), _quote_anchor(draft, anchor))
            for anchor in annotation.claim
        ),
        *(
            (ViewText.FACT_EVIDENCE.text(), _quote_anchor(draft, anchor))
            for anchor in annotation.evidence
        ),
        (ViewText.FACT_EVIDENCE.text(), "" if annotation.evidence else ViewText.NONE.text()),
        *_review_facts(draft, annotation),
        (ViewText.FACT_ORIGIN.text(), _origin_fact(annotation.origin)),
        (ViewText.FACT_MADE.text(), format_time(annotation.created)),
        (
            ViewText.FACT_CHANGED.text(),
            format_time(annotation.updated) if annotation.version > 1 else "",
        ),
        (ViewText.FACT_VERSION.text(), str(annotation.version) if annotation.version > 1 else ""),
        (ViewText.FACT_LABEL_SET.text(), annotation.label_set[:12]),
        (ViewText.FACT_GUIDELINES.text(), annotation.guidelines[:12]),
    ]
    return [fact for fact in facts if fact[1]]


def _quote_anchor(draft: ViewDraft, anchor: Anchor) -> str:
    described = describe_anchor(draft, anchor, cells=_QUOTE)
    quote = quote_text(anchor.span.of(draft.text(anchor.side, anchor.index)), cells=_QUOTE)
    if described != quote:  # a whole sentence, which has been described by its number
        described = ViewText.QUOTED_SENTENCE.text(sentence=described, quote=quote)
    if len(draft.sample.side(anchor.side)) < 2:
        return described
    return ViewText.IN_DOCUMENT.text(anchor=described, number=anchor.index + 1)


def _review_facts(draft: ViewDraft, annotation: Annotation) -> list[Fact]:
    settled = annotation.settled
    if settled is None:
        return []
    note = quote_text(settled.note) if settled.note else ""
    reason = ", ".join(filter(None, [describe_reason(settled.reason), note]))
    decision = _DECISIONS[settled.how].text()
    if reason:
        decision = ViewText.DECISION_REASON.text(decision=decision, reason=reason)
    sources = sorted(filter(None, map(draft.letter, settled.sources)))
    missing = len(settled.sources) - len(sources)
    of = list(sources)
    if missing:
        of.append(ViewText.MISSING_SOURCES.text(count=missing))
    return [
        (ViewText.FACT_ADJUDICATED.text(), decision),
        (ViewText.FACT_BASED_ON.text(), ", ".join(of)),
        (ViewText.FACT_ADJUDICATED_BY.text(), draft.names.get(settled.by, settled.by)),
    ]


def _origin_fact(origin: str) -> str:
    kind, _, name = origin.partition(":")
    if name:
        return (ViewText.OF_MACHINE if kind == "machine" else ViewText.IMPORTED).text(name=name)
    return _ORIGINS[origin].text() if origin in _ORIGINS else origin


def format_time(at: str) -> str:
    """Format a time to the minute, in UTC; an empty time gives an empty text."""
    return ViewText.TIME.text(time=at[:_TO_MINUTE].replace("T", " ")) if at else ""


# all pages about the sample


def build_pages(draft: ViewDraft) -> list[tuple[str, str]]:
    """Return (title, text) of each page of the dialog with all details of the sample."""
    sample = draft.sample
    found: list[tuple[str, str]] = []
    annotation = draft.focused_annotation
    if annotation:
        title = ViewText.PAGE_ANNOTATION.text(letter=draft.letter(annotation.id))
        text = _list_facts(describe_annotation(draft, annotation))
        if annotation.imported:
            text += f"\n\n{ViewText.AS_IMPORTED.text()}\n{_format_json(annotation.imported)}"
        found.append((title, text))
    people = "\n\n".join(_list_people(draft)) or ViewText.NO_NAMES.text()
    found.append((ViewText.PAGE_PEOPLE.text(), people))
    request = describe_request(sample.request) or ViewText.NO_REQUEST.text()
    found.append((ViewText.PAGE_REQUEST.text(), request))
    facts = [
        (ViewText.FACT_DATASET.text(), sample.dataset),
        (ViewText.FACT_ID.text(), sample.id),
        (ViewText.FACT_KIND.text(), sample.kind.value),
    ]
    if sample.group:
        facts.append((ViewText.FACT_GROUP.text(), sample.group))
    titles = [f"{one.side} {one.key} {one.title}".strip() for one in sample.documents]
    facts += [(ViewText.FACT_DOCUMENT.text(), title) for title in titles]
    fields = f"\n\n{_format_json(sample.meta)}" if sample.meta else ""
    found.append((ViewText.PAGE_SAMPLE.text(), _list_facts(facts) + fields))
    return found


def _list_facts(facts: Sequence[Fact]) -> str:
    return "\n".join(ViewText.FACT.text(name=name, value=value) for name, value in facts)


def _list_people(draft: ViewDraft) -> list[str]:
    by_person = {one.person: one for one in draft.assignments}
    people = []
    for person in draft.people:
        count = draft.count(person)
        work = by_person.get(person)
        name = draft.names.get(person, person)
        facts = []
        if person != name:
            facts.append(ViewText.PERSON_ID.text(id=person))
        if work:
            facts += _list_work(work)
        head = ViewText.ANNOTATIONS_OF.text(name=name, count=count)
        people.append("\n  ".join([head, *facts]))
    return people


def _list_work(work: Assignment) -> Iterator[str]:
    if work.state is not State.NEW:
        yield ViewText.PERSON_STATE.text(state=STATE_NAMES[work.state].text())
    if work.rating:
        yield ViewText.PERSON_RATING.text(rating=work.rating)
    if work.comment:
        yield ViewText.PERSON_NOTE.text(note=work.comment)
    if work.seconds:
        yield ViewText.PERSON_TIME.text(seconds=work.seconds)
    if work.updated:
        yield ViewText.PERSON_CHANGED.text(time=format_time(work.updated))


def _format_json(value: Mapping[str, Any]) -> str:
    text = json.dumps(dict(value), ensure_ascii=False, indent=2)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"
