"""Prints how the confidence intervals of a command were computed, and which are not reliable."""

from __future__ import annotations

from collections.abc import Mapping

from tui_annotate.cli import output


def print_interval_notes(clusters: Mapping[str, int]) -> None:
    """Print notes on intervals; `clusters`: their numbers of clusters, by what they belong to."""
    from tui_annotate.methods.bootstrap import DRAWS, ENOUGH, FEWEST, SEED, are_few

    if not clusters:
        return
    counts = sorted(set(clusters.values()))
    output.print_message(
        f"intervals: {DRAWS:,} bootstrap resamples of whole clusters, random seed {SEED}"
    )
    numbers = (
        f"{counts[0]:,}"
        if len(counts) == 1
        else "; ".join(f"{name}: {count:,}" for name, count in clusters.items())
    )
    output.print_message(f"clusters (samples that share a source document): {numbers}")
    if counts[0] < FEWEST:
        output.print_message(f"with fewer than {FEWEST} clusters there is no interval")
    elif are_few(counts[0]):
        output.print_message(f"with fewer than {ENOUGH} clusters, intervals are too narrow")
