"""Pseudonyms of a workspace: where its key lies, and which words mean whom."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tui_annotate.domain.people import Person, PersonKind, Verb, may, require
from tui_annotate.storage.corpus.store import CorpusStore
from tui_annotate.workspace.folder import PSEUDONYMS
from tui_annotate.workspace.members import Members

if TYPE_CHECKING:
    from tui_annotate.services.export.keys import Keys
    from tui_annotate.services.export.pseudonyms import Pseudonyms

_MARK: Final = "pseudonyms"
"""The setting of the store that holds the mark of the key."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What exports need to name nobody."""

    corpus: CorpusStore
    members: Members

    def keys(self) -> Keys:
        """The key: in the workspace's folder, or where its settings say."""
        from tui_annotate.services.export.keys import Keys

        named = self.members.settings.pseudonyms_key
        path = self.members.path / Path(named or PSEUDONYMS).expanduser()
        return Keys(
            path,
            lambda: self.corpus.setting(_MARK),
            lambda mark: self.corpus.set_setting(_MARK, mark),
        )

    def names(self) -> Pseudonyms:
        """Pseudonyms by the key, which is made at the first use.

        Raises:
            NotFound, Conflict, InvalidInput, Unavailable: as `Keys.current`.
            NotAllowed: it would have to be made, and who acts may not manage the workspace.
        """
        from tui_annotate.services.export.pseudonyms import Pseudonyms

        if self.corpus.setting(_MARK) is None:
            require(self.members.actor, Verb.MANAGE)
        people = [each for each in self.members.people.all() if each.kind is not PersonKind.AGAIN]
        return Pseudonyms(self.keys().current(), people, self._addresses())

    def renew(self) -> Path:
        """Puts a new key in the place of the one before; where it lies.

        Raises:
            NotAllowed: who acts may not manage the workspace.
            Unavailable: it can not be written.
        """
        require(self.members.actor, Verb.MANAGE)
        keys = self.keys()
        keys.renew()
        return keys.path

    def everybody(self) -> list[tuple[Person, str]]:
        """People, each with the word that stands for them, by name.

        Raises:
            NotAllowed: who acts may not manage the workspace; else as `names`.
        """
        require(self.members.actor, Verb.MANAGE)
        names = self.names()
        told = {person: names.id(person.id) for person in self.members.people.all()}
        return [
            (person, word)
            for person, word in told.items()
            if word != person.id and person.kind is not PersonKind.AGAIN
        ]

    def _addresses(self) -> dict[str, str]:
        if not may(self.members.actor, Verb.MANAGE) or not self.members.required():
            return {}
        return {each.email: each.person.id for each in self.members.accounts.all()}
