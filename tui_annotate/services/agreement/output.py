"""Converts agreement statistics to JSON values and to rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final, NotRequired, TypedDict, cast

from tui_annotate.domain.agreement_options import AgreementOptions
from tui_annotate.domain.people import base_person
from tui_annotate.domain.repeated_readings import RepeatedReadingCounts
from tui_annotate.domain.suggested_work import PrintedSuggestedReadings, suggested_as_json
from tui_annotate.methods.agreement import Measured, UndefinedReason
from tui_annotate.methods.bootstrap import PARAMETERS, are_few
from tui_annotate.services.agreement import (
    Agreement,
    AgreementComparison,
    AgreementFigure,
    Disagreement,
    PairFigures,
    ReviewedWork,
)
from tui_annotate.services.agreement.figures import find_quoted_figure
from tui_annotate.services.agreement.label_order import format_labels


class SampleName(TypedDict):
    """A sample by dataset and id."""

    dataset: str
    sample: str


class VersionReadings(TypedDict):
    """Number of compared readings that were made under a version alone."""

    version: str
    readings: int


class SeveralVersions(TypedDict):
    """Numbers of compared readings that were made under several versions."""

    label_sets: int
    guidelines: int


class PrintedReviewedWork(TypedDict):
    """Which work was compared, and how much of it annotators edited later.

    Attributes:
        used: `before_review` or `after_review`.
        adjudicated_samples: number of compared samples that were adjudicated.
        edited_samples: number of these in which an annotator edited the work afterwards.
        edited_readings: number of readings (one annotator's work on one sample) that were edited
            so.
    """

    used: str
    adjudicated_samples: int
    edited_samples: int
    edited_readings: int


class PersonReadings(TypedDict):
    """Number of readings of a person."""

    name: str
    readings: int


class SuggestedReadingsOfPeople(PrintedSuggestedReadings):
    """Readings with answers to suggestions of a maker, also by person."""

    people: list[PersonReadings]


class BootstrapParameters(TypedDict):
    """Level, number of resamples and random seed of all intervals."""

    level: float
    draws: int
    seed: int


class PrintedExclusion(TypedDict):
    """Number of samples, readings or annotations that are excluded, with the reason."""

    what: str
    reason: str
    count: int


class PrintedMeasure(TypedDict):
    """A measure of agreement with its interval.

    Attributes:
        value: null if it is undefined; `undefined` then gives the reason.
        low, high: ends of the interval; null without one.
        n: number of compared units.
        level: `sample`; `segment`, a sentence of the text; `span`; `cited`; `label`; `evidence`; or
            a name that begins with `rating`.
        of: what the compared units are.
        quoted: whether this is the value to quote if only one is quoted: `alpha_nominal` of
            sentences, else `alpha_ordinal` of ratings; true for at most one measure.
    """

    level: str
    measure: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    of: str
    note: str
    undefined: str
    quoted: bool


class PrintedPair(TypedDict):
    """Agreement of two people, or of a person's first and second readings; null if undefined.

    Attributes:
        samples: samples that both people read.
        marked: samples in which at least one of them marked something.
        matched: matched spans.
        rated: samples that both rated.
    """

    people: list[str]
    samples: int
    percent: float | None
    kappa: float | None
    marked: int
    f1_exact: float | None
    f1_trimmed: float | None
    f1_character: float | None
    f1_overlap: float | None
    matched: int
    matched_percent: float | None
    matched_kappa: float | None
    rated: int
    rating_percent: float | None
    rating_kappa_linear: float | None
    rating_kappa_quadratic: float | None


class PrintedDisagreement(TypedDict):
    """Spans or ratings on which two people disagree in the same way.

    Attributes:
        level: `span` or `rating`.
        labels: the label or rating of each of the two; `nothing` for no span.
        count: number of these spans or samples.
        of: all spans of the two people, or the samples that both rated.
    """

    people: list[str]
    level: str
    labels: Sequence[str]
    count: int
    of: int
    samples: list[SampleName]


class PrintedComparison(TypedDict):
    """Agreement of people, or of second readings with first ones.

    Attributes:
        clusters: number of clusters of samples that intervals resample.
        few_clusters: whether they are so few that intervals are too narrow.
        stacked: number of spans that overlap another span of the same person and label.
        disagreements: only with `--disagreements`.
    """

    samples: int
    clusters: int
    few_clusters: bool
    people: list[str]
    stacked: int
    measures: list[PrintedMeasure]
    pairs: list[PrintedPair]
    disagreements: NotRequired[list[PrintedDisagreement]]


class PrintedAgreement(TypedDict):
    """Agreement of annotators.

    Attributes:
        labels: paths of all labels used, the most severe first.
        not_in_label_set: used labels that no label set contains.
        ratings: values with which people rated samples, scale by scale.
        scales: these ratings by scale; an empty name for the workspace's own scale.
        suggested_work: selected readings with answers to suggestions, also if they are excluded.
        together: people compared with each other.
        oneself: second readings compared with first readings.
    """

    filters: Annotated[dict[str, Any], AgreementOptions]
    labels: Sequence[str]
    not_in_label_set: Sequence[str]
    ratings: list[str]
    scales: Mapping[str, Sequence[str]]
    label_sets: list[VersionReadings]
    guidelines: list[VersionReadings]
    several_versions: SeveralVersions
    work: PrintedReviewedWork
    second_readings: Annotated[dict[str, Any], RepeatedReadingCounts]
    suggested_work: list[SuggestedReadingsOfPeople]
    bootstrap: BootstrapParameters
    together: PrintedComparison
    oneself: PrintedComparison
    left_out: list[PrintedExclusion]


COLUMNS: Final = ("level", "measure", "value", "low", "high", "n", "note")

_DIGITS: Final = 4
_ONESELF_PREFIX: Final = "oneself: "


def as_json(found: Agreement, *, disagreements: bool = False) -> PrintedAgreement:
    """Return agreement statistics as JSON; a missing value is null, with the reason."""
    return {
        "filters": asdict(found.asked),
        "labels": found.labels,
        "not_in_label_set": found.strangers,
        "ratings": [word for words in found.scales.values() for word in words],
        "scales": found.scales,
        "label_sets": [
            {"version": version, "readings": count} for version, count in found.label_sets.items()
        ],
        "guidelines": [
            {"version": version, "readings": count} for version, count in found.guidelines.items()
        ],
        "several_versions": {
            "label_sets": found.mixed_label_sets,
            "guidelines": found.mixed_guidelines,
        },
        "work": work_as_json(found.work),
        "second_readings": asdict(found.repeated),
        "suggested_work": [
            {**each, "people": _suggested_people(found, each["maker"])}
            for each in suggested_as_json(found.suggested)
        ],
        "bootstrap": cast("BootstrapParameters", PARAMETERS),
        "together": _comparison_to_json(found, found.together, disagreements=disagreements),
        "oneself": _comparison_to_json(found, found.oneself, disagreements=disagreements),
        "left_out": [
            {"what": what, "reason": reason, "count": count}
            for what, reason, count in list_left_out(found)
        ],
    }


def _suggested_people(found: Agreement, maker: str) -> list[PersonReadings]:
    people = found.suggested[maker].people
    named = sorted((found.names[person], count) for person, count in people.items())
    return [{"name": name, "readings": count} for name, count in named]


def work_as_json(work: ReviewedWork) -> PrintedReviewedWork:
    """Return which work was compared, and how much of it was edited later, as JSON."""
    return {
        "used": "after_review" if work.after_review else "before_review",
        "adjudicated_samples": work.adjudicated,
        "edited_samples": work.edited_samples,
        "edited_readings": work.edited_readings,
    }


def output_rows(found: Agreement) -> Iterator[tuple[str | float, ...]]:
    """Yield rows of `COLUMNS`: all statistics, then the readings with answered suggestions."""
    for before, compared in (("", found.together), (_ONESELF_PREFIX, found.oneself)):
        if not compared.samples:
            continue
        for figure in compared.figures:
            value = round_value(figure.value)
            notes = [figure.of, figure.note, missing_value_reason(figure.value)]
            yield (
                before + figure.level,
                figure.measure,
                "" if value is None else value,
                *(map(_round, figure.interval) if figure.interval else ("", "")),
                figure.n,
                "; ".join(filter(None, notes)),
            )
    for maker, work in found.suggested.items():
        answers = ", ".join(f"{count} {kind}" for kind, count in sorted(work.answers.items()))
        excluded = "; excluded" if found.asked.without_suggested_work else ""
        note = f"{maker}: {answers}{excluded}"
        yield ("reading", "suggestions_answered", "", "", "", work.readings, note)


def list_left_out(found: Agreement) -> Iterator[tuple[str, str, int]]:
    """Yield what agreement statistics exclude, as (kind of item, reason, count)."""
    left = found.left
    kinds = {"samples": left.samples, "readings": left.work, "annotations": left.annotations}
    for what, counts in kinds.items():
        for reason, count in sorted(counts.items()):
            yield what, reason, count


def round_value(value: Measured) -> float | None:
    """Return a value with four decimals; None if it is undefined."""
    return None if isinstance(value, UndefinedReason) else _round(value)


def missing_value_reason(value: Measured) -> str:
    """Return why a value is undefined; empty for a number."""
    return value.reason if isinstance(value, UndefinedReason) else ""


def pair_names(found: Agreement, pair: PairFigures | Disagreement) -> list[str]:
    """Return the names of the two annotators whose work is compared; one name if both have it."""
    names = [found.names[person] for person in pair.people if base_person(person) == person]
    return names or [found.names[base_person(pair.people[0])]]


def _round(value: float) -> float:
    return round(value, _DIGITS)


def _comparison_to_json(
    found: Agreement, compared: AgreementComparison, *, disagreements: bool
) -> PrintedComparison:
    quoted = find_quoted_figure(compared.figures)
    differing = [_disagreement_to_json(found, each) for each in compared.disagreements]
    value: PrintedComparison = {
        "samples": compared.samples,
        "clusters": compared.clusters,
        "few_clusters": are_few(compared.clusters),
        "people": [found.names[each] for each in compared.people if base_person(each) == each],
        "stacked": compared.stacked,
        "measures": [_figure_to_json(each, quoted=each is quoted) for each in compared.figures],
        "pairs": [_pair_to_json(found, each) for each in compared.pairs],
    }
    if disagreements:
        value["disagreements"] = differing
    return value


def _disagreement_to_json(found: Agreement, each: Disagreement) -> PrintedDisagreement:
    return {
        "people": pair_names(found, each),
        "level": each.level,
        "labels": format_labels(each.labels),
        "count": each.count,
        "of": each.of,
        "samples": [{"dataset": key.dataset, "sample": key.id} for key in each.samples],
    }


def _figure_to_json(figure: AgreementFigure, *, quoted: bool) -> PrintedMeasure:
    low, high = map(_round, figure.interval) if figure.interval else (None, None)
    return {
        "level": figure.level,
        "measure": figure.measure,
        "value": round_value(figure.value),
        "low": low,
        "high": high,
        "n": figure.n,
        "of": figure.of,
        "note": figure.note,
        "undefined": missing_value_reason(figure.value),
        "quoted": quoted,
    }


def _pair_to_json(found: Agreement, pair: PairFigures) -> PrintedPair:
    return {
        "people": pair_names(found, pair),
        "samples": pair.samples,
        "percent": round_value(pair.percent),
        "kappa": round_value(pair.kappa),
        "marked": pair.marked,
        "f1_exact": round_value(pair.spans["exact"]),
        "f1_trimmed": round_value(pair.spans["trimmed"]),
        "f1_character": round_value(pair.spans["character"]),
        "f1_overlap": round_value(pair.spans["overlap"]),
        "matched": pair.matched,
        "matched_percent": round_value(pair.matched_percent),
        "matched_kappa": round_value(pair.matched_kappa),
        "rated": pair.rated,
        "rating_percent": round_value(pair.rating_percent),
        "rating_kappa_linear": round_value(pair.rating_linear),
        "rating_kappa_quadratic": round_value(pair.rating_quadratic),
    }
