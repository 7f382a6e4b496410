"""What the reader and the writer of Label Studio's tasks must call the same."""

from __future__ import annotations

from typing import Final

from tui_annotate.plugins.traits import About, Trait, carries_all_but, plainly

FORMAT: Final = "labelstudio"
MACHINE: Final = "machine:"
"""Before a model's name: the origin of its predictions, and the id of who made them."""
EVIDENCE: Final = "Evidence"
"""The label of regions of the source that a claim points to."""
LINK: Final = "evidence"
PART: Final = "part"
"""Labels of relations: from a claim to its evidence, and to its further spans."""
UNIT: Final = "offset_unit"
"""The key of a task's data that says how offsets are counted; other programs have none."""
OF_TASK: Final = ("inner_id", "meta")
"""What a task says beside its data that is kept with the other fields of the sample."""
NOT_TAKEN: Final = ("project", "file_upload")
"""What a task says of the project that it came out of, and has no meaning outside."""
OF_DATA: Final = ("sample_id", "dataset", "group", "kind", "request", "meta", UNIT)
"""The keys of a task's data beside those of the texts."""

ABOUT: Final = About(
    title="Label Studio's tasks, a JSON list",
    carried=carries_all_but(
        Trait.VERSION, Trait.TRACE, Trait.SETTLED, Trait.SUGGESTED, Trait.TITLE, Trait.IMPORTED
    )
    | plainly(fragments="relations", link="relations", tree="joined", origin="predictions"),
)
