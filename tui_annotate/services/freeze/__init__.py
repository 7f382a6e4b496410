"""Freeze: a dated state for a paper, in a folder of its own; and the log replayed against it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.chains import Head, head_from_json
from tui_annotate.domain.errors import Damaged, InvalidInput, NotFound
from tui_annotate.domain.version import VERSION
from tui_annotate.services.freeze.compare import Difference, compared
from tui_annotate.services.freeze.moment import Moment
from tui_annotate.storage import whole_folder
from tui_annotate.storage.clock import utc_now
from tui_annotate.storage.database import SCHEMA, Database
from tui_annotate.storage.work import rebuild

__all__ = ["Difference", "Freeze", "Frozen", "Moment", "Replayed"]

FORMAT: Final = "tui-annotate-frozen/1"
ABOUT, EXPORT, HEAD = "frozen.json", "native.jsonl", "head.json"
_NAME: Final = re.compile(r"(?!(?:keep|list|replay)$)[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_ENDINGS: Final = {"labels": ".yaml", "guidelines": ".md"}


@dataclass(frozen=True, slots=True)
class Frozen:
    """A state that was kept.

    Attributes:
        at: when, UTC.
        app: the version of the program that kept it.
        head: of the log, as `audit head` prints it.
    """

    name: str
    folder: Path
    at: str
    app: str
    head: str
    events: int


@dataclass(frozen=True, slots=True)
class Replayed:
    """What the log gave, taken back to a state, beside what was kept of it.

    Attributes:
        events, streams: that were replayed.
        samples: of the kept export.
        identical: those whose line came out the same, to the byte.
        differences: the first 1,000 samples that did not, with what differs.
        more: how many samples differ beside those.
        lost: streams that the log does not hold any more as they were.
        since: samples that came to the workspace since, which nobody has to find in the export.
    """

    events: int
    streams: int
    samples: int
    identical: int
    differences: tuple[Difference, ...]
    more: int
    lost: tuple[Head, ...]
    since: int

    @property
    def same(self) -> bool:
        """Whether the log gives what was kept."""
        return not self.differences and not self.lost


@dataclass(frozen=True, slots=True)
class Freeze:
    """Keeps states of a workspace, and replays them.

    Attributes:
        folder: that holds the states, each in a folder of its name.
        moment: what can be told of a copied store.
    """

    folder: Path
    database: Database
    moment: Callable[[Database], Moment]

    def run(self, name: str) -> Frozen:
        """Keeps the state of this moment; people may go on working.

        Raises:
            InvalidInput: the name can not be that of a folder.
            Conflict: there is a state of this name.
            Unavailable: it can not be written.
        """
        place = self._place(name)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        with whole_folder.made(place) as folder, self._copied(folder) as copy:
            at = utc_now()
            moment = self.moment(copy)
            moment.export(folder / EXPORT)
            for kind, versions in moment.versions().items():
                for version, text in versions.items():
                    _write(folder / kind / f"{version}{_ENDINGS[kind]}", text)
            head = moment.head()
            _write_json(folder / "agreement.json", moment.agreement())
            _write_json(folder / "figures.json", moment.figures())
            _write_json(folder / HEAD, [list(each) for each in moment.heads()])
            _write(folder / "method.md", moment.method(at=at, app=VERSION))
            about = {"at": at, "app": VERSION, "head": head.token, "events": head.events}
            _write_json(folder / ABOUT, {"format": FORMAT, "name": name, "schema": SCHEMA, **about})
            copy.close()
            _drop_store(copy)
            whole_folder.write_sums(folder)
        return Frozen(name, place, at, VERSION, head.token, head.events)

    def all(self) -> list[Frozen]:
        """The states that were kept, the oldest first."""
        found = [self._read(folder.parent) for folder in self.folder.glob(f"*/{ABOUT}")]
        return sorted(found, key=lambda each: (each.at, each.name))

    def replay(self, name: str, *, export: Path | None = None) -> Replayed:
        """Takes a copy of the store back to a state by its log, and holds the export against it.

        Args:
            export: where the replayed export is written too, in the native form.

        Raises:
            NotFound: there is no such state.
            Damaged: its files are not what they were.
            Conflict: the log does not hold together; see `audit verify`.
        """
        kept = self._place(name)
        self._read(kept)
        whole_folder.check(kept)
        values = json.loads((kept / HEAD).read_text("utf-8"))
        heads = [head_from_json(each) for each in values]
        with self._scratch() as copy:
            lost = rebuild.take_back(copy, heads)
            events, streams = self._told(copy, export)
            again = copy.path.with_name(EXPORT)
            self.moment(copy).export(again)
            found = compared(kept / EXPORT, again)
        return Replayed(events, streams, lost=tuple(lost), **found)

    def replay_to(self, at: str, export: Path) -> tuple[int, int]:
        """Writes what stood at a time, as the times in the log tell it, in the native form.

        Args:
            at: ISO 8601, UTC.

        Returns:
            How many events and streams were replayed.

        Raises:
            Conflict: the log does not hold together; see `audit verify`.
        """
        with self._scratch() as copy:
            rebuild.take_back_to(copy, at)
            return self._told(copy, export)

    def _told(self, copy: Database, export: Path | None) -> tuple[int, int]:
        rebuild.tables_from_log(copy)
        moment = self.moment(copy)
        head = moment.head()
        if export is not None:
            moment.export(export)
        return head.events, head.streams

    @contextmanager
    def _scratch(self) -> Iterator[Database]:
        near = self.database.path.parent
        with whole_folder.scratch(near) as folder, self._copied(folder) as copy:
            yield copy

    @contextmanager
    def _copied(self, folder: Path) -> Iterator[Database]:
        path = folder / "store.sqlite"
        self.database.copy_to(path)
        copy = Database(path)
        try:
            yield copy
        finally:
            copy.close()

    def _place(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise InvalidInput(
                f"{name!r} can not name a state",
                "give up to 64 letters, digits, dots, dashes, underscores; no word of the command",
            )
        return self.folder / name

    def _read(self, folder: Path) -> Frozen:
        try:
            value = json.loads((folder / ABOUT).read_text("utf-8"))
            told = {key: str(value[key]) for key in ("at", "app", "head")}
            return Frozen(folder.name, folder, events=int(value["events"]), **told)
        except FileNotFoundError as error:
            raise NotFound(
                f"there is no state {folder.name!r}", "see: tui-annotate freeze list"
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{folder / ABOUT} is not what freeze wrote", "restore it") from error


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(mode=0o700, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(text, "utf-8")


def _write_json(file: Path, value: Any) -> None:
    _write(file, json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def _drop_store(copy: Database) -> None:
    for path in copy.path.parent.glob(f"{copy.path.name}*"):
        path.unlink()
