"""Suggestions of machines under an annotator's keys: walked, accepted, changed, refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.editor.draft_samples import (
    INTRINSIC,
    LABELS,
    anchor,
    code,
    draft,
    key,
    keys,
    said,
    select,
)
from tui_annotate.domain.annotations import Annotation, LabelPath
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.editor import completion, notes, suggestion_actions
from tui_annotate.editor.effects import (
    Accept,
    Blink,
    Decline,
    Effects,
    Finish,
    GoTo,
    Open,
    OpenNote,
    Page,
    Reveal,
    Select,
)
from tui_annotate.editor.key_map import default_keys
from tui_annotate.editor.key_state import EDITING, SELECTING
from tui_annotate.editor.messages import MessageCode
from tui_annotate.editor.press import press
from tui_annotate.editor.resume_state import dump_state, restore
from tui_annotate.editor.state import DECLINE, WHY, Draft, Note
from tui_annotate.tui.screens.sample.rows import key_pairs

REASON = "The source says 12 million."


def suggestion(on: Draft, words: str, *labels: LabelPath, **more: object) -> Suggestion:
    """What `judge:tiny` proposes of some words of the summary."""
    made = Suggestion(
        id=f"s-{words.split(maxsplit=1)[0]}",
        maker="judge:tiny",
        run="run",
        claim=(anchor(on, words, Side.SUMMARY),),
        labels=labels or (INTRINSIC,),
        score=0.83,
    )
    return replace(made, **more)  # type: ignore[arg-type]


def with_two(labels: str = LABELS) -> Draft:
    """A draft with a suggestion that has evidence and a reason, and one with neither."""
    made = draft(labels)
    evidence = (anchor(made, "The budget was 12 million.", Side.SOURCE),)
    made.suggestions = (
        suggestion(made, "15 million pounds", note=REASON, evidence=evidence),
        suggestion(made, "Nobody died.", ("Benign",), score=None),
    )
    return made


def answer(on: Draft, effects: Effects) -> Annotation:
    """Answers the one acceptance among the effects as the store would."""
    (sent,) = [effect for effect in effects if isinstance(effect, Accept)]
    made = replace(sent.annotation, id="stored")
    on.suggestions = tuple(one for one in on.suggestions if one != sent.suggestion)
    known = sorted((*on.annotations, made), key=lambda each: each.claim)
    suggestion_actions.apply_accepted(on, sent.suggestion, made, annotations=known)
    return made


def told(on: Draft, cells: int = 1000) -> str:
    """What the draft line says of a suggestion; else what it says of anything."""
    line = suggestion_actions.describe_line(on, cells)
    return line[0] if line else said(on)


def test_c_walks_the_open_suggestions_with_their_evidence() -> None:
    """Each comes into focus from the cursor on, round and round; its evidence comes into sight."""
    on = with_two()
    effects = key(on, "c")
    assert on.focused == "s-15"
    assert effects == [
        GoTo(Side.SUMMARY, 0, on.text(Side.SUMMARY).index("15 million")),
        Reveal(Side.SOURCE, 0, on.suggestions[0].evidence[0].span),
    ]
    key(on, "c")
    assert on.focused == "s-Nobody"
    key(on, "C")
    assert on.focused == "s-15"
    assert on.seen_suggestions == {"s-15", "s-Nobody"}


def test_c_walks_what_lacks_something_and_suggestions_in_reading_order() -> None:
    """An annotation that wants evidence lies between two suggestions."""
    on = with_two()
    wanting = Annotation("a", (anchor(on, "pounds", Side.SUMMARY),), labels=(("Sourced",),))
    on.annotations = (wanting,)
    assert [keys(on, "c") and on.focused for _ in range(3)] == ["s-15", "a", "s-Nobody"]


def test_what_is_in_focus_is_told_in_words() -> None:
    """What `y` would save, by whom, how sure, why; the keys are in the line."""
    on = with_two()
    keys(on, "c")
    assert told(on) == (
        'y accepts Intrinsic: "15 million pounds", evidence: match 1 · judge:tiny 0.83: "The source'
        ' says 12 million." · e change · x reject'
    )
    keys(on, "c")
    assert told(on) == "y accepts Benign: sentence 3 · judge:tiny · e change · x reject"


@pytest.mark.parametrize("cells", [200, 130, 100, 77, 60, 40, 20])
def test_the_line_keeps_what_and_who_where_cells_are_few(cells: int) -> None:
    """Keys go first, which the key line has; then the end of the reason; then the middle of quotes.

    What would be saved, and by whom, never goes.
    """
    on = with_two()
    on.suggestions = (replace(on.suggestions[0], note=REASON * 9),)
    keys(on, "c")
    line = told(on, cells)
    assert line.startswith("y accepts In")
    assert " · judge" in line
    assert "0.83" in line
    assert ("Th" in line) is (cells >= 77)
    assert len(line) <= max(cells, 58)
    on.suggestions = (replace(on.suggestions[0], note=REASON),)
    assert told(on, cells).endswith("x reject") is (cells >= 130)


def test_in_eighty_columns_the_label_is_whole() -> None:
    """The quote and the maker are cut for the reason, not the label, which is nowhere else."""
    on = with_two()
    words = (anchor(on, "12 million", Side.SOURCE),)
    on.suggestions = (replace(on.suggestions[0], maker="detector-1", note="", evidence=words),)
    keys(on, "c")
    for note, line in (
        (
            "another sum",
            'y accepts Intrinsic: "15 m…unds", evidence · detector-1 0.83: "another sum"',
        ),
        (REASON, 'y accepts Intrinsic: "15…ds", evidence · detec… 0.83: "The source…2 million."'),
    ):
        on.suggestions = (replace(on.suggestions[0], note=note),)
        assert told(on, 77) == line


def test_without_a_label_the_line_promises_nothing_of_y() -> None:
    """It says which keys save: `y` can not, and says so too."""
    on = with_two()
    on.suggestions = (replace(on.suggestions[0], labels=(), note="", evidence=()),)
    keys(on, "c")
    assert told(on).startswith('To save "15 million pounds": press e, ')
    assert " · suggested by judge:tiny 0.83 · x " in told(on)
    assert key(on, "y") == [Blink()]
    assert code(on) is MessageCode.NO_LABEL_PROPOSED


def test_y_accepts_the_suggestion_as_it_is() -> None:
    """Claim, evidence and labels become an annotation, the reason no note; the line says saved."""
    on = with_two()
    keys(on, "c")
    first = on.suggestions[0]
    effects = key(on, "y")
    (sent,) = [effect for effect in effects if isinstance(effect, Accept)]
    assert sent.suggestion == first
    assert not sent.changed
    made = sent.annotation
    assert (made.claim, made.evidence, made.labels) == (first.claim, first.evidence, first.labels)
    assert made.note == ""
    assert list(on.answering) == ["s-15"]
    assert [one.id for one in on.offered] == ["s-Nobody"]
    answer(on, effects)
    assert on.focused == on.just_saved == "stored"
    assert all(part in said(on) for part in ("Intrinsic", " · u ", " · c "))


def test_y_acts_on_nothing_while_anything_is_in_hand() -> None:
    """Without focus, with evidence taken or a question open the bar blinks, and nothing is sent."""
    on = with_two()
    assert key(on, "y") == [Blink()]
    assert code(on) is MessageCode.NO_SUGGESTION_IN_FOCUS
    assert on.message.fields["key"] == "c"
    keys(on, "space c")
    assert key(on, "y") == [Blink()]
    assert code(on) is MessageCode.EVIDENCE_IN_HAND
    keys(on, "backspace c x")
    assert on.pending
    assert press(on, "suggestion.accept") == [Blink()]
    assert on.pending is not None
    assert not on.answering


def test_a_selection_takes_the_keys_from_the_suggestion() -> None:
    """It is out of focus then, and `y` has no meaning there."""
    on = with_two()
    keys(on, "c")
    select(on, "Nobody")
    assert on.state is SELECTING
    assert on.focused == ""
    assert key(on, "y") == [Blink()]
    assert not on.answering
    assert on.state is SELECTING
    on.focus_annotation("s-15")
    assert suggestion_actions.take(on) == [Blink()]
    on.side = Side.SOURCE
    assert suggestion_actions.take(on) == [Blink()]


@pytest.mark.parametrize(
    ("labels", "wanted", "fields"),
    [
        ((), MessageCode.NO_LABEL_PROPOSED, {}),
        ((("Gone",),), MessageCode.UNKNOWN_LABEL_PROPOSED, {"label": '"Gone"'}),
        ((("Bare",),), MessageCode.PROPOSED_TAKES_NO_EVIDENCE, {"label": "Bare"}),
    ],
)
def test_what_can_not_be_saved_is_told_before_it_is_sent(
    labels: tuple[LabelPath, ...], wanted: MessageCode, fields: dict[str, str]
) -> None:
    """Nothing is sent, the suggestion stays in focus, and `e` loads it."""
    on = with_two()
    on.suggestions = (replace(on.suggestions[0], labels=labels),)
    keys(on, "c")
    assert key(on, "y") == [Blink()]
    assert (code(on), dict(on.message.fields)) == (wanted, fields)
    assert on.focused == "s-15"
    keys(on, "e")
    assert on.editing
    assert on.labels == [path for path in labels if path != ("Gone",)]


def test_a_claim_that_has_the_label_is_not_taken_again() -> None:
    """As for a digit: the hint names the annotation."""
    on = with_two()
    on.annotations = (Annotation("a", on.suggestions[0].claim, labels=(INTRINSIC,)),)
    keys(on, "c")
    assert key(on, "y") == [Blink()]
    assert code(on) is MessageCode.HAS_LABEL_ALREADY
    assert dict(on.message.fields) == {"letter": "A", "label": "Intrinsic", "what": "claim"}


def test_a_note_that_a_label_requires_is_asked_for() -> None:
    """As after a digit: the note line opens once it is saved."""
    on = with_two()
    on.suggestions = (replace(on.suggestions[1], labels=(("Told",),)),)
    effects = keys(on, "c y")
    (sent,) = [each for each in effects if isinstance(each, Accept)]
    made = replace(sent.annotation, id="stored")
    opened = suggestion_actions.apply_accepted(on, sent.suggestion, made, annotations=[made])
    assert opened == [OpenNote("")]
    assert on.writing == Note("annotation", "stored")


def test_e_loads_it_and_enter_accepts_what_became_of_it() -> None:
    """Labels, evidence and claim change as of an annotation; the line says what it is of."""
    on = with_two()
    assert keys(on, "c e") == [Select(Side.SUMMARY, None)]
    assert on.state is EDITING
    assert on.evidence == list(on.suggestions[0].evidence)
    assert on.changing == on.suggestions[0]
    assert "~: Intrinsic" in told(on)
    keys(on, "1 3")
    select(on, "million pounds")
    effects = key(on, "enter")
    (sent,) = [effect for effect in effects if isinstance(effect, Accept)]
    assert sent.changed
    assert sent.annotation.labels == (("Benign",),)
    assert sent.annotation.claim == (anchor(on, "million pounds", Side.SUMMARY),)
    assert not on.editing
    assert not on.evidence
    answer(on, effects)
    assert on.just_saved == "stored"
    assert "Benign" in said(on)


def test_e_and_enter_alone_accept_it_as_it_is() -> None:
    """Nothing was changed, which is no reason to leave it open."""
    on = with_two()
    (sent,) = [each for each in keys(on, "c e enter") if isinstance(each, Accept)]
    assert not sent.changed


def test_e_again_leaves_it_open_and_in_focus() -> None:
    """What was changed is dropped."""
    on = with_two()
    keys(on, "c e 3 e")
    assert not on.editing
    assert not on.changing
    assert on.focused == "s-15"
    assert told(on).startswith("y ")
    keys(on, "e")
    assert key(on, "y") == [Blink()]
    assert on.editing


def test_without_a_label_it_is_not_saved() -> None:
    """Enter says what to do."""
    on = with_two()
    assert keys(on, "c e 1 enter") == [Blink()]
    assert code(on) is MessageCode.NO_LABEL_LEFT


def test_x_asks_why_and_a_digit_refuses() -> None:
    """The reasons are options of the bar; then digits sleep, and the next is a key away."""
    on = with_two()
    assert keys(on, "c x") == []
    assert [option.text for option in on.options()] == [each.text() for each in WHY[DECLINE]]
    assert all(part in told(on, 77) for part in (" 1-4 ", "0 ", "Enter "))
    assert "Backspace" not in told(on, 60)
    assert "Backspace" in told(on)
    first = on.suggestions[0]
    assert key(on, "2") == [Decline(first, WHY[DECLINE][1].value)]
    assert list(on.answering) == ["s-15"]
    on.suggestions = on.suggestions[1:]
    suggestion_actions.apply_declined(on, first)
    assert code(on) is MessageCode.SUGGESTION_REFUSED_MORE_OPEN
    refused = {"what": "Intrinsic", "maker": "judge:tiny", "key": "c"}
    assert dict(on.message.fields) == refused
    assert on.digits_off
    assert key(on, "1") == [Blink()]


def test_without_a_label_hints_name_no_key_that_needs_one() -> None:
    """Neither the key line nor a digit promises more than there is; a refusal quotes the words."""
    on = with_two()
    first = replace(on.suggestions[0], labels=())
    on.suggestions = (first, *on.suggestions[1:])
    keys(on, "c")
    assert key_pairs(default_keys(), on)[0] == ("e", "change")
    assert key(on, "1") == [Blink()]
    assert code(on) is MessageCode.DIGITS_OFF_ON_SUGGESTION
    keys(on, "0")
    assert code(on) is MessageCode.DIGITS_OFF_ON_SUGGESTION
    keys(on, "c")
    assert key_pairs(default_keys(), on)[0] == ("y", "accept")
    keys(on, "c x enter")
    on.suggestions = on.suggestions[1:]
    suggestion_actions.apply_declined(on, first)
    assert code(on) is MessageCode.SUGGESTION_REFUSED_MORE_OPEN
    assert on.message.fields["what"] == '"15 million pounds"'


def test_a_refusal_needs_no_reason_and_takes_own_words() -> None:
    """Enter is none; 0 opens the note line; Backspace keeps the suggestion."""
    on = with_two()
    first = on.suggestions[0]
    assert keys(on, "c x enter") == [Decline(first, "")]
    on = with_two()
    assert keys(on, "c x 0") == [OpenNote("")]
    assert on.writing == Note(DECLINE, "s-15")
    assert notes.finish_note(on, " it is irony ") == [Decline(first, "it is irony")]
    on = with_two()
    keys(on, "c x 0")
    notes.keep_note_text(on, "it is")
    assert not on.writing
    keys(on, "x backspace")
    assert on.focused == "s-15"
    assert not on.answering


def test_x_while_it_is_loaded_refuses_it() -> None:
    """It leaves the edit, and asks why."""
    on = with_two()
    keys(on, "c e x")
    assert not on.editing
    assert on.pending
    assert on.pending.kind == DECLINE


def test_x_keeps_what_is_in_hand() -> None:
    """Evidence that was taken is to be saved or given back first."""
    on = with_two()
    keys(on, "space c")
    assert key(on, "x") == [Blink()]
    assert key(on, "e") == [Blink()]
    assert on.evidence


def test_m_on_a_suggestion_says_how_to_write_its_note() -> None:
    """It opens no note on the sample by mistake."""
    on = with_two()
    assert keys(on, "c m") == [Blink()]
    assert not on.writing


def test_an_acceptance_that_is_refused_leaves_it_open() -> None:
    """The suggestion is in focus again, and the reason is told."""
    on = with_two()
    first = on.suggestions[0]
    keys(on, "c y")
    effects = suggestion_actions.reopen_suggestion(on, first, "the disk is full")
    assert effects
    assert on.focused == first.id
    assert not on.answering
    assert code(on) is MessageCode.NOT_SAVED
    assert on.message.fields["reason"] == "the disk is full"


def test_changes_that_are_refused_come_back_into_hand() -> None:
    """Labels, evidence, note and claim as they were typed; Enter tries again."""
    on = with_two()
    first = on.suggestions[0]
    keys(on, "c e 1 3")
    select(on, "million pounds")
    keys(on, "enter")
    on.pointers[Side.SUMMARY] = replace(on.pointers[Side.SUMMARY], selection=None)
    effects = suggestion_actions.reopen_suggestion(on, first, "no")
    assert on.changing == first
    assert on.labels == [("Benign",)]
    assert Select(Side.SUMMARY, anchor(on, "million pounds", Side.SUMMARY).span) in effects
    assert code(on) is MessageCode.NOT_SAVED
    assert on.message.fields["reason"] == "no"


def test_changes_that_are_refused_behind_other_work_wait_for_free_hands() -> None:
    """They come back as a claim of one's own, with all that was typed."""
    on = with_two()
    first = on.suggestions[0]
    keys(on, "c e 1 3 enter")
    select(on, "Nobody")
    assert suggestion_actions.reopen_suggestion(on, first, "no") == []
    (refused,) = on.saves.refused
    assert refused.new
    assert refused.annotation.labels == (("Benign",),)
    assert refused.annotation.id != first.id
    on = with_two()
    keys(on, "c x 1")
    select(on, "Nobody")
    assert suggestion_actions.reopen_suggestion(on, on.suggestions[0], "no") == []
    assert not on.saves.refused


def test_what_undo_opens_again_is_found() -> None:
    """One alone comes back into focus; several, or hidden ones, do not."""
    on = with_two()
    assert suggestion_actions.find_reopened(on, on.suggestions[1:]) == on.suggestions[0]
    assert suggestion_actions.find_reopened(on, on.suggestions) is None
    assert suggestion_actions.find_reopened(on, ()) is None
    on.suggestions_hidden = True
    assert suggestion_actions.find_reopened(on, on.suggestions[1:]) is None


def test_what_comes_later_takes_no_focus_from_where_hands_are() -> None:
    """The store's answer to one that was left already changes what is listed, no more."""
    on = with_two()
    effects = keys(on, "c y")
    on.enable_digits()
    answer(on, effects)
    assert on.focused == ""
    assert len(on.annotations) == 1


def test_hidden_suggestions_are_nowhere_and_come_back() -> None:
    """No key is at them, nothing counts them; the choice is told to the screen."""
    on = with_two()
    keys(on, "c")
    assert key(on, "Y") == [Open(Page.SUGGESTIONS, 0)]
    assert not on.offered
    assert on.focused == ""
    assert keys(on, "c") == [Blink()]
    assert code(on) is MessageCode.NOTHING_OPEN_BUT_HIDDEN
    assert not suggestion_actions.describe_open_suggestions(on)
    assert keys(on, "down Y") == [Open(Page.SUGGESTIONS, 1)]
    assert code(on) is MessageCode.SUGGESTIONS_OPEN
    assert on.message.fields["count"] == 2
    assert key(on, "c")
    keys(on, "e")
    assert key(on, "Y") == [Blink()]
    assert on.changing


def test_enter_says_once_that_suggestions_were_never_looked_at() -> None:
    """Together with sentences that were never on screen; the second Enter finishes."""
    on = with_two()
    on.visited = {0, 1}
    assert key(on, "enter") == [Blink()]
    assert code(on) is MessageCode.NOT_ALL_SEEN
    assert (on.message.fields["sentences"], on.message.fields["suggestions"]) == ([3], 2)
    assert on.message.kind == "warning"
    assert all(words in said(on) for words in ("2 ", "Enter"))
    assert Finish("done") in key(on, "enter")


def test_what_was_looked_at_may_stay_open() -> None:
    """No warning then, nor where suggestions are hidden."""
    on = with_two()
    on.visited = {0, 1, 2}
    keys(on, "c c")
    assert Finish("done") in key(on, "enter")
    on = with_two()
    on.visited, on.suggestions_hidden = {0, 1, 2}, True
    assert Finish("done") in key(on, "enter")
    on = with_two()
    on.visited = {0, 1, 2}
    keys(on, "c")
    key(on, "enter")
    assert code(on) is MessageCode.NOT_ALL_SEEN
    assert (on.message.fields["sentences"], on.message.fields["suggestions"]) == ([], 1)


def test_what_was_looked_at_is_remembered() -> None:
    """As sentences are; ids of what is no longer suggested are left out."""
    on = with_two()
    keys(on, "c")
    on.seen_suggestions.add("gone")
    kept = dump_state(on)
    again = with_two()
    restore(again, kept)
    assert again.seen_suggestions == {"s-15"}
    for broken in (3, [["s-15"]], [3]):
        fresh = with_two()
        restore(fresh, {"regarded": broken})
        assert not fresh.seen_suggestions


def test_where_c_walks_citations_a_walks_suggestions_too() -> None:
    """Citations keep their key; suggestions stand among annotations then."""
    on = with_two()
    on.tabs = 1
    on.annotations = (Annotation("a", (anchor(on, "film", Side.SUMMARY),), labels=(("Benign",),)),)
    assert [keys(on, "a") and on.focused for _ in range(3)] == ["a", "s-15", "s-Nobody"]
    assert suggestion_actions.describe_open_suggestions(on).fields["key"] == "a"
    assert ("a", "next") in key_pairs(default_keys(), on)
    answer(on, key(on, "y"))
    assert " · a " in said(on)
    on.drop_focus()
    keys(on, "y")
    assert code(on) is MessageCode.NO_SUGGESTION_IN_FOCUS
    assert on.message.fields["key"] == "a"


def test_y_says_why_there_is_nothing_to_accept() -> None:
    """Suggestions that are hidden are not walked to; where there are none no key is named."""
    on = with_two()
    keys(on, "Y")
    assert code(on) is MessageCode.SUGGESTIONS_HIDDEN_NOW
    keys(on, "y")
    assert code(on) is MessageCode.SUGGESTIONS_HIDDEN
    on.suggestions, on.suggestions_hidden = (), False
    keys(on, "y")
    assert code(on) is MessageCode.NO_SUGGESTIONS


def test_evidence_alone_can_be_suggested() -> None:
    """It is walked to by its place in the source."""
    on = with_two()
    place_of = anchor(on, "It rained.", Side.SOURCE)
    on.suggestions = (replace(on.suggestions[0], claim=(), evidence=(place_of,)),)
    assert keys(on, "c") == [Reveal(Side.SOURCE, 0, place_of.span)]
    assert "Intrinsic" in told(on)


def test_several_claims_and_places_are_counted() -> None:
    """The line quotes the first claim, and names so many places as there is room for."""
    on = with_two()
    first = on.suggestions[0]
    more = anchor(on, "It rained.", Side.SOURCE)
    claims = (*first.claim, anchor(on, "Nobody", Side.SUMMARY))
    on.suggestions = (replace(first, claim=claims, evidence=(*first.evidence, more)),)
    keys(on, "c")
    assert '" and 1 more, evidence: ' in told(on)
    assert " 1 more " in told(on, 60)


def test_all_of_a_suggestion_is_a_page_to_read() -> None:
    """Also once it is one's own; what nobody proposed has none."""
    on = with_two()
    assert suggestion_actions.describe_suggestion(on) == ""
    keys(on, "c")
    page = suggestion_actions.describe_suggestion(on)
    title, *parts = [part.split("\n", 1) for part in page.split("\n\n")]
    assert title == ["# Intrinsic", "judge:tiny 0.83"]
    assert [text for _, text in parts] == [
        REASON,
        "15 million pounds",
        "The budget was 12 million.",
    ]
    made = answer(on, key(on, "y"))
    assert suggestion_actions.describe_suggestion(on) == ""
    origin = Provenance(suggestion="s-15", maker="judge:tiny", score=0.83, changed=True)
    on.annotations = (replace(made, suggested=origin),)
    page = suggestion_actions.describe_suggestion(on)
    assert page.startswith("# Intrinsic\n")
    assert "judge:tiny 0.83" in page
    on.focus_annotation(on.focused)
    assert said(on).startswith("A Intrinsic ")
    assert "judge:tiny 0.83" in said(on)


def test_matches_are_looked_for_by_the_claim_in_focus() -> None:
    """So that the assist ranks evidence for the words that are suggested."""
    on = with_two()
    keys(on, "c")
    claim = on.suggestions[0].claim[0]
    on.pointers[Side.SUMMARY] = replace(on.pointers[Side.SUMMARY], offset=claim.span.start)
    assert on.current_anchor(Side.SUMMARY) == claim
    assert not completion.find_unsaved_work(on)
    assert claim.span != Span(0, 1)
