"""How t-SNE sums the repulsion of all points: by a tree, or on a grid."""

from collections.abc import Callable

TREE_UNTIL = 7_000


def gradient_method(points: int) -> str | Callable:
    """``bh`` (openTSNE's tree after Barnes and Hut) or our grid, whichever is sooner; both err by about 2 %.

    The grid grows with the picture, not with the points: a step took 17 ms by the tree and 23 ms on the grid for 6,000
    points, 36 and 21 ms for 10,789, 109 and 31 ms for 28,500 (two cores).
    """
    if points < TREE_UNTIL:
        return "bh"
    from embedlab.maps.grid import GridGradient

    return GridGradient()


def gradient_alone(method: str | Callable) -> Callable:
    """The same without the KL divergence, which openTSNE asks for before each callback: a logarithm for each neighbor.

    For a layout that calls back at every step; the divergence of the last places is then found by
    ``optimize(0, negative_gradient_method=method)``.
    """
    from openTSNE.tsne import kl_divergence_bh

    called = kl_divergence_bh if method == "bh" else method

    def gradient(*places, should_eval_error: bool = False, **given):
        return called(*places, **given)

    return gradient
