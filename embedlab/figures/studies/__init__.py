"""Figures of a study: line plot, heat map, and both as files."""
