"""The caches of model replies that a command uses: the user's cache, a workspace's, or a file."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins.files.output_paths import require_output_path
from tui_annotate.plugins.judges import ReplyCache
from tui_annotate.settings import foreign_owner, reply_cache_file
from tui_annotate.storage.reply_file import ReplyFile

_log = logging.getLogger(__name__)


class LayeredReplies:
    """Several caches of model replies: a reply is found in the first that has it.

    Args:
        required: caches in which each new reply is stored; an error ends the run.
        user: the user's cache, in which each new reply is stored, too; if the cache cannot be
            written, the run continues without it, after one warning.
        former: files that are read only.
    """

    def __init__(
        self,
        required: Sequence[ReplyCache] = (),
        *,
        user: ReplyFile | None = None,
        former: Sequence[ReplyFile] = (),
    ) -> None:
        self._required = required
        self._user = user
        self._former = former

    @property
    def keeps(self) -> bool:
        """Whether a later command finds the replies of this one."""
        return self._user is not None or any(each.keeps for each in self._required)

    def get(self, key: str, *, host: str = "") -> str | None:
        """Return the reply from the first cache that has the key; None if none has it."""
        caches: list[ReplyCache] = [*self._required]
        if self._user:
            caches.append(self._user)
        caches += self._former
        replies = (each.get(key, host=host) for each in caches)
        return next((reply for reply in replies if reply is not None), None)

    def put(self, key: str, reply: str, *, about: Mapping[str, Any]) -> None:
        """Store a reply in all caches but the former ones; Unavailable if a required one fails."""
        for each in self._required:
            each.put(key, reply, about=about)
        user = self._user
        if user is None:
            return
        try:
            user.put(key, reply, about=about)
        except Unavailable as error:
            self._user = None
            _log.warning("replies are no longer cached for later commands: %s", error.message)


def open_replies(
    workspace: ReplyCache | None = None,
    *,
    file: Path | None = None,
    former: Path | None = None,
    no_cache: bool = False,
) -> ReplyCache | None:
    """Open the caches of a run; None for no cache.

    Args:
        workspace: the replies that a workspace stores, in addition to the user's cache.
        file: a file that replaces both other caches.
        former: a file of replies next to an output, as earlier versions wrote it; it is only read.

    Raises:
        InvalidInput: `file` or `former` contains something else, a workspace keeps `file`, or a
            file and no cache are wanted.
        Unavailable: `file` or `former` cannot be read.
    """
    if no_cache and file is not None:
        raise InvalidInput(
            f"the replies are to be cached in {file}, but also not to be cached",
            "pass either --cache or --no-cache",
        )
    if no_cache:
        return None
    if file is not None:
        require_output_path(file)
        return ReplyFile(file)
    there = [ReplyFile(former)] if former is not None and former.exists() else []
    return LayeredReplies(
        [workspace] if workspace is not None else [], user=_open_user_cache(), former=there
    )


def _open_user_cache() -> ReplyFile | None:
    path = reply_cache_file()
    if path is None:
        _log.warning("replies are not cached for later commands: the user has no home folder")
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if foreign_owner(path) is None:
            return ReplyFile(path)
        # In a folder that others can write, someone may have put replies of their own.
        _log.warning("replies are not cached for later commands: %s is another user's file", path)
    except OSError as error:
        _log.warning("replies are not cached for later commands: %s", error)
    except (InvalidInput, Unavailable) as error:
        _log.warning("replies are not cached for later commands: %s", error.message)
    return None
