"""``pairs mine``: the negatives of sentence-transformers by one encoder, in a file that ``train --pairs`` reads."""

import csv

import pyarrow.parquet as pq
import pytest
from stand_in_hub import hub_of, serving
from toy_corpora import toy_texts

from embedlab.cli.mining import show_mine
from embedlab.corpora.sets.pairs import propose_pairs


@pytest.fixture
def halves() -> list[list[str]]:
    return [text.split(". ")[:2] for text in toy_texts()[0][:40]]


@pytest.fixture
def file(halves, tmp_path) -> str:
    return written(tmp_path / "pairs.csv", ["anchor", "positive"], halves)


def written(file, header, rows) -> str:
    with open(file, "w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows])
    return str(file)


def test_it_equals_sentence_transformers_and_train_reads_it(call, store, warm_workers, file, halves, tmp_path):
    from tiny_models import hub_folder

    sentence_transformers = pytest.importorskip("sentence_transformers")
    datasets = pytest.importorskip("datasets")
    folder, out = tmp_path / "encoder", tmp_path / "mined.parquet"
    hub_folder(folder, "bert", [text for pair in halves for text in pair])
    arguments = ["--encoder", str(folder), "--out", str(out), "--negatives", "2", "--absolute-margin", "0.01"]
    code, result = call("pairs", "mine", file, *arguments, "--precision", "fp32")
    assert code == 0, result
    ours = {(row["anchor"], row["positive"]): list(row.values())[2:] for row in pq.read_table(out).to_pylist()}
    theirs = sentence_transformers.util.mine_hard_negatives(
        datasets.Dataset.from_dict({"anchor": [a for a, _ in halves], "positive": [p for _, p in halves]}),
        sentence_transformers.SentenceTransformer(str(folder), device="cpu"),
        num_negatives=2,
        absolute_margin=0.01,
        output_format="n-tuple",
        verbose=False,
    )
    expected = {(anchor, positive): rest for anchor, positive, *rest in (list(row.values()) for row in theirs)}
    assert ours == expected and 0 < result["mined"] == len(ours) == 40 - result["without"]
    proposal = propose_pairs(out)
    assert (proposal.anchor, proposal.positive, proposal.score) == ("anchor", "positive", None)
    assert proposal.negative == ("negative_1", "negative_2")
    first = result["examples"][0]
    assert ours[first["anchor"], first["positive"]] == first["negatives"]
    lines = show_mine(result)
    assert f"{result['mined']} of 40 pairs have 2 negatives each" in lines[0]
    assert lines[-1].endswith(f"--pairs {out}") and any(line.startswith("  − ") for line in lines)


def test_scored_pairs_that_do_not_match_are_left_out_and_words_come_from_the_pairs(
    call, store, warm_workers, halves, tmp_path
):
    rows = [[*pair, 5 if number % 2 else 1] for number, pair in enumerate(halves)]
    scored = written(tmp_path / "scored.csv", ["sentence1", "sentence2", "score"], rows)
    out = tmp_path / "mined.parquet"
    code, result = call("pairs", "mine", scored, "--encoder", "words", "--out", str(out), "--scale", "0,5")
    assert code == 0 and result["pairs"]["used"] == 20 and result["by"] == {"encoder": "words"}
    written_pairs = {row["anchor"] for row in pq.read_table(out).to_pylist()}
    assert written_pairs <= {anchor for anchor, _, score in rows if score == 5}


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--out", "mined.csv"], "E-OUT", ".parquet"),
        (["--range-max", "2"], "E-SETTING", "leave room for 2"),
        (["--max-score", "-1"], "E-NO-NEGATIVES", "by max_score"),
        (["--positive", "nope"], "E-COLUMN", "has no column 'nope'"),
    ],
)
def test_a_mistake_is_one_sentence(call, store, warm_workers, file, tmp_path, arguments, code, message):
    out = [] if "--out" in arguments else ["--out", str(tmp_path / "mined.parquet")]
    exit_code, result = call("pairs", "mine", file, "--encoder", "words", *out, *arguments)
    assert exit_code == 2 and result["error"]["code"] == code and message in result["error"]["message"]
    assert not (tmp_path / "mined.parquet").exists()


@pytest.mark.slow  # a worker that may connect is a process of its own
def test_pairs_of_the_hub_are_fetched_by_a_worker(call, store, halves, tmp_path, monkeypatch):
    rows = "".join(f'"{one}","{other}"\n' for one, other in halves)
    repositories = {"someone/qa": {"pair/train.csv": f"anchor,positive\n{rows}".encode()}}
    arguments = ["--encoder", "words", "--out", str(tmp_path / "mined.parquet")]
    monkeypatch.delenv("EMBEDLAB_WORKER")  # the warm ones are offline
    with hub_of(serving(repositories, []), monkeypatch):
        code, result = call("pairs", "mine", "hf:someone/qa:pair", *arguments)
    assert code == 0 and result["pairs"]["used"] == 40 and result["pairs"]["name"] == "qa-pair", result
