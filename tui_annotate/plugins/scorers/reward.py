"""Reward models: how good a local model for sequence classification finds an answer.

Source: the reward scorer of the project Dreamcatcher.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tui_annotate.methods.ranking import REWARD
from tui_annotate.plugins.models.language import RewardModel
from tui_annotate.plugins.scoring import Answers, Opinion, ScorerOptions

_HONEST: Final = {
    "en": "If you do not know the answer, say so.",
    "zh": "如果你不知道答案，请直接说明。",
}
"""What is asked besides, where an answer was to admit what its model does not know."""


class RewardScorer:
    """A number for each answer, on the model's own scale.

    Raises:
        InvalidInput: no folder is named.
        Unavailable: libraries are missing, or the folder holds no reward model.
    """

    name = "reward"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        self._model = RewardModel(options.model or options.folder)
        self.maker = f"{self.name}:{self._model.folder.name}"
        self.parameters: Mapping[str, Any] = {"model": self._model.sha256}

    def of_answers(self, questions: Iterable[Answers]) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`."""
        for each in questions:
            asked = f"{each.subject}\n{each.question}" if each.subject else each.question
            honest = f"{asked}\n{_HONEST[each.language]}"
            plain = [self._model.reward(asked, text) for text in each.texts]
            extra = [self._model.reward(honest, text) for text in each.extras]
            yield (Opinion(name=REWARD, values=(*plain, *extra)),)
