"""Encoders that are made of a corpus: its vocabulary and its word statistics."""
