"""The text of the draft line: what a digit would save, what was saved, what is asked for.

In a narrow terminal it shortens the middle of quotes first, then drops optional keys, then the ends
of names; never a key that answers a question, and never whether there is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.labels import Label
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.report_collections import RATED_KINDS
from tui_annotate.domain.samples import Request, Sample, SampleKind, Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.tui.draft import state
from tui_annotate.tui.draft.messages import Kind
from tui_annotate.tui.draft.state import Draft, LabelOption, segment_at
from tui_annotate.tui.line_text import cut, text_width
from tui_annotate.tui.palette import SUGGESTED

HINT: Final = "hint"
DRAFT: Final = "draft"
SAVED: Final = "saved"
WARNING: Final = "warning"
ERROR: Final = "error"

QUOTE_CELLS: Final = 36


@dataclass(frozen=True, slots=True)
class _Detail:
    """How much the line says: cells of a quote and of names, and whether it has optional keys."""

    quote: int = QUOTE_CELLS
    names: int = 200
    full: bool = True


_DETAILS: Final = (
    _Detail(),
    _Detail(24, 60),
    _Detail(24, 40, full=False),
    _Detail(16, 20, full=False),
    _Detail(10, 12, full=False),
    _Detail(6, 6, full=False),
)
_MOST_EVIDENCE = 2  # spans that are named where cells are few


def draft_line(draft: Draft, cells: int = 1000) -> tuple[str, Kind]:
    """(text, kind) of the draft line, if possible in `cells` cells; a message is never cut."""
    if draft.message:
        return draft.message.text, draft.message.kind
    text, kind = _describe(draft, _DETAILS[0])
    for detail in _DETAILS[1:]:
        if text_width(text) <= cells:
            break
        text, kind = _describe(draft, detail)
    return text, kind


def _describe(draft: Draft, detail: _Detail) -> tuple[str, Kind]:
    if draft.writing:
        return f"{note_title(draft, detail)}:", DRAFT
    if draft.hints:
        return _describe_hints(draft, detail), HINT
    if draft.pending:
        return _describe_pending(draft, detail), DRAFT
    return _describe_draft(draft, detail)


def _describe_draft(draft: Draft, detail: _Detail) -> tuple[str, Kind]:
    if draft.side is Side.SOURCE:
        return _describe_source(draft, detail), DRAFT
    if draft.editing:
        return _describe_edit(draft, detail), DRAFT
    if draft.saving and draft.digits_off:
        return "saving ...", HINT
    if draft.digits_off and draft.focused_annotation:
        return _describe_focused(draft, draft.focused_annotation, detail)
    return _describe_save(draft, detail), DRAFT


def _describe_save(draft: Draft, detail: _Detail) -> str:
    if not draft.claim:
        return "no words here to label · Enter done · s skip"
    digits, claim = digit_range(draft.options()), _describe_claim(draft, detail)
    if draft.digits_off:
        return f"{claim} · move or select, then {digits} saves"
    note = " + note" if draft.note else ""
    return f"{digits} save: {claim}{_describe_evidence(draft, detail)}{note}"


def _describe_focused(draft: Draft, annotation: Annotation, detail: _Detail) -> tuple[str, Kind]:
    named = cut(draft.label_names(annotation.labels), detail.names)
    if draft.just_saved == annotation.id:
        note = " + note" if annotation.note else ""
        return f"saved {named}{note} · u undo · {_describe_next_key(draft)}m note · e edit", SAVED
    note = f" · {quote_text(annotation.note, cells=detail.quote)}" if annotation.note else ""
    if split := draft.split_label:
        was, digits = cut(split.name, detail.names), digit_range(draft.options())
        name = f"{draft.letter(annotation.id)} {was} was split"
        more = " · c next" if len(draft.lacking()) > 1 else ""
        return f"{name}: {digits} choose{note} · e edit{more} · x delete", DRAFT
    origin = cut(describe_origin(annotation.suggested), detail.names)
    name = f"{draft.letter(annotation.id)} {named}{f' · from {origin}' if origin else ''}"
    return f"{name}{note} · e edit · m note · x delete", HINT


def _describe_next_key(draft: Draft) -> str:
    """The next key while suggestions are open, or other annotations have a label that was split."""
    split = any(draft.tree.split(one.labels) for one in draft.annotations)
    return "c next · " if split else f"{draft.suggestion_key} next · " if draft.offered else ""


def _describe_hints(draft: Draft, detail: _Detail) -> str:
    stop = " · Backspace stops" if detail.full else ""
    if draft.hints and draft.hints.in_pairs:
        stop = f" · capital: the one behind{stop}"
    if draft.hints and draft.hints.first:
        return f"last word: its letters · Enter takes the one word{stop}"
    return f"first word: its letters{stop}"


def _describe_pending(draft: Draft, detail: _Detail) -> str:
    pending = draft.pending
    if pending is None:
        return ""
    digits = digit_range(draft.options())
    cancel = " · Backspace cancel" if detail.full else ""
    if pending.kind == state.RATING:
        keep = " · Enter leaves it as it is" if detail.full else ""
        return f"rate the {describe_kind(draft.sample)}: {digits} choose · 0 not rated{keep}"
    if pending.kind == "reason":
        return f"flag: why? {digits} choose · 0 own words · Enter no reason{cancel}"
    name = cut(pending.path[-1] if pending.path else "", detail.names)
    if pending.kind == "child":
        itself = f"{name} itself" if detail.full else "itself"
        return f"{name}: {digits} choose · Enter {itself}{cancel}"
    return _describe_missing_evidence(draft, f"{name} wants evidence", detail)


def _describe_missing_evidence(draft: Draft, start: str, detail: _Detail) -> str:
    enter = "Enter saves a draft without any" if detail.full else "Enter saves a draft"
    if match := draft.focused_match:
        cancel = " · Backspace cancel" if detail.full else ""
        return f"{start}: Space saves with match {match.rank} · {enter}{cancel}"
    return f"{start}: {enter} · Backspace, Tab: {'take some ' if detail.full else ''}by hand"


def _describe_edit(draft: Draft, detail: _Detail) -> str:
    edited = draft.editing
    if edited is None:
        return ""
    names = cut(draft.label_names(draft.labels), detail.names) if draft.labels else "no label"
    what = f"{_describe_claim(draft, detail)}{_describe_evidence(draft, detail)}"
    leave = " · e leave" if detail.full else ""
    letter = SUGGESTED if draft.changing else draft.letter(edited.id)
    return f"editing {letter}: {names} · {what} · Enter save{leave}"


def _describe_source(draft: Draft, detail: _Detail) -> str:
    selected = draft.selection
    what = "this sentence"
    if selected:
        what = quote_text(selected.of(draft.text(Side.SOURCE)), cells=detail.quote)
    if draft.passage and not draft.editing:
        return _describe_passage(draft, what, detail)
    claim = f" for {_describe_claim(draft, detail)}" if draft.claim else ""
    back = " · Tab back" if detail.full else ""
    if draft.current_anchor(Side.SOURCE) in draft.evidence:
        return f"{what} is evidence{claim}: Space gives it back{back}"
    return f"Space takes {what} as evidence{claim}{back}"


def _describe_passage(draft: Draft, what: str, detail: _Detail) -> str:
    claim, evidence = draft.anchors_to_save()
    named = _describe_claim(draft, detail)
    about = f"{named}{_describe_evidence(draft, detail, evidence)}" if claim else what
    saves = f"{digit_range(draft.options())} save: {about}{' + note' if draft.note else ''}"
    takes = "Space takes it" if claim else f"Space takes it for {named}"
    if draft.current_anchor(Side.SOURCE) in draft.evidence:
        takes = "Space gives it back"
    return f"{saves} · {takes}{' · Tab back' if detail.full else ''}"


def describe_kind(sample: Sample) -> str:
    """What a sample is called as a whole: a report, a document or a citation, else a sample."""
    return str(sample.kind) if sample.kind in RATED_KINDS else "sample"


def note_title(draft: Draft, detail: _Detail) -> str:
    """What the open note is on; empty where none is open."""
    note = draft.writing
    if note is None:
        return ""
    if note.kind == state.REASON:
        return "flagged because"
    if note.kind == state.SAMPLE:
        return f"comment on the {describe_kind(draft.sample)}"
    if note.kind == state.DRAFT:
        is_alone = draft.is_passage_alone
        return f"note for {'this passage' if is_alone else _describe_claim(draft, detail)}"
    known = next((known for known in draft.annotations if known.id == note.id), None)
    if known is None:
        return "note"
    return f"note on {draft.letter(note.id)} {cut(describe_labels(known.labels), detail.names)}"


def _describe_claim(draft: Draft, detail: _Detail) -> str:
    return describe_claim(draft, draft.claim, cells=detail.quote)


def describe_claim(
    draft: Draft, claim: Sequence[Anchor], *, cells: int, none: str = "no claim"
) -> str:
    """The first anchor of a claim, and how many more there are; `none` for an empty claim."""
    if not claim:
        return none
    return describe_anchor(draft, claim[0], cells=cells) + and_more(claim)


def and_more(items: Sized, shown: int = 1) -> str:
    """` and 2 more` for items that are not shown; empty if all are shown."""
    return f" and {len(items) - shown} more" if len(items) > shown else ""


def join_first(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are, separated by commas."""
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return ", ".join([*names[:most], *more])


def fit_parts(
    describe: Callable[[int], Sequence[str]], lengths: Iterable[tuple[int, int]], cells: int
) -> str:
    """The longest text that fits: quotes are shortened first, then the last parts are left out.

    Args:
        describe: the parts, by the cells of a quote; empty ones are left out.
        lengths: (cells of a quote, least number of parts), the fullest first.
    """
    for quote, least in lengths:
        parts = [part for part in describe(quote) if part]
        for count in range(len(parts), min(least, len(parts)) - 1, -1):
            text = " · ".join(parts[:count])
            if text_width(text) <= cells:
                return text
    return text


def describe_anchor(draft: Draft, anchor: Anchor, *, cells: int = QUOTE_CELLS) -> str:
    """`sentence 3` for exactly one sentence, else the words in quotes."""
    text, segments = draft.text(anchor.side, anchor.index), draft.sentences(*anchor[:2])
    at = segment_at(segments, anchor.span.start)
    if segments and segments[at].span.trim(text) == anchor.span:
        return f"sentence {at + 1}"
    return quote_text(anchor.span.of(text), cells=cells)


def _describe_evidence(draft: Draft, detail: _Detail, evidence: Sequence[Anchor] = ()) -> str:
    """The given evidence, else the draft's; `no evidence` for none, if there is a source."""
    evidence = evidence or draft.evidence
    if not evidence:
        bare = draft.sample.kind is SampleKind.REPORT or not draft.sample.side(Side.SOURCE)
        return "" if bare else ", no evidence"
    most = len(evidence) if detail.full else _MOST_EVIDENCE
    return f" + evidence {describe_evidence(draft, evidence, cells=detail.quote // 3, most=most)} ✓"


def describe_evidence(draft: Draft, evidence: Sequence[Anchor], *, cells: int, most: int) -> str:
    """Up to `most` spans of the source: ranks of matches, `sentence 12` for others, else quotes."""
    ranks = {draft.anchor_of(match): str(match.rank) for match in draft.matches[Side.SOURCE]}
    names = (
        ranks.get(anchor) or describe_anchor(draft, anchor, cells=cells) for anchor in evidence
    )
    return join_first([*names], most)


def describe_request(request: Request) -> str:
    """The request that the summary answers, each part under its name; empty for none."""
    named = ("problem", "background", "question")
    parts = [f"# {name.title()}\n{part}" for name in named if (part := getattr(request, name))]
    return "\n\n".join(filter(None, [request.title, *parts]))


def describe_labels(labels: tuple[LabelPath, ...] | list[LabelPath]) -> str:
    """The last names of label paths, joined."""
    return ", ".join(path[-1] for path in labels if path) or "no label"


def join_label_names(labels: Iterable[Label], *, last: str = ", ") -> str:
    """The last names of labels, joined; the last two by `last`."""
    found = [label.name for label in labels]
    return last.join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def digit_range(options: tuple[LabelOption, ...]) -> str:
    """The digits that save at once, as `1-4`, or `1,3`; those that open, where none saves."""
    saving = [option for option in options if not option.opens]
    digits = [option.digit for option in saving or options]
    if not digits:
        return "0"
    if len(digits) > 1 and int(digits[-1]) - int(digits[0]) == len(digits) - 1:
        return f"{digits[0]}-{digits[-1]}"
    return ",".join(digits)


def describe_maker(one: Suggestion | Provenance) -> str:
    """Its name, with the score where it gives one."""
    return one.maker if one.score is None else f"{one.maker} {one.score:.2f}"


def describe_origin(suggested: Provenance | None) -> str:
    """Whose suggestion an annotation was made from, and whether with changes; empty for none."""
    if suggested is None:
        return ""
    return f"{describe_maker(suggested)}{', changed' if suggested.changed else ''}"


def quote_text(text: str, *, cells: int = QUOTE_CELLS) -> str:
    """The text in quotes on one line; without its middle where it is wider than `cells`."""
    if len(text) > 8 * cells:
        text = f"{text[: 4 * cells]}…{text[-4 * cells :]}"
    text = " ".join(text.split())
    if cell_len(text) <= cells:
        return f'"{text}"'
    half = (cells - 1) // 2
    return f'"{_head(text, half)}…{_head(text[::-1], half)[::-1]}"'


def _head(text: str, cells: int) -> str:
    used = 0
    for at, character in enumerate(text):
        used += cell_len(character)
        if used > cells:
            return text[:at].rstrip()
    return text
