"""Clusters of samples that share a source document or a group, and are therefore not independent.

Intervals resample whole clusters (`methods.bootstrap`), and the weights of the assist are fitted
and measured on different clusters.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tui_annotate.domain.samples import Sample, SampleKey, Side


def shared_names(sample: Sample) -> tuple[str, ...]:
    """Return what a sample may share with others: its sources, its group. Never empty."""
    hashes = {side: [each.sha256 for each in sample.side(side)] for side in Side}
    return list_shared_names(
        sample.key, sample.group, sources=hashes[Side.SOURCE], summaries=hashes[Side.SUMMARY]
    )


def list_shared_names(
    key: SampleKey, group: str, *, sources: Collection[str], summaries: Collection[str]
) -> tuple[str, ...]:
    """Return what a sample may share with others, from the hashes of its documents.

    A summary counts only in a sample without a source: equal short answers to different questions
    do not make the questions dependent.
    """
    names = {*(sources or summaries)}
    if group:
        names.add(f"group {key.dataset}/{group}")
    return tuple(sorted(names)) or (f"sample {key}",)


def join_clusters(shared: Sequence[Collection[str]]) -> list[str]:
    """Return the cluster of each item, in order, as the first name of the cluster.

    Items with a common name are in one cluster, also over several steps: if A shares a name with
    B, and B another one with C, then A and C are in one cluster. The order of the items has no
    influence. Each item has at least one name.
    """
    parents: dict[str, str] = {}

    def find(name: str) -> str:
        parents.setdefault(name, name)
        root = name
        while parents[root] != root:
            root = parents[root]
        # Let each name on the way refer to the root, so that later searches are short.
        while parents[name] != root:
            parent = parents[name]
            parents[name] = root
            name = parent
        return root

    for names in shared:
        roots = {find(name) for name in names}
        # The first name is the root, so that a cluster's name is independent of the order.
        first = min(roots)
        for root in roots:
            parents[root] = first
    return [find(next(iter(names))) for names in shared]
