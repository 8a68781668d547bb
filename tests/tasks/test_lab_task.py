"""The task lab: four maps of a run's texts, kept in its folder."""

import numpy as np
import pytest
from builders import leave_state
from doing import do

from embedlab.errors import CorpusError, UserError
from embedlab.runs.store import create_run, open_run
from embedlab.store_root import read_json


@pytest.fixture
def embedded(toy_corpus):
    """A run with embeddings, in which two texts have none."""
    run = create_run("train", {"corpus": toy_corpus.fingerprint, "encoder": "token"})
    leave_state(run, corpus=toy_corpus)
    run.embeddings("after").parent.mkdir()
    classes = np.unique(toy_corpus.labels.astype(str), return_inverse=True)[1]
    vectors = np.eye(4, 6)[classes] * 5 + np.random.default_rng(0).normal(size=(120, 6))
    vectors[[3, 8]] = 0
    np.save(run.embeddings("after"), vectors.astype(np.float32))
    return run


def test_four_maps_and_what_is_known_of_them_are_kept(embedded):
    job = do("lab", {"run": embedded.id, "side": "after", "experiment": "perplexity"})
    folder = open_run(embedded.id).lab("after", "perplexity")
    maps, rows = np.load(folder / "maps.npy"), np.load(folder / "rows.npy")
    assert maps.shape == (4, 118, 2) and np.isfinite(maps).all()
    assert rows.tolist() == [row for row in range(120) if row not in (3, 8)]
    facts = read_json(folder / "facts.json")
    assert facts["texts"] == facts["of"] == 118 and read_json(job.result)["maps"] == facts["maps"]
    assert [each["name"] for each in facts["maps"]][:2] == ["perplexity 2", "perplexity 10"]
    # 117 neighbors allow a perplexity of 39, not of 100
    assert [each["perplexity"] for each in facts["maps"]] == [2, 10, 30, 39]
    assert all(each["knn_in_picture"] > 0.9 and each["kept"] > each["chance"] for each in facts["maps"][1:3])


def test_what_cannot_be_drawn_is_said(embedded):
    with pytest.raises(UserError, match="perplexity, seeds, noise, exaggeration, but found 'dance'"):
        do("lab", {"run": embedded.id, "side": "after", "experiment": "dance"})
    vectors = np.load(embedded.embeddings("after"))
    vectors[20:] = 0
    np.save(embedded.embeddings("after"), vectors)
    with pytest.raises(CorpusError, match="at least 30 texts with a vector, but found 18"):
        do("lab", {"run": embedded.id, "side": "after", "experiment": "seeds"})
