"""Annotations of a sample that the store has not confirmed: on their way, or refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tui_annotate.domain.annotations import Annotation


@dataclass(frozen=True, slots=True)
class PendingSave:
    """An annotation that is not stored; `new`: the store has no earlier version of it."""

    annotation: Annotation
    new: bool


@dataclass
class PendingSaves:
    """The annotations that the store has not confirmed, so that none of them is lost.

    A refused annotation stays until it is back in the draft (`take_back`), refused again, or saved.

    Attributes:
        sent: annotations on their way to the store, by id.
        refused: annotations that the store refused, oldest first, each id once.
        aside: annotations refused earlier that cannot be saved now, because the work is locked.
        stored: id, version and newness of the saves that the store has committed, also before
            the screen knows of it; added to in the store's thread.
    """

    sent: dict[str, PendingSave] = field(default_factory=dict)
    refused: tuple[PendingSave, ...] = ()
    aside: tuple[PendingSave, ...] = ()
    stored: set[tuple[str, int, bool]] = field(default_factory=set)

    def __iter__(self) -> Iterator[PendingSave]:
        """Yield all pending saves: those on their way, the refused ones, and those set aside."""
        yield from self.sent.values()
        yield from self.refused
        yield from self.aside

    def set_aside(self, save: PendingSave) -> None:
        """Add an annotation that can only be saved after the sample is open again."""
        self.aside = (*self.aside, save)

    def confirm(self, annotation: Annotation, *, new: bool) -> None:
        """Record that the store has committed a save; called in the store's thread."""
        self.stored.add((annotation.id, annotation.version, new))

    def send(self, annotation: Annotation, *, new: bool) -> None:
        """Add an annotation that is on its way to the store."""
        self.sent[annotation.id] = PendingSave(annotation, new)

    def end(self, annotation: Annotation) -> PendingSave:
        """Remove an annotation whose save has ended, and return what was sent.

        An annotation that was not sent is an edited one.
        """
        self.take_back(annotation)
        return self.sent.pop(annotation.id, PendingSave(annotation, new=False))

    def refuse(self, annotation: Annotation) -> PendingSave:
        """Keep an annotation that the store refused, and return what was sent.

        The label set may have changed what was sent since. An annotation that was not sent is new.
        """
        refused = self.sent.pop(annotation.id, PendingSave(annotation, new=True))
        self.keep(refused)
        return refused

    def keep(self, save: PendingSave) -> None:
        """Add an annotation that is to be saved later, as the last of the refused ones."""
        self.take_back(save.annotation)
        self.refused = (*self.refused, save)

    def take_back(self, annotation: Annotation) -> None:
        """Remove an annotation from the refused ones, because it is back in the draft."""
        self.refused = tuple(each for each in self.refused if each.annotation.id != annotation.id)

    def relabel(self, change: Callable[[Annotation], Annotation]) -> None:
        """Apply a change of the label set to all annotations."""

        def changed(save: PendingSave) -> PendingSave:
            return replace(save, annotation=change(save.annotation))

        self.sent = {name: changed(save) for name, save in self.sent.items()}
        self.refused = tuple(map(changed, self.refused))
        self.aside = tuple(map(changed, self.aside))
