"""Misread the map."""
