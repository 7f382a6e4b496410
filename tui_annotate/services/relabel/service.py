"""Changes of label sets by admins: the set and all work under it in one transaction, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.domain.label_files import parse_labels, stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.nouns import many
from tui_annotate.domain.people import Verb, require
from tui_annotate.domain.relabelling import Renames, below, moved
from tui_annotate.services.relabel import asked, editing, normalising, tasks
from tui_annotate.services.relabel.carrying import Ask, Asked
from tui_annotate.services.relabel.normalising import Odd
from tui_annotate.services.relabel.past import Past
from tui_annotate.services.relabel.report import Refused, Report


@dataclass(frozen=True, slots=True)
class Relabel(Past):
    """Label sets of a workspace and of its datasets, as they change.

    Each method looks first and writes then; with `dry` it only looks.

    Raises:
        NotAllowed: every method, where the actor may not manage the workspace.
    """

    def rename(self, old: str, new: str, *, dataset: str = "", dry: bool = False) -> Report:
        """Another name for a label; what is below it goes along.

        Args:
            dataset: whose own set; empty for the workspace's, with all datasets that use it.
            dry: nothing is changed.

        Raises:
            NotFound: there is no such label, or no such dataset.
            InvalidInput, Conflict: it can not be called so.
        """

        def ask(text: str, tree: LabelTree, at: str) -> Asked:
            label = asked.named(tree, old)
            path = asked.new_name(tree, label, new)
            renames = moved([each.path for each in tree.walk()], label.path, path)
            changed = editing.rename(text, label.path, path[-1])
            paths = [renames.get(each.path, each.path) for each in tree.walk()]
            after = editing.checked(changed, paths)
            task = self._renaming(renames, before=tree, after=after, at=at)
            told = f"rename {asked.written(label.path)} to {path[-1]}"
            return Asked("rename", told, changed, task, renames)

        return self._change(ask, dataset=dataset, dry=dry)

    def merge(
        self, old: Sequence[str], into: str, *, dataset: str = "", dry: bool = False
    ) -> Report:
        """Several labels, with all below them, become one that is there.

        Raises:
            NotFound, InvalidInput, Conflict: as `rename`.
        """

        def ask(text: str, tree: LabelTree, at: str) -> Asked:
            gone, kept = asked.merged(tree, old, into)
            paths = [each.path for each in tree.walk()]
            renames = {path: kept.path for path in paths if any(below(path, each) for each in gone)}
            changed = editing.merge(text, gone, kept.path)
            after = editing.checked(changed, [path for path in paths if path not in renames])
            task = self._renaming(renames, before=tree, after=after, at=at)
            told = f"merge {' '.join(map(asked.written, gone))} into {asked.written(kept.path)}"
            return Asked("merge", told, changed, task, renames)

        return self._change(ask, dataset=dataset, dry=dry)

    def split(
        self, old: str, new: Sequence[str], *, dataset: str = "", dry: bool = False
    ) -> Report:
        """Others stand in for a label; work that has it waits for a choice.

        Raises:
            NotFound, InvalidInput, Conflict: as `rename`.
        """

        def ask(text: str, tree: LabelTree, at: str) -> Asked:
            label = asked.named(tree, old)
            parts = asked.parts(tree, label, new)
            changed = editing.split(text, label.path, parts)
            editing.checked(changed, {*(each.path for each in tree.walk()), *parts})
            told = f"split {asked.written(label.path)} into {' '.join(map(asked.written, parts))}"
            return Asked("split", told, changed, tasks.splitting({label.path}, at=at))

        return self._change(ask, dataset=dataset, dry=dry)

    def retire(self, whole: str, *, dataset: str = "", dry: bool = False) -> Report:
        """A label, with all below it, stays on old work and is given no more.

        Raises:
            NotFound, InvalidInput, Conflict: as `rename`.
        """

        def ask(text: str, tree: LabelTree, _at: str) -> Asked:
            label = asked.retired(tree, whole)
            changed = editing.retire(text, label.path)
            editing.checked(changed, [each.path for each in tree.walk()])
            gone = {each.path for each in label.walk()}
            told = f"retire {asked.written(label.path)}"
            return Asked("retire", told, changed, tasks.retiring(gone))

        return self._change(ask, dataset=dataset, dry=dry)

    def apply(self, text: str, *, name: str, dataset: str = "", dry: bool = False) -> Report:
        """Another label set, for the workspace or for one dataset alone.

        Args:
            name: of its file, for messages.

        Raises:
            InvalidLabels: it is no label set.
            Refused: labels of work would be lost by it; also with `dry`.
        """
        after = parse_labels(text, name=name)

        def ask(_text: str, tree: LabelTree, at: str) -> Asked:
            return Asked("apply", f"apply {name}", text, tasks.applying(tree, after, at=at))

        def check(report: Report) -> None:
            if lost := report.of("lost"):
                labels = sorted({place.label for place in lost})
                whose = {replace(place, label="") for place in lost}
                raise Refused(
                    f"{name} lacks labels of {many(len(whose), 'annotation')}: {', '.join(labels)}",
                    "rename, merge or retire them first (see: tui-annotate labels --help); "
                    "--dry-run tells whose they are",
                    report,
                )

        require(self.actor, Verb.MANAGE)
        first = not self.in_force_hash()
        if first and not dry:
            self.file.take_up()
        with self.store.reading() as seen:
            made = self.prepared(seen, ask, dataset=dataset, text=self.file.text() if first else "")
        report = self.report(made)
        check(report)
        return report if dry or made.nothing else self.carry_out(made, check=check)

    def odd(self, *, dataset: str = "") -> tuple[list[Odd], LabelTree]:
        """What is out of the ordinary in work under a set, and that set; nothing is changed.

        Args:
            dataset: this one alone; empty for all that use the workspace's set.

        Raises:
            NotFound: there is no such dataset, or no label set.
        """
        with self.store.reading() as seen:
            begun = seen.moment(dataset)
            text = self.in_force(begun.version) if begun.version and dataset else self.file.text()
            labels = stored_labels(text)
            return normalising.found(seen.streams(begun.datasets), labels), labels

    def normalise(self, renames: Renames, *, dataset: str = "", dry: bool = False) -> Report:
        """Work gets labels of the set in the place of those that it came with.

        Args:
            renames: as the rules that `normalising.chosen` gives say it.
        """

        def ask(_text: str, tree: LabelTree, at: str) -> Asked:
            task = self._renaming(renames, before=tree, after=tree, at=at)
            rules = (f"{asked.written(old)}={asked.written(new)}" for old, new in renames.items())
            return Asked("normalise", f"normalise {' '.join(rules)}", None, task, renames)

        return self._change(ask, dataset=dataset, dry=dry, own=False)

    def _renaming(
        self, renames: Renames, *, before: LabelTree, after: LabelTree, at: str
    ) -> tasks.Task:
        return tasks.renaming(renames, before=before, after=after, at=at, was=self._before)

    def _change(self, ask: Ask, *, dataset: str, dry: bool, own: bool = True) -> Report:
        """Looks, and writes.

        Args:
            own: whether a dataset must have a set of its own.
        """
        require(self.actor, Verb.MANAGE)
        if not dry:
            self.file.take_up()
        with self.store.reading() as seen:
            version = seen.moment(dataset).version
            if dataset and own and not version:
                raise InvalidInput(
                    f"dataset {dataset!r} has no label set of its own",
                    f"without --dataset the workspace's changes; or: tui-annotate labels apply "
                    f"FILE --dataset {dataset}",
                )
            text = "" if version and dataset else self.file.text()
            made = self.prepared(seen, ask, dataset=dataset, text=text)
        return self.report(made) if dry or made.nothing else self.carry_out(made)
