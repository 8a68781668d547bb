"""Measurements from a notebook: one number by hand, every function on the toy corpus, wrong input in one sentence."""

import json

import numpy as np
import pytest
from builders import both, finished, judged, knn, leave_result, lines
from made_finds import over

import embedlab as el
from embedlab.api.run import OwnEncoder
from embedlab.cli import main
from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError, EncoderError, RunError, SettingsError, UnknownPartError, UserError
from embedlab.finds.store import Find, write_results
from embedlab.runs.result import read_result
from embedlab.runs.state import State, write_state
from embedlab.runs.store import create_run
from embedlab.tasks.measure.embedded import load_embeddings

QUIET = {"progress": False}


def test_nine_of_twelve_texts_are_three_quarters_everywhere(toy_corpus, capfd):
    folder = finished(toy_corpus)
    change = judged((0.25, 0.05, 0.45), against={"tfidf": (-0.083, -0.2, 0.03)})
    facts = {
        "knn": knn((6 / 12, 9 / 12), (5 / 12, 10 / 12)),
        "judged": both(change),
        "references": lines(tfidf=10 / 12),
    }
    leave_result(folder, toy_corpus, steps=8, usable_texts=120, **facts)
    accuracy = el.open_run(folder.id).knn
    assert accuracy.euclidean.after == 0.75 and accuracy.cosine.after == 10 / 12 and accuracy.test_texts == 12
    assert accuracy.by("euclidean") is accuracy.euclidean and accuracy.by("cosine") is accuracy.cosine
    assert accuracy.euclidean.standard_error == pytest.approx((0.75 * 0.25 / 12) ** 0.5)  # √(p(1−p)/n)
    assert accuracy.euclidean.change.difference == 0.25 and accuracy.euclidean.against["tfidf"].high == 0.03
    stored = json.loads(folder.result.read_text(encoding="utf-8"))
    assert stored["knn"]["after"]["euclidean"]["value"] == accuracy.euclidean.after
    capfd.readouterr()
    assert main(["runs", "show", folder.id, "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["result"]["knn"]["after"] == accuracy.euclidean.after
    assert repr(accuracy) == (
        "kNN accuracy (k = 10) on 12 test texts\n"
        "  cosine: 41.7 % ± 14.2 → 83.3 % ± 10.8, +25.0 points (95 %: 5.0 … 45.0)\n"
        "  Euclidean distance: 50.0 % ± 14.4 → 75.0 % ± 12.5, +25.0 points (95 %: 5.0 … 45.0)\n"
        "  TF-IDF: 83.3 % ± 10.8 (cosine), 83.3 % ± 10.8 (Euclidean distance)"
    )


def test_the_encoder_of_a_run_gives_the_vectors_that_were_measured(token_run, toy_corpus):
    run = el.open_run(token_run.id)
    measured = np.asarray(load_embeddings(token_run, "after"))
    texts = list(toy_corpus.texts)
    assert type(run.encoder).__name__ == "SentenceTransformer" and run.encoder is run.encoder
    assert np.allclose(run.encoder.encode(texts), measured, atol=1e-5)
    ours = OwnEncoder(token_run)
    assert np.allclose(ours.encode(texts), measured, atol=1e-5) and ours.encode(texts[0]).shape == measured[0].shape


def test_without_sentence_transformers_the_encoder_is_ours(token_run, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    assert isinstance(el.open_run(token_run.id).encoder, OwnEncoder)


def test_texts_and_corpora_are_embedded(token_run, toy_corpus):
    run = el.open_run(token_run.id)
    measured = np.asarray(load_embeddings(token_run, "after"))
    assert np.array_equal(el.embed(run, toy_corpus, **QUIET), measured)
    assert np.allclose(el.embed(run, [toy_corpus.texts[3]], **QUIET), measured[3:4], atol=1e-5)
    assert el.embed("words", ["star and moon"], corpus=toy_corpus, **QUIET).shape[0] == 1
    other = store_corpus(Draft(name="other", source="x", texts=["A star.", "", "A moon."]))
    vectors = el.embed(run, other, **QUIET)
    assert vectors.shape == (3, measured.shape[1]) and not vectors[1].any() and vectors[2].any()
    with pytest.raises(SettingsError, match="but a string was given: 'a text'"):
        el.embed(run, "a text")
    with pytest.raises(EncoderError, match="nonsense"):
        el.embed("nonsense", ["a text"], **QUIET)


def test_evaluate_keeps_what_the_command_line_prints(token_run, capfd):
    run = el.open_run(token_run.id)
    scores = el.evaluate(run, metrics=["linear", "knn"], **QUIET)
    table = scores.to_pandas()
    assert [(row.metric, row.distance) for row in scores] == [
        ("linear", None), ("knn", "cosine"), ("knn", "euclidean"),
    ]  # fmt: skip
    assert list(table["metric"]) == ["linear", "knn", "knn"] and len(scores) == 3 and scores[0].title == "Linear probe"
    assert scores[2].after == run.knn.euclidean.after and scores[2].change == run.knn.euclidean.change.difference
    capfd.readouterr()
    assert main(["evaluate", "--run", run.id, "--metrics", "linear", "--json", "--quiet"]) == 0
    assert json.loads(capfd.readouterr().out)["metrics"]["linear"]["value"] == scores[0].after
    assert scores[0].low <= scores[0].change <= scores[0].high and scores[0].n == 12


def test_evaluate_reads_a_file_of_pairs(token_run, tmp_path):
    rows = [f"star galaxy {n},star orbit {n},{n % 6}" for n in range(12)]
    (tmp_path / "pairs.csv").write_text("\n".join(["sentence1,sentence2,score", *rows]), encoding="utf-8")
    (score,) = el.evaluate(token_run.id, ["sts"], on=tmp_path / "pairs.csv", **QUIET)
    assert score.metric == "sts" and score.distance is None and score.n == 12 and -1 <= score.after <= 1


@pytest.mark.parametrize(
    ("metrics", "error", "sentence"),
    [
        (["lineer"], UnknownPartError, "Did you mean 'linear'"),
        (["match-query"], UserError, "summar"),
        (["sts"], UserError, "score"),
    ],
)
def test_a_metric_that_cannot_be_measured_is_one_sentence(token_run, metrics, error, sentence):
    with pytest.raises(error, match=sentence):
        el.evaluate(token_run.id, metrics=metrics, **QUIET)


def test_compare_marks_the_best_beside_untouched_encoders_and_baselines(token_run, layered_run):
    rows = el.compare([el.Run(token_run), layered_run.id], metrics=["knn"])
    assert {row.kind for row in rows} == {"run", "untouched", "baseline"}
    assert {row.distance for row in rows} == {"cosine", "euclidean"}
    of_runs = [row for row in rows if row.kind == "run" and row.distance == "euclidean"]
    assert {row.key: row.value for row in of_runs} == {
        run.id: el.Run(run).knn.euclidean.after for run in (token_run, layered_run)
    }
    assert "best" in {row.mark for row in of_runs} and "TF-IDF" in rows._repr_html_()
    with pytest.raises(UnknownPartError):
        el.compare([token_run.id], metrics=["knm"])


def test_nothing_measured_is_nothing_to_compare(store):
    bare = store_corpus(Draft(name="bare", source="x", texts=["One text here.", "Another text."]))
    with pytest.raises(RunError, match="None of these runs has been measured"):
        el.compare([finished(bare).id])


def test_layers_of_two_layers_are_those_of_the_file(layered_run):
    layers = el.layers(layered_run.id, **QUIET)
    stored = json.loads(layered_run.layers.read_text(encoding="utf-8"))["layers"]
    by_euclidean = [row for row in layers if row.distance == "euclidean"]
    assert [row.layer for row in by_euclidean] == [row["layer"] for row in stored]
    assert by_euclidean[-1].after == stored[-1]["after"]["knn"]["euclidean"]["value"]
    assert len(layers.best) == 2 and layers.test_texts == read_result(layered_run).folds.after.either.n
    assert layers.note == ""
    assert layers.figure("euclidean").layout.title.text.startswith("kNN accuracy (Euclidean distance)")


def test_the_length_attack_has_a_row_for_each_encoder(layered_run):
    attack = el.length_attack(layered_run.id, copies=5, **QUIET)
    stored = json.loads(layered_run.length.read_text(encoding="utf-8"))
    assert [row.encoder for row in attack] == ["untouched", "tuned"] and attack[0].copies == 5
    assert attack[1].mean_after == stored["tuned"]["after"]["mean"] and attack[0].pairs == stored["pairs"]
    assert len(attack.figure().data) == 4
    with pytest.raises(UserError, match="Setting 'length.copies' is 0"):
        el.length_attack(layered_run.id, copies=0, **QUIET)


def test_maps_are_drawn_when_they_are_asked_for_and_then_read(token_run, toy_corpus, monkeypatch):
    run = el.open_run(token_run.id)
    figure = run.map("pca", progress=False)
    assert token_run.map("after", "pca").exists() and len(figure.data) == 2 * 4
    assert sum(len(trace.x) for trace in figure.data) == 2 * 120 and "law" in {trace.name for trace in figure.data}
    monkeypatch.setattr("embedlab.api.run.worked", lambda *_, **__: pytest.fail("it is there already"))
    assert run.map("pca").data[0].x.tolist() == figure.data[0].x.tolist()
    with pytest.raises(UnknownPartError, match="Did you mean 'umap'"):
        run.map("umpa")
    with pytest.raises(RunError, match="no coordinates of its own"):
        run.map("own")


def test_imported_embeddings_are_a_run_without_an_encoder(token_run, toy_corpus, tmp_path):
    before, after = (np.array(load_embeddings(token_run, side)) for side in ("before", "after"))
    np.save(tmp_path / "after.npy", after)
    run = el.import_embeddings(toy_corpus, before, tmp_path / "after.npy", name="mine", **QUIET)
    assert run.name == "mine" and run.knn.euclidean.after == el.Run(token_run).knn.euclidean.after
    assert run.state is State.FINISHED and "kNN accuracy" in run._repr_html_()
    for question in (lambda: run.encoder, lambda: el.embed(run, ["a text"], **QUIET)):
        with pytest.raises(RunError, match="This needs an encoder"):
            question()
    with pytest.raises(UserError, match="119"):
        el.import_embeddings(toy_corpus, before[:-1], **QUIET)
    with pytest.raises(UserError, match="'before' is not"):
        el.import_embeddings(toy_corpus, after=after, **QUIET)


def test_a_find_returns_its_winner_and_its_leaderboard(toy_corpus, token_run, monkeypatch):
    def worker(request):
        (find,) = Find.all()
        write_results(find, over(winner=token_run.id))
        job = create_run(request.task, request.stored)
        write_state(job, State.FINISHED)
        return job

    monkeypatch.setattr("embedlab.api.search.submit", worker)
    result = el.find(toy_corpus, minutes=0.5, **QUIET)
    assert result.winner == el.Run(token_run) and result.verdict == over(winner=token_run.id).verdict.sentence
    table = result.to_pandas()
    assert table.iloc[0]["mark"] == "best" and table.iloc[0]["value"] == 0.67  # by cosine one point better than 0.66
    assert set(table["state"]) >= {"finished", "failed", "not tried"} and result.verdict in repr(result)


def test_a_find_without_anything_to_judge_by_begins_nothing(store):
    bare = store_corpus(Draft(name="bare", source="x", texts=[f"Text number {n}." for n in range(30)]))
    with pytest.raises(CorpusError, match="Find needs something to select by"):
        el.find(bare, **QUIET)
    with pytest.raises(SettingsError, match="minutes"):
        el.find(bare, minutes=0)
    assert not Find.all()
