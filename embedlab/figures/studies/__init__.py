"""Figures of a study: its lines, its heat map, its table as a file."""
