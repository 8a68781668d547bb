"""Maps, layers, length, further metrics and questions on a finished run."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from doing import do, result_of

from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError
from embedlab.jobs.questions import answer, ask_folder, next_question
from embedlab.runs.drawn_map import read_layer_maps
from embedlab.store_root import read_json, write_json


def test_maps_before_and_after_are_drawn_and_the_one_before_never_moves(tiny, token_run):
    do("map", {"run": token_run.id, "method": "tsne"})
    before, after = (pq.read_table(token_run.map(name, "tsne")) for name in ("before", "after"))
    assert before.column_names == ["id", "x", "y"] and before.num_rows == after.num_rows == 120
    assert np.isfinite(before["x"].to_numpy()).all() and read_json(token_run.map_facts("before", "tsne"))["seed"] == 42
    assert read_json(token_run.map_facts("after", "tsne"))["initialization"] == "the map before"

    second = do("train", {**tiny, "epochs": 1})
    do("map", {"run": second.id, "method": "tsne"})
    assert pq.read_table(second.map("before", "tsne")).equals(before)
    assert not pq.read_table(second.map("after", "tsne")).equals(after)


def test_a_token_layer_has_one_layer_and_a_transformer_all_of_them(token_run, layered_run, monkeypatch):
    do("layers", {"run": token_run.id})
    found = read_json(token_run.layers)
    assert [row["layer"] for row in found["layers"]] == [0] and found["flat_because"]

    do("layers", {"run": layered_run.id})
    rows = read_json(layered_run.layers)["layers"]
    assert {(row["layer"], row["pooling"]) for row in rows} == {
        (i, p) for i in range(3) for p in ("mean", "cls", "last")
    }
    last = next(row for row in rows if (row["layer"], row["pooling"]) == (2, "mean"))
    assert read_layer_maps(layered_run) is None and "linear" not in last["after"]

    do("layers", {"run": layered_run.id, "settings": {"token": 3, "linear": True}, "maps": True})
    found, drawn = read_json(layered_run.layers), read_layer_maps(layered_run)
    assert {row["pooling"] for row in found["layers"]} == {"mean", "cls", "last", "token-3"}
    assert found["settings"] == {"token": 3, "linear": True}
    assert all(0 <= row[state]["linear"]["value"] <= 1 for row in found["layers"] for state in ("before", "after"))
    assert drawn.before.shape == drawn.after.shape == (3, len(drawn.rows), 2) and (np.diff(drawn.rows) > 0).all()
    assert np.isfinite(drawn.before).all() and np.isfinite(drawn.after).all()
    assert (drawn.pooling, drawn.of) == ("mean", found["texts"]) and found["no_maps"] is None

    def refused(*of, **how):
        raise CorpusError("E-ALIKE", "All texts are one vector.")

    monkeypatch.setattr("embedlab.tasks.measure.layers.layer_maps", refused)
    do("layers", {"run": layered_run.id, "maps": True})
    found = read_json(layered_run.layers)
    assert found["no_maps"] == "All texts are one vector." and len(found["layers"]) == 9


def test_the_length_attack_leaves_a_token_layer_as_it_is(token_run):
    do("length", {"run": token_run.id, "settings": {"copies": 20}})
    found = read_json(token_run.length)
    assert found["untouched"]["before"] == found["untouched"]["after"] and found["flat_because"]
    cosines = pq.read_table(token_run.similarities).to_pandas()
    assert set(cosines["kind"]) == {"random", "same_label"} and set(cosines["encoder"]) == {"untouched", "tuned"}
    chosen = cosines[(cosines.kind == "random") & (cosines.encoder == "tuned")]
    assert chosen["before"].mean() == pytest.approx(found["tuned"]["before"]["mean"])


def test_the_length_attack_without_labels_has_random_pairs_only(store, tiny, toy_corpus):
    corpus = store_corpus(Draft(name="bare", source="test", texts=toy_corpus.texts))
    run = do("train", {**tiny, "corpus": corpus.fingerprint})
    do("length", {"run": run.id, "settings": {"copies": 5}})
    assert read_json(run.length)["same_label"] is None and read_json(run.length)["pairs"] > 0
    assert set(pq.read_table(run.similarities)["kind"].to_pylist()) == {"random"}


def test_the_length_attack_takes_the_pairs_of_a_file(token_run, tmp_path):
    file = tmp_path / "pairs.csv"
    file.write_text("sentence1,sentence2\na star,a planet\nbutter,flour\na comet,an anchor\n", encoding="utf-8")
    do(
        "length",
        {"run": token_run.id, "settings": {"copies": 5}, "pairs_file": {"path": str(file), "name": "mine.csv"}},
    )
    found = read_json(token_run.length)
    assert (found["pairs"], found["texts"], found["file"], found["same_label"]) == (3, "given", "mine.csv", None)
    file.write_text("text,label\nx,y\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="needs the columns sentence1 and sentence2, but mine.csv has text, label"):
        do("length", {"run": token_run.id, "pairs_file": {"path": str(file), "name": "mine.csv"}})


def test_further_metrics_are_kept_beside_the_run(token_run):
    do("evaluate", {"run": token_run.id, "metrics": ["linear", "knn"]})
    found = read_json(token_run.evaluations)["metrics"]["corpus"]
    assert found["knn"]["after"]["euclidean"]["value"] == pytest.approx(result_of(token_run)["knn"]["after"])
    assert 0 <= found["linear"]["before"]["value"] <= 1


def test_a_typed_text_finds_itself_and_lands_on_the_map(token_run, tiny):
    from embedlab.corpora.base import open_corpus
    from embedlab.tasks.questions import _answer

    do("map", {"run": token_run.id, "method": "tsne"})
    text = open_corpus(tiny["corpus"]).texts[7]
    found = _answer({"kind": "neighbors", "run": token_run.id, "text": text, "k": 5, "method": "tsne"})
    assert found["before"]["rows"][0] == found["after"]["rows"][0] == 7
    assert found["after"]["distances"][0] == pytest.approx(0, abs=1e-5) and len(found["after"]["position"]) == 2
    for text in ("", "\N{UNICORN FACE}"):
        assert not _answer({"kind": "neighbors", "run": token_run.id, "text": text, "k": 5, "method": "tsne"})["after"][
            "is_known"
        ]
    unknown = _answer({"kind": "neighbors", "run": token_run.id, "text": "", "k": 5, "method": "tsne"})
    assert not unknown["after"]["is_known"] and unknown["after"]["position"] is None


def test_a_bad_question_gets_a_sentence(token_run):
    from embedlab.tasks.questions import _answer

    assert _answer({"kind": "dance"})["error"]["code"] == "E-QUESTION"
    assert (
        _answer({"kind": "neighbors", "run": "nothere1", "text": "x", "k": 1, "method": "tsne"})["error"]["code"]
        == "E-UNKNOWN-RUN"
    )


def test_questions_and_answers_pass_through_files(store):
    write_json(ask_folder() / "0aaaaaaa.question.json", {"kind": "length"})
    number, question = next_question()
    assert question == {"kind": "length"} and next_question() is None
    assert answer(number) is None
    write_json(ask_folder() / f"{number}.answer.json", {"before": 1})
    assert answer(number) == {"before": 1} and answer(number) is None
