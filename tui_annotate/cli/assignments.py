"""The commands `assignments`: assign samples to people, move or undo that, and list it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.help_format import TEAM
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Pool
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import Permission
from tui_annotate.domain.queue_orders import RANDOM, ScoreDirection, by_score

if TYPE_CHECKING:
    from tui_annotate.services.assignments import (
        AssignmentOverview,
        AssignmentService,
        HandoutReport,
    )
    from tui_annotate.workspace import Workspace


DatasetOption = Annotated[str, options.dataset_option("Dataset of the samples.")]
PersonOption = Annotated[
    list[str] | None,
    options.person_option("--person", "Person who receives samples. Repeatable."),
]
CountOption = Annotated[
    str, option("--count", "N", "Samples to assign: a number, a percentage such as 30%, or all.")
]
OverlapOption = Annotated[
    int,
    option(
        "--overlap",
        "K",
        "People for each sample, including its current assignees.",
        minimum=1,
    ),
]
SeedOption = Annotated[
    str, option("--seed", "TEXT", "Random seed: the same seed selects the same samples.")
]
StartedOption = Annotated[
    bool,
    flag("--include-started", "Include samples in progress; stored annotations stay stored."),
]
CreateOption = Annotated[
    bool, flag("--create", "Add people who are not known yet, instead of refusing their names.")
]


@dataclass(frozen=True)
class OrderingOptions:
    """The order in which samples are assigned."""

    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Samples to assign first: by-source, ingested, random (differs for each person),"
            " meta:FIELD (a number in the samples' metadata), or by a machine's score:"
            " worst:SCORE, best:SCORE, uncertain:SCORE.",
        ),
    ] = "by-source"
    descending: Annotated[
        bool, flag("--descending", "With --order meta:FIELD: assign the largest values first.")
    ] = False
    seed: SeedOption = "1"

    def parse(self, count: str, overlap: int) -> tuple[AssignmentOptions, str]:
        """Return the options of an assignment, and the metadata field or score that sorts samples.

        The field is empty for an order that needs none.

        Raises:
            InvalidInput: the order is unknown, or `--descending` is given without `meta:FIELD`.
        """
        prefix, _, field = self.order.partition(":")
        by_field = prefix == _META and bool(field)
        if self.descending and not by_field:
            raise InvalidInput(
                f"--descending does not apply to --order {self.order}",
                "name a metadata field: --order meta:FIELD",
            )
        score = field if by_field else self.order if by_score(self.order) else ""
        if not score and self.order not in _PLAIN_ORDERS:
            raise _unknown_order(self.order, _META_ORDER)
        sorting = AssignmentOrder.SCORE if score else AssignmentOrder(self.order)
        return AssignmentOptions(count, overlap, sorting, self.descending, self.seed), score


RuleDatasetOption = Annotated[str, options.dataset_option("Dataset to which the rule applies.")]

_META: Final = "meta"
_META_ORDER: Final = f"{_META}:FIELD"
_PLAIN_ORDERS: Final = tuple(each for each in AssignmentOrder if each is not AssignmentOrder.SCORE)
_BY_SCORE: Final = tuple(f"{sense}:SCORE" for sense in ScoreDirection)
_DRY_RUN = "nothing was stored (--dry-run)"
_NOTHING = "nothing was assigned: no sample is left for these people"


def register(app: typer.Typer) -> None:
    """Add the group `assignments` to the app."""
    group = add_group(app, "assignments", "Assign samples to people.", panel=TEAM)
    add_command(group, list_assignments, "assignments list", "assignments list --json", name="list")
    add_command(
        group,
        create,
        "assignments create --dataset news --person ana --person ben --overlap 2 --dry-run",
        "assignments create --dataset news --person li --count 30% --order random --seed 7",
        "assignments create --dataset news --person li bridge-1 bridge-2",
    )
    add_command(group, top_up, "assignments top-up --dataset news --open 20", name="top-up")
    add_command(group, move, "assignments move ana ben li", "assignments move ana")
    add_command(group, repeat, "assignments repeat --dataset news --person ana --count 20%")
    add_command(
        group,
        pool,
        "assignments pool --dataset news --overlap 2",
        "assignments pool --dataset news --order random --seed 7",
    )
    add_command(
        group,
        escalate,
        "assignments escalate --dataset news --when differ",
        "assignments escalate --dataset news --now",
    )
    add_command(
        group,
        practice,
        "assignments practice --dataset training --gold imported",
        "assignments practice --dataset training --gold ana --person ben",
    )
    add_command(group, undo, "assignments undo", "assignments undo 3 --include-started")


def create(
    ids: Annotated[
        list[str] | None,
        argument(
            "SAMPLE",
            "Ids of samples to assign (default: all samples of the dataset).",
            complete=completion.samples,
        ),
    ] = None,
    *,
    dataset: DatasetOption,
    person: PersonOption = None,
    count: CountOption = "all",
    overlap: OverlapOption = 1,
    ordering: OrderingOptions,
    file: Annotated[
        Path | None,
        option("--file", "FILE", "File of sample ids, one per line; - for standard input."),
    ] = None,
    create: CreateOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Assign samples to people.

    No person receives a sample twice, and samples are spread evenly. From then on, these people see
    only their assigned samples of the dataset.
    """
    named = [*(ids or ()), *_read_ids(file)]
    assignment, score = ordering.parse(count, overlap)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).give(
            dataset, person or (), assignment, ids=named, score=score, dry_run=dry_run
        )
    _print_assignment(report, dry_run=dry_run, as_json=common.as_json)


def top_up(
    *,
    dataset: DatasetOption,
    number: Annotated[
        int, option("--open", "N", "Open samples that each person has afterwards.", minimum=1)
    ],
    person: PersonOption = None,
    overlap: OverlapOption = 1,
    ordering: OrderingOptions,
    create: CreateOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Fill up each person's open samples to a number.

    Without --person, all people who have samples of the dataset receive more.
    """
    assignment, score = ordering.parse("all", overlap)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).top_up(
            dataset, person or (), assignment, number=number, score=score, dry_run=dry_run
        )
    _print_assignment(report, dry_run=dry_run, as_json=common.as_json)


def move(
    person: Annotated[
        str,
        argument("PERSON", "Person whose open samples are moved.", complete=completion.people),
    ],
    new_people: Annotated[
        list[str] | None,
        argument(
            "NEW_PERSON",
            "People who receive the samples (default: the samples return to the pool).",
            complete=completion.people,
        ),
    ] = None,
    *,
    include_started: StartedOption = False,
    create: CreateOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Move a person's open samples to others, or back to the pool.

    Several new people receive equal numbers of samples.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).move(
            person, new_people or (), begun=include_started, dry_run=dry_run
        )
    more = "" if include_started else "; to move samples in progress too: --include-started"
    _print_assignment(
        report,
        dry_run=dry_run,
        as_json=common.as_json,
        nothing=f"{person} has no open samples{more}",
    )


def repeat(
    *,
    dataset: DatasetOption,
    person: Annotated[
        list[str] | None,
        options.person_option(
            "--person",
            "Person who annotates samples again (default: all with samples). Repeatable.",
        ),
    ] = None,
    count: CountOption = "20%",
    seed: SeedOption = "1",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Assign samples to their annotators a second time.

    Annotators receive these samples after their other work, in another order, without their first
    annotations. `agreement` then compares the two passes of each person.
    """
    assignment = AssignmentOptions(share=count, sorting=AssignmentOrder.RANDOM, seed=seed)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=False).repeat(
            dataset, person or (), assignment, dry_run=dry_run
        )
    _print_assignment(report, dry_run=dry_run, as_json=common.as_json)


def list_assignments(
    *,
    dataset: options.OfDatasetOption = "",
    common: options.CommonOptions,
) -> None:
    """List assignments, rules and batches of assignments.

    The first table shows the progress of each assignee, the second the rules of datasets, the third
    the batches that `assignments undo` can undo.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.show(dataset)
    if common.as_json:
        output.print_json(report)
    else:
        _print_overview(report)


def undo(
    number: Annotated[
        int, argument("ID", "Number of the batch of assignments (default: the last batch).")
    ] = 0,
    *,
    include_started: StartedOption = False,
    common: options.CommonOptions,
) -> None:
    """Undo a batch of assignments, with the rule that it created.

    Samples in progress stay assigned, unless --include-started is given.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        undone = space.team.assignments.undo(number, begun=include_started)
    removed = output.many(undone.removed, "sample")
    lines = [f"undid batch {undone.handout.id}: {removed}"]
    if undone.kept:
        kept = output.many(undone.kept, "sample in progress stays", "samples in progress stay")
        lines.append(f"{kept} assigned; to withdraw these samples too: --include-started")
    lines += [f"all annotators see dataset {dataset} again" for dataset in undone.free]
    output.print_lines_or_json(undone, *lines, as_json=common.as_json)


def _service(space: Workspace, *, create: bool) -> AssignmentService:
    return replace(space.team.assignments, create=create)


def _read_ids(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}", "check its name") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is not UTF-8", "write one sample id per line, in UTF-8"
        ) from error
    named = [line.strip() for line in text.splitlines() if line.strip()]
    if not named:
        raise InvalidInput(f"{file} contains no sample id", "write one sample id per line")
    return named


def _unknown_order(order: str, *more: str) -> InvalidInput:
    known = [*_PLAIN_ORDERS, *more, *_BY_SCORE]
    return InvalidInput(
        f"unknown order {order!r}",
        f"{suggest_word(order, known)}known orders: {', '.join(known)}",
    )


def _print_assignment(
    report: HandoutReport, *, dry_run: bool, as_json: bool, nothing: str = _NOTHING
) -> None:
    if as_json:
        output.print_json({**asdict(report), "dry_run": dry_run})
        return
    numbers = {name: name for name in ("samples", "sources", "characters")} | {"had": "had before"}
    if report.people:
        output.print_table(
            [output.flexible_column("person"), *map(output.number_column, numbers.values())],
            [(each.name, *(getattr(each, name) for name in numbers)) for each in report.people],
        )
    if report.short:
        missing = output.many(report.short, "assignment is", "assignments are")
        output.print_message(f"warning: {missing} missing: too few people or samples")
    if not report.samples and not report.short:
        output.print_message(nothing)
    elif dry_run:
        output.print_note(_DRY_RUN)
    elif report.handout:
        output.print_line(f"batch {report.handout}: {output.many(report.samples, 'sample')}")
    else:
        samples = output.many(report.samples, "sample")
        output.print_message(f"{samples} returned to the pool" if report.samples else _NOTHING)


def _print_overview(report: AssignmentOverview) -> None:
    numbers = {
        "samples": "samples",
        "finished": "completed",
        "begun": "in progress",
        "open": "open",
        "drawn": "from pool",
        "practice": "practice",
    }
    output.print_table(
        [
            output.flexible_column("dataset"),
            output.flexible_column("person"),
            *map(output.number_column, numbers.values()),
        ],
        [
            (each.dataset, each.name, *(getattr(each, name) for name in numbers))
            for each in report.stands
        ],
    )
    output.print_table_below(
        [
            output.flexible_column("dataset"),
            output.flexible_column("rule"),
            output.number_column("waiting"),
        ],
        [(each.dataset, each.rule, each.waiting) for each in report.rules],
    )
    output.print_table_below(
        ["batch", "time", "kind", "dataset", output.flexible_column("request")],
        [
            (
                str(each.id),
                each.at[:16],
                f"{each.kind}, undone" if each.undone else each.kind,
                each.dataset,
                _describe_request(each.asked),
            )
            for each in report.handouts
        ],
    )


def _describe_request(request: Mapping[str, Any]) -> str:
    lists = {name: value if isinstance(value, list) else [value] for name, value in request.items()}
    return ", ".join(f"{name} {' '.join(map(str, each))}" for name, each in lists.items() if each)


def pool(
    *,
    dataset: RuleDatasetOption,
    overlap: Annotated[int, option("--overlap", "K", "People for each sample.", minimum=1)] = 1,
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Samples that people receive first: by-source, ingested, random, or by a machine's"
            " score: worst:SCORE, best:SCORE, uncertain:SCORE.",
        ),
    ] = "by-source",
    seed: Annotated[str, option("--seed", "TEXT", "Random seed of --order random.")] = "1",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Let people take samples from a pool.

    Annotators without a fixed assignment in the dataset receive the next free sample when they
    complete one, until each sample has K people.
    """
    if order not in _PLAIN_ORDERS and not by_score(order):
        raise _unknown_order(order)
    name = f"{RANDOM}{seed}" if order == AssignmentOrder.RANDOM else order
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.pool(dataset, Pool(overlap, name), dry_run=dry_run)
    rule = {"dataset": dataset, "overlap": overlap, "order": name}
    head = f"batch {report.handout}: " if report.handout else ""
    people = output.many(overlap, "person", "people")
    waiting = output.many(report.waiting, "sample waits", "samples wait")
    output.print_lines_or_json(
        {"handout": report.handout, **rule, "waiting": report.waiting},
        f"{head}pool of {dataset}, {people} per sample; {waiting}",
        as_json=common.as_json,
    )
    if dry_run and not common.as_json:
        output.print_note(_DRY_RUN)


def escalate(
    *,
    dataset: RuleDatasetOption,
    when: Annotated[
        DisagreementRule | None,
        typer.Option(
            help="Disagreement that counts. differ: only some annotators marked anything;"
            " label: also different top-level labels."
        ),
    ] = None,
    add: Annotated[int, option("--add", "N", "More people for each such sample.", minimum=1)] = 1,
    now: Annotated[
        bool, flag("--now", "Apply the rule also to samples that are completed already.")
    ] = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Assign samples with disagreement to more people.

    A sample is assigned when all of its assignees have completed it. Of the people who work in the
    dataset, those with the fewest open samples receive it.
    """
    if when is None and not now:
        raise InvalidInput("no rule is given", "pass --when differ or --when label, or --now")
    rule = Escalation(when, add) if when is not None else None
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.escalate(dataset, rule, now=now, dry_run=dry_run)
    if common.as_json:
        batch = {"handout": report.handout} if rule else {}
        counts = {"added": report.added, "waiting": report.waiting} if now else {}
        output.print_json({"dataset": dataset, **batch, **counts})
        return
    if rule:
        head = f"batch {report.handout}: " if report.handout else ""
        people = output.many(add, "more person", "more people")
        output.print_line(f"{head}{people} for samples of {dataset} with rule {rule.when}")
    if now:
        added = output.many(report.added, "sample")
        waiting = output.many(report.waiting, "sample waits", "samples wait")
        output.print_line(f"{added} assigned to more people; {waiting} for a free person")
    if dry_run:
        output.print_note(_DRY_RUN)


def practice(
    *,
    dataset: RuleDatasetOption,
    person: Annotated[
        list[str] | None,
        options.person_option(
            "--person", "Person who practises (default: all annotators). Repeatable."
        ),
    ] = None,
    gold: Annotated[
        str,
        option(
            "--gold",
            "NAME",
            "Correct answers: those of a person, or imported (default: adjudicated answers).",
        ),
    ] = "",
    create: CreateOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Make a dataset with known answers the practice of annotators.

    Annotators receive its samples before all other work. After each sample they see their answer
    next to the correct answer. Practice is in no export, unless --include-practice is given.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).practice(
            dataset, person or (), gold=gold, dry_run=dry_run
        )
    _print_assignment(report, dry_run=dry_run, as_json=common.as_json)
    if not report.people and not common.as_json:
        output.print_message("no annotators yet: repeat this command when there are annotators")
