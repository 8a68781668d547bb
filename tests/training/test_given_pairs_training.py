"""Training on given pairs: what is left out, what a batch holds, which settings go together."""

from types import SimpleNamespace

import numpy as np
import pytest

from embedlab.config import validated
from embedlab.copies import normalised
from embedlab.encoders.embed import embed
from embedlab.encoders.load import load_encoder
from embedlab.errors import SettingsError
from embedlab.progress import silent
from embedlab.runs.label_lineage import LabelExposure
from embedlab.tasks.fine_tune.preparing import guide_of
from embedlab.training.batches import Batches
from embedlab.training.preparation import pair_rows
from embedlab.training.settings import RunSettings


def batch_of(pairs, corpus, recipe: str, **settings):
    asked = validated(RunSettings, {"corpus": "x", "pairs": "x", "recipe": recipe, **settings})
    encoder = load_encoder("token", corpus=corpus, vocabulary_size=300)
    augmentation = asked.make_augmentation(pairs, pairs.kept.tolist())
    return Batches(augmentation=augmentation, encoder=encoder, batch_size=16, seed=0).at(0)


def test_pairs_with_a_test_text_or_a_judged_pair_are_not_trained_on(given_pairs, toy_corpus):
    texts = list(toy_corpus.texts)
    texts[7] = f"  {given_pairs.positives[3].upper()} "
    corpus = SimpleNamespace(texts=texts)
    split = SimpleNamespace(test=np.array([7]))
    assert pair_rows(given_pairs, corpus, None, set()).tolist() == list(range(60))
    assert pair_rows(given_pairs, corpus, split, set()).tolist() == [row for row in range(60) if row != 3]
    other_way = frozenset(map(normalised, (given_pairs.positives[5], given_pairs.anchors[5])))
    one_text = frozenset(map(normalised, (given_pairs.positives[6], "something else")))
    query = frozenset([normalised(given_pairs.anchors[8])])
    left = pair_rows(given_pairs, corpus, None, {other_way, one_text, query}).tolist()
    assert left == [row for row in range(60) if row not in (5, 8)]


def test_a_test_text_among_the_negatives_counts_too(given_pairs, toy_corpus):
    corpus = SimpleNamespace(texts=[given_pairs.negatives[2][0]])
    assert 2 not in pair_rows(given_pairs, corpus, SimpleNamespace(test=np.array([0])), set())


def test_a_batch_of_scored_pairs_has_their_scores(given_pairs, toy_corpus):
    batch = batch_of(given_pairs, toy_corpus, "cosent")
    assert len(batch.views) == 2 and batch.targets.dtype == np.float32
    assert batch.targets.tolist() == pytest.approx([given_pairs.scores[row] for row in batch.rows])


def test_a_batch_for_ranking_has_negatives_and_groups_by_anchor_but_no_scores(given_pairs, toy_corpus):
    batch = batch_of(given_pairs, toy_corpus, "ranking")
    assert len(batch.views) == 3 and batch.targets is None
    assert len(set(batch.groups.tolist())) == len({given_pairs.anchors[row] for row in batch.rows})


def test_of_scored_pairs_only_those_that_belong_together_are_ranked(given_pairs, toy_corpus):
    asked = validated(
        RunSettings, {"corpus": "x", "pairs": "x", "recipe": "ranking", "augmentation": {"least_score": 0.95}}
    )
    augmentation = asked.make_augmentation(given_pairs, given_pairs.kept.tolist())
    usable = [row for row in range(60) if augmentation.usable(row)]
    assert usable == [row for row in range(60) if given_pairs.scores[row] >= 0.95] and len(usable) == 24


def test_what_judges_is_told_by_the_judge_unless_somebody_says_otherwise():
    assert validated(RunSettings, {"corpus": "x", "judge": "y"}).judged_by == "set"
    assert validated(RunSettings, {"corpus": "x", "judge": "y", "judged_by": "knn"}).judged_by == "knn"
    assert validated(RunSettings, {"corpus": "x"}).judged_by == "knn"
    with pytest.raises(SettingsError, match="'judge' has to be an evaluation set"):
        validated(RunSettings, {"corpus": "x", "judged_by": "set"})
    with pytest.raises(SettingsError, match="crops does not train on pairs. Choose from: ranking, triplet"):
        validated(RunSettings, {"corpus": "x", "pairs": "y", "recipe": "crops"})


def opened_with(guide: str | None, pairs, corpus):
    settings = validated(RunSettings, {"corpus": "x", "pairs": "x", "recipe": "ranking", "objective": {"guide": guide}})
    return SimpleNamespace(
        settings=settings, pairs=pairs, corpus=corpus, progress=silent, device=SimpleNamespace(name="cpu")
    )


def test_a_guide_gives_each_batch_the_vectors_of_its_texts(given_pairs, toy_corpus):
    vectors = guide_of(opened_with("words", given_pairs, toy_corpus), np.array([5, 2, 9]))(np.array([9, 5]))
    words = load_encoder("words", corpus=toy_corpus)
    assert vectors.shape == (2, 3, words.dim)
    for view in range(3):
        expected = embed(words, [given_pairs.pairs[row][view] for row in (9, 5)])
        np.testing.assert_allclose(vectors[:, view], expected, atol=1e-6)
    assert guide_of(opened_with(None, given_pairs, toy_corpus), np.array([5])) is None


def test_a_guide_that_saw_labels_is_refused(given_pairs, toy_corpus, monkeypatch):
    monkeypatch.setattr("embedlab.tasks.fine_tune.preparing.labels_read_by", lambda _: LabelExposure(saw_labels=True))
    with pytest.raises(SettingsError, match="was trained with labels"):
        guide_of(opened_with("words", given_pairs, toy_corpus), np.array([5]))
