"""Guidelines: what people are told to do, each version whole, with who put it in force and when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import OPERATOR, Actor, Verb, require
from tui_annotate.storage.guidance.store import Guidance, GuidanceStore

_LONGEST = 1_000_000
"""Code points: people read them on a screen."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the guidelines that came into force.

    Attributes:
        dataset: where; empty for the workspace.
        by: the name of who did it; empty for whoever owns the files.
        lines: of its text.
        in_force: whether it is the last one there.
    """

    dataset: str
    version: str
    at: str
    by: str
    lines: int
    in_force: bool


@dataclass(frozen=True, slots=True)
class Guide:
    """Guidelines of the workspace and of its datasets.

    Attributes:
        names: of people, by id.
    """

    guidance: GuidanceStore
    names: Callable[[], dict[str, str]]
    actor: Actor = OPERATOR

    def versions(self, dataset: str | None = None) -> list[Version]:
        """All that were ever in force, the oldest first.

        Args:
            dataset: those of one dataset alone, empty for those of the workspace; None for all.

        Raises:
            NotFound: there is no such dataset, and never were guidelines of it.
        """
        names = self.names()
        found = self.guidance.editions(Guidance.GUIDELINES)
        if dataset and all(each.dataset != dataset for each in found):
            self._must_know(dataset)
        last = {each.dataset: place for place, each in enumerate(found)}
        return [
            Version(
                each.dataset,
                each.version,
                each.at,
                names.get(each.by, each.by),
                len(self.text(each.version).splitlines()),
                in_force=last[each.dataset] == place,
            )
            for place, each in enumerate(found)
            if dataset is None or each.dataset == dataset
        ]

    def text(self, version: str = "", *, dataset: str = "") -> str:
        """A version as it was given; without its name the one in force in the dataset.

        Args:
            version: the first characters of its hash.

        Raises:
            NotFound: there is none, or the characters fit several.
        """
        return self.guidance.text(Guidance.GUIDELINES, self.named(version, dataset=dataset))

    def named(self, version: str, *, dataset: str = "") -> str:
        """The whole hash of a version by its first characters; of the one in force for none.

        Raises:
            NotFound: there is none, the characters fit several, or there is no such dataset.
        """
        if not version:
            self._must_know(dataset)
            found = self.guidance.version(Guidance.GUIDELINES, dataset=dataset)
            if not found:
                raise NotFound("there are no guidelines", "tui-annotate guidelines apply FILE")
            return found
        known = self.guidance.versions(Guidance.GUIDELINES)
        fitting = [name for name in known if name.startswith(version.lower())]
        if len(fitting) != 1:
            how = "several versions begin" if fitting else "no version begins"
            raise NotFound(f"{how} with {version!r}", "see: tui-annotate guidelines list")
        return fitting[0]

    def _must_know(self, dataset: str) -> None:
        if dataset and not self.guidance.knows(dataset):
            raise NotFound(f"there is no dataset {dataset!r}", "see: tui-annotate dataset list")

    def before(self, dataset: str = "") -> str:
        """The text that was in force before the last one; empty where that is the first.

        Of a dataset's first guidelines of its own, those of the workspace at that time.
        """
        editions = self.guidance.editions(Guidance.GUIDELINES)
        own = [each for each in editions if each.dataset == dataset] or [
            each for each in editions if not each.dataset
        ]
        if len(own) > 1:
            return self.text(own[-2].version)
        common = [each for each in editions if not each.dataset and own and each.at < own[0].at]
        return self.text(common[-1].version) if dataset and common else ""

    def apply(self, text: str, *, dataset: str = "") -> str:
        """Puts guidelines in force; the same once more changes nothing.

        Returns:
            The version's hash.

        Raises:
            NotAllowed: the actor may not.
            InvalidInput: the text is empty or too long.
            NotFound: there is no such dataset.
        """
        require(self.actor, Verb.MANAGE)
        if not text.strip() or len(text) > _LONGEST:
            raise InvalidInput(
                f"guidelines of {len(text):,} characters", f"give 1 to {_LONGEST:,} characters"
            )
        by = self.actor.person
        return self.guidance.keep(Guidance.GUIDELINES, text, dataset=dataset, by=by)
