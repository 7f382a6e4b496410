"""lab vectors list, rebuild, delete: which vectors there are, and what may be done with them."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from importlib.metadata import EntryPoint
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tui_annotate
from tests.cli.conftest import Command, numbers
from tests.helpers.json_schemas import schema_faults
from tests.helpers.terminal import ROOT, program
from tests.plugins.hub_server import COMMIT, NAME, hub
from tui_annotate.cli.vectors import computing_vectors
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import Conflict
from tui_annotate.domain.vector_sets import VectorSet
from tui_annotate.plugins import model_weights as weights
from tui_annotate.plugins import registry


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


class Broken:
    """An embedder of another package that fails, or returns too few vectors."""

    name, label, version, dimensions, instant = "own", "Own", "1", 3, False
    error: Exception | None = None

    def __init__(self, options: object) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector less than texts."""
        if self.error:
            raise self.error
        return np.eye(len(texts) - 1, 3, dtype=np.float32)


@pytest.mark.parametrize("error", [None, ValueError("no weights"), OSError(5, "broken disk")])
def test_an_error_of_an_embedder_plug_in_is_a_message(
    command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    """It names the plug-in; --verbose prints the cause; the texts are stored."""

    def found(*, group: str) -> list[EntryPoint]:
        own = EntryPoint("own", f"{__name__}:Broken", group)
        return [own] if group == "tui_annotate.embedders" else []

    monkeypatch.setattr(registry, "entry_points", found)
    monkeypatch.setattr(Broken, "error", error)
    registry._third_party.cache_clear()
    try:
        command("init")
        done = command("ingest", str(pairs), "--embedder", "own", "--verbose")
    finally:
        registry._third_party.cache_clear()
    assert (done.code, "'own'" in done.err, "Traceback" in done.err) == (1, True, False)
    assert error is None or str(error) in done.err
    assert command("status", "--json").json["samples"]


def test_missing_vectors_are_computed_without_a_file(command: Command, pairs: Path) -> None:
    """After an import of texts alone, `lab vectors rebuild --missing` does what `ingest` left."""
    command("init")
    with tui_annotate.open(Path()) as space:
        assert space.ingest(pairs, embed=False).embedded == 0
        assert not space.corpus.vectors_decided()
    first = command("lab", "vectors", "rebuild", "--missing", "--embedder", "static", "--json").json
    assert first == {"embedder": "static", "embedded": 4, "failed": 0, "failed_texts": []}
    again = command("lab", "vectors", "rebuild", "--missing", "--json").json
    assert again == {"embedder": "static", "embedded": 0, "failed": 0, "failed_texts": []}


def test_vectors_are_computed_beside_a_screen(
    command: Command, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other process computes the missing vectors; it never outlives the block."""
    monkeypatch.setenv("TUI_ANNOTATE_EMBEDDER", "static")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    command("init")
    with tui_annotate.open(Path()) as space:
        space.ingest(pairs, embed=False)
        with computing_vectors(space.path, EndpointTrust()) as process:
            assert process.wait() == 0
        used = space.corpus.vector_set()
        assert used is not None
        assert space.corpus.embedded(used.table)[0] == 4
        with computing_vectors(space.path, EndpointTrust()) as process:
            pass
        assert process.poll() is not None


def test_an_error_of_the_computing_process_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Files of the current folder are data: none is imported as a module."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sqlite3.py").write_text("raise SystemExit('imported')", "utf-8")
    with computing_vectors(tmp_path / "none", EndpointTrust()) as process:
        assert process.wait() != 0
    said = capsys.readouterr().err
    assert "vectors were not computed" in said
    assert "imported" not in said


def test_the_computing_process_ends_with_its_parent(tmp_path: Path) -> None:
    """Also if the parent is killed: then the pipe to the process ends."""
    with tui_annotate.create(tmp_path / "w"):
        pass
    with computing_vectors(tmp_path / "w", EndpointTrust()) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) in (0, 1)


def test_the_list_is_for_people_and_for_programs(two: Command) -> None:
    """Each set with its model, what it holds and lacks, and which is in use."""
    shown = two("lab", "vectors", "list", "--json").json
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
        "lexical_only": 1,
        "waiting": 1,
        "bytes": shown[1]["bytes"],
    }
    lines = two("lab", "vectors", "list").out.splitlines()
    assert lines[0].split() == ["embedder", "model", "texts", "lexical", "missing", "MB"]
    assert [line[-1].isdigit() for line in lines[1:]] == [True, False]  # in use: in words


def test_the_list_says_where_words_alone_are_in_use(command: Command, filled: Command) -> None:
    """So that some row always says what is in use; of a new workspace nothing is."""
    (only,) = filled("lab", "vectors", "list", "--json").json
    assert (only["embedder"], only["in_use"], only["documents"]) == ("none", True, 0)
    (_, row) = filled("lab", "vectors", "list").out.splitlines()
    assert not row[-1].isdigit()  # in use: in words
    command("init", "new")
    assert command("lab", "vectors", "list", "-w", "new", "--json").json == []


def test_drop_frees_what_is_not_in_use(two: Command, tmp_path: Path) -> None:
    """And says how much that was; those in use stay."""
    size = two("lab", "vectors", "list", "--json").json[0]["bytes"]
    refused = two("lab", "vectors", "delete", "words:1")
    assert type(refused.error) is Conflict
    assert "'words:1'" in refused.error.message
    assert f"lab vectors rebuild -w {tmp_path} --embedder none" in refused.error.hint
    shown = two("lab", "vectors", "delete", "letters", "--json").json
    assert shown == {"embedder": "letters", "deleted": 1, "bytes": size}
    assert two("lab", "vectors", "delete", "letters").code == 2
    stopped = two("lab", "vectors", "rebuild", "--embedder", "none")
    assert f"lab vectors delete -w {tmp_path} words:1" in stopped.err
    assert numbers(stopped.out) == [0]
    assert stopped.out.endswith(" none\n")
    assert numbers(two("lab", "vectors", "delete", "words:1").out)[0] == 1
    assert [each["embedder"] for each in two("lab", "vectors", "list", "--json").json] == ["none"]


def test_rebuild_without_an_embedder_says_so(filled: Command) -> None:
    """A workspace that began without vectors stays without them."""
    shown = filled("lab", "vectors", "rebuild", "--json").json
    assert shown == {"embedder": "none", "embedded": 0, "failed": 0, "failed_texts": []}


pytestmark = pytest.mark.skipif(
    find_spec("huggingface_hub") is None, reason="huggingface_hub comes with the vectors' packages"
)

FILES = {
    "config.json": b"{}",
    "model.safetensors": b"numbers" * 1000,
    "vocab.txt": b"words",
    "1_Pooling/config.json": b"{}",
    "pytorch_model.bin": b"a pickle",
    "modeling.py": b"import os",
    "onnx/model.safetensors": b"not needed",
}


def fetch(
    folder: Path, address: str, *options: str, name: str = NAME, revision: str = "main"
) -> subprocess.CompletedProcess[str]:
    """The command, asking that hub."""
    env = {each: value for each, value in os.environ.items() if not each.startswith("HF_")}
    env |= {"HF_ENDPOINT": address, "HF_HOME": str(folder / "home"), "PYTHONPATH": str(ROOT)}
    words = ("lab", "models", "download", name, "model", "--revision", revision, *options)
    return subprocess.run(
        program(*words),
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def names(folder: Path) -> set[str]:
    """The files of the fetched model."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def test_what_is_safe_is_fetched_and_told(tmp_path: Path) -> None:
    """Numbers and text with their hashes and the exact commit; no pickle, no code; then usable."""
    with hub(FILES) as there:
        done = fetch(tmp_path, there.address, "--json")
        assert done.returncode == 0, done.stderr
        asked = there.asked
    report = json.loads(done.stdout)
    assert schema_faults("lab models download", report) == []
    safe = {"config.json", "model.safetensors", "vocab.txt", "1_Pooling/config.json"}
    assert names(tmp_path / "model") == safe == {each["name"] for each in report["files"]}
    assert report["commit"] == COMMIT
    assert {each["name"]: each["sha256"] for each in report["files"]} == {
        name: sha256(FILES[name]).hexdigest() for name in safe
    }
    assert not [path for path in asked if path.endswith((".bin", ".py"))]
    assert weights.find_weights(str(tmp_path / "model")).label == "model"


def test_people_get_a_table_and_the_next_step(tmp_path: Path) -> None:
    """File, bytes and hash in columns; then how to use it."""
    with hub(FILES) as there:
        done = fetch(tmp_path, there.address, revision=COMMIT)
    assert done.returncode == 0, done.stderr
    assert "7,000" in done.stdout
    assert sha256(FILES["model.safetensors"]).hexdigest() in done.stdout
    assert f"commit {COMMIT}" in done.stdout
    assert "--embedder neural:model" in done.stderr


def test_a_fetch_that_broke_goes_on(tmp_path: Path) -> None:
    """The error is told; the same command again brings the rest and takes no other folder."""
    with hub(FILES, cut="model.safetensors") as there:
        broken = fetch(tmp_path, there.address)
    assert broken.returncode == 1
    assert NAME in broken.stderr
    assert "Traceback" not in broken.stderr
    with hub(FILES) as there:
        assert fetch(tmp_path, there.address).returncode == 0
        again = fetch(tmp_path, there.address)
    assert again.returncode == 2
    assert "model" in again.stderr


@pytest.mark.parametrize(
    ("name", "revision", "code", "message"),
    [
        ("owner/other", "main", 2, "owner/other"),
        (NAME, "v9", 2, "v9"),
        ("no name at all!", "main", 2, "'no name at all!'"),
    ],
)
def test_what_the_hub_does_not_have_is_told(
    tmp_path: Path, name: str, revision: str, code: int, message: str
) -> None:
    """With the name and revision; no folder is left."""
    with hub(FILES) as there:
        done = fetch(tmp_path, there.address, name=name, revision=revision)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert not (tmp_path / "model").exists()


def test_a_model_of_pickles_is_refused(tmp_path: Path) -> None:
    """Before anything is fetched."""
    with hub({"config.json": b"{}", "pytorch_model.bin": b"a pickle"}) as there:
        done = fetch(tmp_path, there.address)
    assert done.returncode == 1
    assert ".safetensors" in done.stderr
    assert not (tmp_path / "model").exists()


def test_a_hub_that_is_not_there_is_told(tmp_path: Path) -> None:
    """One line and what to do, whatever the library raises."""
    with hub(FILES) as there:
        address = there.address
    done = fetch(tmp_path, address)
    assert done.returncode == 1
    assert NAME in done.stderr
    assert "Dry run" not in done.stderr
    assert "Traceback" not in done.stderr
