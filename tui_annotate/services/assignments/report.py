"""Reports on assignments: assigned samples, the progress of each annotator, and current rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tui_annotate.domain.assignment_plan import AllocationItem
from tui_annotate.domain.assignment_rules import (
    AssignmentCause,
    DisagreementRule,
    Escalation,
    Gold,
    Pool,
    Practice,
)
from tui_annotate.domain.people import Person
from tui_annotate.domain.plural import format_count
from tui_annotate.storage.assignments.store import AssignmentTransaction, Rule


@dataclass(frozen=True, slots=True)
class PersonHandout:
    """Samples that one annotator received by an assignment.

    Attributes:
        samples: newly assigned samples; the person had `samples_before` already.
    """

    person: str
    name: str
    samples: int
    sources: int
    characters: int
    samples_before: int


@dataclass(frozen=True, slots=True)
class HandoutReport:
    """Result of an assignment.

    Attributes:
        in_progress: samples that were not moved, because their work is in progress.
        shuffled: whether the samples are in a random order, not in the requested one, because the
            dataset has gold samples.
    """

    batch: int
    samples: int
    people: tuple[PersonHandout, ...]
    unassigned: int = 0
    gold: int = 0
    shuffled: bool = False
    in_progress: int = 0


@dataclass(frozen=True, slots=True)
class AssignmentStatus:
    """Progress of one annotator in one dataset, in numbers of samples.

    Attributes:
        finished: samples that the annotator completed, skipped or flagged.
        locked: samples that were adjudicated before the annotator finished them.
        locked_completed: completed samples of a dataset with gold samples on which the annotator's
            work is locked, with the samples of the same group.
    """

    dataset: str
    person: str
    name: str
    samples: int
    finished: int
    in_progress: int
    from_pool: int
    practice: int
    gold: int
    locked: int = 0
    skipped: int = 0
    flagged: int = 0
    locked_completed: int = 0

    @property
    def completed(self) -> int:
        """Number of samples that the annotator completed."""
        return self.finished - self.skipped - self.flagged

    @property
    def open(self) -> int:
        """Number of samples that the annotator has not begun, and that are not locked."""
        return self.samples - self.finished - self.in_progress - self.locked


@dataclass(frozen=True, slots=True)
class ListedRule:
    """Rule of a dataset for the assignment of samples, as text."""

    dataset: str
    rule: str
    waiting: int


@dataclass(frozen=True, slots=True)
class AssignmentRuleResult:
    """Result of a changed rule of assignment.

    Attributes:
        `batch`: number with which `assignments undo` undoes it.
        waiting: number of samples that the rule has still to assign.
        added: number of samples that were added to the rule.
        shuffled: whether their order is random.
    """

    batch: int
    waiting: int
    added: int = 0
    shuffled: bool = False


@dataclass(frozen=True, slots=True)
class GoldRuleResult:
    """Number of samples of a dataset that check annotators' accuracy by known answers.

    Attributes:
        recognizable: their positions differ from those of samples that are still to be assigned, so
            that annotators could recognise them by their ids.
        checks: gold samples of the dataset that people have completed so far, of which
            `edited_later` were edited after their first completion.
    """

    batch: int
    samples: int
    recognizable: bool = False
    checks: int = 0
    edited_later: int = 0


@dataclass(frozen=True, slots=True)
class RecomputedGold:
    """Result of comparing completed gold samples with the present answers.

    `changed`: number of completed gold samples whose score changed, of all `checks`.
    """

    batch: int
    dataset: str
    checks: int
    changed: int


@dataclass(frozen=True, slots=True)
class ResumedWork:
    """A person whose paused work goes on, and the datasets in which it was paused.

    `retried`: practice datasets in which the person got one more attempt.
    """

    person: str
    name: str
    datasets: tuple[str, ...]
    retried: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedHandout:
    """An assignment, withdrawal or change of a rule, as `assignments list` shows it.

    Attributes:
        parameters: the options of the request.
        undone: when it was undone; empty if it was not.
    """

    id: int
    at: str
    by: str
    kind: str
    dataset: str
    parameters: Mapping[str, Any]
    undone: str


@dataclass(frozen=True, slots=True)
class AssignmentOverview:
    """Progress of the annotators, rules of the datasets, and past assignments."""

    progress: tuple[AssignmentStatus, ...]
    rules: tuple[ListedRule, ...]
    batches: tuple[ListedHandout, ...]


def report_person(person: Person, items: Sequence[AllocationItem], *, had: int) -> PersonHandout:
    """Report the samples that a person receives; `had` counts those from before."""
    return PersonHandout(
        person=person.id,
        name=person.name,
        samples=len(items),
        sources=len({item.source for item in items}),
        characters=sum(item.length for item in items),
        samples_before=had,
    )


def report_handout(
    people: Sequence[PersonHandout], items: Sequence[AllocationItem], *, short: int
) -> HandoutReport:
    """Report an assignment that is not stored yet, so its number is 0.

    `items` may repeat a sample that several people receive; `short` counts missing people.
    """
    return HandoutReport(0, len({item.key for item in items}), tuple(people), short)


def build_overview(
    store: AssignmentTransaction, names: Mapping[str, str], *, dataset: str = ""
) -> AssignmentOverview:
    """Return an overview of the assignments of all datasets, or of one dataset."""
    stands = [
        AssignmentStatus(name=names.get(row.person, row.person), **row._asdict())
        for row in store.read_progress(dataset)
    ]
    ruled = [
        ListedRule(name, _describe_rule(rule, names), store.count_waiting(name, rule))
        for name, rule in store.rules(dataset)
    ]
    given = [
        ListedHandout(
            id=each.id,
            at=each.at,
            by=names.get(each.by, each.by),
            kind=each.kind.value,
            dataset=each.dataset,
            parameters=_request_with_names(each.parameters, names),
            undone=each.undone,
        )
        for each in store.handouts()
        if dataset in ("", each.dataset)
    ]
    return AssignmentOverview(tuple(stands), tuple(ruled), tuple(given))


def _request_with_names(request: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    asked = {key: value for key, value in request.items() if key != "rows"}
    for key in asked.keys() & {"from", "gold", "person"}:
        asked[key] = names.get(asked[key], asked[key])
    if "to" in asked:
        asked["to"] = [names.get(each, each) for each in asked["to"]]
    return asked


_DISAGREEMENTS: Final[Mapping[DisagreementRule, str]] = {
    DisagreementRule.DIFFER: "only some annotators marked something",
    DisagreementRule.LABEL: "annotators' labels differ, or only some annotators marked something",
}


def _describe_rule(rule: Rule, names: Mapping[str, str]) -> str:
    if isinstance(rule, Pool):
        return f"{AssignmentCause.POOL}: {rule.overlap} annotators per sample, {rule.order}"
    if isinstance(rule, Escalation):
        return f"{AssignmentCause.ESCALATE}: assign {rule.add} more if {_DISAGREEMENTS[rule.when]}"
    gold = names.get(rule.person, rule.person) if rule.person else rule.origin
    if isinstance(rule, Gold):
        return (
            f"{AssignmentCause.GOLD}: 1 of {rule.every} samples is compared with answers of {gold}"
            f" ({format_count(len(rule.samples), 'sample')}, {_describe_threshold(rule)})"
        )
    return f"{AssignmentCause.PRACTICE}: correct answers of {gold}{_describe_criteria(rule)}"


def _describe_threshold(rule: Gold) -> str:
    return f"{'alert and pause' if rule.pause else 'alert'} below {rule.threshold}% correct"


def _describe_criteria(rule: Practice) -> str:
    if not rule.pass_score:
        return ""
    attempts = format_count(rule.attempts, "attempt") if rule.attempts else "any number of attempts"
    hold = ", then work is paused" if rule.hold else ""
    return f" ({rule.pass_score}% correct to pass, {attempts}{hold})"
