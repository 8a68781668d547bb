"""How t-SNE sums the repulsion of all points: pair by pair, or on a grid."""

from collections.abc import Callable

PAIRS_UNTIL = 8_000


def gradient_method(points: int) -> Callable:
    """All pairs, exact, or our grid with an error of about 2 %, whichever is sooner; given to openTSNE.

    Pairs grow with the square of the points, on one thread; the grid with the picture. A step of 5,000 points took 7 ms
    by pairs and 14 ms by openTSNE's tree; of 8,000 points 24 by the tree and 15 on the grid; of 28,500 points 109 and
    31 ms (tree and grid on two cores).
    """
    if points < PAIRS_UNTIL:
        from embedlab.maps.few_points import exact_gradient

        return exact_gradient
    from embedlab.maps.grid import GridGradient

    return GridGradient()


def gradient_alone(method: Callable) -> Callable:
    """The same without the KL divergence, which openTSNE asks for before each callback: a logarithm for each neighbor.

    For a layout that calls back at every step; the divergence of the last places is then found by
    ``optimize(0, negative_gradient_method=method)``.
    """

    def gradient(*places, should_eval_error: bool = False, **given):
        return method(*places, **given)

    return gradient
