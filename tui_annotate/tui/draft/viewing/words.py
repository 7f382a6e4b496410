"""What is said of a file's annotations: the draft line, and all about one of them.

Where cells are few, quotes are shortened first, then what matters least is left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from tui_annotate.domain.annotations import ADJUDICATED, HUMAN, REJECTED, Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.labels import JOINER
from tui_annotate.domain.nouns import many
from tui_annotate.domain.settlements import How
from tui_annotate.tui.draft import words
from tui_annotate.tui.draft.judging.state import WHY
from tui_annotate.tui.draft.quoting import quoted
from tui_annotate.tui.draft.state import Kind
from tui_annotate.tui.draft.viewing.state import Viewing
from tui_annotate.tui.draft.words import (
    DRAFT,
    HINT,
    anchor_words,
    labels_words,
    request_words,
)
from tui_annotate.tui.lines import cut, shown, width

_ROOMS: Final = ((36, 9), (24, 9), (36, 3), (24, 3), (16, 3), (10, 2), (6, 1))
"""(cells of a quote, parts at least), the fullest first."""

_MOMENT: Final = 16
"""Characters of a time, as far as its minute."""

_LONGEST: Final = 20_000
"""Characters of fields that are written out."""

_HOW: Final = {
    How.TAKEN: "taken as it was",
    How.MERGED: "merged",
    How.EDITED: "edited",
    How.OWN: "added in review",
    How.REJECTED: "refused",
}

Fact = tuple[str, str]
"""A name and what it is, for people."""


def line(draft: Viewing, cells: int = 1000) -> tuple[str, Kind]:
    """(text, kind) of the draft line."""
    if draft.message[0]:
        return draft.message
    if draft.hints:
        return words.line(draft, cells)
    kind: Kind = DRAFT if draft.focused_annotation else HINT
    for quote, least in _ROOMS:
        parts = [part for part in _parts(draft, quote) if part]
        for count in range(len(parts), min(least, len(parts)) - 1, -1):
            text = " · ".join(parts[:count])
            if width(text) <= cells:
                return text, kind
    return text, kind


def _parts(draft: Viewing, quote: int) -> Sequence[str]:
    annotation = draft.focused_annotation
    if draft.selection:
        picked = quoted(draft.selection.of(draft.text(draft.side)), cells=quote)
        return [f"{picked} selected", "n N walk what is like it", "Backspace drops it"]
    if annotation is None:
        return _overview(draft)
    count = len(annotation.evidence)
    return [
        f"{draft.letter(annotation.id)} {cut(shown(labels_words(annotation.labels)), quote)}",
        cut(shown(draft.owner(annotation)), quote),
        quoted(annotation.note, cells=2 * quote) if annotation.note else "",
        _settled_short(annotation),
        f"{count} evidence" if count else "no evidence",
        "g all about it",
    ]


def _overview(draft: Viewing) -> Sequence[str]:
    shown, total = len(draft.annotations), len(draft.everybody)
    if draft.chosen and total:
        name = draft.names.get(draft.chosen, draft.chosen)
        theirs = f"{shown} of {many(total, 'annotation')}: {name}'s"
        return [theirs, "a walks them", "0 everybody's"]
    if not total:
        read = [one.person for one in draft.assignments if one.state is State.DONE]
        names = ", ".join(draft.names.get(person, person) for person in read)
        found = f"read by {names}: nothing marked" if names else "nobody marked anything here"
        return [found, "> next sample", "q list"]
    found = f"{many(total, 'annotation')} by {people_words(draft)}"
    return [found, "a walks them", "p one person's"]


def people_words(draft: Viewing) -> str:
    """Who marked anything in the sample: a name, or how many."""
    names = {draft.owner(owned.annotation) for owned in draft.everybody}
    return names.pop() if len(names) == 1 else many(len(names), "person", "people")


def _settled_short(annotation: Annotation) -> str:
    if annotation.settled:
        return f"review: {_HOW[annotation.settled.how]}"
    return "refused in review" if annotation.origin == REJECTED else ""


# all about one of them


def about(draft: Viewing, annotation: Annotation, *, quote: int = 400) -> list[Fact]:
    """All that the file says of an annotation, what matters first; nothing that is empty.

    Args:
        quote: cells of what is quoted from the texts.
    """
    names = [JOINER.join(path) for path in annotation.labels] or ["none"]
    facts = [
        ("label" if len(names) == 1 else "labels", ", ".join(names)),
        ("by", draft.owner(annotation)),
        ("note", annotation.note),
        *(("claim", _place(draft, anchor, quote)) for anchor in annotation.claim),
        *(("evidence", _place(draft, anchor, quote)) for anchor in annotation.evidence),
        ("evidence", "" if annotation.evidence else "none"),
        *_settled(draft, annotation),
        ("origin", _origin(annotation.origin)),
        ("made", moment(annotation.created)),
        ("changed", moment(annotation.updated) if annotation.version > 1 else ""),
        ("version", str(annotation.version) if annotation.version > 1 else ""),
        ("label set", annotation.label_set[:12]),
        ("guidelines", annotation.guidelines[:12]),
    ]
    return [fact for fact in facts if fact[1]]


def _place(draft: Viewing, anchor: Anchor, quote: int) -> str:
    said = anchor_words(draft, anchor, cells=quote)
    text = draft.text(anchor.side, anchor.index)
    if said.startswith("sentence "):
        said = f"{said}, {quoted(anchor.span.of(text), cells=quote)}"
    several = len(draft.sample.side(anchor.side)) > 1
    return f"{said} (document {anchor.index + 1})" if several else said


def _settled(draft: Viewing, annotation: Annotation) -> list[Fact]:
    settled = annotation.settled
    if settled is None:
        return []
    reason = WHY.get(settled.reason, "")
    why = ", ".join(part for part in (reason, quoted(settled.note) if settled.note else "") if part)
    sources = sorted(filter(None, map(draft.letter, settled.sources)))
    gone = len(settled.sources) - len(sources)
    of = [*sources, *([f"{gone} that the file does not hold"] if gone else [])]
    return [
        ("settled", _HOW[settled.how] + (f": {why}" if why else "")),
        ("made of", ", ".join(of)),
        ("settled by", draft.names.get(settled.by, settled.by)),
    ]


def _origin(origin: str) -> str:
    kind, _, name = origin.partition(":")
    told = {HUMAN: "made by hand", ADJUDICATED: "settled in review", REJECTED: "refused in review"}
    if name:
        return f"{'a machine: ' if kind == 'machine' else 'imported from '}{name}"
    return told.get(origin, origin)


def moment(at: str) -> str:
    """A time as far as its minute, in UTC; empty where there is none."""
    return f"{at[:_MOMENT].replace('T', ' ')} UTC" if at else ""


# all about the sample


def pages(draft: Viewing) -> list[tuple[str, str]]:
    """(title, text) of all that can be read beside the texts; the annotation in hand first."""
    sample = draft.sample
    found: list[tuple[str, str]] = []
    annotation = draft.focused_annotation
    if annotation:
        title = f"Annotation {draft.letter(annotation.id)}"
        text = "\n".join(f"{name}: {what}" for name, what in about(draft, annotation))
        came = f"\n\nAs it came:\n{_json(annotation.imported)}" if annotation.imported else ""
        found.append((title, text + came))
    found.append(("People", "\n\n".join(_people(draft)) or "The file names nobody here."))
    found.append(("Request", request_words(sample.request) or "It came without a request."))
    facts = [("dataset", sample.dataset), ("id", sample.id), ("kind", sample.kind.value)]
    facts += [("group", sample.group)] if sample.group else []
    titles = [f"{one.side} {one.key} {one.title}".strip() for one in sample.documents]
    facts += [("document", title) for title in titles]
    fields = f"\n\n{_json(sample.meta)}" if sample.meta else ""
    found.append(("Sample", "\n".join(f"{name}: {what}" for name, what in facts) + fields))
    return found


def _people(draft: Viewing) -> list[str]:
    by_person = {one.person: one for one in draft.assignments}
    told = []
    for person in draft.people:
        count, work = draft.count(person), by_person.get(person)
        name = draft.names.get(person, person)
        lines = [f"{name}: {many(count, 'annotation')}"]
        lines += [f"  id: {person}"] if person != name else []
        if work:
            lines += [f"  state: {work.state}"] if work.state is not State.NEW else []
            lines += [f"  rating: {work.rating}"] if work.rating else []
            lines += [f"  note: {work.comment}"] if work.comment else []
            lines += [f"  time: {work.seconds:.0f} s"] if work.seconds else []
            lines += [f"  changed: {moment(work.updated)}"] if work.updated else []
        told.append("\n".join(lines))
    return told


def _json(value: Mapping[str, Any]) -> str:
    text = json.dumps(dict(value), ensure_ascii=False, indent=2)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}\n…"
