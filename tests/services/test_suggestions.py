"""Suggestions from files and scores, and how they fare: strict, whole, and counted fairly."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests.helpers.printed_numbers import printed_numbers
from tests.helpers.stores import SEGMENTER, SOURCE, SUMMARY, annotate, claim, fill, new
from tests.helpers.suggestions import MAKER, suggest
from tui_annotate.domain.annotations import Anchor
from tui_annotate.domain.assignments import Assignment, State
from tui_annotate.domain.errors import InvalidInput, NotFound
from tui_annotate.domain.people import SETTLED, Person, PersonKind
from tui_annotate.domain.records import Problem, Record
from tui_annotate.domain.samples import Document, Sample, SampleKey, Side
from tui_annotate.domain.scores import RunKind, Score, ScoreRun
from tui_annotate.domain.spans import Span
from tui_annotate.services.annotate import AnnotationService
from tui_annotate.services.suggestions import (
    EarlierSuggestions,
    ScoreThreshold,
    SuggestionCounts,
    SuggestionService,
)
from tui_annotate.services.suggestions.sample_results import SENTENCES, find_ran
from tui_annotate.storage.blind_datasets import BlindDatasets
from tui_annotate.storage.scores.store import ScoreStore
from tui_annotate.storage.sqlite_database import SqliteDatabase
from tui_annotate.storage.suggestions import SuggestionStore

ONE, TWO, THREE = (SampleKey("d", name) for name in "123")
GOOD: dict[str, Any] = {"sample": "1", "quote": "15 million pounds", "label": "Fine"}


@pytest.fixture
def annotating(database: SqliteDatabase) -> AnnotationService:
    """The annotation service over three samples."""
    made = annotate(database)
    fill(made.corpus, "1", "2", "3")
    return made


@pytest.fixture
def service(database: SqliteDatabase, annotating: AnnotationService) -> SuggestionService:
    """The service on the same samples."""
    stores = (annotating.corpus, SuggestionStore(database), ScoreStore(database))
    return SuggestionService(*stores, annotating.labels)


def _file(folder: Path, *lines: object) -> Path:
    path = folder / "found.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n", "utf-8")
    return path


# Python -----------------------------------------------------------------------------------------


def test_suggestions_of_a_program_are_those_of_a_file(
    service: SuggestionService, tmp_path: Path
) -> None:
    """Dictionaries have the fields of a file's lines; the same suggestion is known."""
    assert service.add([GOOD], dataset="d", maker="m") == SuggestionCounts(1, 0)
    assert service.read(str(_file(tmp_path, GOOD)), maker="m") == SuggestionCounts(0, 1)
    (listed,) = service.list_suggestions(maker="m")
    assert (listed.words, listed.listing.suggestion.maker) == ("15 million pounds", "m")


def test_a_program_gets_the_reason_of_a_refusal(service: SuggestionService) -> None:
    """All or none are stored; without a callback, the error describes the first invalid one."""
    wrong = GOOD | {"quote": "99 million pounds"}
    with pytest.raises(InvalidInput) as refused:
        service.add([GOOD, wrong, wrong], maker="m")
    assert "suggestion 2: " in refused.value.hint
    assert "suggestion 3: " not in refused.value.hint
    assert list(service.list_suggestions()) == []
    found: list[Problem] = []
    with pytest.raises(InvalidInput) as refused:
        service.add([wrong], maker="m", problem=found.append)
    assert [each.where for each in found] == ["suggestion 1"]
    assert "suggestion 1" not in str(refused.value)


# files --------------------------------------------------------------------------------------------


def test_a_file_says_all_that_a_suggestion_has(
    service: SuggestionService, annotating: AnnotationService, tmp_path: Path
) -> None:
    """By quotes or offsets, of several makers; once more adds nothing."""
    start = SOURCE.index("12 million")
    lines = (
        GOOD | {"evidence": "12 million pounds", "reason": " other sum ", "score": 0.5},
        {
            "sample": "d/2",
            "maker": "own",
            "start": 4,
            "end": 10,
            "labels": ["Fine", ["Fine"]],
            "evidence": [{"quote": "12  million"}, {"start": 0, "end": 3, "document": 0}],
        },
        {"sample": "3", "dataset": "d", "quote": "bridge", "start": 99},
        {"sample": "3", "evidence": ["bridge"]},
    )
    path = _file(tmp_path, *lines)
    assert service.read(path) == SuggestionCounts(4, 0)
    (first,) = annotating.store.suggested("ana", ONE)
    one = first.suggestion
    assert one.maker == "import:found"
    assert [each.span.of(f"{SUMMARY} 1") for each in one.claim] == ["15 million pounds"]
    assert [each.span.start for each in one.evidence] == [start]
    assert (one.labels, one.note, one.score) == ((("Fine",),), "other sum", 0.5)
    (second,) = annotating.store.suggested("ana", TWO)
    two = second.suggestion
    assert (two.maker, two.claim[0].span) == ("own", Span(4, 10))
    assert [each.span for each in two.evidence] == [Span(0, 3), Span(start, start + 10)]
    assert [bool(each.suggestion.claim) for each in annotating.store.suggested("ana", THREE)] == [
        True,
        False,
    ]
    assert service.read(path) == SuggestionCounts(0, 4)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (GOOD | {"quote": "20 million"}, "d/1"),
        (GOOD | {"quote": "x" * 80}, "...'"),
        (GOOD | {"quote": 3}, "3"),
        (GOOD | {"sample": "9"}, "9"),
        (GOOD | {"sample": "9", "dataset": "d"}, "d/9"),
        (GOOD | {"sample": None}, ""),
        (GOOD | {"label": "Nope"}, "'Nope'"),
        (GOOD | {"label": 3}, "3"),
        (GOOD | {"labels": "Fine"}, "'labels'"),
        (GOOD | {"label": "Alone", "labels": ["Fine"]}, "'labels'"),
        ({"sample": "1", "quote": "bridge", "labels": ["Fine", "Alone"]}, "Alone"),
        (GOOD | {"score": 2}, "2"),
        (GOOD | {"reason": 3}, "'reason'"),
        (GOOD | {"reason": "\0"}, "U+0000"),
        (GOOD | {"maker": ""}, ""),
        (GOOD | {"colour": 3}, "'colour'"),
        ({"sample": "1", "quote": "15"} | {"evidence": "e"}, "times"),
        ({"sample": "1", "quote": "o"}, "times"),
        ({"sample": "1", "suggestions": {}}, "'suggestions'"),
        ({"sample": "1", "suggestions": [3]}, "'suggestions'"),
        ({"sample": "1", "suggestions": [{"quote": "15", "maker": "x"}]}, "'maker'"),
        ({"sample": "1", "suggestions": [], "quote": "15"}, "'quote'"),
        ({"sample": "1", "suggestions": [{"quote": "16"}]}, "'16'"),
        ({"sample": "9", "suggestions": []}, "9"),
        ({"sample": "1", "sentence_scores": [0.5]}, "2 sentences"),
        ({"sample": "1", "sentence_scores": [0.5, 1.5]}, "1.5"),
        ({"sample": "1", "sentence_scores": [0.5, {"start": 0, "end": 3, "score": 1}]}, "both"),
        ({"sample": "1", "sentence_scores": 0.5}, "'sentence_scores'"),
        (GOOD | {"evidence": "nowhere"}, "'nowhere'"),
        (GOOD | {"evidence": [3]}, "3"),
        (GOOD | {"evidence": [{"text": "x"}]}, "'text'"),
        (GOOD | {"evidence": [{"quote": "The", "document": "b"}]}, "'b'"),
        (GOOD | {"start": 0, "end": 3}, "'The'"),
        ({"sample": "1", "start": 3}, ""),
        ({"sample": "1", "start": "3", "quote": "x"}, ""),
        ({"sample": "1", "start": 0, "end": 3000}, "3000"),
        ({"sample": "1"}, ""),
        (GOOD | {"occurrence": "2"}, "'occurrence'"),
        (GOOD | {"context": 2}, "'context'"),
        (GOOD | {"occurrence": 2}, "1 time,"),
        (GOOD | {"occurrence": 0}, "no occurrence 0"),
        ({"sample": "1", "quote": "o", "occurrence": 99}, " times, so there is no occurrence 99"),
        (GOOD | {"context": "The bridge"}, "not inside the context 'The bridge'"),
        (GOOD | {"quote": "20 million", "occurrence": 2}, "does not contain"),
        ([1], ""),
    ],
)
def test_what_does_not_fit_is_told_by_line_and_nothing_is_taken(
    service: SuggestionService, tmp_path: Path, line: object, says: str
) -> None:
    """Nor anything else of the file."""
    report: list[Problem] = []
    with pytest.raises(InvalidInput, match="1"):
        service.read(_file(tmp_path, GOOD, line), problem=report.append)
    assert [each.where.rpartition(":")[2] for each in report] == ["2"]
    assert report[0].message
    assert says in report[0].message
    assert list(service.list_suggestions()) == []


@pytest.mark.parametrize(
    ("hint", "start"),
    [
        ({"start": 12}, 12),
        ({"start": 25}, 24),
        ({"occurrence": 1}, 3),
        ({"occurrence": 3}, 17),
        ({"context": "and men"}, 12),
        ({"context": "men of men", "occurrence": 2}, 24),
    ],
)
def test_an_ambiguous_quote_needs_a_hint(
    service: SuggestionService,
    annotating: AnnotationService,
    tmp_path: Path,
    hint: dict[str, Any],
    start: int,
) -> None:
    """A quote that occurs more than once is refused, and is not its first occurrence."""
    texts = (Document(Side.SOURCE, "A."), Document(Side.SUMMARY, "Of men, and men, men of men."))
    pair = Sample("d", "men", texts)
    annotating.corpus.add([new(pair)], segmenter=SEGMENTER)
    line = {"sample": "men", "quote": "men"}
    report: list[Problem] = []
    with pytest.raises(InvalidInput):
        service.read(_file(tmp_path, line), problem=report.append)
    assert (report[0].where[-2:], printed_numbers(report[0].message)[-1]) == (":1", ["4"])
    service.read(_file(tmp_path, line | hint))
    (found,) = annotating.store.suggested("ana", pair.key)
    assert found.suggestion.claim[0].span.start == start


def test_a_quote_in_two_documents_is_ambiguous(
    service: SuggestionService, annotating: AnnotationService, tmp_path: Path
) -> None:
    """The field `document` selects one."""
    texts = [Document(Side.SOURCE, "Low.", key=key) for key in "ab"]
    pair = Sample("d", "low", (*texts, Document(Side.SUMMARY, "High.")))
    annotating.corpus.add([new(pair)], segmenter=SEGMENTER)
    with pytest.raises(InvalidInput):
        service.read(_file(tmp_path, {"sample": "low", "evidence": ["Low"]}))
    named = [{"quote": "Low", "document": "b"}]
    service.read(_file(tmp_path, {"sample": "low", "evidence": named}))
    (found,) = annotating.store.suggested("ana", pair.key)
    assert [each.index for each in found.suggestion.evidence] == [1]


def test_a_repeated_quote_needs_a_position(
    service: SuggestionService, annotating: AnnotationService, tmp_path: Path
) -> None:
    """Near a position the nearest is meant; without one, none is guessed."""
    path = _file(tmp_path, {"sample": "1", "quote": "o", "start": 30})
    assert service.read(path).added == 1
    (only,) = annotating.store.suggested("ana", ONE)
    assert only.suggestion.claim[0].span.start == SUMMARY.index("o", 28)
    found: list[Problem] = []
    with pytest.raises(InvalidInput):
        service.read(_file(tmp_path, {"sample": "1", "quote": "o"}), problem=found.append)
    assert "'start'" in found[0].hint


def _stored_scores(service: SuggestionService, name: str) -> dict[str, Score]:
    scores = service.scores.scores("d", names=[name])
    return {key.id: each for key, own in scores for each in own}


def test_a_file_states_where_a_machine_ran(service: SuggestionService, tmp_path: Path) -> None:
    """With an empty list it found nothing; a sample without a line has no result."""
    two = {"sample": "1", "suggestions": [{"quote": "bridge"}, {"quote": "15 million pounds"}]}
    path = _file(tmp_path, two, {"sample": "2", "suggestions": []})
    assert service.read(path, maker="m") == SuggestionCounts(2, 0, samples=2)
    assert find_ran(service.scores, "d", "m") == {ONE: 2, TWO: 0}
    assert find_ran(service.scores, "d", "other") == {}
    # The same results again add nothing, a file about other samples adds to what is known.
    assert service.read(path, maker="m") == SuggestionCounts(0, 2)
    more = _file(tmp_path, {"sample": "3", "suggestions": []}, {"sample": "2", "quote": "bridge"})
    assert service.read(more, maker="m") == SuggestionCounts(1, 0, samples=2)
    assert find_ran(service.scores, "d", "m") == {ONE: 2, TWO: 1, THREE: 0}
    alone = _file(tmp_path, {"sample": "2", "quote": "bridge"})
    assert service.read(alone, maker="n").samples == 0
    assert find_ran(service.scores, "d", "n") == {}


def test_earlier_suggestions_that_a_list_lacks_are_counted(
    service: SuggestionService, tmp_path: Path
) -> None:
    """They stay; single suggestions and sentence scores are no complete lists."""
    first = {"sample": "1", "suggestions": [{"quote": "bridge"}, {"quote": "15 million pounds"}]}
    both = {"sample": "2", "suggestions": [{"quote": "bridge"}]}
    assert service.read(_file(tmp_path, first, both), maker="m").earlier == ()
    assert service.read(_file(tmp_path, first, both), maker="n").earlier == ()
    less = _file(tmp_path, {"sample": "1", "suggestions": [{"quote": "bridge"}]})
    assert service.read(less, maker="m").earlier == (EarlierSuggestions("d", "m", 1),)
    nothing = _file(
        tmp_path, {"sample": "1", "suggestions": []}, {"sample": "2", "sentence_scores": [0.1, 0.2]}
    )
    assert service.read(nothing, maker="m").earlier == (EarlierSuggestions("d", "m", 2),)
    assert len(list(service.list_suggestions(maker="m"))) == 3
    single = _file(tmp_path, {"sample": "2", "quote": "15 million pounds"})
    assert service.read(single, maker="m").earlier == ()


def test_sentences_have_scores(service: SuggestionService, tmp_path: Path) -> None:
    """One for each sentence, or for each part of the summary: the highest that touches it."""
    lines = (
        {"sample": "1", "sentence_scores": [0.25, 0.75]},
        {"sample": "2", "sentence_scores": [None, 0.5], "suggestions": [{"quote": "bridge"}]},
        {
            "sample": "3",
            "sentence_scores": [
                {"start": 0, "end": 5, "score": 0.1},
                {"quote": "bridge", "score": 0.9},
                {"start": 6, "end": 9, "score": None},
            ],
        },
    )
    path = _file(tmp_path, *lines)
    assert service.read(path, maker="m") == SuggestionCounts(1, 0, samples=3)
    found = _stored_scores(service, SENTENCES)
    assert {name: each.parts for name, each in found.items()} == {
        "1": (0.25, 0.75), "2": (None, 0.5), "3": (0.9, None)
    }  # fmt: skip
    assert [found[name].raw for name in "123"] == [0.75, 0.5, 0.9]
    # Scores alone do not state that nothing was found.
    assert find_ran(service.scores, "d", "m") == {TWO: 1}
    made = service.from_scores("d", SENTENCES, threshold=ScoreThreshold(above=0.6), label="Fine")
    assert made.added == 2
    scores = {each.suggestion.score for each, _ in service.list_suggestions(maker=f"m:{SENTENCES}")}
    assert scores == {0.75, 0.9}
    # The score is known for all sentences, so that the sample without a suggestion is clean.
    assert find_ran(service.scores, "d", f"m:{SENTENCES}") == {ONE: 1, TWO: 0, THREE: 1}


def test_an_ambiguous_quote_has_no_sentence_score(
    service: SuggestionService, annotating: AnnotationService, tmp_path: Path
) -> None:
    """The same fields as for suggestions select an occurrence of the quote."""
    summary = "It was red. It was blue."
    texts = (Document(Side.SOURCE, "A."), Document(Side.SUMMARY, summary))
    annotating.corpus.add([new(Sample("d", "was", texts))], segmenter=SEGMENTER)
    score = {"quote": "was", "score": 0.5}
    with pytest.raises(InvalidInput):
        service.read(_file(tmp_path, {"sample": "was", "sentence_scores": [score]}))
    for more in ({"occurrence": 2}, {"context": "It was blue"}, {"start": 15}):
        path = _file(tmp_path, {"sample": "was", "sentence_scores": [score | more]})
        service.read(path, maker=str(more))
        assert _stored_scores(service, SENTENCES)["was"].parts == (None, 0.5)


def test_a_known_suggestion_gets_the_new_score_of_its_maker(
    service: SuggestionService, annotating: AnnotationService, tmp_path: Path
) -> None:
    """The same span with another score is no new suggestion, but keeps no old score."""
    assert service.read(_file(tmp_path, GOOD | {"score": 0.5})) == SuggestionCounts(1, 0)
    path = _file(tmp_path, GOOD | {"score": 0.75})
    assert service.read(path) == SuggestionCounts(0, 1, updated=1)
    (only,) = annotating.store.suggested("ana", ONE)
    assert only.suggestion.score == 0.75
    assert service.read(path) == SuggestionCounts(0, 1)
    assert service.read(_file(tmp_path, GOOD)) == SuggestionCounts(0, 1)


def test_of_several_documents_one_is_named_or_has_the_quote(
    service: SuggestionService, annotating: AnnotationService, tmp_path: Path
) -> None:
    """By key or place; offsets say nothing without a document."""
    texts = (Document(Side.SOURCE, "First text.", key="a"), Document(Side.SOURCE, "Then.", key="b"))
    pair = Sample("d", "two", (*texts, Document(Side.SUMMARY, "What it says.")))
    annotating.corpus.add([new(pair)], segmenter=SEGMENTER)
    places = ["Then", {"quote": "T", "document": "b"}, {"start": 0, "end": 5, "document": 0}]
    assert service.read(_file(tmp_path, {"sample": "two", "evidence": places})) == SuggestionCounts(
        1, 0
    )
    (found,) = annotating.store.suggested("ana", pair.key)
    report = [(each.index, each.span) for each in found.suggestion.evidence]
    assert report == [(0, Span(0, 5)), (1, Span(0, 1)), (1, Span(0, 4))]
    wrong: list[Problem] = []
    odd = _file(tmp_path, {"sample": "two", "evidence": [{"start": 0, "end": 5}]})
    with pytest.raises(InvalidInput):
        service.read(odd, problem=wrong.append)
    assert (wrong[0].where[-2:], printed_numbers(wrong[0].message)) == (":1", [["2"]])


def test_a_broken_file_is_told_up_to_twenty_times(
    service: SuggestionService, tmp_path: Path
) -> None:
    """The rest is counted."""
    report: list[Problem] = []
    path = tmp_path / "x.jsonl"
    path.write_text("{x\n" * 30, "utf-8")
    with pytest.raises(InvalidInput, match="30"):
        service.read(path, problem=report.append)
    assert len(report) == 20


def test_a_prefix_of_an_id_is_no_sample(database: SqliteDatabase, tmp_path: Path) -> None:
    """People may be short; files are exact."""
    made = annotate(database)
    fill(made.corpus, "bridge")
    service = SuggestionService(
        made.corpus, SuggestionStore(database), ScoreStore(database), made.labels
    )
    report: list[Problem] = []
    with pytest.raises(InvalidInput):
        service.read(_file(tmp_path, GOOD | {"sample": "brid"}), problem=report.append)
    assert "d/bridge" in report[0].hint


# scores -------------------------------------------------------------------------------------------


def _scored(
    database: SqliteDatabase, *parts: tuple[SampleKey, tuple[float | None, ...]], low: bool = False
) -> ScoreRun:
    run = ScoreRun(
        id=str(uuid4()),
        kind=RunKind.SCORE,
        maker="unigram",
        dataset="d",
        low=frozenset({"q"} if low else ()),
    )
    scores = [Score(key=key, name="q", parts=mine, of="segments") for key, mine in parts]
    ScoreStore(database).write(run, [*scores, Score(key=THREE, name="q", raw=0.1)])
    return run


def test_segments_below_a_threshold_are_suggested(
    database: SqliteDatabase, service: SuggestionService, annotating: AnnotationService
) -> None:
    """Without white space around; unknown parts, and those of other segments, are passed over."""
    _scored(database, (ONE, (0.1, 0.9)), (TWO, (None, 0.1, 0.1)))
    threshold = ScoreThreshold(below=0.5)
    assert service.from_scores("d", "q", threshold=threshold, label="Fine") == SuggestionCounts(
        1, 0, samples=1
    )
    assert find_ran(service.scores, "d", "unigram:q") == {ONE: 1}
    (found,) = annotating.store.suggested("ana", ONE)
    half = f"{SUMMARY} 1"[: len(f"{SUMMARY} 1") // 2]
    assert found.suggestion.claim == (Anchor(Side.SUMMARY, 0, Span(0, len(half.rstrip()))),)
    assert (found.suggestion.maker, found.suggestion.labels) == ("unigram:q", (("Fine",),))
    assert found.suggestion.score == 0.9  # how sure the value .1 is that nothing supports it
    assert annotating.store.suggested("ana", TWO) == ()
    assert service.from_scores("d", "q", threshold=threshold, label="Fine") == SuggestionCounts(
        0, 1
    )
    assert service.from_scores(
        "d", "q", threshold=ScoreThreshold(below=0.05), label=""
    ) == SuggestionCounts(0, 0, samples=1, earlier=(EarlierSuggestions("d", "unigram:q", 1),))
    assert find_ran(service.scores, "d", "unigram:q") == {ONE: 0}


def test_a_score_of_which_low_is_good_asks_for_what_is_above(
    database: SqliteDatabase, service: SuggestionService
) -> None:
    """A threshold at the wrong end is refused, as are unknown scores and labels."""
    _scored(database, (ONE, (0.1, 0.9)), low=True)
    with pytest.raises(InvalidInput, match="'q'"):
        service.from_scores("d", "q", threshold=ScoreThreshold(below=0.5), label="")
    assert service.from_scores(
        "d", "q", threshold=ScoreThreshold(above=0.5), label=""
    ) == SuggestionCounts(1, 0, samples=1)
    _scored(database, (ONE, (0.1, 0.9)))
    with pytest.raises(InvalidInput, match="'q'"):
        service.from_scores("d", "q", threshold=ScoreThreshold(above=0.5), label="")
    with pytest.raises(NotFound, match="'x'"):
        service.from_scores("d", "x", threshold=ScoreThreshold(below=0.5), label="")
    with pytest.raises(InvalidInput, match="'Nope'"):
        service.from_scores("d", "q", threshold=ScoreThreshold(below=0.5), label="Nope")


@pytest.mark.parametrize("values", [(None, None), (0.1, 0.1), (float("nan"), None)])
def test_there_is_one_threshold(values: tuple[float | None, float | None]) -> None:
    """Neither none nor two, and a number."""
    with pytest.raises(InvalidInput) as caught:
        ScoreThreshold(*values)
    assert "--below" in caught.value.hint


# how they fare ------------------------------------------------------------------------------------


@pytest.fixture
def answered(database: SqliteDatabase, annotating: AnnotationService) -> dict[str, str]:
    """Three suggestions of two makers: what two people made of them; and their ids."""
    (one,) = suggest(database, ONE)
    two, three = suggest(database, TWO, THREE, maker="other", label="")
    ana, ben = (annotating.people.local(name).id for name in ("ana", "ben"))
    annotating.accept(ana, ONE, one.id, seconds=1)
    annotating.accept(ben, ONE, one.id, changed=claim("x", 0, 9), seconds=1)
    annotating.refuse(ana, TWO, two.id, reason="no", seconds=1)
    made = annotating.accept(ben, TWO, two.id, seconds=1).annotations[0]
    annotating.remove(ben, TWO, made.id, version=1, seconds=1)
    annotating.comment(ana, THREE, "so", seconds=1)
    return {"one": one.id, "two": two.id, "three": three.id}


def test_the_report_counts_people_and_what_they_said(
    service: SuggestionService, answered: dict[str, str]
) -> None:
    """As on paper: two of four answers took something that stands; ana left the last one open."""
    found: Any = service.report()
    assert len(answered) == found["offered"] == 3
    counts = ("seen", "open", "accepted", "changed", "refused", "removed")
    assert [found[name] for name in counts] == [5, 1, 1, 1, 1, 1]
    assert found["reasons"] == {"no": 1}
    assert found["rate"]["share"] == 0.5
    # All samples have one source, so that their answers form one cluster.
    assert (found["clusters"], found["rate"]["low"], found["rate"]["high"]) == (1, None, None)
    makers = {row["name"]: (row["offered"], row["rate"]["share"]) for row in found["by_maker"]}
    assert makers == {MAKER: (1, 1.0), "other": (2, 0.0)}
    labels = {row["name"]: row["seen"] for row in found["by_label"]}
    assert labels == {"(none)": 3, "Fine": 2}
    assert service.report(maker=MAKER)["offered"] == 1
    assert service.report(maker="none")["rate"] == {"share": None, "low": None, "high": None}


def test_who_finishes_without_an_answer_passes_over(
    service: SuggestionService, annotating: AnnotationService, answered: dict[str, str]
) -> None:
    """Not open any more; an answer afterwards counts as one."""
    ana = annotating.people.local("ana").id
    annotating.finish(ana, THREE, seconds=1)
    assert [service.report()[name] for name in ("seen", "open", "passed")] == [5, 0, 1]
    assert [row["passed"] for row in service.report()["by_maker"]] == [0, 1]
    annotating.refuse(ana, THREE, answered["three"], seconds=1)
    assert [service.report()[name] for name in ("seen", "open", "passed")] == [5, 0, 0]


def test_review_and_files_saw_no_suggestion(
    database: SqliteDatabase, service: SuggestionService, annotating: AnnotationService
) -> None:
    """Nor did who worked elsewhere, unless they answer others; it is not passed over."""
    suggest(database, ONE)
    sample = annotating.corpus.sample(ONE).sample
    for person in (
        Person(SETTLED, SETTLED, PersonKind.SETTLED),
        Person("x", "x", PersonKind.IMPORTED),
    ):
        work = Assignment(person.id, State.DONE)
        annotating.store.import_records([Record(sample, (), (work,), (person,))])
    assert service.report()["seen"] == 0
    (other,) = suggest(database, TWO)
    annotating.refuse("x", TWO, other.id, seconds=1)
    assert [service.report()[name] for name in ("seen", "passed", "refused")] == [2, 1, 1]


def test_what_is_hidden_is_not_seen(
    database: SqliteDatabase, service: SuggestionService, answered: dict[str, str]
) -> None:
    """But by those who answered it before."""
    assert answered
    BlindDatasets(database).hide("d")
    assert [service.report()[name] for name in ("seen", "open", "passed")] == [4, 0, 0]


def test_the_list_has_the_words_and_what_is_open(
    service: SuggestionService, answered: dict[str, str]
) -> None:
    """Open is what nobody's answer stands on."""
    found = {
        listed.suggestion.id: (words, listed.open) for listed, words in service.list_suggestions()
    }
    words = SUMMARY[16:33]
    assert found == {
        answered["one"]: (words, False),
        answered["two"]: (words, False),
        answered["three"]: (words, True),
    }
    waiting = [each for each, _ in service.list_suggestions(open=True)]
    assert [each.suggestion.id for each in waiting] == [answered["three"]]


def test_what_was_said_before_a_run_did_not_see_it(
    database: SqliteDatabase, service: SuggestionService, annotating: AnnotationService
) -> None:
    """Only who worked on the sample since had it before them."""
    ana = annotating.people.local("ana").id
    annotating.comment(ana, ONE, "so", seconds=1)
    suggest(database, ONE)
    assert service.report()["seen"] == 0
    annotating.comment(ana, ONE, "and so", seconds=1)
    assert service.report()["seen"] == 1
    assert replace(next(service.list_suggestions())[0], seen=0).open
