"""Downloads model folders from the Hugging Face hub.

No other module downloads weights. Only safetensors, JSON and text files are downloaded: no file
format that can run code.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tui_annotate.domain.errors import InvalidInput, NotFound, Unavailable
from tui_annotate.plugins.files.output_paths import require_output_path
from tui_annotate.plugins.model_weights import check_model, hash_file
from tui_annotate.settings.environment import forbid_telemetry

_OFFLINE = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
_ALLOWED: Final = ("*.safetensors", "*.json", "*.txt")
_IGNORED: Final = ("onnx/*", "openvino/*", ".*")
_PROGRESS = ".cache"


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A downloaded file of a model; its name is relative to the model's folder."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class FetchedModel:
    """A downloaded model; `commit` is the commit id of the requested revision on the hub."""

    folder: Path
    commit: str
    files: tuple[FetchedFile, ...]


def fetch_model(name: str, *, revision: str, target: Path | str) -> FetchedModel:
    """Download a model from the Hugging Face hub; an interrupted download is resumed.

    Raises:
        InvalidInput: the folder is not empty, a workspace keeps it, or the name is invalid.
        NotFound: the hub has no such model or revision.
        Unavailable: huggingface_hub is missing, the hub cannot be reached, or the model has no
            safe weights.
    """
    forbid_telemetry()
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.utils import disable_progress_bars
    except ImportError as error:
        raise Unavailable(
            "fetching a model needs huggingface_hub, which is not installed",
            "run pip install huggingface_hub, or copy a model folder from another machine",
        ) from error
    target = Path(target)
    require_output_path(target)
    if target.exists() and not (target / _PROGRESS).is_dir() and any(target.iterdir()):
        raise InvalidInput(f"the folder {target} is not empty", "choose a new folder with --to")
    if not sys.stderr.isatty():
        disable_progress_bars()
    with _translate_errors(name, revision):
        # A dry run first: a model that is not on the hub must not leave a folder behind.
        wanted = {"allow_patterns": list(_ALLOWED), "ignore_patterns": list(_IGNORED)}
        listed = snapshot_download(name, revision=revision, dry_run=True, **wanted)
        if not any(file.filename.endswith(".safetensors") for file in listed):
            raise Unavailable(
                f"the model {name} at revision {revision} has no .safetensors weights",
                "pickle files can run code and are not fetched; choose a different revision",
            )
        snapshot_download(name, revision=listed[0].commit_hash, local_dir=target, **wanted)
    shutil.rmtree(target / _PROGRESS, ignore_errors=True)
    check_model(target)
    return FetchedModel(target, str(listed[0].commit_hash), tuple(_list_files(target)))


def _list_files(folder: Path) -> Iterator[FetchedFile]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield FetchedFile(name, path.stat().st_size, hash_file(path))


@contextmanager
def _translate_errors(name: str, revision: str) -> Iterator[None]:
    from huggingface_hub.errors import (
        HfHubHTTPError,
        HFValidationError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )

    # Errors of a lost connection belong to the HTTP library, which differs between releases.
    broken = tuple(kind for kind in HfHubHTTPError.__mro__ if kind.__name__ == "HTTPError")
    try:
        yield
    except HFValidationError as error:
        raise InvalidInput(
            f"{name!r} is not a valid model name", "write the name as on the hub: owner/name"
        ) from error
    except (OSError, *broken) as error:
        missing = RepositoryNotFoundError, RevisionNotFoundError
        if isinstance(error, missing) or isinstance(error.__cause__, missing):
            raise NotFound(
                f"the hub has no model {name} at revision {revision}",
                "check the name and the revision on the hub",
            ) from error
        # Without a network, the library raises an error about the dry run.
        reason = error.__cause__ if type(error).__name__ == "DryRunError" else error
        raise Unavailable(
            f"{name} could not be fetched: {reason or error}",
            "check the network and try again; the download resumes",
        ) from error


@contextmanager
def offline() -> Iterator[None]:
    """Forbid model libraries any network access inside a `with` block."""
    forbid_telemetry()
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
