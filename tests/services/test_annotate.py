"""The actions of annotators: whole, saved, one's own, and open to undo."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from tests.helpers.effort import example_limit
from tests.helpers.stores import (
    SEGMENTER,
    SOURCE,
    annotate,
    claim,
    fill,
    halves,
    new,
    new_database,
    sample,
)
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.assist_snapshot import AssistSnapshot
from tui_annotate.domain.assist_traces import OUTSIDE, AssistTrace, MatchPosition
from tui_annotate.domain.errors import (
    Conflict,
    InvalidInput,
    InvalidLabels,
    InvalidSpan,
    NotFound,
    TuiAnnotateError,
)
from tui_annotate.domain.history import StreamState, replay
from tui_annotate.domain.samples import Document, Match, Sample, SampleKey, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import AnnotationService, SaveResult
from tui_annotate.storage.integrity import inspect_store
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.sqlite_database import SqliteDatabase

KEY = SampleKey("d", "1")
OTHER = SampleKey("d", "2")
EVIDENCE = (Anchor(Side.SOURCE, 0, Span(35, 52)),)


@pytest.fixture
def annotating(database: SqliteDatabase) -> AnnotationService:
    """The annotation service over three samples."""
    made = annotate(database, ratings=("good", "poor"))
    fill(made.corpus, "1", "2", "3")
    return made


@pytest.fixture
def ana(annotating: AnnotationService) -> str:
    """Somebody."""
    return annotating.people.local("ana").id


@pytest.fixture
def bo(annotating: AnnotationService) -> str:
    """Somebody else."""
    return annotating.people.local("bo").id


def name() -> str:
    """An id as the screen makes one."""
    return str(uuid4())


# looking -----------------------------------------------------------------------------------------


def test_a_desk_holds_all_that_the_screen_shows(annotating: AnnotationService, ana: str) -> None:
    """Texts, segments, own work, place, standing, labels and guidelines."""
    annotating.guidance.keep(GuidanceKind.GUIDELINES, "Mark what is wrong.")
    annotating.people.keep_place(ana, KEY, {"offset": 3})
    annotating.skip(ana, OTHER, seconds=1)
    open_sample = annotating.open(ana, KEY)
    assert (open_sample.sample, open_sample.segments) == (
        annotating.corpus.sample(KEY).sample,
        annotating.corpus.sample(KEY).segments,
    )
    assert (open_sample.annotations, open_sample.assignment.state) == ((), State.NEW)
    assert (open_sample.place, open_sample.position, open_sample.total, open_sample.finished) == (
        {"offset": 3},
        1,
        3,
        1,
    )
    assert [label.name for label in open_sample.labels.leaves()] == [
        "Wrong",
        "Odd",
        "Fine",
        "Alone",
    ]
    assert open_sample.guidelines == "Mark what is wrong."


def test_opening_writes_nothing(
    database: SqliteDatabase, annotating: AnnotationService, ana: str
) -> None:
    """Looking is no deed."""
    before = database.path.stat().st_mtime_ns, database.path.read_bytes()
    annotating.open(ana, KEY)
    annotating.queue(ana)
    annotating.start(ana)
    assert (database.path.stat().st_mtime_ns, database.path.read_bytes()) == before
    assert annotating.store.events(ana, KEY) == ()


def test_work_with_a_retired_label_is_edited_in_other_parts(
    annotating: AnnotationService, ana: str
) -> None:
    """What has it keeps it; nothing else gets it."""
    annotating.add(ana, KEY, claim("a", label="Odd", note="so"), seconds=1)
    annotating.guidance.keep(GuidanceKind.LABELS, "- {name: Odd, retired: true}\n- Fine\n")
    held = annotating.open(ana, KEY).annotations[0]
    annotating.edit(ana, KEY, replace(held, note="otherwise"), seconds=1)
    assert [one.note for one in annotating.open(ana, KEY).annotations] == ["otherwise"]
    with pytest.raises(InvalidLabels, match="'Odd'"):
        annotating.add(ana, OTHER, claim("b", label="Odd"), seconds=1)
    annotating.add(ana, OTHER, claim("c"), seconds=1)
    mine = annotating.open(ana, OTHER).annotations[0]
    with pytest.raises(InvalidLabels, match="'Odd'"):
        annotating.edit(ana, OTHER, replace(mine, labels=(("Odd",),)), seconds=1)


def test_a_save_under_labels_that_changed_is_a_conflict(
    annotating: AnnotationService, ana: str
) -> None:
    """Whoever saw another set than the one in force is told, and nothing is written."""
    seen = annotating.open(ana, KEY).labels.version
    first = annotating.add(ana, KEY, claim("a"), seconds=1, label_set=seen).annotations[0]
    annotating.guidance.keep(GuidanceKind.LABELS, "- Fine\n- Wrong\n")
    before = annotating.store.events(ana, KEY)
    late: list[Callable[[], SaveResult]] = [
        lambda: annotating.add(ana, KEY, claim("b", 0, 3), seconds=1, label_set=seen),
        lambda: annotating.edit(ana, KEY, replace(first, note="x"), seconds=1, label_set=seen),
        lambda: annotating.finish(ana, KEY, seconds=1, label_set=seen),
    ]
    for deed in late:
        with pytest.raises(Conflict):
            deed()
    assert annotating.store.events(ana, KEY) == before
    now = annotating.open(ana, KEY).labels.version
    saved = annotating.edit(ana, KEY, replace(first, note="x"), seconds=1, label_set=now)
    assert [(one.note, one.label_set) for one in saved.annotations] == [("x", now)]
    assert annotating.finish(ana, KEY, seconds=1, label_set=now).assignment.state is State.DONE


def test_another_colour_is_no_conflict(annotating: AnnotationService, ana: str) -> None:
    """Every digit means the same; what is saved names the set in force."""
    annotating.guidance.keep(GuidanceKind.LABELS, "- Fine\n- Wrong\n")
    seen = annotating.open(ana, KEY).labels.version
    annotating.guidance.keep(GuidanceKind.LABELS, "- {name: Fine, color: red}\n- Wrong\n")
    saved = annotating.add(ana, KEY, claim("a"), seconds=1, label_set=seen)
    assert [one.label_set for one in saved.annotations] == [
        annotating.open(ana, KEY).labels.version
    ]
    assert saved.annotations[0].label_set != seen


def test_nobody_sees_the_work_of_another(annotating: AnnotationService, ana: str, bo: str) -> None:
    """Annotations, states, notes, counts and undo are each person's own."""
    annotating.add(ana, KEY, claim(name(), note="mine"), seconds=1)
    annotating.finish(ana, KEY, seconds=1)
    open_sample = annotating.open(bo, KEY)
    assert (open_sample.annotations, open_sample.assignment.state, open_sample.finished) == (
        (),
        State.NEW,
        0,
    )
    assert annotating.store.past_notes(bo) == ()
    assert annotating.undo(bo) is None
    assert annotating.clear(bo).annotations == 0
    assert {row.state for row in annotating.queue(bo).rows} == {State.NEW}


def test_it_begins_where_the_person_was(annotating: AnnotationService, ana: str) -> None:
    """A named sample, else the last place, else the next that is not finished."""
    assert annotating.start(ana) == KEY
    assert annotating.start(ana, sample="d/3") == SampleKey("d", "3")
    annotating.people.keep_place(ana, OTHER, {})
    assert annotating.start(ana) == OTHER
    annotating.finish(ana, OTHER, seconds=0)
    assert annotating.start(ana) == SampleKey("d", "3")
    for each in ("1", "3"):
        annotating.finish(ana, SampleKey("d", each), seconds=0)
    assert annotating.start(ana) == OTHER
    with pytest.raises(NotFound):
        annotating.start(ana, sample="none")


def test_an_empty_workspace_has_nowhere_to_begin(database: SqliteDatabase) -> None:
    """None, not an error."""
    made = annotate(database)
    assert made.start(made.people.local("ana").id) is None


def test_the_next_and_the_neighbours(annotating: AnnotationService, ana: str) -> None:
    """By the order that is asked for."""
    assert annotating.next_unfinished(ana, KEY) == OTHER
    assert annotating.neighbour(ana, OTHER, -1) == KEY
    assert annotating.neighbour(ana, KEY, -1, order="ingested") is None
    assert annotating.find(" 3 ") == SampleKey("d", "3")


def test_past_notes_come_by_use(annotating: AnnotationService, ana: str) -> None:
    """The most frequent first, then the most recent, each once."""
    for place, note in enumerate(["rare", "often", "often", "late", ""]):
        annotating.add(ana, KEY, claim(name(), 4, 5 + place, note=note), seconds=0)
    assert annotating.store.past_notes(ana) == ("often", "late", "rare")
    assert annotating.store.past_notes(ana, limit=1) == ("often",)


def test_former_evidence_is_of_the_same_text_and_of_the_same_person(
    annotating: AnnotationService, ana: str, bo: str
) -> None:
    """What one took in a source under other summaries, at whatever place the source stands there.

    Neither the sample's own evidence, nor that of others, nor that of other texts.
    """
    texts = {key: annotating.corpus.sample(key).sample for key in (KEY, OTHER)}
    source = texts[KEY].document(Side.SOURCE)
    several = Sample("d", "4", (Document(Side.SOURCE, "Else."), *texts[OTHER].documents))
    annotating.corpus.add([new(several)], segmenter=SEGMENTER)
    second = (Anchor(Side.SOURCE, 0, Span(0, 5)), Anchor(Side.SOURCE, 1, Span(0, 15)))
    for person, key, evidence in (
        (ana, KEY, EVIDENCE),
        (ana, OTHER, EVIDENCE),
        (ana, several.key, second),
        (bo, SampleKey("d", "3"), (Anchor(Side.SOURCE, 0, Span(0, 3)),)),
    ):
        annotating.add(person, key, replace(claim(name()), evidence=evidence), seconds=0)
    found = annotating.former_evidence(ana, texts[KEY])
    assert found == {source.sha256: (Span(0, 15), Span(35, 52))}
    assert annotating.former_evidence(ana, several) == {source.sha256: (Span(35, 52),)}
    assert annotating.former_evidence(bo, texts[KEY]) == {source.sha256: (Span(0, 3),)}
    assert annotating.former_evidence("nobody", texts[KEY]) == {}


def test_likings_are_kept(annotating: AnnotationService, ana: str) -> None:
    """By name."""
    annotating.people.keep_preference(ana, "split", "stacked")
    assert annotating.people.preferences(ana) == {"split": "stacked"}


def test_without_labels_there_is_nothing_to_say(database: SqliteDatabase) -> None:
    """A store that never saw a label set says what to do."""
    with pytest.raises(NotFound, match=r"labels\.yaml") as caught:
        annotate(database, labels="").labels()
    assert caught.value.hint


def test_a_dataset_may_have_labels_of_its_own(annotating: AnnotationService, ana: str) -> None:
    """They are the ones that new work is checked against, and named in it."""
    version = annotating.guidance.keep(GuidanceKind.LABELS, "- Other", dataset="d")
    saved = annotating.add(ana, KEY, claim(name(), label="Other"), seconds=0)
    assert saved.annotation is not None
    assert saved.annotation.label_set == version
    with pytest.raises(InvalidLabels, match="'Fine'"):
        annotating.add(ana, KEY, claim(name(), 0, 3), seconds=0)


# doing -------------------------------------------------------------------------------------------


def test_an_annotation_is_stored_well_made(annotating: AnnotationService, ana: str) -> None:
    """Trimmed, numbered, dated, under the versions in force; and what is told is what is stored."""
    annotating.guidance.keep(GuidanceKind.GUIDELINES, "Rules.")
    wide = claim(name(), 15, 34, label="Wrong", note=" why ")
    saved = annotating.add(ana, KEY, replace(wide, evidence=EVIDENCE), seconds=5)
    made = saved.annotation
    assert made is not None
    assert (made.claim[0].span, made.evidence, made.note) == (Span(16, 33), EVIDENCE, "why")
    assert (made.version, made.number, made.origin) == (1, 1, "human")
    assert made.created == made.updated > "2020"
    assert made.label_set == annotating.labels().version
    assert made.guidelines == annotating.guidance.version(GuidanceKind.GUIDELINES)
    assert (saved.verb, saved.assignment.state, saved.assignment.seconds) == ("add", State.DRAFT, 5)
    open_sample = annotating.open(ana, KEY)
    assert (open_sample.annotations, open_sample.assignment) == (
        saved.annotations,
        saved.assignment,
    )
    (event,) = annotating.store.events(ana, KEY)
    assert event.versions == {"labels": made.label_set, "guidelines": made.guidelines}
    assert event.app


def test_numbers_count_through_the_workspace(
    annotating: AnnotationService, ana: str, bo: str
) -> None:
    """No number is given twice, also after a removal."""
    numbers = []
    for person, key in ((ana, KEY), (bo, KEY), (ana, OTHER)):
        saved = annotating.add(person, key, claim(name()), seconds=0)
        assert saved.annotation is not None
        numbers.append(saved.annotation.number)
        if person == bo:
            annotating.remove(bo, key, saved.annotation.id, version=1, seconds=0)
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (claim("a", label="Gone"), InvalidLabels),
        (claim("a", 0, 500), InvalidSpan),
        (claim("a", 3, 4), InvalidSpan),
        (Annotation("a", EVIDENCE), InvalidInput),
        (claim("a", note="half \ud800"), InvalidInput),
        (Annotation("a", (Anchor(Side.SUMMARY, 1, Span(0, 3)),)), NotFound),
    ],
)
def test_what_is_wrong_is_refused_and_leaves_nothing(
    annotating: AnnotationService, ana: str, wrong: Annotation, error: type[TuiAnnotateError]
) -> None:
    """No event, no annotation, no state."""
    with pytest.raises(error):
        annotating.add(ana, KEY, wrong, seconds=1)
    assert annotating.store.events(ana, KEY) == ()
    assert annotating.open(ana, KEY).assignment.state is State.NEW


def test_twins_are_refused_and_rivals_are_welcome(
    annotating: AnnotationService, ana: str, bo: str
) -> None:
    """The same claim and label once a person; another label, or another person, is no twin."""
    annotating.add(ana, KEY, claim("a"), seconds=0)
    with pytest.raises(Conflict, match="already has the label 'Fine'"):
        annotating.add(ana, KEY, claim("b", 15, 34), seconds=0)
    with pytest.raises(Conflict, match="'Alone'"):
        annotating.add(ana, KEY, claim("b", label="Alone"), seconds=0)
    annotating.add(ana, KEY, claim("b", label="Odd", note="why"), seconds=0)
    annotating.add(bo, KEY, claim("c"), seconds=0)
    assert len(annotating.open(ana, KEY).annotations) == 2


def test_annotations_stand_in_reading_order(annotating: AnnotationService, ana: str) -> None:
    """By claim, then by number; those about the source alone come last."""
    alone = Annotation("e", (), EVIDENCE, (("Fine",),))
    for made in (alone, claim("c", 16, 33), claim("a", 0, 3), claim("d", 16, 33, label="Odd")):
        annotating.add(ana, KEY, made, seconds=0)
    assert [made.id for made in annotating.open(ana, KEY).annotations] == ["a", "c", "d", "e"]


def test_an_edit_is_a_new_version_and_a_stale_one_is_refused(
    annotating: AnnotationService, ana: str
) -> None:
    """Two windows: the second one hears that the annotation changed."""
    first = annotating.add(ana, KEY, claim("a"), seconds=0).annotation
    assert first is not None
    second = annotating.edit(ana, KEY, replace(first, note="why"), seconds=0).annotation
    assert second is not None
    assert (second.version, second.note, second.number) == (2, "why", first.number)
    with pytest.raises(Conflict):
        annotating.edit(ana, KEY, replace(first, note="else"), seconds=0)
    with pytest.raises(Conflict):
        annotating.remove(ana, KEY, "a", version=1, seconds=0)
    # Undone and edited again, the number is the same, but it is another version.
    annotating.undo(ana)
    annotating.edit(ana, KEY, replace(first, note="third"), seconds=0)
    with pytest.raises(Conflict):
        annotating.edit(ana, KEY, replace(second, note="fourth"), seconds=0)
    assert [made.note for made in annotating.open(ana, KEY).annotations] == ["third"]


def offer(*segments: int, looked: int = 0) -> AssistSnapshot:
    """The halves of the source in some order, by static vectors."""
    matches = tuple(
        Match(0, at, halves(SOURCE)[at].span, 0.5, rank) for rank, at in enumerate(segments, 1)
    )
    ranks = frozenset({looked} if looked else ())
    return AssistSnapshot(matches=matches, looked=ranks, embedder="static vectors", version="7")


def test_what_the_assist_showed_is_kept_with_the_event(
    annotating: AnnotationService, ana: str
) -> None:
    """For each span of evidence, and whether the best was passed over; undo brings it back."""
    made = replace(claim(name()), evidence=EVIDENCE)
    kept = annotating.add(ana, KEY, made, seconds=1, offer=offer(0, 1, looked=1)).annotation
    assert kept is not None
    assert kept.trace == AssistTrace(
        embedder="static vectors",
        version="7",
        offered=2,
        best=0.5,
        looked=(1,),
        places=(MatchPosition(2, 0.5, False),),
    )
    assert kept.trace.refused_best
    (event,) = annotating.store.events(ana, KEY)
    report = event.action.after.annotations[made.id]
    assert report is not None
    assert report["assist"]["evidence"] == [[2, 0.5, False]]
    annotating.remove(ana, KEY, made.id, version=1, seconds=1)
    annotating.undo(ana)
    assert annotating.store.stream(ana, KEY).annotations == (kept,)
    events = annotating.store.events(ana, KEY)
    assert replay(events).same(annotating.store.state(ana, KEY))


def test_an_edit_keeps_what_was_seen_of_evidence_that_stays(
    annotating: AnnotationService, ana: str
) -> None:
    """A note changes nothing of it; where nobody tells, new evidence leaves nothing to tell."""
    made = replace(claim(name()), evidence=EVIDENCE)
    first = annotating.add(ana, KEY, made, seconds=1, offer=offer(1, 0)).annotation
    assert first is not None
    noted = annotating.edit(ana, KEY, replace(first, note="n"), seconds=1, offer=offer()).annotation
    assert noted is not None
    assert noted.trace == first.trace
    more = replace(noted, evidence=(*EVIDENCE, Anchor(Side.SOURCE, 0, Span(0, 10))))
    wider = annotating.edit(ana, KEY, more, seconds=1, offer=offer(1)).annotation
    assert wider is not None
    assert wider.trace is not None
    assert wider.trace.places == (OUTSIDE, MatchPosition(1, 0.5, False))
    untold = replace(wider, evidence=(Anchor(Side.SOURCE, 0, Span(4, 10)),))
    last = annotating.edit(ana, KEY, untold, seconds=1).annotation
    assert last is not None
    assert last.trace is None


def test_work_without_a_trace_is_as_it_ever_was(annotating: AnnotationService, ana: str) -> None:
    """To the byte, so that logs of before and after hold alike."""
    annotating.add(ana, KEY, replace(claim(name()), evidence=EVIDENCE), seconds=1)
    (event,) = annotating.store.events(ana, KEY)
    (payload,) = event.action.after.annotations.values()
    assert payload is not None
    assert "assist" not in payload


def test_a_removed_annotation_is_gone_until_undo(annotating: AnnotationService, ana: str) -> None:
    """And what is not there can not be removed."""
    annotating.add(ana, KEY, claim("a"), seconds=0)
    saved = annotating.remove(ana, KEY, "a", version=1, seconds=0)
    assert (saved.annotation, saved.annotations) == (None, ())
    with pytest.raises(NotFound):
        annotating.remove(ana, KEY, "a", version=1, seconds=0)
    back = annotating.undo(ana)
    assert back is not None
    assert [made.id for made in back.annotations] == ["a"]
    assert back.annotation is not None


def test_a_draft_blocks_done_until_it_is_complete(annotating: AnnotationService, ana: str) -> None:
    """What is required and missing is stored, and named when the sample is to be finished."""
    draft = annotating.add(ana, KEY, claim("a", label="Wrong"), seconds=0).annotation
    assert draft is not None
    with pytest.raises(Conflict, match="'15 million pounds'"):
        annotating.finish(ana, KEY, seconds=0)
    annotating.edit(ana, KEY, replace(draft, evidence=EVIDENCE), seconds=0)
    assert annotating.finish(ana, KEY, seconds=0).assignment.state is State.DONE


def test_work_on_a_finished_sample_reopens_it(annotating: AnnotationService, ana: str) -> None:
    """Undo gives the finished state back."""
    annotating.finish(ana, KEY, seconds=0)
    assert annotating.add(ana, KEY, claim("a"), seconds=0).assignment.state is State.REOPENED
    assert annotating.open(ana, KEY).finished == 0
    undone = annotating.undo(ana)
    assert undone is not None
    assert undone.assignment.state is State.DONE
    assert annotating.open(ana, KEY).finished == 1


def test_skip_flag_comment_and_rating_are_told_and_undone(
    annotating: AnnotationService, ana: str
) -> None:
    """A reason becomes the comment; without one the comment stays; a rating is of the scale."""
    assert annotating.comment(ana, KEY, " odd ", seconds=0).assignment.comment == "odd"
    skipped = annotating.skip(ana, KEY, seconds=0).assignment
    assert (skipped.state, skipped.comment) == (State.SKIPPED, "odd")
    flagged = annotating.flag(ana, KEY, reason="no source", seconds=0).assignment
    assert (flagged.state, flagged.comment) == (State.FLAGGED, "no source")
    assert annotating.rate(ana, KEY, "poor", seconds=0).assignment.rating == "poor"
    with pytest.raises(InvalidInput, match="'fair'"):
        annotating.rate(ana, KEY, "fair", seconds=0)
    verbs = []
    while (undone := annotating.undo(ana)) is not None:
        verbs.append(undone.undone)
    assert verbs == ["rate", "flag", "skip", "comment"]
    assert annotating.store.state(ana, KEY) == StreamState()


def test_time_counts_without_its_pauses(annotating: AnnotationService, ana: str) -> None:
    """A minute between two actions at most; reading alone counts too, and is no deed."""
    annotating.add(ana, KEY, claim("a"), seconds=12.5)
    annotating.read(ana, KEY, seconds=3600)
    annotating.read(ana, KEY, seconds=0)
    annotating.read(ana, KEY, seconds=-5)
    assert annotating.open(ana, KEY).assignment.seconds == 72.5
    assert len(annotating.store.events(ana, KEY)) == 2
    undone = annotating.undo(ana)
    assert undone is not None
    assert (undone.undone, undone.assignment.seconds) == ("add", 72.5)


# taking back -------------------------------------------------------------------------------------


def test_undo_and_redo_go_through_samples_and_restarts(
    database: SqliteDatabase, ana: str, annotating: AnnotationService
) -> None:
    """The last deed first, wherever it was, also from another process's point of view."""
    annotating.add(ana, KEY, claim("a"), seconds=0)
    annotating.add(ana, OTHER, claim("b"), seconds=0)
    annotating.finish(ana, OTHER, seconds=0)
    again = annotate(SqliteDatabase.open(database.path))
    undone = [again.undo(ana) for _ in range(4)]
    assert [(each.key, each.undone) if each else None for each in undone] == [
        (OTHER, "done"),
        (OTHER, "add"),
        (KEY, "add"),
        None,
    ]
    redone = [annotating.redo(ana) for _ in range(4)]
    assert [(each.key, each.undone, each.verb) if each else None for each in redone] == [
        (KEY, "add", "redo"),
        (OTHER, "add", "redo"),
        (OTHER, "done", "redo"),
        None,
    ]
    assert annotating.open(ana, OTHER).assignment.state is State.DONE


def test_a_clearing_is_taken_back_as_one(annotating: AnnotationService, ana: str, bo: str) -> None:
    """Over samples; undo, redo and undo again; finished samples are reopened and back."""
    for key in (KEY, OTHER):
        annotating.add(ana, key, claim(name()), seconds=0)
        annotating.add(ana, key, claim(name(), 0, 3), seconds=0)
    annotating.finish(ana, OTHER, seconds=0)
    annotating.add(bo, KEY, claim(name()), seconds=0)
    before = [annotating.open(ana, key).annotations for key in (KEY, OTHER)]
    assert annotating.clear(ana).annotations == 4
    for _ in range(2):
        assert [annotating.open(ana, key).annotations for key in (KEY, OTHER)] == [(), ()]
        assert annotating.open(ana, OTHER).assignment.state is State.REOPENED
        undone = annotating.undo(ana)
        assert undone is not None
        assert undone.undone == "clear"
        assert [annotating.open(ana, key).annotations for key in (KEY, OTHER)] == before
        assert annotating.open(ana, OTHER).assignment.state is State.DONE
        redone = annotating.redo(ana)
        assert redone is not None
        assert redone.undone == "clear"
    assert len(annotating.open(bo, KEY).annotations) == 1


def test_ratings_and_comments_go_where_they_are_meant(
    annotating: AnnotationService, ana: str
) -> None:
    """They stay otherwise; with them one undo brings all back, also where nothing was marked."""
    annotating.add(ana, KEY, claim(name()), seconds=0)
    annotating.rate(ana, KEY, "good", seconds=0)
    annotating.comment(ana, OTHER, "odd", seconds=0)
    before = [annotating.open(ana, key) for key in (KEY, OTHER)]
    assert annotating.clear(ana) == (1, 0, 0)
    assert annotating.open(ana, KEY).assignment.rating == "good"
    annotating.undo(ana)
    assert annotating.clear(ana, ratings=True) == (1, 1, 1)
    for key in (KEY, OTHER):
        left = annotating.open(ana, key)
        assert (left.annotations, left.assignment.rating, left.assignment.comment) == ((), "", "")
    annotating.undo(ana)
    after = [annotating.open(ana, key) for key in (KEY, OTHER)]
    assert [one.annotations for one in after] == [one.annotations for one in before]
    assert [one.assignment.rating for one in after] == ["good", ""]
    assert [one.assignment.comment for one in after] == ["", "odd"]
    assert annotating.clear(ana, ratings=True, dataset="d", sample="3") == (0, 0, 0)


def test_a_clearing_can_be_narrowed(annotating: AnnotationService, ana: str) -> None:
    """To a dataset, to a sample, to nothing at all."""
    annotating.corpus.add([new(sample("1", dataset="e"))], segmenter=SEGMENTER)
    for key in (KEY, OTHER, SampleKey("e", "1")):
        annotating.add(ana, key, claim(name()), seconds=0)
    with pytest.raises(NotFound):
        annotating.clear(ana, dataset="none")
    assert annotating.clear(ana, sample="2").annotations == 1
    assert annotating.clear(ana, dataset="d", sample="e/1").annotations == 0
    assert annotating.clear(ana, dataset="e").annotations == 1
    assert annotating.clear(ana).annotations == 1
    with pytest.raises(NotFound):
        annotating.clear(ana, sample="1")


def interrupted(annotating: AnnotationService, act: Callable[[], object]) -> AnnotationService:
    """A service in which something happens while the next action prepares its first event."""
    calls = iter(range(1000))

    def named() -> str:
        if next(calls) == 1:  # 0 names what belongs together
            act()
        return name()

    return replace(annotating, new_id=named)


def test_others_write_while_a_clearing_is_prepared(
    database: SqliteDatabase, annotating: AnnotationService, ana: str, bo: str
) -> None:
    """The lock is taken for the writing alone; what others do meanwhile changes nothing of it."""
    annotating.add(ana, KEY, claim(name()), seconds=0)
    others = annotate(SqliteDatabase(database.path), labels="")
    cleared = interrupted(annotating, lambda: others.add(bo, KEY, claim(name()), seconds=0)).clear(
        ana
    )
    assert cleared.annotations == 1
    assert len(annotating.open(bo, KEY).annotations) == 1


@pytest.mark.parametrize("key", [KEY, OTHER])
def test_what_comes_in_before_the_lock_counts(
    database: SqliteDatabase, annotating: AnnotationService, ana: str, key: SampleKey
) -> None:
    """What was prepared on older work of the same person is prepared anew; the log stays whole."""
    annotating.add(ana, KEY, claim(name()), seconds=0)
    others = annotate(SqliteDatabase(database.path), labels="")

    def work(start: int) -> object:
        return others.add(ana, key, claim(name(), start, start + 3), seconds=0)

    assert interrupted(annotating, lambda: work(0)).clear(ana).annotations == 2
    assert annotating.open(ana, KEY).annotations == annotating.open(ana, OTHER).annotations == ()
    last = interrupted(annotating, lambda: work(4)).undo(ana)
    assert last is not None
    assert (last.key, last.undone) == (key, "add")
    assert annotating.open(ana, KEY).annotations == annotating.open(ana, OTHER).annotations == ()
    back = annotating.undo(ana)
    assert back is not None
    assert back.undone == "clear"
    assert sum(len(annotating.open(ana, each).annotations) for each in (KEY, OTHER)) == 2
    assert {finding.state for finding in inspect_store(database)} == {"ok"}


def test_a_clearing_of_which_a_part_is_gone_is_undone_for_the_rest(
    annotating: AnnotationService, ana: str
) -> None:
    """A dataset was removed meanwhile: its annotations stay gone, the others come back."""
    annotating.corpus.add([new(sample("1", dataset="e"))], segmenter=SEGMENTER)
    there = SampleKey("e", "1")
    for key in (KEY, there):
        annotating.add(ana, key, claim(name()), seconds=0)
    annotating.clear(ana)
    annotating.corpus.remove_dataset("e", delete_annotations=True)
    assert annotating.undo(ana) is not None
    assert len(annotating.open(ana, KEY).annotations) == 1
    annotating.corpus.add([new(sample("1", dataset="e"))], segmenter=SEGMENTER)
    assert annotating.open(ana, there).annotations == ()


def test_an_undo_that_no_longer_fits_is_a_conflict(annotating: AnnotationService, ana: str) -> None:
    """What something else changed since is never overwritten."""
    annotating.add(ana, KEY, claim("a"), seconds=0)
    (event,) = annotating.store.events(ana, KEY)
    with annotating.store.writing() as log:
        stream = log.stream(ana, KEY)
        change = replace(
            event.action, verb="import", before=event.action.after, after=event.action.before
        )
        log.append(stream, replace(event, id=name(), action=change))
    with pytest.raises(Conflict, match="'undo'"):
        annotating.undo(ana)
    assert len(annotating.store.events(ana, KEY)) == 2


def test_threads_share_the_deeds(annotating: AnnotationService, ana: str) -> None:
    """Ten at once: every one is stored, each once."""
    errors: list[Exception] = []

    def work(number: int) -> None:
        try:
            annotating.add(ana, KEY, claim(str(number), number, number + 8), seconds=1)
            annotating.open(ana, KEY)
        except TuiAnnotateError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(annotating.open(ana, KEY).annotations) == 10
    assert [event.seq for event in annotating.store.events(ana, KEY)] == list(range(1, 11))


# the law -----------------------------------------------------------------------------------------


class Work(RuleBasedStateMachine):
    """Two people at random: the tables are what replaying the log gives, whatever they do."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.database = new_database(Path(self._folder.name))
        self.annotating = annotate(self.database)
        self.keys = fill(self.annotating.corpus, "1", "2")
        self.people = [self.annotating.people.local(each).id for each in ("ana", "bo")]

    def teardown(self) -> None:
        """Undoes everything, and nothing is left; then closes the store."""
        for person in self.people:
            while self.annotating.undo(person) is not None:
                pass
            for key in self.keys:
                left = self.annotating.store.state(person, key)
                assert replace(left, seconds=0.0) == StreamState()
        self.sound()
        self.database.close()
        self._folder.cleanup()

    who = st.integers(0, 1)
    where = st.integers(0, 1)

    @rule(
        who=who,
        where=where,
        start=st.integers(0, 30),
        label=st.sampled_from(["Wrong", "Fine", "Alone"]),
    )
    def add(self, who: int, where: int, start: int, label: str) -> None:
        """A claim somewhere; twins and white space are refused."""
        made = claim(name(), start, start + 3, label=label)
        with suppress(Conflict, InvalidInput):
            self.annotating.add(self.people[who], self.keys[where], made, seconds=start)

    @rule(who=who, where=where, place=st.integers(0, 3), remove=st.booleans())
    def change(self, who: int, where: int, place: int, *, remove: bool) -> None:
        """An edit or a removal of what is there."""
        person, key = self.people[who], self.keys[where]
        there = self.annotating.open(person, key).annotations
        if place < len(there):
            found = there[place]
            if remove:
                self.annotating.remove(person, key, found.id, version=found.version, seconds=1)
            else:
                noted = replace(found, note=found.note + "!")
                self.annotating.edit(person, key, noted, seconds=1)

    @rule(
        who=who,
        where=where,
        verb=st.sampled_from(["finish", "skip", "flag", "read", "comment", "rate"]),
    )
    def assign(self, who: int, where: int, verb: str) -> None:
        """Another state, or a word on the whole."""
        person, key = self.people[who], self.keys[where]
        words = {"comment": ("hm",), "rate": ("good",)}.get(verb, ())
        with suppress(Conflict):
            getattr(self.annotating, verb)(person, key, *words, seconds=0.5)

    @rule(who=who, dataset=st.sampled_from(["", "d"]))
    def clear(self, who: int, dataset: str) -> None:
        """All of one's own."""
        self.annotating.clear(self.people[who], dataset=dataset)

    @rule(who=who, times=st.integers(1, 3), back=st.booleans())
    def take_back(self, who: int, times: int, *, back: bool) -> None:
        """Undo or redo, some times; redo of an undo gives back what stood."""
        person = self.people[who]
        for _ in range(times):
            before = [self.annotating.store.state(person, key) for key in self.keys]
            if back and self.annotating.undo(person) is not None:
                self.annotating.redo(person)
                assert [self.annotating.store.state(person, key) for key in self.keys] == before
                self.annotating.undo(person)
            elif not back:
                self.annotating.redo(person)

    @invariant()
    def sound(self) -> None:
        """Replay gives the tables, and each desk shows one's own."""
        for person in self.people:
            for key in self.keys:
                stands = self.annotating.store.state(person, key)
                assert replay(self.annotating.store.events(person, key)) == stands
                open_sample = self.annotating.open(person, key)
                assert {made.id for made in open_sample.annotations} == set(stands.annotations)
        assert {finding.state for finding in inspect_store(self.database)} == {"ok"}


WorkTest = Work.TestCase
WorkTest.settings = settings(
    max_examples=example_limit(20, push=6), stateful_step_count=15, deadline=None
)
