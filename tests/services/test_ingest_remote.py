"""Ingest with an endpoint: remembered, resumed, priced beforehand; the texts are safe."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.errors import has_code
from tests.helpers.printed_numbers import printed_numbers
from tests.plugins.embedders.endpoint_server import KEY, FakeEndpoint, refusal, serving, vector
from tests.services.ingest_stores import Stores, used, write_pairs
from tui_annotate.domain.endpoint_trust import EndpointTrust
from tui_annotate.domain.errors import InvalidInput, Unavailable
from tui_annotate.domain.records import RecordFilter
from tui_annotate.domain.samples import Side
from tui_annotate.plugins.embedders.remote import RemoteEmbedder
from tui_annotate.plugins.protocols import Embedder, EmbedderOptions, ImportOptions
from tui_annotate.services.ingest import IngestFiles, VectorOptions, embed_job


@pytest.fixture
def stores(tmp_path: Path) -> Stores:
    """Empty stores, where remote embedders never wait."""
    return patient(Stores(tmp_path))


def patient(stores: Stores) -> Stores:
    """The stores, with embedders that make no pause between requests."""
    object.__setattr__(stores.ingest, "load", partial(load, stores))
    return stores


def load(
    stores: Stores,
    asked: str,
    *,
    base_url: str = "",
    dimensions: int = 0,
    timeout: float | None = None,
    max_retries: int | None = None,
    trust: EndpointTrust | None = None,
) -> Embedder:
    """A remote embedder that waits for nobody; else one of the stores' own."""
    name, _, model = asked.partition(":")
    if name != "remote":
        return stores._load(asked)
    options = EmbedderOptions(
        model=model,
        base_url=base_url,
        dimensions=dimensions,
        timeout=timeout,
        max_retries=max_retries,
        trust=trust,
    )
    return RemoteEmbedder(options, wait=lambda _: None)


def trusting(*endpoints: FakeEndpoint) -> VectorOptions:
    """The options of an ingest whose user trusts endpoints that the store names."""
    return VectorOptions(trust=EndpointTrust().naming(*(each.url for each in endpoints)))


def check_vectors(stores: Stores, dimensions: int = 8) -> None:
    """Every segment has the endpoint's vector of its text, at unit length."""
    for record in stores.corpus.records(RecordFilter()):
        stored = stores.corpus.sample(record.sample.key)
        for document, segments in zip(stored.sample.documents, stored.segments, strict=True):
            rows = stores.vectors().fetch(used(stores).table, [document.sha256])[document.sha256]
            wanted = [vector(document.text[start:end], dimensions) for start, end in segments]
            unit = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
            assert np.abs(rows - unit).max() < 1e-3


def test_the_next_ingest_goes_on_without_a_word(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """Model, address and dimensions are remembered; texts that have vectors are not sent again."""
    asked = VectorOptions("remote:m:latest", base_url=endpoint.url, dimensions=4)
    report = stores.run(pairs, embedder=asked)
    assert (report.embedder, report.embedded, report.notes) == ("remote:m:latest", 30, [])
    kept = used(stores)
    assert (kept.base_url, kept.asked_dimensions, kept.dimensions) == (endpoint.url, 4, 4)
    assert (kept.label, kept.instant, kept.token_dimensions) == ("m:latest", False, 0)
    check_vectors(stores, 4)
    sent = len(endpoint.texts)
    assert stores.run(pairs, embedder=trusting(endpoint)).embedded == 0
    assert len(endpoint.texts) == sent
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    report = patient(Stores(stores.folder)).run(more, embedder=trusting(endpoint))
    assert (report.embedder, report.notes) == ("remote:m:latest", [])
    assert {question["model"] for question in endpoint.answered} == {"m:latest"}
    check_vectors(stores, 4)


def test_dimensions_that_nobody_asked_for_are_remembered(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """With the first answer."""
    stores.run(pairs, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    assert (used(stores).dimensions, used(stores).asked_dimensions) == (8, 0)
    check_vectors(stores)


def test_a_failing_endpoint_leaves_the_texts_safe(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """A note tells what is missing, and the next ingest goes on with it."""
    one = write_pairs(pairs.with_name("one.jsonl"), samples=2)
    stores.run(one, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    # The last request has a harmless text: if it fails, too, the endpoint is at fault.
    endpoint.script.extend([refusal(500, f"broken {KEY}")] * 7)
    report = stores.run(pairs, embedder=trusting(endpoint))
    assert (report.added, report.embedded, report.embedder) == (20, 0, "remote:m")
    (note,) = report.notes
    assert "broken [key] (500)" in note
    assert stores.run(pairs, embedder=trusting(endpoint)).embedded == 30
    check_vectors(stores)
    assert stores.contents()["waiting"] == []


def test_an_endpoint_that_never_answered_is_not_remembered(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """The texts are stored, nothing is decided, and the hint has the line that goes on."""
    endpoint.script.append(refusal(404, "no model mm"))
    with pytest.raises(Unavailable, match="'remote:mm'") as found:
        stores.run(pairs, embedder=VectorOptions("remote:mm", base_url=endpoint.url, dimensions=4))
    options = f"--embedder remote:MODEL --base-url {endpoint.url} --dimensions 4"
    assert "no model mm" in found.value.message
    assert found.value.hint.endswith(
        f"tui-annotate lab vectors rebuild -w {stores.folder} {options}"
    )
    assert (stores.corpus.vector_sets(), stores.corpus.vectors_decided()) == ((), False)
    report = stores.run(pairs, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    assert (report.known, report.embedded, report.embedder) == (20, 30, "remote:m")


def test_a_replaced_dataset_is_whole_though_no_endpoint_answers(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """What the file has not is gone before anybody is asked for vectors."""
    endpoint.script.extend([refusal(404, "no model")] * 2)
    wanted = VectorOptions("remote:m", base_url=endpoint.url)
    with pytest.raises(Unavailable):
        stores.run(pairs, embedder=wanted)
    fewer = write_pairs(pairs.with_name("fewer.jsonl"), samples=4)
    files = IngestFiles([fewer], "", ImportOptions(dataset="pairs"))
    with pytest.raises(Unavailable):
        stores.ingest.replace(files, dataset="pairs", delete_annotations=True, embedder=wanted)
    assert len(stores.corpus.keys("pairs")) == 4


def test_a_run_that_ends_in_the_middle_goes_on_there(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was answered and kept is not asked for again, but for one text that is compared."""
    monkeypatch.setattr(embed_job, "SLOW_ROWS", 10)
    answer = endpoint.reply

    def dies(path: str, question: dict[str, Any]) -> Any:
        if len(endpoint.answered) == 5:
            endpoint.script.extend([refusal(503, "gone")] * 6)
        return answer(path, question)

    monkeypatch.setattr(endpoint, "reply", dies)
    first = stores.run(pairs, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    assert 0 < first.embedded < 30
    monkeypatch.setattr(endpoint, "reply", answer)
    endpoint.script.clear()
    done = len(endpoint.texts)
    again = patient(Stores(stores.folder)).run(pairs, embedder=trusting(endpoint))
    assert again.embedded == 30 - first.embedded
    twice = len(endpoint.texts) - len(set(endpoint.texts))
    assert twice <= 1 + 10
    assert len(endpoint.texts) > done
    check_vectors(stores)


def test_another_model_behind_the_name_is_noticed(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """By a stored vector, before anything is mixed; a rebuild makes all of them anew."""
    stores.run(pairs, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)

    def twist(answer: dict[str, Any]) -> dict[str, Any]:
        return {"data": [{**each, "embedding": [1.0] + [0.0] * 7} for each in answer["data"]]}

    endpoint.twist = twist
    (note,) = stores.run(more, embedder=trusting(endpoint)).notes
    assert "remote:m" in note
    assert len(stores.corpus.unembedded(used(stores).table, 99)) == 6
    endpoint.dimensions, endpoint.twist = 16, lambda answer: answer
    (note,) = stores.run(more, embedder=trusting(endpoint)).notes
    assert printed_numbers(note)[0][:2] == ["16", "8"]
    assert stores.ingest.sets.rebuild(trusting(endpoint)).embedded == 36
    check_vectors(stores, 16)
    assert used(stores).dimensions == 16


def test_an_endpoint_may_move(stores: Stores, endpoint: FakeEndpoint, pairs: Path) -> None:
    """The same vectors from another address, which is remembered from then on."""
    stores.run(pairs, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    with serving() as other:
        assert stores.run(more, embedder=VectorOptions(base_url=other.url)).notes == []
        assert used(stores).base_url == other.url
    check_vectors(stores)


def test_what_the_settings_say_counts_last(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """In a new workspace they are taken; in an older one its own memory goes before them."""
    trust = trusting(endpoint).trust
    spare = VectorOptions(first="remote:m", spare_url=endpoint.url, spare_dimensions=4, trust=trust)
    assert stores.run(pairs, embedder=spare).embedder == "remote:m"
    assert (used(stores).base_url, used(stores).asked_dimensions) == (endpoint.url, 4)
    more = write_pairs(pairs.with_name("more.jsonl"), samples=4)
    elsewhere = VectorOptions(
        first="static", spare_url="http://127.0.0.1:9/v1", spare_dimensions=2, trust=trust
    )
    assert stores.run(more, embedder=elsewhere).notes == []
    check_vectors(stores, 4)


def test_settings_of_endpoints_do_not_concern_others(stores: Stores, pairs: Path) -> None:
    """A static embedder has no address."""
    stores.run(pairs, embedder=VectorOptions("static", spare_url="http://127.0.0.1:9/v1"))
    assert used(stores).base_url == ""


def test_without_an_address_nothing_is_stored(stores: Stores, pairs: Path) -> None:
    """Texts go nowhere unasked, and what can not work is told before the work begins."""
    with pytest.raises(InvalidInput, check=has_code("endpoint-missing")):
        stores.run(pairs, embedder="remote:m")
    assert stores.corpus.totals() == (0, 0, 0)


def test_a_rebuild_can_bring_an_endpoint(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """Beside what is in use; where it fails, that stays in use."""
    stores.run(pairs)
    endpoint.script.extend([refusal(500, "broken")] * 7)
    asked = VectorOptions("remote:m", base_url=endpoint.url)
    with pytest.raises(Unavailable):
        stores.ingest.sets.rebuild(embedder=asked)
    assert [each.embedder for each in stores.corpus.vector_sets()] == ["static"]
    assert stores.ingest.sets.rebuild(embedder=asked).embedded == 30
    assert used(stores).embedder == "remote:m"
    check_vectors(stores)


def poison(stores: Stores, endpoint: FakeEndpoint) -> tuple[str, str, int]:
    """A sentence of a source that the endpoint refuses: its document, sample, and start."""
    record = next(iter(stores.corpus.records(RecordFilter())))
    stored = stores.corpus.sample(record.sample.key)
    document = stored.sample.side(Side.SOURCE)[0]
    segments = stored.segments[stored.sample.documents.index(document)]
    start, end = segments[1]
    endpoint.poison = document.text[start:end]
    return document.sha256, record.sample.key.id, start


def test_a_sentence_that_fails_costs_no_other_its_vector(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path
) -> None:
    """All others are stored, it is named, and the next run asks for it alone."""
    stores.run(pairs, embedder="none")
    document, sample, start = poison(stores, endpoint)
    options = VectorOptions("remote:m", base_url=endpoint.url, trust=trusting(endpoint).trust)
    report = stores.ingest.sets.rebuild(options)
    (failed,) = report.failed_texts
    assert (report.failed, failed.sample, failed.side, failed.start) == (1, sample, "source", start)
    assert "invalid input (400)" in failed.reason
    assert report.embedded == 29
    table = used(stores).table
    assert stores.corpus.waiting(table)[0] == 1
    rows = stores.vectors().fetch(table, [document])[document]
    assert [bool(row.any()) for row in rows] == [at != 1 for at in range(len(rows))]
    # Still refused: it alone is asked for again, besides the sentence that is compared.
    endpoint.answered.clear()
    again = stores.run(pairs, embedder=trusting(endpoint))
    assert (again.failed, again.embedded, again.known) == (1, 0, 20)
    assert len(endpoint.texts) <= 2
    poisoned, endpoint.poison = endpoint.poison, ""
    endpoint.answered.clear()
    last = patient(Stores(stores.folder)).run(pairs, embedder=trusting(endpoint))
    assert (last.failed, last.embedded) == (0, 1)
    assert set(endpoint.texts) - {poisoned} <= set(endpoint.texts[:1])
    assert poisoned in endpoint.texts
    check_vectors(stores)
    assert stores.corpus.waiting(table)[0] == 0


def test_the_first_sentence_of_a_new_workspace_may_fail(
    stores: Stores, endpoint: FakeEndpoint, pairs: Path, tmp_path: Path
) -> None:
    """The embedder is in use afterwards, with all other vectors."""
    stores.run(pairs, embedder="none")
    key = next(iter(stores.corpus.records(RecordFilter()))).sample.key
    stored = stores.corpus.sample(key)
    endpoint.poison = stored.sample.documents[0].text[slice(*stored.segments[0][0])]
    (tmp_path / "fresh").mkdir()
    fresh = patient(Stores(tmp_path / "fresh"))
    report = fresh.run(pairs, embedder=VectorOptions("remote:m", base_url=endpoint.url))
    assert (report.failed, report.embedded, report.embedder) == (1, 29, "remote:m")
    assert used(fresh).dimensions == 8
