"""What is measured as soon as maps are drawn: how far they can be believed, what moved, and clusters with keywords."""

from embedlab.runs.folder import RunFolder


def read_maps(drawn: RunFolder, method: str, progress, *, against: str = "before") -> None:
    """Trust of both maps, movement, who neighbors whom, and clusters, into the run's folder."""
