"""The command `status`, which shows contents and annotation progress of a workspace."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tui_annotate.cli import charts, labels, options, output
from tui_annotate.cli.datasets import DATASET_COUNTS
from tui_annotate.cli.help_format import CORE
from tui_annotate.cli.options import add_command, flag, open_workspace
from tui_annotate.cli.questions import LIST_UNANSWERED
from tui_annotate.cli.report_parts import (
    Cell,
    Column,
    Columns,
    Facts,
    Grid,
    MessagePart,
    NotePart,
    Part,
    Table,
    flexible_column,
    number_column,
    rare_column,
)
from tui_annotate.domain.assignments import State
from tui_annotate.domain.work_statistics import (
    RECENT,
    NoEndReason,
    begin_with_hours,
    describe_end,
    describe_practice,
)
from tui_annotate.domain.workspace_files import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tui_annotate.domain.adjudication_history import PostAdjudicationCounts
    from tui_annotate.domain.repeated_readings import RepeatedReadingCounts
    from tui_annotate.domain.work_statistics import (
        AnsweredSuggestions,
        FlaggedSample,
        GoldAccuracy,
        PersonWork,
        PracticeResult,
        Projection,
        RemainingWork,
        SkippedChecks,
        WorkStatistics,
    )
    from tui_annotate.services.status import Status
    from tui_annotate.storage.corpus.store import DatasetInfo
    from tui_annotate.storage.items import KindCount
    from tui_annotate.workspace.overview import WorkspaceOverview

_FULL_BAR: Final = 10
"""Hours in a week that fill a line of the chart, if no week has more."""
_NO_ESTIMATE: Final = {
    NoEndReason.NOT_BEGUN: "the work has not started",
    NoEndReason.BEGAN_TODAY: "the work started today, and an estimate needs two days",
    NoEndReason.NONE_YET: "no sample is completed yet",
    NoEndReason.IDLE: "no sample was completed in the last two weeks",
    NoEndReason.TOO_FAR: "at the present pace, the work ends in over ten years",
}
"""Reasons that are explained below the tables; pools and practice have no end."""
_MOST_NAMED: Final = 4
_MINUTE: Final = 60  # seconds
_FROM_POOL = {True: "yes", False: "no (fixed assignments)", None: None}
_WHO: Final[Columns[PersonWork]] = (
    flexible_column("annotator", "name"),
    flexible_column("dataset"),
)
_STATES: Final[Columns[PersonWork]] = (
    *_WHO,
    rare_column("assigned"),
    number_column(State.DONE.display_name, "completed"),
    rare_column(State.SKIPPED.display_name, "skipped"),
    rare_column(State.FLAGGED.display_name, "flagged"),
    number_column(State.DRAFT.display_name, "in_progress"),
    number_column(State.NEW.display_name, "new"),
    rare_column("locked"),
    Column("takes from pool", lambda each: _FROM_POOL[each.from_pool], rare=True),
)
_DATASETS: Final[Columns[DatasetInfo]] = (Column("dataset", "name"), *DATASET_COUNTS)
_KINDS: Final[Columns[KindCount]] = (
    flexible_column("dataset"),
    Column("kind"),
    number_column("samples"),
    flexible_column("annotator", lambda each: each.name or None),
    number_column("annotated"),
)


def register(app: typer.Typer) -> None:
    add_command(app, status, "status", "status --flagged", panel=CORE)


def status(
    *,
    flagged: Annotated[
        bool,
        flag(
            "--flagged",
            "List the samples that annotators flagged, with the reasons for the flags; --json"
            " always includes them.",
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

    A reading is the work of one annotator on one sample. The working time (hours:minutes) excludes
    pauses; numbers per hour (/h) need 15 minutes of work. The end of the work is estimated from the
    pace of the last two weeks, from an annotator's second day on. Annotators see only their own
    statistics. Admins also see the accuracy of annotators on gold samples, whose answers are known.
    """
    from tui_annotate.workspace.overview import read_overview

    with open_workspace(common.workspace) as space:
        overview = read_overview(space, weeks=weeks)
    text = _describe_flags(overview.statistics) if flagged else _describe_overview(overview)
    output.show(overview.as_json(), text, as_json=common.as_json)


def _describe_overview(overview: WorkspaceOverview) -> Iterator[Part]:
    contents = overview.contents
    statistics = overview.statistics
    adjudicated = overview.later_work.adjudicated
    yield from _describe_contents(contents, overview.runs, adjudicated=adjudicated)
    yield from _describe_later_work(overview.later_work)
    yield from _describe_open_reviews(
        changed=overview.changed_samples, unanswered=overview.unanswered_questions
    )
    yield from _describe_repeated_readings(overview.second_readings)
    yield from _describe_held_work(overview.held_work, statistics.names)
    yield from _describe_work(statistics)
    yield from _describe_practice(statistics)
    yield from _describe_gold(statistics)
    yield from _describe_suggestion_answers(statistics)
    yield labels.waiting_table(contents.waiting)
    if overview.labels_refused:
        file = shlex.quote(str(contents.path / LABELS))
        yield MessagePart(
            f"labels.yaml has changed and cannot be used: {overview.labels_refused}",
            hint=f"tui-annotate labels apply {file} --dry-run",
        )


def _describe_contents(contents: Status, runs: int, *, adjudicated: int) -> Iterator[Part]:
    facts: dict[str, Cell] = {"workspace": str(contents.path)}
    one = contents.datasets[0].name if len(contents.datasets) == 1 else ""
    if one:
        facts["dataset"] = one
    facts |= {each.title: each.cell(contents) for each in DATASET_COUNTS}
    facts["texts"] = f"{contents.documents:,} (sources and summaries; equal ones count once)"
    if readers := {each.person for each in contents.progress if each.completed}:
        by = output.many(len(readers), "annotator")
        facts["completed readings"] = f"{contents.completed:,} by {by}"
    if adjudicated:
        samples = output.many(contents.samples, "sample")
        facts["adjudicated"] = f"{adjudicated:,} of {samples}"
    facts["vectors"] = _describe_vectors(contents)
    if runs:
        command = output.add_workspace("tui-annotate lab scores list")
        facts["runs"] = f"{runs:,} (imports, scores, suggestions); list them: {command}"
    yield Facts(facts)
    yield Table([] if one else contents.datasets, _DATASETS, below=True)
    yield Table(contents.items, _KINDS, below=True)


def _describe_vectors(contents: Status) -> str:
    if not contents.embedded:
        return "none"
    which = "all texts"
    if contents.embedded < contents.documents:
        which = f"{contents.embedded:,} of {output.many(contents.documents, 'text')}"
    text = f"{which} (embedder {contents.embedder})"
    if contents.lexical_only:
        lexical = output.many(contents.lexical_only, "text")
        text += f"; lexical (words only), as the model lacks them: {lexical}"
    return text


def _describe_later_work(later: PostAdjudicationCounts) -> Iterator[Part]:
    if not (later.edits or later.reopenings):
        return
    yield ""
    yield (
        f"after adjudication: annotators edited {later.edited_samples:,} of"
        f" {output.many(later.adjudicated, 'adjudicated sample')}"
        f" ({output.many(later.edits, 'edit')}: {later.edits_after_reopening:,} after a reopening,"
        f" {later.edits_without_reopening:,} without one); reviewers made"
        f" {output.many(len(later.reopenings), 'reopening')}"
    )


def _describe_open_reviews(*, changed: int, unanswered: int) -> Iterator[Part]:
    if changed:
        command = output.add_workspace("tui-annotate review list")
        samples = output.many(changed, "sample")
        yield f"changed since adjudication: {samples}; review again: {command}"
    if unanswered:
        command = output.add_workspace(LIST_UNANSWERED)
        yield f"unanswered questions: {unanswered:,}; to list them: {command}"


def _describe_repeated_readings(counts: RepeatedReadingCounts) -> Iterator[Part]:
    if not (counts.edited_first or counts.edited_second or counts.reopened_first):
        return
    yield ""
    yield (
        f"second readings: {counts.readings:,}; edited after their completion:"
        f" {counts.edited_second:,}; first readings edited after the second began:"
        f" {counts.edited_first:,}; first readings that were reopened when the second began:"
        f" {counts.reopened_first:,}"
    )


def _describe_held_work(held: Mapping[str, int], names: Mapping[str, str]) -> Iterator[Part]:
    if not held:
        return
    counts = ", ".join(f"{names.get(person, person)}: {count:,}" for person, count in held.items())
    yield ""
    yield (
        f"readings completed elsewhere while work was paused or practice was not finished: {counts}"
    )


def _describe_work(statistics: WorkStatistics) -> Iterator[Part]:
    pace: Columns[PersonWork] = (
        *_WHO,
        number_column("annotations"),
        number_column("time", lambda each: _format_time(each.seconds)),
        number_column("samples/h", lambda each: _format_rate(each.samples_an_hour)),
        number_column("annotations/h", lambda each: _format_rate(each.annotations_an_hour)),
        Column(
            "estimated end",
            lambda each: _format_end(each.end(statistics.today), each.skipped, each.flagged),
        ),
    )
    ahead: Columns[RemainingWork] = (
        flexible_column("dataset"),
        number_column("readings remaining", "remaining"),
        Column(
            "estimated end", lambda each: _format_end(each.end, *statistics.set_aside(each.dataset))
        ),
    )
    remaining = [each for each in statistics.forecast if each.remaining is not None]
    if statistics.work:
        yield ""
        yield "samples by annotator:"
        yield Table(statistics.work, _STATES)
        yield ""
        yield "annotations and working time by annotator:"
        yield Table(statistics.work, pace)
    if remaining:
        yield ""
        yield "work that remains by dataset:"
        yield Table(remaining, ahead)
    yield from _explain_missing_ends(statistics)
    if weeks := begin_with_hours(statistics.weeks):
        yield ""
        yield "hours of work by week:"
        yield partial(
            charts.print_bars,
            [(week.week, week.shown_hours) for week in weeks],
            unit="h",
            full=_FULL_BAR,
        )


def _explain_missing_ends(statistics: WorkStatistics) -> Iterator[Part]:
    """Explain for which annotators no end is estimated, each reason once."""
    several = len({each.dataset for each in statistics.work}) > 1
    people: dict[str, list[str]] = {}
    for each in statistics.work:
        why = _NO_ESTIMATE.get(NoEndReason(each.end(statistics.today).reason or NoEndReason.POOL))
        if why:
            name = f"{each.name} in {each.dataset}" if several else each.name
            people.setdefault(why, []).append(name)
    if people:
        yield ""
    for why, names in people.items():
        yield f"no estimated end for {output.join_names(names, most=_MOST_NAMED)}: {why}"


def _describe_practice(statistics: WorkStatistics) -> Iterator[Part]:
    columns: Columns[PracticeResult] = (
        flexible_column("annotator", lambda each: statistics.names.get(each.person, each.person)),
        flexible_column("dataset"),
        number_column("attempts"),
        number_column("score", lambda each: f"{each.score:.0%}"),
        number_column("to pass", lambda each: _format_percentage(each.needed)),
        Column("practice", describe_practice),
    )
    yield Table(statistics.practice, columns, below=True)


def _describe_gold(statistics: WorkStatistics) -> Iterator[Part]:
    skipped = {(each.dataset, each.person): each for each in statistics.skipped_checks}
    rows: list[tuple[Cell, ...]] = [
        (
            each.name,
            each.dataset,
            each.checks,
            f"{each.accuracy:.0%}",
            f"{each.recent_accuracy:.0%}",
            _describe_alert(each, skipped.get((each.dataset, each.person))),
        )
        for each in statistics.gold
    ]
    # A person who completed no check has no accuracy; a row shows that they skipped checks.
    completed = {(each.dataset, each.person) for each in statistics.gold}
    rows += [
        (each.name, each.dataset, 0, None, None, _describe_skipped(each))
        for pair, each in skipped.items()
        if pair not in completed
    ]
    checks: Column[Any] = number_column("gold checks")
    accuracy: Column[Any] = number_column("accuracy")
    yield Grid(
        (*_WHO, checks, accuracy, number_column(f"last {RECENT}"), "alert"), rows, below=True
    )
    for each in statistics.gold:
        if each.older_answers:
            yield NotePart(_describe_older(each))
        if each.edited_later:
            yield NotePart(_describe_edited_later(each))
    weeks = [
        (each.name, each.dataset, week.week, week.checks, f"{week.accuracy:.0%}")
        for each in statistics.gold
        for week in each.weeks
    ]
    yield Grid((*_WHO, "week", checks, accuracy), weeks, below=True)


def _describe_suggestion_answers(statistics: WorkStatistics) -> Iterator[Part]:
    columns: Columns[AnsweredSuggestions] = (
        flexible_column("annotator", lambda each: statistics.names.get(each.person, each.person)),
        flexible_column("dataset"),
        number_column("answered"),
        number_column("accepted"),
        number_column("changed"),
        number_column("refused"),
        number_column("removed"),
        number_column("acceptance", lambda each: _format_percentage(each.acceptance)),
    )
    rows = [each for each in statistics.suggestions if each.answered or each.began_as_suggestions]
    yield Table(rows, columns, below=True)
    for each in statistics.suggestions:
        name = statistics.names.get(each.person, each.person)
        if each.began_as_suggestions:
            began = output.many(each.began_as_suggestions, "annotation")
            every = each.acceptance == 1
            accepted = f"; accepted all {each.answered:,} answered suggestions" if every else ""
            yield NotePart(f"{name}, {each.dataset}: {began} began as suggestions{accepted}")
        if each.undone:
            undone = output.many(each.undone, "acceptance")
            yield NotePart(f"{name}, {each.dataset}: {undone} undone, without a later answer")
        if each.passed:
            passed = output.many(each.passed, "completed reading")
            yield NotePart(f"{name}, {each.dataset}: suggestions without an answer in {passed}")


def _describe_alert(accuracy: GoldAccuracy, skipped: SkippedChecks | None) -> str:
    low = [f"below {accuracy.threshold:.0%}"] if accuracy.alert else []
    paused = ["paused"] if accuracy.paused else []
    return ", ".join(low + paused + ([_describe_skipped(skipped)] if skipped else []))


def _describe_skipped(checks: SkippedChecks) -> str:
    return f"checks skipped: {checks.skipped:,}"


def _describe_older(accuracy: GoldAccuracy) -> str:
    dataset = shlex.quote(accuracy.dataset)
    return (
        f"{accuracy.name}, {accuracy.dataset}: of {output.many(accuracy.checks, 'gold check')},"
        f" {accuracy.older_answers:,} compared with an answer that was changed later; to use the"
        f" present answers: tui-annotate assignments rescore-gold --dataset {dataset}"
    )


def _describe_edited_later(accuracy: GoldAccuracy) -> str:
    return (
        f"{accuracy.name}, {accuracy.dataset}: of {output.many(accuracy.checks, 'gold check')},"
        f" {accuracy.edited_later:,} edited after the first completion; the accuracy is that of the"
        " first completion"
    )


def _describe_flags(statistics: WorkStatistics) -> Iterator[Part]:
    columns: Columns[FlaggedSample] = (
        Column("dataset"),
        Column("sample"),
        Column("annotator", lambda each: statistics.names.get(each.person, each.person)),
        flexible_column("reason", lambda each: each.reason or None),
        Column("at", lambda each: each.at[:16]),  # date, hour and minute
    )
    if statistics.flags:
        yield Table(statistics.flags, columns)
    else:
        yield NotePart("no samples are flagged")


def _format_rate(value: float | None) -> str | None:
    return None if value is None else f"{value:,.1f}"


def _format_percentage(value: float | None) -> str | None:
    return None if value is None else f"{value:.0%}"


def _format_time(seconds: float) -> str | None:
    if not seconds:
        return None
    if seconds < _MINUTE:
        return "under a minute"
    minutes = round(seconds / 60)
    return f"{minutes // 60:,}:{minutes % 60:02}"


def _format_end(end: Projection, skipped: int, flagged: int) -> str | None:
    """Return the estimated day, or what completed work left; None without an estimate."""
    completed = end.reason == NoEndReason.COMPLETED
    if end.day or (completed and (skipped or flagged)):
        return describe_end(end, skipped, flagged)
    return None
