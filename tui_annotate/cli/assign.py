"""Commands about assignments: who annotates what, how many people a sample, in which order."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import DisagreementRule, Escalation, Pool
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.domain.queue_orders import RANDOM, ScoreDirection, by_score

if TYPE_CHECKING:
    from tui_annotate.services.assignments import AssignmentOverview, HandoutReport


DatasetOption = Annotated[str, options.dataset_option("Of this dataset.")]
ToOption = Annotated[
    list[str] | None,
    options.person_option("--to", "Who gets it; several times for several people."),
]
ShareOption = Annotated[str, option("--share", "N", "How many samples: a number, 30%, or all.")]
OverlapOption = Annotated[
    int,
    option(
        "--overlap",
        "K",
        "How many people each sample has in the end, those who have it counted.",
        minimum=1,
    ),
]
SeedOption = Annotated[str, option("--seed", "TEXT", "The same seed gives the same draw.")]
BegunOption = Annotated[
    bool, flag("--begun", "Also samples that were begun; what was done stays stored.")
]


@dataclass(frozen=True)
class OrderingOptions:
    """Which samples are assigned first."""

    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Which samples first: by-source, ingested, random (another order for each person),"
            " score (with --score), or by what a machine says: worst:SCORE, best:SCORE,"
            " uncertain:SCORE.",
        ),
    ] = "by-source"
    score: Annotated[
        str, option("--score", "FIELD", "A number in the samples' meta to sort by.")
    ] = ""
    descending: Annotated[bool, flag("--descending", "With --score: the largest first.")] = False
    seed: SeedOption = "1"

    def parse(self, share: str, overlap: int) -> tuple[AssignmentOptions, str]:
        """The options of an assignment, and the score that sorts: a field of `meta` or an order.

        Raises:
            InvalidInput: there is no such order; the options contradict each other.
        """
        order, score = self.order, self.score
        if order == AssignmentOrder.SCORE and not score:
            raise InvalidInput("the order `score` needs a score", "name a field: --score FIELD")
        if score and order not in (AssignmentOrder.SCORE, AssignmentOrder.BY_SOURCE):
            raise InvalidInput(f"both --score and --order {order}", "give one of them")
        if self.descending and not score:
            raise InvalidInput("--descending without --score", "name a field: --score FIELD")
        sorts_by_score = bool(score or by_score(order))
        if not sorts_by_score and order not in list(AssignmentOrder):
            raise _unknown_order(order, list(AssignmentOrder))
        kind = AssignmentOrder.SCORE if sorts_by_score else AssignmentOrder(order)
        options = AssignmentOptions(share, overlap, kind, self.descending, self.seed)
        return options, (score or order) if sorts_by_score else ""


RuleDatasetOption = Annotated[str, options.dataset_option("The dataset that this is about.")]

_BY_SCORE: Final = tuple(f"{sense}:SCORE" for sense in ScoreDirection)
_DRY_RUN = "nothing was written: --dry-run"
_NOTHING = "nothing was handed out: there is nothing that these people could get"


def register(app: typer.Typer) -> None:
    """Adds these commands to the app."""
    assign = add_group(app, "assign", "Hand out work, and take it back.")
    add_command(
        assign,
        give,
        "assign give --dataset news --to ana --to ben --overlap 2 --dry-run",
        "assign give --dataset news --to li --share 30% --order random --seed 7",
        "assign give --dataset news --to li bridge-1 bridge-2",
    )
    add_command(assign, topup, "assign topup --dataset news --open 20")
    add_command(assign, move, "assign move --from ana --to ben --to li", "assign move --from ana")
    add_command(assign, repeat, "assign repeat --dataset news --to ana --share 20%")
    add_command(
        assign,
        pool,
        "assign pool --dataset news --overlap 2",
        "assign pool --dataset news --order random --seed 7",
    )
    add_command(
        assign,
        escalate,
        "assign escalate --dataset news --when differ",
        "assign escalate --dataset news --now",
    )
    add_command(
        assign,
        practice,
        "assign practice --dataset training --gold imported",
        "assign practice --dataset training --gold ana --to ben",
    )
    add_command(assign, show, "assign show", "assign show --json")
    add_command(assign, undo, "assign undo", "assign undo 3 --begun")


def give(
    ids: Annotated[
        list[str] | None,
        argument("ID", "Samples; else all of the dataset are shared.", complete=completion.samples),
    ] = None,
    *,
    dataset: DatasetOption,
    to: ToOption = None,
    share: ShareOption = "all",
    overlap: OverlapOption = 1,
    ordering: OrderingOptions,
    file: Annotated[
        Path | None, option("--file", "FILE", "Samples, an id a line; - for standard input.")
    ] = None,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Hand out a share of a dataset, or the samples that are named.

    Nobody gets a sample twice; numbers are as even as that allows. From then on people see of this
    dataset what they have, and nothing else of it.
    """
    named = [*(ids or ()), *_read_ids(file)]
    assignment, score = ordering.parse(share, overlap)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.give(
            dataset, to or (), assignment, ids=named, score=score, dry_run=dry_run
        )
    _print_handout(report, dry_run=dry_run, as_json=common.as_json)


def topup(
    *,
    dataset: DatasetOption,
    number: Annotated[int, option("--open", "N", "How many open samples each.", minimum=1)],
    to: ToOption = None,
    overlap: OverlapOption = 1,
    ordering: OrderingOptions,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Bring people up to a number of open samples each.

    Without --to, all who have something of the dataset.
    """
    assignment, score = ordering.parse("all", overlap)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.top_up(
            dataset, to or (), assignment, number=number, score=score, dry_run=dry_run
        )
    _print_handout(report, dry_run=dry_run, as_json=common.as_json)


def move(
    *,
    person: Annotated[str, options.person_option("--from", "Whose open samples are moved.")],
    to: ToOption = None,
    begun: BegunOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Move somebody's open samples to others, evenly.

    Without --to they go back to the pool that they were drawn from.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.move(person, to or (), begun=begun, dry_run=dry_run)
    more = "" if begun else "; --begun moves also what was begun"
    _print_handout(
        report,
        dry_run=dry_run,
        as_json=common.as_json,
        nothing=f"{person} has no open samples{more}",
    )


def repeat(
    *,
    dataset: DatasetOption,
    to: ToOption = None,
    share: ShareOption = "20%",
    seed: SeedOption = "1",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Let people read a share of their samples a second time.

    It is offered once their first work is done, in another order and without what they did. The two
    readings are compared by the agreement of a person with themselves.
    """
    assignment = AssignmentOptions(share=share, sorting=AssignmentOrder.RANDOM, seed=seed)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.repeat(dataset, to or (), assignment, dry_run=dry_run)
    _print_handout(report, dry_run=dry_run, as_json=common.as_json)


def show(
    *,
    dataset: Annotated[str, options.dataset_option("This alone.")] = "",
    common: options.CommonOptions,
) -> None:
    """Show who has what, how far they are, rules and handouts."""
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.show(dataset)
    if common.as_json:
        output.print_json(report)
    else:
        _print_overview(report)


def undo(
    number: Annotated[int, argument("ID", "A handout; else the last one.")] = 0,
    *,
    begun: BegunOption = False,
    common: options.CommonOptions,
) -> None:
    """Take a handout back, with the rule that it made.

    What was begun stays with its people, unless --begun.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        undone = space.team.assignments.undo(number, begun=begun)
    removed = output.many(undone.removed, "sample")
    lines = [f"handout {undone.handout.id} is taken back: {removed}"]
    if undone.kept:
        lines.append(f"{undone.kept:,} that were begun stay; to take these too: --begun")
    lines += [f"dataset {dataset} is everybody's again" for dataset in undone.free]
    output.print_lines_or_json(undone, *lines, as_json=common.as_json)


def _read_ids(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{file} is not UTF-8", "one id a line, as UTF-8") from error
    named = [line.strip() for line in text.splitlines() if line.strip()]
    if not named:
        raise InvalidInput(f"{file} names no sample", "one id a line")
    return named


def _unknown_order(order: str, known: Sequence[AssignmentOrder]) -> InvalidInput:
    return InvalidInput(f"no order {order!r}", f"orders: {', '.join([*known, *_BY_SCORE])}")


def _print_handout(
    report: HandoutReport, *, dry_run: bool, as_json: bool, nothing: str = _NOTHING
) -> None:
    if as_json:
        output.print_json({**asdict(report), "dry_run": dry_run})
        return
    numbers = ("samples", "sources", "characters", "had")
    if report.people:
        output.print_table(
            [output.flexible_column("person"), *map(output.number_column, numbers)],
            [(each.name, *(getattr(each, name) for name in numbers)) for each in report.people],
        )
    if report.short:
        places = output.many(report.short, "place")
        output.print_message(f"{places} stay empty: there are too few people or samples")
    if not report.samples and not report.short:
        output.print_message(nothing)
    elif dry_run:
        output.print_message(_DRY_RUN)
    elif report.handout:
        output.print_line(f"handout {report.handout}: {output.many(report.samples, 'sample')}")
    else:
        samples = output.many(report.samples, "sample")
        output.print_message(f"{samples} went back to the pool" if report.samples else _NOTHING)


def _print_overview(report: AssignmentOverview) -> None:
    numbers = ("samples", "finished", "begun", "open", "drawn", "practice")
    output.print_table(
        [
            output.flexible_column("dataset"),
            output.flexible_column("person"),
            *map(output.number_column, numbers),
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
        ["handout", "at", "kind", "dataset", output.flexible_column("asked")],
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
    overlap: Annotated[
        int, option("--overlap", "K", "How many people each sample gets.", minimum=1)
    ] = 1,
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Which samples are drawn first: by-source, ingested, random, or by what a machine"
            " says: worst:SCORE, best:SCORE, uncertain:SCORE.",
        ),
    ] = "by-source",
    seed: Annotated[str, option("--seed", "TEXT", "Of the order random.")] = "1",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Let people draw the samples of a dataset.

    Whoever has no share of it draws the next sample as they finish one, until each sample has so
    many people.
    """
    known = [each for each in AssignmentOrder if each is not AssignmentOrder.SCORE]
    if order not in known and not by_score(order):
        raise _unknown_order(order, known)
    name = f"{RANDOM}{seed}" if order == AssignmentOrder.RANDOM else order
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.pool(dataset, Pool(overlap, name), dry_run=dry_run)
    rule = {"dataset": dataset, "overlap": overlap, "order": name}
    head = f"handout {report.handout}: " if report.handout else ""
    waiting = output.many(report.waiting, "sample waits", "samples wait")
    output.print_lines_or_json(
        {"handout": report.handout, **rule, "waiting": report.waiting},
        f"{head}people draw from {dataset}, {overlap} a sample; {waiting}",
        as_json=common.as_json,
    )
    if dry_run and not common.as_json:
        output.print_message(_DRY_RUN)


def escalate(
    *,
    dataset: RuleDatasetOption,
    when: Annotated[
        DisagreementRule | None,
        typer.Option(
            help="differ: one marks something, another nothing; label: or their top labels differ."
        ),
    ] = None,
    add: Annotated[int, option("--add", "N", "How many people.", minimum=1)] = 1,
    now: Annotated[bool, flag("--now", "Also for what is finished already.")] = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Give a sample to somebody more where people disagree.

    Once those who have it have finished. It goes to whoever has least open work of those who work
    in the dataset.
    """
    if when is None and not now:
        raise InvalidInput("no rule", "give --when differ or --when label, or --now")
    rule = Escalation(when, add) if when is not None else None
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.escalate(dataset, rule, now=now, dry_run=dry_run)
    if common.as_json:
        handout = {"handout": report.handout} if rule else {}
        counts = {"added": report.added, "waiting": report.waiting} if now else {}
        output.print_json({"dataset": dataset, **handout, **counts})
        return
    if rule:
        head = f"handout {report.handout}: " if report.handout else ""
        output.print_line(f"{head}{add} more where people {rule.when}, in {dataset}")
    if now:
        added = output.many(report.added, "sample")
        waiting = output.many(report.waiting, "waits", "wait")
        output.print_line(f"{added} went to others, {waiting} for somebody")
    if dry_run:
        output.print_message(_DRY_RUN)


def practice(
    *,
    dataset: RuleDatasetOption,
    to: Annotated[
        list[str] | None, options.person_option("--to", "Who practises; else everybody there is.")
    ] = None,
    gold: Annotated[
        str,
        option(
            "--gold",
            "NAME",
            "Whose answers are right: a person, or imported; else what review settled.",
        ),
    ] = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Put a dataset with known answers before people's real work.

    After each sample they see theirs beside the right ones. This work is in no export.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.practice(dataset, to or (), gold=gold, dry_run=dry_run)
    _print_handout(report, dry_run=dry_run, as_json=common.as_json)
    if not report.people and not common.as_json:
        output.print_message(
            "nobody is there to practise yet: give the command again once people are"
        )
