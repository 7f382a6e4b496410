"""A file's annotations in words: the draft line, and all facts about one annotation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from tui_annotate.domain.adjudication import ReviewAction
from tui_annotate.domain.annotations import ADJUDICATED, HUMAN, REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.plural import format_count
from tui_annotate.tui.draft import words
from tui_annotate.tui.draft.messages import Kind
from tui_annotate.tui.draft.review.state import WHY
from tui_annotate.tui.draft.view.state import ViewDraft
from tui_annotate.tui.draft.words import (
    DRAFT,
    HINT,
    describe_anchor,
    describe_labels,
    describe_request,
    fit_parts,
    quote_text,
)
from tui_annotate.tui.line_text import cut, line_text

_LENGTHS: Final = ((36, 9), (24, 9), (36, 3), (24, 3), (16, 3), (10, 2), (6, 1))
"""(cells of a quote, least number of parts), the fullest first."""

_TO_MINUTE: Final = len("2024-01-31T12:00")
_QUOTE: Final = 400  # cells of what is quoted from the texts
_LONGEST: Final = 20_000  # characters of fields that are written out

_ACTION_WORDS: Final = {
    ReviewAction.TAKEN: "taken as it was",
    ReviewAction.MERGED: "merged",
    ReviewAction.EDITED: "edited",
    ReviewAction.OWN: "added in review",
    ReviewAction.REJECTED: "refused",
}

_ORIGIN_WORDS: Final = {
    HUMAN: "made by hand", ADJUDICATED: "settled in review", REJECTED: "refused in review"
}  # fmt: skip

Fact = tuple[str, str]
"""A name and its value, in words."""


def draft_line(draft: ViewDraft, cells: int = 1000) -> tuple[str, Kind]:
    """(text, kind) of the draft line."""
    if draft.message:
        return draft.message.text, draft.message.kind
    if draft.hints:
        return words.draft_line(draft, cells)
    kind: Kind = DRAFT if draft.focused_annotation else HINT
    return fit_parts(partial(_focus_parts, draft), _LENGTHS, cells), kind


def _focus_parts(draft: ViewDraft, quote: int) -> Sequence[str]:
    annotation = draft.focused_annotation
    if draft.selection:
        picked = quote_text(draft.selection.of(draft.text(draft.side)), cells=quote)
        return [f"{picked} selected", "n N walk what is like it", "Backspace drops it"]
    if annotation is None:
        return _overview(draft)
    count, labels = len(annotation.evidence), describe_labels(annotation.labels)
    return [
        f"{draft.letter(annotation.id)} {cut(line_text(labels), quote)}",
        cut(line_text(draft.owner(annotation)), quote),
        quote_text(annotation.note, cells=2 * quote) if annotation.note else "",
        _describe_review(annotation),
        f"{count} evidence" if count else "no evidence",
        "g all about it",
    ]


def _overview(draft: ViewDraft) -> Sequence[str]:
    shown, total = len(draft.annotations), len(draft.all_annotations)
    if draft.chosen and total:
        name = draft.names.get(draft.chosen, draft.chosen)
        theirs = f"{shown} of {format_count(total, 'annotation')}: {name}'s"
        return [theirs, "a walks them", "0 everybody's"]
    if not total:
        read = [one.person for one in draft.assignments if one.state is State.DONE]
        names = ", ".join(draft.names.get(person, person) for person in read)
        found = f"read by {names}: nothing marked" if names else "nobody marked anything here"
        return [found, "> next sample", "q list"]
    found = f"{format_count(total, 'annotation')} by {describe_people(draft)}"
    return [found, "a walks them", "p one person's"]


def describe_people(draft: ViewDraft) -> str:
    """The only annotator of the sample by name, else the number of annotators."""
    names = {draft.owner(owned.annotation) for owned in draft.all_annotations}
    return names.pop() if len(names) == 1 else format_count(len(names), "person", "people")


def _describe_review(annotation: Annotation) -> str:
    if annotation.settled:
        return f"review: {_ACTION_WORDS[annotation.settled.how]}"
    return "refused in review" if annotation.origin == REJECTED else ""


# all about one of them


def describe_annotation(draft: ViewDraft, annotation: Annotation) -> list[Fact]:
    """All facts of an annotation, the most important first, without empty ones."""
    names = [JOINER.join(path) for path in annotation.labels] or ["none"]
    facts = [
        ("label" if len(names) == 1 else "labels", ", ".join(names)),
        ("by", draft.owner(annotation)),
        ("note", annotation.note),
        *(("claim", _quote_anchor(draft, anchor)) for anchor in annotation.claim),
        *(("evidence", _quote_anchor(draft, anchor)) for anchor in annotation.evidence),
        ("evidence", "" if annotation.evidence else "none"),
        *_review_facts(draft, annotation),
        ("origin", _origin_fact(annotation.origin)),
        ("made", format_time(annotation.created)),
        ("changed", format_time(annotation.updated) if annotation.version > 1 else ""),
        ("version", str(annotation.version) if annotation.version > 1 else ""),
        ("label set", annotation.label_set[:12]),
        ("guidelines", annotation.guidelines[:12]),
    ]
    return [fact for fact in facts if fact[1]]


def _quote_anchor(draft: ViewDraft, anchor: Anchor) -> str:
    described = describe_anchor(draft, anchor, cells=_QUOTE)
    if described.startswith("sentence "):
        text = anchor.span.of(draft.text(anchor.side, anchor.index))
        described = f"{described}, {quote_text(text, cells=_QUOTE)}"
    several = len(draft.sample.side(anchor.side)) > 1
    return f"{described} (document {anchor.index + 1})" if several else described


def _review_facts(draft: ViewDraft, annotation: Annotation) -> list[Fact]:
    settled = annotation.settled
    if settled is None:
        return []
    note = quote_text(settled.note) if settled.note else ""
    why = ", ".join(filter(None, [WHY.get(settled.reason, ""), note]))
    sources = sorted(filter(None, map(draft.letter, settled.sources)))
    gone = len(settled.sources) - len(sources)
    of = [*sources, *([f"{gone} that the file does not hold"] if gone else [])]
    return [
        ("settled", _ACTION_WORDS[settled.how] + (f": {why}" if why else "")),
        ("made of", ", ".join(of)),
        ("settled by", draft.names.get(settled.by, settled.by)),
    ]


def _origin_fact(origin: str) -> str:
    kind, _, name = origin.partition(":")
    if name:
        return f"{'a machine: ' if kind == 'machine' else 'imported from '}{name}"
    return _ORIGIN_WORDS.get(origin, origin)


def format_time(at: str) -> str:
    """A time to the minute, in UTC; empty for none."""
    return f"{at[:_TO_MINUTE].replace('T', ' ')} UTC" if at else ""


# all about the sample


def build_pages(draft: ViewDraft) -> list[tuple[str, str]]:
    """(title, text) of all pages about the sample, the focused annotation first."""
    sample = draft.sample
    found: list[tuple[str, str]] = []
    annotation = draft.focused_annotation
    if annotation:
        title = f"Annotation {draft.letter(annotation.id)}"
        text = "\n".join(f"{name}: {what}" for name, what in describe_annotation(draft, annotation))
        if annotation.imported:
            text += f"\n\nAs it came:\n{_format_json(annotation.imported)}"
        found.append((title, text))
    found.append(("People", "\n\n".join(_list_people(draft)) or "The file names nobody here."))
    found.append(("Request", describe_request(sample.request) or "It came without a request."))
    facts = [("dataset", sample.dataset), ("id", sample.id), ("kind", sample.kind.value)]
    facts += [("group", sample.group)] if sample.group else []
    titles = [f"{one.side} {one.key} {one.title}".strip() for one in sample.documents]
    facts += [("document", title) for title in titles]
    fields = f"\n\n{_format_json(sample.meta)}" if sample.meta else ""
    found.append(("Sample", "\n".join(f"{name}: {what}" for name, what in facts) + fields))
    return found


def _list_people(draft: ViewDraft) -> list[str]:
    by_person = {one.person: one for one in draft.assignments}
    people = []
    for person in draft.people:
        count, work = draft.count(person), by_person.get(person)
        name = draft.names.get(person, person)
        lines = [f"{name}: {format_count(count, 'annotation')}"]
        lines += [f"  id: {person}"] if person != name else []
        if work:
            lines += [f"  state: {work.state}"] if work.state is not State.NEW else []
            lines += [f"  rating: {work.rating}"] if work.rating else []
            lines += [f"  note: {work.comment}"] if work.comment else []
            lines += [f"  time: {work.seconds:.0f} s"] if work.seconds else []
            lines += [f"  changed: {format_time(work.updated)}"] if work.updated else []
        people.append("\n".join(lines))
    return people


def _format_json(value: Mapping[str, Any]) -> str:
    text = json.dumps(dict(value), ensure_ascii=False, indent=2)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"
