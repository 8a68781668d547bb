"""Files of given pairs: columns proposed, five cards, faults named by row, odd rows counted."""

import csv
import json

import pytest

from embedlab.corpora.pairs.reading import PairReading, propose_pairs, read_pairs
from embedlab.corpora.pairs.stored import list_pairs, open_pairs
from embedlab.errors import CorpusError

QUOTED = 'He said "no,\nnever".'


def written(folder, header: list[str], *rows: list, name: str = "pairs.csv"):
    file = folder / name
    with open(file, "w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows])
    return file


def said(pairs) -> dict[str, str]:
    return {note.code: note.message for note in pairs.info.notes}


@pytest.mark.parametrize(
    ("columns", "anchor", "positive", "negative", "score"),
    [
        (["anchor", "positive"], "anchor", "positive", (), None),
        (["id", "query", "document"], "query", "document", (), None),
        (["sentence1", "sentence2", "score"], "sentence1", "sentence2", (), "score"),
        (["question", "answer", "negative_1", "negative_2"], "question", "answer", ("negative_1", "negative_2"), None),
        (["premise", "hypothesis", "hard_neg"], "premise", "hypothesis", ("hard_neg",), None),
    ],
)
def test_columns_are_proposed_by_their_names(tmp_path, columns, anchor, positive, negative, score):
    rows = [[("1" if name in ("id", "score") else f"{name} {row}") for name in columns] for row in range(20)]
    found = propose_pairs(written(tmp_path, columns, *rows))
    assert (found.anchor, found.positive, found.negative, found.score) == (anchor, positive, negative, score)
    assert (
        len(found.cards) == 5
        and found.cards[0].anchor == f"{anchor} 0"
        and len(found.cards[0].negatives) == len(negative)
    )


def test_texts_are_kept_with_line_breaks_and_quotes_as_one_text(store, tmp_path):
    found = read_pairs(written(tmp_path, ["anchor", "positive"], [QUOTED, "B"], ["C", "D"]))
    assert found.pairs == [['He said "no, never".', "B"], ["C", "D"]] and found.scores is None
    again = open_pairs(found.fingerprint)
    assert again.pairs == found.pairs and again.texts == ['He said "no, never".', "B", "C", "D"]
    assert [info.name for info in list_pairs()] == ["pairs"]


def test_rows_without_both_texts_or_a_score_or_a_negative_are_counted(store, tmp_path):
    header = ["sentence1", "sentence2", "score", "negative"]
    rows = [["a", "b", 5, "n"], ["a", "", 5, "n"], ["c", "d", "", "n"], ["e", "f", 1, ""], ["g", "h", 0, "n"]]
    found = read_pairs(written(tmp_path, header, *rows))
    assert found.pairs == [["a", "b", "n"], ["g", "h", "n"]] and found.scores == [1.0, 0.0]
    assert (found.info.rows, found.info.pairs, found.info.negatives) == (5, 2, 1)
    assert said(found)["W-EMPTY"].startswith("1 rows") and said(found)["W-NO-SCORE"].startswith("1 pairs")
    assert said(found)["W-NO-NEGATIVE"].startswith("1 pairs")


def test_repeated_pairs_and_scores_that_differ_are_said(store, tmp_path):
    rows = [["A cat", "a dog", 1], ["a dog", "a CAT", 4], ["x", "y", 2], ["x", "y", 2]]
    found = read_pairs(written(tmp_path, ["sentence1", "sentence2", "score"], *rows))
    assert said(found)["I-REPEATED"].startswith("2 pairs") and said(found)["W-SCORES-DIFFER"].startswith("1 pairs")
    assert found.info.pairs == 4


def test_scales_are_found_or_named(store, tmp_path):
    shares = written(tmp_path, ["sentence1", "sentence2", "score"], ["a", "b", 0.5], ["c", "d", 1])
    assert read_pairs(shares).scores == [0.5, 1.0]
    fives = written(tmp_path, ["sentence1", "sentence2", "score"], ["a", "b", 2.5], ["c", "d", 1])
    assert read_pairs(fives).scores == [0.5, 0.2]
    sick = read_pairs(fives, PairReading(scale=(1, 3)))
    assert sick.scores == [0.75, 0.0]


def test_a_score_off_the_scale_is_named_by_its_row_and_value(store, tmp_path):
    file = written(tmp_path, ["sentence1", "sentence2", "score"], ["a", "b", 3], ["c", "d", 7])
    with pytest.raises(CorpusError, match="row 2 has 7.*--scale") as found:
        read_pairs(file)
    assert found.value.code == "E-SCORE"
    assert read_pairs(file, PairReading(scale=(0, 10))).scores == [0.3, 0.7]
    worded = written(tmp_path, ["sentence1", "sentence2", "grade"], ["a", "b", "3"], ["c", "d", "good"])
    with pytest.raises(CorpusError, match="row 2 of the column 'grade' has 'good'"):
        read_pairs(worded, PairReading(score="grade"))


def test_a_single_pair_and_a_file_of_one_column_are_refused(store, tmp_path):
    with pytest.raises(CorpusError, match="at least 2 pairs, but 'pairs.csv' has 1 in 2 rows"):
        read_pairs(written(tmp_path, ["anchor", "positive"], ["a", "b"], ["c", ""]))
    with pytest.raises(CorpusError, match="belong together are needed"):
        read_pairs(written(tmp_path, ["text"], ["a"], ["b"]))
    with pytest.raises(CorpusError, match="no column 'nope'.*Its columns are: anchor, positive"):
        read_pairs(written(tmp_path, ["anchor", "positive"], ["a", "b"]), PairReading(positive="nope"))


def test_the_train_split_is_the_usual_one_and_another_can_be_named(store, tmp_path):
    rows = [["a", "b", "train"], ["c", "d", "train"], ["e", "f", "dev"], ["g", "h", "dev"]]
    file = written(tmp_path, ["anchor", "positive", "split"], *rows)
    found = read_pairs(file)
    assert found.anchors == ["a", "c"] and "2 of 4 rows" in said(found)["I-SPLIT"]
    assert read_pairs(file, PairReading(split="dev")).anchors == ["e", "g"]
    with pytest.raises(CorpusError, match="Choose from: dev, train"):
        read_pairs(file, PairReading(split="tset"))


def test_a_column_of_lists_gives_as_many_negatives_to_each_pair(store, tmp_path):
    file = tmp_path / "pairs.jsonl"
    rows = [{"query": q, "positive": f"{q}+", "negatives": [f"{q}{n}" for n in range(count)]} for q, count in
            (("a", 3), ("b", 2))]  # fmt: skip
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = read_pairs(file)
    assert found.pairs == [["a", "a+", "a0", "a1"], ["b", "b+", "b0", "b1"]]
