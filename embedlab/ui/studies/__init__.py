"""Studies: the form of a sweep, and what it found."""
