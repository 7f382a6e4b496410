"""Label sets: three forms read alike, every mistake told, rules that hold."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_annotate.domain.annotations import Anchor, Annotation
from tui_annotate.domain.errors import InvalidLabels
from tui_annotate.domain.label_files import LONGEST_FILE, parse_labels, parse_stored_labels
from tui_annotate.domain.labels import COLORS, MOST_OPTIONS, Label, Requirement, number_labels
from tui_annotate.domain.samples import Side
from tui_annotate.domain.spans import Span

ROOT = Path(__file__).parents[2]
PLAIN = "- Unwanted: [Intrinsic, Extrinsic]\n- Benign\n- Questionable\n"
WRAPPED = "titles: [Article, Answer]\nlabels:\n" + PLAIN
RICH = """
labels:
  - name: Unwanted
    evidence: required
    color: red
    children: [Intrinsic, {name: Extrinsic, evidence: none, key: 7, description: Not there.}]
  - name: Benign
    note: required
    exclusive: true
  - Questionable
"""
PATHS = [
    ("Unwanted",),
    ("Unwanted", "Intrinsic"),
    ("Unwanted", "Extrinsic"),
    ("Benign",),
    ("Questionable",),
]
CLAIM = (Anchor(Side.SUMMARY, 0, Span(0, 3)),)
EVIDENCE = (Anchor(Side.SOURCE, 0, Span(4, 9)),)


@pytest.mark.parametrize("text", [PLAIN, WRAPPED, RICH])
def test_all_forms_give_the_same_tree(text: str) -> None:
    """The same names in the same order, whatever the form."""
    assert [label.path for label in parse_labels(text).walk()] == PATHS


def test_titles_are_read_or_have_a_default() -> None:
    """The wrapped form may name the two sides."""
    assert parse_labels(WRAPPED).source_title == "Article"
    assert parse_labels(WRAPPED).summary_title == "Answer"
    assert parse_labels(PLAIN).source_title == "Source"


def test_a_version_is_the_hash_of_the_file() -> None:
    """Any other byte is another version."""
    assert parse_labels(PLAIN).version == hashlib.sha256(PLAIN.encode()).hexdigest()
    assert parse_labels(PLAIN).version != parse_labels(PLAIN + "\n").version


def test_rules_come_from_the_parent_unless_a_label_says_otherwise() -> None:
    """Evidence and colour are inherited; what a label states itself goes before."""
    tree = parse_labels(RICH)
    intrinsic = tree.find(("Unwanted", "Intrinsic"))
    extrinsic = tree.find(("Unwanted", "Extrinsic"))
    assert intrinsic is not None
    assert extrinsic is not None
    assert (intrinsic.evidence, intrinsic.color) == (Requirement.REQUIRED, "red")
    assert (extrinsic.evidence, extrinsic.description) == (Requirement.NONE, "Not there.")
    assert tree.find(("Nothing",)) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "does not contain a list"),
        ("labels:", "does not contain a list"),
        ("[]", "does not contain a list"),
        ("just words", "does not contain a list"),
        ("label: [A]", "'label'"),
        ("- A\n- A", "'A' occurs twice"),
        ("- A: [B, B]", "'A.B' occurs twice"),
        ("- 3", "3 is not"),
        ("- ''", "'' is not"),
        ("- ' A'", "' A' is not"),
        ('- "a\\x1bb"', "is not"),
        ("- a.b", "contains '.'"),
        ("- {name: A, colour: red}", "'colour'"),
        ("- {name: A, description: [x]}", "description of 'A'"),
        ("- {name: A, key: 0}", None),
        ("- {name: A, key: x}", "key of 'A' is 'x'"),
        ("- {name: A, key: 12}", "key of 'A' is '12'"),
        ("- {name: A, evidence: sometimes}", "evidence of 'A' is 'sometimes'"),
        ("- {name: A, color: mauve}", "color of 'A' is 'mauve'"),
        ("- {name: A, color: '#12345'}", "color of 'A' is '#12345'"),
        ("- {name: A, color: 123456}", "color of 'A' is 123456"),
        ("- name: A\n  color: #aabbcc", "color of 'A' is empty"),
        ("- {name: A, color: color(3)}", "color of 'A' is 'color(3)'"),
        ("- {name: A, exclusive: 1}", "exclusive of 'A' is 1"),
        ("- {name: A, children: B}", "children of 'A'"),
        ("- {name: A, key: 1}\n- {name: B, key: 1}", "two labels have the key '1'"),
        ("titles: [A]\nlabels: [A]", "titles is"),
        ("titles: A\nlabels: [A]", "titles is"),
        ("titles: [A, 3]\nlabels: [A]", "titles is"),
        ("- A\n  - B: [", "my.yaml:2"),
        ("- a: &x [b]\n- c: *x", "my.yaml:2: YAML aliases"),
        ("- {name: A, name: B}", "my.yaml:1: key 'name' occurs twice"),
        ("- !!python/object/apply:os.system [x]", "my.yaml:1"),
        ("- A\x00", "my.yaml"),
        ("[" * 5000 + "]" * 5000, "nested too deeply"),
        ("- A" + " " * LONGEST_FILE, "larger than"),
    ],
)
def test_a_mistake_is_told_with_file_and_value(text: str, told: str | None) -> None:
    """Every wrong file has one clear line; a key of 0 stands for none."""
    if told is None:
        assert parse_labels(text).roots[0].key == ""
        return
    with pytest.raises(InvalidLabels) as caught:
        parse_labels(text, name="my.yaml")
    assert told in caught.value.message
    assert "my.yaml" in caught.value.message
    assert caught.value.hint


def test_an_unquoted_colour_is_explained() -> None:
    """YAML takes it for a comment, so that the value is gone before it is read."""
    with pytest.raises(InvalidLabels) as caught:
        parse_labels("- name: A\n  color: #aabbcc\n")
    assert "in quotes" in caught.value.hint


@pytest.mark.parametrize("color", ["mauve", "#12345", "", "'#aabbcc0'", "7", "[red]", "color(3)"])
def test_a_stored_set_opens_whatever_its_colours_are(color: str) -> None:
    """They may have been known once; all else of it is as it was, and so is its version."""
    text = f"- name: A\n  color: {color}\n  children:\n  - B\n  - name: C\n    color: RED\n"
    tree = parse_stored_labels(text)
    assert [(label.name, label.color) for label in tree.walk()] == [
        ("A", ""),
        ("B", ""),
        ("C", "red"),
    ]
    assert tree.version == hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(InvalidLabels):
        parse_labels(text)


def test_a_sound_set_is_the_same_when_it_is_stored() -> None:
    """Also one whose label is called as a key is."""
    for text in (RICH, WRAPPED, "- color: [red, blue]\n", "labels: [color]\ntitles: [A, B]\n"):
        assert parse_stored_labels(text) == parse_labels(text)


@pytest.mark.parametrize("color", [*COLORS, "#d55e00"])
def test_a_colour_is_a_known_name_or_hex(color: str) -> None:
    """Both are read in any case and kept in lower case."""
    assert parse_labels(f"- {{name: A, color: '{color.upper()}'}}").roots[0].color == color


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    """Billion laughs: nothing grows before it is refused."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    with pytest.raises(InvalidLabels):
        parse_labels("\n".join(lines))


def test_every_leaf_has_its_digit_while_there_are_enough() -> None:
    """Leaves come first on the bar, then their parents; a label gets the digit it asks for."""
    bar = parse_labels(RICH).bar()
    assert [(digit, label.name) for digit, label in bar] == [
        ("1", "Intrinsic"),
        ("2", "Benign"),
        ("3", "Questionable"),
        ("4", "Unwanted"),
        ("7", "Extrinsic"),
    ]


def test_with_more_leaves_than_digits_the_bar_shows_the_roots() -> None:
    """Twelve leaves under two roots: the roots, whose children open."""
    text = "".join(f"- R{root}: [{', '.join(f'L{n}' for n in range(6))}]\n" for root in range(2))
    assert [label.name for _, label in parse_labels(text).bar()] == ["R0", "R1"]


@given(st.lists(st.sampled_from(["", *"123456789"]), max_size=14))
def test_digits_are_given_once_each_in_order(keys: list[str]) -> None:
    """Up to nine labels get nine different digits, and the first to ask for one has it."""
    labels = [Label((f"L{place}",), key=key) for place, key in enumerate(keys)]
    given_digits = number_labels(labels)
    digits = [digit for digit, _ in given_digits]
    assert digits == sorted(set(digits))
    assert len(digits) == min(len(labels), MOST_OPTIONS)
    for key in {label.key for label in labels[:MOST_OPTIONS] if label.key}:
        first = next(label for label in labels if label.key == key)
        assert (key, first) in given_digits


def note(labels: list[str], *, evidence: bool = False, text: str = "") -> Annotation:
    """An annotation with labels given as dotted paths."""
    paths = tuple(tuple(label.split(".")) for label in labels)
    return Annotation("1", CLAIM, EVIDENCE if evidence else (), paths, text)


@pytest.mark.parametrize(
    ("annotation", "lacking"),
    [
        (note([]), ("label",)),
        (note(["Questionable"]), ()),
        (note(["Unwanted.Intrinsic"]), ("evidence",)),
        (note(["Unwanted.Intrinsic"], evidence=True), ()),
        (note(["Unwanted.Extrinsic"]), ()),
        (note(["Benign"]), ("note",)),
        (note(["Benign"], text="why"), ()),
        (note(["Unwanted.Intrinsic", "Benign"]), ("evidence", "note")),
        (note(["Gone"]), ()),
    ],
)
def test_what_is_required_and_missing_is_lacking(
    annotation: Annotation, lacking: tuple[str, ...]
) -> None:
    """Label, evidence and note, as the rules ask; a label that is no longer there asks nothing."""
    assert parse_labels(RICH).lacks(annotation) == lacking


def test_only_parts_with_a_rule_can_be_required() -> None:
    """A part without a rule is an error, not taken for a note."""
    tree = parse_labels(RICH)
    assert tree.requires(("Benign",), "note")
    assert not tree.requires(("Benign",), "evidence")
    assert not tree.requires(("Gone",), "note")
    with pytest.raises(KeyError):
        tree.requires(("Benign",), "label")


@pytest.mark.parametrize(
    ("annotation", "told"),
    [
        (note(["Gone"]), "no label 'Gone'"),
        (note(["Benign", "Questionable"]), "'Benign' cannot be combined"),
        (note(["Unwanted.Extrinsic"], evidence=True), "does not allow evidence"),
    ],
)
def test_what_breaks_a_rule_is_refused(annotation: Annotation, told: str) -> None:
    """Unknown labels, company of an exclusive one, and things that a label refuses."""
    with pytest.raises(InvalidLabels, match=told):
        parse_labels(RICH).check(annotation)


def test_a_label_may_refuse_a_note() -> None:
    """`note: none` is kept."""
    tree = parse_labels("- {name: A, note: none}")
    tree.check(note(["A"]))
    with pytest.raises(InvalidLabels, match="'A'"):
        tree.check(note(["A"], text="why"))


CHANGED = """
- {name: Unwanted, children: [{name: Intrinsic, split: [Unwanted.Made up, Unwanted.Bent]},
    Made up, Bent]}
- {name: Odd, retired: true, key: 1, children: [Strange]}
- {name: Fine, key: 1}
"""


def test_what_is_no_longer_given_is_still_known() -> None:
    """A label that is retired, what is below it, and one that was split are found."""
    tree = parse_labels(CHANGED)
    closed = [label.path for label in tree.walk() if not label.offered]
    assert closed == [("Unwanted", "Intrinsic"), ("Odd",), ("Odd", "Strange")]
    intrinsic = tree.find(("Unwanted", "Intrinsic"))
    assert intrinsic is not None
    assert intrinsic.split == (("Unwanted", "Made up"), ("Unwanted", "Bent"))
    assert [label.name for label in tree.offered()] == ["Unwanted", "Made up", "Bent", "Fine"]


def test_the_bar_shows_what_new_work_may_get() -> None:
    """Labels that are no longer given have no digit; the one they asked for is free."""
    tree = parse_labels(CHANGED)
    digits = [(digit, label.name) for digit, label in tree.bar()]
    assert digits == [("1", "Fine"), ("2", "Made up"), ("3", "Bent"), ("4", "Unwanted")]
    assert [label.name for _, label in number_labels(tree.roots[0].children)] == ["Made up", "Bent"]


def test_a_parent_of_retired_labels_stands_for_itself() -> None:
    """Where nothing below it is given any more, it has its place among the leaves."""
    tree = parse_labels("- {name: A, children: [{name: B, retired: true}]}\n- C\n")
    assert [label.name for _, label in tree.bar()] == ["A", "C"]
    assert tree.roots[0].choices == ()


def test_with_many_leaves_retired_roots_leave_the_bar() -> None:
    """The roots that are left are shown."""
    leaves = ", ".join(f"L{n}" for n in range(10))
    tree = parse_labels(f"- {{name: R, retired: true}}\n- S: [{leaves}]\n")
    assert [label.name for _, label in tree.bar()] == ["S"]


def test_work_under_a_split_label_waits_for_a_choice() -> None:
    """It lacks a label, whatever else it has; under a retired one it lacks nothing."""
    tree = parse_labels(CHANGED)
    assert tree.lacks(note(["Unwanted.Intrinsic"])) == ("label",)
    assert tree.lacks(note(["Unwanted.Intrinsic", "Fine"])) == ("label",)
    assert tree.lacks(note(["Odd"])) == ()
    assert tree.lacks(note(["Unwanted.Bent"])) == ()


@pytest.mark.parametrize(
    ("label", "told"),
    [("Odd", "'Odd' is deprecated"), ("Unwanted.Intrinsic", "'Unwanted.Intrinsic' was split")],
)
def test_what_is_no_longer_given_stays_where_it_is(label: str, told: str) -> None:
    """New work is refused it; an annotation that had it keeps it."""
    tree, held = parse_labels(CHANGED), note([label])
    with pytest.raises(InvalidLabels, match=told):
        tree.check(held)
    with pytest.raises(InvalidLabels, match=told):
        tree.check(held, held=[("Fine",)])
    tree.check(held, held=held.labels)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("- {name: A, retired: later}", "retired of 'A' is 'later'"),
        (
            "- {name: A, retired: true, children: [{name: B, retired: false}]}",
            "'A.B' has retired: false",
        ),
        ("- {name: A, split: B}\n- B", "split of 'A' is 'B'"),
        ("- {name: A, split: [1, B]}\n- B", "split of 'A' is"),
        ("- {name: A, split: [B, C]}\n- B", "into 'C', which is not another label"),
        ("- {name: A, split: [A, B]}\n- B", "into 'A', which is not another label"),
        ("- {name: A, split: [B, B]}\n- B", "contains 'B' twice"),
        (
            "- {name: A, split: [B], children: [C]}\n- B",
            "'A' has both the field 'split' and child labels",
        ),
    ],
)
def test_a_change_that_can_not_be_is_told(text: str, told: str) -> None:
    """Retired is yes or no and goes down the tree; a split names other labels of the set."""
    with pytest.raises(InvalidLabels, match=told):
        parse_labels(text)


def test_a_part_that_was_split_again_gives_its_own() -> None:
    """What is to be chosen of are the labels that are given now, once each, in order."""
    tree = parse_labels(
        "- {name: A, split: [B, C]}\n- {name: B, split: [D, A, C, E]}\n"
        "- C\n- D\n- {name: E, retired: true}\n- {name: F, split: [E]}\n"
    )
    (label,) = tree.split([("C",), ("A",), ("gone",)])
    assert [part.name for part in tree.parts(label)] == ["D", "C"]
    (emptied,) = tree.split([("F",)])
    assert tree.parts(emptied) == ()


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("titles: [A, B]\nlabels: [{name: X, color: red, children: [Y]}, Z]", True),
        ("- {name: X, children: [Y]}\n- {name: Z, key: 1}", False),
        ("- {name: X, children: [Y]}\n- {name: Z, description: Odd.}", False),
        ("- {name: X, children: [{name: Y, evidence: required}]}\n- Z", False),
        ("- Z\n- {name: X, children: [Y]}", False),
        ("- {name: X, children: [Y]}\n- Z\n- W", False),
        ("- {name: X, children: [Y]}", False),
    ],
)
def test_sets_mean_the_same_where_colours_and_titles_alone_differ(text: str, means: bool) -> None:
    """Digits, rules, order and what people are told of a label make another set."""
    plain = parse_labels("- {name: X, children: [Y]}\n- Z")
    assert parse_labels(text).means(plain) is means
    assert plain.means(parse_labels(text)) is means


def test_the_default_set_is_one_file_in_two_places() -> None:
    """The root's labels.yaml is what `init` writes, and Mercury's labels are in it."""
    text = (ROOT / "labels.yaml").read_text("utf-8")
    assert text == (ROOT / "tui_annotate" / "labels.yaml").read_text("utf-8")
    tree = parse_labels(text)
    assert [label.path for label in tree.walk()] == PATHS
    assert all(label.description for label in tree.walk())


def test_the_page_on_labels_has_the_digits_of_the_default_labels() -> None:
    """docs/labels.md states the digit of each label of the file that `init` writes."""
    page = " ".join((ROOT / "docs" / "labels.md").read_text("utf-8").split())
    tree = parse_labels((ROOT / "tui_annotate" / "labels.yaml").read_text("utf-8"))
    digits = ", ".join(f"`{label.name}` {digit}" for digit, label in tree.bar())
    assert f"{digits}." in page
