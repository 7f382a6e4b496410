"""Files that people edit beside the store: proposals, which become versions of it once sound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.errors import InvalidLabels, NotFound, Unavailable
from tui_annotate.domain.label_files import parse_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.storage.corpus import CorpusStore
from tui_annotate.storage.guidance import Guidance, GuidanceStore
from tui_annotate.workspace.folder import GUIDELINES, LABELS


@dataclass(frozen=True, slots=True)
class Proposals:
    """`labels.yaml` and `guidelines.md` of a folder.

    Attributes:
        stored: the label set of the store that is in force in a dataset.
    """

    folder: Path
    guidance: GuidanceStore
    corpus: CorpusStore
    stored: Callable[[str], LabelTree]

    def take_up(self) -> None:
        """Makes changed files new versions of the store.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
        """
        self._take_up(Guidance.LABELS, self.folder / LABELS)
        self._take_up(Guidance.GUIDELINES, self.folder / GUIDELINES)

    def _take_up(self, kind: Guidance, file: Path) -> None:
        text = _read(file)
        if text is not None and self.guidance.hash_of(text) != self.guidance.version(kind):
            if kind is Guidance.LABELS:
                parse_labels(text, name=str(file))
            self.guidance.keep(kind, text)

    def labels(self, dataset: str = "") -> LabelTree:
        """The label set that would be, with nothing taken up; of a dataset with its own, that one.

        Raises:
            InvalidLabels: `labels.yaml` can not be read as labels.
            NotFound: there is no file and never was one.
        """
        own = self.guidance.version(Guidance.LABELS, dataset=dataset)
        text = _read(self.folder / LABELS)
        if text is None or own != self.guidance.version(Guidance.LABELS):
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
