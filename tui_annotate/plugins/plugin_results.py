"""Checks what plug-ins return: counts, lengths and types, before anything is stored.

A result of a wrong count or length would otherwise belong to another text or sample. The built-in
plug-ins are held to the same promises by their tests.
"""

from __future__ import annotations

import json
import math
import operator
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from tui_annotate.domain.errors import TuiAnnotateError, Unavailable, error_message
from tui_annotate.domain.plural import format_count
from tui_annotate.domain.strict_json import encode_strict
from tui_annotate.plugins.judges import Judge, ModelReply, Question
from tui_annotate.plugins.protocols import Embedder, EmbeddingCost, ExportReport, TokenEmbedder
from tui_annotate.plugins.record_validation import shorten_quote
from tui_annotate.plugins.scoring import Opinion

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tui_annotate.methods.late_interaction import TokenBank
    from tui_annotate.plugins.protocols import CostlyEmbedder

Guard = Callable[[], AbstractContextManager[None]]
"""Replaces an unexpected error of a plug-in by the error Unavailable, which names the plug-in."""

_Item = TypeVar("_Item")
_LENGTH_ERROR: Final = 0.01
"""Largest difference of a vector's length from 1: half-precision models reach .001."""
_END: Final = object()


def plugin_fault(plugin: str, problem: str) -> Unavailable:
    """Return the error for a plug-in that returned something other than it promises."""
    return Unavailable(
        f"the plug-in {plugin!r} {problem}",
        "report the error to the authors of the plug-in, or use a different one",
        code="plugin-result",
    )


class OpinionChecker:
    """Checks the scores of a scorer plug-in, sample by sample.

    Attributes:
        not_finite: number of values by score that were NaN or infinite, and count as missing.
    """

    def __init__(self, plugin: str) -> None:
        self.plugin = plugin
        self.not_finite: Counter[str] = Counter()

    def check(
        self, opinions: Any, *, sample: str, texts: int, extras: int = 0
    ) -> tuple[Opinion, ...]:
        """Return the scores of one sample or question, with each value as a float or None.

        Args:
            sample: name of the sample, for errors.
            texts: number of texts, each of which needs a value.
            extras: number of further texts, which may have a value.

        Raises:
            Unavailable: a score is given twice, or has a wrong type or number of values.
        """
        if isinstance(opinions, str | bytes) or not isinstance(opinions, Iterable):
            raise self._fault(f"returned {_name(opinions)} for", sample, "not a tuple of Opinion")
        checked: dict[str, Opinion] = {}
        for opinion in opinions:
            if not isinstance(opinion, Opinion):
                raise self._fault(f"returned {_name(opinion)} for", sample, "not an Opinion")
            name: Any = opinion.name
            if not isinstance(name, str) or not name.strip():
                raise self._fault(f"named a score {name!r} for", sample, "not by a text")
            if name in checked:
                raise self._fault(f"gave the score {name!r} twice for", sample)
            checked[name] = self._check_opinion(opinion, sample, texts, extras=extras)
        return tuple(checked.values())

    def pair(
        self, items: Iterator[_Item], results: Any, *, what: str
    ) -> Iterator[tuple[_Item, Any]]:
        """Yield each scored item with its result, in order.

        Raises:
            Unavailable: there are more or fewer results than items; the error has both numbers.
        """
        if not isinstance(results, Iterable):
            raise plugin_fault(self.plugin, f"returned {_name(results)}, not one result per {what}")
        count = 0
        for result in results:
            item = next(items, None)
            if item is None:
                problem = f"returned more results than {format_count(count, what)}"
                raise plugin_fault(self.plugin, problem)
            count += 1
            yield item, result
        if (more := sum(1 for _ in items)) > 0:
            counts = f"results of {count:,} of {format_count(count + more, what)}"
            raise plugin_fault(self.plugin, f"returned {counts}")

    def notes(self) -> Iterator[str]:
        """Yield a note for each score with values that were NaN or infinite."""
        for name, count in sorted(self.not_finite.items()):
            values = format_count(count, "value")
            yield f"{name}: {values} of the scorer were NaN or infinite, and count as missing"

    def _check_opinion(self, opinion: Opinion, sample: str, texts: int, *, extras: int) -> Opinion:
        name = opinion.name
        given = _as_list(opinion.values)
        if given is None:
            kind = _name(opinion.values)
            raise self._fault(f"returned {kind} as the values of {name!r} for", sample)
        if not texts <= len(given) <= texts + extras:
            expected = f"{texts:,} to {texts + extras:,}" if extras else f"{texts:,}"
            values = format_count(len(given), "value")
            raise self._fault(f"returned {values} of {name!r} for", sample, f"not {expected}")
        words = _as_list(opinion.words)
        if words is None or not all(isinstance(word, str) for word in words):
            raise self._fault(f"returned words of {name!r} that are not texts for", sample)
        if words and len(words) != len(given):
            problem = f"returned {format_count(len(words), 'word')} of {name!r} for"
            raise self._fault(problem, sample, f"not {len(given):,}, one for each value")
        numbers = tuple(self._parse_number(value, name, sample) for value in given)
        return replace(opinion, values=numbers, words=tuple(words))

    def _parse_number(self, value: Any, name: str, sample: str) -> float | None:
        """Return a score as a float; None if it is missing or not finite, which is counted."""
        if value is None:
            return None
        number = to_float(value)
        if number is None:
            shown = shorten_quote(value) if isinstance(value, str) else _name(value)
            raise self._fault(f"returned {shown} as a value of {name!r} for", sample, "no number")
        if math.isfinite(number):
            return number
        self.not_finite[name] += 1
        return None

    def _fault(self, problem: str, sample: str, expected: str = "") -> Unavailable:
        return plugin_fault(
            self.plugin, f"{problem} sample {sample}" + (f", {expected}" if expected else "")
        )


def to_float(value: Any) -> float | None:
    """Return a number of any library, such as np.float32, as a float; None for anything else."""
    if isinstance(value, str | bytes | bytearray):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def check_parameters(parameters: Any, *, plugin: str) -> dict[str, Any]:
    """Return the parameters of a scorer as JSON values, with null for NaN and infinity.

    Raises:
        Unavailable: the parameters are no mapping, or have a value that is not JSON.
    """
    if not isinstance(parameters, Mapping):
        raise plugin_fault(plugin, f"has {_name(parameters)} as `parameters`, not a mapping")
    found = {}
    for name, value in parameters.items():
        try:
            text, _ = encode_strict(value, default=_plain_value)
        except (TypeError, ValueError, RecursionError) as error:
            raise plugin_fault(
                plugin, f"has a parameter {name!r} that cannot be stored as JSON: {error}"
            ) from error
        found[str(name)] = json.loads(text)
    return found


def _plain_value(value: Any) -> Any:
    number = to_float(value)
    if number is None:
        raise TypeError(f"a value is {_name(value)}")
    return int(number) if number.is_integer() else number


def check_names(names: Any, *, plugin: str) -> frozenset[str]:
    """Return the names in the attribute `low` of a scorer; Unavailable if they are not texts."""
    found = None if isinstance(names, str) else _as_list(names)
    if found is None or not all(isinstance(name, str) for name in found):
        raise plugin_fault(plugin, f"has {_name(names)} as `low`, not a set of names")
    return frozenset(found)


def check_count(value: Any, *, plugin: str, name: str) -> int:
    """Return a count in an attribute of a plug-in as an int, also a count such as np.int64.

    Raises:
        Unavailable: the value is no whole number, or negative.
    """
    try:
        count = -1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = -1
    if count < 0:
        raise plugin_fault(plugin, f"has {value!r} as `{name}`, not a whole number from 0")
    return count


def check_failed(failed: Any, *, plugin: str) -> dict[str, str]:
    """Return the texts in the attribute `failed` of an embedder, and their errors.

    Raises:
        Unavailable: the value is neither None nor a mapping of texts.
    """
    if failed is None:
        return {}
    if not isinstance(failed, Mapping) or not all(isinstance(text, str) for text in failed):
        raise plugin_fault(plugin, f"has {_name(failed)} as `failed`, not a mapping of texts")
    return {text: _fault_text(fault) for text, fault in failed.items()}


def _fault_text(fault: Any) -> str:
    return error_message(fault) if isinstance(fault, BaseException) else str(fault)


def check_embedder(embedder: Embedder, *, plugin: str) -> None:
    """Check the attributes of an embedder that are stored with its vectors.

    Raises:
        Unavailable: `name`, `label` or `version` is no text, or `dimensions` is no whole number.
    """
    for name in ("name", "label", "version"):
        _check_text(getattr(embedder, name), plugin=plugin, name=name)
    check_count(embedder.dimensions, plugin=plugin, name="dimensions")


def check_judge(judge: Judge, *, plugin: str) -> None:
    """Check the attributes of a judge that are stored with its results; Unavailable if wrong."""
    for name in ("name", "model"):
        _check_text(getattr(judge, name), plugin=plugin, name=name)


def _check_text(value: Any, *, plugin: str, name: str) -> None:
    if not isinstance(value, str) or not value.strip():
        raise plugin_fault(plugin, f"has {value!r} as `{name}`, not a text")


def check_cost(cost: Any, *, plugin: str) -> EmbeddingCost:
    """Return the cost that a plug-in estimated; Unavailable for anything else."""
    if not isinstance(cost, EmbeddingCost):
        raise plugin_fault(plugin, f"returned {_name(cost)} as a cost, not an EmbeddingCost")
    return cost


def check_report(report: Any, *, plugin: str) -> ExportReport:
    """Return the report of an exporter; Unavailable for anything else, and for wrong counts."""
    if not isinstance(report, ExportReport):
        raise plugin_fault(plugin, f"returned {_name(report)}, not an ExportReport")
    counts = {
        "records": report.records,
        "annotations": report.annotations,
        "answers": report.answers,
        **report.lost,
    }
    for name, count in counts.items():
        if type(count) is not int or count < 0:
            raise plugin_fault(plugin, f"counted {count!r} {name}, not a whole number")
    return report


def check_vectors(
    vectors: Any, texts: Sequence[str], *, plugin: str, dimensions: int = 0
) -> NDArray[np.float32]:
    """Return the vectors of texts as an array (n, dimensions) of float32.

    Args:
        dimensions: number of dimensions that the embedder states; 0 if it is not known yet.

    Raises:
        Unavailable: the number of vectors or of their dimensions is wrong, a value is NaN or
            infinite, or a vector has neither length 1 nor only zeros.
    """
    import numpy as np

    try:
        rows = np.asarray(vectors)
    except (TypeError, ValueError) as error:
        raise plugin_fault(plugin, f"returned no array of vectors: {error}") from error
    if rows.dtype.kind not in "fiu" or rows.ndim != 2:
        shape = f"of shape {rows.shape} and type {rows.dtype}"
        raise plugin_fault(plugin, f"returned an array {shape}, not one row of numbers per text")
    if len(rows) != len(texts):
        counts = f"{format_count(len(rows), 'vector')} for {format_count(len(texts), 'text')}"
        first = f"; the first text is {shorten_quote(texts[0])}" if texts else ""
        raise plugin_fault(plugin, f"returned {counts}{first}")
    if not len(texts):
        return rows.astype(np.float32, copy=False)
    if not rows.shape[1] or (dimensions and rows.shape[1] != dimensions):
        expected = f", not {dimensions:,}" if dimensions else ""
        raise plugin_fault(
            plugin, f"returned vectors of {format_count(rows.shape[1], 'dimension')}{expected}"
        )
    made: NDArray[np.float32] = rows.astype(np.float32, copy=False)
    finite: NDArray[np.bool_] = np.all(np.isfinite(made), axis=1)
    lengths = np.linalg.norm(np.where(finite[:, None], made, 0), axis=1)
    sound = finite & ((lengths == 0) | (np.abs(lengths - 1) <= _LENGTH_ERROR))
    if not sound.all():
        at = int(np.argmin(sound))
        problem = f"length {lengths[at]:.3g}, not 1" if finite[at] else "a value that is no number"
        which = f"vector {at + 1:,} of {len(rows):,}, of the text {shorten_quote(texts[at])}"
        raise plugin_fault(plugin, f"returned a vector with {problem}: {which}")
    return made


class CheckedEmbedder:
    """An embedder of another package, whose errors and results are checked at each call."""

    def __init__(self, embedder: Embedder, *, name: str, guard: Guard) -> None:
        self._embedder = embedder
        self._plugin = name
        self._guard = guard
        # Callers ask by these members what an embedder can do, so they exist only if it has them.
        if hasattr(embedder, "cost"):
            self.cost = self._estimate_cost
        if isinstance(embedder, TokenEmbedder):
            self.token_dimensions = embedder.token_dimensions
            self.axes = embedder.axes
            self.embed_tokens = self._embed_tokens

    def __getattr__(self, name: str) -> Any:
        """Return a member that is not checked, such as `host`."""
        if name == "_embedder":  # while the object is not made yet, for example when it is copied
            raise AttributeError(name)
        return getattr(self._embedder, name)

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def label(self) -> str:
        return self._embedder.label

    @property
    def version(self) -> str:
        return self._embedder.version

    @property
    def dimensions(self) -> int:
        """Number of dimensions of a vector; Unavailable if it is no whole number."""
        return check_count(self._embedder.dimensions, plugin=self._plugin, name="dimensions")

    @property
    def failed(self) -> dict[str, str]:
        """Reasons by text why texts got no vector; empty for embedders without this attribute."""
        return check_failed(getattr(self._embedder, "failed", None), plugin=self._plugin)

    @property
    def instant(self) -> bool:
        return self._embedder.instant

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return checked vectors; Unavailable for others, Unavailable for an unexpected error."""
        with self._guard():
            vectors = self._embedder.embed(texts)
        return self._check(vectors, texts)

    def _check(self, vectors: Any, texts: Sequence[str]) -> NDArray[np.float32]:
        return check_vectors(vectors, texts, plugin=self._plugin, dimensions=self.dimensions)

    def _estimate_cost(self, texts: Iterable[str]) -> EmbeddingCost:
        with self._guard():
            cost = cast("CostlyEmbedder", self._embedder).cost(texts)
        return check_cost(cost, plugin=self._plugin)

    def _embed_tokens(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], TokenBank]:
        from tui_annotate.methods.late_interaction import TokenBank

        with self._guard():
            made: Any = cast("TokenEmbedder", self._embedder).embed_tokens(texts)
        if not isinstance(made, tuple) or len(made) != 2 or not isinstance(made[1], TokenBank):
            raise plugin_fault(
                self._plugin, f"returned {_name(made)}, not an array of vectors and a TokenBank"
            )
        vectors, bank = made
        if len(bank) != len(texts):
            counts = f"{format_count(len(bank), 'text')}, not of {len(texts):,}"
            raise plugin_fault(self._plugin, f"returned the tokens of {counts}")
        tokens = int(bank.bounds[-1])
        sizes = {len(bank.vectors), len(bank.starts), len(bank.ends)}
        if sizes != {tokens}:
            counts = ", ".join(f"{size:,}" for size in sorted(sizes))
            raise plugin_fault(self._plugin, f"returned {counts} values for {tokens:,} tokens")
        return self._check(vectors, texts), bank


class CheckedJudge:
    """A judge of another package, whose errors and replies are checked at each call."""

    def __init__(self, judge: Judge, *, name: str, guard: Guard) -> None:
        self.name = judge.name
        self.model = judge.model
        self.host = judge.host
        self._judge = judge
        self._plugin = name
        self._guard = guard

    def ask(self, question: Question) -> ModelReply:
        """Return a checked reply; Unavailable for anything else."""
        with self._guard():
            reply = self._judge.ask(question)
        return self._check(reply)

    def ask_all(
        self, questions: Sequence[Question]
    ) -> Iterator[tuple[int, ModelReply | TuiAnnotateError]]:
        """Yield the outcome of each question once; Unavailable if one is missing or repeated."""
        answered: set[int] = set()
        with self._guard():
            outcomes = iter(self._judge.ask_all(questions))
        with closing(_Closable(outcomes)):
            while True:
                with self._guard():
                    item = next(outcomes, _END)
                if item is _END:
                    break
                at, outcome = self._check_outcome(item, len(questions))
                if at in answered:
                    raise plugin_fault(self._plugin, f"answered question {at:,} twice")
                answered.add(at)
                yield at, outcome
        if len(answered) != len(questions):
            counts = f"{len(answered):,} of {format_count(len(questions), 'question')}"
            raise plugin_fault(self._plugin, f"answered {counts}")

    def cached(self, question: Question) -> bool:
        """Return whether the reply to a question is kept, so that asking costs nothing."""
        with self._guard():
            return bool(self._judge.cached(question))

    def _check_outcome(self, item: Any, count: int) -> tuple[int, ModelReply | TuiAnnotateError]:
        if not isinstance(item, tuple) or len(item) != 2 or type(item[0]) is not int:
            raise plugin_fault(self._plugin, f"returned {_name(item)}, not an index and a reply")
        at, outcome = item
        if not 0 <= at < count:
            questions = format_count(count, "question")
            raise plugin_fault(self._plugin, f"answered question {at:,} of {questions}")
        return at, outcome if isinstance(outcome, TuiAnnotateError) else self._check(outcome)

    def _check(self, reply: Any) -> ModelReply:
        if not isinstance(reply, ModelReply) or not isinstance(reply.text, str):
            raise plugin_fault(self._plugin, f"returned {_name(reply)}, not a ModelReply with text")
        text = reply.text.encode("utf-8", "replace").decode("utf-8")  # lone surrogates
        return ModelReply(text, bool(reply.cached))


class _Closable:
    """An iterator of a plug-in that may have no method `close`."""

    def __init__(self, items: Iterator[Any]) -> None:
        self._items = items

    def close(self) -> None:
        if (close := getattr(self._items, "close", None)) is not None:
            close()


def _as_list(values: Any) -> list[Any] | None:
    """Return the items of a sequence or an array; None for a text, a number or a mapping."""
    if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
        return None
    try:
        return list(values)
    except TypeError:  # an array without dimensions
        return None


def _name(value: Any) -> str:
    """Return the type of a value, for messages."""
    return "None" if value is None else f"a value of type {type(value).__name__}"
