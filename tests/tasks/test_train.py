"""A whole run on the toy corpus: its folder, its numbers, Stop, resume, and what is refused."""

import json
import math

import numpy as np
import pytest
import torch
from doing import do, result_of
from sklearn.neighbors import KNeighborsClassifier

from embedlab.corpora.base import Draft, open_corpus, store_corpus
from embedlab.errors import CorpusError, NonFiniteError, UnfitError
from embedlab.jobs.progress import FolderProgress
from embedlab.measurement import from_row
from embedlab.metrics.split import paper_split
from embedlab.runs.state import State, read_state
from embedlab.runs.store import create_run, read_rows
from embedlab.tasks import TASKS
from embedlab.tasks.encoders import encoder_of_run
from embedlab.tasks.measure.embedded import load_embeddings
from embedlab.training.checkpoints import newest_checkpoint


def judged(embeddings: np.ndarray, corpus, split) -> float:
    """kNN accuracy by scikit-learn."""
    labels = corpus.labels
    judge = KNeighborsClassifier(10, algorithm="brute").fit(embeddings[split.train], labels[split.train].astype(str))
    return judge.score(embeddings[split.test], labels[split.test].astype(str))


def test_a_run_leaves_a_result_that_scikit_learn_confirms(tiny, token_run):
    result = result_of(token_run)
    corpus = open_corpus(tiny["corpus"])
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    for name in ("before", "after"):
        embeddings = np.asarray(load_embeddings(token_run, name))
        judge = KNeighborsClassifier(10, algorithm="brute").fit(
            embeddings[split.train], corpus.labels[split.train].astype(str)
        )
        right = judge.score(embeddings[split.test], corpus.labels[split.test].astype(str))
        assert result["knn"][name] == pytest.approx(right)
    assert result["knn"]["test_texts"] == len(split.test) and result["usable_texts"] == 120
    p, n = result["knn"]["after"], len(split.test)
    assert result["knn"]["standard_error"] == pytest.approx(math.sqrt(p * (1 - p) / n))
    assert result["steps"] == 2 * 8 and result["corpus"]["texts"] == 120
    assert result["verdict"].startswith(("Helped", "No clear change", "Hurt", "Too few test texts"))


def test_the_curve_begins_untouched_and_ends_with_the_whole_protocol(token_run):
    rows = read_rows(token_run.metrics)
    assert rows[0]["full"] and rows[0]["step"] == 0 and rows[-1]["full"] and rows[-1]["step"] == 16
    knn = [from_row(row["knn"]).euclidean.value for row in (rows[0], rows[-1])]
    assert knn == [result_of(token_run)["knn"][side] for side in ("before", "after")]
    assert [row["step"] for row in rows if not row["full"]] == [0, 4, 8, 12, 16]
    terms = read_rows(token_run.terms)
    assert [row["step"] for row in terms] == list(range(1, 17)) and all(math.isfinite(row["loss"]) for row in terms)


def test_the_same_seed_gives_the_same_curve_and_weights_and_another_seed_another(tiny):
    first, again, other = do("train", tiny), do("train", tiny), do("train", {**tiny, "seed": 1})
    losses = [[row["loss"] for row in read_rows(f.terms)] for f in (first, again, other)]
    hashes = [result_of(f)["weights_hash"] for f in (first, again, other)]
    assert losses[0] == losses[1] != losses[2] and hashes[0] == hashes[1] != hashes[2]


def test_stop_keeps_the_best_encoder_so_far_and_resume_goes_on(tiny, monkeypatch):
    folder = create_run("train", {**tiny, "epochs": 4, "checkpoint_every": 2})
    progress = FolderProgress(folder)

    class StopsAtTen:
        raises, stop_file = True, folder.stop

        def __call__(self, stage, done=0, total=0):
            if stage == "Fine-tuning" and done == 10:
                folder.stop.touch()

    state = TASKS["train"].run(folder, TASKS["train"].read({**tiny, "epochs": 4, "checkpoint_every": 2}), StopsAtTen())
    result = result_of(folder)
    assert state is State.STOPPED and result["stopped"] and result["steps"] == 10
    live = [row for row in read_rows(folder.metrics) if not row["full"]]
    best = max(live, key=lambda row: (row["development"], -row["step"]))
    assert result["kept"]["best_step"] == best["step"] == result["kept"]["step"]
    opened = result["knn"]["best"]
    corpus = open_corpus(tiny["corpus"])
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    embeddings = np.asarray(load_embeddings(folder, "after"))
    judge = KNeighborsClassifier(10, algorithm="brute").fit(
        embeddings[split.train], corpus.labels[split.train].astype(str)
    )
    assert opened == pytest.approx(judge.score(embeddings[split.test], corpus.labels[split.test].astype(str)))

    assert newest_checkpoint(folder.checkpoints).steps in (8, 10)
    folder.stop.unlink()
    TASKS["train"].run(folder, TASKS["train"].read({**tiny, "epochs": 4, "checkpoint_every": 2}), progress)
    whole = do("train", {**tiny, "epochs": 4})
    assert result_of(folder)["weights_hash"] == result_of(whole)["weights_hash"]
    ours, theirs = ([row["loss"] for row in read_rows(f.terms)] for f in (folder, whole))
    assert ours == theirs


def test_untouched_measures_and_trains_nothing(tiny):
    result = result_of(do("train", {**tiny, "recipe": "untouched"}))
    assert result["steps"] == 0 and result["knn"]["before"] == result["knn"]["after"] and "verdict" not in result


def test_a_corpus_without_labels_trains_and_has_no_knn(store, tiny):
    corpus = open_corpus(tiny["corpus"])
    bare = store_corpus(Draft(name="bare", source="x", texts=corpus.texts))
    result = result_of(do("train", {**tiny, "corpus": bare.info.fingerprint}))
    assert result["knn"] is None and "W-NO-LABELS" in [w["code"] for w in result["warnings"]] and result["steps"] == 16


def test_parts_that_do_not_fit_are_refused_before_anything_is_measured(tiny):
    with pytest.raises(UnfitError, match="identical"):
        do("train", {**tiny, "recipe": "dropout"})


def test_texts_without_two_crops_are_refused_with_what_to_do(store, tiny):
    short = store_corpus(Draft(name="short", source="x", texts=["One short text.", "Another one."], labels=["a", "b"]))
    with pytest.raises(CorpusError) as found:
        do("train", {**tiny, "corpus": short.info.fingerprint})
    assert found.value.code == "E-NO-USABLE-TEXTS" and "min_characters" in found.value.message


def test_a_loss_that_is_no_number_stops_the_run_with_a_finite_encoder_kept(tiny, monkeypatch):
    import torch

    from embedlab.objectives.infonce import InfoNCE

    real, calls = InfoNCE.forward, {"n": 0}

    def breaks(self, encoder, views):
        calls["n"] += 1
        terms = real(self, encoder, views)
        return {**terms, "loss": terms["loss"] * torch.nan} if calls["n"] == 6 else terms

    monkeypatch.setattr(InfoNCE, "forward", breaks)
    folder = create_run("train", tiny)
    with pytest.raises(NonFiniteError, match="step 5"):
        TASKS["train"].run(folder, TASKS["train"].read(tiny), FolderProgress(folder))
    from embedlab.encoders.load import load_encoder

    kept = load_encoder(str(folder.encoder))
    assert all(torch.isfinite(p).all() for p in kept.parameters())


def test_training_on_the_train_split_leaves_out_test_texts_and_their_copies(tiny, token_run):
    from embedlab.training.preparation import training_rows

    corpus = open_corpus(tiny["corpus"])
    split = paper_split(corpus.texts, corpus.labels, corpus.kept)
    rows = training_rows(corpus, split, "train_split")
    assert not set(rows) & set(split.test) and len(rows) == 120 - len(split.test)
    result = result_of(do("train", {**tiny, "train_on": "train_split"}))
    assert result["usable_texts"] == len(rows) and "without the test texts" in result["warnings"][-1]["message"]
    assert "including the test texts" in result_of(token_run)["warnings"][-1]["message"]


@pytest.mark.parametrize("recipe", ["crops", "untouched"])
def test_training_on_the_train_split_reads_no_vocabulary_from_the_test_texts(toy_corpus, tiny, recipe):
    """A word that only test texts have, often, is one token where all texts are read and none where they are not."""
    split = paper_split(toy_corpus.texts, toy_corpus.labels, toy_corpus.kept)
    texts = list(toy_corpus.texts)
    for row in split.test:
        texts[row] += " Quixotic quixotic quixotic zebras."
    corpus = store_corpus(Draft("odd", "odd", texts, toy_corpus.labels))
    assert (paper_split(corpus.texts, corpus.labels, corpus.kept).test == split.test).all()
    asked = {**tiny, "corpus": corpus.info.fingerprint, "recipe": recipe, "vocabulary_size": 2000}
    for train_on, known in (("all", True), ("train_split", False)):
        folder = do("train", {**asked, "train_on": train_on})
        for state in ("before", "after"):
            tokenizer = encoder_of_run(folder, state).tokenizer
            assert ("quixotic" in tokenizer.get_vocab()) is known, (train_on, state)
            assert "the" in tokenizer.get_vocab()


def test_the_state_tells_every_setting_the_versions_and_the_threads(tiny, token_run):
    facts = read_state(token_run)
    assert facts.settings["warmup"] == 0.1 and facts.settings["objective"]["temperature"] == 0.05
    assert facts.settings | tiny == facts.settings
    assert facts.versions["torch"] == torch.__version__
    assert facts.threads == torch.get_num_threads()


def test_settings_and_result_are_json_a_person_can_read(tiny, token_run):
    assert json.loads(token_run.settings.read_text(encoding="utf-8"))["settings"].items() >= tiny.items()
    assert set(result_of(token_run)["knn"]) >= {
        "before",
        "after",
        "best",
        "cosine",
        "protocol",
        "test_texts",
        "standard_error",
    }
