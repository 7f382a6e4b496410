"""What a format says of itself: where it is written to, and which traits of work it can carry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Trait(StrEnum):
    """What a record may have, in the words in which its loss is counted."""

    OVERLAP = "overlapping spans"
    FRAGMENTS = "claims of several spans"
    LINK = "evidence of claims"
    EVIDENCES = "further spans of evidence"
    TREE = "labels under labels"
    NOTE = "notes"
    ANNOTATOR = "annotators"
    TIME = "times"
    EMPTY = "samples read with nothing found"
    ORIGIN = "origins of annotations"
    TEXTS = "sources apart from summaries"
    SEVERAL = "further labels of an annotation"
    BARE = "annotations without a label"
    UNCLAIMED = "evidence without a claim"
    UNREAD = "samples not read"
    STATE = "states of samples"
    OPINION = "ratings and comments of samples"
    VERSION = "versions of annotations, labels and guidelines"
    TRACE = "places of evidence in the assist"
    SETTLED = "how it was settled"
    SUGGESTED = "suggestions that it came from"
    META = "other columns of samples"
    GROUP = "groups"
    REQUEST = "requests"
    KIND = "kinds of samples"
    TITLE = "keys and titles of documents"
    DATASET = "names of further datasets"
    IMPORTED = "records as they were read"


OWN: Final = "its own"
"""How records as they were read are carried by a format that writes those of its own form alone."""
COLUMNS: Final = tuple(Trait)[:11]
"""The traits in which formats differ most: the columns of their table."""
TITLES: Final = (
    "overlap", "several claims", "link", "several evidence", "label tree", "note", "annotator",
    "time", "read, nothing found", "origin", "two texts",
)  # fmt: skip
"""What the columns are called, in their order."""


class Place(StrEnum):
    """What a format is written to."""

    STREAM = "file"
    FILES = "files"
    FOLDER = "folder"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a format says of itself.

    Attributes:
        title: what it is, in a few words.
        place: where it is written to: a file or stream, several files of fixed names in a folder,
            or a folder whose files depend on the records.
        files: the fixed names.
        carried: the traits that it carries, each with how: `yes`, or a word or two.
        layered: whether it holds one person's work on a sample, so that one must say whose; the
            others hold everybody's, or that of one layer where it is asked for.
    """

    title: str
    place: Place = Place.STREAM
    files: tuple[str, ...] = ()
    carried: Mapping[Trait, str]
    layered: bool = False

    @property
    def lost(self) -> tuple[Trait, ...]:
        """The traits that it does not carry."""
        return tuple(trait for trait in Trait if trait not in self.carried)


def plainly(*traits: Trait, **how: str) -> dict[Trait, str]:
    """Traits that are carried as they are, and others, by their names in lower case, with how."""
    return dict.fromkeys(traits, "yes") | {Trait[name.upper()]: word for name, word in how.items()}


def carries_all_but(*lost: Trait) -> dict[Trait, str]:
    """Every trait but these, as it is."""
    return plainly(*(trait for trait in Trait if trait not in lost))


def said_by(plugin: object) -> About | None:
    """What a format says of itself; None where it says nothing."""
    about = getattr(plugin, "about", None)
    return about if isinstance(about, About) else None
