"""Studies: the form of a sweep, and its results."""
