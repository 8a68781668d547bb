"""The scores of a run: metrics, classes, benchmarks, methods."""
