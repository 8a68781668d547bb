"""The search for the best encoder: its form and its results."""
