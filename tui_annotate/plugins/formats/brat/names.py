"""What the reader and the writer of brat's folders must call the same."""

from __future__ import annotations

from typing import Final

from tui_annotate.plugins.traits import About, Place, Trait, plainly

FORMAT: Final = "brat"
SAMPLES: Final = "samples.jsonl"
PEOPLE: Final = "people.jsonl"
LABELS: Final = "labels.jsonl"
"""Beside the folders of people: what brat has no place for."""
UNLABELLED: Final = "Unlabelled"

ABOUT: Final = About(
    title="brat standoff, a folder for each annotator",
    place=Place.FOLDER,
    carried=plainly(
        Trait.OVERLAP,
        Trait.BARE,
        Trait.UNCLAIMED,
        Trait.META,
        Trait.GROUP,
        Trait.DATASET,
        fragments="fragments",
        link="relations",
        evidences="relations",
        tree="types",
        note="one line",
        annotator="folder",
        texts="joined",
    ),
)
