"""Hard negatives: equal to sentence-transformers' rule under every setting, by hand, and never a text that belongs."""

import numpy as np
import pytest

from embedlab.config import validated
from embedlab.errors import CorpusError, SettingsError
from embedlab.jobs.requests.corpora import Mining
from embedlab.tasks.mining import Candidates, mine, required

ANCHORS = [f"anchor {number % 22}" for number in range(60)]  # up to three positives each
POSITIVES = [f"text {number % 50}" for number in range(60)]  # ten of them belong to two anchors
RNG = np.random.default_rng(0)
VECTORS = {text: RNG.normal(size=6).astype(np.float32) + 0.5 for text in [*ANCHORS, *POSITIVES]}


def vectors_of(texts: list[str]) -> np.ndarray:
    return np.stack([VECTORS[text] for text in texts])


def mined_for(anchors=ANCHORS, positives=POSITIVES, more=(), **settings):
    """The negatives of each pair, and what was mined."""
    candidates = Candidates.of(anchors, positives, more)
    mined = mine(
        candidates,
        anchors=vectors_of(candidates.anchors),
        texts=vectors_of(candidates.texts),
        settings=Mining(**settings),
    )
    negatives = [[candidates.texts[text] for text in row] for row in mined.negatives]
    return {(anchors[r], positives[r]): each for r, each in zip(mined.rows, negatives, strict=True)}, mined


class Fixed:
    """A SentenceTransformer of these vectors, as far as mining asks for one."""

    device = "cpu"

    def encode_document(self, texts, **_):
        vectors = vectors_of(texts)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    encode_query = encode_document

    def similarity(self, one, other):
        from sentence_transformers.util import cos_sim

        return cos_sim(one, other)

    def similarity_pairwise(self, one, other):
        from sentence_transformers.util import pairwise_cos_sim

        return pairwise_cos_sim(one, other)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"negatives": 1, "range_min": 4},
        {"range_max": 8, "range_min": 2, "negatives": 6},
        {"max_score": 0.6},
        {"min_score": 0.2, "negatives": 5},
        {"absolute_margin": 0.05},
        {"relative_margin": 0.05},
        {"relative_margin": 0.3, "absolute_margin": 0.1, "max_score": 0.5, "min_score": -0.5, "range_min": 1},
        {"negatives": 45},  # more than some anchors have texts
    ],
)
def test_it_equals_sentence_transformers(settings):
    util = pytest.importorskip("sentence_transformers.util")
    datasets = pytest.importorskip("datasets")
    ours, mined = mined_for(**settings)
    named = {"num_negatives": settings.get("negatives", 3)} | settings
    named.pop("negatives", None)
    theirs = util.mine_hard_negatives(
        datasets.Dataset.from_dict({"anchor": ANCHORS, "positive": POSITIVES}),
        Fixed(),
        output_format="n-tuple",
        output_scores=True,
        verbose=False,
        **named,
    )
    rows = [list(row.values()) for row in theirs]
    assert rows and ours == {(anchor, positive): negatives for anchor, positive, *negatives, _ in rows}
    scores = {(anchor, positive): scores for anchor, positive, *_, scores in rows}
    for row, positive_score, of_negatives in zip(mined.rows, mined.positive_scores, mined.scores, strict=True):
        np.testing.assert_allclose([positive_score, *of_negatives], scores[ANCHORS[row], POSITIVES[row]], atol=1e-5)


def test_random_draws_are_of_the_same_ranks_and_repeat_by_seed():
    window, _ = mined_for(range_min=2, range_max=12, negatives=10)
    drawn, _ = mined_for(range_min=2, range_max=12, negatives=3, sampling="random")
    assert drawn.keys() == window.keys()
    for pair, negatives in drawn.items():
        ranks = [window[pair].index(text) for text in negatives]
        assert ranks == sorted(set(ranks)), "nearest first, none twice"
    assert drawn == mined_for(range_min=2, range_max=12, negatives=3, sampling="random")[0]
    assert drawn != mined_for(range_min=2, range_max=12, negatives=3, sampling="random", seed=1)[0]


def test_copies_of_the_anchor_and_of_its_positives_are_never_negatives(monkeypatch):
    places = {"Sun": 0, "sun ": 1, "a star": 2, "A  STAR": 3, "the moon": 4, "The Moon": 5, "bread": 9, "flour": 10}
    for text, degrees in places.items():
        angle = np.deg2rad(3.0 * degrees)
        monkeypatch.setitem(VECTORS, text, np.array([np.cos(angle), np.sin(angle)], np.float32))
    anchors, positives = ["Sun", "SUN", "flour", "bread"], ["a star", "the moon", "sun ", "A  STAR"]
    monkeypatch.setitem(VECTORS, "SUN", VECTORS["Sun"])
    ours, mined = mined_for(anchors, positives, more=["The Moon", "bread"], negatives=1)
    assert ours == {
        ("Sun", "a star"): ["bread"],  # not its copy, nor the positive of SUN, which is the same anchor
        ("SUN", "the moon"): ["bread"],
        ("flour", "sun "): ["bread"],
        ("bread", "A  STAR"): ["the moon"],  # not itself
    }
    assert mined.removed["positives"] == 3 + 1 + 2


def test_nothing_that_fits_is_one_sentence_with_what_removed_them():
    settings = Mining(max_score=-1.0)
    _, mined = mined_for(max_score=-1.0)
    with pytest.raises(CorpusError, match=r"None of 60 pairs has 3 texts as negatives.*by max_score"):
        required(mined, 60, settings)


def test_ranks_without_room_are_refused():
    with pytest.raises(SettingsError, match="ranks 5 to 6 leave room for 1 negative, but 3 are needed"):
        validated(Mining, {"range_min": 5, "range_max": 6}, where="mining")


def test_a_zero_vector_is_no_negative_and_has_none(monkeypatch):
    monkeypatch.setitem(VECTORS, "text 7", np.zeros(6, np.float32))
    monkeypatch.setitem(VECTORS, "anchor 3", np.zeros(6, np.float32))
    ours, _ = mined_for(negatives=40)
    assert ours and not any("text 7" in negatives for negatives in ours.values())
    assert not any(anchor == "anchor 3" for anchor, _ in ours)
