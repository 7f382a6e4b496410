"""What the reader and the writer of a dump must call the same."""

from __future__ import annotations

from dataclasses import dataclass

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.plugins.traits import OWN, About, Trait, plainly

FORMAT = "mercury"
RELEASE = "faithbench"
ORIGIN = "imported:"
META = "meta_"
JOINER = "."


_CARRIED = plainly(
    Trait.OVERLAP,
    Trait.LINK,
    Trait.TREE,
    Trait.NOTE,
    Trait.ANNOTATOR,
    Trait.TEXTS,
    Trait.SEVERAL,
    Trait.BARE,
    Trait.UNCLAIMED,
    Trait.UNREAD,
    Trait.META,
    imported=OWN,
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the dump and the release of it differ.

    Attributes:
        person: the key of an annotator's id.
        released: meta stands in one object, what an annotation lacks is null, and its sample's id
            is not repeated.
    """

    format: str
    person: str
    about: About
    released: bool = False


DUMP = Dialect(
    FORMAT, "annotator", about=About(title="Mercury's dump, a JSON list", carried=_CARRIED)
)
RELEASED = Dialect(
    RELEASE,
    "annotator_id",
    About(title="FaithBench's release, JSON", carried=_CARRIED),
    released=True,
)


def is_above(path: LabelPath, other: LabelPath) -> bool:
    """Whether a label is an ancestor of another, which a list of names says anyway."""
    return len(path) < len(other) and other[: len(path)] == path
