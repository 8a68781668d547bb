"""t-SNE's gradient with the repulsion of all points summed on a grid, sooner than on openTSNE's own.

A layout of 28,500 points is done 2.4 times as fast (tests/benchmarks/tsne_grid.py). Delete this file, and give openTSNE
"fft" in its place, when that command prints less than 1.3.

Interpolation by polynomials on equispaced nodes as in FIt-SNE (Linderman et al. 2019, Nature Methods), three to a unit
as there. Other than there, each point is spread over the four nodes about it along each axis, not over the three of its
cell, and the force itself is convolved, not the sums that it is a difference of: one charge and three kernels are four
transforms a step in place of eight.
"""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numba import njit

SPACING = 1 / 3  # of the nodes, in the plane's units
FEWEST = 100  # nodes along the longer axis: a small picture has a finer grid
MOST = 4096  # a picture that bursts has a coarser one
NODES = 4  # that a point is spread over along each axis
ROUNDED = 8  # nodes, so that a picture that grows keeps its kernels for a while
UNSURE = 1e-3  # how well a point's nearness to itself is known
CHUNK = 4096  # points that one thread takes at a time; not by threads, so that sums are the same at any number
TINY = np.finfo(np.float64).eps


class GridGradient:
    """A step's KL divergence and a quarter of its gradient, called by openTSNE as its ``negative_gradient_method``."""

    def __init__(self):
        self._grid, self._kernels = None, None

    def __call__(self, embedding, P, *, n_jobs: int = 1, should_eval_error: bool = False, **_):  # noqa: N803
        """embedding: (points, 2), P: CSR (points, points) -> KL divergence or 0, (points, 2) float64"""
        places = np.array(embedding, np.float64, order="C")
        places -= (places.min(axis=0) + places.max(axis=0)) / 2
        low, step, nodes = _grid_over(np.ptp(places, axis=0))
        charge = np.zeros(nodes)
        _spread(places, low, step, charge)
        felt = _convolved(charge, self._kernels_of(step, nodes), n_jobs)
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

    def _kernels_of(self, step: float, nodes: tuple[int, int]) -> list[np.ndarray]:
        if self._grid != (step, nodes):
            self._grid, self._kernels = (step, nodes), _kernels(step, nodes)
        return self._kernels


def _grid_over(spans: np.ndarray) -> tuple[np.ndarray, float, tuple[int, int]]:
    """The first node (2,), how far apart nodes are, and how many along each axis, for a picture about the origin."""
    longest = max(float(spans.max()), TINY)
    step = min(max(longest / MOST, SPACING), longest / FEWEST)
    nodes = ROUNDED * np.ceil((np.floor(spans / step) + NODES + 1) / ROUNDED).astype(int)
    return -step * (nodes - 1) / 2, step, (int(nodes[0]), int(nodes[1]))


def _kernels(step: float, nodes: tuple[int, int]) -> list[np.ndarray]:
    """Transforms of 1 / (1 + d²), and of d / (1 + d²)² along each axis, for nodes ``step`` apart."""
    from scipy.fft import fftfreq, next_fast_len, rfft2

    lengths = [next_fast_len(2 * count - 1, real=True) for count in nodes]
    across, along = (fftfreq(length, 1 / (step * length)) for length in lengths)  # 0, 1, 2 … −2, −1 steps
    near = 1 / (1 + across[:, None] ** 2 + along[None] ** 2)
    shapes = (near, near**2 * across[:, None], near**2 * along[None])
    return [rfft2(kernel.astype(np.float32)) for kernel in shapes]


def _convolved(charge: np.ndarray, kernels: list[np.ndarray], workers: int) -> np.ndarray:
    """The charges seen through each kernel, at each node.  (n, m) -> (n, m, 3)"""
    from scipy.fft import fft, ifft, irfft, next_fast_len, rfft

    rows, columns = charge.shape
    long, wide = (next_fast_len(2 * count - 1, real=True) for count in charge.shape)
    along_rows = rfft(charge.astype(np.float32), wide, axis=1, workers=workers)
    spectrum = fft(along_rows, long, axis=0, workers=workers)
    found = np.empty((rows, columns, len(kernels)), np.float32)
    for place, kernel in enumerate(kernels):
        half = ifft(spectrum * kernel, axis=0, workers=workers, overwrite_x=True)[:rows]
        found[:, :, place] = irfft(half, wide, axis=1, workers=workers)[:, :columns]
    return found


@njit(nogil=True, cache=True)
def _node_weights(t, weights):
    """Lagrange's polynomials of the nodes at -1, 0, 1 and 2.  t: 0 to 1"""
    weights[0] = -t * (t - 1) * (t - 2) / 6
    weights[1] = (t + 1) * (t - 1) * (t - 2) / 2
    weights[2] = -(t + 1) * t * (t - 2) / 2
    weights[3] = (t + 1) * t * (t - 1) / 6


@njit(nogil=True, cache=True)
def _spread(places, low, step, charge):
    right, up = np.empty(NODES), np.empty(NODES)
    for point in range(len(places)):
        across, along = (places[point, 0] - low[0]) / step, (places[point, 1] - low[1]) / step
        column, row = int(across), int(along)
        _node_weights(across - column, right)
        _node_weights(along - row, up)
        for i in range(NODES):
            for j in range(NODES):
                charge[column - 1 + i, row - 1 + j] += right[i] * up[j]


@njit(nogil=True, cache=True)
def _gather(places, low, step, felt, gradient, first):
    """Write the forces of these points, not yet divided; the sum of their nearness to all points, themselves too."""
    right, up = np.empty(NODES), np.empty(NODES)
    total = 0.0
    for point in range(first, min(first + CHUNK, len(places))):
        across, along = (places[point, 0] - low[0]) / step, (places[point, 1] - low[1]) / step
        column, row = int(across), int(along)
        _node_weights(across - column, right)
        _node_weights(along - row, up)
        near, x, y = 0.0, 0.0, 0.0
        for i in range(NODES):
            for j in range(NODES):
                weight = right[i] * up[j]
                node = felt[column - 1 + i, row - 1 + j]
                near += weight * node[0]
                x += weight * node[1]
                y += weight * node[2]
        total += near
        gradient[point, 0], gradient[point, 1] = x, y
    return total


@njit(nogil=True, cache=True, error_model="numpy")
def _attract(starts, others, weights, places, gradient, near, first, is_error_asked):
    """Turn forces into the gradient; these points' part of the KL divergence, and the sum of their affinities."""
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
