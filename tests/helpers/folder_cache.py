"""Builds a folder once in each test process, and copies it for every further test."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Hashable
from pathlib import Path

_BUILT: dict[Hashable, bytes] = {}


def build_once(folder: Path, key: Hashable, build: Callable[[Path], object]) -> Path:
    """Fills a folder as `build` does, which is called for the first folder of a key only.

    Args:
        folder: it may exist, with files that `build` uses; they belong to what is copied.
        key: differs if the content differs for another reason than the function `build`.
            What `build` creates for each folder, such as the identity of a workspace, is the
            same in all copies.
        build: gets the folder, and closes what it opens.
    """
    key = (build.__module__, build.__qualname__, key)  # functions may use the same key
    packed = _BUILT.get(key)
    if packed is None:
        build(folder)
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.add(folder, ".")
        _BUILT[key] = buffer.getvalue()
    else:
        folder.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            archive.extractall(folder, filter="fully_trusted")
    return folder
