"""Creates snapshots of a workspace for papers, and checks them against the event log."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from tui_annotate.domain.adjudication_history import PostAdjudicationCounts
from tui_annotate.domain.assignments import State
from tui_annotate.domain.comments import PersonComment, comment_to_json
from tui_annotate.domain.did_you_mean import suggest_word
from tui_annotate.domain.errors import Damaged, InvalidInput, NotFound
from tui_annotate.domain.gold_checks import measure_accuracy
from tui_annotate.domain.hash_chain import LogHead, StreamHead, head_from_json
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import Person, PersonKind, base_person
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import DatasetDescription
from tui_annotate.domain.repeated_readings import RepeatedReadingCounts
from tui_annotate.domain.suggestions import AnswerKind
from tui_annotate.domain.version import VERSION
from tui_annotate.domain.work_statistics import (
    LEAST_CHECKS,
    RECENT,
    GoldAccuracy,
    PracticeResult,
)
from tui_annotate.storage import atomic_folder
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log import rebuild
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.study_conduct import StudyConduct, StudyConductStore
from tui_annotate.storage.study_work import ReadingKind, StudyWork, SuggestionUse
from tui_annotate.storage.work_statistics import WorkStatisticsStore

_MAX_DIFFERENCES: Final = 1000
_LATER_EDITS_MARK: Final = b', "edited_after_adjudication": true'
"""The bytes of a native file that mark one person's work as edited after its adjudication."""

Key = tuple[str, str]
SHORT = 12


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Functions that read the data of a snapshot from a copy of the workspace's database.

    `FrozenState` describes the written snapshot.
    """

    store: WorkStatisticsStore
    guidance: GuidanceStore
    export: Callable[[Path], object]
    agreement: Callable[[], Mapping[str, Any]]
    figures: Callable[[], Mapping[str, Any]]
    head: Callable[[], LogHead]
    heads: Callable[[], Sequence[StreamHead]]
    labels: Callable[[str], Sequence[str]]
    embedder: Callable[[], str]
    descriptions: Callable[[], Mapping[str, DatasetDescription]]
    conduct: StudyConductStore
    work: Callable[[], StudyWork]
    later_work: Callable[[], PostAdjudicationCounts]
    shared_accounts: bool = False
    questions: Callable[[], Iterable[PersonComment]] = tuple

    def versions(self) -> dict[str, dict[str, str]]:
        """Return the texts of all versions of labels and guidelines, by kind and hash."""
        return {
            kind.value: {
                version: self.guidance.text(kind, version)
                for version in self.guidance.versions(kind)
            }
            for kind in GuidanceKind
        }

    def method(self, *, at: str, app: str) -> str:
        """Return the text of a method section: paragraphs of plain English on data and people.

        `at`: time of the snapshot, ISO 8601 in UTC; `app`: version of the program.
        """
        parts = [
            self._material_paragraph(at),
            self._people_paragraph(),
            *self._guidance_paragraphs(),
            *_describe_versions(self.work()),
            self._tools_paragraph(app),
            self._conduct_paragraph(),
            *self._accuracy_paragraph(),
            _describe_suggestions(self.work()),
            self._evidence_paragraph(),
        ]
        return "\n\n".join(parts) + "\n"

    def _material_paragraph(self, at: str) -> str:
        datasets = self.store.list_workloads()
        named = ", ".join(
            f"{each.dataset} ({each.samples:,}{', for practice' if each.practice else ''})"
            for each in datasets
        )
        samples = sum(each.samples for each in datasets)
        return (
            f"Data as of {at[:19]} UTC. The workspace has {format_count(samples, 'sample')} in "
            f"{format_count(len(datasets), 'dataset')}: {named or 'none'}."
            + "".join(
                f" {what.capitalize()} of {dataset}: {text}."
                for dataset, about in self.descriptions().items()
                for what, text in asdict(about).items()
                if text
            )
        )

    def _people_paragraph(self) -> str:
        work = self.work()
        hours = sum(day.seconds for day in self.store.days()) / 3600
        counts = ", ".join(f"{count:,} by {people}" for people, count in work.overlaps.items())
        completed = [each for each in work.readings if each.state == State.DONE]
        annotators = {base_person(each.person) for each in completed}
        return (
            f"Completed readings of samples: {work.count(*ReadingKind):,}, by "
            f"{format_count(len(annotators), 'annotator')}.{_describe_reading_kinds(work)} "
            f"Samples by number of annotators who completed them: {counts or 'none'}. "
            f"Skipped readings: {work.count(ReadingKind.MAIN, state=State.SKIPPED):,}; "
            f"flagged readings: {work.count(ReadingKind.MAIN, state=State.FLAGGED):,}. "
            f"The total working time is {hours:,.1f} hours, also on practice, checks of accuracy "
            "and second readings; at most one minute of each interval between two actions counts."
        )

    def _guidance_paragraphs(self) -> list[str]:
        paragraphs = []
        for dataset in ["", *(each.dataset for each in self.store.list_workloads())]:
            own = {kind: self.guidance.version(kind, dataset=dataset) for kind in GuidanceKind}
            if dataset and own == {kind: self.guidance.version(kind) for kind in GuidanceKind}:
                continue
            which = dataset or "all datasets without their own labels or guidelines"
            labels = ", ".join(self.labels(dataset)) if own[GuidanceKind.LABELS] else "none"
            paragraphs.append(
                f"The labels of {which} are: {labels} (version {_short(own[GuidanceKind.LABELS])});"
                f" the guidelines have version {_short(own[GuidanceKind.GUIDELINES])}."
            )
        return paragraphs

    def _tools_paragraph(self, app: str) -> str:
        cut = ", ".join(
            f"{name} ({count:,})" for name, count in sorted(self.store.segmenters().items())
        )
        meaning = self.embedder()
        ranked = (
            f"ranked by word statistics and by text vectors ({meaning})"
            if meaning
            else "ranked by word statistics only"
        )
        return (
            f"Annotators worked in the terminal with tui-annotate {app}. Documents were split into "
            f"sentences by {cut or 'nothing'}. For each selected span, the program highlighted "
            f"related sentences of the other text, {ranked}; evidence was attached only "
            "if the annotator chose it."
        )

    def _conduct_paragraph(self) -> str:
        """Return what was checked about the conduct of the study, check by check."""
        counts = self.conduct.count()
        sentences = [
            *_describe_blindness(counts, shared_accounts=self.shared_accounts),
            *_describe_foreign_work(counts),
            _describe_later_work(self.later_work()),
            _describe_takeovers(counts),
            _describe_known_answers(counts),
            *_describe_held_work(counts),
            *_describe_repeated_readings(counts.repeated),
        ]
        return " ".join(sentences)

    def _accuracy_paragraph(self) -> list[str]:
        """Return the results of practice and of checks of accuracy; nothing without any."""
        checks, thresholds = self.store.gold_checks()
        found = measure_accuracy(
            checks, names={}, thresholds=thresholds, paused=self.store.pauses()
        )
        sentences = [
            *_describe_practice_results(self.store.practice_results(), self.store.practising()),
            *_describe_accuracy(found),
        ]
        if found:
            sentences.append(_describe_pauses(self.work()))
        return [" ".join(sentences)] if sentences else []

    def _evidence_paragraph(self) -> str:
        head = self.head()
        return (
            "Agreement between annotators is in `agreement.json`, with 95 % intervals; statistics "
            "of the annotators' work are in `figures.json`; all versions of labels and guidelines "
            "are in `labels/` and `guidelines/`. The event log of this snapshot contains "
            f"{format_count(head.events, 'event')} in {format_count(head.streams, 'stream')}; "
            f"its head is {head.token}."
        )


def _describe_blindness(counts: StudyConduct, *, shared_accounts: bool) -> list[str]:
    """Return what is known about whether annotators saw answers; the rest is named as unknown."""
    own_work = (
        "The annotation screen showed annotators no work of other annotators before they had "
        "completed the sample, and afterwards only its adjudication"
    )
    if not counts.accounts and not shared_accounts:
        unknown = (
            "The workspace has no accounts: everyone who could run the program in it could also "
            "read all work outside this screen, and one person can have worked under several "
            "names. Whether anyone did is not recorded."
        )
        return [f"{own_work}.", unknown]
    sentences = [
        f"{own_work}. With accounts, queries and exports of annotators have the same limit."
    ]
    if shared_accounts:
        sentences.append(
            "The accounts are in a shared store, so whether annotators had a role that may read "
            "all work is not known here."
        )
    elif counts.privileged:
        sentences.append(
            f"{format_count(counts.privileged, 'person', 'people')} with completed readings may "
            "read all work as a reviewer or admin; whether they did is not recorded."
        )
    else:
        sentences.append("No one with completed readings is a reviewer or admin at present.")
    if counts.local:
        sentences.append(
            f"{format_count(counts.local, 'completed reading')} of {counts.readings:,} belong to "
            "people without an account, for whom this is not known."
        )
    return [*sentences, "Owners of the workspace's files could read all work."]


def _describe_foreign_work(counts: StudyConduct) -> list[str]:
    sentences = []
    if counts.imported or counts.imported_annotations:
        sentences.append(
            f"{format_count(counts.imported_annotations, 'annotation')} and the state of "
            f"{format_count(counts.imported, 'reading')} by "
            f"{format_count(counts.importers, 'person', 'people')} were imported from files; how "
            "this work was made, and whether these people saw other work, is not known."
        )
    else:
        sentences.append("No annotations of people were imported from files.")
    if counts.copied:
        sentences.append(
            f"{format_count(counts.copied, 'reading')} contain actions that were copied from "
            "another workspace (bundle, shared folder or table), whose users this workspace "
            "cannot control."
        )
    else:
        sentences.append(
            "No action is marked as a copy from another workspace; work that arrived unchanged in "
            "a bundle or over a shared folder or table has no such mark."
        )
    return sentences


def _describe_later_work(counts: PostAdjudicationCounts) -> str:
    if not counts.adjudicated:
        return "No sample is adjudicated."
    adjudicated = format_count(counts.adjudicated, "sample")
    if not counts.edits:
        return f"No annotator changed their work on the {adjudicated} after the adjudication."
    return (
        f"Of {adjudicated} with an adjudication, annotators changed their work on "
        f"{counts.edited_samples:,} afterwards: "
        f"{format_count(counts.edits_after_reopening, 'edit')} after a reopening and "
        f"{counts.edits_without_reopening:,} without one. Agreement is measured on the work before "
        "the adjudication."
    )


def _describe_takeovers(counts: StudyConduct) -> str:
    if not counts.takeovers:
        return "No open session of an annotator was taken over by another session."
    return (
        f"Open sessions were taken over by another session of the same person "
        f"{format_count(counts.takeovers, 'time')} "
        f"({format_count(counts.taken, 'person', 'people')}); whether the same human used both is "
        "not known."
    )


def _describe_known_answers(counts: StudyConduct) -> str:
    if not counts.readings:
        return "No reading is complete."
    sentence = (
        f"Of {format_count(counts.readings, 'completed reading')}, {counts.gold:,} "
        f"({counts.gold / counts.readings:.1%}) checked the annotators' accuracy with known "
        f"answers and {counts.practice:,} ({counts.practice / counts.readings:.1%}) were practice; "
        "both are excluded from agreement and exports by default. "
        f"{_describe_scoring(counts)}"
    )
    if not counts.second:
        return sentence
    return (
        f"{sentence} During a second reading ({counts.second:,}), the screen hid the first reading "
        "of the sample."
    )


def _describe_reading_kinds(work: StudyWork) -> str:
    """Return what completed readings were for; nothing if all are main readings."""
    practice = work.count(ReadingKind.PRACTICE)
    checks = work.count(ReadingKind.CHECK)
    second = work.count(ReadingKind.SECOND)
    known = sum(
        each.count
        for each in work.readings
        if each.kind is ReadingKind.SECOND and each.checked and each.state == State.DONE
    )
    if not (practice or checks or second):
        return ""
    return (
        f" Of these: practice {practice:,}; checks of the annotator's accuracy {checks:,}; second "
        f"readings by the same annotator {second:,} ({known:,} of samples with known answers); "
        f"main readings {work.count(ReadingKind.MAIN):,}. The next counts of samples and readings "
        "are of main readings alone."
    )


def _describe_versions(work: StudyWork) -> list[str]:
    """Return a paragraph on how many main readings each version guided; nothing without any."""
    sentences = []
    for dataset in dict.fromkeys(each.dataset for each in work.versions):
        labels: Counter[str] = Counter()
        guidelines: Counter[str] = Counter()
        for each in work.versions:
            if each.dataset == dataset:
                labels[each.labels] += each.readings
                guidelines[each.guidelines] += each.readings
        sentences.append(
            f"Main readings of {dataset} (without practice, checks of accuracy and second readings)"
            " by the version in force when the annotator last completed them: label set "
            f"{_list_versions(labels)}; guidelines {_list_versions(guidelines)}."
        )
    return [" ".join(sentences)] if sentences else []


def _list_versions(counts: Counter[str]) -> str:
    return ", ".join(
        f"{version[:SHORT] or 'none or unknown'} ({count:,})"
        for version, count in counts.most_common()
    )


def _describe_practice_results(
    results: Sequence[PracticeResult], practising: Collection[tuple[str, str]]
) -> Iterator[str]:
    for dataset in sorted({name for name, _ in practising} | {each.dataset for each in results}):
        own = [each for each in results if each.dataset == dataset]
        without = {who for name, who in practising if name == dataset} - {
            each.person for each in own
        }
        if own:
            attempts = sum(each.attempts for each in own)
            needed = sorted({each.needed for each in own if each.needed is not None})
            passed = sum(each.passed is True for each in own)
            levels = " or ".join(f"{level:.0%}" for level in needed)
            yield (
                f"{format_count(len(own), 'annotator')} completed the practice in {dataset} in "
                f"{format_count(attempts, 'attempt')}{_describe_allowed(own)}, with a "
                f"score of {_format_range([each.score for each in own])} in the last attempt"
                + (f"; {passed:,} reached the {levels} that were needed." if needed else ".")
            )
            yield from _describe_retries(own)
        if without:
            yield (
                f"{format_count(len(without), 'annotator')} with practice samples in {dataset} "
                f"{'has' if len(without) == 1 else 'have'} not completed them."
            )


def _describe_allowed(results: Sequence[PracticeResult]) -> str:
    """Return how many attempts the rule of a dataset allows; nothing without a score to pass."""
    if all(each.needed is None for each in results):
        return ""
    allowed = results[0].allowed
    return f" (the rule allows {allowed:,} each)" if allowed else " (the rule sets no limit)"


def _describe_retries(results: Sequence[PracticeResult]) -> Iterator[str]:
    """Describe exceptions from the rule of a practice dataset, for people who did not pass."""
    given = [each.retries for each in results if each.retries]
    if given:
        yield (
            f"An admin gave {format_count(len(given), 'annotator')} who had not passed "
            f"{format_count(sum(given), 'further attempt')}."
        )
    early = [each.before_passing for each in results if each.before_passing]
    if early:
        were = "was" if sum(early) == 1 else "were"
        yield (
            f"{format_count(sum(early), 'completed reading')} of other samples, by "
            f"{format_count(len(early), 'annotator')}, {were} first completed before the annotator "
            "passed, or by annotators who did not pass."
        )


def _describe_accuracy(found: Sequence[GoldAccuracy]) -> Iterator[str]:
    for dataset in dict.fromkeys(each.dataset for each in found):
        own = [each for each in found if each.dataset == dataset]
        checks = sum(each.checks for each in own)
        older = sum(each.older_answers for each in own)
        threshold = own[0].threshold
        yield (
            f"In {dataset}, {format_count(checks, 'check')} of "
            f"{format_count(len(own), 'annotator')} had an accuracy of "
            f"{_format_range([each.accuracy for each in own])}."
            + (
                f" {older:,} of the checks compared the work with an answer that was changed later."
                if older
                else ""
            )
        )
        if threshold is None:
            yield "No accuracy is set below which there is an alert."
        else:
            yield (
                f"{sum(each.alert for each in own):,} of these annotators are at present below the "
                f"{threshold:.0%} that cause an alert (mean of the last {RECENT} checks, if there "
                f"are {LEAST_CHECKS} or more)."
            )


def _describe_pauses(work: StudyWork) -> str:
    if not work.pauses:
        return "No work was paused because of a low accuracy."
    return (
        f"Work was paused because of a low accuracy {format_count(work.pauses, 'time')}, of which "
        f"{work.ended:,} {'has' if work.ended == 1 else 'have'} ended."
    )


def _format_range(values: Sequence[float]) -> str:
    """Format one value for each annotator as their range and mean."""
    if len(values) == 1:
        return f"{values[0]:.0%}"
    return f"{min(values):.0%} to {max(values):.0%} (mean of annotators {fmean(values):.0%})"


def _describe_suggestions(work: StudyWork) -> str:
    """Return which suggestions of machines annotators could see, and how they answered them."""
    if not work.uses:
        return "No machine made suggestions to annotators."
    return " ".join(sentence for use in work.uses for sentence in _describe_use(use))


def _describe_use(use: SuggestionUse) -> Iterator[str]:
    shown = "hidden from" if use.hidden else "shown to"
    suggestions = ", ".join(f"{count:,} of {maker}" for maker, count in use.suggestions.items())
    if suggestions:
        yield (
            f"Suggestions of machines in {use.dataset}: {suggestions}. They are {shown} annotators "
            "at present; whether this was otherwise before is not recorded."
        )
    else:
        yield f"Suggestions of machines in {use.dataset} were deleted, or are in another workspace."
    accepted = use.answers.get(AnswerKind.ACCEPTED.value, 0)
    changed = use.answers.get(AnswerKind.CHANGED.value, 0)
    refused = use.answers.get(AnswerKind.REFUSED.value, 0)
    total = sum(use.answers.values())
    yield (
        f"Annotators answered suggestions {format_count(total, 'time')}: {accepted:,} accepted, "
        f"{changed:,} accepted with changes, {refused:,} refused."
        if total
        else "No annotator answered a suggestion."
    )
    if use.undone:
        yield (
            f"{format_count(use.undone, 'acceptance')} in completed readings "
            f"{'was' if use.undone == 1 else 'were'} undone, without a later answer; whether the "
            "annotator then marked the same words by hand is not counted."
        )
    if use.passed:
        yield (
            f"In {format_count(use.passed, 'completed reading')}, the annotator did not answer all "
            "suggestions; what they marked there by hand may also follow a suggestion."
        )
    accepted_work = {maker: count for maker, count in use.annotations.items() if maker}
    if accepted_work:
        makers = ", ".join(f"{count:,} of {maker}" for maker, count in accepted_work.items())
        yield (
            f"Of {format_count(sum(use.annotations.values()), 'annotation')} in completed "
            f"readings, {sum(accepted_work.values()):,} began as suggestions: {makers}; they count "
            "in agreement and exports like other work."
        )


def _describe_held_work(counts: StudyConduct) -> list[str]:
    if not counts.held:
        return []
    sentence = (
        f"{format_count(counts.held, 'reading')} by "
        f"{format_count(counts.held_people, 'person', 'people')} were completed, in another "
        "workspace, while the person's work was paused or their practice was not finished; this "
        "work is included in exports and agreement."
    )
    return [sentence]


def _describe_scoring(counts: StudyConduct) -> str:
    """State which work the accuracy is computed from, and how much of it was edited later."""
    if not (counts.checks or counts.practice):
        return "No accuracy was measured."
    rule = "Scores compare the first completion of each sample with the known answer"
    if not counts.checks:
        return f"{rule}."
    were = "was" if counts.edited_checks == 1 else "were"
    sentence = (
        f"{rule}; of {format_count(counts.checks, 'gold check')}, {counts.edited_checks:,} {were} "
        "edited after the first completion, which did not change the score."
    )
    if not counts.incomplete_checks:
        return sentence
    are = "reading is" if counts.incomplete_checks == 1 else "readings are"
    return (
        f"{sentence} The checks include {counts.incomplete_checks:,} whose {are} no longer complete"
        " (reopened, skipped or flagged after the first completion)."
    )


def _describe_repeated_readings(counts: RepeatedReadingCounts) -> list[str]:
    if not counts.readings:
        return []
    edited = (
        f"In {counts.edited_second:,} of {format_count(counts.readings, 'second reading')}, the "
        "annotator changed the work after its completion, and in "
        f"{counts.edited_first:,} the first reading after the second had begun."
    )
    reopened = (
        f"In {counts.reopened_first:,}, the first reading had been completed and was reopened "
        "before the second began; these readings are not compared."
    )
    measured = (
        "Agreement of annotators with themselves is measured on the first reading as it was when "
        "the second began, and on the second reading as it was when it was first completed."
    )
    return [edited, *([reopened] if counts.reopened_first else []), measured]


def _short(version: str) -> str:
    return version[:SHORT] or "none"


@dataclass(frozen=True, slots=True)
class Difference:
    """Sample whose fields `parts` differ between a snapshot and the event log."""

    dataset: str
    sample: str
    parts: tuple[str, ...]


def _compare_exports(kept: Path, again: Path) -> dict[str, Any]:
    places = {key: (start, len(line)) for key, start, line in _read_lines(again)}
    found: list[Difference] = []
    samples = 0
    identical = 0
    differing = 0
    with again.open("rb") as file:
        for key, _, line in _read_lines(kept):
            samples += 1
            start, length = places.pop(key, (0, 0))
            file.seek(start)
            other = file.read(length)
            if _LATER_EDITS_MARK not in line:
                # Snapshots of earlier versions lack this mark, which follows from the log.
                other = other.replace(_LATER_EDITS_MARK, b"")
            parts = () if other == line else _differing_parts(line, other)
            if other and not parts:
                identical += 1
                continue
            differing += 1
            if len(found) < _MAX_DIFFERENCES:
                found.append(Difference(*key, parts))
    return {
        "samples": samples,
        "identical": identical,
        "differences": tuple(found),
        "more_differences": differing - len(found),
        "added_later": len(places),
    }


def _read_lines(path: Path) -> Iterator[tuple[Key, int, bytes]]:
    start = 0
    with path.open("rb") as file:
        for line in file:
            value = json.loads(line)
            yield (value["dataset"], value["id"]), start, line
            start += len(line)


def _read_people(export: Path) -> list[Person]:
    """Return the people of an export, as they were when it was written."""
    people: dict[str, Person] = {}
    for _, _, line in _read_lines(export):
        for each in json.loads(line).get("people", []):
            people[each["id"]] = Person(each["id"], each["name"], PersonKind(each["kind"]))
    return list(people.values())


def _differing_parts(line: bytes, other: bytes) -> tuple[str, ...]:
    if not other:
        return ()
    one: dict[str, Any] = json.loads(line)
    two: dict[str, Any] = json.loads(other)
    names = {*one, *two} - {"about"}  # the event log does not contain descriptions of datasets
    return tuple(sorted(name for name in names if one.get(name) != two.get(name)))


FORMAT: Final = "tui-annotate-frozen/1"
ABOUT: Final = "frozen.json"
EXPORT: Final = "native.jsonl"
HEAD: Final = "head.json"
QUESTIONS: Final = "questions.jsonl"
_NAME_PATTERN: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SUFFIXES: Final = {"labels": ".yaml", "guidelines": ".md"}


@dataclass(frozen=True, slots=True)
class FrozenState:
    """A snapshot of the workspace.

    Attributes:
        folder: its files.
        at: when it was made, in UTC.
        app: version of the program that made it.
        head: head of the event log at that time, of `events` events.
    """

    name: str
    folder: Path
    at: str
    app: str
    head: str
    events: int


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """Differences between a snapshot and the state that the event log reproduces.

    Attributes:
        differences: the first 1,000 differing samples; `more_differences` counts the others.
        lost: event streams (one person's events on one sample) that are no longer in the log.
        added_later: number of samples that were added after the snapshot.
    """

    events: int
    streams: int
    samples: int
    identical: int
    differences: tuple[Difference, ...]
    more_differences: int
    lost: tuple[StreamHead, ...]
    added_later: int

    @property
    def same(self) -> bool:
        """Whether the event log reproduces the snapshot; later samples are no difference."""
        return not self.differences and not self.lost


@check_keywords
@dataclass(frozen=True, slots=True)
class FreezeService:
    """Creates snapshots of a workspace, and checks that the event log reproduces them."""

    folder: Path
    database: Database
    snapshot: Callable[[SqliteDatabase], Snapshot]

    def run(self, name: str) -> FrozenState:
        """Create a snapshot of a workspace; annotators can continue to work.

        Raises:
            InvalidInput: the name cannot be the name of a folder.
            Conflict: a snapshot of this name exists.
            Unavailable: the snapshot cannot be written.
        """
        place = self._state_folder(name)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with atomic_folder.create_folder(place) as folder, self._copy(folder) as copy:
            at = utc_now()
            snapshot = self.snapshot(copy)
            snapshot.export(folder / EXPORT)
            for kind, versions in snapshot.versions().items():
                for version, text in versions.items():
                    atomic_folder.write_text(folder / kind / f"{version}{_SUFFIXES[kind]}", text)
            head = snapshot.head()
            _write_json(folder / "agreement.json", snapshot.agreement())
            _write_json(folder / "figures.json", snapshot.figures())
            # In a file of their own: they are no events, so a replay cannot reproduce them.
            if questions := [comment_to_json(each) for each in snapshot.questions()]:
                lines = "".join(json.dumps(each, sort_keys=True) + "\n" for each in questions)
                atomic_folder.write_text(folder / QUESTIONS, lines)
            _write_json(folder / HEAD, [list(each) for each in snapshot.heads()])
            atomic_folder.write_text(folder / "method.md", snapshot.method(at=at, app=VERSION))
            about = {"at": at, "app": VERSION, "head": head.token, "events": head.events}
            _write_json(folder / ABOUT, {"format": FORMAT, "name": name, "schema": SCHEMA, **about})
            # The snapshot keeps exports only: delete the copied database and its WAL files.
            copy.close()
            for path in folder.glob(f"{copy.path.name}*"):
                path.unlink()
            atomic_folder.write_sums(folder)
        return FrozenState(
            name=name, folder=place, at=at, app=VERSION, head=head.token, events=head.events
        )

    def all(self) -> list[FrozenState]:
        """Return all snapshots, oldest first; Damaged if a snapshot's description is invalid."""
        found = [self._read_about(folder.parent) for folder in self.folder.glob(f"*/{ABOUT}")]
        return sorted(found, key=lambda each: (each.at, each.name))

    def replay(self, name: str, *, export: Path | str | None = None) -> ReplayReport:
        """Compare a snapshot with the state that the event log reproduces.

        Raises:
            NotFound: the snapshot does not exist.
            Damaged: files of the snapshot were changed.
            Conflict: the log is inconsistent; see `audit verify`.
        """
        kept = self._state_folder(name)
        self._read_about(kept)
        atomic_folder.check(kept)
        values = json.loads((kept / HEAD).read_text("utf-8"))
        heads = [head_from_json(each) for each in values]
        with self._scratch() as copy:
            lost = rebuild.cut_to_heads(copy, heads)
            # The log has no names: people may have got an account or another name since.
            rebuild.rename_people(copy, _read_people(kept / EXPORT))
            events, streams = self._replay_log(copy, export)
            again = copy.path.with_name(EXPORT)
            self.snapshot(copy).export(again)
            found = _compare_exports(kept / EXPORT, again)
        return ReplayReport(events, streams, lost=tuple(lost), **found)

    def replay_to(self, at: str, export: Path | str) -> tuple[int, int]:
        """Write the state of a workspace at a given time (ISO 8601, UTC) to a file.

        Returns the numbers of replayed events and of event streams.

        Raises:
            Conflict: the log is inconsistent; see `audit verify`.
        """
        with self._scratch() as copy:
            rebuild.cut_to_time(copy, at)
            return self._replay_log(copy, export)

    def _replay_log(self, copy: SqliteDatabase, export: Path | str | None) -> tuple[int, int]:
        rebuild.rebuild_tables(copy)
        snapshot = self.snapshot(copy)
        head = snapshot.head()
        if export is not None:
            snapshot.export(Path(export))
        return head.events, head.streams

    @contextmanager
    def _scratch(self) -> Iterator[SqliteDatabase]:
        with atomic_folder.scratch_folder(self.folder.parent) as folder, self._copy(folder) as copy:
            yield copy

    def _copy(self, folder: Path) -> closing[SqliteDatabase]:
        path = folder / "store.sqlite"
        self.database.copy_to(path)
        return closing(SqliteDatabase(path))

    def _state_folder(self, name: str) -> Path:
        if not _NAME_PATTERN.fullmatch(name):
            raise InvalidInput(
                f"{name!r} is not a valid name of a snapshot",
                "use at most 64 letters, digits, dots, dashes or underscores, and begin with a"
                " letter or digit",
            )
        return self.folder / name

    def _read_about(self, folder: Path) -> FrozenState:
        try:
            value = json.loads((folder / ABOUT).read_text("utf-8"))
            texts = {key: str(value[key]) for key in ("at", "app", "head")}
            return FrozenState(folder.name, folder, events=int(value["events"]), **texts)
        except FileNotFoundError as error:
            known = sorted(each.name for each in folder.parent.glob("*") if each.is_dir())
            hint = suggest_word(folder.name, known)
            raise NotFound(
                f"unknown snapshot {folder.name!r}",
                f"{hint}list all snapshots with: tui-annotate audit snapshots list",
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(
                f"{folder / ABOUT} is not a valid description of a snapshot",
                "restore the file from a backup",
            ) from error


def _write_json(file: Path, value: Any) -> None:
    atomic_folder.write_text(file, json.dumps(value, indent=1, ensure_ascii=False) + "\n")
