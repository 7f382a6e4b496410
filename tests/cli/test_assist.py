"""match, assist evaluate: shapes and ends."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CLAIM, Command
from tests.pty_driver import ROOT
from tests.services.ingesting import Letters


def test_match_prints_ranked_segments(filled: Command) -> None:
    """The JSON of match names what was asked, what ranked, and each segment with its score."""
    span = f"{CLAIM}:{CLAIM + 17}"
    shown = filled("match", "--sample", "bridge", "--side", "summary", "--span", span, "--json")
    assert shown.code == 0
    assert shown.json["text"] == "15 million pounds"
    assert shown.json["sample"] == "pairs/bridge"
    best = shown.json["matches"][0]
    assert (best["rank"], best["side"], best["start"]) == (1, "source", 0)
    assert best["text"].startswith("The bridge cost 12 million pounds.")
    assert 0 <= best["score"] <= 1
    assert set(best) == {
        "rank", "score", "strength", "side", "document", "segment", "start", "end", "signals",
        "text",
    }  # fmt: skip


def test_match_prints_a_table_for_people(filled: Command) -> None:
    """Without --json the same is a table, and what was matched goes to standard error."""
    shown = filled("match", "--sample", "bridge", "--side", "source", "--span", "0:10")
    assert shown.code == 0
    assert "rank" in shown.out
    assert "pairs/bridge" in shown.err


def test_match_ranks_by_one_kind_of_signal(filled: Command) -> None:
    """Named with --by; another word is misuse."""
    asked = ("match", "--sample", "bridge", "--side", "source", "--span", "0:10", "--json", "--by")
    shown = filled(*asked, "words").json
    assert shown["signals"] == "words only"
    assert {name for match in shown["matches"] for name in match["signals"]} == {"words"}
    assert filled(*asked, "feeling").code == 2


@pytest.mark.parametrize(
    "span", ["5", "5:", "a:b", "5:5", "9:3", "0:9999", "-1:3"], ids=lambda span: span
)
def test_match_refuses_what_is_no_span(filled: Command, span: str) -> None:
    """A span that is none, empty, or outside the text ends with 2 and names it."""
    done = filled("match", "--sample", "bridge", "--side", "summary", f"--span={span}")
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_match_refuses_an_unknown_sample_and_side(filled: Command) -> None:
    """An unknown sample is 1, a side that is none is misuse."""
    assert filled("match", "--sample", "x", "--side", "summary", "--span", "0:1").code == 1
    assert filled("match", "--sample", "bridge", "--side", "left", "--span", "0:1").code == 2


def test_evaluate_prints_both_directions(command: Command) -> None:
    """The assist is measured without a workspace, for programs and for people."""
    gold = str(ROOT / "sample_data" / "gold.json")
    options = ("assist", "evaluate", gold, "--embedder", "none", "--min-segments", "8")
    shown = command(*options, "--json").json
    for direction in ("summary_to_source", "source_to_summary"):
        figures = shown[direction]
        assert set(figures) == {"queries", "recall_at_1", "recall_at_3", "recall_at_5", "mrr"}
        assert 0 <= figures["recall_at_1"] <= figures["recall_at_3"] <= figures["recall_at_5"] <= 1
    assert shown["segmenter"].startswith("pysbd-")
    assert "summary to source" in command(*options).out
    assert command("assist", "evaluate", "absent.json").code == 1


def test_evaluate_tells_what_it_can_not_measure(command: Command) -> None:
    """Nothing is no figure of zero, and an endpoint is refused in words that hold here."""
    gold = str(ROOT / "sample_data" / "gold.json")
    few = command("assist", "evaluate", gold, "--embedder", "none", "--min-segments", "9999")
    assert "nothing was measured" in few.err
    assert ".000" not in few.out
    refused = command("assist", "evaluate", gold, "--embedder", "remote:m")
    assert refused.code == 2
    assert "neural:FOLDER" in refused.err
    assert "--base-url" not in refused.err


def test_evaluate_compares_in_eighty_columns(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables fit a narrow terminal, and name each slice, embedder and difference."""
    monkeypatch.setattr("tui_annotate.plugins.registry.load_embedder", lambda _: Letters())
    gold = str(ROOT / "sample_data" / "gold.json")
    done = command("assist", "evaluate", gold, "--embedder", "none", "--compare", "letters")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert max(map(len, done.err.splitlines())) <= 80
    for told in (
        "no shared word",
        "short span",
        "Chinese",
        "words alone",
        "static less words alone",
    ):
        assert told in done.out
    names = {"none, letters": 1, "none,letters,other": 2}
    for asked, count in names.items():
        shown = command(
            "assist", "evaluate", gold, "--embedder", "none", "--compare", asked, "--json"
        )
        assert len(shown.json["compared"]) == len(shown.json["differences"]) == count
