"""The pocket encoder: its generator, its gradient against central differences, its vote against scikit-learn's."""

import base64

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from toy_corpora import toy_texts

from embedlab.corpora.base import Draft, store_corpus
from embedlab.errors import CorpusError
from embedlab.learn import pocket as module
from embedlab.learn.pocket import VIEWS, Pocket, PocketConfig, Uniform, accuracy, learning_rate
from embedlab.learn.pocket_corpus import pocket_corpus


def mulberry(seed: int, count: int) -> list[float]:
    """The usual code, number by number, in whole numbers of any size."""
    found, state, mask = [], seed, 0xFFFFFFFF
    for _ in range(count):
        state = (state + 0x6D2B79F5) & mask
        t = ((state ^ state >> 15) * (state | 1)) & mask
        t = ((t + (((t ^ t >> 7) * (t | 61)) & mask)) ^ t) & mask
        found.append((t ^ t >> 14) / 4294967296)
    return found


@pytest.mark.parametrize("seed", [0, 1, 2**32 - 1])
def test_numbers_are_mulberrys_however_many_are_taken_at_once(seed):
    random = Uniform(seed)
    assert [*random.take(3), *random.take(4)] == mulberry(seed, 7)


@pytest.mark.parametrize("negatives", [True, False])
def test_the_gradient_is_that_of_the_loss(small, negatives, monkeypatch):
    monkeypatch.setattr(module.np, "float32", np.float64)  # central differences need the digits
    pocket = Pocket(small, PocketConfig(batch=6, temperature=0.5, negatives=negatives))
    pocket.table = pocket.table.astype(np.float64)
    pairs = pocket.next_pairs()
    _, gradient, touched = pocket.gradient(pairs)
    rng, step = np.random.default_rng(0), 1e-5
    for row in rng.choice(len(touched), 12, replace=False):
        place, found = (touched[row], int(rng.integers(64))), []
        for sign in (1, -1):
            pocket.table[place] += sign * step
            found.append(pocket.gradient(pairs)[0])
            pocket.table[place] -= sign * step
        assert gradient[row, place[1]] == pytest.approx((found[0] - found[1]) / (2 * step), abs=1e-6)


def test_the_loss_of_orthogonal_pairs_is_known_on_paper(small):
    pocket = Pocket(small, PocketConfig(temperature=0.5))
    pocket.table[:] = 0
    pocket.table[[0, 1], [0, 1]] = 1  # two words at right angles
    pairs = [(np.array([word]), np.array([word])) for word in (0, 1)]
    assert pocket.gradient(pairs)[0] == pytest.approx(np.log(1 + np.exp(-2)), abs=1e-6)


def test_accuracy_is_the_vote_of_scikit_learn(small):
    pocket = Pocket(small, PocketConfig()).train(20)
    rows, test = pocket.embeddings(), small.is_test
    theirs = KNeighborsClassifier(10, metric="cosine", algorithm="brute").fit(rows[~test], small.labels[~test])
    assert pocket.accuracy() == pytest.approx(theirs.score(rows[test], small.labels[test]), abs=0.04)  # but for ties
    assert accuracy(np.eye(4)[small.labels], small) == 1.0


def test_training_pulls_topics_apart_and_no_push_collapses(small):
    trained = Pocket(small, PocketConfig(steps=60, temperature=1.0)).train()
    assert trained.accuracy() >= Pocket(small, PocketConfig()).accuracy() and trained.losses[-1] < trained.losses[0]
    pulled = Pocket(small, PocketConfig(steps=60, negatives=False)).train()
    assert pulled.mean_cosine() > trained.mean_cosine() + 0.3


def test_views_are_what_their_names_say(small):
    for kind in VIEWS:
        pocket = Pocket(small, PocketConfig(views=kind))
        whole, parts = small.whole[3], [list(each) for each in small.texts[3]]
        first, second = (list(each) for each in pocket.view_pair(3))
        if kind == "sentences":
            assert first in parts and second in parts and parts.index(first) != parts.index(second)
        elif kind == "halves":
            assert first + second == list(whole) and len(first) - len(second) in (0, 1)
        elif kind == "same":
            assert first == second == list(whole)
        elif kind == "dropped words":
            assert 0.7 < len(first) / len(whole) <= 1 and first != second
        else:
            assert first in parts


def test_the_mean_cosine_is_that_of_all_pairs(small):
    rows = Pocket(small, PocketConfig()).embeddings()
    pairs = (rows @ rows.T)[np.triu_indices(len(rows), 1)]
    assert Pocket(small, PocketConfig()).mean_cosine() == pytest.approx(pairs.mean(), abs=1e-5)


def test_the_rate_rises_for_a_tenth_and_falls_to_nought():
    rates = [learning_rate(step, 100) for step in range(1, 101)]
    assert rates[9] == pytest.approx(0.1) and rates[0] == pytest.approx(0.01) and rates[-1] == pytest.approx(0.1 / 90)
    assert rates[:10] == sorted(rates[:10]) and rates[10:] == sorted(rates[10:], reverse=True)


def test_a_pocket_has_equal_shares_a_quarter_tested_and_the_most_used_word_first(small):
    assert np.bincount(small.labels).tolist() == [30] * 4 and small.is_test.sum() == 32
    uses = np.bincount([word for text in small.texts for part in text for word in part])
    assert uses.min() >= 2 and uses.tolist() == sorted(uses, reverse=True) and len(uses) == len(small.words)


def test_a_word_is_read_from_its_second_use_on(store):
    texts, labels = toy_texts()
    texts[0] = f"Quagga zebu okapi. {texts[0]}"
    texts[4] = f"Zebu okapi. {texts[4]}"
    made = pocket_corpus(corpus_of(texts, labels))
    assert {"zebu", "okapi"} <= set(made.words) and "quagga" not in made.words


def test_short_texts_are_drawn_as_often_as_long_ones(store):
    """240 texts of two sentences and 240 of four are there for 120 places a class: about 60 of each."""
    texts, labels = toy_texts(per_class=240)
    halved = [text if row % 8 < 4 else ".".join(text.split(".")[:2]) + "." for row, text in enumerate(texts)]
    made = pocket_corpus(corpus_of(halved, labels))
    short = np.array([len(text) == 2 for text in made.texts])
    assert len(made.texts) == 480 and all(45 <= short[made.labels == each].sum() <= 75 for each in range(4))


def test_texts_are_written_as_word_numbers_in_a_row_with_the_size_of_each_sentence(small):
    content = small.as_content
    low, high = np.frombuffer(base64.b64decode(content["numbers"]), np.uint8).astype(int).reshape(2, -1)
    row = low + 256 * high
    ends = np.cumsum([size for text in content["sizes"] for size in text])
    assert np.array_equal(np.concatenate([part for text in small.texts for part in text]), row) and ends[-1] == len(row)
    assert [len(text) for text in small.texts] == [len(text) for text in content["sizes"]]


def corpus_of(texts: list[str], labels: list[str] | None):
    return store_corpus(Draft(name="own", source="own", texts=texts, labels=labels))


def test_umlauts_quotes_and_three_hundred_classes(store):
    texts, labels = toy_texts(per_class=40)
    umlauts = [text.replace("a", "ä").replace(" of ", ' "of" ') for text in texts]
    rare = [f"Zwei Sätze über Nummer {n}. Noch ein Satz über {n}." for n in range(300)]
    made = pocket_corpus(corpus_of([*umlauts, *rare], [*labels, *(f"Klasse {n}" for n in range(300))]))
    assert len(made.classes) == 4 and any("ä" in word for word in made.words)


@pytest.mark.parametrize("labels", [None, "one", "few"])
def test_a_corpus_without_two_classes_of_enough_texts_is_refused(store, labels):
    texts, _ = toy_texts()
    names = {None: None, "one": ["a"] * 120, "few": [f"class {row % 10}" for row in range(120)]}[labels]
    with pytest.raises(CorpusError, match="labels|two classes"):
        pocket_corpus(corpus_of(texts, names))
