"""What a team needs of a workspace: accounts, shares, review, figures; made at the first need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tui_annotate.settings import Settings
from tui_annotate.storage.annotations import AnnotationStore
from tui_annotate.storage.corpus import CorpusStore
from tui_annotate.storage.database import Database
from tui_annotate.storage.guidance import GuidanceStore
from tui_annotate.storage.people import PeopleStore


@dataclass(frozen=True)
class Team:
    """The services on the stores of one workspace; each is imported when it is first used."""

    path: Path
    settings: Settings
    database: Database
    corpus: CorpusStore
    log: AnnotationStore
    people: PeopleStore
    guidance: GuidanceStore
