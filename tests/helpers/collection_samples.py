"""A small collection of reports, documents and citations, as its format would make it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_annotate.domain.samples import Document, Request, Sample, SampleKey, SampleKind, Side

DATASET = "c"
TEXTS = ("Sea stars eat mussels.", "Crabs hide.", "😀 Anemones sting.")
"""Sentences of a report; the last begins beyond the basic plane."""
CITED = (("da", "db"), ("db",), ())
"""What each of them cites."""
PAGES = {"da": "Sea stars open mussels and eat them.", "db": "Crabs hide under stones by day."}


def key(name: str) -> SampleKey:
    """A sample of the collection."""
    return SampleKey(DATASET, name)


def report(
    topic: str = "1",
    run: str = "run1",
    *,
    texts: Sequence[str] = TEXTS,
    cited: Sequence[Sequence[str]] = CITED,
) -> Sample:
    """A report with its documents."""
    reported, place = [], 0
    for words, ids in zip(texts, cited, strict=True):
        end = place + len(words) if words.strip() else place
        reported.append({"start": place, "end": end, "citations": list(ids)})
        place += len(words) + 1
    pages = dict.fromkeys(name for each in cited for name in each if name in PAGES)
    return Sample(
        DATASET,
        f"r|{topic}|{run}",
        (*map(_page, pages), Document(Side.SUMMARY, " ".join(texts))),
        SampleKind.REPORT,
        "",
        request(topic),
        {**_about(topic, run), "sentences": reported},
    )


def citations(of: Sample) -> Iterator[Sample]:
    """The citations of a report, a sentence without any having one of nothing."""
    topic, run = of.meta["topic_id"], of.meta["run_id"]
    text = of.document(Side.SUMMARY).text
    for place, reported in enumerate(of.meta["sentences"]):
        words = text[reported["start"] : reported["end"]]
        for name in reported["citations"] or ([None] if words else []):
            group = f"{topic}|{run}|{place}"
            sources = (_page(name),) if name in PAGES else ()
            yield Sample(
                DATASET,
                f"c|{group}" + (f"|{name}" if name else ""),
                (*sources, Document(Side.SUMMARY, words)),
                SampleKind.CITATION,
                group,
                request(topic),
                {**_about(topic, run), "sentence_idx": place, "docid": name},
            )


def document(topic: str = "1", name: str = "da", *, runs: Sequence[str] = ("run1",)) -> Sample:
    """A document by itself: nothing stands on its other side."""
    meta = {"topic_id": topic, "team_id": "", "run_id": "", "docid": name, "runs": list(runs)}
    page = Document(Side.SOURCE, PAGES[name], name, name)
    return Sample(
        DATASET, f"d|{topic}|{name}", (page,), SampleKind.DOCUMENT, "", request(topic), meta
    )


def collection() -> list[Sample]:
    """Two topics: on the first two runs, on the second one of a single sentence."""
    made = []
    for topic, runs in (("1", ("run1", "run2")), ("2", ("run1",))):
        for run in runs:
            cut = slice(None) if topic == "1" else slice(1)
            of = report(topic, run, texts=TEXTS[cut], cited=CITED[cut])
            made += [of, *citations(of)]
        made += [document(topic, name, runs=runs) for name in PAGES]
    return made


def request(topic: str) -> Request:
    """What the report of a topic answers."""
    return Request(f"Tide pools {topic}", "What lives there?", "I am a teacher.")


def _page(name: str | None) -> Document:
    return Document(Side.SOURCE, PAGES[str(name)], str(name), str(name))


def _about(topic: str, run: str) -> dict[str, str]:
    return {"topic_id": topic, "team_id": f"team of {run}", "run_id": run}
