"""Automatic metrics: the figures that others published or compute."""

import csv
import json
import math
import random
from pathlib import Path

import pytest

from analysis.cli import main
from analysis.errors import OptionsError, TableError, Undefined
from analysis.text_metrics.cider import Cider
from analysis.text_metrics.rouge import Rouge, longest_common_subsequence
from analysis.text_metrics.scoring import METRICS, score
from analysis.text_metrics.slots import parse_meaning, slot_error_rate, slot_errors
from analysis.text_metrics.surface import copied, distinct, entropy, next_word_entropy, unique_share
from analysis.text_metrics.text_files import Material, read_material
from analysis.text_metrics.tokens import mteval_tokens, treebank_tokens
from tests.analysis.published import e2e_challenge

# Dušek, Novikova & Rieser (2020), Table 12: slot error rate in percent.
TABLE_12 = {"tuda": 0.00, "slug": 1.26, "tgen": 3.56, "zhang": 14.80, "chen": 23.53}


def test_slot_errors_are_close_to_table_12_of_the_e2e_challenge():
    (found,) = score(e2e_challenge(TABLE_12), ("ser",), segments=False)
    for system, published in TABLE_12.items():
        assert 100 * found.systems[system] == pytest.approx(published, abs=0.6)
    assert found.higher_is_better is False


# --- properties --------------------------------------------------------------------------------

TEXTS = Material(
    {
        "parrot": {"a": "The cat sat on the mat.", "b": "It rains in Spain today."},
        "other": {"a": "A dog sat near the mat", "b": "Spain"},
        "silent": {"a": "", "b": ""},
    },
    {
        "a": ("The cat sat on the mat.", "On the mat sat a cat."),
        "b": ("It rains in Spain today.",),
    },
    {"a": "cat sat mat", "b": "rain Spain"},
)
AGAINST_REFERENCES = ("bleu", "chrf", "chrf++", "ter", "nist", "rouge-l", "cider")


@pytest.mark.parametrize("name", AGAINST_REFERENCES)
def test_the_reference_itself_scores_best_and_nothing_scores_worst(name: str):
    (found,) = score(TEXTS, (name,))
    sign = 1 if found.higher_is_better else -1
    parrot, other, silent = (sign * found.systems[each] for each in ("parrot", "other", "silent"))
    assert parrot > other > silent
    for item in ("a", "b"):
        segments = found.segments
        assert sign * segments["parrot"][item] > sign * segments["silent"][item]


def test_sacrebleus_own_figures():
    from sacrebleu.metrics import BLEU, CHRF, TER

    found = score(TEXTS, ("bleu", "chrf", "ter"))
    references = [
        [TEXTS.references["a"][0], TEXTS.references["b"][0]],
        [TEXTS.references["a"][1], None],
    ]
    outputs = list(TEXTS.outputs["other"].values())
    for metric, mine in zip((BLEU(), CHRF(), TER()), found, strict=True):
        assert mine.systems["other"] == metric.corpus_score(outputs, references).score
        assert str(metric.get_signature()) in mine.method


def test_a_system_without_some_items_is_scored_on_the_others():
    part = Material({"parrot": {"b": TEXTS.outputs["parrot"]["b"]}}, TEXTS.references, TEXTS.inputs)
    for each in score(part, AGAINST_REFERENCES):
        assert each.outputs == {"parrot": 1}
        assert each.systems["parrot"] is not None


def test_more_references_never_hurt_rouge():
    few = Rouge({"a": TEXTS.references["a"][:1]})
    more = Rouge(TEXTS.references)
    assert more.score("a", "On the mat sat") > few.score("a", "On the mat sat")


def test_words_that_every_item_has_count_nothing_for_cider():
    cider = Cider({"a": ["the red fox"], "b": ["the blue whale"]})
    assert cider.score("a", "the") == 0
    assert cider.score("a", "red fox") > cider.score("a", "the fox") > 0


def test_the_longest_common_subsequence_is_that_of_the_usual_table():
    def table(first: tuple[str, ...], second: tuple[str, ...]) -> int:
        row = [0] * (len(second) + 1)
        for a in first:
            before = row[:]
            for place, b in enumerate(second):
                row[place + 1] = before[place] + 1 if a == b else max(row[place], before[place + 1])
        return row[-1]

    rng = random.Random(1)
    for _ in range(200):
        texts = [tuple(rng.choices("abc", k=rng.randrange(9))) for _ in range(2)]
        assert longest_common_subsequence(*texts) == table(*texts)


def test_tokens():
    assert " ".join(mteval_tokens("It's £20-25, at 5.5 km.")) == "it's £20 - 25 , at 5.5 km ."
    assert treebank_tokens("It's “kid-friendly”, isn't it? I cannot.") == (
        "it", "'s", "kid-friendly", "is", "n't", "it", "i", "can", "not",
    )  # fmt: skip


# --- slots and surface -------------------------------------------------------------------------

MEANING = "name[The Mill], eatType[pub], food[French], priceRange[cheap], familyFriendly[no]"


@pytest.mark.parametrize(
    ("text", "errors"),
    [
        ("The Mill is a cheap French pub that is not family-friendly.", (0, 0, 0, 0)),
        ("The Mill is a low-priced pub for adults. It serves French food.", (0, 0, 0, 0)),
        ("The Mill is a French pub. No kids.", (1, 0, 0, 0)),
        ("The Mill is a cheap French pub by the river, not for families.", (0, 1, 0, 0)),
        ("The Mill is a cheap Italian pub. Children are not welcome.", (0, 0, 1, 0)),
        ("The Mill is a cheap French pub. The pub is cheap. No kids.", (0, 0, 0, 2)),
        ("The Mill is a kid friendly cheap French pub.", (0, 0, 1, 0)),
        ("A cheap French pub without children", (1, 0, 0, 0)),
    ],
)
def test_slot_errors(text: str, errors: tuple[int, int, int, int]):
    found = slot_errors(parse_meaning(MEANING), text)
    assert (found.missing, found.added, found.wrong, found.repeated) == errors
    assert slot_error_rate([found]) == sum(errors) / 5


@pytest.mark.parametrize("text", ["", "a summary", "name[X] and more", "colour[red]"])
def test_other_inputs_have_no_slots(text: str):
    assert parse_meaning(text) is None
    with pytest.raises(Undefined, match="meaning representation"):
        score(Material({"s": {"a": "x"}}, {}, {"a": text}), ("ser",))


def test_diversity_by_hand():
    texts = [("a", "b", "a"), ("a", "b")]
    assert distinct(texts, 1) == 2 / 5
    assert distinct(texts, 2) == 2 / 3
    assert unique_share(texts, 2) == 1 / 2
    assert entropy([("a", "b")], 1) == 1
    # After "a" always "b", after "b" always "a".
    assert next_word_entropy(texts) == 0
    assert next_word_entropy([("a", "b"), ("a", "c")]) == 1
    assert distinct([()], 1) is None


def test_copied_shares_of_the_input():
    assert copied("the cat sat", "a cat sat down") == 2 / 3
    assert copied("same words", "same words") == 1
    assert copied("", "x") is None


# --- files and the command ---------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    outputs, items = tmp_path / "outputs.csv", tmp_path / "items.csv"
    rows = [(s, i, t) for s, texts in TEXTS.outputs.items() for i, t in texts.items()]
    with outputs.open("w", newline="") as file:
        csv.writer(file).writerows([("system", "item", "output"), *rows])
    with items.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ("item", "input", "reference"),
                *((i, TEXTS.inputs[i], "\n".join(r)) for i, r in TEXTS.references.items()),
            ]
        )
    return str(outputs), str(items)


def test_files_are_read_as_the_site_reads_them(files, tmp_path: Path):
    read = read_material(*files)
    assert read == TEXTS
    (tmp_path / "more.csv").write_text(
        "item,input,reference,reference2\n"
        "a,cat sat mat,The cat sat on the mat.,On the mat sat a cat.\n"
        "b,rain Spain,It rains in Spain today.,\n"
    )
    assert read_material(files[0], tmp_path / "more.csv").sha256 == read.sha256


def test_problems_of_both_files_have_places(tmp_path: Path):
    outputs, items = tmp_path / "outputs.csv", tmp_path / "items.csv"
    outputs.write_text("system,item,output\ns,a,x\ns,a,y\n,a,x\ns,unknown,x\ns,a\n")
    items.write_text("item,input,reference\na,one,r\n,one,r\na,two,r\n")
    with pytest.raises(TableError) as raised:
        read_material(outputs, items)
    assert raised.value.problems == (
        "Items: Line 3, item: the cell is empty.",
        "Items: Line 4, input: item 'a' had another input before.",
        "Outputs: Line 6: 2 cells, but the header has 3.",
        "Outputs: Line 3: 's' already has an output for 'a' on line 2.",
        "Outputs: Line 4, system: the cell is empty.",
        "Outputs: Line 5, item: 'unknown' is not in the file of items.",
    )


def test_the_command_prints_and_writes_scores(files, tmp_path: Path, capsys):
    out = tmp_path / "scores.csv"
    arguments = ["score", *files, "--metrics", "bleu,rouge-l", "--segments", "--out", str(out)]
    assert main([*arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [each["metric"] for each in found["metrics"]] == ["bleu", "rouge-l"]
    first = {"system": "parrot", "metric": "bleu", "outputs": 2}
    assert {key: found["system_level"][0][key] for key in first} == first
    assert found["system_level"][0]["score"] == pytest.approx(100)
    assert len(found["segment_level"]) == 2 * 3 * 2
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["system", "item", "metric", "score"]
    assert len(rows) == 2 * 3 + 2 * 3 * 2
    assert main(arguments[:-2]) == 0
    shown = capsys.readouterr().out
    assert "sacrebleu: nrefs:var" in shown and "score|lowercase:false" in shown
    assert main([*arguments[:-2], "--latex"]) == 0
    assert r"\begin{tabular}{lr" in capsys.readouterr().out


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_how_it_was_computed(name: str):
    if name in ("ser", "dice", "masi", "uniqueness", "minimality"):  # of other texts than these
        return
    for each in score(TEXTS, (name,), segments=False):
        assert each.method and not each.segments
        assert all(value is None or math.isfinite(value) for value in each.systems.values())


def test_metrics_without_their_inputs_are_refused(files, capsys):
    with pytest.raises(OptionsError, match="no metric 'blue'"):
        score(TEXTS, ("blue",))
    bare = Material(TEXTS.outputs, {"a": (), "b": ()}, TEXTS.inputs)
    with pytest.raises(Undefined, match="item 'a' has no reference"):
        score(bare, ("nist",))
    assert main(["score", files[0], "nowhere.csv"]) == 2
    assert "Cannot read nowhere.csv" in capsys.readouterr().err
