"""Four t-SNE maps of the same texts that differ in one thing: perplexity, start, input, or early exaggeration.

After Wattenberg, Viégas and Johnson, "How to Use t-SNE Effectively" (Distill, 2016); starts after Kobak and Berens,
"The art of using t-SNE for single-cell transcriptomics" (2019).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from embedlab.maps.trust import trust
from embedlab.maps.tsne import TSNE, TSNEConfig
from embedlab.metrics.knn import cv10_knn
from embedlab.metrics.split import why_no_knn
from embedlab.neighbors import NeighborGraph, neighbor_graph
from embedlab.plane import procrustes, radius
from embedlab.progress import Progress, silent
from embedlab.runs.drawn_map import YOUR_TEXTS, FourMaps, LabFacts, LabMap

TEXTS = 2_000
NEIGHBORS = 300  # what perplexity 100 needs
TRUST_NEIGHBORS = 90
SEED = 0

PERPLEXITIES = (2, 10, 30, 100)
SEEDS = (0, 1, 2, 3)
EXAGGERATIONS = (1, 4, 12, 30)
NOISE, SHUFFLED = "Gaussian noise", "your texts, shuffled"


@dataclass(frozen=True)
class LabSetup:
    """One of the four maps: its input and its settings."""

    name: str
    config: TSNEConfig
    of: str = YOUR_TEXTS


EXPERIMENTS: dict[str, tuple[LabSetup, ...]] = {
    "perplexity": tuple(LabSetup(f"perplexity {each}", TSNEConfig(perplexity=each)) for each in PERPLEXITIES),
    "seeds": tuple(LabSetup(f"random start {seed}", TSNEConfig(initialization="random", seed=seed)) for seed in SEEDS),
    "noise": (
        LabSetup(YOUR_TEXTS, TSNEConfig()),
        LabSetup("Gaussian noise", TSNEConfig(), NOISE),
        LabSetup("Gaussian noise, perplexity 5", TSNEConfig(perplexity=5), NOISE),
        LabSetup("your texts, shuffled", TSNEConfig(), SHUFFLED),
    ),
    "exaggeration": tuple(
        LabSetup(f"early exaggeration {each}", TSNEConfig(initialization="random", early_exaggeration=each))
        for each in EXAGGERATIONS
    ),
}
# two of the seeds started from principal components, for comparison with random starts
FROM_PCA = tuple(LabSetup(f"principal components, seed {seed}", TSNEConfig(seed=seed)) for seed in SEEDS[:2])


def stratified(labels: np.ndarray | None, rows: np.ndarray, *, size: int = TEXTS, seed: int = SEED) -> np.ndarray:
    """At most ``size`` rows in file order, stratified by class, at least one text of each.

    labels: (all rows,), rows: (rows,) -> (≤ size,); with more classes than ``size``, that many texts by chance.
    """
    rng = np.random.default_rng(seed)
    if len(rows) <= size:
        return np.sort(rows)
    mixed = rng.permutation(rows)
    if labels is None:
        return np.sort(mixed[:size])
    _, codes, sizes = np.unique([str(labels[row]) for row in mixed], return_inverse=True, return_counts=True)
    order = np.argsort(codes, kind="stable")
    within = np.empty(len(mixed), int)  # the how-manieth of its class each text is
    within[order] = np.arange(len(mixed)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    # the first text of every class, then all others evenly: the middle of each text's share of its class
    order_value = np.where(within == 0, -1.0, (within + 0.5) / sizes[codes])
    return np.sort(mixed[np.argsort(order_value, kind="stable")[:size]])


def four_maps(
    experiment: str,
    embeddings: np.ndarray,
    rows: np.ndarray,
    labels: np.ndarray | None,
    *,
    of: int,
    progress: Progress = silent,
    threads: int = 1,
) -> FourMaps:
    """The maps of one experiment on these rows ``of`` so many, with labels to judge them.

    embeddings: (texts, dim), all of them usable; rows: (texts,) of the corpus; labels: (texts,)
    """
    setups = EXPERIMENTS[experiment]
    made = {of: _what_is_mapped(of, embeddings) for of in dict.fromkeys(setup.of for setup in setups)}
    graphs = {of: neighbor_graph(vectors, k=NEIGHBORS) for of, vectors in made.items()}
    extra = FROM_PCA if experiment == "seeds" else ()
    drawn = []
    for number, setup in enumerate((*setups, *extra)):
        report = _part_of(progress, number, len(setups) + len(extra))
        drawn.append(_draw(setup, made[setup.of], graphs[setup.of], labels, report, threads))
    coordinates, maps = zip(*drawn, strict=True)
    facts = LabFacts(len(embeddings), of, list(maps[: len(setups)]), embeddings.shape[1])
    if extra:
        facts = replace(facts, apart=apart(coordinates[: len(setups)]), apart_pca=apart(coordinates[len(setups) :]))
    return FourMaps(np.stack(coordinates[: len(setups)]), rows, facts)


def apart(maps: Sequence[np.ndarray]) -> float:
    """The mean distance between a text's places on two maps, averaged over pairs of maps, in radii.

    Each pair is laid over each other first.  0: the same picture; about 1.25: unrelated ones.
    """
    distances = []
    for number, one in enumerate(maps):
        for other in maps[number + 1 :]:
            distances.append(np.linalg.norm(procrustes(other, onto=one) - one, axis=1).mean() / radius(one))
    return float(np.mean(distances))


def _what_is_mapped(of: str, embeddings: np.ndarray) -> np.ndarray:
    """The texts' vectors, the same number of noise vectors, or vectors with each dimension shuffled. -> (texts, dim)
    float32
    """
    rng = np.random.default_rng(SEED)
    made: dict[str, Callable[[], np.ndarray]] = {
        YOUR_TEXTS: lambda: embeddings,
        NOISE: lambda: rng.standard_normal(embeddings.shape),
        SHUFFLED: lambda: rng.permuted(embeddings, axis=0),
    }
    return np.asarray(made[of](), np.float32)


def _draw(
    setup: LabSetup,
    vectors: np.ndarray,
    graph: NeighborGraph,
    labels: np.ndarray | None,
    progress: Progress,
    threads: int,
) -> tuple[np.ndarray, LabMap]:
    """One map, (texts, 2) float32, and how far it can be trusted."""
    layout = TSNE.lay_out(vectors, graph, setup.config, progress=progress, threads=threads)
    used, believed = layout.used, trust(layout.coordinates, graph.indices[:, :TRUST_NEIGHBORS]).means()
    assert used.perplexity is not None and used.kl_divergence is not None, "t-SNE says both"
    assert believed.true is not None and believed.kept is not None, "every text of an experiment has neighbors"
    knn = None
    if labels is not None and why_no_knn(labels, np.arange(len(vectors))) is None:
        knn = cv10_knn(embeddings=layout.coordinates, labels=labels).value
    return layout.coordinates, LabMap(
        name=setup.name,
        of=setup.of,
        perplexity=used.perplexity,
        kl_divergence=used.kl_divergence,
        true=believed.true,
        kept=believed.kept,
        chance=believed.chance,
        texts=believed.texts,
        knn_in_picture=knn,
    )


def _part_of(progress: Progress, number: int, maps: int) -> Progress:
    """Progress of one map as a share of all."""

    def report(stage: str, done: int = 0, total: int = 0) -> None:
        progress(
            f"Drawing map {number + 1} of {maps}", 1000 * number + (1000 * done // total if total else 0), 1000 * maps
        )

    return report
