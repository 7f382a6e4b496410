"""`lab scores compare`: a table, a chart that needs no colour, JSON and CSV; refusals."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.conftest import Command
from tests.helpers.printed_numbers import printed_numbers
from tests.plugins.formats.test_real_files import SHARED
from tui_annotate.lab.score.detection_metrics import ONE_KIND

COLUMNS = (
    "hhemv1", "hhem-2.1", "hhem-2.1-english", "trueteacher", "true_nli", "gpt-3.5-turbo",
    "gpt-4-turbo", "gpt_4o",
)  # fmt: skip
MINE = ("lab", "scores", "compare", "--dataset", "release")


def _sample(number: int) -> dict[str, object]:
    """Half of them unsupported; one detector that always tells, one that never does."""
    bad = number % 2
    label = ["Unwanted"] if bad else ["Benign"]
    mark = {
        "annot_id": number, "annotator_id": "a", "annotator_name": "ana", "label": label,
        "note": "", "summary_span": "It", "summary_start": 0, "summary_end": 2,
        "source_span": None, "source_start": None, "source_end": None,
    }  # fmt: skip
    meta: dict[str, float | None] = {
        "sure": 0.9 - 0.6 * bad + number / 100,
        "flat": 0.5,
        "\x1b[31mred": number,
    }
    if number == 3:
        meta["sure"] = None
    return {
        "sample_id": number,
        "source": f"Source {number}.",
        "summary": "It cost 15.",
        "annotations": [mark],
        "metadata": meta,
    }


@pytest.fixture
def released(command: Command) -> Command:
    """A workspace with a release of ten samples that one person annotated."""
    Path("release.json").write_text(json.dumps({"samples": [*map(_sample, range(10))]}), "utf-8")
    assert command("init").code == 0
    assert command("ingest", "release.json", "--embedder", "none").code == 0
    return command


@pytest.mark.parametrize("width", ["80", "40"])
def test_a_table_and_a_chart_fit_the_terminal(
    released: Command, monkeypatch: pytest.MonkeyPatch, width: str
) -> None:
    """What is drawn is plain signs; what is to be known of the figures is said."""
    monkeypatch.setenv("COLUMNS", width)
    done = released(*MINE, "--column", "sure", "--column", "flat", "--column", "\x1b[31mred")
    assert done.code == 0
    assert done.out.isascii() or "␛" in done.out
    assert "\x1b" not in done.out + done.err
    assert ["10", "10", "5"] in [each[:3] for each in printed_numbers(done.out)]
    if width == "80":
        assert max(map(len, done.out.splitlines())) <= 80
        assert "< 0.645*" in done.out
    chart = done.out.partition("95% intervals:")[2].splitlines()
    assert chart[1].startswith("sure")
    assert chart[1].endswith("*")
    assert "|" in chart[1]
    assert re.search("sure: 1 ", done.err)
    assert re.search(r"^\* ", done.err, re.MULTILINE)  # what the star at a threshold means
    assert re.search("sure, flat", done.err)  # whose direction was found
    assert "Benign" in done.err


def test_json_and_csv_say_the_same(released: Command) -> None:
    """Values, intervals, thresholds, what is missing."""
    asked = (
        *MINE,
        "--column",
        "sure",
        "--column",
        "flat",
        "--threshold",
        "flat=0.5",
        "--lower-is-better",
    )
    report = released(*asked, "flat", "--json").json
    sure, flat = report["machines"]
    assert (report["judged"], report["unwanted"], report["pool"]) == (10, [], "worst")
    assert (sure["n"], sure["missing"], sure["threshold_from"]) == (9, 1, "found")
    assert (flat["better"], flat["direction"], flat["threshold"]) == ("low", "given", 0.5)
    assert {each["measure"]: each["value"] for each in sure["measures"]}["auc"] == 1.0
    done = released(*asked, "flat", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == 10
    for machine, of in (("sure", rows[:5]), ("flat", rows[5:])):
        (one,) = [each for each in report["machines"] if each["name"] == machine]
        assert {row["machine"] for row in of} == {machine}
        assert [float(row["value"]) for row in of] == [each["value"] for each in one["measures"]]


@pytest.mark.parametrize("chart", ["kappa", "auc", "f1_macro", "f1_unsupported"])
def test_any_measure_can_be_drawn(released: Command, chart: str) -> None:
    """Each on its scale; guessing has a line where it is one value."""
    done = released(*MINE, "--column", "sure", "--threshold", "0.6", "--chart", chart)
    assert done.code == 0
    drawn = done.out.partition("95% intervals:")[2].splitlines()
    assert ("|" in drawn[1]) == (chart in {"kappa", "auc"})
    assert ("-1 " in drawn[2]) == (chart == "kappa")
    assert not re.search(r"^\* ", done.err, re.MULTILINE)


def test_what_has_no_value_says_why(released: Command) -> None:
    """Where all samples are of one kind there is a dash, and the reason is told once."""
    done = released(
        *MINE, "--column", "sure", "--unsupported-label", "Unwanted", "--against", "ana"
    )
    assert done.code == 0
    assert re.search("Unwanted.*ana", done.err)
    everything = ("--unsupported-label", "Unwanted", "--unsupported-label", "Benign")
    done = released(*MINE, "--column", "sure", *everything)
    assert done.err.count(ONE_KIND) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--json", "--csv"], "--csv"),
        (["--chart", "f2"], "'f2'"),
        (["--threshold", "sure=much"], "'sure=much'"),
        (["--threshold", "nan"], "'nan'"),
        (["--threshold", "other=1"], "'other'"),
        (["--column", "shure"], "'shure'"),
    ],
)
def test_misuse_is_told(released: Command, arguments: list[str], told: str) -> None:
    """With the value, and what to do."""
    done = released(*MINE, "--column", "sure", *arguments)
    assert done.code == 2
    assert told in done.err
    assert "hint: " in done.err


@pytest.fixture
def six_batches(command: Command) -> tuple[Command, list[dict[str, Any]]]:
    """A workspace with six batches of FaithBench in one dataset, and their records."""
    folder = SHARED / "data" / "faithbench"
    if not folder.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with FaithBench")
    numbers = (2, 4, 6, 8, 10, 12)
    paths = [folder / f"batch_{number}_annotation.json" for number in numbers]
    records = [each for path in paths for each in json.loads(path.read_text("utf-8"))]
    for at, each in enumerate(records):
        each["sample_id"] = at
    Path("six.json").write_text(json.dumps(records), "utf-8")
    assert command("init").code == 0
    assert command("ingest", "six.json", "--dataset", "six", "--embedder", "none").code == 0
    return command, records


def _area(values: np.ndarray, unsupported: np.ndarray) -> float:
    """The area under the curve by all pairs of a bad and a good sample."""
    bad, good = values[unsupported], values[~unsupported]
    pairs = np.sign(good[None, :] - bad[:, None])
    return float((pairs.mean() + 1) / 2)


def test_intervals_on_the_real_data_are_those_of_other_code(
    six_batches: tuple[Command, list[dict[str, Any]]],
) -> None:
    """300 samples from 30 sources: intervals by sample would be half as wide."""
    command, records = six_batches
    names = ("gpt-4o", "hhem-2.1", "hhemv1")
    asked = [word for name in names for word in ("--column", name, "--higher-is-better", name)]
    compare = ("lab", "scores", "compare", "--dataset", "six", "--unmarked-clean", "--json")
    report = command(*compare, *asked, "--baseline", "hhemv1").json
    assert (report["judged"], report["clusters"], report["few_clusters"]) == (300, 30, False)
    unsupported = np.array(
        [any(set(one["label"]) != {"Benign"} for one in each["annotations"]) for each in records]
    )
    values = {name: np.array([float(each[f"meta_{name}"]) for each in records]) for name in names}
    by_source: dict[str, list[int]] = {}
    for at, each in enumerate(records):
        by_source.setdefault(each["source"], []).append(at)
    chance = np.random.default_rng(11)
    sources = [np.array(own) for own in by_source.values()]
    drawn: dict[str, list[float]] = {name: [] for name in names}
    for _ in range(1500):
        places = np.concatenate([sources[at] for at in chance.integers(0, 30, 30)])
        for name in names:
            drawn[name].append(_area(values[name][places], unsupported[places]))
    machines = {each["name"]: each for each in report["machines"]}
    for name in names:
        figure = next(each for each in machines[name]["measures"] if each["measure"] == "auc")
        assert figure["value"] == pytest.approx(_area(values[name], unsupported), abs=1e-4)
        low, high = np.quantile(drawn[name], [0.025, 0.975])
        assert (figure["low"], figure["high"]) == pytest.approx((low, high), abs=0.015)
    difference = machines["hhem-2.1"]["difference"]
    figure = next(each for each in difference["measures"] if each["measure"] == "auc")
    apart = np.array(drawn["hhem-2.1"]) - np.array(drawn["hhemv1"])
    low, high = np.quantile(apart, [0.025, 0.975])
    assert figure["value"] == pytest.approx(0.108, abs=5e-4)
    assert (figure["low"], figure["high"]) == pytest.approx((low, high), abs=0.015)
    assert figure["excludes_zero"] is False
    shown = command(*compare[:-1], *asked, "--baseline", "hhemv1")
    assert "30" in shown.err


def _mask(text: str, spans: list[tuple[int, int]]) -> np.ndarray:
    """Which characters of a text are in spans without the white space at their ends."""
    marked = np.zeros(len(text), np.bool_)
    for start, end in spans:
        inside = [at for at in range(start, end) if not text[at].isspace()]
        if inside:
            marked[inside[0] : inside[-1] + 1] = True
    return marked


def _count(marked: np.ndarray, other: np.ndarray) -> tuple[int, int]:
    """The runs of marked characters, and those of them with a character that the other marked."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marked.astype(int), [0]])))
    runs = list(zip(edges[::2], edges[1::2], strict=True))
    return len(runs), sum(bool(other[start:end].any()) for start, end in runs)


def test_spans_on_the_real_data_are_measured_as_by_other_code(
    six_batches: tuple[Command, list[dict[str, Any]]],
) -> None:
    """A planted detector: half of people's spans, moved by some characters, and spans of chance."""
    command, records = six_batches
    chance = np.random.default_rng(5)
    lines, counts = [], []
    for at, each in enumerate(records):
        text = each["summary"]
        placed = [one for one in each["annotations"] if one.get("summary_start") is not None]
        people = [
            (one["summary_start"], one["summary_end"])
            for one in placed
            if set(one["label"]) != {"Benign"}
        ]
        spans = [
            (max(start - 3, 0), max(end - 3, 1)) for start, end in people if chance.random() < 0.5
        ]
        if chance.random() < 0.3 and len(text) > 40:
            first = int(chance.integers(0, len(text) - 20))
            spans.append((first, first + 15))
        spans = [(start, end) for start, end in spans if text[start:end].strip()]
        found = [{"start": start, "end": end, "score": 0.5} for start, end in spans]
        lines.append(json.dumps({"sample": str(at), "suggestions": found}))
        ours, theirs = _mask(text, spans), _mask(text, people)
        unsupported = any(set(one["label"]) != {"Benign"} for one in each["annotations"])
        both = bool(spans) and unsupported
        if unsupported and not theirs.any():
            ours = theirs  # of an unsupported sample without a span, only the sample counts
        counts.append(
            [
                (ours.sum(), (ours & theirs).sum(), theirs.sum(), (ours & theirs).sum()),
                (*_count(ours, theirs), *_count(theirs, ours)),
                (bool(spans), both, unsupported, both),
            ]
        )
    Path("found.jsonl").write_text("\n".join(lines), "utf-8")
    done = command("suggestions", "import", "found.jsonl", "--maker", "m", "--dataset", "six")
    assert done.code == 0, done.err
    compare = (
        "lab",
        "scores",
        "compare",
        "--dataset",
        "six",
        "--unmarked-clean",
        "--suggestions",
        "m",
    )
    (report,) = command(*compare, "--json").json["suggestions"]
    levels = {each["level"]: each for each in report["levels"]}
    totals = np.array(counts, np.float64).sum(axis=0)
    names = ("marked_by_machine", "right", "marked_by_people", "found")
    for level, numbers in zip(("character", "span", "sample"), totals, strict=True):
        assert [levels[level][name] for name in names] == numbers.tolist()
        precision, recall = numbers[1] / numbers[0], numbers[3] / numbers[2]
        f1 = 2 * precision * recall / (precision + recall)
        values = [each["value"] for each in levels[level]["measures"]]
        assert values == pytest.approx([precision, recall, f1], abs=6e-5)
    bins = [each for each in report["calibration"]["bins"] if each["n"]]
    assert [each["mean"] for each in bins] == [0.5]


def test_a_threshold_that_applies_to_nothing_is_reported(command: Command) -> None:
    """On standard error, also with data on standard output."""
    pairs = {"id": "a", "source": "It cost 12.", "summary": "It cost 15."}
    Path("few.json").write_text(json.dumps([pairs]), "utf-8")
    lines = {"sample": "a", "suggestions": [{"quote": "15", "score": 0.5}]}
    Path("found.jsonl").write_text(json.dumps(lines), "utf-8")
    command("init")
    command("ingest", "few.json", "--id-column", "id", "--embedder", "none")
    assert command("suggestions", "import", "found.jsonl", "--maker", "m").code == 0
    compare = (
        "lab",
        "scores",
        "compare",
        "--unmarked-clean",
        "--suggestions",
        "m",
        "--threshold",
        "0.9",
    )
    for form in ((), ("--json",), ("--csv",)):
        done = command(*compare, *form)
        assert done.code == 0, done.err
        assert "warning: the threshold 0.9 applies to nothing" in done.err
    assert "applies to nothing" not in command(*compare[:-2]).err


def test_detectors_of_the_real_release_are_compared(command: Command) -> None:
    """FaithBench's eight, against its annotators, with what the paper's pooling calls clean."""
    path = SHARED / "data" / "faithbench" / "release_batch_2.json"
    if not path.exists():
        pytest.skip("real data: no folder TUI_ANNOTATE_SHARED with FaithBench")
    assert command("init").code == 0
    assert command("ingest", str(path), "--dataset", "f", "--embedder", "none").code == 0
    columns = [word for name in COLUMNS for word in ("--column", name)]
    done = command(
        "lab", "scores", "compare", "--dataset", "f", *columns, "--unmarked-clean", "--json"
    )
    assert done.code == 0
    report = done.json
    assert (report["judged"], report["unsupported"], len(report["machines"])) == (50, 36, 8)
    by_name = {each["name"]: each for each in report["machines"]}
    accuracy = {each["measure"]: each for each in by_name["trueteacher"]["measures"]}
    assert accuracy["balanced_accuracy"]["value"] == 0.6171
    assert accuracy["balanced_accuracy"]["low"] < 0.6171 < accuracy["balanced_accuracy"]["high"]
    assert by_name["trueteacher"]["threshold_from"] == "only"
