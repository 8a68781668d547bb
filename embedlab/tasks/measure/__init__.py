"""Measurements on a run: metrics, layers, length, folds, benchmarks."""
