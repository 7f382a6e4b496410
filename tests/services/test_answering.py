"""Suggestions answered: taken, changed, refused, taken back; nobody's work until then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.helpers.stores import annotate, claim, fill
from tests.helpers.suggestions import EVIDENCE, MAKER, suggest
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidLabels, NotFound
from tui_annotate.domain.history import replay
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.suggestions import AnswerKind, Suggestion, SuggestionStatus
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.storage.blind_datasets import BlindDatasets
from tui_annotate.storage.labels.store import GuidanceKind
from tui_annotate.storage.log.audit import AuditStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

KEY = SampleKey("d", "1")


@pytest.fixture
def annotating(database: SqliteDatabase) -> AnnotationService:
    """The annotation service over three samples."""
    made = annotate(database, ratings=("good", "poor"))
    fill(made.corpus, "1", "2", "3")
    return made


@pytest.fixture
def told(annotating: AnnotationService, database: SqliteDatabase) -> Suggestion:
    """A suggestion on the first sample."""
    assert annotating.corpus.keys()
    return suggest(database, KEY, evidence=(EVIDENCE,), note="no such sum", score=0.75)[0]


@pytest.fixture
def ana(annotating: AnnotationService) -> str:
    """Somebody."""
    return annotating.people.local("ana").id


@pytest.fixture
def ben(annotating: AnnotationService) -> str:
    """Somebody else."""
    return annotating.people.local("ben").id


def _only(annotating: AnnotationService, person: str) -> SuggestionStatus:
    (found,) = annotating.store.suggested(person, KEY)
    return found


def test_what_is_accepted_is_ones_own_work(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """Human, new, without the machine's words as a note, and with where it comes from."""
    saved = annotating.accept(ana, KEY, told.id, seconds=1)
    (made,) = saved.annotations
    assert (saved.verb, saved.annotation) == ("accept", made)
    assert (made.origin, made.version, made.note) == ("human", 1, "")
    assert (made.claim, made.evidence, made.labels) == (told.claim, told.evidence, told.labels)
    assert made.number
    assert made.created
    assert made.label_set
    assert made.suggested == Provenance(suggestion=told.id, maker=MAKER, score=0.75)
    assert saved.answers[told.id].answer is AnswerKind.ACCEPTED
    found = _only(annotating, ana)
    assert (found.answer, found.annotation, found.open) == (AnswerKind.ACCEPTED, made.id, False)
    assert saved.assignment.state is State.DRAFT


def test_what_is_changed_says_so(annotating: AnnotationService, told: Suggestion, ana: str) -> None:
    """Other words or labels are a change, a note is none."""
    other = replace(claim("x", 16, 40), suggested=None)
    saved = annotating.accept(ana, KEY, told.id, changed=other, seconds=1)
    assert saved.answers[told.id].answer is AnswerKind.CHANGED
    assert saved.annotation
    assert saved.annotation.suggested
    assert saved.annotation.suggested.changed
    annotating.undo(ana)
    same = replace(claim("y", note="so"), evidence=told.evidence)
    saved = annotating.accept(ana, KEY, told.id, changed=same, seconds=1)
    assert saved.answers[told.id].answer is AnswerKind.ACCEPTED
    assert saved.annotation
    assert saved.annotation.note == "so"
    assert saved.annotation.suggested
    assert not saved.annotation.suggested.changed


def test_an_edit_afterwards_is_a_change(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """The provenance stays, whatever the editor brings, and says that it was changed; undo too."""
    made = annotating.accept(ana, KEY, told.id, seconds=1).annotations[0]
    noted = annotating.edit(ana, KEY, replace(made, note="so", suggested=None), seconds=1)
    assert noted.annotation
    assert noted.annotation.suggested == made.suggested
    assert noted.answers[told.id].answer is AnswerKind.ACCEPTED
    edited = annotating.edit(ana, KEY, replace(noted.annotation, evidence=()), seconds=1)
    assert edited.annotation
    assert edited.annotation.suggested
    assert edited.annotation.suggested.changed
    assert edited.answers[told.id].answer is AnswerKind.CHANGED
    again = annotating.edit(ana, KEY, replace(edited.annotation, note="more"), seconds=1)
    assert again.answers[told.id].answer is AnswerKind.CHANGED
    annotating.undo(ana)
    back = annotating.undo(ana)
    assert back
    assert back.answers[told.id].answer is AnswerKind.ACCEPTED
    assert back.annotations[0].suggested == made.suggested


def test_nobody_claims_a_machine_for_their_own_work(
    annotating: AnnotationService, ana: str
) -> None:
    """What is added by hand comes from no suggestion, whatever it brings."""
    origin = Provenance(suggestion="s", maker="m")
    saved = annotating.add(ana, KEY, replace(claim("a"), suggested=origin), seconds=1)
    assert saved.annotation
    assert saved.annotation.suggested is None


def test_a_refusal_keeps_its_reason(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """It begins a sample, makes no annotation, and may be given another reason, or taken back."""
    saved = annotating.refuse(ana, KEY, told.id, reason=" it is there ", seconds=1)
    assert (saved.verb, saved.annotations) == ("refuse", ())
    assert saved.assignment.state is State.DRAFT
    found = _only(annotating, ana)
    assert (found.answer, found.reason, found.open) == (AnswerKind.REFUSED, "it is there", False)
    with pytest.raises(Conflict):
        annotating.refuse(ana, KEY, told.id, reason="it is there", seconds=1)
    annotating.refuse(ana, KEY, told.id, reason="no", seconds=1)
    assert _only(annotating, ana).reason == "no"
    assert annotating.accept(ana, KEY, told.id, seconds=1).annotations
    for reason in ("no", "it is there"):
        annotating.undo(ana)
        assert _only(annotating, ana).reason == reason
    annotating.undo(ana)
    assert _only(annotating, ana).open
    annotating.redo(ana)
    assert _only(annotating, ana).reason == "it is there"


def test_undo_brings_a_suggestion_back(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """As open, with nothing left of it; redo takes it again."""
    made = annotating.accept(ana, KEY, told.id, seconds=1).annotations
    back = annotating.undo(ana)
    assert back
    assert (back.undone, back.annotations, back.answers) == ("accept", (), {})
    assert _only(annotating, ana).answer is None
    assert back.assignment.state is State.NEW
    again = annotating.redo(ana)
    assert again
    assert again.annotations == made
    assert not _only(annotating, ana).open


def test_it_is_taken_once(annotating: AnnotationService, told: Suggestion, ana: str) -> None:
    """The second of two sessions is told, and so is who refuses what they took."""
    annotating.accept(ana, KEY, told.id, seconds=1)
    with pytest.raises(Conflict):
        annotating.accept(ana, KEY, told.id, seconds=1)
    with pytest.raises(Conflict):
        annotating.refuse(ana, KEY, told.id, seconds=1)
    assert len(annotating.open(ana, KEY).annotations) == 1


def test_what_was_removed_may_be_taken_again(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """One by one or all at once; the answer stays in the log, and the suggestion is open."""
    made = annotating.accept(ana, KEY, told.id, seconds=1).annotations[0]
    annotating.remove(ana, KEY, made.id, version=1, seconds=1)
    found = _only(annotating, ana)
    assert (found.answer, found.open) == (AnswerKind.ACCEPTED, True)
    annotating.accept(ana, KEY, told.id, seconds=1)
    assert annotating.clear(ana).annotations == 1
    assert _only(annotating, ana).open
    annotating.refuse(ana, KEY, told.id, seconds=1)
    assert _only(annotating, ana).answer is AnswerKind.REFUSED


def test_the_same_mark_by_hand_is_in_the_way(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """As for any other annotation."""
    annotating.add(ana, KEY, claim("a"), seconds=1)
    with pytest.raises(Conflict):
        annotating.accept(ana, KEY, told.id, seconds=1)


def test_a_label_that_is_gone_is_refused(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """With the rules of work by hand: unknown labels, and a label set that nobody saw."""
    seen = annotating.labels().version
    annotating.guidance.keep(GuidanceKind.LABELS, "- Other")
    with pytest.raises(InvalidLabels, match="Fine"):
        annotating.accept(ana, KEY, told.id, seconds=1)
    with pytest.raises(Conflict):
        annotating.accept(ana, KEY, told.id, seconds=1, label_set=seen)
    other = claim("x", label="Other")
    saved = annotating.accept(ana, KEY, told.id, changed=other, seconds=1)
    assert saved.answers[told.id].answer is AnswerKind.CHANGED


def test_a_finished_sample_is_reopened_by_work_alone(
    annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """Taking is work as by hand; a refusal leaves the sample done."""
    annotating.finish(ana, KEY, seconds=1)
    assert annotating.refuse(ana, KEY, told.id, seconds=1).assignment.state is State.DONE
    assert annotating.accept(ana, KEY, told.id, seconds=1).assignment.state is State.REOPENED


def test_answers_are_ones_own(
    annotating: AnnotationService, told: Suggestion, ana: str, ben: str
) -> None:
    """To one it is taken, to another it is open, and both may take it."""
    mine = annotating.accept(ana, KEY, told.id, seconds=1).annotations[0]
    assert _only(annotating, ben).answer is None
    theirs = annotating.accept(ben, KEY, told.id, seconds=1).annotations[0]
    assert mine.id != theirs.id


@pytest.mark.usefixtures("told")
def test_what_is_not_there_is_not_found(annotating: AnnotationService, ana: str) -> None:
    """Neither a suggestion that never was, nor one of another sample."""
    (report,) = annotating.store.suggested(ana, KEY)
    for key, name in ((KEY, "s"), (SampleKey("d", "2"), report.suggestion.id)):
        with pytest.raises(NotFound):
            annotating.accept(ana, key, name, seconds=1)
        with pytest.raises(NotFound):
            annotating.refuse(ana, key, name, seconds=1)


def test_where_it_is_hidden_there_is_nothing(
    database: SqliteDatabase, annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """Neither to see, nor to answer."""
    BlindDatasets(database).hide("d")
    assert annotating.store.suggested(ana, KEY) == ()
    with pytest.raises(Conflict, match="'d'"):
        annotating.accept(ana, KEY, told.id, seconds=1)
    with pytest.raises(Conflict, match="'d'"):
        annotating.refuse(ana, KEY, told.id, seconds=1)
    BlindDatasets(database).show("d")
    assert _only(annotating, ana).open


def test_the_log_tells_all_of_it(
    database: SqliteDatabase, annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """Each event follows from those before it, and the tables are what they say."""
    annotating.refuse(ana, KEY, told.id, reason="no", seconds=1)
    made = annotating.accept(ana, KEY, told.id, seconds=1).annotations[0]
    annotating.edit(ana, KEY, replace(made, evidence=()), seconds=1)
    for _ in range(3):
        annotating.undo(ana)
        annotating.redo(ana)
        assert replay(annotating.store.events(ana, KEY)).same(annotating.store.state(ana, KEY))
        assert not list(AuditStore(database).find_faults())
        annotating.undo(ana)
    assert not list(AuditStore(database).find_faults())


def test_an_answer_that_no_event_tells_of_is_found(
    database: SqliteDatabase, annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """Whoever writes into the table is told of by the log."""
    annotating.refuse(ana, KEY, told.id, seconds=1)
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE answers SET answer = 'accepted'")
    (found,) = AuditStore(database).find_faults()
    assert "answers" in found.message


def test_before_it_is_taken_it_is_no_work(
    database: SqliteDatabase, annotating: AnnotationService, told: Suggestion, ana: str
) -> None:
    """Not a row of people's work knows of it; refused it is no annotation either."""
    assert annotating.store.labels_in_use() == {}
    annotating.refuse(ana, KEY, told.id, reason="no", seconds=1)
    assert annotating.store.labels_in_use() == {}
    assert annotating.store.past_notes(ana) == ()
    with database.reading() as connection:
        counts = "SELECT count(*), (SELECT sum(annotations) FROM assignments) FROM annotations"
        assert tuple(connection.exec_driver_sql(counts).one()) == (0, 0)
