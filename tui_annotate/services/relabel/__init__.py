"""Lets admins change label sets, and changes the annotations that use the changed labels.

The main class is `LabelChangeService`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui_annotate.domain.assignments import State
from tui_annotate.domain.errors import Conflict, InvalidInput, NotFound, NotReady
from tui_annotate.domain.event_streams import EventStream
from tui_annotate.domain.keyword_names import check_keywords, earlier_keywords
from tui_annotate.domain.label_changes import LackingWork, Renames, is_below, rename_subtree
from tui_annotate.domain.label_files import parse_labels, parse_stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.people import Permission, require_permission
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.report_collections import rating_scale
from tui_annotate.domain.samples import SampleKind
from tui_annotate.services.relabel import editing, label_requests, normalising, tasks
from tui_annotate.services.relabel.change_writer import (
    Ask,
    LabelChangeWriter,
    LackingCount,
    PreparedChange,
    RelabelConflict,
    RelabelCount,
    RelabelFinding,
    RelabelReport,
    RelabelRequest,
)
from tui_annotate.services.relabel.normalising import IrregularLabels
from tui_annotate.storage.labels.changes import RENAME, UNDO, LabelChange
from tui_annotate.storage.labels.store import GuidanceEdition, GuidanceKind
from tui_annotate.storage.log.label_set_change import LabelSetChange, StreamName

__all__ = [
    "LabelChangeService",
    "LackingCount",
    "RelabelConflict",
    "RelabelCount",
    "RelabelFinding",
    "RelabelReport",
]


def _require_decision(report: RelabelReport, lacking: LackingWork | None) -> None:
    """Raise RelabelConflict if annotations would lack something, and no one decided about them."""
    if lacking is not None or not (found := report.of("lacks")):
        return
    parts = " or ".join(sorted({place.detail for place in found}))
    whose = {replace(place, label="", detail="") for place in found}
    raise RelabelConflict(
        f"{format_count(len(whose), 'annotation')} would lack a required {parts}",
        "list the annotations with --dry-run; then reopen their completed samples with --lacking"
        " reopen, or leave the samples as they are with --lacking keep",
        report,
    )


@dataclass(frozen=True, slots=True)
class LabelSetVersion:
    """One version of a label set.

    Attributes:
        dataset: dataset that the label set belongs to; empty for that of the workspace.
        version: first characters of its hash.
        labels: number of labels.
    """

    dataset: str
    version: str
    at: str
    by: str
    change: str
    labels: int
    in_force: bool
    undone: bool


@check_keywords
@dataclass(frozen=True, slots=True)
class LabelChangeService(LabelChangeWriter):
    """Changes the label sets of a workspace; with `dry`, only reports what would change.

    An empty `dataset` means the workspace's label set, with all datasets that use it.

    Attributes:
        ratings: the workspace's rating scale; empty for the scales of kinds of samples.

    Raises:
        NotAllowed: every method, if the current user is not an admin.
        NotFound: every method, if the dataset does not exist.
        InvalidInput, Conflict: a named label does not exist, or the change is not possible.
    """

    ratings: tuple[str, ...] = ()

    @earlier_keywords(dry="dry_run")
    def rename(
        self, old: str, new: str, *, dataset: str = "", dry_run: bool = False
    ) -> RelabelReport:
        """Rename a label; its child labels stay below the renamed label."""

        def ask(text: str, tree: LabelTree, at: str) -> RelabelRequest:
            label = label_requests.find_label(tree, old)
            path = label_requests.new_name(tree, label, new)
            renames = rename_subtree([each.path for each in tree.walk()], label.path, path)
            changed = editing.rename(text, label.path, path[-1])
            paths = [renames.get(each.path, each.path) for each in tree.walk()]
            after = editing.parse_label_set(changed, paths)
            task = tasks.renaming_task(
                renames, before=tree, after=after, at=at, was=self._state_before
            )
            description = f"rename {label_requests.format_path(label.path)} to {path[-1]}"
            return RelabelRequest(RENAME, description, changed, task, renames)

        return self._apply_change(ask, dataset=dataset, dry=dry_run)

    @earlier_keywords(dry="dry_run")
    def merge(
        self,
        old: Sequence[str],
        into: str,
        *,
        dataset: str = "",
        dry_run: bool = False,
        lacking: LackingWork | None = None,
    ) -> RelabelReport:
        """Merge labels and their child labels into an existing label.

        Raises:
            RelabelConflict: annotations would lack what the label requires, without `lacking`.
        """

        def ask(text: str, tree: LabelTree, at: str) -> RelabelRequest:
            gone, kept = label_requests.parse_merge(tree, old, into)
            paths = [each.path for each in tree.walk()]
            renames = {
                path: kept.path for path in paths if any(is_below(path, each) for each in gone)
            }
            changed = editing.merge(text, gone, kept.path)
            after = editing.parse_label_set(
                changed, [path for path in paths if path not in renames]
            )
            task = tasks.renaming_task(
                renames,
                before=tree,
                after=after,
                at=at,
                was=self._state_before,
                reopen_lacking=lacking is LackingWork.REOPEN,
            )
            merged = " ".join(map(label_requests.format_path, gone))
            description = f"merge {merged} into {label_requests.format_path(kept.path)}"
            return RelabelRequest("merge", description, changed, task, renames)

        return self._apply_change(ask, dataset=dataset, dry=dry_run, lacking=lacking)

    @earlier_keywords(dry="dry_run")
    def split(
        self, old: str, new: Sequence[str], *, dataset: str = "", dry_run: bool = False
    ) -> RelabelReport:
        """Split a label into several; annotators choose one of them for each annotation."""

        def ask(text: str, tree: LabelTree, at: str) -> RelabelRequest:
            label = label_requests.find_label(tree, old)
            parts = label_requests.parse_split(tree, label, new)
            changed = editing.split(text, label.path, parts)
            editing.parse_label_set(changed, {*(each.path for each in tree.walk()), *parts})
            split_into = " ".join(map(label_requests.format_path, parts))
            description = f"split {label_requests.format_path(label.path)} into {split_into}"
            return RelabelRequest(
                "split", description, changed, tasks.splitting_task({label.path}, at=at)
            )

        return self._apply_change(ask, dataset=dataset, dry=dry_run)

    @earlier_keywords(dry="dry_run")
    def retire(self, whole: str, *, dataset: str = "", dry_run: bool = False) -> RelabelReport:
        """Deprecate a label and its child labels: existing uses stay, new ones are refused."""

        def ask(text: str, tree: LabelTree, _at: str) -> RelabelRequest:
            label = label_requests.retire_label(tree, whole)
            changed = editing.retire(text, label.path)
            editing.parse_label_set(changed, [each.path for each in tree.walk()])
            gone = {each.path for each in label.walk()}
            description = f"retire {label_requests.format_path(label.path)}"
            return RelabelRequest("retire", description, changed, tasks.retiring_task(gone))

        return self._apply_change(ask, dataset=dataset, dry=dry_run)

    @earlier_keywords(dry="dry_run")
    def apply(
        self,
        text: str,
        *,
        name: str,
        dataset: str = "",
        dry_run: bool = False,
        lacking: LackingWork | None = None,
        reopen_unrated: bool = False,
        include_adjudicated: bool = False,
    ) -> RelabelReport:
        """Replace the label set of the workspace or of a dataset by the label set in `text`.

        Args:
            name: name of the file, for messages.
            lacking: what happens to completed samples with annotations that lack a note or evidence
                that the new label set requires, and the old one did not; if the label set is the
                current one, `REOPEN` reopens all that lack something. Practice samples stay
                complete; gold samples are reopened with all others, so that no one recognises them.
            reopen_unrated: also reopen completed samples without a rating, if samples of their kind
                have a rating scale; also if the label set is the current one.
            include_adjudicated: with `reopen_unrated`, also reopen work that is locked because the
                sample is adjudicated; its annotators can then change all of it.

        Raises:
            InvalidLabels: the text is not a label set.
            RelabelConflict: labels in use would be lost, also with `dry_run`; or annotations lack
                what their labels require, and `lacking` is None.
        """
        after = parse_labels(text, name=name)
        kinds = [each for each in SampleKind if rating_scale(each, self.ratings)]

        def ask(_text: str, tree: LabelTree, at: str) -> RelabelRequest:
            task = tasks.apply_label_set(
                tree, after, at=at, reopen_lacking=lacking is LackingWork.REOPEN
            )
            unmarked: list[StreamName] = []
            if reopen_unrated:
                with self.store.reading() as seen:
                    datasets = seen.moment(dataset).datasets
                    locked = (
                        frozenset[tuple[str, int]]()
                        if include_adjudicated
                        else seen.locked_unrated(datasets, kinds)
                    )
                    rated = seen.samples_of(datasets, kinds)
                    task = tasks.reopen_unrated(task, rated, locked=locked, at=at)
                    unmarked = seen.unmarked(datasets, kinds)
            return RelabelRequest("apply", f"apply {name}", text, task, unmarked=unmarked)

        def check(report: RelabelReport) -> None:
            if lost := report.of("lost"):
                labels = sorted({place.label for place in lost})
                whose = {replace(place, label="") for place in lost}
                count = format_count(len(whose), "annotation")
                raise RelabelConflict(
                    f"{name} lacks labels of {count}: {', '.join(labels)}",
                    "rename, merge or retire these labels first (see: tui-annotate labels --help);"
                    " list the annotations with --dry-run",
                    report,
                )
            if not dry_run:
                _require_decision(report, lacking)

        require_permission(self.actor, Permission.MANAGE)
        first = not self.in_force_hash()
        if first and not dry_run:
            self.file.take_up()
        with self.store.reading() as seen:
            made = self.prepared(seen, ask, dataset=dataset, text=self.file.text() if first else "")
        report = self.report(made)
        check(report)
        return report if dry_run or made.is_empty else self.carry_out(made, check=check)

    def find_irregular_labels(
        self, *, dataset: str = ""
    ) -> tuple[list[IrregularLabels], LabelTree]:
        """Return the invalid labels of annotations, and the label set.

        Raises:
            NotFound: the dataset does not exist, or there is no label set.
        """
        with self.store.reading() as seen:
            begun = seen.moment(dataset)
            text = self.in_force(begun.version) if begun.version and dataset else self.file.text()
            labels = parse_stored_labels(text)
            return normalising.find_irregularities(seen.streams(begun.datasets), labels), labels

    @earlier_keywords(dry="dry_run")
    def normalise(
        self,
        renames: Renames,
        *,
        dataset: str = "",
        dry_run: bool = False,
        lacking: LackingWork | None = None,
    ) -> RelabelReport:
        """Replace the invalid labels of annotations; `renames` maps old labels to new ones.

        Raises:
            RelabelConflict: annotations would lack what their labels require, without `lacking`.
        """

        def ask(_text: str, tree: LabelTree, at: str) -> RelabelRequest:
            task = tasks.renaming_task(
                renames,
                before=tree,
                after=tree,
                at=at,
                was=self._state_before,
                reopen_lacking=lacking is LackingWork.REOPEN,
            )
            rules = (
                f"{label_requests.format_path(old)}={label_requests.format_path(new)}"
                for old, new in renames.items()
            )
            return RelabelRequest("normalise", f"normalise {' '.join(rules)}", None, task, renames)

        return self._apply_change(ask, dataset=dataset, dry=dry_run, own=False, lacking=lacking)

    def _apply_change(
        self,
        ask: Ask,
        *,
        dataset: str,
        dry: bool,
        own: bool = True,
        lacking: LackingWork | None = None,
    ) -> RelabelReport:
        require_permission(self.actor, Permission.MANAGE)
        if not dry:
            self.file.take_up()
        with self.store.reading() as seen:
            version = seen.moment(dataset).version
            if dataset and own and not version:
                raise InvalidInput(
                    f"dataset {dataset!r} has no label set of its own",
                    "omit --dataset to change the workspace's label set; or run: tui-annotate"
                    f" labels apply FILE --dataset {shlex.quote(dataset)}",
                )
            text = "" if version and dataset else self.file.text()
            made = self.prepared(seen, ask, dataset=dataset, text=text)
        report = self.report(made)
        if dry or made.is_empty:
            return report

        def check(report: RelabelReport) -> None:
            _require_decision(report, lacking)

        check(report)
        return self.carry_out(made, check=check)

    def versions(self, dataset: str | None = None) -> list[LabelSetVersion]:
        """Return the versions of label sets, oldest first.

        `dataset`: None for all label sets; empty for the workspace's own label set.

        Raises:
            NotFound: the dataset does not exist, and it never had its own label set.
        """
        with self.store.reading() as seen:
            changes = seen.changes()
            if dataset and all(one.dataset != dataset for one in changes):
                seen.moment(dataset)
        known: dict[tuple[str, str], GuidanceEdition | None] = {
            (one.at, one.dataset): one for one in self.guidance.editions(GuidanceKind.LABELS)
        }
        changed = {(one.at, one.dataset): one for one in changes}
        places = sorted(known.keys() | changed.keys())
        last = {place[1]: place for place in places if place in known}
        found = []
        for place in places:
            if dataset in (None, place[1]):
                each = self._make_version(place, known.get(place), changed.get(place))
                now = self.guidance.version(GuidanceKind.LABELS, dataset=place[1])
                in_force = last.get(place[1]) == place and each.version == now
                found.append(replace(each, in_force=in_force))
        return found

    def _make_version(
        self, place: tuple[str, str], edition: GuidanceEdition | None, change: LabelChange | None
    ) -> LabelSetVersion:
        at, dataset = place
        by = ""
        version = ""
        if edition:
            by = edition.by
            version = edition.version
        elif change:
            by = change.by
            version = change.after
        labels = parse_stored_labels(self.in_force(version))
        return LabelSetVersion(
            dataset=dataset,
            version=version,
            at=at,
            by=self.names().get(by, by),
            change=change.request.description if change else "",
            labels=len(list(labels.walk())),
            in_force=False,
            undone=bool(change and change.undone),
        )

    def text(self, version: str = "", *, dataset: str = "") -> str:
        """Return the text of the label set with a given hash, by default the current one.

        Raises:
            NotFound: no version matches, or several do.
        """
        if not version:
            with self.store.reading() as seen:
                found = seen.moment(dataset).version or self.in_force_hash()
            return self.in_force(found) if found else self.file.text()
        known = self.guidance.versions(GuidanceKind.LABELS)
        fitting = [name for name in known if name.startswith(version.lower())]
        if len(fitting) != 1:
            raise NotFound(
                f"several label set versions have a hash that begins with {version!r}"
                if fitting
                else f"no label set version has a hash that begins with {version!r}",
                "list all versions with: tui-annotate labels history",
            )
        return self.guidance.text(GuidanceKind.LABELS, fitting[0])

    @earlier_keywords(dry="dry_run")
    def undo(self, *, dataset: str = "", dry_run: bool = False) -> RelabelReport:
        """Undo the last change of a label set.

        Annotations that were changed since stay as they are and are reported. Undoing a rename also
        renames labels that were given since.

        Raises:
            NotFound: there is no change to undo, or the dataset does not exist.
            Conflict: `labels.yaml` differs from the current label set.
        """
        require_permission(self.actor, Permission.MANAGE)
        if not dataset and self.file.pending():
            raise Conflict(
                "labels.yaml differs from the current label set",
                "apply the file: tui-annotate labels apply labels.yaml; or restore it: "
                "tui-annotate labels show > labels.yaml",
            )
        with self.store.reading() as seen:
            made = self._prepare_undo(seen, self._last_change(seen, dataset))
        return self.report(made) if dry_run else self.carry_out(made)

    def _last_change(self, seen: LabelSetChange, dataset: str) -> LabelChange:
        seen.moment(dataset)
        standing = [one for one in seen.changes() if not one.undone and one.kind != UNDO]
        mine = [one for one in standing if one.dataset == dataset]
        if not mine:
            others = sorted({one.dataset for one in standing if one.dataset})
            more = f"undo a change of a dataset's labels: --dataset {others[0]}" if others else ""
            where = f"the labels of {dataset}" if dataset else "the workspace's labels"
            raise NotReady(
                f"there is no change of {where} to undo",
                ("" if dataset else more) or "list all changes with: tui-annotate labels history",
            )
        return mine[-1]

    def _prepare_undo(self, seen: LabelSetChange, last: LabelChange) -> PreparedChange:
        if seen.moment(last.dataset).version != last.after:
            raise Conflict(
                f"the current label set is not the result of {last.request.description!r}",
                "list all changes with: tui-annotate labels history",
            )
        now = self.in_force(last.after)
        text = self.in_force(last.before)
        done = seen.batch(last.batch)
        back = {new: old for old, new in last.request.renames.items()}
        renames = back if last.kind == RENAME else {}

        def ask(_text: str, _tree: LabelTree, at: str) -> RelabelRequest:
            task = tasks.undoing(
                lambda stream: done.get((stream.person, stream.key)),
                renames,
                before=parse_stored_labels(now),
                after=parse_stored_labels(text),
                at=at,
                is_later=self._has_later_work,
            )
            description = f"undo: {last.request.description}"
            return RelabelRequest(UNDO, description, text, task, renames, unmarked=done.keys())

        made = self.prepared(seen, ask, dataset=last.dataset)
        change = replace(made.change, after=last.before)
        return replace(made, change=change, undoes=last.id)

    def _state_before(self, stream: EventStream) -> State | None:
        """Return the state of a sample before a label change reopened it; else None."""
        with self.store.reading() as seen:
            state = seen.before((stream.person, stream.key))
        return State(state) if state else None

    def _has_later_work(self, stream: EventStream, seq: int) -> bool:
        if stream.seq == seq:
            return False
        with self.store.reading() as seen:
            return seen.later((stream.person, stream.key), seq)
