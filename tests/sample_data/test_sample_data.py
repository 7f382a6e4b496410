"""The laws of the example data: counts, lengths, offsets and clean text."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[2] / "sample_data"
PAIR_KEYS = ["id", "group", "language", "genre", "model", "source", "summary"]
LABELS = [
    ["Unwanted", "Unwanted.Intrinsic"],
    ["Unwanted", "Unwanted.Extrinsic"],
    ["Benign"],
    ["Questionable"],
]
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """a about after all also an and any are as at be been before being but by can
    could did do does each ever every for from had has have he her his i if in into is
    it its may might more most must never no nor not of on one only or other our out
    over should so some still such than that the their them then there these they this
    those to up us very was we were what when where which while who whom whose will
    with would you your""",
    )
)


def read_pairs() -> list[dict[str, str]]:
    """Return the rows of pairs.jsonl in order."""
    text = (DATA / "pairs.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def read_gold() -> list[dict[str, Any]]:
    """Return the samples of gold.json in order."""
    samples: list[dict[str, Any]] = json.loads((DATA / "gold.json").read_text(encoding="utf-8"))
    return samples


PAIRS = read_pairs()
GOLD = read_gold()
ANNOTATIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (sample, annotation) for sample in GOLD for annotation in sample["annotations"]
]
LINKED = [(s, a) for s, a in ANNOTATIONS if "source_span" in a]


def sentence_count(text: str) -> int:
    """Return a rough number of sentences, blind to the commonest abbreviations."""
    text = re.sub(r"\b(a|p)\.m\.(?= [a-z])|\b(in|ft|approx|No|Dr)\.(?= )", "x", text)
    return len(re.findall(r"[.!?][\"”)]?(?=\s|$)|[。！？]", text))


def content_words(text: str) -> set[str]:
    """Return the words of a text that carry meaning, with common endings cut off."""
    words = re.findall(r"[^\W_]+", text.lower())
    return {re.sub(r"(ing|ed|es|s)$", "", w) for w in words if w not in STOP_WORDS}


def test_pairs_have_the_agreed_keys_in_order() -> None:
    """Every row has exactly the agreed keys, in order, and each value is text."""
    for pair in PAIRS:
        assert list(pair) == PAIR_KEYS
        assert all(type(value) is str for value in pair.values())
        assert all(pair.values())
        assert pair["language"] in ("en", "zh")


def test_files_are_plain_utf8_without_escapes() -> None:
    """Both files keep their characters readable and end with one newline."""
    for name in ("pairs.jsonl", "gold.json"):
        text = (DATA / name).read_bytes().decode("utf-8")
        assert text.endswith("\n")
        assert not text.endswith("\n\n")
        for unwanted in ("\\u", "\ufeff", "\r"):
            assert unwanted not in text


def test_there_are_enough_pairs_and_sources() -> None:
    """There are 48 pairs or more over 14 English and 5 Chinese sources or more."""
    sources = {(pair["language"], pair["source"]) for pair in PAIRS}
    languages = Counter(language for language, _ in sources)
    assert len(PAIRS) >= 48
    assert languages["en"] >= 14
    assert languages["zh"] >= 5
    assert len({pair["genre"] for pair in PAIRS}) >= 10


def test_pair_ids_are_unique_and_carry_their_group() -> None:
    """Every id is its group's name and a number that counts from one."""
    seen: Counter[str] = Counter()
    for pair in PAIRS:
        seen[pair["group"]] += 1
        assert pair["id"] == f"{pair['group']}-{seen[pair['group']]}"
    assert len({pair["id"] for pair in PAIRS}) == len(PAIRS)


def test_a_group_has_one_source_and_two_to_five_summaries() -> None:
    """All pairs of a group share one source, and no two share model or summary."""
    groups: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for pair in PAIRS:
        groups[pair["group"]].append(pair)
    for rows in groups.values():
        assert 2 <= len(rows) <= 5
        assert len({(r["source"], r["language"], r["genre"]) for r in rows}) == 1
        assert len({r["model"] for r in rows}) == len(rows)
        assert len({r["summary"] for r in rows}) == len(rows)
    assert len({rows[0]["source"] for rows in groups.values()}) == len(groups)


def test_sources_have_natural_lengths() -> None:
    """Sources have 200 to 900 words or 300 to 1,200 characters, but for the long."""
    for pair in PAIRS:
        source = pair["source"]
        assert "\n\n" in source
        assert "\n\n\n" not in source
        if pair["language"] == "zh":
            assert 300 <= len(source) <= 1200
        elif len(source.encode("utf-8")) < 25_000:
            assert 200 <= len(source.split()) <= 900


def test_one_english_source_is_long_and_not_repetitive() -> None:
    """Exactly one source, an English one, has 25 kB or more, and no line twice."""
    long = {
        pair["source"]: pair["language"]
        for pair in PAIRS
        if len(pair["source"].encode("utf-8")) >= 25 * 1024
    }
    assert list(long.values()) == ["en"]
    lines = [line for line in next(iter(long)).split("\n") if line]
    assert len(set(lines)) == len(lines)


def test_summaries_have_two_to_nine_sentences() -> None:
    """Every summary has between two and nine sentences, and is one paragraph."""
    for pair in PAIRS:
        assert 2 <= sentence_count(pair["summary"]) <= 9, pair["id"]
        assert "\n" not in pair["summary"]


def test_texts_have_no_control_characters_and_no_outer_space() -> None:
    """Texts hold no control character but newline, and no white space at an edge."""
    for pair in PAIRS:
        for text in (pair["source"], pair["summary"]):
            assert text == text.strip()
            assert unicodedata.normalize("NFC", text) == text
            for char in text:
                assert char == "\n" or unicodedata.category(char) != "Cc"
            assert not re.search(r"[ \t]\n|\n[ \t]|  ", text)


def test_the_first_pair_is_the_bridge() -> None:
    """The newcomer's pair has the wrong sum, the addition and a two-sentence claim."""
    first = PAIRS[0]
    assert (first["id"], first["group"], first["language"]) == (
        "bridge-1",
        "bridge",
        "en",
    )
    assert 220 <= len(first["source"].split()) <= 280
    assert first["source"].count("12 million pounds") == 1
    assert first["summary"].count("15 million pounds") == 1
    assert first["summary"].count("was loved") == 1
    assert 3 <= sentence_count(first["summary"]) <= 5
    spans = [a["summary_span"] for a in GOLD[0]["annotations"]]
    assert GOLD[0]["meta_id"] == "bridge-1"
    assert "15 million pounds" in spans
    assert any(sentence_count(span) == 2 for span in spans)


def test_gold_repeats_the_pairs_exactly() -> None:
    """A gold sample names its row and has the same texts, group and language."""
    assert len({sample["sample_id"] for sample in GOLD}) == len(GOLD)
    for sample in GOLD:
        pair = PAIRS[sample["sample_id"]]
        assert sample["source"] == pair["source"]
        assert sample["summary"] == pair["summary"]
        assert sample["meta_id"] == pair["id"]
        assert sample["meta_group"] == pair["group"]
        assert sample["meta_language"] == pair["language"]
        assert sample["annotations"]


def test_annotations_have_the_agreed_shape() -> None:
    """Every annotation has unique id, own sample, known label and gold's name."""
    ids = [annotation["annot_id"] for _, annotation in ANNOTATIONS]
    assert len(set(ids)) == len(ids)
    for sample, annotation in ANNOTATIONS:
        assert type(annotation["annot_id"]) is int
        assert annotation["sample_id"] == sample["sample_id"]
        assert annotation["annotator"] == b"gold".hex()
        assert annotation["annotator_name"] == "gold"
        assert annotation["label"] in LABELS
        assert annotation["note"] == annotation["note"].strip()
        assert "\n" not in annotation["note"]
        keys = [key for key in annotation if key.startswith("source_")]
        assert keys in ([], ["source_span", "source_start", "source_end"])


def test_spans_equal_their_slices() -> None:
    """Every span equals the slice its offsets name and has no space at its edges."""
    for sample, annotation in ANNOTATIONS:
        for side in ("summary", "source"):
            if f"{side}_span" not in annotation:
                continue
            start, end = annotation[f"{side}_start"], annotation[f"{side}_end"]
            span = annotation[f"{side}_span"]
            assert 0 <= start < end <= len(sample[side])
            assert sample[side][start:end] == span
            assert span == span.strip()


def test_claims_of_a_sample_do_not_overlap() -> None:
    """No two claims of one gold sample share a character."""
    for sample in GOLD:
        spans = sorted((a["summary_start"], a["summary_end"]) for a in sample["annotations"])
        for (_, end), (start, _) in pairwise(spans):
            assert end <= start, sample["meta_id"]


def test_there_are_enough_claim_evidence_pairs() -> None:
    """100 claims or more have evidence, 28 Chinese, 25 over longer sources."""
    chinese = [a for s, a in LINKED if s["meta_language"] == "zh"]
    longer = [a for s, a in LINKED if sentence_count(s["source"]) >= 8]
    assert len(LINKED) >= 100
    assert len(chinese) >= 28
    assert len(longer) >= 25


def test_there_are_enough_claims_without_evidence() -> None:
    """25 extrinsic claims or more have no evidence, and every intrinsic one has it."""
    bare = [a for _, a in ANNOTATIONS if "source_span" not in a]
    extrinsic = [a for a in bare if a["label"][-1] == "Unwanted.Extrinsic"]
    assert len(extrinsic) >= 25
    assert all(a["label"][-1] != "Unwanted.Intrinsic" for a in bare)


def test_every_label_is_used_in_both_languages() -> None:
    """Each of the four labels occurs in English and in Chinese samples."""
    used = {(s["meta_language"], a["label"][-1]) for s, a in ANNOTATIONS}
    assert used == {(lang, label[-1]) for lang in ("en", "zh") for label in LABELS}


def test_some_claims_share_no_content_word_with_their_evidence() -> None:
    """12 English claims or more share no content word with their evidence."""
    apart = [
        a
        for s, a in LINKED
        if s["meta_language"] == "en"
        and not content_words(a["summary_span"]) & content_words(a["source_span"])
    ]
    assert len(apart) >= 12


def test_evidence_is_spread_over_the_source() -> None:
    """Each fifth of the sources holds at least a tenth of the evidence."""
    fifths = Counter(5 * a["source_start"] // len(s["source"]) for s, a in LINKED)
    assert set(fifths) == set(range(5))
    assert min(fifths.values()) >= len(LINKED) / 10


def test_most_but_not_all_annotations_have_a_note() -> None:
    """Between 75 and 95 per cent of the annotations have a short note."""
    notes = [a["note"] for _, a in ANNOTATIONS if a["note"]]
    assert 0.75 <= len(notes) / len(ANNOTATIONS) <= 0.95
    assert max(len(note) for note in notes) <= 80


def test_some_summaries_are_faithful() -> None:
    """At least eight pairs, in both languages, need no annotation at all."""
    marked = {sample["sample_id"] for sample in GOLD}
    clean = [pair for row, pair in enumerate(PAIRS) if row not in marked]
    assert len(clean) >= 8
    assert {pair["language"] for pair in clean} == {"en", "zh"}


def test_the_readme_states_the_true_counts() -> None:
    """Every number in the table of the README is the one the files give."""
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+?) \| (\d+) \|$", readme, flags=re.MULTILINE))
    sources = {(p["language"], p["source"]) for p in PAIRS}
    languages = Counter(p["language"] for p in PAIRS)
    labels = Counter(a["label"][-1].split(".")[-1] for _, a in ANNOTATIONS)
    assert rows == {
        "Pairs": str(len(PAIRS)),
        "Pairs in English": str(languages["en"]),
        "Pairs in Chinese": str(languages["zh"]),
        "Sources in English": str(sum(lang == "en" for lang, _ in sources)),
        "Sources in Chinese": str(sum(lang == "zh" for lang, _ in sources)),
        "Pairs with gold": str(len(GOLD)),
        "Pairs without annotations": str(len(PAIRS) - len(GOLD)),
        "Annotations": str(len(ANNOTATIONS)),
        "Annotations with evidence": str(len(LINKED)),
        "Annotations with evidence, in Chinese": str(
            sum(s["meta_language"] == "zh" for s, _ in LINKED)
        ),
        "Annotations without evidence": str(len(ANNOTATIONS) - len(LINKED)),
        "Label Unwanted > Intrinsic": str(labels["Intrinsic"]),
        "Label Unwanted > Extrinsic": str(labels["Extrinsic"]),
        "Label Benign": str(labels["Benign"]),
        "Label Questionable": str(labels["Questionable"]),
    }
