"""Scores of a dataset, computed by a scorer or imported; stored completely or not at all."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import tee
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import InvalidInput, NoScoreValues, NotFound, NotReady
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.progress import TaskProgress, replies_from, time_phase
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.lab.argument_types import check_fields
from tui_annotate.lab.chat.replies import ReplyTally
from tui_annotate.lab.model_makers import MODEL_PATH, hash_name, name_apart
from tui_annotate.lab.score.sample_reader import (
    AUTO,
    AnsweredQuestion,
    DatasetReader,
    check_language,
)
from tui_annotate.lab.score.score_import import ColumnNames, ColumnScores, read_file_scores
from tui_annotate.lab.score.score_values import RawScore, ScoreValues, describe_reason
from tui_annotate.lab.score.scorers.similarity import CHARACTERS
from tui_annotate.plugins import registry
from tui_annotate.plugins.plugin_results import (
    OpinionChecker,
    check_cost,
    check_count,
    check_names,
    check_parameters,
)
from tui_annotate.plugins.protocols import EmbeddingCost
from tui_annotate.plugins.scoring import (
    CostlyScorer,
    Opinion,
    Scorer,
    ScorerOptions,
    SentenceScorer,
)
from tui_annotate.storage.corpus.store import SegmentStore

if TYPE_CHECKING:
    from tui_annotate.workspace.machines import MachineServices


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreOptions:
    """Options for scoring a dataset.

    `limit`: number of questions with answers, or else of samples, to score; 0 for all.
    """

    dataset: str
    scorer: str
    language: str = AUTO
    keep_thinking: bool = False
    limit: int = 0
    options: ScorerOptions = field(default_factory=ScorerOptions)

    def __post_init__(self) -> None:
        check_fields(self)
        check_fields(self.options)
        if self.limit < 0:
            raise InvalidInput(
                f"invalid number of questions or samples to score: {self.limit:,}",
                "pass a limit of at least 1, or 0 for all",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreReport:
    """The result of scoring a dataset.

    Attributes:
        samples: number of samples with a value of at least one score.
        scores, values: number of stored scores, and of those with a value.
        skipped: number of samples without any value.
        missing: number of texts without a value, by the name of the score.
        failed: number of texts for which the scorer or its embedder failed.
    """

    run: ScoreRun
    samples: int
    scores: int
    skipped: int = 0
    values: int = 0
    missing: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    tally: ReplyTally | None = None
    failed: int = 0


@check_keywords
@dataclass(frozen=True, slots=True)
class ScoreService:
    """Computes and imports scores of a dataset; only for admins."""

    machines: MachineServices

    def run(
        self, options: ScoreOptions, *, progress: Callable[[TaskProgress], None] | None = None
    ) -> ScoreReport:
        """Score a dataset, and store the scores completely or not at all.

        Raises:
            NotFound, NotReady: the dataset does not exist, or contains nothing to score.
            NoScoreValues: the scorer has no value for any sample; nothing is stored.
            InvalidInput: the scorer is unknown, or does not fit the dataset.
            Unavailable: a requirement of the scorer is missing, the scorer fails, or its results
                do not fit the samples; nothing is stored.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        samples = self._count_samples(options.dataset)
        scorer = registry.load_scorer(options.scorer, options.options)
        reader = self._open_reader(options)
        name = options.scorer.partition(":")[0]
        guard = partial(registry.guard_plugin, "scorers", name)
        checker = OpinionChecker(name)
        with closing(ScoreValues()) as values:
            with guard():
                waiting = replies_from(str(getattr(scorer, "host", "")))
                on_read = time_phase(progress, "scoring", total=samples, waiting=waiting)
                values.add(_score_samples(scorer, reader, on_read, checker=checker))
            if not values.samples:
                raise NotReady(
                    f"dataset {options.dataset!r} has no sample that {name} can score",
                    "add samples with a source and a summary",
                )
            if not values.values:
                raise _no_values(scorer, options, values, notes=checker.notes())
            with guard():
                run = _describe_run(scorer, options, plugin=name)
                run = name_apart(run, self.machines.scores.runs(options.dataset), scorer=name)
                own_notes = tuple(map(str, getattr(scorer, "notes", ())))
                tally = getattr(scorer, "tally", None)
                failed = check_count(getattr(scorer, "failed", 0), plugin=name, name="failed")
            report = self._store_run(run, values, skipped=reader.skipped)
            notes = (*own_notes, *checker.notes(), *report.notes)
            if options.limit:
                notes += (
                    f"the other samples have no score of this run (--limit {options.limit:,})",
                )
            return replace(
                report,
                notes=notes,
                tally=tally if isinstance(tally, ReplyTally) else None,
                failed=failed,
            )

    def cost(self, options: ScoreOptions) -> tuple[int, EmbeddingCost | None]:
        """Return the number of samples to score, and the cost of scoring them; None if free."""
        samples = self._count_samples(options.dataset)
        scorer = registry.load_scorer(options.scorer, options.options)
        reader = self._open_reader(options)
        if not reader.has_answers():
            return min(samples, options.limit or samples), None
        if options.limit:
            samples = sum(len(each.keys) for each in reader.questions(lambda _: None))
        if not isinstance(scorer, CostlyScorer):
            return samples, None
        questions = (each.answers for each in reader.questions(lambda _: None))
        name = options.scorer.partition(":")[0]
        with registry.guard_plugin("scorers", name):
            return samples, check_cost(scorer.cost(questions), plugin=name)

    @earlier_keywords(name="score")
    def from_file(
        self, path: Path | str, *, score: str, dataset: str, options: ColumnNames
    ) -> ScoreReport:
        """Import the scores of a file with sample ids; if a row is invalid, import none.

        Raises:
            NotFound: the dataset or the file does not exist.
            InvalidInput, InvalidRecord: a row has an unknown or repeated sample, or no number; or
                the name is empty.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        self._count_samples(dataset)
        if not score.strip():
            raise InvalidInput(
                "the score has no name",
                "name the score, for example: --score faithfulness",
                code="score-unnamed",
            )
        path = Path(path)
        keys = [key.id for key in self.machines.corpus.keys(dataset)]
        with closing(ScoreValues()) as values:
            values.add(read_file_scores(path, keys, name=score, dataset=dataset, options=options))
            low = frozenset({score} if options.lower_is_better else ())
            parameters = {"file": path.name}
            run = _new_run(dataset, f"import:{score}", parameters=parameters, low=low)
            missing = len(keys) - values.samples
            return self._store_run(run, values, skipped=missing)

    @earlier_keywords(names="sample_columns")
    def from_columns(self, dataset: str, *, sample_columns: Iterable[str] = ()) -> ScoreReport:
        """Import scores from columns of the samples; by default, from all known score columns.

        Raises:
            NotFound: the dataset does not exist, or no sample has such a column.
            InvalidInput: a column contains a value that is not a number.
            NotAllowed: the current user may not manage the workspace.
        """
        require_permission(self.machines.actor, Permission.MANAGE)
        self._count_samples(dataset)
        reader = self._open_reader(ScoreOptions(dataset=dataset, scorer=""))
        with closing(ScoreValues()) as values:
            columns = ColumnScores(reader, tuple(sample_columns), reader.has_answers())
            values.add(columns.scores())
            if not values.samples:
                wanted = ", ".join(sample_columns) or "scores of generated answers"
                raise NotFound(f"no sample of dataset {dataset!r} has a score column: {wanted}")
            parameters = {"columns": sorted(columns.found), "normalised_before": columns.before}
            run = _new_run(dataset, columns.maker, parameters=parameters, low=columns.low)
            return self._store_run(run, values, before=columns.before)

    def _store_run(
        self, run: ScoreRun, values: ScoreValues, *, skipped: int = 0, before: Collection[str] = ()
    ) -> ScoreReport:
        stored = self.machines.scores.write(run, values.scores(run.dataset, before=before))
        return ScoreReport(
            run=next(each for each in self.machines.scores.runs(run.dataset) if each.id == run.id),
            samples=values.valued,
            scores=stored,
            skipped=skipped + values.samples - values.valued,
            values=values.values,
            missing=values.missing(),
            notes=tuple(values.notes()),
        )

    def _count_samples(self, dataset: str) -> int:
        there = {info.name: info.samples for info in self.machines.corpus.datasets()}
        if not there.get(dataset):
            known = ", ".join(there) or "none"
            raise NotFound(
                f"there is no dataset {dataset!r} with samples", f"existing datasets: {known}"
            )
        return there[dataset]

    def _open_reader(self, options: ScoreOptions) -> DatasetReader:
        check_language(options.language)
        return DatasetReader(
            corpus=self.machines.corpus,
            segments=SegmentStore(self.machines.database),
            dataset=options.dataset,
            language=options.language,
            keep_thinking=options.keep_thinking,
            limit=options.limit,
        )


def _no_values(
    scorer: Scorer, options: ScoreOptions, values: ScoreValues, *, notes: Iterable[str]
) -> NoScoreValues:
    name = options.scorer
    label = getattr(scorer, "embedder", "")
    what = f"the scorer {name} (embedder: {label})" if label else f"the scorer {name}"
    ways = ["the scorer similarity" if name == "unigram" else "the scorer unigram"]
    if name == "similarity":
        ways.insert(0, "--embedder neural:FOLDER")
        if label != CHARACTERS:
            ways.insert(0, "--embedder none (by characters)")
    more = "".join(f"; {note}" for note in notes)
    return NoScoreValues(
        f"{what} has no value for any of {format_count(values.samples, 'sample')} of dataset"
        f" {options.dataset!r}; no scores were stored{describe_reason(values.reasons())}{more}",
        f"score these texts in another way: {', or '.join(ways)}",
    )


def _describe_run(scorer: Scorer, options: ScoreOptions, *, plugin: str) -> ScoreRun:
    """Describe a run of a scorer; models of one scorer are different makers of scores."""
    parameters = {
        **check_parameters(scorer.parameters, plugin=plugin),
        **_describe_path(options.scorer),
        "language": options.language,
        "keep_thinking": options.keep_thinking,
        **({"limit": options.limit} if options.limit else {}),
    }
    run = _new_run(
        options.dataset,
        str(getattr(scorer, "maker", "") or _name_maker(options.scorer)),
        parameters=parameters,
        low=check_names(scorer.low, plugin=plugin),
    )
    return replace(run, embedder=str(getattr(scorer, "embedder", "")))


def _name_maker(scorer: str) -> str:
    """Return a scorer's name with its model; of a file or folder, the last two names of its path.

    Whole paths would differ between machines, and the last name may be the same for two models.
    """
    name, _, model = scorer.partition(":")
    if model and Path(model).exists():
        model = "/".join(Path(model).resolve().parts[-2:])
    return f"{name}:{model}" if model else name


def _describe_path(scorer: str) -> dict[str, str]:
    """Return a hash of the path of a plug-in's model, which distinguishes two models of one name.

    A name that is no path is hashed as it is: only runs of earlier versions have no hash. The
    built-in scorers state hashes of their models, which stay the same when a model is moved.
    """
    name, _, model = scorer.partition(":")
    if registry.is_built_in("scorers", name):
        return {}
    if model and Path(model).exists():
        model = str(Path(model).resolve())
    return {MODEL_PATH: hash_name(model.encode("utf-8", "surrogateescape"))}


def _new_run(
    dataset: str, maker: str, *, parameters: Mapping[str, Any], low: frozenset[str]
) -> ScoreRun:
    return ScoreRun(
        id=str(uuid.uuid4()),
        kind=RunKind.SCORE,
        maker=maker,
        dataset=dataset,
        parameters=parameters,
        low=low,
    )


def _score_samples(
    scorer: Scorer,
    reader: DatasetReader,
    on_read: Callable[[int], None],
    *,
    checker: OpinionChecker,
) -> Iterator[RawScore]:
    # A scorer may read ahead, so a second iterator keeps the item that belongs to each opinion.
    if reader.has_answers():
        ahead, questions = tee(reader.questions(on_read))
        results = scorer.of_answers(each.answers for each in ahead)
        for question, opinions in checker.pair(questions, results, what="question"):
            answers = question.answers
            checked = checker.check(
                opinions,
                sample=str(question.keys[0]),
                texts=len(answers.texts),
                extras=len(answers.extras),
            )
            yield from _answer_scores(question, checked)
    elif isinstance(scorer, SentenceScorer):
        low = check_names(scorer.low, plugin=checker.plugin)
        reading, samples = tee(reader.segmented_samples(on_read))
        results = scorer.of_sentences(each.sentences for each in reading)
        for sample, opinions in checker.pair(samples, results, what="sample"):
            count = len(sample.sentences.summary)
            for each in checker.check(opinions, sample=str(sample.key), texts=count):
                known = [value for value in each.values if value is not None]
                choose_worst = max if each.name in low else min
                worst = choose_worst(known, default=None)  # it counts for the sample
                reason = "" if known or not each.words else each.words[0]
                yield RawScore(
                    id=sample.key.id, name=each.name, raw=worst, text=reason, parts=each.values
                )
    else:
        raise InvalidInput(
            f"{scorer.name} scores answers to questions, but dataset {reader.dataset!r} has none",
            "import answers with: tui-annotate ingest --from generations FILE",
        )


def _answer_scores(question: AnsweredQuestion, opinions: Iterable[Opinion]) -> Iterator[RawScore]:
    """Yield the scores of the answers to a question; uncertain answers come last."""
    columns = tuple(opinions)
    answers = len(question.keys)
    longest = max((len(each.values) for each in columns), default=0)
    for place in range(max(answers, longest)):
        # Uncertain answers have no sample: they belong to that of the question's first answer.
        uncertain = place >= answers
        key = question.keys[0] if uncertain else question.keys[place]
        for each in columns:
            if place < len(each.values):
                yield RawScore(
                    id=key.id,
                    name=each.name,
                    raw=each.values[place],
                    text=each.words[place] if each.words else "",
                    extra=place + 1 - answers if uncertain else 0,
                )
