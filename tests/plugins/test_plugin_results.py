"""What plug-ins of other packages return: counts, lengths and types are checked at each call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.helpers.printed_numbers import printed_numbers
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, TuiAnnotateError, Unavailable
from tui_annotate.domain.people import Person, PersonKind
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Sample, Side
from tui_annotate.methods.late_interaction import TokenBank
from tui_annotate.plugins import registry
from tui_annotate.plugins.judges import Judge, JudgeOptions, ModelReply, Question
from tui_annotate.plugins.plugin_results import (
    OpinionChecker,
    check_cost,
    check_count,
    check_names,
    check_parameters,
    check_report,
    to_float,
)
from tui_annotate.plugins.protocols import (
    CostlyEmbedder,
    Embedder,
    EmbeddingCost,
    ExportReport,
    ImportOptions,
    TokenEmbedder,
)
from tui_annotate.plugins.reader_guard import read_guarded
from tui_annotate.plugins.scoring import Opinion

TEXTS = ("one", "two")
UNIT = np.eye(2, 3, dtype=np.float32)


@pytest.fixture(autouse=True)
def _strangers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def found(*, group: str) -> list[EntryPoint]:
        targets = {"embedders": "Vectors", "judges": "Talker", "importers": "Reader"}
        target = targets.get(group.removeprefix("tui_annotate."))
        return [EntryPoint("own", f"{__name__}:{target}", group)] if target else []

    monkeypatch.setattr(registry, "entry_points", found)
    registry._third_party.cache_clear()
    yield
    registry._third_party.cache_clear()


class Vectors:
    """An embedder that returns what a test wants."""

    name, label, version, dimensions, instant = "own", "Own", "1", 3, True
    host = "elsewhere"
    result: Any = UNIT

    def __init__(self, options: Any) -> None:
        self.model = options.model

    def embed(self, _: Sequence[str]) -> Any:
        """The result, or an error."""
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


@pytest.mark.parametrize(
    "result",
    [UNIT, UNIT.astype(np.float64), UNIT.tolist(), np.zeros((2, 3), np.int64), UNIT * 0.999],
)
def test_sound_vectors_pass(monkeypatch: pytest.MonkeyPatch, result: Any) -> None:
    """As float32, also from lists and other types of numbers, and with rounded lengths."""
    monkeypatch.setattr(Vectors, "result", result)
    embedder: Any = registry.load_embedder("own:m")
    assert (embedder.host, embedder.model, embedder.dimensions) == ("elsewhere", "m", 3)
    made = embedder.embed(TEXTS)
    assert (str(made.dtype), made.shape) == ("float32", (2, 3))
    kinds = [isinstance(embedder, kind) for kind in (Embedder, CostlyEmbedder, TokenEmbedder)]
    assert kinds == [True, False, False]


@pytest.mark.parametrize(
    ("result", "numbers"),
    [
        (UNIT[:1], ["1", "2"]),
        (np.eye(3), ["3", "2"]),
        (np.eye(2, 4), ["4", "3"]),
        (np.ones(3), ["3"]),
        ([["a", "b", "c"]] * 2, []),
        ([[1], [1, 2]], []),
        (None, []),
        (UNIT * np.nan, []),
        (np.array([[1, 0, 0], [np.inf, 0, 0]]), ["2", "2"]),
        (UNIT * 3, ["3", "1"]),
        (ValueError("broken"), []),
        (ConnectionRefusedError(111, "refused"), ["111"]),
    ],
)
def test_wrong_vectors_are_an_error_of_the_plug_in(
    monkeypatch: pytest.MonkeyPatch, result: Any, numbers: list[str]
) -> None:
    """With its name, and with both numbers where numbers are wrong; errors keep their cause."""
    monkeypatch.setattr(Vectors, "result", result)
    with pytest.raises(Unavailable, match="'own'") as error:
        registry.load_embedder("own").embed(TEXTS)
    found = [number for line in printed_numbers(error.value.message) for number in line]
    assert set(numbers) <= set(found), found
    assert not isinstance(result, Exception) or error.value.__cause__ is result


def test_optional_members_of_embedders_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Costs and vectors of tokens: the wrapped embedder has them, and refuses wrong ones."""
    bank = TokenBank(np.zeros((2, 1), np.int8), np.array([0, 1, 2]), *np.zeros((2, 2), np.int32))

    class Whole(Vectors):
        token_dimensions, axes = 1, np.ones((3, 1), np.float32)
        price: Any = EmbeddingCost(calls=1)
        tokens: Any = (UNIT, bank)

        def cost(self, _: Any) -> Any:
            return self.price

        def embed_tokens(self, _: Any) -> Any:
            return self.tokens

    monkeypatch.setattr(f"{__name__}.Vectors", Whole)
    embedder: Any = registry.load_embedder("own")
    assert isinstance(embedder, CostlyEmbedder)
    assert isinstance(embedder, TokenEmbedder)
    assert embedder.cost(TEXTS).calls == 1
    assert len(embedder.embed_tokens(TEXTS)[1]) == 2
    short = TokenBank(bank.vectors[:1], bank.bounds, bank.starts, bank.ends)
    for wrong in (UNIT, (UNIT, None), (UNIT[:1], bank), (UNIT, bank.part(0, 1)), (UNIT, short)):
        Whole.tokens = wrong
        with pytest.raises(Unavailable, match="'own'"):
            embedder.embed_tokens(TEXTS)
    Whole.price = 3
    with pytest.raises(Unavailable, match="'own'"):
        embedder.cost(TEXTS)


def test_texts_for_which_an_embedder_failed_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are a mapping; an embedder without the attribute has none."""
    assert getattr(registry.load_embedder("own"), "failed") == {}  # noqa: B009  not in the protocol
    for given, found in ((None, {}), ({"one": ValueError("no")}, {"one": "no"})):
        monkeypatch.setattr(Vectors, "failed", given, raising=False)
        assert registry.load_embedder("own").failed == found  # type: ignore[attr-defined]
    for wrong in (["one"], "one", 3, {1: "no"}):
        monkeypatch.setattr(Vectors, "failed", wrong, raising=False)
        with pytest.raises(Unavailable, match=r"'own'.*failed"):
            registry.load_embedder("own").failed  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("dimensions", "4"),
        ("dimensions", None),
        ("dimensions", True),
        ("dimensions", -1),
        ("dimensions", 2.0),
        ("label", None),
        ("label", ""),
        ("version", 3),
        ("name", None),
    ],
)
def test_attributes_of_embedders_are_checked_at_once(
    monkeypatch: pytest.MonkeyPatch, name: str, wrong: Any
) -> None:
    """Before any text is embedded; the error names plug-in and attribute."""
    monkeypatch.setattr(Vectors, name, wrong)
    with pytest.raises(Unavailable, match=f"'own'.*{name}") as error:
        registry.load_embedder("own")
    assert error.value.code == "plugin-result"


def test_dimensions_of_other_libraries_are_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """An int32 is a whole number."""
    monkeypatch.setattr(Vectors, "dimensions", np.int32(3))
    assert type(registry.load_embedder("own").dimensions) is int


def test_a_plug_in_that_ends_the_program_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever its exit code: nothing was computed."""

    def leave(_: Any) -> None:
        raise SystemExit(0)

    monkeypatch.setattr(Vectors, "embed", lambda _, texts: leave(texts))
    with pytest.raises(Unavailable, match=r"'own'.*SystemExit"):
        registry.load_embedder("own").embed(TEXTS)


class Talker:
    """A judge that answers as a test wants."""

    name, model, host = "own", "m", ""
    outcomes: Any = ()

    def __init__(self, options: Any) -> None:
        pass

    def ask(self, _: Question) -> Any:
        """The last of the outcomes."""
        return self.outcomes[-1][1]

    def ask_all(self, _: Sequence[Question]) -> Any:
        """All outcomes."""
        yield from self.outcomes

    def cached(self, _: Question) -> bool:
        """Never."""
        return False


ASKED = [Question(user=text) for text in TEXTS]
SAID = ModelReply("1", cached=False)


def test_sound_replies_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any order, with errors of single questions."""
    refused = InvalidInput("too long")
    monkeypatch.setattr(Talker, "outcomes", ((1, refused), (0, ModelReply("a\ud800", cached=True))))
    judge = registry.load_judge("own:m", JudgeOptions())
    assert isinstance(judge, Judge)
    found: dict[int, ModelReply | TuiAnnotateError] = dict(judge.ask_all(ASKED))
    assert found == {1: refused, 0: ModelReply("a?", cached=True)}
    assert judge.ask(ASKED[0]).text == "a?"


@pytest.mark.parametrize(
    ("outcomes", "numbers"),
    [
        ([(0, SAID)], ["1", "2"]),
        ([(0, SAID), (0, SAID)], ["0"]),
        ([(0, SAID), (2, SAID)], ["2", "2"]),
        ([(0, SAID), (1, "1")], []),
        ([(0, SAID), (1, ModelReply(b"1", cached=False))], []),  # type: ignore[arg-type]
        ([SAID, SAID], []),
        (3, []),
    ],
)
def test_wrong_replies_are_an_error_of_the_plug_in(
    monkeypatch: pytest.MonkeyPatch, outcomes: Any, numbers: list[str]
) -> None:
    """A question without a reply, or with two, would get the reply to another one."""
    monkeypatch.setattr(Talker, "outcomes", outcomes)
    with pytest.raises(Unavailable, match="'own'") as error:
        list(registry.load_judge("own", JudgeOptions()).ask_all(ASKED))
    found = [number for line in printed_numbers(error.value.message) for number in line]
    assert set(numbers) <= set(found)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (np.float32(0.5), 0.5),
        (np.int64(2), 2.0),
        (np.array(3), 3.0),
        (Decimal("0.5"), 0.5),
        (True, 1.0),
        (10**400, None),
        ("0.5", None),
        (b"1", None),
        ([1], None),
        (1j, None),
    ],
)
def test_numbers_of_other_libraries_are_numbers(value: Any, number: float | None) -> None:
    """Everything that has a value as a float; texts are none."""
    assert to_float(value) == number


def test_values_that_are_not_finite_are_missing_with_a_reason() -> None:
    """NaN and infinity are None; a note counts them by score."""
    checker = OpinionChecker("own")
    values: Any = (np.float32(0.5), float("nan"), np.inf, None)
    (found,) = checker.check([Opinion(name="s", values=values)], sample="d/1", texts=4)
    assert found.values == (0.5, None, None, None)
    assert [type(each) for each in found.values[:1]] == [float]
    (note,) = checker.notes()
    assert (note.partition(":")[0], printed_numbers(note)) == ("s", [["2"]])


@pytest.mark.parametrize(
    ("opinions", "numbers"),
    [
        ([Opinion(name="s", values=(1.0,))], ["1", "2", "3"]),
        ([Opinion(name="s", values=(1.0,) * 4)], ["4", "2", "3"]),
        ([Opinion(name="s", values=(1.0, 2.0), words=("a",))], ["1", "2"]),
        ([Opinion(name="s", values=(1.0, "2"))], ["2"]),  # type: ignore[arg-type]
        ([Opinion(name="s", values=(1.0, [2]))], []),  # type: ignore[arg-type]
        ([Opinion(name="s", values="12")], []),  # type: ignore[arg-type]
        ([Opinion(name="s", values=1.0)], []),  # type: ignore[arg-type]
        ([Opinion(name="s", values=(1.0, 2.0), words=(1, 2))], []),  # type: ignore[arg-type]
        ([Opinion(name=" ", values=(1.0, 2.0))], []),
        ([Opinion(name=None, values=(1.0, 2.0))], []),  # type: ignore[arg-type]
        ([Opinion(name="s", values=(1.0, 2.0))] * 2, []),
        ([(1.0, 2.0)], []),
        (Opinion(name="s", values=(1.0, 2.0)), []),
        (None, []),
    ],
)
def test_wrong_scores_name_plug_in_sample_and_numbers(opinions: Any, numbers: list[str]) -> None:
    """Of a question with two answers and one extra."""
    with pytest.raises(Unavailable, match=r"'own'.*d/x") as error:
        OpinionChecker("own").check(opinions, sample="d/x", texts=2, extras=1)
    assert [each for line in printed_numbers(error.value.message) for each in line] == numbers
    assert error.value.code == "plugin-result"


def test_results_and_samples_have_the_same_number() -> None:
    """One more or one less is an error with both numbers."""
    for results, numbers in ((["a"], ["1", "2"]), (["a", "b", "c"], ["2"])):
        with pytest.raises(Unavailable, match="'own'") as error:
            list(OpinionChecker("own").pair(iter((1, 2)), results, what="sample"))
        assert printed_numbers(error.value.message) == [numbers]
    paired = OpinionChecker("own").pair(iter((1, 2)), "ab", what="sample")
    assert list(paired) == [(1, "a"), (2, "b")]


def test_what_is_stored_with_a_run_is_json() -> None:
    """Numbers of other libraries are numbers, NaN is null; anything else is named."""
    given = {"a": np.float32(0.5), "b": [np.int64(3), float("nan")], "c": {"d": None}}
    found = check_parameters(given, plugin="own")
    assert found == {"a": 0.5, "b": [3, None], "c": {"d": None}}
    for wrong in ({"a": {1, 2}}, {"a": object()}, [1], None):
        with pytest.raises(Unavailable, match="'own'"):
            check_parameters(wrong, plugin="own")
    assert check_names({"a"}, plugin="own") == frozenset({"a"})
    for names in ("length", None, [1]):
        with pytest.raises(Unavailable, match="'own'"):
            check_names(names, plugin="own")


def test_counts_are_whole_numbers() -> None:
    """Also those of other libraries; a truth value is none."""
    assert check_count(np.int64(4), plugin="own", name="failed") == 4
    for wrong in (True, -1, 1.5, "many", None):
        with pytest.raises(Unavailable, match=r"'own'.*failed"):
            check_count(wrong, plugin="own", name="failed")


def test_reports_of_exporters_count_whole_numbers() -> None:
    """Other reports are an error of the plug-in."""
    assert check_report(ExportReport(2, 3, {"notes": 1}), plugin="own").records == 2
    wrong: list[Any] = [None, 3, SimpleNamespace(records=1), ExportReport(records=-1)]
    wrong += [ExportReport(records=1.5), ExportReport(lost={"notes": None})]  # type: ignore[arg-type, dict-item]
    for report in wrong:
        with pytest.raises(Unavailable, match="'own'"):
            check_report(report, plugin="own")
    with pytest.raises(Unavailable, match="'own'"):
        check_cost(None, plugin="own")


class Reader:
    """An importer that yields what a test wants."""

    name = "own"
    items: Any = ()

    def read(self, _: Any, __: Any) -> Iterator[Any]:
        """The items."""
        yield from self.items


SAMPLE = Sample("d", "1", (Document(Side.SOURCE, "One."), Document(Side.SUMMARY, "Two.")))
ANA = Person("ana", "ana", PersonKind.IMPORTED)


@pytest.mark.parametrize(
    "wrong",
    [
        {"assignments": (Assignment("ana", "finished"),)},  # type: ignore[arg-type]
        {"assignments": (Assignment("ana", State.DONE, seconds=float("nan")),)},
        {"assignments": (Assignment("ana", State.DONE, seconds="3"),)},  # type: ignore[arg-type]
        {"annotations": ("one",)},
        {"sample": None},
        {"sample": replace(SAMPLE, id=3)},  # type: ignore[arg-type]
    ],
)
def test_a_wrong_record_of_an_importer_is_refused_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    """The other records of the plug-in are imported; the problem names what is wrong."""
    sound = Record(SAMPLE, people=(ANA,), assignments=(Assignment("ana", State.DONE),))
    bad = replace(sound, where="file:2", **wrong)
    monkeypatch.setattr(Reader, "items", (sound, bad, sound))
    found = list(read_guarded("own", ImportOptions(), tmp_path))
    assert [type(each) for each in found] == [Record, Problem, Record]
    problem = found[1]
    assert isinstance(problem, Problem)
    assert (problem.where, problem.refused, bool(problem.message)) == ("file:2", True, True)
