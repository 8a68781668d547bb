"""A run measured: metrics, layers, length, folds, benchmarks."""
