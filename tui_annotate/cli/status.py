"""The command `status`, which shows contents and annotation progress of a workspace."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from tui_annotate.cli import charts, labels, options, output
from tui_annotate.cli.datasets import DATASET_COUNTS
from tui_annotate.cli.help_format import START
from tui_annotate.cli.options import add_command, flag, open_workspace
from tui_annotate.cli.questions import LIST_UNANSWERED
from tui_annotate.domain.adjudication_history import PostAdjudicationCounts
from tui_annotate.domain.assignments import State
from tui_annotate.domain.people import Permission, is_allowed
from tui_annotate.domain.repeated_readings import RepeatedReadingCounts, count_repeated
from tui_annotate.domain.work_statistics import (
    RECENT,
    begin_with_hours,
    describe_end,
    describe_practice,
)
from tui_annotate.domain.workspace_files import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui_annotate.domain.work_statistics import (
        GoldAccuracy,
        Projection,
        SkippedChecks,
        WorkStatistics,
    )
    from tui_annotate.services.status import Status

_NONE = "-"
_FROM_POOL = {True: "yes", False: "no (fixed assignments)", None: _NONE}
_WHO = (output.flexible_column("annotator"), output.flexible_column("dataset"))


def register(app: typer.Typer) -> None:
    add_command(app, status, "status", "status --flagged", panel=START)


def status(
    *,
    flagged: Annotated[
        bool,
        flag(
            "--flagged", "List the samples that annotators flagged, with the reasons for the flags."
        ),
    ] = False,
    weeks: Annotated[
        int,
        typer.Option(
            metavar="N", min=1, max=520, help="Number of weeks in the chart of working hours."
        ),
    ] = 12,
    common: options.CommonOptions,
) -> None:
    """Show contents and annotation progress of the workspace.

    A reading is the work of one annotator on one sample. Hours are working time without pauses. The
    end date is estimated from the pace of the last two weeks. Annotators see only their own
    statistics. Admins also see the accuracy of annotators on gold samples.
    """
    with open_workspace(common.workspace) as space:
        found = space.status()
        waiting = space.team.proposals.refused()
        measured = space.team.progress.figures(weeks=weeks)
        runs = len(space.machines.scores.runs())
        later = (
            space.team.review.count_later_work()
            if is_allowed(space.actor, Permission.REPORT)
            else PostAdjudicationCounts()
        )
        repeated = count_repeated(space.team.log.repeated_readings().values())
        held = space.team.log.held_work()
        reviews = is_allowed(space.actor, Permission.REVIEW)
        changed = len(space.team.review.list_changed()) if reviews else 0
        unanswered = len(space.team.comments.list_threads(waiting=True))
    if common.as_json:
        from tui_annotate.services.progress import as_json as progress_as_json

        shown = asdict(found)
        contents = {"workspace": shown.pop("path"), **shown, "runs": runs}
        contents["after_adjudication"] = {**_later_work_to_json(later), "changed_samples": changed}
        contents["unanswered_questions"] = unanswered
        contents["second_readings"] = asdict(repeated)
        contents["completed_while_held_back"] = [
            {"person": person, "name": measured.names.get(person, person), "readings": count}
            for person, count in held.items()
        ]
        output.print_json(contents | progress_as_json(measured) | {"labels_refused": waiting})
    elif flagged:
        _print_flags(measured)
    else:
        _print_contents(found, runs)
        _print_later_work(later)
        _print_changed(changed)
        _print_unanswered(unanswered)
        _print_repeated_readings(repeated)
        _print_held_work(held, measured.names)
        _print_states(measured)
        _print_pace(measured)
        _print_progress(measured)
        _print_practice(measured)
        _print_gold(measured)
        _print_suggestion_answers(measured)
        labels.print_waiting(found.waiting)
        if waiting:
            file = shlex.quote(str(found.path / LABELS))
            output.print_problem(
                f"labels.yaml has changed and cannot be used: {waiting}",
                f"tui-annotate labels apply {file} --dry-run",
            )


def _print_contents(found: Status, runs: int) -> None:
    embedded = f"{output.many(found.embedded, 'document')}, {found.embedder}"
    vectors = embedded if found.embedded else "none"
    if found.by_words:
        vectors += (
            "; documents ranked lexically (words only), because the embedding model does not know"
            " their words:"
            f" {found.by_words:,}"
        )
    numbers = {title: getattr(found, name) for name, title in DATASET_COUNTS.items()}
    machines = {"machines": f"{output.many(runs, 'run')}; to list them: tui-annotate scores list"}
    facts = {"workspace": str(found.path), **numbers, "vectors": vectors}
    output.print_facts(facts | (machines if runs else {}))
    output.print_table_below(
        ["dataset", *map(output.number_column, DATASET_COUNTS.values())],
        [(each.name, *(getattr(each, name) for name in DATASET_COUNTS)) for each in found.datasets],
    )
    samples, annotated = map(output.number_column, ("samples", "annotated"))
    output.print_table_below(
        [
            output.flexible_column("dataset"),
            "kind",
            samples,
            output.flexible_column("annotator"),
            annotated,
        ],
        [
            (each.dataset, each.kind, each.samples, each.name or _NONE, each.annotated)
            for each in found.items
        ],
    )


def _later_work_to_json(later: PostAdjudicationCounts) -> dict[str, int]:
    return {**asdict(later), "reopenings": len(later.reopenings)}


def _print_later_work(later: PostAdjudicationCounts) -> None:
    if not (later.edits or later.reopenings):
        return
    output.print_line("")
    output.print_line(
        f"after adjudication: {output.many(later.edits, 'edit')} of annotators in"
        f" {later.edited_samples:,} of {output.many(later.adjudicated, 'adjudicated sample')}"
        f" ({later.edits_after_reopening:,} after a reopening,"
        f" {later.edits_without_reopening:,} without);"
        f" {output.many(len(later.reopenings), 'reopening')} by reviewers"
    )


def _print_changed(count: int) -> None:
    if count:
        command = output.add_workspace("tui-annotate review list")
        output.print_line(
            f"changed since adjudication: {output.many(count, 'sample')}; review again: {command}"
        )


def _print_unanswered(count: int) -> None:
    if count:
        command = output.add_workspace(LIST_UNANSWERED)
        output.print_line(f"unanswered questions: {count:,}; to list them: {command}")


def _print_repeated_readings(counts: RepeatedReadingCounts) -> None:
    if not (counts.edited_first or counts.edited_second or counts.reopened_first):
        return
    output.print_line("")
    output.print_line(
        f"second readings: {counts.readings:,}; edited after their completion:"
        f" {counts.edited_second:,}; first readings edited after the second began:"
        f" {counts.edited_first:,}; first readings that were reopened when the second began:"
        f" {counts.reopened_first:,}"
    )


def _print_held_work(held: Mapping[str, int], names: Mapping[str, str]) -> None:
    if not held:
        return
    counts = ", ".join(f"{names.get(person, person)}: {count:,}" for person, count in held.items())
    output.print_line("")
    output.print_line(
        f"readings completed elsewhere while work was paused or practice was not finished: {counts}"
    )


def _print_states(figures: WorkStatistics) -> None:
    numbers = (
        *("assigned", State.DONE.display_name, State.SKIPPED.display_name),
        *(State.FLAGGED.display_name, State.DRAFT.display_name, "annotations"),
    )
    counts = ("done", "skipped", "flagged", "open", "annotations")
    locked = any(each.locked for each in figures.work)
    pools = any(each.from_pool is not None for each in figures.work)
    output.print_table_below(
        [
            *_WHO,
            *map(output.number_column, numbers),
            *([output.number_column("locked")] if locked else []),
            *(["takes from pool"] if pools else []),
        ],
        [
            (
                each.name,
                each.dataset,
                _NONE if each.assigned is None else each.assigned,
                *(getattr(each, name) for name in counts),
                *([each.locked] if locked else []),
                *([_FROM_POOL[each.from_pool]] if pools else []),
            )
            for each in figures.work
        ],
    )


def _print_pace(figures: WorkStatistics) -> None:
    numbers = ("hours", "samples/h", "annotations/h")
    output.print_table_below(
        [*_WHO, *map(output.number_column, numbers), "ends"],
        [
            (
                each.name,
                each.dataset,
                f"{each.hours:,.1f}",
                _format_rate(each.samples_an_hour),
                _format_rate(each.annotations_an_hour),
                _format_end(each.end(figures.today), each.skipped, each.flagged),
            )
            for each in figures.work
        ],
    )


def _print_progress(figures: WorkStatistics) -> None:
    rows = [
        (
            each.dataset,
            _NONE if each.remaining is None else each.remaining,
            _format_end(each.end, *figures.set_aside(each.dataset)),
        )
        for each in figures.ahead
    ]
    output.print_table_below(
        [output.flexible_column("dataset"), output.number_column("readings remaining"), "ends"],
        rows,
    )
    if weeks := begin_with_hours(figures.weeks):
        output.print_line("")
        charts.print_bars([(week.week, week.shown_hours) for week in weeks], unit="h")


def _print_practice(figures: WorkStatistics) -> None:
    numbers = map(output.number_column, ("attempts", "score", "to pass"))
    output.print_table_below(
        [*_WHO, *numbers, "practice"],
        [
            (
                figures.names.get(each.person, each.person),
                each.dataset,
                each.attempts,
                f"{each.score:.0%}",
                _NONE if each.needed is None else f"{each.needed:.0%}",
                describe_practice(each),
            )
            for each in figures.practice
        ],
    )


def _print_gold(figures: WorkStatistics) -> None:
    skipped = {(each.dataset, each.person): each for each in figures.skipped_checks}
    rows = [
        (
            each.name,
            each.dataset,
            each.checks,
            f"{each.accuracy:.0%}",
            f"{each.recent:.0%}",
            _describe_alert(each, skipped.pop((each.dataset, each.person), None)),
        )
        for each in figures.gold
    ]
    # Without a completed check there is no accuracy, but skipping is no way out of the table.
    rows += [
        (each.name, each.dataset, 0, _NONE, _NONE, _describe_skipped(each))
        for each in skipped.values()
    ]
    numbers = map(output.number_column, ("gold checks", "accuracy", f"last {RECENT}"))
    output.print_table_below([*_WHO, *numbers, "alert"], rows)
    for each in figures.gold:
        if each.older_answers:
            output.print_note(_describe_older(each))
        if each.edited_later:
            output.print_note(_describe_edited_later(each))
    numbers = map(output.number_column, ("gold checks", "accuracy"))
    output.print_table_below(
        [*_WHO, "week", *numbers],
        [
            (each.name, each.dataset, week.week, week.checks, f"{week.accuracy:.0%}")
            for each in figures.gold
            for week in each.weeks
        ],
    )


def _print_suggestion_answers(figures: WorkStatistics) -> None:
    numbers = ("answered", "accepted", "changed", "refused", "removed", "acceptance")
    output.print_table_below(
        [*_WHO, *map(output.number_column, numbers)],
        [
            (
                figures.names.get(each.person, each.person),
                each.dataset,
                each.answered,
                each.accepted,
                each.changed,
                each.refused,
                each.removed,
                _NONE if each.acceptance is None else f"{each.acceptance:.0%}",
            )
            for each in figures.suggestions
            if each.answered or each.began_as_suggestions
        ],
    )
    for each in figures.suggestions:
        name = figures.names.get(each.person, each.person)
        if each.began_as_suggestions:
            began = output.many(each.began_as_suggestions, "annotation")
            every = each.acceptance == 1
            accepted = f"; accepted all {each.answered:,} answered suggestions" if every else ""
            output.print_note(f"{name}, {each.dataset}: {began} began as suggestions{accepted}")
        if each.undone:
            undone = output.many(each.undone, "acceptance")
            output.print_note(f"{name}, {each.dataset}: {undone} undone, without a later answer")
        if each.passed:
            passed = output.many(each.passed, "completed reading")
            output.print_note(f"{name}, {each.dataset}: suggestions without an answer in {passed}")


def _describe_alert(accuracy: GoldAccuracy, skipped: SkippedChecks | None) -> str:
    low = [f"below {accuracy.threshold:.0%}"] if accuracy.alert else []
    paused = ["paused"] if accuracy.paused else []
    return ", ".join(low + paused + ([_describe_skipped(skipped)] if skipped else []))


def _describe_skipped(checks: SkippedChecks) -> str:
    return f"checks skipped: {checks.skipped:,}"


def _describe_older(accuracy: GoldAccuracy) -> str:
    return (
        f"{accuracy.name}, {accuracy.dataset}: of {output.many(accuracy.checks, 'gold check')},"
        f" {accuracy.older_answers:,} compared with an answer that was changed later; to use the"
        f" present answers: tui-annotate assignments recompute --dataset {accuracy.dataset}"
    )


def _describe_edited_later(accuracy: GoldAccuracy) -> str:
    return (
        f"{accuracy.name}, {accuracy.dataset}: of {output.many(accuracy.checks, 'gold check')},"
        f" {accuracy.edited_later:,} edited after the first completion; the accuracy is that of the"
        " first completion"
    )


def _print_flags(figures: WorkStatistics) -> None:
    if not figures.flags:
        output.print_note("no samples are flagged")
        return
    output.print_table(
        ["dataset", "sample", "annotator", output.flexible_column("reason"), "at"],
        [
            (
                each.dataset,
                each.sample,
                figures.names.get(each.person, each.person),
                each.reason or _NONE,
                each.at[:16],
            )
            for each in figures.flags
        ],
    )


def _format_rate(value: float | None) -> str:
    return _NONE if value is None else f"{value:,.1f}"


def _format_end(end: Projection, skipped: int, flagged: int) -> str:
    shown = describe_end(end, skipped, flagged)
    return shown if end.day else f"({shown})"
