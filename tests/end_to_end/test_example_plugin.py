"""The package of `examples/plugin`, installed as a user installs it, without a network."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.helpers.packages import ROOT, App, install_packages
from tests.helpers.pages import PAGES

EXAMPLE = ROOT / "examples" / "plugin"
PAIRS = [
    {"id": "a", "source": "The bridge opened in 1932. It cost 12 million pounds.",
     "summary": "The bridge cost 12 million euros."},
    {"id": "b", "source": "The council met on Monday.", "summary": "Nothing was decided."},
]  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package, installed from a copy."""
    folder = tmp_path_factory.mktemp("example")
    shutil.copytree(EXAMPLE, folder / "plugin")
    install_packages([folder / "plugin"], folder / "site")
    return folder / "site"


@pytest.fixture
def app(site: Path, tmp_path: Path, warm_folder: Path) -> App:
    """The app with the example package, in a workspace with two samples and its vectors."""
    (tmp_path / "pairs.jsonl").write_text("".join(json.dumps(each) + "\n" for each in PAIRS))
    app = App(site, tmp_path, str(warm_folder / "tui-annotate"))
    app("init", ".")
    app("ingest", "pairs.jsonl", "--id-column", "id", "--embedder", "trigrams")
    return app


def test_the_embedder_of_the_example_ranks_sentences(app: App) -> None:
    """The workspace stores its vectors, and a selection is ranked by them."""
    assert "hashed character trigrams" in app("lab", "vectors", "list").stdout
    words = ("--sample", "a", "--side", "summary", "--span", "11:26", "--json")
    found = json.loads(app("lab", "match", *words).stdout)
    assert found["matches"][0]["text"].startswith("It cost 12 million")
    assert found["matches"][0]["signals"]["vectors"] > 0


def test_the_scorer_of_the_example_scores_samples(app: App) -> None:
    """A run scores each sample, and sentences with a low score become suggestions."""
    (done,) = json.loads(app("lab", "scores", "compute", "--scorer", "copied", "--json").stdout)
    assert (done["samples"], done["scores"]) == (2, 2)
    rule = ("--score", "copied_words", "--below", "0.5", "--json")
    app("suggestions", "create", "--dataset", "pairs", *rule)
    (suggestion,) = json.loads(app("suggestions", "list", "--json").stdout)
    assert suggestion["sample"] == "b"


def test_the_exporter_of_the_example_writes_and_counts_losses(app: App) -> None:
    """The file has each annotation, and the report counts what the format does not keep."""
    listed = {row["name"]: row for row in json.loads(app("datasets", "formats", "--json").stdout)}
    assert listed["markdown"]["writes"]
    assert not listed["markdown"]["reads"]
    app("convert", str(ROOT / "sample_data" / "gold.json"), "gold.md", "--to", "markdown")
    text = (app.folder / "gold.md").read_text("utf-8")
    assert text.count("\n- **") == 274
    done = json.loads(app("export", "--to", "markdown", "-o", "work.md", "--json").stdout)
    assert (done["samples"], done["lost"]["samples not read"]) == (2, 2)


def test_the_pages_on_plug_ins_name_the_example() -> None:
    """A reader who wants a format, an embedder or a scorer finds the package."""
    pages = ("python", "formats", "assist", "machines")
    assert [name for name in pages if "examples/plugin" not in PAGES[f"docs/{name}.md"]] == []
