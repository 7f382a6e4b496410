"""Stores the suggestions of models, and the annotators' answers to the suggestions.

Annotators do not see suggestions in a dataset that hides them; lists and counts of all suggestions
are for users who may report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from sqlalchemy import Connection, delete, select, text, update

from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.label_changes import Renames, rename_payload
from tui_annotate.domain.people import (
    Permission,
    is_allowed,
    require_permission,
    visible_people,
)
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.scores import RunKind, ScoreRun
from tui_annotate.domain.suggestions import (
    REMOVED,
    UNDONE,
    AnswerKind,
    PersonAnswer,
    Suggestion,
    SuggestionStatus,
    answer_from_json,
    suggestion_from_json,
    suggestion_to_json,
    with_id,
)
from tui_annotate.storage.batches import split_batches
from tui_annotate.storage.blind_datasets import hidden_datasets, is_blind
from tui_annotate.storage.codec import from_json, to_json
from tui_annotate.storage.columns import RUNS, SUGGESTIONS
from tui_annotate.storage.database import Store
from tui_annotate.storage.labels.changes import current_label_names
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.scores import runs
from tui_annotate.storage.scores.runs import StoredRun
from tui_annotate.storage.second_readings import hidden_first_reading
from tui_annotate.storage.statements import add_missing, dataset_row, sample_row, text_list
from tui_annotate.storage.suggestion_use import HAD_SUGGESTION, UNDONE_ACCEPTANCES

_BATCH: Final = 500

_INSERT: Final = add_missing(SUGGESTIONS)
_ROWS: Final = text(
    "SELECT s.external, s.id FROM samples s JOIN datasets d ON d.id = s.dataset_id"
    " WHERE d.name = :dataset AND s.external IN :ids"
).bindparams(text_list("ids"))
_ONE: Final = text(
    "SELECT s.payload FROM suggestions s JOIN runs r ON r.number = s.run AND r.finished <> ''"
    " WHERE s.id = :name AND s.sample_id = :row"
)
_OF_SAMPLE: Final = text(
    "SELECT s.payload, a.payload, n.id IS NOT NULL FROM suggestions s"  # noqa: S608  constants
    " JOIN runs r ON r.number = s.run AND r.finished <> ''"
    " LEFT JOIN answers a ON a.person = :person AND a.sample_id = s.sample_id"
    f"   AND a.suggestion = s.id AND NOT {hidden_first_reading('a')}"
    " LEFT JOIN annotations n ON n.id = json_extract(a.payload, '$.annotation')"
    "   AND n.person = :person AND n.sample_id = s.sample_id"
    " WHERE s.sample_id = :row"
)

_LABEL_SET: Final = "label_set"
_LISTED: Final = text(
    "SELECT d.name AS dataset, p.external AS sample, s.payload AS suggestion, r.id AS run,"  # noqa: S608  constants
    "   r.at AS at, a.person AS person, a.payload AS answer, n.id IS NOT NULL AS stands,"
    "   (SELECT count(*) || ',' || count(*) FILTER (WHERE w.state = 'done')"
    "     FROM assignments w JOIN people h ON h.id = w.person"
    f"     WHERE w.sample_id = s.sample_id AND {HAD_SUGGESTION}"
    "     AND (w.state <> 'new' OR w.seconds > 0)"
    "     AND NOT EXISTS (SELECT 1 FROM answers b WHERE b.person = w.person"
    "       AND b.sample_id = s.sample_id AND b.suggestion = s.id)) AS silent"
    " FROM suggestions s JOIN runs r ON r.number = s.run AND r.finished <> ''"
    " JOIN samples p ON p.id = s.sample_id JOIN datasets d ON d.id = p.dataset_id"
    " LEFT JOIN answers a ON a.sample_id = s.sample_id AND a.suggestion = s.id"
    " LEFT JOIN annotations n ON n.id = json_extract(a.payload, '$.annotation')"
    "   AND n.person = a.person AND n.sample_id = a.sample_id"
    " WHERE (:dataset = '' OR d.name = :dataset) AND (:maker = '' OR s.maker = :maker)"
    " ORDER BY d.name, p.id, s.id, a.person"
)
_GIVEN: Final = text(
    "SELECT p.external, a.person, a.payload, s.payload, n.id IS NOT NULL"
    " FROM answers a JOIN samples p ON p.id = a.sample_id"
    " JOIN datasets d ON d.id = p.dataset_id"
    " LEFT JOIN suggestions s ON s.id = a.suggestion AND s.sample_id = a.sample_id"
    " LEFT JOIN annotations n ON n.id = json_extract(a.payload, '$.annotation')"
    "   AND n.person = a.person AND n.sample_id = a.sample_id"
    " WHERE d.name = :dataset AND p.external IN (SELECT value FROM json_each(:ids))"
    " ORDER BY p.id, a.suggestion, a.person"
)
_ANSWERED: Final = text(
    "SELECT p.external, a.person, a.payload FROM answers a JOIN samples p ON p.id = a.sample_id"
    " JOIN datasets d ON d.id = p.dataset_id WHERE d.name = :dataset"
)
_UNDONE: Final = text(
    f"SELECT p.external, x.person, x.maker FROM ({UNDONE_ACCEPTANCES}) x"  # noqa: S608  constants
    " JOIN samples p ON p.id = x.sample_id JOIN datasets d ON d.id = p.dataset_id"
    " WHERE d.name = :dataset"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionListing:
    """A suggestion of a machine with the answers of all annotators.

    Attributes:
        run: id of the run that made the suggestion first.
        answers: one for each annotator who answered, without the annotator's name.
        seen: number of annotators who had the suggestion: those who answered it, and those who
            worked on the sample since it was made, unless the dataset hides it now. Adjudication
            and imported work do not count.
        passed: number of these annotators who did not answer and have completed the sample.
    """

    key: SampleKey
    suggestion: Suggestion
    run: str
    answers: tuple[SuggestionStatus, ...] = ()
    seen: int = 0
    passed: int = 0

    @property
    def open(self) -> bool:
        """Whether no annotator's acceptance or refusal of the suggestion is in effect."""
        return all(each.open for each in self.answers)


@check_keywords
class SuggestionStore(Store):
    """Access to the suggestions of models.

    Raises:
        NotAllowed: every method, if the actor may not read the suggestions, report on others
        (`list_suggestions`, `runs`) or manage the workspace (`add`, `forget`, `bundled`).
    """

    def add(
        self,
        run: ScoreRun,
        suggestions: Iterable[tuple[SampleKey, Suggestion]],
        *,
        copied: bool = False,
    ) -> int:
        """Store the suggestions of a run; return how many are new. All become visible together.

        Suggestions that the same maker made before, and suggestions on missing samples, are
        skipped. Those of a run that is `copied` from another workspace keep their ids.

        Raises:
            NotFound: there is no such dataset.
            InvalidInput: the run has another kind, or a suggestion belongs to another dataset.
            Conflict: there is a run with this id already.
        """
        require_permission(self._actor, Permission.MANAGE)
        if run.kind is not RunKind.SUGGEST:
            raise InvalidInput(
                f"a model run of kind {run.kind} cannot store suggestions",
                "give the model run the kind 'suggest'",
                code="run-kind",
            )
        number = runs.begin(self._database, run, by=self._actor.person)
        labels = GuidanceStore(self._database).version(GuidanceKind.LABELS, dataset=run.dataset)
        stored = 0
        try:
            coming = (
                (key, one if copied else with_id(key, replace(one, maker=run.maker, run=run.id)))
                for key, one in suggestions
            )
            for some in split_batches(coming, _BATCH):
                with self._database.writing() as connection:
                    stored += _write_batch(connection, run, some, row=(number, labels))
            if stored:
                with self._database.writing() as connection:
                    runs.finish(connection, number)
        except BaseException:
            runs.drop(self._database, number)
            raise
        if not stored:
            runs.drop(self._database, number)
        return stored

    def update_scores(self, suggestions: Iterable[tuple[SampleKey, Suggestion]]) -> int:
        """Give stored suggestions the new scores that their maker computed; return their number.

        The suggestions have ids. Answers keep the score that the annotator saw.
        """
        require_permission(self._actor, Permission.MANAGE)
        updated = 0
        for some in split_batches(suggestions, _BATCH):
            scores = {each.id: each.score for _, each in some if each.score is not None}
            with self._database.writing() as connection:
                query = select(SUGGESTIONS.c.id, SUGGESTIONS.c.payload)
                rows = connection.execute(query.where(SUGGESTIONS.c.id.in_(scores))).all()
                for name, payload in rows:
                    value = from_json(payload)
                    if value["score"] != scores[name]:
                        mine = SUGGESTIONS.c.id == name
                        changed = to_json({**value, "score": scores[name]})
                        connection.execute(update(SUGGESTIONS).where(mine).values(payload=changed))
                        updated += 1
        return updated

    def of(self, person: str, key: SampleKey) -> tuple[SuggestionStatus, ...]:
        """Return suggestions with a person's answers in reading order, if shown; or NotFound."""
        require_permission(self._actor, Permission.READ, person)
        with self._database.reading() as connection:
            row = sample_row(connection, key)
            return read_statuses(connection, person, key, row=row)

    def list_suggestions(
        self, *, dataset: str = "", maker: str = ""
    ) -> Iterator[SuggestionListing]:
        """Yield suggestions with all answers in sample order (empty filter: all); or NotFound."""
        require_permission(self._actor, Permission.REPORT)
        with self._database.reading() as connection:
            if dataset:
                dataset_row(connection, dataset)
            hidden = hidden_datasets(connection)
            reader = _SuggestionReader(connection)
            streamed = connection.execution_options(yield_per=_BATCH)
            rows = streamed.execute(_LISTED, {"dataset": dataset, "maker": maker}).mappings()
            for _, mine in groupby(rows, key=itemgetter("suggestion")):
                yield _build_listing(list(mine), hidden, reader)

    def answers(self, dataset: str) -> dict[tuple[SampleKey, str], list[tuple[str, str]]]:
        """Return maker and kind of all answers in a dataset, by sample and person's id.

        An acceptance that the person undid has the kind `UNDONE`, if no other answer followed. Who
        may not report gets only their own answers, and none where suggestions are hidden.
        """
        seen = visible_people(self._actor)
        everything = is_allowed(self._actor, Permission.REPORT)
        found: dict[tuple[SampleKey, str], list[tuple[str, str]]] = {}
        with self._database.reading() as connection:
            if not everything and is_blind(connection, dataset):
                return found
            for sample, person, payload in connection.execute(_ANSWERED, {"dataset": dataset}):
                if seen is not None and person not in seen:
                    continue
                given = answer_from_json(from_json(payload))
                name = SampleKey(dataset, sample), person
                found.setdefault(name, []).append((given.maker, given.answer.value))
            for sample, person, maker in connection.execute(_UNDONE, {"dataset": dataset}):
                if seen is None or person in seen:
                    name = SampleKey(dataset, sample), person
                    found.setdefault(name, []).append((maker, UNDONE))
        return found

    def given_answers(self, keys: Sequence[SampleKey]) -> dict[SampleKey, list[PersonAnswer]]:
        """Return the answers on some samples that the actor may see, by sample, then by person.

        Who may not report sees only their own answers, and none where suggestions are hidden.
        """
        seen = visible_people(self._actor)
        everything = is_allowed(self._actor, Permission.REPORT)
        by_dataset: dict[str, list[str]] = {}
        for key in keys:
            by_dataset.setdefault(key.dataset, []).append(key.id)
        found: dict[SampleKey, list[PersonAnswer]] = {}
        with self._database.reading() as connection:
            reader = _SuggestionReader(connection)
            for dataset, ids in by_dataset.items():
                if not everything and is_blind(connection, dataset):
                    continue
                wanted = {"dataset": dataset, "ids": to_json(ids)}
                for sample, person, answer, column, stands in connection.execute(_GIVEN, wanted):
                    if seen is not None and person not in seen:
                        continue
                    given = answer_from_json(from_json(answer))
                    gone = given.answer is not AnswerKind.REFUSED and not stands
                    found.setdefault(SampleKey(dataset, sample), []).append(
                        PersonAnswer(
                            person=person,
                            kind=REMOVED if gone else given.answer.value,
                            reason=given.reason,
                            suggestion=reader.suggestion(dataset, column) if column else None,
                        )
                    )
        return found

    def runs(self) -> list[ScoreRun]:
        """Return the complete runs that produced suggestions."""
        require_permission(self._actor, Permission.REPORT)
        return [each.run for each in self._load_finished_runs()]

    def _load_finished_runs(self, dataset: str = "") -> list[StoredRun]:
        with self._database.reading() as connection:
            found = runs.list_runs(connection, dataset)
        return [each for each in found if each.run.kind is RunKind.SUGGEST]

    def choose_runs(
        self, *, run: str = "", maker: str = "", dataset: str = ""
    ) -> Sequence[StoredRun]:
        """Return the run with the beginning of an id, or the runs of a model (`maker`).

        Raises:
            NotFound: there is no such run or maker.
            InvalidInput: neither or both are given, or several runs match.
        """
        require_permission(self._actor, Permission.MANAGE)
        there = self._load_finished_runs(dataset)
        makers = sorted({each.run.maker for each in there})
        if bool(run) == bool(maker):
            raise InvalidInput(
                "a run or a maker of suggestions is required, and only one of the two",
                f"pass --maker with one of: {', '.join(makers)}; or --run, as listed by:"
                " tui-annotate suggestions list"
                if makers
                else "there are no suggestions",
                code="run-or-maker-missing",
            )
        if run:
            chosen = [each for each in there if each.run.id.startswith(run)]
        else:
            chosen = [each for each in there if each.run.maker == maker]
        if not chosen and run:
            raise _no_suggestions("run", run, known=[each.run.id for each in there], within=dataset)
        if not chosen:
            raise _no_suggestions("maker", maker, known=makers, within=dataset)
        if run and len(chosen) > 1:
            raise InvalidInput(
                f"{len(chosen)} runs have an id that begins with {run!r}",
                "give more characters of the id",
                code="run-ambiguous",
            )
        return chosen

    def require_maker(self, maker: str) -> None:
        """Check that suggestions of a maker are stored; an empty name means any maker.

        Raises:
            NotFound: suggestions are stored, but none of the maker in any dataset.
        """
        require_permission(self._actor, Permission.REPORT)
        known = {each.run.maker for each in self._load_finished_runs()}
        if maker and known and maker not in known:
            raise _no_suggestions("maker", maker, known=known, within="")

    def forget(self, *, run: str = "", maker: str = "", dataset: str = "") -> int:
        """Remove the suggestions of a model run or of a model (`maker`); return their number.

        Raises:
            NotFound, InvalidInput: as `choose_runs`.
        """
        chosen = self.choose_runs(run=run, maker=maker, dataset=dataset)
        count = 0
        for each in chosen:
            with self._database.writing() as connection:
                mine = SUGGESTIONS.c.run == each.number
                count += connection.execute(delete(SUGGESTIONS).where(mine)).rowcount
                connection.execute(delete(RUNS).where(RUNS.c.number == each.number))
        return count

    def bundled(
        self, wanted: Callable[[SampleKey], bool]
    ) -> Iterator[tuple[ScoreRun, SampleKey, Suggestion]]:
        """Yield the visible suggestions on selected samples, by run, then in order of arrival."""
        require_permission(self._actor, Permission.MANAGE)
        with self._database.reading() as connection:
            hidden = hidden_datasets(connection)
            reader = _SuggestionReader(connection)
            for each in runs.list_runs(connection):
                if each.run.kind is not RunKind.SUGGEST or each.run.dataset in hidden:
                    continue
                for sample, column in connection.execute(_OF_RUN, {"run": each.number}):
                    key = SampleKey(each.run.dataset, sample)
                    if wanted(key):
                        yield each.run, key, reader.suggestion(key.dataset, column)


_OF_RUN: Final = text(
    "SELECT s.external, g.payload FROM suggestions g JOIN samples s ON s.id = g.sample_id"
    " WHERE g.run = :run ORDER BY s.id, g.id"
)


def _no_suggestions(kind: str, name: str, *, known: Iterable[str], within: str) -> NotFound:
    """Return the error for an unknown run or maker; `within`: the dataset, or empty for all."""
    where = f" in dataset {within!r}" if within else ""
    names = sorted(known)
    existing = f"the {kind}s are: {', '.join(names)}" if names else "there are none"
    return NotFound(
        f"no suggestions of {kind} {name!r}{where}",
        f"{suggest_word(name, names)}{existing}",
        code="no-suggestions",
    )


def read_statuses(
    connection: Connection, person: str, key: SampleKey, *, row: int
) -> tuple[SuggestionStatus, ...]:
    """Return the suggestions on the sample with a row id, with a person's answers, if shown."""
    if is_blind(connection, key.dataset):
        return ()
    rows = connection.execute(_OF_SAMPLE, {"person": person, "row": row}).all()
    reader = _SuggestionReader(connection)
    found = [
        reader.suggested(key.dataset, column, answer=answer, stands=stands)
        for column, answer, stands in rows
    ]
    return tuple(sorted(found, key=_reading_order_key))


def load_suggestion(connection: Connection, key: SampleKey, name: str) -> Suggestion:
    """Return a suggestion to answer; NotFound if unknown, Conflict if the dataset hides it."""
    row = sample_row(connection, key)
    if is_blind(connection, key.dataset):
        raise Conflict(
            f"dataset {key.dataset!r} hides suggestions from annotators",
            "ask an admin to show suggestions",
            code="suggestions-hidden",
        )
    column = connection.execute(_ONE, {"name": name, "row": row}).scalar()
    if column is None:
        raise NotFound(
            f"there is no such suggestion on sample {key}",
            "check whether the run was deleted",
            code="no-such-suggestion",
        )
    return _SuggestionReader(connection).suggestion(key.dataset, column)


def _write_batch(
    connection: Connection,
    run: ScoreRun,
    some: Sequence[tuple[SampleKey, Suggestion]],
    *,
    row: tuple[int, str],
) -> int:
    number, label_set = row
    for key, _ in some:
        if key.dataset != run.dataset:
            raise InvalidInput(
                f"cannot store a suggestion: sample {key} is not in dataset {run.dataset!r}"
                " of the run",
                "create a separate run for each dataset",
                code="sample-of-other-dataset",
            )
    wanted = {"dataset": run.dataset, "ids": sorted({key.id for key, _ in some})}
    rows = {row[0]: row[1] for row in connection.execute(_ROWS, wanted)}
    stored = 0
    for key, suggestion in some:
        if key.id in rows:
            values = {
                "id": suggestion.id,
                "sample_id": rows[key.id],
                "run": number,
                "maker": suggestion.maker,
                "payload": to_json({**suggestion_to_json(suggestion), _LABEL_SET: label_set}),
            }
            stored += connection.execute(_INSERT, values).rowcount
    return stored


def _build_listing(
    rows: Sequence[Any], hidden: Collection[str], reader: _SuggestionReader
) -> SuggestionListing:
    first = rows[0]
    dataset = first["dataset"]
    column = first["suggestion"]
    answers = tuple(
        reader.suggested(dataset, column, answer=row["answer"], stands=row["stands"])
        for row in rows
        if row["answer"] is not None
    )
    silent, passed = (0, 0) if dataset in hidden else map(int, first["silent"].split(","))
    return SuggestionListing(
        key=SampleKey(dataset, first["sample"]),
        suggestion=reader.suggestion(dataset, column),
        run=first["run"],
        answers=answers,
        seen=len(answers) + silent,
        passed=passed,
    )


@dataclass(frozen=True, slots=True)
class _SuggestionReader:
    connection: Connection
    renames: dict[tuple[str, str], Renames] = field(default_factory=dict)

    def suggestion(self, dataset: str, column: str) -> Suggestion:
        value = from_json(column)
        version = value.get(_LABEL_SET, "")
        key = (dataset, version)
        if key not in self.renames:
            self.renames[key] = current_label_names(self.connection, *key) if version else {}
        return suggestion_from_json(rename_payload(value, self.renames[key]))

    def suggested(
        self, dataset: str, column: str, *, answer: str | None, stands: int
    ) -> SuggestionStatus:
        given = None if answer is None else answer_from_json(from_json(answer))
        return SuggestionStatus.of(
            self.suggestion(dataset, column), given, annotation_exists=bool(stands)
        )


def _reading_order_key(each: SuggestionStatus) -> Any:
    """Return a key that sorts suggestions by claim, then by score, the highest first."""
    suggestion = each.suggestion
    anchors = suggestion.claim or suggestion.evidence
    return not suggestion.claim, anchors, -(suggestion.score or 0.0), suggestion.id
