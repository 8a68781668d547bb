"""A run from start to finish."""
