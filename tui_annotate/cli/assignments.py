"""The commands `assignments`: create, list, move and undo assignments of samples to people."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NotRequired, TypedDict

import typer

from tui_annotate.cli import completion, options, output
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, add_group, argument, flag, open_workspace, option
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    MessagePart,
    NotePart,
    Part,
    ResultPart,
    Table,
    flexible_column,
    number_column,
    rare_column,
)
from tui_annotate.domain.assignment_plan import AssignmentOptions, AssignmentOrder
from tui_annotate.domain.assignment_rules import (
    AssignmentCause,
    DisagreementRule,
    Escalation,
    Gold,
    Pool,
    Practice,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from tui_annotate.domain.people import Permission
from tui_annotate.domain.queue_orders import RANDOM, ScoreDirection, by_score

if TYPE_CHECKING:
    from tui_annotate.services.assignments import (
        AssignmentOverview,
        AssignmentService,
        GoldRuleResult,
        HandoutReport,
        WithdrawalResult,
    )
    from tui_annotate.services.assignments.report import (
        AssignmentStatus,
        ListedHandout,
        ListedRule,
        PersonHandout,
    )
    from tui_annotate.workspace import Workspace


DatasetOption = Annotated[str, options.dataset_option("Dataset that contains the samples.")]
PersonOption = Annotated[
    list[str] | None,
    options.person_option("--person", "Person to whom samples are assigned. Repeatable."),
]
CountOption = Annotated[
    str,
    option(
        "--count", "N", "How many samples to assign: a number, a percentage such as 30%, or all."
    ),
]
OverlapOption = Annotated[
    int,
    option(
        "--overlap",
        "K",
        "Number of people who annotate each sample, including its current assignees.",
        minimum=1,
    ),
]
SeedOption = Annotated[
    str, option("--seed", "SEED", "Random seed: the same seed selects the same samples.")
]
StartedOption = Annotated[
    bool,
    flag("--include-started", "Include samples in progress; their annotations are kept."),
]
CreateOption = Annotated[
    bool, flag("--create", "Add people who are not known yet, instead of refusing their names.")
]


@dataclass(frozen=True)
class OrderingOptions:
    """Options for the order in which samples are assigned."""

    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Order in which samples are assigned: by-source, ingested, random (differs for each"
            " person), meta:FIELD (by a number in the samples' metadata), or by a machine's score:"
            " worst:SCORE, best:SCORE, uncertain:SCORE, uncertain:SCORE=VALUE.",
        ),
    ] = "by-source"
    descending: Annotated[
        bool,
        flag(
            "--descending",
            "With --order meta:FIELD: assign the samples with the largest values first.",
        ),
    ] = False
    seed: SeedOption = "1"

    def parse(self, count: str, overlap: int) -> tuple[AssignmentOptions, str]:
        """Return the options of an assignment, and the metadata field or score that orders samples.

        Raises:
            InvalidInput: the order is unknown, or `--descending` is given without `meta:FIELD`.
        """
        prefix, _, field = self.order.partition(":")
        by_field = prefix == _META and bool(field)
        if self.descending and not by_field:
            raise InvalidInput(
                f"--descending does not apply to --order {self.order}",
                "omit --descending, or sort by a metadata field: --order meta:FIELD",
            )
        score = self.order if by_score(self.order) else ""
        if by_field:
            score = field
        if not score and self.order not in _PLAIN_ORDERS:
            raise _unknown_order(self.order, _META_ORDER)
        sorting = AssignmentOrder.SCORE if score else AssignmentOrder(self.order)
        return AssignmentOptions(count, overlap, sorting, self.descending, self.seed), score


SampleFileOption = Annotated[
    Path | None,
    option("--file", "FILE", "File of sample ids, one per line; - for standard input."),
]
GoldOption = Annotated[
    str,
    option(
        "--gold",
        "NAME",
        "Source of the correct answers: a person's name, or imported (default: adjudicated "
        "answers).",
    ),
]
RuleDatasetOption = Annotated[str, options.dataset_option("Dataset to which the rule applies.")]

_META: Final = "meta"
_META_ORDER: Final = f"{_META}:FIELD"
_PLAIN_ORDERS: Final = tuple(each for each in AssignmentOrder if each is not AssignmentOrder.SCORE)
_BY_SCORE: Final = tuple(f"{sense}:SCORE" for sense in ScoreDirection)
_COMMANDS: Final[Mapping[str, str]] = {
    AssignmentCause.GIVE: "create",
    AssignmentCause.TOP_UP: "top-up",
    AssignmentCause.RECOMPUTE: "rescore-gold",
}
"""Commands whose name differs from the stored kind of their batches."""
_OPTION_NAMES: Final = {"to": "person", "share": "count"}
"""Options whose name differs from the name in stored requests."""
_DRY_RUN: Final = NotePart("nothing was stored (--dry-run)")
_SHUFFLED: Final = (
    "the samples are in a random order, because the dataset has gold samples, which any other"
    " order would show"
)
_NOTHING = "nothing was assigned: no samples are left that these people could receive"


class PrintedPool(TypedDict):
    """Samples of a dataset that annotators can take from its pool."""

    batch: int
    dataset: str
    overlap: int
    order: str
    waiting: int


class PrintedEscalation(TypedDict):
    """A rule for samples with disagreement.

    Attributes:
        batch: id of the rule; missing if only the existing rule was applied.
        added: with `--now`, samples that were assigned to additional people.
        waiting: with `--now`, samples without an available person.
    """

    dataset: str
    batch: NotRequired[int]
    added: NotRequired[int]
    waiting: NotRequired[int]


class PrintedGold(TypedDict):
    """A rule for gold samples, and the numbers of these samples.

    Attributes:
        recognizable: whether the positions of gold samples in the dataset differ from those of
            samples that are still to be assigned.
        checks: gold samples that people completed so far, of which `edited_later` were edited after
            their first completion.
    """

    batch: int
    dataset: str
    every: int
    threshold: int
    samples: int
    recognizable: bool
    checks: int
    edited_later: int


def register(app: typer.Typer) -> None:
    group = add_group(app, "assignments", "Assign samples to people.", panel=CORE)
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
        "assignments practice --dataset training --pass 80 --attempts 3 --hold",
    )
    add_command(
        group,
        gold,
        "assignments gold --dataset news --every 10",
        "assignments gold --dataset news --gold kim --threshold 80 bridge-1 tea-1",
    )
    add_command(
        group,
        promote_to_gold,
        "assignments promote-to-gold --dataset news",
        "assignments promote-to-gold --dataset news --agreed bridge-1 tea-1",
        name="promote-to-gold",
    )
    add_command(group, rescore_gold, "assignments rescore-gold --dataset news", name="rescore-gold")
    add_command(
        group,
        resume,
        "assignments resume ben",
        "assignments resume ben --retry",
        name="resume",
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
    file: SampleFileOption = None,
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
    _show_assignment(report, dry_run=dry_run, as_json=common.as_json)


def top_up(
    *,
    dataset: DatasetOption,
    number: Annotated[
        int,
        option(
            "--open",
            "N",
            "Number of unfinished samples that each person has after the command.",
            minimum=1,
        ),
    ],
    person: PersonOption = None,
    overlap: OverlapOption = 1,
    ordering: OrderingOptions,
    create: CreateOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Assign samples until each person has N open samples.

    Without --person, all people with samples of the dataset receive more samples.
    """
    assignment, score = ordering.parse("all", overlap)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).top_up(
            dataset, person or (), assignment, open=number, score=score, dry_run=dry_run
        )
    _show_assignment(report, dry_run=dry_run, as_json=common.as_json)


def move(
    person: Annotated[
        str,
        argument(
            "PERSON",
            "Person whose assigned samples are moved to others, or to the pool.",
            complete=completion.people,
        ),
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
    """Move a person's open samples to others or to the pool.

    Several new people receive equal numbers of samples.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).move(
            person, new_people or (), include_started=include_started, dry_run=dry_run
        )
    nothing = f"no assigned samples of {person} can be moved"
    if report.in_progress:
        count = output.many(report.in_progress, "sample")
        nothing += f"; to move also {count} in progress, add --include-started"
    _show_assignment(report, dry_run=dry_run, as_json=common.as_json, nothing=nothing)


def repeat(
    *,
    dataset: DatasetOption,
    person: Annotated[
        list[str] | None,
        options.person_option(
            "--person",
            "Person who annotates samples a second time (default: all assignees). Repeatable.",
        ),
    ] = None,
    count: CountOption = "20%",
    seed: SeedOption = "1",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Assign samples again to the people who annotated them.

    Annotators receive these samples after their other work, in another order, and do not see their
    first annotations. `agreement` then compares each person's two annotations of a sample.
    Adjudicated samples are not assigned, because work on them is locked.
    """
    assignment = AssignmentOptions(count=count, order=AssignmentOrder.RANDOM, seed=seed)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=False).repeat(
            dataset, person or (), assignment, dry_run=dry_run
        )
    _show_assignment(report, dry_run=dry_run, as_json=common.as_json)


def list_assignments(
    *,
    dataset: options.OfDatasetOption = "",
    common: options.CommonOptions,
) -> None:
    """List assignments, their rules and their batches.

    The first table shows the progress of each assignee. The second table shows the rules of
    datasets. The third table shows the batches that `assignments undo` can undo.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.show(dataset)
    output.show(report, _describe_overview(report), as_json=common.as_json)


def undo(
    number: Annotated[
        int, argument("ID", "Number of the batch of assignments (default: the last batch).")
    ] = 0,
    *,
    include_started: StartedOption = False,
    common: options.CommonOptions,
) -> None:
    """Undo a batch of assignments.

    If the batch set a rule for the dataset, such as a pool, the rule is removed; a practice rule
    goes back to that of the last practice batch that is not undone. Samples in progress stay
    assigned, unless --include-started is given; gold and practice samples in progress always stay
    assigned.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        undone = space.team.assignments.undo(number, include_started=include_started)
    text = _describe_undone(undone, include_started=include_started)
    output.show(undone, text, as_json=common.as_json)


def _describe_undone(undone: WithdrawalResult, *, include_started: bool) -> Iterator[Part]:
    yield ResultPart(f"undid batch {undone.batch.id}: {output.many(undone.withdrawn, 'sample')}")
    if undone.completed:
        completed = output.many(undone.completed, "sample")
        yield ResultPart(f"still assigned: {completed} completed, skipped or flagged")
    if in_progress := undone.kept - undone.completed:
        kept = f"still assigned: {output.many(in_progress, 'sample')} in progress"
        if not include_started and undone.batch.kind is not AssignmentCause.GOLD:
            kept += "; to withdraw these samples, add --include-started"
        yield ResultPart(kept)
    if undone.unreturned:
        count = output.many(undone.unreturned, "sample")
        yield ResultPart(
            f"not returned: {count}, because the account of the former assignee is disabled or"
            " deleted; to assign them: tui-annotate assignments create"
        )
    for dataset in undone.open_datasets:
        yield ResultPart(f"all annotators can again see all samples of dataset {dataset}")


def _service(space: Workspace, *, create: bool) -> AssignmentService:
    return replace(space.team.assignments, create=create)


def _read_ids(file: Path | None) -> list[str]:
    if file is None:
        return []
    try:
        text = sys.stdin.read() if str(file) == "-" else file.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise NotFound(f"there is no file {file}", "check the file's path") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(
            f"{file} is not UTF-8", "save the file as UTF-8, with one sample id per line"
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


_PEOPLE: Final[Columns[PersonHandout]] = (
    flexible_column("person", "name"),
    number_column("samples"),
    number_column("sources"),
    number_column("characters"),
    number_column("had before", "samples_before"),
)


def _show_assignment(
    report: HandoutReport,
    *,
    dry_run: bool,
    as_json: bool,
    nothing: str = _NOTHING,
    more: Sequence[Part] = (),
) -> None:
    text = _describe_assignment(report, dry_run=dry_run, nothing=nothing)
    output.show({**asdict(report), "dry_run": dry_run}, chain(text, more), as_json=as_json)


def _describe_assignment(report: HandoutReport, *, dry_run: bool, nothing: str) -> Iterator[Part]:
    if report.people:
        yield Table(report.people, _PEOPLE)
    if report.unassigned:
        missing = (
            f"assignments not made, because of too few people or samples: {report.unassigned:,}"
        )
        yield MessagePart(f"warning: {missing}")
    if report.shuffled:
        yield NotePart(_SHUFFLED)
    if report.gold:
        yield MessagePart(f"gold samples also assigned, not counted above: {report.gold:,}")
    if not report.samples and not report.unassigned:
        yield MessagePart(nothing)
    elif dry_run:
        yield _DRY_RUN
    elif report.batch:
        yield ResultPart(f"batch {report.batch}: {output.many(report.samples, 'sample')}")
    elif report.samples:
        yield NotePart(f"assignments removed, samples returned to the pool: {report.samples:,}")
    else:
        yield NotePart(_NOTHING)


_ASSIGNEES: Final[Columns[AssignmentStatus]] = (
    flexible_column("dataset"),
    flexible_column("person", "name"),
    number_column("samples"),
    number_column("completed"),
    number_column(State.DRAFT.display_name, "in_progress"),
    number_column(State.NEW.display_name, "open"),
    number_column("from pool", "from_pool"),
    number_column("practice"),
    number_column("gold"),
    rare_column("skipped"),
    rare_column("flagged"),
    rare_column("locked"),
    rare_column("completed and locked", "locked_completed"),
)
_RULES: Final[Columns[ListedRule]] = (
    flexible_column("dataset"),
    flexible_column("rule"),
    number_column("waiting"),
)


def _describe_kind(batch: ListedHandout) -> str:
    """Return the name of the command that made a batch, and whether the batch was undone."""
    name = _COMMANDS.get(batch.kind, batch.kind)
    if batch.kind == AssignmentCause.GOLD and "promoted" in batch.parameters:
        name = "promote-to-gold"
    return f"{name}, undone" if batch.undone else name


def _describe_request(batch: ListedHandout) -> str:
    """Describe a batch's stored request in the words of the command's options and arguments."""
    request = {name: value for name, value in batch.parameters.items() if name != "arrival"}
    if request.get("order") == AssignmentOrder.SCORE:
        score = request.pop("score")
        request["order"] = score if by_score(score) else f"{_META}:{score}"
    names = {} if batch.kind == AssignmentCause.MOVE else _OPTION_NAMES
    words = {names.get(name, name): _describe_value(value) for name, value in request.items()}
    return ", ".join(f"{name} {value}" for name, value in words.items() if value)


def _describe_value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


_BATCHES: Final[Columns[ListedHandout]] = (
    Column("batch", lambda each: str(each.id)),
    Column("time", lambda each: each.at[:16]),
    Column("kind", _describe_kind),
    Column("dataset"),
    flexible_column("request", _describe_request),
)


def _describe_overview(report: AssignmentOverview) -> Iterator[Part]:
    yield Table(report.progress, _ASSIGNEES)
    yield Table(report.rules, _RULES, below=True)
    yield Table(report.batches, _BATCHES, below=True)


def pool(
    *,
    dataset: RuleDatasetOption,
    overlap: Annotated[
        int, option("--overlap", "K", "Number of people who annotate each sample.", minimum=1)
    ] = 1,
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Order in which people receive samples: by-source, ingested, random, or by a machine's"
            " score: worst:SCORE, best:SCORE, uncertain:SCORE (next to the median) or"
            " uncertain:SCORE=VALUE (next to VALUE), with the score's name in place of"
            " SCORE.",
        ),
    ] = "by-source",
    seed: Annotated[str, option("--seed", "SEED", "Random seed of --order random.")] = "1",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Let people take samples from a pool.

    An annotator without a fixed assignment in the dataset receives the next free sample after each
    completed sample, until each sample has K people.
    """
    if order not in _PLAIN_ORDERS and not by_score(order):
        raise _unknown_order(order)
    name = f"{RANDOM}{seed}" if order == AssignmentOrder.RANDOM else order
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.pool(dataset, Pool(overlap, name), dry_run=dry_run)
    people = output.many(overlap, "person", "people")
    line = (
        f"{_batch(report.batch)}in dataset {dataset}, up to {people} can take each sample;"
        f" samples that people can take: {report.waiting:,}"
    )
    value: PrintedPool = {
        "batch": report.batch,
        "dataset": dataset,
        "overlap": overlap,
        "order": name,
        "waiting": report.waiting,
    }
    output.show(
        value,
        [ResultPart(line, always=dry_run), _DRY_RUN if dry_run else None],
        as_json=common.as_json,
    )
    if report.shuffled:
        output.print_note(_SHUFFLED)


def _batch(number: int) -> str:
    """Return the beginning of a line about a batch; nothing for a dry run."""
    return f"batch {number}: " if number else ""


def escalate(
    *,
    dataset: RuleDatasetOption,
    when: Annotated[
        DisagreementRule | None,
        typer.Option(
            help="Kind of disagreement. differ: only some annotators marked a span."
            " label: only some marked a span, or the top-level labels differ."
        ),
    ] = None,
    add: Annotated[
        int,
        option(
            "--add",
            "N",
            "Number of additional people for each sample with disagreement.",
            minimum=1,
        ),
    ] = 1,
    now: Annotated[
        bool, flag("--now", "Also assign samples whose assignees have already completed them.")
    ] = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Assign samples with disagreement to additional people.

    The rule is applied to a sample when all of its assignees have completed it. Of the people who
    work in the dataset, the people with the fewest open samples receive the sample.
    """
    if when is None and not now:
        raise InvalidInput(
            "the kind of disagreement is missing",
            "add --when differ or --when label, or apply the dataset's existing rule with --now",
        )
    rule = Escalation(when, add) if when is not None else None
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.escalate(dataset, rule, now=now, dry_run=dry_run)
    value: PrintedEscalation = {"dataset": dataset}
    text: list[Part] = []
    if rule:
        value["batch"] = report.batch
        people = output.many(add, "additional person", "additional people")
        kind = f"with disagreement ({rule.when})"
        line = f"each sample of dataset {dataset} {kind} is assigned to {people}"
        text.append(ResultPart(_batch(report.batch) + line, always=dry_run))
    if now:
        value["added"] = report.added
        value["waiting"] = report.waiting
        added = f"samples that were assigned to additional people: {report.added:,}"
        line = f"{added}; samples without an available person: {report.waiting:,}"
        text.append(ResultPart(line, always=dry_run))
    if dry_run:
        text.append(_DRY_RUN)
    output.show(value, text, as_json=common.as_json)


def practice(
    *,
    dataset: RuleDatasetOption,
    person: Annotated[
        list[str] | None,
        options.person_option(
            "--person", "Person who practises (default: all annotators). Repeatable."
        ),
    ] = None,
    gold: GoldOption = "",
    pass_score: Annotated[
        int,
        typer.Option(
            "--pass",
            metavar="PERCENT",
            min=0,
            max=100,
            help="Score that a person needs to pass (default: none).",
        ),
    ] = 0,
    attempts: Annotated[
        int,
        option(
            "--attempts",
            "N",
            "Number of times that a person may do the samples to pass; 0 until the person passes.",
            minimum=0,
        ),
    ] = 0,
    hold: Annotated[
        bool,
        flag(
            "--hold",
            "Pause the work of a person who did not pass, until `assignments resume`.",
        ),
    ] = False,
    create: CreateOption = False,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Make a dataset with correct answers a practice dataset.

    Annotators receive samples of the practice dataset before all other work. After each sample they
    see their answer next to the correct answer. With --pass, a person below the score does all
    samples again, without the earlier annotations. Exports exclude practice work, unless
    --include-practice is given.
    """
    criteria = Practice(pass_score=pass_score, attempts=attempts, hold=hold)
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = _service(space, create=create).practice(
            dataset, person or (), gold=gold, criteria=criteria, dry_run=dry_run
        )
    step = "the workspace has no annotators yet: repeat this command when it has annotators"
    more = [] if report.people else [MessagePart(step)]
    _show_assignment(report, dry_run=dry_run, as_json=common.as_json, more=more)


def gold(
    ids: Annotated[
        list[str] | None,
        argument(
            "SAMPLE",
            "Ids of gold samples (default: all samples of the dataset with correct answers).",
            complete=completion.samples,
        ),
    ] = None,
    *,
    dataset: RuleDatasetOption,
    file: SampleFileOption = None,
    answers: GoldOption = "",
    every: Annotated[
        int,
        option(
            "--every",
            "N",
            "Make one in every N samples of each annotator a gold sample.",
            minimum=2,
        ),
    ] = 10,
    threshold: Annotated[
        int,
        typer.Option(
            "--threshold",
            metavar="PERCENT",
            min=0,
            max=100,
            help="Accuracy on gold samples below which `status` shows an alert.",
        ),
    ] = 70,
    pause: Annotated[
        bool,
        flag(
            "--pause",
            "Also pause the work of a person below the threshold, until `assignments resume`.",
        ),
    ] = False,
    seed: Annotated[
        str,
        option(
            "--seed",
            "SEED",
            "Random seed, which annotators must not know: with it they could compute which samples"
            " are gold samples (default: a new secret one).",
        ),
    ] = "",
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Mix gold samples (with answers) into everyone's work.

    Gold samples are not marked. `status` then shows admins the accuracy of each annotator on them.
    Annotators receive gold samples among the samples that are assigned to them, or that they take
    from a pool, after this command. From then on, each annotator receives the samples of the
    dataset in a random order, so that no order shows which samples are gold samples. Exports
    exclude the work on gold samples, unless --include-gold is given.
    """
    rule = Gold(
        [*(ids or ()), *_read_ids(file)], every=every, seed=seed, threshold=threshold, pause=pause
    )
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.gold(dataset, rule, answers=answers, dry_run=dry_run)
    value: PrintedGold = {
        "batch": report.batch,
        "dataset": dataset,
        "every": every,
        "threshold": threshold,
        "samples": report.samples,
        "recognizable": report.recognizable,
        "checks": report.checks,
        "edited_later": report.edited_later,
    }
    output.show(
        value,
        _describe_gold(report, dataset, every=every, dry_run=dry_run),
        as_json=common.as_json,
    )
    if report.recognizable:
        _warn_recognisable()


def _describe_gold(
    report: GoldRuleResult, dataset: str, *, every: int, dry_run: bool
) -> Iterator[Part]:
    samples = output.many(report.samples, "gold sample")
    yield ResultPart(
        f"{_batch(report.batch)}dataset {dataset} has {samples};"
        f" each annotator gets 1 in every {every} samples",
        always=dry_run,
    )
    if report.checks:
        edited = f"edited after the first completion: {report.edited_later:,}"
        yield ResultPart(
            f"gold checks so far: {report.checks:,}; {edited}, which does not change the score",
            always=dry_run,
        )
    if dry_run:
        yield _DRY_RUN


def _warn_recognisable() -> None:
    output.print_problem(
        "the gold samples are at other positions of the dataset than the samples that are still"
        " to be assigned, so that annotators could recognise them by their ids",
        "choose gold samples from all parts of the dataset, before you assign samples",
    )


def promote_to_gold(
    ids: Annotated[
        list[str] | None,
        argument(
            "SAMPLE",
            "Ids of samples to promote (default: all adjudicated samples of the dataset).",
            complete=completion.samples,
        ),
    ] = None,
    *,
    dataset: RuleDatasetOption,
    agreed: Annotated[
        bool,
        flag(
            "--agreed",
            "First adjudicate the samples on which two or more annotators agree in everything.",
        ),
    ] = False,
    name: options.NameOption = "",
    file: SampleFileOption = None,
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Make adjudicated samples gold samples.

    The adjudication is the correct answer. The dataset must have gold samples already. People who
    annotated or adjudicated a sample never receive it as a gold sample, and their work on it stays
    real work.
    """
    wanted = [*(ids or ()), *_read_ids(file)]
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        accepted = 0
        if agreed and not dry_run:
            accepted = _accept_agreed(space, dataset, wanted, name=name)
        report = space.team.assignments.promote(dataset, wanted, dry_run=dry_run)
    samples = output.many(report.samples, "sample")
    line = (
        f"{_batch(report.batch)}{samples} of dataset {dataset} became gold samples; adjudicated"
        f" by this command, because annotators agree: {accepted:,}"
    )
    output.show(
        {"dataset": dataset, **asdict(report), "adjudicated": accepted},
        [ResultPart(line, always=dry_run), _DRY_RUN if dry_run else None],
        as_json=common.as_json,
    )
    if report.recognizable:
        _warn_recognisable()


def _accept_agreed(space: Workspace, dataset: str, wanted: list[str], *, name: str) -> int:
    """Adjudicate the samples without any difference between annotators; return their number."""
    review = space.team.review
    reviewer = options.deciding_person(space, name)
    accepted = 0
    for row in review.queue(reviewer, dataset=dataset):
        alike = row.annotators >= 2 and not (row.conflicts or row.nearly_agreed)
        own = row.annotated_by_reviewer and not review.own_allowed
        if row.settled or row.changed or not alike or own or (wanted and row.key.id not in wanted):
            continue
        seen = review.open(reviewer, row.key).seen
        with suppress(Conflict, NotAllowed):  # another difference, such as an open rating
            review.finish(reviewer, row.key, seen=seen, seconds=0)
            accepted += 1
    return accepted


def rescore_gold(
    *,
    dataset: Annotated[str, options.dataset_option("Dataset whose gold samples are scored again.")],
    dry_run: options.DryOption = False,
    common: options.CommonOptions,
) -> None:
    """Score completed gold samples by the present answers.

    A gold sample keeps the score that it had when it was first completed, even if the correct
    answer is changed later. This command compares the same work with the present answers.
    `assignments undo` restores the earlier scores.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.recompute_gold(dataset, dry_run=dry_run)
    checks = f"{output.many(report.checks, 'gold check')} recomputed in dataset {dataset}"
    line = f"{_batch(report.batch)}{checks}; scores changed: {report.changed:,}"
    text = [ResultPart(line, always=dry_run), _DRY_RUN if dry_run else None]
    output.show(report, text, as_json=common.as_json)


def resume(
    person: Annotated[
        str, argument("PERSON", "Person whose work is paused.", complete=completion.people)
    ],
    *,
    dataset: options.OfDatasetOption = "",
    retry: Annotated[
        bool,
        flag("--retry", "Give one more attempt at practice that the person failed."),
    ] = False,
    common: options.CommonOptions,
) -> None:
    """End the pause of a person's work.

    Work is paused if the accuracy on gold samples was too low, or if the person failed practice
    with --hold. Only gold samples that the person completes for the first time from then on can
    pause the work again. With --retry, the person does the samples of the failed practice again,
    without the earlier annotations; only pauses because of this practice end.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        report = space.team.assignments.resume(person, dataset=dataset, retry=retry)
    if report.retried:
        line = f"{report.name} has one more attempt at practice in: {', '.join(report.retried)}"
    else:
        line = f"{report.name} can go on; paused in: {', '.join(report.datasets)}"
    output.show(report, [ResultPart(line)], as_json=common.as_json)
