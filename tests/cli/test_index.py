"""index list, rebuild, drop: which vectors there are, and what may be done with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tui_annotate
from tests.cli.conftest import Command
from tui_annotate.domain.vector_sets import VectorSet


@pytest.fixture
def two(filled: Command, tmp_path: Path) -> Command:
    """A workspace with the vectors of two embedders; those of tokens in use, and lacking some."""
    with tui_annotate.open(tmp_path) as space:
        for name, tokens in (("letters", 0), ("words:1", 4)):
            kept = VectorSet(
                embedder=name,
                label=f"{name} at large",
                version="v",
                segmenter="s",
                table=name.replace(":", "-"),
                dimensions=4,
                token_dimensions=tokens,
            )
            space.corpus.keep_vector_set(kept)
            space.corpus.use_vector_set(kept.table)
            waiting = space.corpus.unembedded(kept.table, 3)
            rows = [
                (sha256, place, *segment, np.full(4, 0.5, np.float32))
                for sha256, _, segments in waiting
                for place, segment in enumerate(segments)
            ]
            space.vectors.add(kept.table, rows)
            names = [sha256 for sha256, *_ in waiting]
            space.corpus.mark_embedded(kept.table, names, unknown=names[:1])
    return filled


def test_the_list_is_for_people_and_for_programs(two: Command) -> None:
    """Each set with its model, what it holds and lacks, and which is in use."""
    shown = two("index", "list", "--json").json
    assert [each["embedder"] for each in shown] == ["letters", "words:1"]
    assert shown[1] == {
        "embedder": "words:1",
        "model": "words:1 at large",
        "version": "v",
        "dimensions": 4,
        "token_dimensions": 4,
        "base_url": "",
        "in_use": True,
        "documents": 3,
        "by_words": 1,
        "waiting": 1,
        "bytes": shown[1]["bytes"],
    }
    lines = two("index", "list").out.splitlines()
    assert lines[0].split() == ["embedder", "model", "documents", "by", "words", "without", "MB"]
    assert "in use" not in lines[1]
    assert lines[2].endswith("in use")


def test_the_list_says_where_words_alone_are_in_use(command: Command, filled: Command) -> None:
    """So that some row always says what is in use; of a new workspace nothing is."""
    (only,) = filled("index", "list", "--json").json
    assert (only["embedder"], only["in_use"], only["documents"]) == ("none", True, 0)
    assert filled("index", "list").out.splitlines()[1].endswith("in use")
    command("init", "new")
    assert command("index", "list", "-w", "new", "--json").json == []


def test_drop_frees_what_is_not_in_use(two: Command, tmp_path: Path) -> None:
    """And says how much that was; those in use stay."""
    size = two("index", "list", "--json").json[0]["bytes"]
    refused = two("index", "drop", "words:1")
    assert (refused.code, "in use" in refused.err) == (1, True)
    shown = two("index", "drop", "letters", "--json").json
    assert shown == {"embedder": "letters", "dropped": 1, "bytes": size}
    assert two("index", "drop", "letters").code == 1
    stopped = two("index", "rebuild", "--embedder", "none")
    assert f"index drop -w {tmp_path} words:1" in stopped.err
    assert stopped.out == "0 documents got vectors; in use: none\n"
    assert two("index", "drop", "words:1").out.startswith("1 dropped, ")
    assert [each["embedder"] for each in two("index", "list", "--json").json] == ["none"]


def test_rebuild_without_an_embedder_says_so(filled: Command) -> None:
    """A workspace that began without vectors stays without them."""
    shown = filled("index", "rebuild", "--json").json
    assert shown == {"embedder": "none", "embedded": 0}
