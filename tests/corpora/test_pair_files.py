"""Files of given pairs: columns proposed, five cards, faults named by row, odd rows counted."""

import csv
import json

import pytest

from embedlab.corpora.sets.pairs import PairReading, propose_pairs, read_pairs
from embedlab.corpora.sets.stored import list_pairs, open_pairs
from embedlab.errors import CorpusError

QUOTED = 'He said "no,\nnever".'


def written(folder, header: list[str], *rows: list, name: str = "pairs.csv"):
    file = folder / name
    with open(file, "w", newline="", encoding="utf-8") as opened:
        csv.writer(opened).writerows([header, *rows])
    return file


def sentence(pairs) -> str:
    return pairs.info.reading.sentence


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
        (["id", "question1", "question2", "is_duplicate"], "question1", "question2", (), "is_duplicate"),
        (["Quality", "#1 String", "#2 String"], "#1 String", "#2 String", (), "Quality"),
        (["sentence_A", "sentence_B", "relatedness_score"], "sentence_A", "sentence_B", (), "relatedness_score"),
        (["anchor", "entailment", "contradiction"], "anchor", "entailment", ("contradiction",), None),
    ],
)
def test_columns_are_proposed_by_their_names(tmp_path, columns, anchor, positive, negative, score):
    rows = [
        [
            ("1" if name in ("id", "score", "is_duplicate", "Quality", "relatedness_score") else f"{name} {row}")
            for name in columns
        ]
        for row in range(20)
    ]
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
    left = {each.reason: each.first for each in found.info.reading.left_out}
    assert left == {"one of the two texts is empty": (2,), "no score": (3,), "no negative text": (4,)}


def test_repeated_pairs_and_scores_that_differ_are_said(store, tmp_path):
    rows = [["A cat", "a dog", 1], ["a dog", "a CAT", 4], ["x", "y", 2], ["x", "y", 2]]
    found = read_pairs(written(tmp_path, ["sentence1", "sentence2", "score"], *rows))
    assert said(found)["I-REPEATED"].startswith("2 pairs") and said(found)["W-SCORES-DIFFER"].startswith(
        "1 pair appears"
    )
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
    with pytest.raises(CorpusError, match="columns of matching texts are needed"):
        read_pairs(written(tmp_path, ["text"], ["a"], ["b"]))
    with pytest.raises(CorpusError, match="no column 'nope'.*Choose from: anchor, positive"):
        read_pairs(written(tmp_path, ["anchor", "positive"], ["a", "b"]), PairReading(positive="nope"))


def test_the_train_split_is_the_usual_one_and_another_can_be_named(store, tmp_path):
    rows = [["a", "b", "train"], ["c", "d", "train"], ["e", "f", "dev"], ["g", "h", "dev"]]
    file = written(tmp_path, ["anchor", "positive", "split"], *rows)
    found = read_pairs(file)
    assert found.anchors == ["a", "c"] and "2 left out (first: 3, 4): not of the split 'train'" in sentence(found)
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


def labelled(tmp_path, labels: list, columns=("premise", "hypothesis", "label"), name: str = "nli.csv"):
    """Each premise with three hypotheses, in the order of the labels."""
    rows = [[f"p {row // 3}", f"h {row}", label] for row, label in enumerate(labels)]
    return written(tmp_path, list(columns), *rows, name=name)


NLI_FILES = {
    "SNLI's numbers": [0, 1, 2] * 20,
    "words": ["entailment", "neutral", "contradiction"] * 20,
    "capitals": ["ENTAILMENT", "Neutral", "Contradiction"] * 20,
    "numbers with a point": ["0.0", "1.0", "2.0"] * 20,
}


@pytest.mark.parametrize("name", NLI_FILES)
def test_nli_labels_make_pairs_of_entailments_against_contradictions_of_the_premise(store, tmp_path, name):
    found = read_pairs(labelled(tmp_path, NLI_FILES[name]))
    assert found.scores is None and found.info.negatives == 1
    assert found.pairs == [[f"p {row}", f"h {3 * row}", f"h {3 * row + 2}"] for row in range(20)]
    assert "label is 'label'" in sentence(found) and "20 left out (first: 2, 5, 8, 11, 14 …): neutral" in sentence(
        found
    )


def test_pairs_without_a_gold_label_are_left_out_and_another_coding_can_be_named(store, tmp_path):
    found = read_pairs(labelled(tmp_path, [0, -1, 2, 0, 1, 2]))
    assert [(each.reason, each.first) for each in found.info.reading.left_out] == [
        ("no gold label", (2,)), ("neutral", (5,)),
    ]  # fmt: skip
    words = read_pairs(
        labelled(tmp_path, ["entailment", "-", "contradiction"] * 2, ("sentence1", "sentence2", "gold_label"))
    )
    assert words.pairs == [["p 0", "h 0", "h 2"], ["p 1", "h 3", "h 5"]]
    turned = read_pairs(labelled(tmp_path, [0, 1, 2] * 2), PairReading(nli=("contradiction", "neutral", "entailment")))
    assert turned.pairs == [["p 0", "h 2", "h 0"], ["p 1", "h 5", "h 3"]]
    assert "0, 1, 2 of 'label' are contradiction, neutral, entailment" in sentence(turned)
    with pytest.raises(CorpusError, match="but found 'same'"):
        read_pairs(labelled(tmp_path, [0, 1, 2] * 2), PairReading(nli=("same", "neutral", "contradiction")))
    feelings = read_pairs(
        labelled(tmp_path, ["positive", "neutral", "negative"] * 2, ("sentence1", "sentence2", "label"))
    )
    assert feelings.info.pairs == 6 and "not used: 'label'" in sentence(feelings)


def test_entailments_of_which_few_are_contradicted_are_pairs_without_negatives(store, tmp_path):
    rows = [[f"p {row}", f"h {row}", "entailment"] for row in range(9)] + [["p 0", "no", "contradiction"]]
    found = read_pairs(written(tmp_path, ["premise", "hypothesis", "label"], *rows))
    assert found.info.pairs == 9 and found.info.negatives == 0
    assert "1 left out (first: 10): contradictions" in sentence(found)
    alone = PairReading(negative=())
    assert read_pairs(labelled(tmp_path, [0, 1, 2] * 2), alone).pairs == [["p 0", "h 0"], ["p 1", "h 3"]]


AMBIGUOUS = {
    "three numbers that may be classes or scores": (("sentence1", "sentence2", "label"), [0, 1, 2] * 4),
    "two classes of NLI, either of which may be entailment": (("premise", "hypothesis", "label"), [0, 1] * 6),
    "NLI from -1 to 1": (("premise", "hypothesis", "label"), [-1, 0, 1] * 4),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_may_be_nli_or_a_score_is_asked_for(store, tmp_path, name):
    columns, labels = AMBIGUOUS[name]
    file = labelled(tmp_path, labels, columns)
    with pytest.raises(CorpusError, match="--nli entailment.*--scale") as found:
        read_pairs(file)
    assert found.value.code == "E-NLI-OR-SCORE"
    scored = read_pairs(file, PairReading(scale=(min(labels), max(labels))))
    assert scored.scores[:2] == [0, 1 / (len(set(labels)) - 1)]


SCORED = {
    "0 to 1": ("score", [0, 0.25, 1.0], (0, 1), [0, 0.25, 1]),
    "-1 to 1": ("similarity", [-1, 0, 0.5], (-1, 1), [0, 0.5, 0.75]),
    "0 to 4": ("score", [0, 1, 4], (0, 4), [0, 0.25, 1]),
    "0 to 5": ("score", [0, 4.5, 5], (0, 5), [0, 0.9, 1]),
    "decimal commas": ("score", ["0,0", "4,5", "5,0"], (0, 5), [0, 0.9, 1]),
    "SICK": ("relatedness_score", [1, 2, 4.5], (1, 5), [0, 0.25, 0.875]),
    "yes and no": ("is_duplicate", [0, 1, 1], (0, 1), [0, 1, 1]),
    "true and false": ("is_paraphrase", ["true", "False", "yes"], (0, 1), [1, 0, 1]),
}


@pytest.mark.parametrize("name", SCORED)
def test_the_smallest_usual_scale_that_holds_all_scores_is_proposed_and_said(store, tmp_path, name):
    column, values, scale, scores = SCORED[name]
    rows = [[f"a {row}", f"b {row}", value] for row, value in enumerate(values)]
    file = written(tmp_path, ["sentence1", "sentence2", column], *rows)
    found = read_pairs(file)
    assert found.scores == scores and found.info.reading.scale == scale
    assert f"score is '{column}', scores from {scale[0]} to {scale[1]}" in sentence(found)
    assert propose_pairs(file).reading == found.info.reading


def test_of_several_scores_the_first_by_name_counts_and_the_others_are_said(store, tmp_path):
    header = ["sentence_A", "sentence_B", "entailment_label", "relatedness_score"]
    rows = [["a", "b", "NEUTRAL", 3], ["c", "d", "ENTAILMENT", 5], ["e", "f", "CONTRADICTION", 1]]
    found = read_pairs(written(tmp_path, header, *rows))
    assert found.scores == [0.5, 1, 0] and "not used: 'entailment_label'" in sentence(found)


def test_one_cell_in_a_hundred_that_is_no_score_is_left_out_and_more_are_refused(store, tmp_path):
    rows = [[f"a {row}", f"b {row}", row % 6] for row in range(200)]
    rows[6][2] = "broken"
    file = written(tmp_path, ["sentence1", "sentence2", "score"], *rows)
    found = read_pairs(file)
    assert found.info.pairs == 199 and "1 left out (first: 7): no score" in sentence(found)
    for row in (8, 10):
        rows[row][2] = "broken"
    with pytest.raises(CorpusError, match="row 7 of the column 'score' has 'broken' .so have 3 of 200 rows"):
        read_pairs(written(tmp_path, ["sentence1", "sentence2", "score"], *rows))
    worded = written(tmp_path, ["sentence1", "sentence2", "score"], *([f"a {row}", "b", "high"] for row in range(9)))
    with pytest.raises(CorpusError, match="row 1 of the column 'score' has 'high'"):
        read_pairs(worded)
    topics = [[f"a {row}", f"b {row}", "sport" if row % 2 else "food"] for row in range(9)]
    found = read_pairs(written(tmp_path, ["sentence1", "sentence2", "label"], *topics))
    assert found.scores is None and "not used: 'label'" in sentence(found)


def test_a_column_of_few_short_labels_is_no_positive(store, tmp_path):
    rows = [[f"is it {row}?", "yes" if row % 2 else "no"] for row in range(60)]
    file = written(tmp_path, ["question", "answer"], *rows)
    with pytest.raises(CorpusError, match="'answer' has only a few different short values"):
        read_pairs(file)
    assert read_pairs(file, PairReading(positive="answer")).info.pairs == 60


def test_the_same_pairs_in_another_file_have_its_name_and_reading(store, tmp_path):
    rows = [["a", "b", 5], ["c", "d", 1], ["e", "f", 0]]
    first = read_pairs(written(tmp_path, ["sentence1", "sentence2", "score"], *rows, ["x", "", 5], name="first.csv"))
    second = read_pairs(written(tmp_path, ["anchor", "positive", "score"], *rows, name="second.csv"))
    assert first.fingerprint == second.fingerprint and len(first.info.reading.left_out) == 1
    again = open_pairs(first.fingerprint).info
    assert again.name == "second" and again.reading.columns["anchor"] == "anchor" and not again.reading.left_out


def test_how_the_file_is_parsed_can_be_named(store, tmp_path):
    file = tmp_path / "odd.txt"
    file.write_bytes("sentence1~sentence2~score\ncaf\xe9~b~5\nc~d~0\n".encode("cp1252"))
    found = read_pairs(file, PairReading(separator="~", encoding="cp1252", header_row=1))
    assert found.anchors == ["café", "c"] and found.info.reading.encoding == "cp1252"
