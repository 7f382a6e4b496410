"""Agreement over a store: who counts, what is compared, what is left out and said."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.printed_numbers import printed_numbers
from tests.helpers.stores import SEGMENTER, claim, new, new_database
from tests.services.ingest_stores import Stores
from tui_annotate.domain.annotations import HUMAN, REJECTED, Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotAllowed
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.people import SETTLED, Actor, Person, Role, second_reader
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, Segment, Side
from tui_annotate.domain.spans import Span
from tui_annotate.methods.agreement import NOTHING, UNANIMOUS, Measured, UndefinedReason
from tui_annotate.plugins.protocols import ImportOptions
from tui_annotate.services.agreement import (
    Agreement,
    AgreementComparison,
    AgreementFigure,
    AgreementOptions,
    AgreementService,
    output,
)
from tui_annotate.services.agreement.compared_readings import (
    LeftOutReason,
    ReadingBuilder,
    other_state_reason,
)
from tui_annotate.services.agreement.disagreements import list_disagreements
from tui_annotate.services.agreement.figures import all_figures, find_quoted_figure
from tui_annotate.services.agreement.label_order import UNLABELLED, LabelOrder, format_labels
from tui_annotate.services.agreement.tallies import AgreementTally, Summary
from tui_annotate.services.export import ExportService
from tui_annotate.services.ingest import IngestFiles
from tui_annotate.storage.corpus.store import CorpusStore, SegmentStore
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore, LabelSets
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("TUI_ANNOTATE_SHARED", ROOT.parent / "shared"))
LABELS = """\
- Wrong: [Against, Added]
- Odd
"""
SUMMARY = "It cost 15 million.  All loved it."  # sentences: 0 to 21, 21 to 34
SENTENCES = (Segment(0, 21), Segment(21, 34))
SOURCE = "It cost 12 million. Some loved it."
ANA, BEN, LI = (Person(name, name) for name in ("ana", "ben", "li"))
AGAINST, ADDED, ODD = ("Wrong", "Against"), ("Wrong", "Added"), ("Odd",)


@dataclass(frozen=True)
class Mark:
    """A span of the summary with one label, and spans of the sources."""

    label: LabelPath | None
    start: int
    end: int
    evidence: tuple[tuple[int, int], ...] = ()
    document: int = 0
    origin: str = HUMAN
    label_set: str = ""

    def annotation(self, name: str) -> Annotation:
        """The mark under an id."""
        return Annotation(
            name,
            (Anchor(Side.SUMMARY, 0, Span(self.start, self.end)),),
            tuple(Anchor(Side.SOURCE, self.document, Span(*each)) for each in self.evidence),
            (self.label,) if self.label else (),
            origin=self.origin,
            label_set=self.label_set,
        )


PRICE = Mark(AGAINST, 8, 18, ((8, 18),))
LOVE = Mark(ODD, 21, 34)


def pair(name: str, *, summary: str = SUMMARY, sources: int = 1) -> Sample:
    """A sample whose sources all have the same text."""
    documents = [Document(Side.SOURCE, SOURCE, str(at)) for at in range(sources)]
    return Sample("d", name, (*documents, Document(Side.SUMMARY, summary)))


class Store:
    """A store with a label set, into which readings are put."""

    def __init__(self, folder: Path) -> None:
        self.database = new_database(folder)
        self.corpus, self.log = CorpusStore(self.database), AnnotationStore(self.database)
        self.people, self.guidance = PeopleStore(self.database), GuidanceStore(self.database)
        self.guidance.keep(GuidanceKind.LABELS, LABELS)
        self.made = 0

    def read(
        self,
        name: str,
        *marks: Mark,
        by: Person = ANA,
        state: State = State.DONE,
        updated: str = "2026-01-05T00:00:00.000000+00:00",
        sources: int = 1,
    ) -> None:
        """One person's work on one sample."""
        sample = pair(name, sources=sources)
        stored = new(sample)
        segments = (*stored.segments[:-1], SENTENCES)
        self.corpus.add([replace(stored, segments=segments)], segmenter=SEGMENTER)
        owned = []
        for mark in marks:
            self.made += 1
            owned.append(OwnedAnnotation(by.id, mark.annotation(f"a{self.made}")))
        assignment = Assignment(by.id, state, updated=updated)
        self.log.import_records([Record(sample, tuple(owned), (assignment,), (by,))])

    def agree(self, actor: Actor | None = None) -> AgreementService:
        """The service over it."""
        names = ExportService(self.corpus, self.people, self.log)
        segments = SegmentStore(self.database)
        stores = (self.corpus, self.people, self.guidance, segments, self.log)
        service = AgreementService(*stores, LabelSets(self.guidance).in_use, names.checked)
        return replace(service, actor=actor) if actor else service

    def report(self, **asked: object) -> Agreement:
        """All figures."""
        return self.agree().report(AgreementOptions(**asked))  # type: ignore[arg-type]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty one."""
    made = Store(tmp_path)
    yield made
    made.database.close()


def values(compared: AgreementComparison, level: str) -> dict[str, Measured]:
    """The figures of a level by name."""
    return {each.measure: each.value for each in compared.figures if each.level == level}


def ns(compared: AgreementComparison, level: str) -> dict[str, int]:
    """Their counts."""
    return {each.measure: each.n for each in compared.figures if each.level == level}


# what is compared ------------------------------------------------------------------------------


def test_two_people_by_hand(store: Store) -> None:
    """Three samples: alike, one alone, other places and labels; each figure as on paper."""
    store.read("1", PRICE)
    store.read("1", PRICE, by=BEN)
    store.read("2", PRICE)
    store.read("2", by=BEN)
    store.read("3", replace(PRICE, evidence=()), LOVE)
    store.read("3", replace(PRICE, label=ADDED, end=19), by=BEN)
    found = store.report().together
    assert (found.samples, found.people) == (3, ("ana", "ben"))
    assert values(found, "sample")["percent"] == pytest.approx(1 / 3)
    assert values(found, "sample")["cohen_kappa"] == pytest.approx(0)
    assert ns(found, "sample")["alpha_nominal"] == 3
    # Of first sentences the first agree; of second ones the first two, by nothing.
    assert values(found, "segment")["percent"] == pytest.approx(3 / 6)
    assert ns(found, "segment")["percent"] == 6
    spans = values(found, "span")
    assert spans["f1_exact"] == spans["f1_trimmed"] == pytest.approx((1 + 0 + 0) / 3)
    assert spans["f1_character"] == pytest.approx((1 + 0 + 2 * 10 / (23 + 11)) / 3)
    assert spans["f1_overlap"] == pytest.approx((1 + 0 + 2 / 3) / 3)
    assert values(found, "label")["percent"] == pytest.approx(1 / 2)
    evidence = values(found, "evidence")
    assert evidence == {"same_passage": 1, "overlap": 1, "only_one": 1 / 2}
    assert ns(found, "evidence") == {"same_passage": 1, "overlap": 1, "only_one": 2}
    (of_both,) = found.pairs
    assert (of_both.people, of_both.samples, of_both.marked) == (("ana", "ben"), 3, 3)
    assert of_both.percent == pytest.approx(1 / 3)
    assert of_both.kappa == pytest.approx(0)
    assert (of_both.matched, of_both.matched_percent) == (2, 1 / 2)
    assert of_both.spans["character"] == spans["f1_character"]


def test_samples_without_work_are_not_read(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that nobody read are not loaded; those with one reader are, as they are counted."""
    names = [f"new {number}" for number in range(150)]
    store.corpus.add([new(pair(each, summary=f"{each}.")) for each in names], segmenter=SEGMENTER)
    store.read("both", PRICE)
    store.read("both", PRICE, by=BEN)
    store.read("one", PRICE)
    read: list[str] = []
    build = Document.__init__

    def record(self: Document, side: Side, text: str, *more: str) -> None:
        read.append(text)
        build(self, side, text, *more)

    monkeypatch.setattr(Document, "__init__", record)
    found = store.report()
    assert found.together.samples == 1
    assert found.left.samples == {LeftOutReason.ONE_READER: 1}
    assert set(read) == {SOURCE, SUMMARY}


def test_the_worst_label_stands_for_a_sample(store: Store) -> None:
    """By the order of the set; a parent behind its children; nothing is the least."""
    store.read("1", LOVE, PRICE)
    store.read("1", PRICE, by=BEN)
    store.read("2", replace(PRICE, label=("Wrong",)), LOVE)
    store.read("2", replace(PRICE, label=ADDED), by=BEN)
    found = store.report()
    assert values(found.together, "sample")["percent"] == 1 / 2
    assert found.labels == ["Wrong.Against", "Wrong.Added", "Wrong", "Odd", "nothing"]
    cut = store.report(label_level=1)
    assert values(cut.together, "sample") == {
        "percent": 1,
        **dict.fromkeys(
            ("cohen_kappa", "fleiss_kappa", "alpha_nominal", "alpha_ordinal"),
            UndefinedReason(UNANIMOUS),
        ),
    }
    assert cut.labels == ["Wrong", "Odd", "nothing"]


def test_near_misses_cost_less_where_labels_have_an_order(store: Store) -> None:
    """Ordinal alpha is the higher one where people differ by neighbours alone."""
    for name, mine, other in [("1", AGAINST, ADDED), ("2", ADDED, AGAINST), ("3", ODD, ODD)]:
        store.read(name, replace(PRICE, label=mine))
        store.read(name, replace(PRICE, label=other), by=BEN)
    found = values(store.report().together, "sample")
    nominal, ordinal = found["alpha_nominal"], found["alpha_ordinal"]
    assert isinstance(nominal, float)
    assert isinstance(ordinal, float)
    assert nominal < ordinal


def test_a_sentence_has_the_worst_label_that_touches_it(store: Store) -> None:
    """A span over two sentences is in both; who marked nothing there says nothing."""
    store.read("1", Mark(ODD, 8, 30), replace(PRICE, evidence=()))
    store.read("1", PRICE, LOVE, by=BEN)
    assert values(store.report().together, "segment")["percent"] == 1


def test_a_sentence_of_white_space_is_none() -> None:
    """What holds no sign is not compared; white space about a sentence moves nothing."""
    order = LabelOrder([])
    record = Record(
        pair("1", summary="Yes.  No."),
        (OwnedAnnotation("ana", Mark(ODD, 4, 8).annotation("a")),),
        (Assignment("ana", State.DONE),),
    )
    (reading,) = ReadingBuilder(AgreementOptions(), order).readings(record)
    assert reading.of_segments((Segment(0, 4), Segment(6, 9)), order) == [(), ODD]


def test_evidence_of_several_sources_is_kept_apart(store: Store) -> None:
    """The same place in another document is elsewhere."""
    for by, document in ((ANA, 0), (BEN, 1)):
        store.read("1", replace(PRICE, document=document), by=by, sources=2)
    found = values(store.report().together, "evidence")
    assert found == {"same_passage": 0, "overlap": 0, "only_one": 0}


def test_a_span_marked_twice_is_one(store: Store) -> None:
    """With the labels and the evidence of both; overlapping ones are told."""
    store.read("1", PRICE, replace(PRICE, evidence=((29, 33),)), replace(LOVE, label=AGAINST))
    store.read("1", replace(PRICE, evidence=((8, 18), (29, 33))), by=BEN)
    found = store.report().together
    assert values(found, "evidence")["same_passage"] == 1
    assert values(found, "label")["percent"] == 1
    assert ns(found, "label")["percent"] == 1
    assert found.stacked == 2


def test_an_omission_counts_for_the_sample_alone(store: Store) -> None:
    """Evidence without a claim is of no sentence and no span, and that is told."""
    store.read("1")
    omitted = Annotation("o", (), (Anchor(Side.SOURCE, 0, Span(0, 7)),), (ODD,))
    record = Record(
        pair("1"), (OwnedAnnotation("ben", omitted),), (Assignment("ben", State.DONE),), (BEN,)
    )
    store.log.import_records([record])
    found = store.report()
    assert values(found.together, "sample")["percent"] == 0
    assert values(found.together, "segment")["percent"] == 1
    assert values(found.together, "span")["f1_overlap"] == UndefinedReason(NOTHING)
    assert found.left.annotations == {LeftOutReason.EVIDENCE_ALONE: 1}


def test_where_neither_marked_anything_spans_are_not_compared(store: Store) -> None:
    """The pair is counted beside the figure; for labels it is agreement."""
    for by in (ANA, BEN):
        store.read("1", by=by)
        store.read("2", PRICE, by=by)
    found = store.report().together
    exact = next(each for each in found.figures if each.measure == "f1_exact")
    assert (exact.value, exact.n, printed_numbers(exact.note)) == (1, 1, [["1"]])
    assert values(found, "sample")["percent"] == 1


def test_fleiss_takes_the_most_usual_number_of_people(store: Store) -> None:
    """The others are left out of it, and told; alpha takes all."""
    for name, people in (("1", (ANA, BEN)), ("2", (ANA, BEN)), ("3", (ANA, BEN, LI))):
        for by in people:
            store.read(name, *([PRICE] if name == "1" else []), by=by)
    found = [each for each in store.report().together.figures if each.level == "sample"]
    by_name = {each.measure: each for each in found}
    assert by_name["fleiss_kappa"].n == 2
    assert printed_numbers(by_name["fleiss_kappa"].note) == [["2", "1"]]
    assert by_name["alpha_nominal"].n == 3
    assert by_name["percent"].n == 2 + 3
    assert "cohen_kappa" not in by_name


# who counts ------------------------------------------------------------------------------------


def test_who_is_done_counts_also_with_nothing(store: Store) -> None:
    """Drafts, skips and flags do not, and each is told."""
    store.read("1", PRICE)
    store.read("1", by=BEN)
    store.read("1", PRICE, by=LI, state=State.DRAFT)
    store.read("2", PRICE)
    store.read("2", PRICE, by=BEN, state=State.SKIPPED)
    found = store.report()
    assert found.together.samples == 1
    assert found.left.work == {
        other_state_reason(each, State.DONE): 1 for each in (State.DRAFT, State.SKIPPED)
    }
    assert found.left.samples == {LeftOutReason.ONE_READER: 1}
    assert values(found.together, "sample")["percent"] == 0


def test_who_is_not_done_counts_where_they_marked_something(store: Store) -> None:
    """Of a format without states nobody knows who looked."""
    for name in ("1", "2"):
        store.read(name, PRICE, state=State.NEW)
    store.read("1", PRICE, by=BEN, state=State.NEW)
    store.read("2", by=BEN, state=State.DRAFT)
    assert store.report(state="new").together.samples == 1
    drafts = store.report(state="draft")
    assert drafts.together.samples == 0
    assert drafts.left.work[LeftOutReason.NOT_READ] == 1


def test_what_review_settled_is_nobodys_reading(store: Store) -> None:
    """Neither its own stream counts nor what it refused."""
    store.read("1", PRICE)
    store.read("1", replace(LOVE, origin=REJECTED), by=BEN)
    store.read("1", PRICE, by=Person(SETTLED, "settled"))
    found = store.report()
    assert found.together.people == ("ana", "ben")
    assert values(found.together, "sample")["percent"] == 0
    assert values(found.together, "span")["f1_overlap"] == 0


def test_second_readings_stand_for_themselves(store: Store) -> None:
    """They are compared with the same person's first alone, whatever others did."""
    for name in ("1", "2"):
        store.read(name, PRICE)
        store.read(name, *([PRICE] if name == "1" else []), by=second_reader(ANA))
        store.read(name, LOVE, by=BEN)
    store.read("3", PRICE, by=second_reader(BEN))
    found = store.report()
    assert found.together.people == ("ana", "ben")
    assert values(found.together, "sample")["percent"] == 0
    assert found.oneself.samples == 2
    assert values(found.oneself, "sample")["percent"] == 1 / 2
    assert [output.pair_names(found, each) for each in found.oneself.pairs] == [["ana"]]
    assert found.left.work == {LeftOutReason.SECOND_ALONE: 1}


def test_people_among_themselves_or_one_with_the_others(store: Store) -> None:
    """Several names are a group; one name is a pair with each."""
    store.read("1", PRICE)
    store.read("1", PRICE, by=BEN)
    store.read("1", by=LI)
    everybody = store.report().together
    assert values(everybody, "sample")["percent"] == pytest.approx(1 / 3)
    two = store.report(people=("ana", "ben")).together
    assert (two.people, values(two, "sample")["percent"]) == (("ana", "ben"), 1)
    one = store.report(people=("li",)).together
    assert {each.people for each in one.pairs} == {("li", "ana"), ("li", "ben")}
    assert values(one, "sample")["percent"] == 0
    assert ns(one, "sample")["alpha_nominal"] == 2


def test_filters_of_annotations_leave_readers(store: Store) -> None:
    """Who has none of the label or origin is a reader who found nothing."""
    store.read("1", PRICE, LOVE)
    store.read("1", LOVE, by=BEN)
    wrong = store.report(label="Wrong")
    assert values(wrong.together, "sample")["percent"] == 0
    assert wrong.left.annotations == {LeftOutReason.OTHER_LABELS: 2}
    assert values(store.report(label="Odd").together, "sample")["percent"] == 1
    foreign = store.report(origin="imported")
    assert foreign.together.samples == 1
    assert foreign.left.annotations == {LeftOutReason.OTHER_ORIGIN: 3}
    assert values(store.report(origin="human").together, "sample")["percent"] == 0


def test_since_takes_readings_whole(store: Store) -> None:
    """What last changed before is left out, with all that it holds."""
    store.read("1", PRICE)
    store.read("1", PRICE, by=BEN, updated="2026-01-04T00:00:00.000000+00:00")
    assert store.report(since="2026-01-04").together.samples == 1
    later = store.report(since="2026-01-05")
    assert later.together.samples == 0
    assert later.left.work == {LeftOutReason.TOO_OLD: 1}


def test_one_version_of_the_label_set(store: Store) -> None:
    """Named by the start of its hash; readings under another are left out, empty ones stay."""
    first = store.guidance.version(GuidanceKind.LABELS)
    second = store.guidance.keep(GuidanceKind.LABELS, "- Odd\n- Wrong\n")
    store.read("1", replace(PRICE, label_set=first), by=ANA)
    store.read("1", replace(PRICE, label_set=second), by=BEN)
    store.read("1", by=LI)
    everybody = store.report()
    assert everybody.label_sets == dict(sorted({first: 1, second: 1}.items()))
    assert everybody.mixed_label_sets == 0
    assert everybody.labels == ["Wrong.Against", "nothing"]
    assert everybody.strangers == ["Wrong.Against"]
    one = store.report(label_set=first[:8])
    assert (one.asked.label_set, one.together.people) == (first, ("ana", "li"))
    assert one.left.work == {LeftOutReason.OTHER_LABEL_SET: 1}
    assert one.strangers == []


def test_each_reading_counts_under_one_version(store: Store) -> None:
    """Those of several versions are apart, and are not among those that a version selects."""
    first = store.guidance.version(GuidanceKind.LABELS)
    second = store.guidance.keep(GuidanceKind.LABELS, "- Odd\n- Wrong\n")
    store.read("1", replace(PRICE, label_set=first), replace(LOVE, label_set=second), by=ANA)
    store.read("1", replace(PRICE, label_set=first), replace(LOVE, label_set=first), by=BEN)
    found = store.report()
    assert (found.label_sets, found.mixed_label_sets) == ({first: 1}, 1)
    assert store.report(label_set=first).label_sets == {first: 1}


@pytest.mark.parametrize(
    "asked",
    [
        {"dataset": "nope"},
        {"people": ("nope",)},
        {"origin": "nope"},
        {"state": "nope"},
        {"label": "Nope"},
        {"label_set": "nope"},
        {"since": "nope"},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_a_filter_that_names_nothing_is_refused(store: Store, asked: dict[str, object]) -> None:
    """With its value, as in an export."""
    store.read("1", PRICE)
    with pytest.raises(InvalidInput, match=r"'[nN]ope'"):
        store.report(**asked)


def test_an_annotator_gets_their_own_readings_alone(store: Store) -> None:
    """No figure, count or name says anything of others; who reviews gets all."""
    for by in (ANA, second_reader(ANA), BEN, second_reader(BEN)):
        store.read("1", PRICE, by=by)
    store.read("2", by=LI, state=State.DRAFT)
    found = store.agree(Actor("ana", Role.ANNOTATOR)).report()
    assert found.together.samples == 0
    assert (found.oneself.samples, set(found.names)) == (1, {"ana", "ana~2"})
    assert not found.left.work
    assert not found.left.samples
    assert store.agree(Actor("ana", Role.ANNOTATOR)).report(
        AgreementOptions(people=("ana",))
    ) == replace(found, asked=AgreementOptions(people=("ana",)))
    assert store.agree(Actor("ben", Role.REVIEWER)).report().together.samples == 1
    for actor, asked in (("", ()), ("ana", ("ben",)), ("ana", ("nobody",))):
        with pytest.raises(NotAllowed) as caught:
            store.agree(Actor(actor, Role.ANNOTATOR)).report(AgreementOptions(people=asked))
        assert "ben" not in caught.value.message + caught.value.hint


# laws ------------------------------------------------------------------------------------------

MARKS = st.lists(
    st.builds(
        lambda label, start, size, evidence: Mark(label, start, start + size, evidence),
        st.sampled_from([AGAINST, ADDED, ODD, None]),
        st.integers(0, 26),
        st.integers(1, 8),
        st.sampled_from([(), ((8, 18),), ((15, 25),), ((0, 2), (8, 18))]),
    ),
    max_size=4,
)
WORK = st.lists(st.lists(MARKS, min_size=2, max_size=3), min_size=3, max_size=6)
TREE = parse_labels(LABELS)


def tallied(
    work: Sequence[Sequence[Sequence[Mark]]], names: Sequence[str]
) -> list[AgreementFigure]:
    """All figures of some samples, each with the marks of some people."""
    order = LabelOrder([TREE])
    readers, tally = ReadingBuilder(AgreementOptions(), order), AgreementTally(order)
    for number, people in enumerate(work):
        owned = tuple(
            OwnedAnnotation(name, mark.annotation(f"{name}{at}"))
            for name, marks in zip(names, people, strict=False)
            for at, mark in enumerate(marks)
        )
        done = tuple(Assignment(name, State.DONE) for name in names[: len(people)])
        record = Record(pair(str(number)), owned, done)
        tally.add([readers.readings(record)], Summary(record.sample.key, SUMMARY, SENTENCES))
    return all_figures(tally)


def test_the_quoted_value_is_defined() -> None:
    """Alpha of sentences, else of ratings; none if both are undefined."""

    def figure(level: str, measure: str, value: Measured) -> AgreementFigure:
        return AgreementFigure(level, measure, value, interval=None, n=2, of="samples")

    percent = figure("segment", "percent", 1.0)
    undefined = figure("segment", "alpha_nominal", UndefinedReason(UNANIMOUS))
    sentences = figure("segment", "alpha_nominal", 0.5)
    ratings = figure("rating", "alpha_ordinal", 0.4)
    assert find_quoted_figure([percent, sentences, ratings]) is sentences
    assert find_quoted_figure([percent, undefined, ratings]) is ratings
    assert find_quoted_figure([percent, undefined]) is None


@pytest.mark.parametrize(("names", "unit"), [("ab", "samples"), ("abc", "pairs of readings")])
def test_units_depend_on_the_number_of_annotators(names: str, unit: str) -> None:
    """Two annotators are compared once in each sample, three annotators in three pairs."""
    marks: list[Mark] = []
    figures = {(each.level, each.measure): each for each in tallied([[marks] * len(names)], names)}
    percent = figures["sample", "percent"]
    assert (percent.of, percent.n) == (unit, 1 if unit == "samples" else 3)
    assert figures["span", "f1_exact"].of == f"{unit} with a span"


def test_intervals_resample_samples_that_share_a_source_together() -> None:
    """As other code computes it; each sample on its own would give half the width."""
    order = LabelOrder([TREE])
    readers, tally = ReadingBuilder(AgreementOptions(), order), AgreementTally(order)
    agreed = [1, 1, 1, 0, 1, 0, 0, 1]
    for source, same in enumerate(agreed):
        for at in range(12):
            name = f"{source}-{at}"
            marks = {"ana": [PRICE], "ben": [PRICE] if same else []}
            owned = tuple(
                OwnedAnnotation(person, mark.annotation(f"{person}{name}"))
                for person, own in marks.items()
                for mark in own
            )
            done = tuple(Assignment(person, State.DONE) for person in marks)
            record = Record(pair(name), owned, done)
            summary = Summary(
                record.sample.key, SUMMARY, SENTENCES, shared=(f"source {source}", f"own {name}")
            )
            tally.add([readers.readings(record)], summary)
    assert len(set(tally.clusters())) == len(agreed)
    percent = next(
        each for each in all_figures(tally) if (each.level, each.measure) == ("sample", "percent")
    )
    chance = Random(3)
    shares = sorted(sum(chance.choice(agreed) for _ in agreed) / len(agreed) for _ in range(20_000))
    assert percent.value == sum(agreed) / len(agreed)
    assert percent.interval is not None
    assert percent.interval == pytest.approx((shares[500], shares[19_500]), abs=0.13)
    assert percent.interval.high - percent.interval.low > 0.6


@settings(max_examples=15)
@given(WORK, st.randoms(), st.permutations(["ana", "ben", "li"]))
def test_nothing_depends_on_who_came_first(
    work: list[list[list[Mark]]], chance: Random, names: list[str]
) -> None:
    """Annotations in any order, people under any names: the same figures and intervals."""
    shuffled = [[chance.sample(marks, len(marks)) for marks in people] for people in work]
    together = zip(tallied(work, ["ana", "ben", "li"]), tallied(shuffled, names), strict=True)
    for one, other in together:
        assert (one.measure, one.n, one.of, one.note) == (
            other.measure,
            other.n,
            other.of,
            other.note,
        )
        if isinstance(one.value, float):
            assert one.value == pytest.approx(other.value)
        else:
            assert one.value == other.value
        assert (one.interval is None) == (other.interval is None)
        if one.interval and other.interval:
            assert tuple(one.interval) == pytest.approx(tuple(other.interval))


@settings(max_examples=15)
@given(WORK)
def test_no_figure_is_a_nan(work: list[list[list[Mark]]]) -> None:
    """Each has a value of at most 1, or a reason; its bounds are in order."""
    for each in tallied(work, ["ana", "ben", "li"]):
        if isinstance(each.value, UndefinedReason):
            assert each.value.reason in {NOTHING, UNANIMOUS}
            assert each.interval is None
        else:
            assert not math.isnan(each.value)
            assert each.value <= 1 + 1e-9
            assert each.interval is None or each.interval.low <= each.interval.high


def test_the_order_of_labels() -> None:
    """Children before their parent, strangers behind their kin, no label and nothing last."""
    order = LabelOrder([TREE])
    found = [(), UNLABELLED, ("Odd",), ("Wrong",), ("New",), ("Wrong", "New"), AGAINST, ADDED]
    assert order.sorted(found) == [
        AGAINST, ADDED, ("Wrong", "New"), ("Wrong",), ("Odd",), ("New",), UNLABELLED, (),
    ]  # fmt: skip
    assert order.unlisted == {("New",), ("Wrong", "New")}
    assert order.label_of_annotation([]) == UNLABELLED
    assert LabelOrder([TREE], level=1).label_of_annotation([("Odd",), AGAINST]) == ("Wrong",)


# how it is told --------------------------------------------------------------------------------


def test_json_and_rows_hold_the_same(store: Store) -> None:
    """Values to four digits, null or empty with a reason; second readings after the others."""
    for by in (ANA, second_reader(ANA), BEN):
        store.read("1", PRICE, by=by)
    found = store.report()
    report = json.loads(json.dumps(output.as_json(found), allow_nan=False))
    measures = report["together"]["measures"] + report["oneself"]["measures"]
    rows = [dict(zip(output.COLUMNS, row, strict=True)) for row in output.output_rows(found)]
    assert [row["measure"] for row in rows] == [each["measure"] for each in measures]
    assert [row["value"] for row in rows] == [
        "" if each["value"] is None else each["value"] for each in measures
    ]
    kappa = next(each for each in measures if each["measure"] == "cohen_kappa")
    assert (kappa["value"], kappa["low"], kappa["undefined"]) == (None, None, UNANIMOUS)
    own = rows[-len(report["oneself"]["measures"])]["level"]  # is told apart from `together`
    assert {row["level"] for row in rows} - {each["level"] for each in measures} >= {own}
    assert report["together"]["pairs"][0]["people"] == ["ana", "ben"]
    assert report["oneself"]["pairs"][0]["people"] == ["ana"]
    assert report["bootstrap"] == {"level": 0.95, "draws": 2000, "seed": 7}


def test_people_of_one_name_are_told_apart(store: Store) -> None:
    """By their ids, where two have the same name."""
    store.read("1", by=Person("p1", "ana"))
    store.read("1", by=Person("p2", "ana"))
    assert store.report().names == {"p1": "ana (p1)", "p2": "ana (p2)"}


# real data -------------------------------------------------------------------------------------


def test_faithbench(tmp_path: Path) -> None:
    """The values in docs/measures.md are those of the six public batches."""
    dumps = sorted(SHARED.glob("data/faithbench/batch_*_annotation.json"))
    if not dumps:
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with dumps")
    stores = Stores(tmp_path)
    stores.run(*dumps, embedder="none")
    people, guidance = PeopleStore(stores.database), GuidanceStore(stores.database)
    names = ExportService(stores.corpus, people, stores.log)
    service = AgreementService(
        stores.corpus,
        people,
        guidance,
        SegmentStore(stores.database),
        stores.log,
        lambda _: parse_labels((ROOT / "labels.yaml").read_text("utf-8")),
        names.checked,
    )
    found = service.report(AgreementOptions(state="new", label_level=1)).together
    assert {
        name: round(value, 3) if isinstance(value, float) else value
        for name, value in values(found, "span").items()
    } == {"f1_exact": 0.152, "f1_trimmed": 0.220, "f1_character": 0.577, "f1_overlap": 0.751}
    assert set(ns(found, "span").values()) == {402}
    assert ns(found, "label")["percent"] == 588
    assert values(found, "label")["percent"] == pytest.approx(0.563, abs=0.0005)
    manual = (ROOT / "docs" / "measures.md").read_text("utf-8")
    for report in (".152", ".220", ".577", ".751", ".563 of 588", "402"):
        assert f"| {report} |" in manual
    read = IngestFiles(dumps, options=ImportOptions(everyone_read=True))
    stores.ingest.run(read, embedder="none")
    found = service.report(AgreementOptions(label_level=1)).together
    cells = [
        f"{values(found, 'sample')['percent']:.3f} of {ns(found, 'sample')['percent']} pairs",
        f"{values(found, 'sample')['alpha_nominal']:.3f}",
        f"{values(found, 'span')['f1_character']:.3f} of {ns(found, 'span')['f1_character']} pairs",
        f"{values(found, 'span')['f1_overlap']:.3f} of {ns(found, 'span')['f1_overlap']} pairs",
        f"{values(found, 'label')['percent']:.3f} of {ns(found, 'label')['percent']}",
    ]
    assert all(f"| {cell.removeprefix('0')} |" in manual for cell in cells)


def test_disagreements_are_counted_by_pair_and_label() -> None:
    """A span that only one marked, and overlapping spans with other labels; equal ones are none."""
    order = LabelOrder([TREE])
    readers, tally = ReadingBuilder(AgreementOptions(), order), AgreementTally(order)
    marks = {
        "1": {"ana": [(0, 4, "Fine"), (6, 9, "Fine")], "ben": [(0, 5, "Alone")], "li": []},
        "2": {"ana": [(0, 4, "Fine")], "ben": [(1, 3, "Alone")], "li": [(0, 4, "Fine")]},
    }
    for number, people in marks.items():
        owned = tuple(
            OwnedAnnotation(name, claim(f"{name}{start}{number}", start, end, label=label))
            for name, own in people.items()
            for start, end, label in own
        )
        done = tuple(Assignment(name, State.DONE) for name in people)
        record = Record(pair(number), owned, done)
        tally.add([readers.readings(record)], Summary(record.sample.key, SUMMARY, SENTENCES))
    found = [
        (
            each.people,
            format_labels(each.labels),
            each.count,
            each.of,
            [key.id for key in each.samples],
        )
        for each in list_disagreements(tally)
    ]
    assert found == [
        (("ana", "ben"), ["Fine", "Alone"], 2, 3, ["1", "2"]),
        (("ana", "ben"), ["Fine", "nothing"], 1, 3, ["1"]),
        (("ana", "li"), ["Fine", "nothing"], 2, 3, ["1"]),
        (("ben", "li"), ["Alone", "nothing"], 1, 2, ["1"]),
        (("ben", "li"), ["Alone", "Fine"], 1, 2, ["2"]),
    ]
