"""No number of a run comes from texts whose labels it, or what it grew from, was trained by: the ways they leak."""

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from doing import do, result_of

from embedlab.comparison.selected_accuracy import accuracy_on
from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import EmbedlabError, SettingsError
from embedlab.metrics.base import MetricResult
from embedlab.metrics.split import paper_split
from embedlab.runs.evaluations import CORPUS, Evaluations, baseline_folder
from embedlab.runs.folder import RunFolder
from embedlab.runs.label_lineage import FILE, NO_LABELS, hash_of, labels_read_by, labels_read_of_run, saw_labels
from embedlab.runs.map_readings import class_neighbors_of, moves_of
from embedlab.runs.predictions import folds_of
from embedlab.runs.store import delete_run
from embedlab.store_root import read_json, write_json
from embedlab.tasks.draw.movement import write_moves
from embedlab.tasks.measure.length import pairs_of


@pytest.fixture
def trained(supervised_run) -> RunFolder:
    """A run by labels on the toy corpus."""
    return supervised_run


@pytest.fixture
def following(tiny, trained) -> RunFolder:
    """A run without labels from its encoder."""
    return do("train", {**tiny, "epochs": 1, "encoder": f"run:{trained.id}"})


@pytest.fixture
def shared(toy_corpus) -> str:
    """Another corpus: every second text of the toy one in capitals, and forty that it has not."""
    words = {label: [] for label in ("astronomy", "cooking", "law", "sailing")}
    for text, label in zip(toy_corpus.texts, toy_corpus.labels, strict=True):
        words[label] += text.replace(".", "").split()
    rng, texts, labels = np.random.default_rng(7), [], []
    for number in range(40):
        label = sorted(words)[number % 4]
        texts.append(" ".join(rng.choice(words[label], 60)) + ".")
        labels.append(label)
    texts += [text.upper().replace(" ", "  ") for text in toy_corpus.texts[::2]]
    labels += list(toy_corpus.labels[::2])
    return store_corpus(Draft(name="shared", source="x", texts=texts, labels=labels)).fingerprint


def split_on(fingerprint: str):
    corpus = open_corpus(fingerprint)
    return corpus, paper_split(corpus.texts, corpus.labels, corpus.kept)


def rows_tested(run: RunFolder) -> set[int]:
    """The corpus rows of its predictions."""
    return set(pq.ParquetFile(run.predictions).read(columns=["row"]).column("row").to_pylist())


def test_a_run_by_labels_has_no_ten_folds_and_says_so(trained):
    result = result_of(trained)
    assert result["saw_labels"] and result["supervised"] and result["knn"] and result["folds"] is None
    assert not trained.predictions_by_folds.exists()
    with pytest.raises(EmbedlabError, match="trained on"):
        do("folds", {"run": trained.id})
    assert not trained.predictions_by_folds.exists()


def test_what_was_read_lies_beside_the_encoder_and_none_of_it_is_a_test_text(trained, tiny):
    corpus, split = split_on(tiny["corpus"])
    kept = set(read_json(trained.encoder / FILE)["hashes"])
    assert kept and kept <= {hash_of(corpus.texts[row]) for row in split.train}
    assert not kept & {hash_of(corpus.texts[row]) for row in split.test}
    assert labels_read_of_run(trained).hashes == kept and labels_read_of_run(trained, "before") == NO_LABELS


def test_the_lineage_of_a_run_is_inherited_through_its_id(following, trained):
    result = result_of(following)
    assert result["saw_labels"] and not result["supervised"] and result["folds"] is None
    assert labels_read_of_run(following) == labels_read_of_run(following, "before") == labels_read_of_run(trained)
    said = [warning["message"] for warning in result["warnings"] if warning["code"] == "I-TRAINED-ON"]
    assert said and "without labels" not in said[0] and "untouched" not in result["verdict"]


def test_it_is_inherited_through_a_copy_of_the_folder_and_when_the_run_is_deleted(tiny, trained, tmp_path):
    read = labels_read_of_run(trained)
    exported = tmp_path / "exported"
    shutil.copytree(trained.encoder, exported)
    following = do("train", {**tiny, "epochs": 1, "encoder": f"run:{trained.id}"})
    delete_run(trained)
    by_folder = do("train", {**tiny, "epochs": 1, "encoder": str(exported)})
    for run in (following, by_folder):
        assert result_of(run)["saw_labels"] and saw_labels(run, "before")
        assert labels_read_of_run(run) == labels_read_of_run(run, "before") == read == labels_read_by(str(exported))
        with pytest.raises(SettingsError, match="Ten folds"):
            do("evaluate", {"run": run.id, "metrics": ["knn"], "protocol": "cv10"})


def test_the_folder_says_so_to_other_programs_and_still_loads(trained):
    from sentence_transformers import SentenceTransformer

    facts = read_json(trained.encoder / "embedlab.json")
    assert facts["saw_labels"] is True and "trained with labels" in (trained.encoder / "README.md").read_text("utf-8")
    assert SentenceTransformer(str(trained.encoder), device="cpu").encode(["a star"]).shape == (1, facts["dim"])


def test_on_another_corpus_shared_texts_are_never_tested(tiny, trained, shared):
    corpus, split = split_on(shared)
    read = labels_read_of_run(trained).in_corpus(corpus)
    assert read[split.test].any() and not read[split.test].all()  # the corpora overlap in what would be tested
    run = do("train", {**tiny, "corpus": shared, "epochs": 1, "encoder": f"run:{trained.id}"})
    left = set(split.test[~read[split.test]].tolist())
    result = result_of(run)
    assert rows_tested(run) == left and result["knn"]["test_texts"] == len(left)
    assert all(line["test_texts"] == len(left) for line in result["references"].values())
    do("evaluate", {"run": run.id, "metrics": ["knn", "retrieval", "clustering"]})
    kept = Evaluations(run.path)
    assert set(kept.units(CORPUS, "knn", "after")["rows"].tolist()) == left
    assert kept.values()["retrieval"]["after"].n == len(left)
    assert set(kept.units(CORPUS, "clustering", "before")["rows"].tolist()) == set(np.flatnonzero(~read).tolist())


def test_where_every_test_text_was_read_there_is_no_number_but_a_reason(tiny, trained, toy_corpus):
    rows = split_on(toy_corpus.fingerprint)[1].train[:60]
    part = Draft(
        name="part", source="x", texts=[toy_corpus.texts[row] for row in rows], labels=list(toy_corpus.labels[rows])
    )
    corpus = store_corpus(part).fingerprint
    write_all_labels(trained, toy_corpus)
    result = result_of(do("train", {**tiny, "corpus": corpus, "epochs": 1, "encoder": f"run:{trained.id}"}))
    assert result["knn"] is None and "W-NO-UNSEEN-TEXTS" in [each["code"] for each in result["warnings"]]


def write_all_labels(run: RunFolder, corpus) -> None:
    """As if the run had been trained on all labels of the corpus."""
    facts = read_json(run.encoder / FILE)
    write_json(run.encoder / FILE, facts | {"hashes": sorted(map(hash_of, corpus.texts))})


def test_clustering_and_its_baselines_leave_out_what_was_trained_on(trained, tiny):
    corpus = open_corpus(tiny["corpus"])
    unread = corpus.kept[~labels_read_of_run(trained).in_corpus(corpus, corpus.kept)]
    do("evaluate", {"run": trained.id, "metrics": ["clustering"], "baselines": ["tfidf"]})
    kept = Evaluations(trained.path)
    for state in ("before", "after"):  # both on the same texts, though the first read no label
        assert kept.units(CORPUS, "clustering", state)["rows"].tolist() == unread.tolist()
    beside = Evaluations(trained.path / "baselines" / "tfidf").values()["clustering"]["after"]
    assert beside.n == len(unread) < 120
    assert not Evaluations(baseline_folder(tiny["corpus"], CORPUS, "tfidf")).values()  # every other run has all texts


def test_values_of_before_this_was_told_apart_are_not_shown_and_measured_again(trained):
    kept = Evaluations(trained.path)
    for key in ("knn/cv10", "clustering"):
        for state in ("before", "after"):
            kept.keep(CORPUS, key, state, MetricResult(value=0.9, n=120, units={"rows": np.arange(120)}))
    assert kept.values() == {}
    do("evaluate", {"run": trained.id, "metrics": ["clustering"]})
    assert kept.values()["clustering"]["after"].n < 120 and "knn/cv10" not in kept.values()


def test_classes_and_selections_are_told_by_the_test_texts(trained, tiny):
    corpus, split = split_on(tiny["corpus"])
    found = folds_of(trained)
    assert found.of_test_texts and found.rows.tolist() == split.test.tolist() and found.after_votes is None
    assert sum(each.texts for each in found.classes) == len(split.test) == 12
    on = accuracy_on(trained, np.arange(120))
    assert on.of_test_texts and on.after.n == 12
    assert on.after.value == pytest.approx(result_of(trained)["knn"]["after"])
    assert accuracy_on(trained, split.train) is None


def test_a_run_without_labels_keeps_its_ten_folds(tiny):
    plain = do("train", {**tiny, "epochs": 1})
    assert result_of(plain)["saw_labels"] is False and result_of(plain)["folds"]
    assert not folds_of(plain).of_test_texts and len(folds_of(plain).rows) == 109
    assert read_json(plain.encoder / "embedlab.json")["saw_labels"] is False and not (plain.encoder / FILE).exists()
    do("evaluate", {"run": plain.id, "metrics": ["knn"], "protocol": "cv10"})


def test_class_effects_are_told_of_unread_texts_only(trained, tiny):
    corpus = open_corpus(tiny["corpus"])
    read = labels_read_of_run(trained).in_corpus(corpus)
    facts = write_moves(trained, "before", lambda *said: None)
    found = moves_of(trained, "before")
    assert np.isnan(found.effect[read]).all() and not np.isnan(found.effect[~read]).any()
    assert (found.same_after[read] == -1).all() and np.isfinite(found.movement).all()
    assert facts.labels_read.texts == read.sum()
    assert f"for the {(~read).sum()} texts" in facts.labels_read.sentence
    assert facts.helped.of == (~read).sum()
    assert class_neighbors_of(trained, "before").before.sum() == 10 * (~read).sum()
    told = json.loads(trained.moves_facts("before").read_text("utf-8"))
    del told["labels_read"]  # as it was measured before
    write_json(trained.moves_facts("before"), told)
    assert moves_of(trained, "before") is None


def test_layers_and_length_read_no_label_that_was_trained_on(following, tiny, shared, trained):
    from embedlab.diagnostics.length import LengthConfig
    from embedlab.tasks.encoders import encoder_of_run
    from embedlab.tasks.measure.layers import layer_curves

    corpus, split = split_on(shared)
    read = labels_read_of_run(trained)
    encoder = encoder_of_run(trained, "after")
    loaders = {"before": (lambda: encoder, None)}
    left = int((~read.in_corpus(corpus, split.test)).sum())
    assert layer_curves(loaders, corpus, lambda *said: None, read).test_texts == left < len(split.test)
    pairs = pairs_of(encoder, open_corpus(tiny["corpus"]), LengthConfig(), read)
    assert not read.in_corpus(open_corpus(tiny["corpus"]), pairs.rows).any() and len(pairs.same_label)


def test_maps_of_it_say_nothing_by_ten_folds(trained):
    do("map", {"run": trained.id, "method": "pca"})
    before, after = (read_json(trained.map_facts(side, "pca")) for side in ("before", "after"))
    assert "knn_in_picture" in before and "knn_in_picture" not in after


def test_the_map_before_says_nothing_by_ten_folds_either_while_its_run_still_trains(following):
    """What was read is kept beside the encoders only after training: until then the lineage tells."""
    shutil.rmtree(following.encoder)
    following.result.unlink()
    (following.untouched_encoder / FILE).unlink()
    facts = following.untouched_encoder / "embedlab.json"
    write_json(facts, {name: value for name, value in read_json(facts).items() if name != "saw_labels"})
    do("map_before", {"of": following.id})
    assert "knn_in_picture" not in read_json(following.map_facts("before", "tsne"))
