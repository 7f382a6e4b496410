"""The probe: whether a local model's state at the end of a question tells that it knows the answer.

Source: the probe scorer of the project Dreamcatcher.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from tui_annotate.domain.errors import InvalidInput
from tui_annotate.methods.ranking import PROBE
from tui_annotate.plugins import probes
from tui_annotate.plugins.models.language import LanguageModel
from tui_annotate.plugins.scoring import Answers, Opinion, ScorerOptions


class ProbeScorer:
    """One value a question, the same for all its answers: it is of the model, not of the text.

    Raises:
        InvalidInput: no file of a probe is named, or the model is another one.
        NotFound, Unavailable: file, model or libraries are missing.
    """

    name = "probe"
    low: frozenset[str] = frozenset()

    def __init__(self, options: ScorerOptions) -> None:
        if not options.model:
            raise InvalidInput(
                "no probe is named",
                "--scorer probe:FILE; train one: tui-annotate score train-probe",
            )
        path = Path(options.model)
        self._probe = probes.read(path)
        self._model = LanguageModel(options.folder or self._probe.folder)
        if self._model.sha256 != self._probe.model or self._model.size != len(self._probe.weights):
            raise InvalidInput(
                f"the probe {path} was trained on another model than {self._model.folder}",
                "name the folder of its model: --model-folder",
            )
        self.parameters: Mapping[str, Any] = {
            "probe": path.name,
            "model": self._model.sha256,
            "layer": self._probe.layer,
            "middle": {PROBE: 0.5},
        }

    def of_answers(self, questions: Iterable[Answers]) -> Iterator[tuple[Opinion, ...]]:
        """See `Scorer.of_answers`; extras have the value too."""
        for each in questions:
            chance = self._probe.chance(self._model.states(each.question))
            values = (chance,) * (len(each.texts) + len(each.extras))
            yield (Opinion(name=PROBE, values=values),)
