"""Label sets as trees: which is in force where, each version read once."""

from __future__ import annotations

from dataclasses import dataclass, field

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.label_files import WRITE, stored_labels
from tui_annotate.domain.labels import LabelTree
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore


@dataclass(frozen=True, slots=True)
class LabelSets:
    """The label sets of a workspace."""

    guidance: GuidanceStore
    _trees: dict[str, LabelTree] = field(default_factory=dict)

    def in_force(self, dataset: str = "") -> LabelTree:
        """The label set in force in a dataset; the workspace's where it has none of its own.

        Raises:
            NotFound: the workspace has no label set.
        """
        version = self.guidance.version(Guidance.LABELS, dataset=dataset)
        if not version:
            raise NotFound("the workspace has no labels.yaml", f"make it; {WRITE}")
        return self.of(version)

    def of(self, version: str) -> LabelTree:
        """The label set of a version, in force or not.

        Raises:
            NotFound: no such version was ever stored.
        """
        if version not in self._trees:
            self._trees[version] = stored_labels(self.guidance.text(Guidance.LABELS, version))
        return self._trees[version]

    def same(self, version: str, labels: LabelTree) -> bool:
        """Whether a version means what a label set does; one that nobody stored does not."""
        try:
            return version == labels.version or labels.means(self.of(version))
        except NotFound:
            return False
