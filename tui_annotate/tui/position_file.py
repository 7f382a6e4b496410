"""Keeps a person's position and unsaved work in a file while the store cannot be written.

The file is in the user's state folder. At the next start, the store gets its content.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tui_annotate.domain.errors import NotFound
from tui_annotate.domain.samples import SampleKey
from tui_annotate.settings import workspace_state_file
from tui_annotate.storage.atomic_folder import write_text

if TYPE_CHECKING:
    from tui_annotate.storage.people.store import PeopleStore

_log = logging.getLogger(__name__)


class PositionFile:
    """The file of one person in one workspace; it exists only while positions wait in it."""

    def __init__(self, workspace: Path, person: str) -> None:
        self._person = person
        file = workspace_state_file("position", workspace)
        self._path = file.with_name(f"{file.name}-{sha256(person.encode()).hexdigest()[:16]}")

    def write(self, key: SampleKey, place: Mapping[str, Any]) -> None:
        """Keep the position in a sample, in place of an earlier one; log errors of the disk."""
        self._replace({**self._read(), key: dict(place)})

    def delete(self, key: SampleKey) -> None:
        """Delete the position in a sample, if there is one."""
        positions = self._read()
        if positions.pop(key, None) is not None:
            self._replace(positions)

    def store(self, people: PeopleStore) -> None:
        """Move the positions to the store; annotations that wait there stay.

        Raises:
            Unavailable: the store cannot be written; the file stays.
        """
        for key, place in self._read().items():
            with suppress(NotFound):  # the sample was removed meanwhile
                mine = _by_id(place)
                waiting = _by_id(people.place(self._person, key))
                others = [item for name, item in waiting.items() if name not in mine]
                place["unsaved"] = [*others, *mine.values()]
                people.keep_place(self._person, key, place)
            self.delete(key)

    def _read(self) -> dict[SampleKey, dict[str, Any]]:
        """Return the positions by sample, oldest first; none if the file cannot be read."""
        try:
            content = json.loads(self._path.read_text("utf-8"))
            positions = {
                SampleKey(str(each["dataset"]), str(each["sample"])): dict(each["place"])
                for each in content
            }
            for place in positions.values():
                _by_id(place)  # raises for what is no list of annotations
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, KeyError, TypeError) as error:
            _log.error("%s cannot be read: %s", self._path, type(error).__name__)
            return {}
        return positions

    def _replace(self, positions: Mapping[SampleKey, Mapping[str, Any]]) -> None:
        content = [
            {"dataset": key.dataset, "sample": key.id, "place": dict(place)}
            for key, place in positions.items()
        ]
        try:
            if content:
                write_text(self._path, json.dumps(content))
            else:
                self._path.unlink(missing_ok=True)
        except OSError as error:
            _log.error("the position was not kept in a file: %s", error.strerror)


def _by_id(place: Mapping[str, Any]) -> dict[str, Any]:
    """Return the unsaved annotations of a position by their ids."""
    return {str(item["annotation"]["id"]): item for item in place.get("unsaved", ())}
