"""Vectors on disk: our files and imported ones, the text that each belongs to, and their defects."""
