"""Environment variables of the program: their names, and a check for misspelt ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final

from tui_annotate.domain.did_you_mean import find_nearest
from tui_annotate.settings.paths import PREFIX

OTHER_VARIABLES: Final = (
    "API_KEY",
    "CONFIG",
    "DISABLED_PLUGINS",
    "JUDGE_MODEL",
    "JUDGE_URL",
    "STATE",
    "SYNC_DIR",
    "SYNC_KEY",
    "SYNC_TOKEN",
    "SYNC_URL",
    "WORKSPACE",
)
"""Names, without the prefix, of environment variables that are not fields of `Settings`."""


def find_misspelt_variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each likely misspelt environment variable with the closest correct name."""
    given = {name.removeprefix(PREFIX) for name in environment if name.startswith(PREFIX)}
    if not given:
        return
    from tui_annotate.settings import SETTING_NAMES

    known = {*OTHER_VARIABLES, *(each.upper() for each in SETTING_NAMES)}
    for name in sorted(given - known):
        if near := find_nearest(name, sorted(known)):
            yield PREFIX + name, PREFIX + near


def forbid_telemetry() -> None:
    """Forbid libraries to report their use to their makers; to be called before their import.

    onnxruntime otherwise stores a device id in the user's cache when it is imported, and looks up
    the host that it reports to.
    """
    os.environ.update(ORT_DISABLE_TELEMETRY="1", HF_HUB_DISABLE_TELEMETRY="1")
