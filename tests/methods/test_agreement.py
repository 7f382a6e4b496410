"""Agreement on labels: what was published, what others compute, and what always holds."""

from __future__ import annotations

from importlib import import_module
from itertools import combinations
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tui_annotate.methods import agreement
from tui_annotate.methods.agreement import NOTHING, UNANIMOUS, Measured, Numbers, UndefinedReason

LABELS = 4
UNITS = st.lists(st.lists(st.integers(0, LABELS - 1), min_size=2, max_size=5), min_size=1)
EVEN = st.integers(2, 5).flatmap(
    lambda people: st.lists(
        st.lists(st.integers(0, LABELS - 1), min_size=people, max_size=people),
        min_size=1,
        max_size=30,
    )
)
PAIRS = st.lists(st.lists(st.integers(0, LABELS - 1), min_size=2, max_size=2), min_size=1)

# Four observers and twelve units. Krippendorff 2011, section C.
OBSERVERS = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
# Thirty patients, six psychiatrists, five diagnoses: how many gave each. Fleiss 1971, table 1.
DIAGNOSES = """
00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031
00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006
"""


def units_of(observers: list[list[int | None]]) -> list[list[int]]:
    """Columns of observers' lines without what is missing, labels from 0."""
    columns = zip(*observers, strict=True)
    return [[label - 1 for label in column if label is not None] for column in columns]


def told(value: Numbers, units: list[list[int]]) -> Measured:
    """A measure as it leaves the room."""
    return agreement.measure_value(value, units=sum(len(unit) > 1 for unit in units))


def percent(units: list[list[int]]) -> Measured:
    """Of all units."""
    given = agreement.count_labels(units, LABELS)
    return told(
        agreement.percent_agreement(agreement.count_agreeing_pairs(given).sum(axis=0)), units
    )


def cohen(units: list[list[int]], labels: int = LABELS) -> Measured:
    """Of units that two people judged."""
    table = np.zeros((labels, labels))
    for one, other in units:
        table[one, other] += 1
    return told(agreement.cohen_kappa(table), units)


def fleiss(units: list[list[int]]) -> Measured:
    """Of units that as many people judged each."""
    given = agreement.count_labels(units, LABELS)
    return told(agreement.fleiss_kappa(agreement.fleiss_sums(given).sum(axis=0)), units)


def alpha(units: list[list[int]], labels: int = LABELS, *, ordinal: bool = False) -> Measured:
    """Of all units."""
    met = agreement.count_coincidences(agreement.count_labels(units, labels)).sum(axis=0)
    return told(agreement.krippendorff_alpha(met, ordinal=ordinal), units)


# what was published ----------------------------------------------------------------------------


def test_alpha_of_two_observers_and_two_values() -> None:
    """Krippendorff 2011, section A: ten articles, .095."""
    meg, owen = "0100000010", "1110010000"
    units = [[int(one), int(other)] for one, other in zip(meg, owen, strict=True)]
    assert alpha(units) == pytest.approx(0.095, abs=0.0005)


def test_alpha_of_two_observers_and_five_values() -> None:
    """Krippendorff 2011, section B: twelve articles, .692."""
    ben, gerry = "aabbdcccedda", "babbbccceddd"
    units = [[ord(one) - 97, ord(other) - 97] for one, other in zip(ben, gerry, strict=True)]
    assert alpha(units, 5) == pytest.approx(0.692, abs=0.0005)


def test_alpha_of_four_observers_with_missing_values() -> None:
    """Krippendorff 2011, sections C and D: nominal .743, ordinal .815."""
    units = units_of(OBSERVERS)
    assert alpha(units, 5) == pytest.approx(0.743, abs=0.0005)
    assert alpha(units, 5, ordinal=True) == pytest.approx(0.815, abs=0.0005)


def test_the_coincidences_of_that_example() -> None:
    """Krippendorff 2011, section C: the matrix, whose sum is the 40 values that can be paired."""
    met = agreement.count_coincidences(agreement.count_labels(units_of(OBSERVERS), 5)).sum(axis=0)
    expected: list[list[float]] = [
        [7, 4 / 3, 1 / 3, 1 / 3, 0],
        [4 / 3, 10, 4 / 3, 1 / 3, 0],
        [1 / 3, 4 / 3, 8, 1 / 3, 0],
        [1 / 3, 1 / 3, 1 / 3, 4, 0],
        [0, 0, 0, 0, 3],
    ]
    assert np.allclose(met, expected)


def test_fleiss_diagnoses() -> None:
    """Fleiss 1971: observed .556, expected .220, kappa .430."""
    given = np.array([list(map(int, row)) for row in DIAGNOSES.split()], float)
    sums = agreement.fleiss_sums(given).sum(axis=0)
    assert sums[1] / sums[0] == pytest.approx(0.556, abs=0.0005)
    assert float(agreement.fleiss_kappa(sums)) == pytest.approx(0.430, abs=0.0005)


def test_cohens_own_example() -> None:
    """Cohen 1960: 200 patients, observed .70, expected .41, kappa .492."""
    table = np.array([[88, 10, 2], [14, 40, 6], [18, 10, 12]], float)
    assert float(agreement.cohen_kappa(table)) == pytest.approx(0.492, abs=0.0005)


def test_cohens_own_example_with_weights() -> None:
    """Cohen 1968: the same 200 patients, some confusions three or six times as grave, .348."""
    table = np.array([[88, 10, 2], [14, 40, 6], [18, 10, 12]], float)
    apart = np.array([[0, 1, 3], [1, 0, 6], [3, 6, 0]], float)
    assert float(agreement.weighted_cohen_kappa(table, apart)) == pytest.approx(0.348, abs=0.0005)


# what others compute ---------------------------------------------------------------------------


@given(UNITS)
def test_alpha_is_that_of_two_other_programs(units: list[list[int]]) -> None:
    """The programs krippendorff and nltk agree with us, wherever it is defined."""
    ours = alpha(units)
    assume(not isinstance(ours, UndefinedReason))
    counted = agreement.count_labels(units, LABELS)
    other = import_module("krippendorff").alpha
    for level, mine in (("nominal", ours), ("ordinal", alpha(units, ordinal=True))):
        theirs = other(value_counts=counted.astype(int), level_of_measurement=level)
        assert mine == pytest.approx(theirs, abs=1e-9)
    assert ours == pytest.approx(_task(units).alpha(), abs=1e-9)


def _task(units: list[list[int]]) -> Any:
    judged = [(n, who, label) for n, unit in enumerate(units) for who, label in enumerate(unit)]
    rows = [(str(who), str(n), str(label)) for n, who, label in judged]
    return import_module("nltk.metrics.agreement").AnnotationTask(data=rows)


@given(PAIRS)
def test_kappa_of_two_is_that_of_three_other_programs(units: list[list[int]]) -> None:
    """scikit-learn, statsmodels and nltk agree with us, wherever it is defined."""
    ours = cohen(units)
    assume(not isinstance(ours, UndefinedReason))
    one, other = zip(*units, strict=True)
    theirs = import_module("sklearn.metrics").cohen_kappa_score(one, other)
    assert ours == pytest.approx(theirs, abs=1e-9)
    assert ours == pytest.approx(_task(units).kappa(), abs=1e-9)
    table = np.zeros((LABELS, LABELS))
    np.add.at(table, (one, other), 1)
    used = table.sum(axis=0) + table.sum(axis=1) > 0
    raters = import_module("statsmodels.stats.inter_rater")
    kappa = raters.cohens_kappa(table[used][:, used], return_results=False)
    assert ours == pytest.approx(float(kappa), abs=1e-9)


@pytest.mark.parametrize(("weights", "power"), [("linear", 1), ("quadratic", 2)])
@given(units=PAIRS)
def test_weighted_kappa_is_that_of_two_other_programs(
    weights: str, power: int, units: list[list[int]]
) -> None:
    """scikit-learn and statsmodels agree with us; they see all labels, as those between count."""
    one, other = zip(*units, strict=True)
    table = np.zeros((LABELS, LABELS))
    np.add.at(table, (one, other), 1)
    ours = told(agreement.ordinal_cohen_kappa(table, power=power), units)
    assume(not isinstance(ours, UndefinedReason))
    score = import_module("sklearn.metrics").cohen_kappa_score
    assert ours == pytest.approx(score(one, other, labels=range(LABELS), weights=weights), abs=1e-9)
    raters = import_module("statsmodels.stats.inter_rater")
    kappa = raters.cohens_kappa(table, wt=weights, return_results=False)
    assert ours == pytest.approx(float(kappa), abs=1e-9)


@given(PAIRS, st.integers(1, 3))
def test_weights_of_any_size_give_the_same(units: list[list[int]], times: int) -> None:
    """What counts is how grave confusions are beside one another; all alike is plain kappa."""
    table = np.zeros((LABELS, LABELS))
    np.add.at(table, tuple(zip(*units, strict=True)), 1)
    alike = agreement.weighted_cohen_kappa(table, times * (1 - np.eye(LABELS)))
    assert _same(told(alike, units), cohen(units))


@given(EVEN)
def test_fleiss_is_that_of_another_program(units: list[list[int]]) -> None:
    """The program statsmodels agrees with us, wherever it is defined."""
    ours = fleiss(units)
    assume(not isinstance(ours, UndefinedReason))
    raters = import_module("statsmodels.stats.inter_rater")
    theirs = raters.fleiss_kappa(agreement.count_labels(units, LABELS), method="fleiss")
    assert ours == pytest.approx(float(theirs), abs=1e-9)


@given(EVEN)
def test_percent_is_the_mean_over_pairs(units: list[list[int]]) -> None:
    """Of the pairs of people at each unit, the share with the same label; nltk says the same."""
    pairs = [pair for unit in units for pair in combinations(unit, 2)]
    assert percent(units) == pytest.approx(np.mean([one == other for one, other in pairs]))
    assert percent(units) == pytest.approx(_task(units).avg_Ao(), abs=1e-9)


# what always holds -----------------------------------------------------------------------------


@given(UNITS, st.randoms())
def test_neither_people_nor_units_have_an_order(units: list[list[int]], chance: Random) -> None:
    """Whoever stands first, in whatever order units come: the same."""
    other = [chance.sample(unit, len(unit)) for unit in units]
    chance.shuffle(other)
    for measure in (percent, alpha, lambda each: alpha(each, ordinal=True)):
        assert _same(measure(units), measure(other))


@given(PAIRS)
def test_kappa_does_not_ask_who_is_who(units: list[list[int]]) -> None:
    """The two people may change places."""
    assert _same(cohen(units), cohen([unit[::-1] for unit in units]))


@given(UNITS, st.permutations(range(LABELS)))
def test_nominal_labels_have_no_order(units: list[list[int]], other: list[int]) -> None:
    """Labels under other names give the same; ordinal ones do where the order is turned round."""
    named = [[other[label] for label in unit] for unit in units]
    turned = [[LABELS - 1 - label for label in unit] for unit in units]
    assert _same(percent(units), percent(named))
    assert _same(alpha(units), alpha(named))
    assert _same(alpha(units, ordinal=True), alpha(turned, ordinal=True))


@given(UNITS)
def test_a_label_that_nobody_gave_changes_nothing(units: list[list[int]]) -> None:
    """Also amid the others: ordinal distance is by how often labels were given."""
    apart = [[label + (label > 1) for label in unit] for unit in units]
    for ordinal in (False, True):
        ours = alpha(units, LABELS + 1, ordinal=ordinal)
        assert _same(ours, alpha(apart, LABELS + 1, ordinal=ordinal))


@given(UNITS)
def test_who_judged_alone_counts_for_nothing(units: list[list[int]]) -> None:
    """A unit of one person changes neither percent nor alpha."""
    more = [*units, [0], [LABELS - 1]]
    assert _same(percent(units), percent(more))
    assert _same(alpha(units), alpha(more))


@given(EVEN)
def test_nothing_is_above_one(units: list[list[int]]) -> None:
    """And where all are of one mind over several labels, every measure is 1."""
    for measure in (percent, fleiss, alpha):
        value = measure(units)
        assert isinstance(value, UndefinedReason) or value <= 1 + 1e-9
    agreed = [[unit[0]] * len(unit) for unit in [*units, [0, 0], [1, 1]]]
    for measure in (percent, alpha):
        assert measure(agreed) == pytest.approx(1)
    people = len(units[0])
    assert fleiss([*agreed[:-2], [0] * people, [1] * people]) == pytest.approx(1)


@pytest.mark.parametrize("people", [2, 3])
def test_one_label_alone_is_no_agreement_beyond_chance(people: int) -> None:
    """Measures that take chance away are not defined then, and say so; percent is 1."""
    units = [[2] * people] * 5
    assert percent(units) == 1
    values = [fleiss(units), alpha(units), alpha(units, ordinal=True)]
    values += [cohen(units)] if people == 2 else []
    assert set(values) == {UndefinedReason(UNANIMOUS)}


def test_nothing_compared_is_no_agreement() -> None:
    """Without a unit of two people nothing is defined, and it says so."""
    for units in ([], [[1]], [[1], [2]]):
        assert {percent(units), alpha(units)} == {UndefinedReason(NOTHING)}


@given(UNITS)
def test_draws_are_measured_as_the_data_are(units: list[list[int]]) -> None:
    """A measure of stacked sums is the measure of each."""
    met = agreement.count_coincidences(agreement.count_labels(units, LABELS))
    stacked = np.stack([met.sum(axis=0), met[:1].sum(axis=0)])
    for ordinal in (False, True):
        values = agreement.krippendorff_alpha(stacked, ordinal=ordinal)
        each = [agreement.krippendorff_alpha(sums, ordinal=ordinal) for sums in stacked]
        assert np.array_equal(values, each, equal_nan=True)


def test_an_interval_needs_draws_that_are_defined() -> None:
    """Where a measure has no value in a twentieth of the draws, there is none."""
    values = np.linspace(0, 1, 100)
    low, high = agreement.draw_interval(values) or (0, 0)
    assert (low, high) == pytest.approx((0.025, 0.975))
    values[:5] = np.nan
    assert agreement.draw_interval(values) is None
    assert agreement.draw_interval(None) is None


def _same(one: Measured, other: Measured) -> bool:
    if isinstance(one, UndefinedReason) or isinstance(other, UndefinedReason):
        return one == other
    return one == pytest.approx(other, abs=1e-9)
