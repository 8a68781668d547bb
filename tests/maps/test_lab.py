"""The lab's experiments: a stratified sample, noise that is noise, starts that agree, each map's own setting used."""

import numpy as np
import pytest

from embedlab.errors import StopRequested
from embedlab.maps.lab import EXPERIMENTS, NOISE, SHUFFLED, _what_is_mapped, apart, four_maps, stratified
from embedlab.runs.drawn_map import YOUR_TEXTS


def clusters(count: int = 90, dim: int = 12):
    rng = np.random.default_rng(0)
    labels = np.arange(count) % 3
    centres = rng.normal(size=(3, dim)) * 8
    return (centres[labels] + rng.normal(size=(count, dim))).astype(np.float32), labels.astype(str).astype(object)


def test_a_sample_takes_each_class_by_its_share():
    labels = np.array(["a"] * 600 + ["b"] * 300 + ["c"] * 98 + ["d"] * 2, dtype=object)
    rows = np.flatnonzero(np.arange(1000) != 5)
    chosen = stratified(labels, rows, size=100)
    assert len(chosen) == 100 and (np.diff(chosen) > 0).all() and 5 not in chosen
    counts = {label: int((labels[chosen] == label).sum()) for label in "abcd"}
    assert abs(counts["a"] - 60) <= 1 and abs(counts["b"] - 30) <= 1 and abs(counts["c"] - 10) <= 1 and counts["d"] >= 1
    assert np.array_equal(chosen, stratified(labels, rows, size=100))
    assert stratified(labels, rows, size=5000).tolist() == rows.tolist()


def test_a_sample_without_labels_or_with_more_classes_than_texts():
    assert len(stratified(None, np.arange(50), size=20)) == 20
    many = np.arange(50).astype(str).astype(object)
    assert len(stratified(many, np.arange(50), size=20)) == 20
    half = np.array([None, "a"] * 25, dtype=object)
    assert np.isin(stratified(half, np.arange(50), size=10) % 2, [0, 1]).sum() == 10


def test_what_is_called_noise_has_nothing_of_the_texts_and_shuffled_texts_have_their_numbers():
    embeddings, _ = clusters(400)
    noise, shuffled = _what_is_mapped(NOISE, embeddings), _what_is_mapped(SHUFFLED, embeddings)
    assert _what_is_mapped(YOUR_TEXTS, embeddings) is embeddings
    assert noise.shape == embeddings.shape and abs(noise.mean()) < 0.1 and abs(noise.std() - 1) < 0.1
    assert np.array_equal(np.sort(shuffled, axis=0), np.sort(embeddings, axis=0))
    assert abs(np.corrcoef(embeddings.T)[0, 1]) > 0.5 > 0.15 > abs(np.corrcoef(shuffled.T)[0, 1])


def test_how_far_maps_lie_apart():
    square = np.array([[1.0, 1], [1, -1], [-1, -1], [-1, 1]])
    turned = square @ np.array([[0.0, 1], [-1, 0]]) * 3 + 7
    assert apart([square, turned]) == pytest.approx(0, abs=1e-9)
    rng = np.random.default_rng(0)
    assert apart([rng.normal(size=(4000, 2)), rng.normal(size=(4000, 2))]) == pytest.approx(
        np.sqrt(np.pi / 2), rel=0.05
    )


def test_noise_is_told_from_texts_by_its_numbers():
    embeddings, labels = clusters()
    four = four_maps("noise", embeddings, np.arange(90), labels, of=100)
    maps = four.facts.maps
    assert [each.of for each in maps] == [YOUR_TEXTS, NOISE, NOISE, SHUFFLED]
    assert four.facts.texts == 90 and four.facts.of == 100 and four.facts.apart is None
    knn = [each.knn_in_picture for each in maps]
    assert knn[0] > 0.95 and max(knn[1:]) < 0.6
    assert maps[2].perplexity == 5
    assert four.coordinates.shape == (4, 90, 2) and np.isfinite(four.coordinates).all()


def test_random_starts_disagree_and_principal_components_agree():
    embeddings, labels = clusters()
    four = four_maps("seeds", embeddings, np.arange(90), None, of=90)
    assert four.facts.apart_pca < four.facts.apart / 2
    assert all(each.knn_in_picture is None for each in four.facts.maps)
    assert not np.array_equal(four.coordinates[0], four.coordinates[1])


def test_every_experiment_has_four_setups_that_differ():
    for setups in EXPERIMENTS.values():
        assert len({each.name for each in setups}) == 4
        assert len({(each.of, each.config.model_dump_json()) for each in setups}) == 4
    used = [each.config.early_exaggeration for each in EXPERIMENTS["exaggeration"]]
    assert used == [1, 4, 12, 30] and [each.config.perplexity for each in EXPERIMENTS["perplexity"]] == [2, 10, 30, 100]


def test_an_experiment_can_be_stopped_and_says_where_it_is():
    said = []

    def stop(stage, done=0, total=0):
        said.append((stage, total))
        if stage == "Drawing map 2 of 4" and done > 1000:
            raise StopRequested

    with pytest.raises(StopRequested):
        four_maps("perplexity", clusters()[0], np.arange(90), None, of=90, progress=stop)
    assert ("Drawing map 1 of 4", 4000) in said
