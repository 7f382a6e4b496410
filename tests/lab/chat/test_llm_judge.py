"""The chat client: what leaves, what comes back, what is kept, and that the key is told nowhere."""

from __future__ import annotations

import gzip
import json
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.plugins.chat_server import KEY, FakeChat, chatting, refusal
from tests.plugins.loopback import Reply
from tui_annotate.domain.errors import InvalidInput, RequestFailed, Unavailable
from tui_annotate.lab.chat.llm_judge import MAX_REPLY_BYTES, LlmJudge, reply_key
from tui_annotate.lab.chat.replies import ParsingJudge
from tui_annotate.lab.chat.reply_cache import LayeredReplies
from tui_annotate.plugins import registry
from tui_annotate.plugins.judges import Judge, JudgeOptions, ModelReply, Question, ReplyCache
from tui_annotate.plugins.retry import REPEAT_HINT, RESUME_HINT
from tui_annotate.storage.reply_file import ReplyFile

HELLO = Question(user="hello")
SENT = {
    "host", "connection", "content-type", "content-length",
    "accept", "accept-encoding", "user-agent",
}  # fmt: skip


@pytest.fixture(autouse=True)
def nobodys_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key but those that a test sets, and no proxy."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("TUI_ANNOTATE_API_KEY", raising=False)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def chat() -> Iterator[FakeChat]:
    """An endpoint on loopback."""
    with chatting() as there:
        yield there


def judge(chat: FakeChat, waits: list[float] | None = None, **options: Any) -> LlmJudge:
    """A judge that never waits; it keeps the seconds that it would."""
    given = JudgeOptions(model="m", base_url=chat.url, **options)
    return LlmJudge(given, wait=(waits if waits is not None else []).append)


def test_it_keeps_the_promise(chat: FakeChat) -> None:
    """By its name in the registry it is a Judge that knows where texts go."""
    made = registry.load_judge("llm:m", JudgeOptions(base_url=chat.url))
    assert isinstance(made, Judge)
    assert (made.name, made.model, made.host) == ("llm", "m", chat.url[7:-3])


def test_a_reply_is_asked_for_once(chat: FakeChat) -> None:
    """The second time it is known; another attempt, model or parameter is another question."""
    asked = judge(chat)
    assert not asked.cached(HELLO)
    assert asked.ask(HELLO) == ModelReply("1", cached=False)
    assert asked.cached(HELLO)
    assert asked.ask(HELLO) == ModelReply("1", cached=True)
    keys = {
        reply_key(model, question, address=address)
        for model in ("m", "n")
        for address in ("", "http://a/v1", "http://a/v2")
        for question in (
            HELLO,
            Question(user="hello", attempt=1),
            Question(user="hello", temperature=0.5),
            Question(user="hello", top_p=0.5),
            Question(user="hello", max_tokens=5),
            Question(user="hell", system="o"),
        )
    }
    assert len(keys) == 36
    assert len(chat.asked) == 1


def test_an_unreadable_reply_is_not_kept(chat: FakeChat) -> None:
    """A reply that the question does not accept is returned, but neither stored nor used again."""
    asked, picky = judge(chat), Question(user="hello", readable=lambda reply: reply == "2")
    assert asked.ask(picky) == ModelReply("1", cached=False)
    assert not asked.cached(HELLO)
    asked.ask(HELLO)
    assert (asked.cached(HELLO), asked.cached(picky)) == (True, False)
    chat.answer = lambda _: "2"
    assert asked.ask(picky) == ModelReply("2", cached=False)
    assert asked.ask(HELLO) == ModelReply("2", cached=True)


def test_a_repeated_question_is_not_paid_for_twice(chat: FakeChat) -> None:
    """The clear reply to a repetition is found again, although the first reply was not stored."""
    chat.answer = lambda prompt: "1" if "Only a digit!" in prompt else "perhaps"
    asked = judge(chat)
    for _ in range(2):
        parser = ParsingJudge(asked, reminder="Only a digit!")
        assert parser.ask_all([HELLO], lambda reply: reply if reply == "1" else None) == ["1"]
        assert parser.cached(HELLO, lambda reply: reply if reply == "1" else None)
    assert (len(chat.asked), parser.tally.cached, parser.tally.repeated) == (2, 1, 1)


def test_what_is_sent(chat: FakeChat) -> None:
    """Model, messages and parameters, and nothing else."""
    judge(chat).ask(Question(user="hello", system="be brief", temperature=0.2, max_tokens=9))
    assert chat.asked == [
        {
            "model": "m",
            "messages": [
                {"role": "system", "content": "be brief"},
                {"role": "user", "content": "hello"},
            ],
            "temperature": 0.2,
            "top_p": 1.0,
            "max_tokens": 9,
        }
    ]


def test_the_environment_adds_nothing(chat: FakeChat, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables that the library reads name no endpoint, no organisation and no header."""
    with chatting() as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.url)
        monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
        monkeypatch.setenv("OPENAI_PROJECT_ID", "project-secret")
        monkeypatch.setenv("OPENAI_ADMIN_KEY", "admin-secret")
        monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Spy: 1\nAuthorization: Bearer spy")
        monkeypatch.setenv("HTTP_PROXY", other.url)
        judge(chat).ask(HELLO)
        assert not other.headers
    (headers,) = chat.headers
    assert set(headers) == SENT
    assert headers["user-agent"].startswith("tui-annotate/")
    assert "secret" not in json.dumps(headers)


def test_the_key_is_sent_and_told_nowhere(
    chat: FakeChat,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It goes to the endpoint alone: not into logs at any level, errors, or what is kept."""
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("OPENAI_LOG", "debug")
    monkeypatch.setenv("TUI_ANNOTATE_API_KEY", KEY)
    kept: list[Any] = []

    class Kept:
        keeps = True

        def get(self, key: str, *, host: str = "") -> None:
            kept.append((key, host))

        def put(self, key: str, reply: str, *, about: Any) -> None:
            kept.append((key, reply, dict(about)))

    chat.script.extend([refusal(401, f"wrong key {KEY[:-4]}****")])
    asked = judge(chat, replies=Kept())
    with pytest.raises(Unavailable) as refused:
        asked.ask(HELLO)
    asked.ask(HELLO)
    assert {each["authorization"] for each in chat.headers} == {f"Bearer {KEY}"}
    report = [caplog.text, *capfd.readouterr(), str(refused.value), refused.value.hint, repr(kept)]
    assert not [each for each in report if KEY[:8] in each]
    assert kept[-1][2] == {
        "address": chat.url, "model": "m", "host": asked.host,
        "temperature": 0.0, "top_p": 1.0, "max_tokens": 1024, "attempt": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"model": ""}, "--model"),
        ({"base_url": ""}, "--base-url"),
        ({"base_url": "ftp://x/v1"}, "'ftp://x/v1'"),
        ({"base_url": "http://u:p@x/v1"}, "--base-url"),
        ({"concurrency": 0}, "0 "),
    ],
)
def test_what_can_not_be_asked(options: dict[str, Any], told: str) -> None:
    """Without a model or an address nobody is asked, whatever the environment says."""
    given = {"model": "m", "base_url": "http://localhost:1/v1"} | options
    with pytest.raises(InvalidInput) as refused:
        LlmJudge(JudgeOptions(**given))
    assert told in f"{refused.value.message} {refused.value.hint}"
    with pytest.raises(InvalidInput):
        LlmJudge()


def test_what_passes_is_waited_for(chat: FakeChat) -> None:
    """Too many requests and a tired server are asked again; the endpoint may say when."""
    waits: list[float] = []
    chat.script.extend([refusal(429, "slow down", retry_after="7"), refusal(503, "tired")])
    assert judge(chat, waits).ask(HELLO).text == "1"
    assert len(waits) == 2
    assert waits[0] == 7


def test_what_does_not_pass_ends(chat: FakeChat) -> None:
    """After some attempts the message says what the endpoint said."""
    waits: list[float] = []
    chat.script.extend([refusal(500, "broken \x1b[2J")] * 10)
    with pytest.raises(Unavailable) as report:
        judge(chat, waits).ask(HELLO)
    assert "\x1b" not in report.value.message
    assert len(waits) == 5


@pytest.mark.parametrize(
    "failed", [refusal(500, "broken"), refusal(402, "no money"), Reply(late=True)]
)
def test_only_a_run_with_a_cache_continues(chat: FakeChat, tmp_path: Path, failed: Reply) -> None:
    """The hint of an error promises it only if a cache keeps the replies."""
    kept = ReplyFile(tmp_path / "kept.jsonl")
    caches: dict[str, list[ReplyCache | None]] = {
        RESUME_HINT: [kept, LayeredReplies(user=kept), LayeredReplies([kept])],
        REPEAT_HINT: [None, LayeredReplies(), LayeredReplies(former=[kept])],
    }
    for hint, replies in ((hint, each) for hint, some in caches.items() for each in some):
        chat.script.append(failed)
        options = JudgeOptions(
            model="m", base_url=chat.url, replies=replies, max_retries=0, timeout=0.1
        )
        with pytest.raises(Unavailable) as report:
            LlmJudge(options).ask(HELLO)
        assert report.value.hint.endswith(hint)


def test_nobody_is_there(chat: FakeChat) -> None:
    """An address at which nobody listens is told after few attempts."""
    waits: list[float] = []
    with chatting() as gone:
        pass
    with pytest.raises(Unavailable):
        judge(gone, waits).ask(HELLO)
    assert len(waits) == 2
    assert not chat.headers


def test_a_broken_connection_passes(chat: FakeChat) -> None:
    """A reply that ends before it should is asked for again."""
    chat.script.append(Reply(body=b'{"choices"', promised=500))
    assert judge(chat).ask(HELLO).text == "1"


def test_a_silent_endpoint_is_left(chat: FakeChat, caplog: pytest.LogCaptureFixture) -> None:
    """After the time limit the request is repeated; the error names limit and option."""
    chat.script.append(Reply(late=True))
    assert judge(chat, timeout=0.05).ask(HELLO).text == "1"
    assert "0.05 s" in caplog.text
    chat.script.extend([Reply(late=True)] * 6)
    with pytest.raises(Unavailable, match=r"0\.05 s") as error:
        judge(chat, timeout=0.05).ask(HELLO)
    assert "--timeout" in error.value.hint


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan"), float("inf")])
def test_a_time_limit_is_a_number_of_seconds(chat: FakeChat, seconds: float) -> None:
    """A limit that is not above 0, or not finite, is refused."""
    with pytest.raises(InvalidInput):
        judge(chat, timeout=seconds)


def test_redirects_are_refused(chat: FakeChat) -> None:
    """Neither text nor key goes to an address that nobody named."""
    with chatting() as other:
        chat.script.append(Reply(307, headers={"Location": other.url + "/chat/completions"}))
        with pytest.raises(Unavailable):
            judge(chat).ask(HELLO)
        assert not other.headers


def test_a_flood_is_cut_off(chat: FakeChat) -> None:
    """Of a reply of 10 MB a part is read, and it is told; of a refusal too."""
    for status in (200, 500):
        flood = Reply(status, b"x" * 10_000_000)
        chat.script.extend([flood] * 6)
        with pytest.raises(Unavailable, match="1"):
            judge(chat).ask(HELLO)
        chat.script.clear()
    assert MAX_REPLY_BYTES == 1_048_576


def test_a_packed_reply_is_not_unpacked(chat: FakeChat) -> None:
    """What was not asked for can not become large here."""
    packed = gzip.compress(b" " * 50_000_000)
    chat.script.append(Reply(body=packed, headers={"Content-Encoding": "gzip"}))
    with pytest.raises(Unavailable):
        judge(chat).ask(HELLO)
    assert chat.headers[0]["accept-encoding"] == "identity"


def test_an_endless_reply_is_left(chat: FakeChat) -> None:
    """The time limit ends at the end of the reply, also if a little arrives all the time."""
    hours = map(float, count(0, 3_600))
    options = JudgeOptions(model="m", base_url=chat.url)
    asked = LlmJudge(options, wait=lambda _: None, clock=lambda: next(hours))
    with pytest.raises(Unavailable, match="300 s"):
        asked.ask(HELLO)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[" * 100_000,
        b"[]",
        b'{"choices": []}',
        b'{"choices": [1]}',
        b'{"choices": {"0": 1}}',
        b'{"choices": [{"message": []}]}',
        b'{"choices": [{"message": {}}]}',
        b'{"choices": [{"message": {"content": 1}}]}',
        b'{"choices": [{"message": {"content": ["1"]}}]}',
        b'{"error": {"message": "no"}}',
    ],
)
def test_a_wrong_shape_is_told(chat: FakeChat, body: bytes) -> None:
    """What is no reply of a chat model is an error that says so, and is not kept."""
    chat.script.append(Reply(body=body))
    asked = judge(chat)
    with pytest.raises(Unavailable):
        asked.ask(HELLO)
    assert not asked.cached(HELLO)


def test_silence_and_half_characters(chat: FakeChat) -> None:
    """No content is an empty reply; a lone surrogate becomes a sign that can be stored."""
    chat.script.append(Reply(body=b'{"choices": [{"message": {"content": null}}]}'))
    assert judge(chat).ask(HELLO).text == ""
    chat.script.append(Reply(body=b'{"choices": [{"message": {"content": "a\\ud800"}}]}'))
    assert judge(chat).ask(HELLO).text == "a?"


def test_a_parameter_that_is_not_taken_is_left_out(chat: FakeChat) -> None:
    """A model that wants the limit by its other name, and no temperature, is asked its way."""
    chat.script.extend(
        [
            refusal(400, "Unsupported parameter: 'max_tokens', use 'max_completion_tokens'"),
            refusal(400, "Unsupported value: 'temperature' must be 1"),
        ]
    )
    asked = judge(chat)
    assert asked.ask(HELLO).text == "1"
    asked.ask(Question(user="again"))
    for body in chat.asked:
        assert "temperature" not in body
        assert "max_tokens" not in body
        assert body["max_completion_tokens"] == 1024


def test_a_question_that_is_not_taken(chat: FakeChat) -> None:
    """It is told by itself; the others are asked all the same."""
    chat.script.append(refusal(400, "too long"))
    asked = judge(chat, concurrency=1)
    outcomes = dict(asked.ask_all([HELLO, Question(user="other")]))
    assert {type(each) for each in outcomes.values()} == {InvalidInput, ModelReply}


@pytest.mark.parametrize("said", ["", None, "The first half of an"])
def test_a_reply_that_a_content_filter_stopped_is_a_refusal(
    chat: FakeChat, said: str | None
) -> None:
    """The question is not repeated, and no part of the reply is used or cached."""

    def filtered(reply: dict[str, Any]) -> dict[str, Any]:
        choice = reply["choices"][0]
        choice["message"]["content"] = said
        choice["finish_reason"] = "content_filter"
        return reply

    chat.twist = filtered
    asking = judge(chat)
    with pytest.raises(InvalidInput, match="content filter"):
        asking.ask(Question(user="Which?"))
    assert len(chat.asked) == 1
    assert not asking.cached(Question(user="Which?"))


def test_several_at_a_time_but_not_more(chat: FakeChat) -> None:
    """Requests run side by side up to the bound, and each outcome says whose it is."""
    gate = threading.Barrier(3, timeout=20)

    def answer(prompt: str) -> str:
        gate.wait()
        return prompt

    chat.answer = answer
    asked = judge(chat, concurrency=3)
    outcomes = dict(asked.ask_all([Question(user=str(number)) for number in range(6)]))
    assert outcomes == {number: ModelReply(str(number), cached=False) for number in range(6)}
    assert chat.busiest == 3


def test_the_same_at_the_same_time_is_asked_once(chat: FakeChat) -> None:
    """Who asks what is being asked waits for that reply; a failure keeps nobody waiting."""
    asked = judge(chat, concurrency=4)
    outcomes = dict(asked.ask_all([HELLO] * 8))
    assert len(chat.asked) == 1
    assert sum(not each.cached for each in outcomes.values() if isinstance(each, ModelReply)) == 1
    chat.script.append(refusal(404, "gone"))
    other = Question(user="other")
    outcomes = dict(asked.ask_all([other] * 2))
    assert Unavailable in {type(each) for each in outcomes.values()}
    assert len(outcomes) == 2
    assert asked.ask(other).text == "1"


def test_who_stops_listening_stops_the_asking(chat: FakeChat) -> None:
    """Questions that wait are not asked."""
    asked = judge(chat, concurrency=1)
    outcomes = asked.ask_all([Question(user=str(number)) for number in range(50)])
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]
    assert len(chat.asked) < 50


def test_no_question_is_no_outcome(chat: FakeChat) -> None:
    """Nothing asked, nothing heard."""
    assert list(judge(chat).ask_all([])) == []


def test_a_reply_of_an_earlier_version_is_used(chat: FakeChat, tmp_path: Path) -> None:
    """A key without the address counts for the host that sent the reply, and for no other."""
    known = ReplyFile(tmp_path / "kept.jsonl")
    known.put(reply_key("m", HELLO), "old", about={"host": chat.url[7:-3]})
    known.put(reply_key("m", Question(user="b")), "old", about={"host": "elsewhere:80"})
    known.put(reply_key("m", Question(user="c")), "old", about={})
    asked = judge(chat, replies=ReplyFile(tmp_path / "kept.jsonl"))
    assert asked.ask(HELLO) == ModelReply("old", cached=True)
    assert asked.ask(Question(user="b")) == ModelReply("1", cached=False)
    assert asked.ask(Question(user="c")) == ModelReply("1", cached=False)


def test_a_final_error_ends_all_requests(chat: FakeChat) -> None:
    """Requests that wait are woken and fail; those that were not sent yet are not sent."""
    chat.script.extend([refusal(500, "broken")] * 1000)
    options = JudgeOptions(model="m", base_url=chat.url, concurrency=4, max_retries=1)
    asked = LlmJudge(options)
    asked._retry.backoff = lambda attempt: 0.01 if attempt == 1 else 60.0
    outcomes = dict(asked.ask_all([Question(user=str(number)) for number in range(40)]))
    assert all(isinstance(each, Unavailable) for each in outcomes.values())
    sent = 1000 - len(chat.script)
    assert sent <= 4 * 2 + 10
    with pytest.raises(Unavailable):
        asked.ask(Question(user="later"))
    assert 1000 - len(chat.script) == sent + 1


def test_a_question_that_always_fails_fails_alone(chat: FakeChat) -> None:
    """Each order: the other questions are answered, also those that fail once at the same time."""
    questions = [Question(user=each) for each in ("bad", "b", "c", "bad 2", "e")]
    for order in (questions, questions[::-1]):
        for at_once in (1, 4):
            chat.failing = "bad"
            asked = judge(chat, concurrency=at_once, max_retries=2)
            outcomes = dict(asked.ask_all(order))
            failed = {order[at].user for at, one in outcomes.items() if type(one) is RequestFailed}
            answered = {order[at].user for at, one in outcomes.items() if type(one) is ModelReply}
            assert (failed, answered) == ({"bad", "bad 2"}, {"b", "c", "e"})


@pytest.mark.parametrize("strange", ["", " \n", "a\0b", "\x1b[31m", "a\ud800b", "a" * 1_000_000])
def test_a_strange_prompt_costs_no_other_its_reply(chat: FakeChat, strange: str) -> None:
    """It is sent with a replaced character where it has no encoding."""
    questions = [Question(user=each) for each in ("one", strange, "two")]
    outcomes = dict(judge(chat).ask_all(questions))
    assert [type(outcomes[at]) for at in range(3)] == [ModelReply] * 3


def test_an_endpoint_that_stops_is_left(chat: FakeChat) -> None:
    """After ten failures in a row no further question is sent, and the error is of the endpoint."""
    asked = judge(chat, concurrency=1, max_retries=0)
    assert asked.ask(HELLO).text == "1"
    chat.script.extend([refusal(500, "broken")] * 100)
    outcomes = dict(asked.ask_all([Question(user=str(number)) for number in range(40)]))
    assert 100 - len(chat.script) == 10
    assert [type(outcomes[at]) for at in (0, 8, 9, 39)] == [
        RequestFailed,
        RequestFailed,
        Unavailable,
        Unavailable,
    ]


def test_requests_that_wait_for_others_are_not_sent(chat: FakeChat) -> None:
    """Several callers share the slots; after a final error of one, those that wait fail, too."""
    chat.script.extend([refusal(401, "no key")] * 100)
    asked = judge(chat, concurrency=1)
    questions = [[Question(user=f"{row} {at}") for at in range(4)] for row in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda row: dict(asked.ask_all(row)), questions))
    outcomes = [outcome for row in found for outcome in row.values()]
    assert {type(each) for each in outcomes} == {Unavailable}
    assert 100 - len(chat.script) < len(outcomes) / 2


def test_a_success_restores_the_attempts(chat: FakeChat) -> None:
    """After a final error requests are tried once, until one succeeds."""
    waits: list[float] = []
    asked = judge(chat, waits, max_retries=2)
    chat.script.extend([refusal(500, "broken")] * 3)
    with pytest.raises(Unavailable):
        asked.ask(HELLO)
    assert len(waits) == 2
    assert asked.ask(HELLO).text == "1"
    chat.script.append(refusal(500, "broken"))
    assert asked.ask(Question(user="other")).text == "1"
    assert len(waits) == 3


def test_retries_are_limited(chat: FakeChat) -> None:
    """No repetition with 0; a negative number is refused."""
    chat.script.append(refusal(503, "tired"))
    with pytest.raises(Unavailable):
        judge(chat, max_retries=0).ask(HELLO)
    with pytest.raises(InvalidInput, match="-1"):
        judge(chat, max_retries=-1)
