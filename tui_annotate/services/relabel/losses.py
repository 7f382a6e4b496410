"""What a label set would lose of the work that stands: looked for only where it could be any."""

from __future__ import annotations

from collections import Counter

from tui_annotate.domain.annotations import LabelPath
from tui_annotate.domain.labels import LabelTree
from tui_annotate.domain.relabelling import stricter
from tui_annotate.services.relabel.tasks import applying
from tui_annotate.storage.work.relabelling import RelabelStore


def losses(store: RelabelStore, before: LabelTree, after: LabelTree) -> Counter[LabelPath]:
    """How many annotations under the workspace's set would lose a label, break a rule or wait.

    Added labels, colours, keys, descriptions and rules that allow more lose nothing, and cost no
    look at the work.

    Args:
        before: the set in force; `after` the one that is proposed.

    Returns:
        By label.
    """
    lost: Counter[LabelPath] = Counter()
    if not stricter(before, after):
        return lost
    task = applying(before, after, at="")
    with store.reading() as seen:
        for stream in seen.streams(seen.moment().datasets):
            outcome = task(stream)
            lost.update(remark.label for remark in outcome.remarks if remark.what == "breaks")
            lost.update({kind.old: count for kind, count in outcome.kinds.items()})
    return lost
