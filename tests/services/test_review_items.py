"""Review of reports, documents and citations: rival ratings, comments, and marks on either side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.helpers.collection_samples import collection, key
from tests.helpers.stores import SEGMENTER, annotate, new, new_database
from tests.services.test_review import Team
from tui_annotate.domain.adjudication import RejectionReason
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import Conflict, InvalidInput
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.records import Record, RecordFilter
from tui_annotate.domain.report_collections import PASSAGE
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.review import ReviewSample, ReviewService

NAMES = ["r|1|run1", "d|1|da", "c|1|run1|0|da", "c|1|run1|2"]
"""A report, a document by itself, a citation, and one of nothing."""


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Team]:
    """Nobody has done anything yet on a collection."""
    database = new_database(tmp_path)
    annotating = annotate(database)
    annotating.corpus.add([new(each) for each in collection()], segmenter=SEGMENTER)
    names = {name: annotating.people.local(name).id for name in ("ana", "ben", "li", "rev")}
    yield Team(database, annotating, [key(name) for name in NAMES], names.pop("rev"), names)
    database.close()


def rates(team: Team, name: str, word: str, *, sample: int = 0) -> None:
    """One of them rates a sample, and is done; with an empty word they rate nothing."""
    if word:
        team.annotating.rate(team.people[name], team.keys[sample], word, seconds=0)
    team.says(name, sample=sample)


def both(team: Team, *words: str) -> None:
    """Two of them rate the report, and are done."""
    for name, word in zip(("ana", "ben"), words, strict=True):
        rates(team, name, word)


def mark(name: str, start: int, end: int, side: Side = Side.SUMMARY) -> Annotation:
    """A passage of one side."""
    anchor = (Anchor(side, 0, Span(start, end)),)
    claim, evidence = (anchor, ()) if side is Side.SUMMARY else ((), anchor)
    return Annotation(name, claim, evidence, (PASSAGE,))


@pytest.mark.parametrize("sample", range(len(NAMES)))
def test_rival_ratings_are_shown_and_one_is_chosen(team: Team, sample: int) -> None:
    """By letters, in the order of the scale; the settled one is review's, and undone at a press."""
    for name, word in (("ana", "Bad"), ("ben", "Perfect"), ("li", "Bad")):
        rates(team, name, word, sample=sample)
    review, where = team.review(), team.keys[sample]
    open_sample = team.open(sample=sample)
    assert open_sample.scale == ("Perfect", "Mostly Good", "So-so", "Bad")
    assert [(word, len(letters)) for word, letters in open_sample.ratings] == [
        ("Perfect", 1),
        ("Bad", 2),
    ]
    judged = review.rate(team.reviewer, where, "Bad", seen=open_sample.seen, seconds=1)
    judged = review.comment(team.reviewer, where, " thin ", seen=judged.seen, seconds=1)
    judged = review.finish(team.reviewer, where, seen=judged.seen, seconds=1)
    settled = judged.assignment
    assert (settled.rating, settled.comment, settled.state) == ("Bad", "thin", State.DONE)
    report = [review.undo(team.reviewer) for _ in range(3)]
    assert [each.undone for each in report if each] == ["done", "comment", "rate"]
    left = team.open(sample=sample).assignment
    assert (left.rating, left.comment, left.state) == ("", "", State.NEW)
    team.state_is_what_the_log_tells()


def test_a_rating_that_all_gave_is_taken_with_the_rest(team: Team) -> None:
    """Finishing is enough."""
    both(team, "So-so", "So-so")
    open_sample = team.open()
    judged = team.review().finish(
        team.reviewer, open_sample.sample.key, seen=open_sample.seen, seconds=0
    )
    assert judged.assignment.rating == "So-so"


@pytest.mark.parametrize("word", ["Perfect", ""])
def test_ratings_that_differ_are_settled_or_left_with_a_reason(team: Team, word: str) -> None:
    """Who rated nothing differs; the refusal tells the rivals and nobody's name."""
    both(team, "Bad", word)
    open_sample = team.open()
    review, where = team.review(), open_sample.sample.key
    with pytest.raises(Conflict) as caught:
        review.finish(team.reviewer, where, seen=open_sample.seen, seconds=0)
    assert all(f"{layer.letter} " in caught.value.message for layer in open_sample.layers)
    assert word in caught.value.message
    with pytest.raises(Conflict, match="rating"):
        review.finish(
            team.reviewer, where, rest=RejectionReason.SLIP, seen=open_sample.seen, seconds=0
        )
    judged = review.finish(
        team.reviewer, where, unrated=RejectionReason.AMBIGUOUS, seen=open_sample.seen, seconds=0
    )
    assert (judged.assignment.rating, judged.assignment.state) == ("", State.DONE)


def test_a_settled_rating_stays_and_another_opens_the_sample(team: Team) -> None:
    """What a reviewer chose is not changed by finishing; a word outside the scale is refused."""
    both(team, "Bad", "Bad")
    review, where = team.review(), team.keys[0]
    judged = review.rate(team.reviewer, where, "Perfect", seen=team.open().seen, seconds=0)
    judged = review.finish(team.reviewer, where, seen=judged.seen, seconds=0)
    assert judged.assignment.rating == "Perfect"
    judged = review.rate(team.reviewer, where, "", seen=judged.seen, seconds=0)
    assert (judged.assignment.rating, judged.assignment.state) == ("", State.REOPENED)
    with pytest.raises(InvalidInput, match="'Good'"):
        review.rate(team.reviewer, where, "Good", seen=judged.seen, seconds=0)


def test_words_of_another_scale_can_be_settled_where_somebody_gave_them(team: Team) -> None:
    """They come behind the scale, as a file may bring them."""
    rates(team, "ana", "Bad")
    ben = team.annotating.people.person(team.people["ben"])
    work = Assignment(ben.id, State.DONE, "fair")
    sample = team.annotating.corpus.sample(team.keys[0]).sample
    team.annotating.store.import_records([Record(sample, (), (work,), (ben,))])
    open_sample = team.open()
    assert [word for word, _ in open_sample.ratings] == ["Bad", "fair"]
    judged = team.review().rate(
        team.reviewer, team.keys[0], "fair", seen=open_sample.seen, seconds=0
    )
    assert judged.assignment.rating == "fair"


def test_what_changed_meanwhile_is_stale(team: Team) -> None:
    """Also where nothing but a rating did."""
    both(team, "Bad", "Bad")
    seen = team.open().seen
    team.annotating.rate(team.people["ana"], team.keys[0], "Perfect", seconds=0)
    with pytest.raises(Conflict):
        team.review().rate(team.reviewer, team.keys[0], "Bad", seen=seen, seconds=0)


@pytest.mark.parametrize("many", [False, True])
def test_samples_that_people_rated_otherwise_come_first(
    team: Team, monkeypatch: pytest.MonkeyPatch, *, many: bool
) -> None:
    """As a place does on which they differ, whether samples are read one by one or at once."""
    if many:
        monkeypatch.setattr("tui_annotate.services.review.queries._FEW_SAMPLES", 0)
    for sample, words in enumerate((("Bad", "Bad"), ("Bad", "So-so"), ("", ""))):
        rates(team, "ana", words[0], sample=sample)
        rates(team, "ben", words[1], sample=sample)
    rows = team.review().queue(team.reviewer)
    assert [(row.key, row.conflicts) for row in rows] == [
        (team.keys[1], 1),
        (team.keys[0], 0),
        (team.keys[2], 0),
    ]


def test_an_import_that_rates_and_tells_no_state_counts(team: Team) -> None:
    """As one that marks does; a comment alone does not."""
    sample = team.annotating.corpus.sample(team.keys[0]).sample
    people = [team.annotating.people.person(team.people[name]) for name in ("ana", "ben", "li")]
    work = [
        Assignment(one.id, rating=word)
        for one, word in zip(people, ("Bad", "Bad", ""), strict=True)
    ]
    work[2] = Assignment(people[2].id, comment="hm")
    team.annotating.store.import_records([Record(sample, (), tuple(work), tuple(people))])
    assert [len(layer.rating) for layer in team.open().layers] == [3, 3]


def test_marks_on_either_side_are_settled(team: Team) -> None:
    """Of a document by itself what is marked is settled as claims are elsewhere."""
    for sample, side in ((1, Side.SOURCE), (2, Side.SOURCE), (3, Side.SUMMARY)):
        for name in ("ana", "ben"):
            team.says(name, mark(f"{name}{sample}", 0, 9, side), sample=sample)
        open_sample = team.open(sample=sample)
        where = open_sample.sample.key
        judged = team.review().finish(team.reviewer, where, seen=open_sample.seen, seconds=0)
        (made,) = judged.settled
        assert made.anchors == (Anchor(side, 0, Span(0, 9)),)


def test_what_a_reviewer_marks_in_a_report_is_cut_at_sentences(team: Team) -> None:
    """One annotation with an anchor in each sentence."""
    both(team, "Bad", "Bad")
    open_sample: ReviewSample = team.open()
    judged = team.review().own(
        team.reviewer, team.keys[0], mark("own", 4, 27), seen=open_sample.seen, seconds=0
    )
    assert [anchor.span for anchor in judged.settled[0].claim] == [Span(4, 22), Span(23, 27)]


def test_the_workspaces_words_are_the_reviewers(team: Team) -> None:
    """The desk has them, and no others are taken."""
    annotating = team.annotating
    stores = (annotating.corpus, annotating.store, annotating.people, annotating.guidance)
    review = ReviewService(*stores, ratings=("good", "poor"))
    both(team, "Bad", "")
    open_sample = review.open(team.reviewer, team.keys[0])
    assert (open_sample.scale, [word for word, _ in open_sample.ratings]) == (
        ("good", "poor"),
        ["Bad"],
    )
    for word in ("good", "Bad"):
        judged = review.rate(team.reviewer, team.keys[0], word, seen=open_sample.seen, seconds=0)
        open_sample = review.open(team.reviewer, team.keys[0])
        assert judged.assignment.rating == word


def test_what_is_settled_is_in_the_records(team: Team) -> None:
    """Under the name of nobody, beside what people rated."""
    both(team, "Bad", "So-so")
    team.review().rate(team.reviewer, team.keys[0], "Bad", seen=team.open().seen, seconds=0)
    (record,) = [
        one
        for one in team.annotating.corpus.records(RecordFilter())
        if one.sample.key == team.keys[0]
    ]
    rated = {each.person: each.rating for each in record.assignments}
    people = team.people
    assert rated == {people["ana"]: "Bad", people["ben"]: "So-so", SETTLED: "Bad"}


def test_a_lesson_tells_how_the_rating_was_settled(team: Team) -> None:
    """Beside one's own, with what review says of the sample; nobody else's."""
    both(team, "Bad", "So-so")
    where, review = team.keys[0], team.review()
    judged = review.rate(team.reviewer, where, "Bad", seen=team.open().seen, seconds=0)
    judged = review.comment(team.reviewer, where, "thin", seen=judged.seen, seconds=0)
    ben = team.people["ben"]
    assert review.adjudication_notice(ben, where) is None
    review.finish(team.reviewer, where, seen=judged.seen, seconds=0)
    lesson = review.adjudication_notice(ben, where)
    assert lesson is not None
    assert (lesson.rated, lesson.rating, lesson.comment) == ("So-so", "Bad", "thin")


def test_work_that_is_a_rating_alone_is_not_removed_unasked(team: Team) -> None:
    """Nor a comment; here or from a file, it is work."""
    team.annotating.rate(team.people["ana"], team.keys[0], "Bad", seconds=0)
    with pytest.raises(Conflict):
        team.annotating.corpus.remove_samples([team.keys[0]])
    ben = team.annotating.people.person(team.people["ben"])
    sample = team.annotating.corpus.sample(team.keys[1]).sample
    work = Assignment(ben.id, comment="hm")
    team.annotating.store.import_records([Record(sample, (), (work,), (ben,))])
    with pytest.raises(Conflict):
        team.annotating.corpus.remove_samples([team.keys[1]])


def test_a_reviewer_who_rated_a_sample_does_not_settle_it(team: Team) -> None:
    """Rating it is annotating it."""
    both(team, "Bad", "Bad")
    team.annotating.rate(team.reviewer, team.keys[0], "Bad", seconds=0)
    assert "you annotated this sample" in team.open().refused
