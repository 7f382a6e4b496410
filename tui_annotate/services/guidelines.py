"""Stores annotation guidelines: the full text of each version, with its author and date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui_annotate.domain.errors import InvalidInput, NotFound, NotReady
from tui_annotate.domain.keyword_names import check_keywords
from tui_annotate.domain.people import OPERATOR, Actor, Permission, require_permission
from tui_annotate.storage.labels.store import GuidanceKind, GuidanceStore

_MAX_LENGTH = 1_000_000


@dataclass(frozen=True, slots=True)
class GuidelinesVersion:
    """One version of annotation guidelines.

    Attributes:
        dataset: dataset that the guidelines belong to; empty for those of the workspace.
        version: first characters of their hash.
    """

    dataset: str
    version: str
    at: str
    by: str
    lines: int
    in_force: bool


@check_keywords
@dataclass(frozen=True, slots=True)
class GuidelinesService:
    """Lists, shows and replaces the annotation guidelines of the workspace and of datasets."""

    guidance: GuidanceStore
    names: Callable[[], dict[str, str]]
    actor: Actor = OPERATOR

    def versions(self, dataset: str | None = None) -> list[GuidelinesVersion]:
        """Return the versions of the annotation guidelines, oldest first.

        `dataset`: None for all guidelines; empty for the workspace's own guidelines.

        Raises:
            NotFound: the dataset does not exist, and it never had guidelines.
        """
        names = self.names()
        found = self.guidance.editions(GuidanceKind.GUIDELINES)
        if dataset and all(each.dataset != dataset for each in found):
            self._require_dataset(dataset)
        last = {each.dataset: place for place, each in enumerate(found)}
        return [
            GuidelinesVersion(
                dataset=each.dataset,
                version=each.version,
                at=each.at,
                by=names.get(each.by, each.by),
                lines=len(self.text(each.version).splitlines()),
                in_force=last[each.dataset] == place,
            )
            for place, each in enumerate(found)
            if dataset is None or each.dataset == dataset
        ]

    def text(self, version: str = "", *, dataset: str = "") -> str:
        """Return the text of the guidelines with a given hash, by default the current text.

        Raises:
            NotFound: no version matches, or several do.
        """
        return self.guidance.text(GuidanceKind.GUIDELINES, self.named(version, dataset=dataset))

    def named(self, version: str, *, dataset: str = "") -> str:
        """Return guidelines' full hash by its start, the current one's if empty; or NotFound."""
        if not version:
            self._require_dataset(dataset)
            found = self.guidance.version(GuidanceKind.GUIDELINES, dataset=dataset)
            if not found:
                raise NotReady(
                    "there are no guidelines",
                    "add guidelines with: tui-annotate guidelines apply FILE",
                )
            return found
        known = self.guidance.versions(GuidanceKind.GUIDELINES)
        fitting = [name for name in known if name.startswith(version.lower())]
        if len(fitting) != 1:
            raise NotFound(
                f"several guidelines versions have a hash that begins with {version!r}"
                if fitting
                else f"no guidelines version has a hash that begins with {version!r}",
                "list all versions with: tui-annotate guidelines list",
            )
        return fitting[0]

    def _require_dataset(self, dataset: str) -> None:
        if dataset:
            self.guidance.require_dataset(dataset)

    def before(self, dataset: str = "") -> str:
        """Return the text of the guidelines that the current ones replaced; empty if none."""
        editions = self.guidance.editions(GuidanceKind.GUIDELINES)
        own = [each for each in editions if each.dataset == dataset] or [
            each for each in editions if not each.dataset
        ]
        if len(own) > 1:
            return self.text(own[-2].version)
        common = [each for each in editions if not each.dataset and own and each.at < own[0].at]
        return self.text(common[-1].version) if dataset and common else ""

    def apply(self, text: str, *, dataset: str = "") -> str:
        """Put guidelines in use for annotators, and return the hash of their text.

        Raises:
            NotAllowed: the user is not an admin.
            InvalidInput: the text is empty or too long.
            NotFound: the dataset does not exist.
        """
        require_permission(self.actor, Permission.MANAGE)
        if not text.strip() or len(text) > _MAX_LENGTH:
            raise InvalidInput(
                f"the guidelines have {len(text):,} characters",
                f"give a text of 1 to {_MAX_LENGTH:,} characters",
            )
        by = self.actor.person
        return self.guidance.keep(GuidanceKind.GUIDELINES, text, dataset=dataset, by=by)
