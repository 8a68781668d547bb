"""``train --pairs FILE --judge FILE``: the keys of the contract, with a corpus and without, and what is refused."""

import csv
import json

import pytest

TINY = "--encoder token --set vocabulary_size=300 --set batch_size=8 --set maps=false --set max_length=32".split()
TINY += ["--set", "inside=false"]


def written(file, header: list[str], rows: list) -> str:
    with open(file, "w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows])
    return str(file)


@pytest.fixture
def files(toy_corpus, tmp_path):
    """Pairs of halves of toy texts, 40 to train on and 20 that judge, and the texts with labels as a corpus."""
    texts, labels = list(toy_corpus.texts), list(toy_corpus.labels)
    halves = [text.split(". ") for text in texts]
    rows = [[each[0], each[1], 4 if row % 2 else 1] for row, each in enumerate(halves)]
    judged = [[each[2], halves[row + 1][3] if row % 3 else each[3], 5 - 2 * (row % 3)] for row, each in
              enumerate(halves[:20])]  # fmt: skip
    header = ["sentence1", "sentence2", "score"]
    return {
        "pairs": written(tmp_path / "train.csv", header, rows[:40]),
        "judge": written(tmp_path / "dev.csv", header, judged),
        "corpus": written(tmp_path / "texts.csv", ["text", "label"], list(zip(texts, labels, strict=True))),
    }


def test_without_a_corpus_the_texts_of_the_pairs_are_one(call, store, warm_workers, files):
    code, result = call("train", "--pairs", files["pairs"], "--judge", files["judge"], "--recipe", "cosent", *TINY)
    assert code == 0 and result["knn"] is None and result["trained_on"] == "given pairs"
    assert {name: result["pairs"][name] for name in ("rows", "used", "left_out")} == {
        "rows": 40, "used": 40, "left_out": 0
    }  # fmt: skip
    judge = result["judge"]
    assert judge["metric"] == "sts" and -1 <= judge["before"] <= 1 and -1 <= judge["after"] <= 1
    assert judge["low"] <= judge["difference"] <= judge["high"] and judge["n"] == 20
    assert judge["difference"] == pytest.approx(judge["after"] - judge["before"])
    assert result["corpus"]["texts"] == 80 and result["kept"]["judged"] == {"by": "set"}
    code, again = call("evaluate", "--run", result["run"], "--on", files["judge"])
    assert code == 0 and again["metrics"]["sts"]["value"] == pytest.approx(judge["after"], abs=1e-6)


def test_with_a_corpus_knn_accuracy_stands_beside_and_test_texts_are_unseen(
    call, toy_corpus, warm_workers, files, tmp_path
):
    texts = list(toy_corpus.texts)
    rows = [[text, other] for text, other in zip(texts[:60], texts[4:64], strict=True)]
    pairs = written(tmp_path / "whole.csv", ["anchor", "positive"], rows)
    code, result = call("train", "--pairs", pairs, "--corpus", files["corpus"], *TINY)
    assert code == 0 and result["recipe"] == "ranking" and result["judge"] is None
    assert result["knn"]["test_texts"] == 12
    assert 0 < result["pairs"]["left_out"] == 60 - result["pairs"]["used"]
    assert any("a test text of the corpus" in each["message"] for each in result["warnings"])
    code, methods = call("methods", result["run"])
    assert f"{result['pairs']['used']} of 60 given pairs of whole" in methods["text"]
    assert "The file of pairs was read as CSV" in methods["text"] and "anchor is 'anchor'" in methods["text"]
    assert "guide" not in methods["text"]
    assert result["pairs"]["reading"]["rows"] == 60
    assert "henderson2017ranking" in methods["citations"] and "reimers2019sbert" in methods["citations"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--recipe", "triplet"], "E-UNFIT", "needs a negative text"),
        (["--recipe", "crops"], "E-SETTING", "does not train on pairs"),
        (["--recipe", "cosent", "--scale", "0,3"], "E-SCORE", "row 2 has 4"),
        (["--positive", "nope"], "E-COLUMN", "has no column 'nope'"),
        (["--scale", "five"], "E-SCALE", "found 'five'"),
        (["--judge", "not there.csv"], "E-NOT-A-TABLE", "not there.csv"),
        (
            ["--recipe", "ranking", "--scale", "0,5", "--set", "augmentation.least_score=1"],
            "E-NO-USABLE-TEXTS",
            "least_score",
        ),
    ],
)
def test_what_does_not_go_is_one_sentence(call, store, warm_workers, files, arguments, code, said):
    exit_code, result = call("train", "--pairs", files["pairs"], *arguments, *TINY)
    assert exit_code != 0 and result["error"]["code"] == code and said in result["error"]["message"]


def test_nli_is_trained_on_by_ranking_and_is_no_score(call, store, warm_workers, tmp_path):
    rows = [[f"the sea number {row // 3}", f"a boat or {row} ships", row % 3] for row in range(60)]
    pairs = written(tmp_path / "nli.csv", ["premise", "hypothesis", "label"], rows)
    code, result = call("train", "--pairs", pairs, "--recipe", "cosent", *TINY)
    assert code != 0 and result["error"]["code"] == "E-NLI" and "with ranking or triplet" in result["error"]["message"]
    code, result = call("train", "--pairs", pairs, "--recipe", "triplet", *TINY)
    assert code == 0 and result["pairs"]["used"] == 20
    methods = call("methods", result["run"])[1]["text"]
    assert "0, 1, 2 of 'label' are entailment, neutral, contradiction;" in methods
    assert result["reading"] == {**result["pairs"]["reading"], "sentence": result["reading"]["sentence"]}
    assert result["reading"]["columns"]["label"] == "label"


def test_pairs_and_their_recipes_need_each_other(call, store, files):
    _, result = call("train", "--corpus", files["corpus"], "--anchor", "text", *TINY)
    assert result["error"]["code"] == "E-COMMAND" and "--pairs FILE" in result["error"]["message"]


def test_a_recipe_of_pairs_without_pairs_says_so(call, store, warm_workers, files):
    _, result = call("train", "--corpus", files["corpus"], "--recipe", "ranking", *TINY)
    assert result["error"]["code"] == "E-UNFIT" and "--pairs" in result["error"]["message"]


def test_a_guide_leaves_out_negatives_and_is_cited(call, store, warm_workers, files):
    arguments = ["--recipe", "ranking", "--set", "objective.guide=words"]
    code, result = call("train", "--pairs", files["pairs"], *arguments, *TINY)
    assert code == 0, result
    terms = (store / "runs" / result["run"] / "terms.jsonl").read_text(encoding="utf-8").splitlines()
    assert all(0 <= json.loads(line)["left_out"] < 1 for line in terms)
    code, methods = call("methods", result["run"])
    assert "solatorio2024gistembed" in methods["citations"] and "found closer to the anchor" in methods["text"]
