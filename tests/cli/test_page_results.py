"""Results that README and docs display are what the commands print."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from uuid import uuid4

import pytest

import tui_annotate
from tests.cli.conftest import Command
from tests.helpers.pages import PAGES, ROOT, blocks
from tui_annotate import Anchor, Annotation, ImportOptions, SampleKey, Side

FOLDER = "summaries.csv.annotations"
PAIRS = (ROOT / "sample_data" / "pairs.jsonl").read_text("utf-8").splitlines()[:6]


def annotations_of_readme() -> list[dict[str, str]]:
    """The rows of the table of annotations in the README, by the names of the columns."""
    (table,) = re.findall(r"^\| sample_id .*?\n\n", PAGES["README.md"], re.MULTILINE | re.DOTALL)
    names, _, *rows = (
        [cell.strip() for cell in line[1:-1].split("|")] for line in table.strip().splitlines()
    )
    return [dict(zip(names, cells, strict=True)) for cells in rows]


@pytest.fixture
def two_people(command: Command, tmp_path: Path) -> Command:
    """A workspace where ana and ben completed six summaries, as in the README."""
    with (tmp_path / "summaries.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.DictWriter(file, ("id", "source", "summary"), extrasaction="ignore")
        rows.writeheader()
        rows.writerows(json.loads(pair) for pair in PAIRS)
    with tui_annotate.create(tmp_path / FOLDER) as space:
        options = ImportOptions(dataset="summaries", id_column="id")
        space.ingest(tmp_path / "summaries.csv", options=options, embedder="none")
        people = {name: space.person(name).id for name in ("ana", "ben")}
        samples = {sample.key.id: sample for sample in space.samples(dataset="summaries")}
        for row in annotations_of_readme():
            sample, words = samples[row["sample_id"]], row["source_text"]
            annotation = Annotation(
                str(uuid4()),
                (Anchor.find(sample, Side.SUMMARY, row["summary_text"]),),
                (Anchor.find(sample, Side.SOURCE, words),) if words else (),
                space.labels.resolve([row["label_path"]]),
            )
            person = people[row["annotator_name"]]
            space.annotate.add(person, sample.key, annotation, seconds=0)
        for person in people.values():
            for sample in samples.values():
                space.annotate.finish(person, sample.key, seconds=0)
    return command


@pytest.mark.parametrize("page", ["README.md", "docs/agreement.md"])
def test_lines_of_agreement(two_people: Command, page: str) -> None:
    """Each displayed line is a line of the output for the annotations of the README."""
    (shown,) = [each for each in blocks(page, "text") if each.startswith("level ")]
    printed = two_people("agreement", "-w", FOLDER).out.splitlines()
    assert [line for line in shown.splitlines() if line not in printed] == []


def test_rows_of_the_export(two_people: Command, tmp_path: Path) -> None:
    """The CSV file has the displayed rows, and as many columns as the README states."""
    rows = annotations_of_readme()
    assert len(rows) == 4
    two_people("export", "-w", FOLDER, "--to", "csv", "-o", "annotations.csv")
    with (tmp_path / "annotations.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    shown = [{name: each[name] for name in rows[0]} for each in written if each["summary_text"]]
    assert sorted(shown, key=str) == sorted(rows, key=str)
    assert f"of its {len(written[0])} columns" in " ".join(PAGES["README.md"].split())


def test_rows_without_and_with_several_evidence_spans(two_people: Command, tmp_path: Path) -> None:
    """An annotation has a row for each evidence span, and a summary that was read has its state."""
    with tui_annotate.open(tmp_path / FOLDER) as space:
        cleo = space.person("cleo").id
        first, second, third, *_ = space.samples(dataset="summaries")
        annotation = Annotation(
            str(uuid4()),
            (Anchor.find(first, Side.SUMMARY, "15 million pounds"),),
            tuple(Anchor.find(first, Side.SOURCE, words) for words in ("12 million", "noon")),
            space.labels.resolve(["Unwanted.Intrinsic"]),
        )
        space.annotate.add(cleo, first.key, annotation, seconds=0)
        space.annotate.finish(cleo, second.key, seconds=0)
        space.annotate.read(cleo, third.key, seconds=3)
    two_people("export", "-w", FOLDER, "--to", "csv", "--person", "cleo", "-o", "annotations.csv")
    with (tmp_path / "annotations.csv").open(encoding="utf-8", newline="") as file:
        rows = [
            (each["sample_id"], each["state"], bool(each["annotation_id"]))
            for each in csv.DictReader(file)
        ]
    assert rows == [
        (first.key.id, "draft", True),
        (first.key.id, "draft", True),
        (second.key.id, "done", False),
        (third.key.id, "new", False),
    ]


def test_the_file_of_the_readme_can_be_annotated(command: Command, tmp_path: Path) -> None:
    """The displayed file has a source and a summary, with an id."""
    (shown,) = [each for each in blocks("README.md", "text") if each.startswith("id,")]
    (tmp_path / "summaries.csv").write_text(shown, "utf-8")
    with tui_annotate.create(tmp_path / "work") as space:
        options = ImportOptions(dataset="summaries", id_column="id")
        assert space.ingest("summaries.csv", options=options, embedder="none").added == 1
    (match,) = command(
        *("lab", "match", "-w", "work", "--sample", "bridge-1", "--side", "summary"),
        *("--span", "0:66", "--json"),
    ).json["matches"]
    assert match["text"] == "The work cost 12 million pounds."


def test_matches_with_their_scores(command: Command) -> None:
    """The matches of the page on the assist are those of its command, with static vectors."""
    pytest.importorskip("wordllama", reason="static vectors: no package for this platform")
    (shown,) = [each for each in blocks("docs/assist.md", "text") if each.startswith("rank ")]
    Path("pairs.jsonl").write_text("\n".join(PAIRS) + "\n", "utf-8")
    lines = [line for block in blocks("docs/assist.md", "sh") for line in block.splitlines()]
    (ingest,) = [line for line in lines if " ingest " in line]
    (match,) = [line for line in lines if " lab match " in line]
    assert ingest.endswith("--embedder static"), "a machine with neural vectors prints others"
    assert command("init").code == 0
    done = command(*ingest.replace("sample_data/", "").split()[1:])
    assert done.code == 0
    assert command(*match.split()[1:]).out.splitlines() == shown.splitlines()


def test_answers_to_suggestions(command: Command, tmp_path: Path) -> None:
    """The list before, and the report after two answers, but for the random ids of runs."""
    listed, reported = blocks("docs/suggestions.md", "text")
    (lines,) = re.findall(
        r"cat > found\.jsonl <<'LINES'\n(.*?)^LINES$",
        PAGES["docs/suggestions.md"],
        re.MULTILINE | re.DOTALL,
    )
    Path("news.jsonl").write_text("\n".join(PAIRS) + "\n", "utf-8")
    Path("found.jsonl").write_text(lines, "utf-8")
    assert command("init").code == 0
    command("ingest", "news.jsonl", "--id-column", "id", "--embedder", "none")
    command("suggestions", "import", "found.jsonl", "--maker", "detector-1")
    printed = command("suggestions", "list", "--dataset", "news").out
    run = re.compile(r"\b[0-9a-f]{8}\b")
    assert sorted(run.sub("", printed).split("\n")) == sorted(run.sub("", listed).split("\n"))
    with tui_annotate.open(tmp_path) as space:
        ana, key = space.person("ana").id, SampleKey("news", "bridge-1")
        for each in space.annotate.open(ana, key).suggestions:
            made = each.suggestion
            if made.maker == "detector-1":
                space.annotate.accept(ana, key, made.id, seconds=0)
            else:
                space.annotate.refuse(ana, key, made.id, reason="supported", seconds=0)
    printed = command("suggestions", "report", "--dataset", "news").out
    assert printed.startswith(reported)
