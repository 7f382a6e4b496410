"""Reads the status of a workspace: its contents, and its problems; changes nothing."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_annotate.domain.adjudication_history import count_later_work
from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import Damaged, NotFound, TuiAnnotateError, Unavailable
from tui_annotate.domain.findings import DiagnosticFinding
from tui_annotate.domain.labels import JOINER, LabelTree, Requirement
from tui_annotate.domain.people import SETTLED
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.report_collections import rating_scale
from tui_annotate.domain.samples import SampleKey
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.domain.workspace_files import LABELS
from tui_annotate.storage.corpus.store import CorpusStore, DatasetInfo, DatasetProgress
from tui_annotate.storage.database import Database
from tui_annotate.storage.integrity import inspect_store, suggest_store_repair
from tui_annotate.storage.items import KindCount
from tui_annotate.storage.log.annotation_store import AnnotationStore
from tui_annotate.storage.vectors.store import VectorStore

_NO_VECTORS = "no vectors in use: the search for matches is lexical (words only)"
_OTHER_MODEL = "neural:FOLDER (the folder of a model for the language of these documents)"
_MAX_NAMED = 5


@dataclass(frozen=True, slots=True)
class PendingChoices:
    """Annotations whose label was split and that wait for a choice of the annotator.

    Attributes:
        choices: labels to choose from.
        person, name: id and name of the annotator.
    """

    label: str
    choices: tuple[str, ...]
    person: str
    name: str
    annotations: int


_LATER_EDITS: Final = "edits after adjudication"


@dataclass(frozen=True, slots=True)
class Status:
    """Numbers of the stored objects in a workspace, and the progress of its annotators.

    Attributes:
        documents: number of different texts: sources, summaries and reports.
        segments: number of sentences of these documents; commands print them as sentences.
        annotations: number of annotations of annotators, without adjudicated ones.
        completed: number of completed readings; a reading is one person's work on one sample.
        embedded: number of documents with vectors.
        embedder: name of the embedder; empty before the first import, `none` without an embedder.
        lexical_only: number of documents with vectors whose matches are lexical (words only).
        waiting: annotations whose label was split, by annotator.
    """

    path: Path
    samples: int
    documents: int
    segments: int
    annotations: int
    completed: int
    embedder: str
    embedded: int
    lexical_only: int
    datasets: tuple[DatasetInfo, ...]
    progress: tuple[DatasetProgress, ...]
    items: tuple[KindCount, ...] = ()
    waiting: tuple[PendingChoices, ...] = ()


@dataclass(frozen=True, slots=True)
class StatusReader:
    """Reads the numbers that `status` and `doctor` print."""

    path: Path
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    stored_labels: Callable[[str], LabelTree]
    proposed_labels: Callable[[str], LabelTree]
    refusal: Callable[[], str]
    stores: Callable[[], VectorStore]
    ratings: tuple[str, ...] = ()

    def status(self) -> Status:
        """Return the contents and the progress; all numbers are 0 in an empty workspace."""
        samples, documents, segments = self.corpus.totals()
        datasets = tuple(self.corpus.datasets())
        used = self.corpus.vector_set()
        none = "none" if self.corpus.vectors_decided() else ""
        embedded, by_words = self.corpus.embedded(used.table) if used else (0, 0)
        return Status(
            path=self.path,
            samples=samples,
            documents=documents,
            segments=segments,
            annotations=sum(dataset.annotations for dataset in datasets),
            completed=sum(dataset.completed for dataset in datasets),
            embedder=used.embedder if used else none,
            embedded=embedded,
            lexical_only=by_words,
            datasets=datasets,
            progress=tuple(self.corpus.progress()),
            items=tuple(self.log.kind_counts()),
            waiting=tuple(self._pending_choices(dataset.name for dataset in datasets)),
        )

    def _pending_choices(self, datasets: Iterable[str]) -> Iterator[PendingChoices]:
        split: dict[str, LabelTree] = {}
        for dataset in datasets:
            with suppress(NotFound):
                labels = self.stored_labels(dataset)
                if any(label.split for label in labels.walk()):
                    split[dataset] = labels
        if not split:
            return
        found: Counter[tuple[str, tuple[str, ...], str, str]] = Counter()
        for each, count in self.log.labellings(split).items():
            for label in split[each.dataset].split(each.labels):
                parts = split[each.dataset].parts(label)
                choices = tuple(JOINER.join(part.path) for part in parts)
                found[JOINER.join(label.path), choices, each.name, each.person] += count
        for (old, new, name, person), count in sorted(found.items(), key=lambda p: (-p[1], p[0])):
            yield PendingChoices(
                label=old, choices=new, person=person, name=name, annotations=count
            )

    def store(self) -> list[DiagnosticFinding]:
        """Check the database and the event log; see `inspect_store`."""
        return inspect_store(self.database)

    def findings(self) -> list[DiagnosticFinding]:
        """Check store, labels, vectors and later edits; each sound part is a finding too.

        A damaged store is a finding and no error, and the other checks still run.
        """
        found = self.store()
        for check in (self.labels_found, self.vectors_found, self.later_edits_found):
            try:
                with self.database.explain_wrong_types():
                    found += check()
            except Damaged as error:  # the other checks still find something
                if all(each.state != "error" for each in found):
                    repair = suggest_store_repair(error, self.database)
                    found.append(DiagnosticFinding("store", "error", error.message, repair))
        return found

    def labels_found(self) -> list[DiagnosticFinding]:
        """Check that the label sets are readable, and contain the labels of all annotations."""
        found = [self._labels_finding()]
        why = self.refusal() if found[0].state != "error" else ""
        if why:
            file = shlex.quote(str(self.path / LABELS))
            mend = f"tui-annotate labels apply {file} --dry-run"
            says = f"labels.yaml was changed but is not in use: {why}"
            found.append(DiagnosticFinding("label file", "warning", says, mend))
        waiting = list(self._pending_choices(dataset.name for dataset in self.corpus.datasets()))
        if waiting:
            found.append(_pending_choices_finding(waiting))
        return found + self._lacking_findings() + self._rating_findings()

    def _rating_findings(self) -> list[DiagnosticFinding]:
        counts = self.log.count_unrated()
        rated = [kind for kind in counts if rating_scale(kind, self.ratings)]
        unrated = sum(counts[kind][1] for kind in rated)
        if not unrated:
            return []
        done = format_count(sum(counts[kind][0] for kind in rated), "completed sample")
        says = f"{unrated:,} of {done} (once for each annotator) have no rating"
        mend = (
            "rate these samples on the screen (*), or leave them: a rating is not required; to open"
            " them again for their annotators: tui-annotate labels apply labels.yaml"
            " --reopen-unrated"
        )
        return [DiagnosticFinding("ratings", "warning", says, mend)]

    def _lacking_findings(self) -> list[DiagnosticFinding]:
        """Count completed work that lacks a note or evidence that its labels require."""
        lacking: Counter[str] = Counter()
        work: set[tuple[str, SampleKey]] = set()
        adjudicated: Counter[str] = Counter()
        for dataset in self.corpus.datasets():
            with suppress(TuiAnnotateError):  # unreadable labels have their own finding
                labels = self.stored_labels(dataset.name)
                if any(
                    Requirement.REQUIRED in (each.evidence, each.note) for each in labels.walk()
                ):
                    for person, key, part in self._find_lacking(dataset.name, labels):
                        if person == SETTLED:
                            adjudicated[part] += 1
                        else:
                            lacking[part] += 1
                            work.add((person, key))
        found = []
        if lacking:
            locked = {key for person, key in work if self.log.work_lock(person, key).locked}
            found.append(
                DiagnosticFinding(
                    "required parts",
                    "warning",
                    "annotations of completed samples lack what their labels require: "
                    f"{_join_parts(lacking)}",
                    _describe_lacking_repair(locked),
                )
            )
        if adjudicated:
            found.append(
                DiagnosticFinding(
                    "required parts of adjudications",
                    "warning",
                    "adjudicated annotations, which are the work of reviewers, lack what their"
                    f" labels require: {_join_parts(adjudicated)}",
                    "ask a reviewer to edit them (key e): tui-annotate review; list them with:"
                    " tui-annotate export --origin adjudicated",
                )
            )
        return found

    def _find_lacking(
        self, dataset: str, labels: LabelTree
    ) -> Iterator[tuple[str, SampleKey, str]]:
        """Yield (person, sample, missing part) for the annotations of completed samples."""
        completed = RecordFilter(dataset=dataset, state="done", practice="with", gold="with")
        for owned in self.log.standing(completed, {}):
            for part in labels.lacks(owned.annotation):
                if part != "label" and owned.sample is not None:
                    yield owned.person, owned.sample, part

    def _labels_finding(self) -> DiagnosticFinding:
        labels = self.proposed_labels
        try:
            known = len(labels("").leaves())
            lost: Counter[LabelPath] = Counter()
            for (dataset, path), count in self.log.labels_in_use().items():
                if labels(dataset).find(path) is None:
                    lost[path] += count
        except TuiAnnotateError as error:
            return DiagnosticFinding("labels", "error", error.message, error.hint)
        if not lost:
            return DiagnosticFinding("labels", "ok", format_count(known, "label"))
        named = [f"{JOINER.join(path)} ({count:,})" for path, count in lost.most_common(_MAX_NAMED)]
        file = shlex.quote(str(self.path / LABELS))
        return DiagnosticFinding(
            "labels",
            "warning",
            f"annotations have labels that are not in the label set: "
            f"{_join_named(named, len(lost))}",
            f"run: tui-annotate labels normalize --dry-run; or add the labels to {file}"
            " (then: tui-annotate labels check)",
        )

    def later_edits_found(self) -> list[DiagnosticFinding]:
        """Report edits of annotators' work after its adjudication; nothing if there are none."""
        counts = count_later_work(self.log.adjudications())
        if not counts.edits:
            return []
        says = (
            f"adjudicated samples with later edits: {counts.edited_samples:,} of"
            f" {counts.adjudicated:,}; edits: {counts.edits_after_reopening:,} after a reopening,"
            f" {counts.edits_without_reopening:,} without"
        )
        if not counts.edits_without_reopening:
            return [DiagnosticFinding(_LATER_EDITS, "ok", says)]
        return [DiagnosticFinding(_LATER_EDITS, "warning", says, "tui-annotate review list")]

    def vectors_found(self) -> list[DiagnosticFinding]:
        """Check that all documents have vectors; list sets of vectors that are not in use."""
        used = self.corpus.vector_set()
        others = [each for each in self.corpus.vector_sets() if each != used]
        found = [
            self._vectors_finding(used) if used else DiagnosticFinding("vectors", "ok", _NO_VECTORS)
        ]
        if others:
            store = self.stores()
            sizes = ((each.embedder, store.bytes(each.table) / 1_000_000) for each in others)
            listed = ", ".join(f"{name} ({size:,.1f} MB)" for name, size in sizes)
            found.append(
                DiagnosticFinding(
                    "other vectors", "ok", f"vector sets that are not in use: {listed}"
                )
            )
        return found

    def _vectors_finding(self, used: VectorSet) -> DiagnosticFinding:
        expected, by_words = self.corpus.embedded(used.table)
        rebuild = self.stores().command()
        try:
            documents, rows = self.stores().size(used.table)
            if used.token_dimensions:
                documents = min(documents, self.stores().token_documents(used.table))
        except Unavailable as error:
            return DiagnosticFinding("vectors", "warning", error.message, rebuild)
        if documents < expected:
            says = f"{documents:,} of {format_count(expected, 'text')} have vectors"
            return DiagnosticFinding("vectors", "warning", says, rebuild)
        waiting, _ = self.corpus.waiting(used.table)
        if waiting:
            named = f"{rebuild} --embedder {shlex.quote(used.embedder)}"
            says = f"{format_count(waiting, 'text has', 'texts have')} no vectors yet"
            return DiagnosticFinding("vectors", "warning", says, named)
        stored = f"{format_count(rows, 'sentence')} of {format_count(documents, 'text')}"
        says = f"{used.label}: {stored}"
        if by_words:
            lexical = format_count(by_words, "text")
            says += f"; matches are lexical (words only) in {lexical}: the model lacks their words"
            return DiagnosticFinding(
                "vectors", "warning", says, f"{rebuild} --embedder {_OTHER_MODEL}"
            )
        return DiagnosticFinding("vectors", "ok", says)


def _pending_choices_finding(waiting: Sequence[PendingChoices]) -> DiagnosticFinding:
    listed = [
        f"{each.label} of {each.name} ({each.annotations:,})" for each in waiting[:_MAX_NAMED]
    ]
    return DiagnosticFinding(
        "split labels",
        "warning",
        "annotations need one of the labels that their label was split into:"
        f" {_join_named(listed, len(waiting))}",
        "choose a label for each annotation in: tui-annotate annotate; an admin can choose for all"
        " annotations with: tui-annotate labels normalize --rule LABEL=CHOICE --dry-run",
    )


def _join_named(names: Sequence[str], total: int) -> str:
    more = f" and {total - _MAX_NAMED} more" if total > _MAX_NAMED else ""
    return ", ".join(names) + more


def _describe_lacking_repair(locked: Collection[SampleKey]) -> str:
    """Return what to do about completed work that lacks required parts.

    Args:
        locked: the samples with such work that its annotators cannot change.
    """
    reopen = "to reopen their samples"
    if locked:
        verb = "is" if len(locked) == 1 else "are"
        reopen = (
            f"{format_count(len(locked), 'sample')} {verb} locked, for example {min(locked)}: first"
            " reopen the work with: tui-annotate review reopen SAMPLE --reason TEXT, or all of it"
        )
    return (
        f"ask the annotators to complete these annotations; {reopen} with: tui-annotate labels"
        " apply labels.yaml --lacking reopen; or make the part optional; list the annotations with:"
        " tui-annotate export --state done"
    )


def _join_parts(counts: Counter[str]) -> str:
    return ", ".join(f"{part} ({count:,})" for part, count in sorted(counts.items()))
