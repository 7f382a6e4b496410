"""Collections: their tree and counts, the way through them, ratings, and passages that are cut."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.helpers.collection_samples import DATASET, citations, collection, document, key, report
from tests.helpers.stores import SEGMENTER, annotate, fill, new
from tui_annotate.domain import report_collections
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import Pool
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidInput, InvalidSpan, NotAllowed, NotFound
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Person,
    PersonKind,
    Role,
    second_reader,
)
from tui_annotate.domain.report_collections import TreeBranch
from tui_annotate.domain.samples import Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.assignments import AssignmentService
from tui_annotate.storage.assignments.store import AssignmentStore
from tui_annotate.storage.items import ItemStore
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

ALL = (SampleKind.REPORT, SampleKind.DOCUMENT, SampleKind.CITATION)


@pytest.fixture
def annotating(database: SqliteDatabase) -> AnnotationService:
    """The annotation service over a collection."""
    made = annotate(database)
    made.corpus.add([new(each) for each in collection()], segmenter=SEGMENTER)
    return made


@pytest.fixture
def ana(annotating: AnnotationService) -> str:
    """Somebody."""
    return annotating.people.local("ana").id


@pytest.fixture
def ben(annotating: AnnotationService) -> str:
    """Somebody else."""
    return annotating.people.local("ben").id


def passage(start: int, end: int, *, name: str = "p", side: Side = Side.SUMMARY) -> Annotation:
    """A mark, as the screen makes it: of the source it is evidence alone."""
    anchor = (Anchor(side, 0, Span(start, end)),)
    claim, evidence = (anchor, ()) if side is Side.SUMMARY else ((), anchor)
    return Annotation(name, claim, evidence, (report_collections.PASSAGE,))


def spans(annotations: tuple[Annotation, ...]) -> list[tuple[int, int]]:
    """What is marked of the summary."""
    return [(one.span.start, one.span.end) for each in annotations for one in each.claim]


def counts(branches: tuple[TreeBranch, ...]) -> list[tuple[str, int, int]]:
    """Names with what is done and what there is."""
    return [(branch.name, branch.done, branch.total) for branch in branches]


# ratings and comments ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["r|1|run1", "d|1|da", "c|1|run1|0|da", "c|1|run1|2"])
def test_every_item_is_rated_commented_and_marked_done(
    annotating: AnnotationService, ana: str, name: str
) -> None:
    """Also one that has no source, or no summary; each is one press to undo."""
    annotating.rate(ana, key(name), "So-so", seconds=0)
    annotating.comment(ana, key(name), "  thin  ", seconds=0)
    saved = annotating.finish(ana, key(name), seconds=0)
    assert (saved.assignment.rating, saved.assignment.comment) == ("So-so", "thin")
    assert saved.assignment.state is State.DONE
    undone = [annotating.undo(ana) for _ in range(3)]
    assert [each.undone for each in undone if each] == ["done", "comment", "rate"]
    left = annotating.open(ana, key(name)).assignment
    assert (left.rating, left.comment, left.state) == ("", "", State.NEW)
    again_done = annotating.redo(ana)
    assert again_done is not None
    assert again_done.assignment.rating == "So-so"


def test_a_rating_or_a_comment_begins_a_sample_and_reopens_none(
    annotating: AnnotationService, ana: str
) -> None:
    """Taking one back that was not there is no work."""
    where = key("d|1|da")
    assert annotating.rate(ana, where, "", seconds=0).assignment.state is State.NEW
    assert annotating.comment(ana, where, "hm", seconds=0).assignment.state is State.DRAFT
    assert annotating.finish(ana, where, seconds=0).assignment.state is State.DONE
    assert annotating.rate(ana, where, "Bad", seconds=0).assignment.state is State.DONE


def test_a_rating_is_a_word_of_the_scale_or_taken_back(
    annotating: AnnotationService, ana: str
) -> None:
    """The desk tells which words there are; the empty one is always taken."""
    where = key("d|1|da")
    assert annotating.open(ana, where).scale == ("Perfect", "Mostly Good", "So-so", "Bad")
    annotating.rate(ana, where, " Perfect ", seconds=0)
    with pytest.raises(InvalidInput, match="'Good'") as caught:
        annotating.rate(ana, where, "Good", seconds=0)
    assert "Mostly Good" in caught.value.hint
    assert annotating.rate(ana, where, "", seconds=0).assignment.rating == ""


def test_the_workspaces_words_are_for_all_kinds(database: SqliteDatabase) -> None:
    """Pairs are rated only where the workspace names words; from Python any word is taken."""
    plain = annotate(database)
    (pair,) = fill(plain.corpus, "1")
    plain.corpus.add([new(report())], segmenter=SEGMENTER)
    ana = plain.people.local("ana").id
    assert plain.open(ana, pair).scale == ()
    assert plain.rate(ana, pair, "fine", seconds=0).assignment.rating == "fine"
    own = annotate(database, ratings=("good", "poor"))
    assert {own.open(ana, each).scale for each in (pair, report().key)} == {("good", "poor")}


# passages ----------------------------------------------------------------------------------------


def test_a_passage_of_a_report_is_cut_at_sentences_in_one_step(
    annotating: AnnotationService, ana: str
) -> None:
    """An annotation each; the first has the id that was chosen, and one undo takes all back."""
    where = key("r|1|run1")
    saved = annotating.add(ana, where, passage(4, 27), seconds=0)
    assert spans(saved.annotations) == [(4, 22), (23, 27)]
    assert saved.annotation == saved.annotations[0]
    assert len({one.number for one in saved.annotations}) == 2
    undone = annotating.undo(ana)
    assert undone is not None
    assert undone.annotations == ()
    redone = annotating.redo(ana)
    assert redone is not None
    assert redone.annotations == saved.annotations


def test_what_is_marked_already_makes_no_part(annotating: AnnotationService, ana: str) -> None:
    """What is left is stored; where nothing is, it is refused and nothing is written."""
    where = key("r|1|run1")
    annotating.add(ana, where, passage(4, 22, name="first"), seconds=0)
    saved = annotating.add(ana, where, passage(4, 34, name="more"), seconds=0)
    assert spans(saved.annotations) == [(4, 22), (23, 34)]
    assert saved.annotation is not None
    assert spans((saved.annotation,)) == [(23, 34)]
    for twin in (passage(4, 22, name="x"), passage(3, 34, name="y")):
        with pytest.raises(Conflict):
            annotating.add(ana, where, twin, seconds=0)
    assert len(annotating.store.events(ana, where)) == 2


def test_the_space_between_sentences_can_not_be_marked(
    annotating: AnnotationService, ana: str
) -> None:
    """It belongs to none."""
    with pytest.raises(InvalidSpan):
        annotating.add(ana, key("r|1|run1"), passage(22, 23), seconds=0)


def test_words_in_no_sentence_can_not_be_marked(annotating: AnnotationService, ana: str) -> None:
    """A report whose record tells of a part of its text alone has no more than that."""
    part = Sample(DATASET, "part", report().documents, SampleKind.REPORT, meta={"sentences": [
        {"start": 0, "end": 22, "citations": []}
    ]})  # fmt: skip
    annotating.corpus.add([new(part)], segmenter=SEGMENTER)
    with pytest.raises(InvalidSpan):
        annotating.add(ana, part.key, passage(23, 27), seconds=0)


def test_an_edit_that_crosses_sentences_adds_what_lies_beyond(
    annotating: AnnotationService, ana: str
) -> None:
    """In one step with it."""
    where = key("r|1|run1")
    annotating.add(ana, where, passage(4, 9), seconds=0)
    saved = annotating.edit(ana, where, passage(4, 27), seconds=0)
    assert spans(saved.annotations) == [(4, 22), (23, 27)]
    assert [one.version for one in saved.annotations] == [2, 1]
    undone = annotating.undo(ana)
    assert undone is not None
    assert spans(undone.annotations) == [(4, 9)]


def test_other_items_are_not_cut(annotating: AnnotationService, ana: str) -> None:
    """A passage of a document may cross what it likes; the same one is refused twice."""
    where = key("d|1|da")
    saved = annotating.add(ana, where, passage(3, 30, side=Side.SOURCE), seconds=0)
    assert [one.evidence[0].span for one in saved.annotations] == [Span(4, 30)]
    with pytest.raises(Conflict):
        annotating.add(ana, where, passage(4, 30, name="x", side=Side.SOURCE), seconds=0)
    with pytest.raises(NotFound):
        annotating.add(ana, where, passage(4, 30, name="y"), seconds=0)


# the tree ----------------------------------------------------------------------------------------


def test_topics_and_runs_stand_as_they_came(annotating: AnnotationService, ana: str) -> None:
    """With what was asked, and the teams; a run of reports is itself an item."""
    assert annotating.items.kinds(DATASET) == ALL
    topics = annotating.items.topics(ana, DATASET, SampleKind.REPORT)
    assert [(one.name, one.title) for one in topics] == [
        ("1", "Tide pools 1"),
        ("2", "Tide pools 2"),
    ]
    runs = annotating.items.runs(ana, DATASET, SampleKind.REPORT, topic="1")
    assert [(one.title, one.key) for one in runs] == [
        ("team of run1", key("r|1|run1")),
        ("team of run2", key("r|1|run2")),
    ]
    assert annotating.leaves(ana, DATASET, SampleKind.REPORT, topic="1", run="run1") == ()


def test_counters_count_what_is_done_of_each_kind(annotating: AnnotationService, ana: str) -> None:
    """Reports; documents, once each in a topic; sentences with all their citations."""
    annotating.rate(ana, key("r|1|run2"), "Bad", seconds=0)
    annotating.comment(ana, key("d|1|db"), "short", seconds=0)
    annotating.add(ana, key("c|1|run1|0|da"), passage(0, 9, side=Side.SOURCE), seconds=0)
    annotating.rate(ana, key("c|1|run1|2"), "Perfect", seconds=0)
    found = {kind: counts(annotating.items.topics(ana, DATASET, kind)) for kind in ALL}
    assert found == {
        SampleKind.REPORT: [("1", 1, 2), ("2", 0, 1)],
        SampleKind.DOCUMENT: [("1", 1, 2), ("2", 0, 2)],
        SampleKind.CITATION: [("1", 1, 6), ("2", 0, 1)],
    }
    runs = {kind: counts(annotating.items.runs(ana, DATASET, kind, topic="1")) for kind in ALL}
    assert runs == {
        SampleKind.REPORT: [("run1", 0, 1), ("run2", 1, 1)],
        SampleKind.DOCUMENT: [("run1", 1, 2), ("run2", 1, 2)],
        SampleKind.CITATION: [("run1", 1, 3), ("run2", 0, 3)],
    }
    annotating.rate(ana, key("c|1|run1|0|db"), "Bad", seconds=0)
    assert counts(annotating.items.topics(ana, DATASET, SampleKind.CITATION))[0] == ("1", 2, 6)


def test_leaves_have_their_ticks(annotating: AnnotationService, ana: str) -> None:
    """Sentences with each citation, documents by id; and how they begin."""
    annotating.rate(ana, key("c|1|run1|0|db"), "Bad", seconds=0)
    first, second, last = annotating.leaves(
        ana, DATASET, SampleKind.CITATION, topic="1", run="run1"
    )
    assert (first.name, first.start) == ("s0", "Sea stars eat mussels.")
    assert (first.keys, first.ticks) == (
        (key("c|1|run1|0|da"), key("c|1|run1|0|db")),
        (False, True),
    )
    assert (second.done, last.keys) == (False, (key("c|1|run1|2"),))
    pages = annotating.leaves(ana, DATASET, SampleKind.DOCUMENT, topic="1", run="run2")
    assert [(leaf.name, leaf.start[:9]) for leaf in pages] == [
        ("da", "Sea stars"),
        ("db", "Crabs hid"),
    ]


def test_counts_by_query_are_those_of_the_rules(annotating: AnnotationService, ana: str) -> None:
    """Whatever was done, in whatever order: the store counts as the domain does."""
    made, chance = collection(), Random(7)
    store = annotating.items
    for sample in chance.sample(made, len(made)):
        annotating.rate(ana, sample.key, "Bad", seconds=0)
        for kind in ALL:
            under = {t: store.items(ana, DATASET, kind, topic=t) for t in ("1", "2")}
            every = [item for mine in under.values() for item in mine]
            topics = annotating.items.topics(ana, DATASET, kind)
            assert {
                one.name: (one.done, one.total) for one in topics
            } == report_collections.count_done_by_topic(kind, every)
            for topic, mine in under.items():
                reports = store.items(ana, DATASET, SampleKind.REPORT, topic=topic)
                wanted = report_collections.list_branches(kind, mine, reports)
                assert annotating.items.runs(ana, DATASET, kind, topic=topic) == wanted
    assert all(
        one.done == one.total for one in annotating.items.topics(ana, DATASET, SampleKind.CITATION)
    )


def test_names_that_begin_alike_are_kept_apart(annotating: AnnotationService, ana: str) -> None:
    """Also where they hold the mark that stands between names."""
    others = [report("1|run1", "x"), report("1", "run1|0"), report("11", "run1")]
    for each in others:
        annotating.corpus.add([new(one) for one in (each, *citations(each))], segmenter=SEGMENTER)
        annotating.corpus.add([new(document(each.meta["topic_id"]))], segmenter=SEGMENTER)
    assert counts(annotating.items.topics(ana, DATASET, SampleKind.DOCUMENT)) == [
        ("1", 0, 2),
        ("2", 0, 2),
        ("1|run1", 0, 1),
        ("11", 0, 1),
    ]
    annotating.rate(ana, key("c|1|run1|0|0|db"), "Bad", seconds=0)
    annotating.rate(ana, key("c|1|run1|1|db"), "Bad", seconds=0)
    assert counts(annotating.items.topics(ana, DATASET, SampleKind.CITATION)) == [
        ("1", 1, 9),
        ("2", 0, 1),
        ("1|run1", 0, 3),
        ("11", 0, 3),
    ]
    assert counts(annotating.items.runs(ana, DATASET, SampleKind.CITATION, topic="1")) == [
        ("run1", 1, 3),
        ("run2", 0, 3),
        ("run1|0", 0, 3),
    ]
    leaves = annotating.leaves(ana, DATASET, SampleKind.CITATION, topic="1", run="run1")
    assert [leaf.done for leaf in leaves] == [False, True, False]


def test_what_is_no_collection_has_no_tree(annotating: AnnotationService, ana: str) -> None:
    """Pairs have no tree; an unknown dataset is refused; invalid fields of a file do no harm."""
    fill(annotating.corpus, "1", "c|1|run1|0", dataset="pairs")
    odd = Sample("odd", "r|9|x", report().documents, SampleKind.REPORT, meta={"sentences": [1, {}]})
    annotating.corpus.add([new(odd)], segmenter=SEGMENTER)
    name = "pairs"
    assert annotating.items.kinds(name) == ()
    assert annotating.items.topics(ana, name, SampleKind.CITATION) == ()
    assert annotating.items.runs(ana, name, SampleKind.CITATION, topic="1") == ()
    assert annotating.leaves(ana, name, SampleKind.CITATION, topic="1", run="run1") == ()
    assert annotating.next_incomplete(ana, SampleKind.CITATION, None, dataset=name) is None
    with pytest.raises(NotFound, match="'nowhere'"):
        annotating.items.kinds("nowhere")
    assert annotating.items.topics(ana, "odd", SampleKind.CITATION) == ()


# the way through ---------------------------------------------------------------------------------


def test_next_incomplete_goes_round_in_the_order_of_the_collection(
    annotating: AnnotationService, ana: str
) -> None:
    """It passes over what is annotated, comes back to where it was, and ends with the last."""
    where = [one.key for one in collection() if one.kind is SampleKind.CITATION]
    assert annotating.next_incomplete(ana, SampleKind.CITATION, None, dataset=DATASET) == where[0]
    annotating.rate(ana, where[1], "Bad", seconds=0)
    assert annotating.next_incomplete(ana, SampleKind.CITATION, where[0]) == where[2]
    assert annotating.next_incomplete(ana, SampleKind.CITATION, where[-1]) == where[0]
    assert annotating.next_incomplete(ana, SampleKind.DOCUMENT, where[0]) == key("d|1|da")
    for each in where[1:]:
        annotating.rate(ana, each, "Bad", seconds=0)
    assert annotating.next_incomplete(ana, SampleKind.CITATION, where[0]) == where[0]
    annotating.comment(ana, where[0], "x", seconds=0)
    assert annotating.next_incomplete(ana, SampleKind.CITATION, where[0]) is None


def test_next_incomplete_passes_locked_items(annotating: AnnotationService, ana: str) -> None:
    """Nobody can annotate what is adjudicated."""
    where = [one.key for one in collection() if one.kind is SampleKind.CITATION]
    annotating.people.keep(Person(SETTLED, SETTLED, PersonKind.SETTLED))
    annotating.finish(SETTLED, where[0], seconds=0)
    found = annotating.next_incomplete(ana, SampleKind.CITATION, None, dataset=DATASET)
    assert found == where[1]


def test_around_a_citation_stand_its_report_and_the_rest_of_its_sentence(
    annotating: AnnotationService, ana: str
) -> None:
    """The report as it is stored, with its sentences."""
    found = annotating.around(ana, key("c|1|run1|0|db"))
    assert found.report == report()
    assert (found.sentence, found.sentences) == (0, report_collections.report_sentences(report()))
    assert found.citations == (key("c|1|run1|0|da"), key("c|1|run1|0|db"))


def test_a_citation_without_its_report_stands_alone(
    annotating: AnnotationService, ana: str
) -> None:
    """Nothing is around it, and around a sample that is none there is nothing either."""
    annotating.corpus.remove_samples([key("r|1|run1")])
    found = annotating.around(ana, key("c|1|run1|2"))
    assert (found.report, found.sentences) == (None, ())
    assert (found.sentence, found.citations) == (2, (key("c|1|run1|2"),))
    assert annotating.around(ana, key("d|1|da")).citations == ()


def test_steps_go_from_sentence_to_sentence(annotating: AnnotationService, ana: str) -> None:
    """To the first citation of each; not beyond the report."""
    assert annotating.step(ana, key("c|1|run1|0|db"), 1) == key("c|1|run1|1|db")
    assert annotating.step(ana, key("c|1|run1|2"), -2) == key("c|1|run1|0|da")
    assert annotating.step(ana, key("c|1|run1|2"), 1) is None
    assert annotating.step(ana, key("c|1|run1|0|da"), -1) is None
    assert annotating.step(ana, key("d|1|da"), 1) is None


# others ------------------------------------------------------------------------------------------


def test_nobody_sees_the_ticks_of_others(
    database: SqliteDatabase, annotating: AnnotationService, ana: str, ben: str
) -> None:
    """What ana did changes nothing that ben sees; an account can not ask for another's."""
    before = [annotating.items.topics(ben, DATASET, kind) for kind in ALL]
    for sample in collection():
        annotating.rate(ana, sample.key, "Bad", seconds=0)
    assert [annotating.items.topics(ben, DATASET, kind) for kind in ALL] == before
    assert annotating.next_incomplete(ben, SampleKind.REPORT, None, dataset=DATASET) == key(
        "r|1|run1"
    )
    store = ItemStore(database, actor=Actor(ben, Role.ANNOTATOR))
    for asked in (store.topics, store.next_open):
        with pytest.raises(NotAllowed):
            asked(ana, DATASET, SampleKind.REPORT)
    for under in (store.runs, store.items):
        with pytest.raises(NotAllowed):
            under(ana, DATASET, SampleKind.REPORT, topic="1")
    assert counts(store.topics(ben, DATASET, SampleKind.REPORT)) == [("1", 0, 2), ("2", 0, 1)]
    assert store.kinds(DATASET) == ALL


def test_items_are_counted_by_kind_and_person(
    database: SqliteDatabase, annotating: AnnotationService, ana: str, ben: str
) -> None:
    """To an annotator their own alone; review is nobody's work."""
    fill(annotating.corpus, "1", dataset="pairs")
    annotating.rate(ana, key("r|1|run1"), "Bad", seconds=0)
    annotating.comment(ben, key("r|1|run1"), "hm", seconds=0)
    annotating.rate(ben, key("r|1|run2"), "Bad", seconds=0)
    annotating.read(ben, key("d|1|da"), seconds=9)
    found = annotating.store.kind_counts()
    assert [(one.kind, one.samples, one.name, one.annotated) for one in found] == [
        ("report", 3, "ana", 1),
        ("report", 3, "ben", 2),
        ("document", 4, "", 0),
        ("citation", 10, "", 0),
    ]
    own = AnnotationStore(database, actor=Actor(ana, Role.ANNOTATOR)).kind_counts()
    assert [one.name for one in own] == ["ana", "", ""]


def test_whoever_was_given_samples_sees_and_counts_these_alone(
    database: SqliteDatabase, annotating: AnnotationService, ana: str, ben: str
) -> None:
    """What both have is all there is; each finds their own open items."""
    share = AssignmentService(
        AssignmentStore(database), annotating.people, lambda _: None, OPERATOR
    )
    share.give(
        DATASET, ["ana", "ben"], AssignmentOptions("all", 1, AssignmentOrder.RANDOM, seed="3")
    )
    given: dict[str, list[SampleKey]] = {}
    for person in (ana, ben):
        rows = annotating.queue(person, order="ingested").rows
        given[person] = [row.key for row in rows]
        for kind in ALL:
            own = {one.key for one in collection() if one.kind is kind} & set(given[person])
            found = [
                item.key
                for topic in ("1", "2")
                for item in annotating.items.items(person, DATASET, kind, topic=topic)
            ]
            assert set(found) == own
            first = annotating.next_incomplete(person, kind, None, dataset=DATASET)
            assert (first in own) if own else first is None
            for topic in annotating.items.topics(person, DATASET, kind):
                runs = annotating.items.runs(person, DATASET, kind, topic=topic.name)
                if kind is not SampleKind.DOCUMENT:
                    assert sum(run.total for run in runs) == topic.total
    assert len(given[ana]) + len(given[ben]) == len(collection())
    assert (
        annotating.items.topics(annotating.people.local("eve").id, DATASET, SampleKind.REPORT) == ()
    )


def test_what_is_drawn_from_a_pool_is_all_there_is(
    database: SqliteDatabase, annotating: AnnotationService, ana: str
) -> None:
    """Nothing before the first is drawn; the next is drawn where nothing is left."""
    AssignmentService(AssignmentStore(database), annotating.people, lambda _: None, OPERATOR).pool(
        DATASET, Pool(1, "ingested")
    )
    assert annotating.items.topics(ana, DATASET, SampleKind.REPORT) == ()
    first = annotating.next_unfinished(ana, None)
    assert first is not None
    kind = annotating.corpus.sample(first).sample.kind
    assert annotating.next_incomplete(ana, kind, None, dataset=DATASET) == first
    assert sum(topic.total for topic in annotating.items.topics(ana, DATASET, kind)) == 1
    annotating.rate(ana, first, "Bad", seconds=0)
    annotating.finish(ana, first, seconds=0)
    assert annotating.next_incomplete(ana, kind, first) is None
    assert annotating.next_unfinished(ana, first) not in (None, first)


def test_practice_comes_before_all_else(
    database: SqliteDatabase, annotating: AnnotationService, ana: str
) -> None:
    """As in the queue: until it is finished there is nothing beside it."""
    annotating.corpus.add([new(replace(report(), dataset="other"))], segmenter=SEGMENTER)
    right, first = annotating.people.local("right").id, key("r|1|run1")
    annotating.add(right, first, passage(0, 9), seconds=0)
    annotating.finish(right, first, seconds=0)
    share = AssignmentService(
        AssignmentStore(database), annotating.people, lambda _: None, OPERATOR
    )
    share.practice(DATASET, ["ana"], gold="right")
    assert annotating.items.topics(ana, "other", SampleKind.REPORT) == ()
    assert annotating.next_incomplete(ana, SampleKind.REPORT, None, dataset="other") is None
    assert counts(annotating.items.topics(ana, DATASET, SampleKind.REPORT)) == [
        ("1", 0, 2),
        ("2", 0, 1),
    ]
    assert annotating.next_incomplete(ana, SampleKind.REPORT, None, dataset=DATASET) == first
    for sample in collection():
        annotating.finish(ana, sample.key, seconds=0)
    assert counts(annotating.items.topics(ana, "other", SampleKind.REPORT)) == [("1", 0, 1)]


def test_a_second_reading_knows_its_own_alone(annotating: AnnotationService, ana: str) -> None:
    """Where nothing was given to be read again, there is nothing."""
    twice = second_reader(annotating.people.person(ana)).id
    assert annotating.items.topics(twice, DATASET, SampleKind.REPORT) == ()
    assert annotating.next_incomplete(twice, SampleKind.REPORT, None, dataset=DATASET) is None


def test_the_queue_tells_how_a_document_begins(annotating: AnnotationService, ana: str) -> None:
    """Without a summary, the source is what is seen and sought."""
    found = annotating.queue(ana, search="crabs hide under").rows
    assert {row.key for row in found} >= {document(name="db").key}
