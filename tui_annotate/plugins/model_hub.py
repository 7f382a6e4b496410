"""Fetches a model's files from a hub: the one place that asks a network for weights.

Takes numbers and text alone, never what could run code.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable

_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
_LIBRARY = "sentence_transformers."
_ALLOWED: Final = ("*.safetensors", "*.json", "*.txt")
_IGNORED: Final = ("onnx/*", "openvino/*", ".*")
_PROGRESS = ".cache"
"""The folder in which the library stores its progress."""


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file that was fetched: its path in the folder, its size in bytes, its hash."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FetchedModel:
    """A model that was fetched; `commit` is the exact state of it that the revision meant."""

    folder: Path
    commit: str
    files: tuple[FetchedFile, ...]


def fetch_model(name: str, *, revision: str, target: Path) -> FetchedModel:
    """Fetches a model into a folder; goes on where it was stopped before.

    Args:
        name: as on the hub.
        revision: a commit, tag or branch of it.
        target: made where it is missing.

    Raises:
        InvalidInput: the folder holds something else, or the name is none.
        NotFound: the hub has no such model or revision.
        Unavailable: the library is missing, the hub can not be reached or has no safe weights.
    """
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.utils import disable_progress_bars
    except ImportError as error:
        raise Unavailable(
            "fetching models needs huggingface_hub, which is missing",
            "pip install huggingface_hub, or copy a model's folder from elsewhere",
        ) from error
    if target.exists() and not (target / _PROGRESS).is_dir() and any(target.iterdir()):
        raise InvalidInput(f"the folder {target} is not empty", "name a new one with --to")
    if not sys.stderr.isatty():
        disable_progress_bars()
    with _translate_errors(name, revision):
        # A dry run first: a model that the hub lacks must leave no folder behind.
        wanted = {"allow_patterns": list(_ALLOWED), "ignore_patterns": list(_IGNORED)}
        listed = snapshot_download(name, revision=revision, dry_run=True, **wanted)
        if not any(file.filename.endswith(".safetensors") for file in listed):
            raise Unavailable(
                f"{name} at {revision} has no weights as .safetensors",
                "pickles are not fetched, as they can run code; take another revision of it",
            )
        snapshot_download(name, revision=listed[0].commit_hash, local_dir=target, **wanted)
    shutil.rmtree(target / _PROGRESS, ignore_errors=True)
    check_model(target)
    return FetchedModel(target, str(listed[0].commit_hash), tuple(_list_files(target)))


def _list_files(folder: Path) -> Iterator[FetchedFile]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield FetchedFile(name, path.stat().st_size, sha256(path))


@contextmanager
def _translate_errors(name: str, revision: str) -> Iterator[None]:
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    # What a line that broke raises is of the HTTP library, which has changed between releases.
    broken = tuple(kind for kind in HfHubHTTPError.__mro__ if kind.__name__ == "HTTPError")
    try:
        yield
    except HFValidationError as error:
        raise InvalidInput(
            f"{name!r} is no name of a model", "owner/name, as on the hub"
        ) from error
    except (OSError, *broken) as error:
        missing = RepositoryNotFoundError, RevisionNotFoundError
        if isinstance(error, missing) or isinstance(error.__cause__, missing):
            raise NotFound(
                f"the hub has no {name} at {revision}", "look up its name and its commits there"
            ) from error
        # Where nothing answers, the library complains about the dry run.
        reason = error.__cause__ if type(error).__name__ == "DryRunError" else error
        raise Unavailable(
            f"{name} could not be fetched: {reason or error}",
            "look at the network, then try again; it goes on",
        ) from error


def check_model(folder: Path) -> None:
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
    kinds = _module_types(folder / "modules.json")
    if foreign := [kind for kind in kinds if not kind.startswith(_LIBRARY)]:
        raise Unavailable(
            f"the model in {folder} wants to run code of its own: {foreign[0]}",
            "take a model that sentence-transformers knows",
        )


def _module_types(modules: Path) -> list[str]:
    try:
        listed = json.loads(modules.read_text("utf-8")) if modules.is_file() else []
        return [str(module["type"]) for module in listed]
    except (KeyError, TypeError, ValueError) as error:
        raise Unavailable(
            f"{modules} can not be read: {error}", "fetch or copy it again"
        ) from error


def sha256(path: Path) -> str:
    """The hash of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def offline() -> Iterator[None]:
    """While libraries load, what they read of their environment forbids them the network."""
    before = {name: os.environ.get(name) for name in _OFFLINE}
    os.environ.update(_OFFLINE)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
