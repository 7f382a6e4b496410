"""Remote vectors: each text once, within what the endpoint takes, and only true answers kept."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plugins.embedders.endpoint_server import FakeEndpoint, refusal, serving, vector
from tests.plugins.loopback import Reply
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.plugins import registry
from tui_annotate.plugins.embedders import remote
from tui_annotate.plugins.embedders.remote import RemoteEmbedder, parse_embeddings
from tui_annotate.plugins.protocols import CostlyEmbedder, Embedder, EmbedderOptions, EmbeddingCost


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEndpoint]:
    """An endpoint, and nobody's key in the environment."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving() as fake:
        yield fake


def embedder(endpoint: FakeEndpoint, *, dimensions: int = 0, **how: Any) -> RemoteEmbedder:
    """One that asks the endpoint and never waits."""
    options = EmbedderOptions(model="m:latest", base_url=endpoint.url, dimensions=dimensions)
    return RemoteEmbedder(options, **{"wait": lambda _: None, **how})


def unit(text: str, size: int = 8) -> Any:
    """The endpoint's vector of a text, at unit length."""
    row = vector(text, size).astype(np.float64)
    return row / np.linalg.norm(row)


def texts(number: int, first: int = 0) -> list[str]:
    """Different sentences."""
    return [f"Sentence number {at} of them." for at in range(first, first + number)]


def test_it_keeps_the_promise_of_an_embedder(endpoint: FakeEndpoint) -> None:
    """It is found by its name with a model behind it, which may hold a colon; not for keys."""
    made = registry.load_embedder("remote:m:latest", base_url=endpoint.url, dimensions=8)
    assert isinstance(made, Embedder)
    assert isinstance(made, CostlyEmbedder)
    assert (made.name, made.label, made.dimensions, made.instant) == (
        "remote",
        "m:latest",
        8,
        False,
    )
    assert endpoint.questions == []


def test_rows_are_those_of_the_endpoint_at_unit_length(endpoint: FakeEndpoint) -> None:
    """In the order of the texts; the same text is sent once; white space is not sent at all."""
    asked = ["one", "two", "", "one", " \n", "three"]
    rows = embedder(endpoint).embed(asked)
    wanted = [unit(text) if text.strip() else np.zeros(8) for text in asked]
    assert np.allclose(rows, wanted, atol=1e-6)
    assert rows.dtype == np.float32
    assert sorted(endpoint.texts) == ["one", "three", "two"]


def test_dimensions_are_known_with_the_first_answer(endpoint: FakeEndpoint) -> None:
    """Or when they were asked for; texts of white space alone ask for them, no texts do not."""
    fresh = embedder(endpoint)
    assert fresh.embed([]).shape == (0, 0)
    assert (fresh.dimensions, endpoint.questions) == (0, [])
    assert fresh.embed([" "]).shape == (1, 8)
    assert (fresh.dimensions, len(endpoint.questions)) == (8, 1)
    asked = embedder(endpoint, dimensions=4)
    assert asked.dimensions == 4
    assert asked.embed([" "]).shape == (1, 4)
    assert len(endpoint.questions) == 1
    assert asked.embed(["one"]).shape == (1, 4)
    assert endpoint.questions[-1]["dimensions"] == 4


@given(st.permutations(range(5)))
def test_the_index_says_which_text_an_answer_is_of(order: list[int]) -> None:
    """Not the place in the list."""
    data = [{"index": at, "embedding": [float(at), 1.0]} for at in order]
    assert parse_embeddings({"data": data}, count=5, dimensions=2)[:, 0].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("most", [1, 3, 32, 500])
def test_requests_stay_within_what_the_endpoint_takes(endpoint: FakeEndpoint, most: int) -> None:
    """A limit that nobody told is found in a few steps, and kept."""
    endpoint.most_texts = most
    rows = embedder(endpoint).embed(texts(200))
    assert np.allclose(rows, [unit(text) for text in texts(200)], atol=1e-6)
    assert Counter(endpoint.texts) == Counter(texts(200))
    assert len(endpoint.questions) - len(endpoint.answered) <= 6


def test_an_endpoint_that_knows_no_base64_is_asked_for_numbers(endpoint: FakeEndpoint) -> None:
    """And one that knows no such choice is given none; both are remembered."""
    for formats in (frozenset({"float"}), frozenset[str]()):
        endpoint.formats = formats
        endpoint.questions.clear()
        made = embedder(endpoint)
        assert np.allclose(made.embed(["one"]), [unit("one")], atol=1e-6)
        made.embed(["two"])
        asked = [question.get("encoding_format") for question in endpoint.questions]
        assert asked == ["base64", "float", "float"] if formats else ["base64", "float", None, None]


def test_a_text_that_is_too_long_is_cut_until_it_fits(endpoint: FakeEndpoint) -> None:
    """Its vector is the mean of its parts, by their lengths; the others are as they are."""
    endpoint.most_signs = 300
    long = " ".join(texts(25))
    rows = embedder(endpoint).embed(["one", long, "two"])
    assert np.allclose(rows[[0, 2]], [unit("one"), unit("two")], atol=1e-6)
    parts = [text for text in endpoint.texts if text not in {"one", "two"}]
    assert "".join(parts) == long
    assert max(map(len, parts)) <= 300
    assert np.linalg.norm(rows[1]) == pytest.approx(1, abs=1e-6)
    first = embedder(endpoint).embed([parts[0]])
    assert float(first[0] @ rows[1]) > 0


def test_a_text_in_two_parts_is_their_weighted_mean(endpoint: FakeEndpoint) -> None:
    """The longer part counts for more."""
    endpoint.most_signs = 210
    long = "a" * 130 + " " + "b" * 170
    (row,) = embedder(endpoint).embed([long])
    head, tail = endpoint.texts
    mean = len(head) * unit(head) + len(tail) * unit(tail)
    assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def test_of_a_very_long_text_the_start_counts(endpoint: FakeEndpoint) -> None:
    """20,000 code points, sent in parts of at most 6,000."""
    long = "".join(texts(2_000))
    embedder(endpoint).embed([long])
    assert "".join(endpoint.texts) == long[:20_000]
    assert max(map(len, endpoint.texts)) <= 6_000


def test_one_text_that_is_not_taken_costs_no_other_its_vector(
    endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """It gets zeros and is named with the reason, the log has no text, and requests grow again."""
    endpoint.poison = "poison"
    made = embedder(endpoint)
    asked = [*texts(100), "poison", *texts(400, first=100)]
    rows = made.embed(asked)
    assert [text for text, row in zip(asked, rows, strict=True) if not row.any()] == ["poison"]
    assert [*made.failed] == ["poison"]
    assert "invalid input (400)" in made.failed["poison"]
    assert "poison" not in caplog.text
    endpoint.answered.clear()
    made.embed(texts(512, first=1000))
    assert max(len(question["input"]) for question in endpoint.answered) >= 256


def test_an_endpoint_that_takes_no_text_is_an_error(endpoint: FakeEndpoint) -> None:
    """At its first refusal of a single text; later, when one follows another."""
    refused = Reply(400, {"error": {"message": "no model m"}})
    endpoint.script.extend([refused] * 6)
    with pytest.raises(Unavailable, match="400"):
        embedder(endpoint).embed(texts(16))
    assert not endpoint.script  # down to a single text, and then a harmless one
    made = embedder(endpoint)
    made.embed(["one"])
    endpoint.script.extend([refused] * 100)
    with pytest.raises(Unavailable):
        made.embed(texts(16))
    assert len(endpoint.script) > 80


def fail_some(
    endpoint: FakeEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    fails: Callable[[list[str]], bool],
    fault: Reply,
) -> list[list[str]]:
    """Let the endpoint fail for some requests; return the list that gets the texts of each."""
    answer = endpoint.reply
    asked: list[list[str]] = []

    def reply(path: str, question: dict[str, Any]) -> Reply:
        asked.append(question["input"])
        return fault if fails(question["input"]) else answer(path, question)

    monkeypatch.setattr(endpoint, "reply", reply)
    return asked


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize("size", [3, 200])
def test_an_endpoint_that_embeds_only_a_harmless_text_is_an_error(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, status: int, size: int
) -> None:
    """After some texts that fail, not after all; also if each call has few texts."""

    def is_long(request: list[str]) -> bool:
        return any(len(text) > 12 for text in request)

    asked = fail_some(endpoint, monkeypatch, is_long, refusal(status, "boom"))
    made = embedder(endpoint)

    def embed_all() -> None:
        for first in range(0, 600, size):
            made.embed(texts(size, first))

    with pytest.raises(Unavailable, match="8 texts in a row") as stopped:
        embed_all()
    assert len(asked) <= 60
    assert stopped.value.message.count(made.host) <= 1


@pytest.mark.parametrize("status", [400, 500])
def test_rejected_texts_in_a_row_cost_no_other_text_its_vector(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """A whole document may be against the rules of a model."""
    bad = texts(40)
    fail_some(
        endpoint, monkeypatch, lambda request: bool({*bad} & {*request}), refusal(status, "rules")
    )
    good = texts(100, first=100)
    made = embedder(endpoint)
    rows = made.embed([*bad, *good])
    assert [*made.failed] == bad
    assert np.allclose(rows, [*np.zeros((40, 8)), *map(unit, good)], atol=1e-6)


@pytest.mark.parametrize("status", [400, 500])
def test_texts_that_fail_at_the_end_are_no_error(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    """If another text has got a vector, in the same call or before, which it gets again."""
    bad, good = texts(40), texts(20, first=100)
    fail_some(
        endpoint, monkeypatch, lambda request: bool({*bad} & {*request}), refusal(status, "rules")
    )
    made = embedder(endpoint)
    rows = made.embed([*good, *bad])
    assert np.allclose(rows[:20], [*map(unit, good)], atol=1e-6)
    assert not made.embed(bad).any()
    assert [*made.failed] == bad


def test_requests_are_large_again_after_a_rate_limit(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says nothing about the size of a request."""
    limits = iter([True] * 14)
    asked = fail_some(
        endpoint,
        monkeypatch,
        lambda request: next(limits, False) and len(request) > 1,
        refusal(429, "rate limit"),
    )
    made = embedder(endpoint)
    rows = made.embed(texts(300))
    assert np.allclose(rows, [unit(text) for text in texts(300)], atol=1e-6)
    assert made.failed == {}
    assert max(map(len, asked)) >= 128
    assert len(asked) <= 30


def test_a_limit_of_texts_is_kept(endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refusal that names it is about each request."""
    asked = fail_some(
        endpoint, monkeypatch, lambda request: len(request) > 8, refusal(400, "too many inputs")
    )
    embedder(endpoint).embed(texts(400))
    assert sum(len(request) > 8 for request in asked) == 1
    assert len(asked) == 51


def test_a_slow_endpoint_gets_fewer_texts_at_a_time(endpoint: FakeEndpoint) -> None:
    """A brisk one gets more and more, up to a bound."""
    minutes, seconds = count(0, 60), count(0, 1)
    embedder(endpoint, clock=lambda: float(next(minutes))).embed(texts(64))
    sizes = [len(question["input"]) for question in endpoint.answered]
    assert sizes[:5] == [16, 8, 4, 2, 1]
    assert set(sizes[5:]) == {1}
    endpoint.answered.clear()
    embedder(endpoint, clock=lambda: next(seconds) / 10).embed(texts(2_000))
    sizes = [len(question["input"]) for question in endpoint.answered]
    assert sizes == [16, 32, 64, 128, 256, 512, 512, 480]


def test_requests_hold_no_more_signs_than_is_usual(endpoint: FakeEndpoint) -> None:
    """Long texts travel in smaller company."""
    embedder(endpoint).embed([f"{at} {'word ' * 1_000}" for at in range(60)])
    assert max(sum(map(len, asked["input"])) for asked in endpoint.answered) <= 100_000


def changed(**values: Any) -> Any:
    """What changes the first embedding of an answer."""

    def twist(answer: dict[str, Any]) -> Any:
        answer["data"][0].update(values)
        return answer

    return twist


WRONG: dict[str, Any] = {
    "no object": lambda _: [1, 2],
    "no data": lambda _: {"object": "list"},
    "data of no objects": lambda _: {"data": ["a", "b"]},
    "too few": lambda answer: {"data": answer["data"][1:]},
    "too many": lambda answer: {"data": answer["data"] * 2},
    "an index twice": changed(index=1),
    "an index beyond": changed(index=2),
    "an index below": changed(index=-1),
    "a truth for an index": changed(index=False),
}
"""Replies that are of no use as a whole, to any request."""
WRONG_VECTORS: dict[str, Any] = {
    "no vector": changed(embedding=None),
    "a short vector": changed(embedding=[0.5]),
    "an empty vector": changed(embedding=[]),
    "texts for numbers": changed(embedding=["1"] * 8),
    "truths for numbers": changed(embedding=[True] * 8),
    "nested": changed(embedding=[[1.0]] * 8),
    "not finite": changed(embedding=[float("nan")] * 8),
    "beyond all numbers": changed(embedding=[10**400] * 8),
    "no base64": changed(embedding="..."),
    "half a number": changed(embedding="AAA="),
    "infinite numbers in base64": changed(embedding="AACAfwAAgH8AAIB/AACAfwAAgH8AAIB/AACAfwAAgH8="),
}


@pytest.mark.parametrize("twist", WRONG.values(), ids=WRONG)
def test_an_answer_that_is_none_is_refused(endpoint: FakeEndpoint, twist: Any) -> None:
    """Whatever its shape; what is asked next is answered as ever."""
    made = embedder(endpoint)
    made.embed(["first"])
    endpoint.twist = twist
    with pytest.raises(Unavailable):
        made.embed(["one", "two"])
    endpoint.twist = lambda answer: answer
    assert np.allclose(made.embed(["one"]), [unit("one")], atol=1e-6)


@pytest.mark.parametrize("twist", WRONG_VECTORS.values(), ids=WRONG_VECTORS)
def test_a_wrong_vector_costs_no_other_text_its_own(endpoint: FakeEndpoint, twist: Any) -> None:
    """In one reply; its text is named with the reason, and gets a row of zeros."""
    made = embedder(endpoint)
    made.embed(["first"])
    endpoint.twist = twist
    rows = made.embed(["one", "two", "three"])
    assert np.allclose(rows, [np.zeros(8), unit("two"), unit("three")], atol=1e-6)
    assert [*made.failed] == ["one"]
    assert "an embedding" in made.failed["one"]
    endpoint.twist = lambda answer: answer
    assert np.allclose(made.embed(["one"]), [unit("one")], atol=1e-6)
    assert made.failed == {}


def test_vectors_of_which_most_have_one_size_set_the_dimensions(endpoint: FakeEndpoint) -> None:
    """Also if the first one has another; of two sizes that are as frequent, neither is taken."""
    endpoint.twist = changed(embedding=[0.5])
    made = embedder(endpoint)
    rows = made.embed(["one", "two", "three"])
    assert (made.dimensions, [*made.failed]) == (8, ["one"])
    assert np.allclose(rows[1:], [unit("two"), unit("three")], atol=1e-6)


FAULTS: dict[str, Any] = {
    "status 400": refusal(400, "invalid input"),
    "status 422": refusal(422, "invalid input"),
    "status 500": refusal(500, "a bug of the endpoint"),
    "no JSON": Reply(200, "<html>"),
    "an empty list": Reply(200, {"data": []}),
    "an empty vector": Reply(200, {"data": [{"index": 0, "embedding": []}]}),
    "a vector of another size": Reply(200, {"data": [{"index": 0, "embedding": [1.0, 2.0]}]}),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("poisoned", [{0}, {7}, {39}, {0, 1, 2, 3, 4}, {3, 20, 21}])
def test_texts_that_always_fail_fail_alone(
    endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch, fault: Reply, poisoned: set[int]
) -> None:
    """Wherever they are, also as the very first ones; all others get their vectors."""
    asked = texts(40)
    bad = {asked[at] for at in poisoned}
    answer = endpoint.reply

    def fails(path: str, question: dict[str, Any]) -> Reply:
        return fault if bad & set(question["input"]) else answer(path, question)

    monkeypatch.setattr(endpoint, "reply", fails)
    made = embedder(endpoint)
    rows = made.embed(asked)
    assert set(made.failed) == bad
    assert all(made.failed.values())
    wanted = [np.zeros(8) if text in bad else unit(text) for text in asked]
    assert np.allclose(rows, wanted, atol=1e-6)


def test_a_long_text_fails_as_a_whole(endpoint: FakeEndpoint) -> None:
    """The mean of its other pieces would be the vector of another text."""
    endpoint.most_signs = 300
    long = " ".join(texts(25))
    embedder(endpoint).embed([long])
    endpoint.poison = endpoint.texts[-1]
    made = embedder(endpoint)
    rows = made.embed(["one", long, "two"])
    assert [*made.failed] == [long]
    assert np.allclose(rows, [unit("one"), np.zeros(8), unit("two")], atol=1e-6)


STRANGE = {
    "nothing": "",
    "white space": " \n\t\u3000",
    "a null character": "a\0b",
    "control characters": "\x01\x1b[31m\x7f\u202e",
    "a lone surrogate": "a\ud800b",
    "a million characters": "word " * 200_000,
    "one word of a million": "a" * 1_000_000,
    "an emoji": "\U0001f600",
}


@pytest.mark.parametrize("strange", STRANGE.values(), ids=STRANGE)
def test_strange_texts_cost_no_other_text_its_vector(endpoint: FakeEndpoint, strange: str) -> None:
    """They get a vector themselves, or zeros."""
    made = embedder(endpoint)
    rows = made.embed(["one", strange, "two"])
    assert np.allclose(rows[[0, 2]], [unit("one"), unit("two")], atol=1e-6)
    assert np.isfinite(rows).all()
    assert made.failed == {}
    alone = embedder(endpoint).embed([strange])
    assert alone.shape == (1, 8)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.sampled_from(["data", "index", "embedding"]), inner)
    ),
    max_leaves=20,
)


@given(json_values, st.integers(1, 3), st.integers(0, 3))
def test_no_answer_breaks_us(value: Any, count: int, dimensions: int) -> None:
    """It is rows of finite numbers, one a text, or an error of ours."""
    try:
        rows = parse_embeddings(value, count=count, dimensions=dimensions)
    except Unavailable:
        return
    assert len(rows) == count
    assert np.isfinite(rows).all()


def test_other_dimensions_than_asked_for_are_refused(endpoint: FakeEndpoint) -> None:
    """Some endpoints pass the question over."""
    endpoint.twist = lambda answer: {
        "data": [{**each, "embedding": [1.0] * 8} for each in answer["data"]]
    }
    with pytest.raises(Unavailable, match=r"8.*4"):
        embedder(endpoint, dimensions=4).embed(["one"])


def test_zeros_stay_zeros_and_great_numbers_get_unit_length(endpoint: FakeEndpoint) -> None:
    """No row is made of nothing, and none overflows."""
    endpoint.twist = lambda _: {
        "data": [
            {"index": 0, "embedding": [0.0] * 8},
            {"index": 1, "embedding": [1e308] * 8},
            {"index": 2, "embedding": [1e-300] * 8},
        ]
    }
    rows = embedder(endpoint).embed(["none", "great", "small"])
    assert np.allclose(np.linalg.norm(rows, axis=1), [0, 1, 1], atol=1e-6)


def test_what_it_costs_is_told_without_asking(endpoint: FakeEndpoint) -> None:
    """Calls at best, signs as they are sent, tokens as a guess; a text that comes twice once."""
    made = embedder(endpoint)
    asked = [*texts(1_100), *texts(30), " ", "汉字汉字"]
    cost = made.cost(asked)
    assert endpoint.questions == []
    made.embed(asked)
    signs = sum(map(len, endpoint.texts))
    assert cost == EmbeddingCost(3, signs, -(-(signs - 4) // 4) + 4)
    assert made.cost([]) == EmbeddingCost()
    assert made.cost(["word " * 1_000] * 2 + [f"{at} " * 1_000 for at in range(60)]).calls == 2


@pytest.mark.parametrize(
    "options",
    [
        EmbedderOptions(base_url="http://localhost/v1"),
        EmbedderOptions(model="m"),
        EmbedderOptions(model="m", base_url="localhost:80"),
        EmbedderOptions(model="m", base_url="ftp://localhost/v1"),
        EmbedderOptions(model="m", base_url="http://"),
        EmbedderOptions(model="m", base_url="http://[::1"),
        EmbedderOptions(model="m", base_url="http://me:secret@localhost/v1"),
        EmbedderOptions(model="m", base_url="http://localhost/v1?key=secret"),
        EmbedderOptions(model="m", base_url="http://localhost/v1", dimensions=-1),
        EmbedderOptions(model="m", base_url="http://localhost/v1", dimensions=20_000),
    ],
)
def test_what_can_not_be_meant_is_refused_at_once(options: EmbedderOptions) -> None:
    """Without a request; no secret of an address is told."""
    with pytest.raises(InvalidInput) as refused:
        RemoteEmbedder(options)
    assert "secret" not in f"{refused.value.message}{refused.value.hint}"


def test_the_version_is_of_model_and_dimensions() -> None:
    """An endpoint may move to another address."""
    made = [
        RemoteEmbedder(EmbedderOptions(model=model, base_url=url, dimensions=size)).version
        for model, url, size in (
            ("m", "http://localhost/v1", 0),
            ("n", "http://localhost/v1", 0),
            ("m", "http://localhost/v1", 8),
            ("m", "http://localhost/v2", 0),
        )
    ]
    assert len(set(made)) == 3
    assert made[0] == made[3]


@given(st.text(alphabet="ab \n", max_size=40), st.integers(1, 12))
def test_a_text_in_pieces_loses_nothing_but_white_space(text: str, whole: int) -> None:
    """Whatever is white space and where, and no piece is longer than asked."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(remote, "_LONGEST_PIECE", whole)
        pieces = remote._split_long(text)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert max(map(len, pieces), default=0) <= whole


def test_questions_are_those_of_the_standard(endpoint: FakeEndpoint) -> None:
    """Model, input, the form of the answer, and dimensions only where they were asked for."""
    embedder(endpoint).embed(["one"])
    (question,) = endpoint.questions
    assert question == {"model": "m:latest", "input": ["one"], "encoding_format": "base64"}
    assert endpoint.headers[0]["content-type"] == "application/json"
    assert "authorization" not in endpoint.headers[0]


def test_nothing_of_a_text_is_logged(
    endpoint: FakeEndpoint, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever the level."""
    for name in ("", "httpx2", "httpcore2"):  # which the table of sync keeps quiet
        caplog.set_level(logging.DEBUG, name or None)
    embedder(endpoint).embed(["a confidential sentence"])
    assert caplog.records
    assert "confidential" not in caplog.text
    assert "confidential" in json.dumps(endpoint.questions)
