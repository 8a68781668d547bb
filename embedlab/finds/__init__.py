"""The best encoder within a given time."""
