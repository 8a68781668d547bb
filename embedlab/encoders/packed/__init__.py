"""Weights in the order in which oneDNN multiplies by them, while texts are embedded on the CPU."""
