"""What every metric promises, whatever it reads: its range, its extremes, its differences, its refusals."""

from dataclasses import fields, replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from embedlab.distance import DISTANCES, EUCLIDEAN, Distance
from embedlab.errors import CorpusError
from embedlab.measurement import shown_by
from embedlab.metrics import METRICS
from embedlab.metrics.base import Candidates, JudgedPairs, Labelled, MetricResult, Partners, Queries, ScoredPairs
from embedlab.metrics.split import Split, paper_split

VECTORS = {"embeddings", "one", "other", "queries", "documents", "candidates"}
N = 60


def labelled(seed: int | None) -> Labelled:
    labels = np.array(["a", "b"] * N, dtype=object)
    rng = np.random.default_rng(seed or 0)
    centres = np.where(labels == "a", 5.0, -5.0)[:, None] if seed is None else 0.0
    embeddings = (centres + rng.normal(size=(2 * N, 4))).astype(np.float32)
    return Labelled(embeddings, labels, paper_split([f"text {row}" for row in range(2 * N)], labels))


def scored_pairs(seed: int | None) -> ScoredPairs:
    angles = np.linspace(0, np.pi, N)
    scores = np.cos(angles)
    if seed is not None:
        angles = np.random.default_rng(seed).permutation(angles)
    return ScoredPairs(np.tile([1.0, 0.0], (N, 1)), np.stack([np.cos(angles), np.sin(angles)], axis=1), scores)


def judged_pairs(seed: int | None) -> JudgedPairs:
    rng = np.random.default_rng(seed or 0)
    same = np.arange(N) % 2 == 0
    one = rng.normal(size=(N, 5))
    other = np.where(same[:, None], one, -one) if seed is None else rng.normal(size=(N, 5))
    return JudgedPairs(one, other, same)


def queries(seed: int | None) -> Queries:
    rng = np.random.default_rng(seed or 0)
    documents = rng.normal(size=(N, 6))
    asked = documents[:20] if seed is None else rng.normal(size=(20, 6))
    return Queries(asked, documents, [f"d{row}" for row in range(N)], [{row: 1.0} for row in range(20)])


def candidates(seed: int | None) -> Candidates:
    rng = np.random.default_rng(seed or 0)
    owner = np.repeat(np.arange(N // 6), 6)
    relevant = np.arange(N) % 6 < 2
    asked = rng.normal(size=(N // 6, 5))
    texts = np.where(relevant[:, None], 1, -1) * asked[owner] if seed is None else rng.normal(size=(N, 5))
    return Candidates(asked, texts, owner, relevant)


def partners(seed: int | None) -> Partners:
    rng = np.random.default_rng(seed or 0)
    one = rng.normal(size=(N, 5))
    return Partners(one, one if seed is None else rng.normal(size=(N, 5)))


MATERIALS = {
    Labelled: labelled,
    ScoredPairs: scored_pairs,
    JudgedPairs: judged_pairs,
    Queries: queries,
    Candidates: candidates,
    Partners: partners,
}
WITHOUT_LABELS = {
    Labelled: lambda: replace(labelled(0), labels=np.full(2 * N, None), split=None),
    ScoredPairs: lambda: replace(scored_pairs(0), scores=np.full(N, np.nan)),
    JudgedPairs: lambda: replace(judged_pairs(0), same=np.zeros(N, bool)),
    Queries: lambda: replace(queries(0), gains=[{}, {3: 0.0}] * 10),
    Candidates: lambda: replace(candidates(0), relevant=np.ones(N, bool)),
    Partners: lambda: Partners(np.ones((1, 3)), np.ones((1, 3))),
}


def changed(material, change):
    """The material with ``change`` applied to its arrays of vectors."""
    names = [field.name for field in fields(material) if field.name in VECTORS]
    return replace(material, **{name: change(getattr(material, name)) for name in names})


def partly_broken(vectors: np.ndarray) -> np.ndarray:
    vectors = vectors.copy()
    vectors[::6], vectors[1::6] = 0, np.nan
    return vectors


def badness(metric, found: MetricResult) -> float:
    return -found.value if metric.higher_is_better else found.value


def measured(metric, material, distance: Distance = EUCLIDEAN) -> MetricResult:
    return shown_by(metric.measure(material), distance)


each_metric = pytest.mark.parametrize("metric", METRICS, ids=METRICS.keys())
each_measurement = pytest.mark.parametrize(
    ("metric", "distance"),
    [(metric, distance) for metric in METRICS for distance in (DISTANCES if metric.by_both else [EUCLIDEAN])],
    ids=lambda part: getattr(part, "key", part),
)


@each_metric
def test_a_metric_says_what_it_is(metric):
    assert metric.sentence.endswith(".") and metric.paper and metric.reads in MATERIALS
    assert metric.range[0] < metric.range[1] and isinstance(metric.higher_is_better, bool)


@each_measurement
def test_perfect_vectors_reach_the_good_end_of_the_range_and_random_ones_lie_within(metric, distance):
    low, high = metric.range
    best = high if metric.higher_is_better else low
    perfect = measured(metric, MATERIALS[metric.reads](None), distance)
    assert perfect.value == pytest.approx(best, abs=1e-9)
    for seed in range(1, 6):
        found = measured(metric, MATERIALS[metric.reads](seed), distance)
        assert low <= found.value <= high and badness(metric, found) > badness(metric, perfect)
        assert found.as_json()["value"] == found.value and found.units
        assert all(len(array) == len(next(iter(found.units.values()))) for array in found.units.values())
        assert all(isinstance(fact, (int, float, str)) for fact in found.as_json().values())


@each_measurement
def test_a_difference_is_nothing_to_itself_and_changes_its_sign_when_turned_round(metric, distance):
    one, other = (measured(metric, MATERIALS[metric.reads](seed), distance) for seed in (None, 1))
    itself = metric.difference(before=one.units, after=one.units)
    assert itself.value == 0 and itself.low <= 0 <= itself.high and itself.n > 0
    there = metric.difference(before=other.units, after=one.units)
    back = metric.difference(before=one.units, after=other.units)
    assert there.value == pytest.approx(one.value - other.value, abs=1e-9) and there.low <= there.value <= there.high
    assert (there.value, there.low, there.high) == pytest.approx((-back.value, -back.high, -back.low))
    assert there.is_clear and (there.value > 0) == metric.higher_is_better
    wide = metric.difference(before=other.units, after=one.units, level=0.999)
    assert wide.low < there.low and wide.high > there.high


@each_measurement
def test_only_units_of_both_sides_are_compared(metric, distance):
    one, other = (measured(metric, MATERIALS[metric.reads](seed), distance).units for seed in (None, 1))
    fewer = {name: array[3:] for name, array in one.items()}
    shared = {name: array[3:] for name, array in other.items()}
    found = metric.difference(before=other, after=fewer)
    assert found == metric.difference(before=shared, after=fewer) and found.n == len(next(iter(fewer.values())))


@each_measurement
def test_zero_and_non_finite_vectors_neither_crash_nor_count_as_right(metric, distance):
    perfect = MATERIALS[metric.reads](None)
    whole, part = measured(metric, perfect, distance), measured(metric, changed(perfect, partly_broken), distance)
    assert np.isfinite(part.value) and badness(metric, part) > badness(metric, whole)
    for bad in (0.0, np.nan, np.inf):
        found = measured(metric, changed(perfect, lambda vectors, bad=bad: np.full_like(vectors, bad)), distance)
        worst = N if metric.reads is Partners else 0.0
        assert (
            found.value == worst and np.isfinite([f for f in found.as_json().values() if not isinstance(f, str)]).all()
        )
    assert np.isfinite(metric.difference(before=whole.units, after=part.units).value)


@each_measurement
def test_sparse_vectors_are_read_as_dense_ones(metric, distance):
    dense = measured(metric, MATERIALS[metric.reads](None), distance)
    sparse = measured(metric, changed(MATERIALS[metric.reads](None), csr_matrix), distance)
    assert sparse.value == pytest.approx(dense.value)
    if metric.key not in ("linear", "clustering"):  # their solvers take other steps on sparse rows
        random = [MATERIALS[metric.reads](3), changed(MATERIALS[metric.reads](3), csr_matrix)]
        dense, sparse = (measured(metric, material, distance) for material in random)
        assert sparse.facts == pytest.approx(dense.facts) and sparse.value == pytest.approx(dense.value)


@each_metric
def test_without_labels_a_metric_says_so_in_a_sentence(metric):
    with pytest.raises(CorpusError) as found:
        measured(metric, WITHOUT_LABELS[metric.reads]())
    assert found.value.code[:2] in ("W-", "E-") and found.value.message.endswith(".")


@pytest.mark.parametrize("metric", [m for m in METRICS if m.reads is Labelled], ids=lambda metric: metric.key)
def test_one_class_left_in_train_is_measured_not_an_error(metric):
    material = labelled(None)
    of_a = np.flatnonzero(material.labels == "a")
    split = Split(train=of_a[10:], test=np.concatenate([of_a[:10], np.flatnonzero(material.labels == "b")[:30]]))
    found = measured(metric, replace(material, split=split))
    assert found.value == (1.0 if metric.key == "clustering" else 10 / 40)
