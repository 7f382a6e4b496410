"""Converts agreement statistics to JSON values and to rows of a table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, Final

from tui_annotate.domain.people import base_person
from tui_annotate.domain.suggested_work import suggested_as_json
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
from tui_annotate.services.agreement.label_order import format_labels

COLUMNS: Final = ("level", "measure", "value", "low", "high", "n", "note")

_DIGITS: Final = 4
_ONESELF_PREFIX: Final = "oneself: "


def as_json(found: Agreement, *, disagreements: bool = False) -> dict[str, Any]:
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
            each | {"people": _suggested_people(found, each["maker"])}
            for each in suggested_as_json(found.suggested)
        ],
        "bootstrap": PARAMETERS,
        "together": _comparison_to_json(found, found.together, disagreements=disagreements),
        "oneself": _comparison_to_json(found, found.oneself, disagreements=disagreements),
        "left_out": [
            {"what": what, "reason": reason, "count": count}
            for what, reason, count in list_left_out(found)
        ],
    }


def _suggested_people(found: Agreement, maker: str) -> list[dict[str, Any]]:
    people = found.suggested[maker].people
    named = sorted((found.names[person], count) for person, count in people.items())
    return [{"name": name, "readings": count} for name, count in named]


def work_as_json(work: ReviewedWork) -> dict[str, Any]:
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
) -> dict[str, Any]:
    differing = [_disagreement_to_json(found, each) for each in compared.disagreements]
    return {
        "samples": compared.samples,
        "clusters": compared.clusters,
        "few_clusters": are_few(compared.clusters),
        "people": [found.names[each] for each in compared.people if base_person(each) == each],
        "stacked": compared.stacked,
        "measures": [_figure_to_json(each) for each in compared.figures],
        "pairs": [_pair_to_json(found, each) for each in compared.pairs],
        **({"disagreements": differing} if disagreements else {}),
    }


def _disagreement_to_json(found: Agreement, each: Disagreement) -> dict[str, Any]:
    return {
        "people": pair_names(found, each),
        "level": each.level,
        "labels": format_labels(each.labels),
        "count": each.count,
        "of": each.of,
        "samples": [{"dataset": key.dataset, "sample": key.id} for key in each.samples],
    }


def _figure_to_json(figure: AgreementFigure) -> dict[str, Any]:
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
    }


def _pair_to_json(found: Agreement, pair: PairFigures) -> dict[str, Any]:
    return {
        "people": pair_names(found, pair),
        "samples": pair.samples,
        "percent": round_value(pair.percent),
        "kappa": round_value(pair.kappa),
        "marked": pair.marked,
        **{f"f1_{name}": round_value(value) for name, value in pair.spans.items()},
        "matched": pair.matched,
        "matched_percent": round_value(pair.matched_percent),
        "matched_kappa": round_value(pair.matched_kappa),
        "rated": pair.rated,
        "rating_percent": round_value(pair.rating_percent),
        "rating_kappa_linear": round_value(pair.rating_linear),
        "rating_kappa_quadratic": round_value(pair.rating_quadratic),
    }
