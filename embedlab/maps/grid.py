"""t-SNE's gradient with repulsion summed on a grid, faster than openTSNE's own grid.

How many times as fast a layout of 28,500 points is, tests/benchmarks/tsne_grid.py prints. Delete this file, and give
openTSNE "fft" in its place, when that is less than 1.3.

Sums on a grid as in FIt-SNE (Linderman et al. 2019, Nature Methods), but points are spread over the nodes by B-splines,
and the force is the slope of the spline through the sums (smooth particle mesh Ewald, Essmann et al. 1995): one charge
and one kernel are two transforms a step in place of eight, and nodes may lie farther apart for the same error.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

SPACING = 0.45  # of the nodes, in the plane's units
FEWEST = 100  # nodes along the longer axis: a small picture has a finer grid
MOST = 4096  # a picture that bursts has a coarser one
NODES = 6  # that a point is spread over along each axis, by a B-spline of degree five
AT_NODES = (26 / 120, 1 / 120)  # that spline one and two nodes off its middle, where it has the rest
ROUNDED = 8  # nodes, so that a picture that grows keeps its kernels for a while
UNSURE = 1e-3  # how well a point's nearness to itself is known
CHUNK = 4096  # points that one thread takes at a time; not by threads, so that sums are the same at any number
TINY = np.finfo(np.float64).eps


class GridGradient:
    """KL divergence and a quarter of the gradient; openTSNE calls it as its ``negative_gradient_method``."""

    def __init__(self) -> None:
        self._grid: tuple[float, tuple[int, int]] | None = None
        self._kernel: np.ndarray = np.empty(0)

    def __call__(
        self, embedding: np.ndarray, P: csr_matrix, *, n_jobs: int = 1, should_eval_error: bool = False, **_: Any,  # noqa: N803
    ) -> tuple[float, np.ndarray]:  # fmt: skip
        """embedding: (points, 2), P: CSR (points, points) -> KL divergence or 0, (points, 2) float64"""
        places = np.array(embedding, np.float64, order="C")
        places -= (places.min(axis=0) + places.max(axis=0)) / 2
        low, step, nodes = _grid_over(np.ptp(places, axis=0))
        charge = np.zeros(nodes)
        _spread(places, low, step, charge)
        if self._grid != (step, nodes):
            self._grid, self._kernel = (step, nodes), _kernel(step, nodes)
        felt = _convolved(charge.astype(_precision(step)), self._kernel, n_jobs)
        gradient = np.empty_like(places)
        starts = range(0, len(places), CHUNK)
        with ThreadPoolExecutor(n_jobs) as pool:
            seen = sum(pool.map(lambda first: _gather(places, low, step, felt, gradient, first), starts))
            near = max(seen - len(places), UNSURE * len(places))

            def pulled(first: int) -> tuple[float, float]:
                return _attract(P.indptr, P.indices, P.data, places, gradient, near, first, should_eval_error)

            parts = list(pool.map(pulled, starts))
        if not should_eval_error:
            return 0.0, gradient
        return sum(part for part, _ in parts) + sum(mass for _, mass in parts) * np.log(near + TINY), gradient


def _grid_over(spans: np.ndarray) -> tuple[np.ndarray, float, tuple[int, int]]:
    """The first node (2,), the spacing of nodes, and their number along each axis, for a map centred at the origin."""
    longest = max(float(spans.max()), TINY)
    step = min(max(longest / MOST, SPACING), longest / FEWEST)
    nodes = ROUNDED * np.ceil((np.floor(spans / step) + NODES + 1) / ROUNDED).astype(int)
    return -step * (nodes - 1) / 2, step, (int(nodes[0]), int(nodes[1]))


def _kernel(step: float, nodes: tuple[int, int]) -> np.ndarray:
    """The Fourier transform of 1 / (1 + d²) on nodes ``step`` apart, corrected for spreading and reading by splines."""
    from scipy.fft import fftfreq, rfft2, rfftfreq

    long, wide = map(_padded, nodes)
    across, along = (fftfreq(length, 1 / (step * length)) for length in (long, wide))  # 0, 1, 2 … −2, −1 steps
    near = rfft2((1 / (1 + across[:, None] ** 2 + along**2)).astype(_precision(step)))
    one, two = AT_NODES
    turns = [2 * np.pi * frequencies for frequencies in (fftfreq(long), rfftfreq(wide))]  # of a wave, per node
    splines = [1 - 2 * (one + two) + 2 * one * np.cos(each) + 2 * two * np.cos(2 * each) for each in turns]
    return near / np.multiply.outer(*splines).astype(_precision(step)) ** 2


def _padded(nodes: int) -> int:
    """The size of the padded transform, in which neither wrapped sums nor the kernel's edge reach any point."""
    from scipy.fft import next_fast_len

    return next_fast_len(2 * (nodes + NODES), real=True)


def _precision(step: float) -> type:
    """The precision of the sums: double for a small map, whose slopes are differences of nearly equal sums."""
    return np.float64 if step < SPACING else np.float32


def _convolved(charge: np.ndarray, kernel: np.ndarray, workers: int) -> np.ndarray:
    """The charges convolved with the kernel, at each node. (n, m) -> (n, m)"""
    from scipy.fft import fft, ifft, irfft, rfft

    rows, columns = charge.shape
    long, wide = map(_padded, charge.shape)
    along_rows = rfft(charge, wide, axis=1, workers=workers)
    spectrum = fft(along_rows, long, axis=0, workers=workers) * kernel
    half = ifft(spectrum, axis=0, workers=workers, overwrite_x=True)[:rows]
    return irfft(half, wide, axis=1, workers=workers)[:, :columns]


@njit(nogil=True, cache=True)
def _spline(t: float, weights: np.ndarray, slopes: np.ndarray) -> None:
    """The B-spline of degree five at nodes -2 to 3, and its derivative. t: 0 to 1"""
    weights[:], weights[0], weights[1] = 0.0, 1 - t, t
    for degree in range(2, NODES):  # each from the one before, by its two neighbors (de Boor)
        if degree == NODES - 1:
            slopes[0] = -weights[0]
            for node in range(1, NODES):
                slopes[node] = weights[node - 1] - weights[node]
        for node in range(degree, 0, -1):
            left = (t + degree - node) * weights[node - 1]
            weights[node] = (left + (node + 1 - t) * weights[node]) / degree
        weights[0] *= (1 - t) / degree


@njit(nogil=True, cache=True)
def _spread(places: np.ndarray, low: np.ndarray, step: float, charge: np.ndarray) -> None:
    right, up, unused = np.empty(NODES), np.empty(NODES), np.empty(NODES)
    for point in range(len(places)):
        across, along = (places[point, 0] - low[0]) / step, (places[point, 1] - low[1]) / step
        column, row = int(across), int(along)
        _spline(across - column, right, unused)
        _spline(along - row, up, unused)
        for i in range(NODES):
            for j in range(NODES):
                charge[column - 2 + i, row - 2 + j] += right[i] * up[j]


@njit(nogil=True, cache=True)
def _gather(
    places: np.ndarray, low: np.ndarray, step: float, felt: np.ndarray, gradient: np.ndarray, first: int
) -> float:
    """Write the unnormalised forces on these points; returns the sum of their similarities to all points, themselves
    included.

    The force, d / (1 + d²)² summed over all points, is minus half the slope of their nearness 1 / (1 + d²).
    """
    right, up, right_slope, up_slope = np.empty(NODES), np.empty(NODES), np.empty(NODES), np.empty(NODES)
    total = 0.0
    for point in range(first, min(first + CHUNK, len(places))):
        across, along = (places[point, 0] - low[0]) / step, (places[point, 1] - low[1]) / step
        column, row = int(across), int(along)
        _spline(across - column, right, right_slope)
        _spline(along - row, up, up_slope)
        near, x, y = 0.0, 0.0, 0.0
        for i in range(NODES):
            summed, sloped = 0.0, 0.0
            for j in range(NODES):
                node = felt[column - 2 + i, row - 2 + j]
                summed += up[j] * node
                sloped += up_slope[j] * node
            near += right[i] * summed
            x += right_slope[i] * summed
            y += right[i] * sloped
        total += near
        gradient[point, 0], gradient[point, 1] = -x / (2 * step), -y / (2 * step)
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def _attract(
    starts: np.ndarray, others: np.ndarray, weights: np.ndarray, places: np.ndarray, gradient: np.ndarray,
    near: float, first: int, is_error_asked: bool,
) -> tuple[float, float]:  # fmt: skip
    """Turn forces into the gradient; returns these points' KL divergence and sum of affinities."""
    error, mass = 0.0, 0.0
    for point in range(first, min(first + CHUNK, len(places))):
        own_x, own_y = places[point, 0], places[point, 1]
        right, up = 0.0, 0.0
        for entry in range(starts[point], starts[point + 1]):
            other = others[entry]
            across, along = own_x - places[other, 0], own_y - places[other, 1]
            closeness = 1 / (1 + across * across + along * along)
            pull = weights[entry] * closeness
            right += pull * across
            up += pull * along
            if is_error_asked:
                mass += weights[entry]
                error += weights[entry] * np.log(weights[entry] / (closeness + TINY) + TINY)
        gradient[point, 0] = right - gradient[point, 0] / near
        gradient[point, 1] = up - gradient[point, 1] / near
    return error, mass
