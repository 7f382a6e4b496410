"""The text of the status line: a preview of the next save, a message, or a question.

In a narrow terminal the text shortens the middle of quotes first, then drops optional keys, then
the ends of names; never a key that answers a question, and never whether there is evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Sized
from dataclasses import dataclass
from typing import Final

from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.labels import Label
from tui_annotate.domain.line_text import cut, first_cells, text_width
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import Request, Sample, SampleKind, Side
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import state
from tui_annotate.editor.glyphs import SUGGESTED
from tui_annotate.editor.hints import WordHints
from tui_annotate.editor.messages import Kind, LineText, join_parts
from tui_annotate.editor.state import Draft, LabelOption, segment_at

HINT: Final = "hint"
DRAFT: Final = "draft"
SAVED: Final = "saved"
WARNING: Final = "warning"
ERROR: Final = "error"

QUOTE_CELLS: Final = 36


@dataclass(frozen=True, slots=True)
class _Detail:
    """How long the line is.

    Attributes:
        quote: maximum cells of a quote.
        names: maximum cells of the names of labels and people.
        full: whether sentences are whole, and optional keys are named.
        guidelines: whether the key of the guidelines may be named.
    """

    quote: int = QUOTE_CELLS
    names: int = 200
    full: bool = True
    guidelines: bool = True


_DETAILS: Final = (
    _Detail(),
    _Detail(24, 60),
    _Detail(guidelines=False),
    _Detail(24, 60, guidelines=False),
    _Detail(24, 40, full=False, guidelines=False),
    _Detail(16, 20, full=False, guidelines=False),
    _Detail(10, 12, full=False, guidelines=False),
    _Detail(6, 6, full=False, guidelines=False),
)
_MOST_EVIDENCE = 2  # named spans if the line must be short


def draft_line(draft: Draft, cells: int = 1000) -> tuple[str, Kind]:
    """Return the annotating screen's status line and its kind, such as `hint`."""
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
        return _describe_note(draft, draft.writing, detail), DRAFT
    if draft.hints:
        return _describe_hints(draft.hints, detail), HINT
    if draft.pending:
        return _describe_pending(draft, draft.pending, detail), DRAFT
    return _describe_draft(draft, detail)


def _describe_draft(draft: Draft, detail: _Detail) -> tuple[str, Kind]:
    if draft.side is Side.SOURCE:
        return _describe_source(draft, detail), DRAFT
    if draft.editing:
        return _describe_edit(draft, draft.editing, detail), DRAFT
    if draft.saves.sent and draft.digits_off:
        return LineText.SAVING.text(), HINT
    if draft.digits_off and draft.focused_annotation:
        return _describe_focused(draft, draft.focused_annotation, detail)
    return _describe_save(draft, detail), DRAFT


def _describe_save(draft: Draft, detail: _Detail) -> str:
    if not draft.claim:
        return join_parts(LineText.NO_WORDS.text(), _describe_guidelines(draft, detail))
    digits = digit_range(draft.options())
    claim = _describe_claim(draft, detail)
    if draft.digits_off:
        return LineText.MOVE_FIRST.text(claim=claim, digits=digits)
    what = _with_note(_with_evidence(draft, claim, detail), draft.note)
    return join_parts(_describe_digits(digits, what, detail), _describe_guidelines(draft, detail))


def _describe_digits(digits: str, what: str, detail: _Detail) -> str:
    code = LineText.SAVES if detail.full else LineText.SAVES_SHORT
    return code.text(digits=digits, what=what)


def _describe_guidelines(draft: Draft, detail: _Detail) -> str:
    """Return the key of the guidelines for annotators who have not opened them; else nothing."""
    if draft.guidelines_unread and detail.guidelines:
        return LineText.GUIDELINES_KEY.text()
    return ""


def _with_note(what: str, note: str) -> str:
    return LineText.WITH_NOTE.text(what=what) if note else what


def _describe_focused(draft: Draft, annotation: Annotation, detail: _Detail) -> tuple[str, Kind]:
    named = cut(draft.label_names(annotation.labels), detail.names)
    note_key, edit_key, delete_key = (
        each.text() for each in (LineText.NOTE_KEY, LineText.EDIT_KEY, LineText.DELETE_KEY)
    )
    if draft.just_saved == annotation.id:
        saved = _with_note(LineText.SAVED.text(labels=named), annotation.note)
        undo = LineText.UNDO_KEY.text()
        return join_parts(saved, undo, _describe_next_key(draft), note_key, edit_key), SAVED
    note = quote_text(annotation.note, cells=detail.quote) if annotation.note else ""
    letter = draft.letter(annotation.id)
    if split := draft.split_label:
        was = cut(split.name, detail.names)
        digits = digit_range(draft.options())
        choose = LineText.SPLIT.text(letter=letter, label=was, digits=digits)
        more = LineText.NEXT_KEY.text(key="c") if len(draft.lacking()) > 1 else ""
        return join_parts(choose, note, edit_key, more, delete_key), DRAFT
    origin = cut(describe_origin(annotation.suggested), detail.names)
    focused = LineText.FOCUSED.text(letter=letter, labels=named)
    made_from = LineText.FROM.text(origin=origin) if origin else ""
    return join_parts(focused, made_from, note, edit_key, note_key, delete_key), HINT


def _describe_next_key(draft: Draft) -> str:
    """Return the key for the next annotation with a split label, or for the next suggestion."""
    if any(draft.tree.split(one.labels) for one in draft.annotations):
        return LineText.NEXT_KEY.text(key="c")
    return LineText.NEXT_KEY.text(key=draft.suggestion_key) if draft.offered else ""


def _describe_hints(hints: WordHints, detail: _Detail) -> str:
    first = LineText.FIRST_WORD if detail.full else LineText.FIRST_WORD_SHORT
    last = LineText.LAST_WORD if detail.full else LineText.LAST_WORD_SHORT
    second = LineText.SECOND_OF_PAIR if detail.full else LineText.SECOND_OF_PAIR_SHORT
    return join_parts(
        (last if hints.first else first).text(),
        second.text() if hints.in_pairs else "",
        LineText.CANCEL_KEY.text() if detail.full else "",
    )


def _describe_pending(draft: Draft, pending: state.PendingQuestion, detail: _Detail) -> str:
    digits = digit_range(draft.options())
    cancel = LineText.CANCEL_KEY.text() if detail.full else ""
    if pending.kind == state.RATING:
        keep = LineText.KEEP_RATING_KEY.text() if detail.full else ""
        item = describe_kind(draft.sample)
        return join_parts(LineText.RATE.text(item=item, digits=digits), keep)
    if pending.kind == "reason":
        return join_parts(LineText.FLAG.text(digits=digits), cancel)
    name = cut(pending.path[-1] if pending.path else "", detail.names)
    if pending.kind == "child":
        child = LineText.CHILD if detail.full else LineText.CHILD_SHORT
        return join_parts(child.text(label=name, digits=digits), cancel)
    return _describe_missing_evidence(draft, name, detail)


def _describe_missing_evidence(draft: Draft, label: str, detail: _Detail) -> str:
    enter = (LineText.WITHOUT if detail.full else LineText.WITHOUT_SHORT).text()
    if match := draft.focused_match:
        cancel = LineText.CANCEL_KEY.text() if detail.full else ""
        code = LineText.EVIDENCE_OF_MATCH if detail.full else LineText.EVIDENCE_OF_MATCH_SHORT
        return join_parts(code.text(label=label, rank=match.rank), enter, cancel)
    code = LineText.EVIDENCE_BY_HAND if detail.full else LineText.EVIDENCE_BY_HAND_SHORT
    return join_parts(code.text(label=label), enter)


def _describe_edit(draft: Draft, edited: Annotation, detail: _Detail) -> str:
    names = LineText.NO_LABEL.text()
    if draft.labels:
        names = cut(draft.label_names(draft.labels), detail.names)
    what = _with_evidence(draft, _describe_claim(draft, detail), detail)
    if draft.changing:
        text = LineText.EDITING.text(letter=SUGGESTED, labels=names, what=what)
    elif any(known.id == edited.id for known in draft.annotations):
        text = LineText.EDITING.text(letter=draft.letter(edited.id), labels=names, what=what)
    else:
        text = LineText.EDITING_NEW.text(labels=names, what=what)
    return join_parts(text, LineText.CANCEL_EDIT_KEY.text() if detail.full else "")


def _describe_source(draft: Draft, detail: _Detail) -> str:
    selected = draft.selection
    what = LineText.THIS_SENTENCE.text()
    if selected:
        what = quote_text(selected.of(draft.text(Side.SOURCE)), cells=detail.quote)
    back = LineText.BACK_KEY.text() if detail.full else ""
    if draft.passage and not draft.editing:
        return join_parts(*_describe_passage(draft, what, detail), back)
    is_evidence = draft.current_anchor(Side.SOURCE) in draft.evidence
    if draft.claim:
        code = LineText.RELEASES_FOR if is_evidence else LineText.TAKES_FOR
        return join_parts(code.text(what=what, claim=_describe_claim(draft, detail)), back)
    code = LineText.RELEASES if is_evidence else LineText.TAKES
    return join_parts(code.text(what=what), back)


def _describe_passage(draft: Draft, what: str, detail: _Detail) -> tuple[str, str]:
    claim, evidence = draft.anchors_to_save()
    named = _describe_claim(draft, detail)
    about = _with_evidence(draft, named, detail, evidence=evidence) if claim else what
    digits = digit_range(draft.options())
    saves = _describe_digits(digits, _with_note(about, draft.note), detail)
    if draft.current_anchor(Side.SOURCE) in draft.evidence:
        return saves, LineText.PASSAGE_RELEASES.text()
    if claim:
        return saves, LineText.PASSAGE_TAKES.text()
    return saves, LineText.PASSAGE_TAKES_FOR.text(claim=named)


_KIND_NAMES: Final = {
    SampleKind.REPORT: LineText.REPORT_NAME,
    SampleKind.DOCUMENT: LineText.DOCUMENT_NAME,
    SampleKind.CITATION: LineText.CITATION_NAME,
}


def describe_kind(sample: Sample) -> str:
    """Return the name of a sample's kind, such as `report`; `sample` for kinds without a name."""
    return _KIND_NAMES.get(sample.kind, LineText.SAMPLE_NAME).text()


def _describe_note(draft: Draft, note: state.Note, detail: _Detail) -> str:
    if note.kind == state.REASON:
        return LineText.FLAGGED_BECAUSE.text()
    if note.kind == state.SAMPLE:
        return LineText.COMMENT.text(item=describe_kind(draft.sample))
    if note.kind == state.DRAFT:
        if draft.is_passage_alone:
            return LineText.NOTE_FOR_PASSAGE.text()
        return LineText.NOTE_FOR_CLAIM.text(claim=_describe_claim(draft, detail))
    known = next((known for known in draft.annotations if known.id == note.id), None)
    if known is None:
        return LineText.NOTE.text()
    label = cut(describe_labels(known.labels), detail.names)
    return LineText.NOTE_ON.text(letter=draft.letter(note.id), label=label)


def _describe_claim(draft: Draft, detail: _Detail) -> str:
    return describe_claim(draft, draft.claim, cells=detail.quote)


def describe_claim(draft: Draft, claim: Sequence[Anchor], *, cells: int, none: str = "") -> str:
    """Describe the first span of a claim, and count its other spans; `none` for an empty claim."""
    if not claim:
        return none or LineText.NO_CLAIM.text()
    return with_more(describe_anchor(draft, claim[0], cells=cells), claim)


def with_more(what: str, items: Sized, shown: int = 1) -> str:
    """Append the number of items that a text does not show, as in `sentence 3 and 2 more`."""
    hidden = len(items) - shown
    return LineText.AND_MORE.text(what=what, count=hidden) if hidden > 0 else what


def join_first(names: Sequence[str], most: int) -> str:
    """Join up to `most` names with commas, followed by the number of names left out."""
    hidden = len(names) - most
    more = [LineText.MORE.text(count=hidden)] if hidden > 0 else []
    return ", ".join([*names[:most], *more])


def fit_parts(
    describe: Callable[[int], Sequence[str]], lengths: Iterable[tuple[int, int]], cells: int
) -> str:
    """Return the longest text that fits into a number of terminal cells.

    Quotes are shortened first, then the last parts dropped.

    Args:
        describe: returns the parts for a number of cells of a quote; empty parts are skipped.
        lengths: (cells of a quote, minimum number of parts), longest text first.
    """
    for quote, least in lengths:
        parts = [part for part in describe(quote) if part]
        for count in range(len(parts), min(least, len(parts)) - 1, -1):
            text = join_parts(*parts[:count])
            if text_width(text) <= cells:
                return text
    return text


def describe_anchor(draft: Draft, anchor: Anchor, *, cells: int = QUOTE_CELLS) -> str:
    """Return `sentence 3` for a span of exactly one sentence, else the quoted words of the span."""
    text = draft.text(anchor.side, anchor.index)
    segments = draft.sentences(*anchor[:2])
    at = segment_at(segments, anchor.span.start)
    if segments and segments[at].span.trim(text) == anchor.span:
        return LineText.SENTENCE.text(number=at + 1)
    return quote_text(anchor.span.of(text), cells=cells)


def _with_evidence(
    draft: Draft, what: str, detail: _Detail, *, evidence: Sequence[Anchor] = ()
) -> str:
    """Append a list of evidence to the text `what`, which describes a claim.

    If `evidence` is empty, the evidence of the unsaved annotation is listed. If that is empty, too,
    "no evidence" is appended, provided that the sample has a source and is not a report.
    """
    evidence = evidence or draft.evidence
    if not evidence:
        bare = draft.sample.kind is SampleKind.REPORT or not draft.sample.side(Side.SOURCE)
        return what if bare else LineText.WITHOUT_EVIDENCE.text(what=what)
    most = len(evidence) if detail.full else _MOST_EVIDENCE
    spans = describe_evidence(draft, evidence, cells=detail.quote // 3, most=most)
    return LineText.WITH_EVIDENCE.text(what=what, spans=spans)


def describe_evidence(draft: Draft, evidence: Sequence[Anchor], *, cells: int, most: int) -> str:
    """Describe up to `most` spans of evidence: a match by its rank, others by sentence or quote."""
    ranks = {
        draft.anchor_of(match): LineText.MATCH_NAME.text(rank=match.rank)
        for match in draft.matches[Side.SOURCE]
    }
    names = (
        ranks.get(anchor) or describe_anchor(draft, anchor, cells=cells) for anchor in evidence
    )
    return join_first([*names], most)


def describe_request(request: Request) -> str:
    """Return a request as text with a heading for each part; empty for an empty request."""
    named = ("problem", "background", "question")
    parts = [f"# {name.title()}\n{part}" for name in named if (part := getattr(request, name))]
    return "\n\n".join(filter(None, [request.title, *parts]))


def describe_labels(labels: tuple[LabelPath, ...] | list[LabelPath]) -> str:
    """Return the last name of each label path, separated by commas; `no label` for none."""
    return ", ".join(path[-1] for path in labels if path) or LineText.NO_LABEL.text()


def join_label_names(labels: Iterable[Label], *, last: str = ", ") -> str:
    """Join the names of labels by commas, but the last two names by `last`."""
    found = [label.name for label in labels]
    return last.join(filter(None, [", ".join(found[:-1]), *found[-1:]]))


def digit_range(options: tuple[LabelOption, ...]) -> str:
    """Return the digit keys of labels, formatted as `1-4` or `1,3`; `0` for no options."""
    digits = [option.digit for option in options]
    if not digits:
        return "0"
    if len(digits) > 1 and int(digits[-1]) - int(digits[0]) == len(digits) - 1:
        return f"{digits[0]}-{digits[-1]}"
    return ",".join(digits)


def describe_maker(one: Suggestion | Provenance) -> str:
    """Return the name of the person or machine that made a suggestion, with its score, if any."""
    return one.maker if one.score is None else f"{one.maker} {one.score:.2f}"


def describe_origin(suggested: Provenance | None) -> str:
    """Describe who suggested an annotation and whether it was changed; empty for handmade ones."""
    if suggested is None:
        return ""
    maker = describe_maker(suggested)
    return LineText.CHANGED.text(maker=maker) if suggested.changed else maker


def quote_text(text: str, *, cells: int = QUOTE_CELLS) -> str:
    """Quote a text on one line, without its middle if it is wider than `cells`."""
    if len(text) > 8 * cells:
        text = f"{text[: 4 * cells]}…{text[-4 * cells :]}"
    text = " ".join(text.split())
    if text_width(text) <= cells:
        return f'"{text}"'
    half = (cells - 1) // 2
    head = first_cells(text, half).rstrip()
    tail = first_cells(text[::-1], half).rstrip()[::-1]
    return f'"{head}…{tail}"'
