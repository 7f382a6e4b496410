"""Machines against people over a store: whose word counts, what is compared, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.errors import has_code
from tests.helpers.stores import SEGMENTER, new, new_database
from tui_annotate.cli import output
from tui_annotate.domain.annotations import Anchor, Annotation, LabelPath
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotAllowed, NotFound, TuiAnnotateError
from tui_annotate.domain.people import (
    OPERATOR,
    SETTLED,
    Actor,
    Person,
    PersonKind,
    Role,
    second_reader,
)
from tui_annotate.domain.provenance import Provenance
from tui_annotate.domain.records import OwnedAnnotation, Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import Pooling, RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.domain.suggestions import Suggestion
from tui_annotate.lab.score import comparison_output as shapes
from tui_annotate.lab.score.comparison import (
    Comparison,
    ComparisonOptions,
    ComparisonService,
    MachineValues,
)
from tui_annotate.lab.score.detection_metrics import MEASURES, NO_VALUES, ChoiceOrigin
from tui_annotate.lab.score.human_truths import NoTruthReason
from tui_annotate.methods.agreement import UndefinedReason
from tui_annotate.methods.bootstrap import explain_no_interval
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.store import GuidanceStore, LabelSets
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.people.store import PeopleStore
from tui_annotate.storage.scores.store import ScoreStore
from tui_annotate.storage.suggestions import SuggestionStore

ANA, BEN = Person("ana", "Ana"), Person("ben", "Ben")
REVIEW = Person(SETTLED, SETTLED, PersonKind.SETTLED)
ROBOT = Person("machine:toy", "machine:toy", PersonKind.IMPORTED)
BAD, BENIGN = ("Unwanted", "Intrinsic"), ("Benign",)


class Store:
    """A store into which samples, work and scores are put."""

    def __init__(self, folder: Path) -> None:
        self.database = new_database(folder)
        self.corpus, self.log = CorpusStore(self.database), AnnotationStore(self.database)
        self.people, self.scores = PeopleStore(self.database), ScoreStore(self.database)
        self.suggestions = SuggestionStore(self.database)
        self.labels = LabelSets(GuidanceStore(self.database)).in_use
        self.made = 0

    def sample(self, name: str, *, group: str = "", source: str = "", **meta: Any) -> None:
        """A sample with some meta."""
        documents = (
            Document(Side.SOURCE, source or f"A {name}."),
            Document(Side.SUMMARY, "It cost 15."),
        )
        sample = Sample("d", name, documents, group=group, meta=meta)
        self.corpus.add([new(sample)], segmenter=SEGMENTER)

    def read(
        self,
        name: str,
        *labels: LabelPath,
        by: Person = ANA,
        state: State = State.DONE,
        origin: str = "human",
        suggested: Provenance | None = None,
        span: Span | None = None,
    ) -> None:
        """One person's work on a sample: a mark under each label, `()` for one without."""
        owned = []
        for label in labels:
            self.made += 1
            claim = (Anchor(Side.SUMMARY, 0, span or Span(0, 2)),)
            paths = (label,) if label else ()
            mark = Annotation(f"a{self.made}", claim, labels=paths, origin=origin)
            mark = replace(mark, suggested=suggested)
            owned.append(OwnedAnnotation(by.id, mark))
        sample = self.corpus.sample(SampleKey("d", name)).sample
        work = (Assignment(by.id, state),)
        self.log.import_records([Record(sample, tuple(owned), work, (by,))])

    def score(self, maker: str, name: str, /, *, low: bool = False, **raw: float | None) -> None:
        """A run of one score, by sample."""
        self.made += 1
        run = ScoreRun(
            id=f"run{self.made}",
            kind=RunKind.SCORE,
            maker=maker,
            dataset="d",
            low=frozenset({name} if low else ()),
        )
        keys = {each: SampleKey("d", each) for each in raw}
        report = [Score(key=keys[each], name=name, raw=value) for each, value in raw.items()]
        extra = Score(key=next(iter(keys.values())), name=name, raw=99.0, extra=1)
        self.scores.write(run, [*report, extra])

    def report(self, actor: Actor | None = None, **asked: Any) -> Comparison:
        """All figures."""
        machines: Any = SimpleNamespace(**vars(self), actor=actor or OPERATOR)
        return ComparisonService(machines).report(ComparisonOptions(dataset="d", **asked))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Four samples: two that Ana calls unsupported, two in which she found nothing."""
    made = Store(tmp_path)
    for place, name in enumerate("abcd"):
        made.sample(name, good=place / 10, odd="yes" if name == "a" else None, told=f"{place}")
        made.read(name, *([BAD] if name in "ab" else []))
    yield made
    made.database.close()


def _truth(found: Comparison) -> tuple[int, int]:
    return found.unsupported, found.supported


def test_a_score_that_parts_them_is_perfect(store: Store) -> None:
    """Every measure is 1; threshold and n are told, and extras of a group do not count."""
    store.score("toy", "sure", a=0.1, b=0.2, c=0.6, d=0.8)
    (machine,) = store.report().machines
    assert (machine.name, machine.maker, machine.n, machine.missing) == ("sure", "toy", 4, 0)
    assert (machine.threshold, machine.threshold_origin) == (0.4, ChoiceOrigin.FOUND)
    assert (machine.low, machine.direction) == (False, ChoiceOrigin.GIVEN)
    assert [machine.detected.figures[name].value for name in MEASURES] == [1.0] * 5


def test_the_run_says_which_way_a_score_goes(store: Store) -> None:
    """A score of which a low value is the better is turned; one that lies is not."""
    store.score("toy", "cost", low=True, a=9, b=8, c=2, d=1)
    store.score("liar", "sure", a=9, b=8, c=2, d=1)
    right, wrong = sorted(store.report().machines, key=lambda each: each.name)
    assert right.low
    assert right.detected.figures["auc"].value == 1.0
    assert not wrong.low
    assert wrong.detected.figures["auc"].value == 0.0


def test_the_way_of_a_column_is_found_or_said(store: Store) -> None:
    """Numbers may be text; what is none is missing and counted, and so are blanks."""
    (good, report) = store.report(columns=("good", "told")).machines
    assert (good.direction, good.detected.figures["auc"].value) == (ChoiceOrigin.FOUND, 1.0)
    assert (report.n, report.not_numbers) == (4, 0)
    (turned,) = store.report(columns=("good",), lower_is_better=frozenset({"good"})).machines
    assert (turned.direction, turned.detected.figures["auc"].value) == (ChoiceOrigin.GIVEN, 0.0)
    (high,) = store.report(columns=("good",), higher_is_better=frozenset({"good"})).machines
    assert (high.direction, high.low) == (ChoiceOrigin.GIVEN, False)
    (odd,) = store.report(columns=("odd",)).machines
    assert (odd.n, odd.missing, odd.not_numbers, odd.threshold) == (0, 4, 1, None)
    assert odd.detected.figures["auc"].value == UndefinedReason(NO_VALUES)


def test_thresholds_may_be_given(store: Store) -> None:
    """By name, or for all that have none of their own; of two values there is one alone."""
    store.score("toy", "sure", a=0.1, b=0.6, c=0.7, d=0.8)
    asked: dict[str, Any] = {"columns": ("good", "told"), "scores": ("sure",)}
    named = {"": 0.05, "sure": 0.65}
    found = {each.name: each for each in store.report(thresholds=named, **asked).machines}
    assert {name: each.threshold for name, each in found.items()} == {
        "sure": 0.65, "good": 0.05, "told": 0.05,
    }  # fmt: skip
    assert {each.threshold_origin for each in found.values()} == {ChoiceOrigin.GIVEN}
    assert found["sure"].detected.hits == 2
    store.score("toy", "sure", a=0, b=0, c=1, d=1)
    (binary,) = store.report().machines
    assert (binary.threshold, binary.threshold_origin) == (0.5, ChoiceOrigin.ONLY)


def test_the_newest_run_of_a_maker_speaks(store: Store) -> None:
    """Two makers may use one name: they are told apart; either may be asked for."""
    store.score("toy", "sure", a=9, b=8, c=2, d=1)
    store.score("toy", "sure", a=1, b=2, c=8)
    store.score("other", "sure", a=1, b=2, c=8, d=None)
    found = store.report().machines
    assert sorted(each.name for each in found) == ["sure (other)", "sure (toy)"]
    assert {(each.n, each.missing) for each in found} == {(3, 1)}
    (alone,) = store.report(scores=("other",)).machines
    assert alone.name == "sure"


@pytest.mark.parametrize(
    ("pool", "expected"),
    [(Pooling.WORST, (3, 1)), (Pooling.MAJORITY, (1, 1)), (Pooling.BEST, (1, 3))],
)
def test_words_of_several_are_pooled(
    store: Store, pool: Pooling, expected: tuple[int, int]
) -> None:
    """The worst of them, what most say with ties left out, or the best."""
    store.read("a", BAD, by=BEN)
    store.read("b", by=BEN)
    store.read("c", BAD, by=BEN)
    found = store.report(columns=("good",), aggregate=pool)
    assert _truth(found) == expected
    ties = (
        {"equally many annotators call the sample unsupported and supported": 2}
        if pool is Pooling.MAJORITY
        else {}
    )
    assert found.unjudged == ties


def test_whose_word_counts_can_be_said(store: Store) -> None:
    """Review's, or one person's by name; review and second readings are no people's by default."""
    store.read("a", by=REVIEW)
    store.read("c", BAD, by=second_reader(ANA))
    store.read("d", BAD, by=BEN)
    assert _truth(store.report(columns=("good",))) == (3, 1)
    assert _truth(store.report(columns=("good",), against="adjudicated")) == (0, 1)
    assert _truth(store.report(columns=("good",), against="Ben")) == (1, 0)
    assert store.report(columns=("good",), against="Ben").unjudged == {NoTruthReason.UNREAD: 3}


def test_what_calls_a_sample_unsupported_can_be_said(store: Store) -> None:
    """By default any label but Benign, and a mark without one; else labels with all below them."""
    for name, label in {"e": BENIGN, "f": (), "g": ("Questionable",)}.items():
        store.sample(name)
        store.read(name, label)
    assert _truth(store.report(columns=("good",))) == (4, 3)
    assert _truth(store.report(columns=("good",), unsupported_labels=("Unwanted",))) == (2, 5)
    assert _truth(store.report(columns=("good",), unsupported_labels=("Intrinsic", "Benign"))) == (
        3,
        4,
    )


def test_work_that_is_not_done_does_not_count(store: Store) -> None:
    """Nor what a machine marked; marks that came in without a state do."""
    for name in "efgh":
        store.sample(name)
    store.read("e", BAD, state=State.DRAFT)
    store.read("f", BAD, state=State.NEW)
    store.read("g", BAD, by=ROBOT, origin="machine:toy")
    found = store.report(columns=("good",))
    assert _truth(found) == (3, 2)
    assert found.unjudged == {NoTruthReason.UNREAD: 3}
    ((why, count),) = found.ignored_readings.items()
    assert (State.DRAFT.value in why, count) == (True, 1)
    clean = store.report(columns=("good",), unmarked_clean=True)
    assert _truth(clean) == (3, 4)
    assert clean.unjudged == {NoTruthReason.UNREAD: 1}


@pytest.mark.parametrize(
    ("asked", "error", "message"),
    [
        ({}, InvalidInput, "'d'"),
        ({"columns": ("goood",)}, NotFound, "'goood'"),
        ({"scores": ("sure",)}, InvalidInput, "'sure'"),
        ({"columns": ("good",), "against": "li"}, TuiAnnotateError, "'li'"),
        ({"columns": ("good",), "unsupported_labels": ("Odd",)}, TuiAnnotateError, "'Odd'"),
        ({"columns": ("good",), "thresholds": {"bad": 1.0}}, InvalidInput, "'bad'"),
        ({"columns": ("good",), "lower_is_better": frozenset({"x"})}, InvalidInput, "'x'"),
        (
            {
                "columns": ("good",),
                "lower_is_better": frozenset({"good"}),
                "higher_is_better": frozenset({"good"}),
            },
            InvalidInput,
            "is named in both",
        ),
    ],
)
def test_what_names_nothing_is_refused(
    store: Store, asked: dict[str, Any], error: type[TuiAnnotateError], message: str
) -> None:
    """With the value, and what there is."""
    with pytest.raises(error, match=message) as caught:
        store.report(**asked)
    assert caught.value.hint


def test_what_suggested_alone_is_not_offered(store: Store) -> None:
    """A run that proposed parts of summaries has no score: its maker is no machine to compare."""
    about = ScoreRun(id="s", kind=RunKind.SUGGEST, maker="judge:toy", dataset="d")
    store.scores.write(about, [])
    with pytest.raises(InvalidInput, check=has_code("no-scores")):
        store.report()
    store.score("unigram", "sure", a=0.1)
    with pytest.raises(InvalidInput, match="'judge:toy'") as caught:
        store.report(scores=("judge:toy",))
    assert "judge:toy" not in caught.value.hint


def test_a_generated_text_is_not_a_score(store: Store) -> None:
    """A reference answer that a judge wrote is not compared, and cannot be requested by name."""
    run = ScoreRun(id="g", kind=RunKind.JUDGE, maker="judge-generate:toy", dataset="d")
    text = Score(key=SampleKey("d", "a"), name="ground_truth", raw=1.0, text="It snowed.")
    store.scores.write(run, [text])
    store.score("unigram", "sure", a=0.1)
    assert [each.name for each in store.report().machines] == ["sure"]
    with pytest.raises(InvalidInput, match="'ground_truth'") as caught:
        store.report(scores=("ground_truth",))
    assert "ground_truth" not in caught.value.hint


def test_why_there_is_nothing_to_compare_is_told(store: Store) -> None:
    """A score without numbers of judged samples; or a dataset of which nobody said anything."""
    store.score("words", "label", a=None)
    with pytest.raises(InvalidInput, check=has_code("no-numbers")):
        store.report(scores=("label",))
    with pytest.raises(InvalidInput, check=has_code("no-judged-sample")):
        store.report(against="adjudicated")


def test_columns_with_numbers_are_told_where_there_is_no_score(store: Store) -> None:
    """So that one can be named."""
    with pytest.raises(InvalidInput) as caught:
        store.report()
    assert "good, told" in caught.value.hint


def test_who_may_not_report_on_others_is_refused(store: Store) -> None:
    """An annotator sees nobody else's labels, not even as figures."""
    with pytest.raises(NotAllowed):
        store.report(Actor("ana", Role.ANNOTATOR), columns=("good",))
    assert store.report(Actor("li", Role.REVIEWER), columns=("good",)).samples == 4


def test_samples_that_share_a_source_are_one_cluster(store: Store) -> None:
    """Two sources or groups are too few for an interval, however many samples they have."""
    for name in "efgh":
        store.sample(name, source="One." if name < "g" else "Two.", good=0.5)
        store.read(name, *([BAD] if name in "eg" else []), by=BEN)
    found = store.report(columns=("good",), against="Ben")
    (machine,) = found.machines
    assert (machine.n, machine.detected.clusters, found.clusters) == (4, 2, 2)
    assert machine.detected.figures["auc"].interval is None
    for name in "ijkl":
        store.sample(name, group="one" if name < "k" else "two", good=0.5)
        store.read(name, *([BAD] if name in "ik" else []), by=BEN)
    (machine,) = store.report(columns=("good",), against="Ben").machines
    assert (machine.n, machine.detected.clusters) == (8, 4)
    assert machine.detected.figures["auc"].interval is not None
    assert shapes.as_json(found)["few_clusters"] is True


def test_a_difference_is_paired(store: Store) -> None:
    """On the samples with both scores; a score less a copy of itself is zero without a width."""
    for name in "efgh":
        store.sample(name)
        store.read(name, *([BAD] if name in "eg" else []))
    values: dict[str, Any] = dict(zip("abcdefg", (3, 1, 4, 1, 5, 9, 2), strict=True))
    store.score("one", "p", **values)
    store.score("two", "q", **values, h=4)
    found = {each.name: each for each in store.report(baseline="p").machines}
    assert found["p"].difference is None
    difference = found["q"].difference
    assert difference is not None
    assert (difference.n, difference.baseline) == (7, "p")
    figure = difference.figures["auc"]
    assert (figure.value, figure.interval) == (0.0, (0.0, 0.0))
    with pytest.raises(InvalidInput, match="'r'"):
        store.report(baseline="r")


def test_a_difference_on_no_sample_has_no_table(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line states it, for scores and for suggestions."""
    store.score("one", "p", a=1.0)
    store.score("two", "q", b=1.0)
    output.print_parts(shapes.describe_comparison(store.report(baseline="p"), charted="auc"))
    out = capsys.readouterr().out
    assert "q: no sample has both" in out
    assert "kappa" not in out.partition("difference to")[2]
    for maker, name in {"m": "a", "n": "b"}.items():
        run = ScoreRun(id=f"of-{maker}", kind=RunKind.SUGGEST, maker=maker, dataset="d")
        made = Suggestion(id="", maker=maker, run="", claim=(Anchor(Side.SUMMARY, 0, Span(0, 2)),))
        store.suggestions.add(run, [(SampleKey("d", name), made)])
    found = store.report(suggestions=("m", "n"), baseline="m")
    output.print_parts(shapes.describe_comparison(found, charted="auc"))
    out = capsys.readouterr().out
    assert "difference to m, on 0 samples" in out
    assert "precision" not in out.partition("difference to m")[2]


def test_probabilities_are_calibrated(store: Store) -> None:
    """Of what high values mean; a value that is no probability is refused."""
    store.score("toy", "fine", a=0.2, b=0.2, c=0.9, d=0.9)
    store.score("toy2", "wrong", low=True, a=0.9, b=0.2, c=0.9, d=0.1)
    names = frozenset({"fine", "wrong"})
    found = {each.name: each for each in store.report(probabilities=names).machines}
    fine, wrong = (found[name].calibration for name in ("fine", "wrong"))
    assert fine is not None
    assert fine.error == pytest.approx(0.15)  # two samples of .2 without, two of .9 with it
    assert wrong is not None
    assert [each.observed for each in wrong.bins if each.n] == [0.0, 1.0, 0.5]
    shape: Any = shapes.as_json(store.report(probabilities=names))["machines"]
    assert {each["calibration"]["of"] for each in shape} == {"supported", "unsupported"}
    store.score("toy", "fine", a=0.2, b=1.5, c=0.9, d=0.9)
    with pytest.raises(InvalidInput, match=r"1\.5"):
        store.report(probabilities=frozenset({"fine"}))


def _accepted(store: Store, name: str, *, maker: str = "judge:toy", by: Person = ANA) -> None:
    """A person's work on a sample that began with an accepted suggestion."""
    origin = Provenance(suggestion=f"s-{name}", maker=maker)
    store.read(name, BAD, by=by, suggested=origin)


def test_work_from_suggestions_is_reported_apart(store: Store) -> None:
    """A judge that is measured by people who accepted its suggestions is measured by itself."""
    values: dict[str, Any] = dict(zip("abcdefgh", (1, 4, 3, 5, 0, 0, 9, 8), strict=True))
    for name in "efgh":
        store.sample(name)
    for name in "ef":
        _accepted(store, name)
    for name in "gh":
        store.read(name)
    store.score("judge:toy", "support", **values)
    store.score("other", "odd", **values)
    found = store.report()
    machines = {each.maker: each for each in found.machines}
    split = machines["judge:toy"].split
    assert split is not None
    parts = [split.suggested, split.independent]
    assert [each.hits + each.misses + each.alarms + each.passes for each in parts] == [2, 6]
    assert machines["other"].split is None
    assert found.suggested["judge:toy"].readings == 2
    assert found.suggested["judge:toy"].answers == {"accepted": 2}
    shape = shapes.as_json(found)
    assert shape["suggested_work"] == [
        {
            "maker": "judge:toy",
            "readings": 2,
            "accepted": 2,
            "changed": 0,
            "refused": 0,
            "undone": 0,
        }
    ]
    assert [each["independent"] and each["independent"]["n"] for each in shape["machines"]] == [
        6,
        None,
    ]
    without = store.report(without_suggested_work=True, unmarked_clean=True)
    assert {each.n for each in without.machines} == {6}
    assert without.unjudged == {NoTruthReason.SUGGESTED: 2}
    assert without.machines[0].split is None


def test_other_readers_judge_a_sample_without_suggested_work(store: Store) -> None:
    """Only the reading that answered a suggestion is excluded; also in adjudicated results."""
    store.read("a", by=BEN)
    _accepted(store, "c", by=BEN)
    store.read("c", BAD, by=REVIEW)
    columns = ("good",)
    assert _truth(store.report(columns=columns)) == (3, 1)
    assert _truth(store.report(columns=columns, without_suggested_work=True)) == (2, 2)
    asked: dict[str, Any] = {"columns": columns, "against": "adjudicated"}
    assert _truth(store.report(**asked)) == (1, 0)
    assert shapes.as_json(store.report(**asked))["against"] == "adjudicated"
    assert _truth(store.report(**asked, without_suggested_work=True)) == (0, 0)


@pytest.mark.parametrize(
    ("maker", "machine", "name", "own"),
    [
        ("judge:toy", "judge:toy", "faithfulness", True),
        ("unigram:source_overlap", "unigram", "source_overlap", True),
        ("unigram:source_overlap", "unigram", "other", False),
        ("judge:toy2", "judge:toy", "faithfulness", False),
        ("import:hhem", "", "hhem", True),
        ("judge:gpt-4o", "", "gpt-4o (column)", True),
        ("judge:gpt-4", "", "gpt-4o", False),
    ],
)
def test_whose_suggestions_are_a_machines_own(
    maker: str, machine: str, name: str, own: bool
) -> None:
    """Those of its maker, or of its score; of a column only the name is known."""
    assert MachineValues(name, machine, "", {}).is_maker(maker) is own


def test_shapes_hold_all_figures(store: Store) -> None:
    """JSON and rows tell the same; what has no value is null, empty, and says why."""
    found = store.report(columns=("good", "odd"))
    report = shapes.as_json(found)
    assert (report["judged"], report["unsupported"], report["bootstrap"]["seed"]) == (4, 2, 7)
    good, odd = report["machines"]
    assert (good["better"], good["direction"], good["threshold_from"]) == ("high", "found", "found")
    assert [each["measure"] for each in good["measures"]] == list(MEASURES)
    assert odd["measures"][0]["value"] is None
    rows = list(shapes.csv_rows(found))
    assert len(rows) == 2 * len(MEASURES) + 1
    assert {len(row) for row in rows} == {len(shapes.COLUMNS)}
    assert rows[0][:4] == ("good", "", "balanced_accuracy", 1.0)
    assert rows[-2][3] == ""
    assert rows[-2][-1] == odd["measures"][0]["undefined"] == NO_VALUES
    # Resamples of four samples often have one class only.
    assert [each["low"] for each in good["measures"]] == [None] * len(MEASURES)
    assert rows[0][-1] == f"no interval: {explain_no_interval(4)}"
    assert rows[-1][2:4] == ("left out: values", odd["not_numbers"])


def test_scores_without_a_value_are_named(store: Store) -> None:
    """They are not compared, and are not left out without a word."""
    names = [sample.key.id for sample in store.corpus.samples("d")]
    full: dict[str, Any] = dict.fromkeys(names, 0.5)
    blank: dict[str, Any] = dict.fromkeys(names)
    store.score("full", "p", **full)
    store.score("blank", "q", **blank)
    found = store.report(scores=("p", "q"))
    assert ([each.name for each in found.machines], found.without_values) == (["p"], ("q",))
    assert shapes.as_json(found)["without_values"] == ["q"]
    with pytest.raises(InvalidInput, check=has_code("no-numbers")):
        store.report(scores=("q",))
