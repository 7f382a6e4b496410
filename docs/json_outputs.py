"""Lists the type of the JSON value that each command prints, for the schemas in docs/schemas.

No command imports this module. A value that a command builds has a typed dict next to the function
that builds it; a report that is printed as it is has its own class. Only values that add fields to
a report are put together here.
"""

from __future__ import annotations

from typing import Any, Final, NotRequired, TypedDict

from docs.json_schemas import AnyOf, Fields, ListOf
from tui_annotate.cli.annotate import ClearedWork, PrintedAction
from tui_annotate.cli.assignments import PrintedEscalation, PrintedGold, PrintedPool
from tui_annotate.cli.audit import HeadWithStreams, PrintedVerdict
from tui_annotate.cli.bundles import PrintedBundle, PrintedMerge
from tui_annotate.cli.convert import PrintedFormat
from tui_annotate.cli.datasets import DatasetRules, DeletedDataset
from tui_annotate.cli.endpoint_trust import StoredTrust
from tui_annotate.cli.guidelines import AppliedGuidelines, DiffLine, VersionText
from tui_annotate.cli.init import CreatedWorkspace
from tui_annotate.cli.labels import PrintedLabel, PrintedRules
from tui_annotate.cli.match import MatchesOfSpan
from tui_annotate.cli.people import ListedPerson
from tui_annotate.cli.pseudonyms import CreatedKey, PrintedPseudonym
from tui_annotate.cli.questions import PrintedComment, PrintedThread
from tui_annotate.cli.report import PrintedReport
from tui_annotate.cli.review import AllowedReview, PrintedReviewSample, ReopenedWork
from tui_annotate.cli.sessions import EndedSessions, PrintedSession
from tui_annotate.cli.snapshots import ReplayedState
from tui_annotate.cli.ssh import (
    DeletedSshKey,
    PrintedKeyLines,
    PrintedSetup,
    PrintedSshKey,
    WrittenKeyLines,
)
from tui_annotate.cli.store import MovedStore, StoreLocation
from tui_annotate.cli.suggestions import DeletedSuggestions, HiddenSuggestions, PrintedAnswers
from tui_annotate.cli.sync import (
    DeletedWork,
    FolderStatus,
    PrintedSql,
    PushedWork,
    TableStatus,
    WrittenRows,
)
from tui_annotate.cli.users import (
    AcceptedInvite,
    AccountDetails,
    InvitedAccount,
    PrintedAccount,
    PrintedAccountImport,
    WrittenAccounts,
)
from tui_annotate.cli.vectors import (
    DeletedVectors,
    DownloadedModel,
    InstalledModel,
    PrintedCost,
    PrintedVectorSet,
    RebuiltVectors,
)
from tui_annotate.cli.written_data import WrittenData
from tui_annotate.domain.adjudication_history import PostAdjudicationCounts
from tui_annotate.domain.findings import DiagnosticFinding
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
    Week,
)
from tui_annotate.lab.assist.report import PrintedAssistCounts
from tui_annotate.lab.judge.command_runs import PrintedEvaluation
from tui_annotate.lab.judge.commands import (
    PrintedProposalPlan,
    PrintedProposals,
    PrintedReplyCache,
    WrittenPrompts,
)
from tui_annotate.lab.judge.context_order import PrintedContextOrder
from tui_annotate.lab.judge.evaluation import EvaluatedQuestion, EvaluationDetails
from tui_annotate.lab.judge.reference_answers import PrintedReferenceAnswer
from tui_annotate.lab.judge.runner import PrintedJudgePlan
from tui_annotate.lab.position.commands import PrintedModelRun, WrittenStudyPrompts
from tui_annotate.lab.position.evaluation import HumanAgreement, PrintedPositionScore
from tui_annotate.lab.position.row_generation import GenerationReport
from tui_annotate.lab.score.commands import (
    ListedRun,
    PrintedProbe,
    PrintedRun,
    PrintedScoring,
    ScorerWithoutValues,
    ScoringPlan,
)
from tui_annotate.lab.score.comparison_output import PrintedScoreComparison
from tui_annotate.lab.score.pipeline_command import PipelinePlan, PrintedPipeline
from tui_annotate.lab.score.rank_command import PrintedRanking
from tui_annotate.services.agreement.output import BootstrapParameters, PrintedAgreement
from tui_annotate.services.assignments.report import (
    AssignmentOverview,
    GoldRuleResult,
    HandoutReport,
    RecomputedGold,
    ResumedWork,
)
from tui_annotate.services.backup import BackupReport
from tui_annotate.services.freeze import FrozenState, ReplayReport
from tui_annotate.services.guidelines import GuidelinesVersion
from tui_annotate.services.ingest.report import IngestOutcome, IngestReport
from tui_annotate.services.relabel import LabelSetVersion
from tui_annotate.services.relabel.change_writer import RelabelReport
from tui_annotate.services.review.decisions import ReviewDecision
from tui_annotate.services.status import Status
from tui_annotate.services.suggestions import PrintedSuggestionReport, SuggestionCounts
from tui_annotate.storage.assignments.store import WithdrawalResult
from tui_annotate.storage.corpus.store import DatasetInfo, DatasetProgress
from tui_annotate.storage.log.person_merge import PersonMerge

# ---------------------------------------------------------------- status


class HeldBackWork(TypedDict):
    """Readings that a person completed on another machine during practice or a pause."""

    person: str
    name: str
    readings: int


_WORK: Final = Fields(PersonWork, "hours", "samples_an_hour", "annotations_an_hour", end=Projection)
_STATUS: Final = Fields(
    Status,
    without=["path"],
    workspace=str,
    runs=int,
    after_adjudication=Fields(PostAdjudicationCounts, reopenings=int, changed_samples=int),
    unanswered_questions=int,
    second_readings=RepeatedReadingCounts,
    completed_while_held_back=list[HeldBackWork],
    people=ListOf(_WORK),
    weeks=ListOf(Fields(Week, "hours", without=["seconds"])),
    forecast=list[RemainingWork],
    flags=list[FlaggedSample],
    gold=ListOf(Fields(GoldAccuracy, "alert")),
    gold_skipped=list[SkippedChecks],
    practice=ListOf(Fields(PracticeResult, name=str)),
    suggestion_answers=ListOf(Fields(AnsweredSuggestions, "answered", "acceptance", name=str)),
    labels_refused=str,
)

# ---------------------------------------------------------------- data files


class ExcludedWork(TypedDict):
    """Samples with practice work, and gold checks, that were not exported."""

    practice: int
    gold: int


class ConversionCounts(TypedDict):
    """What was not read from the input.

    Attributes:
        files_refused: whole files that were skipped.
        spans_refused: spans and annotations without which their samples were read.
        problem_kinds: number of problems of each kind.
    """

    refused: int
    files_refused: int
    spans_refused: int
    warnings: int
    problem_kinds: dict[str, int]


_SUGGESTION: Final = Fields(
    PrintedAnswers,
    dataset=str,
    sample=str,
    id=str,
    maker=str,
    run=str,
    claim=list[tuple[str, int, int, int]],
    evidence=list[tuple[str, int, int, int]],
    labels=list[list[str]],
    note=str,
    score=float | None,
)


class DecidedSpan(TypedDict):
    """A span of a decision, with its text.

    Attributes:
        document: index of the document among those of its side, from 0.
        document_key: key of the document among those of its side; may be empty.
    """

    side: str
    document: int
    document_key: str
    start: int
    end: int
    text: str


# ---------------------------------------------------------------- lab assist


class QueryMeasures(TypedDict):
    """Measures of queries; null without queries."""

    queries: int
    recall_at_1: float | None
    recall_at_3: float | None
    recall_at_5: float | None
    mrr: float | None


class QuerySlice(QueryMeasures):
    """Measures of a subset of the queries.

    Attributes:
        intervals: [low, high] by measure; null for fewer than 3 clusters.
    """

    sources: int
    clusters: int
    intervals: dict[str, tuple[float, float]] | None


class ScreenMeasures(QueryMeasures):
    """Measures of the matches that the screen displays.

    Attributes:
        blank: number of queries for which the screen displays no match.
    """

    blank: int
    intervals: dict[str, tuple[float, float]] | None


class MeasureDifference(TypedDict):
    """A difference of a measure with its interval; null without queries or resamples."""

    difference: float | None
    interval: tuple[float, float] | None
    excludes_zero: bool


class QueryDifferences(TypedDict):
    """Differences of the measures of an embedder and the first embedder."""

    queries: int
    sources: int
    clusters: int
    recall_at_1: MeasureDifference
    recall_at_3: MeasureDifference
    recall_at_5: MeasureDifference
    mrr: MeasureDifference


class EmbedderDifference(TypedDict):
    """Differences by direction, and by subset of the queries."""

    embedder: str
    against: str
    summary_to_source: QueryDifferences
    source_to_summary: QueryDifferences
    slices: dict[str, dict[str, QueryDifferences]]


class EmbedderEvaluation(TypedDict):
    """Measures of an embedder.

    Attributes:
        model: empty for lexical ranking.
        weights: version of the stored weights that ranked; empty for the built-in weights.
        slices: measures of subsets of the queries, by direction and name.
    """

    summary_to_source: QueryMeasures
    source_to_summary: QueryMeasures
    embedder: str
    model: str
    weights: str
    intervals: dict[str, dict[str, tuple[float, float]] | None]
    screen: dict[str, ScreenMeasures]
    slices: dict[str, dict[str, QuerySlice]]


class AssistEvaluation(EmbedderEvaluation):
    """Measures of an embedder, and of those that are compared with it; counts by direction."""

    segmenter: str
    min_segments: int
    suggested: dict[str, int]
    without_suggested_work: bool
    from_match: dict[str, int]
    sources: dict[str, int]
    clusters: dict[str, int]
    bootstrap: BootstrapParameters
    compared: list[EmbedderEvaluation]
    differences: list[EmbedderDifference]


class TuningMeasures(QueryMeasures):
    """Means of the measures."""

    brier: float | None


class TuningComparison(QueryDifferences):
    """Measures of the built-in (`old`) and the new weights, and their differences."""

    brier: MeasureDifference
    old: TuningMeasures
    new: TuningMeasures


class TunedCurve(TypedDict):
    """New weights by signal, and the score curve."""

    direction: str
    weights: dict[str, float]
    slope: float
    offset: float


class AssistTuning(TypedDict):
    """New weights of the assist.

    Attributes:
        embedder: `none` for lexical ranking.
        weights, weights_in_use: versions; empty for the built-in weights.
        applied: version of the weights that were stored; empty if nothing was stored.
        folds: number of parts of the sources.
        measures: for `both` directions and for each.
        improved: whether `--apply` stores the new weights.
        worse: measures that are worse beyond their interval.
    """

    embedder: str
    weights: str
    weights_in_use: str
    applied: str
    seed: int
    folds: int
    clusters: int
    suggested: dict[str, int]
    without_suggested_work: bool
    from_match: dict[str, int]
    curves: list[TunedCurve]
    measures: dict[str, TuningComparison]
    improved: bool
    worse: list[str]


class UndoneTuning(TypedDict):
    """Version of the weights that were in use; empty for damaged weights."""

    undone: str


class NamedAssistCounts(PrintedAssistCounts):
    """These counts of an annotator, a label, a period or a ranking."""

    name: str


class AssistReport(PrintedAssistCounts):
    """How annotators used matches; `by_month` or `by_week`, depending on `period`."""

    period: str
    by_annotator: list[NamedAssistCounts]
    by_label: list[NamedAssistCounts]
    by_month: NotRequired[list[NamedAssistCounts]]
    by_week: NotRequired[list[NamedAssistCounts]]
    by_ranking: list[NamedAssistCounts]


# ---------------------------------------------------------------- lab position

_KEY: Final = NotRequired[int | str | None]
_GROUP_KEYS: Final[dict[str, Any]] = {
    "model": _KEY,
    "task": _KEY,
    "documents": _KEY,
    "gold-position": _KEY,
    "file": _KEY,
}
_EVALUATION: Final = Fields(
    by=list[str],
    groups=ListOf(Fields(PrintedPositionScore, **_GROUP_KEYS)),
    all=PrintedPositionScore,
    split=list[str],
    tables=ListOf(Fields(**_GROUP_KEYS, all=PrintedPositionScore)),
    repeated=int,
    people=AnyOf(Fields(HumanAgreement, "judged", "kappa"), None),
    empty_golds=int,
    unscored=int,
    left_out=int,
)

# ---------------------------------------------------------------- lab judge

_METRIC: Final = NotRequired[float | None]
_EVALUATED: Final = Fields(
    EvaluatedQuestion,
    EvaluationDetails,
    answer_relevancy=_METRIC,
    faithfulness=_METRIC,
    context_recall=_METRIC,
    context_precision=_METRIC,
)

# ---------------------------------------------------------------- all commands

_INGEST: Final = Fields(IngestReport, outcome=IngestOutcome)
_ASSIGNMENT: Final = Fields(HandoutReport, dry_run=bool)
_MERGED_PERSON: Final = Fields(PersonMerge, person=str, owner=str)
_NORMALIZED: Final = Fields(RelabelReport, PrintedRules)

OUTPUTS: Final[dict[str, Any]] = {
    "agreement": PrintedAgreement,
    "annotate": list[PrintedAction],
    "assignments create": _ASSIGNMENT,
    "assignments escalate": PrintedEscalation,
    "assignments gold": PrintedGold,
    "assignments list": AssignmentOverview,
    "assignments move": _ASSIGNMENT,
    "assignments pool": PrintedPool,
    "assignments practice": _ASSIGNMENT,
    "assignments promote-to-gold": Fields(GoldRuleResult, dataset=str, adjudicated=int),
    "assignments repeat": _ASSIGNMENT,
    "assignments rescore-gold": RecomputedGold,
    "assignments resume": ResumedWork,
    "assignments top-up": _ASSIGNMENT,
    "assignments undo": WithdrawalResult,
    "audit head": HeadWithStreams,
    "audit snapshots create": FrozenState,
    "audit snapshots list": list[FrozenState],
    "audit snapshots replay": AnyOf(ReplayedState, Fields(ReplayReport, "same")),
    "audit verify": PrintedVerdict,
    "backup create": BackupReport,
    "backup restore": BackupReport,
    "convert": Fields(WrittenData, ConversionCounts, file=str),
    "datasets clear": ClearedWork,
    "datasets delete": DeletedDataset,
    "datasets edit": DatasetRules,
    "datasets formats": AnyOf(PrintedFormat, list[PrintedFormat]),
    "datasets list": list[DatasetInfo],
    "datasets replace": _INGEST,
    "datasets show": Fields(DatasetInfo, people=list[DatasetProgress], sample_ids=list[str]),
    "doctor": list[DiagnosticFinding],
    "export": Fields(WrittenData, file=str, excluded=ExcludedWork),
    "guidelines apply": AppliedGuidelines,
    "guidelines diff": list[list[DiffLine]],
    "guidelines list": list[GuidelinesVersion],
    "guidelines show": VersionText,
    "ingest": _INGEST,
    "init": CreatedWorkspace,
    "lab assist evaluate": AssistEvaluation,
    "lab assist report": AssistReport,
    "lab assist tune": AnyOf(AssistTuning, UndoneTuning),
    "lab judge cache": PrintedReplyCache,
    "lab judge evaluate": AnyOf(
        Fields(PrintedEvaluation, rows=ListOf(_EVALUATED)), PrintedJudgePlan
    ),
    "lab judge export-prompts": WrittenPrompts,
    "lab judge generate": AnyOf(list[PrintedReferenceAnswer], PrintedJudgePlan),
    "lab judge sort": AnyOf(list[PrintedContextOrder], PrintedJudgePlan),
    "lab judge suggest": AnyOf(PrintedProposals, PrintedProposalPlan),
    "lab match": MatchesOfSpan,
    "lab models download": DownloadedModel,
    "lab models install": InstalledModel,
    "lab pipeline": AnyOf(PrintedPipeline, PipelinePlan),
    "lab position build-prompts": WrittenStudyPrompts,
    "lab position create-kv": GenerationReport,
    "lab position create-qa": GenerationReport,
    "lab position evaluate": _EVALUATION,
    "lab position run": PrintedModelRun,
    "lab scores compare": PrintedScoreComparison,
    "lab scores compute": ListOf(AnyOf(PrintedScoring, ScorerWithoutValues, ScoringPlan)),
    "lab scores delete": PrintedRun,
    "lab scores import": PrintedScoring,
    "lab scores list": list[ListedRun],
    "lab scores rank": PrintedRanking,
    "lab scores train-probe": PrintedProbe,
    "lab trust-endpoint": StoredTrust,
    "lab vectors delete": DeletedVectors,
    "lab vectors list": list[PrintedVectorSet],
    "lab vectors rebuild": AnyOf(RebuiltVectors, PrintedCost),
    "labels apply": RelabelReport,
    "labels check": list[PrintedLabel],
    "labels history": list[LabelSetVersion],
    "labels list": list[PrintedLabel],
    "labels merge": RelabelReport,
    "labels normalize": _NORMALIZED,
    "labels rename": RelabelReport,
    "labels retire": RelabelReport,
    "labels show": VersionText,
    "labels split": RelabelReport,
    "labels undo": RelabelReport,
    "messages announcements create": PrintedComment,
    "messages announcements list": list[PrintedComment],
    "messages questions ask": PrintedThread,
    "messages questions list": list[PrintedThread],
    "messages questions reply": PrintedThread,
    "report": Fields(PrintedReport, file=str, pages=list[str]),
    "review allow": AllowedReview,
    "review export": ListOf(Fields(ReviewDecision, spans=list[DecidedSpan])),
    "review list": list[PrintedReviewSample],
    "review reopen": ReopenedWork,
    "status": _STATUS,
    "store move": MovedStore,
    "store show": StoreLocation,
    "suggestions create": SuggestionCounts,
    "suggestions delete": DeletedSuggestions,
    "suggestions hide": HiddenSuggestions,
    "suggestions import": SuggestionCounts,
    "suggestions list": ListOf(_SUGGESTION),
    "suggestions report": PrintedSuggestionReport,
    "suggestions unhide": HiddenSuggestions,
    "sync bundles create": PrintedBundle,
    "sync bundles merge": PrintedMerge,
    "sync delete": DeletedWork,
    "sync pull": AnyOf(list[PrintedMerge], WrittenRows),
    "sync push": PushedWork,
    "sync status": AnyOf(TableStatus, FolderStatus),
    "sync table-sql": PrintedSql,
    "users accept-invite": AcceptedInvite,
    "users create": InvitedAccount,
    "users delete": PrintedAccount,
    "users disable": PrintedAccount,
    "users edit": PrintedAccount,
    "users enable": PrintedAccount,
    "users export": Fields(WrittenAccounts, file=str),
    "users import": PrintedAccountImport,
    "users invite": InvitedAccount,
    "users list": AnyOf(list[PrintedAccount], list[ListedPerson]),
    "users merge": _MERGED_PERSON,
    "users pseudonyms list": list[PrintedPseudonym],
    "users pseudonyms new-key": CreatedKey,
    "users reset-password": PrintedAccount,
    "users sessions end": EndedSessions,
    "users sessions list": list[PrintedSession],
    "users show": AccountDetails,
    "users ssh authorized-keys": AnyOf(PrintedKeyLines, WrittenKeyLines),
    "users ssh keys add": PrintedSshKey,
    "users ssh keys delete": DeletedSshKey,
    "users ssh keys list": list[PrintedSshKey],
    "users ssh setup": PrintedSetup,
    "users unmerge": _MERGED_PERSON,
}
"""Maps a command to the type of its JSON value."""
