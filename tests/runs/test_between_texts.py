"""Stored vectors and what lies between two texts: by hand, and as scikit-learn counts."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import cosine_distances, cosine_similarity, euclidean_distances
from sklearn.neighbors import NearestNeighbors

from embedlab.errors import RunError
from embedlab.jobs import questions
from embedlab.runs.folder import RunFolder
from embedlab.runs.vectors import between, nearest_by, rank, stored_vectors


@pytest.fixture
def stored(tmp_path):
    """``stored(array)``: those embeddings as a run's."""

    def kept(embeddings, name: str = "after"):
        run = RunFolder(tmp_path / "run")
        run.embeddings(name).parent.mkdir(parents=True, exist_ok=True)
        np.save(run.embeddings(name), np.asarray(embeddings, np.float32))
        return stored_vectors(run, name)

    return kept


def test_five_texts_on_a_line_by_hand(stored):
    vectors = stored([[1.0], [2.0], [4.0], [5.0], [11.0]])
    found = between(vectors, 0, 2)
    # from 1: 2 is first, 4 second; from 4: 5 is first, 2 second, 1 third
    assert (found.ranks.of_first, found.ranks.of_second, found.others) == (2, 3, 4)
    assert found.cosine == 1.0
    # ten nearest of each are all four others: of 0 these are 1 2 3 4, of 2 they are 0 1 3 4
    assert found.shared == [1, 3, 4]


def test_of_equal_distances_the_earlier_row_is_nearer():
    distances = np.array([0.0, 2.0, 1.0, 1.0, 1.0])
    assert [rank(distances, row, without=0) for row in (2, 3, 4, 1)] == [1, 2, 3, 4]
    assert nearest_by(distances, 3, without=0).tolist() == [2, 3, 4]
    assert nearest_by(distances, 2).tolist() == [0, 2]


def test_the_other_way_round_swaps_the_ranks(stored):
    vectors = stored(np.random.default_rng(0).normal(size=(200, 16)))
    one, other = between(vectors, 3, 77), between(vectors, 77, 3)
    assert (one.ranks.of_first, one.ranks.of_second) == (other.ranks.of_second, other.ranks.of_first)
    assert one.cosine == pytest.approx(other.cosine) and one.shared == other.shared


def test_everything_as_scikit_learn_finds_it(stored):
    embeddings = np.random.default_rng(1).normal(size=(3000, 300)) + 3  # more than one chunk
    vectors = stored(embeddings)
    queries = embeddings[[5, 2999]]
    assert vectors.distances(queries) == pytest.approx(euclidean_distances(queries, embeddings), rel=1e-4, abs=1e-3)
    assert vectors.cosines(queries) == pytest.approx(cosine_similarity(queries, embeddings), abs=1e-6)
    _, near = NearestNeighbors(n_neighbors=3000).fit(embeddings).kneighbors(queries)
    found = between(vectors, 5, 2999)
    assert found.ranks.of_first == np.flatnonzero(near[0] == 2999)[0]  # itself is at place 0
    assert found.ranks.of_second == np.flatnonzero(near[1] == 5)[0]
    assert nearest_by(vectors.distances(queries)[0], 10, without=5).tolist() == near[0][1:11].tolist()


def test_ranks_by_cosine_are_those_of_scikit_learn(stored):
    embeddings = np.random.default_rng(2).normal(size=(3000, 300)) + 1
    embeddings *= np.random.default_rng(3).uniform(0.1, 10, size=(3000, 1))  # lengths that cosine does not see
    vectors = stored(embeddings)
    queries = embeddings[[5, 2999]]
    expected = cosine_distances(queries, embeddings)
    assert vectors.distances(queries, "cosine") == pytest.approx(expected, abs=1e-6)
    _, near = NearestNeighbors(n_neighbors=3000, metric="cosine", algorithm="brute").fit(embeddings).kneighbors(queries)
    found = between(vectors, 5, 2999, "cosine")
    assert found.ranks.of_first == np.flatnonzero(near[0] == 2999)[0]  # itself is at place 0
    assert found.ranks.of_first != between(vectors, 5, 2999).ranks.of_first


def test_by_cosine_equal_directions_are_equally_near_and_broken_vectors_nowhere(stored):
    vectors = stored([[1.0, 2.0], [3.0, 6.0], [0.0, 0.0], [np.nan, 1.0], [2.0, 4.0], [2.0, 1.0]])
    apart = vectors.distances(np.array([[0.5, 1.0]]), "cosine")[0]
    assert apart.tolist() == [0, 0, np.inf, np.inf, 0, pytest.approx(0.2)]
    assert nearest_by(apart, 3, without=0).tolist() == [1, 4, 5]
    assert between(vectors, 0, 5, "cosine").ranks.of_first == 3 and between(vectors, 0, 5).ranks.of_first == 1


def test_zero_and_broken_vectors_are_nobodys_neighbor(stored):
    vectors = stored([[1.0, 0.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [2.0, 1.0], [0.0, 3.0]])
    assert np.isfinite(vectors.distances(np.ones((1, 2)))[0]).tolist() == [True, False, False, False, True, True]
    assert np.isfinite(vectors.cosines(np.ones((1, 2)))[0]).tolist() == [True, False, False, False, True, True]
    assert np.isnan(vectors.cosines(np.zeros((1, 2)))).all()
    found = between(vectors, 0, 1)
    assert (found.cosine, found.ranks, found.shared) == (None, None, [])
    assert between(vectors, 0, 5).others == 2


def test_huge_vectors_keep_their_order(stored):
    vectors = stored([[1e25, 0.0], [1e25, 2e24], [0.0, 1e25]])
    assert nearest_by(vectors.distances(vectors.embeddings[:1])[0], 2, without=0).tolist() == [1, 2]


def test_new_embeddings_are_read_anew(stored):
    import os

    assert stored([[1.0], [2.0]]).lengths.tolist() == [1, 2]
    path = stored([[3.0], [4.0]]).embeddings.filename
    os.utime(path, ns=(1, 1))
    assert stored_vectors(RunFolder(path.parents[1]), "after").lengths.tolist() == [3, 4]


def test_without_embeddings_it_says_so(store):
    from embedlab.runs.store import create_run

    with pytest.raises(RunError, match="needs embeddings"):
        stored_vectors(create_run("train", {"corpus": "0" * 16, "encoder": "token"}), "after")


def test_arrays_of_answers_are_kept_a_while(store):
    for n in range(questions.ARRAYS_KEPT + 2):
        name = questions.give_array(np.full(3, n))
        assert questions.answered_array(name).tolist() == [n] * 3
        assert len(list(questions.ask_folder().glob("*.npy"))) == min(n + 1, questions.ARRAYS_KEPT)
    assert questions.answered_array("../settings.json") is None
    questions.tidy_arrays()
    assert questions.answered_array(name) is None
