"""What the reader and the writer of open-qa must call the same."""

from __future__ import annotations

from typing import Final

from tui_annotate.plugins.traits import OWN, About, Trait, plainly

FORMAT: Final = "open-qa"
PEOPLE: Final = "human_verdicts"
"""The field of a row that holds what each person said; `human_verdict` is what most of them did."""
OWN_META: Final = frozenset({"task", "answers", "gold_position", "size", "passages", "metric"})
"""What the reader puts into the meta of samples, besides fields of the row that are short."""
LONG: Final = frozenset(
    {
        "question", "answers", "ctxs", "nq_annotated_gold", "model_documents", "model_prompt",
        "model_answer", "ordered_kv_records", "model_ordered_kv_records", PEOPLE, "human_verdict",
    }
)  # fmt: skip
"""Fields that no meta holds: they are texts, or stand in the sample elsewhere."""

ABOUT: Final = About(
    title="questions over passages and keys over pairs, with a model's answers",
    carried=plainly(
        Trait.TEXTS,
        Trait.EMPTY,
        Trait.UNREAD,
        Trait.OPINION,
        Trait.KIND,
        Trait.TITLE,
        annotator="name",
        meta=OWN,
        group=OWN,
        request=OWN,
        imported=OWN,
    ),
)
