"""Agreement on reports, documents and citations: their ratings, and marks on either side."""

from __future__ import annotations

import pytest

from tests.helpers.collection_samples import citations, collection, document, key, report
from tests.helpers.stores import SEGMENTER, annotate, new
from tests.services.test_agreement import ns, values
from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.assignments import State
from tui_annotate.domain.report_collections import PASSAGE, VERDICTS
from tui_annotate.domain.samples import Document, Sample, SampleKey, SampleKind, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.agreement import NOTHING, UndefinedReason
from tui_annotate.services.agreement import Agreement, AgreementOptions, AgreementService, output
from tui_annotate.services.agreement.figures import SEVERAL
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.export import ExportService
from tui_annotate.storage.corpus.store import SegmentStore
from tui_annotate.storage.sqlite_database import SqliteDatabase

REPORTS = [key(name) for name in ("r|1|run1", "r|1|run2", "r|2|run1")]


@pytest.fixture
def annotating(database: SqliteDatabase) -> AnnotationService:
    """The annotation service over a collection."""
    made = annotate(database)
    made.corpus.add([new(each) for each in collection()], segmenter=SEGMENTER)
    return made


def agree(
    annotating: AnnotationService,
    database: SqliteDatabase,
    *,
    kind: str = "",
    state: str = State.DONE.value,
) -> Agreement:
    """All figures."""
    stores = (
        annotating.corpus,
        annotating.people,
        annotating.guidance,
        SegmentStore(database),
        annotating.store,
    )
    names = ExportService(annotating.corpus, annotating.people, annotating.store)
    return AgreementService(
        *stores, annotating.labels, names.checked, ratings=annotating.ratings
    ).report(AgreementOptions(kind=kind, state=state))


def read(
    annotating: AnnotationService, name: str, where: SampleKey, *marks: Annotation, rating: str = ""
) -> None:
    """One person's work on one sample, done."""
    person = annotating.people.local(name).id
    for mark in marks:
        annotating.add(person, where, mark, seconds=0)
    if rating:
        annotating.rate(person, where, rating, seconds=0)
    annotating.finish(person, where, seconds=0)


def mark(name: str, start: int, end: int, side: Side = Side.SOURCE) -> Annotation:
    """A span of one side."""
    anchor = (Anchor(side, 0, Span(start, end)),)
    claim, evidence = (anchor, ()) if side is Side.SUMMARY else ((), anchor)
    return Annotation(name, claim, evidence, (PASSAGE,))


def test_ratings_of_two_people_by_hand(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """One alike, one a step apart, one three steps: as on paper; who rated nothing is left out."""
    for where, ana, ben in zip(
        REPORTS, ("Perfect", "So-so", "Bad"), ("Perfect", "Bad", "Perfect"), strict=True
    ):
        read(annotating, "ana", where, rating=ana)
        read(annotating, "ben", where, rating=ben)
    read(annotating, "ana", document().key, rating="Bad")
    read(annotating, "ben", document().key)
    found = agree(annotating, database)
    rated = values(found.together, "rating")
    assert found.scales == {"items": ["Perfect", "Mostly Good", "So-so", "Bad"]}
    assert ns(found.together, "rating") == dict.fromkeys(rated, 3)
    assert rated["percent"] == pytest.approx(1 / 3)
    # Steps apart: 0, 1, 3. By chance, of nine pairs of words: 0 3 0, 2 1 2, 3 0 3.
    assert rated["kappa_linear"] == pytest.approx(1 - (4 / 3) / (14 / 9))
    assert rated["kappa_quadratic"] == pytest.approx(1 - (10 / 3) / (36 / 9))
    # Of six words three are Perfect, one So-so, two Bad: their ranks are 1.5, 3.5 and 5.
    assert rated["alpha_ordinal"] == pytest.approx(1 - 5 * (2 * 2.25 + 2 * 12.25) / 180)
    (pair,) = found.together.pairs
    assert (pair.rated, pair.rating_percent) == (3, rated["percent"])
    assert (pair.rating_linear, pair.rating_quadratic) == (
        rated["kappa_linear"],
        rated["kappa_quadratic"],
    )


def test_words_that_nobody_gave_keep_their_place(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Perfect and Bad are three steps apart also where nothing between them was given."""
    for where, (ana, ben) in zip(
        REPORTS, [("Perfect", "Bad"), ("Mostly Good", "Perfect"), ("Bad", "Bad")], strict=True
    ):
        read(annotating, "ana", where, rating=ana)
        read(annotating, "ben", where, rating=ben)
    rated = values(agree(annotating, database).together, "rating")
    # Observed 3 + 1 + 0; by chance (3 0 3) + (2 1 2) + (0 3 0), of nine.
    assert rated["kappa_linear"] == pytest.approx(1 - (4 / 3) / (14 / 9))


def test_ratings_of_one_kind_are_compared_alone(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """And those of three people have alpha, and no kappa of two."""
    (first, *_) = citations(report())
    for name, word in (("ana", "Bad"), ("ben", "Bad"), ("li", "Perfect")):
        read(annotating, name, first.key, rating=word)
        read(annotating, name, REPORTS[0], rating="So-so")
    both = agree(annotating, database).together
    assert ns(both, "rating") == {"percent": 6, "alpha_nominal": 2, "alpha_ordinal": 2}
    cited = agree(annotating, database, kind=SampleKind.CITATION.value).together
    assert cited.samples == 1
    assert values(cited, "rating")["percent"] == pytest.approx(1 / 3)


def answered(annotating: AnnotationService) -> None:
    """Two questions: on one ana and ben are two steps apart, on the other one mind."""
    documents = (Document(Side.SOURCE, "Tea."),)
    asked = [Sample("q", name, documents, kind=SampleKind.QUESTION) for name in ("1", "2")]
    annotating.corpus.add([new(each) for each in asked], segmenter=SEGMENTER)
    for name, word in (("ana", "Correct"), ("ben", "Unclear")):
        read(annotating, name, asked[0].key, rating=word)
        read(annotating, name, asked[1].key, rating="Correct")


@pytest.mark.parametrize("kind", ["", SampleKind.QUESTION.value])
def test_verdicts_on_questions_have_their_own_scale(
    annotating: AnnotationService, database: SqliteDatabase, kind: str
) -> None:
    """From right over wrong to unclear, also unasked, where nothing but questions was rated."""
    answered(annotating)
    found = agree(annotating, database, kind=kind)
    assert found.scales == {"questions": [*VERDICTS]}
    assert output.as_json(found)["ratings"] == [*VERDICTS]
    # Steps apart: 2, 0. By chance, of four pairs of words: 2 0, 2 0.
    assert values(found.together, "rating")["kappa_linear"] == pytest.approx(1 - 1 / 1)
    (pair,) = found.together.pairs
    assert pair.rating_linear == pytest.approx(0)


def test_each_scale_has_figures_of_its_own(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Words of questions and of reports have no order; of pairs of people the percent is left."""
    answered(annotating)
    for where, ben in zip(REPORTS[:2], ("Perfect", "Bad"), strict=True):
        read(annotating, "ana", where, rating="Perfect")
        read(annotating, "ben", where, rating=ben)
    read(annotating, "li", REPORTS[0], rating="Bad")
    found = agree(annotating, database)
    assert list(found.scales) == ["items", "questions"]
    assert values(found.together, "rating") == {}
    assert values(found.together, "rating: items")["percent"] == pytest.approx(1 / 4)
    assert values(found.together, "rating: questions")["percent"] == pytest.approx(1 / 2)
    *_, one, both = sorted(found.together.pairs, key=lambda pair: pair.rated)
    assert (both.rated, both.rating_percent) == (4, 1 / 2)
    assert (both.rating_linear, both.rating_quadratic) == (UndefinedReason(SEVERAL),) * 2
    assert (one.rated, one.rating_percent) == (1, 0)
    assert one.rating_linear != UndefinedReason(SEVERAL)


def test_words_of_the_workspace_are_one_scale(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Questions and reports that are rated with the same words are compared as one."""
    answered(annotating)
    for name in ("ana", "ben"):
        read(annotating, name, REPORTS[0], rating="Perfect")
    found = agree(annotate(database, ratings=(*VERDICTS, "Perfect")), database)
    assert found.scales == {"": [*VERDICTS, "Perfect"]}
    assert ns(found.together, "rating")["alpha_ordinal"] == 3


def test_the_workspaces_words_are_the_order(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Words of another scale come behind, as files may bring them."""
    read(annotating, "ana", REPORTS[0], rating="Bad")
    own = annotate(database, ratings=("poor", "good"))
    read(own, "ben", REPORTS[0], rating="good")
    assert agree(own, database).scales == {"": ["poor", "good", "Bad"]}


def test_without_two_ratings_there_are_no_figures_of_them(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Nor is a scale told; the pair says why."""
    read(annotating, "ana", REPORTS[0], rating="Bad")
    read(annotating, "ben", REPORTS[0])
    found = agree(annotating, database)
    assert (values(found.together, "rating"), found.scales) == ({}, {})
    (pair,) = found.together.pairs
    assert (pair.rated, pair.rating_linear) == (0, UndefinedReason(NOTHING))
    (reported,) = output.as_json(found)["together"]["pairs"]
    assert (reported["rated"], reported["rating_kappa_quadratic"]) == (0, None)


def test_a_rating_is_work_also_where_nothing_is_marked(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Of who is not done, it counts as a mark does."""
    for name in ("ana", "ben"):
        annotating.rate(annotating.people.local(name).id, REPORTS[0], "Bad", seconds=0)
    assert agree(annotating, database).together.samples == 0
    assert agree(annotating, database, state=State.DRAFT.value).together.samples == 1


def test_marks_of_documents_are_compared_where_they_are(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Without a summary the source is what is read: its spans, sentences and labels count."""
    where = document().key
    read(annotating, "ana", where, mark("a", 0, 9))
    read(annotating, "ben", where, mark("b", 0, 3))
    found = agree(annotating, database)
    assert values(found.together, "span")["f1_character"] == pytest.approx(2 * 3 / 12)
    assert values(found.together, "segment")["percent"] == 1
    assert values(found.together, "label")["percent"] == 1
    assert values(found.together, "cited") == {}
    assert found.left.annotations == {}


def test_marks_of_citations_are_compared_on_both_sides(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """The sentence by itself, and the cited document by itself."""
    (first, *_) = citations(report())
    read(annotating, "ana", first.key, mark("a", 0, 9), mark("c", 0, 9, Side.SUMMARY))
    read(annotating, "ben", first.key, mark("b", 0, 3), mark("d", 0, 9, Side.SUMMARY))
    found = agree(annotating, database)
    assert values(found.together, "span")["f1_exact"] == 1
    assert values(found.together, "cited")["f1_character"] == pytest.approx(2 * 3 / 12)
    assert values(found.together, "cited")["f1_overlap"] == 1
    assert found.left.annotations == {}


def test_a_citation_of_nothing_is_compared_as_well(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Its sentence is there; of what it cites neither marked anything."""
    *_, last = citations(report())
    read(annotating, "ana", last.key, mark("a", 0, 9, Side.SUMMARY))
    read(annotating, "ben", last.key, rating="Bad")
    found = agree(annotating, database)
    assert values(found.together, "span")["f1_overlap"] == 0
    assert values(found.together, "cited")["f1_overlap"] == UndefinedReason(NOTHING)


def test_marks_of_reports_are_compared_as_those_of_summaries(
    annotating: AnnotationService, database: SqliteDatabase
) -> None:
    """Cut at sentences, each part counts."""
    read(annotating, "ana", REPORTS[0], mark("a", 4, 27, Side.SUMMARY))
    read(annotating, "ben", REPORTS[0], mark("b", 4, 22, Side.SUMMARY))
    assert values(agree(annotating, database).together, "span")["f1_exact"] == pytest.approx(2 / 3)
