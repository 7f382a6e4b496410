"""Scorers by local models: a trained classifier of hidden states, and a reward model.

Source: the probe scorer and the reward scorer of the project Dreamcatcher.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.lab.score import probes
from tui_annotate.lab.score.language_models import BATCH, LanguageModel, RewardModel
from tui_annotate.lab.score.ranking import PROBE, REWARD
from tui_annotate.plugins.scoring import GeneratedAnswers, Opinion, ScorerOptions

_UNREADABLE: Final = "the model's tokenizer has no token for the text"


class ProbeScorer:
    """Scorer that estimates by a trained classifier whether a model knows the answer.

    All answers to a question get the same score.

    Raises:
        InvalidInput: no probe file is named, or the probe belongs to another model.
        NotFound, Unavailable: the probe file, the model or the libraries are missing.
    """

    name = "probe"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        if not options.model:
            raise InvalidInput(
                "the scorer 'probe' needs the file of a trained probe",
                "name it as probe:FILE; train a probe with: tui-annotate lab scores train-probe",
                code="probe-missing",
            )
        path = Path(options.model)
        self._probe = probes.read_probe(path)
        self._model = LanguageModel(options.folder or self._probe.folder)
        if self._model.sha256 != self._probe.model or self._model.size != len(self._probe.weights):
            raise InvalidInput(
                f"probe {path} was trained on a different model than {self._model.folder}",
                "pass the folder of the probe's model with --model-folder",
                code="probe-of-other-model",
            )
        self.parameters: Mapping[str, Any] = {
            "probe": path.name,
            "probe_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "model": self._model.sha256,
            "layer": self._probe.layer,
            "middle": {PROBE: 0.5},
        }

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the same probability for all answers to a question; None for one without tokens."""
        waiting = iter(questions)
        while some := list(islice(waiting, BATCH)):
            known = [each.question for each in some if self._model.has_tokens(each.question)]
            states = iter(self._model.states(known))
            for each in some:
                count = len(each.texts) + len(each.extras)
                if self._model.has_tokens(each.question):
                    values = (self._probe.chance(next(states)),) * count
                    yield (Opinion(name=PROBE, values=values),)
                else:
                    words = (_UNREADABLE,) * count
                    yield (Opinion(name=PROBE, values=(None,) * count, words=words),)


_HONEST: Final = {
    "en": "If you do not know the answer, say so.",
    "zh": "如果你不知道答案，请直接说明。",
}
"""Sentence added to a question, which asks the model to admit what it does not know."""


class RewardScorer:
    """Scorer that returns a reward model's raw reward for each answer.

    Raises:
        InvalidInput: no model folder is named.
        Unavailable: libraries are missing, or the folder contains no reward model.
    """

    name = "reward"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        self._model = RewardModel(options.model or options.folder)
        self.maker = f"{self.name}:{self._model.folder.name}"
        self.parameters: Mapping[str, Any] = {"model": self._model.sha256}

    def of_answers(self, questions: Iterable[GeneratedAnswers]) -> Iterator[tuple[Opinion, ...]]:
        """Yield the rewards of all answers to each question; the answers in `extras` come last."""
        for each in questions:
            asked = f"{each.subject}\n{each.question}" if each.subject else each.question
            honest = f"{asked}\n{_HONEST[each.language]}"
            plain = [self._model.reward(asked, text) for text in each.texts]
            extra = [self._model.reward(honest, text) for text in each.extras]
            values = (*plain, *extra)
            words = tuple(_UNREADABLE if value is None else "" for value in values)
            yield (Opinion(name=REWARD, values=values, words=words if any(words) else ()),)
