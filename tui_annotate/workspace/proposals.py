"""Stores changed `labels.yaml` and `guidelines.md` files of a workspace as new versions.

A changed label set is refused if existing annotations would lose labels or break its rules.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import Conflict, InvalidLabels, NotFound, Unavailable
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import JOINER, LabelTree
from tui_annotate.domain.workspace_files import GUIDELINES, LABELS
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.labels.changes import FILE, LabelChange, LabelChangeRequest
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore
from tui_annotate.storage.log.label_set_change import LabelChangeStore
from tui_annotate.workspace.folder import write_if_changed

_MAX_NAMED = 3


@dataclass(frozen=True, slots=True)
class GuidanceFiles:
    """The files `labels.yaml` and `guidelines.md` of a workspace, which users edit."""

    folder: Path
    guidance: GuidanceStore
    corpus: CorpusStore
    stored: Callable[[str], LabelTree]
    work: LabelChangeStore
    _loss_by_versions: dict[tuple[str, str], str] = field(default_factory=dict, init=False)

    def take_up(self) -> None:
        """Store changed `labels.yaml` and `guidelines.md` files as new versions, and use them.

        In a read-only workspace, the stored versions stay in use.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
        """
        if self.guidance.read_only:
            return
        text = self._changed(GuidanceKind.LABELS, LABELS)
        if text is not None and not self.refused():
            self._take_up_labels(text)
        text = self._changed(GuidanceKind.GUIDELINES, GUIDELINES)
        if text is not None:
            self.guidance.keep(GuidanceKind.GUIDELINES, text)

    def pending(self) -> bool:
        """Return whether `labels.yaml` differs from the label set in use.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
        """
        text = self._changed(GuidanceKind.LABELS, LABELS)
        if text is not None:
            parse_labels(text, name=str(self.folder / LABELS))
        return text is not None

    def refused(self) -> str:
        """Return why a changed `labels.yaml` is refused; empty if it is valid or unchanged.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
        """
        text = self._changed(GuidanceKind.LABELS, LABELS)
        before = self.guidance.version(GuidanceKind.LABELS)
        if text is None or not before:
            return ""
        judged = (self.guidance.hash_of(text), before)
        if judged not in self._loss_by_versions:
            after = parse_labels(text, name=str(self.folder / LABELS))
            self._loss_by_versions[judged] = self._describe_loss(after)
        return self._loss_by_versions[judged]

    def _read(self, kind: GuidanceKind, file: str) -> str | None:
        """Return the text of a file; None if it is missing, or an old copy that does not count.

        If the store is shared by machines, each has its own copy of the file, and a change on one
        of them leaves earlier versions on the others, which no user edited.
        """
        text = _read_text(self.folder / file)
        if text is None or not self.guidance.shared:
            return text
        found = self.guidance.hash_of(text)
        is_old = found != self.guidance.version(kind) and found in self.guidance.versions(kind)
        return None if is_old else text

    def _changed(self, kind: GuidanceKind, file: str) -> str | None:
        text = self._read(kind, file)
        same = text is None or self.guidance.hash_of(text) == self.guidance.version(kind)
        return None if same else text

    def _describe_loss(self, after: LabelTree) -> str:
        from tui_annotate.services.relabel.change_writer import count_losses

        lost = count_losses(self.work, self.stored(""), after)
        if not lost:
            return ""
        # No counts here: they would reveal the work of others. The admins' dry run prints them.
        named = [JOINER.join(path) for path, _ in lost.most_common(_MAX_NAMED)]
        more = f" and {len(lost) - _MAX_NAMED} more" if len(lost) > _MAX_NAMED else ""
        effect = "annotations would lose labels, break rules or lack what is required"
        return f"{effect}: {', '.join(named)}{more}"

    def _take_up_labels(self, text: str) -> None:
        parse_labels(text, name=str(self.folder / LABELS))
        before = self.guidance.version(GuidanceKind.LABELS)
        if not before:
            self.guidance.keep(GuidanceKind.LABELS, text)
            return
        change = LabelChange(
            dataset="",
            kind=FILE,
            request=LabelChangeRequest(f"{LABELS} changed"),
            before=before,
            after=self.guidance.hash_of(text),
            at=utc_now(),
        )
        with suppress(Conflict), self.work.writing() as now:  # another process was faster
            now.keep(change, text, [])

    def text(self) -> str:
        """Return the text of `labels.yaml`, or of the stored label set if the file is unusable.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
            NotFound: the workspace never had a label set.
        """
        text = self._read(GuidanceKind.LABELS, LABELS)
        if text is not None and not self.refused():
            return text
        return self.guidance.text(GuidanceKind.LABELS, self.stored("").version)

    def follow(self, before: str, after: str) -> str:
        """Replace the text `before` of `labels.yaml` by `after`, unless users edited the file.

        Returns `written`, or `left` if the file was edited.

        Raises:
            Unavailable: the file cannot be written.
        """
        try:
            now = _read_text(self.folder / LABELS)
        except InvalidLabels:  # not UTF-8, so not the old label set
            return "left"
        if now not in (None, before, after):
            return "left"
        write_if_changed(self.folder / LABELS, after)
        return "written"

    def labels(self, dataset: str = "") -> LabelTree:
        """Return the label set that would be in use if a changed `labels.yaml` were stored now.

        Raises:
            InvalidLabels: `labels.yaml` is not a valid label set.
            NotFound: the workspace never had a label set.
        """
        own = self.guidance.version(GuidanceKind.LABELS, dataset=dataset)
        text = self._read(GuidanceKind.LABELS, LABELS)
        if text is None or own != self.guidance.version(GuidanceKind.LABELS) or self.refused():
            return self.stored(dataset)
        return parse_labels(text, name=str(self.folder / LABELS))

    def label_paths(self) -> set[LabelPath]:
        """Return all labels of the label sets in use, and of a changed `labels.yaml`.

        A label set that cannot be read adds none.
        """
        datasets = ["", *(dataset.name for dataset in self.corpus.datasets())]
        paths: set[LabelPath] = set()
        for labels in (self.stored, self.labels):
            for dataset in datasets:
                with suppress(InvalidLabels, NotFound, Unavailable):
                    paths |= {label.path for label in labels(dataset).walk()}
        return paths


def _read_text(file: Path) -> str | None:
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidLabels(f"{file} is not UTF-8: {error}", "save the file as UTF-8") from error
    except OSError as error:
        raise Unavailable(
            f"cannot read {file}: {error.strerror}", "check the owner and permissions of the file"
        ) from error
