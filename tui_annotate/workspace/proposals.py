"""Files that people edit beside the store: proposals, which become versions of it once sound.

A label set that would leave work without its labels, or against its rules, is not taken up.
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
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance.label_changes import FILE, LabelChange, Request
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore
from tui_annotate.storage.work.relabelling import RelabelStore
from tui_annotate.workspace.folder import GUIDELINES, LABELS, propose

_NAMED = 3
"""Labels that are named before the rest is counted."""


@dataclass(frozen=True, slots=True)
class Proposals:
    """`labels.yaml` and `guidelines.md` of a folder.

    Attributes:
        stored: the label set of the store that is in force in a dataset.
        _work: what everybody did, which a changed label set must keep; nobody's to see.
    """

    folder: Path
    guidance: GuidanceStore
    corpus: CorpusStore
    stored: Callable[[str], LabelTree]
    _work: RelabelStore
    _judged: dict[tuple[str, str], str] = field(default_factory=dict, init=False)

    def take_up(self) -> None:
        """Makes changed files new versions of the store.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
        """
        text = _read(self.folder / LABELS)
        differs = text is not None and text_differs(self.guidance, Guidance.LABELS, text)
        if text is not None and differs and not self.refused():
            self._take_up_labels(text)
        text = _read(self.folder / GUIDELINES)
        if text is not None and text_differs(self.guidance, Guidance.GUIDELINES, text):
            self.guidance.keep(Guidance.GUIDELINES, text)

    def pending(self) -> bool:
        """Whether `labels.yaml` says something else than the set in force.

        Raises:
            InvalidLabels: it can not be read as labels.
        """
        file = self.folder / LABELS
        text = _read(file)
        if text is None or not text_differs(self.guidance, Guidance.LABELS, text):
            return False
        parse_labels(text, name=str(file))
        return True

    def refused(self) -> str:
        """Why a changed `labels.yaml` is not taken up; empty where it is, or says nothing new.

        Raises:
            InvalidLabels: it can not be read as labels.
        """
        file = self.folder / LABELS
        text = _read(file)
        before = self.guidance.version(Guidance.LABELS)
        if text is None or not before or self.guidance.hash_of(text) == before:
            return ""
        judged = (self.guidance.hash_of(text), before)
        if judged not in self._judged:
            self._judged[judged] = self._loss(parse_labels(text, name=str(file)))
        return self._judged[judged]

    def _loss(self, after: LabelTree) -> str:
        """What a label set would lose of the work under the one in force; empty for nothing."""
        from tui_annotate.services.relabel.losses import losses

        lost = losses(self._work, self.stored(""), after)
        if not lost:
            return ""
        # How many of each would tell annotators of the work of others; the dry run tells admins.
        named = [JOINER.join(path) for path, _ in lost.most_common(_NAMED)]
        more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
        return f"annotations would lose labels or break rules: {', '.join(named)}{more}"

    def _take_up_labels(self, text: str) -> None:
        parse_labels(text, name=str(self.folder / LABELS))
        before = self.guidance.version(Guidance.LABELS)
        if not before:
            self.guidance.keep(Guidance.LABELS, text)
            return
        change = LabelChange(
            "", FILE, Request(f"{LABELS} changed"), before, self.guidance.hash_of(text), utc_now()
        )
        with suppress(Conflict), self._work.writing() as now:  # somebody else was faster
            now.keep(change, text, [])

    def text(self) -> str:
        """The text of the label set that is in force once the file was taken up.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
            NotFound: there is no file and never was one.
        """
        text = _read(self.folder / LABELS)
        if text is not None and not self.refused():
            return text
        return self.guidance.text(Guidance.LABELS, self.stored("").version)

    def follow(self, before: str, after: str) -> str:
        """Writes `labels.yaml` anew where it says what was in force before.

        Returns:
            `written`; or `left`, where it says something else.

        Raises:
            Unavailable: it can not be written.
        """
        try:
            now = _read(self.folder / LABELS)
        except InvalidLabels:  # no text at all, which is something else
            return "left"
        if now not in (None, before, after):
            return "left"
        propose(self.folder / LABELS, after)
        return "written"

    def labels(self, dataset: str = "") -> LabelTree:
        """The label set that would be, with nothing taken up; of a dataset with its own, that one.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
            NotFound: there is no file and never was one.
        """
        own = self.guidance.version(Guidance.LABELS, dataset=dataset)
        text = _read(self.folder / LABELS)
        if text is None or own != self.guidance.version(Guidance.LABELS) or self.refused():
            return self.stored(dataset)
        return parse_labels(text, name=str(self.folder / LABELS))

    def label_paths(self) -> set[LabelPath]:
        """Of the label sets in force, and of the one that would be."""
        datasets = ["", *(dataset.name for dataset in self.corpus.datasets())]
        paths: set[LabelPath] = set()
        for labels in (self.stored, self.labels):
            for dataset in datasets:
                with suppress(InvalidLabels, NotFound, Unavailable):
                    paths |= {label.path for label in labels(dataset).walk()}
        return paths


def beside(
    folder: Path, database: Database, *, stored: Callable[[str], LabelTree], corpus: CorpusStore
) -> Proposals:
    """The files of a folder, beside its store, or a copy of it."""
    return Proposals(folder, GuidanceStore(database), corpus, stored, RelabelStore(database))


def text_differs(guidance: GuidanceStore, kind: Guidance, text: str) -> bool:
    """Whether a text is another version than the one in force in the workspace."""
    return guidance.hash_of(text) != guidance.version(kind)


def _read(file: Path) -> str | None:
    """The text of a file that people edit; None where there is none.

    Raises:
        InvalidLabels: it is not UTF-8.
        Unavailable: it can not be read.
    """
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise InvalidLabels(f"{file} is not UTF-8: {error}", "save it as UTF-8") from error
    except OSError as error:
        raise Unavailable(
            f"{file} can not be read: {error.strerror}", "check its owner and mode"
        ) from error
