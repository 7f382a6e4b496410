"""Commands of reviewers: the screen, the samples to review, and the decisions of reviewers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final, NotRequired, TypedDict

import typer

from tui_annotate.cli import completion, options, output, pseudonyms, screen
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, argument, examples, flag, open_workspace, option
from tui_annotate.cli.questions import LIST_UNANSWERED
from tui_annotate.cli.report_parts import (
    Column,
    Columns,
    Part,
    ResultPart,
    Table,
    Text,
    flexible_column,
    number_column,
    whole_column,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.people import Permission
from tui_annotate.domain.queue_orders import CONFLICTS, score_of_order
from tui_annotate.methods.adjudication import DifferenceKind
from tui_annotate.plugins.files.sheets import FORMULA

if TYPE_CHECKING:
    from tui_annotate.services.review import QueuedSample
    from tui_annotate.services.review.decisions import FindName, ReviewDecision
    from tui_annotate.workspace import Workspace

_GRAVEST: Final = 2  # kinds of differences in the table; `--json` has all, with their numbers


class PrintedReviewSample(TypedDict):
    """A sample to review, or adjudicated, or incomplete.

    Attributes:
        annotators: number of people who completed the sample.
        annotations: their annotations; null for a sample that is not ready, as are all counts of
            spans and decisions.
        pending: people who have not completed it, with the free slots of a pool.
        annotated_by_reviewer: whether the reviewer annotated the sample, too.
        edited: people who edited their work after the first adjudication.
        reopened: people whose work is reopened and not completed again.
        changed: people whose work is no longer the work that was adjudicated.
        open_decisions: decisions that are still to be taken.
        against: how strongly people contradict the machine, 0 to 1; null if the people or the
            machine gave no verdict; only with `--order disagree:SCORE`.
    """

    dataset: str
    sample: str
    group: str
    ready: bool
    annotators: int
    annotations: int | None
    pending: int
    state: str
    agreed: int | None
    nearly_agreed: int | None
    conflicts: int | None
    conflicts_by_kind: dict[str, int]
    annotated_by_reviewer: bool
    edited: int
    reopened: int
    changed: int
    open_decisions: int | None
    unanswered_questions: int
    against: NotRequired[float | None]


class AllowedReview(TypedDict):
    """An incomplete sample that can be reviewed, with the numbers of its annotators.

    Attributes:
        annotators: number of people who completed the sample.
        pending: number of people who have not.
    """

    dataset: str
    sample: str
    annotators: int
    pending: int
    reason: str


class ReopenedWork(TypedDict):
    """A sample, and the names of the people whose work on it was reopened."""

    dataset: str
    sample: str
    people: list[str]
    reason: str


def register(app: typer.Typer) -> None:
    review_app = typer.Typer(
        invoke_without_command=True,
        epilog=examples(
            "tui-annotate review",
            "tui-annotate review --as ana --sample news/17",
            "tui-annotate review list --json",
        ),
    )
    review_app.callback()(review)
    add_command(
        review_app,
        list_samples,
        "review list",
        "review list --dataset news --json",
        "review list --order disagree:rank",
        name="list",
    )
    add_command(
        review_app, allow, "review allow news/17 --reason 'ben left the project'", name="allow"
    )
    add_command(
        review_app,
        reopen,
        "review reopen news/17 --reason 'the guidelines changed'",
        "review reopen news/17 --person ben --reason 'see rule 4'",
        name="reopen",
    )
    add_command(
        review_app,
        export_decisions,
        "review export > decisions.csv",
        "review export --names --json > decisions.json",
        name="export",
    )
    app.add_typer(review_app, name="review", rich_help_panel=CORE)


def review(
    context: typer.Context,
    *,
    name: options.NameOption = "",
    sample: options.StartOption = "",
    workspace: options.WorkspaceOption = None,
) -> None:
    """Adjudicate samples on the screen.

    The screen opens with the sample that has the most conflicts. A sample waits for review once all
    its assignees, and as many people as the overlap of a pool, have completed it. Without
    assignments, two annotators are enough.
    """
    if context.invoked_subcommand is None:
        code = screen.annotate(workspace, name=name, sample=sample, reviewing=True)
        raise typer.Exit(code)


def list_samples(
    *,
    dataset: options.OfDatasetOption = "",
    order: Annotated[
        str,
        option(
            "--order",
            "ORDER",
            "Order of the samples: conflicts (most conflicts first), or disagree:SCORE (first the "
            "samples whose annotators most contradict the score; SCORE is its name).",
        ),
    ] = CONFLICTS,
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """List samples to review.

    Waiting samples come first, ordered by their number of conflicts. The columns count groups of
    overlapping annotations: agreed (same words, same labels), partly agreed (other ends of the same
    words) and conflicts, with the most serious kinds of differences: label, not by all (words that
    only some annotators marked), extent, evidence or note. Samples that other annotators are still
    to complete are listed apart.
    """
    score = score_of_order(order)
    with open_workspace(common.workspace, needs=Permission.REVIEW) as space:
        review = space.team.review
        who = _find_reviewer(space, name)
        if score:
            review.sort_against(space.machines.scores.support(score))
        rows = review.queue(who, dataset=dataset)
        incomplete = review.incomplete(who, dataset=dataset)
    values = [_row_as_json(row) for row in (*rows, *incomplete)]
    if score:
        for row, value in zip((*rows, *incomplete), values, strict=True):
            value["against"] = row.against
    output.show(values, _describe_queue(rows, incomplete, score=score), as_json=common.as_json)


def _describe_queue(
    rows: Sequence[QueuedSample], incomplete: Sequence[QueuedSample], *, score: str
) -> Iterator[Part]:
    """Describe the samples to review, then those that annotators are still to complete.

    `score`: name of the score whose contradictions are shown; empty for none.
    """
    waiting = sum(not row.settled for row in rows)
    yield f"samples waiting for review: {waiting:,} of {len(rows):,}"
    if questions := sum(row.unanswered_questions for row in (*rows, *incomplete)):
        command = output.add_workspace(LIST_UNANSWERED)
        yield f"unanswered questions about these samples: {questions:,}; to list them: {command}"
    if rows:
        yield Table(rows, (*_QUEUE, _CONTRADICTION) if score else _QUEUE)
    if incomplete:
        yield ""
        yield f"samples not completed by all their annotators: {len(incomplete):,}"
        yield Table(incomplete, _INCOMPLETE)


def allow(
    sample: Annotated[
        str,
        argument(
            "SAMPLE",
            "Sample whose review is allowed: ID or DATASET/ID.",
            complete=completion.samples,
        ),
    ],
    *,
    reason: Annotated[
        str,
        option(
            "--reason",
            "TEXT",
            "Why the sample is reviewed before all annotators completed it (required).",
        ),
    ],
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Allow the review of an incomplete sample.

    The sample is then ready for review before all its annotators have completed it. If a reviewer
    reopened their work, the sample can then be adjudicated again before all of them have completed
    it. Only admins can allow the review of a sample.
    """
    with open_workspace(common.workspace, needs=Permission.MANAGE) as space:
        key = space.corpus.find(sample)
        readers = space.team.review.allow(options.deciding_person(space, name), key, reason=reason)
    value: AllowedReview = {
        "dataset": key.dataset,
        "sample": key.id,
        "annotators": readers.completed,
        "pending": readers.pending,
        "reason": reason.strip(),
    }
    planned = f"{readers.completed} of its {readers.planned} annotators have completed it"
    unplanned = f"{output.many(readers.completed, 'annotator')} completed it"
    output.show(
        value,
        [ResultPart(f"sample {key} can be reviewed: {planned if readers.planned else unplanned}")],
        as_json=common.as_json,
    )


def reopen(
    sample: Annotated[
        str,
        argument("SAMPLE", "Adjudicated sample: ID or DATASET/ID.", complete=completion.samples),
    ],
    *,
    reason: Annotated[
        str,
        option("--reason", "TEXT", "Why the work is reopened; its annotators see it (required)."),
    ],
    person: Annotated[
        str,
        options.person_option(
            "--person",
            "Reopen only the work of this person, and keep the adjudication (default: reopen the "
            "sample, with the work of all its annotators).",
        ),
    ] = "",
    name: options.NameOption = "",
    common: options.CommonOptions,
) -> None:
    """Reopen the work of annotators on an adjudicated sample.

    The annotators can then change their work until they complete the sample again. They see the
    reason on their screen. Reviewers cannot reopen samples that they annotated.
    """
    with open_workspace(common.workspace, needs=Permission.REVIEW) as space:
        key = space.corpus.find(sample)
        review = space.team.review
        who = options.deciding_person(space, name)
        chosen = review.find_annotator(who, key, person).id if person else ""
        reopened = review.reopen_work(who, key, reason=reason, person=chosen)
        people = [space.people.person(each).name for each in reopened]
    value: ReopenedWork = {
        "dataset": key.dataset,
        "sample": key.id,
        "people": people,
        "reason": reason.strip(),
    }
    output.show(
        value,
        [ResultPart(f"reopened the work on {key} of: {', '.join(people) or 'no annotator'}")],
        as_json=common.as_json,
    )


def export_decisions(
    *,
    dataset: options.OfDatasetOption = "",
    names: Annotated[
        bool,
        flag(
            "--names",
            "Include the names of annotators and reviewers (default: annotators as letters).",
        ),
    ] = False,
    pseudonymize: pseudonyms.PseudonymizeOption = False,
    common: options.CommonOptions,
) -> None:
    """Export the decisions of reviewers as CSV.

    Each row has one decision. A decision accepts, merges, edits, adds or rejects annotations, or
    decides the rating of a sample. Annotators appear as the letters of the reviewing screen, and
    reviewers are omitted, unless --names or --pseudonymize is given.
    """
    if names and pseudonymize:
        raise InvalidInput(
            "--names and --pseudonymize cannot be used together", "pass --names or --pseudonymize"
        )
    with open_workspace(common.workspace, needs=Permission.REVIEW) as space:
        hidden = pseudonyms.load_pseudonyms(space, wanted=pseudonymize)
        find_name = _real_names(space) if names else None
        if hidden:
            find_name = hidden.name
        found = list(space.team.review.decisions(dataset=dataset, find_name=find_name))
    output.show(found, [Text(_decisions_to_csv(found))], as_json=common.as_json)


def _real_names(space: Workspace) -> FindName:
    known = {each.id: each.name for each in space.people.all()}
    return lambda person: known.get(person, person)


_DECISION_COLUMNS: Final = (
    "dataset", "sample", "state", "decision", "labels", "spans", "text", "note", "rating",
    "reason", "review_note", "annotators", "reviewer",
)  # fmt: skip


def _decisions_to_csv(found: Sequence[ReviewDecision]) -> str:
    written = io.StringIO(newline="")
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(_DECISION_COLUMNS)
    for each in found:
        spans = [
            f"{one['side']}:{one['document']}:{one['start']}-{one['end']}" for one in each.spans
        ]
        joined = {
            "state": each.state.value,
            "labels": " | ".join(each.labels),
            "spans": " ".join(spans),
            "text": " … ".join(one["text"] for one in each.spans),
            "annotators": ", ".join(each.annotators),
            "reviewer": each.reviewer or "",
        }
        cells = {name: joined.get(name, getattr(each, name, "")) for name in _DECISION_COLUMNS}
        # A spreadsheet would run a note that begins with `=` as a formula.
        rows.writerow([f"'{cell}" if str(cell)[:1] in FORMULA else cell for cell in cells.values()])
    return written.getvalue()


def _find_reviewer(space: Workspace, name: str) -> str:
    if space.actor.person:
        return space.actor.person
    if name or not space.team.authenticate.required():
        return options.reading_person(space, name).id
    return ""


def _describe_state(row: QueuedSample) -> str:
    parts = ["adjudicated" if row.settled else row.state.display_name]
    if row.state is State.DONE and row.changed:
        parts = [f"changed since adjudication ({row.changed})"]
    if row.open_decisions and row.state is not State.NEW:
        parts.append(f"{row.open_decisions} undecided")
    if row.unanswered_questions:
        parts.append(output.many(row.unanswered_questions, "unanswered question"))
    if row.edited:
        parts.append(f"{row.edited} edited later")
    if row.reopened:
        parts.append(f"{row.reopened} reopened")
    if row.annotated_by_reviewer:
        parts.append("yours")
    return ", ".join(parts)


_KIND_NAMES: Final = {DifferenceKind.ONLY_SOME: "not by all"}
"""Short names, so that the table fits 80 columns: words that not all annotators marked."""


def _describe_kinds(row: QueuedSample) -> str:
    return ", ".join(
        _KIND_NAMES.get(kind, kind.value) for kind, _ in row.conflicts_by_kind[:_GRAVEST]
    )


def _describe_pending(row: QueuedSample) -> str:
    parts = [f"completed by {_format_readers(row)}"]
    if row.unanswered_questions:
        parts.append(output.many(row.unanswered_questions, "unanswered question"))
    return ", ".join(parts)


def _format_readers(row: QueuedSample) -> str:
    return f"{row.annotators} of {row.annotators + row.pending}"


_QUEUE: Final[Columns[QueuedSample]] = (
    flexible_column("sample", lambda row: str(row.key)),
    Column("completed", lambda row: _format_readers(row) if row.pending else None, rare=True),
    number_column("agreed"),
    number_column("partly", "nearly_agreed"),
    number_column("conflicts"),
    whole_column("differences in", _describe_kinds),
    Column("review", _describe_state),
)
_CONTRADICTION: Final[Column[QueuedSample]] = number_column(
    "contradiction", lambda row: "" if row.against is None else f"{row.against:.2f}"
)
_INCOMPLETE: Final[Columns[QueuedSample]] = (
    flexible_column("sample", lambda row: str(row.key)),
    Column("annotators", _describe_pending),
)


def _row_as_json(row: QueuedSample) -> PrintedReviewSample:
    return {
        "dataset": row.key.dataset,
        "sample": row.key.id,
        "group": row.group,
        "ready": row.ready,
        "annotators": row.annotators,
        "annotations": row.annotations if row.ready else None,
        "pending": row.pending,
        "state": row.state.value,
        "agreed": row.agreed if row.ready else None,
        "nearly_agreed": row.nearly_agreed if row.ready else None,
        "conflicts": row.conflicts if row.ready else None,
        "conflicts_by_kind": {kind.value: count for kind, count in row.conflicts_by_kind},
        "annotated_by_reviewer": row.annotated_by_reviewer,
        "edited": row.edited,
        "reopened": row.reopened,
        "changed": row.changed,
        "open_decisions": row.open_decisions if row.ready else None,
        "unanswered_questions": row.unanswered_questions,
    }
