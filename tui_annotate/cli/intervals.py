"""Describes how the confidence intervals of a command were computed, and which are unreliable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tui_annotate.cli.report_parts import MessagePart

_CLUSTER: Final = "samples that share a source document form one cluster"


def describe_intervals(clusters: Mapping[str, int]) -> Iterator[MessagePart]:
    """Describe intervals, if there are any.

    Args:
        clusters: number of clusters of each result that has intervals, by the result's name.
    """
    from tui_annotate.methods.bootstrap import DRAWS, ENOUGH, FEWEST, SEED, are_few

    if not clusters:
        return
    counts = sorted(set(clusters.values()))
    if counts[-1] < FEWEST:
        yield MessagePart(
            f'interval "-": an interval needs at least {FEWEST} clusters; found: {counts[-1]:,}'
        )
        yield MessagePart(_CLUSTER)
        return
    if len(counts) == 1:
        numbers = f"{counts[0]:,}"
    else:
        numbers = "; ".join(f"{name}: {count:,}" for name, count in clusters.items())
    yield MessagePart(
        f"95% intervals: {DRAWS:,} bootstrap resamples of clusters, random seed {SEED}"
    )
    yield MessagePart(_CLUSTER)
    yield MessagePart(f"number of clusters: {numbers}")
    if counts[0] < FEWEST:
        yield MessagePart(f"with fewer than {FEWEST} clusters there is no interval")
    elif are_few(counts[0]):
        yield MessagePart(f"with fewer than {ENOUGH} clusters, intervals are too narrow")
