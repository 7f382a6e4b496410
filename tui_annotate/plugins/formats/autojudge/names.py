"""What the reader and the writer of autojudge must call the same."""

from __future__ import annotations

from typing import Final, NamedTuple

from tui_annotate.plugins.traits import OWN, About, Trait, plainly

FORMAT: Final = "autojudge"
"""Also the id of whoever did work that names nobody."""
OWN_META: Final = frozenset(
    {"topic_id", "team_id", "run_id", "sentence_idx", "docid", "url", "urls", "runs", "sentences"}
)
"""What the reader puts into the meta of samples."""

ABOUT: Final = About(
    title="reports of runs with their citations, and judgements of them",
    carried=plainly(
        Trait.OVERLAP,
        Trait.TEXTS,
        Trait.UNCLAIMED,
        Trait.OPINION,
        Trait.KIND,
        Trait.TITLE,
        Trait.DATASET,
        annotator="name",
        empty="on request",
        meta=OWN,
        group=OWN,
        request=OWN,
    ),
)


class Topic(NamedTuple):
    """What was asked.

    Attributes:
        place: of the topic among all, from 0.
    """

    place: int
    id: str
    title: str = ""
    problem: str = ""
    background: str = ""


def report_id(topic: str, run: str) -> str:
    """The id of a report; `run` as samples name it."""
    return f"r|{topic}|{run}"


def document_id(topic: str, document: str) -> str:
    """The id of a document of a topic."""
    return f"d|{topic}|{document}"


def sentence_id(topic: str, run: str, place: int) -> str:
    """What the citations of a sentence share: their group."""
    return f"{topic}|{run}|{place}"


def citation_id(sentence: str, document: str | None) -> str:
    """The id of a sentence, named as `sentence_id` does, with a document that it cites or none."""
    return f"c|{sentence}" if document is None else f"c|{sentence}|{document}"
