"""What the reader and the writer of a dump must call the same."""

from __future__ import annotations

from tui_annotate.plugins.traits import About, Trait, plainly

FORMAT = "mercury"
RELEASE = "faithbench"
ORIGIN = "imported:"
META = "meta_"
JOINER = "."
ABOUT = About(
    title="Mercury's dump, a JSON list",
    carried=plainly(
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
    ),
)
