"""The aligned after map: what is held, where changed texts begin, and that it is worth having on real embeddings."""

import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from embedlab.maps.align import begun, held, kept_neighbors
from embedlab.maps.tsne import TSNE, TSNEConfig
from embedlab.neighbors import neighbor_graph
from embedlab.plane import procrustes, radius

CORPORA = os.environ.get("EMBEDLAB_TEST_CORPORA")
TEXTS = 2000


def test_kept_neighbors_are_the_jaccard_index_of_the_nearest():
    before = np.array([[1, 2, 3, 4], [0, 2, 3, 9], [-1, -1, -1, -1]])
    after = np.array([[4, 3, 2, 1], [0, 2, 7, 8], [0, 1, 2, 3]])
    found = kept_neighbors(before, after, count=4)
    assert found.tolist() == pytest.approx([1, 2 / 6, 0])
    assert np.array_equal(found, kept_neighbors(after, before, count=4))


def test_a_text_is_held_the_more_the_more_neighbors_it_kept():
    steady = np.array([0.0, 0.67 * 0.77, 0.67 * (1 + 0.77) / 2, 0.67, 1.0])
    assert held(steady).tolist() == pytest.approx([0, 0, 0.5, 1, 1])
    changed = np.array([0.0] * 90 + [0.1] * 4 + [0.4] * 6)  # where few kept many, the steadiest twentieth is held fully
    assert held(changed).tolist() == pytest.approx([0] * 94 + [1] * 6)
    assert not held(np.zeros(30)).any()


def test_changed_texts_begin_amid_their_new_neighbors_and_held_ones_where_they_were():
    start = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [90.0, 90.0]])
    indices = np.array([[1, 2], [0, 2], [0, 1], [0, 1]])
    found = begun(start, indices, np.array([1.0, 1.0, 1.0, 0.0]), seed=0)
    assert np.array_equal(found[:3], start[:3])
    assert np.allclose(found[3], [1, 0], atol=5)  # the median of 0, 1 and itself, again and again; and a little noise


@pytest.mark.slow
@pytest.mark.skipif(not CORPORA, reason="EMBEDLAB_TEST_CORPORA names no folder of real corpora")
@pytest.mark.parametrize("learning_rate", [3e-4, 1e-3])
def test_an_aligned_map_moves_about_a_quarter_as_much_and_is_as_good(learning_rate, store):
    before, after = trained(learning_rate)
    graphs = {"before": neighbor_graph(before), "after": neighbor_graph(after)}
    kept = kept_neighbors(graphs["before"].indices, graphs["after"].indices)
    first = TSNE.lay_out(before, graphs["before"], TSNEConfig()).coordinates
    aligned = TSNE.lay_out(after, graphs["after"], TSNEConfig(), start=first, neighbors_kept=kept)
    alone = [TSNE.lay_out(after, graphs["after"], TSNEConfig(initialization="random", seed=seed)) for seed in (5, 6)]
    firm = np.argsort(-kept, kind="stable")[: len(kept) // 10]

    def displaced(coordinates):
        laid = procrustes(coordinates, onto=first)
        return np.linalg.norm(laid - first, axis=1)[firm].mean() / radius(first)

    def recall(coordinates):
        near = neighbor_graph(coordinates, k=10).indices
        true = graphs["after"].indices[:, :10]
        return np.mean([np.isin(a, b).mean() for a, b in zip(near, true, strict=True)])

    moves = displaced(aligned.coordinates) / np.mean([displaced(each.coordinates) for each in alone])
    divergence = aligned.used.kl_divergence / np.mean([each.used.kl_divergence for each in alone])
    recalled = recall(aligned.coordinates) / np.mean([recall(each.coordinates) for each in alone])
    print(f"kept {kept.mean():.2f}: displacement {moves:.3f}, KL {divergence:.4f}, recall {recalled:.3f}")
    # the last digit of a trained vector changes which layout is found: 0.246 and 0.268 were seen for one rate
    assert moves <= 0.3 and divergence <= 1.04 and recalled >= 0.93


def trained(learning_rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Token embeddings of 2,000 abstracts, untouched and after training on crops."""
    from embedlab.corpora.base import Draft, store_corpus
    from embedlab.jobs.progress import FolderProgress
    from embedlab.runs.store import create_run
    from embedlab.tasks import TASKS
    from embedlab.tasks.measure.embedded import load_embeddings

    table = pq.read_table(Path(CORPORA) / "iclr_2017_2021.parquet", columns=["text"]).slice(0, TEXTS)
    corpus = store_corpus(Draft(name="abstracts", source="test", texts=table["text"].to_pylist()))
    told = {"corpus": corpus.fingerprint, "encoder": "token", "recipe": "crops", "epochs": 1,
            "learning_rate": learning_rate, "maps": False, "inside": False,
            "live_texts": 0}  # fmt: skip
    folder = create_run("train", told)
    TASKS["train"].run(folder, TASKS["train"].read(told), FolderProgress(folder))
    return tuple(np.array(load_embeddings(folder, name)) for name in ("before", "after"))
