"""Folders that hold a model: what they must hold, and what would run code and is refused."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tui_annotate.domain.errors import Unavailable

_CHUNK = 1 << 20
_OURS = "sentence_transformers."


def check(folder: Path) -> None:
    """Refuses what could run code: pickles, and modules of a model's own.

    Raises:
        Unavailable: it is such a folder, or holds no model.
    """
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise Unavailable(f"the folder {folder} holds no model", "name the one with config.json")
    if not any(folder.rglob("*.safetensors")):
        raise Unavailable(
            f"the folder {folder} holds no weights as .safetensors",
            "pickles (.bin) are not read, as they can run code; take another revision of it",
        )
    foreign = [each for each in _types(folder / "modules.json") if not each.startswith(_OURS)]
    if foreign:
        raise Unavailable(
            f"the model in {folder} wants to run code of its own: {foreign[0]}",
            "take a model that sentence-transformers knows",
        )


def _types(modules: Path) -> list[str]:
    """The classes that a model is made of; none where it does not list them."""
    try:
        listed = json.loads(modules.read_text("utf-8")) if modules.is_file() else []
        return [str(module["type"]) for module in listed]
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable(
            f"{modules} can not be read: {error}", "fetch or copy it again"
        ) from error


def sha256(path: Path) -> str:
    """The hash of a file."""
    whole = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            whole.update(chunk)
    return whole.hexdigest()
